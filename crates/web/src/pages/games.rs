//! The games of a run: a list of them, and a viewer with an evaluation graph.
//!
//! A game is named by the number of its event, so that any game of a long run is read at once.

use maud::{Markup, html};
use plysmith_core::games::{self, GameInfo};
use plysmith_core::printable::printable;
use plysmith_core::score::Score;
use plysmith_engine::arena::game::GameEnd;
use plysmith_runs::chart::{Figure, Line, Lines};
use plysmith_runs::events::{GAME, WholeGame, resolve};
use plysmith_runs::view::thousands;
use plysmith_store::{Event, Run};

use crate::charts;
use crate::charts::board::Board;
use crate::error::WebError;
use crate::layout::Page;
use crate::pages::SCRIPTS;
use crate::reply::Reply;
use crate::request::{Request, encode};
use crate::shared::Shared;

/// Games in a page of the list.
const PER_PAGE: usize = 100;
/// Games that the page of a run shows.
const FIRST: usize = 10;
/// Scores beyond this are drawn as this.
const MOST_SCORE: i32 = 1_500;
/// No score of ours is as large; those of other programs may be anything.
const FARTHEST: i32 = 40_000;

/// A game and the number of its event.
struct Listed {
    event: u64,
    game: WholeGame,
}

/// A move of a game, and the position after it.
struct Step {
    number: String,
    notation: String,
    position: String,
    /// From White's point of view.
    score: i32,
    is_white: bool,
}

/// The list, a page at a time.
pub fn list(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let run = shared.run_of(request)?;
    let from = match request.query.get("from") {
        Some(text) => text.parse().map_err(|_| WebError::bad_request("'from' is the number of an event"))?,
        None => 0,
    };
    let (games, next) = read(shared, &run, from, PER_PAGE)?;
    let content = html! {
        h1 { "Games of run " a href=(format!("/runs/{}", run.id)) { (run.id) } }
        (table(&run, &games))
        nav.row aria-label="Games" {
            @if from > 0 { a.button href=(format!("/runs/{}/games", run.id)) { "First games" } }
            @if let Some(next) = next { a.button href=(format!("/runs/{}/games?from={next}", run.id)) { "More games" } }
        }
    };
    Ok(Page::new(format!("Games of run {}", run.id), content).reply())
}

/// The first games of a run, and where the others are.
pub fn first(shared: &Shared, run: &Run) -> Result<Markup, WebError> {
    let (games, next) = read(shared, run, 0, FIRST)?;
    Ok(html! {
        (table(run, &games))
        @if next.is_some() { p { a href=(format!("/runs/{}/games", run.id)) { "All games" } } }
    })
}

/// Games from this event on, and the number of the event after them, if there are more.
fn read(shared: &Shared, run: &Run, from: u64, most: usize) -> Result<(Vec<Listed>, Option<u64>), WebError> {
    let mut games: Vec<Listed> = Vec::new();
    for event in shared.store.stream_events(run.id, from).of_kind(GAME) {
        let event = event?;
        if games.len() == most {
            return Ok((games, Some(event.seq)));
        }
        games.push(Listed { event: event.seq, game: whole(shared, run, event)? });
    }
    Ok((games, None))
}

/// The game of an event.
fn whole(shared: &Shared, run: &Run, event: Event) -> Result<WholeGame, WebError> {
    Ok(resolve(&shared.store, run, event)?.decode()?)
}

fn table(run: &Run, games: &[Listed]) -> Markup {
    html! {
        @if games.is_empty() { p.quiet { "No games so far." } }
        @else {
            div.scroll {
                table.sortable {
                    thead { tr {
                        th.number scope="col" { "game" } th scope="col" { "White" } th scope="col" { "Black" }
                        th scope="col" { "result" } th scope="col" { "ended" } th.number scope="col" { "plies" }
                    } }
                    tbody {
                        @for Listed { event, game } in games {
                            tr {
                                td.number { a href=(format!("/runs/{}/games/{event}", run.id)) { (game.number + 1) } }
                                td { (printable(&game.job.white)) } td { (printable(&game.job.black)) }
                                td { (result(game)) } td { (ending(game)) } td.number { (game.record.plies.len()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn result(game: &WholeGame) -> &'static str {
    match game.record.result.half_points() {
        0 => "0-1",
        1 => "½-½",
        _ => "1-0",
    }
}

fn ending(game: &WholeGame) -> String {
    let end = match game.record.end {
        GameEnd::Rules => "by the rules".to_string(),
        GameEnd::Proved => "a win was proved".to_string(),
        GameEnd::Length => "too long".to_string(),
        GameEnd::Time => "on time".to_string(),
        other => serde_json::to_value(other).ok().and_then(|name| name.as_str().map(String::from)).unwrap_or_default(),
    };
    match &game.record.reason {
        Some(reason) => format!("{end}: {}", printable(reason)),
        None => end,
    }
}

/// A game, at one of its moves.
pub fn show(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let run = shared.run_of(request)?;
    let missing = || WebError::not_found(format!("run {} has no such game", run.id));
    let number: u64 = request.part("event").parse().map_err(|_| missing())?;
    let event = shared.store.stream_events(run.id, number).next().ok_or_else(missing)??;
    if event.seq != number || event.kind != GAME {
        return Err(missing());
    }
    let game = whole(shared, &run, event)?;
    let info = games::find(&game.job.game).map_err(WebError::failed)?;
    let steps = steps(info, &game)?;
    let at = match request.query.get("ply") {
        Some(text) => text.parse().map_err(|_| WebError::bad_request("'ply' is the number of a move"))?,
        None => steps.len(),
    };
    let at = std::cmp::min(at, steps.len());
    let is_flipped = request.query.get("flip").is_some();
    let viewer = Viewer { run: &run, number, game: &game, steps: &steps, at, is_flipped };
    if request.is_fragment() {
        return Ok(Reply::html(viewer.markup()));
    }
    let title = format!("Game {} of run {}", game.number + 1, run.id);
    let content = html! {
        h1 { "Game " (game.number + 1) " of run " a href=(format!("/runs/{}", run.id)) { (run.id) } }
        div #game-viewer { (viewer.markup()) }
    };
    let mut page = Page::new(title, content);
    page.scripts.extend_from_slice(SCRIPTS);
    Ok(page.reply())
}

/// Plays the moves again.
fn steps(info: &GameInfo, game: &WholeGame) -> Result<Vec<Step>, WebError> {
    let failed =
        |reason: String| WebError::failed(format!("game {} cannot be played again: {reason}", game.number + 1));
    let mut position = (info.open)(&game.job.position).map_err(|error| failed(error.to_string()))?;
    let mut steps = Vec::new();
    for (place, ply) in game.record.plies.iter().enumerate() {
        let is_white = position.white_to_move();
        let notation = position.notation(&ply.m).map_err(|error| failed(error.to_string()))?;
        let next = position.play(&ply.m).map_err(|error| failed(error.to_string()))?;
        let text = next.text();
        let number = format!("{}{}", place / 2 + 1, if is_white { "." } else { "…" });
        let own = ply.score.clamp(-FARTHEST, FARTHEST);
        let score = if is_white { own } else { -own };
        steps.push(Step { number, notation, position: text, score, is_white });
        position = next;
    }
    Ok(steps)
}

/// A game at one of its moves.
struct Viewer<'a> {
    run: &'a Run,
    number: u64,
    game: &'a WholeGame,
    steps: &'a [Step],
    /// The number of moves that were played.
    at: usize,
    is_flipped: bool,
}

impl Viewer<'_> {
    fn link(&self, ply: usize) -> String {
        let flip = if self.is_flipped { "&flip=1" } else { "" };
        format!("/runs/{}/games/{}?ply={ply}{flip}", self.run.id, self.number)
    }

    fn markup(&self) -> Markup {
        let (game, last) = (self.game, self.steps.len());
        html! {
            p.facts {
                b { (printable(&game.job.white)) } " – " b { (printable(&game.job.black)) } ": " (result(game)) ", " (ending(game))
            }
            div.viewer {
                div {
                    (self.board())
                    nav.row.steps aria-label="Moves" {
                        (self.step("first", 0, self.at > 0, "Start"))
                        (self.step("back", self.at.saturating_sub(1), self.at > 0, "Back"))
                        span.value { (self.at) " of " (last) }
                        (self.step("forward", self.at + 1, self.at < last, "Forward"))
                        (self.step("last", last, self.at < last, "End"))
                        (self.flip())
                    }
                    (self.about())
                    pre.position { (printable(self.position())) }
                }
                (self.moves())
            }
            (charts::figure(&self.graph(), ""))
        }
    }

    fn board(&self) -> Markup {
        let position = self.position();
        let played = self.at.checked_sub(1).and_then(|place| self.game.record.plies.get(place));
        let board = Board { position, last_move: played.map(|ply| ply.m.as_str()), is_flipped: self.is_flipped };
        html! {
            @match board.markup() { Some(board) => (board), None => pre { (printable(position)) } }
            @let query = format!("game={}&position={}", encode(&self.game.job.game), encode(position));
            p { a href={ "/explore?" (query) } { "Explore this position" } " · " a href={ "/play?" (query) } { "Play from here" } }
        }
    }

    /// The position on the board.
    fn position(&self) -> &str {
        let step = self.at.checked_sub(1).and_then(|place| self.steps.get(place));
        step.map_or(self.game.job.position.as_str(), |step| step.position.as_str())
    }

    fn step(&self, name: &str, ply: usize, is_possible: bool, words: &str) -> Markup {
        html! {
            @if is_possible { a.button data-step=(name) href=(self.link(ply)) { (words) } }
            @else { span.button.off aria-disabled="true" { (words) } }
        }
    }

    fn flip(&self) -> Markup {
        let other = Viewer { is_flipped: !self.is_flipped, ..*self };
        html! { a.button data-step="flip" href=(other.link(self.at)) { "Flip" } }
    }

    /// What was said of the last move.
    fn about(&self) -> Markup {
        let Some(ply) = self.at.checked_sub(1).and_then(|place| self.game.record.plies.get(place)) else {
            return html! { p.quiet { "The start of the game." } };
        };
        let step = &self.steps[self.at - 1];
        html! {
            p { b { (step.number) " " (printable(&step.notation)) }
                " · " @if step.is_white { "White: " } @else { "Black: " } (score_text(ply.score))
                " · depth " (ply.depth) " · " (thousands(ply.nodes)) " nodes"
                @if let Some(time) = ply.time { " · " (time) " ms" } }
        }
    }

    fn moves(&self) -> Markup {
        html! {
            ol.moves aria-label="Moves of the game" {
                @for (place, step) in self.steps.iter().enumerate() {
                    li { a href=(self.link(place + 1)) aria-current=[(place + 1 == self.at).then_some("step")] {
                        span.hint { (step.number) } " " (printable(&step.notation))
                    } }
                }
            }
        }
    }

    /// Each player's scores, as White sees them. Forced results are at the edge.
    fn graph(&self) -> Figure {
        let plain = self.steps.iter().map(|step| step.score).filter(|score| !Score::from_units(*score).is_forced());
        let edge = plain.map(i32::abs).max().unwrap_or(0).clamp(8, MOST_SCORE) * 5 / 4;
        let line = |name: &str, is_white: bool| {
            let own = self.steps.iter().enumerate().filter(|(_, step)| step.is_white == is_white);
            let point = |(place, step): (usize, &Step)| [(place + 1) as f64, f64::from(step.score.clamp(-edge, edge))];
            Line::new(name, own.map(point).collect())
        };
        let mut lines = vec![line("White's score", true), line("Black's score", false)];
        if self.at > 0 {
            let ends = [-edge, edge].map(|end| [self.at as f64, f64::from(end)]);
            lines.push(Line { is_dotted: true, ..Line::new("this move", ends.to_vec()) });
        }
        Figure::Lines(Lines {
            title: "Scores, as White sees them".to_string(),
            x: "ply".to_string(),
            y: "units of the game; forced results are at the edge".to_string(),
            lines,
        })
    }
}

/// A score of a player in words.
fn score_text(score: i32) -> String {
    let score = score.clamp(-FARTHEST, FARTHEST);
    match (Score::from_units(score).win_in(), Score::from_units(-score).win_in()) {
        (Some(plies), _) => format!("wins in {plies} plies"),
        (_, Some(plies)) => format!("loses in {plies} plies"),
        _ => format!("score {score}"),
    }
}
