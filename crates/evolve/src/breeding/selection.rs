//! Selection of parents.
//!
//! *Lexicase selection* (Spector): the problems are shuffled, and on one after another only the best candidates stay. So
//! a program that is good at few problems, but better there than all others, has children too, whatever its mean is. Of
//! results that differ by little, none is better (epsilon lexicase, La Cava and others).

use std::fmt;
use std::str::FromStr;

use plysmith_core::random::Random;

use super::individual::Individual;

/// How parents are selected.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Selection {
    /// The fittest of some programs that are drawn at random.
    Tournament,
    /// The best on problems in random order.
    Lexicase,
}

/// Scores that differ by less count as equal: about a quarter of a doubling of boards.
const EPSILON: f64 = 0.0075;

impl Selection {
    /// A parent from these individuals, the fittest of which are in front.
    pub fn select<'a>(self, parents: &'a [Individual], tournament: usize, random: &mut Random) -> &'a Individual {
        match self {
            Selection::Tournament => {
                // The lowest index wins.
                let winner = (0..tournament.max(1)).map(|_| random.below(parents.len())).min().unwrap_or(0);
                &parents[winner]
            }
            Selection::Lexicase => lexicase(parents, random),
        }
    }
}

fn lexicase<'a>(parents: &'a [Individual], random: &mut Random) -> &'a Individual {
    // Only those that were measured on all problems take part, and only one of those that do the same.
    let cases = parents.iter().map(|parent| parent.scores.len()).max().unwrap_or(0);
    let mut left: Vec<&Individual> =
        parents.iter().filter(|parent| parent.scores.len() == cases && !parent.is_duplicate).collect();
    let mut order: Vec<usize> = (0..cases).collect();
    random.shuffle(&mut order);
    for case in order {
        if left.len() <= 1 {
            break;
        }
        let best = left.iter().map(|parent| parent.scores[case]).fold(f64::NEG_INFINITY, f64::max);
        left.retain(|parent| parent.scores[case] >= best - EPSILON);
    }
    let place = random.below(left.len().max(1));
    left.get(place).copied().unwrap_or(&parents[0])
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Selection::Tournament => "tournament",
            Selection::Lexicase => "lexicase",
        })
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Selection, String> {
        let all = [Selection::Tournament, Selection::Lexicase];
        let found = all.into_iter().find(|selection| selection.to_string() == text);
        found.ok_or_else(|| format!("'{text}' is no selection; expected 'tournament' or 'lexicase'"))
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::random::Random;

    use super::Selection;
    use crate::breeding::Individual;

    fn individual(text: &str, scores: &[f64]) -> Individual {
        let program = text.parse().unwrap();
        let (fitness, scores) = (scores.iter().sum(), scores.to_vec());
        Individual { program, fitness, solved: 0, scores, is_duplicate: false }
    }

    #[test]
    fn specialists_are_selected_and_the_mediocre_and_unfinished_are_not() {
        let parents = [
            individual("1", &[0.6, 0.6, 0.6]),
            individual("2", &[0.9, 0.1, 0.1]),
            individual("3", &[0.1, 0.1, 0.9]),
            individual("4", &[0.59, 0.603, 0.59]),
            individual("5", &[1.0]),
        ];
        let mut random = Random::new(1);
        let mut counts = [0; 5];
        for _ in 0..300 {
            let chosen = Selection::Lexicase.select(&parents, 4, &mut random);
            counts[parents.iter().position(|parent| parent.program == chosen.program).unwrap()] += 1;
        }
        assert!(counts[0] > 20 && counts[1] > 60 && counts[2] > 60, "{counts:?}");
        assert_eq!(counts[4], 0);
        assert!(counts[3] < counts[0], "{counts:?}");
    }
}
