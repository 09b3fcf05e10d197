//! `plysmith features`: what the features of a game mean, each with a drawn example.

use clap::Args;
use plysmith_core::feature::{Atom, AtomFacts};
use plysmith_core::games::{self, Entry};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;

/// Explain the move features of a game
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith features breakthrough
  plysmith features breakthrough Ud-RdTt")]
pub struct Arguments {
    /// The game
    game: String,

    /// Only these features [default: all]
    #[arg(value_name = "FEATURE")]
    features: Vec<String>,
}

#[derive(Serialize)]
struct Explanation {
    name: &'static str,
    group: &'static str,
    parent: Option<&'static str>,
    threshold_safe: bool,
    meaning: &'static str,
    position: String,
    r#move: String,
    /// All features of that move.
    features: Vec<&'static str>,
    #[serde(skip)]
    drawing: String,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let game = games::find(&arguments.game)?;
    let mut atoms: Vec<Atom> = Vec::new();
    for name in &arguments.features {
        atoms.extend(game.vocabulary.parse(name)?.atoms());
    }
    if atoms.is_empty() {
        atoms.extend(game.vocabulary.atoms());
    }
    let explanations = atoms.into_iter().map(|atom| explain(game, atom)).collect::<Result<Vec<_>, _>>()?;
    output.print(&explanations, || explanations.iter().map(Explanation::text).collect())
}

fn explain(game: &Entry, atom: Atom) -> Result<Explanation, Failure> {
    let AtomFacts { name, group, parent, threshold_safe, meaning, example: (position, line) } =
        *game.vocabulary.facts(atom);
    let mut position = (game.open)(position).map_err(Failure::input)?;
    let (before, last) = line.rsplit_once(' ').unwrap_or(("", line));
    for m in before.split_whitespace() {
        position = position.play(m).map_err(Failure::input)?;
    }
    let features = position.features_of(last).map_err(Failure::input)?;
    Ok(Explanation {
        name,
        group,
        parent,
        threshold_safe,
        meaning,
        position: position.text(),
        r#move: last.to_string(),
        features: features.iter().map(|&atom| game.vocabulary.facts(atom).name).collect(),
        drawing: position.draw(Some(last)).map_err(Failure::input)?,
    })
}

impl Explanation {
    fn text(&self) -> String {
        let parent = self.parent.map_or(String::new(), |parent| format!(", part of {parent}"));
        let knowledge = if self.threshold_safe { "" } else { ", kept by threshold pruning with knowledge" };
        format!(
            "{} (group {}{parent}{knowledge})\n{}\n\n{}\n    {} has: {}\n\n",
            self.name,
            self.group,
            self.meaning,
            self.drawing,
            self.r#move,
            self.features.join(" ")
        )
    }
}
