//! What is tuned: the weights of a built-in engine's features, or those of a foreign engine.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use plysmith_core::games::{self, Entry};
use plysmith_core::parameter::{Parameter, Weights};
use plysmith_core::search::depth::Weight;
use plysmith_core::suite::problem::Problem;
use plysmith_engine::driver::mapping::Mapping;
use plysmith_engine::driver::policy::Policy;
use plysmith_engine::driver::uci::OpenError;
use plysmith_engine::driver::{BuiltIn, Control, Count, PlugSettings, PlugSubject, Subject, UciSettings, UciSubject};
use plysmith_engine::process::Launch;
use plysmith_engine::{plug, uci};
use serde::{Deserialize, Serialize};

use super::check_engine::parse_option;
use super::tune::{Config, Setting};
use crate::failure::Failure;
use crate::files::read_text;
use crate::interrupt;

/// A foreign engine.
#[derive(Debug, Args)]
pub struct EngineArguments {
    /// Tune a foreign engine: its command line, like 'gnuchess --uci'; no shell is involved
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,

    /// The file that says which options of the engine weights drive (docs/tuning.md)
    #[arg(long, value_name = "FILE", requires = "engine")]
    map: Option<PathBuf>,

    /// Set an option of a UCI engine before all else; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", requires = "engine", value_parser = parse_option)]
    options: Vec<(String, String)>,

    /// What the engine speaks [default: uci with a map, else plug]
    #[arg(long, value_enum, requires = "engine")]
    protocol: Option<Protocol>,
}

/// What foreign engines speak.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The Universal Chess Interface; a map says what weights drive
    Uci,
    /// The paper's own: setboard, setparam, gountil (docs/plug-protocol.md)
    Plug,
}

/// A foreign engine as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EngineConfig {
    pub command: String,
    pub protocol: Protocol,
    /// The map as a whole, so that a run does not depend on a file; first its name.
    pub map: Option<(String, String)>,
    pub options: Vec<(String, String)>,
}

/// A subject made ready.
#[derive(Clone)]
pub enum Opened {
    BuiltIn(BuiltIn),
    Uci(Box<UciSubject>),
    Plug(Box<PlugSubject>),
}

impl EngineArguments {
    /// The engine that is meant, if one is.
    pub fn resolve(&self) -> Result<Option<EngineConfig>, Failure> {
        let Some(command) = &self.engine else { return Ok(None) };
        let protocol = self.protocol.unwrap_or(if self.map.is_some() { Protocol::Uci } else { Protocol::Plug });
        if protocol == Protocol::Uci && self.map.is_none() {
            let remedy =
                "say with --map FILE which of its options weights drive (docs/tuning.md, examples/glaurung.toml)";
            return Err(Failure::input(format!("a UCI engine does not tell what can be tuned; {remedy}")));
        }
        if protocol == Protocol::Plug && !self.options.is_empty() {
            return Err(Failure::input(
                "--option is for UCI engines; a plug engine takes its settings in its command line",
            ));
        }
        let read = |path: &PathBuf| Ok::<_, Failure>((path.display().to_string(), read_map(path)?));
        Ok(Some(EngineConfig {
            command: command.parse::<plysmith_engine::process::EngineCommand>()?.to_string(),
            protocol,
            map: self.map.as_ref().map(read).transpose()?,
            options: self.options.clone(),
        }))
    }
}

fn read_map(path: &Path) -> Result<String, Failure> {
    read_text(path, "a map of weights to options, in TOML", false)
}

impl EngineConfig {
    /// The policy that the map asks for.
    pub fn policy(&self) -> Result<Option<Policy>, Failure> {
        Ok(self.mapping()?.policy)
    }

    fn mapping(&self) -> Result<Mapping, Failure> {
        match &self.map {
            Some((name, text)) => Mapping::parse(name, text).map_err(Failure::input),
            None => Ok(Mapping::default()),
        }
    }

    /// Starts it, and finds out what it is.
    pub fn open(&self, game: &'static Entry, policy: Policy) -> Result<Opened, Failure> {
        let (command, mapping) = (self.command.parse()?, self.mapping()?);
        match self.protocol {
            Protocol::Uci => {
                let (launch, patience) = (Launch::Guarded, uci::Patience::default());
                let options = self.options.clone();
                let settings = UciSettings { command, game, options, mapping, policy, launch, patience };
                let subject = UciSubject::open(settings, &interrupt::is_raised).map_err(|error| match error {
                    OpenError::Engine(error) => Failure::from(error),
                    OpenError::Mapping(error) => Failure::input(error),
                })?;
                Ok(Opened::Uci(Box::new(subject)))
            }
            Protocol::Plug => {
                let (launch, patience) = (Launch::Guarded, plug::Patience::default());
                let (game, parameters) = (Some(game), mapping.plain_parameters());
                let subject = PlugSubject::open(PlugSettings { command, game, parameters, launch, patience })?;
                Ok(Opened::Plug(Box::new(subject)))
            }
        }
    }
}

impl Opened {
    /// What a tuning measures.
    pub fn of(config: &Config) -> Result<Opened, Failure> {
        let game = games::find(&config.experiment.game)?;
        let policy: Policy = config.policy.parse().map_err(Failure::input)?;
        if let Some(engine) = &config.engine {
            return engine.open(game, policy);
        }
        let names = config.parameters.iter().map(|parameter| game.vocabulary.parse_feature(&parameter.name));
        let features = names.collect::<Result<_, _>>()?;
        let settings = game.parse_settings(&config.experiment.preset)?;
        Ok(Opened::BuiltIn(BuiltIn::new(game, settings, Count::ToSolution(policy)).with_template(features)?))
    }

    /// The subject for a lab.
    pub fn subject(&self) -> Box<dyn Subject> {
        match self {
            Opened::BuiltIn(subject) => Box::new(subject.clone()),
            Opened::Uci(subject) => subject.clone(),
            Opened::Plug(subject) => subject.clone(),
        }
    }

    /// What should be known about it before these problems are asked.
    pub fn notes(&self, problems: &[Problem]) -> Vec<String> {
        match self {
            Opened::BuiltIn(_) => Vec::new(),
            Opened::Uci(subject) => subject.notes().to_vec(),
            Opened::Plug(subject) => subject.notes(problems),
        }
    }

    /// Who it is, for people.
    pub fn name(&self) -> Option<String> {
        match self {
            Opened::BuiltIn(_) => None,
            Opened::Uci(subject) => Some(subject.name().to_string()),
            Opened::Plug(subject) => Some(subject.introduction().name.clone()),
        }
    }

    /// These weights in the words of who is to use them.
    pub fn setting(&self, weights: &Weights) -> Result<Setting, Failure> {
        let (mut scheme, mut commands) = (None, Vec::new());
        match self {
            Opened::BuiltIn(engine) => {
                let found = engine.scheme(&Control::Weights(weights.clone())).map_err(Failure::input)?;
                scheme = Some(engine.game().vocabulary.print_scheme(&found));
            }
            Opened::Uci(subject) => {
                let options = subject.settings_of(weights).into_iter();
                commands.extend(options.map(|(name, value)| format!("setoption name {name} value {value}")));
            }
            Opened::Plug(_) => commands.push(format!("setparam {weights}")),
        }
        Ok(Setting { scheme, commands })
    }
}

/// The features of a built-in engine that are tuned, written like a scheme: a weight is where one starts.
pub fn features(game: &'static Entry, text: &str) -> Result<Vec<Parameter>, Failure> {
    let vocabulary = game.vocabulary;
    // Refuses what is no scheme; the order of features is the order in which they were written.
    vocabulary.parse_scheme(text, Weight::ONE)?;
    let (mut features, mut starts) = (Vec::new(), Vec::new());
    for part in text.split(',') {
        let (name, start) = part.split_once('@').unwrap_or((part, "1"));
        features.push(vocabulary.parse_feature(name)?);
        starts.push(i64::from(start.parse::<Weight>()?.units()));
    }
    let engine = BuiltIn::new(game, game.parse_settings("classic")?, Count::Whole).with_template(features)?;
    let parameters = engine.parameters().iter().cloned();
    Ok(parameters.zip(starts).map(|(parameter, start)| Parameter { start, ..parameter }).collect())
}
