//! What the search relies on in a position: its text, its moves, its value.

use std::collections::{HashMap, HashSet};

use super::{forced, heuristics, read};
use crate::eval_terms::EvalTermCache;
use crate::game::{Game, Move, MoveList};
use crate::outcome::Outcome;
use crate::search::proof::Prover;

/// Predicted results further ahead than this are not checked.
const PROVABLE: u32 = 7;

/// The table treats positions with equal keys as one, so their moves and values must be equal.
pub fn check_keys<G: Game>(positions: &[G]) {
    let mut known = HashMap::new();
    for position in positions {
        let values: Vec<_> = heuristics::<G>().map(|heuristic| position.evaluate(heuristic)).collect();
        let looks = (values, position.legal_moves().len());
        let (text, before) = known.entry(position.key()).or_insert((position.to_string(), looks.clone()));
        assert_eq!(*before, looks, "{text} and {position} have the same key");
    }
}

pub fn check_text<G: Game>(position: &G) {
    let text = position.to_string();
    let back: G = read(&text);
    assert_eq!(back.to_string(), text, "text reads back");
    assert_eq!(back.key(), position.key(), "the key of {text} depends on more than its text");
    assert_eq!(back.legal_moves(), position.legal_moves(), "the moves of {text} depend on more than its text");
    for heuristic in heuristics::<G>() {
        // Games may keep parts of their evaluation up to date from move to move.
        assert_eq!(back.evaluate(heuristic), position.evaluate(heuristic), "heuristic {heuristic:?} of {text}");
    }
    assert_ne!(Game::draw(position, None), "", "the board of {text} is drawn");
}

pub fn check_moves<G: Game>(position: &G) {
    let list = position.legal_moves();
    assert_eq!(list, position.legal_moves(), "the moves of {position} come in the same order");
    assert!(
        position.terminal_result().is_some() || position.can_move() != list.is_empty(),
        "whether there is a move in {position}"
    );
    let (mut texts, mut codes) = (HashSet::new(), HashSet::new());
    for &m in &list {
        let text = position.print_move(m);
        assert_eq!(position.parse_move(&text), Ok(m), "'{text}' in {position} reads back");
        assert!(usize::from(m.code()) < G::Move::CODES, "the code of '{text}' in {position} is below CODES");
        assert!(codes.insert(m.code()), "'{text}' in {position} shares its code with another move");
        assert_ne!(Game::draw(position, Some(m)), Game::draw(position, None), "'{text}' shows on the board {position}");
        assert!(texts.insert(text), "two moves in {position} are written alike");
    }
    check_tactical_moves(position, &list);
    check_checks(position, &list);
    let can_recall = list.iter().any(|m| position.recall(m.code()).is_some());
    for code in 0..G::Move::CODES as u16 {
        let expected = list.iter().copied().find(|m| can_recall && m.code() == code);
        assert_eq!(position.recall(code), expected, "the move of {position} with code {code}");
    }
    let error = position.parse_move("no such move").expect_err("nonsense is not a move");
    assert_eq!(error.legal.len(), list.len(), "the error lists the legal moves of {position}");
}

/// The tactical moves are those of the legal ones that say so.
fn check_tactical_moves<G: Game>(position: &G, list: &[G::Move]) {
    let mut tactical = MoveList::new();
    position.tactical_moves(i32::MIN, &mut tactical);
    assert!(G::TACTICAL || tactical.is_empty(), "{position} has tactical moves, but the game has none");
    for m in list {
        assert_eq!(
            tactical.contains(m),
            position.is_tactical(*m),
            "whether '{}' in {position} is tactical",
            position.print_move(*m)
        );
    }
    assert!(tactical.iter().all(|m| list.contains(m)), "a tactical move of {position} is not legal");
    let mut both = tactical.clone();
    position.quiet_moves(&mut both);
    assert_eq!(both.len(), list.len(), "tactical and quiet moves of {position} are all moves");
    assert!(both.iter().all(|m| list.contains(m)), "a quiet move of {position} is not legal");
    assert!(both[tactical.len()..].iter().all(|&m| !position.is_tactical(m)), "a quiet move of {position} is tactical");
    for &m in &tactical {
        let mut at_least = MoveList::new();
        position.tactical_moves(position.gain(m), &mut at_least);
        assert!(at_least.contains(&m), "'{}' wins what it wins in {position}", position.print_move(m));
        assert!(at_least.iter().all(|m| tactical.contains(m)), "a tactical move of {position} is not legal");
    }
}

/// Quiet checks are the quiet moves after which the opponent is in check; a side in check that ignores it loses at once.
fn check_checks<G: Game>(position: &G, list: &[G::Move]) {
    let mut checks = MoveList::new();
    position.quiet_checks(&mut checks);
    for &m in list {
        let (next, text) = (position.play(m), position.print_move(m));
        let is_quiet_check = !position.is_tactical(m) && next.in_check();
        let count = checks.iter().filter(|&&other| other == m).count();
        assert_eq!(count, usize::from(is_quiet_check), "how often '{text}' is a quiet check in {position}");
        if position.in_check() && position.ignores_check(m) && next.terminal_result().is_none() {
            let wins = Prover::default().shortest_win(&next, 1).is_some();
            assert!(wins, "'{text}' ignores a check in {position}, and does not lose at once");
        }
    }
    assert!(checks.iter().all(|m| list.contains(m)), "a quiet check of {position} is not legal");
    let Some(passed) = position.pass().filter(|_| !position.in_check()) else { return };
    assert_ne!(passed.white_to_move(), position.white_to_move(), "who moves after a pass in {position}");
    assert!(passed.terminal_result().is_none(), "a pass ends the game in {position}");
    if let Some(back) = passed.pass().filter(|_| !passed.in_check()) {
        // Captures en passant are gone.
        assert!(back.legal_moves().iter().all(|m| list.contains(m)), "a move after two passes in {position} is new");
    }
}

pub fn check_evaluation<G: Game>(position: &G, cache: &mut EvalTermCache) {
    for heuristic in heuristics::<G>() {
        let score = position.evaluate(heuristic);
        assert_eq!(
            score,
            position.evaluate_with(heuristic, cache),
            "the cache changes heuristic {heuristic:?} of {position}"
        );
        assert!(forced(score).is_none(), "heuristic {heuristic:?} of {position} looks like a forced result: {score}");
        assert_eq!(score, position.evaluate(heuristic), "heuristic {heuristic:?} of {position} is a function");
        let prepared = position.prepared(heuristic);
        assert_eq!(prepared, *position, "prepared for heuristic {heuristic:?}");
        assert_eq!(prepared.evaluate(heuristic), score, "heuristic {heuristic:?} of {position}, prepared for it");
    }
}

/// Predicted results can be proved, where that takes little time.
pub fn check_race_result<G: Game>(position: &G) {
    let Some((outcome, plies)) = position.race_result().filter(|&(_, plies)| plies <= PROVABLE) else { return };
    let mut prover = Prover::default();
    match outcome {
        Outcome::Win => {
            assert!(prover.shortest_win(position, plies).is_some(), "{position} is no win in {plies} plies");
        }
        Outcome::Draw => panic!("{position}: a predicted draw cannot be checked"),
        Outcome::Loss => {
            for m in position.legal_moves() {
                let next = position.play(m);
                let wins =
                    next.terminal_result() == Some(Outcome::Win) || prover.shortest_win(&next, plies - 1).is_some();
                assert!(wins, "{position} is not lost in {plies} plies after '{}'", position.print_move(m));
            }
        }
    }
}
