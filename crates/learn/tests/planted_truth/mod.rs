//! A made-up engine whose truth is known: three pairs of atoms are worth extending, and nothing else is.
//!
//! Twelve atoms, 300 problems. Each planted pair decides 30 problems (10 %): the right move has exactly the two atoms of the
//! pair, and the problem is solved if that move is extended by what the problem needs, 0.2 to 0.4 plies, while the moves on
//! average are extended by no more than 0.065 to 0.095 plies. A move has each atom with a probability of a fifth, so to extend
//! an atom by half a ply costs 0.1 plies on average, too much for all problems, and to extend a pair costs 0.02. A combination
//! with a third atom does not extend the right move. 60 problems are solved unless moves are extended by more than 0.3 plies on
//! average, or their right move, which has any atoms, is reduced by more than 0.3 plies; 150 are never solved. Of all answers, 5 % are turned round at random, by seed, candidate and problem.
//!
//! The tests of `learn` compute it directly; a test of `plysmith` asks it as a process that speaks the plug protocol.

#![allow(dead_code, reason = "not every test uses all of it")]

use plysmith_core::random::{Random, derive_seed};

/// The names of the atoms.
pub const NAMES: [&str; 12] = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"];
/// The number of problems.
pub const PROBLEMS: usize = 300;
/// The planted pairs.
pub const PLANTED: usize = 3;

/// Problems that each pair decides.
const OF_A_PAIR: usize = 30;
/// Problems that are solved without extensions.
const EASY: usize = 60;
/// The probability that a move has an atom.
const FREQUENCY: f64 = 0.2;
/// One answer of this many is turned round.
const FLIP: usize = 20;

/// Which pairs are planted, and what each problem needs.
#[derive(Clone, Debug)]
pub struct Landscape {
    /// The pairs, each a mask of two atoms.
    pub pairs: [u16; PLANTED],
    problems: Vec<Problem>,
}

#[derive(Copy, Clone, Debug)]
enum Problem {
    Planted { pair: usize, least: f64, most: f64 },
    Easy { right: u16 },
    Hard,
}

/// By how many plies moves are extended: a mask of atoms that must all hold, and an amount. Amounts of all masks that a move
/// has are added.
pub type Extensions = [(u16, f64)];

impl Landscape {
    /// A landscape drawn by a seed.
    pub fn new(seed: u64) -> Landscape {
        let mut random = Random::for_purpose(seed, "planted truth");
        let mut atoms: Vec<usize> = (0..NAMES.len()).collect();
        random.shuffle(&mut atoms);
        let pairs = std::array::from_fn(|pair| 1 << atoms[2 * pair] | 1 << atoms[2 * pair + 1]);
        let mut between = |low: f64, high: f64| low + (high - low) * random.below(1 << 16) as f64 / 65_536.0;
        let mut problems: Vec<Problem> = (0..PLANTED * OF_A_PAIR)
            .map(|number| Problem::Planted {
                pair: number / OF_A_PAIR,
                least: between(0.2, 0.4),
                most: between(0.065, 0.095),
            })
            .collect();
        for _ in 0..EASY {
            let has = |right, atom| right | u16::from(random.below(5) == 0) << atom;
            problems.push(Problem::Easy { right: (0..NAMES.len()).fold(0, has) });
        }
        problems.resize(PROBLEMS, Problem::Hard);
        random.shuffle(&mut problems);
        Landscape { pairs, problems }
    }

    /// Which problems are solved, before answers are turned round.
    pub fn solved(&self, extensions: &Extensions) -> Vec<bool> {
        let mean: f64 = extensions.iter().map(|(mask, plies)| plies * FREQUENCY.powi(mask.count_ones() as i32)).sum();
        let of = |atoms: u16| -> f64 {
            extensions.iter().filter(|(mask, _)| mask & !atoms == 0).map(|(_, plies)| plies).sum()
        };
        let right = self.pairs.map(of);
        let is_solved = |problem: &Problem| match *problem {
            Problem::Planted { pair, least, most } => mean <= most && right[pair] >= least,
            Problem::Easy { right } => mean <= 0.3 && of(right) >= -0.3,
            Problem::Hard => false,
        };
        self.problems.iter().map(is_solved).collect()
    }

    /// How many problems are solved, before answers are turned round.
    pub fn truth(&self, extensions: &Extensions) -> usize {
        self.solved(extensions).into_iter().filter(|solved| *solved).count()
    }

    /// Which problems are solved as a search with this seed says.
    pub fn answers(&self, extensions: &Extensions, candidate: &str, seed: u64) -> Vec<bool> {
        let mut random = Random::new(derive_seed(seed, candidate));
        self.solved(extensions).into_iter().map(|solved| solved != (random.below(FLIP) == 0)).collect()
    }
}

/// The names of the atoms of a mask, joined by `-`.
pub fn print(mask: u16) -> String {
    let names: Vec<&str> = (0..NAMES.len()).filter(|atom| mask >> atom & 1 == 1).map(|atom| NAMES[atom]).collect();
    names.join("-")
}
