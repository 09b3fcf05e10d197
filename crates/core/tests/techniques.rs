//! The techniques of thesis section 2.2.1 as switches: each changes the search, does what it promises, and can be switched off.

use plysmith_core::feature::Scheme;
use plysmith_core::game::Game;
use plysmith_core::games::{self, chess};
use plysmith_core::score::Score;
use plysmith_core::search::{Limit, Report, Root, Task, Workspace, search};
use plysmith_core::settings::Settings;

fn report(game: &str, settings: &str, text: &str, limit: Limit) -> Report<String> {
    let game = games::find(game).unwrap();
    let settings = game.parse_settings(settings).unwrap();
    let scheme = Scheme::neutral();
    let task = Task { settings, scheme: &scheme, limit, seed: 1, interrupt: &|| false, root: Root::default() };
    (game.open)(text).unwrap().search(&task, &mut Workspace::default())
}

/// All nodes of the bench positions to this depth.
fn nodes(game: &str, settings: &str, depth: u32) -> u64 {
    let limit = Limit { depth, ..Limit::nodes(3_000_000) };
    games::find(game).unwrap().bench.iter().map(|text| report(game, settings, text, limit).nodes).sum()
}

#[test]
fn every_technique_changes_the_search_where_it_is_on() {
    for game in ["chess", "breakthrough"] {
        for name in ["razoring", "limited-razoring", "adaptive-null-move", "verification", "multi-cut", "singular"] {
            let (base, depth) = ("modern,VerificationMinDepth=4000,AdaptiveNullDepth=4000,LimitedRazorMargin=100", 8);
            assert_ne!(nodes(game, &format!("{base},{name}"), depth), nodes(game, base, depth), "{game} {name}");
            let constant = match name {
                "razoring" => "RazorMargin=1000",
                "limited-razoring" => "LimitedRazorMargin=2000",
                "adaptive-null-move" => "AdaptiveNullDepth=16000",
                "verification" => "VerificationReduction=3000",
                "multi-cut" => "MultiCutCutoffs=1",
                _ => "SingularExtension=0",
            };
            let with = |more: &str| nodes(game, &format!("{base},{name}{more}"), depth);
            assert_ne!(with(&format!(",{constant}")), with(""), "{game} {name} {constant}");
            assert_eq!(nodes(game, &format!("{base},{constant}"), 6), nodes(game, base, 6), "{name} is off");
        }
    }
}

/// A study: 1. Qxh4+ leaves Black, a queen up, in zugzwang. To a search that lets Black pass, Black stands well.
#[test]
fn verification_finds_zugzwang_that_null_move_pruning_misses() {
    let text = "8/6B1/p5p1/Pp4kp/1P5r/5P1Q/4q1PK/8 w - - 0 32";
    let best = |settings: &str| report("chess", settings, text, Limit::depth(12)).line[0].clone();
    let base = "classic,table=16,null-window,null-move";
    assert_ne!(best(base), "h3h4");
    assert_eq!(best(&format!("{base},verification")), "h3h4");
    let score = |settings: &str| report("chess", settings, text, Limit::depth(9)).score;
    assert_eq!(
        score(&format!("{base},verification,VerificationReduction=0")),
        score("classic,table=16,null-window"),
        "verified in full, it is the search without null moves"
    );
}

/// Without quiescence search the score to one ply is the best evaluation after a move.
#[test]
fn quiescence_can_be_switched_off_in_every_preset() {
    let evaluations = |settings: Settings, position: &chess::Position| {
        let after = position.legal_moves().into_iter().map(|m| -position.play(m).evaluate(settings.heuristic));
        after.max().unwrap()
    };
    for preset in [chess::PRESETS.classic(), chess::PRESETS.modern()] {
        let mut settings = preset;
        settings.switches.quiescence = false;
        let mut differences = 0;
        for text in chess::INFO.bench {
            let position = chess::Position::parse(text).unwrap();
            let score = |settings: Settings| -> Score {
                let (scheme, limit) = (Scheme::neutral(), Limit::depth(1));
                let task =
                    Task { settings, scheme: &scheme, limit, seed: 1, interrupt: &|| false, root: Root::default() };
                search(&position, &task, &mut Workspace::default()).score
            };
            assert_eq!(score(settings), evaluations(settings, &position), "{text}");
            differences += u32::from(score(preset) != score(settings));
        }
        assert!(differences > 0, "quiescence search changes no score");
    }
    for game in ["chess", "breakthrough"] {
        for preset in ["classic", "modern"] {
            let [with, without] = ["", "-"].map(|sign| nodes(game, &format!("{preset},{sign}quiescence"), 3));
            assert_ne!(with, without, "{game} {preset}");
        }
    }
}

/// 1. Rb7+ and 2. Ra8 mate: the last move is a quiet check.
#[test]
fn quiet_checks_in_quiescence_see_a_mate_one_ply_earlier() {
    let mate = |settings: &str, depth| {
        report("chess", settings, "8/7k/R7/1R6/8/8/8/6K1 w - - 0 1", Limit::depth(depth)).score.win_in()
    };
    for base in ["classic,evasions", "modern"] {
        let checks = format!("{base},quiescence-checks");
        assert_eq!([mate(base, 2), mate(base, 3)], [None, Some(3)], "{base}");
        assert_eq!(mate(&checks, 2), Some(3), "{checks}");
    }
    assert_ne!(nodes("breakthrough", "modern,quiescence-checks", 6), nodes("breakthrough", "modern", 6));
}
