//! The views: what each method learned, and how the methods compare.

use super::config::Config;
use super::result::{Compared, Entry, Learned, MethodResult};
use super::{Event, Method};
use crate::chart::{Bar, Bars, Figure};
use crate::view::{Cell, Table, View, thousands};

/// Conjunctions that are shown of a dense table.
const MOST_SHOWN: usize = 16;

impl Learned {
    /// The result.
    pub(super) fn view(&self) -> View {
        let judge = self.judge.as_ref().map_or(String::new(), |judge| format!("; judge: {judge}"));
        let title = format!(
            "Reductions of {} ({}), learned from {} positions of {} ({} nodes each, fitness {}{judge}) with at most {} \
             evaluations for each method:\n\n",
            self.game,
            self.settings,
            self.training.positions,
            self.suite,
            thousands(self.nodes_a_position),
            self.fitness,
            self.evaluations
        );
        let mut rows = vec![row("without a table", None, None, [&self.training, &self.held_out])];
        for result in &self.methods {
            let halves = [&result.training, &result.held_out];
            let size = if result.constants.is_empty() { result.table.len() } else { result.constants.len() };
            rows.push(row(result.method.name(), Some(result.evaluations), Some(size), halves));
        }
        let headings = [
            "method",
            ">evaluations",
            ">numbers",
            ">training cost",
            "less than without",
            ">held-out cost",
            "less than without",
            ">best moves",
            ">nodes",
        ];
        let mut view = View::new().text(title).table(Table::new(&headings, rows)).text(self.notes());
        for result in &self.methods {
            view = view.view(result.view());
        }
        view
    }

    fn notes(&self) -> String {
        let mut text = format!(
            "\nCost is the {}; ± is half of the 95 % interval over positions. The last three columns are of {} positions that \
             no method has learned from. An evaluation measures all training positions once.\n",
            self.fitness.meaning(),
            self.held_out.positions
        );
        if let Some(first) = self.methods.first() {
            for rival in &self.rivals {
                text += &format!(
                    "On these, {} costs {} less than {}.\n",
                    first.method,
                    rival.gain.signed_text(),
                    rival.method
                );
            }
        }
        text
    }
}

fn row(name: &str, evaluations: Option<usize>, size: Option<usize>, [training, held_out]: [&Compared; 2]) -> Vec<Cell> {
    let gain = |of: &Compared| if evaluations.is_some() { of.gain.signed_text() } else { String::new() };
    let count = |number: Option<usize>| Cell::count(number.map(|number| number as u64));
    vec![
        name.into(),
        count(evaluations),
        count(size),
        Cell::Number(training.cost.mean, 4),
        gain(training).into(),
        Cell::Number(held_out.cost.mean, 4),
        gain(held_out).into(),
        Cell::Percent(f64::from(held_out.solved) / held_out.positions.max(1) as f64),
        Cell::Count(held_out.nodes),
    ]
}

impl MethodResult {
    fn view(&self) -> View {
        if !self.constants.is_empty() {
            let rows = self.constants.iter().map(|constant| {
                vec![
                    constant.name.clone().into(),
                    constant.before.to_string().into(),
                    constant.value.to_string().into(),
                ]
            });
            return View::new()
                .text(format!("\n{}:\n\n", self.method))
                .table(Table::new(&["constant", ">before", ">value"], rows));
        }
        let rows = |entry: &Entry| {
            let sign = if entry.amount.0 < 0 { "" } else { "+" };
            vec![entry.conjunction.clone().into(), format!("{sign}{}", entry.amount).into()]
        };
        let title = match (self.table.is_empty(), self.method) {
            (true, Method::Logarithmic) => format!("\n{}: no change of the constants was better.\n", self.method),
            (true, _) => format!("\n{}: no table was better than none.\n", self.method),
            (false, _) => format!("\n{}, in plies that are added to the reduction:\n\n", self.method),
        };
        let view = View::new().text(title);
        if self.table.is_empty() {
            return view;
        }
        let more = match self.table.len().saturating_sub(MOST_SHOWN) {
            0 => String::new(),
            more => format!("… and {more} more\n"),
        };
        let view = view.table(Table::new(&["conditions", ">plies"], self.table.iter().take(MOST_SHOWN).map(rows)));
        view.text(more)
    }
}

/// What there is of an unfinished run.
pub(super) fn partial(config: &Config, events: &[Event]) -> View {
    let (mut conjunctions, mut iterations) = (0, 0);
    let mut view = View::new();
    for event in events {
        match event {
            Event::Evaluation(_) => conjunctions += 1,
            Event::Iteration(_) => iterations += 1,
            Event::Method(result) => view = view.view(result.view()),
        }
    }
    let methods = config.methods.iter().map(|method| method.name()).collect::<Vec<_>>().join(", ");
    View::new()
        .text(format!(
            "Methods: {methods}. So far {conjunctions} conjunctions and {iterations} iterations were measured.\n"
        ))
        .view(view)
}

/// What each method gains on the held-out positions.
pub(super) fn gains(methods: &[&MethodResult]) -> Figure {
    let bar = |result: &&MethodResult| {
        let gain = &result.held_out.gain;
        Bar::new(result.method.to_string(), gain.mean).within(gain.error)
    };
    let bars = methods.iter().map(bar).collect();
    Figure::Bars(Bars { title: "Less cost on the held-out positions".to_string(), unit: "cost".to_string(), bars })
}
