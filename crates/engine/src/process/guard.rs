//! The guard: a small process between this process and an engine, so that no engine outlives this process.
//!
//! A parent that is killed with `kill -9` cannot clean up, and an engine that does not read its input
//! (gnuchess keeps searching) would run forever. Linux could send the engine a signal at its parent's
//! death, but setting that up in the child needs unsafe code (`pre_exec`) or a tool that may not be
//! installed (`setpriv`); it also follows the *thread* that forked instead of the process, is lost if the
//! parent dies before it is set, and does not reach the engine's own children.
//!
//! So an engine is started as `plysmith __engine-guard OUR-ID PROGRAM ARGUMENTS…`: our own program once more,
//! by way of `/proc/self/exe`, which works even after the file was replaced. The guard waits on a descriptor of
//! our process, which the kernel makes ready when our process has ended for any reason; then it kills its
//! process group: the engine, the engine's children, and itself. If the engine ends first, the guard passes its
//! exit code on. The engine has our pipes themselves, so nothing is copied and nothing is slower.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// The first argument of a guard.
pub const WORD: &str = "__engine-guard";

/// The command of a guard, if the system supports it; the engine and its arguments are to be added.
#[cfg(target_os = "linux")]
pub fn command() -> Option<Command> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("/proc/self/exe");
    command.arg0("plysmith").args([WORD.to_string(), std::process::id().to_string()]);
    Some(command)
}

/// Guards are for Linux.
#[cfg(not(target_os = "linux"))]
pub fn command() -> Option<Command> {
    None
}

/// Runs the guard if these arguments ask for it; returns when the engine has ended.
pub fn run_if_asked(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    if arguments.next()? != WORD {
        return None;
    }
    let parent = arguments.next().and_then(|word| word.to_str()?.parse().ok());
    Some(match (parent, arguments.next()) {
        (Some(parent), Some(program)) => ExitCode::from(guard(parent, &program, arguments)),
        _ => ExitCode::from(USAGE),
    })
}

const USAGE: u8 = 2;
/// The exit code of shells for a program that could not be started.
#[cfg(target_os = "linux")]
const NOT_STARTED: u8 = 127;

#[cfg(not(target_os = "linux"))]
fn guard(_: i32, _: &OsString, _: impl Iterator<Item = OsString>) -> u8 {
    USAGE
}

#[cfg(target_os = "linux")]
fn guard(parent: i32, program: &OsString, arguments: impl Iterator<Item = OsString>) -> u8 {
    use rustix::process::{Pid, PidfdFlags, getpgrp, getpid, getppid, pidfd_open};
    let Some(parent) = Pid::from_raw(parent) else { return USAGE };
    // First the descriptor, then the check: if it is still our parent now, the descriptor is not that of another process
    // with the same number.
    let watch = pidfd_open(parent, PidfdFlags::empty());
    // A guard that shared its group with others would kill them.
    if getppid() != Some(parent) || getpgrp() != getpid() {
        return USAGE;
    }
    let mut engine = match Command::new(program).args(arguments).spawn() {
        Ok(engine) => engine,
        Err(error) => {
            eprintln!("cannot start {}: {error}", program.display());
            return NOT_STARTED;
        }
    };
    std::thread::spawn(move || {
        match watch {
            Ok(watch) => wait_for_end(&watch),
            // A kernel before 5.3.
            Err(_) => {
                while getppid() == Some(parent) {
                    std::thread::sleep(std::time::Duration::from_millis(100));
                }
            }
        }
        let _ = rustix::process::kill_current_process_group(rustix::process::Signal::KILL);
    });
    let_go_of_pipes();
    engine.wait().map_or(NOT_STARTED, exit_code)
}

#[cfg(target_os = "linux")]
fn wait_for_end(process: &impl std::os::fd::AsFd) {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut watched = [PollFd::new(process, PollFlags::IN)];
    while !matches!(poll(&mut watched, None), Ok(ready) if ready > 0) {}
}

/// Leaves the pipes to the engine alone, so that the other end sees when it closes them.
#[cfg(target_os = "linux")]
fn let_go_of_pipes() {
    use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
    if let Ok(nothing) = std::fs::File::options().read(true).write(true).open("/dev/null") {
        // If that fails, a closed pipe is noticed when the engine ends.
        let _ = dup2_stdin(&nothing).and_then(|()| dup2_stdout(&nothing)).and_then(|()| dup2_stderr(&nothing));
    }
}

#[cfg(target_os = "linux")]
fn exit_code(status: std::process::ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(signal), _) => 128_u8.saturating_add(signal as u8),
        (None, code) => code.unwrap_or(1) as u8,
    }
}
