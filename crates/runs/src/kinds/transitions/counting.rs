//! Counts of games, on all cores.

use std::ops::ControlFlow;

use plysmith_core::games::GameInfo;
use plysmith_core::transitions::{Categories, TransitionCounts};
use plysmith_engine::parallel::in_order;

use super::games::GameMoves;
use crate::error::RunError;
use crate::memory::ThreadNeed;
use crate::services::Services;

/// What was counted in some games.
pub struct CountedGames<'a> {
    /// The counts.
    pub counts: TransitionCounts<'a>,
    /// Games.
    pub games: u64,
    /// Positions left out because there was one legal move: it says nothing.
    pub single: u64,
    /// Positions left out because the side to move was known to lose: any move is as good as the other.
    pub lost: u64,
}

/// Positions are proved lost within this many plies. Two find every position in which each move allows an immediate win;
/// more would take longer than all the rest.
const PROOF_PLIES: u32 = 2;
/// Games that are counted at once.
const BATCH: usize = 20;

/// Counts the moves of games. Sums do not depend on the number of threads.
pub fn count<'a>(
    game: &GameInfo,
    categories: &'a Categories,
    games: &[GameMoves],
    services: &Services,
) -> Result<CountedGames<'a>, RunError> {
    let progress = services.begin_progress(games.len() as u64);
    progress.message("counting moves");
    let batches: Vec<&[GameMoves]> = games.chunks(BATCH).collect();
    let threads = services.workers(batches.len() as u64, &ThreadNeed::default())?;
    let mut all = CountedGames::new(categories);
    let mut failure = None;
    let count = |batch: &[GameMoves]| {
        let mut counted = CountedGames::new(categories);
        batch.iter().try_for_each(|moves| counted.add(game, categories, moves)).map(|()| counted)
    };
    in_order(
        0..batches.len() as u64,
        &mut vec![(); threads.get()],
        |_, (), number| (!services.cancel.is_cancelled()).then(|| count(batches[number as usize])),
        |_, counted| match counted {
            Ok(counted) => {
                all.merge(&counted);
                progress.set_part_done(all.games);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        },
    );
    match failure {
        Some(error) => Err(error),
        None if all.games < games.len() as u64 => Err(RunError::Cancelled(None)),
        None => Ok(all),
    }
}

impl<'a> CountedGames<'a> {
    fn new(categories: &'a Categories) -> CountedGames<'a> {
        CountedGames { counts: TransitionCounts::new(categories), games: 0, single: 0, lost: 0 }
    }

    fn add(&mut self, game: &GameInfo, categories: &Categories, moves: &GameMoves) -> Result<(), RunError> {
        let number = self.games + 1;
        let wrong = |error: &dyn std::fmt::Display| RunError::failed(format!("game {number} of a batch: {error}"));
        let mut position = (game.open)(&moves.start).map_err(|error| wrong(&error))?;
        for played in &moves.moves {
            let atoms = position.atoms_of_moves(categories.atoms(), &played.m).map_err(|error| wrong(&error))?;
            match atoms.len() {
                0 | 1 => self.single += 1,
                _ if played.is_lost || position.is_lost(PROOF_PLIES) => self.lost += 1,
                _ => self.counts.add(&atoms),
            }
            position = position.play(&played.m).map_err(|error| wrong(&error))?;
        }
        self.games += 1;
        Ok(())
    }

    fn merge(&mut self, other: &CountedGames<'_>) {
        self.counts.merge(&other.counts);
        self.games += other.games;
        self.single += other.single;
        self.lost += other.lost;
    }
}
