//! Choices: what a player plays in a position, with a node limit, in the result cache.
//!
//! A player chooses as in a game: it first searches the positions in which it moved before, with the same limit, so its
//! transposition table is as warm as it would be.

use std::sync::Arc;

use plysmith_core::games::{GameInfo, Playing};
use plysmith_core::random::{Random, derive_seed};
use plysmith_core::score::Score;
use plysmith_core::search::{self, Interrupt};
use plysmith_engine::arena::game_players::{ChosenMove, GamePlayer, MoveRequest};
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::driver::{EXTERNAL_REVISION, content_key};
use plysmith_engine::player::{Participant, PlayerKind};
use plysmith_engine::process::{EngineError, Fault, SpawnMode};
use plysmith_engine::uci::client::{Go, UciTimeouts};
use serde::{Deserialize, Serialize};

use crate::basis::Part;
use crate::error::RunError;
use crate::job::{Job, Key, Worker};
use crate::suite_runner::MOST_FAILURES;

/// A choice that a player is to make.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChoiceJob {
    /// The game's name.
    pub game: String,
    /// The player's text.
    pub player: String,
    /// The content key of a UCI engine's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The position.
    pub position: String,
    /// The positions in which the player moved before, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Node limit of each search.
    pub nodes: u64,
    /// Random seed.
    pub seed: u64,
    /// The random number generator that the seed is for.
    pub random: String,
    /// The revision of the search, or of how external engines are asked.
    pub revision: u32,
    /// What the features and the evaluation of a built-in player do; empty for a UCI engine.
    pub behaviour: String,
    /// The revision of what the choice of a player with features contains; none for other players, and for choices of
    /// versions that did not count how often features fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<u32>,
}

/// A player's choice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// The move; none if an external engine failed here, each time in a fresh process.
    pub m: Option<String>,
    /// The score from the player's point of view, in units of its evaluation.
    pub score: i32,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Moves made in all searches of a built-in player with features.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub moves: u64,
    /// For each feature of a built-in player, how many of these moves it decided the cost of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fired: Vec<u64>,
    /// Why there is no move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Somebody who is asked for choices.
#[derive(Clone, Debug)]
pub struct Chooser {
    game: &'static GameInfo,
    player: Participant,
    text: String,
    content: Option<String>,
}

impl Job for ChoiceJob {
    const KIND: &'static str = "choice";
    type Result = Choice;

    fn key(&self) -> Key {
        let ChoiceJob { game, player, content, position, before, nodes, seed, random, revision, behaviour, counts } =
            self;
        let before = before.join("\n");
        let counts = counts.map_or(String::new(), |revision| format!("\ncounts {revision}"));
        Key::of(&format!(
            "choice\n{game}\n{player}\n{content:?}\n{position}\n{nodes}\n{seed}\n{random}\n{revision}\nbehaviour {behaviour}\n\
             before\n{before}{counts}"
        ))
    }
}

impl Chooser {
    /// A player of this game. The program of a UCI engine is read, so that results name its content.
    pub fn new(game: &'static GameInfo, player: Participant) -> Result<Chooser, RunError> {
        let text = player.print(game);
        if player.limit.is_some() {
            return Err(RunError::input(format!(
                "'{text}': single moves have the limit of the command; leave out its own"
            )));
        }
        let content = match &player.kind {
            PlayerKind::BuiltIn(player) => {
                player.load(game).map_err(RunError::input)?;
                None
            }
            PlayerKind::Uci(uci) => Some(
                content_key(&uci.command)
                    .map_err(|error| RunError::input(format!("cannot read the program of '{text}': {error}")))?,
            ),
        };
        Ok(Chooser { game, player, text, content })
    }

    /// A player that a job names by this text, and by this content if it is a UCI engine. It may be started by another
    /// command line than the text has.
    pub(crate) fn named(
        game: &'static GameInfo,
        player: Participant,
        text: String,
        content: Option<String>,
    ) -> Chooser {
        Chooser { game, player, text, content }
    }

    /// The player.
    pub fn player(&self) -> &Participant {
        &self.player
    }

    /// The player's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The part of the program that its choices depend on.
    pub fn part(&self) -> Part {
        if self.player.built_in().is_some() { Part::Search } else { Part::External }
    }

    /// The job of a choice.
    pub fn job(&self, position: &str, before: &[String], nodes: u64, seed: u64) -> ChoiceJob {
        ChoiceJob {
            game: self.game.name.to_string(),
            player: self.text.clone(),
            content: self.content.clone(),
            position: position.to_string(),
            before: before.to_vec(),
            nodes,
            seed,
            random: Random::ALGORITHM.to_string(),
            revision: if self.player.built_in().is_some() { search::REVISION } else { EXTERNAL_REVISION },
            behaviour: self.player.behaviour(self.game),
            counts: self.player.built_in().filter(|player| !player.scheme.is_neutral()).map(|_| COUNTS_REVISION),
        }
    }
}

impl Choice {
    /// No choice, because an external engine failed.
    fn failed(failure: String) -> Choice {
        Choice { m: None, score: 0, nodes: 0, moves: 0, fired: Vec::new(), failure: Some(failure) }
    }

    /// The score.
    pub fn score(&self) -> Score {
        Score::from_units(self.score)
    }
}

/// The revision of what the choices of players with features contain: moves, and how often each feature fired.
const COUNTS_REVISION: u32 = 1;

/// Players that a worker keeps ready, with their memory and processes: the two of a comparison, and a judge.
pub const MOST_READY: usize = 3;

/// Makes the choices of some players on one thread.
pub struct ChoiceWorker {
    choosers: Arc<[Chooser]>,
    timeouts: UciTimeouts,
    /// The last ones that were asked, in the order in which they became ready.
    ready: Vec<(String, GamePlayer)>,
}

impl ChoiceWorker {
    /// A worker for these players.
    pub fn new(choosers: Arc<[Chooser]>, timeouts: UciTimeouts) -> ChoiceWorker {
        ChoiceWorker { choosers, timeouts, ready: Vec::new() }
    }

    fn player(&mut self, job: &ChoiceJob) -> Result<(&'static GameInfo, &mut GamePlayer), RunError> {
        let chooser = self.choosers.iter().find(|chooser| chooser.text == job.player);
        let chooser = chooser.ok_or_else(|| RunError::failed(format!("nobody plays as '{}'", job.player)))?;
        let index = match self.ready.iter().position(|(text, _)| *text == job.player) {
            Some(index) => index,
            None => {
                if self.ready.len() == MOST_READY {
                    self.ready.remove(0);
                }
                let limit = MoveLimit::Nodes(job.nodes);
                let player = GamePlayer::new(chooser.game, &chooser.player, limit, SpawnMode::Guarded, self.timeouts)?;
                self.ready.push((job.player.clone(), player));
                self.ready.len() - 1
            }
        };
        Ok((chooser.game, &mut self.ready[index].1))
    }
}

impl Worker<ChoiceJob> for ChoiceWorker {
    type Error = RunError;

    fn run(&mut self, job: &ChoiceJob, interrupt: &Interrupt<'_>) -> Result<Option<Choice>, RunError> {
        let (game, player) = self.player(job)?;
        let mut failures = 0;
        loop {
            // An engine that cannot be started is no use for other positions, either.
            player.prepare(interrupt)?;
            let error = match choose(game, player, job, interrupt) {
                Ok(choice) => return Ok(choice),
                Err(error) if *error.fault() == Fault::GuardDied => return Err(error.into()),
                Err(error) => error,
            };
            failures += 1;
            if failures == MOST_FAILURES {
                return Ok(Some(Choice::failed(error.to_string())));
            }
        }
    }
}

/// Searches the positions before and the position itself; none if it was interrupted.
fn choose(
    game: &GameInfo,
    player: &mut GamePlayer,
    job: &ChoiceJob,
    interrupt: &Interrupt<'_>,
) -> Result<Option<Choice>, EngineError> {
    let (mut nodes, mut moves, mut fired) = (0, 0, Vec::new());
    let mut last = None;
    for (number, text) in job.before.iter().chain([&job.position]).enumerate() {
        // The suite has been checked.
        let Ok(position) = (game.open)(text) else { return Ok(None) };
        let playing = Playing::new(position);
        let request = MoveRequest {
            playing: &playing,
            start: text,
            moves: &[],
            go: Go::Nodes(job.nodes),
            seed: derive_seed(job.seed, &format!("choice {number} in {}", job.position)),
            interrupt,
        };
        let Some(chosen) = player.choose(&request)? else { return Ok(None) };
        nodes += chosen.nodes;
        if job.counts.is_some() {
            moves += chosen.moves;
            fired.resize(fired.len().max(chosen.fired.len()), 0);
            fired.iter_mut().zip(&chosen.fired).for_each(|(sum, fired)| *sum += fired);
        }
        let position = playing.position().canonical_move(&chosen.m);
        match position {
            Ok(m) => last = Some(ChosenMove { m, ..chosen }),
            Err(_) => {
                let fault = Fault::IllegalMove { m: chosen.m, position: text.clone() };
                // A built-in player makes legal moves only.
                return player.fault(fault).map_or(Ok(None), Err);
            }
        }
    }
    Ok(last.map(|chosen| Choice { m: Some(chosen.m), score: chosen.score.units(), nodes, moves, fired, failure: None }))
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
