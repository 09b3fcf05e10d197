//! Records of games.

use plysmith_core::pgn::{Layout, PgnError, Reader, Record, Recorded, is_pgn, print};

use crate::{
    AnyPosition, Game, Index, START, any, chess, damaged, find, prop_assert, prop_assert_eq, proptest, random_game,
};

fn read(text: &str) -> Vec<Result<Record, PgnError>> {
    Reader::new(chess(), text).collect()
}

fn moves(record: &Record) -> String {
    record.moves.iter().map(|recorded| recorded.m.as_str()).collect::<Vec<_>>().join(" ")
}

fn one(text: &str) -> Record {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{text}: {games:?}");
    games.remove(0).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn the_same_game_in_every_form_that_is_found() {
    for text in [
        "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n",
        "\u{feff}[Event \"x\"]\r\n[Result \"1-0\"]\r\n\r\n1. e4 e5\r\n2. Nf3 1-0\r\n",
        "1.e4 e5 2.Nf3 1-0",
        "1. e4 1... e5 2. Nf3 1-0",
        "[Event \"x\"][Result \"1-0\"] 1. e4 e5 2. Nf3",
        "[Result \"1-0\"]\n\n1. e4 {best} e5 ; by test\n2. Nf3 1-0",
        "1. e4 $1 e5 $14$2 2. Nf3!? 1-0",
        "1. e4 (1. d4 d5 (1... Nf6 {a ) brace} 2. c4) 2. c4) e5 (1... c5) 2. Nf3 1-0",
        "% an escape\n1. e4\n% another { one\ne5 2. Nf3 1-0",
        "some words before\n\n1. e4 e5 2. Nf3 1-0\n\nand words behind",
        "1. e2-e4 e7e5 2. Ng1f3 +- 1-0",
        "1. e4 {a comment\nover lines [with] (brackets) ; and 1-0} e5 2. Nf3 1-0",
    ] {
        let record = one(text);
        assert_eq!((moves(&record).as_str(), record.result.as_str()), ("e2e4 e7e5 g1f3", "1-0"), "{text}");
        assert_eq!(record.start, START);
    }
}

#[test]
fn tags_are_read_with_their_escapes_and_without_them() {
    let record =
        one("[White \"A \\\"quoted\\\" \\\\ name\"]\n[Black \"The \"Big\" One\"]\n[ Annotator  \"é\" ]\n\n1. e4 *");
    assert_eq!(record.tag("White"), Some("A \"quoted\" \\ name"));
    assert_eq!(record.tag("Black"), Some("The \"Big\" One"));
    assert_eq!((record.tag("Annotator"), record.tag("Site")), (Some("é"), None));
    assert_eq!(record.result, "*");
}

#[test]
fn games_may_begin_anywhere_and_end_without_a_result() {
    let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n[SetUp \"1\"]\n\n40... Kd7 41. e4\n\n[White \"second\"]\n1. d4\n\
                [White \"third\"]\n\n1/2-1/2\n1. c4 0-1\n\n2. Nf3 is no game\n";
    let games = read(text);
    let good: Vec<_> = games.iter().flatten().map(|game| (moves(game), game.result.clone())).collect();
    let expected = [("e8d7 e2e4", "*"), ("d2d4", "*"), ("", "1/2-1/2"), ("c2c4", "0-1")];
    assert_eq!(good, expected.map(|(moves, result)| (moves.to_string(), result.to_string())));
    assert_eq!(games[0].as_ref().unwrap().start, "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40");
    let error = games[4].as_ref().unwrap_err();
    assert_eq!((games.len(), error.line, error.column), (5, 13, 8), "{error}");
}

#[test]
fn errors_have_their_place_and_the_next_game_is_read() {
    let good = "\n\n[White \"good\"]\n\n1. e4 *\n";
    for (bad, place, part) in [
        ("1. e4 e5\n2. Nf6 Nc6", "2:4", "'Nf6' is not a move here"),
        ("1. é4", "1:4", "'é4' is not a move here"),
        ("1. e4 é {", "1:7", "'é' is not a move here"),
        ("1. e4 {open", "1:7", "this comment is never closed"),
        ("1. e4 (1. d4", "1:7", "this variation is never closed"),
        ("1. e4 e5 ) 2. Nf3", "1:10", "this ')' closes nothing"),
        ("1. e4 --", "1:7", "'--' is not a move here"),
        ("[White \"x\"]\n[Black x]\n[Site \"y\"]\n\n1. e4 *", "2:1", "'[Black x]' is not a tag; expected a tag like"),
        ("[White \"x\n[Site \"y\"]\n\n1. e4 *", "1:1", "the tag White is never closed"),
        ("[FEN \"4k3/8/8/8/8/8/8/4X3 w - - 0 1\"]\n\n1. e4 *", "1:24", "'X' cannot stand on a chess board"),
        ("[Variant \"Atomic\"]\n\n1. e4 *", "1:11", "this is a game of 'Atomic'; expected one of chess"),
    ] {
        let games = read(&format!("{bad}{good}"));
        let error = games[0].as_ref().expect_err(bad);
        assert!(error.to_string().starts_with(&format!("{place}: ")), "{bad}: {error}");
        assert!(error.reason.contains(part), "{bad}: {error}");
        assert_eq!(games.len(), 2, "{bad}: {games:?}");
        assert_eq!(games[1].as_ref().unwrap().tag("White"), Some("good"), "{bad}");
    }
    assert_eq!(read(""), []);
    assert_eq!(read("nothing\nat all\n"), []);
    // Who wants only the beginning does not mind the rest.
    let mut openings = Reader::new(chess(), "\n1. e4 e5 2. Nf6 1-0\n\n1. d4 *\n").first_plies(2);
    assert_eq!(openings.next().map(|game| (moves(&game.unwrap()), openings.line())), Some(("e2e4 e7e5".into(), 2)));
    assert_eq!(openings.next().map(|game| (moves(&game.unwrap()), openings.line())), Some(("d2d4".into(), 4)));
}

#[test]
fn a_record_is_written_as_the_standard_has_it() {
    let tags = [("White", "me \"x\""), ("Annotator", "nobody"), ("Event", "test")];
    let record = Record {
        tags: tags.map(|(name, value)| (name.to_string(), value.to_string())).to_vec(),
        start: "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40".to_string(),
        moves: [("e8d7", "+0.35/12"), ("e2e4", ""), ("d7d6", "")]
            .map(|(m, comment)| Recorded { m: m.to_string(), comment: comment.to_string() })
            .to_vec(),
        result: "1/2-1/2".to_string(),
    };
    let expected = "[Event \"test\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"me \\\"x\\\"\"]\n\
                    [Black \"?\"]\n[Result \"1/2-1/2\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n\
                    [Annotator \"nobody\"]\n\n40... Kd7 {+0.35/12} 41. e4 Kd6 1/2-1/2\n\n";
    assert_eq!(print(chess(), &record, Layout::STANDARD).unwrap(), expected);
}

/// A random game with tags and comments, as it is read back from its own text.
fn written(seed: u64) -> (Record, String) {
    let game = random_game(seed, 90);
    let skip = (seed % 7) as usize;
    let skip = skip.min(game.len() - 1);
    let moves = game[skip..].windows(2).enumerate().map(|(index, pair)| {
        let m = pair[0].legal_moves().into_iter().find(|&m| Game::play(&pair[0], m).to_string() == pair[1].to_string());
        let comment = if index % 3 == 0 { format!("+0.{index:02}/7 a; (b) [c]") } else { String::new() };
        Recorded { m: pair[0].print_move(m.unwrap()), comment }
    });
    let record = Record {
        tags: vec![("White".to_string(), format!("w\\{seed}\"")), ("Black".to_string(), "é ] [".to_string())],
        start: game[skip].to_string(),
        moves: moves.collect(),
        result: ["1-0", "0-1", "1/2-1/2", "*"][(seed % 4) as usize].to_string(),
    };
    let text = print(chess(), &record, Layout::STANDARD).unwrap();
    (record, text)
}

proptest! {
    // Whole games a case: a quarter of the usual number is plenty.
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]

    #[test]
    fn what_is_written_reads_back(seeds in proptest::collection::vec(any::<u64>(), 1..4)) {
        let (records, texts): (Vec<_>, Vec<_>) = seeds.into_iter().map(written).unzip();
        prop_assert!(texts.iter().all(|text| text.lines().all(|line| line.starts_with('[') || line.chars().count() < 80)));
        let back: Vec<_> = read(&texts.concat()).into_iter().map(Result::unwrap).collect();
        prop_assert_eq!(back.len(), records.len());
        for ((back, record), text) in back.iter().zip(&records).zip(&texts) {
            prop_assert_eq!((&back.start, &back.moves, &back.result), (&record.start, &record.moves, &record.result));
            prop_assert!(record.tags.iter().all(|tag| back.tags.contains(tag)), "{:?}", back.tags);
            prop_assert_eq!(&print(chess(), back, Layout::STANDARD).unwrap(), text);
        }
    }

    #[test]
    fn damaged_games_are_refused_or_can_be_replayed(
        seed in any::<u64>(), edits in proptest::collection::vec((any::<Index>(), 0..3u8, "[ -~é\n\r\t]"), 1..6),
        junk in any::<String>(),
    ) {
        for text in [damaged(&written(seed).1, edits), junk] {
            for record in read(&text).into_iter().flatten() {
                let mut position: Box<dyn AnyPosition> = (chess().open)(&record.start).unwrap();
                for recorded in &record.moves {
                    position = position.play(&recorded.m).unwrap();
                }
            }
        }
    }
}

#[test]
fn other_games_are_read_in_the_same_manner() {
    let breakthrough = find("breakthrough").unwrap();
    let text = "[Variant \"breakthrough\"]\n[FEN \"3p/2p1/1P2/4 w\"]\n\n1. b2xc3 {+3/1 9} 1-0\n";
    let record = Reader::new(breakthrough, text).next().unwrap().unwrap();
    assert_eq!((moves(&record).as_str(), record.start.as_str()), ("b2c3", "3p/2p1/1P2/4 w"));
    assert!(Reader::new(chess(), text).next().unwrap().is_err());
}

#[test]
fn games_and_positions_are_told_apart() {
    for text in ["[Event \"x\"]", "\u{feff}\n% x\n[White \"y\"]\n", "1. e4 e5", "{comment}\n1. d4"] {
        assert!(is_pgn(text), "{text}");
    }
    for text in
        ["", "# comment\n8/8/8/8/8/8/8/8 w - -", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "3p/P3/4/4 w"]
    {
        assert!(!is_pgn(text), "{text}");
    }
}
