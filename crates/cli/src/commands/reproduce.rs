//! `plysmith reproduce`: the papers' tables, our numbers beside theirs.

use clap::{Args, ValueEnum};
use plysmith_core::depth::Weight;
use plysmith_core::feature::Vocabulary;
use plysmith_learn::exhaustive::{Agreement, combinations, interesting};
use plysmith_learn::focus::FeatureValue;
use plysmith_learn::pruning::Pruning;
use serde::{Deserialize, Serialize};

use super::chess_tables::{ChessResult, ChessTable, TABLE_4_7, TABLE_4_8};
use super::discover::{self, Discovery, evolve};
use super::experiment::{ExperimentArguments, Finding};
use super::measure::MEASUREMENT;
use super::{figure1, mate_table, table4, tournament};
use crate::failure::Failure;
use crate::output::{Output, percent, table, thousands};
use crate::progress;
use crate::workbench::{Experiment, Workbench};

/// Repeat the papers' experiments and print both numbers
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith reproduce table2            evaluations needed by each way of pruning
  plysmith reproduce table3 --quick    precision and recall against all combinations
  plysmith reproduce table4 --quick    ten features in games, a short impression
  plysmith reproduce table4 --nodes 50000 --games 2400
  plysmith reproduce table4.7 --suite ecm102.epd --nodes 1000000     as in the thesis
  plysmith reproduce table4.8 --quick
  plysmith reproduce figure1 --suite ecm.epd --nodes 500000 --charts figures      as in the paper on tuning
  plysmith reproduce mate-table2 --engine stockfish     nodes to mate: ours, any engine's and the paper's")]
pub struct Arguments {
    /// Which table: 2 to 4 of 'Automated Discovery of Search-Extension Features', 4.7 and 4.8 of the thesis, or figure 1
    /// of 'Learning Control of Search Extensions'
    table: Table,

    #[command(flatten)]
    experiment: ExperimentArguments,

    /// For table4: games of each feature [default: 2400, with --quick 100]
    #[arg(long, value_name = "N")]
    games: Option<u64>,

    #[command(flatten)]
    mates: mate_table::TableArguments,

    #[command(flatten)]
    figure: figure1::FigureArguments,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Table {
    /// How many evaluations Gradual Focus needs (thesis Table 4.3)
    Table2,
    /// All one-, two- and three-wise combinations against what Gradual Focus finds (thesis Table 4.4)
    Table3,
    /// The ten best features in games against none (thesis Table 4.5)
    Table4,
    /// What Gradual Focus finds in chess
    #[value(name = "table4.7")]
    #[serde(rename = "table4.7")]
    Table47,
    /// What stands for recaptures in chess
    #[value(name = "table4.8")]
    #[serde(rename = "table4.8")]
    Table48,
    /// Nodes to solve mates in one to five: Table 2 of 'Evolution of an Efficient Search Algorithm'
    #[value(name = "mate-table2")]
    #[serde(rename = "mate-table2")]
    MateTable2,
    /// Four move classes tuned by gradient parents
    Figure1,
}

impl Table {
    /// The table of the thesis about chess that this is, if it is one.
    fn about_chess(self) -> Option<&'static ChessTable> {
        match self {
            Table::Table47 => Some(&TABLE_4_7),
            Table::Table48 => Some(&TABLE_4_8),
            Table::Table2 | Table::Table3 | Table::Table4 | Table::Figure1 | Table::MateTable2 => None,
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    pub table: Table,
    pub experiment: Experiment,
}

/// A table beside the papers' one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "table", rename_all = "lowercase")]
pub enum Reproduction {
    Table2 {
        power_set: u64,
        rows: Vec<MethodRow>,
    },
    Table3 {
        combinations: usize,
        rows: Vec<CombinationRow>,
        hits: usize,
        found: usize,
        relevant: usize,
        overlooked: Vec<String>,
    },
    Chess(ChessResult),
}

/// One way of pruning.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MethodRow {
    pub pruning: String,
    pub evaluations: usize,
    pub paper_evaluations: usize,
    pub nodes: u64,
    /// Of the ten best features found without groups, those that this method does not find.
    pub overlooked: Vec<String>,
    pub paper_overlooked: Option<usize>,
}

/// One of the best combinations.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CombinationRow {
    pub feature: String,
    pub solved: u32,
    pub paper_solved: Option<u32>,
    /// Found by Gradual Focus.
    pub found: bool,
    /// Better than every part of it by epsilon.
    pub interesting: bool,
}

pub const KIND: &str = "reproduce";
const METHOD: &str = "method";
const GAME: &str = "breakthrough";
const CHESS: &str = "chess";

/// The papers' parameters.
const EPSILON: u32 = 3;
const TOP_FEATURES: usize = 10;
const TOP_COMBINATIONS: usize = 25;
const MOST_ATOMS: usize = 3;

/// Nodes a move and games of each feature in Table 4: as in the papers, and for an impression.
const PAPER_PLAY: (u64, u64) = (500_000, 2400);
const QUICK_PLAY: (u64, u64) = (10_000, 100);

/// Thesis Table 4.3: evaluations, and overlooked combinations. The paper's Table 2 lacks the last row.
const PAPER_METHODS: [(Pruning, usize, Option<usize>); 5] = [
    (Pruning::None, 138, None),
    (Pruning::Groups, 112, Some(0)),
    (Pruning::LinearTree, 105, Some(0)),
    (Pruning::Threshold, 27, Some(5)),
    (Pruning::Knowledge, 45, Some(0)),
];

/// Thesis Table 4.4, and Neutral from the text.
const PAPER_SOLVED: [(&str, u32); 26] = [
    ("Ud-RdTt", 235),
    ("Ud-PP-RdTt", 224),
    ("PP-RdTt", 211),
    ("RdTt", 202),
    ("Ud-PP-Rdt", 173),
    ("Ud-PP", 155),
    ("Ud-Edg-RdTt", 149),
    ("Edg-RdTt", 142),
    ("Ud-RdTt-Mr", 141),
    ("PP-RdTt-Mr", 140),
    ("RdTt-Mr", 138),
    ("Ud-Rdt", 125),
    ("Ud-PP-Edg", 122),
    ("PP-Edg-RdTt", 115),
    ("Ud-Ms-RdTt", 114),
    ("Ud-PP-RdTb", 111),
    ("Ms-RdTt", 110),
    ("Ud-PP-Mr", 109),
    ("PP-Rdt-Edg", 108),
    ("Ud-Rdt-Mr", 105),
    ("Ud", 102),
    ("Ud-Rdt-Edg", 102),
    ("PP-Rdt", 98),
    ("PP-Edg", 97),
    ("Rc-Rdb", 96),
    ("Neutral", 29),
];

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let threads = arguments.experiment.threads.threads;
    if arguments.table != Table::MateTable2 {
        arguments.mates.refuse()?;
    }
    if arguments.table != Table::Figure1 {
        arguments.figure.refuse()?;
    }
    if arguments.table != Table::Table4 && arguments.games.is_some() {
        return Err(Failure::input("--games goes with table4 only; the others play no games"));
    }
    match arguments.table {
        Table::Table4 => return run_table4(arguments, output),
        Table::MateTable2 => return mate_table::begin(&arguments.experiment, &arguments.mates, output),
        Table::Figure1 => {
            return figure1::run(arguments.experiment.resolve(CHESS)?, &arguments.figure, threads, output);
        }
        Table::Table2 | Table::Table3 | Table::Table47 | Table::Table48 => {}
    }
    let config = Config {
        table: arguments.table,
        experiment: match arguments.table.about_chess() {
            None => arguments.experiment.resolve(GAME)?,
            Some(_) => arguments.experiment.resolve(CHESS)?,
        },
    };
    let workbench = Workbench::begin(KIND, &config.experiment, &config, threads)?;
    perform(&config, workbench, output)
}

pub fn perform(config: &Config, mut workbench: Workbench, output: &Output) -> Result<(), Failure> {
    let progress = progress::begin(1);
    let reproduction = match (config.table, config.table.about_chess()) {
        (_, Some(table)) => Reproduction::Chess(table.reproduce(&config.experiment, &mut workbench, &progress)?),
        (Table::Table2, _) => table2(config, &mut workbench, &progress)?,
        (Table::Table3, _) => table3(config, &mut workbench, &progress)?,
        _ => {
            return Err(Failure::input(
                "table4 is stored as a tournament, figure1 as a tuning, mate-table2 as a run of its own",
            ));
        }
    };
    drop(progress);
    workbench.finish(&reproduction)?;
    output.print(&reproduction, || reproduction.text(&config.experiment))
}

/// Table 4 is a tournament, and stored as one.
fn run_table4(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let experiment = &arguments.experiment;
    let Experiment { preset, seed, .. } = experiment.resolve(GAME)?;
    let (nodes, games) = if experiment.quick { QUICK_PLAY } else { PAPER_PLAY };
    let config = table4::config(&preset, experiment.nodes.unwrap_or(nodes), arguments.games.unwrap_or(games), seed)?;
    tournament::begin(&config, experiment.threads.threads, output)
}

/// The five methods one after the other; the memo makes what they share cost nothing.
fn table2(config: &Config, workbench: &mut Workbench, progress: &Progress) -> Result<Reproduction, Failure> {
    let mut rows = Vec::new();
    let mut reference: Vec<String> = Vec::new();
    for (pruning, paper_evaluations, paper_overlooked) in PAPER_METHODS {
        let discovery = discover(config, pruning, workbench, progress)?;
        let found: Vec<String> = discovery.output.iter().map(|evaluation| evaluation.finding.feature.clone()).collect();
        if rows.is_empty() {
            reference = found.iter().filter(|name| *name != "Neutral").take(TOP_FEATURES).cloned().collect();
        }
        let row = MethodRow {
            pruning: pruning.to_string(),
            evaluations: discovery.evaluations,
            paper_evaluations,
            nodes: discovery.nodes,
            overlooked: reference.iter().filter(|name| !found.contains(name)).cloned().collect(),
            paper_overlooked,
        };
        workbench.record(METHOD, &row)?;
        rows.push(row);
    }
    Ok(Reproduction::Table2 { power_set: 1 << workbench.features.vocabulary.0.len(), rows })
}

/// Every combination measured to the end, then what Gradual Focus finds among them.
fn table3(config: &Config, workbench: &mut Workbench, progress: &Progress) -> Result<Reproduction, Failure> {
    let vocabulary = workbench.features.vocabulary;
    let all = combinations(vocabulary, vocabulary.atoms(), Pruning::Groups, MOST_ATOMS);
    let problems = workbench.problems() as u64;
    progress.set_steps(all.len() as u64 * problems);
    let mut measured = Vec::new();
    for (index, &feature) in all.iter().enumerate() {
        let name = vocabulary.print(feature);
        progress.message(format!("combination {} of {}: {name}", index + 1, all.len()));
        let measurement = workbench.measure_feature(feature, Weight::HALF, None, progress)?;
        progress.finish_part(problems);
        workbench.record(MEASUREMENT, &Finding::new(name, &measurement, workbench.lab.suite()))?;
        measured.push(FeatureValue { feature, value: measurement.solved() });
    }
    let discovery = discover(config, Pruning::Groups, workbench, progress)?;
    compare(vocabulary, &measured, &discovery)
}

fn compare(vocabulary: Vocabulary, measured: &[FeatureValue], discovery: &Discovery) -> Result<Reproduction, Failure> {
    let mut found = Vec::new();
    for evaluation in &discovery.output {
        let feature = vocabulary.parse(&evaluation.finding.feature)?;
        found.push(FeatureValue { feature, value: evaluation.finding.solved.unwrap_or(0) });
    }
    let agreement = Agreement::of(&found, measured, EPSILON, TOP_COMBINATIONS);
    let relevant = interesting(measured, EPSILON);
    let mut best = measured.to_vec();
    best.sort_by_key(|rated| (std::cmp::Reverse(rated.value), rated.feature));
    let row = |rated: &FeatureValue| CombinationRow {
        feature: vocabulary.print(rated.feature),
        solved: rated.value,
        paper_solved: paper_solved(vocabulary, rated),
        found: found.iter().any(|other| other.feature == rated.feature),
        interesting: relevant.iter().any(|other| other.feature == rated.feature),
    };
    Ok(Reproduction::Table3 {
        combinations: measured.len(),
        rows: best.iter().take(TOP_COMBINATIONS).map(row).collect(),
        hits: agreement.hits,
        found: agreement.found,
        relevant: agreement.relevant,
        overlooked: agreement.overlooked.iter().map(|&feature| vocabulary.print(feature)).collect(),
    })
}

fn paper_solved(vocabulary: Vocabulary, rated: &FeatureValue) -> Option<u32> {
    PAPER_SOLVED.iter().find(|(name, _)| vocabulary.parse(name).ok() == Some(rated.feature)).map(|&(_, solved)| solved)
}

fn discover(
    config: &Config,
    pruning: Pruning,
    workbench: &mut Workbench,
    progress: &Progress,
) -> Result<Discovery, Failure> {
    let discovery = discover::Config {
        experiment: config.experiment.clone(),
        weight: Weight::HALF.to_string(),
        epsilon: EPSILON,
        pruning: pruning.to_string(),
        delta: None,
        base: Vec::new(),
        blacklist: Vec::new(),
        most_atoms: None,
        exact: false,
        top: TOP_FEATURES,
        follow_up: None,
    };
    evolve(&discovery, workbench, progress, &format!("{pruning}: "))
}

impl Reproduction {
    /// For people.
    pub fn text(&self, experiment: &Experiment) -> String {
        let conditions = format!(
            "{}, {} nodes a problem, {}, seed {}",
            experiment.suite_name,
            thousands(experiment.nodes),
            experiment.preset,
            experiment.seed
        );
        match self {
            Reproduction::Table2 { power_set, rows } => table2_text(&conditions, *power_set, rows),
            Reproduction::Table3 { combinations, rows, hits, found, relevant, overlooked } => {
                let counts = (*hits, *found, *relevant);
                table3_text(&conditions, *combinations, rows, counts, overlooked)
            }
            Reproduction::Chess(result) => result.text(&conditions),
        }
    }
}

fn table2_text(conditions: &str, power_set: u64, rows: &[MethodRow]) -> String {
    let cells = rows.iter().map(|row| {
        vec![
            row.pruning.clone(),
            row.evaluations.to_string(),
            row.paper_evaluations.to_string(),
            percent(row.evaluations as f64 / power_set as f64),
            thousands(row.nodes),
            row.overlooked.len().to_string(),
            row.paper_overlooked.map_or("–".to_string(), |count| count.to_string()),
            row.overlooked.join(" "),
        ]
    });
    let headings =
        ["pruning", ">evaluations", ">paper", ">of the power set", ">nodes", ">overlooked", ">paper", "which"];
    format!(
        "Evaluations by Gradual Focus (paper Table 2, thesis Table 4.3)\n{conditions}\n\n{}\n\
         Overlooked: of the ten best features found without groups, those that the method does not find.\n",
        table(&headings, cells)
    )
}

fn table3_text(
    conditions: &str,
    combinations: usize,
    rows: &[CombinationRow],
    (hits, found, relevant): (usize, usize, usize),
    overlooked: &[String],
) -> String {
    let cells = rows.iter().map(|row| {
        vec![
            if row.found { "*" } else { "" }.to_string(),
            row.feature.clone(),
            row.solved.to_string(),
            row.paper_solved.map_or("–".to_string(), |solved| solved.to_string()),
            if row.interesting { "yes" } else { "" }.to_string(),
        ]
    });
    let mut text = format!(
        "The best of all {combinations} one-, two- and three-wise combinations (paper Table 3, thesis Table 4.4)\n\
         {conditions}\n\n{}\n\
         * found by Gradual Focus. Interesting: better than every part of it by at least {EPSILON}.\n\
         Precision {hits} of {found}, recall {hits} of {relevant} among these (the paper: 11 of 11 both).\n",
        table(&["", "feature", ">solved", ">paper", "interesting"], cells)
    );
    if !overlooked.is_empty() {
        text += &format!("Overlooked: {}\n", overlooked.join(" "));
    }
    text
}
