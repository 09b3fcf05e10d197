//! Move features: atoms, their conjunctions, and schemes that say what moves with certain features cost.
//!
//! An *atom* is one elementary property of a move (capture, passed, rank zone …) or of the state of the search in which
//! the move comes up (cut node, late move …). A *conjunction* is a set of atoms that all must hold; the empty one is the
//! papers' Neutral. A *feature* is one conjunction or several, any of which must hold (thesis section 4.2.3 joins
//! recaptures of bishops and rooks so). A *scheme* says how much depth a move with certain features costs. All have one
//! text form that parses and prints: `Ud-RdTt` is a conjunction, `(CcB-LcB)|(CcR-LcR)` a feature of two alternatives,
//! `Ud-RdTt@0.5,PP@0.75` a scheme.
//!
//! | file | what |
//! | --- | --- |
//! | `atoms` | atoms, conjunctions and features |
//! | `state` | atoms of the search state, shared by all games |
//! | `cost` | what a scheme says of a feature: weight, probability or amount |
//! | `scheme` | schemes |
//! | `vocabulary` | the atoms that conjunctions of a game can name |
//! | `guidance` | what a game tells learners about them |
//! | `text`, `error` | the text form of all of them, and what can be wrong with it |

mod atoms;
mod cost;
mod error;
mod guidance;
mod scheme;
pub mod state;
mod text;
mod vocabulary;

pub use atoms::{Atom, AtomFacts, Conjunction, Feature};
pub use cost::{Amount, Cost, CostError, Probability};
pub use error::FeatureError;
pub use guidance::Guidance;
pub use scheme::{Rule, Scheme};
pub use state::StateAtoms;
pub use vocabulary::Vocabulary;
