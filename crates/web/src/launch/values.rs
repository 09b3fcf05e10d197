//! From the fields of a form to the words of a command line.
//!
//! No value can become another argument, or name a file outside the folder for files: each is one word, with its option
//! in front, and path separators are refused.

use crate::error::WebError;
use crate::launch::form::{Field, Form, Takes};
use crate::request::Fields;

/// The longest value.
const MOST_VALUE: usize = 2000;

/// The command of a form as it was filled in.
pub fn words(form: &Form, filled: &Fields, allow_engines: bool) -> Result<Vec<String>, WebError> {
    let mut words = vec![form.command.clone()];
    let (named, placed): (Vec<_>, Vec<_>) = form.fields.iter().partition(|field| field.option.is_some());
    for field in placed.into_iter().chain(named) {
        let Some(value) = filled.filled(&field.name) else { continue };
        let values: Vec<&str> = match field.takes {
            Takes::Lines => value.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
            _ => vec![value],
        };
        for value in values {
            check(field, value, allow_engines)?;
            words.extend(word(field, value));
        }
    }
    Ok(words)
}

/// The word of a value; none if it is the default anyway.
fn word(field: &Field, value: &str) -> Option<String> {
    match (&field.option, &field.takes) {
        (Some(option), Takes::Nothing) => Some(option.clone()),
        (Some(_), Takes::Text | Takes::Choice(_)) if field.default.as_deref() == Some(value) => None,
        (Some(option), _) => Some(format!("{option}={value}")),
        (None, _) => Some(value.to_string()),
    }
}

fn check(field: &Field, value: &str, allow_engines: bool) -> Result<(), WebError> {
    let wrong = |reason: &str| Err(WebError::invalid(format!("{}: {reason}", title(field))));
    if value.len() > MOST_VALUE {
        return wrong("the value is too long");
    }
    if value.chars().any(char::is_control) {
        return wrong("the value has control characters or several lines");
    }
    if field.option.is_none() && value.starts_with('-') {
        return wrong("the value must not begin with '-'");
    }
    let names_engine = value.contains("uci:") || value.contains("plug:");
    match &field.takes {
        Takes::File if !is_file_name(value) => wrong("name a file in the folder 'files', without a path"),
        Takes::Engine if !allow_engines => wrong("start the server with --allow-engines to use external engines"),
        Takes::Text | Takes::Lines if names_engine && !allow_engines => {
            wrong("start the server with --allow-engines to use external engines")
        }
        Takes::Text | Takes::Lines if !names_engine && has_path(value) => {
            wrong("put the file into the folder 'files', and name it without a path")
        }
        Takes::Choice(choices) if !choices.iter().any(|choice| choice == value) => wrong("choose one of the values"),
        _ => Ok(()),
    }
}

/// Whether a text is the name of a file and nothing else.
pub(super) fn is_file_name(text: &str) -> bool {
    !text.starts_with(['.', '-', '~']) && !text.contains(['/', '\\', ':', '\0']) && text.chars().count() <= 200
}

/// Whether there may be a path in it. A slash between digits is a time control.
fn has_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |index: Option<usize>| index.and_then(|index| bytes.get(index)).is_some_and(u8::is_ascii_digit);
    let is_separator = |(index, byte): (usize, &u8)| match byte {
        b'\\' => true,
        b'/' => !(is_digit(index.checked_sub(1)) && is_digit(Some(index + 1))),
        _ => false,
    };
    bytes.iter().enumerate().any(is_separator)
}

/// What a field is called on the page.
pub fn title(field: &Field) -> String {
    field.option.clone().unwrap_or_else(|| field.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> Form {
        let field = |name: &str, option: Option<&str>, takes| Field {
            name: name.into(),
            option: option.map(String::from),
            help: String::new(),
            value_name: String::new(),
            default: (name == "nodes").then(|| "500".to_string()),
            takes,
            is_required: false,
            is_usual: true,
        };
        let choices = Takes::Choice(vec!["chess".into(), "breakthrough".into()]);
        Form {
            command: "match".into(),
            about: String::new(),
            fields: vec![
                field("a", Some("--a"), Takes::Text),
                field("nodes", Some("--nodes"), Takes::Text),
                field("quick", Some("--quick"), Takes::Nothing),
                field("game", None, choices),
                field("what", None, Takes::Text),
                field("players", Some("--player"), Takes::Lines),
                field("suite", Some("--suite"), Takes::File),
                field("engine", Some("--engine"), Takes::Engine),
            ],
        }
    }

    fn words_of(query: &str, allow_engines: bool) -> Result<String, String> {
        let filled = Fields::parse(query).unwrap();
        words(&form(), &filled, allow_engines).map(|words| words.join("|")).map_err(|error| error.message)
    }

    #[test]
    fn fields_become_words() {
        assert_eq!(words_of("", false).unwrap(), "match");
        let all = "quick=on&a=classic%2BRdTt%400.5&game=chess&nodes=500&unknown=--evil&suite=my+own.epd";
        assert_eq!(words_of(all, false).unwrap(), "match|chess|--a=classic+RdTt@0.5|--quick|--suite=my own.epd");
        assert_eq!(words_of("nodes=501", false).unwrap(), "match|--nodes=501");
        assert_eq!(words_of("players=x+y%0D%0A%0D%0Az%0A", false).unwrap(), "match|--player=x y|--player=z");
        assert_eq!(words_of("a=40/60", false).unwrap(), "match|--a=40/60");
        assert_eq!(words_of("a=--games%3D1", false).unwrap(), "match|--a=--games=1");
    }

    #[test]
    fn no_value_leaves_its_place() {
        for query in [
            "what=--output%3Dx",
            "what=-o",
            "game=go",
            "suite=..",
            "suite=/etc/passwd",
            "suite=../x",
            "suite=a/b",
            "suite=c:x",
            "suite=~",
            "a=modern,weights%3D/etc/passwd",
            "a=modern,weights%3D../x",
            "a=modern,weights%3D..%5Cx",
            "a=1/x",
            "a=x%00y",
            "a=x%0Ay",
            "a=uci:sh",
            "players=x%0Auci:sh",
            "a=+UCI:x;uci:sh",
            "engine=sh",
        ] {
            assert!(words_of(query, false).is_err(), "{query}");
        }
        assert!(words_of(&format!("a={}", "x".repeat(2001)), false).is_err());
    }

    #[test]
    fn engines_must_be_allowed() {
        assert_eq!(
            words_of("a=uci:/usr/games/gnuchess+--uci&engine=./x+y", true).unwrap(),
            "match|--a=uci:/usr/games/gnuchess --uci|--engine=./x y"
        );
    }
}
