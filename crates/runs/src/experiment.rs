//! What all experiments on a suite have in common: the game, the suite, the engine and the limits.

use plysmith_core::feature::{Guidance, Vocabulary};
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::Suite;
use plysmith_core::settings::Settings;
use plysmith_core::suite::text;
use plysmith_engine::driver::{BuiltIn, Candidate, Policy, Subject};
use plysmith_engine::measurement::{Attempt, Measurement};
use plysmith_engine::weights;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::cancel::CancelToken;
use crate::error::RunError;
use crate::evaluation_notes::note_fallbacks;
use crate::external_engine::ExternalEngine;
use crate::finding::Finding;
use crate::kind::{Identity, check_range};
use crate::memory::ThreadNeed;
use crate::progress::Progress;
use crate::remote::Needs;
use crate::remote::shared::{self, SentSubject};
use crate::services::Services;
use crate::solution_policy::SolutionPolicy;
use crate::suite_runner::{MeasureOptions, SearchLimits, SuiteRunner};
use crate::suites::{bundled_suite, default_suite};
use crate::view::thousands;

/// An experiment on a suite. Stored with its run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredExperiment", into = "StoredExperiment")]
pub struct Experiment {
    /// The game's name. An external engine may play a game that Plysmith does not know.
    pub game: String,
    /// The problems.
    pub suite: Suite,
    /// What is measured.
    pub engine: EngineChoice,
    /// When a problem counts as solved, and which nodes count. None in runs of versions that did not name it: then it is
    /// what it was for their engine; see [`Experiment::policy`].
    pub policy: Option<SolutionPolicy>,
    /// Node limit for each problem.
    pub nodes: u64,
    /// Random seed.
    pub seed: u64,
}

/// A built-in engine or an external one.
#[derive(Clone, PartialEq, Debug)]
pub enum EngineChoice {
    /// The game's own engine with these settings.
    BuiltIn(Settings),
    /// A process.
    External(ExternalEngine),
}

/// An experiment as it is stored.
#[derive(Clone, Serialize, Deserialize)]
struct StoredExperiment {
    game: String,
    suite_name: String,
    /// The whole suite, so that a run does not depend on a file.
    suite: String,
    /// Settings of the built-in engine, or the external engine's command.
    preset: String,
    nodes: u64,
    seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    engine: Option<ExternalEngine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<SolutionPolicy>,
}

/// An engine's move features.
#[derive(Copy, Clone)]
pub struct Features {
    /// The atoms.
    pub vocabulary: Vocabulary,
    /// Groups, forbidden combinations and the default Base set.
    pub guidance: Guidance,
}

/// An engine that is ready to be measured.
pub struct OpenedSubject {
    /// The engine.
    pub subject: Box<dyn Subject>,
    /// Its features.
    pub features: Features,
    /// For an external engine, a candidate to try it with, and notes for the user.
    external: Option<(Candidate, Vec<String>)>,
}

/// An engine, its features, and the suite it is measured on.
pub struct Session {
    /// The features.
    pub features: Features,
    /// The engine on the suite.
    pub runner: SuiteRunner,
    /// See [`Experiment::policy`].
    policy: Option<SolutionPolicy>,
}

/// The policy of experiments that do not ask for another one: that of the papers on features.
pub const USUAL_POLICY: Policy = Policy::End;

impl Experiment {
    /// The papers' engine on the suite that comes with a game.
    pub fn bundled(game: &GameInfo) -> Result<Experiment, RunError> {
        Ok(Experiment {
            game: game.name.to_string(),
            suite: bundled_suite(game)?,
            engine: EngineChoice::BuiltIn(game.presets.classic()),
            policy: Some(SolutionPolicy::Watched(USUAL_POLICY)),
            nodes: default_suite(game)?.nodes,
            seed: 1,
        })
    }

    /// The game and the seed.
    pub fn identity(&self) -> Identity {
        Identity { game: self.game.clone(), seed: self.seed }
    }

    /// Checks the numbers.
    pub fn validate(&self) -> Result<(), RunError> {
        check_range("node limit", self.nodes, 1..=u64::MAX)
    }

    /// The part of the program that measures.
    pub fn basis(&self) -> Vec<Part> {
        match self.engine {
            EngineChoice::BuiltIn(_) => vec![Part::Search],
            EngineChoice::External(_) => vec![Part::External],
        }
    }

    /// The settings, or the external engine's command, as text.
    pub fn engine_text(&self) -> String {
        match &self.engine {
            EngineChoice::BuiltIn(settings) => match games::find(&self.game) {
                Ok(game) => game.print_settings(settings),
                Err(_) => String::new(),
            },
            EngineChoice::External(engine) => engine.engine.clone(),
        }
    }

    /// The conditions in a few words: suite, problems, node limit, engine, policy.
    pub fn conditions(&self) -> String {
        format!(
            "{} ({} problems, {} nodes each, {}{})",
            self.suite.name,
            self.suite.problems.len(),
            thousands(self.nodes),
            self.engine_text(),
            self.policy_note(),
        )
    }

    /// The policy as the end of a list of conditions; empty for runs of versions that did not name it.
    pub fn policy_note(&self) -> String {
        self.policy.map_or(String::new(), |policy| format!("; {}", policy.explained()))
    }

    /// When a problem counts as solved.
    pub fn policy(&self) -> Result<SolutionPolicy, RunError> {
        match (self.policy, &self.engine) {
            (Some(policy), _) => Ok(policy),
            (None, EngineChoice::BuiltIn(_)) => Ok(SolutionPolicy::Watched(Policy::End)),
            (None, EngineChoice::External(engine)) => engine.unnamed_policy(),
        }
    }

    /// The external engine, if it is one.
    pub fn external(&self) -> Option<&ExternalEngine> {
        match &self.engine {
            EngineChoice::BuiltIn(_) => None,
            EngineChoice::External(engine) => Some(engine),
        }
    }

    /// Makes the engine ready. An external engine is started once to see what it is.
    pub fn open(&self, cancel: &CancelToken) -> Result<OpenedSubject, RunError> {
        let game = games::find(&self.game);
        match &self.engine {
            EngineChoice::BuiltIn(settings) => {
                let game = game?;
                weights::load_named(game, settings).map_err(RunError::input)?;
                let SolutionPolicy::Watched(policy) = self.policy()? else {
                    return Err(RunError::input("a built-in engine has no policy of its own"));
                };
                let subject = BuiltIn::new(game, *settings, policy);
                Ok(OpenedSubject { subject: Box::new(subject), features: game.into(), external: None })
            }
            EngineChoice::External(engine) => {
                let opened = engine.open(game.ok(), self.policy()?, cancel)?;
                let (vocabulary, guidance) = opened.features();
                let external = Some((opened.plain(), opened.notes(&self.suite)));
                let features = Features { vocabulary, guidance };
                Ok(OpenedSubject { subject: opened.into_subject(), features, external })
            }
        }
    }

    /// What other machines need of the engine.
    pub fn needs(&self) -> Result<Needs, RunError> {
        match &self.engine {
            EngineChoice::BuiltIn(settings) => Ok(shared::weights([settings]).into()),
            EngineChoice::External(engine) => {
                let game = games::find(&self.game).ok().map(|game| game.name.to_string());
                shared::subject(&SentSubject { engine: engine.clone(), policy: self.policy()?, game })
            }
        }
    }

    /// Opens the engine and sets up the suite.
    pub fn session(&self, services: &Services) -> Result<Session, RunError> {
        self.session_with(self.open(&services.cancel)?, services)
    }

    /// Sets up the suite for an engine that was opened before.
    pub fn session_with(&self, opened: OpenedSubject, services: &Services) -> Result<Session, RunError> {
        let OpenedSubject { subject, features, external } = opened;
        if let (EngineChoice::BuiltIn(settings), Ok(game)) = (&self.engine, games::find(&self.game)) {
            let positions = self.suite.problems.iter().map(|problem| problem.position.as_str());
            note_fallbacks(game, &[*settings], positions, services);
        }
        let limits = SearchLimits { nodes: self.nodes, seed: self.seed };
        let need = ThreadNeed::of_engine(&self.engine_text(), subject.memory());
        let threads = services.workers(self.suite.problems.len() as u64, &need)?;
        let mut runner = SuiteRunner::new(subject, self.suite.clone(), limits, threads)?;
        if let Some(queue) = &services.remote {
            runner = runner.with_remote(queue, self.needs()?);
        }
        if let Some((plain, notes)) = external {
            warn_if_unrepeatable(&mut runner, &plain, &notes, services)?;
        }
        Ok(Session { features, runner, policy: self.policy })
    }
}

impl Session {
    /// How many problems the suite has.
    pub fn problems(&self) -> usize {
        self.runner.suite().problems.len()
    }

    /// What a measurement of the suite says of a feature or scheme.
    pub fn finding(&self, feature: String, measurement: &Measurement) -> Finding {
        Finding { policy: self.policy, ..Finding::new(feature, measurement, self.runner.suite()) }
    }

    /// Measures a candidate, or reads it from the cache.
    pub fn measure(
        &mut self,
        candidate: &Candidate,
        at_least: Option<u32>,
        progress: &Progress,
        services: &Services,
    ) -> Result<Measurement, RunError> {
        measure(&mut self.runner, candidate, at_least, progress, services)
    }

    /// Measures a candidate until `stop` says so; see [`SuiteRunner::measure_until`].
    pub fn measure_until(
        &mut self,
        candidate: &Candidate,
        progress: &Progress,
        services: &Services,
        stop: &mut dyn FnMut(&Attempt) -> bool,
    ) -> Result<Measurement, RunError> {
        let options = MeasureOptions {
            at_least: None,
            interrupt: &|| services.cancel.is_cancelled(),
            progress: &|done| progress.set_part_done(done as u64),
            incident: &|incident| progress.note(incident.to_string()),
        };
        Ok(self.runner.measure_until(candidate, &options, services.memo(), stop)?)
    }
}

/// Measures a candidate, or reads it from the cache; reports progress and faults of the engine.
pub fn measure(
    runner: &mut SuiteRunner,
    candidate: &Candidate,
    at_least: Option<u32>,
    progress: &Progress,
    services: &Services,
) -> Result<Measurement, RunError> {
    let options = MeasureOptions {
        at_least,
        interrupt: &|| services.cancel.is_cancelled(),
        progress: &|done| progress.set_part_done(done as u64),
        incident: &|incident| progress.note(incident.to_string()),
    };
    Ok(runner.measure(candidate, &options, services.memo())?)
}

/// Tells the user the notes on an external engine, and warns if it is not deterministic.
pub fn warn_if_unrepeatable(
    runner: &mut SuiteRunner,
    plain: &Candidate,
    notes: &[String],
    services: &Services,
) -> Result<(), RunError> {
    notes.iter().for_each(|note| services.note(format!("note: {note}")));
    let repeats = runner.check_repeats(plain, &|| services.cancel.is_cancelled())?;
    if let Some(warning) = repeats.and_then(|repeats| repeats.warning()) {
        services.note(format!("warning: {warning}"));
    }
    Ok(())
}

impl From<&GameInfo> for Features {
    fn from(game: &GameInfo) -> Features {
        Features { vocabulary: game.vocabulary, guidance: game.guidance }
    }
}

impl From<Experiment> for StoredExperiment {
    fn from(experiment: Experiment) -> StoredExperiment {
        let preset = experiment.engine_text();
        let Experiment { game, suite, engine, policy, nodes, seed } = experiment;
        let engine = match engine {
            EngineChoice::BuiltIn(_) => None,
            EngineChoice::External(engine) => Some(engine),
        };
        let (suite_name, suite) = (suite.name.clone(), text::print(&suite, ""));
        StoredExperiment { game, suite_name, suite, preset, nodes, seed, engine, policy }
    }
}

impl TryFrom<StoredExperiment> for Experiment {
    type Error = RunError;

    fn try_from(stored: StoredExperiment) -> Result<Experiment, RunError> {
        let StoredExperiment { game, suite_name, suite, preset, nodes, seed, engine, policy } = stored;
        let known = games::find(&game);
        let read = match &known {
            Err(_) if engine.is_some() => {
                let text::Reading { suite, wrong, .. } = text::read_relayed(&suite_name, &suite);
                wrong.into_iter().next().map_or_else(|| text::not_empty(suite), Err)
            }
            Err(error) => return Err(error.clone().into()),
            Ok(game) => text::parse(game, &suite_name, &suite),
        };
        let suite = read.map_err(|error| RunError::input(format!("{suite_name}:{error}")))?;
        let engine = match engine {
            Some(engine) => EngineChoice::External(engine),
            None => EngineChoice::BuiltIn(weights::parse_stored_settings(known?, &preset)?),
        };
        Ok(Experiment { game, suite, engine, policy, nodes, seed })
    }
}
