//! Whatever an engine does to us, it ends in the documented fault, in time, and leaves nothing behind.
#![cfg(unix)]

mod bad_engine;
#[path = "../../core/tests/skipped/mod.rs"]
mod skipped;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use plysmith_engine::plug::client::{Handshake, PlugEngine, PlugTimeouts};
use plysmith_engine::process::{EngineCommand, EngineError, Fault, Process, SpawnMode};
use plysmith_engine::uci::client::{Go, NodeLimits, StopCause, UciEngine, UciSearchResult, UciTimeouts};
use skipped::skipped;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const NODES: Go = Go::Nodes(10_000);
/// More than any of it takes, on any machine.
const MOST: Duration = Duration::from_secs(120);

/// For engines that answer: no load makes them look as if they hung.
fn patient() -> UciTimeouts {
    UciTimeouts { handshake: MOST, ready: MOST, silence: MOST, ran_out: MOST, stop: MOST, margin: Duration::ZERO }
}

/// For engines that certainly never answer a search.
fn impatient() -> UciTimeouts {
    let short = Duration::from_millis(700);
    UciTimeouts { silence: short, ran_out: short, stop: short, ..patient() }
}

/// Tries something that needs a timeout to be over and something else to be done in time, with ever longer timeouts: a
/// loaded machine needs the longer ones.
fn with_growing_timeouts<T>(mut attempt: impl FnMut(Duration) -> Option<T>) -> T {
    let found = [1, 5, 25, 120].into_iter().find_map(|seconds| attempt(Duration::from_secs(seconds)));
    found.expect("no timeout is long enough")
}

fn command(mode: &str) -> EngineCommand {
    bad_engine::command(mode).parse().unwrap()
}

fn start(mode: &str) -> Result<UciEngine, EngineError> {
    UciEngine::start(&command(mode), SpawnMode::Direct, patient())
}

fn search(mode: &str, timeouts: UciTimeouts) -> Result<Option<UciSearchResult>, EngineError> {
    let mut engine = UciEngine::start(&command(mode), SpawnMode::Direct, timeouts)?;
    let id = engine.id();
    let begun = Instant::now();
    engine.new_game()?;
    engine.position(START, &[])?;
    let result = engine.search(&NODES, &|| false, &mut |_, _| ControlFlow::Continue(()));
    drop(engine);
    assert!(begun.elapsed() < MOST, "{mode} took {:?}", begun.elapsed());
    assert!(!Path::new(&format!("/proc/{id}")).exists(), "{mode} left its process behind");
    result
}

#[track_caller]
fn fault(mode: &str, timeouts: UciTimeouts) -> (Fault, EngineError) {
    let error = search(mode, timeouts).expect_err(mode);
    (error.fault().clone(), error)
}

#[test]
fn a_good_engine_answers() {
    let answer = search("good", patient()).unwrap().unwrap();
    assert_eq!(answer.nodes, 10_000);
    assert_eq!((answer.depth, answer.stopped), (5, None));
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
    let (fault, error) = fault("exits-0-early", patient());
    assert_eq!(fault, Fault::Died { how: "exit code 0".to_string() }, "{error}");
}

#[test]
fn an_engine_that_dies_mid_search_is_told_with_what_was_said() {
    let (fault, error) = fault("dies-mid-search", patient());
    assert_eq!(fault, Fault::Died { how: "killed by signal 6".to_string() });
    assert_eq!(error.command(), "go nodes 10000");
    assert!(error.transcript().iter().any(|line| line == "< info depth 1 nodes 20 score cp 0 pv a2a3"), "{error}");
    assert!(error.stderr_lines().iter().any(|line| line.contains("stack smashing")), "{error}");
}

#[test]
fn hanging_is_silence_with_and_without_output() {
    for mode in ["hangs", "hangs-talking"] {
        let (fault, error) = fault(mode, impatient());
        assert!(matches!(fault, Fault::Stalled { .. }), "{mode}: {error}");
        assert!(error.transcript().iter().any(|line| line == "> stop"), "{mode} was not asked to stop: {error}");
    }
}

#[test]
fn a_flood_in_any_phase_is_bounded_and_takes_no_memory() {
    // The most memory that this process has had.
    let memory = || -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    let before = memory();
    for (mode, part) in [
        ("flood-at-start", "wrote more than 4194304 bytes before 'uciok'"),
        ("flood-of-info", "wrote more than 10000 lines before 'uciok'"),
        ("flood-before-ready", "wrote more than 200000 lines before 'readyok'"),
        ("flood-of-lines", "wrote more than 200000 lines in one search"),
        ("flood-of-errors", "wrote more than 268435456 bytes to its standard error in one search"),
        ("floods", "wrote more than 67108864 bytes in one search"),
    ] {
        let (fault, error) = fault(mode, patient());
        assert!(matches!(fault, Fault::TooMuchOutput { .. }), "{mode}: {error}");
        assert!(error.summary().contains(part) && error.summary().contains("bad_engine::act"), "{mode}: {error}");
    }
    let plug = |mode: &str| {
        let timeouts = PlugTimeouts { handshake: MOST, silence: MOST };
        let mut engine = PlugEngine::start(&command(mode), SpawnMode::Direct, timeouts, Handshake::Try)?;
        engine.features()
    };
    for (mode, part) in [
        ("flood-at-start", "wrote more than 4194304 bytes before 'plugok'"),
        ("flood-of-info", "wrote more than 10000 lines before 'plugok'"),
        ("flood-of-features", "wrote more than 10000 lines before 'featuresok'"),
    ] {
        let error = plug(mode).unwrap_err();
        assert!(error.summary().contains(part), "{mode}: {error}");
    }
    match before.zip(memory()) {
        Some((before, after)) => assert!(after < before + 100_000, "{before} kB became {after} kB"),
        None => skipped("the memory of a flood", "there is no /proc/self/status"),
    }
}

/// Nothing that an engine says keeps it alive but nodes, and not a few of them.
#[test]
fn no_line_replaces_progress() {
    for mode in ["one-line", "deepens", "trickles", "stops-itself"] {
        let (fault, error) = fault(mode, impatient());
        let Fault::Stalled { progress } = fault else { panic!("{mode}: {error}") };
        assert!(progress.nodes < progress.step && progress.waited > progress.bound, "{mode}: {error}");
        assert_eq!((progress.step, progress.bound), (100, impatient().silence), "{mode}: {error}");
        for part in ["more nodes reported in", "at least 100 expected in 0.7 s", "--patience"] {
            assert!(error.summary().contains(part), "{mode}: {error}");
        }
    }
}

/// An engine that reports nodes makes progress, however long it takes on a loaded machine.
#[test]
fn progress_is_no_stall() {
    let mut engine = start("ignores-nodes").unwrap();
    engine.position(START, &[]).unwrap();
    let answer = engine.search(&Go::Nodes(200_000), &|| false, &mut |_, _| ControlFlow::Continue(()));
    assert_eq!(answer.unwrap().unwrap().stopped, Some(StopCause::Nodes));
}

#[test]
fn an_engine_that_closes_its_output_is_ended() {
    let (fault, error) = fault("closes-stdout", patient());
    assert_eq!(fault, Fault::Died { how: "closed its output and lived on; killed".to_string() }, "{error}");
}

/// Numbers that no search can have do not get into the result of a game either.
#[test]
fn impossible_numbers_are_left_out() {
    let answer = search("huge-depth", patient()).unwrap().unwrap();
    assert_eq!((answer.depth, answer.nodes), (5, 10_000));
    let answer = search("huge-nodes", patient()).unwrap().unwrap();
    assert_eq!((answer.depth, answer.nodes, answer.stopped), (5, 10_000, None));
}

#[test]
fn whoever_ignores_stop_is_lost() {
    let (fault, error) = fault("ignores-stop", impatient());
    assert!(matches!(fault, Fault::Silent { .. }), "{error}");
    assert_eq!(error.command(), "stop");
}

#[test]
fn junk_is_passed_over() {
    let answer = search("junk", patient()).unwrap().unwrap();
    assert_eq!(answer.nodes, 10_000);
    let answer = search("complains", patient()).unwrap().unwrap();
    assert_eq!(answer.nodes, 10_000);
}

#[test]
fn an_engine_that_closes_its_input_is_noticed() {
    let (fault, error) = fault("closes-stdin", patient());
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
        let timeouts = UciTimeouts { handshake: Duration::from_millis(1500), ..patient() };
        let error = UciEngine::start(&command(mode), SpawnMode::Direct, timeouts).unwrap_err();
        assert!(matches!(error.fault(), Fault::Handshake { .. }), "{mode}: {error}");
        assert!(error.to_string().contains("no 'uciok' within"), "{error}");
    }
}

#[test]
fn an_engine_that_falls_silent_between_searches_is_noticed() {
    let mut engine = with_growing_timeouts(|ready| {
        // It answers the first `isready`, in time or not.
        let started = UciEngine::start(&command("never-reads"), SpawnMode::Direct, UciTimeouts { ready, ..patient() });
        match started {
            Ok(engine) => Some(engine),
            Err(error) if matches!(error.fault(), Fault::Silent { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    });
    let error = engine.sync().unwrap_err();
    assert!(matches!(error.fault(), Fault::Silent { .. }), "{error}");
}

#[test]
fn a_search_beyond_its_time_is_stopped_and_its_time_told() {
    let mut engine = start("slow").unwrap();
    engine.position(START, &[]).unwrap();
    let go = Go::MoveTime(Duration::from_millis(100));
    let answer = engine.search(&go, &|| false, &mut |_, _| ControlFlow::Continue(())).unwrap().unwrap();
    assert_eq!(answer.stopped, Some(StopCause::Time));
    assert!(answer.time >= Duration::from_millis(100), "{:?}", answer.time);
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
        assert_eq!(answer.stopped, Some(StopCause::Nodes), "{mode}");
        assert!(answer.nodes >= 10_000 && answer.best.m.is_some(), "{mode}: {answer:?}");
    }
}

#[test]
fn a_free_search_that_runs_out_is_no_fault() {
    let mut engine = with_growing_timeouts(|ran_out| {
        let timeouts = UciTimeouts { ran_out, silence: Duration::from_millis(700), ..patient() };
        let mut engine = UciEngine::start(&command("runs-out"), SpawnMode::Direct, timeouts).unwrap();
        engine.position(START, &[]).unwrap();
        let answer = engine.search(&Go::Infinite, &|| false, &mut |_, _| ControlFlow::Continue(())).unwrap().unwrap();
        assert_eq!(answer.stopped, Some(StopCause::RanOut));
        // Fewer are those of an engine that is stopped on its way.
        (answer.nodes == 3000).then_some(engine)
    });
    // But silence under a limit that it was told is one: whoever honours limits would have answered.
    engine.position(START, &[]).unwrap();
    let error = engine.search(&NODES, &|| false, &mut |_, _| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(error.fault(), Fault::Stalled { .. }), "{error}");
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
    assert_eq!(answer.unwrap().unwrap().stopped, Some(StopCause::Watcher));
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
    let timeouts = UciTimeouts { handshake: Duration::from_millis(800), ..patient() };
    UciEngine::start(&command.parse().unwrap(), SpawnMode::Direct, timeouts).unwrap_err()
}
