//! One game: the moves so far, the engine, and the clocks.

use std::time::{Duration, Instant};

use plysmith_core::games::{GameInfo, Playing};
use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;
use plysmith_engine::arena::game_players::{GamePlayer, MoveRequest};
use plysmith_engine::interactive_game::{InteractiveGame, Opponent};
use plysmith_engine::move_limit::MoveLimit;
use plysmith_engine::player::Participant;
use plysmith_engine::process::SpawnMode;
use plysmith_engine::uci::client::{Go, UciTimeouts};

use super::MOST_PLIES;
use crate::error::WebError;

/// How long a UCI engine may take for a move that is limited by nodes.
const PATIENCE: Duration = Duration::from_secs(60);
/// An engine plays at least this long by a clock.
const LEAST_MOVE_TIME: Duration = Duration::from_millis(50);

/// Who plays against the person.
pub enum Engine {
    /// The built-in engine.
    BuiltIn(Box<Opponent>),
    /// A UCI engine.
    Uci(Box<GamePlayer>),
}

/// What an engine said of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Its best line, or only its move.
    pub line: Vec<String>,
    /// For the side to move; none if it gave none.
    pub score: Option<Score>,
    /// The deepest iteration.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// How many moves had been played.
    pub ply: usize,
}

/// The time of both sides.
#[derive(Copy, Clone, Debug)]
pub struct Clocks {
    /// The time that both begin with.
    pub start: Duration,
    increment: Duration,
    /// The longest time of an engine's move.
    most: Duration,
    /// What is left to the person and to the engine.
    left: [Duration; 2],
    /// Since when the person thinks.
    since: Instant,
}

/// A game in progress.
pub struct Game {
    /// Its rules.
    pub info: &'static GameInfo,
    /// The moves so far.
    pub play: InteractiveGame,
    /// What the engine is called.
    pub engine_name: String,
    /// The clocks, if there are any.
    pub clocks: Option<Clocks>,
    /// What the engine said of its last move, and of the person's, if it was asked.
    pub said: Option<Said>,
    /// Its advice for the present position.
    pub hint: Option<Said>,
    /// Who has lost on time: whether it is the person.
    pub flag: Option<bool>,
    /// Why the engine plays no more.
    pub fault: Option<String>,
    engine: Engine,
    nodes: u64,
}

impl Engine {
    /// A UCI engine, started.
    pub fn uci(info: &'static GameInfo, player: &Participant) -> Result<Engine, WebError> {
        let limit = MoveLimit::Nodes(1);
        let timeouts = UciTimeouts { silence: PATIENCE, ..UciTimeouts::default() };
        let mut player =
            GamePlayer::new(info, player, limit, SpawnMode::Guarded, timeouts).map_err(WebError::failed)?;
        let begun = Instant::now();
        player.prepare(&|| begun.elapsed() > PATIENCE).map_err(WebError::invalid)?;
        Ok(Engine::Uci(Box::new(player)))
    }
}

impl Clocks {
    /// Both sides with this time, this much more for each move, and no engine's move longer than this.
    pub fn new(start: Duration, increment: Duration, most: Duration) -> Clocks {
        Clocks { start, increment, most, left: [start; 2], since: Instant::now() }
    }

    /// What is left to the person, or to the engine.
    pub fn left(&self, is_person: bool, is_running: bool) -> Duration {
        let running = if is_person && is_running { self.since.elapsed() } else { Duration::ZERO };
        self.left[usize::from(!is_person)].saturating_sub(running)
    }

    /// Takes the time of a move; false if it was too much.
    fn spend(&mut self, is_person: bool, time: Duration) -> bool {
        let left = &mut self.left[usize::from(!is_person)];
        let is_enough = *left > time;
        *left = if is_enough { *left - time + self.increment } else { Duration::ZERO };
        is_enough
    }

    /// How long the engine thinks about a move.
    fn move_time(&self) -> Duration {
        let left = self.left[1];
        (left / 25 + self.increment * 4 / 5).min(left / 2).clamp(LEAST_MOVE_TIME, self.most)
    }
}

impl Game {
    /// A game in which nobody has moved.
    pub fn new(
        info: &'static GameInfo,
        play: InteractiveGame,
        engine: Engine,
        engine_name: String,
        clocks: Option<Clocks>,
        nodes: u64,
    ) -> Game {
        let (said, hint, flag, fault) = (None, None, None, None);
        Game { info, play, engine_name, clocks, said, hint, flag, fault, engine, nodes }
    }

    /// White's result, if the game is over: by the rules, by repetition, by resignation, or on time.
    pub fn result(&self) -> Option<Outcome> {
        let person_is_white = self.play.person_is_white();
        if let Some(is_person) = self.flag {
            return Some(Outcome::Loss.for_white(person_is_white == is_person));
        }
        if self.play.moves().len() >= MOST_PLIES {
            return Some(Outcome::Draw);
        }
        let by_repetition = || self.playing().outcome().map(|outcome| self.for_white(outcome));
        self.play.result().or_else(by_repetition)
    }

    fn for_white(&self, outcome: Outcome) -> Outcome {
        outcome.for_white(self.play.position().white_to_move())
    }

    /// Why the game is over, in words.
    pub fn ending(&self) -> &'static str {
        match self.flag {
            Some(true) => "you ran out of time",
            Some(false) => "the engine ran out of time",
            None if self.play.resigned() => "you resigned",
            None if self.play.position().outcome().is_none() => "a draw by repetition or length",
            None => "by the rules",
        }
    }

    /// Whether the person may move.
    pub fn is_persons_turn(&self) -> bool {
        self.result().is_none() && self.play.is_persons_turn() && self.fault.is_none()
    }

    /// Notices that the person's time is over.
    pub fn look_at_clock(&mut self) {
        if self.is_persons_turn()
            && let Some(clocks) = &self.clocks
            && clocks.left(true, true).is_zero()
        {
            self.flag = Some(true);
        }
    }

    /// Makes the person's move, and lets the engine answer.
    pub fn make_move(&mut self, text: &str, at_ply: Option<usize>) -> Result<(), WebError> {
        self.look_at_clock();
        if at_ply.is_some_and(|ply| ply != self.play.moves().len()) {
            return Err(WebError::conflict("the game has gone on since this page was loaded; reload it"));
        }
        if !self.is_persons_turn() {
            return Err(WebError::conflict("it is not your turn"));
        }
        self.play.make_persons_move(text).map_err(WebError::invalid)?;
        self.hint = None;
        if let Some(clocks) = &mut self.clocks {
            let spent = clocks.since.elapsed();
            if !clocks.spend(true, spent) {
                self.flag = Some(true);
            }
        }
        self.let_engine_move()
    }

    /// Lets the engine move, if it is its turn.
    pub fn let_engine_move(&mut self) -> Result<(), WebError> {
        if self.result().is_none() && !self.play.is_persons_turn() && self.fault.is_none() {
            let time = self.clocks.as_ref().map(Clocks::move_time);
            let begun = Instant::now();
            match self.ask(time) {
                Ok(said) => {
                    let m = said.line.first().cloned().unwrap_or_default();
                    if let Some(clocks) = &mut self.clocks
                        && !clocks.spend(false, begun.elapsed())
                    {
                        self.flag = Some(false);
                    }
                    match self.play.make_persons_move(&m) {
                        Ok(()) => self.said = Some(said),
                        Err(_) => self.fault = Some(format!("it played '{m}', which is no legal move")),
                    }
                }
                Err(error) => self.fault = Some(error.message),
            }
        }
        if let Some(clocks) = &mut self.clocks {
            clocks.since = Instant::now();
        }
        Ok(())
    }

    /// Asks the engine what it would play for the person.
    pub fn advise(&mut self) -> Result<(), WebError> {
        self.look_at_clock();
        if !self.is_persons_turn() {
            return Err(WebError::conflict("it is not your turn"));
        }
        let time = self.clocks.as_ref().map(|clocks| clocks.move_time().min(clocks.left(true, true) / 10));
        self.hint = Some(self.ask(time)?);
        Ok(())
    }

    /// Takes back the person's last move and what followed, or what ended the game.
    pub fn take_back(&mut self) -> Result<(), WebError> {
        if self.flag.take().is_some() || self.fault.take().is_some() {
            let clocks = self.clocks.take();
            self.clocks = clocks.map(|clocks| Clocks::new(clocks.start, clocks.increment, clocks.most));
        }
        if !self.play.take_back() {
            return Err(WebError::conflict("there is no move of yours to take back"));
        }
        (self.said, self.hint) = (None, None);
        if let Some(clocks) = &mut self.clocks {
            clocks.since = Instant::now();
        }
        Ok(())
    }

    /// The person resigns.
    pub fn resign(&mut self) -> Result<(), WebError> {
        match self.result() {
            Some(_) => Err(WebError::conflict("the game is over")),
            None => {
                self.play.resign();
                Ok(())
            }
        }
    }

    /// The engine's search of the present position.
    fn ask(&mut self, time: Option<Duration>) -> Result<Said, WebError> {
        let ply = self.play.moves().len();
        let begun = Instant::now();
        let interrupt = || begun.elapsed() > PATIENCE;
        let playing = self.playing();
        match &mut self.engine {
            Engine::BuiltIn(opponent) => {
                let report = opponent.search_within(self.play.position(), time, &interrupt);
                let (depth, nodes) = (report.depth, report.nodes);
                Ok(Said { score: Some(report.score), line: report.line, depth, nodes, ply })
            }
            Engine::Uci(player) => {
                let start = self.play.start().text();
                let go = time.map_or(Go::Nodes(self.nodes), Go::MoveTime);
                let moves = self.play.moves();
                let request =
                    MoveRequest { playing: &playing, start: &start, moves, go, seed: 1, interrupt: &interrupt };
                let chosen = player.choose(&request).map_err(WebError::failed)?;
                let chosen = chosen.ok_or_else(|| WebError::failed("the engine took too long"))?;
                let score = chosen.is_scored.then_some(chosen.score);
                Ok(Said { line: vec![chosen.m], score, depth: chosen.depth, nodes: chosen.nodes, ply })
            }
        }
    }

    /// The game with the positions before, which could repeat.
    fn playing(&self) -> Playing {
        let mut playing = Playing::new(self.play.start().boxed());
        // They were legal when they were made.
        self.play.moves().iter().for_each(|m| drop(playing.play(m)));
        playing
    }
}
