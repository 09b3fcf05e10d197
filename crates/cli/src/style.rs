//! What the terminal can show: its width, and colours.

use std::io::IsTerminal;

use plysmith_runs::view::View;

/// The colours of words at the beginning of a message.
const COLOURS: [(&str, &str); 4] = [
    ("error:", "\u{1b}[1;31m"),
    ("warning:", "\u{1b}[1;33m"),
    ("note:", "\u{1b}[1;36m"),
    ("interrupted", "\u{1b}[1;33m"),
];
const PLAIN: &str = "\u{1b}[0m";

/// The width of the terminal that standard output is; none if it is no terminal. A table that goes into a file or another
/// program is not shortened.
pub fn width() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0).max(40))
}

/// Whether standard output shows colours.
pub fn colours_stdout() -> bool {
    std::io::stdout().is_terminal() && are_wanted()
}

/// Whether standard error shows colours.
pub fn colours_stderr() -> bool {
    std::io::stderr().is_terminal() && are_wanted()
}

/// Whether the user wants colours: <https://no-color.org>.
fn are_wanted() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A view as this terminal shows it: printable, and to be written as it is.
pub fn render(view: &View) -> String {
    match (width(), colours_stdout()) {
        (Some(width), true) => format!("{view:#width$}"),
        (Some(width), false) => format!("{view:width$}"),
        (None, _) => view.to_string(),
    }
}

/// A message with its first word coloured, if that is one of those that matter.
pub fn coloured(message: &str) -> String {
    match COLOURS.iter().find(|(word, _)| message.starts_with(word)) {
        Some((word, colour)) => format!("{colour}{word}{PLAIN}{}", &message[word.len()..]),
        None => message.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::coloured;

    #[test]
    fn only_the_first_word_is_coloured() {
        assert_eq!(coloured("error: no error: here"), "\u{1b}[1;31merror:\u{1b}[0m no error: here");
        assert_eq!(coloured("wrote error: x"), "wrote error: x");
    }
}
