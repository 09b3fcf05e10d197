//! What every driver does alike: one test that runs on all of them. The external engines are our own, connected by
//! pipes by both protocols: this program started again.
#![cfg(unix)]

use std::io::{sink, stdin, stdout};
use std::sync::atomic::{AtomicU32, Ordering};

use plysmith_core::feature::Scheme;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::problem::Suite;
use plysmith_core::suite::text;
use plysmith_engine::driver::{Attempt, BuiltIn, Candidate, Conditions, Driver, Policy, Request, Subject, Weights};
use plysmith_engine::plug::client::{PlugSettings, PlugSubject};
use plysmith_engine::plug::server::{self, Channels};
use plysmith_engine::process::{EngineCommand, Patience, SpawnMode};
use plysmith_engine::uci::client::mapping::Mapping;
use plysmith_engine::uci::client::{UciSettings, UciSubject};
use plysmith_engine::uci::server::options::ServerOptions;
use plysmith_engine::uci::server::serve;
use plysmith_engine::{plug, uci};

/// The engine, if this process is one; otherwise a test of nothing.
#[test]
fn act() {
    let Some(role) = std::env::args().find_map(|word| word.strip_prefix("role=").map(String::from)) else { return };
    let (game, settings) = (chess(), chess().parse_settings("classic,table=1").unwrap());
    println!();
    match role.as_str() {
        "plug" => {
            let channels = Channels { answers: stdout(), diagnostics: sink() };
            server::serve(built_in(), SEED, stdin().lock(), channels).unwrap();
        }
        _ => serve(ServerOptions::new(game, settings, Scheme::neutral(), SEED), stdin().lock(), stdout()).unwrap(),
    }
    std::process::exit(0);
}

const SEED: u64 = 5;
const NODES: u64 = 20_000;

/// Problems of all kinds: one best move, several, moves to avoid, proofs.
const SUITE: &str = r#"
6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm a1a8; id "mate in one"; solve proven;
r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm h5f7; id "scholar"; solve best-move;
r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - bm c4a6; id "not found"; solve best-move;
4k3/8/8/3q4/8/4N3/8/4K3 w - - bm e3d5; am e3d1; id "take"; solve best-move;
4k3/8/8/8/3q1r2/4P3/8/4K3 w - - bm e3d4 e3f4; id "two"; solve best-move;
7k/8/5K2/6Q1/8/8/8/8 w - - am g5g1 g5h4; id "avoid"; solve best-move;
"#;

fn chess() -> &'static GameInfo {
    games::find("chess").unwrap()
}

fn suite() -> Suite {
    text::parse(chess(), "drivers", SUITE).unwrap()
}

fn command(role: &str) -> EngineCommand {
    let program = std::env::current_exe().unwrap();
    format!("'{}' --exact act --nocapture -q role={role}", program.display()).parse().unwrap()
}

/// Two features with weights: checks and recaptures.
fn built_in() -> BuiltIn {
    let rules = ["AcK", "Rc"].map(|name| BuiltIn::tuned_rule(chess(), name).unwrap()).to_vec();
    let settings = chess().parse_settings("classic,table=1").unwrap();
    BuiltIn::new(chess(), settings, Policy::Iteration).with_template(rules).unwrap()
}

fn plugged() -> PlugSubject {
    let (command, timeouts) = (command("plug"), plug::client::PlugTimeouts::default());
    let settings =
        PlugSettings { command, game: None, parameters: Vec::new(), spawn_mode: SpawnMode::Direct, timeouts };
    PlugSubject::open(settings).unwrap()
}

fn spoken_to(policy: Policy) -> UciSubject {
    spoken_to_with(policy, uci::client::UciTimeouts::default())
}

fn spoken_to_with(policy: Policy, timeouts: uci::client::UciTimeouts) -> UciSubject {
    let mapping = "
        [options]
        Hash = 1
        [[weight]]
        name = 'AcK'
        option = 'Weight AcK'
        scale = 1000
        [[weight]]
        name = 'Rc'
        option = 'Weight Rc'
        scale = 1000";
    let settings = UciSettings {
        command: command("uci"),
        game: chess(),
        options: Vec::new(),
        mapping: Mapping::parse("mapping", mapping).unwrap(),
        policy,
        spawn_mode: SpawnMode::Direct,
        timeouts,
    };
    UciSubject::open(settings, &|| false).unwrap()
}

fn weights(check: i64, recapture: i64) -> Candidate {
    Candidate::Weights(Weights(vec![check, recapture]))
}

fn attempts(driver: &mut dyn Driver, candidate: &Candidate, nodes: u64, order: &[usize]) -> Vec<Attempt> {
    let suite = suite();
    let mut attempts = vec![Attempt::default(); suite.problems.len()];
    for &index in order {
        let request = Request { problem: &suite.problems[index], candidate, nodes, seed: SEED };
        let attempt = driver.attempt(&request, &|| false).unwrap().unwrap();
        assert!(!attempt.is_excluded(), "{attempt:?}");
        attempts[index] = attempt;
    }
    attempts
}

/// What the suite runner relies on.
fn conforms(name: &str, subject: &dyn Subject) -> Vec<Attempt> {
    let problems = suite().problems;
    problems.iter().for_each(|problem| subject.check(problem).unwrap());
    let forwards: Vec<usize> = (0..problems.len()).collect();
    let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
    let mut driver = subject.driver().unwrap();
    let plain = attempts(driver.as_mut(), &weights(1000, 1000), NODES, &forwards);
    // Solved within the limit, or the limit's worth of nodes.
    for (problem, attempt) in problems.iter().zip(&plain) {
        let fits = if attempt.solved { attempt.nodes <= NODES } else { attempt.nodes == NODES };
        assert!(fits, "{name} {}: {attempt:?}", problem.id);
    }
    let solved = |id: &str| plain[problems.iter().position(|problem| problem.id == id).unwrap()].solved;
    for (id, expected) in [("mate in one", true), ("not found", false), ("take", true), ("two", true), ("avoid", true)]
    {
        assert_eq!(solved(id), expected, "{name} {id}");
    }
    // No search knows of those before it: another order, another candidate in between, another process.
    let deeper = attempts(driver.as_mut(), &weights(250, 500), NODES, &backwards);
    assert_ne!(deeper, plain, "{name}: weights make no difference");
    assert_eq!(attempts(driver.as_mut(), &weights(1000, 1000), NODES, &backwards), plain, "{name}");
    let mut other = subject.driver().unwrap();
    assert_eq!(attempts(other.as_mut(), &weights(250, 500), NODES, &forwards), deeper, "{name}");
    // A higher limit finds what a lower one does, at the same node.
    for (index, found) in plain.iter().enumerate().filter(|(_, attempt)| attempt.solved) {
        let solved_at = |driver: &mut dyn Driver, nodes| {
            let attempt = attempts(driver, &weights(1000, 1000), nodes, &[index]).swap_remove(index);
            attempt.solved.then_some(attempt.nodes)
        };
        assert_eq!(solved_at(driver.as_mut(), NODES + 5000), Some(found.nodes), "{name} {index}");
        // At that very node the end of an iteration may not have shown yet.
        let exactly = solved_at(driver.as_mut(), found.nodes);
        assert!(exactly.is_none_or(|nodes| nodes == found.nodes), "{name} {index}: {exactly:?}");
        assert!(exactly.is_some() || name == "uci iteration", "{name} {index}");
        // A win that is seen before its iteration is over is proved by a limit that comes then.
        let below = solved_at(driver.as_mut(), found.nodes - 1);
        assert!(below.is_none_or(|nodes| nodes < found.nodes), "{name} {index}: {below:?}");
    }
    // An interrupt leaves nothing, and the driver as good as new.
    let candidate = weights(1000, 1000);
    let request = Request { problem: &problems[2], candidate: &candidate, nodes: u64::MAX, seed: SEED };
    let polls = AtomicU32::new(0);
    let interrupt = || polls.fetch_add(1, Ordering::Relaxed) >= 10;
    assert_eq!(driver.attempt(&request, &interrupt), Ok(None), "{name}");
    assert_eq!(attempts(driver.as_mut(), &weights(1000, 1000), NODES, &forwards), plain, "{name}");
    // What is no candidate is refused, in the driver and in the job.
    let conditions = Conditions { suite: "s".to_string(), nodes: NODES, seed: SEED };
    for wrong in [weights(5000, 1000), Candidate::Weights(Weights(vec![1000]))] {
        let request = Request { candidate: &wrong, ..request };
        assert!(driver.attempt(&request, &|| false).is_err(), "{name}");
        assert!(subject.job(&wrong, &conditions).is_err(), "{name}");
    }
    assert_ne!(subject.job(&weights(1000, 1000), &conditions), subject.job(&weights(999, 1000), &conditions));
    plain
}

#[test]
fn all_drivers_keep_their_promises() {
    let one = conforms("built-in", &built_in());
    let other = conforms("plug", &plugged());
    assert_eq!(one, other, "the plug protocol loses nothing");
    for policy in [Policy::First, Policy::Iteration] {
        conforms(&format!("uci {policy}"), &spoken_to(policy));
    }
}

#[test]
fn jobs_name_the_engine_and_everything_else_it_depends_on() {
    let conditions = Conditions { suite: "s".to_string(), nodes: NODES, seed: SEED };
    let candidate = weights(1000, 500);
    let job = |subject: &dyn Subject| subject.job(&candidate, &conditions).unwrap();
    let jobs = [job(&built_in()), job(&plugged()), job(&spoken_to(Policy::First)), job(&spoken_to(Policy::Stable))];
    for (index, one) in jobs.iter().enumerate() {
        assert!(jobs[..index].iter().all(|other| other.key() != one.key()), "{one:?}");
    }
    let engine = jobs[2].engine.as_ref().unwrap();
    assert!(engine.command.contains("role=uci") && engine.name.starts_with("Plysmith "), "{engine:?}");
    assert_eq!(engine.content.len(), 32);
    for part in ["uci first", "Hash=1", "Ponder=false", "Threads=1", "AcK drives Weight AcK by 0 + 1000 w"] {
        assert!(jobs[2].settings.contains(part), "no {part} in {}", jobs[2].settings);
    }
    // Another patience may exclude other problems.
    assert!(jobs.iter().all(|job| !job.settings.contains("patience")));
    let timeouts = uci::client::UciTimeouts::with_patience(Patience(std::time::Duration::from_secs(7)));
    let hasty = job(&spoken_to_with(Policy::First, timeouts));
    assert!(hasty.settings.ends_with("; patience 7s") && hasty.key() != jobs[2].key(), "{hasty:?}");
    assert_eq!(jobs[2].scheme, "weights 1 0.5");
    assert_eq!(jobs[0].engine, None);
}

#[test]
fn schemes_go_through_the_plug_and_make_the_same_searches() {
    let (plug, own) = (plugged(), built_in());
    assert_eq!(plug.vocabulary().moves.len(), chess().vocabulary.moves.len());
    assert_eq!(plug.game().map(|game| game.name), Some("chess"));
    for text in ["Neutral", "AcK@0.5", "Rc@0.25,AcK-PcQ@0.75", "AcK|(PcP-RdTt)@0.5"] {
        let order = [0, 1, 2, 3, 4, 5];
        let scheme = |vocabulary: plysmith_core::feature::Vocabulary| {
            Candidate::Scheme(vocabulary.parse_scheme(text, plysmith_core::depth::Weight::HALF).unwrap())
        };
        let one = attempts(own.driver().unwrap().as_mut(), &scheme(chess().vocabulary), 5000, &order);
        let other = attempts(plug.driver().unwrap().as_mut(), &scheme(plug.vocabulary()), 5000, &order);
        assert_eq!(one, other, "{text}");
    }
}
