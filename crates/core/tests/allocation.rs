//! A search takes all its memory at the start: a hundred times the nodes, not one allocation more.
//!
//! The crate forbids unsafe code, which an allocator of one's own would need, so the counting is done
//! by `allocation-counter`; it replaces the allocator of this test program only.

use allocation_counter::measure;
use plysmith_core::depth::Weight;
use plysmith_core::feature::Scheme;
use plysmith_core::game::Game;
use plysmith_core::games::breakthrough::{PRESETS, Position, Standard};
use plysmith_core::search::{End, Limit, Root, Task, Workspace, search};
use plysmith_core::settings::Settings;

const START: &str = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w";

/// How often a search of this number of nodes allocates memory, and how many bytes.
fn allocations(settings: Settings, scheme: &Scheme, nodes: u64) -> (u64, u64) {
    let position = Position::<Standard>::parse(START).unwrap();
    let task =
        Task { settings, scheme, limit: Limit::nodes(nodes), seed: 1, interrupt: &|| false, root: Root::default() };
    let mut workspace = Workspace::default();
    let mut report = None;
    let info = measure(|| report = Some(search(&position, &task, &mut workspace)));
    let report = report.unwrap();
    assert_eq!((report.end, report.nodes), (End::Nodes, nodes));
    // The report's own lists are as long as its line and its scheme; the line grows with the depth.
    let line = (report.line.len() * size_of_val(&report.line[0])) as u64;
    (info.count_total, info.bytes_total - line)
}

#[test]
fn nodes_cost_no_allocations() {
    let vocabulary = Position::<Standard>::VOCABULARY;
    let neutral = Scheme::neutral();
    let two_features = vocabulary.parse_scheme("Ud-RdTt@0.5,PP@0.75", Weight::HALF).unwrap();
    for (settings, scheme) in [
        (PRESETS.classic(), &neutral),
        (PRESETS.classic(), &two_features),
        (PRESETS.modern(), &neutral),
        (PRESETS.modern(), &two_features),
    ] {
        // The first evaluation reads the learned weights.
        allocations(settings, scheme, 1_000);
        let few = allocations(settings, scheme, 1_000);
        assert!(few.0 > 0, "the counter counts");
        assert_eq!(allocations(settings, scheme, 100_000), few, "(allocations, bytes) with {settings:?}");
    }
}
