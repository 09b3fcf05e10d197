//! A place in a hunt: a board, how it was reached, and what is proved of it.
//!
//! The board is made when something first looks at it; only then is it reached, and counts. Some questions about a move
//! (does it check, does it capture) are answered without making it.

use std::cell::{Cell, OnceCell};

use cozy_chess::{BitBoard, Board, Color, Move, Piece, PieceMoves, Square};

use crate::knowledge::{self, Checks, View};

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

/// How many boards were reached, and how many may be.
pub struct Meter<'a> {
    nodes: Cell<u64>,
    budget: u64,
    is_stopped: Cell<bool>,
    interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// Not proved to be a mate.
const OPEN: u8 = u8::MAX;
/// How many boards may pass between two looks at the interrupt.
const STRETCH: u64 = 1 << 12;

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
    pub fn board(&self, meter: &Meter<'_>) -> &Board {
        self.board.get_or_init(|| {
            meter.count();
            // Only the root has nothing before it, and its board is there from the beginning.
            let mut board = self.before.map_or_else(Board::default, |before| before.board(meter).clone());
            board.play_unchecked(self.last);
            board
        })
    }

    /// The board as the player sees it.
    pub fn view(&self, meter: &Meter<'_>) -> View<'_> {
        View { board: self.board(meter), player: self.player }
    }

    /// The board before the last move, if there is one and it was the player's or the opponent's.
    pub fn view_before(&self, meter: &Meter<'_>) -> Option<View<'_>> {
        self.before.map(|before| before.view(meter))
    }

    /// A key of the board.
    pub fn key(&self, meter: &Meter<'_>) -> u64 {
        self.board(meter).hash()
    }

    /// A key of the board before, and the move that leads here.
    pub fn way_here(&self, meter: &Meter<'_>) -> Option<(u64, Move)> {
        self.before.map(|before| (before.key(meter), self.last))
    }

    /// Whether the opponent is in check, without reaching the board if the last move tells.
    pub fn is_check(&self, meter: &Meter<'_>) -> bool {
        match (self.board.get(), self.before) {
            _ if self.is_players_turn => false,
            (None, Some(before)) => before.gives_check(self.last, meter),
            _ => !self.board(meter).checkers().is_empty(),
        }
    }

    /// Whether a move of the player, who is to move here, gives check.
    pub fn gives_check(&self, m: Move, meter: &Meter<'_>) -> bool {
        let view = self.view(meter);
        view.gives_check_by(m, self.checks.get_or_init(|| view.checks()))
    }

    /// The squares from which this piece of the player, who is to move, checks; none if its moves must be asked one by one.
    pub fn check_squares(&self, list: &PieceMoves, meter: &Meter<'_>) -> Option<BitBoard> {
        self.checks.get_or_init(|| self.view(meter).checks()).squares(list)
    }

    /// Whether the last move was a capture, without reaching the board.
    pub fn is_capture(&self, meter: &Meter<'_>) -> bool {
        self.before.is_some_and(|before| knowledge::is_capture(before.board(meter), self.last))
    }

    /// The player's pieces that give check and did not move last; where he castled, that is nobody.
    pub fn discovered_checkers(&self, meter: &Meter<'_>) -> BitBoard {
        let checkers = self.view(meter).checkers();
        let moved = match self.before.map(|before| before.board(meter)) {
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

impl<'a> Meter<'a> {
    /// So many boards may be reached, as long as nobody interrupts.
    pub fn new(budget: u64, interrupt: &'a (dyn Fn() -> bool + Sync)) -> Meter<'a> {
        Meter { nodes: Cell::new(0), budget, is_stopped: Cell::new(budget == 0), interrupt }
    }

    /// Boards reached.
    pub fn nodes(&self) -> u64 {
        self.nodes.get()
    }

    /// Whether no more may be reached.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.get()
    }

    /// Ends it.
    pub fn stop(&self) {
        self.is_stopped.set(true);
    }

    /// A board was reached.
    #[inline]
    pub fn count(&self) {
        let nodes = self.nodes.get() + 1;
        self.nodes.set(nodes);
        if nodes >= self.budget || nodes.is_multiple_of(STRETCH) && (self.interrupt)() {
            self.is_stopped.set(true);
        }
    }
}
