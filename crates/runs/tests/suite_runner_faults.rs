//! Whatever an external engine does at one problem, by either protocol: that problem is excluded with the documented
//! reason, and the results of all others are what they would be.
#![cfg(unix)]

#[path = "../../engine/tests/bad_engine/mod.rs"]
mod bad_engine;

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::{Criterion, Problem, Suite};
use plysmith_engine::driver::{Attempt, Candidate, Policy, Subject, Weights};
use plysmith_engine::measurement::Measurement;
use plysmith_engine::plug::client::{PlugSettings, PlugSubject};
use plysmith_engine::process::{EngineError, Fault, SpawnMode};
use plysmith_engine::uci::client::OpenError;
use plysmith_engine::uci::client::mapping::Mapping;
use plysmith_engine::uci::client::{UciSettings, UciSubject};
use plysmith_engine::{plug, uci};
use plysmith_runs::memo::Memo;
use plysmith_runs::suite_runner::{Incident, MOST_FAILURES, MeasureError, MeasureOptions, SearchLimits, SuiteRunner};

/// More than any of it takes, on any machine: no load makes an engine that answers look as if it hung.
const MOST: Duration = Duration::from_secs(120);
/// Silence that is waited for where an engine hangs. A loaded machine may not let the healthy searches of the same
/// measurement answer within the shorter ones.
const HUNG: [Duration; 3] = [Duration::from_millis(700), Duration::from_secs(5), Duration::from_secs(20)];
const NODES: u64 = 100;

#[derive(Copy, Clone, PartialEq, Debug)]
enum Protocol {
    Uci,
    Plug,
}

fn chess() -> &'static GameInfo {
    games::find("chess").unwrap()
}

/// Four problems that a good engine solves at the limit; in the third Black is to move.
fn suite() -> Suite {
    let positions = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
    ];
    let problem = |(index, position): (usize, &&str)| Problem {
        position: position.to_string(),
        best: (chess().open)(position).unwrap().moves()[..1].to_vec(),
        avoid: Vec::new(),
        id: format!("p{index}"),
        criterion: Criterion::BestMove,
        distance: None,
    };
    Suite { name: "faults".to_string(), problems: positions.iter().enumerate().map(problem).collect() }
}

fn open(protocol: Protocol, mode: &str, silence: Duration) -> Result<Box<dyn Subject>, EngineError> {
    let command = bad_engine::command(mode).parse().unwrap();
    let spawn_mode = SpawnMode::Direct;
    if protocol == Protocol::Plug {
        let timeouts = plug::client::PlugTimeouts { handshake: MOST, silence };
        let settings = PlugSettings { command, game: None, parameters: Vec::new(), spawn_mode, timeouts };
        return Ok(Box::new(PlugSubject::open(settings)?));
    }
    let mapping = "[[weight]]\nname = 'check'\noption = 'Check Extension (PV nodes)'\n";
    let settings = UciSettings {
        command,
        game: chess(),
        options: Vec::new(),
        mapping: Mapping::parse("mapping", mapping).unwrap(),
        policy: Policy::First,
        spawn_mode,
        timeouts: uci::client::UciTimeouts {
            handshake: MOST,
            ready: MOST,
            silence,
            ran_out: MOST,
            // Only the engines that never answer it are sent `stop`.
            stop: HUNG[0],
            margin: MOST,
        },
    };
    match UciSubject::open(settings, &|| false) {
        Ok(subject) => Ok(Box::new(subject)),
        Err(OpenError::Engine(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

/// What was measured, and the faults that were told on the way.
type Measured = (Result<Measurement, MeasureError>, Vec<String>);

fn measure(protocol: Protocol, mode: &str) -> Measured {
    try_measure(protocol, mode, MOST).unwrap_or_else(|error| panic!("{mode}: {error}"))
}

/// Measures with an engine that is taken for hung after this silence; fails if that happens when it is opened.
fn try_measure(protocol: Protocol, mode: &str, silence: Duration) -> Result<Measured, EngineError> {
    let subject = open(protocol, mode, silence)?;
    let limits = SearchLimits { nodes: NODES, seed: 1 };
    let mut runner = SuiteRunner::new(subject, suite(), limits, NonZeroUsize::new(2).unwrap()).unwrap();
    let faults = RefCell::new(Vec::new());
    let options = MeasureOptions {
        at_least: None,
        interrupt: &|| false,
        progress: &|_| (),
        incident: &|incident| faults.borrow_mut().push(incident.fault.to_string()),
    };
    let begun = Instant::now();
    let measured = runner.measure(&Candidate::Weights(Weights(vec![1000])), &options, Memo::Disabled);
    drop(runner);
    assert!(begun.elapsed() < 2 * MOST, "{mode} took {:?}", begun.elapsed());
    Ok((measured, faults.into_inner()))
}

const SOLVED: Attempt = Attempt {
    solved: true,
    best_move: Some(true),
    nodes: NODES,
    depth: 0,
    height: 0,
    moves: 0,
    fired: Vec::new(),
    failure: None,
};

/// The third problem is excluded for this reason, all its faults are of this kind, and nothing else has happened.
#[track_caller]
fn excluded(protocol: Protocol, mode: &str, reason: &str, kind: &'static str) {
    check_excluded(protocol, mode, reason, kind, measure(protocol, &format!("black-{mode}")));
}

/// Likewise for an engine that hangs.
#[track_caller]
fn hung_is_excluded(protocol: Protocol, mode: &str) {
    let (measured, faults) = measure_hung(protocol, &format!("black-{mode}"));
    check_excluded(protocol, mode, "makes no progress", "raise --patience", (measured, faults));
}

/// Measures with an engine that hangs at the third problem. A measurement in which a healthy search was taken for hung as
/// well is done again with more patience, as long as there is any.
fn measure_hung(protocol: Protocol, mode: &str) -> Measured {
    for silence in HUNG {
        match try_measure(protocol, mode, silence) {
            Ok((Ok(measured), faults)) if faults.len() > MOST_FAILURES && silence < HUNG[2] => {
                assert!(measured.attempts[2].is_excluded(), "{protocol:?} {mode}: {faults:?}");
            }
            Err(error) if matches!(error.fault(), Fault::Stalled { .. }) && silence < HUNG[2] => {}
            done => return done.unwrap_or_else(|error| panic!("{protocol:?} {mode}: {error}")),
        }
    }
    unreachable!("the last measurement is returned as it is")
}

#[track_caller]
fn check_excluded(protocol: Protocol, mode: &str, reason: &str, kind: &str, (measured, faults): Measured) {
    let measured = measured.unwrap_or_else(|error| panic!("{protocol:?} {mode}: {error}"));
    let failures: Vec<_> = measured.excluded().collect();
    assert_eq!(failures.len(), 1, "{protocol:?} {mode}: {failures:?}");
    let (index, failure) = failures[0];
    assert_eq!((index, faults.len()), (2, MOST_FAILURES), "{protocol:?} {mode}: {faults:?}");
    assert!(
        faults.iter().all(|fault| fault.contains(kind) && fault.contains(reason)),
        "{protocol:?} {mode}: {faults:?}"
    );
    let go = if protocol == Protocol::Uci { "> go nodes 100" } else { "> gountil " };
    for part in ["'p2' is excluded: ", reason, "position: rnbqkbnr/pppppppp/8/8/4P3", "weights 1;", go] {
        assert!(failure.contains(part), "{protocol:?} {mode}: no '{part}' in {failure}");
    }
    for (index, attempt) in measured.attempts.iter().enumerate().filter(|(index, _)| *index != 2) {
        let told = Attempt { depth: 0, height: 0, ..attempt.clone() };
        assert_eq!(told, SOLVED, "{protocol:?} {mode}: problem {index}");
    }
}

/// By both protocols at once: most of it is waiting.
fn excluded_by_both(mode: &'static str, reason: &'static str, kind: &'static str) {
    std::thread::scope(|scope| {
        for protocol in [Protocol::Uci, Protocol::Plug] {
            scope.spawn(move || excluded(protocol, mode, reason, kind));
        }
    });
}

#[test]
fn dying_excludes() {
    let died = "died (";
    excluded_by_both("dies-mid-search", "killed by signal 6", died);
    excluded_by_both("exits-0", "died (exit code 0)", died);
}

#[test]
fn the_last_words_of_the_dying_are_part_of_the_reason() {
    let (measured, _) = measure(Protocol::Plug, "black-dies-mid-search");
    let measured = measured.unwrap();
    let (_, failure) = measured.excluded().next().unwrap();
    assert!(failure.contains("last lines of its standard error:\n  bad engine: stack smashing"), "{failure}");
}

#[test]
fn hanging_excludes_with_and_without_output() {
    std::thread::scope(|scope| {
        for mode in ["hangs", "hangs-talking", "one-line", "deepens", "stops-itself"] {
            for protocol in [Protocol::Uci, Protocol::Plug] {
                scope.spawn(move || hung_is_excluded(protocol, mode));
            }
        }
    });
}

#[test]
fn floods_exclude() {
    excluded_by_both("floods", "wrote more than 67108864 bytes in one search", "");
    excluded_by_both("flood-of-lines", "wrote more than 200000 lines in one search", "");
}

#[test]
fn impossible_statistics_exclude() {
    let garbage = "which makes no sense: ";
    let decided = "features decided 18000000000000000000 of 9 moves";
    excluded(Protocol::Plug, "huge-statistics", decided, garbage);
    excluded(Protocol::Plug, "huge-depth", "a depth of 4294967295 plies is impossible", garbage);
    excluded(Protocol::Uci, "huge-depth", "no search is that deep", garbage);
}

#[test]
fn closing_the_output_excludes() {
    excluded_by_both("closes-stdout", "closed its output and lived on", "died (");
}

#[test]
fn whoever_ignores_stop_is_killed() {
    let silent = "said nothing of use for";
    excluded(Protocol::Uci, "ignores-stop", "said nothing of use", silent);
    let garbage = "which makes no sense: ";
    excluded(Protocol::Plug, "ignores-stop", "100 nodes were allowed", garbage);
}

#[test]
fn closing_the_input_excludes() {
    excluded_by_both("deaf", "does not read what it is told", "");
}

#[test]
fn lies_about_nodes_exclude() {
    let garbage = "which makes no sense: ";
    excluded(Protocol::Uci, "falling-nodes", "it had reported 90 before", garbage);
    excluded(Protocol::Uci, "huge-nodes", "no machine searches that many", garbage);
    excluded(Protocol::Plug, "falling-nodes", "answered 'nodes 1 -5'", garbage);
    excluded(Protocol::Plug, "huge-nodes", "100 nodes were allowed", garbage);
}

#[test]
fn illegal_moves_exclude() {
    let illegal = "answered the move ";
    excluded(Protocol::Uci, "illegal", "'a1h8', which is not legal", illegal);
    excluded(Protocol::Uci, "illegal-line", "'a1h8', which is not legal", illegal);
    excluded(Protocol::Uci, "no-move", "'(none)', which is not legal", illegal);
    excluded(Protocol::Uci, "junk-move", "which is not legal", illegal);
    let garbage = "which makes no sense: ";
    excluded(Protocol::Plug, "junk-move", "expected 'nodes FLAG COUNT'", garbage);
}

#[test]
fn refusing_excludes() {
    let refused = "refuses: ";
    excluded(Protocol::Plug, "refuses", "refuses: no such board", refused);
}

#[test]
fn junk_and_complaints_change_nothing() {
    for protocol in [Protocol::Uci, Protocol::Plug] {
        for mode in ["good", "junk", "complains"] {
            let (measured, faults) = measure(protocol, mode);
            let measured = measured.unwrap();
            assert_eq!((measured.solved(), measured.nodes(), faults.len()), (4, 400, 0), "{protocol:?} {mode}");
        }
    }
    // The paper's three commands are enough, also for an engine that does not survive any other.
    std::thread::scope(|scope| {
        // It never answers `plug`, so no wait for that is too short.
        scope.spawn(|| assert_eq!(paper_only("paper", Duration::from_millis(300)), 4));
        scope.spawn(|| assert_eq!(paper_only("dies-of-plug", MOST), 4));
    });
}

/// How many problems are solved by an engine that does not introduce itself.
fn paper_only(mode: &str, introduction: Duration) -> u32 {
    let settings = PlugSettings {
        command: bad_engine::command(mode).parse().unwrap(),
        game: None,
        parameters: vec![plug::plain_parameter(1)],
        spawn_mode: SpawnMode::Direct,
        timeouts: plug::client::PlugTimeouts { handshake: introduction, silence: MOST },
    };
    let subject = PlugSubject::open(settings).unwrap();
    assert!(subject.notes(&suite().problems)[0].contains("the paper's three commands"), "{mode}");
    let limits = SearchLimits { nodes: NODES, seed: 1 };
    let mut runner = SuiteRunner::new(Box::new(subject), suite(), limits, NonZeroUsize::MIN).unwrap();
    let options = MeasureOptions { at_least: None, interrupt: &|| false, progress: &|_| (), incident: &|_| () };
    runner.measure(&Candidate::Weights(Weights(vec![1000])), &options, Memo::Disabled).unwrap().solved()
}

#[test]
fn an_engine_that_fails_once_is_started_again_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    for protocol in [Protocol::Uci, Protocol::Plug] {
        // Not at the start, when it is asked what it honours: the file is there then.
        let file = folder.path().join(format!("{protocol:?}"));
        std::fs::write(&file, "").unwrap();
        let mode = format!("once-dies-mid-search@{}", file.display());
        let subject = open(protocol, &mode, MOST).unwrap();
        std::fs::remove_file(&file).unwrap();
        let limits = SearchLimits { nodes: NODES, seed: 1 };
        let mut runner = SuiteRunner::new(subject, suite(), limits, NonZeroUsize::new(2).unwrap()).unwrap();
        let told = RefCell::new(Vec::new());
        let incident = &|incident: &Incident<'_>| told.borrow_mut().push(incident.to_string());
        let options = MeasureOptions { at_least: None, interrupt: &|| false, progress: &|_| (), incident };
        let measured = runner.measure(&Candidate::Weights(Weights(vec![1000])), &options, Memo::Disabled).unwrap();
        assert_eq!((measured.solved(), measured.excluded().count()), (4, 0), "{protocol:?}");
        let told = told.into_inner();
        assert_eq!(told.len(), 1, "{protocol:?}: {told:?}");
        assert!(told[0].contains("failure 1") && told[0].ends_with("started again"), "{}", told[0]);
    }
}

#[test]
fn an_engine_that_dies_at_the_start_or_says_nothing_is_no_subject() {
    for protocol in [Protocol::Uci, Protocol::Plug] {
        let error = open(protocol, "dies-at-start", MOST).err().unwrap();
        assert!(matches!(error.fault(), Fault::Died { .. }), "{protocol:?}: {error}");
        assert!(error.to_string().contains("no luck today"), "{protocol:?}: {error}");
    }
    let nowhere = PlugSettings {
        command: "/no/such/engine".parse().unwrap(),
        game: None,
        parameters: Vec::new(),
        spawn_mode: SpawnMode::Direct,
        timeouts: plug::client::PlugTimeouts::default(),
    };
    assert!(matches!(PlugSubject::open(nowhere).unwrap_err().fault(), Fault::NotStarted { .. }));
}

#[test]
fn no_process_is_left_behind() {
    let tag = format!("@left-{}", std::process::id());
    let (measured, _) = measure_hung(Protocol::Plug, &format!("black-hangs{tag}"));
    assert!(measured.is_ok());
    let has_tag = |id: &str| {
        let line = std::fs::read(Path::new("/proc").join(id).join("cmdline")).unwrap_or_default();
        line.windows(tag.len()).any(|part| part == tag.as_bytes())
    };
    let ids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let left: Vec<String> = ids.filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()) && has_tag(id)).collect();
    assert_eq!(left, Vec::<String>::new());
}
