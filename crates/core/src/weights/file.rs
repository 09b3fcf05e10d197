//! Weight files: what `plysmith fit` writes and `heuristic=FILE` reads.
//!
//! A few lines of text, an empty line, then the numbers, two bytes each, the low one first:
//!
//! ```text
//! plysmith weights 1
//! game breakthrough
//! form patterns 8x8
//! made by plysmith fit breakthrough --seed 1
//! numbers 354294
//! checksum 0123456789abcdef
//! ```
//!
//! The form says what the numbers mean; only the game knows. The checksum is of everything but its own line, so a byte
//! that was changed anywhere is noticed.

use thiserror::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The weights of an evaluation, and what they are for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeightFile {
    /// The game's name.
    pub game: String,
    /// What the numbers mean: `patterns 8x8`, `terms 123`.
    pub form: String,
    /// The command that made them. One line; does not count as content.
    pub made_by: String,
    /// The numbers.
    pub numbers: Vec<i16>,
}

/// Bytes that are no weights, or not those that a game can use. The name of the file is for the caller to add.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WeightFileError {
    /// Something else.
    #[error(
        "this is not a weight file; expected one that 'plysmith fit' wrote, with '{TITLE} {VERSION}' in its first line"
    )]
    NotWeights,
    /// Of another version.
    #[error(
        "a weight file of version '{0}'; this program reads version {VERSION}: make the file again with 'plysmith fit'"
    )]
    Version(String),
    /// A line that cannot be read.
    #[error("line {line} of the header is '{found}'; expected '{expected}': the file is damaged, copy it again")]
    Header {
        /// Counted from 1.
        line: usize,
        /// The form of the line.
        expected: &'static str,
        /// What was read.
        found: String,
    },
    /// The file ends in its header.
    #[error("the file ends in line {line} of the header; expected '{expected}': it is cut off, copy it again")]
    Truncated {
        /// The line that is missing or has no end, counted from 1.
        line: usize,
        /// The form of the line.
        expected: &'static str,
    },
    /// Too few or too many numbers.
    #[error(
        "{found} bytes follow the header, but its {numbers} numbers take {}: the file is {}, copy it again",
        2 * u128::from(*numbers),
        if *found < 2 * u128::from(*numbers) { "cut off" } else { "too long" }
    )]
    Length {
        /// What the header says.
        numbers: u64,
        /// Bytes.
        found: u128,
    },
    /// Changed bytes.
    #[error(
        "the checksum of the content is {found:016x}, but the header says {expected:016x}: the file is damaged, copy it again"
    )]
    Checksum {
        /// The one in the header.
        expected: u64,
        /// The one of the content.
        found: u64,
    },
    /// Of another game.
    #[error("these are weights for '{found}'; expected weights for '{expected}', as 'plysmith fit {expected}' makes")]
    Game {
        /// The game that is played.
        expected: String,
        /// The game of the file.
        found: String,
    },
    /// Of a form that the game does not have, or for a board that it does not have.
    #[error(
        "weights of the form '{found}' do not fit; {game} has the form '{expected}': make them again with 'plysmith fit {game}'"
    )]
    Form {
        /// The game.
        game: &'static str,
        /// What the game reads.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// More or fewer numbers than the form has.
    #[error(
        "weights of the form '{form}' are {expected} numbers, but here are {found}: make them again with 'plysmith fit'"
    )]
    Count {
        /// The form.
        form: String,
        /// Numbers of the form.
        expected: usize,
        /// Numbers of the file.
        found: usize,
    },
    /// A number that the evaluation cannot add up.
    #[error("number {place} is {number}; expected -{most} to {most}: make the weights again with 'plysmith fit'")]
    Overflow {
        /// Counted from 1.
        place: usize,
        /// The number.
        number: i16,
        /// The largest number.
        most: i16,
    },
    /// Numbers that the evaluation cannot add up on some board.
    #[error(
        "in the {phase} of the game these weights can add up to {sum}; expected at most {most}. The largest parts are \
         {largest}: make the weights again with 'plysmith fit'"
    )]
    Sum {
        /// The middle of the game or its end.
        phase: &'static str,
        /// What they can add up to.
        sum: i32,
        /// The largest sum.
        most: i32,
        /// The groups of weights that contribute most.
        largest: String,
    },
}

const TITLE: &str = "plysmith weights";
const VERSION: &str = "1";
/// A header line is never longer: what comes without a line end is not a header.
const LONGEST_LINE: usize = 4096;

impl WeightFile {
    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Result<WeightFile, WeightFileError> {
        if !bytes.starts_with(TITLE.as_bytes()) {
            return Err(WeightFileError::NotWeights);
        }
        let mut lines = Lines { rest: bytes, line: 0 };
        let version = lines.next("plysmith weights ", "plysmith weights 1")?;
        if version != VERSION {
            return Err(WeightFileError::Version(version.to_string()));
        }
        let game = lines.next("game ", "game NAME")?;
        let form = lines.next("form ", "form FORM")?;
        let made_by = lines.next("made by ", "made by COMMAND")?;
        let numbers = lines.number("numbers ", "numbers COUNT", |text| {
            text.parse().ok().filter(|count: &u64| count.to_string() == text)
        })?;
        let head = &bytes[..bytes.len() - lines.rest.len()];
        let expected = lines.number("checksum ", "checksum 0123456789abcdef", |text| {
            u64::from_str_radix(text, 16).ok().filter(|sum| format!("{sum:016x}") == text)
        })?;
        lines.next("", "")?;

        let payload = lines.rest;
        if u128::from(numbers) * 2 != payload.len() as u128 {
            return Err(WeightFileError::Length { numbers, found: payload.len() as u128 });
        }
        let found = checksum(head, payload);
        if found != expected {
            return Err(WeightFileError::Checksum { expected, found });
        }
        let numbers = payload.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
        Ok(WeightFile { game: game.to_string(), form: form.to_string(), made_by: made_by.to_string(), numbers })
    }

    /// The file as bytes; [`WeightFile::read`] reads it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let WeightFile { game, form, made_by, numbers } = self;
        // A line end would begin a line that is not one of the header.
        let made_by = made_by.replace(char::is_control, " ");
        let count = numbers.len();
        let head = format!("{TITLE} {VERSION}\ngame {game}\nform {form}\nmade by {made_by}\nnumbers {count}\n");
        let payload = self.payload();
        let sum = checksum(head.as_bytes(), &payload);
        [head.as_bytes(), format!("checksum {sum:016x}\n\n").as_bytes(), &payload].concat()
    }

    /// A number that stands for the content: equal weights of the same game and form have equal keys, whoever made them.
    pub fn key(&self) -> u64 {
        xxh3_64(&[format!("{}\n{}\n", self.game, self.form).as_bytes(), &self.payload()].concat())
    }

    /// Checks that there are as many numbers as the form has, all in a range.
    pub fn check_numbers(&self, count: usize, most: i16) -> Result<(), WeightFileError> {
        if self.numbers.len() != count {
            let (form, found) = (self.form.clone(), self.numbers.len());
            return Err(WeightFileError::Count { form, expected: count, found });
        }
        let is_wrong = |(_, number): &(usize, &i16)| number.unsigned_abs() > most.unsigned_abs();
        match self.numbers.iter().enumerate().find(is_wrong) {
            Some((index, &number)) => Err(WeightFileError::Overflow { place: index + 1, number, most }),
            None => Ok(()),
        }
    }

    fn payload(&self) -> Vec<u8> {
        self.numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }
}

/// Columns and rows in the name of a form, `patterns 8x8`. Boards have at most 8×8 squares; see [`crate::grid`].
pub fn patterns_size(form: &str) -> Option<(u32, u32)> {
    let (columns, rows) = form.strip_prefix("patterns ")?.split_once('x')?;
    let side = |text: &str| text.parse().ok().filter(|side: &u32| (1..=8).contains(side) && side.to_string() == text);
    Some((side(columns)?, side(rows)?))
}

fn checksum(head: &[u8], payload: &[u8]) -> u64 {
    let mut sum = Xxh3::new();
    sum.update(head);
    sum.update(payload);
    sum.digest()
}

/// The lines of a header, and what is behind them.
struct Lines<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Lines<'a> {
    /// What follows `beginning` in the next line.
    fn next(&mut self, beginning: &str, expected: &'static str) -> Result<&'a str, WeightFileError> {
        self.line += 1;
        let line = self.line;
        let Some(end) = self.rest.iter().take(LONGEST_LINE).position(|&byte| byte == b'\n') else {
            let found = || String::from_utf8_lossy(&self.rest[..self.rest.len().min(40)]).escape_debug().to_string();
            return match self.rest.len() < LONGEST_LINE {
                true => Err(WeightFileError::Truncated { line, expected }),
                false => Err(WeightFileError::Header { line, expected, found: found() }),
            };
        };
        let (text, rest) = (&self.rest[..end], &self.rest[end + 1..]);
        let wanted = |text: &&str| !text.chars().any(char::is_control) && (!beginning.is_empty() || text.is_empty());
        let found = std::str::from_utf8(text).ok().and_then(|text| text.strip_prefix(beginning)).filter(wanted);
        self.rest = rest;
        found.ok_or_else(|| {
            let found: String = String::from_utf8_lossy(text).chars().take(40).collect();
            WeightFileError::Header { line, expected, found: found.escape_debug().to_string() }
        })
    }

    /// The number in the next line.
    fn number(
        &mut self,
        beginning: &str,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<u64>,
    ) -> Result<u64, WeightFileError> {
        let text = self.next(beginning, expected)?;
        let found = || format!("{beginning}{text}");
        parse(text).ok_or_else(|| WeightFileError::Header { line: self.line, expected, found: found() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::{WeightFile, WeightFileError, patterns_size};

    fn small() -> WeightFile {
        WeightFile {
            game: "breakthrough".to_string(),
            form: "patterns 1x1".to_string(),
            made_by: "plysmith fit breakthrough".to_string(),
            numbers: vec![0, -300, i16::MAX],
        }
    }

    /// The bytes of a file with a part of its header replaced.
    fn edited(from: &str, to: &str) -> Vec<u8> {
        let bytes = small().to_bytes();
        let begin = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        [&bytes[..begin], to.as_bytes(), &bytes[begin + from.len()..]].concat()
    }

    fn error(bytes: &[u8]) -> String {
        WeightFile::read(bytes).unwrap_err().to_string()
    }

    proptest! {
        #[test]
        fn files_read_back(game in "[a-z-]{1,12}", form in "[ -~é]{0,30}", made_by in "[ -~é]{0,60}", numbers in proptest::collection::vec(any::<i16>(), 0..40)) {
            let file = WeightFile { game, form, made_by, numbers };
            prop_assert_eq!(WeightFile::read(&file.to_bytes()), Ok(file));
        }

        #[test]
        fn any_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = WeightFile::read(&[b"plysmith weights 1\n".as_slice(), &bytes].concat());
        }
    }

    #[test]
    fn every_damage_is_noticed() {
        let bytes = small().to_bytes();
        for place in 0..bytes.len() {
            for mask in 1..=u8::MAX {
                let mut damaged = bytes.clone();
                damaged[place] ^= mask;
                assert!(WeightFile::read(&damaged).is_err(), "byte {place} changed by {mask:#x}");
            }
            assert!(WeightFile::read(&bytes[..place]).is_err(), "only {place} bytes");
            let mut longer = bytes.clone();
            longer.insert(place, b'0');
            assert!(WeightFile::read(&longer).is_err(), "a byte more at {place}");
        }
        assert!(WeightFile::read(&[&bytes[..], &[0]].concat()).is_err());
    }

    #[test]
    fn errors_say_what_is_wrong() {
        assert!(error(b"").starts_with("this is not a weight file; expected one that 'plysmith fit' wrote"));
        assert!(error(b"\x7fELF").starts_with("this is not a weight file"));
        assert!(
            error(&edited("weights 1", "weights 2"))
                .starts_with("a weight file of version '2'; this program reads version 1")
        );
        let bytes = small().to_bytes();
        assert_eq!(
            error(&bytes[..30]),
            "the file ends in line 2 of the header; expected 'game NAME': it is cut off, copy it again"
        );
        assert!(
            error(&edited("form ", "From "))
                .starts_with("line 3 of the header is 'From patterns 1x1'; expected 'form FORM'")
        );
        for count in ["-3", "+3", "03", "3 ", "99999999999999999999"] {
            let text = format!("numbers {count}\n");
            let error = error(&edited("numbers 3\n", &text));
            assert!(error.contains("line 5") && error.contains(text.trim_end()), "{error}");
        }
        assert!(error(&edited("numbers 3", "numbers 18446744073709551615")).contains("is cut off"));
        assert!(
            error(&bytes[..bytes.len() - 1])
                .starts_with("5 bytes follow the header, but its 3 numbers take 6: the file is cut off")
        );
        assert!(error(&[&bytes[..], &[0, 0]].concat()).contains("is too long"));
        assert!(error(&edited("game breakthrough", "game tic-tac-toe")).starts_with("the checksum of the content is"));
    }

    #[test]
    fn numbers_are_checked() {
        assert_eq!(small().check_numbers(3, i16::MAX), Ok(()));
        let error = small().check_numbers(4, i16::MAX).unwrap_err().to_string();
        assert!(error.starts_with("weights of the form 'patterns 1x1' are 4 numbers, but here are 3"), "{error}");
        let wrong = WeightFileError::Overflow { place: 2, number: -300, most: 299 };
        assert_eq!(small().check_numbers(3, 299), Err(wrong.clone()));
        assert!(wrong.to_string().starts_with("number 2 is -300; expected -299 to 299"));
        let least = WeightFile { numbers: vec![i16::MIN], ..small() };
        assert!(least.check_numbers(1, i16::MAX).is_err());
    }

    #[test]
    fn the_key_is_of_the_content() {
        let file = small();
        assert_eq!(WeightFile { made_by: "hand".to_string(), ..small() }.key(), file.key());
        for other in [
            WeightFile { game: "chess".to_string(), ..small() },
            WeightFile { form: "patterns 1x2".to_string(), ..small() },
            WeightFile { numbers: vec![0, -300, 0], ..small() },
        ] {
            assert_ne!(other.key(), file.key(), "{other:?}");
        }
        // Settings of stored runs contain keys: they never change.
        assert_eq!(format!("{:016x}", file.key()), "0deeb643248d9ca0");
    }

    #[test]
    fn a_comment_stays_one_line() {
        let file = WeightFile { made_by: "two\nlines".to_string(), ..small() };
        assert_eq!(WeightFile::read(&file.to_bytes()).unwrap().made_by, "two lines");
    }

    #[test]
    fn board_sizes_are_read() {
        assert_eq!(patterns_size("patterns 8x8"), Some((8, 8)));
        assert_eq!(patterns_size("patterns 5x6"), Some((5, 6)));
        for wrong in [
            "",
            "patterns",
            "patterns 8",
            "patterns 08x8",
            "patterns 9x8",
            "patterns 0x3",
            "patterns 8x8 ",
            "terms 8x8",
        ] {
            assert_eq!(patterns_size(wrong), None, "{wrong}");
        }
    }
}
