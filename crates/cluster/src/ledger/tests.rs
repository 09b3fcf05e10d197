//! Workers that are right, wrong, slow and gone, without a network.

use std::time::{Duration, Instant};

use plysmith_runs::Key;
use plysmith_runs::remote::{Answer, Envelope, Outcome};
use serde_json::{Value, json};

use super::{Action, BATCH, Ledger, Taker};
use crate::message::{AnswerMessage, VERSION, WorkerReport, WorkerState};

const SIGNATURE: &str = "1-2-abc";

struct Scene {
    ledger: Ledger,
    now: Instant,
}

fn key(number: u64) -> Key {
    Key::of(&format!("job {number}"))
}

impl Scene {
    fn new(workers: &[&str]) -> Scene {
        // A salt with which none of the first keys is drawn besides the first of a batch.
        let mut scene = Scene { ledger: Ledger::new(SIGNATURE, 7), now: Instant::now() };
        workers.iter().for_each(|worker| scene.report(worker, &[], WorkerState::Working));
        scene
    }

    fn report(&mut self, worker: &str, in_hand: &[u64], state: WorkerState) {
        let report = WorkerReport {
            version: VERSION,
            worker: worker.to_string(),
            signature: SIGNATURE.to_string(),
            threads: 1,
            in_hand: in_hand.iter().map(|number| key(*number)).collect(),
            state,
            ..WorkerReport::default()
        };
        self.ledger.report(&report, self.now);
    }

    fn submit(&mut self, batch: u64, numbers: std::ops::Range<u64>) -> Vec<Action> {
        for number in numbers {
            let envelope = Envelope {
                version: 1,
                kind: "test".to_string(),
                key: key(number),
                job: Value::Null,
                blobs: Vec::new(),
                engines: Vec::new(),
            };
            self.ledger.submit(Taker { batch, number }, envelope, self.now);
        }
        self.ledger.take_actions()
    }

    fn message(worker: &str, number: u64, outcome: Outcome) -> AnswerMessage {
        let (worker, signature) = (worker.to_string(), SIGNATURE.to_string());
        AnswerMessage { version: VERSION, worker, signature, micros: 1, answer: Answer::new(&key(number), outcome) }
    }

    fn answer(&mut self, worker: &str, number: u64, result: u64) -> Vec<Action> {
        let outcome = Outcome::Result(json!(result));
        self.ledger.answer(Scene::message(worker, number, outcome), self.now);
        self.ledger.take_actions()
    }

    fn measured_here(&mut self, number: u64, result: u64) -> Vec<Action> {
        let answer = Answer::new(&key(number), Outcome::Result(json!(result)));
        self.ledger.measured_here(&answer, self.now);
        self.ledger.take_actions()
    }

    fn wait(&mut self, seconds: u64) -> Vec<Action> {
        self.now += Duration::from_secs(seconds);
        self.ledger.tick(self.now);
        self.ledger.take_actions()
    }
}

/// The numbers and results that were handed over.
fn released(actions: &[Action]) -> Vec<(u64, u64)> {
    let released = actions.iter().filter_map(|action| match action {
        Action::Release(taker, Answer { outcome: Outcome::Result(result), .. }) => {
            Some((taker.number, result.as_u64().unwrap()))
        }
        _ => None,
    });
    let mut released: Vec<_> = released.collect();
    released.sort_unstable();
    released
}

fn refused(actions: &[Action]) -> Vec<&str> {
    let names = actions.iter().filter_map(|action| match action {
        Action::Refuse(worker, _) => Some(worker.as_str()),
        _ => None,
    });
    names.collect()
}

#[test]
fn results_wait_for_the_sample_of_their_batch() {
    let mut scene = Scene::new(&["a", "b"]);
    scene.submit(1, 0..5);
    assert_eq!(scene.answer("a", 0, 10), [Action::Assign(key(0), "b".to_string())]);
    assert_eq!(scene.answer("a", 1, 11), [], "what comes while the sample is checked waits");
    assert_eq!(released(&scene.answer("b", 0, 10)), [(0, 10), (1, 11)]);
    assert_eq!(released(&scene.answer("a", 2, 12)), [(2, 12)], "the batch is confirmed");
    assert_eq!(scene.ledger.counts().checks, 1);
}

#[test]
fn a_batch_ends_and_the_next_has_a_sample_again() {
    let mut scene = Scene::new(&["a", "b"]);
    scene.submit(1, 0..3 * BATCH);
    let mut waited = 0;
    for number in 0..3 * BATCH {
        let actions = scene.answer("a", number, number);
        if released(&actions).is_empty() {
            waited += 1;
            let actions = scene.answer("b", number, number);
            assert_eq!(released(&actions), [(number, number)]);
        }
    }
    assert!((3..=3 + 6).contains(&waited), "{waited} samples of {} results", 3 * BATCH);
    assert_eq!(scene.ledger.counts().checks, waited);
}

#[test]
fn a_worker_alone_is_checked_by_this_machine() {
    let mut scene = Scene::new(&["a"]);
    scene.submit(1, 0..2);
    assert_eq!(scene.answer("a", 0, 10), [Action::MeasureHere(key(0))]);
    assert_eq!(released(&scene.measured_here(0, 10)), [(0, 10)]);
}

#[test]
fn who_is_wrong_is_refused_and_measured_again_whoever_it_is() {
    for liar in ["a", "b"] {
        let mut scene = Scene::new(&["a", "b"]);
        scene.submit(1, 0..3);
        scene.answer("a", 0, if liar == "a" { 99 } else { 10 });
        scene.answer("a", 1, 11);
        let actions = scene.answer("b", 0, if liar == "b" { 99 } else { 10 });
        assert_eq!(actions, [Action::MeasureHere(key(0))], "the coordinator decides");
        let actions = scene.measured_here(0, 10);
        assert_eq!(refused(&actions), [liar]);
        let told = actions.iter().any(|action| matches!(action, Action::Note(text) if text.contains(liar)));
        assert!(told, "{actions:?}");
        if liar == "a" {
            assert_eq!(released(&actions), [(0, 10)], "only what this machine measured counts");
            assert!(actions.contains(&Action::Forget(key(1))) && actions.contains(&Action::Publish(key(1))));
            assert_eq!(scene.answer("a", 1, 11), [], "a refused worker is not heard");
        } else {
            assert_eq!(released(&actions), [(0, 10), (1, 11)]);
        }
    }
}

#[test]
fn what_a_refused_worker_left_at_the_broker_does_not_count() {
    let mut scene = Scene::new(&["a"]);
    scene.submit(1, 0..2);
    scene.ledger.refuse("z", "a test", scene.now);
    scene.ledger.take_actions();
    let left = Scene::message("z", 0, Outcome::Result(json!(99)));
    scene.ledger.found(&key(0), Some(left), scene.now);
    assert_eq!(scene.ledger.take_actions(), [Action::Forget(key(0)), Action::Publish(key(0))]);
    scene.ledger.found(&key(1), None, scene.now);
    assert_eq!(scene.ledger.take_actions(), [Action::Publish(key(1))]);
    scene.ledger.found(&key(1), Some(Scene::message("a", 1, Outcome::Result(json!(11)))), scene.now);
    assert_eq!(scene.ledger.take_actions(), [Action::MeasureHere(key(1))]);
}

#[test]
fn other_searches_are_refused_at_the_first_word() {
    let mut scene = Scene::new(&["a"]);
    scene.submit(1, 0..1);
    let mut message = Scene::message("z", 0, Outcome::Result(json!(1)));
    message.signature = "another".to_string();
    scene.ledger.answer(message, scene.now);
    assert_eq!(refused(&scene.ledger.take_actions()), ["z"]);
    assert_eq!(scene.answer("z", 0, 1), []);
}

#[test]
fn what_a_worker_declines_another_does_and_then_the_executor() {
    let mut scene = Scene::new(&["a", "b"]);
    scene.submit(1, 0..1);
    let declined = Outcome::Refused("no memory".to_string());
    scene.ledger.answer(Scene::message("a", 0, declined.clone()), scene.now);
    assert_eq!(scene.ledger.take_actions(), [Action::Assign(key(0), "b".to_string())]);
    scene.ledger.answer(Scene::message("b", 0, declined.clone()), scene.now);
    let answer = Answer::new(&key(0), declined);
    assert_eq!(scene.ledger.take_actions(), [Action::Release(Taker { batch: 1, number: 0 }, answer)]);
}

#[test]
fn jobs_of_which_nothing_is_heard_are_looked_for_unless_a_worker_has_them() {
    let mut scene = Scene::new(&["a"]);
    scene.submit(1, 0..2);
    scene.report("a", &[0], WorkerState::Working);
    assert_eq!(scene.wait(4), []);
    scene.report("a", &[0], WorkerState::Working);
    assert_eq!(scene.wait(4), [Action::Lookup(key(1))]);
    // The worker is gone without a word: its job is looked for as well.
    let actions = [scene.wait(10), scene.wait(30)].concat();
    assert!(actions.contains(&Action::Lookup(key(0))), "{actions:?}");
}

#[test]
fn after_the_broker_was_gone_workers_say_first_what_they_have() {
    let mut scene = Scene::new(&["a"]);
    scene.submit(1, 0..2);
    scene.wait(4);
    scene.ledger.reconnected(scene.now);
    assert_eq!(scene.wait(2), []);
    scene.report("a", &[0], WorkerState::Working);
    assert_eq!(scene.wait(4), [Action::Lookup(key(1))]);
}

#[test]
fn a_checker_that_is_gone_is_replaced() {
    let mut scene = Scene::new(&["a", "b", "c"]);
    scene.submit(1, 0..1);
    let Some(Action::Assign(_, checker)) = scene.answer("a", 0, 10).pop() else { panic!("there is no check") };
    let other = if checker == "b" { "c" } else { "b" };
    scene.report("a", &[], WorkerState::Working);
    scene.report(&checker, &[], WorkerState::Left);
    scene.now += Duration::from_secs(6);
    scene.report(other, &[], WorkerState::Working);
    scene.ledger.tick(scene.now);
    assert_eq!(scene.ledger.take_actions(), [Action::Assign(key(0), other.to_string())]);
    assert_eq!(released(&scene.answer(other, 0, 10)), [(0, 10)]);
}

#[test]
fn a_batch_that_is_over_leaves_nothing_behind() {
    let mut scene = Scene::new(&["a", "b"]);
    scene.submit(1, 0..3);
    scene.submit(2, 2..3);
    scene.answer("a", 0, 10);
    scene.ledger.drop_batch(1);
    let actions = scene.ledger.take_actions();
    let Some(Action::Withdraw(keys)) = actions.last() else { panic!("{actions:?}") };
    assert!(keys.contains(&key(0)) && keys.contains(&key(1)) && !keys.contains(&key(2)), "{keys:?}");
    // The worker whose sample nobody needed is checked at its next result.
    assert_eq!(scene.answer("a", 2, 12), [Action::Assign(key(2), "b".to_string())]);
    assert_eq!(released(&scene.answer("b", 2, 12)), [(2, 12)]);
}

#[test]
fn a_job_that_two_batches_want_is_sent_once() {
    let mut scene = Scene::new(&["a"]);
    assert_eq!(scene.submit(1, 0..1), [Action::Publish(key(0))]);
    assert_eq!(scene.submit(2, 0..1), []);
    scene.answer("a", 0, 10);
    assert_eq!(released(&scene.measured_here(0, 10)), [(0, 10), (0, 10)]);
}
