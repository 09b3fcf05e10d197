//! Openings that somebody wrote down: read from games and positions, each once, in an order that the seed decides.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use plysmith_core::games::{GameInfo, find};
use plysmith_core::pgn::Reader;
use plysmith_core::random::Random;
use plysmith_engine::arena::book::{Selection, content_key, read, read_lines, shuffle};
use plysmith_engine::arena::openings::{Book, Opening};

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
fn a_book_keeps_to_what_was_written() {
    let openings = read(chess(), START, None).openings;
    let mut book = Book::fixed(chess(), openings.clone());
    assert!(book.extend_to(1, NonZeroUsize::MIN, &|| false).is_ok());
    assert_eq!(book.openings(), openings);
    // Who wants more begins again.
    assert!(book.extend_to(2, NonZeroUsize::MIN, &|| false).is_ok());
    assert_eq!(book.openings(), openings);
}

/// A game record as it is found in the wild: comments and variations of any length, wrong moves, things never closed.
fn record(random: &mut Random, longest: usize) -> String {
    let filler = |random: &mut Random| "word [x] (a ".repeat(random.below(longest / 12 + 1));
    let mut text = String::new();
    if random.below(4) > 0 {
        text += &format!("[White \"{}\"]\n[Event \"x\"]\n\n", random.below(100));
    }
    for (number, moves) in ["1. e4 e5", "2. Nf3 Nc6", "3. Bb5 a6"].iter().enumerate().take(1 + random.below(3)) {
        text += moves;
        match random.below(12) {
            0 => text += &format!(" {{{}\n[%clk 1] {number}}}\n", filler(random)),
            1 => text += &format!(" ({number}. d4 {{)}} d5)\r\n"),
            2 => text += &format!(" ;{}\n", "rest ".repeat(random.below(longest / 5 + 1))),
            3 if random.below(3) == 0 => text += " {never closed ",
            4 if random.below(3) == 0 => text += " (never closed ",
            5 if random.below(3) == 0 => text += " Qh8 ",
            _ => text.push([' ', '\n'][random.below(2)]),
        }
    }
    text + ["*", "1-0", "", "1/2-1/2 {after}"][random.below(4)] + ["\n\n", "\n", " ", "\r\n\r\n"][random.below(4)]
}

/// Games and errors with their places, as a reader of the whole text sees them.
fn whole(text: &str) -> Vec<Result<Vec<String>, String>> {
    let mut found = Vec::new();
    for read in Reader::new(chess(), text) {
        let moves = read.map(|record| record.moves.iter().map(|recorded| recorded.m.clone()).collect());
        found.push(moves.map_err(|error| error.to_string()));
    }
    found
}

#[test]
fn a_stream_of_games_is_read_like_the_whole_text() {
    for seed in 0..60 {
        let mut random = Random::for_purpose(seed, "records");
        // Some of the texts, and some single games, are longer than what is read at once.
        let (games, longest) = [(12, 40), (6, 40_000), (3, 200_000), (600, 200)][seed as usize % 4];
        let text: String = (0..games).map(|_| record(&mut random, longest)).collect();
        let mut found = Vec::new();
        let lines = text.split_inclusive('\n').map(|line| Ok::<_, Infallible>(line.to_string()));
        let Ok(()) = read_lines(chess(), lines, None, |opening| {
            found.push(opening.map(|opening| opening.moves));
            ControlFlow::Continue(())
        });
        assert_eq!(found, whole(&text), "seed {seed}");
    }
}

#[test]
fn no_more_is_read_than_is_needed() {
    for (line, kind) in [("[White \"a\"]\n\n1. e4 *\n\n", "games"), (START, "positions")] {
        let mut asked = 0;
        let lines = std::iter::from_fn(|| {
            asked += 1;
            assert!(asked < 20_000, "{kind} are read to the end");
            Some(Ok::<_, Infallible>(format!("{line}\n")))
        });
        let mut count = 0;
        let Ok(()) = read_lines(chess(), lines, None, |opening| {
            assert!(opening.is_ok());
            count += 1;
            if count == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(count, 3);
    }
}

#[test]
fn a_selection_is_the_beginning_of_the_whole_order() {
    let all: Vec<_> =
        (0..500).map(|number| Opening { position: format!("{}", number % 400), moves: Vec::new() }).collect();
    let (distinct, repeated) = all.split_at(400);
    for wanted in [0, 1, 7, 399, 400] {
        for seed in [None, Some(1), Some(2)] {
            let mut expected = distinct.to_vec();
            if let Some(seed) = seed {
                shuffle(&mut expected, seed);
            }
            let mut selection = Selection::new(seed, wanted);
            let is_over = all.iter().any(|opening| selection.add(opening.clone()).is_break());
            assert_eq!(is_over, seed.is_none(), "only a file in its own order need not be read to the end");
            if !is_over {
                assert_eq!((selection.found(), selection.repeated), (400, repeated.len()));
            }
            assert_eq!(selection.into_openings(), expected[..wanted], "{wanted} with {seed:?}");
        }
    }
}
