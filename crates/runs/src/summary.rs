//! What the games of a pairing come to: score, Elo and the rest, as the first player sees it.

use plysmith_learn::stats::elo::{EloEstimate, likelihood_of_superiority, logistic_elo, normalized_elo};
use plysmith_learn::stats::intervals::normal_interval;
use plysmith_learn::stats::outcomes::{Outcomes, Penta, Wdl};
use serde::{Deserialize, Serialize};

use crate::tally::Tally;
use crate::view::{percent, percents, thousands};

/// The statistics of a pairing, as they are stored and printed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The first player.
    pub a: String,
    /// The second player.
    pub b: String,
    /// Games played.
    pub games: u64,
    /// Games that the first player won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    /// Wins, draws and losses with White, then with Black.
    pub by_colour: [[u64; 3]; 2],
    /// Pairs by their points: 0, ½, 1, 1½, 2.
    pub pairs: [u64; 5],
    /// Share of the points.
    pub score: f64,
    /// Half the width of the papers' interval.
    pub plain_interval: f64,
    /// Logistic Elo difference.
    pub elo: Option<Range>,
    /// Normalized Elo difference.
    pub nelo: Option<Range>,
    /// Likelihood of superiority.
    pub los: Option<f64>,
    /// Share of moves whose cost each feature of the first player decided, in its searches.
    pub frequencies: Vec<f64>,
    /// Mean length of a game in plies.
    pub mean_plies: f64,
    /// Games that ended because a win was proved.
    pub adjudicated: u64,
    /// Nodes in all.
    pub nodes: u64,
    /// Games that each player lost on time.
    #[serde(default)]
    pub on_time: [u64; 2],
    /// Games that each player lost because its program failed.
    #[serde(default)]
    pub failures: [u64; 2],
}

/// A value with its error bar of 95 %.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Range {
    /// The value.
    pub value: f64,
    /// Half the width of the interval, if it is known.
    pub error: Option<f64>,
}

impl Summary {
    /// Sums up a pairing of players `a` and `b`.
    pub fn new(a: String, b: String, tally: &Tally) -> Summary {
        let (games, pairs) = (tally.games(), tally.pairs());
        let Wdl { wins, draws, losses } = games;
        let count = wins + draws + losses;
        let forward = |[losses, draws, wins]: [u64; 3]| [wins, draws, losses];
        let Penta(by_points) = pairs;
        Summary {
            a,
            b,
            games: count,
            wins,
            draws,
            losses,
            by_colour: [forward(tally.white), forward(tally.black)],
            pairs: by_points,
            score: games.mean().unwrap_or(0.5),
            plain_interval: normal_interval(&games).map_or(0.0, |interval| interval.half_width()),
            elo: logistic_elo(&pairs).map(Range::from),
            nelo: normalized_elo(&pairs).map(Range::from),
            los: likelihood_of_superiority(&pairs),
            frequencies: tally.frequencies(),
            mean_plies: tally.plies as f64 / count.max(1) as f64,
            adjudicated: tally.adjudicated,
            nodes: tally.nodes,
            on_time: tally.on_time,
            failures: tally.failures,
        }
    }

    /// The pairs, for statistics.
    pub fn penta(&self) -> Penta {
        Penta(self.pairs)
    }

    /// The games, for statistics.
    pub fn wdl(&self) -> Wdl {
        Wdl { wins: self.wins, draws: self.draws, losses: self.losses }
    }

    /// The summary as several lines of text.
    pub fn text(&self) -> String {
        let [white, black] = self.by_colour.map(|[wins, draws, losses]| format!("+{wins} ={draws} -{losses}"));
        let pairs: Vec<_> = self.pairs.iter().map(u64::to_string).collect();
        let mut text = format!(
            "games  {}: +{} ={} -{}   (White {white}, Black {black})\n\
             pairs  [{}] by points 0, ½, 1, 1½, 2\n\
             score  {} ± {:.2}   (the papers' plain interval)\n\
             Elo    {}   nElo {}   LOS {}\n\
             plies  {:.1} per game, {} nodes in all",
            self.games,
            self.wins,
            self.draws,
            self.losses,
            pairs.join(", "),
            percent(self.score),
            100.0 * self.plain_interval,
            Range::text_or_dash(self.elo),
            Range::text_or_dash(self.nelo),
            self.los.map_or("–".to_string(), percent),
            self.mean_plies,
            thousands(self.nodes),
        );
        if !self.frequencies.is_empty() {
            text += &format!("; features fired in {} of the moves searched", percents(&self.frequencies));
        }
        if self.adjudicated > 0 {
            text += &format!("; {} games ended by a proved win", self.adjudicated);
        }
        text + "\n" + &self.losses_text()
    }

    /// Who lost games on time or by faults of its program, as text; empty if neither player did.
    pub fn losses_text(&self) -> String {
        let mut text = String::new();
        for (player, index) in [(&self.a, 0), (&self.b, 1)] {
            let (on_time, failures) = (self.on_time[index], self.failures[index]);
            if on_time + failures > 0 {
                text +=
                    &format!("lost   {player}: {on_time} on time, {failures} by crashes, timeouts or illegal moves\n");
            }
        }
        text
    }
}

impl From<EloEstimate> for Range {
    fn from(estimate: EloEstimate) -> Range {
        // JSON has no infinity: a missing error bar says that the value is a bound.
        Range { value: estimate.value.clamp(-9999.0, 9999.0), error: estimate.error }
    }
}

impl Range {
    /// `+12.34 ± 5.67`.
    pub fn text(&self) -> String {
        match self.error {
            Some(error) => format!("{:+.2} ± {error:.2}", self.value),
            None => format!("{:+.2} ± ?", self.value),
        }
    }

    /// The text, or a dash if there is no value.
    pub fn text_or_dash(range: Option<Range>) -> String {
        range.map_or("–".to_string(), |range| range.text())
    }
}
