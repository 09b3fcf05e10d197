//! Games against an engine, asked without a browser.

mod support;

use std::time::{Duration, Instant};

use plysmith_web::shared::Options;
use support::{Dashboard, status};

const FORM: &str = "game=breakthrough&preset=classic&nodes=500";

/// The moves that a page offers.
fn offered(text: &str) -> Vec<String> {
    let list = text.split("id=\"move\"").nth(1).and_then(|rest| rest.split("</select>").next()).unwrap_or_default();
    let values = list.split("value=\"").skip(1).filter_map(|rest| rest.split('"').next());
    values.filter(|value| !value.is_empty()).map(String::from).collect()
}

fn moves(text: &str) -> usize {
    text.split("class=\"moves\"").nth(1).map_or(0, |rest| rest.split("</ol>").next().unwrap().matches("<li>").count())
}

#[test]
fn a_game_is_played_to_its_end_in_every_game() {
    for (game, most) in [("breakthrough", 60), ("chess", 12)] {
        let dashboard = Dashboard::new();
        let begun = dashboard.post("/play", &format!("game={game}&preset=classic&nodes=500"));
        assert_eq!(begun.headers["location"], "/play/1", "{}", begun.text());
        let mut page = dashboard.get("/play/1").text();
        for turn in 0..most {
            let offered = offered(&page);
            if offered.is_empty() {
                break;
            }
            assert_eq!(moves(&page), 2 * turn);
            let m = &offered[turn % offered.len()];
            assert_eq!(status(&dashboard.post("/play/1/move", &format!("move={m}&ply={}", 2 * turn))), 303);
            page = dashboard.get("/play/1").text();
            assert!(page.contains("What the engine thinks") || page.contains("You have won"), "{page}");
        }
        let is_over = page.contains("You have won") || page.contains("The engine has won");
        assert!(is_over || game == "chess", "{page}");
    }
}

#[test]
fn moves_can_be_taken_back_and_hints_given() {
    let dashboard = Dashboard::new();
    dashboard.post("/play", FORM);
    let first = offered(&dashboard.get("/play/1").text());
    assert_eq!(status(&dashboard.post("/play/1/undo", "")), 409, "nothing to take back");
    dashboard.post("/play/1/move", "move=b2b3");
    assert_eq!(moves(&dashboard.get("/play/1").text()), 2);
    assert_eq!(status(&dashboard.post("/play/1/move", "move=c2c3&ply=0")), 409, "from a page of before");
    assert_eq!(status(&dashboard.post("/play/1/move", "move=b2b3")), 422, "not legal any more");
    assert_eq!(status(&dashboard.post("/play/1/hint", "")), 303);
    let page = dashboard.get("/play/1").text();
    assert!(page.contains("Hint") && page.contains("500 nodes"), "{page}");
    dashboard.post("/play/1/undo", "");
    let page = dashboard.get("/play/1").text();
    assert_eq!((moves(&page), offered(&page)), (0, first));
    dashboard.post("/play/1/resign", "");
    assert!(dashboard.get("/play/1").text().contains("The engine has won: 0-1, you resigned."));
    assert_eq!(status(&dashboard.post("/play/1/hint", "")), 409);
    dashboard.post("/play/1/end", "");
    assert_eq!(status(&dashboard.get("/play/1")), 404);
}

#[test]
fn the_engine_begins_where_the_person_has_black_and_clocks_run() {
    let dashboard = Dashboard::new();
    dashboard.post("/play", &format!("{FORM}&side=black&clock=5%2B3"));
    let page = dashboard.get("/play/1").text();
    assert_eq!(moves(&page), 1);
    assert!(page.contains("data-left=\"") && page.contains("Engine "), "{page}");
    // Black sits below; turned, White does.
    let board = |text: &str| text.split("<svg").nth(1).unwrap().split("</svg>").next().unwrap().to_string();
    assert_ne!(board(&page), board(&dashboard.get("/play/1?flip=1").text()));
    // A clock of less than a millisecond is soon over.
    dashboard.post("/play", &format!("{FORM}&clock=0.00001"));
    let deadline = Instant::now() + Duration::from_secs(120);
    while !dashboard.get("/play/2").text().contains("The engine has won: 0-1, you ran out of time.") {
        assert!(Instant::now() < deadline, "the clock stands still");
    }
    assert_eq!(status(&dashboard.post("/play/2/move", "move=b2b3")), 409);
}

#[test]
fn games_are_bounded_and_engines_need_leave() {
    let dashboard = Dashboard::new();
    for number in 1..=20 {
        let begun = dashboard.post("/play", FORM);
        assert_eq!(begun.headers["location"], format!("/play/{number}"));
    }
    assert_eq!([1, 4, 5, 20].map(|game| status(&dashboard.get(&format!("/play/{game}")))), [404, 404, 200, 200]);
    let refused = dashboard.post("/play", "game=chess&engine=uci:true");
    assert!(status(&refused) == 403 && refused.text().contains("--allow-engines"));
    assert!(!dashboard.get("/play").text().contains("uci:stockfish"));
    let dashboard = Dashboard::with(Options { allow_engines: true, ..Options::default() });
    assert!(dashboard.get("/play?game=chess").text().contains("uci:stockfish"));
    for engine in ["uci:/nowhere/engine", "sh -c ls"] {
        let reply = dashboard.post("/play", &format!("game=chess&engine={engine}"));
        assert_eq!(status(&reply), 422, "{}", reply.text());
    }
}

#[test]
fn wrong_forms_are_explained() {
    let dashboard = Dashboard::new();
    for form in [
        "game=go",
        "game=chess&preset=modern,weights%3D/etc/passwd",
        "game=chess&scheme=@/etc/passwd",
        "game=chess&nodes=0",
        "game=chess&nodes=99999999999999999999",
        "game=chess&clock=x",
        "game=chess&clock=-5",
        "game=chess&clock=1e300",
        "game=chess&clock=nan%2Binf",
        "game=chess&position=8/8/8",
        "game=chess&position=7k/5KQ1/8/8/8/8/8/8+b+-+-+0+1",
    ] {
        let reply = dashboard.post("/play", form);
        assert_eq!(status(&reply), 422, "{form}: {}", reply.text());
        assert!(!reply.text().contains("root:"));
    }
    assert_eq!(status(&dashboard.post("/play/7/move", "move=e2e4")), 404);
}
