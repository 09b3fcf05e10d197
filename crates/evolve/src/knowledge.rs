//! Chess knowledge behind the terminals of the mate paper's Tables 3 and 6. It is pure geometry: no move is made here.

use cozy_chess::{
    BitBoard, Board, Color, File, Move, Piece, PieceMoves, Rank, Square, get_between_rays, get_bishop_moves,
    get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves,
};

/// A board from the point of view of the player who should mate.
#[derive(Copy, Clone)]
pub struct BoardView<'a> {
    /// The board.
    pub board: &'a Board,
    /// The side that should mate.
    pub player: Color,
}

/// The squares from which the player's pieces would give check, computed once per board.
#[derive(Copy, Clone, Debug)]
pub struct Checks {
    /// Squares seen from the opponent's king along ranks and files, and along diagonals.
    straight: BitBoard,
    diagonal: BitBoard,
    knights: BitBoard,
    pawns: BitBoard,
    /// The player's pieces that block one of his sliders from the king: their moves may discover a check.
    screens: BitBoard,
    kings: BitBoard,
}

/// Occupied squares and sliders of the player after a move.
struct After {
    occupied: BitBoard,
    /// The player's sliders along ranks and files, and along diagonals.
    straight: BitBoard,
    diagonal: BitBoard,
}

impl Checks {
    /// The squares from which this piece gives check; `None` if it may also discover a check, promote, castle or
    /// capture en passant.
    pub fn squares(&self, list: &PieceMoves) -> Option<BitBoard> {
        let is_plain = !matches!(list.piece, Piece::King | Piece::Pawn) && !self.screens.has(list.from);
        is_plain.then(|| self.of(list.piece))
    }

    fn of(&self, piece: Piece) -> BitBoard {
        match piece {
            Piece::Pawn => self.pawns,
            Piece::Knight => self.knights,
            Piece::Bishop => self.diagonal,
            Piece::Rook => self.straight,
            Piece::Queen => self.diagonal | self.straight,
            Piece::King => BitBoard::EMPTY,
        }
    }
}

impl BoardView<'_> {
    fn king(self) -> Square {
        self.board.king(!self.player)
    }

    fn own(self) -> BitBoard {
        self.board.colors(self.player)
    }

    fn others(self) -> BitBoard {
        self.board.colors(!self.player)
    }

    /// The opponent's king and the squares beside it.
    fn zone(self) -> BitBoard {
        get_king_moves(self.king()) | self.king().bitboard()
    }

    /// Squares that are at most two steps from the opponent's king.
    pub fn close_to_king(self) -> BitBoard {
        let ring = self.zone();
        ring.into_iter().fold(ring, |squares, square| squares | get_king_moves(square))
    }

    /// The opponent's pieces that are pinned to his king.
    pub fn pinned(self) -> BitBoard {
        let (board, king) = (self.board, self.king());
        let queens = board.pieces(Piece::Queen);
        let straight = get_rook_moves(king, BitBoard::EMPTY) & (board.pieces(Piece::Rook) | queens);
        let diagonal = get_bishop_moves(king, BitBoard::EMPTY) & (board.pieces(Piece::Bishop) | queens);
        let mut pinned = BitBoard::EMPTY;
        for slider in (straight | diagonal) & self.own() {
            let between = get_between_rays(king, slider) & board.occupied();
            if between.len() == 1 {
                pinned |= between & self.others();
            }
        }
        pinned
    }

    /// All squares that the player attacks with this occupancy.
    fn attacks(self, occupied: BitBoard) -> BitBoard {
        let pieces = self.own().into_iter();
        pieces.fold(BitBoard::EMPTY, |squares, from| squares | attacks_from(self.board, self.player, from, occupied))
    }

    /// The squares that the opponent's king can step to, whoever is to move.
    fn steps(self) -> BitBoard {
        let king = self.king();
        let free = get_king_moves(king) & !self.others();
        free & !self.attacks(self.board.occupied() ^ king.bitboard())
    }

    /// How many of the eight steps of the opponent's king are impossible.
    pub fn impossible_steps(self) -> i32 {
        8 - self.steps().len() as i32
    }

    /// Whether every step of the opponent's king brings it closer to an edge.
    pub fn is_king_stuck(self) -> bool {
        let now = edge_distance(self.king());
        self.steps().into_iter().all(|square| edge_distance(square) < now)
    }

    /// 3 if the opponent's king is at an edge, down to 0.
    pub fn edge_proximity(self) -> i32 {
        3 - edge_distance(self.king())
    }

    /// How many of the player's pieces attack the zone of the opponent's king.
    pub fn attackers_of_zone(self) -> u32 {
        let zone = self.zone();
        let attacks =
            |&from: &Square| !attacks_from(self.board, self.player, from, self.board.occupied()).is_disjoint(zone);
        self.own().into_iter().filter(attacks).count() as u32
    }

    /// How many of the opponent's pieces close to his king are attacked.
    pub fn attacked_close(self) -> u32 {
        let targets = self.close_to_king() & self.others() & !self.king().bitboard();
        (targets & self.attacks(self.board.occupied())).len()
    }

    /// Whether a piece that gives check attacks another one, not a pawn.
    pub fn is_check_fork(self) -> bool {
        let targets = self.others() & !self.board.pieces(Piece::Pawn) & !self.king().bitboard();
        let forks =
            |from: Square| !attacks_from(self.board, self.player, from, self.board.occupied()).is_disjoint(targets);
        self.checkers().into_iter().any(forks)
    }

    /// Whether the opponent's king stands next to one of his pieces or pawns.
    pub fn is_king_protecting(self) -> bool {
        !(get_king_moves(self.king()) & self.others()).is_empty()
    }

    /// The player's pieces that give check. Empty on his own turn, where it would be illegal.
    pub fn checkers(self) -> BitBoard {
        if self.board.side_to_move() == self.player { BitBoard::EMPTY } else { self.board.checkers() }
    }

    /// Whether one of these checkers is protected.
    pub fn is_protected(self, checkers: BitBoard) -> bool {
        !(checkers & self.attacks(self.board.occupied())).is_empty()
    }

    /// The player's material minus the opponent's, in pawns.
    pub fn material(self) -> i32 {
        const WORTH: [(Piece, i32); 5] =
            [(Piece::Pawn, 1), (Piece::Knight, 3), (Piece::Bishop, 3), (Piece::Rook, 5), (Piece::Queen, 9)];
        let count = |color, piece| self.board.colored_pieces(color, piece).len() as i32;
        WORTH.iter().map(|&(piece, worth)| worth * (count(self.player, piece) - count(!self.player, piece))).sum()
    }

    /// The player's pieces that can move to a square from which they give check.
    pub fn can_check(self) -> BitBoard {
        let (board, king, occupied) = (self.board, self.king(), self.board.occupied());
        let (straight, diagonal) = (get_rook_moves(king, occupied), get_bishop_moves(king, occupied));
        let free = !self.own();
        let mut found = BitBoard::EMPTY;
        for from in self.own() {
            let targets = match board.piece_on(from) {
                Some(Piece::Knight) => get_knight_moves(king),
                Some(Piece::Bishop) => diagonal,
                Some(Piece::Rook) => straight,
                Some(Piece::Queen) => straight | diagonal,
                Some(Piece::Pawn) => get_pawn_attacks(king, !self.player),
                _ => continue,
            };
            let reach = if board.pieces(Piece::Pawn).has(from) {
                pawn_reach(board, self.player, from)
            } else {
                attacks_from(board, self.player, from, occupied) & free
            };
            if !(reach & targets).is_empty() {
                found |= from.bitboard();
            }
        }
        found
    }

    /// Prepares [`BoardView::gives_check_by`] for all moves of the player, who is to move.
    pub fn checks(self) -> Checks {
        let (board, king, occupied) = (self.board, self.king(), self.board.occupied());
        let queens = board.pieces(Piece::Queen);
        let straight = get_rook_moves(king, BitBoard::EMPTY) & (board.pieces(Piece::Rook) | queens);
        let diagonal = get_bishop_moves(king, BitBoard::EMPTY) & (board.pieces(Piece::Bishop) | queens);
        let mut screens = BitBoard::EMPTY;
        for slider in (straight | diagonal) & self.own() {
            let between = get_between_rays(king, slider) & occupied;
            if between.len() == 1 {
                screens |= between & self.own();
            }
        }
        Checks {
            straight: get_rook_moves(king, occupied),
            diagonal: get_bishop_moves(king, occupied),
            knights: get_knight_moves(king),
            pawns: get_pawn_attacks(king, !self.player),
            screens,
            kings: board.pieces(Piece::King),
        }
    }

    /// Whether a move gives check, like [`BoardView::gives_check`] but faster when many moves of one board are tested.
    pub fn gives_check_by(self, m: Move, checks: &Checks) -> bool {
        let from = m.from.bitboard();
        let board = self.board;
        let pawns = board.pieces(Piece::Pawn);
        let is_en_passant = || !pawns.is_disjoint(from) && m.from.file() != m.to.file() && !board.occupied().has(m.to);
        let is_special =
            m.promotion.is_some() || !checks.kings.is_disjoint(from) && self.is_castling(m) || is_en_passant();
        if is_special || !checks.screens.is_disjoint(from) {
            return self.gives_check(m);
        }
        board.piece_on(m.from).is_some_and(|piece| checks.of(piece).has(m.to))
    }

    /// Whether a move of the player, who is to move, gives check.
    pub fn gives_check(self, m: Move) -> bool {
        let (king, after) = (self.king(), self.after(m));
        let board = self.board;
        let arrives = m.promotion.or_else(|| board.piece_on(m.from));
        let by_leap = match arrives {
            Some(Piece::Knight) => get_knight_moves(king).has(m.to),
            Some(Piece::Pawn) => get_pawn_attacks(king, !self.player).has(m.to),
            _ => false,
        };
        by_leap
            || !(get_rook_moves(king, after.occupied) & after.straight).is_empty()
            || !(get_bishop_moves(king, after.occupied) & after.diagonal).is_empty()
    }

    /// Whether the piece attacks the zone of the opponent's king from the target square of this move.
    pub fn attacks_zone_after(self, m: Move) -> bool {
        let Some(piece) = m.promotion.or_else(|| self.board.piece_on(m.from)) else { return false };
        if self.is_castling(m) {
            return false;
        }
        !reach_of(piece, self.player, m.to, self.after(m).occupied).is_disjoint(self.zone())
    }

    /// How many king's steps the target square of a move is away from the opponent's king.
    pub fn distance_to_king(self, m: Move) -> i32 {
        let apart = |a: usize, b: usize| a.abs_diff(b) as i32;
        let king = self.king();
        apart(m.to.file() as usize, king.file() as usize).max(apart(m.to.rank() as usize, king.rank() as usize))
    }

    /// Whether the opponent could capture the piece on its target square; pins are ignored.
    pub fn can_be_captured_after(self, m: Move) -> bool {
        if self.is_castling(m) {
            return false;
        }
        let (board, occupied, others) = (self.board, self.after(m).occupied, self.others() & !m.to.bitboard());
        let queens = board.pieces(Piece::Queen);
        let attackers = get_knight_moves(m.to) & board.pieces(Piece::Knight)
            | get_king_moves(m.to) & board.pieces(Piece::King)
            | get_pawn_attacks(m.to, self.player) & board.pieces(Piece::Pawn)
            | get_rook_moves(m.to, occupied) & (board.pieces(Piece::Rook) | queens)
            | get_bishop_moves(m.to, occupied) & (board.pieces(Piece::Bishop) | queens);
        !(attackers & others).is_empty()
    }

    fn is_castling(self, m: Move) -> bool {
        self.own().has(m.to)
    }

    /// Occupancy and sliders of the player after his move.
    fn after(self, m: Move) -> After {
        let board = self.board;
        let queens = self.own() & board.pieces(Piece::Queen);
        let mut straight = self.own() & board.pieces(Piece::Rook) | queens;
        let mut diagonal = self.own() & board.pieces(Piece::Bishop) | queens;
        if self.is_castling(m) {
            let (king_file, rook_file) =
                if m.to.file() > m.from.file() { (File::G, File::F) } else { (File::C, File::D) };
            let on = |file| Square::new(file, m.from.rank()).bitboard();
            let occupied = (board.occupied() ^ m.from.bitboard() ^ m.to.bitboard()) | on(king_file) | on(rook_file);
            straight = (straight ^ m.to.bitboard()) | on(rook_file);
            return After { occupied, straight, diagonal };
        }
        let (from, to) = (m.from.bitboard(), m.to.bitboard());
        let piece = board.piece_on(m.from);
        let mut occupied = (board.occupied() & !from) | to;
        if piece == Some(Piece::Pawn) && m.from.file() != m.to.file() && !board.occupied().has(m.to) {
            occupied &= !Square::new(m.to.file(), m.from.rank()).bitboard();
        }
        straight &= !from;
        diagonal &= !from;
        let arrives = m.promotion.or(piece);
        if matches!(arrives, Some(Piece::Rook | Piece::Queen)) {
            straight |= to;
        }
        if matches!(arrives, Some(Piece::Bishop | Piece::Queen)) {
            diagonal |= to;
        }
        After { occupied, straight, diagonal }
    }
}

/// Whether a move captures, including en passant.
pub fn is_capture(board: &Board, m: Move) -> bool {
    let is_en_passant = || board.pieces(Piece::Pawn).has(m.from) && m.from.file() != m.to.file();
    board.colors(!board.side_to_move()).has(m.to) || is_en_passant()
}

/// Whether the side to move is mated.
pub fn is_mated(board: &Board) -> bool {
    !board.checkers().is_empty() && !board.generate_moves(|_| true)
}

fn attacks_from(board: &Board, color: Color, from: Square, occupied: BitBoard) -> BitBoard {
    board.piece_on(from).map_or(BitBoard::EMPTY, |piece| reach_of(piece, color, from, occupied))
}

fn reach_of(piece: Piece, color: Color, from: Square, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Pawn => get_pawn_attacks(from, color),
        Piece::Knight => get_knight_moves(from),
        Piece::Bishop => get_bishop_moves(from, occupied),
        Piece::Rook => get_rook_moves(from, occupied),
        Piece::Queen => get_bishop_moves(from, occupied) | get_rook_moves(from, occupied),
        Piece::King => get_king_moves(from),
    }
}

/// The target squares of a pawn.
fn pawn_reach(board: &Board, color: Color, from: Square) -> BitBoard {
    let captures = get_pawn_attacks(from, color) & board.colors(!color);
    let pushes = cozy_chess::get_pawn_quiets(from, color, board.occupied());
    captures | pushes
}

fn edge_distance(square: Square) -> i32 {
    let from_edge = |line: usize| line.min(7 - line) as i32;
    from_edge(square.file() as usize).min(from_edge(square.rank() as usize))
}

/// [`edge_distance`] relies on this numbering of ranks.
const _: () = assert!(Rank::First as usize == 0 && Rank::Eighth as usize == 7);

#[cfg(test)]
mod tests {
    use super::{BoardView, is_capture};
    use cozy_chess::Board;
    use plysmith_core::random::Random;

    /// Random games, and every move of each position: the prediction must agree with making the move.
    #[test]
    fn peeking_is_as_good_as_making_the_move() {
        let mut random = Random::new(3);
        let mut checks = 0;
        for _ in 0..150 {
            let mut board = Board::default();
            for _ in 0..120 {
                let mut moves = Vec::new();
                board.generate_moves(|list| {
                    moves.extend(list);
                    false
                });
                if moves.is_empty() {
                    break;
                }
                let view = BoardView { board: &board, player: board.side_to_move() };
                for &m in &moves {
                    let mut after = board.clone();
                    after.play(m);
                    let is_check = !after.checkers().is_empty();
                    checks += u32::from(is_check);
                    assert_eq!(view.gives_check(m), is_check, "{board} {m}");
                    assert_eq!(view.gives_check_by(m, &view.checks()), is_check, "{board} {m}");
                    let men = |board: &Board| board.occupied().len();
                    assert_eq!(is_capture(&board, m), men(&after) < men(&board), "{board} {m}");
                }
                let m = moves[random.below(moves.len())];
                board.play(m);
            }
        }
        assert!(checks > 3_000, "{checks}");
    }
}
