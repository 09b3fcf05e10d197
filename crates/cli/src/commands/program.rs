//! `plysmith program`: read, simplify and explain evolved programs.

use std::path::PathBuf;

use clap::{Args, value_parser};
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::interpreter::MateSearch;
use plysmith_evolve::interpreter::VisitCounts;
use plysmith_evolve::language::Program;
use plysmith_evolve::language::TABLE;
use plysmith_evolve::pseudocode;
use plysmith_evolve::simplify::simplify;
use serde::Serialize;

use super::experiment::SkipBadArgument;
use super::mate::suite_of;
use super::mates::{TRAINING, bundled_program, cases_of};
use super::solving::read_program;
use crate::failure::Failure;
use plysmith_runs::files::{check_target, write_file};
use crate::signals;
use crate::output::{Output, say, table, thousands};
use crate::progress;

/// Show an evolved program as pseudo-code, with how often each branch is taken; make it smaller
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith program                              the bundled program, on the training problems
  plysmith program best.gp --suite held-out
  plysmith program best.gp --simplify --output small.gp
  plysmith program --language                   every function and terminal, and what it means")]
pub struct Arguments {
    /// The program [default: the bundled one]
    file: Option<PathBuf>,

    /// List the language instead
    #[arg(long, conflicts_with_all = ["file", "simplify", "output"])]
    language: bool,

    /// Simplify it first; the result does the same on every board
    #[arg(long)]
    simplify: bool,

    /// The problems on which branches are counted: a file, 'training' or 'held-out'
    #[arg(long, value_name = "FILE", default_value = TRAINING)]
    suite: String,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// Boards that it may reach in each
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,

    /// Where to write the program
    #[arg(long, short, value_name = "FILE", requires = "simplify")]
    output: Option<PathBuf>,

    /// Write over a file that exists
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Explained {
    program: String,
    size: usize,
    depth: usize,
    /// Before it was simplified.
    size_before: Option<usize>,
    boards_before: Option<u64>,
    suite: String,
    problems: usize,
    proved: usize,
    boards: u64,
    /// How often each element was evaluated, in the order of the text.
    counts: Vec<u64>,
    pseudo_code: String,
}

#[derive(Serialize)]
struct Word {
    name: &'static str,
    returns: String,
    arguments: Vec<String>,
    source: &'static str,
    meaning: &'static str,
}

/// What a program did on the problems.
struct Measured {
    proved: usize,
    boards: u64,
    counts: Vec<u64>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    signals::cancel_token();
    if arguments.language {
        return list_language(output);
    }
    if let Some(path) = &arguments.output {
        check_target(path, arguments.force)?;
    }
    let original = arguments.file.as_deref().map_or_else(bundled_program, read_program)?;
    let cases = cases_of(&suite_of(&arguments.suite, &arguments.skip)?)?;
    let program = if arguments.simplify { simplify(&original) } else { original.clone() };
    let measured = arguments.measure(&program, &cases)?;
    let before = if arguments.simplify { Some(arguments.measure(&original, &cases)?) } else { None };
    if let Some(path) = &arguments.output {
        let from = arguments.file.as_ref().map_or("the bundled program".to_string(), |path| path.display().to_string());
        write_file(
            path,
            &format!("; {from}, simplified by plysmith program --simplify\n{program:#}\n"),
            arguments.force,
        )?;
        say(format!("the program is in {}", path.display()));
    }
    let explained = Explained {
        program: program.to_string(),
        size: program.size(),
        depth: program.depth(),
        size_before: before.as_ref().map(|_| original.size()),
        boards_before: before.map(|before| before.boards),
        suite: arguments.suite.clone(),
        problems: cases.len(),
        proved: measured.proved,
        boards: measured.boards,
        pseudo_code: pseudocode::print(&program, Some(&measured.counts)),
        counts: measured.counts,
    };
    output.print(&explained, || explained.text(&program))
}

impl Arguments {
    fn measure(&self, program: &Program, cases: &[FitnessCase]) -> Result<Measured, Failure> {
        let counts = VisitCounts::new(program.size());
        let progress = progress::begin(cases.len() as u64);
        let (mut proved, mut boards) = (0, 0);
        for case in cases {
            progress.message(case.id.clone());
            let search = MateSearch {
                program,
                moves: case.moves,
                budget: self.nodes,
                record_proof: false,
                use_cache: true,
                interrupt: &signals::is_cancelled,
            };
            let found = search.run_profiled(case.position.board(), &counts);
            proved += usize::from(found.mate.is_some());
            boards += found.nodes;
            progress.finish_part(1);
            if signals::is_cancelled() {
                return Err(Failure::Interrupted(None));
            }
        }
        Ok(Measured { proved, boards, counts: counts.into_vec() })
    }
}

fn list_language(output: &Output) -> Result<(), Failure> {
    let words: Vec<Word> = TABLE
        .iter()
        .map(|facts| Word {
            name: facts.name,
            returns: facts.returns.to_string(),
            arguments: facts.arguments.iter().map(ToString::to_string).collect(),
            source: facts.source,
            meaning: facts.meaning,
        })
        .collect();
    let rows = words.iter().map(|word| {
        let Word { name, returns, arguments, source, meaning } = word;
        vec![name.to_string(), returns.clone(), arguments.join(", "), source.to_string(), meaning.to_string()]
    });
    output.print(&words, || table(&["name", "gives", "takes", "from", "meaning"], rows))
}

impl Explained {
    fn text(&self, program: &Program) -> String {
        let before = match (self.size_before, self.boards_before) {
            (Some(size), Some(boards)) => {
                format!("Simplified from {size} elements, which reach {} boards.\n", thousands(boards))
            }
            _ => String::new(),
        };
        format!(
            "{program:#}\n\n{} elements, {} deep. {before}On '{}' it proves {} of {} mates with {} boards; how often each \
             line was reached:\n\n{}",
            self.size,
            self.depth,
            self.suite,
            self.proved,
            self.problems,
            thousands(self.boards),
            self.pseudo_code
        )
    }
}
