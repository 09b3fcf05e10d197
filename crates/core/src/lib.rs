//! Games, move features, fractional-ply search and test suites: the pure part of Plysmith.
//!
//! Nothing here touches a file, a clock, a thread or a random source that was not seeded by the caller. The search is
//! generic over the game and compiled once for each; the layers above see positions and moves as text, through the table
//! in [`games`].
//!
//! # Search a position
//!
//! ```
//! use plysmith_core::{Searcher, games};
//!
//! let chess = games::find("chess")?;
//! let position = chess.parse_position("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1")?;
//! let report = Searcher::new(chess).nodes(20_000).search(&*position);
//! assert_eq!(report.line, ["h5f7"]);
//! assert_eq!(report.score.to_string(), "win in 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Parse a scheme
//!
//! A scheme says how much depth moves with certain features cost. The features of a game are its vocabulary.
//!
//! ```
//! use plysmith_core::{Weight, games};
//!
//! let vocabulary = games::find("breakthrough")?.vocabulary;
//! let scheme = vocabulary.parse_scheme("PP-Ud,C@0.75", Weight::HALF)?;
//! assert_eq!(vocabulary.print_scheme(&scheme), "Ud-PP@0.5,C@0.75");
//! assert!(vocabulary.parse_scheme("Up", Weight::HALF).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Read a suite
//!
//! ```
//! use plysmith_core::{Searcher, games, suite};
//!
//! let chess = games::find("chess")?;
//! let suite = suite::text::parse(chess, "example", r#"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8; id "back rank"; dm 1;"#)?;
//! let problem = &suite.problems[0];
//! let report = Searcher::new(chess).search(&*chess.parse_position(&problem.position)?);
//! assert!(problem.is_solved_by(&report));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Draw a board
//!
//! ```
//! use plysmith_core::games;
//!
//! let position = games::find("breakthrough")?.parse_position("4/1p2/2P1/4 w")?;
//! let drawing = position.draw(Some("c2b3"))?;
//! let expected = [
//!     " 4  .  .  .  .",
//!     " 3  . [p] .  .",
//!     " 2  .  . [P] .",
//!     " 1  .  .  .  .",
//!     "    a  b  c  d",
//! ];
//! assert_eq!(drawing.lines().collect::<Vec<_>>(), expected);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Layers
//!
//! Modules depend only on those above them in this table.
//!
//! | modules | what |
//! | --- | --- |
//! | [`decimal`], [`outcome`], [`score`], [`depth`], [`parameter`], [`random`], [`logistic`], [`printable`] | numbers, results, text |
//! | [`grid`], [`weights`] | boards as squares, weights of evaluations as data |
//! | [`patterns`] | evaluations over board patterns |
//! | [`settings`], [`feature`], [`eval_terms`] | how to search, move features, memory of evaluations |
//! | [`game`], [`move_set`] | what a game must provide |
//! | [`fingerprint`] | what features and evaluations do, for the keys of results |
//! | [`search`] | alpha-beta search, depth policies, proofs |
//! | [`problem`], [`generate`] | problems, and how to make them by self-play |
//! | [`training`] | self-play games that evaluations are fitted to |
//! | [`transitions`] | how often moves of a category are played |
//! | [`games`] | Breakthrough, chess, and the table of games |
//! | [`suite`], [`pgn`], [`Searcher`] | suites and game records as text, the front door of the search |
//! | [`conform`] | the checklist that every game passes |

pub mod conform;
pub mod decimal;
pub mod depth;
pub mod eval_terms;
pub mod feature;
pub mod fingerprint;
pub mod game;
pub mod games;
pub mod generate;
pub mod grid;
pub mod logistic;
pub mod move_set;
pub mod outcome;
pub mod parameter;
pub mod patterns;
pub mod pgn;
pub mod printable;
pub mod problem;
pub mod random;
pub mod score;
pub mod search;
mod searcher;
pub mod self_play;
pub mod settings;
pub mod similar;
pub mod suite;
pub mod training;
pub mod transitions;
pub mod weights;

pub use decimal::Thousandths;
pub use depth::{Depth, Weight};
pub use feature::{Atom, Conjunction, Feature, Scheme, Vocabulary};
pub use game::{Game, Move, MoveSet};
pub use games::{AnyPosition, GAMES, GameInfo, Playing};
pub use outcome::Outcome;
pub use parameter::{Parameter, Weights};
pub use problem::{Criterion, Problem, Suite};
pub use random::Random;
pub use score::{Score, Window};
pub use search::{Limit, Report, Task, Workspace};
pub use searcher::Searcher;
pub use settings::{Presets, Settings, Switches, Tunables};

/// The Rust snippet of the README compiles and runs.
#[cfg(doctest)]
mod readme {
    #![doc = include_str!("../../../README.md")]
}
