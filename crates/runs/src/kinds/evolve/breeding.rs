//! An evolution at work: ask for a generation, measure it, tell the results, record it.
//!
//! A generation is measured on a sample of the problems, its candidates on all of them. The champion of all
//! generations is the result.

use std::collections::BTreeMap;

use plysmith_evolve::breeding::{self, Evolution, Individual};
use plysmith_evolve::fitness::{CaseResult, FitnessCase, FitnessStage};

use super::programs::ProgramCache;
use super::{Config, Event, Evolve, Evolved, Generation, LengthRow, Member};
use crate::error::RunError;
use crate::kind::Context;

/// Breeds from the first generation to the last.
pub fn breed(config: &Config, cases: Vec<FitnessCase>, context: &mut Context<Evolve>) -> Result<Evolved, RunError> {
    let services = context.services().clone();
    let plan = config.plan();
    let each = config.population as u64 * config.islands as u64;
    let progress = services.begin_progress(u64::from(config.generations) * each);
    progress.message("the reference solver on all problems");
    let cache = ProgramCache::new(cases, config.suite.0.content_key(), plan.measure, config.budget, services)?;
    let mut evolution = Evolution::new(plan, &cache.cases, &config.founders);
    let mut best: Option<Evolved> = None;
    while let Some(number) = evolution.number() {
        let so_far = best.as_ref().map_or(String::new(), |best| format!("; best so far {:.1}", best.fitness));
        progress.message(format!("generation {} of {}{so_far}", number + 1, config.generations));
        let (programs, sample) = (evolution.ask(), evolution.sample());
        cache.measure(&programs, &sample, &|done| progress.set_part_done(done as u64))?;
        let generation = evolution.tell(|program| cache.results(program, &sample));
        progress.finish_part(each);
        let Some(champion) = champion(config, &cache, &generation)? else { break };
        context.record(Event::Generation(champion.event(&generation, &cache.cases)))?;
        if best.as_ref().is_none_or(|best| champion.is_better_than(best)) {
            evolution.set_champion(champion.island, champion.individual.program.clone());
            best = Some(champion.evolved(config, number));
        }
        evolution.next_generation(&generation);
        // Programs that died out hardly ever come back.
        cache.retain(&programs);
    }
    best.ok_or_else(|| RunError::input("there was no generation"))
}

/// The candidate of a generation that does best on all problems.
struct Champion<'a> {
    island: usize,
    individual: &'a Individual,
    /// On all problems.
    fitness: f64,
    results: Vec<(&'a FitnessCase, CaseResult)>,
}

fn champion<'a>(
    config: &Config,
    cache: &'a ProgramCache,
    generation: &'a breeding::Generation,
) -> Result<Option<Champion<'a>>, RunError> {
    let all: Vec<usize> = (0..cache.cases.len()).collect();
    let mut champion: Option<Champion<'_>> = None;
    for (island, individual) in generation.candidates() {
        cache.measure(std::slice::from_ref(&individual.program), &all, &|_| {})?;
        let results = cache.results(&individual.program, &all);
        let fitness = config.fitness.fitness(FitnessStage::Late, &results);
        if champion.as_ref().is_none_or(|champion| fitness > champion.fitness) {
            champion = Some(Champion { island, individual, fitness, results });
        }
    }
    Ok(champion)
}

impl Champion<'_> {
    /// Fitter than the best so far, or as fit and smaller.
    fn is_better_than(&self, best: &Evolved) -> bool {
        self.fitness > best.fitness || self.fitness == best.fitness && self.individual.program.size() < best.size
    }

    fn evolved(&self, config: &Config, generation: u32) -> Evolved {
        let program = &self.individual.program;
        Evolved {
            program: program.to_string(),
            generation,
            fitness: self.fitness,
            size: program.size(),
            lengths: by_length(&self.results),
            generations: config.generations,
        }
    }

    fn event(&self, generation: &breeding::Generation, cases: &[FitnessCase]) -> Generation {
        let Champion { individual, fitness, results, .. } = self;
        let member = |individual: &Individual| Member {
            program: individual.program.to_string(),
            fitness: individual.fitness,
            proved: individual.proved,
        };
        Generation {
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
            proved: results.iter().filter(|(_, result)| result.is_solved).count(),
            nodes: results.iter().map(|(_, result)| result.nodes).sum(),
            islands: generation.islands.iter().map(|island| island.iter().map(member).collect()).collect(),
        }
    }
}

/// Results by the length of the mate.
fn by_length(results: &[(&FitnessCase, CaseResult)]) -> Vec<LengthRow> {
    let mut rows: BTreeMap<u8, LengthRow> = BTreeMap::new();
    for (case, result) in results {
        let moves = case.moves;
        let row = rows.entry(moves).or_insert(LengthRow { moves, problems: 0, proved: 0, nodes: 0, reference: 0 });
        row.problems += 1;
        row.proved += usize::from(result.is_solved);
        row.nodes += result.nodes;
        row.reference += case.reference;
    }
    rows.into_values().collect()
}
