//! NCHEAD

use std::cell::Cell;

/// How many boards were reached, and how many may be.
pub struct NodeCounter<'a> {
    nodes: Cell<u64>,
    budget: u64,
    is_stopped: Cell<bool>,
    interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// How many boards may pass between two looks at the interrupt.
const STRETCH: u64 = 1 << 12;

impl<'a> NodeCounter<'a> {
    /// So many boards may be reached, as long as nobody interrupts.
    pub fn new(budget: u64, interrupt: &'a (dyn Fn() -> bool + Sync)) -> NodeCounter<'a> {
        NodeCounter { nodes: Cell::new(0), budget, is_stopped: Cell::new(budget == 0), interrupt }
    }

    /// Boards reached.
    pub fn nodes(&self) -> u64 {
        self.nodes.get()
    }

    /// Whether no more may be reached.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.get()
    }

    /// Ends it.
    pub fn stop(&self) {
        self.is_stopped.set(true);
    }

    /// A board was reached.
    #[inline]
    pub fn count(&self) {
        let nodes = self.nodes.get() + 1;
        self.nodes.set(nodes);
        if nodes >= self.budget || nodes.is_multiple_of(STRETCH) && (self.interrupt)() {
            self.is_stopped.set(true);
        }
    }
}
