//! A discovery as text: the best features, Neutral, what was measured without a gain, and what to use.

use super::{Discovery, Evaluation};
use crate::finding::{Finding, exclusions};
use crate::view::{Cell, Table, View, thousands};

impl Discovery {
    /// The `top` best features, a summary, and what to use.
    pub fn view(&self, top: usize) -> View {
        let title = format!(
            "Features of {} at {} plies, on {} ({} problems, {} nodes each, {}{}):\n\n",
            self.game,
            self.weight,
            self.suite,
            self.problems,
            thousands(self.nodes_a_problem),
            self.preset,
            self.policy.map_or(String::new(), |policy| format!("; {}", policy.explained())),
        );
        let view = View::new().text(title).table(self.table(top)).text(self.summary());
        let view = self.followed.iter().fold(view, |view, followed| view.view(followed.view()));
        view.text(self.advice.as_ref().map_or(String::new(), |advice| format!("\n{}\n", advice.text)))
    }

    /// The best features, Neutral, and below it what was measured without a gain.
    fn table(&self, top: usize) -> Table {
        let has_weights = self.output.iter().any(|evaluation| evaluation.weight.is_some());
        // Runs of versions without advice show what they did then.
        let has_gains = self.advice.is_some();
        let mut headings = Finding::headings(self.policy);
        if has_gains {
            headings.insert(2, "gain".to_string());
        }
        headings.push("improves on".to_string());
        headings.extend(has_weights.then(|| ">weight".to_string()));
        let row = |evaluation: &Evaluation| {
            let mut cells = evaluation.finding.cells();
            if has_gains {
                cells.insert(2, self.gain_cell(evaluation));
            }
            cells.push(evaluation.origin().into());
            cells.extend(has_weights.then(|| evaluation.weight.clone().unwrap_or_default().into()));
            cells
        };
        let line = |text: String| {
            let mut cells = vec![Cell::from(""); headings.len()];
            cells[0] = text.into();
            cells
        };
        let neutral = self.output.iter().position(|evaluation| evaluation.finding.feature == "Neutral");
        let (above, below) = self.output.split_at(neutral.unwrap_or(self.output.len()));
        let (neutral, below) = below.split_at(below.len().min(1));
        let below_top = top.saturating_sub(above.len() + neutral.len());
        let more = |all: &[Evaluation], shown: usize| match all.len().saturating_sub(shown) {
            0 => None,
            more => Some(line(format!("… and {more} more"))),
        };
        let mut rows: Vec<_> = above.iter().take(top).map(row).collect();
        rows.extend(more(above, top));
        rows.extend(neutral.iter().map(row));
        if !below.is_empty() {
            rows.push(line("── measured, no gain:".to_string()));
            rows.extend(below.iter().take(below_top).map(row));
            rows.extend(more(below, below_top));
        }
        Table::new(&headings, rows)
    }

    fn gain_cell(&self, evaluation: &Evaluation) -> Cell {
        match self.gain(evaluation) {
            Some(_) if evaluation.finding.feature == "Neutral" => "".into(),
            Some(gain) => {
                let doubt = if gain.difference() > 0 && !self.is_beyond_chance(gain) { " (may be chance)" } else { "" };
                format!("{:+} ± {:.1}{doubt}", gain.difference(), gain.error()).into()
            }
            None => Cell::Missing,
        }
    }

    fn summary(&self) -> String {
        let several = match self.weight.split(',').count() {
            1 => String::new(),
            count => format!(", each with up to {count} weights"),
        };
        let mut text = format!(
            "\n{} evaluations{several} ({} combinations skipped, pruning: {}), {} nodes. Neutral solves {} of {}.\n",
            self.evaluations,
            self.skipped,
            self.pruning,
            thousands(self.nodes),
            self.neutral,
            self.problems,
        );
        if self.advice.is_some() {
            text += "Gain: problems solved more than by Neutral, ± half of the 95 % interval. A gain may be chance if \
                     the best of as many features without effect could show it.\n";
        }
        text += &exclusions(self.output.iter().map(|evaluation| &evaluation.finding));
        for (title, names) in [("Base set", &self.base), ("Never combined", &self.blacklist)] {
            if !names.is_empty() {
                text += &format!("{title}: {}.\n", names.join(" "));
            }
        }
        text
    }
}

impl Evaluation {
    fn origin(&self) -> String {
        match (&self.first_parent, self.finding.solved, self.at_least) {
            (Some(parent), Some(_), Some(_)) => parent.clone(),
            _ => self.verdict.clone(),
        }
    }
}
