//! A store whose bytes have changed on the disk: every read gives the data that was stored, or an error.

use std::fs;
use std::path::Path;

use plysmith_store::{Event, NewRun, Run, RunId, Store, StoreError, StoredResult};
use rusqlite::Connection;
use serde_json::json;

/// The size of a page of the store.
const PAGE: usize = 512;

const KEYS: [&str; 5] = ["4f2a", "90bc", "a3", "e1e2e3e4", "never stored"];

/// Everything that can be read, each as it came back.
struct Contents {
    runs: Vec<(RunId, Result<Run, StoreError>)>,
    events: Vec<Result<Vec<Event>, StoreError>>,
    last_events: Vec<Result<Vec<Event>, StoreError>>,
    results: Vec<Result<Option<StoredResult>, StoreError>>,
    list: Result<Vec<Run>, StoreError>,
}

impl Contents {
    fn read(store: &Store) -> Contents {
        let ids: Vec<RunId> = (1..=4).map(|number| number.to_string().parse().unwrap()).collect();
        Contents {
            runs: ids.iter().map(|&id| (id, store.run(id))).collect(),
            events: ids.iter().map(|&id| store.events(id)).collect(),
            last_events: ids.iter().map(|&id| store.events_since(id, 3)).collect(),
            results: KEYS.iter().map(|key| store.result(key)).collect(),
            list: store.runs(),
        }
    }

    fn has_errors(&self) -> bool {
        let lists = self.events.iter().chain(&self.last_events);
        self.list.is_err()
            || self.runs.iter().any(|(_, run)| run.is_err())
            || lists.into_iter().any(Result::is_err)
            || self.results.iter().any(Result::is_err)
    }

    /// Names the first thing that came back, without an error, as something else than in `sound`.
    fn difference(&self, sound: &Contents) -> Option<String> {
        fn differ<T: PartialEq>(found: &Result<T, StoreError>, sound: &Result<T, StoreError>) -> bool {
            match (found, sound) {
                (Ok(found), Ok(sound)) => found != sound,
                (Ok(_), Err(_)) => true,
                (Err(_), _) => false,
            }
        }
        let runs = self.runs.iter().zip(&sound.runs).find(|(found, sound)| differ(&found.1, &sound.1));
        let events = self.events.iter().zip(&sound.events).position(|(found, sound)| differ(found, sound));
        let last = self.last_events.iter().zip(&sound.last_events).position(|(found, sound)| differ(found, sound));
        let results = self.results.iter().zip(&sound.results).position(|(found, sound)| differ(found, sound));
        runs.map(|(found, _)| format!("run {}: {:?}", found.0, found.1))
            .or(events.map(|index| format!("the events of run {}: {:?}", index + 1, self.events[index])))
            .or(last.map(|index| format!("the last events of run {}: {:?}", index + 1, self.last_events[index])))
            .or(results.map(|index| format!("result {}: {:?}", KEYS[index], self.results[index])))
            .or(differ(&self.list, &sound.list).then(|| format!("the list of runs: {:?}", self.list)))
    }
}

/// A store of many small pages, so that the inner nodes of its trees are hit too.
fn make_store(path: &Path) {
    let store = Store::open(path).unwrap();
    let mut parent = None;
    for number in 1..=4_u64 {
        let claim = store.create_run(&NewRun {
            kind: "discover".into(),
            game: "breakthrough".into(),
            config: json!({ "depth": number, "text": "x".repeat(300 * (number as usize % 3)) }),
            seed: 2005 * number,
            version: "0.1.0".into(),
            command: vec!["plysmith".into(), "discover".into()],
            parent,
        });
        let run = claim.unwrap().run();
        for seq in 0..number * 5 {
            let text = "y".repeat(if seq == 2 { 700 } else { seq as usize });
            store.append_event(run, seq, "step", &json!({ "seq": seq, "text": text })).unwrap();
        }
        if number % 2 == 0 {
            store.finish_run(run, &json!({ "best": number })).unwrap();
            store.set_label(run, Some("even")).unwrap();
        }
        parent = Some(run);
    }
    for (index, key) in KEYS[..4].iter().enumerate() {
        for part in 0..=index as u32 {
            let body = "z".repeat(10 + 400 * (index % 2));
            store.put_result(key, 3 * part, &json!({ "job": key }), &json!([part, body])).unwrap();
        }
    }
    drop(store);
    let connection = Connection::open(path).unwrap();
    let small = "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; PRAGMA journal_mode = WAL";
    connection.execute_batch(small).unwrap();
}

struct Damage {
    tried: usize,
    noticed: usize,
}

/// A folder in memory, where there is one: every change is a whole store on the disk.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Flips bits of the bytes at `offsets`, one at a time, and reads everything each time.
fn flip(offsets: impl Iterator<Item = (usize, u8)>) -> Damage {
    let changes = |bytes: &[u8]| {
        let length = bytes.len();
        let change = |(offset, bits): (usize, u8)| {
            let place = format!("byte {offset} (page {}, {}) ^ {bits:#x}", offset / PAGE + 1, offset % PAGE);
            (place, move |changed: &mut [u8]| changed[offset] ^= bits)
        };
        offsets.take_while(move |(offset, _)| *offset < length).map(change).collect()
    };
    damage(changes)
}

/// Changes a store in each of these ways, one at a time, and reads everything each time: what comes back without an
/// error is what was stored. The check says that there is damage wherever a read failed.
fn damage<C: FnOnce(&mut [u8])>(changes: impl FnOnce(&[u8]) -> Vec<(String, C)>) -> Damage {
    let folder = folder();
    let original = folder.path().join("original.db");
    make_store(&original);
    let bytes = fs::read(&original).unwrap();
    let sound = Contents::read(&Store::open(&original).unwrap());
    assert!(sound.runs.iter().all(|(_, run)| run.is_ok()) && sound.list.is_ok());
    assert!(sound.events.iter().all(Result::is_ok) && sound.results.iter().all(Result::is_ok));

    let mut damage = Damage { tried: 0, noticed: 0 };
    let mut silent = Vec::new();
    for (number, (place, change)) in changes(&bytes).into_iter().enumerate() {
        let mut changed = bytes.clone();
        change(&mut changed);
        let home = folder.path().join(number.to_string());
        fs::create_dir(&home).unwrap();
        let path = home.join("plysmith.db");
        fs::write(&path, changed).unwrap();
        let found = Store::open(&path).map(|store| (Contents::read(&store), store.check()));
        damage.tried += 1;
        match found {
            Ok((found, check)) => {
                damage.noticed += usize::from(found.has_errors());
                silent.extend(found.difference(&sound).map(|what| format!("{place}: {what}")));
                if found.has_errors() && check.is_ok_and(|check| check.damaged.is_empty()) {
                    silent.push(format!("{place}: a read fails, and the check finds nothing"));
                }
            }
            Err(_) => damage.noticed += 1,
        }
        fs::remove_dir_all(&home).unwrap();
    }
    assert!(silent.is_empty(), "{} of {} silent:\n{}", silent.len(), damage.tried, silent.join("\n"));
    damage
}

/// Bits of byte after byte, seeded: the same ones in every test run.
fn seeded(seed: u64, step: usize) -> impl Iterator<Item = (usize, u8)> {
    let mut random = seed;
    (0..).step_by(step).map(move |offset| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let jump = (random >> 40) as usize % step;
        (offset + jump, 1 << ((random >> 33) % 8))
    })
}

#[test]
fn a_flipped_bit_is_noticed_or_harmless() {
    let damage = flip(seeded(12, 23));
    assert!(damage.tried > 1000, "{}", damage.tried);
    assert!(damage.noticed > damage.tried / 4, "{} of {}", damage.noticed, damage.tried);
}

/// As a controller that mixes up two sectors does it.
#[test]
fn two_exchanged_pages_are_noticed_or_harmless() {
    let damage = damage(|bytes| {
        let pages = bytes.len() / PAGE;
        let pairs = (0..pages).flat_map(|first| (first + 1..pages).map(move |second| (first, second)));
        let swap = |(first, second): (usize, usize)| {
            let change = move |changed: &mut [u8]| {
                let (low, high) = changed.split_at_mut(second * PAGE);
                low[first * PAGE..(first + 1) * PAGE].swap_with_slice(&mut high[..PAGE]);
            };
            (format!("pages {} and {}", first + 1, second + 1), change)
        };
        pairs.map(swap).collect()
    });
    assert!(damage.tried > 500 && damage.noticed > damage.tried / 2, "{} of {}", damage.noticed, damage.tried);
}

/// As a disk does it that lost a sector, or returns an old one.
#[test]
fn an_emptied_or_repeated_page_is_noticed_or_harmless() {
    let damage = damage(|bytes| {
        let pages = bytes.len() / PAGE;
        let cases = (0..pages).flat_map(|page| [(page, None), (page, Some((page + 1) % pages))]);
        let lose = |(page, source): (usize, Option<usize>)| {
            let change = move |changed: &mut [u8]| match source {
                Some(source) => changed.copy_within(source * PAGE..(source + 1) * PAGE, page * PAGE),
                None => changed[page * PAGE..(page + 1) * PAGE].fill(0),
            };
            (format!("page {} from {source:?}", page + 1), change)
        };
        cases.map(lose).collect()
    });
    assert!(damage.noticed > damage.tried / 2, "{} of {}", damage.noticed, damage.tried);
}

/// Every byte of the file, once with one bit and once with all bits flipped.
#[test]
#[ignore = "takes a few minutes"]
fn every_flipped_byte_is_noticed_or_harmless() {
    for damage in [flip(seeded(1, 1)), flip((0..).map(|offset| (offset, 0xff)))] {
        eprintln!("{} of {} noticed", damage.noticed, damage.tried);
    }
}
