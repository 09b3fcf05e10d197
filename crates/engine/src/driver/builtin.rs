//! The built-in engines as a subject.
//!
//! Weights drive a template of features, then search constants: weight `i` is the cost of a move with feature `i`, and
//! the weights behind those of the features are values of tunables. The job names the resulting scheme and settings, so
//! what was measured under these names is not measured again as weights.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use plysmith_core::depth::Weight;
use plysmith_core::feature::{Amount, Cost, FeatureError, Rule, Scheme};
use plysmith_core::game::PositionError;
use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::parameter::ONE;
use plysmith_core::problem::Problem;
use plysmith_core::random::{Random, derive_seed};
use plysmith_core::search;
use plysmith_core::search::{End, Interrupt, Limit, NoMemory, Report, Root, Sight, Task, Watch, Workspace};
use plysmith_core::settings::{Settings, Tunable};

use super::{
    Attempt, Candidate, CandidateError, Conditions, Driver, DriverError, MeasurementJob, Parameter, Policy, Request,
    Subject, Weights,
};

/// The built-in engine of a game, and how it searches.
#[derive(Clone, Debug)]
pub struct BuiltIn {
    game: &'static GameInfo,
    settings: Settings,
    policy: Policy,
    template: Vec<Rule>,
    tunables: Vec<&'static Tunable>,
    /// Of the features, then of the tunables.
    parameters: Vec<Parameter>,
}

/// A candidate as the search takes it.
#[derive(Clone, Debug)]
pub struct SearchCandidate {
    /// Which features a move's cost depends on.
    pub scheme: Scheme,
    /// Everything else.
    pub settings: Settings,
}

/// The paper's range of weights (section 4).
const WEIGHTS: (i64, i64) = (100, 2000);

/// The range of amounts.
const AMOUNTS: (i64, i64) = (-3000, 3000);

impl BuiltIn {
    /// The engine for measuring schemes.
    pub fn new(game: &'static GameInfo, settings: Settings, policy: Policy) -> BuiltIn {
        BuiltIn { game, settings, policy, template: Vec::new(), tunables: Vec::new(), parameters: Vec::new() }
    }

    /// Adds a parameter for each of these features, with a weight or an amount. A repeated feature is an error.
    pub fn with_template(mut self, rules: Vec<Rule>) -> Result<BuiltIn, FeatureError> {
        let vocabulary = self.game.vocabulary;
        let scheme = Scheme::of(rules.iter().map(|rule| (rule.feature.clone(), rule.cost)))?;
        if scheme.rules().len() < rules.len() {
            let names: Vec<_> = rules.iter().map(|rule| vocabulary.print_feature(&rule.feature)).collect();
            let text = names.join(",");
            let is_double = |(index, name): &(usize, &String)| *name == "Neutral" || names[..*index].contains(name);
            let what = names.iter().enumerate().find(is_double).map_or(String::new(), |(_, name)| name.clone());
            return Err(match what.as_str() {
                "Neutral" => FeatureError::WeightedNeutral { text },
                _ => FeatureError::Repeated { text, what },
            });
        }
        let parameter = |rule: &Rule| {
            let name = vocabulary.print_feature(&rule.feature);
            match rule.cost {
                Cost::Amount(amount) => {
                    let (least, most) = AMOUNTS;
                    Parameter { name: format!("+{name}"), least, most, step: 1, start: amount.units().into() }
                }
                cost => {
                    let (least, most) = WEIGHTS;
                    let start = cost.weight().unwrap_or(Weight::ONE).units().into();
                    Parameter { name, least, most, step: 1, start }
                }
            }
        };
        self.parameters.splice(..self.template.len(), rules.iter().map(parameter));
        self.template = rules;
        Ok(self)
    }

    /// What a parameter of this name tunes: the weight of a feature, or with `+` before it an amount.
    pub fn tuned_rule(game: &GameInfo, name: &str) -> Result<Rule, FeatureError> {
        let (name, cost) = match name.strip_prefix('+') {
            Some(name) => (name, Cost::Amount(Amount::of_units(0))),
            None => (name, Cost::Weight(Weight::ONE)),
        };
        Ok(Rule::new(game.vocabulary.parse_feature(name)?, cost))
    }

    /// Adds a parameter for each of these search constants, behind those of the features.
    #[must_use]
    pub fn with_tunables(mut self, tunables: Vec<&'static Tunable>) -> BuiltIn {
        self.parameters.truncate(self.template.len());
        let start = |tunable: &&Tunable| (tunable.get)(&self.settings.tunables);
        self.parameters.extend(tunables.iter().map(|tunable| tunable.parameter(start(tunable))));
        self.tunables = tunables;
        self
    }

    /// The features that weights drive.
    pub fn template(&self) -> &[Rule] {
        &self.template
    }

    /// The search constants that weights drive.
    pub fn tunables(&self) -> &[&'static Tunable] {
        &self.tunables
    }

    /// The search settings, before weights change any constants.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The game.
    pub fn game(&self) -> &'static GameInfo {
        self.game
    }

    /// The scheme and the settings of a candidate.
    pub fn resolve(&self, candidate: &Candidate) -> Result<SearchCandidate, CandidateError> {
        match candidate {
            Candidate::Scheme(scheme) => Ok(SearchCandidate { scheme: scheme.clone(), settings: self.settings }),
            Candidate::Weights(weights) => self.weighted(weights),
        }
    }

    fn weighted(&self, weights: &Weights) -> Result<SearchCandidate, CandidateError> {
        weights.fits(&self.parameters)?;
        let (costs, values) = weights.0.split_at(self.template.len());
        let cost = |(rule, units): (&Rule, &i64)| match rule.cost {
            Cost::Amount(_) => Cost::Amount(Amount::of_units(*units as i32)),
            _ => Cost::Weight(Weight::of_units(*units as i32)),
        };
        let costs = self.template.iter().zip(costs).map(|tuned| (tuned.0.feature.clone(), cost(tuned)));
        let scheme = Scheme::of(costs)?;
        let mut settings = self.settings;
        for (tunable, value) in self.tunables.iter().zip(values) {
            // The range has been checked.
            (tunable.set)(&mut settings.tunables, (value / ONE) as i32);
        }
        Ok(SearchCandidate { scheme, settings })
    }
}

impl Subject for BuiltIn {
    fn job(&self, candidate: &Candidate, conditions: &Conditions) -> Result<MeasurementJob, CandidateError> {
        let SearchCandidate { scheme, settings } = self.resolve(candidate)?;
        let behaviour = self.game.behaviour(&settings, &scheme);
        let settings = self.game.print_settings(&settings);
        Ok(MeasurementJob {
            game: self.game.name.to_string(),
            suite: conditions.suite.clone(),
            scheme: self.game.vocabulary.print_scheme(&scheme),
            // The key of every policy is another one; that of 'end' is the one under which results are stored that are
            // older than the name.
            settings: match self.policy {
                Policy::End => settings,
                policy => format!("{settings} to solution, {policy}"),
            },
            nodes: conditions.nodes,
            seed: conditions.seed,
            random: Random::ALGORITHM.to_string(),
            revision: search::REVISION,
            behaviour,
            engine: None,
        })
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn check(&self, problem: &Problem) -> Result<(), PositionError> {
        (self.game.open)(&problem.position).map(|_| ())
    }

    fn memory(&self) -> u64 {
        Workspace::bytes(&self.settings)
    }

    fn driver(&self) -> Result<Box<dyn Driver>, NoMemory> {
        let workspace = Workspace::with_memory(&self.settings)?;
        Ok(Box::new(BuiltInDriver { subject: self.clone(), workspace, current: None }))
    }
}

/// The driver of one thread.
struct BuiltInDriver {
    subject: BuiltIn,
    workspace: Workspace,
    /// The candidate of the last attempt, resolved.
    current: Option<(Candidate, SearchCandidate)>,
}

impl Driver for BuiltInDriver {
    fn attempt(&mut self, request: &Request<'_>, interrupt: &Interrupt<'_>) -> Result<Option<Attempt>, DriverError> {
        // The caller has checked the problems; a wrong one is not tried.
        let Ok(position) = (self.subject.game.open)(&request.problem.position) else { return Ok(None) };
        if interrupt() {
            return Ok(None);
        }
        let resolved = match self.current.take() {
            Some((candidate, resolved)) if candidate == *request.candidate => resolved,
            _ => self.subject.resolve(request.candidate)?,
        };
        let attempt = self.search(request, position.as_ref(), &resolved, interrupt);
        self.current = Some((request.candidate.clone(), resolved));
        Ok(attempt)
    }
}

impl BuiltInDriver {
    fn search(
        &mut self,
        request: &Request<'_>,
        position: &dyn AnyPosition,
        candidate: &SearchCandidate,
        interrupt: &Interrupt<'_>,
    ) -> Option<Attempt> {
        let Request { problem, nodes, .. } = *request;
        let agreement = AgreementWatch::default();
        let policy = self.subject.policy;
        if policy == Policy::End {
            let task = task(request, candidate, interrupt);
            let report = position.search(&task, &mut self.workspace);
            let is_right = report.line.first().is_some_and(|best| problem.is_right(best));
            return (report.end != End::Interrupted)
                .then(|| Attempt { best_move: Some(is_right), ..attempt(problem.is_solved_by(&report), report) });
        }
        let watch =
            |sight: &Sight| agreement.see(problem.is_solved_with(&sight.best, sight.score), sight.nodes, policy);
        let is_enough = || agreement.is_final.load(Ordering::Relaxed) || interrupt();
        let mut task = task(request, candidate, &is_enough);
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
            // An iteration that the limit cut short might have changed its move; a proof is final.
            (_, since) if problem.is_solved_by(&report) && (since.is_some() || report.end == End::Proved) => {
                Some(Attempt { nodes: since.unwrap_or(report.nodes), ..attempt(true, report) })
            }
            // An unsolved problem costs the limit, also if the search ended before.
            _ => Some(Attempt { nodes, ..attempt(false, report) }),
        }
    }
}

fn task<'a>(request: &Request<'_>, candidate: &'a SearchCandidate, interrupt: &'a Interrupt<'a>) -> Task<'a> {
    Task {
        settings: candidate.settings,
        scheme: &candidate.scheme,
        limit: Limit::nodes(request.nodes),
        seed: derive_seed(request.seed, &request.problem.position),
        interrupt,
        root: Root::default(),
    }
}

/// Since when a search agrees with the solution.
#[derive(Default)]
struct AgreementWatch {
    /// The nodes at the first of the last agreements; none if it does not agree.
    since: Mutex<Option<u64>>,
    /// Whether the search may end.
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
    Attempt { solved, best_move: solved.then_some(true), nodes, depth, height, moves, fired, failure: None }
}
