//! Weight files as games read them: what does not fit is refused, what fits is searched with.

use plysmith_core::feature::Scheme;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::patterns::Patterns;
use plysmith_core::settings::Heuristic;
use plysmith_core::weights::WeightFile;

fn breakthrough() -> &'static GameInfo {
    games::find("breakthrough").unwrap()
}

/// Weights that are all the same.
fn constant(columns: u32, rows: u32, number: i16) -> WeightFile {
    WeightFile {
        game: "breakthrough".to_string(),
        form: format!("patterns {columns}x{rows}"),
        made_by: "a test".to_string(),
        numbers: vec![number; Patterns::count(columns, rows)],
    }
}

fn refusal(file: &WeightFile) -> String {
    breakthrough().load_weights(file, "test").unwrap_err().to_string()
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    let chess = games::find("chess").unwrap();
    assert_eq!(
        chess.load_weights(&constant(8, 8, 1), "test").unwrap_err().to_string(),
        "these are weights for 'breakthrough'; expected weights for 'chess', as 'plysmith fit chess' makes"
    );
    let form = |form: &str| refusal(&WeightFile { form: form.to_string(), ..constant(8, 8, 1) });
    for wrong in ["terms 3", "patterns 9x8", "patterns 8x3", "patterns", ""] {
        let expected = format!(
            "weights of the form '{wrong}' do not fit; breakthrough has the form 'patterns 4x4' to 'patterns 8x8'"
        );
        assert!(form(wrong).starts_with(&expected), "{}", form(wrong));
    }
    assert!(
        form("patterns 8x7").starts_with("weights of the form 'patterns 8x7' are 295245 numbers, but here are 354294")
    );
    assert!(refusal(&constant(8, 8, i16::MIN)).starts_with("number 1 is -32768; expected -32767 to 32767"));
    let mut short = constant(5, 6, 1);
    short.numbers.pop();
    assert!(refusal(&short).contains("numbers, but here are"), "{}", refusal(&short));
}

#[test]
fn settings_name_what_was_loaded() {
    let game = breakthrough();
    let file = constant(8, 8, 2);
    let loaded = game.load_weights(&file, "a file").unwrap();
    assert_eq!(game.load_weights(&WeightFile { made_by: String::new(), ..file.clone() }, "a file").unwrap(), loaded);
    assert_ne!(game.load_weights(&file, "another file").unwrap(), loaded);
    let settings = game.presets.modern().with_heuristic(Heuristic::Loaded(loaded));
    let text = game.print_settings(&settings);
    assert_eq!(text, format!("modern,heuristic=a file#{:016x}", file.key()));
    assert_eq!(game.parse_settings(&text), Ok(settings));
    assert!(game.parse_settings("modern,heuristic=a file").is_err());
    assert!(games::find("chess").unwrap().parse_settings(&text).is_err(), "the weights are not for chess");
}

/// What an evaluation with loaded weights does depends on them, and not on the name of their file.
#[test]
fn behaviour_is_of_the_content() {
    let game = breakthrough();
    let behaviour = |file: &WeightFile, label: &str| {
        let heuristic = Heuristic::Loaded(game.load_weights(file, label).unwrap());
        game.behaviour(&game.presets.modern().with_heuristic(heuristic), &Scheme::neutral())
    };
    let file = constant(8, 8, 3);
    assert_eq!(behaviour(&file, "x"), behaviour(&file, "y"));
    // A pattern that no game comes to: no probe shows its weight.
    let mut other = file.clone();
    *other.numbers.last_mut().unwrap() += 1;
    assert_ne!(behaviour(&file, "x"), behaviour(&other, "x"));
}

#[test]
fn boards_of_other_sizes_have_a_note() {
    let game = breakthrough();
    let file = constant(5, 6, 7);
    let settings = game.presets.modern().with_heuristic(Heuristic::Loaded(game.load_weights(&file, "small").unwrap()));
    let [small, large] =
        ["ppppp/ppppp/5/5/PPPPP/PPPPP w", game.bench[0]].map(|text| game.parse_position(text).unwrap());
    assert_eq!(game.evaluation_note(&settings, &*small), None);
    let note = format!("'small#{:016x}' has no weights for boards of 8x8; they are evaluated by 'guarded'", file.key());
    assert_eq!(game.evaluation_note(&settings, &*large), Some(note));
    assert_eq!(game.evaluation_note(&game.presets.classic(), &*small), None);
}
