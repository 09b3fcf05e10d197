//! Results of shards that disagree are named, and nothing of them is stored.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plysmith_core::games::{self, Start};
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_runs::job_host::engines::OfferedEngines;
use plysmith_runs::kinds::match_::{Config, Match};
use plysmith_runs::play::PlayConfig;
use plysmith_runs::shards::{Planned, merge, plan, results_path, work_on};
use plysmith_runs::{Host, RunError, Services, runs};
use plysmith_store::{Home, Store};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

fn services(folder: &Path) -> Services {
    Services::new(Arc::new(Store::open(&Home::at(folder).store_path()).unwrap()))
}

/// The shards of a short match, worked on; the files of results.
fn results(folder: &TempDir) -> Vec<PathBuf> {
    let services = services(folder.path());
    let game = games::find("breakthrough").unwrap();
    let start = (game.start)(&Start { size: Some((5, 5)), black_first: false }).unwrap();
    let play = PlayConfig::new(game, 50, 6, OpeningPlan { start, plies: 2, seed: 1 }).unwrap();
    let players = ["classic", "classic+Ud@0.5"].map(|text| play.player(text).unwrap());
    let config = Config::new(players, play, None);
    let prepared = runs::prepare::<Match>(&config, &services).unwrap();
    let run = runs::store_prepared::<Match>(&config, &prepared, Vec::new(), &services).unwrap();
    let shards = NonZeroU32::new(2).unwrap();
    let Planned { files, jobs, known } = plan(run, shards, folder.path(), false, &services).unwrap();
    assert_eq!((jobs, known), (6, 0));
    for file in &files {
        let worked = work_on(file, &results_path(file), OfferedEngines::default(), &Host::default()).unwrap();
        assert!(worked.is_complete() && worked.done == 3, "{worked:?}");
    }
    files.iter().map(|file| results_path(file)).collect()
}

/// A copy of results in which a line is changed, with the checksum that fits it.
fn changed(file: &Path, name: &str, line: usize, change: impl Fn(&str) -> String) -> PathBuf {
    let text = fs::read_to_string(file).unwrap();
    let change = |(number, text): (usize, &str)| match number == line {
        true => {
            let json = change(&text[17..]);
            assert_ne!(json, text[17..]);
            format!("{:016x} {json}\n", xxh3_64(json.as_bytes()))
        }
        false => format!("{text}\n"),
    };
    let copy = file.with_file_name(name);
    fs::write(&copy, text.lines().enumerate().map(change).collect::<String>()).unwrap();
    copy
}

fn refused(files: &[PathBuf], services: &Services, parts: &[&str]) {
    match merge(files, services) {
        Err(RunError::Input(reason)) => {
            for part in parts {
                assert!(reason.contains(part), "no '{part}' in {reason}");
            }
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn disagreements_are_named_and_nothing_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let results = results(&folder);
    let services = services(folder.path());
    // Another score, which could be right.
    let other = |json: &str| {
        let at = json.find("\"plies\":[[").unwrap();
        let comma = at + json[at..].find(',').unwrap();
        format!("{},1234567{}", &json[..comma], &json[comma + 1 + json[comma + 1..].find(',').unwrap()..])
    };
    let liar = changed(&results[0], "liar.results", 2, other);
    let both = [results[0].clone(), results[1].clone(), liar.clone()];
    let first = results[0].file_name().unwrap().to_str().unwrap();
    refused(&both, &services, &["1 results disagree", "liar.results:3 differs from", first, "nothing was merged"]);
    let merged = merge(&results, &services).unwrap();
    assert_eq!((merged.new, merged.known, merged.incomplete.len()), (6, 0, 0));
    refused(&[liar], &services, &["liar.results:3 differs from the store"]);
}

#[test]
fn results_of_no_job_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = &results(&folder)[0];
    let services = services(folder.path());
    let replace =
        |name: &str, from: &'static str, to: &'static str| changed(file, name, 1, |json| json.replacen(from, to, 1));
    refused(&[replace("kind", "\"kind\":\"game\"", "\"kind\":\"miner\"")], &services, &["kind:2", "'miner'"]);
    refused(&[replace("job", "\"nodes\":50", "\"nodes\":51")], &services, &["job:2", "the key of this job is"]);
    refused(&[replace("form", "\"winner\":", "\"looser\":")], &services, &["form:2", "no result of a game"]);
    refused(&[replace("move", "\"plies\":[[\"", "\"plies\":[[\"x")], &services, &["move:2", "cannot be"]);
    let version = changed(file, "version", 0, |json| json.replace("\"plysmith-results\":1", "\"plysmith-results\":2"));
    refused(&[version], &services, &["version:1", "results of version 2"]);
}
