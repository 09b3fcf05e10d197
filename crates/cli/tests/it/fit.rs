//! Fitting the chess evaluation: the same command prints the same weights, with or without playing again.

use std::fs;

use crate::support::Home;

const SMALL: [&str; 9] = ["fit", "chess", "--games", "24", "--nodes", "60", "--steps", "10", "--seed"];

#[test]
fn weights_depend_on_the_command_only() {
    let home = Home::new();
    let fit = |seed: &str, more: &[&str]| home.run(&[&SMALL[..], &[seed], more].concat()).ok().stdout;
    let weights = fit("7", &["--threads", "1"]);
    assert_eq!(fit("7", &["--threads", "3"]), weights);
    assert_ne!(fit("8", &[]), weights);
    assert!(weights.contains("--games 24 --nodes 60 --seed 7 --samples 12"), "{weights}");
}

#[test]
fn positions_that_were_kept_are_fitted_to_again_without_playing() {
    let home = Home::new();
    let file = home.path().join("games.epd");
    let name = file.to_str().unwrap();
    let table = |text: &str| text[text.find("WEIGHTS:").unwrap()..].to_string();
    let first = home.run(&[&SMALL[..], &["7", "--positions", name]].concat()).ok();
    let positions = fs::read_to_string(&file).unwrap();
    assert!(positions.lines().count() > 24);
    let again = home.run(&["fit", "chess", "--steps", "10", "--positions", name]).ok();
    assert_eq!(table(&again.stdout), table(&first.stdout));
    assert!(again.stdout.contains("fit chess --positions games.epd"));
    let more = home.run(&["fit", "chess", "--steps", "10", "--positions", name, "--also", name]).ok();
    assert_ne!(table(&more.stdout), table(&first.stdout), "twice the positions, half the pull");
}

#[test]
fn the_guesses_are_printed_and_written() {
    let home = Home::new();
    let printed = home.run(&["fit", "chess", "--guesses"]).ok().stdout;
    assert!(printed.contains("(100, 100), (300, 300), (300, 300), (500, 500), (900, 900)"));
    let file = home.path().join("weights.rs");
    home.run(&["fit", "chess", "--guesses", "--out", file.to_str().unwrap()]).ok();
    assert_eq!(fs::read_to_string(&file).unwrap(), printed);
}

#[test]
fn wrong_input_is_named() {
    let home = Home::new();
    let file = home.path().join("bad.epd");
    fs::write(&file, "# a comment\n8/8/4k3/8/8/4K3/4P3/8 w - - 0 1 c9 \"2-0\"; id \"1\";\n").unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["fit", "breakthrough"], "breakthrough has no weights to fit; expected chess"),
        (&["fit", "chess", "--positions", file.to_str().unwrap()], "bad.epd:2: "),
        (&["fit", "chess", "--games", "1", "--nodes", "20"], "positions are too few"),
        (&["fit", "chess", "--rate", "-1"], "--rate"),
    ];
    for (arguments, part) in cases {
        let run = home.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains(part), "{arguments:?}: {}", run.stderr);
    }
}
