//! Axes with round marks.

use super::scene::{Anchor, Ink, Scene, Shape};

/// An axis: its ends and the distance of its marks.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Axis {
    /// The value at its start.
    pub low: f64,
    /// The value at its end.
    pub high: f64,
    /// The distance of marks.
    pub tick: f64,
}

/// The part of a drawing in which values are drawn: left, top, right, bottom.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Plot {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
    pub x: Axis,
    pub y: Axis,
}

impl Axis {
    /// An axis with round marks around all values that are numbers.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Axis {
        let values = values.into_iter().filter(|value| value.is_finite());
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return Axis { low: 0.0, high: 1.0, tick: 0.5 };
        }
        let span = (high - low).max(1e-3 * high.abs()).max(1e-9);
        let tick = round_above(span / 5.0);
        let (low, high) = ((low / tick).floor() * tick, (high / tick).ceil() * tick);
        Axis { low, high: if high > low { high } else { low + tick }, tick }
    }

    /// An axis of whole numbers around all values.
    pub fn of_counts(values: impl IntoIterator<Item = f64>) -> Axis {
        let axis = Axis::around(values);
        let tick = axis.tick.max(1.0).round();
        let (low, high) = ((axis.low / tick).floor() * tick, (axis.high / tick).ceil() * tick);
        Axis { low, high: high.max(low + tick), tick }
    }

    /// Where a value lies, from 0 at the start to 1 at the end.
    pub fn share(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The values with a mark, in rising order.
    pub fn ticks(&self) -> impl Iterator<Item = f64> {
        let Axis { low, high, tick } = *self;
        let count = ((high - low) / tick).round().min(20.0) as u32;
        (0..=count).map(move |number| low + f64::from(number) * tick)
    }

    /// A value with as many decimals as the marks need.
    pub fn label(&self, value: f64) -> String {
        let decimals = (0..6).find(|&decimals| {
            let scaled = self.tick * 10_f64.powi(decimals);
            (scaled - scaled.round()).abs() < 1e-6
        });
        let text = format!("{value:.*}", decimals.unwrap_or(6) as usize);
        let text = if text.starts_with('-') && text.bytes().all(|byte| b"-0.".contains(&byte)) {
            text[1..].to_string()
        } else {
            text
        };
        grouped(&text)
    }
}

/// Long numbers with their thousands separated.
fn grouped(text: &str) -> String {
    match text.strip_prefix('-').unwrap_or(text).parse::<u64>() {
        Ok(whole) if whole >= 10_000 => {
            let sign = if text.starts_with('-') { "-" } else { "" };
            format!("{sign}{}", crate::number_words::thousands(whole))
        }
        _ => text.to_string(),
    }
}

impl Plot {
    /// Where a value lies from left to right.
    pub fn across(&self, value: f64) -> f64 {
        self.left + self.x.share(value) * (self.right - self.left)
    }

    /// Where a value lies from top to bottom.
    pub fn down(&self, value: f64) -> f64 {
        self.bottom - self.y.share(value) * (self.bottom - self.top)
    }

    /// Draws both axes with their names.
    pub fn frame(&self, scene: &mut Scene, x: &str, y: &str) {
        let Plot { left, top, right, bottom, .. } = *self;
        for value in self.y.ticks() {
            let place = self.down(value);
            scene.add(Shape::path([[left, place], [right, place]]).stroke(Ink::Grid, 1.0));
            scene.text([left - 6.0, place + 4.0], Anchor::End, self.y.label(value));
        }
        for value in self.x.ticks() {
            let place = self.across(value);
            scene.add(Shape::path([[place, bottom], [place, bottom + 4.0]]).stroke(Ink::Muted, 1.0));
            scene.text([place, bottom + 18.0], Anchor::Middle, self.x.label(value));
        }
        scene.add(Shape::text([(left + right) / 2.0, bottom + 38.0], Anchor::Middle, x).fill(Ink::Muted));
        scene.add(Shape::text([left, top - 10.0], Anchor::Start, y).fill(Ink::Muted));
        scene.add(Shape::path([[left, top], [left, bottom], [right, bottom]]).stroke(Ink::Muted, 1.0));
    }
}

/// The least of 1, 2 and 5 times a power of ten that is no less.
pub(super) fn round_above(number: f64) -> f64 {
    let mut power = 1.0;
    while power > number {
        power /= 10.0;
    }
    while power * 10.0 <= number {
        power *= 10.0;
    }
    [1.0, 2.0, 5.0].map(|digit| digit * power).into_iter().find(|round| *round >= number).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::{Axis, round_above};

    #[test]
    fn marks_are_round_and_surround_all_values() {
        assert_eq!([0.03, 1.0, 1.1, 2.0, 4.9, 7.0].map(round_above), [0.05, 1.0, 2.0, 2.0, 5.0, 10.0]);
        let axis = Axis::around([100.0, 57.0, 40.0, f64::NAN]);
        assert_eq!((axis.low, axis.high, axis.tick), (40.0, 100.0, 20.0));
        assert_eq!(axis.ticks().map(|tick| axis.label(tick)).collect::<Vec<_>>(), ["40", "60", "80", "100"]);
        assert_eq!(Axis::around([0.0, 120_000.0]).label(120_000.0), "120,000");
        assert_eq!(Axis::of_counts([1.0, 2.0]).tick, 1.0);
    }

    proptest::proptest! {
        #[test]
        fn every_value_lies_between_the_ends(values in proptest::collection::vec(-1e9_f64..1e9, 1..20)) {
            for axis in [Axis::around(values.iter().copied()), Axis::of_counts(values.iter().copied())] {
                for &value in &values {
                    let slack = 1e-9 * (axis.high - axis.low);
                    proptest::prop_assert!(axis.low <= value + slack && value <= axis.high + slack, "{axis:?} {value}");
                }
                let ticks: Vec<f64> = axis.ticks().collect();
                proptest::prop_assert!(ticks.len() >= 2 && ticks.len() <= 21);
            }
        }
    }
}
