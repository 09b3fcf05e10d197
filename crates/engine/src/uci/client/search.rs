//! One `go` to its `bestmove`, under a watchdog.
//!
//! - A search that is not timed has no limit in seconds as such: on a loaded machine that would cut sound searches
//!   short. What is watched is progress: nodes or depth that rise. Without any for longer than the engine's own
//!   speed explains, it is told to `stop`, and that is an error, not a result.
//! - Lines that show no progress do not count, so an engine that talks on and on hangs as well.
//! - An engine that does not honour node limits is sent `go infinite` and stopped when its own count passes the
//!   limit. If such a search runs out of tree and falls silent, stopping it is no error.
//! - A timed search may take its time and the margin; then it is stopped, and the answer tells how long it took.
//! - Whatever does not answer to `stop` is lost: the caller drops the engine.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use plysmith_core::search::deepening::Interrupt;

use super::info::{BestMove, Info};
use super::{NodeLimits, UciEngine};
use crate::process::{EngineError, EngineLine, ExpectedSearch, POLL_INTERVAL, Watchdog, most_nodes};

/// When a search ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Go {
    /// After so many nodes, as nearly as the engine can.
    Nodes(u64),
    /// After so many plies.
    Depth(u32),
    /// After so much time.
    MoveTime(Duration),
    /// When the engine thinks so, by the clock.
    Clock(ClockTimes),
    /// When the watcher thinks so.
    Infinite,
}

/// Both clocks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ClockTimes {
    /// What White has left.
    pub white: Duration,
    /// What Black has left.
    pub black: Duration,
    /// What a move brings.
    pub increment: Duration,
    /// Moves to the next time control, if there is one.
    pub moves_to_go: Option<u32>,
    /// Whose clock runs.
    pub white_to_move: bool,
}

/// Why a search was told to stop.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum StopCause {
    /// Its own count had passed the limit.
    Nodes,
    /// It went silent without an answer, as engines do that have nothing more to search.
    RanOut,
    /// Its time was over.
    Time,
    /// The watcher had seen enough.
    Watcher,
}

/// What came of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UciSearchResult {
    /// The move.
    pub best: BestMove,
    /// The last line that it showed with moves and a score, if any.
    pub info: Info,
    /// The most nodes that it told of.
    pub nodes: u64,
    /// The greatest depth that it told of.
    pub depth: u32,
    /// From `go` to `bestmove`, by our clock.
    pub time: Duration,
    /// Why we stopped it, if we did.
    pub cut: Option<StopCause>,
}

/// A search under way.
struct RunningSearch {
    watchdog: Watchdog,
    stopped: Option<(Instant, Reason)>,
    /// The last line with moves and a score.
    info: Info,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Reason {
    StopCause(StopCause),
    Silence,
    Interrupt,
}

impl UciEngine {
    /// Searches the position that was set up. Nothing if it was interrupted; then the engine has stopped.
    ///
    /// `watch` sees every `info` line with the time since `go`.
    pub fn search(
        &mut self,
        go: &Go,
        interrupt: &Interrupt<'_>,
        watch: &mut dyn FnMut(&Info, Duration) -> ControlFlow<()>,
    ) -> Result<Option<UciSearchResult>, EngineError> {
        // Once is enough: a `position` since then is no work.
        if !self.is_ready {
            self.sync()?;
        }
        self.is_ready = false;
        let begun = Instant::now();
        self.process.send(&self.line(go))?;
        let mut running = RunningSearch { watchdog: Watchdog::new(begun), stopped: None, info: Info::default() };
        loop {
            if let Some(reason) = self.reason_to_stop(go, &running, interrupt) {
                self.stop(&mut running, reason)?;
            }
            if let Some((since, _)) = running.stopped.filter(|(since, _)| since.elapsed() > self.timeouts.stop) {
                return Err(self.process.silent(since.elapsed()));
            }
            let Some(EngineLine { at, text }) = self.process.receive(self.next_poll(go, &running))? else { continue };
            if let Some(info) = Info::parse(&text) {
                let seen = watch(&info, at.saturating_duration_since(begun));
                self.note(&mut running, info, at);
                if seen.is_break() {
                    self.stop(&mut running, Reason::StopCause(StopCause::Watcher))?;
                }
            } else if let Some(best) = BestMove::parse(&text) {
                return self.answer(running, best, at);
            }
        }
    }

    /// How long it takes from `stop` to `bestmove` in a search without end; none if it answers before that.
    pub fn stop_latency(&mut self, head_start: Duration) -> Result<Option<Duration>, EngineError> {
        self.sync()?;
        self.is_ready = false;
        self.process.send("go infinite")?;
        if self.best_move_by(Instant::now() + head_start)?.is_some() {
            return Ok(None);
        }
        let begun = Instant::now();
        self.process.send("stop")?;
        let answered = self.best_move_by(begun + self.timeouts.stop)?;
        answered.map(|at| Some(at.saturating_duration_since(begun))).ok_or_else(|| self.process.silent(begun.elapsed()))
    }

    /// Whether it answers `isready` during a search. The search is stopped then.
    pub fn is_ready_while_searching(&mut self, head_start: Duration) -> Result<bool, EngineError> {
        self.sync()?;
        self.is_ready = false;
        self.process.send("go infinite")?;
        self.process.send("isready")?;
        let (mut is_ready, mut is_over) = (false, false);
        let begun = Instant::now();
        while !is_ready && let Some(heard) = self.process.receive(begun + head_start)? {
            is_ready = heard.text.trim() == "readyok";
            is_over |= BestMove::parse(&heard.text).is_some();
            // An engine that does not answer may say a lot else.
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

    /// When it answered with a move, if it does so in time.
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
        &self,
        running: RunningSearch,
        best: BestMove,
        at: Instant,
    ) -> Result<Option<UciSearchResult>, EngineError> {
        let cut = match running.stopped {
            None => None,
            Some((_, Reason::StopCause(cut))) => Some(cut),
            Some((_, Reason::Interrupt)) => return Ok(None),
            Some((_, Reason::Silence)) => {
                return Err(self.process.silent(running.watchdog.silence()));
            }
        };
        let RunningSearch { watchdog, info, .. } = running;
        let (nodes, depth) = (watchdog.nodes(), watchdog.depth());
        Ok(Some(UciSearchResult {
            best,
            info,
            nodes,
            depth,
            time: at.saturating_duration_since(watchdog.begun()),
            cut,
        }))
    }

    fn note(&mut self, running: &mut RunningSearch, info: Info, at: Instant) {
        let watchdog = &mut running.watchdog;
        if watchdog.progress(info.nodes.unwrap_or(0), info.depth.unwrap_or(0), at) {
            let time = at.saturating_duration_since(watchdog.begun()).as_secs_f64();
            if time > 0.01 && watchdog.nodes() > 0 {
                self.speed = Some(watchdog.nodes() as f64 / time);
            }
        }
        if info.is_principal() && info.score.is_some() {
            running.info = info;
        }
    }

    fn stop(&mut self, running: &mut RunningSearch, reason: Reason) -> Result<(), EngineError> {
        if running.stopped.is_none() {
            running.stopped = Some((Instant::now(), reason));
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
        let base = if runs_free { self.timeouts.ran_out } else { self.timeouts.silence };
        if !running.watchdog.is_silent(base, self.expected(go)) {
            return None;
        }
        Some(if runs_free { Reason::StopCause(StopCause::RanOut) } else { Reason::Silence })
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

    /// Assumes this of its node limits from here on.
    pub(crate) fn set_node_limits(&mut self, node_limits: NodeLimits) {
        self.node_limits = node_limits;
    }
}

impl Go {
    /// The time that the move may take, if it is timed.
    fn allowed(&self) -> Option<Duration> {
        match self {
            Go::MoveTime(time) => Some(*time),
            Go::Clock(times) => Some(times.left()),
            _ => None,
        }
    }
}

impl ClockTimes {
    /// What the side to move has left.
    pub fn left(&self) -> Duration {
        if self.white_to_move { self.white } else { self.black }
    }

    fn line(&self) -> String {
        let increment = self.increment.as_millis();
        let mut line = format!(
            "go wtime {} btime {} winc {increment} binc {increment}",
            self.white.as_millis(),
            self.black.as_millis()
        );
        if let Some(moves) = self.moves_to_go {
            // Writing to a string cannot fail.
            let _ = write!(line, " movestogo {moves}");
        }
        line
    }
}
