//! A quiet position and how its game ended.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A quiet position from a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The position's text.
    pub position: String,
    /// How the game ended.
    pub ending: Ending,
    /// Which game it is from; positions of one game must not be taken for independent.
    pub game: u64,
}

/// How a game ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// White won.
    White,
    /// Nobody won.
    Draw,
    /// Black won.
    Black,
}

/// A line that is no sample.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no sample; expected a position and the result of its game, like '{EXAMPLE}'")]
pub struct SampleError(pub String);

const EXAMPLE: &str = r#"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1 c9 "1-0"; id "17";"#;

impl Ending {
    const NAMES: [(Ending, &'static str); 3] =
        [(Ending::White, "1-0"), (Ending::Draw, "1/2-1/2"), (Ending::Black, "0-1")];

    /// White's points.
    pub fn points(self) -> f64 {
        match self {
            Ending::White => 1.0,
            Ending::Draw => 0.5,
            Ending::Black => 0.0,
        }
    }

    fn name(self) -> &'static str {
        Ending::NAMES.iter().find(|(ending, _)| *ending == self).map_or("*", |(_, name)| name)
    }
}

/// `<position> c9 "<result>"; id "<game>";`
impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} c9 \"{}\"; id \"{}\";", self.position, self.ending.name(), self.game)
    }
}

impl FromStr for Sample {
    type Err = SampleError;

    fn from_str(line: &str) -> Result<Sample, SampleError> {
        let error = || SampleError(line.to_string());
        let (position, rest) = line.split_once(" c9 \"").ok_or_else(error)?;
        let (result, rest) = rest.split_once('"').ok_or_else(error)?;
        let ending = Ending::NAMES.iter().find(|(_, name)| *name == result).ok_or_else(error)?.0;
        let id = rest.split_once("id \"").and_then(|(_, id)| id.split_once('"'));
        let game = id.and_then(|(id, _)| id.parse().ok()).ok_or_else(error)?;
        Ok(Sample { position: position.trim().to_string(), ending, game })
    }
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLE, Ending, Sample};

    #[test]
    fn samples_read_back() {
        let sample: Sample = EXAMPLE.parse().unwrap();
        assert_eq!((sample.game, sample.ending), (17, Ending::White));
        assert_eq!(sample.to_string(), EXAMPLE);
        for ending in [Ending::White, Ending::Draw, Ending::Black] {
            let other = Sample { ending, ..sample.clone() };
            assert_eq!(other.to_string().parse(), Ok(other));
        }
    }

    #[test]
    fn errors_show_the_line_and_an_example() {
        let lines = [
            "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1",
            "x c9 \"2-0\"; id \"1\";",
            "x c9 \"1-0\"; id \"one\";",
            "x c9 \"1-0\";",
        ];
        for line in lines {
            let error = line.parse::<Sample>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{line}'")) && error.contains(EXAMPLE), "{error}");
        }
    }
}
