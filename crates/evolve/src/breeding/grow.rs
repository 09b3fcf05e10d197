//! Random programs: Koza's ramped half-and-half method, strongly typed.

use plysmith_core::random::Random;

use super::limits::SizeLimits;
use crate::language::{Dialect, PrimitiveFacts, Type};
use crate::language::{Node, Program, Real};

/// The depths of the programs in a first generation.
const RAMP: std::ops::RangeInclusive<usize> = 2..=7;
/// How many of a thousand real terminals are constants.
const CONSTANTS: usize = 300;
/// How many of a thousand inner positions of a grown tree become terminals.
const ENDS: usize = 200;

/// The shape of a random tree.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All branches have the full depth.
    Full,
    /// Branches have any depth up to the limit.
    Grow,
}

/// Generates random trees.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Generator {
    /// The functions and terminals to use.
    pub dialect: Dialect,
    /// The shape of the trees.
    pub shape: Shape,
}

/// A random program of a first generation, with random depth and shape.
pub fn ramped_half_and_half(random: &mut Random, dialect: Dialect, limits: SizeLimits) -> Program {
    loop {
        let depth = RAMP.start() + random.below(RAMP.end() - RAMP.start() + 1);
        let shape = if chance(random, 500) { Shape::Full } else { Shape::Grow };
        let nodes = Generator { dialect, shape }.grow(random, Type::Real, depth.min(limits.depth));
        // Full trees of functions with four arguments may be too large; another one is drawn then.
        if let Some(program) = Program::new(nodes).filter(|program| limits.allow(program)) {
            return program;
        }
    }
}

impl Generator {
    /// A random tree of this type, at most `depth` deep.
    pub fn grow(self, random: &mut Random, wanted: Type, depth: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        self.add(random, wanted, depth, &mut nodes);
        nodes
    }

    fn add(self, random: &mut Random, wanted: Type, depth: usize, nodes: &mut Vec<Node>) {
        let is_end = depth <= 1 || self.shape == Shape::Grow && !nodes.is_empty() && chance(random, ENDS);
        let fits = |facts: &&PrimitiveFacts| facts.returns == wanted && facts.arguments.is_empty() == is_end;
        let choices: Vec<_> = self.dialect.primitives().filter(fits).collect();
        if is_end && wanted == Type::Real && chance(random, CONSTANTS) {
            nodes.push(Node::Number(constant(random)));
            return;
        }
        let facts = choices[random.below(choices.len())];
        nodes.push(Node::Call(facts.primitive));
        for &argument in facts.arguments {
            self.add(random, argument, depth - 1, nodes);
        }
    }
}

/// An ephemeral random constant. Half of them are the ends of the scale: mate and refutation.
pub fn constant(random: &mut Random) -> Real {
    match random.below(4) {
        0 => Real::TOP,
        1 => Real::BOTTOM,
        // Small numbers, to compare with terminals that count.
        2 => Real::whole(random.below(21) as i32 - 10),
        _ => Real::whole(random.below(2001) as i32 - 1000),
    }
}

/// Returns `true` with this probability, in thousandths.
pub fn chance(random: &mut Random, probability: usize) -> bool {
    random.below(1000) < probability
}
