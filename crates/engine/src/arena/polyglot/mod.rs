//! Openings from Polyglot books: sorted entries of 16 bytes, each a position's key, a move and its weight.
//!
//! An opening is a walk from the start position: a move is drawn by the weights, and another one, until the book knows no
//! move or there are enough plies. Opening `n` depends on the seed and `n` alone.
//!
//! Format: big-endian `u64` key, `u16` move, `u16` weight, `u32` learning data. A move has, from the lowest bit on, three bits
//! for each of file and rank of its destination, file and rank of its origin, and the promotion. Castling is king takes own
//! rook.

mod keys;

use std::collections::HashSet;

use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::random::Random;
use thiserror::Error;

use super::openings::Opening;
use keys::KEYS;

/// A Polyglot book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolyglotBook {
    /// Sorted by key.
    entries: Vec<Entry>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Entry {
    key: u64,
    m: u16,
    weight: u16,
}

/// A file that is no Polyglot book.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PolyglotError {
    /// Not made of entries.
    #[error("a Polyglot book has entries of {SIZE} bytes, and {0} bytes are no whole number of them")]
    Size(usize),
    /// Not sorted.
    #[error("entry {0} of the book is out of order: the keys of a Polyglot book rise")]
    Order(usize),
    /// The start position is not in it.
    #[error("the book has no move for the start position; expected a book of {0} openings")]
    Empty(&'static str),
}

/// Bytes of an entry.
const SIZE: usize = 16;
/// No opening is longer.
const MOST_PLIES: u32 = 200;
/// Walks without a new position after which there are no more.
const MOST_FAILED_WALKS: u64 = 1000;
/// Where in [`KEYS`] the parts begin.
const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const WHITE: usize = 780;

impl PolyglotBook {
    /// Reads the contents of a file.
    pub fn parse(bytes: &[u8]) -> Result<PolyglotBook, PolyglotError> {
        if !bytes.len().is_multiple_of(SIZE) {
            return Err(PolyglotError::Size(bytes.len()));
        }
        let entry = |bytes: &[u8]| {
            let number = |begin: usize, end: usize| {
                bytes[begin..end].iter().fold(0_u64, |number, &byte| number << 8 | u64::from(byte))
            };
            Entry { key: number(0, 8), m: number(8, 10) as u16, weight: number(10, 12) as u16 }
        };
        let entries: Vec<Entry> = bytes.chunks_exact(SIZE).map(entry).collect();
        match entries.windows(2).position(|pair| pair[0].key > pair[1].key) {
            Some(place) => Err(PolyglotError::Order(place + 2)),
            None => Ok(PolyglotBook { entries }),
        }
    }

    /// Different openings, at most this many: fewer if the book has no more, or hardly ever leads to them.
    pub fn openings(
        &self,
        game: &'static GameInfo,
        start: &str,
        plies: Option<u32>,
        wanted: usize,
        seed: u64,
    ) -> Result<Vec<Opening>, PolyglotError> {
        let Ok(start) = (game.open)(start) else { return Err(PolyglotError::Empty(game.name)) };
        if self.moves(start.as_ref()).is_empty() {
            return Err(PolyglotError::Empty(game.name));
        }
        let (mut openings, mut seen) = (Vec::new(), HashSet::new());
        let (mut number, mut failed) = (0, 0);
        while openings.len() < wanted && failed < MOST_FAILED_WALKS {
            let mut random = Random::for_purpose(seed, &format!("polyglot opening {number}"));
            let opening = self.walk(start.boxed(), plies.unwrap_or(MOST_PLIES).min(MOST_PLIES), &mut random);
            number += 1;
            failed += 1;
            if let Some(opening) = opening.filter(|opening| seen.insert(opening.position.clone())) {
                openings.push(opening);
                failed = 0;
            }
        }
        Ok(openings)
    }

    /// A line of the book; none if it ends the game.
    fn walk(&self, mut position: Box<dyn AnyPosition>, plies: u32, random: &mut Random) -> Option<Opening> {
        let mut moves = Vec::new();
        while moves.len() < plies as usize {
            let known = self.moves(position.as_ref());
            let total: usize = known.iter().map(|(_, weight)| *weight).sum();
            let mut place = random.below(total.max(1));
            let drawn = known.into_iter().find(|(_, weight)| {
                let is_here = place < *weight;
                place = place.saturating_sub(*weight);
                is_here
            });
            let Some((m, _)) = drawn else { break };
            position = position.play(&m).ok()?;
            moves.push(m);
        }
        position.outcome().is_none().then(|| Opening { position: position.text(), moves })
    }

    /// The moves of the book in a position with their weights. Moves of weight 0 are not to be played, and those that are
    /// not legal belong to another position with the same key.
    fn moves(&self, position: &dyn AnyPosition) -> Vec<(String, usize)> {
        let Some(key) = key(&position.text()) else { return Vec::new() };
        let begin = self.entries.partition_point(|entry| entry.key < key);
        let known = self.entries[begin..].iter().take_while(|entry| entry.key == key && begin < self.entries.len());
        known
            .filter(|entry| entry.weight > 0)
            .filter_map(|entry| Some((position.canonical_move(&text_of(entry.m)?).ok()?, usize::from(entry.weight))))
            .collect()
    }
}

/// A move in coordinates; none if it promotes to nothing that there is.
fn text_of(m: u16) -> Option<String> {
    let square = |bits: u16| {
        let (file, rank) = (b'a' + (bits & 7) as u8, b'1' + (bits >> 3 & 7) as u8);
        format!("{}{}", char::from(file), char::from(rank))
    };
    let promotion = ["", "n", "b", "r", "q"].get(usize::from(m >> 12 & 7))?;
    Some(format!("{}{}{promotion}", square(m >> 6 & 63), square(m & 63)))
}

/// The key of a position of chess in FEN; none if it is no FEN.
pub fn key(fen: &str) -> Option<u64> {
    let words: Vec<&str> = fen.split_whitespace().collect();
    let [board, side, castling, en_passant, ..] = words[..] else { return None };
    let mut men = [None; 64];
    for (row, rank) in board.split('/').enumerate() {
        let mut file = 0;
        for letter in rank.chars() {
            match letter.to_digit(10) {
                Some(empty) => file += empty as usize,
                None => {
                    *men.get_mut((7_usize.checked_sub(row)?) * 8 + file)? = Some(letter);
                    file += 1;
                }
            }
        }
    }
    let is_white = side == "w";
    let mut key = if is_white { KEYS[WHITE] } else { 0 };
    for (square, man) in men.iter().enumerate() {
        if let Some(letter) = man {
            let kind = "pPnNbBrRqQkK".find(*letter)?;
            key ^= KEYS[64 * kind + square];
        }
    }
    for (place, side) in castling_sides(castling, &men) {
        key ^= KEYS[CASTLING + place + usize::from(side)];
    }
    // Only where a pawn stands beside the one that has moved two squares.
    let mut letters = en_passant.chars();
    if let (Some(file @ 'a'..='h'), Some(_)) = (letters.next(), letters.next()) {
        let (file, rank) = (file as usize - 'a' as usize, if is_white { 4 } else { 3 });
        let pawn = if is_white { 'P' } else { 'p' };
        let beside = [file.checked_sub(1), Some(file + 1).filter(|&file| file < 8)];
        if beside.into_iter().flatten().any(|file| men[8 * rank + file] == Some(pawn)) {
            key ^= KEYS[EN_PASSANT + file];
        }
    }
    Some(key)
}

/// Castling rights: 0 for White and 2 for Black, and whether it is the side of the a file.
fn castling_sides(text: &str, men: &[Option<char>; 64]) -> Vec<(usize, bool)> {
    let mut sides = Vec::new();
    for letter in text.chars() {
        let (color, rank, king) = if letter.is_ascii_uppercase() { (0, 0, 'K') } else { (2, 56, 'k') };
        let king = men[rank..rank + 8].iter().position(|man| *man == Some(king));
        match (letter.to_ascii_lowercase(), king) {
            ('k', _) => sides.push((color, false)),
            ('q', _) => sides.push((color, true)),
            (file @ 'a'..='h', Some(king)) => sides.push((color, (file as usize - 'a' as usize) < king)),
            _ => {}
        }
    }
    sides
}

#[cfg(test)]
mod tests {
    use plysmith_core::games::{GameInfo, chess::chess960, find};

    use super::{PolyglotBook, PolyglotError, key, text_of};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn chess() -> &'static GameInfo {
        find("chess").unwrap()
    }

    /// The positions and keys with which the description of the format ends.
    #[test]
    fn positions_have_the_published_keys() {
        for (fen, expected) in [
            (START, 0x463b_9618_1691_fc9c),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c_9b50_fd11_4196),
            ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756_b944_61c5_0fb0),
            ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662f_afb9_65db_29d4),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a4_8b5a_8e47_ff78),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a_607c_a3f2_42c1),
            ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fd_d303_c946_bdd9),
            ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c81_23ea_7b06_7637),
            ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f_9b82_9b27_9560),
        ] {
            assert_eq!(key(fen), Some(expected), "{fen}");
        }
        assert_eq!(key(&chess960::start(518)), key(START), "chess is one of 960");
        assert_eq!(key("x"), None);
    }

    /// A book of these lines of moves, each with a weight.
    fn book(lines: &[(&str, u16)]) -> Vec<u8> {
        let mut entries = Vec::new();
        for (line, weight) in lines {
            let mut position = (chess().open)(START).unwrap();
            for m in line.split(' ') {
                let bytes = m.as_bytes();
                let square = |at: usize| u16::from(bytes[at] - b'a') | u16::from(bytes[at + 1] - b'1') << 3;
                let entry = (key(&position.text()).unwrap(), square(0) << 6 | square(2), *weight);
                if !entries.contains(&entry) {
                    entries.push(entry);
                }
                position = position.play(m).unwrap();
            }
        }
        entries.sort_unstable();
        let bytes = |(key, m, weight): (u64, u16, u16)| {
            [&key.to_be_bytes()[..], &m.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
        };
        entries.into_iter().flat_map(bytes).collect()
    }

    #[test]
    fn moves_are_drawn_by_their_weights_and_the_seed() {
        let lines = [("e2e4 e7e5 g1f3", 30), ("d2d4 d7d5", 10), ("c2c4 e7e5", 0)];
        let parsed = PolyglotBook::parse(&book(&lines)).unwrap();
        let openings = |plies, wanted, seed| parsed.openings(chess(), START, plies, wanted, seed).unwrap();
        let lines = |openings: Vec<super::Opening>| {
            let mut lines: Vec<String> = openings.into_iter().map(|opening| opening.moves.join(" ")).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(openings(None, 9, 1)), ["d2d4 d7d5", "e2e4 e7e5 g1f3"], "what has no weight is not played");
        assert_eq!(lines(openings(Some(1), 9, 1)), ["d2d4", "e2e4"]);
        assert_eq!(openings(Some(2), 1, 7), openings(Some(2), 1, 7));
        let first = |seed| openings(Some(1), 1, seed)[0].moves[0].clone();
        let pawns = (0..400).filter(|&seed| first(seed) == "e2e4").count();
        assert!((270..=330).contains(&pawns), "{pawns} of 400, expected about 300");
    }

    #[test]
    fn castling_is_king_takes_rook_and_bad_files_are_named() {
        let line = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1";
        let opened = PolyglotBook::parse(&book(&[(line, 1)])).unwrap().openings(chess(), START, None, 1, 1).unwrap();
        assert_eq!(opened[0].moves.last().unwrap(), "e1g1");
        assert_eq!((text_of(0o4_64_74).as_deref(), text_of(0o5_00_00)), (Some("e7e8q"), None));
        let bytes = book(&[("e2e4 e7e5", 1)]);
        assert_eq!(PolyglotBook::parse(&bytes[1..]), Err(PolyglotError::Size(31)));
        let swapped = [&bytes[16..], &bytes[..16]].concat();
        assert_eq!(PolyglotBook::parse(&swapped), Err(PolyglotError::Order(2)));
        let other = PolyglotBook::parse(&[]).unwrap();
        assert!(other.openings(chess(), START, None, 1, 1).unwrap_err().to_string().contains("no move for the start"));
    }
}
