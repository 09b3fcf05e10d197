//! What is shown of a fit.

use super::config::Config;
use super::{Event, FitEvent, FitResult, RoundRow, SelfPlayed};
use crate::chart::{Bar, Bars, Figure, Line, Lines};
use crate::summary::Range;
use crate::view::{Cell, Table, View, percent, thousands};

/// The view of a finished fit.
pub fn view(config: &Config, result: &FitResult) -> View {
    let view = View::new().table(table(&result.rounds)).text(explanation(&result.rounds));
    match (&result.verdict, &result.key) {
        (Some(verdict), Some(key)) => view
            .text(format!(
                "The best weights are those of round {} (key {key}). {} against {} ({} nodes per move):\n\n",
                result.best,
                verdict.a,
                verdict.b,
                thousands(config.gate_nodes)
            ))
            .text(verdict.text())
            .text(usage(config)),
        _ => view.text(
            "No weights beat the first player, so none are written. Play more games (--games), or more rounds (--rounds).\n",
        ),
    }
}

/// How to play with the weights.
fn usage(config: &Config) -> String {
    let (game, start) = (&config.game, config.start_options());
    match &config.output {
        Some(path) => {
            let path = path.display();
            format!(
                "\nThe weights are in {path}. Play with them:\n  plysmith match {game}{start} --a modern,heuristic={path} --b modern\n"
            )
        }
        None => {
            "\nThe weights were not written. The same command with --output FILE writes them without playing again.\n"
                .to_string()
        }
    }
}

/// The view of an unfinished fit.
pub fn partial_view(config: &Config, events: &[Event]) -> View {
    let rows: Vec<RoundRow> = events
        .iter()
        .filter_map(|event| match event {
            Event::Round(row) => Some(row.clone()),
            _ => None,
        })
        .collect();
    let view = View::new().text(format!("{} of {} rounds so far\n", rows.len(), config.rounds));
    let view = if rows.is_empty() { view } else { view.text("\n").table(table(&rows)).text(explanation(&rows)) };
    let begun = events.iter().rev().take_while(|event| !matches!(event, Event::Round(_)));
    let games = begun.clone().filter(|event| matches!(event, Event::Game(_))).count();
    let text = begun
        .filter_map(|event| match event {
            Event::SelfPlay(played) => Some(played.text()),
            Event::Fit(fit) => Some(fit.text(games, config.gate_games)),
            _ => None,
        })
        .collect::<Vec<_>>();
    view.text(text.into_iter().rev().collect::<String>())
}

fn table(rows: &[RoundRow]) -> Table {
    let headings = [
        ">round",
        ">games",
        ">nodes",
        ">positions",
        ">weights",
        ">loss",
        ">held out",
        ">before",
        "match",
        "Elo",
        "kept",
    ];
    Table::new(&headings, rows.iter().map(RoundRow::cells))
}

fn explanation(rows: &[RoundRow]) -> String {
    let refused = rows.iter().filter(|row| !row.kept).map(|row| row.round.to_string()).collect::<Vec<_>>();
    let refused = match refused.is_empty() {
        true => String::new(),
        false => format!(
            "The weights of round {} were not kept: the next round plays with the best weights before them.\n",
            refused.join(", ")
        ),
    };
    format!(
        "\nLosses are mean cross entropies of the labels; 'held out' is of games that were not fitted to, 'before' of the \
         evaluation that played the round. The match is against the best weights before it.\n{refused}\n"
    )
}

impl RoundRow {
    fn cells(&self) -> Vec<Cell> {
        let opponent = match self.opponent {
            0 => "the first player".to_string(),
            round => format!("round {round}"),
        };
        vec![
            Cell::Count(self.round.into()),
            Cell::Count(self.games),
            Cell::Count(self.nodes),
            Cell::Count(self.positions),
            Cell::Count(self.active),
            Cell::Number(self.loss, 4),
            Cell::Number(self.held_out_loss, 4),
            Cell::Number(self.held_out_before, 4),
            format!("{} against {opponent}", percent(self.score)).into(),
            Range::text_or_dash(self.elo).into(),
            if self.kept { "yes" } else { "no" }.into(),
        ]
    }

    /// The round in one line.
    pub(super) fn line(&self) -> String {
        format!(
            "round {}: {} games, {} positions, held-out loss {:.4} (before {:.4}); match {}, Elo {}: {}",
            self.round,
            thousands(self.games),
            thousands(self.positions),
            self.held_out_loss,
            self.held_out_before,
            percent(self.score),
            Range::text_or_dash(self.elo),
            if self.kept { "kept" } else { "not kept; the next round has the same player" }
        )
    }
}

impl SelfPlayed {
    fn text(&self) -> String {
        let [white, draws, black] = self.results;
        format!(
            "round {}: {} games (White +{white} ={draws} -{black}), {} positions and {} branches\n",
            self.round,
            thousands(self.games),
            thousands(self.positions),
            thousands(self.branches)
        )
    }
}

impl FitEvent {
    fn text(&self, games: usize, all: u64) -> String {
        format!(
            "round {}: {} weights, held-out loss {:.4} (before {:.4}); {games} of {all} games of the match\n",
            self.round,
            thousands(self.active),
            self.after[1],
            self.before[1]
        )
    }
}

/// How well the weights of each round predict results.
pub(super) fn losses(rounds: &[&RoundRow]) -> Figure {
    let line = |name: &str, value: &dyn Fn(&RoundRow) -> f64| {
        Line::new(name, rounds.iter().map(|row| [f64::from(row.round), value(row)]).collect())
    };
    Figure::Lines(Lines {
        title: "Loss by round".to_string(),
        x: "round".to_string(),
        y: "loss".to_string(),
        lines: vec![
            line("training", &|row| row.loss),
            line("held out", &|row| row.held_out_loss),
            line("held out before", &|row| row.held_out_before),
        ],
    })
}

/// What the weights of each round scored against the best ones before.
pub(super) fn scores(rounds: &[&RoundRow]) -> Figure {
    let bar = |row: &&RoundRow| Bar {
        ink: if row.kept { 2 } else { 1 },
        ..Bar::new(format!("round {} against {}", row.round, row.opponent), 100.0 * (row.score - 0.5))
    };
    let bars = rounds.iter().map(bar).collect();
    let title = "Score of each round above or below a half; green: kept".to_string();
    Figure::Bars(Bars { title, unit: "percentage points".to_string(), bars })
}
