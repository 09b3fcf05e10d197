//! A file with all lines to and from engines, with the time of each.
//!
//! ```text
//! 2026-11-19T22:23:17.123456Z 1 = gnuchess --uci
//! 2026-11-19T22:23:17.124013Z 1 > uci
//! 2026-11-19T22:23:17.131877Z 1 < uciok
//! ```
//!
//! The number is that of the process, `=` its command, `>` a line to it, `<` one from it, and `!` one of its standard error.
//! A thread writes; no game waits for it. What is written goes to the file as soon as no more lines wait, so that little is
//! missing after a crash. If the disk is slower than the engines and too many lines wait, further ones are left out, and
//! their number is noted.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A file with the traffic of all engines that it is given to. Copies write to the same file; it is complete when the last one
/// is dropped.
#[derive(Clone, Debug)]
pub struct TrafficLog(Arc<Shared>);

/// The lines of one engine.
#[derive(Clone, Debug)]
pub struct EngineTraffic {
    log: TrafficLog,
    number: u32,
}

#[derive(Debug)]
struct Shared {
    /// None when the log ends.
    sender: Option<SyncSender<Line>>,
    writer: Option<JoinHandle<()>>,
    left_out: Arc<AtomicU64>,
    engines: AtomicU32,
}

#[derive(Debug)]
struct Line {
    at: SystemTime,
    engine: u32,
    kind: char,
    text: String,
}

/// Lines that wait to be written.
const MOST_WAITING: usize = 1 << 14;
/// Characters of a line that are kept.
const LONGEST_LINE: usize = 4096;

impl TrafficLog {
    /// Writes to this file.
    pub fn new(file: File) -> io::Result<TrafficLog> {
        let (sender, lines) = sync_channel(MOST_WAITING);
        let left_out = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&left_out);
        let writer = Builder::new().name("engine log".to_string()).spawn(move || write_all(file, &lines, &counter))?;
        let engines = AtomicU32::new(0);
        Ok(TrafficLog(Arc::new(Shared { sender: Some(sender), writer: Some(writer), left_out, engines })))
    }

    /// Begins with another engine.
    pub fn engine(&self, command: &str) -> EngineTraffic {
        let number = self.0.engines.fetch_add(1, Ordering::Relaxed) + 1;
        let traffic = EngineTraffic { log: self.clone(), number };
        traffic.add('=', command);
        traffic
    }
}

impl EngineTraffic {
    /// A line to the engine.
    pub fn sent(&self, line: &str) {
        self.add('>', line);
    }

    /// A line from the engine.
    pub fn received(&self, line: &str) {
        self.add('<', line);
    }

    /// A line of its standard error.
    pub fn error(&self, line: &str) {
        self.add('!', line);
    }

    fn add(&self, kind: char, line: &str) {
        let shared = &self.log.0;
        let Some(sender) = &shared.sender else { return };
        let end = line.char_indices().nth(LONGEST_LINE).map_or(line.len(), |(end, _)| end);
        let line = Line { at: SystemTime::now(), engine: self.number, kind, text: line[..end].to_string() };
        if sender.try_send(line).is_err() {
            shared.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The writer ends when it has written what waits.
        drop(self.sender.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// Writes lines until there can be no more. A file that cannot be written is given up: lines are left out then.
fn write_all(file: File, lines: &Receiver<Line>, left_out: &AtomicU64) {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let mut write = |first: Line| -> io::Result<()> {
        let mut next = Some(first);
        while let Some(line) = take(&mut next) {
            print(&mut out, &line)?;
            match left_out.swap(0, Ordering::Relaxed) {
                0 => {}
                count => writeln!(out, "{} - {count} lines are left out here", time(line.at))?,
            }
            next = lines.try_recv().ok();
        }
        out.flush()
    };
    while let Ok(line) = lines.recv() {
        if write(line).is_err() {
            return;
        }
    }
}

fn print(out: &mut impl Write, line: &Line) -> io::Result<()> {
    let Line { at, engine, kind, text } = line;
    let text: String = text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect();
    writeln!(out, "{} {engine} {kind} {text}", time(*at))
}

/// A time as RFC 3339 has it, in UTC.
fn time(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (days, rest) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second, micros) = (rest / 3600, rest / 60 % 60, rest % 60, since.subsec_micros());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

/// The date of a day since 1970, by the Gregorian calendar.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::thread::scope;
    use std::time::{Duration, UNIX_EPOCH};

    use super::{TrafficLog, time};

    #[test]
    fn every_line_is_in_the_file_in_its_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = TrafficLog::new(File::create(&path).unwrap()).unwrap();
        let engines = [log.engine("one --uci"), log.engine("other")];
        scope(|scope| {
            for engine in &engines {
                scope.spawn(move || (0..500).for_each(|number| engine.received(&format!("info {number}\u{7}"))));
            }
        });
        engines[1].sent("quit");
        engines[1].error(&"é".repeat(5000));
        drop((log, engines));
        let text = fs::read_to_string(&path).unwrap();
        let lines = |number: &str| -> Vec<&str> {
            text.lines().filter_map(|line| line.split_once(' ')?.1.strip_prefix(number)).collect()
        };
        assert_eq!(lines("1 ").len(), 501);
        assert_eq!(
            (lines("1 ")[0], lines("1 ")[1], lines("1 ")[500]),
            ("= one --uci", "< info 0\u{fffd}", "< info 499\u{fffd}")
        );
        let last = lines("2 ");
        assert_eq!((last.len(), last[501]), (503, "> quit"));
        assert_eq!(last[502].chars().count(), 2 + 4096);
        assert!(text.lines().all(|line| line.starts_with("20") && line.as_bytes()[26] == b'Z'), "{text}");
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        let at = |seconds: u64| time(UNIX_EPOCH + Duration::from_micros(seconds * 1_000_000 + 7));
        assert_eq!(at(0), "1970-01-01T00:00:00.000007Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59.000007Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.000007Z");
        assert_eq!(at(1_794_776_117), "2026-11-15T20:55:17.000007Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.000007Z");
        assert_eq!(at(1_767_225_599), "2025-12-31T23:59:59.000007Z");
    }
}
