//! One `go` to its `bestmove`, under a watchdog.
//!
//! - A search that is not timed is stopped if it makes no progress ([`Watchdog`]). That is an error, not a result.
//! - Numbers that no search can have are ignored ([`Info::without_impossible`]).
//! - An engine that does not honour node limits is sent `go infinite` and stopped when its own count passes the limit. If
//!   such a search runs out of tree and falls silent, it is stopped without an error.
//! - A timed search is stopped after its time and the margin; the result has the time that it took.
//! - If there is no answer to `stop`, the caller drops the engine.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use plysmith_core::search::Interrupt;

use super::info::{BestMove, Info};
use super::{NodeLimits, UciEngine};
use crate::process::{
    EngineError, EngineLine, ExpectedSearch, Fault, OutputBound, POLL_INTERVAL, Patience, Progress, Watchdog,
    most_nodes,
};

/// A `go` command: when a search ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Go {
    /// After this number of nodes, as exactly as the engine can.
    Nodes(u64),
    /// After this number of plies.
    Depth(u32),
    /// After this time.
    MoveTime(Duration),
    /// When the engine decides, by the clock.
    Clock(ClockTimes),
    /// When the caller stops it.
    Infinite,
}

/// The clocks of both sides.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ClockTimes {
    /// White's time left.
    pub white: Duration,
    /// Black's time left.
    pub black: Duration,
    /// White's and Black's increment after each move.
    pub increments: [Duration; 2],
    /// Moves to the next time control, if there is one.
    pub moves_to_go: Option<u32>,
    /// Whether White is to move.
    pub white_to_move: bool,
}

/// Why the client stopped a search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum StopCause {
    /// The engine's own count passed the node limit.
    Nodes,
    /// The engine fell silent because it had nothing more to search.
    RanOut,
    /// The time was over.
    Time,
    /// The caller had seen enough.
    Watcher,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UciSearchResult {
    /// The move.
    pub best: BestMove,
    /// The last principal line with a score; empty if there was none.
    pub info: Info,
    /// The most nodes that it reported.
    pub nodes: u64,
    /// The greatest depth that it reported.
    pub depth: u32,
    /// From `go` to `bestmove`, by our clock.
    pub time: Duration,
    /// Why the client stopped it; none if it ended by itself.
    pub stopped: Option<StopCause>,
}

/// A search under way.
struct RunningSearch {
    watchdog: Watchdog,
    /// When it was told to stop, in watched time, and why.
    stopped: Option<(Duration, Reason)>,
    /// The last line with moves and a score.
    info: Info,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Reason {
    StopCause(StopCause),
    Stalled(Progress),
    Interrupt,
}

/// What a search writes.
const SEARCH_OUTPUT: OutputBound = OutputBound::search("in one search");
/// A search that is to tell the engine's speed has at least this many nodes.
const TELLING: u64 = 1000;

impl UciEngine {
    /// Searches the position that was set up. None if it was interrupted; then the engine has stopped.
    ///
    /// `watch` sees every `info` line with the time since `go`; to break is to stop the search.
    pub fn search(
        &mut self,
        go: &Go,
        interrupt: &Interrupt<'_>,
        watch: &mut dyn FnMut(&Info, Duration) -> ControlFlow<()>,
    ) -> Result<Option<UciSearchResult>, EngineError> {
        // One `isready` is enough: a `position` since then takes no time.
        if !self.is_ready {
            self.sync()?;
        }
        self.is_ready = false;
        let begun = Instant::now();
        self.process.begin_phase(SEARCH_OUTPUT);
        self.process.send(&self.line(go))?;
        let limit = if let Go::Nodes(limit) = go { Some(*limit) } else { None };
        let watchdog = Watchdog::new(begun, limit, Patience(self.timeouts.silence));
        let mut running = RunningSearch { watchdog, stopped: None, info: Info::default() };
        loop {
            let watched = running.watchdog.look(Instant::now());
            if let Some(reason) = self.reason_to_stop(go, &running, interrupt) {
                self.stop(&mut running, reason)?;
            }
            let waited = |&(since, _): &(Duration, Reason)| watched.saturating_sub(since);
            if let Some(stopped) = running.stopped.filter(|stopped| waited(stopped) > self.timeouts.stop) {
                return Err(match stopped {
                    (_, Reason::Stalled(progress)) => self.process.error(Fault::Stalled { progress }),
                    _ => self.process.silent(waited(&stopped)),
                });
            }
            let Some(EngineLine { at, text }) = self.process.receive(self.next_poll(go, &running))? else { continue };
            if let Some(info) = Info::parse(&text) {
                let time = at.saturating_duration_since(begun);
                let seen = watch(&info, time);
                self.note(&mut running, info.without_impossible(time), at);
                if seen.is_break() {
                    self.stop(&mut running, Reason::StopCause(StopCause::Watcher))?;
                }
            } else if let Some(best) = BestMove::parse(&text) {
                return self.answer(running, best, at);
            }
        }
    }

    /// The time from `stop` to `bestmove` in an infinite search; none if it ends by itself.
    pub fn stop_latency(&mut self, head_start: Duration) -> Result<Option<Duration>, EngineError> {
        self.sync()?;
        self.is_ready = false;
        self.process.begin_phase(SEARCH_OUTPUT);
        self.process.send("go infinite")?;
        if self.best_move_by(Instant::now() + head_start)?.is_some() {
            return Ok(None);
        }
        let begun = Instant::now();
        self.process.send("stop")?;
        let answered = self.best_move_by(begun + self.timeouts.stop)?;
        answered.map(|at| Some(at.saturating_duration_since(begun))).ok_or_else(|| self.process.silent(begun.elapsed()))
    }

    /// Whether it answers `isready` during a search. Stops the search.
    pub fn is_ready_while_searching(&mut self, head_start: Duration) -> Result<bool, EngineError> {
        self.sync()?;
        self.is_ready = false;
        self.process.begin_phase(SEARCH_OUTPUT);
        self.process.send("go infinite")?;
        self.process.send("isready")?;
        let (mut is_ready, mut is_over) = (false, false);
        let begun = Instant::now();
        while !is_ready && let Some(heard) = self.process.receive(begun + head_start)? {
            is_ready = heard.text.trim() == "readyok";
            is_over |= BestMove::parse(&heard.text).is_some();
            // An engine that does not answer may write other lines.
            if begun.elapsed() > head_start {
                break;
            }
        }
        let begun = Instant::now();
        self.process.send("stop")?;
        if !is_over && self.best_move_by(begun + self.timeouts.stop)?.is_none() {
            return Err(self.process.silent(begun.elapsed()));
        }
        self.sync()?;
        Ok(is_ready)
    }

    /// When it wrote `bestmove`, if it did so before the deadline.
    fn best_move_by(&mut self, deadline: Instant) -> Result<Option<Instant>, EngineError> {
        while let Some(EngineLine { at, text }) = self.process.receive(deadline)? {
            if BestMove::parse(&text).is_some() {
                return Ok(Some(at));
            }
            if at > deadline {
                break;
            }
        }
        Ok(None)
    }

    fn answer(
        &mut self,
        running: RunningSearch,
        best: BestMove,
        at: Instant,
    ) -> Result<Option<UciSearchResult>, EngineError> {
        let stopped = match running.stopped {
            None => None,
            Some((_, Reason::StopCause(cause))) => Some(cause),
            Some((_, Reason::Interrupt)) => return Ok(None),
            Some((_, Reason::Stalled(progress))) => return Err(self.process.error(Fault::Stalled { progress })),
        };
        let RunningSearch { watchdog, info, .. } = running;
        let (nodes, depth) = (watchdog.nodes(), watchdog.depth());
        let time = at.saturating_duration_since(watchdog.begun());
        if nodes >= TELLING && stopped != Some(StopCause::RanOut) {
            self.finished_speed = Some(nodes as f64 / time.as_secs_f64().max(1e-6));
        }
        Ok(Some(UciSearchResult { best, info, nodes, depth, time, stopped }))
    }

    fn note(&mut self, running: &mut RunningSearch, info: Info, at: Instant) {
        let watchdog = &mut running.watchdog;
        let nodes = info.nodes.unwrap_or(0);
        let is_more = nodes > watchdog.nodes();
        watchdog.note(nodes, info.depth.unwrap_or(0), at);
        let time = at.saturating_duration_since(watchdog.begun()).as_secs_f64();
        if is_more && time > 0.01 {
            self.speed = Some(nodes as f64 / time);
        }
        if info.is_principal() && info.score.is_some() {
            running.info = info;
        }
    }

    fn stop(&mut self, running: &mut RunningSearch, reason: Reason) -> Result<(), EngineError> {
        if running.stopped.is_none() {
            running.stopped = Some((running.watchdog.look(Instant::now()), reason));
            self.process.send("stop")?;
        }
        Ok(())
    }

    fn reason_to_stop(&self, go: &Go, running: &RunningSearch, interrupt: &Interrupt<'_>) -> Option<Reason> {
        if running.stopped.is_some() {
            return None;
        }
        if interrupt() {
            return Some(Reason::Interrupt);
        }
        if let Some(allowed) = go.allowed() {
            return (running.watchdog.begun().elapsed() > allowed + self.timeouts.margin)
                .then_some(Reason::StopCause(StopCause::Time));
        }
        let runs_free = self.runs_free(go);
        if let Go::Nodes(limit) = *go {
            let most = if runs_free { limit } else { most_nodes(limit) };
            if running.watchdog.nodes() >= most {
                return Some(Reason::StopCause(StopCause::Nodes));
            }
        }
        let (watchdog, ran_out) = (&running.watchdog, Some(Reason::StopCause(StopCause::RanOut)));
        if runs_free && watchdog.has_run_out(self.timeouts.ran_out, self.expected(go)) {
            return ran_out;
        }
        let progress = watchdog.stall(self.finished_speed)?;
        // A search without a limit has no progress to make; one that had time for its limit has nothing more to search.
        let has_run_out = *go == Go::Infinite || runs_free && watchdog.has_had_time(self.finished_speed);
        if has_run_out { ran_out } else { Some(Reason::Stalled(progress)) }
    }

    /// Whether only `stop` ends the search.
    fn runs_free(&self, go: &Go) -> bool {
        match go {
            Go::Infinite => true,
            Go::Nodes(_) => self.node_limits.needs_stop(),
            _ => false,
        }
    }

    fn expected(&self, go: &Go) -> Option<ExpectedSearch> {
        match *go {
            Go::Nodes(nodes) => Some(ExpectedSearch { nodes, speed: self.speed? }),
            _ => None,
        }
    }

    fn next_poll(&self, go: &Go, running: &RunningSearch) -> Instant {
        let soon = Instant::now() + POLL_INTERVAL;
        let deadline =
            go.allowed().and_then(|allowed| running.watchdog.begun().checked_add(allowed + self.timeouts.margin));
        match deadline {
            Some(deadline) if running.stopped.is_none() => soon.min(deadline + Duration::from_millis(1)),
            _ => soon,
        }
    }

    fn line(&self, go: &Go) -> String {
        match go {
            Go::Nodes(_) if self.node_limits.needs_stop() => "go infinite".to_string(),
            Go::Nodes(limit) => format!("go nodes {limit}"),
            Go::Depth(depth) => format!("go depth {depth}"),
            Go::MoveTime(time) => format!("go movetime {}", time.as_millis()),
            Go::Infinite => "go infinite".to_string(),
            Go::Clock(times) => times.line(),
        }
    }

    /// Sets how it treats node limits, if that is known.
    pub(crate) fn set_node_limits(&mut self, node_limits: NodeLimits) {
        self.node_limits = node_limits;
    }
}

impl Go {
    /// The time limit of the move, if it is timed.
    fn allowed(&self) -> Option<Duration> {
        match self {
            Go::MoveTime(time) => Some(*time),
            Go::Clock(times) => Some(times.left()),
            _ => None,
        }
    }
}

impl ClockTimes {
    /// The time left of the side to move.
    pub fn left(&self) -> Duration {
        if self.white_to_move { self.white } else { self.black }
    }

    /// The increment of the side to move.
    pub fn increment(&self) -> Duration {
        self.increments[usize::from(!self.white_to_move)]
    }

    fn line(&self) -> String {
        let [winc, binc] = self.increments.map(|increment| increment.as_millis());
        let (wtime, btime) = (self.white.as_millis(), self.black.as_millis());
        let mut line = format!("go wtime {wtime} btime {btime} winc {winc} binc {binc}");
        if let Some(moves) = self.moves_to_go {
            // Writing to a string cannot fail.
            let _ = write!(line, " movestogo {moves}");
        }
        line
    }
}
