//! The limits of a `go` command.

use plysmith_core::search::Limit;
use thiserror::Error;

use crate::timed_search::{SideClock, TimeBudget, TimeReserve};

/// The limits of one search.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct GoLimits {
    nodes: Option<u64>,
    depth: Option<u32>,
    /// Search for a mate within this number of moves.
    mate: Option<u32>,
    move_time: Option<u64>,
    clocks: Option<GoClocks>,
    infinite: bool,
    /// Whether only `ponderhit` starts the clock.
    pub ponder: bool,
    /// The root moves to search; empty for all.
    pub only: Vec<String>,
}

/// The clocks of both sides. A missing time counts as zero, so that no time is lost by a guess.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
struct GoClocks {
    white: SideClock,
    black: SideClock,
    /// Moves to the next time control.
    moves_to_go: Option<u64>,
}

/// A part of a `go` command that is ignored.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum GoNote {
    /// An unknown word.
    #[error(
        "'go' does not know '{0}', which is ignored; expected any of {known} with a number, searchmoves with moves, \
         ponder or infinite",
        known = NUMBERS.join(", ")
    )]
    Unknown(String),
    /// A word without the number that belongs to it.
    #[error("'{name}' needs a number, not '{value}', and is ignored; expected something like 'go {name} 1000'")]
    Number {
        /// The word.
        name: String,
        /// What was read instead.
        value: String,
    },
    /// Nothing that can be read limits the search.
    #[error("no limit can be read; {FEW} nodes are searched")]
    NoLimit,
}

/// Nodes of a search whose limits cannot be read. Without any limit, it would not answer.
const FEW: u64 = 10_000;
const NUMBERS: [&str; 9] = ["nodes", "depth", "mate", "movetime", "wtime", "btime", "winc", "binc", "movestogo"];
const OTHERS: [&str; 3] = ["infinite", "ponder", "searchmoves"];

impl GoLimits {
    /// Reads what follows `go`. What cannot be read is ignored, as UCI asks, and noted.
    pub fn parse(words: &[&str]) -> (GoLimits, Vec<GoNote>) {
        let (mut limits, mut notes) = (GoLimits::default(), Vec::new());
        let mut words = words.iter().copied().peekable();
        let is_other = |word: &&str| !NUMBERS.contains(word) && !OTHERS.contains(word);
        while let Some(name) = words.next() {
            match name {
                "infinite" => limits.infinite = true,
                "ponder" => limits.ponder = true,
                "searchmoves" => {
                    limits.only.extend(std::iter::from_fn(|| words.next_if(is_other)).map(str::to_string));
                }
                _ if NUMBERS.contains(&name) => {
                    let value = words.next_if(is_other).unwrap_or_default();
                    match number(value) {
                        Some(number) => limits.set(name, number),
                        None => notes.push(GoNote::Number { name: name.to_string(), value: value.to_string() }),
                    }
                }
                _ => notes.push(GoNote::Unknown(name.to_string())),
            }
        }
        let is_unreadable = notes.iter().any(|note| matches!(note, GoNote::Number { .. }));
        if is_unreadable && limits.is_endless() && !limits.infinite {
            limits.nodes = Some(FEW);
            notes.push(GoNote::NoLimit);
        }
        (limits, notes)
    }

    /// The limits other than time.
    pub fn limit(&self) -> Limit {
        let nodes = self.nodes.unwrap_or(u64::MAX);
        // The winner's last move is a ply less than twice the moves.
        let win = self.mate.map_or(u32::MAX, |moves| moves.max(1).saturating_mul(2) - 1);
        Limit { nodes, depth: self.depth.unwrap_or(Limit::DEEPEST), win }
    }

    /// The moves of `go mate`, and its node limit if it has one; none for other searches.
    pub fn mate(&self) -> Option<(u32, Option<u64>)> {
        Some((self.mate?.max(1), self.nodes))
    }

    /// The time for this move, if it is limited.
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

    fn set(&mut self, name: &str, number: u64) {
        let small = u32::try_from(number).unwrap_or(u32::MAX);
        match name {
            "nodes" => self.nodes = Some(number),
            "depth" => self.depth = Some(small),
            "mate" => self.mate = Some(small),
            "movetime" => self.move_time = Some(number),
            _ => {
                let clocks = self.clocks.get_or_insert_default();
                match name {
                    "wtime" => clocks.white.time = number,
                    "btime" => clocks.black.time = number,
                    "winc" => clocks.white.increment = number,
                    "binc" => clocks.black.increment = number,
                    _ => clocks.moves_to_go = Some(number),
                }
            }
        }
    }
}

/// The number that is nearest to a text. Negative times are sent when the flag has fallen: then nothing is left. Some
/// programs send decimals.
fn number(text: &str) -> Option<u64> {
    const MOST: u64 = i64::MAX as u64;
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
    let number: f64 = text.parse().ok().filter(|_| is_number)?;
    // Whole numbers must not lose digits on the way through a float, which is rounded towards zero and saturates.
    Some(text.parse().unwrap_or(number as u64).min(MOST))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plysmith_core::search::Limit;

    use super::{GoLimits, TimeBudget, TimeReserve};

    fn parse(text: &str) -> GoLimits {
        GoLimits::parse(&text.split_whitespace().collect::<Vec<_>>()).0
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
    fn what_cannot_be_read_is_ignored_and_noted() {
        let notes = |text: &str| {
            let (limits, notes) = GoLimits::parse(&text.split_whitespace().collect::<Vec<_>>());
            (limits, notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        };
        for (text, same, note) in [
            ("fast nodes 70", "nodes 70", "'go' does not know 'fast', which is ignored; expected any of nodes, depth"),
            ("nodes 70 perft depth 3 x y", "nodes 70 depth 3", "'y'"),
            ("searchmoves e2e4 nodes 5 quickly", "searchmoves e2e4 nodes 5", "'quickly'"),
            ("depth nodes 70", "nodes 70", "'depth' needs a number, not '', and is ignored"),
            ("depth x nodes 70 wtime", "nodes 70", "'wtime' needs a number"),
            ("movetime inf depth 2 nodes NaN", "depth 2", "not 'inf'"),
            ("infinite nodes", "infinite", "'nodes' needs"),
            ("fast", "", "'fast'"),
            // Never an endless search where a limit was meant.
            ("nodes many", "nodes 10000", "no limit can be read; 10000 nodes are searched"),
            ("ponder depth", "ponder nodes 10000", "no limit can be read"),
            ("searchmoves a2a3 mate x", "searchmoves a2a3 nodes 10000", "no limit can be read"),
        ] {
            let (limits, said) = notes(text);
            assert_eq!(limits, parse(same), "{text}");
            assert!(said.contains(note), "{text}: {said}");
            assert_eq!(notes(same).1, "");
        }
        for (text, same) in [
            ("nodes -1", "nodes 0"),
            ("depth -3", "depth 0"),
            ("movetime 12.9", "movetime 12"),
            ("wtime +5000", "wtime 5000"),
            ("depth 4294967296", "depth 4294967295"),
            ("nodes 99999999999999999999", "nodes 9223372036854775807"),
            ("nodes 18014398509481985", "nodes 18014398509481985"),
        ] {
            assert_eq!(notes(text), (parse(same), String::new()), "{text}");
        }
    }
}
