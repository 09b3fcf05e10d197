//! Training and held-out problems. Weights are learned on the first and checked on the second, which had no part in
//! choosing them; where only the training problems go on improving, the weights have begun to fit chance.

use plysmith_core::random::Random;

/// Which problems are for what, by their places in the suite, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Split {
    /// What weights are learned on.
    pub training: Vec<usize>,
    /// What they are checked on; perhaps nothing.
    pub held_out: Vec<usize>,
}

/// What a change did to nodes problem by problem.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Change {
    /// The change of all nodes, relative to those before; below zero is better.
    pub relative: f64,
    /// Half the width of its interval of 95 %, from how much problems differ; none for a single problem.
    pub error: Option<f64>,
}

/// A normal number is within so many standard deviations of its mean 19 times in 20.
const DEVIATIONS: f64 = 1.96;

impl Split {
    /// Holds out this share of so many problems, drawn by the seed. At least one is left to train on, and if the share
    /// is not zero, one to check on where there are two.
    pub fn draw(problems: usize, percent: u32, seed: u64) -> Split {
        let mut order: Vec<usize> = (0..problems).collect();
        Random::for_purpose(seed, "held-out problems").shuffle(&mut order);
        let wanted = (problems as u64 * u64::from(percent.min(100))).div_ceil(100) as usize;
        let held = wanted.min(problems.saturating_sub(1));
        let (mut held_out, mut training) = (order[..held].to_vec(), order[held..].to_vec());
        held_out.sort_unstable();
        training.sort_unstable();
        Split { training, held_out }
    }
}

impl Change {
    /// From the nodes of the same problems before and after; none without problems.
    pub fn between(before: &[u64], after: &[u64]) -> Option<Change> {
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
        Some(Change { relative: sum / total, error })
    }
}

/// The iteration, by its place, after which gains in training no longer carried over: the first with the best held-out
/// value, if training found something better later. None if all gains carried over.
pub fn last_to_carry_over(training: &[f64], held_out: &[f64]) -> Option<usize> {
    let first_best =
        |values: &[f64]| (0..values.len()).min_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let (trained, held) = (first_best(training)?, first_best(held_out)?);
    (trained > held && training[trained] < training[held]).then_some(held)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{Change, Split, last_to_carry_over};

    proptest! {
        #[test]
        fn every_problem_is_in_exactly_one_part(problems in 1_usize..300, percent in 0_u32..=120, seed in 0_u64..50) {
            let split = Split::draw(problems, percent, seed);
            let mut all = [split.training.clone(), split.held_out.clone()].concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..problems).collect::<Vec<_>>());
            prop_assert!(split.training.is_sorted() && split.held_out.is_sorted() && !split.training.is_empty());
            prop_assert!(percent == 0 || problems < 2 || !split.held_out.is_empty());
            prop_assert_eq!(split.clone(), Split::draw(problems, percent, seed));
        }
    }

    #[test]
    fn another_seed_holds_out_others() {
        let split = |seed| Split::draw(100, 50, seed);
        assert_eq!(split(1).held_out.len(), 50);
        assert_ne!(split(1), split(2));
    }

    #[test]
    fn a_change_is_paired_problem_by_problem() {
        let change = Change::between(&[100, 200, 300], &[50, 100, 150]).unwrap();
        assert_eq!(change.relative, -0.5);
        // Differences -50, -100, -150: standard deviation 50, of the sum 50·√3, relative to 600.
        assert!((change.error.unwrap() - 1.96 * 50.0 * 3_f64.sqrt() / 600.0).abs() < 1e-12);
        assert_eq!(Change::between(&[100], &[50]), Some(Change { relative: -0.5, error: None }));
        assert_eq!(Change::between(&[], &[]), None);
    }

    #[test]
    fn gains_stop_where_only_training_goes_on() {
        assert_eq!(last_to_carry_over(&[9.0, 8.0, 7.0, 6.0], &[9.0, 8.0, 8.5, 8.2]), Some(1));
        assert_eq!(last_to_carry_over(&[9.0, 8.0, 7.0], &[9.0, 8.0, 7.5]), None);
        assert_eq!(last_to_carry_over(&[9.0, 7.0, 7.0], &[9.0, 8.0, 7.5]), None, "training found nothing later");
        assert_eq!(last_to_carry_over(&[], &[]), None);
    }
}
