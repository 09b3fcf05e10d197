//! Somebody edits a feature, builds again and measures on the same store: results of what was edited are measured anew, all
//! others are recalled.

#[path = "../../core/tests/edited/mod.rs"]
mod edited;

use std::cell::Cell;
use std::num::NonZeroUsize;

use edited::{Edit, Edited};
use plysmith_core::depth::Weight;
use plysmith_core::game::{Game, Move as _};
use plysmith_core::games::GameInfo;
use plysmith_core::games::breakthrough::{Move, Position, Standard};
use plysmith_core::move_set::words_for;
use plysmith_core::problem::Suite;
use plysmith_core::score::Score;
use plysmith_core::suite::text;
use plysmith_engine::arena::game::GameJob;
use plysmith_engine::driver::{BuiltIn, Candidate, Policy};
use plysmith_engine::measurement::Measurement;
use plysmith_engine::player::Participant;
use plysmith_runs::memo::Memo;
use plysmith_runs::suite_runner::{MeasureOptions, SearchLimits, SuiteRunner};
use plysmith_store::{Home, Store};

type Breakthrough = Position<Standard>;
type Built<E> = Edited<Breakthrough, E, { words_for(Move::CODES) }>;

/// The game as it was.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Nothing;

impl Edit<Breakthrough> for Nothing {}

/// RdTt without the middle of the board.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Narrower;

impl Edit<Breakthrough> for Narrower {
    fn has(position: &Breakthrough, m: Move, name: &str, has: bool) -> bool {
        let to = position.print_move(m)[2..].to_string();
        has && !(name == "RdTt" && to.starts_with(['c', 'd', 'e', 'f']))
    }
}

/// Another evaluation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Turned;

impl Edit<Breakthrough> for Turned {
    fn evaluate(_position: &Breakthrough, score: Score) -> Score {
        -score
    }
}

fn before() -> &'static GameInfo {
    const { &GameInfo::of::<Built<Nothing>>() }
}

fn after_feature() -> &'static GameInfo {
    const { &GameInfo::of::<Built<Narrower>>() }
}

fn after_evaluation() -> &'static GameInfo {
    const { &GameInfo::of::<Built<Turned>>() }
}

fn suite(game: &GameInfo) -> Suite {
    text::parse(game, "bundled", game.suites[0].text).unwrap().first(12)
}

/// A measurement, and how many problems were searched for it.
fn measure(game: &'static GameInfo, scheme: &str, memo: Memo<'_>) -> (Measurement, usize) {
    let subject = BuiltIn::new(game, game.parse_settings("classic").unwrap(), Policy::End);
    let limits = SearchLimits { nodes: 3000, seed: 1 };
    let mut runner = SuiteRunner::new(Box::new(subject), suite(game), limits, NonZeroUsize::MIN).unwrap();
    let searched = Cell::new(0);
    let options = MeasureOptions {
        at_least: None,
        interrupt: &|| false,
        progress: &|_| searched.set(searched.get() + 1),
        incident: &|incident| panic!("{incident}"),
    };
    let candidate = Candidate::Scheme(game.vocabulary.parse_scheme(scheme, Weight::HALF).unwrap());
    (runner.measure(&candidate, &options, memo).unwrap(), searched.get())
}

#[test]
fn an_edited_feature_is_measured_anew_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
    let memo = Memo::Store(&store);
    for scheme in ["Neutral", "RdTt", "Ud-RdTt", "Ud"] {
        assert_eq!(measure(before(), scheme, memo).1, 12, "{scheme}: nothing is stored yet");
        assert_eq!(measure(before(), scheme, memo).1, 0, "{scheme}: the same program finds it");
    }
    for scheme in ["RdTt", "Ud-RdTt"] {
        let (found, searched) = measure(after_feature(), scheme, memo);
        assert_eq!(searched, 12, "{scheme} was edited");
        assert_eq!(found, measure(after_feature(), scheme, Memo::Disabled).0, "{scheme}");
        assert_ne!(found, measure(before(), scheme, memo).0, "the edit shows in the results of {scheme}");
    }
    for scheme in ["Neutral", "Ud"] {
        assert_eq!(measure(after_feature(), scheme, memo), (measure(before(), scheme, memo).0, 0), "{scheme}");
    }
    for scheme in ["Neutral", "Ud"] {
        assert_eq!(measure(after_evaluation(), scheme, memo).1, 12, "{scheme} with another evaluation");
    }
}

#[test]
fn games_with_an_edited_feature_are_other_games() {
    let start = suite(before()).problems[0].position.clone();
    let key = |game: &'static GameInfo, white: &str, black: &str| {
        let player = |text| Participant::parse(game, text).unwrap();
        GameJob::new(game, &start, &player(white), &player(black)).key()
    };
    let same = [("classic", "classic+Ud"), ("modern+PP@0.75", "uci:engine")];
    for (white, black) in same {
        assert_eq!(key(after_feature(), white, black), key(before(), white, black), "{white} against {black}");
        assert_ne!(key(after_evaluation(), white, black), key(before(), white, black), "{white} against {black}");
    }
    for (white, black) in [("classic+RdTt", "classic"), ("uci:engine", "classic+Ud-RdTt@0.25")] {
        assert_ne!(key(after_feature(), white, black), key(before(), white, black), "{white} against {black}");
    }
}
