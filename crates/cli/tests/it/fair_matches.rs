//! What makes a match misleading: engines that take more nodes than they may, clocks, programs that change, a stopped
//! process, few games; and long matches and files in little memory.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use plysmith_store::{NewRun, Store};
use serde_json::{Value, json};

use crate::support::{Home, PATIENCE, PLYSMITH, Ran, Running};

/// Positions in which a1a8 mates.
const MATES: &str = "\
6k1/5ppp/8/8/8/8/8/R3K3 w - -
6k1/5ppp/8/8/8/8/8/R2K4 w - -
6k1/5ppp/8/8/8/8/8/R4K2 w - -
6k1/5ppp/8/8/8/8/8/R5K1 w - -
6k1/5ppp/8/8/8/8/7P/R5K1 w - -
6k1/5ppp/8/8/8/8/6P1/R5K1 w - -
";

/// An engine that knows one move. `on_go` is what it does before it answers.
fn fake(name: &str, on_go: &str) -> String {
    format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in\nuci) echo 'id name {name}'; echo uciok;;\n\
         isready) echo readyok;;\ngo*) {on_go}\necho bestmove a1a8;;\nquit) exit 0;;\nesac; done\n"
    )
}

fn script(home: &Home, file: &str, text: &str) -> String {
    let path = home.file(file, text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("uci:{}", path.display())
}

fn matched(home: &Home, a: &str, b: &str, more: &[&str]) -> Vec<String> {
    home.file("mates.epd", MATES);
    let fixed = ["match", "chess", "--a", a, "--b", b, "--openings", "mates.epd", "--threads", "1"];
    fixed.iter().chain(more).map(|word| word.to_string()).collect()
}

fn run(home: &Home, arguments: &[String]) -> Ran {
    home.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_there() {
        assert!(Instant::now() < deadline, "no {what}");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn nodes_beyond_the_limit_are_told_at_the_start_and_in_the_result() {
    let home = Home::new();
    let greedy = script(&home, "greedy.sh", &fake("Greedy 1", "echo info depth 9 nodes 70000 score cp 1 pv a1a8"));
    let silent = script(&home, "silent.sh", &fake("Silent 1", ""));
    let ran = run(&home, &matched(&home, &greedy, &silent, &["--nodes", "5000", "--games", "4"])).ok();
    for part in [
        "greedy.sh (Greedy 1) does not keep node limits exactly: it took 70,000 nodes in a trial where 5,000 were set",
        "silent.sh (Silent 1) reports no nodes",
        "greedy.sh searched 70,000 nodes per move on average and at most 70,000 where 5,000 were set",
    ] {
        assert!(ran.stderr.contains(part), "no '{part}' in {}", ran.stderr);
    }
    let shown = home.run(&["show", "1"]).ok().stdout;
    for text in [&ran.stdout, &shown] {
        assert!(text.contains("greedy.sh: 70,000 per move, at most 70,000; "), "{text}");
        assert!(text.contains("silent.sh: not reported"), "{text}");
        assert!(text.contains("warning: ") && text.contains("where 5,000 were set"), "{text}");
    }
    let export = home.exported(1);
    assert_eq!(export["result"]["nodes_per_move"][0]["mean"], 70_000.0);
    assert_eq!(export["result"]["nodes_per_move"][1]["mean"], Value::Null);
    assert_eq!(export["result"]["warnings"].as_array().unwrap().len(), 1);
    let pgn = home.run(&["export", "1", "--format", "pgn"]).ok().stdout;
    assert_eq!(pgn.matches("[WhiteNodesPerMove \"70000\"]").count(), 2, "{pgn}");
    assert_eq!(pgn.matches("[WhiteNodesPerMove \"not reported\"]").count(), 2, "{pgn}");

    let tournament = ["tournament", "chess", "--mode", "round-robin", &greedy, "modern", "--openings", "mates.epd"];
    let ran = home.run(&[&tournament[..], &["--nodes", "5000", "--games", "4"]].concat()).ok();
    assert!(ran.stdout.contains("70,000 per move") && ran.stdout.contains("warning: "), "{}", ran.stdout);
}

#[test]
fn an_engine_that_keeps_its_limit_is_not_accused() {
    let home = Home::new();
    let fair = script(&home, "fair.sh", &fake("Fair 1", "echo info depth 9 nodes 4900 score cp 1 pv a1a8"));
    let ran = run(&home, &matched(&home, &fair, "modern", &["--nodes", "5000", "--games", "4"])).ok();
    assert!(!ran.stderr.contains("warning") && !ran.stdout.contains("warning"), "{ran:?}");
    assert!(ran.stdout.contains("fair.sh: 4,900 per move, at most 4,900"), "{}", ran.stdout);
}

#[test]
fn many_games_lost_on_time_are_told_with_a_remedy() {
    let home = Home::new();
    // It never answers within a millisecond.
    let slow = script(&home, "slow.sh", &fake("Slow 1", "sleep 0.05"));
    let more = ["--movetime", "1ms", "--margin", "0ms", "--games", "12", "--nelo", "0,200", "--alpha", "0.4"];
    let ran = run(&home, &matched(&home, "modern", &slow, &more)).ok();
    assert!(ran.stderr.contains("warning: 1 of "), "told while it is played: {}", ran.stderr);
    let shown = home.run(&["show", "1"]).ok().stdout;
    for text in [&ran.stdout, &shown] {
        for part in ["were lost on time, by ", " ms in the median", "--margin", "--threads", "larger increment"] {
            assert!(text.contains(part), "no '{part}' in {text}");
        }
        let verdict = text.lines().find(|line| line.starts_with("SPRT")).unwrap();
        assert!(verdict.contains(", but ") && verdict.contains("were lost on time"), "{verdict}");
    }
    let result = &home.exported(1)["result"];
    assert!(result["median_overstep_ms"].as_f64().unwrap() > 0.0, "{result}");
    assert!(result["test"]["caution"].as_str().unwrap().contains("lost on time"), "{result}");
    assert!(result["warnings"][0].as_str().unwrap().contains("lost on time"), "{result}");
}

/// Stops plysmith while an engine thinks, until the engine has answered and its time is over.
#[test]
fn a_game_in_which_plysmith_was_stopped_is_replayed() {
    let home = Home::new();
    // The first search of a game says that it began, and waits; the later ones do not.
    let waits = "if [ ! -e thinking ]; then : > thinking; while [ ! -e answer ]; do sleep 0.01; done; fi";
    let engine = script(&home, "waits.sh", &fake("Waits 1", waits));
    let other = script(&home, "other.sh", &fake("Other 1", ""));
    let arguments = matched(&home, &engine, &other, &["--tc", "4+0", "--games", "2"]);
    let running = home.start(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    wait_for("search", || home.path().join("thinking").exists());
    running.signal(&["STOP"]);
    let state = format!("/proc/{}/stat", running.id());
    wait_for("stop", || fs::read_to_string(&state).unwrap().contains(") T "));
    home.file("answer", "");
    // Longer than the clock: the answer has come in time, but is read too late.
    sleep(Duration::from_secs(6));
    running.signal(&["CONT"]);
    let ran = running.end().ok();
    assert!(ran.stderr.contains("game 1 was replayed, because plysmith was stopped"), "{}", ran.stderr);
    assert!(ran.stdout.contains("replay 1 game was replayed"), "{}", ran.stdout);
    let result = &home.exported(1)["result"];
    assert_eq!((&result["on_time"], &result["replayed"]), (&json!([0, 0]), &json!(1)), "{result}");
    assert!(home.run(&["show", "1"]).ok().stdout.contains("replay 1 game was replayed"));
}

/// A match that was killed in its third game; the engine is in `changing.sh`.
fn interrupted(home: &Home, kind: &str) -> String {
    let waits = "echo . >> searches; if [ \"$(wc -l < searches)\" -ge 5 ] && [ ! -e go-on ]; then : > reached; \
                 while [ ! -e go-on ]; do sleep 0.01; done; fi\necho info depth 9 nodes 90 score cp 1 pv a1a8";
    let text = fake("Changing 1", waits);
    let engine = script(home, "changing.sh", &text);
    home.file("mates.epd", MATES);
    let players: &[&str] = match kind {
        "match" => &["match", "chess", "--a", &engine, "--b", "modern"],
        _ => &["tournament", "chess", "--mode", "round-robin", &engine, "modern"],
    };
    let more = ["--openings", "mates.epd", "--threads", "1", "--nodes", "100", "--games", "8"];
    let running = home.start(&[players, &more].concat());
    wait_for("third search", || home.path().join("reached").exists());
    running.kill();
    home.file("go-on", "");
    text
}

#[test]
fn a_run_is_not_resumed_with_another_engine() {
    for kind in ["match", "tournament"] {
        let home = Home::new();
        let text = interrupted(&home, kind);
        script(&home, "changing.sh", &format!("{text}# another program\n"));
        home.run(&["resume", "1"])
            .fails(2, &["changing.sh' has changed since", "Changing 1", "put the former program back"]);
        script(&home, "changing.sh", &text.replace("Changing 1", "Changing 2"));
        home.run(&["resume", "1"]).fails(2, &["it was Changing 1", "is now Changing 2"]);
        script(&home, "changing.sh", &text);
        home.run(&["resume", "1"]).ok();
        let export = home.exported(1);
        assert_eq!(export["events"].as_array().unwrap().len(), 8);
        assert_eq!(export["config"]["contestants"]["engines"][0]["name"], "Changing 1");
    }
}

#[test]
fn a_run_that_does_not_know_its_engines_is_not_resumed() {
    let home = Home::new();
    interrupted(&home, "match");
    // As earlier versions stored it.
    let store = Store::open(&home.database()).unwrap();
    let run = store.run("1".parse().unwrap()).unwrap();
    let mut config = run.config.clone();
    config.as_object_mut().unwrap().remove("contestants").unwrap();
    let new = NewRun {
        kind: run.kind,
        game: run.game,
        config,
        seed: run.seed,
        version: env!("CARGO_PKG_VERSION").to_string(),
        command: Vec::new(),
        parent: None,
    };
    let old = store.create_run(&new).unwrap().run();
    let events = store.events(run.id).unwrap();
    store.append_event(old, 0, &events[0].kind, &events[0].payload).unwrap();
    drop(store);
    home.run(&["resume", "2"]).fails(2, &["run 2", "did not store which engines play", "start it again"]);
}

#[test]
fn few_games_have_credible_intervals() {
    let home = Home::new();
    for (games, runs) in [("2", 1), ("4", 2), ("20", 3)] {
        let words = ["match", "--a", "modern", "--b", "classic", "--size", "5x5", "--nodes", "200", "--games", games];
        let text = home.run(&words).ok().stdout;
        assert!(text.contains("95 % credible interval; there are fewer than 100 pairs"), "{text}");
        assert!(!text.contains('?') && !text.contains("± ") && !text.contains("LOS 100"), "{text}");
        let result = &home.exported(runs)["result"];
        let [low, high] = [0, 1].map(|end| result["elo"]["credible"][end].as_f64().unwrap());
        assert!(low < high && result["score_credible"][0].as_f64() < result["score_credible"][1].as_f64());
        assert!(result["los"].as_f64().unwrap() < 1.0 && result["los"].as_f64().unwrap() > 0.0);
    }
    for (command, parts) in [
        ("--penta 0,0,0,0,2", ["Elo    +185 [-90, +535]", "nElo +181 [-82, +744]", "LOS 90.60 %"]),
        ("--penta 0,0,0,0,99", ["Elo    +799", "[96.3, 99.9]", "LOS > 99.99 %"]),
        ("--penta 0,0,5,0,0", ["Elo    +0 [", "score 50.00 % [", "LOS 50.00 %"]),
        ("--wdl 0,0,0", ["Elo    –", "nElo –", "LOS –"]),
    ] {
        let words: Vec<_> = ["sprt"].into_iter().chain(command.split(' ')).collect();
        let text = home.run(&words).ok().stdout;
        for part in parts {
            assert!(text.contains(part), "no '{part}' in {text} ({command})");
        }
    }
    let table = home.run(&["tournament", "modern", "--size", "5x5", "--nodes", "50", "--games", "4"]).ok().stdout;
    assert!(table.contains("[") && table.contains("95 % credible interval") && !table.contains("± "), "{table}");
}

/// The peak of a process's memory, in megabytes.
fn peak_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

/// A run of 100 games, with 100 megabytes of moves as they are printed.
fn long_match(home: &Home) {
    let store = Store::open(&home.database()).unwrap();
    let play = json!({ "game": "breakthrough", "nodes": 9, "games": 100, "seed": 1, "adjudicate": false,
                       "openings": { "start": "ppp/3/PPP w", "plies": 0, "seed": 1 } });
    let new = NewRun {
        kind: "match".to_string(),
        game: "breakthrough".to_string(),
        config: json!({ "a": "classic", "b": "modern", "play": play, "test": null }),
        seed: 1,
        version: "0.1.0".to_string(),
        command: Vec::new(),
        parent: None,
    };
    let claim = store.create_run(&new).unwrap();
    let plies: Vec<Value> = (0..10_000).map(|ply| json!(["a1a2", ply, 3, 1_000_000])).collect();
    let record = json!({ "plies": plies, "winner": "1-0", "end": "rules", "white_fired": [], "white_moves": 1,
                         "black_fired": [], "black_moves": 1 });
    for number in 0..100u64 {
        let key = format!("{number:032x}");
        let job = json!({ "game": "breakthrough", "position": "ppp/3/PPP w", "white": "classic", "black": "modern",
                          "nodes": 9, "seed": number, "adjudicate": false, "random": "x", "revision": 1 });
        store.put_result(&key, 1, &job, &record).unwrap();
        store
            .append_event(claim.run(), number, "game", &json!({ "contest": 0, "number": number, "key": key }))
            .unwrap();
    }
}

#[test]
fn a_long_match_is_shown_in_little_memory() {
    let home = Home::new();
    long_match(&home);
    for words in [&["show", "1", "--json"][..], &["export", "1"]] {
        let mut child = home.command(PLYSMITH, words).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        // When the first byte comes, it has either all of it in memory or a part; the pipe holds it up there.
        output.read_exact(&mut [0]).unwrap();
        let peak = peak_memory(child.id());
        let rest = std::io::copy(&mut output, &mut std::io::sink()).unwrap();
        assert!(child.wait().unwrap().success());
        assert!(peak < 60, "{words:?} took {peak} MB before its first byte");
        assert!(rest > 60_000_000, "{words:?} wrote {rest} bytes");
    }
    assert!(home.run(&["show", "1"]).ok().stdout.contains("after 100 games"));
}

/// A book without an end: two games need two of its games.
#[test]
fn a_book_is_read_only_as_far_as_it_is_needed() {
    let home = Home::new();
    let book = home.path().join("endless.pgn");
    assert!(Command::new("mkfifo").arg(&book).status().unwrap().success());
    let writer = {
        let book = book.clone();
        std::thread::spawn(move || {
            let mut pipe = fs::OpenOptions::new().write(true).open(book).unwrap();
            let mut games = 0;
            // It ends when nobody reads any more.
            while pipe.write_all(b"[White \"a\"]\n\n1. e4 {a comment} e5 2. Nf3 *\n\n").is_ok() {
                games += 1;
            }
            games
        })
    };
    let words = ["match", "chess", "--a", "modern", "--b", "classic", "--nodes", "10", "--games", "2"];
    let running = Running::spawn(home.command(PLYSMITH, &[&words[..], &["--openings", "endless.pgn"]].concat()));
    let ran = running.end().ok();
    assert!(ran.stdout.contains("games  2: "), "{}", ran.stdout);
    let written: u64 = writer.join().unwrap();
    assert!(written < 100_000, "{written} games of the book were read");
}

/// Openings are stored: a resumed match does not look for them again.
#[test]
fn openings_are_kept() {
    let home = Home::new();
    let words = ["match", "--a", "modern", "--b", "classic", "--size", "5x6", "--nodes", "20", "--games", "240"];
    home.run(&words).ok();
    let stored = || -> i64 {
        let store = rusqlite::Connection::open(home.database()).unwrap();
        let count = "SELECT count(*) FROM results WHERE json_extract(job, '$.batch') IS NOT NULL";
        store.query_row(count, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(stored(), 2, "a batch of 100 openings and one of 20");
    home.run(&words).ok();
    assert_eq!(stored(), 2);
}
