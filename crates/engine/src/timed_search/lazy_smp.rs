//! Lazy SMP: several threads search one position independently and share the transposition table.
//!
//! The main thread's search is the one that counts; its helpers only fill the table. Helpers have other seeds, and every
//! second one is an iteration ahead. With no helper the main thread's search is the same, node for node, as without this
//! module; with helpers a search is not repeatable.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{Builder, scope};

use plysmith_core::games::AnyPosition;
use plysmith_core::search::deepening::{Limit, Report, Root, STRETCH, Task, Workspace};

/// Searches on the calling thread, with `helpers` more threads. Reports count the nodes of all; the node limit holds for
/// all together, as exactly as threads can know of each other.
pub fn search(
    position: &dyn AnyPosition,
    task: &Task<'_>,
    workspace: &mut Workspace,
    helpers: usize,
    observer: &mut dyn FnMut(Report<String>),
) -> Report<String> {
    if helpers == 0 {
        return position.search_observed(task, workspace, observer);
    }
    let mut workspaces = workspace.companions(&task.settings, helpers + 1).into_iter();
    // There is at least one, for the main thread.
    let mut main = workspaces.next().unwrap_or_default();
    let shared =
        SharedSearch { position, task, own: Counter::default(), others: Counter::default(), is_over: false.into() };
    let mut report = scope(|scope| {
        for (number, mut workspace) in workspaces.enumerate() {
            let shared = &shared;
            let help = move || shared.help(number, &mut workspace);
            // A system that has no more threads makes do with fewer.
            let _ = Builder::new().name(format!("helper {number}")).spawn_scoped(scope, help);
        }
        let asked = FirstAsked::default();
        let interrupt = || {
            shared.own.add(asked.nodes_since());
            shared.has_used_all_nodes() || (task.interrupt)()
        };
        let task = Task { interrupt: &interrupt, ..task.clone() };
        let report = position.search_observed(&task, &mut main, &mut |report| {
            shared.own.0.store(report.nodes, Relaxed);
            asked.0.store(false, Relaxed);
            observer(Report { nodes: report.nodes + shared.others.get(), ..report });
        });
        shared.is_over.store(true, Relaxed);
        report
    });
    report.nodes += shared.others.get();
    report
}

/// What the threads of one search share.
struct SharedSearch<'a> {
    position: &'a dyn AnyPosition,
    task: &'a Task<'a>,
    /// The main thread's nodes.
    own: Counter,
    /// The helpers' nodes.
    others: Counter,
    /// Whether the main thread has finished.
    is_over: AtomicBool,
}

impl SharedSearch<'_> {
    fn has_used_all_nodes(&self) -> bool {
        self.own.get() + self.others.get() >= self.task.limit.nodes
    }

    /// One helper's search.
    fn help(&self, number: usize, workspace: &mut Workspace) {
        let task = self.task;
        let asked = FirstAsked::default();
        let told = AtomicU64::new(0);
        let interrupt = || {
            let nodes = asked.nodes_since();
            self.others.add(nodes);
            told.fetch_add(nodes, Relaxed);
            // The main thread may be suspended, and must not find that the helpers used up all nodes long ago.
            self.is_over.load(Relaxed) || self.has_used_all_nodes()
        };
        let helping = Task {
            limit: Limit { depth: Limit::DEEPEST, ..task.limit },
            seed: task.seed.wrapping_add(number as u64 + 1),
            interrupt: &interrupt,
            root: Root { more_lines: 0, skip: number.is_multiple_of(2).into(), ..task.root },
            ..task.clone()
        };
        let report = self.position.search(&helping, workspace);
        self.others.add(report.nodes - told.into_inner().min(report.nodes));
    }
}

/// A count of nodes.
#[derive(Default)]
struct Counter(AtomicU64);

impl Counter {
    fn add(&self, nodes: u64) {
        self.0.fetch_add(nodes, Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Whether the interrupt was polled before. The first poll comes before the first node, every other a stretch later.
#[derive(Default)]
struct FirstAsked(AtomicBool);

impl FirstAsked {
    fn nodes_since(&self) -> u64 {
        if self.0.swap(true, Relaxed) { STRETCH } else { 0 }
    }
}
