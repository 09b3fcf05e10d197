//! What measuring a scheme on a suite says, and the memo that keeps it.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

/// One search of one problem.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "Row", into = "Row")]
pub struct Attempt {
    /// Whether it was solved.
    pub solved: bool,
    /// Nodes searched.
    pub nodes: u64,
    /// The deepest finished iteration.
    pub depth: u32,
    /// The longest line looked at.
    pub height: u32,
    /// Moves made.
    pub moves: u64,
    /// For each feature of the scheme, how many of these moves it decided the cost of.
    pub fired: Vec<u64>,
}

/// The attempts on a suite's problems in order; fewer than all if the question was settled before.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Measurement {
    /// One for each problem from the first on.
    pub attempts: Vec<Attempt>,
    /// How many problems the suite has.
    pub problems: usize,
}

/// All that a measurement depends on. Equal jobs have equal results, on any machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The game's name.
    pub game: String,
    /// The content key of the suite.
    pub suite: String,
    /// The scheme's text.
    pub scheme: String,
    /// The search settings' text.
    pub settings: String,
    /// The node limit a problem.
    pub nodes: u64,
    /// The seed.
    pub seed: u64,
    /// What the seed drives.
    pub random: String,
    /// The revision of the search.
    pub revision: u32,
}

/// Remembers measurements, so that none is made twice.
pub trait Memo {
    /// Why it could not.
    type Error: std::error::Error + Send + Sync + 'static;

    /// The most attempts that were kept for this job.
    fn recall(&mut self, job: &Job) -> Result<Option<Vec<Attempt>>, Self::Error>;

    /// Keeps attempts for this job.
    fn keep(&mut self, job: &Job, attempts: &[Attempt]) -> Result<(), Self::Error>;
}

impl Job {
    /// The job's name: the same for equal jobs, hardly ever the same for others.
    pub fn key(&self) -> String {
        let Job { game, suite, scheme, settings, nodes, seed, random, revision } = self;
        let text = format!("{game}\n{suite}\n{scheme}\n{settings}\n{nodes}\n{seed}\n{random}\n{revision}");
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }
}

impl Measurement {
    /// How many problems were solved.
    pub fn solved(&self) -> u32 {
        self.attempts.iter().filter(|attempt| attempt.solved).count() as u32
    }

    /// Whether every problem was tried.
    pub fn is_complete(&self) -> bool {
        self.attempts.len() == self.problems
    }

    /// Whether it is certain that fewer than so many are solved.
    pub fn is_below(&self, at_least: u32) -> bool {
        (self.solved() as usize + self.problems - self.attempts.len()) < at_least as usize
    }

    /// The part of it that a measurement makes which ends as soon as it is certain to stay below.
    #[must_use]
    pub fn until_below(mut self, at_least: u32) -> Measurement {
        let mut missing = 0;
        let spare = (self.problems as u64).checked_sub(u64::from(at_least));
        let end = match spare {
            None => 0,
            Some(spare) => self
                .attempts
                .iter()
                .position(|attempt| {
                    missing += u64::from(!attempt.solved);
                    missing > spare
                })
                .map_or(self.attempts.len(), |index| index + 1),
        };
        self.attempts.truncate(end);
        self
    }

    /// Nodes in all.
    pub fn nodes(&self) -> u64 {
        self.attempts.iter().map(|attempt| attempt.nodes).sum()
    }

    /// The mean depth of the deepest finished iterations.
    pub fn mean_depth(&self) -> f64 {
        self.mean(|attempt| attempt.depth)
    }

    /// The mean of the longest lines.
    pub fn mean_height(&self) -> f64 {
        self.mean(|attempt| attempt.height)
    }

    /// The share of moves whose cost each feature of the scheme decided.
    pub fn frequencies(&self) -> Vec<f64> {
        let moves: u64 = self.attempts.iter().map(|attempt| attempt.moves).sum();
        let features = self.attempts.first().map_or(0, |attempt| attempt.fired.len());
        let fired = |feature: usize| -> u64 { self.attempts.iter().map(|attempt| attempt.fired[feature]).sum() };
        (0..features).map(|feature| fired(feature) as f64 / moves.max(1) as f64).collect()
    }

    fn mean(&self, number: impl Fn(&Attempt) -> u32) -> f64 {
        let sum: u64 = self.attempts.iter().map(|attempt| u64::from(number(attempt))).sum();
        sum as f64 / self.attempts.len().max(1) as f64
    }
}

/// An attempt as it is stored: a short list, because there are hundreds in every measurement.
type Row = (u8, u64, u32, u32, u64, Vec<u64>);

impl From<Row> for Attempt {
    fn from((solved, nodes, depth, height, moves, fired): Row) -> Attempt {
        Attempt { solved: solved != 0, nodes, depth, height, moves, fired }
    }
}

impl From<Attempt> for Row {
    fn from(attempt: Attempt) -> Row {
        let Attempt { solved, nodes, depth, height, moves, fired } = attempt;
        (u8::from(solved), nodes, depth, height, moves, fired)
    }
}

#[cfg(test)]
mod tests {
    use super::{Attempt, Measurement};

    fn measurement(solved: &[bool], problems: usize) -> Measurement {
        let attempt = |&solved| Attempt { solved, nodes: 10, depth: 2, height: 4, moves: 8, fired: vec![2] };
        Measurement { attempts: solved.iter().map(attempt).collect(), problems }
    }

    #[test]
    fn a_measurement_ends_where_its_question_is_settled() {
        let full = measurement(&[true, false, false, true, false], 5);
        let cut = |at_least| full.clone().until_below(at_least).attempts.len();
        assert_eq!([cut(0), cut(2), cut(3), cut(4), cut(5), cut(6)], [5, 5, 5, 3, 2, 0]);
        for at_least in 0..7 {
            let part = full.clone().until_below(at_least);
            assert_eq!(part.is_below(at_least), full.solved() < at_least);
        }
    }

    #[test]
    fn attempts_read_back_and_are_short() {
        let attempts = measurement(&[true, false], 2).attempts;
        let text = serde_json::to_string(&attempts).unwrap();
        assert_eq!(text, "[[1,10,2,4,8,[2]],[0,10,2,4,8,[2]]]");
        assert_eq!(serde_json::from_str::<Vec<Attempt>>(&text).unwrap(), attempts);
    }

    #[test]
    fn means_and_frequencies_are_over_what_was_tried() {
        let part = measurement(&[true, false, true], 9);
        assert_eq!((part.solved(), part.nodes(), part.mean_depth(), part.mean_height()), (2, 30, 2.0, 4.0));
        assert_eq!(part.frequencies(), [0.25]);
        assert_eq!(measurement(&[], 3).frequencies(), [0.0; 0]);
    }
}
