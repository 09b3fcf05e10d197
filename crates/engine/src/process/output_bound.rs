//! Bounds on what an engine writes in each phase of the dialogue: no engine has that much to say, and one that writes for
//! ever must not take our memory or our time.

use super::error::Fault;
use super::log::ProcessLog;

/// The most that an engine may write in a phase.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OutputBound {
    /// The phase, as in "lines before 'uciok'".
    pub phase: &'static str,
    /// Lines of standard output.
    pub lines: u64,
    /// Bytes of standard output, in lines or not.
    pub bytes: u64,
}

impl OutputBound {
    /// A handshake or a list: everything in it may be kept. Engines have some hundred options at most.
    pub const fn list(phase: &'static str) -> OutputBound {
        OutputBound { phase, lines: 10_000, bytes: 4 << 20 }
    }

    /// A search, or anything else of which only the last lines are kept. Engines write some thousand lines in an hour.
    pub const fn search(phase: &'static str) -> OutputBound {
        OutputBound { phase, lines: 200_000, bytes: 64 << 20 }
    }
}

/// Bytes of standard error in any phase. An engine may log every node there.
const MOST_STDERR_BYTES: u64 = 256 << 20;

/// What was written in the phase under way.
#[derive(Debug)]
pub struct OutputCount {
    bound: OutputBound,
    lines: u64,
    /// The bytes of both streams when the phase began.
    bytes_before: u64,
    stderr_before: u64,
}

impl Default for OutputCount {
    fn default() -> OutputCount {
        OutputCount { bound: OutputBound::list("before its first answer"), lines: 0, bytes_before: 0, stderr_before: 0 }
    }
}

impl OutputCount {
    /// Begins a phase.
    pub fn new(bound: OutputBound, log: &ProcessLog) -> OutputCount {
        OutputCount { bound, lines: 0, bytes_before: log.bytes(), stderr_before: log.stderr_bytes() }
    }

    /// Counts a line, if there is one, and what was read besides; the fault if that is too much.
    pub fn fault(&mut self, is_line: bool, log: &ProcessLog) -> Option<Fault> {
        self.lines += u64::from(is_line);
        let OutputBound { phase, lines, bytes } = self.bound;
        let too_much = |most, what: &str| Some(Fault::TooMuchOutput { most, what: format!("{what} {phase}") });
        if self.lines > lines {
            return too_much(lines, "lines");
        }
        if log.bytes().saturating_sub(self.bytes_before) > bytes {
            return too_much(bytes, "bytes");
        }
        if log.stderr_bytes().saturating_sub(self.stderr_before) > MOST_STDERR_BYTES {
            return too_much(MOST_STDERR_BYTES, "bytes to its standard error");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_STDERR_BYTES, OutputBound, OutputCount};
    use crate::process::log::ProcessLog;

    #[test]
    fn each_phase_is_counted_anew() {
        let log = ProcessLog::default();
        let bound = OutputBound { phase: "before 'uciok'", lines: 3, bytes: 100 };
        let mut count = OutputCount::new(bound, &log);
        assert!((0..3).all(|_| count.fault(true, &log).is_none() && count.fault(false, &log).is_none()));
        let told = |count: &mut OutputCount, is_line| count.fault(is_line, &log).unwrap().to_string();
        assert_eq!(told(&mut count, true), "wrote more than 3 lines before 'uciok'");
        count = OutputCount::new(bound, &log);
        log.add_bytes(100);
        assert_eq!(count.fault(true, &log), None);
        log.add_bytes(1);
        assert_eq!(told(&mut count, false), "wrote more than 100 bytes before 'uciok'");
        count = OutputCount::new(bound, &log);
        log.add_stderr_bytes(MOST_STDERR_BYTES);
        assert_eq!(count.fault(true, &log), None);
        log.add_stderr_bytes(1);
        assert!(told(&mut count, false).contains("bytes to its standard error before 'uciok'"));
    }
}
