//! What comes after a discovery: a scheme of several features is built and tuned, and games tell whether it wins.
//!
//! Gradual Focus gives every feature the same fractional-ply value, and so misses some (thesis, chapter 5, open
//! problems). Here features are added one at a time, each time the one with which the scheme solves most, as long as it
//! solves more. Then the weights are tuned together. The best features, the scheme and the tuned scheme each play a match
//! against the search without features.

use plysmith_core::depth::Weight;
use plysmith_core::games;
use plysmith_engine::driver::{Candidate, Policy};
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::estimates::{CREDIBLE, Range, score_interval};
use crate::events::GameEvent;
use crate::experiment::Experiment;
use crate::kind::{Context, RunKind, check_range};
use crate::kinds::tune::{
    self, GamesConfig, IterationRow, LearningOptions, Probe, Procedure, Tuned, feature_parameters, learn,
};
use crate::play::{PairingPlan, PairingRunner, check_games};
use crate::solution_policy::SolutionPolicy;
use crate::summary::Summary;
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
}

/// A scheme to which a feature was added.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Addition {
    /// The scheme with the feature.
    pub scheme: String,
    /// Problems that it solves.
    pub solved: u32,
    /// Nodes of its measurement.
    pub nodes: u64,
}

/// Features that are tried as additions: the best ones that were found.
const MOST_TRIED: usize = 16;

/// The results of a follow-up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Followed {
    /// How the scheme that was tuned was built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additions: Vec<Addition>,
    /// The tuning.
    pub tuned: Option<Tuned>,
    /// A match of each candidate against the search without features.
    pub proofs: Vec<Summary>,
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
        experiment: &Experiment,
        schemes: &[String],
        context: &mut Context<K>,
    ) -> Result<Followed, RunError> {
        let best = &schemes[..schemes.len().min(self.best)];
        let additions = match self.tune {
            Some(_) if self.build => build_up(experiment, schemes, self.best, context)?,
            _ => Vec::new(),
        };
        let built = additions.last().map(|addition| addition.scheme.clone());
        let start = built.clone().unwrap_or_else(|| best.join(","));
        let tuned = match self.tune {
            Some(iterations) if !best.is_empty() => Some(tune_together(experiment, &start, iterations, context)?),
            _ => None,
        };
        let mut candidates = best.to_vec();
        candidates.extend(built.filter(|built| !best.contains(built)));
        candidates.extend(tuned.as_ref().and_then(|tuned| tuned.setting.scheme.clone()));
        candidates.dedup();
        let (proofs, proof_nodes) = match self.prove {
            Some((games, nodes)) => (play_each(experiment, &candidates, games, nodes, context)?, nodes),
            None => (Vec::new(), 0),
        };
        Ok(Followed { additions, tuned, proofs, proof_nodes })
    }
}

/// Adds features to a scheme, one at a time, as long as it solves more problems.
fn build_up<K: RunKind>(
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
                best = Some(Addition { scheme, solved: measurement.solved(), nodes: measurement.nodes() });
            }
        }
        match best.filter(|best| Some(best) != before.as_ref()) {
            Some(best) => additions.push(best),
            None => break,
        }
    }
    Ok(additions)
}

fn tune_together<K: RunKind<Event: From<IterationRow> + From<Probe>>>(
    experiment: &Experiment,
    scheme: &str,
    iterations: u32,
    context: &mut Context<K>,
) -> Result<Tuned, RunError> {
    let parameters = feature_parameters(games::find(&experiment.game)?, scheme)?;
    // A run whose experiment does not name its policy was started by version 0.1, and goes on as that version would.
    let usual = LearningOptions { iterations, ..LearningOptions::default() };
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

fn play_each<K: RunKind<Event: From<GameEvent>>>(
    experiment: &Experiment,
    schemes: &[String],
    games_each: u64,
    nodes: u64,
    context: &mut Context<K>,
) -> Result<Vec<Summary>, RunError> {
    let game = games::find(&experiment.game)?;
    let play = GamesConfig { games: games_each, nodes }.play(game, experiment.seed)?;
    let mut runner = PairingRunner::new(&play)?;
    let progress = context.services().begin_progress(games_each * schemes.len() as u64);
    let preset = experiment.engine_text();
    let plain = play.player(&preset)?;
    let mut proofs = Vec::new();
    for (number, scheme) in schemes.iter().enumerate() {
        let player = play.player(&format!("{preset}+{scheme}"))?;
        let plan = PairingPlan { number, players: [&player, &plain], test: None };
        let result = runner.play(&plan, context, &progress)?;
        progress.finish_part(games_each);
        proofs.push(Summary::new(play.print(&player), play.print(&plain), play.move_limit, &result.tally));
    }
    Ok(proofs)
}

impl Followed {
    /// The tuning and the matches.
    pub fn view(&self) -> View {
        let mut view = View::new();
        if !self.additions.is_empty() {
            let row = |addition: &Addition| {
                let Addition { scheme, solved, nodes } = addition;
                vec![scheme.clone().into(), Cell::Count(u64::from(*solved)), Cell::Count(*nodes)]
            };
            view = view
                .text(
                    "\nA scheme built by adding the feature with which it solves most, as long as it solves more:\n\n",
                )
                .table(Table::new(&["scheme", ">solved", ">nodes"], self.additions.iter().map(row)));
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
        let rows = self.proofs.iter().map(|proof| {
            vec![
                proof.a.clone().into(),
                Cell::Count(proof.games),
                format!("+{} ={} -{}", proof.wins, proof.draws, proof.losses).into(),
                Cell::Percent(proof.score),
                score_interval(proof.score_credible, proof.plain_interval).into(),
                Range::text_or_dash(proof.elo).into(),
            ]
        });
        view.text(format!("\nIn games against {} ({} nodes per move):\n\n", first.b, thousands(self.proof_nodes)))
            .table(Table::new(&["player", ">games", "results", ">score", "95 %", "Elo"], rows))
            .text(if first.score_credible.is_some() { format!("\n{CREDIBLE}\n") } else { String::new() })
    }
}
