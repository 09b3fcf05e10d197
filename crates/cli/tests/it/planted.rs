//! Planted truth through the plug protocol: a made-up engine as a process, in which three pairs of atoms matter. The
//! statistics over fifty seeds are in `crates/learn/tests/planted.rs`; here the whole program does it with one.

use std::io::{BufRead, Write, stdin, stdout};

use serde_json::Value;

use crate::planted_truth::{Landscape, NAMES, PROBLEMS, print};
use crate::support::Home;

/// The engine, if this process is one; otherwise a test of nothing.
#[test]
fn act() {
    let seed = std::env::args().find_map(|word| word.strip_prefix("planted=").map(|seed| seed.parse::<u64>().unwrap()));
    let Some(seed) = seed else { return };
    let mut engine = Engine { landscape: Landscape::new(seed), seed, problem: 0, scheme: None };
    for line in stdin().lock().lines() {
        engine.obey(&line.unwrap());
    }
    std::process::exit(0);
}

struct Engine {
    landscape: Landscape,
    seed: u64,
    problem: usize,
    /// The scheme, and which problems are solved with it.
    scheme: Option<(String, Vec<bool>)>,
}

fn say(text: &str) {
    let mut output = stdout().lock();
    if writeln!(output, "{text}").and_then(|()| output.flush()).is_err() {
        std::process::exit(0);
    }
}

impl Engine {
    fn obey(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["plug", _] => say("name planted truth\ngame planted\ncan setscheme gosolve\nplugok"),
            ["features"] => {
                NAMES.iter().for_each(|name| say(&format!("feature {name} group {name}")));
                say("featuresok");
            }
            ["setboard", "problem", number] => self.problem = number.parse().unwrap(),
            ["setscheme", scheme] if self.scheme.as_ref().is_none_or(|(known, _)| known != scheme) => {
                self.scheme = Some((scheme.to_string(), self.answers(scheme)));
            }
            // Problems with one right move are asked by the paper's command.
            ["gountil", _, nodes] | ["gosolve", nodes, ..] => {
                let solved = self.scheme.as_ref().unwrap().1[self.problem];
                say(&if solved { "nodes 1 5".to_string() } else { format!("nodes 0 {nodes}") });
            }
            ["quit"] => std::process::exit(0),
            _ => {}
        }
    }

    fn answers(&self, scheme: &str) -> Vec<bool> {
        let rules = scheme.split(',').filter_map(|rule| rule.split_once('@'));
        let extensions: Vec<(u16, f64)> =
            rules.map(|(name, weight)| (mask(name), 1.0 - weight.parse::<f64>().unwrap())).collect();
        let names: Vec<String> = extensions.iter().map(|(mask, _)| print(*mask)).collect();
        self.landscape.answers(&extensions, &names.join(","), self.seed * 1000)
    }
}

fn mask(name: &str) -> u16 {
    name.split('-').map(|atom| 1 << NAMES.iter().position(|known| *known == atom).unwrap()).sum()
}

/// What a discovery kept: planted pairs, and combinations that contain none.
fn discover(seed: u64, options: &[&str]) -> (usize, usize) {
    let home = Home::new();
    let suite: String = (0..PROBLEMS).map(|number| format!("problem {number} bm go; id \"{number}\";\n")).collect();
    home.file("planted.suite", suite);
    let program = std::env::current_exe().unwrap();
    let engine = format!("'{}' --exact planted::act --nocapture -q planted={seed}", program.display());
    let landscape = Landscape::new(seed);
    let work = ["discover", "--engine", &engine, "--suite", "planted.suite", "--nodes", "10", "--json"];
    let found = home.run(&[&work[..], options].concat()).ok().json();
    let is_combination = |name: &&str| name.contains('-');
    let output: &Vec<Value> = found["output"].as_array().unwrap();
    let kept: Vec<u16> = output
        .iter()
        .map(|evaluation| evaluation["feature"].as_str().unwrap())
        .filter(is_combination)
        .map(mask)
        .collect();
    let found = kept.iter().filter(|mask| landscape.pairs.contains(mask)).count();
    let wrong = kept.iter().filter(|mask| !landscape.pairs.iter().any(|pair| pair & !**mask == 0)).count();
    (found, wrong)
}

#[test]
fn planted_pairs_are_found_by_the_program() {
    for (seed, epsilon) in [(1, "12"), (2, "12"), (1, "auto")] {
        let (found, wrong) = discover(seed, &["--epsilon", epsilon]);
        println!("seed {seed}, --epsilon {epsilon}: {found} of 3 pairs, {wrong} false");
        assert!(found == 3 && wrong <= 1, "seed {seed}, --epsilon {epsilon}: {found} of 3 pairs, {wrong} false");
    }
}
