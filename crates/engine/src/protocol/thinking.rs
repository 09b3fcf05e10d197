//! One search of the protocol, on its thread: what it tells while it goes on, and its one `bestmove`.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::park;
use std::time::Instant;

use plysmith_core::game::Outcome;
use plysmith_core::games::AnyPosition;
use plysmith_core::search::deepening::{End, Report, Root, Task, Workspace};
use plysmith_core::search::score::Score;

use super::limits::Limits;
use super::options::Options;
use super::{Signals, Voice};

/// Everything one `go` needs.
pub struct Thinking<'a, W> {
    pub voice: &'a Voice<W>,
    pub options: Options,
    pub position: Arc<dyn AnyPosition>,
    pub limits: Limits,
    pub signals: Arc<Signals>,
}

impl<W: Write + Send> Thinking<'_, W> {
    /// Searches, and says what comes of it.
    pub fn think(&self, workspace: &mut Workspace) {
        let best = match self.position.outcome() {
            Some(outcome) => {
                self.voice
                    .say(&format!("info depth 0 score {}", if outcome == Outcome::Drawn { "cp 0" } else { "mate 0" }));
                None
            }
            None => self.search(workspace).line.into_iter().next(),
        };
        while self.limits.is_endless() && !self.is_stopped() {
            park();
        }
        // Whoever reads the answer may send the next `go` before this thread is gone.
        self.signals.done.store(true, Ordering::Release);
        self.voice.say(&format!("bestmove {}", best.as_deref().unwrap_or("(none)")));
    }

    fn search(&self, workspace: &mut Workspace) -> Report<String> {
        let begun = Instant::now();
        let time = self.limits.time(self.position.white_to_move());
        let deadline = time.and_then(|time| begun.checked_add(time));
        // The first question comes before the first node, when there is no move yet worth playing.
        let was_asked = AtomicBool::new(false);
        let is_due = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let task = Task {
            settings: self.options.settings,
            scheme: &self.options.scheme,
            limit: self.limits.limit(),
            seed: self.options.seed,
            interrupt: &|| was_asked.swap(true, Ordering::Relaxed) && (self.is_stopped() || is_due()),
            root: Root::default(),
        };
        let mut last: Option<Report<String>> = None;
        let report = self.position.search_observed(&task, workspace, &mut |report| {
            self.tell(&report, begun, "");
            if self.voice.has_failed() {
                self.signals.stop.store(true, Ordering::Release);
            }
            last = Some(report);
        });
        // The last iteration may have been cut off: then the best move of its beginning is played.
        if last.as_ref().is_none_or(|last| last.nodes != report.nodes) {
            let is_new = last.is_none_or(|last| (last.score, last.line) != (report.score, report.line.clone()));
            let bound = if is_new && report.end != End::Proved { " lowerbound" } else { "" };
            self.tell(&report, begun, bound);
        }
        report
    }

    fn tell(&self, report: &Report<String>, begun: Instant, bound: &str) {
        let Report { line, nodes, depth, height, .. } = report;
        let time = begun.elapsed();
        let speed = (*nodes as f64 / time.as_secs_f64().max(1e-6)) as u64;
        let mut text = format!(
            "info depth {depth} seldepth {height} score {}{bound} nodes {nodes} time {} nps {speed} pv",
            score_text(report.score),
            time.as_millis(),
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
}

/// A score as UCI has it: `mate` in moves for forced results, otherwise `cp` in the game's own units.
fn score_text(score: Score) -> String {
    match (score.win_in(), (-score).win_in()) {
        (Some(plies), _) => format!("mate {}", plies.div_ceil(2)),
        (_, Some(plies)) => format!("mate -{}", plies.div_ceil(2)),
        _ => format!("cp {}", score.units()),
    }
}
