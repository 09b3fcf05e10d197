//! One question, `gountil` or `gosolve`, to its answer `nodes FLAG COUNT`, under a watchdog.
//!
//! The paper's engine is silent until it is done. So a slow engine gets more time, and the first search of a process is a
//! short one that measures its speed ([`Watchdog`]). An engine that writes `progress COUNT` now and then shows that it
//! makes progress.
//!
//! Every number of an answer is checked: an impossible one is a fault, and not a result.

use std::time::{Duration, Instant};

use plysmith_core::problem::{Criterion, Problem};
use plysmith_core::search::Interrupt;

use super::{PlugEngine, refusal};
use crate::process::{
    EngineError, EngineLine, Fault, MOST_DEPTH, OutputBound, POLL_INTERVAL, Patience, Watchdog, most_nodes,
};

/// What a search has to find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolveGoal {
    /// This move: the paper's `gountil`.
    Move(String),
    /// One of several moves, none of some moves, or a proof: the words after the limit of `gosolve`.
    Solve(String),
}

/// The answer `nodes FLAG COUNT …`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SolveResult {
    /// Whether it agreed with the goal.
    pub solved: bool,
    /// The nodes searched.
    pub count: u64,
    /// The deepest finished iteration, if reported.
    pub depth: u32,
    /// The longest line in plies, if reported.
    pub height: u32,
    /// Moves made, if reported.
    pub moves: u64,
    /// How often each feature of the scheme fired, if reported.
    pub fired: Vec<u64>,
}

/// The most features of a scheme.
const MOST_FEATURES: usize = 256;
/// Counts from here on are enough to measure the speed.
const TELLING: u64 = 200;

impl SolveGoal {
    /// The goal of a problem.
    pub fn of(problem: &Problem) -> SolveGoal {
        let Problem { best, avoid, criterion, .. } = problem;
        if let ([m], [], Criterion::BestMove) = (&best[..], &avoid[..], criterion) {
            return SolveGoal::Move(m.clone());
        }
        let list = |word: &str, moves: &[String]| match moves {
            [] => String::new(),
            moves => format!(" {word} {}", moves.join(" ")),
        };
        let proven = if *criterion == Criterion::Proven { " proven" } else { "" };
        SolveGoal::Solve(format!("{}{}{proven}", list("best", best), list("avoid", avoid)))
    }

    fn line(&self, nodes: u64) -> String {
        match self {
            SolveGoal::Move(m) => format!("gountil {m} {nodes}"),
            SolveGoal::Solve(words) => format!("gosolve {nodes}{words}"),
        }
    }
}

impl PlugEngine {
    /// Searches the position that was set up for a goal within a node limit. None if it was interrupted: then the engine
    /// may still be searching, and the caller drops it.
    pub fn solve(
        &mut self,
        goal: &SolveGoal,
        nodes: u64,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<SolveResult>, EngineError> {
        let begun = Instant::now();
        self.process.begin_phase(OutputBound::search("in one search"));
        self.process.send(&goal.line(nodes))?;
        let mut watchdog = Watchdog::new(begun, Some(nodes), Patience(self.timeouts.silence));
        loop {
            if interrupt() {
                return Ok(None);
            }
            watchdog.look(Instant::now());
            if let Some(progress) = watchdog.stall(self.speed) {
                return Err(self.process.error(Fault::Stalled { progress }));
            }
            let Some(EngineLine { at, text }) = self.process.receive(Instant::now() + POLL_INTERVAL)? else { continue };
            let words: Vec<&str> = text.split_whitespace().collect();
            match words[..] {
                ["nodes", ..] => {
                    let garbage = |reason| Fault::InvalidAnswer { line: text.clone(), reason };
                    let solution =
                        parse(&words, nodes, self.adds_up).map_err(|reason| self.process.error(garbage(reason)))?;
                    self.note_speed(solution.count, at.saturating_duration_since(begun));
                    return Ok(Some(solution));
                }
                ["error" | "error:", ..] => {
                    let reason = refusal(&text).unwrap_or_default();
                    return Err(self.process.error(Fault::Refused { reason }));
                }
                ["progress", count] => {
                    let count = count.parse().unwrap_or(0);
                    if count > most_nodes(nodes) {
                        let reason = format!("{nodes} nodes were allowed");
                        return Err(self.process.error(Fault::InvalidAnswer { line: text, reason }));
                    }
                    watchdog.note(count, 0, at);
                }
                // Other lines are no progress.
                _ => {}
            }
        }
    }

    /// Whether its speed is known.
    pub fn has_speed(&self) -> bool {
        self.speed.is_some()
    }

    fn note_speed(&mut self, count: u64, time: Duration) {
        if count >= TELLING {
            self.speed = Some(count as f64 / time.as_secs_f64().max(1e-6));
        }
    }
}

/// Reads `nodes FLAG COUNT` and optional fields.
fn parse(words: &[&str], limit: u64, adds_up: bool) -> Result<SolveResult, String> {
    let expected = "expected 'nodes FLAG COUNT' with the flag 1 if it was solved and 0 if not";
    let mut words = words.iter().skip(1).copied().peekable();
    let solved = match words.next() {
        Some("1") => true,
        Some("0") => false,
        _ => return Err(expected.to_string()),
    };
    let count: u64 = words.next().and_then(|word| word.parse().ok()).ok_or(expected)?;
    if count > most_nodes(limit) {
        return Err(format!("{limit} nodes were allowed"));
    }
    if solved && count == 0 {
        return Err("a solution takes at least one node".to_string());
    }
    let mut solution = SolveResult { solved, count, ..SolveResult::default() };
    while let Some(word) = words.next() {
        match word {
            "depth" => solution.depth = number(words.next())?,
            "height" => solution.height = number(words.next())?,
            "moves" => solution.moves = number(words.next())?,
            "fired" => {
                while let Some(count) = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
                    solution.fired.push(number(Some(count))?);
                }
            }
            // Fields of a later version.
            _ => {}
        }
    }
    check(&solution, adds_up)?;
    Ok(solution)
}

/// Checks that the statistics are possible.
fn check(solution: &SolveResult, adds_up: bool) -> Result<(), String> {
    let SolveResult { count, depth, height, moves, fired, .. } = solution;
    for (what, plies) in [("depth", depth), ("height", height)] {
        if *plies > MOST_DEPTH {
            return Err(format!("a {what} of {plies} plies is impossible"));
        }
    }
    if moves > count {
        return Err(format!("{moves} moves cannot lead to {count} nodes; there are at least as many nodes as moves"));
    }
    if fired.len() > MOST_FEATURES {
        return Err(format!("{} features fired, where {MOST_FEATURES} are the most", fired.len()));
    }
    let decided = match adds_up {
        true => fired.iter().copied().max().unwrap_or(0),
        false => fired.iter().fold(0_u64, |sum, &fired| sum.saturating_add(fired)),
    };
    // The last move may have been decided and not made when the limit was reached.
    if decided > moves.saturating_add(1) {
        return Err(format!("features decided {decided} of {moves} moves"));
    }
    Ok(())
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Result<T, String> {
    let word = word.unwrap_or("");
    word.parse().map_err(|_| format!("'{word}' is not a valid number there"))
}

#[cfg(test)]
mod tests {
    use plysmith_core::problem::{Criterion, Problem};

    use super::{SolveGoal, SolveResult, parse};

    fn read(line: &str) -> Result<SolveResult, String> {
        parse(&line.split_whitespace().collect::<Vec<_>>(), 1000, false)
    }

    #[test]
    fn answers_are_read_with_what_else_they_tell() {
        assert_eq!(read("nodes 1 17"), Ok(SolveResult { solved: true, count: 17, ..SolveResult::default() }));
        let told = read("nodes 0 1000 depth 5 height 9 moves 995 fired 3 0 colour red").unwrap();
        assert_eq!((told.depth, told.height, told.moves, told.fired), (5, 9, 995, vec![3, 0]));
        for wrong in
            ["nodes", "nodes 1", "nodes 2 5", "nodes yes 5", "nodes 1 -5", "nodes 1 9999999", "nodes 1 5 depth x"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn impossible_numbers_are_refused() {
        for (line, part) in [
            ("nodes 1 0", "at least one node"),
            ("nodes 1 18446744073709551616", "expected 'nodes FLAG COUNT'"),
            ("nodes 0 999999999999", "1000 nodes were allowed"),
            ("nodes 1 9 depth 4000000000", "a depth of 4000000000 plies is impossible"),
            ("nodes 1 9 height 10001", "a height of 10001 plies is impossible"),
            ("nodes 1 9 height 99999999999", "'99999999999' is not a valid number"),
            ("nodes 1 9 moves 10", "10 moves cannot lead to 9 nodes"),
            ("nodes 1 9 moves 18446744073709551615", "cannot lead to 9 nodes"),
            ("nodes 1 9 fired 2", "features decided 2 of 0 moves"),
            ("nodes 1 9 moves 1 fired 18446744073709551615", "features decided 18446744073709551615 of 1 moves"),
            ("nodes 1 9 moves 9 fired 18446744073709551615 18446744073709551615", "of 9 moves"),
            ("nodes 1 9 moves 9 fired 6 5", "features decided 11 of 9 moves"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
        let many = format!("nodes 1 9 moves 9 fired{}", " 0".repeat(257));
        assert!(read(&many).unwrap_err().contains("257 features fired"));
        let adding = |line: &str| parse(&line.split_whitespace().collect::<Vec<_>>(), 1000, true);
        assert!(adding("nodes 1 9 moves 9 fired 6 5").is_ok() && adding("nodes 1 9 moves 9 fired 11 0").is_err());
        assert!(read("nodes 0 0").is_ok() && read("nodes 1 9 moves 9 fired 4 6").is_ok());
    }

    #[test]
    fn the_papers_question_is_asked_where_it_can_be() {
        let problem = |best: &[&str], avoid: &[&str], criterion| Problem {
            position: "p".to_string(),
            best: best.iter().map(ToString::to_string).collect(),
            avoid: avoid.iter().map(ToString::to_string).collect(),
            id: "id".to_string(),
            criterion,
            distance: None,
        };
        let line = |best: &[&str], avoid: &[&str], criterion| SolveGoal::of(&problem(best, avoid, criterion)).line(500);
        assert_eq!(line(&["a"], &[], Criterion::BestMove), "gountil a 500");
        assert_eq!(line(&["a"], &[], Criterion::Proven), "gosolve 500 best a proven");
        assert_eq!(line(&["a", "b"], &[], Criterion::BestMove), "gosolve 500 best a b");
        assert_eq!(line(&[], &["c"], Criterion::BestMove), "gosolve 500 avoid c");
        assert_eq!(line(&["a"], &["c"], Criterion::BestMove), "gosolve 500 best a avoid c");
        assert_eq!(line(&[], &[], Criterion::Proven), "gosolve 500 proven");
    }
}
