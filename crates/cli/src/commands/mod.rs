//! One file a command.

mod bench;
mod calibrate;
mod check_engine;
mod cluster;
mod compare;
mod completions;
mod discover;
mod engine;
mod evolve;
mod explain;
mod export;
mod features;
mod fit;
mod manual;
mod matches;
mod mate;
mod measure;
mod merge;
pub mod overview;
mod perft;
mod plan;
mod play;
mod program;
mod reductions;
mod report;
mod reproduce;
mod resume;
mod run_shard;
mod runs;
mod screen;
mod serve;
mod show;
mod sprt;
mod store;
mod suite;
mod tournament;
mod transitions;
mod tune;
mod weights;
mod worker;

use clap::Subcommand;

use crate::failure::Failure;
use crate::output::Output;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Discover(discover::Arguments),
    Measure(measure::Arguments),
    Tune(tune::Arguments),
    Reductions(reductions::Arguments),
    Match(matches::Arguments),
    Screen(screen::Arguments),
    Calibrate(calibrate::Arguments),
    Tournament(tournament::Arguments),
    Sprt(sprt::Arguments),
    Transitions(transitions::Arguments),
    Play(play::Arguments),
    Engine(engine::Arguments),
    Evolve(evolve::Arguments),
    Mate(mate::Arguments),
    Program(program::Arguments),
    CheckEngine(check_engine::Arguments),
    Report(report::Arguments),
    Reproduce(reproduce::Arguments),
    Resume(resume::Arguments),
    Plan(plan::Arguments),
    RunShard(run_shard::Arguments),
    Merge(merge::Arguments),
    Runs(runs::Arguments),
    Serve(serve::Arguments),
    Show(show::Arguments),
    Compare(compare::Arguments),
    Explain(explain::Arguments),
    Export(export::Arguments),
    Store(store::Arguments),
    Features(features::Arguments),
    Fit(fit::Arguments),
    Weights(weights::Arguments),
    Suite(suite::Arguments),
    Perft(perft::Arguments),
    Bench(bench::Arguments),
    Worker(worker::Arguments),
    Cluster(cluster::Arguments),
    Completions(completions::Arguments),
    Manual(manual::Arguments),
}

impl Command {
    /// Does it.
    pub fn run(self, output: &Output) -> Result<(), Failure> {
        match self {
            Command::Discover(arguments) => discover::run(&arguments, output),
            Command::Measure(arguments) => measure::run(&arguments, output),
            Command::Tune(arguments) => tune::run(&arguments, output),
            Command::Reductions(arguments) => reductions::run(&arguments, output),
            Command::Match(arguments) => matches::run(&arguments, output),
            Command::Calibrate(arguments) => calibrate::run(&arguments, output),
            Command::Screen(arguments) => screen::run(&arguments, output),
            Command::Tournament(arguments) => tournament::run(&arguments, output),
            Command::Sprt(arguments) => sprt::run(&arguments, output),
            Command::Transitions(arguments) => transitions::run(&arguments, output),
            Command::Play(arguments) => play::run(&arguments, output),
            Command::Engine(arguments) => engine::run(&arguments, output),
            Command::Evolve(arguments) => evolve::run(&arguments, output),
            Command::Mate(arguments) => mate::run(&arguments, output),
            Command::Program(arguments) => program::run(&arguments, output),
            Command::CheckEngine(arguments) => check_engine::run(&arguments, output),
            Command::Report(arguments) => report::run(&arguments, output),
            Command::Reproduce(arguments) => reproduce::run(&arguments, output),
            Command::Resume(arguments) => resume::run(&arguments, output),
            Command::Plan(arguments) => plan::run(&arguments, output),
            Command::RunShard(arguments) => run_shard::run(&arguments, output),
            Command::Merge(arguments) => merge::run(&arguments, output),
            Command::Runs(arguments) => runs::run(&arguments, output),
            Command::Serve(arguments) => serve::run(&arguments, output),
            Command::Show(arguments) => show::run(&arguments, output),
            Command::Compare(arguments) => compare::run(&arguments, output),
            Command::Explain(arguments) => explain::run(&arguments, output),
            Command::Export(arguments) => export::run(&arguments, output),
            Command::Store(arguments) => store::run(&arguments, output),
            Command::Features(arguments) => features::run(&arguments, output),
            Command::Fit(arguments) => fit::run(&arguments, output),
            Command::Weights(arguments) => weights::run(&arguments, output),
            Command::Suite(arguments) => suite::run(&arguments, output),
            Command::Perft(arguments) => perft::run(&arguments, output),
            Command::Bench(arguments) => bench::run(&arguments, output),
            Command::Worker(arguments) => worker::run(&arguments, output),
            Command::Cluster(arguments) => cluster::run(&arguments, output),
            Command::Manual(arguments) => manual::run(&arguments, output),
            Command::Completions(arguments) => completions::run(&arguments, output),
        }
    }
}
