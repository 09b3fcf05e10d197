//! Openings from a file: PGN, EPD or any list of positions, or a suite.

use std::ops::ControlFlow;
use std::path::Path;

use plysmith_core::games::GameInfo;
use plysmith_engine::arena::book::{Selection, content_key, read_lines};
use plysmith_engine::arena::openings::{Opening, OpeningError};
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::files::{SKIP_HINT, TextLines};
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
    /// Reads a file of openings, no further than it is needed. What is skipped is reported to `note`.
    pub fn read(request: &BookRequest<'_>, note: &dyn Fn(&str)) -> Result<OpeningBook, RunError> {
        let name = request.path.display().to_string();
        let wanted = request.games as usize / 2;
        let seed = match request.order {
            OpeningOrder::Sequential => None,
            OpeningOrder::Shuffled(seed) => Some(seed),
        };
        let mut selection = Selection::new(seed, wanted);
        let (mut skipped, mut failure) = (0, None);
        let lines = TextLines::open(request.path, "openings as PGN or EPD", request.skip_bad)?;
        read_lines(request.game, lines, request.plies, |found| match found {
            Ok(opening) => selection.add(opening),
            Err(wrong) if request.skip_bad => {
                note(&format!("{name}:{wrong}"));
                skipped += 1;
                ControlFlow::Continue(())
            }
            Err(wrong) => {
                failure = Some(RunError::input(format!("{name}:{wrong}; {SKIP_HINT}")));
                ControlFlow::Break(())
            }
        })?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        if skipped > 0 {
            note(&format!("skipped {} in {name}", counted(skipped, "bad record")));
        }
        if selection.found() == 0 {
            let expected = "expected games as PGN, or one position per line";
            return Err(RunError::input(format!("{name}: there is no opening in it; {expected}")));
        }
        if selection.repeated > 0 {
            note(&format!("skipped {} of {name} that occurred before", counted(selection.repeated, "opening")));
        }
        if selection.found() < wanted {
            let error = OpeningError::TooShort { found: selection.found() };
            return Err(RunError::input(format!("{name}: {error}")));
        }
        let openings = selection.into_openings();
        Ok(OpeningBook { name, key: content_key(&openings), openings })
    }
}
