//! Tuning as a library user meets it: stored forms and results equal those of version 0.1, and a cancelled run is
//! resumed.

use std::num::NonZeroUsize;
use std::sync::Arc;

use plysmith_core::feature::Scheme;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::parameter::Weights;
use plysmith_core::problem::Suite;
use plysmith_core::settings::Tunable;
use plysmith_core::suite::text;
use plysmith_engine::driver::{BuiltIn, Candidate, Conditions, Policy, Subject};
use plysmith_learn::tune::OptimiserKind;
use plysmith_runs::cancel::CancelToken;
use plysmith_runs::error::RunError;
use plysmith_runs::experiment::{EngineChoice, Experiment};
use plysmith_runs::kind::RunKind;
use plysmith_runs::kinds::tune::compare::CompareOptimisers;
use plysmith_runs::kinds::tune::{
    Choice, Config, Event, LearningOptions, Report, Start, Tune, Tuned, TunedParameters, feature_parameters,
    tunable_parameters,
};
use plysmith_runs::progress::{ProgressSink, Update};
use plysmith_runs::runs;
use plysmith_runs::services::Services;
use plysmith_runs::solution_policy::SolutionPolicy;
use plysmith_runs::suites::bundled_suite;
use plysmith_store::{Home, RunId, Status, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

fn game() -> &'static GameInfo {
    games::find("breakthrough").unwrap()
}

fn suite() -> Suite {
    text::parse(game(), "small.suite", include_str!("../../cli/tests/it/small.suite")).unwrap()
}

fn experiment() -> Experiment {
    Experiment {
        game: game().name.to_string(),
        suite: suite(),
        engine: EngineChoice::BuiltIn(game().parse_settings("classic").unwrap()),
        policy: None,
        nodes: 2000,
        seed: 1,
    }
}

fn config(options: &LearningOptions) -> Result<Config, RunError> {
    Config::new(experiment(), feature_parameters(game(), "RdTt,Ud-PP").unwrap(), options)
}

fn small() -> Config {
    config(&LearningOptions { optimiser: OptimiserKind::Spsa, iterations: 4, ..LearningOptions::default() }).unwrap()
}

fn store() -> (TempDir, Arc<Store>) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
    (folder, Arc::new(store))
}

/// The kinds and payloads of a run's events.
fn events(store: &Store, run: RunId) -> Vec<(String, Value)> {
    store.events(run).unwrap().into_iter().map(|event| (event.kind, event.payload)).collect()
}

/// Cancels a run when this iteration is done.
struct CancelAfter(&'static str, CancelToken);

impl ProgressSink for CancelAfter {
    fn update(&self, update: Update<'_>) {
        if matches!(update, Update::Note(text) if text.starts_with(self.0)) {
            self.1.cancel();
        }
    }
}

/// A configuration as version 0.1 stored it.
fn stored_config() -> Value {
    json!({
        "experiment": {
            "game": "breakthrough",
            "suite_name": "small.suite",
            "suite": text::print(&suite(), ""),
            "preset": "classic",
            "nodes": 2000,
            "seed": 1
        },
        "policy": "first",
        "parameters": [
            { "name": "RdTt", "least": "0.1", "most": "2", "step": "0.001", "start": "1" },
            { "name": "Ud-PP", "least": "0.1", "most": "2", "step": "0.001", "start": "0.75" }
        ],
        "method": {
            "optimiser": "printed-gradient",
            "iterations": 6,
            "patience": null,
            "delta": "0.15",
            "mu": 0.5,
            "decreasing": true
        },
        "held_out": ["b5-001"],
        "choice": "held-out"
    })
}

#[test]
fn configurations_are_stored_as_in_version_0_1() {
    let plain = stored_config();
    let mut with_files = plain.clone();
    with_files["files"] = json!({ "out": "/tmp/w.toml", "charts": null, "force": true });
    with_files["figure1"] = true.into();
    with_files["policy"] = "its own".into();
    for stored in [&plain, &with_files] {
        let config: Config = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(serde_json::to_value(&config).unwrap(), *stored);
    }
    let config: Config = serde_json::from_value(plain).unwrap();
    assert_eq!((config.method.optimiser, config.report), (OptimiserKind::PrintedGradient, Report::Plain));
    assert_eq!((config.parameters[1].start, config.choice), (750, Choice::HeldOut));
    let config: Config = serde_json::from_value(with_files).unwrap();
    assert_eq!((config.policy().unwrap(), config.report), (SolutionPolicy::EnginesOwn, Report::Figure1));
}

#[test]
fn events_are_stored_as_in_version_0_1() {
    let iteration = json!({
        "kind": "iteration",
        "payload": {
            "optimiser": "spsa",
            "iteration": 2,
            "weights": "1 0.85",
            "nodes": 12_345,
            "solved": 5,
            "problems": 8,
            "relative": 0.875,
            "held_out_nodes": 13_000,
            "held_out_solved": 4,
            "held_out_problems": 8,
            "batch": [{ "weights": "1.15 -0.5", "nodes": 13_000, "solved": 4 }]
        }
    });
    let probe = json!({
        "kind": "probe",
        "payload": { "name": "RdTt", "value": "1", "change": 0.25, "error": null }
    });
    for stored in [iteration, probe] {
        let event: Event = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(serde_json::to_value(&event).unwrap(), stored);
    }
}

#[test]
fn a_cancelled_tuning_is_resumed_and_ends_as_if_it_had_not_been() {
    let config = small();
    let (_folder, whole) = store();
    let expected = runs::run::<Tune>(&config, Vec::new(), &Services::new(Arc::clone(&whole))).unwrap();
    assert_eq!(expected.output.iterations.len(), 4);

    let (_folder, store) = store();
    let services = Services { threads: NonZeroUsize::MIN, ..Services::new(Arc::clone(&store)) };
    let cancel = services.cancel.clone();
    let services = Services { progress: Arc::new(CancelAfter("iteration 2:", cancel)), ..services };
    let run = match runs::run::<Tune>(&config, Vec::new(), &services) {
        Err(RunError::Cancelled(Some(run))) => run,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was not cancelled"),
    };
    assert_eq!(store.run(run).unwrap().status, Status::Interrupted);
    let kinds: Vec<_> = events(&store, run).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["iteration"; 2]);

    let resumed = runs::resume(run, &Services::new(Arc::clone(&store))).unwrap();
    let output: Tuned = serde_json::from_str(&resumed.json).unwrap();
    assert_eq!(output, expected.output);
    let all = events(&store, run);
    assert_eq!(all, events(&whole, expected.run));
    assert_eq!(all.iter().filter(|(kind, _)| kind == "probe").count(), 2, "one for each weight");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let error = |options: LearningOptions| config(&options).unwrap_err().to_string();
    let usual = LearningOptions::default;
    assert!(error(LearningOptions { holdout: 0, choice: Choice::HeldOut, ..usual() }).contains("--holdout PERCENT"));
    let start = |text: &str| LearningOptions { start: text.parse().unwrap(), ..usual() };
    assert!(error(start("1 1 1")).contains("3 weights were given for 2 parameters (RdTt, Ud-PP)"));
    assert!(error(start("3")).contains("'RdTt' is not from 0.1 to 2"));
    assert!("much".parse::<Start>().is_err());
    // One weight is for all, and a random start follows the seed.
    let starts = |options: &LearningOptions| config(options).unwrap().space().unwrap().start();
    assert_eq!(starts(&start("0.5")).0, [500, 500]);
    assert_eq!(starts(&start("random")), starts(&start("random")));
    assert_ne!(starts(&start("random")).0, [1000, 1000]);
}

#[test]
fn training_and_held_out_problems_are_the_suite() {
    let config = small();
    let [training, held_out] = config.split();
    assert_eq!((training.problems.len(), held_out.problems.len()), (8, 8));
    assert!(held_out.problems.iter().all(|problem| config.held_out.contains(&problem.id)));
    assert!(training.problems.iter().all(|problem| !config.held_out.contains(&problem.id)));
}

/// Shows a run of the store that version 0.1 wrote, and runs it again.
fn repeat<K: RunKind>(run: u64, shown: &str) {
    let (folder, fresh) = store();
    let path = folder.path().join("version-1.db");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../store/tests/fixtures/version-1.db"), &path).unwrap();
    let old = Store::open(&path).unwrap();
    let stored = old.run(run.to_string().parse().unwrap()).unwrap();
    assert_eq!(stored.kind, K::NAME);
    let view = runs::view(&old, &stored).unwrap().to_string();
    let (_, shown) = shown.split_once("\n\n").unwrap();
    assert_eq!(view.trim_end(), shown.trim_end());

    let config: K::Config = serde_json::from_value(stored.config.clone()).unwrap();
    assert_eq!(serde_json::to_value(&config).unwrap(), stored.config);
    let again = runs::run::<K>(&config, Vec::new(), &Services::new(Arc::clone(&fresh))).unwrap();
    assert_eq!(Some(serde_json::to_value(&again.output).unwrap()), stored.result);
    assert_eq!(events(&fresh, again.run), events(&old, stored.id));
}

#[test]
fn a_tuning_of_version_0_1_shows_and_repeats() {
    repeat::<Tune>(5, include_str!("../../cli/tests/fixtures/store-v1/show-5.txt"));
}

#[test]
fn a_comparison_of_version_0_1_shows_and_repeats() {
    repeat::<CompareOptimisers>(9, include_str!("../../cli/tests/fixtures/store-v1/show-9.txt"));
}

#[test]
fn search_constants_are_tuned_together_with_weights() {
    let chess = games::find("chess").unwrap();
    let settings = chess.parse_settings("modern,LmrPv=650").unwrap();
    let experiment = Experiment {
        game: "chess".to_string(),
        suite: bundled_suite(chess).unwrap().first(12),
        engine: EngineChoice::BuiltIn(settings),
        policy: None,
        nodes: 10_000,
        seed: 1,
    };
    let patterns = ["Lmr*".to_string(), "LmrBase".to_string(), "FutilityMargin".to_string()];
    let tunables = tunable_parameters(&settings, &patterns).unwrap();
    assert!(tunables.len() > 5 && tunables.last().unwrap().name == "FutilityMargin", "{tunables:?}");
    let start = |name: &str| tunables.iter().find(|one| one.name == name).unwrap().start;
    assert_eq!((start("LmrBase"), start("LmrPv")), (300_000, 650_000), "constants start where the settings have them");

    let patterns = ["LmrBase".to_string(), "FutilityMargin".to_string()];
    let parameters = TunedParameters {
        weights: feature_parameters(chess, "AcK@0.8").unwrap(),
        tunables: tunable_parameters(&settings, &patterns).unwrap(),
    };
    let options =
        LearningOptions { optimiser: OptimiserKind::MatrixAdaptation, iterations: 3, ..LearningOptions::default() };
    let config = Config::new(experiment, parameters, &options).unwrap();
    let stored = serde_json::to_value(&config).unwrap();
    assert_eq!(
        stored["tunables"][0],
        json!({ "name": "LmrBase", "least": "0", "most": "2000", "step": "25", "start": "300" })
    );
    assert_eq!(serde_json::from_value::<Config>(stored).unwrap(), config);

    let (_folder, store) = store();
    let tuned = runs::run::<Tune>(&config, Vec::new(), &Services::new(store)).unwrap().output;
    let names: Vec<_> = tuned.weights.iter().map(|weight| weight.name.as_str()).collect();
    assert_eq!(names, ["AcK", "LmrBase", "FutilityMargin"]);
    let batches = tuned.iterations.iter().flat_map(|row| &row.batch);
    let space = config.space().unwrap();
    let mut bases: Vec<_> = batches
        .map(|candidate| {
            assert!(space.contains(&candidate.weights), "{}", candidate.weights);
            candidate.weights.0[1]
        })
        .collect();
    bases.sort_unstable();
    bases.dedup();
    assert!(bases.len() > 3, "the range is searched: {bases:?}");
    assert!(tuned.weights[2].changed > 0, "another futility margin changes searches: {tuned:?}");

    // The result is written as settings that read back, and as a scheme.
    let preset = chess.parse_settings(tuned.setting.preset.as_deref().unwrap()).unwrap();
    let value = |index: usize| tuned.weights[index].value.0 / 1000;
    assert_eq!(i64::from(preset.tunables.lmr_base), value(1));
    assert_eq!(i64::from(preset.tunables.futility_margin), value(2));
    assert_eq!(preset.tunables.lmr_pv, 650);
    assert!(tuned.setting.scheme.as_deref().unwrap().starts_with("AcK@"));
    let text = tuned.view().to_string();
    assert!(text.contains("\npreset    modern,") && text.contains("\nscheme    AcK@"), "{text}");
}

#[test]
fn constants_at_their_defaults_are_the_job_that_was_stored_before() {
    let settings = game().parse_settings("modern").unwrap();
    let plain = BuiltIn::new(game(), settings, Policy::First);
    let lmr_base = Tunable::find("LmrBase").unwrap();
    let tuned = plain.clone().with_tunables(vec![lmr_base]);
    let conditions = Conditions { suite: "00ff".to_string(), nodes: 1000, seed: 1 };
    let job = |value: i64| tuned.job(&Candidate::Weights(Weights(vec![1000 * value])), &conditions).unwrap();
    let neutral = plain.job(&Candidate::Scheme(Scheme::neutral()), &conditions).unwrap();
    assert_eq!(job(300), neutral);
    assert_eq!(job(325).settings, "modern,LmrBase=325 to solution, first");
    let error = tuned.job(&Candidate::Weights(Weights(vec![2_025_000])), &conditions).unwrap_err().to_string();
    assert_eq!(error, "the weight 2025 of 'LmrBase' is not from 0 to 2000");
}

#[test]
fn unknown_search_constants_are_named_with_similar_ones() {
    let settings = game().parse_settings("modern").unwrap();
    let error = |text: &str| tunable_parameters(&settings, &[text.to_string()]).unwrap_err().to_string();
    assert!(error("lmrbase").starts_with("'lmrbase' is not a search constant; did you mean one of: LmrBase"));
    assert!(error("Futile*").contains("did you mean one of: FutilityDepth, FutilityBase"), "{}", error("Futile*"));
    assert!(error("Xyz").contains("expected one of: LmrBase, "), "{}", error("Xyz"));
}
