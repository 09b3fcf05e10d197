//! Boards as SVG, with pieces of our own.
//!
//! Every game's positions begin like a FEN: rows of letters and numbers of empty squares, from the top down, with slashes
//! between them. Capital letters are White's. A letter without a picture is drawn as itself.

use std::fmt::Write;

use maud::{Markup, PreEscaped};
use plysmith_core::printable::printable;

/// How a board is drawn.
#[derive(Copy, Clone, Default, Debug)]
pub struct Board<'a> {
    /// The position as text.
    pub position: &'a str,
    /// The last move, whose squares are marked.
    pub last_move: Option<&'a str>,
    /// Whether Black is at the bottom.
    pub is_flipped: bool,
}

/// The side of a square.
const SIDE: usize = 45;
/// The room for the names of rows and columns.
const MARGIN: usize = 18;
/// No board has more rows or columns.
const MOST: usize = 26;

impl Board<'_> {
    /// The board; none if the text is not that of a board.
    pub fn markup(&self) -> Option<Markup> {
        let rows = rows(self.position)?;
        let (height, width) = (rows.len(), rows.first()?.len());
        let marked = squares_of(self.last_move.unwrap_or_default());
        let (right, bottom) = (MARGIN + SIDE * width, SIDE * height);
        let label = printable(self.position).replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{label}\">",
            right + 2,
            bottom + MARGIN
        );
        for (row, letters) in rows.iter().enumerate() {
            for (column, letter) in letters.iter().enumerate() {
                let (x, y) = self.place(row, column, height, width);
                let is_light = (height - 1 - row + column) % 2 == 1;
                let class = if is_light { "light" } else { "dark" };
                let place = format!("x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\"");
                let _ = write!(svg, "<rect class=\"{class}\" {place}/>");
                if marked.contains(&(column, height - 1 - row)) {
                    let _ = write!(svg, "<rect class=\"last\" {place}/>");
                }
                if let Some(letter) = letter {
                    piece(&mut svg, *letter, x, y);
                }
            }
        }
        self.names(&mut svg, height, width);
        svg += "</svg>";
        Some(PreEscaped(svg))
    }

    fn place(&self, row: usize, column: usize, height: usize, width: usize) -> (usize, usize) {
        let (row, column) = if self.is_flipped { (height - 1 - row, width - 1 - column) } else { (row, column) };
        (MARGIN + SIDE * column, SIDE * row)
    }

    /// The letters of the columns and the numbers of the rows.
    fn names(&self, svg: &mut String, height: usize, width: usize) {
        for row in 0..height {
            let (_, y) = self.place(row, 0, height, width);
            let (y, name) = (y + SIDE / 2 + 4, height - row);
            let _ = write!(svg, "<text x=\"{}\" y=\"{y}\" text-anchor=\"middle\">{name}</text>", MARGIN / 2);
        }
        for column in 0..width {
            let (x, _) = self.place(0, column, height, width);
            let (x, y, name) = (x + SIDE / 2, SIDE * height + 14, char::from(b'a' + column as u8));
            let _ = write!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{name}</text>");
        }
    }
}

/// The squares of a position, from the top down; none if its rows are not of one length.
fn rows(position: &str) -> Option<Vec<Vec<Option<char>>>> {
    let board = position.split_whitespace().next()?;
    let mut rows: Vec<Vec<Option<char>>> = Vec::new();
    for text in board.split('/') {
        let (mut row, mut empty) = (Vec::new(), 0_usize);
        for letter in text.chars().chain([' ']) {
            match letter.to_digit(10) {
                Some(digit) => empty = (10 * empty + digit as usize).min(MOST + 1),
                None => {
                    row.extend(std::iter::repeat_n(None, std::mem::take(&mut empty)));
                    row.extend((letter != ' ').then_some(Some(letter)));
                }
            }
        }
        rows.push(row);
    }
    let width = rows.first()?.len();
    let is_board = (1..=MOST).contains(&width) && rows.len() <= MOST && rows.iter().all(|row| row.len() == width);
    is_board.then_some(rows)
}

/// The squares that a move names, as columns and rows from the bottom: `e2e4` is (4, 1) and (4, 3).
fn squares_of(text: &str) -> Vec<(usize, usize)> {
    let (mut squares, mut column, mut number) = (Vec::new(), None, 0_usize);
    for letter in text.chars().chain(['a']) {
        match (letter, letter.to_digit(10)) {
            (_, Some(digit)) if column.is_some() => number = (10 * number + digit as usize).min(1_000),
            ('a'..='z', _) => {
                squares.extend(column.filter(|_| number > 0).map(|column| (column, number - 1)));
                (column, number) = (Some(letter as usize - 'a' as usize), 0);
            }
            _ => {}
        }
    }
    squares
}

/// A piece in its square.
fn piece(svg: &mut String, letter: char, x: usize, y: usize) {
    let class = if letter.is_uppercase() { "white" } else { "black" };
    let _ = write!(svg, "<g class=\"piece {class}\" transform=\"translate({x} {y})\">");
    match shape(letter.to_ascii_lowercase()) {
        Some(shape) => svg.push_str(shape),
        None => {
            let letter = printable(&letter.to_string()).replace('&', "&amp;").replace('<', "&lt;");
            let _ = write!(
                svg,
                "<circle cx=\"22.5\" cy=\"22.5\" r=\"16\"/><text x=\"22.5\" y=\"28\" text-anchor=\"middle\">{letter}</text>"
            );
        }
    }
    svg.push_str("</g>");
}

/// The pictures of chess pieces; pawns are those of other games too.
fn shape(letter: char) -> Option<&'static str> {
    Some(match letter {
        'p' => {
            "<path d=\"M13 38.5h19v-4.5h-2.5l-3.6-12.6h-6.8L15.5 34H13z\"/><circle cx=\"22.5\" cy=\"15.5\" r=\"6.5\"/>"
        }
        'r' => {
            "<path d=\"M11.5 38.5h22v-5h-2.8l-1.2-14h2.5V9h-4.8v3.5h-2.9V9h-3.6v3.5h-2.9V9H13v10.5h2.5l-1.2 14h-2.8z\"/>"
        }
        'n' => {
            "<path d=\"M12.5 38.5h21c1-13.5-1.6-22.5-9.5-26.5l-1.6-4.5-3.2 4.2c-4 2.2-7 6.6-9.2 13.3l3.6 3.5 3.6-2.8 4.6-.7c-.2 5-7.3 6.5-9.3 13.5z\"/><circle class=\"eye\" cx=\"20\" cy=\"17.5\" r=\"1.4\"/>"
        }
        'b' => {
            "<path d=\"M12.5 38.5h20v-4.5H27l-1.2-4.6c4.4-3.2 5.2-8 3-12-1.5-2.8-3.8-5-6.3-7.6-2.5 2.6-4.8 4.8-6.3 7.6-2.2 4-1.4 8.8 3 12L18 34h-5.5z\"/><circle cx=\"22.5\" cy=\"7.6\" r=\"2.4\"/>"
        }
        'q' => {
            "<path d=\"M12 38.5h21v-4.3l-2-3.2 4-15.5-6.6 7.3-1.5-11-4.4 9.7-4.4-9.7-1.5 11L10 15.5 14 31l-2 3.2z\"/><circle cx=\"9.4\" cy=\"13.2\" r=\"2.3\"/><circle cx=\"18.1\" cy=\"9.2\" r=\"2.3\"/><circle cx=\"26.9\" cy=\"9.2\" r=\"2.3\"/><circle cx=\"35.6\" cy=\"13.2\" r=\"2.3\"/>"
        }
        'k' => {
            "<path d=\"M12 38.5h21v-4.3l-.8-4.4c4.4-2.8 4.6-9.6-.6-11.2-3.6-1.1-7.2 1-9.1 4.3-1.9-3.3-5.5-5.4-9.1-4.3-5.2 1.6-5 8.4-.6 11.2l-.8 4.4z\"/><path d=\"M20.9 6.5h3.2v3h3v3.2h-3v5h-3.2v-5h-3V9.5h3z\"/>"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use plysmith_core::games::GAMES;

    use super::{Board, rows, squares_of};

    #[test]
    fn every_game_has_a_board_with_all_its_pieces() {
        for game in GAMES {
            for position in game.bench {
                let opened = (game.open)(position).unwrap();
                let last = opened.moves().into_iter().next();
                let board = Board { position, last_move: last.as_deref(), is_flipped: false };
                let svg = board.markup().unwrap().into_string();
                let pieces =
                    position.split_whitespace().next().unwrap().chars().filter(char::is_ascii_alphabetic).count();
                assert_eq!(svg.matches("class=\"piece").count(), pieces, "{position}");
                assert_eq!(
                    svg.matches("class=\"last\"").count(),
                    2 * usize::from(last.is_some()),
                    "{position} {last:?}"
                );
            }
        }
    }

    #[test]
    fn squares_are_where_players_look_for_them() {
        let svg = |is_flipped| {
            let board = Board { position: "p2/3/2P w", last_move: Some("c1c2"), is_flipped };
            board.markup().unwrap().into_string()
        };
        assert!(svg(false).contains("piece black\" transform=\"translate(18 0)"), "{}", svg(false));
        assert!(svg(true).contains("piece black\" transform=\"translate(108 90)"), "{}", svg(true));
        // c1 is dark on this board of three columns, as a1 is.
        assert!(
            svg(false)
                .contains("<rect class=\"dark\" x=\"108\" y=\"90\" width=\"45\" height=\"45\"/><rect class=\"last\""),
            "{}",
            svg(false)
        );
        assert_eq!(squares_of("e2e4"), [(4, 1), (4, 3)]);
        assert_eq!(squares_of("a7a8q"), [(0, 6), (0, 7)]);
        assert_eq!(squares_of("j10k12"), [(9, 9), (10, 11)]);
        assert_eq!((squares_of(""), squares_of("0000")), (vec![], vec![]));
    }

    #[test]
    fn what_is_no_board_is_not_drawn() {
        for text in ["", "hello world", "ppp/4", "99999999999", "p/p/p<script>"] {
            assert_eq!(
                Board { position: text, ..Board::default() }.markup().is_some(),
                text == "hello world",
                "{text}"
            );
        }
        assert_eq!(rows("p12p/14").unwrap()[0].len(), 14);
        let svg = Board { position: "<&/PP w \"", ..Board::default() }.markup().unwrap().into_string();
        assert!(svg.contains("&lt;") && !svg.contains("<&"), "{svg}");
    }
}
