use plysmith_core::{
    games,
    search::depth::Weight,
    suite::{generate::Plan, text},
};
use plysmith_engine::{lab::*, measurement::*, workshop::*};
use std::time::Instant;
struct No;
impl Memo for No {
    type Error = std::fmt::Error;
    fn recall(&mut self, _: &Job) -> Result<Option<Vec<Attempt>>, std::fmt::Error> {
        Ok(None)
    }
    fn keep(&mut self, _: &Job, _: &[Attempt]) -> Result<(), std::fmt::Error> {
        Ok(())
    }
}
fn main() {
    let g = games::find("breakthrough").unwrap();
    let a: Vec<String> = std::env::args().collect();
    let nodes: u64 = a[1].parse().unwrap();
    let t = Instant::now();
    let order = Order {
        start: (g.start)(&Default::default()).unwrap(),
        count: 302,
        plan: Plan { plies: 7, seed: a[2].parse().unwrap(), nodes },
    };
    let last = std::cell::Cell::new(0);
    let s = generate(g, &order, all_cores(), &|| false, &|_, n| last.set(n)).unwrap();
    println!("generated in {:?} games {}", t.elapsed(), last.get());
    std::fs::write("/tmp/suite.txt", text::print(&s, "x")).unwrap();
    let c = Conditions { settings: g.parse_settings("classic").unwrap(), nodes: 500_000, seed: 1 };
    let mut lab = Lab::new(g, s, c, all_cores()).unwrap();
    for f in [
        "Neutral",
        "RdTt",
        "Ud-RdTt",
        "PP-RdTt",
        "Ud-PP-RdTt",
        "Ud-PP-Rdt",
        "Ud-PP",
        "Ud-Rdt",
        "Ud",
        "PP-Rdt",
        "PP-Edg",
        "PP",
        "Rdb",
        "Rdt",
        "Edg",
        "Mr",
        "Rc-Rdb",
        "Rc",
        "C",
        "Ms",
        "RdBb",
        "RdBt",
        "RdTb",
        "Udp",
        "Bv2",
    ] {
        let t = Instant::now();
        let m = lab
            .measure(
                &g.vocabulary.parse_scheme(f, Weight::HALF).unwrap(),
                &Wishes { at_least: None, interrupt: &|| false, progress: &|_| () },
                &mut No,
            )
            .unwrap();
        println!(
            "{f:12} {:4} nodes {:4}M depth {:.2} height {:.2} freq {:?} {:.2?} {:.1} Mnps",
            m.solved(),
            m.nodes() / 1_000_000,
            m.mean_depth(),
            m.mean_height(),
            m.frequencies(),
            t.elapsed(),
            m.nodes() as f64 / t.elapsed().as_secs_f64() / 1e6
        );
    }
}
