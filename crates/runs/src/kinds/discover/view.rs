//! A discovery as text: the best features, Neutral, what was measured without a gain, and what to use.

use super::{Discovery, Evaluation, classes};
use crate::finding::{Finding, exclusions};
use crate::fitness::FitnessChoice;
use crate::headline::Headline;
use crate::view::{Cell, Table, View, thousands};

/// Features that are named as those that may be searched less.
const MOST_LINES: usize = 10;

impl Discovery {
    /// The `top` best features, a summary, and what to use.
    pub fn view(&self, top: usize) -> View {
        if self.judge.is_some() || self.fitness.is_some() {
            return self.rated_view(top);
        }
        let view = View::new().text(self.title()).table(self.table(top)).text(self.summary());
        self.with_rest(view, top)
    }

    /// What was done, on what.
    pub(super) fn title(&self) -> String {
        let is_rated = self.judge.is_some() || self.fitness.is_some();
        let how = match (&self.judge, self.policy) {
            (Some(judge), _) if is_rated => format!("; judge: {judge}"),
            (_, policy) => policy.map_or(String::new(), |policy| format!("; {}", policy.explained())),
        };
        format!(
            "Features of {} at {} plies, on {} ({} {}, {} nodes each, {}{how}):\n\n",
            self.game,
            self.weight,
            self.suite,
            self.problems,
            if self.judge.is_some() { "positions" } else { "problems" },
            thousands(self.nodes_a_problem),
            self.preset,
        )
    }

    /// What to use.
    pub(super) fn advice_text(&self) -> String {
        self.advice.as_ref().map_or(String::new(), |advice| format!("\n{}\n", advice.text))
    }

    /// Adds the classes of features, what was done with the best ones, and what to use.
    fn with_rest(&self, view: View, top: usize) -> View {
        let view = self.with_classes(view, top);
        let view = self.followed.iter().fold(view, |view, followed| view.view(followed.view()));
        view.text(self.advice_text())
    }

    /// The best feature.
    pub(super) fn headline(&self) -> Headline {
        let Some(best) = self.output.first() else { return Headline::text("no features") };
        let feature = &best.finding.feature;
        match (best.gain_on_neutral(), best.finding.solved) {
            (Some((gain, error)), _) => {
                Headline::of(format!("{feature}: {gain:+.4} ± {error:.4} less cost"), "gain", gain)
            }
            (None, Some(solved)) => {
                let more = i64::from(solved) - i64::from(self.neutral);
                let text = format!("{feature}: {solved} of {} solved ({more:+})", self.problems);
                Headline::of(text, "solved", f64::from(solved))
            }
            (None, None) => Headline::text(feature.clone()),
        }
    }

    /// Adds the classes of features, if there are several.
    fn with_classes(&self, view: View, top: usize) -> View {
        match self.classes.len() {
            0 | 1 => view,
            _ => view.text("\n").table(classes::table(&self.classes, top)).text(classes::notes(&self.classes, top)),
        }
    }

    /// The `top` best features by another fitness than problems solved, and what to use.
    fn rated_view(&self, top: usize) -> View {
        let view = View::new().text(self.title()).table(self.rated_table(top)).text(self.rated_summary());
        self.with_rest(view, top)
    }

    /// Whether the cost by the fitness is the regret, which has a column of its own.
    fn is_by_regret(&self) -> bool {
        self.fitness.as_ref().is_none_or(|fitness| *fitness == FitnessChoice::regret())
    }

    fn rated_table(&self, top: usize) -> Table {
        let (has_regret, has_cost) = (self.judge.is_some(), !self.is_by_regret());
        // Runs of versions that did not name the fitness have no frequencies.
        let has_frequency = self.fitness.is_some();
        let mut headings = vec!["feature".to_string()];
        headings.extend(has_regret.then(|| ">regret".to_string()));
        headings.extend(self.fitness.iter().filter(|_| has_cost).map(|fitness| format!(">cost by {fitness}")));
        headings.extend(["less than Neutral", if has_regret { ">best moves" } else { ">solved" }].map(str::to_string));
        headings.extend(has_frequency.then(|| ">frequency".to_string()));
        headings.extend(["improves on", ">weight"].map(str::to_string));
        let row = |evaluation: &Evaluation| {
            let (gain, error) = evaluation.gain_on_neutral()?;
            let is_neutral = evaluation.finding.feature == "Neutral";
            let solved_share = f64::from(evaluation.finding.solved?) / self.problems.max(1) as f64;
            let mut cells = vec![Cell::Text(evaluation.finding.feature.clone())];
            if has_regret {
                cells.push(Cell::Number(evaluation.regret?.regret, 4));
            }
            if has_cost {
                cells.push(evaluation.rated.as_ref().map_or(Cell::Missing, |rated| Cell::Number(rated.cost, 4)));
            }
            cells.push(if is_neutral { "".into() } else { format!("{gain:+.4} ± {error:.4}").into() });
            cells.push(Cell::Percent(solved_share));
            if has_frequency {
                cells.push(evaluation.rated.as_ref().map_or(Cell::Missing, |rated| Cell::Percent(rated.frequency)));
            }
            cells.push(evaluation.first_parent.clone().unwrap_or_else(|| evaluation.verdict.clone()).into());
            cells.push(evaluation.weight.clone().unwrap_or_default().into());
            Some(cells)
        };
        Table::new(&headings, self.output.iter().filter_map(row).take(top))
    }

    pub(super) fn rated_summary(&self) -> String {
        let (cost, meaning) = match &self.fitness {
            Some(fitness) if !self.is_by_regret() => ("cost", format!("Cost is the {}", fitness.meaning())),
            _ => ("regret", "Regret is what a move costs in expected points".to_string()),
        };
        format!(
            "\n{} evaluations ({} combinations skipped, pruning: {}), {} nodes of the players. {meaning}; ± is half of the 95 % \
             interval. A combination is kept if it has less {cost} than its first parent beyond chance (one-sided, 5 % for \
             each).\n",
            self.evaluations,
            self.skipped,
            self.pruning,
            thousands(self.nodes),
        ) + &self.about_savings()
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
        let has_shares = self.may_lose.is_some();
        if has_shares {
            headings.insert(4, ">of Neutral's".to_string());
        }
        let has_seeds = self.seeds.is_some();
        if has_seeds {
            headings.splice(3..3, [">by seed", ">seeds"].map(str::to_string));
        }
        headings.push("improves on".to_string());
        headings.extend(has_weights.then(|| ">weight".to_string()));
        let row = |evaluation: &Evaluation| {
            let mut cells = evaluation.finding.cells();
            if has_gains {
                cells.insert(2, self.gain_cell(evaluation));
            }
            if has_shares {
                cells.insert(4, Cell::percent(self.share_of_nodes(evaluation)));
            }
            if let Some(repeats) = evaluation.repeats.as_ref().filter(|_| has_seeds) {
                cells[1] = repeats.mean.map_or(Cell::Missing, |mean| Cell::Number(mean.mean, 1));
                cells.splice(3..3, repeats.cells());
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
            let title =
                if has_shares { "── solve too few, or save no nodes:" } else { "── measured, no gain:" };
            rows.push(line(title.to_string()));
            rows.extend(below.iter().take(below_top).map(row));
            rows.extend(more(below, below_top));
        }
        Table::new(&headings, rows)
    }

    fn gain_cell(&self, evaluation: &Evaluation) -> Cell {
        match self.gain(evaluation) {
            Some(_) if evaluation.finding.feature == "Neutral" => "".into(),
            Some(counts) => {
                let Some([gain, error]) = self.gain_and_error(evaluation) else { return Cell::Missing };
                let mean = evaluation.repeats.as_ref().and_then(|repeats| repeats.gain).map(|gain| gain.mean);
                let is_gain = mean.map_or(counts.difference() > 0, |mean| mean > 0.0);
                let doubt = if is_gain && !self.is_beyond_chance(counts) { " (may be chance)" } else { "" };
                let sign = if gain.starts_with('-') { "" } else { "+" };
                format!("{sign}{gain} ± {error}{doubt}").into()
            }
            None => Cell::Missing,
        }
    }

    /// What differences such a suite can show.
    fn power(&self, discordant: f64) -> String {
        let problems = self.problems as f64;
        let needed = |difference: f64| {
            // One-sided 5 %, 80 % power, by the normal approximation of the sign test.
            let (share, rate) = (difference / problems, discordant / problems);
            ((1.645 + 0.842_f64).powi(2) * rate / (share * share)).ceil()
        };
        let visible = (1.645 + 0.842) * discordant.sqrt();
        format!(
            "A feature and its first parent differ on {discordant:.0} problems on average. Differences of {visible:.0} problems \
             can be seen in four of five cases; for one as small as 3 of {}, {} problems would be needed.\n",
            self.problems,
            thousands(needed(3.0) as u64),
        )
    }

    /// How several seeds were used.
    fn about_seeds(&self) -> String {
        let Some(seeds) = self.seeds else { return String::new() };
        let mut text =
            "Solved: the mean of the seeds. By seed: half of the 95 % interval of the gain over other seeds, on these \
                        problems.\n"
                .to_string();
        match self.error {
            Some(error) => {
                text += &format!(
                    "A combination is kept only if it solves more than its first parent beyond chance: a paired test over \
                     problems and seeds, with one seed if that decides and with at most {seeds}, and an error rate of {:.0} % \
                     for each combination, over all looks together.\n",
                    100.0 * error
                );
            }
            None => text += &format!("Each feature was measured with {seeds} seeds; rounded means are compared.\n"),
        }
        text
    }

    /// Which moves may be searched less, and by which rule.
    fn about_savings(&self) -> String {
        let Some(epsilon) = self.may_lose else { return String::new() };
        let rule = match self.error {
            Some(error) => format!(
                "if it solves no fewer problems beyond chance (sign test, {:.0} %) and needs fewer nodes beyond chance",
                100.0 * error
            ),
            None => format!("if it solves at most {epsilon} problems fewer and needs fewer nodes"),
        };
        let lines = self.output.iter().filter(|evaluation| self.may_be_searched_less(evaluation)).take(MOST_LINES);
        let lines: String = lines.filter_map(|evaluation| Some(self.savings_line(evaluation)? + "\n")).collect();
        format!(
            "A combination is kept {rule} than its first parent. A reduced move that raises alpha is searched again.\n{lines}"
        )
    }

    pub(super) fn summary(&self) -> String {
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
        text += &self.about_seeds();
        text += &self.about_savings();
        text += &self.operators.as_ref().map_or(String::new(), |text| format!("{text}\n"));
        if let (Some(error), None, None) = (self.error, self.seeds, self.may_lose) {
            text += &format!(
                "A combination is kept only if it solves more problems than its first parent beyond chance: a sign test with \
                 an error rate of {:.0} % for each.\n",
                100.0 * error
            );
        }
        if let Some(discordant) = self.mean_discordant {
            text += &self.power(discordant);
        }
        text += &self.power.map_or(String::new(), |power| power.text(self.problems));
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
    /// How much less it costs than Neutral by the run's fitness, with half the width of the 95 % interval.
    pub(super) fn gain_on_neutral(&self) -> Option<(f64, f64)> {
        match (&self.rated, self.regret) {
            (Some(rated), _) => Some((rated.gain, rated.error)),
            (None, regret) => regret.map(|regret| (regret.gain, regret.error)),
        }
    }

    fn origin(&self) -> String {
        match (&self.first_parent, self.finding.solved, self.at_least) {
            (Some(parent), Some(_), Some(_)) => parent.clone(),
            _ => self.verdict.clone(),
        }
    }
}
