//! Weight files: bad ones of all kinds, players with their own weights, and runs whose file has changed since.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use plysmith_core::patterns::Patterns;
use plysmith_core::weights::WeightFile;

use crate::halts::Table;
use crate::support::{Home, PLYSMITH, Ran};

/// Weights for a board of Breakthrough: men count, each as often as a window has it.
fn material(columns: u32, rows: u32, man: i16) -> WeightFile {
    let digits = |pattern: usize| (0..9).map(move |square| pattern / 3_usize.pow(square) % 3);
    let worth = |pattern| digits(pattern).map(|digit| [0, man, -man][digit]).sum();
    let windows = Patterns::count(columns, rows) / 19_683;
    WeightFile {
        game: "breakthrough".to_string(),
        form: format!("patterns {columns}x{rows}"),
        made_by: "a test".to_string(),
        numbers: (0..windows).flat_map(|_| (0..19_683).map(worth)).collect(),
    }
}

fn key(file: &WeightFile) -> String {
    format!("{:016x}", file.key())
}

/// Two players on small boards.
fn matched(a: &str, b: &str, more: &[&str]) -> Vec<String> {
    let fixed = ["match", "--a", a, "--b", b, "--size", "5x6", "--nodes", "100", "--games", "8", "--threads", "1"];
    fixed.iter().chain(more).map(|word| word.to_string()).collect()
}

fn run(home: &Home, arguments: &[String]) -> Ran {
    home.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What the engine answers.
fn uci(home: &Home, commands: &str) -> String {
    let mut command = home.command(PLYSMITH, &["engine", "breakthrough"]);
    let mut engine = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    engine.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    String::from_utf8(engine.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn bad_files_are_refused_by_name() {
    let home = Home::new();
    let good = material(5, 6, 10);
    let bytes = good.to_bytes();
    let header = bytes.len() - 2 * good.numbers.len();
    let mut damaged = bytes.clone();
    damaged[header + 999] ^= 1;
    let with = |change: &dyn Fn(&mut WeightFile)| {
        let mut file = good.clone();
        change(&mut file);
        file.to_bytes()
    };
    let version = String::from_utf8(bytes[..header].to_vec()).unwrap().replace("weights 1", "weights 7").into_bytes();
    let bad: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "this is not a weight file"),
        ("text", b"classic".to_vec(), "this is not a weight file"),
        ("version", version, "a weight file of version '7'; this program reads version 1"),
        ("header", bytes[..40].to_vec(), "the file ends in line 3 of the header"),
        ("cut", bytes[..bytes.len() - 1].to_vec(), "the file is cut off, copy it again"),
        ("long", [&bytes[..], &[0]].concat(), "the file is too long, copy it again"),
        ("damaged", damaged, "the file is damaged, copy it again"),
        ("checkers", with(&|file| file.game = "checkers".to_string()), "weights for 'checkers'"),
        ("chess", with(&|file| file.game = "chess".to_string()), "expected weights for 'breakthrough'"),
        ("form", with(&|file| file.form = "terms 7".to_string()), "the form 'terms 7' do not fit"),
        ("board", with(&|file| file.form = "patterns 9x9".to_string()), "the form 'patterns 9x9' do not fit"),
        ("few", with(&|file| file.numbers.truncate(7)), "but here are 7"),
        ("overflow", with(&|file| file.numbers[3] = i16::MIN), "number 4 is -32768; expected -32767 to 32767"),
    ];
    for (name, bytes, reason) in bad {
        let file = format!("{name}.weights");
        home.file(&file, bytes);
        let named = format!("weight file '{file}'");
        let player = format!("modern,heuristic={file}");
        run(&home, &matched("classic", &player, &[])).fails(2, &["player", &named, reason]);
        home.run(&["measure", "breakthrough", "Ud", "--suite", "small.suite", "--preset", &player])
            .fails(2, &[&named, reason]);
        home.run(&["play", "breakthrough", "--preset", &player]).fails(2, &[&named, reason]);
        home.run(&["engine", "breakthrough", "--preset", &player]).fails(2, &[&named, reason]);
        let told = uci(&home, &format!("setoption name EvalFile value {file}\nuci\nquit\n"));
        assert!(told.contains(&format!("info string error: {named}")) && told.contains(reason), "{told}");
        assert!(told.contains("option name EvalFile type string default <embedded>"), "{told}");
    }
    home.run(&["weights", "damaged.weights"]).fails(2, &["weight file 'damaged.weights'", "is damaged"]);
    home.run(&["weights", "checkers.weights"]).fails(2, &["there is no game 'checkers'"]);
    home.run(&["weights", "form.weights"]).fails(2, &["weight file 'form.weights'", "'terms 7' do not fit"]);
    home.run(&["weights", "none.weights"]).fails(2, &["weight file 'none.weights': No such file"]);
    home.run(&["weights", "/dev/zero"]).fails(2, &["it is larger than 64 MiB"]);
    assert!(!home.run(&["runs", "--json"]).ok().stdout.contains("match"), "nothing was begun");
}

#[test]
fn names_that_settings_cannot_contain_are_refused() {
    let home = Home::new();
    let bytes = material(5, 6, 10).to_bytes();
    for name in ["a,b.weights", "a+b.weights", "a#b.weights"] {
        home.file(name, &bytes);
        let player = format!("modern,heuristic={name}");
        run(&home, &matched("classic", &player, &[])).fails(2, &["name", "',', '+' or '#'"]);
        home.run(&["weights", name]).fails(2, &["may not contain ',', '+' or '#'", "rename the file"]);
        let told = uci(&home, &format!("setoption name EvalFile value {name}\nquit\n"));
        assert!(told.contains("may not contain"), "{told}");
    }
    run(&home, &matched("classic", "modern,heuristic=gone.weights", &[]))
        .fails(2, &["'gone.weights' is not a heuristic of this game", "or a weight file"]);
}

#[test]
fn the_content_of_a_file_is_in_the_keys() {
    let home = Home::new();
    let (first, second) = (material(5, 6, 10), material(5, 6, -10));
    home.file("a.weights", first.to_bytes());
    let arguments = matched("modern,heuristic=a.weights", "classic", &["--json"]);
    let played = run(&home, &arguments).ok().json();
    assert_eq!(played["a"], format!("modern,heuristic=a.weights#{}", key(&first)));
    let results = home.rows(Table::Results);
    assert_eq!(run(&home, &arguments).ok().json()["points"], played["points"]);
    assert_eq!(home.rows(Table::Results), results, "all games are remembered");

    home.file("a.weights", second.to_bytes());
    let again = run(&home, &arguments).ok().json();
    assert_eq!(again["a"], format!("modern,heuristic=a.weights#{}", key(&second)));
    assert_eq!(home.rows(Table::Results), results + 8, "no game is remembered");
    assert!(again["score"].as_f64() < played["score"].as_f64(), "who wants to lose men loses: {again}");

    // What was played can be shown without the file.
    fs::remove_file(home.path().join("a.weights")).unwrap();
    assert!(home.run(&["show", "1"]).ok().stdout.contains(&key(&first)));
}

#[test]
fn a_run_is_not_resumed_with_another_file() {
    let (first, second) = (material(5, 6, 10), material(5, 6, 11));
    let player = "modern,heuristic=a.weights";
    let tournament = ["tournament", player, "--size", "5x6", "--nodes", "100", "--games", "8"];
    let discovery =
        ["discover", "breakthrough", "--suite", "small.suite", "--nodes", "500", "--epsilon", "1", "--preset", player];
    let matches = matched(player, "classic", &[]);
    let matches: Vec<&str> = matches.iter().map(String::as_str).collect();
    for work in [&matches[..], &tournament, &discovery] {
        let undisturbed = Home::new();
        undisturbed.file("a.weights", first.to_bytes());
        undisturbed.run(work).ok();

        let home = Home::new();
        home.file("a.weights", first.to_bytes());
        home.kill_at(work, Table::Events, 3);
        home.file("a.weights", second.to_bytes());
        home.run(&["resume"])
            .fails(2, &["weight file 'a.weights'", &key(&first), &key(&second), "put the former file"]);
        home.run(&["show", "1"]).ok();
        fs::remove_file(home.path().join("a.weights")).unwrap();
        home.run(&["resume"]).fails(2, &["weight file 'a.weights'", "No such file", &key(&first)]);
        home.run(&["show", "1"]).ok();
        home.file("a.weights", first.to_bytes());
        home.run(&["resume"]).ok();
        assert_eq!(home.exported(1), undisturbed.exported(1));
    }
}

#[test]
fn weights_for_another_board_are_noted_once() {
    let home = Home::new();
    let large = material(8, 8, 10);
    home.file("large.weights", large.to_bytes());
    let note =
        format!("'large.weights#{}' has no weights for boards of 5x6; they are evaluated by 'guarded'", key(&large));
    let player = "modern,heuristic=large.weights";
    let noted = |ran: Ran| {
        let ran = ran.ok();
        assert_eq!(ran.stderr.matches(&format!("note: {note}")).count(), 1, "{ran:?}");
    };
    noted(run(&home, &matched(player, "modern", &[])));
    noted(home.run(&["tournament", player, "--size", "5x6", "--nodes", "100", "--games", "2"]));
    noted(home.run(&["measure", "breakthrough", "Ud", "--suite", "small.suite", "--nodes", "100", "--preset", player]));
    noted(home.run(&["play", "breakthrough", "--size", "5x6", "--preset", player]));
    let commands = "setoption name EvalFile value large.weights\nposition ppppp/ppppp/5/5/PPPPP/PPPPP w\n\
                    go nodes 50\ngo nodes 50\nposition startpos\ngo nodes 50\nquit\n";
    let told = uci(&home, commands);
    assert!(told.matches(&format!("info string note: {note}")).count() == 1, "{told}");
}

#[test]
fn a_file_is_described() {
    let home = Home::new();
    let file = material(5, 6, 10);
    home.file("a.weights", file.to_bytes());
    let text = home.run(&["weights", "a.weights"]).ok().stdout;
    let numbers = file.numbers.len();
    for part in ["breakthrough", "patterns 5x6", "made by   a test", &key(&file), "from -90 to 90"] {
        assert!(text.contains(part), "no '{part}' in {text}");
    }
    let json = home.run(&["weights", "a.weights", "--json"]).ok().json();
    assert_eq!(json["key"], key(&file));
    assert_eq!((json["numbers"].as_u64(), json["largest"].as_i64()), (Some(numbers as u64), Some(90)));
    let chess = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/chess.weights");
    let text = home.run(&["weights", chess]).ok().stdout;
    assert!(text.contains("form      terms ") && text.contains("mobility"), "{text}");
}
