//! `plysmith reproduce table4`: the papers' ten features in games against the search without features.

use plysmith_core::games;
use plysmith_engine::arena::openings::OpeningPlan;

use super::contest::PlayConfig;
use super::tournament::{Config, Mode, TournamentResult};
use crate::failure::Failure;
use crate::output::{percent, table, thousands};

/// Paper Table 4, thesis Table 4.5: feature, win rate and frequency in games, of 2,400 games each.
const PAPER: [(&str, f64, f64); 10] = [
    ("Ud-Rdt", 0.5817, 0.0471),
    ("PP-RdTt", 0.5704, 0.0087),
    ("RdTt", 0.5654, 0.0191),
    ("Ud-RdTt", 0.5596, 0.0190),
    ("Ud-PP", 0.5392, 0.0231),
    ("Ud-PP-Rdt", 0.5350, 0.0199),
    ("PP-Rdt", 0.5203, 0.0392),
    ("Rc-Rdb", 0.4929, 0.0148),
    ("PP-Rdt-Edg", 0.4913, 0.0118),
    ("Ud", 0.4646, 0.4337),
];

const GAME: &str = "breakthrough";
const OPENING_PLIES: u32 = 4;

/// The tournament: each feature at half a ply against none.
pub fn config(preset: &str, nodes: u64, games_each: u64, seed: u64) -> Result<Config, Failure> {
    let game = games::find(GAME)?;
    let preset = game.print_settings(&game.parse_settings(preset)?);
    let mut players: Vec<_> = PAPER.iter().map(|(feature, ..)| format!("{preset}+{feature}@0.5")).collect();
    players.push(preset);
    if !games_each.is_multiple_of(2) {
        return Err(Failure::input(format!("{games_each} games are not whole pairs; try {}", games_each + 1)));
    }
    let openings = OpeningPlan { start: (game.start)(&Default::default())?, plies: OPENING_PLIES, seed };
    let play = PlayConfig::new(GAME, nodes, games_each, openings);
    Ok(Config { players, mode: Mode::Gauntlet, play, table4: true })
}

/// Our numbers beside the papers', in the papers' order.
pub fn text(result: &TournamentResult, config: &Config) -> String {
    let (mut same, mut rows) = (0, Vec::new());
    for (feature, paper, paper_frequency) in PAPER {
        let suffix = format!("+{feature}@0.5");
        let Some(standing) = result.ranking.iter().find(|standing| standing.player.ends_with(&suffix)) else {
            continue;
        };
        let is_same = (standing.score > 0.5) == (paper > 0.5);
        same += usize::from(is_same);
        rows.push(vec![
            feature.to_string(),
            standing.games.to_string(),
            percent(standing.score),
            format!("± {:.2}", 100.0 * standing.plain_interval),
            percent(paper),
            verdict(standing.score, standing.plain_interval).to_string(),
            if paper > 0.5 { "gains" } else { "does not" }.to_string(),
            if is_same { "same" } else { "other" }.to_string(),
            standing.frequencies.iter().map(|&share| percent(share)).collect::<Vec<_>>().join(", "),
            percent(paper_frequency),
        ]);
    }
    let headings =
        ["feature", ">games", ">wins", "95 %", ">paper", "here it", "paper: it", "side", ">frequency", ">paper"];
    format!(
        "Features in games against none (paper Table 4, thesis Table 4.5)\n\
         {} nodes a move, seed {}, games from balanced openings of {} random plies, colours swapped\n\n{}\n\
         {same} of {} are on the same side of 50 % as in the paper. 'Even' is what the interval cannot tell from 50 %.\n",
        thousands(config.play.nodes),
        config.play.seed,
        config.play.openings.plies,
        table(&headings, rows.clone()),
        rows.len()
    )
}

/// What a win rate says, given half the width of its interval.
fn verdict(score: f64, half: f64) -> &'static str {
    match score {
        score if score - half > 0.5 => "gains",
        score if score + half < 0.5 => "loses",
        _ => "is even",
    }
}
