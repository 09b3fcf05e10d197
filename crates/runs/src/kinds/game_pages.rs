//! Pages of runs that play games: how the score came about, and where a sequential test stands.

use plysmith_learn::stats::outcomes::{Outcomes, Penta};
use plysmith_learn::stats::sprt::Sprt;

use crate::chart::{Bar, Bars, Figure, Gauge, Line, Lines};
use crate::error::RunError;
use crate::events::GameEvent;
use crate::pairing::PlayedGame;
use crate::sequential_test::TestResult;
use crate::summary::Summary;
use crate::tally::Tally;
use crate::view::{Cell, Table, View, thousands};

/// Of finished matches with more games, the way of the LLR is not drawn: every game would have to be read.
const MOST_READ: u64 = 4_000;
/// As many points of the way of an LLR are drawn.
const POINTS: usize = 200;

/// The games of one pairing, as far as they were played.
#[derive(Default)]
pub(super) struct Played {
    /// Their results.
    pub tally: Tally,
    /// The pairs after each complete pair.
    pairs: Vec<Penta>,
}

impl Played {
    /// Counts games by their pairing. What is not a whole game is passed over.
    pub fn read(games: &mut dyn Iterator<Item = Result<GameEvent, RunError>>) -> Result<Vec<Played>, RunError> {
        let mut all: Vec<Played> = Vec::new();
        for game in games {
            let GameEvent::Whole(game) = game? else { continue };
            if all.len() <= game.pairing {
                all.resize_with(game.pairing + 1, Played::default);
            }
            let played = &mut all[game.pairing];
            played.tally.add(&PlayedGame { number: game.number, job: game.job, record: game.record });
            if played.tally.is_even() {
                played.pairs.push(played.tally.pairs());
            }
        }
        Ok(all)
    }
}

/// Whether the games of a finished match are few enough to be read again.
pub(super) fn is_short(games: u64) -> bool {
    games <= MOST_READ
}

/// A sequential test: where it stands, and how it came there.
pub(super) fn test_view(
    view: View,
    test: &TestResult,
    summary: &Summary,
    is_over: bool,
    played: &Played,
) -> Result<View, RunError> {
    let sprt = test.test.build()?;
    let view = view.heading("Sequential test").figure(gauge(test, summary, is_over, &sprt)).text(test.text());
    Ok(match llr_lines(&sprt, test, &played.pairs) {
        Some(lines) => view.figure(Figure::Lines(lines)),
        None => view,
    })
}

/// The score of a match.
pub(super) fn score_view(view: View, summary: &Summary) -> View {
    let view = view.heading("Score").figure(Figure::Bars(pentanomial(summary))).table(by_colour(summary));
    view.text("\n".to_string() + &summary.text())
}

/// Where the test stands, and when it can be expected to end.
fn gauge(test: &TestResult, summary: &Summary, is_over: bool, sprt: &Sprt) -> Figure {
    let about = match (test.verdict.as_str(), summary.games) {
        ("continue", 0) => "no games so far".to_string(),
        ("continue", games) if !is_over => {
            let rate = test.llr / games as f64;
            let (bound, what) = if rate > 0.0 { (test.upper, "H1") } else { (test.lower, "H0") };
            let left = (bound - test.llr) / rate;
            match left.is_finite() {
                true => {
                    format!("at this rate, {what} is accepted after about {} more games", thousands(left.ceil() as u64))
                }
                false => "the games favour neither hypothesis".to_string(),
            }
        }
        ("continue", _) => "all games were played without a decision".to_string(),
        (verdict, games) => format!("{verdict} after {} games", thousands(games)),
    };
    let middle = (sprt.hypotheses().elo0 + sprt.hypotheses().elo1) / 2.0;
    let (games, _) = sprt.expected_games(middle);
    Figure::Gauge(Gauge {
        title: "Log-likelihood ratio".to_string(),
        low: (test.lower, format!("accept H0 ({} Elo)", sprt.hypotheses().elo0)),
        high: (test.upper, format!("accept H1 ({} Elo)", sprt.hypotheses().elo1)),
        value: test.llr,
        about: format!("{about}; the most to expect on average: {} games", thousands(games.ceil() as u64)),
    })
}

/// The way of the LLR, between its bounds; none with fewer than two pairs.
fn llr_lines(sprt: &Sprt, test: &TestResult, pairs: &[Penta]) -> Option<Lines> {
    let last = pairs.len().checked_sub(1).filter(|last| *last > 0)?;
    let points = POINTS.min(pairs.len());
    let place = |number: usize| number * last / (points - 1).max(1);
    let point = |number: usize| {
        let penta = pairs[place(number)];
        [penta.games() as f64, sprt.llr(&penta)]
    };
    let bound = |name: &str, value: f64| Line {
        is_dotted: true,
        ..Line::new(name, vec![[2.0, value], [2.0 * pairs.len() as f64, value]])
    };
    Some(Lines {
        title: "How the log-likelihood ratio came about".to_string(),
        x: "games".to_string(),
        y: "LLR".to_string(),
        lines: vec![
            Line::new("LLR", (0..points).map(point).collect()),
            bound("accept H0", test.lower),
            bound("accept H1", test.upper),
        ],
    })
}

fn pentanomial(summary: &Summary) -> Bars {
    let names = ["0 points", "½ point", "1 point", "1½ points", "2 points"];
    let inks = [1, 4, 6, 5, 2];
    let bar = |((name, count), ink): ((&str, u64), usize)| Bar { ink, ..Bar::new(name, count as f64) };
    Bars {
        title: format!("Pairs of games by the points of {}", summary.a),
        unit: "pairs".to_string(),
        bars: names.into_iter().zip(summary.pairs).zip(inks).map(bar).collect(),
    }
}

fn by_colour(summary: &Summary) -> Table {
    let rows = ["White", "Black"].into_iter().zip(summary.by_colour).map(|(colour, [wins, draws, losses])| {
        let games = wins + draws + losses;
        let score = (games > 0).then(|| (wins as f64 + draws as f64 / 2.0) / games as f64);
        vec![colour.into(), Cell::Count(wins), Cell::Count(draws), Cell::Count(losses), Cell::percent(score)]
    });
    Table::new(&[&format!("{} as", summary.a), ">wins", ">draws", ">losses", ">score"], rows)
}

#[cfg(test)]
mod tests {
    use plysmith_engine::arena::time_control::MoveLimit;
    use plysmith_learn::stats::sprt::EloModel;

    use super::{Figure, Penta, Summary, Tally, TestResult, gauge, llr_lines, thousands};
    use crate::sequential_test::TestConfig;

    fn test(pairs: [u64; 5]) -> (TestResult, TestConfig) {
        let config = TestConfig { model: EloModel::Normalized, elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
        (TestResult::new(&config, &Penta(pairs)).unwrap(), config)
    }

    #[test]
    fn the_gauge_says_when_the_test_will_end() {
        let pairs = [10, 20, 40, 30, 15];
        let (result, config) = test(pairs);
        let limit = MoveLimit::Nodes(1_000);
        let mut summary = Summary::new("a".to_string(), "b".to_string(), [limit; 2], &Tally::default());
        (summary.games, summary.pairs) = (230, pairs);
        let Figure::Gauge(shown) = gauge(&result, &summary, false, &config.build().unwrap()) else { panic!() };
        let more = ((result.upper - result.llr) / (result.llr / 230.0)).ceil() as u64;
        assert!(shown.about.starts_with(&format!("at this rate, H1 is accepted after about {}", thousands(more))));
        let Figure::Gauge(over) = gauge(&result, &summary, true, &config.build().unwrap()) else { panic!() };
        assert!(over.about.starts_with("all games were played without a decision"), "{}", over.about);
    }

    #[test]
    fn the_way_of_the_llr_ends_where_the_test_stands() {
        let (result, config) = test([1, 2, 3, 4, 5]);
        let sprt = config.build().unwrap();
        let pairs: Vec<Penta> = [[0, 0, 1, 0, 0], [0, 1, 1, 0, 0], [1, 2, 3, 4, 5]].map(Penta).to_vec();
        let lines = llr_lines(&sprt, &result, &pairs).unwrap();
        assert_eq!(lines.lines[0].points.len(), 3);
        assert_eq!(lines.lines[0].points[2], [30.0, result.llr]);
        assert_eq!(llr_lines(&sprt, &result, &pairs[..1]), None);
    }
}
