//! A game of a person against the built-in engine: its positions, its moves and what the engine searched.
//!
//! Nothing here reads or prints; the caller asks for moves and shows the board.

use std::time::{Duration, Instant};

use plysmith_core::game::MoveError;
use plysmith_core::games::AnyPosition;
use plysmith_core::outcome::Outcome;
use plysmith_core::search::{Limit, Report, Root, Task, Workspace};

use crate::player::BuiltInPlayer;
use crate::timed_search::{MoveTimer, SearchControl, TimeBudget, TimedSearch};

/// The engine as an opponent.
pub struct Opponent {
    /// Settings and scheme.
    pub player: BuiltInPlayer,
    /// Node limit for each move.
    pub nodes: u64,
    /// Random seed.
    pub seed: u64,
    /// Memory of the search.
    pub workspace: Workspace,
}

impl Opponent {
    /// Searches a position to the node limit, or until `interrupt` asks it to stop.
    pub fn search(&mut self, position: &dyn AnyPosition, interrupt: &(dyn Fn() -> bool + Sync)) -> Report<String> {
        self.search_within(position, None, interrupt)
    }

    /// Searches a position to the node limit, for this time, or until `interrupt` asks it to stop.
    pub fn search_within(
        &mut self,
        position: &dyn AnyPosition,
        time: Option<Duration>,
        interrupt: &(dyn Fn() -> bool + Sync),
    ) -> Report<String> {
        let Opponent { player, nodes, seed, workspace } = self;
        let task = Task {
            settings: player.settings,
            scheme: &player.scheme,
            limit: Limit::nodes(*nodes),
            seed: *seed,
            interrupt,
            root: Root::default(),
        };
        let begun = Instant::now();
        let control = SearchControl::started(begun);
        let budget = time.map(|time| TimeBudget::exactly(time.as_millis() as u64, 0));
        let timer = MoveTimer::new(budget, &control, begun);
        TimedSearch { position, task, timer: &timer, helpers: 0 }.run(workspace, &mut |_| ())
    }
}

/// A game in progress.
pub struct InteractiveGame {
    person_is_white: bool,
    /// From the start to the present; one more than there are moves.
    positions: Vec<Box<dyn AnyPosition>>,
    moves: Vec<String>,
    resigned: bool,
    last_search: Option<Report<String>>,
}

impl InteractiveGame {
    /// A game from this position.
    pub fn new(start: Box<dyn AnyPosition>, person_is_white: bool) -> InteractiveGame {
        InteractiveGame {
            person_is_white,
            positions: vec![start],
            moves: Vec::new(),
            resigned: false,
            last_search: None,
        }
    }

    /// The person's side.
    pub fn person_is_white(&self) -> bool {
        self.person_is_white
    }

    /// The first position.
    pub fn start(&self) -> &dyn AnyPosition {
        self.positions[0].as_ref()
    }

    /// The present position.
    pub fn position(&self) -> &dyn AnyPosition {
        // There is always at least the start.
        self.positions[self.positions.len() - 1].as_ref()
    }

    /// The moves so far.
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// Whether the person resigned.
    pub fn resigned(&self) -> bool {
        self.resigned
    }

    /// The search for the engine's last move, unless that move was taken back.
    pub fn last_search(&self) -> Option<&Report<String>> {
        self.last_search.as_ref()
    }

    /// Whether the person is to move.
    pub fn is_persons_turn(&self) -> bool {
        self.position().white_to_move() == self.person_is_white
    }

    /// White's result, if the game is over.
    pub fn result(&self) -> Option<Outcome> {
        if self.resigned {
            return Some(Outcome::Loss.for_white(self.person_is_white));
        }
        self.position().outcome().map(|outcome| outcome.for_white(self.position().white_to_move()))
    }

    /// Makes the person's move, which may be written in any notation of the game and in capitals.
    pub fn make_persons_move(&mut self, text: &str) -> Result<(), MoveError> {
        let position = self.position();
        let m = position.canonical_move(text).or_else(|_| position.canonical_move(&text.to_lowercase()))?;
        self.make(m)
    }

    /// Makes the first move of the engine's search. `None` if the search found none.
    pub fn make_engine_move(&mut self, report: Report<String>) -> Result<Option<&str>, MoveError> {
        let Some(m) = report.line.first().cloned() else { return Ok(None) };
        self.make(m)?;
        self.last_search = Some(report);
        Ok(self.moves.last().map(String::as_str))
    }

    fn make(&mut self, m: String) -> Result<(), MoveError> {
        let next = self.position().play(&m)?;
        self.positions.push(next);
        self.moves.push(m);
        Ok(())
    }

    /// Takes back the resignation, or the person's last move and what followed. `false` if there is neither.
    pub fn take_back(&mut self) -> bool {
        if self.resigned {
            self.resigned = false;
            return true;
        }
        let is_own = |index: &usize| self.positions[*index].white_to_move() == self.person_is_white;
        let Some(index) = (0..self.moves.len()).rev().find(is_own) else { return false };
        self.positions.truncate(index + 1);
        self.moves.truncate(index);
        self.last_search = None;
        true
    }

    /// The person resigns.
    pub fn resign(&mut self) {
        self.resigned = true;
    }

    /// Begins a new game from the first position.
    pub fn restart(&mut self) {
        self.positions.truncate(1);
        self.moves.clear();
        (self.resigned, self.last_search) = (false, None);
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games;
    use plysmith_core::outcome::Outcome;

    use super::InteractiveGame;

    fn game() -> InteractiveGame {
        let game = games::find("breakthrough").unwrap();
        let start = (game.start)(&Default::default()).unwrap();
        InteractiveGame::new((game.open)(&start).unwrap(), true)
    }

    #[test]
    fn moves_are_made_and_taken_back() {
        let mut game = game();
        assert!(!game.take_back());
        game.make_persons_move("B2B3").unwrap();
        assert_eq!((game.moves(), game.is_persons_turn()), (&["b2b3".to_string()][..], false));
        assert!(game.make_persons_move("b2b3").is_err());
        assert!(game.take_back());
        assert_eq!((game.moves().len(), game.position().text()), (0, game.start().text()));
    }

    #[test]
    fn a_resignation_can_be_taken_back() {
        let mut game = game();
        game.resign();
        assert_eq!(game.result(), Some(Outcome::Loss));
        assert!(game.take_back());
        assert_eq!(game.result(), None);
        game.resign();
        game.restart();
        assert!(!game.resigned());
    }
}
