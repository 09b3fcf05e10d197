//! The coordinator's own measurements: samples that no second worker can check, and jobs on which two disagree.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use plysmith_runs::job_host::{HostSetup, JobHost};
use plysmith_runs::remote::{Answer, BlobMap, Envelope, Outcome};
use tokio::sync::mpsc::UnboundedSender;

use super::Command;

/// Starts the thread that measures. It ends when the sender of its cases is dropped.
pub fn start(blobs: Arc<BlobMap>, commands: UnboundedSender<Command>) -> (JoinHandle<()>, Sender<Arc<Envelope>>) {
    let (sender, cases) = channel::<Arc<Envelope>>();
    let measure = move || {
        let mut host = JobHost::new(Arc::new(HostSetup::new(blobs, NonZeroUsize::MIN)));
        for envelope in cases {
            let interrupt = || commands.is_closed();
            let measured = host.run(&envelope, &interrupt);
            let unmeasured = || Answer::new(&envelope.key, Outcome::Refused("it was interrupted".to_string()));
            if commands.send(Command::Measured(measured.unwrap_or_else(unmeasured))).is_err() {
                break;
            }
        }
    };
    (thread::spawn(measure), sender)
}
