//! Halts: a run is stopped at a chosen row of its store, so that a test meets it there on a machine of any speed.
//!
//! A trigger in the test's store lets SQLite count for ever (or for a while) when the chosen row is inserted. The process
//! under test cannot get past it, so no test has to guess how long work takes. The row itself is not committed, so a
//! process that is killed at row `n` leaves exactly `n` events, in a transaction that was not finished. Results are stored
//! several at once, so it leaves at most `n` results: the transaction that is not finished may have begun before. Readers
//! are not blocked; other writers are.

use std::ops::Range;
use std::thread::sleep;
use std::time::{Duration, Instant};

use plysmith_store::Store;
use rusqlite::{Connection, OpenFlags};

use crate::support::{Home, PATIENCE, Ran, Running};

/// A table of the store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Table {
    /// Events of runs.
    Events,
    /// Results of jobs, which all runs share.
    Results,
}

/// Steps that take about a second: far more of the processor than sending a signal.
const A_MOMENT: u64 = 4_000_000;

/// Whoever finishes a transaction does so in less.
const FINISHES: Duration = Duration::from_secs(1);

impl Table {
    /// Its name, which depends on the version of the schema.
    fn name(self, connection: &Connection) -> &'static str {
        let has_results = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'results'";
        let has_results: i64 = connection.query_row(has_results, [], |row| row.get(0)).unwrap();
        match self {
            Table::Events => "events",
            Table::Results if has_results > 0 => "results",
            Table::Results => "measurements",
        }
    }
}

impl Home {
    /// How many rows a table has.
    pub fn rows(&self, table: Table) -> usize {
        let connection = Connection::open_with_flags(self.database(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        connection.busy_timeout(PATIENCE).unwrap();
        let count = format!("SELECT count(*) FROM {}", table.name(&connection));
        connection.query_row(&count, [], |row| row.get::<_, i64>(0)).unwrap() as usize
    }

    /// From now on whoever inserts row `row` (from 0) stops there for ever.
    pub fn halt_at(&self, table: Table, row: usize) {
        self.delay(table, row..row + 1, i64::MAX as u64);
    }

    /// From now on whoever inserts row `row` (from 0) or a later one takes about a second for it.
    pub fn slow_down_from(&self, table: Table, row: usize) {
        self.delay(table, row..i64::MAX as usize, A_MOMENT);
    }

    /// Lets work go on at its own speed.
    pub fn release(&self) {
        self.change_schema("DROP TRIGGER IF EXISTS halt");
    }

    /// Waits until a process has stored this many rows.
    #[track_caller]
    pub fn wait_for_rows(&self, running: &mut Running, table: Table, count: usize) {
        let deadline = Instant::now() + PATIENCE;
        while self.rows(table) < count {
            // What it stored right before its end counts.
            let has_ended = running.has_ended();
            assert!(!has_ended || self.rows(table) >= count, "it ended before it stored {count} {table:?}");
            assert!(Instant::now() < deadline, "it does not get to {count} {table:?}");
            sleep(Duration::from_millis(2));
        }
    }

    /// Starts some work and kills it with SIGKILL when it stores row `row` (from 0) of a table, which is then not stored.
    #[track_caller]
    pub fn kill_at(&self, arguments: &[&str], table: Table, row: usize) -> Ran {
        self.halt_at(table, row);
        let mut running = self.start(arguments);
        match table {
            Table::Events => self.wait_for_rows(&mut running, table, row),
            Table::Results => self.wait_for_halt(&mut running, row),
        }
        let ran = running.kill();
        assert_eq!(ran.code, None, "it ended by itself: {ran:?}");
        let rows = self.rows(table);
        assert!(rows == row || table == Table::Results && rows < row, "it got past its halt, to {rows}: {ran:?}");
        self.release();
        ran
    }

    /// Waits until a process has stored this many results, or is in the middle of storing several at once among which is the
    /// one after them. A process that stores something else for that long is killed there: any place is as good.
    #[track_caller]
    fn wait_for_halt(&self, running: &mut Running, row: usize) {
        let deadline = Instant::now() + PATIENCE;
        while self.rows(Table::Results) < row && !self.is_being_written() {
            assert!(
                !running.has_ended() || self.rows(Table::Results) >= row,
                "it ended before it stored {row} results"
            );
            assert!(Instant::now() < deadline, "it does not get to {row} results");
            sleep(Duration::from_millis(20));
        }
    }

    /// Whether somebody is writing to the store and does not finish.
    fn is_being_written(&self) -> bool {
        let connection = Connection::open(self.database()).unwrap();
        connection.busy_timeout(FINISHES).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_err()
    }

    fn delay(&self, table: Table, rows: Range<usize>, steps: u64) {
        // The store may not be there yet.
        drop(Store::open(&self.database()).unwrap());
        let name = table.name(&Connection::open(self.database()).unwrap());
        let (first, last) = (rows.start + 1, rows.end);
        self.change_schema(&format!(
            "DROP TRIGGER IF EXISTS halt;
             CREATE TRIGGER halt AFTER INSERT ON {name}
             WHEN (SELECT count(*) FROM {name}) BETWEEN {first} AND {last}
             BEGIN
                 SELECT count(*) FROM (
                     WITH RECURSIVE steps (step) AS (SELECT 1 UNION ALL SELECT step + 1 FROM steps LIMIT {steps})
                     SELECT step FROM steps);
             END"
        ));
    }

    fn change_schema(&self, sql: &str) {
        let connection = Connection::open(self.database()).unwrap();
        connection.busy_timeout(PATIENCE).unwrap();
        connection.execute_batch(sql).unwrap();
    }
}
