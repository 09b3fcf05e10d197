//! One recorded search: iterations, lines with the cost of each move, and the tree.

use plysmith_core::decimal::Thousandths;
use plysmith_core::feature::{Cost, Rule, Scheme};
use plysmith_core::games::AnyPosition;
use plysmith_core::random::derive_seed;
use plysmith_core::score::Score;
use plysmith_core::search::{End, Report, Root, SearchTree, Step, Task, Workspace};
use serde::Serialize;

use super::Question;
use crate::error::RunError;
use crate::services::Host;

/// What schemes call all moves that no rule gives a weight.
const OTHER: &str = "Other";

/// A recorded search.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The scheme.
    pub scheme: Scheme,
    /// Its text.
    pub name: String,
    /// What the search found.
    pub report: Report<String>,
    /// What each iteration found. The last one may be unfinished.
    pub iterations: Vec<Iteration>,
    /// The recorded tree.
    pub tree: SearchTree,
    /// The features of the scheme with their costs, in the order of its rules.
    pub rules: Vec<FiredRule>,
}

/// A rule of a scheme that decided on the depth of a move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FiredRule {
    /// The feature.
    pub feature: String,
    /// What the scheme says of it, like `0.5` or `+0.25`.
    pub cost: String,
}

/// What an iteration found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Iteration {
    /// Its nominal plies.
    pub depth: u32,
    /// Whether it was searched to the end.
    pub is_complete: bool,
    /// The value of the best line for the side to move, in units of the evaluation.
    pub score: i32,
    /// In how many plies the side to move wins by force; below zero if it loses.
    pub win_in: Option<i32>,
    /// Nodes of all iterations so far.
    pub nodes: u64,
    /// Whether the problem is solved by it; none if no solution is known.
    pub is_right: Option<bool>,
    /// The best line.
    pub line: Vec<LineMove>,
    /// The number of its root in the tree.
    pub root: usize,
}

/// A move, as the search and as readers write it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NamedMove {
    /// The canonical text.
    #[serde(rename = "move")]
    pub m: String,
    /// As game records write it.
    pub notation: String,
    /// With its move number, like `23.Qxh7+` or `23...Kxh7`.
    pub numbered: String,
}

/// A move of a best line, and what it cost.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LineMove {
    /// The move.
    #[serde(flatten)]
    pub name: NamedMove,
    /// The number of its node in the tree; none beyond the search of this iteration, where the line comes from the
    /// transposition table.
    pub node: Option<usize>,
    /// Depth that it used up, in thousandths of a ply.
    pub cost_units: Option<i32>,
    /// The rules of the scheme that decided on that.
    pub features: Vec<FiredRule>,
    /// Whether late-move reductions reduced it.
    pub is_late: bool,
    /// Whether it is extended because it is singular.
    pub is_singular: bool,
    /// Whether it belongs to quiescence search.
    pub is_quiescence: bool,
}

impl Recording {
    pub(super) fn of(question: &Question, scheme: &Scheme, host: &Host) -> Result<Recording, RunError> {
        let &Question { game, ref problem, settings, limit, seed, most_nodes, .. } = question;
        let position = game.parse_position(&problem.position).map_err(RunError::input)?;
        if position.outcome().is_some() {
            return Err(RunError::input(format!("the game is over in '{}': nothing is searched", problem.position)));
        }
        let mut workspace = Workspace::with_memory(&settings).map_err(RunError::failed)?;
        let cancel = host.cancel.clone();
        let interrupt = || cancel.is_cancelled();
        let seed = derive_seed(seed, &problem.position);
        let task = Task { settings, scheme, limit, seed, interrupt: &interrupt, root: Root::default() };
        let mut reports = Vec::new();
        let mut observe = |report| reports.push(report);
        let (report, tree) = position.search_recorded(&task, &mut workspace, most_nodes, &mut observe);
        host.check_cancelled()?;
        let vocabulary = game.vocabulary;
        let rule =
            |rule: &Rule| FiredRule { feature: vocabulary.print_feature(&rule.feature), cost: rule.cost.to_string() };
        let mut recording = Recording {
            scheme: scheme.clone(),
            name: vocabulary.print_scheme(scheme),
            rules: scheme.rules().iter().map(rule).collect(),
            iterations: Vec::new(),
            report,
            tree,
        };
        recording.iterations = recording.iterations_of(question, &*position, &reports)?;
        Ok(recording)
    }

    /// The finished iterations, and the last one if the limit cut it short.
    fn iterations_of(
        &self,
        question: &Question,
        position: &dyn AnyPosition,
        reports: &[Report<String>],
    ) -> Result<Vec<Iteration>, RunError> {
        let is_cut_short = reports.last().is_none_or(|last| last.nodes < self.report.nodes);
        let unfinished = Report { depth: self.report.depth + 1, ..self.report.clone() };
        let unfinished = Some((unfinished, false)).filter(|_| is_cut_short);
        let all = reports.iter().map(|report| (report.clone(), true)).chain(unfinished);
        let iteration = |(report, is_complete): (Report<String>, bool)| {
            let Some(root) = self.root_of(&report) else { return Ok(None) };
            let score = report.score;
            Ok(Some(Iteration {
                depth: report.depth,
                is_complete,
                score: score.units(),
                win_in: win_in(score),
                nodes: report.nodes,
                is_right: question.has_solution().then(|| question.problem.is_solved_by(&report)),
                line: self.line(position, root, &report.line)?,
                root,
            }))
        };
        all.filter_map(|report| iteration(report).transpose()).collect()
    }

    /// The root of an iteration: the last of its roots that searched the best move to the end, or else the last.
    fn root_of(&self, report: &Report<String>) -> Option<usize> {
        let is_it = |root: &usize| self.tree.get(*root).is_some_and(|root| root.depth.whole_plies() == report.depth);
        let has_best = |root: usize| {
            let child = report.line.first().and_then(|best| self.tree.child_by(root, best));
            child.and_then(|child| self.tree.get(child)).is_some_and(|child| child.value.is_some())
        };
        self.tree.roots().filter(is_it).max_by_key(|root| (has_best(*root), *root))
    }

    /// The moves of a line, followed in the tree.
    fn line(&self, position: &dyn AnyPosition, root: usize, moves: &[String]) -> Result<Vec<LineMove>, RunError> {
        let mut node = Some(root);
        let names = numbered(position, moves)?;
        let line = names.into_iter().map(|name| {
            node = node.and_then(|node| self.tree.child_by(node, &name.m));
            let found = node.and_then(|node| self.tree.get(node));
            LineMove {
                node,
                cost_units: found.map(|node| node.cost),
                features: node.map_or(Vec::new(), |node| self.fired(node)),
                is_late: found.is_some_and(|node| node.is_late),
                is_singular: found.is_some_and(|node| node.is_singular),
                is_quiescence: found.is_some_and(|node| node.step == Step::Quiescence),
                name,
            }
        });
        Ok(line.collect())
    }

    /// The rules of the scheme that decided on the depth of a node.
    pub fn fired(&self, node: usize) -> Vec<FiredRule> {
        let rules = self.tree.rules(node);
        let mut fired: Vec<FiredRule> = rules.iter().filter_map(|rule| self.rules.get(*rule)).cloned().collect();
        let is_amount = |rule: &usize| matches!(self.scheme.rules()[*rule].cost, Cost::Amount(_));
        let is_planned = self
            .tree
            .get(node)
            .is_some_and(|node| node.step.is_move() && node.step != Step::Quiescence && !node.reason.is_skip());
        if let Some(other) = self.scheme.other().filter(|_| is_planned && rules.iter().all(is_amount)) {
            fired.push(FiredRule { feature: OTHER.to_string(), cost: other.to_string() });
        }
        fired
    }

    /// The first iteration from which on the problem is solved.
    pub fn solved_in(&self) -> Option<usize> {
        self.first_that_stays(|iteration| iteration.is_right == Some(true))
    }

    /// The first iteration from which on a win or loss is seen.
    pub fn decided_in(&self) -> Option<usize> {
        self.first_that_stays(|iteration| iteration.win_in.is_some())
    }

    fn first_that_stays(&self, is_so: impl Fn(&Iteration) -> bool) -> Option<usize> {
        let wrong = self.iterations.iter().rposition(|iteration| !is_so(iteration));
        let first = wrong.map_or(0, |wrong| wrong + 1);
        (first < self.iterations.len()).then_some(first)
    }

    /// Why the search ended, in words.
    pub fn ending(&self) -> &'static str {
        match self.report.end {
            End::Proved => "a win or loss is proved",
            End::Depth => "the depth limit is reached",
            End::Nodes => "the node limit is reached",
            End::Interrupted => "interrupted",
        }
    }
}

impl Iteration {
    /// The best move.
    pub fn best(&self) -> Option<&NamedMove> {
        self.line.first().map(|first| &first.name)
    }

    /// The value for the side to move.
    pub fn score(&self) -> Score {
        Score::from_units(self.score)
    }
}

impl LineMove {
    /// What made the move cost something else than one ply: features, or a technique of the search.
    pub fn causes(&self) -> Vec<String> {
        let features = self.features.iter().map(|rule| rule.feature.clone());
        let late = self.is_late.then(|| "late move".to_string());
        let singular = self.is_singular.then(|| "singular".to_string());
        features.chain(late).chain(singular).collect()
    }

    /// The move with what it cost behind it, if features or techniques decided on that: `Qxh7+[AcK 0.5]`.
    pub fn marked(&self) -> String {
        let notation = &self.name.notation;
        let causes = self.causes().join("+");
        match self.cost_units {
            _ if self.is_quiescence => format!("{notation}[q]"),
            Some(cost) if !causes.is_empty() => format!("{notation}[{causes} {}]", Thousandths(cost.into())),
            _ => notation.clone(),
        }
    }
}

/// In how many plies the side to move wins by force; below zero if it loses.
pub(super) fn win_in(score: Score) -> Option<i32> {
    let loss = || (-score).win_in().map(|plies| -(plies as i32));
    score.win_in().map(|plies| plies as i32).or_else(loss)
}

/// The moves of a line with their numbers.
pub(super) fn numbered(position: &dyn AnyPosition, moves: &[String]) -> Result<Vec<NamedMove>, RunError> {
    let mut position = position.boxed();
    // The last word of a position is a move number, in games that have one.
    let number = position.text().split_whitespace().nth(5).and_then(|word| word.parse().ok()).unwrap_or(1_usize);
    let before = 2 * (number.max(1) - 1) + usize::from(!position.white_to_move());
    let mut names = Vec::with_capacity(moves.len());
    for (half_moves, m) in (before..).zip(moves) {
        let notation = position.notation(m).map_err(RunError::failed)?;
        let dots = if half_moves.is_multiple_of(2) { "." } else { "..." };
        let numbered = format!("{}{dots}{notation}", half_moves / 2 + 1);
        names.push(NamedMove { m: m.clone(), notation, numbered });
        position = position.play(m).map_err(RunError::failed)?;
    }
    Ok(names)
}
