//! Who takes samples of candidates: of a problem suite, or of a graded suite.

use plysmith_core::games::{self, GameInfo};
use plysmith_core::settings::Settings;
use plysmith_core::suite::graded::{self, GradedSuite, Judge};
use plysmith_engine::driver::{Candidate, Policy};
use plysmith_engine::player::{BuiltInPlayer, Participant};
use plysmith_engine::uci::client::UciTimeouts;
use serde::{Deserialize, Serialize};

use super::measures::{FitnessChoice, SuiteKind};
use super::rating::Rating;
use super::sample::Sample;
use crate::choice::Chooser;
use crate::error::RunError;
use crate::examiner::{Answer, Examination, Examiner, Judging};
use crate::experiment::{EngineChoice, Experiment, Session};
use crate::finding::Finding;
use crate::kind::check_range;
use crate::progress::Progress;
use crate::services::Services;
use crate::solution_policy::SolutionPolicy;
use crate::view::thousands;

/// Rates candidates.
pub trait Rater {
    /// Number of problems or positions.
    fn positions(&self) -> usize;

    /// Number of random seeds with which each of them is searched.
    fn seeds(&self) -> usize;

    /// Rates a candidate under this name, or reads it from the cache.
    fn rate(
        &mut self,
        name: &str,
        candidate: &Candidate,
        services: &Services,
        progress: &Progress,
    ) -> Result<Rating, RunError>;
}

/// The positions on which candidates are rated, and who judges. Stored with the run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GradedFitness {
    /// The graded suite's name.
    pub suite_name: String,
    /// The graded suite.
    pub suite: String,
    /// The player who values moves.
    pub judge: String,
    /// Its node limit.
    pub judge_nodes: u64,
}

/// Rates players by the moves that they choose in the positions of a graded suite. A player first searches the positions
/// in which it moved before, so that its transposition table is as warm as in a game.
#[derive(Clone, Debug)]
pub struct GradedRater {
    game: &'static GameInfo,
    settings: Settings,
    suite: GradedSuite,
    judge: Judge,
    nodes: u64,
    seeds: Vec<u64>,
}

/// Rates candidates by the problems of a suite.
pub struct ProblemRater<'a> {
    session: &'a mut Session,
    nodes: u64,
    seeds: Vec<u64>,
}

/// The most seeds. An interval over more says nothing new.
const MOST_SEEDS: u64 = 100;
/// Nodes of the judge for each node of a player, if the suite does not name a judge.
const JUDGE_FACTOR: u64 = 10;
/// Positions that are searched at once.
const BLOCK: usize = 100;

impl GradedFitness {
    /// Positions with the judge that they name. If none does, it is `modern` with ten times the nodes of the players.
    pub fn new(suite: &GradedSuite, nodes: u64) -> GradedFitness {
        let usual = || Judge { player: "modern".to_string(), nodes: nodes.saturating_mul(JUDGE_FACTOR) };
        let Judge { player, nodes } = suite.judge().cloned().unwrap_or_else(usual);
        GradedFitness {
            suite_name: suite.name.clone(),
            suite: graded::print(suite, ""),
            judge: player,
            judge_nodes: nodes,
        }
    }

    /// The positions.
    pub fn read(&self, game: &GameInfo) -> Result<GradedSuite, RunError> {
        graded::parse(game, &self.suite_name, &self.suite)
            .map_err(|error| RunError::input(format!("{}:{error}", self.suite_name)))
    }

    /// The judge in words.
    pub fn judge_text(&self) -> String {
        format!("{}, {} nodes", self.judge, thousands(self.judge_nodes))
    }
}

impl GradedRater {
    /// Rates configurations of the built-in engine of an experiment, with its node limit, and as many seeds from its own on.
    pub fn new(experiment: &Experiment, graded: &GradedFitness, seeds: u32) -> Result<GradedRater, RunError> {
        let EngineChoice::BuiltIn(settings) = experiment.engine else {
            return Err(RunError::input(
                "moves in graded positions are rated for built-in engines only; `plysmith screen` compares UCI engines",
            ));
        };
        let game = games::find(&experiment.game)?;
        check_range("node limit of the judge", graded.judge_nodes, 1..=u64::MAX)?;
        let judge = Judge { player: graded.judge.clone(), nodes: graded.judge_nodes };
        Participant::parse_stored(game, &judge.player).map_err(RunError::input)?;
        let seeds = seed_list(experiment.seed, seeds)?;
        Ok(GradedRater { game, settings, suite: graded.read(game)?, judge, nodes: experiment.nodes, seeds })
    }

    /// The positions.
    pub fn suite(&self) -> &GradedSuite {
        &self.suite
    }

    /// This rater with some of the positions only.
    #[must_use]
    pub fn restricted(&self, is_wanted: impl Fn(&str) -> bool) -> GradedRater {
        let wanted = self.suite.positions.iter().filter(|position| is_wanted(&position.id));
        let positions = wanted.cloned().collect();
        GradedRater { suite: GradedSuite { name: self.suite.name.clone(), positions }, ..self.clone() }
    }

    /// Rates a player, or reads it from the cache.
    pub fn rate_player(
        &self,
        name: &str,
        player: BuiltInPlayer,
        services: &Services,
        progress: &Progress,
    ) -> Result<Rating, RunError> {
        let judge = Participant::parse_stored(self.game, &self.judge.player).map_err(RunError::input)?;
        let choosers = [Chooser::new(self.game, player.into())?, Chooser::new(self.game, judge)?];
        let mut answers: Vec<Vec<Answer>> = Vec::new();
        for seed in &self.seeds {
            answers.push(self.answers(&choosers, *seed, services, progress)?);
            progress.finish_part(self.suite.positions.len() as u64);
        }
        let samples = answers.iter().map(|row| row.iter().map(|answer| Some(Sample::of_answer(answer))).collect());
        Ok(Rating { samples: samples.collect(), finding: finding(name.to_string(), &answers, &self.suite) })
    }

    fn answers(
        &self,
        choosers: &[Chooser],
        seed: u64,
        services: &Services,
        progress: &Progress,
    ) -> Result<Vec<Answer>, RunError> {
        let GradedRater { game, suite, judge, nodes, .. } = self;
        let examination = Examination { game, suite, judge, nodes: *nodes, seeds: &[seed] };
        let mut examiner = Examiner::new(examination, choosers, UciTimeouts::default(), services)?;
        let (mut answers, count) = (Vec::new(), suite.positions.len());
        for first in (0..count).step_by(BLOCK) {
            let block = first..(first + BLOCK).min(count);
            for row in examiner.examine(block.clone(), Judging::All, services)? {
                let answer = row.into_iter().next().flatten();
                answers.push(answer.ok_or_else(|| RunError::failed("a built-in player did not choose a move"))?);
            }
            progress.set_part_done(block.end as u64);
        }
        Ok(answers)
    }
}

impl Rater for GradedRater {
    fn positions(&self) -> usize {
        self.suite.positions.len()
    }

    fn seeds(&self) -> usize {
        self.seeds.len()
    }

    fn rate(
        &mut self,
        name: &str,
        candidate: &Candidate,
        services: &Services,
        progress: &Progress,
    ) -> Result<Rating, RunError> {
        let Candidate::Scheme(scheme) = candidate else {
            return Err(RunError::input(format!(
                "'{name}' is not a scheme; moves in graded positions are rated for schemes of features"
            )));
        };
        let player = BuiltInPlayer::new(self.settings, scheme.clone());
        self.rate_player(name, player, services, progress)
    }
}

impl<'a> ProblemRater<'a> {
    /// Rates candidates of the engine of an experiment, whose session this is, with as many seeds from its own on.
    pub fn new(experiment: &Experiment, session: &'a mut Session, seeds: u32) -> Result<ProblemRater<'a>, RunError> {
        Ok(ProblemRater { session, nodes: experiment.nodes, seeds: seed_list(experiment.seed, seeds)? })
    }
}

impl Rater for ProblemRater<'_> {
    fn positions(&self) -> usize {
        self.session.problems()
    }

    fn seeds(&self) -> usize {
        self.seeds.len()
    }

    fn rate(
        &mut self,
        name: &str,
        candidate: &Candidate,
        services: &Services,
        progress: &Progress,
    ) -> Result<Rating, RunError> {
        let (mut samples, mut finding): (_, Option<Finding>) = (Vec::new(), None);
        for seed in &self.seeds {
            self.session.runner.set_seed(*seed);
            let measurement = self.session.measure(candidate, None, progress, services)?;
            progress.finish_part(self.session.problems() as u64);
            let attempts = measurement.attempts.iter();
            samples.push(attempts.map(|attempt| Sample::of_attempt(attempt, self.nodes)).collect());
            match &mut finding {
                Some(finding) => finding.nodes = finding.nodes.saturating_add(measurement.nodes()),
                None => {
                    let first = self.session.finding(name.to_string(), &measurement);
                    finding = Some(first.with_best_moves(&measurement, self.session.runner.suite()));
                }
            }
        }
        let finding = finding.ok_or_else(|| RunError::input("there is no seed to measure with"))?;
        Ok(Rating { samples, finding })
    }
}

/// Fails if candidates of an experiment cannot be rated by a fitness, on a graded suite if there is one.
pub fn check(
    fitness: Option<&FitnessChoice>,
    graded: Option<&GradedFitness>,
    experiment: &Experiment,
) -> Result<(), RunError> {
    if let Some(graded) = graded {
        GradedRater::new(experiment, graded, 1)?;
    }
    let Some(fitness) = fitness else { return Ok(()) };
    match (fitness.suite(), graded) {
        (SuiteKind::Problems, Some(_)) => {
            Err(RunError::input(format!("the fitness '{fitness}' is measured on problems, not on a graded suite")))
        }
        (SuiteKind::Graded, None) => Err(RunError::input(format!(
            "the fitness '{fitness}' is measured on a graded suite; name one with --graded"
        ))),
        _ if fitness.needs_solution_nodes() && experiment.policy()? == SolutionPolicy::Watched(Policy::End) => {
            Err(RunError::input(format!(
                "--policy end counts all nodes of a search, so the fitness '{fitness}' would be the same for all; --policy \
                 stable solves the same problems and counts the nodes to the solution"
            )))
        }
        _ => Ok(()),
    }
}

/// Seeds from this one on.
/// The seeds of an interval over seeds.
pub(crate) fn seed_list(first: u64, count: u32) -> Result<Vec<u64>, RunError> {
    check_range("number of seeds", count.into(), 1..=MOST_SEEDS)?;
    Ok((0..u64::from(count)).map(|number| first.wrapping_add(number)).collect())
}

/// What is stored of a player: the positions in which it has no regret count as solved.
fn finding(feature: String, answers: &[Vec<Answer>], suite: &GradedSuite) -> Finding {
    let first: &[Answer] = answers.first().map_or(&[], Vec::as_slice);
    let has_none = |answer: &Answer| answer.regret.unwrap_or_default() <= 0.0;
    let solved = suite.positions.iter().zip(first).filter(|(_, answer)| has_none(answer));
    let solved_ids: Vec<String> = solved.map(|(position, _)| position.id.clone()).collect();
    let all = || answers.iter().flatten();
    let sum = |count: &dyn Fn(&Answer) -> u64| all().fold(0_u64, |sum, answer| sum.saturating_add(count(answer)));
    let features = all().map(|answer| answer.fired.len()).max().unwrap_or(0);
    let moves = sum(&|answer| answer.moves).max(1) as f64;
    let fired = |index: usize| sum(&|answer| answer.fired.get(index).copied().unwrap_or(0));
    Finding {
        feature,
        solved: Some(solved_ids.len() as u32),
        best_moves: None,
        tried: first.len(),
        nodes: sum(&|answer| answer.nodes),
        mean_depth: 0.0,
        mean_height: 0.0,
        frequencies: (0..features).map(|index| fired(index) as f64 / moves).collect(),
        solved_ids,
        excluded: Vec::new(),
        policy: None,
    }
}
