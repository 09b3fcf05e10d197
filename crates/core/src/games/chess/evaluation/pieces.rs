//! Mobility and what pieces like: outposts, open files, two bishops. On the way, all attacks are collected.

use cozy_chess::{BitBoard, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_rook_moves};

use super::side::{Attacks, Side, beside, down, filled_down, left, right, up};
use super::sum::{Listener, Sum};
use super::terms::{
    BEHIND_PAWN, BISHOP_MOBILITY, BISHOP_PAIR, BISHOP_PAWNS, Group, KNIGHT_MOBILITY, OUTPOST, QUEEN_MOBILITY,
    ROOK_FILE, ROOK_MOBILITY, ROOK_SEVENTH,
};

/// What one side's men do.
#[derive(Debug)]
pub struct Work {
    pub attacks: Attacks,
    /// How many attack units stand against their king; see `king`.
    pub units: usize,
    /// The squares around their king.
    pub ring: BitBoard,
}

/// What a piece adds to the attack units if it attacks a square around the king.
const KNIGHT_UNITS: usize = 2;
const BISHOP_UNITS: usize = 2;
const ROOK_UNITS: usize = 3;
const QUEEN_UNITS: usize = 5;

/// Adds the terms of all pieces but the king.
#[inline(always)]
pub fn add<L: Listener>(sum: &mut Sum<'_, L>, us: &Side, them: &Side) -> Work {
    let pawns = (left(up(us.pawns)), right(up(us.pawns)));
    let king = get_king_moves(us.king);
    let their_king = get_king_moves(them.king);
    let mut walk = Walk {
        area: !(us.pawns | us.king.bitboard() | beside(down(them.pawns))),
        ring: their_king | them.king.bitboard() | down(their_king),
        all: pawns.0 | pawns.1 | king,
        twice: (pawns.0 & pawns.1) | ((pawns.0 | pawns.1) & king),
        units: 0,
    };
    let occupied = us.all | them.all;
    // A piece does not stand in the way of one behind it that moves alike.
    let for_bishops = occupied & !us.queens;
    let for_rooks = occupied & !(us.rooks | us.queens);
    let knights = walk.each(sum, us.knights, KNIGHT_MOBILITY, KNIGHT_UNITS, get_knight_moves);
    let bishops =
        walk.each(sum, us.bishops, BISHOP_MOBILITY, BISHOP_UNITS, |square| get_bishop_moves(square, for_bishops));
    let rooks = walk.each(sum, us.rooks, ROOK_MOBILITY, ROOK_UNITS, |square| get_rook_moves(square, for_rooks));
    let queens = walk.each(sum, us.queens, QUEEN_MOBILITY, QUEEN_UNITS, |square| {
        get_bishop_moves(square, occupied) | get_rook_moves(square, occupied)
    });
    add_minors(sum, us, them, pawns.0 | pawns.1);
    add_rooks(sum, us, them);
    let Walk { all, twice, units, ring, .. } = walk;
    let attacks = Attacks { pawns: pawns.0 | pawns.1, knights, bishops, rooks, queens, king, all, twice };
    Work { attacks, units, ring }
}

/// What is known while the pieces are visited.
struct Walk {
    /// Squares that are worth going to.
    area: BitBoard,
    ring: BitBoard,
    all: BitBoard,
    twice: BitBoard,
    units: usize,
}

impl Walk {
    /// Visits the pieces of one kind, and returns all that they attack.
    #[inline(always)]
    fn each<L: Listener>(
        &mut self,
        sum: &mut Sum<'_, L>,
        pieces: BitBoard,
        mobility: Group,
        units: usize,
        moves: impl Fn(Square) -> BitBoard,
    ) -> BitBoard {
        let mut attacked = BitBoard::EMPTY;
        for square in pieces {
            let targets = moves(square);
            sum.add(mobility, (targets & self.area).len() as usize);
            attacked |= targets;
            self.twice |= self.all & targets;
            self.all |= targets;
            self.units += if targets.is_disjoint(self.ring) { 0 } else { units };
        }
        attacked
    }
}

#[inline(always)]
fn add_minors<L: Listener>(sum: &mut Sum<'_, L>, us: &Side, them: &Side, pawn_attacks: BitBoard) {
    let far = Rank::Fourth.bitboard() | Rank::Fifth.bitboard() | Rank::Sixth.bitboard();
    let within_their_reach = beside(filled_down(down(them.pawns)));
    let posts = far & pawn_attacks & !within_their_reach;
    for (index, minors) in [us.knights, us.bishops].into_iter().enumerate() {
        if !posts.is_disjoint(minors) {
            sum.add_times(OUTPOST, index, (posts & minors).len());
        }
    }
    sum.add_times(BEHIND_PAWN, 0, (us.minors() & down(us.pawns)).len());
    if us.bishops.is_empty() {
        return;
    }
    let light = us.bishops & BitBoard::LIGHT_SQUARES;
    let dark = us.bishops & BitBoard::DARK_SQUARES;
    if !light.is_empty() && !dark.is_empty() {
        sum.add(BISHOP_PAIR, 0);
    }
    if !light.is_empty() {
        sum.add_times(BISHOP_PAWNS, 0, (us.pawns & BitBoard::LIGHT_SQUARES).len());
    }
    if !dark.is_empty() {
        sum.add_times(BISHOP_PAWNS, 0, (us.pawns & BitBoard::DARK_SQUARES).len());
    }
}

#[inline(always)]
fn add_rooks<L: Listener>(sum: &mut Sum<'_, L>, us: &Side, them: &Side) {
    let seventh = Rank::Seventh.bitboard();
    for rook in us.rooks {
        let file = rook.file().bitboard();
        if file.is_disjoint(us.pawns) {
            sum.add(ROOK_FILE, usize::from(file.is_disjoint(them.pawns)));
        }
        let has_work = !seventh.is_disjoint(them.pawns) || them.king.rank() == Rank::Eighth;
        if seventh.has(rook) && has_work {
            sum.add(ROOK_SEVENTH, 0);
        }
    }
}
