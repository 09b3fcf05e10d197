//! Proves the problems of a suite again.

use thiserror::Error;

use crate::games::GameInfo;
use crate::problem::{Criterion, Problem};
use crate::search::deepening::Interrupt;
use crate::search::proof::Interrupted;

/// What checking a problem showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The win, its length and that no other move does it are proved.
    Proved,
    /// There is nothing to prove: the problem claims no forced win of known length.
    NotProvable,
    /// The claim is wrong.
    Wrong(Mistake),
}

/// How a problem is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Mistake {
    /// No forced win in as many plies as it says.
    #[error("there is no forced win within {claimed} plies")]
    NoWin {
        /// The length it claims.
        claimed: u32,
    },
    /// It can be won sooner.
    #[error("'{moves}' wins in {plies} plies already, not in {claimed}")]
    Sooner {
        /// The moves that do.
        moves: String,
        /// The true length.
        plies: u32,
        /// The length it claims.
        claimed: u32,
    },
    /// Other moves win as well, or the ones given do not.
    #[error("the winning moves are '{found}', not '{claimed}'")]
    OtherMoves {
        /// What was proved.
        found: String,
        /// What the problem says.
        claimed: String,
    },
}

/// Proves a problem of this game again, unless it is interrupted. Its position and moves have been read as
/// legal before.
pub fn check(game: &GameInfo, problem: &Problem, interrupt: &Interrupt<'_>) -> Result<Finding, Interrupted> {
    let (Criterion::Proven, Some(claimed)) = (problem.criterion, problem.distance) else {
        return Ok(Finding::NotProvable);
    };
    let Ok(position) = (game.open)(&problem.position) else { return Ok(Finding::NotProvable) };
    let Some(win) = position.shortest_win_unless(claimed, interrupt)? else {
        return Ok(Finding::Wrong(Mistake::NoWin { claimed }));
    };
    if win.plies < claimed {
        return Ok(Finding::Wrong(Mistake::Sooner { moves: win.moves.join(" "), plies: win.plies, claimed }));
    }
    let sorted = |moves: &[String]| {
        let mut moves = moves.to_vec();
        moves.sort();
        moves.join(" ")
    };
    let (found, claimed) = (sorted(&win.moves), sorted(&problem.best));
    // Who names no move claims only the win and its length.
    let right = problem.best.is_empty() && !win.moves.iter().all(|m| problem.avoid.contains(m)) || found == claimed;
    Ok(if right { Finding::Proved } else { Finding::Wrong(Mistake::OtherMoves { found, claimed }) })
}
