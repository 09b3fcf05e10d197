//! What a match runner is used for every day: named players with limits of their own, adjudication, reports while a match is
//! played, matches that are extended, tournaments in which an engine fails, and plans of sequential tests.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bad_engine;
use crate::support::{Home, PATIENCE, Ran};

/// Positions in which a1a8 mates.
const MATES: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - -\n6k1/5ppp/8/8/8/8/8/R2K4 w - -\n6k1/5ppp/8/8/8/8/8/R4K2 w - -\n";
/// White is a queen up.
const QUEEN_UP: &str =
    "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\nrnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -\n";
const FAST: &[&str] = &["match", "--a", "classic+Ud", "--b", "classic", "--size", "5x6", "--nodes", "100"];

/// An engine that knows one move; `on_start` and `on_go` are what else it does.
fn engine(home: &Home, file: &str, on_start: &str, on_go: &str) {
    let text = format!(
        "#!/bin/sh\n{on_start}\nwhile read -r line; do case \"$line\" in\nuci) echo 'id name one'; echo uciok;;\n\
         isready) echo readyok;;\ngo*) {on_go}\necho info depth 1 nodes 5 score cp 0; echo bestmove a1a8;;\nquit) exit 0;;\n\
         esac; done\n"
    );
    let path = home.file(file, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(home: &Home, fixed: &[&str], more: &str) -> Ran {
    home.run(&[fixed, &more.split_whitespace().collect::<Vec<_>>()].concat())
}

#[test]
fn players_have_names_folders_and_limits_of_their_own() {
    let home = Home::new();
    home.file("mates.epd", MATES);
    fs::create_dir(home.path().join("inside")).unwrap();
    engine(&home, "inside/one.sh", "", "echo \"$line\" >> heard; pwd >> heard");
    let (first, second) = ("uci:./one.sh;name=first;dir=inside", "uci:./one.sh;name=the second;dir=inside");
    let words =
        ["match", "chess", "--openings", "mates.epd", "--games", "2", "--threads", "1", "--a", first, "--b", second];
    let ran = run(&home, &words, "--a-depth 3 --b-tc 10+0.1").ok();
    assert!(ran.stdout.starts_with("first against the second (chess, "), "{}", ran.stdout);
    assert!(ran.stdout.contains("first: uci:./one.sh;name=first;dir=inside;depth=3\n"), "{}", ran.stdout);
    let heard = home.read("inside/heard");
    let goes: Vec<_> = heard.lines().filter(|line| line.starts_with("go ")).collect();
    assert!(goes.contains(&"go depth 3"), "{heard}");
    assert!(goes.contains(&"go wtime 10000 btime 10000 winc 100 binc 100"), "{heard}");
    assert!(heard.lines().any(|line| line.ends_with("/inside")), "{heard}");
    let pgn = home.run(&["export", "1", "--format", "pgn"]).ok().stdout;
    for tag in [
        "[White \"first\"]\n[Black \"the second\"]",
        "[White \"the second\"]\n[Black \"first\"]",
        "[WhiteTimeControl \"depth 3\"]",
        "[BlackTimeControl \"10+0.1\"]",
    ] {
        assert!(pgn.contains(tag), "no {tag} in {pgn}");
    }
    let same = ["match", "chess", "--a", "modern;name=x", "--b", "classic;name=x", "--games", "2"];
    home.run(&same).fails(2, &["two different players are called 'x'", "name="]);
    let both = ["match", "chess", "--a", "modern;nodes=5", "--a-depth", "3", "--b", "classic"];
    home.run(&both).fails(2, &["'nodes=' and 'depth='", "one limit"]);
    home.run(&["match", "chess", "--a", "uci:./one.sh;dir=nowhere", "--b", "classic"]).fails(2, &["nowhere", "dir="]);
    home.run(&["match", "--a", "modern", "--b", "classic", "--margin", "5ms"]).fails(2, &["--margin needs --tc"]);
}

#[test]
fn equal_commands_with_different_names_stay_apart() {
    let home = Home::new();
    let words = ["tournament", "--mode", "round-robin", "--size", "5x6", "--nodes", "60", "--games", "4", "--json"];
    let result = run(&home, &words, "classic;name=one classic;name=two classic;depth=2").ok().json();
    let names: Vec<_> =
        result["ranking"].as_array().unwrap().iter().map(|row| row["player"].as_str().unwrap()).collect();
    for name in ["one", "two", "classic;depth=2"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(home.run(&["show", "1"]).ok().stdout.contains("one: classic;name=one\n"));
}

#[test]
fn scores_and_length_end_games() {
    let home = Home::new();
    home.file("queen.epd", QUEEN_UP);
    let words = [
        "match",
        "chess",
        "--a",
        "modern",
        "--b",
        "classic",
        "--nodes",
        "300",
        "--games",
        "4",
        "--openings",
        "queen.epd",
    ];
    let ran = run(&home, &words, "--resign score=500,moves=2,twosided=true --json").ok().json();
    assert_eq!(ran["by_scores"], json!([4, 0]), "{ran}");
    assert!(ran["mean_plies"].as_f64().unwrap() <= 12.0, "{ran}");
    let pgn = home.run(&["export", "1", "--format", "pgn"]).ok().stdout;
    assert_eq!(pgn.matches("[Result \"1-0\"]").count(), 4);
    assert_eq!(pgn.matches("[Termination \"adjudication: the scores were decisive\"]").count(), 4, "{pgn}");
    assert!(pgn.contains("its score was -500 or less for 2 moves (--resign)"), "{pgn}");
    let short = run(&home, &words, "--max-moves 3 --json").ok().json();
    assert_eq!((short["draws"].as_u64(), short["mean_plies"].as_f64()), (Some(4), Some(6.0)));
    let level = run(&home, &words, "--draw score=20000,moves=1,from=2 --json").ok().json();
    assert!(level["by_scores"][1].as_u64().unwrap() > 0, "{level}");
    assert!(home.run(&["show", "3"]).ok().stdout.contains("drawn by the scores"));
    // The rules are stored: a run that is continued keeps them.
    assert_eq!(home.exported(1)["config"]["play"]["rules"], json!({ "resign": "score=500,moves=2,twosided=true" }));
    run(&home, &words, "--resign score=500").fails(2, &["must have 'moves=' once", "score=600,moves=3"]);
    run(&home, FAST, "--draw score=5,moves=3").fails(2, &["--draw is for games that can be drawn"]);
}

#[test]
fn reports_come_while_games_are_played() {
    let home = Home::new();
    let ran = run(&home, FAST, "--games 8 --threads 1 --report-every 2 --nelo 0,5").ok();
    for (games, count) in [(2, 1), (4, 1), (6, 1), (8, 0)] {
        let line = format!("classic+Ud@0.5 against classic after {games} games");
        assert_eq!(ran.stderr.matches(&line).count(), count, "{}", ran.stderr);
    }
    for part in [
        "Elo: ",
        "nElo: ",
        "Ptnml(0-2): [",
        "LLR: ",
        "(-2.94, 2.94) [0.00, 5.00]",
        "Time losses: 0",
        "Games per second: ",
    ] {
        assert!(ran.stderr.matches(part).count() >= 3, "no '{part}' in {}", ran.stderr);
    }
    assert!(ran.stdout.contains("games  8: "));
    let quiet = run(&home, FAST, "--games 24 --report-every 0 --seed 2").ok();
    assert!(!quiet.stderr.contains("after"), "{}", quiet.stderr);
    let adaptive = run(&home, FAST, "--games 24 --seed 3").ok();
    assert_eq!(adaptive.stderr.matches("Ptnml").count(), 2, "after 10 and 20 games: {}", adaptive.stderr);
}

/// Waits until a match in progress shows its state.
fn state_in_progress(home: &Home) -> String {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let shown = home.run(&["show", "1"]);
        if shown.stdout.contains("Ptnml(0-2)") {
            return shown.stdout;
        }
        sleep(Duration::from_millis(20));
    }
    panic!("nothing is shown of a match in progress");
}

#[test]
fn a_match_in_progress_shows_its_state_and_an_interrupt_reports_it() {
    let home = Home::new();
    let running = home.start(&[FAST, &["--games", "100000", "--nelo", "0,0.1", "--report-every", "90000"]].concat());
    let shown = state_in_progress(&home);
    assert!(shown.contains("of 100000 games:") && shown.contains("The run is in progress."), "{shown}");
    running.signal(&["TERM"]);
    let ran = running.end();
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert_eq!(ran.stderr.matches("Ptnml(0-2)").count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("plysmith resume 1"));
    assert!(home.run(&["show", "1"]).ok().stdout.contains("Ptnml(0-2)"));
}

fn games_of(home: &Home, run: u32) -> Vec<Value> {
    let connection = rusqlite::Connection::open(home.database()).unwrap();
    let mut rows = connection.prepare("SELECT payload FROM events WHERE run = ?1 ORDER BY seq").unwrap();
    let payloads = rows.query_map([run], |row| row.get::<_, String>(0)).unwrap();
    payloads.map(|payload| serde_json::from_str(&payload.unwrap()).unwrap()).collect()
}

#[test]
fn an_extended_match_is_one_longer_match() {
    let home = Home::new();
    run(&home, FAST, "--games 4").ok();
    let extended = home.run(&["resume", "1", "--games", "10", "--json"]).ok().json();
    let whole = run(&Home::new(), FAST, "--games 10 --json").ok().json();
    assert_eq!(extended, whole);
    assert!(home.run(&["show", "2"]).ok().stdout.contains("the first 4 games are those of run 1"));
    home.run(&["resume", "1", "--games", "4"]).fails(2, &["run 1 has 4 games", "+4"]);
    home.run(&["resume", "1", "--games", "+3"]).fails(2, &["7 games are not a whole number of pairs"]);
    home.run(&["resume", "1", "--games", "many"]).fails(2, &["'+400' for 400 more"]);
    let tournament = ["tournament", "classic", "classic+Ud", "--mode", "round-robin", "--size", "5x6", "--nodes", "50"];
    run(&home, &tournament, "--games 2").ok();
    home.run(&["resume", "3", "--games", "10"]).fails(2, &["only matches can be extended"]);
}

#[test]
fn games_that_cannot_be_repeated_count_in_the_extension_and_its_extension() {
    let home = Home::new();
    home.file("mates.epd", MATES);
    engine(&home, "one.sh", "", "");
    let words =
        ["match", "chess", "--openings", "mates.epd", "--a", "uci:./one.sh;name=a", "--b", "uci:./one.sh;name=b"];
    run(&home, &words, "--games 2 --nodes 5").ok();
    let extended = home.run(&["resume", "1", "--games", "+2", "--json"]);
    // A book is stored as far as it was needed; whether more games can be played is the book's affair.
    if extended.code == Some(2) {
        assert!(extended.stderr.contains("opening"), "{}", extended.stderr);
        return;
    }
    assert_eq!(extended.ok().json()["games"], 4);
    home.run(&["resume", "2", "--games", "+2", "--json"]).ok();
    let [first, second, third] = [1, 2, 3].map(|number| games_of(&home, number));
    assert_eq!((first.len(), second.len(), third.len()), (2, 4, 6));
    assert_eq!(first[..], second[..2], "no game was played again");
    assert_eq!(second[..], third[..4]);
}

#[test]
fn a_test_with_a_verdict_is_not_extended_silently() {
    let home = Home::new();
    run(&home, FAST, "--games 4 --nelo 0,5").ok();
    let more = home.run(&["resume", "1", "--games", "8", "--json"]).ok().json();
    assert_eq!((more["games"].as_u64(), more["test"]["verdict"].as_str()), (Some(8), Some("continue")));
    assert!(more["test"].get("unbiased").is_none(), "{more}");
    let clear = ["match", "--a", "modern", "--b", "classic,heuristic=advance", "--size", "6x6", "--nodes", "500"];
    let ended = run(&home, &clear, "--nelo 0,100 --games 400 --json").ok().json();
    let test = &ended["test"];
    assert_eq!(test["verdict"], "accept-h1");
    let [low, high] = [0, 1].map(|end| test["unbiased"]["nelo_interval"][end].as_f64().unwrap());
    let nelo = test["unbiased"]["nelo"].as_f64().unwrap();
    assert!(low < nelo && nelo < high && nelo > 0.0, "{test}");
    assert!(home.run(&["show", "3"]).ok().stdout.contains("(median-unbiased, 95 %)"));
    home.run(&["resume", "3", "--games", "+20"]).fails(2, &["has ended after", "accept-h1", "--without-test"]);
    let without = home.run(&["resume", "3", "--games", "+20", "--without-test", "--json"]).ok().json();
    assert_eq!(without["games"].as_u64().unwrap(), ended["games"].as_u64().unwrap() + 20);
    assert_eq!(without["test"], Value::Null);
}

/// An engine that fails does not end a tournament: the others play all their games.
#[test]
fn a_failing_engine_forfeits_and_the_others_play_on() {
    let tournament = |threads: &str| {
        let home = Home::new();
        let words =
            ["tournament", "chess", "--mode", "round-robin", "--games", "6", "--nodes", "60", "--max-failures", "2"];
        let dying = format!("uci:{};name=dying", bad_engine::command("late-dies-mid-search"));
        let players = [&dying, "classic", "modern", "--json", "--threads", threads];
        let ran = home.run(&[&words[..], &players].concat()).ok();
        assert!(ran.stderr.contains("warning: dying forfeits the rest of its games"), "{}", ran.stderr);
        (ran.json(), home)
    };
    let (result, home) = tournament("1");
    assert_eq!(tournament("3").0, result);
    let contests = result["contests"].as_array().unwrap();
    assert_eq!(contests[0]["games"], 2, "{result}");
    assert_eq!((&contests[0]["forfeits"], &contests[1]["forfeits"]), (&json!([4, 0]), &json!([6, 0])));
    assert_eq!((contests[1]["games"].as_u64(), contests[2]["games"].as_u64()), (Some(0), Some(6)));
    let standings = result["ranking"].as_array().unwrap();
    let dying = standings.iter().find(|row| row["player"] == "dying").unwrap();
    assert_eq!((dying["losses"].as_u64(), dying["games"].as_u64()), (Some(12), Some(12)));
    let points: f64 = standings.iter().map(|row| 12.0 * row["score"].as_f64().unwrap()).sum();
    assert!((points - 18.0).abs() < 1e-9, "every game gives one point: {result}");
    let text = home.run(&["show", "1"]).ok().stdout;
    assert!(text.contains("forfeited by dying against classic: 4 games; 'dying' failed in 2 of 2 games"), "{text}");
    assert!(text.contains("forfeited by dying against modern: 6 games"), "{text}");
}

/// An engine that cannot be started any more forfeits as well. Its first start is the check before the tournament.
#[test]
fn an_engine_that_no_longer_starts_forfeits() {
    let home = Home::new();
    home.file("mates.epd", MATES);
    engine(&home, "twice.sh", "echo x >> starts; test $(wc -l < starts) -le 2 || exit 1", "");
    engine(&home, "one.sh", "", "");
    let words =
        ["tournament", "chess", "--mode", "round-robin", "--games", "2", "--nodes", "5", "--openings", "mates.epd"];
    let players =
        ["uci:./one.sh;name=a", "uci:./twice.sh;name=twice", "uci:./one.sh;name=c", "--json", "--threads", "1"];
    let result = home.run(&[&words[..], &players].concat()).ok().json();
    let contests = result["contests"].as_array().unwrap();
    let games: Vec<_> = contests.iter().map(|contest| contest["games"].as_u64().unwrap()).collect();
    assert_eq!(games, [2, 2, 0], "{result}");
    assert_eq!(contests[2]["forfeits"], json!([2, 0]));
    assert_eq!(home.exported(1)["events"].as_array().unwrap().len(), 5, "four games and a forfeit");
}

#[test]
fn a_test_is_planned_before_it_is_played() {
    let home = Home::new();
    let plan = home.run(&["sprt", "--plan", "--nelo", "0,5", "--json"]).ok().json();
    let rows = plan["rows"].as_array().unwrap();
    let value = |row: usize, name: &str| rows[row][name].as_f64().unwrap();
    assert_eq!(rows.len(), 7);
    assert_eq!((value(2, "true_elo"), value(3, "true_elo"), value(4, "true_elo")), (0.0, 2.5, 5.0));
    assert!((0.03..=0.05).contains(&value(2, "accept_h1")) && (0.03..=0.05).contains(&value(4, "accept_h0")), "{plan}");
    assert!(value(3, "mean_games") > value(4, "mean_games") && value(4, "games_95") > value(4, "median_games"));
    let text = home.run(&["sprt", "--plan", "--nelo", "0,5"]).ok().stdout;
    assert!(text.contains("normalized Elo 0 against 5") && text.contains("true Elo"), "{text}");
    let cut = run(&home, &["sprt", "--plan"], "--elo 0,3 --draws 0.6 --games 2000 --truth=-2,1.5 --json").ok().json();
    assert!(cut["rows"][1]["no_verdict"].as_f64().unwrap() > 0.5, "{cut}");
    run(&home, &["sprt", "--plan"], "").fails(2, &["--plan needs a test"]);
    run(&home, &["sprt", "--plan"], "--elo 0,3 --draws 1.5").fails(2, &["--draws 1.5 is not a share"]);
}

#[test]
fn bayesian_bounds_are_an_option() {
    let home = Home::new();
    let sprt = |more: &str| run(&home, &["sprt", "--elo", "0,5"], more);
    let bayesian = sprt("--wdl 136,111,96 --model bayesian --json").ok().json();
    assert_eq!(bayesian["test"]["model"], "bayesian");
    let logistic = sprt("--wdl 136,111,96 --json").ok().json();
    let llr = |result: &Value| result["test"]["llr"].as_f64().unwrap();
    // A BayesElo difference is a smaller difference of the score where games are drawn.
    assert!(llr(&bayesian) > 0.0 && llr(&bayesian) < llr(&logistic), "{bayesian} {logistic}");
    sprt("--penta 34,54,63,64,75 --model bayesian").fails(2, &["single games", "--wdl"]);
    let matched = run(&home, FAST, "--games 8 --elo 0,5 --model bayesian --json").ok().json();
    assert_eq!(matched["test"]["model"], "bayesian");
    let ended = run(&home, &["sprt", "--nelo", "0,5"], "--penta 34,54,63,64,375").ok().stdout;
    assert!(ended.contains("accept-h1") && ended.contains("after the stop   Elo +"), "{ended}");
}

#[test]
fn the_share_of_a_match_that_is_not_search_is_printed() {
    let home = Home::new();
    let words =
        ["bench", "--arena", "--a", "classic", "--b", "modern", "--games", "4", "--nodes", "300", "--threads", "2"];
    let ran = run(&home, &words, "--json").ok().json();
    assert_eq!(
        (ran["games"].as_u64(), ran["threads"].as_u64(), ran["nodes_a_move"].as_u64()),
        (Some(4), Some(2), Some(300))
    );
    let [searching, seconds, outside] = ["searching", "seconds", "outside"].map(|name| ran[name].as_f64().unwrap());
    assert!((outside - (1.0 - searching / (2.0 * seconds))).abs() < 1e-9 && outside < 1.0, "{ran}");
    run(&home, &["bench"], "--nodes 5").fails(2, &["--nodes is for --arena and --driver"]);
}
