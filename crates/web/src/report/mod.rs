//! Reports: what pages show, in one file that needs no network, or as Markdown.
//!
//! | module | what |
//! | --- | --- |
//! | `html` | one page with style and script inside; its policy allows nothing else |
//! | `markdown` | text and tables, with charts as links to files |

mod html;
mod markdown;

use maud::Markup;
use plysmith_core::printable::printable;
use plysmith_runs::chart::scene::{Scene, Target};
use plysmith_runs::chart::{Figure, Lines};
use plysmith_runs::view::{Block, View};
use plysmith_runs::{RunError, runs};
use plysmith_store::{Run, Status, Store};

use crate::charts::png;

pub use html::html;
pub use markdown::markdown;

/// A run with what its page shows.
pub struct Reported {
    /// The run.
    pub run: Run,
    /// Its page.
    pub view: View,
}

/// A chart as files for other documents.
pub struct ChartFile {
    /// The name without an ending.
    pub name: String,
    /// As SVG.
    pub svg: String,
    /// As PNG; none of a chart that has no size.
    pub png: Option<Vec<u8>>,
}

impl Reported {
    /// A run as far as it got.
    pub fn read(store: &Store, run: Run) -> Result<Reported, RunError> {
        let view = runs::page(store, &run)?;
        Ok(Reported { run, view })
    }

    /// The charts of the run, in order, with the names of their files.
    pub fn charts(&self) -> Vec<(String, Scene)> {
        let scene = |block: &Block| match block {
            Block::Chart(chart) => Some(Figure::Lines(Lines::from(chart)).scene()),
            Block::Figure(figure) => Some(figure.scene()),
            Block::Text(_) | Block::Table(_) | Block::Heading(_) => None,
        };
        let scenes = self.view.blocks.iter().filter_map(scene).enumerate();
        scenes.map(|(place, scene)| (file_name(&self.run, place + 1, &scene.title), scene)).collect()
    }

    /// The charts as files.
    pub fn chart_files(&self) -> Vec<ChartFile> {
        let file = |(name, scene): (String, Scene)| ChartFile {
            name,
            svg: scene.svg(Target::File),
            png: png::of_scene(&scene),
        };
        self.charts().into_iter().map(file).collect()
    }

    fn title(&self) -> String {
        format!("Run {}: {} {}", self.run.id, self.run.kind, self.run.game)
    }

    /// What the run is, in a line.
    fn facts(&self) -> String {
        let Run { status, seed, version, label, .. } = &self.run;
        let label = label.as_ref().map(|label| format!("{} · ", printable(label))).unwrap_or_default();
        format!("{label}{status} · seed {seed} · plysmith {version}")
    }

    /// The command that started it, if it was one.
    fn command(&self) -> Option<String> {
        let words = self.run.command.iter().skip(1).map(|word| printable(word));
        (!self.run.command.is_empty()).then(|| words.fold("plysmith".to_string(), |all, word| all + " " + &word))
    }

    fn is_finished(&self) -> bool {
        self.run.status == Status::Finished
    }
}

/// `run-3-2-fitness-by-generation`.
fn file_name(run: &Run, place: usize, title: &str) -> String {
    let mut name = format!("run-{}-{place}", run.id);
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(6);
    for word in words {
        name.push('-');
        name.extend(word.chars().take(20).map(|letter| letter.to_ascii_lowercase()));
    }
    name
}

/// What a run that is not finished shows is only what there is so far.
const UNFINISHED: &str = "This run is not finished; this is what there is so far.";

/// A part of a page.
fn body(reported: &Reported) -> Markup {
    crate::pages::view(&reported.view, &crate::pages::prefix(&reported.run))
}
