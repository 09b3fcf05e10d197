//! A recorded search is the search itself: the same report, and a tree in which every node of it is counted.

use plysmith_core::depth::Weight;
use plysmith_core::feature::Scheme;
use plysmith_core::games::{self, AnyPosition, GameInfo};
use plysmith_core::search::{Limit, Reason, Report, Root, SearchTree, Step, Task, TreeBound, Workspace};
use plysmith_core::settings::Settings;

/// Everything is kept.
const ALL: usize = usize::MAX;

struct Recorded {
    report: Report<String>,
    iterations: Vec<Report<String>>,
    tree: SearchTree,
}

/// Searches a position with and without recording, and compares all reports.
fn record(position: &dyn AnyPosition, settings: Settings, scheme: &Scheme, limit: Limit, most: usize) -> Recorded {
    let task = Task { settings, scheme, limit, seed: 7, interrupt: &|| false, root: Root::default() };
    let (mut plain, mut iterations) = (Vec::new(), Vec::new());
    let expected = position.search_observed(&task, &mut Workspace::default(), &mut |report| plain.push(report));
    let mut observe = |report| iterations.push(report);
    let (report, tree) = position.search_recorded(&task, &mut Workspace::default(), most, &mut observe);
    assert_eq!((&report, &iterations), (&expected, &plain), "{} {settings:?}", position.text());
    Recorded { report, iterations, tree }
}

/// Games with presets and schemes that use every kind of control.
fn cases() -> Vec<(&'static GameInfo, &'static str, &'static str)> {
    let chess = games::find("chess").unwrap();
    let breakthrough = games::find("breakthrough").unwrap();
    let everything = "modern,razoring,limited-razoring,verification,multi-cut,singular,quiescence-checks,erps,\
                      VerificationMinDepth=3000,LimitedRazorMargin=100,SingularMinDepth=3000,MultiCutMinDepth=3000";
    vec![
        (chess, "classic", "Neutral"),
        (chess, "classic", "AcK@0.5,Rc@0.75"),
        (chess, "classic", "AcK@1.5,late-quiet@+0.5"),
        (chess, "modern", "AcK@0.5"),
        (chess, everything, "AcK@0.5,Rc@40%,Other@2%"),
        (breakthrough, "classic", "Ud-PP@0.5,C@0.75"),
        (breakthrough, "modern", "=Ud@5%,C-Ud@31%,Other@2%"),
        (breakthrough, everything, "cut-late-quiet@+0.5,Ud@0.5"),
    ]
}

fn parsed(game: &GameInfo, preset: &str, scheme: &str) -> (Settings, Scheme) {
    let settings = game.parse_settings(preset).unwrap();
    (settings, game.vocabulary.parse_scheme(scheme, Weight::HALF).unwrap())
}

#[test]
fn recording_changes_no_report_and_counts_every_node() {
    for (game, preset, scheme) in cases() {
        let (settings, scheme) = parsed(game, preset, scheme);
        for (number, text) in game.bench.iter().enumerate() {
            let position = game.parse_position(text).unwrap();
            let limit = if number % 2 == 0 { Limit::nodes(6_000 + number as u64) } else { Limit::depth(3) };
            let limit = Limit { nodes: limit.nodes.min(30_000), ..limit };
            let Recorded { report, tree, .. } = record(&*position, settings, &scheme, limit, ALL);
            assert_eq!(tree.dropped_below(), None);
            assert_eq!(tree.roots().map(|root| tree.get(root).unwrap().nodes).sum::<u64>(), report.nodes, "{text}");
            for place in 0..tree.len() {
                check_node(&tree, place);
            }
        }
    }
}

/// What holds for every node of a tree of which nothing was dropped.
fn check_node(tree: &SearchTree, place: usize) {
    let node = tree.get(place).unwrap();
    let children: Vec<_> = tree.children(place).collect();
    assert!(children.iter().all(|child| tree.get(*child).unwrap().parent == Some(place)));
    let below: u64 = children.iter().map(|child| tree.get(*child).unwrap().nodes).sum();
    let itself = u64::from(!node.step.is_again() && !node.reason.is_skip());
    assert_eq!(below + itself, node.nodes, "{node:?}");
    let is_named = tree.move_to(place).is_some();
    assert_eq!(is_named, node.step.is_move() || node.step == Step::MultiCut, "{node:?}");
    if let Some(parent) = node.parent.filter(|_| !node.reason.is_skip()) {
        assert_eq!(tree.get(parent).unwrap().depth.above(node.depth), node.cost, "{node:?}");
    }
    let window = node.root_window();
    match node.root_bound() {
        Some(TreeBound::AtLeast) => assert!(node.root_value() >= Some(window.beta)),
        Some(TreeBound::AtMost) => assert!(node.root_value() <= Some(window.alpha)),
        None => assert!(node.root_value().is_none_or(|value| window.alpha < value && value < window.beta)),
    }
    assert_eq!(node.value.is_none(), node.reason.is_skip() || node.reason == Reason::Stopped, "{node:?}");
    assert!(node.reason != Reason::Exact || node.root_bound().is_none(), "{node:?}");
}

/// The line of each iteration can be followed from its root, with the score of the report at the end.
#[test]
fn lines_can_be_followed_in_the_tree_even_where_most_of_it_is_dropped() {
    let least = 1 << 15;
    for (game, preset, scheme) in cases().into_iter().filter(|case| case.1 == "classic") {
        let (settings, scheme) = parsed(game, preset, scheme);
        let position = game.parse_position(game.bench[1]).unwrap();
        let all = record(&*position, settings, &scheme, Limit::nodes(400_000), ALL);
        let few = record(&*position, settings, &scheme, Limit::nodes(400_000), least);
        assert!(all.tree.len() > 300_000 && all.tree.dropped_below().is_none());
        assert!(few.tree.len() <= least && few.tree.dropped_below().is_some(), "{}", few.tree.len());
        let dropped = (0..few.tree.len()).filter(|place| few.tree.get(*place).unwrap().is_dropped).count();
        assert!(dropped > 100, "{dropped} nodes say that something below is not kept");
        for Recorded { iterations, tree, report } in [&all, &few] {
            let roots: Vec<_> = tree.roots().collect();
            assert_eq!(tree.get(roots[0]).unwrap().nodes, iterations[0].nodes);
            assert_eq!(roots.iter().map(|root| tree.get(*root).unwrap().nodes).sum::<u64>(), report.nodes);
            for (root, iteration) in roots.iter().zip(iterations) {
                let mut place = *root;
                for m in &iteration.line {
                    place = tree.child_by(place, m).unwrap_or_else(|| panic!("{m} of {:?}", iteration.line));
                }
                assert_eq!(tree.get(place).unwrap().root_value(), Some(iteration.score), "{:?}", iteration.line);
                assert_eq!(tree.path(place).len(), iteration.line.len() + 1);
            }
        }
    }
}

#[test]
fn moves_name_the_rules_that_decided_on_their_depth() {
    let chess = games::find("chess").unwrap();
    let position = chess.parse_position(chess.bench[2]).unwrap();
    for (text, rule, cost) in [("AcK@0.25,Rc@0.5", 0, 250), ("Rc@0.5,AcK@-0.75", 1, 250), ("AcK@1.75", 0, 1000)] {
        let (settings, scheme) = parsed(chess, "classic", text);
        let tree = record(&*position, settings, &scheme, Limit::nodes(20_000), ALL).tree;
        let fired: Vec<_> = (0..tree.len()).filter(|place| tree.rules(*place) == [rule]).collect();
        assert!(!fired.is_empty(), "{text}");
        for place in fired {
            let node = tree.get(place).unwrap();
            let expected = if node.step == Step::Reduced { 1750 } else { cost };
            assert_eq!(node.cost, expected, "{text}: {node:?}");
        }
    }
}

#[test]
fn every_reason_is_seen() {
    let mut seen = Vec::new();
    for (game, preset, scheme) in cases() {
        let (settings, scheme) = parsed(game, preset, scheme);
        for text in game.bench {
            let position = game.parse_position(text).unwrap();
            let tree = record(&*position, settings, &scheme, Limit::nodes(20_000), ALL).tree;
            for place in 0..tree.len() {
                let reason = tree.get(place).unwrap().reason.name();
                if !seen.contains(&reason) {
                    seen.push(reason);
                }
            }
        }
    }
    for reason in [
        Reason::Exact,
        Reason::Beta,
        Reason::Alpha,
        Reason::GameOver,
        Reason::Predicted,
        Reason::Draw,
        Reason::Evaluation,
        Reason::Quiescence,
        Reason::StandPat,
        Reason::Table,
        Reason::ReverseFutility,
        Reason::Razoring,
        Reason::LimitedRazoring,
        Reason::NullMove,
        Reason::MultiCut,
        Reason::SingularCut,
        Reason::Futility,
        Reason::LateMove,
        Reason::Exchange,
        Reason::Stopped,
    ] {
        assert!(seen.contains(&reason.name()), "{reason} never: {seen:?}");
    }
}
