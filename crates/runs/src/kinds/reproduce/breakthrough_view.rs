//! Tables 2 and 3 as text: our numbers next to the papers'.

use super::Reproduction;
use super::breakthrough::{CombinationRow, EPSILON, MethodRow, SolvedRow};
use crate::finding::PROVEN_AND_BEST_MOVE;
use crate::kinds::papers::{BELOW_NEUTRAL, INCOMPATIBLE, PaperFeature, PaperMethod, TABLE_2, TABLE_3};
use crate::view::{Cell, Table, View, thousands};

/// The view of Table 2.
pub(super) fn table2(
    conditions: &str,
    power_set: u64,
    rows: &[MethodRow],
    by_best_move: &[MethodRow],
    solved: &[SolvedRow],
) -> View {
    let has_best_moves = !by_best_move.is_empty();
    let cells = rows.iter().map(|row| {
        let other = by_best_move.iter().find(|other| other.pruning == row.pruning);
        let paper = paper_method(row);
        let mut cells = vec![row.pruning.clone().into(), Cell::Count(row.evaluations as u64)];
        cells.extend(other.map(|other| Cell::Count(other.evaluations as u64)));
        cells.push(Cell::Count(row.paper_evaluations as u64));
        cells.push(Cell::Percent(row.evaluations as f64 / power_set as f64));
        cells.push(Cell::Count(row.nodes));
        cells.push(paper.map_or(Cell::Missing, |paper| paper.hours.into()));
        cells.push(Cell::Count(row.overlooked.len() as u64));
        cells.extend(other.map(|other| Cell::Count(other.overlooked.len() as u64)));
        cells.push(Cell::count(paper.map(|paper| paper.overlooked.len() as u64)));
        cells
    });
    // Runs of earlier versions know nothing of best moves.
    let headings: Vec<&str> = ["pruning", ">evaluations", ">by best move", ">paper", ">of the power set", ">nodes"]
        .into_iter()
        .chain([">paper's hours", ">overlooked", ">by best move", ">paper"])
        .filter(|heading| has_best_moves || *heading != ">by best move")
        .collect();
    View::new()
        .text(format!("Evaluations by Gradual Focus (paper Table 2, thesis Table 4.3)\n{conditions}\n\n"))
        .table(Table::new(&headings, cells))
        .text(format!(
            "\nThe power set has {} features; the last row of the paper is from the thesis. Overlooked: of the ten best features\n\
             found without groups, those that the method does not find. {}",
            thousands(power_set),
            overlooked(rows)
        ))
        .text(notes(rows))
        .view(solved_view(solved))
}

fn paper_method(row: &MethodRow) -> Option<&'static PaperMethod> {
    const { &TABLE_2 }.iter().find(|paper| paper.pruning.to_string() == row.pruning)
}

/// The names of what is overlooked, ours beside the paper's.
fn overlooked(rows: &[MethodRow]) -> String {
    let names = |names: Vec<&str>| if names.is_empty() { "none".to_string() } else { names.join(" ") };
    let mut text = String::from("By method:\n");
    for row in rows {
        let here: Vec<&str> = row.overlooked.iter().map(String::as_str).collect();
        let paper = paper_method(row).map_or(&[][..], |paper| paper.overlooked);
        if here.is_empty() && paper.is_empty() {
            continue;
        }
        let both: Vec<&str> = paper.iter().copied().filter(|name| here.contains(name)).collect();
        text += &format!("    {}: {}\n", row.pruning, names(here));
        text += &format!("    {} in the paper: {}; in both: {}\n", row.pruning, names(paper.to_vec()), names(both));
    }
    text
}

/// The atoms that threshold pruning drops, and the features that no move can have.
fn notes(rows: &[MethodRow]) -> String {
    // Runs of earlier versions know neither.
    let Some((incompatible, row)) = rows.iter().find_map(|row| Some((row.incompatible?, row))) else {
        return String::new();
    };
    format!(
        "Atoms that solve fewer problems than Neutral: {} here; the thesis names {}.\n\
         Evaluated without groups although no move can have them: {incompatible} of {} features here, {INCOMPATIBLE} of {} in \
         the paper.\n",
        row.below_neutral.join(" "),
        BELOW_NEUTRAL.join(" "),
        row.evaluations,
        row.paper_evaluations,
    )
}

/// What the features that the suites are compared by solve, by both meanings of the word.
fn solved_view(solved: &[SolvedRow]) -> View {
    if solved.is_empty() {
        return View::new();
    }
    let cells = solved.iter().map(|row| {
        vec![
            row.feature.clone().into(),
            Cell::Count(row.proven.into()),
            Cell::count(row.best_moves.map(u64::from)),
            Cell::count(row.paper.map(u64::from)),
        ]
    });
    View::new()
        .text("\n")
        .table(Table::new(&["feature", ">proven", ">best move", ">paper"], cells))
        .text(PROVEN_AND_BEST_MOVE)
        .text(
            "The paper's words are 'best move played'; on the whole bundled suite, its numbers are closer to ours by proofs.\n\
             That suite was chosen because it resembles the paper's: `plysmith reproduce suites` prints all eight.\n",
        )
}

/// The view of Table 3.
pub(super) fn table3(conditions: &str, reproduction: &Reproduction) -> View {
    let Reproduction::Table3 { combinations, rows, hits, found, relevant, overlooked, solved } = reproduction else {
        return View::new();
    };
    let has_best_moves = rows.iter().any(|row| row.best_moves.is_some());
    let cells = rows.iter().map(|row| {
        let paper = paper_feature(row);
        let star = |is_found: bool| Cell::from(if is_found { "*" } else { "" });
        let mut cells = vec![star(row.found), row.feature.clone().into(), Cell::Count(row.solved.into())];
        cells.extend(has_best_moves.then(|| Cell::count(row.best_moves.map(u64::from))));
        cells.push(row.parent.as_deref().unwrap_or("–").into());
        cells.push(if row.interesting { "yes" } else { "" }.into());
        cells.push(Cell::count(row.paper_solved.map(u64::from)));
        cells.push(paper.and_then(|paper| paper.parent).unwrap_or(if paper.is_some() { "–" } else { "" }).into());
        cells.push(star(paper.is_some_and(|paper| paper.is_found)));
        cells
    });
    let solved_by = if has_best_moves { ">proven" } else { ">solved" };
    let headings: Vec<&str> = ["", "feature", solved_by, ">best move", "parent", "interesting", ">paper"]
        .into_iter()
        .chain(["paper's parent", "paper's 11"])
        .filter(|heading| has_best_moves || *heading != ">best move")
        .collect();
    let overlooked = match overlooked.as_slice() {
        [] => String::new(),
        names => format!("Overlooked: {}\n", names.join(" ")),
    };
    let shared = rows.iter().filter(|row| row.interesting && paper_feature(row).is_some_and(|paper| paper.is_found));
    let shared = shared.count();
    View::new()
        .text(format!(
            "The best of all {combinations} one-, two- and three-wise combinations (paper Table 3, thesis Table 4.4)\n\
             {conditions}\n\n"
        ))
        .table(Table::new(&headings, cells))
        .text(format!(
            "\n* found by Gradual Focus. Parent: the best part with one atom less. Interesting: better than every part of it by\n\
             at least {EPSILON}. Precision {hits} of {found}, recall {hits} of {relevant} among these (the paper: 11 of 11 both). \
             {shared} of the paper's 11 are\ninteresting here.\n{overlooked}"
        ))
        .view(solved_view(solved))
}

/// The paper's row of the same feature.
fn paper_feature(row: &CombinationRow) -> Option<&'static PaperFeature> {
    let name = row.paper_name.as_ref().unwrap_or(&row.feature);
    const { &TABLE_3 }.iter().find(|paper| paper.name == name)
}
