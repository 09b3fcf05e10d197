//! Features in layers, by how many atoms they have, with lines from each survivor to the features that it extends.
//!
//! What was kept is a box with its name. Everything else is a disc below the boxes of its layer, because a run can have
//! thousands of features that came to nothing; a script draws the lines of those on demand, from the attributes `data-node`
//! and `data-parents`.

use std::collections::BTreeMap;

use super::lines::short;
use super::scene::{Anchor, Ink, Scene, Shape, shortened, width_of};

/// Features and what became of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Lattice {
    /// What it shows.
    pub title: String,
    /// What the values are.
    pub unit: String,
    /// The names of the layers, from top to bottom.
    pub layers: Vec<String>,
    /// The features.
    pub nodes: Vec<Node>,
}

/// A feature.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// The number of its layer.
    pub layer: usize,
    /// The numbers of the features that it was made from.
    pub parents: Vec<usize>,
    /// What became of it.
    pub fate: Fate,
    /// By which rule.
    pub rule: String,
    /// What it is worth, if that was measured to the end.
    pub value: Option<f64>,
    /// How much better than Neutral it is, with half the width of the interval, if it is known.
    pub gain: Option<(f64, f64)>,
    /// The share of moves that it decided over, if it is known.
    pub frequency: Option<f64>,
}

/// What became of a feature.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fate {
    /// The search without features.
    Neutral,
    /// An atom of the Base set.
    Base,
    /// It survived.
    Survivor,
    /// It did not improve on its first parent.
    Pruned,
    /// An atom that solved too few.
    Dropped,
    /// It was never combined.
    Blacklisted,
}

impl Fate {
    /// Every fate, those of features that were kept first.
    pub const ALL: [Fate; 6] =
        [Fate::Neutral, Fate::Base, Fate::Survivor, Fate::Pruned, Fate::Dropped, Fate::Blacklisted];

    /// Whether the feature is part of the result.
    pub fn is_kept(self) -> bool {
        matches!(self, Fate::Neutral | Fate::Base | Fate::Survivor)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Neutral => "Neutral",
            Fate::Base => "base",
            Fate::Survivor => "survives",
            Fate::Pruned => "pruned",
            Fate::Dropped => "dropped",
            Fate::Blacklisted => "never combined",
        }
    }

    fn ink(self) -> Ink {
        match self {
            Fate::Neutral => Ink::Muted,
            Fate::Base => Ink::Series(0),
            Fate::Survivor => Ink::Series(2),
            Fate::Pruned => Ink::Series(1),
            Fate::Dropped => Ink::Series(4),
            Fate::Blacklisted => Ink::Series(3),
        }
    }
}

const WIDTH: f64 = 960.0;
const LEFT: f64 = 100.0;
const BOX: f64 = 20.0;
const ROW: f64 = 28.0;
const DISC: f64 = 11.0;
/// In a layer, the best of the features that were kept have boxes; the others are discs, like those that were not kept.
const MOST_BOXES: usize = 48;
/// More features are not drawn.
pub const MOST_NODES: usize = 3_000;

/// Where the features are.
struct Layout {
    /// The centre of each, and whether it is a box.
    places: Vec<Option<([f64; 2], bool)>>,
    /// The top of each layer.
    tops: Vec<f64>,
    height: f64,
}

impl Lattice {
    /// As a drawing.
    pub fn scene(&self) -> Scene {
        let layout = self.layout();
        let mut scene = Scene::new(&self.title, WIDTH, layout.height);
        scene.add(Shape::text([16.0, 22.0], Anchor::Start, &self.title).bold());
        self.legend(&mut scene);
        for (layer, top) in self.layers.iter().zip(&layout.tops) {
            scene.add(Shape::text([16.0, top + 14.0], Anchor::Start, shortened(layer, 14)).fill(Ink::Muted));
            scene.add(Shape::path([[16.0, top - 8.0], [WIDTH - 16.0, top - 8.0]]).stroke(Ink::Grid, 1.0));
        }
        self.lines(&mut scene, &layout);
        for (number, node) in self.nodes.iter().enumerate() {
            if let Some((at, is_box)) = layout.places[number] {
                self.node(&mut scene, number, node, at, is_box);
            }
        }
        let hidden = layout.places.iter().filter(|place| place.is_none()).count();
        if hidden > 0 {
            scene.text([16.0, layout.height - 8.0], Anchor::Start, format!("and {hidden} more, which are not drawn"));
        }
        scene
    }

    fn layout(&self) -> Layout {
        let mut places = vec![None; self.nodes.len()];
        let (mut top, mut tops) = (72.0, Vec::new());
        for layer in 0..self.layers.len() {
            tops.push(top);
            let (boxes, discs) = self.members(layer);
            let mut x = LEFT;
            for &number in &boxes {
                let width = self.nodes[number].box_width();
                if x + width > WIDTH - 16.0 && x > LEFT {
                    (x, top) = (LEFT, top + ROW);
                }
                places[number] = Some(([x + width / 2.0, top + BOX / 2.0], true));
                x += width + 10.0;
            }
            if !boxes.is_empty() {
                top += ROW;
            }
            let across = ((WIDTH - 16.0 - LEFT) / DISC) as usize;
            for (place, &number) in discs.iter().enumerate() {
                let at = [LEFT + 5.0 + DISC * (place % across) as f64, top + 6.0 + DISC * (place / across) as f64];
                places[number] = Some((at, false));
            }
            top += DISC * discs.len().div_ceil(across) as f64 + 30.0;
        }
        Layout { places, tops, height: top + 8.0 }
    }

    /// The features of a layer: those with boxes, and the others.
    fn members(&self, layer: usize) -> (Vec<usize>, Vec<usize>) {
        let drawn = &self.nodes[..self.nodes.len().min(MOST_NODES)];
        let of_layer = drawn.iter().enumerate().filter(|(_, node)| node.layer == layer).map(|(number, _)| number);
        let (mut boxes, mut discs): (Vec<usize>, Vec<usize>) =
            of_layer.partition(|number| self.nodes[*number].fate.is_kept());
        let value = |number: &usize| self.nodes[*number].value.unwrap_or(f64::NEG_INFINITY);
        let best_first = |one: &usize, other: &usize| value(other).total_cmp(&value(one));
        boxes.sort_by(best_first);
        discs.sort_by(|one, other| {
            self.nodes[*one].fate.cmp(&self.nodes[*other].fate).then_with(|| best_first(one, other))
        });
        if boxes.len() > MOST_BOXES {
            discs.splice(0..0, boxes.split_off(MOST_BOXES));
        }
        (boxes, discs)
    }

    /// The lines from boxes to the boxes of their parents.
    fn lines(&self, scene: &mut Scene, layout: &Layout) {
        for (number, node) in self.nodes.iter().enumerate() {
            let Some((to, true)) = layout.places[number] else { continue };
            let parents = node.parents.iter().filter_map(|&parent| layout.places.get(parent).copied().flatten());
            for (from, _) in parents.filter(|(_, is_box)| *is_box) {
                let ends = [[from[0], from[1] + BOX / 2.0], [to[0], to[1] - BOX / 2.0]];
                scene.add(Shape::path(ends).stroke(Ink::Grid, 1.2));
            }
        }
    }

    fn node(&self, scene: &mut Scene, number: usize, node: &Node, at: [f64; 2], is_box: bool) {
        let parents: Vec<String> = node.parents.iter().map(usize::to_string).collect();
        let shape = match is_box {
            true => {
                let width = node.box_width();
                let corner = [at[0] - width / 2.0, at[1] - BOX / 2.0];
                Shape::rect(corner, [width, BOX]).fill(Ink::Back).stroke(node.fate.ink(), 1.6)
            }
            false => Shape::circle(at, 4.0).fill(node.fate.ink()),
        };
        let shape = shape.note(node.note(&self.unit)).link(format!("#feature-{number}"));
        scene.add(shape.data("node", number.to_string()).data("parents", parents.join(" ")));
        if is_box {
            scene.text([at[0], at[1] + 4.0], Anchor::Middle, shortened(&node.name, 22));
        }
    }

    /// What the colours mean, with the number of features.
    fn legend(&self, scene: &mut Scene) {
        let mut counts: BTreeMap<Fate, usize> = BTreeMap::new();
        self.nodes.iter().for_each(|node| *counts.entry(node.fate).or_default() += 1);
        let mut x = LEFT;
        for (fate, count) in counts {
            let words = format!("{} ({count})", fate.name());
            scene.add(Shape::circle([x, 42.0], 4.5).fill(fate.ink()));
            scene.text([x + 10.0, 46.0], Anchor::Start, &words);
            x += width_of(&words) + 30.0;
        }
    }
}

impl Node {
    fn box_width(&self) -> f64 {
        width_of(&shortened(&self.name, 22)) + 14.0
    }

    /// Everything that is known of it, a line each.
    pub fn note(&self, unit: &str) -> String {
        let mut lines = vec![format!("{}: {}", self.name, self.fate.name())];
        if !self.rule.is_empty() {
            lines.push(self.rule.clone());
        }
        if let Some(value) = self.value {
            lines.push(format!("{unit}: {}", short(value)));
        }
        if let Some((gain, error)) = self.gain {
            lines.push(format!("gain on Neutral: {} ± {}", short(gain), short(error)));
        }
        lines.extend(self.frequency.map(|share| format!("frequency: {}", crate::number_words::percent(share))));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Fate, LEFT, Lattice, MOST_NODES, Node, WIDTH};
    use crate::chart::scene::{Form, Target};

    fn lattice(fates: &[(usize, usize)]) -> Lattice {
        let node = |(number, &(layer, fate)): (usize, &(usize, usize))| Node {
            name: format!("feature {number} <b>"),
            layer,
            parents: if number > 0 { vec![0, number - 1] } else { Vec::new() },
            fate: Fate::ALL[fate],
            rule: "by a rule".to_string(),
            value: Some(number as f64),
            gain: Some((2.0, 1.0)),
            frequency: Some(0.5),
        };
        let layers = (0..4).map(|layer| format!("{layer} atoms")).collect();
        Lattice {
            title: "Lattice".to_string(),
            unit: "solved".to_string(),
            layers,
            nodes: fates.iter().enumerate().map(node).collect(),
        }
    }

    proptest! {
        /// Every feature is drawn once, in the band of its layer, and no two are at one place.
        #[test]
        fn every_feature_has_a_place_of_its_own(fates in prop::collection::vec((0_usize..4, 0_usize..6), 1..300)) {
            let lattice = lattice(&fates);
            let layout = lattice.layout();
            let places: Vec<([f64; 2], bool)> = layout.places.iter().map(|place| place.unwrap()).collect();
            for (number, &([x, y], is_box)) in places.iter().enumerate() {
                let layer = fates[number].0;
                let bottom = layout.tops.get(layer + 1).copied().unwrap_or(layout.height);
                prop_assert!(layout.tops[layer] <= y && y < bottom);
                prop_assert!((LEFT..=WIDTH).contains(&x));
                prop_assert!(!is_box || Fate::ALL[fates[number].1].is_kept());
            }
            let mut keys: Vec<_> = places.iter().map(|([x, y], _)| ((x * 10.0) as i64, (y * 10.0) as i64)).collect();
            keys.sort_unstable();
            keys.dedup();
            prop_assert_eq!(keys.len(), places.len());
            let drawn = lattice.scene().shapes.iter().filter(|shape| shape.data.iter().any(|(name, _)| *name == "node")).count();
            prop_assert_eq!(drawn, fates.len());
        }
    }

    #[test]
    fn boxes_have_lines_and_notes_say_everything() {
        let lattice = lattice(&[(0, 0), (1, 1), (2, 2), (2, 3), (2, 5)]);
        let scene = lattice.scene();
        let svg = scene.svg(Target::Page);
        assert!(
            svg.contains(
                "feature 3 &lt;b&gt;: pruned\nby a rule\nsolved: 3\ngain on Neutral: 2 ± 1\nfrequency: 50.00 %"
            ),
            "{svg}"
        );
        assert!(svg.contains("href=\"#feature-4\"") && svg.contains("data-parents=\"0 3\""), "{svg}");
        let lines = scene.shapes.iter().filter(|shape| matches!(&shape.form, Form::Path(_))).count();
        // A line above each layer; the atom's to Neutral, twice; the pair's to both.
        assert_eq!(lines, 4 + 2 + 2);
        for word in ["Neutral (1)", "base (1)", "survives (1)", "pruned (1)", "never combined (1)"] {
            assert!(svg.contains(word), "{word}");
        }
        let many = Lattice { nodes: vec![lattice.nodes[3].clone(); MOST_NODES + 7], ..lattice };
        assert!(many.scene().svg(Target::File).contains("and 7 more, which are not drawn"));
    }
}
