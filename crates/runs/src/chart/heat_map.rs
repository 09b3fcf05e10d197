//! A table of similarities as SVG: dark squares for what is alike, in groups.

use std::fmt::Write;

use super::svg::text;

/// How alike some things are.
#[derive(Clone, PartialEq, Debug)]
pub struct HeatMap {
    /// What it shows.
    pub title: String,
    /// What is compared.
    pub labels: Vec<String>,
    /// The group of each; those of one group are next to each other.
    pub groups: Vec<usize>,
    /// A row for each label, from -1 to 1.
    pub values: Vec<Vec<f64>>,
}

/// The side of a square.
const CELL: f64 = 18.0;
const TOP: f64 = 40.0;
const MARGIN: f64 = 12.0;
/// The width of a letter, roughly.
const LETTER: f64 = 7.0;

impl HeatMap {
    /// The picture as a file for browsers and papers.
    pub fn svg(&self) -> String {
        let longest = self.labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let left = MARGIN + LETTER * longest as f64 + 6.0;
        let side = CELL * self.labels.len() as f64;
        let title = MARGIN * 2.0 + LETTER * self.title.chars().count() as f64;
        let (width, height) = ((left + side + 60.0).max(title), TOP + side + MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#ffffff\"/>\n"
        );
        text(&mut svg, (MARGIN, TOP - 18.0), "start", &self.title);
        for (row, label) in self.labels.iter().enumerate() {
            let y = TOP + CELL * row as f64;
            text(&mut svg, (left - 6.0, y + CELL - 5.0), "end", label);
            for (column, value) in self.values.get(row).into_iter().flatten().enumerate() {
                square(&mut svg, (left + CELL * column as f64, y), *value);
            }
        }
        self.frames(&mut svg, left);
        svg + "</svg>\n"
    }

    /// A frame around each group, with its number.
    fn frames(&self, svg: &mut String, left: f64) {
        let mut first = 0;
        for group in self.groups.chunk_by(|one, other| one == other) {
            let (start, side) = (CELL * first as f64, CELL * group.len() as f64);
            let _ = writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" fill=\"none\" stroke=\"#d55e00\" \
                 stroke-width=\"2\"/>",
                left + start,
                TOP + start,
            );
            let right = left + CELL * self.labels.len() as f64 + 8.0;
            text(svg, (right, TOP + start + CELL - 5.0), "start", &(group[0] + 1).to_string());
            first += group.len();
        }
    }
}

/// White for 0, blue for 1, orange below 0.
fn square(svg: &mut String, (x, y): (f64, f64), value: f64) {
    let colour = if value < 0.0 { "#e69f00" } else { "#0072b2" };
    let strength = if value.is_finite() { value.abs().min(1.0) } else { 0.0 };
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{colour}\" fill-opacity=\"{strength:.3}\"/>"
    );
}

#[cfg(test)]
mod tests {
    use super::HeatMap;

    #[test]
    fn every_pair_has_a_square_and_every_group_a_frame() {
        let map = HeatMap {
            title: "Alike & <not>".to_string(),
            labels: ["a", "b", "c"].map(str::to_string).to_vec(),
            groups: vec![0, 0, 1],
            values: vec![vec![1.0, 0.8, 0.0], vec![0.8, 1.0, -0.5], vec![0.0, -0.5, 1.0]],
        };
        let svg = map.svg();
        assert_eq!(svg.matches("fill-opacity").count(), 9);
        assert_eq!(svg.matches("stroke-width").count(), 2);
        assert_eq!(svg.matches("#e69f00").count(), 2, "what is below zero");
        assert!(svg.contains("Alike &amp; &lt;not&gt;") && svg.ends_with("</svg>\n"));
        let empty = HeatMap { title: String::new(), labels: Vec::new(), groups: Vec::new(), values: Vec::new() };
        assert!(empty.svg().ends_with("</svg>\n"));
    }
}
