//! What is stored of a result.

use plysmith_core::feature::{Cost, Vocabulary};
use plysmith_core::parameter::Thousandths;
use plysmith_core::settings::Tunable;
use serde::{Deserialize, Serialize};

use super::config::{Config, Method};
use super::methods::Outcome;
use super::parts::{Parts, Player};
use crate::error::RunError;
use crate::fitness::{Estimate, FitnessChoice, Rating};
use crate::text_form;

/// What the methods learned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Learned {
    /// The game.
    pub game: String,
    /// The suite's name.
    pub suite: String,
    /// What reductions were rated by.
    #[serde(with = "text_form")]
    pub fitness: FitnessChoice,
    /// The judge, if they were rated on graded positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The engine without a table.
    pub settings: String,
    /// Node limit of a position.
    pub nodes_a_position: u64,
    /// How often each method could measure all training positions.
    pub evaluations: u32,
    /// The engine without a table on the training positions.
    pub training: Compared,
    /// And on those that no method has learned from.
    pub held_out: Compared,
    /// What each method learned, in the order in which they were named.
    pub methods: Vec<MethodResult>,
    /// The first method against each of the others.
    pub rivals: Vec<Rival>,
}

/// What one method learned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MethodResult {
    /// The method.
    #[serde(with = "text_form")]
    pub method: Method,
    /// How often it measured all training positions.
    pub evaluations: usize,
    /// How many conjunctions or constants it tried.
    pub tried: usize,
    /// The engine's settings with what was learned.
    pub settings: String,
    /// The table as a scheme of amounts.
    pub scheme: String,
    /// The table, the largest amounts first; empty for constants.
    pub table: Vec<Entry>,
    /// The constants; empty for tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<Constant>,
    /// On the training positions.
    pub training: Compared,
    /// On those that it has not learned from.
    pub held_out: Compared,
}

/// One conjunction of a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The conditions, joined by `-`.
    pub conjunction: String,
    /// What is added to the reduction of a move for which all of them hold, in plies.
    #[serde(with = "text_form")]
    pub amount: Thousandths,
}

/// One search constant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value before.
    pub before: i32,
    /// Its value.
    pub value: i32,
}

/// A player on one half of the positions.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Compared {
    /// Positions.
    pub positions: usize,
    /// Its mean cost by the fitness.
    pub cost: Estimate,
    /// How much less that is than without a table.
    pub gain: Estimate,
    /// Positions in which its move is the best known one, or problems solved.
    pub solved: u32,
    /// Its nodes.
    pub nodes: u64,
}

/// The first method against another, on the positions that no method has learned from.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rival {
    /// The other.
    #[serde(with = "text_form")]
    pub method: Method,
    /// How much less the first costs.
    pub gain: Estimate,
}

impl Compared {
    fn new(rating: &Rating, base: &Rating, fitness: &FitnessChoice) -> Compared {
        Compared {
            positions: rating.samples.first().map_or(0, Vec::len),
            cost: rating.cost(&**fitness),
            gain: rating.gain_on(base, &**fitness),
            solved: rating.finding.solved.unwrap_or(0),
            nodes: rating.finding.nodes,
        }
    }
}

impl MethodResult {
    pub(super) fn new(
        method: Method,
        config: &Config,
        outcome: &Outcome,
        base: &[Rating; 2],
        rated: &[Rating; 2],
    ) -> Result<MethodResult, RunError> {
        let game = config.game()?;
        let Player { settings, scheme } = &outcome.player;
        Ok(MethodResult {
            method,
            evaluations: outcome.evaluations,
            tried: outcome.tried,
            settings: game.print_settings(settings),
            scheme: game.vocabulary.print_scheme(scheme),
            table: table(game.vocabulary, outcome),
            constants: constants(config, outcome)?,
            training: Compared::new(&rated[0], &base[0], &config.fitness),
            held_out: Compared::new(&rated[1], &base[1], &config.fitness),
        })
    }
}

/// The conjunctions of a table, without those that add nothing.
fn table(vocabulary: Vocabulary, outcome: &Outcome) -> Vec<Entry> {
    let entries = outcome.player.scheme.rules().iter().filter_map(|rule| match rule.cost {
        Cost::Amount(amount) if amount.units() != 0 => Some(Entry {
            conjunction: vocabulary.print_feature(&rule.feature),
            amount: Thousandths(amount.units().into()),
        }),
        _ => None,
    });
    let mut entries: Vec<Entry> = entries.collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.amount.0.abs()));
    entries
}

/// The constants that were tuned, if constants were.
fn constants(config: &Config, outcome: &Outcome) -> Result<Vec<Constant>, RunError> {
    if !outcome.player.scheme.is_neutral() {
        return Ok(Vec::new());
    }
    let (before, after) = (config.settings()?.tunables, outcome.player.settings.tunables);
    let constant = |tunable: &Tunable| Constant {
        name: tunable.name.to_string(),
        before: (tunable.get)(&before),
        value: (tunable.get)(&after),
    };
    let changed = before != after;
    Ok(Tunable::matching(super::methods::CONSTANTS).filter(|_| changed).map(constant).collect())
}

impl Learned {
    pub(super) fn new(
        config: &Config,
        parts: &Parts,
        base: &[Rating; 2],
        methods: Vec<MethodResult>,
        ratings: &[[Rating; 2]],
    ) -> Result<Learned, RunError> {
        let fitness = &config.fitness;
        let rival = |(result, rating): (&MethodResult, &[Rating; 2])| Rival {
            method: result.method,
            gain: ratings[0][1].gain_on(&rating[1], &**fitness),
        };
        let graded = config.graded.as_ref();
        Ok(Learned {
            game: config.experiment.game.clone(),
            suite: graded.map_or(&config.experiment.suite.name, |graded| &graded.suite_name).clone(),
            fitness: fitness.clone(),
            judge: graded.map(|graded| graded.judge_text()),
            settings: config.game()?.print_settings(&parts.base.settings),
            nodes_a_position: config.experiment.nodes,
            evaluations: config.evaluations,
            training: Compared::new(&base[0], &base[0], fitness),
            held_out: Compared::new(&base[1], &base[1], fitness),
            rivals: methods.iter().zip(ratings).skip(1).map(rival).collect(),
            methods,
        })
    }

    /// The first method that learned something of this kind.
    pub(super) fn first_with(&self, has: impl Fn(&MethodResult) -> bool) -> Option<&MethodResult> {
        self.methods.iter().find(|result| has(result))
    }
}
