//! The text of a player: what it is, then what a game should know of it, separated by semicolons.
//!
//! ```text
//! player    = engine { ";" part }
//! engine    = PRESET [ "+" SCHEME ] | "uci:" COMMAND
//! part      = "name=" NAME            what it is called in tables and PGN
//!           | "dir=" FOLDER           where a UCI engine is started
//!           | "nodes=" N | "depth=" N | "tc=" CLOCK | "movetime=" TIME    its own limit instead of the match's
//!           | "margin=" TIME          with tc or movetime
//!           | OPTION "=" VALUE        an option of a UCI engine; a button is OPTION alone
//!           | "option." OPTION "=" VALUE    the same, for options that are called like one of the words above
//! ```
//!
//! A semicolon in quotes does not separate. The words are written in small letters; `Name=x` is an option of the engine.

use crate::move_limit::{MoveLimit, TimeControl, TimeLimit, parse_time};

/// Words that are no options.
const NAME: &str = "name";
const FOLDER: &str = "dir";
const NODES: &str = "nodes";
const DEPTH: &str = "depth";
const CLOCK: &str = "tc";
const MOVE_TIME: &str = "movetime";
const MARGIN: &str = "margin";
const WORDS: [&str; 7] = [NAME, FOLDER, NODES, DEPTH, CLOCK, MOVE_TIME, MARGIN];
/// Marks an option whatever it is called.
const OPTION: &str = "option.";

/// The longest name.
const LONGEST_NAME: usize = 80;
/// The greatest depth.
const MOST_DEPTH: u32 = 1000;

/// A player's text in its parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct PlayerText<'a> {
    pub engine: &'a str,
    pub name: Option<String>,
    pub folder: Option<String>,
    pub limit: Option<MoveLimit>,
    /// Options of an engine in the order of the text.
    pub options: Vec<(String, String)>,
}

impl<'a> PlayerText<'a> {
    /// Takes a text apart.
    pub fn parse(text: &'a str) -> Result<PlayerText<'a>, String> {
        let mut parts = split(text).into_iter();
        let mut player = PlayerText { engine: parts.next().unwrap_or_default(), ..PlayerText::default() };
        let mut words: Vec<(&str, &str)> = Vec::new();
        for part in parts.filter(|part| !part.trim().is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (name, value) = (name.trim(), unquoted(value.trim()));
            if words.iter().any(|(word, _)| *word == name) {
                return Err(format!("'{name}=' is there twice"));
            }
            let option = name.strip_prefix(OPTION).unwrap_or(name);
            if WORDS.contains(&name) {
                words.push((name, value));
            } else if option.is_empty() {
                return Err(format!("'{part}' is not an option; expected NAME=VALUE, like 'Hash=16'"));
            } else {
                player.options.push((option.to_string(), value.to_string()));
            }
        }
        let word = |name: &str| words.iter().find(|(word, _)| *word == name).map(|(_, value)| *value);
        player.name = word(NAME).map(checked_name).transpose()?;
        player.folder = word(FOLDER).map(str::to_string);
        if player.folder.as_deref() == Some("") {
            return Err("'dir=' needs a folder, like 'dir=/opt/engine'".to_string());
        }
        player.limit = limit(word)?;
        Ok(player)
    }

    /// What the player is called: its name, or else its text.
    pub fn display_name(text: &str) -> &str {
        let name = |part: &'_ str| part.trim_start().starts_with("name=");
        let found = split(text).into_iter().skip(1).find(|part| name(part)).and_then(|part| part.split_once('='));
        found.map(|(_, name)| unquoted(name.trim())).filter(|name| !name.is_empty()).unwrap_or(text)
    }

    /// What comes behind the engine.
    pub fn print_rest(&self) -> String {
        let mut words: Vec<(&str, String)> = Vec::new();
        words.extend(self.name.iter().map(|name| (NAME, name.clone())));
        words.extend(self.folder.iter().map(|folder| (FOLDER, folder.clone())));
        words.extend(self.limit.into_iter().flat_map(MoveLimit::attributes));
        let words = words.into_iter().map(|(name, value)| part(name, &value));
        let options = self.options.iter().map(|(name, value)| {
            let is_word = WORDS.contains(&name.as_str()) || name.starts_with(OPTION);
            if is_word { part(&format!("{OPTION}{name}"), value) } else { part(name, value) }
        });
        words.chain(options).collect()
    }
}

fn part(name: &str, value: &str) -> String {
    match value {
        "" => format!(";{name}"),
        value if value.contains(';') => format!(";{name}=\"{value}\""),
        value => format!(";{name}={value}"),
    }
}

fn checked_name(name: &str) -> Result<String, String> {
    let is_fine = |letter: char| !letter.is_control() && !"\"';".contains(letter);
    if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(is_fine) {
        return Err(format!(
            "'{name}' is not a name; expected up to {LONGEST_NAME} letters without quotes or semicolons"
        ));
    }
    Ok(name.to_string())
}

/// The limit that these words give; at most one.
fn limit<'a>(word: impl Fn(&str) -> Option<&'a str>) -> Result<Option<MoveLimit>, String> {
    let given: Vec<&str> = [NODES, DEPTH, CLOCK, MOVE_TIME].into_iter().filter(|name| word(name).is_some()).collect();
    if let [first, second, ..] = given[..] {
        return Err(format!("it has '{first}=' and '{second}='; a player has one limit"));
    }
    let number = |name: &str, text: &str, most: u64| {
        let number = text.parse().ok().filter(|number| (1..=most).contains(number));
        number.ok_or_else(|| format!("'{name}={text}' is not a limit; expected a number from 1 to {most}"))
    };
    let untimed = match (word(NODES), word(DEPTH)) {
        (Some(text), _) => Some(MoveLimit::Nodes(number(NODES, text, u64::MAX)?)),
        (None, Some(text)) => Some(MoveLimit::Depth(number(DEPTH, text, MOST_DEPTH.into())? as u32)),
        (None, None) => None,
    };
    let control = match (word(CLOCK), word(MOVE_TIME)) {
        (Some(text), _) => Some(TimeControl::parse_clock(text)),
        (None, Some(text)) => Some(TimeControl::parse_move_time(text)),
        (None, None) => None,
    };
    let control = control.transpose().map_err(|error| error.to_string())?;
    let margin = word(MARGIN).map(parse_time).transpose().map_err(|error| error.to_string())?;
    match (control, margin) {
        (Some(control), margin) => {
            let margin = margin.unwrap_or(control.usual_margin());
            Ok(Some(MoveLimit::Time(TimeLimit { control, margin })))
        }
        (None, Some(_)) => Err("'margin=' needs 'tc=' or 'movetime='".to_string()),
        (None, None) => Ok(untimed),
    }
}

/// The parts between semicolons that are not in quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut quote) = (Vec::new(), 0, None);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, ';') => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

fn unquoted(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}
