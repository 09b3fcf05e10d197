//! `plysmith weights`: what a weight file contains.

use clap::Args;
use plysmith_core::games;
use plysmith_core::weights::WeightFile;
use plysmith_engine::weights::{load, read};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{Output, thousands};

/// Show what a weight file contains
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith weights mine.weights
  plysmith match breakthrough --a modern,heuristic=mine.weights --b modern")]
pub struct Arguments {
    /// File that `plysmith fit` wrote
    file: String,
}

/// A weight file, as a program reads it.
#[derive(Serialize)]
struct Contents {
    game: String,
    form: String,
    made_by: String,
    /// What stands for the content in settings and keys.
    key: String,
    numbers: usize,
    smallest: i16,
    largest: i16,
    /// Numbers other than 0.
    nonzero: usize,
    /// The numbers under their names, where they have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    named: Option<String>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let file = read(&arguments.file).map_err(Failure::input)?;
    let game = games::find(&file.game)?;
    // What the game cannot use is not worth showing.
    load(game, &arguments.file).map_err(Failure::input)?;
    let contents = Contents::new(&file, (game.describe_weights)(&file));
    output.print(&contents, || contents.text(&arguments.file))
}

impl Contents {
    fn new(file: &WeightFile, named: Option<String>) -> Contents {
        let WeightFile { game, form, made_by, numbers } = file.clone();
        Contents {
            game,
            form,
            made_by,
            key: format!("{:016x}", file.key()),
            numbers: numbers.len(),
            smallest: numbers.iter().copied().min().unwrap_or(0),
            largest: numbers.iter().copied().max().unwrap_or(0),
            nonzero: numbers.iter().filter(|&&number| number != 0).count(),
            named,
        }
    }

    fn text(&self, file: &str) -> String {
        let Contents { game, form, made_by, key, smallest, largest, .. } = self;
        let [numbers, nonzero] = [self.numbers, self.nonzero].map(|count| thousands(count as u64));
        let named = self.named.as_ref().map_or(String::new(), |named| format!("\n{named}"));
        format!(
            "game      {game}\nform      {form}\nnumbers   {numbers}, from {smallest} to {largest}; {nonzero} are not 0\n\
             key       {key}\nmade by   {made_by}\nto use    heuristic={file}\n{named}"
        )
    }
}
