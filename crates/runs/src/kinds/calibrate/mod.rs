//! `calibrate`: which measurement on positions predicts games?
//!
//! Variants of a player play matches against it, choose moves on a graded suite and solve problems, at one or several node
//! limits. Rank correlations between results of games and measurements show how far a measurement can be trusted, and the
//! slope turns regret into Elo for `screen`.
//!
//! | file | what |
//! | --- | --- |
//! | `mod` | the run: configuration, events, result |
//! | `panel` | variants of a game, drawn at random |
//! | `measuring` | players on positions and problems |
//! | `rows` | what is known of a variant |
//! | `analysis` | correlations, slope, costs of a decision |
//! | `view` | the result as text and tables |

mod analysis;
mod measuring;
pub mod panel;
mod rows;
mod view;

use std::path::PathBuf;

use plysmith_core::games::{self, GameInfo};
use plysmith_core::suite::graded::{self, GradedSuite, Judge};
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::player::Participant;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::calibration::{CalibratedLevel, Calibration};
use crate::choice::Chooser;
use crate::error::RunError;
use crate::events::GameEvent;
use crate::files::check_target;
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind, check_range};
use crate::output_file::write_file;
use crate::pairing_runner::{PairingPlan, PairingRunner};
use crate::play::PlayConfig;
use crate::progress::Progress;
use crate::services::Services;
use crate::summary::Summary;
use crate::view::{View, counted};
pub use analysis::{Analysis, Decision, Estimate, Measure};
use measuring::Measuring;
pub use rows::VariantRow;

/// The run kind.
pub struct Calibrate;

/// What to calibrate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// How games are played: the game, the first node limit, which is also that of the measurements, games for each
    /// variant, openings and seed.
    pub play: PlayConfig,
    /// Further node limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_nodes: Vec<u64>,
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
    /// Where the calibration is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<CalibrationFile>,
}

/// A calibration file to write.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CalibrationFile {
    /// The file.
    pub path: PathBuf,
    /// Whether it may be replaced.
    pub force: bool,
    /// The command that the file names.
    pub command: String,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A game of a variant was played.
    Game(GameEvent),
    /// A variant was measured, and its games are played.
    Variant(Box<VariantRow>),
}

/// The result of a calibration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(from = "StoredCalibrated")]
pub struct Calibrated {
    /// One for each node limit.
    pub levels: Vec<Level>,
}

/// The result at a node limit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Level {
    /// The node limit. Earlier versions had one for all.
    #[serde(default)]
    pub nodes: u64,
    /// The mean regret of the base.
    pub base_regret: f64,
    /// The variants.
    pub variants: Vec<VariantRow>,
    /// How well measurements predict their games.
    pub analysis: Analysis,
}

/// A result as it is stored; earlier versions had a single level.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredCalibrated {
    Levels { levels: Vec<Level> },
    Single(Level),
}

/// What a run needs.
pub struct Prepared {
    game: &'static GameInfo,
    suite: GradedSuite,
    judge: Judge,
    /// The base, the variants, then the judge.
    choosers: Vec<Chooser>,
}

impl Config {
    /// All node limits.
    fn limits(&self) -> Vec<u64> {
        let first = match self.play.move_limit {
            MoveLimit::Nodes(nodes) => Some(nodes),
            MoveLimit::Depth(_) | MoveLimit::Time(_) => None,
        };
        first.into_iter().chain(self.further_nodes.iter().copied()).collect()
    }
}

impl RunKind for Calibrate {
    const NAME: &'static str = "calibrate";
    /// The second one measures problems and looks for verdicts.
    const REVISION: u32 = 2;
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
        if !matches!(config.play.move_limit, MoveLimit::Nodes(_)) {
            return Err(RunError::input("a calibration needs a node limit"));
        }
        for nodes in &config.further_nodes {
            check_range("node limit", *nodes, 1..=u64::MAX)?;
        }
        check_range("node limit of the judge", config.judge_nodes, 1..=u64::MAX)?;
        check_range("number of variants", config.variants.len() as u64, 3..=1000)
    }

    fn check(config: &Config, _: &Services) -> Result<(), RunError> {
        config.output.as_ref().map_or(Ok(()), |file| check_target(&file.path, file.force))
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
        Ok(Prepared { game, suite, judge, choosers })
    }

    fn run(config: &Config, prepared: Prepared, context: &mut Context<Calibrate>) -> Result<Calibrated, RunError> {
        let levels = (0..).zip(config.limits());
        let levels = levels.map(|(number, nodes)| run_level(config, &prepared, number, nodes, context));
        Ok(Calibrated { levels: levels.collect::<Result<_, _>>()? })
    }

    fn write_files(config: &Config, calibrated: &Calibrated) -> Result<Vec<PathBuf>, RunError> {
        let Some(CalibrationFile { path, force, command }) = &config.output else { return Ok(Vec::new()) };
        let calibration = calibrated.calibration(config, command)?;
        write_file(path, &calibration.print(), *force)?;
        Ok(vec![path.clone()])
    }

    fn view(config: &Config, calibrated: &Calibrated) -> View {
        view::view(config, calibrated)
    }

    fn headline(_: &Config, calibrated: &Calibrated) -> Headline {
        let variants: usize = calibrated.levels.iter().map(|level| level.variants.len()).sum();
        Headline::text(format!("{variants} variants at {}", counted(calibrated.levels.len(), "node limit")))
    }

    fn partial_view(config: &Config, events: &[Event]) -> View {
        let rows: Vec<VariantRow> = events.iter().filter_map(Event::variant).cloned().collect();
        view::partial(config, &rows)
    }

    fn page(
        config: &Config,
        output: Option<&Calibrated>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let view =
            output.map_or_else(|| Calibrate::partial_view(config, &events), |output| Calibrate::view(config, output));
        let rows: Vec<&VariantRow> = events.iter().filter_map(Event::variant).collect();
        Ok(if rows.is_empty() { view } else { view.figure(view::scatter(&rows)) })
    }

    fn rows(_: &Config) -> Rows {
        const COLUMNS: &[&str] = &[
            "limit",
            "player",
            "games",
            "score",
            "elo",
            "nelo",
            "regret",
            "gain",
            "gain_error",
            "verdict",
            "agreement",
            "solved",
            "solved_with_more",
            "solution_nodes",
            "frequency",
            "nodes",
        ];
        Rows { event: "variant", columns: COLUMNS }
    }
}

/// Measures all players at a node limit, and plays the games.
fn run_level(
    config: &Config,
    prepared: &Prepared,
    number: usize,
    nodes: u64,
    context: &mut Context<Calibrate>,
) -> Result<Level, RunError> {
    let Prepared { game, suite, judge, choosers } = prepared;
    let services = context.services().clone();
    let measuring = Measuring { game, suite, judge, nodes, seed: config.play.seed };
    let moves = measuring.moves(choosers, &services)?;
    let play_config = PlayConfig { move_limit: MoveLimit::Nodes(nodes), ..config.play.clone() };
    let mut runner = PairingRunner::new(&play_config)?;
    let mut variants = Vec::new();
    for (place, chooser) in choosers[1..choosers.len() - 1].iter().enumerate() {
        let problems = match chooser.player().built_in() {
            Some(player) => measuring.problems(player, &services)?,
            None => None,
        };
        let progress = services.begin_progress(config.play.games);
        progress.message(format!("games of {}, {} of {}", chooser.text(), place + 1, config.variants.len()));
        let players = [chooser.player(), choosers[0].player()];
        let plan = PairingPlan::new(number * config.variants.len() + place, players);
        let summary = play(&play_config, &mut runner, &plan, context, &progress)?;
        let row = VariantRow::new(nodes, &summary, &moves[0], &moves[place + 1], problems.as_ref());
        context.record(Event::Variant(Box::new(row.clone())))?;
        variants.push(row);
    }
    let analysis = Analysis::of(&variants, suite.positions.len(), config.play.seed);
    Ok(Level { nodes, base_regret: moves[0].regret(), variants, analysis })
}

/// Plays the games of a variant.
fn play(
    config: &PlayConfig,
    runner: &mut PairingRunner,
    plan: &PairingPlan<'_>,
    context: &mut Context<Calibrate>,
    progress: &Progress,
) -> Result<Summary, RunError> {
    let played = runner.play(plan, context, progress)?;
    let [a, b] = plan.players.map(|player| config.print(player));
    Ok(Summary::new(a, b, [config.move_limit; 2], &played.tally))
}

impl Calibrated {
    /// What `screen` needs of it.
    fn calibration(&self, config: &Config, command: &str) -> Result<Calibration, RunError> {
        let game = games::find(config.play.game.name)?;
        let suite = graded::parse(game, &config.suite_name, &config.suite)
            .map_err(|error| RunError::failed(format!("{}:{error}", config.suite_name)))?;
        let mut level: Vec<_> = self.levels.iter().filter_map(Level::calibrated).collect();
        level.sort_by_key(|level| level.nodes);
        Ok(Calibration {
            command: command.to_string(),
            game: game.name.to_string(),
            suite: suite.content_key(),
            base: config.base.clone(),
            level,
        })
    }
}

impl Level {
    fn calibrated(&self) -> Option<CalibratedLevel> {
        let Analysis { slope, clear_gains, right_signs, .. } = &self.analysis;
        let spearman = self.analysis.correlation(Measure::Regret)?.spearman;
        let count = self.variants.len();
        Some(CalibratedLevel {
            nodes: self.nodes,
            variants: count as u32,
            spearman: spearman.three(),
            elo_per_regret: slope.three(),
            verdicts: *clear_gains as u32,
            right: *right_signs as u32,
            plies: self.variants.iter().map(|row| row.plies).sum::<f64>() / count.max(1) as f64,
        })
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

impl From<StoredCalibrated> for Calibrated {
    fn from(stored: StoredCalibrated) -> Calibrated {
        match stored {
            StoredCalibrated::Levels { levels } => Calibrated { levels },
            StoredCalibrated::Single(level) => Calibrated { levels: vec![level] },
        }
    }
}
