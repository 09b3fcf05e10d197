//! The node-count signature of every search that `bench` times: the search's fingerprint.

use crate::support::Home;

/// A change here is a change of the search. A deliberate one raises `search::REVISION`, so that no stored measurement
/// is taken for one of the new search, and its commit message says so; any other one is a bug.
const SIGNATURES: &[(&str, &str, &str, u64)] = &[
    ("breakthrough", "classic", "Neutral", 24_158_765),
    ("breakthrough", "classic", "Ud-RdTt@1", 24_158_765),
    ("breakthrough", "classic", "Ud-PP@1", 24_158_765),
    ("breakthrough", "classic", "Ud-RdTt@0.5", 28_019_648),
    ("breakthrough", "classic", "Ud-PP@0.5", 5_100_712),
    ("breakthrough", "modern", "Neutral", 4_452_992),
    ("breakthrough", "modern", "Ud-PP@0.5", 1_178_082),
    ("breakthrough", "modern,heuristic=guarded", "Neutral", 9_568_595),
    ("chess", "classic", "Neutral", 1_510_439),
    ("chess", "classic", "AcK@1", 1_510_439),
    ("chess", "classic", "Rc-Rdb@1", 1_510_439),
    ("chess", "classic", "AcK@0.5", 2_105_060),
    ("chess", "modern", "Neutral", 4_691_866),
    ("chess", "modern", "AcK@0.5", 11_465_587),
];

#[test]
fn signatures_are_what_they_were() {
    let lines = Home::new().run(&["bench", "--rounds", "1", "--json"]).ok().json();
    let found: Vec<_> = lines
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            let word = |name: &str| line[name].as_str().unwrap();
            assert!(line["nodes_per_second"].as_f64().unwrap() > 0.0, "{line}");
            (word("game"), word("preset"), word("scheme"), line["signature"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(found, SIGNATURES);
}
