//! Table 4 of the paper on discovery (thesis Table 4.5): ten features in games against the search without features.
//!
//! It is a gauntlet of each feature at half a ply, and stored as a tournament.

use plysmith_core::depth::Weight;
use plysmith_core::feature::Scheme;
use plysmith_core::games;
use plysmith_core::settings::Settings;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::player::BuiltInPlayer;
use plysmith_engine::player::Participant;

use super::{Config, Mode, Report, TournamentResult, credible_note};
use crate::error::RunError;
use crate::play::{DEFAULT_OPENING_PLIES, PlayConfig};
use crate::view::{Cell, Table, View, percents};

/// The paper's features with their win rates and frequencies in games, of 2,400 games each.
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

/// The paper's game.
const GAME: &str = "breakthrough";

/// The tournament: each feature at half a ply against none.
pub fn config(preset: &str, nodes: u64, games_each: u64, seed: u64) -> Result<Config, RunError> {
    let game = games::find(GAME)?;
    let settings: Settings = game.parse_settings(preset)?;
    let player = |scheme| Participant::from(BuiltInPlayer::new(settings, scheme));
    let with_feature = |feature: &str| {
        let feature = game.vocabulary.parse(feature)?;
        Ok::<_, RunError>(player(Scheme::single(feature, Weight::HALF)))
    };
    let mut players = PAPER.iter().map(|(feature, ..)| with_feature(feature)).collect::<Result<Vec<_>, _>>()?;
    players.push(player(Scheme::neutral()));
    let openings = OpeningPlan { start: (game.start)(&Default::default())?, plies: DEFAULT_OPENING_PLIES, seed };
    let play = PlayConfig::new(game, nodes, games_each, openings)?;
    Ok(Config { players, mode: Mode::Gauntlet, play, report: Report::PaperTable4, contestants: None })
}

/// Our numbers next to the paper's, in the paper's order.
pub fn view(config: &Config, result: &TournamentResult) -> View {
    let (mut same, mut rows) = (0, Vec::new());
    for (feature, paper, paper_frequency) in PAPER {
        let suffix = format!("+{feature}@0.5");
        let Some(standing) = result.ranking.iter().find(|standing| standing.player.ends_with(&suffix)) else {
            continue;
        };
        let is_same = (standing.score > 0.5) == (paper > 0.5);
        same += usize::from(is_same);
        rows.push(vec![
            feature.into(),
            Cell::Number(standing.games as f64, 0),
            Cell::Percent(standing.score),
            standing.interval_text().into(),
            Cell::Percent(paper),
            verdict(standing.interval()).into(),
            if paper > 0.5 { "gains" } else { "does not" }.into(),
            if is_same { "same" } else { "other" }.into(),
            percents(&standing.frequencies).into(),
            Cell::Percent(paper_frequency),
        ]);
    }
    let count = rows.len();
    let headings =
        ["feature", ">games", ">wins", "95 %", ">paper", "here it", "paper: it", "side", ">frequency", ">paper"];
    View::new()
        .text(format!(
            "Features in games against none (paper Table 4, thesis Table 4.5)\n\
             {}, games from balanced openings of {} random plies, colours swapped\n\n",
            config.play.conditions(),
            config.play.openings.plies,
        ))
        .table(Table::new(&headings, rows))
        .text(credible_note(&result.ranking))
        .text(format!(
            "\n{same} of {count} are on the same side of 50 % as in the paper. 'Even' is what the interval cannot tell \
             from 50 %.\n",
        ))
}

/// What the interval of a win rate says.
fn verdict([low, high]: [f64; 2]) -> &'static str {
    if low > 0.5 {
        "gains"
    } else if high < 0.5 {
        "loses"
    } else {
        "is even"
    }
}

#[cfg(test)]
mod tests {
    use super::{PAPER, config};

    /// Stored configurations and job keys hold the players' texts.
    #[test]
    fn players_are_written_as_in_the_paper() {
        let config = config("modern", 50, 2, 1).unwrap();
        let stored = serde_json::to_value(&config).unwrap();
        let mut expected: Vec<_> = PAPER.iter().map(|(feature, ..)| format!("modern+{feature}@0.5")).collect();
        expected.push("modern".to_string());
        assert_eq!(stored["players"], serde_json::json!(expected));
        assert_eq!(stored["table4"], true);
    }
}
