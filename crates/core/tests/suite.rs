//! Suites: what is written reads back, what cannot be read is named with its place, and problems from
//! self-play are what they claim to be, shown by trying everything rather than by the prover.

mod skipped;

use plysmith_core::games::{AnyPosition, GameInfo, Start, find};
use plysmith_core::generate::{Goal, Plan};
use plysmith_core::problem::{Criterion, Problem, Suite};
use plysmith_core::score::Score;
use plysmith_core::search::{End, Report};
use plysmith_core::suite::check::{Finding, Mistake, check};
use plysmith_core::suite::text::{self, SuiteError, parse, print};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::sample::Index;
use proptest::test_runner::TestCaseError;

fn game() -> &'static GameInfo {
    find("breakthrough").unwrap()
}

fn read(text: &str) -> Result<Suite, SuiteError> {
    parse(game(), "test", text)
}

/// Problems from self-play on 6×6.
fn generated(plies: u32, games: u64) -> Vec<Problem> {
    let text = (game().start)(&Start { size: Some((6, 6)), black_first: false }).unwrap();
    let start = (game().open)(&text).unwrap();
    let plan = Plan { goal: Goal::ForcedWin { plies }, seed: 1, nodes: 300 };
    let named = |(number, problem): (usize, Problem)| Problem { id: format!("bt; {number}"), ..problem };
    let problems: Vec<_> = (0..games)
        .filter_map(|game| start.problem_from_game(&plan, game, &|| false).unwrap())
        .enumerate()
        .map(named)
        .collect();
    assert!(problems.len() as u64 >= games / 16, "only {} problems in {games} games", problems.len());
    problems
}

/// The moves that win within this number of plies. Who has no move has lost, in this game.
fn winning_moves(position: &dyn AnyPosition, plies: u32) -> Vec<String> {
    let loses = |next: &dyn AnyPosition| {
        let replies = next.moves();
        replies.is_empty()
            || plies > 2 && replies.iter().all(|m| !winning_moves(&*next.play(m).unwrap(), plies - 2).is_empty())
    };
    position.moves().into_iter().filter(|m| loses(&*position.play(m).unwrap())).collect()
}

#[test]
fn generated_problems_have_one_winning_move_of_exactly_their_length() {
    for (plies, games) in [(1, 64), (3, 48), (5, 32)] {
        for problem in generated(plies, games) {
            let position = (game().open)(&problem.position).unwrap();
            assert_eq!((problem.distance, problem.criterion), (Some(plies), Criterion::Proven));
            assert_eq!(winning_moves(&*position, plies), problem.best, "{}", problem.position);
            let sooner = winning_moves(&*position, plies.saturating_sub(2));
            assert!(plies == 1 || sooner.is_empty(), "{} is won by {sooner:?} already", problem.position);
            assert_eq!(check(game(), &problem, &|| false), Ok(Finding::Proved), "{}", problem.position);
        }
    }
}

#[test]
fn generating_twice_gives_the_same_problems() {
    assert_eq!(generated(3, 12), generated(3, 12));
}

#[test]
fn checking_finds_every_kind_of_mistake() {
    for problem in generated(3, 20) {
        let position = (game().open)(&problem.position).unwrap();
        let claim = |best: &str, distance| {
            let best = best.split(' ').map(String::from).collect();
            check(game(), &Problem { best, distance: Some(distance), ..problem.clone() }, &|| false).unwrap()
        };
        let right = problem.best[0].as_str();
        let wrong = position.moves().into_iter().find(|m| m != right).unwrap();
        let found = right.to_string();
        let other_moves =
            |claimed: &str| Finding::Wrong(Mistake::OtherMoves { found: found.clone(), claimed: claimed.to_string() });
        assert_eq!(claim(&wrong, 3), other_moves(&wrong));
        let mut both = [right, wrong.as_str()];
        both.sort_unstable();
        assert_eq!(claim(&both.join(" "), 3), other_moves(&both.join(" ")));
        assert_eq!(claim(right, 1), Finding::Wrong(Mistake::NoWin { claimed: 1 }));
        let sooner = Mistake::Sooner { moves: found.clone(), plies: 3, claimed: 5 };
        assert_eq!(claim(right, 5), Finding::Wrong(sooner));
    }
}

#[test]
fn a_second_winning_move_is_a_mistake_unless_it_is_named() {
    let finding = |text| check(game(), &read(text).unwrap().problems[0], &|| false).unwrap();
    let (found, claimed) = ("a3a4 a3b4".to_string(), "a3a4".to_string());
    let missing = Finding::Wrong(Mistake::OtherMoves { found, claimed });
    assert_eq!(finding("3p/P3/4/4 w bm a3a4; distance 1;"), missing);
    assert_eq!(finding("3p/P3/4/4 w bm a3b4 a3a4; distance 1;"), Finding::Proved);
    assert_eq!(finding("3p/P3/4/4 w bm a3a4;"), Finding::NotProvable);
    assert_eq!(finding("3p/P3/4/4 w bm a3a4; solve best-move; distance 1;"), Finding::NotProvable);
    assert_eq!(finding("3p/P3/4/4 w bm a3a4; solve proven;"), Finding::NotProvable);
}

#[test]
fn suites_read_back_as_they_were_written() {
    let mut problems = generated(3, 20);
    problems[0].criterion = Criterion::BestMove;
    problems[1].distance = None;
    problems[2].best = (game().open)(&problems[2].position).unwrap().moves();
    let suite = Suite { name: "test".to_string(), problems };
    for comment in ["", "one line", "two\nlines"] {
        let text = print(&suite, comment);
        assert_eq!(text.lines().filter(|line| line.starts_with("# ")).count(), comment.lines().count());
        assert_eq!(read(&text), Ok(suite.clone()));
    }
}

/// A problem in every spelling that is tolerated.
#[test]
fn what_other_programs_write_is_understood() {
    let expected = read("3p/2p1/1P2/4 w bm b2c3; id \"#1\"; solve best-move;").unwrap();
    assert_eq!(expected.problems[0].best, ["b2c3"]);
    for text in [
        "3p/2p1/1P2/4 w bm b2c3;",
        "3p/2p1/1P2/4 w bm b2xc3;",
        "3p/2p1/1P2/4 w bm \"b2xc3\";",
        "3p/2p1/1P2/4 w 0 1 bm b2c3;",
        "3p/2p1/1P2/4 w - - 0 1 bm b2c3;",
        "3p/2p1/1P2/4 w - - bm b2c3;",
        "\t 3p/2p1/1P2/4 \t w\tbm\tb2c3\t;\t",
        "21p/2p1/1P2/4 w bm b2c3 ;;",
        "# a comment\n\n   # another\n3p/2p1/1P2/4 w bm b2c3;\n\n",
        "3p/2p1/1P2/4 w bm b2c3;\r\n\r\n# a comment\r\n",
        "3p/2p1/1P2/4 w c0 \"why; bm x\"; acd 9; bm b2c3; pv b2c3 d4c3; eco \"A00\"; v9 1;",
        "3p/2p1/1P2/4 w bm b2c3; id #1;",
        "3p/2p1/1P2/4 w bm b2c3; id #1",
        "3p/2p1/1P2/4 w bm b2c3",
        "3p/2p1/1P2/4 w bm b2c3,; D1 20; c0 1; c0 2; Anything_else \"x\";",
    ] {
        assert_eq!(read(text).as_ref(), Ok(&expected), "{text}");
    }
}

#[test]
fn the_criterion_follows_from_the_distance_unless_it_is_given() {
    let criterion = |more| read(&format!("3p/P3/4/4 w bm a3a4; {more}")).unwrap().problems[0].criterion;
    assert_eq!(criterion(""), Criterion::BestMove);
    assert_eq!(criterion("distance 1;"), Criterion::Proven);
    assert_eq!(criterion("solve best-move; distance 1;"), Criterion::BestMove);
    assert_eq!(criterion("solve proven;"), Criterion::Proven);
    assert_eq!(criterion("dm 1;"), Criterion::Proven);
    let distance = |more| read(&format!("3p/P3/4/4 w {more}")).unwrap().problems[0].distance;
    assert_eq!(
        [distance("bm a3a4; dm 3;"), distance("bm #4;"), distance("dm 9; distance 5;")],
        [Some(5), Some(7), Some(5)]
    );
}

#[test]
fn a_move_to_avoid_is_wrong_and_alone_makes_every_other_right() {
    let right = |text: &str| {
        let problem = read(text).unwrap().problems.remove(0);
        let moves = (game().open)(&problem.position).unwrap().moves();
        moves.into_iter().filter(|m| problem.is_right(m)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(right("3p/P3/4/4 w bm a3b4;"), "a3b4");
    assert_eq!(right("3p/P3/4/4 w am a3b4;"), "a3a4");
    assert_eq!(right("3p/P3/4/4 w am a3a4; bm a3b4;"), "a3b4");
    assert_eq!(right("3p/P3/4/4 w dm 1;"), "a3a4 a3b4");
    let keys = ["bm a3b4;", "am a3a4;", "bm a3b4; am a3a4;"]
        .map(|claim| read(&format!("3p/P3/4/4 w {claim}")).unwrap().content_key());
    assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2], "{keys:?}");
}

#[test]
fn good_lines_are_read_around_bad_ones() {
    let text = "3p/P3/4/4 w bm a3a4; id \"x\";\n3p/P3/4/4 w bm a3a5;\n3p/P3/4/4 w bm a3b4; id \"x\";\njunk\n3p/P3/4/4 w bm a3b4;";
    let reading = text::read(game(), "test", text);
    let ids: Vec<_> = reading.suite.problems.iter().map(|problem| problem.id.as_str()).collect();
    assert_eq!(ids, ["x", "#2"]);
    let places: Vec<_> = reading.wrong.iter().map(|error| (error.line, error.column)).collect();
    assert_eq!(places, [(2, 16), (3, 26), (4, 1)]);
    assert!(reading.wrong[1].reason.contains("the id 'x' stands on line 1 already"));
}

#[test]
fn lists_of_positions_need_no_moves() {
    let text = "# openings\n3p/P3/4/4 w\n3p/P3/4/4 b;\n3p/P3/4/4 w 0 1 c0 \"x\";\n3q/P3/4/4 w\n";
    let list = text::positions(game(), text);
    let good: Vec<_> = list.iter().filter_map(|(line, read)| Some((*line, read.as_deref().ok()?))).collect();
    assert_eq!(good, [(2, "3p/P3/4/4 w"), (3, "3p/P3/4/4 b"), (4, "3p/P3/4/4 w")]);
    let error = list[3].1.as_ref().unwrap_err();
    assert_eq!((error.line, error.column), (5, 2));
}

mod chess {
    //! EPD as the world writes it.

    use plysmith_core::suite::text::{Reading, read};

    use super::{Criterion, parse, print};

    #[test]
    fn moves_are_read_as_san_and_kept_as_coordinates() {
        let game = super::find("chess").unwrap();
        let text = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O Rxa8+; am 0-0-0 Kd1; id \"a\"; hmvc 7; fmvn 31;\n\
                    6k1/5ppp/8/8/8/8/8/R3K3 w - - acn 35; bm Ra8#; c0 \"exact\"; dm 1\n\
                    6k1/5ppp/8/8/8/8/8/R3K3 w - - 12 40 bm #1; fmvn 3;\n";
        let suite = parse(game, "test", text).unwrap();
        let [castling, mate, any] = &suite.problems[..] else { panic!("{suite:?}") };
        assert_eq!((castling.best.join(" "), castling.avoid.join(" ")), ("e1g1 a1a8".into(), "e1c1 e1d1".into()));
        assert_eq!(castling.position, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 7 31");
        assert_eq!((mate.criterion, mate.distance), (Criterion::Proven, Some(1)));
        assert!(any.best.is_empty() && any.position.ends_with("12 40"));
        assert_eq!(parse(game, "test", &print(&suite, "")), Ok(suite.clone()));
        let error = parse(game, "test", "4k3/8/8/8/8/5N2/8/1N2K3 w - - bm Nd2;").unwrap_err();
        assert_eq!(error.to_string(), "1:34: 'Nd2' may be Nbd2 (b1d2) or Nfd2 (f3d2); say which");
    }

    /// The forms of matetrack's and ChestUCI's files.
    #[test]
    fn files_of_mates_are_read_as_they_are() {
        let game = super::find("chess").unwrap();
        let text = "7k/8/8/8/8/8/R7/1R2K3 w - -; bm #2; Duals(2); 00:00;\n\
                    rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6; bm #9; ep; 00:00;\n\
                    kbK5/pp6/1P6/8/8/8/8/R7 w - - bm #2; PV: a1a6 b7a6 b6b7;\n\
                    R6k/6pp/8/8/8/8/8/4K3 b - - bm #-3; Defence; 00:00;\n\
                    7k/8/8/8/8/8/R7/1R2K3 w K - bm #70; O-O-O; 00:00;\n\
                    7k/8/8/8/8/8/R7/1R2K3 w - - bm #70; O-O-O; 00:00;\n";
        let Reading { suite, wrong, mated, unreachable } = read(game, "test", text);
        assert_eq!((wrong, mated), (vec![], 1));
        let places: Vec<String> = unreachable.iter().map(ToString::to_string).collect();
        assert_eq!(places.len(), 1);
        assert!(places[0].starts_with("5:25: 'K' lets White castle"), "{places:?}");
        let plies: Vec<_> = suite.problems.iter().map(|problem| problem.distance.unwrap()).collect();
        assert_eq!(plies, [3, 17, 3, 139]);
        assert!(suite.problems[1].position.ends_with("KQkq f6 0 1"), "{}", suite.problems[1].position);
        assert!(suite.problems.iter().all(|problem| problem.best.is_empty()));
        // Elsewhere the same words are mistakes.
        for (line, reason) in [
            ("7k/8/8/8/8/8/R7/1R2K3 w - - bm Rb7; 00:00;", "1:37: '00:00' is not an operation"),
            ("7k/8/8/8/8/8/R7/1R2K3 w - - bm #-x;", "1:34: 'x' is not the length of a forced win"),
            ("7k/8/8/8/8/8/R7/1R2K3 w K - bm Rb7;", "1:25: 'K' lets White castle"),
        ] {
            let error = parse(game, "test", line).unwrap_err().to_string();
            assert!(error.starts_with(reason), "{line}: {error}");
        }
    }

    /// Who is mated has no move left: that is seen at the horizon, too.
    #[test]
    fn mates_are_proved() {
        let game = super::find("chess").unwrap();
        for (line, finding) in [
            ("6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; dm 1;", super::Finding::Proved),
            ("6k1/5ppp/8/8/8/8/8/R3K3 w - - dm 1;", super::Finding::Proved),
            ("7k/8/8/8/8/8/R7/1R2K3 w - - dm 2;", super::Finding::Proved),
            // Stalemate is no win.
            (
                "7k/8/5K2/8/8/8/6Q1/8 w - - bm Qg6; dm 1;",
                super::Finding::Wrong(super::Mistake::OtherMoves {
                    found: "g2g7".to_string(),
                    claimed: "g2g6".to_string(),
                }),
            ),
        ] {
            let problem = &parse(game, "test", line).unwrap().problems[0];
            assert_eq!(super::check(game, problem, &|| false), Ok(finding), "{line}");
        }
    }

    /// The public suites are read where they are; their licences are their own.
    #[test]
    fn public_suites_load() {
        let game = super::find("chess").unwrap();
        for (name, problems) in [
            ("ecm879", 879),
            ("ecm102_all99", 99),
            ("ecm98", 769),
            ("wacnew", 300),
            ("bratko-kopec", 24),
            ("silent-but-deadly", 134),
            ("mates", 625),
        ] {
            let Some(file) = super::skipped::public_data("public_suites_load", &format!("{name}.epd")) else {
                continue;
            };
            let text = std::fs::read_to_string(file).unwrap();
            let Reading { suite, wrong, .. } = read(game, name, &text);
            // One record of ecm98 stands there twice; there is nothing else to skip.
            let repeated = usize::from(name == "ecm98");
            assert!(wrong.len() == repeated && wrong.iter().all(|error| error.reason.contains("ECM.741")), "{wrong:?}");
            assert_eq!(suite.problems.len(), problems - repeated, "{name}");
            assert!(name != "mates" || suite.problems.iter().all(|problem| problem.criterion == Criterion::Proven));
            assert_eq!(parse(game, name, &print(&suite, "")), Ok(suite.clone()), "{name}");
        }
    }
}

/// A text that is no suite, the line and column where it is wrong, and a part of what is said about it.
const NOT_SUITES: &[(&str, usize, usize, &str)] = &[
    ("", 1, 1, "there is no problem in it; expected lines like"),
    ("# nothing\n\n", 1, 1, "there is no problem in it"),
    ("junk", 1, 1, "'j' cannot stand on a board"),
    ("3p/P3/4/4", 1, 10, "nothing says who moves"),
    ("3p/P3/4/4 bm a3a4;", 1, 11, "'bm' does not say who moves"),
    ("3q/P3/4/4 w bm a3a4;", 1, 2, "'q' cannot stand on a board"),
    ("\t 3é/P3/4/4 w bm a3a4;", 1, 4, "'é' cannot stand on a board"),
    (" P2p/P3/4/4 w bm a3a4;", 1, 2, "White has a man on its goal rank already"),
    ("3p/P3/4/4 w", 1, 12, "there is no best move; expected 'bm <move>;' or 'am <move>;'"),
    ("3p/P3/4/4 w bm;", 1, 16, "there is no best move"),
    ("3p/P3/4/4 w id \"é\";", 1, 20, "there is no best move"),
    ("3p/P3/4/4 w bm a3b3;", 1, 16, "'a3b3' is not a move here; expected something like 'a3a4'"),
    ("3p/P3/4/4 w bm a3a4 é;", 1, 21, "'é' is not a move here"),
    ("3p/P3/4/4 w bm a3a4; id \"x;", 1, 25, "this quote is never closed"),
    ("3p/P3/4/4 w bm a3a4; 1best 1;", 1, 22, "'1best' is not an operation; expected a name like bm, am,"),
    ("3p/P3/4/4 w bm a3a4; id \"é\"; c-1 1;", 1, 30, "'c-1' is not an operation"),
    ("3p/P3/4/4 w bm a3a4; abcdefghijklmnop 1;", 1, 22, "'abcdefghijklmnop' is not an operation"),
    (
        "3p/P3/4/4 w bn a3a4;",
        1,
        21,
        "there is no best move; expected 'bm <move>;' or 'am <move>;' ('bn' says nothing here)",
    ),
    ("3p/P3/4/4 w am a3a5;", 1, 16, "'a3a5' is not a move here"),
    ("3p/P3/4/4 w am a3a4; bm a3a4;", 1, 30, "'a3a4' is both a best move and one to avoid"),
    ("3p/P3/4/4 w dm 0;", 1, 16, "'0' is not the length of a forced win; expected a number of moves"),
    ("3p/P3/4/4 w bm #-x;", 1, 18, "'x' is not the length of a forced win"),
    ("3p/P3/4/4 w bm #-3;", 1, 1, "there is no problem in it"),
    ("3p/P3/4/4 w dm 1; solve best-move;", 1, 35, "there is no best move"),
    ("3p/P3/4/4 w bm a3a4; hmvc x;", 1, 27, "'x' is not a number"),
    ("3p/P3/4/4 w bm a3a4; bm a3b4;", 1, 22, "'bm' stands here twice; leave one out"),
    ("3p/P3/4/4 w bm a3b4 a3xb4;", 1, 21, "the move 'a3xb4' stands here twice"),
    ("3p/P3/4/4 w bm a3a4; solve maybe;", 1, 28, "'maybe' is not a solve criterion; expected 'proven'"),
    ("3p/P3/4/4 w bm a3a4; solve;", 1, 22, "'solve' takes 'proven' or 'best-move'"),
    ("3p/P3/4/4 w bm a3a4; distance 2;", 1, 31, "'2' is not the length of a forced win; expected an odd number"),
    ("3p/P3/4/4 w bm a3a4; distance 0;", 1, 31, "'0' is not the length"),
    ("3p/P3/4/4 w bm a3a4; distance -1;", 1, 31, "'-1' is not the length"),
    ("3p/P3/4/4 w bm a3a4; distance 1001;", 1, 31, "'1001' is not the length"),
    ("3p/P3/4/4 w bm a3a4; distance 3 5;", 1, 22, "'distance' takes a number of plies"),
    ("3p/P3/4/4 w bm a3a4; id \"\";", 1, 22, "'id' takes a name in quotes"),
    ("3p/P3/4/4 w bm a3a4; id a b;", 1, 22, "'id' takes a name in quotes"),
    ("# first\r\n3p/P3/4/4 w bm a3a4;\r\n\r\n3p/P3/4/4 w bm a3;\r\n", 4, 16, "'a3' is not a move here"),
    (
        "3p/P3/4/4 w bm a3a4; id \"x\";\n#\n3p/P3/4/4 w id \"x\"; bm a3a4;",
        3,
        17,
        "the id 'x' stands on line 1 already; ids are unique",
    ),
    ("3p/P3/4/4 w bm a3a4; id \"#2\";\n3p/P3/4/4 w bm a3a4;", 2, 1, "the id '#2' stands on line 1 already"),
];

#[test]
fn errors_say_what_is_wrong_and_where() {
    for &(text, line, column, part) in NOT_SUITES {
        let error = read(text).expect_err(text);
        assert!(error.reason.contains(part), "'{text}': {error}");
        assert_eq!((error.line, error.column), (line, column), "'{text}': {error}");
        assert_eq!(error.to_string(), format!("{line}:{column}: {}", error.reason));
    }
}

#[test]
fn solving_takes_the_right_move_and_where_it_is_asked_for_a_proof() {
    let problem = read("3p/P3/4/4 w bm a3a4 a3b4; distance 1;").unwrap().problems.remove(0);
    let loose = Problem { criterion: Criterion::BestMove, ..problem.clone() };
    let win = Score::of(plysmith_core::outcome::Outcome::Win, 1);
    for (m, score, proven, best_move) in [
        (Some("a3b4"), win, true, true),
        (Some("a3b4"), Score::evaluation(500), false, true),
        (Some("a3b4"), -win, false, true),
        (Some("d4d3"), win, false, false),
        (None, Score::EVEN, false, false),
    ] {
        let line = m.into_iter().map(String::from).collect();
        let report = Report {
            line,
            score,
            nodes: 9,
            moves: 8,
            depth: 1,
            height: 1,
            fired: vec![],
            end: End::Nodes,
            rank: 0,
            fullness: 0,
        };
        assert_eq!(problem.is_solved_by(&report), proven, "{m:?} {score}");
        assert_eq!(loose.is_solved_by(&report), best_move, "{m:?} {score}");
    }
}

/// Stored results are found by this key: what is measured counts, names do not.
#[test]
fn the_content_key_is_that_of_positions_moves_and_criteria() {
    let key = |text| read(text).unwrap().content_key();
    let plain = "3p/P3/4/4 w bm a3a4;\n3p/2p1/1P2/4 w bm b2c3;";
    assert_eq!(key(plain), key("3p/P3/4/4 w bm a3a4; id \"x\";\n# y\n3p/2p1/1P2/4 w 0 1 bm b2xc3;"));
    for other in [
        "3p/P3/4/4 w bm a3a4;",
        "3p/2p1/1P2/4 w bm b2c3;\n3p/P3/4/4 w bm a3a4;",
        "3p/P3/4/4 w bm a3b4;\n3p/2p1/1P2/4 w bm b2c3;",
        "3p/P3/4/4 w bm a3a4; solve proven;\n3p/2p1/1P2/4 w bm b2c3;",
    ] {
        assert_ne!(key(plain), key(other), "{other}");
    }
    assert_eq!(read(plain).unwrap().first(1).content_key(), key("3p/P3/4/4 w bm a3a4;"));
}

/// What reads is a suite of legal moves that reads back.
fn assert_sound(text: &str) -> Result<(), TestCaseError> {
    let Ok(suite) = read(text) else { return Ok(()) };
    for problem in &suite.problems {
        let legal = (game().open)(&problem.position).unwrap().moves();
        prop_assert!(problem.best.iter().chain(&problem.avoid).all(|m| legal.contains(m)), "{text}");
        let says = !problem.best.is_empty() || !problem.avoid.is_empty();
        prop_assert!(says || problem.criterion == Criterion::Proven && problem.distance.is_some(), "{text}");
    }
    prop_assert_eq!(read(&print(&suite, text)), Ok(suite.clone()));
    Ok(())
}

const VALID: &str = "# two\n1p4/pp2p1/1P4/3pP1/P1P3/6 w 0 1 bm b4xa5 b4c5; id \"bt; 1\"; solve proven; distance 7;\n\
                     3p/P3/4/4 w bm a3a4; am a3b4; c0 \"é\";\n3p/P3/4/4 w dm 1\n";

proptest! {
    #[test]
    fn no_text_makes_reading_panic(text in any::<String>(), line in "3p/P3/4/4 w [a-d0-4bmidxé;\" #-]{0,40}") {
        assert_sound(&text)?;
        assert_sound(&line)?;
    }

    /// A valid suite with some characters changed, put in or left out.
    #[test]
    fn damaged_suites_are_refused_or_sound(edits in proptest::collection::vec((any::<Index>(), 0..3u8, "[ -~é\n\r\t]"), 1..4)) {
        assert_sound(VALID)?;
        let mut letters: Vec<char> = VALID.chars().collect();
        for (place, kind, letter) in edits {
            let place = place.index(letters.len());
            match kind {
                0 => letters[place] = letter.chars().next().unwrap(),
                1 => letters.insert(place, letter.chars().next().unwrap()),
                _ => drop(letters.remove(place)),
            }
        }
        assert_sound(&letters.iter().collect::<String>())?;
    }
}

#[test]
fn the_valid_suite_of_the_damage_test_is_valid() {
    assert_eq!(read(VALID).map(|suite| suite.problems.len()), Ok(3));
}

#[test]
fn proofs_and_generated_games_can_be_interrupted() {
    let problem = &read("pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w bm a2a3; distance 99;").unwrap().problems[0];
    let looks = std::sync::atomic::AtomicU32::new(0);
    let interrupt = || looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 3;
    assert!(check(game(), problem, &interrupt).is_err());
    let start = (game().open)(&problem.position).unwrap();
    assert!(
        start
            .problem_from_game(&Plan { goal: Goal::ForcedWin { plies: 7 }, seed: 1, nodes: u64::MAX }, 0, &|| true)
            .is_err()
    );
}

#[test]
fn suites_of_unknown_games_are_relayed_as_they_are() {
    let lines = "# any game\n\
                 . . x / o . . / 3 1 bm b2>c3; id \"one\";\n\
                 x x x am pass 1-2; c0 \"who knows\"; id two;\n\
                 whatever dm 2;\n";
    let text::Reading { suite, wrong, .. } = text::read_relayed("any", lines);
    assert_eq!(wrong, []);
    let [one, two, three] = &suite.problems[..] else { panic!("{suite:?}") };
    assert_eq!((one.position.as_str(), &one.best[..]), (". . x / o . . / 3 1", &["b2>c3".to_string()][..]));
    assert_eq!((&two.avoid[..], two.id.as_str()), (&["pass".to_string(), "1-2".to_string()][..], "two"));
    assert_eq!((three.criterion, three.distance, three.id.as_str()), (Criterion::Proven, Some(3), "#3"));
    // What is written down is read back.
    assert_eq!(text::read_relayed("any", &print(&suite, "again")).suite, suite);
    let wrong = |line: &str| text::read_relayed("any", line).wrong[0].to_string();
    assert!(wrong("bm a").starts_with("1:1: there is no position before"), "{}", wrong("bm a"));
    assert!(wrong("x y z").contains("there is no best move"), "{}", wrong("x y z"));
    assert!(wrong("x bm a; bm b;").contains("'bm' stands here twice"));
    assert!(wrong("x bm a a;").contains("'a' stands here twice"));
}
