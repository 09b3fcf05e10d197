//! The tuned engine against the engine as shipped, in games: as a command line to copy, and as part of the run.

use plysmith_core::games::GameInfo;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::player::Participant;
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::events::GameEvent;
use crate::kind::{Context, RunKind};
use crate::pairing_runner::{PairingPlan, PairingRunner};
use crate::play::{DEFAULT_NODES, DEFAULT_OPENING_PLIES, PlayConfig};
use crate::summary::Summary;

/// How many games are played, and with how many nodes per move.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GamesConfig {
    /// Games; even.
    pub games: u64,
    /// Node limit of a move.
    pub nodes: u64,
}

impl Default for GamesConfig {
    fn default() -> GamesConfig {
        GamesConfig { games: 400, nodes: DEFAULT_NODES }
    }
}

/// The tuned engine and the engine as shipped, as players.
#[derive(Clone, Debug)]
pub(super) struct Opponents {
    pub game: &'static GameInfo,
    pub tuned: Participant,
    pub shipped: Participant,
}

impl GamesConfig {
    /// How the games are played: as `plysmith match` plays them with the same numbers.
    pub fn play(&self, game: &'static GameInfo, seed: u64) -> Result<PlayConfig, RunError> {
        let openings = OpeningPlan { start: (game.start)(&Default::default())?, plies: DEFAULT_OPENING_PLIES, seed };
        PlayConfig::new(game, self.nodes, self.games, openings)
    }
}

impl Opponents {
    /// The command line of the match; none if it cannot be written, or if there is no difference.
    pub fn command(&self, config: GamesConfig, seed: u64) -> Option<String> {
        let Opponents { game, tuned, shipped } = self;
        let [a, b] = [tuned, shipped].map(|player| player.print(game));
        // The names of some options cannot be written as part of a player.
        let reads_back = |player: &Participant, text: &str| Participant::parse(game, text).as_ref() == Ok(player);
        if tuned == shipped || !reads_back(tuned, &a) || !reads_back(shipped, &b) {
            return None;
        }
        let GamesConfig { games, nodes } = config;
        let (a, b) = (shell_word(&a), shell_word(&b));
        Some(format!("plysmith match {} --a {a} --b {b} --games {games} --nodes {nodes} --seed {seed}", game.name))
    }

    /// Plays the games. Every game is stored when its turn comes.
    pub fn play<K: RunKind<Event: From<GameEvent>>>(
        &self,
        config: GamesConfig,
        seed: u64,
        context: &mut Context<K>,
    ) -> Result<Summary, RunError> {
        let play = config.play(self.game, seed)?;
        let progress = context.services().begin_progress(config.games);
        progress.message("looking for openings");
        let plan = PairingPlan::new(0, [&self.tuned, &self.shipped]);
        let played = PairingRunner::new(&play)?.play(&plan, context, &progress)?;
        Ok(Summary::new(play.print(&self.tuned), play.print(&self.shipped), [play.move_limit; 2], &played.tally))
    }
}

/// A word as a shell reads it.
fn shell_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_string();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn a_shell_reads_back_what_is_quoted() {
        for text in ["classic+AcK@0.1", "", "uci:a b;Check (PV)=2", "it's", "$HOME `x` \\ \" * ~ ! é", "a\nb", "-x"] {
            let script = format!("printf %s {}", shell_word(text));
            let ran = std::process::Command::new("sh").args(["-c", &script]).output();
            assert_eq!(String::from_utf8(ran.unwrap().stdout).unwrap(), text, "{script}");
        }
        assert_eq!(shell_word("uci:/usr/games/toga2"), "uci:/usr/games/toga2");
    }
}
