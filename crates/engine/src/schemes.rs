//! Schemes by file: `@FILE` stands for a scheme wherever one is typed, because core touches no files.
//!
//! A partition into many cells is a long text. The file is one that `plysmith transitions` wrote, or any text whose only line
//! is a scheme. What is stored is the scheme itself, so no run depends on the file.

use std::fs::File;
use std::io::Read;

use plysmith_core::depth::Weight;
use plysmith_core::feature::{FeatureError, Scheme, Vocabulary};
use plysmith_core::games::GAMES;
use plysmith_core::transitions::FILE_HEADER;

/// Begins a text that names a file.
const FILE: char = '@';
/// No file with a scheme is larger: the longest scheme has 256 rules.
const MOST_BYTES: u64 = 4 << 20;
/// What a file must be.
const EXPECTED: &str = "expected a file of `plysmith transitions --output`, or one line with a scheme";

/// Reads a scheme, or `@FILE`. A feature without `@` gets the weight given here.
pub fn parse_scheme(vocabulary: Vocabulary, text: &str, default: Weight) -> Result<Scheme, FeatureError> {
    let Some(file) = text.strip_prefix(FILE) else { return vocabulary.parse_scheme(text, default) };
    let contents = read(file).map_err(|reason| FeatureError::File(format!("scheme file '{file}': {reason}")))?;
    scheme_in(vocabulary, &contents, default)
        .map_err(|(line, reason)| FeatureError::File(format!("{file}:{line}: {reason}")))
}

fn read(file: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    // What is not a file may be endless.
    let opened = File::open(file).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    opened.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("it is larger than {} MiB; {EXPECTED}", MOST_BYTES >> 20));
    }
    String::from_utf8(bytes).map_err(|_| format!("this is not text in UTF-8; {EXPECTED}"))
}

/// The scheme of a file, or the line and what is wrong there.
fn scheme_in(vocabulary: Vocabulary, contents: &str, default: Weight) -> Result<Scheme, (usize, String)> {
    let contents = contents.trim_start_matches('\u{feff}');
    let lines = (1..).zip(contents.lines().map(str::trim));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).peekable();
    let (line, text) = match lines.peek() {
        Some((_, first)) if *first == FILE_HEADER => transitions_line(vocabulary, lines)?,
        Some(&(line, first)) => {
            if let Some((line, _)) = lines.nth(1) {
                return Err((line, format!("this is a second line; {EXPECTED}")));
            }
            (line, first)
        }
        None => return Err((1, format!("there is nothing in it; {EXPECTED}"))),
    };
    vocabulary.parse_scheme(text, default).map_err(|error| (line, error.to_string()))
}

/// The line with the scheme in a file of `plysmith transitions`.
fn transitions_line<'a>(
    vocabulary: Vocabulary,
    lines: impl Iterator<Item = (usize, &'a str)>,
) -> Result<(usize, &'a str), (usize, String)> {
    let known = GAMES.iter().find(|game| game.vocabulary == vocabulary);
    for (line, text) in lines {
        match text.split_once(' ') {
            Some(("game", name)) if known.is_some_and(|game| game.name != name) => {
                let expected = known.map_or("", |game| game.name);
                return Err((line, format!("these are moves of '{name}'; expected a file made for {expected}")));
            }
            Some(("scheme", scheme)) => return Ok((line, scheme)),
            _ => {}
        }
    }
    Err((1, "there is no line 'scheme …' in it: the file is cut off; make it again with `plysmith transitions`".into()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use plysmith_core::depth::Weight;
    use plysmith_core::games;

    use super::parse_scheme;

    #[test]
    fn schemes_are_read_from_files_and_errors_name_file_and_line() {
        let vocabulary = games::find("breakthrough").unwrap().vocabulary;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a scheme");
        let read = |contents: &[u8]| {
            fs::write(&path, contents).unwrap();
            let scheme = parse_scheme(vocabulary, &format!("@{}", path.display()), Weight::HALF);
            scheme.map(|scheme| vocabulary.print_scheme(&scheme)).map_err(|error| error.to_string())
        };
        for contents in [
            "# by hand\n\n=C-Ud@31%,Other@2%\n",
            "\u{feff}plysmith transitions 1\r\ngame breakthrough\r\nscheme =Ud-C@31%,Other@2%\r\n\r\nC-Ud 1 2\r\n",
        ] {
            assert_eq!(read(contents.as_bytes()), Ok("=Ud-C@31%,Other@2%".to_string()));
        }
        assert_eq!(read(b"C,Ud@0.25"), Ok("Ud@0.25,C@0.5".to_string()));
        for (contents, part) in [
            (&b""[..], "a scheme:1: there is nothing in it; expected a file of `plysmith transitions"),
            (b"C@0.5\nUd@0.5\n", "a scheme:2: this is a second line"),
            (b"#\nXy@0.5\n", "a scheme:2: 'Xy' is not a feature"),
            (b"plysmith transitions 1\ngame chess\nscheme C@3%", "a scheme:2: these are moves of 'chess'"),
            (b"plysmith transitions 1\ngame breakthrough\n", "a scheme:1: there is no line 'scheme"),
            (b"\xff\xfe", "not text in UTF-8"),
        ] {
            let error = read(contents).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        let missing = parse_scheme(vocabulary, "@none", Weight::HALF).unwrap_err().to_string();
        assert!(missing.starts_with("scheme file 'none': "), "{missing}");
    }
}
