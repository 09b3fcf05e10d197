//! Schemes rated by a fitness: means with intervals over positions and seeds, and what each costs less than the first one.

use plysmith_core::feature::Vocabulary;
use plysmith_engine::driver::Policy;
use serde::{Deserialize, Serialize};

use super::{Config, Event, Measure, Measured, parse_candidate};
use crate::chart::{Bar, Bars};
use crate::error::RunError;
use crate::finding::exclusions;
use crate::fitness::{Estimate, Fitness, FitnessChoice, Rater, Rating};
use crate::kind::{Context, Rows};
use crate::solution_policy::SolutionPolicy;
use crate::view::{Cell, Table, View, counted, thousands};

/// What a rating says of a scheme, as it is stored and printed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RatedScheme {
    /// The scheme.
    pub scheme: String,
    /// What it costs by the run's fitness.
    pub cost: Estimate,
    /// How much less that is than the first scheme costs, position by position; none for the first scheme.
    pub gain: Option<Estimate>,
    /// Problems solved, as a share.
    pub solved: Option<Estimate>,
    /// Nodes to the solution, as a share of the node limit. Only if the policy counts them.
    pub to_solution: Option<Estimate>,
    /// What moves cost in expected points.
    pub regret: Option<Estimate>,
    /// The share of moves that are the best known ones.
    pub agreement: Estimate,
    /// The share of moves whose cost a feature decided, as a mean over the searches.
    pub frequency: f64,
    /// Nodes of all searches.
    pub nodes: u64,
}

/// The fields of a rated scheme that make a table.
const COLUMNS: &[&str] =
    &["scheme", "cost", "gain", "solved", "to_solution", "regret", "agreement", "frequency", "nodes"];

/// Rates every scheme, and compares it with the first one.
pub(super) fn rate_each(
    config: &Config,
    fitness: &FitnessChoice,
    vocabulary: Vocabulary,
    rater: &mut dyn Rater,
    context: &mut Context<Measure>,
) -> Result<Measured, RunError> {
    let services = context.services().clone();
    let steps = config.schemes.len() * rater.positions() * rater.seeds();
    let progress = services.begin_progress(steps as u64);
    let mut first: Option<Rating> = None;
    let (mut findings, mut ratings) = (Vec::new(), Vec::new());
    for text in &config.schemes {
        progress.message(text);
        let rating = rater.rate(text, &parse_candidate(vocabulary, text)?, &services, &progress)?;
        let gain = first.as_ref().map(|first| rating.gain_on(first, &**fitness));
        let rated = RatedScheme::new(config, text, &rating, gain, &**fitness);
        context.record(Event::Rating(rated.clone()))?;
        findings.push(rating.finding.clone());
        ratings.push(rated);
        first.get_or_insert(rating);
    }
    Ok(Measured::new(config, rater.positions(), findings, ratings))
}

impl RatedScheme {
    fn new(
        config: &Config,
        scheme: &str,
        rating: &Rating,
        gain: Option<Estimate>,
        fitness: &dyn Fitness,
    ) -> RatedScheme {
        let share = |is: bool| if is { 1.0 } else { 0.0 };
        let agreement = rating.mean(&|sample| Some(share(sample.agrees)));
        let frequency = rating.mean(&|sample| Some(sample.frequency));
        RatedScheme {
            scheme: scheme.to_string(),
            cost: rating.cost(fitness),
            gain,
            solved: rating.mean(&|sample| sample.solved.map(share)),
            to_solution: rating.mean(&|sample| sample.to_solution).filter(|_| config.counts_to_solution()),
            regret: rating.mean(&|sample| sample.regret),
            agreement: agreement.unwrap_or(Estimate::NOTHING),
            frequency: frequency.map_or(0.0, |estimate| estimate.mean),
            nodes: rating.finding.nodes,
        }
    }
}

impl Config {
    /// Whether the nodes of a solved problem are those to its solution.
    fn counts_to_solution(&self) -> bool {
        self.graded.is_none()
            && self.experiment.policy().is_ok_and(|policy| policy != SolutionPolicy::Watched(Policy::End))
    }

    fn rated_title(&self, positions: usize) -> String {
        let seeds = match self.seeds {
            Some(seeds) if seeds > 1 => {
                format!(", {} from {} on", counted(seeds as usize, "seed"), self.experiment.seed)
            }
            _ => String::new(),
        };
        match &self.graded {
            None => format!("On {}{seeds}:\n\n", self.experiment.conditions()),
            Some(graded) => format!(
                "On {} ({positions} positions, {} nodes each, {}; judge: {}){seeds}:\n\n",
                graded.suite_name,
                thousands(self.experiment.nodes),
                self.experiment.engine_text(),
                graded.judge_text(),
            ),
        }
    }
}

/// What each scheme costs, less than the first one; the first by its cost.
pub(super) fn bars(config: &Config, ratings: &[&RatedScheme]) -> Bars {
    let fitness = config.fitness.as_ref().map_or("regret".to_string(), ToString::to_string);
    let bar = |rating: &&RatedScheme| {
        let gain = rating.gain.as_ref()?;
        Some(Bar::new(&rating.scheme, gain.mean).within(gain.error))
    };
    let first = ratings.first().map_or("the first", |first| first.scheme.as_str());
    let title = format!("Less cost by {fitness} than {first}");
    Bars { title, unit: format!("cost by {fitness}"), bars: ratings.iter().filter_map(bar).collect() }
}

/// All columns that the samples have, what the fitness makes of them, and the comparison with the first scheme.
fn table(fitness: &FitnessChoice, ratings: &[RatedScheme]) -> Table {
    let first = ratings.first();
    let has = |value: &dyn Fn(&RatedScheme) -> bool| first.is_some_and(value);
    let (has_solved, has_nodes) = (has(&|one| one.solved.is_some()), has(&|one| one.to_solution.is_some()));
    let (has_regret, has_seeds) = (has(&|one| one.regret.is_some()), has(&|one| one.cost.seeds_error.is_some()));
    let has_gain = ratings.len() > 1;
    let mut headings = vec!["scheme".to_string()];
    let mut add = |is_there: bool, heading: String| headings.extend(is_there.then_some(heading));
    add(has_solved, "solved".to_string());
    add(has_nodes, "nodes to solution".to_string());
    add(has_regret, "regret".to_string());
    add(true, "agreement".to_string());
    add(true, ">frequency".to_string());
    add(!fitness.is_plain(), format!("cost by {fitness}"));
    add(has_seeds, ">cost ± over seeds".to_string());
    add(has_gain, format!("cost less than {}", first.map_or("", |first| &first.scheme)));
    add(has_gain && has_seeds, ">± over seeds".to_string());
    let row = |one: &RatedScheme| {
        let optional =
            |estimate: Option<Estimate>, text: fn(&Estimate) -> String| estimate.map(|one| text(&one).into());
        let seeds = |estimate: Estimate| estimate.seeds_error.map_or(Cell::Missing, |error| Cell::Number(error, 4));
        let mut cells = vec![Cell::Text(one.scheme.clone())];
        cells.extend(optional(one.solved, Estimate::percent_text));
        cells.extend(optional(one.to_solution, Estimate::percent_text));
        cells.extend(optional(one.regret, Estimate::text));
        cells.push(one.agreement.percent_text().into());
        cells.push(Cell::Percent(one.frequency));
        cells.extend((!fitness.is_plain()).then(|| one.cost.text().into()));
        cells.extend(has_seeds.then(|| seeds(one.cost)));
        cells.extend(has_gain.then(|| one.gain.map_or("".into(), gain_cell)));
        cells.extend((has_gain && has_seeds).then(|| one.gain.map_or("".into(), seeds)));
        cells
    };
    Table::new(&headings, ratings.iter().map(row))
}

fn gain_cell(gain: Estimate) -> Cell {
    let doubt = if gain.may_be_zero() { " (may be chance)" } else { "" };
    format!("{}{doubt}", gain.signed_text()).into()
}

pub(super) fn view(config: &Config, measured: &Measured) -> View {
    let fitness = config.fitness.clone().unwrap_or_else(FitnessChoice::regret);
    let seeds = match config.seeds {
        Some(seeds) if seeds > 1 => {
            "; the interval over seeds is for these positions, with moves ordered by other chances"
        }
        _ => "",
    };
    View::new()
        .text(config.rated_title(measured.problems))
        .table(table(&fitness, &measured.ratings))
        .text(format!(
            "\nCost, by the fitness {fitness}: {}. Schemes are compared position by position; ± is half of the 95 % interval \
             over positions{seeds}.\n",
            fitness.meaning(),
        ))
        .text(exclusions(&measured.findings))
}

pub(super) fn partial_view(config: &Config, ratings: &[RatedScheme]) -> View {
    let fitness = config.fitness.clone().unwrap_or_else(FitnessChoice::regret);
    View::new().text(format!("{} so far:\n\n", counted(ratings.len(), "scheme"))).table(table(&fitness, ratings))
}

pub(super) fn rows() -> Rows {
    Rows { event: "rating", columns: COLUMNS }
}
