//! `plysmith bench --mate`: how many boards a second an evolved program reaches, beside the bare move generator on the same
//! positions in the same run.
//!
//! The bare generator walks the same positions' trees for as many boards: it copies each board, makes a move, and
//! generates the moves of what came out. That is what any search does at a board before it thinks.

use std::time::Instant;

use cozy_chess::Board;
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::interpreter::MateSearch;
use plysmith_evolve::interpreter::legal_moves;
use plysmith_evolve::language::Program;
use serde::Serialize;

use super::bench::median;
use super::mates::{HELD_OUT, bundled, bundled_program, cases_of};
use crate::failure::Failure;
use crate::signals;
use crate::output::{Output, percent, table, thousands};
use crate::progress;

#[derive(Serialize)]
struct Report {
    positions: usize,
    rounds: u32,
    /// Boards that the program reaches in a round: always the same.
    boards: u64,
    program_boards_per_second: f64,
    bare_boards_per_second: f64,
    /// The program's speed as a share of the generator's in the same round: the median of all rounds.
    relative: f64,
}

/// Boards a problem.
const BUDGET: u64 = 200_000;

pub fn run(rounds: u32, output: &Output) -> Result<(), Failure> {
    let (program, cases) = (bundled_program()?, cases_of(&bundled(HELD_OUT)?)?);
    let progress = progress::begin(u64::from(rounds) * cases.len() as u64);
    let (mut ours, mut bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut boards = 0;
    for _ in 0..rounds {
        let (mut nodes, mut times) = (0, [0.0, 0.0]);
        for case in &cases {
            progress.message(case.id.clone());
            let begun = Instant::now();
            let reached = mate_search(&program, case);
            times[0] += begun.elapsed().as_secs_f64();
            let begun = Instant::now();
            let mut left = reached;
            walk(case.position.board(), &mut left);
            times[1] += begun.elapsed().as_secs_f64();
            nodes += reached - left;
            progress.finish_part(1);
            if signals::is_cancelled() {
                return Err(Failure::Interrupted(None));
            }
        }
        boards = nodes;
        let speed = |time: f64| nodes as f64 / time.max(1e-9);
        ours.push(speed(times[0]));
        bare.push(speed(times[1]));
        ratios.push(times[1] / times[0].max(1e-9));
    }
    drop(progress);
    let report = Report {
        positions: cases.len(),
        rounds,
        boards,
        program_boards_per_second: median(ours),
        bare_boards_per_second: median(bare),
        relative: median(ratios),
    };
    output.print(&report, || report.text())
}

fn mate_search(program: &Program, case: &FitnessCase) -> u64 {
    let search = MateSearch {
        program,
        moves: case.moves,
        budget: BUDGET,
        record_proof: false,
        use_cache: true,
        interrupt: &signals::is_cancelled,
    };
    search.run(case.position.board()).nodes
}

/// Makes moves from here, level by level of the tree but each branch to its end, until so many boards are made.
fn walk(root: &Board, left: &mut u64) {
    for depth in 1.. {
        let before = *left;
        descend(root, depth, left);
        if *left == 0 || *left == before {
            return;
        }
    }
}

fn descend(board: &Board, depth: u32, left: &mut u64) {
    for &m in &legal_moves(board) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let mut after = board.clone();
        after.play_unchecked(m);
        if depth > 1 {
            descend(&after, depth - 1, left);
        } else {
            std::hint::black_box(legal_moves(&after).len());
        }
    }
}

impl Report {
    fn text(&self) -> String {
        let speed = |speed: f64| thousands(speed.round() as u64);
        let rows = [
            vec!["bare move generator".to_string(), speed(self.bare_boards_per_second), percent(1.0)],
            vec!["evolved program".to_string(), speed(self.program_boards_per_second), percent(self.relative)],
        ];
        format!(
            "{}\n{} held-out mates, {} boards a round, medians of {} rounds, one thread. The bare generator makes as many \
             boards\nfrom the same positions and generates the moves of each.\n",
            table(&["who", ">boards/s", ">relative"], rows),
            self.positions,
            thousands(self.boards),
            self.rounds
        )
    }
}
