//! PROFHEAD

use std::cell::RefCell;

/// Told of every element that is evaluated; the interpreter without one costs nothing.
pub trait Profiler {
    /// This element is evaluated.
    fn enter(&self, at: usize);
}

/// VisitCounts nothing.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoProfiler;

/// VisitCounts how often each element is evaluated.
#[derive(Debug, Default)]
pub struct VisitCounts(RefCell<Vec<u64>>);

impl Profiler for NoProfiler {
    #[inline]
    fn enter(&self, _at: usize) {}
}

impl Profiler for VisitCounts {
    fn enter(&self, at: usize) {
        if let Some(count) = self.0.borrow_mut().get_mut(at) {
            *count += 1;
        }
    }
}

impl VisitCounts {
    /// For a program of this many elements.
    pub fn new(size: usize) -> VisitCounts {
        VisitCounts(RefCell::new(vec![0; size]))
    }

    /// How often each element was evaluated.
    pub fn into_vec(self) -> Vec<u64> {
        self.0.into_inner()
    }
}
