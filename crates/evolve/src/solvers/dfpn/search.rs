//! The df-pn search of one thread.

use cozy_chess::{Board, Color, Move};

use super::busy::Busy;
use super::nodes::{Child, Children, ProofNumbers, SearchNode};
use super::table::{Found, Table};
use crate::interpreter::{NodeCounter, legal_moves};
use crate::knowledge::BoardView;

/// A search.
pub(super) struct Search<'a> {
    pub player: Color,
    pub counter: &'a NodeCounter<'a>,
    pub table: &'a Table,
    /// Where the other threads are, if there are any.
    pub busy: Option<&'a Busy>,
}

/// What a search says of the first moves.
pub(super) struct RootResult {
    pub numbers: ProofNumbers,
    /// The move that mates.
    pub mating: Option<Move>,
    /// The open move that is closest to a mate.
    pub promising: Option<Move>,
}

/// The largest proof number of moves that wait: checks with fewer replies come before them.
const MOST_WAITING: u32 = 8;
/// Other threads change the numbers of siblings; after this many nodes below one child they are looked up again.
const REFRESH: u64 = 1 << 10;

impl<'a> Search<'a> {
    pub fn new(player: Color, counter: &'a NodeCounter<'a>, table: &'a Table) -> Search<'a> {
        Search { player, counter, table, busy: None }
    }

    /// Decides a node, whoever is to move.
    pub fn decide(&self, node: SearchNode<'_>) -> ProofNumbers {
        let known = self.known_numbers(node);
        if known.is_decided() { known } else { self.expand(node, ProofNumbers::OPEN_END) }
    }

    /// Searches a position with the player to move, by one of the moves in `only` or any if there are none.
    pub fn root(&self, node: SearchNode<'_>, only: &[Move]) -> RootResult {
        let mut children = self.children(node, only);
        // The table has no place for a node with some of its moves only.
        let numbers = self.expand_children(node, &mut children, ProofNumbers::OPEN_END, only.is_empty());
        let made = &children.made;
        let mating = made.iter().find(|child| child.numbers.proof == 0).map(|child| child.m);
        let open = made.iter().filter(|child| !child.numbers.is_decided());
        RootResult { numbers, mating, promising: open.min_by_key(|child| child.numbers.proof).map(|child| child.m) }
    }

    /// Expands the node until it is decided or reaches a threshold; returns its numbers.
    fn expand(&self, here: SearchNode<'_>, thresholds: ProofNumbers) -> ProofNumbers {
        if !here.is_players_turn && here.left == 1 {
            return self.decide_last(here);
        }
        let mut children = self.children(here, &[]);
        self.expand_children(here, &mut children, thresholds, true)
    }

    fn expand_children(
        &self,
        here: SearchNode<'_>,
        children: &mut Children,
        thresholds: ProofNumbers,
        is_stored: bool,
    ) -> ProofNumbers {
        let begin = self.counter.nodes();
        loop {
            while children.wants_waiting() {
                let waiting = std::mem::take(&mut children.waiting);
                self.make(here, &waiting, children);
            }
            let numbers = children.numbers();
            if numbers.reaches(thresholds) || self.counter.is_stopped() {
                if is_stored {
                    let mating = children.made.iter().find(|child| child.numbers.proof == 0).map(|child| child.m);
                    let mating = mating.filter(|_| here.is_players_turn);
                    self.store(here, &Found { numbers, nodes: self.counter.nodes() - begin, mating });
                }
                return numbers;
            }
            self.expand_best(here, children, numbers, thresholds);
        }
    }

    /// Expands the child that is to be searched next.
    fn expand_best(
        &self,
        here: SearchNode<'_>,
        children: &mut Children,
        numbers: ProofNumbers,
        thresholds: ProofNumbers,
    ) {
        let begin = self.counter.nodes();
        let busy = |child: &Child| self.busy.map_or(0, |busy| busy.threads(child.board.hash()));
        let (index, thresholds) = children.select(numbers, thresholds, busy);
        let key = children.made[index].board.hash();
        self.busy.inspect(|busy| busy.enter(key));
        let result = self.expand(here.after(&children.made[index]), thresholds);
        self.busy.inspect(|busy| busy.leave(key));
        children.made[index].numbers = result;
        if self.busy.is_some() && self.counter.nodes() - begin >= REFRESH {
            for child in children.made.iter_mut().filter(|child| !child.numbers.is_decided()) {
                child.numbers = self.table.numbers(here.after(child)).unwrap_or(child.numbers);
            }
        }
    }

    /// The children that matter, with their numbers; only these moves, if there are any. Where the player has checks and
    /// other moves, the others wait.
    fn children(&self, here: SearchNode<'_>, only: &[Move]) -> Children {
        let mut children = Children {
            is_players_turn: here.is_players_turn,
            made: Vec::new(),
            waiting: Vec::new(),
            waiting_proof: MOST_WAITING,
        };
        if here.left == 0 {
            return children;
        }
        let mut moves = legal_moves(here.board);
        moves.retain(|m| only.is_empty() || only.contains(m));
        let view = BoardView { board: here.board, player: self.player };
        if here.is_players_turn {
            let squares = view.checks();
            let (checks, others): (Vec<Move>, Vec<Move>) =
                moves.iter().partition(|&&m| view.gives_check_by(m, &squares));
            match (checks.is_empty(), here.left) {
                // Only a check can mate at once.
                (_, 1) => self.make(here, &checks, &mut children),
                (true, _) => self.make(here, &others, &mut children),
                (false, _) => {
                    self.make(here, &checks, &mut children);
                    children.waiting = others;
                    children.waiting_proof = waiting_proof(here.board);
                }
            }
        } else {
            self.make(here, &moves, &mut children);
        }
        children
    }

    /// Makes the boards after these moves, up to one that decides.
    fn make(&self, here: SearchNode<'_>, moves: &[Move], children: &mut Children) {
        let decisive = if here.is_players_turn { ProofNumbers::PROVED } else { ProofNumbers::DISPROVED };
        for &m in moves {
            if self.counter.is_stopped() {
                // What was not looked at decides nothing.
                children.made.push(Child { m, board: here.board.clone(), numbers: ProofNumbers::UNKNOWN });
                break;
            }
            let mut child = Child { m, board: self.play(here.board, m), numbers: ProofNumbers::UNKNOWN };
            child.numbers = self.known_numbers(here.after(&child));
            let is_decisive = child.numbers == decisive;
            children.made.push(child);
            if is_decisive {
                break;
            }
        }
    }

    /// The numbers of a node from the hash table, or its initial numbers.
    fn known_numbers(&self, here: SearchNode<'_>) -> ProofNumbers {
        let mut replies = 0;
        if here.is_players_turn {
            if !here.board.generate_moves(|_| true) {
                return ProofNumbers::DISPROVED;
            }
        } else {
            here.board.generate_moves(|moves| {
                replies += moves.len() as u32;
                here.left == 0
            });
            match replies {
                0 if here.board.checkers().is_empty() => return ProofNumbers::DISPROVED,
                0 => return ProofNumbers::PROVED,
                _ if here.left == 0 => return ProofNumbers::DISPROVED,
                _ => {}
            }
        }
        self.table.numbers(here).unwrap_or(ProofNumbers { proof: replies.max(1), disproof: 1 })
    }

    /// Decides whether the player mates at once after every reply. It looks at one reply after the other, because one
    /// without a mate settles it.
    fn decide_last(&self, here: SearchNode<'_>) -> ProofNumbers {
        let begin = self.counter.nodes();
        let mut numbers = ProofNumbers::PROVED;
        for &m in &legal_moves(here.board) {
            if self.counter.is_stopped() {
                return ProofNumbers::UNKNOWN;
            }
            let board = self.play(here.board, m);
            let next = SearchNode { board: &board, is_players_turn: true, left: 1 };
            let known = self.table.numbers(next).filter(|numbers| numbers.is_decided());
            numbers = known.unwrap_or_else(|| self.decide_mate(next));
            if numbers != ProofNumbers::PROVED {
                break;
            }
        }
        if numbers.is_decided() {
            self.store(here, &Found { numbers, nodes: self.counter.nodes() - begin, mating: None });
        }
        numbers
    }

    /// Decides whether the player mates at once.
    fn decide_mate(&self, here: SearchNode<'_>) -> ProofNumbers {
        let view = BoardView { board: here.board, player: self.player };
        let squares = view.checks();
        for &m in legal_moves(here.board).iter().filter(|&&m| view.gives_check_by(m, &squares)) {
            if self.counter.is_stopped() {
                return ProofNumbers::UNKNOWN;
            }
            if !self.play(here.board, m).generate_moves(|_| true) {
                self.store(here, &Found { numbers: ProofNumbers::PROVED, nodes: 1, mating: Some(m) });
                return ProofNumbers::PROVED;
            }
        }
        ProofNumbers::DISPROVED
    }

    /// The board after a move, counted as a node.
    fn play(&self, board: &Board, m: Move) -> Board {
        self.counter.count();
        let mut next = board.clone();
        next.play_unchecked(m);
        next
    }

    fn store(&self, here: SearchNode<'_>, found: &Found) {
        if !self.table.store(here, found) {
            self.counter.stop();
        }
    }
}

/// The proof number of moves that wait: that of a move after which the opponent has as many replies as he would have now,
/// were it his turn.
fn waiting_proof(board: &Board) -> u32 {
    let mut replies = 0;
    if let Some(passed) = board.null_move() {
        passed.generate_moves(|moves| {
            replies += moves.len() as u32;
            replies >= MOST_WAITING
        });
        replies.clamp(1, MOST_WAITING)
    } else {
        MOST_WAITING
    }
}
