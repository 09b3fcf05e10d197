use plysmith_core::game::Game;
use plysmith_core::games::breakthrough::{AnySize, Position, Side, start};
use plysmith_core::search::proof::Prover;
use std::time::Instant;
#[test]
fn t() {
    for (c, r, most) in [(4, 4, 41), (5, 4, 41), (6,4,41), (4, 5, 41)] {
        let p = Position::<AnySize>::parse(&start(c, r, Side::White).unwrap()).unwrap();
        let t = Instant::now();
        let mut prover = Prover::default();
        let ds: Vec<_> = p.legal_moves().iter().map(|&m| prover.shortest_win(&p.play(m), most).map(|w| w.plies)).collect();
        println!("{c}x{r} {ds:?} {:?}", t.elapsed());
        println!("  first {:?} {:?}", prover.shortest_win(&p, most).is_some(), t.elapsed());
    }
}
#[test]
fn falseproof() {
    use plysmith_core::{feature::*, search::{deepening::*, settings::*}, random::Random, game::*};
    let p0 = Position::<AnySize>::parse(&start(5, 5, Side::White).unwrap()).unwrap();
    let mut bad = 0; let mut n = 0;
    let mut random = Random::new(3);
    let mut w = Workspace::default();
    for _ in 0..300 {
        let mut p = p0;
        loop {
            let l = p.legal_moves(); if l.is_empty() { break; }
            for limit in [50, 200, 1000] {
                let s = Scheme::neutral();
                let t = Task { settings: Settings::classic(Heuristic(2)), scheme: &s, limit: Limit::nodes(limit), seed: 1, interrupt: &|| false };
                let r = search(&p, &t, &mut w);
                if r.end == End::Proved && r.score.win_in().is_none() {
                    n += 1;
                    let plies = (-r.score).win_in().unwrap();
                    if let Some(m)=l.iter().find(|&&m| Prover::default().shortest_win(&p.play(m), plies).is_none()) { bad += 1; if bad < 6 { println!("{p} limit {limit} nodes {} depth {} {} but {} holds {plies}", r.nodes, r.depth, r.score, p.print_move(*m)); } }
                }
            }
            p = p.play(l[random.below(l.len())]);
        }
    }
    println!("{bad} of {n}");
}
