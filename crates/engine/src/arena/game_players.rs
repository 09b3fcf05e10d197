//! The two players of a game, with their memory and processes, and how they choose moves.
//!
//! A built-in player keeps its transposition table during a game, as a UCI engine does, and begins each game with an empty
//! one.
//!
//! A UCI engine has one process for each thread that plays games. It is started when the thread's first game begins and
//! used for all its games, with `ucinewgame` between them. After a fault the process is dropped, and the next game starts
//! another one.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use plysmith_core::games::{GameInfo, Playing};
use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;
use plysmith_core::search::{End, Interrupt, Limit, NoMemory, Report, Root, Task, Workspace};

use super::pause::PauseMonitor;
use super::time_control::MoveLimit;
use crate::mate_search::MateTask;
use crate::player::{BuiltInPlayer, Participant, PlayerKind, UciPlayer};
use crate::process::{EngineError, Fault, SpawnMode, TrafficLog};
use crate::timed_search::{MoveTimer, SearchControl, SideClock, TimeBudget, TimeReserve, TimedSearch};
use crate::uci::client::{Go, NodeLimits, UciEngine, UciTimeouts};

/// Two players that are ready to play.
#[derive(Debug)]
pub struct GamePlayers {
    players: [GamePlayer; 2],
    /// The player whose engine could not be started, if that is why a game was not played.
    pub not_started: Option<usize>,
    /// How long both have been asked for moves so far, to compare with the time of the whole contest.
    pub thinking: Duration,
    /// How long both have searched so far: from `go` to `bestmove`.
    pub searching: Duration,
    /// When the first move was asked for.
    pub first_asked: Option<Instant>,
    /// Notices when this process is stopped; none if games can be repeated, which then does no harm.
    pub pauses: Option<PauseMonitor>,
}

/// A player that is ready to play.
#[derive(Debug)]
pub struct GamePlayer(Engine);

#[derive(Debug)]
enum Engine {
    BuiltIn { player: Box<BuiltInPlayer>, workspace: Box<Workspace> },
    Uci(Box<UciProcess>),
}

#[derive(Debug)]
struct UciProcess {
    player: UciPlayer,
    game: &'static GameInfo,
    move_limit: MoveLimit,
    spawn_mode: SpawnMode,
    timeouts: UciTimeouts,
    engine: Option<UciEngine>,
    traffic: Option<TrafficLog>,
}

/// What a player is asked: a move for a position, within a limit.
pub struct MoveRequest<'a> {
    /// The game so far.
    pub playing: &'a Playing,
    /// The start position.
    pub start: &'a str,
    /// The moves since.
    pub moves: &'a [String],
    /// The limit of this move.
    pub go: Go,
    /// The seed of a built-in player's search.
    pub seed: u64,
    /// Polled; true abandons the game.
    pub interrupt: &'a Interrupt<'a>,
}

/// A move that a player chose.
#[derive(Clone, Debug)]
pub struct ChosenMove {
    /// The move. The caller checks whether that of a UCI engine is legal.
    pub m: String,
    /// The score from the player's point of view.
    pub score: Score,
    /// Whether the player gave a score; else it is taken for even.
    pub is_scored: bool,
    /// The deepest finished iteration.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Moves made in a built-in player's search.
    pub moves: u64,
    /// How often each of a built-in player's features fired.
    pub fired: Vec<u64>,
    /// Whether a built-in player has proved the score.
    pub is_proved: bool,
    /// How long it took.
    pub time: Duration,
    /// The longest line that was searched, in plies, as far as that is known.
    pub seldepth: Option<u32>,
    /// The best line, the move first.
    pub line: Vec<String>,
}

/// Attempts to start an engine.
const MOST_STARTS: u32 = 3;
/// The move overhead of a built-in player, in milliseconds.
const OVERHEAD: u64 = 10;

impl GamePlayers {
    /// Allocates what these players need. UCI engines are started by [`GamePlayers::prepare`].
    pub fn new(
        game: &'static GameInfo,
        players: &[Participant; 2],
        move_limit: MoveLimit,
        spawn_mode: SpawnMode,
        timeouts: UciTimeouts,
    ) -> Result<GamePlayers, NoMemory> {
        let ready = |player| GamePlayer::new(game, player, move_limit, spawn_mode, timeouts);
        let [first, second] = players.each_ref().map(ready);
        let players = [first?, second?];
        let (thinking, searching) = (Duration::ZERO, Duration::ZERO);
        Ok(GamePlayers { players, not_started: None, thinking, searching, first_asked: None, pauses: None })
    }

    /// Writes the traffic of engines that are started from now on to a file.
    pub fn log_traffic(&mut self, traffic: &TrafficLog) {
        for GamePlayer(player) in &mut self.players {
            if let Engine::Uci(process) = player {
                process.traffic = Some(traffic.clone());
            }
        }
    }

    /// Prepares a new game. A UCI engine that cannot be started is an error of the whole contest.
    pub fn prepare(&mut self, interrupt: &Interrupt<'_>) -> Result<(), EngineError> {
        for (number, player) in self.players.iter_mut().enumerate() {
            if let Err(error) = player.prepare(interrupt) {
                self.not_started = Some(number);
                return Err(error);
            }
        }
        Ok(())
    }

    /// A player's move; none if it was interrupted.
    pub fn choose(&mut self, player: usize, request: &MoveRequest<'_>) -> Result<Option<ChosenMove>, EngineError> {
        let begun = Instant::now();
        self.first_asked.get_or_insert(begun);
        let chosen = self.players[player].choose(request);
        self.thinking += begun.elapsed();
        if let Ok(Some(chosen)) = &chosen {
            self.searching += chosen.time;
        }
        chosen
    }

    /// A player's UCI engine, if it is one and runs.
    pub fn engine(&mut self, player: usize) -> Option<&mut UciEngine> {
        match &mut self.players[player].0 {
            Engine::BuiltIn { .. } => None,
            Engine::Uci(process) => process.engine.as_mut(),
        }
    }

    /// Drops a UCI engine's process because of a fault that the game noticed, and returns the error with its last lines.
    pub fn fault(&mut self, player: usize, fault: Fault) -> Option<EngineError> {
        self.players[player].fault(fault)
    }
}

impl GamePlayer {
    /// Allocates what a player needs; the limit is for players without one of their own. A UCI engine is started by
    /// [`GamePlayer::prepare`].
    pub fn new(
        game: &'static GameInfo,
        player: &Participant,
        move_limit: MoveLimit,
        spawn_mode: SpawnMode,
        timeouts: UciTimeouts,
    ) -> Result<GamePlayer, NoMemory> {
        let move_limit = player.limit.unwrap_or(move_limit);
        let timeouts = UciTimeouts { margin: move_limit.margin(), ..timeouts };
        Ok(GamePlayer(match &player.kind {
            PlayerKind::BuiltIn(player) => {
                let workspace = Box::new(Workspace::with_memory(&player.settings)?);
                Engine::BuiltIn { player: player.clone(), workspace }
            }
            PlayerKind::Uci(player) => {
                let player = player.clone();
                Engine::Uci(Box::new(UciProcess {
                    player,
                    game,
                    move_limit,
                    spawn_mode,
                    timeouts,
                    engine: None,
                    traffic: None,
                }))
            }
        }))
    }

    /// Prepares a new game: a built-in player drops what it has learned in the last one, and a UCI engine that is not
    /// running is started.
    pub fn prepare(&mut self, interrupt: &Interrupt<'_>) -> Result<(), EngineError> {
        match &mut self.0 {
            Engine::BuiltIn { workspace, .. } => {
                workspace.forget(true);
                Ok(())
            }
            Engine::Uci(process) => process.prepare(interrupt),
        }
    }

    /// The player's move; none if it was interrupted. The process of a UCI engine that fails is dropped.
    pub fn choose(&mut self, request: &MoveRequest<'_>) -> Result<Option<ChosenMove>, EngineError> {
        match &mut self.0 {
            Engine::BuiltIn { player, workspace } => Ok(search(player, workspace, request, Instant::now())),
            Engine::Uci(process) => process.choose(request),
        }
    }

    /// Drops a UCI engine's process because of a fault that the caller noticed, and returns the error with its last lines.
    pub fn fault(&mut self, fault: Fault) -> Option<EngineError> {
        match &mut self.0 {
            Engine::BuiltIn { .. } => None,
            Engine::Uci(process) => process.engine.take().map(|engine| engine.error(fault)),
        }
    }
}

/// A built-in player's move.
fn search(
    player: &BuiltInPlayer,
    workspace: &mut Workspace,
    request: &MoveRequest<'_>,
    begun: Instant,
) -> Option<ChosenMove> {
    let mut limit = match request.go {
        Go::Nodes(nodes) => Limit::nodes(nodes),
        Go::Depth(depth) => Limit::depth(depth),
        _ => Limit::nodes(u64::MAX),
    };
    let budget = time_budget(&request.go);
    let spent = match search_mate(player, request, limit.nodes, budget, begun)? {
        MateAttempt::Found(chosen) => return Some(chosen),
        MateAttempt::NotFound { nodes } => nodes,
    };
    limit.nodes = limit.nodes.saturating_sub(spent);
    let task = Task {
        settings: player.settings,
        scheme: &player.scheme,
        limit,
        seed: request.seed,
        interrupt: request.interrupt,
        root: Root { past: request.playing.past(), ..Root::default() },
    };
    let control = SearchControl::started(begun);
    let timer = MoveTimer::new(budget, &control, begun);
    let search = TimedSearch { position: request.playing.position(), task, timer: &timer, helpers: 0 };
    let report = search.run(workspace, &mut |_| ());
    let is_abandoned = report.end == End::Interrupted && (budget.is_none() || (request.interrupt)());
    if is_abandoned {
        return None;
    }
    let is_proved = report.end == End::Proved;
    let Report { line, score, depth, nodes, moves, fired, height, .. } = report;
    let (m, seldepth) = (line.first()?.clone(), Some(height));
    let (nodes, time) = (nodes + spent, begun.elapsed());
    Some(ChosenMove { m, score, is_scored: true, depth, nodes, moves, fired, is_proved, time, seldepth, line })
}

/// What a built-in player's mate search did.
enum MateAttempt {
    Found(ChosenMove),
    NotFound { nodes: u64 },
}

/// Searches for a mate, if the player has a mate search; none if it was interrupted.
fn search_mate(
    player: &BuiltInPlayer,
    request: &MoveRequest<'_>,
    nodes: u64,
    budget: Option<TimeBudget>,
    begun: Instant,
) -> Option<MateAttempt> {
    let Some(mate_search) = player.mate_search else { return Some(MateAttempt::NotFound { nodes: 0 }) };
    let &MoveRequest { playing, interrupt, .. } = request;
    let found = mate_search.run(&MateTask { playing, nodes, budget, begun, interrupt });
    if interrupt() {
        return None;
    }
    let (line, depth) = (found.line.clone(), found.line.len() as u32);
    let Some(m) = found.line.into_iter().next() else { return Some(MateAttempt::NotFound { nodes: found.nodes }) };
    let (score, seldepth) = (Score::of(Outcome::Win, depth), None);
    let (nodes, time, fired) = (found.nodes, begun.elapsed(), Vec::new());
    Some(MateAttempt::Found(ChosenMove {
        m,
        score,
        is_scored: true,
        depth,
        nodes,
        moves: 0,
        fired,
        is_proved: true,
        time,
        seldepth,
        line,
    }))
}

/// The time a built-in player gives itself.
fn time_budget(go: &Go) -> Option<TimeBudget> {
    match go {
        Go::MoveTime(time) => Some(TimeBudget::exactly(time.as_millis() as u64, OVERHEAD)),
        Go::Clock(times) => {
            let (time, increment) = (times.left().as_millis() as u64, times.increment().as_millis() as u64);
            let reserve = TimeReserve { overhead: OVERHEAD, lag: 0 };
            Some(SideClock { time, increment }.budget(times.moves_to_go.map(u64::from), reserve))
        }
        _ => None,
    }
}

impl UciProcess {
    fn prepare(&mut self, interrupt: &Interrupt<'_>) -> Result<(), EngineError> {
        // An engine that dies between games is replaced before it can lose the next one.
        if let Some(mut engine) = self.engine.take()
            && engine.new_game().is_ok()
        {
            self.engine = Some(engine);
            return Ok(());
        }
        let mut starts = 0;
        loop {
            starts += 1;
            match self.start(interrupt) {
                Ok(engine) => {
                    self.engine = Some(engine);
                    return Ok(());
                }
                Err(error) if starts == MOST_STARTS || error.is_hopeless() || interrupt() => return Err(error),
                Err(_) => {}
            }
        }
    }

    fn start(&self, interrupt: &Interrupt<'_>) -> Result<UciEngine, EngineError> {
        let mut engine = self.player.start(self.game, self.spawn_mode, self.timeouts, self.traffic.as_ref())?;
        if matches!(self.move_limit, MoveLimit::Nodes(_)) && engine.node_limits() == NodeLimits::Unknown {
            engine.probe_node_limits(self.game.bench[0], interrupt)?;
        }
        engine.new_game()?;
        Ok(engine)
    }

    fn choose(&mut self, request: &MoveRequest<'_>) -> Result<Option<ChosenMove>, EngineError> {
        let result = self.ask(request);
        if result.is_err() {
            self.engine = None;
        }
        result
    }

    fn ask(&mut self, request: &MoveRequest<'_>) -> Result<Option<ChosenMove>, EngineError> {
        // Without `prepare` there is no engine, and no move.
        let Some(engine) = &mut self.engine else { return Ok(None) };
        engine.position(request.start, request.moves)?;
        let answer = engine.search(&request.go, request.interrupt, &mut |_, _| ControlFlow::Continue(()))?;
        let Some(answer) = answer else { return Ok(None) };
        // An engine that is gone after its move has made it; if it is to move again, that is noticed.
        let _ = engine.ask_whether_ready();
        Ok(Some(ChosenMove {
            m: answer.best.m.unwrap_or_else(|| NO_MOVE.to_string()),
            score: answer.info.score.map_or(Score::EVEN, |score| score.score()),
            is_scored: answer.info.score.is_some(),
            depth: answer.depth,
            nodes: answer.nodes,
            moves: 0,
            fired: Vec::new(),
            is_proved: false,
            time: answer.time,
            seldepth: answer.info.seldepth,
            line: answer.info.pv,
        }))
    }
}

/// Not a move of any game.
const NO_MOVE: &str = "(none)";

#[cfg(test)]
mod tests {
    use plysmith_core::games::{self, Playing};

    use super::{Duration, GamePlayers, Go, MoveLimit, MoveRequest, Participant, SpawnMode, UciTimeouts};

    #[test]
    fn a_mate_search_counts_its_nodes_and_plays_a_proved_mate() {
        let game = games::find("chess").unwrap();
        let players = ["modern,mate-search=df-pn,mate-share=20", "modern"];
        let players = players.map(|text| Participant::parse(game, text).unwrap());
        let limit = MoveLimit::Nodes(5_000);
        let mut ready =
            GamePlayers::new(game, &players, limit, SpawnMode::Direct, UciTimeouts::default()).expect("memory");
        ready.prepare(&|| false).unwrap();
        let mut choose = |player: usize, start: &str| {
            let playing = Playing::new((game.open)(start).unwrap());
            let go = Go::Nodes(5_000);
            let request = MoveRequest { playing: &playing, start, moves: &[], go, seed: 1, interrupt: &|| false };
            ready.choose(player, &request).unwrap().unwrap()
        };
        let mate = choose(0, "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1");
        assert_eq!((mate.m.as_str(), mate.is_proved), ("d2h6", true));
        assert!(mate.score.win_in().is_some() && mate.nodes <= 1_000, "{mate:?}");
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let [with, without] = [0, 1].map(|player| choose(player, start));
        assert_eq!([with.nodes, without.nodes], [5_000; 2]);
        assert!(!with.is_proved && with.moves < without.moves, "{with:?} {without:?}");
    }

    #[test]
    fn a_built_in_player_keeps_its_table_until_the_next_game() {
        let game = games::find("breakthrough").unwrap();
        let start = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w";
        let players = ["modern", "classic"].map(|text| Participant::parse(game, text).unwrap());
        let limit = MoveLimit::Nodes(1);
        let mut ready =
            GamePlayers::new(game, &players, limit, SpawnMode::Direct, UciTimeouts::default()).expect("memory");
        let playing = Playing::new((game.open)(start).unwrap());
        let request =
            MoveRequest { playing: &playing, start, moves: &[], go: Go::Depth(5), seed: 1, interrupt: &|| false };
        let mut games = Vec::new();
        for _ in 0..2 {
            ready.prepare(&|| false).unwrap();
            let mut nodes = |player| ready.choose(player, &request).unwrap().unwrap().nodes;
            games.push([nodes(0), nodes(0), nodes(1), nodes(1)]);
        }
        let [first, again, bare, bare_again] = games[0];
        assert!(again < first, "{again} nodes with a table that knows the position, {first} without");
        assert_eq!(bare, bare_again, "a player without a table");
        assert_eq!(games[0], games[1], "every game begins with an empty table");
        assert!(ready.thinking > Duration::ZERO);
    }
}
