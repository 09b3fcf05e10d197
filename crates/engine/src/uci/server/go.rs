//! What `go` asks for.

use plysmith_core::search::deepening::Limit;
use thiserror::Error;

use crate::timed_search::{SideClock, TimeBudget, TimeReserve};

/// The limits of one search, as `go` names them.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct GoLimits {
    nodes: Option<u64>,
    depth: Option<u32>,
    /// A win within so many moves is looked for.
    mate: Option<u32>,
    move_time: Option<u64>,
    clocks: Option<GoClocks>,
    infinite: bool,
    /// Whether the opponent is still thinking, and only `ponderhit` starts our clock.
    pub ponder: bool,
    /// The only moves to be searched; none stands for all.
    pub only: Vec<String>,
}

/// The clocks of both sides, as `go` names them. What is missing counts as zero, so that no time is lost by a guess.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
struct GoClocks {
    white: SideClock,
    black: SideClock,
    /// Moves to the next time control.
    moves_to_go: Option<u64>,
}

/// Why nothing is searched.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum GoError {
    /// A word that says nothing about a search.
    #[error(
        "'go' does not know '{0}'; expected any of {known} with a number, searchmoves with moves, ponder or infinite",
        known = NUMBERS.join(", ")
    )]
    Unknown(String),
    /// A word that wants a number, and has another word behind it or none.
    #[error("'{name}' wants a whole number, not '{value}'; expected something like 'go {name} 1000'")]
    Number {
        /// Which of them.
        name: String,
        /// What was read instead.
        value: String,
    },
}

const NUMBERS: [&str; 9] = ["nodes", "depth", "mate", "movetime", "wtime", "btime", "winc", "binc", "movestogo"];
const OTHERS: [&str; 3] = ["infinite", "ponder", "searchmoves"];

impl GoLimits {
    /// Reads what stands behind `go`.
    pub fn parse(words: &[&str]) -> Result<GoLimits, GoError> {
        let mut limits = GoLimits::default();
        let mut words = words.iter().copied().peekable();
        while let Some(name) = words.next() {
            match name {
                "infinite" => limits.infinite = true,
                "ponder" => limits.ponder = true,
                "searchmoves" => {
                    let is_move = |word: &&str| !NUMBERS.contains(word) && !OTHERS.contains(word);
                    limits.only.extend(std::iter::from_fn(|| words.next_if(is_move)).map(str::to_string));
                }
                _ if NUMBERS.contains(&name) => {
                    let value = words.next().unwrap_or_default();
                    limits
                        .set(name, value)
                        .ok_or_else(|| GoError::Number { name: name.to_string(), value: value.to_string() })?;
                }
                _ => return Err(GoError::Unknown(name.to_string())),
            }
        }
        Ok(limits)
    }

    /// What ends the search, but for time.
    pub fn limit(&self) -> Limit {
        let nodes = self.nodes.unwrap_or(u64::MAX);
        // The winner's last move is a ply less than twice the moves.
        let win = self.mate.map_or(u32::MAX, |moves| moves.max(1).saturating_mul(2) - 1);
        Limit { nodes, depth: self.depth.unwrap_or(Limit::DEEPEST), win }
    }

    /// A mate within so many moves is asked for, and nodes may be limited.
    pub fn mate(&self) -> Option<(u32, u64)> {
        Some((self.mate?.max(1), self.nodes.unwrap_or(u64::MAX)))
    }

    /// The time for this move, if time is limited.
    pub fn budget(&self, white_to_move: bool, reserve: TimeReserve) -> Option<TimeBudget> {
        let side = |clocks: GoClocks| if white_to_move { clocks.white } else { clocks.black };
        let share = self.clocks.map(|clocks| side(clocks).budget(clocks.moves_to_go, reserve));
        let exact = self.move_time.map(|time| TimeBudget::exactly(time, reserve.overhead));
        share.into_iter().chain(exact).reduce(TimeBudget::and)
    }

    /// Whether only `stop` ends it: `go infinite`, and `go` without any limit.
    pub fn is_endless(&self) -> bool {
        let GoLimits { nodes, depth, mate, move_time, clocks, infinite, .. } = self;
        *infinite || nodes.is_none() && depth.is_none() && mate.is_none() && move_time.is_none() && clocks.is_none()
    }

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "nodes" => self.nodes = Some(value.parse().ok()?),
            "depth" => self.depth = Some(value.parse().ok()?),
            "mate" => self.mate = Some(value.parse().ok()?),
            "movetime" => self.move_time = Some(milliseconds(value)?),
            _ => {
                let (clocks, number) = (self.clocks.get_or_insert_default(), milliseconds(value)?);
                match name {
                    "wtime" => clocks.white.time = number,
                    "btime" => clocks.black.time = number,
                    "winc" => clocks.white.increment = number,
                    "binc" => clocks.black.increment = number,
                    _ => clocks.moves_to_go = Some(number),
                }
            }
        }
        Some(())
    }
}

/// Times below zero are sent when a flag has fallen already: then there is none left.
fn milliseconds(text: &str) -> Option<u64> {
    text.parse::<i64>().ok().map(|number| number.max(0) as u64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plysmith_core::search::deepening::Limit;

    use super::{GoLimits, TimeBudget, TimeReserve};

    fn parse(text: &str) -> GoLimits {
        GoLimits::parse(&text.split_whitespace().collect::<Vec<_>>()).unwrap()
    }

    fn budget(text: &str, white_to_move: bool) -> Option<TimeBudget> {
        parse(text).budget(white_to_move, TimeReserve { overhead: 10, lag: 0 })
    }

    #[test]
    fn each_side_has_its_own_clock_and_the_smallest_time_counts() {
        let hard = |text, white| budget(text, white).unwrap().hard.as_millis();
        assert_eq!((hard("wtime 60110 btime 10110", true), hard("wtime 60110 btime 10110", false)), (7200, 1200));
        assert_eq!(hard("movetime 70 wtime 60050", true), 60);
        assert_eq!(hard("movetime 70000 wtime 60110", true), 7200);
        assert_eq!(budget("nodes 5 depth 3", true), None);
        for nothing in ["wtime 10", "wtime -500", "btime 60000", "movestogo 3", "winc 9223372036854775807"] {
            let none = budget(nothing, true);
            assert_eq!(none.unwrap().hard, Duration::ZERO, "{nothing}");
            assert_eq!(none.unwrap().node_limit(parse(nothing).limit().nodes), 500);
        }
    }

    #[test]
    fn only_infinite_and_nothing_are_endless() {
        for text in ["", "infinite", "infinite depth 2", "searchmoves a2a3", "ponder"] {
            assert!(parse(text).is_endless(), "{text}");
        }
        for text in ["depth 2", "mate 3", "wtime 5", "searchmoves a2a3 nodes 5", "movetime 7"] {
            assert!(!parse(text).is_endless(), "{text}");
        }
    }

    #[test]
    fn moves_to_search_end_at_the_next_limit() {
        let limits = parse("depth 3 searchmoves e2e4 d2d4 ponder nodes 70 searchmoves a2a3");
        assert_eq!(limits.only, ["e2e4", "d2d4", "a2a3"]);
        assert!(limits.ponder);
        assert_eq!(limits.limit(), Limit { nodes: 70, depth: 3, win: u32::MAX });
        assert_eq!(parse("searchmoves").only, [""; 0]);
    }

    #[test]
    fn a_mate_in_moves_is_a_win_in_plies() {
        let win = |text| parse(text).limit().win;
        assert_eq!([win("mate 1"), win("mate 3"), win("mate 0"), win("mate 4294967295")], [1, 5, 1, u32::MAX - 1]);
    }

    #[test]
    fn errors_name_the_word_and_what_to_write() {
        let error = |words: &[&str]| GoLimits::parse(words).unwrap_err().to_string();
        assert!(error(&["fast"]).starts_with("'go' does not know 'fast'; expected any of nodes, depth"));
        assert!(error(&["nodes"]).contains("'nodes' wants a whole number, not ''"));
        assert!(error(&["nodes", "-1"]).contains("not '-1'"));
        assert!(error(&["depth", "4294967296"]).contains("go depth 1000"));
    }
}
