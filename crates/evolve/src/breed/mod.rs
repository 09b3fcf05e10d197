//! Breeding programs: strongly typed genetic programming as Koza has it (mate paper, section 4.3).
//!
//! | file | what |
//! | --- | --- |
//! | `plant` | random programs: ramped half-and-half |
//! | `vary` | crossover and mutation |
//! | `evolution` | generations: selection, elitism, islands |
//!
//! Every chance is drawn from the seed and a name (which island, generation, child), so nothing depends on the order in
//! which programs are measured, nor on where a run was interrupted.

pub mod evolution;
mod plant;
mod vary;

pub use plant::ramped;
pub use vary::{crossover, mutate};

use plysmith_core::random::Random;

use crate::language::program::Program;

/// How large programs may become.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Elements inside each other.
    pub depth: usize,
    /// Elements.
    pub size: usize,
}

impl Limits {
    /// Whether a program keeps to them.
    pub fn allow(self, program: &Program) -> bool {
        program.size() <= self.size && program.depth() <= self.depth
    }
}

/// Whether something happens that happens with this probability, in thousandths.
fn happens(random: &mut Random, probability: usize) -> bool {
    random.below(1000) < probability
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

    use super::{Limits, crossover, mutate, ramped};
    use crate::language::Dialect;
    use crate::language::program::Program;
    use plysmith_core::random::Random;

    const LIMITS: Limits = Limits { depth: 12, size: 150 };

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Whatever is bred is a program (of which there are only well-typed ones), keeps to the limits and reads back.
        #[test]
        fn children_are_programs(seed in any::<u64>(), recursive in any::<bool>()) {
            let dialect = if recursive { Dialect::Recursive } else { Dialect::Paper };
            let mut random = Random::new(seed);
            let mother = ramped(&mut random, dialect, LIMITS);
            let father = ramped(&mut random, dialect, LIMITS);
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
