//! Version 1: runs, events, measurements.

use std::path::Path;

use rusqlite::Connection;

use crate::error::StoreError;

const TABLES: &str = "
    CREATE TABLE runs (
        id          INTEGER PRIMARY KEY CHECK (id > 0),
        kind        TEXT    NOT NULL,
        game        TEXT    NOT NULL,
        config      TEXT    NOT NULL CHECK (json_valid(config)),
        seed        TEXT    NOT NULL, -- decimal: SQLite's integers are signed and end at 2^63
        version     TEXT    NOT NULL,
        command     TEXT    NOT NULL CHECK (json_valid(command)),
        created_at  INTEGER NOT NULL, -- unix seconds
        finished_at INTEGER,
        result      TEXT CHECK (result IS NULL OR json_valid(result)),
        CHECK ((finished_at IS NULL) = (result IS NULL))
    ) STRICT;

    CREATE TABLE events (
        run     INTEGER NOT NULL REFERENCES runs (id),
        seq     INTEGER NOT NULL CHECK (seq >= 0),
        kind    TEXT    NOT NULL,
        payload TEXT    NOT NULL CHECK (json_valid(payload)),
        PRIMARY KEY (run, seq)
    ) STRICT;

    CREATE TABLE measurements (
        key  TEXT    NOT NULL,
        done INTEGER NOT NULL CHECK (done >= 0),
        job  TEXT    NOT NULL CHECK (json_valid(job)),
        body TEXT    NOT NULL CHECK (json_valid(body)),
        PRIMARY KEY (key, done)
    ) STRICT;

    CREATE TRIGGER runs_once BEFORE INSERT ON runs
        WHEN EXISTS (SELECT 1 FROM runs WHERE id = NEW.id)
        BEGIN SELECT RAISE(ABORT, 'runs are never replaced'); END;
    CREATE TRIGGER runs_kept BEFORE DELETE ON runs
        BEGIN SELECT RAISE(ABORT, 'runs are never deleted'); END;
    CREATE TRIGGER runs_finished BEFORE UPDATE ON runs
        WHEN OLD.finished_at IS NOT NULL
        BEGIN SELECT RAISE(ABORT, 'finished runs never change'); END;
    CREATE TRIGGER runs_as_begun BEFORE UPDATE OF id, kind, game, config, seed, version, command, created_at ON runs
        BEGIN SELECT RAISE(ABORT, 'what a run began with never changes'); END;

    CREATE TRIGGER events_once BEFORE INSERT ON events
        WHEN EXISTS (SELECT 1 FROM events WHERE run = NEW.run AND seq = NEW.seq)
        BEGIN SELECT RAISE(ABORT, 'events are never replaced'); END;
    CREATE TRIGGER events_of_unfinished BEFORE INSERT ON events
        WHEN EXISTS (SELECT 1 FROM runs WHERE id = NEW.run AND finished_at IS NOT NULL)
        BEGIN SELECT RAISE(ABORT, 'finished runs never change'); END;
    CREATE TRIGGER events_kept BEFORE DELETE ON events
        BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
    CREATE TRIGGER events_fixed BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'events never change'); END;

    CREATE TRIGGER measurements_once BEFORE INSERT ON measurements
        WHEN EXISTS (SELECT 1 FROM measurements WHERE key = NEW.key AND done = NEW.done)
        BEGIN SELECT RAISE(ABORT, 'measurements are never replaced'); END;
    CREATE TRIGGER measurements_kept BEFORE DELETE ON measurements
        BEGIN SELECT RAISE(ABORT, 'measurements are never deleted'); END;
    CREATE TRIGGER measurements_fixed BEFORE UPDATE ON measurements
        BEGIN SELECT RAISE(ABORT, 'measurements never change'); END;
";

/// Makes the tables of version 1 in an empty database.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    connection.execute_batch(TABLES).map_err(|error| StoreError::from_sqlite(path, super::DOING, error))
}
