//! Games as PGN, with the score, depth and nodes of each move.
//!
//! Chess is written as the standard has it, so that every program reads it: the seven tags, moves in SAN, and behind each
//! move its score in pawns, the depth of the deepest finished iteration and the nodes: `{+0.35/12 50000n}`, or
//! `{+M4/9 …}` for a forced win in four moves. Other games have no standard; theirs have a `Variant`, always their
//! position, and scores in the game's own units: `{+12/6 50000}`, or `{win in 7/6 12345}`. In games that cannot be
//! repeated, the time follows: `{+0.35/12 50000n 31ms}`.

use std::io::Write;

use plysmith_core::games::{self, chess};
use plysmith_core::pgn::{self, Layout, Record, Recorded};
use plysmith_core::score::Score;
use plysmith_engine::arena::game::{GameEnd, Ply};
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::player::{Participant, display_name};
use plysmith_store::{Run, Store};

use crate::consistency::check_counts;
use crate::error::RunError;
use crate::events::{GAME, WholeGame, resolved_events};
use crate::tally::Searched;
use crate::time::utc;

/// How games without a standard are laid out.
const OWN: Layout = Layout { width: 100, roster: false };

/// Writes all games of a run, one after the other.
pub fn write(store: &Store, run: &Run, mut out: impl Write) -> Result<(), RunError> {
    check_counts(run)?;
    let mut is_empty = true;
    for event in resolved_events(store, run) {
        let event = event?;
        if event.kind == GAME {
            let game = print_game(run, &event.decode()?)?;
            out.write_all(game.as_bytes()).map_err(|error| RunError::failed(format!("cannot write games: {error}")))?;
            is_empty = false;
        }
    }
    match is_empty {
        true => Err(RunError::input(format!("run {} has no games; PGN is for matches and tournaments", run.id))),
        false => Ok(()),
    }
}

fn print_game(run: &Run, game: &WholeGame) -> Result<String, RunError> {
    let WholeGame { job, record, .. } = game;
    let info = games::find(&job.game)?;
    let is_chess = job.game == chess::INFO.name;
    let (tags, layout) = if is_chess { (chess_tags(run, game), Layout::STANDARD) } else { (tags(run, game), OWN) };
    let comment = if is_chess { in_pawns } else { in_units };
    let moves = record.plies.iter().map(|ply| Recorded { m: ply.m.clone(), comment: comment(ply) });
    let record = Record {
        tags: tags.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
        start: job.position.clone(),
        moves: moves.collect(),
        result: record.result.pgn().to_string(),
    };
    pgn::print(info, &record, layout).map_err(RunError::input)
}

/// The standard's tags; the writer adds the position where it is not the usual one.
fn chess_tags(run: &Run, game: &WholeGame) -> Vec<(&'static str, String)> {
    let date = utc(run.created_at).split(' ').next().unwrap_or_default().replace('-', ".");
    let mut tags: Vec<_> =
        tags(run, game).into_iter().filter(|(name, _)| !["Variant", "SetUp", "FEN"].contains(name)).collect();
    tags.push(("Date", date));
    tags
}

fn tags(run: &Run, game: &WholeGame) -> Vec<(&'static str, String)> {
    let WholeGame { pairing, number, job, record } = game;
    let termination = match record.end {
        GameEnd::Rules => "normal",
        GameEnd::Proved => "adjudication: a search proved the win",
        GameEnd::Length => "adjudication: too long",
        GameEnd::Resign => "adjudication: the scores were decisive",
        GameEnd::Draw => "adjudication: the scores were level",
        GameEnd::Time => "time forfeit",
        GameEnd::Illegal => "rules infraction",
        GameEnd::Crash => "abandoned: the engine died",
        GameEnd::Stall => "abandoned: the engine went silent",
    };
    let pace = match (&job.time, job.depth) {
        (Some(time), _) => time.clone(),
        (None, Some(depth)) => MoveLimit::Depth(depth).to_string(),
        (None, None) => MoveLimit::Nodes(job.nodes).to_string(),
    };
    let mut tags = vec![
        ("Event", format!("plysmith run {}", run.id)),
        ("Round", format!("{}.{}.{}", pairing + 1, number / 2 + 1, number % 2 + 1)),
        ("White", display_name(&job.white).to_string()),
        ("Black", display_name(&job.black).to_string()),
        ("Result", record.result.pgn().to_string()),
        ("Variant", job.game.clone()),
        ("SetUp", "1".to_string()),
        ("FEN", job.position.clone()),
        ("TimeControl", pace),
        ("PlyCount", record.plies.len().to_string()),
        ("Termination", termination.to_string()),
    ];
    for (tag, player) in [("WhiteTimeControl", &job.white), ("BlackTimeControl", &job.black)] {
        let own = games::find(&job.game).ok().and_then(|game| Participant::parse_stored(game, player).ok()?.limit);
        tags.extend(own.map(|limit| (tag, limit.to_string())));
    }
    // Runs of the first event format are exported as they were.
    if run.format > 1 {
        let [white, black] = Searched::in_game(job, record).map(|searched| match searched.mean() {
            Some(mean) => format!("{mean:.0}"),
            None => "not reported".to_string(),
        });
        tags.push(("WhiteNodesPerMove", white));
        tags.push(("BlackNodesPerMove", black));
    }
    if let Some(reason) = record.reason.as_deref().and_then(|reason| reason.lines().next()) {
        tags.push(("TerminationDetails", reason.to_string()));
    }
    tags
}

fn time(ply: &Ply) -> String {
    ply.time.map_or(String::new(), |time| format!(" {time}ms"))
}

fn in_units(ply: &Ply) -> String {
    format!("{}/{} {}{}", Score::from_units(ply.score), ply.depth, ply.nodes, time(ply))
}

fn in_pawns(ply: &Ply) -> String {
    let score = Score::from_units(ply.score);
    let score = match (score.win_in(), (-score).win_in()) {
        (Some(plies), _) => format!("+M{}", plies.div_ceil(2)),
        (_, Some(plies)) => format!("-M{}", plies.div_ceil(2)),
        _ => format!("{:+.2}", f64::from(score.units()) / 100.0),
    };
    format!("{score}/{} {}n{}", ply.depth, ply.nodes, time(ply))
}
