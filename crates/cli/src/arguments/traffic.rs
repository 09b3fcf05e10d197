//! The file that the traffic of engines is written to.

use std::fs::File;
use std::path::PathBuf;

use clap::Args;
use plysmith_engine::process::TrafficLog;
use plysmith_runs::services::Services;

use crate::failure::Failure;

/// A file for the traffic of engines.
#[derive(Debug, Default, Args)]
pub struct TrafficArgument {
    /// Write all lines to and from the engines that play to this file, with the time of each; it is overwritten
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

impl TrafficArgument {
    /// The services with the file, if one is named.
    pub fn with(&self, services: Services) -> Result<Services, Failure> {
        let Some(path) = &self.log else { return Ok(services) };
        let opened = File::create(path).and_then(TrafficLog::new);
        let traffic = opened.map_err(|error| Failure::input(format!("cannot write {}: {error}", path.display())))?;
        Ok(Services { traffic: Some(traffic), ..services })
    }
}
