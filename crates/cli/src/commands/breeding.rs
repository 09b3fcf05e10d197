//! An evolution at work: evolution, threads and journal wired together.
//!
//! What a program does on a sample is stored under the hash of all that it depends on the moment it is known. Resuming is
//! doing it all again with these results at hand.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use plysmith_core::games::chess::INFO;
use plysmith_core::search;
use plysmith_core::problem::Suite;
use plysmith_core::suite::text;
use plysmith_engine::parallel::all_cores;
use plysmith_engine::parallel::in_order_noting;
use plysmith_evolve::breeding::{Evolution, Generation, Individual};
use plysmith_evolve::fitness::{CaseResult, FitnessCase, FitnessMeasure, FitnessStage};
use plysmith_evolve::language::Program;
use plysmith_evolve::solvers::AlphaBeta;
use plysmith_evolve::solvers::{MateQuery, Solver};
use plysmith_store::{Store, StoreError};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::evolve::{Config, Evolved, GENERATION, GenerationEvent, LengthRow, Member};
use super::mates::cases_of;
use crate::failure::Failure;
use crate::signals;
use crate::journal::Journal;
use crate::progress;

/// Nodes that the reference solver may spend; what it does not solve counts with these.
const REFERENCE_BUDGET: u64 = 300_000;
/// By the paper's fitness, a program may reach half as many boards again as the reference solver; but always so many.
const LEAST_BUDGET: u64 = 1_000;

/// All that a stored result depends on. Equal jobs have equal results, on any machine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct ProgramJob {
    /// `alpha-beta`, or a program's text.
    solver: String,
    /// The content key of the suite.
    suite: String,
    /// Places in the suite.
    cases: Vec<usize>,
    /// Boards a problem, at most, and by which fitness they are given out.
    budget: u64,
    measure: String,
    search_revision: u32,
    revision: u32,
}

impl ProgramJob {
    fn key(&self) -> String {
        let ProgramJob { solver, suite, cases, budget, measure, search_revision, revision } = self;
        let text = format!("hunt\n{solver}\n{suite}\n{cases:?}\n{budget} {measure}\n{search_revision}\n{revision}");
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }
}

/// Measures programs, and never twice.
struct ProgramCache<'a> {
    store: &'a Store,
    journal: &'a Journal,
    suite_key: String,
    fitness: FitnessMeasure,
    budget: u64,
    cases: Vec<FitnessCase>,
    threads: NonZeroUsize,
    /// What is known of each program, by the place of the problem.
    known: RefCell<HashMap<Program, BTreeMap<usize, CaseResult>>>,
}

/// Whether an evolution can be begun with this.
pub fn check(config: &Config) -> Result<(), Failure> {
    cases_of(&suite_of(config)?).map(drop)
}

/// Breeds from the first generation to the last.
pub fn breed(config: &Config, journal: &Journal, threads: Option<NonZeroUsize>) -> Result<Evolved, Failure> {
    let suite = suite_of(config)?;
    let threads = threads.unwrap_or_else(all_cores);
    let plan = config.plan();
    let mut cache = ProgramCache {
        store: journal.store(),
        journal,
        suite_key: suite.content_key(),
        fitness: plan.measure,
        budget: config.budget,
        cases: cases_of(&suite)?,
        threads,
        known: RefCell::default(),
    };
    let progress = progress::begin(u64::from(config.generations) * config.population as u64 * config.islands as u64);
    progress.message("the reference solver on all problems".to_string());
    cache.set_references()?;
    let mut evolution = Evolution::new(plan.clone(), &cache.cases, &founders_of(config)?);
    let mut best: Option<Evolved> = None;
    while let Some(number) = evolution.number() {
        let crown = best.as_ref().map_or(String::new(), |best| format!("; best so far {:.1}", best.fitness));
        progress.message(format!("generation {} of {}{crown}", number + 1, config.generations));
        let (programs, sample) = (evolution.ask(), evolution.sample());
        cache.measure(&programs, &sample, &|done| progress.set_part_done(done as u64))?;
        let generation = evolution.tell(|program| cache.results(program, &sample));
        progress.finish_part(config.population as u64 * config.islands as u64);
        let Some(champion) = cache.champion(&generation)? else { break };
        journal.record(GENERATION, &event_of(&generation, &cache.cases, &champion))?;
        let (program, fitness) = (&champion.individual.program, champion.fitness);
        let is_better =
            |best: &Evolved| fitness > best.fitness || fitness == best.fitness && program.size() < best.size;
        if best.as_ref().is_none_or(is_better) {
            evolution.set_champion(champion.island, program.clone());
            best = Some(Evolved {
                program: program.to_string(),
                generation: number,
                fitness,
                size: program.size(),
                lengths: by_length(&champion.results),
                generations: config.generations,
            });
        }
        evolution.next_generation(&generation);
        // What died out will hardly come back, and need not be kept.
        cache.known.borrow_mut().retain(|program, _| programs.contains(program));
    }
    best.ok_or_else(|| Failure::input("there was no generation"))
}

fn founders_of(config: &Config) -> Result<Vec<Program>, Failure> {
    let read = |text: &String| text.parse().map_err(|error| Failure::input(format!("a founder of the run:{error}")));
    config.founders.iter().map(read).collect()
}

fn suite_of(config: &Config) -> Result<Suite, Failure> {
    text::parse(&INFO, &config.suite_name, &config.suite)
        .map_err(|error| Failure::input(format!("{}:{error}", config.suite_name)))
}

impl ProgramCache<'_> {
    /// Lets the reference solver solve all problems, and sets the programs' budgets by that.
    fn set_references(&mut self) -> Result<(), Failure> {
        let job = self.job("alpha-beta".to_string(), (0..self.cases.len()).collect(), REFERENCE_BUDGET);
        let counts: Vec<u64> = match self.store.result(&job.key())? {
            Some(measurement) => measurement.decode()?,
            None => {
                let mut counts = Vec::new();
                let mut tools: Vec<AlphaBeta> = (0..self.threads.get()).map(|_| AlphaBeta::default()).collect();
                let all = &self.cases;
                let work = |solver: &mut AlphaBeta, index: u64| {
                    let FitnessCase { position, moves, .. } = &all[index as usize];
                    let (moves, interrupt) = (*moves, &signals::is_cancelled);
                    let answer = solver.solve(&MateQuery { position, moves, budget: REFERENCE_BUDGET, interrupt });
                    (!signals::is_cancelled()).then_some(answer.nodes)
                };
                in_order_noting(
                    0..self.cases.len() as u64,
                    &mut tools,
                    |_, solver, index| work(solver, index),
                    |_, _| ControlFlow::Continue(()),
                    |_, nodes| {
                        counts.push(nodes);
                        ControlFlow::Continue(())
                    },
                );
                if counts.len() < self.cases.len() {
                    return Err(Failure::Interrupted(Some(self.journal.run())));
                }
                self.store.put_result(&job.key(), counts.len() as u32, &job, &counts)?;
                counts
            }
        };
        for (case, reference) in self.cases.iter_mut().zip(counts) {
            case.reference = reference;
            case.budget = match self.fitness {
                FitnessMeasure::Paper => (reference.saturating_mul(3) / 2).max(LEAST_BUDGET).min(self.budget),
                FitnessMeasure::Plain => self.budget,
            };
        }
        Ok(())
    }

    fn job(&self, solver: String, cases: Vec<usize>, budget: u64) -> ProgramJob {
        let (suite, revision) = (self.suite_key.clone(), plysmith_evolve::REVISION);
        let measure = self.fitness.to_string();
        ProgramJob { solver, suite, cases, budget, measure, search_revision: search::REVISION, revision }
    }

    /// Sees to it that the programs are known on these problems.
    fn measure(&self, programs: &[Program], cases: &[usize], progress: &dyn Fn(usize)) -> Result<(), Failure> {
        let mut unknown = Vec::new();
        for program in programs {
            let job = self.job(program.to_string(), cases.to_vec(), self.budget);
            match self.store.result(&job.key())? {
                Some(measurement) => self.learn(program, cases, &measurement.decode::<Vec<CaseResult>>()?),
                None => unknown.push((program, job)),
            }
        }
        let known = self.known.borrow().clone();
        let known_before = programs.len() - unknown.len();
        progress(known_before);
        // Workers share the problems; the store and the journal stay with this thread.
        let all = &self.cases;
        let work = |index: u64| {
            let program = unknown[index as usize].0;
            let known = known.get(program);
            let attempt = |&place: &usize| match known.and_then(|known| known.get(&place)) {
                Some(&result) => result,
                None => all[place].evaluate(program, &signals::is_cancelled),
            };
            let results: Vec<CaseResult> = cases.iter().map(attempt).collect();
            (!signals::is_cancelled()).then_some(results)
        };
        let mut failure: Option<StoreError> = None;
        let mut done = 0;
        in_order_noting(
            0..unknown.len() as u64,
            &mut vec![(); self.threads.get()],
            |_, (), index| work(index),
            |index, results| {
                let (_, job) = &unknown[index as usize];
                match self.store.put_result(&job.key(), results.len() as u32, job, results) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        failure = Some(error);
                        ControlFlow::Break(())
                    }
                }
            },
            |index, results| {
                self.learn(unknown[index as usize].0, cases, &results);
                done += 1;
                progress(known_before + done);
                ControlFlow::Continue(())
            },
        );
        match failure {
            Some(error) => Err(error.into()),
            None if done < unknown.len() => Err(Failure::Interrupted(Some(self.journal.run()))),
            None => Ok(()),
        }
    }

    /// The candidate of a generation that does best on all problems.
    fn champion<'a>(&'a self, generation: &'a Generation) -> Result<Option<Champion<'a>>, Failure> {
        let all: Vec<usize> = (0..self.cases.len()).collect();
        let mut champion: Option<Champion<'_>> = None;
        for (island, individual) in generation.candidates() {
            self.measure(std::slice::from_ref(&individual.program), &all, &|_| {})?;
            let results = self.results(&individual.program, &all);
            let fitness = self.fitness.fitness(FitnessStage::Late, &results);
            if champion.as_ref().is_none_or(|champion| fitness > champion.fitness) {
                champion = Some(Champion { island, individual, fitness, results });
            }
        }
        Ok(champion)
    }

    fn learn(&self, program: &Program, cases: &[usize], results: &[CaseResult]) {
        let mut known = self.known.borrow_mut();
        known.entry(program.clone()).or_default().extend(cases.iter().copied().zip(results.iter().copied()));
    }

    /// What a program did on these problems; it has been measured on them.
    fn results(&self, program: &Program, cases: &[usize]) -> Vec<(&FitnessCase, CaseResult)> {
        let known = self.known.borrow();
        let known = known.get(program);
        cases.iter().filter_map(|place| Some((&self.cases[*place], *known?.get(place)?))).collect()
    }
}

/// The candidate of a generation that does best on all problems.
struct Champion<'a> {
    island: usize,
    individual: &'a Individual,
    /// On all problems.
    fitness: f64,
    results: Vec<(&'a FitnessCase, CaseResult)>,
}

fn event_of(generation: &Generation, cases: &[FitnessCase], champion: &Champion<'_>) -> GenerationEvent {
    let Champion { individual, fitness, results, .. } = champion;
    let member = |individual: &Individual| Member {
        program: individual.program.to_string(),
        fitness: individual.fitness,
        proved: individual.proved,
    };
    GenerationEvent {
        number: generation.number,
        stage: match generation.stage {
            FitnessStage::Early => "early".to_string(),
            FitnessStage::Late => "late".to_string(),
        },
        sample: generation.sample.iter().map(|&place| cases[place].id.clone()).collect(),
        mean_fitness: generation.mean_fitness(),
        champion: individual.program.to_string(),
        fitness: individual.fitness,
        all_fitness: *fitness,
        proved: results.iter().filter(|(_, result)| result.is_proved).count(),
        nodes: results.iter().map(|(_, result)| result.nodes).sum(),
        islands: generation.islands.iter().map(|island| island.iter().map(member).collect()).collect(),
    }
}

/// Results by the length of the mate.
fn by_length(results: &[(&FitnessCase, CaseResult)]) -> Vec<LengthRow> {
    let mut rows: BTreeMap<u8, LengthRow> = BTreeMap::new();
    for (case, result) in results {
        let moves = case.moves;
        let row = rows.entry(moves).or_insert(LengthRow { moves, problems: 0, proved: 0, nodes: 0, reference: 0 });
        row.problems += 1;
        row.proved += usize::from(result.is_proved);
        row.nodes += result.nodes;
        row.reference += case.reference;
    }
    rows.into_values().collect()
}
