//! What daily use needs: numbers as people write them, hints, man pages, the Python module, interrupts.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::engines::is_installed;
use crate::support::{Home, PLYSMITH, Ran, skipped};

fn measure(home: &Home, more: &[&str]) -> Ran {
    home.run(&[&["measure", "breakthrough", "RdTt", "--suite", "small.suite"], more].concat())
}

#[test]
fn numbers_are_read_as_people_write_them() {
    let home = Home::new();
    for (nodes, meant) in [("1k", 1000), ("1e3", 1000), ("1.2k", 1200), ("1_500", 1500)] {
        let found = measure(&home, &["--nodes", nodes, "--json"]).ok().json();
        assert_eq!(found["nodes_a_problem"], meant, "{nodes}");
    }
    for (option, value, said) in [
        ("--nodes", "-5", "-5 is negative; expected a whole number from 1 on"),
        ("--nodes", "0", "0 is not in 1..; expected"),
        ("--nodes", "1.5", "like 50000, 50k or 1e6"),
        ("--seed", "-5", "-5 is negative"),
        ("--problems", "0", "0 is not in 1.."),
        ("--problems", "many", "like 50000, 50k or 1e6"),
    ] {
        measure(&home, &[option, value]).fails(2, &[said, option]);
    }
    let games = |more: &[&str]| home.run(&[&["match", "--a", "classic", "--b", "modern", "--games"], more].concat());
    games(&["0"]).fails(2, &["0 is not in 1.."]);
    games(&["2", "--tc", "0:00.2+10ms"]).ok();
    games(&["2", "--tc", "1:0"]).fails(2, &["'1:0' is not a time control", "'1:00+1'"]);
    games(&["2", "--movetime", "100"]).fails(2, &["'100' is not a time", "'100ms'"]);
}

#[test]
fn what_was_meant_is_said() {
    let home = Home::new();
    for (scheme, hint) in [
        ("rdtt", "'rdtt' is not a feature; did you mean RdTt? Expected one of Ud,"),
        ("RdTt=0.5", "write RdTt@0.5"),
        ("RdTt0.5", "write RdTt@0.5"),
        ("Ud-RdTt:.25", "write RdTt@0.25"),
    ] {
        home.run(&["measure", "breakthrough", scheme, "--suite", "small.suite"]).fails(2, &[hint]);
    }
    home.run(&["measure", "breakthrough", "RdTt", "0.5"])
        .fails(2, &["'0.5' is a weight without a feature; write RdTt@0.5"]);
    home.run(&["measure", "chess", "Ack"]).fails(2, &["did you mean AcK?"]);
    home.run(&["features", "ches"]).fails(2, &["there is no game 'ches'; did you mean chess?"]);
}

#[test]
fn suites_remember_their_game() {
    let home = Home::new();
    let made = ["suite", "generate", "breakthrough", "--count", "2", "--plies", "3", "--size", "5x5"];
    home.run(&[&made[..], &["--output", "made.suite"]].concat()).ok();
    home.run(&["measure", "chess", "Neutral", "--suite", "made.suite"])
        .fails(2, &["made.suite is a suite of breakthrough, not of chess"]);
    home.file("mine.epd", "# game: chess\n7k/5Q2/6K1/8/8/8/8/8 w - - bm f7g7; id \"mate\";\n");
    home.run(&["suite", "check", "mine.epd"]).ok().prints(&["mine.epd: 1 problems"]);
    home.run(&["measure", "breakthrough", "Neutral", "--suite", "mine.epd"]).fails(2, &["a suite of chess"]);
}

/// Without --uci, gnuchess has a prompt of its own, and would be waited for in vain.
#[test]
fn an_engine_with_a_prompt_of_its_own_is_named() {
    if !is_installed("gnuchess") {
        return skipped("an_engine_with_a_prompt_of_its_own_is_named", "gnuchess is not installed");
    }
    let home = Home::new();
    let play = ["match", "chess", "--a", "classic", "--b", "uci:gnuchess", "--games", "2"];
    home.run(&play).fails(2, &["does not speak UCI", "its answer to 'uci' is", "gnuchess --uci"]);
}

#[test]
fn man_pages_and_completions_are_written() {
    let home = Home::new();
    home.run(&["manual", "share"]).ok().prints(&["man pages and 3 completion scripts"]);
    for (name, sign) in [
        ("man/man1/plysmith.1", ".TH plysmith 1"),
        ("man/man1/plysmith-match.1", "SPRT"),
        ("man/man1/plysmith-suite-generate.1", "\\-\\-count"),
        ("bash-completion/completions/plysmith", "complete -F"),
        ("zsh/site-functions/_plysmith", "#compdef plysmith"),
        ("fish/vendor_completions.d/plysmith.fish", "complete -c plysmith"),
    ] {
        assert!(home.read(&format!("share/{name}")).contains(sign), "{name} has no '{sign}'");
    }
    home.file("taken", "");
    home.run(&["manual", "taken"]).fails(2, &["cannot write taken"]);
}

#[test]
fn the_python_module_returns_rows() {
    if !is_installed("python3") {
        return skipped("the_python_module_returns_rows", "there is no python3");
    }
    let home = Home::new();
    home.file("try.py", PYTHON);
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python");
    let mut command: Command = home.command("python3", &["try.py"]);
    command.env("PYTHONPATH", module).env("PLYSMITH", PLYSMITH);
    let ran = Ran::of("python3 try.py", command.output().unwrap());
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "all is well"), "{ran:?}");
}

const PYTHON: &str = r#"
import plysmith

measured = plysmith.run("measure", "breakthrough", "Neutral", "Ud,RdTt", suite="small.suite", nodes="1k", label="mine")
rows = plysmith.rows("mine")
assert [row["feature"] for row in rows] == [finding["feature"] for finding in measured["findings"]], rows
assert all(list(row) == list(rows[0]) for row in rows), "all have the same keys"
assert rows[0]["frequency_1"] is None and 0 < rows[1]["frequency_1"] < 1, rows
assert rows[1]["run"] == 1 and isinstance(rows[1]["solved"], int), rows
assert plysmith.runs(kind="measure")[0]["label"] == "mine" and plysmith.runs(kind="match") == []
assert plysmith.show("last")["kind"] == "measure"
try:
    plysmith.run("measure", "chess", "Ack")
    raise SystemExit("an error was expected")
except plysmith.Error as error:
    assert error.code == 2 and "did you mean AcK?" in str(error), error
print("all is well")
"#;

/// A count that would take years ends at the first signal.
#[test]
#[cfg(unix)]
fn perft_is_interrupted() {
    let home = Home::new();
    let running = home.start(&["perft", "breakthrough", "40"]);
    crate::support::wait_until_at_work(running.id());
    running.signal(&["TERM"]);
    running.end().fails(130, &["interrupted"]);
}

/// Every crate is packaged with what it includes: data are links into the folder `data`.
#[test]
fn packages_have_the_data_that_they_include() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (name, file) in [("core", "chess.graded"), ("evolve", "mate-evolved.gp")] {
        let (linked, own) = (crates.join(name).join("data").join(file), crates.join("../data").join(file));
        assert_eq!(fs::read(&linked).unwrap(), fs::read(own).unwrap(), "{}", linked.display());
    }
    let sources = sources(&crates);
    assert!(sources.len() > 300, "{}", sources.len());
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        let crate_folder = path.ancestors().find(|folder| folder.join("Cargo.toml").exists()).unwrap().to_path_buf();
        let depth = path.parent().unwrap().strip_prefix(&crate_folder).unwrap().components().count();
        for (at, _) in text.match_indices("include_str!(\"").chain(text.match_indices("include_bytes!(\"")) {
            let included = text[at..].split('"').nth(1).unwrap();
            let up = included.split('/').take_while(|part| *part == "..").count();
            let is_readme = included.ends_with("README.md");
            assert!(up <= depth || is_readme, "{} includes {included}, which is outside its crate", path.display());
        }
    }
}

/// The sources that are compiled into the crates.
fn sources(crates: &Path) -> Vec<std::path::PathBuf> {
    let mut folders: Vec<_> = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                sources.push(path);
            }
        }
    }
    sources
}
