//! Line charts, like the paper's Figure 1: values by iteration, as SVG and in the terminal; and heat maps, as SVG.
//!
//! Written here rather than taken from a plotting crate: charts of a few lines or squares need a dozen tags, no fonts and no
//! layout engine, and what is written is the same byte for byte on every machine.

mod heat_map;
mod svg;
mod terminal;

pub use heat_map::HeatMap;

/// Some lines over the same iterations.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What the values are.
    pub unit: String,
    /// The lines.
    pub series: Vec<Series>,
}

/// One line: a value for each iteration from the first on.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What it is called.
    pub name: String,
    /// Its values.
    pub values: Vec<f64>,
    /// Whether it is drawn with dots, as the paper does for solved problems.
    pub is_dotted: bool,
}

/// The vertical axis: its ends and the distance of its marks.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Axis {
    low: f64,
    high: f64,
    tick: f64,
}

impl Chart {
    /// The chart as a file for browsers and papers.
    pub fn svg(&self) -> String {
        svg::draw(self)
    }

    /// The chart in letters.
    pub fn text(&self) -> String {
        terminal::draw(self)
    }

    /// How many iterations the longest line has.
    fn iterations(&self) -> usize {
        self.series.iter().map(|series| series.values.len()).max().unwrap_or(0)
    }

    /// An axis with round marks around all values.
    fn axis(&self) -> Axis {
        let values = self.series.iter().flat_map(|series| &series.values).copied().filter(|value| value.is_finite());
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
}

impl Series {
    /// A drawn-through line.
    pub fn new(name: impl Into<String>, values: Vec<f64>) -> Series {
        Series { name: name.into(), values, is_dotted: false }
    }

    /// A dotted one.
    pub fn dotted(name: impl Into<String>, values: Vec<f64>) -> Series {
        Series { is_dotted: true, ..Series::new(name, values) }
    }
}

impl Axis {
    /// Where a value lies, from 0 at the bottom to 1 at the top.
    fn share(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The values with a mark, from the bottom up.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        let Axis { low, high, tick } = *self;
        let count = ((high - low) / tick).round().min(20.0) as u32;
        (0..=count).map(move |number| low + f64::from(number) * tick)
    }

    /// A value with as many decimals as the marks need.
    fn label(&self, value: f64) -> String {
        let decimals = (0..6).find(|&decimals| {
            let scaled = self.tick * 10_f64.powi(decimals);
            (scaled - scaled.round()).abs() < 1e-6
        });
        let text = format!("{value:.*}", decimals.unwrap_or(6) as usize);
        if text.starts_with('-') && text.bytes().all(|byte| b"-0.".contains(&byte)) {
            text[1..].to_string()
        } else {
            text
        }
    }
}

/// The least of 1, 2 and 5 times a power of ten that is no less.
fn round_above(number: f64) -> f64 {
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
    use super::{Chart, Series, round_above};

    fn chart() -> Chart {
        Chart {
            title: "Nodes & <solved>".into(),
            unit: "%".into(),
            series: vec![
                Series::new("relative nodes", vec![100.0, 90.0, 80.0, 76.0]),
                Series::dotted("solved", vec![40.0, 50.0, 52.0, 57.0]),
            ],
        }
    }

    #[test]
    fn marks_are_round_and_surround_all_values() {
        assert_eq!([0.03, 1.0, 1.1, 2.0, 4.9, 7.0].map(round_above), [0.05, 1.0, 2.0, 2.0, 5.0, 10.0]);
        let axis = chart().axis();
        assert_eq!((axis.low, axis.high, axis.tick), (40.0, 100.0, 20.0));
        assert_eq!(axis.ticks().map(|tick| axis.label(tick)).collect::<Vec<_>>(), ["40", "60", "80", "100"]);
    }

    #[test]
    fn an_svg_has_every_line_and_no_raw_text() {
        let svg = chart().svg();
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("stroke-dasharray").count(), 2, "the dotted line, and its sample in the legend");
        assert!(svg.contains("Nodes &amp; &lt;solved&gt;") && !svg.contains("& <"), "{svg}");
        assert!(svg.starts_with("<svg xmlns") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn letters_fall_where_values_fall() {
        let text = chart().text();
        let rows: Vec<_> = text.lines().collect();
        let row_of = |letter: char, first: bool| {
            let column = |row: &&str| row.find('|').map(|bar| row[bar..].find(letter));
            let hits = rows.iter().enumerate().filter_map(|(number, row)| column(row).flatten().map(|at| (number, at)));
            let mut hits: Vec<_> = hits.collect();
            hits.sort_by_key(|(_, at)| *at);
            (if first { hits.first() } else { hits.last() }).unwrap().0
        };
        assert!(row_of('a', true) < row_of('b', true), "a begins above b:\n{text}");
        assert!(row_of('b', false) < row_of('b', true), "b rises:\n{text}");
        assert!(text.contains("a relative nodes") && text.contains("b solved"), "{text}");
    }

    #[test]
    fn odd_values_draw_something() {
        for values in
            [vec![], vec![1.0], vec![2.0, 2.0], vec![f64::NAN, 1.0], vec![0.0, 0.0], vec![-1e9, 1e9], vec![1e-7]]
        {
            let chart = Chart { title: "t".into(), unit: "u".into(), series: vec![Series::new("s", values.clone())] };
            assert!(!chart.svg().contains("NaN") && !chart.svg().contains("inf"), "{values:?}");
            assert!(chart.text().contains("a s"), "{values:?}");
        }
    }
}
