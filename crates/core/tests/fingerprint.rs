//! The key of a result contains what features and evaluations do: an edit of one changes its fingerprint and no other.

mod edited;

use std::cell::Cell;
use std::thread::LocalKey;

use edited::Edited;
use plysmith_core::depth::Weight;
use plysmith_core::fingerprint::{Part, append_answers};
use plysmith_core::game::{Game, Move as _};
use plysmith_core::games::{GAMES, GameInfo, Registered, breakthrough, chess};
use plysmith_core::move_set::words_for;
use plysmith_core::score::Score;
use plysmith_core::settings::Heuristic;

type Breakthrough = breakthrough::Position<breakthrough::AnySize>;
type Standard = breakthrough::Position<breakthrough::Standard>;
type Chess = chess::Position;

const BREAKTHROUGH_WORDS: usize = words_for(breakthrough::Move::CODES);
const CHESS_WORDS: usize = words_for(chess::Move::CODES);

/// All fingerprints of a game, by name.
fn fingerprints(game: &GameInfo) -> Vec<(&'static str, u64)> {
    let features = game.vocabulary.atoms().map(|atom| (game.vocabulary.facts(atom).name, Part::Feature(atom)));
    let names = game.presets.heuristics.iter().copied();
    let evaluations =
        (0..).map(Heuristic::BuiltIn).zip(names).map(|(heuristic, name)| (name, Part::Evaluation(heuristic)));
    features.chain(evaluations).map(|(name, part)| (name, game.fingerprint(part))).collect()
}

/// An edit of a game: of one feature, or of the evaluation. Chosen while the test runs, and not by a type for each edit: each
/// type would be compiled with a whole search of its own.
enum Edit<G: Game> {
    Nothing,
    /// The name of the feature, and whether a move has it after the edit; the last argument is the answer before.
    Feature(&'static str, fn(&G, G::Move, bool) -> bool),
    Evaluation(fn(&G, Score) -> Score),
}

impl<G: Game> Clone for Edit<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Edit<G> {}

thread_local! {
    static STANDARD: Cell<Edit<Standard>> = const { Cell::new(Edit::Nothing) };
    static CHESS: Cell<Edit<Chess>> = const { Cell::new(Edit::Nothing) };
}

/// The edit that this thread has chosen.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Chosen;

macro_rules! chosen {
    ($game:ty, $edit:ident) => {
        impl edited::Edit<$game> for Chosen {
            fn has(position: &$game, m: <$game as Game>::Move, name: &str, has: bool) -> bool {
                match $edit.get() {
                    Edit::Feature(edited, answer) if edited == name => answer(position, m, has),
                    _ => has,
                }
            }

            fn evaluate(position: &$game, score: Score) -> Score {
                match $edit.get() {
                    Edit::Evaluation(value) => value(position, score),
                    _ => score,
                }
            }
        }
    };
}

chosen!(Standard, STANDARD);
chosen!(Chess, CHESS);

type EditedStandard = Edited<Standard, Chosen, BREAKTHROUGH_WORDS>;
type EditedChess = Edited<Chess, Chosen, CHESS_WORDS>;

/// What is different after an edit.
fn changed<G: Game, E: Registered>(chosen: &'static LocalKey<Cell<Edit<G>>>, edit: Edit<G>) -> Vec<&'static str> {
    let [before, after] = [Edit::Nothing, edit].map(|edit| {
        chosen.set(edit);
        fingerprints(&GameInfo::of::<E>())
    });
    before.iter().zip(&after).filter(|(before, after)| before != after).map(|(&(name, _), _)| name).collect()
}

const ONE_SQUARE: Edit<Standard> =
    Edit::Feature("RdTt", |position, m, has| has && !position.print_move(m).ends_with("h7"));

#[test]
fn an_edit_of_a_breakthrough_feature_changes_its_fingerprint_alone() {
    let changed = |edit| changed::<_, EditedStandard>(&STANDARD, edit);
    assert_eq!(changed(Edit::Nothing), [""; 0]);
    let edits = [
        ONE_SQUARE,
        Edit::Feature("Ud", |position, m, has| has && position.print_move(m) != "c3d4"),
        Edit::Feature("PP", |position, _m, has| has && position.white_to_move()),
        Edit::Feature("Rc", |position, m, has| {
            has || (position.print_move(m).starts_with('a') && position.to_string().starts_with('8'))
        }),
        Edit::Feature("Bv2", |position, _m, has| has && position.to_string().matches('P').count() > 6),
        Edit::Feature("Edg", |position, m, has| has || position.print_move(m).ends_with("c8")),
        Edit::Feature("PPd", |position, m, has| {
            let name = position.print_move(m);
            has && name.as_bytes()[0] == name.as_bytes()[2]
        }),
        Edit::Feature("PPd", |position, m, has| has || position.print_move(m).ends_with("d8")),
    ];
    for edit in edits {
        let Edit::Feature(name, _) = edit else { unreachable!() };
        assert_eq!(changed(edit), [name]);
    }
}

fn has(position: &Chess, m: chess::Move, name: &str) -> bool {
    position.has(m, Chess::VOCABULARY.find(name).unwrap())
}

#[test]
fn an_edit_of_a_chess_feature_changes_its_fingerprint_alone() {
    let edits = [
        // No checks by castling.
        Edit::Feature("AcK", |position: &Chess, m, given| {
            let castles = ["e1g1", "e1c1", "e8g8", "e8c8"].contains(&position.print_move(m).as_str());
            given && !(castles && has(position, m, "PcK"))
        }),
        // No captures en passant.
        Edit::Feature("CcP", |position, m, given| {
            let to = position.print_move(m)[2..4].to_string();
            given && !position.to_string().contains(&format!(" {to} "))
        }),
        Edit::Feature("Pr", |position, m, given| given && !position.print_move(m).ends_with('n')),
        Edit::Feature("Dc", |position, m, given| given && !has(position, m, "PcP")),
        Edit::Feature("Fr", |position, _m, given| given && position.white_to_move()),
        // Queens do not fear rooks.
        Edit::Feature("Al", |position, m, given| given && !(has(position, m, "AcR") && has(position, m, "PcQ"))),
        Edit::Feature("RdTb", |position, m, given| given && !position.print_move(m)[2..].starts_with("a6")),
        Edit::Feature("Pp", |position, m, given| given && !position.print_move(m).starts_with("h2h4")),
        Edit::Feature("Rc", |position, m, given| given && !has(position, m, "PcK")),
    ];
    for edit in edits {
        let Edit::Feature(name, _) = edit else { unreachable!() };
        assert_eq!(changed::<_, EditedChess>(&CHESS, edit), [name]);
    }
}

#[test]
fn an_edit_of_the_evaluation_changes_its_fingerprint() {
    // One more point for whoever has a man on c3.
    let edit = Edit::Evaluation(|position: &Standard, score| {
        let rank = position.to_string().split('/').nth(5).unwrap().to_string();
        if rank.starts_with("2P") { score.plus(1) } else { score }
    });
    assert_eq!(changed::<_, EditedStandard>(&STANDARD, edit), Standard::PRESETS.heuristics);
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct OneSquareOf5x5;

impl edited::Edit<Breakthrough> for OneSquareOf5x5 {
    fn has(position: &Breakthrough, m: breakthrough::Move, name: &str, has: bool) -> bool {
        let is_edited = position.to_string().matches('/').count() == 4 && position.print_move(m).ends_with("e4");
        has && !(name == "RdTt" && is_edited)
    }
}

/// Zones differ between boards, so an edit for one size alone must be noticed.
#[test]
fn every_board_size_is_asked() {
    let atom = Part::Feature(Breakthrough::VOCABULARY.find("RdTt").unwrap());
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for text in Standard::probes() {
        append_answers(&Breakthrough::parse(&text).unwrap(), atom, &mut before);
        let position = Edited::<Breakthrough, OneSquareOf5x5, BREAKTHROUGH_WORDS>::parse(&text).unwrap();
        append_answers(&position, atom, &mut after);
    }
    assert_eq!(before.len(), after.len());
    assert_ne!(before, after);
}

#[test]
fn behaviour_depends_on_what_a_scheme_uses() {
    let game = GameInfo::of::<EditedStandard>();
    let behaviour = |edit, settings: &str, scheme: &str| {
        STANDARD.set(edit);
        let game = GameInfo::of::<EditedStandard>();
        let scheme = game.vocabulary.parse_scheme(scheme, Weight::HALF).unwrap();
        game.behaviour(&game.parse_settings(settings).unwrap(), &scheme)
    };
    for scheme in ["Neutral", "Ud", "Ud-PP@0.25,Rc@0.75", "Ud|(PP-Rdt)"] {
        assert_eq!(behaviour(ONE_SQUARE, "classic", scheme), behaviour(Edit::Nothing, "classic", scheme), "{scheme}");
    }
    for scheme in ["RdTt", "Ud-RdTt", "PP@0.25,RdTt@0.75", "Ud|(PP-RdTt)"] {
        assert_ne!(behaviour(ONE_SQUARE, "classic", scheme), behaviour(Edit::Nothing, "classic", scheme), "{scheme}");
    }
    let evaluations: Vec<String> = game
        .presets
        .heuristics
        .iter()
        .map(|name| behaviour(Edit::Nothing, &format!("classic,heuristic={name}"), "Neutral"))
        .collect();
    assert!(evaluations.windows(2).all(|pair| pair[0] != pair[1]), "{evaluations:?}");
}

#[test]
fn every_probe_opens_and_no_two_parts_answer_alike() {
    for game in GAMES {
        for text in (game.probes)() {
            assert!((game.open)(&text).is_ok(), "{text}");
        }
        let all = fingerprints(game);
        for (index, (name, number)) in all.iter().enumerate() {
            let twin = all[..index].iter().find(|(_, other)| other == number);
            assert_eq!(twin, None, "{name} of {}", game.name);
        }
    }
}

/// Fingerprints are equal on every machine. A number that changes here means that stored results of this feature are computed anew:
/// right if the feature was changed on purpose. Those of learned evaluations change whenever weights are learned.
#[test]
fn fingerprints_never_change_unnoticed() {
    for (game, expected) in GAMES.iter().zip([BREAKTHROUGH_FINGERPRINTS, CHESS_FINGERPRINTS]) {
        let is_learned = |name: &str| {
            game.presets.find_heuristic(name).is_some_and(|heuristic| (game.embedded_weights)(heuristic).is_some())
        };
        let found: Vec<String> = fingerprints(game)
            .into_iter()
            .filter(|(name, _)| !is_learned(name))
            .map(|(name, number)| format!("{name} {number:016x}"))
            .collect();
        assert_eq!(found.join("\n"), expected.trim(), "{}", game.name);
    }
}

const BREAKTHROUGH_FINGERPRINTS: &str = "
Ud 81a32accd4e73f75
PP a873fc29a4d72624
Rc 0c105fbe17b5c3e8
C b5fb21b9c8c2a6c4
Ms eb34741fcd07880b
Rdb 198134ae831bfff6
RdBt 7c2acc341a1fb51d
RdBb 42e95f770f928589
Rdt dfb300922d938839
RdTt a211e41eaa82387b
RdTb 48fd7e1a92e14008
Edg 81d81cd99e4b9238
Mr c4bcbd2e74984d20
Udp 85703a1ae884a603
Bv2 4fd398d036b187c9
PPd 78750ca023ed7cd8
material e902fe8ffbbc092c
advance da3485dd90ebc01a
guarded 0be9a754800886bd
";

const CHESS_FINGERPRINTS: &str = "
PcK df777ac92ab45549
PcQ 0e845cda81144aa1
PcR ef078d4103e01ebf
PcB 85405e7cdf9e1331
PcN 2db1085265765c14
PcP 9773776c6820f039
AcK dca25bb81a24db48
AcQ e3061244545fd5f1
AcR d551e1da62cf3085
AcB eda7969b89347681
AcN 99ebd41d5d3b32cc
AcP 390512de1606cd1f
Rc 711cbc74a5b485fc
Rdb 22be7cca269e0fb2
RdBb cb482027b259e4e2
RdBt 1f75048c7e3f2b91
Rdt cc6f1a0249522568
RdTb 513b002aa5cf41e9
RdTt dccc3855e0ccb775
CcQ 517b783fa04f79d2
CcR 3e3786b0979e9f8b
CcB 08db976b4ad46453
CcN e0b2fb0f91b8aedf
CcP 2ffe9f5454cf8210
LcQ 32f0f58128b08d87
LcR 056d932a5cf00289
LcB 04828fbfe5442ec6
LcN ab996a4811d39bab
LcP 3be855996343e2e3
Fr c435b76db455adbe
Pp 7068383fd51b5097
Pr 228c99f1c1278417
Dc 6635b9ea8a0d4b8e
Al bbbf3d07ff8abc08
material adf9ff52e1e368df
";
