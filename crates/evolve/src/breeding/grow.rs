//! Random programs: Koza's ramped_half_and_half half-and-half, typed.

use plysmith_core::random::Random;

use super::limits::SizeLimits;
use crate::language::{Dialect, PrimitiveFacts, Type};
use crate::language::{Node, Program, Real};

/// The shallowest and deepest programs of a first generation.
const RAMP: std::ops::RangeInclusive<usize> = 2..=7;
/// Of a thousand terminals that are reals, so many are constants.
const CONSTANTS: usize = 300;
/// Of a thousand growing parts that could go on, so many end.
const ENDS: usize = 200;

/// How a random part is made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All branches as deep as they may be.
    Full,
    /// Branches of any depth.
    Grow,
}

/// What random parts are made of, and how.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Generator {
    /// What they are made of.
    pub dialect: Dialect,
    /// How they are shaped.
    pub shape: Shape,
}

/// A random program of a first generation: as deep as the lot says, full or not.
pub fn ramped_half_and_half(random: &mut Random, dialect: Dialect, limits: SizeLimits) -> Program {
    loop {
        let depth = RAMP.start() + random.below(RAMP.end() - RAMP.start() + 1);
        let shape = if chance(random, 500) { Shape::Full } else { Shape::Grow };
        let nodes = Generator { dialect, shape }.grow(random, Type::Real, depth.min(limits.depth));
        // Full programs of four arguments may be too large; then another lot is drawn, in the end a small one.
        if let Some(program) = Program::new(nodes).filter(|program| limits.allow(program)) {
            return program;
        }
    }
}

impl Generator {
    /// A random part of this type, at most so deep.
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

/// An ephemeral random constant. Half of them are the ends of the scale, where mates and refutations are.
pub fn constant(random: &mut Random) -> Real {
    match random.below(4) {
        0 => Real::TOP,
        1 => Real::BOTTOM,
        // Small numbers are what terminals that count are compared with.
        2 => Real::whole(random.below(21) as i32 - 10),
        _ => Real::whole(random.below(2001) as i32 - 1000),
    }
}

/// Whether something happens that happens with this probability, in thousandths.
pub fn chance(random: &mut Random, probability: usize) -> bool {
    random.below(1000) < probability
}
