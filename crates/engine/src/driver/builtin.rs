//! The built-in engines as a subject.
//!
//! Weights drive a template of features: weight `i` is what a move with feature `i` costs. The scheme that they make is
//! the scheme of the job, so what was measured as a scheme is not measured again as weights.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use plysmith_core::depth::Weight;
use plysmith_core::feature::{Feature, FeatureError, Scheme};
use plysmith_core::game::PositionError;
use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::parameter::ONE;
use plysmith_core::problem::Problem;
use plysmith_core::random::{Random, derive_seed};
use plysmith_core::search;
use plysmith_core::search::deepening::{End, Interrupt, Limit, NoMemory, Report, Root, Sight, Task, Watch, Workspace};
use plysmith_core::settings::Settings;

use super::{
    Attempt, Candidate, CandidateError, Conditions, Driver, DriverError, MeasurementJob, Parameter, Policy, Request,
    Subject, Weights,
};

/// A game's own engine, and how it searches.
#[derive(Clone, Debug)]
pub struct BuiltIn {
    game: &'static GameInfo,
    settings: Settings,
    count: Count,
    template: Vec<Feature>,
    parameters: Vec<Parameter>,
}

/// Up to where the nodes of a search count.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Count {
    /// To the limit or a proof: the answer then decides. So the papers on features measure.
    Whole,
    /// To the solution, else to the limit: what the paper on tuning sums up.
    ToSolution(Policy),
}

/// The paper's range of weights (section 4).
const RANGE: (i64, i64) = (100, 2000);

impl BuiltIn {
    /// An engine that takes schemes.
    pub fn new(game: &'static GameInfo, settings: Settings, count: Count) -> BuiltIn {
        BuiltIn { game, settings, count, template: Vec::new(), parameters: Vec::new() }
    }

    /// The same engine, with a weight for each of these features. One that stands there twice is refused.
    pub fn with_template(mut self, features: Vec<Feature>) -> Result<BuiltIn, FeatureError> {
        let vocabulary = self.game.vocabulary;
        let scheme = Scheme::of(features.iter().map(|feature| (feature.clone(), Weight::ONE)))?;
        if scheme.features().len() < features.len() {
            let names: Vec<_> = features.iter().map(|feature| vocabulary.print_feature(feature)).collect();
            let text = names.join(",");
            let is_double = |(index, name): &(usize, &String)| *name == "Neutral" || names[..*index].contains(name);
            let what = names.iter().enumerate().find(is_double).map_or(String::new(), |(_, name)| name.clone());
            return Err(match what.as_str() {
                "Neutral" => FeatureError::WeightedNeutral { text },
                _ => FeatureError::Repeated { text, what },
            });
        }
        let (least, most) = RANGE;
        let parameter =
            |feature| Parameter { name: vocabulary.print_feature(feature), least, most, step: 1, start: ONE };
        self.parameters = features.iter().map(parameter).collect();
        self.template = features;
        Ok(self)
    }

    /// The game.
    pub fn game(&self) -> &'static GameInfo {
        self.game
    }

    /// The scheme that a candidate is.
    pub fn scheme(&self, candidate: &Candidate) -> Result<Scheme, CandidateError> {
        match candidate {
            Candidate::Scheme(scheme) => Ok(scheme.clone()),
            Candidate::Weights(weights) => self.weighted(weights),
        }
    }

    fn weighted(&self, weights: &Weights) -> Result<Scheme, CandidateError> {
        weights.fits(&self.parameters)?;
        let weight = |&units: &i64| Weight::of_units(units as i32);
        Ok(Scheme::of(self.template.iter().cloned().zip(weights.0.iter().map(weight)))?)
    }
}

impl Subject for BuiltIn {
    fn job(&self, candidate: &Candidate, conditions: &Conditions) -> Result<MeasurementJob, CandidateError> {
        let settings = self.game.print_settings(&self.settings);
        Ok(MeasurementJob {
            game: self.game.name.to_string(),
            suite: conditions.suite.clone(),
            scheme: self.game.vocabulary.print_scheme(&self.scheme(candidate)?),
            settings: match self.count {
                Count::Whole => settings,
                Count::ToSolution(policy) => format!("{settings} to solution, {policy}"),
            },
            nodes: conditions.nodes,
            seed: conditions.seed,
            random: Random::ALGORITHM.to_string(),
            revision: search::REVISION,
            engine: None,
        })
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn check(&self, problem: &Problem) -> Result<(), PositionError> {
        (self.game.open)(&problem.position).map(|_| ())
    }

    fn driver(&self) -> Result<Box<dyn Driver>, NoMemory> {
        let workspace = Workspace::with_memory(&self.settings)?;
        Ok(Box::new(BuiltInDriver { subject: self.clone(), workspace, current: None }))
    }
}

/// One thread's share of the engine.
struct BuiltInDriver {
    subject: BuiltIn,
    workspace: Workspace,
    /// The candidate of the last attempt, and the scheme that it is.
    current: Option<(Candidate, Scheme)>,
}

impl Driver for BuiltInDriver {
    fn attempt(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<Attempt>, DriverError> {
        // The lab has checked the problems; a wrong one would be a mistake of the caller, and is tried by nobody.
        let Ok(position) = (self.subject.game.open)(&request.problem.position) else { return Ok(None) };
        if interrupt() {
            return Ok(None);
        }
        let scheme = match self.current.take() {
            Some((candidate, scheme)) if candidate == *request.candidate => scheme,
            _ => self.subject.scheme(request.candidate)?,
        };
        let attempt = self.search(request, position.as_ref(), &scheme, interrupt);
        self.current = Some((request.candidate.clone(), scheme));
        Ok(attempt)
    }
}

impl BuiltInDriver {
    fn search(
        &mut self,
        request: &Request<'_>,
        position: &dyn AnyPosition,
        scheme: &Scheme,
        interrupt: &Interrupt<'_>,
    ) -> Option<Attempt> {
        let Request { problem, nodes, .. } = *request;
        let agreement = AgreementWatch::default();
        let Count::ToSolution(policy) = self.subject.count else {
            let task = self.task(request, scheme, interrupt);
            let report = position.search(&task, &mut self.workspace);
            return (report.end != End::Interrupted).then(|| attempt(problem.is_solved_by(&report), report));
        };
        let watch =
            |sight: &Sight| agreement.see(problem.is_solved_with(&sight.best, sight.score), sight.nodes, policy);
        let is_enough = || agreement.is_final.load(Ordering::Relaxed) || interrupt();
        let mut task = self.task(request, scheme, &is_enough);
        let report = if policy == Policy::Iteration {
            let mut observer =
                |report: Report<String>| agreement.see(problem.is_solved_by(&report), report.nodes, policy);
            position.search_observed(&task, &mut self.workspace, &mut observer)
        } else {
            task.root.watch = Some(Watch(&watch));
            position.search(&task, &mut self.workspace)
        };
        let since = agreement.since.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (agreement.is_final.into_inner(), since) {
            (true, Some(since)) => Some(Attempt { nodes: since, ..attempt(true, report) }),
            _ if report.end == End::Interrupted => None,
            // What the limit cut short may be of another opinion when it is through; a proof is not.
            (_, since) if problem.is_solved_by(&report) && (since.is_some() || report.end == End::Proved) => {
                Some(Attempt { nodes: since.unwrap_or(report.nodes), ..attempt(true, report) })
            }
            // What is not solved costs the limit, also where the search had nothing more to do.
            _ => Some(Attempt { nodes, ..attempt(false, report) }),
        }
    }

    fn task<'a>(&self, request: &Request<'_>, scheme: &'a Scheme, interrupt: &'a Interrupt<'a>) -> Task<'a> {
        Task {
            settings: self.subject.settings,
            scheme,
            limit: Limit::nodes(request.nodes),
            seed: derive_seed(request.seed, &request.problem.position),
            interrupt,
            root: Root::default(),
        }
    }
}

/// Since when a search agrees.
#[derive(Default)]
struct AgreementWatch {
    /// The nodes at which it began to, if it does.
    since: Mutex<Option<u64>>,
    /// Whether that is all there is to know.
    is_final: AtomicBool,
}

impl AgreementWatch {
    fn see(&self, agrees: bool, nodes: u64, policy: Policy) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_final.load(Ordering::Relaxed) {
            return;
        }
        *since = if agrees { since.or(Some(nodes)) } else { None };
        self.is_final.store(agrees && policy != Policy::Stable, Ordering::Relaxed);
    }
}

fn attempt(solved: bool, report: Report<String>) -> Attempt {
    let Report { nodes, depth, height, moves, fired, .. } = report;
    Attempt { solved, nodes, depth, height, moves, fired, failure: None }
}
