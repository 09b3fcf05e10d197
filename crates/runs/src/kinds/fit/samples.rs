//! The positions that weights are fitted to, and their labels.
//!
//! A label is the result that is expected of a position, from 0 to 1, for the side to move. It blends the result of the
//! game with the score of the search, which the logistic function turns into an expected result. Positions that were only
//! tried have no result; their label is that of the score.

use plysmith_core::games::AnyPosition;
use plysmith_core::outcome::Outcome;
use plysmith_core::random::Random;
use plysmith_core::score::Score;
use plysmith_core::settings::Heuristic;
use plysmith_core::training::{Sample, TrainingGame, TrainingRules};
use plysmith_learn::fitting::logistic::{cross_entropy, expected_result, slope_of_scores};

use crate::cancel::CancelToken;
use crate::error::RunError;
use crate::job::Key;

/// One game in this many is held out: nothing is fitted to it.
pub const HELD_OUT: u64 = 10;

/// The games of a round.
pub struct RoundGames {
    /// Stands for the games.
    pub key: Key,
    /// The games.
    pub games: Vec<TrainingGame>,
    /// The slope of scores, in logits for each unit.
    pub slope: f64,
    /// Positions that moves were played in.
    pub played: u64,
    /// Positions that were only tried.
    pub branches: u64,
}

/// How positions are taken from games.
pub struct Sampling<'a> {
    /// The start position of all games.
    pub start: &'a dyn AnyPosition,
    /// Which positions count.
    pub rules: &'a TrainingRules,
    /// Most positions of a game.
    pub most: Option<u32>,
    /// The share of the result in a label.
    pub blend: f64,
    /// Random seed of the choice of positions.
    pub seed: u64,
    /// Asks the reading to stop: there may be many games.
    pub cancel: CancelToken,
}

/// A position with its label.
pub struct Labelled {
    /// The position.
    pub position: Box<dyn AnyPosition>,
    /// The expected result for the side to move, from 0 to 1.
    pub label: f64,
    /// Whether its game is held out.
    pub is_held_out: bool,
}

/// The positions of a game.
type Samples = Vec<(Box<dyn AnyPosition>, Sample)>;

/// The losses of an evaluation: of the positions that were fitted to, and of those held out.
pub type Losses = [f64; 2];

impl Sampling<'_> {
    /// Reads the games of a round, and finds the slope of their scores.
    pub fn read_round(&self, key: Key, texts: &[String]) -> Result<RoundGames, RunError> {
        let games = texts.iter().map(|text| text.parse().map_err(RunError::failed));
        let games: Vec<TrainingGame> = games.collect::<Result<_, _>>()?;
        let mut round = RoundGames { key, games, slope: 0.0, played: 0, branches: 0 };
        let (mut pairs, mut branches) = (Vec::new(), 0);
        for (number, game) in (0..).zip(&round.games) {
            for (_, sample) in self.samples(number, game)? {
                match sample.result {
                    None => branches += 1,
                    Some(_) if sample.score.is_forced() => round.played += 1,
                    Some(result) => {
                        round.played += 1;
                        pairs.push((f64::from(sample.score.units()), result.points()));
                    }
                }
            }
        }
        round.branches = branches;
        round.slope = slope_of_scores(&pairs);
        Ok(round)
    }

    /// Hands over all positions of these rounds with their labels, in a fixed order.
    pub fn visit(&self, rounds: &[RoundGames], visit: &mut dyn FnMut(&Labelled)) -> Result<(), RunError> {
        for round in rounds {
            for (number, game) in (0..).zip(&round.games) {
                let is_held_out = number % HELD_OUT == 0;
                for (position, sample) in self.samples(number, game)? {
                    let label = self.label(&sample, round.slope);
                    visit(&Labelled { position, label, is_held_out });
                }
            }
        }
        Ok(())
    }

    /// The positions of a game that count.
    fn samples(&self, number: u64, game: &TrainingGame) -> Result<Samples, RunError> {
        if self.cancel.is_cancelled() {
            return Err(RunError::Cancelled(None));
        }
        let mut samples = Vec::new();
        let mut keep = |position: &dyn AnyPosition, sample: &Sample| samples.push((position.boxed(), *sample));
        self.start.replay_training(game, self.rules, &mut keep).map_err(RunError::failed)?;
        let most = self.most.map_or(usize::MAX, |most| most as usize);
        if samples.len() > most {
            let mut chosen: Vec<usize> = (0..samples.len()).collect();
            Random::for_purpose(self.seed, &format!("samples of game {number}")).shuffle(&mut chosen);
            chosen.truncate(most);
            let mut index = 0;
            samples.retain(|_| {
                index += 1;
                chosen.contains(&(index - 1))
            });
        }
        Ok(samples)
    }

    fn label(&self, sample: &Sample, slope: f64) -> f64 {
        let by_score = expected_by_score(sample.score, slope);
        match sample.result {
            Some(result) => self.blend * result.points() + (1.0 - self.blend) * by_score,
            None => by_score,
        }
    }

    /// The losses of evaluations. Each is scaled by the slope that suits it best.
    pub fn losses<const N: usize>(
        &self,
        rounds: &[RoundGames],
        heuristics: [Heuristic; N],
    ) -> Result<[Losses; N], RunError> {
        // For each evaluation: values with their labels, fitted to and held out.
        let mut pairs = [const { [const { Vec::new() }; 2] }; N];
        self.visit(rounds, &mut |sample| {
            for (pairs, &heuristic) in pairs.iter_mut().zip(&heuristics) {
                let value = f64::from(sample.position.evaluate(heuristic).units());
                pairs[usize::from(sample.is_held_out)].push((value, sample.label));
            }
        })?;
        Ok(pairs.map(|pairs| {
            let slope = slope_of_scores(&pairs[0]);
            pairs.map(|pairs| mean_cross_entropy(&pairs, slope))
        }))
    }
}

fn mean_cross_entropy(pairs: &[(f64, f64)], slope: f64) -> f64 {
    let sum: f64 = pairs.iter().map(|&(value, label)| cross_entropy(value * slope, label)).sum();
    sum / pairs.len().max(1) as f64
}

/// What a score promises. Forced results are certain.
fn expected_by_score(score: Score, slope: f64) -> f64 {
    match score.is_forced() {
        true if score.is_forced_loss() => Outcome::Loss.points(),
        true => Outcome::Win.points(),
        false => expected_result(score.units().into(), slope),
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games;
    use plysmith_core::training::TrainingRules;

    use super::*;

    const START: &str = "ppppp/ppppp/5/PPPPP/PPPPP w";

    fn sampling<'a>(start: &'a dyn AnyPosition, most: Option<u32>, blend: f64) -> Sampling<'a> {
        Sampling { start, rules: &TrainingRules::PATTERNS, most, blend, seed: 1, cancel: CancelToken::new() }
    }

    /// White wins after a move of each side and a branch of White's.
    fn texts(count: usize) -> Vec<String> {
        vec!["1-0 : a2a3 20 (b2b3 -10) a4b3 -20 c2b3 31990".to_string(); count]
    }

    fn labels(sampling: &Sampling<'_>, slope: f64) -> Vec<(f64, bool)> {
        let round = sampling.read_round(Key::of("round"), &texts(11)).unwrap();
        let mut labels = Vec::new();
        let rounds = [RoundGames { slope, ..round }];
        sampling.visit(&rounds, &mut |sample| labels.push((sample.label, sample.is_held_out))).unwrap();
        labels
    }

    #[test]
    fn labels_blend_result_and_score() {
        let start = games::find("breakthrough").unwrap().parse_position(START).unwrap();
        let labels = labels(&sampling(&*start, None, 0.25), 0.1);
        let [plus, minus] = [2.0_f64, -2.0].map(|logit| 1.0 / (1.0 + (-logit).exp()));
        let branch = 1.0 / (1.0 + 1.0_f64.exp());
        let expected = [0.25 + 0.75 * plus, branch, 0.75 * minus, 1.0];
        assert_eq!(labels.len(), 11 * 4);
        for (number, game) in labels.chunks(4).enumerate() {
            for ((label, is_held_out), expected) in game.iter().zip(expected) {
                assert!((label - expected).abs() < 1e-12, "{label} {expected}");
                assert_eq!(*is_held_out, number % 10 == 0, "one game in ten is held out");
            }
        }
    }

    #[test]
    fn a_game_gives_at_most_so_many_positions_in_its_order() {
        let start = games::find("breakthrough").unwrap().parse_position(START).unwrap();
        let all = labels(&sampling(&*start, None, 0.5), 0.1);
        let some = labels(&sampling(&*start, Some(2), 0.5), 0.1);
        assert_eq!(some.len(), 11 * 2);
        for (some, all) in some.chunks(2).zip(all.chunks(4)) {
            let mut rest = all.iter();
            assert!(some.iter().all(|label| rest.any(|other| other == label)), "{some:?} {all:?}");
        }
    }

    #[test]
    fn reading_stops_when_it_is_cancelled() {
        let start = games::find("breakthrough").unwrap().parse_position(START).unwrap();
        let sampling = sampling(&*start, None, 0.5);
        let round = sampling.read_round(Key::of("round"), &texts(3)).unwrap();
        sampling.cancel.cancel();
        let again = sampling.read_round(Key::of("round"), &texts(3)).map(drop);
        for stopped in [again, sampling.visit(&[round], &mut |_| ())] {
            assert!(matches!(stopped, Err(RunError::Cancelled(None))));
        }
    }

    #[test]
    fn rounds_know_their_slope_and_their_counts() {
        let start = games::find("breakthrough").unwrap().parse_position(START).unwrap();
        let round = sampling(&*start, None, 0.5).read_round(Key::of("round"), &texts(3)).unwrap();
        assert_eq!((round.played, round.branches), (9, 3));
        assert!(round.slope > 0.99, "scores that are always right");
        let wrong = sampling(&*start, None, 0.5).read_round(Key::of("round"), &["1-0 : a2a5 3".to_string()]);
        assert!(wrong.err().unwrap().to_string().contains("'a2a5' is not a move here"));
    }
}
