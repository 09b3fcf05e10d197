//! Progress on standard error: a bar with the time left if it is a terminal, else nothing.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use plysmith_core::printable::printable;
use plysmith_runs::progress::{Progress, ProgressSink, ReportInterval, Update};

use crate::output::say;
use crate::signals;

/// Shows the progress of one phase after the other.
#[derive(Debug, Default)]
pub struct Terminal {
    bar: Mutex<Option<ProgressBar>>,
    reports: ReportInterval,
}

impl Terminal {
    /// Reports the state of matches this often.
    pub fn with_reports(reports: ReportInterval) -> Terminal {
        Terminal { reports, ..Terminal::default() }
    }
}

impl ProgressSink for Terminal {
    fn report_interval(&self) -> ReportInterval {
        self.reports
    }

    fn update(&self, update: Update<'_>) {
        if matches!(update, Update::Begin(_)) {
            signals::end_setup();
        }
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        match (update, bar.as_ref()) {
            (Update::Begin(steps), _) => *bar = Some(new_bar(steps)),
            (Update::Steps(steps), Some(bar)) => bar.set_length(steps),
            (Update::Done(done), Some(bar)) => bar.set_position(done),
            (Update::Message(text), Some(bar)) => bar.set_message(printable(text).into_owned()),
            (Update::Note(text), Some(bar)) => bar.suspend(|| say(text)),
            (Update::Note(text), None) => say(text),
            (Update::End, Some(_)) => {
                if let Some(bar) = bar.take() {
                    bar.finish_and_clear();
                }
            }
            (Update::Steps(_) | Update::Done(_) | Update::Message(_) | Update::End, None) => {}
        }
    }
}

fn new_bar(steps: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template("{msg}\n{wide_bar} {share}  {elapsed} elapsed, {left}") {
        bar.set_style(style.with_key("share", write_share).with_key("left", write_left));
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// How much is done. Until it is known how much there is to do, nothing is a share of it.
fn write_share(state: &ProgressState, out: &mut dyn fmt::Write) {
    let _ = match state.len() {
        None | Some(0) => write!(out, "  ? %"),
        Some(steps) => write!(out, "{:>3} %", (100 * state.pos().min(steps)) / steps),
    };
}

/// How much time is left, if anything is done by which that can be told.
fn write_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    let is_known = state.pos() > 0 && state.len().is_some_and(|steps| steps > 0);
    let _ = match is_known {
        true => write!(out, "{:#} left", HumanDuration(state.eta())),
        false => write!(out, "time left unknown"),
    };
}

/// A progress bar for commands that do not use a store.
pub fn begin(steps: u64) -> Progress {
    let terminal: Arc<dyn ProgressSink> = Arc::new(Terminal::default());
    Progress::begin(&terminal, steps)
}
