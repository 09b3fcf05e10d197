//! Examines players on a graded suite: which moves they choose, and what these cost.
//!
//! A move's value is the expected result after it, as a judge sees it who searches the position behind the move with many
//! more nodes than the players had. The *regret* of a choice is the value of the best known move less its own value. Only
//! moves that somebody plays are judged, and every judgement is in the result cache.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use plysmith_core::games::GameInfo;
use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;
use plysmith_core::suite::graded::{GradedSuite, Judge};
use plysmith_engine::uci::client::UciTimeouts;

use crate::choice::{Choice, ChoiceJob, ChoiceWorker, Chooser, MOST_READY};
use crate::error::RunError;
use crate::memory::ThreadNeed;
use crate::remote::shared;
use crate::services::Services;

/// What players are examined on, and how.
#[derive(Copy, Clone, Debug)]
pub struct Examination<'a> {
    /// The game.
    pub game: &'static GameInfo,
    /// The positions.
    pub suite: &'a GradedSuite,
    /// Who values moves.
    pub judge: &'a Judge,
    /// Node limit of the players.
    pub nodes: u64,
    /// The random seed of each player.
    pub seeds: &'a [u64],
}

/// A player's answer to a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The move.
    pub m: String,
    /// What it costs, from 0 to [`MOST_REGRET`]; negative if it is better than all moves that were known. None if nobody
    /// has asked.
    pub regret: Option<f64>,
    /// Nodes of the player.
    pub nodes: u64,
    /// Moves made in the searches of a built-in player with features.
    pub moves: u64,
    /// For each of its features, how many of these moves it decided the cost of.
    pub fired: Vec<u64>,
}

/// Which moves are judged.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Judging {
    /// Those in positions where players differ.
    Differences,
    /// All.
    All,
}

/// A regret is counted as at most this: one blunder does not decide over hundreds of positions.
pub const MOST_REGRET: f64 = 0.5;

/// The judge's random seed: a judgement does not depend on whom it is asked for.
const JUDGE_SEED: u64 = 1;

/// Examines players.
pub struct Examiner<'a> {
    examination: Examination<'a>,
    players: usize,
    /// The players, then the judge.
    choosers: &'a [Chooser],
    workers: Vec<ChoiceWorker>,
    /// By place in the suite and move.
    values: HashMap<(usize, String), f64>,
    /// The value of the best known move, by place in the suite.
    best: HashMap<usize, f64>,
    /// Nodes of the judge so far.
    pub judge_nodes: u64,
}

impl<'a> Examiner<'a> {
    /// Prepares players. The last of the choosers is the judge.
    pub fn new(
        examination: Examination<'a>,
        choosers: &'a [Chooser],
        timeouts: UciTimeouts,
        services: &Services,
    ) -> Result<Examiner<'a>, RunError> {
        let mut largest: Vec<&Chooser> = choosers.iter().collect();
        largest.sort_by_key(|chooser| Reverse(chooser.player().memory()));
        let need = largest.into_iter().take(MOST_READY).fold(ThreadNeed::default(), |need, chooser| {
            need.and(format!("'{}'", chooser.text()), chooser.player().memory())
        });
        let jobs = examination.suite.positions.len() * (choosers.len() - 1);
        let threads = services.workers(jobs as u64, &need)?.get();
        let shared: Arc<[Chooser]> = choosers.into();
        Ok(Examiner {
            examination,
            players: choosers.len() - 1,
            choosers,
            workers: (0..threads).map(|_| ChoiceWorker::new(shared.clone(), timeouts)).collect(),
            values: HashMap::new(),
            best: HashMap::new(),
            judge_nodes: 0,
        })
    }

    /// The answers of all players in these positions of the suite; none where an external engine failed.
    pub fn examine(
        &mut self,
        positions: Range<usize>,
        judging: Judging,
        services: &Services,
    ) -> Result<Vec<Vec<Option<Answer>>>, RunError> {
        let rows = self.choices(positions.clone(), services)?;
        let is_judged = |row: &[Choice]| {
            let failed = row.iter().any(|choice| choice.m.is_none());
            judging == Judging::All || !failed && row.iter().any(|choice| choice.m != row[0].m)
        };
        let mut wanted = BTreeSet::new();
        for (place, row) in positions.clone().zip(&rows).filter(|(_, row)| is_judged(row)) {
            wanted.extend(row.iter().filter_map(|choice| Some((place, choice.m.clone()?))));
        }
        self.judge(wanted, services)?;
        let answers = positions.zip(&rows).map(|(place, row)| {
            let regret = |m: &str| is_judged(row).then(|| self.regret(place, m));
            let answer = |choice: &Choice| {
                let m = choice.m.clone()?;
                let Choice { nodes, moves, ref fired, .. } = *choice;
                Some(Answer { regret: regret(&m), m, nodes, moves, fired: fired.clone() })
            };
            row.iter().map(answer).collect()
        });
        Ok(answers.collect())
    }

    /// What all players choose: a row for each position.
    fn choices(&mut self, positions: Range<usize>, services: &Services) -> Result<Vec<Vec<Choice>>, RunError> {
        let Examination { suite, nodes, seeds, .. } = self.examination;
        let mut jobs = Vec::new();
        // One player after the other, because workers keep few of them ready.
        for (player, seed) in self.choosers[..self.players].iter().zip(seeds) {
            let graded = &suite.positions[positions.clone()];
            jobs.extend(graded.iter().map(|graded| player.job(&graded.position, &graded.before, nodes, *seed)));
        }
        let mut rows = vec![Vec::with_capacity(self.players); positions.len()];
        for (number, choice) in self.ask(&jobs, services)?.into_iter().enumerate() {
            rows[number % positions.len()].push(choice);
        }
        Ok(rows)
    }

    /// The moves of a position that have been judged, with their values.
    pub fn values_of(&self, place: usize) -> impl Iterator<Item = (&str, f64)> {
        let values = self.values.iter().filter(move |((other, _), _)| *other == place);
        values.map(|((_, m), value)| (m.as_str(), *value))
    }

    /// The regret of a move that was judged.
    fn regret(&self, place: usize, m: &str) -> f64 {
        let value = self.values.get(&(place, m.to_string())).copied().unwrap_or_default();
        let best = self.best.get(&place).copied().unwrap_or(value);
        (best - value).min(MOST_REGRET)
    }

    /// Finds the values of these moves, and of the best known move in each of their positions.
    fn judge(&mut self, mut wanted: BTreeSet<(usize, String)>, services: &Services) -> Result<(), RunError> {
        let Examination { suite, judge, .. } = self.examination;
        // Where no move is known, the judge has to name one.
        let places: BTreeSet<usize> = wanted.iter().map(|(place, _)| *place).collect();
        let is_unknown = |place: &&usize| suite.positions[**place].known_moves(judge).next().is_none();
        let unknown: Vec<usize> =
            places.iter().filter(is_unknown).filter(|place| !self.best.contains_key(*place)).copied().collect();
        let jobs: Vec<_> = unknown.iter().map(|&place| self.judgement(&suite.positions[place].position)).collect();
        let favourites = self.ask(&jobs, services)?;
        let mut known: Vec<(usize, String)> = Vec::new();
        for (&place, favourite) in unknown.iter().zip(favourites) {
            self.judge_nodes += favourite.nodes;
            known.extend(judged_move(favourite)?.map(|(m, _)| (place, m)));
        }
        for &place in &places {
            known.extend(suite.positions[place].known_moves(judge).map(|m| (place, m.to_string())));
        }
        wanted.extend(known.iter().cloned());
        wanted.retain(|wanted| !self.values.contains_key(wanted));
        self.find_values(wanted, services)?;
        for (place, m) in known {
            let Some(&value) = self.values.get(&(place, m)) else { continue };
            let best = self.best.entry(place).or_insert(value);
            *best = best.max(value);
        }
        Ok(())
    }

    /// Finds values of moves: in the suite, by the rules, or by the judge.
    fn find_values(&mut self, wanted: BTreeSet<(usize, String)>, services: &Services) -> Result<(), RunError> {
        let Examination { game, suite, judge, .. } = self.examination;
        let (mut open, mut jobs) = (Vec::new(), Vec::new());
        for (place, m) in wanted {
            let graded = &suite.positions[place];
            if let Some(value) = graded.value(&m, judge) {
                self.values.insert((place, m), value);
                continue;
            }
            let position = (game.open)(&graded.position).map_err(|error| RunError::input(error.to_string()))?;
            let next = position.play(&m).map_err(|error| RunError::failed(error.to_string()))?;
            match next.outcome() {
                Some(outcome) => {
                    self.values.insert((place, m), value_of(outcome));
                }
                None => {
                    jobs.push(self.judgement(&next.text()));
                    open.push((place, m));
                }
            }
        }
        for (key, choice) in open.into_iter().zip(self.ask(&jobs, services)?) {
            self.judge_nodes += choice.nodes;
            if let Some((_, score)) = judged_move(choice)? {
                self.values.insert(key, 1.0 - game.expected_result(score));
            }
        }
        Ok(())
    }

    /// A search of the judge.
    fn judgement(&self, position: &str) -> ChoiceJob {
        self.choosers[self.players].job(position, &[], self.examination.judge.nodes, JUDGE_SEED)
    }

    fn ask(&mut self, jobs: &[ChoiceJob], services: &Services) -> Result<Vec<Choice>, RunError> {
        let interrupt = || services.cancel.is_cancelled();
        let settings = self.choosers.iter().filter_map(|chooser| chooser.player().built_in());
        let blobs = shared::weights(settings.map(|player| &player.settings));
        let executor = services.executor(&interrupt).with_blobs(&blobs, &[]);
        executor.run_all(jobs, &mut self.workers, &|_| ())
    }
}

/// The move and the score of a judge, who must not fail.
fn judged_move(choice: Choice) -> Result<Option<(String, Score)>, RunError> {
    if let Some(failure) = &choice.failure {
        return Err(RunError::failed(format!("the judge failed: {failure}")));
    }
    let score = choice.score();
    Ok(choice.m.map(|m| (m, score)))
}

/// The value of a move after which the game is over, with this result for the opponent.
fn value_of(outcome: Outcome) -> f64 {
    match outcome {
        Outcome::Win => 0.0,
        Outcome::Draw => 0.5,
        Outcome::Loss => 1.0,
    }
}
