//! A run of an experiment at work: learner, lab and journal wired together.

use std::num::NonZeroUsize;

use plysmith_core::feature::{Conjunction, Scheme};
use plysmith_core::games::{self, Entry};
use plysmith_core::search::depth::Weight;
use plysmith_core::suite;
use plysmith_engine::driver::{BuiltIn, Control, Count};
use plysmith_engine::lab::{Lab, LabError, Limits, Wishes, all_cores};
use plysmith_engine::measurement::{Attempt, Job, Measurement, Memo};
use plysmith_store::{RunId, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::interrupt;
use crate::journal::Journal;
use crate::progress::Progress;

/// What every experiment on a suite is made of; stored with its run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Experiment {
    /// The game's name.
    pub game: String,
    /// What the suite is called.
    pub suite_name: String,
    /// The suite itself, so that a run does not depend on a file.
    pub suite: String,
    /// Search settings.
    pub preset: String,
    /// Node limit a problem.
    pub nodes: u64,
    /// The seed.
    pub seed: u64,
}

/// A run of an experiment.
pub struct Workbench {
    /// The game.
    pub game: &'static Entry,
    /// What is measured on.
    pub lab: Lab,
    journal: Journal,
}

impl Experiment {
    /// The suite's problems.
    pub fn read_suite(&self) -> Result<suite::problem::Suite, Failure> {
        let game = games::find(&self.game)?;
        suite::text::parse(game, &self.suite_name, &self.suite)
            .map_err(|error| Failure::input(format!("{}:{error}", self.suite_name)))
    }
}

impl Workbench {
    /// Begins a new run of this kind; `config` is all that is needed to do it again.
    pub fn begin(
        kind: &str,
        experiment: &Experiment,
        config: &impl Serialize,
        threads: Option<NonZeroUsize>,
    ) -> Result<Workbench, Failure> {
        // The lab first: a run that cannot even be set up leaves no row in the store.
        let lab = set_up(experiment, threads)?;
        let journal = Journal::begin(kind, &experiment.game, experiment.seed, config)?;
        Ok(Workbench { game: games::find(&experiment.game)?, lab, journal })
    }

    /// Goes on with a run.
    pub fn resume(
        journal: Journal,
        experiment: &Experiment,
        threads: Option<NonZeroUsize>,
    ) -> Result<Workbench, Failure> {
        Ok(Workbench { game: games::find(&experiment.game)?, lab: set_up(experiment, threads)?, journal })
    }

    /// The run's number.
    pub fn run(&self) -> RunId {
        self.journal.run()
    }

    /// How many problems the suite has.
    pub fn problems(&self) -> usize {
        self.lab.suite().problems.len()
    }

    /// Measures one feature, or recalls it.
    pub fn measure_feature(
        &mut self,
        feature: Conjunction,
        weight: Weight,
        at_least: Option<u32>,
        progress: &Progress,
    ) -> Result<Measurement, Failure> {
        self.measure(&Scheme::single(feature, weight), at_least, progress)
    }

    /// Measures a scheme, or recalls it.
    pub fn measure(
        &mut self,
        scheme: &Scheme,
        at_least: Option<u32>,
        progress: &Progress,
    ) -> Result<Measurement, Failure> {
        let control = Control::Scheme(scheme.clone());
        let assistant = Assistant { progress, store: self.journal.store() };
        assistant.measure(&mut self.lab, &control, at_least).map_err(|failure| failure.of_run(self.journal.run()))
    }

    /// Stores what happened.
    pub fn record(&mut self, kind: &str, event: &impl Serialize) -> Result<(), Failure> {
        self.journal.record(kind, event)
    }

    /// Stores the result: the run is over.
    pub fn finish(self, result: &impl Serialize) -> Result<(), Failure> {
        self.journal.finish(result)
    }
}

/// Watches a lab at work: keeps what it measures, and tells how far it is and what goes wrong.
pub struct Assistant<'a> {
    /// Where it is told.
    pub progress: &'a Progress,
    /// Where it is kept.
    pub store: &'a Store,
}

impl Assistant<'_> {
    /// Measures a candidate, or recalls it.
    pub fn measure(&self, lab: &mut Lab, control: &Control, at_least: Option<u32>) -> Result<Measurement, Failure> {
        let wishes = Wishes {
            at_least,
            interrupt: &interrupt::is_raised,
            progress: &|done| self.progress.part(done as u64),
            incident: &|incident| self.progress.aside(incident),
        };
        lab.measure(control, &wishes, &mut StoreMemo(self.store)).map_err(|error| match error {
            LabError::Interrupted => Failure::Interrupted(None),
            LabError::Memo(error) => error.into(),
            LabError::Engine(error) => error.into(),
            LabError::Control(error) => Failure::input(error),
            LabError::Hopeless { .. } => Failure::Failed(anyhow::anyhow!("{error}")),
        })
    }
}

fn set_up(experiment: &Experiment, threads: Option<NonZeroUsize>) -> Result<Lab, Failure> {
    let game = games::find(&experiment.game)?;
    let subject = BuiltIn::new(game, game.parse_settings(&experiment.preset)?, Count::Whole);
    let limits = Limits { nodes: experiment.nodes, seed: experiment.seed };
    let threads = threads.unwrap_or_else(all_cores);
    Lab::new(Box::new(subject), experiment.read_suite()?, limits, threads).map_err(Failure::input)
}

/// The store as the lab's memo.
pub struct StoreMemo<'a>(pub &'a Store);

impl Memo for StoreMemo<'_> {
    type Error = StoreError;

    fn recall(&mut self, job: &Job) -> Result<Option<Vec<Attempt>>, StoreError> {
        self.0.measurement(&job.key())?.map(|measurement| measurement.decode()).transpose()
    }

    fn keep(&mut self, job: &Job, attempts: &[Attempt]) -> Result<(), StoreError> {
        self.0.put_measurement(&job.key(), attempts.len() as u32, job, &attempts)
    }
}
