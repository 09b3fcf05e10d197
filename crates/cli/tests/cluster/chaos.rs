//! Runs give what they give here while everything fails that can fail: workers are killed, one is slow, one lies, the
//! network of one is cut, the broker is restarted and loses its disk, the coordinator is killed and resumed.
//!
//! What fails next is decided by the number of jobs done, not by a clock.

use std::collections::HashMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::broker::Broker;
use crate::proxy::Proxy;
use crate::runs::{EVOLVE, MATCH, MATES, TUNE, log_lines, with};
use crate::support::{Home, PATIENCE, Running, SMALL_DISCOVERY};

/// Jobs between two failures.
const STEP: usize = 40;
/// How long one run may take before the test gives up: many times what it takes.
const MOST: Duration = Duration::from_secs(300);

/// What fails, in this order, again and again.
#[derive(Copy, Clone, Debug)]
enum Failure {
    KillWorker,
    RestartBroker,
    CutNetwork,
    KillCoordinator,
    MendNetwork,
    WipeBroker,
    AnotherLiar,
}

const FAILURES: &[Failure] = &[
    Failure::KillWorker,
    Failure::RestartBroker,
    Failure::CutNetwork,
    Failure::KillCoordinator,
    Failure::KillWorker,
    Failure::MendNetwork,
    Failure::WipeBroker,
    Failure::KillWorker,
    Failure::AnotherLiar,
    Failure::KillCoordinator,
    Failure::RestartBroker,
];

struct Scene {
    broker: Broker,
    proxy: Proxy,
    home: Home,
    /// Workers that are killed and started again; the others.
    mortals: Vec<Running>,
    others: Vec<Running>,
    logs: Vec<String>,
    liars: Vec<String>,
    happened: usize,
}

impl Scene {
    fn new() -> Scene {
        let broker = Broker::start();
        let (proxy, home) = (Proxy::to(broker.port()), Home::new());
        home.file("mates.epd", MATES);
        let (mortals, others, logs, liars) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut scene = Scene { broker, proxy, home, mortals, others, logs, liars, happened: 0 };
        for _ in 0..2 {
            let mortal = scene.worker("", false);
            scene.mortals.push(mortal);
        }
        let others = [scene.worker("slow=10", false), scene.worker("", true), scene.worker("lies", false)];
        scene.others.extend(others);
        scene.broker.wait_for_workers(&scene.home, 5);
        scene
    }

    fn worker(&mut self, misbehaviour: &str, is_behind_proxy: bool) -> Running {
        let log = format!("{}.log", self.logs.len());
        let url = if is_behind_proxy { self.proxy.url() } else { self.broker.url() };
        if misbehaviour == "lies" {
            self.liars.push(log.clone());
        }
        self.logs.push(log.clone());
        self.broker.worker_at(&self.home, &url, &log, misbehaviour)
    }

    fn done(&self) -> usize {
        let names: Vec<&str> = self.logs.iter().map(String::as_str).collect();
        log_lines(&self.home, &names).len()
    }

    /// Lets something fail. Returns the coordinator, which may be another process.
    fn fail(&mut self, failure: Failure, coordinator: Running, run: usize) -> Running {
        self.happened += 1;
        match failure {
            Failure::KillWorker => {
                self.mortals.remove(0).kill();
                let new = self.worker("", false);
                self.mortals.push(new);
            }
            Failure::RestartBroker => {
                self.broker.kill();
                self.broker.revive();
            }
            Failure::WipeBroker => {
                self.broker.kill();
                self.broker.wipe();
                self.broker.revive();
            }
            Failure::CutNetwork => self.proxy.cut(),
            Failure::MendNetwork => self.proxy.mend(),
            Failure::AnotherLiar => {
                let liar = self.worker("lies", false);
                self.others.push(liar);
            }
            Failure::KillCoordinator => {
                coordinator.kill();
                let (run, url) = (run.to_string(), self.broker.url());
                return self.home.start(&["resume", &run, "--cluster", &url]);
            }
        }
        coordinator
    }

    /// One run from its beginning to its end, while things fail.
    fn run(&mut self, words: &[&str], run: usize, failures: &mut dyn Iterator<Item = Failure>) {
        let url = self.broker.url();
        let mut coordinator = self.home.start(&with(words, &["--cluster", &url]));
        // A coordinator that is killed before its run is in the store cannot be resumed.
        let deadline = Instant::now() + PATIENCE;
        while self.home.run(&["runs", "--json"]).json().as_array().is_none_or(|runs| runs.len() < run) {
            assert!(Instant::now() < deadline, "run {run} does not begin");
        }
        let (mut next, deadline) = (self.done() + STEP, Instant::now() + MOST);
        while !coordinator.has_ended() {
            if self.done() >= next
                && let Some(failure) = failures.next()
            {
                coordinator = self.fail(failure, coordinator, run);
                next = self.done() + STEP;
            }
            assert!(Instant::now() < deadline, "run {run} does not end; the broker says {}", self.broker.log());
            sleep(Duration::from_millis(10));
        }
        coordinator.end().ok();
    }
}

#[test]
fn runs_are_the_same_whatever_fails() {
    let mut scene = Scene::new();
    let here = Home::new();
    here.file("mates.epd", MATES);
    let mut failures = FAILURES.iter().copied();
    let (mut all, mut twice) = (0, 0);
    for (run, words) in (1..).zip([SMALL_DISCOVERY, TUNE, EVOLVE, MATCH]) {
        let before = scene.done();
        scene.run(words, run, &mut failures);
        here.run(words).ok();
        assert_eq!(scene.home.exported(run as u32), here.exported(run as u32), "{words:?}");
        let (run_all, run_twice) = scene.done_twice(before);
        all += run_all;
        twice += run_twice;
        eprintln!("{}: {run_all} jobs, {run_twice} twice, {} failures so far", words[0], scene.happened);
    }
    assert_eq!(scene.happened, FAILURES.len(), "the runs are too small for all that should fail");
    assert!(twice * 20 <= all, "{twice} of {all} jobs were done twice");
    let refused = scene.others.iter_mut().filter_map(|worker| worker.has_ended().then_some(()));
    assert_eq!(refused.count(), scene.liars.len(), "liars are refused, and nobody else");
}

impl Scene {
    /// How many jobs were done since the log had this many lines, and how many of them more than once: repeated samples
    /// and what liars did apart.
    fn done_twice(&self, before: usize) -> (usize, usize) {
        let honest: Vec<&str> = self.logs.iter().filter(|log| !self.liars.contains(log)).map(String::as_str).collect();
        let lines = log_lines(&self.home, &honest);
        let mut times: HashMap<&str, usize> = HashMap::new();
        let is_counted = |line: &&Value| line["check"] == false;
        for line in lines.iter().filter(is_counted) {
            *times.entry(line["key"].as_str().unwrap()).or_default() += 1;
        }
        let _ = before;
        (times.len(), times.values().map(|count| count - 1).sum())
    }
}
