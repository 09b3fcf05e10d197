//! The tuning loop (Algorithm 1 of the paper) and the measurements that accompany it.
//!
//! Every candidate is measured on the training problems. The weights that stand for an iteration are also measured on
//! the held-out problems, which have no part in the learning. At the end each weight alone is set back to its start, to
//! see what it is worth. The engine as shipped is measured too, for comparison.
//!
//! Different weights can give the engine the same setting: options are coarse. A setting is measured once, and a batch
//! without a new setting is no iteration.

use std::collections::{BTreeMap, HashMap, HashSet};

use plysmith_core::parameter::{Parameter, Side, Thousandths, Weights};
use plysmith_engine::driver::{Candidate, SearchCandidate};
use plysmith_learn::tune::effect::Effects;
use plysmith_learn::tune::holdout::{PairedChange, overfits_after};
use plysmith_learn::tune::score::SuiteScore;
use plysmith_learn::tune::tuning::{StopReason, Tuning};

use super::config::{Choice, Config, Procedure};
use super::measuring::{Measured, Meter, Part, shared};
use super::result::{CandidateRow, Comparison, IterationRow, MethodRow, Probe, SettingRow, Totals, Tuned, TunedWeight};
use super::scale;
use super::tunable::{ShippedEngine, TunedEngine};
use super::verify::Opponents;
use super::view::{AS_SHIPPED, live_row};
use crate::error::RunError;
use crate::finding::Exclusion;
use crate::kind::{Context, RunKind};
use crate::progress::Progress;
use crate::services::Services;

/// An engine with training and held-out problems.
pub struct Session {
    engine: TunedEngine,
    meter: Meter,
    shipped: Option<Shipped>,
    /// The first weights that were measured with each setting.
    known: HashMap<String, Weights>,
}

/// The engine as shipped, ready to be measured.
struct Shipped {
    candidate: Candidate,
    identity: String,
}

/// A session at work in a run.
struct Work<'a, K> {
    config: &'a Config,
    session: &'a mut Session,
    context: &'a mut Context<K>,
    progress: Progress,
}

impl Session {
    /// Opens the engine and sets up the problems.
    pub fn open(config: &Config, services: &Services) -> Result<Session, RunError> {
        let engine = TunedEngine::open(config, services)?;
        let mut meter = Meter::open(config, &engine, services)?;
        let shipped = match config.procedure.is_first() {
            true => None,
            false => unless_engine_fails(engine.shipped(config, services), services)?.flatten(),
        };
        if let Some(shipped) = &shipped {
            meter.add_shipped(shipped, config, services)?;
        }
        let shipped = shipped.map(|ShippedEngine { candidate, identity, .. }| Shipped { candidate, identity });
        Ok(Session { engine, meter, shipped, known: HashMap::new() })
    }

    /// How many problems there are.
    fn count(&self, part: Part) -> usize {
        self.meter.names(part).len()
    }

    /// The engine with these weights and the engine as shipped, as players; none if it cannot play, or is the same.
    pub(super) fn opponents(&self, config: &Config, weights: &Weights) -> Result<Option<Opponents>, RunError> {
        let identity = self.engine.identity(weights)?;
        match &self.shipped {
            Some(shipped) if shipped.identity != identity => self.engine.opponents(config, weights),
            _ => Ok(None),
        }
    }
}

/// Learns the weights. Every iteration is stored as it is done.
pub fn learn<K: RunKind<Event: From<IterationRow> + From<Probe>>>(
    config: &Config,
    session: &mut Session,
    context: &mut Context<K>,
) -> Result<Tuned, RunError> {
    let mut work = Work::begin(config, session, context);
    let (tuning, rows) = work.descend(usize::MAX)?;
    let weights = choose(config, &tuning, &rows);
    work.conclude(&tuning, rows, &weights)
}

/// Learns with at most this many evaluations, and compares the best weights with the start.
pub(super) fn try_method<K: RunKind<Event: From<IterationRow>>>(
    config: &Config,
    session: &mut Session,
    context: &mut Context<K>,
    evaluations: usize,
) -> Result<MethodRow, RunError> {
    let mut work = Work::begin(config, session, context);
    work.progress.note(format!("{}:", config.method.optimiser));
    let (tuning, rows) = work.descend(evaluations)?;
    let weights = choose(config, &tuning, &rows);
    let start = config.space()?.start();
    Ok(MethodRow {
        optimiser: config.method.optimiser,
        evaluations: rows.iter().map(|row| row.batch.len()).sum(),
        iterations: rows.len(),
        best_in: tuning.best().map_or(0, |best| best.iteration),
        training: work.compare(&start, &weights, Part::Training)?,
        held_out: work.compare_held_out(&start, &weights)?,
        weights,
    })
}

/// What was learned with a limited number of evaluations.
pub(crate) struct Learned {
    /// The built-in engine with the best weights, or with the start if there was not even an iteration; none for an external one.
    pub candidate: Option<SearchCandidate>,
    /// Measurements of all training problems.
    pub evaluations: usize,
}

/// Learns with at most this many evaluations. Nothing else is measured but, after each iteration, the held-out problems.
pub(crate) fn learn_within<K: RunKind<Event: From<IterationRow>>>(
    config: &Config,
    context: &mut Context<K>,
    evaluations: usize,
) -> Result<Learned, RunError> {
    let mut session = Session::open(config, context.services())?;
    let mut work = Work::begin(config, &mut session, context);
    let (tuning, rows) = work.descend(evaluations)?;
    let mut weights = choose(config, &tuning, &rows);
    if rows.is_empty() {
        weights = config.space()?.start();
    }
    let candidate = session.engine.search_candidate(&weights)?;
    Ok(Learned { candidate, evaluations: rows.iter().map(|row| row.batch.len()).sum() })
}

/// The weights to return.
fn choose(config: &Config, tuning: &Tuning, rows: &[IterationRow]) -> Weights {
    // Nodes per problem: engines may have failed at different ones.
    let by_held_out =
        |one: &&IterationRow, other: &&IterationRow| one.held_out_mean().total_cmp(&other.held_out_mean());
    let weights = match config.choice {
        Choice::HeldOut => rows.iter().min_by(by_held_out).map(|row| row.weights.clone()),
        Choice::Training => tuning.best().map(|best| scale::weights(&config.scales(), &best.weights)),
    };
    weights.unwrap_or_default()
}

impl<'a, K: RunKind> Work<'a, K> {
    fn begin(config: &'a Config, session: &'a mut Session, context: &'a mut Context<K>) -> Work<'a, K> {
        let progress = context.services().begin_progress(1);
        Work { config, session, context, progress }
    }

    /// Iterates until the optimiser stops, or the next batch would exceed this many evaluations.
    fn descend(&mut self, evaluations: usize) -> Result<(Tuning, Vec<IterationRow>), RunError>
    where
        K::Event: From<IterationRow>,
    {
        let (mut tuning, scales) = (self.config.tuning()?, self.config.scales());
        let (mut rows, mut left) = (Vec::<IterationRow>::new(), evaluations);
        let mut measured = HashSet::new();
        while let Some(asked) = tuning.ask().filter(|asked| asked.len() <= left) {
            let batch: Vec<_> = asked.iter().map(|weights| scale::weights(&scales, weights)).collect();
            if !self.config.procedure.is_first() {
                let settings = batch.iter().map(|weights| self.session.engine.identity(weights));
                let settings = settings.collect::<Result<Vec<_>, _>>()?;
                if settings.iter().all(|setting| measured.contains(setting)) {
                    let (_, scores) = self.score_all(&batch)?;
                    tuning.tell_repeat(&scores);
                    continue;
                }
                measured.extend(settings);
            }
            self.announce(rows.len(), &batch);
            let row = self.iterate(&mut tuning, &batch, &rows)?;
            self.context.record(row.clone())?;
            self.progress.note(live_row(self.config, &row));
            rows.push(row);
            left -= batch.len();
        }
        Ok((tuning, rows))
    }

    /// Sets the length of the progress bar, as if all iterations were made and cost as much as this one.
    fn announce(&self, done: usize, batch: &[Weights]) {
        let [training, held_out] = [Part::Training, Part::HeldOut].map(|part| self.session.count(part));
        let iteration = batch.len() * training + held_out;
        let probes = self.config.names().len() * training;
        self.progress.set_steps((iteration * self.config.method.iterations as usize + probes) as u64);
        self.progress.message(format!("iteration {}, {} candidates around {}", done + 1, batch.len(), batch[0]));
    }

    fn iterate(
        &mut self,
        tuning: &mut Tuning,
        batch: &[Weights],
        before: &[IterationRow],
    ) -> Result<IterationRow, RunError> {
        let (measured, scores) = self.score_all(batch)?;
        let iteration = tuning.tell(&scores);
        let chosen = &batch[iteration.chosen];
        let held_out = match self.session.count(Part::HeldOut) {
            0 => None,
            _ => Some(self.measure(chosen, Part::HeldOut)?),
        };
        let [training, others] = [Part::Training, Part::HeldOut].map(|part| self.session.meter.names(part));
        let mut excluded: Vec<_> = measured.iter().flat_map(|one| names_of_excluded(one, training)).collect();
        excluded.extend(held_out.iter().flat_map(|one| names_of_excluded(one, others)));
        excluded.sort();
        excluded.dedup();
        let mut failures = BTreeMap::new();
        let failed = measured.iter().map(|one| (one, training)).chain(held_out.iter().map(|one| (one, others)));
        for (one, names) in failed.filter(|_| self.config.procedure.names_failures()) {
            add_failures(&mut failures, one, names);
        }
        let held_out = held_out.map(|one| on_its_own(&one).score());
        let SuiteScore { nodes, solved, problems, .. } = scores[iteration.chosen];
        Ok(IterationRow {
            optimiser: self.config.method.optimiser,
            iteration: iteration.number,
            weights: chosen.clone(),
            nodes,
            solved,
            problems,
            relative: before.first().map_or(1.0, |start| relative(nodes, problems, start)),
            held_out_nodes: held_out.map(|score| score.nodes),
            held_out_solved: held_out.map(|score| score.solved),
            held_out_problems: held_out.map(|score| score.problems),
            batch: batch.iter().zip(&scores).map(CandidateRow::new).collect(),
            excluded,
            failures: failures.into_iter().map(|(id, failure)| Exclusion { id, failure }).collect(),
            policy: self.config.experiment.policy.filter(|_| !self.config.procedure.is_first()),
        })
    }

    /// Measures a batch, and scores it on the problems that all of it has.
    fn score_all(&mut self, batch: &[Weights]) -> Result<(Vec<Measured>, Vec<SuiteScore>), RunError> {
        let measured = self.measure_all(batch)?;
        let common = shared(&measured);
        let scores = measured.iter().map(|one| one.on(&common).score()).collect();
        Ok((measured, scores))
    }

    /// Measures candidates on the training problems.
    fn measure_all(&mut self, batch: &[Weights]) -> Result<Vec<Measured>, RunError> {
        batch.iter().map(|weights| self.measure(weights, Part::Training)).collect()
    }

    fn measure(&mut self, weights: &Weights, part: Part) -> Result<Measured, RunError> {
        let candidate = Candidate::Weights(self.representative(weights)?);
        self.session.meter.measure(&candidate, part, &self.progress, self.context.services())
    }

    /// The weights under which this setting was measured first: the same setting is not measured again.
    fn representative(&mut self, weights: &Weights) -> Result<Weights, RunError> {
        if self.config.procedure.is_first() {
            return Ok(weights.clone());
        }
        let Session { engine, known, .. } = &mut *self.session;
        Ok(known.entry(engine.identity(weights)?).or_insert_with(|| weights.clone()).clone())
    }

    /// Measures the engine as shipped, if there is one.
    fn measure_shipped(&mut self, part: Part) -> Result<Option<Measured>, RunError> {
        let Session { meter, shipped, .. } = &mut *self.session;
        let Some(Shipped { candidate, .. }) = shipped else { return Ok(None) };
        if meter.names(part).is_empty() {
            return Ok(None);
        }
        self.progress.message("the engine as shipped");
        let measured = meter.measure_shipped(candidate, part, &self.progress, self.context.services());
        unless_engine_fails(measured, self.context.services())
    }

    /// Every setting once: the engine as shipped, the iterations, and the result.
    fn settings(
        &mut self,
        tuning: &Tuning,
        rows: &[IterationRow],
        weights: &Weights,
    ) -> Result<Vec<SettingRow>, RunError> {
        if self.config.procedure.is_first() {
            return Ok(Vec::new());
        }
        let Some(start) = rows.first() else { return Ok(Vec::new()) };
        let result = self.session.engine.identity(weights)?;
        let totals = |measured: &Measured| on_its_own(measured).totals();
        let row = |name: String, weights: Option<Weights>, training: Totals, held_out: Option<Totals>| SettingRow {
            relative: relative(training.nodes, training.problems, start),
            is_result: false,
            name,
            weights,
            training,
            held_out,
        };
        let mut table: Vec<(String, SettingRow)> = Vec::new();
        if let Some(training) = self.measure_shipped(Part::Training)? {
            let held_out = self.measure_shipped(Part::HeldOut)?;
            let identity = self.session.shipped.as_ref().map_or(String::new(), |shipped| shipped.identity.clone());
            let row = row(AS_SHIPPED.to_string(), None, totals(&training), held_out.as_ref().map(totals));
            table.push((identity, row));
        }
        for one in rows {
            let identity = self.session.engine.identity(&one.weights)?;
            if let Some((_, known)) = table.iter_mut().find(|(other, _)| *other == identity) {
                if known.weights.is_none() {
                    known.name += &format!(", {}", one.iteration);
                    known.weights = Some(one.weights.clone());
                }
                continue;
            }
            let (training, held_out) = (one.training(), one.held_out());
            table.push((identity, row(one.iteration.to_string(), Some(one.weights.clone()), training, held_out)));
        }
        match table.iter_mut().find(|(identity, _)| *identity == result) {
            Some((_, known)) => {
                known.weights = Some(weights.clone());
                known.is_result = true;
            }
            None => {
                let training = totals(&self.measure(weights, Part::Training)?);
                let held_out = match self.session.count(Part::HeldOut) {
                    0 => None,
                    _ => Some(totals(&self.measure(weights, Part::HeldOut)?)),
                };
                let name = format!("chosen in {}", tuning.best().map_or(0, |best| best.iteration));
                let row = row(name, Some(weights.clone()), training, held_out);
                table.push((result, SettingRow { is_result: true, ..row }));
            }
        }
        Ok(table.into_iter().map(|(_, row)| row).collect())
    }

    /// Compares the weights with the start on both kinds of problems, and probes each weight.
    fn conclude(mut self, tuning: &Tuning, rows: Vec<IterationRow>, weights: &Weights) -> Result<Tuned, RunError>
    where
        K::Event: From<Probe>,
    {
        let config = self.config;
        let space = config.space()?;
        let start = space.start();
        let training = self.compare(&start, weights, Part::Training)?;
        let held_out = self.compare_held_out(&start, weights)?;
        let mut effects = tuning.effects().clone();
        let probes = self.probe(space.parameters(), weights, &mut effects)?;
        let tuned = space.parameters().iter().enumerate().map(|(index, parameter)| TunedWeight {
            name: parameter.name.clone(),
            start: Thousandths(parameter.start),
            value: Thousandths(weights.0[index]),
            pairs: effects.each()[index].pairs,
            changed: effects.each()[index].changed,
            largest_change: effects.each()[index].largest,
            is_idle: effects.each()[index].is_none(),
            probe: probes[index].clone(),
        });
        let by = |value: fn(&IterationRow) -> f64| rows.iter().map(value).collect::<Vec<_>>();
        let held = if held_out.is_some() { by(IterationRow::held_out_mean) } else { Vec::new() };
        let last = overfits_after(&by(IterationRow::mean), &held);
        let settings = self.settings(tuning, &rows, weights)?;
        let opponents = self.session.opponents(config, weights)?;
        let games = config.games.unwrap_or_default();
        Ok(Tuned {
            game: config.experiment.game.clone(),
            suite: config.graded.as_ref().map_or(&config.experiment.suite.name, |graded| &graded.suite_name).clone(),
            preset: config.experiment.engine_text(),
            nodes_a_problem: config.experiment.nodes,
            policy: config.policy()?,
            fitness: config.fitness.clone(),
            judge: config.graded.as_ref().map(|graded| graded.judge_text()),
            optimiser: config.method.optimiser,
            choice: config.choice,
            stop: tuning.stop().map_or(String::new(), |stop| stop_text(stop, config.procedure)),
            evaluations: rows.iter().map(|row| row.batch.len()).sum(),
            weights: tuned.collect(),
            training,
            held_out,
            last_to_carry_over: last.map(|place| rows[place].iteration),
            setting: self.session.engine.setting(weights, config.procedure)?,
            match_command: opponents.and_then(|opponents| opponents.command(games, config.experiment.seed)),
            games: None,
            settings,
            engine: self.session.engine.name(),
            iterations: rows,
        })
    }

    /// The start and the tuned weights, on the problems that both have.
    fn compare(&mut self, start: &Weights, tuned: &Weights, part: Part) -> Result<Comparison, RunError> {
        let both = [self.measure(start, part)?, self.measure(tuned, part)?];
        let common = shared(&both);
        let [before, after] = both.map(|one| one.on(&common));
        let change = PairedChange::between(&before.costs(), &after.costs());
        Ok(Comparison {
            start: before.totals(),
            tuned: after.totals(),
            change: change.map_or(0.0, |change| change.relative),
            error: change.and_then(|change| change.error),
        })
    }

    /// Compares on the held-out problems, if there are any.
    fn compare_held_out(&mut self, start: &Weights, tuned: &Weights) -> Result<Option<Comparison>, RunError> {
        match self.session.count(Part::HeldOut) {
            0 => Ok(None),
            _ => self.compare(start, tuned, Part::HeldOut).map(Some),
        }
    }

    /// Sets each weight alone back to its start or, if it is there, moves it.
    fn probe(
        &mut self,
        parameters: &[Parameter],
        weights: &Weights,
        effects: &mut Effects,
    ) -> Result<Vec<Probe>, RunError>
    where
        K::Event: From<Probe>,
    {
        let (mut probes, delta) = (Vec::new(), self.config.method.delta.0);
        for (index, parameter) in parameters.iter().enumerate() {
            self.progress.message(format!("what is {} worth?", parameter.name));
            let at = weights.0[index];
            let [up, down] = [Side::Above, Side::Below].map(|side| parameter.neighbour(at, delta, side));
            let others = [parameter.start, up, down, parameter.least, parameter.top()];
            let mut first = None;
            for value in others.into_iter().filter(|&value| value != at) {
                // One is enough, unless no change of this weight has had an effect yet: then all are tried.
                if first.is_some() && !effects.each()[index].is_none() {
                    break;
                }
                let PairedChange { relative, error } = self.change(weights, &weights.with(index, value), effects)?;
                let (name, value) = (parameter.name.clone(), Thousandths(value));
                first.get_or_insert(Probe { name, value, change: relative, error });
            }
            // A range has room for another value.
            if let Some(probe) = first {
                self.context.record(probe.clone())?;
                probes.push(probe);
            }
        }
        Ok(probes)
    }

    /// How many more nodes other weights need.
    fn change(&mut self, weights: &Weights, other: &Weights, effects: &mut Effects) -> Result<PairedChange, RunError> {
        let pair = [weights.clone(), other.clone()];
        let measured = self.measure_all(&pair)?;
        let common = shared(&measured);
        let parts = measured.iter().map(|one| one.on(&common)).collect::<Vec<_>>();
        effects.observe(&pair, &parts.iter().map(Measured::score).collect::<Vec<_>>());
        let change = PairedChange::between(&parts[0].costs(), &parts[1].costs());
        Ok(change.unwrap_or(PairedChange { relative: 0.0, error: None }))
    }
}

/// Why a run stopped. Version 0.1 had another text for an optimiser that would ask for nothing new.
fn stop_text(stop: StopReason, procedure: Procedure) -> String {
    match (stop, procedure) {
        (StopReason::Converged, Procedure::Second | Procedure::Third) => StopReason::Repeats.to_string(),
        (stop, _) => stop.to_string(),
    }
}

/// The engine as shipped may need what the mapping sets. That it fails is no reason not to tune it.
fn unless_engine_fails<T>(result: Result<T, RunError>, services: &Services) -> Result<Option<T>, RunError> {
    match result.map_err(|error| error.after(&services.cancel)) {
        Err(error @ (RunError::Engine(_) | RunError::Failed(_))) => {
            services.note(format!("note: the engine as shipped cannot be measured: {error}"));
            Ok(None)
        }
        result => result.map(Some),
    }
}

/// A measurement without the problems that it excluded.
fn on_its_own(measured: &Measured) -> Measured {
    measured.on(&shared(std::slice::from_ref(measured)))
}

/// The names of the problems that a measurement excluded.
fn names_of_excluded(measured: &Measured, names: &[String]) -> Vec<String> {
    measured.excluded().filter_map(|place| names.get(place)).cloned().collect()
}

/// Adds what engines did where they failed, once for each problem.
fn add_failures(failures: &mut BTreeMap<String, String>, measured: &Measured, names: &[String]) {
    for (place, failure) in measured.failures() {
        if let Some(name) = names.get(place) {
            failures.entry(name.clone()).or_insert_with(|| failure.to_string());
        }
    }
}

/// Nodes per problem, relative to another iteration.
fn relative(nodes: u64, problems: u32, start: &IterationRow) -> f64 {
    nodes as f64 / f64::from(problems.max(1)) / start.mean().max(1e-9)
}
