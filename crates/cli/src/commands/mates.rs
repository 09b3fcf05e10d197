//! What comes with the mate commands: two suites, and the program that was evolved.

use plysmith_core::games::chess::INFO;
pub use plysmith_core::games::chess::{HELD_OUT_MATES as HELD_OUT, TRAINING_MATES as TRAINING};
use plysmith_core::problem::Suite;
use plysmith_core::suite::text;
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::language::Program;

use crate::failure::Failure;

const PROGRAM: &str = include_str!("../../../../data/mate-evolved.gp");

/// A suite that comes with the program.
pub fn bundled(name: &str) -> Result<Suite, Failure> {
    let found = INFO.bundled_suite(name);
    let suite = found.ok_or_else(|| Failure::input(format!("no suite '{name}' comes with plysmith")))?;
    text::parse(&INFO, name, suite.text).map_err(|error| Failure::input(format!("{name}:{error}")))
}

/// The program that comes with plysmith; its file says how it was made.
pub fn bundled_program() -> Result<Program, Failure> {
    PROGRAM.parse().map_err(|error| Failure::input(format!("the bundled program:{error}")))
}

/// The problems of a suite as mates to hunt for.
pub fn cases_of(suite: &Suite) -> Result<Vec<FitnessCase>, Failure> {
    suite.problems.iter().map(|problem| FitnessCase::new(problem).map_err(Failure::input)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{HELD_OUT, TRAINING, bundled, bundled_program, cases_of};

    /// Seeds are no guarantee: two of them once gave the same game.
    #[test]
    fn no_problem_is_both_for_training_and_held_out() {
        let placements = |name: &str| -> BTreeSet<String> {
            let suite = bundled(name).unwrap();
            suite.problems.iter().map(|problem| problem.position.split(' ').take(2).collect()).collect()
        };
        let (training, held_out) = (placements(TRAINING), placements(HELD_OUT));
        assert_eq!((training.len(), held_out.len()), (100, 50));
        assert_eq!(training.intersection(&held_out).collect::<Vec<_>>(), Vec::<&String>::new());
    }

    #[test]
    fn there_are_as_many_mates_of_each_length() {
        for (name, each) in [(TRAINING, 20), (HELD_OUT, 10)] {
            let cases = cases_of(&bundled(name).unwrap()).unwrap();
            for moves in 1..=5 {
                assert_eq!(cases.iter().filter(|case| case.moves == moves).count(), each, "{name}, mate in {moves}");
            }
        }
        bundled_program().unwrap();
    }
}
