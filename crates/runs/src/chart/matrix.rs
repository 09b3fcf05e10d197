//! Which problem was solved with which feature, as a table of squares.

use std::cmp::Reverse;

use super::scene::{Anchor, Ink, Scene, Shape, shortened, width_of};

/// A table of squares.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    /// What it shows.
    pub title: String,
    /// What the rows are, such as features.
    pub rows: Vec<String>,
    /// What the columns are, such as problems.
    pub columns: Vec<String>,
    /// The squares, row by row.
    pub squares: Vec<Square>,
    /// Rows and columns that are left out, because there are too many.
    pub hidden: [usize; 2],
}

/// What is known of a problem with a feature.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Square {
    /// It was not solved.
    Failed,
    /// It was solved.
    Solved,
    /// It was not tried: the measurement stopped early.
    Untried,
    /// It is not scored, because an engine fails at it.
    Excluded,
}

/// No more rows and no more columns are kept.
pub const MOST: usize = 1_000;
/// No more rows and no more columns are drawn in a file.
const MOST_DRAWN: usize = 200;

impl Matrix {
    /// A table of squares, with the rows and the columns that have the most solved problems first.
    pub fn new(title: impl Into<String>, rows: Vec<(String, Vec<Square>)>, columns: &[String]) -> Matrix {
        let solved = |squares: &[Square]| squares.iter().filter(|square| **square == Square::Solved).count();
        let mut rows = rows;
        rows.sort_by_key(|(_, squares)| Reverse(solved(squares)));
        let hidden = [rows.len().saturating_sub(MOST), columns.len().saturating_sub(MOST)];
        rows.truncate(MOST);
        let mut by_column = vec![0_usize; columns.len()];
        for (_, squares) in &rows {
            let pairs = by_column.iter_mut().zip(squares);
            pairs.for_each(|(count, square)| *count += usize::from(*square == Square::Solved));
        }
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|place| Reverse(by_column[*place]));
        order.truncate(MOST);
        let at = |squares: &[Square], place: usize| squares.get(place).copied().unwrap_or(Square::Untried);
        let squares = rows.iter().flat_map(|(_, squares)| order.iter().map(move |place| at(squares, *place))).collect();
        let columns: Vec<String> = order.iter().map(|place| columns[*place].clone()).collect();
        Matrix { title: title.into(), rows: rows.into_iter().map(|(name, _)| name).collect(), columns, squares, hidden }
    }

    /// A square.
    pub fn square(&self, row: usize, column: usize) -> Square {
        let place = (column < self.columns.len()).then(|| row * self.columns.len() + column);
        place.and_then(|place| self.squares.get(place)).copied().unwrap_or(Square::Untried)
    }

    /// As a drawing; of a large table its beginning.
    pub fn scene(&self) -> Scene {
        let (rows, columns) = (self.rows.len().min(MOST_DRAWN), self.columns.len().min(MOST_DRAWN));
        let side = (640.0 / columns.max(1) as f64).clamp(3.0, 14.0);
        let has_names = side >= 8.0;
        let longest = self.rows.iter().take(rows).map(|name| width_of(&shortened(name, 24))).fold(0.0, f64::max);
        let left = if has_names { longest + 28.0 } else { 16.0 };
        let (top, side_y) = (48.0, side.min(14.0));
        let width = (left + side * columns as f64 + 16.0).max(width_of(&self.title) * 1.2 + 32.0);
        let mut scene = Scene::new(&self.title, width, top + side_y * rows as f64 + 40.0);
        scene.add(Shape::text([16.0, 22.0], Anchor::Start, &self.title).bold());
        for row in 0..rows {
            let y = top + side_y * row as f64;
            if has_names {
                scene.text([left - 6.0, y + side_y - 3.0], Anchor::End, shortened(&self.rows[row], 24));
            }
            self.draw_row(&mut scene, row, columns, [left, y], [side, side_y]);
        }
        let end = top + side_y * rows as f64 + 22.0;
        scene.add(Shape::text([16.0, end], Anchor::Start, self.caption(rows, columns)).fill(Ink::Muted));
        scene
    }

    /// The squares of a row, neighbours of one kind as one shape.
    fn draw_row(
        &self,
        scene: &mut Scene,
        row: usize,
        columns: usize,
        [left, top]: [f64; 2],
        [width, height]: [f64; 2],
    ) {
        let squares: Vec<Square> = (0..columns).map(|column| self.square(row, column)).collect();
        let mut first = 0;
        for group in squares.chunk_by(|one, other| one == other) {
            if let Some(ink) = group[0].ink() {
                let at = [left + width * first as f64, top];
                scene.add(Shape::rect(at, [width * group.len() as f64, height - 1.0]).fill(ink));
            }
            first += group.len();
        }
    }

    fn caption(&self, rows: usize, columns: usize) -> String {
        let all_rows = self.rows.len() + self.hidden[0];
        let all_columns = self.columns.len() + self.hidden[1];
        format!(
            "blue: solved, grey: not tried, orange: excluded; {rows} of {all_rows} rows, {columns} of {all_columns} columns"
        )
    }
}

impl Square {
    /// What it is drawn with; nothing if the problem was not solved.
    pub fn ink(self) -> Option<Ink> {
        match self {
            Square::Failed => None,
            Square::Solved => Some(Ink::Series(0)),
            Square::Untried => Some(Ink::Grid),
            Square::Excluded => Some(Ink::Series(4)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MOST, Matrix, Square};
    use crate::chart::scene::{Form, Ink};

    fn matrix(cells: &[Vec<usize>], columns: usize) -> Matrix {
        let kinds = [Square::Failed, Square::Solved, Square::Untried, Square::Excluded];
        let row = |(number, cells): (usize, &Vec<usize>)| {
            (format!("row {number}"), cells.iter().map(|&kind| kinds[kind]).collect())
        };
        let rows = cells.iter().enumerate().map(row).collect();
        Matrix::new("t", rows, &(0..columns).map(|column| format!("column {column}")).collect::<Vec<_>>())
    }

    proptest! {
        /// Sorting moves rows and columns, and changes no square.
        #[test]
        fn every_square_keeps_its_names(cells in prop::collection::vec(prop::collection::vec(0_usize..4, 7), 0..20)) {
            let sorted = matrix(&cells, 7);
            let number = |name: &str| name.split(' ').nth(1).unwrap().parse::<usize>().unwrap();
            let kinds = [Square::Failed, Square::Solved, Square::Untried, Square::Excluded];
            for (row, name) in sorted.rows.iter().enumerate() {
                for (column, other) in sorted.columns.iter().enumerate() {
                    prop_assert_eq!(sorted.square(row, column), kinds[cells[number(name)][number(other)]]);
                }
            }
            let solved = |row: usize| (0..7).filter(|column| sorted.square(row, *column) == Square::Solved).count();
            prop_assert!((1..sorted.rows.len()).all(|row| solved(row - 1) >= solved(row)));
            // What is drawn covers as many squares as are solved.
            let scene = sorted.scene();
            let blue = scene.shapes.iter().filter(|shape| shape.fill == Some(Ink::Series(0)));
            let width: f64 = blue.map(|shape| match shape.form { Form::Rect { size, .. } => size[0], _ => 0.0 }).sum();
            let count: usize = (0..sorted.rows.len()).map(solved).sum();
            prop_assert!((width - 14.0 * count as f64).abs() < 1e-6);
        }
    }

    #[test]
    fn large_tables_are_cut() {
        let cells = vec![vec![1; 3]; MOST + 2];
        let sorted = matrix(&cells, 3);
        assert_eq!((sorted.rows.len(), sorted.hidden), (MOST, [2, 0]));
        assert_eq!(sorted.square(0, 99), Square::Untried, "out of the table");
        assert!(sorted.scene().shapes.len() < 3 * 202);
    }
}
