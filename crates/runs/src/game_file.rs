//! The file that the games of a run are written to as they end, in PGN.
//!
//! A game is written when it is stored, in one step, so the file is a valid PGN whenever it is read, also after `kill -9`.
//! A resumed run replays its games: those that stand in the file already are passed over, what was cut short is written
//! again, and new ones are added behind. If something else was written to the file meanwhile, it is left alone.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use plysmith_store::Run;
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::pairing::PlayedGame;
use crate::pgn::{GameText, PgnStyle, print_game};
use crate::progress::Progress;

/// A file for games. Stored with the run, so that a resumed one goes on with it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameFileConfig {
    /// Where it is.
    pub path: PathBuf,
    /// What is written about moves.
    #[serde(default, skip_serializing_if = "PgnStyle::is_default")]
    pub style: PgnStyle,
}

/// A file for games that is open.
#[derive(Debug)]
pub struct GameFile {
    config: GameFileConfig,
    run: Run,
    file: File,
    /// How far its contents are those of this run.
    at: u64,
    /// Whether it is given up.
    is_lost: bool,
}

impl GameFile {
    /// Opens the file of a run, or makes it.
    pub fn open(config: GameFileConfig, run: Run) -> Result<GameFile, RunError> {
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&config.path);
        let wrong = |error| RunError::input(format!("cannot write games to {}: {error}", config.path.display()));
        let file = opened.map_err(wrong)?;
        Ok(GameFile { config, run, file, at: 0, is_lost: false })
    }

    /// A game as it is written.
    pub fn text(&self, pairing: usize, played: &PlayedGame) -> Result<String, RunError> {
        let PlayedGame { number, job, record } = played;
        print_game(&self.run, &GameText { pairing, number: *number, job, record }, &self.config.style)
    }

    /// Writes the next game, unless it is there. A file that cannot be written does not end the run, which has the games.
    pub fn write(&mut self, text: &str, progress: &Progress) {
        if self.is_lost {
            return;
        }
        if let Err(error) = self.try_write(text.as_bytes()) {
            self.is_lost = true;
            progress.note(format!(
                "warning: no more games are written to {}: {error}; `plysmith export {} --format pgn` has them all",
                self.config.path.display(),
                self.run.id
            ));
        }
    }

    fn try_write(&mut self, text: &[u8]) -> io::Result<()> {
        let end = self.file.metadata()?.len();
        self.file.seek(SeekFrom::Start(self.at.min(end)))?;
        let mut there = Vec::new();
        Read::by_ref(&mut self.file).take(text.len() as u64).read_to_end(&mut there)?;
        if there != text {
            // A write that was cut short ends with the file.
            let is_cut = text.starts_with(&there) && self.at + there.len() as u64 == end;
            if !is_cut {
                return Err(io::Error::new(ErrorKind::InvalidData, "something else was written there"));
            }
            self.file.seek(SeekFrom::Start(self.at))?;
            self.file.write_all(text)?;
        }
        self.at += text.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use plysmith_store::{Home, NewRun, Store};
    use serde_json::Value;

    use super::{GameFile, GameFileConfig};
    use crate::pgn::PgnStyle;
    use crate::progress::{Progress, ProgressSink, Silent};

    const GAMES: [&str; 3] = ["[Event \"a\"]\n\n1. e4 *\n\n", "[Event \"b\"]\n\n*\n\n", "[Event \"c\"]\n\n1. d4 *\n\n"];

    /// However much of the file is there when a run is resumed, every game stands in it once in the end.
    #[test]
    fn no_game_is_missing_and_none_comes_twice() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
        let new = NewRun {
            kind: "match".to_string(),
            game: "chess".to_string(),
            config: Value::Null,
            seed: 1,
            version: String::new(),
            command: Vec::new(),
            parent: None,
        };
        let run = store.run(store.create_run(&new).unwrap().run()).unwrap();
        let path = folder.path().join("games.pgn");
        let config = GameFileConfig { path: path.clone(), style: PgnStyle::default() };
        let sink: Arc<dyn ProgressSink> = Arc::new(Silent);
        let progress = Progress::begin(&sink, 1);
        let whole = GAMES.concat();
        for cut in 0..=whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let mut file = GameFile::open(config.clone(), run.clone()).unwrap();
            GAMES.iter().for_each(|game| file.write(game, &progress));
            assert_eq!(fs::read_to_string(&path).unwrap(), whole, "cut at {cut}");
        }
        // What others wrote is not destroyed.
        for other in ["something else\n".to_string(), format!("{}mine\n", GAMES[0])] {
            fs::write(&path, &other).unwrap();
            let mut file = GameFile::open(config.clone(), run.clone()).unwrap();
            GAMES.iter().for_each(|game| file.write(game, &progress));
            assert_eq!(fs::read_to_string(&path).unwrap(), other);
            assert!(file.is_lost);
        }
    }
}
