//! What measuring a candidate on a suite says.
//!
//! A problem at which a foreign engine failed again and again is *excluded*: it has an attempt, so that problems keep
//! their places, but one that says nothing of the candidate. Candidates are compared on the problems that
//! all of them have: [`shared`].

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// One search of one problem.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Row", into = "Row")]
pub struct Attempt {
    /// Whether it was solved.
    pub solved: bool,
    /// Nodes searched; of a foreign engine, those to the solution, or the limit.
    pub nodes: u64,
    /// The deepest finished iteration.
    pub depth: u32,
    /// The longest line looked at.
    pub height: u32,
    /// Moves made.
    pub moves: u64,
    /// For each feature of the scheme, how many of these moves it decided the cost of; none if that is not known.
    pub fired: Vec<u64>,
    /// Why the problem is excluded, with all that is needed to see it again; the first line says it in short. Then
    /// nothing else of the attempt means anything.
    pub failure: Option<String>,
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
pub struct MeasurementJob {
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
    /// The revision of the search, or of the driver of a foreign engine.
    pub revision: u32,
    /// The foreign engine, if it is one. Its options and the mapping of weights are in the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<ForeignJob>,
}

/// Which foreign engine a measurement depends on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ForeignJob {
    /// Its command line.
    pub command: String,
    /// Who it says it is.
    pub name: String,
    /// A content key of the program and of the files that its arguments name.
    pub content: String,
}

impl MeasurementJob {
    /// The job's name: the same for equal jobs, hardly ever the same for others.
    pub fn key(&self) -> String {
        let MeasurementJob { game, suite, scheme, settings, nodes, seed, random, revision, engine } = self;
        let mut text = format!("{game}\n{suite}\n{scheme}\n{settings}\n{nodes}\n{seed}\n{random}\n{revision}");
        // Only where there is one, so that what was stored before there were any is still found.
        if let Some(ForeignJob { command, name, content }) = engine {
            text += &format!("\n{command}\n{name}\n{content}");
        }
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }
}

impl Measurement {
    /// The problems that are excluded, each with its failure.
    pub fn excluded(&self) -> impl Iterator<Item = (usize, &str)> {
        let failures = self.attempts.iter().enumerate();
        failures.filter_map(|(index, attempt)| Some((index, attempt.failure.as_deref()?)))
    }

    /// The same measurement of these problems only, in this order; of those that were tried.
    #[must_use]
    pub fn on(&self, problems: &[usize]) -> Measurement {
        let attempts = problems.iter().filter_map(|&index| self.attempts.get(index)).cloned().collect();
        Measurement { attempts, problems: problems.len() }
    }

    /// What each problem cost of this limit: nodes to the solution, or all of it (the paper's Nodecount).
    pub fn costs(&self, limit: u64) -> Vec<u64> {
        let cost = |attempt: &Attempt| if attempt.solved { attempt.nodes.min(limit) } else { limit };
        self.attempts.iter().map(cost).collect()
    }

    /// A hash of what happened problem by problem: the same only if all went alike.
    pub fn trace(&self) -> u64 {
        let rows: Vec<_> =
            self.attempts.iter().map(|attempt| format!("{} {}", u8::from(attempt.solved), attempt.nodes)).collect();
        xxh3_64(rows.join("\n").as_bytes())
    }

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

    /// Nodes in all; excluded problems have none.
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
        let features = self.attempts.iter().map(|attempt| attempt.fired.len()).max().unwrap_or(0);
        let fired =
            |feature: usize| -> u64 { self.attempts.iter().filter_map(|attempt| attempt.fired.get(feature)).sum() };
        (0..features).map(|feature| fired(feature) as f64 / moves.max(1) as f64).collect()
    }

    fn mean(&self, number: impl Fn(&Attempt) -> u32) -> f64 {
        let attempts = self.attempts.iter().filter(|attempt| !attempt.is_excluded());
        let (sum, count) = attempts.fold((0, 0), |(sum, count), attempt| (sum + u64::from(number(attempt)), count + 1));
        sum as f64 / f64::from(count.max(1))
    }
}

/// The problems that none of these measurements has excluded and all have tried: what candidates are compared on.
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

impl Attempt {
    /// An attempt that came to nothing.
    pub fn excluded(failure: String) -> Attempt {
        Attempt { failure: Some(failure), ..Attempt::default() }
    }

    /// Whether it says nothing of the candidate.
    pub fn is_excluded(&self) -> bool {
        self.failure.is_some()
    }
}

/// An attempt as it is stored: a short list, because there are hundreds in every measurement. A failure stands behind
/// the rest, where there is one.
#[derive(Serialize, Deserialize)]
struct Row(u8, u64, u32, u32, u64, Vec<u64>, #[serde(default, skip_serializing_if = "Option::is_none")] Option<String>);

impl From<Row> for Attempt {
    fn from(Row(solved, nodes, depth, height, moves, fired, failure): Row) -> Attempt {
        Attempt { solved: solved != 0, nodes, depth, height, moves, fired, failure }
    }
}

impl From<Attempt> for Row {
    fn from(attempt: Attempt) -> Row {
        let Attempt { solved, nodes, depth, height, moves, fired, failure } = attempt;
        Row(u8::from(solved), nodes, depth, height, moves, fired, failure)
    }
}

#[cfg(test)]
mod tests {
    use super::{Attempt, ForeignJob, Measurement, MeasurementJob, shared};

    fn measurement(solved: &[bool], problems: usize) -> Measurement {
        let attempt =
            |&solved| Attempt { solved, nodes: 10, depth: 2, height: 4, moves: 8, fired: vec![2], failure: None };
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
    fn rows_from_before_there_were_failures_read_and_print_as_they_were() {
        let text = "[[1,10,2,4,8,[2]],[0,500000,6,9,499994,[]]]";
        let attempts: Vec<Attempt> = serde_json::from_str(text).unwrap();
        assert!(attempts.iter().all(|attempt| !attempt.is_excluded()));
        assert_eq!(serde_json::to_string(&attempts).unwrap(), text);
        let excluded = vec![Attempt::excluded("'a' is excluded".to_string())];
        let text = serde_json::to_string(&excluded).unwrap();
        assert_eq!(text, "[[0,0,0,0,0,[],\"'a' is excluded\"]]");
        assert_eq!(serde_json::from_str::<Vec<Attempt>>(&text).unwrap(), excluded);
    }

    #[test]
    fn built_in_jobs_keep_the_names_under_which_they_are_stored() {
        let job = MeasurementJob {
            game: "breakthrough".to_string(),
            suite: "00ff".to_string(),
            scheme: "Ud-RdTt@0.5".to_string(),
            settings: "classic".to_string(),
            nodes: 500_000,
            seed: 1,
            random: "xoshiro256++".to_string(),
            revision: 2,
            engine: None,
        };
        // What version 0.1 named and stored this job as, before there were foreign engines.
        assert_eq!(job.key(), "790f5530e6bc8d4dd592448f21fa643f");
        let stored = r#"{"game":"breakthrough","suite":"00ff","scheme":"Ud-RdTt@0.5","settings":"classic","nodes":500000,"seed":1,"random":"xoshiro256++","revision":2}"#;
        assert_eq!(serde_json::to_string(&job).unwrap(), stored);
        assert_eq!(serde_json::from_str::<MeasurementJob>(stored).unwrap(), job);
        let foreign = |content: &str| {
            let (command, name) = ("glaurung".to_string(), "Glaurung 2.2".to_string());
            MeasurementJob { engine: Some(ForeignJob { command, name, content: content.to_string() }), ..job.clone() }
        };
        assert_ne!(foreign("1").key(), job.key());
        assert_ne!(foreign("1").key(), foreign("2").key());
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
    fn means_and_frequencies_are_over_what_was_tried() {
        let part = measurement(&[true, false, true], 9);
        assert_eq!((part.solved(), part.nodes(), part.mean_depth(), part.mean_height()), (2, 30, 2.0, 4.0));
        assert_eq!(part.frequencies(), [0.25]);
        assert_eq!(measurement(&[], 3).frequencies(), [0.0; 0]);
    }
}
