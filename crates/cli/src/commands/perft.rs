//! `plysmith perft`: counts positions, the usual check of a move generator.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use plysmith_core::games;
use plysmith_runs::perft_suite::{PerftCheck, PerftSuite};
use serde::Serialize;

use crate::arguments::count::count;
use crate::arguments::start::StartArguments;
use crate::failure::Failure;
use crate::output::{Output, table, thousands};
use crate::services::host;
use crate::{progress, signals};

/// Count the move sequences of a given length (perft)
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith perft breakthrough 6
  plysmith perft breakthrough 5 --size 5x5 --divide
  plysmith perft breakthrough 3 --position '8/8/3p4/8/4P3/8/8/8 w'
  plysmith perft chess --suite perftsuite.epd --most 1000000")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Depth in plies
    #[arg(required_unless_present = "suite", default_value_t = 0, hide_default_value = true)]
    depth: u32,

    /// Check the counts of a file instead, with lines like 'POSITION D1 20; D2 400; …'
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "size", "first", "divide"])]
    suite: Option<PathBuf>,

    /// With --suite, skip counts above this
    #[arg(long, value_name = "N", default_value_t = 100_000_000, requires = "suite", value_parser = count::<u64>(..))]
    most: u64,

    /// Position to start from [default: the start position]
    #[arg(long, value_name = "POSITION", conflicts_with_all = ["size", "first"])]
    position: Option<String>,

    #[command(flatten)]
    start: StartArguments,

    /// Also print the count of each first move
    #[arg(long)]
    divide: bool,
}

#[derive(Serialize)]
struct Counted {
    position: String,
    depth: u32,
    positions: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    divide: Vec<(String, u64)>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let game = games::find(&arguments.game)?;
    signals::end_at_once();
    if let Some(path) = &arguments.suite {
        return check_suite(&PerftSuite::read(game, path)?.check(arguments.most, &host(None))?, output);
    }
    let text = match &arguments.position {
        Some(text) => text.clone(),
        None => (game.start)(&arguments.start.resolve()?)?,
    };
    let position = (game.open)(&text)
        .map_err(|error| Failure::input(format!("position '{text}', character {}: {error}", error.offset + 1)))?;
    let begun = Instant::now();
    let mut divide = Vec::new();
    if arguments.depth > 0 {
        let moves = position.moves();
        let progress = progress::begin(moves.len() as u64);
        for m in moves {
            progress.message(m.clone());
            let next = position.play(&m).map_err(Failure::input)?;
            divide.push((m, next.perft(arguments.depth - 1)));
            progress.finish_part(1);
        }
    }
    let positions = if arguments.depth == 0 { 1 } else { divide.iter().map(|(_, count)| count).sum() };
    if !arguments.divide {
        divide.clear();
    }
    let seconds = begun.elapsed().as_secs_f64();
    let counted = Counted { position: position.text(), depth: arguments.depth, positions, seconds, divide };
    output.print(&counted, || counted.text())
}

fn check_suite(checked: &PerftCheck, output: &Output) -> Result<(), Failure> {
    output.print_view(checked, || checked.view())?;
    match checked.wrong.len() {
        0 => Ok(()),
        wrong => Err(Failure::CheckFailed(format!("{wrong} of {} counts are wrong", checked.counts))),
    }
}

impl Counted {
    fn text(&self) -> String {
        let rows = self.divide.iter().map(|(m, count)| vec![m.clone(), count.to_string()]);
        let divide = if self.divide.is_empty() { String::new() } else { table(&["move", ">positions"], rows) + "\n" };
        let speed = thousands((self.positions as f64 / self.seconds.max(1e-9)) as u64);
        format!("{divide}{}\n({:.3} s, {speed} per second)\n", self.positions, self.seconds)
    }
}
