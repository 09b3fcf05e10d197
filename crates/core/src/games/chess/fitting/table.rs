//! Weights as text, for readers.

use super::super::evaluation::tables;
use super::super::evaluation::terms::{GROUPS, Group, PIECES, SQUARES};
use crate::weights::{WeightFile, WeightFileError};

/// The weights of a file by group, each as `middle/end`.
pub fn print(file: &WeightFile) -> Result<String, WeightFileError> {
    let weights = tables::pairs(file)?;
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
    Ok(text)
}

/// How many weights stand in a line.
fn columns(group: Group) -> usize {
    if group == PIECES { PIECES.count } else { 8 }
}

#[cfg(test)]
mod tests {
    use super::super::{guesses, learned_file};
    use super::{GROUPS, print};
    use crate::weights::WeightFile;

    #[test]
    fn groups_follow_each_other_and_have_guesses() {
        let mut next = 0;
        for group in GROUPS {
            assert_eq!(group.first, next, "{}", group.name);
            next += group.count;
        }
        assert_eq!(2 * next, learned_file().numbers.len());
        assert_eq!(guesses().len(), next);
    }

    #[test]
    fn every_weight_is_printed_under_the_name_of_its_group() {
        let numbers = (0..2 * guesses().len() as i16).map(|number| number - 600).collect();
        let text = print(&WeightFile { numbers, ..learned_file() }).unwrap();
        let mut next = -600;
        for line in text.lines().filter(|line| !line.is_empty()) {
            if !line.starts_with(' ') {
                assert!(GROUPS.iter().any(|group| group.name == line), "{line}");
                continue;
            }
            for cell in line.split_whitespace() {
                assert_eq!(cell, format!("{next}/{}", next + 1));
                next += 2;
            }
        }
        assert_eq!(next, 2 * guesses().len() as i16 - 600);
    }
}
