//! A UCI client: drives a UCI engine in another process.
//!
//! | file | what |
//! | --- | --- |
//! | `options` | its options, and values that fit them |
//! | `info` | its `info` and `bestmove` lines |
//! | `search` | one `go` to its `bestmove`, under a watchdog |
//! | `probe` | whether it honours node limits |
//! | `engine_check`, `legality` | the checks of `plysmith check-engine` |
//! | `subject` | a UCI engine as a subject of measurements |
//! | `agreement` | when its search agrees with the right move |
//! | `mapping` | which of its options weights drive |
//! | `table` | options that are a table of reductions |
//! | `mate` | when its search has announced a mate |
//! | `variant` | which game it plays |
//!
//! Every wait has a timeout, and every error carries the engine's name, the last command and the last lines. The client
//! knows no rules: positions and moves are text, and the caller checks whether a move is legal. Only `legality` does.

pub mod agreement;
pub mod engine_check;
pub mod info;
pub mod legality;
pub mod mapping;
mod mate;
pub mod options;
mod probe;
mod search;
mod subject;
pub mod table;
mod variant;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::process::{EngineCommand, EngineError, Fault, OutputBound, Patience, Process, SpawnMode, TrafficLog};
use options::{EngineOption, FittedValue};

pub use mate::{Announced, MateClaim};
pub use probe::NodeProbe;
pub use search::{ClockTimes, Go, StopCause, UciSearchResult};
pub use subject::{MateDriver, OpenError, UciSettings, UciSubject};
pub use variant::{CHESS960, VARIANT};

/// Timeouts of a UCI engine. They are for engines that hang, not for slow ones: a loaded machine is slow, too.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct UciTimeouts {
    /// From its start to `uciok`.
    pub handshake: Duration,
    /// From `isready` to `readyok`; some engines clear large tables then.
    pub ready: Duration,
    /// The time in which a search that is not timed has to make progress ([`Patience`]).
    pub silence: Duration,
    /// Silence in a search that only `stop` ends. Such an engine has nothing more to search; toga2 falls silent in every
    /// game that is about to be won.
    pub ran_out: Duration,
    /// From `stop` to `bestmove`.
    pub stop: Duration,
    /// Time beyond the limit of a timed move.
    pub margin: Duration,
}

/// How an engine treats `go nodes`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeLimits {
    /// Not probed yet; limits are sent and trusted.
    Unknown,
    /// It stops near the limit.
    Honoured,
    /// It searches beyond the limit.
    Ignored,
    /// It stops long before the limit.
    TooEarly,
}

/// Who an engine says it is.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize)]
pub struct Identity {
    /// Its name and version.
    pub name: String,
    /// Its author.
    pub author: String,
}

/// A running UCI engine.
#[derive(Debug)]
pub struct UciEngine {
    process: Process,
    identity: Identity,
    options: Vec<EngineOption>,
    timeouts: UciTimeouts,
    node_limits: NodeLimits,
    /// Nodes a second by our clock, as measured last.
    speed: Option<f64>,
    /// Nodes a second of the last search that came to its end.
    finished_speed: Option<f64>,
    /// The time from the start to `uciok`.
    handshake: Duration,
    /// Whether no command that takes time was sent since the last `readyok`.
    is_ready: bool,
    /// Options that were set since the last `readyok`.
    unread_options: usize,
    /// Whether castling is king takes own rook (`UCI_Chess960`).
    plays_chess960: bool,
    /// Answers to `isready` that have not been read yet, and whether a command that takes time was sent since the last one.
    unread: UnreadAnswers,
}

/// Answers to `isready` that have not been read yet.
#[derive(Copy, Clone, Debug, Default)]
struct UnreadAnswers {
    count: u32,
    /// Whether a command that takes time was sent since the last `isready`.
    is_outdated: bool,
}

/// So many options are set without waiting for the engine: it need not read faster than they are sent.
const MOST_UNREAD_OPTIONS: usize = 32;

/// The start position of chess, and its name in UCI.
const START: (&str, &str) = ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "startpos");

impl Default for UciTimeouts {
    fn default() -> UciTimeouts {
        UciTimeouts::with_patience(Patience::default())
    }
}

impl UciTimeouts {
    /// With this time for progress in a search. A longer one than the default extends the other timeouts, too.
    pub fn with_patience(patience: Patience) -> UciTimeouts {
        let seconds = Duration::from_secs;
        let Patience(silence) = patience;
        UciTimeouts {
            handshake: seconds(20).max(silence / 3),
            ready: seconds(20).max(silence / 3),
            silence,
            ran_out: seconds(2),
            stop: seconds(5).max(silence / 12),
            margin: Duration::ZERO,
        }
    }
}

impl NodeLimits {
    /// Whether the client has to stop searches at the limit.
    pub fn needs_stop(self) -> bool {
        matches!(self, NodeLimits::Ignored | NodeLimits::TooEarly)
    }
}

impl UciEngine {
    /// Starts an engine and completes the handshake.
    pub fn start(
        command: &EngineCommand,
        spawn_mode: SpawnMode,
        timeouts: UciTimeouts,
    ) -> Result<UciEngine, EngineError> {
        UciEngine::start_logged(command, spawn_mode, timeouts, None)
    }

    /// Starts an engine whose traffic is written to a file, if there is one.
    pub fn start_logged(
        command: &EngineCommand,
        spawn_mode: SpawnMode,
        timeouts: UciTimeouts,
        traffic: Option<&TrafficLog>,
    ) -> Result<UciEngine, EngineError> {
        let begun = Instant::now();
        let mut process = Process::start_logged(command, spawn_mode, traffic)?;
        let (identity, options) = handshake(&mut process, begun + timeouts.handshake)?;
        let mut uci = UciEngine {
            process,
            identity,
            options,
            timeouts,
            node_limits: NodeLimits::Unknown,
            speed: None,
            finished_speed: None,
            handshake: begun.elapsed(),
            is_ready: false,
            unread_options: 0,
            plays_chess960: false,
            unread: UnreadAnswers::default(),
        };
        uci.sync()?;
        Ok(uci)
    }

    /// Its name and author.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Its command line.
    pub fn command(&self) -> &str {
        self.process.name()
    }

    /// Its options, in its own order.
    pub fn options(&self) -> &[EngineOption] {
        &self.options
    }

    /// The time that the handshake took.
    pub fn handshake_time(&self) -> Duration {
        self.handshake
    }

    /// The id of its process group.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// How it treats node limits, as far as that is known.
    pub fn node_limits(&self) -> NodeLimits {
        self.node_limits
    }

    /// Sets an option to the valid value that is nearest to this one, and returns that.
    pub fn set(&mut self, name: &str, value: &str) -> Result<FittedValue, EngineError> {
        let fault = |reason| Fault::Option { reason };
        let option = options::find(&self.options, name).map_err(|reason| self.process.error(fault(reason)))?;
        let fitted =
            option.fit(value).map_err(|reason| self.process.error(fault(format!("cannot be set up: {reason}"))))?;
        let line = option.line(&fitted);
        if name == CHESS960 {
            self.plays_chess960 = fitted.value == "true";
        }
        self.is_ready = false;
        self.unread.is_outdated = true;
        self.process.send(&line)?;
        self.unread_options += 1;
        if self.unread_options == MOST_UNREAD_OPTIONS {
            self.sync()?;
        }
        Ok(fitted)
    }

    /// Sets an option if the engine has it and the value fits; returns whether.
    pub fn set_if_known(&mut self, name: &str, value: &str) -> Result<bool, EngineError> {
        let fits = options::find(&self.options, name).is_ok_and(|option| option.fit(value).is_ok());
        if fits {
            self.set(name, value)?;
        }
        Ok(fits)
    }

    /// Sets what makes searches comparable: one thread, no book, no pondering. Returns what was set.
    pub fn set_comparable_options(&mut self) -> Result<Vec<String>, EngineError> {
        let mut set = Vec::new();
        for (name, value) in COMPARABLE_OPTIONS {
            if self.set_if_known(name, value)? {
                set.push(format!("{name}={value}"));
            }
        }
        self.sync()?;
        Ok(set)
    }

    /// Starts a new game (`ucinewgame`): the engine forgets earlier searches.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.unread.is_outdated = true;
        self.process.send("ucinewgame")?;
        self.sync()
    }

    /// Starts a new game for an engine that remembers in spite of `ucinewgame` (glaurung): a tiny search of another
    /// position clears what it leaves.
    pub fn new_game_with_prelude(&mut self, other_position: &str) -> Result<(), EngineError> {
        self.new_game()?;
        self.position(other_position, &[])?;
        self.search(&Go::Depth(1), &|| false, &mut |_, _| ControlFlow::Continue(())).map(|_| ())
    }

    /// Sets up a position and plays moves from there. The position must be legal.
    pub fn position(&mut self, text: &str, moves: &[String]) -> Result<(), EngineError> {
        self.select_castling(text)?;
        let fen = six_fields(text);
        let mut line = if fen == START.0 { format!("position {}", START.1) } else { format!("position fen {fen}") };
        if !moves.is_empty() {
            line += " moves ";
            line += &moves.join(" ");
        }
        self.process.send(&line)
    }

    /// Waits until the engine has executed all commands (`isready`). Earlier lines are dropped: a late `bestmove` must not
    /// answer the next search.
    pub fn sync(&mut self) -> Result<(), EngineError> {
        let begun = Instant::now();
        let deadline = begun + self.timeouts.ready;
        self.process.begin_phase(OutputBound::search("before 'readyok'"));
        if self.unread.count == 0 || self.unread.is_outdated {
            self.ask_whether_ready()?;
        }
        while let Some(heard) = self.process.receive(deadline)? {
            if heard.text.trim() == "readyok" {
                self.unread.count = self.unread.count.saturating_sub(1);
                if self.unread.count == 0 {
                    (self.is_ready, self.unread_options) = (true, 0);
                    return Ok(());
                }
            }
            if heard.at > deadline {
                break;
            }
        }
        Err(self.process.silent(begun.elapsed()))
    }

    /// Sends `isready` without waiting for the answer, which the next search reads: an engine answers while its opponent
    /// thinks, and nobody waits for it when it is to move.
    pub fn ask_whether_ready(&mut self) -> Result<(), EngineError> {
        self.process.send("isready")?;
        self.unread = UnreadAnswers { count: self.unread.count + 1, is_outdated: false };
        Ok(())
    }

    /// The error for a fault that the caller noticed.
    pub fn error(&self, fault: Fault) -> EngineError {
        self.process.error(fault)
    }

    /// Ends the engine.
    pub fn quit(self) {
        self.process.quit();
    }
}

/// Options that make searches comparable, under the names that most engines use.
const COMPARABLE_OPTIONS: [(&str, &str); 4] =
    [("Threads", "1"), ("Number of Threads", "1"), ("OwnBook", "false"), ("Ponder", "false")];

/// A position with the six fields of FEN. Some engines crash on less.
fn six_fields(text: &str) -> String {
    const MISSING: [&str; 6] = ["", "w", "-", "-", "0", "1"];
    let words: Vec<_> = text.split_whitespace().collect();
    let rest = MISSING.iter().skip(words.len());
    words.iter().chain(rest).copied().collect::<Vec<_>>().join(" ")
}

fn handshake(process: &mut Process, deadline: Instant) -> Result<(Identity, Vec<EngineOption>), EngineError> {
    let begun = Instant::now();
    let (mut identity, mut options) = (Identity::default(), Vec::new());
    process.begin_phase(OutputBound::list("before 'uciok'"));
    process.send("uci")?;
    while let Some(heard) = process.receive(deadline)? {
        let line = heard.text.trim();
        if line == "uciok" {
            if identity.name.is_empty() {
                identity.name = process.name().to_string();
            }
            return Ok((identity, options));
        } else if let Some(name) = line.strip_prefix("id name ") {
            identity.name = name.trim().to_string();
        } else if let Some(author) = line.strip_prefix("id author ") {
            identity.author = author.trim().to_string();
        } else if let Some(option) = line.strip_prefix("option ") {
            options.extend(EngineOption::parse(option));
        } else if refuses_uci(line) {
            let reason = format!("its answer to 'uci' is '{line}'");
            return Err(process.error(Fault::Handshake { reason }));
        }
        if heard.at > deadline {
            break;
        }
    }
    let reason = format!("no 'uciok' within {:.1} s of 'uci'", begun.elapsed().as_secs_f64());
    Err(process.error(Fault::Handshake { reason }))
}

/// Whether a line says that `uci` is no command, as engines with a prompt of their own do.
fn refuses_uci(line: &str) -> bool {
    let line = line.to_lowercase();
    let names_it = line.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "uci");
    let refusals = ["invalid", "illegal", "unknown", "unrecognized", "unrecognised", "error", "bad command", "not a"];
    names_it && !line.starts_with("info ") && refusals.iter().any(|refusal| line.contains(refusal))
}

#[cfg(test)]
mod tests {
    use super::{refuses_uci, six_fields};

    #[test]
    fn a_refusal_of_uci_is_recognised() {
        for line in ["White (1) : Invalid move: uci", "Illegal move: uci", "Error (unknown command): uci"] {
            assert!(refuses_uci(line), "{line}");
        }
        for line in ["GNU Chess 6.2.7", "id name Invalid 1.0", "info string unknown option UCI_Foo", "UCI engine by me"]
        {
            assert!(!refuses_uci(line), "{line}");
        }
    }

    #[test]
    fn positions_are_sent_with_six_fields() {
        assert_eq!(six_fields("8/8/8/8/8/8/8/K1k5 w - -"), "8/8/8/8/8/8/8/K1k5 w - - 0 1");
        assert_eq!(six_fields("pp/2/PP b"), "pp/2/PP b - - 0 1");
        assert_eq!(six_fields("8/8 w KQ e3 3 7"), "8/8 w KQ e3 3 7");
    }
}
