//! `plysmith store`: looks for damage in the store, and saves what is sound.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use plysmith_runs::runs::check_run;
use plysmith_runs::view::counted;
use plysmith_store::{DamagedRecord, Home, RecordKind, Salvage, Store, StoreCheck};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{Output, table};
use crate::services::open_store_to_read;

/// Check the store for damage, or save what is sound of it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith store check
  plysmith store salvage ~/rescued && PLYSMITH_HOME=~/rescued plysmith runs")]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Read and verify every record; list the damaged ones, and exit with 3 if there are any
    Check,
    /// Copy every sound record into a new store; runs keep their numbers
    Salvage {
        /// Folder of the new store, a PLYSMITH_HOME without a store
        folder: PathBuf,
    },
}

#[derive(Serialize)]
struct Checked {
    store: String,
    #[serde(flatten)]
    check: StoreCheck,
}

#[derive(Serialize)]
struct Salvaged {
    from: String,
    to: String,
    #[serde(flatten)]
    salvage: Salvage,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let store = open_store_to_read()?;
    match &arguments.action {
        Action::Check => check(&store, output),
        Action::Salvage { folder } => salvage(&store, folder, output),
    }
}

fn check(store: &Store, output: &Output) -> Result<(), Failure> {
    let mut check = store.check()?;
    // What is sound by itself may still refer to what is lost.
    for run in std::mem::take(&mut check.runs) {
        match check_run(store, run) {
            Ok(()) => check.runs.push(run),
            Err(reason) => {
                check.damaged.push(DamagedRecord {
                    kind: RecordKind::Run,
                    run: Some(run),
                    id: run.to_string(),
                    reason,
                });
            }
        }
    }
    let checked = Checked { store: store.path().display().to_string(), check };
    output.print(&checked, || checked.text())?;
    match checked.check.damaged.len() {
        0 => Ok(()),
        count => Err(Failure::CheckFailed(format!(
            "{} damaged; copy the file away, then restore a backup, or save what is sound with `plysmith store salvage \
             FOLDER`",
            if count == 1 { "1 record is".to_string() } else { format!("{count} records are") }
        ))),
    }
}

fn salvage(store: &Store, folder: &Path, output: &Output) -> Result<(), Failure> {
    let target = Home::at(folder).store_path();
    if target.exists() {
        let name = target.display();
        return Err(Failure::input(format!("{name} exists; name a folder without a store, which is made if need be")));
    }
    let salvage = store.salvage(&target)?;
    let (from, to) = (store.path().display().to_string(), target.display().to_string());
    let salvaged = Salvaged { from, to, salvage };
    output.print(&salvaged, || salvaged.text())
}

impl Checked {
    fn text(&self) -> String {
        let StoreCheck { runs, events, results, .. } = &self.check;
        let sound = format!(
            "{}: {}, {} and {} are sound.\n",
            self.store,
            counted(runs.len(), "run"),
            counted(*events as usize, "event"),
            counted(*results as usize, "result")
        );
        sound + &damage_text(&self.check)
    }
}

impl Salvaged {
    fn text(&self) -> String {
        let Salvage { check, runs, results, changed } = &self.salvage;
        let mut text = format!(
            "{} and {} are copied from {} to {}.\n",
            counted(*runs as usize, "run"),
            counted(*results as usize, "result"),
            self.from,
            self.to
        );
        text += &damage_text(check);
        if !changed.is_empty() {
            text += &format!("\nWhat became of runs that lost something:\n  {}\n", changed.join("\n  "));
        }
        text
    }
}

fn damage_text(check: &StoreCheck) -> String {
    if check.damaged.is_empty() {
        return "No record is damaged.\n".to_string();
    }
    let rows = check.damaged.iter().map(|DamagedRecord { kind, run, id, reason }| {
        let run = run.map_or("–".to_string(), |run| run.to_string());
        vec![kind.to_string(), run, id.clone(), reason.clone()]
    });
    format!("\nDamaged:\n{}", table(&["kind", ">run", "record", "reason"], rows))
}
