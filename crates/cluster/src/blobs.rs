//! Blobs on their way: the coordinator has them, workers ask for them piece by piece. The broker stores none.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::Client;
use futures_util::StreamExt;
use plysmith_runs::Key;
use plysmith_runs::remote::blob::MOST_BYTES;
use plysmith_runs::remote::{BlobMap, BlobSource};
use tokio::runtime::Handle;

use crate::broker::Link;
use crate::error::{ClusterError, with_sources};
use crate::message::{BlobQuestion, Message, VERSION};
use crate::names::Names;

/// Bytes of a piece: half of what brokers take by default.
const PIECE: usize = 512 << 10;
/// How long an answer to a question may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a piece is asked for: a coordinator that is restarted is back by then.
const TRIES: u32 = 12;
/// What a worker keeps of blobs; the oldest go first.
const KEPT_BYTES: usize = 256 << 20;

/// Answers questions for blobs until the connection ends.
pub async fn serve(link: Link, blobs: Arc<BlobMap>) -> Result<(), ClusterError> {
    let mut questions = link.client.subscribe(link.names.blobs()).await.map_err(ClusterError::failed)?;
    while let Some(message) = questions.next().await {
        let Some(reply) = message.reply else { continue };
        let key = message.subject.rsplit('.').next().unwrap_or_default().to_string();
        let Ok(BlobQuestion { offset, .. }) = BlobQuestion::parse(&message.payload) else { continue };
        // Whoever has it answers; a coordinator that has not is silent.
        let Ok(bytes) = blobs.fetch(&Key::from_hex(key)) else { continue };
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let piece = PIECE.min(link.client.max_payload() / 2);
        let mut answer = (bytes.len() as u64).to_be_bytes().to_vec();
        answer.extend_from_slice(&bytes[from..bytes.len().min(from + piece)]);
        // A worker that does not get it asks again.
        let _ = link.client.publish(reply, answer.into()).await;
    }
    Ok(())
}

/// Blobs as a worker gets them: once, and then kept.
pub struct RemoteBlobs {
    handle: Handle,
    client: Client,
    names: Arc<Names>,
    kept: Mutex<Kept>,
    is_over: Arc<AtomicBool>,
}

#[derive(Default)]
struct Kept {
    blobs: HashMap<Key, Arc<[u8]>>,
    order: VecDeque<Key>,
    bytes: usize,
}

impl RemoteBlobs {
    /// Asked for over this connection, until the flag is raised.
    pub fn new(handle: Handle, link: &Link, is_over: Arc<AtomicBool>) -> RemoteBlobs {
        let (client, names) = (link.client.clone(), link.names.clone());
        RemoteBlobs { handle, client, names, kept: Mutex::default(), is_over }
    }

    async fn ask(&self, key: &Key) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        loop {
            let piece = self.piece(key, bytes.len() as u64).await?;
            let (length, piece) = piece.split_at_checked(8).ok_or("the answer is too short")?;
            let length = length.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
            if length > MOST_BYTES as u64 {
                return Err(format!("it has {length} bytes; no blob may have more than {MOST_BYTES}"));
            }
            bytes.extend_from_slice(piece);
            if bytes.len() as u64 >= length {
                return Ok(bytes);
            }
            if piece.is_empty() {
                return Err("it ends early".to_string());
            }
        }
    }

    async fn piece(&self, key: &Key, offset: u64) -> Result<Vec<u8>, String> {
        let question = BlobQuestion { version: VERSION, offset }.to_bytes();
        let mut failure = String::new();
        for _ in 0..TRIES {
            if self.is_over.load(Ordering::Relaxed) {
                return Err("this worker is leaving".to_string());
            }
            let request = self.client.request(self.names.blob(key), question.clone().into());
            match tokio::time::timeout(PATIENCE, request).await {
                Ok(Ok(message)) => return Ok(message.payload.to_vec()),
                Ok(Err(error)) => {
                    failure = with_sources(&error);
                    tokio::time::sleep(PATIENCE / 10).await;
                }
                Err(_) => failure = "no coordinator answers".to_string(),
            }
        }
        Err(failure)
    }
}

impl BlobSource for RemoteBlobs {
    fn fetch(&self, key: &Key) -> Result<Arc<[u8]>, String> {
        // One thread asks, and the others wait for it: all need the same blobs at the same time.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = kept.blobs.get(key) {
            return Ok(bytes.clone());
        }
        let bytes: Arc<[u8]> = self.handle.block_on(self.ask(key))?.into();
        kept.keep(key, &bytes);
        Ok(bytes)
    }
}

impl Kept {
    fn keep(&mut self, key: &Key, bytes: &Arc<[u8]>) {
        self.bytes += bytes.len();
        self.order.push_back(key.clone());
        self.blobs.insert(key.clone(), bytes.clone());
        while self.bytes > KEPT_BYTES && self.order.len() > 1 {
            let gone = self.order.pop_front().and_then(|oldest| self.blobs.remove(&oldest));
            self.bytes -= gone.map_or(0, |bytes| bytes.len());
        }
    }
}
