//! Properties of pairings: every game is legal and complete, counted once and in order, and equal on any number of
//! threads; openings are distinct and balanced; only proved wins are adjudicated.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use plysmith_core::games::{self, GameInfo, Start};
use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;
use plysmith_engine::arena::adjudication::Adjudication;
use plysmith_engine::arena::game::{GameEnd, GameJob, GameRecord};
use plysmith_engine::arena::openings::{Book, Opening, OpeningError, OpeningPlan};
use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::player::Participant;
use plysmith_engine::process::SpawnMode;
use plysmith_engine::uci::client::UciTimeouts;
use plysmith_learn::stats::outcomes::Outcomes;
use plysmith_runs::executor::Executor;
use plysmith_runs::memo::Memo;
use plysmith_runs::pairing::{Pairing, PlayedGame};
use plysmith_runs::tally::Tally;
use plysmith_store::{Home, Store};
use tempfile::TempDir;

/// A result cache in a store of its own.
struct Cache {
    _folder: TempDir,
    store: Store,
}

impl Cache {
    fn new() -> Cache {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
        Cache { _folder: folder, store }
    }

    /// How many of these games are stored.
    fn count(&self, games: &[PlayedGame]) -> usize {
        games.iter().filter(|played| self.store.result(&played.job.key()).unwrap().is_some()).count()
    }
}

fn game() -> &'static GameInfo {
    games::find("breakthrough").unwrap()
}

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

fn plan(size: (usize, usize), plies: u32) -> OpeningPlan {
    let start = (game().start)(&Start { size: Some(size), black_first: false }).unwrap();
    OpeningPlan { start, plies, seed: 5 }
}

fn openings(plan: &OpeningPlan, count: usize, workers: usize, interrupted: bool) -> Result<Vec<Opening>, OpeningError> {
    let mut book = Book::new(game(), plan)?;
    book.extend_to(count / 3, threads(workers), &|| interrupted)?;
    book.extend_to(count, threads(workers), &|| interrupted)?;
    Ok(book.openings().to_vec())
}

fn some_openings(count: usize) -> Vec<Opening> {
    openings(&plan((6, 6), 4), count, 2, false).unwrap()
}

fn pairing(a: &str, b: &str, adjudicate: bool) -> Pairing {
    let players = [a, b].map(|text| Participant::parse(game(), text).unwrap());
    Pairing {
        game: game(),
        players,
        move_limit: MoveLimit::Nodes(400),
        run: "run 1".to_string(),
        earlier: Vec::new(),
        spawn_mode: SpawnMode::Direct,
        timeouts: UciTimeouts::default(),
        seed: 9,
        adjudicate,
        rules: Adjudication::default(),
        details: false,
        traffic: None,
    }
}

fn play_all(pairing: &Pairing, openings: &[Opening], workers: usize, memo: Memo<'_>) -> (Vec<PlayedGame>, Tally) {
    let (mut games, mut tally) = (Vec::new(), Tally::default());
    let receive = |played: PlayedGame, _| {
        tally.add(&played);
        games.push(played);
        ControlFlow::Continue(())
    };
    let all = 0..2 * openings.len() as u64;
    let executor = Executor::local(memo, &|| false);
    pairing.run(&executor, openings, all, &mut pairing.game_players(threads(workers)).unwrap(), receive).unwrap();
    (games, tally)
}

/// Plays a record again by the rules and says who has won.
fn replay(job: &GameJob, record: &GameRecord) -> Option<Outcome> {
    let mut position = (game().open)(&job.position).unwrap();
    for ply in &record.plies {
        assert!(position.outcome().is_none(), "the game went on after its end");
        position = position.play(&ply.m).unwrap();
    }
    // Breakthrough knows only one way to end: the side to move has lost.
    position.outcome().map(|outcome| outcome.for_white(position.white_to_move()))
}

#[test]
fn games_are_legal_complete_and_counted_once() {
    let openings = some_openings(12);
    let (games, tally) = play_all(&pairing("classic+Ud-Rdt", "modern", false), &openings, 2, Memo::Disabled);
    assert_eq!(games.len(), 24);
    for (number, played) in games.iter().enumerate() {
        assert_eq!(played.number, number as u64);
        assert_eq!(played.job.position, openings[number / 2].position);
        assert_eq!(played.job.white == "modern", number % 2 == 1, "colours are swapped within a pair");
        assert_eq!(replay(&played.job, &played.record), Some(played.record.result));
        assert_eq!(played.record.end, GameEnd::Rules);
        assert!(played.record.plies.iter().all(|ply| ply.nodes <= 400));
    }
    assert_eq!(tally.games().games(), 24);
    assert_eq!(tally.pairs().total(), 12);
    let wins = games.iter().filter(|played| played.for_first() == Outcome::Win).count();
    assert_eq!(tally.games().wins, wins as u64);
    assert!(tally.is_even() && tally.frequencies()[0] > 0.0 && tally.frequencies()[0] < 1.0);
    assert_eq!(tally.pairs().mean(), tally.games().mean());
}

#[test]
fn threads_and_the_cache_make_no_difference() {
    let openings = some_openings(8);
    for (a, b) in [("classic+RdTt@0.25", "classic"), ("modern", "modern+Ud-PP@0.75")] {
        let pairing = pairing(a, b, false);
        let cache = Cache::new();
        let alone = play_all(&pairing, &openings, 1, Memo::Store(&cache.store));
        for workers in [2, 5] {
            assert_eq!(play_all(&pairing, &openings, workers, Memo::Disabled), alone);
        }
        assert_eq!(cache.count(&alone.0), 16);
        assert_eq!(play_all(&pairing, &openings, 2, Memo::Store(&cache.store)), alone);
        let executor = Executor::local(Memo::Store(&cache.store), &|| false);
        let mut players = pairing.game_players(threads(2)).unwrap();
        let mut are_new = false;
        let receive = |_, is_new| {
            are_new |= is_new;
            ControlFlow::Continue(())
        };
        pairing.run(&executor, &openings, 0..16, &mut players, receive).unwrap();
        let searched = players.iter().any(|players| !players.searching.is_zero() || players.first_asked.is_some());
        assert!(!searched && !are_new, "a stored game was played again");
    }
}

#[test]
fn a_pairing_ends_at_the_same_game_and_continues_where_it_was_interrupted() {
    let openings = some_openings(10);
    let pairing = pairing("classic", "classic+Ud", false);
    let (all, _) = play_all(&pairing, &openings, 2, Memo::Disabled);
    for workers in [1, 3] {
        let mut seen = Vec::new();
        let receive = |played: PlayedGame, _| {
            seen.push(played);
            if seen.len() == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut players = pairing.game_players(threads(workers)).unwrap();
        let executor = Executor::local(Memo::Disabled, &|| false);
        pairing.run(&executor, &openings, 0..20, &mut players, receive).unwrap();
        assert_eq!(seen, all[..7]);
    }
    let cache = Cache::new();
    let (mut rounds, mut stored) = (0, 0);
    loop {
        rounds += 1;
        let looks = AtomicUsize::new(0);
        let mut seen = Vec::new();
        let receive = |played: PlayedGame, _| {
            seen.push(played);
            ControlFlow::Continue(())
        };
        let interrupt = || looks.fetch_add(1, Ordering::Relaxed) > 150;
        let executor = Executor::local(Memo::Store(&cache.store), &interrupt);
        let mut players = pairing.game_players(threads(2)).unwrap();
        pairing.run(&executor, &openings, 0..20, &mut players, receive).unwrap();
        assert_eq!(seen, all[..seen.len()]);
        assert!(cache.count(&all) >= stored.max(seen.len()), "a finished game was lost");
        stored = cache.count(&all);
        if seen.len() == all.len() {
            break;
        }
    }
    assert!(rounds > 2, "it was interrupted {rounds} times only");
    assert_eq!(stored, all.len());
}

#[test]
fn adjudication_never_decides_what_is_not_proved() {
    let openings = some_openings(12);
    let (games, tally) = play_all(&pairing("classic", "modern+RdTt", true), &openings, 2, Memo::Disabled);
    let mut proved = 0;
    for played in games.iter().filter(|played| played.record.end == GameEnd::Proved) {
        proved += 1;
        let (last, before) = played.record.plies.split_last().unwrap();
        let mut position = (game().open)(&played.job.position).unwrap();
        for ply in before {
            position = position.play(&ply.m).unwrap();
        }
        let mover = Outcome::Win.for_white(position.white_to_move());
        let score = Score::from_units(last.score);
        match (score.win_in(), (-score).win_in()) {
            (Some(plies), _) => {
                assert_eq!(played.record.result, mover);
                assert!(position.shortest_win(plies).is_some(), "{} has no win in {plies}", position.text());
            }
            (_, Some(plies)) => {
                assert_ne!(played.record.result, mover);
                for m in position.moves() {
                    let next = position.play(&m).unwrap();
                    assert!(next.outcome().is_none() && next.shortest_win(plies).is_some(), "{m} does not lose");
                }
            }
            _ => panic!("adjudicated without a forced result: {last:?}"),
        }
    }
    assert!(proved > 6, "only {proved} games were adjudicated");
    assert_eq!(tally.adjudicated, proved);
}

#[test]
fn openings_are_distinct_legal_and_the_same_everywhere() {
    let alone = openings(&plan((8, 8), 4), 40, 1, false).unwrap();
    assert_eq!(openings(&plan((8, 8), 4), 40, 4, false).unwrap(), alone);
    assert_eq!(openings(&plan((8, 8), 4), 30, 2, false).unwrap(), alone[..30]);
    assert_eq!(alone.iter().map(|opening| &opening.position).collect::<HashSet<_>>().len(), 40);
    for opening in &alone {
        let mut position = (game().open)(&plan((8, 8), 4).start).unwrap();
        for m in &opening.moves {
            position = position.play(m).unwrap();
        }
        assert_eq!((position.text(), opening.moves.len()), (opening.position.clone(), 4));
        assert!(position.shortest_win(3).is_none());
    }
    // Without random plies there is only one place to begin.
    let one = openings(&plan((6, 6), 0), 2, 2, false);
    assert!(matches!(one, Err(OpeningError::TooFew { found: 1, wanted: 2, .. })), "{one:?}");
    let interrupted = openings(&plan((6, 6), 4), 2, 2, true);
    assert!(matches!(interrupted, Err(OpeningError::Interrupted)));
}
