//! One game between two players, and its record.

use std::fmt;
use std::time::{Duration, Instant};

use plysmith_core::game::Outcome;
use plysmith_core::games::{Entry, Playing};
use plysmith_core::random::{Random, derive_seed};
use plysmith_core::search;
use plysmith_core::search::deepening::{End, Interrupt, Limit, NoMemory, Root, Task, Workspace};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::player::Player;

/// All that a game depends on. Equal jobs give equal games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameJob {
    /// The game's name.
    pub game: String,
    /// Where it begins.
    pub position: String,
    /// Who plays White, as text.
    pub white: String,
    /// Who plays Black, as text.
    pub black: String,
    /// Nodes a move.
    pub nodes: u64,
    /// The seed of this game.
    pub seed: u64,
    /// Whether a game ends as soon as a search has proved a win.
    pub adjudicate: bool,
    /// What the seed drives.
    pub random: String,
    /// The revision of the search.
    pub revision: u32,
}

/// How a game went.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Every move with what the player thought of it.
    pub plies: Vec<Ply>,
    /// Who won.
    pub winner: Winner,
    /// Why it ended.
    pub end: GameEnd,
    /// How often White's features decided over a move's cost, in all its searches.
    pub white_fired: Vec<u64>,
    /// Over how many moves.
    pub white_moves: u64,
    /// The same for Black.
    pub black_fired: Vec<u64>,
    /// See above.
    pub black_moves: u64,
}

/// A move in a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "Row", into = "Row")]
pub struct Ply {
    /// The move.
    pub m: String,
    /// Its score for the player, in the game's units.
    pub score: i32,
    /// The deepest finished iteration.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
}

/// Who won.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Winner {
    /// White.
    #[serde(rename = "1-0")]
    White,
    /// Black.
    #[serde(rename = "0-1")]
    Black,
    /// Nobody.
    #[serde(rename = "1/2-1/2")]
    Nobody,
}

/// Why a game ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameEnd {
    /// By the rules.
    Rules,
    /// A search had proved the win.
    Proved,
    /// It went on for too long to be anything but a draw.
    Length,
}

/// What two players need while they play: memory for their searches, one each, and a clock.
#[derive(Debug)]
pub struct Seats {
    workspaces: [Workspace; 2],
    /// How long both have searched so far. Nothing depends on it; it shows what everything else costs.
    pub thinking: Duration,
}

impl Seats {
    /// Seats with the memory that these players need.
    pub fn for_players(players: &[Player; 2]) -> Result<Seats, NoMemory> {
        let [first, second] = players.each_ref().map(|player| Workspace::with_memory(&player.settings));
        Ok(Seats { workspaces: [first?, second?], thinking: Duration::ZERO })
    }
}

/// No game is longer. Breakthrough cannot even reach half of it.
const MOST_PLIES: usize = 1000;

impl GameJob {
    /// The job's name: the same for equal jobs.
    pub fn key(&self) -> String {
        let GameJob { game, position, white, black, nodes, seed, adjudicate, random, revision } = self;
        let text =
            format!("game\n{game}\n{position}\n{white}\n{black}\n{nodes}\n{seed}\n{adjudicate}\n{random}\n{revision}");
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }

    /// Everything but who plays whom from where.
    pub fn new(game: &Entry, position: &str, white: &Player, black: &Player) -> GameJob {
        GameJob {
            game: game.name.to_string(),
            position: position.to_string(),
            white: white.print(game),
            black: black.print(game),
            nodes: 0,
            seed: 0,
            adjudicate: false,
            random: Random::ALGORITHM.to_string(),
            revision: search::REVISION,
        }
    }
}

/// Plays a game between two players, of which the one numbered `white` has White; nothing if it was interrupted.
pub fn play(
    game: &Entry,
    job: &GameJob,
    players: &[Player; 2],
    white: usize,
    seats: &mut Seats,
    interrupt: &Interrupt<'_>,
) -> Option<GameRecord> {
    let mut playing = Playing::new((game.open)(&job.position).ok()?);
    let mut plies = Vec::new();
    let mut fired = [white, 1 - white].map(|player| vec![0; players[player].scheme.features().len()]);
    let mut moves = [0; 2];
    let (winner, end) = loop {
        let white_moves = playing.position().white_to_move();
        let side = usize::from(!white_moves);
        let player = if white_moves { white } else { 1 - white };
        if let Some(outcome) = playing.outcome() {
            break (Winner::of(outcome, white_moves), GameEnd::Rules);
        }
        if plies.len() >= MOST_PLIES {
            break (Winner::Nobody, GameEnd::Length);
        }
        let task = Task {
            settings: players[player].settings,
            scheme: &players[player].scheme,
            limit: Limit::nodes(job.nodes),
            seed: derive_seed(job.seed, &format!("ply {}", plies.len())),
            interrupt,
            root: Root { past: playing.past(), ..Root::default() },
        };
        let begun = Instant::now();
        let report = playing.position().search(&task, &mut seats.workspaces[player]);
        seats.thinking += begun.elapsed();
        if report.end == End::Interrupted {
            return None;
        }
        let m = report.line.first()?.clone();
        playing.play(&m).ok()?;
        plies.push(Ply { m, score: report.score.units(), depth: report.depth, nodes: report.nodes });
        moves[side] += report.moves;
        fired[side].iter_mut().zip(&report.fired).for_each(|(sum, count)| *sum += count);
        if job.adjudicate && report.end == End::Proved {
            let won = if report.score.win_in().is_some() { Outcome::Won } else { Outcome::Lost };
            break (Winner::of(won, white_moves), GameEnd::Proved);
        }
    };
    let [white_fired, black_fired] = fired;
    let [white_moves, black_moves] = moves;
    Some(GameRecord { plies, winner, end, white_fired, white_moves, black_fired, black_moves })
}

impl Winner {
    fn of(outcome: Outcome, for_white: bool) -> Winner {
        match (outcome, for_white) {
            (Outcome::Drawn, _) => Winner::Nobody,
            (Outcome::Won, true) | (Outcome::Lost, false) => Winner::White,
            (Outcome::Won, false) | (Outcome::Lost, true) => Winner::Black,
        }
    }
}

impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Winner::White => "1-0",
            Winner::Black => "0-1",
            Winner::Nobody => "1/2-1/2",
        })
    }
}

/// A ply as it is stored: short, because there are so many.
type Row = (String, i32, u32, u64);

impl From<Row> for Ply {
    fn from((m, score, depth, nodes): Row) -> Ply {
        Ply { m, score, depth, nodes }
    }
}

impl From<Ply> for Row {
    fn from(ply: Ply) -> Row {
        (ply.m, ply.score, ply.depth, ply.nodes)
    }
}
