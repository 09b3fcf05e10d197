//! Plug engines as a subject: the paper's own protocol, and its extension where the engine knows it.
//!
//! A problem that the engine cannot be asked, because it has several right moves and the engine knows only `gountil`, is
//! excluded by name. A proof cannot be asked of such an engine either; then agreement counts, and the job says so.

use plysmith_core::feature::{Guidance, Vocabulary};
use plysmith_core::game::PositionError;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::{Criterion, Problem};
use plysmith_core::search::deepening::{Interrupt, NoMemory};

use super::super::engine_info::EngineInfo;
use super::solve::{SolveGoal, SolveResult};
use super::{Handshake, PlugEngine, PlugTimeouts};
use crate::driver::foreign::{self, content_key, start_often};
use crate::driver::{
    Attempt, Candidate, CandidateError, Conditions, Driver, DriverError, ForeignJob, MeasurementJob, Parameter,
    Request, Subject,
};
use crate::process::{EngineCommand, EngineError, Fault, SpawnMode};

/// How a plug engine is used.
#[derive(Clone, Debug)]
pub struct PlugSettings {
    /// The engine.
    pub command: EngineCommand,
    /// The game that it plays, if the caller says so; else what it says itself.
    pub game: Option<&'static GameInfo>,
    /// What `setparam` sets, if the caller says so; else what it says itself.
    pub parameters: Vec<Parameter>,
    /// How it is started.
    pub spawn_mode: SpawnMode,
    /// How long it may take.
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

/// The first question to a process is this short, and shows how fast it is.
const FIRST_NODES: u64 = 1000;

impl PlugSubject {
    /// Starts the engine once to hear what it says of itself.
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

    /// What it says of itself.
    pub fn info(&self) -> &EngineInfo {
        &self.info
    }

    /// Its game, if we know it: then positions and moves are checked.
    pub fn game(&self) -> Option<&'static GameInfo> {
        self.game
    }

    /// Its features; none if it has none.
    pub fn vocabulary(&self) -> Vocabulary {
        self.vocabulary
    }

    /// What it tells learners of them.
    pub fn guidance(&self) -> Guidance {
        self.guidance
    }

    /// What to know before problems like these are measured with it.
    pub fn notes(&self, problems: &[Problem]) -> Vec<String> {
        let mut notes = Vec::new();
        let name = &self.info.name;
        if !self.info.is_extended {
            notes.push(format!("{name} does not answer 'plug'; it is spoken to in the paper's three commands"));
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

    /// The question that a problem is for this engine, or why there is none.
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
            Candidate::Scheme(_) if self.vocabulary.0.is_empty() => Err(CandidateError::NoSchemes {
                engine: self.info.name.clone(),
                reason: "it lists no features in answer to 'features'".to_string(),
            }),
            Candidate::Scheme(scheme) => Ok(self.vocabulary.print_scheme(scheme)),
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
            settings: format!("plug {question}"),
            nodes: conditions.nodes,
            // Nothing in the protocol is drawn by chance.
            seed: 0,
            random: String::new(),
            revision: foreign::REVISION,
            engine: Some(ForeignJob {
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
    /// Whether the process was given a scheme; else it was given weights.
    has_scheme: bool,
}

impl Driver for PlugDriver {
    fn attempt(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<Attempt>, DriverError> {
        let goal = match self.subject.goal(request.problem) {
            Ok(goal) => goal,
            Err(reason) => return Ok(Some(Attempt::excluded(reason))),
        };
        let setting = self.subject.text(request.candidate)?;
        // What one was told must not change what the other means.
        let wants_scheme = matches!(request.candidate, Candidate::Scheme(_));
        if self.has_scheme != wants_scheme {
            self.let_go();
        }
        let engine = match self.engine.take() {
            Some(engine) => Some(engine),
            None => self.start(interrupt)?,
        };
        let Some(mut engine) = engine else { return Ok(None) };
        self.has_scheme = wants_scheme;
        let question = SolveRequest { request, goal, setting, interrupt };
        let solution = question.ask(&mut engine).map_err(DriverError::Failed)?;
        // Who was interrupted is searching still, and is killed by being dropped.
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
        start_often(|| PlugEngine::start(command, *spawn_mode, *timeouts, handshake), interrupt)
    }

    fn let_go(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
    }
}

impl Drop for PlugDriver {
    fn drop(&mut self) {
        self.let_go();
    }
}

/// An attempt with all that it needs.
struct SolveRequest<'a> {
    request: &'a Request<'a>,
    goal: SolveGoal,
    setting: String,
    interrupt: &'a Interrupt<'a>,
}

impl SolveRequest<'_> {
    /// The paper's three commands; twice for a process whose speed is not known yet.
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
        engine.solve(&self.goal, nodes, self.interrupt)
    }
}

/// Agreement beyond the limit does not count, and what is not solved costs the limit.
fn attempt(solution: SolveResult, limit: u64) -> Attempt {
    let SolveResult { solved, count, depth, height, moves, fired } = solution;
    let solved = solved && count <= limit;
    Attempt { solved, nodes: if solved { count } else { limit }, depth, height, moves, fired, failure: None }
}
