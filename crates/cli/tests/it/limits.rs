//! Numbers at the edge of their type, and machines with too little memory: a message, never a crash.

use crate::support::{Home, PLYSMITH, Running};

const LARGEST: &str = "18446744073709551615";

#[test]
fn more_threads_than_any_machine_has_are_refused() {
    let home = Home::new();
    for command in
        ["measure breakthrough Ud", "discover breakthrough", "suite generate breakthrough", "suite check breakthrough"]
    {
        let words: Vec<_> = command.split(' ').chain(["--threads", LARGEST]).collect();
        home.run(&words).fails(2, &["--threads", LARGEST]);
    }
}

#[test]
fn more_problems_than_there_are_end_in_a_message() {
    let home = Home::new();
    let arguments = ["suite", "generate", "breakthrough", "--size", "4x4", "--plies", "3", "--count", LARGEST];
    home.run(&arguments).fails(1, &["only ", LARGEST, "reduce --count or change --plies"]);
}

#[test]
fn the_largest_numbers_that_make_sense_are_taken() {
    let home = Home::new();
    let small = ["measure", "breakthrough", "Ud", "--suite", "small.suite"];
    let seeded = home.run(&[&small[..], &["--nodes", "10", "--seed", LARGEST, "--problems", LARGEST]].concat()).ok();
    assert!(seeded.stdout.contains("16 problems"), "{}", seeded.stdout);
    assert_eq!(home.exported(1)["seed"].as_u64().unwrap().to_string(), LARGEST, "the seed is stored as it was typed");
    let unlimited = home.run(&[&small[..], &["--nodes", LARGEST, "--problems", "4", "--json"]].concat()).ok().json();
    assert_eq!(unlimited["findings"][0]["solved"], 4, "without a limit, every problem is solved");
    let discovery = ["discover", "breakthrough", "--suite", "small.suite", "--nodes", "10"];
    home.run(&[&discovery[..], &["--epsilon", "2147483647", "--delta", "4294967295", "--top", LARGEST]].concat()).ok();
    home.run(&["perft", "breakthrough", "4294967295", "--position", "4p/5/5/5/5/P4 w"]).ok();
}

/// Runs with at most a gigabyte of address space.
fn with_little_memory(home: &Home, arguments: &str) -> Running {
    Running::spawn(home.command("sh", &["-c", &format!("ulimit -v 1000000 && exec '{PLYSMITH}' {arguments}")]))
}

#[test]
fn a_table_that_does_not_fit_is_refused() {
    let home = Home::new();
    let arguments = "measure breakthrough Ud --suite small.suite --nodes 100 --threads 1 --preset classic,table=4096";
    let ran = with_little_memory(&home, arguments).end();
    assert!(matches!(ran.code, Some(1 | 2)), "{ran:?}");
    assert_eq!(ran.stdout, "");
    ran.says(&["4096", "memory", "table="]);
    with_little_memory(&home, &arguments.replace("4096", "16")).end().ok();
}

#[test]
fn threads_that_cannot_be_started_are_no_crash() {
    let home = Home::new();
    let arguments = "measure breakthrough Ud --suite small.suite --nodes 100 --threads 1000";
    let ran = with_little_memory(&home, arguments).end();
    ran.is_calm();
    match ran.code {
        // Fewer threads do it as well: no result depends on how many there are.
        Some(0) => assert!(ran.stdout.contains("Ud@0.5"), "{ran:?}"),
        _ => drop(ran.says(&["thread"])),
    }
}

/// With tables of 64 GiB for a thousand threads: refused at once, by the numbers and not by a failed allocation.
#[test]
fn more_memory_than_there_is_is_refused_before_anything_is_allocated() {
    let home = Home::new();
    let huge = "classic,table=65536";
    for arguments in [
        format!("measure breakthrough Ud --preset {huge}"),
        format!("discover breakthrough --preset {huge}"),
        format!("tune breakthrough --weights Ud --preset {huge}"),
        format!("match breakthrough --a {huge} --b classic --games 2000"),
        format!("tournament breakthrough --baseline {huge} --games 2000 classic classic+Ud"),
    ] {
        let ran = with_little_memory(&home, &format!("{arguments} --threads 1024")).end();
        let ran = ran.fails(2, &["of memory", "are available (nine tenths of what is free); use"]);
        assert!(!ran.stderr.contains("there is no memory for a table"), "{arguments}: {}", ran.stderr);
    }
    assert_eq!(home.run(&["runs", "--json"]).ok().json(), serde_json::json!([]));
}
