//! Why a request was not answered with what it asked for. Each becomes a page that says what to do.

use hyper::StatusCode;
use plysmith_runs::RunError;
use plysmith_store::StoreError;

/// A request that failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct WebError {
    /// 4xx, or 503 where a limit is reached.
    pub status: StatusCode,
    /// What is wrong, in a sentence.
    pub message: String,
}

impl WebError {
    fn new(status: StatusCode, message: impl std::fmt::Display) -> WebError {
        WebError { status, message: message.to_string() }
    }

    /// The request makes no sense.
    pub fn bad_request(message: impl std::fmt::Display) -> WebError {
        WebError::new(StatusCode::BAD_REQUEST, message)
    }

    /// Who asks must say who they are.
    pub fn unauthorized(message: impl std::fmt::Display) -> WebError {
        WebError::new(StatusCode::UNAUTHORIZED, message)
    }

    /// This is not allowed, whoever asks.
    pub fn forbidden(message: impl std::fmt::Display) -> WebError {
        WebError::new(StatusCode::FORBIDDEN, message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl std::fmt::Display) -> WebError {
        WebError::new(StatusCode::NOT_FOUND, message)
    }

    /// The page is there, but not for this method.
    pub fn wrong_method() -> WebError {
        WebError::new(StatusCode::METHOD_NOT_ALLOWED, "this address does not take that method")
    }

    /// It cannot be done as things are; they may change.
    pub fn conflict(message: impl std::fmt::Display) -> WebError {
        WebError::new(StatusCode::CONFLICT, message)
    }

    /// What was sent is understood, and wrong.
    pub fn invalid(message: impl std::fmt::Display) -> WebError {
        WebError::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// Too much was sent.
    pub fn too_large(message: impl std::fmt::Display) -> WebError {
        WebError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// It took the client too long.
    pub fn too_slow(message: impl std::fmt::Display) -> WebError {
        WebError::new(StatusCode::REQUEST_TIMEOUT, message)
    }

    /// Too many at once.
    pub fn busy(message: impl std::fmt::Display) -> WebError {
        WebError::new(StatusCode::TOO_MANY_REQUESTS, message)
    }

    /// The server's own fault, or the disk's.
    pub fn failed(message: impl std::fmt::Display) -> WebError {
        WebError::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }
}

impl From<StoreError> for WebError {
    fn from(error: StoreError) -> WebError {
        match error {
            StoreError::NoSuchRun { .. } => WebError::not_found(error),
            StoreError::RunBusy { .. } | StoreError::HasChildren { .. } | StoreError::RunFinished { .. } => {
                WebError::conflict(error)
            }
            other => WebError::failed(other),
        }
    }
}

impl From<RunError> for WebError {
    fn from(error: RunError) -> WebError {
        match error {
            RunError::Store(error) => error.into(),
            RunError::Input(message) => WebError::invalid(message),
            other => WebError::failed(other),
        }
    }
}
