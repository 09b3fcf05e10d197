//! Progress on standard error: a bar with the time left, and silence where nobody watches.

use std::cell::Cell;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::say;

/// A bar that appears when the work takes longer than a moment.
pub struct Progress {
    bar: ProgressBar,
    /// Steps of what was finished before the part that reports its own count.
    base: Cell<u64>,
}

impl Progress {
    /// A bar of so many steps.
    pub fn new(steps: u64) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(8));
        let template = "{msg}\n{wide_bar} {percent:>3} %  {elapsed} gone, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(500));
        Progress { bar, base: Cell::new(0) }
    }

    /// Says what is being done.
    pub fn say(&self, message: String) {
        self.bar.set_message(message);
    }

    /// Says something that stays, above the bar.
    pub fn aside(&self, message: impl std::fmt::Display) {
        self.bar.suspend(|| say(message));
    }

    /// Sets how many steps there are in all.
    pub fn set_steps(&self, steps: u64) {
        self.bar.set_length(steps);
    }

    /// So many steps of the current part are done.
    pub fn part(&self, done: u64) {
        self.bar.set_position(self.base.get() + done);
    }

    /// The current part is through; it was so many steps.
    pub fn finish_part(&self, steps: u64) {
        self.base.set(self.base.get() + steps);
        self.bar.set_position(self.base.get());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
