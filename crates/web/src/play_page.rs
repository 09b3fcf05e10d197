//! Games against an engine: a form to begin one, and the board.
//!
//! Without a script, moves are chosen from a list. With it, pieces are moved by clicks or by dragging.

use std::time::Duration;

use maud::{Markup, html};
use plysmith_core::outcome::Outcome;
use plysmith_core::printable::printable;
use plysmith_runs::view::thousands;

use crate::assets::PLAY;
use crate::charts::board::Board;
use crate::error::WebError;
use crate::explorations::game_of;
use crate::form_parts;
use crate::game_room::{Game, MOST_NODES, Said, locked};
use crate::layout::Page;
use crate::reply::Reply;
use crate::request::{Request, encode};
use crate::router::{Route, get, post};
use crate::shared::Shared;

/// The place of the navigation.
pub const PLACE: &str = "/play";

/// The form, the games, and what can be done in them.
pub const ROUTES: &[Route] = &[
    get("/play", form),
    post("/play", begin),
    get("/play/{game}", show),
    post("/play/{game}/move", make_move),
    post("/play/{game}/undo", take_back),
    post("/play/{game}/hint", hint),
    post("/play/{game}/resign", resign),
    post("/play/{game}/end", end),
];

fn form(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let fields = &request.query;
    let game = game_of(fields)?;
    let position = fields.filled("position").unwrap_or_default();
    let text = |name: &str, title: &str, value: &str, hint: &str| form_parts::text(PLACE, name, title, value, hint);
    let content = html! {
        h1 { "Play" }
        (form_parts::games(PLACE, game))
        form method="post" action="/play" {
            (shared.token_field())
            input type="hidden" name="game" value=(game.name);
            div.fields {
                div.field {
                    label for="play-side" { "You play" }
                    select #play-side name="side" { option value="white" { "White" } option value="black" { "Black" } }
                }
                (text("preset", "The engine's search", fields.filled("preset").unwrap_or("modern"), "classic, modern, or either with changes"))
                (text("scheme", "Its scheme", fields.filled("scheme").unwrap_or("Neutral"), "Features with weights, or Neutral"))
                (text("nodes", "Nodes for each move", "200000", &format!("At most {}", thousands(MOST_NODES))))
                (text("clock", "Clock", "", "Minutes and seconds for each move, like 5+3; none if empty"))
                (text("position", "Position", position, "The start position if empty"))
                @if shared.options.allow_engines {
                    (text("engine", "Or an engine", "", "Like uci:stockfish; takes the place of search and scheme"))
                }
            }
            button.primary type="submit" { "Begin" }
        }
        @let games = shared.games.list();
        @if !games.is_empty() {
            h2 { "Games" }
            ul { @for (number, game) in games {
                li { a href={ "/play/" (number) } { "Game " (number) } @if let Ok(game) = game.try_lock() { ": " (game.info.name) " against " (printable(&game.engine_name)) ", " (game.play.moves().len()) " plies" } }
            } }
        }
    };
    Ok(Page::new("Play", content).at(PLACE).reply())
}

fn begin(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let number = shared.games.begin(&request.form, shared.options.allow_engines)?;
    Ok(Reply::redirect(&format!("/play/{number}")))
}

fn show(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let (number, game) = shared.games.find(request.part("game"))?;
    let mut game = locked(&game)?;
    game.look_at_clock();
    let shown = Shown { shared, number, game: &game, request };
    if request.is_fragment() {
        return Ok(Reply::html(shown.markup()));
    }
    let content = html! {
        h1 { "Game " (number) " against " (printable(&game.engine_name)) }
        div #play-game { (shown.markup()) }
    };
    Ok(Page::new(format!("Game {number}"), content).at(PLACE).script(PLAY).reply())
}

/// Changes a game, and shows it again.
fn change(
    shared: &Shared,
    request: &Request,
    change: impl FnOnce(&mut Game) -> Result<(), WebError>,
) -> Result<Reply, WebError> {
    let (number, game) = shared.games.find(request.part("game"))?;
    change(&mut *locked(&game)?)?;
    let query = if request.form.get("flip") == Some("1") { "?flip=1" } else { "" };
    Ok(Reply::redirect(&format!("/play/{number}{query}")))
}

fn make_move(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let m = request.form.filled("move").ok_or_else(|| WebError::invalid("choose a move"))?;
    let ply = request.form.get("ply").and_then(|text| text.parse().ok());
    change(shared, request, |game| game.make_move(m, ply))
}

fn take_back(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    change(shared, request, Game::take_back)
}

fn hint(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    change(shared, request, Game::advise)
}

fn resign(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    change(shared, request, Game::resign)
}

fn end(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let (number, _) = shared.games.find(request.part("game"))?;
    shared.games.end(number);
    Ok(Reply::redirect("/play"))
}

/// A game as a page.
struct Shown<'a> {
    shared: &'a Shared,
    number: u64,
    game: &'a Game,
    request: &'a Request,
}

impl Shown<'_> {
    fn is_flipped(&self) -> bool {
        // The person sits below, unless the board is turned.
        self.request.query.get("flip").is_some() == self.game.play.person_is_white()
    }

    fn markup(&self) -> Markup {
        let game = self.game;
        let is_turn = game.is_persons_turn();
        html! {
            div.play {
                div {
                    (self.clock(false))
                    (self.board(is_turn))
                    (self.clock(true))
                    @if is_turn { (self.moves()) }
                    (self.buttons(is_turn))
                }
                div {
                    p.outcome role="status" { (self.state(is_turn)) }
                    @if let Some(said) = &game.hint { h3 { "Hint" } (self.said(said)) }
                    @if let Some(said) = &game.said {
                        details #engine-line open[self.request.query.get("info").is_some()] { summary { "What the engine thinks" } (self.said(said)) }
                    }
                    (self.record())
                    p { a href=(format!("/explore?game={}&position={}", game.info.name, encode(&game.play.position().text()))) { "Explore this position" } }
                }
            }
        }
    }

    fn board(&self, is_turn: bool) -> Markup {
        let position = self.game.play.position().text();
        let last_move = self.game.play.moves().last().map(String::as_str);
        let board = Board { position: &position, last_move, is_flipped: self.is_flipped() };
        html! {
            div.can-move[is_turn] #board data-ply=(self.game.play.moves().len()) {
                @match board.markup() { Some(board) => (board), None => pre { (printable(&position)) } }
            }
            p.hint { code { (printable(&position)) } }
        }
    }

    /// The legal moves, as a list to choose from.
    fn moves(&self) -> Markup {
        let position = self.game.play.position();
        html! {
            form.row #move-form method="post" action={ "/play/" (self.number) "/move" } {
                (self.shared.token_field())
                input type="hidden" name="ply" value=(self.game.play.moves().len());
                @if self.request.query.get("flip").is_some() { input type="hidden" name="flip" value="1"; }
                label for="move" { "Move" }
                select #move name="move" required {
                    option value="" { "–" }
                    @for m in position.moves() { option value=(m) { (printable(&position.notation(&m).unwrap_or_else(|_| m.clone()))) } }
                }
                button.primary type="submit" { "Play" }
            }
        }
    }

    fn buttons(&self, is_turn: bool) -> Markup {
        let button = |action: &str, text: &str| {
            html! {
                form method="post" action={ "/play/" (self.number) "/" (action) } {
                    (self.shared.token_field())
                    @if self.request.query.get("flip").is_some() { input type="hidden" name="flip" value="1"; }
                    button type="submit" { (text) }
                }
            }
        };
        let flip = if self.request.query.get("flip").is_some() { "" } else { "?flip=1" };
        html! {
            div.row.state {
                @if !self.game.play.moves().is_empty() || self.game.result().is_some() { (button("undo", "Take back")) }
                @if is_turn { (button("hint", "Hint")) (button("resign", "Resign")) }
                a.button href={ "/play/" (self.number) (flip) } { "Flip" }
                (button("end", "Close game"))
                a.button href={ "/play?game=" (self.game.info.name) } { "New game" }
            }
        }
    }

    fn state(&self, is_turn: bool) -> String {
        let game = self.game;
        if let Some(fault) = &game.fault {
            return format!("The engine failed: {}. Take back, or begin another game.", printable(fault));
        }
        let Some(result) = game.result() else {
            return if is_turn { "Your move.".to_string() } else { "The engine is to move.".to_string() };
        };
        let who = match result.for_white(game.play.person_is_white()) {
            Outcome::Draw => "Nobody has won",
            Outcome::Win => "You have won",
            Outcome::Loss => "The engine has won",
        };
        format!("{who}: {}, {}.", result.pgn(), game.ending())
    }

    /// The clock of the person or of the engine.
    fn clock(&self, is_person: bool) -> Markup {
        let is_running = is_person && self.game.is_persons_turn();
        html! {
            @if let Some(clocks) = &self.game.clocks {
                @let left = clocks.left(is_person, is_running);
                p.clock.running[is_running] data-left=[is_running.then_some(left.as_millis())] {
                    @if is_person { "You " } @else { "Engine " } span { (time(left)) }
                }
            }
        }
    }

    /// What the engine said, with the moves as game records write them.
    fn said(&self, said: &Said) -> Markup {
        let mut words = Vec::new();
        let mut position = self.game.play.start().boxed();
        let before = self.game.play.moves().iter().take(said.ply);
        for m in before {
            if let Ok(next) = position.play(m) {
                position = next;
            }
        }
        let is_white = position.white_to_move();
        for m in &said.line {
            let (Ok(word), Ok(next)) = (position.notation(m), position.play(m)) else { break };
            words.push(word);
            position = next;
        }
        html! {
            p { b { (printable(&words.join(" "))) } }
            p.facts {
                @if let Some(score) = said.score { "score " (score) " for " @if is_white { "White" } @else { "Black" } " · " }
                "depth " (said.depth) " · " (thousands(said.nodes)) " nodes"
            }
        }
    }

    /// The moves so far.
    fn record(&self) -> Markup {
        let play = &self.game.play;
        let mut position = play.start().boxed();
        let mut words = Vec::new();
        for (place, m) in play.moves().iter().enumerate() {
            let number = if place % 2 == 0 { format!("{}. ", place / 2 + 1) } else { String::new() };
            words.push(format!("{number}{}", position.notation(m).unwrap_or_else(|_| m.clone())));
            match position.play(m) {
                Ok(next) => position = next,
                Err(_) => break,
            }
        }
        html! {
            h3 { "Moves" }
            @if words.is_empty() { p.quiet { "None yet." } }
            @else { ol.moves aria-label="Moves of the game" { @for word in &words { li { (printable(word)) } } } }
        }
    }
}

/// Minutes and seconds.
fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
