//! The other side of a conversation with the engine, for tests: all in memory.

use std::io::{self, BufReader, Cursor, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use plysmith_core::feature::Scheme;
use plysmith_core::games::{GameInfo, find};

use super::options::ServerOptions;
use super::serve;

/// More than any answer takes, on any machine.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

pub fn game() -> &'static GameInfo {
    find("breakthrough").unwrap()
}

pub fn options() -> ServerOptions {
    options_of("breakthrough")
}

fn options_of(game: &str) -> ServerOptions {
    let game = find(game).unwrap();
    ServerOptions::new(game, game.parse_settings("modern").unwrap(), Scheme::neutral(), 1)
}

/// The value behind a word of an `info` or `bestmove` line.
pub fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|&word| word != name).nth(1)
}

/// The number behind a word of the last line that has one.
pub fn last_number(lines: &[String], name: &str) -> i64 {
    let found = lines.iter().rev().find_map(|line| value(line, name)?.parse().ok());
    found.unwrap_or_else(|| panic!("no {name} in {lines:?}"))
}

/// The move that ends the answers to a search.
pub fn best_move(lines: &[String]) -> &str {
    lines.last().and_then(|line| value(line, "bestmove")).unwrap_or_else(|| panic!("no move in {lines:?}"))
}

/// What does not depend on the clock in the answers to a search.
pub fn without_times(lines: &[String]) -> Vec<String> {
    let is_timeless = |(name, _): &(&str, &str)| !matches!(*name, "nps" | "time");
    let timeless = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        let before = std::iter::once("").chain(words.iter().copied());
        let pairs = before.zip(words.iter().copied());
        pairs.filter(is_timeless).map(|(_, word)| word).collect::<Vec<_>>().join(" ")
    };
    lines.iter().map(timeless).collect()
}

/// All that the engine says to a whole script; a `go` in it is ended by the next `stop` or the end.
pub fn run(script: &[u8]) -> Vec<String> {
    let mut output = Vec::new();
    serve(options(), script, &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_string).collect()
}

/// A conversation in which one waits for answers.
pub struct Conversation {
    commands: Option<Sender<Vec<u8>>>,
    answers: Receiver<String>,
    engine: Option<JoinHandle<io::Result<()>>>,
}

impl Conversation {
    pub fn begin() -> Conversation {
        Conversation::about("breakthrough")
    }

    /// A conversation with the engine of this game.
    pub fn about(game: &str) -> Conversation {
        let options = options_of(game);
        let (commands, input) = channel();
        let (output, answers) = channel();
        let input = BufReader::new(ChannelReader { input, rest: Cursor::default() });
        let output = ChannelWriter { output, line: Vec::new() };
        let engine = spawn(move || serve(options, input, output));
        Conversation { commands: Some(commands), answers, engine: Some(engine) }
    }

    pub fn send(&self, text: &str) {
        self.send_bytes(format!("{text}\n").into_bytes());
    }

    pub fn send_bytes(&self, bytes: Vec<u8>) {
        self.commands.as_ref().unwrap().send(bytes).unwrap();
    }

    /// The answers up to one that begins like this.
    pub fn read_to(&self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.starts_with(beginning)) {
            let line = self.answers.recv_timeout(LONGEST_WAIT);
            lines.push(line.unwrap_or_else(|error| panic!("no '{beginning}' after {lines:?}: {error}")));
        }
        lines
    }

    /// The answers to these commands and a search.
    pub fn search(&self, commands: &[&str]) -> Vec<String> {
        commands.iter().for_each(|command| self.send(command));
        self.read_to("bestmove")
    }

    /// What is said up to an `isready` that is sent now.
    pub fn drain(&self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.read_to("readyok");
        lines.pop();
        lines
    }

    /// Ends the input.
    pub fn end(mut self) {
        drop(self.commands.take());
        self.engine.take().unwrap().join().unwrap().unwrap();
    }
}

struct ChannelReader {
    input: Receiver<Vec<u8>>,
    rest: Cursor<Vec<u8>>,
}

impl Read for ChannelReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.rest.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            match self.input.recv() {
                Ok(bytes) => self.rest = Cursor::new(bytes),
                Err(_) => return Ok(0),
            }
        }
    }
}

/// Hands over lines only when they are flushed, so that forgetting it is noticed.
struct ChannelWriter {
    output: Sender<String>,
    line: Vec<u8>,
}

impl Write for ChannelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8(std::mem::take(&mut self.line)).unwrap();
        text.lines().try_for_each(|line| self.output.send(line.to_string())).map_err(io::Error::other)
    }
}
