//! Whether a stored run says the same everywhere.
//!
//! Checksums notice what the disk changed. This notices what was stored wrong, or changed by hand together with its
//! checksum.

use plysmith_store::Run;
use serde_json::{Map, Value};

use crate::error::RunError;

/// Fails if the games in a run's result do not add up: wins, draws and losses are all games, with White and Black
/// together, and two of them are a pair.
pub fn check_counts(run: &Run) -> Result<(), RunError> {
    let inconsistent = |reason| {
        RunError::failed(format!(
            "the result of run {} does not add up ({reason}): it was changed since it was computed; restore a backup of \
             the store, or start the run anew",
            run.id
        ))
    };
    run.result.as_ref().map_or(Ok(()), |result| check_value(result).map_err(inconsistent))
}

/// Checks every object in a value that counts games.
fn check_value(value: &Value) -> Result<(), String> {
    match value {
        Value::Object(fields) => {
            check_games(fields)?;
            fields.values().try_for_each(check_value)
        }
        Value::Array(list) => list.iter().try_for_each(check_value),
        _ => Ok(()),
    }
}

fn check_games(fields: &Map<String, Value>) -> Result<(), String> {
    let count = |name: &str| fields.get(name).and_then(Value::as_u64).map(u128::from);
    let (Some(games), Some(wins), Some(draws), Some(losses)) =
        (count("games"), count("wins"), count("draws"), count("losses"))
    else {
        return Ok(());
    };
    if wins + draws + losses != games {
        return Err(format!("{wins} wins, {draws} draws and {losses} losses are not {games} games"));
    }
    if let Some([white, black]) = fields.get("by_colour").and_then(table::<2, 3>) {
        let sums = [0, 1, 2].map(|index| white[index] + black[index]);
        if sums != [wins, draws, losses] {
            return Err(format!("with White {white:?} and with Black {black:?} are not {:?}", [wins, draws, losses]));
        }
    }
    if let Some(pairs) = fields.get("pairs").and_then(row::<5>) {
        let in_pairs = 2 * pairs.iter().sum::<u128>();
        if in_pairs != games && in_pairs + 1 != games {
            return Err(format!("the pairs {pairs:?} have {in_pairs} games, not {games}"));
        }
    }
    Ok(())
}

/// So many counts, if the value is that.
fn row<const N: usize>(value: &Value) -> Option<[u128; N]> {
    let counts: Option<Vec<u128>> = value.as_array()?.iter().map(|count| count.as_u64().map(u128::from)).collect();
    counts?.try_into().ok()
}

fn table<const M: usize, const N: usize>(value: &Value) -> Option<[[u128; N]; M]> {
    let rows: Option<Vec<[u128; N]>> = value.as_array()?.iter().map(row::<N>).collect();
    rows?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::check_value;

    #[test]
    fn games_add_up() {
        let sound = json!({ "games": 5, "wins": 3, "draws": 1, "losses": 1, "by_colour": [[2, 1, 0], [1, 0, 1]],
                            "pairs": [0, 0, 1, 1, 0], "a": "x" });
        assert_eq!(check_value(&json!({ "contests": [sound.clone()], "games": 1 })), Ok(()));
        for (place, count) in [
            ("/games", 6),
            ("/wins", 2),
            ("/draws", 0),
            ("/losses", u64::MAX),
            ("/by_colour/0/1", 0),
            ("/by_colour/1/2", 2),
            ("/pairs/0", 1),
            ("/pairs/3", 0),
        ] {
            let mut wrong = sound.clone();
            *wrong.pointer_mut(place).unwrap() = json!(count);
            assert!(check_value(&json!([{ "deep": wrong }])).is_err(), "{place}");
        }
    }
}
