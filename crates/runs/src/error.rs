//! Why a run, or a question about one, failed.

use plysmith_core::depth::WeightError;
use plysmith_core::feature::FeatureError;
use plysmith_core::games::{StartError, UnknownGame};
use plysmith_core::search::NoMemory;
use plysmith_core::settings::SettingsError;
use plysmith_engine::arena::time_control::TimeControlError;
use plysmith_engine::driver::{CandidateError, DriverError};
use plysmith_engine::player::PlayerError;
use plysmith_engine::process::{CommandError, EngineError};
use plysmith_learn::pruning::PruningError;
use plysmith_learn::stats::outcomes::OutcomesError;
use plysmith_learn::stats::sprt::SprtError;
use plysmith_store::{ParseRunIdError, RunId, StoreError};
use thiserror::Error;

use crate::cancel::CancelToken;

/// Why a run did not end with a result.
#[derive(Debug, Error)]
pub enum RunError {
    /// A value or a file that the caller gave is wrong. The text says where and what to write instead.
    #[error("{0}")]
    Input(String),
    /// The run was cancelled. What was computed is kept; a run that was stored can be resumed.
    #[error("cancelled")]
    Cancelled(Option<RunId>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An external engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Anything else that is not the input's fault.
    #[error("{0}")]
    Failed(String),
}

impl RunError {
    /// The input is wrong in this way.
    pub fn input(message: impl std::fmt::Display) -> RunError {
        RunError::Input(message.to_string())
    }

    /// Something failed in this way.
    pub fn failed(message: impl std::fmt::Display) -> RunError {
        RunError::Failed(message.to_string())
    }

    /// What failed after a cancellation failed because of it: an engine that is stopped may do anything.
    #[must_use]
    pub fn after(self, cancel: &CancelToken) -> RunError {
        match self {
            RunError::Engine(_) if cancel.is_cancelled() => RunError::Cancelled(None),
            other => other,
        }
    }

    /// Adds the run to a cancellation, so that the caller knows what to resume.
    #[must_use]
    pub fn of_run(self, run: RunId) -> RunError {
        match self {
            RunError::Cancelled(None) => RunError::Cancelled(Some(run)),
            other => other,
        }
    }
}

impl From<DriverError> for RunError {
    fn from(error: DriverError) -> RunError {
        match error {
            DriverError::Failed(error) | DriverError::Unusable(error) => RunError::Engine(error),
            DriverError::Candidate(error) => error.into(),
        }
    }
}

/// Mistakes in what the caller gave, wherever they are noticed.
macro_rules! input_errors {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for RunError {
            fn from(error: $error) -> RunError {
                RunError::Input(error.to_string())
            }
        })*
    };
}

input_errors!(
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
    ParseRunIdError,
);
