//! Several threads on one problem, with one hash table.
//!
//! Each thread runs the whole search. A child is less attractive while other threads are below it, so the threads spread
//! over the tree, and find what the others did in the table. Which thread comes first decides what each of them sees, so
//! two runs may differ in everything but the truth of what they prove.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cozy_chess::Move;

use super::busy::Busy;
use super::nodes::SearchNode;
use super::search::{RootResult, Search};
use super::table::Table;
use crate::interpreter::NodeCounter;

/// Nodes that one thread spends before others help, a tenth of a second. What it decides by then is always the same.
pub(super) const ALONE: u64 = 100_000;

/// A search by several threads.
pub(super) struct Task<'a> {
    pub node: SearchNode<'a>,
    pub only: &'a [Move],
    pub table: &'a Table,
    pub threads: NonZeroUsize,
    /// The node limit of all together. Each has an equal share, so that it holds.
    pub nodes: u64,
    pub interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// Searches until one thread decides, or all have used their nodes; the nodes are those of all.
pub(super) fn search(task: &Task<'_>) -> (RootResult, u64) {
    let (busy, is_decided) = (Busy::default(), AtomicBool::new(false));
    let is_over = || is_decided.load(Ordering::Relaxed) || (task.interrupt)();
    let share = task.nodes / task.threads.get() as u64;
    let work = || {
        let counter = NodeCounter::new(share, &is_over);
        let player = task.node.board.side_to_move();
        let search = Search { busy: Some(&busy), ..Search::new(player, &counter, task.table) };
        let result = search.root(task.node, task.only);
        if result.numbers.is_decided() {
            is_decided.store(true, Ordering::Relaxed);
        }
        (result, counter.nodes())
    };
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (1..task.threads.get()).map(|_| scope.spawn(work)).collect();
        let mut results = vec![work()];
        results.extend(others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))));
        results
    });
    let nodes = results.iter().map(|(_, nodes)| nodes).sum();
    let index = results.iter().position(|(result, _)| result.numbers.is_decided()).unwrap_or(0);
    (results.swap_remove(index).0, nodes)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use plysmith_core::game::Game;
    use plysmith_core::games::chess::{INFO, Position};
    use plysmith_core::suite::text;

    use super::{Task, search};
    use crate::proof::Proof;
    use crate::solvers::dfpn::nodes::SearchNode;
    use crate::solvers::dfpn::table::Table;

    /// Whoever comes first, the answer is true and has a proof.
    #[test]
    fn threads_prove_and_exclude_mates() {
        let suite = include_str!("../../../data/chess-mates-held-out-50.suite");
        let suite = text::parse(&INFO, "held-out", suite).unwrap();
        let problems = suite.problems.iter().filter(|problem| (3..=7).contains(&problem.distance.unwrap_or(0)));
        for problem in problems {
            let position = Position::parse(&problem.position).unwrap();
            let moves = problem.distance.unwrap().div_ceil(2) as u8;
            for left in [moves - 1, moves] {
                let table = Table::new();
                let node = SearchNode { board: position.board(), is_players_turn: true, left };
                let threads = NonZeroUsize::new(3).unwrap();
                let nodes = 3_000_000;
                let task = Task { node, only: &[], table: &table, threads, nodes, interrupt: &|| false };
                let (result, spent) = search(&task);
                assert!(result.numbers.is_decided() && spent <= nodes, "{}", problem.id);
                assert_eq!(result.mating.is_some(), left == moves, "{}", problem.id);
                if let Some(m) = result.mating {
                    let m = position.legal_moves().into_iter().find(|legal| legal.for_cozy() == m).unwrap();
                    let proof = Proof::of_first_move(&position, m, left.into(), &|key| table.proved_mate(key)).unwrap();
                    assert_eq!(proof.verify(), Ok(()), "{}", problem.id);
                }
            }
        }
    }

    #[test]
    fn the_node_limit_holds_for_all_threads_together() {
        let position = Position::parse("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1").unwrap();
        let table = Table::new();
        let node = SearchNode { board: position.board(), is_players_turn: true, left: 9 };
        let task = |threads, interrupt| Task { node, only: &[], table: &table, threads, nodes: 20_000, interrupt };
        for count in 1..5 {
            let threads = NonZeroUsize::new(count).unwrap();
            let (result, nodes) = search(&task(threads, &|| false));
            assert!(!result.numbers.is_decided() && result.promising.is_some());
            assert!((20_000 - count as u64..=20_000).contains(&nodes), "{nodes}");
        }
        let (result, nodes) = search(&task(NonZeroUsize::MIN, &|| true));
        assert!(!result.numbers.is_decided() && nodes < 20_000, "an interrupt ends it: {nodes}");
    }
}
