//! `plysmith mate`: solve mate problems, one or a whole suite, with every claim verified.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use plysmith_evolve::fitness::{FitnessCase, MOST_MOVES};
use plysmith_runs::files::{check_target, write_file};
use plysmith_runs::mates::{
    CheckedProof, EngineSolver, FoundMate, MateSuiteResult, MateSuiteResults, SolverChoice, cases_of,
};

use crate::arguments::count::count;
use crate::arguments::mates::SolverArguments;
use crate::arguments::{ForceArgument, PatienceArgument, SkipBadArgument, ThreadsArgument};
use crate::failure::Failure;
use crate::output::{Output, say};
use crate::services::host;

/// Solve chess mate problems and verify the proofs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith mate --fen '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1'
  plysmith mate --fen FEN --moves 5 --proof mate.proof    write a proof with all replies
  plysmith mate --fen FEN --moves 9 --threads 1           repeat a result exactly
  plysmith mate --check-proof mate.proof
  plysmith mate --suite mates.epd                         print a table by mate length
  plysmith mate --suite held-out --solver evolved         use the bundled problems and program
  plysmith mate --suite held-out --program best.gp --json
  plysmith mate --suite matetrack.epd --nodes 1000000 --engine stockfish --engine 'gnuchess --uci'

With --fen, a mate within --moves is searched for first, and a shorter one with the nodes that are left; the result \
says whether a shorter mate is excluded. df-pn works on it with all threads. What takes more than 100,000 nodes may then be \
answered otherwise each time: by another mate, after other nodes, or not at all; every mate is proved all the same. With \
--threads 1, and with --suite, where each problem has one thread, equal commands have equal results.

Every mate is proved as a tree and verified. If a solver gives no proof, df-pn searches for one; its nodes are not \
counted.")]
pub struct Arguments {
    /// Position to solve, with the mating side to move
    #[arg(long, value_name = "FEN", required_unless_present_any = ["suite", "check_proof"])]
    fen: Option<String>,

    /// Problems to solve: an EPD file with `dm N` or `bm #N`, as those of matetrack and ChestUCI, or 'training' or
    /// 'held-out' for the bundled problems
    #[arg(long, value_name = "FILE", conflicts_with = "fen")]
    suite: Option<String>,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// Verify a proof that --proof wrote, instead of solving
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "suite"])]
    check_proof: Option<PathBuf>,

    /// With --fen, maximum length of the mate in moves
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = value_parser!(u8).range(1..=i64::from(MOST_MOVES)))]
    moves: u8,

    #[command(flatten)]
    solver: SolverArguments,

    /// With --suite, give the problems to this UCI engine, and print a table of mates found and best mates. Can be given
    /// more than once; --solver adds one of the built-in solvers
    #[arg(long, value_name = "COMMAND")]
    engine: Vec<String>,

    #[command(flatten)]
    patience: PatienceArgument,

    /// Node limit for each problem
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = count::<u64>(1..))]
    nodes: u64,

    /// With --fen, write the proof to this file
    #[arg(long, value_name = "FILE", requires = "fen")]
    proof: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgument,

    #[command(flatten)]
    threads: ThreadsArgument,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let choice = arguments.solver.resolve()?;
    if arguments.suite.is_none() && !arguments.engine.is_empty() {
        return Err(Failure::input("--engine needs --suite: a file of mates, or 'held-out'"));
    }
    match (&arguments.check_proof, &arguments.suite, &arguments.fen) {
        (Some(path), _, _) => check_proof(path, output),
        (_, Some(suite), _) => arguments.solve_suite(&choice, suite, output),
        (_, _, Some(fen)) => arguments.solve_one(&choice, fen, output),
        _ => Err(Failure::input("there is nothing to solve; expected --fen, --suite or --check-proof")),
    }
}

impl Arguments {
    fn solve_one(&self, choice: &SolverChoice, fen: &str, output: &Output) -> Result<(), Failure> {
        if let Some(path) = &self.proof {
            check_target(path, self.force.force)?;
        }
        let (mut found, proof) = FoundMate::search(choice, fen, self.moves, self.nodes, &host(self.threads.threads))?;
        if let (Some(path), Some(proof)) = (&self.proof, proof) {
            write_file(path, &proof.print(), self.force.force)?;
            say(format!("wrote {}", path.display()));
            found.proof_file = Some(path.display().to_string());
        }
        output.print_view(&found, || found.view())
    }

    fn solve_suite(&self, choice: &SolverChoice, name: &str, output: &Output) -> Result<(), Failure> {
        let cases = cases_of(&self.skip.read_mates(name)?)?;
        if !self.engine.is_empty() {
            return self.compare(choice, name, &cases, output);
        }
        let result = MateSuiteResult::solve(choice, name, &cases, self.nodes, &host(self.threads.threads))?;
        output.print_view(&result, || result.view())?;
        match result.rejected() {
            0 => Ok(()),
            wrong => Err(Failure::CheckFailed(format!("{wrong} claims of mate were rejected by the verifier"))),
        }
    }
}

impl Arguments {
    /// The suite by each engine, and by a solver of ours if one was asked for.
    fn compare(
        &self,
        choice: &SolverChoice,
        name: &str,
        cases: &[FitnessCase],
        output: &Output,
    ) -> Result<(), Failure> {
        let host = host(self.threads.threads);
        let open = |text: &String| EngineSolver::open(text, self.patience.patience, &host.cancel);
        let engines = self.engine.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        engines.iter().flat_map(EngineSolver::notes).for_each(|note| say(format!("note: {note}")));
        let mut solvers = Vec::new();
        if self.solver.is_chosen() {
            solvers.push(MateSuiteResult::solve(choice, name, cases, self.nodes, &host)?);
        }
        for engine in &engines {
            solvers.push(MateSuiteResult::solve_by_engine(engine, name, cases, self.nodes, &host)?);
        }
        let results = MateSuiteResults { suite: name.to_string(), budget: self.nodes, solvers };
        output.print(&results, || results.view().to_string())
    }
}

fn check_proof(path: &Path, output: &Output) -> Result<(), Failure> {
    let checked = CheckedProof::read(path)?;
    output.print_view(&checked, || checked.view())?;
    match checked.flaw {
        None => Ok(()),
        Some(flaw) => Err(Failure::CheckFailed(format!("{} proves nothing: {flaw}", path.display()))),
    }
}
