//! Shards: a run whose jobs are done from files, elsewhere, is the run of one machine, whoever is killed; files that are
//! damaged, cut off or something else are refused by name.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::halts::Table;
use crate::support::{Home, PATIENCE, PLYSMITH};

const MATCH: &str = "match --a classic+RdTt@0.5 --b modern,table=1 --games 12 --nodes 300 --size 5x6";

fn words(command: &str) -> Vec<&str> {
    command.split_whitespace().collect()
}

/// Stores a run and writes its jobs into files; returns their names.
fn planned(home: &Home, command: &str, shards: u32) -> Vec<String> {
    home.run(&[&words(command)[..], &["--later"]].concat()).ok();
    assert_eq!(home.status(1), "interrupted");
    plan(home, shards)
}

fn plan(home: &Home, shards: u32) -> Vec<String> {
    let count = shards.to_string();
    let report = home.run(&["plan", "1", "--shards", &count, "-o", "shards", "--json"]).ok().json();
    let files = report["files"].as_array().unwrap();
    files.iter().map(|file| file.as_str().unwrap().to_string()).collect()
}

/// Works on shards in a home of their own, which has nothing else; returns the files of results, in full.
fn worked(home: &Home, shards: &[String]) -> Vec<String> {
    let elsewhere = Home::new();
    let work = |shard: &String| {
        let there = elsewhere.file(shard.rsplit('/').next().unwrap(), fs::read(home.path().join(shard)).unwrap());
        elsewhere.run(&["run-shard", there.to_str().unwrap(), "--threads", "2"]).ok();
        let results = fs::read(there.with_extension("results")).unwrap();
        home.file(&format!("{shard}.results"), results).to_str().unwrap().to_string()
    };
    let results = shards.iter().map(work).collect();
    assert!(!elsewhere.database().exists(), "no store is needed");
    results
}

fn merge(home: &Home, files: &[String]) -> Value {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    home.run(&[&["merge", "--json"][..], &files].concat()).ok().json()
}

#[test]
fn a_run_in_shards_is_the_run_of_one_machine() {
    let tournament = "tournament breakthrough classic modern,table=1 --mode round-robin --baseline classic --games 4 \
                      --nodes 200 --size 5x6";
    let measure = "measure breakthrough Neutral Ud-RdTt@0.5 --suite small.suite --nodes 2000";
    for (command, jobs) in [(MATCH, 12), (tournament, 4), (measure, 32)] {
        let here = Home::new();
        here.run(&words(command)).ok();

        let home = Home::new();
        let shards = planned(&home, command, 3);
        assert_eq!(shards.len(), 3);
        let results = worked(&home, &shards);
        // In two steps, not in their order, and some twice.
        let first = merge(&home, &results[1..]);
        let second = merge(&home, &results);
        assert_eq!(first["new"].as_u64().unwrap() + second["new"].as_u64().unwrap(), jobs, "{first} {second}");
        assert_eq!(second["known"], first["new"]);
        home.run(&["plan", "1", "--shards", "2", "-o", "shards"]).ok();
        assert!(!home.path().join("shards/run-1.1-of-2.shard").exists(), "all is done");

        home.run(&["resume", "1"]).ok();
        let (mut local, mut merged) = (here.exported(1), home.exported(1));
        for export in [&mut local, &mut merged] {
            // When it was done differs.
            export.as_object_mut().unwrap().retain(|name, _| ["config", "events", "result"].contains(&name.as_str()));
        }
        assert_eq!(local, merged, "{command}");
    }
}

#[test]
fn a_suite_is_made_of_games_that_were_played_elsewhere() {
    let command = "suite generate breakthrough --count 2 --plies 3 --size 5x6 --seed 4 --nodes 100 --threads 1";
    let made = Home::new().run(&words(command)).ok().stdout;
    let home = Home::new();
    let plan = ["--plan-games", "200", "--shards", "2", "--shard-folder", "shards", "--json"];
    let planned = home.run(&[&words(command)[..], &plan].concat()).ok().json();
    assert_eq!((planned["jobs"].as_u64(), planned["files"].as_array().unwrap().len()), (Some(200), 2));
    let files: Vec<String> =
        planned["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap().to_string()).collect();
    let merged = merge(&home, &worked(&home, &files));
    assert_eq!(merged["new"].as_u64(), Some(200));
    assert_eq!(home.run(&words(command)).ok().stdout, made);
}

#[test]
fn a_shard_that_was_killed_goes_on() {
    let home = Home::new();
    let command = "match --a classic+RdTt@0.5 --b classic --games 300 --nodes 2000 --size 5x6";
    let shards = planned(&home, command, 1);
    let results = home.path().join("shards/run-1.1-of-1.results");
    let lines = || fs::read_to_string(&results).map_or(0, |text| text.lines().count());

    let mut running = home.start(&["run-shard", &shards[0], "--threads", "1"]);
    let deadline = Instant::now() + PATIENCE;
    while lines() < 4 {
        assert!(Instant::now() < deadline && !running.has_ended(), "the shard does not get to work");
        sleep(Duration::from_millis(2));
    }
    running.kill();
    let kept = lines();
    // As if it had been killed in the middle of a line.
    OpenOptions::new().append(true).open(&results).unwrap().write_all(b"0123456789abcdef {\"kind\":\"ga").unwrap();
    let merged = home.run(&["merge", results.to_str().unwrap(), "--json"]).ok();
    assert!(merged.stderr.contains("results; `plysmith run-shard` continues it"), "{merged:?}");
    assert!(merged.json()["new"].as_u64().unwrap() + 1 >= kept as u64 - 1, "{kept} lines, {merged:?}");

    let report = home.run(&["run-shard", &shards[0], "--json"]).ok().json();
    let [before, done] = ["done_before", "done"].map(|name| report[name].as_u64().unwrap());
    assert!(before >= 3 && before + done == 300, "{report}");
    let again = home.run(&["run-shard", &shards[0], "--json"]).ok().json();
    assert_eq!((again["done_before"].as_u64(), again["done"].as_u64()), (Some(300), Some(0)));
    let results = [results.to_str().unwrap().to_string()];
    merge(&home, &results);
    let resumed = home.run(&["resume", "1", "--json"]).ok().json();
    let here = Home::new();
    assert_eq!(here.run(&[&words(command)[..], &["--json"]].concat()).ok().json(), resumed);
}

/// Changes a byte in the middle of a file.
fn damage(path: &PathBuf) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] = if bytes[middle] == b'7' { b'8' } else { b'7' };
    fs::write(path, bytes).unwrap();
}

#[test]
fn files_that_are_not_what_they_should_be_are_refused_by_name() {
    let home = Home::new();
    let shards = planned(&home, MATCH, 2);
    let results = worked(&home, &shards);
    let copy = |name: &str, of: &str| home.file(name, fs::read(home.path().join(of)).unwrap());
    let text = |path: &PathBuf| path.to_str().unwrap().to_string();

    // Shards.
    let damaged = copy("damaged.shard", &shards[0]);
    damage(&damaged);
    home.run(&["run-shard", &text(&damaged)]).fails(2, &["damaged.shard:", "does not have its checksum"]);
    let whole = fs::read_to_string(home.path().join(&shards[0])).unwrap();
    let cut = home.file("cut.shard", &whole[..whole.len() - 9]);
    home.run(&["run-shard", &text(&cut)]).fails(2, &["cut.shard is cut off"]);
    let short = whole.lines().take(4).map(|line| format!("{line}\n")).collect::<String>();
    let short = home.file("short.shard", short);
    home.run(&["run-shard", &text(&short)]).fails(2, &["short.shard is cut off"]);
    home.run(&["run-shard", "small.suite"]).fails(2, &["small.suite", "no shard of `plysmith plan`"]);
    home.run(&["run-shard", &results[0]]).fails(2, &["no shard of `plysmith plan`"]);
    home.run(&["run-shard", "none.shard"]).fails(2, &["cannot read none.shard"]);
    home.run(&["run-shard", &shards[0], "-o", "small.suite"]).fails(2, &["small.suite", "no file of results"]);
    home.run(&["run-shard", &shards[0], "-o", &results[1]]).fails(2, &["results of another shard"]);
    assert_eq!(home.read("small.suite"), crate::support::SMALL_SUITE, "nothing was written to it");

    // Results. Nothing of any file is stored.
    let damaged = copy("damaged.results", &results[0]);
    damage(&damaged);
    home.run(&["merge", &results[1], &text(&damaged)]).fails(2, &["damaged.results:", "does not have its checksum"]);
    home.run(&["merge", &results[1], "small.suite"]).fails(2, &["small.suite", "no file of results"]);
    home.run(&["merge", &results[1], &shards[0]]).fails(2, &["no file of results"]);
    home.run(&["merge", &results[1], "none.results"]).fails(2, &["cannot read none.results"]);
    let merged = merge(&home, &results);
    assert_eq!((merged["new"].as_u64(), merged["known"].as_u64()), (Some(12), Some(0)));
}

#[test]
fn what_cannot_be_planned_says_why_and_what_to_do() {
    let home = Home::new();
    home.run(&["plan", "1", "--shards", "2"]).fails(2, &["1"]);
    let discover = "discover breakthrough --suite small.suite --nodes 500 --quick --later";
    home.run(&words(discover)).ok();
    let adaptive = ["'discover'", "depend on the results of those before", "plysmith resume 1", "--cluster"];
    home.run(&["plan", "1", "--shards", "2", "-o", "shards"]).fails(2, &adaptive);
    home.run(&words("match --a classic --b modern --nelo 0,10 --nodes 50 --size 5x6 --later")).ok();
    home.run(&["plan", "2", "--shards", "2", "-o", "shards"]).fails(2, &["sequential test", "fixed number of games"]);
    home.run(&words(&MATCH.replace("--games 12", "--games 2"))).ok();
    home.run(&["plan", "3", "--shards", "2"]).fails(2, &["run 3 is finished"]);
    assert_eq!(fs::read_dir(home.path().join("shards")).unwrap().count(), 0, "no part of a file is left");

    home.run(&[&words(MATCH)[..], &["--later"]].concat()).ok();
    home.run(&["plan", "4", "--shards", "0"]).fails(2, &["0"]);
    home.run(&["plan", "4", "--shards", "901"]).fails(2, &["at most 900"]);
    home.run(&["plan", "4", "--shards", "30", "-o", "shards"]).ok();
    let written = fs::read_dir(home.path().join("shards")).unwrap().count();
    assert_eq!(written, 10, "no file without a job; two games are known from run 3");
    home.run(&["plan", "4", "--shards", "30", "-o", "shards"]).fails(2, &["run-4.1-of-30.shard", "--force"]);
    home.run(&["plan", "4", "--shards", "30", "-o", "shards", "--force"]).ok();
}

#[test]
fn an_external_engine_plays_only_where_it_is_offered() {
    let home = Home::new();
    let engine = format!("'{PLYSMITH}' engine breakthrough");
    let (player, offer) = (format!("uci:{engine}"), format!("own={engine}"));
    let command = ["match", "--a", "classic", "--b", &player, "--games", "4", "--nodes", "200", "--size", "5x6"];
    home.run(&[&command[..], &["--later"]].concat()).ok();
    let shards = plan(&home, 1);
    let refused = home.run(&["run-shard", &shards[0]]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    refused.says(&["could not be done here", "4 jobs", "does not offer an engine with the content"]);
    let other = format!("own='{PLYSMITH}' engine chess");
    home.run(&["run-shard", &shards[0], "--engine", &other]).says(&["with other arguments"]);
    home.run(&["run-shard", &shards[0], "--engine", "own"]).fails(2, &["expected NAME=COMMAND"]);
    home.run(&["run-shard", &shards[0], "--engine", "own=/no/such/engine"]).fails(2, &["cannot read the program"]);

    home.run(&["run-shard", &shards[0], "--engine", &offer]).ok();
    let merged = merge(&home, &["shards/run-1.1-of-1.results".to_string()]);
    assert_eq!(merged["new"].as_u64(), Some(4));
    let rows = home.rows(Table::Results);
    home.run(&["resume", "1"]).ok();
    assert_eq!(home.rows(Table::Results), rows, "no game is played again");
}

#[test]
fn an_external_engine_is_measured_where_it_is_offered() {
    let engines = [
        (format!("plug:'{PLYSMITH}' engine breakthrough --plug --preset classic"), vec!["Ud-RdTt@0.5"], None),
        (format!("uci:'{PLYSMITH}' engine breakthrough;Hash=1"), vec!["0.5", "0.25"], Some("weights.toml")),
    ];
    for (engine, schemes, mapping) in engines {
        let home = Home::new();
        home.file(
            "weights.toml",
            "[[weight]]\nname = \"lmr\"\noption = \"LmrBase\"\nrange = [0.1, 0.9]\nscale = 1000\n",
        );
        let mut command =
            vec!["measure", "breakthrough", "--engine", &engine, "--suite", "small.suite", "--nodes", "500"];
        command.extend(mapping.iter().flat_map(|file| ["--mapping", file]));
        command.extend(&schemes);
        let here = home.run(&[&command[..], &["--json"]].concat()).ok().json();

        let home = Home::new();
        home.file(
            "weights.toml",
            "[[weight]]\nname = \"lmr\"\noption = \"LmrBase\"\nrange = [0.1, 0.9]\nscale = 1000\n",
        );
        home.run(&[&command[..], &["--later"]].concat()).ok();
        let shards = plan(&home, 1);
        home.run(&["run-shard", &shards[0]]).says(&["does not offer an engine with the content"]);
        let plain = engine.split_once(':').unwrap().1.split(';').next().unwrap();
        let offer = format!("own={plain}");
        home.run(&["run-shard", &shards[0], "--engine", &offer, "--threads", "2"]).ok();
        let merged = merge(&home, &["shards/run-1.1-of-1.results".to_string()]);
        assert_eq!(merged["new"].as_u64(), Some(16 * schemes.len() as u64));
        assert_eq!(home.run(&["resume", "1", "--json"]).ok().json(), here, "{engine}");
    }
}

#[test]
fn an_option_that_may_name_a_file_is_not_set() {
    let home = Home::new();
    let engine = format!("'{PLYSMITH}' engine breakthrough");
    let player = format!("uci:{engine};Seed=7");
    let command =
        ["match", "--a", "classic", "--b", &player, "--games", "2", "--nodes", "50", "--size", "5x6", "--later"];
    home.run(&command).ok();
    let shards = plan(&home, 1);
    let offer = format!("own={engine}");
    home.run(&["run-shard", &shards[0], "--engine", &offer]).says(&["the option 'Seed' of 'own' may name a file"]);
}
