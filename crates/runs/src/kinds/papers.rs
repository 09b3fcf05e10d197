//! What *Automated Discovery of Search-Extension Features* and the thesis print about Breakthrough, each number once.
//!
//! Where the two differ, the paper is followed: the thesis gives `Ms-RdTt` the parent `Ms`, and has a star neither at
//! `PP-Edg` nor at `PP-Rdt-Edg`, which the text of both counts among what was found.

use plysmith_learn::pruning::Pruning;

/// A row of Table 2 (thesis Table 4.3).
pub struct PaperMethod {
    /// The pruning method.
    pub pruning: Pruning,
    /// The hours that it took.
    pub hours: &'static str,
    /// Features evaluated.
    pub evaluations: usize,
    /// Of the ten best features found without groups, those that it does not find: as many as the thesis says.
    pub overlooked: &'static [&'static str],
}

/// A row of Table 3 (thesis Table 4.4).
pub struct PaperFeature {
    /// The feature.
    pub name: &'static str,
    /// Problems solved.
    pub solved: u32,
    /// Its first parent; none for an atom.
    pub parent: Option<&'static str>,
    /// Whether it is one of the eleven that Gradual Focus found, and that are not redundant.
    pub is_found: bool,
}

/// All combinations of the fifteen atoms.
pub const POWER_SET: u64 = 32_768;

/// Table 2. The last row is only in the thesis.
pub const TABLE_2: [PaperMethod; 5] = [
    PaperMethod { pruning: Pruning::None, hours: "30.6", evaluations: 138, overlooked: &[] },
    PaperMethod { pruning: Pruning::Groups, hours: "24.9", evaluations: 112, overlooked: &[] },
    PaperMethod { pruning: Pruning::LinearTree, hours: "23.7", evaluations: 105, overlooked: &[] },
    PaperMethod {
        pruning: Pruning::Threshold,
        hours: "5.8",
        evaluations: 27,
        overlooked: &["Ud-PP-Rdt", "Ud-Rdt", "PP-Rdt", "PP-Rdt-Edg", "Rc-Rdb"],
    },
    PaperMethod { pruning: Pruning::Knowledge, hours: "10.0", evaluations: 45, overlooked: &[] },
];

/// Of the evaluations without groups, those of features that no move can have.
pub const INCOMPATIBLE: usize = 13;

/// The atoms that threshold pruning drops, because they solve fewer problems than Neutral, and without which the five
/// features cannot be formed (thesis section 4.1.3). Whether there are more is not printed.
pub const BELOW_NEUTRAL: [&str; 3] = ["Rdb", "Rdt", "Edg"];

/// The problems that the paper measured features on.
pub const PROBLEMS: usize = 302;

/// What Neutral solves of the 302 problems (thesis section 4.1.2).
pub const NEUTRAL_SOLVED: u32 = 29;

/// Table 3.
pub const TABLE_3: [PaperFeature; 25] = [
    found("Ud-RdTt", 235, Some("Ud")),
    redundant("Ud-PP-RdTt", 224, "Ud-RdTt"),
    found("PP-RdTt", 211, Some("PP")),
    found("RdTt", 202, None),
    found("Ud-PP-Rdt", 173, Some("Ud-PP")),
    found("Ud-PP", 155, Some("Ud")),
    redundant("Ud-RdTt-Edg", 149, "Ud-RdTt"),
    redundant("RdTt-Edg", 142, "RdTt"),
    redundant("Ud-RdTt-Mr", 141, "Ud-RdTt"),
    redundant("PP-RdTt-Mr", 140, "PP-RdTt"),
    redundant("RdTt-Mr", 138, "RdTt"),
    found("Ud-Rdt", 125, Some("Ud")),
    redundant("Ud-PP-Edg", 122, "Ud-PP"),
    redundant("PP-RdTt-Edg", 115, "PP-RdTt"),
    redundant("Ud-Ms-RdTt", 114, "Ud-RdTt"),
    redundant("Ud-PP-RdTb", 111, "Ud-PP"),
    redundant("Ms-RdTt", 110, "RdTt"),
    redundant("Ud-PP-Mr", 109, "Ud-PP"),
    found("PP-Rdt-Edg", 108, Some("PP-Rdt")),
    redundant("Ud-Rdt-Mr", 105, "Ud-Rdt"),
    found("Ud", 102, None),
    redundant("Ud-Rdt-Edg", 102, "Ud-Rdt"),
    found("PP-Rdt", 98, Some("PP")),
    found("PP-Edg", 97, Some("PP")),
    found("Rc-Rdb", 96, Some("Rc")),
];

const fn found(name: &'static str, solved: u32, parent: Option<&'static str>) -> PaperFeature {
    PaperFeature { name, solved, parent, is_found: true }
}

const fn redundant(name: &'static str, solved: u32, parent: &'static str) -> PaperFeature {
    PaperFeature { name, solved, parent: Some(parent), is_found: false }
}

/// What a feature solves in the papers, if they say so.
pub fn solved(name: &str) -> Option<u32> {
    match name {
        "Neutral" => Some(NEUTRAL_SOLVED),
        _ => TABLE_3.iter().find(|feature| feature.name == name).map(|feature| feature.solved),
    }
}

/// Thesis Table 4.7: what features solve in chess.
pub const TABLE_4_7: [(&str, u32); 10] = [
    ("AcK", 44),
    ("PcK", 29),
    ("Rc-Rdb", 26),
    ("Rc", 24),
    ("RdTt", 17),
    ("PcQ-Rdt", 17),
    ("RdBb", 15),
    ("Rdt", 15),
    ("PcN-RdTb", 12),
    ("AcR", 11),
];

/// Thesis Table 4.8: what features solve in place of recaptures; the last two are from the text below the table.
pub const TABLE_4_8: [(&str, u32); 8] = [
    ("Rc", 24),
    ("CcR-LcR", 15),
    ("CcB-LcB", 14),
    ("CcR", 13),
    ("CcB", 11),
    // Printed as CcKn-LcKn.
    ("CcN-LcN", 11),
    ("(CcB-LcB)|(CcN-LcN)|(CcR-LcR)", 21),
    ("(CcB-LcB)|(CcR-LcR)", 26),
];

/// The problems of the thesis in chess.
pub const CHESS_PROBLEMS: usize = 99;

/// What a feature of a game solves in the papers, if they say so.
pub fn solved_in(game: &str, name: &str) -> Option<u32> {
    match game {
        "breakthrough" => solved(name),
        "chess" => TABLE_4_7.iter().chain(&TABLE_4_8).find(|(feature, _)| *feature == name).map(|(_, solved)| *solved),
        _ => None,
    }
}

/// How many problems the papers have in a game.
pub fn problems_in(game: &str) -> usize {
    if game == "chess" { CHESS_PROBLEMS } else { PROBLEMS }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games::breakthrough;
    use plysmith_learn::exhaustive::interesting;
    use plysmith_learn::focus::FeatureValue;

    use super::{BELOW_NEUTRAL, POWER_SET, TABLE_2, TABLE_3, solved, solved_in};

    /// A slip of a digit in any of the 25 would make another choice than the printed stars.
    #[test]
    fn the_papers_eleven_are_those_that_improve_on_all_their_parts() {
        let vocabulary = breakthrough::INFO.vocabulary;
        let value = |value, name| FeatureValue { feature: vocabulary.parse(name).unwrap(), value };
        let measured: Vec<_> = TABLE_3.iter().map(|row| value(row.solved, row.name)).collect();
        assert!(measured.is_sorted_by_key(|rated| std::cmp::Reverse(rated.value)));
        let kept: Vec<_> = interesting(&measured, 3).iter().map(|rated| rated.feature).collect();
        let stars: Vec<_> = TABLE_3.iter().filter(|row| row.is_found).collect();
        assert_eq!(kept, stars.iter().map(|row| vocabulary.parse(row.name).unwrap()).collect::<Vec<_>>());
        assert_eq!(stars.len(), 11);
        for row in TABLE_3 {
            let [whole, part] = [row.name, row.parent.unwrap_or("Neutral")].map(|name| vocabulary.parse(name).unwrap());
            assert_eq!(vocabulary.print(whole), row.name, "written as we write it");
            assert!(part.is_within(whole) && part.len() + 1 == whole.len(), "the parent of {}", row.name);
        }
    }

    /// The papers print the share of the power set with two decimals, cut off.
    #[test]
    fn the_shares_of_the_power_set_are_the_printed_ones() {
        let shares = TABLE_2.map(|method| 10_000 * method.evaluations as u64 / POWER_SET);
        assert_eq!(shares, [42, 34, 32, 8, 13]);
        assert_eq!(POWER_SET, 1 << 15);
        let features = TABLE_2.iter().flat_map(|method| method.overlooked);
        assert!(features.clone().all(|name| TABLE_3.iter().any(|row| row.name == *name && row.is_found)));
        // Each has an atom that threshold pruning dropped.
        assert!(features.clone().all(|name| name.split('-').any(|atom| BELOW_NEUTRAL.contains(&atom))));
        assert_eq!((features.count(), solved("Neutral"), solved("Edg")), (5, Some(29), None));
        assert_eq!(
            (solved_in("chess", "AcK"), solved_in("chess", "CcR-LcR"), solved_in("hex", "AcK")),
            (Some(44), Some(15), None)
        );
    }
}
