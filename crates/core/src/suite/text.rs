//! Suites as text: EPD, one problem a line.
//!
//! ```text
//! # anything
//! 1p4p1/p2p4/1P1p4/6pp/1P1P2P1/2P5/P6P/8 w bm b6a7; id "bt-001"; solve proven; distance 7;
//! r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - bm Qxh7+; id "WAC.004";
//! ```
//!
//! | operation | meaning |
//! | --- | --- |
//! | `bm` | the right moves, in the game's notation or as coordinates; `#3` is `dm 3`, as in matetrack's and ChestUCI's files |
//! | `am` | moves to avoid: alone, every other move is right |
//! | `dm` | a forced win in this number of moves: `distance` is twice that less one, unless it is given |
//! | `id` | a name, unique in the suite |
//! | `solve` | the criterion: `proven` where a win's length is given, else `best-move` |
//! | `distance` | the plies of the forced win; ours |
//! | `hmvc`, `fmvn` | half-move clock and move number, where the position has none |
//!
//! Public files have operations of all sorts (`acd`, `c0`, `D1` …); whatever has the form of one is skipped. A line that
//! says neither what is right nor what is wrong is no problem, and an error. A line with `bm #3` may have anything behind
//! it: files of mates have `00:00`, `Duals(4)` and `PV: …` there. A line with `bm #-3` is left out and counted: the side to
//! move is mated, and there is nothing for it to find.
//!
//! A suite of a game that is not in the table is *relayed*: positions and moves are passed on as they are written, and the
//! position ends where the first of the operations above begins.

use std::collections::HashMap;

use super::operations::{
    Operation, Wrong, counters, is_operation, lines_of, open, parse_operations, place, split_position, words_of,
};
use crate::games::GameInfo;
use crate::problem::{Criterion, Problem, Suite};

pub use super::operations::SuiteError;

/// The readable problems of a suite, and the errors of the other lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The good lines.
    pub suite: Suite,
    /// The bad ones.
    pub wrong: Vec<SuiteError>,
    /// How many lines say that the side to move is mated (`bm #-3`). They are no problems.
    pub mated: usize,
    /// Lines with `bm #3` whose position no game leads to: composers allow themselves some. They are no problems.
    pub unreachable: Vec<SuiteError>,
}

/// The operations that are read. Each may occur once in a line.
const KNOWN: &[&str] = &["bm", "am", "dm", "id", "solve", "distance", "hmvc", "fmvn"];
/// The longest forced win that a suite can claim.
const MOST_PLIES: u32 = 999;

/// Reads a suite of this game, all of it.
pub fn parse(game: &GameInfo, name: &str, text: &str) -> Result<Suite, SuiteError> {
    let Reading { suite, wrong, .. } = read(game, name, text);
    match wrong.into_iter().next() {
        Some(error) => Err(error),
        None => not_empty(suite),
    }
}

/// Reads the lines of a suite that can be read.
pub fn read(game: &GameInfo, name: &str, text: &str) -> Reading {
    read_lines(name, text, |line, default_id| parse_line(game, line, default_id))
}

/// Reads the lines of a suite of any game, positions and moves as they are.
pub fn read_relayed(name: &str, text: &str) -> Reading {
    read_lines(name, text, relay_line)
}

/// What a line says: a problem and the byte of its name, or something that is left out.
enum Line {
    Problem(Problem, usize),
    Mated,
    Unreachable(Wrong),
}

fn read_lines(name: &str, text: &str, parse: impl Fn(&str, String) -> Result<Line, Wrong>) -> Reading {
    let mut problems: Vec<Problem> = Vec::new();
    let (mut wrong, mut mated, mut unreachable) = (Vec::new(), 0, Vec::new());
    let mut lines_of_ids = HashMap::new();
    for (line_number, line) in lines_of(text) {
        let default_id = format!("#{}", problems.len() + 1);
        let read = parse(line, default_id).and_then(|read| match read {
            Line::Problem(problem, id_at) => match lines_of_ids.get(&problem.id) {
                Some(other) => {
                    Err((id_at, format!("the id '{}' stands on line {other} already; ids are unique", problem.id)))
                }
                None => Ok(Line::Problem(problem, id_at)),
            },
            other => Ok(other),
        });
        match read {
            Ok(Line::Problem(problem, _)) => {
                lines_of_ids.insert(problem.id.clone(), line_number);
                problems.push(problem);
            }
            Ok(Line::Mated) => mated += 1,
            Ok(Line::Unreachable(error)) => unreachable.push(place(line_number, line, error)),
            Err(error) => wrong.push(place(line_number, line, error)),
        }
    }
    Reading { suite: Suite { name: name.to_string(), problems }, wrong, mated, unreachable }
}

/// The suite, unless there is nothing in it.
pub fn not_empty(suite: Suite) -> Result<Suite, SuiteError> {
    if suite.problems.is_empty() {
        let reason = "there is no problem in it; expected lines like '<position> bm <move>; id \"name\";'".to_string();
        return Err(SuiteError { line: 1, column: 1, reason });
    }
    Ok(suite)
}

/// The positions of a list in this form, whatever is said about them: each with its line, or what is wrong there.
pub fn positions(game: &GameInfo, text: &str) -> Vec<(usize, Result<String, SuiteError>)> {
    lines_of(text).map(|(number, line)| (number, position_of_line(game, number, line))).collect()
}

/// The position of one line of such a list; none if the line says nothing.
pub fn position(game: &GameInfo, number: usize, line: &str) -> Option<Result<String, SuiteError>> {
    let (_, line) = lines_of(line).next()?;
    Some(position_of_line(game, number, line))
}

fn position_of_line(game: &GameInfo, number: usize, line: &str) -> Result<String, SuiteError> {
    // Some lists end every line with a semicolon, operations or not.
    let (end, _) = split_position(game, line);
    let position = open(game, line, end, line[..end].trim_end_matches(';'));
    position.map(|position| position.text()).map_err(|error| place(number, line, error))
}

/// Writes a suite with a comment above it.
pub fn print(suite: &Suite, comment: &str) -> String {
    let mut text: String = comment.lines().map(|line| format!("# {line}\n")).collect();
    for problem in &suite.problems {
        text += &print_problem(problem);
        text += "\n";
    }
    text
}

/// One line.
fn print_problem(problem: &Problem) -> String {
    let Problem { position, best, avoid, id, criterion, distance } = problem;
    let mut line = position.clone();
    for (name, moves) in [("bm", best), ("am", avoid)] {
        if !moves.is_empty() {
            line += &format!(" {name} {};", moves.join(" "));
        }
    }
    line += &format!(" id \"{id}\"; solve {criterion};");
    if let Some(plies) = distance {
        line += &format!(" distance {plies};");
    }
    line
}

fn parse_line(game: &GameInfo, line: &str, default_id: String) -> Result<Line, Wrong> {
    let (position_end, rest) = split_position(game, line);
    let operations = parse_operations(line, rest);
    let position_text = &line[..position_end];
    let counters = operations.as_deref().map_or(Ok(String::new()), |all| counters(game, position_text, all));
    // Errors in the position come first, because the position does.
    if let Err(error) = open(game, line, position_end, position_text) {
        let is_of_mates = operations.as_ref().is_ok_and(|operations| operations.iter().any(Operation::is_mate));
        return if is_of_mates { Ok(Line::Unreachable(error)) } else { Err(error) };
    }
    let position = open(game, line, position_end, &format!("{position_text}{}", counters?))?;
    let operations = operations?;
    let canonical = |text: &str| position.canonical_move(text).map_err(|error| error.to_string());
    let claims = Claims::read(&operations, default_id, &canonical)?;
    claims.into_problem(position.text(), line, &operations)
}

fn relay_line(line: &str, default_id: String) -> Result<Line, Wrong> {
    let begin = words_of(line, 0).find(|(_, word)| KNOWN.contains(word)).map_or(line.len(), |(at, _)| at);
    let position = line[..begin].trim();
    if position.is_empty() {
        return Err((0, "there is no position before the operations; expected '<position> bm <move>;'".to_string()));
    }
    let operations = parse_operations(line, begin)?;
    let claims = Claims::read(&operations, default_id, &|text: &str| Ok(text.to_string()))?;
    claims.into_problem(position.to_string(), line, &operations)
}

/// The canonical spelling of a move, or why it is wrong.
type Canonical<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// What the operations of a line say.
#[derive(Default)]
struct Claims {
    best: Vec<String>,
    avoid: Vec<String>,
    id: String,
    id_at: usize,
    criterion: Option<Criterion>,
    distance: Option<u32>,
    /// A forced win in this number of moves.
    mate: Option<u32>,
    /// Whether `bm #-3` says that the side to move is mated.
    is_mated: bool,
    /// The first word where an operation should begin that cannot be the name of one.
    stray: Option<Wrong>,
}

impl Claims {
    fn read(operations: &[Operation<'_>], id: String, canonical: &Canonical<'_>) -> Result<Claims, Wrong> {
        let mut claims = Claims { id, ..Claims::default() };
        for (index, operation) in operations.iter().enumerate() {
            let name = operation.name;
            if KNOWN.contains(&name) && operations[..index].iter().any(|earlier| earlier.name == name) {
                return Err((operation.at, format!("'{name}' stands here twice; leave one out")));
            }
            claims.add(canonical, operation)?;
        }
        Ok(claims)
    }

    fn add(&mut self, canonical: &Canonical<'_>, operation: &Operation<'_>) -> Result<(), Wrong> {
        match operation.name {
            "bm" => match operation.operands[..] {
                [(at, text)] if text.starts_with("#-") => {
                    parse_mate(at + 2, &text[2..])?;
                    self.is_mated = true;
                }
                [(at, text)] if text.starts_with('#') => self.mate = Some(parse_mate(at + 1, &text[1..])?),
                _ => self.best = parse_moves(canonical, operation)?,
            },
            "am" => self.avoid = parse_moves(canonical, operation)?,
            "dm" => {
                let (at, text) = operation.single("a number of moves")?;
                self.mate = Some(parse_mate(at, text)?);
            }
            "id" => {
                let (at, text) = operation.single("a name in quotes")?;
                (self.id_at, self.id) = (at, text.to_string());
            }
            "solve" => {
                let (at, text) = operation.single("'proven' or 'best-move'")?;
                self.criterion = Some(text.parse::<Criterion>().map_err(|error| (at, error.to_string()))?);
            }
            "distance" => {
                let (at, text) = operation.single("a number of plies")?;
                let plies = text.parse().ok().filter(|plies| (1..=MOST_PLIES).contains(plies) && plies % 2 == 1);
                let reason = || format!("'{text}' is not the length of a forced win; expected an odd number of plies");
                self.distance = Some(plies.ok_or_else(|| (at, reason()))?);
            }
            name if is_operation(name) => {}
            name => {
                let reason = format!("'{name}' is not an operation; expected a name like bm, am, dm, id or c0");
                self.stray.get_or_insert((operation.at, reason));
            }
        }
        Ok(())
    }

    fn into_problem(self, position: String, line: &str, operations: &[Operation<'_>]) -> Result<Line, Wrong> {
        let Claims { best, avoid, id, id_at, criterion, distance, mate, is_mated, stray } = self;
        let is_of_mates = is_mated || operations.iter().any(Operation::is_mate);
        if let Some(stray) = stray.filter(|_| !is_of_mates) {
            return Err(stray);
        }
        if is_mated {
            return Ok(Line::Mated);
        }
        let claims_win = mate.is_some() || distance.is_some();
        let default = if claims_win { Criterion::Proven } else { Criterion::BestMove };
        let criterion = criterion.unwrap_or(default);
        if let Some(m) = best.iter().find(|m| avoid.contains(m)) {
            return Err((line.len(), format!("'{m}' is both a best move and one to avoid; leave one out")));
        }
        // Finding any forced win is a problem too, if one is known to exist.
        if best.is_empty() && avoid.is_empty() && !(claims_win && criterion == Criterion::Proven) {
            let unknown = operations.iter().find(|operation| !KNOWN.contains(&operation.name));
            let hint = unknown.map_or(String::new(), |operation| format!(" ('{}' says nothing here)", operation.name));
            return Err((line.len(), format!("there is no best move; expected 'bm <move>;' or 'am <move>;'{hint}")));
        }
        let distance = distance.or(mate.map(|moves| 2 * moves - 1));
        Ok(Line::Problem(Problem { position, best, avoid, id, criterion, distance }, id_at))
    }
}

fn parse_mate(at: usize, text: &str) -> Result<u32, Wrong> {
    let moves = text.parse().ok().filter(|moves| (1..=MOST_PLIES.div_ceil(2)).contains(moves));
    moves.ok_or_else(|| (at, format!("'{text}' is not the length of a forced win; expected a number of moves, like 3")))
}

fn parse_moves(canonical: &Canonical<'_>, operation: &Operation<'_>) -> Result<Vec<String>, Wrong> {
    let mut moves = Vec::new();
    // Some write lists of moves with commas.
    let words = operation.operands.iter().map(|&(at, text)| (at, text.trim_end_matches(',')));
    for (at, text) in words.filter(|(_, text)| !text.is_empty()) {
        let m = canonical(text).map_err(|error| (at, error))?;
        if moves.contains(&m) {
            return Err((at, format!("the move '{text}' stands here twice; leave one out")));
        }
        moves.push(m);
    }
    Ok(moves)
}
