//! The task of a worker: it pulls jobs, keeps their leases, and sends what the threads have done.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::BatchConfig;
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::{self, AckKind};
use async_nats::{StatusCode, Subscriber};
use futures_util::StreamExt;
use plysmith_runs::remote::{Answer, Outcome};
use plysmith_runs::{CancelToken, Key};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::threads::{Done, Parcel, Threads};
use super::{JobLog, WorkerSummary};
use crate::broker::{HEARTBEAT, Link, LinkEvent};
use crate::error::ClusterError;
use crate::message::{AnswerMessage, JobMessage, Message, Refusal, VERSION, Withdrawal, WorkerReport, WorkerState};

/// How long the broker keeps a request for jobs.
const PULL_TIME: Duration = Duration::from_secs(20);
/// How often it says meanwhile that it has it.
const PULL_HEARTBEAT: Duration = Duration::from_secs(4);
/// Without a word from the broker for this long, the consumer is made anew.
const STALLED: Duration = Duration::from_secs(11);
/// How often the task looks whether it is to leave.
const TICK: Duration = Duration::from_millis(100);
/// Jobs that take longer than this are not taken in advance.
const SHORT: Duration = Duration::from_millis(200);
/// Work that is taken in advance for each thread, if jobs are very short.
const ADVANCE: Duration = Duration::from_millis(5);
/// The most jobs in advance for each thread.
const MOST_ADVANCE: usize = 32;
/// A job is refused after this number of workers died with it.
const MOST_DELIVERIES: i64 = 6;
/// How long a worker that leaves waits for its last results to be taken.
const FAREWELL: Duration = Duration::from_secs(10);
/// How long a job is left alone that belongs to another version.
const NOT_OURS: Duration = Duration::from_secs(2);

/// A job that this worker has.
struct InHand {
    /// The lease; none for a job that came past the queue.
    message: Option<jetstream::Message>,
    is_withdrawn: Arc<AtomicBool>,
    /// Whether it is done, and only its result is on its way.
    is_done: bool,
}

/// Messages for this worker.
enum Inbound {
    /// From the queue.
    Queue(async_nats::Message),
    /// Past the queue.
    Direct(async_nats::Message),
    /// No longer needed.
    Withdrawal(async_nats::Message),
    /// It is refused.
    Refusal(async_nats::Message),
    /// Who is there?
    RollCall,
    /// Finish and leave.
    Drain,
}

/// What becomes of a message on a subject.
type Wrap = fn(async_nats::Message) -> Inbound;

/// The task of a worker.
pub struct Task {
    link: Link,
    report: WorkerReport,
    threads: Threads,
    log: Option<JobLog>,
    note: Arc<dyn Fn(&str) + Send + Sync>,
    in_hand: HashMap<Key, InHand>,
    consumer: Option<PullConsumer>,
    /// The subject to which the broker sends jobs.
    inbox: String,
    /// Jobs that were asked for and have not come.
    asked_for: usize,
    last_word: Instant,
    /// The mean time of a job.
    mean: Duration,
    last_trouble: String,
    is_connected: bool,
    is_asked_to_leave: bool,
    sender: UnboundedSender<Inbound>,
    inbound: UnboundedReceiver<Inbound>,
    delivered: UnboundedSender<Key>,
    deliveries: UnboundedReceiver<Key>,
}

impl Task {
    pub fn new(
        link: Link,
        report: WorkerReport,
        threads: Threads,
        log: Option<JobLog>,
        note: Arc<dyn Fn(&str) + Send + Sync>,
    ) -> Task {
        let (sender, inbound) = unbounded_channel();
        let (delivered, deliveries) = unbounded_channel();
        Task {
            link,
            report,
            threads,
            log,
            note,
            in_hand: HashMap::new(),
            consumer: None,
            inbox: String::new(),
            asked_for: 0,
            last_word: Instant::now(),
            mean: SHORT,
            last_trouble: String::new(),
            is_connected: true,
            is_asked_to_leave: false,
            sender,
            inbound,
            delivered,
            deliveries,
        }
    }

    /// Works until it is cancelled, or refused.
    pub async fn run(
        mut self,
        mut outcomes: UnboundedReceiver<Done>,
        mut events: UnboundedReceiver<LinkEvent>,
        cancel: CancelToken,
    ) -> Result<WorkerSummary, ClusterError> {
        self.listen().await?;
        self.renew().await;
        let (mut ticks, mut beats) = (interval(TICK), interval(HEARTBEAT));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut leaving: Option<Instant> = None;
        loop {
            tokio::select! {
                Some(message) = self.inbound.recv() => {
                    if let Some(reason) = self.inbound(message, leaving.is_some()).await {
                        self.report.state = WorkerState::Refused;
                        self.announce().await;
                        let _ = self.link.client.flush().await;
                        return Err(ClusterError::WorkerRefused(reason));
                    }
                }
                Some(done) = outcomes.recv() => self.done(done).await,
                Some(key) = self.deliveries.recv() => drop(self.in_hand.remove(&key)),
                Some(event) = events.recv() => self.link_event(event).await,
                _ = beats.tick() => self.beat().await,
                _ = ticks.tick() => {
                    if (cancel.is_cancelled() || self.is_asked_to_leave) && leaving.is_none() {
                        leaving = Some(Instant::now());
                        self.give_back().await;
                    }
                    if self.is_connected && leaving.is_none() && self.last_word.elapsed() > STALLED {
                        self.renew().await;
                    }
                }
            }
            match leaving {
                None if self.is_connected => self.pull().await,
                None => {}
                Some(_) if self.in_hand.is_empty() => break,
                Some(since) if self.in_hand.values().all(|job| job.is_done) && since.elapsed() > FAREWELL => break,
                Some(_) => {}
            }
        }
        self.report.state = WorkerState::Left;
        self.announce().await;
        let _ = timeout(FAREWELL, self.link.client.flush()).await;
        Ok(WorkerSummary { worker: self.report.worker.clone(), done: self.report.done })
    }

    async fn link_event(&mut self, event: LinkEvent) {
        match event {
            LinkEvent::Disconnected if self.is_connected => {
                self.is_connected = false;
                (self.note)(&format!("note: the broker {} is gone; waiting for it", self.link.url));
            }
            LinkEvent::Connected if !self.is_connected => {
                self.is_connected = true;
                (self.note)(&format!("note: the broker {} is back", self.link.url));
                self.announce().await;
                self.renew().await;
            }
            LinkEvent::Trouble(text) => self.trouble(&format!("warning: the broker says: {text}")),
            _ => {}
        }
    }

    /// Listens to everything but the queue.
    async fn listen(&self) -> Result<(), ClusterError> {
        let (names, id) = (&self.link.names, &self.report.worker);
        let subjects: [(String, Wrap); 5] = [
            (names.check(id), Inbound::Direct),
            (names.refusal(id), Inbound::Refusal),
            (names.withdrawal(), Inbound::Withdrawal),
            (names.roll_call(), |_| Inbound::RollCall),
            (names.drain(id), |_| Inbound::Drain),
        ];
        for (subject, wrap) in subjects {
            let subscriber = self.link.client.subscribe(subject).await.map_err(ClusterError::failed)?;
            forward(subscriber, self.sender.clone(), wrap);
        }
        Ok(())
    }

    /// Makes streams and consumer if they are not there, and asks for jobs anew: at the beginning, when the broker is back,
    /// and when it has been silent for too long.
    async fn renew(&mut self) {
        (self.asked_for, self.consumer) = (0, None);
        self.last_word = Instant::now();
        let made = async {
            self.link.make_streams().await?;
            let consumer = self.link.consumer().await?;
            let inbox = self.link.client.new_inbox();
            let subscriber = self.link.client.subscribe(inbox.clone()).await.map_err(ClusterError::failed)?;
            Ok::<_, ClusterError>((consumer, inbox, subscriber))
        };
        match made.await {
            Ok((consumer, inbox, subscriber)) => {
                (self.consumer, self.inbox) = (Some(consumer), inbox);
                forward(subscriber, self.sender.clone(), Inbound::Queue);
            }
            Err(error) => self.trouble(&format!("warning: {error}")),
        }
    }

    /// How many jobs to have: one for each thread, and as many in advance as keep the threads busy.
    fn capacity(&self) -> usize {
        let advance = match self.mean {
            mean if mean >= SHORT => 0,
            mean => (ADVANCE.as_micros() / mean.as_micros().max(1)).clamp(1, MOST_ADVANCE as u128) as usize,
        };
        self.threads.count() * (1 + advance)
    }

    /// Asks for as many jobs as there is room for.
    async fn pull(&mut self) {
        let Some(consumer) = &self.consumer else { return };
        let busy = self.in_hand.values().filter(|job| !job.is_done).count();
        let (capacity, has) = (self.capacity(), busy + self.asked_for);
        let room = capacity.saturating_sub(has);
        // Short jobs are asked for in bunches.
        if room == 0 || (has > self.threads.count() && room * 2 < capacity - self.threads.count()) {
            return;
        }
        let batch = BatchConfig {
            batch: room,
            expires: Some(PULL_TIME),
            idle_heartbeat: PULL_HEARTBEAT,
            ..BatchConfig::default()
        };
        if consumer.request_batch(batch, self.inbox.clone().into()).await.is_ok() {
            if self.asked_for == 0 {
                self.last_word = Instant::now();
            }
            self.asked_for += room;
        }
    }

    /// A message has come. Returns the reason if this worker is refused.
    async fn inbound(&mut self, message: Inbound, is_leaving: bool) -> Option<String> {
        match message {
            Inbound::Queue(message) => self.queued(message, is_leaving).await,
            Inbound::Direct(message) => match JobMessage::parse(&message.payload) {
                Ok(job) if job.signature == self.report.signature && !is_leaving => self.take(job, None),
                Ok(_) => {}
                Err(error) => self.trouble(&format!("warning: a job is ignored: {error}")),
            },
            Inbound::Withdrawal(message) => {
                let keys = Withdrawal::parse(&message.payload).map(|withdrawal| withdrawal.keys).unwrap_or_default();
                for job in keys.iter().filter_map(|key| self.in_hand.get(key)) {
                    job.is_withdrawn.store(true, Ordering::Relaxed);
                }
            }
            Inbound::Refusal(message) => return Refusal::parse(&message.payload).ok().map(|refusal| refusal.reason),
            Inbound::RollCall => self.announce().await,
            Inbound::Drain => self.is_asked_to_leave = true,
        }
        None
    }

    /// A job, or what the broker has to say about the request for it.
    async fn queued(&mut self, message: async_nats::Message, is_leaving: bool) {
        self.last_word = Instant::now();
        match message.status {
            None | Some(StatusCode::OK) => {}
            Some(StatusCode::IDLE_HEARTBEAT) => return,
            Some(StatusCode::TIMEOUT | StatusCode::NOT_FOUND) => {
                let left = message.headers.as_ref().and_then(|headers| headers.get("Nats-Pending-Messages"));
                let left = left.and_then(|left| left.as_str().parse().ok()).unwrap_or(self.asked_for);
                self.asked_for = self.asked_for.saturating_sub(left);
                return;
            }
            // The consumer or its stream is gone, or the server is leaving.
            Some(_) => {
                self.consumer = None;
                self.last_word = Instant::now().checked_sub(STALLED - TICK * 5).unwrap_or(self.last_word);
                return;
            }
        }
        self.asked_for = self.asked_for.saturating_sub(1);
        let message = jetstream::Message { message, context: self.link.jetstream.clone() };
        self.consider(message, is_leaving).await;
    }

    /// A job from the queue: takes it, unless it is not for this worker.
    async fn consider(&mut self, message: jetstream::Message, is_leaving: bool) {
        let job = match JobMessage::parse(&message.payload) {
            Ok(job) => job,
            Err(error) => {
                self.trouble(&format!("warning: a job is removed from the queue: {error}"));
                let _ = message.ack_with(AckKind::Term).await;
                return;
            }
        };
        if job.signature != self.report.signature {
            self.trouble(&format!(
                "warning: a run wants workers with the bench signature {}, and this one has {}; use the same plysmith \
                 everywhere",
                job.signature, self.report.signature
            ));
            let _ = message.ack_with(AckKind::Nak(Some(NOT_OURS))).await;
            return;
        }
        if is_leaving {
            let _ = message.ack_with(AckKind::Nak(None)).await;
            return;
        }
        let deliveries = message.info().map_or(1, |info| info.delivered);
        if deliveries > MOST_DELIVERIES {
            let reason = format!("{} workers had this job and were not heard of again", deliveries - 1);
            let answer = Answer::new(&job.envelope.key, Outcome::Refused(reason));
            self.hold(&job.envelope.key, Some(message), true);
            self.deliver(answer, Duration::ZERO);
            return;
        }
        if deliveries > 1 && self.is_answered(&job.envelope.key).await {
            let _ = message.ack().await;
            return;
        }
        self.take(job, Some(message));
    }

    /// Whether somebody has answered a job that is given out once more. Its result has been sent to the coordinator.
    async fn is_answered(&self, key: &Key) -> bool {
        let Ok(stream) = self.link.jetstream.get_stream_no_info(self.link.names.results_stream()).await else {
            return false;
        };
        stream.direct_get_last_for_subject(self.link.names.result(key)).await.is_ok()
    }

    fn hold(&mut self, key: &Key, message: Option<jetstream::Message>, is_done: bool) -> Arc<AtomicBool> {
        let is_withdrawn = Arc::new(AtomicBool::new(false));
        self.in_hand.insert(key.clone(), InHand { message, is_withdrawn: is_withdrawn.clone(), is_done });
        is_withdrawn
    }

    fn take(&mut self, job: JobMessage, message: Option<jetstream::Message>) {
        let key = job.envelope.key.clone();
        match self.in_hand.get_mut(&key) {
            // It has come twice: the newer lease is the one that counts.
            Some(held) => held.message = message.or(held.message.take()),
            None => {
                let is_urgent = message.is_none();
                let is_withdrawn = self.hold(&key, message, false);
                self.threads.add(Parcel { envelope: job.envelope, is_withdrawn }, is_urgent);
            }
        }
    }

    /// A thread is done with a job.
    async fn done(&mut self, done: Done) {
        let Done { envelope, answer, time } = done;
        let Some(answer) = answer else {
            // Nobody needs it any more.
            if let Some(InHand { message: Some(message), .. }) = self.in_hand.remove(&envelope.key) {
                let _ = message.ack_with(AckKind::Term).await;
            }
            return;
        };
        self.report.done += 1;
        self.mean = (self.mean * 7 + time) / 8;
        if let Some(log) = &self.log {
            log.add(&serde_json::json!({
                "worker": self.report.worker,
                "key": envelope.key,
                "kind": envelope.kind,
                "micros": time.as_micros() as u64,
                "check": self.in_hand.get(&envelope.key).is_some_and(|job| job.message.is_none()),
            }));
        }
        if let Some(job) = self.in_hand.get_mut(&envelope.key) {
            job.is_done = true;
        }
        self.deliver(answer, time);
    }

    /// Sends an answer until the broker has it, and then gives up the lease.
    fn deliver(&self, answer: Answer, time: Duration) {
        let (link, delivered, key) = (self.link.clone(), self.delivered.clone(), answer.key.clone());
        let lease = self.in_hand.get(&key).and_then(|job| job.message.clone());
        let (worker, signature) = (self.report.worker.clone(), self.report.signature.clone());
        let micros = time.as_micros() as u64;
        let payload = AnswerMessage { version: VERSION, worker, signature, micros, answer }.to_bytes();
        tokio::spawn(async move {
            send_result(&link, &key, payload).await;
            if let Some(lease) = lease {
                // If this is lost, the job comes once more, and the result is found.
                let _ = lease.ack().await;
            }
            let _ = delivered.send(key);
        });
    }

    /// Keeps leases, and says who is here.
    async fn beat(&mut self) {
        for message in self.in_hand.values().filter_map(|job| job.message.as_ref()) {
            let _ = message.ack_with(AckKind::Progress).await;
        }
        self.announce().await;
    }

    async fn announce(&mut self) {
        self.report.in_hand = self.in_hand.keys().cloned().collect();
        let subject = self.link.names.worker(&self.report.worker);
        // The next one comes in a moment.
        let _ = self.link.client.publish(subject, self.report.to_bytes().into()).await;
    }

    /// Leaves: what no thread has begun goes back to the queue.
    async fn give_back(&mut self) {
        self.report.state = WorkerState::Draining;
        self.consumer = None;
        for parcel in self.threads.take_back() {
            if let Some(InHand { message: Some(message), .. }) = self.in_hand.remove(&parcel.envelope.key) {
                let _ = message.ack_with(AckKind::Nak(None)).await;
            }
        }
        let left = self.in_hand.values().filter(|job| !job.is_done).count();
        (self.note)(&format!("note: leaving; {left} jobs are finished first"));
        self.announce().await;
    }

    fn trouble(&mut self, text: &str) {
        if self.last_trouble != text {
            self.last_trouble = text.to_string();
            (self.note)(text);
        }
    }
}

fn forward(mut subscriber: Subscriber, sender: UnboundedSender<Inbound>, wrap: Wrap) {
    tokio::spawn(async move {
        while let Some(message) = subscriber.next().await {
            if sender.send(wrap(message)).is_err() {
                break;
            }
        }
    });
}

/// Sends a result until the broker has stored it. A coordinator that listens gets it even if the broker cannot.
async fn send_result(link: &Link, key: &Key, payload: Vec<u8>) {
    loop {
        let sent = async {
            let stored = link.jetstream.publish(link.names.result(key), payload.clone().into()).await?;
            stored.await
        };
        let Err(error) = sent.await else { return };
        match error.kind() {
            PublishErrorKind::StreamNotFound => {
                let _ = link.make_streams().await;
            }
            // The broker has no room. Who listens has got it.
            PublishErrorKind::Other if is_refused(&error) => return,
            PublishErrorKind::MaxPayloadExceeded => return,
            _ => {}
        }
        sleep(TICK * 3).await;
    }
}

/// Whether the broker has said no, rather than nothing.
fn is_refused(error: &PublishError) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<jetstream::Error>())
}
