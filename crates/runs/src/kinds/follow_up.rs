//! What comes after a discovery: a scheme of several features is built and tuned, and games tell whether it wins.
//!
//! Gradual Focus gives every feature the same fractional-ply value, and so misses some (thesis, chapter 5, open
//! problems). Here features are added one at a time, each time the one with which the scheme is best by the fitness of the
//! discovery. By problems solved, features are added as long as the scheme solves more; by other fitnesses, which are
//! noisier, as long as it costs less beyond chance. Then the weights are tuned together, by the same fitness. The best
//! features, the scheme and the tuned scheme each play a match against the search without features, and the last scheme
//! plays one against the best single feature.

use std::collections::HashSet;

use plysmith_core::depth::Weight;
use plysmith_core::games;
use plysmith_engine::driver::{Candidate, Policy};
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::estimates::{CREDIBLE, Range, score_interval};
use crate::events::GameEvent;
use crate::experiment::Experiment;
use crate::fitness::{Estimate, Fitness, FitnessChoice, GradedFitness, GradedRater, ProblemRater, Rater, Rating};
use crate::kind::{Context, RunKind, check_range};
use crate::kinds::tune::{
    self, GamesConfig, IterationRow, LearningOptions, Probe, Procedure, Tuned, feature_parameters, learn,
};
use crate::pairing_runner::{PairingPlan, PairingRunner};
use crate::play::{PlayConfig, check_games};
use crate::progress::Progress;
use crate::solution_policy::SolutionPolicy;
use crate::summary::Summary;
use crate::text_form;
use crate::view::{Cell, Table, View, thousands};

/// What to do with the best features of a discovery.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FollowUp {
    /// How many of the best features.
    pub best: usize,
    /// Iterations of tuning, if weights are tuned.
    pub tune: Option<u32>,
    /// Games and nodes per move, if matches are played.
    pub prove: Option<(u64, u64)>,
    /// Whether the scheme that is tuned is built one feature at a time. Earlier versions took the best features together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub build: bool,
    /// Whether the last scheme also plays against the best single feature.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub head_to_head: bool,
}

/// What a follow-up works towards: the suite, the engine and the fitness of the discovery.
#[derive(Copy, Clone)]
pub struct Goal<'a> {
    /// The problems, the engine and the limits.
    pub experiment: &'a Experiment,
    /// What schemes are rated by; none for problems solved.
    pub fitness: Option<&'a FitnessChoice>,
    /// The graded suite, if they are rated on one.
    pub graded: Option<&'a GradedFitness>,
}

/// A scheme to which a feature was added.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Addition {
    /// The scheme with the feature.
    pub scheme: String,
    /// Problems that it solves, or positions in which its move is the best known one.
    pub solved: u32,
    /// Nodes of its measurement.
    pub nodes: u64,
    /// What it costs, if schemes are rated by another fitness than problems solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Estimate>,
    /// How much less that is than without the feature that was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<Estimate>,
}

/// How far a scheme is built.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Effort {
    /// The most features.
    pub features: usize,
    /// The most measurements, besides those of the features by themselves; none for no limit.
    pub measurements: Option<usize>,
    /// Whether an addition must be better than the best of as many additions without effect would be, and not only than one.
    pub is_corrected: bool,
}

impl Effort {
    /// How many measurements it takes to build a scheme of these additions from as many features, and to see that it gets no
    /// better.
    pub fn spent(self, additions: usize, schemes: usize) -> usize {
        let tried = schemes.min(MOST_TRIED);
        let rounds = (1..=additions.min(self.features.saturating_sub(1))).map(|round| (round, round * tried));
        rounds
            .filter(|(_, spent)| self.measurements.is_none_or(|most| *spent <= most))
            .map(|(_, spent)| spent)
            .max()
            .unwrap_or(0)
    }
}

/// Features that are tried as additions: the best ones that were found.
const MOST_TRIED: usize = 16;

/// The results of a follow-up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Followed {
    /// How the scheme that was tuned was built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additions: Vec<Addition>,
    /// What schemes were rated by; none for problems solved.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text_form::option")]
    pub fitness: Option<FitnessChoice>,
    /// The tuning.
    pub tuned: Option<Tuned>,
    /// A match of each candidate against the search without features.
    pub proofs: Vec<Summary>,
    /// A match of the last scheme against the best single feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_to_head: Option<Summary>,
    /// Nodes per move in the matches.
    pub proof_nodes: u64,
}

impl FollowUp {
    /// Checks the numbers.
    pub fn validate(&self) -> Result<(), RunError> {
        check_range("number of features", self.best as u64, 1..=16)?;
        if let Some(iterations) = self.tune {
            check_range("number of iterations", iterations.into(), 1..=100_000)?;
        }
        if let Some((games, nodes)) = self.prove {
            check_games(games)?;
            check_range("node limit", nodes, 1..=u64::MAX)?;
        }
        Ok(())
    }

    /// Tunes and plays with these features, each written as a scheme of its own, the best first.
    pub fn run<K: RunKind<Event: From<IterationRow> + From<Probe> + From<GameEvent>>>(
        &self,
        goal: &Goal<'_>,
        schemes: &[String],
        context: &mut Context<K>,
    ) -> Result<Followed, RunError> {
        let best = &schemes[..schemes.len().min(self.best)];
        let additions = match (self.tune.filter(|_| self.build), goal.fitness) {
            (None, _) => Vec::new(),
            (Some(_), None) => build_by_problems(goal.experiment, schemes, self.best, context)?,
            (Some(_), Some(fitness)) => {
                let effort = Effort { features: self.best, measurements: None, is_corrected: false };
                build_by_fitness(goal, fitness, schemes, effort, context)?
            }
        };
        let built = additions.last().map(|addition| addition.scheme.clone());
        let start = built.clone().unwrap_or_else(|| best.join(","));
        let tuned = match self.tune {
            Some(iterations) if !best.is_empty() => Some(tune_together(goal, &start, iterations, context)?),
            _ => None,
        };
        let tuned_scheme = tuned.as_ref().and_then(|tuned| tuned.setting.scheme.clone());
        let last = tuned_scheme.clone().or(built.clone());
        let mut candidates = best.to_vec();
        candidates.extend(built.filter(|built| !best.contains(built)));
        candidates.extend(tuned_scheme);
        candidates.dedup();
        // Earlier versions played the same match twice if tuning changed nothing.
        if self.head_to_head {
            let mut known = HashSet::new();
            candidates.retain(|candidate| known.insert(candidate.clone()));
        }
        let single = best.first().filter(|_| self.head_to_head);
        let rivals = last.as_ref().zip(single).filter(|(last, single)| last != single);
        let (mut proofs, mut head_to_head) = (Vec::new(), None);
        if let Some((games, nodes)) = self.prove {
            let mut matches = Matches::new(goal.experiment, games, nodes)?;
            proofs = matches.play_each(&candidates, context)?;
            if let Some((last, single)) = rivals {
                let progress = context.services().begin_progress(games);
                let schemes = [Some(last), Some(single)];
                head_to_head = Some(matches.play(candidates.len(), schemes, context, &progress)?);
            }
        }
        let proof_nodes = self.prove.map_or(0, |(_, nodes)| nodes);
        Ok(Followed { additions, fitness: goal.fitness.cloned(), tuned, proofs, head_to_head, proof_nodes })
    }
}

/// Adds features to a scheme, one at a time, as long as it solves more problems.
fn build_by_problems<K: RunKind>(
    experiment: &Experiment,
    schemes: &[String],
    most: usize,
    context: &Context<K>,
) -> Result<Vec<Addition>, RunError> {
    let services = context.services();
    let mut session = experiment.session(services)?;
    let tried = &schemes[..schemes.len().min(MOST_TRIED)];
    let problems = session.problems() as u64;
    let progress = services.begin_progress((most.min(tried.len()) * tried.len()) as u64 * problems);
    let mut additions: Vec<Addition> = Vec::new();
    while additions.len() < most {
        let before = additions.last().cloned();
        let mut best = before.clone();
        for feature in tried {
            let scheme = before.as_ref().map_or(feature.clone(), |before| format!("{},{feature}", before.scheme));
            // A feature that is part of the scheme already is not added twice.
            let Ok(candidate) = session.features.vocabulary.parse_scheme(&scheme, Weight::HALF) else { continue };
            progress.message(format!("building a scheme: {scheme}"));
            let least = best.as_ref().map(|best| best.solved + 1);
            let measurement = session.measure(&Candidate::Scheme(candidate), least, &progress, services)?;
            progress.finish_part(problems);
            if measurement.is_complete() && least.is_none_or(|least| measurement.solved() >= least) {
                let (solved, nodes) = (measurement.solved(), measurement.nodes());
                best = Some(Addition { scheme, solved, nodes, cost: None, gain: None });
            }
        }
        match best.filter(|best| Some(best) != before.as_ref()) {
            Some(best) => additions.push(best),
            None => break,
        }
    }
    Ok(additions)
}

/// Adds features to a scheme, one at a time, as long as it costs less beyond chance: a paired test over the positions,
/// one-sided 5 %, of the feature with which it costs least. The first feature is taken in any case, so that there is
/// something to tune.
pub(crate) fn build_by_fitness<K: RunKind>(
    goal: &Goal<'_>,
    fitness: &FitnessChoice,
    schemes: &[String],
    effort: Effort,
    context: &Context<K>,
) -> Result<Vec<Addition>, RunError> {
    let most = effort.features;
    let services = context.services();
    let vocabulary = games::find(&goal.experiment.game)?.vocabulary;
    let mut session = None;
    let mut rater: Box<dyn Rater + '_> = match goal.graded {
        Some(graded) => Box::new(GradedRater::new(goal.experiment, graded, 1)?),
        None => {
            let session = session.insert(goal.experiment.session(services)?);
            Box::new(ProblemRater::new(goal.experiment, session, 1)?)
        }
    };
    let tried = &schemes[..schemes.len().min(MOST_TRIED)];
    let progress = services.begin_progress((most.min(tried.len()) * tried.len()) as u64 * rater.positions() as u64);
    let mut additions: Vec<(Addition, Rating)> = Vec::new();
    while additions.len() < most {
        // The discovery has measured the features themselves.
        if effort.measurements.is_some_and(|measurements| additions.len() * tried.len() > measurements) {
            break;
        }
        let before = additions.last();
        let mut best: Option<(Addition, Rating)> = None;
        for feature in tried {
            let scheme = before.map_or(feature.clone(), |(before, _)| format!("{},{feature}", before.scheme));
            // A feature that is part of the scheme already is not added twice.
            let Ok(candidate) = vocabulary.parse_scheme(&scheme, Weight::HALF) else { continue };
            progress.message(format!("building a scheme: {scheme}"));
            let rating = rater.rate(&scheme, &Candidate::Scheme(candidate), services, &progress)?;
            let addition = Addition::rated(scheme, &rating, before.map(|(_, before)| before), &**fitness);
            let cost = |addition: &Addition| addition.cost.map_or(f64::INFINITY, |cost| cost.mean);
            if best.as_ref().is_none_or(|(best, _)| cost(&addition) < cost(best)) {
                best = Some((addition, rating));
            }
        }
        let tries = if effort.is_corrected { tried.len() } else { 1 };
        match best.filter(|(best, _)| best.gain.is_none_or(|gain| gain.is_beyond_chance_of(tries))) {
            Some(best) => additions.push(best),
            None => break,
        }
    }
    Ok(additions.into_iter().map(|(addition, _)| addition).collect())
}

impl Addition {
    fn rated(scheme: String, rating: &Rating, before: Option<&Rating>, fitness: &dyn Fitness) -> Addition {
        Addition {
            scheme,
            solved: rating.finding.solved.unwrap_or(0),
            nodes: rating.finding.nodes,
            cost: Some(rating.cost(fitness)),
            gain: before.map(|before| rating.gain_on(before, fitness)),
        }
    }
}

fn tune_together<K: RunKind<Event: From<IterationRow> + From<Probe>>>(
    goal: &Goal<'_>,
    scheme: &str,
    iterations: u32,
    context: &mut Context<K>,
) -> Result<Tuned, RunError> {
    let Goal { experiment, fitness, graded } = *goal;
    let parameters = feature_parameters(games::find(&experiment.game)?, scheme)?;
    // Runs of versions that did not name the fitness were tuned on problems, even if features were rated on a graded suite.
    let graded = graded.filter(|_| fitness.is_some()).cloned();
    // If features are rated by problems solved, weights are tuned by nodes to the solution.
    let fitness = fitness.filter(|fitness| !fitness.is_nodes()).cloned();
    let usual = LearningOptions { iterations, fitness, graded, ..LearningOptions::default() };
    // A run whose experiment does not name its policy was started by version 0.1, and goes on as that version would.
    let config = match experiment.policy {
        Some(_) => tune::Config::new(experiment.clone(), parameters, &usual)?,
        None => {
            let options = LearningOptions { policy: SolutionPolicy::Watched(Policy::First), ..usual };
            let config = tune::Config::new(experiment.clone(), parameters, &options)?;
            tune::Config { procedure: Procedure::First, ..config }
        }
    };
    let mut session = tune::Session::open(&config, context.services())?;
    context.services().note("tuning the best features:");
    learn(&config, &mut session, context)
}

/// Matches of schemes.
struct Matches {
    play: PlayConfig,
    runner: PairingRunner,
    preset: String,
    games: u64,
}

impl Matches {
    fn new(experiment: &Experiment, games: u64, nodes: u64) -> Result<Matches, RunError> {
        let play = GamesConfig { games, nodes }.play(games::find(&experiment.game)?, experiment.seed)?;
        let runner = PairingRunner::new(&play)?;
        Ok(Matches { play, runner, preset: experiment.engine_text(), games })
    }

    /// A match of each scheme against the search without features.
    fn play_each<K: RunKind<Event: From<GameEvent>>>(
        &mut self,
        schemes: &[String],
        context: &mut Context<K>,
    ) -> Result<Vec<Summary>, RunError> {
        let progress = context.services().begin_progress(self.games * schemes.len() as u64);
        let pairings = schemes.iter().enumerate();
        pairings.map(|(number, scheme)| self.play(number, [Some(scheme), None], context, &progress)).collect()
    }

    /// A match of two schemes; none is the search without features.
    fn play<K: RunKind<Event: From<GameEvent>>>(
        &mut self,
        number: usize,
        schemes: [Option<&String>; 2],
        context: &mut Context<K>,
        progress: &Progress,
    ) -> Result<Summary, RunError> {
        let Matches { play, runner, preset, games } = self;
        let player = |scheme: Option<&String>| match scheme {
            None => play.player(preset),
            Some(scheme) => play.player(&format!("{preset}+{scheme}")),
        };
        let [one, other] = [player(schemes[0])?, player(schemes[1])?];
        let plan = PairingPlan::new(number, [&one, &other]);
        let result = runner.play(&plan, context, progress)?;
        progress.finish_part(*games);
        Ok(Summary::new(play.print(&one), play.print(&other), [play.move_limit; 2], &result.tally))
    }
}

impl Followed {
    /// The scheme, its tuning, and the matches.
    pub fn view(&self) -> View {
        let mut view = View::new();
        if !self.additions.is_empty() {
            view = view.view(self.additions_view());
        }
        if let Some(tuned) = &self.tuned {
            let what = match self.additions.is_empty() {
                true => "The best features tuned together. They",
                false => "Its weights tuned together. The features",
            };
            view = view
                .text(format!(
                    "\n{what} were found on all problems, so held-out problems are not entirely new to them.\n\n"
                ))
                .view(tuned.view());
        }
        let Some(first) = self.proofs.first() else { return view };
        view = view
            .text(format!("\nIn games against {} ({} nodes per move):\n\n", first.b, thousands(self.proof_nodes)))
            .table(Table::new(&MATCH_HEADINGS, self.proofs.iter().map(match_row)));
        if let Some(proof) = &self.head_to_head {
            view = view
                .text(format!("\nThe last scheme against the best single feature, {}:\n\n", proof.b))
                .table(Table::new(&MATCH_HEADINGS, [match_row(proof)]));
        }
        view.text(if first.score_credible.is_some() { format!("\n{CREDIBLE}\n") } else { String::new() })
    }

    /// How the scheme was built.
    fn additions_view(&self) -> View {
        let Some(fitness) = &self.fitness else {
            let row = |addition: &Addition| {
                let Addition { scheme, solved, nodes, .. } = addition;
                vec![scheme.clone().into(), Cell::Count(u64::from(*solved)), Cell::Count(*nodes)]
            };
            return View::new()
                .text(
                    "\nA scheme built by adding the feature with which it solves most, as long as it solves more:\n\n",
                )
                .table(Table::new(&["scheme", ">solved", ">nodes"], self.additions.iter().map(row)));
        };
        let row = |addition: &Addition| {
            let Addition { scheme, nodes, cost, gain, .. } = addition;
            vec![
                scheme.clone().into(),
                cost.map_or(Cell::Missing, |cost| cost.text().into()),
                gain.map_or(Cell::from(""), |gain| gain.signed_text().into()),
                Cell::Count(*nodes),
            ]
        };
        View::new()
            .text(format!(
                "\nA scheme built by adding the feature with which it costs least by the fitness {fitness}, as long as that is \
                 less beyond chance (one-sided, 5 %):\n\n"
            ))
            .table(Table::new(&["scheme", "cost", "less than before", ">nodes"], self.additions.iter().map(row)))
    }
}

const MATCH_HEADINGS: [&str; 6] = ["player", ">games", "results", ">score", "95 %", "Elo"];

fn match_row(proof: &Summary) -> Vec<Cell> {
    vec![
        proof.a.clone().into(),
        Cell::Count(proof.games),
        format!("+{} ={} -{}", proof.wins, proof.draws, proof.losses).into(),
        Cell::Percent(proof.score),
        score_interval(proof.score_credible, proof.plain_interval).into(),
        Range::text_or_dash(proof.elo).into(),
    ]
}
