//! `plysmith sprt --plan`: what a sequential test will do, by the true difference.

use clap::{Args, value_parser};
use plysmith_learn::stats::foretold::{Foretold, GamesToCome};
use plysmith_learn::stats::sprt::EloModel;
use plysmith_runs::sequential_test::TestConfig;
use plysmith_runs::view::{Cell, Table};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;

/// How a test is planned.
#[derive(Debug, Args)]
pub struct PlanArguments {
    /// Print what a sequential test will do, by the true difference
    #[arg(long)]
    plan: bool,

    /// Share of drawn games with --plan; tests of normalized Elo do not depend on it [default: 0]
    #[arg(long, value_name = "SHARE", requires = "plan")]
    draws: Option<f64>,

    /// The most games of a test with --plan [default: no limit]
    #[arg(long, value_name = "N", requires = "plan", value_parser = value_parser!(u64).range(2..))]
    games: Option<u64>,

    /// True differences with --plan, on the scale of the hypotheses [default: around the hypotheses]
    #[arg(long, value_name = "ELO,…", requires = "plan", allow_hyphen_values = true, value_delimiter = ',')]
    truth: Vec<f64>,
}

/// A plan, as it is printed.
#[derive(Serialize)]
struct Plan {
    test: TestConfig,
    draws: f64,
    most_games: Option<u64>,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    true_elo: f64,
    accept_h1: f64,
    accept_h0: f64,
    no_verdict: f64,
    mean_games: f64,
    median_games: Option<f64>,
    games_95: Option<f64>,
}

impl From<Foretold> for Row {
    fn from(foretold: Foretold) -> Row {
        let Foretold { elo, accepts_h1, accepts_h0, mean_games, quantiles: [median_games, games_95] } = foretold;
        let no_verdict = (1.0 - accepts_h1 - accepts_h0).max(0.0);
        Row {
            true_elo: elo,
            accept_h1: accepts_h1,
            accept_h0: accepts_h0,
            no_verdict,
            mean_games,
            median_games,
            games_95,
        }
    }
}

impl PlanArguments {
    /// Whether a plan is asked for.
    pub fn is_wanted(&self) -> bool {
        self.plan
    }

    /// Prints the plan.
    pub fn run(&self, test: Option<TestConfig>, output: &Output) -> Result<(), Failure> {
        let test = test.ok_or_else(|| Failure::input("--plan needs a test, like --nelo 0,5 or --elo 0,5"))?;
        let draws = self.draws.unwrap_or(0.0);
        if !(0.0..1.0).contains(&draws) {
            return Err(Failure::input(format!(
                "--draws {draws} is not a share of games; expected one from 0 to below 1"
            )));
        }
        let sprt = test.build()?;
        // The BayesElo model looks after every game, the others after every pair.
        let games_each = if test.model == EloModel::Bayesian { 1 } else { 2 };
        let games = GamesToCome { draws, most: self.games, games_each };
        let rows = self.truths(&test)?.into_iter().map(|elo| sprt.foretell(elo, games).into()).collect();
        let plan = Plan { test, draws, most_games: self.games, rows };
        output.print(&plan, || plan.text())
    }

    fn truths(&self, test: &TestConfig) -> Result<Vec<f64>, Failure> {
        let most = test.model.most_elo();
        if let Some(wrong) = self.truth.iter().find(|elo| !(-most..=most).contains(*elo)) {
            return Err(Failure::input(format!(
                "a true difference of {wrong} is out of range; expected -{most} to {most}"
            )));
        }
        if !self.truth.is_empty() {
            return Ok(self.truth.clone());
        }
        // From one width of the hypotheses below to one above, in half widths.
        let half = (test.elo1 - test.elo0) / 2.0;
        Ok((-2..=4).map(|step| test.elo0 + half * f64::from(step)).collect())
    }
}

impl Plan {
    fn text(&self) -> String {
        let TestConfig { model, elo0, elo1, alpha, beta } = &self.test;
        let limit = self.most_games.map_or(String::new(), |games| format!(", at most {games} games"));
        let draws = match model {
            EloModel::Normalized => String::new(),
            EloModel::Logistic | EloModel::Bayesian => format!(", {} % of the games drawn", 100.0 * self.draws),
        };
        let games = |games: Option<f64>| games.map_or(Cell::Missing, |games| Cell::Count(games.ceil() as u64));
        let rows = self.rows.iter().map(|row| {
            vec![
                format!("{:+.2}", row.true_elo).into(),
                Cell::Percent(row.accept_h1),
                Cell::Percent(row.accept_h0),
                Cell::Percent(row.no_verdict),
                games(Some(row.mean_games)),
                games(row.median_games),
                games(row.games_95),
            ]
        });
        let headings = [">true Elo", ">H1", ">H0", ">no verdict", ">games", ">median", ">95 %"];
        format!(
            "{model} Elo {elo0} against {elo1}, alpha {alpha}, beta {beta}{draws}{limit}:\n\n{}",
            Table::new(&headings, rows)
        )
    }
}
