//! Size limits of programs.

use crate::language::Program;

/// How large programs may become.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SizeLimits {
    /// Elements inside each other.
    pub depth: usize,
    /// Elements.
    pub size: usize,
}

impl SizeLimits {
    /// Whether a program keeps to them.
    pub fn allow(self, program: &Program) -> bool {
        program.size() <= self.size && program.depth() <= self.depth
    }
}
