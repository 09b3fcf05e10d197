//! Breakthrough positions and moves as text, and drawn boards.
//!
//! A position is written rank by rank from the top, `P` a white and `p` a black man, digits for empty
//! squares, then `w` or `b`. The size follows from the text. What Fairy-Stockfish writes behind that
//! (`0 1`, or `- - 0 1`) is tolerated.

use std::borrow::Cow;
use std::fmt;

use super::board::{AnySize, Board, FromSize};
use super::position::{Move, Position, Side};
use crate::game::PositionError;

/// The text of the start position on a board of this size, if there is such a board.
pub fn start(columns: usize, rows: usize, first: Side) -> Option<String> {
    AnySize::new(columns, rows)?;
    let men = |man: &str| man.repeat(columns);
    let mut ranks = vec![men("p"); 2];
    ranks.extend(vec![columns.to_string(); rows - 4]);
    ranks.extend(vec![men("P"); 2]);
    Some(format!("{} {}", ranks.join("/"), first.letter()))
}

/// Reads a position.
pub fn parse<B: FromSize>(text: &str) -> Result<Position<B>, PositionError> {
    let error = |offset: usize, reason: String| PositionError { offset: text[..offset].chars().count(), reason };
    let fields = fields(text);
    let Some(&(start, ranks)) = fields.first() else {
        return Err(error(0, "there is no position; expected ranks from the top like 'pppp/4/4/PPPP w'".to_string()));
    };
    let (size, white, black) = parse_ranks(ranks).map_err(|(at, reason)| error(start + at, reason))?;
    let end = start + ranks.len();
    let &(at, letter) = fields
        .get(1)
        .ok_or_else(|| error(end, "nothing says who moves; expected 'w' or 'b' behind the ranks".to_string()))?;
    let side = Side::from_letter(letter)
        .ok_or_else(|| error(at, format!("'{letter}' does not say who moves; expected 'w' or 'b'")))?;
    check_men(size, white, black)
        .map_err(|(square, reason)| error(start + square.map_or(0, |square| place_of(ranks, square)), reason))?;
    let board = B::from_size(size).ok_or_else(|| error(start, "the board has another size than 8×8".to_string()))?;
    let position = match side {
        Side::White => Position::new(board, white, black, side),
        Side::Black => Position::new(board, board.flip(black), board.flip(white), side),
    };
    match fields.iter().skip(2).find(|(_, field)| !is_trailing(field)) {
        Some(&(at, field)) => Err(error(at, format!("'{field}' is not part of a position; expected nothing more"))),
        None => Ok(position),
    }
}

/// A move as the move generator's names spell it: `b2c3` for `b2xc3`.
pub fn without_capture_sign(text: &str) -> Cow<'_, str> {
    match text.as_bytes() {
        [_, _, b'x', _, _] => Cow::Owned(text.replacen('x', "", 1)),
        _ => Cow::Borrowed(text),
    }
}

/// Draws the board from White's side; the move's squares are in brackets.
pub fn draw<B: Board>(position: &Position<B>, m: Option<Move>) -> String {
    let (white, black) = position.white_and_black();
    let marked: Vec<_> =
        m.iter().flat_map(|m| [m.from(), m.to()]).map(|square| position.seen_by_white(square)).collect();
    let mut drawing = String::new();
    for row in (0..position.board.rows()).rev() {
        drawing += &format!("{:>2} ", row + 1);
        for column in 0..position.board.columns() {
            let square = (8 * row + column) as u8;
            let man = man_letter(white, black, square).unwrap_or('.');
            drawing += &if marked.contains(&square) { format!("[{man}]") } else { format!(" {man} ") };
        }
        drawing.truncate(drawing.trim_end().len());
        drawing += "\n";
    }
    drawing += "   ";
    for column in 0..position.board.columns() as u8 {
        drawing += &format!(" {} ", char::from(b'a' + column));
    }
    drawing.trim_end().to_string() + "\n"
}

impl<B: Board> fmt::Display for Position<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (white, black) = self.white_and_black();
        for row in (0..self.board.rows()).rev() {
            let mut empty = 0;
            for column in 0..self.board.columns() {
                match man_letter(white, black, (8 * row + column) as u8) {
                    Some(man) if empty > 0 => write!(f, "{}{man}", std::mem::take(&mut empty))?,
                    Some(man) => write!(f, "{man}")?,
                    None => empty += 1,
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            write!(f, "{}", if row > 0 { "/" } else { " " })?;
        }
        write!(f, "{}", self.side.letter())
    }
}

impl<B: Board> Position<B> {
    /// The name of a square that is given as the side to move sees it.
    pub(super) fn square_name(&self, square: u8) -> String {
        let square = self.seen_by_white(square);
        format!("{}{}", char::from(b'a' + square % 8), square / 8 + 1)
    }

    fn white_and_black(&self) -> (u64, u64) {
        match self.side {
            Side::White => (self.us, self.them),
            Side::Black => (self.board.flip(self.them), self.board.flip(self.us)),
        }
    }

    /// The square as White sees it.
    fn seen_by_white(&self, square: u8) -> u8 {
        match self.side {
            Side::White => square,
            Side::Black => (self.board.rows() as u8 - 1 - square / 8) * 8 + square % 8,
        }
    }
}

impl Side {
    fn letter(self) -> char {
        match self {
            Side::White => 'w',
            Side::Black => 'b',
        }
    }

    fn from_letter(letter: &str) -> Option<Side> {
        [Side::White, Side::Black].into_iter().find(|side| letter.chars().eq([side.letter()]))
    }
}

/// The size, the white and the black men; or where in the text something is wrong.
fn parse_ranks(text: &str) -> Result<(AnySize, u64, u64), (usize, String)> {
    let ranks: Vec<_> = text.split('/').collect();
    let (mut white, mut black, mut columns, mut at) = (0u64, 0u64, None, 0);
    if ranks.len() > 8 {
        return Err((0, format!("there are {} ranks; boards have 4 to 8", ranks.len())));
    }
    for (index, rank) in ranks.iter().enumerate() {
        let row = ranks.len() - 1 - index;
        let mut column = 0;
        for (offset, letter) in rank.char_indices() {
            let wrong = |reason: String| Err((at + offset, reason));
            match letter {
                '1'..='8' => column += letter as usize - '0' as usize,
                'P' | 'p' if column < 8 => {
                    let men = if letter == 'P' { &mut white } else { &mut black };
                    *men |= 1 << (8 * row + column);
                    column += 1;
                }
                'P' | 'p' => column += 1,
                _ => {
                    return wrong(format!(
                        "'{letter}' cannot stand on a board; expected 'P', 'p' or a digit from 1 to 8"
                    ));
                }
            }
            if column > 8 {
                return wrong(format!("rank {} has more than 8 squares", row + 1));
            }
        }
        match columns {
            None => columns = Some(column),
            Some(width) if width != column => {
                return Err((at, format!("rank {} has {column} squares, the rank above it {width}", row + 1)));
            }
            Some(_) => {}
        }
        at += rank.len() + 1;
    }
    let columns = columns.unwrap_or(0);
    let size = AnySize::new(columns, ranks.len())
        .ok_or_else(|| (0, format!("the board has {columns}×{} squares; expected 4×4 to 8×8", ranks.len())))?;
    Ok((size, white, black))
}

/// Says why a game in progress cannot have these men on this board, and on which square if it is one.
fn check_men(size: AnySize, white: u64, black: u64) -> Result<(), (Option<u32>, String)> {
    let most = 2 * size.columns();
    for (name, men, goal) in [("White", white, size.goal()), ("Black", black, size.row(0))] {
        if men.count_ones() > most {
            let reason = format!("{name} has {} men; a side has at most {most} on this board", men.count_ones());
            return Err((None, reason));
        }
        if men == 0 {
            return Err((None, format!("{name} has no man left: the game is over")));
        }
        if men & goal != 0 {
            let reason = format!("{name} has a man on its goal rank already: the game is over");
            return Err((Some((men & goal).trailing_zeros()), reason));
        }
    }
    Ok(())
}

/// The byte in the text of the ranks where a square's man stands.
fn place_of(ranks: &str, square: u32) -> usize {
    let above = ranks.split('/').count() as u32 - 1 - square / 8;
    let start: usize = ranks.split('/').take(above as usize).map(|rank| rank.len() + 1).sum();
    let mut column = 0;
    let rank = ranks[start..].bytes();
    start
        + rank
            .take_while(|letter| {
                let before = column < square % 8;
                column += if letter.is_ascii_digit() { u32::from(letter - b'0') } else { 1 };
                before
            })
            .count()
}

fn man_letter(white: u64, black: u64, square: u8) -> Option<char> {
    match (white >> square & 1, black >> square & 1) {
        (1, _) => Some('P'),
        (_, 1) => Some('p'),
        _ => None,
    }
}

/// The words of a text, each with the byte where it begins.
fn fields(text: &str) -> Vec<(usize, &str)> {
    let place = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(|word| (place(word), word)).collect()
}

/// What other programs write behind the side to move: castling, en passant, counters.
fn is_trailing(field: &str) -> bool {
    field == "-" || field.bytes().all(|byte| byte.is_ascii_digit())
}
