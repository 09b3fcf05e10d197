//! Games as text in the manner of PGN, with what each player thought of its moves.
//!
//! Tags, then the moves as coordinates; behind each, in braces, its score for the player, the depth of the
//! deepest finished iteration and the nodes: `{+12/6 50000}`, or `{win in 7/6 12345}`; in timed games the time as well:
//! `{+12/6 50000 31ms}`.

use std::fmt::Write;

use plysmith_core::games;
use plysmith_core::search::score::Score;
use plysmith_engine::arena::game::{GameEnd, Ply};
use plysmith_store::{Event, Run};

use super::contest::{GAME, GameEvent};
use crate::failure::Failure;

/// Lines are broken before this column.
const WIDTH: usize = 100;

/// All games of a run.
pub fn print(run: &Run, events: &[Event]) -> Result<String, Failure> {
    let games = events.iter().filter(|event| event.kind == GAME);
    let games = games.map(Event::decode).collect::<Result<Vec<GameEvent>, _>>()?;
    if games.is_empty() {
        return Err(Failure::input(format!("run {} has no games; PGN is for matches and tournaments", run.id)));
    }
    let mut text = String::new();
    for game in &games {
        text += &print_game(run, game)?;
    }
    Ok(text)
}

fn print_game(run: &Run, event: &GameEvent) -> Result<String, Failure> {
    let GameEvent { contest, number, job, record } = event;
    let termination = match record.end {
        GameEnd::Rules => "normal",
        GameEnd::Proved => "adjudication: a search proved the win",
        GameEnd::Length => "adjudication: too long",
        GameEnd::Time => "time forfeit",
        GameEnd::Illegal => "rules infraction",
        GameEnd::Crash => "abandoned: the engine died",
        GameEnd::Stall => "abandoned: the engine went silent",
    };
    let pace = job.time.clone().unwrap_or_else(|| format!("{} nodes a move", job.nodes));
    let mut tags = vec![
        ("Event", format!("plysmith run {}", run.id)),
        ("Round", format!("{}.{}.{}", contest + 1, number / 2 + 1, number % 2 + 1)),
        ("White", job.white.clone()),
        ("Black", job.black.clone()),
        ("Result", record.winner.to_string()),
        ("Variant", job.game.clone()),
        ("SetUp", "1".to_string()),
        ("FEN", job.position.clone()),
        ("TimeControl", pace),
        ("PlyCount", record.plies.len().to_string()),
        ("Termination", termination.to_string()),
    ];
    if let Some(reason) = record.reason.as_deref().and_then(|reason| reason.lines().next()) {
        tags.push(("TerminationDetails", reason.to_string()));
    }
    let mut text = String::new();
    for (name, value) in tags {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
    }
    let position = (games::find(&job.game)?.open)(&job.position).map_err(Failure::input)?;
    let words = print_moves(&record.plies, position.white_to_move());
    Ok(format!("{text}\n{}\n\n", wrap(words.into_iter().chain([record.winner.to_string()]))))
}

fn print_moves(plies: &[Ply], white_first: bool) -> Vec<String> {
    let mut words = Vec::new();
    for (index, ply) in plies.iter().enumerate() {
        let half_moves = index + usize::from(!white_first);
        if half_moves.is_multiple_of(2) {
            words.push(format!("{}.", half_moves / 2 + 1));
        } else if index == 0 {
            words.push(format!("{}...", half_moves / 2 + 1));
        }
        words.push(ply.m.clone());
        let time = ply.time.map_or(String::new(), |time| format!(" {time}ms"));
        words.push(format!("{{{}/{} {}{time}}}", Score::from_units(ply.score), ply.depth, ply.nodes));
    }
    words
}

fn wrap(words: impl Iterator<Item = String>) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words {
        if column > 0 && column + 1 + word.len() > WIDTH {
            text += "\n";
            column = 0;
        } else if column > 0 {
            text += " ";
            column += 1;
        }
        column += word.len();
        text += &word;
    }
    text
}
