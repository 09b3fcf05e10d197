//! Openings from a file: PGN, EPD or any list of positions, a suite, or a Polyglot book; and the starts of Chess960.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use plysmith_core::games::chess::chess960;
use plysmith_core::games::{GameInfo, Start, chess};
use plysmith_engine::arena::book::{Selection, content_key, read_lines};
use plysmith_engine::arena::openings::Opening;
use plysmith_engine::arena::polyglot::PolyglotBook;
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
    /// Where the openings come from.
    pub source: OpeningSource<'a>,
    /// Whether to skip records that cannot be read.
    pub skip_bad: bool,
    /// Plies of each game record, or of a Polyglot book, to play; all of them by default.
    pub plies: Option<u32>,
    /// In which order to use the openings.
    pub order: OpeningOrder,
    /// The random seed, of shuffled openings and of walks through a Polyglot book.
    pub seed: u64,
    /// The first opening of the order that is used, from 1.
    pub first: u64,
    /// Whether positions of chess are read as those of Chess960.
    pub chess960: bool,
    /// For how many games; two games share an opening.
    pub games: u64,
}

/// Where openings come from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum OpeningSource<'a> {
    /// A file of games, positions or problems, or a Polyglot book if its name ends with `.bin`.
    File(&'a Path),
    /// The start positions of Chess960.
    Chess960,
}

/// In which order openings are used.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum OpeningOrder {
    /// As in the file.
    Sequential,
    /// Shuffled with the seed.
    Shuffled,
}

/// The number of the start position of chess.
const STANDARD: u32 = 518;
/// The start positions of Chess960, as a name for openings.
const CHESS960: &str = "chess960";

impl OpeningBook {
    /// Reads openings, no further than they are needed. What is skipped is reported to `note`, and that they have to be used
    /// more than once.
    pub fn read(request: &BookRequest<'_>, note: &dyn Fn(&str)) -> Result<OpeningBook, RunError> {
        let is_chess = request.game.name == chess::INFO.name;
        if request.chess960 && !is_chess {
            return Err(RunError::input(format!("Chess960 is a kind of chess, not of {}", request.game.name)));
        }
        let (name, selection) = match request.source {
            OpeningSource::Chess960 => (CHESS960.to_string(), request.chess960_starts()),
            OpeningSource::File(path) => {
                let name = path.display().to_string();
                let is_polyglot = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bin"));
                let selection =
                    if is_polyglot { request.read_polyglot(path)? } else { request.read_text(path, &name, note)? };
                (name, selection)
            }
        };
        if selection.found() == 0 {
            let expected = "expected games as PGN, or one position per line";
            return Err(RunError::input(format!("{name}: there is no opening in it; {expected}")));
        }
        if selection.repeated > 0 {
            note(&format!("skipped {} of {name} that occurred before", counted(selection.repeated, "opening")));
        }
        let found = selection.found();
        let openings = request.cut(selection.into_openings()).map_err(|reason| {
            RunError::input(format!("{name}: {reason}; choose an earlier one with --opening-start"))
        })?;
        let pairs = request.pairs();
        if openings.len() < pairs {
            note(&format!(
                "warning: {name} has {} for {} of games: they are used again from the beginning",
                counted(found, "opening"),
                counted(pairs, "pair")
            ));
        }
        Ok(OpeningBook { name, key: content_key(&openings), openings })
    }
}

impl BookRequest<'_> {
    fn pairs(&self) -> usize {
        self.games as usize / 2
    }

    fn selection(&self) -> Selection {
        let seed = (self.order == OpeningOrder::Shuffled).then_some(self.seed);
        // Those before the first are read as well.
        Selection::new(seed, self.pairs().max(1).saturating_add(self.first.saturating_sub(1) as usize))
    }

    /// The openings from the first on; if there are too few, those before it come behind.
    fn cut(&self, mut openings: Vec<Opening>) -> Result<Vec<Opening>, String> {
        let before = self.first.saturating_sub(1) as usize;
        if before >= openings.len() {
            return Err(format!("there is no opening {}, there are {}", self.first, openings.len()));
        }
        openings.rotate_left(before);
        // At least one, also for no game.
        openings.truncate(self.pairs().max(1));
        Ok(openings)
    }

    fn chess960_starts(&self) -> Selection {
        let mut selection = self.selection();
        let starts =
            (0..chess960::STARTS).map(|number| Opening { position: chess960::start(number), moves: Vec::new() });
        // It breaks when it has enough.
        let _ = starts.map(|opening| selection.add(opening)).find(ControlFlow::is_break);
        selection
    }

    fn read_polyglot(&self, path: &Path) -> Result<Selection, RunError> {
        let name = path.display();
        let wrong = |error: &dyn std::fmt::Display| RunError::input(format!("{name}: {error}"));
        if self.game.name != chess::INFO.name {
            return Err(RunError::input(format!("{name}: a Polyglot book is for chess, not for {}", self.game.name)));
        }
        let bytes = fs::read(path).map_err(|error| RunError::input(format!("cannot read {name}: {error}")))?;
        let book = PolyglotBook::parse(&bytes).map_err(|error| wrong(&error))?;
        let start = if self.chess960 {
            chess960::start(STANDARD)
        } else {
            (self.game.start)(&Start::default()).map_err(RunError::input)?
        };
        // Drawn by the seed already: there is no other order in it.
        let wanted = self.pairs().max(1).saturating_add(self.first.saturating_sub(1) as usize);
        let openings =
            book.openings(self.game, &start, self.plies, wanted, self.seed).map_err(|error| wrong(&error))?;
        let mut selection = Selection::new(None, wanted);
        let _ = openings.into_iter().map(|opening| selection.add(opening)).find(ControlFlow::is_break);
        Ok(selection)
    }

    fn read_text(&self, path: &Path, name: &str, note: &dyn Fn(&str)) -> Result<Selection, RunError> {
        let mut selection = self.selection();
        let (mut skipped, mut failure) = (0, None);
        let lines = TextLines::open(
            path,
            "openings as PGN or EPD, or a Polyglot book whose name ends with .bin",
            self.skip_bad,
        )?;
        read_lines(self.game, lines, self.plies, |found| match found.and_then(|opening| self.as_chess960(opening)) {
            Ok(opening) => selection.add(opening),
            Err(wrong) if self.skip_bad => {
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
        Ok(selection)
    }

    fn as_chess960(&self, opening: Opening) -> Result<Opening, String> {
        if !self.chess960 {
            return Ok(opening);
        }
        let position = chess960::canonical(&opening.position).map_err(|error| error.reason)?;
        Ok(Opening { position, ..opening })
    }
}
