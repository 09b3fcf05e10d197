//! One training game.

use super::record::{Branch, TrainingGame, TrainingPly};
use super::{Adjudication, TrainingPlan, TrainingRules};
use crate::game::Game;
use crate::outcome::Outcome;
use crate::random::Random;
use crate::score::Score;
use crate::search::proof::Interrupted;
use crate::search::{Interrupt, Report, Workspace};
use crate::self_play::SelfPlayer;

/// Openings that are drawn for a game. A board without fair ones has games from its start.
const MOST_OPENINGS: usize = 200;
/// Longest game in plies; then it is a draw.
const LONGEST: usize = 400;
/// A branch is tried at the first of this many plies.
const PLIES_PER_BRANCH: usize = 2;

/// Plays game number `number` from this position.
pub fn play<G: Game>(
    start: &G,
    plan: &TrainingPlan,
    number: u64,
    workspace: &mut Workspace,
    interrupt: &Interrupt<'_>,
) -> Result<TrainingGame, Interrupted> {
    let mut players = Players::new(plan, number, workspace, interrupt);
    let (mut game, mut report) = players.opening(start)?;
    let result = loop {
        let branch = if game.is_branching() { players.branch(&game, &report)? } else { None };
        let score = report.score;
        game.advance(&report, branch);
        if score.is_forced() {
            let outcome = if score.is_forced_loss() { Outcome::Loss } else { Outcome::Win };
            // The side that found it has just moved.
            break outcome.for_white(!game.position.white_to_move());
        }
        if let Some(result) = game.result(plan.rules.adjudication.as_ref()) {
            break result;
        }
        report = players.search(&game.position, &game.past)?;
    };
    Ok(TrainingGame { opening: game.opening, plies: game.plies, result })
}

/// The moves of a fair opening: those of training game number `number`.
pub fn fair_opening<G: Game>(
    start: &G,
    plan: &TrainingPlan,
    number: u64,
    workspace: &mut Workspace,
    interrupt: &Interrupt<'_>,
) -> Result<Vec<String>, Interrupted> {
    Players::new(plan, number, workspace, interrupt).opening(start).map(|(game, _)| game.opening)
}

/// The player of both sides, and the random source of the game.
struct Players<'a> {
    plan: &'a TrainingPlan,
    player: SelfPlayer<'a>,
    random: Random,
}

impl<'a> Players<'a> {
    fn new(
        plan: &'a TrainingPlan,
        number: u64,
        workspace: &'a mut Workspace,
        interrupt: &'a Interrupt<'a>,
    ) -> Players<'a> {
        let random = Random::for_purpose(plan.seed, &format!("training game {number}"));
        Players { plan, player: SelfPlayer { nodes: plan.nodes, workspace, interrupt }, random }
    }

    fn search<G: Game>(&mut self, position: &G, past: &[u64]) -> Result<Report<G::Move>, Interrupted> {
        self.player.search(position, self.plan.settings, past, &mut self.random)
    }

    /// Random moves up to a fair position, and the search of that position.
    fn opening<G: Game>(&mut self, start: &G) -> Result<(Running<G>, Report<G::Move>), Interrupted> {
        for _ in 0..MOST_OPENINGS {
            let game = self.random_opening(start);
            if game.result(None).is_none() {
                let report = self.search(&game.position, &game.past)?;
                if self.is_fair(report.score) {
                    return Ok((game, report));
                }
            }
        }
        let report = self.search(start, &[])?;
        Ok((Running::new(start.clone()), report))
    }

    fn random_opening<G: Game>(&mut self, start: &G) -> Running<G> {
        let TrainingRules { least_plies, most_plies, .. } = self.plan.rules;
        let plies = least_plies + self.random.below(most_plies.saturating_sub(least_plies) + 1);
        let mut game = Running::new(start.clone());
        while game.opening.len() < plies && game.result(None).is_none() {
            let list = game.position.legal_moves();
            let m = list[self.random.below(list.len())];
            game.opening.push(game.position.print_move(m));
            game.play(m);
        }
        game
    }

    fn is_fair(&self, score: Score) -> bool {
        !score.is_forced() && self.plan.rules.fair.is_none_or(|most| score.units().abs() <= most)
    }

    /// Searches the position after a random move that is not the best one; none if there is no such move, or if the
    /// position is decided or not of the kind that is fitted to.
    fn branch<G: Game>(&mut self, game: &Running<G>, report: &Report<G::Move>) -> Result<Option<Branch>, Interrupted> {
        let mut others = game.position.legal_moves();
        others.retain(|m| Some(&*m) != report.best());
        if others.is_empty() {
            return Ok(None);
        }
        let m = others[self.random.below(others.len())];
        let mut other = Running { past: game.past.clone(), ..Running::new(game.position.clone()) };
        other.play(m);
        let wants_quiet = self.plan.rules.quiet.is_some();
        if other.result(None).is_some() || wants_quiet && other.position.in_check() {
            return Ok(None);
        }
        let report = self.search(&other.position, &other.past)?;
        let is_tactical = report.best().is_some_and(|&reply| other.position.is_tactical(reply));
        let is_kept = !(wants_quiet && is_tactical);
        Ok(is_kept.then(|| Branch { m: game.position.print_move(m), score: report.score }))
    }
}

/// A game under way.
struct Running<G> {
    position: G,
    /// The keys of the positions before it that could repeat.
    past: Vec<u64>,
    /// The random moves at its beginning.
    opening: Vec<String>,
    plies: Vec<TrainingPly>,
    /// White's scores, one a ply.
    scores: Vec<i32>,
}

impl<G: Game> Running<G> {
    fn new(position: G) -> Running<G> {
        Running { position, past: Vec::new(), opening: Vec::new(), plies: Vec::new(), scores: Vec::new() }
    }

    fn is_branching(&self) -> bool {
        self.plies.len().is_multiple_of(PLIES_PER_BRANCH)
    }

    /// Plays the move that was found.
    fn advance(&mut self, report: &Report<G::Move>, branch: Option<Branch>) {
        let Some(&m) = report.best() else { return };
        let score = report.score;
        let for_white = if self.position.white_to_move() { score } else { -score };
        self.scores.push(for_white.units());
        self.plies.push(TrainingPly { m: self.position.print_move(m), score, branch });
        self.play(m);
    }

    fn play(&mut self, m: G::Move) {
        self.past.push(self.position.key());
        self.position = self.position.play(m);
        let forgotten = self.past.len().saturating_sub(self.position.reversible_plies() as usize);
        self.past.drain(..forgotten);
    }

    /// White's result, if the game is over by rule or adjudicated.
    fn result(&self, adjudication: Option<&Adjudication>) -> Option<Outcome> {
        let position = &self.position;
        let stuck = || (!position.can_move()).then(|| position.no_moves_result());
        if let Some(outcome) = position.terminal_result().or_else(stuck) {
            return Some(outcome.for_white(position.white_to_move()));
        }
        let key = position.key();
        let repetitions = self.past.iter().filter(|past| **past == key).count();
        if position.is_drawn() || repetitions >= 2 || self.plies.len() >= LONGEST {
            return Some(Outcome::Draw);
        }
        adjudication.and_then(|rule| rule.result(&self.scores))
    }
}

impl Adjudication {
    /// White's result, if both players have agreed on it for a while.
    fn result(&self, scores: &[i32]) -> Option<Outcome> {
        let all = |plies: usize, test: &dyn Fn(i32) -> bool| {
            scores.len().checked_sub(plies).is_some_and(|first| scores[first..].iter().all(|&score| test(score)))
        };
        if all(self.decisive_plies, &|score| score >= self.decisive) {
            Some(Outcome::Win)
        } else if all(self.decisive_plies, &|score| score <= -self.decisive) {
            Some(Outcome::Loss)
        } else if scores.len() >= self.level_after && all(self.level_plies, &|score| score.abs() <= self.level) {
            Some(Outcome::Draw)
        } else {
            None
        }
    }
}
