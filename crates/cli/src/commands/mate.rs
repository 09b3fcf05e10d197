//! `plysmith mate`: solve mate problems, one or a whole suite, with every claim verified.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_evolve::fitness::MOST_MOVES;
use plysmith_evolve::proof::Proof;
use plysmith_evolve::solvers::{ClaimVerdict, MateQuery, shortest_mate, verify_claim};
use serde::Serialize;

use super::experiment::{SkipBadArgument, ThreadsArgument, read_suite};
use super::mates::{HELD_OUT, TRAINING, bundled, cases_of};
use super::solving::{Effort, Judged, LengthSummary, Solved, SolverChoice, SolverName, by_length};
use crate::failure::Failure;
use plysmith_runs::files::{check_target, read_text, write_file};
use crate::signals;
use crate::output::{Output, say, table, thousands};
use crate::progress;

/// Solve mate problems of chess and prove it; or check a proof
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith mate --fen '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1'
  plysmith mate --fen FEN --moves 5 --proof mate.proof      with every reply, for others to check
  plysmith mate --check-proof mate.proof
  plysmith mate --suite mates.epd                           solved and nodes by the length of the mate
  plysmith mate --suite held-out --solver evolved           the bundled problems, the bundled program
  plysmith mate --suite held-out --program best.gp --json

A claim is never taken on trust: each is proved as a tree and verified, whoever made it. What df-pn spends on trees for
others is not counted as theirs.")]
pub struct Arguments {
    /// The position, the side that should mate to move
    #[arg(long, value_name = "FEN", required_unless_present_any = ["suite", "check_proof"])]
    fen: Option<String>,

    /// Problems with `dm N` in EPD; or 'training' or 'held-out', which come with plysmith
    #[arg(long, value_name = "FILE", conflicts_with = "fen")]
    suite: Option<String>,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// Check a proof that --proof wrote
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "suite"])]
    check_proof: Option<PathBuf>,

    /// With --fen, look for a mate within this many moves
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = value_parser!(u8).range(1..=i64::from(MOST_MOVES)))]
    moves: u8,

    /// Who solves [default: df-pn, the best of them; with --program, the program]
    #[arg(long, value_enum)]
    solver: Option<SolverName>,

    /// A program to solve with
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,

    /// Nodes to spend on each problem
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// With --fen, where to write the proof
    #[arg(long, value_name = "FILE", requires = "fen")]
    proof: Option<PathBuf>,

    /// Write over a file that exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    threads: ThreadsArgument,
}

#[derive(Serialize)]
struct Found {
    position: String,
    solver: String,
    /// Within how many moves it was looked for.
    within: u8,
    mate: Option<u8>,
    best: Option<String>,
    /// With the longest defence.
    line: Vec<String>,
    nodes: u64,
    verdict: Judged,
    /// Positions in the proof with the player to move.
    proof_size: Option<usize>,
    proof_file: Option<String>,
}

#[derive(Serialize)]
struct Summary {
    suite: String,
    solver: String,
    /// The most nodes that each problem may take.
    budget: u64,
    solved: usize,
    lengths: Vec<LengthSummary>,
    problems: Vec<Solved>,
}

#[derive(Serialize)]
struct Checked {
    position: String,
    moves: u32,
    size: usize,
    flaw: Option<String>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    signals::cancel_token();
    let choice = SolverChoice::new(arguments.solver, arguments.program.as_deref())?;
    match (&arguments.check_proof, &arguments.suite, &arguments.fen) {
        (Some(path), _, _) => check_proof(path, output),
        (_, Some(suite), _) => arguments.solve_suite(&choice, suite, output),
        (_, _, Some(fen)) => arguments.solve_one(&choice, fen, output),
        _ => Err(Failure::input("there is nothing to solve; expected --fen, --suite or --check-proof")),
    }
}

/// The problems of a bundled suite or a file.
pub fn suite_of(name: &str, skip: &SkipBadArgument) -> Result<plysmith_core::problem::Suite, Failure> {
    match name {
        TRAINING | HELD_OUT => bundled(name),
        _ => Ok(read_suite("chess", Path::new(name), skip)?.0),
    }
}

impl Arguments {
    fn solve_one(&self, choice: &SolverChoice, fen: &str, output: &Output) -> Result<(), Failure> {
        if let Some(path) = &self.proof {
            check_target(path, self.force)?;
        }
        let position = Position::parse(fen)
            .map_err(|error| Failure::input(format!("position '{fen}', character {}: {error}", error.offset + 1)))?;
        let query =
            MateQuery { position: &position, moves: self.moves, budget: self.nodes, interrupt: &signals::is_cancelled };
        let mut solver = choice.make();
        let progress = progress::begin(1);
        progress.message(format!("{}: a mate within {} moves", solver.name(), self.moves));
        let answer = if choice.deepens() { solver.solve(&query) } else { shortest_mate(solver.as_mut(), &query) };
        let verdict = verify_claim(&query, &answer);
        drop(progress);
        if signals::is_cancelled() {
            return Err(Failure::Interrupted(None));
        }
        let judged = Judged::of(&verdict, &answer);
        let proof = if let ClaimVerdict::Verified(proof) = verdict { Some(proof) } else { None };
        if let (Some(path), Some(proof)) = (&self.proof, &proof) {
            write_file(path, &proof.print(), self.force)?;
            say(format!("the proof is in {}", path.display()));
        }
        let found = Found {
            position: position.to_string(),
            solver: solver.name(),
            within: self.moves,
            mate: answer.mate.filter(|_| proof.is_some()),
            best: proof.as_ref().map(|proof| position.notation(proof.attack.m)),
            line: proof.as_ref().map_or(Vec::new(), |proof| notation_of(&position, proof)),
            nodes: answer.nodes,
            verdict: judged,
            proof_size: proof.as_ref().map(Proof::size),
            proof_file: self.proof.as_ref().filter(|_| proof.is_some()).map(|path| path.display().to_string()),
        };
        output.print(&found, || found.text())
    }

    fn solve_suite(&self, choice: &SolverChoice, name: &str, output: &Output) -> Result<(), Failure> {
        let cases = cases_of(&suite_of(name, &self.skip)?)?;
        let progress = progress::begin(cases.len() as u64);
        progress.message(format!("{} on {} problems", choice.make().name(), cases.len()));
        let effort = Effort { choice, budget: self.nodes, threads: &self.threads };
        let problems = effort.solve_all(&cases, &|done| progress.set_part_done(done as u64))?;
        drop(progress);
        let summary = Summary {
            suite: name.to_string(),
            solver: choice.make().name(),
            budget: self.nodes,
            solved: problems.iter().filter(|problem| problem.is_solved()).count(),
            lengths: by_length(&problems),
            problems,
        };
        output.print(&summary, || summary.text())?;
        match summary.problems.iter().filter(|problem| problem.verdict == Judged::Rejected).count() {
            0 => Ok(()),
            wrong => Err(Failure::CheckFailed(format!("{wrong} claims of mate were rejected by the verifier"))),
        }
    }
}

fn check_proof(path: &Path, output: &Output) -> Result<(), Failure> {
    let text = read_text(path, "a proof as `plysmith mate --proof` writes it", false)?;
    let proof = Proof::parse(&text).map_err(|error| Failure::input(format!("{}:{error}", path.display())))?;
    let flaw = proof.verify().err().map(|flaw| flaw.to_string());
    let checked = Checked { position: proof.position.to_string(), moves: proof.moves, size: proof.size(), flaw };
    output.print(&checked, || checked.text())?;
    match checked.flaw {
        None => Ok(()),
        Some(flaw) => Err(Failure::CheckFailed(format!("{} proves nothing: {flaw}", path.display()))),
    }
}

/// The line with the longest defence, as people write it.
fn notation_of(position: &Position, proof: &Proof) -> Vec<String> {
    let mut position = position.clone();
    let write = |m| {
        let text = position.notation(m);
        position = position.play(m);
        text
    };
    proof.attack.longest_line().into_iter().map(write).collect()
}

impl Found {
    fn text(&self) -> String {
        let Found { solver, within, nodes, .. } = self;
        let nodes = thousands(*nodes);
        match (self.mate, &self.best) {
            (Some(moves), Some(_)) => format!(
                "mate in {moves}: {}\n{solver}, {nodes} nodes; the proof has {} moves and is verified\n",
                self.line.join(" "),
                thousands(self.proof_size.unwrap_or(0) as u64)
            ),
            _ => format!("{}: {solver} within {within} moves and {nodes} nodes\n", self.verdict.words()),
        }
    }
}

impl Summary {
    fn text(&self) -> String {
        let rows = self.lengths.iter().map(|row| {
            vec![
                row.moves.to_string(),
                format!("{} of {}", row.solved, row.problems),
                thousands(row.mean_nodes),
                thousands(row.median_nodes),
            ]
        });
        format!(
            "{}, at most {} nodes a problem: {} of {} solved, every one verified\n\n{}",
            self.solver,
            thousands(self.budget),
            self.solved,
            self.problems.len(),
            table(&[">mate in", ">solved", ">nodes (mean)", ">nodes (median)"], rows)
        )
    }
}

impl Checked {
    fn text(&self) -> String {
        match &self.flaw {
            None => format!("{}: mate in {} is proved, with {} moves\n", self.position, self.moves, self.size),
            Some(flaw) => format!("{}: mate in {} is not proved: {flaw}\n", self.position, self.moves),
        }
    }
}
