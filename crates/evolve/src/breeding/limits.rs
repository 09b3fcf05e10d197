//! Size limits of programs.

use crate::language::Program;

/// The size limits of programs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SizeLimits {
    /// The largest nesting depth.
    pub depth: usize,
    /// The largest number of elements.
    pub size: usize,
}

impl SizeLimits {
    /// Whether a program is within the limits.
    pub fn allow(self, program: &Program) -> bool {
        program.size() <= self.size && program.depth() <= self.depth
    }
}
