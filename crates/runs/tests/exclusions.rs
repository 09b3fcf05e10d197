//! A problem at which an external engine fails is excluded by name, never scored, and nothing else is touched by it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::num::NonZeroUsize;

use plysmith_core::feature::Scheme;
use plysmith_core::game::PositionError;
use plysmith_core::problem::{Criterion, Problem, Suite};
use plysmith_core::search::{Interrupt, NoMemory};
use plysmith_engine::driver::{
    Attempt, Candidate, CandidateError, Conditions, Driver, DriverError, MeasurementJob, Parameter, Request, Subject,
    Weights,
};
use plysmith_engine::measurement::shared;
use plysmith_engine::process::{EngineCommand, EngineError, Process, SpawnMode};
use plysmith_runs::memo::Memo;
use plysmith_runs::suite_runner::{MOST_FAILURES, MeasureError, MeasureOptions, SearchLimits, SuiteRunner};
use plysmith_store::{Home, Store};
use tempfile::TempDir;

/// An engine that fails at a problem as often as a word in its position says: `fails2` fails twice, then succeeds.
#[derive(Clone)]
struct Clumsy {
    parameters: Vec<Parameter>,
    error: EngineError,
}

struct ClumsyDriver {
    error: EngineError,
    failures: HashMap<String, usize>,
}

fn clumsy() -> Clumsy {
    // A real error of a real process is the only way to have one.
    let nowhere: EngineCommand = "/no/such/engine".parse().unwrap();
    let error = Process::start(&nowhere, SpawnMode::Direct).unwrap_err();
    let parameter = Parameter { name: "check".to_string(), least: 100, most: 2000, step: 1, start: 1000 };
    Clumsy { parameters: vec![parameter], error }
}

impl Subject for Clumsy {
    fn job(&self, candidate: &Candidate, conditions: &Conditions) -> Result<MeasurementJob, CandidateError> {
        let Candidate::Weights(weights) = candidate else {
            return Err(CandidateError::NoSchemes { engine: "clumsy".to_string(), reason: "it has none".to_string() });
        };
        weights.fits(&self.parameters)?;
        Ok(MeasurementJob {
            game: "none".to_string(),
            suite: conditions.suite.clone(),
            scheme: weights.to_string(),
            settings: String::new(),
            nodes: conditions.nodes,
            seed: conditions.seed,
            random: String::new(),
            revision: 1,
            behaviour: String::new(),
            engine: None,
        })
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn check(&self, _: &Problem) -> Result<(), PositionError> {
        Ok(())
    }

    fn driver(&self) -> Result<Box<dyn Driver>, NoMemory> {
        Ok(Box::new(ClumsyDriver { error: self.error.clone(), failures: HashMap::new() }))
    }
}

impl Driver for ClumsyDriver {
    fn attempt(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<Attempt>, DriverError> {
        if interrupt() {
            return Ok(None);
        }
        let position = &request.problem.position;
        if position.contains("unusable") {
            return Err(DriverError::Unusable(self.error.clone()));
        }
        let failures = self.failures.entry(format!("{position} {:?}", request.candidate)).or_default();
        let wanted = position.split("fails").nth(1).map_or(0, |digit| digit.parse().unwrap());
        *failures += 1;
        if *failures <= wanted {
            return Err(DriverError::Failed(self.error.clone()));
        }
        // One that never does the same twice.
        let nodes = if position.contains("fickle") { *failures as u64 } else { 100 };
        Ok(Some(Attempt { solved: true, best_move: Some(true), nodes, depth: 3, ..Attempt::default() }))
    }
}

/// An empty store. The folder goes with it.
fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
    (folder, store)
}

fn suite(words: &[&str]) -> Suite {
    let problem = |(index, word): (usize, &&str)| Problem {
        position: format!("p{index} {word}"),
        best: vec!["a".to_string()],
        avoid: Vec::new(),
        id: format!("id{index}"),
        criterion: Criterion::BestMove,
        distance: None,
    };
    Suite { name: "clumsy".to_string(), problems: words.iter().enumerate().map(problem).collect() }
}

fn runner(words: &[&str], threads: usize) -> SuiteRunner {
    let limits = SearchLimits { nodes: 1000, seed: 1 };
    SuiteRunner::new(Box::new(clumsy()), suite(words), limits, NonZeroUsize::new(threads).unwrap()).unwrap()
}

fn weights(units: i64) -> Candidate {
    Candidate::Weights(Weights(vec![units]))
}

const WORDS: &[&str] = &["fine", "fails2", "fails3", "fine", "fails1", "fails9", "fine"];

#[test]
fn problems_that_fail_too_often_are_excluded_on_any_number_of_threads_and_stay_so() {
    for threads in [1, 2, 5] {
        let (_folder, store) = store();
        let (memo, told) = (Memo::Store(&store), RefCell::new(Vec::new()));
        let options = MeasureOptions {
            at_least: None,
            interrupt: &|| false,
            progress: &|_| (),
            incident: &|incident| {
                let id = incident.problem.id.clone();
                told.borrow_mut().push((id, incident.times, incident.is_excluded));
                assert!(incident.to_string().contains("/no/such/engine"), "{incident}");
            },
        };
        let measured = runner(WORDS, threads).measure(&weights(1000), &options, memo).unwrap();
        let excluded: Vec<usize> = measured.excluded().map(|(index, _)| index).collect();
        assert_eq!((excluded, measured.solved(), measured.nodes()), (vec![2, 5], 5, 500));
        let (_, failure) = measured.excluded().next().unwrap();
        for part in ["'id2' is excluded: engine '/no/such/engine'", "position: p2 fails3", "weights 1;", "1000 nodes"] {
            assert!(failure.contains(part), "no {part} in {failure}");
        }
        let twice = |id: &str| (1..=2).map(|times| (id.to_string(), times, false)).collect::<Vec<_>>();
        let gone = |id: &str| (1..=MOST_FAILURES).map(|times| (id.to_string(), times, true)).collect::<Vec<_>>();
        let all = [twice("id1"), gone("id2"), vec![("id4".to_string(), 1, false)], gone("id5")].concat();
        assert_eq!(told.take(), all);
        // From the memo, without another failure.
        let again = runner(WORDS, threads).measure(&weights(1000), &options, memo).unwrap();
        assert_eq!((again, told.take()), (measured, Vec::new()));
    }
}

#[test]
fn an_engine_that_fails_everywhere_ends_the_measurement_and_keeps_what_was_measured() {
    let options = MeasureOptions { at_least: None, interrupt: &|| false, progress: &|_| (), incident: &|_| () };
    let (_folder, store) = store();
    let memo = Memo::Store(&store);
    let words = [vec!["fine"; 3], vec!["fails9"; 12], vec!["fine"; 3]].concat();
    let error = runner(&words, 2).measure(&weights(500), &options, memo).unwrap_err();
    assert!(matches!(error, MeasureError::FailsEverywhere { problems: 10, .. }), "{error}");
    assert!(error.to_string().contains("failed 3 times at each of 10 problems in a row"), "{error}");
    let job = runner(&words, 1).job(&weights(500)).unwrap();
    assert_eq!(memo.recall(&job).unwrap().unwrap().len(), 13);
    // The memo knows it, too.
    assert!(matches!(
        runner(&words, 1).measure(&weights(500), &options, memo),
        Err(MeasureError::FailsEverywhere { .. })
    ));
    // A suite with few problems is no excuse.
    let few = runner(&["fails9", "fails9"], 2).measure(&weights(500), &options, memo);
    assert!(matches!(few, Err(MeasureError::FailsEverywhere { problems: 2, .. })));
    let error = runner(&["fine", "fine", "unusable"], 2).measure(&weights(500), &options, memo).unwrap_err();
    assert!(matches!(error, MeasureError::Engine(_)), "{error}");
}

#[test]
fn candidates_that_make_no_sense_are_refused_before_anything_is_measured() {
    let options = MeasureOptions { at_least: None, interrupt: &|| false, progress: &|_| (), incident: &|_| () };
    let refuse = |candidate: &Candidate| runner(WORDS, 1).measure(candidate, &options, Memo::Disabled).unwrap_err();
    assert!(refuse(&weights(5000)).to_string().contains("the weight 5 of 'check' is not from 0.1 to 2"));
    assert!(refuse(&Candidate::Weights(Weights::default())).to_string().contains("0 weights were given for 1"));
    assert!(refuse(&Candidate::Scheme(Scheme::neutral())).to_string().contains("takes no schemes: it has none"));
}

#[test]
fn two_candidates_are_compared_on_what_both_have() {
    let options = MeasureOptions { at_least: None, interrupt: &|| false, progress: &|_| (), incident: &|_| () };
    let (_folder, store) = store();
    let memo = Memo::Store(&store);
    let mut runner = runner(WORDS, 2);
    let one = runner.measure(&weights(1000), &options, memo).unwrap();
    let other = runner.measure(&weights(900), &options, memo).unwrap();
    assert_eq!(shared([&one, &other]), [0, 1, 3, 4, 6]);
}

#[test]
fn an_engine_that_cannot_repeat_itself_is_warned_of() {
    let check = |words: &[&str]| runner(words, 1).check_repeats(&weights(1000), &|| false).unwrap();
    let steady = check(&["fine", "fine", "fine"]).unwrap();
    assert_eq!(steady.warning(), None);
    let fickle = check(&["fine", "fickle", "fine"]).unwrap();
    assert!(fickle.at_once && !fickle.in_another_order && fickle.in_another_process, "{fickle:?}");
    assert!(
        fickle.warning().unwrap().contains("(after another problem); measurements of this engine are not reproducible")
    );
    assert!(!check(&["fickle", "fine"]).unwrap().at_once);
    // Who fails has other troubles, and is told of them when it is measured.
    assert_eq!(check(&["fails9", "fine"]), None);
    assert_eq!(runner(WORDS, 1).check_repeats(&weights(1000), &|| true).unwrap(), None);
}
