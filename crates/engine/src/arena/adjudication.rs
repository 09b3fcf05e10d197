//! Adjudication: a game ends before its end by the rules, because the players' scores say how it will end.
//!
//! - *Resignation*: a player whose score has been very low for some moves loses. With `twosided=true` its opponent must have
//!   seen the same score from its side for as many moves.
//! - *Draw*: from some move on, both players' scores have been near zero for some moves, and no move was irreversible.
//! - *Length*: a game is a draw after a given number of moves.
//!
//! The names and the meaning are those of fastchess and cutechess. Moves are counted from where the players begin, without
//! the opening. A move without a score, as engines play from their own books, interrupts every count.

use std::fmt;
use std::str::FromStr;

use plysmith_core::outcome::Outcome;
use plysmith_core::score::Score;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// When games are adjudicated by scores or by length.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Adjudication {
    /// When a player resigns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<ResignRule>,
    /// When a game is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
    /// After how many moves of both players it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_moves: Option<u32>,
}

/// When a player resigns. As text: `score=600,moves=3,twosided=true`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResignRule {
    /// Its score is this far below zero, in the game's units: hundredths of a pawn in chess.
    pub score: u32,
    /// The number of its consecutive moves with such scores.
    pub moves: u32,
    /// Whether its opponent must agree.
    pub two_sided: bool,
}

/// When a game is drawn. As text: `score=10,moves=8,from=40`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DrawRule {
    /// Scores are at most this far from zero, in the game's units.
    pub score: u32,
    /// The number of consecutive moves of both players with such scores.
    pub moves: u32,
    /// The number of moves that must have been played.
    pub from: u32,
}

/// A text that is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleError {
    /// A part that no rule has.
    #[error("'{part}' in '{text}' is not part of this rule; expected something like '{example}'")]
    Part {
        /// The part.
        part: String,
        /// The whole text.
        text: String,
        /// A text that is right.
        example: &'static str,
    },
    /// A part that is missing or is there twice.
    #[error("'{text}' must have '{name}=' once; expected something like '{example}'")]
    Count {
        /// The part.
        name: &'static str,
        /// The whole text.
        text: String,
        /// A text that is right.
        example: &'static str,
    },
}

const RESIGN: &str = "score=600,moves=3";
const DRAW: &str = "score=10,moves=8,from=40";
/// Scores beyond this are of forced wins.
const MOST_SCORE: u32 = 20_000;

impl Adjudication {
    /// Whether there is no rule.
    pub fn is_none(&self) -> bool {
        *self == Adjudication::default()
    }
}

impl fmt::Display for Adjudication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Adjudication { resign, draw, max_moves } = self;
        let parts = [
            resign.map(|rule| format!("resign {rule}")),
            draw.map(|rule| format!("draw {rule}")),
            max_moves.map(|moves| format!("at most {moves} moves")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join("; "))
    }
}

/// The parts of a rule's text.
struct Parts<'a> {
    text: &'a str,
    example: &'static str,
    parts: Vec<(&'a str, &'a str)>,
}

impl<'a> Parts<'a> {
    fn read(text: &'a str, example: &'static str, names: &[&str]) -> Result<Parts<'a>, RuleError> {
        let wrong = |part: &str| RuleError::Part { part: part.to_string(), text: text.to_string(), example };
        let part = |part: &'a str| {
            let (name, value) = part.split_once('=').ok_or_else(|| wrong(part))?;
            let known = names.contains(&name.trim());
            if known { Ok((name.trim(), value.trim())) } else { Err(wrong(part)) }
        };
        let parts = text.split([',', ' ']).filter(|part| !part.is_empty()).map(part).collect::<Result<_, _>>()?;
        Ok(Parts { text, example, parts })
    }

    fn value(&self, name: &'static str, usual: Option<&'static str>) -> Result<&'a str, RuleError> {
        let mut values = self.parts.iter().filter(|(other, _)| *other == name).map(|(_, value)| *value);
        match (values.next(), values.next(), usual) {
            (Some(value), None, _) => Ok(value),
            (None, None, Some(usual)) => Ok(usual),
            _ => Err(RuleError::Count { name, text: self.text.to_string(), example: self.example }),
        }
    }

    fn parsed<T: FromStr>(&self, name: &'static str, usual: Option<&'static str>) -> Result<T, RuleError> {
        let value = self.value(name, usual)?;
        let wrong =
            || RuleError::Part { part: format!("{name}={value}"), text: self.text.to_string(), example: self.example };
        value.parse().map_err(|_| wrong())
    }

    fn number(&self, name: &'static str, usual: Option<&'static str>, most: u32) -> Result<u32, RuleError> {
        let number: u32 = self.parsed(name, usual)?;
        let wrong =
            || RuleError::Part { part: format!("{name}={number}"), text: self.text.to_string(), example: self.example };
        if number <= most { Ok(number) } else { Err(wrong()) }
    }
}

/// Nobody waits for more moves.
const MOST_MOVES: u32 = 10_000;

impl FromStr for ResignRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<ResignRule, RuleError> {
        let parts = Parts::read(text, RESIGN, &["score", "moves", "twosided"])?;
        let (score, moves) = (parts.number("score", None, MOST_SCORE)?, parts.number("moves", None, MOST_MOVES)?);
        Ok(ResignRule { score, moves: moves.max(1), two_sided: parts.parsed("twosided", Some("false"))? })
    }
}

impl FromStr for DrawRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<DrawRule, RuleError> {
        let parts = Parts::read(text, DRAW, &["score", "moves", "from"])?;
        let (score, moves) = (parts.number("score", None, MOST_SCORE)?, parts.number("moves", None, MOST_MOVES)?);
        Ok(DrawRule { score, moves: moves.max(1), from: parts.number("from", Some("0"), MOST_MOVES)? })
    }
}

impl fmt::Display for ResignRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score={},moves={}", self.score, self.moves)?;
        if self.two_sided { f.write_str(",twosided=true") } else { Ok(()) }
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score={},moves={},from={}", self.score, self.moves, self.from)
    }
}

/// Rules are stored as text.
macro_rules! stored_as_text {
    ($($rule:ty),*) => {
        $(impl TryFrom<String> for $rule {
            type Error = RuleError;

            fn try_from(text: String) -> Result<$rule, RuleError> {
                text.parse()
            }
        }

        impl From<$rule> for String {
            fn from(rule: $rule) -> String {
                rule.to_string()
            }
        })*
    };
}

stored_as_text!(ResignRule, DrawRule);

/// The rule that ended a game.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ruling {
    /// A player resigned.
    Resigned,
    /// The scores were level.
    Level,
    /// It was too long.
    TooLong,
}

/// Watches the scores of one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: Adjudication,
    plies: u32,
    /// White's and Black's latest moves with a score so low that it resigns.
    low: [u32; 2],
    /// White's and Black's latest moves with a score so high that its opponent may resign.
    high: [u32; 2],
    /// Latest plies with a score near zero.
    level: u32,
}

impl Adjudicator {
    /// At the start of a game.
    pub fn new(rules: Adjudication) -> Adjudicator {
        Adjudicator { rules, plies: 0, low: [0; 2], high: [0; 2], level: 0 }
    }

    /// Takes notice of a move and of the score that its player gave it; none if it gave none. `is_reversible` says whether
    /// earlier positions can occur again.
    pub fn note(&mut self, is_white: bool, score: Option<Score>, is_reversible: bool) {
        let side = usize::from(!is_white);
        let units = score.map(|score| i64::from(score.units()));
        let count = |count: u32, goes_on: bool| if goes_on { count + 1 } else { 0 };
        self.plies += 1;
        if let Some(rule) = self.rules.resign {
            let least = i64::from(rule.score);
            self.low[side] = count(self.low[side], units.is_some_and(|units| units <= -least));
            self.high[side] = count(self.high[side], units.is_some_and(|units| units >= least));
        }
        if let Some(rule) = self.rules.draw {
            let is_near = units.is_some_and(|units| units.abs() <= i64::from(rule.score));
            self.level = count(self.level, is_near && is_reversible);
        }
    }

    /// How the game ends, if it does: White's result, the rule, and why.
    pub fn verdict(&self) -> Option<(Outcome, Ruling, String)> {
        self.resigned().or_else(|| self.drawn()).or_else(|| self.too_long())
    }

    fn resigned(&self) -> Option<(Outcome, Ruling, String)> {
        let rule = self.rules.resign?;
        let gives_up =
            |side: usize| self.low[side] >= rule.moves && (!rule.two_sided || self.high[1 - side] >= rule.moves);
        let loser = (0..2).find(|&side| gives_up(side))?;
        let reason = format!("its score was -{} or less for {} moves (--resign)", rule.score, rule.moves);
        Some((Outcome::Loss.for_white(loser == 0), Ruling::Resigned, reason))
    }

    fn drawn(&self) -> Option<(Outcome, Ruling, String)> {
        let rule = self.rules.draw?;
        let is_due = self.plies >= 2 * rule.from && self.level >= 2 * rule.moves;
        let reason = || format!("all scores were within {} for {} moves (--draw)", rule.score, rule.moves);
        is_due.then(|| (Outcome::Draw, Ruling::Level, reason()))
    }

    fn too_long(&self) -> Option<(Outcome, Ruling, String)> {
        let moves = self.rules.max_moves?;
        let reason = || format!("{moves} moves were played (--max-moves)");
        (self.plies >= 2 * moves).then(|| (Outcome::Draw, Ruling::TooLong, reason()))
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::score::Score;

    use super::*;

    fn rules(resign: Option<&str>, draw: Option<&str>, max_moves: Option<u32>) -> Adjudication {
        let resign = resign.map(|text| text.parse().unwrap());
        Adjudication { resign, draw: draw.map(|text| text.parse().unwrap()), max_moves }
    }

    /// Plays scores in turn, White's first, and tells after which ply the game ended, and how.
    fn play(rules: Adjudication, scores: &[Option<i32>]) -> Option<(usize, Outcome, Ruling)> {
        let mut adjudicator = Adjudicator::new(rules);
        for (ply, score) in scores.iter().enumerate() {
            adjudicator.note(ply % 2 == 0, score.map(Score::from_units), true);
            if let Some((outcome, end, _)) = adjudicator.verdict() {
                return Some((ply + 1, outcome, end));
            }
        }
        None
    }

    #[test]
    fn texts_read_back_and_mistakes_are_named() {
        for text in ["score=600,moves=3", "score=1,moves=1,twosided=true"] {
            assert_eq!(text.parse::<ResignRule>().unwrap().to_string(), text);
        }
        assert_eq!("moves=8 score=10".parse::<DrawRule>().unwrap().to_string(), "score=10,moves=8,from=0");
        let resign = |text: &str| text.parse::<ResignRule>().unwrap_err().to_string();
        assert!(resign("moves=3").contains("must have 'score=' once"));
        assert!(resign("score=5,score=6,moves=3").contains("must have 'score=' once"));
        assert!(resign("score=600,moves=x").contains("'moves=x' in 'score=600,moves=x' is not part of this rule"));
        assert!(resign("score=600,moves=3,from=4").contains("'from=4'"));
        assert!(resign("score=600,moves=3,twosided=maybe").contains("score=600,moves=3"));
        assert!("score=-5,moves=3".parse::<DrawRule>().is_err() && "600".parse::<ResignRule>().is_err());
        let all = rules(Some("score=600,moves=3"), Some("score=10,moves=8,from=40"), Some(200));
        assert_eq!(serde_json::from_value::<Adjudication>(serde_json::to_value(all).unwrap()).unwrap(), all);
        assert_eq!(serde_json::to_string(&Adjudication::default()).unwrap(), "{}");
        assert_eq!(all.to_string(), "resign score=600,moves=3; draw score=10,moves=8,from=40; at most 200 moves");
    }

    #[test]
    fn a_player_resigns_after_low_scores_one_after_the_other() {
        let one = rules(Some("score=600,moves=2"), None, None);
        let both = rules(Some("score=600,moves=2,twosided=true"), None, None);
        let lost = [Some(0), Some(0), Some(-600), Some(0), Some(-700), Some(0)];
        assert_eq!(play(one, &lost), Some((5, Outcome::Loss, Ruling::Resigned)));
        assert_eq!(play(both, &lost), None, "Black does not agree");
        let black_loses = [Some(600), Some(-599), Some(650), Some(-650), Some(900), Some(-650), Some(900), Some(-650)];
        assert_eq!(play(one, &black_loses), Some((6, Outcome::Win, Ruling::Resigned)));
        assert_eq!(play(both, &black_loses), Some((6, Outcome::Win, Ruling::Resigned)));
        let interrupted = [Some(-800), None, Some(-10), None, Some(-800), None, None, None, Some(-800), None];
        assert_eq!(play(one, &interrupted), None, "a move without a score begins the count again");
    }

    #[test]
    fn a_draw_needs_both_players_and_reversible_moves() {
        let draw = rules(None, Some("score=10,moves=2,from=3"), None);
        assert_eq!(play(draw, &[Some(5); 10]), Some((6, Outcome::Draw, Ruling::Level)), "not before move 3");
        let late = [Some(5), Some(-11), Some(5), Some(5), Some(-10), Some(10), Some(0), Some(0)];
        assert_eq!(play(draw, &late), Some((6, Outcome::Draw, Ruling::Level)));
        assert_eq!(play(draw, &[Some(5), Some(-40)].repeat(20)), None);
        assert_eq!(play(draw, &[None; 20]), None, "engines that report no score are not drawn");
        let mut adjudicator = Adjudicator::new(draw);
        (0..20).for_each(|ply| adjudicator.note(ply % 2 == 0, Some(Score::EVEN), ply % 3 > 0));
        assert_eq!(adjudicator.verdict(), None, "captures and pawn moves begin the count again");
    }

    #[test]
    fn a_long_game_is_a_draw() {
        assert_eq!(play(rules(None, None, Some(2)), &[Some(900); 9]), Some((4, Outcome::Draw, Ruling::TooLong)));
        assert_eq!(play(Adjudication::default(), &[Some(-900); 400]), None);
    }
}
