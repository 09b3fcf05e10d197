//! Breakthrough: the checks every game has to pass, and then against a second program that was written
//! from the rules alone, against what is known of small boards, and against texts that are no positions.

mod slow;

use plysmith_core::conform::conform;
use plysmith_core::depth::Weight;
use plysmith_core::feature::Scheme;
use plysmith_core::game::{Game, MoveSet, perft};
use plysmith_core::games::breakthrough::{AnySize, GUARDED, INFO, PATTERNS, PRESETS, Position, Side, Standard, start};
use plysmith_core::outcome::Outcome;
use plysmith_core::patterns::Patterns;
use plysmith_core::random::Random;
use plysmith_core::score::Score;
use plysmith_core::search::proof::Prover;
use plysmith_core::search::{Limit, Root, Task, Workspace, search};
use plysmith_core::settings::{Heuristic, Settings, Switches};
use plysmith_core::weights::{LoadedWeights, Tables};
use proptest::prelude::{any, prop_assert_eq, proptest};
use slow::Slow;

type General = Position<AnySize>;

/// Every board there is.
fn sizes() -> impl Iterator<Item = (usize, usize)> {
    (4..=8).flat_map(|columns| (4..=8).map(move |rows| (columns, rows)))
}

fn start_of<G: Game>(columns: usize, rows: usize, first: Side) -> G {
    G::parse(&start(columns, rows, first).unwrap()).unwrap()
}

/// The undecided positions of random games.
fn random_positions(columns: usize, rows: usize, games: u64) -> Vec<General> {
    let mut random = Random::for_purpose(games, &format!("{columns}x{rows}"));
    let mut positions = Vec::new();
    for game in 0..games {
        let mut position: General = start_of(columns, rows, if game % 2 == 0 { Side::White } else { Side::Black });
        while position.terminal_result().is_none() {
            positions.push(position);
            let list = position.legal_moves();
            position = position.play(list[random.below(list.len())]);
        }
    }
    positions
}

#[test]
fn the_standard_board_conforms() {
    conform::<Position<Standard>>(&[
        ("pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w", &[22, 484, 11_132, 256_036, 6_182_818]),
        ("pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP b", &[22, 484, 11_132, 256_036]),
        ("2p2p1p/pp4p1/2p1p3/3P2P1/1P2p3/P4P2/2P3PP/1P2P3 b", &[]),
    ]);
}

/// Perft numbers are OpenSpiel's. Where there are none, the slow program below checks the rules.
#[test]
fn boards_of_other_sizes_conform() {
    conform::<General>(&[
        ("ppppp/ppppp/5/PPPPP/PPPPP w", &[13, 156, 1924, 23_084, 289_828]),
        ("pppp/pppp/PPPP/PPPP w", &[]),
        ("pppppp/pppppp/6/PPPPPP/PPPPPP b", &[]),
        ("pppppppp/pppppppp/PPPPPPPP/PPPPPPPP w", &[]),
        ("pppp/pppp/4/4/4/4/PPPP/PPPP w", &[]),
        ("ppppppp/ppppppp/7/7/PPPPPPP/PPPPPPP b", &[]),
        ("pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w", &[22, 484, 11_132]),
    ]);
}

/// Moves, what becomes of them, who has won, features and evaluation: all as in the slow program.
#[test]
fn every_size_plays_as_the_slow_program_does() {
    for (columns, rows) in sizes() {
        for first in [Side::White, Side::Black] {
            let mut random = Random::for_purpose(7, &format!("{columns}x{rows} {first:?}"));
            for _ in 0..3 {
                let mut position: General = start_of(columns, rows, first);
                let mut slow = Slow::read(&position.to_string());
                while !slow.is_over() {
                    assert_same(&position, &slow);
                    let steps = slow.steps();
                    let step = steps[random.below(steps.len())];
                    position = position.play(position.parse_move(&step.name()).unwrap());
                    slow = slow.after(step);
                }
                assert_eq!(position.terminal_result(), Some(Outcome::Loss), "{position}");
                assert_eq!(position.legal_moves().len(), 0, "{position}");
            }
        }
    }
}

fn assert_same(position: &General, slow: &Slow) {
    assert_eq!(position.terminal_result(), None, "{position}");
    let values = [0, 1, 2].map(|heuristic| position.evaluate(Heuristic::BuiltIn(heuristic)).units());
    assert_eq!(values, slow.values(), "{position}");
    let features = |m| {
        let all = General::VOCABULARY;
        all.atoms().filter(|&atom| position.has(m, atom)).map(|atom| all.facts(atom).name).collect::<Vec<_>>()
    };
    let mut found: Vec<_> = position
        .legal_moves()
        .into_iter()
        .map(|m| (position.print_move(m), position.play(m).to_string(), features(m)))
        .collect();
    let mut expected: Vec<_> =
        slow.steps().into_iter().map(|step| (step.name(), slow.after(step).text(), slow.features(step))).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{position}");
}

/// The ranks that a man can move to with this feature, counted from 1 at its own side.
fn zone(columns: usize, rows: usize, side: Side, atom: &str) -> Vec<usize> {
    let atom = General::VOCABULARY.find(atom).unwrap();
    let has = |rank: &usize| {
        // A man one rank before, and an enemy far aside.
        let (own, enemy, letter) = if side == Side::White { ('P', 'p', 'w') } else { ('p', 'P', 'b') };
        let from = if side == Side::White { rank - 1 } else { rows + 2 - rank };
        let other = if from == rows.div_ceil(2) { from + 1 } else { rows.div_ceil(2) };
        let ranks: Vec<String> = (1..=rows)
            .rev()
            .map(|height| match height {
                _ if height == from => format!("{own}{}", columns - 1),
                _ if height == other => format!("{}{enemy}", columns - 1),
                _ => columns.to_string(),
            })
            .collect();
        let position = General::parse(&format!("{} {letter}", ranks.join("/"))).unwrap();
        let list = position.legal_moves();
        let answers: Vec<bool> = list.iter().map(|&m| position.has(m, atom)).collect();
        assert!(answers.iter().all(|&answer| answer == answers[0]), "a zone depends on the rank alone");
        assert!(list.iter().all(|&m| position.select(atom).contains(m) == answers[0]), "{position}");
        answers[0]
    };
    (2..=rows).filter(has).collect()
}

/// A move to the last rank ends the game: a zone of that rank alone would be worth nothing.
#[test]
fn zones_make_sense_on_every_board() {
    for (columns, rows) in sizes() {
        for side in [Side::White, Side::Black] {
            let zone = |atom| zone(columns, rows, side, atom);
            let parts = ["RdBb", "RdBt", "RdTb", "RdTt"].map(zone);
            let all: Vec<usize> = parts.iter().flatten().copied().collect();
            assert_eq!(
                all,
                (2..=rows).collect::<Vec<_>>(),
                "the zones are in order and leave no rank out: {rows} rows"
            );
            assert_eq!(zone("Rdb"), [parts[0].as_slice(), &parts[1]].concat(), "{rows} rows");
            assert_eq!(zone("Rdt"), [parts[2].as_slice(), &parts[3]].concat(), "{rows} rows");
            for outer in ["RdBb", "Rdb", "Rdt", "RdTt"] {
                assert!(zone(outer).iter().any(|&rank| rank < rows), "{outer} on {columns}x{rows}");
            }
            // Boards of four and five ranks have no ranks left for the inner zones.
            assert_eq!(parts[1].is_empty(), rows == 4, "RdBt on {columns}x{rows}");
            assert_eq!(parts[2].is_empty(), rows <= 5, "RdTb on {columns}x{rows}");
            assert_eq!(parts[3], [rows - 1, rows], "the last two ranks");
            if rows == 8 {
                assert_eq!(parts, [vec![2], vec![3, 4], vec![5, 6], vec![7, 8]], "as in the papers");
            }
        }
    }
}

/// A feature that differs from no feature on 8×8 does so on every other board as well.
#[test]
fn extending_to_the_last_two_ranks_changes_the_search_on_every_board() {
    for (columns, rows) in sizes() {
        let nodes = |text: &str| -> u64 {
            let scheme = General::VOCABULARY.parse_scheme(text, Weight::HALF).unwrap();
            let settings = PRESETS.classic();
            let mut workspace = Workspace::with_memory(&settings).unwrap();
            let search_one = |position: &General| {
                let task = Task {
                    settings,
                    scheme: &scheme,
                    limit: Limit::depth(3),
                    seed: 1,
                    interrupt: &|| false,
                    root: Root::default(),
                };
                search(position, &task, &mut workspace).nodes
            };
            random_positions(columns, rows, 4).iter().map(search_one).sum()
        };
        assert_ne!(nodes("RdTt"), nodes("Neutral"), "{columns}x{rows}");
    }
}

/// Weights that were loaded evaluate the boards that they are for; others are evaluated as by `guarded`.
#[test]
fn loaded_patterns_evaluate_boards_of_their_size() {
    for (columns, rows) in [(8, 8), (5, 6)] {
        let mut random = Random::for_purpose(12, &format!("{columns}x{rows}"));
        let numbers: Vec<i16> = (0..Patterns::count(columns, rows)).map(|_| random.below(401) as i16 - 200).collect();
        let patterns = Patterns::from_numbers(columns, rows, &numbers).unwrap();
        let (label, key) = (format!("random {columns}x{rows}"), random.next_seed());
        let loaded = LoadedWeights::intern("breakthrough", &label, key, || Tables::new(patterns.clone()));
        let loaded = Heuristic::Loaded(loaded);
        for size in [(8, 8), (5, 6), (6, 5)] {
            for position in random_positions(size.0, size.1, 5) {
                let grid = position.grid().unwrap();
                let expected = if (columns, rows) == (grid.columns, grid.rows) {
                    Score::evaluation(patterns.evaluate(grid.own, grid.enemy))
                } else {
                    position.evaluate(GUARDED)
                };
                assert_eq!(position.evaluate(loaded), expected, "{position}");
                if let Ok(standard) = Position::<Standard>::parse(&position.to_string()) {
                    assert_eq!(standard.evaluate(loaded), expected, "{position}");
                }
            }
        }
    }
}

#[test]
fn built_in_patterns_are_for_the_standard_board() {
    for (columns, rows) in sizes().filter(|size| *size != (8, 8)) {
        for position in random_positions(columns, rows, 2) {
            assert_eq!(position.evaluate(PATTERNS), position.evaluate(GUARDED), "{position}");
        }
    }
}

/// Exchanging colours and turning the board changes nothing: moves, features, value and key are mirrored.
#[test]
fn black_plays_as_white_would() {
    for (columns, rows) in sizes() {
        let mut random = Random::for_purpose(11, &format!("{columns}x{rows}"));
        let mut position: General = start_of(columns, rows, Side::White);
        let mut mirrored: General = start_of(columns, rows, Side::Black);
        while position.terminal_result().is_none() {
            let slow = Slow::read(&position.to_string());
            assert_eq!(mirrored.to_string(), slow.mirrored().text());
            assert_eq!(mirrored.key(), position.key(), "{position}");
            for heuristic in PRESETS.built_in() {
                assert_eq!(mirrored.evaluate(heuristic), position.evaluate(heuristic), "{position}");
            }
            let list = position.legal_moves();
            assert_eq!(mirrored.legal_moves().len(), list.len(), "{position}");
            let image = |m| mirrored.parse_move(&slow.mirrored_name(&position.print_move(m))).unwrap();
            for &m in &list {
                for atom in General::VOCABULARY.atoms() {
                    assert_eq!(mirrored.has(image(m), atom), position.has(m, atom), "{m:?} {atom} in {position}");
                }
            }
            let m = list[random.below(list.len())];
            (position, mirrored) = (position.play(m), mirrored.play(image(m)));
        }
        assert_eq!(mirrored.terminal_result(), position.terminal_result());
    }
}

/// What is known: 4×4 and 5×4 (columns × rows) are won by the second player.
#[test]
fn small_boards_are_won_by_the_second_player() {
    for (columns, rows, plies) in [(4, 4, 13), (5, 4, 15)] {
        let position: General = start_of(columns, rows, Side::White);
        let mut prover = Prover::default();
        assert_eq!(prover.shortest_win(&position, 20), None, "{position}");
        for m in position.legal_moves() {
            let win = prover.shortest_win(&position.play(m), 20).expect("the second player wins");
            assert_eq!(win.plies, plies, "{m:?} in {position}");
        }
    }
}

/// The moves that win within this number of plies, by trying everything.
fn winning_moves_by_trying<G: Game>(position: &G, plies: u32) -> Vec<G::Move> {
    let answered = |next: &G| {
        plies > 2 && next.legal_moves().iter().all(|&m| !winning_moves_by_trying(&next.play(m), plies - 2).is_empty())
    };
    let wins = |m: G::Move| {
        let next = position.play(m);
        match next.terminal_result() {
            Some(outcome) => outcome == Outcome::Loss,
            None => answered(&next),
        }
    };
    position.legal_moves().into_iter().filter(|&m| wins(m)).collect()
}

#[test]
fn the_prover_finds_what_trying_everything_finds() {
    for (columns, rows) in [(4, 4), (5, 4), (4, 6)] {
        // One prover for all positions, so that what it remembers is tested too.
        let mut prover = Prover::default();
        let mut wins = 0;
        for position in random_positions(columns, rows, 12) {
            let tried = [1, 3, 5].map(|plies| (plies, winning_moves_by_trying(&position, plies)));
            let expected = tried.into_iter().find(|(_, moves)| !moves.is_empty());
            let found = prover.shortest_win(&position, 6).map(|win| (win.plies, win.moves));
            assert_eq!(found, expected, "{position}");
            wins += usize::from(found.is_some());
        }
        assert!(wins > 10, "only {wins} wins on {columns}x{rows}");
    }
}

/// The forced result within this number of plies, for the side to move.
fn forced_result(prover: &mut Prover, position: &General, plies: u32) -> Option<Score> {
    if let Some(win) = prover.shortest_win(position, plies) {
        return Some(Score::of(Outcome::Win, win.plies));
    }
    let answers = position.legal_moves().into_iter().map(|m| prover.shortest_win(&position.play(m), plies - 1));
    let answers: Option<Vec<_>> = answers.map(|win| win.map(|win| win.plies)).collect();
    answers.map(|answers| Score::of(Outcome::Loss, 1 + answers.into_iter().max().unwrap_or(0)))
}

fn distance(score: Score) -> Option<u32> {
    score.win_in().or((-score).win_in())
}

/// Neither shares code with the other. Without extensions and table, alpha-beta finds exactly the forced
/// results within its depth. With a table a result from deeper down may end it sooner, with a longer win;
/// what is within the depth that it reached must still be exact, and what is claimed beyond must be true.
#[test]
fn prover_and_search_agree_on_forced_results() {
    let scheme = Scheme::neutral();
    let mut workspace = Workspace::default();
    let classic = PRESETS.classic();
    // Nothing that prunes on the word of the evaluation: such searches are right only as a rule.
    let sound = Switches { null_window: true, killers: true, history: true, foresight: true, ..Switches::NONE };
    let bare = Settings { switches: sound, ..classic };
    let table = Settings { switches: Switches { table_mib: 1, ..bare.switches }, ..bare };
    let switches = Switches { captures: true, quiescence: true, evasions: true, checks: true, ..bare.switches };
    let tactical = Settings { switches, ..bare };
    let (mut wins, mut losses) = (0, 0);
    for (columns, rows, plies) in [(4, 4, 13), (5, 4, 7), (4, 6, 7), (5, 5, 5)] {
        let mut prover = Prover::default();
        for (seed, position) in random_positions(columns, rows, 6).iter().enumerate() {
            let expected = forced_result(&mut prover, position, plies);
            let shortest = prover.shortest_win(position, plies);
            for settings in [classic, bare, table, tactical] {
                let limit = Limit::depth(plies);
                let task = Task {
                    settings,
                    scheme: &scheme,
                    limit,
                    seed: seed as u64,
                    interrupt: &|| false,
                    root: Root::default(),
                };
                let report = search(position, &task, &mut workspace);
                // Quiescence finds results beyond its depth, too.
                let is_deeper = settings == table || settings == tactical;
                let reach = if is_deeper { report.depth } else { plies };
                let within = |score: &Score| distance(*score).is_some_and(|distance| distance <= reach);
                let (found, expected) = (Some(report.score).filter(within), expected.filter(within));
                assert_eq!(found, expected, "{position} {settings:?}");
                let is_shortest = shortest.as_ref().is_none_or(|win| win.moves.contains(&report.line[0]));
                assert!(is_shortest || is_deeper, "{:?} in {position} {settings:?}", report.line);
                if let Some(win) = report.score.win_in().filter(|&win| win <= plies) {
                    assert!(shortest.as_ref().is_some_and(|shortest| shortest.plies <= win), "{position} {settings:?}");
                }
                wins += u32::from(found.is_some_and(|score| score.win_in().is_some()));
                losses += u32::from(found.is_some_and(|score| score.win_in().is_none()));
            }
        }
    }
    assert!(wins > 100 && losses > 50, "{wins} wins, {losses} losses");
}

/// Scores alone would not show it: a search without cut-offs is as right, and useless.
#[test]
fn the_search_cuts_off_most_of_the_tree() {
    let position: Position<Standard> = start_of(8, 8, Side::White);
    let tree: u64 = (1..=4).map(|depth| perft(&position, depth)).sum();
    let scheme = Scheme::neutral();
    for settings in [PRESETS.classic(), PRESETS.modern()] {
        let task = Task {
            settings,
            scheme: &scheme,
            limit: Limit::depth(4),
            seed: 1,
            interrupt: &|| false,
            root: Root::default(),
        };
        let report = search(&position, &task, &mut Workspace::default());
        assert!(10 * report.nodes < tree, "{} of {tree} nodes, {settings:?}", report.nodes);
    }
}

/// A text that is no position, the character where it is wrong, and a part of what is said about it.
const NOT_POSITIONS: &[(&str, usize, &str)] = &[
    ("", 0, "there is no position"),
    (" \t ", 0, "there is no position"),
    ("pppp/4/4/PPPP", 13, "nothing says who moves"),
    ("pppp/4/4/PPPP ", 13, "nothing says who moves"),
    ("pppp/4/4/PPPP x", 14, "'x' does not say who moves"),
    ("  pppp/4/4/PPPP W", 16, "'W' does not say who moves"),
    ("pppp/4/4/PPPP wb", 14, "'wb' does not say who moves"),
    ("pppp/4/4/PPPP w KQkq", 16, "'KQkq' is not part of a position"),
    ("pppp/4/4/PPPP w 0 1 x2", 20, "'x2' is not part of a position"),
    ("pppp/4/4/PPqP w", 11, "'q' cannot stand on a board"),
    ("pppp/4/4é/PPPP w", 8, "'é' cannot stand on a board"),
    ("éppp/4/4/PPPP w", 0, "'é' cannot stand on a board"),
    ("pppp/4/4/PPPP é", 14, "'é' does not say who moves"),
    ("pppp/4/4/PPPP w é", 16, "'é' is not part of a position"),
    ("pppp/4/0/PPPP w", 7, "'0' cannot stand on a board"),
    ("pppp/9/4/PPPP w", 5, "'9' cannot stand on a board"),
    ("ppppppppp/8/8/PPPPPPPP w", 8, "rank 4 has more than 8 squares"),
    ("pppppppp/8/71p/PPPPPPPP w", 13, "rank 2 has more than 8 squares"),
    ("pppppppp/88/8/PPPPPPPP w", 10, "rank 3 has more than 8 squares"),
    ("pppp/5/4/PPPP w", 5, "rank 3 has 5 squares, the rank above it 4"),
    ("pppp/4/4/PPP w", 9, "rank 1 has 3 squares, the rank above it 4"),
    ("pppp//4/PPPP w", 5, "rank 3 has 0 squares, the rank above it 4"),
    ("pppp/4/4/PPPP/ w", 14, "rank 1 has 0 squares"),
    ("pppp/4/4/4/4/4/4/4/PPPP w", 0, "there are 9 ranks; boards have 4 to 8"),
    ("pppp/4/PPPP w", 0, "the board has 4×3 squares; expected 4×4 to 8×8"),
    ("ppp/3/3/PPP w", 0, "the board has 3×4 squares; expected 4×4 to 8×8"),
    ("/// w", 0, "the board has 0×4 squares"),
    ("pppp/pppp/pPPP/PPPP w", 0, "Black has 9 men; a side has at most 8"),
    ("pppp/pPPP/PPPP/1PPP w", 0, "White has 10 men; a side has at most 8"),
    (" pppp/4/4/4 w", 1, "White has no man left"),
    ("4/4/4/PPPP b", 0, "Black has no man left"),
    ("P1pp/4/4/PPPP w", 0, "White has a man on its goal rank already"),
    ("pppp/4/4/PPPp b", 12, "Black has a man on its goal rank already"),
    ("pppp/4/4/2pP w", 10, "Black has a man on its goal rank already"),
    ("  1pP1/4/4/PPPP b", 4, "White has a man on its goal rank already"),
];

#[test]
fn errors_say_what_is_wrong_and_where() {
    for &(text, offset, part) in NOT_POSITIONS {
        let error = General::parse(text).expect_err(text);
        assert!(error.reason.contains(part), "'{text}': {}", error.reason);
        assert_eq!(error.offset, offset, "'{text}': {}", error.reason);
        assert_eq!((INFO.open)(text).err(), Some(error), "'{text}'");
    }
    let other_size = Position::<Standard>::parse("pppp/4/4/PPPP w").unwrap_err();
    assert_eq!(other_size.reason, "the board has another size than 8×8");
}

#[test]
fn what_other_programs_write_behind_a_position_is_tolerated() {
    let text = "pppp/4/4/PPPP b";
    for more in ["", " ", " 0 1", " - - 0 1", "\t-", " 12"] {
        assert_eq!(General::parse(&format!("  {text}{more}")).unwrap().to_string(), text, "'{more}'");
    }
    assert_eq!(General::parse("1111/p3/2P1/4 w").unwrap().to_string(), "4/p3/2P1/4 w");
}

#[test]
fn starts_exist_from_4x4_to_8x8() {
    for (columns, rows) in (0..12).flat_map(|columns| (0..12).map(move |rows| (columns, rows))) {
        let exists = sizes().any(|size| size == (columns, rows));
        let text = start(columns, rows, Side::White);
        assert_eq!(text.is_some(), exists, "{columns}x{rows}");
        assert!(text.is_none_or(|text| General::parse(&text).is_ok()), "{columns}x{rows}");
    }
}

#[test]
fn moves_read_in_two_spellings_and_errors_name_an_example() {
    let position = General::parse("4/p3/1P2/4 w").unwrap();
    assert_eq!(position.parse_move("b2xa3"), position.parse_move("b2a3"));
    assert!(position.parse_move("b2a3").is_ok());
    for text in ["b2b4", "b2", "", "b2xxa3", "xb2a3", "b2a3x", "éx", "aéxb", "B2A3", " b2a3"] {
        let error = position.parse_move(text).expect_err(text).to_string();
        assert!(error.starts_with(&format!("'{text}' is not a move here; expected something like 'b2b3'")), "{error}");
    }
    let over = position.play(position.parse_move("b2a3").unwrap());
    assert!(over.parse_move("a3a4").unwrap_err().to_string().ends_with("the game is over"));
}

#[test]
fn boards_are_drawn_from_whites_side() {
    let position = General::parse("1p2/4/1P2/3P b").unwrap();
    let m = position.parse_move("b4c3").unwrap();
    let expected = " 4  . [p] .  .\n 3  .  . [.] .\n 2  .  P  .  .\n 1  .  .  .  P\n    a  b  c  d\n";
    assert_eq!(Game::draw(&position, Some(m)), expected);
}

proptest! {
    /// Whatever is typed, reading it ends in a value or an error, and a value prints as it can be read again.
    #[test]
    fn no_text_makes_reading_panic(text in any::<String>(), board in "[Pp1-9/wbx é-]{0,40}( [wbé-])?") {
        for text in [text, board] {
            let (general, opened) = (General::parse(&text), (INFO.open)(&text));
            prop_assert_eq!(general.is_ok(), opened.is_ok());
            if let Ok(position) = general {
                prop_assert_eq!(General::parse(&position.to_string()), Ok(position));
            }
        }
    }

    /// So for moves; and only moves of the list are ever read.
    #[test]
    fn no_text_makes_reading_a_move_panic(text in any::<String>(), near in "[a-e][1-5]x?é?[a-e][1-5]") {
        let position: General = start_of(5, 5, Side::Black);
        for text in [text, near] {
            if let Ok(m) = position.parse_move(&text) {
                prop_assert_eq!(position.print_move(m), text.replace('x', ""));
            }
        }
    }
}
