//! Suites of mates, and what comes with the mate commands: two suites, and the program that was evolved.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use plysmith_core::games::chess::INFO;
pub use plysmith_core::games::chess::{HELD_OUT_MATES as HELD_OUT, TRAINING_MATES as TRAINING};
use plysmith_core::problem::{Problem, Suite};
use plysmith_core::suite::text;
use plysmith_evolve::fitness::{FitnessCase, MOST_MOVES as LONGEST};
use plysmith_evolve::language::Program;
use plysmith_evolve::problems::MOST_MOVES;
use plysmith_evolve::solvers::evolved;
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::files::read_text;
use crate::suites::read_suite;
use crate::view::counted;

/// Chess problems with mates of known length. Stored with runs as their name and text, so that a run does not depend
/// on a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredSuite", into = "StoredSuite")]
pub struct MateSuite(pub Suite);

/// A suite as it is stored.
#[derive(Clone, Serialize, Deserialize)]
struct StoredSuite {
    suite_name: String,
    suite: String,
}

/// Lengths of mates, in moves: from the shortest to the longest.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MateRange {
    from: u8,
    to: u8,
}

/// Reads a suite of mates: `training` or `held-out`, which are bundled, or a file.
///
/// With `skip_bad`, lines that cannot be read are skipped and reported to `note`.
pub fn read_mates(name: &str, skip_bad: bool, note: &dyn Fn(&str)) -> Result<MateSuite, RunError> {
    let suite = match INFO.bundled_suite(name).filter(|_| [TRAINING, HELD_OUT].contains(&name)) {
        Some(bundled) => {
            text::parse(&INFO, name, bundled.text).map_err(|error| RunError::input(format!("{name}:{error}")))?
        }
        None => without_long(read_suite(Some(&INFO), Path::new(name), skip_bad, note)?.suite, note)?,
    };
    Ok(MateSuite(suite))
}

/// The suite without mates that are too long to search for; fails if there are no others.
fn without_long(Suite { name, problems }: Suite, note: &dyn Fn(&str)) -> Result<Suite, RunError> {
    let all = problems.len();
    let is_long = |problem: &Problem| problem.distance.is_some_and(|plies| plies.div_ceil(2) > u32::from(LONGEST));
    let problems: Vec<Problem> = problems.into_iter().filter(|problem| !is_long(problem)).collect();
    let long = counted(all - problems.len(), "mate");
    match problems.len() {
        0 => Err(RunError::input(format!(
            "{name}: all mates in it take more than {LONGEST} moves; expected shorter ones"
        ))),
        left if left < all => {
            note(&format!("skipped {long} of {name} in more than {LONGEST} moves"));
            Ok(Suite { name, problems })
        }
        _ => Ok(Suite { name, problems }),
    }
}

/// What stands between the names of suites that are used as one.
pub const SEPARATOR: char = '+';

/// Reads several suites of mates as one; a position that occurs again is left out.
pub fn read_all_mates(names: &[&str], skip_bad: bool, note: &dyn Fn(&str)) -> Result<MateSuite, RunError> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut seen = BTreeSet::new();
    for name in names {
        let MateSuite(suite) = read_mates(name, skip_bad, note)?;
        problems.extend(suite.problems.into_iter().filter(|problem| seen.insert(problem.position.clone())));
    }
    Ok(MateSuite(Suite { name: names.join(&SEPARATOR.to_string()), problems }))
}

/// The program that comes with Plysmith; its file says how it was made.
pub fn bundled_program() -> Result<Program, RunError> {
    evolved::bundled_program().map_err(|error| RunError::input(format!("the bundled program:{error}")))
}

/// Reads a program from a file.
pub fn read_program(path: &Path) -> Result<Program, RunError> {
    let text = read_text(path, "a program, like '(MakeBestMove Again)'", false)?;
    text.parse().map_err(|error| RunError::input(format!("{}:{error}", path.display())))
}

/// The problems of a suite as mates to search for; fails if one of them has no length.
pub fn cases_of(suite: &MateSuite) -> Result<Vec<FitnessCase>, RunError> {
    suite.0.problems.iter().map(|problem| FitnessCase::new(problem).map_err(RunError::input)).collect()
}

impl MateRange {
    /// Each length, from the shortest on.
    pub fn moves(self) -> impl Iterator<Item = u8> {
        self.from..=self.to
    }

    /// How many lengths there are.
    pub fn lengths(self) -> usize {
        usize::from(self.to - self.from) + 1
    }

    /// The problems of a suite that are mates of these lengths; fails if there are none.
    pub fn choose(self, MateSuite(suite): MateSuite) -> Result<MateSuite, RunError> {
        let plies = 2 * u32::from(self.from) - 1..=2 * u32::from(self.to) - 1;
        let is_chosen = |problem: &Problem| problem.distance.is_some_and(|distance| plies.contains(&distance));
        let problems: Vec<Problem> = suite.problems.into_iter().filter(is_chosen).collect();
        if problems.is_empty() {
            return Err(RunError::input(format!("'{}' has no mates in {self}", suite.name)));
        }
        Ok(MateSuite(Suite { problems, ..suite }))
    }
}

impl FromStr for MateRange {
    type Err = String;

    fn from_str(text: &str) -> Result<MateRange, String> {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse().ok().filter(|moves| (1..=MOST_MOVES).contains(moves));
        let range = number(from).zip(number(to)).filter(|(from, to)| from <= to);
        range
            .map(|(from, to)| MateRange { from, to })
            .ok_or_else(|| format!("expected a number of moves from 1 to {MOST_MOVES}, or two like '1-5'"))
    }
}

impl fmt::Display for MateRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MateRange { from, to } if from == to => from.fmt(f),
            MateRange { from, to } => write!(f, "{from}-{to}"),
        }
    }
}

impl TryFrom<String> for MateRange {
    type Error = String;

    fn try_from(text: String) -> Result<MateRange, String> {
        text.parse()
    }
}

impl From<MateRange> for String {
    fn from(range: MateRange) -> String {
        range.to_string()
    }
}

impl From<MateSuite> for StoredSuite {
    fn from(MateSuite(suite): MateSuite) -> StoredSuite {
        StoredSuite { suite: text::print(&suite, ""), suite_name: suite.name }
    }
}

impl TryFrom<StoredSuite> for MateSuite {
    type Error = RunError;

    fn try_from(StoredSuite { suite_name, suite }: StoredSuite) -> Result<MateSuite, RunError> {
        let suite = text::parse(&INFO, &suite_name, &suite);
        suite.map(MateSuite).map_err(|error| RunError::input(format!("{suite_name}:{error}")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::{HELD_OUT, MateRange, MateSuite, TRAINING, bundled_program, cases_of, read_mates};

    fn bundled(name: &str) -> MateSuite {
        read_mates(name, false, &|_| {}).unwrap()
    }

    /// Different seeds are no guarantee: two of them once gave the same game.
    #[test]
    fn no_problem_is_both_for_training_and_held_out() {
        let placements = |name: &str| -> BTreeSet<String> {
            bundled(name).0.problems.iter().map(|problem| problem.position.split(' ').take(2).collect()).collect()
        };
        let (training, held_out) = (placements(TRAINING), placements(HELD_OUT));
        assert_eq!((training.len(), held_out.len()), (100, 50));
        assert_eq!(training.intersection(&held_out).collect::<Vec<_>>(), Vec::<&String>::new());
    }

    #[test]
    fn there_are_as_many_mates_of_each_length() {
        for (name, each) in [(TRAINING, 20), (HELD_OUT, 10)] {
            let cases = cases_of(&bundled(name)).unwrap();
            for moves in 1..=5 {
                assert_eq!(cases.iter().filter(|case| case.moves == moves).count(), each, "{name}, mate in {moves}");
            }
        }
        bundled_program().unwrap();
    }

    #[test]
    fn suites_and_ranges_are_stored_as_text() {
        let suite = bundled(HELD_OUT);
        let stored = serde_json::to_value(&suite).unwrap();
        assert_eq!(stored["suite_name"], HELD_OUT);
        assert_eq!(serde_json::from_value::<MateSuite>(stored).unwrap(), suite);
        let range: MateRange = "2-3".parse().unwrap();
        assert_eq!(serde_json::to_value(range).unwrap(), json!("2-3"));
        assert_eq!(cases_of(&range.choose(suite).unwrap()).unwrap().len(), 20);
        for text in ["0", "3-2", "9", "1-", ""] {
            assert!(text.parse::<MateRange>().is_err(), "{text}");
        }
    }
}
