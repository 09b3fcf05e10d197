//! A tuning for people.

use std::fmt::Write;

use plysmith_learn::tune::ParameterSpace;

use super::config::Choice;
use super::result::{Comparison, IterationRow, Tuned, TunedWeight};
use crate::chart::{Chart, Series};
use crate::commands::figure1;
use crate::output::{percent, table, thousands};

/// An iteration in a line, as soon as it is through.
pub fn live_row(space: &ParameterSpace, row: &IterationRow) -> String {
    let names = space.parameters().iter().map(|parameter| parameter.name.as_str());
    let weights: Vec<_> = names.zip(row.weights.split(' ')).map(|(name, weight)| format!("{name} {weight}")).collect();
    let held_out = match (row.held_out_nodes, row.held_out_solved) {
        (Some(nodes), Some(solved)) => format!("; held out {} nodes, {solved} solved", thousands(nodes)),
        _ => String::new(),
    };
    format!(
        "iteration {}: {} | {} nodes ({}), {} of {} solved{held_out}",
        row.iteration,
        weights.join(", "),
        thousands(row.nodes),
        percent(row.relative),
        row.solved,
        row.problems,
    )
}

/// Iterations as a table.
pub fn rows_text(names: &[&str], rows: &[IterationRow]) -> String {
    let mut headings = vec![">iteration".to_string()];
    headings.extend(names.iter().map(|name| format!(">{name}")));
    headings.extend([">nodes", ">relative", ">solved", ">held-out nodes", ">solved"].map(str::to_string));
    let headings: Vec<_> = headings.iter().map(String::as_str).collect();
    let cells = rows.iter().map(|row| {
        let mut cells = vec![row.iteration.to_string()];
        cells.extend(row.weights.split(' ').map(str::to_string));
        let solved = |share: Option<f64>| share.map_or("–".to_string(), percent);
        cells.extend([
            thousands(row.nodes),
            percent(row.relative),
            solved(Some(row.solved_share())),
            row.held_out_nodes.map_or("–".to_string(), thousands),
            solved(row.held_out_share()),
        ]);
        cells
    });
    table(&headings, cells)
}

impl Tuned {
    /// For people; beside the paper's Figure 1 if it is meant to be that.
    pub fn text(&self, figure1: bool) -> String {
        let names: Vec<_> = self.weights.iter().map(|weight| weight.name.as_str()).collect();
        let mut text = format!(
            "Weights of {} on {} ({} nodes a problem; nodes to the solution, {} agreement), by {}:\n\n{}\n",
            self.whose(),
            self.suite,
            thousands(self.nodes_a_problem),
            self.policy,
            self.optimiser,
            rows_text(&names, &self.iterations),
        );
        for chart in self.charts() {
            text += &format!("{}\n", chart.text());
        }
        text += &table(
            &["weight", ">start", ">tuned", ">if it alone is", ">nodes change by", "effect"],
            self.weights.iter().map(TunedWeight::cells),
        );
        text.push('\n');
        text += &self.verdict_text();
        if figure1 {
            text += &figure1::text(self);
        }
        text
    }

    /// Whose weights they are.
    fn whose(&self) -> String {
        match &self.engine {
            Some(engine) => engine.clone(),
            None => format!("{} {}", self.game, self.preset),
        }
    }

    /// What weights are counted in; of an engine that is not ours only its map knows.
    fn unit(&self) -> &'static str {
        if self.engine.is_some() { "weight" } else { "plies" }
    }

    fn verdict_text(&self) -> String {
        let mut text = format!("training  {}\n", self.training.text());
        if let Some(held_out) = &self.held_out {
            let _ = writeln!(text, "held out  {}", held_out.text());
        }
        let _ = writeln!(text, "\n{} evaluations; {}.", self.evaluations, self.stop);
        if self.iterations.iter().flat_map(|row| &row.batch).all(|candidate| candidate.solved == 0) {
            text += "No problem was solved with any weights, so there was nothing to learn from: try more --nodes.\n";
        }
        match (&self.held_out, self.last_to_carry_over) {
            _ if self.training.tuned.nodes >= self.training.start.nodes => text += "Nothing was gained.\n",
            (None, _) => text += "No problems were held out, so nothing is known of how far this carries over.\n",
            (Some(held_out), _) if held_out.tuned.nodes >= held_out.start.nodes => {
                text += "What was gained in training did not carry over to the held-out problems.\n";
            }
            (Some(_), None) => {
                text += "What was gained in training carried over to the held-out problems to the end.\n";
            }
            (Some(_), Some(iteration)) => {
                let _ = writeln!(
                    text,
                    "Up to iteration {iteration} what was gained in training carried over to the held-out problems; after it, it did not."
                );
            }
        }
        text += match self.choice {
            Choice::Training => {
                "These weights need the fewest nodes of all that were tried on the training problems.\n"
            }
            Choice::HeldOut => {
                "These weights are of the iteration with the fewest held-out nodes (early stopping): the held-out figure took \
                 part in the choice and is too good.\n"
            }
        };
        text += &self.effects_text();
        let mut excluded: Vec<_> = self.iterations.iter().flat_map(|row| &row.excluded).collect();
        excluded.sort();
        excluded.dedup();
        if !excluded.is_empty() {
            let _ = writeln!(text, "Excluded, because the engine failed at them: {excluded:?}.");
        }
        if let Some(scheme) = &self.setting.scheme {
            let _ = writeln!(text, "\nscheme    {scheme}");
        }
        for command in &self.setting.commands {
            let _ = writeln!(text, "{command}");
        }
        text
    }

    /// Which weights do nothing, or nothing that can be told from chance.
    fn effects_text(&self) -> String {
        let mut text = String::new();
        let named = |is: fn(&TunedWeight) -> bool| {
            let names = self.weights.iter().filter(|weight| is(weight)).map(|weight| weight.name.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let (idle, doubtful) = (named(|weight| weight.is_idle), named(TunedWeight::is_doubtful));
        let largest = self.weights.iter().filter(|weight| weight.is_idle).map(|weight| weight.largest_change);
        if !idle.is_empty() {
            let _ = writeln!(
                text,
                "No effect seen: {idle}. No change, not even to the ends of the range, solved another problem or moved the \
                 nodes by more than {:.4} %.",
                100.0 * largest.fold(0.0, f64::max)
            );
        }
        if !doubtful.is_empty() {
            let _ = writeln!(
                text,
                "Within chance: {doubtful}. What it is worth cannot be told from nothing by these problems."
            );
        }
        text
    }

    /// The two charts of Figure 1.
    pub fn charts(&self) -> [Chart; 2] {
        let rows = &self.iterations;
        let by = |value: &dyn Fn(&IterationRow) -> f64| rows.iter().map(|row| 100.0 * value(row)).collect::<Vec<_>>();
        let mut series = vec![
            Series::new("nodes, training", by(&|row| row.relative)),
            Series::dotted("solved, training", by(&IterationRow::solved_share)),
        ];
        if let Some(first) = rows.first().map(IterationRow::held_out_mean).filter(|_| self.held_out.is_some()) {
            series.insert(1, Series::new("nodes, held out", by(&|row| row.held_out_mean() / first.max(1e-9))));
            series.push(Series::dotted("solved, held out", by(&|row| row.held_out_share().unwrap_or(0.0))));
        }
        let weight = |index: usize| {
            let value = |row: &IterationRow| row.weights.split(' ').nth(index).and_then(|text| text.parse().ok());
            rows.iter().map(|row| value(row).unwrap_or(0.0)).collect()
        };
        let weights =
            self.weights.iter().enumerate().map(|(index, one)| Series::new(one.name.clone(), weight(index))).collect();
        [
            Chart { title: "Problems solved, and nodes relative to the start".into(), unit: "%".into(), series },
            Chart { title: "Weights".into(), unit: self.unit().into(), series: weights },
        ]
    }
}

impl TunedWeight {
    fn cells(&self) -> Vec<String> {
        let effect = match (self.is_idle, self.is_doubtful()) {
            (true, _) => "no effect seen",
            (_, true) => "within chance",
            _ => "",
        };
        let error = self.probe.error.map_or(String::new(), |error| format!(" ± {:.2}", 100.0 * error));
        vec![
            self.name.clone(),
            self.start.clone(),
            self.value.clone(),
            self.probe.value.clone(),
            format!("{:+.2}{error} %", 100.0 * self.probe.change),
            effect.to_string(),
        ]
    }
}

impl Comparison {
    /// The change of nodes with its error bar.
    pub fn change_text(&self) -> String {
        let error = self.error.map_or(String::new(), |error| format!(" ± {:.2}", 100.0 * error));
        format!("{:+.2}{error} %", 100.0 * self.change)
    }

    fn text(&self) -> String {
        format!(
            "{} → {} nodes ({}), {} → {} of {} solved ({} → {})",
            thousands(self.start.nodes),
            thousands(self.tuned.nodes),
            self.change_text(),
            self.start.solved,
            self.tuned.solved,
            self.tuned.problems,
            percent(self.start.share()),
            percent(self.tuned.share()),
        )
    }
}
