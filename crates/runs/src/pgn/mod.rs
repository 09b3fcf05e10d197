//! Games as PGN, with the score and depth of each move.
//!
//! Chess is written as the standard has it, so that every program reads it: the seven tags, moves in SAN, and behind each
//! move a comment in one of the forms of `comments`. Games of Chess960 have the `Variant` `Chess960`. Other games have no
//! standard; theirs have a `Variant`, always their position, and scores in the game's own units: `{+12/6 50000}`, or
//! `{win in 7/6 12345}`, and in games that cannot be repeated the time: `{+12/6 50000 31ms}`.

mod comments;

use std::io::Write;

use plysmith_core::games::chess::chess960::is_chess960;
use plysmith_core::games::{self, chess};
use plysmith_core::pgn::{self, Layout, Record, Recorded};
use plysmith_core::score::Score;
use plysmith_engine::arena::game::{GameEnd, GameJob, GameRecord, Ply};
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::player::{Participant, display_name};
use plysmith_store::{Run, Store};

use crate::consistency::check_counts;
use crate::error::RunError;
use crate::events::{GAME, WholeGame, resolved_events};
use crate::tally::Searched;
use crate::time::utc;
use comments::Commentator;
pub use comments::{CommentForm, Detail, PgnStyle};

/// How games without a standard are laid out.
const OWN: Layout = Layout { width: 100, roster: false };

/// A game of a run.
#[derive(Copy, Clone, Debug)]
pub struct GameText<'a> {
    /// Which pairing of the run it belongs to.
    pub pairing: usize,
    /// Its number in the pairing.
    pub number: u64,
    /// What was played.
    pub job: &'a GameJob,
    /// How it went.
    pub record: &'a GameRecord,
}

/// Writes all games of a run, one after the other. Fails if something is wanted that no game has.
pub fn write(store: &Store, run: &Run, style: &PgnStyle, mut out: impl Write) -> Result<(), RunError> {
    check_counts(run)?;
    let mut is_empty = true;
    for event in resolved_events(store, run) {
        let event = event?;
        if event.kind == GAME {
            let WholeGame { pairing, number, job, record } = event.decode()?;
            let has_none = |detail: &&Detail| detail.is_recorded() && !job.details;
            if let Some(detail) = style.with.iter().find(has_none) {
                let (id, name) = (run.id, detail.as_str());
                return Err(RunError::input(format!(
                    "run {id} did not record '{name}'; a match records it with --pgn-with {name}"
                )));
            }
            let game = print_game(run, &GameText { pairing, number, job: &job, record: &record }, style)?;
            out.write_all(game.as_bytes()).map_err(|error| RunError::failed(format!("cannot write games: {error}")))?;
            is_empty = false;
        }
    }
    match is_empty {
        true => Err(RunError::input(format!("run {} has no games; PGN is for matches and tournaments", run.id))),
        false => Ok(()),
    }
}

/// A game as text.
pub fn print_game(run: &Run, game: &GameText<'_>, style: &PgnStyle) -> Result<String, RunError> {
    let GameText { job, record, .. } = game;
    let info = games::find(&job.game)?;
    let is_chess = job.game == chess::INFO.name;
    let (tags, layout) = if is_chess { (chess_tags(run, game), Layout::STANDARD) } else { (tags(run, game), OWN) };
    let mut commentator = Commentator::new(style, job);
    let mut comment = |ply: &Ply| if is_chess { commentator.comment(ply) } else { in_units(ply, style) };
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
fn chess_tags(run: &Run, game: &GameText<'_>) -> Vec<(&'static str, String)> {
    let date = utc(run.created_at).split(' ').next().unwrap_or_default().replace('-', ".");
    let mut tags: Vec<_> =
        tags(run, game).into_iter().filter(|(name, _)| !["Variant", "SetUp", "FEN"].contains(name)).collect();
    tags.push(("Date", date));
    if is_chess960(&game.job.position) {
        tags.push(("Variant", "Chess960".to_string()));
    }
    tags
}

fn tags(run: &Run, game: &GameText<'_>) -> Vec<(&'static str, String)> {
    let GameText { pairing, number, job, record } = game;
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

fn in_units(ply: &Ply, style: &PgnStyle) -> String {
    if style.comments == CommentForm::None {
        return String::new();
    }
    let time = ply.time.map_or(String::new(), |time| format!(" {time}ms"));
    let comment = format!("{}/{} {}{time}", Score::from_units(ply.score), ply.depth, ply.nodes);
    [comment].into_iter().chain(comments::details(ply, style)).collect::<Vec<_>>().join(", ")
}
