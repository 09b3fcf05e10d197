//! The fit of a round: positions with labels in, a table of weights out.

use plysmith_core::games::GameInfo;
use plysmith_core::grid::Grid;
use plysmith_core::patterns::Windows;
use plysmith_core::search::Interrupt;
use plysmith_core::settings::Heuristic;
use plysmith_core::training::TermFit;
use plysmith_core::weights::WeightFile;
use plysmith_learn::fitting::sparse::{SparseFitting, SparsePlan, SparseRows};
use plysmith_learn::fitting::tapered::{FitData, FitPlan, FitRow, Fitting, Tapered, fit_slope};
use serde::{Deserialize, Serialize};

use super::config::Regression;
use super::numbers;
use super::samples::{Labelled, Losses, RoundGames, Sampling};
use crate::error::RunError;
use crate::job::{Job, Key, Worker};
use crate::progress::Progress;

/// A fit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FitJob {
    /// The game's name.
    pub game: String,
    /// The form of the weights, as weight files have it.
    pub form: String,
    /// The keys of the self-play of each round that is fitted to.
    pub rounds: Vec<Key>,
    /// The content of the evaluation that played last, which the losses are compared with.
    pub incumbent: String,
    /// Most positions of a game.
    pub samples: Option<u32>,
    /// The share of the result in a label.
    pub blend: f64,
    /// How weights are found.
    pub regression: Regression,
    /// Random seed.
    pub seed: u64,
    /// The revision of fits.
    pub revision: u32,
}

/// Raised when the same job leads to other weights.
pub const REVISION: u32 = 1;

/// What a fit found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Fitted {
    /// The numbers of the weight file, in base 64.
    #[serde(with = "numbers")]
    pub numbers: Vec<i16>,
    /// Positions that were fitted to.
    pub positions: u64,
    /// Positions that were held out.
    pub held_out: u64,
    /// Weights that were found. The others occur too rarely.
    pub active: u64,
    /// Numbers that were too large for the file.
    pub clamped: u64,
    /// Losses of the evaluation that played.
    pub before: Losses,
    /// Losses of the weights.
    pub after: Losses,
}

impl Job for FitJob {
    const KIND: &'static str = "fit";
    type Result = Fitted;

    fn key(&self) -> Key {
        let FitJob { game, form, rounds, incumbent, samples, blend, regression, seed, revision } = self;
        let rounds: Vec<_> = rounds.iter().map(Key::as_str).collect();
        Key::of(&format!(
            "fit\n{game}\n{form}\n{}\n{incumbent}\n{samples:?}\n{blend}\n{regression}\n{seed}\n{revision}",
            rounds.join(" ")
        ))
    }
}

/// The form of a game's evaluation.
#[derive(Copy, Clone, Debug)]
pub enum Form {
    /// Patterns of a board with these columns and rows.
    Patterns(u32, u32),
    /// Terms of its own.
    Terms(TermFit),
}

/// Fits weights to the games of some rounds.
pub struct FitWorker<'a> {
    /// The game.
    pub game: &'static GameInfo,
    /// The form of its evaluation.
    pub form: Form,
    /// How positions are taken from games.
    pub sampling: &'a Sampling<'a>,
    /// The rounds to fit to.
    pub rounds: &'a [RoundGames],
    /// The evaluation that played last.
    pub incumbent: Heuristic,
    /// Where progress is shown.
    pub progress: &'a dyn Fn(f64),
}

/// Weights before they are measured.
struct Found {
    file: WeightFile,
    active: usize,
    clamped: usize,
}

impl Worker<FitJob> for FitWorker<'_> {
    type Error = RunError;

    fn run(&mut self, job: &FitJob, interrupt: &Interrupt<'_>) -> Result<Option<Fitted>, RunError> {
        let found = match (self.form, job.regression) {
            (Form::Patterns(columns, rows), Regression::Patterns { epochs, min_count, rate, l2 }) => {
                let (rate, penalty) = (rate as f32, l2 as f32);
                let plan = SparsePlan { epochs, min_count, rate, penalty, seed: job.seed };
                self.fit_patterns(&Windows::of(columns, rows), plan, job, interrupt)?
            }
            (Form::Terms(terms), Regression::Terms { steps, rate, pull }) => {
                self.fit_terms(&terms, FitPlan { steps, rate, pull }, interrupt)?
            }
            _ => return Err(RunError::input(format!("{} is not fitted in this form; start the fit anew", job.game))),
        };
        found.map(|found| self.measure(found)).transpose()
    }
}
