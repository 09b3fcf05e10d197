//! The `info` and `bestmove` lines of a search.

use std::time::Duration;

use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;

use crate::process::{MOST_DEPTH, is_possible};

/// An `info` line. Fields that it does not have are none.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Info {
    /// The depth in plies.
    pub depth: Option<u32>,
    /// The longest line that was searched, in plies.
    pub seldepth: Option<u32>,
    /// The rank of the line, from 1 (MultiPV).
    pub multipv: Option<u32>,
    /// The score from the point of view of the side to move.
    pub score: Option<UciScore>,
    /// Whether the score is exact or a bound.
    pub bound: ScoreBound,
    /// Nodes since `go`.
    pub nodes: Option<u64>,
    /// Nodes a second, as the engine counts them. Some engines report 0 for the first second.
    pub nps: Option<u64>,
    /// Milliseconds since `go`, by the engine's clock.
    pub time: Option<u64>,
    /// The principal variation, without what comes after a thousand moves.
    pub pv: Vec<String>,
}

/// A score as UCI writes it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum UciScore {
    /// Hundredths of a pawn.
    Centipawns(i64),
    /// Mate in this number of moves, below zero when being mated. `mate 0` is checkmate on the board.
    Mate(i64),
}

/// Whether a score is exact or a bound.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub enum ScoreBound {
    /// Exact.
    #[default]
    Exact,
    /// A lower bound.
    Lower,
    /// An upper bound.
    Upper,
}

/// A `bestmove` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BestMove {
    /// The move; none if the engine reports that there is none (`(none)`, `0000`, `a1a1`, `NULL`).
    pub m: Option<String>,
    /// The move it would ponder on.
    pub ponder: Option<String>,
}

/// Moves that are kept of a variation: a line without end must not take memory.
const MOST_MOVES: usize = 1000;

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
    /// Reads a line that begins with `info`; none for other lines. Unknown words are skipped.
    pub fn parse(line: &str) -> Option<Info> {
        let mut words = line.split_whitespace().peekable();
        if words.next()? != "info" {
            return None;
        }
        let mut info = Info::default();
        while let Some(word) = words.next() {
            match word {
                "string" => break,
                "depth" => info.depth = words.next_if(is_number).and_then(small),
                "seldepth" => info.seldepth = words.next_if(is_number).and_then(small),
                "multipv" => info.multipv = words.next_if(is_number).and_then(small),
                "nodes" => info.nodes = words.next_if(is_number).and_then(large),
                "nps" => info.nps = words.next_if(is_number).and_then(large),
                "time" => info.time = words.next_if(is_number).and_then(large),
                "cp" => info.score = words.next().and_then(|number| number.parse().ok()).map(UciScore::Centipawns),
                "mate" => info.score = words.next().and_then(|number| number.parse().ok()).map(UciScore::Mate),
                "lowerbound" => info.bound = ScoreBound::Lower,
                "upperbound" => info.bound = ScoreBound::Upper,
                "pv" => {
                    while let Some(m) = words.next_if(|word| !KEYWORDS.contains(word)) {
                        if info.pv.len() < MOST_MOVES {
                            info.pv.push(m.to_string());
                        }
                    }
                }
                _ => {}
            }
        }
        Some(info)
    }

    /// The line without numbers that no search can have after this time.
    #[must_use]
    pub fn without_impossible(self, time: Duration) -> Info {
        let is_depth = |depth: &u32| *depth <= MOST_DEPTH;
        Info {
            depth: self.depth.filter(is_depth),
            seldepth: self.seldepth.filter(is_depth),
            nodes: self.nodes.filter(|&nodes| is_possible(nodes, time)),
            ..self
        }
    }

    /// Whether it shows the line that the engine would play: with moves, an exact score, and the first rank.
    pub fn is_principal(&self) -> bool {
        !self.pv.is_empty() && self.bound == ScoreBound::Exact && self.multipv.is_none_or(|number| number == 1)
    }
}

fn is_number(word: &&str) -> bool {
    !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_digit())
}

/// Digits as a number. One that is too large becomes the largest: an engine that reports it must not pass for one that
/// reports nothing.
fn large(digits: &str) -> Option<u64> {
    Some(digits.parse().unwrap_or(u64::MAX))
}

/// A count of plies or a rank; too large a number becomes the largest.
fn small(digits: &str) -> Option<u32> {
    Some(digits.parse().unwrap_or(u32::MAX))
}

impl UciScore {
    /// The score in the units of the built-in search.
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
    /// Reads a line that begins with `bestmove`; none for other lines.
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

/// Some engines write a move from a square to itself if there is no move.
fn is_no_move(m: &str) -> bool {
    let to_itself = m.len() == 4 && m.is_ascii() && m[..2] == m[2..];
    to_itself || ["(none)", "none", "null"].contains(&m.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
        for other in ["", "information", "bestmove e2e4", "\u{fffd}\u{fffd}"] {
            assert_eq!(Info::parse(other), None, "{other}");
        }
    }

    #[test]
    fn numbers_that_are_too_large_are_not_taken_for_missing_ones_and_left_out_of_results() {
        let line = "info depth 99999999999 seldepth 20000 nodes 99999999999999999999999 score cp 5 pv a2a3";
        let info = Info::parse(line).unwrap();
        assert_eq!((info.depth, info.seldepth, info.nodes), (Some(u32::MAX), Some(20_000), Some(u64::MAX)));
        let info = info.without_impossible(Duration::from_secs(3600));
        assert_eq!((info.depth, info.seldepth, info.nodes), (None, None, None));
        assert!(info.is_principal() && info.score.is_some());
        let endless = format!("info pv{} nodes 7", " a2a3".repeat(40_000));
        assert_eq!(Info::parse(&endless).map(|info| (info.pv.len(), info.nodes)), Some((1000, Some(7))));
        let sound = Info::parse("info depth 250 seldepth 400 nodes 36000000000000").unwrap();
        assert_eq!(sound.clone().without_impossible(Duration::from_secs(3600)), sound);
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
