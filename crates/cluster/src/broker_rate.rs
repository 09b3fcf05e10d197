//! How many jobs a second the broker passes on, when nobody computes anything.

use std::time::{Duration, Instant};

use async_nats::jetstream;
use async_nats::jetstream::consumer::pull::BatchConfig;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use plysmith_runs::Key;

use crate::address::{Address, Security};
use crate::broker::{Broker, Link};
use crate::error::ClusterError;

/// Jobs that are passed on.
const JOBS: usize = 20_000;
/// The size of a job and of a result, in bytes: those of a short game.
const BYTES: usize = 1_000;
/// Messages that wait for the broker's word, and jobs that are asked for at a time.
const AT_A_TIME: usize = 500;
/// How long a request for jobs is kept.
const PULL_TIME: Duration = Duration::from_secs(20);

/// Jobs a second that go through the queue, and whose results go through the stream of results. No worker may be there.
pub fn measure(address: &Address, security: &Security) -> Result<f64, ClusterError> {
    let broker = Broker::connect(address, security, "bench")?;
    let link = broker.link.clone();
    broker.runtime.block_on(async move {
        let begun = Instant::now();
        let done = tokio::join!(publish(&link), consume(&link));
        let seconds = begun.elapsed().as_secs_f64();
        for stream in [link.names.jobs_stream(), link.names.results_stream()] {
            link.stream(&stream).await?.purge().await.map_err(ClusterError::failed)?;
        }
        done.0.and(done.1)?;
        Ok(JOBS as f64 / seconds)
    })
}

fn key(number: usize) -> Key {
    Key::from_hex(format!("{number:032x}"))
}

async fn publish(link: &Link) -> Result<(), ClusterError> {
    let mut waiting = FuturesUnordered::new();
    for number in 0..JOBS {
        let acknowledged = link.jetstream.publish(link.names.job(&key(number)), vec![b'x'; BYTES].into()).await;
        waiting.push(acknowledged.map_err(ClusterError::failed)?.into_future());
        if waiting.len() >= AT_A_TIME {
            waiting.next().await.transpose().map_err(ClusterError::failed)?;
        }
    }
    while waiting.next().await.transpose().map_err(ClusterError::failed)?.is_some() {}
    Ok(())
}

async fn consume(link: &Link) -> Result<(), ClusterError> {
    let consumer = link.consumer().await?;
    let inbox = link.client.new_inbox();
    let mut messages = link.client.subscribe(inbox.clone()).await.map_err(ClusterError::failed)?;
    let ask = || {
        let batch = BatchConfig { batch: AT_A_TIME, expires: Some(PULL_TIME), ..BatchConfig::default() };
        consumer.request_batch(batch, inbox.clone().into())
    };
    let (mut done, mut asked_for) = (0, 0);
    let mut waiting = FuturesUnordered::new();
    while done < JOBS {
        if asked_for < AT_A_TIME / 2 {
            ask().await.map_err(ClusterError::failed)?;
            asked_for += AT_A_TIME;
        }
        let Some(message) = messages.next().await else { return Err(ClusterError::failed("the connection has ended")) };
        if message.status.is_some() {
            asked_for = 0;
            continue;
        }
        asked_for -= 1;
        let job = jetstream::Message { message, context: link.jetstream.clone() };
        let result = link.jetstream.publish(link.names.result(&key(done)), vec![b'x'; BYTES].into()).await;
        waiting.push(result.map_err(ClusterError::failed)?.into_future());
        if waiting.len() >= AT_A_TIME {
            waiting.next().await.transpose().map_err(ClusterError::failed)?;
        }
        job.ack().await.map_err(ClusterError::failed)?;
        done += 1;
    }
    while waiting.next().await.transpose().map_err(ClusterError::failed)?.is_some() {}
    Ok(())
}
