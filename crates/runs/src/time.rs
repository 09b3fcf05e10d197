//! Dates and durations as text.

use chrono::{DateTime, Local};

/// Seconds since 1970 as a date and time.
pub fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March have their leap day at the end: days and years then divide evenly.
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Seconds since 1970 as a date and time in the time zone of this machine, like `2026-11-15 21:55`.
pub fn local(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    match DateTime::from_timestamp(seconds, 0) {
        Some(time) => time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string(),
        None => "–".to_string(),
    }
}

/// A duration as a person says it: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 05 min`, `3 d 4 h`.
pub fn duration(seconds: f64) -> String {
    if seconds < 9.95 {
        return format!("{:.1} s", seconds.max(0.0));
    }
    let whole = seconds.round() as u64;
    let (minutes, hours, days) = (whole / 60, whole / 3600, whole / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{whole} s"),
        (0, 0, _) => format!("{minutes} min {:02} s", whole % 60),
        (0, _, _) => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::{duration, local, utc};

    #[test]
    fn dates_are_right_around_leap_days() {
        assert_eq!(utc(0), "1970-01-01 00:00:00");
        assert_eq!(utc(951_782_399), "2000-02-28 23:59:59");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(utc(1_794_776_117), "2026-11-15 20:55:17");
        assert_eq!(utc(4_107_542_400), "2100-03-01 00:00:00");
    }

    #[test]
    fn local_times_are_dates_within_a_day_of_utc() {
        let time = local(1_794_776_117);
        assert_eq!(time.len(), "2026-11-15 20:55".len(), "{time}");
        assert!(["2026-11-14", "2026-11-15", "2026-11-16"].iter().any(|day| time.starts_with(day)), "{time}");
        assert_eq!(local(u64::MAX), "–");
    }

    #[test]
    fn durations_have_two_units_at_most() {
        let durations = [0.0, 0.44, 9.96, 59.4, 59.6, 200.0, 3599.9, 7_512.0, 273_600.0];
        let texts =
            ["0.0 s", "0.4 s", "10 s", "59 s", "1 min 00 s", "3 min 20 s", "1 h 00 min", "2 h 05 min", "3 d 4 h"];
        assert_eq!(durations.map(duration), texts);
        assert_eq!(duration(-1.0), "0.0 s");
    }
}
