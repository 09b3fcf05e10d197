//! A run at work: learner, lab and store wired together.
//!
//! A run begins as a row in the store with its whole configuration, suite included, and every
//! measurement is stored as it lands. To resume is to do the same again: what is known is recalled
//! instead of searched, and every event must come out as it is stored.

use std::num::NonZeroUsize;

use plysmith_core::feature::{Conjunction, Scheme};
use plysmith_core::games::{self, Entry};
use plysmith_core::search::depth::Weight;
use plysmith_core::suite;
use plysmith_engine::lab::{Conditions, Lab, LabError, Wishes, all_cores};
use plysmith_engine::measurement::{Attempt, Job, Measurement, Memo};
use plysmith_store::{Home, NewRun, RunClaim, RunId, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::interrupt;
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

/// A run in progress.
pub struct Workbench {
    /// The game.
    pub game: &'static Entry,
    /// What is measured on.
    pub lab: Lab,
    store: Store,
    claim: RunClaim,
    next_event: u64,
}

/// Opens the store of this user.
pub fn open_store() -> Result<Store, Failure> {
    Ok(Store::open(&Home::from_env()?.store_path())?)
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
        let lab = set_up(experiment, threads)?;
        let store = open_store()?;
        let claim = store.create_run(&NewRun {
            kind: kind.to_string(),
            game: experiment.game.clone(),
            config: serde_json::to_value(config).map_err(|error| Failure::Failed(error.into()))?,
            seed: experiment.seed,
            version: env!("CARGO_PKG_VERSION").to_string(),
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        })?;
        Workbench::with(experiment, lab, store, claim)
    }

    /// Goes on with a run.
    pub fn resume(
        store: Store,
        claim: RunClaim,
        experiment: &Experiment,
        threads: Option<NonZeroUsize>,
    ) -> Result<Workbench, Failure> {
        let lab = set_up(experiment, threads)?;
        Workbench::with(experiment, lab, store, claim)
    }

    fn with(experiment: &Experiment, lab: Lab, store: Store, claim: RunClaim) -> Result<Workbench, Failure> {
        interrupt::listen();
        Ok(Workbench { game: games::find(&experiment.game)?, lab, store, claim, next_event: 0 })
    }

    /// The run's number.
    pub fn run(&self) -> RunId {
        self.claim.run()
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
        let wishes =
            Wishes { at_least, interrupt: &interrupt::is_raised, progress: &|done| progress.part(done as u64) };
        self.lab.measure(scheme, &wishes, &mut StoreMemo(&self.store)).map_err(|error| match error {
            LabError::Interrupted => Failure::Interrupted(Some(self.claim.run())),
            LabError::Memo(error) => error.into(),
        })
    }

    /// Stores what happened.
    pub fn record(&mut self, kind: &str, event: &impl Serialize) -> Result<(), Failure> {
        self.store.append_event(self.claim.run(), self.next_event, kind, event)?;
        self.next_event += 1;
        Ok(())
    }

    /// Stores the result: the run is over.
    pub fn finish(self, result: &impl Serialize) -> Result<(), Failure> {
        Ok(self.store.finish_run(self.claim.run(), result)?)
    }
}

fn set_up(experiment: &Experiment, threads: Option<NonZeroUsize>) -> Result<Lab, Failure> {
    let game = games::find(&experiment.game)?;
    let conditions = Conditions {
        settings: game.parse_settings(&experiment.preset)?,
        nodes: experiment.nodes,
        seed: experiment.seed,
    };
    let threads = threads.unwrap_or_else(all_cores);
    Lab::new(game, experiment.read_suite()?, conditions, threads).map_err(Failure::input)
}

/// The store as the lab's memo.
struct StoreMemo<'a>(&'a Store);

impl Memo for StoreMemo<'_> {
    type Error = StoreError;

    fn recall(&mut self, job: &Job) -> Result<Option<Vec<Attempt>>, StoreError> {
        self.0.measurement(&job.key())?.map(|measurement| measurement.decode()).transpose()
    }

    fn keep(&mut self, job: &Job, attempts: &[Attempt]) -> Result<(), StoreError> {
        self.0.put_measurement(&job.key(), attempts.len() as u32, job, &attempts)
    }
}
