//! Names that are made to mislead or to control a terminal: of engines, files, problems, options, programs. None of them is
//! printed as it is.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{Home, Ran};

/// Clears the screen, sets the title, rings, turns the order of letters around; C1 controls; and a tab.
const EVIL: &str = "e\u{1b}[2Jv\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}live\u{2066}\u{200b}\u{7f}\t\r!";

/// No control character besides line breaks in anything that was printed, nor those that turn text around.
#[track_caller]
fn is_clean(ran: &Ran) {
    for (name, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        let bad = text.chars().find(|&letter| {
            letter != '\n' && (letter.is_control() || "\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}".contains(letter))
        });
        assert_eq!(bad, None, "`{}` prints it to {name}: {text:?}", ran.command);
    }
    ran.is_calm();
}

/// An engine that says evil things at every opportunity.
fn engine(home: &Home, bestmove: &str) -> String {
    let script = format!(
        r#"#!/bin/sh
echo '{EVIL}' >&2
while read -r command rest; do
  case "$command" in
    uci) echo 'id name {EVIL} engine'; echo 'id author {EVIL}'
         echo 'option name {EVIL} type string default {EVIL}'
         echo 'option name Hash type spin default 1 min 1 max 9'; echo 'info string {EVIL}'; echo uciok ;;
    isready) echo '{EVIL}'; echo readyok ;;
    go) echo 'info string {EVIL}'; echo 'info depth 1 nodes 1 score cp 1 pv {bestmove}'; echo 'bestmove {bestmove}' ;;
    quit) exit 0 ;;
  esac
done
"#
    );
    let path = home.file("engine.sh", script);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn what_engines_say_is_escaped() {
    for bestmove in ["e2e4".to_string(), format!("e2e5{EVIL}")] {
        let home = Home::new();
        let command = engine(&home, &bestmove);
        home.file("chess.epd", format!("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8; id \"{EVIL}\";\n"));
        let player = format!("uci:{command}");
        let commands: [&[&str]; 6] = [
            &["check-engine", &command],
            &["check-engine", &command, "--list-options"],
            &["check-engine", &command, "--json"],
            &["match", "chess", "--a", &player, "--b", "classic", "--games", "2", "--nodes", "50", "--threads", "1"],
            &["measure", "chess", "Hash=2", "--engine", &command, "--suite", "chess.epd", "--nodes", "50"],
            &["tune", "chess", "--engine", &command, "--suite", "chess.epd", "--nodes", "50", "--quick"],
        ];
        for arguments in commands {
            is_clean(&home.run(arguments));
        }
        for run in home.run(&["runs", "--json"]).ok().json().as_array().unwrap() {
            let number = run["run"].to_string();
            for format in ["json", "csv", "pgn"] {
                is_clean(&home.run(&["export", &number, "--format", format]));
            }
            is_clean(&home.run(&["show", &number]));
        }
    }
}

#[test]
fn names_of_files_are_escaped() {
    let home = Home::new();
    let name = format!("{EVIL}\nerror: forged.suite");
    let missing = format!("{EVIL}\nmissing");
    home.file(&name, fs::read(home.path().join("small.suite")).unwrap());
    home.file("bad.suite", format!("{EVIL}\n"));
    let measure = ["measure", "breakthrough", "Neutral", "--nodes", "50", "--suite"];
    home.run(&[&measure[..], &[&name]].concat()).ok();
    let commands: [&[&str]; 19] = [
        &["runs"],
        &["runs", "--json"],
        &["show", "1"],
        &["show", "1", "--json"],
        &["export", "1"],
        &["export", "1", "--format", "csv"],
        &["export", "1", "--output", &missing],
        &["export", "1", "--output", &missing],
        &["suite", "check", "breakthrough", "--suite", &name],
        &["suite", "check", "breakthrough", "--suite", "bad.suite"],
        &["measure", "breakthrough", EVIL, "--suite", "small.suite"],
        &["measure", EVIL, "Neutral"],
        &["measure", "chess", "Neutral", "--suite", &missing],
        &["match", "chess", "--a", EVIL, "--b", &format!("uci:{missing}")],
        &["match", "chess", "--a", "classic", "--b", &format!("uci:{missing}"), "--games", "2"],
        &["match", "chess", "--a", "classic", "--b", "modern", "--openings", "bad.suite", "--games", "2"],
        &["mate", "--fen", EVIL, "--moves", "2"],
        &["program", &name],
        &[EVIL, "--nodes", EVIL],
    ];
    for arguments in commands {
        let ran = home.run(arguments);
        is_clean(&ran);
        // A line break in a name does not begin a message.
        assert!(!ran.stderr.lines().skip(1).any(|line| line.starts_with("error")), "{ran:?}");
        assert!(!ran.stdout.lines().any(|line| line.starts_with("error: forged")) || arguments[0] == "show", "{ran:?}");
    }
    // JSON has the name itself.
    let exported = home.run(&["export", "1"]).ok();
    let suite = exported.json()["config"]["experiment"]["suite_name"].as_str().unwrap().to_string();
    assert!(suite.contains("e\u{1b}[2Jv\u{1b}]0;owned"), "{suite:?}");
    assert!(exported.stdout.contains("\\u009b31m\\u202elive"), "{}", exported.stdout);
}

#[test]
fn the_engine_does_not_repeat_control_characters() {
    let home = Home::new();
    let script =
        format!("printf '%s\\n' 'setoption name {EVIL} value {EVIL}' 'position fen {EVIL}' 'go {EVIL}' '{EVIL}' quit");
    for plug in ["", "--plug"] {
        let script = format!("{script} | exec \"$0\" engine chess {plug}");
        let ran = crate::support::Running::spawn(home.command("sh", &["-c", &script, crate::support::PLYSMITH])).end();
        is_clean(&ran);
    }
}

#[test]
fn charts_and_weights_are_valid_whatever_the_names() {
    use plysmith_runs::chart::{Chart, Series};
    let name = format!("{EVIL}\u{0}\u{fffe}<&>\n");
    let chart = Chart { title: name.clone(), unit: name.clone(), series: vec![Series::new(name, vec![1.0, 2.0])] };
    for text in [chart.svg(), chart.text()] {
        let bad = text.chars().find(|&letter| letter != '\n' && (letter.is_control() || letter == '\u{fffe}'));
        assert_eq!(bad, None, "{text:?}");
    }
    assert!(!chart.svg().contains("<&>"));
}
