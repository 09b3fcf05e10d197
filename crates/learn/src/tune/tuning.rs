//! One run of an optimiser: iterations are counted, the best weights kept, and it ends when it should (Algorithm 1,
//! line 6: after so many iterations, or when there is no progress to speak of).

use std::fmt;

use plysmith_core::parameter::Weights;

use super::effect::Effects;
use super::score::{Score, best_of};
use super::space::Space;
use super::{Optimiser, Step};

/// When a run ends.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Limits {
    /// After so many iterations.
    pub iterations: u32,
    /// Or when this many in a row have measured something new and made no progress; none for never.
    pub patience: Option<u32>,
    /// Progress is a fall of the best number of nodes by this share at least.
    pub progress: f64,
}

/// Why a run ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It had all its iterations.
    Iterations,
    /// The next iteration could not tell anything new.
    Converged,
    /// Several iterations made no progress to speak of.
    NoProgress,
}

/// A run between two batches.
#[derive(Debug)]
pub struct Tuning {
    optimiser: Box<dyn Optimiser>,
    limits: Limits,
    /// Iterations told.
    iteration: u32,
    best: Option<Best>,
    /// The best when progress was last made, in nodes a problem.
    mark: f64,
    without_progress: u32,
    /// The batch before this one.
    before: Vec<Weights>,
    effects: Effects,
    stop: Option<Stop>,
}

/// The best weights so far, by their own training problems.
#[derive(Clone, PartialEq, Debug)]
pub struct Best {
    /// The weights.
    pub weights: Weights,
    /// What they came to.
    pub score: Score,
    /// In which iteration, from 1.
    pub iteration: u32,
}

/// What became of an iteration.
#[derive(Clone, PartialEq, Debug)]
pub struct Iteration {
    /// Its number, from 1.
    pub number: u32,
    /// Which of its batch stands for it.
    pub chosen: usize,
    /// Why there is no other after it, if so.
    pub stop: Option<Stop>,
}

impl Tuning {
    /// A run at its start.
    pub fn new(space: &Space, optimiser: Box<dyn Optimiser>, limits: Limits) -> Tuning {
        Tuning {
            optimiser,
            limits,
            iteration: 0,
            best: None,
            mark: f64::INFINITY,
            without_progress: 0,
            before: Vec::new(),
            effects: Effects::of(space.size()),
            stop: (limits.iterations == 0).then_some(Stop::Iterations),
        }
    }

    /// The next batch to measure, or none if the run is over. Asking again without telling gives the same.
    pub fn ask(&self) -> Option<&[Weights]> {
        self.stop.is_none().then(|| self.optimiser.ask())
    }

    /// Takes the scores of the batch, all over the same problems.
    ///
    /// # Panics
    /// If the run is over, or there is not one score for each of the batch.
    pub fn tell(&mut self, scores: &[Score]) -> Iteration {
        assert_eq!(self.stop, None, "nothing was asked any more");
        let batch = self.optimiser.ask().to_vec();
        self.effects.see(&batch, scores);
        self.iteration += 1;
        let place = best_of(scores);
        let (score, is_new) = (scores[place], batch != self.before);
        if self.best.as_ref().is_none_or(|best| score.mean_nodes() < best.score.mean_nodes()) {
            self.best = Some(Best { weights: batch[place].clone(), score, iteration: self.iteration });
        }
        let Step { chosen, converged } = self.optimiser.tell(scores);
        self.judge(score.mean_nodes(), is_new, converged);
        self.before = batch;
        Iteration { number: self.iteration, chosen, stop: self.stop }
    }

    /// The best weights so far; none before the first iteration.
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// Why it ended, if it did.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// What each weight alone has changed so far.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    fn judge(&mut self, nodes: f64, is_new: bool, converged: bool) {
        if nodes < self.mark * (1.0 - self.limits.progress) || self.mark.is_infinite() {
            (self.mark, self.without_progress) = (nodes, 0);
        } else if is_new {
            // A batch that is measured again, because coarse weights have not come to their next step, costs nothing.
            self.without_progress += 1;
        }
        let impatient = self.limits.patience.is_some_and(|patience| self.without_progress >= patience);
        self.stop = match (converged, impatient, self.iteration >= self.limits.iterations) {
            (true, ..) => Some(Stop::Converged),
            (_, true, _) => Some(Stop::NoProgress),
            (.., true) => Some(Stop::Iterations),
            _ => None,
        };
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Iterations => "all iterations were made",
            Stop::Converged => "it converged: another iteration would measure the same",
            Stop::NoProgress => "there was no progress to speak of any more",
        })
    }
}
