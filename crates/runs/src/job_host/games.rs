//! Games between two players, built-in or external.

use std::num::NonZeroUsize;

use plysmith_core::games::GameInfo;
use plysmith_core::search::Interrupt;
use plysmith_engine::arena::game::{GameJob, GameRecord};
use plysmith_engine::arena::game_players::GamePlayers;
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::player::{Participant, PlayerKind, UciPlayer};
use plysmith_engine::process::SpawnMode;
use plysmith_engine::uci::client::UciTimeouts;

use super::hosted::{Hosted, HostedWorker, Premises, Refusal};
use super::texts;
use crate::error::RunError;
use crate::job::Worker;
use crate::memory::ThreadNeed;
use crate::pairing::{GameWorker, Pairing};

/// Plays games of two players.
struct HostedGames {
    pairing: Pairing,
    /// The players as jobs name them.
    names: [String; 2],
    players: GamePlayers,
}

impl Hosted for GameJob {
    fn worker_key(&self) -> String {
        let mut names = [&self.white, &self.black];
        names.sort();
        let limit = format!("{}\n{:?}\n{:?}", self.nodes, self.time, self.depth);
        format!("{}\n{names:?}\n{limit}\n{}\n{}", self.game, self.adjudicate, self.rules)
    }

    fn worker(&self, premises: &Premises<'_>) -> Result<HostedWorker<GameJob>, Refusal> {
        let game = texts::game(&self.game)?;
        let names = [self.white.clone(), self.black.clone()];
        let white = participant(game, &names[0], premises)?;
        let players = [white, participant(game, &names[1], premises)?];
        let need = players
            .iter()
            .zip(&names)
            .fold(ThreadNeed::default(), |need, (player, name)| need.and(format!("'{name}'"), player.memory()));
        premises.check_memory(&need)?;
        let move_limit = match (&self.time, self.depth) {
            (Some(time), _) => MoveLimit::Time(time.parse().map_err(Refusal::refused)?),
            (None, Some(depth)) => MoveLimit::Depth(depth),
            (None, None) => MoveLimit::Nodes(self.nodes),
        };
        let pairing = Pairing {
            game,
            players,
            move_limit,
            run: self.run.clone().unwrap_or_default(),
            earlier: Vec::new(),
            spawn_mode: SpawnMode::Guarded,
            timeouts: UciTimeouts::default(),
            seed: 0,
            adjudicate: self.adjudicate,
            rules: self.rules,
            details: false,
            traffic: None,
        };
        let mut players = pairing.game_players(NonZeroUsize::MIN).map_err(Refusal::refused)?;
        let players = players.pop().ok_or_else(|| Refusal::refused("there are no players"))?;
        Ok(Box::new(HostedGames { pairing, names, players }))
    }
}

/// A built-in player from a message.
pub(super) fn built_in(game: &'static GameInfo, text: &str, premises: &Premises<'_>) -> Result<Participant, Refusal> {
    let engine = text.split(';').next().unwrap_or(text);
    let kind = Participant::from(texts::player(game, engine, premises)?).kind;
    let named = Participant::parse_stored(game, text).map_err(Refusal::refused)?;
    Ok(Participant { kind, ..named })
}

/// A player from a message. A UCI engine is started by the command line of this host.
pub(super) fn participant(
    game: &'static GameInfo,
    text: &str,
    premises: &Premises<'_>,
) -> Result<Participant, Refusal> {
    if !text.starts_with(plysmith_engine::player::UCI_PREFIX) {
        return built_in(game, text, premises);
    }
    let Participant { kind, name, limit } = Participant::parse_stored(game, text).map_err(Refusal::refused)?;
    let PlayerKind::Uci(named) = kind else {
        return Err(Refusal::refused(format!("'{text}' is not a UCI engine")));
    };
    let needed = premises.envelope.engines.iter().find(|engine| engine.command == named.command.to_string());
    let needed = needed.ok_or_else(|| Refusal::refused(format!("the job does not say what '{text}' contains")))?;
    Ok(Participant { name, limit, ..external(named, &needed.content, premises)? })
}

/// A UCI engine that this host offers, with the options of a message.
pub(super) fn external(named: UciPlayer, content: &str, premises: &Premises<'_>) -> Result<Participant, Refusal> {
    let offered = premises.host.engines.find(&named.command, content)?;
    offered.check_options(&named.options)?;
    Ok(UciPlayer { command: offered.command.clone(), ..named }.into())
}

impl HostedGames {
    /// Fails if this program would make another job of these players in this position.
    fn check(&self, job: &GameJob) -> Result<(), Refusal> {
        let Pairing { game, players, .. } = &self.pairing;
        let [first, second] = players;
        let (white, black) = if job.white == self.names[0] { (first, second) } else { (second, first) };
        let ours = GameJob {
            // External engines have other command lines here.
            white: job.white.clone(),
            black: job.black.clone(),
            nodes: job.nodes,
            time: job.time.clone(),
            depth: job.depth,
            run: job.run.clone(),
            seed: job.seed,
            adjudicate: job.adjudicate,
            rules: job.rules,
            details: job.details,
            ..GameJob::new(game, &job.position, white, black)
        };
        for (sent, player) in [(&job.white, white), (&job.black, black)] {
            if player.built_in().is_some() {
                Refusal::unless_same(sent, &player.print(game))?;
            }
        }
        Refusal::unless_same(job, &ours)?;
        (game.open)(&job.position).map(drop).map_err(Refusal::refused)
    }
}

impl Worker<GameJob> for HostedGames {
    type Error = Refusal;

    fn run(&mut self, job: &GameJob, interrupt: &Interrupt<'_>) -> Result<Option<GameRecord>, Refusal> {
        self.check(job)?;
        let HostedGames { pairing, names, players } = self;
        let mut worker = GameWorker { pairing, first: names[0].clone(), game_players: players };
        worker.run(job, interrupt).map_err(|error| RunError::from(error).into())
    }
}
