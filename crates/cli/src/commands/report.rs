//! `plysmith report`: runs as one file to read, send or keep.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use plysmith_runs::files::{check_target, write_bytes, write_file};
use plysmith_store::RunId;
use plysmith_web::report::{self, ChartFile, Reported};
use serde::Serialize;

use crate::arguments::OutputArguments;
use crate::failure::Failure;
use crate::output::{Output, say};
use crate::services::open_store_to_read;

/// Write runs as a report: one HTML file with all charts, or Markdown
#[derive(Debug, Args)]
#[command(after_help = "\
The HTML file needs no network and no other file. It shows what the dashboard's pages show, light or dark as the reader \
prefers. Runs that are not finished show what there is so far.

Examples:
  plysmith report 1 -o report.html
  plysmith report 1 2 3 -o comparison.html
  plysmith report 1 --format md --charts charts -o report.md
  plysmith report 1 --charts charts          only the charts, as SVG and PNG")]
pub struct Arguments {
    /// Numbers of the runs, in the order of the report
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<String>,

    /// Output format [default: by the ending of the file, else html]
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Also write each chart as SVG and PNG to this folder
    #[arg(long, value_name = "FOLDER")]
    charts: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// One file with everything in it
    Html,
    /// Text and tables; charts are links to the files of --charts
    #[value(name = "md", alias = "markdown")]
    Markdown,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Written {
    files: Vec<String>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let ids: Vec<RunId> = arguments.runs.iter().map(|run| run.parse()).collect::<Result<_, _>>()?;
    arguments.output.check()?;
    let store = open_store_to_read()?;
    let reported: Vec<Reported> =
        ids.into_iter().map(|id| Ok(Reported::read(&store, store.run(id)?)?)).collect::<Result<_, Failure>>()?;
    let mut files = Vec::new();
    if let Some(folder) = &arguments.charts {
        files = write_charts(folder, &reported, arguments.output.force.force)?;
    }
    let text = match arguments.format() {
        Format::Html => report::html(&reported),
        Format::Markdown => report::markdown(&reported, arguments.chart_folder().as_deref()),
    };
    if arguments.output.write(&text)? {
        files.extend(arguments.output.name());
    } else if arguments.charts.is_none() || arguments.format.is_some() {
        return output.write_raw(&text);
    }
    output.print(&Written { files: files.clone() }, || files.iter().map(|file| format!("{file}\n")).collect())
}

impl Arguments {
    fn format(&self) -> Format {
        let ending = self.output.output.as_ref().and_then(|path| path.extension()?.to_str());
        let by_ending = match ending {
            Some("md" | "markdown") => Format::Markdown,
            _ => Format::Html,
        };
        self.format.unwrap_or(by_ending)
    }

    /// The folder of the charts as the report names it: from its own folder on, if it is in there.
    fn chart_folder(&self) -> Option<String> {
        let folder = self.charts.as_ref()?;
        let own = self.output.output.as_ref().and_then(|path| path.parent()).unwrap_or(Path::new(""));
        let from_there = folder.strip_prefix(own).unwrap_or(folder);
        let text = from_there.display().to_string();
        // Letters that would end the link.
        Some(text.replace('<', "%3C").replace('>', "%3E").replace('\n', "%0A"))
    }
}

/// Writes all charts, or none if one of the files exists.
fn write_charts(folder: &Path, reported: &[Reported], force: bool) -> Result<Vec<String>, Failure> {
    fs::create_dir_all(folder)
        .map_err(|error| Failure::input(format!("cannot make the folder {}: {error}", folder.display())))?;
    let charts: Vec<ChartFile> = reported.iter().flat_map(Reported::chart_files).collect();
    if charts.is_empty() {
        say("note: these runs have no charts");
    }
    let path = |chart: &ChartFile, ending: &str| folder.join(format!("{}.{ending}", chart.name));
    for chart in &charts {
        check_target(&path(chart, "svg"), force)?;
        check_target(&path(chart, "png"), force)?;
    }
    let mut written = Vec::new();
    for chart in &charts {
        write_file(&path(chart, "svg"), &chart.svg, force)?;
        written.push(path(chart, "svg").display().to_string());
        if let Some(png) = &chart.png {
            write_bytes(&path(chart, "png"), png, force)?;
            written.push(path(chart, "png").display().to_string());
        }
    }
    Ok(written)
}
