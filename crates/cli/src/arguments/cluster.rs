//! Which cluster a command works with.

use clap::Args;

/// The environment variable that names the cluster of all commands.
pub const CLUSTER_VARIABLE: &str = "PLYSMITH_CLUSTER";

/// A cluster to do jobs on.
#[derive(Clone, Debug, Default, Args)]
pub struct ClusterArguments {
    /// Do the work on the workers of a cluster instead of this machine's threads: nats://HOST:PORT/NAME, or tls://
    /// (docs/cluster.md). The result is the same [default: the variable PLYSMITH_CLUSTER, or no cluster]
    #[arg(long, value_name = "URL")]
    pub cluster: Option<String>,

    /// Accept a broker on another machine without TLS or credentials
    #[arg(long)]
    pub cluster_insecure: bool,
}

impl ClusterArguments {
    /// The cluster's address, if there is one.
    pub fn url(&self) -> Option<String> {
        let variable = || std::env::var(CLUSTER_VARIABLE).ok();
        self.cluster.clone().or_else(variable).filter(|url| !url.is_empty())
    }
}
