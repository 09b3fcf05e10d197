//! The text form of programs: S-expressions.
//!
//! ```text
//! ; every check, and every reply to it
//! (MakeBestMove
//!   (If3 IsMateInOneOrLess 1000 (IfExistsCheckingMove Again -1000)))
//! ```
//!
//! Terminals stand alone or in parentheses. A comment extends from a semicolon to the end of the line.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::primitives::{Primitive, TABLE, Type};
use super::program::{Node, Program, Real};

/// A syntax or type error in the text of a program, with its position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{line}:{column}: {reason}")]
pub struct ProgramError {
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
    /// What was read and what was expected.
    pub reason: String,
}

/// Longer lines are broken by `{:#}`.
const WIDTH: usize = 100;

impl FromStr for Program {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Program, ProgramError> {
        let mut reader = Reader { text, words: words_of(text), next: 0, nodes: Vec::new() };
        reader.expression(Type::Real, 1)?;
        if let Some(&(at, word)) = reader.words.get(reader.next) {
            let reason = format!("'{word}' comes after the end of the program; a file has one program");
            return Err(reader.error(at, reason));
        }
        let too_large = || format!("the program is too large; it may have {} elements", Program::MOST_NODES);
        Program::new(reader.nodes).ok_or_else(|| ProgramError { line: 1, column: 1, reason: too_large() })
    }
}

impl fmt::Display for Program {
    /// On one line; with `{:#}` indented over several lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text, 0, if f.alternate() { Some(0) } else { None });
        f.write_str(&text)
    }
}

impl Program {
    /// Writes the subtree at `at`, on one line or indented by `indent` spaces.
    fn write(&self, text: &mut String, at: usize, indent: Option<usize>) {
        let node = self.nodes()[at];
        if node.arguments().is_empty() {
            *text += &node.to_string();
            return;
        }
        let mut line = String::new();
        let is_broken = indent.is_some_and(|indent| {
            self.write(&mut line, at, None);
            indent + line.len() > WIDTH
        });
        if let (Some(_), false) = (indent, is_broken) {
            *text += &line;
            return;
        }
        *text += &format!("({node}");
        for argument in self.arguments(at) {
            match indent {
                Some(indent) => {
                    *text += &format!("\n{:1$}", "", indent + 2);
                    self.write(text, argument, Some(indent + 2));
                }
                None => {
                    text.push(' ');
                    self.write(text, argument, None);
                }
            }
        }
        text.push(')');
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Call(primitive) => f.write_str(primitive.facts().name),
            Node::Number(number) => number.fmt(f),
            Node::Truth(truth) => truth.fmt(f),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Parentheses and words, each with its byte offset.
    words: Vec<(usize, &'a str)>,
    next: usize,
    nodes: Vec<Node>,
}

impl<'a> Reader<'a> {
    fn expression(&mut self, wanted: Type, depth: usize) -> Result<(), ProgramError> {
        let (at, word) = self.take(&format!("a {wanted} expression"))?;
        if depth > Program::MOST_DEPTH {
            let reason = format!("this is nested deeper than the limit of {} levels", Program::MOST_DEPTH);
            return Err(self.error(at, reason));
        }
        match word {
            ")" => Err(self.error(at, format!("expected a {wanted} expression before ')'"))),
            "(" => {
                let (at, word) = self.take("a function's name")?;
                let node = self.node(at, word, wanted)?;
                for &argument in node.arguments() {
                    self.expression(argument, depth + 1)?;
                }
                match self.take("')'")? {
                    (_, ")") => Ok(()),
                    (at, other) => {
                        let takes = takes(node);
                        Err(self.error(at, format!("'{other}' is one argument too many: {takes}; expected ')'")))
                    }
                }
            }
            _ => {
                let node = self.node(at, word, wanted)?;
                if !node.arguments().is_empty() {
                    let takes = takes(node);
                    return Err(self.error(at, format!("{takes}; write '({word} …)'")));
                }
                Ok(())
            }
        }
    }

    /// Parses a node of this type.
    fn node(&mut self, at: usize, word: &str, wanted: Type) -> Result<Node, ProgramError> {
        let constant = || match word {
            "true" => Some(Node::Truth(true)),
            "false" => Some(Node::Truth(false)),
            _ => Real::parse(word).map(Node::Number),
        };
        let found = Primitive::find(word).map(Node::Call).or_else(constant);
        let node = found.ok_or_else(|| self.error(at, unknown(word)))?;
        if node.returns() != wanted {
            let known = TABLE.iter().find(|facts| facts.returns == wanted && facts.arguments.is_empty());
            let example = known.map_or("", |facts| facts.name);
            let reason =
                format!("'{word}' is {}, but a {wanted} is expected here, like '{example}'", a_type(node.returns()));
            return Err(self.error(at, reason));
        }
        self.nodes.push(node);
        Ok(node)
    }

    fn take(&mut self, expected: &str) -> Result<(usize, &'a str), ProgramError> {
        let word = self.words.get(self.next).copied();
        self.next += 1;
        word.ok_or_else(|| self.error(self.text.trim_end().len(), format!("the text ends here; expected {expected}")))
    }

    fn error(&self, at: usize, reason: String) -> ProgramError {
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        ProgramError { line, column, reason }
    }
}

fn a_type(of: Type) -> String {
    format!("a {of}")
}

fn takes(node: Node) -> String {
    let types: Vec<_> = node.arguments().iter().map(ToString::to_string).collect();
    match types.len() {
        0 => format!("'{node}' takes no arguments"),
        1 => format!("'{node}' takes one argument ({})", types[0]),
        count => format!("'{node}' takes {count} arguments ({})", types.join(", ")),
    }
}

fn unknown(word: &str) -> String {
    let shown: String = word.chars().take(40).collect();
    let similar = TABLE.iter().find(|facts| facts.name.eq_ignore_ascii_case(word)).map(|facts| facts.name);
    match similar {
        Some(name) => format!("there is no '{shown}'; expected '{name}'"),
        None if word.starts_with(|first: char| first.is_ascii_digit() || first == '-') => {
            format!("'{shown}' is not a number from -1000 to 1000 with at most three decimals, like '12.5'")
        }
        None => format!("there is no '{shown}'; `plysmith program --language` lists what there is"),
    }
}

/// Words and parentheses without comments, each with its byte offset.
fn words_of(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '(' | ')' => {
                words.push((at, &rest[..1]));
                1
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                let ends = |letter: char| letter.is_whitespace() || matches!(letter, '(' | ')' | ';');
                let length = rest.find(ends).unwrap_or(rest.len());
                words.push((at, &rest[..length]));
                length
            }
        };
        at += length;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{Program, Real};

    fn error(text: &str) -> String {
        text.parse::<Program>().unwrap_err().to_string()
    }

    #[test]
    fn comments_spaces_and_parentheses_do_not_matter() {
        let text = "; why\n(If3 (IsCheck)\n  1000 ; the best\n (Again))\n";
        let program: Program = text.parse().unwrap();
        assert_eq!(program.to_string(), "(If3 IsCheck 1000 Again)");
        assert_eq!(format!("{program:#}").parse::<Program>(), Ok(program));
    }

    #[test]
    fn errors_say_where_and_what_to_write() {
        assert!(error("").starts_with("1:1: the text ends here; expected a real expression"));
        assert!(error("(If3 IsCheck\n  1 Foo)").starts_with("2:5: there is no 'Foo'"));
        assert!(
            error("(If3 1 2 3)")
                .contains("1:6: '1' is a real, but a Boolean is expected here, like 'IsNextMoveForced'")
        );
        assert!(error("MakeBestMove").contains("takes one argument (real); write '(MakeBestMove …)'"));
        assert!(error("(MakeBestMove 1 2)").contains("1:17: '2' is one argument too many"));
        assert!(error("(MakeBestMove)").contains("1:14: expected a real expression before ')'"));
        assert!(error("1 2").contains("1:3: '2' comes after the end"));
        assert!(error("ischeck").contains("expected 'IsCheck'"));
        assert!(error("1000.5").contains("not a number from -1000 to 1000"));
        assert!(error(&"(MakeBestMove ".repeat(300)).contains("nested deeper than the limit of 200"));
        assert!(error("IsCheck").contains("is a Boolean, but a real"));
    }

    #[test]
    fn numbers_read_back() {
        for (text, units) in [("0", 0), ("-0.5", -500), ("1000", 1_000_000), ("12.125", 12_125), ("-1000", -1_000_000)]
        {
            assert_eq!(Real::parse(text), Some(Real(units)));
            assert_eq!(Real(units).to_string(), text);
        }
        for text in ["", "-", ".5", "1.", "1001", "1.2345", "+1", "--1", "1e3", "0x1", "１"] {
            assert_eq!(Real::parse(text), None, "{text}");
        }
    }
}
