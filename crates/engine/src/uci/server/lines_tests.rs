//! Several lines (MultiPV): always all of them, of different moves, the best first, also where some are forced wins.

use plysmith_core::games::{AnyPosition, find};
use plysmith_core::random::Random;

use super::test_client::{Conversation, best_move, value};

/// White mates in one by two first moves, and wins slowly by others.
const MATES_AND_OTHERS: &str = "2B1kb2/2p2Rp1/1pN1P3/1N1p3r/p2PP2p/1PP4P/n1K5/1R4Q1 w - - 1 43";
/// Every move loses by force, and there are only a few.
const LOST: &str = "7k/8/5K2/6Q1/8/8/8/8 b - - 0 1";
/// A mate in one, and many in two.
const MATED_SOON: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";

fn open(game: &str, text: &str) -> Box<dyn AnyPosition> {
    (find(game).unwrap().open)(text).unwrap()
}

/// A score that compares: the sooner the mate the better, and mates beyond all evaluations.
fn score(line: &str) -> i64 {
    let number = |name| value(line, name).map(|number| number.parse::<i64>().unwrap());
    match number("mate") {
        Some(moves) if moves > 0 => 1_000_000 - moves,
        Some(moves) => -1_000_000 - moves,
        None => number("cp").unwrap(),
    }
}

/// The iterations: each is all lines from the first to the last, and each of those is checked.
fn iterations<'a>(position: &dyn AnyPosition, lines: &'a [String], wanted: usize) -> Vec<Vec<&'a str>> {
    let wanted = wanted.min(position.moves().len());
    let infos: Vec<&str> = lines.iter().map(String::as_str).filter(|line| line.contains(" multipv ")).collect();
    assert_eq!(infos.len() % wanted, 0, "{lines:?}");
    for all in infos.chunks(wanted) {
        for (index, line) in all.iter().enumerate() {
            assert_eq!(value(line, "multipv"), Some(&*(index + 1).to_string()), "{lines:?}");
            let (_, moves) = line.split_once(" pv ").unwrap();
            let mut next: Option<Box<dyn AnyPosition>> = None;
            for m in moves.split(' ') {
                let here = next.as_deref().unwrap_or(position);
                next = Some(here.play(m).unwrap_or_else(|error| panic!("{line}: {error}")));
            }
        }
        assert!(all.iter().map(|line| score(line)).is_sorted_by(|a, b| a >= b), "{all:?}");
        let mut moves: Vec<_> = all.iter().map(|line| value(line, "pv").unwrap()).collect();
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), wanted, "two lines with the same move: {all:?}");
    }
    let last = infos.chunks(wanted).next_back().unwrap();
    assert_eq!(value(last[0], "pv"), Some(best_move(lines)), "{lines:?}");
    infos.chunks(wanted).map(<[_]>::to_vec).collect()
}

fn is_forced(line: &str) -> bool {
    value(line, "mate").is_some()
}

#[test]
fn a_mate_ends_no_other_line() {
    let engine = Conversation::about("chess");
    for wanted in [2, 3, 12] {
        engine.send(&format!("setoption name MultiPV value {wanted}"));
        engine.send("ucinewgame");
        let lines = engine.search(&[&format!("position fen {MATES_AND_OTHERS}"), "go depth 7"]);
        let iterations = iterations(open("chess", MATES_AND_OTHERS).as_ref(), &lines, wanted);
        let first_mate = iterations.iter().position(|all| is_forced(all[0])).expect("a mate");
        let last = iterations.last().unwrap();
        assert!(iterations.len() > first_mate + 1 || wanted == 2, "nothing after the first mate: {lines:?}");
        assert!(value(last[0], "depth") == Some("7") || last.iter().all(|line| is_forced(line)), "{last:?}");
        // What was a mate stays one, and does not get longer.
        for pair in iterations.windows(2) {
            let mates = |all: &[&str]| all.iter().filter(|line| is_forced(line)).count();
            assert!(
                mates(&pair[1]) >= mates(&pair[0]) && score(pair[1][0]) >= score(pair[0][0]) || !is_forced(pair[0][0])
            );
        }
    }
    engine.end();
}

#[test]
fn lines_that_are_all_decided_end_the_search() {
    let engine = Conversation::about("chess");
    for (fen, wanted) in [(MATED_SOON, 4), (LOST, 1), (LOST, 3), (LOST, 256)] {
        engine.send(&format!("setoption name MultiPV value {wanted}"));
        // Nothing else ends it.
        let lines = engine.search(&["ucinewgame", &format!("position fen {fen}"), "go depth 200"]);
        let iterations = iterations(open("chess", fen).as_ref(), &lines, wanted);
        assert!(iterations.last().unwrap().iter().all(|line| is_forced(line)), "{fen}: {lines:?}");
    }
    engine.end();
}

/// Wherever a search is cut off, and whatever the position is.
#[test]
fn the_lines_are_complete_and_in_order_wherever_a_search_ends() {
    let mut random = Random::new(3);
    for (game, start) in [
        ("chess", MATES_AND_OTHERS),
        ("chess", MATED_SOON),
        ("chess", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"),
        ("breakthrough", "8/2pp4/4p3/pp1pp2p/7P/PPPP3P/1P2P2P/8 b"),
        ("breakthrough", "pppp/4/4/PPPP w"),
    ] {
        let engine = Conversation::about(game);
        for _ in 0..4 {
            let mut position = open(game, start);
            while position.outcome().is_none() && random.below(12) > 0 {
                let wanted = 1 + random.below(5);
                engine.send(&format!("setoption name MultiPV value {wanted}"));
                // Enough for one iteration of all lines.
                let nodes = 2_000 + random.below(6_000);
                let text = position.text();
                let lines =
                    engine.search(&["ucinewgame", &format!("position fen {text}"), &format!("go nodes {nodes}")]);
                iterations(position.as_ref(), &lines, wanted);
                let moves = position.moves();
                position = position.play(&moves[random.below(moves.len())]).unwrap();
            }
        }
        engine.end();
    }
}
