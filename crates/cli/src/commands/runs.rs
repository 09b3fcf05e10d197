//! `plysmith runs`: what is in the store; labels and deletion.

use clap::{Args, Subcommand, ValueEnum};
use plysmith_runs::kinds::KINDS;
use plysmith_runs::listing::{Filter, RunLine, delete, find, list};
use plysmith_runs::origin::parse_label;
use plysmith_runs::time::{duration, local};
use plysmith_store::{RunId, Status, Store};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{Output, table};
use crate::services::{open_store, open_store_to_read};

/// List runs, label them or delete them
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_value_name = "ACTION",
    after_help = "\
A run is named by its number or its label; 'last' is the newest.

Examples:
  plysmith runs
  plysmith runs --game chess --kind tune
  plysmith runs --status interrupted
  plysmith runs --search 'king safety' --json
  plysmith runs label 12 'king safety, take 2'
  plysmith runs delete 3 4 5"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,

    /// Only runs of this game
    #[arg(long)]
    game: Option<String>,

    /// Only runs of this kind: discover, tune, match, …
    #[arg(long)]
    kind: Option<String>,

    /// Only runs with this status
    #[arg(long, value_enum)]
    status: Option<StatusName>,

    /// Only runs whose label or command contains this text, in any case
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Give a run a label, or another one
    #[command(after_help = "\
Examples:
  plysmith runs label 12 'king safety, take 2'
  plysmith runs label last baseline
  plysmith runs label baseline --remove")]
    Label {
        /// Number or label of the run, or 'last'
        run: String,
        /// The label, at most 100 characters; it may be used instead of the run's number
        #[arg(required_unless_present = "remove", value_name = "LABEL", conflicts_with = "remove")]
        label: Option<String>,
        /// Take the label away
        #[arg(long)]
        remove: bool,
    },
    /// Delete runs and their events for good
    #[command(after_help = "\
Stored results of searches and games stay: other runs may use them, and a run that is started again finds them. The number \
of a deleted run is not used again. A run that is in progress is not deleted; stop it first.

Examples:
  plysmith runs delete 3 4 5
  plysmith runs delete last
  plysmith runs delete 3 --force     also the runs that follow from run 3")]
    Delete {
        /// Numbers or labels of runs, or 'last'
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<String>,
        /// Delete also the runs that follow from these
        #[arg(long)]
        force: bool,
    },
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum StatusName {
    Running,
    Interrupted,
    Finished,
}

impl From<StatusName> for Status {
    fn from(name: StatusName) -> Status {
        match name {
            StatusName::Running => Status::Running,
            StatusName::Interrupted => Status::Interrupted,
            StatusName::Finished => Status::Finished,
        }
    }
}

#[derive(Serialize)]
struct Labelled {
    run: RunId,
    label: Option<String>,
}

#[derive(Serialize)]
struct Deleted {
    deleted: Vec<RunId>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    match &arguments.action {
        None => print_list(&open_store_to_read()?, &arguments.filter()?, output),
        Some(Action::Label { run, label, .. }) => set_label(&open_store()?, run, label.as_deref(), output),
        Some(Action::Delete { runs, force }) => delete_runs(&open_store()?, runs, *force, output),
    }
}

impl Arguments {
    fn filter(&self) -> Result<Filter, Failure> {
        let Arguments { game, kind, status, search, .. } = self;
        if let Some(kind) = kind.as_deref().filter(|kind| !KINDS.iter().any(|known| known.name() == *kind)) {
            let known: Vec<_> = KINDS.iter().map(|kind| kind.name()).collect();
            return Err(Failure::input(format!("'{kind}' is not a kind of run; expected one of {}", known.join(", "))));
        }
        let (game, kind, text) = (game.clone(), kind.clone(), search.clone());
        Ok(Filter { game, kind, status: status.map(Status::from), text })
    }
}

fn set_label(store: &Store, run: &str, label: Option<&str>, output: &Output) -> Result<(), Failure> {
    let run = find(store, run)?.id;
    let label = label.map(parse_label).transpose()?;
    store.set_label(run, label.as_deref())?;
    let labelled = Labelled { run, label };
    output.print(&labelled, || match &labelled.label {
        Some(label) => format!("Run {run} is labelled '{label}'.\n"),
        None => format!("Run {run} has no label now.\n"),
    })
}

fn delete_runs(store: &Store, runs: &[String], force: bool, output: &Output) -> Result<(), Failure> {
    let runs = runs.iter().map(|text| Ok(find(store, text)?.id)).collect::<Result<Vec<_>, Failure>>()?;
    let deleted = Deleted { deleted: delete(store, &runs, force)? };
    output.print(&deleted, || {
        let numbers: Vec<_> = deleted.deleted.iter().map(|run| format!("run {run}")).collect();
        format!("Deleted {}.\n", numbers.join(", "))
    })
}

fn print_list(store: &Store, filter: &Filter, output: &Output) -> Result<(), Failure> {
    let lines = list(store, filter)?;
    output.print(&lines, || match lines.is_empty() {
        true if *filter == Filter::default() => {
            "There are no runs yet. Start one with `plysmith discover breakthrough --quick`.\n".to_string()
        }
        true => "No run is like that; `plysmith runs` lists all.\n".to_string(),
        false => text(&lines),
    })
}

fn text(lines: &[RunLine]) -> String {
    let rows = lines.iter().map(|line| {
        let words: Vec<_> = line.command.iter().skip(1).map(String::as_str).collect();
        let what = line.label.clone().unwrap_or_else(|| format!("plysmith {}", words.join(" ")));
        vec![
            line.run.to_string(),
            status(line),
            local(line.created_at),
            line.seconds.map_or("–".to_string(), duration),
            line.headline.as_ref().map_or("–".to_string(), |headline| headline.text.clone()),
            what,
        ]
    });
    table(&[">run", "status", "begun", ">took", "result", "label or command"], rows)
}

/// The status, and how far an unfinished run is.
fn status(line: &RunLine) -> String {
    match line.progress {
        Some(share) => format!("{} {:.0} %", line.status, 100.0 * share),
        None => line.status.to_string(),
    }
}
