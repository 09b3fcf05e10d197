//! Pattern evaluations against a program that reads one square after the other.

use std::collections::HashMap;

use plysmith_core::grid::Grid;
use plysmith_core::patterns::{Patterns, Windows};
use plysmith_core::random::Random;

const SIZES: [(u32, u32); 9] = [(8, 8), (4, 4), (5, 6), (6, 5), (7, 8), (3, 3), (2, 5), (8, 1), (1, 1)];

/// What a square holds: 0 nothing, 1 an own man, 2 an enemy man.
type Squares = Vec<Vec<usize>>;

/// A window at a place: its column, row, width and height.
type Window = (usize, usize, usize, usize);

fn random_squares(random: &mut Random, columns: u32, rows: u32) -> Squares {
    // Some boards are nearly empty, some are full.
    let empty = random.below(10);
    let square = |random: &mut Random| if random.below(10) < empty { 0 } else { random.below(3) };
    (0..rows).map(|_| (0..columns).map(|_| square(random)).collect()).collect()
}

fn mirrored(squares: &Squares) -> Squares {
    squares.iter().map(|row| row.iter().rev().copied().collect()).collect()
}

fn grid(squares: &Squares) -> Grid {
    let men = |side: usize| {
        let bits = squares.iter().enumerate().flat_map(|(row, line)| {
            line.iter().enumerate().map(move |(column, square)| u64::from(*square == side) << (8 * row + column))
        });
        bits.sum()
    };
    Grid { columns: squares[0].len() as u32, rows: squares.len() as u32, own: men(1), enemy: men(2) }
}

/// All windows, in the order of [`Windows::features`].
fn windows_of(columns: u32, rows: u32) -> Vec<Window> {
    let (columns, rows) = (columns as usize, rows as usize);
    let mut windows = Vec::new();
    for (width, height) in [(2, 2), (2, 3), (3, 2), (3, 3)] {
        let (width, height) = (width.min(columns), height.min(rows));
        for column in 0..=columns - width {
            for row in 0..=rows - height {
                windows.push((column, row, width, height));
            }
        }
    }
    let mut seen = Vec::new();
    windows.retain(|window| {
        !seen.contains(window) && {
            seen.push(*window);
            true
        }
    });
    windows
}

fn pattern(squares: &Squares, (column, row, width, height): Window) -> Vec<usize> {
    squares[row..row + height].iter().flat_map(|line| line[column..column + width].to_vec()).collect()
}

/// A feature by its definition: the window and what is in it, here or in a mirror, whichever comes first.
fn definition(squares: &Squares, window: Window) -> (Window, Vec<usize>) {
    let (column, row, width, height) = window;
    let image = (squares[0].len() - width - column, row, width, height);
    let here = (window, pattern(squares, window));
    let there = (image, pattern(&mirrored(squares), image));
    here.min(there)
}

fn features(windows: &Windows, squares: &Squares) -> Vec<u32> {
    let mut features = Vec::new();
    windows.features(&grid(squares), &mut features);
    features
}

/// The value of a position by the numbers of its table, clamped as documented.
fn slow_value(numbers: &[i16], squares: &Squares) -> i32 {
    let (columns, rows) = (squares[0].len(), squares.len());
    let (width, height) = (columns.min(3), rows.min(3));
    let patterns = 3_usize.pow((width * height) as u32);
    let mut sum = 0;
    for column in 0..=columns - width {
        let image = columns - width - column;
        let board = if column <= image { squares.clone() } else { mirrored(squares) };
        for row in 0..=rows - height {
            let place = column.min(image) * (rows - height + 1) + row;
            let digits = pattern(&board, (column.min(image), row, width, height));
            let number = digits.iter().rev().fold(0, |number, digit| 3 * number + digit);
            sum += i32::from(numbers[place * patterns + number]);
        }
    }
    sum.clamp(-9_999, 9_999)
}

fn evaluate(patterns: &Patterns, squares: &Squares) -> i32 {
    let Grid { own, enemy, .. } = grid(squares);
    patterns.evaluate(own, enemy)
}

#[test]
fn features_are_the_patterns_of_all_windows_up_to_mirroring() {
    for (columns, rows) in SIZES {
        let windows = Windows::of(columns, rows);
        let places = windows_of(columns, rows);
        let mut random = Random::for_purpose(1, &format!("features {columns}x{rows}"));
        let (mut numbers, mut definitions) = (HashMap::new(), HashMap::new());
        for _ in 0..300 {
            let squares = random_squares(&mut random, columns, rows);
            let found = features(&windows, &squares);
            assert_eq!(found.len(), places.len());
            for (&window, &feature) in places.iter().zip(&found) {
                assert!((feature as usize) < windows.count());
                let definition = definition(&squares, window);
                assert_eq!(*numbers.entry(definition.clone()).or_insert(feature), feature, "{definition:?}");
                assert_eq!(*definitions.entry(feature).or_insert(definition.clone()), definition);
            }
            let sorted = |mut features: Vec<u32>| {
                features.sort_unstable();
                features
            };
            assert_eq!(sorted(found), sorted(features(&windows, &mirrored(&squares))));
        }
    }
}

#[test]
fn the_standard_board_has_169_windows_and_708_kilobytes() {
    let windows = Windows::of(8, 8);
    assert_eq!(windows_of(8, 8).len(), 49 + 42 + 42 + 36);
    assert_eq!(windows.count(), 4 * 7 * 81 + 4 * 6 * 729 + 3 * 7 * 729 + 18 * 19_683);
    assert_eq!(Patterns::count(8, 8), 18 * 19_683);
}

#[test]
fn a_table_evaluates_as_square_by_square() {
    for (columns, rows) in SIZES {
        let mut random = Random::for_purpose(2, &format!("table {columns}x{rows}"));
        let numbers: Vec<i16> = (0..Patterns::count(columns, rows)).map(|_| random.below(2001) as i16 - 1000).collect();
        let patterns = Patterns::from_numbers(columns, rows, &numbers).unwrap();
        assert_eq!(patterns.numbers(), numbers);
        assert_eq!(patterns.size(), (columns, rows));
        for _ in 0..500 {
            let squares = random_squares(&mut random, columns, rows);
            assert_eq!(evaluate(&patterns, &squares), slow_value(&numbers, &squares), "{columns}x{rows}");
        }
    }
}

#[test]
fn a_folded_table_evaluates_as_the_weights_of_all_windows() {
    for (columns, rows) in SIZES {
        let windows = Windows::of(columns, rows);
        let mut random = Random::for_purpose(3, &format!("fold {columns}x{rows}"));
        // Half a weight is a whole number of units, so nothing is lost by rounding.
        let units: Vec<i32> = (0..windows.count()).map(|_| 2 * (random.below(101) as i32 - 50)).collect();
        let weights: Vec<f32> = units.iter().map(|units| *units as f32 / 100.0).collect();
        let folded = windows.fold(&weights);
        assert_eq!(folded.clamped, 0);
        for _ in 0..300 {
            let squares = random_squares(&mut random, columns, rows);
            let sum: i32 = features(&windows, &squares).iter().map(|feature| units[*feature as usize]).sum();
            assert_eq!(evaluate(&folded.patterns, &squares), sum, "{columns}x{rows}");
            assert_eq!(evaluate(&folded.patterns, &mirrored(&squares)), sum, "{columns}x{rows}, mirrored");
        }
    }
}

#[test]
fn folding_rounds_once_for_each_of_the_largest_windows() {
    let windows = Windows::of(8, 8);
    let mut random = Random::new(4);
    let weights: Vec<f32> = (0..windows.count()).map(|_| (random.below(20_001) as f32 - 10_000.0) / 30_000.0).collect();
    let patterns = windows.fold(&weights).patterns;
    for _ in 0..300 {
        let squares = random_squares(&mut random, 8, 8);
        let features = features(&windows, &squares);
        let sum: f64 = features.iter().map(|feature| 100.0 * f64::from(weights[*feature as usize])).sum();
        let difference = (f64::from(evaluate(&patterns, &squares)) - sum).abs();
        assert!(difference <= 36.0 * 0.5 + 0.001, "{difference}");
    }
}

#[test]
fn numbers_and_evaluations_that_are_too_large_are_clamped() {
    let windows = Windows::of(8, 8);
    let mut weights = vec![0.0; windows.count()];
    let empty = features(&windows, &vec![vec![0; 8]; 8]);
    // The windows of 3×3 are the last ones.
    let largest = &empty[empty.len() - 36..];
    weights[largest[0] as usize] = 1_000.0;
    weights[largest[1] as usize] = -400.0;
    weights[largest[2] as usize] = f32::NAN;
    let folded = windows.fold(&weights);
    assert_eq!(folded.clamped, 3);
    assert_eq!(evaluate(&folded.patterns, &vec![vec![0; 8]; 8]), 0);
    weights[largest[1] as usize] = 0.0;
    assert_eq!(evaluate(&windows.fold(&weights).patterns, &vec![vec![0; 8]; 8]), 9_999);
}

#[test]
fn a_table_needs_the_numbers_of_its_board() {
    let numbers = vec![0; Patterns::count(5, 5)];
    assert!(Patterns::from_numbers(5, 5, &numbers).is_some());
    assert!(Patterns::from_numbers(5, 5, &numbers[1..]).is_none());
    assert!(Patterns::from_numbers(5, 6, &numbers).is_none());
    assert!(Patterns::from_numbers(0, 5, &[]).is_none());
    assert!(Patterns::from_numbers(9, 9, &numbers).is_none());
}
