//! `plysmith reproduce`: the papers' tables and figures next to our numbers.

mod engine;
mod figure1;
mod mate_table;

use clap::{Args, ValueEnum};
use plysmith_core::games;
use plysmith_runs::experiment::{OpenedSubject, USUAL_POLICY};
use plysmith_runs::kinds::discover::base_set;
use plysmith_runs::kinds::reproduce::{Config, PaperTable, Reproduce};
use plysmith_runs::kinds::tournament::{Tournament, table4};

use self::engine::ReproducedEngine;
use crate::arguments::count::count;
use crate::arguments::experiment::ExperimentArguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::services::{run as run_kind, session};
use crate::signals::begin_setup;

/// Repeat an experiment of the papers and print their numbers and ours
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith reproduce table2
  plysmith reproduce table2 --base 'Ud,PPd,Rc,C,Ms,Rd*,Edg,Mr,Udp,Bv2'
  plysmith reproduce table3 --quick
  plysmith reproduce suites
  plysmith reproduce table4 --nodes 50000 --games 2400
  plysmith reproduce table4.7 --suite ecm102.epd --nodes 1000000
  plysmith reproduce table4.8 --quick
  plysmith reproduce figure1 --suite ecm879.epd --policy first --charts figures
  plysmith reproduce figure1 --engine uci:glaurung --mapping examples/glaurung.toml --suite ecm879.epd --policy first
  plysmith reproduce mate-table2 --engine stockfish")]
pub struct Arguments {
    /// Table or figure to reproduce
    table: Table,

    #[command(flatten)]
    experiment: ExperimentArguments,

    /// For table4: number of games for each feature [default: 2400, with --quick 100]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    games: Option<u64>,

    /// For table2 and table3: atoms to combine, separated by commas, like 'Ud,PPd,Rc,C,Ms,Rd*,Edg,Mr,Udp,Bv2': the papers'
    /// with the other reading of PP [default: the papers']
    #[arg(long, value_name = "ATOMS", value_delimiter = ',')]
    base: Vec<String>,

    #[command(flatten)]
    engine: ReproducedEngine,

    #[command(flatten)]
    mates: mate_table::TableArguments,

    #[command(flatten)]
    figure: figure1::FigureArguments,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Table {
    /// Evaluations of each pruning method ('Automated Discovery of Search-Extension Features'; thesis Table 4.3)
    Table2,
    /// Precision and recall against all combinations of up to three atoms (thesis Table 4.4)
    Table3,
    /// The four features that suites are compared by, on all eight generated suites
    Suites,
    /// Games of the ten best features against no features (thesis Table 4.5)
    Table4,
    /// Features found in chess (thesis Table 4.7)
    #[value(name = "table4.7")]
    Table47,
    /// Features found in chess in place of recaptures (thesis Table 4.8)
    #[value(name = "table4.8")]
    Table48,
    /// Nodes to solve mates in one to five ('Evolution of an Efficient Search Algorithm', Table 2)
    #[value(name = "mate-table2")]
    MateTable2,
    /// Four move classes tuned by gradient descent ('Learning Control of Search Extensions')
    Figure1,
}

const BREAKTHROUGH: &str = "breakthrough";
const CHESS: &str = "chess";

/// Nodes per move and games of each feature in Table 4: as in the papers, and for an impression.
const PAPER_PLAY: (u64, u64) = (500_000, 2400);
const QUICK_PLAY: (u64, u64) = (10_000, 100);

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    arguments.refuse_options_of_others()?;
    let (game, table) = match arguments.table {
        Table::Table4 => return run_table4(arguments, output),
        Table::MateTable2 => {
            return mate_table::run(&arguments.experiment, &arguments.engine, &arguments.mates, output);
        }
        Table::Figure1 => return figure1::run(&arguments.experiment, &arguments.engine, &arguments.figure, output),
        Table::Table2 => (BREAKTHROUGH, PaperTable::Table2),
        Table::Table3 => (BREAKTHROUGH, PaperTable::Table3),
        Table::Suites => (BREAKTHROUGH, PaperTable::Suites),
        Table::Table47 => return run_chess_table(PaperTable::Table47, arguments, output),
        Table::Table48 => return run_chess_table(PaperTable::Table48, arguments, output),
    };
    let experiment = arguments.experiment.built_in(game, USUAL_POLICY)?;
    let base = match arguments.base.as_slice() {
        [] => Vec::new(),
        atoms => base_set(&games::find(game)?.into(), atoms)?,
    };
    let config = Config { table, base, experiment };
    run_kind::<Reproduce>(&config, &session(&arguments.experiment.run)?, output)
}

/// A table of the thesis about chess, on the built-in engine or on one that lists the same features.
fn run_chess_table(table: PaperTable, arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let cancel = begin_setup();
    let experiment = arguments.engine.chess_experiment(&arguments.experiment, None, USUAL_POLICY, &cancel)?;
    let OpenedSubject { features, .. } = experiment.open(&cancel)?;
    if features.vocabulary.moves.is_empty() {
        return Err(Failure::input(format!(
            "'{}' lists no features to combine; an engine does so in answer to 'features' (docs/plug-protocol.md)",
            experiment.engine_text()
        )));
    }
    let config = Config { table, base: Vec::new(), experiment };
    run_kind::<Reproduce>(&config, &session(&arguments.experiment.run)?, output)
}

/// Table 4 is a tournament, and stored as one.
fn run_table4(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let experiment = arguments.experiment.built_in(BREAKTHROUGH, USUAL_POLICY)?;
    let (nodes, games) = if arguments.experiment.quick { QUICK_PLAY } else { PAPER_PLAY };
    let (nodes, games) = (arguments.experiment.nodes.unwrap_or(nodes), arguments.games.unwrap_or(games));
    let config = table4::config(&experiment.engine_text(), nodes, games, experiment.seed)?;
    run_kind::<Tournament>(&config, &session(&arguments.experiment.run)?, output)
}

impl Arguments {
    /// Fails if an option was given that only another table has.
    fn refuse_options_of_others(&self) -> Result<(), Failure> {
        if self.table == Table::Suites && self.experiment.suite.is_some() {
            return Err(Failure::input("`reproduce suites` generates its suites; leave --suite out"));
        }
        self.engine.check(self.table)?;
        if !self.base.is_empty() && !matches!(self.table, Table::Table2 | Table::Table3) {
            return Err(Failure::input("--base is for table2 and table3 only; leave it out"));
        }
        if self.table != Table::MateTable2 {
            self.mates.refuse()?;
        }
        if self.table != Table::Figure1 {
            self.figure.refuse()?;
        }
        if self.table != Table::Table4 && self.games.is_some() {
            return Err(Failure::input("--games is for table4 only; leave it out"));
        }
        Ok(())
    }
}
