//! Runs whose jobs go through a queue to hosts store exactly what they store on the threads of one machine.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plysmith_core::games::{self, GameInfo, Start};
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_runs::experiment::{EngineChoice, Experiment};
use plysmith_runs::job_host::local::LocalQueue;
use plysmith_runs::kinds::discover::{self, Discover};
use plysmith_runs::kinds::evolve::{self, Evolve};
use plysmith_runs::kinds::fit::{self, Fit};
use plysmith_runs::kinds::match_::{self, Match};
use plysmith_runs::kinds::measure::{self, Measure};
use plysmith_runs::kinds::tournament::{self, Tournament};
use plysmith_runs::kinds::tune::{self, LearningOptions, Tune};
use plysmith_runs::play::PlayConfig;
use plysmith_runs::remote::{Answer, Blob, Envelope, Outcome, RemoteBatch, RemoteError, RemoteQueue};
use plysmith_runs::suite_maker::{MateConditions, ProblemGoal, SuiteSource, gather};
use plysmith_runs::{RunError, RunKind, Services, runs};
use plysmith_store::{Home, Store};
use serde_json::json;
use tempfile::TempDir;

/// Passes jobs on and counts them.
struct Counting {
    queue: LocalQueue,
    answered: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
}

struct CountingBatch<'a>(Box<dyn RemoteBatch + 'a>, &'a Counting);

impl Counting {
    fn new(threads: usize) -> Arc<Counting> {
        let queue = LocalQueue::start(NonZeroUsize::new(threads).unwrap());
        Arc::new(Counting { queue, answered: Arc::default(), refused: Arc::default() })
    }
}

impl RemoteQueue for Counting {
    fn window(&self) -> usize {
        self.queue.window()
    }

    fn begin(&self, blobs: &[Blob]) -> Result<Box<dyn RemoteBatch + '_>, RemoteError> {
        Ok(Box::new(CountingBatch(self.queue.begin(blobs)?, self)))
    }
}

impl RemoteBatch for CountingBatch<'_> {
    fn submit(&mut self, number: u64, envelope: Envelope) -> Result<(), RemoteError> {
        self.0.submit(number, envelope)
    }

    fn receive(&mut self, wait: Duration) -> Result<Vec<(u64, Answer)>, RemoteError> {
        let mut answers = self.0.receive(wait)?;
        for (_, answer) in &answers {
            let count = match &answer.outcome {
                Outcome::Result(_) => &self.1.answered,
                Outcome::Refused(reason) | Outcome::Failed(reason) => {
                    println!("not done: {reason}");
                    &self.1.refused
                }
            };
            count.fetch_add(1, Ordering::Relaxed);
        }
        // The last first: the order of answers does not count.
        answers.reverse();
        Ok(answers)
    }
}

fn services(folder: &TempDir, remote: Option<Arc<Counting>>) -> Services {
    let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
    let remote = remote.map(|queue| queue as Arc<dyn RemoteQueue>);
    Services { threads: NonZeroUsize::new(2).unwrap(), remote, ..Services::new(Arc::new(store)) }
}

/// The rows of a table of a store, as text.
fn rows(folder: &Path, sql: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open(Home::at(folder).store_path()).unwrap();
    let mut select = connection.prepare(sql).unwrap();
    let columns = select.column_count();
    let row = |row: &rusqlite::Row<'_>| {
        let value = |column| row.get::<_, rusqlite::types::Value>(column).map(|value| format!("{value:?}"));
        (0..columns).map(value).collect::<Result<Vec<_>, _>>().map(|values| values.join(" "))
    };
    select.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

/// What two stores must have in common: the events and outputs of runs, and the results of jobs with their keys.
fn stored(folder: &TempDir) -> [Vec<String>; 3] {
    [
        rows(folder.path(), "SELECT run, seq, kind, payload, checksum FROM events ORDER BY run, seq"),
        rows(folder.path(), "SELECT id, kind, config, result FROM runs ORDER BY id"),
        rows(folder.path(), "SELECT key, done, job, body, checksum FROM results ORDER BY key, done"),
    ]
}

/// Does the same work on threads and through hosts, and compares what is stored.
fn same_both_ways(work: impl Fn(&Services)) {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    work(&services(&here, None));
    let queue = Counting::new(3);
    work(&services(&there, Some(queue.clone())));
    let (answered, refused) = (queue.answered.load(Ordering::Relaxed), queue.refused.load(Ordering::Relaxed));
    println!("{answered} jobs were done by hosts");
    assert!(answered > 0, "nothing was sent");
    assert_eq!(refused, 0, "hosts refused jobs");
    let [local, remote] = [stored(&here), stored(&there)];
    for (local, remote) in local.iter().zip(&remote) {
        let difference = local.iter().zip(remote).find(|(local, remote)| local != remote);
        assert_eq!(difference, None);
        assert_eq!(local.len(), remote.len());
    }
    assert!(!local[2].is_empty(), "no result was stored");
}

fn run<K: RunKind>(config: &K::Config, services: &Services) {
    runs::run::<K>(config, Vec::new(), services).unwrap();
}

fn game() -> &'static GameInfo {
    games::find("breakthrough").unwrap()
}

fn experiment(nodes: u64) -> Experiment {
    let mut experiment = Experiment { nodes, ..Experiment::bundled(game()).unwrap() };
    experiment.suite.problems.truncate(12);
    experiment
}

fn play(games: u64) -> PlayConfig {
    let start = (game().start)(&Start { size: Some((5, 6)), black_first: false }).unwrap();
    PlayConfig::new(game(), 200, games, OpeningPlan { start, plies: 4, seed: 3 }).unwrap()
}

#[test]
fn a_measurement() {
    for settings in ["classic", "modern,table=1"] {
        let engine = EngineChoice::BuiltIn(game().parse_settings(settings).unwrap());
        let experiment = Experiment { engine, ..experiment(3_000) };
        let schemes = ["Neutral", "Ud-RdTt@0.5", "Ud-PP@0.25,RdTt@0.75"].map(String::from).to_vec();
        let config = measure::Config { experiment, schemes, fitness: None, graded: None, seeds: None };
        same_both_ways(|services| run::<Measure>(&config, services));
    }
}

#[test]
fn a_discovery_with_early_stops() {
    let base = vec!["Ud".to_string(), "RdTt".to_string(), "PP".to_string()];
    let config = discover::Config { base, ..discover::Config::new(experiment(1_000), &game().into()).unwrap() };
    same_both_ways(|services| run::<Discover>(&config, services));
}

#[test]
fn a_tuning_of_features_and_constants() {
    let options = LearningOptions { iterations: 3, ..LearningOptions::default() };
    let features = tune::feature_parameters(game(), "RdTt,Ud-PP").unwrap();
    let config = tune::Config::new(experiment(1_000), features, &options).unwrap();
    same_both_ways(|services| run::<Tune>(&config, services));

    let engine = EngineChoice::BuiltIn(game().parse_settings("modern,table=1").unwrap());
    let EngineChoice::BuiltIn(settings) = &engine else { unreachable!() };
    let constants = tune::tunable_parameters(settings, &["Lmr*".to_string()]).unwrap();
    let parameters = tune::TunedParameters { weights: Vec::new(), tunables: constants };
    let options = LearningOptions { iterations: 2, ..options };
    let config = tune::Config::new(Experiment { engine, ..experiment(1_000) }, parameters, &options).unwrap();
    same_both_ways(|services| run::<Tune>(&config, services));
}

#[test]
fn a_match() {
    let play = play(20);
    let players = ["modern,table=1+Ud@0.5", "classic"].map(|text| play.player(text).unwrap());
    let config = match_::Config::new(players, play, None);
    same_both_ways(|services| run::<Match>(&config, services));
}

#[test]
fn a_tournament() {
    let play = play(8);
    let players = ["modern,table=1", "classic", "classic+Ud-RdTt@0.5"].map(|text| play.player(text).unwrap()).to_vec();
    let (mode, report) = (tournament::Mode::RoundRobin, tournament::Report::Standings);
    let config = tournament::Config { players, mode, play, report, contestants: None };
    same_both_ways(|services| run::<Tournament>(&config, services));
}

#[test]
fn an_evolution() {
    let suite = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1 bm d1d8; id \"one\"; solve proven; distance 1;\n\
                 kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1 bm a1a6; id \"two\"; solve proven; distance 3;\n";
    for (dialect, fitness) in [("recursive", "plain"), ("paper", "paper")] {
        let config = json!({
            "budget": 2000, "dialect": dialect, "fitness": fitness, "force": false, "founder_files": [],
            "founders": [], "generations": 2, "islands": 2, "lengths": null, "migration": 1, "output": null,
            "population": 20, "sample": 1, "seed": 5, "size": 30, "suite": suite, "suite_name": "mates",
            "tournament": 2, "reference": "df-pn",
        });
        let config: evolve::Config = serde_json::from_value(config).unwrap();
        same_both_ways(|services| run::<Evolve>(&config, services));
    }
}

#[test]
fn a_fit_whose_weights_play_on() {
    let start = (game().start)(&Start { size: Some((5, 5)), black_first: false }).unwrap();
    let config = json!({
        "game": "breakthrough", "start": start, "player": "modern", "from": "material", "rounds": 2,
        "games": [100, 60], "nodes": [60], "keep_rounds": 2, "blend": 0.5, "gate_games": 10, "gate_nodes": 50,
        "regression": { "form": "patterns", "epochs": 3, "min_count": 5, "rate": 0.5, "l2": 0.00001 },
        "seed": 2, "output": null, "force": false,
    });
    let config: fit::Config = serde_json::from_value(config).unwrap();
    same_both_ways(|services| run::<Fit>(&config, services));
}

/// Which results are stored beyond the last problem depends on how much is computed ahead, but not the suite.
#[test]
fn suites() {
    let start = (game().start)(&Start { size: Some((5, 6)), black_first: false }).unwrap();
    let goal = ProblemGoal::ForcedWin { plies: 5 };
    let self_play = SuiteSource::SelfPlay { game: "breakthrough".to_string(), start, goal, seed: 1, nodes: 100 };
    let mates = SuiteSource::Mates { moves: 1, men: 8, seed: 1, nodes: 20, conditions: MateConditions::default() };
    for source in [self_play, mates] {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let queue = Counting::new(3);
        let make = |services: &Services| gather(&source, "p", 3, services, &|_, _| ()).unwrap();
        assert_eq!(make(&services(&here, None)), make(&services(&there, Some(queue.clone()))));
        assert!(queue.answered.load(Ordering::Relaxed) > 0 && queue.refused.load(Ordering::Relaxed) == 0);
        let [local, remote] = [stored(&here), stored(&there)].map(|[_, _, results]| results);
        let both: Vec<_> = local.iter().filter(|row| remote.contains(row)).collect();
        assert!(both.len() >= 3, "{} results in common", both.len());
    }
}

/// Hosts that answer nonsense, refuse and never answer twice the same.
struct Hostile(AtomicUsize);

struct HostileBatch<'a>(&'a Hostile, Vec<(u64, Envelope)>);

impl RemoteQueue for Hostile {
    fn window(&self) -> usize {
        5
    }

    fn begin(&self, _: &[Blob]) -> Result<Box<dyn RemoteBatch + '_>, RemoteError> {
        Ok(Box::new(HostileBatch(self, Vec::new())))
    }
}

impl RemoteBatch for HostileBatch<'_> {
    fn submit(&mut self, number: u64, envelope: Envelope) -> Result<(), RemoteError> {
        self.1.push((number, envelope));
        Ok(())
    }

    fn receive(&mut self, _: Duration) -> Result<Vec<(u64, Answer)>, RemoteError> {
        let answer = |(number, envelope): (u64, Envelope)| {
            let (key, other) = (envelope.key, plysmith_runs::Key::of("another job"));
            let (key, outcome) = match self.0.0.fetch_add(1, Ordering::Relaxed) % 6 {
                0 => (key, Outcome::Refused("not today".to_string())),
                1 => (key, Outcome::Failed("no memory".to_string())),
                2 => (key, Outcome::Result(json!({ "nonsense": true }))),
                3 => (other, Outcome::Result(json!([]))),
                // Games of nobody, and moves that are none.
                4 => (
                    key,
                    Outcome::Result(json!({
                        "plies": [["z9z9", 0, 1, 1]], "winner": "1-0", "end": "rules", "white_fired": [], "white_moves": 0,
                        "black_fired": [], "black_moves": 0,
                    })),
                ),
                _ => (key, Outcome::Result(json!(null))),
            };
            // Twice, and to a job that nobody has sent.
            [(number, Answer::new(&key, outcome.clone())), (number + 1_000_000, Answer::new(&key, outcome))]
        };
        Ok(self.1.drain(..).flat_map(answer).flat_map(|answer| [answer.clone(), answer]).collect())
    }
}

#[test]
fn hostile_hosts_waste_time_and_change_nothing() {
    let play = play(12);
    let players = ["classic+Ud@0.5", "classic"].map(|text| play.player(text).unwrap());
    let config = match_::Config::new(players, play, None);
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run::<Match>(&config, &services(&here, None));
    let remote: Arc<dyn RemoteQueue> = Arc::new(Hostile(AtomicUsize::new(0)));
    run::<Match>(&config, &Services { remote: Some(remote), ..services(&there, None) });
    assert_eq!(stored(&here), stored(&there));
}

/// A way that breaks down after some jobs.
struct Breaking(LocalQueue, AtomicUsize);

struct BreakingBatch<'a>(Box<dyn RemoteBatch + 'a>, &'a AtomicUsize);

impl RemoteQueue for Breaking {
    fn window(&self) -> usize {
        self.0.window()
    }

    fn begin(&self, blobs: &[Blob]) -> Result<Box<dyn RemoteBatch + '_>, RemoteError> {
        Ok(Box::new(BreakingBatch(self.0.begin(blobs)?, &self.1)))
    }
}

impl RemoteBatch for BreakingBatch<'_> {
    fn submit(&mut self, number: u64, envelope: Envelope) -> Result<(), RemoteError> {
        match self.1.fetch_add(1, Ordering::Relaxed) {
            10 => Err(RemoteError::new("the broker is gone; start it and resume the run")),
            _ => self.0.submit(number, envelope),
        }
    }

    fn receive(&mut self, wait: Duration) -> Result<Vec<(u64, Answer)>, RemoteError> {
        self.0.receive(wait)
    }
}

#[test]
fn a_run_whose_way_broke_down_is_resumed() {
    let play = play(20);
    let players = ["classic+Ud@0.5", "classic"].map(|text| play.player(text).unwrap());
    let config = match_::Config::new(players, play, None);
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run::<Match>(&config, &services(&here, None));

    let breaking = Breaking(LocalQueue::start(NonZeroUsize::new(2).unwrap()), AtomicUsize::new(0));
    let services = Services { remote: Some(Arc::new(breaking)), ..services(&there, None) };
    match runs::run::<Match>(&config, Vec::new(), &services) {
        Err(RunError::Failed(reason)) => assert!(reason.contains("the broker is gone"), "{reason}"),
        other => panic!("{:?}", other.map(|finished| finished.run)),
    }
    let run = services.store.runs().unwrap()[0].id;
    plysmith_runs::resume(run, &services).unwrap();
    assert_eq!(stored(&here), stored(&there));
}
