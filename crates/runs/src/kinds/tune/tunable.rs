//! The engine whose weights are tuned: a built-in one with features and search constants, or an external one.

use plysmith_core::depth::Weight;
use plysmith_core::feature::{Cost, FeatureError, Rule, Scheme};
use plysmith_core::games::{self, GameInfo};
use plysmith_core::parameter::{Parameter, Weights};
use plysmith_core::problem::Suite;
use plysmith_core::settings::{Settings, Tunable, Tunables};
use plysmith_engine::driver::{BuiltIn, Candidate, Policy, SearchCandidate, Subject};
use plysmith_engine::player::{BuiltInPlayer, Participant};
use plysmith_engine::weights::load_named;

use super::config::{Config, Procedure};
use super::result::Setting;
use super::verify::Opponents;
use crate::error::RunError;
use crate::evaluation_notes::note_fallbacks;
use crate::experiment::{EngineChoice, warn_if_unrepeatable};
use crate::external_engine::OpenedEngine;
use crate::services::Services;
use crate::solution_policy::SolutionPolicy;
use crate::suite_runner::SuiteRunner;

/// An engine whose weights can be tuned, made ready.
pub enum TunedEngine {
    /// The game's own engine.
    BuiltIn(Box<BuiltIn>),
    /// A process.
    External(Box<OpenedEngine>),
}

/// The engine as shipped: without a mapping, features or changed constants. Options that the user gave with the command
/// stay.
pub struct ShippedEngine {
    /// An engine of its own, if it is not the tuned one with other weights.
    pub engine: Option<TunedEngine>,
    /// What to measure.
    pub candidate: Candidate,
    /// Its setting, as [`TunedEngine::identity`] writes it.
    pub identity: String,
}

impl TunedEngine {
    /// Makes the engine of a tuning ready. An external engine is started once to see what it is.
    pub fn open(config: &Config, services: &Services) -> Result<TunedEngine, RunError> {
        let game = games::find(&config.experiment.game);
        let settings = match &config.experiment.engine {
            EngineChoice::External(engine) => {
                let opened = engine.open(game.ok(), config.policy()?, &services.cancel)?;
                return Ok(TunedEngine::External(Box::new(opened)));
            }
            EngineChoice::BuiltIn(settings) => *settings,
        };
        let game = game?;
        load_named(game, &settings).map_err(RunError::input)?;
        let SolutionPolicy::Watched(policy) = config.policy()? else {
            return Err(RunError::input("a built-in engine has no policy of its own"));
        };
        let rules = config.parameters.iter().map(|parameter| BuiltIn::tuned_rule(game, &parameter.name));
        let tunables = config.tunables.iter().map(|parameter| find_tunable(&parameter.name));
        let engine = BuiltIn::new(game, settings, policy)
            .with_template(rules.collect::<Result<_, _>>()?)?
            .with_tunables(tunables.collect::<Result<_, _>>()?);
        Ok(TunedEngine::BuiltIn(Box::new(engine)))
    }

    /// The engine as shipped; none for a plug engine that does not say what its weights are.
    pub fn shipped(&self, config: &Config, services: &Services) -> Result<Option<ShippedEngine>, RunError> {
        let neutral = Candidate::Scheme(Scheme::neutral());
        match (self, &config.experiment.engine) {
            (TunedEngine::BuiltIn(engine), _) => {
                let identity = built_in_identity(engine, &engine.resolve(&neutral)?);
                Ok(Some(ShippedEngine { engine: None, candidate: neutral, identity }))
            }
            (TunedEngine::External(engine), EngineChoice::External(stored)) => match engine.as_ref() {
                OpenedEngine::Uci(..) => {
                    let game = games::find(&config.experiment.game).ok();
                    let opened = stored.without_mapping().open(game, config.policy()?, &services.cancel)?;
                    let (candidate, shipped) = (opened.plain(), TunedEngine::External(Box::new(opened)));
                    let identity = shipped.identity(&Weights::default())?;
                    Ok(Some(ShippedEngine { engine: Some(shipped), candidate, identity }))
                }
                OpenedEngine::Plug(subject) => {
                    let own = Weights(subject.info().parameters.iter().map(|parameter| parameter.start).collect());
                    let is_known = !own.0.is_empty() && own.fits(subject.parameters()).is_ok();
                    let identity = self.identity(&own)?;
                    let candidate = Candidate::Weights(own);
                    Ok(is_known.then_some(ShippedEngine { engine: None, candidate, identity }))
                }
            },
            (TunedEngine::External(_), EngineChoice::BuiltIn(_)) => Ok(None),
        }
    }

    /// The setting that these weights give the engine, as text: weights with the same text search the same.
    pub fn identity(&self, weights: &Weights) -> Result<String, RunError> {
        Ok(match self {
            TunedEngine::BuiltIn(engine) => {
                built_in_identity(engine, &engine.resolve(&Candidate::Weights(weights.clone()))?)
            }
            TunedEngine::External(engine) => match engine.as_ref() {
                OpenedEngine::Uci(subject, _) => {
                    let options = subject.differences(weights).into_iter();
                    options.map(|(name, value)| format!("{name}={value}\n")).collect()
                }
                OpenedEngine::Plug(_) => weights.to_string(),
            },
        })
    }

    /// The scheme and the settings of a built-in engine with these weights.
    pub fn search_candidate(&self, weights: &Weights) -> Result<Option<SearchCandidate>, RunError> {
        match self {
            TunedEngine::BuiltIn(engine) => Ok(Some(engine.resolve(&Candidate::Weights(weights.clone()))?)),
            TunedEngine::External(_) => Ok(None),
        }
    }

    /// The engine with these weights and the engine as shipped, as players; none if it cannot play.
    pub fn opponents(&self, config: &Config, weights: &Weights) -> Result<Option<Opponents>, RunError> {
        Ok(match self {
            TunedEngine::BuiltIn(engine) => {
                let player = |candidate: &Candidate| -> Result<Participant, RunError> {
                    let SearchCandidate { scheme, settings } = engine.resolve(candidate)?;
                    Ok(BuiltInPlayer::new(settings, scheme).into())
                };
                let shipped = player(&Candidate::Scheme(Scheme::neutral()))?;
                let tuned = player(&Candidate::Weights(weights.clone()))?;
                Some(Opponents { game: engine.game(), tuned, shipped })
            }
            TunedEngine::External(engine) => match engine.as_ref() {
                OpenedEngine::Uci(_, game) => {
                    let shipped = Participant::parse(game, &config.experiment.engine_text())?;
                    engine.player(weights).map(|tuned| Opponents { game, tuned, shipped })
                }
                OpenedEngine::Plug(_) => None,
            },
        })
    }

    /// What is measured.
    pub fn subject(&self) -> Box<dyn Subject> {
        match self {
            TunedEngine::BuiltIn(engine) => engine.clone(),
            TunedEngine::External(engine) => OpenedEngine::clone(engine).into_subject(),
        }
    }

    /// Tells the user the notes on an engine, and warns if it is not deterministic.
    pub fn introduce(&self, runner: &mut SuiteRunner, suite: &Suite, services: &Services) -> Result<(), RunError> {
        match self {
            TunedEngine::BuiltIn(engine) => {
                let positions = suite.problems.iter().map(|problem| problem.position.as_str());
                note_fallbacks(engine.game(), &[*engine.settings()], positions, services);
                Ok(())
            }
            TunedEngine::External(engine) => {
                warn_if_unrepeatable(runner, &engine.plain(), &engine.notes(suite), services)
            }
        }
    }

    /// The name of an external engine.
    pub fn name(&self) -> Option<String> {
        match self {
            TunedEngine::BuiltIn(_) => None,
            TunedEngine::External(engine) => Some(engine.name().to_string()),
        }
    }

    /// These weights as the engine is told them.
    pub fn setting(&self, weights: &Weights, procedure: Procedure) -> Result<Setting, RunError> {
        match self {
            TunedEngine::BuiltIn(engine) => {
                let SearchCandidate { scheme, settings } = engine.resolve(&Candidate::Weights(weights.clone()))?;
                let game = engine.game();
                Ok(Setting {
                    preset: (!engine.tunables().is_empty()).then(|| game.print_settings(&settings)),
                    scheme: (!engine.template().is_empty()).then(|| game.vocabulary.print_scheme(&scheme)),
                    commands: Vec::new(),
                })
            }
            TunedEngine::External(engine) => {
                let commands = match procedure {
                    Procedure::First => engine.commands(weights),
                    Procedure::Second | Procedure::Third => engine.commands_for_shipped(weights),
                };
                Ok(Setting { commands, ..Setting::default() })
            }
        }
    }
}

/// The setting of a built-in engine as text. A feature with the weight of an ordinary move changes nothing, unless it
/// spares moves a higher weight.
fn built_in_identity(engine: &BuiltIn, candidate: &SearchCandidate) -> String {
    let SearchCandidate { scheme, settings } = candidate;
    let has_higher = scheme.rules().iter().any(|rule| rule.cost.is_reduction());
    let vocabulary = engine.game().vocabulary;
    let rules = scheme.rules().iter().filter(|rule| has_higher || rule.cost.weight() != Some(Weight::ONE));
    let rules = rules.map(|rule| format!("+{}@{}", vocabulary.print_feature(&rule.feature), rule.cost));
    engine.game().print_settings(settings) + &rules.collect::<String>()
}

/// A parameter for each feature of a built-in engine. The text is written like a scheme; a weight or an amount is where
/// one starts, as in `AcK,Fr,Pp@0.8,cut-late@+0.5`.
pub fn feature_parameters(game: &'static GameInfo, text: &str) -> Result<Vec<Parameter>, RunError> {
    let vocabulary = game.vocabulary;
    // Refuses what is not a scheme. Parameters stand in the order in which features were written.
    vocabulary.parse_scheme(text, Weight::ONE)?;
    let mut rules = Vec::new();
    for part in text.split(',') {
        let (name, start) = part.split_once('@').unwrap_or((part, "1"));
        let cost: Cost = start.parse().map_err(FeatureError::from)?;
        if matches!(cost, Cost::Probability(_)) {
            return Err(RunError::input(format!(
                "'{part}' is a probability, which is not tuned; tune the constants of the search with --parameters 'Rps*'"
            )));
        }
        rules.push(Rule::new(vocabulary.parse_feature(name)?, cost));
    }
    let engine = BuiltIn::new(game, game.parse_settings("classic")?, Policy::End).with_template(rules)?;
    Ok(engine.parameters().to_vec())
}

/// A parameter for each search constant that one of these patterns names, in the order of the table. A pattern is a
/// name, or the beginning of names followed by `*`. Constants start where the settings have them.
pub fn tunable_parameters(settings: &Settings, patterns: &[String]) -> Result<Vec<Parameter>, RunError> {
    for pattern in patterns {
        if Tunable::matching(pattern).next().is_none() {
            return Err(unknown_tunable(pattern));
        }
    }
    let is_named = |tunable: &&Tunable| {
        patterns.iter().any(|pattern| Tunable::matching(pattern).any(|other| other.name == tunable.name))
    };
    let parameter = |tunable: &Tunable| tunable.parameter((tunable.get)(&settings.tunables));
    Ok(Tunables::ALL.iter().filter(is_named).map(parameter).collect())
}

fn find_tunable(name: &str) -> Result<&'static Tunable, RunError> {
    Tunable::find(name).ok_or_else(|| unknown_tunable(name))
}

/// Names that share a word with the text, or all names.
fn unknown_tunable(text: &str) -> RunError {
    let wanted = text.trim_end_matches('*').to_lowercase();
    let names = || Tunables::ALL.iter().map(|tunable| tunable.name);
    let is_near = |name: &&str| {
        let name = name.to_lowercase();
        !wanted.is_empty() && (name.contains(&wanted) || wanted.contains(&name) || alike(&name, &wanted) >= 3)
    };
    let near: Vec<_> = names().filter(is_near).collect();
    let list = if near.is_empty() { names().collect::<Vec<_>>().join(", ") } else { near.join(", ") };
    let hint = if near.is_empty() { "expected one of" } else { "did you mean one of" };
    RunError::input(format!("'{text}' is not a search constant; {hint}: {list}"))
}

/// How many letters two names begin with in common.
fn alike(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}
