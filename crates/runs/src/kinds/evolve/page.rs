//! The page of an evolution: fitness and size by generation, and the champion as a tree and as pseudo-code.

use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::interpreter::{MateSearch, VisitCounts};
use plysmith_evolve::language::Program;
use plysmith_evolve::pseudocode;

use super::{Config, Event, Evolved, Generation};
use crate::chart::{Figure, Line, Lines, Tree, TreeNode};
use crate::error::RunError;
use crate::mates::cases_of;
use crate::view::{Table, View, counted};

/// Branches are counted on as many problems of the suite, evenly spread over it.
const MOST_CASES: usize = 24;
/// With at most as many boards in each.
const MOST_BOARDS: u64 = 2_000;

/// What a page needs of a generation. Its population is not kept.
struct Point {
    generation: Generation,
    size: Option<usize>,
}

/// The page of a run; of an unfinished one, without a result.
pub(super) fn page(
    config: &Config,
    evolved: Option<&Evolved>,
    events: &mut dyn Iterator<Item = Result<Event, RunError>>,
) -> Result<View, RunError> {
    let mut points: Vec<Point> = Vec::new();
    for event in events {
        if let Event::Generation(mut generation) = event? {
            generation.islands.clear();
            let size = generation.champion.parse::<Program>().ok().map(|program| program.size());
            points.push(Point { generation, size });
        }
    }
    let mut view = match evolved {
        Some(evolved) => evolved.view(config),
        None => View::new().text(format!("{} so far.\n", counted(points.len(), "generation"))),
    };
    if !points.is_empty() {
        view = view.heading("Generations").figure(fitness(&points)).figure(all_fitness(&points)).figure(size(&points));
    }
    let champion = evolved.map(|evolved| evolved.program.as_str());
    let champion = champion.or(points.last().map(|point| point.generation.champion.as_str()));
    if let Some(program) = champion.and_then(|text| text.parse::<Program>().ok()) {
        view = champion_view(view, config, &program, evolved.is_some())?;
    }
    if !points.is_empty() {
        let headings =
            [">generation", "stage", ">mean fitness", ">champion's", ">on all problems", ">proved", ">boards"];
        let table = Table::new(&headings, points.iter().map(|point| point.generation.cells()));
        view = view.heading("All generations").table(table);
    }
    Ok(view)
}

/// A line: its name, and its value at a generation.
type Values<'a> = (&'a str, &'a dyn Fn(&Point) -> Option<f64>);

fn lines(title: &str, y: &str, points: &[Point], lines: &[Values<'_>]) -> Figure {
    let line = |(name, value): &Values<'_>| {
        let point = |point: &Point| Some([f64::from(point.generation.number), value(point)?]);
        Line::new(*name, points.iter().filter_map(point).collect())
    };
    Figure::Lines(Lines {
        title: title.to_string(),
        x: "generation".to_string(),
        y: y.to_string(),
        lines: lines.iter().map(line).collect(),
    })
}

fn fitness(points: &[Point]) -> Figure {
    lines(
        "Fitness on the sample of each generation",
        "fitness",
        points,
        &[
            ("champion", &|point| Some(point.generation.fitness)),
            ("mean", &|point| Some(point.generation.mean_fitness)),
        ],
    )
}

fn all_fitness(points: &[Point]) -> Figure {
    // What fell behind was not measured on all problems.
    let all = |point: &Point| Some(point.generation.all_fitness).filter(|fitness| *fitness != 0.0);
    lines("Fitness of the champion on all problems", "fitness", points, &[("champion", &all)])
}

fn size(points: &[Point]) -> Figure {
    lines("Size of the champion", "elements", points, &[("elements", &|point| point.size.map(|size| size as f64))])
}

/// A program as a tree and as pseudo-code; with counts if the run is finished.
fn champion_view(view: View, config: &Config, program: &Program, has_counts: bool) -> Result<View, RunError> {
    let counts = if has_counts { Some(branch_counts(config, program)?) } else { None };
    let view = view.heading("Champion");
    let view = match &counts {
        Some((_, cases)) => view.text(format!(
            "Numbers say how often each element was evaluated in {}, with at most {MOST_BOARDS} boards in each.\n",
            counted(*cases, "problem")
        )),
        None => view,
    };
    let counts = counts.map(|(counts, _)| counts);
    let node = |((place, node), depth): ((usize, &dyn ToString), usize)| TreeNode {
        words: node.to_string(),
        depth,
        count: counts.as_ref().and_then(|counts| counts.get(place).copied()),
    };
    let nodes = program.nodes().iter().map(|node| node as &dyn ToString).enumerate().zip(program.depths());
    let tree = Tree { title: "The champion as a tree".to_string(), nodes: nodes.map(node).collect() };
    Ok(view.figure(Figure::Tree(tree)).text(pseudocode::print(program, counts.as_deref())))
}

/// How often each element of a program is evaluated on some problems of the suite, and on how many.
fn branch_counts(config: &Config, program: &Program) -> Result<(Vec<u64>, usize), RunError> {
    let cases = cases_of(&config.suite)?;
    let counts = VisitCounts::new(program.size());
    let step = cases.len().div_ceil(MOST_CASES).max(1);
    let chosen: Vec<&FitnessCase> = cases.iter().step_by(step).collect();
    for case in &chosen {
        let search = MateSearch {
            program,
            moves: case.moves,
            budget: config.budget.min(MOST_BOARDS),
            record_proof: false,
            use_cache: true,
            framework: config.framework(),
            interrupt: &|| false,
        };
        search.run_profiled(case.position.board(), &counts);
    }
    Ok((counts.into_vec(), chosen.len()))
}
