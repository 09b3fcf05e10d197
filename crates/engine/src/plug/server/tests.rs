use plysmith_core::games::find;
use plysmith_core::random::Random;

use super::{Channels, serve};
use crate::driver::{BuiltIn, Policy};

const START: &str = "setboard pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w";

/// An engine with two weights.
fn engine() -> BuiltIn {
    let game = find("breakthrough").unwrap();
    let rules = ["RdTt", "Ud"].map(|name| BuiltIn::tuned_rule(game, name).unwrap()).to_vec();
    let engine = BuiltIn::new(game, game.parse_settings("classic").unwrap(), Policy::Iteration);
    engine.with_template(rules).unwrap()
}

/// Every byte that it answers, and every byte of its diagnostics.
fn bytes(input: &str) -> [String; 2] {
    let (mut answers, mut diagnostics) = (Vec::new(), Vec::new());
    let channels = Channels { answers: &mut answers, diagnostics: &mut diagnostics };
    serve(engine(), 1, input.as_bytes(), channels).unwrap();
    [answers, diagnostics].map(|text| String::from_utf8(text).unwrap())
}

fn talk(input: &str) -> Vec<String> {
    let [answers, _] = bytes(input);
    answers.lines().map(String::from).collect()
}

#[test]
fn it_introduces_itself_and_lists_its_features() {
    let said = talk("plug 1\nfeatures\n");
    for line in [
        "game breakthrough",
        "can setscheme gosolve amounts probabilities partitions marks other",
        "param RdTt 0.1 2 1 0.001",
        "plugok",
        "forbid tablemove-late reason the table's move is the first",
        "featuresok",
    ] {
        assert!(said.iter().any(|other| other == line), "no {line} in {said:?}");
    }
    assert!(said.iter().any(|line| line.starts_with("feature RdTt group ")));
    assert!(said.iter().any(|line| line.starts_with("feature verylate group number parent late knowledge meaning ")));
    assert!(said.iter().any(|line| line.starts_with("state pv cut ") && line.ends_with(" check")));
}

#[test]
fn schemes_of_any_cost_are_accepted() {
    let solve =
        |scheme: &str| talk(&format!("plug 1\n{START}\nsetscheme {scheme}\ngosolve 400 avoid a2a3\n")).pop().unwrap();
    let plain = solve("Neutral");
    for scheme in ["late-quiet@+1,Ud@-0.25", "=Ud-C@31%,Other@3%", "C@0.5~,Other@1.5", "late-Ud@2!"] {
        let said = solve(scheme);
        assert!(said.starts_with("nodes ") && said != plain, "{scheme}: {said}");
    }
}

/// One iteration of the paper's Algorithm 1 over two positions, byte for byte: three commands for each search, and one line
/// as the answer to the last of them.
#[test]
fn the_papers_learner_reads_what_the_paper_says() {
    let positions = [("7p/7P/8/8/8/8/7P/8 w", "h7g8"), ("p7/P7/8/8/8/8/P7/8 w", "a7b8")];
    let mut input = String::new();
    for (position, best) in positions {
        for weights in ["1.000000 1.000000", "1.150000 1.000000", "1.000000 1.150000"] {
            input += &format!("setboard {position}\nsetparam {weights}\ngountil {best} 1000\n");
        }
    }
    let [answers, diagnostics] = bytes(&input);
    assert_eq!(diagnostics, "");
    let counts: Vec<u64> = answers
        .split_inclusive('\n')
        .map(|line| {
            let words = line.strip_suffix('\n').unwrap().strip_prefix("nodes 1 ").unwrap();
            words.parse().unwrap()
        })
        .collect();
    assert_eq!(counts.len(), 6, "{answers}");
    assert!(counts.iter().all(|&count| 0 < count && count <= 1000), "{answers}");
    let unsolved = bytes("setboard p7/P7/8/8/8/8/P7/8 w\nsetparam 1 1\ngountil a2a3 1000\nquit\nplug 1\n");
    assert_eq!(unsolved, ["nodes 0 1000\n", ""], "an unsolved position has the limit as its count");
}

#[test]
fn commands_without_an_answer_have_none() {
    for input in ["", "\n \n", START, "setparam 0.5 1", "setboard x", "setparam", "setparam 1 x", "hello", "quit"] {
        assert_eq!(bytes(input)[0], "", "{input}");
        assert_eq!(bytes(&format!("{input}\r\nquit\r\n"))[0], "", "{input}");
    }
}

/// Whatever language the learner is written in.
#[test]
fn weights_are_read_in_any_decimal_form() {
    let board = "setboard 1p6/8/8/3P4/8/8/8/P7 w";
    let solve = |weights: &str| {
        let [answers, diagnostics] = bytes(&format!("{board}\nsetparam {weights}\ngosolve 30000 avoid a1b2 proven\n"));
        assert_eq!(diagnostics, "", "{weights}");
        answers
    };
    let expected = solve("0.5 1");
    assert!(expected.starts_with("nodes ") && expected != solve("1 0.5"), "weights matter here: {expected}");
    for weights in ["0.500000 1.000000", ".5 1.", "5e-1 1e0", "5.00000E-01 1.00000E+00", "+0.5 +1", "0.4999999 1.00002"]
    {
        assert_eq!(solve(weights), expected, "{weights}");
    }
    // The paper's learner adds delta to weights at the end of their range, and was never told of ours.
    assert_eq!(solve("2.15 0.05"), solve("2 0.1"));
}

#[test]
fn what_cannot_be_done_is_told_where_an_answer_is_due() {
    let board = format!("{START}\n");
    for (input, question, part) in [
        ("", "gountil a2a3 100", "there is no position"),
        ("setboard nonsense\n", "gountil a2a3 100", "setboard: "),
        (&format!("{board}setparam 1\n"), "gountil a2a3 100", "1 weights were given for 2 parameters (RdTt, Ud)"),
        (&format!("{board}setparam 1 x\n"), "gountil a2a3 100", "'x' is not a weight"),
        (&format!("{board}setparam 0,5 1\n"), "gountil a2a3 100", "'0,5' is not a weight"),
        (&format!("{board}setscheme Xy@0.5\n"), "gosolve 100 best a2a3", "'Xy' is not a feature"),
        (&board, "gountil a2a3", "expected 'gountil MOVE N'"),
        (&board, "gountil a2a3 many", "expected 'gountil MOVE N'"),
        (&board, "gountil a2h8 100", "a2h8"),
        (&board, "gosolve 100", "expected 'gosolve N"),
        (&board, "gosolve 100 a2a3", "expected 'gosolve N"),
        (&board, "gosolve best a2a3", "expected 'gosolve N"),
    ] {
        let said = talk(&format!("{input}{question}\n"));
        assert!(said.len() == 1 && said[0].starts_with("error ") && said[0].contains(part), "{input}: {said:?}");
        assert_eq!(bytes(input)[0], "", "{input}");
    }
    // The range was listed after `plug`.
    let said = talk(&format!("plug 1\n{board}setparam 1 3\ngountil a2a3 100\n"));
    assert!(said.last().unwrap().contains("error setparam: the weight 3 of 'Ud' is not from 0.1 to 2"), "{said:?}");
    assert_eq!(
        bytes("hello\n"),
        [
            "",
            "there is no command 'hello'; expected plug, features, setboard, setparam, setscheme, gountil, gosolve or quit\n"
        ]
    );
    assert!(talk("plug 1\nhello\n").last().unwrap().starts_with("error there is no command 'hello'"));
}

/// A count of a search with other weights or of another position would be taken for one of these.
#[test]
fn what_was_not_set_is_not_searched() {
    let said = talk(&format!(
        "{START}\nsetparam 1 0.5\ngountil a2a3 50\nsetparam 1\ngountil a2a3 50\ngountil a2a3 50\nsetparam 1 .5\n\
         gountil a2a3 50\nsetboard x\ngountil a2a3 50\n"
    ));
    let kinds: Vec<&str> = said.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(kinds, ["nodes", "error", "error", "nodes", "error"], "{said:?}");
    assert_eq!(said[0], said[3]);
    let long = format!("{START}\nsetboard {}\ngountil a2a3 50\n", "p".repeat(300_000));
    assert_eq!(talk(&long), ["error an overlong line is ignored; commands are short"]);
}

/// Statistics and refusals of unknown commands belong to the extension.
#[test]
fn more_is_said_only_after_plug() {
    let work = format!("{START}\nsetscheme Ud@0.5\ngosolve 400 avoid a2a3\n");
    let plain = talk(&work);
    let extended = talk(&format!("plug 1\n{work}"));
    assert_eq!(plain.len(), 1);
    assert_eq!(plain[0].split(' ').count(), 3, "{plain:?}");
    let last = extended.last().unwrap();
    assert!(last.starts_with(&format!("{} depth ", plain[0])) && last.contains(" fired "), "{last}");
}

#[test]
fn it_survives_random_input() {
    let seeds = [
        "plug 1",
        "features",
        START,
        "setparam 1 0.5",
        "setscheme Ud-RdTt@0.5,PP@0.75",
        "gountil a2a3 50",
        "gosolve 50 best a2a3 b2b3 avoid c2c3 proven",
        "setboard 8/3P4/p7/8/8/8/P7/8 w",
        "gountil d7d8 9",
    ];
    let mut random = Random::new(7);
    let mut script = Vec::new();
    for _ in 0..20_000 {
        let mut line = seeds[random.below(seeds.len())].as_bytes().to_vec();
        for _ in 0..random.below(4) {
            let at = random.below(line.len().max(1));
            match random.below(3) {
                0 if !line.is_empty() => drop(line.remove(at)),
                1 => line.insert(at, random.below(256) as u8),
                _ => line.extend_from_slice(seeds[random.below(seeds.len())].as_bytes()),
            }
        }
        // Long searches are no storm.
        let is_long =
            line.split(|&byte| byte == b' ').any(|word| word.len() > 3 && word.iter().all(u8::is_ascii_digit));
        line.retain(|&byte| byte != b'\n');
        if !is_long && !line.starts_with(b"quit") {
            script.extend(line);
            script.push(b'\n');
        }
    }
    let game = find("breakthrough").unwrap();
    let engine = BuiltIn::new(game, game.parse_settings("classic").unwrap(), Policy::Iteration);
    script.extend(format!("{START}\nsetscheme Neutral\ngountil a2a3 50\n").bytes());
    let mut output = Vec::new();
    let channels = Channels { answers: &mut output, diagnostics: std::io::sink() };
    serve(engine, 1, &script[..], channels).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.lines().last().unwrap().starts_with("nodes "), "{text}");
    assert!(text.lines().filter(|line| line.starts_with("error ")).count() > 1000);
}
