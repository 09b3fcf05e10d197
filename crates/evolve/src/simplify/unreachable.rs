//! Removes branches that are never reached: the side to move follows from the moves made since the start of the
//! program.

use crate::language::Primitive as P;
use crate::language::{Node, Program, Real};

/// The sides that may be to move.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Turns {
    players: bool,
    opponents: bool,
}

const NOBODYS: Turns = Turns { players: false, opponents: false };
const PLAYERS: Turns = Turns { players: true, opponents: false };
const OPPONENTS: Turns = Turns { players: false, opponents: true };

impl Turns {
    fn or(self, other: Turns) -> Turns {
        Turns { players: self.players || other.players, opponents: self.opponents || other.opponents }
    }

    fn after_a_move(self) -> Turns {
        Turns { players: self.opponents, opponents: self.players }
    }
}

/// Removes the branches that are never reached.
pub fn cut_off(program: &Program) -> Program {
    // The program starts on the opponent's turn, and on every turn on which it calls itself.
    let mut entry = OPPONENTS;
    loop {
        let mut pass = Pass { program, nodes: Vec::new(), calls: NOBODYS };
        pass.visit(0, entry);
        let wider = entry.or(pass.calls);
        if wider == entry {
            return Program::new(pass.nodes).unwrap_or_else(|| program.clone());
        }
        entry = wider;
    }
}

struct Pass<'a> {
    program: &'a Program,
    nodes: Vec<Node>,
    /// The turns on which the program calls itself.
    calls: Turns,
}

impl Pass<'_> {
    /// Writes the simplified subtree at `at`.
    fn visit(&mut self, at: usize, turns: Turns) {
        let Node::Call(primitive) = self.program.nodes()[at] else { return self.nodes.push(self.program.nodes()[at]) };
        let places: Vec<usize> = self.program.arguments(at).collect();
        if let (Some(owner), Some(&otherwise)) = (owner(primitive), places.last())
            && turns == owner.after_a_move()
        {
            return self.visit(otherwise, turns);
        }
        if turns == PLAYERS
            && let Some(constant) = on_players_turn(primitive)
        {
            return self.nodes.push(constant);
        }
        if primitive == P::Again {
            self.calls = self.calls.or(turns);
        }
        self.nodes.push(Node::Call(primitive));
        for (index, &place) in places.iter().enumerate() {
            let inside = match owner(primitive) {
                _ if !is_move_maker(primitive) => turns,
                _ if index + 1 == places.len() && !primitive.always_moves() => turns,
                _ if primitive == P::MyMoveIter && index == 1 => PLAYERS,
                Some(owner) => owner.after_a_move(),
                None => turns.after_a_move(),
            };
            self.visit(place, inside);
        }
    }
}

fn is_move_maker(primitive: P) -> bool {
    primitive.makes_moves() && !primitive.facts().arguments.is_empty()
}

/// The turn that a function is for, if it takes its last argument on the other turn.
fn owner(primitive: P) -> Option<Turns> {
    match primitive {
        P::MakeBestMove | P::MakeBestMoveInOrder | P::MakeAnyOrAllMovesSuchThat => None,
        P::IfForAllOpponentMoves | P::IfKingMustMove | P::IfPass => Some(OPPONENTS),
        _ => is_move_maker(primitive).then_some(PLAYERS),
    }
}

/// The value of a terminal on the player's turn, if it is constant there.
fn on_players_turn(primitive: P) -> Option<Node> {
    match primitive {
        P::IsCheck | P::IsCheckFork | P::IsDiscoveredCheck | P::IsDiscoveredProtectedCheck | P::IsNextMoveForced => {
            Some(Node::Truth(false))
        }
        P::IsLastMoveAttacking | P::IsLastMoveCapturable => Some(Node::Truth(false)),
        P::IsNextMoveForcedWithKing | P::NumReplies | P::LastMoveDistance => Some(Node::Number(Real::whole(0))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::cut_off;
    use crate::language::Program;

    fn cut(text: &str) -> String {
        cut_off(&text.parse::<Program>().unwrap()).to_string()
    }

    #[test]
    fn what_is_for_the_others_turn_is_cut_off() {
        assert_eq!(cut("(IfExistsCheckingMove 1 (MakeBestMove (If3 IsCheck 2 3)))"), "(MakeBestMove (If3 false 2 3))");
        assert_eq!(
            cut("(MakeBestMove (IfKingMustMove 1 (IfExistsCheckingMove Again 2)))"),
            "(MakeBestMove (IfExistsCheckingMove Again 2))"
        );
    }

    #[test]
    fn who_calls_himself_on_any_turn_keeps_all() {
        let text = "(IfExistsCheckingMove 1 (MakeBestMove Again))";
        assert_eq!(cut(text), text);
    }
}
