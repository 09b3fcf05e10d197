//! Foreign engines that are measured: `discover` and `measure` with `--engine`, by both protocols.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::bad_engine;
use crate::engines::{is_installed, processes, wait_until};
use crate::halts::Table;
use crate::support::{Home, PLYSMITH, SMALL_DISCOVERY, names, skipped};

/// A folder of the project.
fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn example(name: &str) -> String {
    project("examples/engines").join(name).display().to_string()
}

/// Our own engine, as others see it.
fn own_plug(game: &str) -> String {
    format!("'{PLYSMITH}' engine {game} --plug --preset classic")
}

/// Names of features with what they solve.
fn solved(discovery: &Value) -> Vec<(String, Value)> {
    let output = discovery["output"].as_array().unwrap().iter();
    output.map(|line| (line["feature"].as_str().unwrap().to_string(), line["solved"].clone())).collect()
}

#[test]
fn a_discovery_through_the_plug_finds_what_the_built_in_one_finds() {
    let home = Home::new();
    let own = home.run(&[SMALL_DISCOVERY, &["--exact", "--json"]].concat()).ok().json();
    let work = ["discover", "--suite", "small.suite", "--nodes", "2000", "--epsilon", "1", "--exact", "--json"];
    let ran = home.run(&[&work[..], &["--engine", &own_plug("breakthrough")]].concat()).ok();
    assert_eq!(ran.stderr, "", "it introduces itself, and does the same twice");
    let plugged = ran.json();
    assert_eq!(solved(&plugged), solved(&own));
    assert_eq!(plugged["game"], "breakthrough");
    assert!(plugged["preset"].as_str().unwrap().starts_with("plug:"), "{}", plugged["preset"]);
}

/// The example in C, compiled; nothing, and a loud word, where that cannot be.
fn compiled(home: &Home) -> Option<String> {
    let program = home.path().join("breakthrough").display().to_string();
    let flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-o", &program];
    match Command::new("cc").args(flags).arg(example("breakthrough.c")).status() {
        Ok(status) => {
            assert!(status.success(), "the example does not compile");
            Some(format!("'{program}'"))
        }
        Err(error) => {
            skipped("the example engine in C", &format!("there is no C compiler: {error}"));
            None
        }
    }
}

fn python() -> Option<String> {
    match Command::new("python3").arg("--version").output() {
        Ok(_) => Some(format!("python3 '{}'", example("breakthrough.py"))),
        Err(error) => {
            skipped("the example engine in Python", &format!("there is no python3: {error}"));
            None
        }
    }
}

#[test]
fn the_example_engines_search_alike_and_find_what_is_to_be_found() {
    let home = Home::new();
    let suite = example("small.suite");
    let discover = |engine: &str, more: &[&str]| {
        let work = ["discover", "--engine", engine, "--suite", &suite, "--json"];
        home.run(&[&work[..], more].concat()).ok().json()
    };
    let short = ["--nodes", "500", "--problems", "6", "--most-atoms", "2"];
    let engines: Vec<String> = [python(), compiled(&home)].into_iter().flatten().collect();
    let results: Vec<_> = engines.iter().map(|engine| solved(&discover(engine, &short))).collect();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
    if let Some(engine) = compiled(&home) {
        // Men that get to the last ranks and cannot be taken there, as in the papers.
        let found = discover(&engine, &["--nodes", "3000"]);
        assert_eq!(names(&found["output"], "feature")[0], "Safe-Top", "{found}");
        let neutral = found["neutral"].as_u64().unwrap();
        assert!(found["output"][0]["solved"].as_u64().unwrap() > neutral + 5, "{found}");
    }
    for name in ["breakthrough.py", "breakthrough.c"] {
        let lines = std::fs::read_to_string(example(name)).unwrap().lines().count();
        assert!(lines < 220, "{name} has {lines} lines");
    }
}

/// Conjunctions with features of the search state, and amounts: both examples and our own engine take them.
#[test]
fn state_features_and_amounts_go_through_the_plug() {
    let home = Home::new();
    let suite = example("small.suite");
    let schemes = ["Neutral", "late@+1", "late-deep@+0.5,Cap@-0.25", "(Cap-Up)|Edge|Free@-0.3,Top-Safe@0.5"];
    let engines: Vec<String> = [python(), compiled(&home)].into_iter().flatten().collect();
    let measure = |engine: &str, schemes: &[&str]| {
        let work = ["measure", "breakthrough", "--engine", engine, "--suite", &suite, "--nodes", "600", "--json"];
        home.run(&[&work[..], schemes].concat())
    };
    let found: Vec<Value> =
        engines.iter().map(|engine| measure(engine, &schemes).ok().json()["findings"].clone()).collect();
    let depths = |findings: &Value| -> Vec<f64> {
        findings.as_array().unwrap().iter().map(|line| line["mean_depth"].as_f64().unwrap()).collect()
    };
    for findings in &found {
        assert_eq!(depths(findings), depths(&found[0]), "they search alike");
        let depths = depths(findings);
        assert!(depths[1] > depths[0], "late moves are reduced: {depths:?}");
        assert!(depths[1..].iter().all(|depth| *depth != depths[0]), "{depths:?}");
    }
    // The features of the search are no base features unless they are named.
    if let Some(engine) = engines.last() {
        let work = ["discover", "--engine", engine, "--suite", &suite, "--nodes", "500", "--problems", "6", "--json"];
        let base = ["--base", "Cap,late", "--weight", "+0.5", "--most-atoms", "2"];
        let found = home.run(&[&work[..], &base].concat()).ok().json();
        assert!(solved(&found).iter().any(|(name, _)| name == "Cap-late" || name == "late"), "{found}");
        for (scheme, part) in [
            ("Cap@31%", "'Cap@31%' has probabilities; an engine that takes them says 'can probabilities'"),
            ("=Cap@2,Up@1", "has partitions"),
            ("Cap@0.5~", "has marks"),
            ("Cap@0.5,Other@2", "has other"),
        ] {
            measure(engine, &[scheme]).fails(2, &["does not take this scheme", part]);
        }
    }
    let own = format!("'{PLYSMITH}' engine breakthrough --plug --preset modern");
    let work = ["measure", "breakthrough", "--engine", &own, "--suite", "small.suite", "--nodes", "600", "--json"];
    let schemes = ["Neutral", "cut-late@+0.5,Ud@-0.25", "=Ud-C@31%,Other@3%", "late@1.5~"];
    let plugged = home.run(&[&work[..], &schemes].concat()).ok().json();
    let work = ["measure", "breakthrough", "--preset", "modern", "--suite", "small.suite", "--nodes", "600", "--json"];
    let built_in = home.run(&[&work[..], &["--policy", "first"], &schemes].concat()).ok().json();
    let nodes = |measured: &Value| -> Vec<Value> {
        measured["findings"].as_array().unwrap().iter().map(|line| line["nodes"].clone()).collect()
    };
    assert_eq!(nodes(&plugged), nodes(&built_in), "schemes go through the protocol unchanged");
}

/// Our own engine behind a script that adds a table of options, and writes down what they are set to.
const TABLE_ENGINE: &str = r#"
import subprocess, sys, threading
inner = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
def forward():
    for line in inner.stdout:
        if line.strip() == "uciok":
            for number in range(4):
                print(f"option name LMR_{number} type spin default 7 min 0 max 150", flush=True)
        print(line, end="", flush=True)
thread = threading.Thread(target=forward)
thread.start()
for line in sys.stdin:
    if "name LMR_" in line:
        with open("table.log", "a") as log:
            log.write(line)
    else:
        inner.stdin.write(line)
        inner.stdin.flush()
inner.stdin.close()
thread.join()
"#;

/// The amounts of conjunctions are summed up and sent as the entries of a table.
#[test]
fn a_table_of_reductions_is_tuned_through_a_mapping() {
    let home = Home::new();
    if python().is_none() {
        return;
    }
    home.file("engine.py", TABLE_ENGINE);
    home.file("mate.suite", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm a1a8; id \"mate\"; solve best-move;\n");
    let table =
        "[table]\noptions = 'LMR_{}'\nconditions = ['pv', 'cut']\nconjunctions = ['cut', 'pv-cut']\nunit = 100\n";
    home.file("table.toml", table);
    let engine = format!("uci:python3 engine.py '{PLYSMITH}' engine chess");
    let measure = |weights: &str| {
        let work = ["measure", "chess", "--engine", &engine, "--mapping", "table.toml", "--suite", "mate.suite"];
        home.run(&[&work[..], &["--nodes", "300", weights]].concat())
    };
    measure("1 0.4").ok();
    let log = home.read("table.log");
    for entry in ["LMR_2 value 107", "LMR_3 value 147"] {
        assert!(log.contains(&format!("setoption name {entry}\n")), "no {entry} in {log}");
    }
    assert!(!log.contains("LMR_0 value 1") && !log.contains("LMR_1 value 1"), "{log}");
    measure("1 2 3").fails(2, &["3 weights were given for 2 parameters (cut, pv-cut)"]);
    home.file("table.toml", table.replace("'cut']\n", "'cut', 'late']\n"));
    measure("1 0.4").fails(2, &["table.toml:2: the engine has no option 'LMR_4'"]);
}

/// An engine of version 1 without the word for amounts is not sent any.
#[test]
fn an_engine_that_does_not_take_amounts_is_not_sent_any() {
    let home = Home::new();
    let Some(engine) = python() else { return };
    let script = std::fs::read_to_string(example("breakthrough.py")).unwrap().replace(" gosolve amounts", " gosolve");
    home.file("old.py", script);
    let engine = engine.replace(&example("breakthrough.py"), "old.py");
    let suite = example("small.suite");
    let measure = |scheme| {
        home.run(&["measure", "breakthrough", "--engine", &engine, "--suite", &suite, "--nodes", "200", scheme])
    };
    measure("Cap@0.5").ok();
    measure("Cap@+0.5").fails(2, &["Example in Python does not take this scheme", "says 'can amounts'"]);
    let discover = ["discover", "--engine", &engine, "--suite", &suite, "--nodes", "200", "--weight", "+0.5"];
    home.run(&discover).fails(2, &["says 'can amounts'"]);
    assert_eq!(home.run(&["runs", "--json"]).ok().json().as_array().unwrap().len(), 1, "no other run is stored");
}

#[test]
fn weights_of_the_example_make_a_difference() {
    let home = Home::new();
    let Some(engine) = compiled(&home) else { return };
    let suite = example("small.suite");
    let work = ["measure", "breakthrough", "--engine", &engine, "--suite", &suite, "--nodes", "3000", "--json"];
    let measured = home.run(&[&work[..], &["1 1 1 1 1 1", "1 1 1 1 0.5 1", "Neutral"]].concat()).ok().json();
    let nodes: Vec<_> = measured["findings"].as_array().unwrap().iter().map(|line| line["nodes"].as_u64()).collect();
    assert!(nodes[1] < nodes[0], "{nodes:?}");
    assert_eq!(nodes[2], nodes[0], "weights of 1 are no features");
}

#[test]
fn a_killed_discovery_on_a_foreign_engine_goes_on() {
    let engine = own_plug("breakthrough");
    let work = ["discover", "--suite", "small.suite", "--nodes", "2000", "--epsilon", "1", "--engine", &engine];
    let whole = Home::new();
    whole.run(&[&work[..], &["--json"]].concat()).ok();
    let home = Home::new();
    home.kill_at(&work, Table::Events, 5);
    home.run(&["resume", "1", "--threads", "1"]).ok();
    let (one, other) = (whole.exported(1), home.exported(1));
    assert!(other["events"].as_array().unwrap().len() > 5, "there was more to do");
    assert_eq!(one, other);
}

/// Chess problems that the bad engine solves if it does nothing wrong; in the second Black is to move.
const BAD_SUITE: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm FIRST; id \"start\";
4k3/4p3/8/8/8/8/4P3/4K3 b - - bm e7e5; id \"black\";
4k3/8/8/8/8/8/4P3/4K3 w - - bm e2e4; id \"pawn\";
";

#[test]
fn a_problem_at_which_the_engine_fails_is_excluded_by_name_and_the_rest_is_intact() {
    let home = Home::new();
    // The first legal move, as it lists them.
    home.file("bad.epd", BAD_SUITE.replace("FIRST", "b1a3"));
    for engine in [bad_engine::command("black-dies-mid-search"), bad_engine::command("black-junk-move")] {
        let work = ["discover", "--engine", &engine, "--suite", "bad.epd", "--nodes", "100", "--json"];
        let ran = home.run(&work).ok();
        assert!(ran.stderr.contains("problem 'black', failure 3"), "{}", ran.stderr);
        let discovery = ran.json();
        for line in discovery["output"].as_array().unwrap() {
            assert_eq!(line["excluded"][0]["id"], "black", "{line}");
            assert_eq!(line["tried"], 3, "{line}");
            let failure = line["excluded"][0]["failure"].as_str().unwrap();
            for part in
                ["position: 4k3/4p3/8/8/8/8/4P3/4K3 b", "> setboard 4k3/4p3", "> setscheme ", "> gountil e7e5 100"]
            {
                assert!(failure.contains(part), "no '{part}' in {failure}");
            }
        }
    }
    let shown = home.run(&["show", "1"]).ok().stdout;
    assert!(
        shown.contains("(1 excluded)")
            && shown
                .contains("Excluded from all results, because the engine failed on them for some candidates: black."),
        "{shown}"
    );
}

#[test]
fn an_engine_that_fails_everywhere_ends_the_run_with_a_report() {
    let home = Home::new();
    home.file("bad.epd", BAD_SUITE.replace("FIRST", "b1a3"));
    let engine = bad_engine::command("dies-mid-search");
    let ran = home.run(&["discover", "--engine", &engine, "--suite", "bad.epd", "--nodes", "100"]);
    ran.fails(1, &["failed 3 times at each of 3 problems in a row", "stack smashing", "> gountil"]);
}

#[test]
fn a_game_that_nobody_knows_is_relayed_as_it_is() {
    let home = Home::new();
    home.file("hex.txt", "any position bm yes; id \"one\";\n. / . x bm no; id \"two\";\n");
    let engine = bad_engine::command("hex");
    let discovery = home.run(&["discover", "--engine", &engine, "--suite", "hex.txt", "--nodes", "100", "--json"]).ok();
    let discovery = discovery.json();
    assert_eq!((&discovery["game"], &discovery["neutral"]), (&"hex".into(), &1.into()), "{discovery}");
    assert_eq!(discovery["output"][0]["solved_ids"][0], "one");
    home.run(&["discover", "--engine", &engine]).fails(2, &["the engine's game has no bundled suite", "--suite FILE"]);
    home.file("bad.txt", "bm yes; id \"one\";\n");
    let ran = home.run(&["discover", "--engine", &engine, "--suite", "bad.txt"]);
    ran.fails(2, &["bad.txt:1:1: there is no position before"]);
}

#[test]
fn mistakes_are_told_before_there_is_a_run() {
    let home = Home::new();
    home.file("map.toml", "[[weight]]\nname = \"w\"\noption = \"Hsh\"\n");
    let (uci, plug) = (format!("uci:{}", bad_engine::command("good")), bad_engine::command("good"));
    let small = ["--problems", "3", "--nodes", "100"];
    let discover = |more: &[&str]| home.run(&[&["discover", "chess"], more, &small].concat());
    discover(&["--engine", "/no/engine"]).fails(2, &["there is no file '/no/engine'"]);
    discover(&["--engine", "'x"]).fails(2, &["never closed"]);
    discover(&["--engine", &uci]).fails(2, &["lists no features", "docs/plug-protocol.md"]);
    discover(&["--engine", &plug, "--preset", "modern"]).fails(2, &["--preset is for built-in engines"]);
    discover(&["--engine", &plug, "--policy", "first"]).fails(2, &["--policy is for built-in and UCI engines"]);
    discover(&["--engine", &uci, "--policy", "last"]).fails(2, &["'last' is not a policy", "'stable'"]);
    discover(&["--engine", &plug, "--base", "three"]).fails(2, &["'three' is not a feature; expected one of one, two"]);
    let measure = |more: &[&str]| home.run(&[&["measure", "chess"], more, &small].concat());
    measure(&["--engine", &uci, "--mapping", "map.toml", "1"])
        .fails(2, &["map.toml:3: the engine has no option 'Hsh'", "did you mean 'Hash'"]);
    measure(&["--engine", &uci, "--mapping", "no.toml", "1"]).fails(2, &["cannot read no.toml"]);
    measure(&["--engine", &uci, "AcK"]).fails(2, &["'AcK' is not a feature"]);
    measure(&["--engine", &uci, "1 1"]).fails(2, &["2 weights were given for 0 parameters"]);
    measure(&["--engine", &plug, "5"]).fails(2, &["the weight 5 of 'check' is not from 0.1 to 2"]);
    measure(&["--engine", &bad_engine::command("dies-at-start"), "1"])
        .fails(1, &["died (exit code 3)", "no luck today"]);
    assert_eq!(home.run(&["runs", "--json"]).ok().json(), serde_json::json!([]));
    home.run(&["discover"]).says(&["<GAME>"]);
}

#[test]
#[cfg(target_os = "linux")]
fn no_measured_engine_outlives_us_even_after_kill_9() {
    let home = Home::new();
    home.file("bad.epd", BAD_SUITE.replace("FIRST", "b1a3"));
    let file = home.path().join(format!("measured9-{}", std::process::id()));
    let tag = format!("@{}", file.display());
    let engine = bad_engine::command(&format!("black-hangs{tag}"));
    let work = ["discover", "--engine", &engine, "--suite", "bad.epd", "--nodes", "1000000", "--threads", "1"];
    let running = home.start(&work);
    wait_until("the engine does not hang", || bad_engine::hung(&file) >= 1);
    // Plysmith itself, a guard and an engine.
    assert!(processes(&tag).len() >= 3);
    running.kill();
    wait_until("an engine outlives a killed plysmith", || processes(&tag).is_empty());
}

#[test]
fn glaurung_is_measured_and_repeats_itself() {
    if !is_installed("glaurung") {
        return skipped("glaurung_is_measured_and_repeats_itself", "glaurung is not installed");
    }
    let home = Home::new();
    let mapping = project("examples/glaurung.toml").display().to_string();
    let work = ["measure", "chess", "--engine", "uci:glaurung", "--mapping", &mapping, "--problems", "8"];
    let candidates = ["--nodes", "30000", "--policy", "first", "--json", "1 1 1 1 1 1", "0 1 1 1 1 1"];
    let ran = home.run(&[&work[..], &candidates].concat()).ok();
    assert!(ran.stderr.contains("remembers in spite of 'ucinewgame'"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    let measured = ran.json();
    let nodes: Vec<_> = measured["findings"].as_array().unwrap().iter().map(|line| line["nodes"].as_u64()).collect();
    assert!(nodes[1] < nodes[0], "extending checks finds mates sooner: {nodes:?}");
    // Another process, another number of them: the same again.
    let other = Home::new();
    let again = other.run(&[&work[..], &candidates, &["--threads", "1"]].concat()).ok().json();
    assert_eq!(again["findings"], measured["findings"]);
}

#[test]
fn what_measuring_costs_is_shown() {
    let home = Home::new();
    let engine = format!("'{PLYSMITH}' engine chess --plug");
    let work = ["bench", "chess", "--driver", &engine, "--rounds", "1", "--nodes", "2000", "--json"];
    let lines = home.run(&work).ok().json();
    assert_eq!((&lines[0]["threads"], &lines[0]["searches"]), (&1.into(), &4.into()), "{lines}");
    assert!(lines[0]["overhead"].as_f64().is_some_and(|share| share >= 0.0), "{lines}");
}
