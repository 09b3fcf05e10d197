//! One search of the protocol, on its thread: what it tells while it goes on, and its one `bestmove`.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::park;
use std::time::Instant;

use plysmith_core::games::{AnyPosition, Playing};
use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;
use plysmith_core::search::deepening::{End, Interrupt, Report, Root, Task, Workspace};

use super::limits::Limits;
use super::mate::MateTask;
use super::options::Options;
use super::pace::{Lost, Pace};
use super::stalls::Stalls;
use super::team;
use super::voice::Voice;

/// Everything one `go` needs.
pub struct Thinking<'a, W> {
    pub voice: &'a Voice<W>,
    pub options: Options,
    pub playing: Playing,
    pub limits: Limits,
    pub signals: Arc<Signals>,
    pub stalls: Arc<Stalls>,
    /// When `go` was read.
    pub begun: Instant,
}

/// What the thread that listens and the one that searches tell each other.
#[derive(Default)]
pub struct Signals {
    /// The search is to end.
    pub stop: AtomicBool,
    /// Its `bestmove` is about to be written; a new `go` may follow.
    pub done: AtomicBool,
    /// Since when our clock runs; not set while the opponent thinks and we ponder.
    pub clock: OnceLock<Instant>,
}

impl<W: Write + Send> Thinking<'_, W> {
    /// Searches, and says what comes of it.
    pub fn think(&self, workspace: &mut Workspace) {
        let position = self.playing.position();
        let line = match outcome_without_moves(position) {
            Some(outcome) => {
                let score = if outcome == Outcome::Draw { "cp 0" } else { "mate 0" };
                self.voice.say(&format!("info depth 0 score {score}"));
                Vec::new()
            }
            None => self.search_safely(workspace),
        };
        while !self.may_answer() {
            park();
        }
        // Whoever reads the answer may send the next `go` before this thread is gone.
        self.signals.done.store(true, Ordering::Release);
        self.voice.say(&answer(position, &line));
    }

    /// The best line. Should the search ever fail, whoever plays with us still gets a move in time.
    fn search_safely(&self, workspace: &mut Workspace) -> Vec<String> {
        catch_unwind(AssertUnwindSafe(|| self.search(workspace).line)).unwrap_or_else(|_| {
            *workspace = Workspace::default();
            workspace.forget(true);
            self.voice.complain("the search failed, and any move is played; please report this as a bug");
            self.playing.position().moves().into_iter().take(1).collect()
        })
    }

    fn search(&self, workspace: &mut Workspace) -> Report<String> {
        let position = self.playing.position();
        let looks = self.stalls.looks(self.begun);
        let lost = Lost { overhead: self.options.overhead, stalls: self.stalls.reserve() };
        let budget = self.limits.budget(position.white_to_move(), lost);
        // The first question comes before the first node, when there is no move yet worth playing.
        let was_asked = AtomicBool::new(false);
        let is_enough = AtomicBool::new(false);
        let is_due = || {
            looks.look();
            match (self.signals.clock.get(), budget) {
                (Some(start), Some(budget)) => is_enough.load(Ordering::Relaxed) || start.elapsed() >= budget.hard,
                _ => false,
            }
        };
        let mut limit = self.limits.limit(budget);
        match self.mate(&|| self.is_stopped() || is_due()) {
            Ok(report) => {
                self.tell(&report, "");
                return report;
            }
            Err(spent) => limit.nodes = limit.nodes.saturating_sub(spent).max(1),
        }
        let task = Task {
            settings: self.options.settings,
            scheme: &self.options.scheme,
            limit,
            seed: self.options.seed,
            interrupt: &|| was_asked.swap(true, Ordering::Relaxed) && (self.is_stopped() || is_due()),
            root: Root {
                past: self.playing.past(),
                only: &self.limits.only,
                more_lines: self.options.lines_wanted - 1,
                ..Root::default()
            },
        };
        let choices = if self.limits.only.is_empty() { position.moves().len() } else { self.limits.only.len() };
        let lines = self.options.lines_wanted.min(choices);
        let mut pace = Pace::new(budget, choices, lines);
        let mut news = News::default();
        let helpers = self.options.threads - 1;
        let report = team::search(position, &task, workspace, helpers, &mut |report| {
            // What was thought while the opponent did counts: an answer may be ready when he moves.
            is_enough.store(pace.is_enough(&report, self.begun.elapsed()), Ordering::Relaxed);
            news.waiting.push(report);
            if news.waiting.len() == lines {
                news.rank();
                self.tell_all(&mut news);
            }
            if self.voice.has_failed() {
                self.signals.stop.store(true, Ordering::Release);
            }
        });
        self.tell_all(&mut news);
        // The last iteration may have been cut off: then the best move of its beginning is played.
        let is_new = news.best.is_none_or(|best| (best.score, &best.line) != (report.score, &report.line));
        if is_new || news.nodes != report.nodes {
            let is_cut_off = is_new && report.end != End::Proved;
            self.tell(&report, if is_cut_off { " lowerbound" } else { "" });
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
            self.voice.say(&format!("info string {name} finds no mate in {moves} within {nodes} nodes"));
            if interrupt() {
                break;
            }
        }
        Err(spent)
    }

    fn tell_all(&self, news: &mut News) {
        for report in news.waiting.drain(..) {
            self.tell(&report, "");
            news.nodes = report.nodes.max(news.nodes);
            if report.rank == 0 {
                news.best = Some(report);
            }
        }
    }

    fn tell(&self, report: &Report<String>, bound: &str) {
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
        self.voice.say(&text);
    }

    fn is_stopped(&self) -> bool {
        self.signals.stop.load(Ordering::Acquire)
    }

    /// Whether the other side may be told the move: an endless search waits for `stop`, a pondering one for that or
    /// `ponderhit`.
    fn may_answer(&self) -> bool {
        self.is_stopped() || self.signals.clock.get().is_some() && !self.limits.is_endless()
    }
}

/// What finished iterations have brought.
#[derive(Default)]
struct News {
    /// Lines of one iteration that are not told yet.
    waiting: Vec<Report<String>>,
    /// The best line that was told last.
    best: Option<Report<String>>,
    /// The nodes that were told last.
    nodes: u64,
}

impl News {
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
