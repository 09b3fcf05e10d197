//! `transitions`: realization probabilities from game records (thesis section 2.2.4, formula 2.1).
//!
//! For each category of moves it counts how often one could be played and how often one was, in records or in games that the
//! built-in search plays against itself. The result is a scheme of probabilities, which
//! `plysmith_core::search` turns into weights by formula 2.2.
//!
//! | file | what |
//! | --- | --- |
//! | `mod` | the run kind, its events and its result |
//! | `config` | what to count, and where |
//! | `games` | the games: self-play, or records |
//! | `counting` | counts of games |
//! | `estimate` | probabilities from counts |
//! | `view` | what is shown of a run, and its file |

mod config;
mod counting;
mod estimate;
mod games;
mod view;

use std::fs;
use std::path::PathBuf;

use plysmith_core::games::GameInfo;
use plysmith_core::transitions::Categories;
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::files::{check_target, write_file};
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::services::Services;
use crate::view::{View, thousands};
pub use config::{CategoryChoice, Config, CountBy, RecordFile, Source};
use games::Games;

/// The run kind.
pub struct Transitions;

/// What happens in a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum Event {
    /// A category was counted.
    Category(CategoryRow),
}

/// A category with its counts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CategoryRow {
    /// The feature, or `Other`.
    pub category: String,
    /// Moves of the category that could be played.
    pub moves: u64,
    /// Positions in which at least one could be played.
    pub positions: u64,
    /// Moves of the category that were played.
    pub played: u64,
    /// Moves played of those that could be.
    pub per_move: Option<f64>,
    /// Moves played of the positions in which one could be: formula 2.1.
    pub per_position: Option<f64>,
    /// The lower end of the 95 % interval of the rate that counts.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// The probability in the scheme; none if the category has no rule.
    pub probability: Option<f64>,
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Counted {
    /// The game.
    pub game: String,
    /// Games.
    pub games: u64,
    /// Positions that were counted.
    pub positions: u64,
    /// Moves that could be played in them.
    pub moves: u64,
    /// Positions left out because there was one legal move.
    pub single: u64,
    /// Positions left out because the side to move was known to lose.
    pub lost: u64,
    /// The rate of all categories together, which small counts are drawn to.
    pub overall: f64,
    /// The categories; the last one is that of all other moves.
    pub categories: Vec<CategoryRow>,
    /// The probabilities as a scheme.
    pub scheme: String,
}

/// What a run works with.
pub struct Prepared {
    game: &'static GameInfo,
    categories: Categories,
    games: Games,
}

impl RunKind for Transitions {
    const NAME: &'static str = "transitions";
    type Config = Config;
    type Event = Event;
    type Output = Counted;
    type Prepared = Prepared;

    fn identity(config: &Config) -> Identity {
        let seed = match &config.source {
            Source::SelfPlay { seed, .. } => *seed,
            Source::Records { .. } => 1,
        };
        Identity { game: config.game.clone(), seed }
    }

    fn basis(config: &Config) -> Vec<Part> {
        match config.source {
            Source::SelfPlay { .. } => vec![Part::Search],
            Source::Records { .. } => Vec::new(),
        }
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.validate()
    }

    fn check(config: &Config, _: &Services) -> Result<(), RunError> {
        config.output.as_ref().map_or(Ok(()), |path| check_target(path, config.force))
    }

    fn prepare(config: &Config, services: &Services) -> Result<Prepared, RunError> {
        let game = config.game()?;
        let categories = config.categories.parse(game)?;
        Ok(Prepared { game, categories, games: Games::open(config, game, services)? })
    }

    fn run(config: &Config, prepared: Prepared, context: &mut Context<Transitions>) -> Result<Counted, RunError> {
        let services = context.services().clone();
        let Prepared { game, categories, games } = prepared;
        let games = games.play(game, &services)?;
        let counted = counting::count(game, &categories, &games, &services)?;
        let result = estimate::estimate(config, game, &categories, &counted)?;
        view::warnings(config, &result).iter().for_each(|warning| services.note(format!("warning: {warning}")));
        for row in &result.categories {
            context.record(Event::Category(row.clone()))?;
        }
        Ok(result)
    }

    fn write_files(config: &Config, result: &Counted) -> Result<Vec<PathBuf>, RunError> {
        let Some(path) = &config.output else { return Ok(Vec::new()) };
        let text = view::file(config, result);
        // A run that was killed right after this is resumed, and finds its own file.
        if !fs::read_to_string(path).is_ok_and(|found| found == text) {
            write_file(path, &text, config.force)?;
        }
        Ok(vec![path.clone()])
    }

    fn view(config: &Config, result: &Counted) -> View {
        view::view(config, result)
    }

    fn headline(_: &Config, result: &Counted) -> Headline {
        let rules = result.categories.len();
        Headline::text(format!("{rules} categories from {} games", thousands(result.games)))
    }

    fn partial_view(_: &Config, events: &[Event]) -> View {
        let rows = events.iter().map(|Event::Category(row)| row);
        View::new().text(match rows.len() {
            0 => "no games are counted so far\n".to_string(),
            rows => format!("{rows} categories so far\n"),
        })
    }

    fn page(
        config: &Config,
        output: Option<&Counted>,
        events: &mut dyn Iterator<Item = Result<Event, RunError>>,
    ) -> Result<View, RunError> {
        let events = events.collect::<Result<Vec<_>, _>>()?;
        let view = output
            .map_or_else(|| Transitions::partial_view(config, &events), |output| Transitions::view(config, output));
        let rows: Vec<&CategoryRow> = events.iter().map(|Event::Category(row)| row).collect();
        Ok(if rows.is_empty() { view } else { view.figure(view::bars(&rows)) })
    }

    fn rows(_: &Config) -> Rows {
        let columns =
            &["category", "moves", "positions", "played", "per_move", "per_position", "low", "high", "probability"];
        Rows { event: "category", columns }
    }
}
