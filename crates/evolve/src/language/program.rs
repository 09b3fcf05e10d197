//! A program: an expression as a flat list in the order in which it is written, each part with the place where it ends.
//!
//! So a part is a slice, cutting one out and putting another in is copying, and the interpreter follows places instead
//! of pointers.

use std::fmt;

use super::primitives::{Primitive, Type};

/// A number in a program, in thousandths: there is no floating point in searches.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Real(pub i32);

/// One element of a program.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Node {
    /// A function, whose arguments follow, or a terminal.
    Call(Primitive),
    /// A constant.
    Number(Real),
    /// A constant that only simplifying makes.
    Truth(bool),
}

/// A well-typed program, which gives a real.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Program {
    nodes: Vec<Node>,
    ends: Vec<u16>,
}

impl Real {
    /// The best there is: the opponent is mated.
    pub const TOP: Real = Real(1_000_000);
    /// The worst there is.
    pub const BOTTOM: Real = Real(-1_000_000);
    /// One.
    pub const UNIT: i32 = 1_000;

    /// A whole number.
    pub const fn whole(number: i32) -> Real {
        Real(number * Real::UNIT)
    }

    /// Reads a number of at most three decimals from −1000 to 1000.
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
    /// What it gives.
    pub fn returns(self) -> Type {
        match self {
            Node::Call(primitive) => primitive.facts().returns,
            Node::Number(_) => Type::Real,
            Node::Truth(_) => Type::Boolean,
        }
    }

    /// What it takes.
    pub fn arguments(self) -> &'static [Type] {
        match self {
            Node::Call(primitive) => primitive.facts().arguments,
            _ => &[],
        }
    }
}

impl Program {
    /// Larger programs are not read or bred.
    pub const MOST_NODES: usize = 10_000;
    /// Nor are deeper ones.
    pub const MOST_DEPTH: usize = 200;

    /// A program of these elements, if they are one, well typed and not too large.
    pub fn new(nodes: Vec<Node>) -> Option<Program> {
        if nodes.len() > Program::MOST_NODES {
            return None;
        }
        let ends = ends_of(&nodes, Type::Real)?;
        let program = Program { nodes, ends };
        (program.depth() <= Program::MOST_DEPTH).then_some(program)
    }

    /// Its elements.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Where the part that begins here ends.
    #[inline]
    pub fn end(&self, at: usize) -> usize {
        usize::from(self.ends[at])
    }

    /// How many elements it has.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The places of the arguments of the element here.
    pub fn arguments(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = at + 1;
        self.nodes[at].arguments().iter().map(move |_| {
            let place = next;
            next = self.end(place);
            place
        })
    }

    /// How many elements stand inside each other.
    pub fn depth(&self) -> usize {
        self.depths().into_iter().max().unwrap_or(0)
    }

    /// How deep each element stands, the first at 1.
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

    /// The same with the part that begins here replaced; none if that is not a program.
    pub fn with_part(&self, at: usize, part: &[Node]) -> Option<Program> {
        let nodes = [&self.nodes[..at], part, &self.nodes[self.end(at)..]].concat();
        Program::new(nodes)
    }

    /// The part that begins here.
    pub fn part(&self, at: usize) -> &[Node] {
        &self.nodes[at..self.end(at)]
    }
}

/// Where each part ends; none if this is not one expression of this type.
fn ends_of(nodes: &[Node], wanted: Type) -> Option<Vec<u16>> {
    let mut ends = vec![0; nodes.len()];
    // The types still wanted, and below each function's own the place of it.
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
