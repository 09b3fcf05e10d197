//! Arguments that say where a game begins.

use clap::{Args, ValueEnum};
use plysmith_core::games::Start;

use crate::failure::Failure;

/// Where a game begins.
#[derive(Debug, Args)]
pub struct StartArguments {
    /// Board size of breakthrough [default: 8x8]
    #[arg(long, value_name = "COLUMNSxROWS")]
    size: Option<String>,

    /// Side that moves first
    #[arg(long, value_enum, default_value = "white")]
    first: First,
}

/// Who moves first.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum First {
    White,
    Black,
}

impl StartArguments {
    /// The start position's options.
    pub fn resolve(&self) -> Result<Start, Failure> {
        let size = self.size.as_deref().map(parse_size).transpose()?;
        Ok(Start { size, black_first: self.first == First::Black })
    }

    /// The options as they are written on a command line, each with a space before it; empty for the usual start.
    pub fn options(&self) -> String {
        let mut text = String::new();
        if let Ok(Start { size: Some((columns, rows)), .. }) = self.resolve() {
            text += &format!(" --size {columns}x{rows}");
        }
        if self.first == First::Black {
            text += &format!(" --first {}", First::Black.name());
        }
        text
    }
}

impl First {
    /// The word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            First::White => "white",
            First::Black => "black",
        }
    }
}

fn parse_size(text: &str) -> Result<(usize, usize), Failure> {
    text.split_once(['x', '×'])
        .and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)))
        .ok_or_else(|| Failure::input(format!("'{text}' is not a size; expected COLUMNSxROWS, like 6x5")))
}
