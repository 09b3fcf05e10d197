//! Whatever an engine does to us, it ends in the documented fault, in time, and leaves nothing behind.
#![cfg(unix)]

mod bad_engine;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use plysmith_engine::process::{EngineCommand, EngineError, Fault, Process, SpawnMode};
use plysmith_engine::uci::client::{Go, NodeLimits, StopCause, UciEngine, UciSearchResult, UciTimeouts};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// More than any of it takes, on any machine.
const MOST: Duration = Duration::from_secs(60);

/// Short where a fault must be waited for; a loaded machine may take its time for everything else.
fn timeouts() -> UciTimeouts {
    UciTimeouts {
        handshake: Duration::from_secs(30),
        ready: Duration::from_secs(30),
        silence: Duration::from_millis(700),
        ran_out: Duration::from_millis(700),
        stop: Duration::from_millis(500),
        margin: Duration::ZERO,
    }
}

fn command(mode: &str) -> EngineCommand {
    bad_engine::command(mode).parse().unwrap()
}

fn start(mode: &str) -> Result<UciEngine, EngineError> {
    UciEngine::start(&command(mode), SpawnMode::Direct, timeouts())
}

fn search(mode: &str, go: &Go) -> Result<Option<UciSearchResult>, EngineError> {
    let mut engine = start(mode)?;
    let id = engine.id();
    let begun = Instant::now();
    engine.new_game()?;
    engine.position(START, &[])?;
    let result = engine.search(go, &|| false, &mut |_, _| ControlFlow::Continue(()));
    drop(engine);
    assert!(begun.elapsed() < MOST, "{mode} took {:?}", begun.elapsed());
    assert!(!Path::new(&format!("/proc/{id}")).exists(), "{mode} left its process behind");
    result
}

#[track_caller]
fn fault(mode: &str, go: &Go) -> (Fault, EngineError) {
    let error = search(mode, go).expect_err(mode);
    (error.fault().clone(), error)
}

const NODES: Go = Go::Nodes(10_000);

#[test]
fn a_good_engine_answers() {
    let answer = search("good", &NODES).unwrap().unwrap();
    assert_eq!(answer.nodes, 10_000);
    assert_eq!((answer.depth, answer.cut), (5, None));
    assert_eq!(answer.info.pv, [answer.best.m.unwrap()]);
}

#[test]
fn an_engine_that_dies_at_the_start_is_told_with_its_last_words() {
    let error = start("dies-at-start").unwrap_err();
    assert_eq!(error.fault(), &Fault::Died { how: "exit code 3".to_string() });
    assert_eq!(error.stderr_lines(), ["bad engine: no luck today"]);
    let text = error.to_string();
    for part in ["mode=dies-at-start", "exit code 3", "after 'uci'", "no luck today"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn an_engine_that_exits_0_early_has_died_all_the_same() {
    let (fault, error) = fault("exits-0-early", &NODES);
    assert_eq!(fault, Fault::Died { how: "exit code 0".to_string() }, "{error}");
}

#[test]
fn an_engine_that_dies_mid_search_is_told_with_what_was_said() {
    let (fault, error) = fault("dies-mid-search", &NODES);
    assert_eq!(fault, Fault::Died { how: "killed by signal 6".to_string() });
    assert_eq!(error.command(), "go nodes 10000");
    assert!(error.talk().iter().any(|line| line == "< info depth 1 nodes 20 score cp 0 pv a2a3"), "{error}");
    assert!(error.stderr_lines().iter().any(|line| line.contains("stack smashing")), "{error}");
}

#[test]
fn hanging_is_silence_with_and_without_output() {
    for mode in ["hangs", "hangs-talking"] {
        let (fault, error) = fault(mode, &NODES);
        assert!(matches!(fault, Fault::Silent { .. }), "{mode}: {error}");
        assert!(error.talk().iter().any(|line| line == "> stop"), "{mode} was not asked to stop: {error}");
    }
}

#[test]
fn a_flood_without_a_newline_is_silence_and_takes_no_memory() {
    let memory = || -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("0 0");
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
    };
    let before = memory();
    let (fault, error) = fault("floods", &NODES);
    let Fault::Silent { bytes, .. } = fault else { panic!("{error}") };
    assert!(bytes > 1 << 20, "only {bytes} bytes of a flood");
    assert!(memory() < before + 100_000, "{before} kB became {} kB", memory());
}

#[test]
fn whoever_ignores_stop_is_lost() {
    let (fault, error) = fault("ignores-stop", &NODES);
    assert!(matches!(fault, Fault::Silent { .. }), "{error}");
    assert_eq!(error.command(), "stop");
}

#[test]
fn junk_is_passed_over() {
    let answer = search("junk", &NODES).unwrap().unwrap();
    assert_eq!(answer.nodes, 10_000);
    let answer = search("complains", &NODES).unwrap().unwrap();
    assert_eq!(answer.nodes, 10_000);
}

#[test]
fn an_engine_that_closes_its_input_is_noticed() {
    let (fault, error) = fault("closes-stdin", &NODES);
    assert_eq!(fault, Fault::StdinBlocked, "{error}");
}

#[test]
fn an_engine_that_never_reads_cannot_block_us() {
    let mut process = Process::start(&command("never-speaks"), SpawnMode::Direct).unwrap();
    let begun = Instant::now();
    let long = "x".repeat(10_000);
    let error = (0..1000).find_map(|_| process.send(&long).err()).expect("ten megabytes fit into no pipe");
    assert_eq!(error.fault(), &Fault::StdinBlocked);
    assert!(begun.elapsed() < MOST);
}

#[test]
fn an_introduction_that_does_not_come_is_a_failed_handshake() {
    for mode in ["never-speaks", "no-uciok"] {
        let timeouts = UciTimeouts { handshake: Duration::from_millis(1500), ..timeouts() };
        let error = UciEngine::start(&command(mode), SpawnMode::Direct, timeouts).unwrap_err();
        assert!(matches!(error.fault(), Fault::Handshake { .. }), "{mode}: {error}");
        assert!(error.to_string().contains("no 'uciok' within"), "{error}");
    }
}

#[test]
fn an_engine_that_falls_silent_between_searches_is_noticed() {
    let timeouts = UciTimeouts { ready: Duration::from_millis(1500), ..timeouts() };
    let mut engine = match UciEngine::start(&command("never-reads"), SpawnMode::Direct, timeouts) {
        Ok(engine) => engine,
        // The machine was so slow that even the first answer came too late.
        Err(error) => return assert!(matches!(error.fault(), Fault::Silent { .. }), "{error}"),
    };
    let error = engine.sync().unwrap_err();
    assert!(matches!(error.fault(), Fault::Silent { .. }), "{error}");
}

#[test]
fn a_search_beyond_its_time_is_stopped_and_its_time_told() {
    let timeouts = UciTimeouts { stop: Duration::from_secs(30), ..timeouts() };
    let mut engine = UciEngine::start(&command("slow"), SpawnMode::Direct, timeouts).unwrap();
    engine.position(START, &[]).unwrap();
    let go = Go::MoveTime(Duration::from_millis(100));
    let answer = engine.search(&go, &|| false, &mut |_, _| ControlFlow::Continue(())).unwrap().unwrap();
    assert_eq!(answer.cut, Some(StopCause::Time));
    assert!(answer.time >= Duration::from_secs(2), "{:?}", answer.time);
    // A bestmove that comes late does not answer the next question.
    assert!(engine.sync().is_ok());
    engine.quit();
}

#[test]
fn node_limits_are_probed() {
    let mut engine = start("good").unwrap();
    let probe = engine.probe_node_limits(START, &|| false).unwrap();
    assert_eq!((probe.limits, probe.reported), (NodeLimits::Honoured, probe.asked));
}

#[test]
fn engines_that_make_nothing_of_node_limits_are_stopped_by_us() {
    for (mode, limits) in [("ignores-nodes", NodeLimits::Ignored), ("too-early", NodeLimits::TooEarly)] {
        let mut engine = start(mode).unwrap();
        assert_eq!(engine.probe_node_limits(START, &|| false).unwrap().limits, limits, "{mode}");
        engine.position(START, &[]).unwrap();
        let answer = engine.search(&NODES, &|| false, &mut |_, _| ControlFlow::Continue(())).unwrap().unwrap();
        assert_eq!(answer.cut, Some(StopCause::Nodes), "{mode}");
        assert!(answer.nodes >= 10_000 && answer.best.m.is_some(), "{mode}: {answer:?}");
    }
}

#[test]
fn a_free_search_that_runs_out_is_no_fault() {
    let mut engine = start("runs-out").unwrap();
    engine.position(START, &[]).unwrap();
    let answer = engine.search(&Go::Infinite, &|| false, &mut |_, _| ControlFlow::Continue(())).unwrap().unwrap();
    assert_eq!((answer.cut, answer.nodes), (Some(StopCause::RanOut), 3000));
    // But silence under a limit that it was told is one: whoever honours limits would have answered.
    engine.position(START, &[]).unwrap();
    let error = engine.search(&NODES, &|| false, &mut |_, _| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(error.fault(), Fault::Silent { .. }), "{error}");
}

#[test]
fn an_interrupt_and_a_watcher_stop_a_search() {
    let mut engine = start("ignores-nodes").unwrap();
    engine.position(START, &[]).unwrap();
    assert_eq!(engine.search(&Go::Infinite, &|| true, &mut |_, _| ControlFlow::Continue(())).unwrap(), None);
    engine.position(START, &[]).unwrap();
    let mut lines = 0;
    let answer = engine.search(&Go::Infinite, &|| false, &mut |_, _| {
        lines += 1;
        if lines == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(answer.unwrap().unwrap().cut, Some(StopCause::Watcher));
}

#[test]
fn options_are_checked_before_they_are_sent() {
    let mut engine = start("good").unwrap();
    assert_eq!(engine.set("Hash", "1000").unwrap().value, "64");
    assert_eq!(engine.set("Check Extension (PV nodes)", "0").unwrap().note, None);
    let error = engine.set("hash", "16").unwrap_err().to_string();
    assert!(error.contains("has no option 'hash'") && error.contains("'Hash'"), "{error}");
    let error = engine.set("Hash", "much").unwrap_err().to_string();
    assert!(error.contains("takes a number from 1 to 64, not 'much'"), "{error}");
}

#[test]
fn what_is_no_program_is_named() {
    let text = |command: &str| start_text(command).to_string();
    assert!(text("/no/such/engine").contains("there is no file '/no/such/engine'"));
    assert!(text("/etc/hostname").contains("'/etc/hostname' cannot be started: "), "{}", text("/etc/hostname"));
    assert!(text("cat").contains("does not speak UCI"), "{}", text("cat"));
}

fn start_text(command: &str) -> EngineError {
    let timeouts = UciTimeouts { handshake: Duration::from_millis(800), ..timeouts() };
    UciEngine::start(&command.parse().unwrap(), SpawnMode::Direct, timeouts).unwrap_err()
}
