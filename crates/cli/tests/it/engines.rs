//! Foreign engines: good ones, bad ones, and those that Debian has; clocks; and that nothing outlives us.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bad_engine;
use crate::halts::Table;
use crate::support::{Home, PATIENCE, PLYSMITH, Ran, skipped};

fn uci(mode: &str) -> String {
    format!("uci:{}", bad_engine::command(mode))
}

/// A match of the plain search against an engine that misbehaves from its third search on.
fn against(home: &Home, mode: &str, more: &[&str]) -> Ran {
    let engine = uci(mode);
    let fixed = ["match", "chess", "--a", "classic", "--b", &engine, "--games", "2", "--threads", "2", "--json"];
    home.run(&[&fixed, more].concat())
}

fn games(home: &Home, run: u32) -> Vec<Value> {
    let export = home.exported(run);
    let events = export["events"].as_array().unwrap().iter();
    events.map(|event| event["payload"].clone()).collect()
}

/// The engine loses both games for this reason; what was played before counts, and the run is finished.
#[track_caller]
fn loses(mode: &str, more: &[&str], end: &str, reason: &str) {
    let home = Home::new();
    let result = against(&home, mode, more).ok().json();
    assert_eq!((result["wins"].as_u64(), result["games"].as_u64()), (Some(2), Some(2)), "{mode}: {result}");
    let counted = if end == "time" { "on_time" } else { "failures" };
    assert_eq!(result[counted], serde_json::json!([0, 2]), "{mode}: {result}");
    for game in games(&home, 1) {
        assert_eq!(game["end"], end, "{mode}: {game}");
        assert!(game["reason"].as_str().unwrap().contains(reason), "{mode}: {game}");
    }
    let text = home.run(&["show", "1"]).ok().stdout;
    assert!(text.contains("on time, "), "{text}");
    assert!(home.run(&["export", "1", "--format", "pgn"]).ok().stdout.contains("TerminationDetails"));
}

const BY_NODES: &[&str] = &["--nodes", "200"];
const BY_TIME: &[&str] = &["--movetime", "30ms", "--margin", "20s"];

#[test]
fn an_engine_that_dies_loses_the_game_and_is_started_again() {
    loses("late-dies-mid-search", BY_NODES, "crash", "killed by signal 6");
}

#[test]
fn illegal_moves_lose() {
    loses("late-illegal", BY_NODES, "illegal", "'a1h8', which is not legal in ");
    loses("late-no-move", BY_NODES, "illegal", "'(none)'");
    loses("late-junk-move", BY_NODES, "illegal", "not legal");
}

#[test]
fn silence_loses() {
    // The margin is the other side's as well, which a loaded machine must not make late.
    let short = &["--movetime", "100ms", "--margin", "8s"];
    std::thread::scope(|scope| {
        for mode in ["late-hangs", "late-hangs-talking", "late-ignores-stop", "late-stops-itself"] {
            scope.spawn(move || loses(mode, short, "stall", "said nothing of use"));
        }
        // Until the time or the bound of its output is over.
        scope.spawn(move || loses("late-floods", short, "stall", " "));
    });
}

#[test]
fn overstepping_the_time_loses() {
    // It oversteps any margin, and the other side must not on a loaded machine.
    loses("late-slow", &["--movetime", "100ms", "--margin", "8s"], "time", "overstepped its time by ");
}

#[test]
fn junk_and_complaints_lose_nothing() {
    for mode in ["junk", "complains", "good"] {
        let home = Home::new();
        let result = against(&home, mode, BY_TIME).ok().json();
        assert_eq!(result["failures"], serde_json::json!([0, 0]), "{mode}: {result}");
        assert!(games(&home, 1).iter().all(|game| game["reason"].is_null()), "{mode}");
    }
}

#[test]
fn too_many_failures_end_the_match_with_a_report() {
    let home = Home::new();
    let more = ["--nodes", "200", "--games", "20", "--max-failures", "3"];
    let engine = uci("illegal");
    let ran = home.run(&[&["match", "chess", "--a", "classic", "--b", &engine], &more[..]].concat());
    ran.fails(1, &["mode=illegal' failed in 3 of 3 games", "--max-failures", "a1h8", "> go nodes 200"]);
    assert_eq!(games(&home, 1).len(), 3, "what was played is kept");
}

/// Whatever it says: the error names the engine, the bound and what was seen.
#[test]
fn an_engine_without_progress_ends_within_its_patience() {
    let home = Home::new();
    let parts =
        ["makes no progress: ", " more nodes reported in ", " expected in 2.0 s", "--patience", "bad_engine::act"];
    for mode in ["one-line", "deepens"] {
        let engine = uci(mode);
        let patience = ["--patience", "2"];
        home.run(&[&["match", "chess", "--a", "classic", "--b", &engine], BY_NODES, &patience].concat())
            .fails(1, &parts);
        home.run(&[&["measure", "chess", "--engine", &engine, "Neutral"], &patience[..]].concat()).fails(1, &parts);
        let checked = home.run(&[&["check-engine", &bad_engine::command(mode)], &patience[..]].concat());
        assert_eq!(checked.code, Some(3), "{checked:?}");
        assert!(parts.iter().all(|part| checked.stdout.contains(part)), "{checked:?}");
    }
    // `tune` has another patience.
    home.file("map.toml", "[[weight]]\nname = 'check'\noption = 'Check Extension (PV nodes)'\n");
    let engine = uci("deepens");
    let tune = ["tune", "chess", "--engine", &engine, "--mapping", "map.toml", "--engine-patience", "2"];
    home.run(&tune).fails(1, &parts);
    assert_eq!(home.run(&["runs", "--json"]).ok().json(), serde_json::json!([]));
    for wrong in ["0", "-1", "x", "1000001", "1.5"] {
        home.run(&["check-engine", "x", &format!("--patience={wrong}")])
            .says(&["expected whole seconds from 1 to 1000000"]);
    }
}

/// Also before its handshake is over.
#[test]
fn an_engine_that_never_stops_talking_is_ended_by_a_bound() {
    let home = Home::new();
    for (mode, part) in [
        ("flood-at-start", "wrote more than 4194304 bytes before 'uciok'"),
        ("flood-of-info", "wrote more than 10000 lines before 'uciok'"),
    ] {
        against(&home, mode, BY_NODES).fails(1, &[part, "bad_engine::act"]);
    }
    let plug = bad_engine::command("flood-of-features");
    let work = ["discover", "--engine", &plug, "--suite", "small.suite"];
    home.run(&work).fails(1, &["wrote more than 10000 lines before 'featuresok'"]);
}

#[test]
fn an_engine_that_cannot_play_leaves_no_run_behind() {
    let home = Home::new();
    against(&home, "dies-at-start", BY_NODES).fails(1, &["died (exit code 3)", "no luck today"]);
    against(&home, "good;Hsh=3", BY_NODES).fails(2, &["has no option 'Hsh'", "'Hash'"]);
    against(&home, "good;Hash=much", BY_NODES).fails(2, &["takes a number from 1 to 64, not 'much'"]);
    home.run(&["match", "chess", "--a", "modern", "--b", "uci:/no/engine"])
        .fails(2, &["there is no file '/no/engine'"]);
    let bad = uci("good");
    let ran = home.run(&["match", "breakthrough", "--a", "modern", "--b", &bad]);
    ran.fails(2, &["error: Bad Engine (good) does not play breakthrough; write `match chess`\n"]);
    let breakthrough = format!("uci:'{PLYSMITH}' engine breakthrough");
    let ran = home.run(&["match", "chess", "--a", "modern", "--b", &breakthrough]);
    ran.fails(2, &[" breakthrough does not play chess; write `match breakthrough`\n"]);
    for (options, parts) in [
        (vec!["--tc", "1:3"], ["'1:3' is not a time control", "1+0.01"]),
        (vec!["--movetime", "100"], ["'100' is not a time", "100ms"]),
        (vec!["--margin", "10ms"], ["--margin needs", "--tc"]),
    ] {
        home.run(&[vec!["match", "--a", "modern", "--b", "classic"], options].concat()).fails(2, &parts);
    }
    assert_eq!(home.run(&["runs", "--json"]).ok().json(), serde_json::json!([]));
}

/// Ids of processes whose command line has this in it.
pub fn processes(tag: &str) -> Vec<String> {
    let ids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let has_tag = |id: &String| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.windows(tag.len()).any(|part| part == tag.as_bytes())
    };
    ids.filter(|id| id.bytes().all(|letter| letter.is_ascii_digit())).filter(has_tag).collect()
}

pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        sleep(Duration::from_millis(20));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn no_engine_outlives_us_even_after_kill_9() {
    let home = Home::new();
    let file = home.path().join(format!("kill9-{}", std::process::id()));
    let tag = format!("@{}", file.display());
    // It neither reads its input nor notices its end.
    let engine = uci(&format!("late-hangs{tag}"));
    let limit = ["--movetime", "100ms", "--margin", "1000s"];
    let work = [&["match", "chess", "--a", "classic", "--b", &engine, "--threads", "2"], &limit[..]].concat();
    let running = home.start(&work);
    wait_until("the engines do not hang", || bad_engine::hung(&file) >= 2);
    // Plysmith itself, and for each of two games a guard and an engine.
    assert!(processes(&tag).len() >= 5);
    let ran = running.kill();
    assert_eq!(ran.code, None);
    wait_until("engines outlive a killed plysmith", || processes(&tag).is_empty());
    // A polite end leaves nothing behind either.
    let running = home.start(&work);
    wait_until("the engines do not hang again", || bad_engine::hung(&file) >= 4);
    running.signal(&["TERM"]);
    assert_eq!(running.end().code, Some(130));
    wait_until("engines outlive a plysmith that was asked to end", || processes(&tag).is_empty());
}

const TIMED: &[&str] =
    &["match", "--a", "modern", "--b", "classic", "--size", "5x6", "--tc", "0.6+0.01", "--threads", "2"];

#[test]
fn timed_games_belong_to_their_run_and_survive_a_kill() {
    let home = Home::new();
    home.kill_at(&[TIMED, &["--games", "12"]].concat(), Table::Events, 3);
    let before = games(&home, 1);
    let result = home.run(&["resume", "1", "--json"]).ok().json();
    let after = games(&home, 1);
    assert!(after.starts_with(&before), "finished games were played again");
    assert_eq!((after.len(), result["games"].as_u64()), (12, Some(12)));
    assert!(after.iter().all(|game| game["time"] == "0.6+0.01" && game["run"] == "run 1"), "{after:?}");
    let plies = after.iter().flat_map(|game| game["plies"].as_array().unwrap());
    assert!(plies.clone().count() > 0 && plies.clone().all(|ply| ply.as_array().unwrap().len() == 5));
    // The same again is another match.
    home.run(&[TIMED, &["--games", "2"]].concat()).ok();
    assert_eq!(games(&home, 2)[0]["run"], "run 2");
    assert!(home.run(&["show", "2"]).ok().stdout.contains("0.6+0.01, seed 1"));
}

#[test]
fn an_engine_is_walked_through_the_protocol() {
    let home = Home::new();
    let report = home.run(&["check-engine", &bad_engine::command("good"), "--json"]).ok().json();
    assert_eq!(report["node_limits"]["verdict"], "honoured");
    assert_eq!(report["determinism"]["reordered"], true);
    assert_eq!(report["options"][1]["name"], "Check Extension (PV nodes)");
    assert_eq!(report["without_moves"], "none");
    let text = home.run(&["check-engine", &bad_engine::command("good"), "--list-options"]).ok().stdout;
    for part in ["go nodes", "respected, 0.00 % over", "from 1 to 64", "no legal move"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let ran = home.run(&["check-engine", &bad_engine::command("dies-mid-search")]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("The test ended early") && ran.stdout.contains("stack smashing"), "{ran:?}");
    home.run(&["check-engine", "chess", "no-such-engine"]).says(&["'no-such-engine' cannot be used"]);
    home.run(&["check-engine", "checkers", "no-such-engine"]).fails(2, &["'checkers'", "breakthrough"]);
    home.run(&["check-engine", "no-such-engine", "--game", "chess"]).says(&["'no-such-engine' cannot be used"]);
    home.run(&["check-engine", "chess", "x", "--game", "chess"]).fails(2, &["one game and one command"]);
    home.run(&["check-engine", "no-such-engine"]).says(&["cannot be used"]);
    home.run(&["check-engine", "'x"]).fails(2, &["never closed"]);
}

/// Whatever an engine does well, it must play legal moves.
#[test]
fn an_engine_that_answers_illegal_moves_fails() {
    let home = Home::new();
    for (mode, part) in [
        // Illegal everywhere, legal at the start, legal after one move, and nothing at all.
        ("always-e2e5", "'bestmove e2e5' in "),
        ("always-e2e4", "'bestmove e2e4' in "),
        ("always-g8f6", "'bestmove g8f6' in "),
        ("no-move", "'bestmove (none)' in "),
        ("illegal-line", "'pv a1h8' in "),
    ] {
        let ran = home.run(&["check-engine", &bad_engine::command(mode)]);
        assert_eq!(ran.code, Some(3), "{mode}: {ran:?}");
        assert!(ran.stderr.contains("answers illegal moves: ") && ran.stderr.contains(part), "{mode}: {ran:?}");
        assert!(ran.stdout.contains("legal moves") && ran.stdout.contains("illegal"), "{mode}: {ran:?}");
    }
    let report = home.run(&["check-engine", &bad_engine::command("good"), "--json"]).ok().json();
    assert_eq!(report["legality"]["searches"], 41, "{report}");
    assert_eq!(report["legality"]["illegal"], serde_json::json!([]), "{report}");
}

/// Our own engine is one like any other, also in other games than chess, and on any board.
#[test]
fn our_own_engine_plays_by_uci_what_it_plays() {
    let home = Home::new();
    let own = |game: &str| format!("'{PLYSMITH}' engine {game}");
    for game in ["chess", "breakthrough"] {
        let report = home.run(&["check-engine", game, &own(game), "--json"]).ok().json();
        assert_eq!(report["fault"], Value::Null, "{report}");
        assert_eq!(report["legality"]["illegal"], serde_json::json!([]), "{report}");
        assert_eq!(report["legality"]["illegal_in_lines"], serde_json::json!([]), "{report}");
    }
    let uci = format!("uci:{}", own("breakthrough"));
    for size in ["8x8", "5x6"] {
        let work = ["match", "breakthrough", "--a", &uci, "--b", &format!("{uci};Preset=classic")];
        let more = ["--size", size, "--nodes", "300", "--games", "2", "--json"];
        let result = home.run(&[&work[..], &more].concat()).ok().json();
        assert_eq!((&result["games"], &result["failures"]), (&Value::from(2), &serde_json::json!([0, 0])), "{result}");
    }
    let ran = home.run(&["check-engine", "chess", &own("breakthrough")]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("does not play chess; write `check-engine breakthrough`"), "{ran:?}");
    let work = ["measure", "chess", "--engine", &uci, "--nodes", "200", "Neutral"];
    home.run(&work).fails(2, &["does not play chess; write `measure breakthrough`"]);
}

/// Whether Debian's engine is here.
pub fn is_installed(engine: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain(["/usr/games".into()]);
    folders.any(|folder| folder.join(engine).is_file())
}

#[test]
fn real_engines_are_recognised_for_what_they_honour() {
    for (engine, command, nodes) in [
        ("gnuchess", "gnuchess --uci", "ignored"),
        ("toga2", "toga2", "ignored"),
        ("glaurung", "glaurung", "honoured"),
        ("stockfish", "stockfish", "honoured"),
        ("fairy-stockfish", "fairy-stockfish", "honoured"),
    ] {
        if !is_installed(engine) {
            skipped("real_engines_are_recognised_for_what_they_honour", &format!("{engine} is not installed"));
            continue;
        }
        let report = Home::new().run(&["check-engine", command, "--json"]).ok().json();
        assert_eq!(report["node_limits"]["verdict"], nodes, "{report}");
        assert_eq!(report["fault"], Value::Null, "{report}");
        assert_eq!(report["legality"]["illegal"], serde_json::json!([]), "{report}");
        // Toga depends on where the system happens to load it.
        if engine != "toga2" {
            assert_eq!(report["determinism"]["with_prelude"], true, "{report}");
        }
    }
}

#[test]
fn real_engines_play_whole_matches() {
    for (engine, game, command, pace) in [
        ("gnuchess", "chess", "uci:gnuchess --uci;Hash=8", ["--nodes", "2000"]),
        ("glaurung", "chess", "uci:glaurung;Hash=8", ["--tc", "3+0.05"]),
        ("fairy-stockfish", "breakthrough", "uci:fairy-stockfish", ["--movetime", "20ms"]),
    ] {
        if !is_installed(engine) {
            skipped("real_engines_play_whole_matches", &format!("{engine} is not installed"));
            continue;
        }
        let home = Home::new();
        let work = ["match", game, "--a", "modern", "--b", command, "--games", "2", "--json", "--margin", "20s"];
        let work = if pace[0] == "--nodes" { &work[..work.len() - 2] } else { &work[..] };
        let result = home.run(&[work, &pace].concat()).ok().json();
        assert_eq!(result["games"], 2);
        assert_eq!(result["failures"][0], 0, "{result}");
        // gnuchess ends itself now and then, in 6 of 200 games; that loses it the game and nothing else.
        if engine != "gnuchess" {
            assert_eq!(result["failures"][1], 0, "{result}");
        }
    }
}

#[test]
fn our_speed_stands_beside_theirs() {
    let home = Home::new();
    let engine = bad_engine::command("good");
    let work = ["bench", "chess", "--against", &engine, "--movetime", "20ms", "--rounds", "1", "--json"];
    let report = home.run(&work).ok().json();
    assert_eq!(report["engines"][0]["engine"], "plysmith modern");
    assert_eq!(report["engines"][1]["engine"], "Bad Engine (good)");
    assert!(report["engines"][1]["ours"].as_f64().unwrap() > 0.0, "{report}");
}

/// There is nothing to keep yet, so a signal need not wait for an engine that does not answer.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_wait_for_an_engine_that_does_not_start() {
    let engine = "uci:sh -c 'touch started; exec sleep 1000'";
    let matched = ["match", "chess", "--a", "classic", "--b", engine];
    let measured = ["measure", "chess", "--engine", engine, "Neutral"];
    for (signal, command) in [("INT", &matched[..]), ("TERM", &measured[..])] {
        let home = Home::new();
        let running = home.start(command);
        while !home.path().join("started").exists() {
            sleep(Duration::from_millis(10));
        }
        running.signal(&[signal]);
        running.end().fails(130, &["interrupted"]);
        assert_eq!(home.run(&["runs", "--json"]).ok().json().as_array().map(Vec::len), Some(0));
    }
}

/// The skeleton of a mapping is one that the engine can be tuned with.
#[test]
fn a_mapping_skeleton_is_written_and_can_be_used() {
    let home = Home::new();
    let engine = format!("{PLYSMITH} engine chess");
    let check = ["check-engine", "chess", &engine, "--mapping", "mine.toml"];
    home.run(&check).ok();
    let text = home.read("mine.toml");
    assert!(text.contains("[[weight]]") && text.contains("choices = [") && text.contains("Not tuned"), "{text}");
    home.run(&check).fails(2, &["mine.toml", "--force"]);
    let external = format!("uci:{engine}");
    let weights = text.matches("[[weight]]").count();
    home.file("one.epd", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; dm 1;\n");
    let tune = ["tune", "chess", "--engine", &external, "--mapping", "mine.toml", "--suite", "one.epd"];
    let tuned = home.run(&[&tune[..], &["--nodes", "200", "--iterations", "1", "--json"]].concat());
    assert!(weights > 10 && tuned.code == Some(0), "{tuned:?}");
}
