//! `reproduce`: the papers' tables with our numbers next to theirs.
//!
//! | module | what |
//! | --- | --- |
//! | `breakthrough`, `breakthrough_view` | Tables 2 and 3 of the paper on discovery (thesis Tables 4.3 and 4.4) |
//! | `super::papers` | what the papers print in these tables |
//! | `suites` | the features of Table 3 that the suites are compared by, on all generated suites |
//! | `chess` | thesis Tables 4.7 and 4.8 |
//!
//! Table 4 is a tournament (`tournament::table4`), Figure 1 a tuning (`tune::figure1`) and the mate paper's Table 2 a run
//! of its own kind (`mate_table`).

pub mod breakthrough;
mod breakthrough_view;
pub mod chess;
pub mod suites;

use plysmith_core::feature::Atom;
use plysmith_learn::pruning::Pruning;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::experiment::{Experiment, Features, Session};
use crate::finding::{Finding, finding_rows, partial_findings};
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::kinds::discover::{self, Evaluation};
use crate::services::Services;
use crate::view::{View, thousands};
use breakthrough::{CombinationRow, MethodRow, SolvedRow};
use chess::{ChessResult, TABLE_4_7, TABLE_4_8};
use suites::{SuiteFeature, SuiteResult};

/// The run kind.
pub struct Reproduce;

/// A table that is reproduced by measuring features on a suite.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PaperTable {
    /// How many evaluations Gradual Focus needs.
    #[serde(rename = "table2")]
    Table2,
    /// All one-, two- and three-wise combinations against what Gradual Focus finds.
    #[serde(rename = "table3")]
    Table3,
    /// The results on all generated suites, not on the bundled one alone.
    #[serde(rename = "suites")]
    Suites,
    /// What Gradual Focus finds in chess.
    #[serde(rename = "table4.7")]
    Table47,
    /// Features found in chess in place of recaptures.
    #[serde(rename = "table4.8")]
    Table48,
}

/// What to reproduce.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The table.
    pub table: PaperTable,
    /// For Tables 2 and 3: the names of the atoms that are combined; none for the papers'.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub base: Vec<String>,
    /// On what.
    pub experiment: Experiment,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// Gradual Focus evaluated a feature.
    Evaluation(Evaluation),
    /// A feature was measured.
    Measurement(Finding),
    /// A pruning method is done.
    Method(MethodRow),
    /// A feature was measured on one of several suites.
    Suite(SuiteFeature),
}

/// A table next to the papers' one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "table", rename_all = "lowercase")]
pub enum Reproduction {
    /// Evaluations by pruning method.
    Table2 {
        /// Number of all combinations.
        power_set: u64,
        /// One for each method.
        rows: Vec<MethodRow>,
        /// One for each method, where the right move is enough to solve a problem.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by_best_move: Vec<MethodRow>,
        /// What some features solve, by both meanings of the word.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        solved: Vec<SolvedRow>,
    },
    /// The best combinations.
    Table3 {
        /// Number of combinations measured.
        combinations: usize,
        /// The best of them.
        rows: Vec<CombinationRow>,
        /// Found by Gradual Focus and interesting.
        hits: usize,
        /// Found by Gradual Focus.
        found: usize,
        /// Interesting.
        relevant: usize,
        /// Interesting but not found.
        overlooked: Vec<String>,
        /// What some features solve, by both meanings of the word.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        solved: Vec<SolvedRow>,
    },
    /// All generated suites.
    Suites {
        /// The bundled suite, then one for each seed.
        suites: Vec<SuiteResult>,
    },
    /// A table about chess.
    Chess(ChessResult),
}

impl RunKind for Reproduce {
    const NAME: &'static str = "reproduce";
    type Config = Config;
    type Event = Event;
    type Output = Reproduction;
    type Prepared = Session;

    fn identity(config: &Config) -> Identity {
        config.experiment.identity()
    }

    fn basis(config: &Config) -> Vec<Part> {
        config.experiment.basis()
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.experiment.validate()
    }

    fn prepare(config: &Config, services: &Services) -> Result<Session, RunError> {
        config.experiment.session(services)
    }

    fn run(config: &Config, mut session: Session, context: &mut Context<Reproduce>) -> Result<Reproduction, RunError> {
        let experiment = &config.experiment;
        match config.table {
            PaperTable::Table2 => breakthrough::table2(config, &mut session, context),
            PaperTable::Table3 => breakthrough::table3(config, &mut session, context),
            PaperTable::Suites => suites::measure_all(experiment, &mut session, context),
            PaperTable::Table47 => TABLE_4_7.reproduce(experiment, &mut session, context).map(Reproduction::Chess),
            PaperTable::Table48 => TABLE_4_8.reproduce(experiment, &mut session, context).map(Reproduction::Chess),
        }
    }

    fn view(config: &Config, reproduction: &Reproduction) -> View {
        let Experiment { suite, nodes, seed, .. } = &config.experiment;
        let (preset, policy) = (config.experiment.engine_text(), config.experiment.policy_note());
        let conditions =
            format!("{}, {} nodes per problem, {preset}, seed {seed}{policy}", suite.name, thousands(*nodes));
        match reproduction {
            Reproduction::Table2 { power_set, rows, by_best_move, solved } => {
                breakthrough_view::table2(&conditions, *power_set, rows, by_best_move, solved)
            }
            Reproduction::Suites { suites } => suites::view(&conditions, suites),
            Reproduction::Table3 { .. } => breakthrough_view::table3(&conditions, reproduction),
            Reproduction::Chess(result) => result.view(&conditions),
        }
    }

    fn headline(_: &Config, reproduction: &Reproduction) -> Headline {
        match reproduction {
            Reproduction::Table2 { rows, .. } => Headline::text(format!("table 2: {} methods", rows.len())),
            Reproduction::Table3 { hits, relevant, .. } => {
                Headline::of(format!("table 3: {hits} of {relevant} found"), "hits", *hits as f64)
            }
            Reproduction::Suites { suites } => Headline::text(format!("{} suites", suites.len())),
            Reproduction::Chess(result) => {
                Headline::text(format!("{}: {} evaluations", result.title, result.evaluations))
            }
        }
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        let findings: Vec<&Finding> = events.iter().filter_map(Event::finding).collect();
        partial_findings(findings.into_iter())
    }

    fn rows(config: &Config) -> Rows {
        match config.table {
            PaperTable::Table2 => finding_rows("evaluation", config.experiment.policy),
            PaperTable::Suites => Rows { event: "suite", columns: suites::COLUMNS },
            PaperTable::Table3 | PaperTable::Table47 | PaperTable::Table48 => {
                finding_rows("measurement", config.experiment.policy)
            }
        }
    }
}

impl Config {
    /// The atoms that are combined.
    fn base_atoms(&self, session: &Session) -> Result<Vec<Atom>, RunError> {
        let Features { vocabulary, guidance } = session.features;
        match self.base.as_slice() {
            [] => Ok(guidance.base_atoms(vocabulary)?),
            names => Ok(vocabulary.matching(names.iter().map(String::as_str))?),
        }
    }
}

impl Event {
    fn finding(&self) -> Option<&Finding> {
        match self {
            Event::Evaluation(evaluation) => Some(&evaluation.finding),
            Event::Measurement(finding) => Some(finding),
            Event::Method(_) | Event::Suite(_) => None,
        }
    }
}

impl From<Evaluation> for Event {
    fn from(evaluation: Evaluation) -> Event {
        Event::Evaluation(evaluation)
    }
}

/// The papers' discovery with this pruning method, over all atoms.
fn papers_discovery(experiment: &Experiment, pruning: Pruning, epsilon: i32, top: usize) -> discover::Config {
    discover::Config {
        experiment: experiment.clone(),
        weights: vec![plysmith_core::depth::Weight::HALF.into()],
        epsilon,
        error: None,
        seeds: 1,
        pruning,
        delta: None,
        base: Vec::new(),
        blacklist: Vec::new(),
        most_atoms: None,
        exact: false,
        top,
        follow_up: None,
        graded: None,
        fitness: None,
        charts: None,
        combining: discover::Combining::default(),
    }
}
