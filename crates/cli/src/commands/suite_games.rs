//! What the games of a suite in the making gave, kept in the store: the same command goes on where it was interrupted.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use plysmith_core::problem::{Criterion, Problem};
use plysmith_core::search;
use plysmith_engine::suite_maker::{SuiteError, SuiteMemo};
use plysmith_store::{Store, StoreError};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::failure::Failure;
use crate::services::open_store;
use crate::output::say;

/// The games of one plan.
pub struct SuiteGames {
    store: Store,
    /// All that a game depends on but its number.
    plan: String,
    known: BTreeMap<u64, Option<Problem>>,
    failure: RefCell<Option<StoreError>>,
}

/// A problem as it is stored; its name comes with its place in the suite.
#[derive(Serialize, Deserialize)]
struct Kept {
    position: String,
    best: Vec<String>,
    avoid: Vec<String>,
    criterion: String,
    distance: Option<u32>,
}

/// Several threads work ahead of each other: where so many games in a row are unknown, there are no more.
const GAP: u64 = 256;

impl SuiteGames {
    /// Opens what is known of a plan, from its description.
    pub fn open(plan: &str) -> Result<SuiteGames, Failure> {
        let store = open_store()?;
        let plan = format!("harvest\n{plan}\n{}\n{}", search::REVISION, plysmith_evolve::REVISION);
        let mut known = BTreeMap::new();
        let mut end = GAP;
        let mut game = 0;
        while game < end {
            if let Some(found) = store.result(&key(&plan, game))? {
                known.insert(game, found.decode::<Option<Kept>>()?.map(Problem::try_from).transpose()?);
                end = game + GAP;
            }
            game += 1;
        }
        Ok(SuiteGames { store, plan, known, failure: RefCell::new(None) })
    }

    /// Why the making of a suite ended early.
    pub fn explain(self, error: SuiteError) -> Failure {
        match (error, self.failure.into_inner()) {
            (SuiteError::Interrupted, Some(failure)) => failure.into(),
            (SuiteError::Interrupted, None) => {
                say("the games played so far are kept: the same command goes on from there");
                Failure::Interrupted(None)
            }
            (error @ SuiteError::Start(_), _) => Failure::WrongInput(error.into()),
            (error @ SuiteError::TooRare { .. }, _) => Failure::Failed(error.into()),
        }
    }
}

impl SuiteMemo for SuiteGames {
    fn known(&self) -> BTreeMap<u64, Option<Problem>> {
        self.known.clone()
    }

    fn keep(&self, game: u64, found: Option<&Problem>) -> ControlFlow<()> {
        match self.store.put_result(&key(&self.plan, game), 1, &self.plan, &found.map(Kept::from)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure.replace(Some(error));
                ControlFlow::Break(())
            }
        }
    }
}

fn key(plan: &str, game: u64) -> String {
    format!("{:032x}", xxh3_128(format!("{plan}\n{game}").as_bytes()))
}

impl From<&Problem> for Kept {
    fn from(problem: &Problem) -> Kept {
        let Problem { position, best, avoid, criterion, distance, .. } = problem.clone();
        Kept { position, best, avoid, criterion: criterion.to_string(), distance }
    }
}

impl TryFrom<Kept> for Problem {
    type Error = Failure;

    fn try_from(kept: Kept) -> Result<Problem, Failure> {
        let Kept { position, best, avoid, criterion, distance } = kept;
        let criterion: Criterion = criterion.parse().map_err(|error| Failure::input(format!("the store: {error}")))?;
        Ok(Problem { position, best, avoid, id: String::new(), criterion, distance })
    }
}
