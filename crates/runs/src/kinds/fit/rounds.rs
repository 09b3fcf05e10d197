//! The rounds of a fit: self-play, regression, gate match.

use std::slice::{from_mut, from_ref};

use plysmith_core::feature::Scheme;
use plysmith_core::games::GameInfo;
use plysmith_core::random::derive_seed;
use plysmith_core::settings::{Heuristic, Settings, Switches};
use plysmith_core::training::TrainingPlan;
use plysmith_core::weights::WeightFile;

use super::config::Config;
use super::fitting::{FitJob, FitWorker, Fitted, REVISION};
use super::gate::Gate;
use super::samples::{RoundGames, Sampling};
use super::{Event, Fit, FitEvent, FitResult, Prepared, RoundRow, SelfPlayed};
use crate::error::RunError;
use crate::kind::Context;
use crate::progress::{Progress, Update};
use crate::self_play::SelfPlay;

/// A run at work.
pub struct Rounds<'a> {
    config: &'a Config,
    game: &'static GameInfo,
    prepared: &'a Prepared,
    sampling: Sampling<'a>,
    gate: Gate,
    /// The player of the next round.
    incumbent: Incumbent,
    /// The games that the next fit may use, the oldest first.
    kept: Vec<RoundGames>,
    rows: Vec<RoundRow>,
    progress: &'a Progress,
}

/// The best player so far.
struct Incumbent {
    settings: Settings,
    /// The round that its weights are from; 0 for the first player.
    round: u32,
    weights: Option<WeightFile>,
}

/// Number of steps of the progress bar: games.
pub fn steps(config: &Config) -> u64 {
    let self_play: u64 = (1..=config.rounds).map(|round| config.games_of(round)).sum();
    self_play + (u64::from(config.rounds) + 1) * config.gate_games
}

impl<'a> Rounds<'a> {
    /// Before the first round.
    pub fn new(
        config: &'a Config,
        prepared: &'a Prepared,
        context: &Context<Fit>,
        progress: &'a Progress,
    ) -> Result<Rounds<'a>, RunError> {
        let Prepared { game, start, first_player, .. } = prepared;
        let cancel = context.services().cancel.clone();
        progress.message("looking for openings");
        let gate = Gate::new(config, game, &**start, *first_player, &|| cancel.is_cancelled())?;
        let sampling = Sampling {
            start: &**start,
            rules: &game.training,
            most: config.samples,
            blend: config.blend,
            seed: config.seed,
            cancel: cancel.clone(),
        };
        let incumbent = Incumbent { settings: *first_player, round: 0, weights: None };
        Ok(Rounds { config, game, prepared, sampling, gate, incumbent, kept: Vec::new(), rows: Vec::new(), progress })
    }

    /// Plays a round, which is counted from 1, with the best weights so far.
    pub fn round(&mut self, round: u32, context: &mut Context<Fit>) -> Result<(), RunError> {
        let played = self.self_play(round, context)?;
        context.record(Event::SelfPlay(played.clone()))?;
        let (weights, fitted) = self.fit(round, context)?;
        let loaded = self.game.load_weights(&weights, "").map_err(RunError::failed)?;
        let fit = FitEvent::new(round, &fitted, loaded.key());
        context.record(Event::Fit(fit.clone()))?;
        let challenger = self.incumbent.settings.with_heuristic(Heuristic::Loaded(loaded));
        let summary = self.gate.play(round - 1, [challenger, self.incumbent.settings], context, self.progress)?;
        self.progress.finish_part(self.config.gate_games);
        let is_kept = summary.score > 0.5;
        let row = RoundRow::new(&played, &fit, &summary, self.incumbent.round, is_kept);
        self.progress.note(row.line());
        context.record(Event::Round(row.clone()))?;
        self.rows.push(row);
        if is_kept {
            self.incumbent = Incumbent { settings: challenger, round, weights: Some(weights) };
        }
        Ok(())
    }

    /// The last match, of the best player against the first.
    pub fn finish(mut self, context: &mut Context<Fit>) -> Result<(FitResult, Option<WeightFile>), RunError> {
        let Incumbent { settings, round, weights } = self.incumbent;
        let verdict = match round {
            0 => None,
            _ => {
                let players = [settings, self.prepared.first_player];
                Some(self.gate.play(self.config.rounds, players, context, self.progress)?)
            }
        };
        let key = weights.as_ref().map(|weights| format!("{:016x}", weights.key()));
        let result = FitResult { form: self.prepared.form.name(), rounds: self.rows, best: round, key, verdict };
        Ok((result, weights))
    }

    fn self_play(&mut self, round: u32, context: &Context<Fit>) -> Result<SelfPlayed, RunError> {
        let (config, settings) = (self.config, self.incumbent.settings);
        let (games, nodes) = (config.games_of(round), config.nodes_of(round));
        let plan = TrainingPlan {
            settings: Settings { switches: Switches { table_mib: TABLE_MIB, ..settings.switches }, ..settings },
            nodes,
            seed: derive_seed(config.seed, &format!("round {round}")),
            rules: self.game.training,
        };
        let self_play = SelfPlay { game: self.game, start: &*self.prepared.start, plan, games };
        self.progress.message(format!("round {round} of {}: self-play", config.rounds));
        let texts = self_play.play(context.services(), self.progress)?;
        self.progress.finish_part(games);
        let played = self.sampling.read_round(crate::job::Job::key(&self_play.job(0, games)), &texts)?;
        let event = SelfPlayed::new(round, nodes, self.incumbent.round, &played);
        self.kept.push(played);
        let extra = self.kept.len().saturating_sub(config.keep_rounds as usize);
        self.kept.drain(..extra);
        Ok(event)
    }

    fn fit(&self, round: u32, context: &Context<Fit>) -> Result<(WeightFile, Fitted), RunError> {
        let (config, game, form) = (self.config, self.game, self.prepared.form);
        let heuristic = self.incumbent.settings.heuristic;
        let job = FitJob {
            game: game.name.to_string(),
            form: form.name(),
            rounds: self.kept.iter().map(|round| round.key.clone()).collect(),
            incumbent: game.behaviour(&self.incumbent.settings, &Scheme::neutral()),
            samples: config.samples,
            blend: config.blend,
            regression: config.regression,
            seed: derive_seed(config.seed, &format!("fit {round}")),
            revision: REVISION,
        };
        let services = context.services();
        let show = |share: f64| {
            let text = format!("round {round} of {}: fitting, {:.0} %", config.rounds, 100.0 * share);
            services.progress.update(Update::Message(&text));
        };
        show(0.0);
        let interrupt = || services.cancel.is_cancelled();
        let executor = services.executor(&interrupt);
        let mut worker = FitWorker {
            game,
            form,
            sampling: &self.sampling,
            rounds: &self.kept,
            incumbent: heuristic,
            threads: services.threads,
            progress: &show,
        };
        let fitted = executor.run_all(from_ref(&job), from_mut(&mut worker), &|_| ())?;
        let fitted = fitted.into_iter().next().ok_or_else(|| RunError::failed("a fit has no result"))?;
        let file =
            WeightFile { game: job.game, form: job.form, made_by: config.command(), numbers: fitted.numbers.clone() };
        Ok((file, fitted))
    }
}

/// The table of self-play: small, because it is for a thousand nodes or so.
const TABLE_MIB: u32 = 1;
