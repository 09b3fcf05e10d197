//! Numbers, times and durations as people read them.

pub use plysmith_runs::view::{counted, percent, thousands};

/// A number of seconds: `9 s`, `3 min 20 s`, `2 h 05 min`, `3 d 4 h`.
pub fn duration(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min {:02} s", seconds % 60),
        3600..86_400 => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_have_two_units() {
        let texts = [0, 59, 60, 3599, 3600, 86_399, 90_000].map(duration);
        assert_eq!(texts, ["0 s", "59 s", "1 min 00 s", "59 min 59 s", "1 h 00 min", "23 h 59 min", "1 d 1 h"]);
    }
}
