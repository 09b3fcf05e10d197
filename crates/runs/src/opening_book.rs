//! Openings from a file: PGN, EPD or any list of positions, or a suite.

use std::path::Path;

use plysmith_core::games::GameInfo;
use plysmith_engine::arena::book::{BookText, content_key, read, shuffle};
use plysmith_engine::arena::openings::{Opening, OpeningError};
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::files::{read_text, skip_or_fail};
use crate::view::counted;

/// The openings that a run needs, in the order of play. Stored whole, so that a run does not depend on the file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OpeningBook {
    /// The file's name.
    pub name: String,
    /// The content key of the openings.
    pub key: String,
    /// The openings.
    pub openings: Vec<Opening>,
}

/// What to read from a file of openings.
#[derive(Copy, Clone, Debug)]
pub struct BookRequest<'a> {
    /// The game.
    pub game: &'static GameInfo,
    /// The file.
    pub path: &'a Path,
    /// Whether to skip records that cannot be read.
    pub skip_bad: bool,
    /// Plies of each game record to play; all of them by default.
    pub plies: Option<u32>,
    /// In which order to use the openings.
    pub order: OpeningOrder,
    /// For how many games; two games share an opening.
    pub games: u64,
}

/// In which order the openings of a file are used.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum OpeningOrder {
    /// As in the file.
    Sequential,
    /// Shuffled with this seed.
    Shuffled(u64),
}

impl OpeningBook {
    /// Reads a file of openings. What is skipped is reported to `note`.
    pub fn read(request: &BookRequest<'_>, note: &dyn Fn(&str)) -> Result<OpeningBook, RunError> {
        let name = request.path.display().to_string();
        let text = read_text(request.path, "openings as PGN or EPD", request.skip_bad)?;
        let BookText { mut openings, repeated, wrong } = read(request.game, &text, request.plies);
        skip_or_fail(&name, &wrong, request.skip_bad, note)?;
        if openings.is_empty() {
            let expected = "expected games as PGN, or one position per line";
            return Err(RunError::input(format!("{name}: there is no opening in it; {expected}")));
        }
        if repeated > 0 {
            note(&format!("skipped {} of {name} that occurred before", counted(repeated, "opening")));
        }
        if let OpeningOrder::Shuffled(seed) = request.order {
            shuffle(&mut openings, seed);
        }
        let wanted = request.games as usize / 2;
        if openings.len() < wanted {
            let error = OpeningError::TooShort { found: openings.len() };
            return Err(RunError::input(format!("{name}: {error}")));
        }
        openings.truncate(wanted);
        Ok(OpeningBook { name, key: content_key(&openings), openings })
    }
}
