//! Games of persons against engines, in memory: limited in number and in age.

mod game;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use plysmith_core::games::GameInfo;
use plysmith_core::search::Workspace;
use plysmith_engine::interactive_game::{InteractiveGame, Opponent};
use plysmith_engine::player::{BuiltInPlayer, Participant, UCI_PREFIX};

use crate::error::WebError;
use crate::explorations::{game_of, scheme, settings};
use crate::request::Fields;

pub use game::{Clocks, Engine, Game, Said};

/// Games that are kept. When there are more, the one that was left longest ago is dropped.
const MOST_GAMES: usize = 16;
/// Games that nobody has played for this long are dropped.
const MOST_AGE: Duration = Duration::from_secs(6 * 3600);
/// The most nodes of a move.
pub const MOST_NODES: u64 = 5_000_000;
/// The longest time of a move.
const MOST_MOVE_TIME: Duration = Duration::from_secs(10);
/// The longest clock.
const MOST_CLOCK: Duration = Duration::from_secs(3 * 3600);
/// No game is longer.
const MOST_PLIES: usize = 1000;

/// Games by their numbers.
#[derive(Default)]
pub struct GameRoom(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    last: u64,
    games: Vec<Entry>,
}

struct Entry {
    number: u64,
    used: Instant,
    game: Arc<Mutex<Game>>,
}

impl GameRoom {
    /// Begins the game that a form asks for, and returns its number.
    pub fn begin(&self, form: &Fields, allow_engines: bool) -> Result<u64, WebError> {
        let mut game = new_game(form, allow_engines)?;
        game.let_engine_move()?;
        let mut kept = self.kept();
        kept.last += 1;
        let number = kept.last;
        kept.games.push(Entry { number, used: Instant::now(), game: Arc::new(Mutex::new(game)) });
        if kept.games.len() > MOST_GAMES
            && let Some(oldest) = (0..kept.games.len()).min_by_key(|place| kept.games[*place].used)
        {
            kept.games.remove(oldest);
        }
        Ok(number)
    }

    /// A game by its number, as it stands in an address.
    pub fn find(&self, number: &str) -> Result<(u64, Arc<Mutex<Game>>), WebError> {
        let missing = || WebError::not_found("this game is not kept any more; begin another");
        let number: u64 = number.parse().map_err(|_| missing())?;
        let mut kept = self.kept();
        let entry = kept.games.iter_mut().find(|entry| entry.number == number).ok_or_else(missing)?;
        entry.used = Instant::now();
        Ok((number, Arc::clone(&entry.game)))
    }

    /// Drops a game.
    pub fn end(&self, number: u64) {
        self.kept().games.retain(|entry| entry.number != number);
    }

    /// All games, the newest first.
    pub fn list(&self) -> Vec<(u64, Arc<Mutex<Game>>)> {
        self.kept().games.iter().rev().map(|entry| (entry.number, Arc::clone(&entry.game))).collect()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.games.retain(|entry| entry.used.elapsed() < MOST_AGE);
        kept
    }
}

/// A game that nobody else is changing.
pub fn locked(game: &Mutex<Game>) -> Result<MutexGuard<'_, Game>, WebError> {
    match game.try_lock() {
        Ok(game) => Ok(game),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(WebError::busy("the engine is thinking; try again in a moment")),
    }
}

fn new_game(form: &Fields, allow_engines: bool) -> Result<Game, WebError> {
    let info = game_of(form)?;
    let text = match form.filled("position") {
        Some(text) => text.to_string(),
        None => (info.start)(&Default::default()).map_err(WebError::failed)?,
    };
    let start = info.parse_position(&text).map_err(|error| WebError::invalid(format!("the position: {error}")))?;
    if start.outcome().is_some() {
        return Err(WebError::invalid("the game is over in this position"));
    }
    let person_is_white = form.get("side") != Some("black");
    let (engine, name) = engine(info, form, allow_engines)?;
    Ok(Game::new(info, InteractiveGame::new(start, person_is_white), engine, name, clocks(form)?, limit(form)?))
}

/// The opponent, and what it is called.
fn engine(info: &'static GameInfo, form: &Fields, allow_engines: bool) -> Result<(Engine, String), WebError> {
    if let Some(text) = form.filled("engine") {
        if !allow_engines {
            return Err(WebError::forbidden("engines can be used if the server is started with --allow-engines"));
        }
        if !text.starts_with(UCI_PREFIX) {
            return Err(WebError::invalid("an engine is written 'uci:COMMAND', like uci:stockfish"));
        }
        let player = Participant::parse(info, text).map_err(WebError::invalid)?;
        return Ok((Engine::uci(info, &player)?, player.display_name(info)));
    }
    let player = BuiltInPlayer::new(settings(info, form)?, scheme(info, form.filled("scheme"))?);
    let name = player.print(info);
    let workspace = Workspace::with_memory(&player.settings).map_err(WebError::failed)?;
    let opponent = Opponent { player, nodes: limit(form)?, seed: 1, workspace };
    Ok((Engine::BuiltIn(Box::new(opponent)), name))
}

fn limit(form: &Fields) -> Result<u64, WebError> {
    let nodes = form.filled("nodes").unwrap_or("200000").parse().ok().filter(|nodes| (1..=MOST_NODES).contains(nodes));
    nodes.ok_or_else(|| WebError::invalid(format!("the node limit of a move is a number from 1 to {MOST_NODES}")))
}

/// Clocks of both sides, such as `5+3`: minutes, and seconds for each move.
fn clocks(form: &Fields) -> Result<Option<Clocks>, WebError> {
    let Some(text) = form.filled("clock") else { return Ok(None) };
    let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| (0.0..=10_000.0).contains(number));
    let clocks = number(minutes).zip(number(seconds)).map(|(minutes, seconds)| {
        Clocks::new(Duration::from_secs_f64(60.0 * minutes), Duration::from_secs_f64(seconds), MOST_MOVE_TIME)
    });
    let is_usual = |clocks: &Clocks| !clocks.start.is_zero() && clocks.start <= MOST_CLOCK;
    let clocks = clocks.filter(is_usual);
    clocks.map(Some).ok_or_else(|| WebError::invalid("a clock is minutes and seconds for each move, like 5+3"))
}
