//! Lines and points over two axes.

use super::axis::{Axis, Plot};
use super::scene::{Anchor, Ink, Scene, Shape, shortened};
use super::{Chart, Series};

/// Some lines over the same axes.
#[derive(Clone, PartialEq, Debug)]
pub struct Lines {
    /// What it shows.
    pub title: String,
    /// What runs from left to right.
    pub x: String,
    /// What runs from bottom to top.
    pub y: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// What it is called.
    pub name: String,
    /// Its points from left to right: x and y.
    pub points: Vec<[f64; 2]>,
    /// Whether it is dotted.
    pub is_dotted: bool,
}

/// Points over two axes, each with a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Scatter {
    /// What it shows.
    pub title: String,
    /// What runs from left to right.
    pub x: String,
    /// What runs from bottom to top.
    pub y: String,
    /// What the groups of points are called; each has a colour.
    pub groups: Vec<String>,
    /// The points.
    pub points: Vec<Mark>,
}

/// A point with a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Mark {
    /// What it is.
    pub name: String,
    /// From left to right.
    pub x: f64,
    /// From bottom to top.
    pub y: f64,
    /// Half the height of its interval, if it has one.
    pub error: Option<f64>,
    /// Its group.
    pub group: usize,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const PLOT: Plot = Plot {
    left: 72.0,
    top: 56.0,
    right: 540.0,
    bottom: 350.0,
    x: Axis { low: 0.0, high: 1.0, tick: 1.0 },
    y: Axis { low: 0.0, high: 1.0, tick: 1.0 },
};
/// Up to this many points of a line are marked, each with its numbers.
const MOST_MARKED: usize = 200;
/// Up to this many lines are named; there is no room for more.
const MOST_NAMED: usize = 14;
/// Up to this many points of a scatter plot have their names next to them.
const MOST_LABELLED: usize = 12;

impl Lines {
    /// As a drawing.
    pub fn scene(&self) -> Scene {
        let points = || self.lines.iter().flat_map(|line| &line.points).filter(|point| is_finite(point));
        let across: Vec<f64> = points().map(|[x, _]| *x).collect();
        let is_whole = across.iter().all(|x| x.fract() == 0.0);
        let x = if is_whole { tight(&across) } else { Axis::around(across) };
        let plot = Plot { x, y: Axis::around(points().map(|[_, y]| *y)), ..PLOT };
        let mut scene = Scene::new(&self.title, WIDTH, HEIGHT);
        scene.add(Shape::text([16.0, 22.0], Anchor::Start, &self.title).bold());
        plot.frame(&mut scene, &self.x, &self.y);
        for (number, line) in self.lines.iter().enumerate() {
            line.draw(&mut scene, &plot, number);
        }
        for (number, line) in self.lines.iter().enumerate().take(MOST_NAMED) {
            let y = plot.top + 8.0 + 20.0 * number as f64;
            let sample = Shape::path([[plot.right + 14.0, y], [plot.right + 38.0, y]]);
            scene.add(sample.stroke(Ink::Series(number), 2.0).dotted(line.is_dotted));
            let name = Shape::text([plot.right + 44.0, y + 4.0], Anchor::Start, shortened(&line.name, 20));
            scene.add(name.note(&line.name));
        }
        if let Some(more) = self.lines.len().checked_sub(MOST_NAMED + 1) {
            let y = plot.top + 12.0 + 20.0 * MOST_NAMED as f64;
            scene.text([plot.right + 44.0, y], Anchor::Start, format!("and {} more", more + 1));
        }
        scene
    }
}

/// An axis of whole numbers that begins and ends with the values.
fn tight(values: &[f64]) -> Axis {
    let axis = Axis::of_counts(values.iter().copied());
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least < most { Axis { low: least, high: most, ..axis } } else { axis }
}

impl Line {
    /// A line through these points.
    pub fn new(name: impl Into<String>, points: Vec<[f64; 2]>) -> Line {
        Line { name: name.into(), points, is_dotted: false }
    }

    fn draw(&self, scene: &mut Scene, plot: &Plot, number: usize) {
        let points: Vec<[f64; 2]> = self.points.iter().copied().filter(is_finite).collect();
        let at = |[x, y]: [f64; 2]| [plot.across(x), plot.down(y)];
        let path: Vec<[f64; 2]> = points.iter().copied().map(at).collect();
        scene.add(Shape::path(path).stroke(Ink::Series(number), 2.0).dotted(self.is_dotted));
        if points.len() <= MOST_MARKED {
            for point @ [x, y] in points {
                let note = format!("{}: {} at {}", self.name, plot.y.label_exactly(y), plot.x.label_exactly(x));
                scene.add(Shape::circle(at(point), 2.5).fill(Ink::Series(number)).note(note));
            }
        }
    }
}

impl From<&Chart> for Lines {
    fn from(chart: &Chart) -> Lines {
        let points = |series: &Series| {
            series.values.iter().enumerate().map(|(place, &value)| [(place + 1) as f64, value]).collect()
        };
        Lines {
            title: format!("{} ({})", chart.title, chart.unit),
            x: "iteration".to_string(),
            y: chart.unit.clone(),
            lines: chart
                .series
                .iter()
                .map(|series| Line { is_dotted: series.is_dotted, ..Line::new(&series.name, points(series)) })
                .collect(),
        }
    }
}

impl Scatter {
    /// As a drawing.
    pub fn scene(&self) -> Scene {
        let points: Vec<&Mark> = self.points.iter().filter(|mark| is_finite(&[mark.x, mark.y])).collect();
        let ends = |mark: &&Mark| {
            let error = mark.error.filter(|error| error.is_finite()).unwrap_or(0.0);
            [mark.y - error, mark.y + error]
        };
        let plot = Plot {
            x: Axis::around(points.iter().map(|mark| mark.x)),
            y: Axis::around(points.iter().flat_map(ends)),
            ..PLOT
        };
        let mut scene = Scene::new(&self.title, WIDTH, HEIGHT);
        scene.add(Shape::text([16.0, 22.0], Anchor::Start, &self.title).bold());
        plot.frame(&mut scene, &self.x, &self.y);
        for mark in &points {
            mark.draw_interval(&mut scene, &plot);
        }
        for mark in &points {
            let note =
                format!("{}: {} {}, {} {}", mark.name, self.y, mark.value_text(), self.x, plot.x.label_exactly(mark.x));
            let at = [plot.across(mark.x), plot.down(mark.y)];
            scene.add(Shape::circle(at, 4.0).fill(Ink::Series(mark.group)).opacity(0.8).note(note));
        }
        for mark in points.iter().take(MOST_LABELLED) {
            let at = [plot.across(mark.x) + 6.0, plot.down(mark.y) - 5.0];
            scene.text(at, Anchor::Start, shortened(&mark.name, 18));
        }
        for (number, group) in self.groups.iter().enumerate() {
            let y = plot.top + 8.0 + 20.0 * number as f64;
            scene.add(Shape::circle([plot.right + 26.0, y], 4.0).fill(Ink::Series(number)));
            scene.text([plot.right + 44.0, y + 4.0], Anchor::Start, shortened(group, 20));
        }
        scene
    }
}

impl Mark {
    fn draw_interval(&self, scene: &mut Scene, plot: &Plot) {
        let Some(error) = self.error.filter(|error| error.is_finite()) else { return };
        let x = plot.across(self.x);
        let ends = [[x, plot.down(self.y - error)], [x, plot.down(self.y + error)]];
        scene.add(Shape::path(ends).stroke(Ink::Grid, 1.5));
    }

    fn value_text(&self) -> String {
        let error = self.error.map(|error| format!(" ± {}", short(error))).unwrap_or_default();
        format!("{}{error}", short(self.y))
    }
}

impl Axis {
    /// A value as exactly as a reader may want it.
    fn label_exactly(&self, value: f64) -> String {
        if value.fract() == 0.0 { self.label(value) } else { short(value) }
    }
}

/// A number with at most four decimals.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

fn is_finite(point: &[f64; 2]) -> bool {
    point.iter().all(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{HEIGHT, Line, Lines, Mark, PLOT, Scatter, WIDTH, short};
    use crate::chart::scene::{Form, Ink, Scene};

    /// The centres of the discs of a series, in their order.
    fn discs(scene: &Scene, series: usize, radius: f64) -> Vec<[f64; 2]> {
        let of_series =
            scene.shapes.iter().filter(|shape| shape.fill == Some(Ink::Series(series)) && shape.note.is_some());
        of_series
            .filter_map(|shape| match shape.form {
                Form::Circle { at, radius: own } if own == radius => Some(at),
                _ => None,
            })
            .collect()
    }

    fn is_inside([x, y]: [f64; 2]) -> bool {
        let slack = 0.01;
        PLOT.left - slack <= x && x <= PLOT.right + slack && PLOT.top - slack <= y && y <= PLOT.bottom + slack
    }

    proptest! {
        /// Distances in the drawing are proportional to differences of values, whatever the values are.
        #[test]
        fn points_lie_where_their_values_are(values in prop::collection::vec(-1e6_f64..1e6, 3..30)) {
            let points: Vec<[f64; 2]> = values.iter().enumerate().map(|(x, &y)| [x as f64, y]).collect();
            let lines = Lines { title: "t".into(), x: "x".into(), y: "y".into(), lines: vec![Line::new("l", points)] };
            let places = discs(&lines.scene(), 0, 2.5);
            prop_assert_eq!(places.len(), values.len());
            prop_assert!(places.iter().copied().all(is_inside), "{:?}", places);
            let step = places[1][0] - places[0][0];
            let (least, most) = (0..values.len()).fold((0, 0), |(least, most), place| {
                (if values[place] < values[least] { place } else { least }, if values[place] > values[most] { place } else { most })
            });
            let scale = (places[most][1] - places[least][1]) / (values[most] - values[least]).max(1e-9);
            prop_assert!(scale <= 0.0, "more is higher");
            for (place, value) in places.iter().zip(&values) {
                let expected = places[least][1] + (value - values[least]) * scale;
                prop_assert!((place[1] - expected).abs() < 0.01, "{} {}", place[1], expected);
            }
            for pair in places.windows(2) {
                prop_assert!((pair[1][0] - pair[0][0] - step).abs() < 0.01);
            }
        }

        /// Intervals end inside the plot, and are as high above the point as below it.
        #[test]
        fn intervals_surround_their_points(marks in prop::collection::vec((-1e3_f64..1e3, -1e3_f64..1e3, 0.0_f64..100.0), 1..20)) {
            let points: Vec<Mark> = marks.iter().map(|&(x, y, error)| {
                Mark { name: "m".into(), x, y, error: Some(error), group: 0 }
            }).collect();
            let scatter = Scatter { title: "t".into(), x: "x".into(), y: "y".into(), groups: vec!["g".into()], points };
            let scene = scatter.scene();
            let places = discs(&scene, 0, 4.0);
            let bars: Vec<_> = scene.shapes.iter().filter_map(|shape| match &shape.form {
                Form::Path(points) if shape.stroke == Some((Ink::Grid, 1.5)) => Some((points[0], points[1])),
                _ => None,
            }).collect();
            prop_assert_eq!((places.len(), bars.len()), (marks.len(), marks.len()));
            for (place, (low, high)) in places.iter().zip(bars) {
                prop_assert!(is_inside(low) && is_inside(high) && is_inside(*place));
                prop_assert!((place[1] - low[1] + place[1] - high[1]).abs() < 0.01);
            }
        }
    }

    #[test]
    fn odd_values_and_many_lines_stay_in_the_picture() {
        let line =
            |number: usize| Line::new(format!("line {number} {}", "x".repeat(99)), vec![[f64::NAN, 1.0], [1.0, 2.0]]);
        let lines = Lines { title: "t".into(), x: "x".into(), y: "y".into(), lines: (0..30).map(line).collect() };
        let scene = lines.scene();
        for shape in &scene.shapes {
            if let Form::Text { at: [x, y], .. } = shape.form {
                assert!((0.0..=WIDTH).contains(&x) && (0.0..=HEIGHT).contains(&y), "{shape:?}");
            }
        }
        assert!(
            scene.shapes.iter().any(|shape| matches!(&shape.form, Form::Text { words, .. } if words == "and 16 more"))
        );
        let nothing = Lines { lines: Vec::new(), ..lines };
        assert!(!nothing.scene().shapes.is_empty());
        assert_eq!([1.5, 2.0, 0.00001, 100.0].map(short), ["1.5", "2", "0", "100"]);
    }
}
