use plysmith_core::games::{find, chess::Position};
use plysmith_core::game::Game;
use plysmith_core::suite::text;
use plysmith_evolve::solvers::{*, dfpn::DfPn, alphabeta::AlphaBeta, evolved::Evolved};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let file = std::fs::read_to_string(&args[1]).unwrap();
    let budget: u64 = args[2].parse().unwrap();
    let maxn: u32 = args[3].parse().unwrap();
    let suite = text::read(find("chess").unwrap(), "x", &file).suite;
    let mut solvers: Vec<Box<dyn Solver>> = vec![];
    for a in &args[4..] {
        match a.as_str() { "dfpn" => solvers.push(Box::new(DfPn)), "ab" => solvers.push(Box::new(AlphaBeta::default())),
          p => solvers.push(Box::new(Evolved{program: p.parse().unwrap_or_else(|e| panic!("{e}")), name: p.chars().take(60).collect()})) }
    }
    for s in &mut solvers {
        println!("{}", s.name());
        for n in 1..=maxn {
            let (mut tried, mut solved, mut nodes, mut ver, mut snodes) = (0,0,0u64,0,0u64);
            let mut list = vec![];
            let t = std::time::Instant::now();
            for p in suite.problems.iter().filter(|p| p.distance == Some(2*n-1)).take(30) {
                let pos = Position::parse(&p.position).unwrap();
                let q = Question { position: &pos, moves: n as u8, budget, interrupt: &|| false };
                let a = s.solve(&q);
                tried += 1; nodes += a.nodes;
                if a.mate.is_some() { solved += 1; snodes += a.nodes; list.push(a.nodes);
                  if matches!(settle(&q, &a), Verdict::Verified(_)) { ver += 1 } else { println!("NOT VERIFIED {} {:?}", p.position, a) } }
            }
            list.sort();
            println!("  N={n}: {solved}/{tried} verified {ver} mean {} (solved only {}) median {:?}  {:.1}s", nodes/tried.max(1), snodes/solved.max(1), list.get(list.len()/2), t.elapsed().as_secs_f64());
        }
    }
}
