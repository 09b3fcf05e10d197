//! The last lines of both directions. Shared by the threads of a process, and part of every error.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::traffic::EngineTraffic;

/// The last lines.
#[derive(Debug, Default)]
pub struct ProcessLog {
    transcript: Mutex<Transcript>,
    stderr_lines: Mutex<StderrLines>,
    stderr_over: Condvar,
    bytes: AtomicU64,
    stderr_bytes: AtomicU64,
    is_stdin_closed: AtomicBool,
    /// Where all lines are kept, if anywhere.
    traffic: Option<EngineTraffic>,
}

/// Numbered lines. Commands and answers are kept apart, so that a verbose engine does not displace the commands.
#[derive(Debug, Default)]
struct Transcript {
    count: u64,
    commands: VecDeque<(u64, String)>,
    answers: VecDeque<(u64, String)>,
}

#[derive(Debug, Default)]
struct StderrLines {
    lines: VecDeque<String>,
    are_over: bool,
}

/// Of each kind.
const MOST_LINES: usize = 30;
const LONGEST_LINE: usize = 300;

impl ProcessLog {
    /// Keeps the last lines, and writes all of them to a file if there is one.
    pub fn new(traffic: Option<EngineTraffic>) -> ProcessLog {
        ProcessLog { traffic, ..ProcessLog::default() }
    }

    /// Adds a command that was sent.
    pub fn said_to(&self, line: &str) {
        if let Some(traffic) = &self.traffic {
            traffic.sent(line);
        }
        let mut transcript = lock(&self.transcript);
        transcript.count += 1;
        let line = (transcript.count, format!("> {}", shortened(line)));
        keep(&mut transcript.commands, line);
    }

    /// Adds a line of the engine's output.
    pub fn said_by(&self, line: &str) {
        if let Some(traffic) = &self.traffic {
            traffic.received(line);
        }
        let mut transcript = lock(&self.transcript);
        transcript.count += 1;
        let line = (transcript.count, format!("< {}", shortened(line)));
        keep(&mut transcript.answers, line);
    }

    /// Adds a line of the engine's standard error.
    pub fn stderr_line(&self, line: &str) {
        if let Some(traffic) = &self.traffic {
            traffic.error(line);
        }
        keep(&mut lock(&self.stderr_lines).lines, shortened(line));
    }

    /// The engine closed its standard error.
    pub fn set_errors_over(&self) {
        lock(&self.stderr_lines).are_over = true;
        self.stderr_over.notify_all();
    }

    /// Waits until standard error is closed, but not longer than the timeout.
    pub fn wait_for_errors(&self, timeout: Duration) {
        let stderr_lines = lock(&self.stderr_lines);
        // Either end is fine.
        let _ = self.stderr_over.wait_timeout_while(stderr_lines, timeout, |stderr_lines| !stderr_lines.are_over);
    }

    /// The engine closed its standard input.
    pub fn set_stdin_closed(&self) {
        self.is_stdin_closed.store(true, Ordering::Release);
    }

    /// Whether the engine closed its standard input.
    pub fn is_stdin_closed(&self) -> bool {
        self.is_stdin_closed.load(Ordering::Acquire)
    }

    /// Counts bytes of output that were read.
    pub fn add_bytes(&self, count: u64) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// The number of bytes of output, lines or not.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Counts bytes of standard error that were read.
    pub fn add_stderr_bytes(&self, count: u64) {
        self.stderr_bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// The number of bytes of standard error.
    pub fn stderr_bytes(&self) -> u64 {
        self.stderr_bytes.load(Ordering::Relaxed)
    }

    /// The last lines of both directions.
    pub fn transcript(&self) -> Vec<String> {
        let transcript = lock(&self.transcript);
        let mut lines: Vec<_> = transcript.commands.iter().chain(&transcript.answers).collect();
        lines.sort();
        lines.into_iter().map(|(_, line)| line.clone()).collect()
    }

    /// The last lines of standard error.
    pub fn stderr_lines(&self) -> Vec<String> {
        lock(&self.stderr_lines).lines.iter().cloned().collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn keep<T>(lines: &mut VecDeque<T>, line: T) {
    if lines.len() == MOST_LINES {
        lines.pop_front();
    }
    lines.push_back(line);
}

/// A line that can be printed: without control characters, and not too long.
fn shortened(line: &str) -> String {
    let mut letters = line.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter });
    let mut text: String = letters.by_ref().take(LONGEST_LINE).collect();
    if letters.next().is_some() {
        text.push('…');
    }
    text
}
