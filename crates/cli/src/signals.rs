//! Ctrl-C and SIGTERM: the first signal cancels the work, a later one ends the program.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plysmith_runs::cancel::CancelToken;

use crate::failure::Failure;
use crate::output::say;

/// Signals that come closer together than this count as one: a terminal or `timeout` may send several.
const ONE_SIGNAL: Duration = Duration::from_millis(500);

/// Whether the first signal ends the program at once: nothing has been computed yet, and an engine that does not answer
/// while it is started would delay a cancellation.
static IS_SETTING_UP: AtomicBool = AtomicBool::new(false);

/// The token that Ctrl-C cancels. Until [`end_setup`], a signal ends the program at once.
pub fn begin_setup() -> CancelToken {
    IS_SETTING_UP.store(true, Ordering::Relaxed);
    cancel_token()
}

/// From now on the first signal cancels the work.
pub fn end_setup() {
    IS_SETTING_UP.store(false, Ordering::Relaxed);
}

/// The token that Ctrl-C cancels. From the first call on, the first Ctrl-C no longer ends the program.
pub fn cancel_token() -> CancelToken {
    static TOKEN: OnceLock<CancelToken> = OnceLock::new();
    TOKEN.get_or_init(listen).clone()
}

fn listen() -> CancelToken {
    let token = CancelToken::new();
    let (cancelled, first) = (token.clone(), OnceLock::new());
    let on_signal = move || {
        cancelled.cancel();
        if IS_SETTING_UP.load(Ordering::Relaxed) {
            Failure::Interrupted(None).report();
            std::process::exit(130);
        }
        if first.get_or_init(Instant::now).elapsed() >= ONE_SIGNAL {
            // Results are stored as they come, so there is nothing left to save.
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(on_signal) {
        say(format!("note: Ctrl-C will end the program without saving ({error})"));
    }
    token
}

/// Whether Ctrl-C was pressed, for commands that do not use a store.
pub fn is_cancelled() -> bool {
    cancel_token().is_cancelled()
}
