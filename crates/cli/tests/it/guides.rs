//! The guides: every command in them runs, with fewer games, problems and nodes.

use std::fs;
use std::path::Path;

use crate::support::{Home, skipped};

/// What an option is given instead, so that a command takes seconds.
const SMALL: [(&str, &str); 6] = [
    ("--nodes", "300"),
    ("--games", "2"),
    ("--iterations", "1"),
    ("--problems", "4"),
    ("--tc", "0.2+0.01"),
    ("--best", "1"),
];

/// Commands that measure problems, of which few are enough.
const ON_PROBLEMS: [&str; 3] = ["measure", "discover", "tune"];

/// The fenced `sh` blocks of a document, in order.
fn blocks(document: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(document);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let fenced = text.split("\n```sh\n").skip(1);
    fenced.map(|block| block.split("\n```").next().unwrap().to_string()).collect()
}

/// Splits a line as a shell does, as far as the guides need it.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in line.chars() {
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(end)) if letter == end => quote = None,
            (' ', None) => words.push(std::mem::take(&mut word)),
            _ => word.push(letter),
        }
    }
    assert_eq!(quote, None, "an open quote: {line}");
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The command with small settings.
fn small(line: &str) -> Vec<String> {
    let mut words = words(line);
    for at in 1..words.len() {
        if let Some((_, value)) = SMALL.iter().find(|(option, _)| *option == words[at - 1]) {
            words[at] = value.to_string();
        }
    }
    if ON_PROBLEMS.contains(&words[1].as_str()) && !words.iter().any(|word| word == "--problems") {
        words.extend(["--problems", "4"].map(str::to_string));
    }
    words
}

/// Runs the commands of a document. A block that writes a file (`cat > NAME <<'END'`) writes it.
fn run_guide(home: &Home, document: &str) -> usize {
    let mut commands = 0;
    for block in blocks(document) {
        if let Some((first, rest)) = block.split_once('\n')
            && let Some(name) = first.strip_prefix("cat > ").and_then(|line| line.strip_suffix(" <<'END'"))
        {
            home.file(name, rest.strip_suffix("END").unwrap());
            continue;
        }
        for line in block.lines().filter(|line| !line.starts_with('#')) {
            let words = small(line);
            assert_eq!(words[0], "plysmith", "{document}: {line}");
            let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            home.run(&words).ok();
            commands += 1;
        }
    }
    commands
}

#[test]
fn the_guide_to_features_runs() {
    assert!(run_guide(&Home::new(), "adding-a-feature.md") >= 7);
}

#[test]
fn the_guide_for_users_of_fastchess_runs() {
    assert!(run_guide(&Home::new(), "coming-from-fastchess.md") >= 2);
}

#[test]
fn the_first_hour_runs() {
    let glaurung = ["/usr/games/glaurung", "/usr/bin/glaurung"].into_iter().find(|path| Path::new(path).exists());
    let Some(glaurung) = glaurung else {
        return skipped("the_first_hour_runs", "glaurung is not installed");
    };
    let home = Home::new();
    #[cfg(unix)]
    std::os::unix::fs::symlink(glaurung, home.path().join("mine")).unwrap();
    #[cfg(not(unix))]
    fs::copy(glaurung, home.path().join("mine")).unwrap();
    assert!(run_guide(&home, "first-hour.md") >= 9);
    assert!(home.read("first-match.pgn").contains("[White \"tuned\"]"));
    assert!(home.read("first-tune.csv").starts_with("run,"));
}
