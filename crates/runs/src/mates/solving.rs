//! Solvers of mate problems, and suites given to them. Every claim is proved as a tree and verified.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;

use plysmith_core::feature::Scheme;
use plysmith_core::game::Game;
use plysmith_core::games::chess::{INFO, Position};
use plysmith_core::search;
use plysmith_core::search::Interrupt;
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::interpreter::SearchCache;
use plysmith_evolve::solvers::alphabeta::AlphaBeta;
use plysmith_evolve::solvers::dfpn::DfPn;
use plysmith_evolve::solvers::evolved::Evolved;
use plysmith_evolve::solvers::exhaustive::Exhaustive;
use plysmith_evolve::solvers::{
    ClaimVerdict, MateAnswer, MateQuery, ShortestMate, ShortestQuery, Solver, shortest_mate, verify_claim,
};
use serde::{Deserialize, Serialize};

use super::suite::{bundled_program, read_program};
use crate::error::RunError;
use crate::executor::Executor;
use crate::job::{Job, Key, Worker};
use crate::memory::ThreadNeed;
use crate::view::thousands;

/// A solver by its name.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolverName {
    /// Every move and every reply (the mate paper's Figure 1).
    Exhaustive,
    /// Core's modern search.
    AlphaBeta,
    /// Depth-first proof-number search with a table.
    DfPn,
    /// An evolved program: the bundled one or another.
    Evolved,
}

/// A solver, of which each thread makes its own.
#[derive(Clone, Debug)]
pub enum SolverChoice {
    /// One of the reference solvers.
    Reference(SolverName),
    /// A program.
    Program(Evolved),
}

/// What the verifier says of an answer.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judged {
    /// A mate whose proof is verified.
    Verified,
    /// The solver claims no mate.
    NotFound,
    /// The solver reached its node limit.
    GaveUp,
    /// The solver claims a mate that is none.
    Rejected,
    /// The solver claims a mate whose proof was not found in time.
    Unsettled,
    /// The solver is an engine that fails at the problem, which is not scored.
    Excluded,
}

/// The result of a solver on a problem.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Solved {
    /// The problem's name. Results in the cache have none, since suites may name a position differently.
    pub id: String,
    /// Moves to mate.
    pub moves: u8,
    /// Moves to the mate that was found.
    pub mate: Option<u8>,
    /// The first move.
    pub best: Option<String>,
    /// Nodes searched.
    pub nodes: u64,
    /// The longer mate that an engine announced when its nodes were spent; nobody checked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longer: Option<u16>,
    /// Whether it is true.
    pub verdict: Judged,
    /// Why the problem is excluded, with all that is needed to reproduce the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Results on the problems of one length.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LengthSummary {
    /// Moves to mate.
    pub moves: u8,
    /// Number of problems.
    pub problems: usize,
    /// Problems solved.
    pub solved: usize,
    /// Mean nodes of all problems, solved or not.
    pub mean_nodes: u64,
    /// Median nodes of all problems, solved or not.
    pub median_nodes: u64,
}

/// One solver on one position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MateJob {
    /// A reference solver's name, or a program's text.
    pub solver: String,
    /// The position.
    pub position: String,
    /// Moves to mate.
    pub moves: u8,
    /// Node limit.
    pub nodes: u64,
    /// What the evaluation of `alpha-beta` does, the only solver that has one. Empty in jobs of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub behaviour: String,
}

impl SolverChoice {
    /// A solver by name, or a program from a file; df-pn if neither is given.
    pub fn new(name: Option<SolverName>, program: Option<&Path>) -> Result<SolverChoice, RunError> {
        match (name, program) {
            (None | Some(SolverName::Evolved), Some(path)) => {
                let program = read_program(path)?;
                Ok(SolverChoice::Program(Evolved { program, name: path.display().to_string() }))
            }
            (Some(SolverName::Evolved), None) => Ok(SolverChoice::Program(Evolved {
                program: bundled_program()?,
                name: SolverName::Evolved.to_string(),
            })),
            (Some(_), Some(_)) => Err(RunError::input("--program is run by --solver evolved; leave out one of them")),
            (name, None) => Ok(SolverChoice::Reference(name.unwrap_or(SolverName::DfPn))),
        }
    }

    /// The solver that a [`MateJob`] names.
    pub(crate) fn of_job(text: &str) -> Result<SolverChoice, RunError> {
        let references = [SolverName::Exhaustive, SolverName::AlphaBeta, SolverName::DfPn];
        match references.into_iter().find(|name| name.as_str() == text) {
            Some(name) => Ok(SolverChoice::Reference(name)),
            None => {
                let program = text.parse().map_err(|error| RunError::input(format!("the program of a job:{error}")))?;
                Ok(SolverChoice::Program(Evolved { program, name: SolverName::Evolved.to_string() }))
            }
        }
    }

    /// What identifies the solver in a [`MateJob`].
    pub fn job_text(&self) -> String {
        match self {
            SolverChoice::Program(evolved) => evolved.program.to_string(),
            SolverChoice::Reference(name) => name.to_string(),
        }
    }

    /// The name in tables.
    pub fn name(&self) -> String {
        match self {
            SolverChoice::Program(evolved) => evolved.name.clone(),
            SolverChoice::Reference(name) => name.to_string(),
        }
    }

    /// What it needs for problems with this node limit.
    pub fn need(&self, nodes: u64) -> ThreadNeed {
        let bytes = match self {
            SolverChoice::Program(_) => SearchCache::most_bytes(nodes),
            SolverChoice::Reference(SolverName::Exhaustive) => 0,
            SolverChoice::Reference(SolverName::AlphaBeta) => AlphaBeta::bytes(),
            SolverChoice::Reference(_) => DfPn::most_bytes(nodes),
        };
        ThreadNeed::default().and(format!("{} at {} nodes", self.name(), thousands(nodes)), bytes)
    }

    /// Makes a solver.
    pub fn make(&self) -> Box<dyn Solver> {
        match self {
            SolverChoice::Program(evolved) => Box::new(evolved.clone()),
            SolverChoice::Reference(SolverName::Exhaustive) => Box::new(Exhaustive),
            SolverChoice::Reference(SolverName::AlphaBeta) => Box::new(AlphaBeta::default()),
            SolverChoice::Reference(_) => Box::new(DfPn),
        }
    }

    /// The shortest mate that it finds. df-pn uses several threads; the others have one.
    fn shortest(&self, query: &MateQuery<'_>, threads: NonZeroUsize) -> ShortestMate {
        match self {
            SolverChoice::Reference(SolverName::DfPn) => {
                let query = query.clone();
                let found = &mut |_: &MateAnswer| ();
                DfPn.shortest(ShortestQuery { query, only: &[], shortening: u64::MAX, threads, found })
            }
            SolverChoice::Reference(SolverName::Exhaustive) => shortest_mate(&mut Exhaustive, query),
            // These deepen by themselves; they exclude nothing.
            _ => {
                let answer = self.make().solve(query);
                ShortestMate { is_shortest: answer.mate == Some(1), answer, promising: None }
            }
        }
    }
}

/// The shortest mate that a solver finds in a position, and what the verifier says of it. With several threads, hard problems
/// may be answered otherwise each time.
pub fn solve_one(choice: &SolverChoice, query: &MateQuery<'_>, threads: NonZeroUsize) -> (ShortestMate, ClaimVerdict) {
    let found = choice.shortest(query, threads);
    let verdict = verify_claim(query, &found.answer);
    (found, verdict)
}

/// Solves problems on several threads. The results are in the order of the problems.
pub fn solve_all(
    choice: &SolverChoice,
    cases: &[FitnessCase],
    nodes: u64,
    executor: &Executor<'_>,
    threads: NonZeroUsize,
    progress: &dyn Fn(usize),
) -> Result<Vec<Solved>, RunError> {
    let jobs: Vec<MateJob> = cases.iter().map(|case| MateJob::new(choice.job_text(), case, nodes)).collect();
    let mut workers: Vec<SolverWorker> = cases.iter().take(threads.get()).map(|_| SolverWorker::default()).collect();
    let results = executor.run_all(&jobs, &mut workers, progress)?;
    Ok(named(results, cases))
}

/// Results with the names of their problems.
pub fn named(results: Vec<Solved>, cases: &[FitnessCase]) -> Vec<Solved> {
    results.into_iter().zip(cases).map(|(solved, case)| Solved { id: case.id.clone(), ..solved }).collect()
}

/// An answer to a mate problem, after the verifier has seen it. `None` if the interrupt was raised: the answer or its
/// proof may have been cut short, and must not be stored.
pub fn settled(query: &MateQuery<'_>, answer: &MateAnswer) -> Option<Solved> {
    let solved = Solved {
        id: String::new(),
        moves: query.moves,
        mate: answer.mate,
        best: answer.best.map(|m| query.position.print_move(m)),
        nodes: answer.nodes,
        longer: None,
        verdict: Judged::of(&verify_claim(query, answer), answer),
        failure: None,
    };
    (!(query.interrupt)()).then_some(solved)
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
            mean_nodes: (nodes.iter().map(|&nodes| u128::from(nodes)).sum::<u128>() / nodes.len().max(1) as u128)
                as u64,
            median_nodes: nodes.get(nodes.len() / 2).copied().unwrap_or(0),
        }
    };
    lengths.into_iter().map(summary).collect()
}

impl MateJob {
    /// A solver on a problem.
    pub fn new(solver: String, case: &FitnessCase, nodes: u64) -> MateJob {
        let evaluates = solver == SolverName::AlphaBeta.as_str();
        let behaviour = if evaluates { alpha_beta_behaviour() } else { String::new() };
        MateJob { solver, position: case.position.to_string(), moves: case.moves, nodes, behaviour }
    }
}

/// What the evaluation of the solver `alpha-beta` does.
pub fn alpha_beta_behaviour() -> String {
    INFO.behaviour(&AlphaBeta::settings(), &Scheme::neutral())
}

/// Reads the position of a job.
pub(super) fn open_position(text: &str) -> Result<Position, RunError> {
    Position::parse(text).map_err(|error| RunError::input(format!("position '{text}': {error}")))
}

impl Job for MateJob {
    const KIND: &'static str = "mate";
    type Result = Solved;

    fn key(&self) -> Key {
        let MateJob { solver, position, moves, nodes, behaviour } = self;
        let revisions = (search::REVISION, plysmith_evolve::REVISION);
        let mut text = format!("mate\n{solver}\n{position}\n{moves}\n{nodes}\n{revisions:?}");
        if !behaviour.is_empty() {
            text += &format!("\nbehaviour {behaviour}");
        }
        Key::of(&text)
    }
}

/// Solves with our own solvers. Keeps the last one, since making a solver may be costly.
#[derive(Default)]
pub(crate) struct SolverWorker(Option<(String, Box<dyn Solver>)>);

impl Worker<MateJob> for SolverWorker {
    type Error = RunError;

    fn run(&mut self, job: &MateJob, interrupt: &Interrupt<'_>) -> Result<Option<Solved>, RunError> {
        let solver = match self.0.take().filter(|(name, _)| *name == job.solver) {
            Some((_, solver)) => solver,
            None => SolverChoice::of_job(&job.solver)?.make(),
        };
        let (_, solver) = self.0.insert((job.solver.clone(), solver));
        let position = open_position(&job.position)?;
        let interrupt = &|| interrupt();
        let query = MateQuery { position: &position, moves: job.moves, budget: job.nodes, interrupt };
        let answer = solver.solve(&query);
        Ok(settled(&query, &answer))
    }
}

impl Solved {
    /// The result on a problem that is excluded for this reason.
    pub(super) fn excluded(moves: u8, failure: String) -> Solved {
        let (id, verdict, failure) = (String::new(), Judged::Excluded, Some(failure));
        Solved { id, moves, mate: None, best: None, nodes: 0, longer: None, verdict, failure }
    }

    /// Whether the mate was found and verified.
    pub fn is_solved(&self) -> bool {
        self.verdict == Judged::Verified
    }
}

impl Judged {
    /// Classifies a verdict.
    pub fn of(verdict: &ClaimVerdict, answer: &MateAnswer) -> Judged {
        match verdict {
            ClaimVerdict::Verified(_) => Judged::Verified,
            ClaimVerdict::NoClaim if answer.is_cut => Judged::GaveUp,
            ClaimVerdict::NoClaim => Judged::NotFound,
            ClaimVerdict::Rejected => Judged::Rejected,
            ClaimVerdict::Unsettled => Judged::Unsettled,
        }
    }

    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Judged::Verified => "a verified mate",
            Judged::NotFound => "no mate found",
            Judged::GaveUp => "given up",
            Judged::Rejected => "a mate was claimed, but the verifier rejects it",
            Judged::Unsettled => "a mate was claimed, but its proof was not found in time",
            Judged::Excluded => "excluded, because the engine fails at it",
        }
    }
}

impl SolverName {
    /// The name, as it is written in tables and jobs.
    pub fn as_str(self) -> &'static str {
        match self {
            SolverName::Exhaustive => "exhaustive",
            SolverName::AlphaBeta => "alpha-beta",
            SolverName::DfPn => "df-pn",
            SolverName::Evolved => "evolved",
        }
    }
}

impl fmt::Display for SolverName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::game::Game;
    use plysmith_core::games::chess::Position;
    use plysmith_evolve::solvers::{MateAnswer, MateQuery};

    use super::{Judged, SolverChoice, SolverName, settled};

    #[test]
    fn the_solver_of_a_job_is_the_one_that_was_chosen() {
        for name in [SolverName::Exhaustive, SolverName::AlphaBeta, SolverName::DfPn, SolverName::Evolved] {
            let choice = SolverChoice::new(Some(name), None).unwrap();
            let again = SolverChoice::of_job(&choice.job_text()).unwrap();
            assert_eq!(again.job_text(), choice.job_text());
            assert_eq!((again.name(), again.make().name()), (name.to_string(), name.to_string()));
        }
        assert!(SolverChoice::of_job("nobody").is_err());
    }

    #[test]
    fn what_an_interrupt_cut_short_is_not_a_result() {
        let position = Position::parse("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1").unwrap();
        // An engine's claim has no proof; the verifier searches for one.
        let claim = MateAnswer { best: position.parse_move("a1a6").ok(), mate: Some(2), ..MateAnswer::default() };
        let query = |interrupt| MateQuery { position: &position, moves: 2, budget: 1000, interrupt };
        assert_eq!(settled(&query(&|| false), &claim).unwrap().verdict, Judged::Verified);
        assert!(settled(&query(&|| true), &claim).is_none());
    }
}
