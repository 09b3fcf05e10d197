//! The front door of the search: one object with defaults, for positions of any game.

use crate::depth::Weight;
use crate::feature::{FeatureError, Scheme};
use crate::games::{AnyPosition, GameInfo};
use crate::search::{Interrupt, Limit, Report, Root, Task, Workspace};
use crate::settings::{Settings, SettingsError};

/// Searches positions of one game, one after the other, with the same settings.
///
/// Unless told otherwise it uses the `modern` preset, no scheme, [`Searcher::NODES`] nodes and seed 1. The same position,
/// settings and seed give the same report. Searches that need more control take a [`Task`] and a [`Workspace`]; see
/// [`AnyPosition::search`].
///
/// ```
/// use plysmith_core::{Searcher, games};
///
/// let chess = games::find("chess")?;
/// let position = chess.parse_position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")?;
/// let report = Searcher::new(chess).nodes(10_000).search(&*position);
/// assert_eq!(report.best().map(String::as_str), Some("a1a8"));
/// assert_eq!(report.score.win_in(), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Searcher {
    game: &'static GameInfo,
    settings: Settings,
    scheme: Scheme,
    limit: Limit,
    seed: u64,
    workspace: Workspace,
}

impl Searcher {
    /// Nodes of a search unless another limit is set.
    pub const NODES: u64 = 100_000;

    /// A searcher for this game, with the defaults.
    pub fn new(game: &'static GameInfo) -> Searcher {
        Searcher {
            game,
            settings: game.presets.modern(),
            scheme: Scheme::neutral(),
            limit: Limit::nodes(Searcher::NODES),
            seed: 1,
            workspace: Workspace::default(),
        }
    }

    /// Uses these settings, such as `classic` or `modern,table=64,LmrBase=350`.
    pub fn preset(mut self, text: &str) -> Result<Searcher, SettingsError> {
        self.settings = self.game.parse_settings(text)?;
        Ok(self)
    }

    /// Uses this scheme, such as `Ud-PP@0.5,C@0.75`. Features without a weight cost half a ply.
    pub fn scheme(mut self, text: &str) -> Result<Searcher, FeatureError> {
        self.scheme = self.game.vocabulary.parse_scheme(text, Weight::HALF)?;
        Ok(self)
    }

    /// Stops after this many nodes.
    #[must_use]
    pub fn nodes(mut self, nodes: u64) -> Searcher {
        self.limit = Limit::nodes(nodes);
        self
    }

    /// Stops after an iteration of this many plies, whatever it takes.
    #[must_use]
    pub fn depth(mut self, plies: u32) -> Searcher {
        self.limit = Limit::depth(plies);
        self
    }

    /// Uses this random seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Searcher {
        self.seed = seed;
        self
    }

    /// Searches a position of the game.
    pub fn search(&mut self, position: &dyn AnyPosition) -> Report<String> {
        self.search_unless(position, &|| false)
    }

    /// Searches a position of the game until the interrupt is raised.
    pub fn search_unless(&mut self, position: &dyn AnyPosition, interrupt: &Interrupt<'_>) -> Report<String> {
        let &mut Searcher { settings, ref scheme, limit, seed, ref mut workspace, .. } = self;
        position.search(&Task { settings, scheme, limit, seed, interrupt, root: Root::default() }, workspace)
    }
}

#[cfg(test)]
mod tests {
    use super::Searcher;
    use crate::games;

    #[test]
    fn a_searcher_repeats_itself_and_obeys_its_limits() {
        let breakthrough = games::find("breakthrough").unwrap();
        let position = breakthrough.parse_position(breakthrough.bench[1]).unwrap();
        let searcher = || Searcher::new(breakthrough).preset("classic").unwrap().scheme("Ud-PP").unwrap();
        let mut limited = searcher().nodes(2_000);
        let first = limited.search(&*position);
        assert_eq!(first.nodes, 2_000);
        assert_eq!(limited.search(&*position), first);
        assert_ne!(searcher().nodes(2_000).seed(2).search(&*position), first);
        assert_eq!(searcher().depth(3).search(&*position).depth, 3);
        assert!(
            Searcher::new(breakthrough).preset("fast").is_err() && Searcher::new(breakthrough).scheme("x").is_err()
        );
    }
}
