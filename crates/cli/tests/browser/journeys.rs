//! What a person does with the dashboard, step by step. Each journey builds on the runs of those before it.

use crate::Site;
use crate::driver::{Browser, file_address};

/// A journey.
type Journey = fn(&Browser, &Site);

/// All journeys, in order.
pub const ALL: &[(&str, Journey)] = &[
    ("start a quick discovery", start_a_discovery),
    ("watch it finish", watch_it_finish),
    ("open the lattice", lattice),
    ("a run of another process appears", another_process),
    ("step through a game", game),
    ("stop and resume a match", stop_and_resume),
    ("compare two runs", compare),
    ("export a report and open it without a network", report),
    ("label and delete", label_and_delete),
    ("step to the first divergence", explore),
    ("play three moves", play),
    ("mistakes are explained", mistakes),
];

/// From the empty list, by the offered button, to the page of a run.
fn start_a_discovery(browser: &Browser, site: &Site) {
    browser.open(&format!("{}/", site.address));
    browser.wait_for_text("There are no runs yet");
    browser.screenshot("empty");
    browser.click(&browser.named("Start a quick discovery"));
    browser.click(&browser.named("More options"));
    browser.fill("#field-nodes", "300");
    browser.fill("#field-problems", "5");
    browser.fill("#field-base", "Ud,RdTt");
    browser.wait_for_text("plysmith discover breakthrough");
    browser.screenshot("form");
    browser.click(&browser.find("button.primary"));
    browser.until("no run was begun", || browser.address().ends_with("/runs/1").then_some(()));
}

/// The page of the run shows its end without being reloaded.
fn watch_it_finish(browser: &Browser, _: &Site) {
    browser.run("window.isSame = true");
    browser.wait_for_text("✓ finished");
    browser.wait_for("the result is not shown", "return document.querySelectorAll('#run-body table').length > 0");
    browser.wait_for("the page was reloaded", "return window.isSame === true");
    assert!(browser.page_text().contains("plysmith discover breakthrough"));
    browser.screenshot("discovery");
}

/// A feature of the lattice shows what it was made from, and what was made from it.
fn lattice(browser: &Browser, site: &Site) {
    browser.open(&format!("{}/runs/1", site.address));
    browser.find("figure[data-chart=lattice] [data-node]");
    browser.run(
        "document.querySelector('figure[data-chart=lattice] [data-node]')\
         .dispatchEvent(new MouseEvent('click', { bubbles: true }))",
    );
    browser.wait_for("the lattice shows no neighbours", "return !!document.querySelector('[data-node].near')");
    browser.screenshot("lattice");
}

/// The games of a finished match, move by move.
fn game(browser: &Browser, site: &Site) {
    site.plysmith(&["match", "--a", "classic+RdTt@0.5", "--b", "classic", "--games", "4", "--nodes", "100"]);
    browser.open(&format!("{}/runs/3", site.address));
    browser.screenshot("match");
    browser.click(&browser.find("#run-body a[href*='/games/']"));
    browser.wait_for_text("Game 1 of run 3");
    let board = "return document.querySelector('svg.board, figure svg').innerHTML";
    let before = browser.run(board);
    browser.click(&browser.find("[data-step=forward], [data-step=back]"));
    browser.until("the board does not change", || (browser.run(board) != before).then_some(()));
    browser.screenshot("game");
}

/// A run that is started in a terminal appears at once; what is ticked and where the page is scrolled stay.
fn another_process(browser: &Browser, site: &Site) {
    browser.open(&format!("{}/", site.address));
    browser.click(&browser.find("#run-1 input"));
    browser.run("window.isSame = true");
    site.plysmith(&["measure", "breakthrough", "RdTt@0.5", "--nodes", "200", "--problems", "3"]);
    browser.find("#run-2 .finished");
    browser.wait_for("the choice was lost", "return document.querySelector('#run-1 input').checked");
    browser.wait_for("the page was reloaded", "return window.isSame === true");
    browser.screenshot("runs");
}

/// A match is started, stopped on its page, and resumed there.
fn stop_and_resume(browser: &Browser, site: &Site) {
    browser.open(&format!(
        "{}/start/match?game=breakthrough&a=classic%2BRdTt%400.5&b=classic&games=20000&nodes=2000",
        site.address
    ));
    browser.click(&browser.find("button.primary"));
    browser.wait_for("the match has no page", "return location.pathname === '/runs/4'");
    browser.screenshot("match-running");
    browser.click(&browser.named("Stop"));
    browser.click(&browser.named("Resume"));
    browser.click(&browser.named("Stop"));
    browser.named("Resume");
    browser.wait_for_text("interrupted");
}

/// Two runs are ticked in the list and compared.
fn compare(browser: &Browser, site: &Site) {
    browser.open(&format!("{}/", site.address));
    browser.click(&browser.find("#run-1 input"));
    browser.wait_for("one run can be compared", "return document.querySelector('[data-needs=\"2\"]').disabled");
    browser.click(&browser.find("#run-2 input"));
    browser.click(&browser.named("Compare"));
    browser.wait_for_text("Runs 1, 2 compared");
    browser.wait_for_text("plysmith compare 1 2");
    browser.screenshot("compare");
}

/// A report is saved from the page of a run, and read from the disk with the network off.
fn report(browser: &Browser, site: &Site) {
    let folder = tempfile::tempdir().unwrap();
    let allowed = serde_json::json!({ "behavior": "allow", "downloadPath": folder.path() });
    browser.developer("Browser.setDownloadBehavior", &allowed);
    browser.open(&format!("{}/runs/1", site.address));
    browser.click(&browser.named("Save report"));
    let file = folder.path().join("plysmith-1.html");
    browser.until("no report was saved", || file.is_file().then_some(()));
    browser.go_offline(true);
    browser.open(&file_address(&file));
    browser.wait_for_text("Run 1: discover breakthrough");
    browser.wait_for("the report has no table", "return document.querySelectorAll('table').length > 0");
    browser.wait_for("the report has no chart", "return document.querySelectorAll('svg').length > 0");
    browser.screenshot("report");
    browser.go_offline(false);
}

/// A run gets a label, is found by it, and is deleted after a question.
fn label_and_delete(browser: &Browser, site: &Site) {
    browser.open(&format!("{}/runs/4", site.address));
    browser.click(&browser.named("Add a label"));
    browser.fill("input[name=label]", "<b>to be deleted</b>");
    browser.click(&browser.find("details.rename button"));
    browser.wait_for_text("Run 4: <b>to be deleted</b>");
    browser.open(&format!("{}/?text=to+be+deleted", site.address));
    browser.wait_for("not one run is found", "return document.querySelectorAll('tbody tr').length === 1");
    browser.click(&browser.find("#run-4 input"));
    browser.click(&browser.named("Delete…"));
    browser.wait_for_text("Delete 1 run?");
    browser.screenshot("delete");
    browser.click(&browser.named("Delete for good"));
    browser.wait_for("the run is still there", "return location.pathname === '/' && !document.querySelector('#run-4')");
}

/// A form that is filled in wrongly says what to write instead, and keeps what was written.
fn mistakes(browser: &Browser, site: &Site) {
    browser.open(&format!(
        "{}/start/measure?game=breakthrough&scheme=Nonsense%400.5&schemes=Nonsense%400.5",
        site.address
    ));
    browser.click(&browser.find("button.primary"));
    browser.find("p.error");
    assert!(browser.page_text().contains("Nonsense"), "{}", browser.page_text());
    browser.screenshot("mistake");
    browser.open(&format!("{}/runs/99", site.address));
    browser.wait_for_text("Not found");
    // The browser notes that these pages were not found, or were refused.
    let _ = browser.errors();
}

/// Two searches of a problem are recorded, a node is opened, and the first divergence is jumped to.
fn explore(browser: &Browser, site: &Site) {
    browser.open(&format!("{}/suites/chess/chess-mates-120", site.address));
    browser.click(&browser.named("c5-004"));
    browser.click(&browser.find("main form button.primary"));
    browser.wait_for_text("The searches first differ after 50.e8=Q Kb7 51.Qd7+");
    browser.screenshot("explorer");
    browser.run("window.isSame = true");
    browser.run("document.querySelector('.tree a[aria-expanded=\"false\"]').click()");
    browser.wait_for("the node was not opened", "return !!document.querySelector('.tree li > ul > li')");
    browser.click(&browser.find("#to-divergence"));
    browser.wait_for("no divergence", "return document.querySelectorAll('.divergence').length === 2");
    browser.wait_for("the page was loaded again", "return window.isSame === true");
    assert!(browser.address().contains("?a="), "{}", browser.address());
    assert!(!browser.all("li.extended .node.here").is_empty(), "the extended move is not marked");
    browser.screenshot("divergence");
}

/// A game is begun, and three moves are made on the board: by clicks, and one by dragging.
fn play(browser: &Browser, site: &Site) {
    browser.open(&format!("{}/play?game=breakthrough", site.address));
    browser.fill("#play-nodes", "300");
    browser.click(&browser.find("main form button.primary"));
    browser.wait_for_text("Your move.");
    browser.run("window.isSame = true");
    for turn in 0..3 {
        let is_dragged = turn == 2;
        browser.run(&format!(
            "const move = [...document.querySelectorAll('#move option')].map((o) => o.value).filter((v) => v)[{turn}];
             const rects = [...document.querySelectorAll('#board rect.light, #board rect.dark')];
             const at = (name) => rects[8 * (8 - Number(name[1])) + name.charCodeAt(0) - 97].getBoundingClientRect();
             const send = (type, name) => {{
               const box = at(name);
               const options = {{ bubbles: true, button: 0, clientX: box.left + 5, clientY: box.top + 5 }};
               document.querySelector('#board svg').dispatchEvent(new PointerEvent(type, options));
             }};
             const [from, to] = [move.slice(0, 2), move.slice(2, 4)];
             send('pointerdown', from);
             if (!{is_dragged}) {{ send('pointerup', from); send('pointerdown', to); }}
             send('pointerup', to);"
        ));
        let count = 2 * (turn + 1);
        browser.wait_for(
            "the move was not made",
            &format!("return document.querySelectorAll('ol.moves li').length === {count} && window.isSame === true"),
        );
    }
    browser.click(&browser.named("What the engine thinks"));
    browser.wait_for_text("300 nodes");
    browser.screenshot("play");
    browser.click(&browser.named("Take back"));
    browser.wait_for("nothing was taken back", "return document.querySelectorAll('ol.moves li').length === 4");
    browser.click(&browser.named("Hint"));
    browser.wait_for_text("Hint");
}
