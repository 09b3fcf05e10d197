//! Probabilities from counts.
//!
//! A rate of few moves is uncertain, and a rate of 0 or none at all makes no weight. So each is drawn to the overall rate:
//! it is taken as if `smoothing` more moves (or positions) had been seen in which the overall rate held. What never could be
//! played has the overall rate. Probabilities are kept in millionths, and 0 becomes the smallest.

use plysmith_core::feature::{Atom, Conjunction, Cost, Feature, Probability, Rule, Scheme};
use plysmith_core::games::GameInfo;
use plysmith_core::transitions::{Categories, Tally};
use plysmith_learn::stats::outcomes::Wdl;
use plysmith_learn::stats::wilson_interval;

use super::config::{Config, CountBy};
use super::counting::CountedGames;
use super::{CategoryRow, Counted};
use crate::error::RunError;

/// The name of all other moves, as in schemes.
pub const OTHER: &str = "Other";
/// Millionths in one.
const MILLION: f64 = 1e6;

/// The probabilities of all categories, and their scheme.
pub fn estimate(
    config: &Config,
    game: &GameInfo,
    categories: &Categories,
    counted: &CountedGames<'_>,
) -> Result<Counted, RunError> {
    let counts = &counted.counts;
    if counts.positions() == 0 {
        let CountedGames { games, single, lost, .. } = counted;
        return Err(RunError::input(format!(
            "{games} games have no position to count ({single} with a single legal move, {lost} lost); give more games"
        )));
    }
    let mut tallies = counts.rows();
    let other = tallies.pop();
    // Features stand as they were named; cells by how often they occur, so that those without a rule are the rarest.
    let is_partition = categories.is_partition();
    if is_partition {
        tallies.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.moves));
    }
    let all = tallies.iter().chain(&other).map(|(_, tally)| tally);
    let overall = match config.count {
        CountBy::PerMove => counts.positions() as f64 / counts.moves() as f64,
        CountBy::PerPosition => {
            let (played, positions) =
                all.fold((0, 0), |(played, positions), tally| (played + tally.played, positions + tally.positions));
            played as f64 / positions as f64
        }
    };
    let probability = |tally: &Tally| smoothed(tally, config.count, config.smoothing, overall);
    let named = tallies.iter().take(Scheme::MOST_RULES);
    let rule = |(feature, tally): &(Option<Feature>, Tally)| {
        Some(Rule::new(feature.clone()?, Cost::Probability(probability(tally))))
    };
    let other_cost = other.as_ref().map(|(_, tally)| Cost::Probability(probability(tally)));
    let mut rules: Vec<Rule> = named.filter_map(rule).collect();
    if let Some(cost) = other_cost {
        let unseen = unseen_atoms(categories, &rules, cost);
        rules.extend(unseen);
    }
    let scheme = Scheme::of_rules(rules, other_cost, is_partition)?;
    let row = |(place, (feature, tally)): (usize, &(Option<Feature>, Tally))| {
        let name = feature.as_ref().map_or(OTHER.to_string(), |feature| game.vocabulary.print_feature(feature));
        let has_rule = feature.is_none() || place < Scheme::MOST_RULES;
        CategoryRow::new(name, tally, config.count, has_rule.then(|| probability(tally)))
    };
    Ok(Counted {
        game: config.game.clone(),
        games: counted.games,
        positions: counts.positions(),
        moves: counts.moves(),
        single: counted.single,
        lost: counted.lost,
        overall,
        categories: tallies.iter().chain(&other).enumerate().map(row).collect(),
        scheme: game.vocabulary.print_scheme(&scheme),
    })
}

/// A rule for each atom of a partition that no move had, with what all other moves cost. Without it the scheme would not
/// name the atom, and moves with it would belong to the cell of their other atoms.
fn unseen_atoms(categories: &Categories, rules: &[Rule], other: Cost) -> Vec<Rule> {
    let Categories::Partition(atoms) = categories else { return Vec::new() };
    let alternatives = rules.iter().flat_map(|rule| rule.feature.alternatives());
    let used = alternatives.fold(Conjunction::NEUTRAL, Conjunction::and);
    let is_unseen = |atom: &Atom| !Conjunction::of([*atom]).is_within(used);
    let room = Scheme::MOST_RULES.saturating_sub(rules.len());
    atoms.atoms().filter(is_unseen).take(room).map(|atom| Rule::new(Conjunction::of([atom]).into(), other)).collect()
}

/// How often a move of the category could have been played, as it is counted.
fn trials(tally: &Tally, count: CountBy) -> u64 {
    match count {
        CountBy::PerMove => tally.moves,
        CountBy::PerPosition => tally.positions,
    }
}

/// The rate, drawn to the overall rate.
fn smoothed(tally: &Tally, count: CountBy, smoothing: f64, overall: f64) -> Probability {
    let trials = trials(tally, count) as f64;
    let rate = match trials + smoothing {
        0.0 => overall,
        all => (tally.played as f64 + smoothing * overall) / all,
    };
    let millionths = (rate * MILLION).round().clamp(1.0, MILLION);
    // The clamped number is in the range.
    Probability::of_millionths(millionths as u32).unwrap_or_else(|| unreachable!("from 1 to a million"))
}

impl CategoryRow {
    fn new(category: String, tally: &Tally, count: CountBy, probability: Option<Probability>) -> CategoryRow {
        let &Tally { moves, positions, played } = tally;
        let rate = |of: u64| (of > 0).then(|| played as f64 / of as f64);
        let trials = trials(tally, count);
        let interval = wilson_interval(&Wdl { wins: played, draws: 0, losses: trials - played });
        CategoryRow {
            category,
            moves,
            positions,
            played,
            per_move: rate(moves),
            per_position: rate(positions),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            probability: probability.map(|probability| f64::from(probability.millionths()) / MILLION),
        }
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::transitions::Tally;

    use super::super::CountBy;
    use super::smoothed;

    #[test]
    fn rates_are_drawn_to_the_overall_one_and_never_0() {
        let tally = |moves, positions, played| Tally { moves, positions, played };
        let rate = |tally, smoothing| smoothed(&tally, CountBy::PerMove, smoothing, 0.04).millionths();
        assert_eq!(rate(tally(100, 50, 30), 0.0), 300_000);
        assert_eq!(smoothed(&tally(100, 50, 30), CountBy::PerPosition, 0.0, 0.04).millionths(), 600_000);
        assert_eq!(rate(tally(90, 50, 30), 10.0), 304_000, "(30 + 10 × 0.04) / 100");
        assert_eq!(rate(tally(0, 0, 0), 10.0), 40_000, "never seen: the overall rate");
        assert_eq!(rate(tally(0, 0, 0), 0.0), 40_000);
        assert_eq!(rate(tally(1_000, 900, 0), 0.0), 1, "0 would be an endless reduction");
        assert_eq!(rate(tally(1_000, 900, 0), 10.0), 396);
        assert_eq!(rate(tally(7, 7, 7), 0.0), 1_000_000);
    }
}
