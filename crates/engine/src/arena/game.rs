//! One game between two players, and its record.

use plysmith_core::games::{GameInfo, Playing};
use plysmith_core::outcome::Outcome;
use plysmith_core::random::{Random, derive_seed};
use plysmith_core::search;
use plysmith_core::search::deepening::Interrupt;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::pace::{Clocks, Pace};
use super::participant::Participant;
use super::seat::{Seats, Thought, Turn};
use crate::process::{EngineError, Fault};

/// All that a game depends on. Equal jobs give equal games; where chance has a hand in it, because time or a foreign
/// engine plays a part, the job names its run, and no other run has an equal one.
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
    /// Nodes a move; 0 if it is timed.
    pub nodes: u64,
    /// The time for moves, if it is timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The run it belongs to, if it cannot be repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
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
    /// White's result.
    #[serde(rename = "winner", with = "pgn_result")]
    pub result: Outcome,
    /// Why it ended.
    pub end: GameEnd,
    /// What the loser did, if it did not lose by the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
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
    /// Milliseconds, where they may differ from one time to the next anyway.
    pub time: Option<u32>,
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
    /// The loser overstepped its time.
    Time,
    /// The loser answered something that is no legal move.
    Illegal,
    /// The loser's process died, or takes no more commands.
    Crash,
    /// The loser said nothing for too long.
    Stall,
}

/// No game is longer. Breakthrough cannot even reach half of it.
const MOST_PLIES: usize = 1000;

impl GameJob {
    /// The job's name: the same for equal jobs.
    pub fn key(&self) -> String {
        let GameJob { game, position, white, black, nodes, seed, adjudicate, random, revision, time, run } = self;
        let mut text =
            format!("game\n{game}\n{position}\n{white}\n{black}\n{nodes}\n{seed}\n{adjudicate}\n{random}\n{revision}");
        if time.is_some() || run.is_some() {
            text += &format!("\ntime {time:?}\nrun {run:?}");
        }
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }

    /// Everything but who plays whom from where.
    pub fn new(game: &GameInfo, position: &str, white: &Participant, black: &Participant) -> GameJob {
        GameJob {
            game: game.name.to_string(),
            position: position.to_string(),
            white: white.print(game),
            black: black.print(game),
            nodes: 0,
            time: None,
            run: None,
            seed: 0,
            adjudicate: false,
            random: Random::ALGORITHM.to_string(),
            revision: search::REVISION,
        }
    }
}

/// A game to be played.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// What is played.
    pub game: &'a GameInfo,
    /// The job.
    pub job: &'a GameJob,
    /// The players.
    pub players: &'a [Participant; 2],
    /// What a move may take.
    pub pace: Pace,
    /// Which of the players has White.
    pub white: usize,
}

/// Plays a game; nothing if it was interrupted.
///
/// Whatever a player does wrong loses it the game. Only an engine that cannot be started is an error.
pub fn play(
    setting: &Setting<'_>,
    seats: &mut Seats,
    interrupt: &Interrupt<'_>,
) -> Result<Option<GameRecord>, EngineError> {
    let Setting { game, job, players, pace, white } = *setting;
    let Ok(position) = (game.open)(&job.position) else { return Ok(None) };
    seats.prepare(interrupt)?;
    let features = |player: &Participant| player.built_in().map_or(0, |player| player.scheme.features().len());
    let mut table = Table {
        playing: Playing::new(position),
        clocks: Clocks::new(pace),
        moves: Vec::new(),
        plies: Vec::new(),
        fired: [white, 1 - white].map(|player| vec![0; features(&players[player])]),
        counts: [0; 2],
    };
    let (result, end, reason) = loop {
        if let Some((result, end)) = table.verdict() {
            break (result, end, None);
        }
        match table.next_ply(setting, seats, interrupt) {
            Step::Moved => {}
            Step::Over(result, end, reason) => break (result, end, reason),
            Step::Interrupted => return Ok(None),
        }
    };
    let Table { plies, fired: [white_fired, black_fired], counts: [white_moves, black_moves], .. } = table;
    Ok(Some(GameRecord { plies, result, end, reason, white_fired, white_moves, black_fired, black_moves }))
}

/// A game in progress.
struct Table {
    playing: Playing,
    clocks: Clocks,
    moves: Vec<String>,
    plies: Vec<Ply>,
    /// White's and Black's features.
    fired: [Vec<u64>; 2],
    /// White's and Black's made moves.
    counts: [u64; 2],
}

/// What came of a turn.
enum Step {
    Moved,
    Over(Outcome, GameEnd, Option<String>),
    Interrupted,
}

impl Table {
    /// One player's turn.
    fn next_ply(&mut self, setting: &Setting<'_>, seats: &mut Seats, interrupt: &Interrupt<'_>) -> Step {
        let job = setting.job;
        let is_white = self.playing.position().white_to_move();
        let player = if is_white { setting.white } else { 1 - setting.white };
        let turn = Turn {
            playing: &self.playing,
            start: &job.position,
            moves: &self.moves,
            go: self.clocks.go(is_white),
            seed: derive_seed(job.seed, &format!("ply {}", self.plies.len())),
            interrupt,
        };
        let thought = match seats.choose(player, &turn) {
            Ok(Some(thought)) => thought,
            Ok(None) => return Step::Interrupted,
            Err(error) => return lost_by_fault(is_white, &error),
        };
        if let Err(overstepped) = self.clocks.spend(is_white, thought.time) {
            let reason = format!("overstepped its time by {:.1} ms", overstepped.by.as_secs_f64() * 1e3);
            return Step::Over(lost_by(is_white), GameEnd::Time, Some(reason));
        }
        if self.playing.play(&thought.m).is_err() {
            let fault = Fault::IllegalMove { m: thought.m, position: self.playing.position().text() };
            let text = fault.to_string();
            return match seats.fault(player, fault) {
                Some(error) => lost_by_fault(is_white, &error),
                None => Step::Over(lost_by(is_white), GameEnd::Illegal, Some(text)),
            };
        }
        let is_decided = job.adjudicate && thought.is_proved;
        let won = if thought.score.win_in().is_some() { Outcome::Win } else { Outcome::Loss };
        self.note(usize::from(!is_white), thought, job.run.is_some());
        if is_decided { Step::Over(won.for_white(is_white), GameEnd::Proved, None) } else { Step::Moved }
    }

    /// Who has won, if the game is over.
    fn verdict(&self) -> Option<(Outcome, GameEnd)> {
        let outcome = self.playing.outcome();
        let by_rules =
            outcome.map(|outcome| (outcome.for_white(self.playing.position().white_to_move()), GameEnd::Rules));
        by_rules.or_else(|| (self.plies.len() >= MOST_PLIES).then_some((Outcome::Draw, GameEnd::Length)))
    }

    /// Writes a move down that was played.
    fn note(&mut self, side: usize, thought: Thought, with_time: bool) {
        let Thought { m, score, depth, nodes, moves, fired, time, .. } = thought;
        let time = with_time.then(|| u32::try_from(time.as_millis()).unwrap_or(u32::MAX));
        self.moves.push(m.clone());
        self.plies.push(Ply { m, score: score.units(), depth, nodes, time });
        self.counts[side] += moves;
        self.fired[side].iter_mut().zip(&fired).for_each(|(sum, count)| *sum += count);
    }
}

fn lost_by_fault(is_white: bool, error: &EngineError) -> Step {
    let end = match error.fault() {
        Fault::IllegalMove { .. } | Fault::Garbage { .. } => GameEnd::Illegal,
        Fault::Silent { .. } => GameEnd::Stall,
        _ => GameEnd::Crash,
    };
    Step::Over(lost_by(is_white), end, Some(error.to_string()))
}

impl GameEnd {
    /// Whether the loser's program is at fault, and not its play or its clock.
    pub fn is_failure(self) -> bool {
        matches!(self, GameEnd::Illegal | GameEnd::Crash | GameEnd::Stall)
    }
}

/// A game that one side lost by its own fault: White's result.
fn lost_by(is_white: bool) -> Outcome {
    Outcome::Loss.for_white(is_white)
}

/// Results as stored records write them: `1-0`, `0-1` or `1/2-1/2`.
mod pgn_result {
    use plysmith_core::outcome::Outcome;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(result: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(result.pgn())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
        let text = String::deserialize(deserializer)?;
        let error = || D::Error::custom(format!("'{text}' is not a result; expected 1-0, 0-1 or 1/2-1/2"));
        Outcome::from_pgn(&text).ok_or_else(error)
    }
}

/// A ply as it is stored: short, because there are so many.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Row {
    Plain(String, i32, u32, u64),
    Timed(String, i32, u32, u64, u32),
}

impl From<Row> for Ply {
    fn from(row: Row) -> Ply {
        match row {
            Row::Plain(m, score, depth, nodes) => Ply { m, score, depth, nodes, time: None },
            Row::Timed(m, score, depth, nodes, time) => Ply { m, score, depth, nodes, time: Some(time) },
        }
    }
}

impl From<Ply> for Row {
    fn from(Ply { m, score, depth, nodes, time }: Ply) -> Row {
        match time {
            None => Row::Plain(m, score, depth, nodes),
            Some(time) => Row::Timed(m, score, depth, nodes, time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ply;

    #[test]
    fn plies_read_back_with_and_without_time() {
        for (text, time) in [(r#"["e2e4",12,6,50000]"#, None), (r#"["e2e4",12,6,50000,31]"#, Some(31))] {
            let ply: Ply = serde_json::from_str(text).unwrap();
            assert_eq!(ply, Ply { m: "e2e4".to_string(), score: 12, depth: 6, nodes: 50_000, time });
            assert_eq!(serde_json::to_string(&ply).unwrap(), text);
        }
    }
}
