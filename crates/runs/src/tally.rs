//! The score of a pairing: wins, draws and losses of the first player, by colour and by pair.

use plysmith_core::outcome::Outcome;
use plysmith_engine::arena::game::{GameEnd, GameJob, GameRecord};
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
    /// What the first and the second player searched.
    pub searched: [Searched; 2],
    /// Games that ended because a win was proved.
    pub adjudicated: u64,
    /// Games that were adjudicated by scores: resigned, and drawn.
    #[serde(default)]
    pub by_scores: [u64; 2],
    /// Games that the first and the second player lost on time.
    pub on_time: [u64; 2],
    /// Games that they lost because their programs failed: illegal moves, crashes, silence.
    pub failures: [u64; 2],
    /// By how many microseconds time was overstepped in games that were lost on time, as far as that was noted.
    oversteps: Vec<u64>,
    /// Games that were begun again because this process had been stopped.
    pub replayed: u64,
}

/// The nodes of one player's moves.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Searched {
    /// Moves for which the player reported nodes.
    pub reported: u64,
    /// All its moves.
    pub moves: u64,
    /// Nodes in all.
    pub nodes: u64,
    /// The most nodes of a move.
    pub most: u64,
}

impl Searched {
    /// Counts a move. A search has at least one node, so none means that the player did not say.
    pub fn add(&mut self, nodes: u64) {
        self.moves += 1;
        self.reported += u64::from(nodes > 0);
        self.nodes = self.nodes.saturating_add(nodes);
        self.most = self.most.max(nodes);
    }

    /// Nodes per move; none if the player never reported any.
    pub fn mean(&self) -> Option<f64> {
        (self.reported > 0).then(|| self.nodes as f64 / self.reported as f64)
    }

    /// What the players of White and of Black searched in one game.
    pub fn in_game(job: &GameJob, record: &GameRecord) -> [Searched; 2] {
        // The start position says who moves first.
        let first = usize::from(job.position.split_whitespace().nth(1) == Some("b"));
        let mut sides = [Searched::default(); 2];
        for (index, ply) in record.plies.iter().enumerate() {
            sides[(first + index) % 2].add(ply.nodes);
        }
        sides
    }

    fn join(&mut self, other: Searched) {
        self.moves += other.moves;
        self.reported += other.reported;
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.most = self.most.max(other.most);
    }
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
        let [white, black] = Searched::in_game(&played.job, record);
        let (first, second) = if played.first_is_white() { (white, black) } else { (black, white) };
        self.searched[0].join(first);
        self.searched[1].join(second);
        self.nodes = self.nodes.saturating_add(white.nodes).saturating_add(black.nodes);
        self.oversteps.extend(record.overstep);
        self.replayed += u64::from(record.replays > 0);
        self.adjudicated += u64::from(record.end == GameEnd::Proved);
        self.by_scores[0] += u64::from(record.end == GameEnd::Resign);
        self.by_scores[1] += u64::from(record.end == GameEnd::Draw);
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

    /// By how many microseconds time was overstepped, the least first.
    pub fn sorted_oversteps(&self) -> Vec<u64> {
        let mut sorted = self.oversteps.clone();
        sorted.sort_unstable();
        sorted
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
