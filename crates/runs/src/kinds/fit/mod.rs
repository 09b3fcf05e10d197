//! `fit`: an evaluation that is learned from self-play, in rounds.
//!
//! Each round plays games with the best evaluation so far, fits weights to their positions by logistic regression, and
//! lets the new weights play a match against the ones before: the gate. Held-out losses are shown, but they do not
//! predict strength; the match decides. At the end the best weights play against the first player.
//!
//! | file | what |
//! | --- | --- |
//! | `mod` | the run kind, its events and its result |
//! | `config` | what to fit, and how |
//! | `rounds` | the loop: self-play, regression, gate match |
//! | `samples` | positions and their labels |
//! | `fitting` | jobs that fit weights |
//! | `numbers` | weights as text for the store |
//! | `gate` | matches |
//! | `view` | what is shown of a run |

mod config;
mod fitting;
mod gate;
mod numbers;
mod rounds;
mod samples;
mod view;

use std::path::PathBuf;

use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::search::Workspace;
use plysmith_core::settings::{Heuristic, Settings};
use plysmith_engine::weights::parse_settings;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::events::GameEvent;
use crate::files::{check_target, write_bytes};
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::memory::ThreadNeed;
use crate::services::Services;
use crate::summary::{Range, Summary};
use crate::view::View;
pub use config::{Config, Regression};
pub use fitting::{FitJob, Fitted, Form};
use rounds::{Rounds, steps};
use samples::{Losses, RoundGames};

/// The run kind.
pub struct Fit;

/// A fit that is ready to begin.
pub struct Prepared {
    game: &'static GameInfo,
    start: Box<dyn AnyPosition>,
    form: Form,
    /// The settings of the first player.
    first_player: Settings,
}

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// The self-play of a round is over.
    SelfPlay(SelfPlayed),
    /// The weights of a round were found.
    Fit(FitEvent),
    /// A game of a match was played.
    Game(GameEvent),
    /// A round is over.
    Round(RoundRow),
}

/// The self-play of a round.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SelfPlayed {
    /// The round, from 1.
    pub round: u32,
    /// The round that the player's weights are from; 0 for the first player.
    pub player: u32,
    /// Nodes per move.
    pub nodes: u64,
    /// Games.
    pub games: u64,
    /// Games that White won, drew and lost.
    pub results: [u64; 3],
    /// Positions that moves were played in, as far as they count.
    pub positions: u64,
    /// Positions that were only tried, as far as they count.
    pub branches: u64,
    /// The slope of scores, in logits for each unit.
    pub slope: f64,
}

/// The weights of a round.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FitEvent {
    /// The round, from 1.
    pub round: u32,
    /// Positions that were fitted to.
    pub positions: u64,
    /// Positions held out.
    pub held_out: u64,
    /// Weights that were found.
    pub active: u64,
    /// Losses of the evaluation that played: of positions that were fitted to, and held out.
    pub before: Losses,
    /// Losses of the weights.
    pub after: Losses,
    /// The content of the weights.
    pub key: String,
}

/// A round, as a row of a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RoundRow {
    /// The round, from 1.
    pub round: u32,
    /// Self-play games.
    pub games: u64,
    /// Nodes per move in self-play.
    pub nodes: u64,
    /// Positions that were fitted to.
    pub positions: u64,
    /// Weights that were found.
    pub active: u64,
    /// The loss of positions that were fitted to.
    pub loss: f64,
    /// The loss of positions held out, of the evaluation that played.
    pub held_out_before: f64,
    /// The loss of positions held out.
    pub held_out_loss: f64,
    /// The content of the weights.
    pub key: String,
    /// The round that the weights of its opponent in the match are from; 0 for the first player.
    pub opponent: u32,
    /// The score of the match.
    pub score: f64,
    /// The Elo difference.
    pub elo: Option<Range>,
    /// Whether the weights play the next round.
    pub kept: bool,
}

/// The result of a fit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FitResult {
    /// The form of the weights.
    pub form: String,
    /// The rounds.
    pub rounds: Vec<RoundRow>,
    /// The round that the best weights are from; 0 if no weights beat the first player.
    pub best: u32,
    /// The content of the best weights.
    pub key: Option<String>,
    /// The match of the best weights against the first player.
    pub verdict: Option<Summary>,
}

impl Config {
    /// Opens the start position, and finds out what plays first.
    fn prepare(&self) -> Result<Prepared, RunError> {
        let game = self.game()?;
        let start = game.parse_position(&self.start);
        let start = start.map_err(|error| RunError::input(format!("start position: {error}")))?;
        let form = Form::of(game, &*start)?;
        if form.name().starts_with("patterns") != matches!(self.regression, Regression::Patterns { .. }) {
            return Err(RunError::input(format!("{} is fitted with {}; start the fit anew", game.name, form.name())));
        }
        let player = parse_settings(game, &self.player).map_err(RunError::input)?;
        let heuristic = match (&self.from, form) {
            (Some(from), _) => {
                parse_settings(game, &format!("modern,heuristic={from}")).map_err(RunError::input)?.heuristic
            }
            (None, Form::Terms(terms)) => {
                Heuristic::Loaded(game.load_weights(&(terms.guesses)(), "").map_err(RunError::failed)?)
            }
            (None, Form::Patterns(..)) => game.presets.handcrafted_heuristic,
        };
        Ok(Prepared { game, start, form, first_player: player.with_heuristic(heuristic) })
    }
}

impl Form {
    /// The form that the evaluation of a game has; patterns of the board that this position has, if it has one.
    pub fn of(game: &GameInfo, start: &dyn AnyPosition) -> Result<Form, RunError> {
        match (game.terms, start.grid()) {
            (Some(terms), _) => Ok(Form::Terms(terms)),
            (None, Some(grid)) => Ok(Form::Patterns(grid.columns, grid.rows)),
            (None, None) => Err(RunError::input(format!(
                "{} does not say what is on its squares, so there is nothing to fit; implement `Game::grid` (docs/fit.md)",
                game.name
            ))),
        }
    }
}

impl RunKind for Fit {
    const NAME: &'static str = "fit";
    type Config = Config;
    type Event = Event;
    type Output = FitResult;
    type Prepared = Prepared;

    fn identity(config: &Config) -> Identity {
        Identity { game: config.game.clone(), seed: config.seed }
    }

    fn basis(_: &Config) -> Vec<Part> {
        vec![Part::Search, Part::Games]
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.validate()
    }

    fn check(config: &Config, _: &Services) -> Result<(), RunError> {
        config.output.as_ref().map_or(Ok(()), |path| check_target(path, config.force))
    }

    fn prepare(config: &Config, services: &Services) -> Result<Prepared, RunError> {
        let prepared = config.prepare()?;
        let need = ThreadNeed::default().and("two players", 2 * Workspace::bytes(&prepared.first_player));
        services.check_memory(config.gate_games, &need)?;
        Ok(prepared)
    }

    fn run(config: &Config, prepared: Prepared, context: &mut Context<Fit>) -> Result<FitResult, RunError> {
        let progress = context.services().begin_progress(steps(config));
        let mut rounds = Rounds::new(config, &prepared, context, &progress)?;
        for round in 1..=config.rounds {
            rounds.round(round, context)?;
        }
        let (result, weights) = rounds.finish(context)?;
        // Not among the files of the result, because the store keeps the weights with the fits only.
        if let (Some(path), Some(weights)) = (&config.output, weights) {
            let bytes = weights.to_bytes();
            // A run that was killed right after this is resumed, and finds its own file.
            if !std::fs::read(path).is_ok_and(|found| found == bytes) {
                write_bytes(path, &bytes, config.force)?;
            }
        }
        Ok(result)
    }

    fn write_files(config: &Config, result: &FitResult) -> Result<Vec<PathBuf>, RunError> {
        Ok(config.output.clone().filter(|_| result.best > 0).into_iter().collect())
    }

    fn view(config: &Config, result: &FitResult) -> View {
        view::view(config, result)
    }

    fn headline(_: &Config, result: &FitResult) -> Headline {
        match &result.verdict {
            Some(summary) => summary.headline(&format!(", round {}", result.best)),
            None => Headline::text("no weights that win games"),
        }
    }

    fn partial_view(config: &Config, events: &[Event]) -> View {
        view::partial_view(config, events)
    }

    fn page(
        config: &Config,
        output: Option<&FitResult>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let view = output.map_or_else(|| Fit::partial_view(config, &events), |output| Fit::view(config, output));
        let rounds: Vec<&RoundRow> = events.iter().filter_map(Event::round).collect();
        Ok(if rounds.is_empty() { view } else { view.figure(view::losses(&rounds)).figure(view::scores(&rounds)) })
    }

    fn rows(_: &Config) -> Rows {
        let columns = &[
            "round",
            "games",
            "nodes",
            "positions",
            "active",
            "loss",
            "held_out_before",
            "held_out_loss",
            "opponent",
            "score",
            "kept",
            "key",
        ];
        Rows { event: "round", columns }
    }
}

impl Event {
    fn round(&self) -> Option<&RoundRow> {
        match self {
            Event::Round(row) => Some(row),
            Event::SelfPlay(_) | Event::Fit(_) | Event::Game(_) => None,
        }
    }
}

impl From<GameEvent> for Event {
    fn from(event: GameEvent) -> Event {
        Event::Game(event)
    }
}

impl SelfPlayed {
    fn new(round: u32, nodes: u64, player: u32, played: &RoundGames) -> SelfPlayed {
        let mut results = [0; 3];
        for game in &played.games {
            results[2 - game.result.half_points() as usize] += 1;
        }
        let &RoundGames { slope, played: positions, branches, .. } = played;
        let games = played.games.len() as u64;
        SelfPlayed { round, player, nodes, games, results, positions, branches, slope }
    }
}

impl FitEvent {
    fn new(round: u32, fitted: &Fitted, key: u64) -> FitEvent {
        let &Fitted { positions, held_out, active, before, after, .. } = fitted;
        FitEvent { round, positions, held_out, active, before, after, key: format!("{key:016x}") }
    }
}

impl RoundRow {
    fn new(played: &SelfPlayed, fitted: &FitEvent, summary: &Summary, opponent: u32, kept: bool) -> RoundRow {
        RoundRow {
            round: played.round,
            games: played.games,
            nodes: played.nodes,
            positions: fitted.positions,
            active: fitted.active,
            loss: fitted.after[0],
            held_out_before: fitted.before[1],
            held_out_loss: fitted.after[1],
            key: fitted.key.clone(),
            opponent,
            score: summary.score,
            elo: summary.elo,
            kept,
        }
    }
}
