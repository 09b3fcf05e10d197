//! The built-in engine as a UCI engine: `plysmith engine`. UCI for chess, and the same commands for every other game.
//!
//! Positions and moves are in the game's own text. Commands and answers are lines; each answer is flushed at once:
//!
//! | command | answer |
//! | --- | --- |
//! | `uci` | `id` and `option` lines, then `uciok` |
//! | `isready` | `readyok`, also during a search |
//! | `ucinewgame` | none; sets up the start position and forgets earlier searches |
//! | `setoption name NAME value VALUE` | none; takes effect with the next search; `Preset` sets all other parts of the search |
//! | `setoption name Clear Hash` | none; forgets earlier searches |
//! | `position startpos`, `position [fen] TEXT`, either with `moves M…` | none |
//! | `go` with any of `nodes`, `depth`, `mate`, `movetime`, `wtime btime winc binc movestogo`, `searchmoves M…`, `ponder`, `infinite` | `info` for every iteration and line, then one `bestmove` |
//! | `ponderhit` | none; starts the clock of a search that was begun with `ponder` |
//! | `stop` | the `bestmove` of the search, at once |
//! | `d` or `show` | the board |
//! | `debug`, `register` | none; no effect |
//! | `quit`, or the end of the input | the `bestmove` of a running search |
//!
//! - A command that cannot be executed is answered by `info string error: …` with the remedy and changes nothing: a
//!   `position` that is refused keeps the previous one.
//! - Unknown words are ignored, in `go` and before a command; so is a limit without a number. Each is told in such a line.
//!   A `go` always has a `bestmove`: if none of its limits can be read, it searches a few nodes.
//! - A position of chess whose castling rights are files of rooks (`HAha`), or cannot be those of chess, is one of Chess960,
//!   and castling is king takes own rook. With `UCI_Chess960`, all positions are.
//! - `cp` is in the game's own units, which for chess are centipawns. `mate` counts moves: plies rounded up, below
//!   zero when losing.
//! - `go` without limits is `go infinite`, and that has no `bestmove` before `stop`, whatever is proved. A search with
//!   `ponder` has none before `ponderhit` or `stop`.
//! - `go mate N` is answered by the solver that the option `MateSolver` names, if the caller provides solvers: with a proved
//!   mate, which is told at once and again for each shorter one, or, if there is none within N moves, by the search with
//!   the nodes that are left. It has one line, also with `MultiPV`.
//! - With `MultiPV`, each iteration tells all lines, the best first. A line that is decided is not searched again; the
//!   search goes on while another is open.
//! - Illegal `searchmoves` are reported in an error and ignored; if none are left, all moves are searched.
//! - `bestmove` has the expected reply after `ponder`, if there is one. The `bestmove` of a finished game is `(none)`, as in
//!   Stockfish; a draw that has to be claimed does not finish the game.
//! - An unfinished iteration is reported as well, with `lowerbound` if it changed the score or the line.
//! - A search uses the results of earlier ones until `ucinewgame`, `Clear Hash`, or a change of the search settings or the
//!   scheme. From there on, equal commands with one thread and without clocks give equal nodes and moves.

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

use plysmith_core::search::Workspace;

use crate::lines::{InputLine, LineReader};
use crate::timed_search::LagMeter;
use go::GoLimits;
use options::{ServerOptions, TableScope};
use output::LineWriter;
use position::CurrentGame;
use search::{GoSearch, SearchSignals};

/// Serves until `quit` or the end of the input.
///
/// The search has its own thread, so that commands are answered meanwhile. Fails if the input cannot be read or the output is
/// closed.
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
            note: None,
        };
        let result = session.answer_all(&mut LineReader::new(input));
        session.stop();
        result
    })?;
    output.into_failure().map_or(Ok(()), Err)
}

/// The commands. A single letter is none if other words stand before it.
const COMMANDS: [&str; 12] = [
    "uci",
    "isready",
    "ucinewgame",
    "setoption",
    "position",
    "go",
    "ponderhit",
    "stop",
    "show",
    "debug",
    "register",
    "quit",
];

/// One session from `uci` to `quit`.
struct UciSession<'scope, 'env, W> {
    scope: &'scope Scope<'scope, 'env>,
    output: &'env LineWriter<W>,
    options: ServerOptions,
    setup: CurrentGame,
    running: Option<SearchThread<'scope>>,
    workspace: Workspace,
    /// The scope in which the results in the workspace are valid.
    memory: Option<TableScope>,
    /// How long searches were suspended.
    lag: Arc<LagMeter>,
    /// The last note on how positions are evaluated.
    note: Option<String>,
}

/// A search that was begun and may have ended.
struct SearchThread<'scope> {
    thread: ScopedJoinHandle<'scope, Workspace>,
    signals: Arc<SearchSignals>,
}

/// Whether the session continues.
#[derive(PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

impl<'scope, 'env, W: Write + Send> UciSession<'scope, 'env, W> {
    fn answer_all(&mut self, lines: &mut LineReader<impl BufRead>) -> io::Result<()> {
        while let Some(line) = lines.read()? {
            let next = match line {
                InputLine::Whole(text) => self.answer(&text.split_whitespace().collect::<Vec<_>>()),
                InputLine::TooLong => {
                    self.output.write_error("an overlong line is ignored; commands are short");
                    Flow::Continue
                }
            };
            if next == Flow::Quit || self.output.has_failed() {
                break;
            }
        }
        Ok(())
    }

    fn answer(&mut self, words: &[&str]) -> Flow {
        let Some(&first) = words.first() else { return Flow::Continue };
        // As UCI asks, unknown words before a command are ignored.
        let begin = words.iter().position(|word| COMMANDS.contains(word)).unwrap_or(0);
        if begin > 0 {
            self.output.write_error(&format!("'{first}' is no command and is ignored, up to '{}'", words[begin]));
        }
        let (command, rest) = (words[begin], &words[begin + 1..]);
        match command {
            "uci" => self.identify(),
            "isready" => self.get_ready(),
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
            // There is nothing to debug and nobody to register.
            "debug" | "register" => {}
            "quit" => return Flow::Quit,
            _ => self.output.write_error(&format!(
                "there is no command '{command}'; expected uci, isready, ucinewgame, setoption, position, go, ponderhit, \
                 stop, show or quit"
            )),
        }
        Flow::Continue
    }

    fn identify(&self) {
        let name = format!("id name Plysmith {} {}", env!("CARGO_PKG_VERSION"), self.options.game().name);
        self.output.write_line(&name);
        self.output.write_line("id author the Plysmith authors");
        self.options.lines().for_each(|line| self.output.write_line(&line));
        self.output.write_line("uciok");
    }

    /// Prepares the next search, unless one is running.
    fn get_ready(&mut self) {
        if !self.is_searching() {
            self.prepare();
            self.workspace.make_room(&self.options.settings);
        }
        self.output.write_line("readyok");
    }

    fn set_up(&mut self, words: &[&str]) {
        match self.setup.read(self.options.game(), words, self.options.is_chess960()) {
            Ok(setup) => self.setup = setup,
            Err(error) => self.output.write_error(&error),
        }
    }

    fn show(&self) {
        let position = self.setup.playing().position();
        // Drawing fails only for an illegal move.
        let drawing = position.draw(None).unwrap_or_default();
        self.output.write_line(&format!("{drawing}position {}", position.text()));
    }

    fn go(&mut self, words: &[&str]) {
        let begun = Instant::now();
        if self.is_searching() {
            return self.output.write_error("a search is running; end it with 'stop' first");
        }
        let (mut limits, notes) = GoLimits::parse(words);
        notes.iter().for_each(|note| self.output.write_error(note));
        self.keep_legal_moves(&mut limits);
        self.note_evaluation();
        self.prepare();
        let signals = Arc::new(SearchSignals::default());
        if !limits.ponder {
            signals.control.start_clock(begun);
        }
        let go_search = GoSearch {
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
            go_search.run(&mut workspace);
            workspace
        };
        match Builder::new().name("search".to_string()).spawn_scoped(self.scope, search) {
            Ok(thread) => self.running = Some(SearchThread { thread, signals }),
            Err(error) => {
                self.memory = None;
                self.output.write_error(&format!("cannot start a search: {error}; try again"));
            }
        }
    }

    /// Tells, once, that positions are not evaluated as the options say.
    fn note_evaluation(&mut self) {
        let position = self.setup.playing().position();
        let note = self.options.game().evaluation_note(&self.options.settings, position);
        if let Some(note) = note.as_ref().filter(|_| note != self.note) {
            self.output.write_line(&format!("info string note: {note}"));
        }
        self.note = note;
    }

    /// Keeps only the legal moves of `searchmoves`.
    fn keep_legal_moves(&self, limits: &mut GoLimits) {
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
            self.output.write_error("searchmoves: none of the moves is legal, so all moves are searched");
        }
    }

    /// Starts the clock of a pondering search.
    fn ponder_hit(&self) {
        match self.running.as_ref().filter(|running| running.signals.control.clock_start().is_none()) {
            Some(running) => {
                running.signals.control.start_clock(Instant::now());
                running.thread.thread().unpark();
            }
            None => self.output.write_error("no search is pondering; expected 'go ponder' before"),
        }
    }

    fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.signals.done.load(Ordering::Acquire))
    }

    /// Takes the workspace back from the last search, and clears it if the scope has changed.
    fn prepare(&mut self) {
        self.join();
        let memory = Some(self.options.memory());
        if self.memory != memory {
            self.workspace.forget(true);
            self.memory = memory;
        }
    }

    /// Ends the search, if there is one, after its answer is written.
    fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.signals.control.stop();
            running.thread.thread().unpark();
        }
        self.join();
    }

    /// Waits for the end of the search, and takes its workspace back.
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
mod lines_tests;
#[cfg(test)]
mod test_client;
#[cfg(test)]
mod tests;
