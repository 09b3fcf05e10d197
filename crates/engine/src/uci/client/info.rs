//! What an engine tells while it searches, and its answer.

use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;

/// An `info` line. What it does not tell is missing.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Info {
    /// The depth in plies.
    pub depth: Option<u32>,
    /// The longest line that was looked at.
    pub seldepth: Option<u32>,
    /// Which of several lines this is, from 1.
    pub multipv: Option<u32>,
    /// What the position is worth to the side to move.
    pub score: Option<UciScore>,
    /// Whether that is only a bound.
    pub bound: ScoreBound,
    /// Nodes since `go`.
    pub nodes: Option<u64>,
    /// Nodes a second, as the engine counts them. Some say 0 for the first second.
    pub nps: Option<u64>,
    /// Milliseconds since `go`, by the engine's clock.
    pub time: Option<u64>,
    /// The best line.
    pub pv: Vec<String>,
}

/// A score as UCI writes it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum UciScore {
    /// Hundredths of a pawn.
    Centipawns(i64),
    /// Mate in so many moves, below zero when being mated. `mate 0` is being mated already.
    Mate(i64),
}

/// What a score says.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub enum ScoreBound {
    /// The value.
    #[default]
    Exact,
    /// At least that.
    Lower,
    /// At most that.
    Upper,
}

/// A `bestmove` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BestMove {
    /// The move; none if the engine says that there is none (`(none)`, `0000`, `a1a1`, `NULL`).
    pub m: Option<String>,
    /// What it would ponder on.
    pub ponder: Option<String>,
}

const KEYWORDS: [&str; 17] = [
    "depth",
    "seldepth",
    "time",
    "nodes",
    "pv",
    "multipv",
    "score",
    "currmove",
    "currmovenumber",
    "hashfull",
    "nps",
    "tbhits",
    "sbhits",
    "cpuload",
    "string",
    "refutation",
    "currline",
];

impl Info {
    /// Reads a line that begins with `info`; none if it is another one. Words that nobody knows are skipped.
    pub fn parse(line: &str) -> Option<Info> {
        let mut words = line.split_whitespace().peekable();
        if words.next()? != "info" {
            return None;
        }
        let mut info = Info::default();
        while let Some(word) = words.next() {
            match word {
                "string" => break,
                "depth" => info.depth = words.next_if(is_number).and_then(|number| number.parse().ok()),
                "seldepth" => info.seldepth = words.next_if(is_number).and_then(|number| number.parse().ok()),
                "multipv" => info.multipv = words.next_if(is_number).and_then(|number| number.parse().ok()),
                "nodes" => info.nodes = words.next_if(is_number).and_then(|number| number.parse().ok()),
                "nps" => info.nps = words.next_if(is_number).and_then(|number| number.parse().ok()),
                "time" => info.time = words.next_if(is_number).and_then(|number| number.parse().ok()),
                "cp" => info.score = words.next().and_then(|number| number.parse().ok()).map(UciScore::Centipawns),
                "mate" => info.score = words.next().and_then(|number| number.parse().ok()).map(UciScore::Mate),
                "lowerbound" => info.bound = ScoreBound::Lower,
                "upperbound" => info.bound = ScoreBound::Upper,
                "pv" => {
                    while let Some(m) = words.next_if(|word| !KEYWORDS.contains(word)) {
                        info.pv.push(m.to_string());
                    }
                }
                _ => {}
            }
        }
        Some(info)
    }

    /// Whether it shows a line that the engine would play: with moves, no mere bound, the first of several.
    pub fn is_principal(&self) -> bool {
        !self.pv.is_empty() && self.bound == ScoreBound::Exact && self.multipv.is_none_or(|number| number == 1)
    }
}

fn is_number(word: &&str) -> bool {
    word.bytes().all(|letter| letter.is_ascii_digit())
}

impl UciScore {
    /// The score as our searches tell it.
    pub fn score(self) -> Score {
        const LARGEST: i64 = 30_000;
        match self {
            UciScore::Centipawns(number) => Score::evaluation(number.clamp(-LARGEST, LARGEST) as i32),
            UciScore::Mate(moves) if moves > 0 => Score::of(Outcome::Win, (2 * moves.min(400) - 1) as u32),
            UciScore::Mate(moves) => Score::of(Outcome::Loss, (2 * moves.max(-400)).unsigned_abs() as u32),
        }
    }
}

impl BestMove {
    /// Reads a line that begins with `bestmove`; none if it is another one.
    pub fn parse(line: &str) -> Option<BestMove> {
        let mut words = line.split_whitespace();
        if words.next()? != "bestmove" {
            return None;
        }
        let m = words.next().filter(|m| !is_no_move(m)).map(String::from);
        let ponder = (words.next() == Some("ponder")).then(|| words.next()).flatten().map(String::from);
        Some(BestMove { m, ponder })
    }
}

/// A square to itself is how some say that there is no move.
fn is_no_move(m: &str) -> bool {
    let to_itself = m.len() == 4 && m.is_ascii() && m[..2] == m[2..];
    to_itself || ["(none)", "none", "null"].contains(&m.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::{BestMove, Info, ScoreBound, UciScore};

    #[test]
    fn real_info_lines_are_read() {
        let info = Info::parse(
            "info depth 10 seldepth 13 multipv 1 score cp 31 lowerbound nodes 20024 nps 488390 hashfull 10 tbhits 0 \
             time 41 pv e2e4 e7e5",
        )
        .unwrap();
        assert_eq!((info.depth, info.seldepth, info.multipv), (Some(10), Some(13), Some(1)));
        assert_eq!((info.score, info.bound), (Some(UciScore::Centipawns(31)), ScoreBound::Lower));
        assert_eq!((info.nodes, info.nps, info.time), (Some(20024), Some(488_390), Some(41)));
        assert_eq!(info.pv, ["e2e4", "e7e5"]);
        assert!(!info.is_principal(), "a bound is no result");
        let middle = Info::parse("info pv e2e4 e7e5 nodes 7 depth 3 score mate -2").unwrap();
        assert_eq!((middle.pv.len(), middle.nodes, middle.depth), (2, Some(7), Some(3)));
        assert_eq!(middle.score, Some(UciScore::Mate(-2)));
        assert!(middle.is_principal());
        assert!(!Info::parse("info multipv 2 pv e2e4").unwrap().is_principal());
        assert!(!Info::parse("info depth 3 nodes 5").unwrap().is_principal());
    }

    #[test]
    fn lines_that_tell_nothing_are_no_trouble() {
        assert_eq!(Info::parse("info string depth 5 nodes 7 pv a"), Some(Info::default()));
        assert_eq!(Info::parse("info depth nodes score cp"), Some(Info::default()));
        assert_eq!(Info::parse("info nodes 99999999999999999999999"), Some(Info::default()));
        for other in ["", "information", "bestmove e2e4", "\u{fffd}\u{fffd}"] {
            assert_eq!(Info::parse(other), None, "{other}");
        }
    }

    #[test]
    fn best_moves_and_the_lack_of_one() {
        let best = |line: &str| BestMove::parse(line).map(|best| (best.m, best.ponder));
        assert_eq!(best("bestmove e2e4 ponder e7e5"), Some((Some("e2e4".into()), Some("e7e5".into()))));
        assert_eq!(best("bestmove e7e8q"), Some((Some("e7e8q".into()), None)));
        for none in ["(none)", "a1a1", "0000", "NULL", ""] {
            assert_eq!(best(&format!("bestmove {none}")), Some((None, None)), "{none}");
        }
        assert_eq!(best("best move"), None);
    }

    #[test]
    fn scores_keep_their_order() {
        let scores = [UciScore::Mate(-1), UciScore::Mate(-9), UciScore::Centipawns(-99_999), UciScore::Centipawns(5)];
        let more = [UciScore::Mate(500), UciScore::Mate(3), UciScore::Mate(1)];
        let units: Vec<_> = scores.iter().chain(&more).map(|score| score.score().units()).collect();
        assert!(units.is_sorted(), "{units:?}");
        assert_eq!(UciScore::Mate(2).score().win_in(), Some(3));
    }
}
