//! The standard output of an engine, line by line.
//!
//! On Unix the thread that waits for a line reads the pipe itself: waking a reader thread for every line was the largest
//! part of the cost of driving an engine. Lines that are not waited for stay in the pipe, so the engine blocks and our
//! memory does not grow.

use std::time::Instant;

/// A line of an engine's output, and when it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineLine {
    /// When it was read.
    pub at: Instant,
    /// The line without its end; empty if it was too long to keep.
    pub text: String,
}

/// The result of waiting for a line.
#[derive(Debug)]
pub enum NextLine {
    /// A line.
    Line(EngineLine),
    /// No line in time.
    Nothing,
    /// The output was closed.
    Over,
}

#[cfg(unix)]
pub use direct::EngineOutput;
#[cfg(not(unix))]
pub use threaded::EngineOutput;

#[cfg(unix)]
mod direct {
    use std::io::{ErrorKind, Read};
    use std::process::ChildStdout;
    use std::sync::Arc;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::{EngineLine, NextLine};
    use crate::lines::LineSplitter;
    use crate::process::log::ProcessLog;

    /// The engine's standard output.
    #[derive(Debug)]
    pub struct EngineOutput {
        stdout: ChildStdout,
        log: Arc<ProcessLog>,
        splitter: LineSplitter,
        chunk: Box<[u8]>,
        /// When the last bytes were read, and whether they ended in the middle of a line.
        at: Instant,
        is_in_line: bool,
        is_over: bool,
    }

    /// How long the rest of a line is waited for. Some engines (glaurung) write every word separately, and waking up for
    /// each of them is expensive.
    const REST_OF_LINE: Duration = Duration::from_micros(200);
    const CHUNK: usize = 1 << 16;

    impl EngineOutput {
        /// Reads from this pipe.
        pub fn new(stdout: ChildStdout, log: Arc<ProcessLog>) -> std::io::Result<EngineOutput> {
            let (splitter, chunk) = (LineSplitter::default(), vec![0; CHUNK].into_boxed_slice());
            Ok(EngineOutput { stdout, log, splitter, chunk, at: Instant::now(), is_in_line: false, is_over: false })
        }

        /// The next line, if there is one until then.
        pub fn next(&mut self, until: Instant) -> NextLine {
            let mut is_late = false;
            loop {
                if let Some(line) = self.splitter.line() {
                    let text = line.text();
                    self.log.said_by(&text);
                    return NextLine::Line(EngineLine { at: self.at, text });
                }
                if self.is_over {
                    return NextLine::Over;
                }
                // Output without a newline may come for ever.
                if is_late || !self.has_input_by(until) {
                    return NextLine::Nothing;
                }
                self.read();
                is_late = Instant::now() >= until;
            }
        }

        fn has_input_by(&self, until: Instant) -> bool {
            let left = until.saturating_duration_since(Instant::now());
            let wait = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
            let mut pipe = [PollFd::new(&self.stdout, PollFlags::IN)];
            // A signal in between counts as no input; the caller polls again.
            matches!(poll(&mut pipe, Some(&wait)), Ok(ready) if ready > 0)
        }

        fn read(&mut self) {
            if self.is_in_line {
                sleep(REST_OF_LINE);
            }
            let count = match self.stdout.read(&mut self.chunk) {
                Err(error) if error.kind() == ErrorKind::Interrupted => return,
                Ok(count) => count,
                Err(_) => 0,
            };
            self.at = Instant::now();
            self.is_over = count == 0;
            self.is_in_line = self.chunk[..count].last().is_some_and(|&byte| byte != b'\n');
            self.log.add_bytes(count as u64);
            if self.is_over { self.splitter.end() } else { self.splitter.add(&self.chunk[..count]) }
        }
    }
}

#[cfg(not(unix))]
mod threaded {
    use std::io::Read;
    use std::process::ChildStdout;
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
    use std::thread::Builder;
    use std::time::Instant;

    use super::{EngineLine, NextLine};
    use crate::lines::LineSplitter;
    use crate::process::log::ProcessLog;

    /// The engine's standard output, read by a thread.
    #[derive(Debug)]
    pub struct EngineOutput {
        lines: Receiver<EngineLine>,
    }

    /// The length of the queue of lines.
    const UNHEARD_LINES: usize = 4096;

    impl EngineOutput {
        /// Reads from this pipe.
        pub fn new(mut stdout: ChildStdout, log: Arc<ProcessLog>) -> std::io::Result<EngineOutput> {
            let (speaker, lines) = sync_channel(UNHEARD_LINES);
            let read = move || {
                let (mut splitter, mut chunk) = (LineSplitter::default(), vec![0; 1 << 16]);
                loop {
                    let count = stdout.read(&mut chunk).unwrap_or(0);
                    log.add_bytes(count as u64);
                    if count == 0 {
                        splitter.end()
                    } else {
                        splitter.add(&chunk[..count])
                    }
                    while let Some(line) = splitter.line() {
                        let text = line.text();
                        log.said_by(&text);
                        if speaker.send(EngineLine { at: Instant::now(), text }).is_err() {
                            return;
                        }
                    }
                    if count == 0 {
                        return;
                    }
                }
            };
            Builder::new().name("engine output".to_string()).spawn(read)?;
            Ok(EngineOutput { lines })
        }

        /// The next line, if there is one until then.
        pub fn next(&mut self, until: Instant) -> NextLine {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(heard) => NextLine::Line(heard),
                Err(RecvTimeoutError::Timeout) => NextLine::Nothing,
                Err(RecvTimeoutError::Disconnected) => NextLine::Over,
            }
        }
    }
}
