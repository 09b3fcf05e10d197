//! Tic-tac-toe, written as a first game would be: rules, two features and the ready-made [`CodeSet`]. It passes
//! the same checklist as the games of the table, so the set is right wherever the rules are.

use std::fmt;

use plysmith_core::conform::conform;
use plysmith_core::feature::{Atom, AtomFacts, Scheme, Vocabulary};
use plysmith_core::game::{Game, Move, MoveList, PositionError};
use plysmith_core::grid::Grid;
use plysmith_core::move_set::{CodeSet, words_for};
use plysmith_core::outcome::Outcome;
use plysmith_core::patterns::Patterns;
use plysmith_core::score::Score;
use plysmith_core::search::{Limit, Root, Task, Workspace, search};
use plysmith_core::settings::{Heuristic, Presets, Switches, Tunables};
use plysmith_core::weights::{LoadedWeights, Tables};

/// The marks of the side to move and of its opponent, one bit for each square.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Board {
    us: u16,
    them: u16,
    white_to_move: bool,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Square(u8);

impl Move for Square {
    const CODES: usize = 9;

    fn code(self) -> u16 {
        u16::from(self.0)
    }
}

const LINES: [u16; 8] = [0o700, 0o070, 0o007, 0o111, 0o222, 0o444, 0o421, 0o124];
const CORNERS: u16 = 0o505;

const fn facts(name: &'static str, meaning: &'static str, example: (&'static str, &'static str)) -> AtomFacts {
    AtomFacts { name, group: name, parent: None, threshold_safe: true, meaning, example }
}

impl Game for Board {
    type Move = Square;
    type Set = CodeSet<{ words_for(Square::CODES) }>;

    const VOCABULARY: Vocabulary = Vocabulary::of_game(&[
        facts("Corner", "takes a corner", ("......... x", "a1")),
        facts("Block", "takes the last free square of a line of the opponent", ("oo...x... x", "c1")),
    ]);
    const PRESETS: Presets = Presets {
        classic: Switches::NONE,
        modern: Switches { null_window: true, table_mib: 1, killers: true, history: true, ..Switches::NONE },
        modern_tunables: Tunables::DEFAULT,
        heuristics: &["even"],
        classic_heuristic: Heuristic::BuiltIn(0),
        modern_heuristic: Heuristic::BuiltIn(0),
        handcrafted_heuristic: Heuristic::BuiltIn(0),
    };

    fn parse(text: &str) -> Result<Board, PositionError> {
        let error = |reason: &str| PositionError { offset: 0, reason: reason.to_string() };
        let (squares, side) = text.split_once(' ').ok_or_else(|| error("expected nine squares and a side"))?;
        let marks = |mark: char| (0..).zip(squares.chars()).fold(0, |bits, (i, c)| bits | u16::from(c == mark) << i);
        if squares.chars().count() != 9 {
            return Err(error("expected nine squares"));
        }
        let (crosses, noughts) = (marks('x'), marks('o'));
        let (us, them) = if side == "x" { (crosses, noughts) } else { (noughts, crosses) };
        Ok(Board { us, them, white_to_move: side == "x" })
    }

    fn moves(&self, list: &mut MoveList<Square>) {
        list.extend((0..9).filter(|&i| (self.us | self.them) >> i & 1 == 0).map(Square));
    }

    fn play(&self, m: Square) -> Board {
        Board { us: self.them, them: self.us | 1 << m.0, white_to_move: !self.white_to_move }
    }

    fn white_to_move(&self) -> bool {
        self.white_to_move
    }

    fn terminal_result(&self) -> Option<Outcome> {
        LINES.iter().any(|line| line & self.them == *line).then_some(Outcome::Loss)
    }

    fn no_moves_result(&self) -> Outcome {
        Outcome::Draw
    }

    fn evaluate(&self, _heuristic: Heuristic) -> Score {
        Score::EVEN
    }

    /// All that learned weights need.
    fn grid(&self) -> Option<Grid> {
        let squares = |marks: u16| (0..3).fold(0, |bits, row| bits | u64::from(marks >> (3 * row) & 7) << (8 * row));
        Some(Grid { columns: 3, rows: 3, own: squares(self.us), enemy: squares(self.them) })
    }

    fn has(&self, m: Square, atom: Atom) -> bool {
        match atom {
            Atom(0) => CORNERS >> m.0 & 1 == 1,
            _ => LINES.iter().any(|line| line >> m.0 & 1 == 1 && (self.them | 1 << m.0) & line == *line),
        }
    }

    fn all_moves(&self) -> Self::Set {
        CodeSet::all_moves(self)
    }

    fn select(&self, atom: Atom) -> Self::Set {
        CodeSet::select(self, atom)
    }

    fn key(&self) -> u64 {
        (u64::from(self.us) | u64::from(self.them) << 9).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn print_move(&self, m: Square) -> String {
        format!("{}{}", char::from(b'a' + m.0 % 3), m.0 / 3 + 1)
    }

    fn draw(&self, m: Option<Square>) -> String {
        let mut squares: Vec<char> = self.to_string().chars().take(9).collect();
        if let Some(m) = m {
            squares[usize::from(m.0)] = '*';
        }
        squares.rchunks(3).map(|row| row.iter().chain(&['\n']).collect::<String>()).collect()
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (crosses, noughts) = if self.white_to_move { (self.us, self.them) } else { (self.them, self.us) };
        for i in 0..9 {
            let mark = match (crosses >> i & 1, noughts >> i & 1) {
                (1, _) => 'x',
                (_, 1) => 'o',
                _ => '.',
            };
            write!(f, "{mark}")?;
        }
        write!(f, " {}", if self.white_to_move { 'x' } else { 'o' })
    }
}

#[test]
fn tic_tac_toe_conforms() {
    conform::<Board>(&[("......... x", &[9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872])]);
}

/// The first move of a search of one ply.
fn best_move(heuristic: Heuristic) -> String {
    let position = Board::parse("......... x").unwrap();
    let task = Task {
        settings: Board::PRESETS.classic().with_heuristic(heuristic),
        scheme: &Scheme::neutral(),
        limit: Limit::depth(1),
        seed: 1,
        interrupt: &|| false,
        root: Root::default(),
    };
    position.print_move(search(&position, &task, &mut Workspace::default()).line[0])
}

/// A game that says what is on its squares can be searched with weights that were learned for it.
#[test]
fn loaded_weights_are_used() {
    for square in 0..9 {
        // Fifty units for a mark on this square, which is the digit of its number in a pattern.
        let worth = |pattern: usize| [0, 50, -50][pattern / 3_usize.pow(square) % 3];
        let numbers: Vec<i16> = (0..Patterns::count(3, 3)).map(worth).collect();
        let tables = || Tables::new(Patterns::from_numbers(3, 3, &numbers).unwrap());
        let loaded = Heuristic::Loaded(LoadedWeights::intern("tic-tac-toe", "test", square.into(), tables));
        let name = Board::parse("......... x").unwrap().print_move(Square(square as u8));
        assert_eq!(best_move(loaded), name);
    }
    let other_board = || Tables::new(Patterns::from_numbers(2, 2, &[50; 81]).unwrap());
    let other_board = Heuristic::Loaded(LoadedWeights::intern("tic-tac-toe", "other", 0, other_board));
    assert_eq!(best_move(other_board), best_move(Heuristic::BuiltIn(0)), "as the hand-crafted evaluation");
    assert_eq!(Board::parse("......... x").unwrap().heuristic_used(other_board), Heuristic::BuiltIn(0));
}
