//! UCI engines as a subject: options for weights, `info … pv` lines for the nodes to the solution.
//!
//! Before a measurement the engine is probed once: how it treats node limits, and whether searches leave traces that
//! `ucinewgame` does not clear. The result holds for every process of it. `docs/engines.md` lists the known pitfalls and
//! where each is handled.

use std::ops::ControlFlow;
use std::time::Duration;

use plysmith_core::game::PositionError;
use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::problem::Problem;
use plysmith_core::search::{Interrupt, NoMemory};

use super::agreement::{WatchResult, Watcher};
use super::info::Info;
use super::mapping::{Mapping, MappingError};
use super::mate::{Announced, MateWatcher};
use super::options::{EngineOption, HASH, mib_to_bytes};
use super::{Go, NodeLimits, StopCause, UciEngine, UciSearchResult, UciTimeouts, VARIANT};
use crate::driver::external::{self, MOST_STARTS, content_key, patience_note, start_with_retries};
use crate::driver::{
    Attempt, Candidate, CandidateError, Conditions, Driver, DriverError, ExternalEngineKey, MeasurementJob, Parameter,
    Policy, Request, Subject, Weights,
};
use crate::process::{EngineCommand, EngineError, Fault, SpawnMode};

/// How a UCI engine is measured.
#[derive(Clone, Debug)]
pub struct UciSettings {
    /// The engine.
    pub command: EngineCommand,
    /// The game that it plays.
    pub game: &'static GameInfo,
    /// Options that are set once, after those of the mapping.
    pub options: Vec<(String, String)>,
    /// Which options each weight drives.
    pub mapping: Mapping,
    /// When a problem counts as solved.
    pub policy: Policy,
    /// How it is started.
    pub spawn_mode: SpawnMode,
    /// Its timeouts.
    pub timeouts: UciTimeouts,
}

/// A UCI engine, and all that its results depend on.
#[derive(Clone, Debug)]
pub struct UciSubject {
    settings: UciSettings,
    name: String,
    options: Vec<EngineOption>,
    parameters: Vec<Parameter>,
    /// The options that were set once, with the values that were sent.
    fixed: Vec<(String, String)>,
    limits: NodeLimits,
    /// Whether a tiny search of another position must clear what `ucinewgame` leaves.
    prelude: bool,
    notes: Vec<String>,
    content: String,
}

/// Why an engine cannot be measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The engine itself.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The mapping does not fit it.
    #[error(transparent)]
    Mapping(#[from] MappingError),
}

/// Nodes of the searches that show whether an engine leaves traces.
const TRACE_NODES: u64 = 20_000;
/// Lines of such a search that are compared: far more than engines write.
const MOST_TRACE_LINES: usize = 10_000;

impl UciSubject {
    /// Starts and probes the engine; again if it fails, as some engines do now and then.
    pub fn open(settings: UciSettings, interrupt: &Interrupt<'_>) -> Result<UciSubject, OpenError> {
        for _ in 1..MOST_STARTS {
            match UciSubject::open_once(settings.clone(), interrupt) {
                Err(OpenError::Engine(error)) if !error.is_hopeless() && !interrupt() => {}
                opened => return opened,
            }
        }
        UciSubject::open_once(settings, interrupt)
    }

    fn open_once(settings: UciSettings, interrupt: &Interrupt<'_>) -> Result<UciSubject, OpenError> {
        let mut engine = UciEngine::start(&settings.command, settings.spawn_mode, settings.timeouts)?;
        let fitted = settings.mapping.fit(engine.options())?;
        let mut notes = fitted.notes;
        let fixed = set_once(&settings, &mut engine, &mut notes)?;
        let unreadable = |error: std::io::Error| Fault::NotStarted { reason: error.to_string() };
        let content = content_key(&settings.command).map_err(|error| engine.error(unreadable(error)))?;
        let limits = engine.probe_node_limits(settings.game.bench[0], interrupt)?.limits;
        let mut subject = UciSubject {
            name: engine.identity().name.clone(),
            options: engine.options().to_vec(),
            parameters: fitted.parameters,
            fixed,
            limits,
            prelude: false,
            notes,
            content,
            settings,
        };
        subject.prelude = subject.needs_prelude(engine, interrupt)?;
        if subject.limits.needs_stop() {
            subject.notes.push(format!("{} ignores node limits; it is stopped when it passes them", subject.name));
        }
        if subject.prelude {
            subject.notes.push(format!(
                "{} remembers in spite of 'ucinewgame'; a tiny search in between clears it",
                subject.name
            ));
        }
        Ok(subject)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Notes for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The options that were set once, with the values that were sent.
    pub fn fixed(&self) -> &[(String, String)] {
        &self.fixed
    }

    /// What was asked for besides weights: the options of the mapping and of the command line, with the values that were
    /// sent. What makes searches comparable (one thread, no book) is not part of it.
    fn chosen(&self) -> impl Iterator<Item = (String, String)> {
        let UciSettings { mapping, options, .. } = &self.settings;
        let is_chosen = |name: &str| {
            mapping.fixed().any(|(fixed, _)| fixed == name) || options.iter().any(|(given, _)| given == name)
        };
        self.fixed.iter().filter(move |(name, _)| is_chosen(name)).cloned()
    }

    /// All options of the engine with these weights, in the order in which they are set.
    pub fn all_options(&self, weights: &Weights) -> Vec<(String, String)> {
        self.chosen().chain(self.settings_of(weights)).collect()
    }

    /// Its command line.
    pub fn command(&self) -> &EngineCommand {
        &self.settings.command
    }

    /// The options of the engine with these weights that differ from the engine as shipped.
    pub fn differences(&self, weights: &Weights) -> Vec<(String, String)> {
        let is_default = |(name, value): &(String, String)| {
            let option = self.options.iter().find(|option| option.name == *name);
            option.and_then(EngineOption::default_value).is_some_and(|default| default == *value)
        };
        self.all_options(weights).into_iter().filter(|option| !is_default(option)).collect()
    }

    /// The options for these weights, with the values that are sent.
    pub fn settings_of(&self, weights: &Weights) -> Vec<(String, String)> {
        self.settings.mapping.settings(weights, &self.options)
    }

    /// Whether the engine needs a prelude to forget earlier searches: searches positions forwards and backwards, without
    /// and with one.
    fn needs_prelude(&self, engine: UciEngine, interrupt: &Interrupt<'_>) -> Result<bool, EngineError> {
        let mut driver = UciDriver { subject: self.clone(), engine: Some(engine), current: None };
        let mut repeats = |prelude| -> Result<bool, EngineError> {
            let positions = self.settings.game.bench.iter();
            let mut trace = |position: &&str| driver.trace(position, prelude, interrupt);
            let there = positions.clone().map(&mut trace).collect::<Result<Vec<_>, _>>()?;
            let mut back = positions.rev().map(&mut trace).collect::<Result<Vec<_>, _>>()?;
            back.reverse();
            Ok(there == back)
        };
        Ok(!repeats(false)? && repeats(true)?)
    }
}

/// Sets the options that are set once, and returns the values that were sent.
fn set_once(
    settings: &UciSettings,
    engine: &mut UciEngine,
    notes: &mut Vec<String>,
) -> Result<Vec<(String, String)>, EngineError> {
    let mut fixed: Vec<(String, String)> = Vec::new();
    for option in engine.set_comparable_options()? {
        fixed.extend(option.split_once('=').map(|(name, value)| (name.to_string(), value.to_string())));
    }
    let given = settings.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let given: Vec<_> = settings.mapping.fixed().chain(given).collect();
    if !given.iter().any(|(name, _)| *name == VARIANT) {
        let set = engine.select_game(settings.game, "measure")?;
        fixed.extend(set.map(|set| (VARIANT.to_string(), set.value)));
    }
    for (name, value) in given {
        let set = engine.set(name, value)?;
        notes.extend(set.note);
        fixed.retain(|(known, _)| known != name);
        fixed.push((name.to_string(), set.value));
    }
    engine.sync()?;
    Ok(fixed)
}

impl Subject for UciSubject {
    fn job(&self, candidate: &Candidate, conditions: &Conditions) -> Result<MeasurementJob, CandidateError> {
        let weights = self.weights(candidate)?;
        weights.fits(&self.parameters)?;
        let fixed: Vec<_> = self.fixed.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let prelude = if self.prelude { " prelude" } else { "" };
        let UciSettings { policy, mapping, game, command, timeouts, .. } = &self.settings;
        let patience = patience_note(timeouts.silence);
        Ok(MeasurementJob {
            game: game.name.to_string(),
            suite: conditions.suite.clone(),
            scheme: format!("weights {weights}"),
            settings: format!("uci {policy}{prelude}; {}; {}{patience}", fixed.join("; "), mapping.canonical()),
            nodes: conditions.nodes,
            // Nothing in the protocol is random.
            seed: 0,
            random: String::new(),
            revision: external::REVISION,
            behaviour: String::new(),
            engine: Some(ExternalEngineKey {
                command: command.identity(),
                name: self.name.clone(),
                content: self.content.clone(),
            }),
        })
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn check(&self, problem: &Problem) -> Result<(), PositionError> {
        (self.settings.game.open)(&problem.position).map(|_| ())
    }

    /// The table that the engine was told to use, or uses by default.
    fn memory(&self) -> u64 {
        let set = self.fixed.iter().find(|(name, _)| name.eq_ignore_ascii_case(HASH)).map(|(_, mib)| mib.parse().ok());
        let default = || self.options.iter().find(|option| option.name.eq_ignore_ascii_case(HASH))?.default_number();
        set.unwrap_or_else(default).map_or(0, mib_to_bytes)
    }

    fn driver(&self) -> Result<Box<dyn Driver>, NoMemory> {
        Ok(Box::new(UciDriver { subject: self.clone(), engine: None, current: None }))
    }
}

impl UciSubject {
    /// Makes a driver for mate problems.
    pub fn mate_driver(&self) -> MateDriver {
        MateDriver(UciDriver { subject: self.clone(), engine: None, current: None })
    }

    /// The weights of a candidate. Without a mapping there are none, and the neutral scheme is the unchanged engine.
    fn weights(&self, candidate: &Candidate) -> Result<Weights, CandidateError> {
        match candidate {
            Candidate::Weights(weights) => Ok(weights.clone()),
            Candidate::Scheme(scheme) if scheme.is_neutral() && self.parameters.is_empty() => Ok(Weights::default()),
            Candidate::Scheme(_) => Err(CandidateError::NoSchemes {
                engine: self.name.clone(),
                reason: "UCI engines list no features; a mapping says which options weights drive".to_string(),
            }),
        }
    }
}

/// One process of a UCI engine.
struct UciDriver {
    subject: UciSubject,
    engine: Option<UciEngine>,
    /// The weights that were set last.
    current: Option<Weights>,
}

/// One process of a UCI engine that searches for mates.
pub struct MateDriver(UciDriver);

/// A problem to search, with the weights and the opened position.
struct SearchRequest<'a> {
    request: &'a Request<'a>,
    weights: &'a Weights,
    position: &'a dyn AnyPosition,
    interrupt: &'a Interrupt<'a>,
}

/// The principal lines of a search up to the limit: depth, nodes and first move.
type PvTrace = Vec<(Option<u32>, Option<u64>, String)>;

impl Driver for UciDriver {
    fn attempt(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<Attempt>, DriverError> {
        self.try_problem(request, interrupt, UciDriver::ask)
    }

    fn fingerprint(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<String>, DriverError> {
        let prelude = self.subject.prelude;
        if self.engine.is_none() {
            self.engine = self.start(interrupt)?;
        }
        let trace = self.trace(&request.problem.position, prelude, interrupt).map_err(DriverError::Failed)?;
        Ok(trace.map(|trace| format!("{trace:?}")))
    }
}

impl UciDriver {
    /// Asks the engine about a problem; it is started if it does not run. After a fault the next problem has a new process.
    fn try_problem<T>(
        &mut self,
        request: &Request<'_>,
        interrupt: &Interrupt<'_>,
        ask: impl FnOnce(&mut UciDriver, &mut UciEngine, &SearchRequest<'_>) -> Result<Option<T>, EngineError>,
    ) -> Result<Option<T>, DriverError> {
        let weights = self.subject.weights(request.candidate)?;
        weights.fits(&self.subject.parameters)?;
        // The caller has checked the problems; a wrong one is not tried.
        let Ok(position) = (self.subject.settings.game.open)(&request.problem.position) else { return Ok(None) };
        let engine = match self.engine.take() {
            Some(engine) => Some(engine),
            None => self.start(interrupt)?,
        };
        let Some(mut engine) = engine else { return Ok(None) };
        let question = SearchRequest { request, weights: &weights, position: position.as_ref(), interrupt };
        let asked = ask(self, &mut engine, &question).map_err(DriverError::Failed)?;
        // After a fault the engine was dropped, and so killed.
        self.engine = Some(engine);
        Ok(asked)
    }

    fn start(&mut self, interrupt: &Interrupt<'_>) -> Result<Option<UciEngine>, DriverError> {
        self.current = None;
        let UciSettings { command, spawn_mode, timeouts, .. } = &self.subject.settings;
        start_with_retries(
            || {
                let mut engine = UciEngine::start(command, *spawn_mode, *timeouts)?;
                set_once(&self.subject.settings, &mut engine, &mut Vec::new())?;
                engine.set_node_limits(self.subject.limits);
                Ok(engine)
            },
            interrupt,
        )
    }

    fn ask(&mut self, engine: &mut UciEngine, question: &SearchRequest<'_>) -> Result<Option<Attempt>, EngineError> {
        let Request { problem, nodes, .. } = *question.request;
        let mut watcher = Watcher::new(self.subject.settings.policy, problem, question.position, nodes);
        let Some(answer) = self.search(engine, question, &mut |info, time| watcher.see(info, time))? else {
            return Ok(None);
        };
        // What it showed. Its answer only has to be legal.
        let height = watcher.height;
        let watched = watcher.finish(self.ran_out(&answer)).map_err(|fault| engine.error(fault))?;
        check_answer(engine, &answer, problem, question.position)?;
        let WatchResult { solved, best_move, nodes, depth } = watched;
        Ok(Some(Attempt { solved, best_move, nodes, depth, height, ..Attempt::default() }))
    }

    /// Searches a problem while `see` sees every line with its time since `go`, and says when it has seen enough. None
    /// if it was interrupted.
    fn search(
        &mut self,
        engine: &mut UciEngine,
        question: &SearchRequest<'_>,
        see: &mut dyn FnMut(&Info, Duration) -> bool,
    ) -> Result<Option<UciSearchResult>, EngineError> {
        let SearchRequest { request: Request { problem, nodes, .. }, weights, interrupt, .. } = *question;
        // Step 1: the weights, if they changed.
        if self.current.as_ref() != Some(weights) {
            self.current = None;
            for (name, value) in self.subject.settings_of(weights) {
                engine.set(&name, &value)?;
            }
            self.current = Some(weights.clone());
        }
        // Step 2: the position, without traces of earlier ones.
        prepare(engine, self.subject.settings.game, &problem.position, self.subject.prelude)?;
        // Step 3: the search, watched line by line.
        engine.search(&Go::Nodes(*nodes), interrupt, &mut |info, time| {
            if see(info, time) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    /// Whether a search had nothing more to search. Unknown if the engine was given its limit.
    fn ran_out(&self, answer: &UciSearchResult) -> bool {
        self.subject.limits.needs_stop() && matches!(answer.stopped, None | Some(StopCause::RanOut))
    }

    /// The trace of a search, with or without a prelude; none if it was interrupted.
    fn trace(
        &mut self,
        position: &str,
        prelude: bool,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<PvTrace>, EngineError> {
        let Some(engine) = &mut self.engine else { return Ok(None) };
        prepare(engine, self.subject.settings.game, position, prelude)?;
        let mut trace = PvTrace::new();
        let answer = engine.search(&Go::Nodes(TRACE_NODES), interrupt, &mut |info, _| {
            let is_within = info.nodes.is_some_and(|nodes| nodes <= TRACE_NODES);
            let is_kept = is_within && info.is_principal() && trace.len() < MOST_TRACE_LINES;
            if let Some(m) = info.pv.first().filter(|_| is_kept) {
                trace.push((info.depth, info.nodes, m.clone()));
            }
            ControlFlow::Continue(())
        })?;
        Ok(answer.map(|_| trace))
    }
}

impl MateDriver {
    /// Searches for the mate of a problem until the engine announces one within `moves` moves, or has spent the request's
    /// nodes. None if it was interrupted. Whether the announced mate is one, the caller checks.
    pub fn attempt(
        &mut self,
        request: &Request<'_>,
        moves: u8,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<Announced>, DriverError> {
        let MateDriver(driver) = self;
        driver.try_problem(request, interrupt, |driver, engine, question| {
            let Request { problem, nodes, .. } = *question.request;
            let mut watcher = MateWatcher::new(moves, problem, question.position, nodes);
            let Some(answer) = driver.search(engine, question, &mut |info, time| watcher.see(info, time))? else {
                return Ok(None);
            };
            let announced = watcher.finish().map_err(|fault| engine.error(fault))?;
            check_answer(engine, &answer, problem, question.position)?;
            Ok(Some(announced))
        })
    }
}

impl Drop for UciDriver {
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.quit();
        }
    }
}

/// Sets up a position in a new game.
fn prepare(engine: &mut UciEngine, game: &GameInfo, position: &str, prelude: bool) -> Result<(), EngineError> {
    match game.bench.iter().find(|other| **other != position).filter(|_| prelude) {
        Some(other) => engine.new_game_with_prelude(other)?,
        None => engine.new_game()?,
    }
    engine.position(position, &[])
}

/// Every problem has a legal move, so the answer must be one.
fn check_answer(
    engine: &UciEngine,
    answer: &UciSearchResult,
    problem: &Problem,
    position: &dyn AnyPosition,
) -> Result<(), EngineError> {
    let m = answer.best.m.as_deref().unwrap_or("(none)");
    match position.canonical_move(m) {
        Ok(_) => Ok(()),
        Err(_) => {
            let position = problem.position.clone();
            Err(engine.error(Fault::IllegalMove { m: m.to_string(), position }))
        }
    }
}
