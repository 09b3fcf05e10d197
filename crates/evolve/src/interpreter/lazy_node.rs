//! A node of the search: a board, the move that led to it, and what is proved about it.
//!
//! The board is made when it is first used; only then does it count as a node. Whether a move checks or captures is
//! determined without making it.

use std::cell::{Cell, OnceCell};

use cozy_chess::{BitBoard, Board, Color, Move, Piece, PieceMoves, Square};

use super::node_counter::NodeCounter;
use crate::knowledge::{self, BoardView, Checks};

/// A node whose board is made on first use.
pub struct LazyNode<'a> {
    before: Option<&'a LazyNode<'a>>,
    /// The move that leads here; meaningless at the root.
    pub last: Move,
    board: OnceCell<Board>,
    checks: OnceCell<Checks>,
    /// The side that should mate.
    pub player: Color,
    /// Whether the player is to move.
    pub is_players_turn: bool,
    /// The number of moves that the player may still make.
    pub left: u8,
    /// Plies from the root.
    pub ply: u16,
    /// Whether the opponent passed to come here; the last move is meaningless then.
    is_after_pass: bool,
    /// Whether mates are not recorded and the number of moves is not limited, as in the paper.
    is_free: bool,
    proved: Cell<u8>,
    /// Whether it is known that no move mates immediately.
    no_mate_in_one: Cell<bool>,
}

/// No mate is proved.
const OPEN: u8 = u8::MAX;
/// In place of a move where there is none.
const NO_MOVE: Move = Move { from: Square::A1, to: Square::A1, promotion: None };

impl<'a> LazyNode<'a> {
    /// The root node, with the player to move.
    pub fn root(board: &Board, left: u8) -> LazyNode<'static> {
        LazyNode {
            before: None,
            last: NO_MOVE,
            board: OnceCell::from(board.clone()),
            checks: OnceCell::new(),
            player: board.side_to_move(),
            is_players_turn: true,
            left,
            ply: 0,
            is_after_pass: false,
            is_free: false,
            proved: Cell::new(OPEN),
            no_mate_in_one: Cell::new(false),
        }
    }

    /// The root node of a search without limit of moves and without proofs, as in the paper.
    pub fn free_root(board: &Board) -> LazyNode<'static> {
        LazyNode { is_free: true, ..LazyNode::root(board, u8::MAX) }
    }

    /// The node after the opponent passes; `None` in check, and on the player's turn.
    pub fn after_pass(&'a self, counter: &NodeCounter<'_>) -> Option<LazyNode<'a>> {
        if self.is_players_turn {
            return None;
        }
        let board = self.board(counter).null_move()?;
        if counter.is_stopped() {
            return None;
        }
        counter.count();
        Some(LazyNode { board: OnceCell::from(board), is_after_pass: true, ..self.after(NO_MOVE) })
    }

    /// The node after this move.
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
            is_after_pass: false,
            is_free: self.is_free,
            proved: Cell::new(OPEN),
            no_mate_in_one: Cell::new(false),
        }
    }

    /// The board; making it counts as a node.
    #[inline]
    pub fn board(&self, counter: &NodeCounter<'_>) -> &Board {
        self.board.get_or_init(|| {
            counter.count();
            // Only the root has no predecessor, and its board exists from the start.
            let mut board = self.before.map_or_else(Board::default, |before| before.board(counter).clone());
            board.play_unchecked(self.last);
            board
        })
    }

    /// The board from the player's point of view.
    pub fn view(&self, counter: &NodeCounter<'_>) -> BoardView<'_> {
        BoardView { board: self.board(counter), player: self.player }
    }

    /// The board before the last move; `None` at the root.
    pub fn view_before(&self, counter: &NodeCounter<'_>) -> Option<BoardView<'_>> {
        self.before.map(|before| before.view(counter))
    }

    /// The hash key of the board.
    pub fn key(&self, counter: &NodeCounter<'_>) -> u64 {
        self.board(counter).hash()
    }

    /// The hash key of the previous board, and the move that leads here.
    pub fn way_here(&self, counter: &NodeCounter<'_>) -> Option<(u64, Move)> {
        self.before.map(|before| (before.key(counter), self.last))
    }

    /// Whether the opponent is in check. Does not make the board if the last move decides it.
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

    /// The squares from which this piece of the player, who is to move, gives check; `None` if each move must be
    /// tested.
    pub fn check_squares(&self, list: &PieceMoves, counter: &NodeCounter<'_>) -> Option<BitBoard> {
        self.checks.get_or_init(|| self.view(counter).checks()).squares(list)
    }

    /// Whether the last move was a capture. Does not make the board.
    pub fn is_capture(&self, counter: &NodeCounter<'_>) -> bool {
        !self.is_after_pass && self.before.is_some_and(|before| knowledge::is_capture(before.board(counter), self.last))
    }

    /// How many of the player's moves from the root to here gave no check. Does not make the board.
    pub fn quiet_moves(&self, counter: &NodeCounter<'_>) -> u8 {
        let Some(before) = self.before else { return 0 };
        let is_quiet = !self.is_players_turn && !self.is_check(counter);
        before.quiet_moves(counter).saturating_add(u8::from(is_quiet))
    }

    /// The board before the player's last move, which led here, from his point of view; `None` on his own turn.
    pub fn view_of_last_move(&self, counter: &NodeCounter<'_>) -> Option<BoardView<'_>> {
        if self.is_players_turn { None } else { self.view_before(counter) }
    }

    /// The player's pieces that give check and did not move last; empty after castling.
    pub fn discovered_checkers(&self, counter: &NodeCounter<'_>) -> BitBoard {
        let checkers = self.view(counter).checkers();
        let moved = match self.before.map(|before| before.board(counter)) {
            Some(board) if board.colors(board.side_to_move()).has(self.last.to) => board.pieces(Piece::Rook) | checkers,
            _ => self.last.to.bitboard(),
        };
        checkers & !moved
    }

    /// The number of moves within which the player is proved to mate.
    pub fn proved(&self) -> Option<u8> {
        Some(self.proved.get()).filter(|&moves| moves != OPEN)
    }

    /// Whether the player is proved to mate within the moves left.
    pub fn is_won(&self) -> bool {
        self.proved.get() <= self.left && self.proved.get() != OPEN
    }

    /// Records that no move of the player, who is to move, mates.
    pub fn note_no_mate_in_one(&self) {
        self.no_mate_in_one.set(true);
    }

    /// Whether it is proved that the player, who is to move, cannot mate within the moves left.
    pub fn is_lost(&self) -> bool {
        self.left == 1 && self.no_mate_in_one.get()
    }

    /// Records that the player mates within `moves` of his moves. Returns whether that improves on the known bound.
    pub fn prove(&self, moves: u8) -> bool {
        let is_better = moves < self.proved.get() && !self.is_free;
        if is_better {
            self.proved.set(moves);
        }
        is_better
    }
}
