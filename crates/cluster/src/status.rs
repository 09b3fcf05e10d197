//! The state of a cluster, as data and as a view: workers, queue, throughput, who delivered what.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::jetstream::stream::Stream;
use futures_util::StreamExt;
use plysmith_runs::view::{Cell, Table, View, counted};
use serde::Serialize;

use crate::address::{Address, Security};
use crate::broker::{Broker, HEARTBEAT, Link};
use crate::error::ClusterError;
use crate::message::{CoordinatorReport, Message, WorkerReport, WorkerState};

/// How long members have to answer the roll call before the state is read.
const ROLL_CALL: Duration = Duration::from_millis(300);
/// Who has said nothing for this long is taken for gone.
const SILENT: u64 = 4 * HEARTBEAT.as_secs();

/// The state of a cluster.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ClusterStatus {
    /// The broker and the name of the cluster.
    pub cluster: String,
    /// The broker's version.
    pub broker: String,
    /// Jobs that no worker has taken.
    pub waiting: u64,
    /// Jobs that workers have taken.
    pub leased: u64,
    /// Jobs that were given to another worker, because the first was not heard of again.
    pub redelivered: u64,
    /// The workers that were there in the last hour.
    pub workers: Vec<WorkerStatus>,
    /// The runs that were there in the last hour.
    pub runs: Vec<RunStatus>,
}

/// A worker.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WorkerStatus {
    /// What it says about itself.
    #[serde(flatten)]
    pub report: WorkerReport,
    /// Seconds since its last sign of life.
    pub seen: u64,
    /// Whether it is there.
    pub is_there: bool,
}

/// A run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RunStatus {
    /// What its coordinator says about itself.
    #[serde(flatten)]
    pub report: CoordinatorReport,
    /// Seconds since its last sign of life.
    pub seen: u64,
    /// Whether it is there.
    pub is_there: bool,
}

impl ClusterStatus {
    /// Asks the broker.
    pub fn read(address: &Address, security: &Security) -> Result<ClusterStatus, ClusterError> {
        let broker = Broker::connect(address, security, "status")?;
        broker.runtime.block_on(read(&broker.link, address))
    }

    /// Seconds that the jobs of all runs will take which were sent so far.
    pub fn eta(&self) -> Option<f64> {
        self.runs.iter().filter(|run| run.is_there).filter_map(|run| run.report.eta).reduce(f64::max)
    }

    /// To be read.
    pub fn view(&self) -> View {
        let there: Vec<_> = self.workers.iter().filter(|worker| worker.is_there).collect();
        let threads: u64 = there.iter().map(|worker| worker.report.threads).sum();
        let speed: u64 = there.iter().map(|worker| worker.report.threads * worker.report.speed).sum();
        let rate: f64 = self.runs.iter().filter(|run| run.is_there).map(|run| run.report.rate).sum();
        let eta = self.eta().map(|seconds| format!(", {seconds:.0} s for what was sent")).unwrap_or_default();
        let view = View::new().text(format!(
            "{} (nats-server {}): {}, {}, {:.1} Mnodes/s\n{} wait, {} at work, {} given out again; {rate:.1} jobs/s{eta}\n\n",
            self.cluster,
            self.broker,
            counted(there.len(), "worker"),
            counted(threads as usize, "thread"),
            speed as f64 / 1e6,
            counted(self.waiting as usize, "job"),
            self.leased,
            self.redelivered,
        ));
        let view = if self.workers.is_empty() {
            view.text(format!("No worker is there; start one with `plysmith worker --cluster {}`.\n", self.cluster))
        } else {
            view.table(self.worker_table())
        };
        let view = if self.runs.is_empty() { view } else { view.text("\n").table(self.run_table()) };
        let refused = self.runs.iter().flat_map(|run| &run.report.refused);
        let refused: String = refused.map(|(worker, reason)| format!("refused: {worker}: {reason}\n")).collect();
        if refused.is_empty() { view } else { view.text(format!("\n{refused}")) }
    }

    fn worker_table(&self) -> Table {
        let headings = [
            "worker",
            "state",
            ">threads",
            ">cores",
            ">Mnodes/s",
            ">in hand",
            ">done",
            ">delivered",
            ">seen s ago",
            "engines",
        ];
        Table::new(
            &headings,
            self.workers.iter().map(|worker| {
                let WorkerStatus { report, seen, is_there } = worker;
                let delivered = self.runs.iter().filter_map(|run| run.report.delivered.get(&report.worker)).sum();
                vec![
                    report.worker.clone().into(),
                    state(report.state, *is_there).into(),
                    Cell::Count(report.threads),
                    Cell::Count(report.cores),
                    Cell::Number(report.speed as f64 / 1e6, 1),
                    Cell::Count(report.in_hand.len() as u64),
                    Cell::Count(report.done),
                    Cell::Count(delivered),
                    Cell::Count(*seen),
                    report.engines.keys().cloned().collect::<Vec<_>>().join(", ").into(),
                ]
            }),
        )
    }

    fn run_table(&self) -> Table {
        let headings =
            ["run", ">open", ">provisional", ">done", ">jobs/s", ">checks", ">looked for", ">seen s ago", "command"];
        Table::new(
            &headings,
            self.runs.iter().map(|run| {
                let RunStatus { report, seen, is_there } = run;
                let name = match (report.is_over, is_there) {
                    (true, _) => format!("{} (over)", report.coordinator),
                    (false, true) => report.coordinator.clone(),
                    (false, false) => format!("{} (gone)", report.coordinator),
                };
                vec![
                    name.into(),
                    Cell::Count(report.open),
                    Cell::Count(report.provisional),
                    Cell::Count(report.done),
                    Cell::Number(report.rate, 1),
                    Cell::Count(report.checks),
                    Cell::Count(report.sent_again),
                    Cell::Count(*seen),
                    report.command.clone().into(),
                ]
            }),
        )
    }
}

fn state(state: WorkerState, is_there: bool) -> &'static str {
    match (state, is_there) {
        (WorkerState::Left, _) => "left",
        (WorkerState::Refused, _) => "refused",
        (_, false) => "gone",
        (WorkerState::Draining, true) => "leaving",
        (WorkerState::Working, true) => "working",
    }
}

pub(crate) async fn read(link: &Link, address: &Address) -> Result<ClusterStatus, ClusterError> {
    let names = &link.names;
    link.client.publish(names.roll_call(), "".into()).await.map_err(ClusterError::failed)?;
    tokio::time::sleep(ROLL_CALL).await;
    let jobs = link.consumer().await?;
    let jobs = jobs.get_info().await.map_err(ClusterError::failed)?;
    let mut status = ClusterStatus {
        cluster: address.to_string(),
        broker: link.client.server_info().version,
        waiting: jobs.num_pending,
        leased: jobs.num_ack_pending as u64,
        redelivered: jobs.num_redelivered as u64,
        workers: Vec::new(),
        runs: Vec::new(),
    };
    let members = link.stream(&names.members_stream()).await?;
    let mut subjects = members.info_with_subjects(names.members()).await.map_err(ClusterError::failed)?;
    let mut found = Vec::new();
    while let Some(subject) = subjects.next().await {
        found.push(subject.map_err(ClusterError::failed)?.0);
    }
    found.sort_unstable();
    for subject in found {
        add_member(&mut status, &members, &subject).await;
    }
    Ok(status)
}

/// Adds what a member has said last. What cannot be read is not shown.
async fn add_member(status: &mut ClusterStatus, members: &Stream, subject: &str) {
    let Ok(message) = members.direct_get_last_for_subject(subject).await else { return };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let seen = now.saturating_sub(u64::try_from(message.time.unix_timestamp()).unwrap_or(0));
    if subject.contains(".member.worker.") {
        if let Ok(report) = WorkerReport::parse(&message.payload) {
            let has_gone = matches!(report.state, WorkerState::Left | WorkerState::Refused);
            status.workers.push(WorkerStatus { report, seen, is_there: !has_gone && seen <= SILENT });
        }
    } else if let Ok(report) = CoordinatorReport::parse(&message.payload) {
        let is_there = !report.is_over && seen <= SILENT;
        status.runs.push(RunStatus { report, seen, is_there });
    }
}
