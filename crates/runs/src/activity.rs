//! Notes how far a run is and how long it was worked on, for lists of runs in other processes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use plysmith_store::{Activity, RunId, Store};

use crate::progress::{ProgressSink, ReportInterval, Update};

/// How often progress is noted at most.
const PERIOD: Duration = Duration::from_secs(1);

/// Passes progress on, and notes it beside the store.
pub(crate) struct NotedProgress {
    sink: Arc<dyn ProgressSink>,
    store: Arc<Store>,
    run: RunId,
    begun: Instant,
    /// Seconds of work before this process began.
    before: f64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    activity: Activity,
    noted: Option<Instant>,
}

impl NotedProgress {
    /// Notes the progress of a run that this process begins or resumes.
    pub(crate) fn new(sink: Arc<dyn ProgressSink>, store: Arc<Store>, run: RunId) -> NotedProgress {
        let activity = store.activity(run).unwrap_or_default();
        let before = activity.seconds;
        let state = Mutex::new(State { activity, noted: None });
        NotedProgress { sink, store, run, begun: Instant::now(), before, state }
    }

    /// Notes the present state.
    pub(crate) fn note(&self) {
        self.change(|_| true);
    }

    /// Applies a change, and notes the state if that is `urgent` or due.
    fn change(&self, change: impl FnOnce(&mut Activity) -> bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let urgent = change(&mut state.activity);
        if urgent || state.noted.is_none_or(|noted| noted.elapsed() >= PERIOD) {
            state.activity.seconds = self.before + self.begun.elapsed().as_secs_f64();
            state.noted = Some(Instant::now());
            // A run does not fail because its progress cannot be noted.
            let _ = self.store.set_activity(self.run, &state.activity);
        }
    }
}

impl ProgressSink for NotedProgress {
    fn report_interval(&self) -> ReportInterval {
        self.sink.report_interval()
    }

    fn update(&self, update: Update<'_>) {
        self.sink.update(update);
        match update {
            Update::Begin(steps) => self.change(|activity| {
                (activity.done, activity.steps) = (0, steps);
                activity.message.clear();
                false
            }),
            Update::Steps(steps) => self.change(|activity| {
                activity.steps = steps;
                false
            }),
            Update::Done(done) => self.change(|activity| {
                activity.done = done;
                false
            }),
            Update::Message(text) => self.change(|activity| {
                text.clone_into(&mut activity.message);
                false
            }),
            // What was done when a phase was left is how far an interrupted run is.
            Update::Note(_) | Update::End => {}
        }
    }
}
