//! Mate search in play: before each search of a move, a mate solver looks for a forced mate. The mate paper proposes such
//! a module for chess engines in its conclusions ("a general Mate-In-N module").
//!
//! - It spends a share of the move's nodes or time, and the search has what is left. The nodes of both count.
//! - A mate is played at once. It has a proof that the verifier accepted, in which no position of the game repeats and the
//!   fifty-move rule does not come in between.
//! - Without a clock the result depends only on the position, the game before it, and the node limit.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use plysmith_core::game::Game;
use plysmith_core::games::chess::{self, Position};
use plysmith_core::games::{AnyPosition, GameInfo, Playing};
use plysmith_core::search::Interrupt;
use plysmith_evolve::solvers::evolved::bundled_program;
use plysmith_evolve::{Attack, DfPn, Evolved, MateAnswer, MateQuery, Proof, ShortestQuery, Solver};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::timed_search::TimeBudget;

/// The mate search of a player.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MateSearch {
    /// The solver.
    pub solver: MateSolverKind,
    /// The share of a move's nodes or time that it may spend, in per cent.
    pub share: u32,
}

/// A solver that looks for mates.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum MateSolverKind {
    /// Depth-first proof-number search.
    DfPn,
    /// The evolved program that comes with Plysmith.
    Evolved,
}

/// A word that is no setting of a mate search.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MateSearchError {
    /// Not a solver.
    #[error("'{0}' is not a mate search; expected one of {names}", names = MateSolverKind::CHOICES.join(", "))]
    Solver(String),
    /// Not a share.
    #[error("'{0}' is not a share of a mate search; expected a whole number of per cent from 1 to {most}", most = MateSearch::MOST_SHARE)]
    Share(String),
    /// A share of nothing.
    #[error("'mate-share' is for players with a mate search; add 'mate-search=df-pn', or leave it out")]
    NoSolver,
    /// Another game.
    #[error("only chess players have a mate search; leave out 'mate-search' in {0}")]
    Game(&'static str),
}

/// Where a mate is searched for, and how long.
pub struct MateTask<'a> {
    /// The position with the game before it.
    pub playing: &'a Playing,
    /// The node limit of the move; `u64::MAX` for none.
    pub nodes: u64,
    /// The time for the move, if it is limited.
    pub budget: Option<TimeBudget>,
    /// When thinking began.
    pub begun: Instant,
    /// Polled; true stops the search.
    pub interrupt: &'a Interrupt<'a>,
}

/// What a mate search found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MateFinding {
    /// The line of the mate with the longest defence; empty if there is none.
    pub line: Vec<String>,
    /// Nodes spent.
    pub nodes: u64,
}

/// The longest mate that is searched for, in moves.
const MOST_MOVES: u8 = 8;
/// The most nodes of one search, a second or two.
const MOST_NODES: u64 = 1_000_000;
/// The nodes of one search if neither nodes nor time are limited.
const UNLIMITED_NODES: u64 = 100_000;
/// The setting that names the solver, and the one of its share.
const SOLVER: &str = "mate-search=";
const SHARE: &str = "mate-share=";

impl MateSolverKind {
    /// No solver, then all solvers.
    pub const CHOICES: [&'static str; 3] = ["off", "df-pn", "evolved"];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            MateSolverKind::DfPn => "df-pn",
            MateSolverKind::Evolved => "evolved",
        }
    }

    /// The solver of this name; none for `off`.
    pub fn parse(name: &str) -> Result<Option<MateSolverKind>, MateSearchError> {
        match name {
            "off" => Ok(None),
            "df-pn" | "dfpn" => Ok(Some(MateSolverKind::DfPn)),
            "evolved" => Ok(Some(MateSolverKind::Evolved)),
            _ => Err(MateSearchError::Solver(name.to_string())),
        }
    }
}

impl MateSearch {
    /// The share that is spent unless another is set.
    pub const SHARE: u32 = 10;
    /// The largest share: the search must find a move where there is no mate.
    pub const MOST_SHARE: u32 = 90;

    /// Takes the words of a mate search out of settings: `modern,mate-search=df-pn,mate-share=20` has the settings
    /// `modern`.
    pub fn take_from(game: &GameInfo, settings: &str) -> Result<(String, Option<MateSearch>), MateSearchError> {
        let (mut solver, mut share, mut others) = (None, None, Vec::new());
        for word in settings.split(',') {
            if let Some(name) = word.strip_prefix(SOLVER) {
                solver = MateSolverKind::parse(name)?;
            } else if let Some(text) = word.strip_prefix(SHARE) {
                share = Some(parse_share(text)?);
            } else {
                others.push(word);
            }
        }
        let mate_search = solver.map(|solver| MateSearch { solver, share: share.unwrap_or(MateSearch::SHARE) });
        match mate_search {
            None if share.is_some() => Err(MateSearchError::NoSolver),
            Some(_) if game.name != chess::INFO.name => Err(MateSearchError::Game(game.name)),
            _ => Ok((others.join(","), mate_search)),
        }
    }

    /// What it adds to the text of settings.
    pub fn print(self) -> String {
        let share = if self.share == MateSearch::SHARE { String::new() } else { format!(",{SHARE}{}", self.share) };
        format!(",{SOLVER}{}{share}", self.solver.name())
    }

    /// What its results depend on besides its text: the revision of solvers and programs, and the program.
    pub fn behaviour(self) -> String {
        let program = match self.solver {
            MateSolverKind::DfPn => "",
            MateSolverKind::Evolved => plysmith_evolve::solvers::evolved::BUNDLED_PROGRAM,
        };
        let text = format!("{REVISION} {} {program}", plysmith_evolve::REVISION);
        format!("{:016x}", xxh3_64(text.as_bytes()))
    }

    /// About how many bytes it uses.
    pub fn memory(self) -> u64 {
        DfPn::most_bytes(MOST_NODES)
    }

    /// Searches for a mate by the side to move. Nothing is found in other games than chess.
    pub fn run(self, task: &MateTask<'_>) -> MateFinding {
        let Ok(position) = Position::parse(&task.playing.position().text()) else { return MateFinding::default() };
        let share = Duration::saturating_mul;
        let end = task.budget.map(|budget| share(budget.soft.unwrap_or(budget.hard), self.share) / 100);
        let is_over = || end.is_some_and(|end| task.begun.elapsed() >= end) || (task.interrupt)();
        let budget = self.node_limit(task.nodes, end.is_some());
        if budget == 0 || is_over() {
            return MateFinding::default();
        }
        let query = MateQuery { position: &position, moves: MOST_MOVES, budget, interrupt: &is_over };
        let answer = self.solver.solve(query);
        let is_mate = |proof: &&Proof| proof.verify().is_ok() && cannot_be_drawn(task.playing, proof);
        let proof = answer.proof.as_ref().filter(is_mate);
        let line = proof.map(|proof| proof.attack.longest_line().iter().map(ToString::to_string).collect());
        MateFinding { line: line.unwrap_or_default(), nodes: answer.nodes }
    }

    fn node_limit(self, nodes: u64, is_timed: bool) -> u64 {
        if nodes == u64::MAX {
            return if is_timed { MOST_NODES } else { UNLIMITED_NODES };
        }
        let share = u64::from(self.share);
        (nodes / 100 * share + nodes % 100 * share / 100).min(MOST_NODES)
    }
}

/// Raised when a mate search gives another result for the same task, beyond [`plysmith_evolve::REVISION`].
const REVISION: u32 = 1;

/// Reads a share.
pub fn parse_share(text: &str) -> Result<u32, MateSearchError> {
    let share = text.parse().ok().filter(|share| (1..=MateSearch::MOST_SHARE).contains(share));
    share.ok_or_else(|| MateSearchError::Share(text.to_string()))
}

impl MateSolverKind {
    fn solve(self, query: MateQuery<'_>) -> MateAnswer {
        match self {
            MateSolverKind::DfPn => {
                let shortening = query.budget;
                // With one thread, so that moves depend on nothing else than the position and the node limit.
                let threads = NonZeroUsize::MIN;
                DfPn.shortest(ShortestQuery { query, only: &[], shortening, threads, found: &mut |_| () }).answer
            }
            MateSolverKind::Evolved => match bundled_program() {
                Ok(program) => Evolved { program, name: self.name().to_string() }.solve(&query),
                // A test reads it.
                Err(_) => MateAnswer::default(),
            },
        }
    }
}

/// Whether no line of a proof meets a position of the game again, or the fifty-move rule.
fn cannot_be_drawn(playing: &Playing, proof: &Proof) -> bool {
    let position = playing.position();
    let reversible = playing.past().len().max(position.reversible_plies() as usize);
    reversible + 2 * proof.moves as usize <= FIFTY_MOVES && never_repeats(playing, position, &proof.attack)
}

/// The plies of the fifty-move rule.
const FIFTY_MOVES: usize = 100;

fn never_repeats(playing: &Playing, position: &dyn AnyPosition, attack: &Attack) -> bool {
    let is_new = |position: &dyn AnyPosition| !playing.past().contains(&position.repetition_key());
    let Ok(next) = position.play(&attack.m.to_string()) else { return false };
    is_new(next.as_ref())
        && attack.replies.iter().all(|(reply, answer)| match next.play(&reply.to_string()) {
            Ok(after) => is_new(after.as_ref()) && never_repeats(playing, after.as_ref(), answer),
            Err(_) => false,
        })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use plysmith_core::games::{self, Playing};

    use super::{MateFinding, MateSearch, MateSolverKind, MateTask};
    use crate::timed_search::TimeBudget;

    /// White mates in two by sacrificing the queen.
    const MATE: &str = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1";

    fn run(solver: MateSolverKind, text: &str, nodes: u64) -> MateFinding {
        let playing = Playing::new((games::find("chess").unwrap().open)(text).unwrap());
        let task = MateTask { playing: &playing, nodes, budget: None, begun: Instant::now(), interrupt: &|| false };
        MateSearch { solver, share: 50 }.run(&task)
    }

    #[test]
    fn both_solvers_find_a_mate_within_their_share() {
        for solver in [MateSolverKind::DfPn, MateSolverKind::Evolved] {
            let found = run(solver, MATE, 20_000);
            assert_eq!(found.line[0], "d2h6", "{solver:?}");
            assert!(found.nodes > 0 && found.nodes <= 10_000, "{solver:?} {found:?}");
            assert_eq!(run(solver, MATE, 20_000), found, "equal tasks have equal results");
            let quiet = run(solver, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 1_000);
            assert!(quiet.line.is_empty() && quiet.nodes <= 500, "{quiet:?}");
            assert_eq!(run(solver, MATE, 0), MateFinding::default());
        }
    }

    /// The mate in three exists, but after 98 reversible plies the game is drawn before it.
    #[test]
    fn a_mate_that_the_fifty_move_rule_prevents_is_none() {
        let rooks = |clock: u32| format!("7k/8/8/8/8/8/R7/1R5K w - - {clock} 80");
        assert!(!run(MateSolverKind::DfPn, &rooks(0), 100_000).line.is_empty());
        assert!(run(MateSolverKind::DfPn, &rooks(98), 100_000).line.is_empty());
    }

    #[test]
    fn a_position_of_the_game_must_not_come_again() {
        let mut playing = Playing::new((games::find("chess").unwrap().open)("7k/8/8/8/8/8/R7/1R5K w - - 0 1").unwrap());
        let find = |playing: &Playing| {
            let task = MateTask { playing, nodes: 100_000, budget: None, begun: Instant::now(), interrupt: &|| false };
            MateSearch { solver: MateSolverKind::DfPn, share: 50 }.run(&task).line
        };
        let line = find(&playing);
        assert!(line.len() >= 3, "{line:?}");
        // The first move of the mate is played and taken back.
        let back: String = [&line[0][2..4], &line[0][0..2]].concat();
        for m in [line[0].as_str(), line[1].as_str(), back.as_str(), &[&line[1][2..4], &line[1][0..2]].concat()] {
            playing.play(m).unwrap();
        }
        assert_ne!(find(&playing).first(), line.first());
    }

    #[test]
    fn time_that_is_used_up_leaves_no_mate_search() {
        let playing = Playing::new((games::find("chess").unwrap().open)(MATE).unwrap());
        let budget = Some(TimeBudget { soft: None, hard: std::time::Duration::ZERO });
        let task = MateTask { playing: &playing, nodes: u64::MAX, budget, begun: Instant::now(), interrupt: &|| false };
        assert_eq!(MateSearch { solver: MateSolverKind::DfPn, share: 50 }.run(&task), MateFinding::default());
    }
}
