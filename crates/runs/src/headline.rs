//! A finished run in a few words and one number, for lists of runs.

use serde::Serialize;

/// What a run came to.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Headline {
    /// In a few words: `RdTt: 231 of 302 solved`.
    #[serde(rename = "result")]
    pub text: String,
    /// What the number measures: `solved`, `elo`, `change`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<&'static str>,
    /// The number; of a run that ranks several things, that of the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

impl Headline {
    /// Words without a number.
    pub fn text(text: impl Into<String>) -> Headline {
        Headline { text: text.into(), ..Headline::default() }
    }

    /// Words and the number that they are about.
    pub fn of(text: impl Into<String>, measure: &'static str, value: f64) -> Headline {
        Headline { text: text.into(), measure: Some(measure), value: Some(value) }
    }
}
