//! The fit of a round: positions with labels in, a table of weights out.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use plysmith_core::games::GameInfo;
use plysmith_core::grid::Grid;
use plysmith_core::patterns::Windows;
use plysmith_core::search::Interrupt;
use plysmith_core::settings::Heuristic;
use plysmith_core::training::TermFit;
use plysmith_core::weights::WeightFile;
use plysmith_engine::parallel::{Pool, in_order};
use plysmith_learn::fitting::sparse::{SparseFitting, SparsePlan, SparseRows};
use plysmith_learn::fitting::tapered::{FitData, FitPlan, FitRow, Fitting, Tapered, fit_slope};
use serde::{Deserialize, Serialize};

use super::config::Regression;
use super::numbers;
use super::samples::{Labelled, Losses, RoundGames, Sampling};
use crate::error::RunError;
use crate::job::{Job, Key, Worker};

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
    /// Its games are in the store of the run.
    const IS_PORTABLE: bool = false;
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
    /// How many threads to use. No result depends on it.
    pub threads: NonZeroUsize,
    /// Where progress is shown.
    pub progress: &'a (dyn Fn(f64) + Sync),
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

impl Form {
    /// The form as weight files name it.
    pub fn name(&self) -> String {
        match self {
            Form::Patterns(columns, rows) => format!("patterns {columns}x{rows}"),
            Form::Terms(terms) => (terms.guesses)().form,
        }
    }
}

impl FitWorker<'_> {
    fn fit_patterns(
        &self,
        windows: &Windows,
        plan: SparsePlan,
        job: &FitJob,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<Found>, RunError> {
        let mut rows = PatternRows { windows, grids: Vec::new() };
        self.visit_training(&mut |sample| {
            if let Some(grid) = sample.position.grid() {
                rows.grids.push((grid, sample.label as f32));
            }
        })?;
        let mut fitting = SparseFitting::new(&rows, windows.count(), plan);
        while fitting.advance() {
            (self.progress)(fitting.progress());
            if interrupt() {
                return Ok(None);
            }
        }
        let folded = windows.fold(&fitting.weights());
        let file = WeightFile {
            game: self.game.name.to_string(),
            form: job.form.clone(),
            made_by: String::new(),
            numbers: folded.patterns.numbers().to_vec(),
        };
        Ok(Some(Found { file, active: fitting.active(), clamped: folded.clamped }))
    }

    fn fit_terms(&self, terms: &TermFit, plan: FitPlan, interrupt: &Interrupt<'_>) -> Result<Option<Found>, RunError> {
        let guesses = (terms.guesses)().numbers;
        let start: Vec<Tapered> = guesses.chunks_exact(2).map(|pair| [pair[0].into(), pair[1].into()]).collect();
        let mut rows = FitData::default();
        self.visit_training(&mut |sample| {
            let Some(trace) = (terms.trace)(&sample.position.text(), self.incumbent) else { return };
            // Terms count for White, labels for the side to move.
            let result = if sample.position.white_to_move() { sample.label } else { 1.0 - sample.label };
            rows.push(&FitRow { counts: &trace.counts, shares: trace.shares, result });
        })?;
        let (slope, active) = (fit_slope(&rows, &start), start.len());
        let mut fitting = Fitting::new(&rows, start, slope, plan);
        while fitting.advance_with(|parts, compute| self.in_parallel(parts, compute)) {
            (self.progress)(f64::from(fitting.steps_done()) / f64::from(plan.steps));
            if interrupt() {
                return Ok(None);
            }
        }
        let file = (terms.file)(fitting.weights(), "").map_err(RunError::failed)?;
        Ok(Some(Found { file, active, clamped: 0 }))
    }

    /// Computes numbered parts on all threads, and returns them in their order.
    fn in_parallel<T: Send>(&self, parts: usize, compute: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
        let mut results = Vec::with_capacity(parts);
        let work = |_: &Pool, (): &mut (), part: u64| Some(compute(part as usize));
        in_order(0..parts as u64, &mut vec![(); self.threads.get()], work, |_, result| {
            results.push(result);
            ControlFlow::Continue(())
        });
        results
    }

    /// Hands over the positions that are fitted to.
    fn visit_training(&self, visit: &mut dyn FnMut(&Labelled)) -> Result<(), RunError> {
        let mut count = 0;
        self.sampling.visit(self.rounds, &mut |sample| {
            if !sample.is_held_out {
                count += 1;
                visit(sample);
            }
        })?;
        match count {
            0 => Err(RunError::input("there is no position to fit to; play more games with --games")),
            _ => Ok(()),
        }
    }

    /// Compares the weights with the evaluation that played.
    fn measure(&self, found: Found) -> Result<Fitted, RunError> {
        let Found { file, active, clamped } = found;
        let weights = self.game.load_weights(&file, "").map_err(RunError::failed)?;
        let losses = self.sampling.losses(self.rounds, [self.incumbent, Heuristic::Loaded(weights)])?;
        let [before, after] = losses.map(|losses| losses.map(rounded));
        let mut counts = [0, 0];
        self.sampling.visit(self.rounds, &mut |sample| counts[usize::from(sample.is_held_out)] += 1)?;
        let [positions, held_out] = counts;
        let (active, clamped) = (active as u64, clamped as u64);
        Ok(Fitted { numbers: file.numbers, positions, held_out, active, clamped, before, after })
    }
}

/// A loss to six decimals: what is read from the store is then exactly what was stored.
fn rounded(loss: f64) -> f64 {
    (loss * 1e6).round() / 1e6
}

/// Positions as grids: their features are found again whenever they are visited, because they would not fit into memory.
struct PatternRows<'a> {
    windows: &'a Windows,
    grids: Vec<(Grid, f32)>,
}

impl SparseRows for PatternRows<'_> {
    fn len(&self) -> usize {
        self.grids.len()
    }

    fn row(&self, index: usize, features: &mut Vec<u32>) -> f32 {
        let (grid, label) = &self.grids[index];
        self.windows.features(grid, features);
        *label
    }
}
