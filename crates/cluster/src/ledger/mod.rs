//! What the coordinator knows of jobs and workers, and what it does next. Pure: no clock, no network.
//!
//! A result is not believed because somebody sent it. Results of a worker come in batches of [`BATCH`]: the first of each
//! is a *sample*, and so is a small share of the others, chosen by a secret hash of the key. A sample is measured a second
//! time, by another worker or, if there is none, by the coordinator itself. While a sample of a worker is being checked,
//! its results are provisional: they wait here, outside the store. If two workers disagree, the coordinator decides by
//! measuring the job itself. Who was wrong is refused and named, and its provisional results are measured again.

mod members;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plysmith_runs::Key;
use plysmith_runs::remote::{Answer, Envelope, Outcome};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::message::{AnswerMessage, WorkerReport, WorkerState};
use members::Member;

/// Results of a worker of which at least one is a sample.
const BATCH: u64 = 64;
/// One result in this many is a sample besides.
const SHARE: u64 = 128;
/// How long nothing may be heard of a job before it is looked for, at first.
const PATIENCE: Duration = Duration::from_secs(5);
/// At most.
const MOST_PATIENCE: Duration = Duration::from_secs(60);
/// After the broker was gone, workers have this time to say which jobs they have.
const ROLL_CALL: Duration = Duration::from_secs(5);

/// What to do next.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Put the job into the queue.
    Publish(Key),
    /// Look whether the broker has a result of the job; if not, put it into the queue again.
    Lookup(Key),
    /// Remove what the broker has as the result of the job.
    Forget(Key),
    /// Give the job to this worker, past the queue.
    Assign(Key, String),
    /// Measure the job on this machine.
    MeasureHere(Key),
    /// Hand an answer to whoever asked.
    Release(Taker, Answer),
    /// Tell a worker that it is refused, and why.
    Refuse(String, String),
    /// Tell all workers that these jobs are no longer needed, and remove them from the queue.
    Withdraw(Vec<Key>),
    /// Tell the user.
    Note(String),
}

/// Who asked for a job: a batch of the executor, and its number there.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Taker {
    /// The batch.
    pub batch: u64,
    /// The number.
    pub number: u64,
}

/// Jobs, workers and what is known of them.
pub struct Ledger {
    signature: String,
    salt: u64,
    jobs: HashMap<Key, OpenJob>,
    members: BTreeMap<String, Member>,
    refused: BTreeMap<String, String>,
    counts: Counts,
    actions: Vec<Action>,
}

/// What happened so far.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Results that were handed over.
    pub done: u64,
    /// Jobs that were measured once more to check a worker.
    pub checks: u64,
    /// Jobs that were looked for because nothing was heard of them.
    pub lookups: u64,
}

/// A job that was sent and not handed over.
struct OpenJob {
    envelope: Arc<Envelope>,
    takers: Vec<Taker>,
    /// The result that waits, and whose it is.
    claim: Option<Claim>,
    /// Who measures it, besides the queue.
    extra: Option<Extra>,
    /// Workers that would not or could not do it.
    declined: Vec<String>,
    asked: Instant,
    patience: Duration,
}

/// A result that is not believed so far.
#[derive(Clone)]
struct Claim {
    worker: String,
    answer: Answer,
}

/// A measurement past the queue.
struct Extra {
    /// The worker; this machine if it is none.
    worker: Option<String>,
    since: Instant,
    /// What another worker said in a check that did not agree.
    rival: Option<Claim>,
}

impl Ledger {
    /// With this signature of the coordinator's searches, and a secret by which samples are chosen.
    pub fn new(signature: &str, salt: u64) -> Ledger {
        Ledger {
            signature: signature.to_string(),
            salt,
            jobs: HashMap::new(),
            members: BTreeMap::new(),
            refused: BTreeMap::new(),
            counts: Counts::default(),
            actions: Vec::new(),
        }
    }

    /// What to do, since the last time this was asked.
    pub fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// The envelope of an open job.
    pub fn envelope(&self, key: &Key) -> Option<&Arc<Envelope>> {
        self.jobs.get(key).map(|job| &job.envelope)
    }

    /// What happened so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Jobs without a result, and with a provisional one.
    pub fn open(&self) -> (u64, u64) {
        let provisional = self.jobs.values().filter(|job| job.claim.is_some()).count() as u64;
        (self.jobs.len() as u64 - provisional, provisional)
    }

    /// Workers that were refused, and why.
    pub fn refused(&self) -> &BTreeMap<String, String> {
        &self.refused
    }

    /// A job is wanted.
    pub fn submit(&mut self, taker: Taker, envelope: Envelope, now: Instant) {
        let key = envelope.key.clone();
        if let Some(job) = self.jobs.get_mut(&key) {
            job.takers.push(taker);
            return;
        }
        let (claim, extra, declined) = (None, None, Vec::new());
        let job = OpenJob {
            envelope: Arc::new(envelope),
            takers: vec![taker],
            claim,
            extra,
            declined,
            asked: now,
            patience: PATIENCE,
        };
        self.jobs.insert(key.clone(), job);
        self.actions.push(Action::Publish(key));
    }

    /// A batch is over: what only it wanted is no longer needed.
    pub fn drop_batch(&mut self, batch: u64) {
        self.jobs.values_mut().for_each(|job| job.takers.retain(|taker| taker.batch != batch));
        let gone: Vec<Key> =
            self.jobs.iter().filter(|(_, job)| job.takers.is_empty()).map(|(key, _)| key.clone()).collect();
        let mut withdrawn = Vec::new();
        for key in gone {
            let Some(job) = self.jobs.remove(&key) else { continue };
            match job.claim {
                None => withdrawn.push(key),
                Some(claim) => {
                    // A sample that nobody needs is not checked; the worker's next result is one instead.
                    let is_check = job.extra.is_some();
                    if let Some(member) = self.members.get_mut(&claim.worker) {
                        member.drop_claim(&key, is_check);
                    }
                    self.settle(&claim.worker);
                    if is_check {
                        withdrawn.push(key);
                    }
                }
            }
        }
        if !withdrawn.is_empty() {
            self.actions.push(Action::Withdraw(withdrawn));
        }
    }

    /// A worker has answered.
    pub fn answer(&mut self, message: AnswerMessage, now: Instant) {
        let AnswerMessage { worker, signature, micros, answer, .. } = message;
        if self.refused.contains_key(&worker) {
            return;
        }
        if signature != self.signature {
            return self.refuse(
                &worker,
                "its searches differ from this program's: another version, or another result of the bench searches",
                now,
            );
        }
        if let Some(member) = self.members.get_mut(&worker) {
            member.took(micros);
        }
        let Some(job) = self.jobs.get_mut(&answer.key) else { return };
        let Answer { outcome, key, .. } = &answer;
        let key = key.clone();
        if !matches!(outcome, Outcome::Result(_)) {
            return self.decline(&key, worker, &answer, now);
        }
        match (&job.claim, &mut job.extra) {
            (None, extra) => {
                *extra = None;
                self.claim(&key, Claim { worker, answer }, now);
            }
            (Some(claim), Some(Extra { worker: Some(checker), .. }))
                if *checker == worker && claim.worker != worker =>
            {
                self.compare(&key, Claim { worker, answer }, now);
            }
            // A job that was done twice, or an answer that was sent twice.
            (Some(_), _) => {}
        }
    }

    /// The broker was asked for the result of a job. What a refused worker has left there does not count.
    pub fn found(&mut self, key: &Key, message: Option<AnswerMessage>, now: Instant) {
        let was_there = message.is_some();
        if let Some(message) = message {
            self.answer(message, now);
        }
        if self.jobs.get(key).is_some_and(|job| job.claim.is_none() && job.extra.is_none()) {
            if was_there {
                self.actions.push(Action::Forget(key.clone()));
            }
            self.actions.push(Action::Publish(key.clone()));
        }
    }

    /// This machine has measured a job.
    pub fn measured_here(&mut self, answer: &Answer, now: Instant) {
        let Some(job) = self.jobs.get_mut(&answer.key) else { return };
        let Some(Extra { worker: None, rival, .. }) = job.extra.take_if(|extra| extra.worker.is_none()) else { return };
        let Some(claim) = job.claim.clone() else { return };
        let key = answer.key.clone();
        let is_decided = matches!(answer.outcome, Outcome::Result(_));
        let wrong = format!("its result of job {key} is wrong: this machine measured it again");
        let undecided = format!("job {key} cannot be checked, because this machine cannot measure it");
        for suspect in rival.iter().chain([&claim]) {
            if !is_decided && rival.is_some() {
                self.refuse(&suspect.worker, &undecided, now);
            } else if is_decided && suspect.answer.outcome != answer.outcome {
                self.refuse(&suspect.worker, &wrong, now);
            }
        }
        if !self.refused.contains_key(&claim.worker) {
            self.confirm(&claim.worker);
        } else if is_decided {
            // The right result is there; the job need not be done once more.
            self.release(&key, answer);
        }
    }

    /// A worker will not or cannot do a job: another one is asked that might, and then the executor does it itself.
    fn decline(&mut self, key: &Key, worker: String, answer: &Answer, now: Instant) {
        let Some(job) = self.jobs.get_mut(key) else { return };
        let is_checker = job.extra.as_ref().is_some_and(|extra| extra.worker.as_ref() == Some(&worker));
        if !job.declined.contains(&worker) {
            job.declined.push(worker);
        }
        match (&job.claim, is_checker) {
            (Some(_), true) => self.start_check(&key.clone(), now),
            (Some(_), false) => {}
            (None, _) => match self.other_worker(key) {
                Some(other) => self.assign(key, Some(other), now),
                None => self.release(key, answer),
            },
        }
    }

    /// A first result of a job.
    fn claim(&mut self, key: &Key, claim: Claim, now: Instant) {
        let is_drawn = xxh3_64_with_seed(key.as_str().as_bytes(), self.salt).is_multiple_of(SHARE);
        let worker = claim.worker.clone();
        let member = self.members.entry(worker.clone()).or_insert_with(|| Member::unknown(now));
        let is_sample = member.count(key, is_drawn);
        if let Some(job) = self.jobs.get_mut(key) {
            job.claim = Some(claim);
        }
        if is_sample {
            self.counts.checks += 1;
            self.start_check(key, now);
        }
        self.settle(&worker);
    }

    /// Has a sample measured a second time.
    fn start_check(&mut self, key: &Key, now: Instant) {
        let other = self.other_worker(key);
        self.assign(key, other, now);
    }

    /// Has a job measured past the queue, by this worker or on this machine.
    fn assign(&mut self, key: &Key, worker: Option<String>, now: Instant) {
        let Some(job) = self.jobs.get_mut(key) else { return };
        let rival = job.extra.take().and_then(|extra| extra.rival);
        self.actions.push(match &worker {
            Some(worker) => Action::Assign(key.clone(), worker.clone()),
            None => Action::MeasureHere(key.clone()),
        });
        job.extra = Some(Extra { worker, since: now, rival });
    }

    /// A second measurement of a sample has arrived.
    fn compare(&mut self, key: &Key, second: Claim, now: Instant) {
        let Some(job) = self.jobs.get_mut(key) else { return };
        let Some(first) = job.claim.clone() else { return };
        if first.answer.outcome == second.answer.outcome {
            job.extra = None;
            return self.confirm(&first.worker);
        }
        if !job.envelope.engines.is_empty() {
            job.extra = None;
            self.actions.push(Action::Note(format!(
                "note: an external engine gave '{}' and '{}' different results in job {key}; the first one counts",
                first.worker, second.worker
            )));
            return self.confirm(&first.worker);
        }
        self.assign(key, None, now);
        if let Some(Extra { rival, .. }) = self.jobs.get_mut(key).and_then(|job| job.extra.as_mut()) {
            *rival = Some(second);
        }
    }

    /// A sample of this worker is right.
    fn confirm(&mut self, worker: &str) {
        if let Some(member) = self.members.get_mut(worker) {
            member.confirm();
        }
        self.settle(worker);
    }

    /// Hands over what a worker has delivered, unless a sample of it is being checked.
    fn settle(&mut self, worker: &str) {
        let Some(member) = self.members.get_mut(worker) else { return };
        for key in member.take_settled() {
            let claim = self.jobs.get(&key).and_then(|job| job.claim.as_ref()).filter(|claim| claim.worker == worker);
            if let Some(answer) = claim.map(|claim| claim.answer.clone()) {
                self.release(&key, &answer);
            }
        }
    }

    fn release(&mut self, key: &Key, answer: &Answer) {
        let Some(job) = self.jobs.remove(key) else { return };
        self.counts.done += 1;
        self.actions.extend(job.takers.into_iter().map(|taker| Action::Release(taker, answer.clone())));
    }

    /// Believes a worker no more: what it has delivered and what was not handed over is measured again.
    pub fn refuse(&mut self, worker: &str, reason: &str, now: Instant) {
        if self.refused.contains_key(worker) {
            return;
        }
        self.refused.insert(worker.to_string(), reason.to_string());
        self.actions.push(Action::Refuse(worker.to_string(), reason.to_string()));
        self.actions.push(Action::Note(format!("warning: the worker '{worker}' is refused: {reason}")));
        if let Some(member) = self.members.get_mut(worker) {
            member.reset();
        }
        let (mut again, mut unchecked) = (Vec::new(), Vec::new());
        for (key, job) in &mut self.jobs {
            if job.claim.as_ref().is_some_and(|claim| claim.worker == worker) {
                (job.claim, job.extra, job.asked) = (None, None, now);
                again.push(key.clone());
            } else if job.extra.as_ref().is_some_and(|extra| extra.worker.as_deref() == Some(worker)) {
                unchecked.push(key.clone());
            }
        }
        for key in again {
            self.actions.extend([Action::Forget(key.clone()), Action::Publish(key)]);
        }
        unchecked.iter().for_each(|key| self.start_check(key, now));
    }

    /// A worker has said how it stands.
    pub fn report(&mut self, report: &WorkerReport, now: Instant) {
        if self.refused.contains_key(&report.worker) {
            if report.state == WorkerState::Working {
                self.actions.push(Action::Refuse(report.worker.clone(), self.refused[&report.worker].clone()));
            }
            return;
        }
        if report.signature != self.signature {
            let reason = format!(
                "its searches differ from this program's (its bench signature is {}, ours {}; it is plysmith {}); use the \
                 same plysmith everywhere",
                report.signature, self.signature, report.program
            );
            return self.refuse(&report.worker, &reason, now);
        }
        let member = self.members.entry(report.worker.clone()).or_insert_with(|| Member::unknown(now));
        member.update(report, now);
    }

    /// The broker was gone: what it had may be lost.
    pub fn reconnected(&mut self, now: Instant) {
        for job in self.jobs.values_mut().filter(|job| job.claim.is_none()) {
            job.patience = ROLL_CALL;
            job.asked = now;
        }
    }

    /// A job was not taken by the broker: it is tried again soon.
    pub fn not_published(&mut self, key: &Key, now: Instant) {
        if let Some(job) = self.jobs.get_mut(key) {
            (job.asked, job.patience) = (now, PATIENCE / 5);
        }
    }

    /// A job cannot be sent at all: the executor does it.
    pub fn unsendable(&mut self, key: &Key, reason: &str) {
        self.release(key, &Answer::new(key, Outcome::Refused(reason.to_string())));
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Instant) {
        let (members, jobs) = (&self.members, &mut self.jobs);
        let is_at_work =
            |worker: &str, key: &Key| members.get(worker).is_some_and(|member| member.is_at_work(key, now));
        let (mut unheard, mut unchecked) = (Vec::new(), Vec::new());
        for (key, job) in jobs {
            match &job.extra {
                Some(Extra { worker: Some(worker), since, .. })
                    if now.duration_since(*since) > PATIENCE && !is_at_work(worker, key) =>
                {
                    unchecked.push(key.clone());
                }
                Some(_) => {}
                None if job.claim.is_some() => {}
                None if now.duration_since(job.asked) > job.patience => {
                    (job.asked, job.patience) = (now, (job.patience * 2).min(MOST_PATIENCE));
                    if !members.keys().any(|worker| is_at_work(worker, key)) {
                        unheard.push(key.clone());
                    }
                }
                None => {}
            }
        }
        self.counts.lookups += unheard.len() as u64;
        self.actions.extend(unheard.into_iter().map(Action::Lookup));
        for key in unchecked {
            let is_check = self.jobs.get(&key).is_some_and(|job| job.claim.is_some());
            match (is_check, self.other_worker(&key)) {
                (true, _) => self.start_check(&key, now),
                (false, Some(other)) => self.assign(&key, Some(other), now),
                (false, None) => {
                    // Whoever was asked past the queue has gone: back to the queue.
                    if let Some(job) = self.jobs.get_mut(&key) {
                        (job.extra, job.asked) = (None, now);
                    }
                    self.actions.push(Action::Publish(key));
                }
            }
        }
    }
}
