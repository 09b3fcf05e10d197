//! The search of one `go` command, on its own thread: its `info` lines and its `bestmove`.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::Write;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::park;
use std::time::Instant;

use plysmith_core::games::{AnyPosition, Playing};
use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;
use plysmith_core::search::{End, Interrupt, Report, Root, Task, Workspace};

use super::go::GoLimits;
use super::mate::{Mate, MateSolverTask};
use super::options::ServerOptions;
use super::output::LineWriter;
use crate::mate_search::MateTask;
use crate::timed_search::{LagMeter, MoveTimer, SearchControl, TimeBudget, TimeReserve, TimedSearch};

/// Everything that a `go` command needs.
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

/// Signals between the thread that reads commands and the one that searches.
#[derive(Default)]
pub struct SearchSignals {
    /// Ends the search, or starts its clock.
    pub control: SearchControl,
    /// Set before `bestmove` is written: a new `go` may follow.
    pub done: AtomicBool,
}

impl<W: Write + Send> GoSearch<'_, W> {
    /// Searches, and writes the results.
    pub fn run(&self, workspace: &mut Workspace) {
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
        // The next `go` may arrive before this thread has ended.
        self.signals.done.store(true, Ordering::Release);
        self.output.write_line(&answer(position, &line));
    }

    /// The best line. If the search panics, the first legal move is played.
    fn search_safely(&self, workspace: &mut Workspace) -> Vec<String> {
        catch_unwind(AssertUnwindSafe(|| self.search(workspace).line)).unwrap_or_else(|_| {
            *workspace = Workspace::default();
            workspace.forget(true);
            self.output
                .write_error("the search failed, and the first legal move is played; please report this as a bug");
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
        let spent = match self.mate(budget.is_some(), &|| timer.is_over()) {
            MateAttempt::Found(report) => return report,
            MateAttempt::NotFound { nodes, promising } => {
                limit.nodes = limit.nodes.saturating_sub(nodes);
                match promising.filter(|_| limit.nodes == 0) {
                    Some(m) => return self.report_promising(m, nodes),
                    None => nodes,
                }
            }
        };
        let spent = spent
            + match self.mate_before_search(limit.nodes, budget, &|| timer.is_over()) {
                MateAttempt::Found(report) => return report,
                MateAttempt::NotFound { nodes, .. } => {
                    limit.nodes = limit.nodes.saturating_sub(nodes);
                    nodes
                }
            };
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
        let mut told = ToldLines { wanted: search.lines(), ..ToldLines::default() };
        let counted = |report: Report<String>| Report { nodes: report.nodes + spent, ..report };
        let report = search.run(workspace, &mut |report| {
            told.add(counted(report)).iter().for_each(|report| self.report(report, ""));
            if self.output.has_failed() {
                self.signals.control.stop();
            }
        });
        let report = told.choose(counted(report));
        // If the last iteration was cut off, the best move so far is played.
        let is_new = told.last.first().is_none_or(|best| (best.score, &best.line) != (report.score, &report.line));
        let bound = if is_new && report.end != End::Proved { " lowerbound" } else { "" };
        for line in told.end(&report) {
            self.report(&line, if line.rank == 0 { bound } else { "" });
        }
        report
    }

    /// Searches for the mate of `go mate`, if there is a solver.
    fn mate(&self, is_timed: bool, interrupt: &Interrupt<'_>) -> MateAttempt {
        let (Some((moves, nodes)), Some(solver)) = (self.limits.mate(), self.options.mate_solver()) else {
            return MateAttempt::NotFound { nodes: 0, promising: None };
        };
        // Where no time is left, the search has a move at once.
        if interrupt() {
            return MateAttempt::NotFound { nodes: 0, promising: None };
        }
        let position = self.playing.position().text();
        let answer = (solver.solve)(&mut MateSolverTask {
            position: &position,
            moves,
            only: &self.limits.only,
            nodes: nodes.unwrap_or(u64::MAX),
            threads: NonZeroUsize::new(self.options.threads).unwrap_or(NonZeroUsize::MIN),
            is_limited: is_timed || nodes.is_some(),
            interrupt,
            found: &mut |mate, nodes| self.report(&mate_report(mate, nodes), ""),
        });
        let nodes = answer.nodes;
        let Some(mate) = answer.mate else {
            let result = if answer.is_excluded { "there is no mate" } else { "no mate is found" };
            let solver = solver.name;
            self.output.write_line(&format!("info string {solver}: {result} within {moves} moves; {nodes} nodes"));
            return MateAttempt::NotFound { nodes, promising: answer.promising };
        };
        let note = if mate.is_shortest { "no mate is shorter" } else { "a shorter mate is not excluded" };
        self.output.write_line(&format!("info string {}: {note}", solver.name));
        let report = mate_report(&mate, nodes);
        self.report(&report, "");
        MateAttempt::Found(report)
    }

    /// Searches for a mate before the search of a move, if that is on. It knows no other first moves than its own, and finds
    /// one line.
    fn mate_before_search(&self, nodes: u64, budget: Option<TimeBudget>, interrupt: &Interrupt<'_>) -> MateAttempt {
        let not_found = |nodes| MateAttempt::NotFound { nodes, promising: None };
        let is_for_all_moves = self.limits.only.is_empty() && self.options.lines_wanted == 1;
        let is_wanted = is_for_all_moves && self.limits.mate().is_none();
        let Some(mate_search) = self.options.mate_search().filter(|_| is_wanted) else { return not_found(0) };
        let task = MateTask { playing: &self.playing, nodes, budget, begun: self.begun, interrupt };
        let found = mate_search.run(&task);
        if found.line.is_empty() {
            return not_found(found.nodes);
        }
        let report = mate_report(&Mate { line: found.line, ..Mate::default() }, found.nodes);
        self.report(&report, "");
        MateAttempt::Found(report)
    }

    /// Reports the move that a mate solver leaves when it has used up all nodes.
    fn report_promising(&self, m: String, nodes: u64) -> Report<String> {
        let time = self.begun.elapsed().as_millis();
        self.output.write_line(&format!("info nodes {nodes} time {time} pv {m}"));
        Report { line: vec![m], score: Score::EVEN, nodes, end: End::Nodes, ..mate_report(&Mate::default(), nodes) }
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

    /// Whether `bestmove` may be written: an infinite search waits for `stop`, a pondering one for that or `ponderhit`.
    fn may_answer(&self) -> bool {
        let control = &self.signals.control;
        control.is_stopped() || control.clock_start().is_some() && !self.limits.is_endless()
    }
}

/// The result of a mate solver.
enum MateAttempt {
    /// A mate, which is reported.
    Found(Report<String>),
    NotFound {
        /// The nodes that it spent.
        nodes: u64,
        /// The move to play if there are no more nodes.
        promising: Option<String>,
    },
}

/// The lines of a search that are told to the GUI: always all that are wanted, of different first moves, the best first.
#[derive(Default)]
struct ToldLines {
    /// The number of lines in each iteration.
    wanted: usize,
    /// Lines of an iteration that is not finished.
    waiting: Vec<Report<String>>,
    /// The lines that were told last.
    last: Vec<Report<String>>,
}

impl ToldLines {
    /// Adds a line, and returns those to tell now: all lines of an iteration when it is finished.
    fn add(&mut self, report: Report<String>) -> &[Report<String>] {
        self.waiting.push(report);
        if self.waiting.len() < self.wanted {
            return &[];
        }
        self.last = ranked(std::mem::take(&mut self.waiting));
        &self.last
    }

    /// What the search ends with. Scores of different depths cannot be compared, so several lines are those of the last
    /// iteration that was finished, unless the one that was cut off has won.
    fn choose(&self, best: Report<String>) -> Report<String> {
        match self.last.first().filter(|_| self.wanted > 1) {
            Some(last) if best.score <= last.score || best.score.win_in().is_none() => {
                Report { nodes: best.nodes, ..last.clone() }
            }
            _ => best,
        }
    }

    /// The lines to tell at the end of the search, if anything has changed since the last ones.
    fn end(self, best: &Report<String>) -> Vec<Report<String>> {
        let ToldLines { wanted, waiting, last } = self;
        let is_told = last.first().is_some_and(|told| (told.score, &told.line) == (best.score, &best.line));
        if is_told && last.iter().any(|told| told.nodes == best.nodes) {
            return Vec::new();
        }
        let older = if last.is_empty() { waiting } else { last };
        let mut lines = vec![best.clone()];
        lines.extend(older.into_iter().filter(|line| line.line.first() != best.line.first()));
        lines.truncate(wanted);
        lines.iter_mut().for_each(|line| line.nodes = best.nodes);
        ranked(lines)
    }
}

/// The lines with their ranks by score; of equal ones, the first stays first.
fn ranked(mut lines: Vec<Report<String>>) -> Vec<Report<String>> {
    lines.sort_by_key(|report| Reverse(report.score));
    lines.iter_mut().enumerate().for_each(|(rank, report)| report.rank = rank);
    lines
}

/// The result of a finished game. A draw that has to be claimed does not finish it.
fn outcome_without_moves(position: &dyn AnyPosition) -> Option<Outcome> {
    position.outcome().filter(|&outcome| outcome != Outcome::Draw || position.moves().is_empty())
}

/// The `bestmove` line, with the expected reply.
fn answer(position: &dyn AnyPosition, line: &[String]) -> String {
    let Some(best) = line.first() else { return "bestmove (none)".to_string() };
    let reply = line.get(1).filter(|reply| position.play(best).is_ok_and(|next| next.canonical_move(reply).is_ok()));
    match reply {
        Some(reply) => format!("bestmove {best} ponder {reply}"),
        None => format!("bestmove {best}"),
    }
}

/// A score in UCI: `mate` in moves for forced results, otherwise `cp` in the game's own units.
fn score_text(score: Score) -> String {
    match (score.win_in(), (-score).win_in()) {
        (Some(plies), _) => format!("mate {}", plies.div_ceil(2)),
        (_, Some(plies)) => format!("mate -{}", plies.div_ceil(2)),
        _ => format!("cp {}", score.units()),
    }
}

/// The report of a mate that a solver found.
fn mate_report(mate: &Mate, nodes: u64) -> Report<String> {
    let plies = mate.line.len() as u32;
    Report {
        line: mate.line.clone(),
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
