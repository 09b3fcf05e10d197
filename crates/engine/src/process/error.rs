//! What can go wrong with a foreign engine, told so that it can be reported to whoever wrote it.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use super::log::ProcessLog;

/// What an engine did wrong.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// It could not be started.
    #[error("cannot be started: {reason}")]
    NotStarted {
        /// Why.
        reason: String,
    },
    /// It did not introduce itself.
    #[error("does not speak UCI: {reason}; some engines need an argument for that, like 'gnuchess --uci'")]
    Handshake {
        /// What was missing.
        reason: String,
    },
    /// It is gone.
    #[error("died ({how})")]
    Died {
        /// The exit code or signal.
        how: String,
    },
    /// It said nothing that shows progress.
    #[error("said nothing of use for {:.1} s ({bytes} bytes in all)", waited.as_secs_f64())]
    Silent {
        /// For so long.
        waited: Duration,
        /// All it has said since its start: many, if it floods.
        bytes: u64,
    },
    /// It does not read what it is told.
    #[error("does not read what it is told")]
    StdinBlocked,
    /// It wants to play something that is no move.
    #[error("answered the move '{m}', which is not legal in {position}")]
    IllegalMove {
        /// What it answered.
        m: String,
        /// In which position.
        position: String,
    },
    /// Its answer makes no sense.
    #[error("answered '{line}', which makes no sense: {reason}")]
    Garbage {
        /// What it said.
        line: String,
        /// What is wrong.
        reason: String,
    },
    /// It says itself that it cannot do what it was told.
    #[error("refuses: {reason}")]
    Refused {
        /// What it says.
        reason: String,
    },
    /// An option that it does not have or cannot have so.
    #[error("{reason}")]
    Option {
        /// What is wrong, and what to write instead.
        reason: String,
    },
}

/// A fault, and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineError(Box<ErrorContext>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct ErrorContext {
    engine: String,
    command: String,
    fault: Fault,
    talk: Vec<String>,
    stderr_lines: Vec<String>,
}

/// Lines of talk, and of standard error, in the error's text. [`EngineError::report`] has all.
const SHOWN: usize = 4;

impl EngineError {
    pub(super) fn new(engine: &str, command: &str, fault: Fault, log: &ProcessLog) -> EngineError {
        EngineError(Box::new(ErrorContext {
            engine: engine.to_string(),
            command: command.to_string(),
            fault,
            talk: log.talk(),
            stderr_lines: log.stderr_lines(),
        }))
    }

    pub(super) fn before_start(engine: &str, fault: Fault) -> EngineError {
        EngineError::new(engine, "", fault, &ProcessLog::default())
    }

    /// What it did wrong.
    pub fn fault(&self) -> &Fault {
        &self.0.fault
    }

    /// Whether trying again cannot help.
    pub fn is_hopeless(&self) -> bool {
        matches!(self.fault(), Fault::NotStarted { .. } | Fault::Option { .. })
    }

    /// The engine's command line.
    pub fn engine(&self) -> &str {
        &self.0.engine
    }

    /// What it was told last.
    pub fn command(&self) -> &str {
        &self.0.command
    }

    /// The last lines of both directions, `> ` to the engine and `< ` from it.
    pub fn talk(&self) -> &[String] {
        &self.0.talk
    }

    /// The last lines of its standard error.
    pub fn stderr_lines(&self) -> &[String] {
        &self.0.stderr_lines
    }

    /// What it did, in one line.
    pub fn summary(&self) -> String {
        let ErrorContext { engine, command, fault, .. } = &*self.0;
        let after = if command.is_empty() { String::new() } else { format!(", after '{command}'") };
        format!("engine '{engine}' {fault}{after}")
    }

    /// Everything that is known, for a bug report.
    pub fn report(&self) -> String {
        self.text(usize::MAX)
    }

    /// What was said last, without what it did: nothing if nothing was said.
    pub fn details(&self) -> String {
        self.said(usize::MAX)
    }

    fn text(&self, most: usize) -> String {
        let said = self.said(most);
        if said.is_empty() { self.summary() } else { format!("{}\n{said}", self.summary()) }
    }

    fn said(&self, most: usize) -> String {
        let last = |lines: &[String]| lines[lines.len().saturating_sub(most)..].join("\n  ");
        let mut parts = Vec::new();
        if !self.talk().is_empty() {
            parts.push(format!(" last lines to (>) and from (<) it:\n  {}", last(self.talk())));
        }
        if !self.stderr_lines().is_empty() {
            parts.push(format!(" last lines of its standard error:\n  {}", last(self.stderr_lines())));
        }
        parts.join("\n")
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(SHOWN))
    }
}

impl std::error::Error for EngineError {}
