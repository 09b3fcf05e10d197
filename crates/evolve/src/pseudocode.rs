//! Prints programs as indented pseudo-code, optionally with execution counts.

use crate::language::{Node, Program};
use crate::language::{Primitive as P, Type};

/// A program as pseudo-code. With `counts`, each line starts with how often its element was evaluated.
pub fn print(program: &Program, counts: Option<&[u64]>) -> String {
    let mut writer = Writer { program, counts, text: String::new() };
    writer.action(0, 0, "");
    writer.text
}

struct Writer<'a> {
    program: &'a Program,
    counts: Option<&'a [u64]>,
    text: String,
}

impl Writer<'_> {
    /// Writes one line.
    fn line(&mut self, at: usize, depth: usize, text: &str) {
        if let Some(counts) = self.counts {
            self.text += &format!("{:>12}  ", counts.get(at).copied().unwrap_or(0));
        }
        self.text += &format!("{:1$}{text}\n", "", 2 * depth);
    }

    /// Writes the statement at `at`, starting with `lead`.
    fn action(&mut self, at: usize, depth: usize, lead: &str) {
        let node = self.program.nodes()[at];
        let places: Vec<usize> = self.program.arguments(at).collect();
        let Node::Call(primitive) = node else {
            return self.line(at, depth, &format!("{lead}{node}"));
        };
        if places.is_empty() {
            let words = if primitive == P::Again { "all this again".to_string() } else { name(primitive) };
            return self.line(at, depth, &format!("{lead}{words}"));
        }
        let condition = |writer: &Self, place: usize| writer.condition(place);
        let last = places.len() - 1;
        match primitive {
            P::If3 => {
                let asked = condition(self, places[0]);
                self.line(at, depth, &format!("{lead}if {asked}"));
                self.action(places[1], depth + 1, "");
                self.action(places[2], depth, "else ");
            }
            P::MakeBestMove => {
                self.line(at, depth, &format!("{lead}best over all moves of"));
                self.action(places[0], depth + 1, "");
            }
            P::MakeBestMoveInOrder => {
                let order = condition(self, places[0]);
                self.line(at, depth, &format!("{lead}best over all moves, in the order of {order}, of"));
                self.action(places[1], depth + 1, "");
            }
            _ => {
                let conditions: Vec<String> = places
                    .iter()
                    .filter(|&&place| self.program.nodes()[place].returns() == Type::Boolean)
                    .map(|&place| condition(self, place))
                    .collect();
                self.line(at, depth, &format!("{lead}{}", words(primitive, &conditions)));
                self.action(places[last - 1], depth + 1, "");
                self.action(places[last], depth, "else ");
            }
        }
    }

    /// A condition as one line.
    fn condition(&self, at: usize) -> String {
        let places: Vec<String> = self.program.arguments(at).map(|place| self.condition(place)).collect();
        match self.program.nodes()[at] {
            Node::Call(P::And2 | P::And3) => format!("({})", places.join(" and ")),
            Node::Call(P::Or2 | P::Or3) => format!("({})", places.join(" or ")),
            Node::Call(P::Not) => format!("not {}", places.concat()),
            Node::Call(P::Smaller) => format!("{} < {}", places[0], places[1]),
            Node::Call(primitive) if places.is_empty() => name(primitive),
            node if places.is_empty() => node.to_string(),
            node => format!("{node}({})", places.join(", ")),
        }
    }
}

/// A function that makes moves, in words; its branches follow on their own lines.
fn words(primitive: P, conditions: &[String]) -> String {
    let [first, second] = [0, 1].map(|index| conditions.get(index).map_or("", String::as_str));
    match primitive {
        P::MakeAnyOrAllMovesSuchThat => format!("best over the moves after which {first}, of"),
        P::IfMyMoveExistsSuchThat => format!("make the first of my moves after which {first}"),
        P::IfForAllOpponentMoves => format!("if after all replies {first}, worst reply of"),
        P::MyMoveIter => format!("make the first of my moves after which {first}, and after all replies {second}"),
        P::IfKingMustMove => "if only the king can move, worst reply of".to_string(),
        P::IfSuicideCheck => format!("best over my checks that may be captured and after which {first}, of"),
        P::IfPass => "if the opponent may pass".to_string(),
        P::IfExistsCheckingMove => "best over my checks of".to_string(),
        P::IfCaptureCloseToKingMove => "best over my captures close to the king of".to_string(),
        P::IfPinCloseToKingMove => "best over my moves that pin close to the king of".to_string(),
        P::IfAttackingKingMove => "best over my moves that attack around the king of".to_string(),
        P::IfClearingWayMove => "best over my moves that let another piece check of".to_string(),
        _ => name(primitive),
    }
}

/// `IsNextMoveForced` as `next move forced`.
fn name(primitive: P) -> String {
    let plain = primitive.facts().name;
    let plain = plain.strip_prefix("Is").or_else(|| plain.strip_prefix("Did")).unwrap_or(plain);
    let mut text = String::new();
    for letter in plain.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::print;
    use crate::language::Program;

    #[test]
    fn it_reads_like_an_algorithm() {
        let text = "(MakeBestMove (If3 IsMateInOneOrLess 1000 (MakeAnyOrAllMovesSuchThat (Or2 IsCheck (Smaller 6 \
                    NumNotMovesOppKing)) Again -1000)))";
        let program: Program = text.parse().unwrap();
        let expected = "\
best over all moves of
  if mate in one or less
    1000
  else best over the moves after which (check or 6 < num not moves opp king), of
    all this again
  else -1000
";
        assert_eq!(print(&program, None), expected);
        let counts: Vec<u64> = (0..program.size() as u64).collect();
        assert!(print(&program, Some(&counts)).starts_with("           0  best"));
    }
}
