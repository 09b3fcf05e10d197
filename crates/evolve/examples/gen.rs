use plysmith_core::games::chess::Position;
use plysmith_core::game::Game;
use plysmith_evolve::problems::*;
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let start = Position::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").unwrap();
    let plan = MatePlan { moves: a[0] as u8, men: a[1] as u32, seed: a[2], nodes: a[3] };
    let t = std::time::Instant::now();
    let mut found = 0;
    for g in 0.. { if let Ok(Some(p)) = harvest(&start, &plan, g, &|| false) { found += 1; println!("{} bm {}; dm {}; id \"{}\";", p.position, p.best.join(","), a[0], g);
      eprintln!("game {g} found {found} {:.1}s", t.elapsed().as_secs_f64()); if found == a[4] { break } } }
}
