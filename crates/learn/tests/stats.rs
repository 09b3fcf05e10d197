//! Statistics of matches: the test vectors of fishtest and fastchess, the formulas in their textbook form, and
//! properties that hold for any counts.

use plysmith_learn::stats::{
    elo::{EloEstimate, likelihood_of_superiority, logistic_elo, normalized_elo},
    outcomes::{Outcomes, Penta, Wdl},
    sprt::{EloModel, ErrorRates, Hypotheses, Sprt, SprtVerdict},
};
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

fn sprt(model: EloModel, hypotheses: &str) -> Sprt {
    Sprt::new(model, hypotheses.parse().unwrap(), ErrorRates::default()).unwrap()
}

fn penta(text: &str) -> Penta {
    text.parse().unwrap()
}

/// An estimate as printed: Elo, nElo, likelihood of superiority.
fn printed(outcomes: &impl Outcomes) -> String {
    let los = 100.0 * likelihood_of_superiority(outcomes).unwrap();
    format!("{}, {}, {los:.2} %", logistic_elo(outcomes).unwrap(), normalized_elo(outcomes).unwrap())
}

#[test]
fn vectors_1_2_9_normalized_pairs() {
    let llr = |pairs, hypotheses| format!("{:.4}", sprt(EloModel::Normalized, hypotheses).llr(&penta(pairs)));
    assert_eq!(llr("365,16618,36229,16974,390", "0,2"), "2.2504");
    assert_eq!(llr("127,4883,10712,5150,104", "-1.75,0.25"), "3.0102");
    assert_eq!(llr("379,10170,21828,10640,343", "0,2"), "2.9455");
    assert_eq!(normalized_elo(&penta("379,10170,21828,10640,343")).unwrap().to_string(), "3.05 ± 2.31");
    assert_eq!(sprt(EloModel::Normalized, "0,2").verdict(&penta("379,10170,21828,10640,343")), SprtVerdict::AcceptH1);
}

#[test]
fn vector_3_logistic_pairs() {
    let (test, pairs) = (sprt(EloModel::Logistic, "0.5,2.5"), penta("223,9863,21279,10037,246"));
    assert_eq!(
        (format!("{:.4}", test.llr(&pairs)), test.verdict(&pairs)),
        ("-3.0741".to_string(), SprtVerdict::AcceptH0)
    );
}

#[test]
fn vectors_4_5_games() {
    let games = Wdl { wins: 36433, draws: 68692, losses: 36027 };
    assert_eq!(format!("{:.4}", sprt(EloModel::Normalized, "0,2").llr(&games)), "0.9233");
    let games = Wdl { wins: 21404, draws: 40708, losses: 21184 };
    assert_eq!(format!("{:.4}", sprt(EloModel::Logistic, "0.5,2.5").llr(&games)), "-1.5719");
}

#[test]
fn vectors_6_8_estimates() {
    assert_eq!(printed(&penta("34,54,63,64,75")), "55.58 ± 27.65, 57.94 ± 28.28, 100.00 %");
    assert_eq!(printed(&Wdl { wins: 136, draws: 111, losses: 96 }), "40.70 ± 30.43, 49.77 ± 36.77, 99.60 %");
}

#[test]
fn vector_7_nothing_but_won_pairs() {
    let llr = sprt(EloModel::Normalized, "0,5").llr(&penta("0,0,0,0,5550"));
    assert_eq!(format!("{llr:.2}"), "111.80");
}

/// The formulas of the papers, for counts without zeros: bisection for the multiplier itself.
mod word_by_word {
    use super::{EloModel, Hypotheses};

    fn fit(shares: &[f64], values: &[f64]) -> Vec<f64> {
        let most = values.iter().copied().fold(f64::MIN, f64::max);
        let least = values.iter().copied().fold(f64::MAX, f64::min);
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        for _ in 0..100 {
            let x = (low + high) / 2.0;
            let sum: f64 = shares.iter().zip(values).map(|(p, f)| p * f / (1.0 + x * f)).sum();
            if sum > 0.0 { low = x } else { high = x }
        }
        shares.iter().zip(values).map(|(p, f)| p / (1.0 + low * f)).collect()
    }

    fn under(model: EloModel, elo: f64, shares: &[f64]) -> Vec<f64> {
        let n = shares.len();
        let scores: Vec<f64> = (0..n).map(|i| i as f64 / (n - 1) as f64).collect();
        if model == EloModel::Logistic {
            let s = 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
            return fit(shares, &scores.iter().map(|a| a - s).collect::<Vec<_>>());
        }
        let t = elo * 10f64.ln() / 800.0 * if n == 5 { 2f64.sqrt() } else { 1.0 };
        let mut q = vec![1.0 / n as f64; n];
        loop {
            let m: f64 = q.iter().zip(&scores).map(|(q, a)| q * a).sum();
            let d = q.iter().zip(&scores).map(|(q, a)| q * (a - m).powi(2)).sum::<f64>().sqrt();
            let f: Vec<f64> = scores.iter().map(|a| a - 0.5 - t * d * (1.0 + ((a - m) / d).powi(2)) / 2.0).collect();
            let next = fit(shares, &f);
            let moved = q.iter().zip(&next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
            q = next;
            if moved < 1e-9 {
                return q;
            }
        }
    }

    pub fn llr(model: EloModel, hypotheses: Hypotheses, counts: &[u64]) -> f64 {
        let total = counts.iter().sum::<u64>() as f64;
        let shares: Vec<f64> = counts.iter().map(|&count| count as f64 / total).collect();
        let (q0, q1) = (under(model, hypotheses.elo0, &shares), under(model, hypotheses.elo1, &shares));
        total * shares.iter().zip(q0.iter().zip(&q1)).map(|(p, (q0, q1))| p * (q1 / q0).ln()).sum::<f64>()
    }
}

/// Counts of every size, including zero and the largest.
fn any_count() -> impl Strategy<Value = u64> {
    prop_oneof![0..3u64, 0..1000u64, (0..64u32, any::<u64>()).prop_map(|(bits, any)| any >> bits), u64::MAX..=u64::MAX]
}

fn any_pairs() -> impl Strategy<Value = Penta> {
    [any_count(), any_count(), any_count(), any_count(), any_count()].prop_map(Penta)
}

fn any_games() -> impl Strategy<Value = Wdl> {
    [any_count(), any_count(), any_count()].prop_map(|[wins, draws, losses]| Wdl { wins, draws, losses })
}

/// Counts of a realistic match: no outcome is rare.
fn common_pairs() -> impl Strategy<Value = Penta> {
    (1..300u64, [10..100u64, 10..100u64, 10..100u64, 10..100u64, 10..100u64])
        .prop_map(|(scale, parts)| Penta(parts.map(|part| part * scale)))
}

fn models() -> impl Strategy<Value = EloModel> {
    prop_oneof![Just(EloModel::Logistic), Just(EloModel::Normalized)]
}

/// Two hypotheses at most 100 Elo from equality.
fn hypotheses() -> impl Strategy<Value = Hypotheses> {
    (-100.0..99.0, 0.01..1.0f64).prop_map(|(elo0, part)| Hypotheses { elo0, elo1: elo0 + part * (100.0 - elo0) })
}

fn rates() -> impl Strategy<Value = ErrorRates> {
    (0.001..0.5, 0.001..0.5).prop_map(|(alpha, beta)| ErrorRates { alpha, beta })
}

/// Whether two ratios are equal up to rounding, given the number of outcomes.
fn close(one: f64, other: f64, total: u128) -> bool {
    (one - other).abs() <= 1e-8 * (1.0 + one.abs()) + 1e-12 * total as f64
}

/// Properties of any outcomes.
fn sound(outcomes: &impl Outcomes, test: Sprt) -> bool {
    let (llr, bounds) = (test.llr(outcomes), test.bounds());
    let expected = match test.verdict(outcomes) {
        SprtVerdict::AcceptH0 => llr <= bounds.lower,
        SprtVerdict::Continue => bounds.lower < llr && llr < bounds.upper,
        SprtVerdict::AcceptH1 => bounds.upper <= llr,
    };
    let mut estimates = [logistic_elo(outcomes), normalized_elo(outcomes)].into_iter().flatten();
    let finite = |estimate: EloEstimate| {
        estimate.value.is_finite() && estimate.error.is_none_or(|error| error.is_finite() && error > 0.0)
    };
    let likely = likelihood_of_superiority(outcomes).is_none_or(|likely| (0.0..=1.0).contains(&likely));
    llr.is_finite() && expected && estimates.all(finite) && likely
}

/// Reversing the outcomes and the hypotheses negates the ratio; with exchanged error rates it also reverses the
/// verdict.
fn opposite(outcomes: &impl Outcomes, model: EloModel, hypotheses: Hypotheses, rates: ErrorRates) -> bool {
    let here = Sprt::new(model, hypotheses, rates).unwrap();
    let turned = Hypotheses { elo0: -hypotheses.elo1, elo1: -hypotheses.elo0 };
    let there = Sprt::new(model, turned, ErrorRates { alpha: rates.beta, beta: rates.alpha }).unwrap();
    let bounds = (here.bounds(), there.bounds());
    close(here.llr(outcomes), -there.llr(&outcomes.reversed()), outcomes.total())
        && close(bounds.0.lower, -bounds.1.upper, 0)
        && close(bounds.0.upper, -bounds.1.lower, 0)
}

proptest! {
    #[test]
    fn any_counts_give_sound_answers(
        pairs in any_pairs(),
        games in any_games(),
        model in models(),
        hypotheses in hypotheses(),
        rates in rates(),
    ) {
        let test = Sprt::new(model, hypotheses, rates).unwrap();
        prop_assert!(sound(&pairs, test), "{}: {:?}", test.llr(&pairs), logistic_elo(&pairs));
        prop_assert!(sound(&games, test), "{}: {:?}", test.llr(&games), logistic_elo(&games));
    }

    #[test]
    fn extreme_hypotheses_give_sound_answers(
        pairs in any_pairs(),
        games in any_games(),
        model in models(),
        far in any::<bool>(),
    ) {
        let most = model.most_elo();
        let hypotheses = Hypotheses { elo0: if far { -most } else { most - 1e-9 }, elo1: most };
        let test = Sprt::new(model, hypotheses, ErrorRates { alpha: 1e-300, beta: 0.5 }).unwrap();
        prop_assert!(sound(&pairs, test) && sound(&games, test));
    }

    #[test]
    fn it_is_what_the_formulas_say(pairs in common_pairs(), model in models(), hypotheses in hypotheses()) {
        let test = Sprt::new(model, hypotheses, ErrorRates::default()).unwrap();
        let (llr, expected) = (test.llr(&pairs), word_by_word::llr(model, hypotheses, &pairs.0));
        prop_assert!(close(llr, expected, pairs.total()), "{} {}", llr, expected);
        let games = Wdl { wins: pairs.0[4], draws: pairs.0[2], losses: pairs.0[0] };
        let counts = [games.losses, games.draws, games.wins];
        let (llr, expected) = (test.llr(&games), word_by_word::llr(model, hypotheses, &counts));
        prop_assert!(close(llr, expected, games.total()), "{} {}", llr, expected);
    }

    #[test]
    fn the_other_side_sees_the_opposite(
        pairs in any_pairs(),
        games in any_games(),
        model in models(),
        hypotheses in hypotheses(),
        rates in rates(),
    ) {
        prop_assert!(opposite(&pairs, model, hypotheses, rates));
        prop_assert!(opposite(&games, model, hypotheses, rates));
    }

    /// Adding a won pair adds ln(q1/q0) of the best outcome, which is positive in the logistic model for all counts.
    #[test]
    fn wins_raise_the_logistic_ratio_and_losses_lower_it(
        pairs in [0..1000u64, 0..1000u64, 0..1000u64, 0..1000u64, 0..1000u64],
        hypotheses in hypotheses(),
    ) {
        let test = Sprt::new(EloModel::Logistic, hypotheses, ErrorRates::default()).unwrap();
        let llr = |index: usize| {
            let mut more = pairs;
            more[index] += 1;
            test.llr(&Penta(more))
        };
        if Penta(pairs).total() > 0 {
            prop_assert!(llr(4) > test.llr(&Penta(pairs)) && test.llr(&Penta(pairs)) > llr(0));
            let counts = [0, 1, 2, 3, 4].map(llr);
            prop_assert!(counts.is_sorted_by(|worse, better| *worse <= better + 0.01), "{:?}", counts);
        }
        let games = Wdl { wins: pairs[0], draws: pairs[1], losses: pairs[2] };
        if games.total() > 0 {
            let (won, lost) = (Wdl { wins: games.wins + 1, ..games }, Wdl { losses: games.losses + 1, ..games });
            prop_assert!(test.llr(&won) > test.llr(&games) && test.llr(&games) > test.llr(&lost));
        }
    }

    /// If no outcome is rare and the hypotheses are close, the normalized model agrees.
    #[test]
    fn wins_raise_the_normalized_ratio_in_common_matches(pairs in common_pairs(), elo0 in -20.0..19.0) {
        let test = Sprt::new(EloModel::Normalized, Hypotheses { elo0, elo1: elo0 + 1.0 }, ErrorRates::default()).unwrap();
        let [mut won, mut lost] = [pairs; 2];
        won.0[4] += 1;
        lost.0[0] += 1;
        prop_assert!(test.llr(&won) > test.llr(&pairs) && test.llr(&pairs) > test.llr(&lost));
    }

    #[test]
    fn counts_print_and_parse_back(pairs in any_pairs(), games in any_games()) {
        prop_assert_eq!(pairs.to_string().parse(), Ok(pairs));
        prop_assert_eq!(games.to_string().parse(), Ok(games));
    }
}
