//! Programs made smaller without changing what they do: the paper's authors could not read theirs.
//!
//! Three passes take turns until nothing changes. `turns` cuts off what can never be reached, because it is always known
//! who is to move. `asked` answers what was asked before on the same board. `rules` saturates an e-graph with rewrite rules (egg) and takes out the smallest equal program.
//!
//! Every rule keeps the value on every board and reaches no board that the program before it did not, as long as a hunt
//! remembers nothing: what it remembers is found under names that depend on the program's first question. What may be
//! dropped although it is asked for, such as a condition that makes no difference, must not make moves: moves that were
//! seen to mate count for the proof, whatever the program makes of them.

mod known_answers;
mod rules;
mod unreachable;

use crate::language::Program;

/// The smallest program that was found to do the same.
pub fn simplify(program: &Program) -> Program {
    let mut program = program.clone();
    loop {
        let next = rules::saturate(&known_answers::answer(&unreachable::cut_off(&program)));
        // Each pass only makes it smaller, so this comes to an end.
        if next.size() >= program.size() {
            return program;
        }
        program = next;
    }
}
