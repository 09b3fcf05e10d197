//! The text form of conjunctions, features and schemes.

use super::atoms::{Atom, Conjunction, Feature};
use super::cost::Cost;
use super::error::FeatureError;
use super::scheme::{Rule, Scheme};
use super::vocabulary::Vocabulary;
use crate::depth::Weight;
use crate::similar::nearest;

/// The name of all moves that no rule of a scheme gives a weight.
const OTHER: &str = "Other";

impl Vocabulary {
    /// The atoms that these patterns name, in vocabulary order: names, beginnings of names followed by `*`, or `state` for
    /// all atoms of the search state. A pattern matches atoms of the search state only if it begins with a small letter.
    pub fn matching<'a>(self, patterns: impl IntoIterator<Item = &'a str>) -> Result<Vec<Atom>, FeatureError> {
        let mut found = Conjunction::NEUTRAL;
        for pattern in patterns {
            let atoms = match pattern.strip_suffix('*') {
                _ if pattern == "state" && !self.state.is_empty() => Conjunction::of(self.state_atoms()),
                Some(beginning) => {
                    let begins = |&atom: &Atom| self.facts(atom).name.starts_with(beginning);
                    let state = self.state_atoms().filter(|_| !beginning.is_empty());
                    Conjunction::of(self.atoms().chain(state).filter(begins))
                }
                None => Conjunction::of([self.find(pattern).ok_or_else(|| self.unknown(pattern))?]),
            };
            if atoms.is_empty() {
                return Err(FeatureError::NoMatch { pattern: pattern.to_string(), known: self.names() });
            }
            found = found.and(atoms);
        }
        Ok(found.atoms().collect())
    }

    /// Prints a conjunction: `Ud-RdTt`, or `Neutral`.
    pub fn print(self, feature: Conjunction) -> String {
        if feature.is_empty() {
            return "Neutral".to_string();
        }
        let names: Vec<_> = feature.atoms().map(|atom| self.facts(atom).name).collect();
        names.join("-")
    }

    /// Reads a conjunction, its atoms in any order.
    pub fn parse(self, text: &str) -> Result<Conjunction, FeatureError> {
        if text == "Neutral" {
            return Ok(Conjunction::NEUTRAL);
        }
        text.split('-').try_fold(Conjunction::NEUTRAL, |feature, name| {
            let atom = self.find(name).ok_or_else(|| self.unknown(name))?;
            let atom = Conjunction::of([atom]);
            if atom.is_within(feature) {
                return Err(FeatureError::Repeated { text: text.to_string(), what: name.to_string() });
            }
            Ok(feature.and(atom))
        })
    }

    /// Prints a feature: a single conjunction as it is, alternatives by the alphabet, like `AcK|(CcR-LcR)`.
    pub fn print_feature(self, feature: &Feature) -> String {
        if feature.others().is_empty() {
            return self.print(feature.first());
        }
        let mut names: Vec<_> = feature.alternatives().map(|conjunction| self.print(conjunction)).collect();
        names.sort();
        let alternatives: Vec<_> =
            names.into_iter().map(|name| if name.contains('-') { format!("({name})") } else { name }).collect();
        alternatives.join("|")
    }

    /// Reads a feature: alternatives in any order, each with or without parentheses around it.
    pub fn parse_feature(self, text: &str) -> Result<Feature, FeatureError> {
        let mut alternatives: Vec<Conjunction> = Vec::new();
        for part in text.split('|') {
            let inner = part.strip_prefix('(').and_then(|part| part.strip_suffix(')')).unwrap_or(part);
            if inner.contains(['(', ')']) {
                let example = self.print(Conjunction::of(self.atoms().take(2)));
                return Err(FeatureError::Parentheses { text: text.to_string(), example });
            }
            let new = self.parse(inner)?;
            for &known in &alternatives {
                let (wide, narrow) = if known.len() <= new.len() { (known, new) } else { (new, known) };
                let text = text.to_string();
                match wide.is_within(narrow) {
                    _ if wide.is_empty() => return Err(FeatureError::NeutralAlternative { text }),
                    true if wide == narrow => return Err(FeatureError::Repeated { text, what: self.print(new) }),
                    true => {
                        let (narrow, wide) = (self.print(narrow), self.print(wide));
                        return Err(FeatureError::Subsumed { text, narrow, wide });
                    }
                    false => {}
                }
            }
            alternatives.push(new);
        }
        Ok(Feature::any_of(alternatives))
    }

    /// Prints a scheme: `Ud-RdTt@0.5,PP@0.75`, or `Neutral`.
    pub fn print_scheme(self, scheme: &Scheme) -> String {
        if scheme.is_neutral() {
            return self.print(Conjunction::NEUTRAL);
        }
        let rules = scheme.rules().iter().map(|rule| self.print_rule(rule));
        let other = scheme.other().map(|cost| format!("{OTHER}@{cost}"));
        let parts: Vec<_> = rules.chain(other).collect();
        format!("{}{}", if scheme.is_partition() { "=" } else { "" }, parts.join(","))
    }

    fn print_rule(self, rule: &Rule) -> String {
        let mark = match (rule.is_exempt, Rule::exempts_by_default(rule.cost)) {
            (true, false) => "!",
            (false, true) => "~",
            _ => "",
        };
        format!("{}@{}{mark}", self.print_feature(&rule.feature), rule.cost)
    }

    /// Reads a scheme. A feature without `@` gets the weight given here.
    pub fn parse_scheme(self, text: &str, default: Weight) -> Result<Scheme, FeatureError> {
        if text == "Neutral" {
            return Ok(Scheme::neutral());
        }
        let (rest, is_partition) = text.strip_prefix('=').map_or((text, false), |rest| (rest, true));
        let mut rules: Vec<Rule> = Vec::new();
        let mut other = None;
        for part in rest.split(',') {
            let (name, cost) = part.split_once('@').unwrap_or((part, ""));
            if name == OTHER {
                let cost = cost.parse()?;
                if matches!(cost, Cost::Amount(_)) {
                    return Err(FeatureError::OtherAmount { text: part.to_string() });
                }
                if other.replace(cost).is_some() {
                    return Err(FeatureError::Repeated { text: text.to_string(), what: OTHER.to_string() });
                }
                continue;
            }
            let rule = self.parse_rule(part, default)?;
            if is_partition && !rule.feature.others().is_empty() {
                return Err(FeatureError::PartitionAlternatives { text: part.to_string() });
            }
            if rules.iter().any(|known| known.feature == rule.feature) {
                return Err(FeatureError::Repeated { text: text.to_string(), what: self.print_feature(&rule.feature) });
            }
            rules.push(rule);
        }
        Scheme::of_rules(rules, other, is_partition)
    }

    /// Reads `FEATURE[@COST[!|~]]`.
    fn parse_rule(self, text: &str, default: Weight) -> Result<Rule, FeatureError> {
        let (name, cost) = match text.split_once('@') {
            Some((name, cost)) => (name, Some(cost)),
            None => (text, None),
        };
        let feature = self.parse_feature(name)?;
        if feature.is_neutral() {
            return Err(FeatureError::WeightedNeutral { text: text.to_string() });
        }
        let Some(cost) = cost else { return Ok(Rule::new(feature, default.into())) };
        let (cost, mark) = match cost.strip_suffix(['!', '~']) {
            Some(bare) => (bare, Some(cost.ends_with('!'))),
            None => (cost, None),
        };
        let cost: Cost = cost.parse()?;
        if mark.is_some() && cost.weight().is_none() {
            return Err(FeatureError::Mark { text: text.to_string() });
        }
        Ok(Rule { feature, cost, is_exempt: mark.unwrap_or_else(|| Rule::exempts_by_default(cost)) })
    }

    fn unknown(self, name: &str) -> FeatureError {
        let hint = match (self.with_cost(name), nearest(name, self.moves.iter().map(|facts| facts.name))) {
            (Some(meant), _) => format!("write {meant}. E"),
            (None, Some(meant)) => format!("did you mean {meant}? E"),
            (None, None) => "e".to_string(),
        };
        FeatureError::UnknownAtom { name: name.to_string(), hint, known: self.names() }
    }

    /// What was meant by an atom with a cost behind it that is not joined by `@`: `RdTt=0.5`, `RdTt 0.5`, `RdTt0.5`.
    fn with_cost(self, text: &str) -> Option<String> {
        let names = self.moves.iter().map(|facts| facts.name).filter(|name| text.starts_with(name));
        let name = names.max_by_key(|name| name.len())?;
        let cost = text[name.len()..].trim_start_matches(['=', ':', ' ', '*', '/']);
        let cost = if cost.starts_with('.') { format!("0{cost}") } else { cost.to_string() };
        cost.parse::<Cost>().ok().map(|cost| format!("{name}@{cost}"))
    }

    fn names(self) -> String {
        self.moves.iter().map(|facts| facts.name).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::AtomFacts;
    use super::{Atom, Conjunction, Feature, FeatureError, Scheme, Vocabulary};
    use crate::depth::Weight;

    const fn atom(name: &'static str) -> AtomFacts {
        AtomFacts { name, group: name, parent: None, threshold_safe: true, meaning: "", example: ("", "") }
    }

    const LETTERS: Vocabulary = Vocabulary::new(&[atom("a"), atom("b"), atom("c"), atom("d")]);

    fn of_bits(bits: u64) -> Conjunction {
        Conjunction::of((0..64).filter(|bit| bits >> bit & 1 == 1).map(Atom))
    }

    #[test]
    fn conjunctions_read_back_in_any_order() {
        for bits in 0..16 {
            let feature = of_bits(bits);
            assert_eq!(LETTERS.parse(&LETTERS.print(feature)), Ok(feature));
        }
        assert_eq!(LETTERS.parse("c-a"), LETTERS.parse("a-c"));
        assert_eq!(LETTERS.print(LETTERS.parse("d-b").unwrap()), "b-d");
    }

    #[test]
    fn schemes_are_kept_by_rising_weight() {
        let scheme = LETTERS.parse_scheme("a,b-c@0.25,d@2", Weight::HALF).unwrap();
        assert_eq!(LETTERS.print_scheme(&scheme), "b-c@0.25,a@0.5,d@2");
        assert_eq!(LETTERS.parse_scheme("Neutral", Weight::HALF).unwrap().rules(), []);
    }

    #[test]
    fn a_scheme_of_features_is_the_scheme_that_is_written_so() {
        let feature = |text| LETTERS.parse_feature(text).unwrap();
        let weight = |text: &str| text.parse::<Weight>().unwrap();
        let scheme = Scheme::of(
            [("a", "2"), ("b-c", "0.25"), ("Neutral", "0"), ("a", "0.5"), ("d", "0.25")]
                .map(|(name, plies)| (feature(name), weight(plies))),
        );
        assert_eq!(scheme, LETTERS.parse_scheme("b-c@0.25,d@0.25,a@0.5", Weight::HALF));
        assert!(matches!(
            Scheme::of((1..=33).map(|bits| (Feature::from(of_bits(bits)), Weight::HALF))),
            Err(FeatureError::TooMany { count: 33, most: 32 })
        ));
    }

    #[test]
    fn errors_name_what_was_read_and_what_to_write() {
        let error = |text| LETTERS.parse_scheme(text, Weight::HALF).unwrap_err().to_string();
        assert_eq!(error("a-x@1"), "'x' is not a feature; expected one of a, b, c, d, or several joined by '-'");
        assert_eq!(error("a-a"), "'a-a' names a twice; leave one out");
        assert_eq!(error("a-b,b-a@1"), "'a-b,b-a@1' names a-b twice; leave one out");
        assert!(error("a@fast").starts_with("'fast' is not a weight"));
        assert!(error("Neutral@0.5").contains("no effect"));
        assert!(error("").starts_with("'' is not a feature"));
    }

    #[test]
    fn alternatives_read_back_in_any_order_and_with_or_without_parentheses() {
        for text in ["a|b", "a|(b-c)", "(a-b)|(c-d)", "(a-b)|c|d", "a-b", "a"] {
            let feature = LETTERS.parse_feature(text).unwrap();
            assert_eq!(LETTERS.print_feature(&feature), text);
            let bare = LETTERS.parse_feature(&text.replace(['(', ')'], "")).unwrap();
            let mut turned: Vec<_> = text.split('|').collect();
            turned.reverse();
            assert_eq!((&bare, LETTERS.parse_feature(&turned.join("|"))), (&feature, Ok(feature.clone())));
        }
        assert_eq!(LETTERS.parse_feature("(a)"), LETTERS.parse_feature("a"));
        let scheme = LETTERS.parse_scheme("d,(c-d)|(b-a)@0.25,a-b@0.25", Weight::HALF).unwrap();
        assert_eq!(LETTERS.print_scheme(&scheme), "a-b@0.25,(a-b)|(c-d)@0.25,d@0.5");
    }

    #[test]
    fn alternatives_without_use_are_refused_or_left_out() {
        let error = |text| LETTERS.parse_feature(text).unwrap_err().to_string();
        assert_eq!(error("a-b|(b-a)"), "'a-b|(b-a)' names a-b twice; leave one out");
        assert_eq!(error("a-b|c|b"), "'a-b|c|b' has no use for 'a-b', which holds only where 'b' does; leave it out");
        assert_eq!(error("b|a-b"), "'b|a-b' has no use for 'a-b', which holds only where 'b' does; leave it out");
        assert!(error("a|Neutral").contains("Neutral as an alternative"));
        assert!(error("a|").starts_with("'' is not a feature"));
        for text in ["(a", "a)", "(a|b)", "((a))", "(a)-b", "()(a)"] {
            assert!(error(text).contains("parentheses") && error(text).contains("'(a-b)|(a-b)'"), "{}", error(text));
        }
        let [a, ab, cd] = ["a", "a-b", "c-d"].map(|text| LETTERS.parse(text).unwrap());
        assert_eq!(Feature::any_of([ab, cd, a, cd]), Feature::any_of([a, cd]));
        assert_eq!(Feature::any_of([a, cd]).alternatives().collect::<Vec<_>>(), [a, cd]);
        assert!(Feature::any_of([]).is_neutral() && Feature::any_of([a, Conjunction::NEUTRAL]).is_neutral());
    }

    #[test]
    fn costs_of_every_kind_read_back() {
        const LETTERS: Vocabulary = Vocabulary::of_game(super::tests::LETTERS.moves);
        for text in [
            "a@0.5~,b@1!,c@1.5,d@2!",
            "a@1,b@40%,c@2.5%,Other@1.5%",
            "=a-b@31%,a@4%,c@0.5%,Other@0.25%",
            "a@0.5,cut-quiet@-0.25,b-late@+0.5",
            "cut-verylate@1.5,Other@1",
            "Other@2",
        ] {
            let scheme = LETTERS.parse_scheme(text, Weight::HALF).unwrap();
            assert_eq!(LETTERS.print_scheme(&scheme), text);
            assert!(!scheme.is_plain() && !scheme.is_neutral());
        }
        for (text, printed) in [("a@0.5!,b", "a@0.5,b@0.5"), ("a@0.5~,b@1!", "a@0.5~,b@1!")] {
            let scheme = LETTERS.parse_scheme(text, Weight::HALF).unwrap();
            assert!(scheme.is_plain() && LETTERS.print_scheme(&scheme) == printed);
        }
        let error = |text| LETTERS.parse_scheme(text, Weight::HALF).unwrap_err().to_string();
        assert!(error("a@+0.5!").contains("only a weight can have"));
        assert!(error("Other@+0.5").contains("Other@1.5"));
        assert!(error("a@0%").contains("0.0001%"));
        assert!(error("a,Other@2,Other@3").contains("names Other twice"));
        assert!(error("=a|b@3%").contains("partition"));
        assert!(error("a,Other").starts_with("'' is not a weight"));
        assert!(LETTERS.parse("late-x").unwrap_err().to_string().contains("'x' is not a feature"));
    }

    #[test]
    fn state_atoms_are_named_only_where_the_search_knows_them() {
        let game = Vocabulary::of_game(LETTERS.moves);
        assert!(LETTERS.parse("late").is_err() && game.parse("a-late").is_ok());
        assert_eq!(game.matching(["*"]).unwrap().len(), 4);
        assert_eq!(game.matching(["state"]).unwrap(), game.state_atoms().collect::<Vec<_>>());
        assert_eq!(game.matching(["tt*"]).unwrap().len(), 2);
        for (text, reason) in super::super::state::BLACKLIST {
            let feature = game.parse(text).unwrap();
            assert!(feature.len() == 2 && game.print(feature) == *text && !reason.is_empty(), "{text}");
        }
    }

    #[test]
    fn patterns_name_atoms() {
        const NAMES: Vocabulary = Vocabulary::new(&[atom("PcK"), atom("PcQ"), atom("Rc")]);
        assert_eq!(NAMES.matching(["Rc", "Pc*", "PcQ"]), Ok([0, 1, 2].map(Atom).to_vec()));
        assert_eq!(NAMES.matching(["*"]).unwrap().len(), 3);
        assert!(NAMES.matching(["Pc"]).unwrap_err().to_string().starts_with("'Pc' is not a feature"));
        assert!(NAMES.matching(["X*"]).unwrap_err().to_string().starts_with("no feature begins like 'X*'"));
    }

    #[test]
    fn narrower_conjunctions_contain_wider_ones() {
        let (ab, abc) = (LETTERS.parse("a-b").unwrap(), LETTERS.parse("a-b-c").unwrap());
        assert!(ab.is_within(abc) && !abc.is_within(ab) && Conjunction::NEUTRAL.is_within(ab));
        assert_eq!(ab.and(abc).len(), 3);
    }
}
