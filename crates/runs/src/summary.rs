//! What the games of a pairing come to: score, Elo and the rest, as the first player sees it.

use plysmith_engine::arena::time_control::MoveLimit;
use plysmith_learn::stats::intervals::normal_interval;
use plysmith_learn::stats::outcomes::{Outcomes, Penta, Wdl};
use serde::{Deserialize, Serialize};

use crate::estimates::{CREDIBLE, Estimates, los_text, score_interval};
use crate::fairness::Fairness;
use crate::headline::Headline;
use crate::tally::{Searched, Tally};
use crate::view::{counted, percent, percents, thousands};

pub use crate::estimates::Range;

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
    /// The 95 % credible interval of the score, if there are fewer than 100 pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_credible: Option<[f64; 2]>,
    /// Nodes per move of each player. Earlier versions did not store it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes_per_move: Option<[NodesPerMove; 2]>,
    /// The median of the time by which games were lost on time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_overstep_ms: Option<f64>,
    /// Games that were begun again because this process had been stopped in the middle of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replayed: u64,
    /// Games that were adjudicated by scores: resigned, and drawn.
    #[serde(default, skip_serializing_if = "are_zero")]
    pub by_scores: [u64; 2],
    /// Games that each player forfeited, which were not played and are not among the games above.
    #[serde(default, skip_serializing_if = "are_zero")]
    pub forfeits: [u64; 2],
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit_reason: Option<String>,
    /// What makes the result doubtful.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// How many nodes a player searched for a move.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NodesPerMove {
    /// On average; none if it reported none.
    pub mean: Option<f64>,
    /// At most.
    pub most: u64,
    /// Its moves.
    pub moves: u64,
    /// The moves for which it reported nodes.
    pub reported: u64,
}

impl Summary {
    /// Sums up the games of players `a` and `b`.
    pub fn new(a: String, b: String, limits: [MoveLimit; 2], tally: &Tally) -> Summary {
        let (games, pairs) = (tally.games(), tally.pairs());
        let Estimates { score: score_credible, elo, nelo, los } = Estimates::of(&pairs);
        let warnings = Fairness { names: [&a, &b], limits, tally }.warnings();
        let oversteps = tally.sorted_oversteps();
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
            elo,
            nelo,
            los,
            frequencies: tally.frequencies(),
            mean_plies: tally.plies as f64 / count.max(1) as f64,
            adjudicated: tally.adjudicated,
            nodes: tally.nodes,
            on_time: tally.on_time,
            failures: tally.failures,
            score_credible,
            nodes_per_move: Some(tally.searched.map(NodesPerMove::from)),
            median_overstep_ms: oversteps.get(oversteps.len() / 2).map(|&micros| micros as f64 / 1e3),
            replayed: tally.replayed,
            by_scores: tally.by_scores,
            forfeits: [0; 2],
            forfeit_reason: None,
            warnings,
        }
    }

    /// The result in a few words, with a note behind them: `+12.34 ± 5.67 Elo in 200 games`.
    pub fn headline(&self, note: &str) -> Headline {
        let games = counted(self.games as usize, "game");
        match self.elo {
            Some(elo) => Headline::of(format!("{} Elo in {games}{note}", elo.text()), "elo", elo.value()),
            None => Headline::text(format!("{} in {games}{note}", percent(self.score))),
        }
    }

    /// With games that one of the players forfeited.
    #[must_use]
    pub fn with_forfeits(mut self, player: usize, games: u64, reason: &str) -> Summary {
        self.forfeits[player] = games;
        let reason = reason.lines().next().unwrap_or_default();
        Summary { forfeit_reason: (games > 0).then(|| reason.to_string()), ..self }
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
             score  {} {}   ({})\n\
             Elo    {}   nElo {}   LOS {}\n\
             plies  {:.1} per game, {} nodes in all",
            self.games,
            self.wins,
            self.draws,
            self.losses,
            pairs.join(", "),
            percent(self.score),
            score_interval(self.score_credible, self.plain_interval),
            if self.score_credible.is_some() { CREDIBLE } else { "the papers' plain interval" },
            Range::text_or_dash(self.elo),
            Range::text_or_dash(self.nelo),
            los_text(self.los, self.score_credible.is_some()),
            self.mean_plies,
            thousands(self.nodes),
        );
        if !self.frequencies.is_empty() {
            text += &format!("; features fired in {} of the moves searched", percents(&self.frequencies));
        }
        if self.adjudicated > 0 {
            text += &format!("; {} games ended by a proved win", self.adjudicated);
        }
        let [resigned, drawn] = self.by_scores;
        if resigned + drawn > 0 {
            text += &format!("; {resigned} games were resigned and {drawn} drawn by the scores");
        }
        text + "\n" + &self.nodes_text() + &self.losses_text() + &self.replayed_text() + &self.warnings_text()
    }

    /// The nodes per move of each player; empty if a version stored this that did not count them.
    fn nodes_text(&self) -> String {
        let Some([a, b]) = &self.nodes_per_move else { return String::new() };
        format!("nodes  {}: {}; {}: {}\n", self.a, a.text(), self.b, b.text())
    }

    /// How many games were begun again; empty if none was.
    pub fn replayed_text(&self) -> String {
        match self.replayed {
            0 => String::new(),
            count => format!("replay {} because plysmith was stopped or suspended meanwhile\n", games_replayed(count)),
        }
    }

    /// What makes the result doubtful, a line each; empty if nothing does.
    pub fn warnings_text(&self) -> String {
        self.warnings.iter().map(|warning| format!("warning: {warning}\n")).collect()
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
            if self.forfeits[index] > 0 {
                let opponent = if index == 0 { &self.b } else { &self.a };
                let (games, reason) = (self.forfeits[index], self.forfeit_reason.as_deref().unwrap_or_default());
                text += &format!("forfeited by {player} against {opponent}: {games} games; {reason}\n");
            }
        }
        text
    }
}

impl From<Searched> for NodesPerMove {
    fn from(searched: Searched) -> NodesPerMove {
        let Searched { reported, moves, most, .. } = searched;
        NodesPerMove { mean: searched.mean(), most, moves, reported }
    }
}

impl NodesPerMove {
    /// `5,012 per move, at most 5,100`.
    pub fn text(&self) -> String {
        match self.mean {
            Some(mean) => format!("{} per move, at most {}", thousands(mean.round() as u64), thousands(self.most)),
            None => "not reported".to_string(),
        }
    }
}

/// `1 game was replayed`.
pub fn games_replayed(count: u64) -> String {
    format!("{count} {} replayed", if count == 1 { "game was" } else { "games were" })
}

/// Zeros are not stored.
fn are_zero(counts: &[u64; 2]) -> bool {
    *counts == [0; 2]
}

/// Zeros are not stored.
fn is_zero(count: &u64) -> bool {
    *count == 0
}
