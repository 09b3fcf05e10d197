//! Rewrite rules, saturated in an e-graph.
//!
//! The right side of every rule has fewer nodes than the left, so extraction by size always prefers it.

use std::fmt;
use std::time::Duration;

use egg::{
    Analysis, AstSize, DidMerge, EGraph, Extractor, FromOp, Id, Language, RecExpr, Rewrite, Runner, Subst, Var, rewrite,
};

use crate::language::Primitive;
use crate::language::{Node, Program, Real};

/// Limits on iterations and e-graph size. There is no time limit, so results are equal on every machine.
const MOST_ROUNDS: usize = 30;
const MOST_TERMS: usize = 30_000;

/// A node with its arguments, in the form that egg needs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Term {
    node: Node,
    arguments: Vec<Id>,
}

/// Analysis data of an e-class.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Known {
    constant: Option<Node>,
    /// Whether one of its expressions may make moves.
    makes_moves: bool,
}

#[derive(Copy, Clone, Default)]
struct Knowing;

type Graph = EGraph<Term, Knowing>;

/// The smallest program that the rules derive from this one.
pub fn saturate(program: &Program) -> Program {
    let mut expression = RecExpr::default();
    add(program, 0, &mut expression);
    let runner = Runner::default()
        .with_expr(&expression)
        .with_iter_limit(MOST_ROUNDS)
        .with_node_limit(MOST_TERMS)
        .with_time_limit(Duration::MAX)
        .run(&rules());
    let (_, best) = Extractor::new(&runner.egraph, AstSize).find_best(runner.roots[0]);
    let mut nodes = Vec::new();
    write(&best, best.root(), &mut nodes);
    Program::new(nodes).unwrap_or_else(|| program.clone())
}

fn rules() -> Vec<Rewrite<Term, Knowing>> {
    let mut rules = logic();
    rules.extend(choices());
    rules.extend(chess());
    rules
}

/// Rules of Boolean logic. Arguments are evaluated from the left until the value is known; no rule changes the order.
fn logic() -> Vec<Rewrite<Term, Knowing>> {
    vec![
        rewrite!("not-not"; "(Not (Not ?a))" => "?a"),
        rewrite!("not-true"; "(Not true)" => "false"),
        rewrite!("not-false"; "(Not false)" => "true"),
        rewrite!("and-same"; "(And2 ?a ?a)" => "?a"),
        rewrite!("and-true"; "(And2 true ?a)" => "?a"),
        rewrite!("and-right-true"; "(And2 ?a true)" => "?a"),
        rewrite!("and-false"; "(And2 false ?a)" => "false"),
        rewrite!("and-right-false"; "(And2 ?a false)" => "false" if still("?a")),
        rewrite!("and-not"; "(And2 ?a (Not ?a))" => "false" if still("?a")),
        rewrite!("and-of-or"; "(And2 ?a (Or2 ?a ?b))" => "?a"),
        rewrite!("and-and"; "(And2 ?a (And2 ?b ?c))" => "(And3 ?a ?b ?c)"),
        rewrite!("and-left-and"; "(And2 (And2 ?a ?b) ?c)" => "(And3 ?a ?b ?c)"),
        rewrite!("and-nots"; "(And2 (Not ?a) (Not ?b))" => "(Not (Or2 ?a ?b))"),
        rewrite!("and3-true-1"; "(And3 true ?a ?b)" => "(And2 ?a ?b)"),
        rewrite!("and3-true-2"; "(And3 ?a true ?b)" => "(And2 ?a ?b)"),
        rewrite!("and3-true-3"; "(And3 ?a ?b true)" => "(And2 ?a ?b)"),
        rewrite!("and3-false-1"; "(And3 false ?a ?b)" => "false"),
        rewrite!("and3-false-2"; "(And3 ?a false ?b)" => "(And2 ?a false)"),
        rewrite!("and3-same-12"; "(And3 ?a ?a ?b)" => "(And2 ?a ?b)"),
        rewrite!("and3-same-13"; "(And3 ?a ?b ?a)" => "(And2 ?a ?b)"),
        rewrite!("and3-same-23"; "(And3 ?a ?b ?b)" => "(And2 ?a ?b)"),
        rewrite!("or-same"; "(Or2 ?a ?a)" => "?a"),
        rewrite!("or-false"; "(Or2 false ?a)" => "?a"),
        rewrite!("or-right-false"; "(Or2 ?a false)" => "?a"),
        rewrite!("or-true"; "(Or2 true ?a)" => "true"),
        rewrite!("or-right-true"; "(Or2 ?a true)" => "true" if still("?a")),
        rewrite!("or-not"; "(Or2 ?a (Not ?a))" => "true" if still("?a")),
        rewrite!("or-of-and"; "(Or2 ?a (And2 ?a ?b))" => "?a"),
        rewrite!("or-or"; "(Or2 ?a (Or2 ?b ?c))" => "(Or3 ?a ?b ?c)"),
        rewrite!("or-left-or"; "(Or2 (Or2 ?a ?b) ?c)" => "(Or3 ?a ?b ?c)"),
        rewrite!("or-nots"; "(Or2 (Not ?a) (Not ?b))" => "(Not (And2 ?a ?b))"),
        rewrite!("or3-false-1"; "(Or3 false ?a ?b)" => "(Or2 ?a ?b)"),
        rewrite!("or3-false-2"; "(Or3 ?a false ?b)" => "(Or2 ?a ?b)"),
        rewrite!("or3-false-3"; "(Or3 ?a ?b false)" => "(Or2 ?a ?b)"),
        rewrite!("or3-true-1"; "(Or3 true ?a ?b)" => "true"),
        rewrite!("or3-true-2"; "(Or3 ?a true ?b)" => "(Or2 ?a true)"),
        rewrite!("or3-same-12"; "(Or3 ?a ?a ?b)" => "(Or2 ?a ?b)"),
        rewrite!("or3-same-13"; "(Or3 ?a ?b ?a)" => "(Or2 ?a ?b)"),
        rewrite!("or3-same-23"; "(Or3 ?a ?b ?b)" => "(Or2 ?a ?b)"),
        rewrite!("smaller-same"; "(Smaller ?a ?a)" => "false" if still("?a")),
    ]
}

/// Rules of `If3`.
fn choices() -> Vec<Rewrite<Term, Knowing>> {
    vec![
        rewrite!("if-true"; "(If3 true ?a ?b)" => "?a"),
        rewrite!("if-false"; "(If3 false ?a ?b)" => "?b"),
        rewrite!("if-not"; "(If3 (Not ?c) ?a ?b)" => "(If3 ?c ?b ?a)"),
        rewrite!("if-same"; "(If3 ?c ?a ?a)" => "?a" if still("?c")),
        rewrite!("if-if-then"; "(If3 ?c (If3 ?c ?a ?b) ?d)" => "(If3 ?c ?a ?d)" if still("?c")),
        rewrite!("if-if-else"; "(If3 ?c ?a (If3 ?c ?b ?d))" => "(If3 ?c ?a ?d)" if still("?c")),
    ]
}

/// Rules of chess: one terminal implies another.
fn chess() -> Vec<Rewrite<Term, Knowing>> {
    vec![
        rewrite!("fork-is-check"; "(And2 IsCheck IsCheckFork)" => "IsCheckFork"),
        rewrite!("check-of-fork"; "(And2 IsCheckFork IsCheck)" => "IsCheckFork"),
        rewrite!("check-or-fork"; "(Or2 IsCheck IsCheckFork)" => "IsCheck"),
        rewrite!("discovered-is-check"; "(And2 IsCheck IsDiscoveredCheck)" => "IsDiscoveredCheck"),
        rewrite!("check-of-discovered"; "(And2 IsDiscoveredCheck IsCheck)" => "IsDiscoveredCheck"),
        rewrite!("check-or-discovered"; "(Or2 IsCheck IsDiscoveredCheck)" => "IsCheck"),
        rewrite!("protected-is-discovered"; "(And2 IsDiscoveredCheck IsDiscoveredProtectedCheck)" => "IsDiscoveredProtectedCheck"),
        rewrite!("discovered-or-protected"; "(Or2 IsDiscoveredCheck IsDiscoveredProtectedCheck)" => "IsDiscoveredCheck"),
        rewrite!("pin-close-is-pin"; "(And2 IsOppPiecePinned IsPinCloseToKing)" => "IsPinCloseToKing"),
        rewrite!("pin-or-close"; "(Or2 IsOppPiecePinned IsPinCloseToKing)" => "IsOppPiecePinned"),
    ]
}

/// Whether the variable matches only expressions that make no moves.
fn still(variable: &str) -> impl Fn(&mut Graph, Id, &Subst) -> bool {
    let variable: Option<Var> = variable.parse().ok();
    move |graph, _, found| variable.is_some_and(|variable| !graph[found[variable]].data.makes_moves)
}

fn add(program: &Program, at: usize, expression: &mut RecExpr<Term>) -> Id {
    let arguments = program.arguments(at).map(|place| add(program, place, expression)).collect();
    expression.add(Term { node: program.nodes()[at], arguments })
}

fn write(expression: &RecExpr<Term>, id: Id, nodes: &mut Vec<Node>) {
    let Term { node, arguments } = &expression[id];
    nodes.push(*node);
    arguments.iter().for_each(|&argument| write(expression, argument, nodes));
}

impl Language for Term {
    type Discriminant = Node;

    fn discriminant(&self) -> Node {
        self.node
    }

    fn matches(&self, other: &Term) -> bool {
        self.node == other.node && self.arguments.len() == other.arguments.len()
    }

    fn children(&self) -> &[Id] {
        &self.arguments
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.arguments
    }
}

impl FromOp for Term {
    type Error = String;

    fn from_op(op: &str, arguments: Vec<Id>) -> Result<Term, String> {
        let node = match op {
            "true" => Node::Truth(true),
            "false" => Node::Truth(false),
            _ => {
                let number = || Real::parse(op).map(Node::Number);
                Primitive::find(op).map(Node::Call).or_else(number).ok_or_else(|| format!("there is no '{op}'"))?
            }
        };
        if node.arguments().len() != arguments.len() {
            return Err(format!("'{op}' takes {} arguments", node.arguments().len()));
        }
        Ok(Term { node, arguments })
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

impl Analysis<Term> for Knowing {
    type Data = Known;

    fn make(graph: &mut Graph, term: &Term, _id: Id) -> Known {
        let of = |index: usize| graph[term.arguments[index]].data.constant;
        let constant = match term.node {
            Node::Call(Primitive::Smaller) => match (of(0), of(1)) {
                (Some(Node::Number(a)), Some(Node::Number(b))) => Some(Node::Truth(a < b)),
                _ => None,
            },
            Node::Call(_) => None,
            constant => Some(constant),
        };
        let own = matches!(term.node, Node::Call(primitive) if primitive.makes_moves());
        let makes_moves = own || term.arguments.iter().any(|&argument| graph[argument].data.makes_moves);
        Known { constant, makes_moves }
    }

    fn merge(&mut self, a: &mut Known, b: Known) -> DidMerge {
        let merged = Known { constant: a.constant.or(b.constant), makes_moves: a.makes_moves || b.makes_moves };
        let changes = DidMerge(merged != *a, merged != b);
        *a = merged;
        changes
    }

    fn modify(graph: &mut Graph, id: Id) {
        if let Some(node) = graph[id].data.constant {
            let constant = graph.add(Term { node, arguments: Vec::new() });
            graph.union(id, constant);
        }
    }
}

/// Rules are untyped; the tests check that both sides have equal types.
#[cfg(test)]
mod tests {
    use egg::{RecExpr, Runner};
    use plysmith_core::game::Game;
    use plysmith_core::games::chess::{INFO, Position};
    use plysmith_core::random::Random;

    use super::{Term, add, rules, saturate};
    use crate::interpreter::{Framework, MateSearch};
    use crate::language::Program;

    fn simplified(text: &str) -> String {
        saturate(&text.parse::<Program>().unwrap()).to_string()
    }

    #[test]
    fn rules_have_names_of_their_own() {
        let mut names: Vec<_> = rules().iter().map(|rule| rule.name.to_string()).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn programs_get_smaller() {
        assert_eq!(simplified("(If3 (Not (Not IsCheck)) 1 2)"), "(If3 IsCheck 1 2)");
        assert_eq!(simplified("(If3 (Smaller 3 2) Again (If3 IsCheck 5 5))"), "5");
        assert_eq!(
            simplified("(If3 (And2 IsCheck (And2 IsCheckFork IsOppKingStuck)) 1 2)"),
            "(If3 (And3 IsCheck IsCheckFork IsOppKingStuck) 1 2)"
        );
        assert_eq!(simplified("(If3 (Or2 IsOppKingStuck (Not IsOppKingStuck)) 1 Again)"), "1");
    }

    /// Instances of the variables of rules: conditions and numbers, some of which make moves.
    const CONDITIONS: &[&str] = &[
        "IsCheck",
        "IsMaterialChange",
        "IsOppKingStuck",
        "NumNotMovesOppBigger",
        "IsMateInOneOrLess",
        "(Smaller 3 (MakeBestMove Again))",
    ];
    const NUMBERS: &[&str] =
        &["-1000", "7", "NumNotMovesOppKing", "EvaluateMaterial", "Again", "(MakeBestMove (MakeBestMove Again))"];

    /// One side of a rule as a program, its variables replaced.
    fn instance(side: &str, is_number: bool, parts: &[(&str, &str)]) -> Program {
        let side = parts.iter().fold(side.to_string(), |text, (variable, part)| text.replace(variable, part));
        let value = if is_number { side } else { format!("(If3 {side} 1000 NumNotMovesOppKing)") };
        // After a move, so that `Again` has an effect.
        format!("(MakeBestMove (MakeBestMove {value}))").parse().unwrap()
    }

    fn expression(program: &Program) -> RecExpr<Term> {
        let mut expression = RecExpr::default();
        add(program, 0, &mut expression);
        expression
    }

    /// Each rule by itself: where it applies, both sides give equal answers on positions with and without mates, and
    /// the right side reaches no more boards.
    #[test]
    fn every_rule_keeps_the_answer() {
        let text = include_str!("../../data/chess-mates-training-100.suite");
        let suite = plysmith_core::suite::text::parse(&INFO, "training", text).unwrap();
        let mut random = Random::new(5);
        for rule in rules() {
            let name = rule.name.to_string();
            let [left, right] = [rule.searcher.get_pattern_ast(), rule.applier.get_pattern_ast()]
                .map(|side| side.expect("a pattern").to_string());
            let (is_choice, is_of_numbers) = (name.starts_with("if-"), name == "smaller-same");
            let mut applied = 0;
            for _ in 0..40 {
                let mut part = |is_number: bool| {
                    let all = if is_number { NUMBERS } else { CONDITIONS };
                    all[random.below(all.len())]
                };
                let numbers = is_choice || is_of_numbers;
                let parts = [("?a", part(numbers)), ("?b", part(numbers)), ("?c", part(false)), ("?d", part(true))];
                let [before, after] = [&left, &right].map(|side| instance(side, is_choice, &parts));
                let runner = Runner::<Term, super::Knowing>::default().with_expr(&expression(&before)).run([&rule]);
                if runner.egraph.equivs(&expression(&before), &expression(&after)).is_empty() {
                    continue;
                }
                applied += 1;
                let problem = &suite.problems[random.below(suite.problems.len())];
                let position = Position::parse(&problem.position).unwrap();
                let [before, after] = [&before, &after].map(|program| {
                    let search = MateSearch {
                        program,
                        moves: 2,
                        budget: 20_000,
                        record_proof: false,
                        use_cache: false,
                        framework: Framework::Full,
                        interrupt: &|| false,
                    };
                    search.run(position.board())
                });
                if !before.is_cut {
                    let answers = [&before, &after].map(|found| (found.score, found.best, found.mate));
                    assert_eq!(answers[0], answers[1], "{name} with {parts:?} in {position}");
                    assert!(after.nodes <= before.nodes, "{name} with {parts:?} in {position}");
                }
            }
            assert!(applied > 0, "{name} was never applied");
        }
    }

    #[test]
    fn what_makes_moves_is_not_dropped() {
        let text = "(If3 (Smaller 1 (MakeBestMove 3)) 2 2)";
        assert_eq!(simplified(text), text);
        assert_eq!(simplified("(If3 IsMateInOneOrLess 2 2)"), "(If3 IsMateInOneOrLess 2 2)");
    }
}
