//! `plysmith runs`: what is in the store.

use clap::Args;
use plysmith_runs::time::utc;
use plysmith_store::RunId;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{Output, table};
use crate::services::open_store_to_read;

/// List all runs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith runs
  plysmith runs --json")]
pub struct Arguments {}

#[derive(Serialize)]
struct Line {
    run: RunId,
    kind: String,
    game: String,
    status: String,
    seed: u64,
    created_at: u64,
    finished_at: Option<u64>,
    version: String,
    command: Vec<String>,
}

pub fn run(_: &Arguments, output: &Output) -> Result<(), Failure> {
    let runs = open_store_to_read()?.runs()?;
    let lines: Vec<Line> = runs
        .into_iter()
        .map(|run| Line {
            run: run.id,
            kind: run.kind,
            game: run.game,
            status: run.status.to_string(),
            seed: run.seed,
            created_at: run.created_at,
            finished_at: run.finished_at,
            version: run.version,
            command: run.command,
        })
        .collect();
    output.print(&lines, || text(&lines))
}

fn text(lines: &[Line]) -> String {
    if lines.is_empty() {
        return "There are no runs yet. Start one with `plysmith discover breakthrough --quick`.\n".to_string();
    }
    let rows = lines.iter().map(|line| {
        let words: Vec<_> = line.command.iter().skip(1).map(String::as_str).collect();
        vec![line.run.to_string(), line.status.clone(), utc(line.created_at), format!("plysmith {}", words.join(" "))]
    });
    table(&[">run", "status", "begun (UTC)", "command"], rows)
}
