//! Exhaustive evaluation of all combinations: affordable for few atoms, and the baseline that shows what Gradual Focus
//! misses (paper section 4.4, thesis section 4.1.4).
//!
//! A feature is *redundant* if one of its ancestors is nearly as good: if some part of it, with fewer atoms but not
//! Neutral, has a value that it does not beat by at least epsilon. All others are *interesting*, and atoms always are.
//! With this definition the 25 best features of the papers split into the printed 11 interesting and 14 redundant ones.
//! Each feature is judged by itself: a feature may be interesting although a part of it is redundant. Gradual Focus
//! never extends a redundant feature, so it misses such a feature, which lowers its recall.

use std::collections::BTreeSet;

use plysmith_core::feature::{Atom, Conjunction, Vocabulary};

use crate::{
    focus::{FeatureValue, sort_desc},
    pruning::Pruning,
};

/// Agreement of the features that were found with the interesting ones, as exact counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Agreement {
    /// Features that are interesting and were found.
    pub hits: usize,
    /// Features that were found.
    pub found: usize,
    /// Features that are interesting.
    pub relevant: usize,
    /// The interesting ones that were not found, best first.
    pub overlooked: Vec<Conjunction>,
}

/// All combinations of one to `most` of these atoms that the groups permit (all combinations with [`Pruning::None`]),
/// ordered by number of atoms, then by [`Conjunction`]. Without groups and limit this is the power set without Neutral,
/// so keep the number of atoms small.
pub fn combinations(
    vocabulary: Vocabulary,
    atoms: impl IntoIterator<Item = Atom>,
    pruning: Pruning,
    most: usize,
) -> Vec<Conjunction> {
    let atoms: BTreeSet<Atom> = atoms.into_iter().collect();
    let mut all = Vec::new();
    let mut generation = BTreeSet::from([Conjunction::NEUTRAL]);
    for _ in 0..most.min(atoms.len()) {
        let grow = |feature: &Conjunction| {
            let feature = *feature;
            let partners = atoms.iter().filter(move |&&atom| !pruning.same_group(vocabulary, feature, atom));
            partners.map(move |&atom| feature.and(Conjunction::of([atom]))).collect::<Vec<_>>()
        };
        generation = generation.iter().flat_map(grow).collect();
        all.extend(&generation);
    }
    all
}

/// The features that are not redundant, best first. Only the features in `measured` count as parts, so measure all
/// combinations up to some number of atoms.
pub fn interesting(measured: &[FeatureValue], epsilon: u32) -> Vec<FeatureValue> {
    let is_part = |part: &FeatureValue, whole: &FeatureValue| {
        !part.feature.is_empty() && part.feature != whole.feature && part.feature.is_within(whole.feature)
    };
    let is_redundant = |rated: &FeatureValue| {
        let mut parts = measured.iter().filter(|part| is_part(part, rated));
        parts.any(|part| rated.value < part.value.saturating_add(epsilon))
    };
    let mut kept: Vec<FeatureValue> =
        measured.iter().copied().filter(|rated| !rated.feature.is_empty() && !is_redundant(rated)).collect();
    sort_desc(&mut kept);
    kept
}

impl Agreement {
    /// Compares the Output of Gradual Focus with the interesting features among the `top` best of all measured ones, as
    /// the papers' Table 3 does. Neutral is ignored.
    pub fn of(output: &[FeatureValue], measured: &[FeatureValue], epsilon: u32, top: usize) -> Agreement {
        let mut best: Vec<FeatureValue> = measured.iter().copied().filter(|rated| !rated.feature.is_empty()).collect();
        sort_desc(&mut best);
        let best: BTreeSet<Conjunction> = best.iter().take(top).map(|rated| rated.feature).collect();
        let found: BTreeSet<Conjunction> =
            output.iter().map(|rated| rated.feature).filter(|feature| best.contains(feature)).collect();
        let relevant = interesting(measured, epsilon).into_iter().map(|rated| rated.feature);
        let (hits, overlooked): (Vec<_>, Vec<_>) =
            relevant.filter(|feature| best.contains(feature)).partition(|feature| found.contains(feature));
        Agreement { hits: hits.len(), found: found.len(), relevant: hits.len() + overlooked.len(), overlooked }
    }

    /// The share of the found features that is interesting; `None` if nothing was found.
    pub fn precision(&self) -> Option<f64> {
        share(self.hits, self.found)
    }

    /// The share of the interesting features that was found; `None` if there are none.
    pub fn recall(&self) -> Option<f64> {
        share(self.hits, self.relevant)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use plysmith_core::feature::{AtomFacts, Conjunction, Vocabulary};

    use super::{Agreement, combinations, interesting};
    use crate::{focus::FeatureValue, pruning::Pruning};

    const fn atom(name: &'static str, group: &'static str) -> AtomFacts {
        AtomFacts { name, group, parent: None, threshold_safe: true, meaning: "", example: ("", "") }
    }

    /// Breakthrough's atoms in the groups of thesis Table 4.2.
    const BREAKTHROUGH: Vocabulary = Vocabulary::new(&[
        atom("Ud", "Ud"),
        atom("PP", "PP"),
        atom("Rc", "C"),
        atom("C", "C"),
        atom("Ms", "Ms"),
        atom("Rdb", "Vertically"),
        atom("RdBt", "Vertically"),
        atom("RdBb", "Vertically"),
        atom("Rdt", "Vertically"),
        atom("RdTt", "Vertically"),
        atom("RdTb", "Vertically"),
        atom("Edg", "Horizontal"),
        atom("Mr", "Horizontal"),
        atom("Udp", "Udp"),
        atom("Bv2", "Bv2"),
    ]);

    /// The paper's Table 3: the 25 best features, those it calls interesting marked.
    const TABLE_3: [(&str, u32, bool); 25] = [
        ("Ud-RdTt", 235, true),
        ("Ud-PP-RdTt", 224, false),
        ("PP-RdTt", 211, true),
        ("RdTt", 202, true),
        ("Ud-PP-Rdt", 173, true),
        ("Ud-PP", 155, true),
        ("Ud-Edg-RdTt", 149, false),
        ("Edg-RdTt", 142, false),
        ("Ud-RdTt-Mr", 141, false),
        ("PP-RdTt-Mr", 140, false),
        ("RdTt-Mr", 138, false),
        ("Ud-Rdt", 125, true),
        ("Ud-PP-Edg", 122, false),
        ("PP-Edg-RdTt", 115, false),
        ("Ud-Ms-RdTt", 114, false),
        ("Ud-PP-RdTb", 111, false),
        ("Ms-RdTt", 110, false),
        ("Ud-PP-Mr", 109, false),
        ("PP-Rdt-Edg", 108, true),
        ("Ud-Rdt-Mr", 105, false),
        ("Ud", 102, true),
        ("Ud-Rdt-Edg", 102, false),
        ("PP-Rdt", 98, true),
        ("PP-Edg", 97, true),
        ("Rc-Rdb", 96, true),
    ];

    fn table_3() -> Vec<FeatureValue> {
        let rated = |&(name, value, _): &(&str, u32, bool)| FeatureValue { feature: named(name), value };
        TABLE_3.iter().map(rated).collect()
    }

    fn named(name: &str) -> Conjunction {
        BREAKTHROUGH.parse(name).unwrap()
    }

    #[test]
    fn groups_permit_15_of_63() {
        // Thesis section 3.4: six atoms in two equal groups.
        let six = || BREAKTHROUGH.atoms().take(6);
        const TWO_GROUPS: Vocabulary = Vocabulary::new(&[
            atom("a", "1"),
            atom("b", "1"),
            atom("c", "1"),
            atom("d", "2"),
            atom("e", "2"),
            atom("f", "2"),
        ]);
        assert_eq!(combinations(TWO_GROUPS, six(), Pruning::None, 6).len(), 63);
        assert_eq!(combinations(TWO_GROUPS, six(), Pruning::Groups, 6).len(), 15);
    }

    #[test]
    fn breakthrough_has_377_combinations_of_up_to_three() {
        let all = combinations(BREAKTHROUGH, BREAKTHROUGH.atoms(), Pruning::Groups, 3);
        assert_eq!(all.len(), 377);
        assert!(all.is_sorted_by_key(|feature| (feature.len(), *feature)));
        let power_set = combinations(BREAKTHROUGH, BREAKTHROUGH.atoms(), Pruning::None, usize::MAX);
        assert_eq!(power_set.len() + 1, 32_768);
    }

    #[test]
    fn the_papers_best_25_hold_11_interesting_features() {
        let printed = TABLE_3.iter().filter(|(_, _, interesting)| *interesting).map(|(name, ..)| named(name));
        let kept: Vec<_> = interesting(&table_3(), 3).iter().map(|rated| rated.feature).collect();
        assert_eq!(kept.len(), 11);
        assert_eq!(kept, printed.collect::<Vec<_>>());
    }

    #[test]
    fn agreement_counts_within_the_top() {
        let perfect = Agreement::of(&interesting(&table_3(), 3), &table_3(), 3, 25);
        assert_eq!((perfect.precision(), perfect.recall()), (Some(1.0), Some(1.0)));

        let neutral = FeatureValue { feature: Conjunction::NEUTRAL, value: 29 };
        let output = ["RdTt", "Ud-RdTt", "Edg-RdTt", "Ud"].map(|name| FeatureValue { feature: named(name), value: 0 });
        let agreement = Agreement::of(&[&output[..], &[neutral]].concat(), &table_3(), 3, 10);
        let overlooked = ["PP-RdTt", "Ud-PP-Rdt", "Ud-PP"].map(named).to_vec();
        assert_eq!(agreement, Agreement { hits: 2, found: 3, relevant: 5, overlooked }, "Ud is not in the top ten");
        assert_eq!(Agreement::of(&[], &[neutral], 3, 10).precision(), None);
    }

    #[test]
    fn a_grandparent_makes_redundant_too_and_neutral_does_not() {
        let rated = |name, value| FeatureValue { feature: named(name), value };
        let measured = [
            rated("Neutral", 50),
            rated("Ud", 20),
            rated("PP", 5),
            rated("Ms", 5),
            rated("Ud-PP", 10),
            rated("Ud-Ms", 10),
            rated("PP-Ms", 10),
            rated("Ud-PP-Ms", 19),
        ];
        let kept = interesting(&measured, 0);
        assert_eq!(
            kept,
            ["Ud", "PP-Ms", "PP", "Ms"]
                .map(|name| measured.into_iter().find(|rated| rated.feature == named(name)).unwrap())
        );
    }
}
