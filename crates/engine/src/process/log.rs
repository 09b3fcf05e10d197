//! What was said last, in both directions: small, shared by the threads of a process, and part of every error.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The last lines.
#[derive(Debug, Default)]
pub struct ProcessLog {
    talk: Mutex<Talk>,
    stderr_lines: Mutex<StderrLines>,
    stderr_over: Condvar,
    bytes: AtomicU64,
    is_deaf: AtomicBool,
}

/// Numbered lines. Commands are kept longer than answers, so that a chatty engine does not bury them.
#[derive(Debug, Default)]
struct Talk {
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
    /// We told the engine this.
    pub fn said_to(&self, line: &str) {
        let mut talk = lock(&self.talk);
        talk.count += 1;
        let line = (talk.count, format!("> {}", shortened(line)));
        keep(&mut talk.commands, line);
    }

    /// The engine said this.
    pub fn said_by(&self, line: &str) {
        let mut talk = lock(&self.talk);
        talk.count += 1;
        let line = (talk.count, format!("< {}", shortened(line)));
        keep(&mut talk.answers, line);
    }

    /// The engine wrote this on standard error.
    pub fn complained(&self, line: &str) {
        keep(&mut lock(&self.stderr_lines).lines, shortened(line));
    }

    /// Nothing more comes on standard error.
    pub fn set_errors_over(&self) {
        lock(&self.stderr_lines).are_over = true;
        self.stderr_over.notify_all();
    }

    /// Waits until nothing more comes on standard error, but not for long.
    pub fn wait_for_errors(&self, patience: Duration) {
        let stderr_lines = lock(&self.stderr_lines);
        // Whether it was over or our patience was does not matter.
        let _ = self.stderr_over.wait_timeout_while(stderr_lines, patience, |stderr_lines| !stderr_lines.are_over);
    }

    /// The engine takes no more input.
    pub fn set_deaf(&self) {
        self.is_deaf.store(true, Ordering::Release);
    }

    /// Whether the engine takes no more input.
    pub fn is_deaf(&self) -> bool {
        self.is_deaf.load(Ordering::Acquire)
    }

    /// So many more bytes of output were read.
    pub fn add_bytes(&self, count: u64) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// Bytes of output, lines or not.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The last lines of both directions.
    pub fn talk(&self) -> Vec<String> {
        let talk = lock(&self.talk);
        let mut lines: Vec<_> = talk.commands.iter().chain(&talk.answers).collect();
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

/// A line that can be printed: no control letters, and not too long.
fn shortened(line: &str) -> String {
    let mut letters = line.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter });
    let mut text: String = letters.by_ref().take(LONGEST_LINE).collect();
    if letters.next().is_some() {
        text.push('…');
    }
    text
}
