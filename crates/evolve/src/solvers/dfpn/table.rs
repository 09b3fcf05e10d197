//! The hash table of df-pn, which several threads may share.
//!
//! Decided positions and open ones are kept apart. A decided position has the fewest moves within which it is a mate and the
//! most within which it is none, so that it answers for any number of moves left. When a part of the table is full, the
//! entries with the smallest subtrees leave it: they are the most, and the cheapest to search again. Proved mates stay,
//! because the proof is built from them; with too many of them, the table is full for good, and the search ends.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cozy_chess::Move;

use super::nodes::{ProofNumbers, SearchNode};
use crate::hashing::KeyHashState;

/// The table.
pub(super) struct Table {
    parts: Vec<Mutex<Part>>,
    /// The most entries of a part.
    most_open: usize,
    most_decided: usize,
}

/// What a search found in a node.
pub(super) struct Found {
    pub numbers: ProofNumbers,
    /// The nodes that it took.
    pub nodes: u64,
    /// The move that mates, if the player is to move.
    pub mating: Option<Move>,
}

#[derive(Default)]
struct Part {
    open: HashMap<u64, Open, KeyHashState>,
    decided: HashMap<u64, Decided, KeyHashState>,
}

struct Open {
    numbers: ProofNumbers,
    size: u8,
}

struct Decided {
    /// A mate within this many moves, and more.
    mate: u8,
    /// No mate within this many moves, and fewer.
    no_mate: Option<u8>,
    /// The move that mates, if the player is to move.
    mating: Option<Move>,
    size: u8,
}

/// Parts that are locked one at a time.
const PARTS: usize = 64;
/// A part grows to a power of two of places and is filled to seven eighths, so these fill 2^23 and 2^24 places.
const MOST_OPEN: usize = (1 << 23) / 8 * 7;
const MOST_DECIDED: usize = (1 << 24) / 8 * 7;
/// The bytes of a place: an entry with its key, and one byte of the map.
const OPEN_BYTES: u64 = (size_of::<(u64, Open)>() + 1) as u64;
const DECIDED_BYTES: u64 = (size_of::<(u64, Decided)>() + 1) as u64;
/// More moves than any mate has.
const NEVER: u8 = u8::MAX;

impl Table {
    pub fn new() -> Table {
        Table::with_room(MOST_OPEN, MOST_DECIDED)
    }

    fn with_room(open: usize, decided: usize) -> Table {
        let parts = (0..PARTS).map(|_| Mutex::default()).collect();
        Table { parts, most_open: open / PARTS, most_decided: decided / PARTS }
    }

    /// The most bytes that it has after a search of this many nodes. A node adds at most one entry; a map has up to twice the
    /// places that its entries need, and while one of the parts grows, the old and the new one exist at once.
    pub fn most_bytes(nodes: u64) -> u64 {
        let places = |most: usize| (nodes.saturating_mul(16) / 7 + 8 * PARTS as u64).min(most as u64 / 7 * 8);
        let bytes = places(MOST_OPEN) * OPEN_BYTES + places(MOST_DECIDED) * DECIDED_BYTES;
        bytes + bytes / 16
    }

    /// What is known of a node.
    pub fn numbers(&self, node: SearchNode<'_>) -> Option<ProofNumbers> {
        let key = node.board.hash();
        let part = self.part(key);
        if let Some(decided) = part.decided.get(&key) {
            if node.left >= decided.mate {
                return Some(ProofNumbers::PROVED);
            }
            if decided.no_mate.is_some_and(|left| node.left <= left) {
                return Some(ProofNumbers::DISPROVED);
            }
        }
        part.open.get(&open_key(node)).map(|open| open.numbers)
    }

    /// The proved mate of a position with the player to move: the move, and within how many moves.
    pub fn proved_mate(&self, key: u64) -> Option<(Move, u8)> {
        let part = self.part(key);
        let decided = part.decided.get(&key)?;
        Some((decided.mating?, decided.mate))
    }

    /// Stores what was found in a node. Returns false if there is no room for more proved mates.
    #[must_use]
    pub fn store(&self, node: SearchNode<'_>, found: &Found) -> bool {
        let key = node.board.hash();
        let size = found.nodes.checked_ilog2().map_or(0, |size| size as u8);
        let mut part = self.part(key);
        if !found.numbers.is_decided() {
            if part.open.len() >= self.most_open {
                drop_small(&mut part.open, |open| Some(open.size));
            }
            let entry = part.open.entry(open_key(node)).or_insert(Open { numbers: found.numbers, size });
            *entry = Open { numbers: found.numbers, size: entry.size.max(size) };
            return true;
        }
        if part.decided.len() >= self.most_decided {
            drop_small(&mut part.decided, |decided| decided.mating.is_none().then_some(decided.size));
            if part.decided.len() > self.most_decided / 4 * 3 {
                return false;
            }
        }
        let new = Decided { mate: NEVER, no_mate: None, mating: None, size };
        let entry = part.decided.entry(key).or_insert(new);
        entry.size = entry.size.max(size);
        if found.numbers.proof > 0 {
            entry.no_mate = entry.no_mate.max(Some(node.left));
        } else if node.left < entry.mate {
            (entry.mate, entry.mating) = (node.left, found.mating);
        }
        true
    }

    fn part(&self, key: u64) -> MutexGuard<'_, Part> {
        // The maps use the lowest and the highest bits of a key.
        let index = (key >> 32) as usize % PARTS;
        self.parts[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key of an open node: its numbers hold for this number of moves left only.
fn open_key(node: SearchNode<'_>) -> u64 {
    node.board.hash() ^ (u64::from(node.left) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Drops entries of the smallest sizes, so that at most half of those that may be dropped stay. What has no size stays.
fn drop_small<V>(map: &mut HashMap<u64, V, KeyHashState>, size: impl Fn(&V) -> Option<u8>) {
    let mut counts = [0; 64];
    for size in map.values().filter_map(&size) {
        counts[usize::from(size)] += 1;
    }
    let all: usize = counts.iter().sum();
    let mut least = counts.len();
    let mut kept = 0;
    while least > 0 && kept + counts[least - 1] <= all / 2 {
        least -= 1;
        kept += counts[least];
    }
    map.retain(|_, entry| size(entry).is_none_or(|size| usize::from(size) >= least));
}

#[cfg(test)]
mod tests {
    use cozy_chess::Board;
    use plysmith_core::random::Random;

    use super::{Found, PARTS, ProofNumbers, SearchNode, Table};

    const OPEN: ProofNumbers = ProofNumbers { proof: 3, disproof: 4 };

    /// Boards of a random game, with the player to move in every second one.
    fn boards(count: usize) -> Vec<Board> {
        let mut random = Random::new(1);
        let mut boards = vec![Board::default()];
        while boards.len() < count {
            let mut board = boards[boards.len() - 1].clone();
            let mut moves = Vec::new();
            board.generate_moves(|list| {
                moves.extend(list);
                false
            });
            match moves.len() {
                0 => boards.push(Board::default()),
                some => {
                    board.play_unchecked(moves[random.below(some)]);
                    boards.push(board);
                }
            }
        }
        boards
    }

    fn node(board: &Board, left: u8) -> SearchNode<'_> {
        SearchNode { board, is_players_turn: true, left }
    }

    #[test]
    fn decisions_hold_for_other_numbers_of_moves() {
        let (table, board) = (Table::new(), Board::default());
        let store = |left, numbers, mating| table.store(node(&board, left), &Found { numbers, nodes: 1, mating });
        let m = "e2e4".parse().unwrap();
        assert!(
            store(3, OPEN, None) && store(2, ProofNumbers::DISPROVED, None) && store(5, ProofNumbers::PROVED, Some(m))
        );
        let known = |left| table.numbers(node(&board, left));
        assert_eq!((known(1), known(2)), (Some(ProofNumbers::DISPROVED), Some(ProofNumbers::DISPROVED)));
        assert_eq!((known(3), known(4)), (Some(OPEN), None));
        assert_eq!((known(5), known(9)), (Some(ProofNumbers::PROVED), Some(ProofNumbers::PROVED)));
        assert!(store(7, ProofNumbers::PROVED, None), "a longer mate changes nothing");
        assert_eq!(table.proved_mate(board.hash()), Some((m, 5)));
    }

    #[test]
    fn a_full_table_keeps_large_subtrees_and_proved_mates() {
        let most = 8;
        let table = Table::with_room(most * PARTS, most * PARTS);
        let m = "e2e4".parse().unwrap();
        let boards = boards(6000);
        for (index, board) in boards.iter().enumerate() {
            let nodes = if index % 100 == 0 { 1 << 20 } else { 1 + index as u64 % 2 };
            assert!(table.store(node(board, 3), &Found { numbers: OPEN, nodes, mating: None }));
            let is_mate = index % 100 == 50;
            let (numbers, mating) =
                if is_mate { (ProofNumbers::PROVED, Some(m)) } else { (ProofNumbers::DISPROVED, None) };
            assert!(table.store(node(board, 2), &Found { numbers, nodes: 1, mating }));
        }
        for part in &table.parts {
            let part = part.lock().unwrap();
            assert!(part.open.len() <= most && part.decided.len() <= most);
        }
        let mates = boards.iter().skip(50).step_by(100);
        assert!(mates.into_iter().all(|board| table.proved_mate(board.hash()) == Some((m, 2))));
        let kept = |boards: Vec<&Board>| boards.iter().filter(|board| table.numbers(node(board, 3)).is_some()).count();
        let (large, small) = (boards.iter().step_by(100).collect(), boards.iter().skip(1).step_by(100).collect());
        let (large, small) = (kept(large), kept(small));
        assert!(large >= 50 && small <= 20, "{large} {small}");
    }

    #[test]
    fn too_many_proved_mates_end_the_search() {
        let table = Table::with_room(8 * PARTS, 8 * PARTS);
        let found = Found { numbers: ProofNumbers::PROVED, nodes: 1, mating: Some("e2e4".parse().unwrap()) };
        assert!(!boards(3000).iter().all(|board| table.store(node(board, 2), &found)));
    }
}
