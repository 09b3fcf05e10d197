//! An evolution at work: ask for a generation, measure it, tell the results, record it.
//!
//! A generation is measured on a sample of the problems, in the stages of a race, its candidates on all problems. The
//! champion of all generations is refined from time to time. It is the result.

use std::collections::BTreeMap;

use plysmith_core::random::Random;
use plysmith_evolve::breeding::refine::{grown, neighbours};
use plysmith_evolve::breeding::{self, Evolution, Individual};
use plysmith_evolve::fitness::{CaseResult, FitnessCase, FitnessStage};
use plysmith_evolve::language::Program;

use super::programs::ProgramCache;
use super::{Config, Event, Evolve, Evolved, Generation, LengthRow, Member, Refined};
use crate::error::RunError;
use crate::kind::Context;
use crate::progress::Progress;

/// How often a program is replaced by one next to it in one refinement.
const MOST_STEPS: usize = 3;
/// In how many stages programs are measured on all problems in a race, and how many go on after each at most. Their number
/// falls fast, because the last problems cost a thousand times more than the first.
const GO_ON: [usize; 8] = [1500, 600, 200, 64, 24, 10, 5, 5];
/// Programs with one condition more that are tried in a step of a refinement, drawn at random if there are more.
const MOST_GROWN: usize = 6000;

/// Breeds from the first generation to the last.
pub fn breed(config: &Config, cases: Vec<FitnessCase>, context: &mut Context<Evolve>) -> Result<Evolved, RunError> {
    let services = context.services().clone();
    let each = config.population as u64 * config.islands as u64;
    let progress = services.begin_progress(u64::from(config.generations) * each);
    progress.message("the reference solver on all problems");
    let cache = ProgramCache::new(config, cases, services, &progress)?;
    let mut evolution = Evolution::new(config.plan(), &cache.cases, &config.founders);
    let mut best: Option<Best> = None;
    while let Some(number) = evolution.number() {
        let so_far = best.as_ref().map_or(String::new(), |best| format!("; best so far {:.1}", best.fitness));
        progress.message(format!("generation {} of {}{so_far}", number + 1, config.generations));
        let programs = evolution.ask();
        race(&evolution, &programs, &cache, &progress)?;
        let sample = evolution.sample();
        let generation = evolution.tell(|program| cache.results(program, &sample));
        progress.finish_part(each);
        let Some(champion) = champion(config, &cache, &generation, best.as_ref())? else { break };
        context.record(Event::Generation(champion.event(&generation, &cache.cases)))?;
        if best.as_ref().is_none_or(|best| champion.is_better_than(best)) {
            best = Some(champion.best(number));
        }
        if let Some(best) = best.as_mut().filter(|best| !best.is_refined && config.refines_after(number)) {
            progress.message(format!("generation {} of {}{so_far}; refinement", number + 1, config.generations));
            refine(config, &cache, best, number)?;
            context.record(Event::Refined(best.event(number, &cache)))?;
        }
        if let Some(best) = &best {
            evolution.set_champion(best.island, best.program.clone());
        }
        evolution.next_generation(&generation);
        // Programs that died out hardly ever come back.
        cache.retain(&[programs, best.iter().map(|best| best.program.clone()).collect()].concat());
    }
    let best = best.ok_or_else(|| RunError::input("there was no generation"))?;
    Ok(best.evolved(config, &cache))
}

/// Measures a generation on its sample, the fitter half after each stage.
fn race(
    evolution: &Evolution,
    programs: &[Program],
    cache: &ProgramCache,
    progress: &Progress,
) -> Result<(), RunError> {
    let stages = evolution.stages();
    let (mut left, mut so_far) = (programs.to_vec(), Vec::new());
    for (number, stage) in stages.iter().enumerate() {
        if number > 0 {
            left = evolution.survivors(&left, |program| cache.results(program, &so_far));
        }
        // Each program counts once in all, whether it stays behind or not.
        let before = (programs.len() - left.len()) as u64;
        let is_last = number + 1 == stages.len();
        cache.measure(&left, stage, &|done| {
            if is_last {
                progress.set_part_done(before + done as u64);
            }
        })?;
        so_far.extend(stage);
    }
    Ok(())
}

/// The best program so far.
struct Best {
    program: Program,
    island: usize,
    generation: u32,
    /// On all problems.
    fitness: f64,
    /// Whether no program next to it is better.
    is_refined: bool,
}

/// Replaces a program by the best one next to it, as long as that is better, or as good and smaller.
fn refine(config: &Config, cache: &ProgramCache, best: &mut Best, number: u32) -> Result<(), RunError> {
    let limits = config.plan().limits;
    for step in 0..MOST_STEPS {
        let purpose = format!("refinement after generation {number}, step {step}");
        let mut grown = grown(&best.program, config.dialect, limits);
        Random::for_purpose(config.seed, &purpose).shuffle(&mut grown);
        grown.truncate(MOST_GROWN);
        let left = [neighbours(&best.program, limits), grown].concat();
        let found = race_against(config, cache, Some(&best.program), left)?;
        let found = found.into_iter().reduce(|a, b| {
            let is_better = b.0 > a.0 || b.0 == a.0 && b.1.size() < a.1.size();
            if is_better { b } else { a }
        });
        let is_gain = |(fitness, program): &(f64, Program)| {
            *fitness > best.fitness || *fitness == best.fitness && program.size() < best.program.size()
        };
        let Some((fitness, program)) = found.filter(is_gain) else {
            best.is_refined = true;
            break;
        };
        (best.fitness, best.program) = (fitness, program);
    }
    Ok(())
}

/// Measures programs on all problems, the cheapest for the reference solver first. In a race, those that fall behind
/// `leader` are not measured on the costlier ones, and neither are all but the best of many. Returns the fitness of those
/// that were measured on all.
fn race_against(
    config: &Config,
    cache: &ProgramCache,
    leader: Option<&Program>,
    mut left: Vec<Program>,
) -> Result<Vec<(f64, Program)>, RunError> {
    let mut all: Vec<usize> = (0..cache.cases.len()).collect();
    all.sort_by_key(|&place| (cache.cases[place].reference, place));
    let is_race = config.stages > 1;
    let stages = if is_race { GO_ON.len() } else { 1 };
    let rate =
        |program: &Program, cases: &[usize]| config.fitness.fitness(FitnessStage::Late, &cache.results(program, cases));
    let mut so_far: Vec<usize> = Vec::new();
    for (stage, go_on) in all.chunks(all.len().div_ceil(stages).max(1)).zip(GO_ON) {
        cache.measure(&left, stage, &|_| {})?;
        so_far.extend(stage);
        if is_race {
            let own = leader.map_or(0.0, |leader| rate(leader, &so_far));
            let rated = left.into_iter().map(|program| (rate(&program, &so_far), program));
            let mut rated: Vec<(f64, Program)> = rated.filter(|(fitness, _)| *fitness >= own).collect();
            // Of equal ones, the smaller goes on.
            rated.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.size().cmp(&b.1.size())));
            rated.truncate(go_on);
            left = rated.into_iter().map(|(_, program)| program).collect();
        }
    }
    Ok(left.into_iter().map(|program| (rate(&program, &all), program)).collect())
}

impl Best {
    fn results<'c>(&self, cache: &'c ProgramCache) -> Vec<(&'c FitnessCase, CaseResult)> {
        cache.results(&self.program, &(0..cache.cases.len()).collect::<Vec<_>>())
    }

    fn event(&self, number: u32, cache: &ProgramCache) -> Refined {
        let results = self.results(cache);
        Refined {
            number,
            program: self.program.to_string(),
            fitness: self.fitness,
            solved: results.iter().filter(|(_, result)| result.is_solved).count(),
            nodes: results.iter().map(|(_, result)| result.nodes).sum(),
        }
    }

    fn evolved(&self, config: &Config, cache: &ProgramCache) -> Evolved {
        Evolved {
            program: self.program.to_string(),
            generation: self.generation,
            fitness: self.fitness,
            size: self.program.size(),
            lengths: by_length(&self.results(cache)),
            generations: config.generations,
        }
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

/// In a race, candidates that fall behind the best program so far are not measured on all problems; if all do, the first
/// is the champion of its generation, with what is known of it.
fn champion<'a>(
    config: &Config,
    cache: &'a ProgramCache,
    generation: &'a breeding::Generation,
    best: Option<&Best>,
) -> Result<Option<Champion<'a>>, RunError> {
    let all: Vec<usize> = (0..cache.cases.len()).collect();
    let candidates = generation.candidates();
    let programs = candidates.iter().map(|(_, individual)| individual.program.clone()).collect();
    let measured = race_against(config, cache, best.map(|best| &best.program), programs)?;
    let fitness = |program: &Program| measured.iter().find(|(_, other)| other == program).map(|(fitness, _)| *fitness);
    let mut champion: Option<Champion<'_>> = None;
    for (island, individual) in candidates {
        let fitness = fitness(&individual.program).unwrap_or(f64::NEG_INFINITY);
        if champion.as_ref().is_none_or(|champion| fitness > champion.fitness) {
            let results = cache.results(&individual.program, &all);
            champion = Some(Champion { island, individual, fitness, results });
        }
    }
    Ok(champion)
}

impl Champion<'_> {
    /// Fitter than the best so far, or as fit and smaller.
    fn is_better_than(&self, best: &Best) -> bool {
        let size = self.individual.program.size();
        self.fitness > best.fitness || self.fitness == best.fitness && size < best.program.size()
    }

    fn best(&self, generation: u32) -> Best {
        let program = self.individual.program.clone();
        Best { program, island: self.island, generation, fitness: self.fitness, is_refined: false }
    }

    fn event(&self, generation: &breeding::Generation, cases: &[FitnessCase]) -> Generation {
        let Champion { individual, fitness, results, .. } = self;
        let member = |individual: &Individual| Member {
            program: individual.program.to_string(),
            fitness: individual.fitness,
            proved: individual.solved,
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
            all_fitness: fitness.max(0.0),
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
