//! Ctrl-C, SIGTERM and SIGHUP: the first signal cancels the work, a later one ends the program.
//!
//! A signal that was ignored when the program was started stays ignored: `nohup` ignores SIGHUP, and a shell that is not
//! interactive ignores SIGINT for what it starts in the background.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plysmith_engine::process::STOP_WITH_INPUT;
use plysmith_runs::cancel::CancelToken;

use crate::failure::Failure;
use crate::output::say;

/// Signals that come closer together than this count as one: a terminal or `timeout` may send several.
const ONE_SIGNAL: Duration = Duration::from_millis(500);

/// Whether the first signal ends the program at once: nothing has been computed yet, and an engine that does not answer
/// while it is started would delay a cancellation.
static IS_SETTING_UP: AtomicBool = AtomicBool::new(false);

/// Whether the first signal ends the program at once, to the end: the command stores nothing.
static HAS_NOTHING_TO_SAVE: AtomicBool = AtomicBool::new(false);

/// From now on a signal ends the program at once.
pub fn end_at_once() {
    HAS_NOTHING_TO_SAVE.store(true, Ordering::Relaxed);
    cancel_token();
}

/// The token that Ctrl-C cancels. Until [`end_setup`], a signal ends the program at once.
pub fn begin_setup() -> CancelToken {
    IS_SETTING_UP.store(true, Ordering::Relaxed);
    cancel_token()
}

/// From now on the first signal cancels the work.
pub fn end_setup() {
    IS_SETTING_UP.store(false, Ordering::Relaxed);
}

/// The token that Ctrl-C cancels. From the first call on, the first Ctrl-C no longer ends the program. That call must come
/// before other threads are started.
pub fn cancel_token() -> CancelToken {
    static TOKEN: OnceLock<CancelToken> = OnceLock::new();
    TOKEN.get_or_init(start_listening).clone()
}

fn start_listening() -> CancelToken {
    let token = CancelToken::new();
    let (cancelled, first) = (token.clone(), OnceLock::new());
    let on_signal = move || {
        cancelled.cancel();
        if IS_SETTING_UP.load(Ordering::Relaxed) || HAS_NOTHING_TO_SAVE.load(Ordering::Relaxed) {
            Failure::Interrupted(None).report();
            std::process::exit(130);
        }
        if first.get_or_init(Instant::now).elapsed() >= ONE_SIGNAL {
            // Results are stored as they come, so there is nothing left to save.
            std::process::exit(130);
        }
    };
    if let Err(error) = platform::listen(on_signal) {
        say(format!("note: Ctrl-C will end the program without saving ({error})"));
    }
    if std::env::var_os(STOP_WITH_INPUT).is_some() {
        stop_with_input(token.clone());
    }
    token
}

/// Cancels the work when standard input is closed: who started this program holds the other end, and if it ends in
/// whatever way, the system closes it.
fn stop_with_input(token: CancelToken) {
    let wait = move || {
        let mut input = std::io::stdin().lock();
        // Whatever comes is ignored; an error is as good as the end.
        let _ = std::io::copy(&mut input, &mut std::io::sink());
        token.cancel();
        if IS_SETTING_UP.load(Ordering::Relaxed) {
            Failure::Interrupted(None).report();
            std::process::exit(130);
        }
    };
    if let Err(error) = std::thread::Builder::new().name("input".to_string()).spawn(wait) {
        say(format!("note: this program will not stop by itself when the one that started it ends ({error})"));
    }
}

/// Whether Ctrl-C was pressed, for commands that do not use a store.
pub fn is_cancelled() -> bool {
    cancel_token().is_cancelled()
}

pub use platform::unblock;

#[cfg(unix)]
mod platform {
    use std::io;

    use nix::sys::signal::{SigSet, Signal};

    /// Signals that ask a program to end.
    const SIGNALS: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

    /// Lets signals through that the parent process has blocked: a process inherits that, and the guards of engines are
    /// started by a plysmith that blocks them.
    pub fn unblock() {
        let _ = SigSet::all().thread_unblock();
    }

    /// Calls this for every signal, in a thread of its own. The signals are blocked in all threads that are started from now
    /// on, and the thread fetches them: a handler would need unsafe code, and could not leave ignored signals alone.
    pub fn listen(mut on_signal: impl FnMut() + Send + 'static) -> io::Result<()> {
        let ignored = ignored_signals();
        let wanted: SigSet = SIGNALS.into_iter().filter(|signal| ignored & (1 << (*signal as u32 - 1)) == 0).collect();
        wanted.thread_block()?;
        let wait = move || {
            loop {
                if wanted.wait().is_ok() {
                    on_signal();
                }
            }
        };
        let started = std::thread::Builder::new().name("signals".to_string()).spawn(wait);
        if started.is_err() {
            wanted.thread_unblock()?;
        }
        started.map(|_| ())
    }

    /// A bit for each signal that is ignored. Without `/proc` none is known to be.
    fn ignored_signals() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}

#[cfg(not(unix))]
mod platform {
    use std::io;

    pub fn unblock() {}

    pub fn listen(on_signal: impl FnMut() + Send + 'static) -> io::Result<()> {
        ctrlc::set_handler(on_signal).map_err(io::Error::other)
    }
}
