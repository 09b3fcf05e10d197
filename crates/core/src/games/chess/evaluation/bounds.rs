//! Whether weights can be added up: sums of [`super::tapered::Tapered`] have sixteen bits for each half.

use super::terms::{COUNT, GROUPS, Group, Pair};
use crate::weights::WeightFileError;

/// The largest sum that has room.
const MOST: i32 = i16::MAX as i32;
/// How many groups an error names.
const NAMED: usize = 3;

/// What a group can contribute to an evaluation: to White's sum less Black's.
struct Part {
    group: Group,
    sum: i32,
}

/// Checks that no board has a sum for which there is no room.
///
/// One side's sum is at most what its good weights make, each group counted as often as it can be, and at least what its
/// bad ones make. An evaluation is the difference of two such sums, and so is every sum on the way to it.
pub fn check(weights: &[Pair; COUNT]) -> Result<(), WeightFileError> {
    check_phase(weights, "middle", |pair| pair.0)?;
    check_phase(weights, "end", |pair| pair.1)
}

fn check_phase(weights: &[Pair; COUNT], phase: &'static str, half: fn(&Pair) -> i16) -> Result<(), WeightFileError> {
    let part = |&group: &Group| {
        let values = weights[group.first..group.first + group.count].iter().map(|pair| i32::from(half(pair)));
        let (low, high) = values.fold((0, 0), |(low, high), value| (value.min(low), value.max(high)));
        Part { group, sum: group.most * (high - low) }
    };
    let mut parts: Vec<_> = GROUPS.iter().map(part).collect();
    let sum = parts.iter().map(|part| part.sum).sum();
    if sum <= MOST {
        return Ok(());
    }
    parts.sort_by_key(|part| -part.sum);
    let name = |part: &Part| format!("'{}' ({})", part.group.name, part.sum);
    let largest = parts[..NAMED].iter().map(name).collect::<Vec<_>>().join(", ");
    Err(WeightFileError::Sum { phase, sum, most: MOST, largest })
}
