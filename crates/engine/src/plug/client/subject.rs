//! Plug engines as a subject: the paper's protocol, and its extension where the engine supports it.
//!
//! A problem with several right moves is excluded by name for an engine that supports only `gountil`. Such an engine cannot
//! be asked for a proof either; then agreement counts, and the job records that.

use plysmith_core::feature::{Guidance, Vocabulary};
use plysmith_core::game::PositionError;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::{Criterion, Problem};
use plysmith_core::search::{Interrupt, NoMemory};

use super::super::engine_info::{EngineInfo, needed_abilities};
use super::solve::{SolveGoal, SolveResult};
use super::{Handshake, PlugEngine, PlugTimeouts};
use crate::driver::external::{self, content_key, patience_note, start_with_retries};
use crate::driver::{
    Attempt, Candidate, CandidateError, Conditions, Driver, DriverError, ExternalEngineKey, MeasurementJob, Parameter,
    Request, Subject,
};
use crate::process::{EngineCommand, EngineError, Fault, SpawnMode};

/// How a plug engine is measured.
#[derive(Clone, Debug)]
pub struct PlugSettings {
    /// The engine.
    pub command: EngineCommand,
    /// The game, if the caller sets it; else the one that the engine names.
    pub game: Option<&'static GameInfo>,
    /// The parameters, if the caller sets them; else those that the engine names.
    pub parameters: Vec<Parameter>,
    /// How it is started.
    pub spawn_mode: SpawnMode,
    /// Its timeouts.
    pub timeouts: PlugTimeouts,
}

/// A plug engine, and all that its results depend on.
#[derive(Clone, Debug)]
pub struct PlugSubject {
    settings: PlugSettings,
    info: EngineInfo,
    game: Option<&'static GameInfo>,
    parameters: Vec<Parameter>,
    vocabulary: Vocabulary,
    guidance: Guidance,
    content: String,
}

/// The node limit of the first search of a process, which measures its speed.
const FIRST_NODES: u64 = 1000;

impl PlugSubject {
    /// Starts the engine once for its handshake and its features.
    pub fn open(settings: PlugSettings) -> Result<PlugSubject, EngineError> {
        let PlugSettings { command, spawn_mode, timeouts, .. } = &settings;
        let mut engine = PlugEngine::start(command, *spawn_mode, *timeouts, Handshake::Try)?;
        let info = engine.info().clone();
        let features = engine.features()?;
        let unreadable = |error: std::io::Error| Fault::NotStarted { reason: error.to_string() };
        let content = content_key(command).map_err(|error| engine.error(unreadable(error)))?;
        engine.quit();
        let told = || info.game.as_deref().and_then(|name| games::find(name).ok());
        let game = settings.game.or_else(told);
        let parameters = match settings.parameters.as_slice() {
            [] => info.parameters.clone(),
            given => given.to_vec(),
        };
        let (vocabulary, guidance) = features.leak();
        Ok(PlugSubject { settings, info, game, parameters, vocabulary, guidance, content })
    }

    /// Its answer to the handshake.
    pub fn info(&self) -> &EngineInfo {
        &self.info
    }

    /// Its game, if it is a known one: then positions and moves are checked.
    pub fn game(&self) -> Option<&'static GameInfo> {
        self.game
    }

    /// Its features; none if it has none.
    pub fn vocabulary(&self) -> Vocabulary {
        self.vocabulary
    }

    /// Its guidance for learners.
    pub fn guidance(&self) -> Guidance {
        self.guidance
    }

    /// Notes for the user about measuring these problems.
    pub fn notes(&self, problems: &[Problem]) -> Vec<String> {
        let mut notes = Vec::new();
        let name = &self.info.name;
        if !self.info.is_extended {
            notes.push(format!("{name} does not answer 'plug'; it is driven by the paper's three commands"));
        }
        let has_proofs = problems.iter().any(|problem| problem.criterion == Criterion::Proven);
        if has_proofs && !self.info.can("gosolve") {
            notes.push(format!("{name} cannot be asked for proofs; a problem is solved when it agrees with the move"));
        }
        let silent: Vec<&str> =
            problems.iter().filter(|one| self.goal(one).is_err()).map(|one| one.id.as_str()).collect();
        if let [first, ..] = silent[..] {
            let count = silent.len();
            notes.push(format!(
                "{name} cannot be asked {count} problems that need 'gosolve', '{first}' first; they are excluded"
            ));
        }
        notes
    }

    /// The goal of a problem for this engine, or why there is none.
    fn goal(&self, problem: &Problem) -> Result<SolveGoal, String> {
        match SolveGoal::of(problem) {
            SolveGoal::Solve(_) if !self.info.can("gosolve") => match (&problem.best[..], &problem.avoid[..]) {
                ([m], []) => Ok(SolveGoal::Move(m.clone())),
                _ => Err(format!("'{}' is excluded: it needs 'gosolve', which the engine does not know", problem.id)),
            },
            goal => Ok(goal),
        }
    }

    fn text(&self, candidate: &Candidate) -> Result<String, CandidateError> {
        match candidate {
            Candidate::Weights(weights) => {
                weights.fits(&self.parameters)?;
                Ok(format!("weights {weights}"))
            }
            Candidate::Scheme(_) if self.vocabulary.moves.is_empty() => Err(CandidateError::NoSchemes {
                engine: self.info.name.clone(),
                reason: "it lists no features in answer to 'features'".to_string(),
            }),
            Candidate::Scheme(scheme) => {
                let text = self.vocabulary.print_scheme(scheme);
                match needed_abilities(scheme).find(|ability| !self.info.can(ability)) {
                    Some(ability) => {
                        let reason = format!(
                            "'{text}' has {ability}; an engine that takes them says 'can {ability}' (docs/plug-protocol.md)"
                        );
                        Err(CandidateError::NotThisScheme { engine: self.info.name.clone(), reason })
                    }
                    None => Ok(text),
                }
            }
        }
    }
}

impl Subject for PlugSubject {
    fn job(&self, candidate: &Candidate, conditions: &Conditions) -> Result<MeasurementJob, CandidateError> {
        let question = if self.info.can("gosolve") { "gosolve" } else { "gountil" };
        Ok(MeasurementJob {
            game: self.game.map_or_else(|| self.info.game.clone().unwrap_or_default(), |game| game.name.into()),
            suite: conditions.suite.clone(),
            scheme: self.text(candidate)?,
            settings: format!("plug {question}{}", patience_note(self.settings.timeouts.silence)),
            nodes: conditions.nodes,
            // Nothing in the protocol is random.
            seed: 0,
            random: String::new(),
            revision: external::REVISION,
            behaviour: String::new(),
            engine: Some(ExternalEngineKey {
                command: self.settings.command.to_string(),
                name: self.info.name.clone(),
                content: self.content.clone(),
            }),
        })
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn check(&self, problem: &Problem) -> Result<(), PositionError> {
        self.game.map_or(Ok(()), |game| (game.open)(&problem.position).map(|_| ()))
    }

    fn driver(&self) -> Result<Box<dyn Driver>, NoMemory> {
        Ok(Box::new(PlugDriver { subject: self.clone(), engine: None, has_scheme: false }))
    }
}

/// One process of a plug engine.
struct PlugDriver {
    subject: PlugSubject,
    engine: Option<PlugEngine>,
    /// Whether the process was given a scheme and not weights.
    has_scheme: bool,
}

impl Driver for PlugDriver {
    fn attempt(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<Attempt>, DriverError> {
        let goal = match self.subject.goal(request.problem) {
            Ok(goal) => goal,
            Err(reason) => return Ok(Some(Attempt::excluded(reason))),
        };
        let setting = self.subject.text(request.candidate)?;
        // Schemes and weights must not mix in one process.
        let wants_scheme = matches!(request.candidate, Candidate::Scheme(_));
        if self.has_scheme != wants_scheme {
            self.quit();
        }
        let engine = match self.engine.take() {
            Some(engine) => Some(engine),
            None => self.start(interrupt)?,
        };
        let Some(mut engine) = engine else { return Ok(None) };
        self.has_scheme = wants_scheme;
        let question = SolveRequest { request, goal, setting, interrupt };
        let solution = question.ask(&mut engine).map_err(DriverError::Failed)?;
        // An interrupted engine still searches; dropping kills it.
        Ok(solution.map(|solution| {
            self.engine = Some(engine);
            attempt(solution, request.nodes)
        }))
    }
}

impl PlugDriver {
    fn start(&self, interrupt: &Interrupt<'_>) -> Result<Option<PlugEngine>, DriverError> {
        let PlugSettings { command, spawn_mode, timeouts, .. } = &self.subject.settings;
        let handshake = if self.subject.info.is_extended { Handshake::Try } else { Handshake::Skip };
        start_with_retries(|| PlugEngine::start(command, *spawn_mode, *timeouts, handshake), interrupt)
    }

    fn quit(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
    }
}

impl Drop for PlugDriver {
    fn drop(&mut self) {
        self.quit();
    }
}

/// A problem to search, with its goal and the text of the candidate.
struct SolveRequest<'a> {
    request: &'a Request<'a>,
    goal: SolveGoal,
    setting: String,
    interrupt: &'a Interrupt<'a>,
}

impl SolveRequest<'_> {
    /// Searches; with a short search first if the speed is not known yet.
    fn ask(&self, engine: &mut PlugEngine) -> Result<Option<SolveResult>, EngineError> {
        let limit = self.request.nodes;
        if !engine.has_speed() && limit > FIRST_NODES && self.ask_within(engine, FIRST_NODES)?.is_none() {
            return Ok(None);
        }
        self.ask_within(engine, limit)
    }

    fn ask_within(&self, engine: &mut PlugEngine, nodes: u64) -> Result<Option<SolveResult>, EngineError> {
        engine.set_board(&self.request.problem.position)?;
        match self.request.candidate {
            Candidate::Weights(weights) => engine.set_parameters(weights)?,
            Candidate::Scheme(_) => engine.set_scheme(&self.setting)?,
        }
        let solution = engine.solve(&self.goal, nodes, self.interrupt)?;
        match (&solution, self.request.candidate) {
            (Some(told), Candidate::Scheme(scheme)) if told.fired.len() > scheme.rules().len() => {
                let (line, features) = (format!("nodes … fired {:?}", told.fired), scheme.rules().len());
                let reason = format!("the scheme '{}' has {features} features", self.setting);
                Err(engine.error(Fault::InvalidAnswer { line, reason }))
            }
            _ => Ok(solution),
        }
    }
}

/// Agreement beyond the limit does not count, and an unsolved problem costs the limit.
fn attempt(solution: SolveResult, limit: u64) -> Attempt {
    let SolveResult { solved, count, depth, height, moves, fired } = solution;
    let solved = solved && count <= limit;
    let nodes = if solved { count } else { limit };
    Attempt { solved, best_move: solved.then_some(true), nodes, depth, height, moves, fired, failure: None }
}
