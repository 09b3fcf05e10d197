//! `plysmith check-engine`: tests how a UCI engine implements the protocol.

use std::path::PathBuf;

use clap::Args;
use plysmith_core::games::{self, GameInfo, chess};
use plysmith_engine::process::SpawnMode;
use plysmith_engine::uci::client::engine_check::{EngineCheck, EngineCheckReport};
use plysmith_engine::uci::client::legality::IllegalAnswer;
use plysmith_engine::uci::client::mapping::skeleton::skeleton;
use plysmith_engine::uci::client::options::{EngineOption, OptionKind};
use plysmith_engine::uci::client::{NodeLimits, UciTimeouts};
use plysmith_runs::external_engine::patience_of;
use plysmith_runs::files::{check_target, write_file};

use crate::arguments::{ForceArgument, PatienceArgument};
use crate::failure::Failure;
use crate::output::{Output, percent, say, table, thousands};
use crate::signals;

/// Test how a UCI engine implements the protocol
#[derive(Debug, Args)]
#[command(
    override_usage = "plysmith check-engine [OPTIONS] [GAME] <COMMAND>",
    after_help = "\
The command is split at blanks outside quotes and is not passed to a shell. The exit code is 3 if the engine cannot be \
used: if it dies, falls silent, or answers an illegal move in one of some dozens of positions. An engine that ignores node \
limits can be used.

Examples:
  plysmith check-engine 'gnuchess --uci'
  plysmith check-engine glaurung --option 'Check Extension (PV nodes)=0' --json
  plysmith check-engine breakthrough 'plysmith engine breakthrough'
  plysmith check-engine glaurung --mapping glaurung.toml      also write a mapping for `plysmith tune` to begin with"
)]
pub struct Arguments {
    /// Game whose positions are searched [default: chess], then the engine's command, like 'gnuchess --uci'
    #[arg(required = true, value_name = "GAME|COMMAND", num_args = 1..=2)]
    game_and_command: Vec<String>,

    /// Set an option first. Can be given more than once
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,

    /// Old way to name the game
    #[arg(long, hide = true)]
    game: Option<String>,

    /// Also list the engine's options
    #[arg(long)]
    list_options: bool,

    /// Write a mapping with all options that can be tuned to this file, for `plysmith tune --mapping`
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgument,

    #[command(flatten)]
    patience: PatienceArgument,
}

/// Stalemate: the side to move has no move, and the game is over.
const CHESS_OVER: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    signals::cancel_token();
    let (game, command) = arguments.game_and_command()?;
    let command = command.parse()?;
    if let Some(path) = &arguments.mapping {
        check_target(path, arguments.force.force)?;
    }
    let check = EngineCheck {
        command: &command,
        game,
        options: &arguments.options,
        over: (game.name == chess::INFO.name).then_some(CHESS_OVER),
        spawn_mode: SpawnMode::Guarded,
        timeouts: UciTimeouts {
            margin: std::time::Duration::from_secs(2),
            ..UciTimeouts::with_patience(patience_of(arguments.patience.patience))
        },
    };
    let report = check.run(&signals::is_cancelled);
    if signals::is_cancelled() {
        return Err(Failure::Interrupted(None));
    }
    output.print(&report, || text(&report, arguments.list_options))?;
    arguments.write_mapping(&report)?;
    if let Some(IllegalAnswer { position, answer }) = report.illegal() {
        let message = format!("'{command}' answers illegal moves: '{answer}' in {position}");
        return Err(Failure::CheckFailed(message));
    }
    if report.is_unusable() {
        return Err(Failure::CheckFailed(format!("'{command}' cannot be used as a UCI engine; see the report")));
    }
    Ok(())
}

impl Arguments {
    /// Writes the mapping, if one was asked for and the engine told its options.
    fn write_mapping(&self, report: &EngineCheckReport) -> Result<(), Failure> {
        let (Some(path), Some(identity)) = (&self.mapping, &report.identity) else { return Ok(()) };
        let file = path.display().to_string();
        write_file(path, &skeleton(&identity.name, &report.command, &file, &report.options), self.force.force)?;
        say(format!("wrote {file}"));
        Ok(())
    }

    /// The game comes first if there are two words.
    fn game_and_command(&self) -> Result<(&'static GameInfo, &str), Failure> {
        match (&self.game, self.game_and_command.as_slice()) {
            (None, [game, command]) => Ok((games::find(game)?, command)),
            (None, [command]) => Ok((&chess::INFO, command)),
            (Some(game), [command]) => Ok((games::find(game)?, command)),
            _ => Err(Failure::input("expected one game and one command, like 'check-engine chess glaurung'")),
        }
    }
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, like 'Hash=16'")?;
    Ok((name.trim().to_string(), value.trim().to_string()))
}

fn text(report: &EngineCheckReport, list_options: bool) -> String {
    let name = report.identity.as_ref().map_or("an engine without a name", |identity| identity.name.as_str());
    let mut text = format!("{name} ('{}'):\n\n", report.command);
    text += &table(&["test", "result", "note"], rows(report));
    if list_options {
        text += &format!("\n{}", table(&["option", "values", "default"], report.options.iter().map(option_row)));
    }
    if let Some(fault) = &report.fault {
        text += &format!("\nThe test ended early: {fault}\n");
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
    row("options", options, "values are limited to the ranges that it reports");
    let comparable = (!report.comparable_options.is_empty()).then(|| report.comparable_options.join(", "));
    row("set for comparison", comparable, "unless --option sets them");
    if let Some(legality) = &report.legality {
        let (count, note) = match (&legality.illegal[..], &legality.illegal_in_lines[..]) {
            ([first, ..], _) => (legality.illegal.len(), format!("'{}' in {}", first.answer, first.position)),
            ([], [first, ..]) => (0, format!("'{}' in {} is only in a line", first.answer, first.position)),
            ([], []) => (0, "bestmove and pv".to_string()),
        };
        let found = if count == 0 { "yes".to_string() } else { format!("no: {count} illegal") };
        row("legal moves", Some(format!("{found}, {} searches", legality.searches)), &note);
    }
    let nodes = report.node_limits.as_ref();
    row(
        "go nodes",
        nodes.map(|nodes| {
            let verdict = match nodes.verdict {
                NodeLimits::Honoured => format!("respected, {} over", percent(nodes.overshoot)),
                NodeLimits::Ignored => "ignored".to_string(),
                NodeLimits::TooEarly => "stops long before".to_string(),
                NodeLimits::Unknown => "unknown".to_string(),
            };
            format!("{verdict} ({} of {})", thousands(nodes.reported), thousands(nodes.asked))
        }),
        if nodes.is_some_and(|nodes| nodes.verdict.needs_stop()) {
            "uses 'go infinite' and 'stop' instead"
        } else {
            ""
        },
    );
    row("go depth", report.depth_limits.as_ref().map(|depth| format!("{} of {}", depth.reported, depth.asked)), "");
    if let Some(same) = &report.determinism {
        row("same search twice", Some(yes(same.repeated)), "same nodes and move after 'ucinewgame'");
        row(
            "in another order",
            Some(yes(same.reordered)),
            if same.reordered { "" } else { "'ucinewgame' does not reset everything" },
        );
        row("after a short search", Some(yes(same.with_prelude)), "a short search on another position in between");
        row("in a new process", Some(yes(same.restarted)), "");
    }
    row("go movetime 200", report.move_time_200_ms.map(|time| format!("{time:.0} ms")), "");
    row("speed", report.nodes_per_second.map(|speed| format!("{} nodes/s", thousands(speed as u64))), "");
    row("stop to bestmove", report.stop_ms.map(|time| format!("{time:.1} ms")), "");
    let ready = report.ready_while_searching;
    row("isready, searching", ready.map(yes), if ready == Some(false) { "not sent during a search" } else { "" });
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
