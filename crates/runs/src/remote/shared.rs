//! What blobs contain: suites, weights, the cases of evolved programs, and how an external engine is measured.

use std::collections::HashSet;

use plysmith_core::game::Game;
use plysmith_core::games::chess::Position;
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::settings::{Heuristic, Settings};
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::interpreter::Framework;
use serde::{Deserialize, Serialize};

use super::blob::{Blob, NeededEngine, Needs};
use crate::error::RunError;
use crate::external_engine::ExternalEngine;
use crate::solution_policy::SolutionPolicy;

/// The role of suites.
pub const SUITE: &str = "suite";
/// The role of weight files.
pub const WEIGHTS: &str = "weights";
/// The role of the cases of evolved programs.
pub const CASES: &str = "cases";

/// The role of external engines.
pub const SUBJECT: &str = "engine";

/// An external engine as it is sent: with its mapping, and when a problem counts as solved. Its command line is only compared.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentSubject {
    /// The engine.
    pub engine: ExternalEngine,
    /// When a problem counts as solved.
    pub policy: SolutionPolicy,
    /// The game, if the user has said which.
    pub game: Option<String>,
}

/// A problem as it is sent.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SentProblem {
    id: String,
    position: String,
    best: Vec<String>,
    avoid: Vec<String>,
    criterion: String,
    distance: Option<u32>,
}

/// A case as it is sent.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SentCase {
    id: String,
    position: String,
    moves: u8,
    keys: Vec<String>,
    reference: u64,
    budget: u64,
}

/// Cases, and what programs are embedded in.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SentCases {
    is_full: bool,
    cases: Vec<SentCase>,
}

/// A suite as a blob.
pub fn suite(suite: &Suite) -> Blob {
    let sent: Vec<SentProblem> = suite.problems.iter().cloned().map(SentProblem::from).collect();
    // Texts and numbers can always be written.
    Blob::new(SUITE, serde_json::to_vec(&sent).unwrap_or_default())
}

/// Reads a suite.
pub fn read_suite(bytes: &[u8]) -> Result<Suite, String> {
    let sent: Vec<SentProblem> = serde_json::from_slice(bytes).map_err(|error| format!("the suite: {error}"))?;
    let problems = sent.into_iter().map(Problem::try_from).collect::<Result<_, _>>()?;
    Ok(Suite { name: String::new(), problems })
}

/// What jobs need that measure an external engine.
pub fn subject(sent: &SentSubject) -> Result<Needs, RunError> {
    let blob = Blob::new(SUBJECT, serde_json::to_vec(sent).map_err(RunError::failed)?);
    let needed = NeededEngine::of(&sent.engine.command()?).map_err(RunError::input)?;
    Ok(Needs { blobs: vec![blob], engines: vec![needed] })
}

/// Reads an external engine.
pub fn read_subject(bytes: &[u8]) -> Result<SentSubject, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("the engine: {error}"))
}

/// The weights that these settings name, as blobs.
pub fn weights<'a>(settings: impl IntoIterator<Item = &'a Settings>) -> Vec<Blob> {
    let mut seen = HashSet::new();
    let mut blobs = Vec::new();
    for settings in settings {
        if let Heuristic::Loaded(weights) = settings.heuristic
            && let Some(file) = weights.file()
            && seen.insert(weights.key())
        {
            blobs.push(Blob::new(WEIGHTS, file.to_bytes()));
        }
    }
    blobs
}

/// The cases of evolved programs as a blob.
pub fn cases(cases: &[FitnessCase], framework: Framework) -> Blob {
    let sent = |case: &FitnessCase| SentCase {
        id: case.id.clone(),
        position: case.position.to_string(),
        moves: case.moves,
        keys: case.keys.iter().map(|m| case.position.print_move(*m)).collect(),
        reference: case.reference,
        budget: case.budget,
    };
    let sent = SentCases { is_full: framework == Framework::Full, cases: cases.iter().map(sent).collect() };
    Blob::new(CASES, serde_json::to_vec(&sent).unwrap_or_default())
}

/// Reads the cases of evolved programs.
pub fn read_cases(bytes: &[u8]) -> Result<(Vec<FitnessCase>, Framework), String> {
    let sent: SentCases = serde_json::from_slice(bytes).map_err(|error| format!("the cases: {error}"))?;
    let framework = if sent.is_full { Framework::Full } else { Framework::Paper };
    let cases = sent.cases.into_iter().map(FitnessCase::try_from).collect::<Result<_, _>>()?;
    Ok((cases, framework))
}

impl From<Problem> for SentProblem {
    fn from(problem: Problem) -> SentProblem {
        let Problem { id, position, best, avoid, criterion, distance } = problem;
        SentProblem { id, position, best, avoid, criterion: criterion.to_string(), distance }
    }
}

impl TryFrom<SentProblem> for Problem {
    type Error = String;

    fn try_from(sent: SentProblem) -> Result<Problem, String> {
        let SentProblem { id, position, best, avoid, criterion, distance } = sent;
        let criterion = criterion.parse().map_err(|error| format!("problem '{id}': {error}"))?;
        Ok(Problem { id, position, best, avoid, criterion, distance })
    }
}

impl TryFrom<SentCase> for FitnessCase {
    type Error = String;

    fn try_from(sent: SentCase) -> Result<FitnessCase, String> {
        let SentCase { id, position, moves, keys, reference, budget } = sent;
        let position = Position::parse(&position).map_err(|error| format!("case '{id}': {error}"))?;
        let keys = keys.iter().map(|m| position.parse_move(m).map_err(|error| format!("case '{id}': {error}")));
        Ok(FitnessCase { keys: keys.collect::<Result<_, _>>()?, id, position, moves, reference, budget })
    }
}
