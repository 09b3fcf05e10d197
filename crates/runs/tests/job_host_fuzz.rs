//! Jobs of every kind with one value changed and the key that fits: hosts do them, refuse them or are interrupted. They never
//! panic.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use plysmith_core::games::{self, Start};
use plysmith_engine::arena::game::GameJob;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_runs::choice::ChoiceJob;
use plysmith_runs::experiment::Experiment;
use plysmith_runs::job_host::local::LocalQueue;
use plysmith_runs::job_host::{HostSetup, JobHost};
use plysmith_runs::kinds::evolve::{self, Evolve, ProgramJob};
use plysmith_runs::kinds::fit::{self, Fit};
use plysmith_runs::kinds::match_::{self, Match};
use plysmith_runs::kinds::measure::{self, Measure};
use plysmith_runs::mates::MateJob;
use plysmith_runs::memory::{AvailableMemory, MemoryRule};
use plysmith_runs::play::PlayConfig;
use plysmith_runs::remote::{Blob, BlobMap, Envelope, Outcome, RemoteBatch, RemoteError, RemoteQueue};
use plysmith_runs::self_play::SelfPlayJob;
use plysmith_runs::suite_maker::{ProblemGoal, SuiteGameJob, SuiteSource, gather};
use plysmith_runs::suite_runner::AttemptJob;
use plysmith_runs::{Job, Key, Services, runs};
use plysmith_store::{Home, Store};
use serde_json::{Value, json};

/// Keeps the first job of every kind, and all blobs.
struct Capture {
    queue: LocalQueue,
    blobs: Arc<BlobMap>,
    jobs: Mutex<BTreeMap<String, Envelope>>,
}

struct CaptureBatch<'a>(Box<dyn RemoteBatch + 'a>, &'a Capture);

impl RemoteQueue for Capture {
    fn window(&self) -> usize {
        self.queue.window()
    }

    fn begin(&self, blobs: &[Blob]) -> Result<Box<dyn RemoteBatch + '_>, RemoteError> {
        blobs.iter().for_each(|blob| self.blobs.insert(blob));
        Ok(Box::new(CaptureBatch(self.queue.begin(blobs)?, self)))
    }
}

impl RemoteBatch for CaptureBatch<'_> {
    fn submit(&mut self, number: u64, envelope: Envelope) -> Result<(), RemoteError> {
        self.1.jobs.lock().unwrap().entry(envelope.kind.clone()).or_insert_with(|| envelope.clone());
        self.0.submit(number, envelope)
    }

    fn receive(&mut self, wait: std::time::Duration) -> Result<Vec<(u64, plysmith_runs::remote::Answer)>, RemoteError> {
        self.0.receive(wait)
    }
}

/// Small runs that have jobs of every kind.
fn captured() -> (Arc<BlobMap>, Vec<Envelope>) {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(&Home::at(folder.path()).store_path()).unwrap());
    let queue = LocalQueue::start(NonZeroUsize::new(2).unwrap());
    let capture = Arc::new(Capture { queue, blobs: Arc::default(), jobs: Mutex::default() });
    let services = Services { remote: Some(capture.clone()), ..Services::new(store) };

    let game = games::find("breakthrough").unwrap();
    let start = (game.start)(&Start { size: Some((5, 5)), black_first: false }).unwrap();
    let mut experiment = Experiment { nodes: 200, ..Experiment::bundled(game).unwrap() };
    experiment.suite.problems.truncate(2);
    let schemes = vec!["Ud-RdTt@0.5".to_string()];
    let config = measure::Config { experiment, schemes, fitness: None, graded: None, seeds: None };
    runs::run::<Measure>(&config, Vec::new(), &services).unwrap();

    let play = PlayConfig::new(game, 50, 2, OpeningPlan { start: start.clone(), plies: 2, seed: 3 }).unwrap();
    let players = ["classic+Ud@0.5", "modern,table=1"].map(|text| play.player(text).unwrap());
    runs::run::<Match>(&match_::Config::new(players, play, None), Vec::new(), &services).unwrap();

    let config = json!({
        "game": "breakthrough", "start": start, "player": "modern", "from": "material", "rounds": 1, "games": [30],
        "nodes": [30], "keep_rounds": 1, "blend": 0.5, "gate_games": 2, "gate_nodes": 20, "seed": 2, "output": null,
        "regression": { "form": "patterns", "epochs": 1, "min_count": 1, "rate": 0.5, "l2": 0.0 }, "force": false,
    });
    let config: fit::Config = serde_json::from_value(config).unwrap();
    runs::run::<Fit>(&config, Vec::new(), &services).unwrap();

    let suite = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1 bm d1d8; id \"one\"; solve proven; distance 1;\n";
    let config = json!({
        "budget": 500, "dialect": "recursive", "fitness": "plain", "force": false, "founder_files": [], "founders": [],
        "generations": 1, "islands": 1, "lengths": null, "migration": 1, "output": null, "population": 4, "sample": 1,
        "seed": 5, "size": 20, "suite": suite, "suite_name": "mates", "tournament": 2,
    });
    let config: evolve::Config = serde_json::from_value(config).unwrap();
    runs::run::<Evolve>(&config, Vec::new(), &services).unwrap();

    let goal = ProblemGoal::ForcedWin { plies: 3 };
    let source =
        SuiteSource::SelfPlay { game: "breakthrough".to_string(), start: start.clone(), goal, seed: 1, nodes: 50 };
    gather(&source, "p", 1, &services, &|_, _| ()).unwrap();

    let mut jobs: Vec<Envelope> = capture.jobs.lock().unwrap().values().cloned().collect();
    let player = plysmith_engine::player::Participant::parse(game, "classic+Ud@0.5").unwrap();
    let choice =
        plysmith_runs::choice::Chooser::new(game, player).unwrap().job(&start, std::slice::from_ref(&start), 50, 1);
    jobs.push(Envelope::of(&choice, &[], &[]).unwrap());
    (capture.blobs.clone(), jobs)
}

/// The key of a job of this kind, if it is one.
fn key_of(kind: &str, job: &Value) -> Option<Key> {
    fn key<J: Job>(job: &Value) -> Option<Key> {
        Some(serde_json::from_value::<J>(job.clone()).ok()?.key())
    }
    match kind {
        AttemptJob::KIND => key::<AttemptJob>(job),
        GameJob::KIND => key::<GameJob>(job),
        SelfPlayJob::KIND => key::<SelfPlayJob>(job),
        ChoiceJob::KIND => key::<ChoiceJob>(job),
        MateJob::KIND => key::<MateJob>(job),
        ProgramJob::KIND => key::<ProgramJob>(job),
        SuiteGameJob::KIND => key::<SuiteGameJob>(job),
        _ => None,
    }
}

fn places(value: &Value, place: String, found: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, item)| places(item, format!("{place}/{index}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| places(field, format!("{place}/{name}"), found));
        }
        _ => {}
    }
    found.push(place);
}

fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(_) => [0, 1, 7, 255, u64::from(u32::MAX), u64::MAX].map(Value::from).to_vec(),
        Value::String(text) => {
            let longer = format!("{text}{text}");
            let shorter: String = text.chars().skip(1).collect();
            ["", "x", "0", "classic", "chess", "\u{0}", "8/8/8/8/8/8/8/8 w - - 0 1", &longer, &shorter]
                .map(Value::from)
                .to_vec()
        }
        Value::Array(list) => vec![json!([]), json!([list.clone(), list.clone()].concat())],
        Value::Bool(truth) => vec![json!(!truth)],
        _ => vec![json!(null), json!({})],
    }
}

#[test]
fn changed_jobs_of_every_kind_make_no_host_panic() {
    let (blobs, jobs) = captured();
    let kinds: Vec<&str> = jobs.iter().map(|envelope| envelope.kind.as_str()).collect();
    assert_eq!(kinds, ["attempt", "game", "mate", "program", "selfplay", "suite-game", "choice"]);
    let memory = MemoryRule { available: AvailableMemory::Bytes(1 << 28), fewer_threads: false };
    let mut host = JobHost::new(Arc::new(HostSetup { memory, ..HostSetup::new(blobs, NonZeroUsize::MIN) }));
    let (mut done, mut refused, mut interrupted) = (0, 0, 0);
    for envelope in &jobs {
        let begun = std::time::Instant::now();
        let mut changed = Vec::new();
        let mut found = Vec::new();
        places(&envelope.job, String::new(), &mut found);
        for place in found {
            for other in others(envelope.job.pointer(&place).unwrap()) {
                let mut job = envelope.job.clone();
                *job.pointer_mut(&place).unwrap() = other;
                let key = key_of(&envelope.kind, &job).unwrap_or_else(|| envelope.key.clone());
                changed.push(Envelope { job, key, ..envelope.clone() });
            }
        }
        for changed in changed.iter().chain([envelope]) {
            // Whatever takes long is not waited for.
            let polls = AtomicU32::new(0);
            let interrupt = || polls.fetch_add(1, Ordering::Relaxed) > 200;
            match host.run(changed, &interrupt).map(|answer| answer.outcome) {
                Some(Outcome::Result(_)) => done += 1,
                Some(Outcome::Refused(reason) | Outcome::Failed(reason)) => {
                    assert!(!reason.contains("panic"), "{reason}: {}", changed.job);
                    refused += 1;
                }
                None => interrupted += 1,
            }
        }
        println!("{}: {} jobs in {:?}", envelope.kind, changed.len(), begun.elapsed());
        let right = host.run(envelope, &|| false).map(|answer| answer.outcome);
        assert!(matches!(right, Some(Outcome::Result(_))), "{right:?}");
    }
    println!("{done} done, {refused} refused, {interrupted} interrupted");
    assert!(done >= jobs.len() && refused > 100, "{done} done, {refused} refused, {interrupted} interrupted");
}
