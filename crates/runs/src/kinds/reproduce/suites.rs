//! The suites that the bundled one was chosen from.
//!
//! The bundled suite is that of the seed whose results resemble the papers' most. Whoever wants to know what the features do
//! on suites that nobody chose looks at all of them.

use plysmith_core::games;
use plysmith_core::problem::Suite;
use serde::{Deserialize, Serialize};

use super::breakthrough::{COMPARED, SolvedRow, measure_compared};
use super::{Event, Reproduce, Reproduction};
use crate::error::RunError;
use crate::experiment::{Experiment, Features, Session};
use crate::finding::PROVEN_AND_BEST_MOVE;
use crate::kind::Context;
use crate::suite_maker::{SuiteSource, gather};
use crate::view::{Cell, Table, View};

/// The seeds of the suites, and the nodes per move in self-play: as in the header of the bundled suite.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=8;
const NODES_A_MOVE: u64 = 1000;

/// What the features solve on a suite.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SuiteResult {
    /// The suite's name.
    pub name: String,
    /// The seed that it was generated with; none for the bundled one.
    pub seed: Option<u64>,
    /// Its number of problems.
    pub problems: usize,
    /// Whether it has the same problems as the bundled one.
    pub is_bundled: bool,
    /// One for each feature.
    pub solved: Vec<SolvedRow>,
}

/// What a feature solves on a suite.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SuiteFeature {
    /// The suite's name.
    pub suite: String,
    /// The seed that it was generated with; none for the bundled one.
    pub seed: Option<u64>,
    /// The feature and its counts.
    #[serde(flatten)]
    pub row: SolvedRow,
}

/// The fields of a stored row that make a table.
pub(super) const COLUMNS: &[&str] = &["suite", "seed", "feature", "proven", "best_moves", "paper"];

/// Generates all suites, with as many problems as the experiment's has, and measures the features on each.
pub(super) fn measure_all(
    experiment: &Experiment,
    session: &mut Session,
    context: &mut Context<Reproduce>,
) -> Result<Reproduction, RunError> {
    let bundled = experiment.suite.content_key();
    let Features { vocabulary, guidance } = session.features;
    let papers_atoms = guidance.base_atoms(vocabulary)?;
    let mut suites = Vec::new();
    for seed in std::iter::once(None).chain(SEEDS.map(Some)) {
        let suite = match seed {
            None => experiment.suite.clone(),
            Some(seed) => generate(experiment, seed, context)?,
        };
        session.runner.set_suite(&suite)?;
        let result = SuiteResult {
            name: suite.name.clone(),
            seed,
            problems: suite.problems.len(),
            is_bundled: suite.content_key() == bundled,
            solved: measure_compared(&papers_atoms, session, context)?,
        };
        for row in &result.solved {
            context.record(Event::Suite(SuiteFeature { suite: suite.name.clone(), seed, row: row.clone() }))?;
        }
        suites.push(result);
    }
    Ok(Reproduction::Suites { suites })
}

fn generate(experiment: &Experiment, seed: u64, context: &Context<Reproduce>) -> Result<Suite, RunError> {
    let game = games::find(&experiment.game)?;
    let count = experiment.suite.problems.len();
    let source = SuiteSource::SelfPlay {
        game: game.name.to_string(),
        start: (game.start)(&Default::default())?,
        goal: game.goal.into(),
        seed,
        nodes: NODES_A_MOVE,
    };
    let progress = context.services().begin_progress(count as u64);
    let problems = gather(&source, &format!("s{seed}"), count, context.services(), &|found, games| {
        progress.message(format!("suite of seed {seed}: {found} problems from {games} games"));
        progress.set_part_done(found as u64);
    })?;
    Ok(Suite { name: format!("seed {seed}"), problems })
}

/// The view: a table for each meaning of solved.
pub(super) fn view(conditions: &str, suites: &[SuiteResult]) -> View {
    let proven = |row: &SolvedRow| Some(row.proven);
    let view = View::new()
        .text(format!(
            "The papers' best features on every generated suite, {} problems each\n{conditions}\n\nProven:\n\n",
            suites.first().map_or(0, |suite| suite.problems)
        ))
        .table(table(suites, &proven))
        .text("\nBest move:\n\n")
        .table(table(suites, &|row| row.best_moves))
        .text(PROVEN_AND_BEST_MOVE);
    let twin = suites.iter().find(|suite| suite.is_bundled && suite.seed.is_some()).and_then(|suite| suite.seed);
    view.text(match twin {
        Some(seed) => format!(
            "The bundled suite is that of seed {seed}: of the eight, its results for Neutral and RdTt are closest to the \
             papers'.\n"
        ),
        None => String::new(),
    })
}

fn table(suites: &[SuiteResult], count: &dyn Fn(&SolvedRow) -> Option<u32>) -> Table {
    let mut headings = vec!["feature".to_string()];
    headings.extend(suites.iter().map(|suite| match suite.seed {
        Some(seed) => format!(">seed {seed}"),
        None => ">bundled".to_string(),
    }));
    headings.extend([">mean of seeds".to_string(), ">papers".to_string()]);
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let rows = COMPARED.iter().map(|name| {
        let of = |suite: &SuiteResult| suite.solved.iter().find(|row| row.feature == *name).and_then(count);
        let mut cells = vec![Cell::from(*name)];
        cells.extend(suites.iter().map(|suite| Cell::count(of(suite).map(u64::from))));
        let seeds: Vec<f64> =
            suites.iter().filter(|suite| suite.seed.is_some()).filter_map(of).map(f64::from).collect();
        cells.push(match seeds.len() {
            0 => Cell::Missing,
            len => Cell::Number(seeds.iter().sum::<f64>() / len as f64, 1),
        });
        let paper = suites.iter().flat_map(|suite| &suite.solved).find(|row| row.feature == *name);
        cells.push(Cell::count(paper.and_then(|row| row.paper).map(u64::from)));
        cells
    });
    Table::new(&headings, rows)
}
