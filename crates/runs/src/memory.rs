//! How many threads work starts with: never more than jobs, and never more than there is memory for.
//!
//! Memory is promised before it is there: a table that does not fit is allocated without an error, and the kernel ends the
//! process when it is filled. So what each thread will need is estimated before anything is allocated, and refused if it
//! is more than there is. Estimates count what is large: transposition tables, hash tables of mate solvers at their node
//! limit, and the `Hash` of UCI engines as far as it is known.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use crate::error::RunError;

/// What is known of the memory that work may use.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MemoryRule {
    /// How much there is.
    pub available: AvailableMemory,
    /// Whether work starts with fewer threads if there is not enough for all; else it is refused. For a number of threads
    /// that nobody has asked for.
    pub fewer_threads: bool,
}

/// How much memory there is for new allocations.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum AvailableMemory {
    /// What the system says when the question comes up.
    System,
    /// This many bytes.
    Bytes(u64),
}

/// What each thread needs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThreadNeed(Vec<(String, u64)>);

/// A number of threads, and what to tell the user about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allotted {
    /// How many threads to start.
    pub threads: NonZeroUsize,
    /// Why they are fewer than asked for, if memory is the reason.
    pub note: Option<String>,
}

impl Default for MemoryRule {
    fn default() -> MemoryRule {
        MemoryRule { available: AvailableMemory::System, fewer_threads: false }
    }
}

impl ThreadNeed {
    /// What an engine needs.
    pub fn of_engine(name: &str, bytes: u64) -> ThreadNeed {
        ThreadNeed::default().and(format!("'{name}'"), bytes)
    }

    /// Adds something that each thread needs.
    #[must_use]
    pub fn and(mut self, what: impl Into<String>, bytes: u64) -> ThreadNeed {
        if bytes > 0 {
            self.0.push((what.into(), bytes));
        }
        self
    }

    /// All of it.
    pub fn bytes(&self) -> u64 {
        self.0.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// The larger of two needs.
    #[must_use]
    pub fn or(self, other: ThreadNeed) -> ThreadNeed {
        if other.bytes() > self.bytes() { other } else { self }
    }

    fn text(&self) -> String {
        let parts: Vec<String> = self.0.iter().map(|(what, bytes)| format!("{what} {}", size(*bytes))).collect();
        parts.join(", ")
    }
}

impl MemoryRule {
    /// How many of these threads are worth starting for a number of jobs, if each thread needs this. Fails if there is no memory for them.
    pub fn allot(self, threads: NonZeroUsize, jobs: u64, need: &ThreadNeed) -> Result<Allotted, RunError> {
        let most = usize::try_from(jobs.max(1)).unwrap_or(usize::MAX);
        let threads = threads.min(NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN));
        let each = need.bytes();
        let available = match self.available {
            AvailableMemory::System => system_memory(Path::new("/")),
            AvailableMemory::Bytes(bytes) => Some(bytes),
        };
        let Some(available) = available.filter(|_| each > 0) else { return Ok(Allotted { threads, note: None }) };
        // Not the last tenth: nothing else on the machine stands still meanwhile.
        let usable = available - available / 10;
        let fitting = usable / each;
        if threads.get() as u64 <= fitting {
            return Ok(Allotted { threads, note: None });
        }
        let fewer = NonZeroUsize::new(fitting as usize);
        let (each, all) = (size(each), size(each.saturating_mul(threads.get() as u64)));
        let needs = format!("{threads} threads need {all} of memory, {each} each ({})", need.text());
        let only = format!("only {} are available (nine tenths of what is free)", size(usable));
        match fewer {
            Some(fewer) if self.fewer_threads => {
                Ok(Allotted { threads: fewer, note: Some(format!("{needs}, but {only}: {fewer} are used")) })
            }
            Some(fewer) => Err(RunError::input(format!(
                "{needs}, but {only}; use --threads {fewer} or fewer, or smaller tables (table=MIB, Hash=MIB)"
            ))),
            None => Err(RunError::input(format!(
                "a single thread needs {each} of memory ({}), but {only}; use smaller tables (table=MIB, Hash=MIB) or \
                 fewer nodes",
                need.text()
            ))),
        }
    }
}

/// A number of bytes in words.
fn size(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    match bytes {
        ..MIB => format!("{} KiB", bytes.div_ceil(1 << 10)),
        MIB..=0x3fff_ffff => format!("{} MiB", bytes.div_ceil(MIB)),
        _ => format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64),
    }
}

/// The memory that this process may still use: what the machine has free, or less where a control group limits it. None
/// where that is not known. `root` is the root of the file system.
pub fn system_memory(root: &Path) -> Option<u64> {
    let machine = machine_memory(root);
    let groups = control_groups(root).filter_map(|group| group.left());
    machine.into_iter().chain(groups).min()
}

fn machine_memory(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let kib: u64 = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?
        .trim()
        .strip_suffix("kB")?
        .trim()
        .parse()
        .ok()?;
    kib.checked_mul(1024)
}

/// A control group, and the names of its files.
struct ControlGroup {
    folder: std::path::PathBuf,
    files: GroupFiles,
}

#[derive(Copy, Clone)]
struct GroupFiles {
    most: &'static str,
    used: &'static str,
    /// The line of `memory.stat` with what is used but given back when needed: files that were read.
    given_back: &'static str,
}

const SECOND: GroupFiles = GroupFiles { most: "memory.max", used: "memory.current", given_back: "inactive_file" };
const FIRST: GroupFiles =
    GroupFiles { most: "memory.limit_in_bytes", used: "memory.usage_in_bytes", given_back: "total_inactive_file" };

/// The control groups of this process that may limit its memory: its own and all above it, of both versions.
fn control_groups(root: &Path) -> impl Iterator<Item = ControlGroup> {
    let text = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let groups = root.join("sys/fs/cgroup");
    let mut found = Vec::new();
    for line in text.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(number), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let (base, files) = match number {
            "0" if controllers.is_empty() => (groups.clone(), SECOND),
            _ if controllers.split(',').any(|name| name == "memory") => (groups.join("memory"), FIRST),
            _ => continue,
        };
        // In a container the path may be one of the host, which is not there; its root is.
        let path = Path::new(path.trim_start_matches('/'));
        found.extend(path.ancestors().map(|path| ControlGroup { folder: base.join(path), files }));
    }
    found.into_iter()
}

impl ControlGroup {
    /// What is left of its limit; none if it has no limit.
    fn left(&self) -> Option<u64> {
        let GroupFiles { most, used, given_back } = self.files;
        let number = |name: &str| fs::read_to_string(self.folder.join(name)).ok()?.trim().parse::<u64>().ok();
        let (most, used) = (number(most)?, number(used).unwrap_or(0));
        let stat = fs::read_to_string(self.folder.join("memory.stat")).unwrap_or_default();
        let line = |line: &str| line.strip_prefix(given_back)?.trim().parse::<u64>().ok();
        let given_back = stat.lines().find_map(line).unwrap_or(0).min(used);
        Some(most.saturating_sub(used - given_back))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::num::NonZeroUsize;
    use std::path::Path;

    use proptest::prelude::{any, proptest};

    use super::{AvailableMemory, MemoryRule, ThreadNeed, size, system_memory};

    const GIB: u64 = 1 << 30;

    fn threads(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).unwrap()
    }

    fn rule(bytes: u64, fewer_threads: bool) -> MemoryRule {
        MemoryRule { available: AvailableMemory::Bytes(bytes), fewer_threads }
    }

    fn table(bytes: u64) -> ThreadNeed {
        ThreadNeed::default().and("transposition table", bytes)
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_numbers() {
        let need = table(GIB / 2).and("Hash of 'stockfish'", GIB / 4);
        let error = rule(16 * GIB, false).allot(threads(64), 1000, &need).unwrap_err().to_string();
        assert_eq!(
            error,
            "64 threads need 48.0 GiB of memory, 768 MiB each (transposition table 512 MiB, Hash of 'stockfish' 256 MiB), \
             but only 14.4 GiB are available (nine tenths of what is free); use --threads 19 or fewer, or smaller tables (table=MIB, Hash=MIB)"
        );
        assert!(rule(16 * GIB, false).allot(threads(19), 1000, &need).is_ok());
        let fewer = rule(16 * GIB, true).allot(threads(64), 1000, &need).unwrap();
        assert_eq!(fewer.threads, threads(19));
        assert!(fewer.note.unwrap().ends_with("14.4 GiB are available (nine tenths of what is free): 19 are used"));
        for fewer_threads in [false, true] {
            let error = rule(GIB, fewer_threads).allot(threads(2), 9, &table(u64::MAX)).unwrap_err().to_string();
            assert!(error.starts_with("a single thread needs"), "{error}");
        }
    }

    #[test]
    fn there_are_no_more_threads_than_jobs() {
        let allot = |count, jobs| rule(GIB, false).allot(threads(count), jobs, &table(GIB / 4)).unwrap().threads.get();
        assert_eq!((allot(64, 3), allot(2, 3), allot(64, 0)), (3, 2, 1));
    }

    proptest! {
        #[test]
        fn what_is_allotted_fits_and_what_fits_is_allotted(
            count in 1_usize..2000,
            jobs in any::<u64>(),
            each in any::<u64>(),
            shift in 0..64,
            available in any::<u64>(),
        ) {
            let each = each >> shift;
            let need = table(each);
            let wanted = (count as u64).min(jobs.max(1));
            let usable = u128::from(available - available / 10);
            let fits = |threads: u64| u128::from(threads) * u128::from(each) <= usable;
            match rule(available, false).allot(threads(count), jobs, &need) {
                Ok(allotted) => assert!(allotted.threads.get() as u64 == wanted && fits(wanted)),
                Err(_) => assert!(!fits(wanted)),
            }
            match rule(available, true).allot(threads(count), jobs, &need) {
                Ok(allotted) => {
                    let given = allotted.threads.get() as u64;
                    assert!(fits(given) && (given == wanted || !fits(given + 1)));
                }
                Err(_) => assert!(!fits(1)),
            }
        }
    }

    fn file(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn the_smallest_limit_counts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(system_memory(root), None, "no Linux");
        file(root, "proc/meminfo", "MemTotal: 900 kB\nMemFree:  10 kB\nMemAvailable:   800 kB\n");
        assert_eq!(system_memory(root), Some(800 * 1024));
        file(root, "proc/self/cgroup", "0::/user/session\n");
        file(root, "sys/fs/cgroup/user/session/memory.max", "max\n");
        assert_eq!(system_memory(root), Some(800 * 1024));
        file(root, "sys/fs/cgroup/user/memory.max", "500000\n");
        file(root, "sys/fs/cgroup/user/memory.current", "300000\n");
        assert_eq!(system_memory(root), Some(200_000), "the limit of a group above holds as well");
        file(root, "sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file 100000\n");
        assert_eq!(system_memory(root), Some(300_000), "cached files are given back");
        file(root, "proc/self/cgroup", "9:cpu:/x\n4:memory,other:/docker/abc\n");
        file(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "70000\n");
        file(root, "sys/fs/cgroup/memory/memory.usage_in_bytes", "90000\n");
        assert_eq!(system_memory(root), Some(0), "a container sees its own group as the root");
        file(root, "proc/self/cgroup", "nonsense\n\n0:\n");
        file(root, "proc/meminfo", "MemAvailable: many kB\n");
        assert_eq!(system_memory(root), None);
    }

    #[test]
    fn sizes_read_well() {
        let sizes = [0, 1, 1 << 20, 384 << 20, (1 << 30) - 1, 24 << 30].map(size);
        assert_eq!(sizes, ["0 KiB", "1 KiB", "1 MiB", "384 MiB", "1024 MiB", "24.0 GiB"]);
    }
}
