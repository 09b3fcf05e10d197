//! A table of similarities: dark squares for what is alike, in groups.

use super::scene::{Anchor, Ink, Scene, Shape, Target, shortened, width_of};

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

impl HeatMap {
    /// The picture as a file for browsers and papers.
    pub fn svg(&self) -> String {
        self.scene().svg(Target::File)
    }

    /// As a drawing.
    pub fn scene(&self) -> Scene {
        let labels: Vec<String> = self.labels.iter().map(|label| shortened(label, 40)).collect();
        let longest = labels.iter().map(|label| width_of(label)).fold(0.0, f64::max);
        let left = MARGIN + longest + 6.0;
        let side = CELL * labels.len() as f64;
        let title = MARGIN * 2.0 + width_of(&self.title) * 1.2;
        let mut scene = Scene::new(&self.title, (left + side + 60.0).max(title), TOP + side + MARGIN);
        scene.add(Shape::text([MARGIN, TOP - 18.0], Anchor::Start, &self.title).bold());
        for (row, label) in labels.iter().enumerate() {
            let y = TOP + CELL * row as f64;
            scene.add(Shape::text([left - 6.0, y + CELL - 5.0], Anchor::End, label).note(&self.labels[row]));
            for (column, value) in self.values.get(row).into_iter().flatten().enumerate() {
                let other = self.labels.get(column).map_or("", String::as_str);
                let note = format!("{} and {other}: {value:.2}", self.labels[row]);
                scene.add(square([left + CELL * column as f64, y], *value).note(note));
            }
        }
        self.frames(&mut scene, left);
        scene
    }

    /// A frame around each group, with its number.
    fn frames(&self, scene: &mut Scene, left: f64) {
        let mut first = 0;
        for group in self.groups.chunk_by(|one, other| one == other) {
            let (start, side) = (CELL * first as f64, CELL * group.len() as f64);
            scene.add(Shape::rect([left + start, TOP + start], [side, side]).stroke(Ink::Series(1), 2.0));
            let right = left + CELL * self.labels.len() as f64 + 8.0;
            scene.text([right, TOP + start + CELL - 5.0], Anchor::Start, (group[0] + 1).to_string());
            first += group.len();
        }
    }
}

/// Nothing for 0, blue for 1, orange below 0.
fn square(at: [f64; 2], value: f64) -> Shape {
    let ink = Ink::Series(if value < 0.0 { 4 } else { 0 });
    Shape::rect(at, [CELL, CELL]).fill(ink).opacity(if value.is_finite() { value.abs() } else { 0.0 })
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
        assert_eq!(svg.matches("<rect x=").count(), 9 + 2);
        assert_eq!(svg.matches("stroke-width").count(), 2);
        assert_eq!(svg.matches("#e69f00").count(), 2, "what is below zero");
        assert!(svg.contains("Alike &amp; &lt;not&gt;") && svg.ends_with("</svg>\n"));
        let empty = HeatMap { title: String::new(), labels: Vec::new(), groups: Vec::new(), values: Vec::new() };
        assert!(empty.svg().ends_with("</svg>\n"));
    }
}
