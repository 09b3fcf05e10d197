//! `plysmith check-engine`: walks a UCI engine through the protocol and reports what it honours.

use clap::Args;
use plysmith_core::games;
use plysmith_engine::process::SpawnMode;
use plysmith_engine::uci::client::engine_check::{EngineCheck, EngineCheckReport};
use plysmith_engine::uci::client::options::{EngineOption, OptionKind};
use plysmith_engine::uci::client::{NodeLimits, UciTimeouts};

use crate::failure::Failure;
use crate::output::{Output, percent, table, thousands};
use crate::signals;

/// Walk a UCI engine through the protocol and report what it honours
#[derive(Debug, Args)]
#[command(after_help = "\
An engine is a command line; quotes keep blanks together, and no shell is involved.
The exit code is 0 unless the engine cannot be used; an engine that ignores node limits can.

Examples:
  plysmith check-engine 'gnuchess --uci'
  plysmith check-engine glaurung --option 'Check Extension (PV nodes)=0' --json")]
pub struct Arguments {
    /// The engine with its arguments, like 'gnuchess --uci'
    #[arg(value_name = "COMMAND")]
    engine: String,

    /// Set an option first, as NAME=VALUE; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,

    /// The game whose positions are searched
    #[arg(long, default_value = "chess")]
    game: String,

    /// Also list its options
    #[arg(long)]
    list_options: bool,
}

/// Stalemate: the side to move has no move, and the game is over.
const CHESS_OVER: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    signals::cancel_token();
    let game = games::find(&arguments.game)?;
    let command = arguments.engine.parse()?;
    let mut options = arguments.options.clone();
    if game.name != "chess" && !options.iter().any(|(name, _)| name == "UCI_Variant") {
        options.insert(0, ("UCI_Variant".to_string(), game.name.to_string()));
    }
    let walk = EngineCheck {
        command: &command,
        options: &options,
        positions: game.bench,
        over: (game.name == "chess").then_some(CHESS_OVER),
        spawn_mode: SpawnMode::Guarded,
        timeouts: UciTimeouts { margin: std::time::Duration::from_secs(2), ..UciTimeouts::default() },
    };
    let report = walk.walk(&signals::is_cancelled);
    if signals::is_cancelled() {
        return Err(Failure::Interrupted(None));
    }
    output.print(&report, || text(&report, arguments.list_options))?;
    if report.is_unusable() {
        return Err(Failure::CheckFailed(format!("'{command}' cannot be used as a UCI engine; the report says why")));
    }
    Ok(())
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, like 'Hash=16'")?;
    Ok((name.trim().to_string(), value.trim().to_string()))
}

fn text(report: &EngineCheckReport, list_options: bool) -> String {
    let name = report.identity.as_ref().map_or("an engine without a name", |identity| identity.name.as_str());
    let mut text = format!("{name} ('{}'):\n\n", report.command);
    text += &table(&["what", "found", "so"], rows(report));
    if list_options {
        text += &format!("\n{}", table(&["option", "values", "default"], report.options.iter().map(option_row)));
    }
    if let Some(fault) = &report.fault {
        text += &format!("\nThe walk ended early: {fault}\n");
    }
    text
}

fn rows(report: &EngineCheckReport) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = |what: &str, found: Option<String>, so: &str| {
        if let Some(found) = found {
            rows.push(vec![what.to_string(), found, so.to_string()]);
        }
    };
    let yes = |yes: bool| if yes { "yes".to_string() } else { "no".to_string() };
    row("handshake", report.handshake_ms.map(|time| format!("{time:.0} ms")), "");
    row("isready, idle", report.ready_us.map(|time| format!("{time:.0} µs")), "");
    let options = report.handshake_ms.map(|_| report.options.len().to_string());
    row("options", options, "values are fitted to what it says it takes");
    let calmed = (!report.calmed.is_empty()).then(|| report.calmed.join(", "));
    row("set for comparison", calmed, "unless told otherwise");
    let nodes = report.node_limits.as_ref();
    row(
        "go nodes",
        nodes.map(|nodes| {
            let verdict = match nodes.verdict {
                NodeLimits::Honoured => format!("honoured, {} over", percent(nodes.overshoot)),
                NodeLimits::Ignored => "ignored".to_string(),
                NodeLimits::TooEarly => "ends long before".to_string(),
                NodeLimits::Unknown => "unknown".to_string(),
            };
            format!("{verdict} ({} of {})", thousands(nodes.reported), thousands(nodes.asked))
        }),
        if nodes.is_some_and(|nodes| nodes.verdict.needs_stop()) { "driven by 'go infinite' and 'stop'" } else { "" },
    );
    row("go depth", report.depth_limits.as_ref().map(|depth| format!("{} of {}", depth.reported, depth.asked)), "");
    if let Some(same) = &report.determinism {
        row("same search twice", Some(yes(same.repeated)), "same nodes and move after 'ucinewgame'");
        row(
            "in another order",
            Some(yes(same.reordered)),
            if same.reordered { "" } else { "'ucinewgame' leaves traces" },
        );
        row("with a prelude", Some(yes(same.with_prelude)), "a tiny search on another position in between");
        row("in a new process", Some(yes(same.restarted)), "");
    }
    row("go movetime 200", report.move_time_200_ms.map(|time| format!("{time:.0} ms")), "");
    row("speed", report.nodes_per_second.map(|speed| format!("{} nodes/s", thousands(speed as u64))), "");
    row("stop to bestmove", report.stop_ms.map(|time| format!("{time:.1} ms")), "");
    let ready = report.ready_while_searching;
    row("isready, searching", ready.map(yes), if ready == Some(false) { "never asked then" } else { "" });
    row("no legal move", report.without_moves.clone(), "");
    rows
}

fn option_row(option: &EngineOption) -> Vec<String> {
    let default = match &option.kind {
        OptionKind::Check { default } => default.to_string(),
        OptionKind::Spin { default, .. } => default.to_string(),
        OptionKind::Combo { default, .. } | OptionKind::String { default } => default.clone(),
        OptionKind::Button => String::new(),
    };
    vec![option.name.clone(), option.to_string(), default]
}
