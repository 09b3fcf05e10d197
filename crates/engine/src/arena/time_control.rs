//! The clocks of a game, and the limits of its moves.

use std::time::Duration;

pub use crate::move_limit::{MOVE_TIME_MARGIN, MoveLimit, TimeControl, TimeControlError, TimeLimit, parse_time};
use crate::uci::client::{ClockTimes, Go};

/// The clocks of one game.
#[derive(Clone, Debug)]
pub struct GameClocks {
    /// What a move of White and of Black may take.
    limits: [MoveLimit; 2],
    /// The time that White and Black have left; zero without a clock.
    left: [Duration; 2],
    /// Moves that White and Black have made.
    moves: [u32; 2],
}

/// A side has lost on time.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TimeForfeit {
    /// How far beyond the limit.
    pub by: Duration,
}

impl GameClocks {
    /// The clocks at the start of a game, with the limits of White and Black.
    pub fn new(limits: [MoveLimit; 2]) -> GameClocks {
        let left = limits.map(|limit| match limit {
            MoveLimit::Time(TimeLimit { control: TimeControl::Clock { base, .. }, .. }) => base,
            _ => Duration::ZERO,
        });
        GameClocks { limits, left, moves: [0; 2] }
    }

    /// The limit of the next move, as a `go` command.
    pub fn go(&self, white_to_move: bool) -> Go {
        let side = usize::from(!white_to_move);
        match self.limits[side] {
            MoveLimit::Nodes(nodes) => Go::Nodes(nodes),
            MoveLimit::Depth(depth) => Go::Depth(depth),
            MoveLimit::Time(TimeLimit { control: TimeControl::MoveTime(time), .. }) => Go::MoveTime(time),
            MoveLimit::Time(TimeLimit { control: TimeControl::Clock { moves, increment, .. }, .. }) => {
                let moves_to_go = moves.map(|moves| moves - self.moves[side] % moves);
                // An opponent without a clock is shown with ours: no engine plays well against one that has no time.
                let (mut left, mut increments) = ([self.left[side]; 2], [increment; 2]);
                let other = 1 - side;
                if let MoveLimit::Time(TimeLimit { control: TimeControl::Clock { increment, .. }, .. }) =
                    self.limits[other]
                {
                    (left[other], increments[other]) = (self.left[other], increment);
                }
                let [white, black] = left;
                Go::Clock(ClockTimes { white, black, increments, moves_to_go, white_to_move })
            }
        }
    }

    /// Takes the time of a move off the clock of the side that made it.
    pub fn spend(&mut self, is_white: bool, time: Duration) -> Result<(), TimeForfeit> {
        let side = usize::from(!is_white);
        let MoveLimit::Time(TimeLimit { control, margin }) = self.limits[side] else { return Ok(()) };
        let allowed = match control {
            TimeControl::MoveTime(time) => time,
            TimeControl::Clock { .. } => self.left[side],
        };
        if time > allowed + margin {
            return Err(TimeForfeit { by: time - allowed });
        }
        self.moves[side] += 1;
        if let TimeControl::Clock { moves, base, increment } = control {
            self.left[side] = allowed.saturating_sub(time) + increment;
            if moves.is_some_and(|moves| self.moves[side].is_multiple_of(moves)) {
                self.left[side] += base;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{GameClocks, MoveLimit, TimeLimit};
    use crate::uci::client::Go;

    fn timing(text: &str) -> TimeLimit {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn milliseconds(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn a_clock_counts_down_and_up() {
        let mut clocks = GameClocks::new([MoveLimit::Time(timing("2/1+0.1")); 2]);
        let go = |clocks: &GameClocks, is_white| match clocks.go(is_white) {
            Go::Clock(times) => (times.left().as_millis() as u64, times.moves_to_go),
            other => panic!("{other:?}"),
        };
        assert_eq!(go(&clocks, true), (1000, Some(2)));
        clocks.spend(true, milliseconds(300)).unwrap();
        assert_eq!(go(&clocks, true), (800, Some(1)));
        assert_eq!(go(&clocks, false), (1000, Some(2)), "the other clock stood still");
        clocks.spend(true, milliseconds(800)).unwrap();
        assert_eq!(go(&clocks, true), (1100, Some(2)), "a new time control");
        assert_eq!(clocks.spend(true, milliseconds(1101)).unwrap_err().by, milliseconds(1));
    }

    #[test]
    fn a_margin_forgives_but_gives_no_time() {
        let mut clocks = GameClocks::new([MoveLimit::Time(timing("1+0 margin 20ms")); 2]);
        clocks.spend(false, milliseconds(1015)).unwrap();
        assert!(clocks.spend(false, milliseconds(21)).is_err());
        let mut clocks = GameClocks::new([MoveLimit::Time(timing("movetime 10ms")); 2]);
        clocks.spend(true, milliseconds(10)).unwrap();
        assert!(clocks.spend(true, milliseconds(11)).is_err());
        let mut clocks = GameClocks::new([MoveLimit::Nodes(7); 2]);
        assert_eq!(clocks.go(true), Go::Nodes(7));
        clocks.spend(true, milliseconds(1_000_000)).unwrap();
    }

    #[test]
    fn each_side_has_a_clock_of_its_own() {
        let limits = [MoveLimit::Time(timing("10+0.1")), MoveLimit::Time(timing("2+0"))];
        let mut clocks = GameClocks::new(limits);
        let Go::Clock(times) = clocks.go(true) else { panic!() };
        assert_eq!((times.white, times.black), (milliseconds(10_000), milliseconds(2_000)));
        assert_eq!(times.increments, [milliseconds(100), milliseconds(0)]);
        assert!(clocks.spend(false, milliseconds(2_001)).is_err());
        clocks.spend(true, milliseconds(2_001)).unwrap();
        let mixed = GameClocks::new([MoveLimit::Depth(6), MoveLimit::Time(timing("3+0.5"))]);
        assert_eq!(mixed.go(true), Go::Depth(6));
        let Go::Clock(times) = mixed.go(false) else { panic!() };
        assert_eq!(
            (times.white, times.left(), times.increment()),
            (times.black, milliseconds(3_000), milliseconds(500))
        );
    }
}
