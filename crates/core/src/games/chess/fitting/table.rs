//! Weights as text, for readers.

use super::super::evaluation::terms::{COUNT, GROUPS, Group, PIECES, Pair, SQUARES};

/// The weights by group, each as `middle/end`.
pub fn print(weights: &[Pair; COUNT]) -> String {
    let mut text = String::new();
    for &group in GROUPS {
        text += &format!("{}\n", group.name);
        for (line, row) in weights[group.first..group.first + group.count].chunks(columns(group)).enumerate() {
            if group == SQUARES && line > 0 && line % 8 == 0 {
                text += "\n";
            }
            let cells: String = row.iter().map(|(middle, end)| format!("{:>10}", format!("{middle}/{end}"))).collect();
            text += &format!("{cells}\n");
        }
    }
    text
}

/// How many weights stand in a line.
fn columns(group: Group) -> usize {
    if group == PIECES { PIECES.count } else { 8 }
}
