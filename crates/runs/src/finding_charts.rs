//! Findings side by side: which problem is solved by which feature, and which problems features have in common.

use std::collections::HashSet;

use crate::chart::{Figure, Matrix, Overlap, Square};
use crate::finding::{Exclusion, Finding};
use crate::view::{Cell, Table};

/// Sets in an overlap; with more, nobody can read it.
const MOST_SETS: usize = 7;

/// The problems of these findings, in the order of the suite; or, if the suite is not known, all that anybody solved.
fn problem_names<'a>(findings: &[&'a Finding], suite: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = suite.collect();
    let known: HashSet<&str> = names.iter().copied().collect();
    let mut others = HashSet::new();
    for id in findings.iter().flat_map(|finding| &finding.solved_ids).map(String::as_str) {
        if !known.contains(id) && others.insert(id) {
            names.push(id);
        }
    }
    names
}

/// Which problem is solved by which feature; none with fewer than two.
pub fn matrix<'a>(findings: &[&'a Finding], suite: impl Iterator<Item = &'a str>) -> Option<Figure> {
    let problems = problem_names(findings, suite);
    if findings.len() < 2 || problems.is_empty() {
        return None;
    }
    let row = |finding: &&Finding| (finding.feature.clone(), squares(finding, &problems));
    let names: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let title = "Problems solved by each feature";
    Some(Figure::Matrix(Matrix::new(title, findings.iter().map(row).collect(), &names)))
}

fn squares(finding: &Finding, problems: &[&str]) -> Vec<Square> {
    let solved: HashSet<&str> = finding.solved_ids.iter().map(String::as_str).collect();
    let excluded: HashSet<&str> = finding.excluded.iter().map(|exclusion| exclusion.id.as_str()).collect();
    let square = |(place, id): (usize, &&str)| match (excluded.contains(id), solved.contains(id)) {
        (true, _) => Square::Excluded,
        (false, true) => Square::Solved,
        (false, false) if place >= finding.tried => Square::Untried,
        (false, false) => Square::Failed,
    };
    problems.iter().enumerate().map(square).collect()
}

/// Which problems the first of these findings have in common; none with fewer than two that were measured to the end.
pub fn overlap<'a>(
    findings: impl Iterator<Item = &'a Finding>,
    suite: impl Iterator<Item = &'a str>,
) -> Option<Figure> {
    let findings: Vec<&Finding> = findings.filter(|finding| finding.solved.is_some()).take(MOST_SETS).collect();
    let problems = problem_names(&findings, suite);
    if findings.len() < 2 || problems.is_empty() {
        return None;
    }
    let sets: Vec<HashSet<&str>> =
        findings.iter().map(|finding| finding.solved_ids.iter().map(String::as_str).collect()).collect();
    let elements = problems.iter().map(|id| sets.iter().map(|set| set.contains(id)).collect());
    let names = findings.iter().map(|finding| finding.feature.clone()).collect();
    Some(Figure::Overlap(Overlap::new("Problems that features solve together", "problems", names, elements)))
}

/// The problems at which engines failed, with what they said last; none if there were none.
pub fn failures<'a>(findings: impl Iterator<Item = &'a Finding>) -> Option<Table> {
    let mut seen = HashSet::new();
    let exclusions = findings.flat_map(|finding| finding.excluded.iter().map(move |exclusion| (finding, exclusion)));
    let row = |(finding, exclusion): (&'a Finding, &'a Exclusion)| {
        let is_new = seen.insert(exclusion.id.as_str());
        let cells = || [&exclusion.id, &finding.feature, &exclusion.failure].map(|text| text.clone().into()).to_vec();
        is_new.then(cells)
    };
    let rows: Vec<Vec<Cell>> = exclusions.filter_map(row).collect();
    (!rows.is_empty()).then(|| Table::new(&["problem", "with", "what the engine did"], rows))
}

#[cfg(test)]
mod tests {
    use super::{failures, matrix, overlap};
    use crate::chart::{Figure, Square};
    use crate::finding::{Exclusion, Finding};
    use crate::view::Cell;

    fn finding(feature: &str, solved: &[&str], tried: usize) -> Finding {
        Finding {
            feature: feature.to_string(),
            solved: (tried == 3).then_some(solved.len() as u32),
            best_moves: None,
            tried,
            nodes: 9,
            mean_depth: 1.0,
            mean_height: 1.0,
            frequencies: Vec::new(),
            solved_ids: solved.iter().map(ToString::to_string).collect(),
            excluded: Vec::new(),
            policy: None,
        }
    }

    #[test]
    fn squares_say_what_is_known_of_each_problem() {
        let mut c = finding("c", &[], 3);
        c.excluded.push(Exclusion { id: "p1".to_string(), failure: "silent".to_string() });
        let (a, b) = (finding("a", &["p1", "p3"], 3), finding("b", &["p1"], 2));
        let suite = ["p1", "p2", "p3"];
        let Some(Figure::Matrix(table)) = matrix(&[&a, &b, &c], suite.into_iter()) else { panic!("no matrix") };
        assert_eq!((table.rows.join(" "), table.columns.join(" ")), ("a b c".to_string(), "p1 p3 p2".to_string()));
        let rows: Vec<Vec<Square>> =
            (0..3).map(|row| (0..3).map(|column| table.square(row, column)).collect()).collect();
        assert_eq!(rows[0], [Square::Solved, Square::Solved, Square::Failed]);
        assert_eq!(rows[1], [Square::Solved, Square::Untried, Square::Failed]);
        assert_eq!(rows[2], [Square::Excluded, Square::Failed, Square::Failed]);
        assert_eq!(matrix(&[&a], suite.into_iter()), None);
        let failed = failures([&a, &c, &c].into_iter()).unwrap();
        assert_eq!(failed.rows, [["p1", "c", "silent"].map(Cell::from).to_vec()]);
        assert_eq!(failures([&a].into_iter()), None);
    }

    #[test]
    fn what_was_not_measured_to_the_end_is_in_no_overlap() {
        let all = [finding("a", &["p1", "p3"], 3), finding("b", &["p1"], 2), finding("c", &["p1"], 3)];
        let Some(Figure::Overlap(found)) = overlap(all.iter(), ["p1", "p2", "p3"].into_iter()) else { panic!("none") };
        assert_eq!(found.sets, [("a".to_string(), 2), ("c".to_string(), 1)]);
        let columns = [(vec![true, true], 1), (vec![true, false], 1), (vec![false, false], 1)];
        assert_eq!(found.columns, columns);
        assert_eq!(overlap(all[..2].iter(), ["p1"].into_iter()), None);
    }
}
