//! No work starts more threads than it has jobs, or than there is memory for; what is refused has allocated nothing.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use plysmith_core::game::PositionError;
use plysmith_core::games;
use plysmith_core::problem::{Criterion, Problem, Suite};
use plysmith_core::search::NoMemory;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::driver::{
    BuiltIn, Candidate, CandidateError, Conditions, Driver, MeasurementJob, Parameter, Policy, Subject,
};
use plysmith_runs::experiment::{EngineChoice, Experiment};
use plysmith_runs::kinds::evolve::{self, Evolve};
use plysmith_runs::kinds::match_::{self, Match};
use plysmith_runs::kinds::mate_table::{self, MateTable};
use plysmith_runs::kinds::measure::{self, Measure};
use plysmith_runs::mates::bundled_program;
use plysmith_runs::memory::{AvailableMemory, MemoryRule};
use plysmith_runs::play::PlayConfig;
use plysmith_runs::progress::{ProgressSink, Update};
use plysmith_runs::suite_maker::{MateConditions, SuiteSource, gather};
use plysmith_runs::suite_runner::{SearchLimits, SuiteRunner};
use plysmith_runs::{RunError, Services, runs};
use plysmith_store::{Home, Store};
use serde_json::json;
use tempfile::TempDir;

const GIB: u64 = 1 << 30;

/// Keeps the notes that a user would see.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl ProgressSink for Notes {
    fn update(&self, update: Update<'_>) {
        if let Update::Note(text) = update {
            self.0.lock().unwrap().push(text.to_string());
        }
    }
}

/// Work on 64 threads, on a machine with this much memory.
fn services(folder: &TempDir, available: u64, fewer_threads: bool) -> (Services, Arc<Notes>) {
    let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
    let notes = Arc::new(Notes::default());
    let memory = MemoryRule { available: AvailableMemory::Bytes(available), fewer_threads };
    let threads = NonZeroUsize::new(64).unwrap();
    (Services { threads, memory, progress: notes.clone(), ..Services::new(Arc::new(store)) }, notes)
}

/// Measures the bundled problems with a table of this size for each thread.
fn measurement(preset: &str, problems: usize) -> measure::Config {
    let game = games::find("breakthrough").unwrap();
    let bundled = Experiment::bundled(game).unwrap();
    let experiment = Experiment {
        engine: EngineChoice::BuiltIn(game.parse_settings(preset).unwrap()),
        suite: bundled.suite.first(problems),
        nodes: 20,
        ..bundled
    };
    let schemes = vec!["Neutral".to_string()];
    measure::Config { experiment, schemes, fitness: None, graded: None, seeds: None }
}

fn a_match(a: &str, b: &str, games: u64) -> match_::Config {
    let game = games::find("chess").unwrap();
    let start = (game.start)(&Default::default()).unwrap();
    let play = PlayConfig::new(game, 20, games, OpeningPlan { start, plies: 2, seed: 1 }).unwrap();
    match_::Config::new([play.player(a).unwrap(), play.player(b).unwrap()], play, None)
}

fn refused<T>(result: Result<T, RunError>, parts: &[&str]) {
    let Err(RunError::Input(message)) = result else { panic!("it was not refused") };
    for part in parts {
        assert!(message.contains(part), "no '{part}' in {message}");
    }
}

#[test]
fn a_measurement_that_does_not_fit_is_refused_with_the_numbers_and_leaves_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let (services, _) = services(&folder, 4 * GIB, false);
    // Sixty-four tables of 64 GiB cannot be allocated anywhere.
    let config = measurement("modern,table=65536", 302);
    refused(runs::run::<Measure>(&config, Vec::new(), &services), &["a single thread needs 64.0 GiB", "3.6 GiB"]);
    let config = measurement("modern,table=256", 302);
    let parts = ["64 threads need 16.2 GiB", "'modern,table=256' 260 MiB", "only 3.6 GiB", "--threads 14 or fewer"];
    refused(runs::run::<Measure>(&config, Vec::new(), &services), &parts);
    assert!(services.store.runs().unwrap().is_empty());
}

#[test]
fn threads_that_have_no_job_need_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (services, notes) = services(&folder, GIB, false);
    runs::run::<Measure>(&measurement("modern,table=256", 3), Vec::new(), &services).unwrap();
    refused(runs::run::<Measure>(&measurement("modern,table=256", 4), Vec::new(), &services), &["4 threads need"]);
    assert_eq!(*notes.0.lock().unwrap(), [""; 0]);
}

#[test]
fn a_number_of_threads_that_nobody_asked_for_is_reduced() {
    let folder = tempfile::tempdir().unwrap();
    let (services, notes) = services(&folder, GIB, true);
    runs::run::<Measure>(&measurement("modern,table=256", 8), Vec::new(), &services).unwrap();
    let notes = notes.0.lock().unwrap();
    assert!(notes.len() == 1 && notes[0].contains("8 threads need") && notes[0].ends_with("3 are used"), "{notes:?}");
}

#[test]
fn both_players_of_a_match_count_and_so_does_the_hash_of_an_engine() {
    let folder = tempfile::tempdir().unwrap();
    let (services, _) = services(&folder, 4 * GIB, false);
    let parts = ["64 threads need", "'modern,table=32' 36 MiB", "'modern,table=128' 132 MiB", "openings 20 MiB"];
    let config = a_match("modern,table=32", "modern,table=128", 1000);
    refused(runs::run::<Match>(&config, Vec::new(), &services), &parts);
    // It is not even started.
    let engine = "uci:/no/such/engine;Hash=16;Hash=2048";
    refused(
        runs::run::<Match>(&a_match("classic", engine, 2), Vec::new(), &services),
        &["2 threads need", "Hash=2048' 2.0 GiB"],
    );
    assert!(services.store.runs().unwrap().is_empty());
    runs::run::<Match>(&a_match("modern,table=32", "modern,table=128", 2), Vec::new(), &services).unwrap();
    assert!(a_match("classic", engine, 2).players[1].uci().is_some());
}

#[test]
fn tables_of_mate_solvers_and_programs_count_at_their_node_limit() {
    let folder = tempfile::tempdir().unwrap();
    let (services, _) = services(&folder, 4 * GIB, false);
    let suite = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1 bm d1d8; id \"NAME\"; solve proven; distance 1;\n";
    let suite: String = (0..64).map(|number| suite.replace("NAME", &number.to_string())).collect();
    let table = mate_table::Config::new(
        serde_json::from_value(json!({ "suite": suite, "suite_name": "mates" })).unwrap(),
        bundled_program().unwrap(),
        10_000_000,
        Vec::new(),
    );
    let parts = ["64 threads need 31.3 GiB", "df-pn at 10,000,000 nodes 502 MiB"];
    refused(runs::run::<MateTable>(&table, Vec::new(), &services), &parts);
    let few = mate_table::Config { nodes: 1000, exhaustive_nodes: 1000, ..table.clone() };
    runs::run::<MateTable>(&few, Vec::new(), &services).unwrap();
    let evolution = json!({
        "budget": 20_000_000, "dialect": "recursive", "fitness": "plain", "force": false, "founder_files": [],
        "founders": [], "generations": 1, "islands": 1, "lengths": "1", "migration": 1, "output": null,
        "population": 100, "sample": 1, "seed": 5, "size": 50, "suite": suite, "suite_name": "mates", "tournament": 2,
    });
    let config: evolve::Config = serde_json::from_value(evolution).unwrap();
    let parts = ["64 threads need", "the cache of a program"];
    refused(runs::run::<Evolve>(&config, Vec::new(), &services), &parts);
    assert_eq!(services.store.runs().unwrap().len(), 1, "only the small table");
}

#[test]
fn generating_a_suite_counts_the_search_for_mates() {
    let folder = tempfile::tempdir().unwrap();
    let (services, _) = services(&folder, 4 * GIB, false);
    let source = SuiteSource::Mates { moves: 1, men: 12, seed: 1, nodes: 10, conditions: MateConditions::default() };
    refused(gather(&source, "m", 1, &services, &|_, _| ()), &["self-play 20 MiB", "search for mates 292 MiB"]);
}

/// Counts its drivers.
struct Counted(BuiltIn, Arc<AtomicUsize>);

impl Subject for Counted {
    fn job(&self, candidate: &Candidate, conditions: &Conditions) -> Result<MeasurementJob, CandidateError> {
        self.0.job(candidate, conditions)
    }

    fn parameters(&self) -> &[Parameter] {
        self.0.parameters()
    }

    fn check(&self, problem: &Problem) -> Result<(), PositionError> {
        self.0.check(problem)
    }

    fn driver(&self) -> Result<Box<dyn Driver>, NoMemory> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.driver()
    }
}

#[test]
fn a_suite_runner_makes_no_more_drivers_than_it_has_problems() {
    let game = games::find("breakthrough").unwrap();
    let suite = Experiment::bundled(game).unwrap().suite;
    let count = Arc::new(AtomicUsize::new(0));
    let subject = BuiltIn::new(game, game.parse_settings("classic").unwrap(), Policy::End);
    let subject = Box::new(Counted(subject, Arc::clone(&count)));
    let limits = SearchLimits { nodes: 10, seed: 1 };
    let mut runner = SuiteRunner::new(subject, suite.first(3), limits, NonZeroUsize::new(64).unwrap()).unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 3);
    runner.set_suite(&suite.first(2)).unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 3);
    runner.set_suite(&suite).unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 64);
    let empty = Suite { name: "empty".to_string(), problems: Vec::new() };
    runner.set_suite(&empty).unwrap();
    assert_eq!(suite.problems[0].criterion, Criterion::Proven);
}
