//! The score of a pairing: wins, draws and losses of the first player, by colour and by pair.

use plysmith_core::outcome::Outcome;
use plysmith_engine::arena::game::GameEnd;
use plysmith_engine::measurement::sum;
use plysmith_learn::stats::outcomes::{Penta, Wdl};
use serde::{Deserialize, Serialize};

use crate::pairing::PlayedGame;

/// Counts of results, all as the first player sees them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// With White: losses, draws, wins.
    pub white: [u64; 3],
    /// With Black: losses, draws, wins.
    pub black: [u64; 3],
    /// Complete pairs by their points: 0, ½, 1, 1½, 2.
    pairs: [u64; 5],
    /// Half points of the first game of a pair whose second has not come.
    half: Option<usize>,
    /// How often each feature of the first player decided the cost of a move.
    pub fired: Vec<u64>,
    /// Over how many moves.
    pub moves: u64,
    /// Plies in all games.
    pub plies: u64,
    /// Nodes in all games.
    pub nodes: u64,
    /// Games that ended because a win was proved.
    pub adjudicated: u64,
    /// Games that the first and the second player lost on time.
    pub on_time: [u64; 2],
    /// Games that they lost because their programs failed: illegal moves, crashes, silence.
    pub failures: [u64; 2],
}

impl Tally {
    /// Counts a game. Games come by rising number, none left out.
    pub fn add(&mut self, played: &PlayedGame) {
        let result = match played.for_first() {
            Outcome::Loss => 0,
            Outcome::Draw => 1,
            Outcome::Win => 2,
        };
        let record = &played.record;
        let (colour, fired, moves) = if played.first_is_white() {
            (&mut self.white, &record.white_fired, record.white_moves)
        } else {
            (&mut self.black, &record.black_fired, record.black_moves)
        };
        colour[result] += 1;
        self.fired.resize(fired.len(), 0);
        self.fired.iter_mut().zip(fired).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
        self.moves = self.moves.saturating_add(moves);
        self.plies += record.plies.len() as u64;
        self.nodes = sum(record.plies.iter().map(|ply| ply.nodes).chain([self.nodes]));
        self.adjudicated += u64::from(record.end == GameEnd::Proved);
        let loser = usize::from(result == 2);
        self.on_time[loser] += u64::from(record.end == GameEnd::Time);
        self.failures[loser] += u64::from(record.end.is_failure());
        match self.half.take() {
            Some(first) => self.pairs[first + result] += 1,
            None => self.half = Some(result),
        }
    }

    /// Wins, draws and losses with both colours.
    pub fn games(&self) -> Wdl {
        let [losses, draws, wins] = std::array::from_fn(|index| self.white[index] + self.black[index]);
        Wdl { wins, draws, losses }
    }

    /// The complete pairs.
    pub fn pairs(&self) -> Penta {
        Penta(self.pairs)
    }

    /// Whether every game has its twin.
    pub fn is_even(&self) -> bool {
        self.half.is_none()
    }

    /// The share of moves that each feature of the first player decided over.
    pub fn frequencies(&self) -> Vec<f64> {
        self.fired.iter().map(|&fired| fired as f64 / self.moves.max(1) as f64).collect()
    }
}
