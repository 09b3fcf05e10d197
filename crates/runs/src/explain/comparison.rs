//! Two searches of one position: which iteration decides between them, and where they first differ.

use plysmith_core::decimal::Thousandths;
use plysmith_core::score::Score;
use plysmith_core::search::{Reason, TreeNode};
use serde::Serialize;

use super::recording::{Iteration, LineMove, NamedMove, Recording};
use super::{Question, recording};
use crate::error::RunError;
use crate::view::thousands;

/// Two searches of one position.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What was searched.
    pub question: Question,
    /// Both searches.
    pub recordings: [Recording; 2],
    /// Which of them decides: it solves the problem, or does so earlier; else the second.
    pub decider: usize,
    /// The iteration that decides, by its place in each search; none if a search finished none.
    pub deciding: [Option<usize>; 2],
    /// Where they first differ on the line of the deciding search; none if they do not.
    pub divergence: Option<Divergence>,
}

/// Where two searches first differ.
///
/// Two searches that value a position differently contradict each other along a line, the *disputed line*: where the side
/// that is to move at the root moves, it is the best move of the search that values the position higher; where the other
/// side moves, it is the best reply of the search that values it lower. The values differ at every node of this line. The
/// first node to which the searches give different depths, or that one of them does not search to the end, is where they
/// first differ.
/// If there is none, it is the last node of the line.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Divergence {
    /// What differs.
    pub kind: DivergenceKind,
    /// The moves from the root to the node.
    pub line: Vec<NamedMove>,
    /// The node in each tree; none if the move was not searched.
    pub nodes: [Option<usize>; 2],
    /// Thousandths of a ply that the line used up in each search.
    pub used_units: [Option<i32>; 2],
    /// The value in each search, for the side to move at the root.
    pub values: [Option<i32>; 2],
    /// Why the node has its value in each search; or, where its move was not searched, why not.
    pub reasons: [&'static str; 2],
}

/// What differs where two searches diverge.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DivergenceKind {
    /// The depth.
    Depth,
    /// Whether the node is searched to the end.
    Searched,
    /// The value.
    Value,
}

impl Comparison {
    pub(super) fn new(question: Question, recordings: [Recording; 2]) -> Result<Comparison, RunError> {
        let (decider, deciding) = deciding(&recordings);
        let mut comparison = Comparison { question, recordings, decider, deciding, divergence: None };
        comparison.divergence = comparison.find_divergence()?;
        Ok(comparison)
    }

    /// The iteration of a search that decides.
    pub fn deciding_iteration(&self, side: usize) -> Option<&Iteration> {
        self.deciding[side].and_then(|place| self.recordings[side].iterations.get(place))
    }

    /// Follows the disputed line in both trees, until they differ.
    fn find_divergence(&self) -> Result<Option<Divergence>, RunError> {
        let [Some(first), Some(second)] = [0, 1].map(|side| self.deciding_iteration(side)) else { return Ok(None) };
        let iterations = [first, second];
        let best = |side: usize| Some(iterations[side].best()?.m.clone());
        if first.score == second.score && best(0) == best(1) {
            return Ok(None);
        }
        let hopeful = if first.score == second.score { self.decider } else { usize::from(second.score > first.score) };
        let roots = [first.root, second.root];
        let (mut line, mut nodes) = (Vec::new(), roots);
        loop {
            let end = |kind, line: &[String], nodes| self.divergence_at(kind, line, roots, nodes).map(Some);
            let leader = if line.len() % 2 == 0 { hopeful } else { 1 - hopeful };
            let next = if line.is_empty() { best(leader) } else { self.best_move(leader, nodes[leader]) };
            let Some(m) = next else { return end(DivergenceKind::Value, &line, nodes.map(Ok)) };
            let children = [0, 1].map(|side| self.recordings[side].tree.child_by(nodes[side], &m));
            line.push(m);
            let finished = [0, 1].map(|side| children[side].filter(|child| self.is_finished(side, *child)));
            let ([Some(one), Some(other)], parents) = (finished, nodes) else {
                return end(DivergenceKind::Searched, &line, [0, 1].map(|side| children[side].ok_or(nodes[side])));
            };
            nodes = [one, other];
            if self.used(0, roots, one) != self.used(1, roots, other) {
                return end(DivergenceKind::Depth, &line, nodes.map(Ok));
            }
            if self.node(0, one).root_value() == self.node(1, other).root_value() {
                // What they dispute is the node above.
                line.pop();
                return end(DivergenceKind::Value, &line, parents.map(Ok));
            }
        }
    }

    /// The move that decided on the value of a node, if one of its moves did.
    fn best_move(&self, side: usize, node: usize) -> Option<String> {
        if !matches!(self.node(side, node).reason, Reason::Exact | Reason::Beta | Reason::Alpha) {
            return None;
        }
        let tree = &self.recordings[side].tree;
        let mut best: Option<(Score, &str)> = None;
        for child in tree.children(node) {
            let Some(m) = tree.move_to(child).filter(|m| tree.child_by(node, m) == Some(child)) else { continue };
            // The first of equal moves is the one that raised the value.
            if let Some(value) = self.node(side, child).value
                && best.is_none_or(|(score, _)| -value > score)
            {
                best = Some((-value, m));
            }
        }
        best.map(|(_, m)| m.to_string())
    }

    /// A divergence after this line; for each search the node, or the one above if the last move was not searched.
    fn divergence_at(
        &self,
        kind: DivergenceKind,
        line: &[String],
        roots: [usize; 2],
        nodes: [Result<usize, usize>; 2],
    ) -> Result<Divergence, RunError> {
        let found = [0, 1].map(|side| nodes[side].ok().map(|node| self.node(side, node)));
        let reason = |side: usize| match nodes[side] {
            Ok(node) => self.node(side, node).reason.name(),
            Err(parent) => not_searched(self.node(side, parent)),
        };
        let position = self.question.game.parse_position(&self.question.problem.position).map_err(RunError::input)?;
        Ok(Divergence {
            kind,
            line: recording::numbered(&*position, line)?,
            nodes: nodes.map(Result::ok),
            used_units: [0, 1].map(|side| nodes[side].ok().map(|node| self.used(side, roots, node))),
            values: match line {
                // The search may have stopped in the root, but the iteration has a score.
                [] => [0, 1].map(|side| self.deciding_iteration(side).map(|iteration| iteration.score)),
                _ => found.map(|node| node.and_then(TreeNode::root_value).map(Score::units)),
            },
            reasons: [reason(0), reason(1)],
        })
    }

    fn node(&self, side: usize, node: usize) -> &TreeNode {
        self.recordings[side].tree.get(node).expect("numbers of nodes come from the tree")
    }

    /// Depth used up between the root and a node.
    fn used(&self, side: usize, roots: [usize; 2], node: usize) -> i32 {
        self.node(side, roots[side]).depth.above(self.node(side, node).depth)
    }

    /// What the comparison shows, in plain words.
    pub fn summary(&self) -> Vec<String> {
        let mut sentences: Vec<String> = self.recordings.iter().map(|recording| self.result_of(recording)).collect();
        sentences.extend(self.why());
        sentences.push(match &self.divergence {
            Some(divergence) => self.difference(divergence),
            None => "In this iteration both have the same move and the same score.".to_string(),
        });
        sentences
    }

    /// What a search found, as a sentence.
    fn result_of(&self, recording: &Recording) -> String {
        let (name, nodes) = (&recording.name, thousands(recording.report.nodes));
        let Some(last) = recording.iterations.last() else {
            return format!("{name} finishes no iteration in {nodes} nodes.");
        };
        let found = |iteration: &Iteration| {
            let best = iteration.best().map_or("no move", |best| best.numbered.as_str());
            format!("{best}, {}", iteration.score())
        };
        match recording.solved_in().map(|place| &recording.iterations[place]) {
            Some(solved) if solved.is_right.is_some() => {
                let nodes = thousands(solved.nodes);
                format!("{name} solves it in iteration {} with {nodes} nodes: {}.", solved.depth, found(solved))
            }
            _ if last.is_right.is_some() => format!(
                "{name} does not solve it: after {nodes} nodes, in iteration {}, it has {}.",
                last.depth,
                found(last)
            ),
            _ => format!("{name} has {} after {nodes} nodes, in iteration {}.", found(last), last.depth),
        }
    }

    /// Which moves of the deciding line are extended or reduced, and what comes of it.
    fn why(&self) -> Option<String> {
        let iteration = self.deciding_iteration(self.decider)?;
        let depth = iteration.depth;
        let sees = match iteration.win_in {
            Some(plies) if plies > 0 => format!("sees the win in {plies} plies"),
            Some(plies) => format!("sees the loss in {} plies", -plies),
            None => format!("values {} at {}", iteration.best()?.numbered, iteration.score()),
        };
        let changed = changes(&iteration.line);
        if changed.is_empty() {
            let name = &self.recordings[self.decider].name;
            return Some(format!("On its line {name} extends and reduces no move: iteration {depth} {sees}."));
        }
        let saved: i32 = iteration.line.iter().filter_map(|step| step.cost_units).map(|cost| 1000 - cost).sum();
        let beyond = match saved {
            saved if saved > 0 => format!(", {} beyond its depth", plies(saved)),
            _ => String::new(),
        };
        Some(format!("{}, so iteration {depth} {sees}{beyond}.", listed(&changed)))
    }

    /// Where the searches first differ, as a sentence.
    fn difference(&self, divergence: &Divergence) -> String {
        let names = self.recordings.each_ref().map(|recording| recording.name.as_str());
        let line = match divergence.line.as_slice() {
            [] => "at the root".to_string(),
            line => format!("after {}", line_text(line)),
        };
        let depths = [0, 1].map(|side| self.deciding_iteration(side).map_or(0, |iteration| iteration.depth));
        let iterations = match depths {
            [one, other] if one != other => format!(" (in iteration {one} of {}, {other} of {})", names[0], names[1]),
            _ => String::new(),
        };
        let finds = |side: usize| {
            let left = 1000 * depths[side] as i32 - divergence.used_units[side].unwrap_or(0);
            let left = if left > 0 { plies(left) } else { "no depth".to_string() };
            let value =
                divergence.values[side].map_or("no value".to_string(), |value| Score::from_units(value).to_string());
            let by_moves = [Reason::Exact, Reason::Beta, Reason::Alpha].map(Reason::name);
            let reason = divergence.reasons[side];
            let reason = if by_moves.contains(&reason) { String::new() } else { format!(" ({reason})") };
            format!("{} has {left} left there and finds {value}{reason}", names[side])
        };
        match divergence.kind {
            DivergenceKind::Depth => {
                format!("The searches first differ {line}{iterations}: {}, {}.", finds(0), finds(1))
            }
            DivergenceKind::Searched => {
                let without = usize::from(divergence.nodes[0].is_some_and(|node| self.is_finished(0, node)));
                format!(
                    "The searches first differ {line}{iterations}: {} does not search the last move to the end ({}).",
                    names[without], divergence.reasons[without]
                )
            }
            DivergenceKind::Value => {
                format!("They disagree down to the same depth {line}{iterations}: {}, {}.", finds(0), finds(1))
            }
        }
    }

    /// Whether a node was searched to the end.
    fn is_finished(&self, side: usize, node: usize) -> bool {
        let reason = self.node(side, node).reason;
        !reason.is_skip() && reason != Reason::Stopped
    }
}

/// Which search decides, and in which iteration: the first from which on it is right, where the other is not. If neither ever
/// is, the first from which on it sees a win or loss; else the first iteration with different results; else the last that
/// both have.
fn deciding(recordings: &[Recording; 2]) -> (usize, [Option<usize>; 2]) {
    let solved = recordings.each_ref().map(Recording::solved_in);
    let first = if solved == [None, None] { recordings.each_ref().map(Recording::decided_in) } else { solved };
    let both = |place: usize| {
        recordings.each_ref().map(|recording| recording.iterations.len().checked_sub(1).map(|last| place.min(last)))
    };
    match first {
        [Some(one), None] => (0, both(one)),
        [None, Some(other)] => (1, both(other)),
        [Some(one), Some(other)] if one < other => (0, both(one)),
        [Some(one), Some(other)] if one > other => (1, both(other)),
        _ => {
            let [first, second] = recordings.each_ref().map(|recording| &recording.iterations);
            let best = |iteration: &Iteration| iteration.best().map(|best| best.m.clone());
            let mut pairs = first.iter().zip(second);
            let different = pairs.position(|(one, other)| best(one) != best(other) || one.score != other.score);
            (1, both(different.unwrap_or(usize::MAX)))
        }
    }
}

/// Why a move is missing below a node.
fn not_searched(parent: &TreeNode) -> &'static str {
    match parent.reason {
        _ if parent.is_dropped => "this part of the tree was not kept",
        Reason::Beta => "another move reached beta before it",
        Reason::Exact | Reason::Alpha if parent.skips_quiet_moves => "quiet moves were skipped",
        Reason::Stopped => "the limit came before it",
        reason => reason.name(),
    }
}

/// What the moves of a line were extended or reduced by, as clauses: moves with the same cause and amount share one.
fn changes(line: &[LineMove]) -> Vec<String> {
    let mut changes: Vec<(String, i32, Vec<&str>)> = Vec::new();
    for step in line.iter().filter(|step| !step.is_quiescence) {
        let Some(cost) = step.cost_units.filter(|cost| *cost != 1000) else { continue };
        let causes = step.causes();
        let cause = if causes.is_empty() { "the search".to_string() } else { causes.join(" with ") };
        match changes.iter_mut().find(|(known, amount, _)| (known, *amount) == (&cause, cost)) {
            Some((_, _, moves)) => moves.push(&step.name.numbered),
            None => changes.push((cause, cost, vec![&step.name.numbered])),
        }
    }
    let clause = |(cause, cost, moves): (String, i32, Vec<&str>)| {
        let verb = if cost < 1000 { "extends" } else { "reduces" };
        let each = if moves.len() > 1 { " each" } else { "" };
        format!("{cause} {verb} {} by {}{each}", listed(&moves), plies((1000 - cost).abs()))
    };
    changes.into_iter().map(clause).collect()
}

/// A line with move numbers: `23.Qxh7+ Kxh7 24.Rh1#`.
fn line_text(line: &[NamedMove]) -> String {
    let is_named = |place: usize, step: &NamedMove| place == 0 || !step.numbered.contains("...");
    let words = line.iter().enumerate().map(|(place, step)| match is_named(place, step) {
        true => step.numbered.as_str(),
        false => step.notation.as_str(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Words or clauses as a list.
fn listed<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.as_slice() {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        items => items.concat(),
    }
}

/// An amount of depth in words.
fn plies(units: i32) -> String {
    match units {
        500 => "half a ply".to_string(),
        1000 => "one ply".to_string(),
        units => format!("{} {}", Thousandths(units.into()), if units < 1000 { "of a ply" } else { "plies" }),
    }
}
