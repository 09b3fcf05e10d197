//! Charts and boards as parts of pages, and as pictures.
//!
//! | module | what |
//! | --- | --- |
//! | `squares` | tables of squares: a picture of a pixel per square, which the script `charts.js` sorts and explains |
//! | [`board`] | positions of any game whose texts are like FENs |
//! | [`png`] | drawings as PNG |
//!
//! Everything can be read without the script. It adds faster notes, lines to neighbours in lattices, and sorting.

pub mod board;
mod font;
pub mod png;
mod squares;

use maud::{Markup, PreEscaped, html};
use plysmith_runs::chart::Figure;
use plysmith_runs::chart::scene::{Scene, Target};

/// A chart. Links inside the page and the names they lead to begin with `prefix`, so that several runs fit on one page.
pub fn figure(figure: &Figure, prefix: &str) -> Markup {
    match figure {
        Figure::Matrix(matrix) => squares::figure(matrix),
        Figure::Lattice(_) => html! {
            figure.chart.wide data-chart="lattice" {
                (drawing(figure.scene(), prefix))
                div.neighbours aria-live="polite" {}
            }
        },
        Figure::Tree(_) | Figure::HeatMap(_) | Figure::Overlap(_) => natural(figure.scene(), prefix),
        _ => html! { figure.chart { (drawing(figure.scene(), prefix)) } },
    }
}

/// A drawing in its own size, which scrolls where there is no room.
fn natural(scene: Scene, prefix: &str) -> Markup {
    let class = if scene.width > 760.0 { "chart wide" } else { "chart" };
    html! { figure class=(class) { (drawing(scene, prefix)) } }
}

/// A drawing as SVG with the classes of the style sheet. All text in it is escaped where it is written.
pub fn drawing(mut scene: Scene, prefix: &str) -> Markup {
    for shape in &mut scene.shapes {
        if let Some(name) = shape.link.as_ref().and_then(|link| link.strip_prefix('#')) {
            shape.link = Some(format!("#{prefix}{name}"));
        }
    }
    html! { div.scroll { (PreEscaped(scene.svg(Target::Page))) } }
}
