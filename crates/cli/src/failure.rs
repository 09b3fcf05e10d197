//! How a command can fail, and its exit code.

use std::process::ExitCode;

use plysmith_core::depth::WeightError;
use plysmith_core::feature::FeatureError;
use plysmith_core::games::{StartError, UnknownGame};
use plysmith_core::search::NoMemory;
use plysmith_core::settings::SettingsError;
use plysmith_engine::arena::time_control::TimeControlError;
use plysmith_engine::driver::{CandidateError, DriverError};
use plysmith_engine::player::PlayerError;
use plysmith_engine::process::{CommandError, EngineError, Fault};
use plysmith_learn::pruning::PruningError;
use plysmith_learn::stats::outcomes::OutcomesError;
use plysmith_learn::stats::sprt::SprtError;
use plysmith_runs::error::RunError;
use plysmith_store::{ParseRunIdError, RunId, StoreError};

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

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        match error {
            StoreError::NoSuchRun { .. }
            | StoreError::RunFinished { .. }
            | StoreError::HasChildren { .. }
            | StoreError::NoFolder { .. } => Failure::WrongInput(error.into()),
            _ => Failure::Failed(error.into()),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::Input(message) => Failure::input(message),
            RunError::Cancelled(run) => Failure::Interrupted(run),
            RunError::Store(error) => error.into(),
            RunError::Engine(error) => error.into(),
            RunError::Failed(message) => Failure::Failed(anyhow::anyhow!("{message}")),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        match error.fault() {
            Fault::NotStarted { .. } | Fault::Handshake { .. } | Fault::OtherGame { .. } | Fault::Option { .. } => {
                Failure::WrongInput(error.into())
            }
            _ => Failure::Failed(error.into()),
        }
    }
}

/// Errors that commands meet directly. What kind of failure each is, `RunError` decides.
macro_rules! as_run_errors {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                RunError::from(error).into()
            }
        })*
    };
}

as_run_errors!(
    DriverError,
    NoMemory,
    CandidateError,
    CommandError,
    TimeControlError,
    PlayerError,
    OutcomesError,
    SprtError,
    UnknownGame,
    StartError,
    FeatureError,
    WeightError,
    SettingsError,
    PruningError,
    ParseRunIdError
);
