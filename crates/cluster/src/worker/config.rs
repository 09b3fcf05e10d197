//! A worker's configuration file, and asking workers to leave.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use serde::Deserialize;

use super::host_name;
use crate::address::{Address, Security};
use crate::broker::Broker;
use crate::error::ClusterError;
use crate::status;

/// A worker's configuration.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerConfig {
    /// The cluster's address.
    pub cluster: Option<String>,
    /// How many jobs it does at a time.
    pub threads: Option<NonZeroUsize>,
    /// Commands of external engines, by name.
    #[serde(default)]
    pub engines: BTreeMap<String, String>,
}

impl WorkerConfig {
    /// Reads TOML.
    pub fn parse(text: &str) -> Result<WorkerConfig, ClusterError> {
        toml::from_str(text).map_err(|error| ClusterError::Input(error.to_string().trim_end().to_string()))
    }
}

/// Asks a worker to finish its jobs and leave; all workers of this machine if the name is empty. Returns who was asked.
pub fn drain(address: &Address, security: &Security, worker: &str) -> Result<Vec<String>, ClusterError> {
    let broker = Broker::connect(address, security, "drain")?;
    let link = broker.link.clone();
    let mine = format!("{}-", host_name());
    broker.runtime.block_on(async move {
        let status = status::read(&link, address).await?;
        let there = status.workers.iter().filter(|found| found.is_there).map(|found| found.report.worker.clone());
        let is_meant = |id: &String| if worker.is_empty() { id.starts_with(&mine) } else { id == worker };
        let asked: Vec<String> = there.clone().filter(is_meant).collect();
        if asked.is_empty() {
            let there = there.collect::<Vec<_>>().join(", ");
            let whom = if worker.is_empty() { "a worker of this machine".to_string() } else { format!("'{worker}'") };
            return Err(ClusterError::Input(match there.as_str() {
                "" => format!("{whom} is not at {address}, nor is any other"),
                there => format!("{whom} is not at {address}; there are: {there}"),
            }));
        }
        for id in &asked {
            link.client.publish(link.names.drain(id), "".into()).await.map_err(ClusterError::failed)?;
        }
        link.client.flush().await.map_err(ClusterError::failed)?;
        Ok(asked)
    })
}

#[cfg(test)]
mod tests {
    use super::WorkerConfig;

    #[test]
    fn mistakes_are_told_with_their_place() {
        let config =
            WorkerConfig::parse("cluster = 'nats://a'\nthreads = 2\n[engines]\ngnu = 'gnuchess --uci'").unwrap();
        assert_eq!((config.threads.unwrap().get(), config.engines["gnu"].as_str()), (2, "gnuchess --uci"));
        for (text, said) in [("thread = 2", "unknown field `thread`"), ("threads = 0", "line 1"), ("x", "line 1")] {
            let error = WorkerConfig::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
