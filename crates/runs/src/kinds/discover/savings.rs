//! Features whose moves may be searched less: discoveries in which every cost is a reduction, such as `--weight 1.5` or
//! `--weight=+0.5`.
//!
//! A reduced move that raises alpha is searched again, so to reduce the wrong moves costs nodes before it costs solutions. On
//! problems, a combination survives if it solves no fewer than its first parent, but for epsilon, with fewer nodes to the
//! solution. With `--epsilon auto`, and with the fitness `nodes`, the nodes must be fewer beyond chance: a paired test over the
//! problems, one-sided 5 %. With `auto` the first parent must not solve more beyond chance, by the sign test and its error rate.
//! That a difference is not seen does not prove that there is none.
//!
//! Other fitnesses have their own rule for all costs: less cost than the first parent beyond chance. In graded positions every
//! search has the same number of nodes. What a reduction saves there is spent on depth, and it is worth what the moves then
//! lose less.

use plysmith_core::feature::Cost;
use plysmith_learn::focus::Survival;

use super::{Config, Discovery, Evaluation};
use crate::error::RunError;
use crate::fitness::Estimate;
use crate::view::percent;

impl Config {
    /// What a combination needs to survive.
    pub(super) fn survival(&self) -> Survival {
        let is_by_problems = self.graded.is_none()
            && self.fitness.as_ref().is_none_or(|fitness| fitness.is_solved() || fitness.is_nodes());
        match is_by_problems && !self.weights.is_empty() && self.weights.iter().all(|cost| cost.is_reduction()) {
            true => Survival::Saves,
            false => Survival::Gains,
        }
    }

    /// What a combination may solve fewer than its first parent. With a test it is the test that decides.
    pub(super) fn slack(&self) -> u32 {
        if self.error.is_some() { u32::MAX } else { self.epsilon.unsigned_abs() }
    }

    /// Fails if the costs cannot be judged by one rule, or not with several seeds.
    pub(super) fn check_costs(&self) -> Result<(), RunError> {
        let is_graded = self.graded.is_some();
        if let (Some(less), Some(more), false) = (self.find_cost(true), self.find_cost(false), is_graded) {
            return Err(RunError::input(format!(
                "the weights {more} and {less} ask different questions: whether moves should be searched deeper, and whether they \
                 may be searched less; discover features with one kind of weights at a time, or with --fitness regret"
            )));
        }
        if self.survival() == Survival::Saves && self.seeds > 1 {
            if self.error.is_some() {
                return Err(RunError::input(
                    "the test over several seeds asks which feature solves more; for features that may be searched less, use \
                     --epsilon auto with --seeds 1, or several seeds with a number as --epsilon",
                ));
            }
            if self.weights.len() > 1 {
                return Err(RunError::input(
                    "features that may be searched less are measured with several weights or with several seeds, not both",
                ));
            }
        }
        Ok(())
    }

    /// The first cost that reduces moves, or that does not.
    fn find_cost(&self, is_reduction: bool) -> Option<&Cost> {
        self.weights.iter().find(|cost| cost.is_reduction() == is_reduction)
    }
}

/// Whether a candidate needs fewer nodes than another beyond chance, problem by problem.
pub(super) fn saves_beyond_chance(own: &[u64], other: &[u64]) -> bool {
    let saved = own.iter().zip(other).map(|(own, other)| Some(*other as f64 - *own as f64)).collect();
    Estimate::over_positions(saved).is_beyond_chance()
}

impl Discovery {
    /// Whether moves with a feature may be searched less: it saves nodes, and solves no fewer problems than Neutral, but for
    /// epsilon, or not beyond chance.
    pub(super) fn may_be_searched_less(&self, evaluation: &Evaluation) -> bool {
        let (Some(epsilon), Some(neutral)) = (self.may_lose, self.neutral_finding()) else { return false };
        let Some(solved) = evaluation.finding.solved else { return false };
        let is_as_good = match (self.error, evaluation.finding.against(neutral)) {
            (Some(error), Some(counts)) => counts.turned().chance() > error,
            _ => solved.saturating_add(epsilon) >= self.neutral,
        };
        is_as_good && evaluation.finding.nodes < neutral.nodes
    }

    /// Puts the features first that may be searched less, those that need the fewest nodes before others; then Neutral.
    pub(super) fn sort_by_savings(&mut self) {
        let place = |evaluation: &Evaluation| match self.may_be_searched_less(evaluation) {
            true => 0,
            false if evaluation.finding.feature == "Neutral" => 1,
            false => 2,
        };
        let rank = |evaluation: &Evaluation| (place(evaluation), evaluation.finding.nodes);
        let mut ranked: Vec<_> = self.output.iter().map(|evaluation| (rank(evaluation), evaluation.clone())).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        self.output = ranked.into_iter().map(|(_, evaluation)| evaluation).collect();
    }

    /// What share of Neutral's nodes a feature needs.
    pub(super) fn share_of_nodes(&self, evaluation: &Evaluation) -> Option<f64> {
        let neutral = self.neutral_finding()?.nodes;
        (neutral > 0).then(|| evaluation.finding.nodes as f64 / neutral as f64)
    }

    /// What the report says of a feature whose moves may be searched less.
    pub(super) fn savings_line(&self, evaluation: &Evaluation) -> Option<String> {
        let (solved, share) = (evaluation.finding.solved?, self.share_of_nodes(evaluation)?);
        Some(format!(
            "{} may be searched less: solves {solved} of {} with {} of the nodes (Neutral {})",
            self.scheme(evaluation),
            self.problems,
            percent(share),
            self.neutral
        ))
    }
}
