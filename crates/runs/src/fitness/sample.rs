//! What one search of one problem or position says of a candidate.

use plysmith_engine::measurement::Attempt;

use crate::examiner::Answer;

/// One problem or position, searched once.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Sample {
    /// Whether the problem was solved; none in a graded position.
    pub solved: Option<bool>,
    /// Nodes to the solution as a share of the node limit, 1 without a solution; none in a graded position.
    pub to_solution: Option<f64>,
    /// Whether the candidate's move is the best known one, or as good.
    pub agrees: bool,
    /// What the candidate's move costs in expected points; none in a problem.
    pub regret: Option<f64>,
    /// The share of moves in the search whose cost a feature decided.
    pub frequency: f64,
    /// Nodes searched.
    pub nodes: u64,
}

impl Sample {
    /// Of a problem that was searched with this node limit; none if it is excluded.
    pub fn of_attempt(attempt: &Attempt, limit: u64) -> Option<Sample> {
        let nodes = if attempt.solved { attempt.nodes.min(limit) } else { limit };
        (!attempt.is_excluded()).then(|| Sample {
            solved: Some(attempt.solved),
            to_solution: Some(nodes as f64 / limit.max(1) as f64),
            // A search to the solution ends with it, and does not say which move it would prefer without one.
            agrees: attempt.best_move.unwrap_or(attempt.solved),
            regret: None,
            frequency: frequency(attempt.moves, &attempt.fired),
            nodes: attempt.nodes,
        })
    }

    /// Of a graded position whose moves were judged.
    pub fn of_answer(answer: &Answer) -> Sample {
        let regret = answer.regret.unwrap_or_default();
        Sample {
            solved: None,
            to_solution: None,
            agrees: regret <= 0.0,
            regret: Some(regret),
            frequency: frequency(answer.moves, &answer.fired),
            nodes: answer.nodes,
        }
    }
}

fn frequency(moves: u64, fired: &[u64]) -> f64 {
    let fired = fired.iter().fold(0, |sum: u64, fired| sum.saturating_add(*fired));
    (fired as f64 / moves.max(1) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use plysmith_engine::measurement::Attempt;

    use super::Sample;
    use crate::examiner::Answer;

    #[test]
    fn attempts_and_answers_become_samples() {
        let attempt = Attempt { solved: true, nodes: 250, moves: 100, fired: vec![20, 5], ..Attempt::default() };
        let sample = Sample::of_attempt(&attempt, 1_000).unwrap();
        assert_eq!((sample.solved, sample.to_solution, sample.agrees), (Some(true), Some(0.25), true));
        assert_eq!((sample.frequency, sample.regret), (0.25, None));
        let unsolved = Attempt { solved: false, best_move: Some(true), nodes: 7, ..attempt.clone() };
        let sample = Sample::of_attempt(&unsolved, 1_000).unwrap();
        assert_eq!((sample.solved, sample.to_solution, sample.agrees), (Some(false), Some(1.0), true));
        assert_eq!(Sample::of_attempt(&Attempt::excluded("hangs".to_string()), 1_000), None);
        let answer =
            |regret| Answer { m: "a2a3".to_string(), regret: Some(regret), nodes: 9, moves: 0, fired: Vec::new() };
        let [best, worse] = [-0.01, 0.25].map(|regret| Sample::of_answer(&answer(regret)));
        assert_eq!((best.agrees, worse.agrees, worse.regret, worse.frequency), (true, false, Some(0.25), 0.0));
    }
}
