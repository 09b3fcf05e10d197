//! The descendants of a process, found in `/proc` and killed.
//!
//! A process group does not hold them: a child that calls `setsid`, as every daemon and many wrappers do, leaves it. The
//! tree of parents does, as long as an ancestor is a *child subreaper*: it inherits every orphan below it.

use std::collections::HashMap;
use std::fs;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// Kills every process that descends from this one now, but not the process itself; returns how many there were. A process
/// may start another one meanwhile, so the caller repeats this.
pub fn kill_descendants(root: Pid) -> usize {
    kill(&descendants(root))
}

/// As [`kill_descendants`], but kills `last` only once it is the only one.
pub fn kill_descendants_before(root: Pid, last: Pid) -> usize {
    let found = descendants(root);
    let others: Vec<(Pid, Pid)> = found.iter().copied().filter(|&(id, _)| id != last).collect();
    kill(if others.is_empty() { &found } else { &others })
}

/// Kills these processes, each given with its parent; returns how many there are.
fn kill(found: &[(Pid, Pid)]) -> usize {
    // Children before their parents: where no ancestor inherits orphans, they would be out of reach.
    for &(id, parent) in found.iter().rev() {
        match pidfd_open(id, PidfdFlags::empty()) {
            // The descriptor is that of our descendant only if the id still belongs to a child of the same parent: ids are
            // reused. One that was passed on to another parent in between is found by the next call.
            Ok(process) => {
                if parent_of(id) == Some(parent) {
                    let _ = pidfd_send_signal(&process, Signal::KILL);
                }
            }
            Err(rustix::io::Errno::SRCH) => {}
            // A kernel before 5.3.
            Err(_) => drop(kill_process(id, Signal::KILL)),
        }
    }
    found.len()
}

/// All descendants that are not zombies, each with its parent, and behind it.
fn descendants(root: Pid) -> Vec<(Pid, Pid)> {
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    for id in entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)) {
        if let Some(parent) = parent_of(id) {
            children.entry(parent).or_default().push(id);
        }
    }
    let mut found = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for id in children.remove(&parent).unwrap_or_default() {
            found.push((id, parent));
            parents.push(id);
        }
    }
    found
}

/// The parent of a process; none if the process has ended.
fn parent_of(id: Pid) -> Option<Pid> {
    let line = fs::read(format!("/proc/{}/stat", id.as_raw_nonzero())).ok()?;
    // The name in parentheses may hold anything, so the last parenthesis ends it. The state and the parent follow.
    let end = line.iter().rposition(|&byte| byte == b')')?;
    let rest = str::from_utf8(&line[end + 1..]).ok()?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    Pid::from_raw(parent).filter(|_| !["Z", "X"].contains(&state))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, getpid};

    use super::{descendants, kill_descendants, kill_descendants_before, parent_of};

    /// How long a killed process may take to die before a test gives up on it.
    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn children_of_children_are_found_and_killed_even_in_another_session() {
        let script = "setsid sh -c 'sleep 1000 & echo $! $$; wait' & wait";
        let mut root = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let id = Pid::from_raw(root.id() as i32).unwrap();
        let mut line = String::new();
        BufReader::new(root.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ids: Vec<Pid> = line.split_whitespace().map(|id| Pid::from_raw(id.parse().unwrap()).unwrap()).collect();
        assert_eq!((ids.len(), parent_of(id)), (2, Some(getpid())));
        let found: Vec<Pid> = descendants(id).into_iter().map(|(id, _)| id).collect();
        assert!(ids.iter().all(|id| found.contains(id)) && !found.contains(&id), "{found:?} of {ids:?}");
        while kill_descendants(id) > 0 {}
        // Nobody here inherits orphans: one whose parent died first is not a descendant any more while it dies.
        let begun = Instant::now();
        while ids.iter().any(|&id| parent_of(id).is_some()) {
            assert!(begun.elapsed() < PATIENCE, "{ids:?} were not killed");
            std::thread::yield_now();
        }
        root.wait().unwrap();
    }

    #[test]
    fn the_last_one_is_spared_until_it_is_alone() {
        let script = "sh -c 'sleep 1000 & sleep 1000 & echo $$; wait; echo alone; sleep 1000' & wait";
        let mut root = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let id = Pid::from_raw(root.id() as i32).unwrap();
        let mut lines = BufReader::new(root.stdout.take().unwrap()).lines();
        let last = Pid::from_raw(lines.next().unwrap().unwrap().parse().unwrap()).unwrap();
        assert_eq!(kill_descendants_before(id, last), 2);
        // It lives on, and is killed with what it started in the meantime.
        assert_eq!(lines.next().unwrap().unwrap(), "alone");
        while kill_descendants_before(id, last) > 0 {}
        assert_eq!(parent_of(last), None);
        root.wait().unwrap();
    }
}
