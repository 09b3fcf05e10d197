//! Suites: the same command makes the same file, and every problem can be proved again.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::Command;

use crate::halts::Table;
use crate::support::{Home, SMALL_SUITE};

const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/breakthrough-302.suite");

/// The arguments of the command that a suite's header says it was made by.
fn made_by(suite: &str) -> Vec<&str> {
    let command = suite.lines().find_map(|line| line.strip_prefix("# Made by: plysmith ")).expect("a header");
    command.split(' ').collect()
}

fn problems(suite: &str) -> Vec<&str> {
    suite.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn the_command_in_the_header_makes_the_same_file_on_any_number_of_threads() {
    let command = made_by(SMALL_SUITE);
    assert_eq!(command[..3], ["suite", "generate", "breakthrough"]);
    // A home remembers games, so each time it is another one.
    let make = |command: &[&str]| Home::new().run(command).ok().stdout;
    for threads in ["1", "2", "3"] {
        assert_eq!(make(&[&command[..], &["--threads", threads]].concat()), SMALL_SUITE, "on {threads} threads");
    }
    let other = make(&[&command[..], &["--first", "black"]].concat());
    assert_eq!(make(&made_by(&other)), other, "settings that are not the default are in the header");
    assert_ne!(problems(&other), problems(SMALL_SUITE));
}

#[test]
fn a_suite_in_the_making_survives_kills() {
    let work = "suite generate breakthrough --count 40 --plies 5 --size 6x6 --seed 9 --nodes 1000";
    let work: Vec<_> = work.split(' ').collect();
    let undisturbed = Home::new().run(&work).ok().stdout;
    let home = Home::new();
    for game in [0, 1, 17] {
        home.kill_at(&work, Table::Results, game);
    }
    assert_eq!(home.run(&work).ok().stdout, undisturbed);
    assert_eq!(home.run(&work).ok().stdout, undisturbed, "from what is kept alone");
}

#[test]
fn another_seed_makes_another_suite() {
    let make = |seed| {
        let arguments =
            ["suite", "generate", "breakthrough", "--count", "5", "--plies", "3", "--size", "5x5", "--seed"];
        Home::new().run(&[&arguments[..], &[seed]].concat()).ok().stdout
    };
    assert_eq!(make("1"), make("1"));
    assert_ne!(problems(&make("1")), problems(&make("2")));
}

#[test]
fn the_bundled_suite_begins_as_its_header_says() {
    let text = fs::read_to_string(BUNDLED).unwrap();
    let (command, bundled) = (made_by(&text), problems(&text));
    assert_eq!(bundled.len(), 302);
    assert_eq!(command.join(" "), "suite generate breakthrough --count 302 --plies 7 --seed 8 --nodes 1000");
    // All of it takes too long here; the first five are found by the same games.
    let five: Vec<_> = command.iter().map(|&word| if word == "302" { "5" } else { word }).collect();
    let made = Home::new().run(&five).ok().stdout;
    assert_eq!(problems(&made), bundled[..5]);
}

#[test]
fn every_bundled_problem_is_proved() {
    let checked = Home::new().run(&["suite", "check", "breakthrough", "--json"]).ok().json();
    assert_eq!((&checked["problems"], &checked["proved"]), (&302.into(), &302.into()));
    assert_eq!((&checked["not_provable"], &checked["wrong"]), (&0.into(), &serde_json::json!([])));
}

#[test]
fn a_suite_is_proved_and_its_mistakes_are_named() {
    let home = Home::new();
    let proved = home.run(&["suite", "check", "small.suite"]).ok();
    assert_eq!(proved.stdout, "small.suite: 16 problems, 16 proved, 0 wrong, 0 without a claim that can be proved\n");
    assert_eq!(home.run(&["suite", "check", "breakthrough", "small.suite"]).ok().stdout, proved.stdout);

    let wrong_move = SMALL_SUITE.replace("bm e3e4; id \"b5-001\"", "bm a3a4; id \"b5-001\"");
    let wrong_length = SMALL_SUITE.replacen("id \"b5-003\"; solve proven; distance 5", "id \"b5-003\"; distance 3", 1);
    let too_long = SMALL_SUITE.replacen("id \"b5-007\"; solve proven; distance 5", "id \"b5-007\"; distance 7", 1);
    for (suite, id, mistake) in [
        (wrong_move, "b5-001", "the winning moves are 'e3e4', not 'a3a4'"),
        (wrong_length, "b5-003", "there is no forced win within 3 plies"),
        (too_long, "b5-007", "'e3d4' wins in 5 plies already, not in 7"),
    ] {
        assert_ne!(suite, SMALL_SUITE);
        home.file("wrong.suite", suite);
        let ran = home.run(&["suite", "check", "wrong.suite"]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.stdout.contains(id) && ran.stdout.contains(mistake), "{ran:?}");
        ran.says(&["1 of 16 problems are wrong"]);
        let json = home.run(&["suite", "check", "wrong.suite", "--json"]).json();
        assert_eq!((&json["wrong"][0]["id"], &json["wrong"][0]["mistake"]), (&id.into(), &mistake.into()));
    }
}

#[test]
fn a_problem_without_a_distance_claims_nothing() {
    let home = Home::new();
    home.file("plain.suite", "# from elsewhere\r\n8/pppp4/8/8/8/8/4PPPP/8 w - - 0 1 bm e2e3; c0 \"a; b\";\r\n");
    let checked = home.run(&["suite", "check", "plain.suite", "--json"]).ok().json();
    assert_eq!((&checked["problems"], &checked["proved"], &checked["not_provable"]), (&1.into(), &0.into(), &1.into()));
}

#[test]
fn files_are_not_overwritten_unless_asked_to() {
    let home = Home::new();
    home.file("mine.suite", "precious");
    let refused = [&made_by(SMALL_SUITE)[..], &["--output", "mine.suite"]].concat();
    home.run(&refused).fails(2, &["mine.suite exists", "--force"]);
    assert_eq!(home.read("mine.suite"), "precious");
    let written = home.run(&[&refused[..], &["--force"]].concat()).ok();
    assert_eq!((written.stdout.as_str(), home.read("mine.suite").as_str()), ("", SMALL_SUITE));
    assert!(written.stderr.contains("16 problems written to mine.suite"), "{written:?}");
    let left = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.contains("unfinished")).count(), 0);
}

#[test]
fn writing_over_a_link_writes_what_it_points_to() {
    let home = Home::new();
    let target = home.file("target.suite", "old");
    std::os::unix::fs::symlink(&target, home.path().join("link.suite")).unwrap();
    home.run(&[&made_by(SMALL_SUITE)[..], &["--output", "link.suite", "--force"]].concat()).ok();
    assert!(home.path().join("link.suite").is_symlink(), "the link was replaced by a file");
    assert_eq!(home.read("target.suite"), SMALL_SUITE);
}

/// As root, replacing what stands there would turn /dev/null into a file.
#[test]
fn writing_to_a_pipe_or_device_writes_into_it() {
    let home = Home::new();
    let pipe = home.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Open for both, so that neither side waits for the other.
    let mut ours = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    home.run(&[&made_by(SMALL_SUITE)[..], &["--output", "pipe", "--force"]].concat()).ok();
    assert!(is_pipe(&pipe), "the pipe was replaced by a file");
    let mut contents = vec![0; SMALL_SUITE.len()];
    std::io::Read::read_exact(&mut ours, &mut contents).unwrap();
    assert_eq!(String::from_utf8(contents).unwrap(), SMALL_SUITE);
}

fn is_pipe(path: &Path) -> bool {
    fs::symlink_metadata(path).unwrap().file_type().is_fifo()
}
