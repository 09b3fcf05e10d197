//! Strongly typed genetic programming after Koza (mate paper, section 4.3).
//!
//! | module | content |
//! | --- | --- |
//! | [`grow`] | random programs: ramped half-and-half |
//! | [`operators`] | crossover and mutation |
//! | [`evolution`] | generations: tournament selection, elitism, islands, migration |
//! | [`individual`] | a program with its fitness |
//! | [`selection`] | tournaments and lexicase selection |
//! | [`refine`] | ablation and tuning of one program |
//! | [`limits`] | size limits |
//!
//! Every random number is drawn from the seed and a name (island, generation, child). So results depend neither on the
//! order in which programs are evaluated nor on where a run was interrupted.

pub mod evolution;
pub mod grow;
pub mod individual;
pub mod limits;
pub mod operators;
pub mod refine;
pub mod selection;

pub use evolution::{Evolution, EvolutionSettings, Generation};
pub use grow::ramped_half_and_half;
pub use individual::Individual;
pub use limits::SizeLimits;
pub use operators::{crossover, mutate};
pub use selection::Selection;

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

    use super::{SizeLimits, crossover, mutate, ramped_half_and_half};
    use crate::language::Dialect;
    use crate::language::Program;
    use plysmith_core::random::Random;

    const LIMITS: SizeLimits = SizeLimits { depth: 12, size: 150 };

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Crossover and mutation return well-typed programs within the limits whose text reads back.
        #[test]
        fn children_are_programs(seed in any::<u64>(), dialect in 0..3_usize) {
            let dialect = [Dialect::Paper, Dialect::Recursive, Dialect::Rich][dialect];
            let mut random = Random::new(seed);
            let mother = ramped_half_and_half(&mut random, dialect, LIMITS);
            let father = ramped_half_and_half(&mut random, dialect, LIMITS);
            let mut children = vec![mother.clone(), father.clone()];
            for _ in 0..5 {
                let [a, b] = [random.below(children.len()), random.below(children.len())];
                children.push(crossover(&mut random, &children[a], &children[b], LIMITS));
                children.push(mutate(&mut random, &children[a], dialect, LIMITS));
            }
            for child in &children {
                prop_assert!(LIMITS.allow(child), "{child}");
                prop_assert_eq!(Program::new(child.nodes().to_vec()), Some(child.clone()));
                prop_assert_eq!(child.to_string().parse::<Program>(), Ok(child.clone()));
                prop_assert_eq!(format!("{child:#}").parse::<Program>(), Ok(child.clone()));
                let known: Vec<_> = dialect.primitives().map(|facts| facts.name).collect();
                for node in child.nodes() {
                    let name = node.to_string();
                    prop_assert!(known.contains(&name.as_str()) || name.parse::<f64>().is_ok(), "{name}");
                }
            }
        }
    }
}
