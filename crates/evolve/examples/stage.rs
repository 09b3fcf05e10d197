//! x
use plysmith_core::{game::Game, games::chess::Position, random::Random, suite::generate::self_play};
use plysmith_evolve::{run::Meter, solvers::{*, dfpn::*, alphabeta::AlphaBeta}};
fn main() {
    let n: u8 = std::env::args().nth(1).unwrap().parse().unwrap();
    let start = Position::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").unwrap();
    let (mut pos, mut mate, mut exact) = (0, 0, 0);
    let mut t = [0.0; 4];
    for g in 0..60u64 {
        let s = std::time::Instant::now();
        let mut random = Random::for_purpose(1, &format!("mate in {n} game {g}"));
        let game = self_play(&start, 1000, &mut random, &|| false).unwrap();
        t[0] += s.elapsed().as_secs_f64();
        for p in game[game.len().saturating_sub(2*n as usize + 9)..].iter().filter(|p| p.board().occupied().len() >= 12) {
            pos += 1;
            let pl = p.board().side_to_move();
            let d = |left, b| { let m = Meter::new(b, &|| false); Decider::new(pl, &m).decide(p.board(), left) };
            let s = std::time::Instant::now();
            let f = d(n, 30000); t[1] += s.elapsed().as_secs_f64();
            if f != Decision::Mate { continue }
            mate += 1;
            let s = std::time::Instant::now();
            let e = d(n-1, 3_000_000); t[2] += s.elapsed().as_secs_f64();
            if e == Decision::Open { println!("  open"); }
            if e != Decision::NoMate { continue }
            exact += 1;
            let s = std::time::Instant::now();
            let a = AlphaBeta::default().solve(&Question { position: p, moves: n, budget: 4_000_000, interrupt: &|| false });
            t[3] += s.elapsed().as_secs_f64();
            println!("game {g} exact, AB {:?} {} {}", a.mate, a.nodes, p);
        }
    }
    println!("positions {pos} mate {mate} exact {exact} times {t:?}");
}
