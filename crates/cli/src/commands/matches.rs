//! `plysmith match`: one configuration against another, until the games are played or a test is settled.

use std::num::NonZeroUsize;

use clap::Args;
use plysmith_core::games;
use plysmith_engine::player::Participant;
use plysmith_learn::stats::outcomes::Outcomes;
use plysmith_learn::stats::sprt::{EloModel, ErrorRates, Hypotheses, Sprt};
use serde::{Deserialize, Serialize};

use super::contest::{PlayArguments, PlayConfig, Range, Stage, Summary};
use crate::failure::Failure;
use crate::journal::Journal;
use crate::output::{Output, percent, thousands};
use crate::progress;

/// Play one configuration against another
#[derive(Debug, Args)]
#[command(after_help = "\
A player is a preset and, behind a plus sign, a scheme: 'classic', 'modern,table=64+Ud-RdTt@0.5'.
Games come in pairs: the same opening twice, colours swapped. With --nelo or --elo it is a sequential
test, which ends as soon as one of the two hypotheses is accepted.

A foreign engine is 'uci:COMMAND', with options between semicolons: 'uci:gnuchess --uci;Hash=16'. It plays with
one thread and without its book unless told otherwise. A crash, an illegal move or silence loses the game, and
the engine is started again. With time or foreign engines, games cannot be repeated and belong to their run.

Examples:
  plysmith match --a classic+RdTt@0.5 --b classic --games 400
  plysmith match --a 'modern+Rc-Rdb@0.5' --b modern --nelo 0,10 --games 20000
  plysmith match chess --a modern --b classic --openings book.pgn --opening-plies 16 --opening-order shuffled
  plysmith match chess --a modern --b 'uci:gnuchess --uci' --tc 1+0.01
  plysmith match --a modern --b uci:fairy-stockfish --movetime 100ms")]
pub struct Arguments {
    /// The game
    #[arg(default_value = "breakthrough")]
    game: String,

    /// The first player
    #[arg(long, value_name = "PLAYER")]
    a: String,

    /// The second player
    #[arg(long, value_name = "PLAYER")]
    b: String,

    /// How many games; with a sequential test, how many at most [default: 200, with a test 20000]
    #[arg(long, value_name = "N")]
    games: Option<u64>,

    #[command(flatten)]
    test: TestArguments,

    #[command(flatten)]
    play: PlayArguments,
}

/// A sequential test.
#[derive(Debug, Args)]
pub struct TestArguments {
    /// Test two hypotheses about the normalized Elo difference, like '0,5'
    #[arg(long, value_name = "H0,H1", allow_hyphen_values = true, conflicts_with = "elo")]
    nelo: Option<String>,

    /// Test two hypotheses about the logistic Elo difference, like '0,5'
    #[arg(long, value_name = "H0,H1", allow_hyphen_values = true)]
    elo: Option<String>,

    /// How often a sequential test may accept H1 where H0 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    alpha: f64,

    /// How often it may accept H0 where H1 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    beta: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    pub a: String,
    pub b: String,
    pub play: PlayConfig,
    pub test: Option<TestConfig>,
}

/// A sequential test, as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TestConfig {
    /// `normalized` or `logistic`.
    pub model: String,
    pub elo0: f64,
    pub elo1: f64,
    pub alpha: f64,
    pub beta: f64,
}

/// What a match came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchResult {
    #[serde(flatten)]
    pub summary: Summary,
    pub test: Option<TestResult>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TestResult {
    #[serde(flatten)]
    pub test: TestConfig,
    pub llr: f64,
    pub lower: f64,
    pub upper: f64,
    pub verdict: String,
}

pub const KIND: &str = "match";
const GAMES: u64 = 200;
const MOST_GAMES_IN_A_TEST: u64 = 20_000;

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let config = arguments.resolve()?;
    config.play.check_players(&[config.a.clone(), config.b.clone()])?;
    let journal = Journal::begin(KIND, &config.play.game, config.play.seed, &config)?;
    perform(&config, journal, arguments.play.threads.threads, output)
}

/// Plays, from the start or from where an earlier process ended.
pub fn perform(
    config: &Config,
    journal: Journal,
    threads: Option<NonZeroUsize>,
    output: &Output,
) -> Result<(), Failure> {
    let run = journal.run();
    let progress = progress::begin(config.play.games);
    progress.message("looking for openings".to_string());
    let mut stage = Stage::set(&config.play, threads)?;
    let (a, b) = (Participant::parse(stage.game, &config.a)?, Participant::parse(stage.game, &config.b)?);
    let test = config.test.as_ref().map(TestConfig::build).transpose()?;
    let (tally, _) = stage.play(0, [&a, &b], test.as_ref(), &journal, &progress)?;
    drop(progress);
    let summary = Summary::new(config.a.clone(), config.b.clone(), &tally);
    let result = config.result(summary)?;
    journal.finish(&result)?;
    output.print(&result, || {
        format!("{}\nRun {run}: `plysmith export {run} --format pgn` has the games.\n", result.text(&config.play))
    })
}

impl Arguments {
    fn resolve(&self) -> Result<Config, Failure> {
        let game = games::find(&self.game)?;
        let canonical = |text: &str| Ok::<_, Failure>(Participant::parse(game, text)?.print(game));
        let test = self.test.resolve()?;
        let default = if test.is_some() { MOST_GAMES_IN_A_TEST } else { GAMES };
        Ok(Config {
            a: canonical(&self.a)?,
            b: canonical(&self.b)?,
            play: self.play.resolve(&self.game, self.games.unwrap_or(default))?,
            test,
        })
    }
}

impl TestArguments {
    /// The test that is meant, if one is.
    pub fn resolve(&self) -> Result<Option<TestConfig>, Failure> {
        let (model, text) = match (&self.nelo, &self.elo) {
            (Some(text), _) => (EloModel::Normalized, text),
            (None, Some(text)) => (EloModel::Logistic, text),
            (None, None) => return Ok(None),
        };
        let Hypotheses { elo0, elo1 } = text.parse()?;
        let config = TestConfig { model: model.name().to_string(), elo0, elo1, alpha: self.alpha, beta: self.beta };
        config.build()?;
        Ok(Some(config))
    }
}

impl TestConfig {
    /// The test itself.
    pub fn build(&self) -> Result<Sprt, Failure> {
        let model = [EloModel::Logistic, EloModel::Normalized].into_iter().find(|model| model.name() == self.model);
        let model = model.ok_or_else(|| Failure::input(format!("'{}' is not a model of a test", self.model)))?;
        let hypotheses = Hypotheses { elo0: self.elo0, elo1: self.elo1 };
        Ok(Sprt::new(model, hypotheses, ErrorRates { alpha: self.alpha, beta: self.beta })?)
    }
}

impl Config {
    /// What these games say, in the end or so far.
    pub fn result(&self, summary: Summary) -> Result<MatchResult, Failure> {
        let test = match &self.test {
            Some(test) => Some(TestResult::new(test, &summary.penta())?),
            None => None,
        };
        Ok(MatchResult { summary, test })
    }
}

impl TestResult {
    /// What these outcomes decide.
    pub fn new(config: &TestConfig, outcomes: &impl Outcomes) -> Result<TestResult, Failure> {
        let sprt = config.build()?;
        let bounds = sprt.bounds();
        let llr = sprt.llr(outcomes);
        let verdict = bounds.verdict(llr).name().to_string();
        Ok(TestResult { test: config.clone(), llr, lower: bounds.lower, upper: bounds.upper, verdict })
    }

    /// For people.
    pub fn text(&self) -> String {
        let TestConfig { model, elo0, elo1, alpha, beta } = &self.test;
        format!(
            "SPRT   LLR {:.4} in [{:.3}, {:.3}]: {}   ({model} Elo {elo0} against {elo1}, alpha {alpha}, beta {beta})\n",
            self.llr, self.lower, self.upper, self.verdict
        )
    }
}

impl MatchResult {
    /// For people.
    pub fn text(&self, play: &PlayConfig) -> String {
        let conditions = play.conditions();
        let mut text = format!("{} against {} ({}, {conditions}):\n\n", self.summary.a, self.summary.b, play.game);
        text += &self.summary.text();
        if let Some(test) = &self.test {
            text += &test.text();
        }
        text
    }
}

impl Summary {
    /// For people.
    fn text(&self) -> String {
        let [white, black] = self.by_colour.map(|[wins, draws, losses]| format!("+{wins} ={draws} -{losses}"));
        let range = |range: &Option<Range>| range.map_or("–".to_string(), |range| range.text());
        let pairs: Vec<_> = self.pairs.iter().map(u64::to_string).collect();
        let mut text = format!(
            "games  {}: +{} ={} -{}   (White {white}, Black {black})\n\
             pairs  [{}] by points 0, ½, 1, 1½, 2\n\
             score  {} ± {:.2}   (the papers' plain interval)\n\
             Elo    {}   nElo {}   LOS {}\n\
             plies  {:.1} a game, {} nodes in all",
            self.games,
            self.wins,
            self.draws,
            self.losses,
            pairs.join(", "),
            percent(self.score),
            100.0 * self.plain_interval,
            range(&self.elo),
            range(&self.nelo),
            self.los.map_or("–".to_string(), percent),
            self.mean_plies,
            thousands(self.nodes),
        );
        if !self.frequencies.is_empty() {
            let shares: Vec<_> = self.frequencies.iter().map(|&share| percent(share)).collect();
            text += &format!("; features fired in {} of the moves searched", shares.join(", "));
        }
        if self.adjudicated > 0 {
            text += &format!("; {} games ended by a proved win", self.adjudicated);
        }
        text + "\n" + &self.losses_text()
    }

    /// Who lost games otherwise than at the board, for people; nothing if nobody did.
    pub fn losses_text(&self) -> String {
        let mut text = String::new();
        for (player, index) in [(&self.a, 0), (&self.b, 1)] {
            let (on_time, failures) = (self.on_time[index], self.failures[index]);
            if on_time + failures > 0 {
                text +=
                    &format!("lost   {player}: {on_time} on time, {failures} by crashes, silence or illegal moves\n");
            }
        }
        text
    }
}
