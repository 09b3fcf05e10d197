//! `plysmith features`: what the features of a game mean, each with a drawn example.

use clap::Args;
use plysmith_core::feature::{Atom, AtomFacts, Conjunction, state};
use plysmith_core::games::{self, GameInfo};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;

/// Describe the move features of a game, with examples
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith features breakthrough
  plysmith features breakthrough Ud-RdTt
  plysmith features chess cut-late            atoms of the search state")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Features to describe [default: all]
    #[arg(value_name = "FEATURE")]
    features: Vec<String>,
}

#[derive(Serialize)]
struct Explanation {
    name: &'static str,
    group: &'static str,
    parent: Option<&'static str>,
    threshold_safe: bool,
    /// Whether it is an atom of the search state, which no position shows.
    is_state: bool,
    meaning: &'static str,
    #[serde(flatten)]
    example: Option<Example>,
    /// Whether a move can have several features of the group.
    overlaps: bool,
    /// Whether `discover` begins with it unless told otherwise.
    in_base: bool,
    /// The combinations with it that `discover` never tries.
    blacklist: Vec<Banned>,
}

/// A move that has the feature.
#[derive(Serialize)]
struct Example {
    position: String,
    r#move: String,
    /// All features of that move.
    features: Vec<&'static str>,
    #[serde(skip)]
    drawing: String,
}

#[derive(Clone, PartialEq, Serialize)]
struct Banned {
    feature: &'static str,
    reason: &'static str,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let game = games::find(&arguments.game)?;
    let mut atoms: Vec<Atom> = Vec::new();
    for name in &arguments.features {
        atoms.extend(game.vocabulary.parse_feature(name)?.alternatives().flat_map(Conjunction::atoms));
    }
    if atoms.is_empty() {
        atoms.extend(game.vocabulary.atoms().chain(game.vocabulary.state_atoms()));
    }
    let explanations = atoms.into_iter().map(|atom| explain(game, atom)).collect::<Result<Vec<_>, _>>()?;
    output.print(&explanations, || {
        let text: String = explanations.iter().map(Explanation::text).collect();
        text + &guidance(game, &explanations)
    })
}

/// Groups, forbidden combinations and the default Base set, as text.
fn guidance(game: &GameInfo, explanations: &[Explanation]) -> String {
    let mut text = String::new();
    let mut banned: Vec<&Banned> = Vec::new();
    for entry in explanations.iter().flat_map(|explanation| &explanation.blacklist) {
        if !banned.contains(&entry) {
            banned.push(entry);
        }
    }
    if !banned.is_empty() {
        text += "`plysmith discover` never combines:\n";
        text.extend(banned.iter().map(|entry| format!("    {}: {}\n", entry.feature, entry.reason)));
    }
    for (group, reason) in game.guidance.overlapping {
        if explanations.iter().any(|explanation| explanation.group == *group) {
            text += &format!("A move can have several features of the group {group}: {reason}.\n");
        }
    }
    if !game.guidance.base.is_empty() {
        let base = game.guidance.base.join(",");
        text += &format!("`plysmith discover {}` combines {base} by default; --base changes it.\n", game.name);
    }
    text
}

fn explain(game: &GameInfo, atom: Atom) -> Result<Explanation, Failure> {
    let &AtomFacts { name, group, parent, threshold_safe, meaning, .. } = game.vocabulary.facts(atom);
    let in_base = game.guidance.base_atoms(game.vocabulary)?.contains(&atom);
    let is_state = game.vocabulary.is_state(atom);
    let banned = game.guidance.blacklist.iter().chain(state::BLACKLIST);
    let banned = banned.filter(|(text, _)| text.split('-').any(|part| part == name));
    Ok(Explanation {
        name,
        group,
        parent,
        threshold_safe,
        is_state,
        meaning,
        example: if is_state { None } else { Some(Example::of(game, atom)?) },
        overlaps: game.guidance.overlapping.iter().any(|(overlapping, _)| *overlapping == group),
        in_base: in_base && !is_state,
        blacklist: banned.map(|&(feature, reason)| Banned { feature, reason }).collect(),
    })
}

impl Example {
    fn of(game: &GameInfo, atom: Atom) -> Result<Example, Failure> {
        let (position, line) = game.vocabulary.facts(atom).example;
        let mut position = (game.open)(position).map_err(Failure::input)?;
        let (before, last) = line.rsplit_once(' ').unwrap_or(("", line));
        for m in before.split_whitespace() {
            position = position.play(m).map_err(Failure::input)?;
        }
        let features = position.features_of(last).map_err(Failure::input)?;
        Ok(Example {
            position: position.text(),
            r#move: last.to_string(),
            features: features.iter().map(|&atom| game.vocabulary.facts(atom).name).collect(),
            drawing: position.draw(Some(last)).map_err(Failure::input)?,
        })
    }
}

impl Explanation {
    fn text(&self) -> String {
        let parent = self.parent.map_or(String::new(), |parent| format!(", part of {parent}"));
        let knowledge = match self.threshold_safe || self.is_state {
            true => "",
            false => ", kept by threshold pruning with knowledge",
        };
        let kind = if self.is_state { "search state, " } else { "" };
        let head = format!("{} ({kind}group {}{parent}{knowledge})\n{}\n\n", self.name, self.group, self.meaning);
        let Some(Example { r#move, features, drawing, .. }) = &self.example else { return head };
        format!("{head}{drawing}\n    {move} has: {}\n\n", features.join(" "), move = r#move)
    }
}
