//! `plysmith` alone: where to begin.

use plysmith_store::Status;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::services::open_store;

#[derive(Serialize)]
struct Overview {
    version: &'static str,
    runs: usize,
    interrupted: usize,
}

pub fn run(output: &Output) -> Result<(), Failure> {
    // A store that cannot be read is a matter for the commands that need it, not for a greeting.
    let runs = open_store().and_then(|store| Ok(store.runs()?)).unwrap_or_default();
    let interrupted = runs.iter().filter(|run| run.status == Status::Interrupted).count();
    let overview = Overview { version: env!("CARGO_PKG_VERSION"), runs: runs.len(), interrupted };
    output.print(&overview, || {
        let waiting = match interrupted {
            0 => String::new(),
            1 => "\nOne run waits to be resumed: `plysmith resume`.\n".to_string(),
            count => format!("\n{count} runs wait to be resumed: `plysmith runs`, then `plysmith resume RUN`.\n"),
        };
        format!("{TEXT}{waiting}")
    })
}

const TEXT: &str = "\
Plysmith learns which moves a game engine should search deeper, and by how much.

  1. Look at the move features it can combine:      plysmith features breakthrough
  2. Find the combinations worth extending:         plysmith discover breakthrough --quick
     (the papers' experiment takes a few minutes:   plysmith discover breakthrough)
  3. Measure a scheme of your own:                  plysmith measure breakthrough 'RdTt@0.25,Ud-PP@0.75'
  4. Learn the weights of features:                 plysmith tune breakthrough --weights RdTt,Ud-PP --quick
  5. See whether it wins games:                     plysmith match --a classic+RdTt@0.5 --b classic
  6. See how it compares with the papers:           plysmith reproduce table2
  7. Look at earlier runs, or go on with one:       plysmith runs; plysmith show RUN; plysmith resume
  8. Play against it:                               plysmith play breakthrough

Every command has --help with examples, and --json.
";
