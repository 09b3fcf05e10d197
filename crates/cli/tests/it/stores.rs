//! Stores that are not ours or cannot be read, and homes that cannot be used: exit code 1 or 2, and not a byte is changed.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use plysmith_store::{NewRun, Store};
use rusqlite::Connection;

use crate::support::{Home, PLYSMITH, Running, SMALL_DISCOVERY, skipped};

/// Every command that needs the store refuses this one with such words, and leaves it alone.
#[track_caller]
fn is_refused(home: &Home, saying: &[&str]) {
    let before = fs::read(home.database()).unwrap();
    for arguments in
        [&["runs"][..], &["show", "1"], &["export", "1"], &["resume"], &["runs", "--json"], SMALL_DISCOVERY]
    {
        home.run(arguments).fails(1, &[saying, &["PLYSMITH_HOME"]].concat());
    }
    home.run(&[]).ok();
    assert_eq!(fs::read(home.database()).unwrap(), before, "it was changed");
}

#[test]
fn what_is_no_database_is_refused() {
    for contents in [&b"These are my notes."[..], &[0xa7; 100_000], b"SQLite format 3\0 and then nothing of the kind"] {
        let home = Home::new();
        home.file("plysmith.db", contents);
        is_refused(&home, &["plysmith.db", "is not a Plysmith store", "nothing was changed", "move it away"]);
    }
}

#[test]
fn the_database_of_another_program_is_refused() {
    for application in [0, 0x1234] {
        let home = Home::new();
        let connection = Connection::open(home.database()).unwrap();
        connection.execute_batch("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('precious')").unwrap();
        connection.pragma_update(None, "application_id", application).unwrap();
        connection.close().unwrap();
        is_refused(&home, &["is the database of another program", "nothing was changed", "move it away"]);
    }
}

#[test]
fn a_store_of_the_future_is_refused() {
    let home = Home::new();
    home.run(SMALL_DISCOVERY).ok();
    let connection = Connection::open(home.database()).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    connection.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    connection.close().unwrap();
    is_refused(&home, &["was made by a newer plysmith", "schema 99", "update plysmith"]);
}

#[test]
fn a_damaged_store_is_said_to_be_damaged() {
    let home = Home::new();
    home.run(SMALL_DISCOVERY).ok();
    let mut bytes = fs::read(home.database()).unwrap();
    let end = bytes.len();
    bytes[4096..end].fill(0x55);
    fs::write(home.database(), bytes).unwrap();
    home.run(&["show", "1"]).fails(1, &["plysmith.db", "damaged"]);
    home.run(SMALL_DISCOVERY).fails(1, &["plysmith.db", "damaged"]);
}

#[test]
fn a_kind_of_run_that_is_not_known_is_listed_but_not_resumed() {
    let home = Home::new();
    home.run(&["measure", "breakthrough", "Ud", "--suite", "small.suite", "--nodes", "100"]).ok();
    let unknown = NewRun {
        kind: "divine".to_string(),
        game: "breakthrough".to_string(),
        config: serde_json::json!({ "future": true }),
        seed: 1,
        version: "9.9.9".to_string(),
        command: vec!["plysmith".to_string(), "divine".to_string()],
        parent: None,
    };
    drop(Store::open(&home.database()).unwrap().create_run(&unknown).unwrap());
    home.run(&["resume", "2"]).says(&["'divine'", "does not know"]);
    home.run(&["show", "2"]).says(&["'divine'", "does not know"]);
    assert_eq!(home.status(2), "interrupted");
}

#[test]
fn a_home_that_is_no_folder_is_named() {
    let home = Home::new();
    home.file("file", "");
    for place in ["file", "file/below", "/proc/nowhere"] {
        let mut command = home.command(PLYSMITH, SMALL_DISCOVERY);
        command.env("PLYSMITH_HOME", place);
        let saying = [place, "cannot be the folder of the store", "set PLYSMITH_HOME to a folder"];
        Running::spawn(command).end().fails(2, &saying);
    }
    fs::create_dir(home.database()).unwrap();
    home.run(&["runs"]).fails(1, &["plysmith.db: it is a folder", "PLYSMITH_HOME"]);
}

#[test]
fn without_any_home_the_remedy_is_named() {
    let mut command = Home::new().command(PLYSMITH, &["runs"]);
    command.env_remove("PLYSMITH_HOME").env_remove("HOME").env_remove("XDG_DATA_HOME").current_dir("/");
    Running::spawn(command).end().fails(1, &["the environment names no home folder", "set PLYSMITH_HOME to a folder"]);
}

#[test]
fn without_plysmith_home_runs_are_in_the_data_folder() {
    let home = Home::new();
    let mut command = home.command(PLYSMITH, &["runs"]);
    command.env_remove("PLYSMITH_HOME").env("HOME", "/nonexistent").env("XDG_DATA_HOME", home.path().join("data"));
    Running::spawn(command).end().ok();
    assert!(home.path().join("data/plysmith/plysmith.db").exists());
}

#[test]
fn a_home_that_may_not_be_written_is_named() {
    let home = Home::new();
    let readonly = |mode| fs::set_permissions(home.path(), fs::Permissions::from_mode(mode)).unwrap();
    readonly(0o555);
    let bound_by_it = fs::write(home.path().join("probe"), "").is_err();
    if bound_by_it {
        home.run(SMALL_DISCOVERY).fails(1, &["plysmith.db", "check that you may read and write it", "PLYSMITH_HOME"]);
    } else {
        skipped("a_home_that_may_not_be_written_is_named", "permissions do not bind this user (root)");
    }
    readonly(0o755);
}

/// Binds root too.
#[test]
fn a_read_only_file_system_is_named() {
    let home = Home::new();
    let script = format!(
        "mount --bind \"$PLYSMITH_HOME\" \"$PLYSMITH_HOME\" && mount -o remount,bind,ro \"$PLYSMITH_HOME\" || exit 77
         cd \"$PLYSMITH_HOME\" && exec '{PLYSMITH}' {}",
        SMALL_DISCOVERY.join(" ")
    );
    let ran = Running::spawn(home.command("unshare", &["-rm", "sh", "-c", &script])).end();
    if ran.code == Some(77) || ran.stderr.contains("unshare") {
        return skipped("a_read_only_file_system_is_named", &format!("no mounts here: {ran:?}"));
    }
    ran.fails(1, &["check that you may read and write it", "PLYSMITH_HOME"]);
}
