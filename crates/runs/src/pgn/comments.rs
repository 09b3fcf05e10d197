//! What is written behind the moves of games of chess.
//!
//! | form | example |
//! | --- | --- |
//! | standard | `{[%eval 0.35,12] [%clk 0:00:09.94] [%emt 0:00:00.06]}`: what Lichess, python-chess and ChessBase read. The score is White's, `#-4` a mate in four by Black; the clock is what is left after the move |
//! | cutechess | `{+0.35/12 0.060s}`: what cutechess-cli and fastchess write. The score is the mover's, `+M7` a win in seven plies |
//! | none | nothing |
//!
//! Times and clocks are there where games have them. What is asked for besides follows behind a comma: `n=50000, sd=20,
//! pv="e2e4 e7e5"`, as in fastchess.

use std::time::Duration;

use plysmith_core::games;
use plysmith_core::score::Score;
use plysmith_engine::arena::game::{GameJob, Ply};
use plysmith_engine::arena::time_control::{GameClocks, MoveLimit, TimeLimit};
use plysmith_engine::player::Participant;
use plysmith_engine::uci::client::Go;
use serde::{Deserialize, Serialize};

/// What is written about moves.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PgnStyle {
    /// The form of the comments.
    #[serde(default)]
    pub comments: CommentForm,
    /// What is written besides, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<Detail>,
}

/// A form of comments.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommentForm {
    /// Commands in brackets.
    #[default]
    Standard,
    /// As cutechess-cli writes them.
    Cutechess,
    /// No comments.
    None,
}

/// Something that a comment may have.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// The nodes of the search.
    Nodes,
    /// The longest line that was searched.
    Seldepth,
    /// The best line.
    Pv,
}

/// Writes the comments of one game, move by move.
pub struct Commentator<'a> {
    style: &'a PgnStyle,
    clocks: GameClocks,
    is_white: bool,
}

impl PgnStyle {
    /// Whether nothing was asked for.
    pub fn is_default(&self) -> bool {
        *self == PgnStyle::default()
    }

    /// Whether games have to record more than usual.
    pub fn needs_details(&self) -> bool {
        self.with.iter().any(|detail| detail.is_recorded())
    }
}

impl Detail {
    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Detail::Nodes => "nodes",
            Detail::Seldepth => "seldepth",
            Detail::Pv => "pv",
        }
    }

    /// Whether games have it only if it was asked for before they were played.
    pub fn is_recorded(self) -> bool {
        self != Detail::Nodes
    }
}

impl<'a> Commentator<'a> {
    /// Before the first move of a game.
    pub fn new(style: &'a PgnStyle, job: &GameJob) -> Commentator<'a> {
        let time = job.time.as_ref().and_then(|time| time.parse::<TimeLimit>().ok());
        let limit = time.map_or(MoveLimit::Nodes(job.nodes), MoveLimit::Time);
        let own = |player: &String| {
            let game = games::find(&job.game).ok()?;
            Some(Participant::parse_stored(game, player).ok()?.limit_in(limit))
        };
        let clocks = GameClocks::new([&job.white, &job.black].map(|player| own(player).unwrap_or(limit)));
        let is_white = job.position.split_whitespace().nth(1) != Some("b");
        Commentator { style, clocks, is_white }
    }

    /// The comment of the next move.
    pub fn comment(&mut self, ply: &Ply) -> String {
        let is_white = self.is_white;
        self.is_white = !is_white;
        let time = ply.time.map(|time| Duration::from_millis(time.into()));
        if let Some(time) = time {
            // Stored times are whole milliseconds; they never exceed the clock, which the game was checked against.
            let _ = self.clocks.spend(is_white, time);
        }
        let said = match self.style.comments {
            CommentForm::None => return String::new(),
            CommentForm::Standard => self.in_brackets(ply, is_white, time),
            CommentForm::Cutechess => for_mover(ply, time),
        };
        [said].into_iter().chain(details(ply, self.style)).collect::<Vec<_>>().join(", ")
    }

    fn in_brackets(&self, ply: &Ply, is_white: bool, time: Option<Duration>) -> String {
        let score = Score::from_units(ply.score);
        let white = if is_white { score } else { -score };
        let value = match (white.win_in(), (-white).win_in()) {
            (Some(plies), _) => format!("#{}", plies.div_ceil(2)),
            (_, Some(plies)) => format!("#-{}", plies.div_ceil(2)),
            _ => format!("{:.2}", f64::from(white.units()) / 100.0),
        };
        let mut text = format!("[%eval {value},{}]", ply.depth);
        if let Go::Clock(times) = self.clocks.go(is_white)
            && time.is_some()
        {
            text += &format!(" [%clk {}]", hours(times.left()));
        }
        if let Some(time) = time {
            text += &format!(" [%emt {}]", hours(time));
        }
        text
    }
}

/// Score, depth and time as cutechess-cli has them.
fn for_mover(ply: &Ply, time: Option<Duration>) -> String {
    let score = Score::from_units(ply.score);
    let value = match (score.win_in(), (-score).win_in()) {
        (Some(plies), _) => format!("+M{plies}"),
        (_, Some(plies)) => format!("-M{plies}"),
        _ => format!("{:+.2}", f64::from(score.units()) / 100.0),
    };
    let time = time.map_or(String::new(), |time| format!(" {:.3}s", time.as_secs_f64()));
    format!("{value}/{}{time}", ply.depth)
}

/// What was asked for besides, as far as the game has it.
pub fn details(ply: &Ply, style: &PgnStyle) -> Vec<String> {
    let detail = |detail: &Detail| match detail {
        Detail::Nodes => Some(format!("n={}", ply.nodes)),
        Detail::Seldepth => ply.details.as_ref()?.seldepth.map(|depth| format!("sd={depth}")),
        Detail::Pv => {
            let line = &ply.details.as_ref()?.line;
            (!line.is_empty()).then(|| format!("pv=\"{}\"", line.join(" ")))
        }
    };
    style.with.iter().filter_map(detail).collect()
}

/// A time as hours, minutes and seconds.
fn hours(time: Duration) -> String {
    let (seconds, rest) = (time.as_secs(), time.subsec_millis());
    let decimals = if rest == 0 { String::new() } else { format!(".{rest:03}") };
    let decimals = decimals.trim_end_matches('0');
    format!("{}:{:02}:{:02}{decimals}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use plysmith_core::outcome::Outcome;
    use plysmith_engine::arena::game::PlyDetails;

    use super::{CommentForm, Commentator, Detail, Duration, GameJob, Participant, PgnStyle, Ply, Score, games, hours};

    fn job(time: Option<&str>, side: &str) -> GameJob {
        let game = games::find("chess").unwrap();
        let player = Participant::parse(game, "classic").unwrap();
        let position = format!("4k3/8/8/8/8/8/8/4K3 {side} - - 0 1");
        GameJob { time: time.map(str::to_string), ..GameJob::new(game, &position, &player, &player) }
    }

    fn ply(score: Score, time: Option<u32>) -> Ply {
        let details = Some(PlyDetails { seldepth: Some(20), line: vec!["e2e4".to_string(), "e7e5".to_string()] });
        Ply { m: "e2e4".to_string(), score: score.units(), depth: 12, nodes: 50_000, time, details }
    }

    fn comments(comments: CommentForm, with: &[Detail], job: &GameJob, plies: &[Ply]) -> Vec<String> {
        let style = PgnStyle { comments, with: with.to_vec() };
        let mut commentator = Commentator::new(&style, job);
        plies.iter().map(|ply| commentator.comment(ply)).collect()
    }

    #[test]
    fn scores_are_whites_or_the_movers_and_clocks_count_down() {
        let plies = [
            ply(Score::evaluation(35), Some(60)),
            ply(Score::evaluation(-5), Some(1_000)),
            ply(Score::of(Outcome::Win, 7), Some(500)),
            ply(Score::of(Outcome::Win, 7), Some(0)),
        ];
        let timed = job(Some("10+0.1"), "w");
        assert_eq!(
            comments(CommentForm::Standard, &[], &timed, &plies),
            [
                "[%eval 0.35,12] [%clk 0:00:10.04] [%emt 0:00:00.06]",
                "[%eval 0.05,12] [%clk 0:00:09.1] [%emt 0:00:01]",
                "[%eval #4,12] [%clk 0:00:09.64] [%emt 0:00:00.5]",
                "[%eval #-4,12] [%clk 0:00:09.2] [%emt 0:00:00]",
            ]
        );
        assert_eq!(
            comments(CommentForm::Cutechess, &[], &timed, &plies),
            ["+0.35/12 0.060s", "-0.05/12 1.000s", "+M7/12 0.500s", "+M7/12 0.000s"]
        );
        let untimed = [ply(Score::evaluation(35), None)];
        let black = job(None, "b");
        assert_eq!(comments(CommentForm::Standard, &[], &black, &untimed), ["[%eval -0.35,12]"]);
        let all = [Detail::Nodes, Detail::Seldepth, Detail::Pv];
        assert_eq!(
            comments(CommentForm::Cutechess, &all, &black, &untimed),
            ["+0.35/12, n=50000, sd=20, pv=\"e2e4 e7e5\""]
        );
        assert_eq!(comments(CommentForm::None, &all, &black, &untimed), [""]);
        let by_move = job(Some("movetime 100ms"), "w");
        assert_eq!(
            comments(CommentForm::Standard, &[], &by_move, &plies[..1]),
            ["[%eval 0.35,12] [%emt 0:00:00.06]"],
            "a time for each move is no clock"
        );
    }

    #[test]
    fn times_are_written_with_hours() {
        let time = |milliseconds| hours(Duration::from_millis(milliseconds));
        assert_eq!(
            [time(0), time(1), time(61_020), time(36_000_000)],
            ["0:00:00", "0:00:00.001", "0:01:01.02", "10:00:00"]
        );
    }
}
