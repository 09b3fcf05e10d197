//! Several threads on one position: each searches it by itself, and what they find they share in one table ("lazy SMP").
//!
//! The leader's search is the one that counts; its helpers only fill the table. They differ in what chance decides, and
//! every second of them is an iteration ahead. With no helper the leader's search is what it would be alone, node for
//! node; with helpers no two searches are alike.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{Builder, scope};

use plysmith_core::games::AnyPosition;
use plysmith_core::search::{Limit, Report, Root, STRETCH, Task, Workspace};

/// Searches on the calling thread, helped by so many others. Reports count the nodes of all; the node limit holds for
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
    let mut companions = workspace.companions(&task.settings, helpers + 1).into_iter();
    // There is at least one, for the leader.
    let mut leader = companions.next().unwrap_or_default();
    let team = Team { position, task, own: Counter::default(), others: Counter::default(), is_over: false.into() };
    let mut report = scope(|scope| {
        for (number, mut companion) in companions.enumerate() {
            let team = &team;
            let help = move || team.help(number, &mut companion);
            // A system that has no more threads has to do with fewer.
            let _ = Builder::new().name(format!("helper {number}")).spawn_scoped(scope, help);
        }
        let asked = Asked::default();
        let interrupt = || {
            team.own.add(asked.nodes_since());
            team.has_used_all_nodes() || (task.interrupt)()
        };
        let task = Task { interrupt: &interrupt, ..task.clone() };
        let report = position.search_observed(&task, &mut leader, &mut |report| {
            team.own.0.store(report.nodes, Relaxed);
            asked.0.store(false, Relaxed);
            observer(Report { nodes: report.nodes + team.others.get(), ..report });
        });
        team.is_over.store(true, Relaxed);
        report
    });
    report.nodes += team.others.get();
    report
}

/// What the threads of one search have in common.
struct Team<'a> {
    position: &'a dyn AnyPosition,
    task: &'a Task<'a>,
    /// The leader's nodes.
    own: Counter,
    /// The helpers' nodes.
    others: Counter,
    /// Whether the leader has finished.
    is_over: AtomicBool,
}

impl Team<'_> {
    fn has_used_all_nodes(&self) -> bool {
        self.own.get() + self.others.get() >= self.task.limit.nodes
    }

    /// One helper's search.
    fn help(&self, number: usize, workspace: &mut Workspace) {
        let task = self.task;
        let asked = Asked::default();
        let told = AtomicU64::new(0);
        let interrupt = || {
            let nodes = asked.nodes_since();
            self.others.add(nodes);
            told.fetch_add(nodes, Relaxed);
            // The leader may be kept from running, and must not find that the helpers have run away.
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

/// Counts nodes as they become known.
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

/// Whether the interrupt was asked before. The first question comes before the first node, every other a stretch later.
#[derive(Default)]
struct Asked(AtomicBool);

impl Asked {
    fn nodes_since(&self) -> u64 {
        if self.0.swap(true, Relaxed) { STRETCH } else { 0 }
    }
}
