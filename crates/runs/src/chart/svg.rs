//! A chart as SVG.

use std::fmt::Write;

use plysmith_core::printable::printable;

use super::{Axis, Chart, Series};

/// The picture, and the part of it where lines are drawn.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 540.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 350.0;

/// Colours that can be told apart by nearly everybody (Okabe and Ito); lines beyond them begin again.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

pub fn draw(chart: &Chart) -> String {
    let axis = chart.axis();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n"
    );
    text(&mut svg, (LEFT, TOP - 18.0), "start", &format!("{} ({})", chart.title, chart.unit));
    frame(&mut svg, chart.iterations(), &axis);
    for (number, series) in chart.series.iter().enumerate() {
        line(&mut svg, chart, number, series);
        legend(&mut svg, number, series);
    }
    svg + "</svg>\n"
}

/// The axes with their marks.
fn frame(svg: &mut String, iterations: usize, axis: &Axis) {
    for value in axis.ticks() {
        let y = BOTTOM - axis.share(value) * (BOTTOM - TOP);
        let _ = writeln!(svg, "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#dddddd\"/>");
        text(svg, (LEFT - 6.0, y + 4.0), "end", &axis.label(value));
    }
    let every = iterations.div_ceil(10).max(1);
    for iteration in (0..iterations).step_by(every) {
        text(svg, (across(iteration, iterations), BOTTOM + 18.0), "middle", &(iteration + 1).to_string());
    }
    text(svg, ((LEFT + RIGHT) / 2.0, BOTTOM + 38.0), "middle", "iteration");
    let _ = writeln!(svg, "<path d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\" fill=\"none\" stroke=\"#000000\"/>");
}

fn line(svg: &mut String, chart: &Chart, number: usize, series: &Series) {
    let (axis, iterations) = (chart.axis(), chart.iterations());
    let values = series.values.iter().enumerate().filter(|(_, value)| value.is_finite());
    let points = values.map(|(iteration, &value)| {
        format!("{:.1},{:.1}", across(iteration, iterations), BOTTOM - axis.share(value) * (BOTTOM - TOP))
    });
    let points: Vec<_> = points.collect();
    let _ = writeln!(svg, "<polyline points=\"{}\" {}/>", points.join(" "), stroke(number, series));
}

fn legend(svg: &mut String, number: usize, series: &Series) {
    let y = TOP + 8.0 + 20.0 * number as f64;
    let _ = writeln!(svg, "<path d=\"M{:.1} {y:.1}h24\" {}/>", RIGHT + 14.0, stroke(number, series));
    text(svg, (RIGHT + 44.0, y + 4.0), "start", &series.name);
}

fn stroke(number: usize, series: &Series) -> String {
    let dots = if series.is_dotted { " stroke-dasharray=\"2 4\"" } else { "" };
    format!("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{dots}", COLOURS[number % COLOURS.len()])
}

/// Where an iteration lies from left to right.
fn across(iteration: usize, iterations: usize) -> f64 {
    LEFT + (RIGHT - LEFT) * iteration as f64 / iterations.saturating_sub(1).max(1) as f64
}

/// A line of text, at the start, the middle or the end of which the point is.
pub(super) fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    // Control characters would make the file invalid XML.
    let words = printable(words).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
}
