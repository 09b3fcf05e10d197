//! Bars with names, and a gauge between two bounds.

use super::axis::{Axis, Plot};
use super::lines::short;
use super::scene::{Anchor, Ink, Scene, Shape, shortened, width_of};

/// Bars from left to right, one below the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Bars {
    /// What it shows.
    pub title: String,
    /// What the length is.
    pub unit: String,
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, PartialEq, Debug)]
pub struct Bar {
    /// What it is called.
    pub name: String,
    /// Its length; negative to the left.
    pub value: f64,
    /// The ends of its interval, if it has one.
    pub interval: Option<[f64; 2]>,
    /// Its colour, as the number of a series.
    pub ink: usize,
}

/// A value between two bounds, as of a sequential test.
#[derive(Clone, PartialEq, Debug)]
pub struct Gauge {
    /// What it shows.
    pub title: String,
    /// The lower bound, and what it means to reach it.
    pub low: (f64, String),
    /// The upper bound, and what it means to reach it.
    pub high: (f64, String),
    /// The value.
    pub value: f64,
    /// What is said below it, such as what is expected.
    pub about: String,
}

const WIDTH: f64 = 720.0;
const TOP: f64 = 56.0;
const ROW: f64 = 22.0;
/// More bars than this are not drawn.
pub const MOST_BARS: usize = 60;

impl Bars {
    /// As a drawing.
    pub fn scene(&self) -> Scene {
        let bars = &self.bars[..self.bars.len().min(MOST_BARS)];
        let names: Vec<String> = bars.iter().map(|bar| shortened(&bar.name, 34)).collect();
        let longest = names.iter().map(|name| width_of(name)).fold(40.0, f64::max);
        let bottom = TOP + ROW * bars.len().max(1) as f64;
        let x = Axis::around(bars.iter().flat_map(Bar::ends).chain([0.0]));
        let y = Axis { low: 0.0, high: 1.0, tick: 2.0 };
        let plot = Plot { left: longest + 28.0, top: TOP, right: WIDTH - 90.0, bottom, x, y };
        let more = self.bars.len() - bars.len();
        let mut scene = Scene::new(&self.title, WIDTH, bottom + if more > 0 { 64.0 } else { 46.0 });
        scene.add(Shape::text([16.0, 22.0], Anchor::Start, &self.title).bold());
        frame(&mut scene, &plot, &self.unit);
        for (row, (bar, name)) in bars.iter().zip(names).enumerate() {
            bar.draw(&mut scene, &plot, TOP + ROW * row as f64, name);
        }
        if more > 0 {
            scene.text([16.0, bottom + 58.0], Anchor::Start, format!("and {more} more"));
        }
        scene
    }
}

/// The marks of the axis, and the line that bars begin at.
fn frame(scene: &mut Scene, plot: &Plot, unit: &str) {
    for value in plot.x.ticks() {
        let x = plot.across(value);
        scene.add(Shape::path([[x, plot.top], [x, plot.bottom]]).stroke(Ink::Grid, 1.0));
        scene.text([x, plot.bottom + 16.0], Anchor::Middle, plot.x.label(value));
    }
    let middle = (plot.left + plot.right) / 2.0;
    scene.add(Shape::text([middle, plot.bottom + 36.0], Anchor::Middle, unit).fill(Ink::Muted));
    let zero = plot.across(0.0);
    scene.add(Shape::path([[zero, plot.top], [zero, plot.bottom]]).stroke(Ink::Muted, 1.0));
}

impl Bar {
    /// A bar of the first colour.
    pub fn new(name: impl Into<String>, value: f64) -> Bar {
        Bar { name: name.into(), value, interval: None, ink: 0 }
    }

    /// With half the width of its interval, if it has one.
    #[must_use]
    pub fn within(self, error: Option<f64>) -> Bar {
        let interval = error.map(|error| [self.value - error, self.value + error]);
        Bar { interval, ..self }
    }

    /// The ends of its interval if they are numbers, else its value.
    fn ends(&self) -> [f64; 2] {
        self.interval.filter(|ends| ends.iter().all(|end| end.is_finite())).unwrap_or([self.value; 2])
    }

    fn draw(&self, scene: &mut Scene, plot: &Plot, top: f64, name: String) {
        let interval = self.interval.map(|[low, high]| format!(" ({} to {})", short(low), short(high)));
        let note = format!("{}: {}{}", self.name, short(self.value), interval.unwrap_or_default());
        let middle = top + ROW / 2.0;
        scene.add(Shape::text([plot.left - 8.0, middle + 4.0], Anchor::End, name).note(&note));
        if !self.value.is_finite() {
            return;
        }
        let (zero, end) = (plot.across(0.0), plot.across(self.value));
        let rect = Shape::rect([zero.min(end), top + 4.0], [(end - zero).abs(), ROW - 8.0]);
        scene.add(rect.fill(Ink::Series(self.ink)).note(&note));
        let mut right = end.max(zero);
        if self.interval.is_some() {
            let ends = self.ends().map(|value| [plot.across(value), middle]);
            scene.add(Shape::path(ends).stroke(Ink::Text, 1.5));
            right = right.max(ends[1][0]);
        }
        scene.text([right + 6.0, middle + 4.0], Anchor::Start, short(self.value));
    }
}

impl Gauge {
    /// As a drawing.
    pub fn scene(&self) -> Scene {
        let (low, high) = (self.low.0, self.high.0);
        let axis = Axis::around([low, high, self.value, 0.0]);
        let plot = Plot { left: 40.0, top: 56.0, right: WIDTH - 40.0, bottom: 84.0, x: axis, y: axis };
        let mut scene = Scene::new(format!("{}: {:.2}", self.title, self.value), WIDTH, 150.0);
        scene.add(Shape::text([16.0, 22.0], Anchor::Start, format!("{}: {:.2}", self.title, self.value)).bold());
        let [left, right] = [low, high].map(|bound| plot.across(bound));
        scene.add(Shape::rect([left, plot.top], [right - left, 28.0]).fill(Ink::Grid));
        let (zero, value) = (plot.across(0.0), plot.across(self.value));
        let ink = Ink::Series(if self.value >= 0.0 { 2 } else { 1 });
        scene.add(Shape::rect([zero.min(value), plot.top + 6.0], [(value - zero).abs(), 16.0]).fill(ink));
        scene.add(Shape::path([[value, plot.top - 6.0], [value, plot.bottom + 6.0]]).stroke(Ink::Text, 2.0));
        for (bound, x, anchor) in [(&self.low, left, Anchor::Start), (&self.high, right, Anchor::End)] {
            scene.add(Shape::path([[x, plot.top - 4.0], [x, plot.bottom + 4.0]]).stroke(Ink::Muted, 1.0));
            scene.text([x, plot.bottom + 20.0], anchor, format!("{:.2}: {}", bound.0, bound.1));
        }
        scene.text([zero, plot.top - 8.0], Anchor::Middle, "0");
        scene.add(Shape::text([16.0, 134.0], Anchor::Start, &self.about).fill(Ink::Muted));
        scene
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Bar, Bars, Gauge, MOST_BARS};
    use crate::chart::scene::{Form, Ink, Scene};

    fn rects(scene: &Scene, inks: &[Ink]) -> Vec<([f64; 2], [f64; 2])> {
        let of_ink = scene.shapes.iter().filter(|shape| shape.fill.is_some_and(|ink| inks.contains(&ink)));
        of_ink
            .filter_map(|shape| match shape.form {
                Form::Rect { at, size } => Some((at, size)),
                _ => None,
            })
            .collect()
    }

    proptest! {
        #[test]
        fn lengths_are_proportional_to_values(values in prop::collection::vec(-1e4_f64..1e4, 1..50)) {
            let bars = values.iter().map(|&value| Bar::new("b", value)).collect();
            let scene = Bars { title: "t".into(), unit: "u".into(), bars }.scene();
            let rects = rects(&scene, &[Ink::Series(0)]);
            prop_assert_eq!(rects.len(), values.len());
            let most = values.iter().copied().fold(0.0, |most: f64, value| most.max(value.abs()));
            let scale = rects.iter().map(|(_, size)| size[0]).fold(0.0, f64::max) / most.max(1e-9);
            for ((at, size), value) in rects.iter().zip(&values) {
                prop_assert!((size[0] - value.abs() * scale).abs() < 0.01);
                prop_assert!(at[0] >= 0.0 && at[0] + size[0] <= scene.width);
            }
        }

        #[test]
        fn the_gauge_shows_which_bound_is_closer(low in -5.0_f64..-0.5, high in 0.5_f64..5.0, share in 0.01_f64..0.99) {
            let value = low + (high - low) * share;
            let gauge = Gauge { title: "LLR".into(), low: (low, "H0".into()), high: (high, "H1".into()), value, about: String::new() };
            let scene = gauge.scene();
            let (at, size) = rects(&scene, &[Ink::Grid])[0];
            let (bar_at, bar_size) = rects(&scene, &[Ink::Series(1), Ink::Series(2)])[0];
            let end = if value >= 0.0 { bar_at[0] + bar_size[0] } else { bar_at[0] };
            prop_assert!(((end - at[0]) / size[0] - share).abs() < 1e-6);
        }
    }

    #[test]
    fn odd_values_and_many_bars_are_drawn() {
        let bars = (0..MOST_BARS + 5).map(|_| Bar::new("n".repeat(200), f64::NAN).within(Some(f64::NAN))).collect();
        let scene = Bars { title: "t".into(), unit: "u".into(), bars }.scene();
        let more = |shape: &&super::Shape| matches!(&shape.form, Form::Text { words, .. } if words == "and 5 more");
        assert_eq!(scene.shapes.iter().filter(more).count(), 1);
        assert!(Bars { title: String::new(), unit: String::new(), bars: Vec::new() }.scene().height > 0.0);
    }
}
