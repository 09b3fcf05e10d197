//! Graded suites: ordinary positions whose moves have values. Players are compared by the moves that they choose in them.
//!
//! ```text
//! <position> id "b-001"; before "<position> | <position>"; judge "modern 200000"; values "d4e5=0.512 e5e6=0.431";
//! <position> c0 "Nf3=10, Be2=4"; id "STS.001";
//! ```
//!
//! | operation | meaning |
//! | --- | --- |
//! | `before` | positions in which the same side moved before, the oldest first. Players search them first, so that their transposition table is as warm as in a game |
//! | `judge` | who valued the moves: a player and its node limit |
//! | `values` | expected results after moves, from 0 to 1, as the judge sees them. Other moves are judged when somebody plays them |
//! | `c0` | points for moves, as published suites have them. Other moves have none |
//! | `id` | a name, unique in the suite |
//!
//! Other operations are skipped, as in [`super::text`]. A line that says nothing of moves is a graded position, too: all its
//! moves are judged when somebody plays them. So every list of positions is a graded suite.

use std::collections::HashMap;
use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

use super::operations::{
    Operation, SuiteError, Wrong, counters, lines_of, open, parse_operations, place, split_position,
};
use crate::games::{AnyPosition, GameInfo};

/// Positions with values of moves, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GradedSuite {
    /// What to call it in reports.
    pub name: String,
    /// The positions.
    pub positions: Vec<GradedPosition>,
}

/// A position whose moves have values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GradedPosition {
    /// Its name, unique in its suite.
    pub id: String,
    /// The position's canonical text.
    pub position: String,
    /// The positions in which the side to move has moved before, the oldest first.
    pub before: Vec<String>,
    /// What its moves are worth.
    pub grades: Grades,
}

/// What the moves of a position are worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Grades {
    /// Points for the good moves; all others have none.
    Points(Vec<(String, u32)>),
    /// What a judge found; other moves can be judged when they are needed.
    Judged {
        /// Who valued the moves; none if no move has a value yet.
        judge: Option<Judge>,
        /// Moves and their values.
        values: Vec<(String, Expectation)>,
    },
}

/// Who values moves: a player, and the nodes that it searches the position after a move with. As text: `modern 200000`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judge {
    /// The player.
    pub player: String,
    /// Its node limit for each move.
    pub nodes: u64,
}

/// An expected result from 0 to 1, in thousandths.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Expectation(u16);

/// The operations that are read. Each may occur once in a line.
const KNOWN: &[&str] = &["id", "before", "judge", "values", "c0", "hmvc", "fmvn"];

/// Points of the best move in published suites.
const MOST_POINTS: u32 = 10;

impl Expectation {
    /// A certain win.
    pub const WIN: Expectation = Expectation(1000);

    /// The nearest thousandth.
    pub fn nearest(expected: f64) -> Expectation {
        Expectation((expected.clamp(0.0, 1.0) * 1000.0).round() as u16)
    }

    /// As a number from 0 to 1.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl GradedPosition {
    /// The value of a move from 0 to 1, if it is known without a judge, or was found by this one.
    pub fn value(&self, m: &str, judge: &Judge) -> Option<f64> {
        match &self.grades {
            Grades::Points(points) => {
                let most = points.iter().map(|(_, points)| *points).max().unwrap_or(0).max(MOST_POINTS);
                let points = points.iter().find(|(known, _)| known == m).map_or(0, |(_, points)| *points);
                Some(f64::from(points) / f64::from(most))
            }
            Grades::Judged { judge: Some(by), values } if by == judge => {
                values.iter().find(|(known, _)| known == m).map(|(_, value)| value.value())
            }
            Grades::Judged { .. } => None,
        }
    }

    /// The number of moves that have values or points.
    pub fn value_count(&self) -> usize {
        match &self.grades {
            Grades::Points(points) => points.len(),
            Grades::Judged { values, .. } => values.len(),
        }
    }

    /// The moves whose values are known without a judge, or were found by this one.
    pub fn known_moves(&self, judge: &Judge) -> impl Iterator<Item = &str> {
        let (points, values) = match &self.grades {
            Grades::Points(points) => (&points[..], &[][..]),
            Grades::Judged { judge: Some(by), values } if by == judge => (&[][..], &values[..]),
            Grades::Judged { .. } => (&[][..], &[][..]),
        };
        points.iter().map(|(m, _)| m.as_str()).chain(values.iter().map(|(m, _)| m.as_str()))
    }
}

impl GradedSuite {
    /// A key of exactly these positions and values in this order, whatever their names.
    pub fn content_key(&self) -> String {
        let content: String = self.positions.iter().map(|position| print_position(position, "") + "\n").collect();
        format!("{:032x}", xxh3_128(content.as_bytes()))
    }

    /// The judge of the first position that names one.
    pub fn judge(&self) -> Option<&Judge> {
        self.positions.iter().find_map(|position| match &position.grades {
            Grades::Judged { judge, .. } => judge.as_ref(),
            Grades::Points(_) => None,
        })
    }
}

/// Reads a graded suite.
pub fn parse(game: &GameInfo, name: &str, text: &str) -> Result<GradedSuite, SuiteError> {
    let mut positions = Vec::new();
    let mut lines_of_ids = HashMap::new();
    for (number, line) in lines_of(text) {
        let default_id = format!("#{}", positions.len() + 1);
        let position = parse_line(game, line, default_id).map_err(|error| place(number, line, error))?;
        if let Some(other) = lines_of_ids.insert(position.id.clone(), number) {
            let reason = format!("the id '{}' stands on line {other} already; ids are unique", position.id);
            return Err(place(number, line, (0, reason)));
        }
        positions.push(position);
    }
    if positions.is_empty() {
        let reason = "there is no position in it; expected lines like '<position> id \"name\";'".to_string();
        return Err(SuiteError { line: 1, column: 1, reason });
    }
    Ok(GradedSuite { name: name.to_string(), positions })
}

/// Writes a graded suite with a comment above it.
pub fn print(suite: &GradedSuite, comment: &str) -> String {
    let mut text: String = comment.lines().map(|line| format!("# {line}\n")).collect();
    for position in &suite.positions {
        text += &print_position(position, &position.id);
        text += "\n";
    }
    text
}

fn print_position(graded: &GradedPosition, id: &str) -> String {
    let GradedPosition { position, before, grades, .. } = graded;
    let mut line = format!("{position} id \"{id}\";");
    if !before.is_empty() {
        line += &format!(" before \"{}\";", before.join(" | "));
    }
    match grades {
        Grades::Points(points) => {
            let words: Vec<_> = points.iter().map(|(m, points)| format!("{m}={points}")).collect();
            line += &format!(" c0 \"{}\";", words.join(", "));
        }
        Grades::Judged { judge, values } => {
            if let Some(judge) = judge {
                line += &format!(" judge \"{judge}\";");
            }
            if !values.is_empty() {
                let words: Vec<_> = values.iter().map(|(m, value)| format!("{m}={value}")).collect();
                line += &format!(" values \"{}\";", words.join(" "));
            }
        }
    }
    line
}

fn parse_line(game: &GameInfo, line: &str, default_id: String) -> Result<GradedPosition, Wrong> {
    let (end, rest) = split_position(game, line);
    let operations = parse_operations(line, rest);
    let text = line[..end].trim_end_matches(';');
    open(game, line, end, text)?;
    let operations = operations?;
    let position = open(game, line, end, &format!("{text}{}", counters(game, text, &operations)?))?;
    if position.outcome().is_some() {
        return Err((0, "the game is over here; expected a position with a move to choose".to_string()));
    }
    for (index, operation) in operations.iter().enumerate().filter(|(_, operation)| KNOWN.contains(&operation.name)) {
        if operations[..index].iter().any(|earlier| earlier.name == operation.name) {
            return Err((operation.at, format!("'{}' stands here twice; leave one out", operation.name)));
        }
    }
    let find = |name| operations.iter().find(|operation| operation.name == name);
    let id = find("id").map(|operation| operation.single("a name in quotes")).transpose()?;
    let before = find("before").map_or(Ok(Vec::new()), |operation| parse_before(game, position.as_ref(), operation))?;
    let judge = find("judge").map(parse_judge).transpose()?;
    let values = find("values").map(|operation| parse_values(position.as_ref(), operation)).transpose()?;
    let points = find("c0").map_or(Ok(None), |operation| parse_points(position.as_ref(), operation))?;
    if let (Some(operation), None) = (find("values"), &judge) {
        return Err((operation.at, "values need a judge; expected 'judge \"modern 200000\";' beside them".to_string()));
    }
    let grades = match (values, points) {
        (None, Some(points)) => Grades::Points(points),
        (values, _) => Grades::Judged { judge, values: values.unwrap_or_default() },
    };
    let id = id.map_or(default_id, |(_, id)| id.to_string());
    Ok(GradedPosition { id, position: position.text(), before, grades })
}

/// The positions before, each with the same side to move.
fn parse_before(game: &GameInfo, position: &dyn AnyPosition, operation: &Operation<'_>) -> Result<Vec<String>, Wrong> {
    let (at, text) = operation.single("positions in quotes, with ' | ' between them")?;
    let mut before = Vec::new();
    for text in text.split('|').map(str::trim) {
        let earlier = (game.open)(text).map_err(|error| (at, format!("'{text}': {}", error.reason)))?;
        if earlier.white_to_move() != position.white_to_move() {
            return Err((at, format!("'{text}' has the other side to move")));
        }
        if earlier.outcome().is_some() {
            return Err((at, format!("the game is over in '{text}'")));
        }
        before.push(earlier.text());
    }
    Ok(before)
}

fn parse_judge(operation: &Operation<'_>) -> Result<Judge, Wrong> {
    let (at, text) = operation.single("a player and its nodes in quotes")?;
    let judge = text.rsplit_once(' ').and_then(|(player, nodes)| {
        let nodes = nodes.parse().ok().filter(|nodes| *nodes > 0)?;
        Some(Judge { player: player.trim().to_string(), nodes })
    });
    judge.ok_or_else(|| (at, format!("'{text}' is not a judge; expected a player and its nodes, like 'modern 200000'")))
}

/// Moves and numbers: `d4e5=0.512 e5e6=0.431`, with or without commas.
fn assignments(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    words.map(|word| word.rsplit_once('=').unwrap_or((word, "")))
}

fn parse_values(position: &dyn AnyPosition, operation: &Operation<'_>) -> Result<Vec<(String, Expectation)>, Wrong> {
    let (at, text) = operation.single("moves with values in quotes")?;
    let mut values: Vec<(String, Expectation)> = Vec::new();
    for (m, value) in assignments(text) {
        let m = position.canonical_move(m).map_err(|error| (at, error.to_string()))?;
        let number = value.parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value));
        let reason =
            || format!("'{m}={value}' is not a move with its value; expected a number from 0 to 1, like '{m}=0.512'");
        let value = number.map(Expectation::nearest).ok_or_else(|| (at, reason()))?;
        if values.iter().any(|(known, _)| *known == m) {
            return Err((at, format!("the move '{m}' stands here twice; leave one out")));
        }
        values.push((m, value));
    }
    Ok(values)
}

/// Points, if the comment has any. Other comments are none of ours.
fn parse_points(position: &dyn AnyPosition, operation: &Operation<'_>) -> Result<Option<Vec<(String, u32)>>, Wrong> {
    let [(at, text)] = operation.operands[..] else { return Ok(None) };
    let words: Option<Vec<_>> = assignments(text).map(|(m, points)| Some((m, points.parse::<u32>().ok()?))).collect();
    let Some(words) = words.filter(|words| !words.is_empty()) else { return Ok(None) };
    let canonical = |(m, points): (&str, u32)| {
        position.canonical_move(m).map(|m| (m, points)).map_err(|error| (at, error.to_string()))
    };
    words.into_iter().map(canonical).collect::<Result<_, _>>().map(Some)
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

impl fmt::Display for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.player, self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::{Grades, Judge, parse, print};
    use crate::games::{self, GameInfo};

    const EARLIER: &str = "8/ppp5/pp2p1pp/p2p1ppp/P2P2P1/PPPPP1PP/1P3PPP/8 w";
    const POSITION: &str = "8/ppp5/pp2p1pp/p2p1ppp/P2P2P1/PPPPP1PP/1P3PPP/8 w";

    fn game() -> &'static GameInfo {
        games::find("breakthrough").unwrap()
    }

    fn modern() -> Judge {
        Judge { player: "modern".to_string(), nodes: 200_000 }
    }

    #[test]
    fn suites_read_back() {
        let text = format!(
            "# anything\n{POSITION} id \"b-1\"; before \"{EARLIER} | {EARLIER}\"; judge \"modern 200000\"; \
             values \"d4e5=0.512 a4b5=1.000\";\n{POSITION} id \"b-2\";\n"
        );
        let suite = parse(game(), "test", &text).unwrap();
        assert_eq!(print(&suite, "anything"), text);
        let [first, second] = &suite.positions[..] else { panic!("{suite:?}") };
        assert_eq!(first.before, [EARLIER, EARLIER]);
        assert_eq!([first.value("d4e5", &modern()), first.value("a4b5", &modern())], [Some(0.512), Some(1.0)]);
        assert_eq!(first.value("g4h5", &modern()), None, "nobody has judged it");
        assert_eq!(first.value("d4e5", &Judge { nodes: 100, ..modern() }), None, "another judge");
        assert_eq!(second.value("d4e5", &modern()), None);
        assert_eq!(suite.judge(), Some(&modern()));
        assert_eq!(first.known_moves(&modern()).collect::<Vec<_>>(), ["d4e5", "a4b5"]);
        let renamed = parse(game(), "other", &text.replace("b-1", "b-7")).unwrap();
        assert_eq!(renamed.content_key(), suite.content_key());
        let changed = parse(game(), "test", &text.replace("0.512", "0.513")).unwrap();
        assert_ne!(changed.content_key(), suite.content_key());
    }

    #[test]
    fn published_points_are_values() {
        let chess = games::find("chess").unwrap();
        let text = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id \"STS(v1.0) Undermine.001\"; c0 \
                    \"f5=10, Be5+=2, Bf2=3, Bg4=2\";";
        let suite = parse(chess, "sts", text).unwrap();
        let first = &suite.positions[0];
        assert!(matches!(&first.grades, Grades::Points(points) if points.len() == 4));
        let value = |m| first.value(m, &modern()).unwrap();
        assert_eq!([value("f4f5"), value("d4e5"), value("d4f2"), value("g1h1")], [1.0, 0.2, 0.3, 0.0]);
        let comment =
            parse(chess, "wac", &text.replace("f5=10, Be5+=2, Bf2=3, Bg4=2", "White wins, he thinks")).unwrap();
        assert!(matches!(&comment.positions[0].grades, Grades::Judged { judge: None, .. }));
    }

    #[test]
    fn errors_say_where_and_what() {
        let error = |text: &str| parse(game(), "test", text).unwrap_err().to_string();
        let with = |operations: &str| error(&format!("{POSITION} {operations}"));
        assert!(error("").contains("there is no position"));
        assert!(with("values \"d4e5=0.5\";").contains("values need a judge"));
        assert!(with("judge \"modern\";").starts_with("1:"), "{}", with("judge \"modern\";"));
        assert!(with("judge \"modern\";").contains("'modern' is not a judge"));
        assert!(with("judge \"modern 0\";").contains("is not a judge"));
        assert!(with("judge \"modern 9\"; values \"d4e5=1.5\";").contains("expected a number from 0 to 1"));
        assert!(with("judge \"modern 9\"; values \"d4e5\";").contains("expected a number from 0 to 1"));
        assert!(with("judge \"modern 9\"; values \"d4d6=0.5\";").contains("d4d6"));
        assert!(with("judge \"modern 9\"; values \"d4e5=0.5 d4e5=0.6\";").contains("twice"));
        let black = EARLIER.replace(" w", " b");
        assert!(with(&format!("before \"{black}\";")).contains("the other side to move"));
        assert!(with("before \"nonsense\";").contains("nonsense"));
        assert!(with("id \"a\"; id \"b\";").contains("'id' stands here twice"));
        let mate = parse(games::find("chess").unwrap(), "test", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap_err();
        assert!(mate.to_string().contains("the game is over here"), "{mate}");
        let twice = format!("{POSITION} id \"a\";\n{POSITION} id \"a\";\n");
        assert!(error(&twice).contains("stands on line 1 already"));
    }
}
