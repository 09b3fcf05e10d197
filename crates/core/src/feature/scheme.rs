//! Schemes: what moves with certain features cost.

use super::atoms::{Conjunction, Feature};
use super::cost::{Cost, Probability};
use super::error::FeatureError;
use super::state::StateAtoms;
use crate::depth::Weight;

/// How much depth moves cost.
///
/// Of all rules with a weight or a probability whose feature a move has, the one with the lowest weight decides. Moves
/// without such a rule cost what the scheme says of all others, or one ply. Amounts of all matching rules are then added.
///
/// In a *partition* a rule holds only for moves that have exactly its atoms, of all atoms that the scheme names.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Default)]
pub struct Scheme {
    /// Weights, lowest first; probabilities, highest first; amounts. So the first that matches decides.
    rules: Vec<Rule>,
    other: Option<Cost>,
    is_partition: bool,
}

/// What a scheme says of one feature.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Rule {
    /// The feature.
    pub feature: Feature,
    /// What moves with it cost.
    pub cost: Cost,
    /// Whether these moves are exempt from pruning and from late-move reductions. By default moves are that cost less
    /// than a ply: to extend a move and to prune it contradict each other.
    pub is_exempt: bool,
}

impl Rule {
    /// A rule whose moves are exempt if they are extended.
    pub fn new(feature: Feature, cost: Cost) -> Rule {
        Rule { feature, cost, is_exempt: Rule::exempts_by_default(cost) }
    }

    /// Whether moves of this cost are exempt unless the scheme says otherwise.
    pub fn exempts_by_default(cost: Cost) -> bool {
        cost.weight().is_some_and(|weight| weight < Weight::ONE)
    }

    /// Sorts weights before probabilities before amounts, and what costs less first.
    fn rank(&self) -> (u8, u32) {
        match self.cost {
            Cost::Weight(weight) => (0, u32::from(weight.units())),
            Cost::Probability(probability) => (1, u32::MAX - probability.millionths()),
            Cost::Amount(_) => (2, 0),
        }
    }
}

impl Scheme {
    /// The most rules of a scheme that has only weights up to one ply: those have a policy of their own.
    pub const MOST_PLAIN: usize = 32;

    /// The most rules a scheme can have.
    pub const MOST_RULES: usize = 256;

    /// The most different atoms in a scheme that is not plain: what moves cost is looked up in a table with an entry for
    /// each of their combinations.
    pub const MOST_ATOMS: usize = 16;

    /// No feature: every move costs one ply.
    pub const fn neutral() -> Scheme {
        Scheme { rules: Vec::new(), other: None, is_partition: false }
    }

    /// One feature with its cost; Neutral gives the neutral scheme.
    pub fn single(feature: impl Into<Feature>, cost: impl Into<Cost>) -> Scheme {
        let feature = feature.into();
        let rules = if feature.is_neutral() { Vec::new() } else { vec![Rule::new(feature, cost.into())] };
        Scheme { rules, ..Scheme::neutral() }
    }

    /// These features with their costs, in any order. What has no effect is left out: Neutral, and a feature that
    /// stands there again with a higher weight.
    pub fn of<C: Into<Cost>>(features: impl IntoIterator<Item = (Feature, C)>) -> Result<Scheme, FeatureError> {
        let rules = features.into_iter().map(|(feature, cost)| Rule::new(feature, cost.into()));
        Scheme::of_rules(rules.filter(|rule| !rule.feature.is_neutral()).collect(), None, false)
    }

    /// A scheme of these rules, in any order. `other` is what moves cost that no weight or probability is for.
    pub fn of_rules(mut rules: Vec<Rule>, other: Option<Cost>, is_partition: bool) -> Result<Scheme, FeatureError> {
        rules.sort_by(|one, other| (one.rank(), &one.feature).cmp(&(other.rank(), &other.feature)));
        let mut kept: Vec<Rule> = Vec::new();
        for rule in rules {
            if !kept.iter().any(|known| known.feature == rule.feature) {
                kept.push(rule);
            }
        }
        let scheme = Scheme { rules: kept, other, is_partition };
        scheme.check_size()?;
        Ok(scheme)
    }

    fn check_size(&self) -> Result<(), FeatureError> {
        let most = if self.is_plain_but_for_size() { Scheme::MOST_PLAIN } else { Scheme::MOST_RULES };
        let (count, atoms) = (self.rules.len(), self.used().len());
        if count > most {
            return Err(FeatureError::TooMany { count, most });
        }
        if !self.is_plain() && atoms > Scheme::MOST_ATOMS {
            return Err(FeatureError::TooManyAtoms { count: atoms, most: Scheme::MOST_ATOMS });
        }
        Ok(())
    }

    /// Its rules: weights, the lowest first; probabilities, the highest first; amounts.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What moves cost that no weight or probability is for, if the scheme says so.
    pub fn other(&self) -> Option<Cost> {
        self.other
    }

    /// Whether a rule holds only for moves that have exactly its atoms.
    pub fn is_partition(&self) -> bool {
        self.is_partition
    }

    /// Whether it changes nothing.
    pub fn is_neutral(&self) -> bool {
        self.rules.is_empty() && self.other.is_none()
    }

    /// Whether it only extends moves by what they are: weights up to one ply, no search state.
    pub fn is_plain(&self) -> bool {
        self.is_plain_but_for_size() && self.rules.len() <= Scheme::MOST_PLAIN
    }

    fn is_plain_but_for_size(&self) -> bool {
        let is_plain = |rule: &Rule| rule.cost.weight().is_some_and(|weight| weight <= Weight::ONE);
        self.other.is_none()
            && !self.is_partition
            && StateAtoms::of(self.used().atoms()).is_empty()
            && self.rules.iter().all(is_plain)
    }

    /// Every atom that it names.
    pub fn used(&self) -> Conjunction {
        let conjunctions = self.rules.iter().flat_map(|rule| rule.feature.alternatives());
        conjunctions.fold(Conjunction::NEUTRAL, Conjunction::and)
    }

    /// Whether it has realization probabilities.
    pub fn has_probabilities(&self) -> bool {
        let is_probability = |cost: Cost| matches!(cost, Cost::Probability(Probability { .. }));
        self.rules.iter().map(|rule| rule.cost).chain(self.other).any(is_probability)
    }
}
