//! Generations of programs: a state machine that says what is to be measured and is told what came out.
//!
//! A generation is measured on a sample of the problems, as many of each length. Its fittest are candidates: they are then
//! measured on all problems, and the best of all generations reigns. It lives on until a better one comes, whatever the
//! samples say, and is the result of the run.
//!
//! Bloat is held down by the limits, by hoisting mutations, and because of two programs that are equally fit the smaller
//! one wins. Variety is kept up: programs that do exactly as well as another one do the same, as good as always, so all
//! but the smallest of them rank behind everybody else.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use plysmith_core::random::Random;

use super::grow::ramped_half_and_half;
use super::limits::SizeLimits;
use super::operators::{crossover, mutate};
use crate::fitness::{CaseResult, FitnessCase, FitnessMeasure, FitnessStage, LATE};
use crate::language::Dialect;
use crate::language::Program;

/// All that an evolution depends on but the problems.
#[derive(Clone, PartialEq, Debug)]
pub struct EvolutionSettings {
    /// What programs are made of.
    pub dialect: Dialect,
    /// What is fit.
    pub measure: FitnessMeasure,
    /// How many programs a generation has, on each island.
    pub population: usize,
    /// How many generations there are.
    pub generations: u32,
    /// How many populations there are side by side.
    pub islands: usize,
    /// After so many generations the best of each island goes to the next one.
    pub migration: u32,
    /// So many are drawn, and the fittest of them becomes a parent.
    pub tournament: usize,
    /// So many of the fittest live on as they are.
    pub elite: usize,
    /// Of a thousand children, so many are copies of a parent.
    pub reproduction: usize,
    /// And so many come from two parents; the others are mutants.
    pub crossover: usize,
    /// How large programs may become.
    pub limits: SizeLimits,
    /// Problems of each length in a sample.
    pub sample: usize,
    /// What every chance is drawn from.
    pub seed: u64,
}

/// A program and what came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Individual {
    /// The program.
    pub program: Program,
    /// Its fitness on the generation's sample.
    pub fitness: f64,
    /// How many of the sample it proved.
    pub proved: usize,
}

/// A generation that has been measured, each island from the fittest on.
#[derive(Clone, PartialEq, Debug)]
pub struct Generation {
    /// Its number, from 0.
    pub number: u32,
    /// Whether half-right moves counted.
    pub stage: FitnessStage,
    /// The problems it was measured on.
    pub sample: Vec<usize>,
    /// Who lived.
    pub islands: Vec<Vec<Individual>>,
}

/// An evolution under way.
pub struct Evolution {
    plan: EvolutionSettings,
    /// How long the mates of the problems are.
    lengths: Vec<u8>,
    number: u32,
    stage: FitnessStage,
    islands: Vec<Vec<Program>>,
    /// The best on all problems so far, and its island.
    champion: Option<(usize, Program)>,
}

/// How many of a generation are measured on all problems.
const CANDIDATES: usize = 3;

impl EvolutionSettings {
    /// The paper's rates, on one island.
    pub const PAPER: EvolutionSettings = EvolutionSettings {
        dialect: Dialect::Recursive,
        measure: FitnessMeasure::Plain,
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
}

impl Evolution {
    /// The first generation, still to be measured: random programs, and founders, which are dealt out to the islands.
    pub fn new(plan: EvolutionSettings, cases: &[FitnessCase], founders: &[Program]) -> Evolution {
        let island = |island: usize| {
            let mut random = Random::for_purpose(plan.seed, &format!("island {island} first generation"));
            let dealt = founders.iter().skip(island).step_by(plan.islands.max(1));
            let mut programs: Vec<Program> = dealt.take(plan.population).cloned().collect();
            let mut seen: BTreeSet<Program> = programs.iter().cloned().collect();
            // Doubles are drawn again, but not for ever: there may not be as many different small programs.
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
        let lengths = cases.iter().map(|case| case.moves).collect();
        Evolution { plan, lengths, number: 0, stage: FitnessStage::Early, islands, champion: None }
    }

    /// The number of the generation that is to be measured; none when all are done.
    pub fn number(&self) -> Option<u32> {
        (self.number < self.plan.generations).then_some(self.number)
    }

    /// The problems that the generation is to be measured on: as many of each length, drawn by lot, in order.
    pub fn sample(&self) -> Vec<usize> {
        let mut random = Random::for_purpose(self.plan.seed, &format!("sample of generation {}", self.number));
        let lengths: BTreeSet<u8> = self.lengths.iter().copied().collect();
        let mut sample = Vec::new();
        for length in lengths {
            let mut places: Vec<usize> = (0..self.lengths.len()).filter(|&at| self.lengths[at] == length).collect();
            random.shuffle(&mut places);
            sample.extend(places.into_iter().take(self.plan.sample));
        }
        sample.sort_unstable();
        sample
    }

    /// The programs to be measured, each once.
    pub fn ask(&self) -> Vec<Program> {
        let mut seen = BTreeSet::new();
        self.islands.iter().flatten().filter(|program| seen.insert(*program)).cloned().collect()
    }

    /// Ranks the generation by what came out. `result` knows every program that was asked for: its tries at the cases of
    /// the sample.
    pub fn tell<'c>(&self, result: impl Fn(&Program) -> Vec<(&'c FitnessCase, CaseResult)>) -> Generation {
        let (measure, stage) = (self.plan.measure, self.stage);
        let rate = |program: &Program| {
            let results = result(program);
            let proved = results.iter().filter(|(_, result)| result.is_proved).count();
            Individual { program: program.clone(), fitness: measure.fitness(stage, &results), proved }
        };
        let ranked = |programs: &Vec<Program>| {
            let mut individuals: Vec<_> = programs.iter().map(rate).collect();
            individuals.sort_by(Individual::rank);
            duplicates_last(individuals)
        };
        let sample = self.sample();
        let islands: Vec<Vec<_>> = self.islands.iter().map(ranked).collect();
        Generation { number: self.number, stage, sample, islands }
    }

    /// From now on this program, a candidate of this island, reigns.
    pub fn set_champion(&mut self, island: usize, program: Program) {
        self.champion = Some((island, program));
    }

    /// Breeds the next generation.
    pub fn next_generation(&mut self, generation: &Generation) {
        let solved = generation.champion().map_or(0, |champion| champion.proved);
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
        let EvolutionSettings { tournament, limits, dialect, reproduction, crossover: of_two, .. } = self.plan;
        let select = |random: &mut Random| {
            // They are ranked already: the one with the lowest place wins.
            let winner = (0..tournament.max(1)).map(|_| random.below(parents.len())).min().unwrap_or(0);
            &parents[winner].program
        };
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

/// Ranked programs, with those behind all others that do exactly as well as one before them.
fn duplicates_last(ranked: Vec<Individual>) -> Vec<Individual> {
    let mut last = None;
    let is_first = |individual: &Individual| {
        let does = Some((individual.fitness.to_bits(), individual.proved));
        std::mem::replace(&mut last, does) != does
    };
    let (mut front, back): (Vec<_>, Vec<_>) = ranked.into_iter().partition(is_first);
    front.extend(back);
    front
}

impl Generation {
    /// The fittest of all islands.
    pub fn champion(&self) -> Option<&Individual> {
        self.islands.iter().filter_map(|island| island.first()).min_by(|a, b| a.rank(b))
    }

    /// Those that are worth measuring on all problems, and their islands.
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

impl Individual {
    /// The fitter first; of equally fit ones the smaller.
    fn rank(&self, other: &Individual) -> Ordering {
        let by_size = || self.program.size().cmp(&other.program.size());
        other.fitness.total_cmp(&self.fitness).then_with(by_size).then_with(|| self.program.cmp(&other.program))
    }
}
