//! Calibrations: what a difference in regret is worth in games, as `plysmith calibrate` has found it on a graded suite.
//!
//! A calibration is a TOML file. The games come with one for their bundled suites; `plysmith calibrate --output FILE` makes
//! others, and `plysmith screen --calibration FILE` reads them.

use std::fmt::Write;

use plysmith_core::games::GameInfo;
use plysmith_core::suite::graded::GradedSuite;
use serde::{Deserialize, Serialize};

use crate::error::RunError;

/// What differences in regret on one suite are worth.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The command that found it.
    pub command: String,
    /// The game.
    pub game: String,
    /// The content key of the suite.
    pub suite: String,
    /// The player whose variants were measured.
    pub base: String,
    /// One for each node limit, in rising order.
    pub level: Vec<CalibratedLevel>,
}

/// What differences in regret are worth at a node limit.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibratedLevel {
    /// The node limit of moves, in games and on the suite.
    pub nodes: u64,
    /// Variants that played matches.
    pub variants: u32,
    /// Spearman's rank correlation of regret with results of games, and its 95 % interval over the variants.
    pub spearman: [f64; 3],
    /// Elo for each unit of regret less, and its 95 % interval over the variants.
    pub elo_per_regret: [f64; 3],
    /// Variants that `screen` would tell from the base at an error rate of 5 %.
    pub verdicts: u32,
    /// Those of them whose games had the same sign.
    pub right: u32,
    /// Mean length of a game in plies.
    pub plies: f64,
}

impl Calibration {
    /// Reads a calibration.
    pub fn parse(name: &str, text: &str) -> Result<Calibration, RunError> {
        let calibration: Calibration = toml::from_str(text).map_err(|error| {
            RunError::input(format!("{name}: {error}; expected a file of `plysmith calibrate --output`"))
        })?;
        let numbers = calibration
            .level
            .iter()
            .flat_map(|level| level.spearman.into_iter().chain(level.elo_per_regret).chain([level.plies]));
        if calibration.level.is_empty() || numbers.into_iter().any(|number| !number.is_finite()) {
            return Err(RunError::input(format!("{name}: a calibration needs a level with finite numbers")));
        }
        Ok(calibration)
    }

    /// As a file.
    pub fn print(&self) -> String {
        let Calibration { command, game, suite, base, level } = self;
        let mut text = format!(
            "# What differences in regret are worth in games.\ncommand = {command:?}\ngame = {game:?}\nsuite = {suite:?}\n\
             base = {base:?}\n"
        );
        for CalibratedLevel { nodes, variants, spearman, elo_per_regret, verdicts, right, plies } in level {
            let three = |[value, low, high]: [f64; 3]| format!("[{value:.3}, {low:.3}, {high:.3}]");
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "\n[[level]]\nnodes = {nodes}\nvariants = {variants}\nspearman = {}\nelo_per_regret = {}\n\
                 verdicts = {verdicts}\nright = {right}\nplies = {plies:.1}\n",
                three(*spearman),
                three(*elo_per_regret),
            );
        }
        text
    }

    /// The calibration that comes with a game, if it is one of this suite.
    pub fn bundled(game: &GameInfo, suite: &GradedSuite) -> Result<Option<Calibration>, RunError> {
        let Some(text) = game.calibration else { return Ok(None) };
        let calibration = Calibration::parse("the bundled calibration", text)?;
        Ok(Some(calibration).filter(|calibration| calibration.suite == suite.content_key()))
    }

    /// The level whose node limit is nearest to this one, by their ratio.
    pub fn nearest(&self, nodes: u64) -> Option<&CalibratedLevel> {
        let distance = |level: &&CalibratedLevel| (level.nodes.max(1) as f64 / nodes.max(1) as f64).ln().abs();
        self.level.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)))
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games::GAMES;

    use super::{CalibratedLevel, Calibration};
    use crate::suites::graded_suite;

    fn level(nodes: u64) -> CalibratedLevel {
        CalibratedLevel {
            nodes,
            variants: 40,
            spearman: [0.75, 0.5, 0.875],
            elo_per_regret: [4000.0, 3000.0, 5000.0],
            verdicts: 12,
            right: 11,
            plies: 55.5,
        }
    }

    #[test]
    fn files_read_back_and_the_nearest_level_is_taken() {
        let calibration = Calibration {
            command: "plysmith calibrate 'x' \"y\"".to_string(),
            game: "breakthrough".to_string(),
            suite: "0123".to_string(),
            base: "modern".to_string(),
            level: vec![level(1000), level(10_000)],
        };
        let text = calibration.print();
        assert_eq!(Calibration::parse("file", &text).unwrap(), calibration);
        let nearest = [500, 3000, 3300, 99_999].map(|nodes| calibration.nearest(nodes).unwrap().nodes);
        assert_eq!(nearest, [1000, 1000, 10_000, 10_000]);
        for broken in
            [&text[..text.len() / 2], "x = 1", "", &text.replace("0.750", "nan"), &text.replace("plies", "plys")]
        {
            assert!(Calibration::parse("file", broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn bundled_calibrations_are_of_the_bundled_suites() {
        for game in GAMES.iter().filter(|game| game.calibration.is_some()) {
            let suite = graded_suite(game, None).unwrap();
            let calibration = Calibration::bundled(game, &suite).unwrap();
            assert!(calibration.is_some_and(|calibration| calibration.game == game.name), "{}", game.name);
        }
    }
}
