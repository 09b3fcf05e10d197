//! Profiling of programs: how often each element is evaluated.

use std::cell::RefCell;

/// Is told about every element that is evaluated. [`NoProfiler`] compiles to nothing.
pub trait Profiler {
    /// The element at index `at` is evaluated.
    fn enter(&self, at: usize);
}

/// A profiler that ignores everything.
#[derive(Copy, Clone, Debug, Default)]
pub struct NoProfiler;

/// A profiler that counts how often each element is evaluated.
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
    /// Counts for a program of `size` elements.
    pub fn new(size: usize) -> VisitCounts {
        VisitCounts(RefCell::new(vec![0; size]))
    }

    /// The number of evaluations of each element.
    pub fn into_vec(self) -> Vec<u64> {
        self.0.into_inner()
    }
}
