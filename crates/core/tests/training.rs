//! Training games: repeatable, legal, and with the positions that a fit may use.

use plysmith_core::game::Game;
use plysmith_core::games::breakthrough::{self, AnySize};
use plysmith_core::games::chess;
use plysmith_core::search::Workspace;
use plysmith_core::training::{TrainingGame, TrainingPlan, TrainingRules, fair_opening, play, replay};
use plysmith_core::{Outcome, Score};

type Small = breakthrough::Position<AnySize>;

fn small() -> Small {
    Game::parse("ppppp/ppppp/5/5/PPPPP/PPPPP w").unwrap()
}

fn plan<G: Game>(rules: TrainingRules) -> TrainingPlan {
    TrainingPlan { settings: G::PRESETS.modern(), nodes: 60, seed: 3, rules }
}

fn games<G: Game>(start: &G, plan: &TrainingPlan, count: u64) -> Vec<TrainingGame> {
    let mut workspace = Workspace::default();
    (0..count).map(|number| play(start, plan, number, &mut workspace, &|| false).unwrap()).collect()
}

#[test]
fn a_game_is_its_plan_and_its_number() {
    let (start, plan) = (small(), plan::<Small>(TrainingRules::PATTERNS));
    let all = games(&start, &plan, 8);
    let alone = play(&start, &plan, 5, &mut Workspace::default(), &|| false).unwrap();
    assert_eq!(alone, all[5], "whatever was played before with the same memory");
    let other = games(&start, &TrainingPlan { seed: 4, ..plan }, 8);
    assert!(all.iter().zip(&other).all(|(one, two)| one != two));
    for game in &all {
        assert_eq!(game.to_string().parse::<TrainingGame>().unwrap(), *game);
        assert!((2..=9).contains(&game.opening.len()));
    }
}

#[test]
fn an_interrupt_ends_a_game() {
    let plan = TrainingPlan { nodes: 1_000_000, ..plan::<Small>(TrainingRules::PATTERNS) };
    assert!(play(&small(), &plan, 0, &mut Workspace::default(), &|| true).is_err());
    assert!(fair_opening(&small(), &plan, 0, &mut Workspace::default(), &|| true).is_err());
}

/// All moves of a game and of its branches are positions to fit to, and the last score is the result.
#[test]
fn positions_come_with_the_result_of_the_side_to_move() {
    let (start, plan) = (small(), plan::<Small>(TrainingRules::PATTERNS));
    let mut branches_in_all = 0;
    for game in games(&start, &plan, 12) {
        let (mut played, mut tried) = (Vec::new(), 0);
        replay(&start, &game, &plan.rules, &mut |position, sample| match sample.result {
            Some(result) => {
                assert_eq!(result.for_white(position.white_to_move()), game.result);
                played.push(sample.score);
            }
            None => tried += 1,
        })
        .unwrap();
        assert_eq!(played, game.plies.iter().map(|ply| ply.score).collect::<Vec<Score>>());
        assert_eq!(tried, game.plies.iter().filter(|ply| ply.branch.is_some()).count());
        // Branches are other moves, at every second ply.
        for (index, ply) in game.plies.iter().enumerate() {
            assert!(ply.branch.as_ref().is_none_or(|branch| index % 2 == 0 && branch.m != ply.m));
        }
        let before_the_last = &game.plies[..game.plies.len() - 1];
        assert!(before_the_last.iter().all(|ply| !ply.score.is_forced()), "a forced result ends a game");
        branches_in_all += tried;
    }
    assert!(branches_in_all > 20, "{branches_in_all}");
}

#[test]
fn openings_are_those_of_the_games() {
    let (start, plan) = (small(), plan::<Small>(TrainingRules::PATTERNS));
    for (number, game) in (0..).zip(games(&start, &plan, 4)) {
        let opening = fair_opening(&start, &plan, number, &mut Workspace::default(), &|| false).unwrap();
        assert_eq!(opening, game.opening);
    }
}

/// A board on which every opening is decided still gives games.
#[test]
fn a_board_without_fair_openings_gives_games_from_its_start() {
    let start: Small = Game::parse("p3/4/3P/4 w").unwrap();
    let plan = plan::<Small>(TrainingRules { least_plies: 1, ..TrainingRules::PATTERNS });
    let game = play(&start, &plan, 0, &mut Workspace::default(), &|| false).unwrap();
    assert!(game.opening.is_empty());
    assert_eq!((game.plies.len(), game.result), (1, Outcome::Win));
}

#[test]
fn chess_positions_are_quiet_and_its_openings_fair() {
    let start = chess::Position::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").unwrap();
    let rules = chess::INFO.training;
    let plan = plan::<chess::Position>(rules);
    let mut count = 0;
    for game in games(&start, &plan, 4) {
        assert!((8..=9).contains(&game.opening.len()));
        assert!(game.plies[0].score.units().abs() <= rules.fair.unwrap());
        replay(&start, &game, &rules, &mut |position, sample| {
            assert!(!position.in_check() && !position.legal_moves().is_empty());
            assert!(sample.score.units().abs() < rules.quiet.unwrap().decisive);
            count += 1;
        })
        .unwrap();
    }
    assert!(count > 20, "{count}");
}

#[test]
fn a_move_that_is_not_one_is_named() {
    let game: TrainingGame = "1-0 a2a3 : a2a3 3".parse().unwrap();
    let error = replay(&small(), &game, &TrainingRules::PATTERNS, &mut |_, _| ()).unwrap_err().to_string();
    assert!(error.starts_with("ply 2 of a training game: 'a2a3' is not a move here"), "{error}");
}
