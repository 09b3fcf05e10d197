//! Several threads on one position: each searches it by itself, and what they find they share in one table ("lazy SMP").
//!
//! The leader's search is the one that counts; its helpers only fill the table. They differ in what chance decides, and
//! every second of them is an iteration ahead. With no helper the leader's search is what it would be alone, node for
//! node; with helpers no two searches are alike.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{Builder, scope};

use plysmith_core::games::AnyPosition;
use plysmith_core::search::deepening::{Limit, Report, Root, STRETCH, Task, Workspace};

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
    let (own, others) = (Counter::default(), Counter::default());
    let is_over = AtomicBool::new(false);
    let mut report = scope(|scope| {
        for (number, mut companion) in companions.enumerate() {
            let (others, is_over) = (&others, &is_over);
            let help = move || help(position, task, &mut companion, number, others, is_over);
            // A system that has no more threads has to do with fewer.
            let _ = Builder::new().name(format!("helper {number}")).spawn_scoped(scope, help);
        }
        let asked = Asked::default();
        let interrupt = || {
            own.add(asked.nodes_since());
            own.get() + others.get() >= task.limit.nodes || (task.interrupt)()
        };
        let task = Task { interrupt: &interrupt, ..task.clone() };
        let report = position.search_observed(&task, &mut leader, &mut |report| {
            own.0.store(report.nodes, Relaxed);
            asked.0.store(false, Relaxed);
            observer(Report { nodes: report.nodes + others.get(), ..report });
        });
        is_over.store(true, Relaxed);
        report
    });
    report.nodes += others.get();
    report
}

fn help(
    position: &dyn AnyPosition,
    task: &Task<'_>,
    workspace: &mut Workspace,
    number: usize,
    counter: &Counter,
    is_over: &AtomicBool,
) {
    let asked = Asked::default();
    let told = AtomicU64::new(0);
    let interrupt = || {
        let nodes = asked.nodes_since();
        counter.add(nodes);
        told.fetch_add(nodes, Relaxed);
        is_over.load(Relaxed)
    };
    let helping = Task {
        limit: Limit { depth: Limit::DEEPEST, ..task.limit },
        seed: task.seed.wrapping_add(number as u64 + 1),
        interrupt: &interrupt,
        root: Root { more_lines: 0, skip: number.is_multiple_of(2).into(), ..task.root },
        ..task.clone()
    };
    let report = position.search(&helping, workspace);
    counter.add(report.nodes - told.into_inner().min(report.nodes));
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
