//! Runs that are started from a page.
//!
//! Each is a process of its own: the same program with the arguments that the page shows as the equivalent command. So
//! they are checked by the code that checks the command line, a run that fails takes nothing with it, and what the page
//! shows is what happens. The process stops when its standard input is closed, which happens also if this server ends in
//! whatever way; the run can then be resumed.

mod again;
mod form;
mod started;
mod values;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use maud::{Markup, html};
use plysmith_core::printable::printable;
use plysmith_store::{Home, RunId, Store};

use crate::error::WebError;

pub use form::{Field, Form, Takes};
pub use started::Started;
pub use values::{title as field_title, words};

/// Processes at a time.
const MOST_STARTED: usize = 8;
/// Ended processes that are remembered.
const MOST_ENDED: usize = 20;
/// How long a request waits for the run of the process that it started.
const START_PATIENCE: Duration = Duration::from_secs(20);
/// How long processes have to stop when the server ends.
const STOP_PATIENCE: Duration = Duration::from_secs(20);

/// Checks words of a command line, without the program's name; the text says what is wrong.
pub type Check = Box<dyn Fn(&[String]) -> Result<(), String> + Send + Sync>;

/// Starts runs, and stops them.
pub struct Launcher {
    /// The program that runs are started with: this one.
    pub program: PathBuf,
    /// The folder of the store. Files that forms may name are in its folder `files`.
    pub home: Home,
    /// Whether runs may start external engines.
    pub allow_engines: bool,
    /// The commands that can be started.
    pub forms: Vec<Form>,
    /// Checks a command without starting it.
    pub check: Check,
    /// What was started, the oldest first.
    pub started: Mutex<Vec<Arc<Started>>>,
}

/// What became of a start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The run has begun.
    Run(RunId),
    /// The process ended: with what it said.
    Failed(String),
    /// It still sets up its engines and suites.
    Pending,
}

impl Launcher {
    /// The form of a command.
    pub fn form(&self, command: &str) -> Result<&Form, WebError> {
        let form = self.forms.iter().find(|form| form.command == command);
        form.ok_or_else(|| WebError::not_found(format!("'{command}' is not a command that can be started here")))
    }

    /// Where a form starts a command again, with its words filled in; none if no form has all of them.
    pub fn again(&self, words: &[String]) -> Option<String> {
        let (command, words) = words.split_first()?;
        let form = self.forms.iter().find(|form| form.command == *command)?;
        Some(format!("/start/{command}?{}", again::fields(form, words)?.encoded()))
    }

    /// The folder with the files that forms may name.
    pub fn files_folder(&self) -> PathBuf {
        self.home.folder().join("files")
    }

    /// The files that forms may name.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.files_folder()).into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let mut names: Vec<String> = files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| values::is_file_name(name));
        names.sort_unstable();
        names.truncate(1000);
        names
    }

    /// Starts a command, and waits a while for its run.
    pub fn start(&self, store: &Store, words: Vec<String>) -> Result<Outcome, WebError> {
        (self.check)(&words).map_err(WebError::invalid)?;
        let started = self.spawn(store, words)?;
        Ok(wait(&started, || started.newest_run(store)))
    }

    /// Continues a run, and waits until it is at work.
    pub fn resume(&self, store: &Store, run: RunId) -> Result<(), WebError> {
        let started = self.spawn(store, vec!["resume".to_string(), run.to_string()])?;
        match wait(&started, || store.worker(run).ok().flatten().filter(|worker| *worker == started.id()).map(|_| run))
        {
            Outcome::Failed(said) if !store.has_result(run)? => Err(WebError::conflict(said)),
            _ => Ok(()),
        }
    }

    /// Whether a run is at work in a process that was started here.
    pub fn owns(&self, store: &Store, run: RunId) -> bool {
        self.owner(store, run).is_some()
    }

    /// Asks the process of a run to stop.
    pub fn stop(&self, store: &Store, run: RunId) -> Result<(), WebError> {
        match self.owner(store, run) {
            Some(started) => {
                started.stop();
                // The page that is shown next should not offer to stop it.
                started.wait(Instant::now() + Duration::from_secs(5));
                Ok(())
            }
            None => Err(WebError::conflict(format!("run {run} is not at work in a process that was started here"))),
        }
    }

    /// What was started here, the newest first.
    pub fn history(&self) -> Vec<Arc<Started>> {
        self.list().iter().rev().cloned().collect()
    }

    fn owner(&self, store: &Store, run: RunId) -> Option<Arc<Started>> {
        let worker = store.worker(run).ok().flatten()?;
        self.list().iter().find(|started| started.id() == worker && !started.has_ended()).cloned()
    }

    fn spawn(&self, store: &Store, words: Vec<String>) -> Result<Arc<Started>, WebError> {
        let mut list = self.list();
        if list.iter().filter(|started| !started.has_ended()).count() >= MOST_STARTED {
            return Err(WebError::busy(format!("{MOST_STARTED} commands are at work already; wait, or stop one")));
        }
        let folder = self.files_folder();
        let made = std::fs::create_dir_all(&folder);
        made.map_err(|error| WebError::failed(format!("cannot make the folder {}: {error}", folder.display())))?;
        let before = store.stamps()?.last().map(|stamp| stamp.run);
        let started = Started::start(&self.program, &self.home, &folder, words, self.allow_engines, before);
        let started = Arc::new(started.map_err(|error| WebError::failed(format!("cannot start the run: {error}")))?);
        list.push(Arc::clone(&started));
        while list.len() > MOST_ENDED
            && let Some(oldest) = list.iter().position(|started| started.has_ended())
        {
            list.remove(oldest);
        }
        Ok(started)
    }

    fn list(&self) -> MutexGuard<'_, Vec<Arc<Started>>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Launcher {
    /// Stops what is at work. What does not stop in time is killed; nothing that was computed is lost.
    fn drop(&mut self) {
        let list = self.list();
        list.iter().for_each(|started| started.stop());
        let deadline = Instant::now() + STOP_PATIENCE;
        list.iter().filter(|started| !started.wait(deadline)).for_each(|started| started.kill());
    }
}

/// Waits for a run, for the end of its process, or for a while.
fn wait(started: &Started, find: impl Fn() -> Option<RunId>) -> Outcome {
    let deadline = Instant::now() + START_PATIENCE;
    loop {
        // Asked first: a run that ends at once is found all the same.
        let has_ended = started.has_ended();
        if let Some(run) = find() {
            return Outcome::Run(run);
        }
        if has_ended {
            return Outcome::Failed(started.said());
        }
        if Instant::now() >= deadline {
            return Outcome::Pending;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A command to be copied, as it is written in a shell.
pub fn command_line<'a>(words: impl Iterator<Item = &'a str>) -> Markup {
    let words: Vec<_> = std::iter::once("plysmith".to_string()).chain(words.map(quoted)).collect();
    html! {
        div.command {
            pre { code { (printable(&words.join(" "))) } }
            button.copy type="button" hidden data-copy { "Copy" }
        }
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.,:=+@%/^".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A launcher that has started nothing yet.
pub fn launcher(program: &Path, home: Home, allow_engines: bool, forms: Vec<Form>, check: Check) -> Launcher {
    Launcher { program: program.to_path_buf(), home, allow_engines, forms, check, started: Mutex::default() }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("--a=classic+RdTt@0.5"), "--a=classic+RdTt@0.5");
        assert_eq!(quoted("uci:x;Hash=1 $(rm)"), "'uci:x;Hash=1 $(rm)'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
