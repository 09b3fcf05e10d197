//! `tune`: learns the weights of features or engine options (*Learning Control of Search Extensions*).
//!
//! | file | what |
//! | --- | --- |
//! | `config` | what is stored of a tuning, and the options it is made from |
//! | `tunable` | the engine whose weights are tuned |
//! | `scale` | how optimisers see search constants |
//! | `measuring` | what is measured of a candidate: nodes to the solution, or costs by another fitness |
//! | `session` | the loop: ask the optimiser, measure, tell |
//! | `result` | iterations, probes and the result, as they are stored |
//! | `view`, `words` | views of the result, and what its numbers are called |
//! | `page` | what each weight is worth, and what there is of an unfinished tuning |
//! | `compare` | `compare-optimisers`: all optimisers with the same number of evaluations |
//! | `verify` | the tuned engine against the engine as shipped, in games |
//! | `figure1` | the paper's Figure 1, under every policy |
//! | `files` | weights and charts for other programs |

pub mod compare;
mod config;
mod export;
pub mod figure1;
mod files;
mod measuring;
mod page;
mod result;
mod scale;
mod session;
mod tunable;
mod verify;
mod view;
mod words;

use std::path::PathBuf;

use plysmith_core::parameter::Weights;
use serde::{Deserialize, Serialize};

pub use config::{
    Choice, Config, LearningOptions, MethodConfig, Procedure, Report, Start, TunedParameters, USUAL_POLICY,
};
pub use files::Files;
pub use result::{
    CandidateRow, Comparison, IterationRow, MethodRow, Probe, Setting, SettingRow, Totals, Tuned, TunedWeight,
};
pub(crate) use session::learn_within;
pub use session::{Session, learn};
pub use tunable::{feature_parameters, tunable_parameters};
pub use verify::GamesConfig;

use crate::basis::Part;
use crate::error::RunError;
use crate::events::GameEvent;
use crate::fitness;
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::services::Services;
use crate::view::View;

/// The run kind.
pub struct Tune;

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// An iteration was measured.
    Iteration(IterationRow),
    /// One weight alone was changed.
    Probe(Probe),
    /// A game of the tuned engine against the engine as shipped was played.
    Game(GameEvent),
}

/// The fields of iterations for a table. Runs of version 0.1 have no policy in their events.
const ITERATION_COLUMNS: [&str; 11] = [
    "optimiser",
    "iteration",
    "weights",
    "nodes",
    "solved",
    "problems",
    "relative",
    "held_out_nodes",
    "held_out_solved",
    "held_out_problems",
    "policy",
];

/// Events that are iterations, and their fields for a table.
fn iteration_rows(procedure: Procedure) -> Rows {
    let columns: &[&str] = &ITERATION_COLUMNS;
    Rows { event: "iteration", columns: &columns[..columns.len() - usize::from(procedure.is_first())] }
}

impl RunKind for Tune {
    const NAME: &'static str = "tune";
    type Config = Config;
    type Event = Event;
    type Output = Tuned;
    type Prepared = Session;

    fn identity(config: &Config) -> Identity {
        config.experiment.identity()
    }

    fn basis(config: &Config) -> Vec<Part> {
        let mut parts = config.experiment.basis();
        // The built-in search looks for balanced openings.
        if config.games.is_some() {
            parts.extend([Part::Search, Part::Games]);
        }
        parts
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.experiment.validate()?;
        fitness::check(config.fitness.as_ref(), config.graded.as_ref(), &config.experiment)?;
        config.validate_games()
    }

    fn check(config: &Config, _: &Services) -> Result<(), RunError> {
        config.files.check()
    }

    fn prepare(config: &Config, services: &Services) -> Result<Session, RunError> {
        Session::open(config, services)
    }

    fn run(config: &Config, mut session: Session, context: &mut Context<Tune>) -> Result<Tuned, RunError> {
        let mut tuned = learn(config, &mut session, context)?;
        if let Some(games) = config.games {
            let weights = Weights(tuned.weights.iter().map(|weight| weight.value.0).collect());
            let opponents = session.opponents(config, &weights)?;
            // The engines of the tuning make room for those of the games.
            drop(session);
            let played = opponents.map(|opponents| opponents.play(games, config.experiment.seed, context));
            tuned.games = played.transpose()?;
        }
        Ok(tuned)
    }

    fn write_files(config: &Config, tuned: &Tuned) -> Result<Vec<PathBuf>, RunError> {
        export::write(&config.files, tuned)
    }

    fn view(config: &Config, tuned: &Tuned) -> View {
        match config.report {
            Report::Plain => tuned.view(),
            Report::Figure1 => tuned.view().view(figure1::comparison(&[tuned])),
        }
    }

    fn headline(_: &Config, tuned: &Tuned) -> Headline {
        tuned.headline()
    }

    fn partial_view(config: &Config, events: &[Event]) -> View {
        let rows = events.iter().filter_map(|event| match event {
            Event::Iteration(row) => Some(row),
            Event::Probe(_) | Event::Game(_) => None,
        });
        view::partial(config, rows)
    }

    fn page(
        config: &Config,
        output: Option<&Tuned>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        if let Some(tuned) = output {
            return Ok(page::finished(tuned, Tune::view(config, tuned)));
        }
        let mut rows = Vec::new();
        for event in events {
            if let Event::Iteration(row) = event? {
                rows.push(row);
            }
        }
        Ok(page::unfinished(config, &rows, view::partial(config, rows.iter())))
    }

    fn rows(config: &Config) -> Rows {
        iteration_rows(config.procedure)
    }
}

impl From<IterationRow> for Event {
    fn from(row: IterationRow) -> Event {
        Event::Iteration(row)
    }
}

impl From<GameEvent> for Event {
    fn from(game: GameEvent) -> Event {
        Event::Game(game)
    }
}

impl From<Probe> for Event {
    fn from(probe: Probe) -> Event {
        Event::Probe(probe)
    }
}
