//! What is stored of a run: everything needed to do it again.

use std::fmt;
use std::path::{Path, PathBuf, absolute};
use std::str::FromStr;

use plysmith_core::feature::{Amount, Atom, Conjunction, Scheme};
use plysmith_core::games::{self, GameInfo};
use plysmith_core::settings::Settings;
use plysmith_learn::exhaustive::combinations;
use plysmith_learn::pruning::Pruning;
use plysmith_learn::tune::OptimiserKind;
use plysmith_learn::tune::holdout::HoldOutSplit;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::format::TableFormat;
use crate::error::RunError;
use crate::experiment::{EngineChoice, Experiment, Features};
use crate::fitness::{self, FitnessChoice, GradedFitness};
use crate::kind::check_range;
use crate::kinds::discover::blacklist;
use crate::text_form;

/// What to learn, on what and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The engine, its node limit, and problems.
    pub experiment: Experiment,
    /// What reductions are rated by.
    #[serde(with = "text_form")]
    pub fitness: FitnessChoice,
    /// The graded suite, if they are rated on one and not on problems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graded: Option<GradedFitness>,
    /// The names of the held-out positions or problems, in the order of the suite.
    pub held_out: Vec<String>,
    /// The methods, in the order in which they are tried.
    #[serde(with = "text_form::list")]
    pub methods: Vec<Method>,
    /// The conditions.
    pub atoms: Vec<String>,
    /// Conjunctions that are never formed.
    pub blacklist: Vec<String>,
    /// The most conditions in a conjunction.
    pub most_atoms: usize,
    /// The most conjunctions in a learned table; the dense table has all.
    pub most: usize,
    /// By how much reductions are changed to measure a conjunction, in thousandths of a ply: up and down.
    pub amount: i32,
    /// How often each method may measure all training positions.
    pub evaluations: u32,
    /// The optimiser of the learned table's amounts and of the constants. Dense tables are tuned by SPSA.
    #[serde(with = "text_form")]
    pub optimiser: OptimiserKind,
    /// Whether the engine's own late-move reductions are switched off, so that the table is all there is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_scratch: bool,
    /// A file for the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<TableFile>,
}

/// A file for the table, and what is written to it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TableFile {
    /// Where.
    pub path: PathBuf,
    /// As what.
    #[serde(with = "text_form")]
    pub format: TableFormat,
    /// Whether a file may be replaced.
    pub force: bool,
}

/// A method of learning reductions.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Method {
    /// Gradual Focus chooses conjunctions, and the optimiser their amounts.
    Focus,
    /// All conjunctions, their amounts by SPSA.
    Dense,
    /// The constants of the engine's own reductions, which are logarithmic in depth and move number.
    Logarithmic,
}

/// A name that is not a method.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{name}' is not a method; expected one of {}", Method::ALL.map(Method::name).join(", "))]
pub struct UnknownMethod {
    /// What was read.
    pub name: String,
}

/// How reductions are learned, apart from what on.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// See [`Config::methods`].
    pub methods: Vec<Method>,
    /// Patterns of atoms; none for [`DEFAULT_ATOMS`].
    pub atoms: Vec<String>,
    /// See [`Config::most_atoms`].
    pub most_atoms: usize,
    /// See [`Config::most`].
    pub most: usize,
    /// See [`Config::amount`].
    pub amount: Amount,
    /// See [`Config::evaluations`].
    pub evaluations: u32,
    /// See [`Config::optimiser`].
    pub optimiser: OptimiserKind,
    /// See [`Config::from_scratch`].
    pub from_scratch: bool,
}

/// The conditions unless others are named: those that most engines use.
pub const DEFAULT_ATOMS: [&str; 8] =
    ["pv", "cut", "improving", "ttcapture", "killer", "quiet", "highhistory", "verylate"];
/// The share of positions that are held out.
const HELD_OUT: u32 = 50;

impl Default for Options {
    fn default() -> Options {
        Options {
            methods: vec![Method::Focus],
            atoms: Vec::new(),
            most_atoms: 3,
            most: 12,
            amount: Amount::of_units(500),
            evaluations: 300,
            optimiser: OptimiserKind::Spsa,
            from_scratch: false,
        }
    }
}

impl TableFile {
    /// A file with an absolute path, so that a run can be resumed from another folder. The end of its name says what is
    /// written.
    pub fn new(path: &Path, force: bool) -> Result<TableFile, RunError> {
        let format = match path.extension().and_then(|ending| ending.to_str()) {
            Some("rs") => TableFormat::Rust,
            Some("c" | "h") => TableFormat::C,
            _ => TableFormat::Text,
        };
        let path =
            absolute(path).map_err(|error| RunError::input(format!("cannot write {}: {error}", path.display())))?;
        Ok(TableFile { path, format, force })
    }
}

impl Config {
    /// Learns reductions for the engine of an experiment. The held-out half is drawn by its seed.
    pub fn new(
        experiment: Experiment,
        fitness: FitnessChoice,
        graded: Option<GradedFitness>,
        options: &Options,
    ) -> Result<Config, RunError> {
        let game = games::find(&experiment.game)?;
        let vocabulary = game.vocabulary;
        let atoms = match options.atoms.as_slice() {
            [] => vocabulary.matching(DEFAULT_ATOMS)?,
            patterns => vocabulary.matching(patterns.iter().map(String::as_str))?,
        };
        let names = match &graded {
            Some(graded) => graded.read(game)?.positions.into_iter().map(|position| position.id).collect(),
            None => experiment.suite.problems.iter().map(|problem| problem.id.clone()).collect::<Vec<_>>(),
        };
        let split = HoldOutSplit::draw(names.len(), HELD_OUT, experiment.seed);
        let atoms: Vec<String> = atoms.into_iter().map(|atom| vocabulary.facts(atom).name.to_string()).collect();
        let config = Config {
            fitness,
            graded,
            held_out: split.held_out.iter().map(|place| names[*place].clone()).collect(),
            methods: options.methods.clone(),
            blacklist: blacklist(&Features::from(game), &atoms, &[])?,
            atoms,
            most_atoms: options.most_atoms,
            most: options.most,
            amount: options.amount.units().abs(),
            evaluations: options.evaluations,
            optimiser: options.optimiser,
            from_scratch: options.from_scratch,
            output: None,
            experiment,
        };
        config.validate()?;
        Ok(config)
    }

    /// Checks the values.
    pub(super) fn validate(&self) -> Result<(), RunError> {
        self.experiment.validate()?;
        fitness::check(Some(&self.fitness), self.graded.as_ref(), &self.experiment)?;
        let game = self.game()?;
        self.settings()?;
        check_range("number of evaluations", self.evaluations.into(), 10..=1_000_000)?;
        check_range("number of conjunctions", self.most as u64, 1..=16)?;
        check_range("number of conditions in a conjunction", self.most_atoms as u64, 1..=4)?;
        check_range("number of thousandths of a ply", self.amount.unsigned_abs().into(), 1..=3000)?;
        if self.methods.is_empty() || self.held_out.is_empty() {
            return Err(RunError::input("there must be a method, and two positions at least"));
        }
        let (count, most) = (self.base(game)?.len(), Scheme::MOST_ATOMS);
        if !(1..=most).contains(&count) {
            return Err(RunError::input(format!(
                "{count} conditions are too many or too few; name 1 to {most} with --atoms, like '{}'",
                DEFAULT_ATOMS.join(",")
            )));
        }
        let (dense, most) = (self.conjunctions(game)?.len(), Scheme::MOST_RULES);
        if self.methods.contains(&Method::Dense) && dense > most {
            return Err(RunError::input(format!(
                "{count} conditions have {dense} conjunctions of at most {}; a dense table has at most {most}: name fewer with \
                 --atoms, or lower --most-atoms",
                self.most_atoms
            )));
        }
        Ok(())
    }

    /// The game.
    pub(super) fn game(&self) -> Result<&'static GameInfo, RunError> {
        Ok(games::find(&self.experiment.game)?)
    }

    /// The atoms.
    pub(super) fn base(&self, game: &GameInfo) -> Result<Vec<Atom>, RunError> {
        Ok(game.vocabulary.matching(self.atoms.iter().map(String::as_str))?)
    }

    /// All conjunctions of the atoms that make sense.
    pub(super) fn conjunctions(&self, game: &GameInfo) -> Result<Vec<Conjunction>, RunError> {
        let forbidden: Vec<Conjunction> =
            self.blacklist.iter().map(|text| game.vocabulary.parse(text)).collect::<Result<_, _>>()?;
        let mut all = combinations(game.vocabulary, self.base(game)?, Pruning::Groups, self.most_atoms);
        all.retain(|one| !forbidden.iter().any(|forbidden| forbidden.is_within(*one)));
        Ok(all)
    }

    /// The engine's settings as they were named.
    pub(super) fn settings(&self) -> Result<Settings, RunError> {
        match &self.experiment.engine {
            EngineChoice::BuiltIn(settings) => Ok(*settings),
            EngineChoice::External(_) => {
                Err(RunError::input("reductions are learned for built-in engines; `plysmith tune` tunes other engines"))
            }
        }
    }

    /// The settings of the engine that tables are added to.
    pub(super) fn base_settings(&self) -> Result<Settings, RunError> {
        let mut settings = self.settings()?;
        settings.switches.reductions &= !self.from_scratch;
        Ok(settings)
    }
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 3] = [Method::Focus, Method::Dense, Method::Logarithmic];

    /// The name on the command line, in stores and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Focus => "focus",
            Method::Dense => "dense",
            Method::Logarithmic => "logarithmic",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Method, UnknownMethod> {
        let found = Method::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| UnknownMethod { name: text.to_string() })
    }
}
