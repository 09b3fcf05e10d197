//! What a fit does: its players, its rounds, and how weights are found.

use std::path::PathBuf;

use plysmith_core::games::{self, GameInfo, Start};
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::kind::check_range;
use crate::play::check_games;

/// What to fit, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The game's name.
    pub game: String,
    /// The position that all games begin with.
    pub start: String,
    /// The search settings of all players. Their heuristic does not count.
    pub player: String,
    /// The heuristic of the first player, if it is not the one that the game has for this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Number of rounds.
    pub rounds: u32,
    /// Self-play games of each round; the last number is that of all further rounds.
    pub games: Vec<u64>,
    /// Nodes per move in self-play, likewise.
    pub nodes: Vec<u64>,
    /// A fit uses the games of this many rounds: its own and those before.
    pub keep_rounds: u32,
    /// Most positions of a game that are fitted to; all if there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    /// The share of the game's result in a label; the rest is the expected result of the search's score.
    pub blend: f64,
    /// How weights are found.
    pub regression: Regression,
    /// Games of a gate match.
    pub gate_games: u64,
    /// Nodes per move in a gate match.
    pub gate_nodes: u64,
    /// Random seed.
    pub seed: u64,
    /// The file that the weights are written to.
    pub output: Option<PathBuf>,
    /// Whether the file may be replaced.
    pub force: bool,
}

/// How weights are found: by logistic regression, in one of two forms.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "lowercase")]
pub enum Regression {
    /// Weights of board patterns.
    Patterns {
        /// How often every position is visited.
        epochs: u32,
        /// A pattern that occurs less often gets no weight.
        min_count: u32,
        /// The learning rate in logits.
        rate: f64,
        /// The penalty on the square of a weight.
        l2: f64,
    },
    /// Weights of the game's own terms.
    Terms {
        /// Steps of gradient descent.
        steps: u32,
        /// The learning rate in units of the evaluation.
        rate: f64,
        /// The penalty on the squared distance of a weight to its start.
        pull: f64,
    },
}

/// More rounds and games than anybody can wait for. Their sums fit.
const MOST_ROUNDS: u64 = 1_000;
const MOST_GAMES: u64 = 10_000_000;
/// Most different numbers in a list.
const MOST_NUMBERS: u64 = MOST_ROUNDS;

impl Config {
    /// The game.
    pub fn game(&self) -> Result<&'static GameInfo, RunError> {
        Ok(games::find(&self.game)?)
    }

    /// Checks the numbers.
    pub(super) fn validate(&self) -> Result<(), RunError> {
        self.game()?;
        check_range("number of rounds", self.rounds.into(), 1..=MOST_ROUNDS)?;
        for (what, numbers, most) in
            [("number of games", &self.games, MOST_GAMES), ("node limit", &self.nodes, u64::MAX)]
        {
            check_range(
                &format!("length of a list with the {what} of each round"),
                numbers.len() as u64,
                1..=MOST_NUMBERS,
            )?;
            numbers.iter().try_for_each(|&number| check_range(what, number, 1..=most))?;
        }
        check_range("number of rounds to keep", self.keep_rounds.into(), 1..=MOST_ROUNDS)?;
        self.samples.map_or(Ok(()), |samples| check_range("number of positions", samples.into(), 1..=u64::MAX))?;
        check_share("share of the result in a label", self.blend)?;
        self.regression.validate()?;
        check_range("number of games of a gate match", self.gate_games, 2..=MOST_GAMES)?;
        check_games(self.gate_games)?;
        check_range("node limit of a gate match", self.gate_nodes, 1..=u64::MAX)
    }

    /// The number of a list that belongs to a round, which is counted from 1.
    fn of_round(numbers: &[u64], round: u32) -> u64 {
        let index = (round as usize - 1).min(numbers.len().saturating_sub(1));
        numbers.get(index).copied().unwrap_or(1)
    }

    /// Self-play games of a round.
    pub fn games_of(&self, round: u32) -> u64 {
        Config::of_round(&self.games, round)
    }

    /// Nodes per move in the self-play of a round.
    pub fn nodes_of(&self, round: u32) -> u64 {
        Config::of_round(&self.nodes, round)
    }

    /// The command that makes the same weights.
    pub(super) fn command(&self) -> String {
        let list = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let mut command = format!("plysmith fit {}", self.game);
        command += &self.start_options();
        if self.player != "modern" {
            command += &format!(" --player {}", self.player);
        }
        if let Some(from) = &self.from {
            command += &format!(" --from {from}");
        }
        command += &format!(
            " --rounds {} --games {} --nodes {} --keep-rounds {}",
            self.rounds,
            list(&self.games),
            list(&self.nodes),
            self.keep_rounds
        );
        if let Some(samples) = self.samples {
            command += &format!(" --samples {samples}");
        }
        let Config { blend, regression, gate_games, gate_nodes, seed, .. } = self;
        command
            + &format!(" --blend {blend}{regression} --gate-games {gate_games} --gate-nodes {gate_nodes} --seed {seed}")
    }

    /// The options of another start position than the usual one.
    pub(super) fn start_options(&self) -> String {
        let Ok(game) = self.game() else { return String::new() };
        let is_usual = (game.start)(&Start::default()).is_ok_and(|usual| usual == self.start);
        let start = (game.open)(&self.start).ok().filter(|_| !is_usual);
        let size = start.as_ref().and_then(|start| start.grid());
        let size = size.map_or(String::new(), |grid| format!(" --size {}x{}", grid.columns, grid.rows));
        let is_black = start.is_some_and(|start| !start.white_to_move());
        size + if is_black { " --first black" } else { "" }
    }
}

impl Regression {
    fn validate(&self) -> Result<(), RunError> {
        let number = |what: &str, value: f64| {
            let is_possible = value.is_finite() && (0.0..=1e9).contains(&value);
            let error = || format!("{value} is not a possible {what}; expected a number of at least 0, like 0.5");
            if is_possible { Ok(()) } else { Err(RunError::input(error())) }
        };
        match *self {
            Regression::Patterns { epochs, rate, l2, .. } => {
                check_range("number of epochs", epochs.into(), 1..=10_000)?;
                number("learning rate", rate)?;
                number("penalty", l2)
            }
            Regression::Terms { steps, rate, pull } => {
                check_range("number of steps", steps.into(), 1..=1_000_000)?;
                number("learning rate", rate)?;
                number("pull", pull)
            }
        }
    }
}

/// The options of the command line, each with a space before it.
impl std::fmt::Display for Regression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Regression::Patterns { epochs, min_count, rate, l2 } => {
                write!(f, " --epochs {epochs} --min-count {min_count} --rate {rate} --l2 {l2}")
            }
            Regression::Terms { steps, rate, pull } => {
                write!(f, " --epochs {steps} --rate {rate} --pull {pull}")
            }
        }
    }
}

fn check_share(what: &str, share: f64) -> Result<(), RunError> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(RunError::input(format!("{share} is not a possible {what}; expected a number from 0 to 1, like 0.5")))
}
