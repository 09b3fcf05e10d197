//! `plysmith worker`: does the jobs of runs on other machines.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::ThreadsArgument;
use crate::arguments::cluster::ClusterArguments;

/// Do the jobs of runs that were started with --cluster on other machines
#[derive(Debug, Args)]
#[command(after_help = "\
A worker runs until SIGTERM or Ctrl-C: then it finishes the jobs in hand and leaves. A second signal ends it at once; its \
jobs go to other workers. It runs only engines that are named here, never a command from a message. Credentials come from \
the environment or from files: see docs/cluster.md.

Examples:
  plysmith worker --cluster nats://localhost:4222
  plysmith worker --cluster tls://broker.example/chess --threads 8
  plysmith worker --cluster nats://localhost --engine gnuchess='gnuchess --uci'
  plysmith worker --config worker.toml
  plysmith worker --cluster nats://localhost --drain               let all workers of this machine leave
  plysmith worker --cluster nats://localhost --drain node7-4711-a0f3")]
pub struct Arguments {
    #[command(flatten)]
    cluster: ClusterArguments,

    #[command(flatten)]
    threads: ThreadsArgument,

    /// External engine that jobs may use, as NAME=COMMAND. Can be given more than once. A job uses it only if it is the same
    /// program with the same arguments
    #[arg(long, value_name = "NAME=COMMAND")]
    engine: Vec<String>,

    /// TOML file with 'cluster', 'threads', and the table 'engines' of commands by name
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Add a line to this file for each job that was done
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Ask this worker, or all workers of this machine, to finish their jobs and leave
    #[arg(long, value_name = "WORKER", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["engine", "log", "threads"])]
    drain: Option<String>,
}

#[cfg(not(feature = "cluster"))]
pub fn run(_: &Arguments, _: &crate::output::Output) -> Result<(), crate::failure::Failure> {
    Err(crate::cluster::without_feature("there are no workers"))
}

#[cfg(feature = "cluster")]
pub use enabled::run;

#[cfg(feature = "cluster")]
mod enabled {
    use std::sync::Arc;

    use plysmith_cluster::worker::{WorkerConfig, drain};
    use plysmith_cluster::{Address, Misbehaviour, Security, WorkerOptions, work};
    use plysmith_engine::parallel::all_cores;
    use plysmith_runs::files::read_text;
    use plysmith_runs::job_host::engines::OfferedEngines;

    use super::Arguments;
    use crate::failure::Failure;
    use crate::output::{Output, say};
    use crate::signals::{cancel_token, end_setup};

    /// For tests of the cluster: what this worker does wrong.
    const MISBEHAVIOUR: &str = "PLYSMITH_TEST_WORKER";

    pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
        let config = match &arguments.config {
            Some(path) => WorkerConfig::parse(&read_text(path, "a worker's configuration in TOML", false)?)
                .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?,
            None => WorkerConfig::default(),
        };
        let url = arguments.cluster.cluster.clone().or(config.cluster).or_else(|| arguments.cluster.url());
        let url =
            url.ok_or_else(|| Failure::input("name a cluster: --cluster nats://HOST[:PORT], or PLYSMITH_CLUSTER"))?;
        let address: Address = url.parse()?;
        let security = Security::from_env(arguments.cluster.cluster_insecure)?;
        if let Some(worker) = &arguments.drain {
            let asked = drain(&address, &security, worker)?;
            let text = || asked.iter().map(|worker| format!("{worker} leaves when its jobs are done\n")).collect();
            return output.print(&asked, text);
        }
        let mut engines = OfferedEngines::default();
        for (name, command) in &config.engines {
            engines.offer(name, command)?;
        }
        for text in &arguments.engine {
            let (name, command) = text
                .split_once('=')
                .ok_or_else(|| Failure::input(format!("--engine '{text}': expected NAME=COMMAND")))?;
            engines.offer(name.trim(), command)?;
        }
        let threads = arguments.threads.threads.or(config.threads).unwrap_or_else(all_cores);
        let cancel = cancel_token();
        end_setup();
        let summary = work(WorkerOptions {
            address,
            security,
            threads,
            engines,
            log: arguments.log.clone(),
            cancel,
            note: Arc::new(|text| say(text)),
            misbehaviour: misbehaviour()?,
        })?;
        output.print(&summary, || format!("{} did {} jobs\n", summary.worker, summary.done))
    }

    fn misbehaviour() -> Result<Misbehaviour, Failure> {
        match std::env::var(MISBEHAVIOUR).unwrap_or_default().as_str() {
            "" => Ok(Misbehaviour::None),
            "lies" => Ok(Misbehaviour::Lies),
            "other" => Ok(Misbehaviour::OtherSignature),
            text => match text.strip_prefix("slow=").and_then(|times| times.parse().ok()) {
                Some(times) => Ok(Misbehaviour::Slow(times)),
                None => {
                    Err(Failure::input(format!("{MISBEHAVIOUR} is for tests: expected 'lies', 'other' or 'slow=N'")))
                }
            },
        }
    }
}
