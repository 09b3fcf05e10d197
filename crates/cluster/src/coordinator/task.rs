//! The task that owns the ledger: it carries out what the ledger wants, and tells it what happens.

use std::collections::{HashMap, HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::stream::DirectGetErrorKind;
use async_nats::jetstream::{self, ErrorCode};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use plysmith_runs::Key;
use plysmith_runs::remote::{Answer, Envelope};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval};

use super::{Command, Shared};
use crate::broker::{HEARTBEAT, Link, LinkEvent};
use crate::error::{ClusterError, with_sources};
use crate::ledger::{Action, Ledger, Taker};
use crate::message::{
    AnswerMessage, CoordinatorReport, JobMessage, Message, Refusal, VERSION, Withdrawal, WorkerReport, short,
};

/// How often the ledger is told that time has passed.
const TICK: Duration = Duration::from_millis(250);
/// The rate is that of this time.
const RATE_TIME: Duration = Duration::from_secs(60);
/// Without a worker for this long, the user is told.
const LONELY: Duration = Duration::from_secs(5);
/// The most jobs in flight.
const MOST_WINDOW: usize = 4096;

type Deed = Pin<Box<dyn Future<Output = Event> + Send>>;

/// What a deed has led to.
enum Event {
    /// Nothing that matters.
    Nothing,
    /// A job was put into the queue, or was not.
    Published(Key, Result<(), PublishError>),
    /// A job was looked for: here is what the broker has of it.
    Found(Key, Option<Box<AnswerMessage>>),
    /// The streams were made, or could not be.
    Streams(Result<(), ClusterError>),
}

/// The coordinator's task.
pub struct Task {
    link: Link,
    shared: Arc<Shared>,
    cases: Option<Sender<Arc<Envelope>>>,
    note: Arc<dyn Fn(&str) + Send + Sync>,
    signature: String,
    id: String,
    command: String,
    ledger: Ledger,
    batches: HashMap<u64, Sender<(u64, Answer)>>,
    /// Jobs of which the broker had results when we came: those that came while no coordinator was there.
    known: HashSet<Key>,
    deeds: FuturesUnordered<Deed>,
    /// When how many results counted.
    history: VecDeque<(Instant, u64)>,
    started: Instant,
    is_lonely: bool,
    is_connected: bool,
    last_trouble: String,
    stopping: bool,
}

impl Task {
    #[expect(clippy::too_many_arguments, reason = "called once, right where all of these are made")]
    pub fn new(
        link: Link,
        shared: Arc<Shared>,
        cases: Sender<Arc<Envelope>>,
        note: Arc<dyn Fn(&str) + Send + Sync>,
        signature: &str,
        salt: u64,
        id: String,
        command: &str,
    ) -> Task {
        Task {
            link,
            shared,
            cases: Some(cases),
            note,
            signature: signature.to_string(),
            id,
            command: short(command),
            ledger: Ledger::new(signature, salt),
            batches: HashMap::new(),
            known: HashSet::new(),
            deeds: FuturesUnordered::new(),
            history: VecDeque::new(),
            started: Instant::now(),
            is_lonely: false,
            is_connected: true,
            last_trouble: String::new(),
            stopping: false,
        }
    }

    /// Works until it is told to stop.
    pub async fn run(mut self, mut commands: UnboundedReceiver<Command>, mut events: UnboundedReceiver<LinkEvent>) {
        let (inbound, mut messages) = unbounded_channel();
        if let Err(error) = self.listen(&inbound).await {
            return self.fail(&error.to_string());
        }
        let (mut ticks, mut reports) = (interval(TICK), interval(HEARTBEAT));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        reports.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.stopping {
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.command(command),
                    None => break,
                },
                Some(message) = messages.recv() => self.inbound(&message),
                Some(event) = events.recv() => self.link_event(event),
                Some(event) = self.deeds.next() => self.event(event),
                _ = ticks.tick() => self.tick(),
                _ = reports.tick() => self.report(false),
            }
            self.act();
        }
        self.batches.clear();
        self.report(true);
        while self.deeds.next().await.is_some() {}
        // What was sent last must leave this machine before the runtime ends.
        let _ = self.link.client.flush().await;
    }

    /// Forwards results and reports of workers to one channel.
    async fn listen(&mut self, inbound: &UnboundedSender<async_nats::Message>) -> Result<(), ClusterError> {
        let names = &self.link.names;
        for subject in [names.results(), names.workers()] {
            let mut subscriber = self.link.client.subscribe(subject).await.map_err(ClusterError::failed)?;
            let inbound = inbound.clone();
            tokio::spawn(async move {
                while let Some(message) = subscriber.next().await {
                    if inbound.send(message).is_err() {
                        break;
                    }
                }
            });
        }
        self.link.client.publish(names.roll_call(), "".into()).await.map_err(ClusterError::failed)?;
        let results = self.link.stream(&names.results_stream()).await?;
        let mut subjects = results.info_with_subjects(names.results()).await.map_err(ClusterError::failed)?;
        while let Some(subject) = subjects.next().await {
            // What cannot be listed is measured again.
            let Ok((subject, _)) = subject else { break };
            self.known.extend(subject.rsplit('.').next().map(|key| Key::from_hex(key.to_string())));
        }
        Ok(())
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Begin(batch, sender) => {
                self.batches.insert(batch, sender);
            }
            Command::Submit(batch, number, envelope) => {
                self.ledger.submit(Taker { batch, number }, *envelope, Instant::now());
            }
            Command::Drop(batch) => {
                self.batches.remove(&batch);
                self.ledger.drop_batch(batch);
            }
            Command::Measured(answer) => self.ledger.measured_here(&answer, Instant::now()),
            Command::Stop => {
                for batch in self.batches.keys().copied().collect::<Vec<_>>() {
                    self.ledger.drop_batch(batch);
                }
                self.stopping = true;
            }
        }
    }

    fn inbound(&mut self, message: &async_nats::Message) {
        let is_report = message.subject.contains(".member.");
        let trouble = if is_report {
            match WorkerReport::parse(&message.payload) {
                Ok(report) => {
                    self.ledger.report(&report, Instant::now());
                    None
                }
                Err(error) => Some(error),
            }
        } else {
            match AnswerMessage::parse(&message.payload) {
                Ok(answer) => {
                    self.ledger.answer(answer, Instant::now());
                    None
                }
                Err(error) => Some(error),
            }
        };
        if let Some(error) = trouble {
            self.trouble(&format!("warning: a message on {} is ignored: {error}", message.subject));
        }
    }

    fn link_event(&mut self, event: LinkEvent) {
        match event {
            LinkEvent::Disconnected if self.is_connected => {
                self.is_connected = false;
                (self.note)(&format!("note: the broker {} is gone; waiting for it", self.link.url));
            }
            LinkEvent::Connected if !self.is_connected => {
                self.is_connected = true;
                (self.note)(&format!("note: the broker {} is back", self.link.url));
                self.make_streams();
                self.ledger.reconnected(Instant::now());
            }
            LinkEvent::Trouble(text) => self.trouble(&format!("warning: the broker says: {text}")),
            _ => {}
        }
    }

    fn event(&mut self, event: Event) {
        let now = Instant::now();
        match event {
            Event::Nothing | Event::Streams(Ok(())) | Event::Published(_, Ok(())) => {}
            Event::Published(key, Err(error)) => self.unpublished(&key, &error, now),
            Event::Found(key, answer) => self.ledger.found(&key, answer.map(|answer| *answer), now),
            Event::Streams(Err(error)) => self.trouble(&format!("warning: {error}")),
        }
    }

    fn unpublished(&mut self, key: &Key, error: &PublishError, now: Instant) {
        let code = std::error::Error::source(error)
            .and_then(|source| source.downcast_ref::<jetstream::Error>())
            .map(jetstream::Error::error_code);
        match (error.kind(), code) {
            // It is in the queue already.
            (_, Some(ErrorCode::STREAM_STORE_FAILED)) if with_sources(error).contains("per subject") => {}
            (PublishErrorKind::StreamNotFound, _) => {
                self.make_streams();
                self.ledger.not_published(key, now);
            }
            (PublishErrorKind::MaxPayloadExceeded, _) => {
                self.trouble("note: jobs are larger than the broker's max_payload; they are done on this machine");
                self.ledger.unsendable(key, "it is larger than the broker's max_payload");
            }
            (PublishErrorKind::Other, Some(_)) => {
                let text = ClusterError::Full(with_sources(error)).to_string();
                self.trouble(&format!("warning: {text}; jobs are sent again until it has"));
                self.ledger.not_published(key, now);
            }
            // The broker is gone, or slow: the ledger looks for the job when it has waited long enough.
            _ => {}
        }
    }

    /// Tells the user, but not the same again and again.
    fn trouble(&mut self, text: &str) {
        if self.last_trouble != text {
            self.last_trouble = text.to_string();
            (self.note)(text);
        }
    }

    fn fail(&self, reason: &str) {
        *self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_string());
    }

    fn make_streams(&mut self) {
        let link = self.link.clone();
        self.deeds.push(Box::pin(async move { Event::Streams(link.make_streams().await) }));
    }

    fn tick(&mut self) {
        let now = Instant::now();
        self.ledger.tick(now);
        let done = self.ledger.counts().done;
        self.history.push_back((now, done));
        while self.history.front().is_some_and(|(then, _)| now.duration_since(*then) > RATE_TIME) {
            self.history.pop_front();
        }
        let threads = self.ledger.threads(now) as usize;
        let quarter = (self.rate() / 4.0) as usize;
        self.shared.window.store((4 * threads).max(quarter).clamp(16, MOST_WINDOW), Ordering::Relaxed);
        let is_lonely = threads == 0 && self.ledger.open().0 > 0 && now.duration_since(self.started) > LONELY;
        if is_lonely && !self.is_lonely && self.is_connected {
            (self.note)(&format!(
                "note: jobs wait, but no worker is there; start `plysmith worker --cluster {}` on any machine",
                self.link.url
            ));
        }
        self.is_lonely = is_lonely;
    }

    /// Results a second.
    fn rate(&self) -> f64 {
        let (Some((then, before)), Some((now, after))) = (self.history.front(), self.history.back()) else {
            return 0.0;
        };
        let seconds = now.duration_since(*then).as_secs_f64();
        if seconds > 0.0 { (after - before) as f64 / seconds } else { 0.0 }
    }

    fn report(&mut self, is_over: bool) {
        let (open, provisional) = self.ledger.open();
        let (counts, rate) = (self.ledger.counts(), self.rate());
        let report = CoordinatorReport {
            version: VERSION,
            coordinator: self.id.clone(),
            command: self.command.clone(),
            open,
            provisional,
            done: counts.done,
            checks: counts.checks,
            sent_again: counts.lookups,
            rate,
            eta: (rate > 0.0).then(|| (open + provisional) as f64 / rate),
            delivered: self.ledger.delivered(),
            refused: self.ledger.refused().iter().map(|(id, reason)| (id.clone(), short(reason))).collect(),
            is_over,
        };
        self.send(self.link.names.coordinator(&self.id), report.to_bytes());
    }

    /// Sends a message of which nothing depends on whether it arrives.
    fn send(&mut self, subject: String, payload: Vec<u8>) {
        let client = self.link.client.clone();
        self.deeds.push(Box::pin(async move {
            let _ = client.publish(subject, payload.into()).await;
            Event::Nothing
        }));
    }

    /// Carries out what the ledger wants.
    fn act(&mut self) {
        for action in self.ledger.take_actions() {
            match action {
                Action::Publish(key) if self.known.remove(&key) => self.look_up(key),
                Action::Publish(key) => self.publish(&key),
                Action::Lookup(key) => self.look_up(key),
                Action::Forget(key) => self.purge(self.link.names.results_stream(), self.link.names.result(&key)),
                Action::Assign(key, worker) => {
                    if let Some(payload) = self.payload(&key) {
                        self.send(self.link.names.check(&worker), payload);
                    }
                }
                Action::MeasureHere(key) => {
                    if let (Some(cases), Some(envelope)) = (&self.cases, self.ledger.envelope(&key)) {
                        // The thread ends only with this task.
                        let _ = cases.send(envelope.clone());
                    }
                }
                Action::Release(taker, answer) => {
                    // A batch that is over needs nothing.
                    let _ = self.batches.get(&taker.batch).map(|batch| batch.send((taker.number, answer)));
                }
                Action::Refuse(worker, reason) => {
                    let refusal = Refusal { version: VERSION, reason: short(&reason) };
                    self.send(self.link.names.refusal(&worker), refusal.to_bytes());
                }
                Action::Withdraw(keys) => self.withdraw(&keys),
                Action::Note(text) => (self.note)(&text),
            }
        }
    }

    fn payload(&self, key: &Key) -> Option<Vec<u8>> {
        let envelope = self.ledger.envelope(key)?;
        let (signature, envelope) = (self.signature.clone(), Envelope::clone(envelope));
        Some(JobMessage { version: VERSION, signature, envelope }.to_bytes())
    }

    fn publish(&mut self, key: &Key) {
        let Some(payload) = self.payload(key) else { return };
        let (jetstream, subject, key) = (self.link.jetstream.clone(), self.link.names.job(key), key.clone());
        self.deeds.push(Box::pin(async move {
            let published = async { jetstream.publish(subject, payload.into()).await?.await };
            Event::Published(key, published.await.map(|_| ()))
        }));
    }

    fn look_up(&mut self, key: Key) {
        let link = self.link.clone();
        self.deeds.push(Box::pin(async move {
            let stream = match link.jetstream.get_stream_no_info(link.names.results_stream()).await {
                Ok(stream) => stream,
                Err(_) => return Event::Nothing,
            };
            match stream.direct_get_last_for_subject(link.names.result(&key)).await {
                Ok(message) => Event::Found(key, AnswerMessage::parse(&message.payload).ok().map(Box::new)),
                Err(error) => match error.kind() {
                    DirectGetErrorKind::NotFound | DirectGetErrorKind::ErrorResponse(..) => Event::Found(key, None),
                    // The broker is gone; the next look comes later.
                    _ => Event::Nothing,
                },
            }
        }));
    }

    fn withdraw(&mut self, keys: &[Key]) {
        let withdrawal = Withdrawal { version: VERSION, keys: keys.to_vec() };
        self.send(self.link.names.withdrawal(), withdrawal.to_bytes());
        for key in keys {
            self.purge(self.link.names.jobs_stream(), self.link.names.job(key));
        }
    }

    fn purge(&mut self, stream: String, subject: String) {
        let link = self.link.clone();
        self.deeds.push(Box::pin(async move {
            if let Ok(stream) = link.jetstream.get_stream_no_info(stream).await {
                let _ = stream.purge().filter(subject).await;
            }
            Event::Nothing
        }));
    }
}
