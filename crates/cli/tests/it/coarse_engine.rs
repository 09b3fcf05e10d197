//! A UCI engine with coarse options, and tuning it: every setting is a row once, the engine as shipped is the first, and
//! what is printed can be copied.
//!
//! The engine lives in the test program itself, like the one of `bad_engine`: the test program started again with one test,
//! [`act`]. It prefers the right move of [`SUITE`] for a moment at 20 nodes, and for good after a number of nodes that its
//! options decide.

use std::io::{BufRead, Write, stdin, stdout};

use plysmith_core::games::{self, AnyPosition};
use serde_json::Value;

use crate::support::{Home, PLYSMITH, names};

/// The right move is the first legal one, as the engine lists them.
const SUITE: &str = "\
4k3/8/8/8/8/8/4P3/4K3 w - - bm Ke1d1; id \"a\";
4k3/4p3/8/8/8/8/4P3/4K3 w - - bm Ke1d1; id \"b\";
4k3/3pp3/8/8/8/8/4P3/4K3 w - - bm Ke1d1; id \"c\";
4k3/2ppp3/8/8/8/8/4P3/4K3 w - - bm Ke1d1; id \"d\";
4k3/1pppp3/8/8/8/8/4P3/4K3 w - - bm Ke1d1; id \"e\";
4k3/ppppp3/8/8/8/8/4P3/4K3 w - - bm Ke1d1; id \"f\";
";

/// Two weights. The mapping switches an option on that makes every search better.
const MAPPING: &str = "\
[options]
\"Deep Search\" = true

[[weight]]
name = \"check\"
option = \"Check Extension (PV nodes)\"
range = [0, 1]
start = 1
scale = -2
offset = 2

[[weight]]
name = \"pawn\"
option = \"Pawn Extension\"
range = [0, 2]
start = 1
";

fn command() -> String {
    let program = std::env::current_exe().unwrap();
    format!("uci:'{}' --exact coarse_engine::act --nocapture -q coarse-engine", program.display())
}

/// The engine, if this process is one; otherwise a test of nothing.
#[test]
fn act() {
    if std::env::args().any(|word| word == "coarse-engine") {
        Engine { position: open("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), check: 0, deep: false }
            .run();
        // Not the harness's words at the end.
        std::process::exit(0);
    }
}

fn open(text: &str) -> Box<dyn AnyPosition> {
    (games::find("chess").unwrap().open)(text).unwrap()
}

struct Engine {
    position: Box<dyn AnyPosition>,
    check: u64,
    deep: bool,
}

fn say(text: &str) {
    let mut output = stdout().lock();
    if writeln!(output, "{text}").and_then(|()| output.flush()).is_err() {
        std::process::exit(0);
    }
}

impl Engine {
    fn run(&mut self) {
        say("");
        for line in stdin().lock().lines() {
            let line = line.unwrap();
            let words: Vec<_> = line.split_whitespace().collect();
            match words.first().copied() {
                Some("uci") => {
                    say("id name Coarse\noption name Hash type spin default 32 min 1 max 64");
                    say("option name Deep Search type check default false");
                    say("option name Check Extension (PV nodes) type spin default 0 min 0 max 2");
                    say("option name Pawn Extension type spin default 1 min 0 max 2\nuciok");
                }
                Some("isready") => say("readyok"),
                Some("setoption") if line.contains("Deep Search") => self.deep = line.ends_with("true"),
                Some("setoption") if line.contains("Check Extension") => {
                    self.check = words.last().unwrap().parse().unwrap();
                }
                Some("position") => self.set_up(&words),
                Some("go") => self.search(&words),
                Some("quit") => return,
                _ => {}
            }
        }
    }

    fn set_up(&mut self, words: &[&str]) {
        let moves = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        self.position = match words[1] {
            "fen" => open(&words[2..moves].join(" ")),
            _ => open("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        };
        for m in words.iter().skip(moves + 1) {
            self.position = self.position.play(m).unwrap();
        }
    }

    /// Finds the right move after a number of nodes, if the limit allows it.
    fn search(&self, words: &[&str]) {
        let limit = words.iter().position(|&word| word == "nodes").map_or(1000, |at| words[at + 1].parse().unwrap());
        let moves = self.position.moves();
        let (right, wrong) = (&moves[0], moves.last().unwrap());
        let men = self.position.text().chars().take_while(|letter| *letter != ' ').filter(|one| *one == 'p').count();
        let needed = 300 + 30 * men as u64 - 100 * self.check - if self.deep { 40 } else { 0 };
        for (depth, nodes, m) in [(1, 20, right), (1, 30, wrong), (2, needed, right), (3, needed + 10, right)] {
            if nodes <= limit {
                say(&format!("info depth {depth} nodes {nodes} score cp 5 pv {m}"));
            }
        }
        say(&format!("bestmove {}", if needed <= limit { right } else { wrong }));
    }
}

fn home() -> Home {
    let home = Home::new();
    let first = open("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").moves()[0].clone();
    home.file("coarse.epd", SUITE.replace("Ke1d1", &first));
    home.file("coarse.toml", MAPPING);
    home
}

const LIMITS: &[&str] = &["--suite", "coarse.epd", "--nodes", "400", "--threads", "1"];

fn tune(home: &Home, more: &[&str]) -> Value {
    let engine = command();
    let work = ["tune", "chess", "--engine", &engine, "--mapping", "coarse.toml", "--json"];
    home.run(&[&work[..], LIMITS, more].concat()).ok().json()
}

/// The settings of a tuning: each once, the engine as shipped first, and the result among them.
fn check_rows(tuned: &Value) -> Vec<&Value> {
    let rows: Vec<_> = tuned["settings"].as_array().unwrap().iter().collect();
    assert!(rows[0]["name"].as_str().unwrap().starts_with("as shipped"), "{tuned}");
    let results: Vec<_> = rows.iter().filter(|row| row["is_result"] == true).collect();
    assert_eq!(results.len(), 1, "the result is one of the rows: {tuned}");
    let values: Vec<_> = names(&tuned["weights"], "value");
    assert_eq!(results[0]["weights"], values.join(" "), "{tuned}");
    let mut weights: Vec<_> = rows.iter().map(|row| row["weights"].to_string()).collect();
    let count = weights.len();
    weights.sort();
    weights.dedup();
    assert_eq!(weights.len(), count, "no setting is there twice: {tuned}");
    rows
}

#[test]
fn a_coarse_engine_is_tuned_until_its_settings_repeat() {
    let home = home();
    for optimiser in ["gradient", "printed-gradient", "spsa", "matrix-adaptation"] {
        let tuned = tune(&home, &["--optimiser", optimiser, "--iterations", "200", "--patience", "0"]);
        let rows = check_rows(&tuned);
        assert_eq!(rows[0]["weights"], Value::Null, "the engine as shipped searches without the option");
        // There are nine settings; every iteration measured a new one.
        let iterations = tuned["iterations"].as_array().unwrap();
        assert!(iterations.len() <= 9, "{optimiser}: {} iterations", iterations.len());
        assert_eq!(tuned["stop"], "stopped: settings repeat", "{optimiser}: {tuned}");
        let check = tuned["weights"][0]["value"].as_str().unwrap();
        assert_eq!(check, "0", "{optimiser}: extending checks is best");
    }
}

#[test]
fn everything_that_differs_is_printed_and_the_match_can_be_copied() {
    let home = home();
    let tuned = tune(&home, &["--verify-games", "2", "--verify-nodes", "100"]);
    check_rows(&tuned);
    // What the mapping switches on is there; what is as shipped is not.
    let expected = ["setoption name Deep Search value true", "setoption name Check Extension (PV nodes) value 2"];
    assert_eq!(tuned["setting"]["commands"], serde_json::json!(expected), "{tuned}");
    let (shipped, result) = (&tuned["settings"][0], tuned["settings"].as_array().unwrap().last().unwrap());
    assert!(shipped["training"]["nodes"].as_u64() > result["training"]["nodes"].as_u64(), "{tuned}");
    assert_eq!(tuned["games"]["games"], 2, "{tuned}");
    assert!(tuned["games"]["b"].as_str().unwrap().ends_with("coarse-engine"), "as shipped, without options: {tuned}");
    let shown = home.run(&["show", "1"]).ok().stdout;
    for part in ["Everything that differs from the engine as shipped:", "as shipped ", "games  2: ", expected[0]] {
        assert!(shown.contains(part), "no '{part}' in {shown}");
    }
    let row = shown.lines().position(|line| line.contains("as shipped ")).unwrap();
    assert!(shown.lines().nth(row - 1).unwrap().contains("nodes (stable)"), "it is the first row: {shown}");
    // The line that is printed, copied into a shell.
    let line = shown.lines().find(|line| line.starts_with("plysmith match ")).unwrap();
    assert_eq!(tuned["match_command"], line);
    let folder = std::path::Path::new(PLYSMITH).parent().unwrap().display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let copied = home.command("sh", &["-c", line]).env("PATH", path).output().unwrap();
    assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
    let played = home.exported(2);
    for player in ["a", "b"] {
        assert_eq!(played["config"][player], tuned["games"][player], "the same players as in the run");
    }
    assert_eq!(played["result"]["games"], 2);
    let games = home.run(&["export", "1", "--format", "pgn"]).ok().stdout;
    assert_eq!(games.matches("[Event ").count(), 2, "{games}");
}

#[test]
fn games_that_cannot_be_played_are_refused() {
    let home = home();
    let engine = command();
    let tune = |more: &[&str]| home.run(&[&["tune", "chess"], more].concat());
    tune(&["--weights", "AcK", "--verify-games", "3"]).fails(2, &["try --verify-games 4"]);
    tune(&["--weights", "AcK", "--verify-nodes", "3"]).fails(2, &["--verify-games"]);
    tune(&["--weights", "AcK", "--policy", "end"]).fails(2, &["nothing to minimise", "--policy stable"]);
    let uci = ["--engine", &engine, "--mapping", "coarse.toml", "--policy", "end"];
    tune(&uci).fails(2, &["nothing to minimise", "--policy stable"]);
    let plug = crate::bad_engine::command("good");
    tune(&["--engine", &plug, "--verify-games", "2"]).fails(2, &["--verify-games needs an engine that can play"]);
    assert_eq!(home.run(&["runs", "--json"]).ok().json(), serde_json::json!([]));
}

#[test]
fn every_policy_is_measured_on_every_engine_and_named() {
    let home = home();
    let engine = command();
    let nodes = |measured: &Value| measured["findings"][0]["nodes"].as_u64().unwrap();
    let mut by_engine = Vec::new();
    for more in [&["Neutral", "--engine", &engine][..], &["Neutral"]] {
        let measure = |options: &[&str]| home.run(&[&["measure", "chess"], more, LIMITS, options].concat()).ok();
        let usual = measure(&["--json"]).json();
        let all = ["end", "first", "iteration", "stable"].map(|policy| {
            let measured = measure(&["--policy", policy, "--json"]).json();
            assert_eq!((&measured["policy"], &measured["findings"][0]["policy"]), (&policy.into(), &policy.into()));
            let text = measure(&["--policy", policy]).stdout;
            assert!(
                text.contains(&format!("; policy {policy}: ")) && text.contains(&format!("nodes ({policy})")),
                "{text}"
            );
            measured
        });
        assert_eq!(usual, all[0], "'end' is the policy of measure, for every engine");
        assert_eq!(all[0]["findings"][0]["solved"], all[3]["findings"][0]["solved"], "'stable' looks at the end too");
        by_engine.push(all.map(|measured| nodes(&measured)));
    }
    assert_eq!(by_engine[0], [2400, 120, 300 + 330 + 360 + 390 + 400 + 400, 300 + 330 + 360 + 390 + 400 + 400]);
    assert_eq!(by_engine[1][0], 2400, "both count whole searches: {by_engine:?}");
    let export = home.run(&["export", "2", "--format", "csv"]).ok().stdout;
    assert!(export.starts_with("run,feature,solved,tried,nodes,") && export.contains(",policy\n"), "{export}");
    assert_eq!(home.exported(2)["config"]["experiment"]["policy"], "end");
    let found =
        home.run(&["discover", "chess", "--base", "AcK,Rc", "--policy", "stable", "--suite", "coarse.epd"]).ok();
    assert!(found.stdout.contains("; policy stable: ") && found.stdout.contains("nodes (stable)"), "{}", found.stdout);
}
