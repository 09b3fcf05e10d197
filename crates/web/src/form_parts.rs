//! Parts of the forms for exploring and playing.

use maud::{Markup, html};
use plysmith_core::games::{GAMES, GameInfo};

/// A text field of the form at this place, such as `/play`.
pub fn text(place: &str, name: &str, title: &str, value: &str, hint: &str) -> Markup {
    let id = format!("{}-{name}", place.trim_start_matches('/'));
    html! {
        div.field {
            label for=(id) { (title) }
            input #(id) name=(name) value=(value) maxlength="2000" autocomplete="off" spellcheck="false";
            p.hint { (hint) }
        }
    }
}

/// Links to the form of each game.
pub fn games(place: &str, current: &GameInfo) -> Markup {
    html! {
        nav.row aria-label="Game" {
            @for other in GAMES {
                a.button href={ (place) "?game=" (other.name) } aria-current=[(other.name == current.name).then_some("true")] { (other.name) }
            }
        }
    }
}
