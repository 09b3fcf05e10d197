//! Names that were probably meant: for error messages.

/// The edit distance of two words.
pub fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for column in 0..other.len() {
            let changed = diagonal + usize::from(letter != other[column]);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

/// The known name that is most like what was written: the same in another case, or one letter away (two in a word of six
/// letters or more). The first of several; none if no name is so near.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = written.to_lowercase();
    let most = if wanted.chars().count() >= 6 { 2 } else { 1 };
    // A word of one or two letters is one letter away from everything.
    let near = |name: &&str| wanted.chars().count() > 2 || name.to_lowercase() == wanted;
    let candidates = known.into_iter().filter(near).map(|name| (distance(&wanted, &name.to_lowercase()), name));
    let (found, name) = candidates.min_by_key(|(distance, _)| *distance)?;
    (found <= most).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["AcK", "AcQ", "PcK", "Rc", "breakthrough", "chess"];
        for (written, meant) in [
            ("Ack", "AcK"),
            ("rc", "Rc"),
            ("RC", "Rc"),
            ("AcKK", "AcK"),
            ("breaktrough", "breakthrough"),
            ("ches", "chess"),
        ] {
            assert_eq!(nearest(written, names), Some(meant), "{written}");
        }
        for written in ["", "x", "Rx", "Xyz", "backgammon"] {
            assert_eq!(nearest(written, names), None, "{written}");
        }
    }
}
