//! Arguments that name a file of openings.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use plysmith_core::games::GameInfo;
use plysmith_runs::opening_book::{BookRequest, OpeningBook, OpeningOrder};

use super::SkipBadArgument;
use crate::failure::Failure;
use crate::output::say;

/// Openings from a file.
#[derive(Debug, Args)]
pub struct BookArguments {
    /// File of openings: PGN, EPD, a list of positions or a suite
    #[arg(long, value_name = "FILE", conflicts_with_all = ["size", "first"])]
    openings: Option<PathBuf>,

    /// Order in which the openings of the file are used
    #[arg(long, value_enum, value_name = "ORDER", default_value = "sequential", requires = "openings")]
    opening_order: Order,

    #[command(flatten)]
    skip: SkipBadArgument,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Order {
    /// The order of the file
    Sequential,
    /// Shuffled with the random seed
    Shuffled,
}

impl BookArguments {
    /// The openings for this many games, if a file is named.
    pub fn resolve(
        &self,
        game: &'static GameInfo,
        plies: Option<u32>,
        games: u64,
        seed: u64,
    ) -> Result<Option<OpeningBook>, Failure> {
        let Some(path) = &self.openings else { return Ok(None) };
        let order = match self.opening_order {
            Order::Sequential => OpeningOrder::Sequential,
            Order::Shuffled => OpeningOrder::Shuffled(seed),
        };
        let request = BookRequest { game, path, skip_bad: self.skip.skip_bad, plies, order, games };
        Ok(Some(OpeningBook::read(&request, &|note| say(note))?))
    }
}
