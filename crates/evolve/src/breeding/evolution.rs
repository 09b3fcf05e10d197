//! Generations of programs, as a state machine with an ask/tell interface.
//!
//! A generation is evaluated on a sample of the problems, with equally many of each mate length. Its fittest programs
//! are candidates: they are then evaluated on all problems, and the best of all generations is the champion. The
//! champion stays in the population until a better one is found, and it is the result of the run.
//!
//! *Racing*: a generation is measured in stages, on the problems that take the reference solver fewest nodes first.
//! After each stage but the last, only the fitter half goes on. Those that stay behind rank behind all others.
//!
//! Bloat is limited by the size limits, by hoist mutation, and by preferring the smaller of two equally fit programs.
//! Diversity: programs with exactly equal fitness almost always behave identically, so all but the smallest of them
//! rank behind all other programs.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use plysmith_core::random::Random;

use super::grow::ramped_half_and_half;
use super::individual::Individual;
use super::limits::SizeLimits;
use super::operators::{crossover, mutate};
use super::selection::Selection;
use crate::fitness::{CaseResult, FitnessCase, FitnessMeasure, FitnessStage, LATE};
use crate::language::Dialect;
use crate::language::Program;

/// Settings of an evolution, except for the problems.
#[derive(Clone, PartialEq, Debug)]
pub struct EvolutionSettings {
    /// The functions and terminals of the programs.
    pub dialect: Dialect,
    /// The fitness measure.
    pub measure: FitnessMeasure,
    /// Population size of each island.
    pub population: usize,
    /// Number of generations.
    pub generations: u32,
    /// Number of islands: populations that evolve separately.
    pub islands: usize,
    /// Migration interval: after this many generations the best program of each island is copied to the next island.
    pub migration: u32,
    /// How parents are selected.
    pub selection: Selection,
    /// Tournament size of the selection.
    pub tournament: usize,
    /// In how many stages a generation is measured.
    pub stages: usize,
    /// Elitism: this many of the fittest programs are copied unchanged.
    pub elite: usize,
    /// Reproduction rate: how many of a thousand children are copies of a parent.
    pub reproduction: usize,
    /// Crossover rate: how many of a thousand children have two parents. The rest are mutants.
    pub crossover: usize,
    /// Size limits of the programs.
    pub limits: SizeLimits,
    /// Problems of each length in a sample.
    pub sample: usize,
    /// The random seed.
    pub seed: u64,
}

/// An evaluated generation; each island is sorted, the fittest first.
#[derive(Clone, PartialEq, Debug)]
pub struct Generation {
    /// Its number, from 0.
    pub number: u32,
    /// The fitness stage it was evaluated in.
    pub stage: FitnessStage,
    /// The indices of the problems it was evaluated on.
    pub sample: Vec<usize>,
    /// The individuals of each island.
    pub islands: Vec<Vec<Individual>>,
}

/// An evolution in progress.
pub struct Evolution {
    plan: EvolutionSettings,
    /// The mate lengths of the problems, and the nodes of the reference solver.
    lengths: Vec<(u8, u64)>,
    number: u32,
    stage: FitnessStage,
    islands: Vec<Vec<Program>>,
    /// The best program on all problems so far, and its island.
    champion: Option<(usize, Program)>,
}

/// How many programs of a generation are evaluated on all problems.
const CANDIDATES: usize = 3;
/// Fewer programs than this are not halved any more.
const LEAST_SURVIVORS: usize = 16;

impl EvolutionSettings {
    /// The rates of the paper, on one island, with tournaments and without racing.
    pub const PAPER: EvolutionSettings = EvolutionSettings {
        dialect: Dialect::Recursive,
        measure: FitnessMeasure::Plain,
        selection: Selection::Tournament,
        stages: 1,
        population: 100,
        generations: 100,
        islands: 1,
        migration: 10,
        tournament: 4,
        elite: 2,
        reproduction: 350,
        crossover: 500,
        limits: SizeLimits { depth: 17, size: 150 },
        sample: 5,
        seed: 1,
    };

    /// Our rates: lexicase selection, racing, hardly any copies and many mutants.
    pub const OURS: EvolutionSettings = EvolutionSettings {
        dialect: Dialect::Rich,
        selection: Selection::Lexicase,
        stages: 4,
        reproduction: 50,
        crossover: 450,
        ..EvolutionSettings::PAPER
    };
}

impl Evolution {
    /// Creates the first generation: random programs, plus founders, which are distributed over the islands.
    pub fn new(plan: EvolutionSettings, cases: &[FitnessCase], founders: &[Program]) -> Evolution {
        let island = |island: usize| {
            let mut random = Random::for_purpose(plan.seed, &format!("island {island} first generation"));
            let dealt = founders.iter().skip(island).step_by(plan.islands.max(1));
            let mut programs: Vec<Program> = dealt.take(plan.population).cloned().collect();
            let mut seen: BTreeSet<Program> = programs.iter().cloned().collect();
            // Duplicates are drawn again, but only a limited number of times: there may be too few different small
            // programs.
            for attempt in 0.. {
                if programs.len() >= plan.population {
                    break;
                }
                let program = ramped_half_and_half(&mut random, plan.dialect, plan.limits);
                if seen.insert(program.clone()) || attempt > 10 * plan.population {
                    programs.push(program);
                }
            }
            programs
        };
        let islands = (0..plan.islands).map(island).collect();
        let lengths = cases.iter().map(|case| (case.moves, case.reference)).collect();
        Evolution { plan, lengths, number: 0, stage: FitnessStage::Early, islands, champion: None }
    }

    /// The number of the generation to evaluate, or `None` when all are done.
    pub fn number(&self) -> Option<u32> {
        (self.number < self.plan.generations).then_some(self.number)
    }

    /// The problems to evaluate the generation on, ascending: equally many of each length, drawn at random.
    pub fn sample(&self) -> Vec<usize> {
        let mut random = Random::for_purpose(self.plan.seed, &format!("sample of generation {}", self.number));
        let lengths: BTreeSet<u8> = self.lengths.iter().map(|(length, _)| *length).collect();
        let mut sample = Vec::new();
        for length in lengths {
            let mut places: Vec<usize> = (0..self.lengths.len()).filter(|&at| self.lengths[at].0 == length).collect();
            random.shuffle(&mut places);
            sample.extend(places.into_iter().take(self.plan.sample));
        }
        sample.sort_unstable();
        sample
    }

    /// The problems of the sample in the stages of a race, the cheapest first.
    pub fn stages(&self) -> Vec<Vec<usize>> {
        let mut sample = self.sample();
        sample.sort_by_key(|&place| (self.lengths[place].1, place));
        let size = sample.len().div_ceil(self.plan.stages.max(1)).max(1);
        sample.chunks(size).map(<[usize]>::to_vec).collect()
    }

    /// The programs that go on after a stage: the fitter half, at least as many as parents are needed from.
    pub fn survivors<'c>(
        &self,
        programs: &[Program],
        result: impl Fn(&Program) -> Vec<(&'c FitnessCase, CaseResult)>,
    ) -> Vec<Program> {
        let mut rated: Vec<Individual> = programs.iter().map(|program| self.rate(program, &result(program))).collect();
        rated.sort_by(Individual::rank);
        let rated = duplicates_last(rated);
        let keep = programs.len().div_ceil(2).max(LEAST_SURVIVORS.min(programs.len()));
        rated.into_iter().take(keep).map(|individual| individual.program).collect()
    }

    fn rate(&self, program: &Program, results: &[(&FitnessCase, CaseResult)]) -> Individual {
        let (measure, stage) = (self.plan.measure, self.stage);
        let solved = results.iter().filter(|(_, result)| result.is_solved).count();
        let scores = results.iter().map(|(case, result)| measure.score(stage, case, *result)).collect();
        let fitness = measure.fitness(stage, results);
        Individual { program: program.clone(), fitness, solved, scores, is_duplicate: false }
    }

    /// The distinct programs to evaluate.
    pub fn ask(&self) -> Vec<Program> {
        let mut seen = BTreeSet::new();
        self.islands.iter().flatten().filter(|program| seen.insert(*program)).cloned().collect()
    }

    /// Ranks the generation. `result` returns the results of a program on the cases of the sample that it was measured
    /// on, for every program that [`ask`](Evolution::ask) returned.
    pub fn tell<'c>(&self, result: impl Fn(&Program) -> Vec<(&'c FitnessCase, CaseResult)>) -> Generation {
        let stage = self.stage;
        let ranked = |programs: &Vec<Program>| {
            let mut individuals: Vec<_> = programs.iter().map(|program| self.rate(program, &result(program))).collect();
            individuals.sort_by(Individual::rank);
            duplicates_last(individuals)
        };
        let sample = self.sample();
        let islands: Vec<Vec<_>> = self.islands.iter().map(ranked).collect();
        Generation { number: self.number, stage, sample, islands }
    }

    /// Sets the champion, a candidate of this island.
    pub fn set_champion(&mut self, island: usize, program: Program) {
        self.champion = Some((island, program));
    }

    /// Creates the next generation by selection, crossover and mutation.
    pub fn next_generation(&mut self, generation: &Generation) {
        let solved = generation.champion().map_or(0, |champion| champion.solved);
        if solved * 100 > LATE * generation.sample.len() {
            self.stage = FitnessStage::Late;
        }
        self.number += 1;
        self.islands = (0..self.plan.islands).map(|island| self.offspring(&generation.islands, island)).collect();
    }

    /// The next generation of an island.
    fn offspring(&self, islands: &[Vec<Individual>], island: usize) -> Vec<Program> {
        let parents = &islands[island];
        let champion = self.champion.iter().filter(|(home, _)| *home == island).map(|(_, program)| program);
        let elite = parents.iter().take(self.plan.elite).map(|parent| &parent.program);
        let mut children: Vec<Program> = champion.chain(elite).cloned().collect();
        children.dedup();
        let is_migration = self.plan.islands > 1 && self.number.is_multiple_of(self.plan.migration.max(1));
        if is_migration {
            let other = (island + self.plan.islands - 1) % self.plan.islands;
            children.extend(islands[other].first().map(|migrant| migrant.program.clone()));
        }
        for place in children.len()..self.plan.population {
            let purpose = format!("island {island} generation {} child {place}", self.number);
            children.push(self.child(parents, &mut Random::for_purpose(self.plan.seed, &purpose)));
        }
        children.truncate(self.plan.population);
        children
    }

    fn child(&self, parents: &[Individual], random: &mut Random) -> Program {
        let EvolutionSettings { selection, tournament, limits, dialect, reproduction, crossover: of_two, .. } =
            self.plan;
        let select = |random: &mut Random| &selection.select(parents, tournament, random).program;
        let lot = random.below(1000);
        let parent = select(random);
        match lot {
            _ if lot < reproduction => parent.clone(),
            _ if lot < reproduction + of_two => {
                let father = select(random);
                crossover(random, parent, father, limits)
            }
            _ => mutate(random, parent, dialect, limits),
        }
    }
}

/// Moves programs with exactly the fitness of a program before them behind all others that were measured as far.
fn duplicates_last(ranked: Vec<Individual>) -> Vec<Individual> {
    let mut last = None;
    let mark = |individual: Individual| {
        let does = Some((individual.scores.len(), individual.fitness.to_bits(), individual.solved));
        Individual { is_duplicate: std::mem::replace(&mut last, does) == does, ..individual }
    };
    let mut marked: Vec<Individual> = ranked.into_iter().map(mark).collect();
    marked.sort_by_key(|individual| (Reverse(individual.scores.len()), individual.is_duplicate));
    marked
}

impl Generation {
    /// The fittest program of all islands.
    pub fn champion(&self) -> Option<&Individual> {
        self.islands.iter().filter_map(|island| island.first()).min_by(|a, b| a.rank(b))
    }

    /// The programs that are worth evaluating on all problems, with their islands.
    pub fn candidates(&self) -> Vec<(usize, &Individual)> {
        let mut all = Vec::new();
        for (island, members) in self.islands.iter().enumerate() {
            all.extend(members.iter().take(CANDIDATES).map(|member| (island, member)));
        }
        all.sort_by(|(_, a), (_, b)| a.rank(b));
        all.dedup_by(|(_, a), (_, b)| a.program == b.program);
        all.truncate(CANDIDATES);
        all
    }

    /// The mean fitness.
    pub fn mean_fitness(&self) -> f64 {
        let all: Vec<f64> = self.islands.iter().flatten().map(|individual| individual.fitness).collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    }
}
