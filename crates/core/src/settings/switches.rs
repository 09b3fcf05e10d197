//! Switches: techniques of the search that are on or off. Each is declared once, in the list at the end of this file.

use std::fmt;

/// A switch: its name, its documentation, and access to its field.
#[derive(Copy, Clone)]
pub struct Switch {
    /// The name on the command line, in the store and in reports.
    pub name: &'static str,
    /// What it switches on.
    pub doc: &'static str,
    /// Whether it is on.
    pub get: fn(&Switches) -> bool,
    /// Turns it on or off.
    pub set: fn(&mut Switches, bool),
}

impl fmt::Debug for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Declares every switch once: the field of [`Switches`], the question of [`Techniques`], its answers, and the line of
/// [`Switches::ALL`].
macro_rules! switches {
    ($($(#[doc = $doc:literal])+ $field:ident = $name:literal,)+) => {
        /// Which techniques a search uses, and the size of its transposition table.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        pub struct Switches {
            /// The transposition table's size in MiB; 0 for no table.
            pub table_mib: u32,
            $($(#[doc = $doc])+ pub $field: bool,)+
        }

        /// What a search asks about its techniques.
        ///
        /// The search is compiled twice: for [`Bare`], where every answer is a constant "no" and costs nothing, and for
        /// [`Switches`].
        pub trait Techniques: Copy {
            /// Whether any technique can be on.
            const ANY: bool;

            /// Keep results in a transposition table.
            fn table(&self) -> bool;
            $($(#[doc = $doc])+ fn $field(&self) -> bool;)+
        }

        impl Switches {
            /// Everything off.
            pub const NONE: Switches = Switches { table_mib: 0, $($field: false,)+ };

            /// Every switch, in the order in which settings print them.
            pub const ALL: &[Switch] = &[$(Switch {
                name: $name,
                doc: concat!($($doc),+),
                get: |switches| switches.$field,
                set: |switches, on| switches.$field = on,
            },)+];
        }

        impl Techniques for Bare {
            const ANY: bool = false;

            #[inline(always)]
            fn table(&self) -> bool {
                false
            }

            $(#[inline(always)]
            fn $field(&self) -> bool {
                false
            })+
        }

        impl Techniques for Switches {
            const ANY: bool = true;

            #[inline(always)]
            fn table(&self) -> bool {
                self.table_mib > 0
            }

            $(#[inline(always)]
            fn $field(&self) -> bool {
                self.$field
            })+
        }
    };
}

/// The papers' search: no technique at all.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Bare;

impl Switches {
    /// The largest transposition table in MiB.
    pub const MOST_TABLE_MIB: u32 = 65_536;
}

switches! {
    /// Principal-variation search: all moves but the first are searched with a null window first.
    null_window = "null-window",
    /// Killer moves: try moves early that caused a cutoff in a sibling position.
    killers = "killers",
    /// History heuristic: try moves early that caused cutoffs anywhere in the tree.
    history = "history",
    /// Null-move pruning: if even passing fails high, so will a move.
    null_move = "null-move",
    /// Late-move reductions: search late quiet moves less deep at first.
    reductions = "reductions",
    /// Futility pruning: skip moves and positions that the evaluation puts far outside the window.
    futility = "futility",
    /// Static exchange evaluation: try captures that lose material late, and in quiescence not at all.
    exchange = "exchange",
    /// Check evasions: search all replies to a check in quiescence, and nowhere moves that leave the opponent a win at once.
    evasions = "evasions",
    /// Score a repeated position as a draw.
    repetition = "repetition",
    /// Stop where a rule of the game predicts the result.
    foresight = "foresight",
    /// Aspiration windows: begin an iteration with a narrow window around the score of the one before.
    aspiration = "aspiration",
    /// Captures first: try tactical moves before quiet ones, and do not reduce or prune them as late moves.
    captures = "captures",
    /// Quiescence search: play tactical moves out before a position is evaluated.
    quiescence = "quiescence",
    /// Enhanced realization-probability search: reductions of a scheme spare early moves, and large ones are confirmed at an
    /// intermediate depth before the full one.
    erps = "erps",
    /// Quiet checks: neither skip nor reduce quiet moves that give check.
    checks = "checks",
    /// Quiet checks in quiescence: its first ply also tries quiet moves that give check.
    quiescence_checks = "quiescence-checks",
    /// Razoring: near the horizon, a position far below the window is left to quiescence search.
    razoring = "razoring",
    /// Limited razoring: three plies before the horizon, a position far below the window is searched a ply less deep.
    limited_razoring = "limited-razoring",
    /// Adaptive null-move pruning: depth and material, not the evaluation, decide how much depth a pass uses up.
    adaptive_null_move = "adaptive-null-move",
    /// Verified null-move pruning: where zugzwang is likely, or at great depth, a search without a pass must confirm it.
    verification = "verification",
    /// Multi-cut pruning: if several of the first moves fail high at reduced depth, one of them will at full depth.
    multi_cut = "multi-cut",
    /// Singular extensions: search the table's move deeper if no other move comes near its score.
    singular = "singular",
}
