//! Self-play: the moves of seeded games that the built-in search plays against itself.
//!
//! Problem generation ([`crate::generate`]) and fits of evaluations ([`crate::training`]) play such games, each with its
//! own players and its own end of the game. What they share is here. A search draws exactly one seed, so a game depends on
//! its random source alone.

use crate::feature::Scheme;
use crate::game::Game;
use crate::random::Random;
use crate::search::proof::Interrupted;
use crate::search::{End, Interrupt, Limit, Report, Root, Task, Workspace, search};
use crate::settings::Settings;

/// The player of both sides.
pub struct SelfPlayer<'a> {
    /// Nodes a move.
    pub nodes: u64,
    /// The memory of its searches.
    pub workspace: &'a mut Workspace,
    /// Polled; true abandons the game.
    pub interrupt: &'a Interrupt<'a>,
}

impl SelfPlayer<'_> {
    /// Searches a position; `past` has the keys of the positions before it.
    pub fn search<G: Game>(
        &mut self,
        position: &G,
        settings: Settings,
        past: &[u64],
        random: &mut Random,
    ) -> Result<Report<G::Move>, Interrupted> {
        let task = Task {
            settings,
            scheme: &Scheme::neutral(),
            limit: Limit::nodes(self.nodes),
            seed: random.next_seed(),
            interrupt: self.interrupt,
            root: Root { past, ..Root::default() },
        };
        let report = search(position, &task, self.workspace);
        if report.end == End::Interrupted { Err(Interrupted) } else { Ok(report) }
    }
}
