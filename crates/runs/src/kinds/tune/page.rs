//! The page of a tuning: the paper's Figure 1, what each weight is worth, and where engines failed.

use std::collections::BTreeMap;

use plysmith_core::parameter::ONE;

use super::config::Config;
use super::result::{IterationRow, MethodRow, Probe, Tuned, TunedWeight};
use crate::chart::{Bar, Bars, Chart, Figure, Line, Lines, Series};
use crate::error::RunError;
use crate::finding::Exclusion;
use crate::view::{Block, Table, View};

/// More lines in a chart of weights cannot be told apart.
const MOST_LINES: usize = 28;

/// The page of a finished tuning: the paper's Figure 1 and what each weight is worth, then the usual view.
pub(super) fn finished(tuned: &Tuned, view: View) -> View {
    let (charts, others): (Vec<Block>, Vec<Block>) =
        view.blocks.into_iter().partition(|block| matches!(block, Block::Chart(_)));
    let mut page = View::new().heading("Nodes and weights by iteration");
    for block in charts {
        if let Block::Chart(chart) = block {
            page = page.figure(Figure::Lines(Lines::from(&shortened(chart))));
        }
    }
    let bars: Vec<Bar> = tuned.weights.iter().map(bar).collect();
    if !bars.is_empty() {
        let what = tuned.words().cost();
        page = page.heading("What each weight is worth").figure(Figure::Bars(Bars {
            title: format!("How the {what} change if this weight alone is changed; light blue: within chance"),
            unit: "% more if the weight has the other value".to_string(),
            bars,
        }));
    }
    failures_view(page, &tuned.iterations).heading("Settings").view(View { blocks: others })
}

/// A weight with its probe. Light blue if it may be chance.
fn bar(weight: &TunedWeight) -> Bar {
    let Probe { value, change, error, .. } = &weight.probe;
    let ink = match (weight.is_idle || weight.is_doubtful(), *change > 0.0) {
        (true, _) => 5,
        (false, true) => 2,
        (false, false) => 1,
    };
    Bar {
        ink,
        ..Bar::new(format!("{} {} instead of {value}", weight.name, weight.value), 100.0 * change)
            .within(error.map(|error| 100.0 * error))
    }
}

/// A chart with as many lines as can be told apart.
fn shortened(chart: Chart) -> Chart {
    let Chart { title, unit, mut series } = chart;
    series.truncate(MOST_LINES);
    Chart { title, unit, series }
}

/// The charts of an unfinished tuning, next to its table.
pub(super) fn unfinished(config: &Config, rows: &[IterationRow], view: View) -> View {
    if rows.is_empty() {
        return view;
    }
    let (names, words) = (config.names(), config.words());
    let by = |value: &dyn Fn(&IterationRow) -> f64| rows.iter().map(|row| 100.0 * value(row)).collect::<Vec<f64>>();
    let mut series = vec![
        Series::new(format!("{}, training", words.cost()), by(&|row| row.relative)),
        Series::dotted(format!("{}, training", words.solved()), by(&IterationRow::solved_share)),
    ];
    if rows.iter().all(|row| row.held_out_nodes.is_some()) {
        let first = rows[0].held_out_mean().max(1e-9);
        series.push(Series::new(format!("{}, held out", words.cost()), by(&|row| row.held_out_mean() / first)));
    }
    let title = format!("Share of {}, and {} relative to the start", words.solved(), words.cost());
    let nodes = Chart { title, unit: "%".to_string(), series };
    let weight = |(place, name): (usize, &&str)| {
        let value =
            |row: &IterationRow| row.weights.0.get(place).map_or(f64::NAN, |&weight| weight as f64 / ONE as f64);
        Series::new(*name, rows.iter().map(value).collect())
    };
    let series = names.iter().enumerate().take(MOST_LINES).map(weight).collect();
    let weights = Chart { title: "Weights".to_string(), unit: "as the engine is told them".to_string(), series };
    let figure = |chart: &Chart| Figure::Lines(Lines::from(chart));
    failures_view(View::new().figure(figure(&nodes)).figure(figure(&weights)), rows).view(view)
}

/// The problems at which engines failed, with what they said last where it is stored.
fn failures_view(view: View, rows: &[IterationRow]) -> View {
    let mut failures: BTreeMap<&str, &str> = BTreeMap::new();
    for row in rows {
        for id in &row.excluded {
            failures.entry(id).or_default();
        }
        for Exclusion { id, failure } in &row.failures {
            failures.insert(id, failure);
        }
    }
    match failures.is_empty() {
        true => view,
        false => {
            let rows = failures.into_iter().map(|(id, failure)| vec![id.into(), failure.into()]);
            view.heading("Failures")
                .text("The engine failed at these problems in three fresh processes. They are excluded from all results.\n")
                .table(Table::new(&["problem", "what the engine did"], rows))
        }
    }
}

/// What several optimisers made of their evaluations, iteration by iteration.
pub(super) fn compared(rows: &[IterationRow], methods: &[MethodRow], view: View) -> Result<View, RunError> {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        let name = row.optimiser.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let line = |name: &String| {
        let own = rows.iter().filter(|row| row.optimiser.to_string() == *name);
        Line::new(name, own.map(|row| [f64::from(row.iteration), 100.0 * row.relative]).collect())
    };
    let lines: Vec<Line> = names.iter().map(line).collect();
    let mut view = view;
    if !lines.is_empty() {
        view = view.heading("Iterations").figure(Figure::Lines(Lines {
            title: "What each optimiser has reached, relative to its start".to_string(),
            x: "iteration".to_string(),
            y: "% of the start".to_string(),
            lines,
        }));
    }
    let bar = |row: &MethodRow| {
        let held_out = row.held_out.as_ref().unwrap_or(&row.training);
        let error = held_out.error.map(|error| 100.0 * error);
        Bar::new(row.optimiser.to_string(), 100.0 * held_out.change).within(error)
    };
    let bars: Vec<Bar> = methods.iter().map(bar).collect();
    if !bars.is_empty() {
        let what = if methods.iter().all(|row| row.held_out.is_some()) { "held-out" } else { "training" };
        view = view.figure(Figure::Bars(Bars {
            title: format!("Change on the {what} problems"),
            unit: "%".to_string(),
            bars,
        }));
    }
    Ok(view)
}
