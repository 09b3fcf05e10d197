//! The position explorer, asked without a browser.

mod support;

use support::{Dashboard, HOSTILE, status};

const FORM: &str = "game=chess&suite=chess-mates-120&problem=c5-004&first=Neutral&second=AcK%400.5&nodes=50000";

/// What links in a text lead to, of those that begin like this.
fn links(text: &str, beginning: &str) -> Vec<String> {
    let hrefs = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    hrefs.map(|href| href.replace("&amp;", "&")).filter(|href| href.starts_with(beginning)).collect()
}

#[test]
fn searches_are_recorded_and_their_nodes_can_be_reached_by_links() {
    let dashboard = Dashboard::new();
    let begun = dashboard.post("/explore", FORM);
    assert_eq!((status(&begun), &begun.headers["location"]), (303, &"/explore/1".parse().unwrap()), "{}", begun.text());
    let page = dashboard.get("/explore/1").text();
    for part in [
        "AcK extends 52.Rc6# by half a ply",
        "The searches first differ after 50.e8=Q Kb7 51.Qd7+",
        "svg",
        "iteration 5",
    ] {
        assert!(page.contains(part), "no '{part}' in {page}");
    }
    let jump = page.split("id=\"to-divergence\"").nth(1).unwrap();
    let jump = links(jump, "/explore/1?").remove(0);
    let there = dashboard.get(&jump).text();
    assert_eq!(there.matches("Here the searches first differ: in depth.").count(), 2, "{there}");
    assert!(
        there.contains("AcK 0.5") && there.contains("2.5 plies") && there.contains("c7e5") | there.contains("e8d7")
    );
    assert!(there.contains("class=\"extended\""), "extended moves are not marked");
    assert!(
        !there.contains("<li class=\"extended\"><div class=\"node\"><a class=\"open\" href=\"/explore/1?a=0&"),
        "roots are not moves"
    );
    // Every node that the page leads to can be shown, and keeps the other search where it is.
    let nodes = links(&there, "/explore/1?");
    assert!(nodes.len() > 100, "{} links", nodes.len());
    for link in nodes.iter().step_by(nodes.len() / 20) {
        let page = dashboard.get(&format!("{link}&fragment=1"));
        assert_eq!(status(&page), 200, "{link}");
        assert!(!page.text().contains("<html") && page.text().contains("aria-current=\"true\""), "{link}");
    }
    let root = links(&page, "/explore/1?").into_iter().find(|link| link.contains("a=0&") || link.ends_with("a=0"));
    assert!(root.is_some(), "the first iteration is not in the tree");
}

#[test]
fn what_is_below_a_node_is_fetched_alone() {
    let dashboard = Dashboard::new();
    dashboard.post("/explore", FORM);
    let below = dashboard.get("/explore/1/b/0").text();
    assert!(below.contains("e7e8q") && below.matches("<li").count() >= 20 && !below.contains("<html"), "{below}");
    for path in [
        "/explore/1/b/99999999",
        "/explore/1/c/0",
        "/explore/1/b/x",
        "/explore/2",
        "/explore/x",
        "/explore/1?a=999999999",
    ] {
        assert_eq!(status(&dashboard.get(path)), 404, "{path}");
    }
}

#[test]
fn only_the_last_searches_are_kept() {
    let dashboard = Dashboard::new();
    let form = "game=breakthrough&problem=b7-001&second=Ud&nodes=200";
    for number in 1..=6 {
        let begun = dashboard.post("/explore", form);
        assert_eq!(begun.headers["location"], format!("/explore/{number}"));
    }
    assert_eq!([2, 3, 6].map(|number| status(&dashboard.get(&format!("/explore/{number}")))), [404, 200, 200]);
    assert!(dashboard.get("/explore").text().contains("b7-001: Neutral and Ud@0.5"));
}

#[test]
fn wrong_forms_are_explained_and_no_file_is_read() {
    let dashboard = Dashboard::new();
    let hostile = "%3Cscript%3E%22";
    for (form, says) in [
        ("game=go&problem=x", "go"),
        ("game=chess&problem=nothing", "no problem"),
        ("game=chess", "name a problem"),
        ("game=chess&position=8/8", "8/8"),
        ("game=chess&position=7k/5KQ1/8/8/8/8/8/8+b+-+-+0+1", "the game is over"),
        ("game=chess&problem=c5-001&second=@/etc/passwd", "is not a feature"),
        ("game=chess&problem=c5-001&preset=modern,weights%3D/etc/passwd", "/etc/passwd"),
        ("game=chess&problem=c5-001&preset=modern,table%3D4096", "at most"),
        ("game=chess&problem=c5-001&nodes=9999999999", "from 1 to"),
        ("game=chess&problem=c5-001&nodes=0", "from 1 to"),
        ("game=chess&problem=c5-001&second=AcKK", "AcKK"),
        ("game=chess&suite=../../secret&problem=c5-001", "no bundled suite"),
        (&format!("game=chess&problem={hostile}"), "&lt;script&gt;"),
    ] {
        let reply = dashboard.post("/explore", form);
        assert!((400..500).contains(&status(&reply)), "{form}: {}", reply.status);
        let text = reply.text();
        assert!(text.contains(says) && !text.contains("root:") && !text.contains("<script>"), "{form}: {text}");
    }
    let query: String = HOSTILE.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let page = dashboard.get(&format!("/explore?position={query}&first={query}&problem={query}")).text();
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script>alert"), "{page}");
}

#[test]
fn bundled_suites_lead_to_the_explorer() {
    let dashboard = Dashboard::new();
    let page = dashboard.get("/suites/chess/chess-mates-120").text();
    let problems = links(&page, "/explore?game=chess&suite=chess-mates-120&problem=");
    assert_eq!(problems.len(), 120);
    assert!(dashboard.get(&problems[3]).text().contains("value=\"c5-004\""));
    assert_eq!(status(&dashboard.get("/suites/chess/nothing")), 404);
}
