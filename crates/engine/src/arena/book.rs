//! Openings from a text: a list of positions, a suite, or games in PGN.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};
use std::convert::Infallible;
use std::ops::ControlFlow;

use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::pgn::{Reader, Record, is_pgn, says_something};
use plysmith_core::random::derive_seed;
use plysmith_core::suite::text::position;
use xxhash_rust::xxh3::xxh3_128;

use super::openings::Opening;

/// The openings of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BookText {
    /// The openings, in order, each position once.
    pub openings: Vec<Opening>,
    /// The number of repeated positions.
    pub repeated: usize,
    /// Errors: `line:column: reason`.
    pub wrong: Vec<String>,
}

/// Reads all openings of a text. `plies` limits the moves taken from games; positions are used as they are.
pub fn read(game: &'static GameInfo, text: &str, plies: Option<u32>) -> BookText {
    let mut found = BookText::default();
    let mut seen = HashSet::new();
    let lines = text.split_inclusive('\n').map(|line| Ok::<_, Infallible>(line.to_string()));
    let Ok(()) = read_lines(game, lines, plies, |opening| {
        match opening {
            Err(wrong) => found.wrong.push(wrong),
            Ok(opening) if seen.insert(opening.position.clone()) => found.openings.push(opening),
            Ok(_) => found.repeated += 1,
        }
        ControlFlow::Continue(())
    });
    found
}

/// Reads openings one after the other until `receive` breaks. Lines come with their ends. No more lines are asked for
/// than are needed, and only those of a few games are kept.
pub fn read_lines<E>(
    game: &'static GameInfo,
    lines: impl Iterator<Item = Result<String, E>>,
    plies: Option<u32>,
    receive: impl FnMut(Result<Opening, String>) -> ControlFlow<()>,
) -> Result<(), E> {
    let mut stream = Stream { lines, text: String::new(), at: 0, first_line: 1, is_over: false };
    // What the text is can be told from the first line that says something.
    while !stream.is_over && !says_something(&stream.text) {
        stream.load_line()?;
    }
    if is_pgn(&stream.text) { stream.games(game, plies, receive) } else { stream.positions(game, receive) }
}

/// Lines of a text that is read as it is needed.
struct Stream<L> {
    lines: L,
    /// The lines that were read and may still be needed.
    text: String,
    /// The byte that is read next.
    at: usize,
    /// The number of the first line of `text`.
    first_line: usize,
    /// Whether there are no more lines.
    is_over: bool,
}

/// So much is read at once; a game is rarely longer.
const CHUNK: usize = 1 << 16;
/// A comment or a variation that is longer than this is never closed.
const LONGEST_GAME: usize = 1 << 24;

impl<E, L: Iterator<Item = Result<String, E>>> Stream<L> {
    fn load_line(&mut self) -> Result<(), E> {
        match self.lines.next().transpose()? {
            Some(line) => self.text += &line,
            None => self.is_over = true,
        }
        Ok(())
    }

    fn load(&mut self) -> Result<(), E> {
        // In proportion to what is there, or a long game would be read anew too often.
        let enough = self.text.len() + CHUNK.max(self.text.len() - self.at);
        while !self.is_over && self.text.len() < enough {
            self.load_line()?;
        }
        Ok(())
    }

    /// Forgets the lines that were read.
    fn forget(&mut self) {
        if self.at >= CHUNK || self.at == self.text.len() {
            let line = self.text[..self.at].rfind('\n').map_or(0, |end| end + 1);
            self.first_line += self.text[..line].matches('\n').count();
            self.text.drain(..line);
            self.at -= line;
        }
    }

    fn games(
        mut self,
        game: &'static GameInfo,
        plies: Option<u32>,
        mut receive: impl FnMut(Result<Opening, String>) -> ControlFlow<()>,
    ) -> Result<(), E> {
        let most = plies.map_or(usize::MAX, |plies| plies as usize);
        loop {
            let mut reader = Reader::of_part(game, &self.text, self.at, self.first_line).first_plies(most);
            let read = reader.next();
            let (line, end) = (reader.line(), reader.position());
            if reader.touched_end() && !self.is_over && self.text.len() - self.at < LONGEST_GAME {
                if read.is_none() {
                    // Between games there is nothing to keep.
                    self.at = end;
                    self.forget();
                }
                self.load()?;
                continue;
            }
            self.at = end;
            let Some(read) = read else { return Ok(()) };
            let opening = read.map_err(|error| error.to_string()).and_then(|record| play(game, &record, line));
            self.forget();
            if receive(opening).is_break() {
                return Ok(());
            }
        }
    }

    fn positions(
        mut self,
        game: &'static GameInfo,
        mut receive: impl FnMut(Result<Opening, String>) -> ControlFlow<()>,
    ) -> Result<(), E> {
        loop {
            if self.at == self.text.len() {
                self.forget();
                self.load_line()?;
            }
            if self.is_over && self.at == self.text.len() {
                return Ok(());
            }
            let line = &self.text[self.at..];
            let line = &line[..line.find('\n').map_or(line.len(), |end| end + 1)];
            let number = self.first_line + self.text[..self.at].matches('\n').count();
            let found = position(game, number, line).map(|read| {
                let position = read.map_err(|error| error.to_string())?;
                let opened = (game.open)(&position).map_err(|error| format!("{number}:1: {error}"))?;
                goes_on(opened.as_ref(), number)?;
                Ok(Opening { position, moves: Vec::new() })
            });
            self.at += line.len();
            if found.is_some_and(|opening| receive(opening).is_break()) {
                return Ok(());
            }
        }
    }
}

/// The openings of a file in the order of play, no more of them than are needed.
#[derive(Debug)]
pub struct Selection {
    /// The seed of the order; none if the order is that of the file.
    seed: Option<u64>,
    wanted: usize,
    /// Those with the lowest places, the highest of these on top.
    chosen: BinaryHeap<Placed>,
    /// Openings so far, each position once.
    found: usize,
    /// Hashes of their positions.
    seen: HashSet<u128>,
    /// Openings that occurred before.
    pub repeated: usize,
}

/// An opening with its place in the order.
#[derive(Debug)]
struct Placed {
    place: (u64, usize),
    opening: Opening,
}

impl Selection {
    /// Selects this many: the first ones, or those that come first when all are shuffled with a seed.
    pub fn new(seed: Option<u64>, wanted: usize) -> Selection {
        Selection { seed, wanted, chosen: BinaryHeap::new(), found: 0, seen: HashSet::new(), repeated: 0 }
    }

    /// Adds the next opening of the file; breaks if no other can be selected.
    pub fn add(&mut self, opening: Opening) -> ControlFlow<()> {
        if !self.seen.insert(xxh3_128(opening.position.as_bytes())) {
            self.repeated += 1;
            return ControlFlow::Continue(());
        }
        let index = self.found;
        self.found += 1;
        let place = (self.seed.map_or(0, |seed| place_of(seed, index)), index);
        self.chosen.push(Placed { place, opening });
        if self.chosen.len() > self.wanted {
            self.chosen.pop();
        }
        if self.seed.is_none() && self.found >= self.wanted {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// How many openings there were, each position once.
    pub fn found(&self) -> usize {
        self.found
    }

    /// The openings in order; fewer than wanted if there were fewer.
    pub fn into_openings(self) -> Vec<Opening> {
        self.chosen.into_sorted_vec().into_iter().map(|placed| placed.opening).collect()
    }
}

impl PartialEq for Placed {
    fn eq(&self, other: &Placed) -> bool {
        self.place == other.place
    }
}

impl Eq for Placed {}

impl PartialOrd for Placed {
    fn partial_cmp(&self, other: &Placed) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Placed {
    fn cmp(&self, other: &Placed) -> Ordering {
        self.place.cmp(&other.place)
    }
}

fn place_of(seed: u64, index: usize) -> u64 {
    derive_seed(seed, &format!("place of opening {index}"))
}

/// Shuffles openings by the seed and their places alone.
pub fn shuffle(openings: &mut Vec<Opening>, seed: u64) {
    let mut numbered: Vec<_> = openings.drain(..).enumerate().collect();
    numbered.sort_by_key(|(index, _)| (place_of(seed, *index), *index));
    openings.extend(numbered.into_iter().map(|(_, opening)| opening));
}

/// The content key of these openings in this order.
pub fn content_key(openings: &[Opening]) -> String {
    let content: String = openings.iter().map(|opening| format!("{}\n", opening.position)).collect();
    format!("{:032x}", xxh3_128(content.as_bytes()))
}

fn play(game: &GameInfo, record: &Record, line: usize) -> Result<Opening, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{line}:1: {error}");
    let mut position = (game.open)(&record.start).map_err(|error| wrong(&error))?;
    let moves: Vec<String> = record.moves.iter().map(|recorded| recorded.m.clone()).collect();
    for m in &moves {
        position = position.play(m).map_err(|error| wrong(&error))?;
    }
    goes_on(position.as_ref(), line)?;
    Ok(Opening { position: position.text(), moves })
}

fn goes_on(position: &dyn AnyPosition, line: usize) -> Result<(), String> {
    match position.outcome() {
        None => Ok(()),
        Some(_) => Err(format!("{line}:1: the game is over here; expected a position to play on from")),
    }
}
