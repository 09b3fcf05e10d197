//! `plysmith` alone: where to begin.

use std::collections::BTreeMap;

use plysmith_runs::basis::{Part, VERSION};
use plysmith_store::Status;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::services::open_store_to_read;

#[derive(Serialize)]
struct Overview {
    version: &'static str,
    /// Of the parts of the program that stored results depend on.
    revisions: BTreeMap<&'static str, u32>,
    runs: usize,
    interrupted: usize,
}

pub fn run(output: &Output) -> Result<(), Failure> {
    // A store that cannot be read is reported by the commands that need it.
    let runs = open_store_to_read().and_then(|store| Ok(store.runs()?)).unwrap_or_default();
    let interrupted = runs.iter().filter(|run| run.status == Status::Interrupted).count();
    let revisions = Part::ALL.iter().map(|part| (part.name(), part.revision())).collect();
    let overview = Overview { version: VERSION, revisions, runs: runs.len(), interrupted };
    output.print(&overview, || {
        let waiting = match interrupted {
            0 => String::new(),
            1 => "\n1 run is interrupted: continue it with `plysmith resume`.\n".to_string(),
            count => format!("\n{count} runs are interrupted: list them with `plysmith runs`, continue one with `plysmith resume RUN`.\n"),
        };
        format!("{TEXT}{waiting}")
    })
}

const TEXT: &str = "\
Plysmith learns which moves a game engine should search deeper, and by how much.

  1. List the move features:                        plysmith features breakthrough
  2. Find combinations worth extending:             plysmith discover breakthrough --quick
     (the papers' experiment takes a few minutes:   plysmith discover breakthrough)
  3. Measure features with weights of your choice:  plysmith measure breakthrough 'RdTt@0.25,Ud-PP@0.75'
  4. Learn the weights of features:                 plysmith tune breakthrough --weights RdTt,Ud-PP --quick
  5. Test whether a feature wins games:             plysmith match --a classic+RdTt@0.5 --b classic
  6. Compare with the papers:                       plysmith reproduce table2
  7. List, print or continue runs:                  plysmith runs; plysmith show RUN; plysmith resume
  8. Play against the engine:                       plysmith play breakthrough

`plysmith COMMAND --help` prints the options of a command and examples. --json prints results as JSON.
";
