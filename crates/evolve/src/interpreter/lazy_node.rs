//! A place in a hunt: a board, how it was reached, and what is proved of it.
//!
//! The board is made when something first looks at it; only then is it reached, and counts. Some questions about a move
//! (does it check, does it capture) are answered without making it.

use std::cell::{Cell, OnceCell};

use cozy_chess::{BitBoard, Board, Color, Move, Piece, PieceMoves, Square};

use super::node_counter::NodeCounter;
use crate::knowledge::{self, BoardView, Checks};

/// A board on the way.
pub struct LazyNode<'a> {
    before: Option<&'a LazyNode<'a>>,
    /// The move that leads here; of no meaning at the root.
    pub last: Move,
    board: OnceCell<Board>,
    checks: OnceCell<Checks>,
    /// Who should mate.
    pub player: Color,
    /// Whether he is to move.
    pub is_players_turn: bool,
    /// How many moves he may still make.
    pub left: u8,
    /// Plies from the root.
    pub ply: u16,
    proved: Cell<u8>,
    /// Whether it is known that no move mates at once.
    no_mate_in_one: Cell<bool>,
}

/// Not proved to be a mate.
const OPEN: u8 = u8::MAX;
impl<'a> LazyNode<'a> {
    /// The root, the player to move.
    pub fn root(board: &Board, left: u8) -> LazyNode<'static> {
        let none = Move { from: Square::A1, to: Square::A1, promotion: None };
        LazyNode {
            before: None,
            last: none,
            board: OnceCell::from(board.clone()),
            checks: OnceCell::new(),
            player: board.side_to_move(),
            is_players_turn: true,
            left,
            ply: 0,
            proved: Cell::new(OPEN),
            no_mate_in_one: Cell::new(false),
        }
    }

    /// After this move.
    pub fn after(&'a self, m: Move) -> LazyNode<'a> {
        LazyNode {
            before: Some(self),
            last: m,
            board: OnceCell::new(),
            checks: OnceCell::new(),
            player: self.player,
            is_players_turn: !self.is_players_turn,
            left: if self.is_players_turn { self.left.saturating_sub(1) } else { self.left },
            ply: self.ply.saturating_add(1),
            proved: Cell::new(OPEN),
            no_mate_in_one: Cell::new(false),
        }
    }

    /// The board; it is reached if it was not before.
    #[inline]
    pub fn board(&self, counter: &NodeCounter<'_>) -> &Board {
        self.board.get_or_init(|| {
            counter.count();
            // Only the root has nothing before it, and its board is there from the beginning.
            let mut board = self.before.map_or_else(Board::default, |before| before.board(counter).clone());
            board.play_unchecked(self.last);
            board
        })
    }

    /// The board as the player sees it.
    pub fn view(&self, counter: &NodeCounter<'_>) -> BoardView<'_> {
        BoardView { board: self.board(counter), player: self.player }
    }

    /// The board before the last move, if there is one and it was the player's or the opponent's.
    pub fn view_before(&self, counter: &NodeCounter<'_>) -> Option<BoardView<'_>> {
        self.before.map(|before| before.view(counter))
    }

    /// A key of the board.
    pub fn key(&self, counter: &NodeCounter<'_>) -> u64 {
        self.board(counter).hash()
    }

    /// A key of the board before, and the move that leads here.
    pub fn way_here(&self, counter: &NodeCounter<'_>) -> Option<(u64, Move)> {
        self.before.map(|before| (before.key(counter), self.last))
    }

    /// Whether the opponent is in check, without reaching the board if the last move tells.
    pub fn is_check(&self, counter: &NodeCounter<'_>) -> bool {
        match (self.board.get(), self.before) {
            _ if self.is_players_turn => false,
            (None, Some(before)) => before.gives_check(self.last, counter),
            _ => !self.board(counter).checkers().is_empty(),
        }
    }

    /// Whether a move of the player, who is to move here, gives check.
    pub fn gives_check(&self, m: Move, counter: &NodeCounter<'_>) -> bool {
        let view = self.view(counter);
        view.gives_check_by(m, self.checks.get_or_init(|| view.checks()))
    }

    /// The squares from which this piece of the player, who is to move, checks; none if its moves must be asked one by one.
    pub fn check_squares(&self, list: &PieceMoves, counter: &NodeCounter<'_>) -> Option<BitBoard> {
        self.checks.get_or_init(|| self.view(counter).checks()).squares(list)
    }

    /// Whether the last move was a capture, without reaching the board.
    pub fn is_capture(&self, counter: &NodeCounter<'_>) -> bool {
        self.before.is_some_and(|before| knowledge::is_capture(before.board(counter), self.last))
    }

    /// The player's pieces that give check and did not move last; where he castled, that is nobody.
    pub fn discovered_checkers(&self, counter: &NodeCounter<'_>) -> BitBoard {
        let checkers = self.view(counter).checkers();
        let moved = match self.before.map(|before| before.board(counter)) {
            Some(board) if board.colors(board.side_to_move()).has(self.last.to) => board.pieces(Piece::Rook) | checkers,
            _ => self.last.to.bitboard(),
        };
        checkers & !moved
    }

    /// Within how many of his moves the player is known to mate.
    pub fn proved(&self) -> Option<u8> {
        Some(self.proved.get()).filter(|&moves| moves != OPEN)
    }

    /// Whether he is known to mate in time.
    pub fn is_won(&self) -> bool {
        self.proved.get() <= self.left && self.proved.get() != OPEN
    }

    /// No move of the player, who is to move, mates.
    pub fn note_no_mate_in_one(&self) {
        self.no_mate_in_one.set(true);
    }

    /// Whether the player, who is to move, is known not to mate in time.
    pub fn is_lost(&self) -> bool {
        self.left == 1 && self.no_mate_in_one.get()
    }

    /// The player mates within so many of his moves. Says whether that is better than what was known.
    pub fn prove(&self, moves: u8) -> bool {
        let is_better = moves < self.proved.get();
        if is_better {
            self.proved.set(moves);
        }
        is_better
    }
}
