//! What a series of captures on one square wins: the static exchange evaluation.

use cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks,
    get_rook_moves,
};

use super::moves::Move;

/// What pieces are worth in an exchange, in hundredths of a pawn.
const VALUES: [i32; 6] = [100, 300, 320, 500, 900, 10_000];

fn value(piece: Piece) -> i32 {
    VALUES[piece as usize]
}

/// What a move wins before anything is captured back.
pub fn gain(m: Move) -> i32 {
    m.captured.map_or(0, value) + m.promotion.map_or(0, |piece| value(piece) - value(Piece::Pawn))
}

/// The most valuable victim first, taken by the least valuable attacker.
pub fn capture_order(m: Move) -> u16 {
    let victim = m.captured.map_or(0, |piece| piece as u16 + 1);
    let promotion = m.promotion.map_or(0, |piece| piece as u16 + 1);
    8 * (victim + promotion) + 7 - m.piece as u16
}

/// The men of the side not to move whose capture wins at least this much.
pub fn victims(board: &Board, least: i32) -> BitBoard {
    let enemies = board.colors(!board.side_to_move());
    let too_cheap = Piece::ALL.into_iter().take_while(|&piece| value(piece) < least);
    too_cheap.fold(enemies, |victims, piece| victims & !board.pieces(piece))
}

/// Whether a move wins at least this much when both sides keep capturing on its square as long as that pays.
pub fn wins(board: &Board, m: Move, least: i32) -> bool {
    // The gain without a recapture, and what is left of it if the moving piece is then lost for nothing.
    let mut balance = gain(m) - least;
    if balance < 0 {
        return false;
    }
    balance -= value(m.arrives());
    if balance >= 0 {
        return true;
    }
    let square = m.lands();
    let mut occupied = (board.occupied() ^ m.from.bitboard()) | square.bitboard();
    if m.piece == Piece::Pawn && m.captured.is_some() && board.piece_on(m.to).is_none() {
        occupied ^= Square::new(m.to.file(), m.from.rank()).bitboard();
    }
    let mut side = !board.side_to_move();
    let mut attackers = attackers(board, square, occupied);
    loop {
        attackers &= occupied;
        let own = attackers & board.colors(side);
        let Some((from, piece)) = cheapest(board, own) else { break };
        // A king cannot capture what is guarded.
        if piece == Piece::King && !(attackers & board.colors(!side)).is_empty() {
            break;
        }
        occupied ^= from.bitboard();
        attackers |= uncovered(board, square, occupied, piece);
        side = !side;
        // Seen from the side that captures next: it has lost what captured just now, unless it takes it back.
        balance = -balance - 1 - value(piece);
        if balance >= 0 {
            break;
        }
    }
    // Whoever is to capture and cannot, or need not, has lost the exchange.
    side != board.side_to_move()
}

/// The least valuable of these pieces.
fn cheapest(board: &Board, own: BitBoard) -> Option<(Square, Piece)> {
    Piece::ALL.into_iter().find_map(|piece| (own & board.pieces(piece)).next_square().map(|square| (square, piece)))
}

/// Every piece of either side that attacks the square.
fn attackers(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let diagonal = board.pieces(Piece::Bishop) | board.pieces(Piece::Queen);
    let straight = board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    (get_pawn_attacks(square, Color::White) & board.colored_pieces(Color::Black, Piece::Pawn))
        | (get_pawn_attacks(square, Color::Black) & board.colored_pieces(Color::White, Piece::Pawn))
        | (get_knight_moves(square) & board.pieces(Piece::Knight))
        | (get_king_moves(square) & board.pieces(Piece::King))
        | (get_bishop_moves(square, occupied) & diagonal)
        | (get_rook_moves(square, occupied) & straight)
}

/// The attackers that stood behind a piece which has just captured.
fn uncovered(board: &Board, square: Square, occupied: BitBoard, piece: Piece) -> BitBoard {
    let mut found = BitBoard::EMPTY;
    if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen) {
        found |= get_bishop_moves(square, occupied) & (board.pieces(Piece::Bishop) | board.pieces(Piece::Queen));
    }
    if matches!(piece, Piece::Rook | Piece::Queen) {
        found |= get_rook_moves(square, occupied) & (board.pieces(Piece::Rook) | board.pieces(Piece::Queen));
    }
    found
}
