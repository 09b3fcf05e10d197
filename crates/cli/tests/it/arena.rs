//! Matches and tournaments as processes: the same table whatever the threads and however often killed; every
//! game counted once; the statistics to the published digits.

use serde_json::Value;

use crate::resume::work_with_kills;
use crate::support::{Home, Ran};

const MATCH: &[&str] = &["match", "--a", "classic+RdTt@0.5", "--b", "classic", "--size", "6x8", "--nodes", "3000"];

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn run(home: &Home, command: &str) -> Ran {
    home.run(&words(command))
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn a_match_survives_ten_kills() {
    let work = [MATCH, &["--games", "240"]].concat();
    let expected = {
        let home = Home::new();
        home.run(&work).ok();
        home.exported(1)
    };
    let home = Home::new();
    work_with_kills(&home, &work, &expected, 10, 31);
    assert_eq!(home.exported(1), expected);
    assert_eq!(expected["events"].as_array().unwrap().len(), 240);
    let games = rusqlite::Connection::open(home.database()).unwrap();
    let played = "SELECT count(*) FROM results WHERE json_extract(job, '$.white') IS NOT NULL";
    let stored: i64 = games.query_row(played, [], |row| row.get(0)).unwrap();
    assert_eq!(stored, 240, "a finished game is neither lost nor played again");
    let events: i64 = games.query_row("SELECT max(length(payload)) FROM events", [], |row| row.get(0)).unwrap();
    assert!(events < 100, "an event refers to its game instead of repeating it");
}

#[test]
fn threads_make_no_difference_and_every_game_counts_once() {
    let result = |threads| {
        let home = Home::new();
        home.run(&[MATCH, &["--games", "24", "--json", "--threads", threads]].concat()).ok().json()
    };
    let alone = result("1");
    assert_eq!(result("2"), alone);
    assert_eq!(result("5"), alone);
    let sum = |fields: &[&str]| -> u64 { fields.iter().map(|field| count(&alone[*field])).sum() };
    assert_eq!(sum(&["wins", "draws", "losses"]), 24);
    let colours = alone["by_colour"].as_array().unwrap();
    assert!(colours.iter().all(|colour| colour.as_array().unwrap().iter().map(count).sum::<u64>() == 12));
    assert_eq!(alone["pairs"].as_array().unwrap().iter().map(count).sum::<u64>(), 12);
    assert!(alone["frequencies"][0].as_f64().unwrap() > 0.0);
}

#[test]
fn a_sequential_test_ends_at_the_same_game() {
    let result = |threads| {
        let command = format!(
            "match --a modern --b classic,heuristic=advance --size 6x6 --nodes 500 --nelo 0,100 --json --threads {threads}"
        );
        run(&Home::new(), &command).ok().json()
    };
    let alone = result(1);
    assert_eq!(result(3), alone);
    assert_eq!(alone["test"]["verdict"], "accept-h1");
    assert!(count(&alone["games"]) < 400 && count(&alone["games"]).is_multiple_of(2), "{alone}");
    assert!(alone["test"]["llr"].as_f64().unwrap() >= alone["test"]["upper"].as_f64().unwrap());
}

#[test]
fn games_are_exported_as_text_that_says_all() {
    let home = Home::new();
    let result = home.run(&[MATCH, &["--games", "4", "--adjudicate", "--json"]].concat()).ok().json();
    let pgn = run(&home, "export 1 --format pgn").ok().stdout;
    assert_eq!(pgn.matches("[Event \"plysmith run 1\"]").count(), 4);
    for tag in ["[White \"classic+RdTt@0.5\"]", "[Round \"1.2.2\"]", "[Variant \"breakthrough\"]", "[FEN \"pppppp/"] {
        assert!(pgn.contains(tag), "no {tag} in {pgn}");
    }
    let ends = |line: &&str| !line.starts_with('[') && ["1-0", "0-1"].iter().any(|result| line.ends_with(result));
    assert_eq!(pgn.lines().filter(ends).count(), 4, "{pgn}");
    assert_eq!(pgn.matches("a search proved the win").count() as u64, count(&result["adjudicated"]));
    let csv = run(&home, "export 1 --format csv").ok().stdout;
    assert_eq!(csv.lines().count(), 5);
    assert!(run(&home, "show 1").ok().stdout.contains("games  4: "));
    run(&home, "measure breakthrough Ud --suite small.suite --nodes 100").ok();
    run(&home, "export 2 --format pgn").fails(2, &["run 2 has no games", "matches and tournaments"]);
}

#[test]
fn tournaments_rank_everybody_and_resume() {
    let home = Home::new();
    let gauntlet = "tournament classic+RdTt classic+Ud --baseline classic --size 5x6 --nodes 300 --games 8 --json";
    let result = run(&home, gauntlet).ok().json();
    let ranking = result["ranking"].as_array().unwrap();
    assert_eq!((ranking.len(), result["contests"].as_array().unwrap().len()), (2, 2));
    assert!(ranking[0]["score"].as_f64() >= ranking[1]["score"].as_f64());
    let robin =
        run(&home, "tournament classic modern classic+Ud --mode round-robin --size 5x6 --nodes 300 --games 8 --json");
    let robin = robin.ok().json();
    let standings = robin["ranking"].as_array().unwrap();
    assert!(standings.iter().all(|standing| count(&standing["games"]) == 16), "{robin}");
    let points: f64 = standings.iter().map(|standing| 16.0 * standing["score"].as_f64().unwrap()).sum();
    assert_eq!(points, 24.0, "every game gives one point");
    assert!(run(&home, "show 2").ok().stdout.contains("each against each"));
}

#[test]
fn a_tournament_takes_its_game_first() {
    let home = Home::new();
    let rest = "classic modern --mode round-robin --nodes 50 --games 2 --json";
    run(&home, &format!("tournament chess {rest}")).ok();
    run(&home, &format!("tournament --game chess {rest}")).ok();
    run(&home, &format!("tournament breakthrough {rest}")).ok();
    run(&home, &format!("tournament {rest}")).ok();
    let games = run(&home, "runs --json").ok().json();
    let games: Vec<_> = games.as_array().unwrap().iter().map(|run| run["game"].as_str().unwrap()).collect();
    assert_eq!(games, ["breakthrough", "breakthrough", "chess", "chess"]);
    run(&home, "tournament chess --mode round-robin classic").fails(2, &["a tournament needs at least two players"]);
    run(&home, "tournament checkers classic").fails(2, &["'checkers'"]);
    run(&home, "tournament modern classic").fails(2, &["'classic' would play itself"]);
}

#[test]
fn table_4_stands_beside_the_papers_numbers() {
    let text = run(&Home::new(), "reproduce table4 --nodes 50 --games 2").ok().stdout;
    for part in ["Ud-PP-Rdt", "58.17 %", "46.46 %", "43.37 %", "50 nodes per move"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert_eq!(text.lines().filter(|line| line.contains(" %  [")).count(), 10, "{text}");
}

#[test]
fn the_calculator_gives_the_published_numbers() {
    for (command, parts) in [
        ("--penta 34,54,63,64,75", ["+55.58 ± 27.65", "+57.94 ± 28.28", "100.00 %"]),
        ("--wdl 136,111,96", ["+40.70 ± 30.43", "+49.77 ± 36.77", "99.60 %"]),
        ("--penta 365,16618,36229,16974,390 --nelo 0,2", ["LLR 2.2504", "continue", "nElo"]),
        ("--penta 127,4883,10712,5150,104 --nelo -1.75,0.25", ["LLR 3.0102", "accept-h1", "nElo"]),
        ("--penta 223,9863,21279,10037,246 --elo 0.5,2.5", ["LLR -3.0741", "accept-h0", "nElo"]),
        ("--wdl 36433,68692,36027 --nelo 0,2", ["LLR 0.9233", "continue", "nElo"]),
        ("--wdl 21404,40708,21184 --elo 0.5,2.5", ["LLR -1.5719", "continue", "nElo"]),
        ("--penta 0,0,0,0,5550 --nelo 0,5", ["LLR 111.7976", "accept-h1", "nElo"]),
        ("--penta 379,10170,21828,10640,343 --nelo 0,2", ["LLR 2.9455", "+3.05 ± 2.31", "accept-h1"]),
    ] {
        let text = run(&Home::new(), &format!("sprt {command}")).ok().stdout;
        for part in parts {
            assert!(text.contains(part), "no {part} in {text} ({command})");
        }
    }
}

#[test]
fn wrong_words_are_named() {
    let home = Home::new();
    for (command, parts) in [
        ("match --a fast --b classic", ["player 'fast'", "'classic' or 'modern'"]),
        ("match --a classic+Foo --b classic", ["'Foo' is not a feature", "Ud"]),
        ("match --a classic --b modern --games 7", ["7 games are not a whole number of pairs", "try 8"]),
        ("match --a classic --b modern --nelo 5,0", ["H0 at 5", "lower"]),
        (
            "match --a classic --b modern --opening-plies 0 --games 4",
            ["only 1 of 2 balanced openings", "--opening-plies"],
        ),
        ("tournament classic", ["would play itself", "once"]),
        ("sprt --penta 1,2,3", ["3 counts", "34,54,63,64,75"]),
        ("sprt --wdl 1,x,3", ["'x'", "whole number"]),
        ("sprt --wdl 1,2,3 --nelo 0,2 --alpha 0", ["alpha", "0.05"]),
        ("reproduce table2 --games 10", ["--games", "table4"]),
    ] {
        run(&home, command).fails(2, &parts);
    }
}
