//! Where two searches first differ: whatever the problem, what is said of it holds in both trees.

use plysmith_core::depth::Weight;
use plysmith_core::feature::Scheme;
use plysmith_core::games;
use plysmith_core::search::{Limit, TreeNode};
use plysmith_runs::explain::{Comparison, DivergenceKind, Question, position_at};
use plysmith_runs::services::Host;
use plysmith_runs::suites::bundled_suite;

/// Compares the searches of the first problems of the game's suite.
fn compare(game: &str, preset: &str, schemes: [&str; 2], nodes: u64, problems: usize) -> Vec<Comparison> {
    let game = games::find(game).unwrap();
    let settings = game.parse_settings(preset).unwrap();
    let parse = |text: &str| game.vocabulary.parse_scheme(text, Weight::HALF).unwrap();
    let schemes: [Scheme; 2] = schemes.map(parse);
    let suite = bundled_suite(game).unwrap();
    let question = |problem| Question {
        game,
        problem,
        suite: None,
        settings,
        limit: Limit::nodes(nodes),
        seed: 1,
        most_nodes: Question::MOST_NODES,
    };
    let problems = suite.problems.into_iter().take(problems);
    problems.map(|problem| question(problem).compare([&schemes[0], &schemes[1]], &Host::default()).unwrap()).collect()
}

fn node(comparison: &Comparison, side: usize, node: usize) -> &TreeNode {
    comparison.recordings[side].tree.get(node).unwrap()
}

/// Checks what is said about a divergence, and returns its kind.
fn check(comparison: &Comparison) -> Option<DivergenceKind> {
    let divergence = comparison.divergence.as_ref()?;
    let summary = comparison.summary().join(" ");
    assert!(divergence.line.iter().all(|step| summary.contains(&step.notation)), "{summary}");
    let depths = [0, 1].map(|side| comparison.deciding_iteration(side).unwrap().depth);
    for side in [0, 1] {
        let Some(place) = divergence.nodes[side] else { continue };
        let found = node(comparison, side, place);
        assert_eq!(found.height as usize, divergence.line.len());
        let tree = &comparison.recordings[side].tree;
        let moves: Vec<_> = tree.path(place).into_iter().filter_map(|place| tree.move_to(place)).collect();
        assert_eq!(moves, divergence.line.iter().map(|step| step.m.as_str()).collect::<Vec<_>>());
        let (game, text) = (comparison.question.game, &comparison.question.problem.position);
        let position = position_at(game, text, &comparison.recordings[side], place).unwrap().unwrap();
        let replayed = moves.iter().fold(game.parse_position(text).unwrap(), |position, m| position.play(m).unwrap());
        assert_eq!(position.text(), replayed.text());
    }
    match (divergence.kind, divergence.nodes) {
        (DivergenceKind::Depth, [Some(one), Some(other)]) => {
            let [one, other] = [node(comparison, 0, one), node(comparison, 1, other)];
            let used =
                [(one, depths[0]), (other, depths[1])].map(|(node, depth)| 1000 * depth as i32 - node.depth.units());
            assert!(used[0] != used[1] || one.depth.is_spent() || other.depth.is_spent(), "{summary}");
            // Above it, nothing differs but values.
            let parents = [one, other].map(|node| node.parent.unwrap());
            let above = [0, 1].map(|side| node(comparison, side, parents[side]).depth.units());
            assert_eq!(1000 * depths[0] as i32 - above[0], 1000 * depths[1] as i32 - above[1], "{summary}");
        }
        (DivergenceKind::Searched, nodes) => {
            let is_searched = |side: usize| nodes[side].is_some_and(|at| node(comparison, side, at).value.is_some());
            assert!(!is_searched(0) || !is_searched(1), "{summary}");
        }
        (DivergenceKind::Value, [Some(one), Some(other)]) => {
            assert_ne!(divergence.values[0], divergence.values[1], "{summary}");
            let heights = [node(comparison, 0, one), node(comparison, 1, other)].map(|node| node.height as usize);
            assert_eq!(heights, [divergence.line.len(); 2], "{summary}");
        }
        (kind, nodes) => panic!("{kind:?} with {nodes:?}"),
    }
    Some(divergence.kind)
}

#[test]
fn extended_moves_are_where_solved_and_unsolved_searches_first_differ() {
    let mut found = 0;
    for comparison in compare("chess", "classic", ["Neutral", "AcK@0.5"], 20_000, 40) {
        let kind = check(&comparison);
        let solved = comparison.recordings.each_ref().map(|recording| recording.solved_in().is_some());
        if solved == [false, true] {
            assert_eq!(comparison.decider, 1);
            // The searches differ only in the depth of checks, so that is where they first differ.
            assert_eq!(kind, Some(DivergenceKind::Depth), "{:?}", comparison.summary());
            let divergence = comparison.divergence.as_ref().unwrap();
            let fired = comparison.recordings[1].fired(divergence.nodes[1].unwrap());
            assert_eq!(fired[0].feature, "AcK", "{:?}", comparison.summary());
            found += 1;
        }
    }
    assert!(found > 5, "only {found} problems are solved by checks alone");
}

#[test]
fn divergences_hold_with_every_technique_on_and_the_sides_changed() {
    let everything = "modern,razoring,limited-razoring,verification,multi-cut,singular,quiescence-checks,erps";
    let mut kinds = Vec::new();
    for (game, preset, schemes) in [
        ("chess", "modern", ["Neutral", "AcK@0.5"]),
        ("chess", "modern", ["Neutral", "AcK@0.75"]),
        ("chess", everything, ["AcK@40%,Other@3%", "Rc@0.5"]),
        ("breakthrough", "classic", ["Ud-RdTt@0.5", "Neutral"]),
        ("breakthrough", "modern", ["cut-late-quiet@+0.5", "Ud@0.75"]),
    ] {
        for comparison in compare(game, preset, schemes, 4_000, 25) {
            kinds.extend(check(&comparison));
            // The other way round they differ at the same place.
            let [first, second] = comparison.recordings.each_ref().map(|recording| recording.scheme.clone());
            let turned = comparison.question.compare([&second, &first], &Host::default()).unwrap();
            let place = |comparison: &Comparison| comparison.divergence.as_ref().map(|at| (at.kind, at.line.clone()));
            let is_tied = [0, 1].map(|side| comparison.deciding_iteration(side).map(|found| found.score));
            if is_tied[0] != is_tied[1] {
                assert_eq!(place(&comparison), place(&turned), "{:?}", comparison.summary());
            }
        }
    }
    for kind in [DivergenceKind::Depth, DivergenceKind::Searched, DivergenceKind::Value] {
        assert!(kinds.contains(&kind), "{kind:?} never came up");
    }
}
