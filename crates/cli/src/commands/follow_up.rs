//! What comes after a discovery: the weights of the best features are tuned, and games tell whether they win.
//!
//! Gradual Focus gives every feature the same fractional-ply value, and so misses some (thesis, chapter 5: open problems).
//! Discovery can try several values for each feature; here the best features get values of their own, all together,
//! and each proves itself in a match against the search without features.

use std::num::NonZeroUsize;

use clap::{Args, value_parser};
use plysmith_core::games;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::player::Participant;
use serde::{Deserialize, Serialize};

use super::contest::{PlayConfig, Stage, Summary};
use super::subject;
use super::tune::{self, LearningArguments, Session, Tuned};
use crate::failure::Failure;
use crate::journal::Journal;
use crate::output::{percent, table, thousands};
use crate::progress;
use crate::workbench::Experiment;

/// What to do with the best features.
#[derive(Debug, Args)]
pub struct FollowUpArguments {
    /// Then learn a weight for each of the best features, all together
    #[arg(long)]
    then_tune: bool,

    /// Then let each of the best features, and what was tuned, play so many games against none
    #[arg(long, value_name = "GAMES", value_parser = value_parser!(u64).range(2..))]
    prove: Option<u64>,

    /// How many of the best features are tuned or proven
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u32).range(1..=16))]
    best: u32,

    /// Iterations of tuning
    #[arg(long, value_name = "N", default_value_t = 12, requires = "then_tune",
          value_parser = value_parser!(u32).range(1..=100_000))]
    tune_iterations: u32,

    /// Nodes a move in the games of --prove
    #[arg(long, value_name = "N", default_value_t = 50_000, requires = "prove", value_parser = value_parser!(u64).range(1..))]
    prove_nodes: u64,
}

/// The same as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FollowUp {
    pub best: usize,
    /// Iterations, if weights are tuned.
    pub tune: Option<u32>,
    /// Games and nodes a move, if they are proven.
    pub prove: Option<(u64, u64)>,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Followed {
    pub tuned: Option<Tuned>,
    /// A match of each against the search without features.
    pub proofs: Vec<Summary>,
    /// Nodes a move in them.
    pub proof_nodes: u64,
}

/// Random plies that games begin with.
const OPENING_PLIES: u32 = 4;

impl FollowUpArguments {
    /// What is to be done, if anything.
    pub fn resolve(&self) -> Result<Option<FollowUp>, Failure> {
        if let Some(games) = self.prove.filter(|games| !games.is_multiple_of(2)) {
            return Err(Failure::input(format!("{games} games are not whole pairs; try --prove {}", games + 1)));
        }
        let tune = self.then_tune.then_some(self.tune_iterations);
        let prove = self.prove.map(|games| (games, self.prove_nodes));
        Ok((tune.is_some() || prove.is_some()).then_some(FollowUp { best: self.best as usize, tune, prove }))
    }
}

impl FollowUp {
    /// Does it with these features, each written as a scheme of its own, the best first.
    pub fn perform(
        &self,
        experiment: &Experiment,
        schemes: &[String],
        journal: &Journal,
        threads: Option<NonZeroUsize>,
    ) -> Result<Followed, Failure> {
        let best = &schemes[..schemes.len().min(self.best)];
        let tuned = match self.tune {
            Some(iterations) if !best.is_empty() => Some(tune(experiment, best, iterations, (journal, threads))?),
            _ => None,
        };
        let mut candidates = best.to_vec();
        candidates.extend(tuned.as_ref().and_then(|tuned| tuned.setting.scheme.clone()));
        candidates.dedup();
        let (games, proof_nodes) = self.prove.unwrap_or((0, 0));
        let proofs = match self.prove {
            Some(_) => prove(experiment, &candidates, (games, proof_nodes), (journal, threads))?,
            None => Vec::new(),
        };
        Ok(Followed { tuned, proofs, proof_nodes })
    }
}

fn tune(
    experiment: &Experiment,
    schemes: &[String],
    iterations: u32,
    (journal, threads): (&Journal, Option<NonZeroUsize>),
) -> Result<Tuned, Failure> {
    let parameters = subject::features(games::find(&experiment.game)?, &schemes.join(","))?;
    let learning = LearningArguments { iterations, ..LearningArguments::default() };
    let config = learning.config(experiment.clone(), parameters, Default::default())?;
    let mut session = Session::set_up(&config, threads)?;
    let progress = progress::begin(1);
    progress.note("tuning the best features:");
    tune::learn(&config, &mut session, journal, &progress)
}

fn prove(
    experiment: &Experiment,
    schemes: &[String],
    (games, nodes): (u64, u64),
    (journal, threads): (&Journal, Option<NonZeroUsize>),
) -> Result<Vec<Summary>, Failure> {
    let game = games::find(&experiment.game)?;
    let plan = OpeningPlan { start: (game.start)(&Default::default())?, plies: OPENING_PLIES, seed: experiment.seed };
    let progress = progress::begin(games * schemes.len() as u64);
    let mut stage = Stage::set(&PlayConfig::new(game.name, nodes, games, plan), threads)?;
    let plain = Participant::parse(game, &experiment.preset)?;
    let mut proofs = Vec::new();
    for (number, scheme) in schemes.iter().enumerate() {
        let player = Participant::parse(game, &format!("{}+{scheme}", experiment.preset))?;
        let (tally, _) = stage.play(number, [&player, &plain], None, journal, &progress)?;
        progress.finish_part(games);
        proofs.push(Summary::new(player.print(game), plain.print(game), &tally));
    }
    Ok(proofs)
}

impl Followed {
    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Some(tuned) = &self.tuned {
            text += &format!(
                "\nThe best features tuned together. They were found on all problems, so held-out ones are not quite new to \
                 them.\n\n{}",
                tuned.text(false)
            );
        }
        if let Some(first) = self.proofs.first() {
            let rows = self.proofs.iter().map(|proof| {
                vec![
                    proof.a.clone(),
                    proof.games.to_string(),
                    format!("+{} ={} -{}", proof.wins, proof.draws, proof.losses),
                    percent(proof.score),
                    format!("± {:.2}", 100.0 * proof.plain_interval),
                    proof.elo.map_or("–".to_string(), |elo| elo.text()),
                ]
            });
            text += &format!(
                "\nIn games against {} ({} nodes a move):\n\n{}",
                first.b,
                thousands(self.proof_nodes),
                table(&["player", ">games", "results", ">score", "95 %", "Elo"], rows)
            );
        }
        text
    }
}
