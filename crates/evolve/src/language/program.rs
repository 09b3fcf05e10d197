//! A program: an expression as a flat list of nodes in prefix order, with the end of each subtree.
//!
//! A subtree is a slice, replacing one is copying, and the interpreter follows indices instead of pointers.

use std::fmt;

use super::primitives::{Primitive, Type};

/// A real number of a program, in thousandths; searches use no floating point.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Real(pub i32);

/// A node of a program.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Node {
    /// A function, followed by its arguments, or a terminal.
    Call(Primitive),
    /// A real constant.
    Number(Real),
    /// A Boolean constant, which only simplification creates.
    Truth(bool),
}

/// A well-typed program of type real.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Program {
    nodes: Vec<Node>,
    ends: Vec<u16>,
}

impl Real {
    /// The largest value: the opponent is mated.
    pub const TOP: Real = Real(1_000_000);
    /// The smallest value.
    pub const BOTTOM: Real = Real(-1_000_000);
    /// The number one, in thousandths.
    pub const UNIT: i32 = 1_000;

    /// An integer.
    pub const fn whole(number: i32) -> Real {
        Real(number * Real::UNIT)
    }

    /// Parses a number with at most three decimals, from −1000 to 1000.
    pub fn parse(text: &str) -> Option<Real> {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_number = |part: &str, most| (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        if !is_number(whole, 4) || !is_number(decimals, 3) {
            return None;
        }
        let units = whole.parse::<i32>().ok()? * Real::UNIT + format!("{decimals:0<3}").parse::<i32>().ok()?;
        (units <= Real::TOP.0).then_some(Real(sign * units))
    }
}

impl Node {
    /// The type of its value.
    pub fn returns(self) -> Type {
        match self {
            Node::Call(primitive) => primitive.facts().returns,
            Node::Number(_) => Type::Real,
            Node::Truth(_) => Type::Boolean,
        }
    }

    /// The types of its arguments.
    pub fn arguments(self) -> &'static [Type] {
        match self {
            Node::Call(primitive) => primitive.facts().arguments,
            _ => &[],
        }
    }
}

impl Program {
    /// The largest number of nodes.
    pub const MOST_NODES: usize = 10_000;
    /// The largest depth.
    pub const MOST_DEPTH: usize = 200;

    /// A program of these nodes; `None` unless they are one well-typed expression of type real within the limits.
    pub fn new(nodes: Vec<Node>) -> Option<Program> {
        if nodes.len() > Program::MOST_NODES {
            return None;
        }
        let ends = ends_of(&nodes, Type::Real)?;
        let program = Program { nodes, ends };
        (program.depth() <= Program::MOST_DEPTH).then_some(program)
    }

    /// The nodes, in prefix order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The end of the subtree at `at`.
    #[inline]
    pub fn end(&self, at: usize) -> usize {
        usize::from(self.ends[at])
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The indices of the arguments of the node at `at`.
    pub fn arguments(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = at + 1;
        self.nodes[at].arguments().iter().map(move |_| {
            let place = next;
            next = self.end(place);
            place
        })
    }

    /// Whether a function or terminal occurs.
    pub fn uses(&self, primitive: Primitive) -> bool {
        self.nodes.contains(&Node::Call(primitive))
    }

    /// The depth of the expression.
    pub fn depth(&self) -> usize {
        self.depths().into_iter().max().unwrap_or(0)
    }

    /// The depth of each node; the first has depth 1.
    pub fn depths(&self) -> Vec<usize> {
        let mut open: Vec<usize> = Vec::new();
        let depth_at = |(place, _): (usize, &Node)| {
            while open.last().is_some_and(|&around| self.end(around) <= place) {
                open.pop();
            }
            open.push(place);
            open.len()
        };
        self.nodes.iter().enumerate().map(depth_at).collect()
    }

    /// Replaces the subtree at `at`; `None` if the result is not a program.
    pub fn with_part(&self, at: usize, part: &[Node]) -> Option<Program> {
        let nodes = [&self.nodes[..at], part, &self.nodes[self.end(at)..]].concat();
        Program::new(nodes)
    }

    /// The subtree at `at`.
    pub fn part(&self, at: usize) -> &[Node] {
        &self.nodes[at..self.end(at)]
    }
}

/// The end of each subtree; `None` if the nodes are not one expression of this type.
fn ends_of(nodes: &[Node], wanted: Type) -> Option<Vec<u16>> {
    let mut ends = vec![0; nodes.len()];
    // The open functions: the index of each, and how many of its arguments are complete.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (place, node) in nodes.iter().enumerate() {
        let wanted = match open.last() {
            None if place == 0 => wanted,
            None => return None,
            Some(&(around, filled)) => nodes[around].arguments()[filled],
        };
        if node.returns() != wanted {
            return None;
        }
        open.push((place, 0));
        while let Some(&(around, filled)) = open.last() {
            if filled < nodes[around].arguments().len() {
                break;
            }
            ends[around] = u16::try_from(place + 1).ok()?;
            open.pop();
            if let Some(last) = open.last_mut() {
                last.1 += 1;
            }
        }
    }
    (open.is_empty() && !nodes.is_empty()).then_some(ends)
}

impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, units) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (whole, decimals) = (units / Real::UNIT as u32, units % Real::UNIT as u32);
        if decimals == 0 {
            return write!(f, "{sign}{whole}");
        }
        let decimals = format!("{decimals:03}");
        write!(f, "{sign}{whole}.{}", decimals.trim_end_matches('0'))
    }
}
