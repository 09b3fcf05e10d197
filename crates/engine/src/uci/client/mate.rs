//! When a UCI engine has announced a mate: a principal line with `score mate N`, N at most what is asked for, at a node
//! count within the limit.
//!
//! Counts and moves are checked as for every other problem ([`Watcher`]): they must rise, be possible and be legal, and
//! what comes beyond the limit does not count. A mate needs a count: none at all, or one that no search can be that quick
//! with, is a fault of the engine and not a solution in 0 nodes.

use std::time::Duration;

use plysmith_core::games::AnyPosition;
use plysmith_core::problem::Problem;

use super::agreement::Watcher;
use super::info::{Info, UciScore};
use crate::driver::Policy;
use crate::process::Fault;

/// What an engine has announced about a mate problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Announced {
    /// The mate, if it announced one in time.
    pub claim: Option<MateClaim>,
    /// Nodes until then; without a mate, the limit.
    pub nodes: u64,
    /// The mate that its last line within the limit announced, however long. Nobody checked it.
    pub last_mate: Option<u16>,
}

/// A mate that an engine announced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MateClaim {
    /// The first move.
    pub best: String,
    /// Within how many moves it mates.
    pub moves: u8,
}

/// Watches the lines of one search for a mate.
pub struct MateWatcher<'a> {
    moves: u8,
    limit: u64,
    watcher: Watcher<'a>,
    /// What the last line that the watcher was shown claims.
    claim: Option<MateClaim>,
    /// The first line that announces the mate without a credible count.
    uncounted: Option<Fault>,
    is_enough: bool,
    last_mate: Option<u16>,
}

impl<'a> MateWatcher<'a> {
    /// Watches for a mate within this many moves. The problem is one of criterion `Proven`; if it names best moves, only
    /// these count.
    pub fn new(moves: u8, problem: &'a Problem, position: &'a dyn AnyPosition, limit: u64) -> MateWatcher<'a> {
        // An announced mate is a proof, and the caller checks it: it is final as soon as it is shown.
        let watcher = Watcher::new(Policy::First, problem, position, limit);
        MateWatcher { moves, limit, watcher, claim: None, uncounted: None, is_enough: false, last_mate: None }
    }

    /// Takes note of a line and its time since `go`; returns whether enough was seen.
    pub fn see(&mut self, info: &Info, time: Duration) -> bool {
        if self.is_enough {
            return true;
        }
        self.note_last(info);
        let claim = self.claim_of(info);
        // A mate in three moves is not found in two nodes.
        let is_uncounted =
            claim.as_ref().is_some_and(|claim| info.nodes.is_none_or(|nodes| nodes < u64::from(claim.moves)));
        if is_uncounted {
            self.uncounted.get_or_insert_with(|| uncounted(info));
        }
        self.claim = claim.filter(|_| !is_uncounted);
        // To the watcher, a longer mate is no win, and a line without a credible count is not there.
        let shown = Info {
            score: info.score.filter(|_| self.claim.is_some()),
            nodes: info.nodes.filter(|_| !is_uncounted),
            ..info.clone()
        };
        self.is_enough = self.watcher.see(&shown, time);
        self.is_enough
    }

    /// Ends the search.
    pub fn finish(self) -> Result<Announced, Fault> {
        let watched = self.watcher.finish(false)?;
        let last_mate = self.last_mate;
        match (watched.solved, self.claim, self.uncounted) {
            (true, Some(claim), _) => Ok(Announced { claim: Some(claim), nodes: watched.nodes, last_mate }),
            (_, _, Some(fault)) => Err(fault),
            _ => Ok(Announced { claim: None, nodes: self.limit, last_mate }),
        }
    }

    /// Keeps what the last line within the limit says of a mate.
    fn note_last(&mut self, info: &Info) {
        let is_counted = info.nodes.is_some_and(|nodes| nodes <= self.limit);
        if let Some(score) = info.score.filter(|_| is_counted && info.is_principal()) {
            self.last_mate = match score {
                UciScore::Mate(moves) => u16::try_from(moves).ok().filter(|&moves| moves > 0),
                UciScore::Centipawns(_) => None,
            };
        }
    }

    /// The mate that a line announces, if it is short enough.
    fn claim_of(&self, info: &Info) -> Option<MateClaim> {
        let Some(UciScore::Mate(moves)) = info.score.filter(|_| info.is_principal()) else { return None };
        let moves = u8::try_from(moves).ok().filter(|moves| (1..=self.moves).contains(moves))?;
        Some(MateClaim { best: info.pv.first()?.clone(), moves })
    }
}

fn uncounted(info: &Info) -> Fault {
    let nodes = info.nodes.map_or(String::new(), |nodes| format!(" nodes {nodes}"));
    let mate = match info.score {
        Some(UciScore::Mate(moves)) => format!(" score mate {moves}"),
        _ => String::new(),
    };
    let reason = match info.nodes {
        Some(nodes) => format!("no search finds that mate in {nodes} nodes"),
        None => "it announces a mate without the number of nodes that it took".to_string(),
    };
    Fault::InvalidAnswer { line: format!("info …{mate}{nodes}"), reason }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plysmith_core::games;
    use plysmith_core::problem::{Criterion, Problem};
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::{any, prop_oneof, proptest};

    use super::{Announced, MateClaim, MateWatcher};
    use crate::process::Fault;
    use crate::uci::client::info::Info;

    const MATE_IN_2: &str = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";

    fn watch(moves: u8, limit: u64, lines: &[String]) -> Result<Announced, Fault> {
        let position = (games::find("chess").unwrap().open)(MATE_IN_2).unwrap();
        let problem = Problem {
            position: MATE_IN_2.to_string(),
            best: Vec::new(),
            avoid: Vec::new(),
            id: "p".to_string(),
            criterion: Criterion::Proven,
            distance: None,
        };
        let mut watcher = MateWatcher::new(moves, &problem, position.as_ref(), limit);
        for line in lines {
            // Engines go on talking until they have read that they should stop.
            watcher.see(&Info::parse(line).unwrap(), Duration::from_millis(5));
        }
        watcher.finish()
    }

    fn watch_lines(limit: u64, lines: &[&str]) -> Result<Option<u64>, String> {
        let lines: Vec<String> = lines.iter().map(|line| format!("info {line}")).collect();
        match watch(2, limit, &lines) {
            Ok(Announced { claim, nodes, .. }) => Ok(claim.map(|MateClaim { best, .. }| {
                assert_eq!(best, "a1a6");
                nodes
            })),
            Err(fault) => Err(fault.to_string()),
        }
    }

    #[test]
    fn a_mate_counts_where_it_is_first_announced_within_the_limit() {
        let lines = ["depth 1 score cp 5 nodes 9 pv a1a2", "depth 3 score mate 2 nodes 70 pv a1a6", "nodes 99"];
        assert_eq!(watch_lines(70, &lines), Ok(Some(70)));
        assert_eq!(watch_lines(69, &lines), Ok(None), "the limit is the limit");
        for other in
            ["score mate 3", "score mate -2", "score mate 0", "score mate 2 lowerbound", "multipv 2 score mate 2"]
        {
            assert_eq!(watch_lines(500, &[&format!("depth 3 {other} nodes 70 pv a1a6")]), Ok(None), "{other}");
        }
        let last = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| format!("info {line}")).collect();
            watch(2, 500, &lines).unwrap().last_mate
        };
        assert_eq!(last(&["score mate 7 nodes 20 pv a1a5", "nodes 400"]), Some(7), "longer than what is asked for");
        assert_eq!(last(&["score mate 7 nodes 20 pv a1a5", "score cp 900 nodes 40 pv a1a5"]), None);
        assert_eq!(last(&["score mate 7 nodes 501 pv a1a5"]), None, "beyond the limit");
        let longer_first = ["score mate 3 nodes 20 pv a1a5", "score mate 2 nodes 30 pv a1a6"];
        assert_eq!(watch_lines(500, &longer_first), Ok(Some(30)));
    }

    #[test]
    fn a_mate_without_a_credible_count_is_a_fault() {
        let fails = |line: &str, part: &str| {
            let error = watch_lines(500, &[line]).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        };
        fails("score mate 2 pv a1a6", "without the number of nodes");
        fails("score mate 2 nodes 0 pv a1a6", "finds that mate in 0 nodes");
        fails("score mate 2 nodes 1 pv a1a6", "finds that mate in 1 nodes");
        fails(&format!("score mate 2 nodes {} pv a1a6", u64::MAX), "no machine searches that many");
        fails("score mate 2 nodes 18446744073709551616 pv a1a6", "no machine searches that many");
        fails("score mate 2 nodes 40 pv a1h8", "not legal");
        assert_eq!(watch_lines(500, &["score mate 2 pv a1a6", "score mate 2 nodes 44 pv a1a6"]), Ok(Some(44)));
        assert!(watch_lines(500, &["nodes 90", "score mate 2 nodes 40 pv a1a6"]).is_err(), "counts rise");
    }

    proptest! {
        /// The rule as one would explain it, with all lines at hand.
        #[test]
        fn the_watcher_agrees_with_the_slow_reading(
            steps in vec((prop_oneof![0_u64..3, 0_u64..60], any::<bool>(), option::of(1_i64..4)), 0..20),
            limit in 0_u64..300,
        ) {
            let mut nodes = 0;
            let lines: Vec<(Option<u64>, Option<i64>)> = steps.into_iter().map(|(more, is_counted, mate)| {
                nodes += more;
                (is_counted.then_some(nodes), mate)
            }).collect();
            let texts: Vec<String> = lines.iter().map(|(nodes, mate)| {
                let nodes = nodes.map_or(String::new(), |nodes| format!(" nodes {nodes}"));
                let score = mate.map_or("cp 3".to_string(), |moves| format!("mate {moves}"));
                format!("info depth 1 score {score}{nodes} pv a1a6")
            }).collect();
            let is_claim = |mate: &Option<i64>| mate.is_some_and(|moves| moves <= 2);
            let is_credible = |nodes: &Option<u64>, mate: &Option<i64>| nodes.is_some_and(|nodes| nodes >= mate.unwrap() as u64);
            // What was said before the first line that settles it.
            let settles = |(nodes, mate): &(Option<u64>, Option<i64>)| {
                let is_seen = !is_claim(mate) || is_credible(nodes, mate);
                is_seen && nodes.is_some_and(|nodes| nodes > limit || is_claim(mate))
            };
            let end = lines.iter().position(settles);
            let found = end.and_then(|at| lines[at].0).filter(|&nodes| nodes <= limit);
            let before = &lines[..end.unwrap_or(lines.len())];
            let is_uncounted = before.iter().any(|(nodes, mate)| is_claim(mate) && !is_credible(nodes, mate));
            match watch(2, limit, &texts) {
                Ok(Announced { claim, nodes, .. }) => {
                    assert_eq!(claim.map(|_| nodes), found);
                    assert!(found.is_some() || !is_uncounted);
                    assert!(nodes <= limit);
                }
                Err(_) => assert!(found.is_none() && is_uncounted),
            }
        }
    }
}
