//! Measuring and telling, iteration by iteration: the loop of Algorithm 1, and what is measured beside it.
//!
//! Every candidate is measured on the training problems. What stands for an iteration is also measured on the held-out
//! ones, which have no part in the learning. In the end each weight alone is put back to where it started, to see
//! what it is worth.

use std::num::NonZeroUsize;

use plysmith_core::parameter::{Side, Thousandths, Weights};
use plysmith_core::problem::Suite;
use plysmith_engine::driver::Candidate;
use plysmith_runs::suite_runner::{Lab, Limits, all_cores};
use plysmith_engine::measurement::{Measurement, shared};
use plysmith_learn::tune::Effects;
use plysmith_learn::tune::ParameterSpace;
use plysmith_learn::tune::SuiteScore;
use plysmith_learn::tune::Tuning;
use plysmith_learn::tune::{PairedChange, overfits_after};

use super::config::{Choice, Config};
use super::result::{CandidateRow, Comparison, IterationRow, MethodRow, Probe, Totals, Tuned, TunedWeight};
use super::text::live_row;
use super::{ITERATION, PROBE};
use crate::commands::subject::Tunable;
use crate::failure::Failure;
use crate::journal::Journal;
use crate::progress;
use crate::workbench::Assistant;

/// A lab with the two kinds of problems.
pub struct Session {
    engine: Tunable,
    lab: Lab,
    training: Suite,
    held_out: Suite,
    nodes: u64,
}

/// Which problems are meant.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Part {
    Training,
    HeldOut,
}

/// A session at work.
struct Work<'a> {
    session: &'a mut Session,
    journal: &'a Journal,
    progress: &'a Progress,
}

impl Session {
    /// Makes ready. Foreign engines are started when the first problem is asked.
    pub fn set_up(config: &Config, threads: Option<NonZeroUsize>) -> Result<Session, Failure> {
        let [training, held_out] = config.split()?;
        let limits = Limits { nodes: config.experiment.nodes, seed: config.experiment.seed };
        let threads = threads.unwrap_or_else(all_cores);
        let engine = Tunable::open(config)?;
        let mut lab = Lab::new(engine.subject(), training.clone(), limits, threads).map_err(Failure::input)?;
        engine.introduce(&mut lab, &config.experiment.read_suite()?)?;
        Ok(Session { engine, lab, training, held_out, nodes: config.experiment.nodes })
    }
}

/// Learns the weights; every iteration is recorded as it lands.
pub fn learn(config: &Config, session: &mut Session, journal: &Journal, progress: &Progress) -> Result<Tuned, Failure> {
    let mut work = Work { session, journal, progress };
    let (tuning, rows) = work.descend(config, usize::MAX)?;
    let weights = choose(config, &tuning, &rows)?;
    work.conclude(config, &tuning, rows, &weights)
}

/// Learns with at most so many evaluations, and says what the best weights are worth.
pub fn try_method(
    config: &Config,
    session: &mut Session,
    (journal, progress): (&Journal, &Progress),
    evaluations: usize,
) -> Result<MethodRow, Failure> {
    let mut work = Work { session, journal, progress };
    let (tuning, rows) = work.descend(config, evaluations)?;
    let weights = choose(config, &tuning, &rows)?;
    let start = config.space()?.start();
    Ok(MethodRow {
        optimiser: config.method.optimiser.clone(),
        evaluations: rows.iter().map(|row| row.batch.len()).sum(),
        iterations: rows.len(),
        best_in: tuning.best().map_or(0, |best| best.iteration),
        weights: weights.to_string(),
        training: work.compare(&start, &weights, Part::Training)?,
        held_out: work.compare_held_out(&start, &weights)?,
    })
}

/// The weights to return.
fn choose(config: &Config, tuning: &Tuning, rows: &[IterationRow]) -> Result<Weights, Failure> {
    // Nodes a problem: engines may have failed at different ones.
    let by_held_out =
        |one: &&IterationRow, other: &&IterationRow| one.held_out_mean().total_cmp(&other.held_out_mean());
    let text = match config.choice {
        Choice::HeldOut => rows.iter().min_by(by_held_out).map(|row| row.weights.clone()),
        Choice::Training => tuning.best().map(|best| best.weights.to_string()),
    };
    text.unwrap_or_default().parse().map_err(Failure::input)
}

impl Work<'_> {
    /// Iterates until the run is over, or another batch would be more than so many evaluations.
    fn descend(&mut self, config: &Config, evaluations: usize) -> Result<(Tuning, Vec<IterationRow>), Failure> {
        let space = config.space()?;
        let mut tuning = config.tuning()?;
        let (mut rows, mut left) = (Vec::<IterationRow>::new(), evaluations);
        while let Some(batch) = tuning.ask().map(<[Weights]>::to_vec).filter(|batch| batch.len() <= left) {
            self.announce(config, rows.len(), &batch);
            let row = IterationRow {
                optimiser: config.method.optimiser.clone(),
                ..self.iterate(&mut tuning, &batch, &rows)?
            };
            self.journal.record(ITERATION, &row)?;
            self.progress.note(live_row(&space, &row));
            rows.push(row);
            left -= batch.len();
        }
        Ok((tuning, rows))
    }

    /// Sets the bar: iterations to come cost as much as this one, if none ends the run before.
    fn announce(&self, config: &Config, done: usize, batch: &[Weights]) {
        let (training, held_out) = (self.session.training.problems.len(), self.session.held_out.problems.len());
        let iteration = batch.len() * training + held_out;
        let probes = config.parameters.len() * training;
        self.progress.set_steps((iteration * config.method.iterations as usize + probes) as u64);
        self.progress.message(format!("iteration {}, {} candidates around {}", done + 1, batch.len(), batch[0]));
    }

    fn iterate(
        &mut self,
        tuning: &mut Tuning,
        batch: &[Weights],
        before: &[IterationRow],
    ) -> Result<IterationRow, Failure> {
        let measured = self.measure_all(batch)?;
        let common = shared(&measured);
        let scores: Vec<SuiteScore> = measured.iter().map(|one| score(&one.on(&common), self.session.nodes)).collect();
        let iteration = tuning.tell(&scores);
        let chosen = &batch[iteration.chosen];
        let held_out = match self.session.held_out.problems.is_empty() {
            true => None,
            false => Some(self.measure(chosen, Part::HeldOut)?),
        };
        let Session { training, held_out: others, .. } = &*self.session;
        let mut excluded: Vec<_> = measured.iter().flat_map(|one| names_of_excluded(one, training)).collect();
        excluded.extend(held_out.iter().flat_map(|one| names_of_excluded(one, others)));
        excluded.sort();
        excluded.dedup();
        let held_out = held_out.map(|one| score(&one.on(&shared([&one])), self.session.nodes));
        let SuiteScore { nodes, solved, problems, .. } = scores[iteration.chosen];
        Ok(IterationRow {
            optimiser: String::new(),
            iteration: iteration.number,
            weights: chosen.to_string(),
            nodes,
            solved,
            problems,
            relative: before.first().map_or(1.0, |start| relative(nodes, problems, start)),
            held_out_nodes: held_out.map(|score| score.nodes),
            held_out_solved: held_out.map(|score| score.solved),
            held_out_problems: held_out.map(|score| score.problems),
            batch: batch.iter().zip(&scores).map(CandidateRow::new).collect(),
            excluded,
        })
    }

    /// Measures candidates on the training problems.
    fn measure_all(&mut self, batch: &[Weights]) -> Result<Vec<Measurement>, Failure> {
        batch.iter().map(|weights| self.measure(weights, Part::Training)).collect()
    }

    fn measure(&mut self, weights: &Weights, part: Part) -> Result<Measurement, Failure> {
        let Session { lab, training, held_out, .. } = &mut *self.session;
        let suite = if part == Part::Training { training } else { held_out };
        lab.turn_to(suite).map_err(Failure::input)?;
        let assistant = Assistant { progress: self.progress, store: self.journal.store() };
        let measurement = assistant.measure(lab, &Candidate::Weights(weights.clone()), None);
        let measurement = measurement.map_err(|failure| failure.of_run(self.journal.run()))?;
        self.progress.finish_part(suite.problems.len() as u64);
        Ok(measurement)
    }

    /// What the weights are worth: against the start, on both kinds of problems, and each of them alone.
    fn conclude(
        mut self,
        config: &Config,
        tuning: &Tuning,
        rows: Vec<IterationRow>,
        weights: &Weights,
    ) -> Result<Tuned, Failure> {
        let space = config.space()?;
        let start = space.start();
        let training = self.compare(&start, weights, Part::Training)?;
        let held_out = self.compare_held_out(&start, weights)?;
        let mut effects = tuning.effects().clone();
        let probes = self.probe(config, &space, weights, &mut effects)?;
        let tuned = space.parameters().iter().enumerate().map(|(index, parameter)| TunedWeight {
            name: parameter.name.clone(),
            start: text(parameter.start),
            value: text(weights.0[index]),
            pairs: effects.each()[index].pairs,
            changed: effects.each()[index].changed,
            largest_change: effects.each()[index].largest,
            is_idle: effects.each()[index].is_none(),
            probe: probes[index].clone(),
        });
        let by = |value: fn(&IterationRow) -> f64| rows.iter().map(value).collect::<Vec<_>>();
        let held = if held_out.is_some() { by(IterationRow::held_out_mean) } else { Vec::new() };
        let last = overfits_after(&by(IterationRow::mean), &held);
        Ok(Tuned {
            game: config.experiment.game.clone(),
            suite: config.experiment.suite_name.clone(),
            preset: config.experiment.preset.clone(),
            nodes_a_problem: config.experiment.nodes,
            policy: config.policy.clone(),
            optimiser: config.method.optimiser.clone(),
            choice: config.choice,
            stop: tuning.stop().map_or(String::new(), |stop| stop.to_string()),
            evaluations: rows.iter().map(|row| row.batch.len()).sum(),
            weights: tuned.collect(),
            training,
            held_out,
            last_to_carry_over: last.map(|place| rows[place].iteration),
            setting: self.session.engine.setting(weights)?,
            engine: self.session.engine.name(),
            iterations: rows,
        })
    }

    /// The start and the tuned weights, on the problems that both have.
    fn compare(&mut self, start: &Weights, tuned: &Weights, part: Part) -> Result<Comparison, Failure> {
        let both = [self.measure(start, part)?, self.measure(tuned, part)?];
        let common = shared(&both);
        let [before, after] = both.map(|one| one.on(&common));
        let limit = self.session.nodes;
        let change = PairedChange::between(&before.costs(limit), &after.costs(limit));
        Ok(Comparison {
            start: Totals::of(&before, limit),
            tuned: Totals::of(&after, limit),
            change: change.map_or(0.0, |change| change.relative),
            error: change.and_then(|change| change.error),
        })
    }

    /// The same on the held-out problems, if there are any.
    fn compare_held_out(&mut self, start: &Weights, tuned: &Weights) -> Result<Option<Comparison>, Failure> {
        match self.session.held_out.problems.is_empty() {
            true => Ok(None),
            false => self.compare(start, tuned, Part::HeldOut).map(Some),
        }
    }

    /// Each weight alone put back to its start or, where it stands there, moved.
    fn probe(
        &mut self,
        config: &Config,
        space: &ParameterSpace,
        weights: &Weights,
        effects: &mut Effects,
    ) -> Result<Vec<Probe>, Failure> {
        let (mut probes, delta) = (Vec::new(), config.delta()?);
        for (index, parameter) in space.parameters().iter().enumerate() {
            self.progress.message(format!("what is {} worth?", parameter.name));
            let at = weights.0[index];
            let [up, down] = [Side::Above, Side::Below].map(|side| parameter.neighbour(at, delta, side));
            let others = [parameter.start, up, down, parameter.least, parameter.top()];
            let mut first = None;
            for value in others.into_iter().filter(|&value| value != at) {
                // One is enough, unless nothing has ever come of changing this weight: then all must say so.
                if first.is_some() && !effects.each()[index].is_none() {
                    break;
                }
                let PairedChange { relative, error } = self.change(weights, &weights.with(index, value), effects)?;
                let (name, value) = (parameter.name.clone(), text(value));
                first.get_or_insert(Probe { name, value, change: relative, error });
            }
            // A range has room for another value.
            if let Some(probe) = first {
                self.journal.record(PROBE, &probe)?;
                probes.push(probe);
            }
        }
        Ok(probes)
    }

    /// How many more nodes other weights need.
    fn change(&mut self, weights: &Weights, other: &Weights, effects: &mut Effects) -> Result<PairedChange, Failure> {
        let pair = [weights.clone(), other.clone()];
        let measured = self.measure_all(&pair)?;
        let common = shared(&measured);
        let parts = measured.iter().map(|one| one.on(&common)).collect::<Vec<_>>();
        let limit = self.session.nodes;
        effects.see(&pair, &parts.iter().map(|one| score(one, limit)).collect::<Vec<_>>());
        let change = PairedChange::between(&parts[0].costs(limit), &parts[1].costs(limit));
        Ok(change.unwrap_or(PairedChange { relative: 0.0, error: None }))
    }
}

/// The names of the problems that a measurement of this suite excluded.
fn names_of_excluded(measurement: &Measurement, suite: &Suite) -> Vec<String> {
    measurement.excluded().map(|(index, _)| suite.problems[index].id.clone()).collect()
}

fn text(units: i64) -> String {
    Thousandths(units).to_string()
}

/// Nodes a problem, relative to another iteration's.
fn relative(nodes: u64, problems: u32, start: &IterationRow) -> f64 {
    nodes as f64 / f64::from(problems.max(1)) / start.mean().max(1e-9)
}

fn score(measurement: &Measurement, limit: u64) -> SuiteScore {
    SuiteScore {
        nodes: measurement.costs(limit).iter().sum(),
        solved: measurement.solved(),
        problems: measurement.attempts.len() as u32,
        trace: measurement.trace(),
    }
}
