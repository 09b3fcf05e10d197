//! `plysmith cluster`: how a cluster stands.

use clap::{Args, Subcommand};

use crate::arguments::cluster::ClusterArguments;
use crate::failure::Failure;
use crate::output::Output;

/// Show the state of a cluster
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print workers, queue, throughput, and who delivered what
    #[command(after_help = "\
Examples:
  plysmith cluster status --cluster nats://localhost:4222
  PLYSMITH_CLUSTER=tls://broker.example/chess plysmith cluster status --json")]
    Status(ClusterArguments),
}

#[cfg(not(feature = "cluster"))]
pub fn run(arguments: &Arguments, _: &Output) -> Result<(), Failure> {
    let Command::Status(cluster) = &arguments.command;
    Err(crate::cluster::without_feature(&format!("there is no state of {}", cluster.url().unwrap_or_default())))
}

#[cfg(feature = "cluster")]
pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    use plysmith_cluster::{ClusterStatus, Security};

    let Command::Status(cluster) = &arguments.command;
    let url = cluster
        .url()
        .ok_or_else(|| Failure::input("name a cluster: --cluster nats://HOST[:PORT], or PLYSMITH_CLUSTER"))?;
    let status = ClusterStatus::read(&url.parse()?, &Security::from_env(cluster.cluster_insecure)?)?;
    output.print(&status, || status.view().to_string())
}
