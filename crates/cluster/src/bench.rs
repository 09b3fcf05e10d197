//! What a cluster costs: two workers with one core each against two threads of this process.
//!
//! The jobs are problems of the bundled Breakthrough suite, searched with as many nodes as make the wanted time. Both
//! sides take turns, so that load on the machine slows both. Workers are processes of this program.

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use plysmith_core::depth::Weight;
use plysmith_core::games;
use plysmith_engine::driver::Candidate;
use plysmith_runs::remote::RemoteQueue;
use plysmith_runs::suite_runner::MeasureOptions;
use plysmith_runs::view::{Cell, Table, View, percent};
use plysmith_runs::{Experiment, Host, Memo, RunError, Services};
use plysmith_store::Store;
use serde::Serialize;

use crate::address::{Address, Security};
use crate::broker_rate;
use crate::coordinator::{Coordinator, CoordinatorOptions};
use crate::error::ClusterError;
use crate::status::ClusterStatus;

const GAME: &str = "breakthrough";
/// Both sides have as many.
const WORKERS: usize = 2;
/// Problems by which the number of nodes for a job is found.
const TRIALS: usize = 40;
/// Jobs with a node each.
const SMALLEST: usize = 1000;
/// How long workers may take to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is timed.
pub struct BenchOptions<'a> {
    /// The cluster; it should have no other workers.
    pub address: &'a Address,
    /// How the connection is secured.
    pub security: &'a Security,
    /// How long a job takes.
    pub job: Duration,
    /// How many jobs a side does in a round.
    pub jobs: usize,
    /// How often both sides take turns.
    pub rounds: u32,
    /// A folder for a store that is thrown away.
    pub folder: &'a Path,
    /// Progress and cancel token.
    pub host: &'a Host,
}

/// What a cluster costs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ClusterBench {
    /// Threads of this process, and workers with one thread.
    pub workers: usize,
    /// Jobs of each side in a round.
    pub jobs: usize,
    /// The nodes of a job.
    pub nodes: u64,
    /// Milliseconds that a job takes in this process.
    pub milliseconds_a_job: f64,
    /// Jobs a second of the threads.
    pub threads_rate: f64,
    /// Jobs a second of the workers.
    pub cluster_rate: f64,
    /// The second as a share of the first.
    pub efficiency: f64,
    /// Microseconds that a job takes longer on a worker.
    pub overhead: f64,
    /// Jobs a second of the threads with the smallest jobs.
    pub smallest_threads_rate: f64,
    /// Jobs a second of the workers with the smallest jobs.
    pub smallest_cluster_rate: f64,
    /// Jobs and results of a kilobyte a second that the broker passes on, when nobody computes anything.
    pub broker_rate: f64,
    /// The rounds.
    pub rounds: u32,
}

/// Workers that do not outlive the benchmark.
struct Workers(Vec<Child>);

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in &mut self.0 {
            // It may have ended by itself.
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}

/// Times both sides.
pub fn bench(options: &BenchOptions<'_>) -> Result<ClusterBench, RunError> {
    let BenchOptions { address, security, jobs, rounds, host, .. } = *options;
    let store = Arc::new(Store::open(&options.folder.join("plysmith.db"))?);
    let two = NonZeroUsize::new(WORKERS).unwrap_or(NonZeroUsize::MIN);
    let local = Host { threads: two, remote: None, ..host.clone() };
    let (here, mut nodes) = (with_store(&local, &store), 200_000);
    let trial = time(&here, nodes, TRIALS)?;
    let per_job = trial.as_secs_f64() * WORKERS as f64 / TRIALS as f64;
    nodes = ((nodes as f64 * options.job.as_secs_f64() / per_job) as u64).max(1);
    let broker_rate = broker_rate::measure(address, security)?;
    let _workers = start_workers(address, security)?;
    let command = "bench --cluster".to_string();
    let coordinator = CoordinatorOptions { address, security, command, progress: host.progress.clone() };
    let queue: Arc<dyn RemoteQueue> = Arc::new(Coordinator::connect(coordinator)?);
    let there = with_store(&Host { threads: NonZeroUsize::MIN, remote: Some(queue), ..host.clone() }, &store);
    // The first job makes tables, on both sides.
    time(&there, nodes, WORKERS * 2)?;
    let (mut threads, mut cluster) = (Vec::new(), Vec::new());
    let (mut small_threads, mut small_cluster) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        threads.push(time(&here, nodes, jobs)?.as_secs_f64());
        cluster.push(time(&there, nodes, jobs)?.as_secs_f64());
        small_threads.push(time(&here, 1, SMALLEST)?.as_secs_f64());
        small_cluster.push(time(&there, 1, SMALLEST)?.as_secs_f64());
    }
    let (threads, cluster) = (median(threads), median(cluster));
    let (count, smallest) = (jobs as f64, SMALLEST as f64);
    Ok(ClusterBench {
        workers: WORKERS,
        jobs,
        nodes,
        milliseconds_a_job: threads * WORKERS as f64 / count * 1e3,
        threads_rate: count / threads,
        cluster_rate: count / cluster,
        efficiency: threads / cluster,
        overhead: (cluster - threads) * WORKERS as f64 / count * 1e6,
        smallest_threads_rate: smallest / median(small_threads),
        smallest_cluster_rate: smallest / median(small_cluster),
        broker_rate,
        rounds,
    })
}

impl ClusterBench {
    /// To be read.
    pub fn view(&self) -> View {
        let headings = ["jobs", ">threads: jobs/s", ">workers: jobs/s", ">workers/threads"];
        let row = |name: String, threads: f64, workers: f64| {
            vec![name.into(), Cell::Number(threads, 1), Cell::Number(workers, 1), Cell::Percent(workers / threads)]
        };
        let rows = [
            row(format!("{:.1} ms", self.milliseconds_a_job), self.threads_rate, self.cluster_rate),
            row("smallest".to_string(), self.smallest_threads_rate, self.smallest_cluster_rate),
        ];
        View::new().table(Table::new(&headings, rows)).text(format!(
            "\n{} workers with one thread each reach {} of {} threads of one process; a job takes {:.0} µs longer. Medians of \
             {} rounds.\nOne result in 64, and one in 128 besides, is measured twice to check the workers; this is part of \
             the time. The broker alone passes on {:.0} jobs/s with their results.\n",
            self.workers,
            percent(self.efficiency),
            self.workers,
            self.overhead,
            self.rounds,
            self.broker_rate,
        ))
    }
}

fn with_store(host: &Host, store: &Arc<Store>) -> Services {
    let Host { cancel, progress, threads, memory, remote } = host.clone();
    Services { store: store.clone(), cancel, progress, threads, memory, remote, traffic: None }
}

/// How long these many problems take.
fn time(services: &Services, nodes: u64, problems: usize) -> Result<Duration, RunError> {
    let game = games::find(GAME)?;
    let mut experiment = Experiment { nodes, ..Experiment::bundled(game)? };
    let all = experiment.suite.problems.len();
    // A problem comes again with another seed, and is another job then.
    let (mut left, mut time) = (problems, Duration::ZERO);
    for seed in 1.. {
        experiment.suite.problems.truncate(left.min(all));
        let mut runner = Experiment { seed, ..experiment.clone() }.session(services)?.runner;
        let scheme = game.vocabulary.parse_scheme("Neutral", Weight::HALF)?;
        let cancel = || services.cancel.is_cancelled();
        let measuring = MeasureOptions { at_least: None, interrupt: &cancel, progress: &|_| (), incident: &|_| () };
        let begun = Instant::now();
        runner.measure(&Candidate::Scheme(scheme), &measuring, Memo::Disabled)?;
        time += begun.elapsed();
        left -= experiment.suite.problems.len();
        if left == 0 {
            break;
        }
    }
    Ok(time)
}

/// Starts the workers and waits until they are there.
fn start_workers(address: &Address, security: &Security) -> Result<Workers, ClusterError> {
    let program = std::env::current_exe().map_err(ClusterError::failed)?;
    let spawn = |_| {
        let mut command = Command::new(&program);
        command.args(["worker", "--threads", "1", "--cluster", &address.to_string()]);
        if security.insecure {
            command.arg("--cluster-insecure");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    };
    let workers = (0..WORKERS).map(spawn).collect::<Result<_, _>>().map_err(ClusterError::failed)?;
    let workers = Workers(workers);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let status = ClusterStatus::read(address, security)?;
        let there = status.workers.iter().filter(|worker| worker.is_there).count();
        match there {
            WORKERS => return Ok(workers),
            more if more > WORKERS => {
                return Err(ClusterError::Input(format!(
                    "{address} has {} workers of its own; choose another name of the cluster, as in {}/bench",
                    more - WORKERS,
                    address.url()
                )));
            }
            _ if Instant::now() > deadline => return Err(ClusterError::failed("the workers do not come")),
            _ => sleep(Duration::from_millis(200)),
        }
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}
