//! Boards per second of the bundled evolved program and of the bare move generator, on the same positions.
//!
//! The bare generator walks the same positions' trees for as many boards: it copies each board, makes a move, and
//! generates the moves of the result, as every search does at a board before it evaluates anything.

use std::time::Instant;

use cozy_chess::Board;
use plysmith_evolve::fitness::FitnessCase;
use plysmith_evolve::interpreter::{MateSearch, legal_moves};
use plysmith_evolve::language::Program;
use serde::Serialize;

use super::median::median;
use crate::error::RunError;
use crate::mates::{HELD_OUT, bundled_program, cases_of, read_mates};
use crate::services::Host;
use crate::view::{Cell, Table, View, thousands};

/// The two speeds.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MateSpeed {
    /// Number of mate problems.
    pub positions: usize,
    /// Number of rounds.
    pub rounds: u32,
    /// Boards that the program reaches in a round: always the same.
    pub boards: u64,
    /// Of the evolved program.
    pub program_boards_per_second: f64,
    /// Of the bare move generator.
    pub bare_boards_per_second: f64,
    /// The program's speed as a share of the generator's in the same round: the median of all rounds.
    pub relative: f64,
}

/// The most boards for each problem.
const BUDGET: u64 = 200_000;

/// Times the bundled program on the held-out mates.
pub fn mate(rounds: u32, host: &Host) -> Result<MateSpeed, RunError> {
    let (program, cases) = (bundled_program()?, cases_of(&read_mates(HELD_OUT, false, &|_| {})?)?);
    let progress = host.begin_progress(u64::from(rounds) * cases.len() as u64);
    let (mut ours, mut bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut boards = 0;
    for _ in 0..rounds {
        let (mut nodes, mut times) = (0, [0.0, 0.0]);
        for case in &cases {
            progress.message(case.id.clone());
            let begun = Instant::now();
            let reached = mate_search(&program, case, host);
            times[0] += begun.elapsed().as_secs_f64();
            let begun = Instant::now();
            let mut left = reached;
            walk(case.position.board(), &mut left);
            times[1] += begun.elapsed().as_secs_f64();
            nodes += reached - left;
            progress.finish_part(1);
            host.check_cancelled()?;
        }
        boards = nodes;
        let speed = |time: f64| nodes as f64 / time.max(1e-9);
        ours.push(speed(times[0]));
        bare.push(speed(times[1]));
        ratios.push(times[1] / times[0].max(1e-9));
    }
    Ok(MateSpeed {
        positions: cases.len(),
        rounds,
        boards,
        program_boards_per_second: median(ours),
        bare_boards_per_second: median(bare),
        relative: median(ratios),
    })
}

fn mate_search(program: &Program, case: &FitnessCase, host: &Host) -> u64 {
    let search = MateSearch {
        program,
        moves: case.moves,
        budget: BUDGET,
        record_proof: false,
        use_cache: true,
        framework: plysmith_evolve::Framework::Full,
        interrupt: &|| host.cancel.is_cancelled(),
    };
    search.run(case.position.board()).nodes
}

/// Makes moves by iterative deepening until `left` boards are made.
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

impl MateSpeed {
    /// The speeds as a table.
    pub fn view(&self) -> View {
        let speed = |speed: f64| Cell::Count(speed.round() as u64);
        let rows = [
            vec!["bare move generator".into(), speed(self.bare_boards_per_second), Cell::Percent(1.0)],
            vec!["evolved program".into(), speed(self.program_boards_per_second), Cell::Percent(self.relative)],
        ];
        View::new().table(Table::new(&["what", ">boards/s", ">relative"], rows)).text(format!(
            "\n{} held-out mates, {} boards per round, medians of {} rounds, one thread. The bare generator makes as many \
             boards\nfrom the same positions and generates the moves of each.\n",
            self.positions,
            thousands(self.boards),
            self.rounds
        ))
    }
}
