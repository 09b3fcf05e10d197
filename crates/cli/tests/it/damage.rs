//! Damaged stores are listed and salvaged, read-only ones are shown, and one that vanishes under a run ends the run.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use rusqlite::Connection;

use crate::halts::Table;
use crate::support::{Home, PLYSMITH, Ran, Running, SMALL_DISCOVERY, skipped};

const MEASURE: [&str; 8] = ["measure", "breakthrough", "Neutral", "Ud", "--suite", "small.suite", "--nodes", "100"];
const MATCH: [&str; 10] =
    ["match", "breakthrough", "--a", "classic", "--b", "classic+Ud@0.5", "--games", "2", "--nodes", "50"];

fn home_with_runs() -> Home {
    let home = Home::new();
    home.run(&MEASURE).ok();
    home.run(&MATCH).ok();
    home
}

/// Changes the store as no program should, past its triggers.
fn break_rules(home: &Home, sql: &str) {
    let connection = Connection::open(home.database()).unwrap();
    let triggers = "SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'";
    let drops: Vec<String> =
        connection.prepare(triggers).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    connection.execute_batch(&drops.join(";")).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn a_sound_store_passes_the_check() {
    let home = home_with_runs();
    let checked = home.run(&["store", "check"]).ok().stdout;
    assert!(checked.contains("2 runs, 4 events and ") && checked.contains("No record is damaged."), "{checked}");
    let json = home.run(&["store", "check", "--json"]).ok().json();
    assert_eq!((json["runs"].to_string(), json["damaged"].to_string()), ("[1,2]".into(), "[]".into()));
}

#[test]
fn damaged_records_are_listed_and_the_others_salvaged() {
    let home = home_with_runs();
    let exported = home.run(&["export", "2"]).ok().stdout;
    break_rules(&home, "UPDATE events SET payload = replace(payload, '0', '1') WHERE run = 1 AND seq = 1");
    let ran = home.run(&["store", "check"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("event") && ran.stdout.contains("its checksum does not match"), "{ran:?}");
    assert!(ran.stderr.contains("1 record is damaged") && ran.stderr.contains("store salvage"), "{ran:?}");
    let json: serde_json::Value = home.run(&["store", "check", "--json"]).json();
    assert_eq!(json["damaged"][0]["kind"], "event");
    assert_eq!((&json["damaged"][0]["run"], &json["damaged"][0]["id"]), (&1.into(), &"1".into()));

    let salvaged = home.run(&["store", "salvage", "rescued"]).ok().stdout;
    assert!(salvaged.contains("2 runs") && salvaged.contains("run 1: one of its events is lost"), "{salvaged}");
    let rescued = |arguments: &[&str]| {
        let mut command = home.command(PLYSMITH, arguments);
        command.env("PLYSMITH_HOME", home.path().join("rescued"));
        Running::spawn(command).end()
    };
    assert_eq!(rescued(&["export", "2"]).ok().stdout, exported);
    assert_eq!(rescued(&["show", "1"]).ok().stdout, home.run(&["show", "1"]).ok().stdout);
    // Exports are streams: what came before the damage has been written, and is no whole JSON text.
    let cut = rescued(&["export", "1"]);
    assert_eq!(cut.code, Some(1), "{cut:?}");
    assert!(cut.stderr.contains("the list of events of run 1 is damaged (1 of 2 are there"), "{cut:?}");
    assert!(serde_json::from_str::<serde_json::Value>(&cut.stdout).is_err(), "{cut:?}");
    home.run(&["store", "salvage", "rescued"]).fails(2, &["rescued/plysmith.db exists"]);
}

/// With a checksum that is right, only the figures themselves can tell.
#[test]
fn results_that_do_not_add_up_are_not_printed() {
    let home = home_with_runs();
    let connection = Connection::open(home.database()).unwrap();
    let result: String = connection.query_row("SELECT result FROM runs WHERE id = 2", [], |row| row.get(0)).unwrap();
    let at: i64 = connection.query_row("SELECT finished_at FROM runs WHERE id = 2", [], |row| row.get(0)).unwrap();
    drop(connection);
    let mut changed: serde_json::Value = serde_json::from_str(&result).unwrap();
    changed["wins"] = (changed["wins"].as_u64().unwrap() + 1).into();
    // The same run in another store, finished with the changed result.
    let store = plysmith_store::Store::open(&home.database()).unwrap();
    let run = store.run("2".parse().unwrap()).unwrap();
    let again = plysmith_store::NewRun {
        kind: run.kind,
        game: run.game,
        config: run.config,
        seed: run.seed,
        version: run.version,
        command: run.command,
        parent: None,
    };
    let id = store.create_run(&again).unwrap().run();
    for event in store.events(run.id).unwrap() {
        store.append_event(id, event.seq, &event.kind, &event.payload).unwrap();
    }
    store.finish_run(id, &changed).unwrap();
    drop(store);
    assert!(at > 0);
    for arguments in [
        &["show", "3"][..],
        &["show", "3", "--json"],
        &["export", "3"],
        &["export", "3", "--format", "csv"],
        &["export", "3", "--format", "pgn"],
    ] {
        home.run(arguments).fails(1, &["the result of run 3 does not add up", "are not 2 games"]);
    }
    let check = home.run(&["store", "check"]);
    assert!(check.code == Some(3) && check.stdout.contains("does not add up"), "{check:?}");
}

#[test]
fn a_store_that_vanishes_under_a_run_ends_it() {
    for (saying, script) in [
        ("was deleted", "rm plysmith.db plysmith.db-wal plysmith.db-shm"),
        ("was replaced by another file", "cp plysmith.db other && mv other plysmith.db"),
        ("was truncated to nothing", ": > plysmith.db"),
    ] {
        let home = Home::new();
        home.slow_down_from(Table::Events, 1);
        let mut running = home.start(SMALL_DISCOVERY);
        home.wait_for_rows(&mut running, Table::Events, 2);
        assert!(home.command("sh", &["-c", script]).status().unwrap().success());
        running.end().fails(1, &["plysmith.db", saying]);
    }
}

#[test]
fn an_emptied_store_is_reported_by_every_command() {
    let home = home_with_runs();
    fs::write(home.database(), "").unwrap();
    for arguments in [&["runs"][..], &["show", "1"], &["export", "1"], &["resume"], &["store", "check"], &MEASURE] {
        home.run(arguments).fails(1, &["2 runs were stored in it", "restore a backup, or delete it"]);
    }
    assert_eq!(fs::metadata(home.database()).unwrap().len(), 0);
}

#[test]
fn a_home_that_is_a_link_to_nothing_or_to_itself_is_named() {
    let home = Home::new();
    symlink("nowhere", home.path().join("dangling")).unwrap();
    symlink("loop", home.path().join("loop")).unwrap();
    home.file("file", "");
    for place in ["dangling", "loop", "file"] {
        for arguments in [&["runs"][..], &["show", "1"], &["export", "1"], &["resume"], SMALL_DISCOVERY] {
            let mut command = home.command(PLYSMITH, arguments);
            command.env("PLYSMITH_HOME", place);
            Running::spawn(command).end().fails(2, &[place, "set PLYSMITH_HOME to a folder"]);
        }
    }
    // A link to a folder is as good as the folder.
    fs::create_dir(home.path().join("folder")).unwrap();
    symlink("folder", home.path().join("link")).unwrap();
    let mut command = home.command(PLYSMITH, &["runs"]);
    command.env("PLYSMITH_HOME", "link");
    Running::spawn(command).end().ok();
}

/// Everything that only reads.
const READERS: [&[&str]; 8] = [
    &["runs"],
    &["runs", "--json"],
    &["show", "1"],
    &["show", "2"],
    &["export", "1"],
    &["export", "2", "--format", "csv"],
    &["export", "2", "--format", "pgn"],
    &["store", "check"],
];

fn printed(home: &Home) -> Vec<String> {
    READERS.iter().map(|arguments| home.run(arguments).ok().stdout).collect()
}

/// Runs plysmith as somebody who is not root and owns nothing here.
fn as_nobody(home: &Home, arguments: &[&str]) -> Ran {
    let fixed = ["--reuid", "65534", "--regid", "65534", "--clear-groups", PLYSMITH];
    Running::spawn(home.command("setpriv", &[&fixed, arguments].concat())).end()
}

#[test]
fn a_store_of_another_user_is_shown_and_exported() {
    let home = home_with_runs();
    let expected = printed(&home);
    let mode = |path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(home.path(), 0o755);
    let first = as_nobody(&home, &["--version"]);
    if first.code != Some(0) {
        return skipped(
            "a_store_of_another_user_is_shown_and_exported",
            &format!("cannot be somebody else: {first:?}"),
        );
    }
    // A folder that may not be written; then, besides, files beside the store that were left by a process that was killed.
    for (arguments, expected) in READERS.iter().zip(&expected) {
        assert_eq!(as_nobody(&home, arguments).ok().stdout, *expected, "{arguments:?}");
    }
    let log = {
        let store = plysmith_store::Store::open(&home.database()).unwrap();
        store.set_label("1".parse().unwrap(), Some("in the log")).unwrap();
        fs::read(home.path().join("plysmith.db-wal")).unwrap()
    };
    home.file("plysmith.db-wal", log);
    let shows_label = |arguments: &[&str]| arguments[0] == "runs" || arguments.get(1) == Some(&"1");
    for (arguments, expected) in READERS.iter().zip(&expected).filter(|(arguments, _)| !shows_label(arguments)) {
        assert_eq!(as_nobody(&home, arguments).ok().stdout, *expected, "{arguments:?}");
    }
    assert_eq!(as_nobody(&home, &["export", "1"]).ok().json()["label"], "in the log");
    assert!(as_nobody(&home, &["runs"]).ok().stdout.contains("in the log"));
    as_nobody(&home, &MEASURE).fails(1, &["plysmith.db", "PLYSMITH_HOME"]);
    as_nobody(&home, &["resume", "1"]).fails(1, &["plysmith.db"]);
}

/// Also one that would have to be migrated.
#[test]
fn an_old_store_of_another_user_is_shown_and_exported() {
    let home = Home::new();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../store/tests/fixtures/version-1.db");
    fs::copy(fixture, home.database()).unwrap();
    fs::set_permissions(home.database(), fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let before = fs::read(home.database()).unwrap();
    if as_nobody(&home, &["--version"]).code != Some(0) {
        return skipped("an_old_store_of_another_user_is_shown_and_exported", "cannot be somebody else");
    }
    let runs = as_nobody(&home, &["runs"]).ok().stdout;
    assert!(runs.contains("plysmith evolve --quick"), "{runs}");
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/store-v1/show-3.json");
    assert_eq!(as_nobody(&home, &["export", "3"]).ok().stdout, fs::read_to_string(golden).unwrap());
    assert_eq!(fs::read(home.database()).unwrap(), before);
}

/// Binds root too.
#[test]
fn a_store_on_a_read_only_file_system_is_shown_and_exported() {
    let home = home_with_runs();
    let expected = printed(&home);
    for (arguments, expected) in READERS.iter().zip(&expected) {
        let script = format!(
            "mount --bind \"$PLYSMITH_HOME\" \"$PLYSMITH_HOME\" && mount -o remount,bind,ro \"$PLYSMITH_HOME\" || exit 77
             cd \"$PLYSMITH_HOME\" && exec '{PLYSMITH}' {}",
            arguments.join(" ")
        );
        let ran = Running::spawn(home.command("unshare", &["-rm", "sh", "-c", &script])).end();
        if ran.code == Some(77) || ran.stderr.contains("unshare") {
            return skipped("a_store_on_a_read_only_file_system_is_shown_and_exported", &format!("no mounts: {ran:?}"));
        }
        assert_eq!(ran.ok().stdout, *expected, "{arguments:?}");
    }
}
