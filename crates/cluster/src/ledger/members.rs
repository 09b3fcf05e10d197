//! The workers that a coordinator knows, and how far each is trusted.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use plysmith_runs::Key;
use plysmith_runs::remote::NeededEngine;

use super::{BATCH, Ledger};
use crate::message::{WorkerReport, WorkerState};

/// A worker that has said nothing for this long is taken for gone.
const GONE: Duration = Duration::from_secs(8);

/// A worker.
pub(super) struct Member {
    seen: Instant,
    report: Option<WorkerReport>,
    in_hand: HashSet<Key>,
    /// How many results it has delivered.
    delivered: u64,
    /// How long a job takes it, in microseconds: the mean of the last ones.
    mean: u64,
    /// How many results of its batch are left after the sample.
    left: u64,
    /// Samples that are being checked.
    checks: u64,
    /// Results that wait for them.
    provisional: BTreeSet<Key>,
}

impl Member {
    /// A worker that has not reported so far.
    pub fn unknown(now: Instant) -> Member {
        let (provisional, in_hand) = (BTreeSet::new(), HashSet::new());
        Member { seen: now, report: None, in_hand, delivered: 0, mean: 0, left: 0, checks: 0, provisional }
    }

    /// What it says about itself.
    pub fn update(&mut self, report: &WorkerReport, now: Instant) {
        self.seen = now;
        self.in_hand = report.in_hand.iter().cloned().collect();
        self.report = Some(report.clone());
    }

    /// Whether it is there.
    pub fn is_alive(&self, now: Instant) -> bool {
        let has_left = self.report.as_ref().is_some_and(|report| report.state == WorkerState::Left);
        !has_left && now.duration_since(self.seen) < GONE
    }

    /// Whether it is there and has this job.
    pub fn is_at_work(&self, key: &Key, now: Instant) -> bool {
        self.is_alive(now) && self.in_hand.contains(key)
    }

    /// Notes how long it took for a job.
    pub fn took(&mut self, micros: u64) {
        let before = if self.mean == 0 { micros } else { self.mean };
        self.mean = (before / 8).saturating_mul(7).saturating_add(micros / 8).max(1);
    }

    /// When it would be done with one job more, in microseconds from now.
    fn backlog(&self) -> u64 {
        self.mean.max(1).saturating_mul(self.in_hand.len() as u64 + 1)
    }

    /// Counts a result. Returns whether it is a sample.
    pub fn count(&mut self, key: &Key, is_drawn: bool) -> bool {
        self.delivered += 1;
        self.provisional.insert(key.clone());
        let is_first = self.left == 0;
        self.left = if is_first { BATCH - 1 } else { self.left - 1 };
        let is_sample = is_first || is_drawn;
        self.checks += u64::from(is_sample);
        is_sample
    }

    /// A sample was right.
    pub fn confirm(&mut self) {
        self.checks = self.checks.saturating_sub(1);
    }

    /// A result that nobody needs any more; if it was a sample, the next one is one.
    pub fn drop_claim(&mut self, key: &Key, is_sample: bool) {
        self.provisional.remove(key);
        if is_sample {
            self.checks = self.checks.saturating_sub(1);
            self.left = 0;
        }
    }

    /// What may be handed over: everything, unless a sample is being checked.
    pub fn take_settled(&mut self) -> BTreeSet<Key> {
        if self.checks == 0 { std::mem::take(&mut self.provisional) } else { BTreeSet::new() }
    }

    /// Nothing of it counts.
    pub fn reset(&mut self) {
        self.provisional.clear();
        self.checks = 0;
    }

    fn offers(&self, engines: &[NeededEngine]) -> bool {
        let Some(report) = &self.report else { return false };
        engines.iter().all(|engine| report.engines.values().any(|offered| *offered == engine.content))
    }

    fn is_working(&self) -> bool {
        self.report.as_ref().is_some_and(|report| report.state == WorkerState::Working)
    }
}

impl Ledger {
    /// A worker that could do this job and has not delivered or declined it: the one that will be done first.
    pub(super) fn other_worker(&self, key: &Key) -> Option<String> {
        let job = self.jobs.get(key)?;
        let claimant = job.claim.as_ref().map(|claim| &claim.worker);
        let now = self.newest()?;
        let fits = |(id, member): &(&String, &Member)| {
            !self.refused.contains_key(*id)
                && Some(*id) != claimant
                && !job.declined.contains(id)
                && member.is_working()
                && member.is_alive(now)
                && member.offers(&job.envelope.engines)
        };
        let fitting = self.members.iter().filter(fits);
        fitting.min_by_key(|(_, member)| member.backlog()).map(|(id, _)| id.clone())
    }

    /// When anybody was last heard of.
    fn newest(&self) -> Option<Instant> {
        self.members.values().map(|member| member.seen).max()
    }

    /// How many threads the workers have together that are there.
    pub fn threads(&self, now: Instant) -> u64 {
        let alive = self.members.iter().filter(|(id, member)| member.is_alive(now) && !self.refused.contains_key(*id));
        alive.filter_map(|(_, member)| member.report.as_ref()).map(|report| report.threads).sum()
    }

    /// How many results each worker has delivered.
    pub fn delivered(&self) -> BTreeMap<String, u64> {
        self.members.iter().map(|(id, member)| (id.clone(), member.delivered)).collect()
    }
}
