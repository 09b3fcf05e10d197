//! Self-play games of chess on all cores: the samples that evaluation weights are fitted to.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use plysmith_core::games::chess::fitting::{GamePlan, Sample, play};
use plysmith_core::search::proof::Interrupted;
use plysmith_core::search::{Interrupt, Workspace};

use crate::parallel::in_order;

/// Plays `games` games and returns their samples in the order of games. The result does not depend on the number of
/// threads.
///
/// `progress` gets the numbers of finished games and of samples.
pub fn gather(
    plan: &GamePlan,
    games: u64,
    threads: NonZeroUsize,
    interrupt: &Interrupt<'_>,
    progress: &dyn Fn(u64, usize),
) -> Result<Vec<Sample>, Interrupted> {
    let mut samples = Vec::new();
    let mut done = 0;
    let mut tools: Vec<_> = (0..games).take(threads.get()).map(|_| Workspace::default()).collect();
    in_order(
        0..games,
        &mut tools,
        |pool, workspace, number| play(plan, number, workspace, &|| pool.is_halted() || interrupt()).ok(),
        |number, found| {
            samples.extend(found);
            done = number + 1;
            progress(done, samples.len());
            ControlFlow::Continue(())
        },
    );
    if done < games { Err(Interrupted) } else { Ok(samples) }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use plysmith_core::games::chess::fitting::GamePlan;

    use super::gather;

    #[test]
    fn games_are_the_same_on_any_number_of_threads() {
        let plan = GamePlan { seed: 5, nodes: 60, samples: 4 };
        let run = |threads| gather(&plan, 6, NonZeroUsize::new(threads).unwrap(), &|| false, &|_, _| ()).unwrap();
        let alone = run(1);
        assert!(alone.len() > 6);
        assert_eq!(alone, run(3));
        let stopped = gather(&plan, 6, NonZeroUsize::MIN, &|| true, &|_, _| ());
        assert!(stopped.is_err());
    }
}
