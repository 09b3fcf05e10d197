//! Memory that searches use.

use std::sync::Arc;

use thiserror::Error;

use super::order::Refutations;
use super::policy::ControlTable;
use super::table::{EvalCache, Table};
use super::task::{MAX_HEIGHT, Task};
use crate::eval_terms::EvalTermCache;
use crate::settings::Settings;

/// Memory that searches use one after the other. No result is carried over from one search to the next, unless
/// [`Workspace::forget`] says so.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) table: Arc<Table>,
    pub(super) refutations: Refutations,
    pub(super) eval_cache: EvalCache,
    pub(super) eval_terms: EvalTermCache,
    /// The table of the last scheme that needed one.
    control: Option<Arc<ControlTable>>,
    /// Whether the table belongs to another workspace, which prepares it.
    is_companion: bool,
}

/// There is not enough memory for a transposition table.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Error)]
#[error("there is no memory for a table of {mib} MiB for each thread; choose a smaller one with table=MIB")]
pub struct NoMemory {
    /// The size that was asked for.
    pub mib: u32,
}

/// What a search needs besides its table: the evaluation cache, tables of moves, lines, and its stack.
const ALL_ELSE: u64 = 4 << 20;

impl Workspace {
    /// About how many bytes a search with these settings needs.
    pub fn bytes(settings: &Settings) -> u64 {
        Table::bytes(settings.switches.table_mib) + ALL_ELSE
    }

    /// A workspace that has the memory which searches with these settings need.
    pub fn with_memory(settings: &Settings) -> Result<Workspace, NoMemory> {
        let mib = settings.switches.table_mib;
        let mut table = Table::default();
        table.reserve(mib).map_err(|_| NoMemory { mib })?;
        Ok(Workspace { table: Arc::new(table), ..Workspace::default() })
    }

    /// Allocates the table that searches with these settings need, so that the first of them does not have to.
    pub fn make_room(&mut self, settings: &Settings) {
        self.own_table().prepare(settings.switches.table_mib);
    }

    /// Workspaces for searches at the same time that share this one's table. They must be dropped before this one is used.
    pub fn companions(&mut self, settings: &Settings, count: usize) -> Vec<Workspace> {
        self.make_room(settings);
        let one = || Workspace { table: Arc::clone(&self.table), is_companion: true, ..Workspace::default() };
        std::iter::repeat_with(one).take(count).collect()
    }

    /// Clears the table, and sets whether later results are kept from search to search.
    /// The workspace must have no companion.
    pub fn forget(&mut self, remember: bool) {
        self.own_table().forget(remember);
    }

    /// Prepares the memory for a search: clears what must not carry over.
    pub(super) fn prepare(&mut self, mib: u32, codes: usize) {
        if !self.is_companion {
            self.own_table().prepare(mib);
        }
        self.refutations.prepare(MAX_HEIGHT, codes);
        self.eval_terms.prepare();
        if mib > 0 {
            self.eval_cache.prepare();
        }
    }

    /// What moves cost by the scheme of this task; made anew only if the scheme or its constants changed.
    pub(super) fn control_table(&mut self, task: &Task<'_>) -> Arc<ControlTable> {
        match &self.control {
            Some(table) if table.is_for(task.scheme, &task.settings) => Arc::clone(table),
            _ => Arc::clone(self.control.insert(Arc::new(ControlTable::new(task.scheme, &task.settings)))),
        }
    }

    /// The table; a new one if a companion still holds it.
    fn own_table(&mut self) -> &mut Table {
        if Arc::get_mut(&mut self.table).is_none() {
            self.table = Arc::default();
        }
        Arc::get_mut(&mut self.table).expect("a new table has one owner")
    }
}
