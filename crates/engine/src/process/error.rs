//! Faults of an engine in another process, with what its author needs to reproduce them.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use super::log::ProcessLog;
use super::watchdog::Progress;

/// A fault of an engine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// It could not be started.
    #[error("cannot be started: {reason}")]
    NotStarted {
        /// Why.
        reason: String,
    },
    /// It did not complete the handshake.
    #[error("does not speak UCI: {reason}; some engines need an argument for that, like 'gnuchess --uci'")]
    Handshake {
        /// What was missing.
        reason: String,
    },
    /// It exited.
    #[error("died ({how})")]
    Died {
        /// The exit code or signal.
        how: String,
    },
    /// The guard between this process and the engine was killed.
    #[error("was ended, because its guard (a process of plysmith's own) was killed")]
    GuardDied,
    /// It searched, but made no progress.
    #[error("makes no progress: {progress}")]
    Stalled {
        /// What was seen, and what is demanded.
        progress: Progress,
    },
    /// It wrote more than any engine has to say.
    #[error("wrote more than {most} {what}")]
    TooMuchOutput {
        /// The bound.
        most: u64,
        /// Lines or bytes of what, and in which phase.
        what: String,
    },
    /// It did not answer in time.
    #[error("said nothing of use for {:.1} s ({bytes} bytes in all)", waited.as_secs_f64())]
    Silent {
        /// For how long.
        waited: Duration,
        /// The bytes of its output since its start: many, if it floods.
        bytes: u64,
    },
    /// It does not read its standard input.
    #[error("does not read what it is told")]
    StdinBlocked,
    /// It answered an illegal move.
    #[error("answered the move '{m}', which is not legal in {position}")]
    IllegalMove {
        /// What it answered.
        m: String,
        /// In which position.
        position: String,
    },
    /// Its answer cannot be understood, or contradicts itself.
    #[error("answered '{line}', which makes no sense: {reason}")]
    InvalidAnswer {
        /// The line.
        line: String,
        /// What is wrong.
        reason: String,
    },
    /// It refused a command.
    #[error("refuses: {reason}")]
    Refused {
        /// Its message.
        reason: String,
    },
    /// It plays another game.
    #[error("{reason}")]
    OtherGame {
        /// Its name, the game, and what to write instead.
        reason: String,
    },
    /// An option that it does not have, or a value that the option does not take.
    #[error("{reason}")]
    Option {
        /// The problem, and what to write instead.
        reason: String,
    },
}

/// A fault with its context: the engine, the last command, the last lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineError(Box<ErrorContext>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct ErrorContext {
    engine: String,
    command: String,
    fault: Fault,
    transcript: Vec<String>,
    stderr_lines: Vec<String>,
}

/// Lines of each kind in the error's text. [`EngineError::report`] has all.
const SHOWN: usize = 4;

impl EngineError {
    pub(super) fn new(engine: &str, command: &str, fault: Fault, log: &ProcessLog) -> EngineError {
        EngineError(Box::new(ErrorContext {
            engine: engine.to_string(),
            command: command.to_string(),
            fault,
            transcript: log.transcript(),
            stderr_lines: log.stderr_lines(),
        }))
    }

    pub(super) fn before_start(engine: &str, fault: Fault) -> EngineError {
        EngineError::new(engine, "", fault, &ProcessLog::default())
    }

    /// The fault.
    pub fn fault(&self) -> &Fault {
        &self.0.fault
    }

    /// Whether trying again cannot help.
    pub fn is_hopeless(&self) -> bool {
        // An engine that hangs or floods has taken enough time.
        matches!(
            self.fault(),
            Fault::NotStarted { .. }
                | Fault::OtherGame { .. }
                | Fault::Option { .. }
                | Fault::Stalled { .. }
                | Fault::TooMuchOutput { .. }
        )
    }

    /// The engine's command line.
    pub fn engine(&self) -> &str {
        &self.0.engine
    }

    /// The last command.
    pub fn command(&self) -> &str {
        &self.0.command
    }

    /// The last lines of both directions, `> ` to the engine and `< ` from it.
    pub fn transcript(&self) -> &[String] {
        &self.0.transcript
    }

    /// The last lines of its standard error.
    pub fn stderr_lines(&self) -> &[String] {
        &self.0.stderr_lines
    }

    /// The fault in one line.
    pub fn summary(&self) -> String {
        let ErrorContext { engine, command, fault, .. } = &*self.0;
        // Neither what was said before nor the command explains more.
        if let Fault::OtherGame { reason } = fault {
            return reason.clone();
        }
        let after = if command.is_empty() { String::new() } else { format!(", after '{command}'") };
        format!("engine '{engine}' {fault}{after}")
    }

    /// Everything that is known, for a bug report.
    pub fn report(&self) -> String {
        self.text(usize::MAX)
    }

    /// The last lines, without the fault; empty if there are none.
    pub fn details(&self) -> String {
        self.said(usize::MAX)
    }

    fn text(&self, most: usize) -> String {
        let is_explained = matches!(self.fault(), Fault::OtherGame { .. });
        let said = if is_explained { String::new() } else { self.said(most) };
        if said.is_empty() { self.summary() } else { format!("{}\n{said}", self.summary()) }
    }

    fn said(&self, most: usize) -> String {
        let last = |lines: &[String]| lines[lines.len().saturating_sub(most)..].join("\n  ");
        let mut parts = Vec::new();
        if !self.transcript().is_empty() {
            parts.push(format!(" last lines to (>) and from (<) it:\n  {}", last(self.transcript())));
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
