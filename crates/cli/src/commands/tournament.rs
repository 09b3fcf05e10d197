//! `plysmith tournament`: many players against one, or each against each. Also `reproduce table4`, which is
//! a gauntlet of the papers' ten features.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};
use plysmith_core::games;
use plysmith_engine::player::Participant;
use plysmith_learn::stats::elo::logistic;
use plysmith_learn::stats::intervals::plain;
use plysmith_learn::stats::outcomes::{Outcomes, Penta, Wdl};
use serde::{Deserialize, Serialize};

use super::contest::{PlayArguments, PlayConfig, Range, Stage, Summary};
use super::table4;
use crate::failure::Failure;
use crate::journal::Journal;
use crate::output::{Output, percent, table};
use crate::progress;

/// Play many configurations against a baseline, or each against each
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plysmith tournament --baseline classic classic+RdTt classic+Ud-Rdt classic+Ud
  plysmith tournament --mode round-robin classic modern modern+RdTt@0.5 --games 100
  plysmith tournament --game chess --baseline modern 'uci:gnuchess --uci' uci:toga2 --tc 1+0.01")]
pub struct Arguments {
    /// The players: presets with schemes, like 'classic+Ud-RdTt@0.5', or engines, like 'uci:gnuchess --uci'
    #[arg(required = true, value_name = "PLAYER")]
    players: Vec<String>,

    /// The game
    #[arg(long, default_value = "breakthrough")]
    game: String,

    /// Who plays whom
    #[arg(long, value_enum, default_value = "gauntlet")]
    mode: Mode,

    /// In a gauntlet, whom all players meet
    #[arg(long, value_name = "PLAYER", default_value = "classic")]
    baseline: String,

    /// Games of each pairing
    #[arg(long, value_name = "N", default_value_t = 200)]
    games: u64,

    #[command(flatten)]
    play: PlayArguments,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// All against the baseline
    Gauntlet,
    /// Each against each
    RoundRobin,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// In a gauntlet the last one is the baseline.
    pub players: Vec<String>,
    pub mode: Mode,
    pub play: PlayConfig,
    /// Whether this is the papers' Table 4.
    pub table4: bool,
}

/// What a tournament came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentResult {
    /// Best first; without the baseline of a gauntlet.
    pub ranking: Vec<Standing>,
    pub contests: Vec<Summary>,
}

/// One player's result over all its games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Standing {
    pub player: String,
    pub games: u64,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    pub score: f64,
    pub plain_interval: f64,
    pub elo: Option<Range>,
    pub frequencies: Vec<f64>,
}

pub const KIND: &str = "tournament";

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    config.play.check_players(&config.players)?;
    begin(&config, arguments.play.threads.threads, output)
}

/// Begins a run.
pub fn begin(config: &Config, threads: Option<NonZeroUsize>, output: &Output) -> Result<(), Failure> {
    let journal = Journal::begin(KIND, &config.play.game, config.play.seed, config)?;
    perform(config, journal, threads, output)
}

/// Plays, from the start or from where an earlier process ended.
pub fn perform(
    config: &Config,
    journal: Journal,
    threads: Option<NonZeroUsize>,
    output: &Output,
) -> Result<(), Failure> {
    let pairings = config.pairings();
    let progress = progress::begin(config.play.games * pairings.len() as u64);
    progress.message("looking for openings".to_string());
    let mut stage = Stage::set(&config.play, threads)?;
    let players =
        config.players.iter().map(|text| Participant::parse(stage.game, text)).collect::<Result<Vec<_>, _>>()?;
    let mut contests = Vec::new();
    for (number, &(first, second)) in pairings.iter().enumerate() {
        let (tally, _) = stage.play(number, [&players[first], &players[second]], None, &journal, &progress)?;
        progress.finish_part(config.play.games);
        contests.push(Summary::new(config.players[first].clone(), config.players[second].clone(), &tally));
    }
    drop(progress);
    let result = config.result(contests);
    let run = journal.run();
    journal.finish(&result)?;
    output.print(&result, || format!("{}\nRun {run}.\n", result.text(config)))
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let game = games::find(&self.game)?;
        let mut players = Vec::new();
        for text in self.players.iter().chain((self.mode == Mode::Gauntlet).then_some(&self.baseline)) {
            let player = Participant::parse(game, text)?.print(game);
            if players.contains(&player) {
                return Err(Failure::input(format!("'{player}' would play itself; name each player once")));
            }
            players.push(player);
        }
        if players.len() < 2 {
            return Err(Failure::input("one player alone is no tournament; name at least two"));
        }
        let play = self.play.resolve(&self.game, self.games)?;
        Ok(Config { players, mode: self.mode, play, table4: false })
    }
}

impl Config {
    /// Who plays whom, by place in the list.
    fn pairings(&self) -> Vec<(usize, usize)> {
        let count = self.players.len();
        match self.mode {
            Mode::Gauntlet => (0..count - 1).map(|player| (player, count - 1)).collect(),
            Mode::RoundRobin => {
                (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second))).collect()
            }
        }
    }

    fn result(&self, contests: Vec<Summary>) -> TournamentResult {
        let ranked = match self.mode {
            Mode::Gauntlet => &self.players[..self.players.len() - 1],
            Mode::RoundRobin => &self.players[..],
        };
        let mut ranking: Vec<_> = ranked.iter().map(|player| Standing::of(player, &contests)).collect();
        ranking.sort_by(|one, other| other.score.total_cmp(&one.score));
        TournamentResult { ranking, contests }
    }
}

impl Standing {
    fn of(player: &str, contests: &[Summary]) -> Standing {
        let (mut games, mut pairs) = (Wdl::default(), Penta::default());
        let mut frequencies = Vec::new();
        for contest in contests.iter().filter(|contest| contest.a == player || contest.b == player) {
            let Summary { wins, draws, losses, .. } = *contest;
            let (wdl, penta) = (Wdl { wins, draws, losses }, contest.penta());
            let first = contest.a == player;
            let (wdl, penta) = if first { (wdl, penta) } else { (wdl.reversed(), penta.reversed()) };
            // Counts of games that were played fit.
            games = games.checked_add(wdl).unwrap_or(games);
            pairs = pairs.checked_add(penta).unwrap_or(pairs);
            if first && frequencies.is_empty() {
                frequencies.clone_from(&contest.frequencies);
            }
        }
        let Wdl { wins, draws, losses } = games;
        Standing {
            player: player.to_string(),
            games: wins + draws + losses,
            wins,
            draws,
            losses,
            score: games.mean().unwrap_or(0.5),
            plain_interval: normal_interval(&games).map_or(0.0, |interval| interval.half_width()),
            elo: logistic_elo(&pairs).map(Range::from),
            frequencies,
        }
    }
}

impl TournamentResult {
    /// For people.
    pub fn text(&self, config: &Config) -> String {
        if config.table4 {
            return table4::text(self, config);
        }
        let opponents = match config.mode {
            Mode::Gauntlet => format!("against {}", config.players.last().map_or("", String::as_str)),
            Mode::RoundRobin => "each against each".to_string(),
        };
        let rows = self.ranking.iter().enumerate().map(|(index, standing)| {
            vec![
                (index + 1).to_string(),
                standing.player.clone(),
                standing.games.to_string(),
                format!("+{} ={} -{}", standing.wins, standing.draws, standing.losses),
                percent(standing.score),
                format!("± {:.2}", 100.0 * standing.plain_interval),
                standing.elo.map_or("–".to_string(), |elo| elo.text()),
                standing.frequencies.iter().map(|&share| percent(share)).collect::<Vec<_>>().join(", "),
            ]
        });
        let losses: String = self.contests.iter().map(Summary::losses_text).collect();
        format!(
            "{}, {opponents}, {}:\n\n{}{losses}",
            config.play.game,
            config.play.conditions(),
            table(&[">", "player", ">games", "results", ">score", "95 %", "Elo", "frequency"], rows)
        )
    }
}
