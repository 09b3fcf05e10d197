//! Positions as a composer tries them: random changes to positions near the end of games.
//!
//! Keys of mates from games are nearly always checks or captures. In composed problems they are quiet, and such
//! problems are harder. Men of a position from a game are moved or taken away at random; what is a mate of exact length
//! with a single quiet key is a problem. Composers call such positions schemes; no claim to beauty is made.

use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_core::random::Random;

/// The most changes to a position.
const MOST_CHANGES: usize = 5;
/// Draws of a square before a change is given up.
const DRAWS: usize = 64;

/// The position with random changes; `None` if it is no legal position then.
pub fn changed(position: &Position, random: &mut Random) -> Option<Position> {
    let fen = position.to_string();
    let mut fields = fen.split(' ');
    let (board, side) = (fields.next()?, fields.next()?);
    let mut squares = read(board);
    for _ in 0..=random.below(MOST_CHANGES) {
        change(&mut squares, random)?;
    }
    let position = Position::parse(&format!("{} {side} - - 0 1", print(&squares))).ok()?;
    (!position.legal_moves().is_empty()).then_some(position)
}

/// Moves a man to an empty square, or takes it away unless it is a king.
fn change(squares: &mut [char; 64], random: &mut Random) -> Option<()> {
    let from = draw(random, |square| squares[square] != ' ')?;
    let man = squares[from];
    let is_king = man.eq_ignore_ascii_case(&'k');
    if !is_king && random.below(3) == 0 {
        squares[from] = ' ';
        return Some(());
    }
    let is_pawn = man.eq_ignore_ascii_case(&'p');
    let may_stand = |square: usize| squares[square] == ' ' && (!is_pawn || (8..56).contains(&square));
    let to = draw(random, may_stand)?;
    squares.swap(from, to);
    Some(())
}

fn draw(random: &mut Random, is_fit: impl Fn(usize) -> bool) -> Option<usize> {
    (0..DRAWS).map(|_| random.below(64)).find(|&square| is_fit(square))
}

/// The squares of a board in FEN, in its order.
fn read(board: &str) -> [char; 64] {
    let mut squares = [' '; 64];
    let mut next = 0;
    for letter in board.chars().filter(|&letter| letter != '/') {
        match letter.to_digit(10) {
            Some(empty) => next += empty as usize,
            None => {
                if let Some(square) = squares.get_mut(next) {
                    *square = letter;
                }
                next += 1;
            }
        }
    }
    squares
}

/// The first field of a FEN.
fn print(squares: &[char; 64]) -> String {
    let rank = |rank: &[char]| rank.iter().map(|&man| if man == ' ' { '1' } else { man }).collect::<String>();
    squares.chunks(8).map(rank).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use plysmith_core::game::Game;
    use plysmith_core::games::chess::Position;
    use plysmith_core::random::Random;

    use super::{changed, print, read};

    #[test]
    fn boards_are_read_and_printed() {
        assert_eq!(
            print(&read("6k1/5ppp/8/8/8/8/5PPP/3R2K1")),
            "111111k1/11111ppp/11111111/11111111/11111111/11111111/11111PPP/111R11K1"
        );
    }

    #[test]
    fn changes_keep_the_kings_and_the_side_and_depend_on_the_seed_alone() {
        let position = Position::parse("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1").unwrap();
        let all = |seed| {
            let mut random = Random::new(seed);
            (0..200).filter_map(|_| changed(&position, &mut random)).map(|p| p.to_string()).collect::<Vec<_>>()
        };
        let found = all(1);
        assert!(found.len() > 50, "{}", found.len());
        assert_eq!(found, all(1));
        for fen in &found {
            assert!(fen.contains('k') && fen.contains('K') && fen.contains(" w - - 0 1"), "{fen}");
            assert_ne!(*fen, position.to_string());
        }
    }
}
