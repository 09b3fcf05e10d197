//! What a game declares about itself, once, to be in the table of games.

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use super::any::AnyPosition;
use crate::feature::{Guidance, Scheme, Vocabulary};
use crate::fingerprint::{Fingerprints, Part};
use crate::game::{Game, PositionError};
use crate::generate::Goal;
use crate::logistic::logistic;
use crate::patterns::Patterns;
use crate::score::Score;
use crate::settings::{Heuristic, Presets, Settings, SettingsError};
use crate::training::{TermFit, TrainingRules};
use crate::weights::file::patterns_size;
use crate::weights::{LoadedWeights, Tables, WeightFile, WeightFileError};

/// A game that can be in the table: its rules are [`Game`], this is everything else.
pub trait Registered: Game {
    /// The name on the command line and in the store.
    const NAME: &'static str;
    /// Words in the text of a position.
    const POSITION_WORDS: usize;
    /// The kind of problem that its suites are generated for.
    const GOAL: Goal;
    /// Positions for `plysmith bench`: the start and some from the middle of games.
    const BENCH: &'static [&'static str];
    /// The suites that come with the game. The first is the one that experiments measure on by default.
    const SUITES: &'static [BundledSuite];
    /// The graded suite that comes with the game, if there is one.
    const GRADED: Option<BundledGradedSuite> = None;
    /// What differences on the graded suite are worth in games: the text of a file of `plysmith calibrate --output`.
    const CALIBRATION: Option<&'static str> = None;
    /// A scheme of the extensions that programs of this game are known to have, which `suite select` selects problems by;
    /// empty if none are known.
    const KNOWN_EXTENSIONS: &'static str = "";
    /// How far evaluations of `modern` are apart if the odds of winning differ by a factor of e.
    const UNITS_PER_LOGIT: i32 = 100;
    /// How the self-play games of `plysmith fit` begin and end.
    const TRAINING: TrainingRules = TrainingRules::PATTERNS;
    /// How the weights of an evaluation of its own are fitted; games without one are fitted with patterns.
    const TERMS: Option<TermFit> = None;

    /// The text of a start position.
    fn start(start: &Start) -> Result<String, StartError>;

    /// Positions on which features and evaluations are told apart; see [`crate::fingerprint`]. They should have every
    /// kind of move that a feature can depend on. Unless the game says otherwise: those of the benchmark, and those that
    /// show its features.
    fn probes() -> Vec<String> {
        let examples = Self::VOCABULARY.moves.iter().map(|facts| facts.example.0);
        let mut probes: Vec<String> = Self::BENCH.iter().copied().chain(examples).map(str::to_string).collect();
        probes.sort();
        probes.dedup();
        probes
    }

    /// Where the fingerprints of its parts are kept: a static of its own.
    fn fingerprints() -> &'static Fingerprints;

    /// The content key of the weights that a heuristic was built with; none if it was written by hand. The keys of results
    /// depend on it, for a weight may have changed that no probe shows.
    fn embedded_weights(_heuristic: Heuristic) -> Option<u64> {
        None
    }

    /// Reads the numbers of a weight file of this game. Unless the game says otherwise: patterns, for a board that it has.
    fn load_weights(file: &WeightFile) -> Result<Tables, WeightFileError> {
        load_patterns::<Self>(file)
    }

    /// The numbers of a weight file under their names, for readers; none if they have none.
    fn describe_weights(_file: &WeightFile) -> Option<String> {
        None
    }

    /// Reads a position. Games with several board types choose the type here.
    fn open(text: &str) -> Result<Box<dyn AnyPosition>, PositionError> {
        Ok(Box::new(Self::parse(text)?))
    }
}

/// A game, as a line of the table.
#[derive(Debug)]
pub struct GameInfo {
    /// The name on the command line and in the store.
    pub name: &'static str,
    /// Its move features.
    pub vocabulary: Vocabulary,
    /// What learners should know of them.
    pub guidance: Guidance,
    /// What its presets switch on, and its evaluation functions.
    pub presets: Presets,
    /// Words in the text of a position.
    pub position_words: usize,
    /// The kind of problem that its suites are generated for.
    pub goal: Goal,
    /// Positions for `plysmith bench`: the start and some from the middle of games.
    pub bench: &'static [&'static str],
    /// The suites that come with the game, the default first.
    pub suites: &'static [BundledSuite],
    /// The graded suite that comes with the game.
    pub graded: Option<BundledGradedSuite>,
    /// What differences on the graded suite are worth in games, as text.
    pub calibration: Option<&'static str>,
    /// A scheme of known extensions, or nothing.
    pub known_extensions: &'static str,
    /// How far evaluations of `modern` are apart if the odds of winning differ by a factor of e.
    pub units_per_logit: i32,
    /// How the self-play games of `plysmith fit` begin and end.
    pub training: TrainingRules,
    /// How the weights of an evaluation of its own are fitted.
    pub terms: Option<TermFit>,
    /// Reads a position.
    pub open: fn(&str) -> Result<Box<dyn AnyPosition>, PositionError>,
    /// The text of a start position.
    pub start: fn(&Start) -> Result<String, StartError>,
    /// Positions on which features and evaluations are told apart.
    pub probes: fn() -> Vec<String>,
    /// Where the fingerprints of its parts are kept.
    pub fingerprints: fn() -> &'static Fingerprints,
    /// The content key of the weights that a heuristic was built with.
    pub embedded_weights: fn(Heuristic) -> Option<u64>,
    /// Reads the numbers of a weight file.
    pub load_weights: fn(&WeightFile) -> Result<Tables, WeightFileError>,
    /// The numbers of a weight file under their names, for readers.
    pub describe_weights: fn(&WeightFile) -> Option<String>,
}

/// A suite that comes with a game, as text, and how long to search its problems.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct BundledSuite {
    /// Its name.
    pub name: &'static str,
    /// The problems, in the form that [`crate::suite::text`] reads.
    pub text: &'static str,
    /// Nodes per problem: as the papers did where they could, else where features differ most from the bare search.
    pub nodes: u64,
    /// Nodes per problem in a small, fast run.
    pub quick_nodes: u64,
}

/// A graded suite that comes with a game, as text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct BundledGradedSuite {
    /// Its name.
    pub name: &'static str,
    /// The positions, in the form that [`crate::suite::graded`] reads.
    pub text: &'static str,
}

/// Where a game begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Columns and rows, where the game leaves a choice.
    pub size: Option<(usize, usize)>,
    /// Whether Black moves first.
    pub black_first: bool,
}

/// A start position that the game does not have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct StartError(pub String);

impl GameInfo {
    /// The line of a game in the table.
    pub const fn of<G: Registered>() -> GameInfo {
        GameInfo {
            name: G::NAME,
            vocabulary: G::VOCABULARY,
            guidance: G::GUIDANCE,
            presets: G::PRESETS,
            position_words: G::POSITION_WORDS,
            goal: G::GOAL,
            bench: G::BENCH,
            suites: G::SUITES,
            graded: G::GRADED,
            calibration: G::CALIBRATION,
            known_extensions: G::KNOWN_EXTENSIONS,
            units_per_logit: G::UNITS_PER_LOGIT,
            training: G::TRAINING,
            terms: G::TERMS,
            open: G::open,
            start: G::start,
            probes: G::probes,
            fingerprints: G::fingerprints,
            embedded_weights: G::embedded_weights,
            load_weights: G::load_weights,
            describe_weights: G::describe_weights,
        }
    }

    /// Reads a position.
    pub fn parse_position(&self, text: &str) -> Result<Box<dyn AnyPosition>, PositionError> {
        (self.open)(text)
    }

    /// What a part of the game does, as a number: equal for equal answers on the game's probes.
    pub fn fingerprint(&self, part: Part) -> u64 {
        (self.fingerprints)().get(part, || {
            let mut answers = Vec::new();
            for text in (self.probes)() {
                if let Ok(position) = (self.open)(&text) {
                    position.append_answers(part, &mut answers);
                }
            }
            if let Part::Evaluation(heuristic) = part {
                let content = match heuristic {
                    Heuristic::BuiltIn(_) => (self.embedded_weights)(heuristic),
                    Heuristic::Loaded(weights) => Some(weights.key()),
                };
                answers.extend(content.into_iter().flat_map(u64::to_le_bytes));
            }
            xxh3_64(&answers)
        })
    }

    /// What the evaluation of these settings and the features of this scheme do, as text for the key of a result.
    pub fn behaviour(&self, settings: &Settings, scheme: &Scheme) -> String {
        // What atoms of the search state answer is the search's own business, and counted by its revision.
        let of_moves = scheme.used().atoms().filter(|atom| usize::from(atom.0) < self.vocabulary.moves.len());
        let parts = std::iter::once(Part::Evaluation(settings.heuristic)).chain(of_moves.map(Part::Feature));
        let numbers: Vec<u8> = parts.flat_map(|part| self.fingerprint(part).to_le_bytes()).collect();
        format!("{:016x}", xxh3_64(&numbers))
    }

    /// The bundled suite of this name.
    pub fn bundled_suite(&self, name: &str) -> Option<&'static BundledSuite> {
        self.suites.iter().find(|suite| suite.name == name)
    }

    /// Makes the weights of a file ready for searches. `label` is how settings will name them.
    pub fn load_weights(&self, file: &WeightFile, label: &str) -> Result<LoadedWeights, WeightFileError> {
        if file.game != self.name {
            return Err(WeightFileError::Game { expected: self.name.to_string(), found: file.game.clone() });
        }
        let tables = (self.load_weights)(file)?;
        let weights = LoadedWeights::intern(self.name, label, file.key(), || tables);
        weights.remember_file(file);
        Ok(weights)
    }

    /// A note if a position is not evaluated as these settings say.
    pub fn evaluation_note(&self, settings: &Settings, position: &dyn AnyPosition) -> Option<String> {
        let (wanted, used) = (settings.heuristic, position.heuristic_used(settings.heuristic));
        let [wanted_name, used_name] = [wanted, used].map(|heuristic| self.presets.print_heuristic(heuristic));
        let board = position.grid().map_or(String::new(), |grid| format!(" of {}x{}", grid.columns, grid.rows));
        let note = || format!("'{wanted_name}' has no weights for boards{board}; they are evaluated by '{used_name}'");
        (used != wanted).then(note)
    }

    /// The expected result at a score of `modern`, from 0 to 1.
    pub fn expected_result(&self, score: Score) -> f64 {
        match score.is_forced() {
            true => f64::from(u8::from(!score.is_forced_loss())),
            false => logistic(f64::from(score.units()) / f64::from(self.units_per_logit)),
        }
    }

    /// Reads search settings. Weights that they name must have been loaded before.
    pub fn parse_settings(&self, text: &str) -> Result<Settings, SettingsError> {
        self.presets.parse(text, |text| Ok(LoadedWeights::find(self.name, text)))
    }

    /// Prints search settings.
    pub fn print_settings(&self, settings: &Settings) -> String {
        self.presets.print(settings)
    }
}

/// Patterns for one of the game's boards.
fn load_patterns<G: Registered>(file: &WeightFile) -> Result<Tables, WeightFileError> {
    let wrong_form = || WeightFileError::Form { game: G::NAME, expected: forms::<G>(), found: file.form.clone() };
    let size = patterns_size(&file.form).filter(|&(columns, rows)| has_board::<G>(columns, rows));
    let (columns, rows) = size.ok_or_else(wrong_form)?;
    file.check_numbers(Patterns::count(columns, rows), i16::MAX)?;
    Patterns::from_numbers(columns, rows, &file.numbers).map(Tables::new).ok_or_else(wrong_form)
}

/// Whether the game is played on boards of this size.
fn has_board<G: Registered>(columns: u32, rows: u32) -> bool {
    let size = Some((columns as usize, rows as usize));
    [Start { size, ..Start::default() }, Start::default()].iter().any(|start| {
        let grid = G::start(start).ok().and_then(|text| G::open(&text).ok()?.grid());
        grid.is_some_and(|grid| (grid.columns, grid.rows) == (columns, rows))
    })
}

/// The forms of weights for the boards of a game, in words.
fn forms<G: Registered>() -> String {
    let sizes = (1..=8).flat_map(|columns| (1..=8).map(move |rows| (columns, rows)));
    let boards: Vec<_> = sizes.filter(|&(columns, rows)| has_board::<G>(columns, rows)).collect();
    match boards[..] {
        [] => "none".to_string(),
        [(columns, rows)] => format!("patterns {columns}x{rows}"),
        [first, .., last] => format!("patterns {}x{}' to 'patterns {}x{}", first.0, first.1, last.0, last.1),
    }
}
