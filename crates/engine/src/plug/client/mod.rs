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
use crate::process::{EngineCommand, EngineError, Fault, OutputBound, Patience, Process, SpawnMode};
pub use solve::{SolveGoal, SolveResult};
pub use subject::{PlugSettings, PlugSubject};

/// Timeouts of a plug engine. They are for engines that hang, not for slow ones: a loaded machine is slow, too.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PlugTimeouts {
    /// From `plug` to `plugok`; an engine that takes longer is driven by the paper's three commands.
    pub handshake: Duration,
    /// The time in which a search has to make progress ([`Patience`]).
    pub silence: Duration,
}

/// A running plug engine.
#[derive(Debug)]
pub struct PlugEngine {
    process: Process,
    info: EngineInfo,
    timeouts: PlugTimeouts,
    /// Whether amounts are added up: then several features may decide on one move.
    adds_up: bool,
    /// Nodes a second by our clock, of the last search that was long enough to tell.
    speed: Option<f64>,
}

/// Whether to try the handshake (`plug`).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Handshake {
    /// Send `plug`.
    Try,
    /// The engine is known not to answer it.
    Skip,
}

/// How long an engine that died of the handshake is watched when it is started again: as long as a start takes on a
/// loaded machine.
const RESTART_WATCH: Duration = Duration::from_secs(3);

impl Default for PlugTimeouts {
    fn default() -> PlugTimeouts {
        PlugTimeouts::with_patience(Patience::default())
    }
}

impl PlugTimeouts {
    /// With this time for progress in a search.
    pub fn with_patience(Patience(silence): Patience) -> PlugTimeouts {
        PlugTimeouts { handshake: Duration::from_secs(5), silence }
    }
}

impl PlugEngine {
    /// Starts an engine and tries the handshake, if asked to. An engine that does not survive it is started again
    /// without.
    pub fn start(
        command: &EngineCommand,
        spawn_mode: SpawnMode,
        timeouts: PlugTimeouts,
        handshake: Handshake,
    ) -> Result<PlugEngine, EngineError> {
        let process = Process::start(command, spawn_mode)?;
        let info = EngineInfo::unknown(command.short_name());
        let mut plug = PlugEngine { process, info, timeouts, adds_up: false, speed: None };
        if handshake == Handshake::Skip {
            return Ok(plug);
        }
        match plug.shake_hands() {
            Ok(()) => Ok(plug),
            Err(error) if matches!(error.fault(), Fault::Died { .. } | Fault::StdinBlocked) => {
                let mut plug = PlugEngine::start(command, spawn_mode, timeouts, Handshake::Skip)?;
                // An engine that dies in any case is reported here.
                let deadline = Instant::now() + RESTART_WATCH;
                while plug.process.receive(deadline)?.is_some_and(|heard| heard.at < deadline) {}
                Ok(plug)
            }
            Err(error) => Err(error),
        }
    }

    /// Its answer to the handshake.
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
        self.process.begin_phase(OutputBound::list("before 'featuresok'"));
        self.process.send("features")?;
        let deadline = Instant::now() + self.timeouts.silence;
        while let Some(heard) = self.process.receive(deadline)? {
            let line = heard.text.trim();
            let garbage = |reason| Fault::InvalidAnswer { line: line.to_string(), reason };
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

    /// Sets up a position; earlier searches are forgotten.
    pub fn set_board(&mut self, position: &str) -> Result<(), EngineError> {
        self.process.send(&format!("setboard {position}"))
    }

    /// Sets the weights of its parameters.
    pub fn set_parameters(&mut self, weights: &Weights) -> Result<(), EngineError> {
        self.adds_up = self.info.parameters.iter().any(|parameter| parameter.name.starts_with('+'));
        self.process.send(&format!("setparam {weights}"))
    }

    /// Sets the scheme, as text.
    pub fn set_scheme(&mut self, scheme: &str) -> Result<(), EngineError> {
        self.adds_up = ["@+", "@-"].iter().any(|amount| scheme.contains(amount));
        self.process.send(&format!("setscheme {scheme}"))
    }

    /// The error for a fault that the caller noticed.
    pub fn error(&self, fault: Fault) -> EngineError {
        self.process.error(fault)
    }

    /// Ends the engine.
    pub fn quit(self) {
        self.process.quit();
    }

    fn shake_hands(&mut self) -> Result<(), EngineError> {
        self.process.begin_phase(OutputBound::list("before 'plugok'"));
        self.process.send(&format!("plug {VERSION}"))?;
        let deadline = Instant::now() + self.timeouts.handshake;
        let mut info = EngineInfo::unknown(&self.info.name);
        while let Some(heard) = self.process.receive(deadline)? {
            let line = heard.text.trim();
            if line == "plugok" {
                info.is_extended = true;
                self.info = info;
                return Ok(());
            }
            // An engine that does not know the command may write anything.
            info.add(line)
                .map_err(|reason| self.process.error(Fault::InvalidAnswer { line: line.to_string(), reason }))?;
            if heard.at > deadline {
                break;
            }
        }
        Ok(())
    }
}

/// The reason of an `error` line; none for other lines.
fn refusal(line: &str) -> Option<String> {
    let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    ["error", "error:"].contains(&word).then(|| rest.trim().to_string())
}
