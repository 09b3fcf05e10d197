//! The optimisers on functions with a known minimum: smooth, noisy, stepped, flat, and with the minimum at a bound.

use plysmith_core::parameter::{Parameter, Weights};
use plysmith_core::random::derive_seed;
use plysmith_learn::tune::{
    OptimiserKind, OptimiserSettings, ParameterSpace, RateSchedule, StopReason, SuiteScore, Tuning, TuningLimits,
};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::{collection, sample};

/// A stand-in for a suite of problems: nodes as a function of the weights.
type Function = fn(&[f64]) -> f64;

fn parameter(least: i64, most: i64, step: i64, start: i64) -> Parameter {
    Parameter { name: format!("{least} to {most}"), least, most, step, start }
}

/// The paper's four weights.
fn paper_space() -> ParameterSpace {
    ParameterSpace::new(vec![parameter(100, 2000, 1, 1000); 4]).unwrap()
}

fn setup(method: OptimiserKind, iterations: u32, seed: u64) -> OptimiserSettings {
    OptimiserSettings { delta: 150, mu: method.default_mu(), rate: RateSchedule::Fixed, iterations, seed }
}

fn tuning(method: OptimiserKind, space: &ParameterSpace, iterations: u32, seed: u64) -> Tuning {
    let limits = TuningLimits { iterations, patience: None, progress: 0.001 };
    Tuning::new(space, method.build(space.clone(), &setup(method, iterations, seed)), limits)
}

fn score(function: Function, weights: &Weights) -> SuiteScore {
    let plies: Vec<f64> = weights.0.iter().map(|&weight| weight as f64 / 1000.0).collect();
    let nodes = (1e8 * function(&plies)) as u64;
    SuiteScore { nodes, solved: 0, problems: 100, trace: nodes }
}

/// The best value found within a number of evaluations.
fn minimise(method: OptimiserKind, space: &ParameterSpace, function: Function, evaluations: usize, seed: u64) -> f64 {
    let size = tuning(method, space, 1, seed).ask().unwrap().len();
    let mut tuning = tuning(method, space, (evaluations / size) as u32, seed);
    while let Some(batch) = tuning.ask() {
        let scores: Vec<_> = batch.iter().map(|weights| score(function, weights)).collect();
        tuning.tell(&scores);
    }
    tuning.best().unwrap().score.nodes as f64 / 1e8
}

/// Asserts that every method, with every seed, gets this close to the minimum.
#[track_caller]
fn all_come_below(bound: f64, space: &ParameterSpace, function: Function, evaluations: usize) {
    for method in OptimiserKind::ALL {
        for seed in 1..=5 {
            let found = minimise(method, space, function, evaluations, seed);
            assert!(found <= bound, "{method}, seed {seed}: {found:.4}, not {bound}");
        }
    }
}

/// A model of the paper's engine: the best check weight is at its bound, the others are inside. From 1.0 to 0.7.
fn like_the_paper(w: &[f64]) -> f64 {
    let bowl = |w: f64, minimum: f64| (w - minimum) * (w - minimum);
    0.7 + 0.3 * (w[0] - 0.1) / 0.9 + 0.3 * (bowl(w[1], 0.77) + bowl(w[2], 0.96) + bowl(w[3], 0.89)) - 0.02
}

fn bumpy(w: &[f64]) -> f64 {
    // Noise that depends only on the weights, as in a search: up to one per cent to either side.
    let text = format!("{w:?}");
    like_the_paper(w) * (0.99 + 0.02 * (derive_seed(9, &text) % 1000) as f64 / 1000.0)
}

/// Only steps of an eighth of a ply make a difference.
fn stepped(w: &[f64]) -> f64 {
    let steps: Vec<f64> = w.iter().map(|w| (w * 8.0).round() / 8.0).collect();
    like_the_paper(&steps)
}

/// A narrow diagonal valley: weights that can replace each other.
fn valley(w: &[f64]) -> f64 {
    let (along, across) = (w[0] + w[1] - 1.0, w[0] - w[1]);
    0.5 + 0.05 * along * along + 2.0 * across * across
}

#[test]
fn all_find_the_paper_s_minimum() {
    all_come_below(0.72, &paper_space(), like_the_paper, 200);
}

#[test]
fn chance_does_not_lead_astray() {
    all_come_below(0.75, &paper_space(), bumpy, 200);
}

#[test]
fn steps_hide_nothing() {
    all_come_below(0.74, &paper_space(), stepped, 200);
}

#[test]
fn a_valley_aslant_is_followed() {
    let space = ParameterSpace::new(vec![parameter(100, 2000, 1, 2000); 2]).unwrap();
    assert!(valley(&[2.0, 2.0]) > 0.94);
    for seed in 1..=5 {
        let found = minimise(OptimiserKind::MatrixAdaptation, &space, valley, 300, seed);
        assert!(found < 0.53, "seed {seed}: {found}");
    }
}

/// Weights above 1 have no effect, as in the built-in engines at small depths.
fn one_sided(w: &[f64]) -> f64 {
    w.iter().map(|w| if *w >= 1.0 { 1.0 } else { 0.6 + 0.3 * w }).sum::<f64>() / w.len() as f64
}

#[test]
fn where_one_side_says_nothing_the_other_is_looked_at() {
    assert_eq!(one_sided(&[1.0; 4]), one_sided(&[1.15; 4]));
    all_come_below(0.75, &paper_space(), one_sided, 200);
    let mut tuning = tuning(OptimiserKind::Gradient, &paper_space(), 2, 1);
    let sides = [1150, 850].map(|value| {
        let batch = tuning.ask().unwrap().to_vec();
        let scores: Vec<_> = batch.iter().map(|weights| score(one_sided, weights)).collect();
        tuning.tell(&scores);
        assert_eq!(batch[0], Weights(vec![1000; 4]));
        batch[1].0[0] == value
    });
    assert_eq!(sides, [true, true], "up first, then down");
}

/// Glaurung's extensions: half plies from 0 to 1, all starting at 1; the last one has no effect.
fn half_plies(w: &[f64]) -> f64 {
    assert!(w.iter().all(|w| [0.0, 0.5, 1.0].contains(w)), "{w:?} is not what the engine takes");
    1.0 - 0.3 * (1.0 - w[0]) - 0.05 * (1.0 - w[1]) + 0.02 * (1.0 - w[2])
}

#[test]
fn integer_options_are_tuned_from_their_bound_and_idle_ones_are_known() {
    let space = ParameterSpace::new(vec![parameter(0, 1000, 500, 1000); 4]).unwrap();
    all_come_below(0.7, &space, half_plies, 200);
    let mut tuning = tuning(OptimiserKind::Gradient, &space, 40, 1);
    let mut chosen = Vec::new();
    while let Some(batch) = tuning.ask().map(<[Weights]>::to_vec) {
        let scores: Vec<_> = batch.iter().map(|weights| score(half_plies, weights)).collect();
        chosen.push(batch[tuning.tell(&scores).chosen].clone());
    }
    assert_eq!(chosen[0], Weights(vec![1000; 4]), "the first iteration is the start");
    assert_eq!(tuning.best().unwrap().weights.0[..3], [0, 0, 1000]);
    let idle: Vec<_> = tuning.effects().each().iter().map(|effect| effect.is_none()).collect();
    assert_eq!(idle, [false, false, false, true]);
}

#[test]
fn dividing_by_delta_takes_a_fraction_of_the_iterations() {
    let iterations = |method| {
        let mut tuning = tuning(method, &paper_space(), 100, 1);
        let far = |batch: &[Weights]| batch[0].0[0] > 150;
        let mut count = 0;
        while let Some(batch) = tuning.ask().filter(|batch| far(batch)) {
            let scores: Vec<_> = batch.iter().map(|weights| score(like_the_paper, weights)).collect();
            tuning.tell(&scores);
            count += 1;
        }
        count
    };
    let (printed, divided) = (iterations(OptimiserKind::PrintedGradient), iterations(OptimiserKind::Gradient));
    assert!(divided * 4 <= printed && (2..=8).contains(&divided), "{divided} against {printed}");
}

#[test]
fn a_run_ends_where_nothing_is_to_be_gained() {
    let flat: Function = |_| 0.5;
    let limits = TuningLimits { iterations: 500, patience: Some(6), progress: 0.001 };
    for method in OptimiserKind::ALL {
        let mut tuning = Tuning::new(&paper_space(), method.build(paper_space(), &setup(method, 500, 1)), limits);
        while let Some(batch) = tuning.ask() {
            let scores: Vec<_> = batch.iter().map(|weights| score(flat, weights)).collect();
            tuning.tell(&scores);
        }
        let expected = if matches!(method, OptimiserKind::Gradient | OptimiserKind::PrintedGradient) {
            StopReason::Converged
        } else {
            StopReason::NoProgress
        };
        assert_eq!(tuning.stop(), Some(expected), "{method}");
        assert_eq!(tuning.best().unwrap().weights, paper_space().start(), "{method}: nothing is better than the start");
    }
}

#[test]
fn a_run_that_asks_for_nothing_new_stops() {
    let space = ParameterSpace::new(vec![parameter(0, 1000, 500, 1000); 2]).unwrap();
    for method in OptimiserKind::ALL {
        let mut tuning = tuning(method, &space, 1000, 1);
        let (mut measured, mut iterations) = (Vec::<Weights>::new(), 0);
        while let Some(batch) = tuning.ask().map(<[Weights]>::to_vec) {
            let scores: Vec<_> = batch.iter().map(|weights| score(half_plies_of_two, weights)).collect();
            if batch.iter().all(|weights| measured.contains(weights)) {
                tuning.tell_repeat(&scores);
            } else {
                tuning.tell(&scores);
                iterations += 1;
            }
            measured.extend(batch);
        }
        // A method with a step that shrinks may notice first that it has converged.
        let stop = tuning.stop();
        assert!(matches!(stop, Some(StopReason::Repeats | StopReason::Converged)), "{method}: {stop:?}");
        assert!(iterations <= 9, "{method}: {iterations} iterations for nine settings");
        assert_eq!(tuning.best().unwrap().weights, Weights(vec![0, 1000]), "{method}");
    }
}

/// Half plies from 0 to 1: the first should be low, the second high.
fn half_plies_of_two(w: &[f64]) -> f64 {
    1.0 - 0.3 * (1.0 - w[0]) + 0.1 * (1.0 - w[1])
}

#[test]
fn names_read_back() {
    for method in OptimiserKind::ALL {
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    let error = "newton".parse::<OptimiserKind>().unwrap_err().to_string();
    assert_eq!(
        error,
        "'newton' is not an optimiser; expected one of gradient, printed-gradient, spsa, matrix-adaptation"
    );
}

/// Any space, with steps from a thousandth to the whole range.
fn any_space() -> impl Strategy<Value = ParameterSpace> {
    let any_parameter = (-3000_i64..3000, 1_i64..5000, prop_oneof![Just(1_i64), 1_i64..5000], 0.0..1.0_f64);
    collection::vec(any_parameter, 1..7).prop_map(|all| {
        let build = |(least, room, step, share): (i64, i64, i64, f64)| {
            let start = least + (room as f64 * share) as i64;
            parameter(least, least + room, step.min(room), start)
        };
        ParameterSpace::new(all.into_iter().map(build).collect()).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// For any scores, all weights are within the space, equal scores lead to equal batches, and the candidates of the
    /// gradient differ where there is room.
    #[test]
    fn every_batch_is_within_bounds_and_follows_from_the_answers(
        space in any_space(),
        method in sample::select(OptimiserKind::ALL.to_vec()),
        answers in collection::vec(prop_oneof![0_u64..100, any::<u64>()], 1..60),
        seed in any::<u64>(),
    ) {
        let mut runs = [tuning(method, &space, 12, seed), tuning(method, &space, 12, seed)];
        let mut asked = 0;
        while let Some(batch) = runs[0].ask().map(<[Weights]>::to_vec) {
            prop_assert_eq!(runs[1].ask(), Some(batch.as_slice()));
            for weights in &batch {
                prop_assert!(space.contains(weights), "{weights} is not in {space:?}");
            }
            if matches!(method, OptimiserKind::Gradient | OptimiserKind::PrintedGradient) {
                let differ = (1..batch.len()).all(|place| batch[0].only_difference(&batch[place]) == Some(place - 1));
                prop_assert!(differ, "{batch:?}");
            }
            let next = |place| answers[(asked + place) % answers.len()];
            let scores: Vec<_> = (0..batch.len())
                .map(|place| SuiteScore { nodes: next(place), solved: 0, problems: 9, trace: 0 })
                .collect();
            asked += batch.len();
            let steps = runs.each_mut().map(|run| run.tell(&scores));
            prop_assert_eq!(&steps[0], &steps[1]);
            prop_assert!(steps[0].chosen < batch.len());
        }
    }

    /// Matrix adaptation uses only the ranking: scaling the nodes by a thousand makes no difference.
    #[test]
    fn matrix_adaptation_only_ranks(seed in 0_u64..1000) {
        let mut runs = [1, 1000].map(|factor| (factor, tuning(OptimiserKind::MatrixAdaptation, &paper_space(), 10, seed)));
        while let Some(batch) = runs[0].1.ask().map(<[Weights]>::to_vec) {
            prop_assert_eq!(runs[1].1.ask(), Some(batch.as_slice()));
            for (factor, run) in &mut runs {
                let scaled = |weights| SuiteScore { nodes: *factor * score(bumpy, weights).nodes, ..score(bumpy, weights) };
                run.tell(&batch.iter().map(scaled).collect::<Vec<_>>());
            }
        }
    }
}
