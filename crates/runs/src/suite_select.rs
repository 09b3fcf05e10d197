//! Selects the problems of a suite that features solve and the bare search does not.
//!
//! A problem that the search without features solves says nothing about features, nor does one that nothing solves. The
//! thesis kept what its engine solved additionally with its known extensions together: 102 of the 879 positions of the
//! Encyclopedia of Chess Middlegames (section 4.2.1).

use std::collections::HashSet;

use plysmith_core::feature::Scheme;
use plysmith_core::problem::{Problem, Suite};
use plysmith_engine::driver::{BuiltIn, Candidate, Subject};

use crate::error::RunError;
use crate::evaluation_notes::note_fallbacks;
use crate::experiment::measure;
use crate::memory::ThreadNeed;
use crate::progress::Progress;
use crate::remote::shared;
use crate::services::Services;
use crate::suite_runner::{SearchLimits, SuiteRunner};

/// What problems are selected by.
pub struct Selection<'a> {
    /// The engine.
    pub subject: BuiltIn,
    /// A problem is kept if one of these solves it.
    pub schemes: &'a [Scheme],
    /// Node limit for each problem, and the seed.
    pub limits: SearchLimits,
}

/// The problems that were kept.
#[derive(Clone, PartialEq, Debug)]
pub struct Selected {
    /// How many problems the search without features solves.
    pub neutral: usize,
    /// The kept problems in the suite's order.
    pub suite: Suite,
}

impl Selection<'_> {
    /// The problems that one of the schemes solves and the search without features does not.
    pub fn select(&self, suite: Suite, services: &Services) -> Result<Selected, RunError> {
        let positions = suite.problems.iter().map(|problem| problem.position.as_str());
        note_fallbacks(self.subject.game(), &[*self.subject.settings()], positions, services);
        let all = suite.problems.len() as u64;
        let progress = services.begin_progress(all * (1 + self.schemes.len() as u64));
        let neutral = self.solved(&suite, &Scheme::neutral(), &progress, services)?;
        progress.finish_part(all);
        let mut left = without(&suite, &neutral);
        let mut kept = HashSet::new();
        for scheme in self.schemes {
            // A problem that one scheme has solved is kept, so only the rest is searched with the next scheme.
            let solved = self.solved(&left, scheme, &progress, services)?;
            progress.finish_part(all);
            left = without(&left, &solved);
            kept.extend(solved);
        }
        let Suite { name, problems } = suite;
        let problems = problems.into_iter().filter(|problem| kept.contains(&problem.id)).collect();
        Ok(Selected { neutral: neutral.len(), suite: Suite { name, problems } })
    }

    /// The names of the problems that the scheme solves.
    fn solved(
        &self,
        suite: &Suite,
        scheme: &Scheme,
        progress: &Progress,
        services: &Services,
    ) -> Result<HashSet<String>, RunError> {
        if suite.problems.is_empty() {
            return Ok(HashSet::new());
        }
        progress.message(self.subject.game().vocabulary.print_scheme(scheme));
        let subject = Box::new(self.subject.clone());
        let need = ThreadNeed::of_engine("the engine", subject.memory());
        let threads = services.workers(suite.problems.len() as u64, &need)?;
        let mut runner = SuiteRunner::new(subject, suite.clone(), self.limits, threads)?;
        if let Some(queue) = &services.remote {
            runner = runner.with_remote(queue, shared::weights([self.subject.settings()]).into());
        }
        let measurement = measure(&mut runner, &Candidate::Scheme(scheme.clone()), None, progress, services)?;
        let solved = suite.problems.iter().zip(&measurement.attempts).filter(|(_, attempt)| attempt.solved);
        Ok(solved.map(|(problem, _)| problem.id.clone()).collect())
    }
}

fn without(suite: &Suite, solved: &HashSet<String>) -> Suite {
    let left = |problem: &&Problem| !solved.contains(&problem.id);
    Suite { name: suite.name.clone(), problems: suite.problems.iter().filter(left).cloned().collect() }
}
