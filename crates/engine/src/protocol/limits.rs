//! What `go` asks for, and how much of a clock a move may take.

use std::time::Duration;

use plysmith_core::search::deepening::Limit;
use thiserror::Error;

/// The limits of one search, as `go` names them.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub struct Limits {
    nodes: Option<u64>,
    depth: Option<u32>,
    move_time: Option<u64>,
    infinite: bool,
    clock: Option<Clock>,
}

/// Why nothing is searched.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum GoError {
    /// A word that says nothing about a search.
    #[error("'go' does not know '{0}'; expected any of {known} with a number, or infinite", known = NUMBERS.join(", "))]
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

/// What a move may take of a clock with so much left.
pub fn share_of_clock(left: Duration, increment: Duration, moves_to_go: Option<u32>) -> Duration {
    let white = Remaining { time: left.as_millis() as u64, increment: increment.as_millis() as u64 };
    let clock = Clock { white, moves_to_go: moves_to_go.map(u64::from), ..Clock::default() };
    Duration::from_millis(clock.share(true))
}

/// Both sides' clocks in milliseconds. What is not told counts as nothing, so that no time is lost by a guess.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
struct Clock {
    white: Remaining,
    black: Remaining,
    moves_to_go: Option<u64>,
}

#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
struct Remaining {
    time: u64,
    increment: u64,
}

const NUMBERS: [&str; 8] = ["nodes", "depth", "movetime", "wtime", "btime", "winc", "binc", "movestogo"];

/// Milliseconds of every clock that are left for the way of a move to the clock and back.
const MARGIN: u64 = 50;
/// How many moves a game may still last if nobody says.
const MOVES_TO_GO: u64 = 25;

impl Limits {
    /// Reads what stands behind `go`.
    pub fn parse(words: &[&str]) -> Result<Limits, GoError> {
        let mut limits = Limits::default();
        let mut words = words.iter();
        while let Some(&name) = words.next() {
            if name == "infinite" {
                limits.infinite = true;
            } else if NUMBERS.contains(&name) {
                let value = words.next().copied().unwrap_or_default();
                limits
                    .set(name, value)
                    .ok_or_else(|| GoError::Number { name: name.to_string(), value: value.to_string() })?;
            } else {
                return Err(GoError::Unknown(name.to_string()));
            }
        }
        Ok(limits)
    }

    /// Nodes and depth.
    pub fn limit(&self) -> Limit {
        Limit { depth: self.depth.unwrap_or(Limit::DEEPEST), ..Limit::nodes(self.nodes.unwrap_or(u64::MAX)) }
    }

    /// The time for this move, if time is limited.
    pub fn time(&self, white_to_move: bool) -> Option<Duration> {
        let share = self.clock.map(|clock| clock.share(white_to_move));
        let milliseconds = self.move_time.into_iter().chain(share).min()?;
        Some(Duration::from_millis(milliseconds))
    }

    /// Whether only `stop` ends it: `go infinite`, and `go` without any limit.
    pub fn is_endless(&self) -> bool {
        self.infinite || *self == Limits::default()
    }

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "nodes" => self.nodes = Some(value.parse().ok()?),
            "depth" => self.depth = Some(value.parse().ok()?),
            "movetime" => self.move_time = Some(milliseconds(value)?),
            _ => self.clock.get_or_insert_default().set(name, milliseconds(value)?),
        }
        Some(())
    }
}

impl Clock {
    fn set(&mut self, name: &str, number: u64) {
        match name {
            "wtime" => self.white.time = number,
            "btime" => self.black.time = number,
            "winc" => self.white.increment = number,
            "binc" => self.black.increment = number,
            _ => self.moves_to_go = Some(number),
        }
    }

    /// An even share of what is left and most of the increment; never more than four fifths of it all.
    fn share(&self, white_to_move: bool) -> u64 {
        let Remaining { time, increment } = if white_to_move { self.white } else { self.black };
        let usable = time.saturating_sub(MARGIN);
        let moves = self.moves_to_go.filter(|&moves| moves > 0).unwrap_or(MOVES_TO_GO);
        let wanted = (usable / moves).saturating_add(increment / 4 * 3);
        wanted.min(usable / 5 * 4)
    }
}

/// Times below zero are sent when a flag has fallen already: then there is none left.
fn milliseconds(text: &str) -> Option<u64> {
    text.parse::<i64>().ok().map(|number| number.max(0) as u64)
}

#[cfg(test)]
mod tests {
    use super::Limits;

    fn parse(text: &str) -> Limits {
        Limits::parse(&text.split_whitespace().collect::<Vec<_>>()).unwrap()
    }

    fn share(text: &str, white_to_move: bool) -> u64 {
        parse(text).time(white_to_move).unwrap().as_millis() as u64
    }

    #[test]
    fn a_share_of_the_clock_never_loses_on_time() {
        assert_eq!(share("wtime 60050 btime 10050", true), 2400);
        assert_eq!(share("wtime 60050 btime 10050", false), 400);
        assert_eq!(share("wtime 60050 winc 1000", true), 3150);
        assert_eq!(share("wtime 10050 movestogo 1", true), 8000);
        assert_eq!(share("wtime 100 winc 10000", true), 40, "the increment comes after the move");
        for nothing in ["wtime 10", "wtime -500", "btime 60000", "movestogo 3", "winc 9223372036854775807"] {
            assert_eq!(share(nothing, true), 0, "{nothing}");
        }
        for left in 0..3000_u64 {
            for more in ["", " movestogo 1", " movestogo 0", " winc 5000", " winc 70 movestogo 2"] {
                assert!(share(&format!("wtime {left}{more}"), true) <= left.saturating_sub(50));
            }
        }
    }

    #[test]
    fn the_smallest_time_counts() {
        assert_eq!(share("movetime 70 wtime 60050", true), 70);
        assert_eq!(share("movetime 7000 wtime 60050", true), 2400);
        assert_eq!(parse("nodes 5 depth 3").time(true), None);
    }

    #[test]
    fn only_infinite_and_nothing_are_endless() {
        for (text, endless) in [("", true), ("infinite", true), ("infinite depth 2", true), ("depth 2", false)] {
            assert_eq!(parse(text).is_endless(), endless, "{text}");
        }
    }

    #[test]
    fn errors_name_the_word_and_what_to_write() {
        let error = |words: &[&str]| Limits::parse(words).unwrap_err().to_string();
        assert!(error(&["ponder"]).starts_with("'go' does not know 'ponder'; expected any of nodes, depth"));
        assert!(error(&["nodes"]).contains("'nodes' wants a whole number, not ''"));
        assert!(error(&["nodes", "-1"]).contains("not '-1'"));
        assert!(error(&["depth", "4294967296"]).contains("go depth 1000"));
    }
}
