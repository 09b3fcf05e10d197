//! A discovery's configuration: its defaults, its Base set and blacklist, and Gradual Focus as it asks for.

use plysmith_core::depth::Weight;
use plysmith_core::feature::{Atom, Conjunction, Feature, Scheme, state};
use plysmith_engine::driver::{Candidate, Conditions};
use plysmith_learn::focus::{FocusSettings, GradualFocus, Survival};
use plysmith_learn::pruning::Pruning;

use super::{Combining, Config, GroupChoice};
use crate::error::RunError;
use crate::experiment::{Experiment, Features, OpenedSubject};
use crate::services::Services;

impl Config {
    /// The papers' parameters on an experiment: half a ply, epsilon 3, groups, the game's Base set and blacklist.
    pub fn new(experiment: Experiment, features: &Features) -> Result<Config, RunError> {
        let base = base_set(features, &[])?;
        Ok(Config {
            experiment,
            weights: vec![Weight::HALF.into()],
            epsilon: 3,
            error: None,
            seeds: 1,
            pruning: Pruning::Groups,
            delta: None,
            blacklist: blacklist(features, &base, &[])?,
            base,
            most_atoms: None,
            exact: false,
            top: 20,
            follow_up: None,
            graded: None,
            fitness: None,
            charts: None,
            combining: Combining::default(),
        })
    }

    /// The atoms of the Base set.
    pub fn base_atoms(&self, features: &Features) -> Result<Vec<Atom>, RunError> {
        match self.base.as_slice() {
            [] => Ok(features.guidance.base_atoms(features.vocabulary)?),
            names => Ok(features.vocabulary.matching(names.iter().map(String::as_str))?),
        }
    }

    /// Gradual Focus at its start.
    pub fn focus(&self, features: &Features) -> Result<GradualFocus, RunError> {
        let vocabulary = self.combining.vocabulary(features)?;
        let settings = FocusSettings {
            pruning: self.pruning,
            survival: self.survival(),
            epsilon: match self.survival() {
                Survival::Saves => i32::try_from(self.slack()).unwrap_or(i32::MAX),
                Survival::Gains => self.epsilon,
            },
            delta: self.delta,
            blacklist: self.blacklist.iter().map(|text| vocabulary.parse(text)).collect::<Result<_, _>>()?,
            // Without ∧, atoms are only joined.
            most_atoms: if self.combining.operators.and { self.most_atoms } else { Some(1) },
        };
        Ok(GradualFocus::new(vocabulary, self.base_atoms(features)?, settings))
    }

    /// The pruning method, with the groups if they are not the usual ones.
    pub(super) fn pruning_text(&self) -> String {
        match self.combining.groups {
            GroupChoice::Thesis => self.pruning.to_string(),
            GroupChoice::Paper => format!("{} with the paper's groups", self.pruning),
        }
    }

    /// Fails if the engine does not take features with these weights, such as amounts, or with alternatives.
    pub fn check_weights(&self, opened: &OpenedSubject) -> Result<(), RunError> {
        let conditions = Conditions { suite: String::new(), nodes: self.experiment.nodes, seed: self.experiment.seed };
        let Some(atom) = opened.features.vocabulary.atoms().next() else { return Ok(()) };
        for &weight in &self.weights {
            let candidate = Candidate::Scheme(Scheme::single(Conjunction::of([atom]), weight));
            opened.subject.job(&candidate, &conditions)?;
            let alternatives =
                Feature::any_of(opened.features.vocabulary.atoms().take(2).map(|atom| Conjunction::of([atom])));
            if self.combining.operators.or {
                opened.subject.job(&Candidate::Scheme(Scheme::single(alternatives, weight)), &conditions)?;
            }
        }
        Ok(())
    }

    /// Warns if the Base set has atoms of one group that a move can have together.
    pub(super) fn warn_of_overlaps(&self, features: &Features, services: &Services) -> Result<(), RunError> {
        let base = self.base_atoms(features)?;
        let in_base = |group| base.iter().filter(|&&atom| features.vocabulary.facts(atom).group == group).count();
        let overlapping = features.guidance.overlapping.iter().filter(|(group, _)| in_base(*group) > 1);
        let groups: Vec<_> = overlapping.map(|(group, reason)| format!("{group} ({reason})")).collect();
        if !groups.is_empty() {
            services.note(format!(
                "warning: a move can have several features of the group {}; Gradual Focus assumes that it has one",
                groups.join(", or of ")
            ));
        }
        Ok(())
    }
}

/// The names of the atoms that these patterns match or, without any, of the game's default Base set; none for all.
pub fn base_set(features: &Features, patterns: &[String]) -> Result<Vec<String>, RunError> {
    let vocabulary = features.vocabulary;
    if let Some(text) = patterns.iter().find(|text| text.contains('-')) {
        vocabulary.parse(text)?;
        return Err(RunError::input(format!("'{text}' is not a single atom; --base takes atoms like 'Ud,PP'")));
    }
    let atoms = match patterns {
        [] => vocabulary.matching(features.guidance.base.iter().copied())?,
        patterns => vocabulary.matching(patterns.iter().map(String::as_str))?,
    };
    Ok(atoms.into_iter().map(|atom| vocabulary.facts(atom).name.to_string()).collect())
}

/// The combinations that the game forbids, these, and those of atoms of the search state that make no sense, as far as the
/// Base set has their atoms.
pub fn blacklist(features: &Features, base: &[String], more: &[String]) -> Result<Vec<String>, RunError> {
    let is_in_base = |text: &str| text.split('-').all(|name| base.iter().any(|known| known == name));
    let has_own_state = features.vocabulary.has_own_state();
    let of_state = state::BLACKLIST.iter().filter(|(text, _)| has_own_state && is_in_base(text));
    let forbidden = features.guidance.blacklist.iter().chain(of_state);
    let mut list: Vec<String> = Vec::new();
    // Our engine behind the plug protocol forbids the latter itself.
    for (text, _) in forbidden {
        if !list.iter().any(|known| known == text) {
            list.push(text.to_string());
        }
    }
    for text in more {
        let text = features.vocabulary.print(features.vocabulary.parse(text)?);
        if !list.contains(&text) {
            list.push(text);
        }
    }
    Ok(list)
}
