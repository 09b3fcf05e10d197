//! Genetic operators: crossover and mutation. Subtrees are replaced by subtrees of the same type, so children are
//! always well typed.

use plysmith_core::random::Random;

use super::grow::{Generator, Shape, chance, constant};
use super::limits::SizeLimits;
use crate::language::{Dialect, PrimitiveFacts};
use crate::language::{Node, Program, Real};

/// How many of a thousand crossover points are functions, as in Koza's work.
const AT_FUNCTIONS: usize = 900;
/// The largest depth of a new subtree in subtree mutation.
const DEPTH: usize = 4;
/// How often an operator is repeated if the child is too large, before the parent is returned.
const TRIES: usize = 8;

/// Subtree crossover: `mother` with a subtree of `father`.
pub fn crossover(random: &mut Random, mother: &Program, father: &Program, limits: SizeLimits) -> Program {
    for _ in 0..TRIES {
        let at = cut(random, mother);
        let wanted = mother.nodes()[at].returns();
        let places: Vec<usize> =
            (0..father.size()).filter(|&place| father.nodes()[place].returns() == wanted).collect();
        if places.is_empty() {
            continue;
        }
        let part = father.part(places[random.below(places.len())]);
        if let Some(child) = mother.with_part(at, part).filter(|child| limits.allow(child)) {
            return child;
        }
    }
    mother.clone()
}

/// Applies one mutation: subtree, hoist, point or constant mutation; insertion outside the paper's dialect.
pub fn mutate(random: &mut Random, parent: &Program, dialect: Dialect, limits: SizeLimits) -> Program {
    for _ in 0..TRIES {
        // The paper's operators are the standard ones.
        let kinds = if dialect == Dialect::Paper { 8 } else { 12 };
        let child = match random.below(kinds) {
            8.. => insertion_mutation(random, parent, dialect),
            0..=2 => subtree_mutation(random, parent, dialect),
            3 => hoist_mutation(random, parent),
            4 | 5 => point_mutation(random, parent, dialect),
            _ => constant_mutation(random, parent),
        };
        if let Some(child) = child.filter(|child| limits.allow(child) && child != parent) {
            return child;
        }
    }
    parent.clone()
}

/// A random crossover point.
fn cut(random: &mut Random, program: &Program) -> usize {
    let is_function = |place: &usize| !program.nodes()[*place].arguments().is_empty();
    let functions: Vec<usize> = (0..program.size()).filter(is_function).collect();
    if !functions.is_empty() && chance(random, AT_FUNCTIONS) {
        functions[random.below(functions.len())]
    } else {
        random.below(program.size())
    }
}

/// Subtree mutation: replaces a subtree by a random one.
fn subtree_mutation(random: &mut Random, parent: &Program, dialect: Dialect) -> Option<Program> {
    let at = cut(random, parent);
    let depth = 1 + random.below(DEPTH);
    let part = Generator { dialect, shape: Shape::Grow }.grow(random, parent.nodes()[at].returns(), depth);
    parent.with_part(at, &part)
}

/// Insertion mutation: a subtree becomes an argument of a new function, whose other arguments are random.
fn insertion_mutation(random: &mut Random, parent: &Program, dialect: Dialect) -> Option<Program> {
    let at = random.below(parent.size());
    let wanted = parent.nodes()[at].returns();
    let fits = |facts: &&PrimitiveFacts| facts.returns == wanted && facts.arguments.contains(&wanted);
    let functions: Vec<_> = dialect.primitives().filter(fits).collect();
    let function = functions.get(random.below(functions.len().max(1)))?;
    let places: Vec<usize> =
        (0..function.arguments.len()).filter(|&place| function.arguments[place] == wanted).collect();
    let old = places[random.below(places.len())];
    let mut nodes = vec![Node::Call(function.primitive)];
    for (place, &argument) in function.arguments.iter().enumerate() {
        if place == old {
            nodes.extend(parent.part(at));
        } else {
            let depth = 1 + random.below(2);
            nodes.extend(Generator { dialect, shape: Shape::Grow }.grow(random, argument, depth));
        }
    }
    parent.with_part(at, &nodes)
}

/// Hoist mutation: replaces a subtree by a part of itself, which makes the program smaller.
fn hoist_mutation(random: &mut Random, parent: &Program) -> Option<Program> {
    let at = cut(random, parent);
    let wanted = parent.nodes()[at].returns();
    let inner: Vec<usize> =
        (at + 1..parent.end(at)).filter(|&place| parent.nodes()[place].returns() == wanted).collect();
    let inner = *inner.get(random.below(inner.len().max(1)))?;
    parent.with_part(at, parent.part(inner))
}

/// Point mutation: replaces a primitive by another one of the same signature.
fn point_mutation(random: &mut Random, parent: &Program, dialect: Dialect) -> Option<Program> {
    let at = random.below(parent.size());
    let Node::Call(old) = parent.nodes()[at] else { return None };
    let old = old.facts();
    let is_alike = |facts: &&PrimitiveFacts| {
        facts.returns == old.returns && facts.arguments == old.arguments && facts.primitive != old.primitive
    };
    let alike: Vec<_> = dialect.primitives().filter(is_alike).collect();
    let new = alike.get(random.below(alike.len().max(1)))?;
    let mut nodes = parent.nodes().to_vec();
    nodes[at] = Node::Call(new.primitive);
    Program::new(nodes)
}

/// Constant mutation: replaces a constant by a random one or a nearby one.
fn constant_mutation(random: &mut Random, parent: &Program) -> Option<Program> {
    let constants: Vec<usize> =
        (0..parent.size()).filter(|&place| matches!(parent.nodes()[place], Node::Number(_))).collect();
    let at = *constants.get(random.below(constants.len().max(1)))?;
    let Node::Number(old) = parent.nodes()[at] else { return None };
    let new = if chance(random, 500) {
        constant(random)
    } else {
        let step = Real::whole(random.below(5) as i32 - 2);
        Real((old.0 + step.0).clamp(Real::BOTTOM.0, Real::TOP.0))
    };
    parent.with_part(at, &[Node::Number(new)])
}
