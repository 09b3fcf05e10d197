//! The main job, end to end: its result depends on nothing but what was asked.

use rusqlite::Connection;
use serde_json::Value;

use crate::support::{Home, Ran, SMALL_DISCOVERY, names};

fn discover(home: &Home, more: &[&str]) -> Ran {
    home.run(&[SMALL_DISCOVERY, more].concat()).ok()
}

fn stored_measurements(home: &Home) -> i64 {
    let connection = Connection::open(home.database()).unwrap();
    connection.query_row("SELECT count(*) FROM results", [], |row| row.get(0)).unwrap()
}

/// What was decided over every feature, without what it cost.
fn verdicts(export: &Value) -> Vec<[Value; 5]> {
    let facts = ["feature", "generation", "first_parent", "second_parent", "verdict"];
    let events = export["events"].as_array().unwrap().iter();
    events.map(|event| facts.map(|fact| event["payload"][fact].clone())).collect()
}

#[test]
fn a_person_gets_a_table_and_nothing_else() {
    let home = Home::new();
    let ran = discover(&home, &[]);
    assert_eq!(ran.stderr, "", "there is no terminal, so no progress");
    let heading = ran.stdout.lines().find(|line| line.starts_with("feature ")).expect("a table");
    let columns: Vec<_> = heading.split_whitespace().collect();
    assert_eq!(
        columns,
        ["feature", "solved", "gain", "nodes", "(end)", "depth", "height", "frequency", "improves", "on"]
    );
    let first = ran.stdout.lines().skip_while(|line| *line != heading).nth(1).unwrap();
    assert!(first.starts_with("RdTt-Edg ") && first.ends_with(" RdTt"), "the best is a combination: {first}");
    for part in ["16 problems, 2,000 nodes each, classic", "Neutral solves 5 of 16.", "`plysmith show 1`"] {
        assert!(ran.stdout.contains(part), "no '{part}' in {}", ran.stdout);
    }
    let shown = home.run(&["show", "1"]).ok().stdout;
    let table = |text: &str| text[text.find("feature ").unwrap()..text.find("\n\n1").unwrap()].to_string();
    assert_eq!(table(&shown), table(&ran.stdout));
}

/// The last sentence says what to use, and is what `show` and JSON say.
fn advice(home: &Home, arguments: &[&str]) -> (Option<String>, String, String) {
    let ran = home.run(arguments).ok();
    let json = home.run(&[arguments, &["--json"]].concat()).ok().json();
    let text = json["advice"]["text"].as_str().unwrap().to_string();
    let last = ran.stdout.lines().rev().find(|line| line.starts_with("Use ")).expect("a last sentence");
    assert_eq!(last, text);
    let shown = home.run(&["show", "1"]).ok().stdout;
    assert!(shown.contains(&text), "{shown}");
    (json["advice"]["scheme"].as_str().map(str::to_string), text, ran.stdout)
}

/// The rows of the table, above and below the line.
fn above_and_below(text: &str) -> [Vec<&str>; 2] {
    let rows = text.lines().skip_while(|line| !line.starts_with("feature ")).skip(1);
    let rows: Vec<&str> = rows.take_while(|line| !line.is_empty()).collect();
    let line = rows.iter().position(|row| row.starts_with("── measured, no gain")).unwrap_or(rows.len());
    [rows[..line].to_vec(), rows.iter().skip(line + 1).copied().collect()]
}

#[test]
fn features_without_a_gain_stand_below_the_line() {
    let home = Home::new();
    let text = discover(&home, &["--json"]).json();
    let neutral = text["neutral"].as_u64().unwrap();
    let printed = discover(&home, &["--top", "1000"]).stdout;
    let [above, below] = above_and_below(&printed);
    let solved = |row: &&str| row.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap();
    let (last, better) = above.split_last().unwrap();
    assert!(last.starts_with("Neutral ") && !better.is_empty() && !below.is_empty(), "{printed}");
    assert!(better.iter().all(|row| solved(row) > neutral), "{printed}");
    assert!(below.iter().all(|row| solved(row) <= neutral), "{printed}");
    let few = discover(&home, &["--top", "2"]).stdout;
    let [above, below] = above_and_below(&few);
    assert_eq!(above.len(), 4, "two features, how many more, and Neutral: {few}");
    assert!(above[2].starts_with("… and ") && above[3].starts_with("Neutral ") && below.len() == 1, "{few}");
}

#[test]
fn a_discovery_ends_with_what_to_use() {
    // A feature that costs a whole ply changes nothing.
    let idle = ["discover", "breakthrough", "--suite", "small.suite", "--nodes", "2000", "--weight", "1"];
    let (scheme, text, printed) = advice(&Home::new(), &idle);
    assert_eq!(scheme, None);
    assert!(text.starts_with("Use the search without features: none of the "), "{text}");
    assert_eq!(above_and_below(&printed)[0].len(), 1, "Neutral alone: {printed}");

    // Sixteen problems are too few to tell the best of a hundred features from chance.
    let (scheme, text, printed) = advice(&Home::new(), SMALL_DISCOVERY);
    assert_eq!(scheme, None);
    assert!(
        text.starts_with("Use the search without features: the best feature, ") && text.contains("chance"),
        "{text}"
    );
    assert!(printed.contains(" (may be chance)"), "{printed}");

    let clear = ["discover", "breakthrough", "--problems", "40", "--nodes", "200000", "--base", "Ud,RdTt"];
    let home = Home::new();
    let (scheme, text, printed) = advice(&home, &clear);
    let scheme = scheme.expect("RdTt gains on wins in seven plies");
    assert!(scheme.contains("RdTt") && text.starts_with(&format!("Use {scheme}: it solves ")), "{text}");
    assert!(above_and_below(&printed)[0][0].starts_with(scheme.split('@').next().unwrap()), "{printed}");
    // What it says can be typed.
    let (_, command) = text.split_once(": plysmith ").unwrap();
    let words: Vec<&str> = command.split(' ').chain(["--games", "2", "--nodes", "200"]).collect();
    home.run(&words).ok();
    home.run(&["measure", "breakthrough", &scheme, "--problems", "1", "--nodes", "200"]).ok();
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let ran = |threads| discover(&Home::new(), &["--json", "--threads", threads]).stdout;
    let one = ran("1");
    assert_eq!(ran("2"), one);
    assert_eq!(ran("3"), one);
    let discovery: Value = serde_json::from_str(&one).unwrap();
    assert_eq!((&discovery["problems"], &discovery["neutral"]), (&16.into(), &5.into()));
    assert!(names(&discovery["output"], "feature").contains(&"PP-Edg"), "{one}");
}

#[test]
fn nothing_is_measured_twice_and_a_warm_memo_says_the_same() {
    let home = Home::new();
    let cold = discover(&home, &["--json"]).stdout;
    let measured = stored_measurements(&home);
    assert!(measured > 100, "only {measured} measurements");
    assert_eq!(discover(&home, &["--json"]).stdout, cold);
    assert_eq!(stored_measurements(&home), measured);
    assert_eq!(home.exported(1), home.exported(2));
    // The seed is part of what is measured: with another one, nothing can be recalled.
    discover(&home, &["--json", "--seed", "2"]);
    assert!(stored_measurements(&home) > measured);
}

#[test]
fn settling_early_changes_the_cost_and_nothing_else() {
    let (early_home, exact_home) = (Home::new(), Home::new());
    let early = discover(&early_home, &["--json"]).json();
    let exact = discover(&exact_home, &["--json", "--exact"]).json();
    assert_eq!(early["output"], exact["output"], "survivors, best first, with all their numbers");
    assert_eq!(early["evaluations"], exact["evaluations"]);
    let (early_events, exact_events) = (early_home.exported(1), exact_home.exported(1));
    assert_eq!(verdicts(&early_events), verdicts(&exact_events));

    let nodes = |export: &Value| -> Vec<u64> {
        let events = export["events"].as_array().unwrap().iter();
        events.map(|event| event["payload"]["nodes"].as_u64().unwrap()).collect()
    };
    let costs: Vec<_> = nodes(&early_events).into_iter().zip(nodes(&exact_events)).collect();
    assert!(costs.iter().all(|(early, exact)| early <= exact), "{costs:?}");
    assert!(early["nodes"].as_u64().unwrap() < exact["nodes"].as_u64().unwrap(), "nothing was settled early");
    for event in exact_events["events"].as_array().unwrap() {
        assert_eq!(event["payload"]["tried"], 16, "{event}");
    }
}

#[test]
fn a_memo_of_the_other_kind_changes_nothing() {
    let (early_first, exact_first) = (Home::new(), Home::new());
    let early = discover(&early_first, &["--json"]).stdout;
    let exact = discover(&exact_first, &["--json", "--exact"]).stdout;
    assert_eq!(discover(&early_first, &["--json", "--exact"]).stdout, exact);
    assert_eq!(discover(&exact_first, &["--json"]).stdout, early);
}

#[test]
fn two_at_once_in_one_home_do_not_disturb_each_other() {
    let home = Home::new();
    let arguments = [SMALL_DISCOVERY, &["--json", "--threads", "1"]].concat();
    let (first, second) = (home.start(&arguments), home.start(&arguments));
    let (first, second) = (first.end().ok(), second.end().ok());
    assert_eq!(first.stdout, second.stdout);
    assert_eq!((home.status(1), home.status(2)), ("finished".into(), "finished".into()));
    assert_eq!(home.exported(1), home.exported(2));
}

#[test]
fn what_is_asked_for_is_what_is_done() {
    let home = Home::new();
    let few = discover(&home, &["--json", "--base", "Ud,PP,Edg", "--blacklist", "Ud-PP"]).json();
    let found = names(&few["output"], "feature");
    assert!(found.contains(&"PP-Edg") && !found.contains(&"Ud-PP"), "{found:?}");
    assert!(found.iter().flat_map(|name| name.split('-')).all(|atom| ["Neutral", "Ud", "PP", "Edg"].contains(&atom)));
    assert_ne!(few["skipped"], 0);

    let single = discover(&home, &["--json", "--most-atoms", "1"]).json();
    assert_eq!(single["evaluations"], 16, "Neutral and 15 atoms");
    let strict = ["discover", "breakthrough", "--suite", "small.suite", "--nodes", "2000", "--epsilon", "17", "--json"];
    let none = home.run(&strict).ok().json();
    assert_eq!(names(&none["output"], "feature").len(), 16, "no combination can be better by more than there are");

    let bundled = home.run(&["discover", "breakthrough", "--problems", "2", "--nodes", "300", "--json"]).ok().json();
    assert_eq!((&bundled["problems"], &bundled["nodes_a_problem"]), (&2.into(), &300.into()));
}

/// The probability of at least this many heads, if a coin is thrown as often.
fn at_least_by_chance(heads: u64, tails: u64) -> f64 {
    let throws = heads + tails;
    let ways = |k: u64| (1..=k).fold(1.0, |ways, n| ways * (throws + 1 - n) as f64 / n as f64);
    (heads..=throws).map(ways).sum::<f64>() / 2.0_f64.powi(throws as i32)
}

#[test]
fn with_epsilon_auto_and_one_seed_only_combinations_beyond_chance_are_kept() {
    let home = Home::new();
    let work = ["discover", "breakthrough", "--suite", "small.suite", "--nodes", "2000", "--epsilon"];
    home.run(&[&work[..], &["auto", "--seeds", "1"]].concat()).ok();
    let export = home.exported(1);
    let events: Vec<_> = export["events"].as_array().unwrap().iter().map(|event| &event["payload"]).collect();
    let tested: Vec<_> = events.iter().filter(|event| event["alone"].is_array()).collect();
    assert!(!tested.is_empty());
    for event in &tested {
        let alone = [0, 1].map(|index| event["alone"][index].as_u64().unwrap());
        let is_kept = event["verdict"] == "lives";
        assert_eq!(is_kept, at_least_by_chance(alone[0], alone[1]) <= 0.05, "{event}");
    }
    // What was not tested could not even solve more than its parent.
    let others = events.iter().filter(|event| event["first_parent"].is_string() && event["alone"].is_null());
    assert!(others.into_iter().all(|event| event["verdict"] == "pruned" && event["solved"].is_null()));
    let shown = home.run(&["show", "1"]).ok().stdout;
    assert!(shown.contains("beyond chance: a sign test with an error rate of 5 %"), "{shown}");
    assert!(shown.contains("can be seen in four of five cases"), "{shown}");
    home.run(&[&work[..], &["some"]].concat()).fails(2, &["'auto'"]);
}

/// Alternatives are found on any number of threads alike, are a part of the stored run, and are schemes.
#[test]
fn alternatives_are_discovered() {
    let small = ["discover", "breakthrough", "--suite", "small.suite", "--nodes", "2000", "--base", "Ud,Rd*"];
    let more = ["--operators", "and,or", "--epsilon", "-1", "--most-alternatives", "2", "--groups", "paper"];
    let arguments = [&small[..], &more].concat();
    let (home, other) = (Home::new(), Home::new());
    let text = home.run(&arguments).ok().stdout;
    for part in ["Operators: and,or.", "pruning: groups with the paper's groups"] {
        assert!(text.contains(part), "no '{part}' in {text}");
    }
    let events = verdicts(&home.exported(1));
    let joined: Vec<&[Value; 5]> = events.iter().filter(|event| event[0].as_str().unwrap().contains('|')).collect();
    assert!(joined.iter().any(|event| event[4] == "lives") && joined.iter().all(|event| event[1] == 2), "{joined:?}");
    let scheme = joined[0][0].as_str().unwrap();
    home.run(&["measure", "breakthrough", scheme, "--suite", "small.suite", "--nodes", "100"]).ok();
    other.run(&[&arguments[..], &["--threads", "3"]].concat()).ok();
    assert_eq!(verdicts(&other.exported(1)), events);
}

#[test]
fn what_cannot_be_combined_is_refused_with_a_remedy() {
    let home = Home::new();
    let refused = |arguments: &[&str], remedy| home.run(&[&["discover"], arguments].concat()).fails(2, &[remedy]);
    refused(&["breakthrough", "--operators", "xor"], "write 'or' for it");
    refused(&["breakthrough", "--operators", "nand"], "expected 'and', 'or', or both as 'and,or'");
    refused(&["breakthrough", "--most-alternatives", "3"], "--operators and,or");
    refused(&["breakthrough", "--operators", "or", "--epsilon", "auto"], "a number as --epsilon");
    refused(&["breakthrough", "--weight", "1.5", "--epsilon", "-1"], "--epsilon 2");
    refused(&["chess", "--groups", "paper"], "leave out --groups paper");
    refused(&["breakthrough", "--groups", "mine"], "expected 'thesis' or 'paper'");
}
