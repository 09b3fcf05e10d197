//! The result of measuring a candidate on a suite.
//!
//! A problem at which an external engine failed repeatedly is *excluded*: its attempt keeps its place, but says nothing
//! about the candidate. Candidates are compared on the problems that all of them have: [`shared`].

use xxhash_rust::xxh3::xxh3_64;

pub use crate::driver::{Attempt, ExternalEngineKey, MeasurementJob};

/// The attempts on the problems of a suite, in order; fewer than all if the question was settled before.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Measurement {
    /// One for each problem from the first on.
    pub attempts: Vec<Attempt>,
    /// How many problems the suite has.
    pub problems: usize,
}

impl Measurement {
    /// The problems that are excluded, each with its failure.
    pub fn excluded(&self) -> impl Iterator<Item = (usize, &str)> {
        let failures = self.attempts.iter().enumerate();
        failures.filter_map(|(index, attempt)| Some((index, attempt.failure.as_deref()?)))
    }

    /// Restricts the measurement to these problems, in this order; problems that were not tried are left out.
    #[must_use]
    pub fn on(&self, problems: &[usize]) -> Measurement {
        let attempts = problems.iter().filter_map(|&index| self.attempts.get(index)).cloned().collect();
        Measurement { attempts, problems: problems.len() }
    }

    /// The cost of each problem: the nodes to the solution, or the limit (the paper's Nodecount).
    pub fn costs(&self, limit: u64) -> Vec<u64> {
        let cost = |attempt: &Attempt| if attempt.solved { attempt.nodes.min(limit) } else { limit };
        self.attempts.iter().map(cost).collect()
    }

    /// The cost of all problems.
    pub fn cost(&self, limit: u64) -> u64 {
        sum(self.costs(limit))
    }

    /// A hash of the results of all problems.
    pub fn trace(&self) -> u64 {
        let rows: Vec<_> =
            self.attempts.iter().map(|attempt| format!("{} {}", u8::from(attempt.solved), attempt.nodes)).collect();
        xxh3_64(rows.join("\n").as_bytes())
    }

    /// How many problems were solved.
    pub fn solved(&self) -> u32 {
        self.attempts.iter().filter(|attempt| attempt.solved).count() as u32
    }

    /// In how many problems the right move was on top at the end, proven or not: what the papers call solved. None if
    /// that is not known of every problem that was tried.
    pub fn best_moves(&self) -> Option<u32> {
        let attempts = self.attempts.iter().filter(|attempt| !attempt.is_excluded());
        attempts.map(|attempt| attempt.best_move.map(u32::from)).sum()
    }

    /// The same searches, where finding the right move is enough to solve a problem.
    #[must_use]
    pub fn by_best_move(&self) -> Measurement {
        let judge = |attempt: &Attempt| Attempt { solved: attempt.best_move == Some(true), ..attempt.clone() };
        Measurement { attempts: self.attempts.iter().map(judge).collect(), problems: self.problems }
    }

    /// Whether every problem was tried.
    pub fn is_complete(&self) -> bool {
        self.attempts.len() == self.problems
    }

    /// Whether it is certain that fewer than `at_least` problems are solved.
    pub fn is_below(&self, at_least: u32) -> bool {
        (self.solved() as usize + self.problems - self.attempts.len()) < at_least as usize
    }

    /// Cuts the measurement where it is certain that fewer than `at_least` problems are solved.
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

    /// Nodes in all; excluded problems have none.
    pub fn nodes(&self) -> u64 {
        sum(self.attempts.iter().map(|attempt| attempt.nodes))
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
        let moves = sum(self.attempts.iter().map(|attempt| attempt.moves));
        let features = self.attempts.iter().map(|attempt| attempt.fired.len()).max().unwrap_or(0);
        let fired =
            |feature: usize| sum(self.attempts.iter().filter_map(|attempt| attempt.fired.get(feature)).copied());
        (0..features).map(|feature| fired(feature) as f64 / moves.max(1) as f64).collect()
    }

    fn mean(&self, number: impl Fn(&Attempt) -> u32) -> f64 {
        let attempts = self.attempts.iter().filter(|attempt| !attempt.is_excluded());
        let (sum, count) = attempts.fold((0, 0), |(sum, count), attempt| (sum + u64::from(number(attempt)), count + 1));
        sum as f64 / f64::from(count.max(1))
    }
}

/// A sum that does not wrap, whatever an engine reports and however large a limit is.
pub fn sum(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// The problems that all of these measurements have tried and none has excluded. Candidates are compared on these.
pub fn shared<'a>(measurements: impl IntoIterator<Item = &'a Measurement>) -> Vec<usize> {
    let mut measurements = measurements.into_iter();
    let has = |measurement: &Measurement, index: usize| {
        measurement.attempts.get(index).is_some_and(|attempt| !attempt.is_excluded())
    };
    let Some(first) = measurements.next() else { return Vec::new() };
    let mut common: Vec<usize> = (0..first.attempts.len()).filter(|&index| has(first, index)).collect();
    measurements.for_each(|measurement| common.retain(|&index| has(measurement, index)));
    common
}

#[cfg(test)]
mod tests {
    use super::{Attempt, Measurement, shared};

    fn measurement(solved: &[bool], problems: usize) -> Measurement {
        let attempt = |&solved: &bool| Attempt {
            solved,
            best_move: solved.then_some(true),
            nodes: 10,
            depth: 2,
            height: 4,
            moves: 8,
            fired: vec![2],
            failure: None,
        };
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
    fn a_problem_is_solved_by_a_proof_or_by_its_move() {
        let mut measured = measurement(&[true, false, false], 3);
        assert_eq!(measured.best_moves(), None, "nobody has looked");
        for (attempt, is_right) in measured.attempts.iter_mut().zip([true, true, false]) {
            attempt.best_move = Some(is_right);
        }
        assert_eq!((measured.solved(), measured.best_moves()), (1, Some(2)));
        assert_eq!((measured.by_best_move().solved(), measured.by_best_move().nodes()), (2, 30));
        measured.attempts[1] = Attempt::excluded("hangs".to_string());
        assert_eq!((measured.solved(), measured.best_moves()), (1, Some(1)));
    }

    #[test]
    fn what_is_not_solved_costs_the_limit() {
        let mut measured = measurement(&[true, false, true], 3);
        measured.attempts[2].nodes = 900;
        assert_eq!(measured.costs(500), [10, 500, 500], "a solution beyond the limit is none");
        let trace = measured.trace();
        measured.attempts[1].nodes = 11;
        assert_ne!(measured.trace(), trace);
    }

    #[test]
    fn attempts_read_back_and_are_short() {
        let attempts = measurement(&[true, false], 2).attempts;
        let text = serde_json::to_string(&attempts).unwrap();
        assert_eq!(text, "[[1,10,2,4,8,[2]],[0,10,2,4,8,[2]]]");
        assert_eq!(serde_json::from_str::<Vec<Attempt>>(&text).unwrap(), attempts);
    }

    #[test]
    fn candidates_are_compared_on_what_all_of_them_have() {
        let mut one = measurement(&[true, false, true, true, false], 5);
        let mut other = measurement(&[false, true, true, true], 5);
        one.attempts[1] = Attempt::excluded("hangs".to_string());
        other.attempts[2] = Attempt::excluded("dies".to_string());
        assert_eq!(one.excluded().collect::<Vec<_>>(), [(1, "hangs")]);
        let common = shared([&one, &other]);
        assert_eq!(common, [0, 3]);
        assert_eq!((one.on(&common).solved(), other.on(&common).solved()), (2, 1));
        assert_eq!((one.nodes(), one.on(&common).nodes(), one.mean_depth()), (40, 20, 2.0));
        assert!(one.on(&common).is_complete());
        assert!(shared([]).is_empty());
    }

    #[test]
    fn sums_do_not_wrap() {
        let mut measured = measurement(&[false, false, true], 3);
        for attempt in &mut measured.attempts {
            (attempt.nodes, attempt.moves, attempt.fired) = (u64::MAX, u64::MAX, vec![u64::MAX]);
        }
        assert_eq!((measured.nodes(), measured.cost(u64::MAX), measured.cost(1)), (u64::MAX, u64::MAX, 3));
        assert_eq!(measured.frequencies(), [1.0]);
    }

    #[test]
    fn means_and_frequencies_are_over_what_was_tried() {
        let part = measurement(&[true, false, true], 9);
        assert_eq!((part.solved(), part.nodes(), part.mean_depth(), part.mean_height()), (2, 30, 2.0, 4.0));
        assert_eq!(part.frequencies(), [0.25]);
        assert_eq!(measurement(&[], 3).frequencies(), [0.0; 0]);
    }
}
