//! The trait of all games: what the search, the learners and the suites need.
//!
//! Positions are small values that are copied when a move is played; there is nothing to undo. A
//! game answers two kinds of questions about move features: [`Game::has`] is the definition, one
//! move and one atom at a time, written to be obviously right; [`Game::select`] answers for all moves
//! of the position at once and is what the search calls. [`crate::conform`] checks that they agree.

use std::borrow::Cow;
use std::fmt::{Debug, Display};
use std::ops::{BitAnd, BitOr};

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::eval_terms::EvalTermCache;
use crate::feature::{Atom, Guidance, Vocabulary};
use crate::grid::Grid;
use crate::outcome::Outcome;
use crate::patterns::Patterns;
use crate::score::Score;
use crate::settings::{Heuristic, Presets};
use crate::weights::LoadedWeights;

/// The moves of one position; long enough for any game here, and never on the heap. No game of chess comes to a position
/// with more than 218 moves, but one with fifteen queens can be set up.
pub type MoveList<M> = ArrayVec<M, 256>;

/// A game. Values of the type are positions.
pub trait Game: Clone + Eq + Debug + Display + Send + Sync + 'static {
    /// A move, meaningful only together with the position it is played in.
    type Move: Move;
    /// A set of moves of one position.
    type Set: MoveSet<Self::Move>;

    /// The game's move features.
    const VOCABULARY: Vocabulary;
    /// What learners should know of them.
    const GUIDANCE: Guidance = Guidance::NONE;
    /// What its presets switch on, and its evaluation functions.
    const PRESETS: Presets;
    /// Whether there are tactical moves: then the switches `captures` and `quiescence` mean something.
    const TACTICAL: bool = false;
    /// Whether positions can repeat, or the rules end a game as a draw although moves are left.
    const DRAWS: bool = false;

    /// Reads a position. The text has no further fields than those of the game.
    fn parse(text: &str) -> Result<Self, PositionError>;

    /// Appends the legal moves of a position that is not decided, always in the same order.
    fn moves(&self, list: &mut MoveList<Self::Move>);

    /// The position after a legal move.
    #[must_use]
    fn play(&self, m: Self::Move) -> Self;

    /// Whether White moves; otherwise Black does.
    fn white_to_move(&self) -> bool;

    /// The result for the side to move, if the last move ended the game.
    fn terminal_result(&self) -> Option<Outcome>;

    /// The result for a side to move that has no legal move.
    fn no_moves_result(&self) -> Outcome;

    /// What is on the squares, for games whose evaluation can be learned from patterns; see `plysmith fit`.
    fn grid(&self) -> Option<Grid> {
        None
    }

    /// This position, made ready for many evaluations by this heuristic of it and of positions that follow from it. It
    /// is equal to this one and has the same values. For games that keep parts of their evaluation from move to move.
    #[must_use]
    fn prepared(&self, _heuristic: Heuristic) -> Self {
        self.clone()
    }

    /// The evaluation for the side to move, by one of the heuristics of [`Game::PRESETS`].
    fn evaluate(&self, heuristic: Heuristic) -> Score;

    /// [`Game::evaluate`] with a cache for terms that many positions share, and with weights that were loaded at run time.
    /// Unless the game says otherwise, these are patterns of its [`Game::grid`].
    fn evaluate_with(&self, heuristic: Heuristic, _cache: &mut EvalTermCache) -> Score {
        match heuristic {
            Heuristic::BuiltIn(_) => self.evaluate(heuristic),
            Heuristic::Loaded(weights) => match fitting_patterns(self, weights) {
                Some((patterns, grid)) => Score::evaluation(patterns.evaluate(grid.own, grid.enemy)),
                None => self.evaluate(Self::PRESETS.handcrafted_heuristic),
            },
        }
    }

    /// What a search says of this legal move if it goes no deeper: the result for the side that moves if the game is over
    /// after it, at this height above the root, and the evaluation otherwise. Games override it where that needs no new
    /// position.
    #[inline(always)]
    fn value_after(&self, m: Self::Move, height: u32, heuristic: Heuristic, cache: &mut EvalTermCache) -> Score {
        let next = self.play(m);
        match next.terminal_result() {
            Some(outcome) => -Score::of(outcome, height),
            None if Self::DRAWS && next.is_drawn() => Score::EVEN,
            None => -next.evaluate_with(heuristic, cache),
        }
    }

    /// The evaluation function that this position is really evaluated with: another one if the weights of the one that is
    /// wanted are for boards of another size.
    fn heuristic_used(&self, wanted: Heuristic) -> Heuristic {
        match wanted {
            Heuristic::Loaded(weights) if self.grid().is_some() && fitting_patterns(self, weights).is_none() => {
                Self::PRESETS.handcrafted_heuristic
            }
            _ => wanted,
        }
    }

    /// The definition: whether this move of this position has the feature.
    fn has(&self, m: Self::Move, atom: Atom) -> bool;

    /// A set with all legal moves in it. It may hold more, where that is quicker to make; it is empty only if
    /// there is no legal move.
    fn all_moves(&self) -> Self::Set;

    /// All moves of this position that have the feature, computed together. Moves that are not legal may be
    /// in it or not.
    fn select(&self, atom: Atom) -> Self::Set;

    /// Equal for equal positions, and hardly ever equal otherwise; for the transposition table.
    fn key(&self) -> u64;

    /// The canonical text of a move.
    fn print_move(&self, m: Self::Move) -> String;

    /// The move as game records write it; [`Game::parse_move`] reads it as well.
    fn notation(&self, m: Self::Move) -> String {
        self.print_move(m)
    }

    /// A board drawn with letters, on it the move if one is given.
    fn draw(&self, m: Option<Self::Move>) -> String;

    /// The result that a rule of the game predicts for a position that is not decided, and within how many plies it can be
    /// forced.
    fn race_result(&self) -> Option<(Outcome, u32)> {
        None
    }

    /// Whether the game is a draw by rule although there may be moves left; repetition is the search's business.
    fn is_drawn(&self) -> bool {
        false
    }

    /// The number of last moves that can be undone by moving: no position before them can repeat.
    fn reversible_plies(&self) -> u32 {
        0
    }

    /// Whether the side to move is in check: if it passed, it would lose at once.
    fn in_check(&self) -> bool {
        false
    }

    /// Whether a legal move leaves the side to move in check. Never true where the rules forbid that.
    fn ignores_check(&self, _m: Self::Move) -> bool {
        false
    }

    /// Appends the quiet moves that give check.
    fn quiet_checks(&self, _list: &mut MoveList<Self::Move>) {}

    /// Whether there are so few pieces that zugzwang is likely: having to move may be what loses.
    fn has_few_pieces(&self) -> bool {
        false
    }

    /// The position after a pass, for null-move pruning; none where passing may be the best move.
    fn pass(&self) -> Option<Self> {
        None
    }

    /// Appends the tactical moves: legal moves that change the balance, such as captures. Those whose [`Game::gain`] is
    /// less than `least` may be left out, where that is faster.
    fn tactical_moves(&self, _least: i32, _list: &mut MoveList<Self::Move>) {}

    /// Appends all other legal moves.
    fn quiet_moves(&self, list: &mut MoveList<Self::Move>) {
        if !Self::TACTICAL {
            return self.moves(list);
        }
        let mut all = MoveList::new();
        self.moves(&mut all);
        list.extend(all.into_iter().filter(|&m| !self.is_tactical(m)));
    }

    /// Whether [`Game::tactical_moves`] has this legal move.
    fn is_tactical(&self, _m: Self::Move) -> bool {
        false
    }

    /// The material that a move wins if it is not recaptured, in units of the evaluation.
    fn gain(&self, _m: Self::Move) -> i32 {
        0
    }

    /// How early to try a tactical move: the higher the earlier.
    fn capture_order(&self, _m: Self::Move) -> u16 {
        0
    }

    /// Whether a move still wins at least this much after all captures on its square are made, each side
    /// with its least valuable man first.
    fn wins_exchange(&self, _m: Self::Move, _least: i32) -> bool {
        true
    }

    /// The number of legal moves of a position that is not decided. Games override it where counting is faster.
    fn count_moves(&self) -> usize {
        let mut list = MoveList::new();
        self.moves(&mut list);
        list.len()
    }

    /// The legal move with this code, if the game can find it without generating all moves.
    fn recall(&self, _code: u16) -> Option<Self::Move> {
        None
    }

    /// Whether a position that is not decided has a legal move. Games override it where that is faster.
    fn can_move(&self) -> bool {
        let mut list = MoveList::new();
        self.moves(&mut list);
        !list.is_empty()
    }

    /// The legal moves; none if the game is decided.
    fn legal_moves(&self) -> MoveList<Self::Move> {
        let mut list = MoveList::new();
        if self.terminal_result().is_none() {
            self.moves(&mut list);
        }
        list
    }

    /// Converts other spellings of a move to the one that [`Game::print_move`] prints.
    fn spelling(text: &str) -> Cow<'_, str> {
        Cow::Borrowed(text)
    }

    /// Reads a move.
    fn parse_move(&self, text: &str) -> Result<Self::Move, MoveError> {
        let list = self.legal_moves();
        let name = Self::spelling(text);
        list.iter().copied().find(|&m| self.print_move(m) == name).ok_or_else(|| MoveError {
            text: text.to_string(),
            legal: list.iter().map(|&m| self.print_move(m)).collect(),
            candidates: Vec::new(),
        })
    }
}

/// A move.
pub trait Move: Copy + Eq + Debug + Send + Sync + 'static {
    /// One more than the largest [`Move::code`].
    const CODES: usize;

    /// A small number, different for different moves of one position.
    fn code(self) -> u16;

    /// Its place in the history table; similar moves may share one.
    fn place(self) -> usize {
        usize::from(self.code())
    }
}

/// A set of moves of one position.
pub trait MoveSet<M>: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// Whether the move is in the set.
    fn contains(&self, m: M) -> bool;

    /// Whether nothing is in the set.
    fn is_empty(&self) -> bool;
}

/// A position that cannot be read, or that is not legal.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct PositionError {
    /// Where in the text, counted in characters from 0.
    pub offset: usize,
    /// What is wrong and what was expected.
    pub reason: String,
}

/// A move that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", self.message())]
pub struct MoveError {
    /// What was read.
    pub text: String,
    /// What would have been legal.
    pub legal: Vec<String>,
    /// The moves it may mean, where it may mean several.
    pub candidates: Vec<String>,
}

impl MoveError {
    fn message(&self) -> String {
        let text = &self.text;
        match (self.candidates.as_slice(), self.legal.first()) {
            ([first, .., last], _) => {
                let others = &self.candidates[1..self.candidates.len() - 1];
                let others: String = others.iter().map(|m| format!(", {m}")).collect();
                format!("'{text}' may be {first}{others} or {last}; say which")
            }
            (_, Some(m)) => format!("'{text}' is not a move here; expected something like '{m}'"),
            (_, None) => format!("'{text}' is not a move here; there is none, the game is over"),
        }
    }
}

/// What is on the board, and the patterns of these weights if they are for boards of this size.
#[inline]
fn fitting_patterns<G: Game>(position: &G, weights: LoadedWeights) -> Option<(&'static Patterns, Grid)> {
    let (patterns, grid) = (weights.tables::<Patterns>()?, position.grid()?);
    patterns.is_for(grid.columns, grid.rows).then_some((patterns, grid))
}

/// The number of positions after `depth` plies: the usual check of a move generator.
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.terminal_result().is_some() {
        return 0;
    }
    if depth == 1 {
        return position.count_moves() as u64;
    }
    let mut list = MoveList::new();
    position.moves(&mut list);
    list.iter().map(|&m| perft(&position.play(m), depth - 1)).sum()
}
