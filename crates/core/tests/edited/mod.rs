//! A game of which one feature or the evaluation was edited, as if somebody had changed its source and built it again.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use plysmith_core::feature::{Atom, Vocabulary};
use plysmith_core::fingerprint::Fingerprints;
use plysmith_core::game::{Game, MoveList, PositionError};
use plysmith_core::games::{BundledSuite, Registered, Start, StartError};
use plysmith_core::generate::Goal;
use plysmith_core::move_set::CodeSet;
use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;
use plysmith_core::settings::{Heuristic, Presets};

/// What was edited.
pub trait Edit<G: Game>: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// Whether a move has the feature after the edit; `has` is the answer before.
    fn has(_position: &G, _m: G::Move, _name: &str, has: bool) -> bool {
        has
    }

    /// The evaluation after the edit.
    fn evaluate(_position: &G, score: Score) -> Score {
        score
    }
}

/// The game after the edit; `WORDS` is `words_for` its number of move codes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edited<G, E, const WORDS: usize>(G, PhantomData<E>);

impl<G: Game, E: Edit<G>, const WORDS: usize> Game for Edited<G, E, WORDS> {
    type Move = G::Move;
    type Set = CodeSet<WORDS>;

    const VOCABULARY: Vocabulary = G::VOCABULARY;
    const PRESETS: Presets = G::PRESETS;
    const TACTICAL: bool = G::TACTICAL;
    const DRAWS: bool = G::DRAWS;

    fn parse(text: &str) -> Result<Self, PositionError> {
        G::parse(text).map(|position| Edited(position, PhantomData))
    }

    fn moves(&self, list: &mut MoveList<G::Move>) {
        self.0.moves(list);
    }

    fn play(&self, m: G::Move) -> Self {
        Edited(self.0.play(m), PhantomData)
    }

    fn white_to_move(&self) -> bool {
        self.0.white_to_move()
    }

    fn terminal_result(&self) -> Option<Outcome> {
        self.0.terminal_result()
    }

    fn no_moves_result(&self) -> Outcome {
        self.0.no_moves_result()
    }

    fn evaluate(&self, heuristic: Heuristic) -> Score {
        E::evaluate(&self.0, self.0.evaluate(heuristic))
    }

    fn has(&self, m: G::Move, atom: Atom) -> bool {
        E::has(&self.0, m, G::VOCABULARY.facts(atom).name, self.0.has(m, atom))
    }

    fn all_moves(&self) -> Self::Set {
        CodeSet::all_moves(self)
    }

    fn select(&self, atom: Atom) -> Self::Set {
        CodeSet::select(self, atom)
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn print_move(&self, m: G::Move) -> String {
        self.0.print_move(m)
    }

    fn draw(&self, m: Option<G::Move>) -> String {
        self.0.draw(m)
    }

    fn is_drawn(&self) -> bool {
        self.0.is_drawn()
    }

    fn reversible_plies(&self) -> u32 {
        self.0.reversible_plies()
    }

    fn in_check(&self) -> bool {
        self.0.in_check()
    }

    fn tactical_moves(&self, least: i32, list: &mut MoveList<G::Move>) {
        self.0.tactical_moves(least, list);
    }

    fn is_tactical(&self, m: G::Move) -> bool {
        self.0.is_tactical(m)
    }

    fn spelling(text: &str) -> Cow<'_, str> {
        G::spelling(text)
    }
}

/// It has the name of the game that was edited.
impl<G: Registered, E: Edit<G>, const WORDS: usize> Registered for Edited<G, E, WORDS> {
    const NAME: &'static str = G::NAME;
    const POSITION_WORDS: usize = G::POSITION_WORDS;
    const GOAL: Goal = G::GOAL;
    const BENCH: &'static [&'static str] = G::BENCH;
    const SUITES: &'static [BundledSuite] = G::SUITES;

    fn start(start: &Start) -> Result<String, StartError> {
        G::start(start)
    }

    fn probes() -> Vec<String> {
        G::probes()
    }

    /// New ones every time: all edits would share a static.
    fn fingerprints() -> &'static Fingerprints {
        Box::leak(Box::new(Fingerprints::new()))
    }

    fn embedded_weights(heuristic: Heuristic) -> Option<u64> {
        G::embedded_weights(heuristic)
    }
}

impl<G: Game, E, const WORDS: usize> fmt::Display for Edited<G, E, WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
