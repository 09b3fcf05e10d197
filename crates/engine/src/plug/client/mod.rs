//! Drives a plug engine in another process.
//!
//! | file | what |
//! | --- | --- |
//! | `solve` | one question to its answer, under a watchdog |
//! | `subject` | a plug engine as a subject of measurements |

mod solve;
mod subject;

use std::time::{Duration, Instant};

use plysmith_core::parameter::Weights;

use super::VERSION;
use super::engine_info::{EngineInfo, FeatureList};
use crate::process::{EngineCommand, EngineError, Fault, Process, SpawnMode};
pub use solve::{SolveGoal, SolveResult};
pub use subject::{PlugSettings, PlugSubject};

/// How long an engine may take. A loaded machine is slow, so these are for engines that hang, not for slow ones.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PlugTimeouts {
    /// From `plug` to `plugok`; who takes longer is spoken to in the paper's three commands.
    pub handshake: Duration,
    /// Without a word, beyond what the engine's own speed explains.
    pub silence: Duration,
}

/// A plug engine at work.
#[derive(Debug)]
pub struct PlugEngine {
    process: Process,
    info: EngineInfo,
    timeouts: PlugTimeouts,
    /// Nodes a second, by our clock, as it was last seen.
    speed: Option<f64>,
}

/// Whether an engine is asked for its info.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Handshake {
    /// It is asked.
    Try,
    /// It is known that it would not answer.
    Skip,
}

/// How long an engine that died of its first question is watched when it is started again.
const FIRST_BREATH: Duration = Duration::from_millis(500);

impl Default for PlugTimeouts {
    fn default() -> PlugTimeouts {
        PlugTimeouts { handshake: Duration::from_secs(5), silence: Duration::from_secs(10) }
    }
}

impl PlugEngine {
    /// Starts an engine and, if it is to be asked, lets it introduce itself. One that does not survive the question is
    /// started again and spared.
    pub fn start(
        command: &EngineCommand,
        spawn_mode: SpawnMode,
        timeouts: PlugTimeouts,
        handshake: Handshake,
    ) -> Result<PlugEngine, EngineError> {
        let process = Process::start(command, spawn_mode)?;
        let info = EngineInfo::unknown(command.short_name());
        let mut plug = PlugEngine { process, info, timeouts, speed: None };
        if handshake == Handshake::Skip {
            return Ok(plug);
        }
        match plug.introduce() {
            Ok(()) => Ok(plug),
            Err(error) if matches!(error.fault(), Fault::Died { .. } | Fault::StdinBlocked) => {
                let mut plug = PlugEngine::start(command, spawn_mode, timeouts, Handshake::Skip)?;
                // One that dies whatever it is told should not be taken for one that lives.
                let deadline = Instant::now() + FIRST_BREATH;
                while plug.process.receive(deadline)?.is_some_and(|heard| heard.at < deadline) {}
                Ok(plug)
            }
            Err(error) => Err(error),
        }
    }

    /// What it says of itself.
    pub fn info(&self) -> &EngineInfo {
        &self.info
    }

    /// The id of its process group.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Its features; none if it has none.
    pub fn features(&mut self) -> Result<FeatureList, EngineError> {
        if !self.info.can("setscheme") {
            return Ok(FeatureList::default());
        }
        let mut list = FeatureList::default();
        self.process.send("features")?;
        let deadline = Instant::now() + self.timeouts.silence;
        while let Some(heard) = self.process.receive(deadline)? {
            let line = heard.text.trim();
            let garbage = |reason| Fault::Garbage { line: line.to_string(), reason };
            if line == "featuresok" {
                return list.checked().map_err(|reason| self.process.error(garbage(reason)));
            }
            if let Some(reason) = refusal(line) {
                return Err(self.process.error(Fault::Refused { reason }));
            }
            list.add(line).map_err(|reason| self.process.error(garbage(reason)))?;
            if heard.at > deadline {
                break;
            }
        }
        Err(self.process.silent(self.timeouts.silence))
    }

    /// Sets up a position, and forgets what was searched before.
    pub fn set_board(&mut self, position: &str) -> Result<(), EngineError> {
        self.process.send(&format!("setboard {position}"))
    }

    /// Sets the weights of its parameters.
    pub fn set_parameters(&mut self, weights: &Weights) -> Result<(), EngineError> {
        self.process.send(&format!("setparam {weights}"))
    }

    /// Sets the scheme, in the text of schemes.
    pub fn set_scheme(&mut self, scheme: &str) -> Result<(), EngineError> {
        self.process.send(&format!("setscheme {scheme}"))
    }

    /// A fault that the caller noticed.
    pub fn error(&self, fault: Fault) -> EngineError {
        self.process.error(fault)
    }

    /// Lets it go.
    pub fn quit(self) {
        self.process.quit();
    }

    fn introduce(&mut self) -> Result<(), EngineError> {
        self.process.send(&format!("plug {VERSION}"))?;
        let deadline = Instant::now() + self.timeouts.handshake;
        let mut heard_of = EngineInfo::unknown(&self.info.name);
        while let Some(heard) = self.process.receive(deadline)? {
            let line = heard.text.trim();
            if line == "plugok" {
                heard_of.is_extended = true;
                self.info = heard_of;
                return Ok(());
            }
            // Whatever else it says may be the chatter of an engine that does not know the word.
            heard_of
                .add(line)
                .map_err(|reason| self.process.error(Fault::Garbage { line: line.to_string(), reason }))?;
            if heard.at > deadline {
                break;
            }
        }
        Ok(())
    }
}

/// What an engine says that it cannot do, if the line says so.
fn refusal(line: &str) -> Option<String> {
    let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    ["error", "error:"].contains(&word).then(|| rest.trim().to_string())
}
