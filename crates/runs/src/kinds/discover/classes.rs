//! Classes of features: those that change much the same positions.
//!
//! What counts is what a feature changes against the search without features. On a problem suite two features are alike if
//! they gain the same problems; if features are rated by regret, if the changes of their regrets are correlated. The best
//! feature leads the first class. Each further one joins the first class whose leader it resembles, or leads a new one.
//! Features that change exactly the same positions in the same way are duplicates.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Evaluation;
use crate::chart::HeatMap;
use crate::view::{Cell, Table};

/// Features that change much the same positions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FeatureClass {
    /// The features, the best first. The first leads the class.
    pub features: Vec<String>,
    /// Problems that the leader solves and Neutral does not, or positions in which it has less regret.
    pub problems: usize,
    /// A position that shows what the class does: of those that the leader gains, one that the fewest other leaders gain.
    pub example: Option<String>,
    /// The example's position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// In how many of the positions that the leader gains the side to move has the better chances, and in how many the worse,
    /// where that is known: whether it attacks or defends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better_and_worse: Option<[usize; 2]>,
    /// Features of the class that change exactly the same positions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<Vec<String>>,
}

/// How alike features are: 1 if they are the same, 0 if they have nothing in common.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Similarity {
    /// The features, class by class.
    pub features: Vec<String>,
    /// The class of each.
    pub classes: Vec<usize>,
    /// A row for each feature.
    pub values: Vec<Vec<f64>>,
}

/// A position on which features are measured.
#[derive(Clone)]
pub(super) struct Place {
    pub id: String,
    pub position: String,
    /// The expected result of the side to move, from 0 to 1, if it is known.
    pub expected: Option<f64>,
}

/// What a feature changes.
struct Changes {
    name: String,
    /// By position: positive where it gains on Neutral.
    by_place: Vec<f64>,
    gained: HashSet<usize>,
}

/// Classes, and how alike their features are.
#[derive(Default)]
pub(super) struct Classified {
    pub classes: Vec<FeatureClass>,
    pub similarity: Option<Similarity>,
}

/// How features are compared.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Measure {
    /// What they share of the problems that either of them gains (Jaccard's index).
    SharedGains,
    /// The correlation of the changes of their regrets.
    Correlation,
}

/// Two features are alike from this similarity on.
const ALIKE: f64 = 0.7;
/// The search without features.
const NEUTRAL: &str = "Neutral";
/// Similarities are given for as many features, the best.
const MOST_COMPARED: usize = 40;

/// The classes of these features, Neutral among them, by the problems that they solve.
pub(super) fn by_solved(output: &[Evaluation], places: &[Place]) -> Classified {
    let ids = |evaluation: &Evaluation| -> HashSet<String> { evaluation.finding.solved_ids.iter().cloned().collect() };
    let Some(neutral) = output.iter().find(|evaluation| evaluation.finding.feature == NEUTRAL).map(ids) else {
        return Classified::default();
    };
    let changes = output.iter().filter(|evaluation| evaluation.finding.feature != NEUTRAL).map(|evaluation| {
        let solved = ids(evaluation);
        let change =
            |place: &Place| f64::from(i8::from(solved.contains(&place.id)) - i8::from(neutral.contains(&place.id)));
        Changes::new(&evaluation.finding.feature, places.iter().map(change).collect())
    });
    classify(&changes.collect::<Vec<_>>(), places, Measure::SharedGains)
}

/// The classes of features by how much less regret than Neutral they have in each position; the best first.
pub(super) fn by_regret<'a>(changes: impl Iterator<Item = (&'a str, Vec<f64>)>, places: &[Place]) -> Classified {
    let changes: Vec<_> =
        changes.filter(|(name, _)| *name != NEUTRAL).map(|(name, by_place)| Changes::new(name, by_place)).collect();
    classify(&changes, places, Measure::Correlation)
}

fn classify(all: &[Changes], places: &[Place], measure: Measure) -> Classified {
    let mut classes: Vec<Vec<&Changes>> = Vec::new();
    for changes in all.iter().filter(|changes| !changes.gained.is_empty()) {
        match classes.iter_mut().find(|class| measure.similarity(class[0], changes) >= ALIKE) {
            Some(class) => class.push(changes),
            None => classes.push(vec![changes]),
        }
    }
    let leaders: Vec<&Changes> = classes.iter().map(|class| class[0]).collect();
    let found = classes.iter().map(|class| FeatureClass::new(class, &leaders, places)).collect();
    Classified { classes: found, similarity: Similarity::new(&classes, measure) }
}

impl Changes {
    fn new(name: &str, by_place: Vec<f64>) -> Changes {
        let gained = by_place.iter().enumerate().filter(|(_, change)| **change > 0.0).map(|(place, _)| place).collect();
        Changes { name: name.to_string(), by_place, gained }
    }
}

impl Measure {
    fn similarity(self, one: &Changes, other: &Changes) -> f64 {
        match self {
            Measure::SharedGains => shared(&one.gained, &other.gained),
            Measure::Correlation => correlation(&one.by_place, &other.by_place),
        }
    }
}

impl FeatureClass {
    fn new(class: &[&Changes], leaders: &[&Changes], places: &[Place]) -> FeatureClass {
        let leader = class[0];
        let largest = leader.by_place.iter().copied().fold(0.0, f64::max);
        let others = |place: &usize| leaders.iter().filter(|other| other.gained.contains(place)).count();
        // In the order of the suite, so that the choice is the same every time.
        let clear =
            (0..places.len()).filter(|place| leader.by_place.get(*place).is_some_and(|gain| *gain > largest / 2.0));
        let example = clear.min_by_key(others).map(|place| &places[place]);
        let expected = places.iter().enumerate().filter(|(place, _)| leader.gained.contains(place));
        let expected: Vec<f64> = expected.filter_map(|(_, place)| place.expected).collect();
        let better = expected.iter().filter(|expected| **expected >= 0.5).count();
        FeatureClass {
            features: class.iter().map(|changes| changes.name.clone()).collect(),
            problems: leader.gained.len(),
            example: example.map(|place| place.id.clone()),
            position: example.map(|place| place.position.clone()),
            better_and_worse: (!expected.is_empty()).then(|| [better, expected.len() - better]),
            duplicates: duplicates(class),
        }
    }

    /// Whether the side to move mostly has the better chances where the class gains: two thirds of the positions.
    fn character(&self) -> &'static str {
        match self.better_and_worse {
            Some([better, worse]) if better >= 2 * worse => "attacks",
            Some([better, worse]) if worse >= 2 * better => "defends",
            Some(_) => "both",
            None => "",
        }
    }
}

impl Similarity {
    fn new(classes: &[Vec<&Changes>], measure: Measure) -> Option<Similarity> {
        let numbered =
            classes.iter().enumerate().flat_map(|(number, class)| class.iter().map(move |found| (number, *found)));
        let compared: Vec<(usize, &Changes)> = numbered.take(MOST_COMPARED).collect();
        // Thousandths are enough, and are the same on every machine.
        let thousandths = |similarity: f64| (similarity * 1000.0).round() / 1000.0;
        let row =
            |one: &Changes| compared.iter().map(|(_, other)| thousandths(measure.similarity(one, other))).collect();
        (compared.len() > 1).then(|| Similarity {
            features: compared.iter().map(|(_, changes)| changes.name.clone()).collect(),
            classes: compared.iter().map(|(number, _)| *number).collect(),
            values: compared.iter().map(|(_, changes)| row(changes)).collect(),
        })
    }

    /// As a picture.
    pub(super) fn heat_map(&self, title: String) -> HeatMap {
        let Similarity { features, classes, values } = self.clone();
        HeatMap { title, labels: features, groups: classes, values }
    }
}

/// The classes as a table, the first `most` of them. If features are rated by regret, it says whether they attack.
pub(super) fn table(classes: &[FeatureClass], most: usize) -> Table {
    let has_character = classes.iter().any(|class| class.better_and_worse.is_some());
    let first = if has_character { "features that change much the same positions" } else { SOLVE_THE_SAME };
    let headings = [first, ">gained", "example", "side to move"];
    let row = |class: &FeatureClass| {
        let mut cells = vec![
            class.features.join(" ").into(),
            Cell::Count(class.problems as u64),
            class.example.clone().unwrap_or_default().into(),
        ];
        cells.extend(has_character.then(|| class.character().into()));
        cells
    };
    Table::new(&headings[..3 + usize::from(has_character)], classes.iter().take(most).map(row))
}

const SOLVE_THE_SAME: &str = "features that solve much the same problems";

/// The positions of the examples, and which features are duplicates.
pub(super) fn notes(classes: &[FeatureClass], most: usize) -> String {
    let examples =
        classes.iter().take(most).filter_map(|class| Some((class.example.as_ref()?, class.position.as_ref()?)));
    let mut text: String = examples.map(|(id, position)| format!("{id}: {position}\n")).collect();
    let duplicates: Vec<String> =
        classes.iter().take(most).flat_map(|class| &class.duplicates).map(|same| same.join(" = ")).collect();
    if !duplicates.is_empty() {
        text += &format!("Duplicates, which change the same positions: {}.\n", duplicates.join("; "));
    }
    text
}

/// Features that change exactly the same positions in the same way.
fn duplicates(class: &[&Changes]) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<&Changes>> = Vec::new();
    for changes in class {
        match groups.iter_mut().find(|group| group[0].by_place == changes.by_place) {
            Some(group) => group.push(changes),
            None => groups.push(vec![changes]),
        }
    }
    let groups = groups.into_iter().filter(|group| group.len() > 1);
    groups.map(|group| group.into_iter().map(|changes| changes.name.clone()).collect()).collect()
}

/// What two sets share of their union.
fn shared(one: &HashSet<usize>, other: &HashSet<usize>) -> f64 {
    let shared = one.intersection(other).count();
    shared as f64 / (one.len() + other.len() - shared).max(1) as f64
}

/// Pearson's correlation about zero, because no change is the natural zero point: the cosine. Zero if a side changes nothing.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let size = (product(one, one) * product(other, other)).sqrt();
    if size > 0.0 { product(one, other) / size } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{Place, by_regret, by_solved, correlation, notes, shared};
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
            rated: None,
            repeats: None,
        }
    }

    fn places(expected: &[f64]) -> Vec<Place> {
        let ids = ["n", "1", "2", "3", "4", "5", "6", "7"];
        let place = |(index, id): (usize, &&str)| Place {
            id: id.to_string(),
            position: format!("position {id}"),
            expected: expected.get(index).copied(),
        };
        ids.iter().enumerate().map(place).collect()
    }

    #[test]
    fn alike_features_are_one_class_and_examples_are_its_own() {
        let output = [
            evaluation("a", &["n", "1", "2", "3", "4"]),
            evaluation("b", &["n", "1", "2", "3", "5"]),
            evaluation("c", &["1", "2", "3", "4"]),
            evaluation("d", &["n", "1", "7"]),
            evaluation("g", &["n", "1", "7"]),
            evaluation("Neutral", &["n"]),
            evaluation("e", &["n"]),
        ];
        let found = by_solved(&output, &places(&[]));
        let features: Vec<_> = found.classes.iter().map(|class| class.features.join(" ")).collect();
        assert_eq!(features, ["a c", "b", "d g"], "{:?}", found.classes);
        let examples: Vec<_> = found.classes.iter().map(|class| class.example.clone().unwrap()).collect();
        assert_eq!(examples, ["4", "5", "7"], "{:?}", found.classes);
        assert_eq!(found.classes[2].position.as_deref(), Some("position 7"));
        assert_eq!(found.classes.iter().map(|class| class.problems).collect::<Vec<_>>(), [4, 4, 2]);
        assert!(found.classes[0].duplicates.is_empty(), "c loses n, and a does not");
        assert_eq!(found.classes[2].duplicates, [["d", "g"]]);
        assert!(notes(&found.classes, 9).contains("4: position 4\n") && notes(&found.classes, 9).contains("d = g."));
        let similarity = found.similarity.unwrap();
        assert_eq!((similarity.features.join(" "), similarity.classes), ("a c b d g".to_string(), vec![0, 0, 1, 2, 2]));
        assert_eq!(similarity.values[0], [1.0, 1.0, 0.6, 0.2, 0.2]);
        assert!(by_solved(&output[..5], &places(&[])).classes.is_empty(), "without Neutral nothing is gained");
    }

    #[test]
    fn regrets_are_compared_by_their_changes() {
        let changes = [
            ("a", vec![0.3, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0]),
            ("b", vec![0.0, 0.2, -0.1, 0.0, 0.0, 0.0, 0.0, 0.0]),
            ("Neutral", vec![0.0; 8]),
            ("c", vec![0.2, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, -0.05]),
            ("d", vec![-0.1; 8]),
        ];
        let found = by_regret(changes.into_iter(), &places(&[0.8, 0.1, 0.1, 0.9, 0.5, 0.5, 0.5, 0.5]));
        let features: Vec<_> = found.classes.iter().map(|class| class.features.join(" ")).collect();
        assert_eq!(features, ["a c", "b"], "d gains nothing: {:?}", found.classes);
        assert_eq!(found.classes[0].example.as_deref(), Some("n"), "where it gains most");
        assert_eq!(
            found.classes.iter().map(|class| class.better_and_worse.unwrap()).collect::<Vec<_>>(),
            [[2, 0], [0, 1]]
        );
        assert_eq!(found.classes.iter().map(|class| class.character()).collect::<Vec<_>>(), ["attacks", "defends"]);
    }

    #[test]
    fn similarities_are_those_of_the_definitions() {
        let set = |places: &[usize]| places.iter().copied().collect();
        assert!((shared(&set(&[1, 2, 3]), &set(&[2, 3, 4])) - 0.5).abs() < 1e-12);
        assert!((shared(&set(&[1]), &set(&[1])) - 1.0).abs() < 1e-12);
        assert_eq!((shared(&set(&[1]), &set(&[2])), shared(&set(&[]), &set(&[]))), (0.0, 0.0));
        assert!((correlation(&[1.0, 2.0], &[2.0, 4.0]) - 1.0).abs() < 1e-12);
        assert_eq!((correlation(&[1.0, 0.0], &[0.0, 3.0]), correlation(&[0.0], &[1.0])), (0.0, 0.0));
    }
}
