//! What each move of a game may take: nodes, plies or time.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use plysmith_core::decimal::{ONE, parse_unsigned};
use thiserror::Error;

/// The limit of each move of a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum MoveLimit {
    /// Nodes a move. Games between built-in players are repeatable.
    Nodes(u64),
    /// Plies a move. Games between built-in players are repeatable.
    Depth(u32),
    /// Time by a clock.
    Time(TimeLimit),
}

/// Engines on a busy machine answer some milliseconds late. A clock can be budgeted, a fixed time cannot.
pub const MOVE_TIME_MARGIN: Duration = Duration::from_millis(50);

impl MoveLimit {
    /// Whether the limit is the same on every machine.
    pub fn is_repeatable(self) -> bool {
        !matches!(self, MoveLimit::Time(_))
    }

    /// What a move may exceed its time by.
    pub fn margin(self) -> Duration {
        match self {
            MoveLimit::Time(TimeLimit { margin, .. }) => margin,
            MoveLimit::Nodes(_) | MoveLimit::Depth(_) => Duration::ZERO,
        }
    }

    /// The limit as parts of a player's text: `nodes=500`, or `tc=1+0.01` and `margin=50ms`.
    pub(crate) fn attributes(self) -> Vec<(&'static str, String)> {
        match self {
            MoveLimit::Nodes(nodes) => vec![("nodes", nodes.to_string())],
            MoveLimit::Depth(depth) => vec![("depth", depth.to_string())],
            MoveLimit::Time(TimeLimit { control, margin }) => {
                let mut parts = vec![match control {
                    TimeControl::MoveTime(time) => ("movetime", format!("{}ms", time.as_millis())),
                    TimeControl::Clock { .. } => ("tc", control.to_string()),
                }];
                if margin != control.usual_margin() {
                    parts.push(("margin", format!("{}ms", margin.as_millis())));
                }
                parts
            }
        }
    }
}

impl fmt::Display for MoveLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveLimit::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            MoveLimit::Depth(depth) => write!(f, "depth {depth}"),
            MoveLimit::Time(time) => time.fmt(f),
        }
    }
}

/// A time control with a margin. As text: `1+0.01`, `40/60+0.6` (moves, seconds, increment) or `movetime 100ms`, each
/// optionally followed by a margin like `margin 50ms`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TimeLimit {
    /// The time control.
    pub control: TimeControl,
    /// What a move may take beyond its time before the game is lost.
    pub margin: Duration,
}

/// A time control.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// Time for each move.
    MoveTime(Duration),
    /// Time for all moves or for a number of them, with an increment after each move.
    Clock {
        /// The number of moves; none for all moves.
        moves: Option<u32>,
        /// The time for them.
        base: Duration,
        /// The increment after each move.
        increment: Duration,
    },
}

/// A text that is no time control.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TimeControlError {
    /// Not a clock.
    #[error(
        "'{0}' is not a time control; expected seconds and increment like '1+0.01', minutes like '1:00+1', or '40/60+0.6' for \
         40 moves"
    )]
    TimeControl(String),
    /// Not a time.
    #[error("'{0}' is not a time; expected a number with its unit, like '100ms', '0.5s' or '2m'")]
    Time(String),
}

/// The longest time, in seconds.
const LONGEST: u64 = 1_000_000;

impl TimeControl {
    /// The margin unless another one is asked for.
    pub fn usual_margin(self) -> Duration {
        match self {
            TimeControl::MoveTime(_) => MOVE_TIME_MARGIN,
            TimeControl::Clock { .. } => Duration::ZERO,
        }
    }

    /// Reads a clock: `SECONDS[+INCREMENT]` or `MOVES/SECONDS[+INCREMENT]`.
    pub fn parse_clock(text: &str) -> Result<TimeControl, TimeControlError> {
        let wrong = || TimeControlError::TimeControl(text.to_string());
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves.parse().ok().filter(|&moves| moves > 0).ok_or_else(wrong)?), rest),
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let (base, increment) = (seconds(base).ok_or_else(wrong)?, seconds(increment).ok_or_else(wrong)?);
        if base.is_zero() {
            return Err(wrong());
        }
        Ok(TimeControl::Clock { moves, base, increment })
    }

    /// Reads a time for each move.
    pub fn parse_move_time(text: &str) -> Result<TimeControl, TimeControlError> {
        let time = parse_time(text)?;
        if time.is_zero() { Err(TimeControlError::Time(text.to_string())) } else { Ok(TimeControl::MoveTime(time)) }
    }
}

/// Reads a time with its unit: `100ms`, `0.5s`, `2m`.
pub fn parse_time(text: &str) -> Result<Duration, TimeControlError> {
    let text = text.trim();
    let wrong = || TimeControlError::Time(text.to_string());
    // UCI times are whole milliseconds.
    let milliseconds = match (text.strip_suffix("ms"), text.strip_suffix('s'), text.strip_suffix('m')) {
        (Some(number), _, _) => thousandths(number.trim()).map(|units| (units + ONE as u64 / 2) / ONE as u64),
        (None, Some(number), _) => thousandths(number.trim()),
        (None, None, Some(number)) => thousandths(number.trim()).and_then(|units| units.checked_mul(60)),
        (None, None, None) => None,
    };
    milliseconds.map(Duration::from_millis).ok_or_else(wrong)
}

/// Seconds, minutes and seconds as in `1:00`, or a time with its unit.
fn seconds(text: &str) -> Option<Duration> {
    if let Some((minutes, seconds)) = text.split_once(':') {
        let minutes = minutes.parse::<u64>().ok().filter(|minutes| *minutes <= LONGEST / 60)?;
        let seconds = Some(seconds).filter(|seconds| seconds.split('.').next().is_some_and(|whole| whole.len() == 2));
        let rest = seconds.and_then(thousandths).filter(|rest| *rest < 60 * ONE as u64)?;
        return Some(Duration::from_millis(minutes * 60 * ONE as u64 + rest));
    }
    match text.ends_with(['s', 'm']) {
        true => parse_time(text).ok(),
        false => thousandths(text).map(Duration::from_millis),
    }
}

/// Reads a decimal number; a zero before or behind the point may be left out, as in `.5`.
fn thousandths(text: &str) -> Option<u64> {
    let number = match (text.strip_prefix('.'), text.strip_suffix('.')) {
        (Some(decimals), None) => parse_unsigned(&format!("0.{decimals}")),
        (None, Some(whole)) if !whole.contains('.') => parse_unsigned(whole),
        _ => parse_unsigned(text),
    };
    number.ok().filter(|&units| units <= LONGEST * ONE as u64)
}

impl FromStr for TimeLimit {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeLimit, TimeControlError> {
        let (control, margin) = match text.split_once(" margin ") {
            Some((control, margin)) => (control, parse_time(margin)?),
            None => (text, Duration::ZERO),
        };
        let control = match control.strip_prefix("movetime ") {
            Some(time) => TimeControl::parse_move_time(time)?,
            None => TimeControl::parse_clock(control)?,
        };
        Ok(TimeLimit { control, margin })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::MoveTime(time) => write!(f, "movetime {}ms", time.as_millis()),
            TimeControl::Clock { moves, base, increment } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}+{}", base.as_secs_f64(), increment.as_secs_f64())
            }
        }
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.control.fmt(f)?;
        if !self.margin.is_zero() {
            write!(f, " margin {}ms", self.margin.as_millis())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::TimeLimit;

    fn timing(text: &str) -> TimeLimit {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn times_read_back() {
        for text in ["1+0.01", "40/60+0.6", "10+0", "movetime 100ms", "1+0.01 margin 50ms", "movetime 5ms margin 7ms"] {
            assert_eq!(timing(text).to_string(), text);
        }
        assert_eq!(timing("movetime 0.5s").to_string(), "movetime 500ms");
        assert_eq!(timing("60").to_string(), "60+0");
        assert_eq!(timing("10.+.01").to_string(), "10+0.01");
        assert_eq!(timing("1:00+1").to_string(), "60+1");
        assert_eq!(timing("40/1:30.5+100ms").to_string(), "40/90.5+0.1");
        assert_eq!(timing("2m+1s").to_string(), "120+1");
        for wrong in [
            "1.5.+1",
            "1:0",
            "1:60",
            ":30",
            "1:2:03",
            ".+1",
            "1+.5.",
            "",
            "x",
            "0+1",
            "1+",
            "+1",
            "0/1+1",
            "-1+0",
            "1e9+0",
            "nan+0",
            "movetime 100",
            "movetime 0ms",
        ] {
            assert!(wrong.parse::<TimeLimit>().is_err(), "{wrong}");
        }
        let error = "1:90".parse::<TimeLimit>().unwrap_err().to_string();
        assert!(error.contains("'1:90'") && error.contains("40/60+0.6"), "{error}");
    }
}
