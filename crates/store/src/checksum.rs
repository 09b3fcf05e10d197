//! Checksums of stored records: XXH3, 64 bits, over all fields of a record.
//!
//! SQLite does not notice a bit that flips on the disk inside a text or a number. Every record therefore carries the
//! checksum of its fields, its own key included, and every read compares it. The checksum is against accidents, not
//! against forgery.
//!
//! The encoding below is part of the file format. A change needs a migration.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Computes the checksum of one record, field by field.
///
/// Each field is preceded by its type, and a text by its length, so that no two different records feed the same bytes.
pub(crate) struct Checksum(Xxh3);

impl Checksum {
    /// Starts the checksum of a record of this sort; equal fields in another table have another checksum.
    fn of(sort: &str) -> Checksum {
        Checksum(Xxh3::new()).text(sort)
    }

    fn text(mut self, text: &str) -> Checksum {
        self.0.update(b"t");
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
        self
    }

    fn integer(mut self, integer: i64) -> Checksum {
        self.0.update(b"i");
        self.0.update(&integer.to_le_bytes());
        self
    }

    fn none(mut self) -> Checksum {
        self.0.update(b"n");
        self
    }

    fn maybe_text(self, text: Option<&str>) -> Checksum {
        match text {
            Some(text) => self.text(text),
            None => self.none(),
        }
    }

    fn maybe_integer(self, integer: Option<i64>) -> Checksum {
        match integer {
            Some(integer) => self.integer(integer),
            None => self.none(),
        }
    }

    /// The checksum as SQLite stores it: the same 64 bits, signed.
    fn finish(self) -> i64 {
        self.0.digest() as i64
    }
}

/// The fields of a run that are fixed when it is created, as stored.
pub(crate) struct RunFields<'a> {
    pub id: i64,
    pub kind: &'a str,
    pub game: &'a str,
    pub config: &'a str,
    pub seed: &'a str,
    pub version: &'a str,
    pub command: &'a str,
    pub created_at: i64,
    pub parent: Option<i64>,
    pub format: i64,
}

/// The checksum of the immutable part of a run.
pub(crate) fn run(fields: &RunFields<'_>) -> i64 {
    Checksum::of("run")
        .integer(fields.id)
        .text(fields.kind)
        .text(fields.game)
        .text(fields.config)
        .text(fields.seed)
        .text(fields.version)
        .text(fields.command)
        .integer(fields.created_at)
        .maybe_integer(fields.parent)
        .integer(fields.format)
        .finish()
}

/// The checksum of how a run ended.
pub(crate) fn run_result(run: i64, finished_at: i64, result: &str) -> i64 {
    Checksum::of("run result").integer(run).integer(finished_at).text(result).finish()
}

/// The checksum of what may change in a run.
pub(crate) fn run_state(run: i64, events: i64, label: Option<&str>) -> i64 {
    Checksum::of("run state").integer(run).integer(events).maybe_text(label).finish()
}

/// The checksum of an event.
pub(crate) fn event(run: i64, seq: i64, kind: &str, payload: &str) -> i64 {
    Checksum::of("event").integer(run).integer(seq).text(kind).text(payload).finish()
}

/// The checksum of a stored result.
pub(crate) fn result(key: &str, done: i64, job: &str, body: &str) -> i64 {
    Checksum::of("result").text(key).integer(done).text(job).text(body).finish()
}

/// The number under which a result is found a second time, in an index of its own.
pub(crate) fn key_hash(key: &str) -> i64 {
    xxh3_64(key.as_bytes()) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The encoding is part of the file format: these numbers never change.
    #[test]
    fn checksums_are_fixed() {
        let fields = RunFields {
            id: 1,
            kind: "discover",
            game: "breakthrough",
            config: "{}",
            seed: "1",
            version: "0.1.0",
            command: "[]",
            created_at: 0,
            parent: None,
            format: 2,
        };
        let checksums = [
            run(&fields),
            run_result(1, 2, "null"),
            run_state(1, 2, None),
            event(1, 0, "step", "1"),
            result("k", 1, "1", "1"),
            key_hash("k"),
        ];
        let fixed = [
            -6_895_228_655_099_260_691,
            -2_708_033_170_818_795_133,
            5_763_165_968_850_130_718,
            1_891_481_983_730_830_447,
            57_463_517_751_600_387,
            -6_259_471_935_552_714_723,
        ];
        assert_eq!(checksums, fixed);
    }

    #[test]
    fn fields_cannot_run_into_each_other() {
        assert_ne!(event(1, 0, "ab", "c"), event(1, 0, "a", "bc"));
        assert_ne!(run_state(1, 0, None), run_state(1, 0, Some("")));
        assert_ne!(event(1, 0, "step", "1"), event(0, 1, "step", "1"));
    }
}
