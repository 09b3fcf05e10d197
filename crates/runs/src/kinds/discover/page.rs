//! The page of a discovery: the lattice, the ranking with the paper's numbers, which problem is solved by which feature, and
//! value against frequency.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use plysmith_learn::focus::FocusVerdict;

use super::{Config, Discovery, Evaluation, Event, classes};
use crate::chart::{Fate, Figure, Lattice, Mark, Node, Scatter};
use crate::error::RunError;
use crate::finding::Finding;
use crate::finding_charts::{failures, matrix, overlap};
use crate::kinds::papers;
use crate::view::{Cell, Table, View, counted};

/// The ranking has no more rows.
const MOST_ROWS: usize = 1_000;

/// Everything that is known of the features of a run.
struct Evaluated<'a> {
    config: &'a Config,
    evaluations: Vec<Evaluation>,
}

const FAILURES: &str =
    "The engine failed at these problems in three fresh processes. They are excluded from all results.\n";

/// What a feature is worth.
#[derive(Copy, Clone)]
struct Worth {
    /// Problems solved, or by how much less it costs than Neutral; none if it was not measured to the end.
    value: Option<f64>,
    /// How much better than Neutral it is.
    gain: Option<f64>,
    /// Half the width of the interval of that.
    error: Option<f64>,
}

/// The page of a run; of an unfinished one, without a discovery.
pub(super) fn page(
    config: &Config,
    discovery: Option<&Discovery>,
    events: &mut dyn Iterator<Item = Result<Event, RunError>>,
) -> Result<View, RunError> {
    let mut evaluations = Vec::new();
    for event in events {
        if let Event::Evaluation(evaluation) = event? {
            evaluations.push(*evaluation);
        }
    }
    // What was measured again after its evaluation counts.
    let latest: HashMap<&str, &Evaluation> =
        discovery.into_iter().flat_map(|found| &found.output).map(|one| (one.finding.feature.as_str(), one)).collect();
    for evaluation in &mut evaluations {
        if let Some(latest) = latest.get(evaluation.finding.feature.as_str()) {
            (evaluation.finding, evaluation.repeats) = (latest.finding.clone(), latest.repeats.clone());
        }
    }
    let all = Evaluated { config, evaluations };
    let view = match discovery {
        Some(discovery) => View::new().text(discovery.title()).text(discovery.advice_text()),
        None => View::new().text(format!("{} so far.\n", counted(all.evaluations.len(), "measurement"))),
    };
    let view = all.figures(view);
    Ok(match discovery {
        Some(discovery) => discovery.details(view, config),
        None => view,
    })
}

impl Discovery {
    /// How alike features are, what was done with the best of them, and how all this was found.
    fn details(&self, view: View, config: &Config) -> View {
        let mut view = view;
        if let Some(similarity) = &self.similarity {
            let map = similarity.heat_map("How alike features are".to_string());
            view = view.heading("Classes of features").figure(Figure::HeatMap(map));
            view =
                view.table(classes::table(&self.classes, config.top)).text(classes::notes(&self.classes, config.top));
        }
        if let Some(followed) = &self.followed {
            view = view.heading("What was done with the best features").view(followed.view());
        }
        let rated = self.judge.is_some() || self.fitness.is_some();
        let summary = if rated { self.rated_summary() } else { self.summary() };
        view.heading("How this was measured").text(summary)
    }
}

impl Evaluated<'_> {
    /// Lattice, ranking, problems and frequencies.
    fn figures(&self, view: View) -> View {
        let ranked = self.ranked();
        let mut view = view;
        if self.evaluations.len() > 1 {
            view = view.heading("Lattice").figure(Figure::Lattice(self.lattice()));
        }
        if !ranked.is_empty() {
            view = view.heading("Ranking").text(self.ranking_note()).table(self.ranking(&ranked));
        }
        if let Some(failures) = failures(self.evaluations.iter().map(|evaluation| &evaluation.finding)) {
            view = view.heading("Failures").text(FAILURES).table(failures);
        }
        let findings: Vec<&Finding> = ranked.iter().map(|&number| &self.evaluations[number].finding).collect();
        let suite = || self.suite();
        if let Some(matrix) = matrix(&findings, suite()) {
            view = view.heading("Problems").figure(matrix);
        }
        let kept = ranked.iter().map(|&number| &self.evaluations[number]).filter(|one| one.fate().is_kept());
        if let Some(overlap) = overlap(kept.map(|evaluation| &evaluation.finding), suite()) {
            view = view.figure(overlap);
        }
        match self.scatter(&ranked) {
            Some(scatter) => view.heading("Value and frequency").figure(Figure::Scatter(scatter)),
            None => view,
        }
    }

    /// The names of the problems; none if features are rated on graded positions.
    fn suite(&self) -> impl Iterator<Item = &str> {
        let problems = &self.config.experiment.suite.problems;
        problems.iter().filter(|_| self.config.graded.is_none()).map(|problem| problem.id.as_str())
    }

    /// The numbers of the evaluations, the best first; those that were not measured to the end last.
    fn ranked(&self) -> Vec<usize> {
        let neutral = self.neutral();
        let mut keys: Vec<(usize, f64)> = Vec::new();
        for (number, evaluation) in self.evaluations.iter().enumerate() {
            keys.push((number, evaluation.worth(neutral).value.unwrap_or(f64::NEG_INFINITY)));
        }
        keys.sort_by(|one, other| other.1.total_cmp(&one.1));
        keys.into_iter().map(|(number, _)| number).collect()
    }

    fn neutral(&self) -> Option<&Finding> {
        self.evaluations.iter().map(|evaluation| &evaluation.finding).find(|finding| finding.feature == "Neutral")
    }

    /// What the values are.
    fn unit(&self) -> String {
        match (&self.config.fitness, &self.config.graded) {
            (Some(fitness), _) if !fitness.is_solved() => format!("less cost by {fitness} than Neutral"),
            (None, Some(_)) => "less regret than Neutral".to_string(),
            _ => "problems solved".to_string(),
        }
    }

    fn lattice(&self) -> Lattice {
        let neutral = self.neutral();
        let numbers: HashMap<&str, usize> =
            self.evaluations.iter().enumerate().map(|(number, one)| (one.finding.feature.as_str(), number)).collect();
        let node = |evaluation: &Evaluation| {
            let worth = evaluation.worth(neutral);
            let parents = [&evaluation.first_parent, &evaluation.second_parent].into_iter().flatten();
            Node {
                name: evaluation.finding.feature.clone(),
                layer: layer(&evaluation.finding.feature),
                parents: parents.filter_map(|name| numbers.get(name.as_str()).copied()).collect(),
                fate: evaluation.fate(),
                rule: self.rule(evaluation),
                value: worth.value,
                gain: worth.gain.zip(worth.error).filter(|_| evaluation.fate() != Fate::Neutral),
                frequency: evaluation.frequency(),
            }
        };
        let mut nodes: Vec<Node> = self.evaluations.iter().map(node).collect();
        nodes.extend(self.never_combined(&numbers));
        // Layers that nothing is in are left out.
        let layers: BTreeSet<usize> = nodes.iter().map(|node| node.layer).collect();
        let used: BTreeMap<usize, usize> =
            layers.into_iter().enumerate().map(|(place, layer)| (layer, place)).collect();
        nodes.iter_mut().for_each(|node| node.layer = used.get(&node.layer).copied().unwrap_or(0));
        let layers = used.keys().map(|layer| layer_name(*layer)).collect();
        Lattice { title: "Features and what became of them".to_string(), unit: self.unit(), layers, nodes }
    }

    /// The combinations that were forbidden from the start.
    fn never_combined<'a>(&'a self, numbers: &'a HashMap<&str, usize>) -> impl Iterator<Item = Node> + 'a {
        let forbidden = self.config.blacklist.iter().filter(|name| !numbers.contains_key(name.as_str()));
        forbidden.map(|name| Node {
            name: name.clone(),
            layer: layer(name),
            parents: name.split('-').filter_map(|atom| numbers.get(atom).copied()).collect(),
            fate: Fate::Blacklisted,
            rule: "no move has all of these, or they mean the same".to_string(),
            value: None,
            gain: None,
            frequency: None,
        })
    }

    /// By which rule a feature survived or not.
    fn rule(&self, evaluation: &Evaluation) -> String {
        let parent = evaluation.first_parent.as_deref().unwrap_or("its first parent");
        let needed = evaluation.at_least.map(|least| format!("; it had to solve {least}")).unwrap_or_default();
        let alone =
            evaluation.alone.map(|[own, other]| format!("; {own} problems only with it, {other} only with {parent}"));
        let how = needed + &alone.unwrap_or_default();
        match evaluation.fate() {
            Fate::Survivor => format!("improves on {parent}{how}"),
            Fate::Pruned if evaluation.verdict == FocusVerdict::Grows.name() => {
                format!("improves on {parent}, but not on a wider conjunction{how}")
            }
            Fate::Pruned => format!("does not improve on {parent}, so it is not combined further{how}"),
            Fate::Dropped => format!("{} pruning: it solves too few to be combined{how}", self.config.pruning),
            Fate::Neutral | Fate::Base | Fate::Blacklisted => String::new(),
        }
    }

    fn ranking_note(&self) -> String {
        let hidden = self.evaluations.len().saturating_sub(MOST_ROWS);
        let more = if hidden > 0 { format!(" {hidden} more are not shown.") } else { String::new() };
        let paper = if self.has_paper() {
            format!(" The paper's column is of its own {} problems.", papers::problems_in(&self.config.experiment.game))
        } else {
            String::new()
        };
        format!("± is half of the 95 % interval of the gain on Neutral.{more}{paper}\n")
    }

    /// Whether a paper says what some of these features solve.
    fn has_paper(&self) -> bool {
        let names: HashSet<&str> = self.evaluations.iter().map(|one| one.finding.feature.as_str()).collect();
        names.iter().any(|name| *name != "Neutral" && self.paper(name).is_some())
    }

    /// What a feature solves in the papers, if they say so.
    fn paper(&self, name: &str) -> Option<u32> {
        papers::solved_in(&self.config.experiment.game, name)
    }

    fn ranking(&self, ranked: &[usize]) -> Table {
        let (neutral, has_paper) = (self.neutral(), self.has_paper());
        let has_weights = self.evaluations.iter().any(|evaluation| evaluation.weight.is_some());
        let unit = format!(">{}", self.unit());
        let mut headings =
            vec!["feature", unit.as_str(), ">gain", ">±", ">frequency", ">nodes", "became", "improves on", "adds"];
        headings.extend(has_weights.then_some(">weight"));
        headings.extend(has_paper.then_some(">paper"));
        let decimals = if self.unit() == "problems solved" && self.config.seeds == 1 { 0 } else { 4 };
        let row = |&number: &usize| {
            let evaluation = &self.evaluations[number];
            let (finding, worth) = (&evaluation.finding, evaluation.worth(neutral));
            let number_cell =
                |value: Option<f64>, decimals| value.map_or(Cell::Missing, |value| Cell::Number(value, decimals));
            let text = |text: &Option<String>| text.clone().unwrap_or_default().into();
            let mut cells = vec![
                finding.feature.clone().into(),
                match worth.value {
                    Some(value) => Cell::Number(value, decimals),
                    None => format!("{} of {} tried", finding.solved_ids.len(), finding.tried).into(),
                },
                number_cell(worth.gain, decimals),
                number_cell(worth.error, decimals.max(1)),
                Cell::percent(evaluation.frequency()),
                Cell::Count(finding.nodes),
                evaluation.fate().name().into(),
                text(&evaluation.first_parent),
                text(&evaluation.second_parent),
            ];
            cells.extend(has_weights.then(|| text(&evaluation.weight)));
            cells.extend(has_paper.then(|| Cell::count(self.paper(&finding.feature).map(u64::from))));
            cells
        };
        let shown = &ranked[..ranked.len().min(MOST_ROWS)];
        let anchors = shown.iter().map(|number| format!("feature-{number}")).collect();
        Table { anchors, ..Table::new(&headings, shown.iter().map(row)) }
    }

    /// Value against frequency; none if frequencies are not known.
    fn scatter(&self, ranked: &[usize]) -> Option<Scatter> {
        let neutral = self.neutral();
        let groups = [Fate::Base, Fate::Survivor, Fate::Pruned, Fate::Dropped];
        let mark = |&number: &usize| {
            let evaluation = &self.evaluations[number];
            let worth = evaluation.worth(neutral);
            Some(Mark {
                name: evaluation.finding.feature.clone(),
                x: 100.0 * evaluation.frequency()?,
                y: worth.gain?,
                error: worth.error,
                group: groups.iter().position(|fate| *fate == evaluation.fate())?,
            })
        };
        let points: Vec<Mark> = ranked.iter().filter_map(mark).take(MOST_ROWS).collect();
        (!points.is_empty()).then(|| Scatter {
            title: "Gain on Neutral against the share of moves that a feature decides over".to_string(),
            x: "frequency (%)".to_string(),
            y: "gain on Neutral".to_string(),
            groups: groups.iter().map(|fate| fate.name().to_string()).collect(),
            points,
        })
    }
}

impl Evaluation {
    fn fate(&self) -> Fate {
        let is = |verdict: FocusVerdict| self.verdict == verdict.name();
        match () {
            () if is(FocusVerdict::Neutral) => Fate::Neutral,
            () if is(FocusVerdict::Base) => Fate::Base,
            () if is(FocusVerdict::Lives) => Fate::Survivor,
            () if is(FocusVerdict::Dropped) => Fate::Dropped,
            () => Fate::Pruned,
        }
    }

    fn worth(&self, neutral: Option<&Finding>) -> Worth {
        if let Some((gain, error)) = self.gain_on_neutral() {
            return Worth { value: Some(gain), gain: Some(gain), error: Some(error) };
        }
        if let Some(repeats) = &self.repeats {
            let gain = repeats.gain;
            let (mean, error) = (gain.map(|gain| gain.mean), gain.map(|gain| gain.over_problems));
            return Worth { value: repeats.mean.map(|mean| mean.mean), gain: mean, error };
        }
        let counts = neutral.and_then(|neutral| self.finding.against(neutral));
        Worth {
            value: self.finding.solved.map(f64::from),
            gain: counts.map(|counts| counts.difference() as f64),
            error: counts.map(|counts| counts.error()),
        }
    }

    /// The share of moves that it decides over, if it was counted.
    fn frequency(&self) -> Option<f64> {
        let of_fitness = self.rated.as_ref().map(|rated| rated.frequency);
        of_fitness.or(self.finding.frequencies.first().copied())
    }
}

/// Neutral, conjunctions by the number of their atoms, then alternatives by their number.
fn layer(name: &str) -> usize {
    const ALTERNATIVES: usize = 1_000;
    match (name, name.split('|').count()) {
        ("Neutral", _) => 0,
        (_, 1) => name.split('-').count(),
        (_, alternatives) => ALTERNATIVES + alternatives,
    }
}

fn layer_name(layer: usize) -> String {
    match layer {
        0 => String::new(),
        1 => "atoms".to_string(),
        1_000.. => format!("{} alternatives", layer - 1_000),
        _ => format!("{layer} atoms"),
    }
}

#[cfg(test)]
mod tests {
    use super::{layer, layer_name};

    #[test]
    fn layers_are_numbers_of_atoms_and_of_alternatives() {
        let names = ["Neutral", "Ud", "Ud-PP", "Ud-PP-RdTt", "Ud|PP", "(Ud-PP)|Edg|Ms"];
        let layers = names.map(|name| layer_name(layer(name)));
        assert_eq!(layers, ["", "atoms", "2 atoms", "3 atoms", "2 alternatives", "3 alternatives"]);
    }
}
