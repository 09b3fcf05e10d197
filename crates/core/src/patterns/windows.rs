//! The features of a linear evaluation: every pattern in every small window of a board.

use super::digits::{Digits, Shape};
use super::table::{Patterns, UNITS_PER_LOGIT};
use crate::grid::Grid;

/// The windows of a board size, 2×2 to 3×3 squares at every place, and the numbers of their patterns.
///
/// A feature is a pattern of empty, own and enemy squares in a window. A window and its mirror image on the other side
/// of the board share features, and so do a pattern and its mirror image in a window that is its own mirror image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Windows {
    columns: u32,
    rows: u32,
    /// The sizes of windows, each with its first feature. The largest is the last one.
    shapes: Vec<(Shape, u32)>,
    count: usize,
}

/// A table made of weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Folded {
    /// The table.
    pub patterns: Patterns,
    /// How many of its numbers were too large for 16 bits, and were replaced by the largest that fits.
    pub clamped: usize,
}

impl Windows {
    /// The windows of a board. On a board with fewer than three columns or rows, they are as large as it allows.
    ///
    /// # Panics
    ///
    /// If the board has not 1 to 8 columns and rows.
    pub fn of(columns: u32, rows: u32) -> Windows {
        assert!((1..=8).contains(&columns) && (1..=8).contains(&rows), "{columns}x{rows} is not a board");
        let mut shapes: Vec<(Shape, u32)> = Vec::new();
        let mut count = 0;
        for (width, height) in [(2, 2), (2, 3), (3, 2), (3, 3)] {
            let shape = Shape { width: width.min(columns), height: height.min(rows) };
            if shapes.iter().all(|(known, _)| *known != shape) {
                shapes.push((shape, count as u32));
                let places = (columns - shape.width + 1).div_ceil(2) * (rows - shape.height + 1);
                count += places as usize * shape.patterns();
            }
        }
        Windows { columns, rows, shapes, count }
    }

    /// The number of features. Some of them never occur: of a pattern and its mirror image in the middle, only one does.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Appends the features of a position: one for each window, in a fixed order. Two windows can have the same one.
    ///
    /// # Panics
    ///
    /// If the board has another size.
    pub fn features(&self, grid: &Grid, features: &mut Vec<u32>) {
        assert_eq!((grid.columns, grid.rows), (self.columns, self.rows), "a board of another size");
        let digits = Digits::of(grid.own, grid.enemy);
        for &(shape, first) in &self.shapes {
            let size = shape.patterns() as u32;
            let heights = self.rows - shape.height + 1;
            for column in 0..=self.columns - shape.width {
                let mirror = self.columns - shape.width - column;
                let first = first + column.min(mirror) * heights * size;
                let straight = digits.stack(column, shape);
                let mirrored = digits.mirrored_stack(column, shape);
                let feature = |row: u32, pattern: usize| first + row * size + pattern as u32;
                if column < mirror {
                    features.extend((0..heights).map(|row| feature(row, straight.pattern(row))));
                } else if column > mirror {
                    features.extend((0..heights).map(|row| feature(row, mirrored.pattern(row))));
                } else {
                    let canonical = |row: u32| straight.pattern(row).min(mirrored.pattern(row));
                    features.extend((0..heights).map(|row| feature(row, canonical(row))));
                }
            }
        }
    }

    /// The table of the largest windows that evaluates like these weights, given in logits for each feature.
    ///
    /// Every smaller window lies in a largest one, which takes over its weights. So a position needs one number for each
    /// of the largest windows and none for the others. Rounding happens once, after adding up.
    ///
    /// # Panics
    ///
    /// If the number of weights is not [`count`](Windows::count).
    pub fn fold(&self, weights: &[f32]) -> Folded {
        assert_eq!(weights.len(), self.count, "one weight for each feature");
        let largest = Shape::largest(self.columns, self.rows);
        let mut sums = vec![0.0; Patterns::count(self.columns, self.rows)];
        for &(shape, first) in &self.shapes {
            self.add_shape(shape, &weights[first as usize..], largest, &mut sums);
        }
        let mut clamped = 0;
        let mut round = |sum: f64| {
            let units = (UNITS_PER_LOGIT * sum).round();
            let most = f64::from(i16::MAX);
            clamped += usize::from(!(-most..=most).contains(&units));
            units.clamp(-most, most) as i16
        };
        let numbers = sums.into_iter().map(&mut round).collect();
        Folded { patterns: Patterns::new(self.columns, self.rows, numbers), clamped }
    }

    /// Adds the weights of all windows of a shape to the sums of the largest windows.
    ///
    /// Only windows in the left half and in the middle have weights, and only such largest windows have sums; the right
    /// half follows by mirroring.
    fn add_shape(&self, shape: Shape, weights: &[f32], largest: Shape, sums: &mut [f64]) {
        let (size, largest_size) = (shape.patterns(), largest.patterns());
        let (heights, largest_heights) = (self.rows - shape.height + 1, self.rows - largest.height + 1);
        for column in 0..=(self.columns - shape.width) / 2 {
            // The leftmost window that contains this one: it is never in the right half.
            let host_column = (column + shape.width).saturating_sub(largest.width);
            let is_middle = 2 * column == self.columns - shape.width;
            let is_host_middle = 2 * host_column == self.columns - largest.width;
            // A window in the middle can lie in two windows that mirror each other: each takes half of the weight.
            let share = if is_middle && !is_host_middle { 0.5 } else { 1.0 };
            // On three columns a window and its mirror image lie in the same window.
            let has_both = is_host_middle && !is_middle;
            for row in 0..heights {
                let host_row = (row + shape.height).saturating_sub(largest.height);
                let weights = &weights[(column * heights + row) as usize * size..][..size];
                let sums = &mut sums[(host_column * largest_heights + host_row) as usize * largest_size..];
                for (pattern, sum) in sums[..largest_size].iter_mut().enumerate() {
                    let weight = |pattern: usize| {
                        let part = largest.cut(pattern, shape, column - host_column, row - host_row);
                        let feature = if is_middle { part.min(shape.mirrored(part)) } else { part };
                        f64::from(weights[feature])
                    };
                    *sum += share * weight(pattern);
                    if has_both {
                        *sum += weight(largest.mirrored(pattern));
                    }
                }
            }
        }
    }
}
