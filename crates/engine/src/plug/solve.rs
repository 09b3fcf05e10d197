//! One question, `gountil` or `gosolve`, to its answer `nodes FLAG COUNT`, under a watchdog.
//!
//! The paper's engine says nothing until it is done, and how long that takes is its own affair. So silence is measured by
//! the engine's own speed: what is allowed is a multiple of the time that the limit should take, and the first search of
//! a process is a short one that shows the speed. An engine that says `progress COUNT` now and then is known to be alive.

use std::time::{Duration, Instant};

use plysmith_core::problem::{Criterion, Problem};
use plysmith_core::search::deepening::Interrupt;

use super::{Plug, refusal};
use crate::process::{EngineError, Fault, Heard};

/// What is to be found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// This move: the paper's question.
    Move(String),
    /// Any of several moves, none of some, or with a proof: the extension's question, as its words after the limit.
    Solve(String),
}

/// What came of a question.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Solution {
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

/// How often the interrupt is asked.
const LOOK: Duration = Duration::from_millis(25);
/// Silence that is explained by the limit: so many times as long as the nodes should take.
const SLOWER: f64 = 10.0;
/// Nodes a second of the slowest engine we think of, until its speed is known.
const SLOWEST: f64 = 1000.0;
/// A count that shows how fast an engine is.
const TELLING: u64 = 200;

impl Goal {
    /// The question that this problem asks.
    pub fn of(problem: &Problem) -> Goal {
        let Problem { best, avoid, criterion, .. } = problem;
        if let ([m], [], Criterion::BestMove) = (&best[..], &avoid[..], criterion) {
            return Goal::Move(m.clone());
        }
        let list = |word: &str, moves: &[String]| match moves {
            [] => String::new(),
            moves => format!(" {word} {}", moves.join(" ")),
        };
        let proven = if *criterion == Criterion::Proven { " proven" } else { "" };
        Goal::Solve(format!("{}{}{proven}", list("best", best), list("avoid", avoid)))
    }

    fn line(&self, nodes: u64) -> String {
        match self {
            Goal::Move(m) => format!("gountil {m} {nodes}"),
            Goal::Solve(words) => format!("gosolve {nodes}{words}"),
        }
    }
}

impl Plug {
    /// Asks for a goal within so many nodes, in the position that was set up. Nothing if it was interrupted: then the
    /// engine may still be searching, and is to be dropped.
    pub fn solve(
        &mut self,
        goal: &Goal,
        nodes: u64,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<Solution>, EngineError> {
        let begun = Instant::now();
        self.process.send(&goal.line(nodes))?;
        let (mut last_word, mut progress) = (begun, 0);
        loop {
            if interrupt() {
                return Ok(None);
            }
            if last_word.elapsed() > self.allowed_silence(nodes) {
                return Err(self.silent(last_word.elapsed()));
            }
            let Some(Heard { at, text }) = self.process.receive(Instant::now() + LOOK)? else { continue };
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
                    if is_far_beyond(count, nodes) {
                        let reason = format!("{nodes} nodes were allowed");
                        return Err(self.process.error(Fault::Garbage { line: text, reason }));
                    }
                    if count > progress {
                        (progress, last_word) = (count, at);
                        self.note_speed(progress, at.saturating_duration_since(begun));
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

    fn allowed_silence(&self, nodes: u64) -> Duration {
        let seconds = nodes as f64 / self.speed.unwrap_or(SLOWEST) * SLOWER;
        self.patience.silence.saturating_add(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }
}

/// Beyond twice the limit and this, a count is no overshoot any more.
const OVERSHOOT: u64 = 200_000;

fn is_far_beyond(count: u64, limit: u64) -> bool {
    count > limit.saturating_mul(2).saturating_add(OVERSHOOT)
}

/// `nodes FLAG COUNT`, and behind it what else the engine tells.
fn parse(words: &[&str], limit: u64) -> Result<Solution, String> {
    let expected = "expected 'nodes FLAG COUNT' with the flag 1 if it was solved and 0 if not";
    let mut words = words.iter().skip(1).copied().peekable();
    let solved = match words.next() {
        Some("1") => true,
        Some("0") => false,
        _ => return Err(expected.to_string()),
    };
    let count: u64 = words.next().and_then(|word| word.parse().ok()).ok_or(expected)?;
    if is_far_beyond(count, limit) {
        return Err(format!("{limit} nodes were allowed"));
    }
    let mut solution = Solution { solved, count, ..Solution::default() };
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

    use super::{Goal, Solution, parse};

    fn read(line: &str) -> Result<Solution, String> {
        parse(&line.split_whitespace().collect::<Vec<_>>(), 1000)
    }

    #[test]
    fn answers_are_read_with_what_else_they_tell() {
        assert_eq!(read("nodes 1 17"), Ok(Solution { solved: true, count: 17, ..Solution::default() }));
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
        let line = |best: &[&str], avoid: &[&str], criterion| Goal::of(&problem(best, avoid, criterion)).line(500);
        assert_eq!(line(&["a"], &[], Criterion::BestMove), "gountil a 500");
        assert_eq!(line(&["a"], &[], Criterion::Proven), "gosolve 500 best a proven");
        assert_eq!(line(&["a", "b"], &[], Criterion::BestMove), "gosolve 500 best a b");
        assert_eq!(line(&[], &["c"], Criterion::BestMove), "gosolve 500 avoid c");
        assert_eq!(line(&["a"], &["c"], Criterion::BestMove), "gosolve 500 best a avoid c");
        assert_eq!(line(&[], &[], Criterion::Proven), "gosolve 500 proven");
    }
}
