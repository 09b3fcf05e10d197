//! Solvers of mate problems as the command line names them, and whole suites given to them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use clap::ValueEnum;
use plysmith_core::game::Game;
use plysmith_engine::parallel::all_cores;
use plysmith_engine::parallel::in_order;
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::language::Program;
use plysmith_evolve::solvers::AlphaBeta;
use plysmith_evolve::solvers::DfPn;
use plysmith_evolve::solvers::Evolved;
use plysmith_evolve::solvers::Exhaustive;
use plysmith_evolve::solvers::{ClaimVerdict, MateAnswer, MateQuery, Solver, verify_claim};
use serde::{Deserialize, Serialize};

use super::experiment::ThreadsArgument;
use super::mates::bundled_program;
use crate::failure::Failure;
use plysmith_runs::files::read_text;
use crate::signals;

/// Who solves.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolverName {
    /// Every move and every reply (the paper's Figure 1)
    Exhaustive,
    /// Our modern search
    AlphaBeta,
    /// Proof-number search with a table
    DfPn,
    /// An evolved program: the bundled one, or that of --program
    Evolved,
}

/// A solver that can be made as often as there are threads.
#[derive(Clone, Debug)]
pub enum SolverChoice {
    /// One of the reference solvers.
    Reference(SolverName),
    /// A program.
    Program(Evolved),
}

/// What the verifier made of an answer.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judged {
    /// A mate, and its proof is verified.
    Verified,
    /// The solver says that there is none, or that it has found none.
    NotFound,
    /// The nodes were spent before.
    GaveUp,
    /// A mate was claimed, and there is none.
    Rejected,
    /// A mate was claimed, and its proof could not be found in time.
    Unsettled,
}

/// What came of a problem.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Solved {
    pub id: String,
    pub moves: u8,
    pub mate: Option<u8>,
    pub best: Option<String>,
    pub nodes: u64,
    pub verdict: Judged,
}

/// Problems of one length.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LengthSummary {
    pub moves: u8,
    pub problems: usize,
    pub solved: usize,
    /// Of all problems, solved or not.
    pub mean_nodes: u64,
    pub median_nodes: u64,
}

impl SolverChoice {
    /// What is meant by what was typed.
    pub fn new(name: Option<SolverName>, program: Option<&Path>) -> Result<SolverChoice, Failure> {
        match (name, program) {
            (None | Some(SolverName::Evolved), Some(path)) => {
                let program = read_program(path)?;
                Ok(SolverChoice::Program(Evolved { program, name: path.display().to_string() }))
            }
            (Some(SolverName::Evolved), None) => {
                Ok(SolverChoice::Program(Evolved { program: bundled_program()?, name: "evolved".to_string() }))
            }
            (Some(_), Some(_)) => Err(Failure::input("--program is run by --solver evolved; leave out one of them")),
            (name, None) => Ok(SolverChoice::Reference(name.unwrap_or(SolverName::DfPn))),
        }
    }

    /// A solver to work with.
    pub fn make(&self) -> Box<dyn Solver> {
        match self {
            SolverChoice::Program(evolved) => Box::new(evolved.clone()),
            SolverChoice::Reference(SolverName::Exhaustive) => Box::new(Exhaustive),
            SolverChoice::Reference(SolverName::AlphaBeta) => Box::new(AlphaBeta::default()),
            SolverChoice::Reference(_) => Box::new(DfPn),
        }
    }

    /// Whether it looks for the shortest mate by itself.
    pub fn deepens(&self) -> bool {
        !matches!(self, SolverChoice::Reference(SolverName::Exhaustive | SolverName::DfPn))
    }
}

/// Reads a program from a file.
pub fn read_program(path: &Path) -> Result<Program, Failure> {
    let text = read_text(path, "a program, like '(MakeBestMove Again)'", false)?;
    text.parse().map_err(|error| Failure::input(format!("{}:{error}", path.display())))
}

/// How problems are solved.
pub struct Effort<'a> {
    pub choice: &'a SolverChoice,
    /// Nodes a problem.
    pub budget: u64,
    pub threads: &'a ThreadsArgument,
}

impl Effort<'_> {
    /// Solves problems on several threads; the results in order.
    pub fn solve_all(&self, cases: &[FitnessCase], progress: &dyn Fn(usize)) -> Result<Vec<Solved>, Failure> {
        let threads = self.threads.threads.unwrap_or_else(all_cores).get();
        let mut tools: Vec<Box<dyn Solver>> = (0..threads).map(|_| self.choice.make()).collect();
        let budget = self.budget;
        let mut results = Vec::new();
        in_order(
            0..cases.len() as u64,
            &mut tools,
            |_, solver, index| {
                let solved = solve_case(solver.as_mut(), &cases[index as usize], budget);
                (!signals::is_cancelled()).then_some(solved)
            },
            |_, solved| {
                results.push(solved);
                progress(results.len());
                ControlFlow::Continue(())
            },
        );
        if results.len() < cases.len() { Err(Failure::Interrupted(None)) } else { Ok(results) }
    }
}

/// Solves a problem, and has the claim verified.
pub fn solve_case(solver: &mut dyn Solver, case: &FitnessCase, budget: u64) -> Solved {
    let query = MateQuery { position: &case.position, moves: case.moves, budget, interrupt: &signals::is_cancelled };
    let answer = solver.solve(&query);
    let verdict = Judged::of(&verify_claim(&query, &answer), &answer);
    Solved {
        id: case.id.clone(),
        moves: case.moves,
        mate: answer.mate,
        best: answer.best.map(|m| case.position.print_move(m)),
        nodes: answer.nodes,
        verdict,
    }
}

/// Results by the length of the mate.
pub fn by_length(problems: &[Solved]) -> Vec<LengthSummary> {
    let mut lengths: BTreeMap<u8, Vec<&Solved>> = BTreeMap::new();
    for problem in problems {
        lengths.entry(problem.moves).or_default().push(problem);
    }
    let summary = |(moves, problems): (u8, Vec<&Solved>)| {
        let mut nodes: Vec<u64> = problems.iter().map(|problem| problem.nodes).collect();
        nodes.sort_unstable();
        LengthSummary {
            moves,
            problems: problems.len(),
            solved: problems.iter().filter(|problem| problem.is_solved()).count(),
            mean_nodes: nodes.iter().sum::<u64>() / nodes.len().max(1) as u64,
            median_nodes: nodes.get(nodes.len() / 2).copied().unwrap_or(0),
        }
    };
    lengths.into_iter().map(summary).collect()
}

impl Solved {
    /// Whether the mate was found and verified.
    pub fn is_solved(&self) -> bool {
        self.verdict == Judged::Verified
    }
}

impl Judged {
    /// A verdict in one word.
    pub fn of(verdict: &ClaimVerdict, answer: &MateAnswer) -> Judged {
        match verdict {
            ClaimVerdict::Verified(_) => Judged::Verified,
            ClaimVerdict::NoClaim if answer.is_cut => Judged::GaveUp,
            ClaimVerdict::NoClaim => Judged::NotFound,
            ClaimVerdict::Rejected => Judged::Rejected,
            ClaimVerdict::Unsettled => Judged::Unsettled,
        }
    }

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Judged::Verified => "a verified mate",
            Judged::NotFound => "no mate found",
            Judged::GaveUp => "given up",
            Judged::Rejected => "a mate was claimed, but the verifier rejects it",
            Judged::Unsettled => "a mate was claimed, but its proof was not found in time",
        }
    }
}
