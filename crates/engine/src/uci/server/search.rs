//! One search of the protocol, on its thread: what it tells while it goes on, and its one `bestmove`.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::park;
use std::time::Instant;

use plysmith_core::games::{AnyPosition, Playing};
use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;
use plysmith_core::search::deepening::{End, Interrupt, Report, Root, Task, Workspace};

use super::go::GoLimits;
use super::mate::MateTask;
use super::options::ServerOptions;
use super::output::LineWriter;
use crate::timed_search::{LagMeter, MoveTimer, SearchControl, TimeReserve, TimedSearch};

/// Everything one `go` needs.
pub struct GoSearch<'a, W> {
    pub output: &'a LineWriter<W>,
    pub options: ServerOptions,
    pub playing: Playing,
    pub limits: GoLimits,
    pub signals: Arc<SearchSignals>,
    pub lag: Arc<LagMeter>,
    /// When `go` was read.
    pub begun: Instant,
}

/// What the thread that listens and the one that searches tell each other.
#[derive(Default)]
pub struct SearchSignals {
    /// Ends the search, or starts its clock.
    pub control: SearchControl,
    /// Its `bestmove` is about to be written; a new `go` may follow.
    pub done: AtomicBool,
}

impl<W: Write + Send> GoSearch<'_, W> {
    /// Searches, and says what comes of it.
    pub fn think(&self, workspace: &mut Workspace) {
        let position = self.playing.position();
        let line = match outcome_without_moves(position) {
            Some(outcome) => {
                let score = if outcome == Outcome::Draw { "cp 0" } else { "mate 0" };
                self.output.write_line(&format!("info depth 0 score {score}"));
                Vec::new()
            }
            None => self.search_safely(workspace),
        };
        while !self.may_answer() {
            park();
        }
        // Whoever reads the answer may send the next `go` before this thread is gone.
        self.signals.done.store(true, Ordering::Release);
        self.output.write_line(&answer(position, &line));
    }

    /// The best line. Should the search ever fail, whoever plays with us still gets a move in time.
    fn search_safely(&self, workspace: &mut Workspace) -> Vec<String> {
        catch_unwind(AssertUnwindSafe(|| self.search(workspace).line)).unwrap_or_else(|_| {
            *workspace = Workspace::default();
            workspace.forget(true);
            self.output.write_error("the search failed, and any move is played; please report this as a bug");
            self.playing.position().moves().into_iter().take(1).collect()
        })
    }

    fn search(&self, workspace: &mut Workspace) -> Report<String> {
        let position = self.playing.position();
        let lag = self.lag.watch(self.begun);
        let reserve = TimeReserve { overhead: self.options.overhead, lag: self.lag.reserve() };
        let budget = self.limits.budget(position.white_to_move(), reserve);
        let timer = MoveTimer::new(budget, &self.signals.control, self.begun).with_lag(lag);
        let mut limit = self.limits.limit();
        match self.mate(&|| timer.is_over()) {
            Ok(report) => {
                self.report(&report, "");
                return report;
            }
            Err(spent) => limit.nodes = limit.nodes.saturating_sub(spent).max(1),
        }
        let task = Task {
            settings: self.options.settings,
            scheme: &self.options.scheme,
            limit,
            seed: self.options.seed,
            interrupt: &|| false,
            root: Root {
                past: self.playing.past(),
                only: &self.limits.only,
                more_lines: self.options.lines_wanted - 1,
                ..Root::default()
            },
        };
        let search = TimedSearch { position, task, timer: &timer, helpers: self.options.threads - 1 };
        let lines = search.lines();
        let mut pending = PendingInfo::default();
        let report = search.run(workspace, &mut |report| {
            pending.waiting.push(report);
            if pending.waiting.len() == lines {
                pending.rank();
                self.report_all(&mut pending);
            }
            if self.output.has_failed() {
                self.signals.control.stop();
            }
        });
        self.report_all(&mut pending);
        // The last iteration may have been cut off: then the best move of its beginning is played.
        let is_new = pending.best.is_none_or(|best| (best.score, &best.line) != (report.score, &report.line));
        if is_new || pending.nodes != report.nodes {
            let is_cut_off = is_new && report.end != End::Proved;
            self.report(&report, if is_cut_off { " lowerbound" } else { "" });
        }
        report
    }

    /// The mate that was asked for, if somebody else than the search finds one; otherwise the nodes spent on it.
    fn mate(&self, interrupt: &Interrupt<'_>) -> Result<Report<String>, u64> {
        let mut spent = 0;
        let Some((moves, limit)) = self.limits.mate().filter(|_| self.limits.only.is_empty()) else {
            return Err(spent);
        };
        let position = self.playing.position().text();
        for solver in self.options.mate_solvers() {
            let nodes = solver.patience.min(limit.saturating_sub(spent));
            let answer = (solver.solve)(&MateTask { position: &position, moves, nodes, interrupt });
            spent += answer.nodes;
            if let Some((mate, line)) = answer.mate {
                return Ok(mate_report(mate, line, spent));
            }
            let (name, nodes) = (solver.name, answer.nodes);
            self.output.write_line(&format!("info string {name} finds no mate in {moves} within {nodes} nodes"));
            if interrupt() {
                break;
            }
        }
        Err(spent)
    }

    fn report_all(&self, pending: &mut PendingInfo) {
        for report in pending.waiting.drain(..) {
            self.report(&report, "");
            pending.nodes = report.nodes.max(pending.nodes);
            if report.rank == 0 {
                pending.best = Some(report);
            }
        }
    }

    fn report(&self, report: &Report<String>, bound: &str) {
        let Report { line, nodes, depth, height, rank, fullness, .. } = report;
        let time = self.begun.elapsed();
        let speed = (*nodes as f64 / time.as_secs_f64().max(1e-6)) as u64;
        let mut text = format!(
            "info depth {depth} seldepth {height} multipv {number} score {score}{bound} nodes {nodes} nps {speed} \
             hashfull {fullness} time {time} pv",
            number = rank + 1,
            score = score_text(report.score),
            time = time.as_millis(),
        );
        for m in line {
            // Writing to a string cannot fail.
            let _ = write!(text, " {m}");
        }
        self.output.write_line(&text);
    }

    /// Whether the other side may be told the move: an endless search waits for `stop`, a pondering one for that or
    /// `ponderhit`.
    fn may_answer(&self) -> bool {
        let control = &self.signals.control;
        control.is_stopped() || control.clock_start().is_some() && !self.limits.is_endless()
    }
}

/// What finished iterations have brought.
#[derive(Default)]
struct PendingInfo {
    /// Lines of one iteration that are not told yet.
    waiting: Vec<Report<String>>,
    /// The best line that was told last.
    best: Option<Report<String>>,
    /// The nodes that were told last.
    nodes: u64,
}

impl PendingInfo {
    /// Numbers the lines of an iteration from the best on, which is not always the one that was searched first.
    fn rank(&mut self) {
        self.waiting.sort_by_key(|report| Reverse(report.score));
        self.waiting.iter_mut().enumerate().for_each(|(rank, report)| report.rank = rank);
    }
}

/// The result of a game that cannot go on. Where it is drawn but for the players' agreement, they may want to go on.
fn outcome_without_moves(position: &dyn AnyPosition) -> Option<Outcome> {
    position.outcome().filter(|&outcome| outcome != Outcome::Draw || position.moves().is_empty())
}

/// The best move, and the reply to it that may be pondered on.
fn answer(position: &dyn AnyPosition, line: &[String]) -> String {
    let Some(best) = line.first() else { return "bestmove (none)".to_string() };
    let reply = line.get(1).filter(|reply| position.play(best).is_ok_and(|next| next.canonical_move(reply).is_ok()));
    match reply {
        Some(reply) => format!("bestmove {best} ponder {reply}"),
        None => format!("bestmove {best}"),
    }
}

/// A score as UCI has it: `mate` in moves for forced results, otherwise `cp` in the game's own units.
fn score_text(score: Score) -> String {
    match (score.win_in(), (-score).win_in()) {
        (Some(plies), _) => format!("mate {}", plies.div_ceil(2)),
        (_, Some(plies)) => format!("mate -{}", plies.div_ceil(2)),
        _ => format!("cp {}", score.units()),
    }
}

/// A mate in so many moves, as if the search had found it.
fn mate_report(mate: u32, line: Vec<String>, nodes: u64) -> Report<String> {
    let plies = 2 * mate - 1;
    Report {
        line,
        score: Score::of(Outcome::Win, plies),
        nodes,
        moves: nodes,
        depth: plies,
        height: plies,
        fired: Vec::new(),
        end: End::Proved,
        rank: 0,
        fullness: 0,
    }
}
