//! Arguments that give one of two players a limit of its own.

use clap::Args;

use super::count::count;

/// Limits of the two players of a match.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits of one player")]
pub struct SideArguments {
    /// Node limit for each move of the first player, instead of --nodes
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    a_nodes: Option<u64>,

    /// Depth for each move of the first player
    #[arg(long, value_name = "PLIES", value_parser = count::<u32>(1..=1000))]
    a_depth: Option<u32>,

    /// Time control of the first player, as for --tc
    #[arg(long, value_name = "TIME")]
    a_tc: Option<String>,

    /// Fixed time for each move of the first player, as for --movetime
    #[arg(long, value_name = "TIME")]
    a_movetime: Option<String>,

    /// Node limit for each move of the second player
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    b_nodes: Option<u64>,

    /// Depth for each move of the second player
    #[arg(long, value_name = "PLIES", value_parser = count::<u32>(1..=1000))]
    b_depth: Option<u32>,

    /// Time control of the second player
    #[arg(long, value_name = "TIME")]
    b_tc: Option<String>,

    /// Fixed time for each move of the second player
    #[arg(long, value_name = "TIME")]
    b_movetime: Option<String>,
}

impl SideArguments {
    /// The players' texts with these limits; --margin holds for their times as well.
    pub fn add_to(&self, players: [&str; 2], margin: Option<&str>) -> [String; 2] {
        let SideArguments { a_nodes, a_depth, a_tc, a_movetime, b_nodes, b_depth, b_tc, b_movetime } = self;
        let limits = [(a_nodes, a_depth, a_tc, a_movetime), (b_nodes, b_depth, b_tc, b_movetime)];
        let [a, b] = limits.map(|(nodes, depth, tc, movetime)| {
            let is_timed = tc.is_some() || movetime.is_some();
            let parts = [
                nodes.map(|nodes| format!(";nodes={nodes}")),
                depth.map(|depth| format!(";depth={depth}")),
                tc.as_ref().map(|tc| format!(";tc={tc}")),
                movetime.as_ref().map(|time| format!(";movetime={time}")),
                margin.filter(|_| is_timed).map(|margin| format!(";margin={margin}")),
            ];
            parts.into_iter().flatten().collect::<String>()
        });
        [format!("{}{a}", players[0]), format!("{}{b}", players[1])]
    }

    /// Whether a player has a time of its own.
    pub fn is_timed(&self) -> bool {
        [&self.a_tc, &self.a_movetime, &self.b_tc, &self.b_movetime].into_iter().any(Option::is_some)
    }
}
