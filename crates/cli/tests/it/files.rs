//! Files that plysmith writes: whole or not at all, through links, with the mode and the names of the file they replace.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use crate::support::{Home, Ran};

const MEASURE: [&str; 7] = ["measure", "breakthrough", "Neutral", "--suite", "small.suite", "--nodes", "50"];

/// A home with two runs that export differently.
fn home_with_runs() -> Home {
    let home = Home::new();
    home.run(&MEASURE).ok();
    home.run(&[&MEASURE[..], &["--seed", "2"]].concat()).ok();
    home
}

fn export(home: &Home, run: u32) -> String {
    home.run(&["export", &run.to_string()]).ok().stdout
}

fn leftovers(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".tmp") || name.contains("unfinished")).collect()
}

/// Eight exports at the same time into the same file.
fn eight_at_once(home: &Home, target: &str, more: &[&str]) -> Vec<Ran> {
    let run = |number: usize| if number.is_multiple_of(2) { "1" } else { "2" };
    let arguments = |number| [&["export", run(number), "--output", target], more].concat();
    let started: Vec<_> = (0..8).map(|number| home.start(&arguments(number))).collect();
    started.into_iter().map(|running| running.end()).collect()
}

#[test]
fn of_eight_exports_at_once_the_last_wins_whole() {
    let home = home_with_runs();
    let whole = [export(&home, 1), export(&home, 2)];
    assert_ne!(whole[0], whole[1]);
    home.file("hard", "old");
    fs::hard_link(home.path().join("hard"), home.path().join("other-name")).unwrap();
    symlink("linked-to", home.path().join("link")).unwrap();
    for target in ["new", "hard", "link"] {
        for ran in eight_at_once(&home, target, &["--force"]) {
            ran.ok();
        }
        assert!(whole.contains(&home.read(target)), "{target} is a mix");
        assert_eq!(leftovers(home.path()), [""; 0]);
    }
    assert_eq!(home.read("other-name"), home.read("hard"));
    assert!(fs::symlink_metadata(home.path().join("link")).unwrap().is_symlink());
}

#[test]
fn without_force_one_of_eight_makes_the_file() {
    let home = home_with_runs();
    let ran = eight_at_once(&home, "new", &[]);
    assert_eq!(ran.iter().filter(|ran| ran.code == Some(0)).count(), 1, "{ran:?}");
    for refused in ran.into_iter().filter(|ran| ran.code != Some(0)) {
        refused.fails(2, &["new exists", "--force"]);
    }
    assert_eq!(leftovers(home.path()), [""; 0]);
}

#[test]
fn mode_and_names_of_a_replaced_file_are_kept() {
    let home = home_with_runs();
    let facts = |name: &str| fs::metadata(home.path().join(name)).unwrap();
    for mode in [0o640, 0o444, 0o600, 0o755] {
        let path = home.file("with-mode", "old");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        home.run(&["export", "1", "--output", "with-mode", "--force"]).ok();
        assert_eq!(facts("with-mode").permissions().mode() & 0o7777, mode);
        assert_eq!(home.read("with-mode"), export(&home, 1));
        fs::remove_file(&path).unwrap();
    }
    home.file("one", "old contents that are much longer than nothing\n".repeat(1000));
    fs::hard_link(home.path().join("one"), home.path().join("two")).unwrap();
    let before = (facts("one").ino(), facts("one").nlink());
    home.run(&["export", "1", "--output", "one", "--force"]).ok();
    assert_eq!((facts("one").ino(), facts("one").nlink()), before);
    assert_eq!((home.read("one"), home.read("two")), (export(&home, 1), export(&home, 1)));
    assert_eq!(leftovers(home.path()), [""; 0]);
}

#[test]
fn symbolic_links_are_followed() {
    let home = home_with_runs();
    fs::create_dir(home.path().join("far")).unwrap();
    home.file("far/there", "old");
    symlink("far/there", home.path().join("to-file")).unwrap();
    symlink("far/not-yet", home.path().join("dangling")).unwrap();
    symlink("dangling", home.path().join("chain")).unwrap();
    symlink("loop", home.path().join("loop")).unwrap();
    symlink("nowhere/x", home.path().join("to-no-folder")).unwrap();
    home.run(&["export", "1", "--output", "to-file"]).fails(2, &["to-file exists", "--force"]);
    home.run(&["export", "1", "--output", "to-file", "--force"]).ok();
    home.run(&["export", "1", "--output", "chain"]).ok();
    assert_eq!((home.read("far/there"), home.read("far/not-yet")), (export(&home, 1), export(&home, 1)));
    for link in ["to-file", "dangling", "chain"] {
        assert!(fs::symlink_metadata(home.path().join(link)).unwrap().is_symlink(), "{link}");
    }
    for force in [&[][..], &["--force"]] {
        home.run(&[&["export", "1", "--output", "loop"], force].concat()).fails(2, &["cannot write loop"]);
        let no_folder = home.run(&[&["export", "1", "--output", "to-no-folder"], force].concat());
        no_folder.fails(2, &["there is no folder ./nowhere", "create it first"]);
        home.run(&[&["export", "1", "--output", "far"], force].concat()).fails(2, &["far is a folder"]);
        home.run(&[&["export", "1", "--output", "new/"], force].concat()).fails(2, &["there is no folder new/"]);
    }
}

/// Who may write in the folder cannot make us write elsewhere by guessing a name.
#[test]
fn no_name_can_be_prepared_for_us() {
    let home = home_with_runs();
    home.file("precious", "precious");
    for name in ["out.unfinished", "out.tmp", ".out.tmp", "out~"] {
        symlink("precious", home.path().join(name)).unwrap();
    }
    home.run(&["export", "1", "--output", "out"]).ok();
    home.run(&["export", "2", "--output", "out", "--force"]).ok();
    assert_eq!((home.read("precious").as_str(), home.read("out")), ("precious", export(&home, 2)));
}

#[test]
fn a_device_is_written_to_as_it_is() {
    let home = home_with_runs();
    home.run(&["export", "1", "--output", "/dev/null"]).ok();
    for force in [&[][..], &["--force"]] {
        home.run(&[&["export", "1", "--output", "/dev/full"], force].concat())
            .fails(1, &["/dev/full", "No space left"]);
    }
}

/// Every command that writes files asks for the same permission.
#[test]
fn nothing_is_overwritten_without_force() {
    let home = Home::new();
    home.run(&MEASURE).ok();
    home.file("taken", "precious");
    fs::create_dir(home.path().join("charts")).unwrap();
    home.file("charts/nodes.svg", "precious");
    let fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
    let chess = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8; id \"one\";\n";
    home.file("chess.epd", chess);
    let figure =
        ["reproduce", "figure1", "--suite", "chess.epd", "--nodes", "20", "--iterations", "1", "--charts", "charts"];
    let writers: [&[&str]; 8] = [
        &["export", "1", "--output", "taken"],
        &["suite", "generate", "breakthrough", "--count", "1", "--plies", "3", "--size", "5x5", "--output", "taken"],
        &["suite", "select", "breakthrough", "--suite", "small.suite", "--nodes", "50", "--output", "taken"],
        &["program", "--simplify", "--nodes", "100", "--output", "taken"],
        &["mate", "--fen", fen, "--moves", "2", "--nodes", "10000", "--proof", "taken"],
        &["tune", "breakthrough", "--weights", "Ud", "--suite", "small.suite", "--nodes", "50", "--output", "taken"],
        &["tune", "breakthrough", "--weights", "Ud", "--suite", "small.suite", "--nodes", "50", "--charts", "charts"],
        &figure,
    ];
    for arguments in writers {
        let ran = home.run(arguments);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("exists") && ran.stderr.contains("--force"), "{ran:?}");
    }
    assert_eq!((home.read("taken"), home.read("charts/nodes.svg")), ("precious".into(), "precious".into()));
    home.run(&[&figure[..], &["--force"]].concat()).ok();
    assert!(home.read("charts/nodes.svg").starts_with("<svg"));
}
