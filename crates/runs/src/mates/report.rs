//! Mate problems solved and proofs checked, as the `mate` command reports them.

use std::path::Path;

use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::proof::Proof;
use plysmith_evolve::solvers::{ClaimVerdict, MateQuery, ShortestMate};
use serde::Serialize;

use super::counts::MateCounts;
use super::external::EngineSolver;
use super::solving::{Judged, LengthSummary, Solved, SolverChoice, by_length, solve_all, solve_one};
use crate::error::RunError;
use crate::executor::Executor;
use crate::files::read_text;
use crate::memo::Memo;
use crate::services::Host;
use crate::view::{Cell, Table, View, counted, thousands};

/// What a solver found in one position.
#[derive(Clone, Debug, Serialize)]
pub struct FoundMate {
    /// The position.
    pub position: String,
    /// The solver's name.
    pub solver: String,
    /// The longest mate searched for, in moves.
    pub within: u8,
    /// The length of the mate, if one is proved.
    pub mate: Option<u8>,
    /// Whether it is proved that no mate is shorter.
    pub is_shortest: bool,
    /// The first move.
    pub best: Option<String>,
    /// The line with the longest defence.
    pub line: Vec<String>,
    /// Nodes searched.
    pub nodes: u64,
    /// What the verifier says.
    pub verdict: Judged,
    /// Positions in the proof with the attacker to move.
    pub proof_size: Option<usize>,
    /// The file that the proof was written to.
    pub proof_file: Option<String>,
}

/// A solver's results on a suite.
#[derive(Clone, Debug, Serialize)]
pub struct MateSuiteResult {
    /// The suite's name.
    pub suite: String,
    /// The solver's name.
    pub solver: String,
    /// Node limit for each problem.
    pub budget: u64,
    /// Problems solved.
    pub solved: usize,
    /// Mates found, and those as short as the suite says.
    pub counts: MateCounts,
    /// Results by the length of the mate.
    pub lengths: Vec<LengthSummary>,
    /// Results by problem.
    pub problems: Vec<Solved>,
}

/// The results of several solvers on one suite.
#[derive(Clone, Debug, Serialize)]
pub struct MateSuiteResults {
    /// The suite's name.
    pub suite: String,
    /// Node limit for each problem.
    pub budget: u64,
    /// One for each solver.
    pub solvers: Vec<MateSuiteResult>,
}

/// A proof that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedProof {
    /// The position.
    pub position: String,
    /// The length of the mate.
    pub moves: u32,
    /// Positions in the proof with the attacker to move.
    pub size: usize,
    /// Why it proves nothing, if so.
    pub flaw: Option<String>,
}

impl FoundMate {
    /// Looks for a mate within `moves` moves; with the proof if there is one. All threads of the host work on it.
    pub fn search(
        choice: &SolverChoice,
        fen: &str,
        moves: u8,
        nodes: u64,
        host: &Host,
    ) -> Result<(FoundMate, Option<Proof>), RunError> {
        let position = Position::parse(fen)
            .map_err(|error| RunError::input(format!("position '{fen}', character {}: {error}", error.offset + 1)))?;
        host.workers(1, &choice.need(nodes))?;
        let query = MateQuery { position: &position, moves, budget: nodes, interrupt: &|| host.cancel.is_cancelled() };
        let progress = host.begin_progress(1);
        progress.message(format!("{}: mate within {moves} moves", choice.name()));
        let (ShortestMate { answer, is_shortest, .. }, verdict) = solve_one(choice, &query, host.threads);
        drop(progress);
        host.check_cancelled()?;
        let judged = Judged::of(&verdict, &answer);
        let proof = if let ClaimVerdict::Verified(proof) = verdict { Some(proof) } else { None };
        let found = FoundMate {
            position: position.to_string(),
            solver: choice.name(),
            within: moves,
            mate: answer.mate.filter(|_| proof.is_some()),
            is_shortest: is_shortest && proof.is_some(),
            best: proof.as_ref().map(|proof| position.notation(proof.attack.m)),
            line: proof.as_ref().map_or(Vec::new(), |proof| notation_of(&position, proof)),
            nodes: answer.nodes,
            verdict: judged,
            proof_size: proof.as_ref().map(Proof::size),
            proof_file: None,
        };
        Ok((found, proof))
    }

    /// The mate, or that there is none.
    pub fn view(&self) -> View {
        let FoundMate { solver, within, nodes, .. } = self;
        let nodes = thousands(*nodes);
        View::new().text(match (self.mate, &self.best) {
            (Some(moves), Some(_)) => format!(
                "mate in {moves}: {}\n{solver}, {nodes} nodes; the proof has {} moves and is verified; {}\n",
                self.line.join(" "),
                thousands(self.proof_size.unwrap_or(0) as u64),
                if self.is_shortest { "no mate is shorter" } else { "a shorter mate is not excluded" }
            ),
            _ => format!("{}: {solver} within {within} moves and {nodes} nodes\n", self.verdict.words()),
        })
    }
}

/// The line with the longest defence, in standard algebraic notation.
fn notation_of(position: &Position, proof: &Proof) -> Vec<String> {
    let mut position = position.clone();
    let write = |m| {
        let text = position.notation(m);
        position = position.play(m);
        text
    };
    proof.attack.longest_line().into_iter().map(write).collect()
}

impl MateSuiteResult {
    /// Solves all problems of a suite, without the result cache.
    pub fn solve(
        choice: &SolverChoice,
        name: &str,
        cases: &[FitnessCase],
        nodes: u64,
        host: &Host,
    ) -> Result<MateSuiteResult, RunError> {
        let threads = host.workers(cases.len() as u64, &choice.need(nodes))?;
        let progress = host.begin_progress(cases.len() as u64);
        progress.message(format!("{} on {} problems", choice.name(), cases.len()));
        let interrupt = || host.cancel.is_cancelled();
        let executor = Executor::local(Memo::Disabled, &interrupt);
        let done = |done: usize| progress.set_part_done(done as u64);
        let problems = solve_all(choice, cases, nodes, &executor, threads, &done)?;
        Ok(MateSuiteResult::new(name, choice.name(), nodes, problems))
    }

    /// Gives all problems of a suite to a UCI engine, without the result cache.
    pub fn solve_by_engine(
        engine: &EngineSolver,
        name: &str,
        cases: &[FitnessCase],
        nodes: u64,
        host: &Host,
    ) -> Result<MateSuiteResult, RunError> {
        let threads = host.workers(cases.len() as u64, &engine.need())?;
        let progress = host.begin_progress(cases.len() as u64);
        progress.message(format!("{} on {} problems", engine.name(), cases.len()));
        let interrupt = || host.cancel.is_cancelled();
        let executor = Executor::local(Memo::Disabled, &interrupt);
        let problems = engine.solve_all(cases, nodes, &executor, threads, &progress)?;
        Ok(MateSuiteResult::new(name, engine.name().to_string(), nodes, problems))
    }

    fn new(name: &str, solver: String, budget: u64, problems: Vec<Solved>) -> MateSuiteResult {
        MateSuiteResult {
            suite: name.to_string(),
            solver,
            budget,
            solved: problems.iter().filter(|problem| problem.is_solved()).count(),
            counts: MateCounts::of(&problems),
            lengths: by_length(&problems),
            problems,
        }
    }

    /// Claims of mate that the verifier rejected.
    pub fn rejected(&self) -> usize {
        self.problems.iter().filter(|problem| problem.verdict == Judged::Rejected).count()
    }

    /// A table by the length of the mate.
    pub fn view(&self) -> View {
        let rows = self.lengths.iter().map(|row| {
            vec![
                row.moves.to_string().into(),
                format!("{} of {}", row.solved, row.problems).into(),
                Cell::Count(row.mean_nodes),
                Cell::Count(row.median_nodes),
            ]
        });
        let headings = [">mate in", ">solved", ">nodes (mean)", ">nodes (median)"];
        View::new()
            .text(format!(
                "{}, at most {} nodes per problem: {} of {} solved, all verified\n\n",
                self.solver,
                thousands(self.budget),
                self.solved,
                self.problems.len()
            ))
            .table(Table::new(&headings, rows))
    }
}

impl CheckedProof {
    /// Reads a proof and checks it.
    pub fn read(path: &Path) -> Result<CheckedProof, RunError> {
        let text = read_text(path, "a proof as `plysmith mate --proof` writes it", false)?;
        let proof = Proof::parse(&text).map_err(|error| RunError::input(format!("{}:{error}", path.display())))?;
        let flaw = proof.verify().err().map(|flaw| flaw.to_string());
        Ok(CheckedProof { position: proof.position.to_string(), moves: proof.moves, size: proof.size(), flaw })
    }

    /// Whether the mate is proved.
    pub fn view(&self) -> View {
        let CheckedProof { position, moves, size, flaw } = self;
        View::new().text(match flaw {
            None => format!("{position}: mate in {moves} is proved, with {size} moves\n"),
            Some(flaw) => format!("{position}: mate in {moves} is not proved: {flaw}\n"),
        })
    }
}

impl MateSuiteResults {
    /// The table of found and best mates, then each solver's results by length.
    pub fn view(&self) -> View {
        let row = |result: &MateSuiteResult| {
            let MateCounts { positions, found, best, better, unproved, excluded } = result.counts;
            let counts = [positions, found, best, better, unproved, excluded].map(|count| Cell::Count(count as u64));
            std::iter::once(result.solver.as_str().into()).chain(counts).collect()
        };
        let headings = ["solver", ">positions", ">found", ">best", ">better", ">unproved", ">excluded"];
        let view = View::new()
            .text(format!("Mates in {}, at most {} nodes per position:\n\n", self.suite, thousands(self.budget)))
            .table(Table::new(&headings, self.solvers.iter().map(row)))
            .text(
                "\nFound: announced, of any length. Best: of the length that the suite gives, and proved; better: shorter, \
                 and proved.\n",
            );
        self.solvers.iter().fold(view, |view, result| {
            let failures = counted(result.counts.excluded, "position");
            let note = match result.counts.excluded {
                0 => String::new(),
                _ => format!("{failures} at which the engine failed; --json names them.\n"),
            };
            view.text(format!("\n{note}")).view(result.view())
        })
    }
}
