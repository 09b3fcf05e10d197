//! Views of a tuning.

use std::fmt::Write;

use plysmith_core::parameter::{ONE, Thousandths, Weights};

use super::config::{Choice, Config};
use super::result::{Comparison, IterationRow, Setting, SettingRow, Totals, Tuned, TunedWeight};
use super::words::Words;
use crate::chart::{Chart, Series};
use crate::headline::Headline;
use crate::view::{Cell, Table, View, percent, thousands};

/// How the name of the row of the engine as shipped begins.
pub(super) const AS_SHIPPED: &str = "as shipped";

/// The most weights that the line of an iteration names; a table of reductions can have hundreds.
const MOST_IN_A_LINE: usize = 16;

/// An iteration in a line, as soon as it is done.
pub fn live_row(config: &Config, row: &IterationRow) -> String {
    let (names, words) = (config.names(), config.words());
    let mut weights: Vec<_> = names
        .iter()
        .zip(texts(&row.weights))
        .take(MOST_IN_A_LINE)
        .map(|(name, weight)| format!("{name} {weight}"))
        .collect();
    if names.len() > MOST_IN_A_LINE {
        weights.push(format!("and {} more", names.len() - MOST_IN_A_LINE));
    }
    let (cost, solved) = (words.cost(), words.solved());
    let held_out = row.held_out().map_or(String::new(), |totals| {
        format!("; held out {} {cost}, {} {solved}", words.amount(&totals), totals.solved)
    });
    format!(
        "iteration {}: {} | {} {cost} ({}), {} of {} {solved}{held_out}",
        row.iteration,
        weights.join(", "),
        words.amount(&row.training()),
        percent(row.relative),
        row.solved,
        row.problems,
    )
}

/// What there is of an unfinished tuning.
pub fn partial<'a>(config: &Config, rows: impl Iterator<Item = &'a IterationRow>) -> View {
    let table = iterations(&config.names(), config.words(), rows);
    View::new().text(format!("{} iterations so far:\n\n", table.rows.len())).table(table)
}

/// Iterations as a table.
fn iterations<'a>(names: &[&str], words: Words<'_>, rows: impl Iterator<Item = &'a IterationRow>) -> Table {
    let (cost, solved) = (words.cost(), format!(">{}", words.solved()));
    let mut headings = vec![">iteration".to_string()];
    headings.extend(names.iter().map(|name| format!(">{name}")));
    headings.extend([format!(">{cost}"), ">relative".to_string(), solved.clone(), format!(">held-out {cost}"), solved]);
    let cells = rows.map(|row| {
        let mut cells = vec![Cell::Text(row.iteration.to_string())];
        cells.extend(texts(&row.weights).map(Cell::Text));
        cells.extend([
            words.cell(Some(&row.training())),
            Cell::Percent(row.relative),
            Cell::Percent(row.solved_share()),
            words.cell(row.held_out().as_ref()),
            Cell::percent(row.held_out_share()),
        ]);
        cells
    });
    Table::new(&headings, cells)
}

/// Every setting once. An asterisk marks the result.
fn settings<'a>(names: &[&str], nodes: &str, words: Words<'_>, rows: impl Iterator<Item = &'a SettingRow>) -> Table {
    let solved = format!(">{}", words.solved());
    let mut headings = vec!["".to_string(), "setting".to_string()];
    headings.extend(names.iter().map(|name| format!(">{name}")));
    headings.extend([format!(">{nodes}"), ">of the start".to_string(), solved.clone()]);
    headings.extend([format!(">held-out {}", words.cost()), solved]);
    let cells = rows.map(|row| {
        let mut cells = vec![if row.is_result { "*" } else { "" }.into(), row.name.clone().into()];
        match &row.weights {
            Some(weights) => cells.extend(texts(weights).map(Cell::Text)),
            None => cells.extend(names.iter().map(|_| Cell::Missing)),
        }
        cells.extend([
            words.cell(Some(&row.training)),
            Cell::Percent(row.relative),
            Cell::Percent(row.training.share()),
            words.cell(row.held_out.as_ref()),
            Cell::percent(row.held_out.as_ref().map(Totals::share)),
        ]);
        cells
    });
    Table::new(&headings, cells)
}

/// Each weight as text.
fn texts(weights: &Weights) -> impl Iterator<Item = String> {
    weights.0.iter().map(|&weight| Thousandths(weight).to_string())
}

impl Tuned {
    /// By how much the cost changed, on the held-out problems if there are any.
    pub(super) fn headline(&self) -> Headline {
        let (comparison, place) = match &self.held_out {
            Some(held_out) => (held_out, " held out"),
            None => (&self.training, ""),
        };
        let text = format!("{} {:+.2} %{place}", self.words().cost(), 100.0 * comparison.change);
        Headline::of(text, "change", comparison.change)
    }

    /// Iterations, charts, weights and a summary.
    pub fn view(&self) -> View {
        let names: Vec<_> = self.weights.iter().map(|weight| weight.name.as_str()).collect();
        let (suite, limit) = (&self.suite, thousands(self.nodes_a_problem));
        let words = self.words();
        let (title, table) = match (self.settings.as_slice(), &self.fitness) {
            // Version 0.1 listed iterations.
            ([], _) => (
                format!("({limit} nodes per problem; nodes to the solution, {} agreement)", self.policy),
                iterations(&names, words, self.iterations.iter()),
            ),
            (rows, None) => (
                format!("({limit} nodes per problem; {})", self.policy.explained()),
                settings(&names, &self.policy.nodes_heading(), words, rows.iter()),
            ),
            (rows, Some(fitness)) => {
                let judge = self.judge.as_ref().map_or(String::new(), |judge| format!("; judge: {judge}"));
                let what = if fitness.is_plain() { String::new() } else { format!(" by the fitness {fitness}") };
                (
                    format!("({limit} nodes each; mean {}{what}: {}{judge})", words.cost(), fitness.meaning()),
                    settings(&names, words.cost(), words, rows.iter()),
                )
            }
        };
        let title = format!("Weights of {} on {suite} {title}, by {}:\n\n", self.whose(), self.optimiser);
        let [nodes, weights] = self.charts();
        let changes = format!(">{} changes by", words.cost());
        let changes = if self.fitness.is_none() { ">nodes change by" } else { &changes };
        let headings = ["weight", ">start", ">tuned", ">if it alone is", changes, "effect"];
        View::new()
            .text(title)
            .table(table)
            .text("\n")
            .text(if self.settings.is_empty() { "" } else { "* the result; numbers are iterations.\n\n" })
            .chart(nodes)
            .chart(weights)
            .table(Table::new(&headings, self.weights.iter().map(TunedWeight::cells)))
            .text("\n".to_string() + &self.summary())
    }

    /// Whose weights they are.
    fn whose(&self) -> String {
        match &self.engine {
            Some(engine) => engine.clone(),
            None => format!("{} {}", self.game, self.preset),
        }
    }

    /// The unit of weights in the chart. Only the mapping of an external engine knows more about its weights. Search
    /// constants have different units, so a chart with them shows all values relative to their starts.
    fn unit(&self) -> &'static str {
        match (&self.engine, &self.setting.preset) {
            (Some(_), _) => "weight",
            (None, Some(_)) => "% of the start",
            (None, None) => "plies",
        }
    }

    fn summary(&self) -> String {
        let words = self.words();
        let mut text = format!("training  {}\n", self.training.text(words));
        if let Some(held_out) = &self.held_out {
            let _ = writeln!(text, "held out  {}", held_out.text(words));
        }
        let _ = writeln!(text, "\n{} evaluations; {}.", self.evaluations, self.stop);
        let is_solved = self.iterations.iter().flat_map(|row| &row.batch).any(|candidate| candidate.solved > 0);
        if !is_solved && self.judge.is_none() {
            text += "No problem was solved with any weights, so nothing could be tuned: try more --nodes.\n";
        }
        text += &self.gains();
        text += &match (self.choice, words.fitness) {
            (Choice::Training, None) => {
                "These weights need the fewest nodes of all that were tried on the training problems.\n".to_string()
            }
            (Choice::Training, Some(_)) => format!(
                "These weights have the least {} of all that were tried on the training {}.\n",
                words.cost(),
                words.problems()
            ),
            (Choice::HeldOut, fitness) => format!(
                "These weights are of the iteration with the {} held-out {} (early stopping): the held-out result was used \
                 for the choice and is biased.\n",
                if fitness.is_none() { "fewest" } else { "least" },
                words.cost()
            ),
        };
        text += &self.effects();
        let mut excluded: Vec<_> = self.iterations.iter().flat_map(|row| &row.excluded).collect();
        excluded.sort();
        excluded.dedup();
        if !excluded.is_empty() {
            let _ = writeln!(text, "Excluded, because the engine failed on them: {excluded:?}.");
        }
        let Setting { preset, scheme, .. } = &self.setting;
        if preset.is_some() || scheme.is_some() {
            text.push('\n');
        }
        for (name, value) in [("preset", preset), ("scheme", scheme)] {
            if let Some(value) = value {
                let _ = writeln!(text, "{name}    {value}");
            }
        }
        if !self.settings.is_empty() {
            text += &self.against_shipped();
        }
        for command in &self.setting.commands {
            let _ = writeln!(text, "{command}");
        }
        text + &self.match_text()
    }

    /// What the engine as shipped is worth, and what introduces the lines that make it the tuned one.
    fn against_shipped(&self) -> String {
        let find = |is: fn(&SettingRow) -> bool| self.settings.iter().find(|row| is(row));
        let (shipped, result) = (find(|row| row.name.starts_with(AS_SHIPPED)), find(|row| row.is_result));
        let mut text = String::new();
        if let (Some(shipped), Some(result)) = (shipped, result)
            && shipped.training.mean() < result.training.mean()
        {
            text += &match self.fitness {
                None => "The engine as shipped needs fewer nodes than any of these weights.\n".to_string(),
                Some(_) => {
                    format!("The engine as shipped has less {} than any of these weights.\n", self.words().cost())
                }
            };
        }
        let is_uci = self.engine.is_some() && self.setting.commands.iter().all(|line| line.starts_with("setoption"));
        if is_uci && shipped.is_some() {
            text += match self.setting.commands.is_empty() {
                true => "\nNo option differs from the engine as shipped.\n",
                false => "\nEverything that differs from the engine as shipped:\n\n",
            };
        }
        text
    }

    /// The match against the engine as shipped: how to play it, and its result.
    fn match_text(&self) -> String {
        let mut text = String::new();
        if let Some(command) = &self.match_command {
            let _ = writeln!(text, "\nThe tuned engine against the engine as shipped, in games:\n\n{command}");
        }
        if let Some(games) = &self.games {
            let _ = write!(text, "\n{} against {}:\n\n{}", games.a, games.b, games.text());
        }
        text
    }

    /// Whether training gains carried over to the held-out problems.
    fn gains(&self) -> String {
        let problems = self.words().problems();
        match (&self.held_out, self.last_to_carry_over) {
            _ if self.training.tuned.nodes >= self.training.start.nodes => "There was no gain.\n".into(),
            (None, _) => format!("No {problems} were held out, so it is unknown whether the gain generalises.\n"),
            (Some(held_out), _) if held_out.tuned.nodes >= held_out.start.nodes => {
                format!("The gain in training did not generalise to the held-out {problems}.\n")
            }
            (Some(_), None) => {
                format!("The gain in training generalised to the held-out {problems} in all iterations.\n")
            }
            (Some(_), Some(iteration)) => format!(
                "The gain in training generalised to the held-out {problems} up to iteration {iteration}, and not after it.\n"
            ),
        }
    }

    /// Which weights have no effect, or none beyond the error.
    fn effects(&self) -> String {
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
                "No effect seen: {idle}. No change, not even to the ends of the range, {} or moved the {} by more than {:.4} %.",
                if self.judge.is_some() { "found another best move" } else { "solved another problem" },
                self.words().cost(),
                100.0 * largest.fold(0.0, f64::max)
            );
        }
        if !doubtful.is_empty() {
            let _ = writeln!(
                text,
                "Not significant: {doubtful}. On these {} the effect cannot be distinguished from zero.",
                self.words().problems()
            );
        }
        text
    }

    /// The two charts of the paper's Figure 1: nodes and solved problems, and the weights.
    pub fn charts(&self) -> [Chart; 2] {
        let (rows, words) = (&self.iterations, self.words());
        let (cost, solved) = (words.cost(), words.solved());
        let by = |value: &dyn Fn(&IterationRow) -> f64| rows.iter().map(|row| 100.0 * value(row)).collect::<Vec<_>>();
        let mut series = vec![
            Series::new(format!("{cost}, training"), by(&|row| row.relative)),
            Series::dotted(format!("{solved}, training"), by(&IterationRow::solved_share)),
        ];
        if let Some(first) = rows.first().map(IterationRow::held_out_mean).filter(|_| self.held_out.is_some()) {
            series
                .insert(1, Series::new(format!("{cost}, held out"), by(&|row| row.held_out_mean() / first.max(1e-9))));
            series.push(Series::dotted(format!("{solved}, held out"), by(&|row| row.held_out_share().unwrap_or(0.0))));
        }
        let title = match self.fitness {
            None => "Problems solved, and nodes relative to the start".to_string(),
            Some(_) => format!("Share of {solved}, and {cost} relative to the start"),
        };
        let weights = self.weights.iter().enumerate().map(|(index, weight)| {
            let one = if self.setting.preset.is_some() { weight.start.0.max(1) as f64 / 100.0 } else { ONE as f64 };
            let value = |row: &IterationRow| row.weights.0.get(index).map_or(0.0, |&weight| weight as f64 / one);
            Series::new(weight.name.clone(), rows.iter().map(value).collect())
        });
        [
            Chart { title, unit: "%".into(), series },
            Chart { title: "Weights".into(), unit: self.unit().into(), series: weights.collect() },
        ]
    }
}

impl TunedWeight {
    fn cells(&self) -> Vec<Cell> {
        let effect = match (self.is_idle, self.is_doubtful()) {
            (true, _) => "no effect seen",
            (_, true) => "within chance",
            _ => "",
        };
        vec![
            self.name.clone().into(),
            self.start.to_string().into(),
            self.value.to_string().into(),
            self.probe.value.to_string().into(),
            change_text(self.probe.change, self.probe.error).into(),
            effect.into(),
        ]
    }
}

impl Comparison {
    /// The change of nodes with its error bar.
    pub(super) fn change_text(&self) -> String {
        change_text(self.change, self.error)
    }

    fn text(&self, words: Words<'_>) -> String {
        format!(
            "{} → {} {} ({}), {} → {} of {} {} ({} → {})",
            words.amount(&self.start),
            words.amount(&self.tuned),
            words.cost(),
            self.change_text(),
            self.start.solved,
            self.tuned.solved,
            self.tuned.problems,
            words.solved(),
            percent(self.start.share()),
            percent(self.tuned.share()),
        )
    }
}

/// A relative change with its error bar: `-12.34 ± 5.67 %`.
fn change_text(change: f64, error: Option<f64>) -> String {
    let error = error.map_or(String::new(), |error| format!(" ± {:.2}", 100.0 * error));
    format!("{:+.2}{error} %", 100.0 * change)
}
