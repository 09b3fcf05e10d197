//! Refinement: the programs next to a program, with a part left out, another constant, or a condition more.
//!
//! Each part is replaced by a constant or by a part of itself (ablation), and each constant by others (tuning). These
//! programs are simplified, so that parts that have no effect any more disappear. Conditions are added where they make the
//! search narrower or wider: a simple question, which a terminal answers, alone or compared with a small number or
//! another terminal.

use std::collections::BTreeSet;

use super::limits::SizeLimits;
use crate::language::Primitive as P;
use crate::language::{Dialect, Node, PrimitiveFacts, Program, Real, Type};
use crate::simplify::simplify;

/// By how much constants are changed.
const STEPS: [i32; 4] = [-2, -1, 1, 2];
/// Constants that are tried in place of each part: the ends of the scale and small numbers.
const CONSTANTS: [Real; 5] = [Real::BOTTOM, Real::whole(0), Real::whole(1), Real::whole(2), Real::TOP];

/// Numbers that terminals are compared with.
const COMPARED: [Real; 6] =
    [Real::whole(0), Real::whole(1), Real::whole(2), Real::whole(3), Real::whole(4), Real::whole(6)];

/// The programs next to this one, simplified and without itself, in a fixed order.
pub fn neighbours(program: &Program, limits: SizeLimits) -> Vec<Program> {
    let mut found = BTreeSet::new();
    for at in 0..program.size() {
        for part in parts_for(program, at) {
            if let Some(other) = program.with_part(at, &part) {
                found.insert(simplify(&other));
            }
        }
    }
    found.into_iter().filter(|other| other != program && limits.allow(other)).collect()
}

/// The programs with one condition more, in a fixed order.
pub fn grown(program: &Program, dialect: Dialect, limits: SizeLimits) -> Vec<Program> {
    let conditions = conditions(dialect);
    let mut found = BTreeSet::new();
    for at in 0..program.size() {
        for condition in &conditions {
            let parts = grown_parts(program, at, condition);
            found.extend(parts.iter().filter_map(|part| program.with_part(at, part)));
        }
    }
    found.into_iter().filter(|other| limits.allow(other)).collect()
}

/// The part at `at` with this condition: wider or narrower if it is a condition itself; otherwise it gives up, or leaves
/// moves out, where the condition does not hold. A function that makes all moves may also do so for one more ply, since a
/// condition often makes sense for one side only.
fn grown_parts(program: &Program, at: usize, condition: &[Node]) -> Vec<Vec<Node>> {
    let part = program.part(at);
    let call = |function: P, arguments: &[&[Node]]| [&[Node::Call(function)], &arguments.concat()[..]].concat();
    let give_up = [Node::Number(Real::BOTTOM)];
    let (all, some) = (P::MakeBestMove, P::MakeAnyOrAllMovesSuchThat);
    match (program.nodes()[at], program.nodes()[at].returns()) {
        (Node::Call(_), Type::Boolean) => [P::Or2, P::And2].map(|function| call(function, &[part, condition])).to_vec(),
        (Node::Call(P::MakeBestMove), _) => {
            let inner = &part[1..];
            let narrow = call(some, &[condition, inner, &give_up]);
            let two = call(all, &[&call(all, &[inner])]);
            vec![
                call(all, &[&narrow]),
                narrow,
                call(P::If3, &[condition, part, &give_up]),
                call(P::If3, &[condition, &two, &give_up]),
            ]
        }
        (Node::Call(_), Type::Real) => vec![call(P::If3, &[condition, part, &give_up])],
        _ => Vec::new(),
    }
}

/// Simple questions about a board.
fn conditions(dialect: Dialect) -> Vec<Vec<Node>> {
    let terminals = |wanted: Type| {
        let fits = move |facts: &&PrimitiveFacts| {
            facts.returns == wanted && facts.arguments.is_empty() && !facts.primitive.makes_moves()
        };
        dialect.primitives().filter(fits).map(|facts| Node::Call(facts.primitive))
    };
    let smaller = |a: Node, b: Node| vec![Node::Call(P::Smaller), a, b];
    let mut found = Vec::new();
    for question in terminals(Type::Boolean) {
        found.push(vec![question]);
        found.push(vec![Node::Call(P::Not), question]);
    }
    for number in terminals(Type::Real) {
        for constant in COMPARED.map(Node::Number) {
            found.extend([smaller(number, constant), smaller(constant, number)]);
        }
        for other in terminals(Type::Real).filter(|other| *other != number) {
            let question = smaller(number, other);
            found.push([&[Node::Call(P::Not)], &question[..]].concat());
            found.push(question);
        }
    }
    if dialect == Dialect::Rich {
        // Any condition may also hold for the first attempt alone.
        let later = smaller(Node::Number(Real::whole(0)), Node::Call(P::Attempt));
        let first = |question: &Vec<Node>| [&[Node::Call(P::Or2)], &question[..], &later[..]].concat();
        let more: Vec<Vec<Node>> = found.iter().map(first).collect();
        found.extend(more);
    }
    found
}

/// What may stand in place of the part at `at`.
fn parts_for(program: &Program, at: usize) -> Vec<Vec<Node>> {
    let old = program.nodes()[at];
    let wanted = old.returns();
    let mut parts: Vec<Vec<Node>> = match wanted {
        Type::Boolean => [true, false].map(|truth| vec![Node::Truth(truth)]).to_vec(),
        Type::Real => CONSTANTS.map(|constant| vec![Node::Number(constant)]).to_vec(),
    };
    if let Node::Number(old) = old {
        let near = STEPS.map(|step| Real(old.0 + Real::whole(step).0));
        let near = near.into_iter().filter(|new| (Real::BOTTOM..=Real::TOP).contains(new));
        parts.extend(near.map(|new| vec![Node::Number(new)]));
    }
    let inner = (at + 1..program.end(at)).filter(|&place| program.nodes()[place].returns() == wanted);
    parts.extend(inner.map(|place| program.part(place).to_vec()));
    parts.retain(|part| part != program.part(at));
    parts
}

#[cfg(test)]
mod tests {
    use super::{grown, neighbours};
    use crate::breeding::SizeLimits;
    use crate::language::{Dialect, Program};

    #[test]
    fn parts_are_left_out_and_constants_changed() {
        let program: Program =
            "(MakeBestMove (MakeAnyOrAllMovesSuchThat (Or2 IsCheck (Smaller 5 NumReplies)) Again -1000))"
                .parse()
                .unwrap();
        let found: Vec<String> =
            neighbours(&program, SizeLimits { depth: 17, size: 150 }).iter().map(ToString::to_string).collect();
        for wanted in [
            "(MakeBestMove (MakeAnyOrAllMovesSuchThat IsCheck Again -1000))",
            "(MakeBestMove Again)",
            "(MakeBestMove (MakeAnyOrAllMovesSuchThat (Or2 IsCheck (Smaller 4 NumReplies)) Again -1000))",
            "(MakeBestMove (MakeAnyOrAllMovesSuchThat (Or2 IsCheck (Smaller 5 NumReplies)) Again 1000))",
        ] {
            assert!(found.iter().any(|text| text == wanted), "{wanted} is not in {found:#?}");
        }
        assert!(!found.contains(&program.to_string()));
    }
    #[test]
    fn conditions_are_added() {
        let program: Program = "(MakeBestMove (MakeAnyOrAllMovesSuchThat IsCheck Again -1000))".parse().unwrap();
        let limits = SizeLimits { depth: 17, size: 150 };
        let found: Vec<String> = grown(&program, Dialect::Rich, limits).iter().map(ToString::to_string).collect();
        for wanted in [
            "(MakeBestMove (MakeAnyOrAllMovesSuchThat (Or2 IsCheck (Smaller NumQuietMoves Attempt)) Again -1000))",
            "(If3 (Smaller 0 Attempt) (MakeBestMove (MakeAnyOrAllMovesSuchThat IsCheck Again -1000)) -1000)",
            "(MakeBestMove (MakeAnyOrAllMovesSuchThat IsCheckFork (MakeAnyOrAllMovesSuchThat IsCheck Again -1000) -1000))",
        ] {
            assert!(found.iter().any(|text| text == wanted), "{wanted}");
        }
        let papers = grown(&program, Dialect::Paper, limits);
        assert!(papers.iter().all(|program| !program.to_string().contains("Attempt")));
    }
}
