//! The way to the workers of a cluster. Without the feature `cluster`, to ask for one is an error that says so.

use std::sync::Arc;

use plysmith_runs::progress::ProgressSink;
use plysmith_runs::remote::RemoteQueue;

use crate::arguments::cluster::ClusterArguments;
use crate::failure::Failure;

/// Connects to the cluster, if one is named.
pub fn connect(
    arguments: &ClusterArguments,
    progress: &Arc<dyn ProgressSink>,
) -> Result<Option<Arc<dyn RemoteQueue>>, Failure> {
    arguments.url().map(|url| open(&url, arguments.cluster_insecure, progress)).transpose()
}

#[cfg(feature = "cluster")]
fn open(url: &str, insecure: bool, progress: &Arc<dyn ProgressSink>) -> Result<Arc<dyn RemoteQueue>, Failure> {
    use plysmith_cluster::{Coordinator, CoordinatorOptions, Security};

    let words: Vec<String> = std::env::args().skip(1).collect();
    let (address, security) = (url.parse()?, Security::from_env(insecure)?);
    let (command, progress) = (words.join(" "), progress.clone());
    let options = CoordinatorOptions { address: &address, security: &security, command, progress };
    Ok(Arc::new(Coordinator::connect(options)?))
}

#[cfg(not(feature = "cluster"))]
fn open(url: &str, _insecure: bool, _progress: &Arc<dyn ProgressSink>) -> Result<Arc<dyn RemoteQueue>, Failure> {
    Err(without_feature(&format!("the cluster {url} cannot be used")))
}

/// What is said where a cluster is wanted and the program was built without.
#[cfg(not(feature = "cluster"))]
pub fn without_feature(what: &str) -> Failure {
    Failure::input(format!(
        "{what}: this plysmith was built without clusters; build it with `cargo build --release --features cluster`"
    ))
}
