//! The weights, and the source file they stand in.

use super::super::evaluation::terms::{COUNT, GROUPS, Group, PIECES, SQUARES};
use super::super::evaluation::weights::{MADE_BY, WEIGHTS};

/// The weights that this program was built with, each for the middle and the end of the game.
pub fn weights() -> &'static [(i16, i16)] {
    &WEIGHTS
}

/// The command that made them.
pub fn made_by() -> &'static str {
    MADE_BY
}

/// The source file with these weights.
///
/// # Panics
///
/// If there are more or fewer weights than the table has.
pub fn print(weights: &[(i16, i16)], made_by: &str) -> String {
    assert_eq!(weights.len(), COUNT, "a table of other weights");
    let mut text = format!(
        "//! The weights of the evaluation, in hundredths of a pawn: for the middle and for the end of the game.\n\
         //!\n\
         //! Made by a program, from its own games; do not edit. The commands stand in `scripts/fit-chess`, the last \n\
         //! of them below. What the weights mean is written in `evaluation/terms.rs`.\n\n\
         use super::terms::COUNT;\n\n\
         /// The command that printed this file.\n\
         pub const MADE_BY: &str = \"{made_by}\";\n\n\
         /// All weights; the comments are the names of their groups.\n\
         #[rustfmt::skip]\n\
         pub const WEIGHTS: [(i16, i16); COUNT] = [\n"
    );
    text = text.replace(" \n", "\n");
    for group in GROUPS {
        text += &format!("    // {}\n", group.name);
        for (line, row) in weights[group.first..group.first + group.count].chunks(columns(*group)).enumerate() {
            if *group == SQUARES && line > 0 && line % 8 == 0 {
                text += "\n";
            }
            let cells: Vec<_> = row.iter().map(|(middle, end)| format!("({middle}, {end})")).collect();
            text += &format!("    {},\n", cells.join(", "));
        }
    }
    text + "];\n"
}

/// How many weights stand in a line.
fn columns(group: Group) -> usize {
    if group == PIECES { PIECES.count } else { 8 }
}

#[cfg(test)]
mod tests {
    use super::super::guesses::guesses;
    use super::{GROUPS, made_by, print, weights};

    #[test]
    fn the_file_in_the_tree_is_the_one_that_is_printed() {
        assert_eq!(print(weights(), made_by()), include_str!("../evaluation/weights.rs"));
    }

    #[test]
    fn groups_follow_each_other_and_have_guesses() {
        let mut next = 0;
        for group in GROUPS {
            assert_eq!(group.first, next, "{}", group.name);
            next += group.count;
        }
        assert_eq!((next, guesses().len()), (weights().len(), weights().len()));
    }
}
