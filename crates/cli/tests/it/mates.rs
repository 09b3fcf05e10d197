//! Mate problems: solving and proving them, programs, evolution, and `go mate` of the engine.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::halts::Table;
use crate::play_and_engine::Program;
use crate::resume::work_with_kills;
use crate::support::{Home, skipped};

const MATE_IN_2: &str = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1";
/// Three mates in one and three in two.
const SMALL: &str = "\
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1 bm d1d8; id \"a\"; dm 1;
7k/6pp/8/8/8/8/8/K2R4 w - - 0 1 bm d1d8; id \"b\"; dm 1;
k7/8/1K6/8/8/8/8/7R w - - 0 1 bm h1h8; id \"c\"; dm 1;
r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1 bm d2h6; id \"d\"; dm 2;
6k1/5ppp/8/8/8/8/r4PPP/1Q2R1K1 w - - 0 1 bm e1e8 b1b8; id \"e\"; dm 1;
kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1 bm a1a6; id \"f\"; dm 2;
";
/// An evolution of some seconds.
const EVOLUTION: &[&str] = &[
    "evolve",
    "--suite",
    "mates.epd",
    "--population",
    "60",
    "--generations",
    "40",
    "--budget",
    "20000",
    "--sample",
    "2",
    "--seed",
    "5",
    "--islands",
    "2",
    "--migration",
    "2",
    "--refine",
    "15",
];

fn home() -> Home {
    let home = Home::new();
    home.file("mates.epd", SMALL);
    home
}

#[test]
fn a_mate_is_found_proved_and_the_proof_can_be_checked() {
    let home = home();
    for solver in ["exhaustive", "alpha-beta", "df-pn", "evolved"] {
        let found = home.run(&["mate", "--fen", MATE_IN_2, "--solver", solver, "--moves", "3", "--json"]).ok().json();
        assert_eq!((&found["mate"], &found["verdict"]), (&Value::from(2), &Value::from("verified")), "{solver}");
        assert_eq!(found["line"], serde_json::json!(["Qh6+", "Kxh6", "Bxf6#"]), "{solver}");
        assert!(found["nodes"].as_u64().unwrap() > 0);
    }
    home.run(&["mate", "--fen", MATE_IN_2, "--proof", "two.proof"]).ok();
    let text = home.run(&["mate", "--check-proof", "two.proof"]).ok().stdout;
    assert!(text.contains("mate in 2 is proved"), "{text}");

    let proof = home.read("two.proof");
    home.file("short.proof", proof.replace("mate in 2", "mate in 1"));
    let wrong = home.run(&["mate", "--check-proof", "short.proof"]);
    assert_eq!(wrong.code, Some(3), "{wrong:?}");
    assert!(wrong.stdout.contains("no mate within 1 moves"), "{wrong:?}");
    home.run(&["mate", "--fen", MATE_IN_2, "--proof", "two.proof"]).fails(2, &["two.proof exists", "--force"]);
}

#[test]
fn no_mate_is_said_and_is_no_failure() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for solver in ["exhaustive", "alpha-beta", "df-pn", "evolved"] {
        let found =
            home().run(&["mate", "--fen", start, "--moves", "2", "--nodes", "3000", "--solver", solver, "--json"]);
        let found = found.ok().json();
        assert_eq!(found["mate"], Value::Null);
        assert!(["not-found", "gave-up"].contains(&found["verdict"].as_str().unwrap()), "{found}");
    }
    // Stalemate, and mated already: nobody to move.
    for over in ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"] {
        for solver in ["exhaustive", "alpha-beta", "df-pn", "evolved"] {
            let found = home().run(&["mate", "--fen", over, "--solver", solver, "--json"]).ok().json();
            assert_eq!(found["mate"], Value::Null, "{solver} {over}");
        }
    }
}

#[test]
fn a_suite_is_summed_up_by_length() {
    let home = home();
    let one = home.run(&["mate", "--suite", "mates.epd", "--json", "--threads", "1"]).ok().json();
    let two = home.run(&["mate", "--suite", "mates.epd", "--json", "--threads", "2"]).ok().json();
    assert_eq!(one, two);
    assert_eq!(one["solved"], 6);
    let lengths = one["lengths"].as_array().unwrap();
    assert_eq!(
        lengths.iter().map(|row| (&row["moves"], &row["solved"])).collect::<Vec<_>>(),
        [(&Value::from(1), &Value::from(4)), (&Value::from(2), &Value::from(2))]
    );
    let text = home.run(&["mate", "--suite", "mates.epd"]).ok().stdout;
    assert!(text.contains("6 of 6 solved, all verified"), "{text}");
}

/// What we publish, on what no program was bred on. Everything is deterministic, so these numbers are exact.
#[test]
fn the_bundled_program_does_what_the_documents_say() {
    let home = Home::new();
    let evolved = home.run(&["mate", "--suite", "held-out", "--solver", "evolved", "--nodes", "5000000", "--json"]);
    let evolved = evolved.ok().json();
    let of = |name: &str| -> Vec<u64> {
        evolved["lengths"].as_array().unwrap().iter().map(|row| row[name].as_u64().unwrap()).collect()
    };
    assert_eq!(of("solved"), [10, 10, 10, 10, 10]);
    assert_eq!(of("mean_nodes"), [2, 44, 309, 21_211, 189_527]);
    assert!(evolved["problems"].as_array().unwrap().iter().all(|problem| problem["verdict"] == "verified"));
}

#[test]
fn programs_are_read_explained_and_simplified() {
    let home = home();
    home.file(
        "long.gp",
        "; by hand\n(If3 (Not (Not IsCheck)) (MakeBestMove (If3 IsMateInOneOrLess 1000 -1000)) -1000)\n",
    );
    let told =
        home.run(&["program", "long.gp", "--simplify", "--suite", "mates.epd", "--output", "short.gp", "--json"]);
    let told = told.ok().json();
    assert_eq!(told["program"], "(If3 IsCheck (MakeBestMove (If3 IsMateInOneOrLess 1000 -1000)) -1000)");
    assert_eq!((&told["size"], &told["size_before"]), (&Value::from(8), &Value::from(10)));
    assert_eq!(told["proved"], 5, "the key of the last one is no check");
    assert!(told["pseudo_code"].as_str().unwrap().contains("if mate in one or less"));
    let solved = home.run(&["mate", "--suite", "mates.epd", "--program", "short.gp", "--json"]).ok().json();
    assert_eq!(solved["solved"], 5);
    let language = home.run(&["program", "--language", "--json"]).ok().json();
    assert_eq!(language.as_array().unwrap().len(), 48);
    let shown = home.run(&["program", "long.gp", "--suite", "mates.epd"]).ok().stdout;
    assert!(shown.contains("best over all moves of"), "{shown}");
}

#[test]
fn what_is_wrong_is_named() {
    let home = home();
    home.file("bad.gp", "(If3 IsCheck\n  1 IsChekc)\n");
    home.file("empty.gp", "");
    home.file("plain.epd", "8/8/2k5/8/8/8/8/K6R w - - bm h1h2; id \"x\";\n");
    home.file("bad.proof", "mate in two\n");
    home.run(&["mate", "--fen", "nonsense"]).fails(2, &["position 'nonsense'", "character"]);
    home.run(&["mate"]).fails(2, &["--fen"]);
    home.run(&["mate", "--suite", "mates.epd", "--program", "bad.gp"]).fails(2, &["bad.gp:2:5: there is no 'IsChekc'"]);
    home.run(&["mate", "--suite", "mates.epd", "--program", "empty.gp"]).fails(2, &["empty.gp:1:1:"]);
    home.run(&["mate", "--suite", "none.epd"]).fails(2, &["cannot read none.epd"]);
    home.run(&["mate", "--suite", "plain.epd"]).fails(2, &["problem 'x' has no mate of known length", "dm N"]);
    home.run(&["mate", "--check-proof", "bad.proof"]).fails(2, &["bad.proof:1: expected 'mate in N'"]);
    home.run(&["mate", "--fen", MATE_IN_2, "--program", "bad.gp", "--solver", "df-pn"]).fails(2, &["--solver evolved"]);
    home.run(&["evolve", "--suite", "plain.epd"]).fails(2, &["no mate of known length"]);
    home.run(&["suite", "generate", "breakthrough", "--mate", "2"]).fails(2, &["--mate is for chess"]);
    home.run(&["suite", "generate", "chess", "--mate", "1-3", "--count", "10"]).fails(2, &["try --count 12"]);
    home.run(&["suite", "generate", "chess", "--mate", "9"]).fails(2, &["from 1 to 8"]);
    home.run(&["reproduce", "table2", "--engine", "x"]).fails(2, &["figure1, table4.7, table4.8 and mate-table2"]);
    home.run(&["engine", "breakthrough", "--program", "bad.gp"]).fails(2, &["--program is for `go mate` of UCI chess"]);
    assert_eq!(home.run(&["runs", "--json"]).ok().json(), serde_json::json!([]), "nothing of that began a run");
}

#[test]
fn generated_mates_are_what_they_say() {
    let home = Home::new();
    let made = ["suite", "generate", "chess", "--mate", "1-2", "--count", "4", "--seed", "9", "--nodes", "200"];
    let one = home.run(&[&made[..], &["--threads", "1"]].concat()).ok().stdout;
    // Another home, because this one remembers the games.
    let two = Home::new().run(&[&made[..], &["--threads", "2"]].concat()).ok().stdout;
    assert_eq!(one, two);
    home.file("made.epd", &one);
    let checked = home.run(&["suite", "check", "chess", "made.epd", "--json"]).ok().json();
    assert_eq!((&checked["proved"], &checked["problems"]), (&Value::from(4), &Value::from(4)));
}

#[test]
fn an_evolution_is_the_same_on_any_number_of_threads_and_after_kills() {
    let whole = home();
    whole.run(&[EVOLUTION, &["--threads", "1"]].concat()).ok();
    let expected = whole.exported(1);
    let count =
        |kind: &str| expected["events"].as_array().unwrap().iter().filter(|event| event["kind"] == kind).count();
    assert_eq!(count("generation"), 40);
    assert!(count("refined") > 0);
    let first = &expected["events"][0]["payload"]["islands"];
    assert_eq!((first.as_array().unwrap().len(), first[0].as_array().unwrap().len()), (2, 60));

    let other = home();
    other.run(&[EVOLUTION, &["--threads", "2"]].concat()).ok();
    assert_eq!(other.exported(1), expected);

    let killed = home();
    work_with_kills(&killed, EVOLUTION, &expected, 3, 3);
    assert_eq!(killed.exported(1), expected);
    let shown = killed.run(&["show", "1"]).ok().stdout;
    assert!(shown.contains("The champion of generation"), "{shown}");
}

#[test]
fn the_papers_experiment_counts_right_moves_in_the_papers_framework() {
    let home = home();
    let paper = ["--dialect", "paper", "--fitness", "paper", "--population", "12", "--generations", "3", "--seed", "3"];
    let rest = ["--suite", "mates.epd", "--nodes", "2000", "--output", "paper.gp"];
    let text = home.run(&[&["evolve"], &paper[..], &rest[..]].concat()).ok().stdout;
    assert!(text.contains("right move") && text.contains("alpha-beta"), "{text}");
    let again = ["program", "paper.gp", "--paper", "--suite", "mates.epd", "--nodes", "2000"];
    let tested = home.run(&[&again[..], &["--json"]].concat()).ok().json();
    let lengths = tested["lengths"].as_array().unwrap();
    assert_eq!(lengths.iter().map(|row| row["problems"].as_u64().unwrap()).sum::<u64>(), 6);
    // The moves at the root count, whatever the program does.
    assert!(lengths.iter().all(|row| row["boards"].as_u64() > row["problems"].as_u64()), "{tested}");
    home.file("first.gp", "(If3 IsMateInOneOrLess 1000 -1000)");
    let first = home.run(&["program", "first.gp", "--paper", "--suite", "mates.epd", "--json"]).ok().json();
    assert_eq!(first["lengths"][0]["solved"], 4, "all mates in one: {first}");
    home.run(&["evolve", "--suite", "mates.epd", "--reference", "nobody"])
        .fails(2, &["'nobody' is not a reference solver"]);
}

#[test]
fn mates_can_be_made_as_hard_and_as_quiet_as_wanted() {
    let home = home();
    let made = ["suite", "generate", "chess", "--mate", "2", "--count", "2", "--seed", "9", "--nodes", "100"];
    let quiet = home.run(&[&made[..], &["--quiet-keys", "--men", "6"]].concat()).ok().stdout;
    assert!(quiet.contains("--quiet-keys") && quiet.contains("q2-002"), "{quiet}");
    home.file("quiet.epd", &quiet);
    let checked = home.run(&["suite", "check", "chess", "quiet.epd", "--json"]).ok().json();
    assert_eq!((&checked["proved"], &checked["problems"]), (&Value::from(2), &Value::from(2)));
    let hard = home.run(&[&made[..], &["--reference", "exhaustive", "--band", "2:800-100000"]].concat()).ok().stdout;
    home.file("hard.epd", &hard);
    let solved = home.run(&["mate", "--suite", "hard.epd", "--solver", "exhaustive", "--json"]).ok().json();
    let problems = solved["problems"].as_array().unwrap();
    assert!(problems.iter().all(|problem| (800..=100_000).contains(&problem["nodes"].as_u64().unwrap())), "{solved}");
    let wrong = |more: &[&str], why: &str| {
        home.run(&[&made[..], more].concat()).fails(2, &[why]);
    };
    wrong(&["--reference", "exhaustive", "--band", "3:1-2"], "is for mates in 3");
    wrong(&["--reference", "exhaustive", "--band", "2:9-1"], "expected N:FROM-TO");
    wrong(&["--reference", "nobody", "--band", "2:1-9"], "'nobody' is not a reference solver");
}

/// The position without clocks, by which problems are the same.
fn placements(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn no_training_problem_is_held_out_or_published() {
    let data = |name: &str| fs::read_to_string(format!("{}/../../data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let training: BTreeSet<String> =
        ["chess-mates-training-100.suite", "chess-mates-quiet-32.suite", "chess-mates-hard-12.suite"]
            .iter()
            .flat_map(|name| placements(&data(name)))
            .collect();
    assert_eq!(training.len(), 144);
    assert!(training.is_disjoint(&placements(&data("chess-mates-held-out-50.suite"))));
    let folder = std::env::var_os("PLYSMITH_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    let Ok(published) = fs::read_to_string(folder.join("mates.epd")) else {
        return skipped("no_training_problem_is_held_out_or_published", "there is no mates.epd in PLYSMITH_DATA");
    };
    assert!(training.is_disjoint(&placements(&published)));
}

#[test]
fn an_evolution_can_be_looked_at_while_it_is_interrupted() {
    let home = home();
    home.slow_down_from(Table::Events, 2);
    let mut running = home.start(EVOLUTION);
    home.wait_for_rows(&mut running, Table::Events, 2);
    running.signal(&["INT"]);
    running.end().fails(130, &["`plysmith resume 1`"]);
    let shown = home.run(&["show", "1"]).ok().stdout;
    assert!(shown.contains("generations so far") && shown.contains("The last champion"), "{shown}");
    let rows = home.run(&["export", "1", "--format", "csv"]).ok().stdout;
    assert!(rows.starts_with("run,generation,stage,mean_fitness,champion"), "{rows}");
    home.release();
    home.run(&["resume"]).ok();
    let population = home.run(&["show", "1", "--generation", "3"]).ok().stdout;
    assert_eq!(population.lines().count(), 2 + 2 * 60, "{population}");
    home.run(&["show", "1", "--generation", "99"]).fails(2, &["there is no 99"]);
}

#[test]
fn table_2_has_all_solvers_and_can_be_resumed() {
    let home = home();
    let work = ["reproduce", "mate-table2", "--suite", "mates.epd", "--nodes", "20000"];
    let table = home.run(&[&work[..], &["--json"]].concat()).ok().json();
    let names: Vec<_> = table["rows"].as_array().unwrap().iter().map(|row| row["solver"].clone()).collect();
    assert_eq!(names, ["exhaustive", "alpha-beta", "df-pn", "(MakeBestMove Again)", "evolved"]);
    for row in table["rows"].as_array().unwrap() {
        let lengths = row["lengths"].as_array().unwrap();
        assert!(lengths.iter().all(|length| length["solved"] == length["problems"]), "{row}");
        assert_eq!(lengths.len(), 2);
    }
    let text = home.run(&["show", "1"]).ok().stdout;
    assert!(text.contains("Nodes to solve mates") && text.contains("the evolved program needs"), "{text}");
}

#[test]
fn foreign_engines_stand_in_the_table() {
    let home = home();
    let has_engine = std::process::Command::new("sh").args(["-c", "command -v fairy-stockfish"]).output();
    if !has_engine.is_ok_and(|output| output.status.success()) {
        return skipped("foreign_engines_stand_in_the_table", "there is no fairy-stockfish on the path");
    }
    let work = [
        "reproduce",
        "mate-table2",
        "--suite",
        "mates.epd",
        "--nodes",
        "20000",
        "--engine",
        "fairy-stockfish",
        "--json",
    ];
    let table = home.run(&work).ok().json();
    let row = &table["rows"][5];
    assert!(row["solver"].as_str().unwrap().contains("tockfish"), "{row}");
    assert_eq!(row["lengths"][0]["solved"], 4, "{row}");
}

/// The engine's answers to a script; if the last command is a search, up to its end.
fn engine(script: &[&str]) -> String {
    let mut engine = Program::start(&["engine", "chess"]);
    script.iter().for_each(|line| engine.send(line));
    let mut said = Vec::new();
    if script.last().is_some_and(|line| line.starts_with("go")) {
        said = engine.read_to("bestmove");
    }
    engine.send("isready");
    said.extend(engine.read_to("readyok"));
    said.join("\n")
}

#[test]
fn the_engine_answers_go_mate() {
    let position = format!("position fen {MATE_IN_2}");
    for solver in ["evolved", "df-pn", "search"] {
        let choose = format!("setoption name MateSolver value {solver}");
        let said = engine(&["uci", &choose, &position, "go mate 3"]);
        assert!(
            said.contains("option name MateSolver type combo default df-pn var search var df-pn var evolved"),
            "{said}"
        );
        assert!(said.contains("score mate 2"), "{solver}: {said}");
        assert!(said.contains("bestmove d2h6 ponder g7h6"), "{solver}: {said}");
    }
    let said = engine(&["position startpos", "go mate 1 nodes 500"]);
    assert!(said.contains("df-pn: there is no mate within 1 moves") && said.contains("bestmove"), "{said}");
    let said = engine(&["setoption name MateSolver value nobody"]);
    assert!(
        said.contains("info string error: 'nobody' is not a mate solver; expected one of search, df-pn, evolved"),
        "{said}"
    );
}

/// A program that is named is a request for it.
#[test]
fn the_engine_uses_a_program_that_it_is_given() {
    let home = home();
    home.file("blind.gp", "(MakeBestMove -1000)");
    let path = home.path().join("blind.gp").display().to_string();
    let mut engine = Program::start(&["engine", "chess", "--program", &path]);
    engine.send("uci");
    let said = engine.read_to("uciok").join("\n");
    assert!(said.contains("option name MateSolver type combo default evolved"), "{said}");
    // What the program is blind to, df-pn finds with the other half of the nodes.
    engine.send(&format!("position fen {MATE_IN_2}"));
    engine.send("go mate 2 nodes 20000");
    let said = engine.read_to("bestmove");
    assert!(said.iter().any(|line| line.contains("score mate 2")), "{said:?}");
    assert!(nodes(&said) <= 20_000, "{said:?}");
}

/// The most nodes that were told.
fn nodes(lines: &[String]) -> u64 {
    lines.iter().filter_map(|line| line.split_once(" nodes ")?.1.split(' ').next()?.parse().ok()).max().unwrap_or(0)
}

/// The last mate that was told: its length, and its line.
fn mate(lines: &[String]) -> Option<(usize, Vec<String>)> {
    let line = lines.iter().rev().find(|line| line.contains(" score mate "))?;
    let length = line.split_once(" score mate ")?.1.split(' ').next()?.parse().ok()?;
    Some((length, line.split_once(" pv ")?.1.split(' ').map(String::from).collect()))
}

/// `go mate N` finds what `mate --suite` finds with as many nodes, and says what is true of it.
#[test]
fn go_mate_finds_what_the_suite_finds() {
    let home = Home::new();
    let chess = plysmith_core::games::find("chess").unwrap();
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/chess-mates-training-100.suite"));
    let suite = plysmith_core::suite::text::parse(chess, "training", &text.unwrap()).unwrap();
    let mut engine = Program::start(&["engine", "chess"]);
    for budget in [100, 3_000] {
        let by_suite = home.run(&["mate", "--suite", "training", "--nodes", &budget.to_string(), "--json"]).ok().json();
        assert_eq!(by_suite["solver"], "df-pn", "the default");
        let mut solved = 0;
        for (problem, by_suite) in suite.problems.iter().zip(by_suite["problems"].as_array().unwrap()) {
            let moves = problem.distance.unwrap().div_ceil(2) as usize;
            engine.send(&format!("position fen {}", problem.position));
            engine.send(&format!("go mate {moves} nodes {budget}"));
            let said = engine.read_to("bestmove");
            assert!(nodes(&said) <= budget, "{said:?}");
            let best = said.last().unwrap().split(' ').nth(1).unwrap();
            let mut position = (chess.open)(&problem.position).unwrap();
            assert!(position.canonical_move(best).is_ok(), "{said:?}");
            let found = mate(&said).filter(|(length, _)| *length <= moves);
            if let Some((length, line)) = &found {
                assert_eq!((line.len(), line[0].as_str()), (2 * length - 1, best), "{said:?}");
                line.iter().for_each(|m| position = position.play(m).unwrap());
                assert_eq!(position.outcome(), Some(plysmith_core::outcome::Outcome::Loss), "{said:?}");
                solved += 1;
            }
            assert!(found.is_some() || by_suite["verdict"] != "verified", "{}: {said:?}", problem.id);
        }
        assert!(solved >= by_suite["solved"].as_u64().unwrap(), "{solved} of {budget} nodes");
        assert!(solved < 100, "the budget decides nothing");
    }
}

/// A mate is told as soon as it is found, and never lost to the search for shorter ones.
#[test]
fn a_long_mate_is_found_first_and_shortened() {
    let queen = "8/8/8/3k4/8/8/8/QK6 w - - 0 1";
    let mut engine = Program::start(&["engine", "chess"]);
    engine.send(&format!("position fen {queen}"));
    engine.send("go mate 30 nodes 200000");
    let said = engine.read_to("bestmove");
    let lengths: Vec<usize> = said.iter().filter_map(|line| Some(mate(std::slice::from_ref(line))?.0)).collect();
    assert!(lengths.len() > 1 && lengths.is_sorted_by(|longer, shorter| longer >= shorter), "{said:?}");
    assert!(said.iter().any(|line| line.contains("a shorter mate is not excluded")) && nodes(&said) <= 200_000);
    // By one first move only, and without any limit: the engine decides when it is enough, or is stopped.
    engine.send("go mate 30 searchmoves b1b2");
    engine.send("stop");
    let said = engine.read_to("bestmove");
    assert!(said.last().unwrap().starts_with("bestmove b1b2"), "{said:?}");
    engine.send(&format!("position fen {MATE_IN_2}"));
    engine.send("go mate 5 movetime 60000");
    let said = engine.read_to("bestmove").join("\n");
    assert!(said.contains("info string df-pn: no mate is shorter") && said.contains("score mate 2"), "{said}");
    engine.send("go mate 4 searchmoves d2h6 h1h2 nodes 100000");
    assert!(engine.read_to("bestmove").join("\n").contains("score mate 2"));

    let home = Home::new();
    // With one thread, the answer is always the same.
    let hard = ["mate", "--fen", queen, "--moves", "30", "--nodes", "200000", "--threads", "1", "--json"];
    let found = home.run(&hard).ok().json();
    assert!(found["mate"].is_u64() && found["nodes"].as_u64() <= Some(200_000), "{found}");
    assert_eq!(home.run(&hard).ok().json(), found);
    assert_eq!(found["is_shortest"], false);
    let text = home.run(&["mate", "--fen", MATE_IN_2, "--moves", "6"]).ok().stdout;
    assert!(text.contains("mate in 2: Qh6+") && text.contains("no mate is shorter"), "{text}");
}

/// A file of mates as others have them: what cannot be searched for is left out and counted, and engines are compared on
/// the rest as matetrack does.
#[test]
fn engines_are_compared_on_a_file_of_mates_as_it_is() {
    let home = home();
    home.file(
        "track.epd",
        "kbK5/pp6/1P6/8/8/8/8/R7 w - - bm #2; PV: a1a6 b7a6 b6b7;\n\
         6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -; bm #1; 00:00;\n\
         7k/8/8/8/8/8/R7/1R2K3 w - -; bm #3; Duals(2); 00:00;\n\
         R6k/6pp/8/8/8/8/8/4K3 b - - bm #-3; Defence; 00:00;\n\
         7k/8/8/8/8/8/R7/1R2K3 w - - bm #61; 00:00;\n",
    );
    let engine = format!("{} engine chess", crate::support::PLYSMITH);
    let work = ["mate", "--suite", "track.epd", "--nodes", "20000", "--solver", "df-pn", "--engine", &engine];
    let ran = home.run(&work).ok();
    for note in [
        "skipped 1 position of track.epd in which the side to move is mated",
        "skipped 1 mate of track.epd in more than 60",
    ] {
        assert!(ran.stderr.contains(note), "{note}: {}", ran.stderr);
    }
    let table: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(table.contains(&vec!["df-pn", "3", "3", "2", "1", "0", "0"]), "{}", ran.stdout);
    assert!(ran.stdout.contains("solver") && ran.stdout.contains("best") && ran.stdout.contains("Plysmith"));
    let results = home.run(&[&work[..], &["--json"]].concat()).ok().json();
    let of_engine = &results["solvers"][1]["counts"];
    assert_eq!((&of_engine["positions"], &of_engine["unproved"]), (&3.into(), &0.into()), "{results}");
    assert!(of_engine["found"].as_u64().unwrap() >= 2, "{results}");
    home.run(&["mate", "--fen", MATE_IN_2, "--engine", "x"]).fails(2, &["--suite"]);
    home.file("long.epd", "7k/8/8/8/8/8/R7/1R2K3 w - - bm #61;\n");
    home.run(&["mate", "--suite", "long.epd"]).fails(2, &["all mates in it take more than 60 moves"]);
}
