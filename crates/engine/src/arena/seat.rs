//! A participant at the board: what it needs while it plays, and how it comes to its moves.
//!
//! A foreign engine has one process for each seat, started when its first game begins and used for all games of the
//! seat, with `ucinewgame` between them. After a fault the process is dropped, and the next game starts another.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plysmith_core::games::{GameInfo, Playing};
use plysmith_core::score::Score;
use plysmith_core::search::deepening::{End, Interrupt, Limit, NoMemory, Report, Root, Task, Workspace};

use super::pace::{Pace, Timing};
use super::participant::{ForeignPlayer, Participant};
use super::player::Player;
use crate::process::{EngineError, Fault, Launch};
use crate::protocol::pace::{Budget, Clock, Lost, Pace as Patient, Remaining};
use crate::uci::{Go, NodeLimits, Patience, Uci, Watch};

/// What two players need while they play, and a clock.
#[derive(Debug)]
pub struct Seats {
    seats: [Seat; 2],
    /// How long both have searched so far. Nothing depends on it; it shows what everything else costs.
    pub thinking: Duration,
}

#[derive(Debug)]
enum Seat {
    BuiltIn { player: Player, workspace: Box<Workspace> },
    Foreign(Box<ForeignSeat>),
}

#[derive(Debug)]
struct ForeignSeat {
    player: ForeignPlayer,
    game: &'static GameInfo,
    pace: Pace,
    launch: Launch,
    patience: Patience,
    engine: Option<Uci>,
}

/// A move to be found.
pub struct Turn<'a> {
    /// The game so far.
    pub playing: &'a Playing,
    /// Where it began.
    pub start: &'a str,
    /// The moves since.
    pub moves: &'a [String],
    /// What the move may take.
    pub go: Go,
    /// Where a built-in player's chances come from.
    pub seed: u64,
    /// Asked now and then whether to give up.
    pub interrupt: &'a Interrupt<'a>,
}

/// A move that was found.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The move; whether a foreign engine's is legal is for the game to say.
    pub m: String,
    /// What it is worth to the player.
    pub score: Score,
    /// The deepest finished iteration.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Made moves, of a built-in player.
    pub moves: u64,
    /// How often each of a built-in player's features fired.
    pub fired: Vec<u64>,
    /// Whether a built-in player has proved the score.
    pub is_proved: bool,
    /// How long it took.
    pub time: Duration,
}

/// Starts of an engine that may fail one after the other.
const MOST_STARTS: u32 = 3;
/// Milliseconds that a built-in player leaves for the way to the clock.
const OVERHEAD: u64 = 10;

impl Seats {
    /// Seats with the memory that these players need. Engines are started when they are needed.
    pub fn new(
        game: &'static GameInfo,
        players: &[Participant; 2],
        pace: Pace,
        launch: Launch,
        patience: Patience,
    ) -> Result<Seats, NoMemory> {
        let margin = match pace {
            Pace::Time(Timing { margin, .. }) => margin,
            Pace::Nodes(_) => Duration::ZERO,
        };
        let patience = Patience { margin, ..patience };
        let [first, second] = players.each_ref().map(|player| match player {
            Participant::BuiltIn(player) => Workspace::with_memory(&player.settings)
                .map(|workspace| Seat::BuiltIn { player: player.clone(), workspace: Box::new(workspace) }),
            Participant::Foreign(player) => {
                let player = player.clone();
                Ok(Seat::Foreign(Box::new(ForeignSeat { player, game, pace, launch, patience, engine: None })))
            }
        });
        Ok(Seats { seats: [first?, second?], thinking: Duration::ZERO })
    }

    /// A new game is about to begin. An engine that cannot be started is an error of the whole contest.
    pub fn prepare(&mut self, interrupt: &Interrupt<'_>) -> Result<(), EngineError> {
        self.seats.iter_mut().try_for_each(|seat| match seat {
            Seat::BuiltIn { .. } => Ok(()),
            Seat::Foreign(seat) => seat.prepare(interrupt),
        })
    }

    /// A player's move; nothing if it was interrupted.
    pub fn choose(&mut self, player: usize, turn: &Turn<'_>) -> Result<Option<Thought>, EngineError> {
        let begun = Instant::now();
        let thought = match &mut self.seats[player] {
            Seat::BuiltIn { player, workspace } => Ok(think(player, workspace, turn, begun)),
            Seat::Foreign(seat) => seat.choose(turn),
        };
        self.thinking += begun.elapsed();
        thought
    }

    /// A fault that was noticed at the board: the engine is not trusted any more.
    pub fn fault(&mut self, player: usize, fault: Fault) -> Option<EngineError> {
        match &mut self.seats[player] {
            Seat::BuiltIn { .. } => None,
            Seat::Foreign(seat) => seat.engine.take().map(|engine| engine.error(fault)),
        }
    }
}

/// A built-in player's move.
fn think(player: &Player, workspace: &mut Workspace, turn: &Turn<'_>, begun: Instant) -> Option<Thought> {
    let position = turn.playing.position();
    let limit = match turn.go {
        Go::Nodes(nodes) => Limit::nodes(nodes),
        Go::Depth(depth) => Limit::depth(depth),
        _ => Limit::nodes(u64::MAX),
    };
    let budget = budget(turn);
    let mut patient = Patient::new(budget, position.moves().len(), 1);
    // The first question comes before the first node, when there is no move yet worth playing.
    let (was_asked, is_enough) = (AtomicBool::new(false), AtomicBool::new(false));
    let is_due = || {
        budget.is_some_and(|budget| {
            let spent = begun.elapsed() >= budget.hard || is_enough.load(Ordering::Relaxed);
            was_asked.swap(true, Ordering::Relaxed) && spent
        })
    };
    let task = Task {
        settings: player.settings,
        scheme: &player.scheme,
        limit,
        seed: turn.seed,
        interrupt: &|| (turn.interrupt)() || is_due(),
        root: Root { past: turn.playing.past(), ..Root::default() },
    };
    let report = position.search_observed(&task, workspace, &mut |report| {
        is_enough.store(patient.is_enough(&report, begun.elapsed()), Ordering::Relaxed);
    });
    let is_given_up = report.end == End::Interrupted && (budget.is_none() || (turn.interrupt)());
    if is_given_up {
        return None;
    }
    let is_proved = report.end == End::Proved;
    let Report { line, score, depth, nodes, moves, fired, .. } = report;
    let m = line.into_iter().next()?;
    Some(Thought { m, score, depth, nodes, moves, fired, is_proved, time: begun.elapsed() })
}

/// The time a built-in player gives itself.
fn budget(turn: &Turn<'_>) -> Option<Budget> {
    match turn.go {
        Go::MoveTime(time) => Some(Budget::exactly(time.as_millis() as u64, OVERHEAD)),
        Go::Clock(times) => {
            let own =
                Remaining { time: times.left().as_millis() as u64, increment: times.increment.as_millis() as u64 };
            let clock = Clock { white: own, black: own, moves_to_go: times.moves_to_go.map(u64::from) };
            Some(clock.budget(true, Lost { overhead: OVERHEAD, stalls: 0 }))
        }
        _ => None,
    }
}

impl ForeignSeat {
    fn prepare(&mut self, interrupt: &Interrupt<'_>) -> Result<(), EngineError> {
        // One that does not survive the end of a game is replaced before it can lose the next one.
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

    fn start(&self, interrupt: &Interrupt<'_>) -> Result<Uci, EngineError> {
        let mut engine = self.player.start(self.game, self.launch, self.patience)?;
        if matches!(self.pace, Pace::Nodes(_)) && engine.node_limits() == NodeLimits::Unknown {
            engine.probe_node_limits(self.game.bench[0], interrupt)?;
        }
        engine.new_game()?;
        Ok(engine)
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Option<Thought>, EngineError> {
        let result = self.ask(turn);
        if result.is_err() {
            self.engine = None;
        }
        result
    }

    fn ask(&mut self, turn: &Turn<'_>) -> Result<Option<Thought>, EngineError> {
        // A seat that was not prepared has no engine; then nothing is found.
        let Some(engine) = &mut self.engine else { return Ok(None) };
        engine.position(turn.start, turn.moves)?;
        let answer = engine.search(&turn.go, turn.interrupt, &mut |_, _| Watch::Continue)?;
        let Some(answer) = answer else { return Ok(None) };
        Ok(Some(Thought {
            m: answer.best.m.unwrap_or_else(|| NO_MOVE.to_string()),
            score: answer.info.score.map_or(Score::EVEN, |score| score.score()),
            depth: answer.depth,
            nodes: answer.nodes,
            moves: 0,
            fired: Vec::new(),
            is_proved: false,
            time: answer.time,
        }))
    }
}

/// Not a move of any game.
const NO_MOVE: &str = "(none)";
