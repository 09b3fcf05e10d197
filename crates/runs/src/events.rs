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

#[cfg(test)]
mod tests {
    use plysmith_core::outcome::Outcome;
    use plysmith_engine::arena::adjudication::Adjudication;
    use plysmith_engine::arena::game::{GameEnd, Ply};
    use plysmith_store::{Home, NewRun};
    use serde_json::json;

    use super::*;

    fn played() -> PlayedGame {
        let job = GameJob {
            game: "breakthrough".to_string(),
            position: "ppp/3/PPP w".to_string(),
            white: "classic+Ud@0.5".to_string(),
            black: "classic".to_string(),
            nodes: 100,
            time: None,
            depth: None,
            run: None,
            seed: u64::MAX,
            adjudicate: false,
            rules: Adjudication::default(),
            random: "xoshiro256++".to_string(),
            revision: 3,
            behaviour: String::new(),
            arena: None,
            details: false,
        };
        let record = GameRecord {
            plies: vec![Ply { m: "a1a2".to_string(), score: -3, depth: 2, nodes: 100, time: None, details: None }],
            result: Outcome::Loss,
            end: GameEnd::Rules,
            reason: None,
            overstep: None,
            replays: 0,
            white_fired: vec![7],
            white_moves: 9,
            black_fired: Vec::new(),
            black_moves: 8,
        };
        PlayedGame { number: 5, job, record }
    }

    fn payload(format: u32) -> Value {
        serde_json::to_value(GameEvent::new(2, played(), format)).unwrap()
    }

    #[test]
    fn events_read_back_in_both_formats() {
        for format in [1, 2] {
            let event: GameEvent = serde_json::from_value(payload(format)).unwrap();
            assert_eq!(event, GameEvent::new(2, played(), format));
        }
        assert_eq!(payload(2), json!({ "contest": 2, "number": 5, "key": played().job.key() }));
    }

    #[test]
    fn a_resolved_reference_is_the_whole_game() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
        let new = NewRun {
            kind: "match".to_string(),
            game: "breakthrough".to_string(),
            config: Value::Null,
            seed: 1,
            version: "0.1.0".to_string(),
            command: Vec::new(),
            parent: None,
        };
        let id = store.create_run(&new).unwrap().run();
        store.append_event(id, 0, "other", &json!({ "key": "is its own" })).unwrap();
        store.append_event(id, 1, GAME, &payload(2)).unwrap();
        let run = store.run(id).unwrap();
        let missing = resolved_events(&store, &run).nth(1).unwrap().unwrap_err().to_string();
        assert!(missing.contains("game 5 of pairing 2 of run 1") && missing.contains("not in the store"), "{missing}");

        let PlayedGame { job, record, .. } = played();
        store.put_result(&job.key(), 1, &job, &record).unwrap();
        let events: Vec<_> = resolved_events(&store, &run).map(Result::unwrap).collect();
        assert_eq!(events[0].payload, json!({ "key": "is its own" }));
        assert_eq!(events[1].payload, payload(1), "as format 1 stores it");

        let old = Run { format: 1, ..run };
        let whole = Event { seq: 0, kind: GAME.to_string(), payload: payload(1) };
        assert_eq!(resolve(&store, &old, whole.clone()).unwrap(), whole);
    }
}
