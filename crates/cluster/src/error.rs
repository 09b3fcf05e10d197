//! Why the cluster cannot be used, in words that say what to do.

use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::{self, ErrorCode};
use async_nats::{ConnectError, ConnectErrorKind};
use plysmith_runs::RunError;
use thiserror::Error;

/// Where credentials are looked for, as it is said in messages.
pub const CREDENTIALS: &str = "PLYSMITH_CLUSTER_TOKEN, PLYSMITH_CLUSTER_USER and PLYSMITH_CLUSTER_PASSWORD, \
                               PLYSMITH_CLUSTER_NKEY or PLYSMITH_CLUSTER_CREDS to a file with the secret";

/// Why the cluster cannot be used.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// The address, a credential or a file with one is wrong.
    #[error("{0}")]
    Input(String),
    /// The broker cannot be reached.
    #[error("cannot reach the broker {url}: {reason}; is nats-server running there, with `-js`?")]
    Unreachable {
        /// Where it was looked for.
        url: String,
        /// What the connection said.
        reason: String,
    },
    /// The broker does not accept the credentials.
    #[error("the broker {url} refuses these credentials: {reason}; set {credentials}")]
    Refused {
        /// The broker.
        url: String,
        /// What it said.
        reason: String,
        /// The variables by which credentials are given.
        credentials: &'static str,
    },
    /// The broker is too old, or has no JetStream.
    #[error("the broker {url} cannot be used: {reason}")]
    Unfit {
        /// The broker.
        url: String,
        /// What it lacks, and what to do.
        reason: String,
    },
    /// A stream of our name is somebody else's.
    #[error(
        "the broker has a stream '{name}' that is not plysmith's: {difference}; choose another name of the cluster, as in \
         {url}/OTHER, or remove it with `nats stream rm {name}`"
    )]
    ForeignStream {
        /// The stream.
        name: String,
        /// By what it differs.
        difference: String,
        /// The broker.
        url: String,
    },
    /// The broker has no room.
    #[error(
        "the broker has no room: {0}; give it more with max_file_store in its configuration, or remove streams that are no \
         longer needed (`nats stream ls`)"
    )]
    Full(String),
    /// This worker was refused by the coordinator.
    #[error("this worker was refused: {0}")]
    WorkerRefused(String),
    /// Something else.
    #[error("{0}")]
    Failed(String),
}

impl ClusterError {
    /// What the caller gave is wrong in this way.
    pub fn input(message: impl std::fmt::Display) -> ClusterError {
        ClusterError::Input(message.to_string())
    }

    /// Something failed in this way.
    pub fn failed(message: impl std::fmt::Display) -> ClusterError {
        ClusterError::Failed(message.to_string())
    }

    /// Why a first connection failed.
    pub(crate) fn connecting(url: &str, error: &ConnectError) -> ClusterError {
        let (url, reason) = (url.to_string(), with_sources(error));
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                ClusterError::Refused { url, reason, credentials: CREDENTIALS }
            }
            kind if kind == ConnectErrorKind::Tls || reason.contains("certificate") => ClusterError::Unfit {
                url,
                reason: format!("{reason}; a broker with a private certificate needs PLYSMITH_CLUSTER_CA=FILE"),
            },
            ConnectErrorKind::ServerParse => {
                ClusterError::Input(format!("'{url}' is not a broker's address: {reason}"))
            }
            _ => ClusterError::Unreachable { url, reason },
        }
    }

    /// Why a stream could not be made or asked for.
    pub(crate) fn of_stream(url: &str, name: &str, error: &CreateStreamError) -> ClusterError {
        let text = with_sources(error);
        match error.kind() {
            CreateStreamErrorKind::JetStreamUnavailable => ClusterError::no_jetstream(url),
            CreateStreamErrorKind::JetStream(error) => ClusterError::of_jetstream(url, name, &error),
            _ => ClusterError::Failed(format!("the stream '{name}' of the broker {url}: {text}")),
        }
    }

    fn of_jetstream(url: &str, name: &str, error: &jetstream::Error) -> ClusterError {
        match error.error_code() {
            ErrorCode::STORAGE_RESOURCES_EXCEEDED
            | ErrorCode::INSUFFICIENT_RESOURCES
            | ErrorCode::ACCOUNT_RESOURCES_EXCEEDED
            | ErrorCode::MEMORY_RESOURCES_EXCEEDED => ClusterError::Full(format!("'{name}': {error}")),
            ErrorCode::STREAM_NAME_EXIST | ErrorCode::STREAM_SUBJECT_OVERLAP => ClusterError::ForeignStream {
                name: name.to_string(),
                difference: error.to_string(),
                url: url.to_string(),
            },
            _ => ClusterError::Failed(format!("the stream '{name}' of the broker {url}: {error}")),
        }
    }

    fn no_jetstream(url: &str) -> ClusterError {
        let reason = "JetStream is not enabled for this account; start nats-server with `-js`, or enable it in its configuration";
        ClusterError::Unfit { url: url.to_string(), reason: reason.to_string() }
    }
}

impl From<ClusterError> for RunError {
    fn from(error: ClusterError) -> RunError {
        match error {
            ClusterError::Input(message) => RunError::Input(message),
            other => RunError::Failed(other.to_string()),
        }
    }
}

/// An error with what caused it, each once.
pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let cause = error.to_string();
        if !text.contains(&cause) {
            text += &format!(": {cause}");
        }
        source = error.source();
    }
    text
}
