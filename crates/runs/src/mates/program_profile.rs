//! How often each branch of an evolved program is taken on a suite of mates.

use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::interpreter::{Framework, MateSearch, VisitCounts};
use plysmith_evolve::language::Program;

use crate::error::RunError;
use crate::services::Host;

/// The results of a program on mate problems.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramProfile {
    /// Mates proved.
    pub proved: usize,
    /// Boards reached in all problems.
    pub boards: u64,
    /// How often each element was evaluated, in the order of the program's text.
    pub counts: Vec<u64>,
}

impl ProgramProfile {
    /// Runs a program on all problems, with at most `nodes` boards for each.
    pub fn measure(
        program: &Program,
        cases: &[FitnessCase],
        nodes: u64,
        host: &Host,
    ) -> Result<ProgramProfile, RunError> {
        let counts = VisitCounts::new(program.size());
        let progress = host.begin_progress(cases.len() as u64);
        let (mut proved, mut boards) = (0, 0);
        for case in cases {
            progress.message(case.id.clone());
            let search = MateSearch {
                program,
                moves: case.moves,
                budget: nodes,
                record_proof: false,
                use_cache: true,
                framework: Framework::Full,
                interrupt: &|| host.cancel.is_cancelled(),
            };
            let found = search.run_profiled(case.position.board(), &counts);
            proved += usize::from(found.mate.is_some());
            boards += found.nodes;
            progress.finish_part(1);
            host.check_cancelled()?;
        }
        Ok(ProgramProfile { proved, boards, counts: counts.into_vec() })
    }
}
