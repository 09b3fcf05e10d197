//! `tournament`: many players against one, or each against each.
//!
//! A player whose program fails too often, or cannot be started any more, forfeits the rest of its games, and the others
//! play on. Its forfeit is an event, so that a resumed tournament goes the same way.
//!
//! `reproduce table4` is a gauntlet of the paper's ten features. It is stored as a tournament.

mod page;
pub mod table4;

use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_engine::player::Participant;
use plysmith_learn::stats::intervals::normal_interval;
use plysmith_learn::stats::outcomes::{Outcomes, Penta, Wdl};
use plysmith_store::{Run, RunId, Store};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::match_::{GAME_ROWS, Prepared, counted_games, games_so_far, state_of, tallies};
use crate::basis::Part;
use crate::contestants::Contestants;
use crate::error::RunError;
use crate::estimates::{CREDIBLE, Estimates, Range, score_interval};
use crate::events::GameEvent;
use crate::headline::Headline;
use crate::kind::{Context, Identity, Rows, RunKind};
use crate::pairing_runner::{PairingPlan, PairingRunner, PlayerFailure};
use crate::play::PlayConfig;
use crate::progress::Progress;
use crate::remote::JobList;
use crate::services::Services;
use crate::summary::Summary;
use crate::tally::Tally;
use crate::view::{Cell, Table, View, percent, percents};

/// The run kind.
pub struct Tournament;

/// Who plays, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredConfig", into = "StoredConfig")]
pub struct Config {
    /// At least two players. In a gauntlet the last one is the baseline.
    pub players: Vec<Participant>,
    /// Who plays whom.
    pub mode: Mode,
    /// How they play.
    pub play: PlayConfig,
    /// What is shown of the result.
    pub report: Report,
    /// What the players were when the run was started; none before that.
    pub contestants: Option<Contestants>,
}

/// A tournament as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredConfig {
    players: Vec<String>,
    mode: Mode,
    play: PlayConfig,
    table4: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contestants: Option<Contestants>,
}

/// Who plays whom.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// All against the baseline.
    Gauntlet,
    /// Each against each.
    RoundRobin,
}

/// What is shown of a tournament's result.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Report {
    /// The ranking.
    Standings,
    /// Table 4 of the paper on discovery, with the paper's numbers.
    PaperTable4,
}

/// The result of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentResult {
    /// Best first; without the baseline of a gauntlet.
    pub ranking: Vec<Standing>,
    /// The pairings in the order of play.
    #[serde(rename = "contests")]
    pub pairings: Vec<Summary>,
}

/// What happens in a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "lowercase")]
pub enum TournamentEvent {
    /// A game was played.
    Game(GameEvent),
    /// A player forfeits the rest of its games.
    Forfeit(Forfeit),
}

/// The kind of event that holds a forfeit.
const FORFEIT: &str = "forfeit";

/// A player forfeits the rest of its games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Forfeit {
    /// The pairing in which it failed.
    #[serde(rename = "contest")]
    pub pairing: usize,
    /// The games of this pairing that were played.
    pub number: u64,
    /// The player.
    pub player: String,
    /// What happened.
    pub reason: String,
}

impl From<GameEvent> for TournamentEvent {
    fn from(event: GameEvent) -> TournamentEvent {
        TournamentEvent::Game(event)
    }
}

/// One player's result over all its games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// The player.
    pub player: String,
    /// Games played.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Share of the points.
    pub score: f64,
    /// Half the width of the papers' interval.
    pub plain_interval: f64,
    /// The 95 % credible interval of the score, if there are fewer than 100 pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_credible: Option<[f64; 2]>,
    /// Logistic Elo difference to the opponents.
    pub elo: Option<Range>,
    /// Share of moves whose cost each feature decided.
    pub frequencies: Vec<f64>,
}

impl RunKind for Tournament {
    const NAME: &'static str = "tournament";
    type Config = Config;
    type Event = TournamentEvent;
    type Output = TournamentResult;
    type Prepared = Prepared;

    fn identity(config: &Config) -> Identity {
        config.play.identity()
    }

    fn basis(config: &Config) -> Vec<Part> {
        config.play.basis(&config.players)
    }

    fn validate(config: &Config) -> Result<(), RunError> {
        config.play.validate()
    }

    fn prepare(config: &Config, services: &Services) -> Result<Prepared, RunError> {
        config.check_memory(services)?;
        Prepared::new(&config.play, &config.players, config.contestants.as_ref(), services)
    }

    fn stored_config(config: &Config, prepared: &Prepared) -> Result<Value, RunError> {
        let contestants = Some(prepared.contestants.clone());
        serde_json::to_value(Config { contestants, ..config.clone() }).map_err(RunError::failed)
    }

    fn check_resume(config: &Config, run: &Run, services: &Services) -> Result<(), RunError> {
        Contestants::check_resume(config.contestants.as_ref(), &config.players, run, services)
    }

    fn run(
        config: &Config,
        prepared: Prepared,
        context: &mut Context<Tournament>,
    ) -> Result<TournamentResult, RunError> {
        let play = &config.play;
        let pairings = config.pairings();
        let progress = context.services().begin_progress(play.games * pairings.len() as u64);
        progress.message("looking for openings");
        let stored = Forfeit::stored(context)?;
        let mut course = Course { config, runner: prepared.runner, stored, forfeits: Vec::new() };
        let mut summaries = Vec::new();
        for (number, players) in pairings.into_iter().enumerate() {
            summaries.push(course.play(number, players, context, &progress)?);
            progress.finish_part(play.games);
        }
        Ok(config.result(summaries))
    }

    fn jobs(
        config: &Config,
        prepared: Prepared,
        run: RunId,
        services: &Services,
        jobs: &mut JobList<'_>,
    ) -> Result<(), RunError> {
        let mut runner = prepared.runner;
        let pairings = config.pairings().into_iter().enumerate();
        pairings
            .map(|(number, players)| PairingPlan::new(number, players))
            .try_for_each(|plan| runner.list_jobs(&plan, run, services, jobs))
    }

    fn view(config: &Config, result: &TournamentResult) -> View {
        match config.report {
            Report::Standings => result.view(config),
            Report::PaperTable4 => table4::view(config, result),
        }
    }

    fn headline(_: &Config, result: &TournamentResult) -> Headline {
        match result.ranking.first() {
            Some(best) => Headline::of(format!("{} {}", best.player, percent(best.score)), "score", best.score),
            None => Headline::text("no games"),
        }
    }

    fn partial_view(_: &Config, events: &[TournamentEvent]) -> View {
        games_so_far(events.len())
    }

    fn partial_view_of_run(config: &Config, store: &Store, run: &Run) -> Result<View, RunError> {
        let (tallies, pairings) = (tallies(store, run)?, config.pairings());
        let games = config.play.games * pairings.len() as u64;
        let mut view = View::new().text(format!("{} of {games} games:\n\n", counted_games(&tallies)));
        for (pairing, tally) in &tallies {
            let Some(players) = pairings.get(*pairing) else { continue };
            view = view.text(state_of(&players.map(|player| config.play.name(player)), tally, None));
        }
        Ok(view.text("`plysmith export RUN --format pgn` has the games\n"))
    }

    fn page(
        config: &Config,
        output: Option<&TournamentResult>,
        events: &mut dyn Iterator<Item = Result<TournamentEvent, RunError>>,
    ) -> Result<View, RunError> {
        page::page(config, output, |result| Tournament::view(config, result), events)
    }

    fn rows(_: &Config) -> Rows {
        GAME_ROWS
    }
}

/// A tournament under way.
struct Course<'a> {
    config: &'a Config,
    runner: PairingRunner,
    /// The forfeits of a run that is resumed.
    stored: Vec<Forfeit>,
    /// Those who play no more, and why.
    forfeits: Vec<(String, String)>,
}

impl Course<'_> {
    /// Plays a pairing, as far as its players can.
    fn play(
        &mut self,
        number: usize,
        players: [&Participant; 2],
        context: &mut Context<Tournament>,
        progress: &Progress,
    ) -> Result<Summary, RunError> {
        let play = &self.config.play;
        let [a, b] = players.map(|player| play.name(player));
        let limits = play.limits(players);
        let texts = players.map(|player| play.print(player));
        let out = |text: &String| self.forfeits.iter().find(|(player, _)| player == text).map(|(_, reason)| reason);
        if let Some((player, reason)) = (0..2).find_map(|player| Some((player, out(&texts[player])?))) {
            return Ok(Summary::new(a, b, limits, &Tally::default()).with_forfeits(player, play.games, reason));
        }
        let stored = self.stored.iter().find(|forfeit| forfeit.pairing == number).cloned();
        let games = stored.as_ref().map(|forfeit| forfeit.number);
        let plan = PairingPlan { is_reported: true, games, ..PairingPlan::new(number, players) };
        let played = self.runner.play_while_possible(&plan, context, progress)?;
        let summary = Summary::new(a, b, limits, &played.tally);
        let forfeit = match (stored, played.failure) {
            (Some(stored), _) => stored,
            (None, None) => return Ok(summary),
            (None, Some(PlayerFailure { player, error })) => Forfeit {
                pairing: number,
                number: summary.games,
                player: texts[player].clone(),
                reason: error.to_string(),
            },
        };
        let player = usize::from(forfeit.player == texts[1]);
        let reason = forfeit.reason.lines().next().unwrap_or_default().to_string();
        progress.note(format!(
            "warning: {} forfeits the rest of its games, and the others play on: {reason}",
            play.name(players[player])
        ));
        self.forfeits.push((forfeit.player.clone(), reason.clone()));
        context.record(TournamentEvent::Forfeit(forfeit))?;
        let left = play.games - summary.games;
        Ok(summary.with_forfeits(player, left, &reason))
    }
}

impl Forfeit {
    /// The forfeits of a run that is resumed.
    fn stored(context: &Context<Tournament>) -> Result<Vec<Forfeit>, RunError> {
        let events = context.services().store.stream_events(context.run(), 0).of_kind(FORFEIT);
        events.map(|event| Ok(event?.decode()?)).collect()
    }
}

impl Config {
    /// A tournament. Players are different, and there are at least two.
    pub fn new(players: Vec<Participant>, mode: Mode, play: PlayConfig) -> Result<Config, RunError> {
        let names: Vec<_> = players.iter().map(|player| play.print(player)).collect();
        if let Some((_, name)) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            return Err(RunError::input(format!("'{name}' would play itself; name each player once")));
        }
        if players.len() < 2 {
            return Err(RunError::input("a tournament needs at least two players"));
        }
        play.check_names(&players)?;
        Ok(Config { players, mode, play, report: Report::Standings, contestants: None })
    }

    /// Fails if there is no memory for the players of all threads.
    fn check_memory(&self, services: &Services) -> Result<(), RunError> {
        let check = |players| services.check_memory(self.play.games, &self.play.need(players));
        self.pairings().into_iter().try_for_each(check)
    }

    /// Who plays whom, in the order of play.
    fn pairings(&self) -> Vec<[&Participant; 2]> {
        match (self.mode, self.players.split_last()) {
            (Mode::Gauntlet, Some((baseline, others))) => others.iter().map(|player| [player, baseline]).collect(),
            (Mode::Gauntlet, None) => Vec::new(),
            (Mode::RoundRobin, _) => {
                let later = |index: usize| self.players[index + 1..].iter();
                let pairs = |(index, first)| later(index).map(move |second| [first, second]);
                self.players.iter().enumerate().flat_map(pairs).collect()
            }
        }
    }

    fn result(&self, pairings: Vec<Summary>) -> TournamentResult {
        let ranked = match (self.mode, self.players.split_last()) {
            (Mode::Gauntlet, Some((_, others))) => others,
            _ => &self.players,
        };
        let standing = |player| Standing::new(self.play.name(player), &pairings);
        let mut ranking: Vec<_> = ranked.iter().map(standing).collect();
        ranking.sort_by(|one, other| other.score.total_cmp(&one.score));
        TournamentResult { ranking, pairings }
    }
}

impl Standing {
    /// Sums up the pairings of a player.
    fn new(player: String, pairings: &[Summary]) -> Standing {
        let (mut games, mut pairs, mut forfeits) = (Wdl::default(), Penta::default(), Wdl::default());
        let mut frequencies = Vec::new();
        for pairing in pairings.iter().filter(|pairing| pairing.a == player || pairing.b == player) {
            let (wdl, penta) = (pairing.wdl(), pairing.penta());
            let is_first = pairing.a == player;
            let (wdl, penta) = if is_first { (wdl, penta) } else { (wdl.reversed(), penta.reversed()) };
            // Counts of games that were played fit.
            games = games.checked_add(wdl).unwrap_or(games);
            pairs = pairs.checked_add(penta).unwrap_or(pairs);
            // A forfeited game is a point for the opponent, as in any tournament, but it says nothing about strength.
            let [own, others] = if is_first { pairing.forfeits } else { [pairing.forfeits[1], pairing.forfeits[0]] };
            forfeits.losses += own;
            forfeits.wins += others;
            if is_first && frequencies.is_empty() {
                frequencies.clone_from(&pairing.frequencies);
            }
        }
        let games = games.checked_add(forfeits).unwrap_or(games);
        let Wdl { wins, draws, losses } = games;
        let Estimates { score: score_credible, elo, .. } = Estimates::of(&pairs);
        Standing {
            player,
            games: wins + draws + losses,
            wins,
            draws,
            losses,
            score: games.mean().unwrap_or(0.5),
            plain_interval: normal_interval(&games).map_or(0.0, |interval| interval.half_width()),
            score_credible,
            elo,
            frequencies,
        }
    }

    /// `± 1.23`, or `[26.8, 93.5]` for few games, in per cent.
    pub fn interval_text(&self) -> String {
        score_interval(self.score_credible, self.plain_interval)
    }

    /// The ends of the interval of the score.
    pub fn interval(&self) -> [f64; 2] {
        self.score_credible.unwrap_or([self.score - self.plain_interval, self.score + self.plain_interval])
    }
}

impl TournamentResult {
    fn view(&self, config: &Config) -> View {
        let Config { players, mode, play, .. } = config;
        let opponents = match mode {
            Mode::Gauntlet => {
                format!("against {}", players.last().map_or(String::new(), |baseline| play.name(baseline)))
            }
            Mode::RoundRobin => "each against each".to_string(),
        };
        let rows = self.ranking.iter().enumerate().map(|(index, standing)| {
            vec![
                Cell::Number((index + 1) as f64, 0),
                standing.player.clone().into(),
                Cell::Number(standing.games as f64, 0),
                format!("+{} ={} -{}", standing.wins, standing.draws, standing.losses).into(),
                Cell::Percent(standing.score),
                standing.interval_text().into(),
                standing.elo.map_or(Cell::Missing, |elo| elo.text().into()),
                percents(&standing.frequencies).into(),
            ]
        });
        let headings = [">", "player", ">games", "results", ">score", "95 %", "Elo", "frequency"];
        View::new()
            .text(format!("{}, {opponents}, {}:\n\n", play.game.name, play.conditions_of(players)))
            .text(play.legend(players))
            .table(Table::new(&headings, rows))
            .text(credible_note(&self.ranking))
            .text(self.pairings.iter().map(Summary::losses_text).collect::<String>())
            .text(self.pairings.iter().map(Summary::replayed_text).collect::<String>())
            .view(self.nodes_view(config))
            .text(self.pairings.iter().map(Summary::warnings_text).collect::<String>())
    }

    /// The nodes per move of external engines, by pairing, where a node limit was set.
    fn nodes_view(&self, config: &Config) -> View {
        let Config { play, players, .. } = config;
        let is_external = |name: &str| players.iter().any(|player| player.uci().is_some() && play.name(player) == name);
        let has_nodes = |player: &Participant| matches!(player.limit_in(play.move_limit), MoveLimit::Nodes(_));
        if !players.iter().any(has_nodes) {
            return View::new();
        }
        let rows = self.pairings.iter().flat_map(|pairing| {
            let [a, b] = pairing.nodes_per_move?;
            (is_external(&pairing.a) || is_external(&pairing.b))
                .then(|| vec![pairing.a.clone().into(), a.text().into(), pairing.b.clone().into(), b.text().into()])
        });
        let rows: Vec<Vec<Cell>> = rows.collect();
        if rows.is_empty() {
            return View::new();
        }
        View::new().text("\n").table(Table::new(&["player", "nodes", "opponent", "nodes"], rows))
    }
}

/// What the intervals of a table are, if some are of few games.
pub(super) fn credible_note(ranking: &[Standing]) -> String {
    let is_credible = ranking.iter().any(|standing| standing.score_credible.is_some());
    if is_credible { format!("\n{CREDIBLE}\n") } else { String::new() }
}

impl From<Config> for StoredConfig {
    fn from(config: Config) -> StoredConfig {
        let Config { players, mode, play, report, contestants } = config;
        let players = players.iter().map(|player| play.print(player)).collect();
        StoredConfig { players, mode, play, table4: report == Report::PaperTable4, contestants }
    }
}

impl TryFrom<StoredConfig> for Config {
    type Error = RunError;

    fn try_from(stored: StoredConfig) -> Result<Config, RunError> {
        let StoredConfig { players, mode, play, table4, contestants } = stored;
        let players = players.iter().map(|text| play.stored_player(text)).collect::<Result<_, _>>()?;
        let report = if table4 { Report::PaperTable4 } else { Report::Standings };
        Ok(Config { players, mode, play, report, contestants })
    }
}
