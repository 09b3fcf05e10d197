//! One game of the program against itself, and the samples from it.

use cozy_chess::Piece;

use super::super::moves::Move;
use super::super::position::Position;
use super::sample::Sample;
use crate::game::Game;
use crate::outcome::Outcome;
use crate::random::Random;
use crate::search::proof::Interrupted;
use crate::search::{Interrupt, Report, Workspace};
use crate::self_play::{SelfPlayer, random_moves};
use crate::settings::{Settings, Switches};

/// What games to play.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct GamePlan {
    /// The random seed.
    pub seed: u64,
    /// Nodes per move.
    pub nodes: u64,
    /// Most samples per game.
    pub samples: usize,
}

/// Random plies before the players begin; one more in every other game, so that both sides begin.
const OPENING: usize = 8;
/// The players' first plies, which still depend on the random opening.
const UNSETTLED: usize = 6;
/// Openings with a larger advantage for either side are not played.
const FAIR: i32 = 250;
/// A game is adjudicated as won when both players agree for this number of plies.
const DECISIVE: i32 = 1_000;
const DECISIVE_PLIES: usize = 5;
/// A game is adjudicated as drawn when scores are level for this number of plies, after its first plies.
const LEVEL: i32 = 8;
const LEVEL_PLIES: usize = 16;
const YOUNG: usize = 80;
/// Longest game in plies.
const LONGEST: usize = 400;

/// Plays game number `number`. Its samples are in the order of the game.
pub fn play(
    plan: &GamePlan,
    number: u64,
    workspace: &mut Workspace,
    interrupt: &Interrupt<'_>,
) -> Result<Vec<Sample>, Interrupted> {
    let mut random = Random::for_purpose(plan.seed, &format!("tuning game {number}"));
    let mut game = loop {
        let start = opening(&mut random, number);
        let game = Running::new(start);
        let report = game.think(plan, &mut random, workspace, interrupt)?;
        if report.score.units().abs() <= FAIR {
            break game;
        }
    };
    let result = loop {
        if let Some(result) = game.result() {
            break result;
        }
        let report = game.think(plan, &mut random, workspace, interrupt)?;
        game.advance(&report);
    };
    let mut chosen: Vec<_> = (0..game.quiet.len()).collect();
    random.shuffle(&mut chosen);
    chosen.truncate(plan.samples);
    chosen.sort_unstable();
    let sample = |index: usize| Sample { position: game.quiet[index].to_string(), result, game: number };
    Ok(chosen.into_iter().map(sample).collect())
}

/// A position after some random moves, with moves left to play.
fn opening(random: &mut Random, number: u64) -> Position {
    let plies = OPENING + (number % 2) as usize;
    loop {
        let position = random_moves(Position::from(cozy_chess::Board::default()), plies, random);
        if !position.legal_moves().is_empty() {
            return position;
        }
    }
}

/// A game under way.
struct Running {
    position: Position,
    /// The keys of all positions since the last move that cannot be taken back.
    keys: Vec<u64>,
    /// White's scores, one a ply.
    scores: Vec<i32>,
    /// The positions that can become samples.
    quiet: Vec<Position>,
}

impl Running {
    fn new(position: Position) -> Running {
        let keys = vec![position.key()];
        Running { position, keys, scores: Vec::new(), quiet: Vec::new() }
    }

    fn think(
        &self,
        plan: &GamePlan,
        random: &mut Random,
        workspace: &mut Workspace,
        interrupt: &Interrupt<'_>,
    ) -> Result<Report<Move>, Interrupted> {
        let modern = Position::PRESETS.modern();
        let settings = Settings { switches: Switches { table_mib: 1, ..modern.switches }, ..modern };
        SelfPlayer { nodes: plan.nodes, workspace, interrupt }.search(&self.position, settings, &[], random)
    }

    /// Plays the move that was found.
    fn advance(&mut self, report: &Report<Move>) {
        let Some(&m) = report.line.first() else { return };
        let score = if self.position.white_to_move() { report.score } else { -report.score };
        let is_quiet = m.captured.is_none() && m.promotion.is_none() && self.position.board.checkers().is_empty();
        if is_quiet && self.scores.len() >= UNSETTLED && score.units().abs() < DECISIVE {
            self.quiet.push(self.position.clone());
        }
        self.scores.push(score.units());
        self.position = self.position.play(m);
        if m.captured.is_some() || m.piece == Piece::Pawn {
            self.keys.clear();
        }
        self.keys.push(self.position.key());
    }

    /// White's result, if the game is over or adjudicated.
    fn result(&self) -> Option<Outcome> {
        let by_rule = self.position.terminal_result().or_else(|| {
            let is_stuck = self.position.legal_moves().is_empty();
            is_stuck.then(|| self.position.no_moves_result())
        });
        if let Some(outcome) = by_rule {
            return Some(outcome.for_white(self.position.white_to_move()));
        }
        let repeated = self.keys.iter().filter(|&key| Some(key) == self.keys.last()).count();
        if repeated >= 3 || self.position.board.halfmove_clock() >= 100 || self.scores.len() >= LONGEST {
            return Some(Outcome::Draw);
        }
        self.adjudicated()
    }

    /// What both players have agreed on for a while.
    fn adjudicated(&self) -> Option<Outcome> {
        let last = |plies: usize| self.scores.len().checked_sub(plies).map(|first| &self.scores[first..]);
        let all = |plies: usize, test: &dyn Fn(i32) -> bool| {
            last(plies).is_some_and(|scores| scores.iter().all(|&score| test(score)))
        };
        if all(DECISIVE_PLIES, &|score| score >= DECISIVE) {
            Some(Outcome::Win)
        } else if all(DECISIVE_PLIES, &|score| score <= -DECISIVE) {
            Some(Outcome::Loss)
        } else if self.scores.len() >= YOUNG && all(LEVEL_PLIES, &|score| score.abs() <= LEVEL) {
            Some(Outcome::Draw)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{GamePlan, play};
    use crate::game::Game;
    use crate::games::chess::Position;
    use crate::search::Workspace;

    #[test]
    fn a_game_is_its_number_and_its_samples_are_quiet() {
        let plan = GamePlan { seed: 1, nodes: 200, samples: 10 };
        let run = |number| play(&plan, number, &mut Workspace::default(), &|| false).unwrap();
        let mut games: Vec<_> = (0..6).map(run).collect();
        assert_eq!(games[3], run(3));
        games.dedup();
        assert_eq!(games.len(), 6);
        for sample in games.concat() {
            let position = Position::parse(&sample.position).unwrap();
            assert!(position.board.checkers().is_empty());
            assert!(!position.legal_moves().is_empty());
        }
    }

    #[test]
    fn an_interrupt_ends_a_game() {
        let plan = GamePlan { seed: 1, nodes: 1_000_000, samples: 10 };
        assert!(play(&plan, 0, &mut Workspace::default(), &|| true).is_err());
    }
}
