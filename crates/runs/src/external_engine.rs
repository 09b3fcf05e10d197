//! An external engine that is measured: how it is named, what is stored of it with a run, and what it can do once it
//! was started.

use std::num::NonZeroU64;
use std::time::Duration;

use plysmith_core::feature::{Guidance, Vocabulary};
use plysmith_core::games::GameInfo;
use plysmith_engine::driver::Policy;
use plysmith_engine::driver::{Candidate, Parameter, Subject, Weights};
use plysmith_engine::player::{Participant, PlayerKind, UciPlayer};
use plysmith_engine::plug;
use plysmith_engine::plug::client::{PlugSettings, PlugSubject};
use plysmith_engine::process::{EngineCommand, Patience, SpawnMode};
use plysmith_engine::uci::client::mapping::Mapping;
use plysmith_engine::uci::client::{OpenError, UciEngine, UciSettings, UciSubject, UciTimeouts};
use serde::{Deserialize, Serialize};

use crate::cancel::CancelToken;
use crate::error::RunError;
use crate::solution_policy::SolutionPolicy;

/// An external engine as it is stored with a run: everything needed to use it again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExternalEngine {
    /// `plug:COMMAND`, or `uci:COMMAND;NAME=VALUE;…`.
    pub engine: String,
    /// The mapping, so that a run does not depend on a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping: Option<MappingFile>,
    /// The policy that was asked for, in runs of versions that stored it here. Others store it with the experiment.
    #[serde(default, rename = "policy", skip_serializing_if = "Option::is_none")]
    old_policy: Option<Policy>,
    /// How many weights were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<u8>,
    /// The seconds in which a search has to make progress, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<NonZeroU64>,
}

/// A mapping as it was read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MappingFile {
    /// The file's name.
    pub name: String,
    /// Its text.
    pub contents: String,
}

/// An external engine that was started once to see what it is.
#[derive(Clone)]
pub enum OpenedEngine {
    /// An engine that speaks the plug protocol.
    Plug(PlugSubject),
    /// A UCI engine, and the game it plays.
    Uci(UciSubject, &'static GameInfo),
}

const UCI: &str = "uci:";
const PLUG: &str = "plug:";
/// How much longer than its time limit a UCI engine may search before it counts as hung.
const MARGIN: Duration = Duration::from_secs(5);

/// Starts a UCI engine that was named with or without `uci:`.
pub fn start_uci(game: &'static GameInfo, text: &str) -> Result<UciEngine, RunError> {
    let text = format!("{UCI}{}", text.trim_start_matches(UCI));
    match Participant::parse(game, &text)?.kind {
        PlayerKind::Uci(player) => {
            let timeouts = UciTimeouts { margin: MARGIN, ..UciTimeouts::default() };
            Ok(player.start(game, SpawnMode::Guarded, timeouts, None)?)
        }
        PlayerKind::BuiltIn(_) => Err(RunError::input(format!("'{text}' is not an external engine"))),
    }
}

impl ExternalEngine {
    /// An engine by its command: `uci:COMMAND;NAME=VALUE`, `plug:COMMAND`, or a command alone, which is a UCI engine
    /// if the mapping drives options and else speaks the plug protocol.
    pub fn new(text: &str, mapping: Option<MappingFile>, weights: Option<u8>) -> Result<ExternalEngine, RunError> {
        // Only UCI engines have options that a mapping can drive.
        let drives_options = match &mapping {
            Some(file) => file.parse()?.drives_options(),
            None => false,
        };
        let is_uci = text.starts_with(UCI) || drives_options && !text.starts_with(PLUG);
        let engine = match text.strip_prefix(PLUG).or(text.strip_prefix(UCI)).unwrap_or(text) {
            text if is_uci => format!("{UCI}{text}"),
            text => format!("{PLUG}{}", text.parse::<EngineCommand>()?),
        };
        if is_uci && weights.is_some() {
            return Err(RunError::input(
                "--parameters is for plug engines only; weights of a UCI engine need a --mapping",
            ));
        }
        Ok(ExternalEngine { engine, mapping, old_policy: None, weights, patience: None })
    }

    /// With this many seconds in which a search has to make progress; the default if none.
    #[must_use]
    pub fn with_patience(self, patience: Option<NonZeroU64>) -> ExternalEngine {
        ExternalEngine { patience, ..self }
    }

    /// When a problem counts as solved: as asked for, else as the mapping says, else `usual`. A plug engine decides itself.
    pub fn policy(&self, asked: Option<Policy>, usual: Policy) -> Result<SolutionPolicy, RunError> {
        if !self.is_plug() {
            return Ok(SolutionPolicy::Watched(asked.or(self.read_mapping()?.policy).unwrap_or(usual)));
        }
        match asked {
            Some(_) => Err(RunError::input(
                "--policy is for built-in and UCI engines; a plug engine reports when a problem is solved",
            )),
            None => Ok(SolutionPolicy::EnginesOwn),
        }
    }

    /// The policy of a run whose experiment does not name it.
    pub(crate) fn unnamed_policy(&self) -> Result<SolutionPolicy, RunError> {
        match self.is_plug() {
            true => Ok(SolutionPolicy::EnginesOwn),
            false => self.policy(self.old_policy, Policy::First),
        }
    }

    /// Its command line.
    pub fn command(&self) -> Result<EngineCommand, RunError> {
        match self.engine.strip_prefix(PLUG) {
            Some(command) => Ok(command.parse()?),
            None => Ok(self.uci_player()?.command),
        }
    }

    /// The engine with another command line.
    pub(crate) fn started_by(&self, command: &EngineCommand) -> Result<ExternalEngine, RunError> {
        let engine = match self.is_plug() {
            true => format!("{PLUG}{command}"),
            false => {
                let player = UciPlayer { command: command.clone(), ..self.uci_player()? };
                Participant::from(player).print(plysmith_core::games::find("chess")?)
            }
        };
        Ok(ExternalEngine { engine, ..self.clone() })
    }

    /// The options that it is given, with their values, besides those that weights drive.
    pub(crate) fn given_options(&self) -> Result<Vec<(String, String)>, RunError> {
        let of_mapping = self.read_mapping()?;
        let fixed = of_mapping.fixed().map(|(name, value)| (name.to_string(), value.to_string()));
        let own = if self.is_plug() { Vec::new() } else { self.uci_player()?.options };
        Ok(fixed.chain(own).collect())
    }

    fn uci_player(&self) -> Result<UciPlayer, RunError> {
        // Every game reads engines in the same way.
        match Participant::parse_stored(plysmith_core::games::find("chess")?, &self.engine)?.kind {
            PlayerKind::Uci(player) => Ok(player),
            PlayerKind::BuiltIn(_) => {
                Err(RunError::input(format!("'{}' is not an external engine; expected 'uci:COMMAND'", self.engine)))
            }
        }
    }

    /// Whether it speaks the plug protocol.
    pub fn is_plug(&self) -> bool {
        self.engine.starts_with(PLUG)
    }

    /// The engine as shipped: without the mapping.
    #[must_use]
    pub fn without_mapping(&self) -> ExternalEngine {
        ExternalEngine { mapping: None, weights: None, ..self.clone() }
    }

    fn read_mapping(&self) -> Result<Mapping, RunError> {
        self.mapping.as_ref().map_or(Ok(Mapping::default()), MappingFile::parse)
    }

    /// Starts it once to find out what it is; `game` is what the user says that it plays.
    pub fn open(
        &self,
        game: Option<&'static GameInfo>,
        policy: SolutionPolicy,
        cancel: &CancelToken,
    ) -> Result<OpenedEngine, RunError> {
        let mapping = self.read_mapping()?;
        match (self.engine.strip_prefix(PLUG), policy) {
            (Some(command), _) => self.open_plug(command, game, &mapping),
            (None, SolutionPolicy::Watched(policy)) => self.open_uci(game, mapping, policy, cancel),
            (None, SolutionPolicy::EnginesOwn) => Err(RunError::input("a UCI engine has no policy of its own")),
        }
    }

    fn open_plug(
        &self,
        command: &str,
        game: Option<&'static GameInfo>,
        mapping: &Mapping,
    ) -> Result<OpenedEngine, RunError> {
        let plain = || (1..=usize::from(self.weights.unwrap_or(0))).map(plug::plain_parameter).collect();
        let parameters = if self.mapping.is_some() { mapping.plain_parameters() } else { plain() };
        let timeouts = plug::client::PlugTimeouts::with_patience(patience_of(self.patience));
        let command = command.parse()?;
        let settings = PlugSettings { command, game, parameters, spawn_mode: SpawnMode::Guarded, timeouts };
        Ok(OpenedEngine::Plug(PlugSubject::open(settings)?))
    }

    fn open_uci(
        &self,
        game: Option<&'static GameInfo>,
        mapping: Mapping,
        policy: Policy,
        cancel: &CancelToken,
    ) -> Result<OpenedEngine, RunError> {
        let game = match game {
            Some(game) => game,
            None => plysmith_core::games::find("chess")?,
        };
        let UciPlayer { command, options } = self.uci_player()?;
        let (spawn_mode, timeouts) = (SpawnMode::Guarded, UciTimeouts::with_patience(patience_of(self.patience)));
        let settings = UciSettings { command, game, options, mapping, policy, spawn_mode, timeouts };
        match UciSubject::open(settings, &|| cancel.is_cancelled()) {
            Ok(subject) => Ok(OpenedEngine::Uci(subject, game)),
            Err(OpenError::Engine(error)) => Err(error.into()),
            Err(OpenError::Mapping(error)) => Err(RunError::input(error)),
        }
    }
}

/// The line that sets an option. A button has no value.
fn set_option((name, value): (String, String)) -> String {
    match value.as_str() {
        "" => format!("setoption name {name}"),
        value => format!("setoption name {name} value {value}"),
    }
}

/// The longest patience, in seconds.
pub const MOST_PATIENCE: u64 = 1_000_000;

/// The time in which a search has to make progress: that many seconds, or the default.
pub fn patience_of(seconds: Option<NonZeroU64>) -> Patience {
    seconds.map_or_else(Patience::default, |seconds| Patience(Duration::from_secs(seconds.get().min(MOST_PATIENCE))))
}

impl MappingFile {
    fn parse(&self) -> Result<Mapping, RunError> {
        Mapping::parse(&self.name, &self.contents).map_err(RunError::input)
    }
}

impl OpenedEngine {
    /// Who it says it is.
    pub fn name(&self) -> &str {
        match self {
            OpenedEngine::Plug(subject) => &subject.info().name,
            OpenedEngine::Uci(subject, _) => subject.name(),
        }
    }

    /// What can be tuned.
    pub fn parameters(&self) -> &[Parameter] {
        match self {
            OpenedEngine::Plug(subject) => subject.parameters(),
            OpenedEngine::Uci(subject, _) => subject.parameters(),
        }
    }

    /// The lines that give it these weights.
    pub fn commands(&self, weights: &Weights) -> Vec<String> {
        match self {
            OpenedEngine::Plug(_) => vec![format!("setparam {weights}")],
            OpenedEngine::Uci(subject, _) => subject.settings_of(weights).into_iter().map(set_option).collect(),
        }
    }

    /// The lines that make the engine as shipped the engine with these weights: everything that differs.
    pub fn commands_for_shipped(&self, weights: &Weights) -> Vec<String> {
        match self {
            OpenedEngine::Plug(_) => self.commands(weights),
            OpenedEngine::Uci(subject, _) => subject.differences(weights).into_iter().map(set_option).collect(),
        }
    }

    /// The engine with these weights as a player; none for a plug engine, which cannot play.
    pub fn player(&self, weights: &Weights) -> Option<Participant> {
        match self {
            OpenedEngine::Plug(_) => None,
            OpenedEngine::Uci(subject, _) => {
                let (command, options) = (subject.command().clone(), subject.all_options(weights));
                Some(UciPlayer { command, options }.into())
            }
        }
    }

    /// The game, if we know it.
    pub fn game(&self) -> Option<&'static GameInfo> {
        match self {
            OpenedEngine::Plug(subject) => subject.game(),
            OpenedEngine::Uci(_, game) => Some(game),
        }
    }

    /// What the game is called, known or not.
    pub fn game_name(&self) -> String {
        let told = || match self {
            OpenedEngine::Plug(subject) => subject.info().game.clone(),
            OpenedEngine::Uci(..) => None,
        };
        self.game().map(|game| game.name.to_string()).or_else(told).unwrap_or_else(|| "unknown".to_string())
    }

    /// Its features; none if it has none.
    pub fn features(&self) -> (Vocabulary, Guidance) {
        match self {
            OpenedEngine::Plug(subject) => (subject.vocabulary(), subject.guidance()),
            OpenedEngine::Uci(..) => (Vocabulary::new(&[]), Guidance::NONE),
        }
    }

    /// What to know before a suite is measured with it.
    pub fn notes(&self, suite: &plysmith_core::problem::Suite) -> Vec<String> {
        match self {
            OpenedEngine::Plug(subject) => subject.notes(&suite.problems),
            OpenedEngine::Uci(subject, _) => subject.notes().to_vec(),
        }
    }

    /// The candidate to try it with: no feature, or every weight at its start.
    pub fn plain(&self) -> Candidate {
        match self.parameters() {
            [] => Candidate::Scheme(Default::default()),
            parameters => Candidate::Weights(Weights(parameters.iter().map(|parameter| parameter.start).collect())),
        }
    }

    /// The engine as something that can be measured.
    pub fn into_subject(self) -> Box<dyn Subject> {
        match self {
            OpenedEngine::Plug(subject) => Box::new(subject),
            OpenedEngine::Uci(subject, _) => Box::new(subject),
        }
    }
}
