//! `calibrate`: which measurement on positions predicts games?
//!
//! Variants of a player play matches against it, and choose moves on a graded suite. Rank correlations between results of
//! games and measurements show how far a measurement can be trusted, and the slope turns regret into Elo for `screen`.
//!
//! | file | what |
//! | --- | --- |
//! | `mod` | the run: configuration, events, result |
//! | `panel` | the default variants of a game |
//! | `analysis` | correlations and slope |

mod analysis;
pub mod panel;

use plysmith_core::games::{self, GameInfo};
use plysmith_core::suite::graded::{self, GradedSuite, Judge};
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::player::Participant;
use plysmith_engine::uci::client::UciTimeouts;
use plysmith_learn::stats::RunningMean;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::choice::Chooser;
use crate::error::RunError;
use crate::events::GameEvent;
use crate::examiner::{Examination, Examiner, Judging};
use crate::kind::{Context, Identity, Rows, RunKind, check_range};
use crate::play::{PairingPlan, PairingRunner, PlayConfig};
use crate::progress::Progress;
use crate::services::Services;
use crate::summary::{Range, Summary};
use crate::view::{Cell, Table, View, thousands};
pub use analysis::{Analysis, Measure};

/// The run kind.
pub struct Calibrate;

/// What to calibrate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// How games are played: the game, the node limit, which is also that of the measurements, games for each variant,
    /// openings and seed.
    pub play: PlayConfig,
    /// The player that all variants play.
    pub base: String,
    /// The variants.
    pub variants: Vec<String>,
    /// The graded suite's name.
    pub suite_name: String,
    /// The graded suite.
    pub suite: String,
    /// The player who values moves.
    pub judge: String,
    /// Its node limit.
    pub judge_nodes: u64,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A game of a variant was played.
    Game(GameEvent),
    /// A variant was measured, and its games are played.
    Variant(VariantRow),
}

/// What is known of a variant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct VariantRow {
    /// The variant.
    pub player: String,
    /// Its score against the base, from 0 to 1.
    pub score: f64,
    /// Its Elo difference to the base.
    pub elo: Option<Range>,
    /// Its mean regret.
    pub regret: f64,
    /// How much less regret it has than the base, and half the width of the 95 % interval of that.
    pub gain: f64,
    /// Half the width of the 95 % interval of the gain.
    pub gain_error: f64,
    /// The share of positions in which it plays the best known move.
    pub agreement: f64,
    /// Nodes of its games and those of its measurement.
    pub nodes: [u64; 2],
}

/// The result of a calibration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Calibrated {
    /// The mean regret of the base.
    pub base_regret: f64,
    /// The variants.
    pub variants: Vec<VariantRow>,
    /// How well measurements predict their games.
    pub analysis: Analysis,
}

/// What a run needs.
pub struct Prepared {
    game: &'static GameInfo,
    suite: GradedSuite,
    judge: Judge,
    /// The base, the variants, then the judge.
    choosers: Vec<Chooser>,
    runner: PairingRunner,
}

/// Positions that are searched at once.
const BLOCK: usize = 50;

impl Config {
    fn nodes(&self) -> Result<u64, RunError> {
        match self.play.move_limit {
            MoveLimit::Nodes(nodes) => Ok(nodes),
            MoveLimit::Time(_) => Err(RunError::input("a calibration needs a node limit")),
        }
    }
}

impl RunKind for Calibrate {
    const NAME: &'static str = "calibrate";
    type Config = Config;
    type Event = Event;
    type Output = Calibrated;
    type Prepared = Prepared;

    fn identity(config: &Config) -> Identity {
        config.play.identity()
    }

    fn basis(_: &Config) -> Vec<Part> {
        vec![Part::Search, Part::Games]
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.play.validate()?;
        check_range("node limit of the judge", config.judge_nodes, 1..=u64::MAX)?;
        check_range("number of variants", config.variants.len() as u64, 3..=1000)
    }

    fn prepare(config: &Config, _: &Services) -> Result<Prepared, RunError> {
        let game = games::find(config.play.game.name)?;
        let suite = graded::parse(game, &config.suite_name, &config.suite)
            .map_err(|error| RunError::input(format!("{}:{error}", config.suite_name)))?;
        let texts = [&config.base].into_iter().chain(&config.variants).chain([&config.judge]);
        let chooser =
            |text: &String| Chooser::new(game, Participant::parse_stored(game, text).map_err(RunError::input)?);
        let choosers = texts.map(chooser).collect::<Result<Vec<_>, _>>()?;
        if let Some(other) = choosers.iter().find(|chooser| chooser.player().built_in().is_none()) {
            let text = other.text();
            return Err(RunError::input(format!(
                "'{text}' is not a built-in player; a calibration needs built-in ones"
            )));
        }
        let judge = Judge { player: config.judge.clone(), nodes: config.judge_nodes };
        config.nodes()?;
        Ok(Prepared { game, suite, judge, choosers, runner: PairingRunner::new(&config.play)? })
    }

    fn run(config: &Config, mut prepared: Prepared, context: &mut Context<Calibrate>) -> Result<Calibrated, RunError> {
        let services = context.services().clone();
        let measured = measure(config, &prepared, &services)?;
        let progress = services.begin_progress(config.play.games * config.variants.len() as u64);
        let mut variants = Vec::new();
        for (number, text) in config.variants.iter().enumerate() {
            progress.message(format!("games of {text}"));
            let summary = play(config, &mut prepared, number, context, &progress)?;
            let row = VariantRow::new(text, &summary, &measured[0], &measured[number + 1]);
            context.record(Event::Variant(row.clone()))?;
            variants.push(row);
        }
        let analysis = Analysis::of(&variants, config.play.seed);
        Ok(Calibrated { base_regret: measured[0].regret(), variants, analysis })
    }

    fn view(config: &Config, calibrated: &Calibrated) -> View {
        let play = &config.play;
        View::new()
            .text(format!(
                "Variants of {} on {} and in games ({}, {}, {} games each; judge: {}, {} nodes):\n\n",
                config.base,
                config.suite_name,
                play.game.name,
                play.conditions(),
                play.games,
                config.judge,
                thousands(config.judge_nodes),
            ))
            .table(variant_table(&calibrated.variants))
            .text(calibrated.analysis.text())
    }

    fn partial_view(config: &Config, events: &[Event]) -> View {
        let rows: Vec<VariantRow> = events.iter().filter_map(Event::variant).cloned().collect();
        View::new()
            .text(format!("{} of {} variants so far:\n\n", rows.len(), config.variants.len()))
            .table(variant_table(&rows))
    }

    fn rows(_: &Config) -> Rows {
        const COLUMNS: &[&str] = &["player", "score", "elo", "regret", "gain", "gain_error", "agreement", "nodes"];
        Rows { event: "variant", columns: COLUMNS }
    }
}

/// The answers of one player.
struct Measured {
    regrets: Vec<f64>,
    best: usize,
    nodes: u64,
}

impl Measured {
    fn regret(&self) -> f64 {
        self.regrets.iter().sum::<f64>() / self.regrets.len().max(1) as f64
    }
}

/// Examines the base and all variants.
fn measure(config: &Config, prepared: &Prepared, services: &Services) -> Result<Vec<Measured>, RunError> {
    let Prepared { game, suite, judge, choosers, .. } = prepared;
    let seeds = vec![config.play.seed; choosers.len() - 1];
    let examination = Examination { game, suite, judge, nodes: config.nodes()?, seeds: &seeds };
    let mut examiner = Examiner::new(examination, choosers, UciTimeouts::default(), services)?;
    let count = suite.positions.len();
    let progress = services.begin_progress(count as u64);
    progress.message("choices of all variants");
    let mut measured: Vec<Measured> =
        choosers[1..].iter().map(|_| Measured { regrets: Vec::new(), best: 0, nodes: 0 }).collect();
    for first in (0..count).step_by(BLOCK) {
        let block = first..(first + BLOCK).min(count);
        for row in examiner.examine(block.clone(), Judging::All, services)? {
            for (player, answer) in measured.iter_mut().zip(row) {
                let answer = answer.ok_or_else(|| RunError::failed("a built-in player did not choose a move"))?;
                let regret = answer.regret.unwrap_or_default();
                player.regrets.push(regret);
                player.best += usize::from(regret <= 0.0);
                player.nodes += answer.nodes;
            }
        }
        progress.set_part_done(block.end as u64);
    }
    Ok(measured)
}

/// Plays the games of a variant.
fn play(
    config: &Config,
    prepared: &mut Prepared,
    number: usize,
    context: &mut Context<Calibrate>,
    progress: &Progress,
) -> Result<Summary, RunError> {
    let Prepared { choosers, runner, .. } = prepared;
    let (variant, base) = (choosers[number + 1].player(), choosers[0].player());
    let plan = PairingPlan { number, players: [variant, base], test: None };
    let played = runner.play(&plan, context, progress)?;
    let [a, b] = [variant, base].map(|player| config.play.print(player));
    Ok(Summary::new(a, b, config.play.move_limit, &played.tally))
}

impl VariantRow {
    fn new(player: &str, summary: &Summary, base: &Measured, variant: &Measured) -> VariantRow {
        let mut gain = RunningMean::default();
        base.regrets.iter().zip(&variant.regrets).for_each(|(base, variant)| gain.add(base - variant));
        VariantRow {
            player: player.to_string(),
            score: summary.score,
            elo: summary.elo,
            regret: variant.regret(),
            gain: gain.mean(),
            gain_error: gain.error(),
            agreement: variant.best as f64 / variant.regrets.len().max(1) as f64,
            nodes: [summary.nodes, variant.nodes],
        }
    }
}

impl Event {
    fn variant(&self) -> Option<&VariantRow> {
        match self {
            Event::Variant(row) => Some(row),
            Event::Game(_) => None,
        }
    }
}

impl From<GameEvent> for Event {
    fn from(event: GameEvent) -> Event {
        Event::Game(event)
    }
}

fn variant_table(rows: &[VariantRow]) -> Table {
    let mut sorted: Vec<&VariantRow> = rows.iter().collect();
    sorted.sort_by(|a, b| b.score.total_cmp(&a.score));
    let cells = |row: &VariantRow| {
        vec![
            Cell::Text(row.player.clone()),
            Cell::Text(Range::text_or_dash(row.elo)),
            Cell::Text(format!("{:+.4} ± {:.4}", row.gain, row.gain_error)),
            Cell::Number(row.regret, 4),
            Cell::Percent(row.agreement),
        ]
    };
    Table::new(&["variant", ">Elo", ">less regret", ">regret", ">agreement"], sorted.into_iter().map(cells))
}
