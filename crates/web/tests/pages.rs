//! What pages of runs and reports show.

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use plysmith_core::games;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_runs::chart::scene::Scene;
use plysmith_runs::kinds::discover::{self, Discover};
use plysmith_runs::kinds::match_::{self, Match};
use plysmith_runs::play::PlayConfig;
use plysmith_runs::sequential_test::TestConfig;
use plysmith_runs::{Experiment, Services, run};
use plysmith_store::{NewRun, RunId};
use plysmith_web::report::{self, Reported};
use serde_json::{Value, json};
use support::{Dashboard, HOSTILE, status};

/// A discovery on a few problems.
fn discover_config() -> discover::Config {
    let game = games::find("breakthrough").unwrap();
    let mut experiment = Experiment { nodes: 2_000, ..Experiment::bundled(game).unwrap() };
    experiment.suite.problems.truncate(12);
    let base = ["Ud", "RdTt", "PP"].map(String::from).to_vec();
    discover::Config { base, ..discover::Config::new(experiment, &game.into()).unwrap() }
}

fn match_config() -> match_::Config {
    let game = games::find("breakthrough").unwrap();
    let openings = OpeningPlan { start: (game.start)(&Default::default()).unwrap(), plies: 4, seed: 1 };
    let play = PlayConfig::new(game, 50, 6, openings).unwrap();
    let players = ["classic+RdTt@0.5", "classic"].map(|text| play.stored_player(text).unwrap());
    let test = serde_json::from_value::<TestConfig>(
        json!({ "model": "normalized", "elo0": 0.0, "elo1": 50.0, "alpha": 0.05, "beta": 0.05 }),
    );
    match_::Config::new(players, play, Some(test.unwrap()))
}

fn discovery(dashboard: &Dashboard) -> RunId {
    run::<Discover>(&discover_config(), Vec::new(), &Services::new(Arc::clone(&dashboard.store))).unwrap().run
}

fn a_match(dashboard: &Dashboard) -> RunId {
    run::<Match>(&match_config(), Vec::new(), &Services::new(Arc::clone(&dashboard.store))).unwrap().run
}

/// Stores a run that is not finished, with these events.
fn unfinished(dashboard: &Dashboard, kind: &str, config: Value, events: &[(&str, Value)]) -> RunId {
    let new = NewRun {
        kind: kind.to_string(),
        game: "breakthrough".to_string(),
        config,
        seed: 1,
        version: "0.2.0".to_string(),
        command: vec!["plysmith".to_string(), kind.to_string(), HOSTILE.to_string()],
        parent: None,
    };
    let run = dashboard.store.create_run(&new).unwrap().run();
    for (seq, (kind, payload)) in events.iter().enumerate() {
        dashboard.store.append_event(run, seq as u64, kind, payload).unwrap();
    }
    run
}

/// A measurement as it is stored.
fn evaluation(feature: &str, parent: Option<&str>, solved: &[String], tried: usize) -> Value {
    json!({
        "feature": feature, "solved": solved.len(), "tried": tried, "nodes": 1000, "mean_depth": 2.5, "mean_height": 3.5,
        "frequencies": [0.25], "solved_ids": solved, "generation": feature.split('-').count(),
        "first_parent": parent, "second_parent": null, "at_least": 3,
        "verdict": if feature == "Neutral" { "neutral" } else if parent.is_some() { "lives" } else { "base" },
    })
}

#[test]
fn a_discovery_has_a_lattice_a_ranking_and_its_problems() {
    let dashboard = Dashboard::new();
    let run = discovery(&dashboard);
    let page = dashboard.get(&format!("/runs/{run}"));
    let text = page.text();
    assert_eq!(status(&page), 200, "{text}");
    for part in ["<h2>Lattice</h2>", "data-node=\"0\"", "<h2>Ranking</h2>", "data-chart=\"matrix\"", "paper"] {
        assert!(text.contains(part), "no {part}: {text}");
    }
    // Every feature of the lattice leads to its row of the ranking.
    let nodes = text.matches("data-node=").count();
    assert!(nodes >= 4);
    for node in 0..nodes {
        if text.contains(&format!("href=\"#run-{run}-feature-{node}\"")) {
            let row = format!("<tr id=\"run-{run}-feature-{node}\">");
            assert!(text.contains(&row) || text.contains("never combined"), "{row}");
        }
    }
    assert!(!text.contains(" style=\"") && !text.contains("<script>"), "nothing that the policy forbids");
}

/// A discovery with three measurements so far.
fn discovery_in_progress(dashboard: &Dashboard) -> RunId {
    let config = serde_json::to_value(discover_config()).unwrap();
    let ids: Vec<String> = discover_config().experiment.suite.problems.iter().map(|one| one.id.clone()).collect();
    let events = [
        ("evaluation", evaluation("Neutral", None, &ids[..2], 12)),
        ("evaluation", evaluation("RdTt", None, &ids[..6], 12)),
        ("evaluation", evaluation("Ud-RdTt", Some("Ud"), &ids[..9], 12)),
    ];
    unfinished(dashboard, "discover", config, &events)
}

#[test]
fn a_discovery_in_progress_shows_what_there_is() {
    let dashboard = Dashboard::new();
    let run = discovery_in_progress(&dashboard);
    let text = dashboard.get(&format!("/runs/{run}?fragment=1")).text();
    assert!(text.contains("3 measurements so far") && text.contains("survives (1)"), "{text}");
    assert!(text.contains("Problems that features solve together"), "{text}");
    // Nine solved, seven more than Neutral; 235 in the paper.
    let row = text.split("<tr id=").find(|row| row.contains("<td>Ud-RdTt</td>")).unwrap();
    for cell in [">9<", ">7<", ">25.00 %<", ">235<", ">survives<"] {
        assert!(row.contains(cell), "{cell} in {row}");
    }
}

#[test]
fn a_match_has_a_test_a_score_and_games_to_step_through() {
    let dashboard = Dashboard::new();
    let run = a_match(&dashboard);
    let text = dashboard.get(&format!("/runs/{run}")).text();
    for part in ["Log-likelihood ratio", "Pairs of games by the points", "How the log-likelihood ratio came about"] {
        assert!(text.contains(part), "no {part}: {text}");
    }
    assert_eq!(text.matches(&format!("href=\"/runs/{run}/games/")).count(), 6);
    let game = dashboard.get(&format!("/runs/{run}/games/0?ply=2")).text();
    assert!(game.contains("class=\"board\"") && game.contains(">2 of "), "{game}");
    assert_eq!(game.matches("class=\"last\"").count(), 2, "from where, and to where");
    for step in ["first", "back", "forward", "last", "flip"] {
        assert!(game.contains(&format!("data-step=\"{step}\"")), "{step}");
    }
    let fragment = dashboard.get(&format!("/runs/{run}/games/0?ply=999999&fragment=1")).text();
    assert!(!fragment.contains("<html") && fragment.contains("aria-current=\"step\""), "{fragment}");
    let list = dashboard.get(&format!("/runs/{run}/games?from=4")).text();
    assert_eq!(list.matches(&format!("href=\"/runs/{run}/games/")).count(), 2);
}

#[test]
fn a_match_in_progress_says_where_the_test_stands() {
    let dashboard = Dashboard::new();
    let finished = a_match(&dashboard);
    let stored = dashboard.store.run(finished).unwrap();
    let events = dashboard.store.events(finished).unwrap();
    let games: Vec<(&str, Value)> = events.iter().take(5).map(|event| ("game", event.payload.clone())).collect();
    let run = unfinished(&dashboard, "match", stored.config, &games);
    let text = dashboard.get(&format!("/runs/{run}?fragment=1")).text();
    assert!(text.contains("5 games so far") && text.contains("the most to expect on average"), "{text}");
}

#[test]
fn what_is_no_game_is_not_found() {
    let dashboard = Dashboard::new();
    let run = discovery(&dashboard);
    for path in ["games/0", "games/99999", "games/x", "games/-1", "games/18446744073709551615"] {
        assert_eq!(status(&dashboard.get(&format!("/runs/{run}/{path}"))), 404, "{path}");
    }
    assert_eq!(status(&dashboard.get(&format!("/runs/{run}/games?from=x"))), 400);
    assert_eq!(status(&dashboard.get(&format!("/runs/{run}/games"))), 200);
}

#[test]
fn hostile_names_are_text_on_pages_and_in_reports() {
    let dashboard = Dashboard::new();
    let config = serde_json::to_value(discover_config()).unwrap();
    let events = [
        ("evaluation", evaluation("Neutral", None, &[], 12)),
        ("evaluation", evaluation(HOSTILE, Some(HOSTILE), &[HOSTILE.to_string()], 12)),
        ("evaluation", evaluation("Ud", None, &[HOSTILE.to_string()], 12)),
    ];
    let run = unfinished(&dashboard, "discover", config, &events);
    dashboard.store.set_label(run, Some(HOSTILE)).unwrap();
    let reported = || Reported::read(&dashboard.store, dashboard.store.run(run).unwrap()).unwrap();
    let page = dashboard.get(&format!("/runs/{run}?fragment=1")).text();
    let (file, markdown) = (report::html(&[reported()]), report::markdown(&[reported()], Some("charts")));
    for text in [&page, &file] {
        assert!(!text.contains("<script>alert") && !text.contains("\"' onload"), "{text}");
    }
    for text in [&page, &file, &markdown] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "control characters in {text}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!markdown.contains("| <script>") && markdown.contains("\\<script\\>"), "{markdown}");
    for (name, Scene { title, .. }) in reported().charts() {
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{name} of {title}");
    }
}

#[test]
fn a_report_needs_nothing_else() {
    let dashboard = Dashboard::new();
    let runs = [discovery(&dashboard), a_match(&dashboard)];
    let reported: Vec<Reported> =
        runs.iter().map(|run| Reported::read(&dashboard.store, dashboard.store.run(*run).unwrap()).unwrap()).collect();
    let text = report::html(&reported);
    for word in ["<link", " src=\"http", "url(", "@import", "fetch(\"", "//cdn"] {
        assert!(!text.contains(word), "{word}");
    }
    assert_eq!(text.matches("<script").count(), 1);
    assert_eq!(text.matches("</script").count(), 1);
    let nonce = text.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).unwrap();
    assert_eq!(text.matches(&format!("nonce=\"{nonce}\"")).count(), 2, "the style and the script");
    assert!(text.contains("prefers-color-scheme: dark") && text.contains("default-src 'none'"));
    assert_eq!(text, report::html(&reported), "the same every time");
}

#[test]
fn charts_are_pictures_of_both_kinds() {
    let dashboard = Dashboard::new();
    let run = dashboard.store.run(discovery(&dashboard)).unwrap();
    let files = Reported::read(&dashboard.store, run).unwrap().chart_files();
    assert!(files.len() >= 4, "{}", files.len());
    for file in files {
        assert!(file.svg.starts_with("<svg xmlns") && !file.svg.contains("class="), "{}", file.svg);
        assert!(file.png.unwrap().starts_with(b"\x89PNG\r\n\x1a\n"), "{}", file.name);
    }
}

/// A run with 250 measurements of 1,000 problems: a quarter of a million squares are a small picture, and no problem is in the
/// page more than twice.
#[test]
fn large_runs_have_pages_of_bounded_size() {
    let dashboard = Dashboard::new();
    let mut config = discover_config();
    let first = config.experiment.suite.problems[0].clone();
    let problem = |number: usize| plysmith_core::problem::Problem { id: format!("p{number}"), ..first.clone() };
    config.experiment.suite.problems = (0..1_000).map(problem).collect();
    let events: Vec<(String, Value)> = (0..250)
        .map(|number: usize| {
            let name = if number == 0 { "Neutral".to_string() } else { format!("F{number}") };
            let solved: Vec<String> = (0..1_000)
                .filter(|problem| (problem * 7 + number * 13) % 11 < 5)
                .map(|problem| format!("p{problem}"))
                .collect();
            ("evaluation".to_string(), evaluation(&name, None, &solved, 1_000))
        })
        .collect();
    let events: Vec<(&str, Value)> = events.iter().map(|(kind, payload)| (kind.as_str(), payload.clone())).collect();
    let run = unfinished(&dashboard, "discover", serde_json::to_value(config).unwrap(), &events);
    let text = dashboard.get(&format!("/runs/{run}")).text();
    assert!(text.contains("250 measurements so far"), "{}", &text[..2_000]);
    assert!(text.len() < 600_000, "{} bytes", text.len());
}

/// Every part of a view as HTML, to be looked at when it changes: `PLYSMITH_BLESS=1` writes the file anew.
#[test]
fn views_become_the_html_that_was_looked_at() {
    let dashboard = Dashboard::new();
    let run = discovery_in_progress(&dashboard);
    let found = plysmith_runs::page(&dashboard.store, &dashboard.store.run(run).unwrap()).unwrap();
    let found = plysmith_web::pages::view(&found, "run-1-").into_string().replace("><", ">\n<");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/discovery.html");
    if std::env::var_os("PLYSMITH_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        // The bytes of the picture depend on the compression.
        if !expected.contains("data:image/png") {
            assert_eq!(found, expected, "line {}", number + 1);
        }
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}
