//! Which engines a run was started with.
//!
//! Games that were played are not played again when a run is resumed. If an engine was replaced in between, the result
//! would mix two engines under one name; so it is stored what the engines are, and a run whose engines have changed is not
//! resumed.

use std::ops::ControlFlow;

use plysmith_core::games::GameInfo;
use plysmith_engine::arena::game_players::GamePlayers;
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::driver::content_key;
use plysmith_engine::player::{Participant, PlayerKind, UciPlayer};
use plysmith_engine::process::SpawnMode;
use plysmith_engine::uci::client::{CHESS960, Go, NodeLimits};
use plysmith_store::Run;
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::events::GAME;
use crate::fairness::{NODES_REMEDY, exceeds};
use crate::play::PlayConfig;
use crate::services::Services;
use crate::view::thousands;

/// What the players of a run are. Stored with the run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Contestants {
    /// The external engines.
    pub engines: Vec<ContestingEngine>,
}

/// An external engine that plays.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ContestingEngine {
    /// The player's text.
    pub player: String,
    /// Who it says it is.
    pub name: String,
    /// A content key of the program and of the files that its arguments name.
    pub content: String,
}

/// Nodes of the search that shows how many an engine takes, at most: a tenth of a second for most engines.
const TRIAL_NODES: u64 = 50_000;

impl Contestants {
    /// Starts each external engine among these players once, so that a misspelt command leaves no run behind, and says
    /// which of them do not keep a node limit.
    pub fn identify(play: &PlayConfig, players: &[Participant], services: &Services) -> Result<Contestants, RunError> {
        let mut engines: Vec<ContestingEngine> = Vec::new();
        for player in players {
            let text = play.print(player);
            if let PlayerKind::Uci(uci) = &player.kind
                && !engines.iter().any(|engine| engine.player == text)
            {
                engines.push(identify(play, player, uci, text, services)?);
            }
        }
        Ok(Contestants { engines })
    }

    /// Fails if these are not the players that a run was started with.
    pub fn check(&self, started_with: &Contestants) -> Result<(), RunError> {
        for before in &started_with.engines {
            let Some(now) = self.engines.iter().find(|engine| engine.player == before.player) else { continue };
            let ContestingEngine { player, name, content } = before;
            if now != before {
                return Err(RunError::input(format!(
                    "the engine '{player}' has changed since the run was started: it was {name} (content {content}) and \
                     is now {} (content {}); put the former program back, or start the match again",
                    now.name, now.content
                )));
            }
        }
        Ok(())
    }

    /// Fails if nobody can tell whether the engines of a stored run are still the same.
    pub fn check_resume(
        stored: Option<&Contestants>,
        players: &[Participant],
        run: &Run,
        services: &Services,
    ) -> Result<(), RunError> {
        let is_known = stored.is_some() || players.iter().all(|player| player.built_in().is_some());
        // Without games there is nothing to be mixed.
        if is_known || services.store.stream_events(run.id, 0).of_kind(GAME).next().transpose()?.is_none() {
            return Ok(());
        }
        let (id, version) = (run.id, &run.version);
        Err(RunError::input(format!(
            "run {id} was started by a plysmith ({version}) that did not store which engines play, so nobody can tell \
             whether they are still the same; finish it with that plysmith, or start it again"
        )))
    }
}

fn identify(
    play: &PlayConfig,
    player: &Participant,
    uci: &UciPlayer,
    text: String,
    services: &Services,
) -> Result<ContestingEngine, RunError> {
    // Before it is started: what is replaced a moment later shows when the run is resumed.
    let content = content_key(&uci.command);
    // Game players are made for two.
    let players = [player.clone(), play.player("classic")?];
    let mut game_players = GamePlayers::new(play.game, &players, play.move_limit, SpawnMode::Guarded, play.timeouts())?;
    services.traffic.iter().for_each(|traffic| game_players.log_traffic(traffic));
    game_players.prepare(&|| services.cancel.is_cancelled())?;
    let content = content.map_err(|error| RunError::input(format!("cannot read the program of '{text}': {error}")))?;
    let name = game_players.engine(0).map_or(String::new(), |engine| engine.identity().name.clone());
    if play.is_chess960() && game_players.engine(0).is_some_and(|engine| !engine.has_chess960()) {
        return Err(RunError::input(format!(
            "'{text}' ({name}) does not play Chess960: it has no option {CHESS960}; choose openings of chess, or another engine"
        )));
    }
    if let MoveLimit::Nodes(limit) = player.limit_in(play.move_limit)
        && let Some(warning) = try_nodes(&mut game_players, play.game, limit, services)
    {
        services.note(format!("warning: {text} ({name}) {warning}"));
    }
    Ok(ContestingEngine { player: text, name, content })
}

/// Searches once with a node limit. Whether the engine takes more, in words.
fn try_nodes(
    game_players: &mut GamePlayers,
    game: &'static GameInfo,
    limit: u64,
    services: &Services,
) -> Option<String> {
    let engine = game_players.engine(0)?;
    let asked = limit.min(TRIAL_NODES);
    // An engine that fails here fails in its games, too, and that is counted.
    engine.position(game.bench[0], &[]).ok()?;
    let searched =
        engine.search(&Go::Nodes(asked), &|| services.cancel.is_cancelled(), &mut |_, _| ControlFlow::Continue(()));
    let nodes = searched.ok()??.nodes;
    let took = format!("it took {} nodes in a trial where {} were set", thousands(nodes), thousands(asked));
    match engine.node_limits() {
        _ if nodes == 0 => {
            Some(format!("reports no nodes, so nobody can tell whether it keeps the node limit; {NODES_REMEDY}"))
        }
        NodeLimits::Ignored => Some(format!(
            "ignores 'go nodes' and is stopped when it reports more than the limit; {took}, and the match is unfair; \
             {NODES_REMEDY}"
        )),
        NodeLimits::TooEarly => Some(format!(
            "ends 'go nodes' long before the limit and is sent 'go infinite' and 'stop' instead; {took}; {NODES_REMEDY}"
        )),
        _ if exceeds(nodes as f64, asked) => {
            Some(format!("does not keep node limits exactly: {took}, and the match favours it; {NODES_REMEDY}"))
        }
        _ => None,
    }
}
