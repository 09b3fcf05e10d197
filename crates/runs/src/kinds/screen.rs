//! `screen`: which of two players chooses better moves, on a graded suite.
//!
//! Both players choose a move in every position, with the node limit of the games that one would play. Where the moves
//! differ, a judge values both. The mean difference of their regrets is tested as positions come, with an error rate that
//! holds at all times at once, and the run ends as soon as its sign is known.

use std::num::NonZeroU64;

use plysmith_core::games::{self, GameInfo};
use plysmith_core::suite::graded::{self, GradedSuite, Judge};
use plysmith_engine::player::Participant;
use plysmith_engine::uci::client::UciTimeouts;
use plysmith_learn::stats::{EloModel, ErrorRates, Hypotheses, Sprt};
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::calibration::{CalibratedLevel, Calibration};
use crate::chart::{Bar, Bars, Figure};
use crate::choice::Chooser;
use crate::error::RunError;
use crate::examiner::{Answer, Examination, Examiner, Judging};
use crate::external_engine::patience_of;
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind, check_range};
use crate::screening::{BLOCK, RegretTest, Verdict};
use crate::services::Services;
use crate::view::{View, counted, thousands};

/// The run kind.
pub struct Screen;

/// Who is compared, and on what.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The game's name.
    pub game: String,
    /// The suite's name.
    pub suite_name: String,
    /// The whole suite, so that a run does not depend on a file.
    pub suite: String,
    /// The first player.
    pub a: String,
    /// The second player.
    pub b: String,
    /// Node limit of each search of a player.
    pub nodes: u64,
    /// The player who values moves.
    pub judge: String,
    /// Its node limit.
    pub judge_nodes: u64,
    /// The probability of a wrong sign, at most.
    pub error: f64,
    /// Random seed of the first player.
    pub seed: u64,
    /// Random seed of the second player.
    pub seed_b: u64,
    /// The seconds in which a search of an external engine has to make progress, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<NonZeroU64>,
    /// What differences on the suite are worth in games, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// Both players chose in a position.
    Comparison(Comparison),
}

/// What both players chose in a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The position's name.
    pub id: String,
    /// The first player's move; none if it failed.
    pub a: Option<String>,
    /// The second player's move; none if it failed.
    pub b: Option<String>,
    /// What the first player's move costs, if the moves differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret_a: Option<f64>,
    /// What the second player's move costs, if the moves differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret_b: Option<f64>,
}

/// The result of a screening.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Screened {
    /// The first player.
    pub a: String,
    /// The second player.
    pub b: String,
    /// What was found.
    pub verdict: Verdict,
    /// Positions that were looked at.
    pub positions: usize,
    /// Those in which the moves differ.
    pub different: usize,
    /// Those in which a player failed; they do not count.
    pub excluded: usize,
    /// How much less the first player's moves cost, per position: expected results from 0 to 1.
    pub difference: f64,
    /// The end of the interval that holds at all times; none if there are too few differences.
    pub low: Option<f64>,
    /// Its other end.
    pub high: Option<f64>,
    /// Nodes of the players.
    pub nodes: [u64; 2],
    /// Nodes of the judge.
    pub judge_nodes: u64,
    /// What the difference is worth in games; none if the suite has not been calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<GamesEstimate>,
}

/// What a difference in regret is worth in games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GamesEstimate {
    /// Elo of the first player: the best estimate, then an interval from both the difference and the calibration.
    pub elo: [f64; 3],
    /// Games that a sequential test of 0 against 10 normalized Elo would need for such a difference, about.
    pub sprt_games: u64,
    /// Nodes of these games.
    pub sprt_nodes: u64,
    /// Variants of the calibration that a screening tells from their base.
    pub clear: u32,
    /// Those of them whose games had the same sign.
    pub right: u32,
    /// The node limit of the calibration.
    #[serde(default)]
    pub calibrated_nodes: u64,
}

/// What a run needs.
pub struct Prepared {
    game: &'static GameInfo,
    suite: GradedSuite,
    judge: Judge,
    /// The players, then the judge.
    choosers: Vec<Chooser>,
}

impl Config {
    fn judge(&self) -> Judge {
        Judge { player: self.judge.clone(), nodes: self.judge_nodes }
    }

    fn players(&self) -> Result<Vec<Participant>, RunError> {
        let game = games::find(&self.game)?;
        let parse = |text| Participant::parse_stored(game, text).map_err(RunError::input);
        [&self.a, &self.b, &self.judge].into_iter().map(|text| parse(text)).collect()
    }

    /// The evaluation that the judge shares with just one of the players, in words: then it takes that player's side.
    fn warning(&self, prepared: &Prepared) -> Option<String> {
        let heuristic = |chooser: &Chooser| chooser.player().built_in().map(|player| player.settings.heuristic);
        let [a, b, judge] = [0, 1, 2].map(|index| heuristic(&prepared.choosers[index]));
        let shared =
            [(&self.a, a, b), (&self.b, b, a)].into_iter().find(|(_, own, other)| own != other && *own == judge);
        let (player, ..) = shared.filter(|_| judge.is_some())?;
        Some(format!(
            "the players evaluate positions differently, and the judge evaluates as {player} does: it favours that \
             player. Name an independent judge, like --judge uci:stockfish"
        ))
    }
}

impl RunKind for Screen {
    const NAME: &'static str = "screen";
    type Config = Config;
    type Event = Event;
    type Output = Screened;
    type Prepared = Prepared;

    fn identity(config: &Config) -> Identity {
        Identity { game: config.game.clone(), seed: config.seed }
    }

    fn basis(config: &Config) -> Vec<Part> {
        let part = |player: &Participant| if player.built_in().is_some() { Part::Search } else { Part::External };
        config.players().map_or(vec![Part::Search], |players| players.iter().map(part).collect())
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        check_range("node limit", config.nodes, 1..=u64::MAX)?;
        check_range("node limit of the judge", config.judge_nodes, 1..=u64::MAX)?;
        if !(config.error > 0.0 && config.error <= 0.5) {
            let error = config.error;
            return Err(RunError::input(format!("{error} is not a possible error rate; expected one like 0.05")));
        }
        Ok(())
    }

    fn prepare(config: &Config, services: &Services) -> Result<Prepared, RunError> {
        let game = games::find(&config.game)?;
        let suite = graded::parse(game, &config.suite_name, &config.suite)
            .map_err(|error| RunError::input(format!("{}:{error}", config.suite_name)))?;
        let choosers = config.players()?.into_iter().map(|player| Chooser::new(game, player));
        let prepared = Prepared { game, suite, judge: config.judge(), choosers: choosers.collect::<Result<_, _>>()? };
        if let Some(warning) = config.warning(&prepared) {
            services.note(format!("warning: {warning}"));
        }
        Ok(prepared)
    }

    fn run(config: &Config, prepared: Prepared, context: &mut Context<Screen>) -> Result<Screened, RunError> {
        let Prepared { game, suite, judge, choosers } = &prepared;
        let services = context.services().clone();
        let seeds = [config.seed, config.seed_b];
        let examination = Examination { game, suite, judge, nodes: config.nodes, seeds: &seeds };
        let timeouts = UciTimeouts::with_patience(patience_of(config.patience));
        let mut examiner = Examiner::new(examination, choosers, timeouts, &services)?;
        let count = suite.positions.len();
        let progress = services.begin_progress(count as u64);
        let mut test = RegretTest::new(config.error, count);
        let (mut excluded, mut nodes, mut positions) = (0, [0; 2], 0);
        while positions < count && test.verdict() == Verdict::CannotTell {
            let block = positions..(positions + BLOCK).min(count);
            let different = test.observed().nonzero() as usize;
            progress.message(format!("{} with different moves", counted(different, "position")));
            let answers = examiner.examine(block.clone(), Judging::Differences, &services)?;
            for (place, row) in block.zip(answers) {
                let [a, b] = [0, 1].map(|player| row[player].clone());
                match [&a, &b].map(|answer| answer.as_ref().and_then(|answer| answer.regret)) {
                    _ if a.is_none() || b.is_none() => excluded += 1,
                    [Some(a), Some(b)] => test.add(b - a),
                    _ => test.add(0.0),
                }
                nodes = [0, 1].map(|player| nodes[player] + row[player].as_ref().map_or(0, |answer| answer.nodes));
                context.record(Event::Comparison(Comparison::new(&suite.positions[place].id, a, b)))?;
                positions = place + 1;
            }
            progress.set_part_done(positions as u64);
        }
        let (observed, interval) = (*test.observed(), test.interval());
        let calibration = config.calibration.as_ref().filter(|_| interval.low.is_finite());
        let level = calibration.and_then(|calibration| calibration.nearest(config.nodes));
        let games =
            level.map(|level| GamesEstimate::new(level, [observed.mean(), interval.low, interval.high], config.nodes));
        Ok(Screened {
            a: config.a.clone(),
            b: config.b.clone(),
            verdict: test.verdict(),
            positions,
            different: observed.nonzero() as usize,
            excluded,
            difference: observed.mean(),
            low: Some(interval.low).filter(|low| low.is_finite()),
            high: Some(interval.high).filter(|high| high.is_finite()),
            nodes,
            judge_nodes: examiner.judge_nodes,
            games,
        })
    }

    fn view(config: &Config, screened: &Screened) -> View {
        let Config { a, b, nodes, judge, judge_nodes, suite_name, .. } = config;
        let (nodes, judge_nodes) = (thousands(*nodes), thousands(*judge_nodes));
        View::new()
            .text(format!(
                "{a} against {b} on {suite_name} ({}, {nodes} nodes per move; judge: {judge}, {judge_nodes} nodes):\n\n",
                config.game
            ))
            .text(screened.text(config.error))
    }

    fn headline(_: &Config, screened: &Screened) -> Headline {
        let verdict = match screened.verdict {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::CannotTell => "cannot tell",
        };
        Headline::of(format!("{verdict}, regret {:+.4}", -screened.difference), "gain", screened.difference)
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        let different = events.iter().filter(|Event::Comparison(comparison)| comparison.a != comparison.b).count();
        View::new().text(format!("{} positions so far, {different} with different moves\n", events.len()))
    }

    fn page(
        config: &Config,
        output: Option<&Screened>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let view = output.map_or_else(|| Screen::partial_view(config, &events), |output| Screen::view(config, output));
        Ok(if events.is_empty() { view } else { view.figure(who_chose_better(config, &events)) })
    }

    fn rows(_: &Config) -> Rows {
        Rows { event: "comparison", columns: &["id", "a", "b", "regret_a", "regret_b"] }
    }
}

/// In how many positions which player chose better.
fn who_chose_better(config: &Config, events: &[Event]) -> Figure {
    let (mut same, mut first, mut second, mut other) = (0.0, 0.0, 0.0, 0.0);
    for Event::Comparison(comparison) in events {
        let count = match (comparison.a == comparison.b, comparison.regret_a, comparison.regret_b) {
            (true, ..) => &mut same,
            (false, Some(a), Some(b)) if a < b => &mut first,
            (false, Some(a), Some(b)) if b < a => &mut second,
            _ => &mut other,
        };
        *count += 1.0;
    }
    let bar = |name: String, value: f64, ink: usize| Bar { ink, ..Bar::new(name, value) };
    let bars = vec![
        bar(format!("{} chose better", config.a), first, 2),
        bar(format!("{} chose better", config.b), second, 1),
        bar("different moves of one value".to_string(), other, 5),
        bar("the same move".to_string(), same, 6),
    ];
    Figure::Bars(Bars { title: "Who chose better, by positions".to_string(), unit: "positions".to_string(), bars })
}

impl Comparison {
    fn new(id: &str, a: Option<Answer>, b: Option<Answer>) -> Comparison {
        let [regret_a, regret_b] = [&a, &b].map(|answer| answer.as_ref().and_then(|answer| answer.regret));
        let [a, b] = [a, b].map(|answer| answer.map(|answer| answer.m));
        Comparison { id: id.to_string(), a, b, regret_a, regret_b }
    }
}

impl GamesEstimate {
    /// The estimate for a difference with its interval, at this node limit.
    fn new(level: &CalibratedLevel, [difference, low, high]: [f64; 3], nodes: u64) -> GamesEstimate {
        let CalibratedLevel { elo_per_regret: [slope, least, most], verdicts, right, plies, .. } = *level;
        let ends = [low * least, low * most, high * least, high * most];
        let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let elo = difference * slope;
        let sprt_games = expected_games(elo);
        let sprt_nodes = (sprt_games as f64 * plies * nodes as f64) as u64;
        let calibrated_nodes = level.nodes;
        GamesEstimate { elo: [elo, low, high], sprt_games, sprt_nodes, clear: verdicts, right, calibrated_nodes }
    }

    fn text(&self, verdict: Verdict) -> String {
        let GamesEstimate { elo: [elo, low, high], sprt_games, sprt_nodes, clear, right, calibrated_nodes } = self;
        // How often verdicts were right says nothing of a comparison without one.
        let trust = match verdict {
            Verdict::CannotTell => String::new(),
            _ => format!(
                "trust       of {clear} variants with a verdict in the calibration, {right} had games of the same sign\n"
            ),
        };
        format!(
            "in games    {elo:+.0} Elo [{low:+.0}, {high:+.0}] by the slope at {} nodes per move\n{trust}\
             a match     SPRT of 0 against 10 nElo: about {} games, {} nodes\n",
            thousands(*calibrated_nodes),
            thousands(*sprt_games),
            thousands(*sprt_nodes),
        )
    }
}

/// Games that a sequential test of 0 against 10 normalized Elo with error rates of 5 % takes at an Elo difference, about.
fn expected_games(elo: f64) -> u64 {
    let test = Sprt::new(EloModel::Normalized, Hypotheses { elo0: 0.0, elo1: 10.0 }, ErrorRates::default());
    // Normalized and logistic Elo are about equal with few draws. A loss is told as soon as the same gain.
    test.map_or(0, |test| test.expected_games(elo.abs()).0.round() as u64)
}

impl Screened {
    fn text(&self, error: f64) -> String {
        let Screened { a, b, positions, different, excluded, nodes: [a_nodes, b_nodes], .. } = self;
        let excluded = match excluded {
            0 => String::new(),
            count => format!("; {count} do not count, because an engine failed there"),
        };
        let interval = match (self.low, self.high) {
            (Some(low), Some(high)) => format!("[{low:+.4}, {high:+.4}]"),
            _ => "unknown: there are too few different moves".to_string(),
        };
        let percent = 100.0 * error;
        let verdict = match self.verdict {
            Verdict::Better => format!("better: the moves of {a} cost less than those of {b}"),
            Verdict::Worse => format!("worse: the moves of {a} cost more than those of {b}"),
            Verdict::CannotTell => "cannot tell: the suite is too small for the difference".to_string(),
        };
        let [players, judge] = [a_nodes + b_nodes, self.judge_nodes].map(thousands);
        let games = self.games.as_ref().map_or(String::new(), |games| games.text(self.verdict));
        format!(
            "positions   {positions}, {different} with different moves{excluded}\n\
             difference  {:+.4} expected points per move in favour of {a}\n\
             interval    {interval}   (holds at all times with {:.0} %)\n\
             verdict     {verdict} (error rate {percent:.0} %)\n\
             nodes       {players} of the players, {judge} of the judge\n{games}",
            self.difference,
            100.0 - percent,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{GamesEstimate, Verdict, expected_games};
    use crate::calibration::CalibratedLevel;

    #[test]
    fn games_are_estimated_by_slope_and_both_intervals() {
        let level = CalibratedLevel {
            nodes: 2_000,
            variants: 40,
            spearman: [0.8, 0.6, 0.9],
            elo_per_regret: [5_000.0, 4_000.0, 6_000.0],
            verdicts: 20,
            right: 18,
            plies: 60.0,
        };
        let estimate = GamesEstimate::new(&level, [0.01, -0.002, 0.02], 1_000);
        assert_eq!(estimate.elo, [50.0, -12.0, 120.0]);
        assert_eq!(estimate.sprt_nodes, estimate.sprt_games * 60_000);
        assert!(estimate.text(Verdict::Better).contains("of 20 variants with a verdict in the calibration, 18 had"));
        assert!(!estimate.text(Verdict::CannotTell).contains("trust"));
    }

    /// A match at these hypotheses that ended at +183 Elo took 230 games (docs/experiments.md).
    #[test]
    fn small_differences_take_more_games() {
        let games = [0.0, 5.0, 20.0, 80.0, 180.0].map(expected_games);
        assert!((150..400).contains(&games[4]) && (300..1000).contains(&games[3]), "{games:?}");
        assert!(games[2] > games[3] && games[1] > games[2], "{games:?}");
    }
}
