use plysmith_core::{
    feature::*,
    game::*,
    games::breakthrough::*,
    search::{deepening::*, depth::Weight, settings::*},
};
use std::time::Instant;
fn main() {
    let p = Position::<Standard>::parse("pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w").unwrap();
    for d in 1..=3 {
        let t = Instant::now();
        let n = perft(&p, d);
        println!("perft {d} {n} {:?}", t.elapsed());
    }
    let q = Position::<Standard>::parse("1p1pp1pp/pp3p1p/3p4/1p1P4/2P3P1/4P3/PP3P1P/P1PP2PP w").unwrap();
    let mut w = Workspace::default();
    let n: u64 = std::env::args().nth(1).map_or(40, |a| a.parse().unwrap());
    for rep in 0..2 {
        for (name, s) in [(&*std::env::args().nth(2).unwrap_or("Neutral".into()), Settings::classic(GUARDED))] {
            let v = Position::<Standard>::VOCABULARY;
            let scheme = v.parse_scheme(name, Weight::HALF).unwrap();
            let mut nodes = 0;
            let t = Instant::now();
            let mut depth = 0;
            for seed in 0..n {
                for pos in if std::env::args().nth(3).is_some() { [&p, &p] } else { [&q, &q] } {
                    let task =
                        Task { settings: s, scheme: &scheme, limit: Limit::nodes(500_000), seed, interrupt: &|| false };
                    let r = search(pos, &task, &mut w);
                    nodes += r.nodes;
                    depth += r.depth;
                }
            }
            println!(
                "{rep} {name} {:?} nodes {nodes} depth {:.2} {:.1} Mnps",
                s.switches.null_window,
                depth as f64 / 80.0,
                nodes as f64 / t.elapsed().as_secs_f64() / 1e6
            );
        }
    }
}
