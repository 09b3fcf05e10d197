//! Whether the moves that an engine answers are legal, in positions of many kinds.
//!
//! The positions come from random games, so that this works for every game: each is sent with the moves that lead to it,
//! and those with the fewest legal moves are sent alone. An engine that always answers the same move, or does not play the
//! moves that it is sent, fails.

use std::ops::ControlFlow;

use plysmith_core::games::{AnyPosition, GameInfo, Start};
use plysmith_core::random::Random;
use plysmith_core::search::Interrupt;
use serde::Serialize;

use super::{Go, UciEngine};
use crate::process::EngineError;

/// Which moves of an engine were legal.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize)]
pub struct LegalityCheck {
    /// The number of searches.
    pub searches: usize,
    /// Illegal best moves, and lines that begin with an illegal move: the engine cannot be used.
    pub illegal: Vec<IllegalAnswer>,
    /// Illegal moves later in a line: only the line is wrong.
    pub illegal_in_lines: Vec<IllegalAnswer>,
}

/// An illegal move, or none where there are legal ones.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct IllegalAnswer {
    /// The position in which it was answered.
    pub position: String,
    /// The answer: `bestmove e2e5`, or `pv e2e4 e7e4` up to the illegal move.
    pub answer: String,
}

/// A position to search: where it begins, and the moves from there.
struct Probe {
    begin: String,
    moves: Vec<String>,
    position: Box<dyn AnyPosition>,
}

/// Chess positions that random games rarely reach: a single legal move; only promotions, for both sides; castling; taking
/// en passant out of check; double check.
const CHESS: [&str; 7] = [
    "7k/8/8/8/8/8/1q6/K7 w - - 0 1",
    "8/P7/8/8/8/6p1/5k2/7K w - - 0 1",
    "7k/5K2/6P1/8/8/8/p7/8 b - - 0 1",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    "4k3/8/3N4/8/4R3/8/8/4K3 b - - 0 1",
    "8/8/8/8/8/5k2/4p3/4K3 w - - 0 1",
];
/// Breakthrough positions with few men: a man before its goal, a race, and two men that block each other.
const BREAKTHROUGH: [&str; 4] =
    ["8/3P4/p7/8/8/8/P7/8 w", "8/8/8/8/8/P7/3p4/8 b", "8/p7/8/7P/8/8/8/8 w", "8/8/8/3p4/3P4/8/8/8 b"];
/// Shallow: every answer must be legal, however quick.
const DEPTH: u32 = 3;
const GAMES: u64 = 3;
/// Plies between two positions of a random game.
const APART: usize = 14;
const MOST_PLIES: usize = 120;
/// How many positions with few legal moves are searched.
const TIGHT: usize = 4;
/// Lines of a search that are looked at: far more than an engine writes in so shallow a search.
const MOST_LINES: usize = 1000;

impl LegalityCheck {
    /// Searches the positions. Without the rest if it was interrupted.
    pub fn run(
        engine: &mut UciEngine,
        game: &GameInfo,
        interrupt: &Interrupt<'_>,
    ) -> Result<LegalityCheck, EngineError> {
        let mut check = LegalityCheck::default();
        for Probe { begin, moves, position } in probes(game) {
            engine.new_game()?;
            engine.position(&begin, &moves)?;
            let mut lines = Vec::new();
            let answer = engine.search(&Go::Depth(DEPTH), interrupt, &mut |info, _| {
                lines.extend((!info.pv.is_empty() && lines.len() < MOST_LINES).then(|| info.pv.clone()));
                ControlFlow::Continue(())
            })?;
            let Some(answer) = answer else { break };
            check.searches += 1;
            let best = answer.best.m.into_iter().chain(answer.best.ponder).collect::<Vec<_>>();
            if best.is_empty() {
                let answer = "bestmove (none)".to_string();
                check.illegal.push(IllegalAnswer { position: position.text(), answer });
            }
            check.note(position.as_ref(), "bestmove", &best);
            lines.iter().for_each(|line| check.note(position.as_ref(), "pv", line));
        }
        Ok(check)
    }

    /// Notes the first illegal move of a line.
    fn note(&mut self, position: &dyn AnyPosition, word: &str, line: &[String]) {
        let Some(length) = first_illegal(position, line) else { return };
        let found =
            IllegalAnswer { position: position.text(), answer: format!("{word} {}", line[..=length].join(" ")) };
        let list = if length == 0 { &mut self.illegal } else { &mut self.illegal_in_lines };
        if !list.contains(&found) {
            list.push(found);
        }
    }
}

/// The place of the first illegal move in a line.
fn first_illegal(position: &dyn AnyPosition, line: &[String]) -> Option<usize> {
    let mut position = position.boxed();
    for (index, m) in line.iter().enumerate() {
        match position.play(m) {
            Ok(next) => position = next,
            Err(_) => return Some(index),
        }
    }
    None
}

/// The positions of a game, always the same.
fn probes(game: &GameInfo) -> Vec<Probe> {
    let open = |text: &str| (game.open)(text).ok();
    let Some((begin, start)) = (game.start)(&Start::default()).ok().and_then(|text| Some((text.clone(), open(&text)?)))
    else {
        return Vec::new();
    };
    let mut random = Random::new(GAMES);
    let (mut probes, mut tight) = (Vec::new(), Vec::new());
    for _ in 0..GAMES {
        let (mut position, mut moves) = (start.boxed(), Vec::new());
        while position.outcome().is_none() && moves.len() < MOST_PLIES {
            if moves.len() % APART == 1 {
                probes.push(Probe { begin: begin.clone(), moves: moves.clone(), position: position.boxed() });
            }
            let list = position.moves();
            tight.push((list.len(), position.text()));
            let m = &list[random.below(list.len())];
            let Ok(next) = position.play(m) else { break };
            moves.push(m.clone());
            position = next;
        }
    }
    tight.sort();
    tight.dedup();
    let tight = tight.into_iter().take(TIGHT).map(|(_, text)| text);
    let special = match game.name {
        "chess" => &CHESS[..],
        "breakthrough" => &BREAKTHROUGH,
        _ => &[],
    };
    let alone = tight.chain(special.iter().chain(game.bench).map(ToString::to_string));
    probes.extend(alone.filter_map(|text| Some(Probe { position: open(&text)?, moves: Vec::new(), begin: text })));
    probes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use plysmith_core::games::GAMES;

    use super::{BREAKTHROUGH, CHESS, LegalityCheck, probes};

    /// No move is legal everywhere, so an engine that knows only one is noticed.
    #[test]
    fn the_positions_are_of_many_kinds() {
        for game in GAMES {
            let probes = probes(game);
            assert!(probes.len() > 15, "{}: {}", game.name, probes.len());
            let mut legal: BTreeMap<String, usize> = BTreeMap::new();
            for probe in &probes {
                let moves = probe.position.moves();
                assert!(!moves.is_empty(), "{}", probe.position.text());
                moves.into_iter().for_each(|m| *legal.entry(m).or_default() += 1);
                let mut reached = (game.open)(&probe.begin).unwrap();
                probe.moves.iter().for_each(|m| reached = reached.play(m).unwrap());
                assert_eq!(reached.text(), probe.position.text());
            }
            assert!(legal.values().all(|&count| count < probes.len()), "{}: {legal:?}", game.name);
            assert!(probes.iter().any(|probe| probe.position.moves().len() < 5), "{}", game.name);
            assert!(probes.iter().any(|probe| probe.moves.len() > 20), "{}", game.name);
        }
        let is_legal = |game: &str, text: &str| (plysmith_core::games::find(game).unwrap().open)(text).is_ok();
        assert!(CHESS.iter().all(|text| is_legal("chess", text)));
        assert!(BREAKTHROUGH.iter().all(|text| is_legal("breakthrough", text)));
    }

    #[test]
    fn illegal_moves_are_told_apart_by_their_place() {
        let chess = plysmith_core::games::find("chess").unwrap();
        let position = (chess.open)(chess.bench[0]).unwrap();
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let mut check = LegalityCheck::default();
        check.note(position.as_ref(), "bestmove", &words("e2e4 e7e5"));
        check.note(position.as_ref(), "pv", &words("e2e4 e7e5 g1f3"));
        assert_eq!(check, LegalityCheck::default());
        check.note(position.as_ref(), "pv", &words("e2e4 e7e4 g1f3"));
        assert_eq!((check.illegal.len(), check.illegal_in_lines[0].answer.as_str()), (0, "pv e2e4 e7e4"));
        check.note(position.as_ref(), "bestmove", &words("e2e5"));
        check.note(position.as_ref(), "bestmove", &words("e2e5"));
        assert_eq!((check.illegal.len(), check.illegal[0].answer.as_str()), (1, "bestmove e2e5"));
    }
}
