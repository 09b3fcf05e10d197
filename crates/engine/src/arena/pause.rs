//! Whether this process was stopped while a game was played.
//!
//! A stopped process (SIGSTOP, Ctrl-Z, a frozen container) does not read what an engine answers, while the clock goes
//! on; a machine that was suspended stands still for everybody, but engines that read the time of day see a jump. Neither
//! is the engine's fault. A thread that wakes up many times a second notices both. It is different on a machine with too
//! much to do: there the thread waits for a processor, the kernel counts that time, and it is not a pause.

use std::fs;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Notices pauses from its creation on.
#[derive(Clone, Debug)]
pub struct PauseMonitor {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    seen: Mutex<Seen>,
    ticked: Condvar,
}

#[derive(Copy, Clone, Debug)]
struct Seen {
    /// The last tick.
    at: Instant,
    /// The sum of all pauses.
    paused: Duration,
}

/// What a tick reads.
#[derive(Copy, Clone, Debug)]
struct Reading {
    at: Instant,
    /// How long the thread has waited for a processor; none where the kernel does not say.
    waited: Option<Duration>,
    /// How long the machine has been up, suspended or not, less how long it has been running.
    suspended: Duration,
}

/// How often the thread wakes up.
const TICK: Duration = Duration::from_millis(20);
/// The shortest pause that counts.
const SHORTEST: Duration = Duration::from_millis(100);
/// The shortest pause where waiting for a processor cannot be told from being stopped.
const SHORTEST_GUESS: Duration = Duration::from_secs(1);

impl PauseMonitor {
    /// Starts the thread. It ends when the last clone is dropped.
    pub fn start() -> PauseMonitor {
        let seen = Seen { at: Instant::now(), paused: Duration::ZERO };
        let shared = Arc::new(Shared { seen: Mutex::new(seen), ticked: Condvar::new() });
        let watched = Arc::downgrade(&shared);
        thread::spawn(move || watch(&watched));
        PauseMonitor { shared }
    }

    /// The sum of all pauses until now.
    pub fn total(&self) -> Duration {
        let mut seen = self.shared.lock();
        // After a pause the thread may not have woken up yet: what it says is trusted only if it is new.
        while seen.at.elapsed() >= SHORTEST {
            seen = self.shared.ticked.wait(seen).unwrap_or_else(PoisonError::into_inner);
        }
        seen.paused
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn watch(shared: &Weak<Shared>) {
    let mut last = Reading::now();
    while let Some(shared) = shared.upgrade() {
        let reading = Reading::now();
        let mut seen = shared.lock();
        seen.paused += pause_between(&last, &reading);
        seen.at = reading.at;
        drop(seen);
        shared.ticked.notify_all();
        drop(shared);
        last = reading;
        thread::sleep(TICK);
    }
}

/// How long the process was stopped between two ticks.
fn pause_between(last: &Reading, reading: &Reading) -> Duration {
    let gap = reading.at.saturating_duration_since(last.at).saturating_sub(TICK);
    let stopped = match (last.waited, reading.waited) {
        (Some(before), Some(after)) => {
            Some(gap.saturating_sub(after.saturating_sub(before))).filter(|stopped| *stopped >= SHORTEST)
        }
        _ => Some(gap).filter(|gap| *gap >= SHORTEST_GUESS),
    };
    let suspended = reading.suspended.saturating_sub(last.suspended);
    stopped.unwrap_or_default() + Some(suspended).filter(|time| *time >= SHORTEST).unwrap_or_default()
}

impl Reading {
    fn now() -> Reading {
        Reading { at: Instant::now(), waited: waited(), suspended: suspended() }
    }
}

/// How long the machine was suspended since it was started.
#[cfg(target_os = "linux")]
fn suspended() -> Duration {
    use rustix::time::{ClockId, Timespec, clock_gettime};
    let since_start = |clock| {
        let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
        Duration::new(u64::try_from(tv_sec).unwrap_or(0), u32::try_from(tv_nsec).unwrap_or(0))
    };
    let running = since_start(ClockId::Monotonic);
    since_start(ClockId::Boottime).saturating_sub(running)
}

#[cfg(not(target_os = "linux"))]
fn suspended() -> Duration {
    Duration::ZERO
}

/// How long this thread has waited for a processor.
fn waited() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{PauseMonitor, Reading, pause_between};

    fn pause(gap: u64, waited: Option<u64>, suspended: u64) -> u64 {
        let start = Instant::now();
        let milliseconds = Duration::from_millis;
        let last = Reading { at: start, waited: waited.map(|_| milliseconds(70)), suspended: milliseconds(5) };
        let next = Reading {
            at: start + milliseconds(gap),
            waited: waited.map(|waited| milliseconds(70 + waited)),
            suspended: milliseconds(5 + suspended),
        };
        pause_between(&last, &next).as_millis() as u64
    }

    #[test]
    fn a_stop_is_told_from_waiting_for_a_processor() {
        assert_eq!(pause(20, Some(0), 0), 0);
        assert_eq!(pause(3020, Some(0), 0), 3000, "stopped");
        assert_eq!(pause(3020, Some(2990), 0), 0, "a busy machine");
        assert_eq!(pause(3020, Some(1000), 0), 2000, "both");
        assert_eq!(pause(100, Some(0), 0), 0, "too short to be one");
        assert_eq!((pause(520, None, 0), pause(3020, None, 0)), (0, 3000), "only long gaps where the kernel is silent");
        assert_eq!(pause(20, Some(0), 60_000), 60_000, "a suspended machine");
    }

    #[test]
    fn without_a_pause_there_is_an_answer_all_the_same() {
        let monitor = PauseMonitor::start();
        let total = monitor.total();
        assert!(monitor.clone().total() >= total);
    }
}
