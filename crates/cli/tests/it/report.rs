//! `report`: runs as files.

use crate::bad_engine;
use crate::support::{Home, SMALL_DISCOVERY};

#[test]
fn reports_are_files_of_one_format_or_the_other() {
    let home = Home::new();
    home.run(SMALL_DISCOVERY).ok();
    home.run(&["report", "1", "-o", "report.html"]).ok();
    let html = home.read("report.html");
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<h2>Lattice</h2>"), "{html}");
    home.run(&["report", "1", "-o", "report.html"]).fails(2, &["report.html exists", "--force"]);
    home.run(&["report", "1", "1", "--charts", "charts", "-o", "report.md", "--force"]).ok();
    let markdown = home.read("report.md");
    assert!(markdown.starts_with("# Run 1: discover breakthrough\n"), "{markdown}");
    let links: Vec<&str> = markdown.split("](<").skip(1).filter_map(|rest| rest.split(">)").next()).collect();
    assert!(links.len() >= 4, "{markdown}");
    for link in links {
        assert!(home.read(link).starts_with("<svg "), "{link}");
        let png = std::fs::read(home.path().join(link).with_extension("png")).unwrap();
        assert!(png.starts_with(b"\x89PNG"), "{link}");
    }
    let printed = home.run(&["report", "1", "--format", "md"]).ok();
    assert!(printed.stdout.starts_with("# Run 1") && !printed.stdout.contains("]("), "{}", printed.stdout);
}

#[test]
fn what_cannot_be_reported_is_said() {
    let home = Home::new();
    home.run(&["report"]).fails(2, &["<RUN>"]);
    home.run(&["report", "7"]).fails(2, &["7"]);
    home.run(SMALL_DISCOVERY).ok();
    home.run(&["report", "1", "-o", "nowhere/report.html"]).fails(2, &["there is no folder nowhere"]);
    let listed = home.run(&["report", "1", "--charts", "charts", "--json"]).ok();
    let files: serde_json::Value = serde_json::from_str(&listed.stdout).unwrap();
    assert!(files["files"].as_array().unwrap().len() >= 8, "{files}");
    home.run(&["report", "1", "--charts", "charts"]).fails(2, &["exists", "--force"]);
}

#[test]
fn reports_say_what_engines_did_where_they_failed() {
    let home = Home::new();
    let suite = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm b1a3; id \"start\";\n\
                 4k3/4p3/8/8/8/8/4P3/4K3 b - - bm e7e5; id \"black\";\n\
                 4k3/8/8/8/8/8/4P3/4K3 w - - bm e2e4; id \"pawn\";\n";
    home.file("bad.epd", suite);
    let engine = bad_engine::command("black-junk-move");
    let limits = ["--engine", &engine, "--suite", "bad.epd", "--nodes", "100", "--json"];
    home.run(&[&["discover"], &limits[..]].concat()).ok();
    let tune = ["tune", "chess", "--weights", "1", "--iterations", "2", "--holdout", "0"];
    home.run(&[&tune[..], &limits[..]].concat()).ok();
    for run in ["1", "2"] {
        let report = home.run(&["report", run, "--format", "md"]).ok().stdout;
        let failures = report.split("## Failures").nth(1).unwrap_or_else(|| panic!("no failures in {report}"));
        let row = failures.lines().find(|line| line.starts_with("| black |")).unwrap();
        assert!(row.contains("gountil e7e5 100"), "run {run}: {row}");
    }
}
