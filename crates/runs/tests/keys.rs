//! The key of every kind of job, pinned. Stored results are found under these keys: a test that fails here means that
//! old stores would be computed anew.

use plysmith_engine::driver::{ForeignJob, MeasurementJob};
use plysmith_runs::job::Job;
use plysmith_runs::suite_runner::AttemptJob;

fn measurement() -> MeasurementJob {
    MeasurementJob {
        game: "breakthrough".to_string(),
        suite: "00ff".to_string(),
        scheme: "Ud-RdTt@0.5".to_string(),
        settings: "classic".to_string(),
        nodes: 500_000,
        seed: 1,
        random: "xoshiro256++".to_string(),
        revision: 2,
        engine: None,
    }
}

/// As version 0.1 named and stored this job, before there were external engines.
const MEASUREMENT: &str = "790f5530e6bc8d4dd592448f21fa643f";

fn key(job: &impl Job) -> String {
    job.key().as_str().to_string()
}

#[test]
fn measurement_of_a_built_in_engine() {
    assert_eq!(key(&measurement()), MEASUREMENT);
}

#[test]
fn measurement_to_the_solution() {
    let settings = |policy: &str| MeasurementJob { settings: format!("modern to solution, {policy}"), ..measurement() };
    let keys = ["first", "iteration", "stable"].map(|policy| key(&settings(policy)));
    assert_eq!(keys, ["FIRST", "ITERATION", "STABLE"]);
}

#[test]
fn measurement_of_an_external_engine() {
    let job = MeasurementJob {
        game: "chess".to_string(),
        scheme: "1 0.5".to_string(),
        settings: String::new(),
        engine: Some(ForeignJob {
            command: "glaurung".to_string(),
            name: "Glaurung 2.2".to_string(),
            content: "01ab".to_string(),
        }),
        ..measurement()
    };
    assert_eq!(key(&job), "EXTERNAL");
}

#[test]
fn attempt() {
    assert_eq!(key(&AttemptJob { measurement: measurement(), problem: 17 }), "ATTEMPT");
}
