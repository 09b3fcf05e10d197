//! A program and its arguments, written as one line and split without a shell.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

/// A program and its arguments. As text: words separated by blanks; quotes keep blanks, a backslash keeps the next
/// character.
///
/// ```
/// use plysmith_engine::process::EngineCommand;
///
/// let command: EngineCommand = "'/opt/my engines/one' --uci".parse().unwrap();
/// assert_eq!(command.program, "/opt/my engines/one");
/// assert_eq!(command.arguments, ["--uci"]);
/// assert_eq!(command.to_string(), "'/opt/my engines/one' --uci");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineCommand {
    /// A path, or a name to look up on the search path.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder that it is started in; none for that of this process. Not a part of the text.
    pub folder: Option<String>,
}

/// An error in an engine's command line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommandError {
    /// It is empty.
    #[error("there is no engine; expected a program with its arguments, like 'gnuchess --uci'")]
    Empty,
    /// A quote is not closed.
    #[error("engine '{text}': the quote {quote} is never closed; write it twice, or put a backslash before it")]
    OpenQuote {
        /// The whole text.
        text: String,
        /// The quote.
        quote: char,
    },
    /// No such program.
    #[error(
        "there is no program '{program}' on the search path or in {places}; give its whole path, or install it",
        places = GAMES_FOLDERS.join(" or ")
    )]
    NotFound {
        /// Its name.
        program: String,
    },
    /// The folder to start it in is not there.
    #[error("there is no folder '{path}' to start the engine in; check dir=")]
    NoFolder {
        /// Its path.
        path: String,
    },
    /// A path without a file.
    #[error("there is no file '{path}' that could be started; check the path")]
    NoFile {
        /// The path.
        path: String,
    },
}

/// Where Debian installs engines; often not on the search path.
const GAMES_FOLDERS: [&str; 2] = ["/usr/games", "/usr/local/games"];

impl EngineCommand {
    /// The file to start. A path is looked up in the engine's folder first, and the result does not depend on the folder
    /// that the process is in.
    pub fn resolve(&self) -> Result<PathBuf, CommandError> {
        let is_file = |path: &PathBuf| path.is_file();
        if let Some(folder) = &self.folder
            && !Path::new(folder).is_dir()
        {
            return Err(CommandError::NoFolder { path: folder.clone() });
        }
        if self.program.contains(std::path::MAIN_SEPARATOR) {
            let inside = self.folder.as_ref().map(|folder| Path::new(folder).join(&self.program));
            let found = inside.into_iter().chain([PathBuf::from(&self.program)]).find(is_file);
            let found = found.ok_or_else(|| CommandError::NoFile { path: self.program.clone() })?;
            let is_moved = self.folder.is_some() && found.is_relative();
            return Ok(if is_moved { std::path::absolute(&found).unwrap_or(found) } else { found });
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let own = self.folder.iter().map(PathBuf::from);
        let folders = env::split_paths(&path).chain(GAMES_FOLDERS.iter().map(PathBuf::from)).chain(own);
        let found = folders.map(|folder| folder.join(&self.program)).find(is_file);
        let found = found.map(|found| std::path::absolute(&found).unwrap_or(found));
        found.ok_or_else(|| CommandError::NotFound { program: self.program.clone() })
    }

    /// The text with the folder, for keys.
    pub fn identity(&self) -> String {
        self.folder.as_ref().map_or_else(|| self.to_string(), |folder| format!("{self};dir={folder}"))
    }

    /// An argument as a path, if it names a file.
    pub fn file(&self, argument: &str) -> Option<PathBuf> {
        let path =
            self.folder.as_ref().map_or_else(|| PathBuf::from(argument), |folder| Path::new(folder).join(argument));
        Some(path).filter(|path| path.is_file())
    }

    /// The program without its folder: short enough for a table.
    pub fn short_name(&self) -> &str {
        Path::new(&self.program).file_name().and_then(|name| name.to_str()).unwrap_or(&self.program)
    }
}

impl FromStr for EngineCommand {
    type Err = CommandError;

    fn from_str(text: &str) -> Result<EngineCommand, CommandError> {
        let mut words = split(text)?.into_iter();
        let program = words.next().filter(|program| !program.is_empty()).ok_or(CommandError::Empty)?;
        Ok(EngineCommand { program, arguments: words.collect(), folder: None })
    }
}

impl fmt::Display for EngineCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.program))?;
        self.arguments.iter().try_for_each(|word| write!(f, " {}", quoted(word)))
    }
}

fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=:,+@%^~".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn split(text: &str) -> Result<Vec<String>, CommandError> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some(end) if end == letter => break,
                        Some('\\') if letter == '"' => word.extend(letters.next()),
                        Some(inside) => word.push(inside),
                        None => return Err(CommandError::OpenQuote { text: text.to_string(), quote: letter }),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(letters.next()),
            _ if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::EngineCommand;

    #[test]
    fn words_are_split_as_people_expect_and_print_back() {
        for (text, words) in [
            ("gnuchess --uci", vec!["gnuchess", "--uci"]),
            ("  a\t b  ", vec!["a", "b"]),
            ("'a b'c \"d 'e'\" f\\ g ''", vec!["a bc", "d 'e'", "f g", ""]),
            ("\"a\\\"b\" 'c\\d'", vec!["a\"b", "c\\d"]),
            ("a;b $HOME *", vec!["a;b", "$HOME", "*"]),
        ] {
            let command: EngineCommand = text.parse().unwrap();
            let all: Vec<_> = [&command.program].into_iter().chain(&command.arguments).collect();
            assert_eq!(all, words, "{text}");
            assert_eq!(command.to_string().parse::<EngineCommand>().unwrap(), command, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_started_is_named_with_the_remedy() {
        let error = |text: &str| text.parse::<EngineCommand>().unwrap_err().to_string();
        assert!(error(" ").contains("like 'gnuchess --uci'"));
        assert!(error("").contains("there is no engine"));
        assert!(error("a 'b c").contains("the quote ' is never closed"));
        let missing = |text: &str| text.parse::<EngineCommand>().unwrap().resolve().unwrap_err().to_string();
        assert!(missing("no-such-engine --uci").contains("'no-such-engine' on the search path or in /usr/games"));
        assert!(missing("/nowhere/engine").contains("there is no file '/nowhere/engine'"));
    }
}
