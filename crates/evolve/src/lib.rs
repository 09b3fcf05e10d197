//! Evolution of search algorithms for mate problems, after *Evolution of an Efficient Search Algorithm for the
//! Mate-In-N Problem in Chess* (Hauptman and Sipper; below: the mate paper).
//!
//! | module | content | start with |
//! | --- | --- | --- |
//! | [`language`] | programs: functions, terminals, text form | [`Program`] |
//! | [`interpreter`] | runs a program on a position | [`MateSearch`] |
//! | [`fitness`] | fitness cases and measures | [`FitnessCase`], [`FitnessMeasure`] |
//! | [`breeding`] | genetic programming | [`Evolution`] |
//! | [`solvers`] | exhaustive search, alpha-beta, df-pn and evolved programs behind one trait | [`Solver`], [`verify_claim`] |
//! | [`proof`] | proof trees and their verifier | [`Proof`] |
//! | [`simplify`](mod@simplify) | smaller programs that behave identically | [`simplify()`] |
//! | [`pseudocode`] | programs as readable pseudo-code | [`pseudocode::print`] |
//! | [`problems`] | mate problems from self-play | [`problems::problem_from_game`] |
//! | [`composition`] | random changes to positions, as a composer tries them | [`composition::changed`] |
//! | [`knowledge`] | chess knowledge behind the terminals | [`knowledge::BoardView`] |
//!
//! # Run a program and verify its proof
//!
//! ```
//! use plysmith_core::game::Game;
//! use plysmith_core::games::chess::Position;
//! use plysmith_evolve::{ClaimVerdict, Evolved, MateQuery, Program, Solver, verify_claim};
//!
//! // White mates in two:
//! //
//! //   r . b q . . r .
//! //   b . . . . p k .
//! //   p . p p . p . .
//! //   . p . . p P . .
//! //   . P . . P . P B
//! //   . . . P . . . .
//! //   . P P Q . . P .
//! //   R . . . K . . R
//! let position = Position::parse("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1")?;
//!
//! // After each reply: mate at once, or else give a check and start again.
//! let text = "(MakeBestMove (If3 IsMateInOneOrLess 1000 (IfExistsCheckingMove Again -1000)))";
//! let program: Program = text.parse()?;
//!
//! let query = MateQuery { position: &position, moves: 2, budget: 10_000, interrupt: &|| false };
//! let answer = Evolved { program, name: "checks only".to_string() }.solve(&query);
//! assert_eq!(answer.mate, Some(2));
//!
//! let ClaimVerdict::Verified(proof) = verify_claim(&query, &answer) else { panic!("not a mate") };
//! assert_eq!(proof.verify(), Ok(()));
//! assert_eq!(proof.attack.m.to_string(), "d2h6");
//! print!("{}", proof.print());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Simplify a program
//!
//! ```
//! use plysmith_evolve::{Program, simplify};
//!
//! let program: Program = "(If3 (Not (Not IsCheck)) (If3 IsCheck 1 2) (MakeBestMove Again))".parse()?;
//! assert_eq!(simplify(&program).to_string(), "(If3 IsCheck 1 (MakeBestMove Again))");
//! # Ok::<(), plysmith_evolve::language::ProgramError>(())
//! ```

pub mod breeding;
pub mod composition;
pub mod fitness;
mod hashing;
pub mod interpreter;
pub mod knowledge;
pub mod language;
pub mod problems;
pub mod proof;
pub mod pseudocode;
pub mod simplify;
pub mod solvers;

pub use breeding::{Evolution, EvolutionSettings, Generation, Individual, SizeLimits};
pub use fitness::{CaseResult, FitnessCase, FitnessCaseError, FitnessMeasure, FitnessStage};
pub use interpreter::{Framework, MateResult, MateSearch, VisitCounts};
pub use language::{Dialect, Primitive, Program, ProgramError};
pub use problems::MatePlan;
pub use proof::{Attack, Proof, ProofError, ProofFlaw};
pub use simplify::simplify;
pub use solvers::{
    AlphaBeta, ClaimVerdict, DfPn, Evolved, Exhaustive, MateAnswer, MateQuery, ShortestMate, ShortestQuery, Solver,
    shortest_mate, verify_claim,
};

/// Revision of the behaviour of programs: it increases whenever a program may give another result for the same position
/// and budget. Stored measurements carry it, so results of different revisions are never mixed.
pub const REVISION: u32 = 2;
