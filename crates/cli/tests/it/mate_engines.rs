//! UCI engines in the mate table: whatever one says or does, no mate is credited that it did not announce within the node
//! limit with a credible count, and a fault costs one problem at most.

use std::io::{BufRead, Write, stdin, stdout};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use plysmith_core::games::chess::INFO;
use plysmith_core::suite::text;
use plysmith_engine::driver::Policy;
use plysmith_engine::process::SpawnMode;
use plysmith_engine::uci::client::mapping::Mapping;
use plysmith_engine::uci::client::{UciSettings, UciSubject, UciTimeouts};
use plysmith_runs::executor::Executor;
use plysmith_runs::mates::{EngineSolver, Judged, MateSuite, Solved, cases_of};
use plysmith_runs::memo::Memo;
use plysmith_runs::progress::{Progress, ProgressSink, Silent};
use serde_json::{Value, json};

use crate::engines::is_installed;
use crate::support::{Home, Ran, skipped};

const NODES: u64 = 1000;
/// Problems with their solutions. The fake engine misbehaves at the second.
const PROBLEMS: [(&str, &str, &str, u8); 3] = [
    ("first", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8", 1),
    ("second", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2),
    ("third", "k7/8/1K6/8/8/8/8/7R w - - 0 1", "h1h8", 1),
];

/// The fake engine, if this process is one; otherwise a test of nothing.
#[test]
fn act() {
    let Some(mode) = std::env::args().find_map(|word| word.strip_prefix("mode=").map(String::from)) else { return };
    let (mode, tag) = mode.split_once('@').unwrap_or((&mode, ""));
    let mut position = String::new();
    for line in stdin().lock().lines() {
        let line = line.unwrap();
        match line.split(' ').next() {
            Some("uci") => say("id name Fake\nuciok"),
            Some("isready") => say("readyok"),
            Some("position") => position = line,
            Some("go") => search(mode, tag, &position, &line),
            Some("quit") => break,
            _ => {}
        }
    }
    // Not the harness's words at the end.
    std::process::exit(0);
}

fn command(mode: &str) -> String {
    format!("'{}' --exact mate_engines::act --nocapture -q mode={mode}", std::env::current_exe().unwrap().display())
}

fn say(text: &str) {
    if writeln!(stdout(), "{text}").and_then(|()| stdout().flush()).is_err() {
        std::process::exit(0);
    }
}

fn search(mode: &str, tag: &str, position: &str, go: &str) {
    let limit = go.strip_prefix("go nodes ").map_or(NODES, |limit| limit.parse().unwrap());
    let Some((id, _, best, moves)) = PROBLEMS.iter().find(|problem| position.contains(problem.1)) else {
        // Any other position is one that it is probed with.
        let any = position
            .split("fen ")
            .nth(1)
            .map_or_else(|| "e2e4".to_string(), |fen| (INFO.open)(fen).unwrap().moves().first().unwrap().clone());
        return say(&format!("info depth 9 score cp 1 nodes {limit} pv {any}\nbestmove {any}"));
    };
    let mode = if *id == "second" || mode.starts_with("everywhere-") { mode } else { "good" };
    let announce = |nodes: &str| say(&format!("info depth 5 score mate {moves}{nodes} pv {best}\nbestmove {best}"));
    match mode.trim_start_matches("everywhere-") {
        "no-nodes" => announce(""),
        "zero-nodes" => announce(" nodes 0"),
        "absurd-nodes" => announce(" nodes 18446744073709551615"),
        "at-the-limit" => announce(&format!(" nodes {limit}")),
        "beyond-the-limit" => announce(&format!(" nodes {}", limit + 1)),
        "crash" => std::process::abort(),
        "crash-once" if std::fs::File::create_new(tag).is_ok() => std::process::abort(),
        "illegal-answer" => say(&format!("info depth 5 score mate {moves} nodes 50 pv {best}\nbestmove a1h8")),
        "illegal-line" => say(&format!("info depth 5 score mate {moves} nodes 50 pv a1h8\nbestmove {best}")),
        "no-answer" => say(&format!("info depth 5 score mate {moves} nodes 50 pv {best}\nbestmove (none)")),
        "false-mate" => say("info depth 5 score mate 1 nodes 50 pv a1a2\nbestmove a1a2"),
        "longer-mate" => say(&format!("info depth 5 score mate {} nodes 50 pv {best}\nbestmove {best}", moves + 1)),
        "no-mate" => say(&format!("info depth 5 score cp 900 nodes 50 pv {best}\nbestmove {best}")),
        "hang" => std::thread::sleep(Duration::from_secs(100_000)),
        _ => announce(" nodes 50"),
    }
}

fn suite() -> String {
    let line = |(id, position, best, moves): &(&str, &str, &str, u8)| {
        format!("{position} bm {best}; id \"{id}\"; solve proven; distance {};\n", 2 * moves - 1)
    };
    PROBLEMS.iter().map(line).collect()
}

fn home() -> Home {
    let home = Home::new();
    home.file("mates.epd", suite());
    home
}

/// The table with these engines.
fn table(home: &Home, engines: &[&str]) -> Ran {
    let fixed = ["reproduce", "mate-table2", "--suite", "mates.epd", "--nodes", "1000", "--json"];
    let engines: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
    home.run(&[&fixed[..], &engines].concat())
}

/// Problems, problems solved and mean nodes of mates in one and in two, in the last row.
fn row(table: &Value) -> Vec<[u64; 3]> {
    let row = table["rows"].as_array().unwrap().last().unwrap();
    assert_eq!(row["solver"], "Fake");
    let number = |length: &Value, field: &str| length[field].as_u64().unwrap();
    let lengths = row["lengths"].as_array().unwrap().iter();
    lengths.map(|length| ["problems", "solved", "mean_nodes"].map(|field| number(length, field))).collect()
}

/// The stored result of the last engine at the second problem.
fn second(home: &Home, run: u32) -> Value {
    let export = home.exported(run);
    let events = export["events"].as_array().unwrap();
    events[events.len() - 2]["payload"].clone()
}

#[test]
fn what_is_announced_within_the_limit_counts() {
    let home = home();
    let modes = [
        ("good", [1, 50], "verified"),
        ("at-the-limit", [1, NODES], "verified"),
        ("beyond-the-limit", [0, NODES], "gave-up"),
        ("longer-mate", [0, NODES], "gave-up"),
        ("no-mate", [0, NODES], "gave-up"),
        ("false-mate", [0, NODES], "rejected"),
    ];
    for (run, (mode, [solved, nodes], verdict)) in (1..).zip(modes) {
        let table = table(&home, &[&command(mode)]).ok().json();
        assert_eq!(row(&table), [[2, 2, 50], [1, solved, nodes]], "{mode}");
        assert_eq!(table["excluded"], Value::Null, "{mode}");
        assert_eq!(second(&home, run)["verdict"], verdict, "{mode}");
    }
}

#[test]
fn a_fault_costs_one_problem_in_all_rows_and_names_it() {
    let home = home();
    let modes = [
        ("no-nodes", "without the number of nodes"),
        ("zero-nodes", "finds that mate in 0 nodes"),
        ("absurd-nodes", "no machine searches that many"),
        ("crash", "killed by signal 6"),
        ("illegal-answer", "'a1h8', which is not legal in kbK5"),
        ("illegal-line", "'a1h8', which is not legal in kbK5"),
        ("no-answer", "'(none)', which is not legal"),
    ];
    for (run, (mode, reason)) in (1..).zip(modes) {
        let ran = table(&home, &[&command("good"), &command(mode)]).ok();
        assert!(ran.stderr.contains("problem 'second', failure 3: engine "), "{mode}: {}", ran.stderr);
        let table = ran.json();
        assert_eq!(row(&table), [[2, 2, 50]], "{mode}: the only mate in two is excluded");
        for row in table["rows"].as_array().unwrap() {
            assert_eq!(row["lengths"].as_array().unwrap().len(), 1, "{mode}: {row} counts the same problems");
        }
        assert_eq!(table["excluded"].as_array().unwrap().len(), 1, "{mode}: {table}");
        let excluded = &table["excluded"][0];
        assert_eq!((&excluded["id"], &excluded["solver"]), (&json!("second"), &json!("Fake")));
        let failure = excluded["failure"].as_str().unwrap();
        assert!(failure.contains(reason) && failure.contains(PROBLEMS[1].1), "{mode}: {failure}");
        let second = second(&home, run);
        assert_eq!((&second["verdict"], &second["nodes"]), (&json!("excluded"), &json!(0)), "{mode}");
        let text = home.run(&["show", &run.to_string()]).ok().stdout;
        assert!(text.contains("Excluded from all rows, because an engine failed on them: second (Fake)."), "{text}");
    }
}

#[test]
fn an_engine_that_dies_once_is_started_again() {
    let home = home();
    let tag = home.path().join("died");
    let ran = table(&home, &[&command(&format!("crash-once@{}", tag.display()))]).ok();
    assert!(tag.exists() && ran.stderr.contains("started again"), "{}", ran.stderr);
    let table = ran.json();
    assert_eq!((row(&table), &table["excluded"]), (vec![[2, 2, 50], [1, 1, 50]], &Value::Null));
}

#[test]
fn an_engine_that_fails_at_every_problem_ends_the_table_with_a_report() {
    let parts = ["failed 3 times at each of 3 problems in a row", "killed by signal 6", "> go nodes 1000"];
    table(&home(), &[&command("everywhere-crash")]).fails(1, &parts);
}

#[test]
fn the_engine_is_part_of_the_key_and_its_results_serve_later_runs() {
    let home = home();
    let once = command(&format!("crash-once@{}", home.path().join("died").display()));
    table(&home, &[&once]).ok();
    std::fs::remove_file(home.path().join("died")).unwrap();
    // It would die again if it were asked again.
    assert_eq!(row(&table(&home, &[&once]).ok().json()), [[2, 2, 50], [1, 1, 50]]);
    assert!(!home.path().join("died").exists());
    let other = table(&home, &[&command("no-mate")]).ok().json();
    assert_eq!(row(&other)[1], [1, 0, NODES], "another command is another engine");
}

/// Silence is bounded by the driver; here it is short, and longer on a machine that is too loaded for that.
#[test]
fn an_engine_that_hangs_loses_the_problem() {
    let results = [1, 5, 30].into_iter().find_map(|seconds| solve_hung(Duration::from_secs(seconds)).ok()).unwrap();
    let verdicts: Vec<_> = results.iter().map(|solved| solved.verdict).collect();
    assert_eq!(verdicts, [Judged::Verified, Judged::Excluded, Judged::Verified]);
    assert!(results[1].failure.as_ref().unwrap().contains("makes no progress"), "{:?}", results[1]);
}

/// Fails if anything but the second problem is taken for a hang.
fn solve_hung(silence: Duration) -> Result<Vec<Solved>, String> {
    let most = Duration::from_secs(120);
    let settings = UciSettings {
        command: command("hang").parse().unwrap(),
        game: &INFO,
        options: Vec::new(),
        mapping: Mapping::default(),
        policy: Policy::First,
        spawn_mode: SpawnMode::Direct,
        timeouts: UciTimeouts { handshake: most, ready: most, silence, ran_out: most, stop: silence, margin: most },
    };
    let subject = UciSubject::open(settings, &|| false).map_err(|error| error.to_string())?;
    let sink: Arc<dyn ProgressSink> = Arc::new(Silent);
    let executor = Executor::local(Memo::Disabled, &|| false);
    let cases = cases_of(&MateSuite(text::parse(&INFO, "mates", &suite()).unwrap())).unwrap();
    let results = EngineSolver::from(subject)
        .solve_all(&cases, NODES, &executor, NonZeroUsize::MIN, &Progress::begin(&sink, 3))
        .map_err(|error| error.to_string())?;
    match results.iter().filter(|solved| solved.verdict == Judged::Excluded).count() {
        1 => Ok(results),
        count => Err(format!("{count} problems are excluded")),
    }
}

/// GNU Chess ignores `go nodes`: with a small limit it was credited with mates that it found far beyond it.
#[test]
fn real_engines_are_held_to_the_limit() {
    for engine in ["gnuchess --uci", "stockfish"] {
        if !is_installed(engine.split(' ').next().unwrap()) {
            skipped("real_engines_are_held_to_the_limit", &format!("there is no {engine}"));
            continue;
        }
        for limit in ["1", "60", "100000"] {
            let home = home();
            let work = ["reproduce", "mate-table2", "--suite", "mates.epd", "--nodes", limit, "--engine", engine];
            home.run(&work).ok();
            let export = home.exported(1);
            let events = export["events"].as_array().unwrap();
            let limit: u64 = limit.parse().unwrap();
            for event in &events[events.len() - PROBLEMS.len()..] {
                let (nodes, verdict) = (event["payload"]["nodes"].as_u64().unwrap(), &event["payload"]["verdict"]);
                assert!((1..=limit).contains(&nodes), "{engine} {limit}: {event}");
                assert!(limit > 1 || verdict == "gave-up", "{engine} {limit}: {event}");
                // Stockfish does not see the mate in two with so few nodes: it takes zugzwang.
                let is_short = event["payload"]["moves"] == 1;
                assert!(limit < 100_000 || !is_short || verdict == "verified", "{engine} {limit}: {event}");
            }
        }
    }
}
