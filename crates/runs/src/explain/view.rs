//! The comparison of two searches as a table and text.

use plysmith_core::score::Score;
use serde::Serialize;

use super::comparison::{Comparison, Divergence};
use super::node::{NodeData, node_data};
use super::recording::{FiredRule, Iteration, LineMove, Recording};
use crate::view::{Cell, Table, View, counted, thousands};

/// The widths of a line and of its label and the gaps between columns.
const LABEL: usize = 2;
const GAPS: usize = 4;
/// The least width of a column.
const LEAST_COLUMN: usize = 24;

/// Everything about the comparison as data.
#[derive(Serialize)]
struct Data<'a> {
    game: &'a str,
    suite: Option<&'a str>,
    problem: Option<&'a str>,
    position: &'a str,
    best: &'a [String],
    avoid: &'a [String],
    preset: String,
    nodes: u64,
    depth: u32,
    seed: u64,
    /// Which of the searches decides, counted from 0.
    decider: usize,
    divergence: Option<&'a Divergence>,
    summary: Vec<String>,
    searches: Vec<SearchData<'a>>,
}

#[derive(Serialize)]
struct SearchData<'a> {
    scheme: &'a str,
    rules: &'a [FiredRule],
    nodes: u64,
    end: &'static str,
    solved: Option<bool>,
    iterations: &'a [Iteration],
    /// The place of the deciding iteration in the list.
    deciding: Option<usize>,
    tree_nodes: usize,
    /// Below nodes with fewer nodes than this, the tree was not kept.
    dropped_below: Option<u64>,
    /// The tree of the deciding iteration, as deep as was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<NodeData>,
}

impl Comparison {
    /// Everything about the comparison as data, with the tree of the deciding iteration this many plies deep.
    pub fn data(&self, plies: Option<u32>) -> impl Serialize + '_ {
        let question = &self.question;
        let problem = &question.problem;
        let search = |(side, recording): (usize, &'_ Recording)| {
            let root = self.deciding_iteration(side).map(|iteration| iteration.root);
            SearchData {
                scheme: &self.recordings[side].name,
                rules: &self.recordings[side].rules,
                nodes: recording.report.nodes,
                end: recording.ending(),
                solved: recording.iterations.last().and_then(|last| last.is_right),
                iterations: &self.recordings[side].iterations,
                deciding: self.deciding[side],
                tree_nodes: recording.tree.len(),
                dropped_below: recording.tree.dropped_below(),
                tree: plies.zip(root).and_then(|(plies, root)| node_data(recording, root, plies)),
            }
        };
        Data {
            game: question.game.name,
            suite: question.suite.as_deref(),
            problem: Some(problem.id.as_str()).filter(|id| !id.is_empty()),
            position: &problem.position,
            best: &problem.best,
            avoid: &problem.avoid,
            preset: question.game.print_settings(&question.settings),
            nodes: question.limit.nodes,
            depth: question.limit.depth,
            seed: question.seed,
            decider: self.decider,
            divergence: self.divergence.as_ref(),
            summary: self.summary(),
            searches: self.recordings.iter().enumerate().map(search).collect(),
        }
    }

    /// The comparison for readers, in lines of this many columns; with the trees of the deciding iteration, this many plies
    /// deep, if they are wanted.
    pub fn view(&self, width: usize, plies: Option<u32>) -> View {
        let mut view = View::new().text(self.header(width)).table(self.table(width)).text("\n");
        view = view.text(legend(width));
        for sentence in self.summary() {
            view = view.text(wrapped(&sentence, width, ""));
        }
        for (side, recording) in self.recordings.iter().enumerate() {
            view = view.text(self.tree_text(side, recording, plies));
        }
        view
    }

    fn header(&self, width: usize) -> String {
        let question = &self.question;
        let problem = &question.problem;
        let of_suite = question.suite.as_ref().map_or(String::new(), |suite| format!(" of {suite}"));
        let name = if problem.id.is_empty() { String::new() } else { format!("{}{of_suite}: ", problem.id) };
        let mut text = format!("{name}{}\n", problem.position);
        if let Ok(position) = question.game.parse_position(&problem.position)
            && let Ok(drawn) = position.draw(None)
        {
            text.extend(drawn.lines().map(|line| format!("{}\n", line.trim_end())));
            let written = |m: &String| position.notation(m).unwrap_or_else(|_| m.clone());
            let list = |moves: &[String]| moves.iter().map(written).collect::<Vec<_>>().join(" or ");
            if !problem.best.is_empty() {
                text += &format!("Solution: {}", list(&problem.best));
                text += &problem.distance.map_or(String::new(), |plies| format!(", a win in {plies} plies"));
                text += "\n";
            }
            if !problem.avoid.is_empty() {
                text += &format!("Wrong: {}\n", list(&problem.avoid));
            }
        }
        let settings = question.game.print_settings(&question.settings);
        let limits = match question.limit {
            limit if limit.nodes == u64::MAX => counted(limit.depth as usize, "iteration"),
            limit => format!("{} nodes", thousands(limit.nodes)),
        };
        text + &wrapped(&format!("Each search: {settings}, {limits}, seed {}", question.seed), width, "") + "\n"
    }

    /// Both searches side by side, an iteration after the other. Long lines go on in the row below.
    fn table(&self, width: usize) -> Table {
        let column = (width.saturating_sub(LABEL + GAPS) / 2).max(LEAST_COLUMN);
        let names = self.recordings.each_ref().map(|recording| pieces(&recording.name, column));
        let mut rows = Vec::new();
        let count = self.recordings.iter().map(|recording| recording.iterations.len()).max().unwrap_or(0);
        add_rows(&mut rows, String::new(), &names, 1);
        for place in 0..count {
            let cells = [0, 1].map(|side| match self.recordings[side].iterations.get(place) {
                Some(iteration) => iteration_lines(iteration, column),
                None => Vec::new(),
            });
            let depth = [0, 1].iter().find_map(|side| Some(self.recordings[*side].iterations.get(place)?.depth));
            let label = depth.map_or(String::new(), |depth| depth.to_string());
            add_rows(&mut rows, label, &cells, 0);
        }
        let heading = names.each_ref().map(|lines| lines.first().cloned().unwrap_or_default());
        Table::new(&[">", heading[0].as_str(), heading[1].as_str()], rows)
    }

    /// The tree of the deciding iteration of one search.
    fn tree_text(&self, side: usize, recording: &Recording, plies: Option<u32>) -> String {
        let (Some(plies), Some(iteration)) = (plies, self.deciding_iteration(side)) else { return String::new() };
        let Some(root) = node_data(recording, iteration.root, plies) else { return String::new() };
        let mut text = format!("\nIteration {} of {}:\n", iteration.depth, recording.name);
        add_node(&mut text, &root, 0);
        if let Some(smallest) = recording.tree.dropped_below() {
            text += &format!(
                "{} nodes are kept; what is below nodes with fewer than {} nodes is only counted.\n",
                thousands(recording.tree.len() as u64),
                thousands(smallest)
            );
        }
        text
    }
}

/// What the marks in lines mean.
fn legend(width: usize) -> String {
    let text = "[feature cost] marks a move that costs something else than one ply, [q] a move of quiescence search; \
                * a solution, … an iteration that the limit cut short.";
    wrapped(text, width, "") + "\n"
}

/// The lines of an iteration's cell: the result, then the best line.
fn iteration_lines(iteration: &Iteration, column: usize) -> Vec<String> {
    let best = iteration.best().map_or("–", |best| best.notation.as_str());
    let right = if iteration.is_right == Some(true) { "*" } else { "" };
    let cut = if iteration.is_complete { "" } else { " …" };
    let head = format!("{best}{right}  {}  {} nodes{cut}", iteration.score(), thousands(iteration.nodes));
    let moves: Vec<String> = iteration.line.iter().map(LineMove::marked).collect();
    let mut lines = pieces(&head, column);
    lines.extend(pieces(&moves.join(" "), column - 2).into_iter().map(|line| format!("  {line}")));
    lines
}

/// Adds the rows of two cells with several lines, from this line on.
fn add_rows(rows: &mut Vec<Vec<Cell>>, label: String, cells: &[Vec<String>; 2], from: usize) {
    let count = cells.iter().map(Vec::len).max().unwrap_or(0);
    let mut label = Some(label);
    for line in from..count {
        let cell = |side: usize| Cell::Text(cells[side].get(line).cloned().unwrap_or_default());
        rows.push(vec![Cell::Text(label.take().unwrap_or_default()), cell(0), cell(1)]);
    }
}

/// Text in lines of at most this many columns, broken between words; longer words are cut.
fn pieces(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words(text, width) {
        let room = lines.last().map_or(0, |line| width.saturating_sub(line.chars().count()));
        match lines.last_mut() {
            Some(line) if word.chars().count() < room => line.extend([" ", word.as_str()]),
            _ => lines.push(word),
        }
    }
    lines
}

/// The words of a text, cut where they are longer than a line.
fn words(text: &str, width: usize) -> impl Iterator<Item = String> {
    text.split(' ').flat_map(move |word| {
        let letters: Vec<char> = word.chars().collect();
        let parts: Vec<String> = letters.chunks(width.max(1)).map(|part| part.iter().collect()).collect();
        if parts.is_empty() { vec![String::new()] } else { parts }
    })
}

fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let lines = pieces(text, width - indent.len());
    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
}

/// A node and what is below it, one line each.
fn add_node(text: &mut String, node: &NodeData, level: usize) {
    let name = node.m.clone().unwrap_or_else(|| node.step.to_string());
    let features: Vec<&str> = node.features.iter().map(|rule| rule.feature.as_str()).collect();
    let mut causes = features.join("+");
    for (is_so, what) in [(node.late_move, "late move"), (node.singular, "singular")] {
        if is_so {
            causes = if causes.is_empty() { what.to_string() } else { format!("{causes}+{what}") };
        }
    }
    let cost = if causes.is_empty() { String::new() } else { format!("[{causes} {}]", node.cost) };
    let indent = "  ".repeat(level);
    *text += &match node.value {
        Some(_) => format!("{indent}{name}{cost}  {}\n", searched(node, level)),
        None => format!("{indent}{name}{cost}  {}\n", node.reason),
    };
    node.children.iter().for_each(|child| add_node(text, child, level + 1));
}

/// What the search of a node found, for its line.
fn searched(node: &NodeData, level: usize) -> String {
    let bound = match node.bound {
        Some("lower") => "≥",
        Some(_) => "≤",
        None => "",
    };
    let step = if node.step == "full" || level == 0 { String::new() } else { format!(", {}", node.step) };
    let value = Score::from_units(node.value.unwrap_or_default());
    let nodes = if node.nodes == 1 { "1 node".to_string() } else { format!("{} nodes", thousands(node.nodes)) };
    format!("{bound}{value}  {} plies left, {nodes}, {}{step}", node.depth, node.reason)
}
