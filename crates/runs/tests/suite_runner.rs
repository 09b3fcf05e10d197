//! A measurement does not depend on the number of threads, on an early stop, on the cache or on interruptions.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plysmith_core::depth::Weight;
use plysmith_core::games::{self, GameInfo, Start};
use plysmith_core::problem::{Criterion, Problem, Suite};
use plysmith_core::search::Interrupt;
use plysmith_engine::driver::{BuiltIn, Candidate, Policy, Subject, Weights};
use plysmith_engine::measurement::Measurement;
use plysmith_runs::error::RunError;
use plysmith_runs::memo::Memo;
use plysmith_runs::services::Services;
use plysmith_runs::suite_maker::{ProblemGoal, SuiteSource, gather};
use plysmith_runs::suite_runner::{Incident, MeasureError, MeasureOptions, SearchLimits, SuiteRunner};
use plysmith_store::{Home, Store};
use tempfile::TempDir;

fn game() -> &'static GameInfo {
    games::find("breakthrough").unwrap()
}

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

/// An empty store. The folder goes with it.
fn store() -> (TempDir, Arc<Store>) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
    (folder, Arc::new(store))
}

/// Wins in this many plies on a narrow board: quick to make, and solved or not depending on the scheme.
fn source(plies: u32, seed: u64, nodes: u64) -> SuiteSource {
    let start = (game().start)(&Start { size: Some((5, 8)), black_first: false }).unwrap();
    SuiteSource::SelfPlay { game: game().name.into(), start, goal: ProblemGoal::ForcedWin { plies }, seed, nodes }
}

fn wins() -> SuiteSource {
    source(5, 3, 300)
}

fn generate(source: &SuiteSource, count: usize, workers: usize) -> Vec<Problem> {
    let (_folder, store) = store();
    let services = Services { threads: threads(workers), ..Services::new(store) };
    gather(source, "test", count, &services, &|_, _| ()).unwrap()
}

fn small_suite() -> Suite {
    Suite { name: "small".into(), problems: generate(&wins(), 24, 2) }
}

fn runner(suite: &Suite, workers: usize, preset: &str, seed: u64) -> SuiteRunner {
    let subject = BuiltIn::new(game(), game().parse_settings(preset).unwrap(), Policy::End);
    let limits = SearchLimits { nodes: 6000, seed };
    SuiteRunner::new(Box::new(subject), suite.clone(), limits, threads(workers)).unwrap()
}

fn scheme(text: &str) -> Candidate {
    Candidate::Scheme(game().vocabulary.parse_scheme(text, Weight::HALF).unwrap())
}

/// Options for a measurement without faults.
fn options<'a>(at_least: Option<u32>, interrupt: &'a Interrupt<'a>, progress: &'a dyn Fn(usize)) -> MeasureOptions<'a> {
    let incident = &|incident: &Incident<'_>| panic!("a built-in engine failed: {incident:?}");
    MeasureOptions { at_least, interrupt, progress, incident }
}

/// A measurement, and how many problems were searched for it.
fn measure_counting(
    runner: &mut SuiteRunner,
    candidate: &Candidate,
    at_least: Option<u32>,
    memo: Memo<'_>,
) -> (Measurement, usize) {
    let searched = Cell::new(0);
    let count = |_| searched.set(searched.get() + 1);
    let measured = runner.measure(candidate, &options(at_least, &|| false, &count), memo).unwrap();
    (measured, searched.get())
}

fn measure(runner: &mut SuiteRunner, text: &str, at_least: Option<u32>, memo: Memo<'_>) -> Measurement {
    measure_counting(runner, &scheme(text), at_least, memo).0
}

#[test]
fn threads_make_no_difference() {
    let suite = small_suite();
    for preset in ["classic", "modern"] {
        for text in ["Neutral", "RdTt", "Ud-RdTt@0.25,PP@0.75"] {
            let alone = measure(&mut runner(&suite, 1, preset, 7), text, None, Memo::Disabled);
            assert!(alone.is_complete());
            for workers in [2, 5] {
                let together = measure(&mut runner(&suite, workers, preset, 7), text, None, Memo::Disabled);
                assert_eq!(together, alone, "{preset} {text}, {workers} threads");
            }
        }
    }
}

#[test]
fn the_suite_tells_schemes_and_seeds_apart() {
    let suite = small_suite();
    let (_folder, store) = store();
    let memo = Memo::Store(&store);
    let neutral = measure(&mut runner(&suite, 2, "classic", 7), "Neutral", None, memo);
    let extended = measure(&mut runner(&suite, 2, "classic", 7), "RdTt", None, memo);
    let reseeded = measure(&mut runner(&suite, 2, "classic", 8), "Neutral", None, memo);
    assert!(extended.solved() > neutral.solved(), "{} and {}", extended.solved(), neutral.solved());
    assert_ne!(neutral, reseeded);
    assert!(extended.frequencies()[0] > 0.0 && neutral.frequencies().is_empty());
    let key = |seed, text| runner(&suite, 1, "classic", seed).job(&scheme(text)).unwrap().key();
    let mut keys = vec![key(7, "Neutral"), key(7, "RdTt"), key(8, "Neutral")];
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 3);
}

#[test]
fn an_early_end_changes_no_verdict_and_no_report() {
    let suite = small_suite();
    let full = measure(&mut runner(&suite, 2, "classic", 7), "RdTt", None, Memo::Disabled);
    let (_folder, knowing) = store();
    measure(&mut runner(&suite, 2, "classic", 7), "RdTt", None, Memo::Store(&knowing));
    for at_least in 0..=suite.problems.len() as u32 + 1 {
        let (_folder, fresh) = store();
        let memo = Memo::Store(&fresh);
        let (early, searched) =
            measure_counting(&mut runner(&suite, 3, "classic", 7), &scheme("RdTt"), Some(at_least), memo);
        assert_eq!(early, full.clone().until_below(at_least));
        assert_eq!(early.is_below(at_least), full.solved() < at_least);
        assert_eq!(searched, early.attempts.len());
        // A cache that has more gives the same answer.
        let knowing = Memo::Store(&knowing);
        let recalled = measure_counting(&mut runner(&suite, 1, "classic", 7), &scheme("RdTt"), Some(at_least), knowing);
        assert_eq!(recalled, (early, 0));
        // With one that has less only the rest is searched.
        let rest = suite.problems.len() - searched;
        let completed = measure_counting(&mut runner(&suite, 2, "classic", 7), &scheme("RdTt"), None, memo);
        assert_eq!(completed, (full.clone(), rest));
    }
}

#[test]
fn nothing_is_measured_twice() {
    let suite = small_suite();
    let (_folder, store) = store();
    let mut runner = runner(&suite, 2, "classic", 7);
    let first = measure(&mut runner, "Ud", None, Memo::Store(&store));
    assert_eq!(measure_counting(&mut runner, &scheme("Ud"), None, Memo::Store(&store)), (first, 0));
}

#[test]
fn an_interrupted_measurement_is_continued() {
    let suite = small_suite();
    let full = measure(&mut runner(&suite, 2, "classic", 7), "PP", None, Memo::Disabled);
    let (_folder, store) = store();
    let mut times = 0;
    loop {
        // Raised after a few polls: a handful of problems get through each time.
        let polls = AtomicUsize::new(0);
        let interrupt = || polls.fetch_add(1, Ordering::Relaxed) >= 20;
        let options = options(None, &interrupt, &|_| ());
        match runner(&suite, 2, "classic", 7).measure(&scheme("PP"), &options, Memo::Store(&store)) {
            Ok(measurement) => break assert_eq!(measurement, full),
            Err(MeasureError::Interrupted) => times += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(times >= 2, "it was interrupted {times} times only");
}

#[test]
fn weights_of_a_template_are_the_scheme_that_they_make() {
    let suite = small_suite();
    let subject = |count| BuiltIn::new(game(), game().parse_settings("classic").unwrap(), count);
    let feature = |text| BuiltIn::tuned_rule(game(), text).unwrap();
    let tuned = subject(Policy::End).with_template(vec![feature("PP"), feature("RdTt")]).unwrap();
    let names: Vec<_> = tuned.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["PP", "RdTt"]);
    let limits = SearchLimits { nodes: 6000, seed: 7 };
    let mut tuned = SuiteRunner::new(Box::new(tuned), suite.clone(), limits, threads(2)).unwrap();
    let (_folder, store) = store();
    let weights = Candidate::Weights(Weights(vec![750, 250]));
    let (one, _) = measure_counting(&mut tuned, &weights, None, Memo::Store(&store));
    let as_scheme = scheme("RdTt@0.25,PP@0.75");
    let other = measure_counting(&mut runner(&suite, 1, "classic", 7), &as_scheme, None, Memo::Store(&store));
    assert_eq!(other, (one.clone(), 0), "it is not measured again");
    assert_eq!(measure(&mut runner(&suite, 1, "classic", 7), "RdTt@0.25,PP@0.75", None, Memo::Disabled), one);
    assert!(subject(Policy::End).with_template(vec![feature("PP"), feature("PP")]).is_err());
    assert!(subject(Policy::End).with_template(vec![feature("Neutral")]).is_err());
}

#[test]
fn a_search_that_ends_with_its_solution_costs_no_more() {
    let suite = small_suite();
    let best_move = |problem: Problem| Problem { criterion: Criterion::BestMove, ..problem };
    let suite = Suite { problems: suite.problems.into_iter().map(best_move).collect(), ..suite };
    let subject = |policy| Box::new(BuiltIn::new(game(), game().parse_settings("classic").unwrap(), policy));
    let limits = SearchLimits { nodes: 6000, seed: 7 };
    let [whole, first, iteration, stable] = Policy::ALL.map(|policy| {
        let mut runner = SuiteRunner::new(subject(policy), suite.clone(), limits, threads(2)).unwrap();
        measure(&mut runner, "RdTt", None, Memo::Disabled).attempts
    });
    let (mut earlier, mut abandoned) = (0, 0);
    for (index, whole) in whole.iter().enumerate() {
        let all = [&first[index], &iteration[index], &stable[index]];
        for until in all {
            assert!(
                until.nodes <= whole.nodes.max(6000) && (until.solved || until.nodes == 6000),
                "{whole:?} {until:?}"
            );
        }
        // Who agrees at the end of an iteration agreed in it; who agrees to the last has agreed at first.
        assert!(first[index].nodes <= iteration[index].nodes && first[index].nodes <= stable[index].nodes, "{all:?}");
        assert!(first[index].solved || !iteration[index].solved && !stable[index].solved, "{all:?}");
        assert_eq!(stable[index].solved, whole.solved, "what stays on top is the answer in the end");
        earlier += usize::from(first[index].nodes < iteration[index].nodes);
        abandoned += usize::from(first[index].nodes < stable[index].nodes);
    }
    assert!(
        earlier > 5 && abandoned > 2,
        "only {earlier} agreed before an iteration ended, {abandoned} changed their mind"
    );
}

#[test]
fn a_runner_switches_suites_and_remembers_both() {
    let suite = small_suite();
    let half = suite.first(suite.problems.len() / 2);
    let (_folder, store) = store();
    let memo = Memo::Store(&store);
    let mut runner = runner(&suite, 2, "classic", 7);
    let whole = measure(&mut runner, "Ud", None, memo);
    runner.set_suite(&half).unwrap();
    let part = measure(&mut runner, "Ud", None, memo);
    assert_eq!(part.attempts, whole.attempts[..half.problems.len()]);
    runner.set_suite(&suite).unwrap();
    assert_eq!(measure_counting(&mut runner, &scheme("Ud"), None, memo), (whole, 0), "nothing was measured again");
    let mut wrong = half;
    wrong.problems[0].position = "nonsense".into();
    let error = runner.set_suite(&wrong).unwrap_err().to_string();
    assert!(error.contains(&format!("problem '{}'", wrong.problems[0].id)), "{error}");
}

#[test]
fn generated_suites_do_not_depend_on_threads() {
    assert_eq!(generate(&wins(), 6, 1), generate(&wins(), 6, 4));
    // Even with a single node per move, games are played to their end and have wins in one.
    assert_eq!(generate(&source(1, 1, 1), 1, 2).len(), 1);
    let (_folder, store) = store();
    let services = Services::new(store);
    services.cancel.cancel();
    assert!(matches!(gather(&wins(), "test", 6, &services, &|_, _| ()), Err(RunError::Cancelled(None))));
}

#[test]
fn a_suite_whose_making_was_interrupted_continues_where_it_stopped() {
    let (_folder, store) = store();
    let services = Services { threads: threads(2), ..Services::new(Arc::clone(&store)) };
    let cancel_after_three = |_, games| {
        if games >= 3 {
            services.cancel.cancel();
        }
    };
    // So many that they are never all there, however far the workers are ahead when three are counted.
    let stopped = gather(&wins(), "test", usize::MAX, &services, &cancel_after_three);
    assert!(matches!(stopped, Err(RunError::Cancelled(None))), "{stopped:?}");
    for number in 0..3 {
        let job = wins().job(number).unwrap();
        assert!(Memo::Store(&store).recall(&job).unwrap().is_some(), "game {number} is kept");
    }
    let services = Services { threads: threads(2), ..Services::new(store) };
    assert_eq!(gather(&wins(), "test", 6, &services, &|_, _| ()).unwrap(), generate(&wins(), 6, 1));
}
