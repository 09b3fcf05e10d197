//! An evolved program as a solver. It claims only mates that the interpreter has proved.

use plysmith_core::game::Game;

use super::solver::{MateAnswer, MateQuery, Solver};
use crate::interpreter::{Framework, MateSearch};
use crate::language::{Program, ProgramError};
use crate::proof::Proof;

/// Solves by running a program.
#[derive(Clone, Debug)]
pub struct Evolved {
    /// The program.
    pub program: Program,
    /// Its name in tables.
    pub name: String,
}

/// The text of the program that comes with Plysmith; it says how it was made.
pub const BUNDLED_PROGRAM: &str = include_str!("../../data/mate-evolved.gp");

/// The program that comes with Plysmith.
pub fn bundled_program() -> Result<Program, ProgramError> {
    BUNDLED_PROGRAM.parse()
}

impl Solver for Evolved {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn solve(&mut self, query: &MateQuery<'_>) -> MateAnswer {
        let MateQuery { position, moves, budget, interrupt } = *query;
        let search = MateSearch {
            program: &self.program,
            moves,
            budget,
            record_proof: true,
            use_cache: true,
            framework: Framework::Full,
            interrupt,
        };
        let found = search.run(position.board());
        let best = position.legal_moves().into_iter().find(|m| Some(m.for_cozy()) == found.best);
        let proof = found.mate.and_then(|moves| Proof::from_proved_mates(position, moves.into(), &found.proved_mates));
        // The recorded mates may contain another root move that mates as fast.
        let best = proof.as_ref().map(|proof| proof.attack.m).or(best);
        MateAnswer { best, mate: found.mate, nodes: found.nodes, is_cut: found.is_cut && found.mate.is_none(), proof }
    }
}
