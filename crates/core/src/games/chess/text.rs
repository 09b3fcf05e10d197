//! FEN, and boards drawn with letters.
//!
//! Files and programs are sloppy, so a FEN is read generously where it can mean only one thing, and refused with
//! place and reason where it contradicts itself:
//!
//! - Four, five or six fields: without counters, as in EPD, they are `0 1`; `-` is a counter that is not known.
//! - A move number of 0 is 1. A half-move clock above 100 is 100: by the fifty-move rule the game is over either way.
//! - An en-passant square on the right rank is kept if a pawn may capture there and dropped if none may: programs
//!   disagree on when to write it, and it changes no move. On the other rank it contradicts who is to move: refused.
//! - Castling rights may be letters of `KQkq`, each for the outermost rook on its side of the king (X-FEN), or the files of
//!   rooks (Shredder-FEN). Those without such a rook are refused. If a king or a rook is not where it is in chess, or a file
//!   is named, it is a position of Chess960.

use std::fmt;

use cozy_chess::{
    BitBoard, Board, BoardBuilder, Color, File, Piece, Rank, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};

use super::moves::{Castling, Move, can_capture_en_passant};
use crate::game::PositionError;

/// Where in the text, in bytes, and what is wrong there.
type Wrong = (usize, String);

/// A word of the text and the byte where it begins.
type Word<'a> = (usize, &'a str);

/// The fields of a FEN that cannot be left out, as messages call them.
const FIELDS: [&str; 4] = ["ranks", "side to move", "castling field", "en-passant field"];

/// Reads a FEN; the two counters may be missing, as in EPD.
pub fn parse(text: &str) -> Result<(Board, Castling), PositionError> {
    read(text).map_err(|(at, reason)| PositionError {
        offset: text.get(..at).map_or(0, |before| before.chars().count()),
        reason,
    })
}

/// Writes a FEN; the en-passant square only where it can be used, so that equal positions have equal texts.
pub fn print(board: &Board, castling: Castling, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let fen = match castling {
        Castling::Standard => board.to_string(),
        // Shredder-FEN.
        Castling::Chess960 => format!("{board:#}"),
    };
    if board.en_passant().is_none() || can_capture_en_passant(board) {
        return f.write_str(&fen);
    }
    let words = fen.split(' ').enumerate().map(|(index, word)| if index == 3 { "-" } else { word });
    f.write_str(&words.collect::<Vec<_>>().join(" "))
}

/// The board seen from White; a move is shown by `*` where it begins and brackets where it ends.
pub fn draw(board: &Board, m: Option<Move>) -> String {
    let mut text = String::new();
    for &rank in Rank::ALL.iter().rev() {
        text += &format!("{} ", rank as usize + 1);
        for file in File::ALL {
            let square = Square::new(file, rank);
            let letter = match (board.piece_on(square), board.color_on(square)) {
                (Some(piece), Some(Color::White)) => char::from(piece).to_ascii_uppercase(),
                (Some(piece), _) => char::from(piece),
                _ => '.',
            };
            let cell = match m {
                Some(m) if m.from == square => format!("*{letter} "),
                Some(m) if m.to == square => format!("[{letter}]"),
                _ => format!(" {letter} "),
            };
            text += &cell;
        }
        text += "\n";
    }
    text + "   a  b  c  d  e  f  g  h\n"
}

fn read(text: &str) -> Result<(Board, Castling), Wrong> {
    let words: Vec<Word> =
        text.split_whitespace().map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word)).collect();
    let [ranks, side, castling, en_passant, counters @ ..] = words.as_slice() else {
        return Err(missing_field(&words));
    };
    let men = Men::read(*ranks)?;
    let side = read_side(*side)?;
    men.check(side)?;
    let mut builder = BoardBuilder::empty();
    builder.board = men.on;
    builder.side_to_move = side;
    let castling = read_castling(*castling, &mut builder)?;
    read_counters(counters, &mut builder)?;
    let square = read_en_passant(*en_passant, side)?;
    let board = builder.build().map_err(|error| (ranks.0, format!("no game leads to this position: {error}")))?;
    // What the rules library refuses, no pawn may capture: it is left out like every square that changes nothing.
    builder.en_passant = square;
    let with_square = square.and_then(|_| builder.build().ok()).filter(can_capture_en_passant);
    Ok((with_square.unwrap_or(board), castling))
}

fn missing_field(words: &[Word]) -> Wrong {
    let end = words.last().map_or(0, |(at, word)| at + word.len());
    let Some(field) = FIELDS.get(words.len()).filter(|_| !words.is_empty()) else {
        return (0, "there is no position; expected a FEN like '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'".to_string());
    };
    (
        end,
        format!("the {field} is missing; expected ranks, side to move, castling rights ('KQkq') and en-passant square"),
    )
}

/// The pieces, and where in the text each is written.
struct Men {
    on: [Option<(Piece, Color)>; Square::NUM],
    at: [usize; Square::NUM],
    begin: usize,
}

impl Men {
    fn read((begin, text): Word) -> Result<Men, Wrong> {
        let mut men = Men { on: [None; Square::NUM], at: [begin; Square::NUM], begin };
        let count = text.split('/').count();
        let mut at = begin;
        for (index, row) in text.split('/').enumerate() {
            men.read_rank(index, at, row)?;
            at += row.len() + 1;
        }
        match count {
            8 => Ok(men),
            _ => Err((begin, format!("there are {count} ranks; expected 8, separated by '/'"))),
        }
    }

    fn read_rank(&mut self, index: usize, begin: usize, row: &str) -> Result<(), Wrong> {
        let mut file = 0;
        for (offset, letter) in row.char_indices() {
            let at = begin + offset;
            if let Some(empty @ 1..=8) = letter.to_digit(10) {
                file += empty as usize;
                continue;
            }
            let Ok(piece) = Piece::try_from(letter.to_ascii_lowercase()) else {
                let expected = "expected a piece (KQRBNP or kqrbnp), a digit from 1 to 8 or '/'";
                return Err((at, format!("'{letter}' cannot stand on a chess board; {expected}")));
            };
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            if let (Some(file), Some(rank)) = (File::try_index(file), 7usize.checked_sub(index).map(Rank::index)) {
                let square = Square::new(file, rank);
                self.on[square as usize] = Some((piece, color));
                self.at[square as usize] = at;
            }
            file += 1;
        }
        match (file, 8usize.checked_sub(index)) {
            (8, _) | (_, None | Some(0)) => Ok(()),
            (_, Some(number)) => Err((begin, format!("rank {number} ('{row}') has {file} squares; expected 8"))),
        }
    }

    fn squares(&self, man: (Piece, Color)) -> BitBoard {
        Square::ALL.into_iter().filter(|&square| self.on[square as usize] == Some(man)).collect()
    }

    /// Whether a game can lead to this position: the simple tests, and everything that move generation relies on.
    fn check(&self, side: Color) -> Result<(), Wrong> {
        for color in Color::ALL {
            self.check_counts(color)?;
        }
        let king = |color| self.squares((Piece::King, color)).next_square().unwrap_or(Square::A1);
        let place = |square: Square| self.at[square as usize];
        let attackers = self.attackers(king(!side), side);
        if let Some(attacker) = attackers.into_iter().next() {
            let reason = match self.on[attacker as usize] {
                Some((Piece::King, _)) => "the kings stand side by side".to_string(),
                _ => format!(
                    "{} is to move, but could take the king on {} from {attacker}; is it {}'s move?",
                    name(side),
                    king(!side),
                    name(!side)
                ),
            };
            return Err((place(king(!side)), reason));
        }
        match self.attackers(king(side), !side).len() {
            0..=2 => Ok(()),
            many => Err((place(king(side)), format!("{many} pieces give check at once; no move can do that"))),
        }
    }

    fn check_counts(&self, color: Color) -> Result<(), Wrong> {
        let of = |piece| self.squares((piece, color));
        let all = Piece::ALL.into_iter().map(|piece| of(piece).len()).sum::<u32>();
        let kings = of(Piece::King);
        let ends = of(Piece::Pawn) & (Rank::First.bitboard() | Rank::Eighth.bitboard());
        let place = |squares: BitBoard| squares.into_iter().map(|square| self.at[square as usize]).max();
        let name = name(color);
        let (at, reason) = match (kings.len(), of(Piece::Pawn).len()) {
            (0, _) => (None, format!("{name} has no king; expected one")),
            (kings_count @ 2.., _) => (place(kings), format!("{name} has {kings_count} kings; expected one")),
            _ if !ends.is_empty() => (place(ends), format!("{name} has a pawn on the first or last rank")),
            (_, pawns @ 9..) => (None, format!("{name} has {pawns} pawns; there are at most 8")),
            _ if all > 16 => (None, format!("{name} has {all} pieces and pawns; there are at most 16")),
            _ => return Ok(()),
        };
        Err((at.unwrap_or(self.begin), reason))
    }

    /// The pieces of one side that attack a square.
    fn attackers(&self, square: Square, by: Color) -> BitBoard {
        let of = |piece| self.squares((piece, by));
        let occupied = Square::ALL.into_iter().filter(|&square| self.on[square as usize].is_some()).collect();
        get_pawn_attacks(square, !by) & of(Piece::Pawn)
            | get_knight_moves(square) & of(Piece::Knight)
            | get_king_moves(square) & of(Piece::King)
            | get_bishop_moves(square, occupied) & (of(Piece::Bishop) | of(Piece::Queen))
            | get_rook_moves(square, occupied) & (of(Piece::Rook) | of(Piece::Queen))
    }
}

fn read_side((at, word): Word) -> Result<Color, Wrong> {
    match word {
        "w" | "W" => Ok(Color::White),
        "b" | "B" => Ok(Color::Black),
        _ => Err((at, format!("'{word}' does not say who moves; expected 'w' or 'b'"))),
    }
}

/// Reads castling rights, and whether they are written as in Chess960.
fn read_castling((begin, word): Word, builder: &mut BoardBuilder) -> Result<Castling, Wrong> {
    let mut castling = Castling::Standard;
    if word == "-" {
        return Ok(castling);
    }
    for (offset, letter) in word.char_indices() {
        let at = begin + offset;
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let rook = castling_rook(letter, color, builder).map_err(|reason| (at, reason))?;
        if !matches!(letter.to_ascii_lowercase(), 'k' | 'q') {
            castling = Castling::Chess960;
        }
        let is_short = king_file(color, builder).is_some_and(|king| rook > king);
        let rights = &mut builder.castle_rights[color as usize];
        let right = if is_short { &mut rights.short } else { &mut rights.long };
        if right.replace(rook).is_some() {
            return Err((at, format!("the castling right '{letter}' stands here twice; leave one out")));
        }
    }
    Ok(castling)
}

/// The file of the king, if it stands on its first rank.
fn king_file(color: Color, builder: &BoardBuilder) -> Option<File> {
    File::ALL.into_iter().find(|&file| stands_at_home(Piece::King, color, file, builder))
}

fn stands_at_home(piece: Piece, color: Color, file: File, builder: &BoardBuilder) -> bool {
    builder.board[Square::new(file, Rank::First.relative_to(color)) as usize] == Some((piece, color))
}

/// The file of the rook that a letter means, or why there is none.
fn castling_rook(letter: char, color: Color, builder: &BoardBuilder) -> Result<File, String> {
    let side = name(color);
    let wrong = |what: String| format!("'{letter}' lets {side} castle, but no {what}; leave the letter out");
    let home = |file| Square::new(file, Rank::First.relative_to(color));
    let king = king_file(color, builder).ok_or_else(|| wrong(format!("king of {side} stands on {}", home(File::E))));
    let mut rooks = File::ALL.into_iter().filter(|&file| stands_at_home(Piece::Rook, color, file, builder));
    match letter.to_ascii_lowercase() {
        'k' => {
            let king = king?;
            let rook = rooks.rfind(|&file| file > king);
            rook.ok_or_else(|| wrong(format!("rook of {side} stands on {}", home(File::H))))
        }
        'q' => {
            let king = king?;
            let rook = rooks.find(|&file| file < king);
            rook.ok_or_else(|| wrong(format!("rook of {side} stands on {}", home(File::A))))
        }
        file @ 'a'..='h' => {
            king?;
            let rook = File::try_from(file).ok().filter(|&file| stands_at_home(Piece::Rook, color, file, builder));
            rook.ok_or_else(|| {
                let square = File::try_from(file).map_or(String::new(), |file| home(file).to_string());
                wrong(format!("rook of {side} stands on {square}"))
            })
        }
        _ => Err(format!(
            "'{letter}' is no castling right; expected letters of 'KQkq', files of rooks as in 'HAha', or '-'"
        )),
    }
}

/// The square, if there is one that fits the side to move.
fn read_en_passant((at, word): Word, side: Color) -> Result<Option<Square>, Wrong> {
    if word == "-" {
        return Ok(None);
    }
    let Ok(square) = word.parse::<Square>() else {
        return Err((at, format!("'{word}' is no en-passant square; expected one like 'e3' or 'e6', or '-'")));
    };
    let rank = Rank::Sixth.relative_to(side);
    if square.rank() != rank {
        let (side, number) = (name(side), rank as usize + 1);
        let reason =
            format!("'{word}' is no en-passant square where {side} is to move; expected rank {number}, or '-'");
        return Err((at, reason));
    }
    Ok(Some(square))
}

fn read_counters(words: &[Word], builder: &mut BoardBuilder) -> Result<(), Wrong> {
    if let Some((at, word)) = words.get(2) {
        return Err((*at, format!("'{word}' is not part of a position; expected nothing behind the move number")));
    }
    let number = |index: usize, default: u16, name: &str| match words.get(index) {
        None | Some((_, "-")) => Ok(default),
        Some((_, word)) if word.bytes().all(|byte| byte.is_ascii_digit()) => Ok(word.parse().unwrap_or(u16::MAX)),
        Some((at, word)) => Err((*at, format!("'{word}' is no {name}; expected a number, like {default}"))),
    };
    builder.halfmove_clock = number(0, 0, "half-move clock")?.min(100) as u8;
    builder.fullmove_number = number(1, 1, "move number")?.max(1);
    Ok(())
}

fn name(color: Color) -> &'static str {
    if color == Color::White { "White" } else { "Black" }
}
