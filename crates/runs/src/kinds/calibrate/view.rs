//! Views of a calibration.

use super::analysis::{Analysis, Decision, Estimate, MeasureCorrelation, SPRT};
use super::rows::VariantRow;
use super::{Calibrated, Config, Level};
use crate::chart::{Figure, Mark, Scatter};
use crate::screening::Verdict;
use crate::summary::Range;
use crate::view::{Cell, Table, View, thousands};

/// The whole result.
pub fn view(config: &Config, calibrated: &Calibrated) -> View {
    calibrated.levels.iter().fold(View::new(), |view, level| view.view(level_view(config, level)))
}

fn level_view(config: &Config, level: &Level) -> View {
    let play = &config.play;
    let nodes = if level.nodes > 0 { format!("{} nodes per move", thousands(level.nodes)) } else { play.conditions() };
    let view = View::new()
        .text(format!(
            "Variants of {} on {} and in games ({}, {nodes}, {} games each; judge: {}, {} nodes):\n\n",
            config.base,
            config.suite_name,
            play.game.name,
            play.games,
            config.judge,
            thousands(config.judge_nodes),
        ))
        .table(variant_table(&level.variants))
        .text(analysis_text(&level.analysis));
    match level.analysis.decisions.is_empty() {
        true => view.text("\n"),
        false => view
            .text(format!(
                "\nNodes to tell a variant from {}, at an error rate of 5 %: by moves, and by an SPRT of {} against {} \
                 normalized Elo. Variants whose games differ from 50 % beyond chance:\n\n",
                config.base, SPRT.elo0, SPRT.elo1
            ))
            .table(decision_table(&level.analysis.decisions))
            .text(savings_text(&level.analysis)),
    }
}

/// What there is of an unfinished run.
pub fn partial(config: &Config, rows: &[VariantRow]) -> View {
    let all = config.variants.len() * config.limits().len();
    View::new().text(format!("{} of {all} variants so far:\n\n", rows.len())).table(variant_table(rows))
}

fn variant_table(rows: &[VariantRow]) -> Table {
    let mut sorted: Vec<&VariantRow> = rows.iter().collect();
    sorted.sort_by(|a, b| a.limit.cmp(&b.limit).then(b.score.total_cmp(&a.score)));
    let cells = |row: &VariantRow| {
        vec![
            Cell::Text(row.player.clone()),
            Cell::Text(Range::text_or_dash(row.elo)),
            Cell::Text(format!("{:+.4} ± {:.4}", row.gain, row.gain_error)),
            Cell::Text(row.verdict.map_or("", verdict_word).to_string()),
            Cell::Percent(row.agreement),
            Cell::count(row.solved.map(u64::from)),
            Cell::count(row.solved_with_more.map(u64::from)),
            Cell::Percent(row.frequency),
        ]
    };
    let headings = ["variant", ">Elo", ">less regret", "screen", ">agreement", ">solved", ">10 × nodes", ">frequency"];
    Table::new(&headings, sorted.into_iter().map(cells))
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::CannotTell => "",
    }
}

fn decision_table(decisions: &[Decision]) -> Table {
    let cells = |decision: &Decision| {
        let [positions, nodes] = decision.screening.map_or([None; 2], |both| both.map(Some));
        vec![
            Cell::Text(decision.player.clone()),
            Cell::Number(decision.nelo, 0),
            Cell::count(positions),
            Cell::count(nodes),
            Cell::Count(decision.sprt[0]),
            Cell::Count(decision.sprt[1]),
            decision.saving().map_or(Cell::Missing, |saving| Cell::Number(saving, 1)),
        ]
    };
    let headings = ["variant", ">nElo", ">positions", ">nodes", ">SPRT games", ">nodes", ">times fewer"];
    Table::new(&headings, decisions.iter().map(cells))
}

fn savings_text(analysis: &Analysis) -> String {
    let blind = analysis.decisions.iter().filter(|decision| decision.screening.is_none()).count();
    let count = analysis.decisions.len();
    let median = analysis.median_saving().map_or(String::new(), |median| {
        format!("By moves takes {median:.1} times fewer nodes than by games (median; nodes of the judge apart). ")
    });
    format!("\n{median}Of {count} variants, {blind} have no regret of the sign that their games have.\n\n")
}

fn analysis_text(analysis: &Analysis) -> String {
    let mut text =
        "\nRank correlation with the score in games (95 % bootstrap intervals over the variants):\n\n".to_string();
    let interval = |e: &Estimate| format!("{:+.2} [{:+.2}, {:+.2}]", e.value, e.low, e.high);
    for MeasureCorrelation { measure, spearman, kendall } in &analysis.correlations {
        let (spearman, kendall) = (interval(spearman), interval(kendall));
        text += &format!("{:18}  Spearman {spearman}   Kendall {kendall}\n", measure.name());
    }
    if let Some((measure, on_rest)) = &analysis.chosen {
        text += &format!(
            "\nHalf of the variants choose {}; on the other half its Spearman correlation is {}.\n",
            measure.name(),
            interval(on_rest)
        );
    }
    let Estimate { value, low, high } = analysis.slope;
    text += &format!(
        "A regret of 0.01 less is worth {:+.0} Elo [{:+.0}, {:+.0}]. A screening tells {} variants from the base; the games \
         of {} of them have the same sign.\n",
        value / 100.0,
        low / 100.0,
        high / 100.0,
        analysis.clear_gains,
        analysis.right_signs,
    );
    text
}

/// What is gained in regret against what is gained in games.
pub(super) fn scatter(rows: &[&VariantRow]) -> Figure {
    let mut limits: Vec<u64> = rows.iter().map(|row| row.limit).collect();
    limits.sort_unstable();
    limits.dedup();
    let mark = |row: &&VariantRow| Mark {
        name: row.player.clone(),
        x: row.gain,
        y: 100.0 * row.score,
        error: None,
        group: limits.iter().position(|limit| *limit == row.limit).unwrap_or(0),
    };
    Figure::Scatter(Scatter {
        title: "Score in games against the gain in regret".to_string(),
        x: "less regret than the base".to_string(),
        y: "score (%)".to_string(),
        groups: limits.iter().map(|limit| format!("{} nodes", thousands(*limit))).collect(),
        points: rows.iter().map(mark).collect(),
    })
}
