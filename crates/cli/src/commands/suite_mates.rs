//! `plysmith suite generate chess --mate`: mates of exact length, with one key.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use plysmith_core::game::Game;
use plysmith_core::games::chess::{INFO, Position};
use plysmith_core::games::{Start, StartError};
use plysmith_core::problem::{Problem, Suite};
use plysmith_engine::suite_maker::{Wanted, Workers, gather};
use plysmith_evolve::problems::{MOST_MOVES, MatePlan, problem_from_game};

use super::suite_games::SuiteGames;
use crate::failure::Failure;
use crate::signals;
use crate::progress;

/// From how many moves to how many.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MateRange {
    from: u8,
    to: u8,
}

/// A suite of mates that is wanted.
pub struct MateOrder {
    pub range: MateRange,
    /// Of all lengths together.
    pub count: usize,
    pub men: u32,
    pub seed: u64,
    pub nodes: u64,
}

impl MateRange {
    /// How many lengths there are.
    pub fn lengths(self) -> usize {
        usize::from(self.to - self.from) + 1
    }

    /// The problems of a suite that are mates of these lengths.
    pub fn choose(self, suite: Suite) -> Result<Suite, Failure> {
        let plies = 2 * u32::from(self.from) - 1..=2 * u32::from(self.to) - 1;
        let is_chosen = |problem: &Problem| problem.distance.is_some_and(|distance| plies.contains(&distance));
        let problems: Vec<Problem> = suite.problems.into_iter().filter(is_chosen).collect();
        if problems.is_empty() {
            return Err(Failure::input(format!("'{}' has no mates in {self}", suite.name)));
        }
        Ok(Suite { problems, ..suite })
    }
}

impl MateOrder {
    /// Makes it.
    pub fn generate(&self, threads: NonZeroUsize) -> Result<Suite, Failure> {
        let start = (INFO.start)(&Start::default())?;
        let start = Position::parse(&start).map_err(|error| StartError(error.to_string()))?;
        let each = self.count / self.range.lengths();
        let progress = progress::begin(self.count as u64);
        let mut problems = Vec::new();
        for moves in self.range.from..=self.range.to {
            let plan = MatePlan { moves, men: self.men, seed: self.seed, nodes: self.nodes };
            let wanted = Wanted { prefix: format!("m{moves}"), count: each };
            let tell = |found: usize, games: u64| {
                progress.message(format!("mates in {moves}: {found} of {each} from {games} games"));
                progress.set_part_done(found as u64);
            };
            let suite_games = SuiteGames::open(&format!("{plan:?}"))?;
            let workers = Workers { threads, interrupt: &signals::is_cancelled, progress: &tell, memo: &suite_games };
            let found = gather(&wanted, &workers, |game, interrupt| problem_from_game(&start, &plan, game, interrupt));
            problems.extend(found.map_err(|error| suite_games.explain(error))?);
            progress.finish_part(each as u64);
        }
        Ok(Suite { name: INFO.name.to_string(), problems })
    }
}

impl FromStr for MateRange {
    type Err = String;

    fn from_str(text: &str) -> Result<MateRange, String> {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse().ok().filter(|moves| (1..=MOST_MOVES).contains(moves));
        let range = number(from).zip(number(to)).filter(|(from, to)| from <= to);
        range
            .map(|(from, to)| MateRange { from, to })
            .ok_or_else(|| format!("expected a number of moves from 1 to {MOST_MOVES}, or two like '1-5'"))
    }
}

impl fmt::Display for MateRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MateRange { from, to } if from == to => from.fmt(f),
            MateRange { from, to } => write!(f, "{from}-{to}"),
        }
    }
}
