//! Breakthrough (Dan Troyka, 2001): thesis section 4.1 and appendix A.
//!
//! | fact | |
//! | --- | --- |
//! | board | 8×8, or any size from 4×4 |
//! | men | two rows each |
//! | moves | one square straight or slanting ahead; captures only slanting, never forced |
//! | win | a man on the far row, or the opponent's last man captured |
//! | draws | none; a side with a man always has a move |
//! | text | `pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w`, as Fairy-Stockfish writes it |
//!
//! The side to move always plays upward: the board is turned around after every move. So there is
//! one move generator, one evaluation and one definition of each feature for both sides.

mod board;
mod exchange;
mod features;
mod heuristics;
mod moves;
mod position;
mod race;
mod text;

use std::borrow::Cow;

use crate::eval_terms::EvalTermCache;
use crate::feature::{Atom, Guidance, Vocabulary};
use crate::fingerprint::Fingerprints;
use crate::game::{Game, MoveList, PositionError};
use crate::games::any::AnyPosition;
use crate::games::info::{BundledGradedSuite, BundledSuite, GameInfo, Registered, Start, StartError};
use crate::generate::Goal;
use crate::grid::Grid;
use crate::outcome::Outcome;
use crate::score::Score;
use crate::settings::{Heuristic, Presets, Switches, Tunables};

pub use board::{AnySize, Standard};
use board::{FromSize, NOT_A, NOT_H};
pub use features::Destinations;
pub use heuristics::{ADVANCE, GUARDED, MATERIAL, PATTERNS};
pub use position::{Move, Position, Side};
pub use text::start;

/// Breakthrough's line in the table of games.
pub const INFO: GameInfo = GameInfo::of::<Position<Standard>>();

/// Classic is the papers' set-up: plain alpha-beta, the principal variation first, the rest shuffled.
pub const PRESETS: Presets = Presets {
    classic: Switches::NONE,
    modern: Switches {
        null_window: true,
        table_mib: 16,
        killers: true,
        history: true,
        null_move: true,
        reductions: true,
        futility: true,
        evasions: true,
        foresight: true,
        aspiration: true,
        captures: true,
        quiescence: true,
        checks: true,
        ..Switches::NONE
    },
    modern_tunables: Tunables::DEFAULT,
    heuristics: heuristics::NAMES,
    classic_heuristic: GUARDED,
    modern_heuristic: PATTERNS,
    handcrafted_heuristic: GUARDED,
};

impl Registered for Position<Standard> {
    const NAME: &'static str = "breakthrough";
    const POSITION_WORDS: usize = 2;
    const GOAL: Goal = Goal::ForcedWin { plies: 7 };
    const BENCH: &'static [&'static str] = &[
        "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w",
        "1p1pp1pp/pp3p1p/3p4/1p1P4/2P3P1/4P3/PP3P1P/P1PP2PP w",
        "p1p1pp1p/1pp2ppp/3p4/1P2P3/p4P2/2P4P/PP1P2P1/1P2P1PP b",
        "2p2p1p/pp4p1/2p1p3/3P2P1/1P2p3/P4P2/2P3PP/1P2P3 b",
    ];
    const GRADED: Option<BundledGradedSuite> = Some(BundledGradedSuite {
        name: "breakthrough.graded",
        text: include_str!("../../../data/breakthrough.graded"),
    });
    const CALIBRATION: Option<&'static str> = Some(include_str!("../../../data/breakthrough.calibration"));
    const SUITES: &'static [BundledSuite] = &[BundledSuite {
        name: "breakthrough-302",
        text: include_str!("../../../data/breakthrough-302.suite"),
        nodes: 500_000,
        quick_nodes: 200_000,
    }];

    fn start(start: &Start) -> Result<String, StartError> {
        let (columns, rows) = start.size.unwrap_or((8, 8));
        let first = if start.black_first { Side::Black } else { Side::White };
        text::start(columns, rows, first)
            .ok_or_else(|| StartError(format!("Breakthrough has no board of {columns}x{rows}; expected 4x4 to 8x8")))
    }

    /// Every board, with either side to begin.
    fn probes() -> Vec<String> {
        let sizes = (4..=8).flat_map(|columns| (4..=8).map(move |rows| (columns, rows)));
        let starts = sizes.flat_map(|(columns, rows)| {
            [Side::White, Side::Black].into_iter().filter_map(move |side| start(columns, rows, side))
        });
        let examples = features::VOCABULARY.moves.iter().take(features::PAPERS_ATOMS).map(|facts| facts.example.0);
        starts.chain(Self::BENCH.iter().copied().chain(examples).map(str::to_string)).collect()
    }

    fn fingerprints() -> &'static Fingerprints {
        static FINGERPRINTS: Fingerprints = Fingerprints::new();
        &FINGERPRINTS
    }

    fn embedded_weights(heuristic: Heuristic) -> Option<u64> {
        heuristics::embedded_key(heuristic)
    }

    /// The standard board has code of its own, all others share the general one.
    fn open(text: &str) -> Result<Box<dyn AnyPosition>, PositionError> {
        match Position::<Standard>::parse(text) {
            Ok(position) => Ok(Box::new(position)),
            Err(_) => Ok(Box::new(Position::<AnySize>::parse(text)?)),
        }
    }
}

impl<B: FromSize> Game for Position<B> {
    type Move = Move;
    type Set = Destinations;

    const VOCABULARY: Vocabulary = features::VOCABULARY;
    const GUIDANCE: Guidance = features::GUIDANCE;
    const PRESETS: Presets = PRESETS;
    const TACTICAL: bool = true;

    fn parse(text: &str) -> Result<Self, PositionError> {
        text::parse(text)
    }

    fn grid(&self) -> Option<Grid> {
        let (columns, rows) = (self.board.columns(), self.board.rows());
        Some(Grid { columns, rows, own: self.us, enemy: self.them })
    }

    #[inline(never)]
    fn moves(&self, list: &mut MoveList<Move>) {
        moves::generate(self, !0, list);
    }

    fn count_moves(&self) -> usize {
        moves::destinations(self).iter().map(|(destinations, _)| destinations.count_ones() as usize).sum()
    }

    fn recall(&self, code: u16) -> Option<Move> {
        moves::recall(self, code)
    }

    #[inline(always)]
    fn can_move(&self) -> bool {
        let straight = (self.us << 8) & !self.them;
        let aside = (self.us << 7) & NOT_H | (self.us << 9) & NOT_A;
        (straight | aside) & !self.us & self.board.squares() != 0
    }

    #[inline(always)]
    fn play(&self, m: Move) -> Self {
        let to = m.destination();
        Position {
            board: self.board,
            us: self.board.flip(self.them & !to),
            them: self.board.flip(self.us ^ m.squares()),
            last: self.board.flip(to),
            surplus: -(self.surplus + self.captures(m)),
            side: self.side.other(),
        }
    }

    fn white_to_move(&self) -> bool {
        self.side == Side::White
    }

    #[inline]
    fn terminal_result(&self) -> Option<Outcome> {
        // Only the opponent can have ended the game, for it moved last.
        let home_row = self.board.row(0);
        (self.them & home_row != 0 || self.us == 0).then_some(Outcome::Loss)
    }

    fn no_moves_result(&self) -> Outcome {
        Outcome::Loss
    }

    #[inline]
    fn race_result(&self) -> Option<(Outcome, u32)> {
        race::race_result(self)
    }

    /// Check is a man one step from its goal.
    #[inline(always)]
    fn in_check(&self) -> bool {
        self.them & self.board.row(1) != 0
    }

    #[inline]
    fn ignores_check(&self, m: Move) -> bool {
        exchange::ignores_check(self, m)
    }

    fn quiet_checks(&self, list: &mut MoveList<Move>) {
        exchange::generate_quiet_checks(self, list);
    }

    fn pass(&self) -> Option<Self> {
        Some(Position {
            board: self.board,
            us: self.board.flip(self.them),
            them: self.board.flip(self.us),
            last: 0,
            surplus: -self.surplus,
            side: self.side.other(),
        })
    }

    fn tactical_moves(&self, least: i32, list: &mut MoveList<Move>) {
        exchange::generate_tactical(self, least, list);
    }

    fn quiet_moves(&self, list: &mut MoveList<Move>) {
        exchange::generate_quiet(self, list);
    }

    #[inline]
    fn is_tactical(&self, m: Move) -> bool {
        exchange::is_tactical(self, m)
    }

    #[inline]
    fn gain(&self, m: Move) -> i32 {
        exchange::gain(self, m)
    }

    #[inline]
    fn capture_order(&self, m: Move) -> u16 {
        exchange::capture_order(self, m)
    }

    #[inline]
    fn wins_exchange(&self, m: Move, least: i32) -> bool {
        exchange::exchange(self, m) >= least
    }

    #[inline(always)]
    fn evaluate(&self, heuristic: Heuristic) -> Score {
        heuristics::evaluate(self, heuristic)
    }

    #[inline(always)]
    fn evaluate_with(&self, heuristic: Heuristic, _cache: &mut EvalTermCache) -> Score {
        heuristics::evaluate(self, heuristic)
    }

    #[inline(always)]
    fn value_after(&self, m: Move, height: u32, heuristic: Heuristic, _cache: &mut EvalTermCache) -> Score {
        let to = m.destination();
        if to & self.board.goal() != 0 || self.them & !to == 0 {
            return Score::of(Outcome::Win, height);
        }
        heuristics::value_after(self, m, heuristic)
    }

    fn heuristic_used(&self, wanted: Heuristic) -> Heuristic {
        heuristics::used(self, wanted)
    }

    fn has(&self, m: Move, atom: Atom) -> bool {
        features::has(self, m, atom)
    }

    #[inline]
    fn all_moves(&self) -> Destinations {
        features::all_moves(self)
    }

    #[inline]
    fn select(&self, atom: Atom) -> Destinations {
        features::select(self, atom)
    }

    #[inline]
    fn key(&self) -> u64 {
        // Who is White makes no difference to play, so positions that differ only in that share a key. So do
        // positions that differ only in the last move: with a table, `Rc` depends on the first path to the position.
        let mixed =
            self.us.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.them.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn print_move(&self, m: Move) -> String {
        format!("{}{}", self.square_name(m.from()), self.square_name(m.to()))
    }

    fn draw(&self, m: Option<Move>) -> String {
        text::draw(self, m)
    }

    fn spelling(text: &str) -> Cow<'_, str> {
        text::without_capture_sign(text)
    }
}
