//! Ctrl-C and a polite kill: the first asks the work to stop, a later one ends the program.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::output::say;

static ASKED_TO_STOP: AtomicBool = AtomicBool::new(false);
static FIRST_ASKED: OnceLock<Instant> = OnceLock::new();
static LISTENING: OnceLock<()> = OnceLock::new();

/// Signals that come closer together than this are one wish: a terminal or `timeout` may send several.
const ONE_WISH: Duration = Duration::from_millis(500);

/// From here on, Ctrl-C only raises a flag, so that what is in hand can be put away.
pub fn listen() {
    LISTENING.get_or_init(|| {
        if let Err(error) = ctrlc::set_handler(on_signal) {
            say(format!("note: Ctrl-C will end the program at once ({error})"));
        }
    });
}

/// Whether the user wants to stop.
pub fn is_raised() -> bool {
    ASKED_TO_STOP.load(Ordering::Relaxed)
}

fn on_signal() {
    ASKED_TO_STOP.store(true, Ordering::Relaxed);
    if FIRST_ASKED.get_or_init(Instant::now).elapsed() >= ONE_WISH {
        // Results are stored as they come, so there is nothing left to save.
        std::process::exit(130);
    }
}
