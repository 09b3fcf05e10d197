//! A tree from left to right, such as an evolved program.

use super::scene::{Anchor, Ink, Scene, Shape, shortened, width_of};

/// A tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Tree {
    /// What it shows.
    pub title: String,
    /// The nodes: first the root, then each subtree from its root on.
    pub nodes: Vec<TreeNode>,
}

/// A node of a tree.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeNode {
    /// What it says.
    pub words: String,
    /// How many steps it is from the root.
    pub depth: usize,
    /// How often it was reached, if that was counted.
    pub count: Option<u64>,
}

const TOP: f64 = 48.0;
const ROW: f64 = 22.0;
const STEP: f64 = 40.0;
/// More nodes are not drawn.
const MOST: usize = 600;

impl Tree {
    /// As a drawing: a row for each node, below its parent and to its right.
    pub fn scene(&self) -> Scene {
        let nodes = &self.nodes[..self.nodes.len().min(MOST)];
        let words: Vec<String> = nodes.iter().map(TreeNode::text).collect();
        let right = |(node, words): (&TreeNode, &String)| place(node.depth, 0)[0] + width_of(words) + 24.0;
        let width = nodes.iter().zip(&words).map(right).fold(480.0, f64::max);
        let mut scene = Scene::new(&self.title, width, TOP + ROW * nodes.len() as f64 + 30.0);
        scene.add(Shape::text([16.0, 22.0], Anchor::Start, &self.title).bold());
        for (row, node) in nodes.iter().enumerate() {
            let parent = nodes[..row].iter().rposition(|other| other.depth < node.depth);
            if let Some(parent) = parent {
                let ([x, top], [right, y]) = (place(nodes[parent].depth, parent), place(node.depth, row));
                let x = x + 6.0;
                scene.add(Shape::path([[x, top + 8.0], [x, y], [right - 4.0, y]]).stroke(Ink::Grid, 1.2));
            }
        }
        let most = nodes.iter().filter_map(|node| node.count).max().unwrap_or(0).max(1) as f64;
        for (row, (node, words)) in nodes.iter().zip(&words).enumerate() {
            let [x, y] = place(node.depth, row);
            if let Some(count) = node.count {
                // Counts of branches differ by orders of magnitude.
                let share = (1.0 + count as f64).ln() / (1.0 + most).ln();
                scene.add(
                    Shape::rect([x, y - 9.0], [width_of(words) + 8.0, 18.0]).fill(Ink::Series(5)).opacity(0.5 * share),
                );
            }
            scene.add(Shape::text([x + 4.0, y + 4.0], Anchor::Start, words).note(&node.words));
        }
        if let Some(more) = self.nodes.len().checked_sub(nodes.len()).filter(|more| *more > 0) {
            let y = TOP + ROW * nodes.len() as f64 + 16.0;
            scene.text([16.0, y], Anchor::Start, format!("and {more} more"));
        }
        scene
    }
}

impl TreeNode {
    fn text(&self) -> String {
        let count = self.count.map(|count| format!("  {}", crate::number_words::thousands(count))).unwrap_or_default();
        shortened(&self.words, 40) + &count
    }
}

/// The middle of the left end of a node.
fn place(depth: usize, row: usize) -> [f64; 2] {
    [16.0 + STEP * depth.min(40) as f64, TOP + ROW * row as f64]
}

#[cfg(test)]
mod tests {
    use super::{MOST, Tree, TreeNode};
    use crate::chart::scene::{Form, Ink, Target};

    fn node(words: &str, depth: usize) -> TreeNode {
        TreeNode { words: words.to_string(), depth, count: Some(3) }
    }

    #[test]
    fn lines_lead_from_each_node_to_its_parent() {
        let nodes = vec![node("a", 0), node("b", 1), node("c", 2), node("d", 1)];
        let tree = Tree { title: "t".to_string(), nodes };
        let scene = tree.scene();
        let lines: Vec<_> = scene.shapes.iter().filter(|shape| shape.stroke == Some((Ink::Grid, 1.2))).collect();
        let starts: Vec<f64> = lines
            .iter()
            .filter_map(|line| match &line.form {
                Form::Path(points) => Some(points[0][0]),
                _ => None,
            })
            .collect();
        assert_eq!(starts.len(), 3);
        assert_eq!((starts[0], starts[1] > starts[0]), (starts[2], true), "b and d hang from a, and c from b");
        assert!(scene.svg(Target::Page).contains("a  3"));
    }

    #[test]
    fn large_trees_are_cut() {
        let nodes = (0..MOST + 9).map(|depth| node("x", depth)).collect();
        let svg = Tree { title: "t".to_string(), nodes }.scene().svg(Target::File);
        assert!(svg.contains("and 9 more"));
    }
}
