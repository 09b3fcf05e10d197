//! Openings from a file, for `match` and `tournament`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use plysmith_core::games::GameInfo;
use plysmith_engine::arena::book::{BookText, content_key, read, shuffle};
use plysmith_engine::arena::openings::{Opening, OpeningError};
use serde::{Deserialize, Serialize};

use crate::arguments::SkipBadArgument;
use crate::failure::Failure;
use plysmith_runs::files::{counted, read_text, skip_or_fail};
use crate::output::say;

/// Where games begin, if not at random.
#[derive(Debug, Args)]
pub struct BookArguments {
    /// Begin games from the openings of this file: PGN, EPD or any list of positions, or a suite
    #[arg(long, value_name = "FILE", conflicts_with_all = ["size", "first"])]
    openings: Option<PathBuf>,

    /// In which order the file's openings are used
    #[arg(long, value_enum, value_name = "ORDER", default_value = "sequential", requires = "openings")]
    opening_order: Order,

    #[command(flatten)]
    skip: SkipBadArgument,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Order {
    /// As they stand in the file
    Sequential,
    /// At random, by the seed
    Shuffled,
}

/// Openings from a file, as they are stored: those that the games need, in the order of play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BookConfig {
    /// What the file is called.
    pub name: String,
    /// The content key of the openings.
    pub key: String,
    pub openings: Vec<Opening>,
}

impl BookArguments {
    /// The openings for so many games, if a file is named.
    pub fn resolve(
        &self,
        game: &'static GameInfo,
        plies: Option<u32>,
        games: u64,
        seed: u64,
    ) -> Result<Option<BookConfig>, Failure> {
        let Some(path) = &self.openings else { return Ok(None) };
        let name = path.display().to_string();
        let text = read_text(path, "openings as PGN or EPD", self.skip.skip_bad)?;
        let BookText { mut openings, repeated, wrong } = read(game, &text, plies);
        skip_or_fail(&name, &wrong, self.skip.skip_bad)?;
        if openings.is_empty() {
            let expected = "expected games as PGN, or positions one a line";
            return Err(Failure::input(format!("{name}: there is no opening in it; {expected}")));
        }
        if repeated > 0 {
            say(format!("left out {} of {name} that stood there before", counted(repeated, "opening")));
        }
        if self.opening_order == Order::Shuffled {
            shuffle(&mut openings, seed);
        }
        let wanted = games as usize / 2;
        if openings.len() < wanted {
            let error = OpeningError::TooShort { found: openings.len() };
            return Err(Failure::input(format!("{name}: {error}")));
        }
        openings.truncate(wanted);
        Ok(Some(BookConfig { name, key: content_key(&openings), openings }))
    }
}
