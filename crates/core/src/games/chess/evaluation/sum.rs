//! Adds weights up, and lets a tracer listen.
//!
//! The player's listener is [`Silent`] and compiles to nothing; the tuner's is [`Counts`].

use cozy_chess::Color;

use super::tables::Tables;
use super::tapered::Tapered;
use super::terms::{COUNT, Group};

/// Hears of every weight that counts.
pub trait Listener {
    /// Whether it wants to hear anything.
    const LISTENS: bool;

    /// The weight counts `times` times for this side.
    fn hear(&mut self, side: Color, weight: usize, times: i32);
}

/// Hears nothing.
pub struct Silent;

impl Listener for Silent {
    const LISTENS: bool = false;

    #[inline(always)]
    fn hear(&mut self, _: Color, _: usize, _: i32) {}
}

/// How often each weight counts for White, less how often for Black.
pub struct Counts(pub [i16; COUNT]);

impl Listener for Counts {
    const LISTENS: bool = true;

    fn hear(&mut self, side: Color, weight: usize, times: i32) {
        self.0[weight] += if side == Color::White { times } else { -times } as i16;
    }
}

/// What one side has so far.
pub struct Sum<'a, L> {
    total: Tapered,
    side: Color,
    tables: &'a Tables,
    listener: &'a mut L,
}

impl<'a, L: Listener> Sum<'a, L> {
    /// Nothing yet.
    #[inline(always)]
    pub fn new(side: Color, tables: &'a Tables, listener: &'a mut L) -> Sum<'a, L> {
        Sum { total: Tapered::ZERO, side, tables, listener }
    }

    /// Adds a weight.
    #[inline(always)]
    pub fn add(&mut self, group: Group, index: usize) {
        self.total += self.tables.weight(group, index);
        self.listener.hear(self.side, group.first + index, 1);
    }

    /// Adds a weight `times` times.
    #[inline(always)]
    pub fn add_times(&mut self, group: Group, index: usize, times: u32) {
        self.total += self.tables.weight(group, index) * times as i32;
        self.listener.hear(self.side, group.first + index, times as i32);
    }

    /// What came together.
    #[inline(always)]
    pub fn total(&self) -> Tapered {
        self.total
    }
}
