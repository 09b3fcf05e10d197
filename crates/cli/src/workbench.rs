//! A run of an experiment at work: learner, lab and journal wired together.

use std::num::NonZeroUsize;

use plysmith_core::depth::Weight;
use plysmith_core::feature::{Conjunction, Guidance, Scheme, Vocabulary};
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::Suite;
use plysmith_core::suite::text;
use plysmith_engine::driver::{BuiltIn, Candidate, Count, Subject};
use plysmith_engine::lab::{Lab, LabError, Limits, MeasureOptions, all_cores};
use plysmith_engine::measurement::{Attempt, Job, Measurement, Memo};
use plysmith_store::{RunId, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::foreign::ForeignEngine;
use crate::interrupt;
use crate::journal::Journal;
use crate::output::say;
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
    /// The foreign engine, if it is not a built-in one; then the preset says only how it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<ForeignEngine>,
}

/// What learners know of the features.
#[derive(Copy, Clone)]
pub struct Features {
    /// The atoms.
    pub vocabulary: Vocabulary,
    /// What to know of them.
    pub guidance: Guidance,
}

/// A run of an experiment.
pub struct Workbench {
    /// The features.
    pub features: Features,
    /// What is measured on.
    pub lab: Lab,
    journal: Journal,
}

impl Experiment {
    /// The suite's problems.
    pub fn read_suite(&self) -> Result<Suite, Failure> {
        let name = &self.suite_name;
        let read = match games::find(&self.game) {
            Err(_) if self.engine.is_some() => {
                let text::Reading { suite, wrong } = text::read_relayed(name, &self.suite);
                wrong.into_iter().next().map_or_else(|| text::not_empty(suite), Err)
            }
            game => text::parse(game?, name, &self.suite),
        };
        read.map_err(|error| Failure::input(format!("{name}:{error}")))
    }

    /// What is measured, ready to be.
    pub fn open(&self) -> Result<Opened, Failure> {
        let game = games::find(&self.game);
        let Some(engine) = &self.engine else {
            let game = game?;
            let subject = BuiltIn::new(game, game.parse_settings(&self.preset)?, Count::Whole);
            return Ok(Opened { subject: Box::new(subject), features: game.into(), foreign: None });
        };
        let opened = engine.open(game.ok())?;
        let features = opened.features().into();
        let foreign = Some((opened.plain(), opened.notes(&self.read_suite()?)));
        Ok(Opened { subject: opened.into_subject(), features, foreign })
    }
}

/// A run that is about to begin.
#[derive(Copy, Clone)]
pub struct Plan<'a> {
    /// What kind of run.
    pub kind: &'a str,
    /// On what.
    pub experiment: &'a Experiment,
    /// Threads to use; all cores by default.
    pub threads: Option<NonZeroUsize>,
}

/// What is measured, and what is known of it.
pub struct Opened {
    /// The engine.
    pub subject: Box<dyn Subject>,
    /// Its features.
    pub features: Features,
    /// Of a foreign engine, a candidate to try it with, and what to know of it.
    foreign: Option<(Candidate, Vec<String>)>,
}

impl From<&GameInfo> for Features {
    fn from(game: &GameInfo) -> Features {
        Features { vocabulary: game.vocabulary, guidance: game.guidance }
    }
}

impl From<(Vocabulary, Guidance)> for Features {
    fn from((vocabulary, guidance): (Vocabulary, Guidance)) -> Features {
        Features { vocabulary, guidance }
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
        Workbench::begin_opened(Plan { kind, experiment, threads }, experiment.open()?, config)
    }

    /// The same with an engine that was started already, to see what it is.
    pub fn begin_opened(plan: Plan<'_>, opened: Opened, config: &impl Serialize) -> Result<Workbench, Failure> {
        let Plan { kind, experiment, threads } = plan;
        // The lab first: a run that cannot even be set up leaves no row in the store.
        let (lab, features) = set_up(experiment, opened, threads)?;
        let journal = Journal::begin(kind, &experiment.game, experiment.seed, config)?;
        Ok(Workbench { features, lab, journal })
    }

    /// Goes on with a run.
    pub fn resume(
        journal: Journal,
        experiment: &Experiment,
        threads: Option<NonZeroUsize>,
    ) -> Result<Workbench, Failure> {
        let (lab, features) = set_up(experiment, experiment.open()?, threads)?;
        Ok(Workbench { features, lab, journal })
    }

    /// The run's number.
    pub fn run(&self) -> RunId {
        self.journal.run()
    }

    /// The run's journal, for work beside the experiment.
    pub fn journal(&self) -> &Journal {
        &self.journal
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
        self.measure_candidate(&Candidate::Scheme(scheme.clone()), at_least, progress)
    }

    /// Measures a candidate, or recalls it.
    pub fn measure_candidate(
        &mut self,
        candidate: &Candidate,
        at_least: Option<u32>,
        progress: &Progress,
    ) -> Result<Measurement, Failure> {
        let assistant = Assistant { progress, store: self.journal.store() };
        assistant.measure(&mut self.lab, candidate, at_least).map_err(|failure| failure.of_run(self.journal.run()))
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
    pub fn measure(&self, lab: &mut Lab, candidate: &Candidate, at_least: Option<u32>) -> Result<Measurement, Failure> {
        let options = MeasureOptions {
            at_least,
            interrupt: &interrupt::is_raised,
            progress: &|done| self.progress.part(done as u64),
            incident: &|incident| self.progress.aside(incident),
        };
        lab.measure(candidate, &options, &mut StoreMemo(self.store)).map_err(|error| match error {
            LabError::Interrupted => Failure::Interrupted(None),
            LabError::Memo(error) => error.into(),
            LabError::Engine(error) => error.into(),
            LabError::Candidate(error) => error.into(),
            LabError::Hopeless { .. } => Failure::Failed(anyhow::anyhow!("{error}")),
        })
    }
}

fn set_up(experiment: &Experiment, opened: Opened, threads: Option<NonZeroUsize>) -> Result<(Lab, Features), Failure> {
    let Opened { subject, features, foreign } = opened;
    let limits = Limits { nodes: experiment.nodes, seed: experiment.seed };
    let threads = threads.unwrap_or_else(all_cores);
    let mut lab = Lab::new(subject, experiment.read_suite()?, limits, threads).map_err(Failure::input)?;
    if let Some((plain, notes)) = foreign {
        warn_if_unrepeatable(&mut lab, &plain, &notes)?;
    }
    Ok((lab, features))
}

/// Tells what should be known of a foreign engine, and warns if it does not do the same thing twice.
pub fn warn_if_unrepeatable(lab: &mut Lab, plain: &Candidate, notes: &[String]) -> Result<(), Failure> {
    notes.iter().for_each(|note| say(format!("note: {note}")));
    let repeats = lab.check_repeats(plain, &interrupt::is_raised)?;
    if let Some(warning) = repeats.and_then(|repeats| repeats.warning()) {
        say(format!("warning: {warning}"));
    }
    Ok(())
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
