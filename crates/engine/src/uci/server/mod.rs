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

mod go;
pub mod mate;
pub mod options;
mod output;
mod position;
mod search;

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};
use std::time::Instant;

use plysmith_core::search::deepening::Workspace;

use crate::lines::{InputLine, LineReader};
use crate::timed_search::LagMeter;
use go::GoLimits;
use options::{ServerOptions, TableScope};
use output::LineWriter;
use position::CurrentGame;
use search::{GoSearch, SearchSignals};

/// Speaks the protocol until `quit` or the end of the input.
///
/// The search has a thread of its own, so that commands are answered meanwhile. Fails if the input cannot
/// be read or nobody takes the output any more.
pub fn serve(options: ServerOptions, input: impl BufRead, output: impl Write + Send) -> io::Result<()> {
    let output = LineWriter::new(output);
    let setup = CurrentGame::start(options.game()).map_err(io::Error::other)?;
    scope(|scope| {
        let workspace = Workspace::default();
        let mut session = UciSession {
            scope,
            output: &output,
            options,
            setup,
            running: None,
            workspace,
            memory: None,
            lag: Arc::default(),
        };
        let result = session.answer_all(&mut LineReader::new(input));
        session.stop();
        result
    })?;
    output.into_failure().map_or(Ok(()), Err)
}

/// One conversation.
struct UciSession<'scope, 'env, W> {
    scope: &'scope Scope<'scope, 'env>,
    output: &'env LineWriter<W>,
    options: ServerOptions,
    setup: CurrentGame,
    running: Option<RunningSearch<'scope>>,
    workspace: Workspace,
    /// What the results in the workspace are good for.
    memory: Option<TableScope>,
    /// How long searches were suspended.
    lag: Arc<LagMeter>,
}

/// A search that was begun, and perhaps is over.
struct RunningSearch<'scope> {
    thread: ScopedJoinHandle<'scope, Workspace>,
    signals: Arc<SearchSignals>,
}

/// Whether the conversation goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    Listen,
    Quit,
}

impl<'scope, 'env, W: Write + Send> UciSession<'scope, 'env, W> {
    fn answer_all(&mut self, lines: &mut LineReader<impl BufRead>) -> io::Result<()> {
        while let Some(line) = lines.read()? {
            let next = match line {
                InputLine::Whole(text) => self.answer(&text.split_whitespace().collect::<Vec<_>>()),
                InputLine::TooLong => {
                    self.output.write_error("a line that never seems to end is ignored; commands are short");
                    Flow::Listen
                }
            };
            if next == Flow::Quit || self.output.has_failed() {
                break;
            }
        }
        Ok(())
    }

    fn answer(&mut self, words: &[&str]) -> Flow {
        let Some((&command, rest)) = words.split_first() else { return Flow::Listen };
        match command {
            "uci" => self.introduce(),
            "isready" => self.be_ready(),
            "ucinewgame" => {
                self.options.forget();
                self.set_up(&["startpos"]);
            }
            "setoption" => {
                if let Err(error) = self.options.set(rest) {
                    self.output.write_error(&error);
                }
            }
            "position" => self.set_up(rest),
            "go" => self.go(rest),
            "ponderhit" => self.ponder_hit(),
            "stop" => self.stop(),
            "d" | "show" => self.show(),
            "quit" => return Flow::Quit,
            _ => self.output.write_error(&format!(
                "there is no command '{command}'; expected uci, isready, ucinewgame, setoption, position, go, ponderhit, \
                 stop, show or quit"
            )),
        }
        Flow::Listen
    }

    fn introduce(&self) {
        let name = format!("id name Plysmith {} {}", env!("CARGO_PKG_VERSION"), self.options.game().name);
        self.output.write_line(&name);
        self.output.write_line("id author the Plysmith authors");
        self.options.lines().for_each(|line| self.output.write_line(&line));
        self.output.write_line("uciok");
    }

    /// Does now what would otherwise delay the next search, unless one is under way.
    fn be_ready(&mut self) {
        if !self.is_searching() {
            self.prepare();
            self.workspace.make_room(&self.options.settings);
        }
        self.output.write_line("readyok");
    }

    fn set_up(&mut self, words: &[&str]) {
        match self.setup.read(self.options.game(), words) {
            Ok(setup) => self.setup = setup,
            Err(error) => self.output.write_error(&error),
        }
    }

    fn show(&self) {
        let position = self.setup.playing().position();
        // Without a move nothing can be wrong with it.
        let drawing = position.draw(None).unwrap_or_default();
        self.output.write_line(&format!("{drawing}position {}", position.text()));
    }

    fn go(&mut self, words: &[&str]) {
        let begun = Instant::now();
        if self.is_searching() {
            return self.output.write_error("a search is under way; end it with 'stop' first");
        }
        let mut limits = match GoLimits::parse(words) {
            Ok(limits) => limits,
            Err(error) => return self.output.write_error(&error),
        };
        self.choose(&mut limits);
        self.prepare();
        let signals = Arc::new(SearchSignals::default());
        if !limits.ponder {
            signals.control.start_clock(begun);
        }
        let thinking = GoSearch {
            output: self.output,
            options: self.options.clone(),
            playing: self.setup.playing().clone(),
            limits,
            signals: Arc::clone(&signals),
            lag: Arc::clone(&self.lag),
            begun,
        };
        let mut workspace = std::mem::take(&mut self.workspace);
        let search = move || {
            thinking.think(&mut workspace);
            workspace
        };
        match Builder::new().name("search".to_string()).spawn_scoped(self.scope, search) {
            Ok(thread) => self.running = Some(RunningSearch { thread, signals }),
            Err(error) => {
                self.memory = None;
                self.output.write_error(&format!("cannot begin a search: {error}; try again"));
            }
        }
    }

    /// Leaves of the moves to be searched those that there are.
    fn choose(&self, limits: &mut GoLimits) {
        let position = self.setup.playing().position();
        let wanted = std::mem::take(&mut limits.only);
        for m in &wanted {
            match position.canonical_move(m) {
                Ok(m) if limits.only.contains(&m) => {}
                Ok(m) => limits.only.push(m),
                Err(error) => self.output.write_error(&format!("searchmoves: {error}")),
            }
        }
        if limits.only.is_empty() && !wanted.is_empty() {
            self.output.write_error("searchmoves: there is no such move, so all moves are searched");
        }
    }

    /// Starts the clock of a search that was begun while the opponent was thinking.
    fn ponder_hit(&self) {
        match self.running.as_ref().filter(|running| running.signals.control.clock_start().is_none()) {
            Some(running) => {
                running.signals.control.start_clock(Instant::now());
                running.thread.thread().unpark();
            }
            None => self.output.write_error("nothing is pondered on; expected 'go ponder' before"),
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
            running.signals.control.stop();
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
mod test_client;
#[cfg(test)]
mod tests;
