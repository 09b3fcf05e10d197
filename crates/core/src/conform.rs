//! The one test that every game has to pass: a checklist of what [`Game`] promises, run on real positions.
//!
//! | what | how |
//! | --- | --- |
//! | rules | perft numbers from another program |
//! | text | positions and moves read back as they were printed |
//! | features | the fast answer [`Game::select`] against the definition [`Game::has`]; examples show their feature; groups are what they should be |
//! | evaluation | keeps out of the range of forced results |
//! | search | against plain minimax, below; limits, determinism, interrupt |
//!
//! The minimax in here shares no code with the search but the types of depth and score: it knows
//! neither windows nor iterations nor move order, and asks [`Game::has`] what a move costs.
//!
//! *What is true of a transposition table.* It may answer with the result of a deeper search than was
//! asked for, so scores then differ from minimax, rightly. Equality holds to two plies: there only the
//! root's children are looked up, and nothing deeper was stored for them. Beyond that, forced results
//! within the nominal depth agree, and a longer win is a true one.
//!
//! This is a helper for tests: it reports by panicking, with the position in the message.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::feature::{Atom, Conjunction, Feature, Scheme};
use crate::game::{Game, Heuristic, Move, MoveList, MoveSet, perft};
use crate::random::Random;
use crate::search::control::{Classes, Control};
use crate::search::deepening::{End, Limit, Report, Root, Task, Workspace, search};
use crate::search::depth::{Depth, Weight};
use crate::search::notes::Notes;
use crate::search::proof::Prover;
use crate::search::score::Score;
use crate::search::settings::{Settings, Switches};

/// Random games that are played from each start.
const GAMES: u64 = 8;
/// No random game is longer.
const LONGEST_GAME: usize = 300;
/// How many of the positions of one start are searched; all others are checked without a search.
const SEARCHED: usize = 40;
/// To this depth the search is compared with minimax.
const DEEPEST: u32 = 3;
/// Minimax gives up after so many nodes; extensions make some trees large.
const BUDGET: u64 = 200_000;
/// What random schemes are made of.
const WEIGHTS: &[&str] = &["0", "0.25", "0.5", "0.75", "0.999", "1.25", "1.5", "2"];

/// Checks a game on positions from random play, starting with those given; with each of these come its
/// perft numbers, from depth 1 on.
///
/// # Panics
/// With the position and what is wrong, at the first thing that is.
pub fn conform<G: Game>(starts: &[(&str, &[u64])]) {
    assert!(!G::PRESETS.heuristics.is_empty(), "the game has no heuristic");
    check_vocabulary::<G>();
    let mut seen = HashSet::new();
    for &(text, counts) in starts {
        let start: G = read(text);
        for (depth, &count) in (1..).zip(counts) {
            assert_eq!(perft(&start, depth), count, "perft {depth} of {start}");
        }
        let mut random = Random::for_purpose(1, text);
        let positions = positions_from(&start, GAMES, &mut random);
        check_keys(&positions);
        let mut notes = Notes::default();
        notes.prepare();
        for position in &positions {
            check_text(position);
            check_moves(position);
            check_features(position, &mut random, &mut seen);
            check_evaluation(position, &mut notes);
        }
        let searched: Vec<_> = positions.iter().cloned().step_by(positions.len().div_ceil(SEARCHED)).collect();
        check_schemes_against_minimax(&searched, &mut random);
        for position in &searched {
            check_switches_against_minimax(position, &mut random);
        }
        check_limits(&searched, &mut random);
        check_determinism(&searched, &mut random);
        check_interrupt(&start);
    }
    check_groups::<G>(&seen);
}

/// Checks only the features of a game, on the positions of so many random games from each start. That takes
/// little time, so it can be done on many. Returns how many there were.
///
/// # Panics
/// With the position and what is wrong, at the first thing that is.
pub fn conform_features<G: Game>(starts: &[&str], games: u64) -> usize {
    check_vocabulary::<G>();
    let (mut seen, mut count) = (HashSet::new(), 0);
    for text in starts {
        let mut random = Random::for_purpose(1, text);
        for position in positions_from(&read::<G>(text), games, &mut random) {
            check_features(&position, &mut random, &mut seen);
            count += 1;
        }
    }
    check_groups::<G>(&seen);
    count
}

fn read<G: Game>(text: &str) -> G {
    G::parse(text).unwrap_or_else(|error| panic!("'{text}' cannot be read: at {}: {error}", error.offset))
}

/// Positions with a move to play, from random games.
fn positions_from<G: Game>(start: &G, games: u64, random: &mut Random) -> Vec<G> {
    let mut positions = Vec::new();
    for _ in 0..games {
        let mut position = start.clone();
        for _ in 0..LONGEST_GAME {
            let list = position.legal_moves();
            if list.is_empty() {
                break;
            }
            positions.push(position.clone());
            position = position.play(list[random.below(list.len())]);
        }
    }
    assert!(!positions.is_empty(), "no move can be played in {start}");
    positions
}

fn check_vocabulary<G: Game>() {
    let all = G::VOCABULARY;
    assert!(all.0.len() <= 64, "a conjunction holds 64 atoms, not {}", all.0.len());
    let mut names = HashSet::from(["Neutral"]);
    for atom in all.atoms() {
        let facts = all.facts(atom);
        let name = facts.name;
        assert!(names.insert(name), "two features are called {name}");
        assert!(
            !name.is_empty() && !name.contains(['-', ',', '@', '|', '(', ')', '*', ' ']),
            "'{name}' cannot be part of a scheme's text"
        );
        assert!(!facts.meaning.is_empty(), "{name} does not say what it means");
        let mut wider = facts;
        for _ in 0..all.0.len() {
            let Some(parent) = wider.parent else { break };
            let parent = all.find(parent).unwrap_or_else(|| panic!("{}'s parent {parent} does not exist", wider.name));
            wider = all.facts(parent);
            assert_eq!(wider.group, facts.group, "{name} and {} are not in one group", wider.name);
        }
        assert_eq!(wider.parent, None, "{name} is its own ancestor");
        check_example::<G>(atom);
    }
    let advice = G::GUIDANCE;
    for (text, reason) in advice.blacklist {
        let feature = all.parse(text).unwrap_or_else(|error| panic!("blacklist: {error}"));
        assert!(feature.len() > 1 && all.print(feature) == *text, "'{text}' is not a combination as it is printed");
        assert!(!reason.is_empty(), "the blacklist does not say what is wrong with {text}");
    }
    for (group, _) in advice.overlapping {
        assert!(all.0.iter().any(|facts| facts.group == *group), "there is no group {group}");
    }
    if let Err(error) = all.matching(advice.base.iter().copied()) {
        panic!("the Base set of learners: {error}");
    }
}

/// Two atoms of one group never hold together, unless one holds wherever the other does, or the game says that
/// the group overlaps. What moves have been seen with is given.
fn check_groups<G: Game>(seen: &HashSet<Conjunction>) {
    let all = G::VOCABULARY;
    for one in all.atoms() {
        for other in all.atoms().take_while(|&other| other != one) {
            let group = all.facts(one).group;
            if all.facts(other).group != group || G::GUIDANCE.overlapping.iter().any(|(name, _)| *name == group) {
                continue;
            }
            let [one, other] = [one, other].map(|atom| Conjunction::of([atom]));
            let is_seen = |has_one, has_other| {
                seen.iter().any(|of| one.is_within(*of) == has_one && other.is_within(*of) == has_other)
            };
            let overlap = is_seen(true, true) && is_seen(true, false) && is_seen(false, true);
            let (one, other) = (all.print(one), all.print(other));
            assert!(!overlap, "{other} and {one} are of one group, and moves have both, or either: declare that");
        }
    }
}

/// The last move of the example has the feature.
fn check_example<G: Game>(atom: Atom) {
    let facts = G::VOCABULARY.facts(atom);
    let (text, line) = facts.example;
    let mut position: G = read(text);
    let mut last_has = None;
    for word in line.split_whitespace() {
        let m = position.parse_move(word).unwrap_or_else(|error| panic!("example of {}: {error}", facts.name));
        last_has = Some(position.has(m, atom));
        position = position.play(m);
    }
    assert_eq!(last_has, Some(true), "the last move of the example of {} has it: {text} {line}", facts.name);
}

/// Positions with one key are one to the table: they must look alike from where it stands.
fn check_keys<G: Game>(positions: &[G]) {
    let mut known = HashMap::new();
    for position in positions {
        let values: Vec<_> = heuristics::<G>().map(|heuristic| position.evaluate(heuristic)).collect();
        let looks = (values, position.legal_moves().len());
        let (text, before) = known.entry(position.key()).or_insert((position.to_string(), looks.clone()));
        assert_eq!(*before, looks, "{text} and {position} have the same key");
    }
}

fn check_text<G: Game>(position: &G) {
    let text = position.to_string();
    let back: G = read(&text);
    assert_eq!(back.to_string(), text, "text reads back");
    assert_eq!(back.key(), position.key(), "the key of {text} depends on more than its text");
    assert_eq!(back.legal_moves(), position.legal_moves(), "the moves of {text} depend on more than its text");
    for heuristic in heuristics::<G>() {
        // Games may keep parts of their evaluation up to date from move to move.
        assert_eq!(back.evaluate(heuristic), position.evaluate(heuristic), "heuristic {heuristic} of {text}");
    }
    assert_ne!(Game::draw(position, None), "", "the board of {text} is drawn");
}

fn check_moves<G: Game>(position: &G) {
    let list = position.legal_moves();
    assert_eq!(list, position.legal_moves(), "the moves of {position} come in the same order");
    assert!(
        position.decided().is_some() || position.can_move() != list.is_empty(),
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
    check_loud_moves(position, &list);
    let can_recall = list.iter().any(|m| position.recall(m.code()).is_some());
    for code in 0..G::Move::CODES as u16 {
        let expected = list.iter().copied().find(|m| can_recall && m.code() == code);
        assert_eq!(position.recall(code), expected, "the move of {position} with code {code}");
    }
    let error = position.parse_move("no such move").expect_err("nonsense is not a move");
    assert_eq!(error.legal.len(), list.len(), "the error lists the legal moves of {position}");
}

/// The loud moves are those of the legal ones that say so.
fn check_loud_moves<G: Game>(position: &G, list: &[G::Move]) {
    let mut loud = MoveList::new();
    position.loud_moves(i32::MIN, &mut loud);
    assert!(G::LOUD || loud.is_empty(), "{position} has loud moves, but the game has none");
    for m in list {
        assert_eq!(
            loud.contains(m),
            position.is_loud(*m),
            "whether '{}' in {position} is loud",
            position.print_move(*m)
        );
    }
    assert!(loud.iter().all(|m| list.contains(m)), "a loud move of {position} is not legal");
    let mut both = loud.clone();
    position.quiet_moves(&mut both);
    assert_eq!(both.len(), list.len(), "loud and quiet moves of {position} are all moves");
    assert!(both.iter().all(|m| list.contains(m)), "a quiet move of {position} is not legal");
    assert!(both[loud.len()..].iter().all(|&m| !position.is_loud(m)), "a quiet move of {position} is loud");
    for &m in &loud {
        let mut at_least = MoveList::new();
        position.loud_moves(position.gain(m), &mut at_least);
        assert!(at_least.contains(&m), "'{}' wins what it wins in {position}", position.print_move(m));
        assert!(at_least.iter().all(|m| loud.contains(m)), "a loud move of {position} is not legal");
    }
}

/// The fast answer is the definition's, for atoms, conjunctions and costs. What each move has is added to `seen`.
fn check_features<G: Game>(position: &G, random: &mut Random, seen: &mut HashSet<Conjunction>) {
    let all = G::VOCABULARY;
    let list = position.legal_moves();
    let features_of = |&m| Conjunction::of(all.atoms().filter(|&atom| position.has(m, atom)));
    let defined: Vec<Conjunction> = list.iter().map(features_of).collect();
    for atom in all.atoms() {
        let facts = all.facts(atom);
        let set = position.select(atom);
        let wanted = Conjunction::of([atom]);
        let parent = Conjunction::of(facts.parent.and_then(|name| all.find(name)));
        for (&m, &features) in list.iter().zip(&defined) {
            let has = wanted.is_within(features);
            let name = || format!("{} of '{}' in {position}", facts.name, position.print_move(m));
            assert_eq!(set.contains(m), has, "select and has disagree on {}", name());
            assert!(parent.is_within(features) || !has, "the parent of {} does not hold", name());
        }
    }
    seen.extend(defined);
    let scheme = random_scheme::<G>(random);
    let control = Control::new(&scheme);
    let mut classes = Classes::default();
    control.classify(position, &mut classes);
    let every = position.all_moves();
    assert_eq!(every.is_empty(), list.is_empty(), "the set of all moves is wrong in {position}");
    for &m in &list {
        assert!(every.contains(m), "'{}' is not in the set of all moves of {position}", position.print_move(m));
        let (found, expected) = (control.cost(&classes, m).weight, cost_by_definition(position, m, &scheme));
        let scheme = all.print_scheme(&scheme);
        assert_eq!(found, expected, "the cost of '{}' in {position} by {scheme}", position.print_move(m));
    }
}

fn cost_by_definition<G: Game>(position: &G, m: G::Move, scheme: &Scheme) -> Weight {
    let all_of = |conjunction: Conjunction| conjunction.atoms().all(|atom| position.has(m, atom));
    let matches = |feature: &Feature| feature.alternatives().any(all_of);
    let weights = scheme.features().iter().filter(|(feature, _)| matches(feature)).map(|&(_, weight)| weight);
    weights.min().unwrap_or(Weight::ONE)
}

fn check_evaluation<G: Game>(position: &G, notes: &mut Notes) {
    for heuristic in heuristics::<G>() {
        let score = position.evaluate(heuristic);
        assert_eq!(score, position.evaluate_with(heuristic, notes), "notes change heuristic {heuristic} of {position}");
        assert!(forced(score).is_none(), "heuristic {heuristic} of {position} looks like a forced result: {score}");
        assert_eq!(score, position.evaluate(heuristic), "heuristic {heuristic} of {position} is a function");
    }
}

/// Random schemes, the classic search: score, depth and line are those of minimax.
fn check_schemes_against_minimax<G: Game>(positions: &[G], random: &mut Random) {
    let mut workspace = Workspace::default();
    let mut compared = 0;
    for position in positions {
        let scheme = random_scheme::<G>(random);
        let heuristic = random_heuristic::<G>(random);
        for depth in 1..=DEEPEST {
            let Some(expected) = deepened_minimax(position, &scheme, heuristic, depth) else { continue };
            let task = task(G::PRESETS.classic(heuristic), &scheme, Limit::depth(depth), random.next_seed());
            let report = search(position, &task, &mut workspace);
            let what = format!("{depth} plies, {}, of {position}", G::VOCABULARY.print_scheme(&scheme));
            assert_eq!((report.depth, report.score), expected, "(depth, score) to {what}");
            check_line(position, &report, heuristic);
            check_counts(&report, &what);
            compared += 1;
        }
    }
    assert!(compared >= positions.len(), "only {compared} searches were small enough to compare");
}

/// The neutral scheme, every choice of parts: the scores are those of minimax as far as the module says.
fn check_switches_against_minimax<G: Game>(position: &G, random: &mut Random) {
    let scheme = Scheme::neutral();
    let heuristic = random_heuristic::<G>(random);
    let mut workspace = Workspace::default();
    for depth in 1..=DEEPEST {
        let Some((_, expected)) = deepened_minimax(position, &scheme, heuristic, depth) else { break };
        for switches in every_switch() {
            let settings = Settings { switches, heuristic };
            let task = task(settings, &scheme, Limit::depth(depth), random.next_seed());
            let report = search(position, &task, &mut workspace);
            let what = format!("{depth} plies of {position}, {switches:?}");
            check_counts(&report, &what);
            if switches.table_mib == 0 {
                check_line(position, &report, heuristic);
            }
            if switches.table_mib == 0 || depth <= 2 {
                assert_eq!(report.score, expected, "score to {what}");
                continue;
            }
            let within_depth = |score: Score| (forced(score)? <= depth).then_some(score);
            assert_eq!(within_depth(report.score), within_depth(expected), "forced result to {what}");
            if let Some(plies) = report.score.win_in() {
                let proof = Prover::default().shortest_win(position, plies);
                assert!(proof.is_some(), "a win in {plies} that is none, to {what}");
            }
        }
    }
}

/// The line can be played, and the score is what its last position is worth.
fn check_line<G: Game>(position: &G, report: &Report<G::Move>, heuristic: Heuristic) {
    let mut end = position.clone();
    for &m in &report.line {
        assert!(end.legal_moves().contains(&m), "the line of {position} plays {m:?} in {end}, which is not legal");
        end = end.play(m);
    }
    let height = report.line.len() as u32;
    let stuck = end.legal_moves().is_empty().then(|| Score::of(end.stuck(), height));
    let drawn = (height > 0 && end.is_drawn()).then_some(Score::EVEN);
    let value = end.decided().map(|outcome| Score::of(outcome, height)).or(drawn).or(stuck);
    let sided = |value: Score| if height.is_multiple_of(2) { value } else { -value };
    // At the horizon nobody looks whether there are moves left.
    let at_horizon = sided(end.evaluate(heuristic)) == report.score;
    let right = at_horizon || value.is_some_and(|value| sided(value) == report.score);
    assert!(right, "the line of {position} ends in {end}, which is not worth {}", report.score);
}

/// The numbers of a report fit together.
fn check_counts<M>(report: &Report<M>, what: &str) {
    assert!(report.moves <= report.nodes, "moves are nodes: {what}");
    assert!(report.fired.iter().sum::<u64>() <= report.moves, "a move is decided by one feature: {what}");
    assert!(report.line.len() as u32 <= Limit::DEEPEST, "lines end: {what}");
    let proved = forced(report.score).is_some();
    assert_eq!(report.end == End::Proved, proved, "a proof is called so, and nothing else: {what}");
}

/// No search makes more nodes than it may, or stops short of them without a reason.
fn check_limits<G: Game>(positions: &[G], random: &mut Random) {
    let mut workspace = Workspace::default();
    for position in positions {
        let scheme = random_scheme::<G>(random);
        for settings in [G::PRESETS.classic(random_heuristic::<G>(random)), everything::<G>(random)] {
            for limit in [0, 1, 2, 17, 1000] {
                let task = task(settings, &scheme, Limit::nodes(limit), random.next_seed());
                let report = search(position, &task, &mut workspace);
                let what = format!("{limit} nodes of {position}, {settings:?}");
                assert!(report.nodes <= limit, "{} nodes, not {what}", report.nodes);
                assert!(report.end != End::Nodes || report.nodes == limit, "{} nodes, not {what}", report.nodes);
                assert_ne!(report.end, End::Interrupted, "nobody interrupted {what}");
            }
        }
    }
}

/// The same task gives the same report, whatever the workspace was used for in between.
fn check_determinism<G: Game>(positions: &[G], random: &mut Random) {
    let mut workspace = Workspace::default();
    for pair in positions.windows(2) {
        let schemes = [(); 2].map(|()| random_scheme::<G>(random));
        let others = [G::PRESETS.classic(Heuristic(0)), everything::<G>(random)];
        for settings in [G::PRESETS.classic(random_heuristic::<G>(random)), everything::<G>(random)] {
            let task = task(settings, &schemes[0], Limit::nodes(2000), random.next_seed());
            let first = search(&pair[0], &task, &mut Workspace::default());
            for other in others {
                let disturbance = Task { settings: other, scheme: &schemes[1], ..task.clone() };
                search(&pair[1], &disturbance, &mut workspace);
                let second = search(&pair[0], &task, &mut workspace);
                assert_eq!(first, second, "searching {} twice, {settings:?}", pair[0]);
            }
        }
    }
}

/// An interrupt that is up at once lets nothing happen; one that comes up later is noticed soon.
fn check_interrupt<G: Game>(start: &G) {
    let scheme = Scheme::neutral();
    for patience in [0, 1] {
        let questions = AtomicU32::new(0);
        let interrupt = || questions.fetch_add(1, Ordering::Relaxed) >= patience;
        let limit = Limit::nodes(10_000_000);
        let settings = G::PRESETS.classic(Heuristic(0));
        let task = Task { settings, scheme: &scheme, limit, seed: 1, interrupt: &interrupt, root: Root::default() };
        let report = search(start, &task, &mut Workspace::default());
        let most = u64::from(patience) * 100_000;
        assert!(report.nodes <= most, "{} nodes of {start} after an interrupt", report.nodes);
        let asked_twice = questions.load(Ordering::Relaxed) > patience;
        assert_eq!(report.end == End::Interrupted, asked_twice, "the interrupt ends the search of {start}");
    }
}

/// What iterative deepening must end with: the first depth with a forced result, or the last; and its score.
fn deepened_minimax<G: Game>(
    position: &G,
    scheme: &Scheme,
    heuristic: Heuristic,
    deepest: u32,
) -> Option<(u32, Score)> {
    let mut minimax = Minimax { scheme, heuristic, left: BUDGET };
    let mut depth = 1;
    loop {
        let score = minimax.score(position, Depth::plies(depth), 0)?;
        if depth == deepest || forced(score).is_some() {
            return Some((depth, score));
        }
        depth += 1;
    }
}

/// The search as its definition has it.
struct Minimax<'a> {
    scheme: &'a Scheme,
    heuristic: Heuristic,
    /// Nodes until it gives up.
    left: u64,
}

impl Minimax<'_> {
    fn score<G: Game>(&mut self, position: &G, depth: Depth, height: u32) -> Option<Score> {
        self.left = self.left.checked_sub(1)?;
        if let Some(outcome) = position.decided() {
            return Some(Score::of(outcome, height));
        }
        if height > 0 && position.is_drawn() {
            return Some(Score::EVEN);
        }
        if depth.is_spent() || height >= Limit::DEEPEST {
            return self.quiet_score(position, depth, height);
        }
        let mut best = None;
        for m in position.legal_moves() {
            let rest = depth.after(cost_by_definition(position, m, self.scheme));
            best = best.max(Some(-self.score(&position.play(m), rest, height + 1)?));
        }
        best.or(Some(Score::of(position.stuck(), height)))
    }

    /// The side to move may leave it at the evaluation, or play one of its loud moves.
    fn quiet_score<G: Game>(&mut self, position: &G, depth: Depth, height: u32) -> Option<Score> {
        let mut best = position.evaluate(self.heuristic);
        if height < Limit::DEEPEST {
            for m in position.legal_moves().into_iter().filter(|&m| position.is_loud(m)) {
                best = best.max(-self.score(&position.play(m), depth, height + 1)?);
            }
        }
        Some(best)
    }
}

/// In how many plies the game is won or lost by force.
fn forced(score: Score) -> Option<u32> {
    score.win_in().or((-score).win_in())
}

fn heuristics<G: Game>() -> impl Iterator<Item = Heuristic> {
    (0..G::PRESETS.heuristics.len() as u8).map(Heuristic)
}

fn random_heuristic<G: Game>(random: &mut Random) -> Heuristic {
    Heuristic(random.below(G::PRESETS.heuristics.len()) as u8)
}

/// One to three features, one in three of them with alternatives, of one to three atoms each.
fn random_scheme<G: Game>(random: &mut Random) -> Scheme {
    let all = G::VOCABULARY;
    let mut features = HashMap::new();
    for _ in 0..=random.below(3) {
        let alternatives = if random.below(3) == 0 { 2 + random.below(2) } else { 1 };
        let mut conjunction = |_| {
            let count = 1 + random.below(3);
            Conjunction::of((0..count).map(|_| Atom(random.below(all.0.len()) as u8)))
        };
        let feature = Feature::any_of((0..alternatives).map(&mut conjunction));
        features.insert(feature, WEIGHTS[random.below(WEIGHTS.len())]);
    }
    let mut parts: Vec<_> =
        features.iter().map(|(feature, weight)| format!("{}@{weight}", all.print_feature(feature))).collect();
    parts.sort();
    let text = parts.join(",");
    let scheme = all.parse_scheme(&text, Weight::HALF).unwrap_or_else(|error| panic!("'{text}': {error}"));
    assert_eq!(all.parse_scheme(&all.print_scheme(&scheme), Weight::ONE), Ok(scheme.clone()), "{text} reads back");
    scheme
}

/// Every choice of the parts that leave scores as they are.
fn every_switch() -> impl Iterator<Item = Switches> {
    (0..32).map(|bits: u32| {
        let on = |bit: u32| bits >> bit & 1 == 1;
        let table_mib = u32::from(on(1));
        Switches { null_window: on(0), table_mib, killers: on(2), history: on(3), aspiration: on(4), ..Switches::NONE }
    })
}

/// All parts on, with a table that is quickly made.
fn everything<G: Game>(random: &mut Random) -> Settings {
    let modern = G::PRESETS.modern(random_heuristic::<G>(random));
    Settings { switches: Switches { table_mib: 1, ..modern.switches }, ..modern }
}

fn task(settings: Settings, scheme: &Scheme, limit: Limit, seed: u64) -> Task<'_> {
    Task { settings, scheme, limit, seed, interrupt: &|| false, root: Root::default() }
}
