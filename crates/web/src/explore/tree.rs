//! A recorded tree as a list of lists: each node a line with its numbers, open along one path.

use maud::{Markup, html};
use plysmith_core::decimal::Thousandths;
use plysmith_core::printable::printable;
use plysmith_core::score::Score;
use plysmith_runs::explain::{DivergenceKind, NodeData, Recording, node_data};
use plysmith_runs::view::thousands;

/// The most nodes below one that are shown.
const MOST_CHILDREN: usize = 300;

/// The roots, open along a path.
pub fn roots(recording: &Recording, path: &[usize], link: &dyn Fn(usize) -> String) -> Markup {
    html! { @for root in recording.tree.roots().take(MOST_CHILDREN) { (item(recording, root, path, link)) } }
}

/// What is right below a node, open along a path.
pub fn children(recording: &Recording, node: usize, path: &[usize], link: &dyn Fn(usize) -> String) -> Markup {
    let count = recording.tree.children(node).count();
    let parent = recording.tree.get(node);
    html! {
        @for child in recording.tree.children(node).take(MOST_CHILDREN) { (item(recording, child, path, link)) }
        @if count > MOST_CHILDREN { li.hint { (count - MOST_CHILDREN) " more are not shown" } }
        @if parent.is_some_and(|parent| parent.is_dropped) { li.hint { "What is below was only counted." } }
        @if parent.is_some_and(|parent| parent.skips_quiet_moves) { li.hint { "Other quiet moves were skipped." } }
    }
}

/// A node, and what is below it if the path leads through it.
fn item(recording: &Recording, node: usize, path: &[usize], link: &dyn Fn(usize) -> String) -> Markup {
    let Some(data) = node_data(recording, node, 0) else { return html! {} };
    let is_open = path.contains(&node);
    let is_here = path.last() == Some(&node);
    let class = match data.m {
        Some(_) => change_class((data.cost * 1000.0).round() as i32, data.step == "quiescence"),
        None => "plain",
    };
    let has_more = data.children_count > 0;
    html! {
        li class=(if data.nodes == 0 { "skipped" } else { class }) {
            div.node.here[is_here] {
                a.open href=(link(node)) data-node=(node) aria-expanded=[has_more.then_some(if is_open { "true" } else { "false" })]
                    aria-current=[is_here.then_some("true")] { (name(recording, &data)) }
                (numbers(&data))
            }
            @if is_open && has_more { ul { (children(recording, node, path, link)) } }
        }
    }
}

/// The class of a move that costs this much.
pub fn change_class(cost: i32, is_quiescence: bool) -> &'static str {
    match cost {
        _ if is_quiescence => "plain",
        cost if cost < 1000 => "extended",
        1000 => "plain",
        _ => "reduced",
    }
}

fn name(recording: &Recording, data: &NodeData) -> String {
    let depth = || recording.tree.get(data.node).map_or(0, |node| node.depth.whole_plies());
    match &data.m {
        Some(m) => printable(m).into_owned(),
        None if data.step == "root" => format!("iteration {}", depth()),
        None => data.step.to_string(),
    }
}

/// What decided on the depth of a move, with what it cost.
fn cause(data: &NodeData) -> Option<String> {
    let features = data.features.iter().map(|rule| rule.feature.clone());
    let late = data.late_move.then(|| "late move".to_string());
    let singular = data.singular.then(|| "singular".to_string());
    let causes: Vec<String> = features.chain(late).chain(singular).collect();
    (!causes.is_empty()).then(|| format!("{} {}", causes.join("+"), plies(data.cost)))
}

fn plies(plies: f64) -> String {
    Thousandths((plies * 1000.0).round() as i64).to_string()
}

/// The value with its bound.
fn value(data: &NodeData) -> Option<String> {
    let bound = match data.bound {
        Some("lower") => "≥ ",
        Some(_) => "≤ ",
        None => "",
    };
    data.value.map(|value| format!("{bound}{}", Score::from_units(value)))
}

fn numbers(data: &NodeData) -> Markup {
    html! {
        @if let Some(cause) = cause(data) { span.cause { (printable(&cause)) } }
        @if let Some(value) = value(data) { span.value { (value) } }
        @if data.nodes > 0 {
            span.hint title="depth left, in plies" { (plies(data.depth)) }
            span.hint { (thousands(data.nodes)) @if data.nodes == 1 { " node" } @else { " nodes" } }
        }
        span.hint { (data.reason) @if !["full", "root"].contains(&data.step) && data.m.is_some() && data.nodes > 0 { ", " (data.step) } }
    }
}

/// Everything about the node that is shown.
pub fn facts(recording: &Recording, node: usize, divergence: Option<DivergenceKind>) -> Markup {
    let Some(data) = node_data(recording, node, 0) else { return html! {} };
    let end = |units: i32| match units {
        -32_001 => "−∞".to_string(),
        32_001 => "∞".to_string(),
        units => Score::from_units(units).to_string(),
    };
    html! {
        @if let Some(kind) = divergence {
            p.divergence role="status" { "Here the searches first differ: " (match kind {
                DivergenceKind::Depth => "in depth",
                DivergenceKind::Searched => "one of them does not search it to the end",
                DivergenceKind::Value => "in value",
            }) "." }
        }
        dl.facts {
            dt { "node" } dd { (name(recording, &data)) @if !["root", "full"].contains(&data.step) { " (" (data.step) ")" } }
            dt { "depth left" } dd { (plies(data.depth)) " plies" }
            @if data.m.is_some() { dt { "cost" } dd { (cause(&data).unwrap_or_else(|| plies(data.cost))) } }
            dt { "window" } dd { (end(data.alpha)) " to " (end(data.beta)) }
            dt { "value" } dd { (value(&data).unwrap_or_else(|| "–".to_string())) }
            dt { "nodes" } dd { (thousands(data.nodes)) }
            dt { "because" } dd { (data.reason) }
        }
    }
}
