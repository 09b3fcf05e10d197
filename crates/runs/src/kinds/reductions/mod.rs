//! `reductions`: learns a table of late-move reductions from conditions of the search state and of moves.
//!
//! Strong engines reduce moves by sums over conditions that their authors choose by hand, or by a weight for every conjunction
//! of one to three conditions, tuned all together (factorized late-move reductions). Here Gradual Focus chooses the
//! conjunctions, few enough to be read, and the tuner their amounts. The dense table and the constants of logarithmic
//! reductions are its rivals: each method may measure the training positions as often as the others, and all are compared
//! on positions that no method has learned from.
//!
//! | file | what |
//! | --- | --- |
//! | `config` | what is stored of a run |
//! | `parts` | the training and the held-out half, and players rated on them |
//! | `methods` | how each method spends its evaluations |
//! | `result` | what is stored of a result |
//! | `view` | the views |
//! | `table`, `format` | the table as constants for programs, and as parameters for tuners of games |

mod config;
mod format;
mod methods;
mod parts;
mod result;
mod table;
mod view;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::files::{check_target, write_file};
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::kinds::discover::Evaluation;
use crate::kinds::tune::IterationRow;
use crate::services::Services;
use crate::view::View;

pub use config::{Config, DEFAULT_ATOMS, Method, Options, TableFile, UnknownMethod};
pub use format::TableFormat;
use parts::Parts;
pub use result::{Compared, Constant, Entry, Learned, MethodResult, Rival};

/// The run kind.
pub struct LearnReductions;

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A conjunction was measured.
    Evaluation(Box<Evaluation>),
    /// An iteration of tuning was measured.
    Iteration(IterationRow),
    /// A method is done.
    Method(Box<MethodResult>),
}

impl RunKind for LearnReductions {
    const NAME: &'static str = "reductions";
    type Config = Config;
    type Event = Event;
    type Output = Learned;
    type Prepared = ();

    fn identity(config: &Config) -> Identity {
        config.experiment.identity()
    }

    fn basis(config: &Config) -> Vec<Part> {
        config.experiment.basis()
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.validate()
    }

    fn check(config: &Config, _: &Services) -> Result<(), RunError> {
        config.output.as_ref().map_or(Ok(()), |file| check_target(&file.path, file.force))
    }

    fn prepare(config: &Config, services: &Services) -> Result<(), RunError> {
        // Opens the engine, its weights and the suite once, before the run is stored.
        config.experiment.session(services).map(|_| ())
    }

    fn run(config: &Config, (): (), context: &mut Context<LearnReductions>) -> Result<Learned, RunError> {
        let parts = Parts::new(config)?;
        let base = parts.rate_base(context.services())?;
        let (mut results, mut ratings) = (Vec::new(), Vec::new());
        for method in &config.methods {
            context.services().note(format!("{method}:"));
            let outcome = methods::learn(*method, config, &parts, context)?;
            let rated = parts.rate_player(&outcome.player, context.services())?;
            let result = MethodResult::new(*method, config, &outcome, &base, &rated)?;
            context.record(Event::Method(Box::new(result.clone())))?;
            results.push(result);
            ratings.push(rated);
        }
        Learned::new(config, &parts, &base, results, &ratings)
    }

    fn write_files(config: &Config, learned: &Learned) -> Result<Vec<PathBuf>, RunError> {
        let Some(TableFile { path, format, force }) = &config.output else { return Ok(Vec::new()) };
        write_file(path, &learned.print(*format)?, *force)?;
        Ok(vec![path.clone()])
    }

    fn view(_: &Config, learned: &Learned) -> View {
        learned.view()
    }

    fn headline(_: &Config, learned: &Learned) -> Headline {
        let gain = |method: &MethodResult| method.held_out.gain.mean;
        match learned.methods.iter().max_by(|a, b| gain(a).total_cmp(&gain(b))) {
            Some(best) => Headline::of(
                format!("{}: {:+.4} less {}", best.method, gain(best), learned.fitness),
                "gain",
                gain(best),
            ),
            None => Headline::default(),
        }
    }

    fn partial_view(config: &Config, events: &[Event]) -> View {
        view::partial(config, events)
    }

    fn page(
        config: &Config,
        output: Option<&Learned>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let view = output.map_or_else(|| view::partial(config, &events), Learned::view);
        let methods: Vec<&MethodResult> = events.iter().filter_map(Event::method).collect();
        Ok(if methods.is_empty() { view.with_chart() } else { view.figure(view::gains(&methods)) })
    }

    fn rows(_: &Config) -> Rows {
        Rows { event: "method", columns: &["method", "evaluations", "tried", "settings", "scheme"] }
    }
}

impl Event {
    fn method(&self) -> Option<&MethodResult> {
        match self {
            Event::Method(result) => Some(result),
            Event::Evaluation(_) | Event::Iteration(_) => None,
        }
    }
}

impl From<Evaluation> for Event {
    fn from(evaluation: Evaluation) -> Event {
        Event::Evaluation(Box::new(evaluation))
    }
}

impl From<IterationRow> for Event {
    fn from(row: IterationRow) -> Event {
        Event::Iteration(row)
    }
}
