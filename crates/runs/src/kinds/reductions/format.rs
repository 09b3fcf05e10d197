//! The forms in which a table is written.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What a table is written as.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TableFormat {
    /// Conjunctions with amounts, one in a line.
    Text,
    /// Constants of a Rust program.
    Rust,
    /// Constants of a C program.
    C,
    /// Lines for SPSA on OpenBench.
    OpenBench,
    /// Lines for SPSA on fishtest.
    Fishtest,
}

/// A name that is not a format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{name}' is not a form of a table; expected one of {}", TableFormat::ALL.map(TableFormat::name).join(", "))]
pub struct UnknownFormat {
    /// What was read.
    pub name: String,
}

impl TableFormat {
    /// All forms.
    pub const ALL: [TableFormat; 5] =
        [TableFormat::Text, TableFormat::Rust, TableFormat::C, TableFormat::OpenBench, TableFormat::Fishtest];

    /// The name on the command line and in stores.
    pub const fn name(self) -> &'static str {
        match self {
            TableFormat::Text => "text",
            TableFormat::Rust => "rust",
            TableFormat::C => "c",
            TableFormat::OpenBench => "openbench",
            TableFormat::Fishtest => "fishtest",
        }
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for TableFormat {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<TableFormat, UnknownFormat> {
        let found = TableFormat::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| UnknownFormat { name: text.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::TableFormat;

    #[test]
    fn names_of_forms_read_back() {
        for format in TableFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("java".parse::<TableFormat>().unwrap_err().to_string().contains("openbench"));
    }
}
