//! Progress of a run, reported to whoever shows it: a terminal, a web page, a test.

use std::cell::Cell;
use std::num::NonZeroU64;
use std::sync::Arc;

/// Receives progress updates. Updates may come from any thread.
pub trait ProgressSink: Send + Sync {
    /// Takes one update.
    fn update(&self, update: Update<'_>);

    /// How often it wants notes on the state of a match.
    fn report_interval(&self) -> ReportInterval {
        ReportInterval::Never
    }
}

/// How often the state of a match is reported.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum ReportInterval {
    /// Not at all.
    #[default]
    Never,
    /// After 10, 20, …, 100, 200, …, 1000, 2000, … games, and every ten minutes.
    Adaptive,
    /// Every this number of games.
    Every(NonZeroU64),
}

/// One update.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Update<'a> {
    /// A phase with this many steps begins.
    Begin(u64),
    /// The phase now has this many steps in all.
    Steps(u64),
    /// This many steps of the phase are done.
    Done(u64),
    /// What is being done now.
    Message(&'a str),
    /// Something to be kept on the screen: a note, a warning, a finished iteration.
    Note(&'a str),
    /// The phase is over.
    End,
}

/// Ignores every update.
#[derive(Copy, Clone, Debug, Default)]
pub struct Silent;

impl ProgressSink for Silent {
    fn update(&self, _: Update<'_>) {}
}

/// One phase of work, which consists of parts that each count their own steps.
///
/// The phase ends when this is dropped.
pub struct Progress {
    sink: Arc<dyn ProgressSink>,
    /// Steps of the parts that are finished.
    finished: Cell<u64>,
}

impl Progress {
    /// Begins a phase with this many steps.
    pub fn begin(sink: &Arc<dyn ProgressSink>, steps: u64) -> Progress {
        sink.update(Update::Begin(steps));
        Progress { sink: Arc::clone(sink), finished: Cell::new(0) }
    }

    /// Shows what is being done now.
    pub fn message(&self, text: impl AsRef<str>) {
        self.sink.update(Update::Message(text.as_ref()));
    }

    /// Shows a note that stays visible.
    pub fn note(&self, text: impl AsRef<str>) {
        self.sink.update(Update::Note(text.as_ref()));
    }

    /// How often notes on the state of a match are wanted.
    pub fn report_interval(&self) -> ReportInterval {
        self.sink.report_interval()
    }

    /// Sets the number of steps in all.
    pub fn set_steps(&self, steps: u64) {
        self.sink.update(Update::Steps(steps));
    }

    /// Sets how many steps of the current part are done.
    pub fn set_part_done(&self, done: u64) {
        self.sink.update(Update::Done(self.finished.get() + done));
    }

    /// Ends the current part, which had this many steps.
    pub fn finish_part(&self, steps: u64) {
        self.finished.set(self.finished.get() + steps);
        self.set_part_done(0);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.sink.update(Update::End);
    }
}
