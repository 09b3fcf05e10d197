//! A quiet position and how its game ended.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::outcome::Outcome;

/// A quiet position from a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The position's text.
    pub position: String,
    /// The result of its game, for White.
    pub result: Outcome,
    /// Which game it is from; positions of one game must not be taken for independent.
    pub game: u64,
}

/// A line that is no sample.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no sample; expected a position and the result of its game, like '{EXAMPLE}'")]
pub struct SampleError(pub String);

const EXAMPLE: &str = r#"8/8/4k3/8/8/4K3/4P3/8 w - - 0 1 c9 "1-0"; id "17";"#;

/// `<position> c9 "<result>"; id "<game>";`
impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} c9 \"{}\"; id \"{}\";", self.position, self.result.pgn(), self.game)
    }
}

impl FromStr for Sample {
    type Err = SampleError;

    fn from_str(line: &str) -> Result<Sample, SampleError> {
        let error = || SampleError(line.to_string());
        let (position, rest) = line.split_once(" c9 \"").ok_or_else(error)?;
        let (result, rest) = rest.split_once('"').ok_or_else(error)?;
        let result = Outcome::from_pgn(result).ok_or_else(error)?;
        let id = rest.split_once("id \"").and_then(|(_, id)| id.split_once('"'));
        let game = id.and_then(|(id, _)| id.parse().ok()).ok_or_else(error)?;
        Ok(Sample { position: position.trim().to_string(), result, game })
    }
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLE, Sample};
    use crate::outcome::Outcome;

    #[test]
    fn samples_read_back() {
        let sample: Sample = EXAMPLE.parse().unwrap();
        assert_eq!((sample.game, sample.result), (17, Outcome::Win));
        assert_eq!(sample.to_string(), EXAMPLE);
        for result in Outcome::ALL {
            let other = Sample { result, ..sample.clone() };
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
