//! Positions of any game, as text: what the layers above the search work with.
//!
//! The search is generic and compiled once for each game, in here. What comes out is a trait object.

use crate::feature::{Atom, Conjunction};
use crate::fingerprint::{Part, append_answers};
use crate::game::{Game, MoveError, MoveSet, perft};
use crate::generate::{Plan, problem_from_game};
use crate::grid::Grid;
use crate::outcome::Outcome;
use crate::problem::Problem;
use crate::score::Score;
use crate::search::proof::{Interrupted, Prover, Win};
use crate::search::{Interrupt, Report, SearchTree, Task, Workspace, search, search_observed, search_recorded};
use crate::settings::Heuristic;
use crate::training::{self, ReplayError, Sample, TrainingGame, TrainingPlan, TrainingRules};

/// A position of some game.
pub trait AnyPosition: Send + Sync {
    /// The position's one canonical text.
    fn text(&self) -> String;
    /// A copy.
    fn boxed(&self) -> Box<dyn AnyPosition>;
    /// The board drawn with letters, on it a legal move if one is given.
    fn draw(&self, m: Option<&str>) -> Result<String, MoveError>;
    /// The legal moves.
    fn moves(&self) -> Vec<String>;
    /// The one canonical spelling of a legal move.
    fn canonical_move(&self, m: &str) -> Result<String, MoveError>;
    /// A legal move as game records write it.
    fn notation(&self, m: &str) -> Result<String, MoveError>;
    /// The position after a move.
    fn play(&self, m: &str) -> Result<Box<dyn AnyPosition>, MoveError>;
    /// The features of a move.
    fn features_of(&self, m: &str) -> Result<Vec<Atom>, MoveError>;
    /// For each legal move, which of these atoms of moves it has, and whether it is the move that was played.
    fn atoms_of_moves(&self, atoms: Conjunction, played: &str) -> Result<Vec<(Conjunction, bool)>, MoveError>;
    /// Whether the side to move is known to lose: a rule of the game predicts it, or it can be forced within this number of
    /// plies.
    fn is_lost(&self, plies: u32) -> bool;
    /// Appends what a part of the game answers on positions of random games from here; see [`crate::fingerprint`].
    fn append_answers(&self, part: Part, answers: &mut Vec<u8>);
    /// The number of positions after `depth` plies.
    fn perft(&self, depth: u32) -> u64;
    /// Searches the position.
    fn search(&self, task: &Task<'_>, workspace: &mut Workspace) -> Report<String>;
    /// Searches the position, and reports after every finished iteration.
    fn search_observed(
        &self,
        task: &Task<'_>,
        workspace: &mut Workspace,
        observer: &mut dyn FnMut(Report<String>),
    ) -> Report<String>;
    /// Searches the position as [`AnyPosition::search_observed`] does, and records the tree: at most this many nodes.
    fn search_recorded(
        &self,
        task: &Task<'_>,
        workspace: &mut Workspace,
        most: usize,
        observer: &mut dyn FnMut(Report<String>),
    ) -> (Report<String>, SearchTree);
    /// What is on the squares, as the side to move sees them; none if the game does not say.
    fn grid(&self) -> Option<Grid>;
    /// The evaluation function that this position is really evaluated with; see [`Game::heuristic_used`].
    fn heuristic_used(&self, wanted: Heuristic) -> Heuristic;
    /// The evaluation for the side to move, by one of the game's heuristics.
    fn evaluate(&self, heuristic: Heuristic) -> Score;
    /// Whether White moves; otherwise Black does.
    fn white_to_move(&self) -> bool;
    /// A key that is equal for positions that count as repetitions.
    fn repetition_key(&self) -> u64;
    /// The number of last moves that can be undone by moving.
    fn reversible_plies(&self) -> u32;
    /// The result for the side to move, if the game is over; [`super::Playing`] adds draws by repetition.
    fn outcome(&self) -> Option<Outcome>;
    /// The shortest forced win within `most` plies.
    fn shortest_win(&self, most: u32) -> Option<Win<String>>;
    /// The shortest forced win within `most` plies, unless the interrupt is raised.
    fn shortest_win_unless(&self, most: u32, interrupt: &Interrupt<'_>) -> Result<Option<Win<String>>, Interrupted>;
    /// Plays a game from here and returns a problem that came up in it, if one did.
    fn problem_from_game(
        &self,
        plan: &Plan,
        game: u64,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<Problem>, Interrupted>;
    /// Plays a training game from here; see [`training::play`].
    fn training_game(
        &self,
        plan: &TrainingPlan,
        number: u64,
        workspace: &mut Workspace,
        interrupt: &Interrupt<'_>,
    ) -> Result<TrainingGame, Interrupted>;
    /// The moves of a fair opening from here; see [`training::fair_opening`].
    fn fair_opening(
        &self,
        plan: &TrainingPlan,
        number: u64,
        workspace: &mut Workspace,
        interrupt: &Interrupt<'_>,
    ) -> Result<Vec<String>, Interrupted>;
    /// Hands over the positions of a training game that began here; see [`training::replay`].
    fn replay_training(
        &self,
        game: &TrainingGame,
        rules: &TrainingRules,
        visit: &mut dyn FnMut(&dyn AnyPosition, &Sample),
    ) -> Result<(), ReplayError>;
}

/// The report with its line as text.
fn print_line<G: Game>(position: &G, report: Report<G::Move>) -> Report<String> {
    let mut position = position.clone();
    report.with_line(|m| {
        let text = position.print_move(m);
        position = Game::play(&position, m);
        text
    })
}

impl<G: Game> AnyPosition for G {
    fn text(&self) -> String {
        self.to_string()
    }

    fn boxed(&self) -> Box<dyn AnyPosition> {
        Box::new(self.clone())
    }

    fn draw(&self, m: Option<&str>) -> Result<String, MoveError> {
        let m = m.map(|text| self.parse_move(text)).transpose()?;
        Ok(Game::draw(self, m))
    }

    fn moves(&self) -> Vec<String> {
        self.legal_moves().into_iter().map(|m| self.print_move(m)).collect()
    }

    fn canonical_move(&self, m: &str) -> Result<String, MoveError> {
        Ok(self.print_move(self.parse_move(m)?))
    }

    fn notation(&self, m: &str) -> Result<String, MoveError> {
        Ok(Game::notation(self, self.parse_move(m)?))
    }

    fn play(&self, m: &str) -> Result<Box<dyn AnyPosition>, MoveError> {
        Ok(Box::new(Game::play(self, self.parse_move(m)?)))
    }

    fn features_of(&self, m: &str) -> Result<Vec<Atom>, MoveError> {
        let m = self.parse_move(m)?;
        Ok(G::VOCABULARY.atoms().filter(|&atom| self.has(m, atom)).collect())
    }

    fn atoms_of_moves(&self, atoms: Conjunction, played: &str) -> Result<Vec<(Conjunction, bool)>, MoveError> {
        let played = self.parse_move(played)?;
        let sets: Vec<(Atom, G::Set)> = atoms.atoms().map(|atom| (atom, self.select(atom))).collect();
        let has = |m| Conjunction::of(sets.iter().filter(|(_, set)| set.contains(m)).map(|(atom, _)| *atom));
        Ok(self.legal_moves().into_iter().map(|m| (has(m), m == played)).collect())
    }

    fn is_lost(&self, plies: u32) -> bool {
        let outcome = self.terminal_result().or_else(|| self.race_result().map(|(outcome, _)| outcome));
        outcome.map_or_else(|| Prover::default().is_lost(self, plies), |outcome| outcome == Outcome::Loss)
    }

    fn append_answers(&self, part: Part, answers: &mut Vec<u8>) {
        append_answers(self, part, answers);
    }

    fn perft(&self, depth: u32) -> u64 {
        perft(self, depth)
    }

    fn search(&self, task: &Task<'_>, workspace: &mut Workspace) -> Report<String> {
        print_line(self, search(self, task, workspace))
    }

    fn search_observed(
        &self,
        task: &Task<'_>,
        workspace: &mut Workspace,
        observer: &mut dyn FnMut(Report<String>),
    ) -> Report<String> {
        let mut observe = |report| observer(print_line(self, report));
        print_line(self, search_observed(self, task, workspace, Some(&mut observe)))
    }

    fn search_recorded(
        &self,
        task: &Task<'_>,
        workspace: &mut Workspace,
        most: usize,
        observer: &mut dyn FnMut(Report<String>),
    ) -> (Report<String>, SearchTree) {
        let mut observe = |report| observer(print_line(self, report));
        let (report, tree) = search_recorded(self, task, workspace, most, &mut observe);
        (print_line(self, report), tree)
    }

    fn grid(&self) -> Option<Grid> {
        Game::grid(self)
    }

    fn heuristic_used(&self, wanted: Heuristic) -> Heuristic {
        Game::heuristic_used(self, wanted)
    }

    fn evaluate(&self, heuristic: Heuristic) -> Score {
        Game::evaluate(self, heuristic)
    }

    fn white_to_move(&self) -> bool {
        Game::white_to_move(self)
    }

    fn outcome(&self) -> Option<Outcome> {
        let stuck = || self.legal_moves().is_empty().then(|| self.no_moves_result());
        self.terminal_result().or_else(stuck).or_else(|| self.is_drawn().then_some(Outcome::Draw))
    }

    fn repetition_key(&self) -> u64 {
        self.key()
    }

    fn reversible_plies(&self) -> u32 {
        Game::reversible_plies(self)
    }

    fn shortest_win(&self, most: u32) -> Option<Win<String>> {
        // Without an interrupt there is always a result.
        self.shortest_win_unless(most, &|| false).ok().flatten()
    }

    fn shortest_win_unless(&self, most: u32, interrupt: &Interrupt<'_>) -> Result<Option<Win<String>>, Interrupted> {
        let mut prover = Prover::interruptible(interrupt);
        let win = prover.shortest_win(self, most);
        let print = |m: &G::Move| self.print_move(*m);
        prover.finish(win.map(|win| Win { plies: win.plies, moves: win.moves.iter().map(print).collect() }))
    }

    fn problem_from_game(
        &self,
        plan: &Plan,
        game: u64,
        interrupt: &Interrupt<'_>,
    ) -> Result<Option<Problem>, Interrupted> {
        problem_from_game(self, plan, game, interrupt)
    }

    fn training_game(
        &self,
        plan: &TrainingPlan,
        number: u64,
        workspace: &mut Workspace,
        interrupt: &Interrupt<'_>,
    ) -> Result<TrainingGame, Interrupted> {
        training::play(self, plan, number, workspace, interrupt)
    }

    fn fair_opening(
        &self,
        plan: &TrainingPlan,
        number: u64,
        workspace: &mut Workspace,
        interrupt: &Interrupt<'_>,
    ) -> Result<Vec<String>, Interrupted> {
        training::fair_opening(self, plan, number, workspace, interrupt)
    }

    fn replay_training(
        &self,
        game: &TrainingGame,
        rules: &TrainingRules,
        visit: &mut dyn FnMut(&dyn AnyPosition, &Sample),
    ) -> Result<(), ReplayError> {
        training::replay(self, game, rules, &mut |position, sample| visit(position, sample))
    }
}
