//! Draws by repetition in the search, compared with a plain search that carries the whole game with it.

use plysmith_core::feature::Scheme;
use plysmith_core::game::{Game, MoveList};
use plysmith_core::games::chess::{Position, TUNED};
use plysmith_core::random::Random;
use plysmith_core::score::{Score, Window};
use plysmith_core::search::{Limit, Root, Task, Workspace, search};
use plysmith_core::settings::{Settings, Switches, Tunables};

/// Endings with few moves, in which lines repeat positions within a few plies, and the depth to search them to.
const POSITIONS: &[(&str, u32)] = &[
    ("8/1p6/1P1k4/3p4/3P4/1K6/8/8 b - - 0 1", 8),
    ("8/8/2k5/1p1p4/1P1P4/2K5/8/8 w - - 0 1", 8),
    ("8/8/8/1k6/3Pp3/4K3/8/8 w - - 0 1", 8),
    ("7k/8/6Q1/8/8/8/1q3PPP/6K1 w - - 0 1", 5),
    ("k7/8/1K6/8/8/8/7r/2R5 w - - 0 1", 6),
    ("6k1/6pp/8/8/8/8/q5PP/3Q3K b - - 0 1", 5),
    ("8/8/4k3/3b4/8/2K5/3B4/8 w - - 0 1", 5),
];

/// The search under test, without a table and without any pruning that is not exact.
fn settings(evasions: bool, null_window: bool) -> Settings {
    let switches =
        Switches { repetition: true, evasions, null_window, captures: true, quiescence: true, ..Switches::NONE };
    Settings { switches, tunables: Tunables::DEFAULT, heuristic: TUNED }
}

/// Alpha-beta without any memory but the game. `game` has the keys of every position from the start of the game to the
/// one before this; those from `root` on were reached in the search.
struct Plain {
    evasions: bool,
    root: usize,
}

impl Plain {
    fn value(&self, position: &Position, game: &mut Vec<u64>, depth: u32, height: u32, window: Window) -> Score {
        if let Some(outcome) = position.terminal_result() {
            return Score::of(outcome, height);
        }
        if height > 0 && (position.is_drawn() || self.repeats(position.key(), game)) {
            return Score::EVEN;
        }
        // Without depth only captures are searched, or with the switch all evasions of a check.
        let stands_pat = depth == 0 && !(self.evasions && position.in_check());
        let mut moves = MoveList::new();
        if stands_pat {
            position.tactical_moves(i32::MIN, &mut moves);
        } else {
            position.moves(&mut moves);
        }
        if !stands_pat && moves.is_empty() {
            return Score::of(position.no_moves_result(), height);
        }
        let mut best = if stands_pat { position.evaluate(TUNED) } else { Score::LOWEST };
        let mut window = window;
        game.push(position.key());
        for &m in &moves {
            window.alpha = window.alpha.max(best);
            if best >= window.beta {
                break;
            }
            let next = position.play(m);
            best = best.max(-self.value(&next, game, depth.saturating_sub(1), height + 1, window.flipped()));
        }
        game.pop();
        best
    }

    /// Whether the position was on the board once in the search, or twice before it.
    fn repeats(&self, key: u64, game: &[u64]) -> bool {
        let (before, searched) = game.split_at(self.root);
        searched.contains(&key) || before.iter().filter(|&&k| k == key).count() >= 2
    }
}

#[test]
fn repetitions_are_those_of_the_current_line() {
    let mut random = Random::new(11);
    let mut changed = 0;
    for &(text, depth) in POSITIONS {
        for plies in [0, 4, 5, 8] {
            let (position, past) = wander(Position::parse(text).unwrap(), plies, &mut random);
            for evasions in [false, true] {
                let plain = Plain { evasions, root: past.len() };
                for m in position.legal_moves().iter() {
                    let mut game = past.clone();
                    game.push(position.key());
                    let expected = -plain.value(&position.play(*m), &mut game, depth - 1, 1, Window::FULL);
                    let only = [position.print_move(*m)];
                    let found = score(&position, &past, &only, depth, settings(evasions, true));
                    assert_eq!(found, expected, "{depth} plies of {only:?} in {position}, evasions {evasions}");
                    let without = Switches { repetition: false, ..settings(evasions, true).switches };
                    let settings = Settings { switches: without, ..settings(evasions, true) };
                    changed += u32::from(score(&position, &past, &only, depth, settings) != expected);
                }
            }
        }
    }
    assert!(changed > 10, "only {changed} searches depend on a repetition");
}

/// The position after some random quiet moves, and the keys of those before it.
fn wander(mut position: Position, plies: usize, random: &mut Random) -> (Position, Vec<u64>) {
    let mut past = Vec::new();
    for _ in 0..plies {
        let quiet: Vec<_> = position.legal_moves().iter().copied().filter(|&m| !position.is_tactical(m)).collect();
        let Some(&m) = quiet.get(random.below(quiet.len().max(1))) else { break };
        past.push(position.key());
        position = position.play(m);
    }
    (position, past)
}

fn score(position: &Position, past: &[u64], only: &[String], depth: u32, settings: Settings) -> Score {
    let scheme = Scheme::neutral();
    let root = Root { past, only, ..Root::default() };
    let task = Task { settings, scheme: &scheme, limit: Limit::depth(depth), seed: 5, interrupt: &|| false, root };
    search(position, &task, &mut Workspace::default()).score
}
