//! An engine in another process, isolated from this one.
//!
//! | hazard | protection |
//! | --- | --- |
//! | it or a child of it outlives this process, even after `kill -9` | it runs under a [`guard`]; dropping a [`Process`] kills everything below the guard |
//! | the guard is killed | a fault; a guard is two processes, and the one that is left ends the engine |
//! | it does not read its standard input | a thread writes; a full queue is a fault |
//! | it writes endlessly, or without a newline | lines have a maximum length and are read only when a line is waited for, so the engine blocks and our memory does not grow; the lines and bytes of every phase are bounded ([`OutputBound`]) |
//! | it fills standard error | a thread reads it and keeps the last lines; its bytes are bounded as well |
//! | it dies | the end of its output and its exit are distinguished from silence |
//! | a fault has to be explained | the last lines of both directions are kept, and every error carries them; all of them can be written to a file ([`TrafficLog`]) |
//!
//! No shell is involved. The exit code after `quit` is ignored: some engines die by a signal then.

mod command;
#[cfg(target_os = "linux")]
mod descendants;
mod error;
pub mod guard;
mod log;
mod output;
mod output_bound;
mod telemetry;
mod traffic;
mod watchdog;

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

use crate::lines::{InputLine, LineReader};

pub use command::{CommandError, EngineCommand};
pub use error::{EngineError, Fault};
use log::ProcessLog;
pub use output::EngineLine;
use output::{EngineOutput, NextLine};
pub use output_bound::OutputBound;
use output_bound::OutputCount;
pub use telemetry::most_nodes;
pub(crate) use telemetry::{MOST_DEPTH, is_possible};
pub use traffic::TrafficLog;
pub use watchdog::{ExpectedSearch, POLL_INTERVAL, Patience, Progress, Watchdog};

/// How an engine is started.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SpawnMode {
    /// Under a guard, which kills it when this process ends. The guard is this program, started again; its `main` must
    /// call [`guard::run_if_asked`] first. Outside Linux there is no guard, and this is [`SpawnMode::Direct`].
    Guarded,
    /// As a plain child process: for programs that cannot be a guard, such as tests.
    Direct,
}

/// A running engine.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: EngineChild,
    writer: SyncSender<String>,
    output: EngineOutput,
    log: Arc<ProcessLog>,
    last_command: String,
    /// The output of the phase under way, and its bound.
    count: OutputCount,
    /// Whether the process had ended when its output was last waited for in vain.
    had_ended: bool,
}

/// The child process: the engine, or its guard.
#[derive(Debug)]
struct EngineChild {
    child: Child,
    is_guard: bool,
    is_reaped: bool,
}

/// The environment variable that forbids to start any engine: for programs that start this one for somebody else.
pub const NO_ENGINES: &str = "PLYSMITH_NO_ENGINES";
/// The environment variable that makes a command stop when its standard input is closed. Engines do not inherit it: theirs is
/// for commands.
pub const STOP_WITH_INPUT: &str = "PLYSMITH_STOP_WITH_INPUT";
/// The length of the queue of commands.
const UNREAD_COMMANDS: usize = 64;
/// Lines that are read from an engine that closed its input.
const LAST_LINES: usize = 100;
/// The time an engine that closed its output or its input has to exit. A loaded machine takes a while to end a process.
const EXIT_GRACE: Duration = Duration::from_secs(2);
/// The time that a guard, or a killed engine, has to exit. Longer takes only a process that the kernel cannot end.
const KILL_GRACE: Duration = Duration::from_secs(10);
/// The time an engine has to exit after `quit`.
const QUIT_GRACE: Duration = Duration::from_millis(500);
/// How often the writer checks whether its pipe was closed while it has nothing to write.
const PIPE_CHECK: Duration = Duration::from_millis(200);
/// How often a reader checks whether the engine closed its input.
const INPUT_CHECK: Duration = Duration::from_millis(50);

impl Process {
    /// Starts an engine.
    pub fn start(command: &EngineCommand, spawn_mode: SpawnMode) -> Result<Process, EngineError> {
        Process::start_logged(command, spawn_mode, None)
    }

    /// Starts an engine, and writes all lines to and from it to a file if there is one.
    pub fn start_logged(
        command: &EngineCommand,
        spawn_mode: SpawnMode,
        traffic: Option<&TrafficLog>,
    ) -> Result<Process, EngineError> {
        let name = command.to_string();
        let fail = |reason: String| EngineError::before_start(&name, Fault::NotStarted { reason });
        if std::env::var_os(NO_ENGINES).is_some_and(|value| !value.is_empty()) {
            return Err(fail(format!("{NO_ENGINES} is set, so no external engine is started")));
        }
        let program = command.resolve().map_err(|error| fail(error.to_string()))?;
        let (mut start, is_guard) = match (spawn_mode, guard::command()) {
            (SpawnMode::Guarded, Some(mut guard)) => {
                guard.arg(&program);
                (guard, true)
            }
            _ => (Command::new(&program), false),
        };
        if let Some(folder) = &command.folder {
            start.current_dir(folder);
        }
        start
            .args(&command.arguments)
            .env_remove(STOP_WITH_INPUT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut start, 0);
        let mut child = start.spawn().map_err(|error| fail(format!("{}: {error}", program.display())))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // From here on every error ends the process: the child is dropped.
        let child = EngineChild { child, is_guard, is_reaped: false };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(fail("it has no pipes".to_string()));
        };
        let log = Arc::new(ProcessLog::new(traffic.map(|traffic| traffic.engine(&name))));
        let (writer, commands) = sync_channel(UNREAD_COMMANDS);
        let output = EngineOutput::new(stdout, Arc::clone(&log)).and_then(|output| {
            spawn("engine input", write_commands(stdin, commands, Arc::clone(&log)))?;
            spawn("engine errors", read_errors(stderr, Arc::clone(&log)))?;
            Ok(output)
        });
        let output = output.map_err(|error| fail(format!("no thread for it: {error}")))?;
        let (last_command, count) = ("being started".to_string(), OutputCount::default());
        Ok(Process { name, child, writer, output, log, last_command, count, had_ended: false })
    }

    /// Its command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its process id: the guard's, if there is one.
    pub fn id(&self) -> u32 {
        self.child.child.id()
    }

    /// Begins a phase of the dialogue, whose output has this bound.
    pub fn begin_phase(&mut self, bound: OutputBound) {
        self.count = OutputCount::new(bound, &self.log);
    }

    /// Sends a command.
    pub fn send(&mut self, line: &str) -> Result<(), EngineError> {
        // A command is one line, whatever the caller was given.
        let line: String = line.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        self.last_command.clone_from(&line);
        self.log.said_to(&line);
        match self.writer.try_send(line) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(self.error(Fault::StdinBlocked)),
            Err(TrySendError::Disconnected(_)) => Err(self.write_failure()),
        }
    }

    /// The next line of its output; none if there is none until then.
    pub fn receive(&mut self, until: Instant) -> Result<Option<EngineLine>, EngineError> {
        loop {
            let next = self.output.next(until.min(Instant::now() + INPUT_CHECK));
            if let Some(fault) = self.count.fault(matches!(next, NextLine::Line(_)), &self.log) {
                return Err(self.error(fault));
            }
            match next {
                NextLine::Line(heard) => return Ok(Some(heard)),
                NextLine::Over => return Err(self.death()),
                NextLine::Nothing if self.log.is_stdin_closed() => return Err(self.write_failure()),
                // Its guard was killed, or a child of it holds its output open. What it wrote before its end was read.
                NextLine::Nothing if self.had_ended => return Err(self.death()),
                NextLine::Nothing => {
                    self.had_ended = self.child.has_ended();
                    if Instant::now() >= until {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Sends `quit`, waits shortly, and kills what is left.
    pub fn quit(mut self) {
        if self.send("quit").is_ok() {
            self.child.has_ended_by(Instant::now() + QUIT_GRACE);
        }
    }

    /// The error for a fault of this engine, with the last lines of both directions.
    pub fn error(&self, fault: Fault) -> EngineError {
        EngineError::new(&self.name, &self.last_command, fault, &self.log)
    }

    /// The error of an engine that was silent for this long.
    pub fn silent(&self, waited: Duration) -> EngineError {
        self.error(Fault::Silent { waited, bytes: self.bytes_heard() })
    }

    /// The number of bytes of its output so far, lines or not.
    pub fn bytes_heard(&self) -> u64 {
        self.log.bytes()
    }

    /// The error of an engine that cannot be written to: it is dead, or it closed its input.
    fn write_failure(&mut self) -> EngineError {
        // Its last lines are part of the error; an endless output is not waited for.
        (0..LAST_LINES).find(|_| !matches!(self.output.next(Instant::now()), NextLine::Line(_)));
        if self.child.has_ended_by(Instant::now() + EXIT_GRACE) {
            self.death()
        } else {
            self.error(Fault::StdinBlocked)
        }
    }

    /// The error of an engine that closed its output.
    fn death(&mut self) -> EngineError {
        let has_ended = self.child.has_ended_by(Instant::now() + EXIT_GRACE);
        let status = self.child.end();
        let fault = match status {
            // Signals of the engine are passed on as exit codes.
            Some(status) if has_ended && self.child.is_guard && signal_of(status).is_some() => Fault::GuardDied,
            Some(status) if has_ended => Fault::Died { how: ending(status) },
            _ => Fault::Died { how: "closed its output and lived on; killed".to_string() },
        };
        // Lines on standard error may still arrive.
        self.log.wait_for_errors(EXIT_GRACE);
        self.error(fault)
    }
}

impl EngineChild {
    /// Whether it ends before the deadline. It is not reaped, so its id still names it.
    fn has_ended_by(&mut self, deadline: Instant) -> bool {
        self.has_ended_while(deadline, || ())
    }

    /// Whether it ends before the deadline; `poll` is called again and again meanwhile.
    fn has_ended_while(&mut self, deadline: Instant, poll: impl Fn()) -> bool {
        let mut pause = Duration::from_micros(200);
        while !self.has_ended() {
            poll();
            if Instant::now() >= deadline {
                return false;
            }
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        true
    }

    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(id) = self.pid() else { return true };
        self.is_reaped || !matches!(waitid(WaitId::Pid(id), options), Ok(None))
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        self.is_reaped || !matches!(self.child.try_wait(), Ok(None))
    }

    #[cfg(unix)]
    fn pid(&self) -> Option<rustix::process::Pid> {
        rustix::process::Pid::from_raw(self.child.id() as i32)
    }

    /// Kills it and everything below it, and reaps it; none if the kernel cannot end it.
    fn end(&mut self) -> Option<ExitStatus> {
        if !self.is_reaped {
            let id = self.child.id();
            // A guard ends when what it guards has ended, and not before: so nothing is left.
            if !(self.is_guard && self.has_ended_while(Instant::now() + KILL_GRACE, || kill_descendants(id))) {
                kill_descendants(id);
                self.kill();
            }
            if !self.has_ended_by(Instant::now() + KILL_GRACE) {
                return None;
            }
        }
        self.is_reaped = true;
        self.child.wait().ok()
    }

    /// Kills it and its process group: as long as it is not reaped, no other group can have its id.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.pid() {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
    }
}

impl Drop for EngineChild {
    fn drop(&mut self) {
        self.end();
    }
}

/// Kills everything below a child that is not reaped.
#[cfg(target_os = "linux")]
fn kill_descendants(child: u32) {
    if let Some(id) = rustix::process::Pid::from_raw(child as i32) {
        descendants::kill_descendants(id);
    }
}

#[cfg(not(target_os = "linux"))]
fn kill_descendants(_: u32) {}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    Builder::new().name(name.to_string()).spawn(work).map(|_| ())
}

fn write_commands(mut stdin: ChildStdin, commands: Receiver<String>, log: Arc<ProcessLog>) -> impl FnOnce() + Send {
    move || {
        loop {
            let is_taken = match commands.recv_timeout(PIPE_CHECK) {
                Ok(command) => stdin.write_all((command + "\n").as_bytes()).and_then(|()| stdin.flush()).is_ok(),
                Err(RecvTimeoutError::Timeout) => !is_closed(&stdin),
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if !is_taken {
                log.set_stdin_closed();
                return;
            }
        }
    }
}

/// Whether the reader of this pipe closed it. What was written before is lost without an error.
#[cfg(unix)]
fn is_closed(stdin: &ChildStdin) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut pipe = [PollFd::new(stdin, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut pipe, Some(&at_once)).is_ok() && pipe[0].revents().intersects(PollFlags::ERR)
}

#[cfg(not(unix))]
fn is_closed(_: &ChildStdin) -> bool {
    false
}

fn read_errors(stderr: impl Read + Send + 'static, log: Arc<ProcessLog>) -> impl FnOnce() + Send {
    move || {
        let mut lines = LineReader::new(BufReader::new(Counted { input: stderr, log: Arc::clone(&log) }));
        while let Ok(Some(line)) = lines.read() {
            if let InputLine::Whole(text) = line {
                log.stderr_line(&text);
            }
        }
        log.set_errors_over();
    }
}

/// Standard error, whose bytes are counted.
struct Counted<R> {
    input: R,
    log: Arc<ProcessLog>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.log.add_stderr_bytes(count as u64);
        Ok(count)
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// How a process ended, in words. The guard reports a signal as shells do: 128 and its number.
fn ending(status: ExitStatus) -> String {
    if let Some(signal) = signal_of(status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(code @ 129..160) => format!("killed by signal {}", code - 128),
        Some(code) => format!("exit code {code}"),
        None => "for no known reason".to_string(),
    }
}
