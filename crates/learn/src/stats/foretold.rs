//! What a sequential test will do, and what it says about the strength after it has ended.
//!
//! The log-likelihood ratio of one game is about (t1 − t0)(x − (t0 + t1)/2), where x is the game's score above one half in
//! standard deviations of a game, and t0 and t1 are the hypotheses in the same unit. So the test is a walk in a
//! `Corridor` with the variance (t1 − t0)² per game and a drift that is linear in the true difference.
//!
//! *Before* the test this gives the probability of each verdict and the number of games ([`Sprt::foretell`]). *After* it, the
//! usual estimate is biased: a test that ends early does so because it was lucky. The median-unbiased estimate takes the
//! difference for which the outcome, ordered by how much it speaks for H1 (an early end above, a late end above, a late end
//! below, an early end below), would be above and below what was seen equally often (Siegmund, "Estimation following
//! sequential tests", 1978); its interval takes the differences for which it would be so in 2.5 and 97.5 % ([`Sprt::unbiased`]).

use super::corridor::{Corridor, OVERSHOOT};
use super::likelihood::Sample;
use super::outcomes::Outcomes;
use super::scale::{NELO_SCALE, elo_of_score, expected_score};
use super::sprt::{EloModel, Sprt, SprtVerdict};

/// What a test will do if the true difference is this.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Foretold {
    /// The true difference, on the scale of the hypotheses.
    pub elo: f64,
    /// The probability that H1 is accepted.
    pub accepts_h1: f64,
    /// The probability that H0 is accepted.
    pub accepts_h0: f64,
    /// The games that it takes on average.
    pub mean_games: f64,
    /// The games in which half of all tests end, and 95 % of them; none if they are stopped before.
    pub quantiles: [Option<f64>; 2],
}

/// How the games of a test will be.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct GamesToCome {
    /// The share of drawn games.
    pub draws: f64,
    /// The most games.
    pub most: Option<u64>,
    /// Games after which the test is looked at: 2 for pairs.
    pub games_each: u32,
}

/// An estimate after the end of a test, with its 95 % interval.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Unbiased {
    /// Logistic Elo.
    pub elo: f64,
    /// The ends of its interval.
    pub elo_interval: [f64; 2],
    /// Normalized Elo.
    pub nelo: f64,
    /// The ends of its interval.
    pub nelo_interval: [f64; 2],
}

/// The scales of a test, for games with a certain deviation.
#[derive(Copy, Clone, Debug)]
struct Walk {
    sprt: Sprt,
    /// The standard deviation of a game's score.
    deviation: f64,
    /// Wins and draws per loss, under equality: A of the BayesElo model.
    draw_parameter: f64,
}

impl Walk {
    /// An Elo difference in standard deviations of a game.
    fn scaled(&self, elo: f64) -> f64 {
        match self.sprt.model() {
            EloModel::Normalized => elo / NELO_SCALE,
            EloModel::Logistic => (expected_score(elo) - 0.5) / self.deviation,
            EloModel::Bayesian => {
                let (a, x) = (self.draw_parameter, 10f64.powf(elo / 400.0));
                let (wins, losses) = (x / (x + a), 1.0 / (1.0 + a * x));
                (wins - losses) / 2.0 / self.deviation
            }
        }
    }

    /// The hypotheses in standard deviations of a game.
    fn hypotheses(&self) -> [f64; 2] {
        let hypotheses = self.sprt.hypotheses();
        [hypotheses.elo0, hypotheses.elo1].map(|elo| self.scaled(elo))
    }

    /// The corridor if the true difference is this, in standard deviations of a game. Its unit of time is one game's
    /// variance of the ratio. `games_each` are between two looks.
    fn corridor(&self, truth: f64, games_each: u32) -> Corridor {
        let [t0, t1] = self.hypotheses();
        let (bounds, step) = (self.sprt.bounds(), t1 - t0);
        let beyond = OVERSHOOT * step * f64::from(games_each).sqrt();
        Corridor { below: beyond - bounds.lower, above: bounds.upper + beyond, drift: (truth - (t0 + t1) / 2.0) / step }
    }

    /// Games in units of a corridor's time.
    fn time(&self, games: f64) -> f64 {
        let [t0, t1] = self.hypotheses();
        games * (t1 - t0).powi(2)
    }

    fn games(&self, time: f64) -> f64 {
        time / self.time(1.0)
    }
}

/// The BayesElo draw parameter A at which this share of games is drawn between equals: (A − 1)/(A + 1).
fn draw_parameter(draws: f64) -> f64 {
    (1.0 + draws) / (1.0 - draws)
}

impl Sprt {
    /// What the test will do if the true difference is `elo`, on the scale of the hypotheses.
    pub fn foretell(&self, elo: f64, games: GamesToCome) -> Foretold {
        let GamesToCome { draws, most, games_each } = games;
        // A game scores 0, 1/2 or 1, and the players are nearly equal.
        let draws = draws.clamp(0.0, 0.999);
        let walk = Walk { sprt: *self, deviation: (1.0 - draws).sqrt() / 2.0, draw_parameter: draw_parameter(draws) };
        let corridor = walk.corridor(walk.scaled(elo), games_each);
        let end = most.map(|games| walk.time(games as f64));
        let quantile = |share: f64| {
            let time = corridor.quantile(share);
            end.is_none_or(|end| time <= end).then(|| walk.games(time))
        };
        let [accepts_h1, accepts_h0, mean] = match end {
            None => [corridor.leaves_above(), 1.0 - corridor.leaves_above(), corridor.mean_time()],
            Some(end) => [corridor.left_above_by(end), corridor.left_below_by(end), corridor.mean_time_until(end)],
        };
        Foretold {
            elo,
            accepts_h1,
            accepts_h0,
            mean_games: walk.games(mean),
            quantiles: [quantile(0.5), quantile(0.95)],
        }
    }

    /// The strength that these outcomes of an ended test show; none if it has not ended.
    pub fn unbiased<O: Outcomes>(&self, outcomes: &O) -> Option<Unbiased> {
        let llr = self.llr(outcomes);
        let verdict = self.bounds().verdict(llr);
        let sample = Sample::of(outcomes).filter(|_| verdict != SprtVerdict::Continue)?;
        let games_each = f64::from(O::GAMES_PER_OUTCOME);
        let deviation = games_each.sqrt() * sample.moments(sample.shares()).deviation;
        let draws = sample.shares()[1].min(0.999);
        let walk = Walk { sprt: *self, deviation, draw_parameter: draw_parameter(draws) };
        let time = walk.time(games_each * sample.total());
        // How often an outcome would speak at least as much for H1 as this one.
        let above = |truth: f64| {
            let corridor = walk.corridor(truth, O::GAMES_PER_OUTCOME);
            // Where it ended is known.
            match verdict {
                SprtVerdict::AcceptH1 => Corridor { above: llr, ..corridor }.left_above_by(time),
                _ => 1.0 - Corridor { below: -llr, ..corridor }.left_below_by(time),
            }
        };
        let [low, middle, high] = [0.025, 0.5, 0.975].map(|share| solve(above, share));
        let elo = |truth: f64| elo_of_score((0.5 + truth * deviation).clamp(1e-9, 1.0 - 1e-9)).unwrap_or(0.0);
        Some(Unbiased {
            elo: elo(middle),
            elo_interval: [low, high].map(elo),
            nelo: middle * NELO_SCALE,
            nelo_interval: [low, high].map(|truth| truth * NELO_SCALE),
        })
    }
}

/// The difference in standard deviations of a game at which a rising function has this value, as far as there is one.
fn solve(function: impl Fn(f64) -> f64, value: f64) -> f64 {
    const FAR: f64 = 20.0;
    let (mut low, mut high) = (-FAR, FAR);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if function(middle) < value { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::outcomes::{Penta, Wdl};
    use crate::stats::sprt::{ErrorRates, Hypotheses};

    fn sprt(model: EloModel, elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(model, Hypotheses { elo0, elo1 }, ErrorRates::default()).unwrap()
    }

    #[test]
    fn a_plan_keeps_the_error_rates_and_is_longest_in_the_middle() {
        let games = GamesToCome { draws: 0.5, most: None, games_each: 2 };
        for model in EloModel::ALL {
            let test = sprt(model, 0.0, 5.0);
            let [h0, middle, h1] = [0.0, 2.5, 5.0].map(|elo| test.foretell(elo, games));
            assert!((0.03..0.051).contains(&h0.accepts_h1) && (0.03..0.051).contains(&h1.accepts_h0), "{h0:?} {h1:?}");
            assert!((middle.accepts_h1 - 0.5).abs() < 0.01, "{middle:?}");
            assert!(middle.mean_games > h0.mean_games && middle.mean_games > h1.mean_games);
            let [median, late] = h1.quantiles.map(|games| games.unwrap());
            assert!(median < h1.mean_games && late > 2.0 * median, "{h1:?}");
            let cut = GamesToCome { most: Some(h1.mean_games as u64), ..games };
            let cut = test.foretell(5.0, cut);
            assert!(cut.accepts_h1 + cut.accepts_h0 < 0.9 && cut.mean_games < 0.9 * h1.mean_games, "{cut:?}");
            assert!(cut.quantiles[0].is_some() && cut.quantiles[1].is_none());
        }
        let games = sprt(EloModel::Logistic, 0.0, 5.0);
        let [few, many] =
            [0.0, 0.8].map(|draws| games.foretell(5.0, GamesToCome { draws, most: None, games_each: 2 }).mean_games);
        assert!((few / many - 5.0).abs() < 0.2, "drawn games say less, but they vary less: {few} {many}");
    }

    #[test]
    fn estimates_after_a_stop_are_closer_to_the_middle() {
        let test = sprt(EloModel::Normalized, 0.0, 20.0);
        let early = Penta([5, 40, 95, 70, 22]);
        assert_eq!(test.verdict(&early), SprtVerdict::AcceptH1, "{}", test.llr(&early));
        let unbiased = test.unbiased(&early).unwrap();
        let [low, high] = unbiased.nelo_interval;
        assert!(low < unbiased.nelo && unbiased.nelo < high && unbiased.elo_interval[0] < unbiased.elo, "{unbiased:?}");
        let usual = crate::stats::normalized_elo(&early).unwrap();
        assert!(unbiased.nelo < usual.value && unbiased.nelo > 0.0, "{unbiased:?} {usual}");
        let mirrored = sprt(EloModel::Normalized, -20.0, 0.0).unbiased(&early.reversed()).unwrap();
        assert!((mirrored.nelo + unbiased.nelo).abs() < 1e-6, "{mirrored:?}");
        assert!(test.unbiased(&Penta([1, 1, 1, 1, 1])).is_none());
        for model in EloModel::ALL {
            let all = sprt(model, 0.0, 20.0).unbiased(&Wdl { wins: 4000, draws: 0, losses: 0 }).unwrap();
            assert!(all.elo.is_finite() && all.elo_interval.iter().all(|elo| elo.is_finite()), "{all:?}");
        }
    }
}
