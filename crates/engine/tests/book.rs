//! Openings that somebody wrote down: read from games and positions, each once, in an order that the seed decides.

use std::num::NonZeroUsize;

use plysmith_core::games::{GameInfo, find};
use plysmith_engine::arena::book::{content_key, read, shuffle};
use plysmith_engine::arena::openings::{Book, Opening, OpeningError};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn chess() -> &'static GameInfo {
    find("chess").unwrap()
}

fn moves(openings: &[Opening]) -> Vec<String> {
    openings.iter().map(|opening| opening.moves.join(" ")).collect()
}

#[test]
fn games_are_played_as_far_as_is_asked_for() {
    let text = "[White \"a\"]\n\n1. e4 e5 2. Nf3 *\n\n1. d4 d5 2. c4 *\n\n[White \"b\"]\n\n1. e4 e5 2. Nc3 *\n";
    let all = read(chess(), text, None);
    assert_eq!(moves(&all.openings), ["e2e4 e7e5 g1f3", "d2d4 d7d5 c2c4", "e2e4 e7e5 b1c3"]);
    assert_eq!(all.openings[0].position, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    let short = read(chess(), text, Some(2));
    assert_eq!((moves(&short.openings), short.repeated), (vec!["e2e4 e7e5".to_string(), "d2d4 d7d5".to_string()], 1));
    let none = read(chess(), text, Some(0));
    assert_eq!((none.openings[0].position.as_str(), none.repeated), (START, 2));
}

#[test]
fn positions_are_taken_as_they_are() {
    let text = format!("# list\n{START}\n4k3/8/8/8/8/8/4P3/4K3 w - - c0 \"x\"; id \"y\";\n{START};\n");
    let lines = read(chess(), &text, Some(9));
    assert_eq!(lines.openings.len(), 2);
    assert_eq!((lines.repeated, lines.wrong.len()), (1, 0));
    assert!(lines.openings.iter().all(|opening| opening.moves.is_empty()));
    let suite = read(find("breakthrough").unwrap(), "3p/2p1/1P2/4 w bm b2c3; id \"a\";\n3p/P3/4/4 w\n", None);
    assert_eq!(suite.openings[0].position, "3p/2p1/1P2/4 w");
    assert_eq!(suite.openings.len(), 2);
}

#[test]
fn what_cannot_be_used_is_named_with_its_place() {
    let games = "1. f3 e5 2. g4 Qh4# 0-1\n\n[White \"x\"]\n\n1. e5 *\n\n[White \"y\"]\n\n1. e4 *\n";
    let lines = read(chess(), games, None);
    assert_eq!(moves(&lines.openings), ["e2e4"]);
    assert!(lines.wrong[0].starts_with("1:1: the game is over here"), "{:?}", lines.wrong);
    assert!(lines.wrong[1].starts_with("5:4: 'e5' is not a move here"), "{:?}", lines.wrong);
    let positions = read(chess(), "4k3/8/8/8/8/8/8/4K3 w\n\n7k/5KQ1/8/8/8/8/8/8 b - -\n", None);
    assert!(positions.wrong[0].starts_with("1:22: the castling field is missing"), "{:?}", positions.wrong);
    assert!(positions.wrong[1].starts_with("3:1: the game is over here"), "{:?}", positions.wrong);
}

#[test]
fn the_seed_decides_on_the_order_and_the_key_on_nothing_else() {
    let plain: Vec<_> =
        (0..300).map(|number| Opening { position: format!("position {number}"), moves: Vec::new() }).collect();
    let shuffled = |seed| {
        let mut openings = plain.clone();
        shuffle(&mut openings, seed);
        openings
    };
    let one = shuffled(1);
    assert_eq!(one, shuffled(1));
    assert!(one != plain && one != shuffled(2) && content_key(&one) != content_key(&plain));
    let mut sorted = one.clone();
    sorted.sort_by_key(|opening| plain.iter().position(|other| other == opening));
    assert_eq!(sorted, plain, "none is lost, none comes twice");
}

#[test]
fn a_book_has_no_more_than_was_written() {
    let openings = read(chess(), START, None).openings;
    let mut book = Book::fixed(chess(), openings.clone());
    assert!(book.extend_to(1, NonZeroUsize::MIN, &|| false).is_ok());
    assert_eq!(book.openings(), openings);
    let error = book.extend_to(2, NonZeroUsize::MIN, &|| false).unwrap_err();
    assert!(matches!(error, OpeningError::TooShort { found: 1 }) && error.to_string().contains("enough for 2 games"));
}
