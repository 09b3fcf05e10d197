//! Node counting with a budget and an interrupt.

use std::cell::Cell;

/// Counts nodes and stops at a budget or on an interrupt.
pub struct NodeCounter<'a> {
    nodes: Cell<u64>,
    budget: Cell<u64>,
    is_stopped: Cell<bool>,
    interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// Nodes between two polls of the interrupt.
const STRETCH: u64 = 1 << 12;

impl<'a> NodeCounter<'a> {
    /// A counter that stops after `budget` nodes or when `interrupt` returns `true`.
    pub fn new(budget: u64, interrupt: &'a (dyn Fn() -> bool + Sync)) -> NodeCounter<'a> {
        NodeCounter { nodes: Cell::new(0), budget: Cell::new(budget), is_stopped: Cell::new(budget == 0), interrupt }
    }

    /// Nodes counted.
    pub fn nodes(&self) -> u64 {
        self.nodes.get()
    }

    /// Whether the search must stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.get()
    }

    /// Allows only this many nodes from here on, within the budget.
    pub fn allow_only(&self, more: u64) {
        self.budget.set(self.budget.get().min(self.nodes.get().saturating_add(more)));
        if self.nodes.get() >= self.budget.get() {
            self.stop();
        }
    }

    /// Stops the search.
    pub fn stop(&self) {
        self.is_stopped.set(true);
    }

    /// Counts one node.
    #[inline]
    pub fn count(&self) {
        let nodes = self.nodes.get() + 1;
        self.nodes.set(nodes);
        if nodes >= self.budget.get() || nodes.is_multiple_of(STRETCH) && (self.interrupt)() {
            self.is_stopped.set(true);
        }
    }
}
