//! One tuning run: counts iterations, keeps the best weights, and stops after a number of iterations or without
//! progress (Algorithm 1, line 6).

use std::fmt;

use plysmith_core::parameter::Weights;

use super::effect::Effects;
use super::optimiser::{Optimiser, OptimiserStep};
use super::score::{SuiteScore, best_of};
use super::space::ParameterSpace;

/// Stop criteria of a run.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct TuningLimits {
    /// The largest number of iterations.
    pub iterations: u32,
    /// Stop after this many consecutive iterations with new measurements and without progress; `None` for never.
    pub patience: Option<u32>,
    /// The smallest relative decrease of the best node count that counts as progress.
    pub progress: f64,
}

/// The reason why a run stopped.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// All iterations were made.
    Iterations,
    /// The next iteration would repeat known measurements.
    Converged,
    /// The last iterations made no progress.
    NoProgress,
    /// The optimiser asks for nothing but settings that were measured before.
    Repeats,
}

/// A run stops after this many batches in a row without a new setting. They cost nothing, and weights with coarse steps
/// may reach their next step in between.
const MOST_REPEATS: u32 = 50;

/// A tuning run, between two batches.
#[derive(Debug)]
pub struct Tuning {
    optimiser: Box<dyn Optimiser>,
    limits: TuningLimits,
    /// Completed iterations.
    iteration: u32,
    best: Option<BestWeights>,
    /// The best value when progress was last made, in nodes per problem.
    mark: f64,
    without_progress: u32,
    /// The previous batch.
    before: Vec<Weights>,
    /// Batches without a new setting since the last iteration.
    repeats: u32,
    effects: Effects,
    stop: Option<StopReason>,
}

/// The best weights so far, measured on the training problems.
#[derive(Clone, PartialEq, Debug)]
pub struct BestWeights {
    /// The weights.
    pub weights: Weights,
    /// Their score.
    pub score: SuiteScore,
    /// The iteration that measured them, from 1.
    pub iteration: u32,
}

/// The result of one iteration.
#[derive(Clone, PartialEq, Debug)]
pub struct Iteration {
    /// Its number, from 1.
    pub number: u32,
    /// Index of the candidate that represents it.
    pub chosen: usize,
    /// The stop reason, if it is the last one.
    pub stop: Option<StopReason>,
}

impl Tuning {
    /// Starts a run.
    pub fn new(space: &ParameterSpace, optimiser: Box<dyn Optimiser>, limits: TuningLimits) -> Tuning {
        Tuning {
            optimiser,
            limits,
            iteration: 0,
            best: None,
            mark: f64::INFINITY,
            without_progress: 0,
            before: Vec::new(),
            repeats: 0,
            effects: Effects::of(space.size()),
            stop: (limits.iterations == 0).then_some(StopReason::Iterations),
        }
    }

    /// The next batch to measure, or `None` if the run has stopped. Calling it again before [`tell`](Tuning::tell)
    /// returns the same batch.
    pub fn ask(&self) -> Option<&[Weights]> {
        self.stop.is_none().then(|| self.optimiser.ask())
    }

    /// Takes the scores of the batch, all on the same problems.
    ///
    /// # Panics
    /// If the run has stopped, or if the number of scores differs from the size of the batch.
    pub fn tell(&mut self, scores: &[SuiteScore]) -> Iteration {
        assert_eq!(self.stop, None, "the run has stopped");
        let batch = self.optimiser.ask().to_vec();
        self.effects.observe(&batch, scores);
        self.iteration += 1;
        let place = best_of(scores);
        let (score, is_new) = (scores[place], batch != self.before);
        if self.best.as_ref().is_none_or(|best| score.mean_nodes() < best.score.mean_nodes()) {
            self.best = Some(BestWeights { weights: batch[place].clone(), score, iteration: self.iteration });
        }
        let OptimiserStep { chosen, converged } = self.optimiser.tell(scores);
        self.judge(score.mean_nodes(), is_new, converged);
        self.before = batch;
        self.repeats = 0;
        Iteration { number: self.iteration, chosen, stop: self.stop }
    }

    /// Takes the scores of a batch in which every setting was measured before: the same scores again. It is no iteration,
    /// because it shows nothing new, but the optimiser may go on from it to new settings.
    ///
    /// # Panics
    /// As [`tell`](Tuning::tell).
    pub fn tell_repeat(&mut self, scores: &[SuiteScore]) {
        assert_eq!(self.stop, None, "the run has stopped");
        let OptimiserStep { converged, .. } = self.optimiser.tell(scores);
        self.repeats += 1;
        if converged || self.repeats >= MOST_REPEATS {
            self.stop = Some(StopReason::Repeats);
        }
    }

    /// The best weights so far; `None` before the first iteration.
    pub fn best(&self) -> Option<&BestWeights> {
        self.best.as_ref()
    }

    /// The stop reason, if the run has stopped.
    pub fn stop(&self) -> Option<StopReason> {
        self.stop
    }

    /// The effect of each single weight so far.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    fn judge(&mut self, nodes: f64, is_new: bool, converged: bool) {
        if nodes < self.mark * (1.0 - self.limits.progress) || self.mark.is_infinite() {
            (self.mark, self.without_progress) = (nodes, 0);
        } else if is_new {
            // A repeated batch costs nothing: coarse weights have not reached their next step yet.
            self.without_progress += 1;
        }
        let impatient = self.limits.patience.is_some_and(|patience| self.without_progress >= patience);
        self.stop = match (converged, impatient, self.iteration >= self.limits.iterations) {
            (true, ..) => Some(StopReason::Converged),
            (_, true, _) => Some(StopReason::NoProgress),
            (.., true) => Some(StopReason::Iterations),
            _ => None,
        };
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Iterations => "all iterations were made",
            StopReason::Converged => "it converged: another iteration would measure the same",
            StopReason::NoProgress => "there was no progress to speak of any more",
            StopReason::Repeats => "stopped: settings repeat",
        })
    }
}
