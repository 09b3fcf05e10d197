//! What comes with the mate commands: two suites, and the program that was evolved.

use plysmith_core::games::chess::ENTRY;
use plysmith_core::suite::problem::Suite;
use plysmith_core::suite::text;
use plysmith_evolve::fitness::Case;
use plysmith_evolve::language::program::Program;

use crate::failure::Failure;

/// The problems to breed on.
pub const TRAINING: &str = "training";
/// The problems that no program was bred on.
pub const HELD_OUT: &str = "held-out";

const SUITES: &[(&str, &str)] = &[
    (TRAINING, include_str!("../../../../data/chess-mates-training-100.suite")),
    (HELD_OUT, include_str!("../../../../data/chess-mates-held-out-50.suite")),
];

const PROGRAM: &str = include_str!("../../../../data/mate-evolved.gp");

/// A suite that comes with the program.
pub fn bundled(name: &str) -> Result<Suite, Failure> {
    let found = SUITES.iter().find(|(known, _)| *known == name);
    let (name, contents) = found.ok_or_else(|| Failure::input(format!("no suite '{name}' comes with plysmith")))?;
    text::parse(&ENTRY, name, contents).map_err(|error| Failure::input(format!("{name}:{error}")))
}

/// The program that comes with plysmith; its file says how it was made.
pub fn bundled_program() -> Result<Program, Failure> {
    PROGRAM.parse().map_err(|error| Failure::input(format!("the bundled program:{error}")))
}

/// The problems of a suite as mates to hunt for.
pub fn cases_of(suite: &Suite) -> Result<Vec<Case>, Failure> {
    suite.problems.iter().map(|problem| Case::new(problem).map_err(Failure::input)).collect()
}
