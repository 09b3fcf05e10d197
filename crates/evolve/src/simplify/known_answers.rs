//! Constant propagation: replaces a terminal whose value is known because it was tested before on the same board, as
//! `IsCheck` inside `If3 IsCheck`. Before the first move, `Again` is replaced by 0.

use crate::language::{Node, Program, Real};
use crate::language::{Primitive as P, Type};

/// What is known about the current board.
#[derive(Clone, Debug, Default)]
struct Board {
    /// The known values of terminals that make no moves.
    answers: Vec<(P, bool)>,
    /// Whether a move was made since the start of the program.
    is_moved: bool,
}

/// Replaces terminals with known values by constants.
pub fn answer(program: &Program) -> Program {
    let mut pass = Pass { program, nodes: Vec::new() };
    pass.visit(0, &Board::default());
    Program::new(pass.nodes).unwrap_or_else(|| program.clone())
}

struct Pass<'a> {
    program: &'a Program,
    nodes: Vec<Node>,
}

impl Pass<'_> {
    /// Writes the simplified subtree at `at`.
    fn visit(&mut self, at: usize, board: &Board) {
        let node = self.program.nodes()[at];
        let Node::Call(primitive) = node else { return self.nodes.push(node) };
        if let Some(&(_, answer)) = board.answers.iter().find(|(asked, _)| *asked == primitive) {
            return self.nodes.push(Node::Truth(answer));
        }
        if primitive == P::Again && !board.is_moved {
            return self.nodes.push(Node::Number(Real::whole(0)));
        }
        self.nodes.push(node);
        let places: Vec<usize> = self.program.arguments(at).collect();
        match primitive {
            P::If3 => {
                self.visit(places[0], board);
                self.visit(places[1], &self.after(places[0], true, board));
                self.visit(places[2], &self.after(places[0], false, board));
            }
            P::And2 | P::And3 | P::Or2 | P::Or3 => {
                // An argument is evaluated only if the previous one was true (`And`) or false (`Or`).
                let found = matches!(primitive, P::And2 | P::And3);
                let mut board = board.clone();
                for &place in &places {
                    self.visit(place, &board);
                    board = self.after(place, found, &board);
                }
            }
            P::Not | P::Smaller => places.iter().for_each(|&place| self.visit(place, board)),
            _ => {
                let elsewhere = Board { answers: Vec::new(), is_moved: true };
                for (index, &place) in places.iter().enumerate() {
                    let is_here = index + 1 == places.len() && !primitive.always_moves();
                    self.visit(place, if is_here { board } else { &elsewhere });
                }
            }
        }
    }

    /// What is known after a condition was found to be true or false.
    fn after(&self, condition: usize, found: bool, board: &Board) -> Board {
        let mut board = board.clone();
        self.learn(condition, found, &mut board.answers);
        board
    }

    fn learn(&self, condition: usize, found: bool, answers: &mut Vec<(P, bool)>) {
        let Node::Call(primitive) = self.program.nodes()[condition] else { return };
        let mut parts = |found| {
            for place in self.program.arguments(condition) {
                self.learn(place, found, answers);
            }
        };
        match (primitive, found) {
            (P::And2 | P::And3, true) | (P::Or2 | P::Or3, false) => parts(found),
            (P::Not, _) => parts(!found),
            _ if is_still(primitive) => answers.push((primitive, found)),
            _ => {}
        }
    }
}

/// Whether it is a Boolean terminal that makes no moves.
fn is_still(primitive: P) -> bool {
    let facts = primitive.facts();
    facts.arguments.is_empty() && facts.returns == Type::Boolean && !primitive.makes_moves()
}

#[cfg(test)]
mod tests {
    use super::answer;
    use crate::language::Program;

    fn answered(text: &str) -> String {
        answer(&text.parse::<Program>().unwrap()).to_string()
    }

    #[test]
    fn what_was_asked_is_known_on_the_same_board() {
        assert_eq!(
            answered("(If3 IsCheck (If3 IsCheck 1 2) (If3 IsCheck 3 4))"),
            "(If3 IsCheck (If3 true 1 2) (If3 false 3 4))"
        );
        assert_eq!(
            answered("(If3 (And2 IsCheck (Not IsOppKingStuck)) (If3 IsOppKingStuck 1 2) (If3 IsCheck 3 4))"),
            "(If3 (And2 IsCheck (Not IsOppKingStuck)) (If3 false 1 2) (If3 IsCheck 3 4))"
        );
        assert_eq!(
            answered("(If3 (Or2 IsCheck (And2 IsCheck IsCheckFork)) 1 2)"),
            "(If3 (Or2 IsCheck (And2 false IsCheckFork)) 1 2)"
        );
    }

    #[test]
    fn after_a_move_everything_is_open() {
        let text = "(If3 IsCheck (MakeBestMove (If3 IsCheck 1 2)) (IfExistsCheckingMove (If3 IsCheck 3 4) 5))";
        assert_eq!(answered(text), text);
        assert_eq!(
            answered("(If3 IsCheck (IfExistsCheckingMove 1 (If3 IsCheck 2 3)) 4)"),
            "(If3 IsCheck (IfExistsCheckingMove 1 (If3 true 2 3)) 4)"
        );
    }

    #[test]
    fn nothing_happens_again_before_a_move() {
        assert_eq!(
            answered("(If3 (Smaller Again 1) (MakeBestMove Again) Again)"),
            "(If3 (Smaller 0 1) (MakeBestMove Again) 0)"
        );
    }
}
