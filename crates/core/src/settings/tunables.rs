//! Tunables: every judgement-call constant of the search, declared once with name, default, range, step and meaning, in
//! the list at the end of this file.
//!
//! A tunable can be written in a preset (`modern,LmrBase=350`), is an option of `plysmith engine` and a parameter of
//! `plysmith tune`. Depths are in thousandths of a ply, margins in units of the evaluation (hundredths of a pawn).

use std::fmt;

use crate::decimal::ONE;
use crate::parameter::Parameter;

/// A constant of the search that can be set and tuned.
#[derive(Copy, Clone)]
pub struct Tunable {
    /// Its name, as in a UCI option.
    pub name: &'static str,
    /// The value it has unless another is set.
    pub default: i32,
    /// The smallest value.
    pub min: i32,
    /// The largest value.
    pub max: i32,
    /// The smallest change that is worth measuring.
    pub step: i32,
    /// What it does.
    pub doc: &'static str,
    /// Its value.
    pub get: fn(&Tunables) -> i32,
    /// Sets its value. The caller has checked the range.
    pub set: fn(&mut Tunables, i32),
}

impl Tunable {
    /// The tunable of this name.
    pub fn find(name: &str) -> Option<&'static Tunable> {
        Tunables::ALL.iter().find(|tunable| tunable.name == name)
    }

    /// The tunables that a pattern names: a name, or the beginning of names followed by `*`.
    pub fn matching(pattern: &str) -> impl Iterator<Item = &'static Tunable> {
        let fits = move |tunable: &&Tunable| match pattern.strip_suffix('*') {
            Some(beginning) => tunable.name.starts_with(beginning),
            None => tunable.name == pattern,
        };
        Tunables::ALL.iter().filter(fits)
    }

    /// Whether it can be set to this value.
    pub fn allows(&self, value: i32) -> bool {
        (self.min..=self.max).contains(&value)
    }

    /// As a parameter to tune, which begins at this value. Parameters count in thousandths.
    pub fn parameter(&self, start: i32) -> Parameter {
        let thousandths = |value: i32| i64::from(value) * ONE;
        Parameter {
            name: self.name.to_string(),
            least: thousandths(self.min),
            most: thousandths(self.max),
            step: thousandths(self.step),
            start: thousandths(start),
        }
    }
}

impl fmt::Debug for Tunable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tunable { name, default, min, max, step, .. } = self;
        write!(f, "{name}={default} ({min} to {max} by {step})")
    }
}

/// Declares every tunable once: the field of [`Tunables`], its default, and the line of [`Tunables::ALL`].
macro_rules! tunables {
    ($($(#[doc = $doc:literal])+ $field:ident $name:literal = $default:literal, $min:literal..=$max:literal by $step:literal;)+) => {
        /// The values of all tunables.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        pub struct Tunables {
            $($(#[doc = $doc])+ pub $field: i32,)+
        }

        impl Tunables {
            /// Every tunable at its default.
            pub const DEFAULT: Tunables = Tunables { $($field: $default,)+ };

            /// Every tunable, in the order in which settings print them.
            pub const ALL: &[Tunable] = &[$(Tunable {
                name: $name,
                default: $default,
                min: $min,
                max: $max,
                step: $step,
                doc: concat!($($doc),+),
                get: |tunables| tunables.$field,
                set: |tunables, value| tunables.$field = value,
            },)+];
        }
    };
}

impl Default for Tunables {
    fn default() -> Tunables {
        Tunables::DEFAULT
    }
}

tunables! {
    /// Late-move reduction of any late move, in thousandths of a ply.
    lmr_base "LmrBase" = 300, 0..=2000 by 25;
    /// Late-move reduction for each doubling of the depth times each doubling of the move number, in thousandths of a
    /// ply.
    lmr_factor "LmrFactor" = 225, 0..=1000 by 25;
    /// Plies that must be left for a late-move reduction.
    lmr_min_depth "LmrMinDepth" = 3, 1..=10 by 1;
    /// Moves searched before the first late-move reduction, with a null window.
    lmr_min_moves "LmrMinMoves" = 3, 1..=20 by 1;
    /// Moves searched before the first late-move reduction, with an open window.
    lmr_min_moves_pv "LmrMinMovesPv" = 5, 1..=20 by 1;
    /// Late-move reduction that is taken back with an open window, in thousandths of a ply.
    lmr_pv "LmrPv" = 700, 0..=3000 by 50;
    /// Late-move reduction that is taken back for killers and moves that give check, in thousandths of a ply.
    lmr_sharp "LmrSharp" = 1000, 0..=3000 by 50;
    /// Late-move reduction that the best possible history takes back and the worst adds, in thousandths of a ply.
    lmr_history "LmrHistory" = 1000, 0..=4000 by 50;
    /// Depth that a move and its late-move reduction must leave together, in thousandths of a ply.
    lmr_keep "LmrKeep" = 2000, 1000..=5000 by 100;
    /// Realization-probability search: the constant C of FP = log P / log C, in thousandths. A smaller one makes
    /// improbable moves cheaper.
    rps_constant "RpsConstant" = 170, 10..=990 by 10;
    /// Realization-probability search: the least that a move costs, in thousandths of a ply.
    rps_least "RpsLeast" = 1000, 0..=4000 by 50;
    /// Realization-probability search: the most that a move costs, in thousandths of a ply.
    rps_most "RpsMost" = 3000, 1000..=16000 by 100;
    /// Reductions of a scheme: a move that costs more than this is searched again at this cost if it raises alpha, in
    /// thousandths of a ply.
    rps_threshold "RpsThreshold" = 1000, 500..=3000 by 50;
    /// Enhanced realization-probability search: this many moves of a node are never reduced by the scheme.
    erps_early_moves "ErpsEarlyMoves" = 5, 0..=30 by 1;
    /// Enhanced realization-probability search: a reduced move whose cost is on average with one ply above this is
    /// confirmed at that average before the full search, in thousandths of a ply.
    erps_intermediate "ErpsIntermediate" = 1500, 1000..=16000 by 50;
    /// Null move: depth used up at least, in thousandths of a ply.
    null_move_base "NullMoveBase" = 3000, 1000..=6000 by 100;
    /// Null move: one part in this many of the depth is used up in addition.
    null_move_divisor "NullMoveDivisor" = 4, 1..=20 by 1;
    /// Null move: depth used up in addition for each unit that the evaluation is above beta, in thousandths of a ply.
    null_move_eval "NullMoveEval" = 4, 0..=20 by 1;
    /// Null move: limit of what the evaluation adds, in thousandths of a ply.
    null_move_eval_limit "NullMoveEvalLimit" = 2500, 0..=6000 by 100;
    /// Null move: depth that must be left, in thousandths of a ply.
    null_move_min_depth "NullMoveMinDepth" = 2000, 1000..=6000 by 250;
    /// Adaptive null move: up to this depth a pass uses up three plies, beyond it four, in thousandths of a ply.
    adaptive_null_depth "AdaptiveNullDepth" = 6000, 0..=16000 by 250;
    /// Adaptive null move: the same depth in positions with few pieces, in thousandths of a ply.
    adaptive_null_sparse_depth "AdaptiveNullSparseDepth" = 8000, 0..=16000 by 250;
    /// Verified null move: depth that must be left for a verification, unless there are few pieces, in thousandths of a
    /// ply.
    verification_min_depth "VerificationMinDepth" = 12000, 1000..=32000 by 250;
    /// Verified null move: depth that the verification saves, in thousandths of a ply. It has a ply at least.
    verification_reduction "VerificationReduction" = 1000, 0..=8000 by 100;
    /// Razoring: up to this depth, in thousandths of a ply.
    razor_depth "RazorDepth" = 2000, 0..=8000 by 250;
    /// Razoring: margin below alpha for each ply left.
    razor_margin "RazorMargin" = 250, 10..=1000 by 10;
    /// Limited razoring: at this depth and less than a ply below it, in thousandths of a ply.
    limited_razor_depth "LimitedRazorDepth" = 3000, 2000..=8000 by 250;
    /// Limited razoring: margin below alpha.
    limited_razor_margin "LimitedRazorMargin" = 900, 50..=2000 by 50;
    /// Multi-cut pruning: depth that must be left, in thousandths of a ply.
    multi_cut_min_depth "MultiCutMinDepth" = 4000, 2000..=16000 by 250;
    /// Multi-cut pruning: depth that its searches save, in thousandths of a ply.
    multi_cut_reduction "MultiCutReduction" = 2000, 500..=8000 by 100;
    /// Multi-cut pruning: number of moves that are tried.
    multi_cut_moves "MultiCutMoves" = 6, 1..=30 by 1;
    /// Multi-cut pruning: number of them that must fail high.
    multi_cut_cutoffs "MultiCutCutoffs" = 3, 1..=10 by 1;
    /// Singular extensions: how much deeper a singular move is searched, in thousandths of a ply.
    singular_extension "SingularExtension" = 1000, 0..=2000 by 50;
    /// Singular extensions: depth that must be left, in thousandths of a ply.
    singular_min_depth "SingularMinDepth" = 5000, 2000..=16000 by 250;
    /// Singular extensions: how much less deep than the node the table's result may be, in thousandths of a ply.
    singular_table_depth "SingularTableDepth" = 3000, 0..=8000 by 250;
    /// Singular extensions: distance of the bound below the table's score for each ply left.
    singular_margin "SingularMargin" = 4, 0..=100 by 1;
    /// Futility pruning of moves and positions: up to this depth, in thousandths of a ply.
    futility_depth "FutilityDepth" = 7000, 0..=16000 by 250;
    /// Reverse futility pruning: margin above beta for each ply left.
    reverse_futility_margin "ReverseFutilityMargin" = 80, 10..=400 by 5;
    /// Futility pruning of quiet moves: margin below alpha.
    futility_base "FutilityBase" = 100, 0..=500 by 10;
    /// Futility pruning of quiet moves: margin below alpha in addition for each ply left.
    futility_margin "FutilityMargin" = 90, 0..=400 by 5;
    /// Late-move pruning: up to this depth, in thousandths of a ply.
    late_move_depth "LateMoveDepth" = 5000, 0..=16000 by 250;
    /// Late-move pruning: quiet moves are skipped after this number of moves.
    late_move_base "LateMoveBase" = 4, 1..=30 by 1;
    /// Late-move pruning: further moves for each ply left, squared, in hundredths of a move.
    late_move_factor "LateMoveFactor" = 100, 0..=500 by 10;
    /// Exchange pruning: captures that lose more than this for each ply left are skipped.
    exchange_margin "ExchangeMargin" = 100, 10..=400 by 10;
    /// Delta pruning in quiescence: a capture must bring the evaluation this close to alpha.
    delta_margin "DeltaMargin" = 149, 9..=600 by 10;
    /// Aspiration windows: iterations before the first.
    aspiration_from "AspirationFrom" = 4, 0..=20 by 1;
    /// Aspiration windows: distance of the first bounds from the score before.
    aspiration_window "AspirationWindow" = 20, 5..=200 by 5;
    /// Aspiration windows: growth after each failure, in hundredths.
    aspiration_growth "AspirationGrowth" = 300, 150..=1000 by 10;
    /// Aspiration windows: beyond this distance, the bound is dropped.
    aspiration_limit "AspirationLimit" = 500, 50..=2000 by 50;
    /// History heuristic: bonus for each ply of depth, squared.
    history_square "HistorySquare" = 16, 0..=64 by 1;
    /// History heuristic: bonus for each ply of depth.
    history_linear "HistoryLinear" = 128, 0..=512 by 8;
    /// History heuristic: largest bonus.
    history_bonus_limit "HistoryBonusLimit" = 1600, 100..=4000 by 100;
    /// History heuristic: value that no move exceeds.
    history_limit "HistoryLimit" = 16384, 4096..=16384 by 512;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Tunable, Tunables};

    #[test]
    fn every_tunable_is_consistent() {
        let mut names = HashSet::new();
        for tunable in Tunables::ALL {
            let name = tunable.name;
            assert!(names.insert(name) && name.chars().all(|c| c.is_ascii_alphanumeric()), "{name}");
            assert!(name.starts_with(|c: char| c.is_ascii_uppercase()), "{name} is written as a UCI option");
            assert!(tunable.allows(tunable.default) && tunable.min < tunable.max && tunable.step > 0, "{tunable:?}");
            assert_eq!((tunable.default - tunable.min) % tunable.step, 0, "{tunable:?}: the default is on a step");
            assert_eq!((tunable.get)(&Tunables::DEFAULT), tunable.default);
            assert!(tunable.doc.trim().ends_with('.'), "{name} is documented");
            let mut changed = Tunables::DEFAULT;
            (tunable.set)(&mut changed, tunable.max);
            assert_eq!((tunable.get)(&changed), tunable.max);
            let parameter = tunable.parameter(tunable.default);
            assert!(parameter.takes(parameter.start), "{name}");
        }
    }

    #[test]
    fn patterns_name_tunables() {
        let names = |pattern| Tunable::matching(pattern).map(|tunable| tunable.name).collect::<Vec<_>>();
        assert_eq!(names("LmrBase"), ["LmrBase"]);
        assert_eq!(names("Delta*"), ["DeltaMargin"]);
        assert!(names("Lmr*").len() > 5 && names("lmr*").is_empty());
        assert_eq!(names("*").len(), Tunables::ALL.len());
    }
}
