//! JSON: values to text and back, and where two texts differ.

use serde::Serialize;
use serde_json::Value;

use crate::error::StoreError;

/// A value that is known to read back from its text as it was written.
#[derive(Debug)]
pub(crate) struct Encoded {
    value: Value,
    pub(crate) text: String,
}

/// Encodes a value, or refuses it if it would not come back the same (nested too deeply, a map with odd keys, …).
///
/// `what` names the record in the error.
pub(crate) fn encode(value: &impl Serialize, what: impl FnOnce() -> String) -> Result<Encoded, StoreError> {
    // Always by way of `Value`: written directly, an f32 gets another text than its `Value` has.
    let attempt = serde_json::to_value(value).and_then(|value| {
        let text = value.to_string();
        Ok((serde_json::from_str::<Value>(&text)?, value, text))
    });
    match attempt {
        Ok((read_back, value, text)) if read_back == value => Ok(Encoded { value, text }),
        Ok(_) => Err(StoreError::Unstorable { what: what(), reason: "it does not read back as written".into() }),
        Err(error) => Err(StoreError::Unstorable { what: what(), reason: error.to_string() }),
    }
}

impl Encoded {
    /// Whether a stored text means the same value; the order of an object's fields does not matter.
    pub(crate) fn same_as(&self, stored: &str) -> bool {
        self.text == stored || serde_json::from_str::<Value>(stored).is_ok_and(|stored| stored == self.value)
    }
}

/// Cuts two long texts down to the neighbourhood of their first difference.
pub(crate) fn around_difference(left: &str, right: &str) -> (String, String) {
    const BEFORE: usize = 40;
    const WIDTH: usize = 120;

    let common = left.chars().zip(right.chars()).take_while(|(l, r)| l == r).count();
    let from = common.saturating_sub(BEFORE);
    let cut = |text: &str| {
        let start = if from > 0 { "…" } else { "" };
        let end = if text.chars().count() > from + WIDTH { "…" } else { "" };
        format!("{start}{}{end}", text.chars().skip(from).take(WIDTH).collect::<String>())
    };
    (cut(left), cut(right))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_float_comes_back_to_the_bit() {
        // Needs serde_json's feature `float_roundtrip`: without it some floats come back one bit off.
        for float in [0.1 + 0.2, 31.245_270_191_439_438, f64::MIN_POSITIVE, 1e300, 81.312_350_150_000_01] {
            let encoded = encode(&float, String::new).unwrap();
            let back: f64 = serde_json::from_str(&encoded.text).unwrap();
            assert_eq!(back.to_bits(), float.to_bits());
        }
    }

    #[test]
    fn the_order_of_fields_does_not_matter() {
        let encoded = encode(&json!({ "a": 1, "b": 2 }), String::new).unwrap();
        assert!(encoded.same_as(r#"{"b": 2, "a": 1}"#));
        assert!(!encoded.same_as(r#"{"b": 2, "a": 1.5}"#));
        assert!(!encoded.same_as("not json"));
    }

    #[test]
    fn what_could_not_be_read_back_is_refused() {
        let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
        let error = encode(&deep, || "the payload of event 3".into()).err().unwrap().to_string();
        assert!(error.contains("the payload of event 3") && error.contains("recursion"), "{error}");
    }

    #[test]
    fn long_texts_are_cut_where_they_differ() {
        let (left, right) = (format!("{}L{}", "ä".repeat(500), "x".repeat(500)), format!("{}R", "ä".repeat(500)));
        let (left, right) = around_difference(&left, &right);
        assert!(left.starts_with("…ää") && left.contains('L') && left.ends_with("x…"), "{left}");
        assert!(right.ends_with('R'), "{right}");
        assert_eq!(around_difference("a 1", "a 2"), ("a 1".into(), "a 2".into()));
    }
}
