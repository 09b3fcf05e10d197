//! `compare-optimisers`: all optimisers on the same problems, with the same number of evaluations.

use plysmith_learn::tune::kind::OptimiserKind;
use serde::{Deserialize, Serialize};

use super::config::{self, MethodConfig};
use super::result::{Comparison, IterationRow, MethodRow};
use super::session::{Session, try_method};
use super::{iteration_rows, page, view};
use crate::basis::Part;
use crate::error::RunError;
use crate::fitness;
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::services::Services;
use crate::view::{Cell, Table, View, thousands};

/// The run kind.
pub struct CompareOptimisers;

/// What to compare.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The problems and the weights. Its own method is not used.
    pub tuning: config::Config,
    /// The optimisers.
    pub methods: Vec<MethodConfig>,
    /// Number of times that each may measure all training problems.
    pub evaluations: u32,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// An iteration was measured.
    Iteration(IterationRow),
    /// An optimiser is done.
    Method(MethodRow),
}

/// What all optimisers made of their evaluations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rivalry {
    /// Number of evaluations that each had at most.
    pub evaluations: u32,
    /// One for each optimiser.
    pub rows: Vec<MethodRow>,
}

impl Config {
    /// Compares all optimisers, each with its usual settings and this many evaluations.
    pub fn new(tuning: config::Config, evaluations: u32) -> Result<Config, RunError> {
        let mut methods = Vec::new();
        for optimiser in OptimiserKind::ALL {
            let mut rival = tuning.clone();
            rival.method =
                MethodConfig { optimiser, patience: None, mu: optimiser.default_mu(), ..tuning.method.clone() };
            // The number of evaluations ends the run in any case.
            rival.method.iterations = rival.iterations_within(evaluations)?;
            methods.push(rival.method);
        }
        Ok(Config { methods, tuning, evaluations })
    }
}

impl RunKind for CompareOptimisers {
    const NAME: &'static str = "compare-optimisers";
    type Config = Config;
    type Event = Event;
    type Output = Rivalry;
    type Prepared = Session;

    fn identity(config: &Config) -> Identity {
        config.tuning.experiment.identity()
    }

    fn basis(config: &Config) -> Vec<Part> {
        config.tuning.experiment.basis()
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.tuning.experiment.validate()?;
        fitness::check(config.tuning.fitness.as_ref(), config.tuning.graded.as_ref(), &config.tuning.experiment)
    }

    fn prepare(config: &Config, services: &Services) -> Result<Session, RunError> {
        Session::open(&config.tuning, services)
    }

    fn run(
        config: &Config,
        mut session: Session,
        context: &mut Context<CompareOptimisers>,
    ) -> Result<Rivalry, RunError> {
        let mut rows = Vec::new();
        for method in &config.methods {
            let tuning = config::Config { method: method.clone(), ..config.tuning.clone() };
            let row = try_method(&tuning, &mut session, context, config.evaluations as usize)?;
            context.record(Event::Method(row.clone()))?;
            rows.push(row);
        }
        Ok(Rivalry { evaluations: config.evaluations, rows })
    }

    fn view(config: &Config, rivalry: &Rivalry) -> View {
        let (experiment, words) = (&config.tuning.experiment, config.tuning.words());
        let (suite, measured) = match (&config.tuning.graded, &config.tuning.fitness) {
            (Some(graded), _) => (&graded.suite_name, format!("judge: {}", graded.judge_text())),
            (None, Some(fitness)) => (&experiment.suite.name, format!("fitness {fitness}")),
            (None, None) => (&experiment.suite.name, format!("{} agreement", config.tuning.policy_text())),
        };
        let title = format!(
            "Optimisers on {suite} ({} nodes per problem, {}, {measured}), weights {}, at most {} evaluations each:\n\n",
            thousands(experiment.nodes),
            experiment.engine_text(),
            config.tuning.names().join(" "),
            rivalry.evaluations,
        );
        let (cost, solved) = (words.cost(), format!(">{}", words.solved()));
        let headings = ["optimiser", ">evaluations", ">best in iteration", &format!(">training {cost}"), &solved];
        let more = [&format!(">held-out {cost}"), &solved, "weights"];
        let compared = match words.fitness {
            None => "Nodes are compared with those".to_string(),
            Some(_) => format!("The {cost} is compared with that"),
        };
        View::new()
            .text(title)
            .table(Table::new(&[&headings[..], &more].concat(), rivalry.rows.iter().map(MethodRow::cells)))
            .text(format!(
                "\n{compared} of the start. An evaluation measures all training {} once.\n",
                words.problems()
            ))
    }

    fn headline(config: &Config, rivalry: &Rivalry) -> Headline {
        let change = |row: &MethodRow| row.held_out.as_ref().unwrap_or(&row.training).change;
        match rivalry.rows.iter().min_by(|a, b| change(a).total_cmp(&change(b))) {
            Some(best) => {
                let cost = config.tuning.words().cost();
                let text = format!("{}: {cost} {:+.2} %", best.optimiser, 100.0 * change(best));
                Headline::of(text, "change", change(best))
            }
            None => Headline::default(),
        }
    }

    fn partial_view(config: &Config, events: &[Event]) -> View {
        let rows = events.iter().filter_map(|event| match event {
            Event::Iteration(row) => Some(row),
            Event::Method(_) => None,
        });
        view::partial(&config.tuning, rows)
    }

    fn page(
        config: &Config,
        output: Option<&Rivalry>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        let (mut iterations, mut methods) = (Vec::new(), Vec::new());
        for event in events {
            match event? {
                Event::Iteration(row) => iterations.push(row),
                Event::Method(row) => methods.push(row),
            }
        }
        let view = match output {
            Some(rivalry) => CompareOptimisers::view(config, rivalry),
            None => view::partial(&config.tuning, iterations.iter()),
        };
        page::compared(&iterations, &methods, view)
    }

    fn rows(config: &Config) -> Rows {
        iteration_rows(config.tuning.procedure)
    }
}

impl MethodRow {
    fn cells(&self) -> Vec<Cell> {
        let held_out = self.held_out.as_ref();
        vec![
            self.optimiser.to_string().into(),
            self.evaluations.to_string().into(),
            self.best_in.to_string().into(),
            self.training.change_text().into(),
            Cell::Percent(self.training.tuned.share()),
            held_out.map_or(Cell::Missing, |one| one.change_text().into()),
            Cell::percent(held_out.map(|Comparison { tuned, .. }| tuned.share())),
            self.weights.to_string().into(),
        ]
    }
}

impl From<IterationRow> for Event {
    fn from(row: IterationRow) -> Event {
        Event::Iteration(row)
    }
}
