//! One game between two players, and its record.

use std::time::Duration;

use plysmith_core::games::{GameInfo, Playing};
use plysmith_core::outcome::Outcome;
use plysmith_core::random::{Random, derive_seed};
use plysmith_core::search;
use plysmith_core::search::Interrupt;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::adjudication::{Adjudication, Adjudicator, Ruling};
use super::game_players::{ChosenMove, GamePlayers, MoveRequest};
use super::time_control::{GameClocks, MoveLimit};
use crate::player::Participant;
use crate::process::{EngineError, Fault};

/// All that a game depends on. Equal jobs give equal games. A game that cannot be repeated, because it is timed or a UCI
/// engine takes part, names its run, so that no other run has an equal job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameJob {
    /// The game's name.
    pub game: String,
    /// The start position.
    pub position: String,
    /// The player of White, as text.
    pub white: String,
    /// The player of Black, as text.
    pub black: String,
    /// Nodes a move; 0 if it is timed.
    pub nodes: u64,
    /// The time for moves, if it is timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Plies a move, if that is the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The run it belongs to, if it cannot be repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The seed of this game.
    pub seed: u64,
    /// Whether a game ends as soon as a search has proved a win.
    pub adjudicate: bool,
    /// When it is adjudicated by scores or by length.
    #[serde(default, skip_serializing_if = "Adjudication::is_none")]
    pub rules: Adjudication,
    /// The random number generator that the seed is for.
    pub random: String,
    /// The revision of the search, if a built-in engine plays.
    pub revision: u32,
    /// What the features and evaluations of the built-in players do (`GameInfo::behaviour`), White's first. Empty in jobs
    /// of versions that did not know it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub behaviour: String,
    /// The arena's revision, if a built-in player has a transposition table. None in jobs of versions that did not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arena: Option<u32>,
    /// Whether the lines and the selective depths of all searches are recorded.
    #[serde(default, skip_serializing_if = "is_false")]
    pub details: bool,
}

/// How a game went.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Every move with the player's score.
    pub plies: Vec<Ply>,
    /// White's result.
    #[serde(rename = "winner", with = "pgn_result")]
    pub result: Outcome,
    /// Why it ended.
    pub end: GameEnd,
    /// What the loser did, or why the game was adjudicated, if it did not end by the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// By how many microseconds the loser overstepped its time, if it lost on time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overstep: Option<u64>,
    /// How often the game was begun again because this process had been stopped in the middle of it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replays: u32,
    /// How often White's features decided over a move's cost, in all its searches.
    pub white_fired: Vec<u64>,
    /// Over how many moves.
    pub white_moves: u64,
    /// How often Black's features decided over a move's cost.
    pub black_fired: Vec<u64>,
    /// Over how many moves.
    pub black_moves: u64,
}

/// A move in a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "PlyRow", into = "PlyRow")]
pub struct Ply {
    /// The move.
    pub m: String,
    /// The score from the player's point of view, in the game's units.
    pub score: i32,
    /// The deepest finished iteration.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Milliseconds; only of games that cannot be repeated.
    pub time: Option<u32>,
    /// More about its search, if that was asked for.
    pub details: Option<PlyDetails>,
}

/// More about the search of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlyDetails {
    /// The longest line that was searched, in plies.
    pub seldepth: Option<u32>,
    /// The best line, in the form of moves that the game's text has; the move itself is its first.
    pub line: Vec<String>,
}

/// Why a game ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameEnd {
    /// By the rules.
    Rules,
    /// A search had proved the win.
    Proved,
    /// It reached the maximum length, and is a draw.
    Length,
    /// The loser's scores were so low that it resigned.
    Resign,
    /// The scores were level for so long that it is a draw.
    Draw,
    /// The loser exceeded its time.
    Time,
    /// The loser answered an illegal move.
    Illegal,
    /// The loser's process died, or takes no more commands.
    Crash,
    /// The loser did not answer.
    Stall,
}

/// No game is longer. Breakthrough cannot even reach half of it.
const MOST_PLIES: usize = 1000;

impl GameJob {
    /// The job's key: equal for equal jobs.
    pub fn key(&self) -> String {
        let GameJob { game, position, white, black, nodes, seed, adjudicate, random, revision, .. } = self;
        let GameJob { behaviour, time, run, arena, depth, rules, .. } = self;
        let mut text =
            format!("game\n{game}\n{position}\n{white}\n{black}\n{nodes}\n{seed}\n{adjudicate}\n{random}\n{revision}");
        if !behaviour.is_empty() {
            text += &format!("\nbehaviour {behaviour}");
        }
        if time.is_some() || run.is_some() {
            text += &format!("\ntime {time:?}\nrun {run:?}");
        }
        if let Some(arena) = arena {
            text += &format!("\narena {arena}");
        }
        if let Some(depth) = depth {
            text += &format!("\ndepth {depth}");
        }
        if !rules.is_none() {
            text += &format!("\nrules {rules}");
        }
        if self.details {
            text += "\ndetails";
        }
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }

    /// A job of these players from this position, with all else at its default.
    pub fn new(game: &GameInfo, position: &str, white: &Participant, black: &Participant) -> GameJob {
        GameJob {
            game: game.name.to_string(),
            position: position.to_string(),
            white: white.print(game),
            black: black.print(game),
            nodes: 0,
            time: None,
            depth: None,
            run: None,
            seed: 0,
            adjudicate: false,
            rules: Adjudication::default(),
            random: Random::ALGORITHM.to_string(),
            revision: revision([white, black]),
            behaviour: [white, black].map(|player| player.behaviour(game)).join(" ").trim().to_string(),
            arena: [white, black].iter().any(|player| player.keeps_table()).then_some(super::REVISION),
            details: false,
        }
    }
}

/// The revision that games of these players depend on. Those of external engines have kept the one of the time when all
/// games had that of the search, so that their keys stay as they are.
fn revision(players: [&Participant; 2]) -> u32 {
    const EXTERNAL: u32 = 3;
    if players.iter().any(|player| player.built_in().is_some()) { search::REVISION } else { EXTERNAL }
}

/// A game to play.
#[derive(Clone, Debug)]
pub struct GameSetup<'a> {
    /// The game.
    pub game: &'a GameInfo,
    /// The job.
    pub job: &'a GameJob,
    /// The players.
    pub players: &'a [Participant; 2],
    /// The limit of a move, for players without one of their own.
    pub move_limit: MoveLimit,
    /// Which of the players has White.
    pub white: usize,
}

/// Plays a game; none if it was interrupted.
///
/// A player that makes a mistake of protocol loses the game. An engine that cannot be started is an error, and so is one
/// that somebody else ended with its guard.
pub fn play(
    setup: &GameSetup<'_>,
    game_players: &mut GamePlayers,
    interrupt: &Interrupt<'_>,
) -> Result<Option<GameRecord>, EngineError> {
    let GameSetup { game, job, players, move_limit, white } = *setup;
    let Ok(position) = (game.open)(&job.position) else { return Ok(None) };
    game_players.prepare(interrupt)?;
    let features = |player: &Participant| player.built_in().map_or(0, |player| player.scheme.rules().len());
    let mut game_in_progress = GameInProgress {
        playing: Playing::new(position),
        clocks: GameClocks::new([white, 1 - white].map(|player| players[player].limit.unwrap_or(move_limit))),
        adjudicator: Adjudicator::new(job.rules),
        moves: Vec::new(),
        plies: Vec::new(),
        fired: [white, 1 - white].map(|player| vec![0; features(&players[player])]),
        counts: [0; 2],
        overstep: None,
    };
    let (result, end, reason) = loop {
        if let Some(ended) = game_in_progress.result() {
            break ended;
        }
        match game_in_progress.next_ply(setup, game_players, interrupt) {
            PlyEnd::Moved => {}
            PlyEnd::Over(result, end, reason) => break (result, end, reason),
            PlyEnd::Interrupted => return Ok(None),
            PlyEnd::Failed(error) => return Err(error),
        }
    };
    let GameInProgress { plies, fired, counts, overstep, .. } = game_in_progress;
    let ([white_fired, black_fired], [white_moves, black_moves]) = (fired, counts);
    let overstep = overstep.map(|by| u64::try_from(by.as_micros()).unwrap_or(u64::MAX));
    Ok(Some(GameRecord {
        plies,
        result,
        end,
        reason,
        overstep,
        replays: 0,
        white_fired,
        white_moves,
        black_fired,
        black_moves,
    }))
}

/// Zeros are not stored: most games are played once.
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What is not asked for is not stored.
fn is_false(value: &bool) -> bool {
    !value
}

/// A game in progress.
struct GameInProgress {
    playing: Playing,
    clocks: GameClocks,
    adjudicator: Adjudicator,
    moves: Vec<String>,
    plies: Vec<Ply>,
    /// White's and Black's features.
    fired: [Vec<u64>; 2],
    /// White's and Black's made moves.
    counts: [u64; 2],
    /// By how much the last move overstepped its time.
    overstep: Option<Duration>,
}

/// The result of one ply.
enum PlyEnd {
    Moved,
    Over(Outcome, GameEnd, Option<String>),
    Interrupted,
    /// For no fault of the player.
    Failed(EngineError),
}

impl GameInProgress {
    /// Lets the player to move choose and make a move.
    fn next_ply(&mut self, setup: &GameSetup<'_>, game_players: &mut GamePlayers, interrupt: &Interrupt<'_>) -> PlyEnd {
        let job = setup.job;
        let is_white = self.playing.position().white_to_move();
        let player = if is_white { setup.white } else { 1 - setup.white };
        let request = MoveRequest {
            playing: &self.playing,
            start: &job.position,
            moves: &self.moves,
            go: self.clocks.go(is_white),
            seed: derive_seed(job.seed, &format!("ply {}", self.plies.len())),
            interrupt,
        };
        let chosen = match game_players.choose(player, &request) {
            Ok(Some(chosen)) => chosen,
            Ok(None) => return PlyEnd::Interrupted,
            Err(error) if *error.fault() == Fault::GuardDied => return PlyEnd::Failed(error),
            Err(error) => return lost_by_fault(is_white, &error),
        };
        if let Err(forfeit) = self.clocks.spend(is_white, chosen.time) {
            self.overstep = Some(forfeit.by);
            let reason = format!("overstepped its time by {:.1} ms", forfeit.by.as_secs_f64() * 1e3);
            return PlyEnd::Over(lost_by(is_white), GameEnd::Time, Some(reason));
        }
        if self.playing.play(&chosen.m).is_err() {
            let fault = Fault::IllegalMove { m: chosen.m, position: self.playing.position().text() };
            let text = fault.to_string();
            return match game_players.fault(player, fault) {
                Some(error) => lost_by_fault(is_white, &error),
                None => PlyEnd::Over(lost_by(is_white), GameEnd::Illegal, Some(text)),
            };
        }
        let is_decided = job.adjudicate && chosen.is_proved;
        let won = if chosen.score.win_in().is_some() { Outcome::Win } else { Outcome::Loss };
        let score = chosen.is_scored.then_some(chosen.score);
        self.adjudicator.note(is_white, score, !self.playing.past().is_empty());
        self.note(usize::from(!is_white), chosen, job);
        if is_decided { PlyEnd::Over(won.for_white(is_white), GameEnd::Proved, None) } else { PlyEnd::Moved }
    }

    /// Who has won, if the game is over, and why it was adjudicated, if it was.
    fn result(&self) -> Option<(Outcome, GameEnd, Option<String>)> {
        let outcome = self.playing.outcome();
        let by_rules =
            outcome.map(|outcome| (outcome.for_white(self.playing.position().white_to_move()), GameEnd::Rules, None));
        let adjudicated =
            || self.adjudicator.verdict().map(|(outcome, ruling, reason)| (outcome, ruling.into(), Some(reason)));
        let is_too_long = self.plies.len() >= MOST_PLIES;
        by_rules.or_else(adjudicated).or_else(|| is_too_long.then_some((Outcome::Draw, GameEnd::Length, None)))
    }

    /// Records a move that was played.
    fn note(&mut self, side: usize, chosen: ChosenMove, job: &GameJob) {
        let ChosenMove { m, score, depth, nodes, moves, fired, time, seldepth, line, .. } = chosen;
        let details = job.details.then_some(PlyDetails { seldepth, line });
        let time = job.run.is_some().then(|| u32::try_from(time.as_millis()).unwrap_or(u32::MAX));
        self.moves.push(m.clone());
        self.plies.push(Ply { m, score: score.units(), depth, nodes, time, details });
        self.counts[side] = self.counts[side].saturating_add(moves);
        self.fired[side].iter_mut().zip(&fired).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
    }
}

fn lost_by_fault(is_white: bool, error: &EngineError) -> PlyEnd {
    let end = match error.fault() {
        Fault::IllegalMove { .. } | Fault::InvalidAnswer { .. } => GameEnd::Illegal,
        Fault::Silent { .. } | Fault::Stalled { .. } | Fault::TooMuchOutput { .. } => GameEnd::Stall,
        _ => GameEnd::Crash,
    };
    PlyEnd::Over(lost_by(is_white), end, Some(error.to_string()))
}

impl From<Ruling> for GameEnd {
    fn from(ruling: Ruling) -> GameEnd {
        match ruling {
            Ruling::Resigned => GameEnd::Resign,
            Ruling::Level => GameEnd::Draw,
            Ruling::TooLong => GameEnd::Length,
        }
    }
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

/// A ply as it is stored: a short list, because there are many.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum PlyRow {
    Plain(String, i32, u32, u64),
    Timed(String, i32, u32, u64, u32),
    Detailed(String, i32, u32, u64, Option<u32>, Option<u32>, String),
}

impl From<PlyRow> for Ply {
    fn from(row: PlyRow) -> Ply {
        match row {
            PlyRow::Plain(m, score, depth, nodes) => Ply { m, score, depth, nodes, time: None, details: None },
            PlyRow::Timed(m, score, depth, nodes, time) => {
                Ply { m, score, depth, nodes, time: Some(time), details: None }
            }
            PlyRow::Detailed(m, score, depth, nodes, time, seldepth, line) => {
                let line = line.split_whitespace().map(str::to_string).collect();
                Ply { m, score, depth, nodes, time, details: Some(PlyDetails { seldepth, line }) }
            }
        }
    }
}

impl From<Ply> for PlyRow {
    fn from(Ply { m, score, depth, nodes, time, details }: Ply) -> PlyRow {
        match (details, time) {
            (Some(PlyDetails { seldepth, line }), time) => {
                PlyRow::Detailed(m, score, depth, nodes, time, seldepth, line.join(" "))
            }
            (None, None) => PlyRow::Plain(m, score, depth, nodes),
            (None, Some(time)) => PlyRow::Timed(m, score, depth, nodes, time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ply, PlyDetails};

    #[test]
    fn plies_read_back_with_and_without_time() {
        for (text, time) in [(r#"["e2e4",12,6,50000]"#, None), (r#"["e2e4",12,6,50000,31]"#, Some(31))] {
            let ply: Ply = serde_json::from_str(text).unwrap();
            let details = None;
            assert_eq!(ply, Ply { m: "e2e4".to_string(), score: 12, depth: 6, nodes: 50_000, time, details });
            assert_eq!(serde_json::to_string(&ply).unwrap(), text);
        }
        let line = vec!["e2e4".to_string(), "e7e5".to_string()];
        for (text, time, seldepth, line) in [
            (r#"["e2e4",12,6,50000,null,9,"e2e4 e7e5"]"#, None, Some(9), line),
            (r#"["e2e4",12,6,50000,31,null,""]"#, Some(31), None, Vec::new()),
        ] {
            let ply: Ply = serde_json::from_str(text).unwrap();
            let details = Some(PlyDetails { seldepth, line });
            assert_eq!(ply, Ply { m: "e2e4".to_string(), score: 12, depth: 6, nodes: 50_000, time, details });
            assert_eq!(serde_json::to_string(&ply).unwrap(), text);
        }
    }
}
