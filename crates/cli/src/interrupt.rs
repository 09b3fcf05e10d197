//! Ctrl-C and a polite kill: the first asks the work to stop, the second ends the program.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED_TO_STOP: AtomicBool = AtomicBool::new(false);
static LISTENING: OnceLock<()> = OnceLock::new();

/// From here on, Ctrl-C only raises a flag, so that what is in hand can be put away.
pub fn listen() {
    LISTENING.get_or_init(|| {
        let handler = || {
            if ASKED_TO_STOP.swap(true, Ordering::Relaxed) {
                // Results are stored as they come, so there is nothing left to save.
                std::process::exit(130);
            }
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            eprintln!("note: Ctrl-C will end the program at once ({error})");
        }
    });
}

/// Whether the user wants to stop.
pub fn is_raised() -> bool {
    ASKED_TO_STOP.load(Ordering::Relaxed)
}
