//! Simplification: smaller programs that behave identically. (The paper's authors could not read theirs.)
//!
//! Three passes repeat until nothing changes. `unreachable` removes branches that are never reached, because the side
//! to move is always known. `known_answers` replaces terminals that were tested before on the same board. `rules`
//! saturates an e-graph with rewrite rules (egg) and extracts the smallest equivalent program.
//!
//! Without the cache of a search, every rule preserves the value on every board and never reaches additional boards.
//! (The keys of the cache depend on the first primitive of the program.) A part that is removed although it would be
//! evaluated, such as a condition with equal branches, must not make moves: mates that are found on the way count for
//! the proof.

mod known_answers;
mod rules;
mod unreachable;

use crate::language::Program;

/// The smallest equivalent program found.
pub fn simplify(program: &Program) -> Program {
    let mut program = program.clone();
    loop {
        let next = rules::saturate(&known_answers::answer(&unreachable::cut_off(&program)));
        // Each pass only makes the program smaller, so this terminates.
        if next.size() >= program.size() {
            return program;
        }
        program = next;
    }
}
