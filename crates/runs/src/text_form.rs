//! Values that are stored as the text people write: `#[serde(with = "crate::text_form")]`.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Writes a value as its text.
pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Reads a value from its text.
pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// Lists of values, stored as one text with commas: `#[serde(with = "crate::text_form::list")]`.
pub mod list {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes values with commas between them.
    pub fn serialize<T: Display, S: Serializer>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&join(values))
    }

    /// Reads values with commas between them.
    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.split(',').map(|part| part.parse().map_err(D::Error::custom)).collect()
    }

    /// The values with commas between them.
    pub fn join<T: Display>(values: &[T]) -> String {
        values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
    }
}
