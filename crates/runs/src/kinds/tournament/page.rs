//! The page of a tournament: scores, and who did what against whom.

use super::{Config, Standing, TournamentEvent, TournamentResult};
use crate::chart::{Bar, Bars, Figure};
use crate::error::RunError;
use crate::kinds::game_pages::Played;
use crate::summary::Summary;
use crate::view::{Cell, Table, View, thousands};

/// The page of a tournament.
pub(super) fn page(
    config: &Config,
    result: Option<&TournamentResult>,
    view: impl FnOnce(&TournamentResult) -> View,
    events: &mut dyn Iterator<Item = Result<TournamentEvent, RunError>>,
) -> Result<View, RunError> {
    if let Some(result) = result {
        return Ok(view(result)
            .heading("Scores")
            .figure(scores(result))
            .heading("Cross table")
            .table(cross_table(result)));
    }
    let pairings = config.pairings();
    let mut summaries = Vec::new();
    let mut games = events.filter_map(|event| match event {
        Ok(TournamentEvent::Game(game)) => Some(Ok(game)),
        Ok(TournamentEvent::Forfeit(_)) => None,
        Err(error) => Some(Err(error)),
    });
    for (players, played) in pairings.iter().zip(Played::read(&mut games)?) {
        let [a, b] = players.map(|player| config.play.name(player));
        summaries.push(Summary::new(a, b, config.play.limits(*players), &played.tally));
    }
    let games: u64 = summaries.iter().map(|summary| summary.games).sum();
    let all = config.play.games * pairings.len() as u64;
    let view = View::new().text(format!("{} of at most {} games so far.\n", thousands(games), thousands(all)));
    if games == 0 {
        return Ok(view);
    }
    let result = config.result(summaries);
    Ok(view.heading("Scores").figure(scores(&result)).heading("Cross table").table(cross_table(&result)))
}

/// The score of each player above or below a half.
fn scores(result: &TournamentResult) -> Figure {
    let bar = |standing: &Standing| {
        let [low, high] = standing.interval();
        Bar {
            interval: Some([low, high].map(|score| 100.0 * (score - 0.5))),
            ink: if standing.score >= 0.5 { 2 } else { 1 },
            ..Bar::new(&standing.player, 100.0 * (standing.score - 0.5))
        }
    };
    let bars = result.ranking.iter().filter(|standing| standing.games > 0).map(bar).collect();
    Figure::Bars(Bars { title: "Score above or below a half".to_string(), unit: "percentage points".to_string(), bars })
}

/// Wins, draws and losses of each player against each other one.
fn cross_table(result: &TournamentResult) -> Table {
    let mut names: Vec<&str> = result.ranking.iter().map(|standing| standing.player.as_str()).collect();
    for pairing in &result.pairings {
        for name in [&pairing.a, &pairing.b] {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    let cell = |row: &str, column: &str| -> Cell {
        let pairing = result
            .pairings
            .iter()
            .find(|pairing| (pairing.a == row && pairing.b == column) || (pairing.a == column && pairing.b == row));
        let Some(Summary { a, wins, draws, losses, .. }) = pairing else { return "".into() };
        let (wins, losses) = if a == row { (wins, losses) } else { (losses, wins) };
        format!("+{wins} ={draws} -{losses}").into()
    };
    let numbers: Vec<String> = (1..=names.len()).map(|number| number.to_string()).collect();
    let headings: Vec<&str> = ["", "player"].into_iter().chain(numbers.iter().map(String::as_str)).collect();
    let rows = names.iter().zip(&numbers).map(|(row, number)| {
        let first = [number.as_str().into(), (*row).into()];
        first.into_iter().chain(names.iter().map(|column| cell(row, column))).collect()
    });
    Table::new(&headings, rows)
}
