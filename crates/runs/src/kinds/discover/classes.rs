//! Classes of features: those that solve much the same problems.
//!
//! What counts is which problems a feature solves that the search without features does not. The best feature leads the
//! first class. Each further one joins the first class whose leader it resembles, or leads a new one.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Evaluation;
use crate::view::{Cell, Table};

/// Features that solve much the same problems.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FeatureClass {
    /// The features, the best first. The first leads the class.
    pub features: Vec<String>,
    /// Problems that the leader solves and Neutral does not.
    pub problems: usize,
    /// A problem that shows what the class does: of those that the leader gains, one that the fewest other leaders solve.
    pub example: Option<String>,
}

/// Two features are alike if they share this much of the problems that either of them gains (Jaccard's index).
const ALIKE: f64 = 0.7;

/// The classes of these features, Neutral among them.
pub fn classes(output: &[Evaluation]) -> Vec<FeatureClass> {
    let ids = |evaluation: &Evaluation| -> HashSet<String> { evaluation.finding.solved_ids.iter().cloned().collect() };
    let Some(neutral) = output.iter().find(|evaluation| evaluation.finding.feature == NEUTRAL).map(ids) else {
        return Vec::new();
    };
    let mut leaders: Vec<(&Evaluation, HashSet<String>)> = Vec::new();
    let mut found: Vec<FeatureClass> = Vec::new();
    for evaluation in output.iter().filter(|evaluation| evaluation.finding.feature != NEUTRAL) {
        let gained: HashSet<String> = ids(evaluation).difference(&neutral).cloned().collect();
        if gained.is_empty() {
            continue;
        }
        let name = evaluation.finding.feature.clone();
        match leaders.iter().position(|(_, leader)| similarity(leader, &gained) >= ALIKE) {
            Some(class) => found[class].features.push(name),
            None => {
                found.push(FeatureClass { features: vec![name], problems: gained.len(), example: None });
                leaders.push((evaluation, gained));
            }
        }
    }
    for (number, class) in found.iter_mut().enumerate() {
        let (leader, gained) = &leaders[number];
        let others = |id: &&String| leaders.iter().filter(|(_, other)| other.contains(*id)).count();
        // In the order of the suite, so that the choice is the same every time.
        class.example = leader.finding.solved_ids.iter().filter(|id| gained.contains(*id)).min_by_key(others).cloned();
    }
    found
}

/// The classes as a table, the largest `most` of them.
pub fn table(classes: &[FeatureClass], most: usize) -> Table {
    let row = |class: &FeatureClass| {
        vec![
            class.features.join(" ").into(),
            Cell::Count(class.problems as u64),
            class.example.clone().unwrap_or_default().into(),
        ]
    };
    Table::new(
        &["features that solve much the same problems", ">gained", "example"],
        classes.iter().take(most).map(row),
    )
}

/// The search without features.
const NEUTRAL: &str = "Neutral";

/// What two sets share of their union.
fn similarity(one: &HashSet<String>, other: &HashSet<String>) -> f64 {
    let shared = one.intersection(other).count();
    shared as f64 / (one.len() + other.len() - shared) as f64
}

#[cfg(test)]
mod tests {
    use super::{classes, similarity};
    use crate::finding::Finding;
    use crate::kinds::discover::Evaluation;

    fn evaluation(feature: &str, solved: &[&str]) -> Evaluation {
        Evaluation {
            finding: Finding {
                feature: feature.to_string(),
                solved: Some(solved.len() as u32),
                best_moves: None,
                tried: 9,
                nodes: 9,
                mean_depth: 1.0,
                mean_height: 1.0,
                frequencies: Vec::new(),
                solved_ids: solved.iter().map(ToString::to_string).collect(),
                excluded: Vec::new(),
                policy: None,
            },
            generation: 1,
            first_parent: None,
            second_parent: None,
            at_least: None,
            verdict: "base".to_string(),
            weight: None,
            by_best_move: false,
            alone: None,
            regret: None,
            repeats: None,
        }
    }

    #[test]
    fn alike_features_are_one_class_and_examples_are_its_own() {
        let output = [
            evaluation("a", &["n", "1", "2", "3", "4"]),
            evaluation("b", &["n", "1", "2", "3", "5"]),
            evaluation("c", &["1", "2", "3", "4"]),
            evaluation("d", &["n", "1", "7"]),
            evaluation("Neutral", &["n"]),
            evaluation("e", &["n"]),
        ];
        let found = classes(&output);
        let features: Vec<_> = found.iter().map(|class| class.features.join(" ")).collect();
        assert_eq!(features, ["a c", "b", "d"], "{found:?}");
        let examples: Vec<_> = found.iter().map(|class| class.example.clone().unwrap()).collect();
        assert_eq!(examples, ["4", "5", "7"], "{found:?}");
        assert_eq!(found.iter().map(|class| class.problems).collect::<Vec<_>>(), [4, 4, 2]);
        assert!(classes(&output[..4]).is_empty(), "without Neutral nothing is gained");
    }

    #[test]
    fn similarity_is_jaccards() {
        let set = |ids: &[&str]| ids.iter().map(ToString::to_string).collect();
        assert!((similarity(&set(&["1", "2", "3"]), &set(&["2", "3", "4"])) - 0.5).abs() < 1e-12);
        assert!((similarity(&set(&["1"]), &set(&["1"])) - 1.0).abs() < 1e-12);
        assert_eq!(similarity(&set(&["1"]), &set(&["2"])), 0.0);
    }
}
