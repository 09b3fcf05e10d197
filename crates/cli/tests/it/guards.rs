//! Nothing that an engine starts outlives us, whoever is killed: plysmith, a guard, both guards, or the engine.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bad_engine;
use crate::engines::wait_until;
use crate::support::{Home, Running, skipped};

/// An engine in a shell script, with children in a new session, a daemon, and one that holds its pipes and ignores signals.
/// Each of the three leaves its id in a file.
struct Family {
    home: Home,
    /// How many engines are at work at the same time.
    engines: usize,
}

impl Family {
    fn new(mode: &str, engines: usize) -> Family {
        let home = Home::new();
        let stay = |name: &str| format!("sh -c 'trap \"\" HUP INT TERM; echo $$ > {name}-$$; exec sleep 100000'");
        let engine = bad_engine::command(&format!("{mode}@{}", home.path().join("engine").display()));
        let script = format!(
            "cd {}\ngrep SigBlk /proc/self/status > mask\nsetsid {} < /dev/null > /dev/null 2>&1 &\n(setsid {} < /dev/null > /dev/null 2>&1 &)\n{} &\nexec {engine}\n",
            home.path().display(),
            stay("child-session"),
            stay("child-daemon"),
            stay("child-holder"),
        );
        home.file("engine.sh", script);
        Family { home, engines }
    }

    fn start(&self, more: &[&str]) -> Running {
        let engine = format!("uci:sh '{}'", self.home.path().join("engine.sh").display());
        self.home.start(&[&["match", "chess", "--a", "classic", "--b", &engine], more].concat())
    }

    /// Starts a match in which every engine hangs, and waits until all of them do.
    fn start_hanging(&self) -> Running {
        let threads = self.engines.to_string();
        let running = self.start(&["--movetime", "100ms", "--margin", "1000s", "--threads", &threads]);
        let file = self.home.path().join("engine");
        wait_until("the engines do not hang", || bad_engine::hung(&file) >= self.engines);
        // The engine that was tried first has had children, too; they are gone.
        wait_until("the children do not start", || self.children().len() >= 3 * self.engines);
        running
    }

    /// Ids of the children that are alive.
    fn children(&self) -> Vec<String> {
        let files = fs::read_dir(self.home.path()).unwrap().flatten();
        let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
        let ids =
            names.filter(|name| name.starts_with("child-")).map(|name| name.rsplit('-').next().unwrap().to_string());
        ids.filter(|id| is_alive(id, "sleep")).collect()
    }

    /// Ids of processes with this word and our script in their command line.
    fn processes(&self, word: &str) -> Vec<String> {
        let script = self.home.path().join("engine.sh").display().to_string();
        crate::engines::processes(&script).into_iter().filter(|id| is_alive(id, word)).collect()
    }

    #[track_caller]
    fn nobody_is_left(&self, when: &str) {
        wait_until(&format!("children outlive {when}"), || self.children().is_empty());
        wait_until(&format!("engines outlive {when}"), || self.engine_processes().is_empty());
        wait_until(&format!("guards outlive {when}"), || self.processes("__engine-").is_empty());
    }

    fn engine_processes(&self) -> Vec<String> {
        crate::engines::processes(&format!("@{}", self.home.path().join("engine").display()))
    }
}

/// Whether a process lives and has this word in its command line: ids are reused.
fn is_alive(id: &str, word: &str) -> bool {
    let line = fs::read(Path::new("/proc").join(id).join("cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).contains(word)
}

fn kill_9(ids: &[String]) {
    assert!(!ids.is_empty(), "there is nobody to kill");
    // One system call after the other, with nothing in between.
    let status = Command::new("sh").args(["-c", &format!("kill -9 {}", ids.join(" "))]).status().unwrap();
    assert!(status.success(), "cannot kill {ids:?}");
}

fn has_setsid() -> bool {
    let found = Command::new("setsid").arg("true").status().is_ok_and(|status| status.success());
    if !found {
        skipped("guards", "there is no setsid");
    }
    found
}

#[test]
fn children_in_other_sessions_end_with_a_plysmith_that_is_killed_or_asked_to_end() {
    if !has_setsid() {
        return;
    }
    let family = Family::new("late-hangs", 2);
    let ran = family.start_hanging().kill();
    assert_eq!(ran.code, None);
    family.nobody_is_left("a killed plysmith");
    let family = Family::new("late-hangs", 2);
    let running = family.start_hanging();
    running.signal(&["TERM"]);
    assert_eq!(running.end().code, Some(130));
    family.nobody_is_left("a plysmith that was asked to end");
}

#[test]
fn children_end_with_their_engine() {
    if !has_setsid() {
        return;
    }
    for mode in ["good", "late-dies-mid-search"] {
        let family = Family::new(mode, 1);
        let ran = family.start(&["--nodes", "50", "--games", "2", "--threads", "1"]).end();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        family.nobody_is_left("a match");
        // Plysmith blocks signals and fetches them; its engines do not inherit that.
        assert_eq!(family.home.read("mask").trim_end_matches(['0', '\n']), "SigBlk:\t");
    }
}

#[test]
fn the_death_of_a_guard_is_noticed_and_nobody_is_left() {
    if !has_setsid() {
        return;
    }
    for word in ["__engine-guard\0", "__engine-guard-inner"] {
        let family = Family::new("late-hangs", 1);
        let running = family.start_hanging();
        kill_9(&family.processes(word));
        running.end().fails(1, &["its guard (a process of plysmith's own) was killed", "engine.sh"]);
        family.nobody_is_left("a killed guard");
    }
}

#[test]
fn a_guard_is_enough() {
    if !has_setsid() {
        return;
    }
    for word in ["__engine-guard\0", "__engine-guard-inner"] {
        let family = Family::new("late-hangs", 1);
        let running = family.start_hanging();
        kill_9(&[vec![running.id().to_string()], family.processes(word)].concat());
        running.end();
        family.nobody_is_left("a killed plysmith with one of its guards");
    }
}

#[test]
fn the_engine_itself_ends_even_with_both_guards() {
    if !has_setsid() {
        return;
    }
    let family = Family::new("late-hangs", 1);
    let running = family.start_hanging();
    kill_9(&family.processes("__engine-guard"));
    running.end().fails(1, &["its guard (a process of plysmith's own) was killed"]);
    wait_until("engines outlive both guards", || family.engine_processes().is_empty());
    // Its children need not; they are not left behind by this test.
    let left = family.children();
    if !left.is_empty() {
        kill_9(&left);
    }
}

#[test]
fn stopped_engines_and_guards_are_ended() {
    if !has_setsid() {
        return;
    }
    let family = Family::new("late-hangs", 1);
    let running = family.start_hanging();
    let ids = [family.engine_processes(), family.processes("__engine-guard"), family.children()].concat();
    let status = Command::new("kill").arg("-STOP").args(&ids).status().unwrap();
    assert!(status.success());
    running.signal(&["TERM"]);
    assert_eq!(running.end().code, Some(130));
    // Guards that are stopped cannot act; plysmith has done it.
    family.nobody_is_left("a plysmith with stopped guards");
}
