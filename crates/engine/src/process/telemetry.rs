//! What an engine can possibly report. Everything else is a lie or a bug, and must not get into a result.

use std::time::Duration;

/// More nodes a second than any machine searches.
const MOST_A_SECOND: f64 = 1e10;
/// A count that is always possible, because clocks are coarse.
const ALWAYS: f64 = 1e9;
/// A count beyond twice the limit and this is no overshoot any more.
const OVERSHOOT: u64 = 200_000;

/// More plies than any line of a search has.
pub const MOST_DEPTH: u32 = 10_000;

/// The largest node count of an engine that honours this limit.
pub fn most_nodes(limit: u64) -> u64 {
    limit.saturating_mul(2).saturating_add(OVERSHOOT)
}

/// Whether a machine can have searched that many nodes in this time.
pub fn is_possible(nodes: u64, time: Duration) -> bool {
    nodes as f64 <= ALWAYS + MOST_A_SECOND * time.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{is_possible, most_nodes};

    #[test]
    fn no_machine_searches_faster_than_that() {
        assert!(is_possible(0, Duration::ZERO) && is_possible(1_000_000_000, Duration::ZERO));
        assert!(!is_possible(1_100_000_000, Duration::ZERO) && is_possible(1_100_000_000, Duration::from_secs(1)));
        assert!(!is_possible(u64::MAX, Duration::from_secs(3600)));
        assert_eq!((most_nodes(100), most_nodes(u64::MAX)), (200_200, u64::MAX));
    }
}
