//! An engine that is talked to in text: UCI, as far as it makes sense for any game of the table.
//!
//! Positions and moves are the game's own text, so one protocol serves them all; for chess it is UCI.
//! The other side writes commands, one a line, and reads answers, each flushed at once:
//!
//! | command | answer |
//! | --- | --- |
//! | `uci` | `id` and `option` lines, then `uciok` |
//! | `isready` | `readyok`, also during a search |
//! | `ucinewgame` | none; the position is the start again, and earlier searches are forgotten |
//! | `setoption name NAME value VALUE` | none; counts from the next search on; `Preset` sets all other parts of the search |
//! | `setoption name Clear Hash` | none; earlier searches are forgotten |
//! | `position startpos`, `position [fen] TEXT`, either with `moves M…` | none |
//! | `go` with any of `nodes`, `depth`, `mate`, `movetime`, `wtime btime winc binc movestogo`, `searchmoves M…`, `ponder`, `infinite` | `info` for every iteration and line, then one `bestmove` |
//! | `ponderhit` | none; the clock of a search that was begun with `ponder` runs from now on |
//! | `stop` | the `bestmove` of the search, at once |
//! | `d` or `show` | the board |
//! | `quit`, or the end of the input | the `bestmove` of a search under way, then the end |
//!
//! - Whatever cannot be done is answered by `info string error: …` with the remedy and changes nothing:
//!   a `go` that is refused has no `bestmove`, a `position` that is refused leaves the one before.
//! - `cp` is in the game's own units, which for chess are centipawns. `mate` counts moves: plies rounded up, below
//!   zero when losing.
//! - `go` without limits is `go infinite`, and that has no `bestmove` before `stop`, whatever is proved. A search with
//!   `ponder` has none before `ponderhit` or `stop`.
//! - `go mate N` is answered by whom the option `MateSolver` names, if the caller brought solvers: with a proved mate at
//!   once, or, if there is none within N moves, by the search as usual.
//! - Of `searchmoves`, those that are not legal are named in an error and passed over; if that leaves none, all moves
//!   are searched.
//! - `bestmove` has the expected reply behind `ponder`, if there is one. The `bestmove` of a game that is over is
//!   `(none)`, as Stockfish says it; a draw that somebody would have to claim is played on.
//! - An iteration that was not finished is told as well, with `lowerbound` if it changed the score or the line.
//! - What one search found, the next one knows, until `ucinewgame`, `Clear Hash`, or a change of the search's settings
//!   or scheme. From there on, the same commands with one thread and without clocks give the same nodes and the same
//!   moves.

pub mod limits;
pub mod lines;
pub mod mate;
pub mod options;
pub mod pace;
mod setup;
mod stalls;
mod team;
mod thinking;
mod voice;

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};
use std::time::Instant;

use plysmith_core::search::Workspace;

use limits::Limits;
use lines::{Line, Lines};
use options::{Memory, Options};
use setup::Setup;
use stalls::Stalls;
use thinking::{Signals, Thinking};
use voice::Voice;

/// Speaks the protocol until `quit` or the end of the input.
///
/// The search has a thread of its own, so that commands are answered meanwhile. Fails if the input cannot
/// be read or nobody takes the output any more.
pub fn serve(options: Options, input: impl BufRead, output: impl Write + Send) -> io::Result<()> {
    let voice = Voice::new(output);
    let setup = Setup::start(options.game()).map_err(io::Error::other)?;
    scope(|scope| {
        let workspace = Workspace::default();
        let mut session = Session {
            scope,
            voice: &voice,
            options,
            setup,
            running: None,
            workspace,
            memory: None,
            stalls: Arc::default(),
        };
        let result = session.answer_all(&mut Lines::new(input));
        session.stop();
        result
    })?;
    voice.into_failure().map_or(Ok(()), Err)
}

/// One conversation.
struct Session<'scope, 'env, W> {
    scope: &'scope Scope<'scope, 'env>,
    voice: &'env Voice<W>,
    options: Options,
    setup: Setup,
    running: Option<Running<'scope>>,
    workspace: Workspace,
    /// What the results in the workspace are good for.
    memory: Option<Memory>,
    /// How long searches were kept from running.
    stalls: Arc<Stalls>,
}

/// A search that was begun, and perhaps is over.
struct Running<'scope> {
    thread: ScopedJoinHandle<'scope, Workspace>,
    signals: Arc<Signals>,
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
            "isready" => self.be_ready(),
            "ucinewgame" => {
                self.options.forget();
                self.set_up(&["startpos"]);
            }
            "setoption" => {
                if let Err(error) = self.options.set(rest) {
                    self.voice.complain(&error);
                }
            }
            "position" => self.set_up(rest),
            "go" => self.go(rest),
            "ponderhit" => self.ponder_hit(),
            "stop" => self.stop(),
            "d" | "show" => self.show(),
            "quit" => return Next::Quit,
            _ => self.voice.complain(&format!(
                "there is no command '{command}'; expected uci, isready, ucinewgame, setoption, position, go, ponderhit, \
                 stop, show or quit"
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

    /// Does now what would otherwise delay the next search, unless one is under way.
    fn be_ready(&mut self) {
        if !self.is_searching() {
            self.prepare();
            self.workspace.make_room(&self.options.settings);
        }
        self.voice.say("readyok");
    }

    fn set_up(&mut self, words: &[&str]) {
        match self.setup.read(self.options.game(), words) {
            Ok(setup) => self.setup = setup,
            Err(error) => self.voice.complain(&error),
        }
    }

    fn show(&self) {
        let position = self.setup.playing().position();
        // Without a move nothing can be wrong with it.
        let drawing = position.draw(None).unwrap_or_default();
        self.voice.say(&format!("{drawing}position {}", position.text()));
    }

    fn go(&mut self, words: &[&str]) {
        let begun = Instant::now();
        if self.is_searching() {
            return self.voice.complain("a search is under way; end it with 'stop' first");
        }
        let mut limits = match Limits::parse(words) {
            Ok(limits) => limits,
            Err(error) => return self.voice.complain(&error),
        };
        self.choose(&mut limits);
        self.prepare();
        let signals = Arc::new(Signals::default());
        if !limits.ponder {
            signals.clock.get_or_init(|| begun);
        }
        let thinking = Thinking {
            voice: self.voice,
            options: self.options.clone(),
            playing: self.setup.playing().clone(),
            limits,
            signals: Arc::clone(&signals),
            stalls: Arc::clone(&self.stalls),
            begun,
        };
        let mut workspace = std::mem::take(&mut self.workspace);
        let search = move || {
            thinking.think(&mut workspace);
            workspace
        };
        match Builder::new().name("search".to_string()).spawn_scoped(self.scope, search) {
            Ok(thread) => self.running = Some(Running { thread, signals }),
            Err(error) => {
                self.memory = None;
                self.voice.complain(&format!("cannot begin a search: {error}; try again"));
            }
        }
    }

    /// Leaves of the moves to be searched those that there are.
    fn choose(&self, limits: &mut Limits) {
        let position = self.setup.playing().position();
        let wanted = std::mem::take(&mut limits.only);
        for m in &wanted {
            match position.canonical_move(m) {
                Ok(m) if limits.only.contains(&m) => {}
                Ok(m) => limits.only.push(m),
                Err(error) => self.voice.complain(&format!("searchmoves: {error}")),
            }
        }
        if limits.only.is_empty() && !wanted.is_empty() {
            self.voice.complain("searchmoves: there is no such move, so all moves are searched");
        }
    }

    /// Starts the clock of a search that was begun while the opponent was thinking.
    fn ponder_hit(&self) {
        match self.running.as_ref().filter(|running| running.signals.clock.get().is_none()) {
            Some(running) => {
                running.signals.clock.get_or_init(Instant::now);
                running.thread.thread().unpark();
            }
            None => self.voice.complain("nothing is pondered on; expected 'go ponder' before"),
        }
    }

    fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.signals.done.load(Ordering::Acquire))
    }

    /// Takes the workspace back from the last search, and forgets what the next one must not know.
    fn prepare(&mut self) {
        self.join();
        let memory = Some(self.options.memory());
        if self.memory != memory {
            self.workspace.forget(true);
            self.memory = memory;
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
            match running.thread.join() {
                Ok(workspace) => self.workspace = workspace,
                Err(_) => self.memory = None,
            }
        }
    }
}

#[cfg(test)]
mod chess_tests;
#[cfg(test)]
mod conversation;
#[cfg(test)]
mod tests;
