//! Engines and games: drives engines in other processes, makes the built-in search an engine, and plays games.
//!
//! | module | what |
//! | --- | --- |
//! | [`lines`] | text lines from untrusted input |
//! | [`process`] | an engine in another process: its pipes, faults and last lines |
//! | [`uci`] | UCI: [`uci::client`] drives an engine, [`uci::server`] is one |
//! | [`plug`] | the paper's protocol: [`plug::client`] drives an engine, [`plug::server`] is one |
//! | [`weights`] | weight files by name, and settings that name them |
//! | [`timed_search`] | searches under a clock: time management, lag, Lazy SMP |
//! | [`mate_search`] | mate solvers that look for a mate before each search of a move |
//! | [`move_limit`] | what a move may take: nodes, plies or time |
//! | [`player`] | players: the built-in engine or a UCI engine, each with its text form |
//! | [`arena`] | games between players: time controls, openings, records |
//! | [`driver`] | what can be measured on problems, behind one trait |
//! | [`measurement`] | the result of measuring a candidate on a suite |
//! | [`parallel`] | numbered jobs on all cores, results in order |
//!
//! Modules depend only on modules above them in this order: `lines`, `process`, `weights`, `driver`, then the protocols
//! and `timed_search`, then `mate_search`, then `player`, then `arena`.
//!
//! # Play a game
//!
//! Two configurations of the built-in engine play Breakthrough on a small board. Equal jobs give equal games.
//!
//! ```
//! use plysmith_core::games::{self, Start};
//! use plysmith_engine::{GameJob, GamePlayers, GameSetup, MoveLimit, Participant, SpawnMode, UciTimeouts, play};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let game = games::find("breakthrough")?;
//! let start = (game.start)(&Start { size: Some((5, 5)), black_first: false })?;
//! let players = [Participant::parse(game, "modern")?, Participant::parse(game, "classic+Ud@0.5")?];
//! let job = GameJob { nodes: 500, seed: 1, ..GameJob::new(game, &start, &players[0], &players[1]) };
//!
//! let move_limit = MoveLimit::Nodes(job.nodes);
//! let mut ready = GamePlayers::new(game, &players, move_limit, SpawnMode::Direct, UciTimeouts::default())?;
//! let setup = GameSetup { game, job: &job, players: &players, move_limit, white: 0 };
//! let record = play(&setup, &mut ready, &|| false)?.ok_or("interrupted")?;
//!
//! assert_eq!(play(&setup, &mut ready, &|| false)?, Some(record.clone()));
//! println!("{} after {} plies", record.result.pgn(), record.plies.len());
//! # Ok(())
//! # }
//! ```
//!
//! # Search under a clock
//!
//! ```
//! use std::time::Instant;
//!
//! use plysmith_core::feature::Scheme;
//! use plysmith_core::games;
//! use plysmith_core::search::{Limit, Root, Task, Workspace};
//! use plysmith_engine::timed_search::{MoveTimer, SearchControl, SideClock, TimeReserve, TimedSearch};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let game = games::find("breakthrough")?;
//! let position = (game.open)(game.bench[0])?;
//! let begun = Instant::now();
//! let control = SearchControl::started(begun);
//! // A second on the clock, ten milliseconds a move.
//! let budget = SideClock { time: 1000, increment: 10 }.budget(None, TimeReserve { overhead: 10, lag: 0 });
//! let timer = MoveTimer::new(Some(budget), &control, begun);
//! let task = Task {
//!     settings: game.parse_settings("modern")?,
//!     scheme: &Scheme::neutral(),
//!     limit: Limit::nodes(u64::MAX),
//!     seed: 1,
//!     interrupt: &|| false,
//!     root: Root::default(),
//! };
//! let search = TimedSearch { position: position.as_ref(), task, timer: &timer, helpers: 0 };
//! let report = search.run(&mut Workspace::default(), &mut |iteration| println!("depth {}", iteration.depth));
//! assert!(position.canonical_move(&report.line[0]).is_ok());
//! # Ok(())
//! # }
//! ```
//!
//! # Drive a UCI engine
//!
//! ```no_run
//! use std::ops::ControlFlow;
//!
//! use plysmith_engine::uci::client::{Go, UciEngine};
//! use plysmith_engine::{SpawnMode, UciTimeouts};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut engine = UciEngine::start(&"gnuchess --uci".parse()?, SpawnMode::Direct, UciTimeouts::default())?;
//! engine.new_game()?;
//! engine.position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &["e2e4".to_string()])?;
//! let result = engine.search(&Go::Depth(8), &|| false, &mut |info, _| {
//!     println!("{:?} {:?}", info.depth, info.pv);
//!     ControlFlow::Continue(())
//! })?;
//! println!("{:?}", result.and_then(|result| result.best.m));
//! engine.quit();
//! # Ok(())
//! # }
//! ```

pub mod arena;
pub mod driver;
pub mod interactive_game;
pub mod lines;
pub mod mate_search;
pub mod measurement;
pub mod move_limit;
pub mod parallel;
pub mod player;
pub mod plug;
pub mod process;
pub mod schemes;
pub mod timed_search;
pub mod uci;
pub mod weights;

pub use arena::game::{GameEnd, GameJob, GameRecord, GameSetup, Ply, play};
pub use arena::game_players::GamePlayers;
pub use arena::openings::{Book, Opening, OpeningPlan};
pub use arena::time_control::{MoveLimit, TimeControl, TimeLimit};
pub use driver::{Attempt, BuiltIn, Candidate, Driver, MeasurementJob, Policy, Subject};
pub use measurement::Measurement;
pub use player::{BuiltInPlayer, Participant, PlayerKind, UciPlayer};
pub use plug::client::{PlugEngine, PlugSubject, PlugTimeouts};
pub use process::{EngineCommand, EngineError, Fault, SpawnMode};
pub use timed_search::TimedSearch;
pub use uci::client::{UciEngine, UciSubject, UciTimeouts};
