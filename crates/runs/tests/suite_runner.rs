//! The lab's promises: the same measurement with any number of threads, settled early or not, recalled
//! or made anew, interrupted or not.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use plysmith_core::depth::Weight;
use plysmith_core::games::{self, GameInfo, Start};
use plysmith_core::generate::{Goal, Plan};
use plysmith_core::problem::{Criterion, Problem, Suite};
use plysmith_core::search::deepening::Interrupt;
use plysmith_engine::driver::{BuiltIn, Candidate, Count, Policy, Subject, Weights};
use plysmith_engine::lab::{Incident, Lab, LabError, Limits, MeasureOptions};
use plysmith_engine::measurement::{Attempt, Job, Measurement, Memo};
use plysmith_engine::suite_maker::{Forgetful, Order, SuiteError, SuiteMemo, Workers, generate};

/// A memo that counts how often it is used.
#[derive(Default)]
struct Notebook {
    pages: HashMap<String, Vec<Attempt>>,
    kept: usize,
}

impl Memo for Notebook {
    type Error = Infallible;

    fn recall(&mut self, job: &Job) -> Result<Option<Vec<Attempt>>, Infallible> {
        Ok(self.pages.get(&job.key()).cloned())
    }

    fn keep(&mut self, job: &Job, attempts: &[Attempt]) -> Result<(), Infallible> {
        self.kept += 1;
        self.pages.insert(job.key(), attempts.to_vec());
        Ok(())
    }
}

fn game() -> &'static GameInfo {
    games::find("breakthrough").unwrap()
}

fn workers<'a>(count: usize, interrupt: &'a Interrupt<'a>) -> Workers<'a> {
    Workers { threads: threads(count), interrupt, progress: &|_, _| (), memo: &Forgetful }
}

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

/// Five-ply wins on a narrow board: quick to make, and solved or not depending on the scheme.
fn order(count: usize) -> Order {
    let start = (game().start)(&Start { size: Some((5, 8)), black_first: false }).unwrap();
    Order { start, count, plan: Plan { goal: Goal::ForcedWin { plies: 5 }, seed: 3, nodes: 300 } }
}

fn small_suite() -> Suite {
    generate(game(), &order(24), &workers(2, &|| false)).unwrap()
}

fn lab(suite: &Suite, workers: usize, preset: &str, seed: u64) -> Lab {
    let subject = BuiltIn::new(game(), game().parse_settings(preset).unwrap(), Count::Whole);
    Lab::new(Box::new(subject), suite.clone(), Limits { nodes: 6000, seed }, threads(workers)).unwrap()
}

fn scheme(text: &str) -> Candidate {
    Candidate::Scheme(game().vocabulary.parse_scheme(text, Weight::HALF).unwrap())
}

/// MeasureOptions for a measurement without surprises.
fn options<'a>(at_least: Option<u32>, interrupt: &'a Interrupt<'a>, progress: &'a dyn Fn(usize)) -> MeasureOptions<'a> {
    let incident = &|incident: &Incident<'_>| panic!("a built-in engine failed: {incident:?}");
    MeasureOptions { at_least, interrupt, progress, incident }
}

fn measure(lab: &mut Lab, text: &str, at_least: Option<u32>, memo: &mut Notebook) -> Measurement {
    lab.measure(&scheme(text), &options(at_least, &|| false, &|_| ()), memo).unwrap()
}

#[test]
fn threads_make_no_difference() {
    let suite = small_suite();
    for preset in ["classic", "modern"] {
        for text in ["Neutral", "RdTt", "Ud-RdTt@0.25,PP@0.75"] {
            let alone = measure(&mut lab(&suite, 1, preset, 7), text, None, &mut Notebook::default());
            assert!(alone.is_complete());
            for workers in [2, 5] {
                let together = measure(&mut lab(&suite, workers, preset, 7), text, None, &mut Notebook::default());
                assert_eq!(together, alone, "{preset} {text}, {workers} threads");
            }
        }
    }
}

#[test]
fn the_suite_tells_schemes_and_seeds_apart() {
    let suite = small_suite();
    let mut memo = Notebook::default();
    let neutral = measure(&mut lab(&suite, 2, "classic", 7), "Neutral", None, &mut memo);
    let extended = measure(&mut lab(&suite, 2, "classic", 7), "RdTt", None, &mut memo);
    let reseeded = measure(&mut lab(&suite, 2, "classic", 8), "Neutral", None, &mut memo);
    assert!(extended.solved() > neutral.solved(), "{} and {}", extended.solved(), neutral.solved());
    assert_ne!(neutral, reseeded);
    assert!(extended.frequencies()[0] > 0.0 && neutral.frequencies().is_empty());
    assert_eq!(memo.pages.len(), 3);
}

#[test]
fn an_early_end_changes_no_verdict_and_no_report() {
    let suite = small_suite();
    let full = measure(&mut lab(&suite, 2, "classic", 7), "RdTt", None, &mut Notebook::default());
    for at_least in 0..=suite.problems.len() as u32 + 1 {
        let mut fresh = Notebook::default();
        let early = measure(&mut lab(&suite, 3, "classic", 7), "RdTt", Some(at_least), &mut fresh);
        assert_eq!(early, full.clone().until_below(at_least));
        assert_eq!(early.is_below(at_least), full.solved() < at_least);
        // A memo that knows more gives the same answer.
        let mut knowing = Notebook::default();
        measure(&mut lab(&suite, 2, "classic", 7), "RdTt", None, &mut knowing);
        assert_eq!(measure(&mut lab(&suite, 1, "classic", 7), "RdTt", Some(at_least), &mut knowing), early);
        assert_eq!(knowing.kept, 1);
        // And one that knows less is only asked to do the rest.
        assert_eq!(measure(&mut lab(&suite, 2, "classic", 7), "RdTt", None, &mut fresh), full);
    }
}

#[test]
fn nothing_is_measured_twice() {
    let suite = small_suite();
    let mut memo = Notebook::default();
    let mut lab = lab(&suite, 2, "classic", 7);
    let first = measure(&mut lab, "Ud", None, &mut memo);
    let searched = Cell::new(0);
    let count = |_| searched.set(searched.get() + 1);
    let options = options(None, &|| false, &count);
    assert_eq!(lab.measure(&scheme("Ud"), &options, &mut memo).unwrap(), first);
    assert_eq!((searched.get(), memo.kept), (0, 1));
}

#[test]
fn an_interrupted_measurement_is_gone_on_with() {
    let suite = small_suite();
    let full = measure(&mut lab(&suite, 2, "classic", 7), "PP", None, &mut Notebook::default());
    let mut memo = Notebook::default();
    let mut times = 0;
    loop {
        // Raised after a few looks: a handful of problems get through each time.
        let looks = AtomicUsize::new(0);
        let interrupt = || looks.fetch_add(1, Ordering::Relaxed) >= 20;
        let options = options(None, &interrupt, &|_| ());
        match lab(&suite, 2, "classic", 7).measure(&scheme("PP"), &options, &mut memo) {
            Ok(measurement) => break assert_eq!(measurement, full),
            Err(LabError::Interrupted) => times += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(times >= 2, "it was interrupted {times} times only");
}

#[test]
fn weights_of_a_template_are_the_scheme_that_they_make() {
    let suite = small_suite();
    let subject = |count| BuiltIn::new(game(), game().parse_settings("classic").unwrap(), count);
    let feature = |text| game().vocabulary.parse_feature(text).unwrap();
    let tuned = subject(Count::Whole).with_template(vec![feature("PP"), feature("RdTt")]).unwrap();
    let names: Vec<_> = tuned.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["PP", "RdTt"]);
    let limits = Limits { nodes: 6000, seed: 7 };
    let mut tuned = Lab::new(Box::new(tuned), suite.clone(), limits, threads(2)).unwrap();
    let mut memo = Notebook::default();
    let weights = Candidate::Weights(Weights(vec![750, 250]));
    let one = tuned.measure(&weights, &options(None, &|| false, &|_| ()), &mut memo).unwrap();
    let other = measure(&mut lab(&suite, 1, "classic", 7), "RdTt@0.25,PP@0.75", None, &mut memo);
    assert_eq!((one, memo.kept), (other, 1));
    assert!(subject(Count::Whole).with_template(vec![feature("PP"), feature("PP")]).is_err());
    assert!(subject(Count::Whole).with_template(vec![feature("Neutral")]).is_err());
}

#[test]
fn a_search_that_ends_with_its_solution_costs_no_more() {
    let suite = small_suite();
    let best_move = |problem: Problem| Problem { criterion: Criterion::BestMove, ..problem };
    let suite = Suite { problems: suite.problems.into_iter().map(best_move).collect(), ..suite };
    let subject = |count| Box::new(BuiltIn::new(game(), game().parse_settings("classic").unwrap(), count));
    let limits = Limits { nodes: 6000, seed: 7 };
    let counts = [Policy::First, Policy::Iteration, Policy::Stable].map(Count::ToSolution);
    let [whole, first, iteration, stable] = [Count::Whole, counts[0], counts[1], counts[2]].map(|count| {
        let mut lab = Lab::new(subject(count), suite.clone(), limits, threads(2)).unwrap();
        lab.measure(&scheme("RdTt"), &options(None, &|| false, &|_| ()), &mut Notebook::default()).unwrap().attempts
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
fn a_lab_turns_from_suite_to_suite_and_remembers_both() {
    let suite = small_suite();
    let half = suite.first(suite.problems.len() / 2);
    let mut memo = Notebook::default();
    let mut lab = lab(&suite, 2, "classic", 7);
    let whole = measure(&mut lab, "Ud", None, &mut memo);
    lab.turn_to(&half).unwrap();
    let part = measure(&mut lab, "Ud", None, &mut memo);
    assert_eq!(part.attempts, whole.attempts[..half.problems.len()]);
    lab.turn_to(&suite).unwrap();
    assert_eq!((measure(&mut lab, "Ud", None, &mut memo), memo.kept), (whole, 2), "nothing was measured again");
    let mut wrong = half;
    wrong.problems[0].position = "nonsense".into();
    assert!(lab.turn_to(&wrong).unwrap_err().to_string().contains(&format!("problem '{}'", wrong.problems[0].id)));
}

#[test]
fn generated_suites_do_not_depend_on_threads() {
    let alone = generate(game(), &order(6), &workers(1, &|| false)).unwrap();
    let together = generate(game(), &order(6), &workers(4, &|| false)).unwrap();
    assert_eq!(alone, together);
    // Even with a single node a move, games are played to their end and have wins in one.
    let shortest = Order { plan: Plan { goal: Goal::ForcedWin { plies: 1 }, seed: 1, nodes: 1 }, ..order(1) };
    assert_eq!(generate(game(), &shortest, &workers(2, &|| false)).unwrap().problems.len(), 1);
    let interrupted = generate(game(), &order(6), &workers(2, &|| true));
    assert!(matches!(interrupted, Err(SuiteError::Interrupted)));
}

/// Keeps what games gave, and breaks off after so many.
struct Diary {
    pages: RefCell<BTreeMap<u64, Option<Problem>>>,
    most: usize,
}

impl SuiteMemo for Diary {
    fn known(&self) -> BTreeMap<u64, Option<Problem>> {
        self.pages.borrow().clone()
    }

    fn keep(&self, game: u64, found: Option<&Problem>) -> ControlFlow<()> {
        let mut pages = self.pages.borrow_mut();
        assert_eq!(pages.insert(game, found.cloned()), None, "game {game} was played again");
        if pages.len() < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[test]
fn a_suite_whose_making_was_interrupted_goes_on_where_it_stopped() {
    let whole = generate(game(), &order(6), &workers(1, &|| false)).unwrap();
    let mut diary = Diary { pages: RefCell::default(), most: 3 };
    let broken_off = generate(game(), &order(6), &Workers { memo: &diary, ..workers(2, &|| false) });
    assert!(matches!(broken_off, Err(SuiteError::Interrupted)));
    assert!(diary.pages.borrow().len() >= 3);
    diary.most = usize::MAX;
    let resumed = generate(game(), &order(6), &Workers { memo: &diary, ..workers(2, &|| false) });
    assert_eq!(resumed.unwrap(), whole);
}
