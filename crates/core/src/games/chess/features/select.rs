//! All moves with a feature at once, without playing them.
//!
//! What a piece attacks from its new square is answered from the other end: the squares from which it would attack
//! the target are those that the target would attack as such a piece. A slider that stands on such a line itself
//! must not block its own view, so its square is vacated first. Castling, en passant and promotions change more of
//! the board than that; they are rare, and looked at one by one where there are any.

use cozy_chess::{
    BitBoard, Board, Color, File, Piece, Rank, Square, get_between_rays, get_bishop_moves, get_bishop_rays,
    get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves, get_rook_rays,
};

use super::super::moves::Castling;
use super::super::position::{LastMove, Position};
use super::set::{Moves, promotion_bit};
use super::vocabulary::{Kind, kind};
use crate::feature::Atom;

/// What a pawn can become.
const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// All moves with this feature; what is not legal may be among them. Not inlined: it is called from few places and
/// is long.
#[inline(never)]
pub fn select(position: &Position, atom: Atom) -> Moves {
    let view = View::of(&position.board, position.castling);
    let Some(kind) = kind(atom) else { return Moves::NONE };
    match kind {
        Kind::Moves(piece) => view.moves_of(*piece),
        Kind::Attacks(Piece::King) => view.checks(),
        Kind::Attacks(piece) => view.attacks(view.enemy(*piece)),
        Kind::Recaptures => match position.last {
            Some(LastMove { to, was_capture: true, .. }) => view.arriving(to.bitboard()),
            _ => Moves::NONE,
        },
        Kind::Arrives(ranks) => {
            let rank = |index: usize| Rank::index(index).relative_to(view.side).bitboard();
            view.arriving(ranks.clone().fold(BitBoard::EMPTY, |zone, index| zone | rank(index)))
        }
        Kind::Captures(piece) => view.captures(*piece),
        Kind::Answers(piece) => every_if(position.last.is_some_and(|last| last.piece == *piece)),
        Kind::IsForced => every_if(!view.board.checkers().is_empty() && has_one_move(view.board)),
        Kind::PushesPassed => view.passed_pushes(),
        Kind::Promotes => Moves { promotions: view.promotions_to(BitBoard::FULL), ..Moves::NONE },
        Kind::Discovers => view.discovered_checks(),
        Kind::StepsBeforeLesser => view.steps_before_lesser(),
    }
}

fn every_if(condition: bool) -> Moves {
    if condition { Moves::EVERY } else { Moves::NONE }
}

fn has_one_move(board: &Board) -> bool {
    let mut count = 0;
    board.generate_moves(|moves| {
        count += moves.len();
        count > 1
    });
    count == 1
}

/// A castling move, and where king and rook stand afterwards.
struct Castled {
    to: Square,
    king: Square,
    rook: Square,
    occupied: BitBoard,
}

/// A board seen by the side to move.
struct View<'a> {
    board: &'a Board,
    castling: Castling,
    side: Color,
    own: BitBoard,
    enemies: BitBoard,
    occupied: BitBoard,
}

impl View<'_> {
    fn of(board: &Board, castling: Castling) -> View<'_> {
        let side = board.side_to_move();
        let (own, enemies) = (board.colors(side), board.colors(!side));
        View { board, castling, side, own, enemies, occupied: own | enemies }
    }

    fn mine(&self, piece: Piece) -> BitBoard {
        self.own & self.board.pieces(piece)
    }

    fn enemy(&self, piece: Piece) -> BitBoard {
        self.enemies & self.board.pieces(piece)
    }

    /// The place of a square among those of the own pieces, as `Move::origin` counts.
    fn origin(&self, from: Square) -> usize {
        (self.own & BitBoard(from.bitboard().0 - 1)).len() as usize
    }

    fn moves_of(&self, piece: Piece) -> Moves {
        let mut set = Moves::NONE;
        for from in self.mine(piece) {
            set.to[self.origin(from)] = BitBoard::FULL;
        }
        if piece == Piece::Pawn {
            set.promotions = u128::MAX;
        }
        set
    }

    fn arriving(&self, squares: BitBoard) -> Moves {
        Moves { to: [squares; 16], promotions: self.promotions_to(squares) }
    }

    fn captures(&self, piece: Piece) -> Moves {
        let mut set = self.arriving(self.enemy(piece));
        if piece == Piece::Pawn {
            self.each_en_passant(|from, to, _| set.to[self.origin(from)] |= to.bitboard());
        }
        set
    }

    fn passed_pushes(&self) -> Moves {
        let behind_enemy_pawns = span(self.enemy(Piece::Pawn), self.side);
        let mut set = Moves::NONE;
        for from in self.mine(Piece::Pawn) {
            set.to[self.origin(from)] = from.file().bitboard() & !behind_enemy_pawns;
        }
        // On the last rank no pawn is further ahead.
        for (from, to) in self.promoting() {
            if from.file() == to.file() {
                PROMOTIONS.iter().for_each(|&piece| set.promotions |= promotion_bit(from, to, piece));
            }
        }
        set
    }

    /// Moves after which the moved piece attacks one of these squares from where it is then.
    fn attacks(&self, targets: BitBoard) -> Moves {
        let mut set = Moves::NONE;
        if targets.is_empty() {
            return set;
        }
        let [pawns, knights, kings] = [Piece::Pawn, Piece::Knight, Piece::King].map(|piece| self.mine(piece));
        let queens = self.mine(Piece::Queen);
        let (rooks, bishops) = (self.mine(Piece::Rook) | queens, self.mine(Piece::Bishop) | queens);
        let by_pawn = union(targets, |target| get_pawn_attacks(target, !self.side));
        let by_knight = union(targets, get_knight_moves);
        let by_king = union(targets, get_king_moves);
        let by_rook = union(targets, |target| get_rook_moves(target, self.occupied));
        let by_bishop = union(targets, |target| get_bishop_moves(target, self.occupied));
        for (from, to) in self.own.into_iter().zip(&mut set.to) {
            if pawns.has(from) {
                *to = by_pawn;
            } else if knights.has(from) {
                *to = by_knight;
            } else if kings.has(from) {
                *to = by_king;
            }
            let occupied = self.occupied ^ from.bitboard();
            if rooks.has(from) {
                let stands_in_view = by_rook.has(from);
                *to |= if stands_in_view { union(targets, |target| get_rook_moves(target, occupied)) } else { by_rook };
            }
            if bishops.has(from) {
                let stands_in_view = by_bishop.has(from);
                *to |= if stands_in_view {
                    union(targets, |target| get_bishop_moves(target, occupied))
                } else {
                    by_bishop
                };
            }
        }
        set.promotions = self.promotions_where(|piece, to, occupied| {
            !(attacks_from(piece, to, self.side, occupied) & targets).is_empty()
        });
        self.settle_castling(&mut set, |castled| by_king.has(castled.king));
        set
    }

    /// In Chess960 castling has the rook's square, which says nothing of where king and rook will stand.
    #[inline]
    fn settle_castling(&self, set: &mut Moves, has: impl Fn(&Castled) -> bool) {
        if self.castling == Castling::Chess960 {
            for castled in self.castled() {
                let moves = &mut set.to[self.origin(self.board.king(self.side))];
                *moves = (*moves - castled.to.bitboard())
                    | if has(&castled) { castled.to.bitboard() } else { BitBoard::EMPTY };
            }
        }
    }

    /// The castling moves that there is a right to, legal or not.
    fn castled(&self) -> impl Iterator<Item = Castled> {
        let (rights, from) = (self.board.castle_rights(self.side), self.board.king(self.side));
        let on_rank = |file| Square::new(file, Rank::First.relative_to(self.side));
        let sides = [(rights.short, File::G, File::F), (rights.long, File::C, File::D)];
        sides.into_iter().filter_map(move |(rook, king_to, rook_to)| {
            let (rook, king_to, rook_to) = (on_rank(rook?), on_rank(king_to), on_rank(rook_to));
            let left = self.occupied - (from.bitboard() | rook.bitboard());
            let to = if self.castling == Castling::Chess960 { rook } else { king_to };
            let occupied = left | king_to.bitboard() | rook_to.bitboard();
            Some(Castled { to, king: king_to, rook: rook_to, occupied })
        })
    }

    /// Moves that give check, in any way.
    fn checks(&self) -> Moves {
        let king = self.board.king(!self.side);
        let mut set = self.attacks(king.bitboard()) | self.discovered_checks();
        for Castled { to, rook, occupied, .. } in self.castled() {
            if get_rook_moves(rook, occupied).has(king) {
                set.to[self.origin(self.board.king(self.side))] |= to.bitboard();
            }
        }
        set
    }

    /// Moves after which a piece that did not move gives check.
    fn discovered_checks(&self) -> Moves {
        let mut set = Moves::NONE;
        let king = self.board.king(!self.side);
        let queens = self.mine(Piece::Queen);
        let snipers = get_rook_rays(king) & (queens | self.mine(Piece::Rook))
            | get_bishop_rays(king) & (queens | self.mine(Piece::Bishop));
        for sniper in snipers {
            let between = get_between_rays(sniper, king);
            let blockers = between & self.occupied;
            if blockers.len() != 1 {
                continue;
            }
            // Castling opens no line: king and rook stay on their rank, and nothing is behind them on another line.
            for from in blockers & self.own {
                set.to[self.origin(from)] |= !between;
                for (pawn, to) in self.promoting() {
                    if pawn == from && !between.has(to) {
                        PROMOTIONS.iter().for_each(|&piece| set.promotions |= promotion_bit(from, to, piece));
                    }
                }
            }
        }
        self.settle_castling(&mut set, |_| false);
        // Two pawns leave their squares.
        self.each_en_passant(|from, to, occupied| {
            let sees = get_rook_moves(king, occupied) & (queens | self.mine(Piece::Rook))
                | get_bishop_moves(king, occupied) & (queens | self.mine(Piece::Bishop));
            if !sees.is_empty() {
                set.to[self.origin(from)] |= to.bitboard();
            }
        });
        set
    }

    /// Moves to where a lesser piece attacks what arrives.
    fn steps_before_lesser(&self) -> Moves {
        let mut set = Moves::NONE;
        let (rooks, queens) = (self.mine(Piece::Rook), self.mine(Piece::Queen));
        let minors = self.mine(Piece::Knight) | self.mine(Piece::Bishop);
        // As the board stands; each worth more has all before it to fear, too.
        let by_pawns = self.attacked_by_lesser(Piece::Knight, self.occupied);
        let by_minors = match (rooks | queens).is_empty() {
            true => BitBoard::EMPTY,
            false => self.attacked_by_lesser(Piece::Rook, self.occupied),
        };
        for (from, to) in self.own.into_iter().zip(&mut set.to) {
            if minors.has(from) {
                *to = by_pawns;
            } else if rooks.has(from) {
                *to = by_minors;
            } else if queens.has(from) {
                // Unlike the others a queen can step back along the line of a lesser slider.
                *to = self.attacked_by_lesser(Piece::Queen, self.occupied ^ from.bitboard());
            }
        }
        set.promotions = self.promotions_where(|piece, to, occupied| self.attacked_by_lesser(piece, occupied).has(to));
        set
    }

    /// What the enemies that are worth less than this piece attack; it is a piece that a pawn can become.
    fn attacked_by_lesser(&self, piece: Piece, occupied: BitBoard) -> BitBoard {
        let by = |lesser| union(self.enemy(lesser), |from| attacks_from(lesser, from, !self.side, occupied));
        let mut squares = by(Piece::Pawn);
        for lesser in [Piece::Knight, Piece::Bishop, Piece::Rook] {
            if worth(lesser) < worth(piece) {
                squares |= by(lesser);
            }
        }
        squares
    }

    /// Pawns that can promote, and where; whether their king allows it is not asked.
    fn promoting(&self) -> impl Iterator<Item = (Square, Square)> {
        let last = Rank::Eighth.relative_to(self.side);
        let ready = self.mine(Piece::Pawn) & Rank::Seventh.relative_to(self.side).bitboard();
        ready.into_iter().flat_map(move |from| {
            let straight = Square::new(from.file(), last).bitboard() - self.occupied;
            let targets = straight | get_pawn_attacks(from, self.side) & self.enemies;
            targets.into_iter().map(move |to| (from, to))
        })
    }

    /// Promotions to these squares.
    fn promotions_to(&self, squares: BitBoard) -> u128 {
        let arriving = self.promoting().filter(|&(_, to)| squares.has(to));
        arriving
            .flat_map(|(from, to)| PROMOTIONS.map(|piece| promotion_bit(from, to, piece)))
            .fold(0, |set, bit| set | bit)
    }

    /// Promotions of which this holds: to which piece, where, and what is occupied then.
    fn promotions_where(&self, holds: impl Fn(Piece, Square, BitBoard) -> bool) -> u128 {
        let mut set = 0;
        for (from, to) in self.promoting() {
            let occupied = (self.occupied - from.bitboard()) | to.bitboard();
            for piece in PROMOTIONS {
                if holds(piece, to, occupied) {
                    set |= promotion_bit(from, to, piece);
                }
            }
        }
        set
    }

    /// Calls for each pawn that can capture en passant: from where, to where, and what is occupied then.
    fn each_en_passant(&self, mut call: impl FnMut(Square, Square, BitBoard)) {
        let Some(file) = self.board.en_passant() else { return };
        let to = Square::new(file, Rank::Sixth.relative_to(self.side));
        let victim = Square::new(file, Rank::Fifth.relative_to(self.side));
        for from in get_pawn_attacks(to, !self.side) & self.mine(Piece::Pawn) {
            call(from, to, (self.occupied - from.bitboard() - victim.bitboard()) | to.bitboard());
        }
    }
}

/// What is attacked from any of these squares.
#[inline(always)]
fn union(squares: BitBoard, attacks: impl Fn(Square) -> BitBoard) -> BitBoard {
    squares.into_iter().fold(BitBoard::EMPTY, |all, square| all | attacks(square))
}

/// What a piece attacks.
#[inline(always)]
pub fn attacks_from(piece: Piece, from: Square, side: Color, occupied: BitBoard) -> BitBoard {
    match piece {
        Piece::Pawn => get_pawn_attacks(from, side),
        Piece::Knight => get_knight_moves(from),
        Piece::Bishop => get_bishop_moves(from, occupied),
        Piece::Rook => get_rook_moves(from, occupied),
        Piece::Queen => get_bishop_moves(from, occupied) | get_rook_moves(from, occupied),
        Piece::King => get_king_moves(from),
    }
}

/// Which pieces are lesser than others.
pub const fn worth(piece: Piece) -> u8 {
    match piece {
        Piece::Pawn => 1,
        Piece::Knight | Piece::Bishop => 3,
        Piece::Rook => 5,
        Piece::Queen => 9,
        Piece::King => u8::MAX,
    }
}

/// The squares from which one of these enemy pawns is ahead of this side, on the same file or the one beside it.
fn span(pawns: BitBoard, side: Color) -> BitBoard {
    let mut squares = match side {
        Color::White => pawns.0 >> 8,
        Color::Black => pawns.0 << 8,
    };
    for shift in [8, 16, 32] {
        squares |= match side {
            Color::White => squares >> shift,
            Color::Black => squares << shift,
        };
    }
    let left = squares >> 1 & !File::H.bitboard().0;
    let right = squares << 1 & !File::A.bitboard().0;
    BitBoard(squares | left | right)
}
