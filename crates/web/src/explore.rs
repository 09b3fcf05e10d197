//! The position explorer: two recorded searches of a position side by side, as trees whose nodes are fetched when they are
//! opened.
//!
//! Without a script every node is a link, and the page shows the way to one node of each tree. With it, nodes open in place.

mod tree;

use maud::{Markup, html};
use plysmith_core::games::{GAMES, GameInfo};
use plysmith_core::printable::printable;
use plysmith_runs::explain::{Comparison, Divergence, DivergenceKind, Iteration, Recording, position_at};
use plysmith_runs::view::thousands;

use crate::assets::EXPLORE;
use crate::charts::board::Board;
use crate::error::WebError;
use crate::explorations::{MOST_NODES, bundled, game_of};
use crate::form_parts;
use crate::layout::Page;
use crate::reply::Reply;
use crate::request::{Request, encode};
use crate::router::{Route, get, post};
use crate::shared::Shared;

/// The place of the navigation.
pub const PLACE: &str = "/explore";

/// The form, the searches, and their nodes.
pub const ROUTES: &[Route] = &[
    get("/explore", form),
    post("/explore", record),
    get("/explore/{searches}", show),
    get("/explore/{searches}/{side}/{node}", children),
    get("/suites/{game}/{suite}", suite),
];

fn form(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let fields = &request.query;
    let game = game_of(fields)?;
    let value = |name: &str, default: &str| fields.filled(name).unwrap_or(default).to_string();
    let text = |name: &str, title: &str, value: &str, hint: &str| form_parts::text(PLACE, name, title, value, hint);
    let content = html! {
        h1 { "Explore a search" }
        p { "Two searches of one position side by side: which moves features extend or reduce, and where the searches first differ." }
        (form_parts::games(PLACE, game))
        form method="post" action="/explore" {
            (shared.token_field())
            input type="hidden" name="game" value=(game.name);
            div.fields {
                div.field {
                    label for="explore-suite" { "Suite" }
                    select #explore-suite name="suite" {
                        @for suite in game.suites { option value=(suite.name) selected[fields.get("suite") == Some(suite.name)] { (suite.name) } }
                    }
                    p.hint { "Problems of " @for suite in game.suites { a href={ "/suites/" (game.name) "/" (encode(suite.name)) } { (suite.name) } " " } }
                }
                (text("problem", "Problem", &value("problem", first_problem(game)), "The id of a problem of the suite"))
                (text("position", "Or a position", &value("position", ""), "Takes the place of the problem; for chess a FEN"))
                (text("solution", "Its solution", &value("solution", ""), "A move that counts as right, if one is known"))
                (text("first", "First scheme", &value("first", "Neutral"), "Neutral is the search without features"))
                (text("second", "Second scheme", &value("second", usual_scheme(game)), "Features with weights, like AcK@0.5"))
                (text("preset", "Search settings", &value("preset", "classic"), "classic, modern, or either with changes"))
                (text("nodes", "Node limit", &value("nodes", "50000"), &format!("Of each search, at most {}", thousands(MOST_NODES))))
            }
            button.primary type="submit" { "Search" }
        }
        @let list = shared.explorations.list();
        @if !list.is_empty() {
            h2 { "Searches" }
            ul {
                @for (number, comparison) in list { li { a href={ "/explore/" (number) } { (title(&comparison)) } } }
            }
        }
    };
    Ok(Page::new("Explore a search", content).at(PLACE).reply())
}

fn first_problem(game: &GameInfo) -> &'static str {
    if game.name == "chess" { "c5-004" } else { "b7-001" }
}

fn usual_scheme(game: &GameInfo) -> &'static str {
    if game.name == "chess" { "AcK@0.5" } else { "Ud-RdTt@0.5" }
}

fn record(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let number = shared.explorations.record(&request.form)?;
    Ok(Reply::redirect(&format!("/explore/{number}")))
}

/// The problems of a bundled suite, each with a link to the explorer.
fn suite(_: &Shared, request: &Request) -> Result<Reply, WebError> {
    let game = GAMES.iter().find(|game| game.name == request.part("game"));
    let game = game.ok_or_else(|| WebError::not_found("there is no such game"))?;
    let suite = bundled(game, request.part("suite"))?;
    let name = request.part("suite");
    let content = html! {
        h1 { "Suite " (printable(name)) }
        p.facts { (game.name) " · " (suite.problems.len()) " problems" }
        div.scroll { table {
            thead { tr { th scope="col" { "problem" } th scope="col" { "position" } th scope="col" { "solution" } th.number scope="col" { "win in plies" } } }
            tbody { @for problem in &suite.problems {
                tr {
                    td { a href={ "/explore?game=" (game.name) "&suite=" (encode(name)) "&problem=" (encode(&problem.id)) } { (printable(&problem.id)) } }
                    td { code { (printable(&problem.position)) } }
                    td { (printable(&problem.best.join(" "))) }
                    td.number { @if let Some(plies) = problem.distance { (plies) } }
                }
            } }
        } }
    };
    Ok(Page::new(format!("Suite {name}"), content).at(PLACE).reply())
}

fn show(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let (number, comparison) = shared.explorations.find(request.part("searches"))?;
    let shown = Shown { number, comparison: &comparison, nodes: nodes_of(&comparison, request)?, request };
    if request.is_fragment() {
        return Ok(Reply::html(shown.markup()));
    }
    let content = html! {
        h1 { (title(&comparison)) }
        (shown.about())
        div #explorer data-searches=(number) { (shown.markup()) }
    };
    Ok(Page::new(title(&comparison), content).at(PLACE).script(EXPLORE).reply())
}

/// What is right below a node, for a page that shows the node already.
fn children(shared: &Shared, request: &Request) -> Result<Reply, WebError> {
    let (number, comparison) = shared.explorations.find(request.part("searches"))?;
    let missing = || WebError::not_found("there is no such node");
    let side = match request.part("side") {
        "a" => 0,
        "b" => 1,
        _ => return Err(missing()),
    };
    let node: usize = request.part("node").parse().map_err(|_| missing())?;
    let recording = &comparison.recordings[side];
    recording.tree.get(node).ok_or_else(missing)?;
    let link = |node: usize| format!("/explore/{number}?{}={node}", SIDES[side]);
    Ok(Reply::html(tree::children(recording, node, &[], &link)))
}

/// The names of the two searches in addresses.
const SIDES: [&str; 2] = ["a", "b"];

/// The node of each tree that is shown: those that the address names, or the roots of the deciding iteration.
fn nodes_of(comparison: &Comparison, request: &Request) -> Result<[Option<usize>; 2], WebError> {
    let mut nodes = [0, 1].map(|side| comparison.deciding_iteration(side).map(|iteration| iteration.root));
    for (side, node) in nodes.iter_mut().enumerate() {
        if let Some(text) = request.query.get(SIDES[side]) {
            let number = text.parse().ok().filter(|number| comparison.recordings[side].tree.get(*number).is_some());
            *node = Some(number.ok_or_else(|| WebError::not_found("there is no such node"))?);
        }
    }
    Ok(nodes)
}

fn title(comparison: &Comparison) -> String {
    let problem = &comparison.question.problem;
    let name = if problem.id.is_empty() { &problem.position } else { &problem.id };
    let [first, second] = comparison.recordings.each_ref().map(|recording| printable(&recording.name));
    format!("{}: {first} and {second}", printable(name))
}

/// Two searches at one node each.
struct Shown<'a> {
    number: u64,
    comparison: &'a Comparison,
    nodes: [Option<usize>; 2],
    request: &'a Request,
}

impl Shown<'_> {
    /// The address of this page with other nodes.
    fn link(&self, nodes: [Option<usize>; 2]) -> String {
        let named = SIDES.iter().zip(nodes).filter_map(|(side, node)| Some(format!("{side}={}", node?)));
        let flip = self.request.query.get("flip").map(|_| "flip=1".to_string());
        format!("/explore/{}?{}", self.number, named.chain(flip).collect::<Vec<_>>().join("&"))
    }

    fn with(&self, side: usize, node: usize) -> String {
        let mut nodes = self.nodes;
        nodes[side] = Some(node);
        self.link(nodes)
    }

    /// What was searched, and what is to be seen.
    fn about(&self) -> Markup {
        let question = &self.comparison.question;
        let settings = question.game.print_settings(&question.settings);
        html! {
            p.facts {
                (question.game.name) " · " code { (printable(&question.problem.position)) } " · "
                (printable(&settings)) " · " (thousands(question.limit.nodes)) " nodes · seed " (question.seed)
            }
            div.summary { @for sentence in self.comparison.summary() { p { (printable(&sentence)) } } }
        }
    }

    fn markup(&self) -> Markup {
        html! {
            nav.row aria-label="Searches" {
                @if let Some(Divergence { nodes, .. }) = &self.comparison.divergence {
                    a.button.primary #to-divergence data-nodes href=(self.link([0, 1].map(|side| nodes[side].or(self.nodes[side])))) { "Jump to the first divergence" }
                }
                @let roots = [0, 1].map(|side| self.comparison.deciding_iteration(side).map(|iteration| iteration.root));
                a.button data-nodes href=(self.link(roots)) { "Deciding iteration" }
                @let flipped = self.request.query.get("flip").is_some();
                @let flip = if flipped { self.link(self.nodes).replace("&flip=1", "") } else { format!("{}&flip=1", self.link(self.nodes)) };
                a.button data-nodes href=(flip) { "Flip" }
            }
            div.searches { @for side in [0, 1] { (self.search(side)) } }
        }
    }

    /// One of the searches.
    fn search(&self, side: usize) -> Markup {
        let recording = &self.comparison.recordings[side];
        let node = self.nodes[side];
        let path = node.map_or(Vec::new(), |node| recording.tree.path(node));
        let link = |node: usize| self.with(side, node);
        html! {
            section aria-label=(printable(&recording.name)) {
                h2 { (printable(&recording.name)) }
                @if let Some(node) = node {
                    (self.board(recording, node))
                    (tree::facts(recording, node, self.is_divergence(side, node)))
                }
                (self.iterations(side, recording))
                h3 { "Tree" }
                div.scroll { ul.tree data-side=(SIDES[side]) { (tree::roots(recording, &path, &link)) } }
                @if let Some(least) = recording.tree.dropped_below() {
                    p.hint { (thousands(recording.tree.len() as u64)) " nodes are kept; what is below nodes with fewer than " (thousands(least)) " nodes is only counted." }
                }
            }
        }
    }

    fn is_divergence(&self, side: usize, node: usize) -> Option<DivergenceKind> {
        let divergence = self.comparison.divergence.as_ref()?;
        (divergence.nodes[side] == Some(node)).then_some(divergence.kind)
    }

    fn board(&self, recording: &Recording, node: usize) -> Markup {
        let question = &self.comparison.question;
        let position = position_at(question.game, &question.problem.position, recording, node).ok().flatten();
        let last = recording.tree.path(node).into_iter().rev().find_map(|node| recording.tree.move_to(node));
        let is_flipped = self.request.query.get("flip").is_some();
        html! {
            @if let Some(text) = position.map(|position| position.text()) {
                @let board = Board { position: &text, last_move: last, is_flipped };
                @match board.markup() { Some(board) => (board), None => pre { (printable(&text)) } }
                p.hint { code { (printable(&text)) } }
            } @else { p.quiet { "A side passed here, to test null-move pruning: no position of the game." } }
        }
    }

    /// What each iteration found; the moves of its line lead to their nodes.
    fn iterations(&self, side: usize, recording: &Recording) -> Markup {
        let deciding = self.comparison.deciding[side];
        html! {
            div.scroll { table.iterations {
                thead { tr { th.number scope="col" { "iteration" } th scope="col" { "best line" } th.number scope="col" { "score" } th.number scope="col" { "nodes" } } }
                tbody { @for (place, iteration) in recording.iterations.iter().enumerate() {
                    tr.deciding[deciding == Some(place)] {
                        td.number { a data-nodes href=(self.with(side, iteration.root)) { (iteration.depth) } @if !iteration.is_complete { "…" } }
                        td { (self.line(side, iteration)) }
                        td.number { (iteration.score()) @if iteration.is_right == Some(true) { " ✓" } }
                        td.number { (thousands(iteration.nodes)) }
                    }
                } }
            } }
        }
    }

    fn line(&self, side: usize, iteration: &Iteration) -> Markup {
        html! {
            @for step in &iteration.line {
                @let class = tree::change_class(step.cost_units.unwrap_or(1000), step.is_quiescence);
                @let marked = printable(&step.marked()).into_owned();
                @match step.node {
                    Some(node) => a data-nodes class=(class) href=(self.with(side, node)) { (marked) },
                    None => span { (marked) },
                } " "
            }
        }
    }
}
