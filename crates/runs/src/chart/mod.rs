//! Charts as data, and how they are drawn: as [`Scene`]s of shapes, which become SVG here and HTML and PNG in `web`; line
//! charts also in the terminal.
//!
//! Written here rather than taken from a plotting crate: charts of lines, bars and squares need no layout engine, lattices and
//! UpSet plots are in none of them, and what is written is the same byte for byte on every machine.
//!
//! | file | what |
//! | --- | --- |
//! | `scene` | shapes with inks, and SVG |
//! | `axis` | axes with round marks |
//! | `lines`, `bars`, `heat_map` | lines and points, bars and gauges, similarities |
//! | `lattice`, `overlap`, `matrix` | what became of features, which problems they share, which problem each solves |
//! | `tree` | programs |
//! | `terminal` | line charts in letters |

mod axis;
mod bars;
mod heat_map;
mod lattice;
mod lines;
mod matrix;
mod overlap;
pub mod scene;
mod terminal;
mod tree;

pub use axis::Axis;
pub use bars::{Bar, Bars, Gauge};
pub use heat_map::HeatMap;
pub use lattice::{Fate, Lattice, Node};
pub use lines::{Line, Lines, Mark, Scatter};
pub use matrix::{Matrix, Square};
pub use overlap::Overlap;
pub use scene::Scene;
pub use tree::{Tree, TreeNode};

use scene::Target;

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

/// A chart of any kind.
#[derive(Clone, PartialEq, Debug)]
pub enum Figure {
    /// Lines.
    Lines(Lines),
    /// Points.
    Scatter(Scatter),
    /// Bars.
    Bars(Bars),
    /// A value between two bounds.
    Gauge(Gauge),
    /// Features and what became of them.
    Lattice(Lattice),
    /// Which problem is solved with which feature.
    Matrix(Matrix),
    /// What sets have in common.
    Overlap(Overlap),
    /// How alike some things are.
    HeatMap(HeatMap),
    /// A tree.
    Tree(Tree),
}

impl Figure {
    /// As a drawing.
    pub fn scene(&self) -> Scene {
        match self {
            Figure::Lines(lines) => lines.scene(),
            Figure::Scatter(scatter) => scatter.scene(),
            Figure::Bars(bars) => bars.scene(),
            Figure::Gauge(gauge) => gauge.scene(),
            Figure::Lattice(lattice) => lattice.scene(),
            Figure::Matrix(matrix) => matrix.scene(),
            Figure::Overlap(overlap) => overlap.scene(),
            Figure::HeatMap(map) => map.scene(),
            Figure::Tree(tree) => tree.scene(),
        }
    }

    /// What it shows.
    pub fn title(&self) -> &str {
        match self {
            Figure::Lines(lines) => &lines.title,
            Figure::Scatter(scatter) => &scatter.title,
            Figure::Bars(bars) => &bars.title,
            Figure::Gauge(gauge) => &gauge.title,
            Figure::Lattice(lattice) => &lattice.title,
            Figure::Matrix(matrix) => &matrix.title,
            Figure::Overlap(overlap) => &overlap.title,
            Figure::HeatMap(map) => &map.title,
            Figure::Tree(tree) => &tree.title,
        }
    }
}

impl Chart {
    /// The chart as a file for browsers and papers.
    pub fn svg(&self) -> String {
        Lines::from(self).scene().svg(Target::File)
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
        Axis::around(self.series.iter().flat_map(|series| &series.values).copied())
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

#[cfg(test)]
mod tests {
    use super::{Chart, Series};

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
    fn an_svg_has_every_line_and_no_raw_text() {
        let svg = chart().svg();
        assert_eq!(svg.matches("stroke=\"#0072b2\"").count(), 2, "the line, and its sample in the legend");
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
