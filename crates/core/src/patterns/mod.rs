//! Evaluations over board patterns: what every small window of the board holds, added up.
//!
//! The evaluation is linear in features that are conjunctions of "this square is empty, own or enemy" (GLEM: Buro 1999,
//! thesis section 2.3). [`Windows`] numbers the features of a board size; a fit finds a weight for each of them; and
//! [`Windows::fold`] makes a table of integers, [`Patterns`], that a search can afford to evaluate with.
//!
//! ```
//! use plysmith_core::grid::Grid;
//! use plysmith_core::patterns::Windows;
//!
//! let windows = Windows::of(4, 4);
//! let position = Grid { columns: 4, rows: 4, own: 0x0000_0203, enemy: 0x0a00_0000 };
//! let mut features = Vec::new();
//! windows.features(&position, &mut features);
//! assert_eq!(features.len(), 9 + 6 + 6 + 4); // 2×2, 2×3, 3×2, 3×3
//!
//! // A feature with half a logit is worth 50 units.
//! let mut weights = vec![0.0; windows.count()];
//! weights[features[0] as usize] = 0.5;
//! let patterns = windows.fold(&weights).patterns;
//! assert_eq!(patterns.evaluate(position.own, position.enemy), 50);
//! ```

mod digits;
mod table;
mod windows;

pub use table::Patterns;
pub use windows::{Folded, Windows};
