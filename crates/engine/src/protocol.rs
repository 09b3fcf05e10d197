//! An engine that is talked to in text: UCI, as far as it makes sense for any game of the table.
//!
//! Positions and moves are the game's own text, so one protocol serves them all; for chess it is UCI.
//! The other side writes commands, one a line, and reads answers, each flushed at once:
//!
//! | command | answer |
//! | --- | --- |
//! | `uci` | `id` and `option` lines, then `uciok` |
//! | `isready` | `readyok`, also during a search |
//! | `ucinewgame` | none; the position is the start again |
//! | `setoption name NAME value VALUE` | none; `Preset` sets all other parts of the search |
//! | `position startpos`, `position [fen] TEXT`, either with `moves M…` | none |
//! | `go` with any of `nodes`, `depth`, `movetime`, `wtime btime winc binc movestogo`, `infinite` | `info` for every iteration, then one `bestmove` |
//! | `stop` | the `bestmove` of the search, at once |
//! | `d` or `show` | the board |
//! | `quit`, or the end of the input | the `bestmove` of a search under way, then the end |
//!
//! - Whatever cannot be done is answered by `info string error: …` with the remedy and changes nothing:
//!   a `go` that is refused has no `bestmove`, a `position` that is refused leaves the one before.
//! - `cp` is in the game's own units. `mate` counts moves: plies rounded up, below zero when losing.
//! - `go` without limits is `go infinite`, and that has no `bestmove` before `stop`, whatever is proved.
//! - The `bestmove` of a game that is over is `(none)`, as Stockfish says it.
//! - An iteration that was not finished is told as well, with `lowerbound` if it changed the score or the line.
//! - Searches remember nothing of each other: the same position, options and node limit give the same nodes
//!   and the same move, with or without `ucinewgame`.

pub mod limits;
pub mod lines;
pub mod options;
mod thinking;

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};

use plysmith_core::game::{MoveError, PositionError};
use plysmith_core::games::{AnyPosition, Entry, Start, StartError};
use plysmith_core::search::deepening::Workspace;
use thiserror::Error;

use limits::Limits;
use lines::{Line, Lines};
use options::Options;
use thinking::Thinking;

/// Speaks the protocol until `quit` or the end of the input.
///
/// The search has a thread of its own, so that commands are answered meanwhile. Fails if the input cannot
/// be read or nobody takes the output any more.
pub fn serve(options: Options, input: impl BufRead, output: impl Write + Send) -> io::Result<()> {
    let voice = Voice::new(output);
    let position = start_of(options.game()).map_err(io::Error::other)?;
    scope(|scope| {
        let mut session =
            Session { scope, voice: &voice, options, position, running: None, workspace: Workspace::default() };
        let result = session.answer_all(&mut Lines::new(input));
        session.stop();
        result
    })?;
    voice.into_failure().map_or(Ok(()), Err)
}

/// Why a `position` was not set up.
#[derive(Debug, Error)]
enum SetupError {
    #[error("there is no position; expected 'position startpos' or 'position fen TEXT', then perhaps 'moves M…'")]
    Missing,
    #[error("position '{text}', character {place}: {error}", place = error.offset + 1)]
    Position { text: String, error: PositionError },
    #[error("move {number}: {error}")]
    Move { number: usize, error: MoveError },
    #[error(transparent)]
    Start(#[from] StartError),
}

/// One conversation.
struct Session<'scope, 'env, W> {
    scope: &'scope Scope<'scope, 'env>,
    voice: &'env Voice<W>,
    options: Options,
    position: Arc<dyn AnyPosition>,
    running: Option<Running<'scope>>,
    workspace: Workspace,
}

/// A search that was begun, and perhaps is over.
struct Running<'scope> {
    thread: ScopedJoinHandle<'scope, Workspace>,
    signals: Arc<Signals>,
}

/// What the two threads tell each other.
#[derive(Default)]
struct Signals {
    /// The search is to end.
    stop: AtomicBool,
    /// Its `bestmove` is about to be written; a new `go` may follow.
    done: AtomicBool,
}

/// Whether the conversation goes on.
#[derive(PartialEq, Eq)]
enum Next {
    Listen,
    Quit,
}

impl<'scope, 'env, W: Write + Send> Session<'scope, 'env, W> {
    fn answer_all(&mut self, lines: &mut Lines<impl BufRead>) -> io::Result<()> {
        while let Some(line) = lines.read()? {
            let next = match line {
                Line::Whole(text) => self.answer(&text.split_whitespace().collect::<Vec<_>>()),
                Line::TooLong => {
                    self.voice.complain("a line that never seems to end is ignored; commands are short");
                    Next::Listen
                }
            };
            if next == Next::Quit || self.voice.has_failed() {
                break;
            }
        }
        Ok(())
    }

    fn answer(&mut self, words: &[&str]) -> Next {
        let Some((&command, rest)) = words.split_first() else { return Next::Listen };
        match command {
            "uci" => self.introduce(),
            "isready" => self.voice.say("readyok"),
            "ucinewgame" => self.set_up(&["startpos"]),
            "setoption" => {
                if let Err(error) = self.options.set(rest) {
                    self.voice.complain(&error);
                }
            }
            "position" => self.set_up(rest),
            "go" => self.go(rest),
            "stop" => self.stop(),
            "d" | "show" => self.show(),
            "quit" => return Next::Quit,
            _ => self.voice.complain(&format!(
                "there is no command '{command}'; expected uci, isready, ucinewgame, setoption, position, go, stop, \
                 show or quit"
            )),
        }
        Next::Listen
    }

    fn introduce(&self) {
        let name = format!("id name Plysmith {} {}", env!("CARGO_PKG_VERSION"), self.options.game().name);
        self.voice.say(&name);
        self.voice.say("id author the Plysmith authors");
        self.options.lines().for_each(|line| self.voice.say(&line));
        self.voice.say("uciok");
    }

    fn set_up(&mut self, words: &[&str]) {
        match read_position(self.options.game(), words) {
            Ok(position) => self.position = position,
            Err(error) => self.voice.complain(&error),
        }
    }

    fn show(&self) {
        // Without a move nothing can be wrong with it.
        let drawing = self.position.draw(None).unwrap_or_default();
        self.voice.say(&format!("{drawing}position {}", self.position.text()));
    }

    fn go(&mut self, words: &[&str]) {
        if self.running.as_ref().is_some_and(|running| !running.signals.done.load(Ordering::Acquire)) {
            return self.voice.complain("a search is under way; end it with 'stop' first");
        }
        let limits = match Limits::parse(words) {
            Ok(limits) => limits,
            Err(error) => return self.voice.complain(&error),
        };
        self.join();
        let signals = Arc::new(Signals::default());
        let thinking = Thinking {
            voice: self.voice,
            options: self.options.clone(),
            position: Arc::clone(&self.position),
            limits,
            signals: Arc::clone(&signals),
        };
        let mut workspace = std::mem::take(&mut self.workspace);
        let search = move || {
            thinking.think(&mut workspace);
            workspace
        };
        match Builder::new().name("search".to_string()).spawn_scoped(self.scope, search) {
            Ok(thread) => self.running = Some(Running { thread, signals }),
            Err(error) => self.voice.complain(&format!("cannot begin a search: {error}; try again")),
        }
    }

    /// Ends the search, if there is one; its answer is written when this returns.
    fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.signals.stop.store(true, Ordering::Release);
            running.thread.thread().unpark();
        }
        self.join();
    }

    /// Waits for a search that is about to end, and takes back its memory.
    fn join(&mut self) {
        if let Some(running) = self.running.take() {
            self.workspace = running.thread.join().unwrap_or_default();
        }
    }
}

/// What is said, line by line, by whichever thread has something to say.
struct Voice<W> {
    output: Mutex<Output<W>>,
}

struct Output<W> {
    writer: W,
    /// The first failure; nothing is written after it.
    failure: Option<io::Error>,
}

impl<W: Write> Voice<W> {
    /// The longest message; what was read may be much longer, and some of it may come back in a message.
    const LONGEST: usize = 400;

    fn new(writer: W) -> Voice<W> {
        Voice { output: Mutex::new(Output { writer, failure: None }) }
    }

    /// Writes a line at once.
    fn say(&self, line: &str) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        if output.failure.is_none() {
            let whole = format!("{line}\n");
            output.failure = output.writer.write_all(whole.as_bytes()).and_then(|()| output.writer.flush()).err();
        }
    }

    /// Says in one line what is wrong, whatever bytes it quotes.
    fn complain<E: ToString + ?Sized>(&self, error: &E) {
        let message = error.to_string();
        let printable = |letter: char| if letter.is_control() { ' ' } else { letter };
        let mut text: String = message.chars().map(printable).take(Self::LONGEST).collect();
        if text.len() < message.len() {
            text.push('…');
        }
        self.say(&format!("info string error: {text}"));
    }

    fn has_failed(&self) -> bool {
        self.output.lock().unwrap_or_else(PoisonError::into_inner).failure.is_some()
    }

    fn into_failure(self) -> Option<io::Error> {
        self.output.into_inner().unwrap_or_else(PoisonError::into_inner).failure
    }
}

fn start_of(game: &Entry) -> Result<Arc<dyn AnyPosition>, SetupError> {
    open(game, &(game.start)(&Start::default())?)
}

fn open(game: &Entry, text: &str) -> Result<Arc<dyn AnyPosition>, SetupError> {
    (game.open)(text).map(Arc::from).map_err(|error| SetupError::Position { text: text.to_string(), error })
}

/// Reads what stands behind `position`.
fn read_position(game: &Entry, words: &[&str]) -> Result<Arc<dyn AnyPosition>, SetupError> {
    let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let (place, moves) = words.split_at(end);
    let mut position = match place {
        [] | ["fen"] => return Err(SetupError::Missing),
        ["startpos"] => start_of(game)?,
        ["fen", text @ ..] | text => open(game, &text.join(" "))?,
    };
    for (index, m) in moves.iter().skip(1).enumerate() {
        let next = position.play(m).map_err(|error| SetupError::Move { number: index + 1, error })?;
        position = Arc::from(next);
    }
    Ok(position)
}

#[cfg(test)]
mod conversation;
#[cfg(test)]
mod tests;
