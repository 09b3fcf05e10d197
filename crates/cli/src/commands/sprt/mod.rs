//! `plysmith sprt`: the statistics of a match, from given results; and what a sequential test will do.

mod plan;

use clap::{ArgGroup, Args};
use plysmith_learn::stats::outcomes::{Outcomes, Penta, Wdl};
use plysmith_runs::estimates::{CREDIBLE, Estimates, Range, los_text, score_interval};
use plysmith_runs::sequential_test::TestResult;

use serde::Serialize;

use crate::arguments::sequential_test::TestArguments;
use crate::failure::Failure;
use crate::output::{Output, percent};

/// Compute Elo, error bars and the state of a sequential test from results, or plan a test
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("results").args(["penta", "wdl", "plan"]).required(true)))]
#[command(after_help = "\
With --plan the table has a line for each true difference: how often the test would accept each hypothesis, and how many \
games it would take on average, in half of all tests, and in 95 % of them.

Examples:
  plysmith sprt --penta 34,54,63,64,75 --nelo 0,2
  plysmith sprt --wdl 136,111,96 --elo 0,5
  plysmith sprt --wdl 136,111,96 --elo 0,5 --model bayesian
  plysmith sprt --plan --nelo 0,5
  plysmith sprt --plan --elo 0,3 --draws 0.6 --games 20000 --truth=-2,0,1.5,3,6")]
pub struct Arguments {
    /// Number of game pairs by result: LL,LD,WL+DD,WD,WW
    #[arg(long, value_name = "COUNTS")]
    penta: Option<String>,

    /// Number of games by result: wins,draws,losses
    #[arg(long, value_name = "W,D,L")]
    wdl: Option<String>,

    #[command(flatten)]
    test: TestArguments,

    #[command(flatten)]
    plan: plan::PlanArguments,
}

#[derive(Serialize)]
struct Calculated {
    games: u64,
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_credible: Option<[f64; 2]>,
    elo: Option<Range>,
    nelo: Option<Range>,
    los: Option<f64>,
    test: Option<TestResult>,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    if arguments.plan.is_wanted() {
        return arguments.plan.run(arguments.test.resolve()?, output);
    }
    let calculated = match (&arguments.penta, &arguments.wdl) {
        (Some(_), _) if arguments.test.is_bayesian() => {
            return Err(Failure::input("the BayesElo model counts single games, not pairs; give them with --wdl"));
        }
        (Some(text), _) => arguments.calculate(&text.parse::<Penta>()?)?,
        (_, Some(text)) => arguments.calculate(&text.parse::<Wdl>()?)?,
        (None, None) => return Err(Failure::input("give results with --penta or --wdl, or --plan")),
    };
    output.print(&calculated, || calculated.text())
}

impl Arguments {
    fn calculate(&self, outcomes: &impl Outcomes) -> Result<Calculated, Failure> {
        let test = match self.test.resolve()? {
            Some(test) => Some(TestResult::new(&test, outcomes)?),
            None => None,
        };
        let Estimates { score: score_credible, elo, nelo, los } = Estimates::of(outcomes);
        Ok(Calculated {
            games: u64::try_from(outcomes.games()).unwrap_or(u64::MAX),
            score: outcomes.mean(),
            score_credible,
            elo,
            nelo,
            los,
            test,
        })
    }
}

impl Calculated {
    fn text(&self) -> String {
        let share = |share: Option<f64>| share.map_or("–".to_string(), percent);
        format!(
            "games  {}   score {}{}\nElo    {}   nElo {}   LOS {}\n{}",
            self.games,
            share(self.score),
            self.score_credible.map_or(String::new(), |credible| {
                format!(" {}   ({CREDIBLE})", score_interval(Some(credible), 0.0))
            }),
            Range::text_or_dash(self.elo),
            Range::text_or_dash(self.nelo),
            los_text(self.los, self.score_credible.is_some()),
            self.test.as_ref().map_or(String::new(), TestResult::text)
        )
    }
}
