//! Choices of players in positions.

use plysmith_core::search::Interrupt;
use plysmith_engine::player::{Participant, PlayerKind};
use plysmith_engine::uci::client::UciTimeouts;

use super::games::{built_in, external};
use super::hosted::{Hosted, HostedWorker, Premises, Refusal};
use super::texts;
use crate::choice::{Choice, ChoiceJob, ChoiceWorker, Chooser};
use crate::job::Worker;
use crate::memory::ThreadNeed;

/// Makes the choices of one player.
struct HostedChoices {
    chooser: Chooser,
    worker: ChoiceWorker,
}

impl Hosted for ChoiceJob {
    fn worker_key(&self) -> String {
        format!("{}\n{}\n{:?}", self.game, self.player, self.content)
    }

    fn worker(&self, premises: &Premises<'_>) -> Result<HostedWorker<ChoiceJob>, Refusal> {
        let game = texts::game(&self.game)?;
        let player = match &self.content {
            None => built_in(game, &self.player, premises)?,
            Some(content) => match Participant::parse_stored(game, &self.player).map_err(Refusal::refused)?.kind {
                PlayerKind::Uci(named) => external(named, content, premises)?,
                PlayerKind::BuiltIn(_) => return Err(Refusal::refused("a built-in player has no content")),
            },
        };
        premises.check_memory(&ThreadNeed::of_engine(&self.player, player.memory()))?;
        if player.built_in().is_some() {
            Refusal::unless_same(&self.player, &player.print(game))?;
        }
        let chooser = Chooser::named(game, player, self.player.clone(), self.content.clone());
        let worker = ChoiceWorker::new([chooser.clone()].into(), UciTimeouts::default());
        Ok(Box::new(HostedChoices { chooser, worker }))
    }
}

impl Worker<ChoiceJob> for HostedChoices {
    type Error = Refusal;

    fn run(&mut self, job: &ChoiceJob, interrupt: &Interrupt<'_>) -> Result<Option<Choice>, Refusal> {
        let game = texts::game(&job.game)?;
        for position in job.before.iter().chain([&job.position]) {
            (game.open)(position).map_err(Refusal::refused)?;
        }
        Refusal::unless_same(job, &self.chooser.job(&job.position, &job.before, job.nodes, job.seed))?;
        Ok(self.worker.run(job, interrupt)?)
    }
}
