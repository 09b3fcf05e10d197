//! Fitness of programs (mate paper, section 4.3).
//!
//! The fitness of the paper is the sum over problems of correctness · 2^N · boards. *Correctness* is 1 for the right
//! move, 0.5 to the power of the distance in squares for the right piece on a wrong square, and 0.1 for the right
//! square with another piece. In the late stage, once the best programs solve more than three quarters of the problems,
//! only the right move counts. *Boards* is the node count of a reference solver divided by that of the program; for N
//! up to three it counts only in the late stage.
//!
//! The plain measure rewards *proved* mates, weighted by 2^N, and few nodes on a logarithmic scale. A problem without a
//! proof counts as if it had taken 65,536 budgets; a right move without a proof is worth little.
//!
//! Fitness values are compared bit for bit, so they must be equal on every machine: logarithms are computed with
//! integers, and everything else is arithmetic that IEEE 754 defines exactly.

use std::fmt;
use std::str::FromStr;

use cozy_chess::Square;
use plysmith_core::game::Game;
use plysmith_core::games::chess::{Move, Position};
use plysmith_core::problem::Problem;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::interpreter::{Framework, MateSearch};
use crate::language::Program;

/// The fitness measure.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FitnessMeasure {
    /// The formula of the paper.
    Paper,
    /// Proved mates and few nodes.
    Plain,
}

/// The stage of an evolution.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FitnessStage {
    /// Partially correct moves count.
    Early,
    /// The best programs solve more than three quarters of the problems; only correct moves count.
    Late,
}

/// A fitness case: a mate problem that programs are evaluated on.
#[derive(Clone, Debug)]
pub struct FitnessCase {
    /// The id of the problem.
    pub id: String,
    /// The position, with the player to move.
    pub position: Position,
    /// The length of the mate, in moves.
    pub moves: u8,
    /// The key moves: the moves that mate. Empty if unknown.
    pub keys: Vec<Move>,
    /// Nodes of the reference solver.
    pub reference: u64,
    /// The node budget of a program.
    pub budget: u64,
}

/// The result of a program on a fitness case.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "(u8, u16, u64)", into = "(u8, u16, u64)")]
pub struct CaseResult {
    /// Whether it solved the problem: it proved the mate within the budget, or, in the paper's framework, chose a key
    /// move.
    pub is_solved: bool,
    /// Correctness of its move, in thousandths.
    pub correctness: u16,
    /// Nodes searched.
    pub nodes: u64,
}

/// A problem that cannot be a fitness case.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FitnessCaseError {
    /// The length of the mate is missing.
    #[error("problem '{0}' has no mate of known length; expected `dm N` or `distance PLIES` in its line")]
    NoMate(String),
    /// The mate is too long.
    #[error("problem '{0}' is a mate in more than {MOST_MOVES} moves")]
    TooLong(String),
    /// The position or a move cannot be parsed.
    #[error("problem '{0}': {1}")]
    Unreadable(String, String),
}

/// The longest mate that is searched for, in moves.
pub const MOST_MOVES: u8 = 60;
/// The late stage begins when the best program solves more than this percentage of the problems.
pub const LATE: usize = 75;
/// In the early stage, node counts matter only for mates longer than this.
const SHORT: u8 = 3;
/// The largest ratio of boards that counts. A program that makes only the moves at the root and guesses has the ratio
/// 10,000 at mates in five; without a bound it wins over all that search, for one lucky guess in a hundred. With the bound 2,
/// guessers still won three of three runs.
const BEST_RATIO: f64 = 1.0;
/// The penalty of an unproved problem: log2 of the factor on the budget. With a larger penalty, programs win that miss
/// nothing, however slow they are; with a smaller one, programs that risk more.
const PENALTY: f64 = 16.0;

impl FitnessCase {
    /// A problem as a fitness case; the caller sets `reference` and `budget`.
    pub fn new(problem: &Problem) -> Result<FitnessCase, FitnessCaseError> {
        let id = problem.id.clone();
        let plies = problem.distance.ok_or_else(|| FitnessCaseError::NoMate(id.clone()))?;
        let moves = u8::try_from(plies.div_ceil(2)).ok().filter(|&moves| moves <= MOST_MOVES);
        let moves = moves.ok_or_else(|| FitnessCaseError::TooLong(id.clone()))?;
        let unreadable = |reason: String| FitnessCaseError::Unreadable(id.clone(), reason);
        let position = Position::parse(&problem.position).map_err(|error| unreadable(error.to_string()))?;
        let read = |text: &String| position.parse_move(text).map_err(|error| unreadable(error.to_string()));
        let keys = problem.best.iter().map(read).collect::<Result<_, _>>()?;
        Ok(FitnessCase { id, position, moves, keys, reference: 0, budget: 0 })
    }

    /// Runs a program on this case.
    pub fn evaluate(
        &self,
        program: &Program,
        framework: Framework,
        interrupt: &(dyn Fn() -> bool + Sync),
    ) -> CaseResult {
        let search = MateSearch {
            program,
            moves: self.moves,
            budget: self.budget,
            record_proof: false,
            use_cache: true,
            framework,
            interrupt,
        };
        let found = search.run(self.position.board());
        let best = self.position.legal_moves().into_iter().find(|m| Some(m.for_cozy()) == found.best);
        // Without key moves, every mate in time is correct.
        let is_right = found.mate.is_some() && self.keys.is_empty();
        let correctness = if is_right { 1000 } else { best.map_or(0, |m| self.correctness(m)) };
        let is_solved = match framework {
            Framework::Full => found.mate.is_some(),
            Framework::Paper => correctness == 1000,
        };
        CaseResult { is_solved, correctness, nodes: found.nodes }
    }

    /// The correctness of a move, in thousandths.
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

impl FitnessMeasure {
    /// The fitness of a program with these results. Higher is better.
    pub fn fitness(self, stage: FitnessStage, results: &[(&FitnessCase, CaseResult)]) -> f64 {
        results.iter().map(|(case, result)| self.term(stage, case, *result)).sum()
    }

    fn term(self, stage: FitnessStage, case: &FitnessCase, result: CaseResult) -> f64 {
        f64::from(1u32 << case.moves.min(30)) * self.score(stage, case, result)
    }

    /// The score on one problem, without the weight of its length.
    pub fn score(self, stage: FitnessStage, case: &FitnessCase, result: CaseResult) -> f64 {
        match self {
            FitnessMeasure::Paper => {
                let correctness = match stage {
                    FitnessStage::Early => f64::from(result.correctness) / 1000.0,
                    FitnessStage::Late => f64::from(u8::from(result.correctness == 1000)),
                };
                let is_counted = stage == FitnessStage::Late || case.moves > SHORT;
                let ratio = case.reference as f64 / result.nodes.max(1) as f64;
                let boards = if is_counted { ratio.min(BEST_RATIO) } else { 1.0 };
                correctness * boards
            }
            FitnessMeasure::Plain if result.is_solved => {
                let worst = logarithm(case.budget) + PENALTY;
                (worst - logarithm(result.nodes)) / worst
            }
            FitnessMeasure::Plain => f64::from(result.correctness) / 10_000.0,
        }
    }
}

/// The binary logarithm to 1/65,536, by repeated squaring of the mantissa.
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

/// The distance of two squares in king moves.
fn distance(a: Square, b: Square) -> u32 {
    let apart = |a: usize, b: usize| a.abs_diff(b) as u32;
    apart(a.file() as usize, b.file() as usize).max(apart(a.rank() as usize, b.rank() as usize))
}

impl From<(u8, u16, u64)> for CaseResult {
    fn from((is_solved, correctness, nodes): (u8, u16, u64)) -> CaseResult {
        CaseResult { is_solved: is_solved != 0, correctness, nodes }
    }
}

impl From<CaseResult> for (u8, u16, u64) {
    fn from(result: CaseResult) -> (u8, u16, u64) {
        (u8::from(result.is_solved), result.correctness, result.nodes)
    }
}

impl fmt::Display for FitnessMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FitnessMeasure::Paper => "paper",
            FitnessMeasure::Plain => "plain",
        })
    }
}

impl FromStr for FitnessMeasure {
    type Err = String;

    fn from_str(text: &str) -> Result<FitnessMeasure, String> {
        let all = [FitnessMeasure::Paper, FitnessMeasure::Plain];
        let found = all.into_iter().find(|measure| measure.to_string() == text);
        found.ok_or_else(|| format!("'{text}' is no fitness; expected 'paper' or 'plain'"))
    }
}

#[cfg(test)]
mod tests {
    use super::{CaseResult, FitnessCase, FitnessMeasure, FitnessStage, logarithm};
    use plysmith_core::game::Game;
    use plysmith_core::games::chess::Position;

    fn case() -> FitnessCase {
        let position = Position::parse("6k1/5ppp/8/8/8/8/5PPP/3QR1K1 w - - 0 1").unwrap();
        let keys = vec![position.parse_move("e1e8").unwrap()];
        FitnessCase { id: "x".into(), position, moves: 4, keys, reference: 1000, budget: 1500 }
    }

    #[test]
    fn half_right_moves_are_worth_what_the_paper_says() {
        let case = case();
        let correctness = |text: &str| case.correctness(case.position.parse_move(text).unwrap());
        assert_eq!(["e1e8", "e1e7", "e1e5", "d1d8", "g2g3"].map(correctness), [1000, 500, 125, 0, 0]);
        let by_queen = FitnessCase { keys: vec![case.position.parse_move("d1d8").unwrap()], ..case.clone() };
        assert_eq!(by_queen.correctness(case.position.parse_move("d1d7").unwrap()), 500);
    }

    #[test]
    fn the_papers_fitness_is_correctness_times_weight_times_boards() {
        let case = case();
        let result = |correctness, nodes| CaseResult { is_solved: false, correctness, nodes };
        let early = |result| FitnessMeasure::Paper.fitness(FitnessStage::Early, &[(&case, result)]);
        let late = |result| FitnessMeasure::Paper.fitness(FitnessStage::Late, &[(&case, result)]);
        assert_eq!(early(result(500, 1250)), 0.5 * 16.0 * 0.8);
        assert_eq!(late(result(500, 500)), 0.0);
        assert_eq!(late(result(1000, 1250)), 16.0 * 0.8);
        assert_eq!(late(result(1000, 1)), 16.0, "a guess is not a thousand times better than a search");
        let short = FitnessCase { moves: 2, ..case.clone() };
        assert_eq!(FitnessMeasure::Paper.fitness(FitnessStage::Early, &[(&short, result(1000, 10))]), 4.0);
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
        let plain = |is_solved, correctness, nodes| {
            FitnessMeasure::Plain.fitness(FitnessStage::Early, &[(&case, CaseResult { is_solved, correctness, nodes })])
        };
        assert!(plain(true, 0, 1500) > plain(false, 1000, 1));
        assert!(plain(true, 1000, 10) > plain(true, 1000, 1000));
    }
}
