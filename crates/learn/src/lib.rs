//! What Plysmith learns with: algorithms that choose what to try next and judge what came of it.
//!
//! Nothing here knows an engine, a file, a thread or a clock. A learner is asked for its next question
//! and told the answer; who finds the answer is an [`evaluator`]'s business. The same answers always
//! lead to the same questions, so a run is resumed by telling a fresh learner what is known already.

pub mod evaluator;
pub mod exhaustive;
pub mod fitting;
pub mod focus;
pub mod pruning;
pub mod stats;
pub mod tune;
