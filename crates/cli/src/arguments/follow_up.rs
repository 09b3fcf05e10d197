//! Arguments for what comes after a discovery.

use clap::Args;
use plysmith_runs::kinds::follow_up::FollowUp;

use super::count::count;
use crate::failure::Failure;

/// What to do with the best features.
#[derive(Debug, Args)]
pub struct FollowUpArguments {
    /// Then build a scheme by adding features one at a time, as long as it gets better by --fitness, and tune its weights
    /// together
    #[arg(long)]
    then_tune: bool,

    /// Then play this many games with each of the best features, with the scheme that was built, and with its tuned
    /// weights, against the search without features; and with the last of these against the best single feature
    #[arg(long, value_name = "GAMES", value_parser = count::<u64>(2..))]
    prove: Option<u64>,

    /// Number of best features to play with, and most features of the scheme that is built
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = count::<u32>(1..=16))]
    best: u32,

    /// Number of iterations of --then-tune
    #[arg(long, value_name = "N", default_value_t = 12, requires = "then_tune",
          value_parser = count::<u32>(1..=100_000))]
    tune_iterations: u32,

    /// Node limit for each move in the games of --prove
    #[arg(long, value_name = "N", default_value_t = 50_000, requires = "prove", value_parser = count::<u64>(1..))]
    prove_nodes: u64,
}

impl FollowUpArguments {
    /// What is to be done, if anything.
    pub fn resolve(&self) -> Result<Option<FollowUp>, Failure> {
        if let Some(games) = self.prove.filter(|games| !games.is_multiple_of(2)) {
            return Err(Failure::input(format!(
                "{games} games are not a whole number of pairs; try --prove {}",
                games + 1
            )));
        }
        let tune = self.then_tune.then_some(self.tune_iterations);
        let prove = self.prove.map(|games| (games, self.prove_nodes));
        Ok((tune.is_some() || prove.is_some()).then_some(FollowUp {
            best: self.best as usize,
            tune,
            prove,
            build: true,
            head_to_head: true,
        }))
    }
}
