//! Batches of training games.

use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_core::search::{Interrupt, Workspace};
use plysmith_core::training::TrainingPlan;

use super::hosted::{Hosted, HostedWorker, Premises, Refusal};
use super::texts;
use crate::job::Worker;
use crate::memory::ThreadNeed;
use crate::self_play::{SelfPlay, SelfPlayJob, SelfPlayWorker};

/// Plays training games of one round.
struct HostedSelfPlay {
    game: &'static GameInfo,
    start: Box<dyn AnyPosition>,
    plan: TrainingPlan,
    workspace: Option<Workspace>,
}

/// No batch has more games.
const MOST_GAMES: u64 = 1_000;

impl Hosted for SelfPlayJob {
    fn worker_key(&self) -> String {
        let SelfPlayJob { game, start, player, nodes, seed, .. } = self;
        format!("{game}\n{start}\n{player}\n{nodes}\n{seed}")
    }

    fn worker(&self, premises: &Premises<'_>) -> Result<HostedWorker<SelfPlayJob>, Refusal> {
        let game = texts::game(&self.game)?;
        let settings = texts::settings(game, &self.player, premises)?;
        premises.check_memory(&ThreadNeed::default().and("self-play", Workspace::bytes(&settings)))?;
        let start = (game.open)(&self.start).map_err(Refusal::refused)?;
        // The rules are those of the game; the job's text of them is compared with ours.
        let plan = TrainingPlan { settings, nodes: self.nodes, seed: self.seed, rules: game.training };
        Ok(Box::new(HostedSelfPlay { game, start, plan, workspace: None }))
    }
}

impl Worker<SelfPlayJob> for HostedSelfPlay {
    type Error = Refusal;

    fn run(&mut self, job: &SelfPlayJob, interrupt: &Interrupt<'_>) -> Result<Option<Vec<String>>, Refusal> {
        let HostedSelfPlay { game, start, plan, workspace } = self;
        if job.games > MOST_GAMES || job.first.checked_add(job.games).is_none() {
            return Err(Refusal::refused(format!("a batch of {} games; the most are {MOST_GAMES}", job.games)));
        }
        let ours = SelfPlay { game, start: &**start, plan: *plan, games: 0 }.job(job.first, job.games);
        Refusal::unless_same(job, &ours)?;
        let mut worker = SelfPlayWorker { start: &**start, plan, workspace: workspace.take().unwrap_or_default() };
        let games = worker.run(job, interrupt)?;
        *workspace = Some(worker.workspace);
        Ok(games)
    }
}
