//! Training and held-out problems. Weights are learned on the training problems and checked on the held-out ones, which
//! take no part in choosing them. If only the training problems keep improving, the weights overfit.

use plysmith_core::random::Random;

/// The split of a suite into training and held-out problems, as ascending problem indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoldOutSplit {
    /// The problems that weights are learned on.
    pub training: Vec<usize>,
    /// The problems that weights are checked on; may be empty.
    pub held_out: Vec<usize>,
}

/// A paired comparison of nodes, problem by problem.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct PairedChange {
    /// The relative change of total nodes; negative is better.
    pub relative: f64,
    /// Half the width of the 95 % interval, from the variation between problems; `None` for a single problem.
    pub error: Option<f64>,
}

/// The 97.5 % quantile of the normal distribution.
const DEVIATIONS: f64 = 1.96;

impl HoldOutSplit {
    /// Holds out `percent` of the problems, drawn by the seed. At least one problem remains for training, and if
    /// `percent` is not zero and there are two problems, at least one is held out.
    pub fn draw(problems: usize, percent: u32, seed: u64) -> HoldOutSplit {
        let mut order: Vec<usize> = (0..problems).collect();
        Random::for_purpose(seed, "held-out problems").shuffle(&mut order);
        let wanted = (problems as u64 * u64::from(percent.min(100))).div_ceil(100) as usize;
        let held = wanted.min(problems.saturating_sub(1));
        let (mut held_out, mut training) = (order[..held].to_vec(), order[held..].to_vec());
        held_out.sort_unstable();
        training.sort_unstable();
        HoldOutSplit { training, held_out }
    }
}

impl PairedChange {
    /// Compares the nodes of the same problems before and after a change; `None` without problems.
    pub fn between(before: &[u64], after: &[u64]) -> Option<PairedChange> {
        let total: f64 = before.iter().map(|&nodes| nodes as f64).sum();
        let differences: Vec<f64> = before.iter().zip(after).map(|(&old, &new)| new as f64 - old as f64).collect();
        if differences.is_empty() || total == 0.0 {
            return None;
        }
        let count = differences.len() as f64;
        let sum: f64 = differences.iter().sum();
        let mean = sum / count;
        let variance = differences.iter().map(|one| (one - mean) * (one - mean)).sum::<f64>() / (count - 1.0);
        let error = (differences.len() > 1).then(|| DEVIATIONS * (variance * count).sqrt() / total);
        Some(PairedChange { relative: sum / total, error })
    }
}

/// The index of the iteration after which the weights overfit: the first with the best held-out value, if training
/// improved further later. `None` if all gains carried over.
pub fn overfits_after(training: &[f64], held_out: &[f64]) -> Option<usize> {
    let first_best =
        |values: &[f64]| (0..values.len()).min_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let (trained, held) = (first_best(training)?, first_best(held_out)?);
    (trained > held && training[trained] < training[held]).then_some(held)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{HoldOutSplit, PairedChange, overfits_after};

    proptest! {
        #[test]
        fn every_problem_is_in_exactly_one_part(problems in 1_usize..300, percent in 0_u32..=120, seed in 0_u64..50) {
            let split = HoldOutSplit::draw(problems, percent, seed);
            let mut all = [split.training.clone(), split.held_out.clone()].concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..problems).collect::<Vec<_>>());
            prop_assert!(split.training.is_sorted() && split.held_out.is_sorted() && !split.training.is_empty());
            prop_assert!(percent == 0 || problems < 2 || !split.held_out.is_empty());
            prop_assert_eq!(split.clone(), HoldOutSplit::draw(problems, percent, seed));
        }
    }

    #[test]
    fn another_seed_holds_out_others() {
        let split = |seed| HoldOutSplit::draw(100, 50, seed);
        assert_eq!(split(1).held_out.len(), 50);
        assert_ne!(split(1), split(2));
    }

    #[test]
    fn a_change_is_paired_problem_by_problem() {
        let change = PairedChange::between(&[100, 200, 300], &[50, 100, 150]).unwrap();
        assert_eq!(change.relative, -0.5);
        // Differences -50, -100, -150: standard deviation 50, of the sum 50·√3, relative to 600.
        assert!((change.error.unwrap() - 1.96 * 50.0 * 3_f64.sqrt() / 600.0).abs() < 1e-12);
        assert_eq!(PairedChange::between(&[100], &[50]), Some(PairedChange { relative: -0.5, error: None }));
        assert_eq!(PairedChange::between(&[], &[]), None);
    }

    #[test]
    fn gains_stop_where_only_training_goes_on() {
        assert_eq!(overfits_after(&[9.0, 8.0, 7.0, 6.0], &[9.0, 8.0, 8.5, 8.2]), Some(1));
        assert_eq!(overfits_after(&[9.0, 8.0, 7.0], &[9.0, 8.0, 7.5]), None);
        assert_eq!(overfits_after(&[9.0, 7.0, 7.0], &[9.0, 8.0, 7.5]), None, "training found nothing later");
        assert_eq!(overfits_after(&[], &[]), None);
    }
}
