//! One search of one problem, and how it is stored.

use serde::{Deserialize, Serialize};

/// One search of one problem.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "AttemptRow", into = "AttemptRow")]
pub struct Attempt {
    /// Whether it was solved.
    pub solved: bool,
    /// Whether the right move was on top when the search ended, proven or not; none if that is not known, because the
    /// search stopped before or an earlier version has stored it.
    pub best_move: Option<bool>,
    /// The nodes that count by the policy: of the whole search, or to the solution, with the limit if there is none.
    pub nodes: u64,
    /// The deepest finished iteration.
    pub depth: u32,
    /// The longest line searched, in plies.
    pub height: u32,
    /// Moves made.
    pub moves: u64,
    /// For each feature of the scheme, how many of these moves it decided the cost of; none if that is not known.
    pub fired: Vec<u64>,
    /// Why the problem is excluded, with all that is needed to reproduce the failure; the first line is a summary. Then no
    /// other field has a meaning.
    pub failure: Option<String>,
}

impl Attempt {
    /// An attempt of a problem that is excluded.
    pub fn excluded(failure: String) -> Attempt {
        Attempt { failure: Some(failure), ..Attempt::default() }
    }

    /// Whether the problem is excluded.
    pub fn is_excluded(&self) -> bool {
        self.failure.is_some()
    }
}

/// The first number of a stored attempt. The first two are those of earlier versions.
const UNSOLVED: u8 = 0;
const SOLVED: u8 = 1;
const BEST_MOVE_ONLY: u8 = 2;
const ANOTHER_MOVE: u8 = 3;

/// An attempt as it is stored: a short list, because there are hundreds in every measurement. A failure comes last.
#[derive(Serialize, Deserialize)]
struct AttemptRow(
    u8,
    u64,
    u32,
    u32,
    u64,
    Vec<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<String>,
);

impl From<AttemptRow> for Attempt {
    fn from(AttemptRow(result, nodes, depth, height, moves, fired, failure): AttemptRow) -> Attempt {
        let (solved, best_move) = match result {
            UNSOLVED => (false, None),
            BEST_MOVE_ONLY => (false, Some(true)),
            ANOTHER_MOVE => (false, Some(false)),
            _ => (true, Some(true)),
        };
        Attempt { solved, best_move, nodes, depth, height, moves, fired, failure }
    }
}

impl From<Attempt> for AttemptRow {
    fn from(attempt: Attempt) -> AttemptRow {
        let Attempt { solved, best_move, nodes, depth, height, moves, fired, failure } = attempt;
        let result = match (solved, best_move) {
            (true, _) => SOLVED,
            (false, None) => UNSOLVED,
            (false, Some(true)) => BEST_MOVE_ONLY,
            (false, Some(false)) => ANOTHER_MOVE,
        };
        AttemptRow(result, nodes, depth, height, moves, fired, failure)
    }
}

#[cfg(test)]
mod tests {
    use super::Attempt;

    #[test]
    fn rows_from_before_there_were_failures_read_and_print_as_they_were() {
        let text = "[[1,10,2,4,8,[2]],[0,500000,6,9,499994,[]],[2,9,6,9,8,[]],[3,9,6,9,8,[]]]";
        let attempts: Vec<Attempt> = serde_json::from_str(text).unwrap();
        assert!(attempts.iter().all(|attempt| !attempt.is_excluded()));
        let results: Vec<_> = attempts.iter().map(|attempt| (attempt.solved, attempt.best_move)).collect();
        assert_eq!(results, [(true, Some(true)), (false, None), (false, Some(true)), (false, Some(false))]);
        assert_eq!(serde_json::to_string(&attempts).unwrap(), text);
        let excluded = vec![Attempt::excluded("'a' is excluded".to_string())];
        let text = serde_json::to_string(&excluded).unwrap();
        assert_eq!(text, "[[0,0,0,0,0,[],\"'a' is excluded\"]]");
        assert_eq!(serde_json::from_str::<Vec<Attempt>>(&text).unwrap(), excluded);
    }
}
