//! `plysmith program`: read, simplify and explain evolved programs.

use std::path::PathBuf;

use clap::Args;
use plysmith_evolve::language::{Program, TABLE};
use plysmith_evolve::pseudocode;
use plysmith_evolve::simplify::simplify;
use plysmith_runs::mates::{PaperTest, ProgramProfile, TRAINING, bundled_program, cases_of, read_program};
use serde::Serialize;

use crate::arguments::count::count;
use crate::arguments::{OutputArguments, SkipBadArgument, WorkArguments};
use crate::failure::Failure;
use crate::output::{Output, say, table, thousands};
use crate::services::{host, services};

/// Print an evolved program as pseudo-code with visit counts, or simplify it
#[derive(Debug, Args)]
#[command(
    mut_arg("output", |arg| arg.help("With --simplify, write the simplified program to this file")),
    after_help = "\
Examples:
  plysmith program
  plysmith program best.gp --suite held-out
  plysmith program best.gp --simplify --output small.gp
  plysmith program paper.gp --paper --suite held-out --nodes 1000000
  plysmith program --language"
)]
pub struct Arguments {
    /// Program to print [default: the bundled program]
    file: Option<PathBuf>,

    /// List the functions and terminals of the language instead
    #[arg(long, conflicts_with_all = ["file", "simplify", "output"])]
    language: bool,

    /// Simplify the program first. The result is equivalent on every board
    #[arg(long)]
    simplify: bool,

    /// Problems on which visits are counted: an EPD file, 'training' or 'held-out'
    #[arg(long, value_name = "FILE", default_value = TRAINING)]
    suite: String,

    /// Test the program as the paper did: in the paper's framework, where the right move counts and a program may make 1.5
    /// times the boards of the reference solver
    #[arg(long, conflicts_with_all = ["language", "simplify", "output"])]
    paper: bool,

    /// With --paper, the reference solver: exhaustive, alpha-beta, df-pn, two-elements or uci:COMMAND
    #[arg(long, value_name = "SOLVER", default_value = "alpha-beta", requires = "paper")]
    reference: String,

    #[command(flatten)]
    skip: SkipBadArgument,

    /// Node limit for each problem: boards that the program may reach; with --paper, nodes of the reference solver
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = count::<u64>(1..))]
    nodes: u64,

    #[command(flatten)]
    output: OutputArguments,
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

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    if arguments.language {
        return list_language(output);
    }
    if arguments.output.output.is_some() && !arguments.simplify {
        return Err(Failure::input("--output writes the simplified program; add --simplify"));
    }
    arguments.output.check()?;
    let original = arguments.file.as_deref().map_or_else(bundled_program, read_program)?;
    let cases = cases_of(&arguments.skip.read_mates(&arguments.suite)?)?;
    if arguments.paper {
        let Arguments { reference, nodes, .. } = arguments;
        let test = PaperTest::run(&original, cases, reference, *nodes, &services(&WorkArguments::default())?)?;
        return output.print_view(&test, || test.view());
    }
    let program = if arguments.simplify { simplify(&original) } else { original.clone() };
    let measure = |program: &Program| ProgramProfile::measure(program, &cases, arguments.nodes, &host(None));
    let measured = measure(&program)?;
    let before = if arguments.simplify { Some(measure(&original)?) } else { None };
    let from = arguments.file.as_ref().map_or("the bundled program".to_string(), |path| path.display().to_string());
    let file = format!("; {from}, simplified by plysmith program --simplify\n{program:#}\n");
    if arguments.output.write(&file)? {
        say(format!("wrote {}", arguments.output.name().unwrap_or_default()));
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
