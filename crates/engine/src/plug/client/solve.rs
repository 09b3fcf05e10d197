//! One question, `gountil` or `gosolve`, to its answer `nodes FLAG COUNT`, under a watchdog.
//!
//! The paper's engine says nothing until it is done, and how long that takes is its own affair. So silence is measured by
//! the engine's own speed: what is allowed is a multiple of the time that the limit should take, and the first search of
//! a process is a short one that shows the speed. An engine that says `progress COUNT` now and then is known to be alive.

use std::time::{Duration, Instant};

use plysmith_core::problem::{Criterion, Problem};
use plysmith_core::search::deepening::Interrupt;

use super::{PlugEngine, refusal};
use crate::process::{EngineError, EngineLine, ExpectedSearch, Fault, POLL_INTERVAL, Watchdog, most_nodes};

/// What is to be found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolveGoal {
    /// This move: the paper's question.
    Move(String),
    /// Any of several moves, none of some, or with a proof: the extension's question, as its words after the limit.
    Solve(String),
}

/// What came of a question.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SolveResult {
    /// Whether it agreed with the goal.
    pub solved: bool,
    /// How many nodes that took.
    pub count: u64,
    /// The deepest finished iteration, if it says so.
    pub depth: u32,
    /// The longest line, if it says so.
    pub height: u32,
    /// Moves made, if it says so.
    pub moves: u64,
    /// How often each feature of the scheme fired, if it says so.
    pub fired: Vec<u64>,
}

/// Nodes a second that are assumed until the speed of an engine is known.
const SLOWEST: f64 = 1000.0;
/// A count that shows how fast an engine is.
const TELLING: u64 = 200;

impl SolveGoal {
    /// The question that this problem asks.
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
    /// Asks for a goal within so many nodes, in the position that was set up. Nothing if it was interrupted: then the
    /// engine may still be searching, and is to be dropped.
    pub fn solve(
        &mut self,
        goal: &SolveGoal,
        nodes: u64,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<SolveResult>, EngineError> {
        let begun = Instant::now();
        self.process.send(&goal.line(nodes))?;
        let mut watchdog = Watchdog::new(begun);
        loop {
            if interrupt() {
                return Ok(None);
            }
            let expected = ExpectedSearch { nodes, speed: self.speed.unwrap_or(SLOWEST) };
            if watchdog.is_silent(self.timeouts.silence, Some(expected)) {
                return Err(self.process.silent(watchdog.silence()));
            }
            let Some(EngineLine { at, text }) = self.process.receive(Instant::now() + POLL_INTERVAL)? else { continue };
            let words: Vec<&str> = text.split_whitespace().collect();
            match words[..] {
                ["nodes", ..] => {
                    let garbage = |reason| Fault::Garbage { line: text.clone(), reason };
                    let solution = parse(&words, nodes).map_err(|reason| self.process.error(garbage(reason)))?;
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
                        return Err(self.process.error(Fault::Garbage { line: text, reason }));
                    }
                    if watchdog.progress(count, 0, at) {
                        self.note_speed(count, at.saturating_duration_since(begun));
                    }
                }
                // Chatter; it does not show that the search goes on.
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

/// `nodes FLAG COUNT`, and behind it what else the engine tells.
fn parse(words: &[&str], limit: u64) -> Result<SolveResult, String> {
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
            // What a later version may tell.
            _ => {}
        }
    }
    Ok(solution)
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Result<T, String> {
    let word = word.unwrap_or("");
    word.parse().map_err(|_| format!("'{word}' is no number that makes sense there"))
}

#[cfg(test)]
mod tests {
    use plysmith_core::problem::{Criterion, Problem};

    use super::{SolveGoal, SolveResult, parse};

    fn read(line: &str) -> Result<SolveResult, String> {
        parse(&line.split_whitespace().collect::<Vec<_>>(), 1000)
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
