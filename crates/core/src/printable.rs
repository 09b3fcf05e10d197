//! Text from outside (names of engines, files, problems, words of a command) made fit to be shown.
//!
//! A terminal obeys control characters: a name could clear the screen, rewrite the line above or put words into the
//! clipboard. Others turn the order of letters around or have no width, so that two different names look the same.
//! Everything that is printed passes through here once, where it leaves the program: [`printable_lines`] for text,
//! [`printable`] for what must stay on one line, [`printable_json`] for JSON. Data that is stored is not changed.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character must not be shown as it is: it controls the terminal or the order of letters, has no width, or
/// is no character at all. A line break is one of them.
pub fn is_unprintable(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}'                                // soft hyphen
            | '\u{61c}' | '\u{200e}' | '\u{200f}'   // direction marks
            | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' // without width
            | '\u{2028}' | '\u{2029}'               // separators of lines and paragraphs
            | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' // embeddings, overrides, isolates
            | '\u{fff9}'..='\u{fffb}'               // annotations
            | '\u{e0000}'..='\u{e0fff}')            // tags and unassigned characters without width
        // U+FFFE, U+FFFF and the last two of every plane: invalid in XML.
        || (letter as u32) & 0xfffe == 0xfffe
        || matches!(letter, '\u{fdd0}'..='\u{fdef}')
}

/// The text on one line: what must not be shown, line breaks too, becomes an escape such as `\u{1b}` or `\n`.
pub fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, is_unprintable, escape)
}

/// The text with its line breaks: everything else that must not be shown becomes an escape such as `\u{1b}`.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    replaced(text, |letter| letter != '\n' && is_unprintable(letter), escape)
}

/// JSON with all that must not be shown as JSON's own escapes. It means the same.
///
/// Outside of its strings JSON has no such characters besides white space, which is kept.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let is_bad = |letter| !matches!(letter, '\n' | '\r' | '\t') && is_unprintable(letter);
    replaced(json, is_bad, |letter, text| {
        for unit in letter.encode_utf16(&mut [0; 2]) {
            let _ = write!(text, "\\u{unit:04x}");
        }
    })
}

fn escape(letter: char, text: &mut String) {
    match letter {
        '\n' | '\r' | '\t' => text.extend(letter.escape_default()),
        _ => text.extend(letter.escape_unicode()),
    }
}

fn replaced(text: &str, is_bad: impl Fn(char) -> bool, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let Some(first) = text.find(&is_bad) else { return Cow::Borrowed(text) };
    let mut clean = String::with_capacity(text.len() + 16);
    clean.push_str(&text[..first]);
    for letter in text[first..].chars() {
        if is_bad(letter) {
            write(letter, &mut clean);
        } else {
            clean.push(letter);
        }
    }
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_obey_is_escaped() {
        assert_eq!(printable("\u{1b}[31mred\u{7}"), "\\u{1b}[31mred\\u{7}");
        assert_eq!(printable("a\nb\tc\rd\u{0}\u{7f}\u{9b}"), "a\\nb\\tc\\rd\\u{0}\\u{7f}\\u{9b}");
        assert_eq!(printable_lines("a\nb\r\n\u{202e}c"), "a\nb\\r\n\\u{202e}c");
        assert_eq!(
            printable("\u{feff}a\u{200b}\u{2066}\u{fffe}\u{e0041}"),
            "\\u{feff}a\\u{200b}\\u{2066}\\u{fffe}\\u{e0041}"
        );
    }

    #[test]
    fn ordinary_text_is_not_even_copied() {
        for text in ["", "Stockfish 17", "±½ → ‘Ünïcode’ 棋 ♞ 😀", "C:\\engines", "line\nline\n"] {
            assert!(matches!(printable_lines(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn nothing_unprintable_is_left_of_any_character() {
        for letter in '\0'..=char::MAX {
            let text = letter.to_string();
            assert!(!printable(&text).contains(is_unprintable), "{letter:?}");
            assert!(!printable_lines(&text).replace('\n', "").contains(is_unprintable), "{letter:?}");
            let json = printable_json(&text);
            assert!(!json.replace(['\n', '\r', '\t'], "").contains(is_unprintable), "{letter:?}");
        }
    }

    #[test]
    fn json_gets_its_own_escapes() {
        assert_eq!(
            printable_json("{\n\t\"a\u{9b}\": \"\u{202e}\u{e0001}\"\n}"),
            "{\n\t\"a\\u009b\": \"\\u202e\\udb40\\udc01\"\n}"
        );
    }
}
