//! Proof trees of mates, and their verifier.
//!
//! A proof has one move of the player in each of his positions, and every legal reply to it. The verifier is
//! independent of how a proof was found: it plays the moves by the rules of core's chess and uses no search, no table
//! and no hash keys.
//!
//! As usual in mate problems, draws that must be claimed (fifty moves, repetition) do not count.
//!
//! ```text
//! mate in 2
//! 6k1/5ppp/8/8/8/8/1r3PPP/2Q1R1K1 w - - 0 1
//! c1c8
//!   b2b8
//!     c8b8
//! ```
//!
//! Moves are in UCI notation; each reply is indented by two more spaces.

use std::fmt::Write;

use plysmith_core::game::Game;
use plysmith_core::games::chess::{Move, Position};
use thiserror::Error;

use crate::interpreter::ProvedMates;

/// A proof of a mate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The position, with the player to move.
    pub position: Position,
    /// The number of moves within which he mates.
    pub moves: u32,
    /// The proof tree.
    pub attack: Attack,
}

/// A move of the player, and his answer to each reply. Without replies it is mate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attack {
    /// The player's move.
    pub m: Move,
    /// Every legal reply, and the answer to it.
    pub replies: Vec<(Move, Attack)>,
}

/// A flaw that makes a proof invalid.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProofFlaw {
    /// A move that is not legal.
    #[error("{line}: '{m}' is not legal")]
    Illegal {
        /// The moves before it.
        line: String,
        /// The move.
        m: String,
    },
    /// A legal reply without an answer.
    #[error("{line}: there is no answer to '{m}'")]
    Missing {
        /// The moves before it.
        line: String,
        /// The reply.
        m: String,
    },
    /// A reply that is answered twice.
    #[error("{line}: '{m}' is answered twice")]
    Twice {
        /// The moves before it.
        line: String,
        /// The reply.
        m: String,
    },
    /// A line that ends in stalemate.
    #[error("{line}: this is stalemate")]
    Stalemate {
        /// The moves that lead there.
        line: String,
    },
    /// A line that is longer than claimed.
    #[error("{line}: this is no mate within {moves} moves")]
    TooLong {
        /// The moves that lead there.
        line: String,
        /// The claimed number of moves.
        moves: u32,
    },
}

/// A text that is not a proof, with the line of the error.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{line}: {reason}")]
pub struct ProofError {
    /// The line, counted from 1.
    pub line: usize,
    /// What was read and what was expected.
    pub reason: String,
}

/// The longest mate that is read.
const MOST_MOVES: u32 = 250;
/// The largest tree that is built, below a gigabyte. A search may prove a mate by few positions that many paths share,
/// but its tree has every path.
const MOST_ATTACKS: usize = 10_000_000;

impl Proof {
    /// Builds a proof from the mates that a search recorded; `None` if the tree is incomplete or too large.
    pub fn from_proved_mates(position: &Position, moves: u32, proved_mates: &ProvedMates) -> Option<Proof> {
        let proved_mate = |key: u64| proved_mates.get(&key).copied();
        let mut builder = Builder { proved_mate: &proved_mate, room: MOST_ATTACKS };
        let attack = builder.attack(position, moves)?;
        Some(Proof { position: position.clone(), moves, attack })
    }

    /// Builds the proof that this move mates within `moves` moves. Its length is that of the tree, which may be shorter.
    /// `proved_mate` has the mates of [`ProvedMates`], by their key.
    pub fn of_first_move(
        position: &Position,
        m: Move,
        moves: u32,
        proved_mate: &dyn Fn(u64) -> Option<(cozy_chess::Move, u8)>,
    ) -> Option<Proof> {
        let mut builder = Builder { proved_mate, room: MOST_ATTACKS };
        let attack = builder.answered(position, m, moves)?;
        Some(Proof { position: position.clone(), moves: attack.length(), attack })
    }

    /// Verifies the proof: all moves are legal, every reply is answered, and every line ends in mate in time.
    pub fn verify(&self) -> Result<(), ProofFlaw> {
        let mut line = Vec::new();
        self.verify_attack(&self.position, &self.attack, self.moves, &mut line)
    }

    /// The number of the player's moves in the tree.
    pub fn size(&self) -> usize {
        self.attack.size()
    }

    fn verify_attack(
        &self,
        position: &Position,
        attack: &Attack,
        left: u32,
        line: &mut Vec<String>,
    ) -> Result<(), ProofFlaw> {
        let text = |line: &[String]| if line.is_empty() { "at the root".to_string() } else { line.join(" ") };
        if left == 0 {
            return Err(ProofFlaw::TooLong { line: text(line), moves: self.moves });
        }
        if !position.legal_moves().contains(&attack.m) {
            return Err(ProofFlaw::Illegal { line: text(line), m: attack.m.to_string() });
        }
        line.push(attack.m.to_string());
        let after = position.play(attack.m);
        let replies = after.legal_moves();
        if replies.is_empty() && !after.in_check() {
            return Err(ProofFlaw::Stalemate { line: text(line) });
        }
        for (index, (reply, _)) in attack.replies.iter().enumerate() {
            if !replies.contains(reply) {
                return Err(ProofFlaw::Illegal { line: text(line), m: reply.to_string() });
            }
            if attack.replies[..index].iter().any(|(other, _)| other == reply) {
                return Err(ProofFlaw::Twice { line: text(line), m: reply.to_string() });
            }
        }
        for &reply in &replies {
            let Some((_, answer)) = attack.replies.iter().find(|(other, _)| *other == reply) else {
                return Err(ProofFlaw::Missing { line: text(line), m: reply.to_string() });
            };
            line.push(reply.to_string());
            self.verify_attack(&after.play(reply), answer, left - 1, line)?;
            line.pop();
        }
        line.pop();
        Ok(())
    }

    /// The proof as text.
    pub fn print(&self) -> String {
        let mut text = format!("mate in {}\n{}\n", self.moves, self.position);
        self.attack.print(0, &mut text);
        text
    }

    /// Parses a proof. It does not verify it.
    pub fn parse(text: &str) -> Result<Proof, ProofError> {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let mut lines = lines.by_ref().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let error = |line: usize, reason: &str| ProofError { line, reason: reason.to_string() };
        let (number, first) = lines.next().ok_or_else(|| error(1, "the text is empty; expected 'mate in N'"))?;
        let moves = first.strip_prefix("mate in ").and_then(|count| count.trim().parse().ok());
        let moves = moves
            .filter(|count| (1..=MOST_MOVES).contains(count))
            .ok_or_else(|| error(number, "expected 'mate in N', where N is a number of moves"))?;
        let (number, fen) = lines.next().ok_or_else(|| error(number + 1, "expected a position as FEN"))?;
        let position = Position::parse(fen).map_err(|wrong| error(number, &wrong.to_string()))?;
        let mut steps = Vec::new();
        for (number, line) in lines {
            let indent = line.len() - line.trim_start_matches(' ').len();
            if indent % 2 == 1 {
                return Err(error(number, "expected an even number of spaces before the move"));
            }
            steps.push(Step { number, depth: indent / 2, text: line.trim() });
        }
        let mut reader = Reader { steps: &steps, next: 0 };
        let attack = reader.attack(&position, 0)?;
        match steps.get(reader.next) {
            Some(step) => Err(error(step.number, "this move is no reply to a move above it; check its indentation")),
            None => Ok(Proof { position, moves, attack }),
        }
    }
}

impl Attack {
    fn size(&self) -> usize {
        1 + self.replies.iter().map(|(_, answer)| answer.size()).sum::<usize>()
    }

    /// The number of the player's moves in the longest line.
    pub fn length(&self) -> u32 {
        1 + self.replies.iter().map(|(_, answer)| answer.length()).max().unwrap_or(0)
    }

    fn print(&self, depth: usize, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:1$}{2}", "", 2 * depth, self.m);
        for (reply, answer) in &self.replies {
            let _ = writeln!(text, "{:1$}{reply}", "", 2 * depth + 2);
            answer.print(depth + 2, text);
        }
    }

    /// The longest line: each reply is the one that resists longest.
    pub fn longest_line(&self) -> Vec<Move> {
        let mut line = vec![self.m];
        let lines = self.replies.iter().map(|(reply, answer)| (reply, answer.longest_line()));
        if let Some((reply, rest)) = lines.reduce(|a, b| if b.1.len() > a.1.len() { b } else { a }) {
            line.push(*reply);
            line.extend(rest);
        }
        line
    }
}

/// Builds a tree from the mates that a search recorded.
struct Builder<'a> {
    proved_mate: &'a dyn Fn(u64) -> Option<(cozy_chess::Move, u8)>,
    /// How many more moves of the player the tree may have.
    room: usize,
}

impl Builder<'_> {
    fn attack(&mut self, position: &Position, moves: u32) -> Option<Attack> {
        let (m, within) = (self.proved_mate)(position.board().hash())?;
        if u32::from(within) > moves {
            return None;
        }
        let m = position.legal_moves().into_iter().find(|legal| legal.for_cozy() == m)?;
        self.answered(position, m, within.into())
    }

    /// This move, and the answer to each reply.
    fn answered(&mut self, position: &Position, m: Move, moves: u32) -> Option<Attack> {
        let left = moves.checked_sub(1)?;
        self.room = self.room.checked_sub(1)?;
        let after = position.play(m);
        let answer = |reply: Move| Some((reply, self.attack(&after.play(reply), left)?));
        let replies = after.legal_moves().into_iter().map(answer).collect::<Option<_>>()?;
        Some(Attack { m, replies })
    }
}

/// A move in the text of a proof.
struct Step<'a> {
    number: usize,
    depth: usize,
    text: &'a str,
}

struct Reader<'a> {
    steps: &'a [Step<'a>],
    next: usize,
}

impl Reader<'_> {
    /// Reads the player's move at this depth, and its subtree.
    fn attack(&mut self, position: &Position, depth: usize) -> Result<Attack, ProofError> {
        let m = self.take(position, depth)?;
        let after = position.play(m);
        let mut replies = Vec::new();
        while self.steps.get(self.next).is_some_and(|step| step.depth == depth + 1) {
            let reply = self.take(&after, depth + 1)?;
            replies.push((reply, self.attack(&after.play(reply), depth + 2)?));
        }
        Ok(Attack { m, replies })
    }

    fn take(&mut self, position: &Position, depth: usize) -> Result<Move, ProofError> {
        let last = self.steps.last().map_or(3, |step| step.number + 1);
        let missing = |line| ProofError { line, reason: format!("expected a move indented by {} spaces", 2 * depth) };
        let step = self.steps.get(self.next).ok_or_else(|| missing(last))?;
        if step.depth != depth || depth > 2 * MOST_MOVES as usize {
            return Err(missing(step.number));
        }
        self.next += 1;
        position.parse_move(step.text).map_err(|error| ProofError { line: step.number, reason: error.to_string() })
    }
}
