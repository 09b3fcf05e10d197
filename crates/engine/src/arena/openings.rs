//! Random openings: a few random moves from the start, kept if the position is new and balanced.
//!
//! Balanced means that a search of the strong preset with a hand-crafted evaluation ([`judge`]) finds neither a forced
//! result nor an advantage beyond a margin. Each pair of games shares one opening with colours swapped, so the remaining imbalance favours neither player. Openings from
//! a file ([`super::book`]) are used as they are.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use plysmith_core::feature::Scheme;
use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::random::Random;
use plysmith_core::search::{Interrupt, Limit, Root, Task, Workspace};
use plysmith_core::settings::Settings;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::parallel::in_order;

/// How to generate openings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpeningPlan {
    /// The start position.
    pub start: String,
    /// The number of random moves.
    pub plies: u32,
    /// The random seed.
    pub seed: u64,
}

/// The start of a pair of games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Opening {
    /// The position.
    pub position: String,
    /// The moves that lead to it.
    pub moves: Vec<String>,
}

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// The start cannot be read.
    #[error("start position: {0}")]
    Start(String),
    /// There are too few balanced openings.
    #[error(
        "only {found} of {wanted} balanced openings of {plies} random plies were found in {tried} tries; ask for fewer games, or for more plies with --opening-plies"
    )]
    TooFew {
        /// The number found.
        found: usize,
        /// The number wanted.
        wanted: usize,
        /// Their length.
        plies: u32,
        /// The number of random openings tried.
        tried: u64,
    },
    /// Interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// The node limit of the search that checks the balance.
const NODES: u64 = 10_000;
/// The largest advantage, in the units of the game's evaluation: about a piece.
const MARGIN: i32 = 12;
/// Tries without a new opening after which the generation ends.
const MOST_FAILED_TRIES: u64 = 1_000;

/// The settings of that search: the strong preset, but with an evaluation without learned weights. A match between old
/// and new weights has the same openings before and after the new ones become those of the preset.
pub fn judge(game: &GameInfo) -> Settings {
    game.presets.modern().with_heuristic(game.presets.handcrafted_heuristic)
}

/// How openings are chosen, as text for the keys of stored ones: whatever changes them has to change this.
pub fn rules() -> String {
    format!("within {MARGIN} after {NODES} nodes, {MOST_FAILED_TRIES} tries")
}

/// The openings of a plan, generated on demand. The first hundred do not depend on how many are wanted, nor on the number of
/// threads.
#[derive(Debug)]
pub struct Book {
    game: &'static GameInfo,
    /// None if the openings are fixed.
    plan: Option<OpeningPlan>,
    openings: Vec<Opening>,
    seen: HashSet<String>,
    /// The number of tries, in all and until the last opening that was kept.
    tries: u64,
    last_found: u64,
    /// The number of tries that this book made itself, not those that came with a stored batch.
    own_tries: u64,
}

/// Openings of a plan that were found before, and how many tries that took from the plan's beginning.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpeningBatch {
    /// The openings.
    pub openings: Vec<Opening>,
    /// Tries in all.
    pub tries: u64,
    /// Tries until the last opening.
    pub last_found: u64,
}

impl Book {
    /// A book that generates openings.
    pub fn new(game: &'static GameInfo, plan: &OpeningPlan) -> Result<Book, OpeningError> {
        (game.open)(&plan.start).map_err(|error| OpeningError::Start(error.to_string()))?;
        Ok(Book { plan: Some(plan.clone()), ..Book::fixed(game, Vec::new()) })
    }

    /// A book of exactly these openings.
    pub fn fixed(game: &'static GameInfo, openings: Vec<Opening>) -> Book {
        Book { game, plan: None, openings, seen: HashSet::new(), tries: 0, last_found: 0, own_tries: 0 }
    }

    /// The openings so far.
    pub fn openings(&self) -> &[Opening] {
        &self.openings
    }

    /// What generates them; none if they are fixed.
    pub fn plan(&self) -> Option<&OpeningPlan> {
        self.plan.as_ref()
    }

    /// The game.
    pub fn game(&self) -> &'static GameInfo {
        self.game
    }

    /// How many random openings were tried here; those of stored batches do not count.
    pub fn own_tries(&self) -> u64 {
        self.own_tries
    }

    /// The openings from this one on, as a batch to be stored.
    pub fn batch(&self, begin: usize) -> OpeningBatch {
        let openings = self.openings.get(begin..).unwrap_or_default().to_vec();
        OpeningBatch { openings, tries: self.tries, last_found: self.last_found }
    }

    /// Replaces the openings from this one on by a batch that was stored.
    pub fn set_batch(&mut self, begin: usize, batch: OpeningBatch) {
        self.openings.truncate(begin);
        self.seen.extend(batch.openings.iter().map(|opening| opening.position.clone()));
        self.openings.extend(batch.openings);
        (self.tries, self.last_found) = (batch.tries, batch.last_found);
    }

    /// Generates openings until there are at least `count`, unless they are fixed.
    pub fn extend_to(
        &mut self,
        count: usize,
        threads: NonZeroUsize,
        interrupt: &Interrupt<'_>,
    ) -> Result<(), OpeningError> {
        if self.openings.len() >= count {
            return Ok(());
        }
        let Book { game, plan, openings, seen, tries, last_found, own_tries } = self;
        // Those that are fixed are used again from the beginning.
        let Some(plan) = plan else { return Ok(()) };
        let threads = threads.get().min(count - openings.len());
        let mut workspaces: Vec<_> = (0..threads).map(|_| Workspace::default()).collect();
        in_order(
            *tries..u64::MAX,
            &mut workspaces,
            |pool, workspace, number| {
                (!pool.is_halted() && !interrupt()).then(|| candidate(game, plan, number, workspace))
            },
            |number, opening| {
                *tries = number + 1;
                *own_tries += 1;
                if let Some(opening) = opening.filter(|opening| seen.insert(opening.position.clone())) {
                    *last_found = *tries;
                    openings.push(opening);
                }
                let is_enough = openings.len() == count || *tries - *last_found >= MOST_FAILED_TRIES;
                if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        match openings.len() {
            all if all == count => Ok(()),
            _ if interrupt() => Err(OpeningError::Interrupted),
            few => Err(OpeningError::TooFew { found: few, wanted: count, plies: plan.plies, tried: *tries }),
        }
    }
}

/// Random opening number `number`, if it is balanced.
fn candidate(game: &GameInfo, plan: &OpeningPlan, number: u64, workspace: &mut Workspace) -> Option<Opening> {
    let mut random = Random::for_purpose(plan.seed, &format!("opening {number}"));
    let mut position = (game.open)(&plan.start).ok()?;
    let mut moves = Vec::new();
    for _ in 0..plan.plies {
        let legal = position.moves();
        let m = legal.get(random.below(legal.len().max(1)))?.clone();
        position = position.play(&m).ok()?;
        moves.push(m);
    }
    (position.outcome().is_none() && is_balanced(game, position.as_ref(), random.next_seed(), workspace))
        .then(|| Opening { position: position.text(), moves })
}

fn is_balanced(game: &GameInfo, position: &dyn AnyPosition, seed: u64, workspace: &mut Workspace) -> bool {
    let task = Task {
        settings: judge(game),
        scheme: &Scheme::neutral(),
        limit: Limit::nodes(NODES),
        seed,
        interrupt: &|| false,
        root: Root::default(),
    };
    position.search(&task, workspace).score.units().abs() <= MARGIN
}
