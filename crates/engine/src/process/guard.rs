//! The guard: two small processes between this process and an engine, so that no engine outlives this process.
//!
//! A parent that is killed with `kill -9` cannot clean up, and an engine that does not read its input
//! (gnuchess keeps searching) would run forever. Linux could send the engine a signal at its parent's
//! death, but setting that up in the child of a program with threads needs unsafe code (`pre_exec`); it also follows the
//! *thread* that forked instead of the process, and does not reach the engine's own children.
//!
//! So an engine is started through our own program, by way of `/proc/self/exe`, which works even after the file was
//! replaced:
//!
//! ```text
//! plysmith ── outer guard ── inner guard ── engine ── its children, in whatever sessions and groups
//! ```
//!
//! - Each guard is a *child subreaper*: orphans below it become its children, so no process can leave the tree below it.
//! - A guard waits on descriptors of the processes that it depends on, which the kernel makes ready when they have ended for
//!   any reason: the outer guard on plysmith and the inner guard, the inner guard on plysmith, the outer guard and the
//!   engine. Then it kills everything below it, until nothing is left, and ends.
//! - So the guards watch each other. If the inner guard is killed, the outer one inherits the engine and kills it; if the
//!   outer one is killed, the inner one does. If both are killed at once, the engine itself gets a signal: before it becomes
//!   the engine, its process asks for one at the death of the inner guard, which has a single thread. Only children
//!   of the engine that do not notice its end survive that.
//! - If the engine ends, its exit code is passed on. What it leaves running is killed. An outer guard that ends by a signal
//!   says that a guard was killed: signals of the engine are passed on as exit codes.
//!
//! The engine has our pipes themselves, so nothing is copied and nothing is slower.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// The first argument of the outer guard.
pub const WORD: &str = "__engine-guard";
/// The first argument of the inner guard.
const INNER: &str = "__engine-guard-inner";
/// The first argument of the process that becomes the engine.
const STARTER: &str = "__engine-start";

/// The command of a guard, if the system supports it; the engine and its arguments are to be added.
#[cfg(target_os = "linux")]
pub fn command() -> Option<Command> {
    Some(linux::role(WORD, &[rustix::process::getpid()]))
}

/// Guards are for Linux.
#[cfg(not(target_os = "linux"))]
pub fn command() -> Option<Command> {
    None
}

/// Runs the guard if these arguments ask for it; returns when the engine has ended.
pub fn run_if_asked(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    let role = arguments.next().filter(|role| [WORD, INNER, STARTER].iter().any(|word| role == word))?;
    Some(ExitCode::from(run(&role, arguments)))
}

/// The exit code for arguments that make no sense.
const USAGE: u8 = 2;

#[cfg(target_os = "linux")]
use linux::run;

#[cfg(not(target_os = "linux"))]
fn run(_: &OsString, _: impl Iterator<Item = OsString>) -> u8 {
    USAGE
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::fs::File;
    use std::os::fd::OwnedFd;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::thread::sleep;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::process::{
        Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpgrp, getpid, getppid, kill_process, pidfd_open,
        set_child_subreaper, set_parent_process_death_signal, wait,
    };
    use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

    use super::super::descendants::{kill_descendants, kill_descendants_before};
    use super::{INNER, STARTER, USAGE, WORD};

    /// The exit code of shells for a program that could not be started.
    const NOT_STARTED: u8 = 127;
    /// How often orphans that ended are reaped.
    const REAP_INTERVAL: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
    /// How often processes are looked at if the kernel has no descriptors for them (before 5.3).
    const LOOK_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

    /// Our own program in one of the roles, with the ids of the processes that it depends on.
    pub fn role(word: &str, ids: &[Pid]) -> Command {
        let mut command = Command::new("/proc/self/exe");
        command.arg0("plysmith").arg(word).args(ids.iter().map(|id| id.as_raw_nonzero().to_string()));
        command
    }

    /// Runs one of the roles; returns its exit code.
    pub fn run(role: &OsString, mut arguments: impl Iterator<Item = OsString>) -> u8 {
        let mut id = || Pid::from_raw(arguments.next()?.to_str()?.parse().ok()?);
        let ids = match role.to_str() {
            Some(WORD) => id().map(|plysmith| (plysmith, None)),
            Some(INNER) => id().and_then(|plysmith| Some((plysmith, Some(id()?)))),
            _ => id().map(|inner| (inner, None)),
        };
        let Some(((first, second), program)) = ids.zip(arguments.next()) else { return USAGE };
        match (role.to_str(), second) {
            (Some(WORD), _) => outer(first, &program, arguments),
            (Some(INNER), Some(outer)) => inner(first, outer, &program, arguments),
            _ => start(first, &program, arguments),
        }
    }

    /// A process that a guard depends on.
    struct Watched {
        id: Pid,
        /// Ready to be read when the process has ended; none before Linux 5.3.
        descriptor: Option<OwnedFd>,
    }

    impl Watched {
        fn new(id: Pid) -> Watched {
            Watched { id, descriptor: pidfd_open(id, PidfdFlags::empty()).ok() }
        }
    }

    fn outer(plysmith: Pid, program: &OsString, arguments: impl Iterator<Item = OsString>) -> u8 {
        // First the descriptor, then the check: if it is still our parent now, the descriptor is not that of another process
        // with the same number.
        let watched = Watched::new(plysmith);
        if getppid() != Some(plysmith) {
            return USAGE;
        }
        // The inner guard leads another group: a signal to one group does not end both guards.
        let mut command = role(INNER, &[plysmith, getpid()]);
        command.arg(program).args(arguments).process_group(0);
        // Somebody who kills plysmith and then this guard must not find it between killing the inner guard and killing the
        // engine: so it kills the inner guard last.
        let kill = |inner| kill_descendants_before(getpid(), inner);
        match watch_over(command, program, plysmith, &[watched], kill) {
            Ok(Ended::Exited(code)) => code,
            Ok(Ended::Killed(_) | Ended::Abandoned) => {
                let _ = kill_process(getpid(), Signal::KILL);
                USAGE
            }
            Err(code) => code,
        }
    }

    fn inner(plysmith: Pid, outer: Pid, program: &OsString, arguments: impl Iterator<Item = OsString>) -> u8 {
        let watched = [Watched::new(outer), Watched::new(plysmith)];
        // A guard that shared its group with others would be killed with them.
        if getppid() != Some(outer) || getpgrp() != getpid() {
            return USAGE;
        }
        let mut command = role(STARTER, &[getpid()]);
        command.arg(program).args(arguments);
        match watch_over(command, program, outer, &watched, |_| kill_descendants(getpid())) {
            Ok(Ended::Exited(code)) => code,
            Ok(Ended::Killed(signal)) => 128_u8.saturating_add(signal as u8),
            Ok(Ended::Abandoned) => USAGE,
            Err(code) => code,
        }
    }

    /// Becomes the engine, which ends with the inner guard.
    fn start(inner: Pid, program: &OsString, arguments: impl Iterator<Item = OsString>) -> u8 {
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        if getppid() != Some(inner) {
            return USAGE;
        }
        let error = Command::new(program).args(arguments).exec();
        cannot_start(program, &error)
    }

    fn cannot_start(program: &OsString, error: &std::io::Error) -> u8 {
        // Standard error is the engine's; if it is closed, the exit code must do.
        let _ = std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!("cannot start {}: {error}\n", program.display()),
        );
        NOT_STARTED
    }

    /// How the child of a guard ended.
    enum Ended {
        Exited(u8),
        Killed(i32),
        /// It did not: a process that the guard depends on ended.
        Abandoned,
    }

    /// Starts a child, waits until it or one of the watched processes ends, and ends everything below this process with
    /// `kill`, which is given the child.
    fn watch_over(
        mut command: Command,
        program: &OsString,
        parent: Pid,
        watched: &[Watched],
        kill: impl Fn(Pid) -> usize,
    ) -> Result<Ended, u8> {
        // Linux has this since 3.4.
        let _ = set_child_subreaper(Some(getpid()));
        let child = command.spawn().map_err(|error| cannot_start(program, &error))?;
        let_go_of_pipes();
        let Some(id) = Pid::from_raw(child.id() as i32) else { return Err(USAGE) };
        let child = Watched::new(id);
        let ended = loop {
            if let Some(status) = reap_until(child.id) {
                break match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Ended::Exited(code as u8),
                    (None, signal) => Ended::Killed(signal.unwrap_or(0)),
                };
            }
            if getppid() != Some(parent) || wait_for_an_end(&child, watched) {
                break Ended::Abandoned;
            }
        };
        end_descendants(|| kill(child.id));
        Ok(ended)
    }

    /// Waits until a process has ended, or a moment; returns whether it was one of the watched and not the child.
    fn wait_for_an_end(child: &Watched, watched: &[Watched]) -> bool {
        let all = || watched.iter().chain([child]);
        let mut descriptors: Vec<PollFd<'_>> =
            all().filter_map(|one| Some(PollFd::new(one.descriptor.as_ref()?, PollFlags::IN))).collect();
        let timeout = if all().all(|one| one.descriptor.is_some()) { REAP_INTERVAL } else { LOOK_INTERVAL };
        if !matches!(poll(&mut descriptors, Some(&timeout)), Ok(ready) if ready > 0) {
            return false;
        }
        let count = watched.iter().filter(|one| one.descriptor.is_some()).count();
        descriptors[..count].iter().any(|descriptor| !descriptor.revents().is_empty())
    }

    /// Reaps children that ended, up to and including this one.
    fn reap_until(child: Pid) -> Option<WaitStatus> {
        while let Ok(Some((id, status))) = wait(WaitOptions::NOHANG) {
            if id == child {
                return Some(status);
            }
        }
        None
    }

    /// Kills everything below this process until there is nothing left: every orphan becomes a child of this process.
    fn end_descendants(kill: impl Fn() -> usize) {
        loop {
            kill();
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(Errno::INTR) => {}
                    Err(_) => return,
                }
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// Leaves the pipes to the engine alone, so that the other end sees when it closes them.
    fn let_go_of_pipes() {
        if let Ok(nothing) = File::options().read(true).write(true).open("/dev/null") {
            // If that fails, a closed pipe is noticed when the engine ends.
            let _ = dup2_stdin(&nothing).and_then(|()| dup2_stdout(&nothing)).and_then(|()| dup2_stderr(&nothing));
        }
    }
}
