//! What the results of a run depend on besides its configuration: parts of this program that change between versions.
//!
//! Each part has a revision, which is raised when its results change. The revisions that a run depends on are stored with
//! it, behind the version of the program: `0.2.0+search.5`. A run is continued only by a program with the same ones,
//! because half a run of one search and half of another would be a result of neither.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use plysmith_core::search;
use plysmith_engine::arena;
use plysmith_engine::driver::EXTERNAL_REVISION;
use plysmith_store::Run;

use crate::error::RunError;

/// A part of the program.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// The built-in search, and all that it plays, measures or finds balanced.
    Search,
    /// Mate solvers and the breeding of programs.
    Evolve,
    /// How built-in players with a transposition table play games.
    Games,
    /// How external engines are asked and their answers counted.
    External,
}

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The name under which the revision of a run's kind is stored.
const KIND: &str = "kind";

/// The first version, whose runs have no revisions stored with them, the revisions that it had, and its last commit.
const FIRST: (&str, [(&str, u32); 5], &str) = (
    "0.1.0",
    [("search", 3), ("evolve", 1), ("games", 1), ("external", 1), (KIND, 1)],
    "c4ed5f9cc1547bb05d968ea7555cb46e6f603afd",
);

impl Part {
    /// All parts.
    pub const ALL: [Part; 4] = [Part::Search, Part::Evolve, Part::Games, Part::External];

    /// Its revision in this program.
    pub fn revision(self) -> u32 {
        match self {
            Part::Search => search::REVISION,
            Part::Evolve => plysmith_evolve::REVISION,
            Part::Games => arena::REVISION,
            Part::External => EXTERNAL_REVISION,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Part::Search => "search",
            Part::Evolve => "evolve",
            Part::Games => "games",
            Part::External => "external",
        }
    }
}

/// The revisions that a run depends on. Its text is that of the store: `evolve.1.search.5`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Basis(BTreeMap<String, u32>);

impl Basis {
    /// What depends on these parts, and on this revision of a kind of runs, in this program.
    pub fn of(parts: Vec<Part>, kind: u32) -> Basis {
        let mut revisions: BTreeMap<_, _> =
            parts.into_iter().map(|part| (part.name().to_string(), part.revision())).collect();
        // Most kinds have never changed, and need not say so.
        if kind > 1 {
            revisions.insert(KIND.to_string(), kind);
        }
        Basis(revisions)
    }

    /// What is stored as the version of a new run.
    pub fn stored_version(&self) -> String {
        if self.0.is_empty() { VERSION.to_string() } else { format!("{VERSION}+{self}") }
    }

    /// What a stored run says that it depends on.
    fn of_run(run: &Run) -> Basis {
        let words: Vec<&str> = run.revisions.as_deref().unwrap_or_default().split('.').collect();
        let pair = |pair: &[&str]| match pair {
            [name, revision] => Some((name.to_string(), revision.parse().ok()?)),
            _ => None,
        };
        Basis(words.chunks(2).filter_map(pair).collect())
    }

    /// Fails if this program would continue a stored run with other results than those it has.
    pub fn check(&self, run: &Run) -> Result<(), RunError> {
        let stored = Basis::of_run(run);
        let names: BTreeSet<&String> = self.0.keys().chain(stored.0.keys()).collect();
        let changed: Vec<Change> = names
            .into_iter()
            .map(|name| Change { name, then: stored.revision_then(name, run), now: self.revision_now(name) })
            .filter(|change| change.then != change.now)
            .collect();
        if changed.is_empty() { Ok(()) } else { Err(RunError::input(refusal(run, &changed))) }
    }

    /// The revision of a part when the run was begun. What is not stored is as it was in the first version, or else as it
    /// is now.
    fn revision_then(&self, name: &str, run: &Run) -> u32 {
        let first = || FIRST.1.iter().find(|(part, _)| *part == name).map(|(_, revision)| *revision);
        let known = self.0.get(name).copied().or_else(|| first().filter(|_| run.version == FIRST.0));
        known.unwrap_or_else(|| Basis::default().revision_now(name))
    }

    /// The revision of a part in this program, whether or not this basis has it.
    fn revision_now(&self, name: &str) -> u32 {
        let part = Part::ALL.into_iter().find(|part| part.name() == name);
        part.map_or_else(|| self.0.get(name).copied().unwrap_or(1), Part::revision)
    }
}

/// A part that is not what it was.
struct Change<'a> {
    name: &'a str,
    then: u32,
    now: u32,
}

/// Says which version can finish a run, and how to begin it anew.
fn refusal(run: &Run, changed: &[Change<'_>]) -> String {
    let listed = |revision: fn(&Change<'_>) -> u32| {
        let name = |change: &Change<'_>| if change.name == KIND { run.kind.clone() } else { change.name.to_string() };
        let parts = changed.iter().map(|change| format!("{} revision {}", name(change), revision(change)));
        parts.collect::<Vec<_>>().join(", ")
    };
    let (then, now) = (listed(|change| change.then), listed(|change| change.now));
    let words: Vec<_> = run.command.iter().skip(1).map(|word| quoted(word)).collect();
    let command = if words.is_empty() { String::new() } else { format!(": plysmith {}", words.join(" ")) };
    let (id, version) = (run.id, &run.version);
    let source = match *version == FIRST.0 {
        true => format!(" (git checkout {}, then cargo build --release)", FIRST.2),
        false => format!(" with {then} (`plysmith --json` prints revisions)"),
    };
    format!(
        "run {id} was started by plysmith {version} ({then}) and cannot be continued by plysmith {VERSION} ({now}), whose \
         results differ: finish it with plysmith {version}{source}, or start it anew{command}"
    )
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = self.0.iter().map(|(name, revision)| format!("{name}.{revision}")).collect();
        f.write_str(&parts.join("."))
    }
}

/// A word of a command as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./@,=+:".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use plysmith_store::{Home, NewRun, Store};
    use serde_json::json;

    use super::*;

    /// A run as it comes from a store.
    fn stored(version: &str) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
        let new = NewRun {
            kind: "tune".to_string(),
            game: "chess".to_string(),
            config: json!({}),
            seed: 1,
            version: version.to_string(),
            command: ["plysmith", "tune", "chess", "--weights", "a b"].map(String::from).to_vec(),
            parent: None,
        };
        let run = store.create_run(&new).unwrap().run();
        store.run(run).unwrap()
    }

    fn basis(parts: &[(&str, u32)]) -> Basis {
        Basis(parts.iter().map(|(name, revision)| (name.to_string(), *revision)).collect())
    }

    #[test]
    fn revisions_are_stored_behind_the_version() {
        let now = basis(&[("search", Part::Search.revision()), ("external", Part::External.revision())]);
        let run = stored(&now.stored_version());
        assert_eq!(run.version, VERSION);
        assert_eq!(Basis::of_run(&run), now);
        assert!(now.check(&run).is_ok());
        assert!(Basis::default().check(&stored("0.1.0")).is_ok());
        assert_eq!(Basis::default().stored_version(), VERSION);
    }

    #[test]
    fn a_run_of_another_revision_is_refused_with_the_version_that_can_finish_it() {
        let search = Part::Search.revision();
        let error = basis(&[("search", search)]).check(&stored("0.1.0")).unwrap_err().to_string();
        for part in [
            "run 1 was started by plysmith 0.1.0 (search revision 3)",
            &format!("plysmith {VERSION} (search revision {search})"),
            "git checkout c4ed5f9",
            "start it anew: plysmith tune chess --weights 'a b'",
        ] {
            assert!(error.contains(part), "no '{part}' in {error}");
        }
        let error = basis(&[("search", search), (KIND, 2)]).check(&stored(&format!("0.2.0+search.{search}")));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("0.2.0 (tune revision 1)") && error.contains("(tune revision 2)"), "{error}");
        assert!(!error.contains("search revision"), "{error}");
        let future = basis(&[("search", search)]).check(&stored("9.9.9+search.77")).unwrap_err().to_string();
        assert!(future.contains("finish it with plysmith 9.9.9 with search revision 77"), "{future}");
    }

    /// What does not depend on the search is continued, whoever began it.
    #[test]
    fn only_what_a_run_depends_on_matters() {
        let revision = Part::Evolve.revision();
        let evolve = basis(&[("evolve", revision)]);
        assert!(evolve.check(&stored(&format!("0.2.0+evolve.{revision}"))).is_ok());
        let error = evolve.check(&stored("0.1.0")).unwrap_err().to_string();
        assert!(error.contains("0.1.0 (evolve revision 1)"), "{error}");
        // Engines are watched otherwise now, and other answers of theirs are refused.
        let now = Part::External.revision();
        let error = basis(&[("external", now)]).check(&stored("0.1.0")).unwrap_err().to_string();
        assert!(error.contains("0.1.0 (external revision 1)"), "{error}");
        assert!(basis(&[("external", now)]).check(&stored(&format!("0.2.0+external.{now}"))).is_ok());
    }
}
