//! When a UCI engine has solved a problem: nodes read from its `info … pv` lines, under any policy.
//!
//! The paper's engine searches "until it agrees". UCI has no such command, but an engine shows its best move
//! and its nodes with every principal line. Between an eighth and a third of first agreements are given up later in the
//! same search, so what agreement means is a choice ([`Policy`]). Under every policy:
//!
//! - Only lines at most at the limit count, so the result is the same however far beyond it the engine runs.
//! - Bounds, further lines (`multipv`) and lines without moves do not count; neither does `bestmove`.
//! - A line whose first move is not legal, whose nodes are fewer than before, or whose numbers are impossible is a fault.
//!
//! Under [`Policy::End`] the last line up to the limit decides, and the nodes are those of the whole search: the limit,
//! or what the engine reported last if it ended with a forced result or had nothing more to search.

use std::time::Duration;

use plysmith_core::games::AnyPosition;
use plysmith_core::problem::{Criterion, Problem};

use super::info::Info;
use crate::driver::Policy;
use crate::process::{Fault, MOST_DEPTH, is_possible};

/// What a search was worth by its policy.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct WatchResult {
    /// Whether the problem was solved.
    pub solved: bool,
    /// Whether the right move was on top at the end, proven or not; none if the search was not watched so far.
    pub best_move: Option<bool>,
    /// The nodes that count.
    pub nodes: u64,
    /// The iteration of the solution, or the greatest one.
    pub depth: u32,
}

/// Where a problem was solved.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Agreement {
    /// Nodes until then.
    nodes: u64,
    /// The iteration.
    depth: u32,
}

/// Watches the lines of one search.
pub struct Watcher<'a> {
    policy: Policy,
    problem: &'a Problem,
    position: &'a dyn AnyPosition,
    limit: u64,
    /// The first of the last lines that all agree.
    since: Option<Agreement>,
    /// The last line of the iteration under way, if it agrees, and whether it is a forced win.
    last: Option<Agreement>,
    is_won: bool,
    /// Whether the last line begins with a right move.
    is_right: bool,
    /// Whether the last line is a forced result, after which many engines end their search.
    is_decided: bool,
    found: Option<Agreement>,
    nodes: u64,
    /// Whether the limit has been passed: later lines are ignored.
    is_beyond: bool,
    /// The greatest depth and height up to the limit.
    pub depth: u32,
    /// The longest line up to the limit.
    pub height: u32,
    fault: Option<Fault>,
}

impl<'a> Watcher<'a> {
    /// Watches a search of this problem.
    pub fn new(policy: Policy, problem: &'a Problem, position: &'a dyn AnyPosition, limit: u64) -> Watcher<'a> {
        Watcher {
            policy,
            problem,
            position,
            limit,
            since: None,
            last: None,
            is_won: false,
            is_right: false,
            is_decided: false,
            found: None,
            nodes: 0,
            is_beyond: false,
            depth: 0,
            height: 0,
            fault: None,
        }
    }

    /// Takes note of a line and its time since `go`; returns whether enough was seen.
    pub fn see(&mut self, info: &Info, time: Duration) -> bool {
        // Lines that arrive after enough was seen change nothing.
        if !self.is_enough() {
            self.fault = self.look(info, time).err();
        }
        self.is_enough()
    }

    /// Ends the search; `ran_out` if it had nothing more to search, so that its last iteration is complete.
    pub fn finish(self, ran_out: bool) -> Result<WatchResult, Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let ended_early = !self.is_beyond && ran_out;
        let found = match self.policy {
            Policy::End => {
                let whole = if ended_early || self.is_decided && !self.is_beyond { self.nodes } else { self.limit };
                let (solved, best_move) = (self.last.is_some(), Some(self.is_right));
                return Ok(WatchResult { solved, best_move, nodes: whole, depth: self.depth });
            }
            Policy::Stable => self.since,
            Policy::Iteration if self.is_won || ended_early => self.found.or(self.last),
            Policy::First | Policy::Iteration => self.found,
        };
        let unsolved = Agreement { nodes: self.limit, depth: self.depth };
        let Agreement { nodes, depth } = found.unwrap_or(unsolved);
        let solved = found.is_some();
        Ok(WatchResult { solved, best_move: solved.then_some(true), nodes, depth })
    }

    fn is_enough(&self) -> bool {
        self.fault.is_some() || self.is_beyond || self.found.is_some()
    }

    fn look(&mut self, info: &Info, time: Duration) -> Result<(), Fault> {
        if let Some(nodes) = info.nodes {
            self.count(nodes, time)?;
            if self.is_beyond {
                return Ok(());
            }
        }
        if let Some(depth) = info.depth.max(info.seldepth).filter(|depth| *depth > MOST_DEPTH) {
            let (line, reason) = (format!("info … depth {depth}"), "no search is that deep".to_string());
            return Err(Fault::InvalidAnswer { line, reason });
        }
        if let Some(depth) = info.depth {
            // The previous iteration is complete; its last line counts.
            if depth > self.depth && self.policy == Policy::Iteration {
                self.found = self.last.filter(|last| last.depth < depth);
                if self.found.is_some() {
                    return Ok(());
                }
            }
            self.depth = self.depth.max(depth);
        }
        self.height = self.height.max(info.seldepth.unwrap_or(0));
        let (Some(nodes), true) = (info.nodes, info.is_principal()) else { return Ok(()) };
        let agreement = self.agrees(info)?.then_some(Agreement { nodes, depth: info.depth.unwrap_or(self.depth) });
        self.last = agreement;
        self.is_won = agreement.is_some() && is_win(info);
        self.is_decided = is_forced(info);
        self.since = agreement.and(self.since.or(agreement));
        if self.policy == Policy::First {
            self.found = agreement;
        }
        Ok(())
    }

    /// Checks that counts rise, and not faster than any machine searches.
    fn count(&mut self, nodes: u64, time: Duration) -> Result<(), Fault> {
        let lie = |reason: String| Fault::InvalidAnswer { line: format!("info … nodes {nodes}"), reason };
        if nodes < self.nodes {
            return Err(lie(format!("it had reported {} before, in the same search", self.nodes)));
        }
        if !is_possible(nodes, time) {
            return Err(lie(format!("no machine searches that many in {:.3} s", time.as_secs_f64())));
        }
        self.nodes = nodes;
        self.is_beyond = nodes > self.limit;
        Ok(())
    }

    fn agrees(&mut self, info: &Info) -> Result<bool, Fault> {
        let Some(first) = info.pv.first() else { return Ok(false) };
        let illegal = |_| Fault::IllegalMove { m: first.clone(), position: self.problem.position.clone() };
        let m = self.position.canonical_move(first).map_err(illegal)?;
        self.is_right = self.problem.is_right(&m);
        Ok(self.is_right && (self.problem.criterion == Criterion::BestMove || is_win(info)))
    }
}

/// Whether the line is a forced win.
fn is_win(info: &Info) -> bool {
    info.score.is_some_and(|score| score.score().win_in().is_some())
}

/// Whether the line is a forced win or loss.
fn is_forced(info: &Info) -> bool {
    info.score.is_some_and(|score| score.score().is_forced())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plysmith_core::games;
    use plysmith_core::problem::{Criterion, Problem};
    use proptest::collection::vec;
    use proptest::prelude::{any, proptest};

    use super::{WatchResult, Watcher};
    use crate::driver::Policy;
    use crate::process::Fault;
    use crate::uci::client::info::Info;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn problem(criterion: Criterion) -> Problem {
        let (position, id) = (START.to_string(), "p".to_string());
        Problem { position, best: vec!["e2e4".to_string()], avoid: Vec::new(), id, criterion, distance: None }
    }

    fn watch(policy: Policy, limit: u64, lines: &[&str], ran_out: bool) -> Result<Option<u64>, Fault> {
        watch_for(&problem(Criterion::BestMove), policy, limit, lines, ran_out)
    }

    fn watch_for(
        problem: &Problem,
        policy: Policy,
        limit: u64,
        lines: &[&str],
        ran_out: bool,
    ) -> Result<Option<u64>, Fault> {
        let position = (games::find("chess").unwrap().open)(START).unwrap();
        let mut watcher = Watcher::new(policy, problem, position.as_ref(), limit);
        for line in lines {
            // Engines go on talking until they have read that they should stop.
            watcher.see(&Info::parse(line).unwrap(), Duration::from_millis(5));
        }
        let WatchResult { solved, nodes, .. } = watcher.finish(ran_out)?;
        assert!(solved || policy == Policy::End || nodes == limit, "an unsolved problem costs the limit");
        Ok(solved.then_some(nodes))
    }

    const LINES: [&str; 8] = [
        "info depth 1 nodes 20 score cp 1 pv d2d4",
        "info depth 2 nodes 50 score cp 1 pv e2e4",
        "info depth 2 nodes 60 score cp 2 pv d2d4",
        "info depth 3 nodes 100 score cp 2 pv e2e4",
        "info depth 4 nodes 150 score cp 3 pv e2e4 e7e5",
        "info depth 4 nodes 170 score cp 3 pv d2d4",
        "info depth 5 nodes 250 score cp 3 pv e2e4",
        "info depth 6 nodes 400 score cp 3 pv e2e4",
    ];

    #[test]
    fn the_policies_read_the_same_lines_differently() {
        assert_eq!(watch(Policy::End, 1000, &LINES, false), Ok(Some(1000)), "the search went on to the limit");
        assert_eq!(watch(Policy::End, 1000, &LINES, true), Ok(Some(400)), "there was nothing more to search");
        assert_eq!(watch(Policy::End, 200, &LINES, true), Ok(None), "the last line up to the limit does not agree");
        assert_eq!(watch(Policy::First, 1000, &LINES, false), Ok(Some(50)));
        assert_eq!(watch(Policy::Iteration, 1000, &LINES, false), Ok(Some(100)));
        assert_eq!(watch(Policy::Stable, 1000, &LINES, false), Ok(Some(250)));
    }

    #[test]
    fn what_is_beyond_the_limit_does_not_count() {
        assert_eq!(watch(Policy::First, 49, &LINES, false), Ok(None));
        assert_eq!(watch(Policy::First, 50, &LINES, false), Ok(Some(50)));
        assert_eq!(watch(Policy::Iteration, 149, &LINES, false), Ok(None), "nothing shows that the iteration is over");
        assert_eq!(watch(Policy::Stable, 160, &LINES, false), Ok(Some(100)));
        assert_eq!(watch(Policy::Stable, 249, &LINES, false), Ok(None));
        let alone = &["info depth 3 nodes 100 pv e2e4"];
        assert_eq!(watch(Policy::Iteration, 1000, alone, false), Ok(None));
        assert_eq!(watch(Policy::Iteration, 1000, alone, true), Ok(Some(100)), "there was nothing more to search");
        let mate = &["info depth 3 nodes 100 score mate 2 pv e2e4"];
        assert_eq!(watch(Policy::Iteration, 1000, mate, false), Ok(Some(100)), "there is nothing more to find");
        assert_eq!(watch(Policy::End, 1000, mate, false), Ok(Some(100)), "the search ended with the mate");
        let longer = &["info depth 3 nodes 100 score mate 2 pv e2e4", "info depth 4 nodes 1001 pv d2d4"];
        assert_eq!(watch(Policy::End, 1000, longer, true), Ok(Some(1000)), "it went beyond the limit");
        let announced = &["info depth 3 nodes 100 pv e2e4", "info depth 4"];
        assert_eq!(watch(Policy::Iteration, 1000, announced, false), Ok(Some(100)));
    }

    #[test]
    fn bounds_further_lines_and_lines_without_moves_or_nodes_are_no_opinion() {
        for line in [
            "info depth 1 nodes 5 score cp 1 lowerbound pv e2e4",
            "info depth 1 nodes 5 score cp 1 upperbound pv e2e4",
            "info depth 1 nodes 5 multipv 2 pv e2e4",
            "info depth 1 nodes 5",
            "info depth 1 pv e2e4",
            "info string nodes 5 pv e2e4",
        ] {
            assert_eq!(watch(Policy::First, 1000, &[line], true), Ok(None), "{line}");
        }
    }

    #[test]
    fn lies_and_illegal_moves_are_faults() {
        let fault = |lines: &[&str]| watch(Policy::Stable, 1000, lines, false).unwrap_err().to_string();
        assert!(fault(&["info nodes 100", "info nodes 99"]).contains("reported 100 before"));
        assert!(fault(&["info nodes 99999999999999"]).contains("no machine searches that many"));
        assert!(fault(&["info nodes 99999999999999999999999"]).contains("no machine searches that many"));
        assert!(fault(&["info depth 4000000000 nodes 9"]).contains("no search is that deep"));
        assert!(fault(&["info depth 4 seldepth 99999999999"]).contains("no search is that deep"));
        assert!(fault(&["info depth 1 nodes 3 pv e2e5"]).contains("'e2e5', which is not legal in rnbq"));
        assert_eq!(watch(Policy::Stable, 1000, &["info nodes 2000", "info nodes 1"], false), Ok(None), "not looked at");
    }

    #[test]
    fn a_proof_needs_a_mate() {
        let proven = |lines: &[&str]| watch_for(&problem(Criterion::Proven), Policy::First, 1000, lines, false);
        assert_eq!(proven(&["info depth 1 nodes 5 score cp 900 pv e2e4"]), Ok(None));
        assert_eq!(proven(&["info depth 1 nodes 5 score mate -1 pv e2e4"]), Ok(None));
        assert_eq!(proven(&["info depth 1 nodes 5 score mate 3 pv e2e4"]), Ok(Some(5)));
        let avoid = Problem { best: Vec::new(), avoid: vec!["d2d4".to_string()], ..problem(Criterion::BestMove) };
        assert_eq!(watch_for(&avoid, Policy::First, 1000, &LINES, false), Ok(Some(50)));
    }

    /// The policies as one would explain them, with all lines at hand.
    fn oracle(policy: Policy, limit: u64, lines: &[(u32, u64, bool)]) -> Option<u64> {
        let lines: Vec<_> = lines.iter().filter(|(_, nodes, _)| *nodes <= limit).collect();
        match policy {
            Policy::End => lines.last().filter(|(_, _, agrees)| *agrees).map(|_| limit),
            Policy::First => lines.iter().find(|(_, _, agrees)| *agrees).map(|line| line.1),
            Policy::Stable => {
                let behind = lines.iter().rposition(|(_, _, agrees)| !agrees).map_or(0, |at| at + 1);
                lines.get(behind).map(|line| line.1)
            }
            Policy::Iteration => {
                let is_last = |at: &usize| lines.get(at + 1).is_some_and(|next| next.0 > lines[*at].0);
                (0..lines.len()).filter(is_last).find(|&at| lines[at].2).map(|at| lines[at].1)
            }
        }
    }

    proptest! {
        #[test]
        fn the_watcher_agrees_with_the_slow_reading(
            steps in vec((any::<bool>(), 1_u64..50, any::<bool>()), 0..30),
            limit in 0_u64..800,
        ) {
            let (mut depth, mut nodes) = (1, 0);
            let mut lines = Vec::new();
            for (deeper, more, agrees) in steps {
                depth += u32::from(deeper);
                nodes += more;
                lines.push((depth, nodes, agrees));
            }
            let texts: Vec<String> = lines
                .iter()
                .map(|(depth, nodes, agrees)| {
                    format!("info depth {depth} nodes {nodes} pv {}", if *agrees { "e2e4" } else { "d2d4" })
                })
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for policy in Policy::ALL {
                assert_eq!(watch(policy, limit, &texts, false).unwrap(), oracle(policy, limit, &lines), "{policy}");
            }
            let [end, stable] = [Policy::End, Policy::Stable].map(|policy| watch(policy, limit, &texts, false).unwrap());
            assert_eq!(end.is_some(), stable.is_some(), "both look at the move at the end");
        }
    }
}
