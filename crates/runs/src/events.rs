//! Games in events, and how references to stored results are resolved.
//!
//! A game is stored once: as the result of its job, under the job's key. Its event holds only the key. Runs of event
//! format 1, which older versions started, hold the whole game in the event; they keep doing so when they are resumed,
//! because a replayed event must equal the stored one. Readers that need whole games use [`resolved_events`], which
//! gives the same payloads for both formats.

use plysmith_engine::arena::game::{GameJob, GameRecord};
use plysmith_store::{Event, Run, Store, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::job::{Job, Key};
use crate::pairing::PlayedGame;

/// The kind of event that holds a game.
pub const GAME: &str = "game";

/// The first event format in which a game event refers to a stored result.
const REFERENCES: u32 = 2;

/// A game of a run, as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GameEvent {
    /// Where the game is stored.
    Reference(GameReference),
    /// The game itself, in runs of event format 1.
    Whole(Box<WholeGame>),
}

/// A game that is stored as a result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameReference {
    /// Which pairing of the run it belongs to.
    #[serde(rename = "contest")]
    pub pairing: usize,
    /// Its number in the pairing.
    pub number: u64,
    /// The key of its job.
    pub key: Key,
}

/// A game with its moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WholeGame {
    /// Which pairing of the run it belongs to.
    #[serde(rename = "contest")]
    pub pairing: usize,
    /// Its number in the pairing.
    pub number: u64,
    /// What was played.
    #[serde(flatten)]
    pub job: GameJob,
    /// How it went.
    #[serde(flatten)]
    pub record: GameRecord,
}

impl GameEvent {
    /// The event of a game, in a run of this event format.
    pub fn new(pairing: usize, played: PlayedGame, format: u32) -> GameEvent {
        let PlayedGame { number, job, record } = played;
        if format < REFERENCES {
            GameEvent::Whole(Box::new(WholeGame { pairing, number, job, record }))
        } else {
            GameEvent::Reference(GameReference { pairing, number, key: Job::key(&job) })
        }
    }
}

/// The events of a run, in order, with whole games. A few of them are in memory at a time.
pub fn resolved_events<'a>(store: &'a Store, run: &'a Run) -> impl Iterator<Item = Result<Event, StoreError>> + 'a {
    store.stream_events(run.id, 0).map(|event| resolve(store, run, event?))
}

/// An event with the whole game if it is a game, else as it is.
pub fn resolve(store: &Store, run: &Run, event: Event) -> Result<Event, StoreError> {
    if run.format < REFERENCES || event.kind != GAME {
        return Ok(event);
    }
    let GameReference { pairing, number, key } = event.decode()?;
    let stored = store.result(key.as_str())?;
    let unexpected = |reason: &str| StoreError::Unexpected {
        what: format!("game {number} of pairing {pairing} of run {} (result {key})", run.id),
        reason: reason.to_string(),
    };
    let stored = stored.ok_or_else(|| unexpected("it is not in the store"))?;
    match (stored.job, stored.body) {
        (Value::Object(mut payload), Value::Object(record)) => {
            payload.extend(record);
            payload.insert("contest".to_string(), pairing.into());
            payload.insert("number".to_string(), number.into());
            Ok(Event { payload: Value::Object(payload), ..event })
        }
        _ => Err(unexpected("it is not a game")),
    }
}
