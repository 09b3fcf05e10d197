//! Arguments that say what is written about moves in PGN.

use clap::{Args, ValueEnum};
use plysmith_runs::pgn::{CommentForm, Detail, PgnStyle};

/// What is written about moves.
#[derive(Debug, Args)]
pub struct PgnArguments {
    /// Form of the comments in PGN of chess games
    #[arg(long, value_enum, value_name = "FORM", default_value = "standard")]
    pgn_comments: Form,

    /// What comments have besides score, depth and times; matches record 'seldepth' and 'pv' only if they are asked for here
    #[arg(long, value_enum, value_name = "DETAIL", value_delimiter = ',')]
    pgn_with: Vec<Extra>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// '[%eval 0.35,12] [%clk 0:00:09.94]', as Lichess and python-chess read them
    Standard,
    /// '+0.35/12 0.060s', as cutechess-cli and fastchess write them
    Cutechess,
    /// No comments
    None,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Extra {
    /// Nodes searched
    Nodes,
    /// The longest line searched
    Seldepth,
    /// The best line
    Pv,
}

impl PgnArguments {
    /// What to write.
    pub fn style(&self) -> PgnStyle {
        let mut with: Vec<Detail> = Vec::new();
        for extra in &self.pgn_with {
            let detail = match extra {
                Extra::Nodes => Detail::Nodes,
                Extra::Seldepth => Detail::Seldepth,
                Extra::Pv => Detail::Pv,
            };
            if !with.contains(&detail) {
                with.push(detail);
            }
        }
        let comments = match self.pgn_comments {
            Form::Standard => CommentForm::Standard,
            Form::Cutechess => CommentForm::Cutechess,
            Form::None => CommentForm::None,
        };
        PgnStyle { comments, with }
    }
}
