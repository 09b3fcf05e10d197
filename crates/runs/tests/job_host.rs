//! Hosts refuse what they should not do, say why, and go on.

use std::num::NonZeroUsize;
use std::sync::Arc;

use plysmith_core::games;
use plysmith_core::patterns::Patterns;
use plysmith_core::problem::Suite;
use plysmith_core::weights::WeightFile;
use plysmith_engine::arena::game::GameJob;
use plysmith_engine::driver::{BuiltIn, Candidate, Conditions, Policy, Subject};
use plysmith_engine::player::Participant;
use plysmith_runs::experiment::Experiment;
use plysmith_runs::job_host::engines::OfferedEngines;
use plysmith_runs::job_host::{HostSetup, JobHost};
use plysmith_runs::memory::{AvailableMemory, MemoryRule};
use plysmith_runs::remote::blob::BlobMap;
use plysmith_runs::remote::shared::{WEIGHTS, suite as suite_blob};
use plysmith_runs::remote::{Answer, Blob, Envelope, MessageError, Outcome};
use plysmith_runs::suite_runner::AttemptJob;
use plysmith_runs::{Job, Key};
use serde_json::{Value, json};

/// A host with these blobs and engines.
fn host(blobs: &[Blob], engines: &[(&str, &str)]) -> JobHost {
    let map = Arc::new(BlobMap::default());
    blobs.iter().for_each(|blob| map.insert(blob));
    let mut offered = OfferedEngines::default();
    engines.iter().for_each(|(name, command)| offered.offer(name, command).unwrap());
    let memory = MemoryRule { available: AvailableMemory::Bytes(1 << 30), fewer_threads: false };
    JobHost::new(Arc::new(HostSetup { engines: offered, memory, ..HostSetup::new(map, NonZeroUsize::MIN) }))
}

fn suite() -> Suite {
    Experiment::bundled(games::find("breakthrough").unwrap()).unwrap().suite.first(3)
}

/// A search of the first problem, and its suite.
fn attempt() -> (AttemptJob, Blob) {
    let game = games::find("breakthrough").unwrap();
    let subject = BuiltIn::new(game, game.parse_settings("classic").unwrap(), Policy::First);
    let conditions = Conditions { suite: suite().content_key(), nodes: 1_000, seed: 1 };
    let measurement = subject.job(&Candidate::Scheme(Default::default()), &conditions).unwrap();
    (AttemptJob { measurement, problem: 0 }, suite_blob(&suite()))
}

fn game_job(white: &str, black: &str) -> GameJob {
    let game = games::find("breakthrough").unwrap();
    let [white, black] = [white, black].map(|text| Participant::parse(game, text).unwrap());
    let start = (game.start)(&games::Start { size: Some((5, 5)), black_first: false }).unwrap();
    GameJob { nodes: 50, seed: 3, ..GameJob::new(game, &start, &white, &black) }
}

fn outcome(host: &mut JobHost, envelope: &Envelope) -> Outcome {
    // As it travels.
    let text = envelope.to_text().unwrap();
    let read = Envelope::parse(text.as_bytes()).unwrap();
    assert_eq!(read, *envelope);
    let answer = host.run(&read, &|| false).unwrap();
    let answer = Answer::parse(answer.to_text().as_bytes()).unwrap();
    assert_eq!(answer.key, envelope.key);
    answer.outcome
}

#[track_caller]
fn refuses(host: &mut JobHost, envelope: &Envelope, parts: &[&str]) {
    match outcome(host, envelope) {
        Outcome::Refused(reason) => {
            for part in parts {
                assert!(reason.contains(part), "no '{part}' in {reason}");
            }
        }
        other => panic!("it was not refused: {other:?}"),
    }
}

/// The envelope of a job with a value changed and the key that fits it.
fn changed<J: Job>(job: &J, blobs: &[Blob], field: &str, value: Value) -> Envelope {
    let mut json = serde_json::to_value(job).unwrap();
    *json.pointer_mut(field).unwrap() = value;
    Envelope::of(&serde_json::from_value::<J>(json).unwrap(), blobs, &[]).unwrap()
}

#[test]
fn a_job_that_was_changed_is_refused_and_the_next_one_is_done() {
    let (job, blob) = attempt();
    let blobs = [blob];
    let mut host = host(&blobs, &[]);
    let right = Envelope::of(&job, &blobs, &[]).unwrap();
    let Outcome::Result(result) = outcome(&mut host, &right) else { panic!() };

    refuses(&mut host, &Envelope { key: Key::of("another"), ..right.clone() }, &["its key is", "same plysmith"]);
    refuses(&mut host, &Envelope { kind: "miner".to_string(), ..right.clone() }, &["kind 'miner'"]);
    refuses(&mut host, &Envelope { kind: "fit".to_string(), ..right.clone() }, &["kind 'fit'"]);
    refuses(&mut host, &Envelope { kind: "game".to_string(), ..right.clone() }, &["no job of the kind 'game'"]);
    refuses(&mut host, &Envelope { blobs: Vec::new(), ..right.clone() }, &["must name one suite"]);
    let missing = Blob::new("suite", b"something else".to_vec());
    let without = Envelope { blobs: vec![missing.name().clone()], ..right.clone() };
    refuses(&mut host, &without, &["the suite", "nobody has sent it"]);

    // The key is right, but this program would not make such a job.
    let other_program = "same plysmith everywhere";
    for (field, value, reason) in [
        ("/measurement/revision", json!(1), other_program),
        ("/measurement/behaviour", json!("0123456789abcdef"), other_program),
        ("/measurement/random", json!("dice"), other_program),
        ("/measurement/settings", json!("modern,table=16,table=16"), other_program),
        ("/measurement/settings", json!("modern,table=65536"), "needs 64.0 GiB of memory"),
        ("/measurement/settings", json!("classic,heuristic=/etc/passwd"), "not a heuristic"),
        ("/measurement/settings", json!("classic,heuristic=x#0123456789abcdef"), "did not come with the job"),
        ("/measurement/settings", json!("classic to solution, never"), "not a policy"),
        ("/measurement/scheme", json!("@/etc/passwd"), "not a feature"),
        ("/measurement/suite", json!("00"), "arrived as"),
        ("/measurement/game", json!("go"), "go"),
        ("/problem", json!(3), "no problem 3"),
    ] {
        refuses(&mut host, &changed(&job, &blobs, field, value), &[reason]);
    }
    assert_eq!(outcome(&mut host, &right), Outcome::Result(result), "a host survives all that");
}

#[test]
fn messages_are_bounded_and_checked() {
    let (job, blob) = attempt();
    let envelope = Envelope::of(&job, &[blob], &[]).unwrap();
    let json = serde_json::to_value(&envelope).unwrap();
    let parse = |json: &Value| Envelope::parse(json.to_string().as_bytes()).unwrap_err();
    let with = |field: &str, value: Value| {
        let mut json = json.clone();
        json[field] = value;
        parse(&json).to_string()
    };
    assert!(with("version", json!(2)).contains("version 2; this program has version 1"));
    assert!(with("version", json!(null)).contains("it has no version"));
    assert!(with("command", json!("rm")).contains("unknown field `command`"));
    assert!(with("key", json!("../../etc/passwd")).contains("expected 32 hexadecimal digits"));
    assert!(with("key", json!("G".repeat(32))).contains("not made of hexadecimal digits"));
    assert!(with("kind", json!("game\n")).contains("a kind that is not a short word"));
    assert!(with("blobs", json!(vec![json!({ "role": "suite", "key": "0".repeat(32) }); 65])).contains("more than 64"));
    assert!(with("blobs", json!([{ "role": "suite", "key": "0" }])).contains("32 hexadecimal digits"));
    let huge = format!("{{\"version\": 1, \"key\": \"{}\"}}", "0".repeat(100_000_000));
    assert!(matches!(Envelope::parse(huge.as_bytes()), Err(MessageError::TooLarge { .. })));
    assert!(matches!(Answer::parse(huge.as_bytes()), Err(MessageError::TooLarge { .. })));
    let deep = format!("{{\"version\": 1, \"job\": {}", "[".repeat(500_000));
    assert!(matches!(Envelope::parse(deep.as_bytes()), Err(MessageError::Form { .. })));
    assert!(matches!(Envelope::parse(b"\xff\x00"), Err(MessageError::Form { .. })));
    assert!(matches!(Answer::parse(b"[]"), Err(MessageError::Form { .. })));

    // An answer that is too large says so.
    let answer = Answer::new(&Key::of("job"), Outcome::Result(json!("x".repeat(1_000_000))));
    let Outcome::Refused(reason) = Answer::parse(answer.to_text().as_bytes()).unwrap().outcome else { panic!() };
    assert!(reason.contains("no answer may have more than"), "{reason}");
}

#[test]
fn a_command_in_a_message_is_never_run() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let script = folder.path().join("engine.sh");
    std::fs::write(&script, format!("touch '{}'\n", trace.display())).unwrap();
    let (command, other) = (format!("sh {}", script.display()), format!("sh {} --fast", script.display()));
    let player = format!("uci:{command};Hash=16");
    let job = game_job("classic", &player);
    let needed = plysmith_runs::remote::NeededEngine::of(&command.parse().unwrap()).unwrap();
    let envelope = Envelope::of(&job, &[], &[needed]).unwrap();

    refuses(&mut host(&[], &[]), &envelope, &["does not offer an engine with the content"]);
    refuses(&mut host(&[], &[]), &Envelope { engines: Vec::new(), ..envelope.clone() }, &["does not say what"]);
    refuses(&mut host(&[], &[("one", &other)]), &envelope, &["with other arguments"]);
    let mut offering = host(&[], &[("one", &command)]);
    for option in ["Debug Log File=/tmp/x", "SyzygyPath=/", "Book=..\\x"] {
        let job = game_job("classic", &format!("uci:{command};{option}"));
        let envelope = Envelope { engines: envelope.engines.clone(), ..Envelope::of(&job, &[], &[]).unwrap() };
        refuses(&mut offering, &envelope, &["may name a file"]);
    }
    assert!(!trace.exists(), "nothing was started");
    // What is offered is tried; that it is no engine is not the host's fault.
    assert!(matches!(outcome(&mut offering, &envelope), Outcome::Failed(_)));
}

#[test]
fn weights_come_as_blobs_and_not_from_files() {
    let game = games::find("breakthrough").unwrap();
    let file = WeightFile {
        game: "breakthrough".to_string(),
        form: "patterns 5x5".to_string(),
        made_by: "a test".to_string(),
        numbers: vec![7; Patterns::count(5, 5)],
    };
    // The sender has loaded them under one name; the name in the message is another one that nobody has loaded here.
    let sent = game.load_weights(&file, "sent.weights").unwrap();
    let job = game_job(&format!("modern,table=1,heuristic={sent}"), "classic");
    let there = "there/learned.weights";
    let renamed = job.white.replace("sent.weights", there);
    let mut json = serde_json::to_value(&job).unwrap();
    json["white"] = json!(renamed);
    let renamed: GameJob = serde_json::from_value(json).unwrap();

    let blob = Blob::new(WEIGHTS, file.to_bytes());
    let bare = Envelope::of(&renamed, &[], &[]).unwrap();
    refuses(&mut host(&[], &[]), &bare, &["did not come with the job"]);
    let other = Blob::new(WEIGHTS, WeightFile { numbers: vec![8; file.numbers.len()], ..file.clone() }.to_bytes());
    let with_other = Envelope::of(&renamed, std::slice::from_ref(&other), &[]).unwrap();
    refuses(&mut host(&[other], &[]), &with_other, &["did not come with the job"]);
    let damaged = Blob::new(WEIGHTS, b"plysmith weights 1".to_vec());
    let with_damaged = Envelope::of(&renamed, std::slice::from_ref(&damaged), &[]).unwrap();
    refuses(&mut host(&[damaged], &[]), &with_damaged, &["line"]);

    let with_weights = Envelope::of(&renamed, std::slice::from_ref(&blob), &[]).unwrap();
    let Outcome::Result(there) = outcome(&mut host(&[blob], &[]), &with_weights) else { panic!() };
    let Outcome::Result(here) = outcome(&mut host(&[], &[]), &Envelope::of(&job, &[], &[]).unwrap()) else { panic!() };
    assert_eq!(there, here, "the name of a file decides nothing");
}

#[test]
fn an_interrupted_job_has_no_answer() {
    let mut host = host(&[], &[]);
    let envelope = Envelope::of(&game_job("classic", "modern,table=1"), &[], &[]).unwrap();
    assert!(host.run(&envelope, &|| true).is_none());
    assert!(matches!(outcome(&mut host, &envelope), Outcome::Result(_)));
}
