//! Transition counts: how often moves of a category could be played, and how often they were.
//!
//! Realization-probability search (thesis section 2.2.4) takes the probability of a category from game records, by
//! formula 2.1: the number of times that a move of the category was played, divided by the number of times that one could
//! be. There are two ways to count the latter. The formula counts positions that have such a move. With wide categories it
//! overestimates: one of ten such moves is played, and the category looks certain. So the moves are counted as well.
//!
//! Categories are features, which may overlap, with one more for the moves that have none of them; or the cells of a
//! partition by atoms, where each move belongs to the cell of exactly the atoms that it has.

use thiserror::Error;

use crate::feature::{Conjunction, Cost, Feature, FeatureError, Probability, Rule, Scheme, Vocabulary};

/// The first line of a file of transition counts, up to its version.
pub const FILE_HEADER: &str = "plysmith transitions 1";

/// What moves are sorted into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Categories {
    /// These features; a move counts in all that it has. Moves with none of them are one more category.
    Features(Vec<Feature>),
    /// The sets of these atoms that moves have: each move is in one of them.
    Partition(Conjunction),
}

/// How often moves of a category were played.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Moves of the category that could be played.
    pub moves: u64,
    /// Positions in which at least one could be played.
    pub positions: u64,
    /// Moves of the category that were played. One move is played in a position, so these are positions as well.
    pub played: u64,
}

/// Counts of all categories.
#[derive(Clone, Debug)]
pub struct TransitionCounts<'a> {
    categories: &'a Categories,
    tallies: Vec<Tally>,
    /// For each category the last position that had a move of it, counted from 1.
    last_seen: Vec<u64>,
    positions: u64,
    moves: u64,
}

/// Categories that cannot be counted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CategoriesError {
    /// Not features.
    #[error(transparent)]
    Feature(#[from] FeatureError),
    /// An atom of the search state.
    #[error("'{name}' says something of a search, which game records do not show; leave it out")]
    SearchState {
        /// What was read.
        name: String,
    },
    /// A category of all moves.
    #[error("'Neutral' holds for every move and is no category; leave it out")]
    Neutral,
    /// One feature twice.
    #[error("'{name}' stands there twice; leave one out")]
    Repeated {
        /// The feature.
        name: String,
    },
    /// No category.
    #[error("there is no category; name features like Rc,Ud-RdTt, or atoms of a partition like C,Rc,Ud")]
    None,
}

impl Categories {
    /// Reads features, separated by commas.
    pub fn parse_features(vocabulary: Vocabulary, text: &str) -> Result<Categories, CategoriesError> {
        let mut features = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let feature = vocabulary.parse_feature(part)?;
            if features.contains(&feature) {
                return Err(CategoriesError::Repeated { name: part.to_string() });
            }
            features.push(feature);
        }
        Categories::Features(features).checked(vocabulary)
    }

    /// Reads the atoms of a partition, separated by commas. They may be patterns such as `Rd*`.
    pub fn parse_partition(vocabulary: Vocabulary, text: &str) -> Result<Categories, CategoriesError> {
        let patterns = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        Categories::Partition(Conjunction::of(vocabulary.matching(patterns)?)).checked(vocabulary)
    }

    /// Fails if there is no category, or if a scheme cannot have them.
    fn checked(self, vocabulary: Vocabulary) -> Result<Categories, CategoriesError> {
        if let Some(atom) = self.atoms().atoms().find(|atom| vocabulary.is_state(*atom)) {
            return Err(CategoriesError::SearchState { name: vocabulary.facts(atom).name.to_string() });
        }
        let some = Probability::of_millionths(1).map(Cost::Probability);
        let rules: Vec<Rule> = match &self {
            Categories::Features(features) if features.is_empty() => return Err(CategoriesError::None),
            Categories::Features(features) if features.iter().any(Feature::is_neutral) => {
                return Err(CategoriesError::Neutral);
            }
            Categories::Features(features) => {
                features.iter().flat_map(|feature| Some(Rule::new(feature.clone(), some?))).collect()
            }
            Categories::Partition(atoms) if atoms.is_empty() => return Err(CategoriesError::None),
            Categories::Partition(atoms) => some.map(|cost| Rule::new((*atoms).into(), cost)).into_iter().collect(),
        };
        Scheme::of_rules(rules, some, self.is_partition())?;
        Ok(self)
    }

    /// Whether they are the cells of a partition.
    pub fn is_partition(&self) -> bool {
        matches!(self, Categories::Partition(_))
    }

    /// Every atom that they depend on.
    pub fn atoms(&self) -> Conjunction {
        match self {
            Categories::Features(features) => {
                features.iter().flat_map(Feature::alternatives).fold(Conjunction::NEUTRAL, Conjunction::and)
            }
            Categories::Partition(atoms) => *atoms,
        }
    }

    /// The features, or the atoms of the partition, as text.
    pub fn print(&self, vocabulary: Vocabulary) -> String {
        let names: Vec<String> = match self {
            Categories::Features(features) => {
                features.iter().map(|feature| vocabulary.print_feature(feature)).collect()
            }
            Categories::Partition(atoms) => atoms.atoms().map(|atom| vocabulary.facts(atom).name.to_string()).collect(),
        };
        names.join(",")
    }

    /// How many categories there can be, that of all other moves included.
    fn len(&self) -> usize {
        match self {
            Categories::Features(features) => features.len() + 1,
            Categories::Partition(atoms) => 1 << atoms.len(),
        }
    }

    /// The place of the category of all other moves: with none of the features, or none of the atoms.
    fn other(&self) -> usize {
        match self {
            Categories::Features(features) => features.len(),
            Categories::Partition(_) => 0,
        }
    }

    /// Calls this for each category of a move with these atoms.
    fn each(&self, has: Conjunction, mut visit: impl FnMut(usize)) {
        match self {
            Categories::Features(features) => {
                let mut is_other = true;
                for (place, feature) in features.iter().enumerate() {
                    if feature.alternatives().any(|conjunction| conjunction.is_within(has)) {
                        is_other = false;
                        visit(place);
                    }
                }
                if is_other {
                    visit(features.len());
                }
            }
            Categories::Partition(atoms) => {
                let bits = atoms
                    .atoms()
                    .enumerate()
                    .fold(0, |bits, (place, atom)| bits | usize::from(Conjunction::of([atom]).is_within(has)) << place);
                visit(bits);
            }
        }
    }

    /// The feature of a category; none for that of all other moves.
    fn feature(&self, place: usize) -> Option<Feature> {
        match self {
            Categories::Features(features) => features.get(place).cloned(),
            Categories::Partition(atoms) => {
                let cell = atoms.atoms().enumerate().filter(|(bit, _)| place >> bit & 1 == 1).map(|(_, atom)| atom);
                Some(Feature::from(Conjunction::of(cell))).filter(|feature| !feature.is_neutral())
            }
        }
    }
}

impl<'a> TransitionCounts<'a> {
    /// Nothing counted yet.
    pub fn new(categories: &'a Categories) -> TransitionCounts<'a> {
        let (tallies, last_seen) = (vec![Tally::default(); categories.len()], vec![0; categories.len()]);
        TransitionCounts { categories, tallies, last_seen, positions: 0, moves: 0 }
    }

    /// Counts a position: the atoms of each legal move, and whether it was played.
    pub fn add(&mut self, moves: &[(Conjunction, bool)]) {
        self.positions += 1;
        self.moves += moves.len() as u64;
        let TransitionCounts { categories, tallies, last_seen, positions, .. } = self;
        for &(has, is_played) in moves {
            categories.each(has, |place| {
                let tally = &mut tallies[place];
                tally.moves += 1;
                tally.played += u64::from(is_played);
                if last_seen[place] != *positions {
                    last_seen[place] = *positions;
                    tally.positions += 1;
                }
            });
        }
    }

    /// Adds counts of other positions by the same categories.
    pub fn merge(&mut self, other: &TransitionCounts<'_>) {
        for (tally, more) in self.tallies.iter_mut().zip(&other.tallies) {
            tally.moves += more.moves;
            tally.positions += more.positions;
            tally.played += more.played;
        }
        self.positions += other.positions;
        self.moves += other.moves;
        // Numbers of positions are no longer those of the last ones.
        self.last_seen.fill(0);
    }

    /// Positions counted.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Moves that could be played in them.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// The categories with their counts: features in their order, or cells that occurred. The last one, without a feature,
    /// is that of all other moves.
    pub fn rows(&self) -> Vec<(Option<Feature>, Tally)> {
        let other = self.categories.other();
        let is_row =
            |place: &usize| *place != other && (!self.categories.is_partition() || self.tallies[*place].moves > 0);
        let places = (0..self.tallies.len()).filter(is_row).chain([other]);
        places.map(|place| (self.categories.feature(place), self.tallies[place])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Categories, TransitionCounts};
    use crate::feature::{Conjunction, Feature};
    use crate::games::{self, GameInfo};

    fn game() -> &'static GameInfo {
        games::find("breakthrough").unwrap()
    }

    fn set(text: &str) -> Conjunction {
        game().vocabulary.parse(text).unwrap()
    }

    /// Two positions, each category by hand.
    fn counted(categories: &Categories) -> Vec<(String, [u64; 3])> {
        let mut counts = TransitionCounts::new(categories);
        counts.add(&[(set("C"), false), (set("Rc-C"), true), (set("Ud"), false), (set("Neutral"), false)]);
        counts.add(&[(set("Ud-C"), false), (set("Ud"), false), (set("Neutral"), true)]);
        assert_eq!((counts.positions(), counts.moves()), (2, 7));
        let name = |feature: Option<Feature>| {
            feature.map_or("Other".to_string(), |feature| game().vocabulary.print_feature(&feature))
        };
        counts.rows().into_iter().map(|(feature, t)| (name(feature), [t.moves, t.positions, t.played])).collect()
    }

    fn rows(expected: &[(&str, [u64; 3])]) -> Vec<(String, [u64; 3])> {
        expected.iter().map(|(name, counts)| (name.to_string(), *counts)).collect()
    }

    #[test]
    fn features_overlap_and_what_has_none_is_other() {
        let categories = Categories::parse_features(game().vocabulary, "C,Rc|Ud,PP").unwrap();
        let expected = [("C", [3, 2, 1]), ("Rc|Ud", [4, 2, 1]), ("PP", [0, 0, 0]), ("Other", [2, 2, 1])];
        assert_eq!(counted(&categories), rows(&expected));
    }

    #[test]
    fn cells_are_exact_sets_and_cells_without_moves_are_left_out() {
        let categories = Categories::parse_partition(game().vocabulary, "C,Ud").unwrap();
        // In vocabulary order: Ud, then C. Rc is not of the partition.
        let expected = [("Ud", [2, 2, 0]), ("C", [2, 1, 1]), ("Ud-C", [1, 1, 0]), ("Other", [2, 2, 1])];
        assert_eq!(counted(&categories), rows(&expected));
    }

    #[test]
    fn counts_of_parts_add_up() {
        let categories = Categories::parse_features(game().vocabulary, "C,Ud").unwrap();
        let positions = [[(set("C"), true), (set("Ud"), false)], [(set("C"), false), (set("C-Ud"), true)]];
        let mut all = TransitionCounts::new(&categories);
        let mut parts = TransitionCounts::new(&categories);
        for position in &positions {
            all.add(position);
            let mut part = TransitionCounts::new(&categories);
            part.add(position);
            parts.merge(&part);
        }
        parts.add(&positions[0]);
        all.add(&positions[0]);
        assert_eq!((parts.rows(), parts.positions(), parts.moves()), (all.rows(), 3, 6));
    }

    #[test]
    fn what_cannot_be_counted_is_refused_by_name() {
        let vocabulary = game().vocabulary;
        let features = |text: &str| Categories::parse_features(vocabulary, text).unwrap_err().to_string();
        let partition = |text: &str| Categories::parse_partition(vocabulary, text).unwrap_err().to_string();
        assert!(features("C,late").contains("'late' says something of a search"));
        assert!(partition("C,cut").contains("'cut' says something of a search"));
        assert!(features("C,Xy").contains("'Xy' is not a feature"));
        assert!(features("C,Ud,C").contains("'C' stands there twice"));
        assert!(features("Neutral").contains("no category"));
        assert!(features("").contains("there is no category") && partition(" , ").contains("there is no category"));
        let chess = games::find("chess").unwrap().vocabulary;
        let error = Categories::parse_partition(chess, "*").unwrap_err().to_string();
        assert!(error.contains("at most 16 different atoms"), "{error}");
    }
}
