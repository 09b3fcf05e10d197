//! Makes graded suites: ordinary positions of self-play, from all phases of games, with values of moves.
//!
//! Game `n` gives at most one position, from the phase `n mod 3`: the first, second or last third of the game. So phases
//! are equally frequent, and no two positions are of the same game. Games begin with random moves. Positions that are
//! lost, or leave no choice, are left out, and so are those that differ from an earlier one by no more than two moves.
//!
//! In most positions nearly all players choose the same move, and nothing is learned from them. *Critical* positions are
//! those in which the regrets of a panel of players differ most. The panel decides only which positions are taken.

use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::random::Random;
use plysmith_core::settings::Settings;
use plysmith_core::suite::graded::{Expectation, GradedPosition, GradedSuite, Grades, Judge};
use plysmith_core::training::{TrainingGame, TrainingPlan};
use plysmith_engine::player::Participant;
use plysmith_engine::uci::client::UciTimeouts;
use plysmith_learn::stats::RunningMean;

use crate::choice::Chooser;
use crate::error::RunError;
use crate::examiner::{Answer, Examination, Examiner, Judging};
use crate::screening::{RegretTest, USUAL_ERROR, Verdict, smallest_difference};
use crate::self_play::SelfPlay;
use crate::services::Services;

/// A graded suite to make.
#[derive(Clone, Debug)]
pub struct GradedPlan {
    /// The game.
    pub game: &'static GameInfo,
    /// The start position.
    pub start: String,
    /// Number of positions.
    pub count: usize,
    /// Who plays the games, and against whom.
    pub settings: Settings,
    /// Nodes per move of the games, and of the moves that are valued.
    pub nodes: u64,
    /// Random seed.
    pub seed: u64,
    /// Who values moves.
    pub judge: Judge,
    /// Takes critical positions only.
    pub critical: Option<Critical>,
}

/// How critical positions are chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Critical {
    /// Positions to choose from.
    pub pool: usize,
    /// The players whose regrets have to differ.
    pub panel: Vec<String>,
}

/// A graded suite that was made.
#[derive(Clone, PartialEq, Debug)]
pub struct MadeSuite {
    /// The suite.
    pub suite: GradedSuite,
    /// What the critical positions can tell, if they were chosen.
    pub power: Option<Power>,
}

/// What critical positions can tell of one pair of players.
#[derive(Clone, PartialEq, Debug)]
pub struct Power {
    /// How much of the panel's differences in regret on the whole pool they have, as a share of the variance.
    pub share: f64,
    /// Variants of the panel that had no part in a choice of as many positions.
    pub variants: usize,
    /// Those of them that a screening on these positions tells from the player of the games, at an error rate of 5 %.
    pub told: usize,
    /// Those that a screening on as many positions tells that were not chosen.
    pub told_at_random: usize,
    /// The smallest mean difference in regret that the positions tell, for a typical variant.
    pub smallest: f64,
}

/// Phases of a game.
const PHASES: usize = 3;
/// The positions before, two plies apart, that come with each position. One warms the table nearly as well as three do, and
/// twice as many positions can be searched (docs/experiments.md).
const BEFORE: usize = 1;
/// Positions with a smaller expected result are lost. Those that are being won are kept: it takes good moves to win them.
const LOST: f64 = 0.05;
/// Two moves change at most this many squares.
const NEAR: usize = 4;
/// Games that are played for each position that is wanted, before there are too few.
const GAMES_PER_POSITION: u64 = 4;
/// Positions that are valued at once.
const BLOCK: usize = 200;

/// Makes a suite.
pub fn make(plan: &GradedPlan, services: &Services) -> Result<MadeSuite, RunError> {
    let pool = plan.critical.as_ref().map_or(plan.count, |critical| critical.pool.max(plan.count));
    let mut positions = gather(plan, pool, services)?;
    let regrets = grade(plan, &mut positions, services)?;
    let mut power = None;
    if plan.critical.is_some() {
        let chosen = most_critical(&regrets.spreads(|_| true), plan.count);
        power = Some(regrets.power(&chosen, plan.count));
        positions = chosen.into_iter().map(|place| positions[place].clone()).collect();
    }
    for (number, position) in (1..).zip(&mut positions) {
        position.id = format!("{}-{number:04}", &plan.game.name[..1]);
    }
    let suite = GradedSuite { name: format!("graded {}", plan.game.name), positions };
    Ok(MadeSuite { suite, power })
}

/// The places of the largest spreads, in order of place.
fn most_critical(spreads: &[f64], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..spreads.len()).collect();
    places.sort_by(|&a, &b| spreads[b].total_cmp(&spreads[a]).then(a.cmp(&b)));
    places.truncate(count);
    places.sort_unstable();
    places
}

/// Plays games until there are enough positions.
fn gather(plan: &GradedPlan, count: usize, services: &Services) -> Result<Vec<GradedPosition>, RunError> {
    let GradedPlan { game, settings, nodes, seed, .. } = *plan;
    let start = (game.open)(&plan.start).map_err(|error| RunError::input(format!("start position: {error}")))?;
    let mut positions: Vec<GradedPosition> = Vec::new();
    let mut boards: Vec<Vec<char>> = Vec::new();
    let (mut played, batch) = (0, count as u64);
    while positions.len() < count {
        if played == GAMES_PER_POSITION * batch {
            let found = positions.len();
            return Err(RunError::failed(format!(
                "only {found} of {count} positions were found in {played} games; reduce --count"
            )));
        }
        let plan = TrainingPlan { settings, nodes, seed, rules: game.training };
        let progress = services.begin_progress(batch);
        progress.message(format!("{} positions from {played} games", positions.len()));
        let texts = SelfPlay { game, start: &*start, plan, games: played + batch }.play(services, &progress)?;
        for (number, text) in texts.iter().enumerate().skip(played as usize) {
            let record: TrainingGame = text.parse().map_err(RunError::failed)?;
            let Some(found) = pick(game, &*start, &record, number, seed)? else { continue };
            let board = expanded(&found.position);
            if positions.len() < count && boards.iter().all(|other| distance(other, &board) > NEAR) {
                positions.push(found);
                boards.push(board);
            }
        }
        played += batch;
    }
    Ok(positions)
}

/// A position of a game's phase; none if there is none that is open.
fn pick(
    game: &GameInfo,
    start: &dyn AnyPosition,
    record: &TrainingGame,
    number: usize,
    seed: u64,
) -> Result<Option<GradedPosition>, RunError> {
    let damaged = |error| RunError::failed(format!("training game {number}: {error}"));
    let mut position = start.boxed();
    for m in &record.opening {
        position = position.play(m).map_err(damaged)?;
    }
    let mut positions = Vec::new();
    for ply in &record.plies {
        let next = position.play(&ply.m).map_err(damaged)?;
        positions.push(std::mem::replace(&mut position, next));
    }
    let (phase, length) = (number % PHASES, positions.len());
    let (first, end) = (phase * length / PHASES, (phase + 1) * length / PHASES);
    let mut random = Random::for_purpose(seed, &format!("graded position of game {number}"));
    let offset = if end > first { random.below(end - first) } else { 0 };
    let is_open = |place: &usize| {
        let expected = game.expected_result(record.plies[*place].score);
        expected >= LOST && positions[*place].moves().len() > 1
    };
    let place = (first..end).map(|place| first + (place - first + offset) % (end - first)).find(is_open);
    Ok(place.map(|place| {
        let before = (1..=BEFORE).rev().filter_map(|back| place.checked_sub(2 * back));
        GradedPosition {
            id: String::new(),
            position: positions[place].text(),
            before: before.map(|earlier| positions[earlier].text()).collect(),
            grades: Grades::Judged { judge: None, values: Vec::new() },
        }
    }))
}

/// Values the moves that the judge, the players of the games, the papers' engine and the panel choose. Returns the regrets
/// of the players.
fn grade(plan: &GradedPlan, positions: &mut [GradedPosition], services: &Services) -> Result<Regrets, RunError> {
    let GradedPlan { game, judge, nodes, .. } = plan;
    let player = |text: &str| {
        let player = Participant::parse(game, text).map_err(RunError::input)?;
        Chooser::new(game, player)
    };
    let panel = plan.critical.iter().flat_map(|critical| &critical.panel).cloned();
    let players = [game.print_settings(&plan.settings), "classic".to_string()].into_iter().chain(panel);
    let choosers = players.chain([judge.player.clone()]).map(|text| player(&text)).collect::<Result<Vec<_>, _>>()?;
    let seeds = vec![plan.seed; choosers.len() - 1];
    let suite = GradedSuite { name: String::new(), positions: positions.to_vec() };
    let examination = Examination { game, suite: &suite, judge, nodes: *nodes, seeds: &seeds };
    let mut examiner = Examiner::new(examination, &choosers, UciTimeouts::default(), services)?;
    let progress = services.begin_progress(positions.len() as u64);
    progress.message("valuing moves");
    let mut regrets = Vec::new();
    for first in (0..positions.len()).step_by(BLOCK) {
        let block = first..(first + BLOCK).min(positions.len());
        let answers = examiner.examine(block.clone(), Judging::All, services)?;
        for (place, row) in block.zip(answers) {
            // Built-in players fail nowhere, and all moves are judged.
            let regret = |answer: &Option<Answer>| answer.as_ref().and_then(|answer| answer.regret).unwrap_or_default();
            regrets.push(row.iter().map(regret).collect());
            let mut values: Vec<(String, Expectation)> =
                examiner.values_of(place).map(|(m, value)| (m.to_string(), Expectation::nearest(value))).collect();
            values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            positions[place].grades = Grades::Judged { judge: Some(judge.clone()), values };
            progress.set_part_done(place as u64 + 1);
        }
    }
    Ok(Regrets(regrets))
}

/// The regrets of players, by position: that of the player of the games, that of the papers' engine, those of the panel.
struct Regrets(Vec<Vec<f64>>);

/// Players before the panel.
const OTHERS: usize = 2;

impl Regrets {
    /// The variance of the regrets of these players in each position. Which move is right does not matter: positions chosen
    /// because weak players err in them would favour whoever plays like the strong ones.
    fn spreads(&self, has_say: impl Fn(usize) -> bool) -> Vec<f64> {
        let spread = |row: &Vec<f64>| {
            let mut regrets = RunningMean::default();
            row.iter().enumerate().filter(|(player, _)| has_say(*player)).for_each(|(_, regret)| regrets.add(*regret));
            regrets.deviation().powi(2)
        };
        self.0.iter().map(spread).collect()
    }

    /// How much less one player's moves cost than those of the player of the games, in these positions.
    fn differences(&self, player: usize, places: &[usize]) -> Vec<f64> {
        places.iter().map(|&place| self.0[place][0] - self.0[place][player]).collect()
    }

    /// What the chosen positions can tell. Every other variant of the panel chooses as many positions once more, and the rest
    /// are told from the player of the games, or not.
    fn power(&self, chosen: &[usize], count: usize) -> Power {
        let spreads = self.spreads(|_| true);
        let all: f64 = spreads.iter().sum();
        let share = if all > 0.0 { chosen.iter().map(|&place| spreads[place]).sum::<f64>() / all } else { 0.0 };
        let judges: Vec<usize> = (OTHERS..self.0.first().map_or(0, Vec::len)).skip(1).step_by(2).collect();
        let by_half = most_critical(&self.spreads(|player| !judges.contains(&player)), count);
        let at_random: Vec<usize> = (0..count.min(self.0.len())).collect();
        let tells = |player: usize, places: &[usize]| {
            RegretTest::verdict_on(&self.differences(player, places), USUAL_ERROR) != Verdict::CannotTell
        };
        let told_on = |places: &[usize]| judges.iter().filter(|&&player| tells(player, places)).count();
        let mut deviations: Vec<f64> = judges
            .iter()
            .map(|&player| {
                let mut observed = RunningMean::default();
                self.differences(player, &by_half).into_iter().for_each(|difference| observed.add(difference));
                observed.deviation()
            })
            .collect();
        deviations.sort_by(f64::total_cmp);
        let typical = deviations.get(deviations.len() / 2).copied().unwrap_or_default();
        Power {
            share,
            variants: judges.len(),
            told: told_on(&by_half),
            told_at_random: told_on(&at_random),
            smallest: smallest_difference(USUAL_ERROR, count, typical),
        }
    }
}

/// The squares of a board whose text counts empty squares in digits.
fn expanded(position: &str) -> Vec<char> {
    let board = position.split_whitespace().next().unwrap_or_default();
    let mut squares = Vec::new();
    for letter in board.chars() {
        match letter.to_digit(10) {
            Some(count) => squares.extend(std::iter::repeat_n('.', count as usize)),
            None => squares.push(letter),
        }
    }
    squares
}

/// The number of squares in which two boards differ.
fn distance(one: &[char], other: &[char]) -> usize {
    one.iter().zip(other).filter(|(a, b)| a != b).count() + one.len().abs_diff(other.len())
}

#[cfg(test)]
mod tests {
    use super::{Regrets, distance, expanded, most_critical};

    /// Of 400 positions, players differ in 40. Variants 2 to 5 err in each second of them, and choose the same ones.
    #[test]
    fn power_is_that_of_variants_that_had_no_say() {
        let row = |place: usize| match (place % 10, place % 20) {
            (0, 10) => vec![0.0, 0.0, 0.3, 0.3, 0.3, 0.3],
            (0, _) => vec![0.1, 0.0, 0.1, 0.1, 0.1, 0.1],
            _ => vec![0.0; 6],
        };
        let regrets = Regrets((0..400).map(row).collect());
        let chosen = most_critical(&regrets.spreads(|_| true), 40);
        assert!(chosen.iter().all(|place| place % 10 == 0), "{chosen:?}");
        let power = regrets.power(&chosen, 40);
        assert!((power.share - 1.0).abs() < 1e-9, "{power:?}");
        assert_eq!((power.variants, power.told, power.told_at_random), (2, 2, 0), "{power:?}");
        assert!((0.0..0.15).contains(&power.smallest), "{power:?}");
    }

    #[test]
    fn critical_positions_are_those_with_the_largest_spread_in_order() {
        assert_eq!(most_critical(&[0.0, 0.3, 0.1, 0.3, 0.0, 0.2], 3), [1, 3, 5]);
        assert_eq!(most_critical(&[0.1, 0.1, 0.1], 2), [0, 1]);
        assert_eq!(most_critical(&[0.1], 5), [0]);
    }

    #[test]
    fn boards_differ_in_the_squares_that_moves_change() {
        let start = expanded("pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w");
        assert_eq!(start.len(), 64 + 7);
        let moved = expanded("pppppppp/pppppppp/8/8/8/P7/1PPPPPPP/PPPPPPPP b");
        assert_eq!((distance(&start, &start), distance(&start, &moved)), (0, 2));
    }
}
