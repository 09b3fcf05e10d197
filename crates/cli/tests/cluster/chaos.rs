//! Runs give what they give here while everything fails that can fail: workers are killed, one is slow, one lies, the
//! network of one is cut, the broker is restarted and loses its disk, the coordinator is killed and resumed.
//!
//! What fails next is decided by the number of jobs done, not by a clock.

use std::collections::HashMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::broker::Broker;
use crate::proxy::Proxy;
use crate::runs::{EVOLVE, MATCH, MATES, log_lines, with};
use crate::support::{Home, PATIENCE, Running, SMALL_DISCOVERY, SMALL_TUNING};

/// How long one run may take before the test gives up: many times what it takes.
const MOST: Duration = Duration::from_secs(300);

/// What fails.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Failure {
    KillWorker,
    RestartBroker,
    CutNetwork,
    KillCoordinator,
    MendNetwork,
    WipeBroker,
    AnotherLiar,
}

/// The runs, after how many jobs the next thing fails, and what.
const RUNS: &[(&[&str], usize, &[Failure])] = {
    use Failure::{AnotherLiar, CutNetwork, KillCoordinator, KillWorker, MendNetwork, RestartBroker, WipeBroker};
    &[
        (
            SMALL_DISCOVERY,
            60,
            &[KillWorker, RestartBroker, CutNetwork, KillCoordinator, KillWorker, MendNetwork, WipeBroker],
        ),
        (SMALL_TUNING, 20, &[KillWorker, KillCoordinator, RestartBroker]),
        (EVOLVE, 50, &[AnotherLiar, KillWorker, KillCoordinator, KillWorker]),
        (MATCH, 20, &[KillWorker, KillCoordinator, KillWorker]),
    ]
};

struct Scene {
    broker: Broker,
    proxy: Proxy,
    home: Home,
    /// Workers that are killed and started again; the others.
    mortals: Vec<Running>,
    others: Vec<Running>,
    logs: Vec<String>,
    liars: Vec<String>,
}

impl Scene {
    fn new() -> Scene {
        let broker = Broker::start();
        let (proxy, home) = (Proxy::to(broker.port()), Home::new());
        home.file("mates.epd", MATES);
        let (mortals, others, logs, liars) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut scene = Scene { broker, proxy, home, mortals, others, logs, liars };
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
        let lines = |name: &String| {
            let log = std::fs::read(self.home.path().join(name)).unwrap_or_default();
            log.iter().filter(|byte| **byte == b'\n').count()
        };
        self.logs.iter().map(lines).sum()
    }

    /// Lets something fail. Returns the coordinator, which may be another process.
    fn fail(&mut self, failure: Failure, coordinator: Running, run: usize) -> Running {
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
    fn run(&mut self, words: &[&str], run: usize, step: usize, failures: &[Failure]) {
        let mut failures = failures.iter();
        let url = self.broker.url();
        let mut coordinator = self.home.start(&with(words, &["--cluster", &url]));
        // A coordinator that is killed before its run is in the store cannot be resumed.
        let deadline = Instant::now() + PATIENCE;
        while self.home.run(&["runs", "--json"]).json().as_array().is_none_or(|runs| runs.len() < run) {
            assert!(Instant::now() < deadline, "run {run} does not begin");
        }
        let (mut next, deadline) = (self.done() + step, Instant::now() + MOST);
        while !coordinator.has_ended() {
            if self.done() >= next
                && let Some(failure) = failures.next()
            {
                coordinator = self.fail(*failure, coordinator, run);
                next = self.done() + step;
            }
            assert!(Instant::now() < deadline, "run {run} does not end; the broker says {}", self.broker.log());
            sleep(Duration::from_millis(10));
        }
        coordinator.end().ok();
        assert_eq!(failures.next(), None, "run {run} is too small for all that should fail");
    }
}

#[test]
fn runs_are_the_same_whatever_fails() {
    let mut scene = Scene::new();
    let here = Home::new();
    here.file("mates.epd", MATES);
    for (run, (words, step, failures)) in (1..).zip(RUNS) {
        scene.run(words, run, *step, failures);
        here.run(words).ok();
        assert_eq!(scene.home.exported(run as u32), here.exported(run as u32), "{words:?}");
    }
    let (all, twice) = scene.done_twice();
    eprintln!("{all} jobs, {twice} of them twice");
    assert!(twice * 20 <= all, "{twice} of {all} jobs were done twice");
    let refused = scene.others.iter_mut().filter_map(|worker| worker.has_ended().then_some(()));
    assert_eq!(refused.count(), scene.liars.len(), "liars are refused, and nobody else");
}

impl Scene {
    /// How many jobs were done, and how many of them more than once: repeated samples and what liars did apart.
    fn done_twice(&self) -> (usize, usize) {
        let honest: Vec<&str> = self.logs.iter().filter(|log| !self.liars.contains(log)).map(String::as_str).collect();
        let lines = log_lines(&self.home, &honest);
        let mut times: HashMap<&str, usize> = HashMap::new();
        for line in lines.iter().filter(|line| line["check"] == false) {
            *times.entry(line["key"].as_str().unwrap()).or_default() += 1;
        }
        (times.len(), times.values().map(|count| count - 1).sum())
    }
}
