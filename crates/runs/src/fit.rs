//! Fits the weights of the chess evaluation to the results of self-play games.
//!
//! A fit is not a stored run: its result is a source file that names the command that made it, and its games are kept
//! in a file of positions if one is named.

use std::fs;
use std::path::Path;

use plysmith_core::game::Game;
use plysmith_core::games::chess::fitting::{self, GamePlan, Sample};
use plysmith_core::games::chess::{INFO, Position, TUNED};
use plysmith_core::search::Workspace;
use plysmith_engine::selfplay::gather;
use plysmith_learn::fitting::{FitData, FitPlan, FitRow, Fitting, Tapered, expected_result, fit_slope, loss};
use serde::Serialize;

use crate::error::RunError;
use crate::memory::ThreadNeed;
use crate::services::Host;
use crate::view::thousands;

/// Weights to begin with.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Plain values and formulas.
    Guesses,
    /// The weights that this program was built with.
    Current,
}

/// Positions to fit to, and positions that tell whether the fit holds for games it has not seen.
#[derive(Clone, Debug, Default)]
pub struct SplitData {
    /// Fitted to.
    pub train: FitData,
    /// Held out.
    pub held_out: FitData,
}

/// The weights that a fit found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Fitted {
    /// The file that they were written to.
    pub file: Option<String>,
    /// Positions in all.
    pub positions: usize,
    /// Positions held out.
    pub held_out: usize,
    /// The slope of the logistic function.
    pub slope: f64,
    /// Losses at the start: of what was fitted to, and of what was held out.
    pub before: [f64; 2],
    /// Losses at the end.
    pub after: [f64; 2],
    /// The source file with the weights.
    pub weights: String,
}

/// One game in this many is held out.
pub const HELD_OUT: u64 = 10;
/// Steps between two reports.
const REPORT: u32 = 50;

/// Plays games, and returns their positions in the order of games.
pub fn play_samples(plan: &GamePlan, games: u64, host: &Host) -> Result<Vec<Sample>, RunError> {
    let modern = INFO.presets.modern();
    let threads = host.workers(games, &ThreadNeed::default().and("self-play", Workspace::bytes(&modern)))?;
    let progress = host.begin_progress(games);
    let tell = |games: u64, samples: usize| {
        progress.message(played(samples, games));
        progress.set_part_done(games);
    };
    let samples = gather(plan, games, threads, &|| host.cancel.is_cancelled(), &tell);
    drop(progress);
    let samples = samples.map_err(|_| RunError::Cancelled(None))?;
    host.note(played(samples.len(), games));
    Ok(samples)
}

fn played(samples: usize, games: u64) -> String {
    format!("{} positions from {} games", thousands(samples as u64), thousands(games))
}

/// Reads positions. Lines that begin with `#` are comments.
pub fn read_samples(path: &Path, host: &Host) -> Result<Vec<Sample>, RunError> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| RunError::input(format!("cannot read {name}: {error}")))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let read = |(index, line): (usize, &str)| {
        line.parse().map_err(|error| RunError::input(format!("{name}:{}: {error}", index + 1)))
    };
    let samples: Vec<_> = lines.map(read).collect::<Result<_, _>>()?;
    host.note(format!("{} positions read from {name}", thousands(samples.len() as u64)));
    Ok(samples)
}

impl SplitData {
    /// Splits positions. All positions of a game are on the same side, since they share its result.
    pub fn new(samples: &[Sample]) -> Result<SplitData, RunError> {
        let mut data = SplitData::default();
        for sample in samples {
            let position = Position::parse(&sample.position)
                .map_err(|error| RunError::input(format!("'{}' is not a position: {error}", sample.position)))?;
            let Some(trace) = fitting::trace(&position, TUNED) else { continue };
            let row = FitRow { counts: &trace.counts, shares: trace.shares, result: sample.result.points() };
            let rows = if sample.game.is_multiple_of(HELD_OUT) { &mut data.held_out } else { &mut data.train };
            rows.push(&row);
        }
        Ok(data)
    }

    /// Fits weights by gradient descent. `command` is named in the source file.
    pub fn fit(&self, origin: Origin, plan: FitPlan, command: &str, host: &Host) -> Result<Fitted, RunError> {
        let SplitData { train, held_out } = self;
        let start = origin.weights();
        let slope = fit_slope(train, &start);
        let losses = |weights: &[Tapered]| [train, held_out].map(|rows| loss(rows, weights, slope));
        let before = losses(&start);
        host.note(format!(
            "{} positions, {} of them held out; an extra pawn is worth {:.1} % of a game",
            thousands((train.len() + held_out.len()) as u64),
            thousands(held_out.len() as u64),
            100.0 * expected_result(100.0, slope) - 50.0
        ));
        host.note(report("start", before));
        let progress = host.begin_progress(plan.steps.into());
        let mut fitting = Fitting::new(train, start, slope, plan);
        while fitting.advance() {
            let done = fitting.steps_done();
            progress.set_part_done(done.into());
            if done.is_multiple_of(REPORT) {
                progress.note(report(&format!("step {done}"), losses(fitting.weights())));
            }
            host.check_cancelled()?;
        }
        drop(progress);
        let wrong = |error| RunError::input(format!("{error}"));
        let file = fitting::file_of_fit(fitting.weights(), command).map_err(wrong)?;
        let after = losses(&pairs(&fitting::weights_of(&file).map_err(wrong)?));
        host.note(report("whole numbers", after));
        Ok(Fitted {
            file: None,
            positions: train.len() + held_out.len(),
            held_out: held_out.len(),
            slope,
            before,
            after,
            weights: fitting::print(&file).map_err(wrong)?,
        })
    }
}

impl Origin {
    fn weights(self) -> Vec<Tapered> {
        match self {
            Origin::Guesses => pairs(&fitting::guesses()),
            Origin::Current => fitting::weights_of(&fitting::built_in_file()).map_or(Vec::new(), |w| pairs(&w)),
        }
    }
}

fn pairs(weights: &[(i16, i16)]) -> Vec<Tapered> {
    weights.iter().map(|&(middle, end)| [middle.into(), end.into()]).collect()
}

fn report(when: &str, [train, held_out]: [f64; 2]) -> String {
    format!("{when:>14}: loss {train:.5}, held out {held_out:.5}")
}
