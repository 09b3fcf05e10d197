//! The key of every kind of job, pinned. Stored results are found under these keys: a test that fails here means that
//! old stores would be computed anew.

use plysmith_engine::driver::{ExternalEngineKey, MeasurementJob};
use plysmith_runs::job::Job;
use plysmith_runs::kinds::evolve::{ProgramJob, ReferenceJob};
use plysmith_runs::mates::MateJob;
use plysmith_runs::suite_maker::{ProblemGoal, SuiteGameJob, SuiteSource};
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
        engine: Some(ExternalEngineKey {
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

/// The keys below are those of a store that version 0.1 wrote, at search revision 3 and program revision 1.
fn program() -> ProgramJob {
    ProgramJob {
        solver: "NumOppPiecesAttacked".to_string(),
        suite: "870f1b07fcb7e980967f3acd992a492d".to_string(),
        cases: vec![4, 5],
        budget: 2000,
        measure: "plain".to_string(),
        search_revision: 3,
        revision: 1,
    }
}

#[test]
fn program_on_a_sample() {
    assert_eq!(key(&program()), "03f8348801968bb2ac97104f4f1d44b6");
}

#[test]
fn reference_solver_on_a_suite() {
    let job = ProgramJob { solver: "alpha-beta".to_string(), cases: (0..6).collect(), budget: 300_000, ..program() };
    assert_eq!(key(&ReferenceJob(job)), "3b46643425b6ab3ddb7727b790e1de5c");
}

#[test]
fn solver_on_a_mate() {
    let position = "k7/8/1K6/8/8/8/8/7R w - - 0 1".to_string();
    let job = |solver: &str| MateJob { solver: solver.to_string(), position: position.clone(), moves: 1, nodes: 2000 };
    let keys = ["alpha-beta", "df-pn"].map(|solver| key(&job(solver)));
    assert_eq!(keys, ["674a9b9c01aada26d17ae8b1cd47d353", "5e7cbf05061f3f6f796638361ee7548e"]);
}

#[test]
fn game_of_a_suite() {
    let self_play = |game: &str, start: &str, goal, seed, nodes| SuiteSource::SelfPlay {
        game: game.to_string(),
        start: start.to_string(),
        goal,
        seed,
        nodes,
    };
    let wins = self_play("breakthrough", "ppppp/ppppp/5/PPPPP/PPPPP w", ProblemGoal::ForcedWin { plies: 3 }, 2, 100);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let tactics = self_play("chess", start, ProblemGoal::Tactic { margin: 300, nodes: 1000 }, 9, 50);
    let mates = SuiteSource::Mates { moves: 1, men: 12, seed: 9, nodes: 50 };
    let first = |source| key(&SuiteGameJob { source, number: 0 });
    assert_eq!(first(wins), "9bb213d5f36db2c7dcc1c2f6f8d20a90");
    assert_eq!(first(tactics), "f924de6ef1766a09323e201278ad6515");
    assert_eq!(first(mates), "5ea1dc8733e1b4a3ae2602252429488b");
}
