//! How a command can fail, and its exit code.

use std::process::ExitCode;

use plysmith_engine::process::{EngineError, Fault};
use plysmith_runs::error::RunError;
use plysmith_store::{RunId, StoreError};

use crate::stderr::say;

/// Why a command did not end well.
#[derive(Debug)]
pub enum Failure {
    /// Something went wrong that is not the input's fault.
    Failed(anyhow::Error),
    /// An argument, or a file that it names, is invalid.
    WrongInput(anyhow::Error),
    /// A check found errors, which have been printed.
    CheckFailed(String),
    /// Stopped by the user; the run, if it is one, can be resumed.
    Interrupted(Option<RunId>),
    /// The reader of standard output has closed it.
    OutputClosed,
}

impl Failure {
    /// Invalid input; the message says where and what to write instead.
    pub fn input(message: impl std::fmt::Display) -> Failure {
        Failure::WrongInput(anyhow::anyhow!("{message}"))
    }

    /// Prints the error to stderr.
    pub fn report(&self) {
        match self {
            Failure::Failed(error) | Failure::WrongInput(error) => say(format!("error: {error:#}")),
            Failure::CheckFailed(message) => say(format!("error: {message}")),
            Failure::Interrupted(Some(run)) => {
                say(format!("interrupted; results so far are stored: continue with `plysmith resume {run}`"));
            }
            Failure::Interrupted(None) => say("interrupted"),
            Failure::OutputClosed => {}
        }
    }

    /// The exit code of the program.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::Failed(_) => 1,
            Failure::WrongInput(_) => 2,
            Failure::CheckFailed(_) => 3,
            Failure::Interrupted(_) => 130,
            Failure::OutputClosed => 0,
        })
    }
}

/// What kind of failure an error is, `RunError` decides; this is for every error that can become one.
impl<E: Into<RunError>> From<E> for Failure {
    fn from(error: E) -> Failure {
        match error.into() {
            RunError::Input(message) => Failure::input(message),
            RunError::Cancelled(run) => Failure::Interrupted(run),
            RunError::Store(error) if is_wrong_request(&error) => Failure::WrongInput(error.into()),
            RunError::Store(error) => Failure::Failed(error.into()),
            RunError::Engine(error) if is_wrong_command(&error) => Failure::WrongInput(error.into()),
            RunError::Engine(error) => Failure::Failed(error.into()),
            RunError::Failed(message) => Failure::Failed(anyhow::anyhow!("{message}")),
        }
    }
}

/// Whether the store was asked for something that is not there, or not possible.
fn is_wrong_request(error: &StoreError) -> bool {
    use StoreError::{HasChildren, NoFolder, NoSuchRun, RunFinished};
    matches!(error, NoSuchRun { .. } | RunFinished { .. } | HasChildren { .. } | NoFolder { .. })
}

/// Whether it is the command or an option that is wrong.
fn is_wrong_command(error: &EngineError) -> bool {
    use Fault::{Handshake, NotStarted, OtherGame};
    matches!(error.fault(), NotStarted { .. } | Handshake { .. } | OtherGame { .. } | Fault::Option { .. })
}
