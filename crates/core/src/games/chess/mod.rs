//! Chess: thesis section 4.2. The rules come from cozy-chess; here is what Plysmith asks of a game.
//!
//! | fact | |
//! | --- | --- |
//! | board | 8×8; chess, and Chess960, which differs in where castling begins and how it is written |
//! | draws | stalemate, fifty moves, dead material; repetition is the search's and the arena's business |
//! | text | FEN with six fields; four are enough to read one, as in EPD. Chess960 has the files of its rooks (`HAha`) |
//! | moves | `e2e4`, `e1g1`, `e7e8q` (UCI) are canonical; SAN is read as well. In Chess960 the king takes its own rook: `e1h1` |
//!
//! | file | what |
//! | --- | --- |
//! | `position` | the position type |
//! | `text` | FEN and drawn boards |
//! | `san` | SAN and other notations of moves |
//! | `moves` | the move type, and the bridge to cozy-chess |
//! | `chess960` | the start positions of Chess960, and positions of chess read as its |
//! | `checks` | quiet moves that give check |
//! | `exchange` | what a series of captures on one square wins |
//! | `evaluation` | material, piece squares, mobility, pawns, king safety; `data/chess.weights` has the numbers, `data/chess-classic.weights` those of `classic` |
//! | `fitting` | what `plysmith fit chess` needs to find the weights |
//! | `features` | Table 4.6 and more: `vocabulary` says what, `select` finds all moves together |

mod checks;
pub mod chess960;
mod evaluation;
mod exchange;
mod features;
pub mod fitting;
mod moves;
mod position;
mod san;
mod text;

use std::borrow::Cow;

use cozy_chess::{Board, Color, Piece};

use crate::eval_terms::EvalTermCache;
use crate::feature::{Atom, Guidance, Vocabulary};
use crate::fingerprint::Fingerprints;
use crate::game::{Game, MoveError, MoveList, PositionError};
use crate::games::info::{BundledGradedSuite, BundledSuite, GameInfo, Registered, Start, StartError};
use crate::generate::Goal;
use crate::outcome::Outcome;
use crate::score::Score;
use crate::settings::{Heuristic, Presets, Switches, Tunables};
use crate::training::{Adjudication, QuietRule, TermFit, TrainingRules};
use crate::weights::{self, WeightFile, WeightFileError};

use evaluation::tables::Tables;
pub use evaluation::{LEARNED, MATERIAL, TUNED};
pub use features::Moves;
use moves::Castling;
pub use moves::Move;
use position::LastMove;
pub use position::Position;

/// Chess's line in the table of games.
pub const INFO: GameInfo = GameInfo::of::<Position>();

/// Classic is what the thesis left on in its engine: the quiescence search, and an order of moves that makes seven plies of
/// a million nodes.
pub const PRESETS: Presets = Presets {
    classic: Switches { killers: true, history: true, captures: true, quiescence: true, ..Switches::NONE },
    modern: Switches {
        null_window: true,
        table_mib: 16,
        killers: true,
        history: true,
        null_move: true,
        reductions: true,
        futility: true,
        exchange: true,
        evasions: true,
        repetition: true,
        aspiration: true,
        captures: true,
        quiescence: true,
        checks: true,
        ..Switches::NONE
    },
    modern_tunables: Tunables::DEFAULT,
    heuristics: evaluation::NAMES,
    classic_heuristic: TUNED,
    modern_heuristic: LEARNED,
    handcrafted_heuristic: MATERIAL,
};

impl Registered for Position {
    const NAME: &'static str = "chess";
    const POSITION_WORDS: usize = 4;
    const GOAL: Goal = Goal::Tactic { margin: 200, nodes: 100_000 };
    const BENCH: &'static [&'static str] = &[
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r1bq1rk1/pp2bppp/2n1pn2/2pp4/2PP4/1PN1PN2/PB3PPP/R2QKB1R w KQ - 0 9",
        "r4rk1/1p2qppp/p1nb1n2/3p4/3P2b1/2PB1N2/PPQN1PPP/R1B1R1K1 b - - 5 14",
        "8/1p3pk1/p3r1p1/2p4p/P1P2P1P/1P2R1P1/6K1/8 w - - 0 34",
    ];
    const SUITES: &'static [BundledSuite] = &[
        mates("chess-mates-120", include_str!("../../../data/chess-mates-120.suite")),
        mates(TRAINING_MATES, include_str!("../../../data/chess-mates-training-100.suite")),
        mates(HELD_OUT_MATES, include_str!("../../../data/chess-mates-held-out-50.suite")),
    ];
    /// Scores are hundredths of a pawn.
    /// Checks, recaptures, single replies and promotions: the extensions of Fruit, the thesis's engine, as far as we have them.
    const KNOWN_EXTENSIONS: &'static str = "AcK,Rc,Fr,Pr";
    const TERMS: Option<TermFit> = Some(fitting::TERMS);
    const GRADED: Option<BundledGradedSuite> =
        Some(BundledGradedSuite { name: "chess.graded", text: include_str!("../../../data/chess.graded") });
    const CALIBRATION: Option<&'static str> = Some(include_str!("../../../data/chess.calibration"));
    /// As published engines and `plysmith fit chess` find it, about.
    const UNITS_PER_LOGIT: i32 = 200;
    const TRAINING: TrainingRules = TrainingRules {
        least_plies: 8,
        most_plies: 9,
        fair: Some(250),
        adjudication: Some(Adjudication {
            decisive: 1_000,
            decisive_plies: 5,
            level: 8,
            level_plies: 16,
            level_after: 80,
        }),
        quiet: Some(QuietRule { unsettled: 6, decisive: 1_000 }),
    };

    fn start(start: &Start) -> Result<String, StartError> {
        match start {
            Start { size: None, black_first: false } => Ok(Position::from(Board::default()).to_string()),
            Start { size: Some(_), .. } => {
                Err(StartError("a chess board has one size; leave the size out".to_string()))
            }
            _ => Err(StartError("White begins in chess; leave out who moves first".to_string())),
        }
    }

    fn probes() -> Vec<String> {
        let examples = features::VOCABULARY.moves.iter().map(|facts| facts.example.0);
        let mut probes: Vec<String> =
            Self::BENCH.iter().chain(PROBES).copied().chain(examples).map(str::to_string).collect();
        probes.sort();
        probes.dedup();
        probes
    }

    fn fingerprints() -> &'static Fingerprints {
        static FINGERPRINTS: Fingerprints = Fingerprints::new();
        &FINGERPRINTS
    }

    fn embedded_weights(heuristic: Heuristic) -> Option<u64> {
        fitting::embedded_file(heuristic).map(|file| file.key())
    }

    fn load_weights(file: &WeightFile) -> Result<weights::Tables, WeightFileError> {
        Tables::load(file).map(weights::Tables::new)
    }

    fn describe_weights(file: &WeightFile) -> Option<String> {
        fitting::print(file).ok()
    }
}

/// Positions with moves that hardly ever occur in random games, for the fingerprints of features.
pub const PROBES: &[&str] = &[
    // The usual perft positions: castling, en passant, promotions, pins.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    // Castling gives check on a file, and along the first rank.
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
    "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
    "8/8/8/8/8/8/8/2k1K2R w K - 0 1",
    "r3k1K1/8/8/8/8/8/8/8 b q - 0 1",
    // En passant opens a rank, the line of the capturer, the line of the captured.
    "8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1",
    "7k/8/8/3pP3/8/2B5/8/4K3 w - d6 0 1",
    "6k1/8/8/3pP3/8/8/B7/4K3 w - d6 0 1",
    "4k3/b7/8/8/3Pp3/8/8/6K1 b - d3 0 1",
    // Promotions that give check straight, by discovery, or both; double checks; queens on the lines of others.
    "3n4/R3P2k/8/8/8/8/8/4K3 w - - 0 1",
    "2r4k/1P1P4/8/8/4R3/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/4N3/8/4R3/4K3 w - - 0 1",
    "3qk3/8/8/q2Q2Q1/8/3r4/8/3bK3 w - - 0 1",
    "1q2k3/1r6/8/1Q1B1b2/8/4N3/r7/4R1K1 b - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/QQQRKRBB w - - 0 1",
];

/// The bundled suite of mates that programs are evolved on.
pub const TRAINING_MATES: &str = "training";
/// The bundled suite of mates that no program was evolved on.
pub const HELD_OUT_MATES: &str = "held-out";

/// A suite of mates.
const fn mates(name: &'static str, text: &'static str) -> BundledSuite {
    BundledSuite { name, text, nodes: 50_000, quick_nodes: 20_000 }
}

impl Game for Position {
    type Move = Move;
    type Set = Moves;

    const VOCABULARY: Vocabulary = features::VOCABULARY;
    const GUIDANCE: Guidance = features::GUIDANCE;
    const PRESETS: Presets = PRESETS;
    const TACTICAL: bool = true;
    const DRAWS: bool = true;

    fn parse(text: &str) -> Result<Self, PositionError> {
        text::parse(text).map(|(board, castling)| Position::with_castling(board, castling))
    }

    fn moves(&self, list: &mut MoveList<Move>) {
        moves::generate(&self.board, self.castling, list);
    }

    fn can_move(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    fn play(&self, m: Move) -> Self {
        let mut board = self.board.clone();
        board.play_unchecked(m.for_cozy());
        let placement = self.placement.after(&self.board, m);
        // Nobody castles for ever: then it is chess, and has its texts.
        let is_chess = self.castling == Castling::Standard || !position::may_castle(&board);
        let castling = if is_chess { Castling::Standard } else { Castling::Chess960 };
        let last = LastMove { piece: m.piece, to: m.lands(), was_capture: m.captured.is_some() };
        Position { board, last: Some(last), placement, castling }
    }

    fn white_to_move(&self) -> bool {
        self.board.side_to_move() == Color::White
    }

    fn terminal_result(&self) -> Option<Outcome> {
        None
    }

    fn no_moves_result(&self) -> Outcome {
        if self.board.checkers().is_empty() { Outcome::Draw } else { Outcome::Loss }
    }

    fn prepared(&self, heuristic: Heuristic) -> Self {
        let placement = self.placement.with_tables(Tables::of(heuristic), &self.board);
        Position { placement, ..self.clone() }
    }

    fn evaluate(&self, heuristic: Heuristic) -> Score {
        self.evaluate_with(heuristic, &mut EvalTermCache::default())
    }

    fn evaluate_with(&self, heuristic: Heuristic, cache: &mut EvalTermCache) -> Score {
        evaluation::evaluate(&self.board, &self.placement, heuristic, cache)
    }

    fn has(&self, m: Move, atom: Atom) -> bool {
        features::has(self, m, atom)
    }

    fn all_moves(&self) -> Moves {
        features::all_moves()
    }

    fn select(&self, atom: Atom) -> Moves {
        features::select(self, atom)
    }

    fn key(&self) -> u64 {
        // cozy-chess sets an en-passant square after every double step; it counts only where it can be used.
        if moves::can_capture_en_passant(&self.board) { self.board.hash() } else { self.board.hash_without_ep() }
    }

    fn is_drawn(&self) -> bool {
        // Mate comes before the fifty-move rule.
        let board = &self.board;
        let worn_out = board.halfmove_clock() >= 100;
        (worn_out && (board.checkers().is_empty() || !self.legal_moves().is_empty())) || is_dead(board)
    }

    fn reversible_plies(&self) -> u32 {
        u32::from(self.board.halfmove_clock())
    }

    fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    fn quiet_checks(&self, list: &mut MoveList<Move>) {
        checks::generate_quiet_checks(&self.board, self.castling, list);
    }

    fn has_few_pieces(&self) -> bool {
        let men = self.board.pieces(Piece::King) | self.board.pieces(Piece::Pawn);
        Color::ALL.iter().all(|&side| (self.board.colors(side) - men).len() < 3)
    }

    fn pass(&self) -> Option<Self> {
        // With pawns alone, having to move is often what loses.
        let side = self.board.side_to_move();
        let men = self.board.pieces(Piece::King) | self.board.pieces(Piece::Pawn);
        if self.board.colors(side).is_subset(men) {
            return None;
        }
        Some(Position { board: self.board.null_move()?, last: None, ..*self })
    }

    fn tactical_moves(&self, least: i32, list: &mut MoveList<Move>) {
        moves::generate_tactical(&self.board, exchange::victims(&self.board, least), list);
    }

    fn quiet_moves(&self, list: &mut MoveList<Move>) {
        moves::generate_quiet(&self.board, self.castling, list);
    }

    #[inline]
    fn is_tactical(&self, m: Move) -> bool {
        m.captured.is_some() || m.promotion == Some(Piece::Queen)
    }

    fn count_moves(&self) -> usize {
        let mut count = 0;
        self.board.generate_moves(|moves| {
            count += moves.len();
            false
        });
        count
    }

    fn recall(&self, code: u16) -> Option<Move> {
        moves::recall(&self.board, self.castling, code)
    }

    fn gain(&self, m: Move) -> i32 {
        exchange::gain(m)
    }

    #[inline]
    fn capture_order(&self, m: Move) -> u16 {
        exchange::capture_order(m)
    }

    fn wins_exchange(&self, m: Move, least: i32) -> bool {
        exchange::wins(&self.board, m, least)
    }

    fn print_move(&self, m: Move) -> String {
        m.to_string()
    }

    fn notation(&self, m: Move) -> String {
        san::print(&self.board, m)
    }

    fn draw(&self, m: Option<Move>) -> String {
        text::draw(&self.board, m)
    }

    fn spelling(text: &str) -> Cow<'_, str> {
        Cow::Borrowed(text)
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        san::parse(self, text)
    }
}

/// Whether neither side can ever mate: a king and at most one minor piece in all.
fn is_dead(board: &Board) -> bool {
    let minor = board.pieces(Piece::Knight) | board.pieces(Piece::Bishop);
    board.occupied().len() <= 3 && (board.occupied() ^ board.pieces(Piece::King)).is_subset(minor)
}
