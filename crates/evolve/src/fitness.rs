//! How good a program is (mate paper, section 4.3).
//!
//! The paper's fitness is the sum over problems of correctness · 2^N · boards. *Correctness* is 1 for the right move; for
//! the right piece on a wrong square 0.5 to the power of the distance in squares, for the right square by another piece
//! 0.1. Once the best programs solve more than three quarters of the problems, only the right move counts. *Boards* is the
//! nodes that a reference solver needs, divided by the program's; for N of three and less it counts only then, too.
//!
//! The plain alternative counts what we want of a solver: mates *proved*, weighted by 2^N, and how few boards that took, on
//! a scale of logarithms. A problem without a proof counts as if it had taken 65,536 budgets; a right move there is worth
//! little.
//!
//! Fitness is compared bit for bit, so it must be the same on every machine: logarithms are computed from whole numbers,
//! and the rest is arithmetic that IEEE 754 fixes.

use std::fmt;
use std::str::FromStr;

use cozy_chess::Square;
use plysmith_core::game::Game;
use plysmith_core::games::chess::{Move, Position};
use plysmith_core::problem::Problem;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::language::program::Program;
use crate::run::mate_search::MateSearch;

/// Which fitness.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The paper's.
    Paper,
    /// Proved mates, then boards.
    Plain,
}

/// How far a run has come.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Half-right moves count.
    Early,
    /// The best programs solve more than three quarters.
    Late,
}

/// A problem to measure programs on.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// Where the player is to move.
    pub position: Position,
    /// Mate in so many.
    pub moves: u8,
    /// The moves that do it.
    pub keys: Vec<Move>,
    /// Nodes that the reference solver needs.
    pub reference: u64,
    /// Boards that a program may reach.
    pub budget: u64,
}

/// What came of a program on a case.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "(u8, u16, u64)", into = "(u8, u16, u64)")]
pub struct Try {
    /// Whether it proved the mate in time.
    pub is_proved: bool,
    /// How right its move is, in thousandths.
    pub correctness: u16,
    /// Boards it reached.
    pub nodes: u64,
}

/// A problem that no program can be measured on.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CaseError {
    /// It does not say how long the mate is.
    #[error("problem '{0}' has no mate of known length; expected `dm N` or `distance PLIES` in its line")]
    NoMate(String),
    /// Nobody hunts for so long.
    #[error("problem '{0}' is a mate in more than {MOST_MOVES} moves")]
    TooLong(String),
    /// Its position or moves cannot be read.
    #[error("problem '{0}': {1}")]
    Unreadable(String, String),
}

/// The longest mate that is hunted for.
pub const MOST_MOVES: u8 = 60;
/// More than so many of a hundred problems solved by the best, and the late stage begins.
pub const LATE: usize = 75;
/// In the early stage the boards of longer mates count.
const SHORT: u8 = 3;
/// A problem without a proof counts as if it had taken so many times the budget, as a power of two. With more, programs that
/// miss nothing win, however slow; with less, those that dare.
const PENALTY: f64 = 16.0;

impl Case {
    /// A problem as a case; reference and budget are still to come.
    pub fn new(problem: &Problem) -> Result<Case, CaseError> {
        let id = problem.id.clone();
        let plies = problem.distance.ok_or_else(|| CaseError::NoMate(id.clone()))?;
        let moves = u8::try_from(plies.div_ceil(2)).ok().filter(|&moves| moves <= MOST_MOVES);
        let moves = moves.ok_or_else(|| CaseError::TooLong(id.clone()))?;
        let unreadable = |reason: String| CaseError::Unreadable(id.clone(), reason);
        let position = Position::parse(&problem.position).map_err(|error| unreadable(error.to_string()))?;
        let read = |text: &String| position.parse_move(text).map_err(|error| unreadable(error.to_string()));
        let keys = problem.best.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Case { id, position, moves, keys, reference: 0, budget: 0 })
    }

    /// Lets a program try.
    pub fn attempt(&self, program: &Program, interrupt: &(dyn Fn() -> bool + Sync)) -> Try {
        let search =
            MateSearch { program, moves: self.moves, budget: self.budget, keep: false, remember: true, interrupt };
        let found = search.run(self.position.board());
        let best = self.position.legal_moves().into_iter().find(|m| Some(m.for_cozy()) == found.best);
        // Where no key is named, what mates in time is right.
        let is_right = found.mate.is_some() && self.keys.is_empty();
        let correctness = if is_right { 1000 } else { best.map_or(0, |m| self.correctness(m)) };
        Try { is_proved: found.mate.is_some(), correctness, nodes: found.nodes }
    }

    /// How right a move is, in thousandths.
    fn correctness(&self, m: Move) -> u16 {
        let against = |key: &Move| match (*key == m, key.from == m.from, key.to == m.to) {
            (true, _, _) => 1000,
            (_, true, _) => 1000 >> distance(key.to, m.to).min(10),
            (_, _, true) => 100,
            _ => 0,
        };
        self.keys.iter().map(against).max().unwrap_or(0)
    }
}

impl Measure {
    /// The fitness of a program that did so on these cases. More is better.
    pub fn fitness(self, stage: Stage, results: &[(&Case, Try)]) -> f64 {
        results.iter().map(|(case, result)| self.term(stage, case, *result)).sum()
    }

    fn term(self, stage: Stage, case: &Case, result: Try) -> f64 {
        let weight = f64::from(1u32 << case.moves.min(30));
        match self {
            Measure::Paper => {
                let correctness = match stage {
                    Stage::Early => f64::from(result.correctness) / 1000.0,
                    Stage::Late => f64::from(u8::from(result.correctness == 1000)),
                };
                let is_counted = stage == Stage::Late || case.moves > SHORT;
                let boards = if is_counted { case.reference as f64 / result.nodes.max(1) as f64 } else { 1.0 };
                correctness * weight * boards
            }
            Measure::Plain if result.is_proved => {
                let worst = logarithm(case.budget) + PENALTY;
                weight * (worst - logarithm(result.nodes)) / worst
            }
            Measure::Plain => weight * f64::from(result.correctness) / 10_000.0,
        }
    }
}

/// The logarithm to base two, to 1/65,536: squares of the mantissa give one binary digit after the other.
fn logarithm(number: u64) -> f64 {
    let number = number.max(1);
    let whole = number.ilog2();
    let mut mantissa = u128::from(number) << (63 - whole);
    let mut digits = whole;
    for _ in 0..16 {
        mantissa = (mantissa * mantissa) >> 63;
        let digit = u32::from(mantissa >> 64 == 1);
        mantissa >>= digit;
        digits = digits << 1 | digit;
    }
    f64::from(digits) / 65_536.0
}

/// How many king's steps two squares are apart.
fn distance(a: Square, b: Square) -> u32 {
    let apart = |a: usize, b: usize| a.abs_diff(b) as u32;
    apart(a.file() as usize, b.file() as usize).max(apart(a.rank() as usize, b.rank() as usize))
}

impl From<(u8, u16, u64)> for Try {
    fn from((is_proved, correctness, nodes): (u8, u16, u64)) -> Try {
        Try { is_proved: is_proved != 0, correctness, nodes }
    }
}

impl From<Try> for (u8, u16, u64) {
    fn from(result: Try) -> (u8, u16, u64) {
        (u8::from(result.is_proved), result.correctness, result.nodes)
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::Paper => "paper",
            Measure::Plain => "plain",
        })
    }
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(text: &str) -> Result<Measure, String> {
        let all = [Measure::Paper, Measure::Plain];
        let found = all.into_iter().find(|measure| measure.to_string() == text);
        found.ok_or_else(|| format!("'{text}' is no fitness; expected 'paper' or 'plain'"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, Measure, Stage, Try, logarithm};
    use plysmith_core::game::Game;
    use plysmith_core::games::chess::Position;

    fn case() -> Case {
        let position = Position::parse("6k1/5ppp/8/8/8/8/5PPP/3QR1K1 w - - 0 1").unwrap();
        let keys = vec![position.parse_move("e1e8").unwrap()];
        Case { id: "x".into(), position, moves: 4, keys, reference: 1000, budget: 1500 }
    }

    #[test]
    fn half_right_moves_are_worth_what_the_paper_says() {
        let case = case();
        let correctness = |text: &str| case.correctness(case.position.parse_move(text).unwrap());
        assert_eq!(["e1e8", "e1e7", "e1e5", "d1d8", "g2g3"].map(correctness), [1000, 500, 125, 0, 0]);
        let by_queen = Case { keys: vec![case.position.parse_move("d1d8").unwrap()], ..case.clone() };
        assert_eq!(by_queen.correctness(case.position.parse_move("d1d7").unwrap()), 500);
    }

    #[test]
    fn the_papers_fitness_is_correctness_times_weight_times_boards() {
        let case = case();
        let result = |correctness, nodes| Try { is_proved: false, correctness, nodes };
        let early = |result| Measure::Paper.fitness(Stage::Early, &[(&case, result)]);
        let late = |result| Measure::Paper.fitness(Stage::Late, &[(&case, result)]);
        assert_eq!(early(result(500, 500)), 0.5 * 16.0 * 2.0);
        assert_eq!(late(result(500, 500)), 0.0);
        assert_eq!(late(result(1000, 250)), 64.0);
        let short = Case { moves: 2, ..case.clone() };
        assert_eq!(Measure::Paper.fitness(Stage::Early, &[(&short, result(1000, 10))]), 4.0);
    }

    #[test]
    fn logarithms_are_logarithms() {
        assert_eq!([0, 1, 2, 1 << 20, 1 << 63].map(logarithm), [0.0, 0.0, 1.0, 20.0, 63.0]);
        for number in [3, 7, 1000, 123_456_789, u64::MAX] {
            let error = (number as f64).log2() - logarithm(number);
            assert!((0.0..1.0 / 65_000.0).contains(&error), "{number}: {error}");
        }
    }

    #[test]
    fn plainly_a_proof_beats_any_move_and_fewer_boards_beat_more() {
        let case = case();
        let plain = |is_proved, correctness, nodes| {
            Measure::Plain.fitness(Stage::Early, &[(&case, Try { is_proved, correctness, nodes })])
        };
        assert!(plain(true, 0, 1500) > plain(false, 1000, 1));
        assert!(plain(true, 1000, 10) > plain(true, 1000, 1000));
    }
}
