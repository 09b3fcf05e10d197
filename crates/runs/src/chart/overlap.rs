//! What sets have in common, as an UpSet plot (Lex, Gehlenborg and others, 2014): a column for each combination of sets, with
//! the number of elements that are in exactly these.

use std::collections::HashMap;

use super::axis::Axis;
use super::scene::{Anchor, Ink, Scene, Shape, shortened, width_of};

/// Some sets and the elements that exactly some of them have.
#[derive(Clone, PartialEq, Debug)]
pub struct Overlap {
    /// What it shows.
    pub title: String,
    /// What the elements are.
    pub unit: String,
    /// The sets, with their sizes.
    pub sets: Vec<(String, usize)>,
    /// Which sets, and how many elements are in exactly these; the largest first.
    pub columns: Vec<(Vec<bool>, usize)>,
    /// Elements in columns that are left out.
    pub hidden: usize,
}

/// More columns are left out.
const MOST_COLUMNS: usize = 24;
const COLUMN: f64 = 22.0;
const ROW: f64 = 20.0;
const TOP: f64 = 60.0;
const HEIGHT: f64 = 160.0;

impl Overlap {
    /// What sets have in common: for each element, which sets have it.
    pub fn new(
        title: impl Into<String>,
        unit: impl Into<String>,
        names: Vec<String>,
        elements: impl IntoIterator<Item = Vec<bool>>,
    ) -> Overlap {
        let mut counts: HashMap<Vec<bool>, usize> = HashMap::new();
        let mut sizes = vec![0; names.len()];
        for element in elements {
            sizes.iter_mut().zip(&element).for_each(|(size, is_in)| *size += usize::from(*is_in));
            *counts.entry(element).or_default() += 1;
        }
        let mut columns: Vec<(Vec<bool>, usize)> = counts.into_iter().collect();
        columns.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| other.0.cmp(&one.0)));
        let hidden = columns.iter().skip(MOST_COLUMNS).map(|(_, count)| count).sum();
        columns.truncate(MOST_COLUMNS);
        Overlap {
            title: title.into(),
            unit: unit.into(),
            sets: names.into_iter().zip(sizes).collect(),
            columns,
            hidden,
        }
    }

    /// As a drawing.
    pub fn scene(&self) -> Scene {
        let label = |(name, size): &(String, usize)| format!("{} ({size})", shortened(name, 24));
        let labels: Vec<String> = self.sets.iter().map(label).collect();
        let left = labels.iter().map(|label| width_of(label)).fold(80.0, f64::max) + 32.0;
        let right = left + COLUMN * self.columns.len().max(1) as f64;
        let bottom = TOP + HEIGHT + 16.0 + ROW * labels.len() as f64;
        let width = (right + 24.0).max(width_of(&self.title) * 1.2 + 32.0).max(420.0);
        let mut scene = Scene::new(&self.title, width, bottom + 32.0);
        scene.add(Shape::text([16.0, 22.0], Anchor::Start, &self.title).bold());
        let axis = Axis::of_counts(self.columns.iter().map(|(_, count)| *count as f64).chain([0.0]));
        for value in axis.ticks() {
            let y = TOP + HEIGHT - axis.share(value) * HEIGHT;
            scene.add(Shape::path([[left, y], [right, y]]).stroke(Ink::Grid, 1.0));
            scene.text([left - 6.0, y + 4.0], Anchor::End, axis.label(value));
        }
        scene.add(Shape::text([left, TOP - 14.0], Anchor::Start, &self.unit).fill(Ink::Muted));
        for (row, (label, (name, _))) in labels.iter().zip(&self.sets).enumerate() {
            let y = row_middle(row);
            scene.add(Shape::text([left - 10.0, y + 4.0], Anchor::End, label).note(name));
            scene.add(Shape::path([[left, y], [right, y]]).stroke(Ink::Grid, 1.0));
        }
        for (place, (sets, count)) in self.columns.iter().enumerate() {
            self.column(&mut scene, left + COLUMN * (place as f64 + 0.5), sets, *count, &axis);
        }
        if self.hidden > 0 {
            let words = format!("{} more in smaller groups", self.hidden);
            scene.add(Shape::text([16.0, bottom + 22.0], Anchor::Start, words).fill(Ink::Muted));
        }
        scene
    }

    fn column(&self, scene: &mut Scene, x: f64, sets: &[bool], count: usize, axis: &Axis) {
        let names = self.sets.iter().zip(sets).filter(|(_, is_in)| **is_in).map(|((name, _), _)| name.as_str());
        let names: Vec<&str> = names.collect();
        let whose = if names.is_empty() { "none of these".to_string() } else { names.join(", ") };
        let note = format!("{count} {}: {whose}", self.unit);
        let height = axis.share(count as f64) * HEIGHT;
        let bar = Shape::rect([x - 7.0, TOP + HEIGHT - height], [14.0, height]);
        scene.add(bar.fill(Ink::Series(0)).note(&note));
        for (row, is_in) in sets.iter().enumerate() {
            let ink = if *is_in { Ink::Series(0) } else { Ink::Grid };
            scene.add(Shape::circle([x, row_middle(row)], 5.0).fill(ink).note(&note));
        }
        let rows = || sets.iter().enumerate().filter(|(_, is_in)| **is_in).map(|(row, _)| row_middle(row));
        if let (Some(first), Some(last)) = (rows().next(), rows().next_back()) {
            scene.add(Shape::path([[x, first], [x, last]]).stroke(Ink::Series(0), 2.0));
        }
    }
}

fn row_middle(row: usize) -> f64 {
    TOP + HEIGHT + 22.0 + ROW * row as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MOST_COLUMNS, Overlap};
    use crate::chart::scene::Target;

    proptest! {
        /// Columns count what a look at every element counts, the largest first, and no element is lost.
        #[test]
        fn columns_count_every_element_once(elements in prop::collection::vec(prop::collection::vec(any::<bool>(), 5), 0..200)) {
            let names = (0..5).map(|set| format!("set {set}")).collect();
            let overlap = Overlap::new("t", "problems", names, elements.clone());
            for (place, (_, size)) in overlap.sets.iter().enumerate() {
                prop_assert_eq!(*size, elements.iter().filter(|element| element[place]).count());
            }
            for (sets, count) in &overlap.columns {
                prop_assert_eq!(*count, elements.iter().filter(|element| *element == sets).count());
            }
            let shown: usize = overlap.columns.iter().map(|(_, count)| count).sum();
            prop_assert_eq!(shown + overlap.hidden, elements.len());
            prop_assert!(overlap.columns.len() <= MOST_COLUMNS);
            prop_assert!(overlap.columns.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        }
    }

    #[test]
    fn notes_name_the_sets() {
        let elements = [vec![true, false], vec![true, false], vec![true, true], vec![false, false]];
        let overlap = Overlap::new("t", "problems", vec!["a<".to_string(), "b".to_string()], elements);
        let svg = overlap.scene().svg(Target::Page);
        assert!(svg.contains("2 problems: a&lt;<") && svg.contains("1 problems: a&lt;, b<"), "{svg}");
        assert!(svg.contains("1 problems: none of these<") && svg.contains("a&lt; (3)"), "{svg}");
        assert!(!Overlap::new("t", "u", Vec::new(), []).scene().shapes.is_empty());
    }
}
