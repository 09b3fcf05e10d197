//! What a mapping says, and what is said of wrong ones.

use proptest::prelude::proptest;

use super::{Mapping, Weights};
use crate::uci::client::options::EngineOption;

const GLAURUNG: &str = r#"
policy = "stable"

[options]
Hash = 16
OwnBook = false

[[weight]]
name = "check"
options = ["Check Extension (PV nodes)", "Check Extension (non-PV nodes)"]
range = [0, 1]
scale = -2
offset = 2

[[weight]]
name = "futility"
option = "Futility"
range = [0, 3]
"#;

fn options() -> Vec<EngineOption> {
    [
        "name Check Extension (PV nodes) type spin default 2 min 0 max 2",
        "name Check Extension (non-PV nodes) type spin default 1 min 0 max 2",
        "name Hash type spin default 32 min 1 max 1024",
        "name OwnBook type check default true",
        "name Futility type check default true",
        "name Style type combo default Solid var Solid var Risky",
        "name File type string default ",
    ]
    .map(|text| EngineOption::parse(text).unwrap())
    .to_vec()
}

#[test]
fn one_weight_drives_two_options_and_values_are_the_engines() {
    let mapping = Mapping::parse("map.toml", GLAURUNG).unwrap();
    assert_eq!(mapping.fixed().collect::<Vec<_>>(), [("Hash", "16"), ("OwnBook", "false")]);
    let fitted = mapping.fit(&options()).unwrap();
    assert_eq!(fitted.notes.len(), 1, "{:?}", fitted.notes);
    let check = &fitted.parameters[0];
    assert_eq!((check.least, check.most, check.step, check.start), (0, 1000, 500, 1000));
    let values = |weights: &[i64]| {
        let settings = mapping.settings(&Weights(weights.to_vec()), &options());
        settings.into_iter().map(|(_, value)| value).collect::<Vec<_>>()
    };
    assert_eq!(values(&[1000, 1000]), ["0", "0", "true"]);
    assert_eq!(values(&[750, 0]), ["1", "1", "false"]);
    assert_eq!(values(&[0, 3000]), ["2", "2", "true"]);
    assert_eq!(values(&[-9000, 400]), ["2", "2", "false"]);
}

#[test]
fn mistakes_are_told_with_their_line_and_the_remedy() {
    let error = |text: &str| {
        let read = Mapping::parse("map.toml", text).and_then(|mapping| mapping.fit(&options()));
        read.unwrap_err().to_string()
    };
    let weight = |more: &str| format!("\n[[weight]]\nname = \"w\"\n{more}\n");
    for (text, parts) in [
        ("policy = \"last\"".to_string(), ["map.toml:1: 'last' is not a policy", "'stable'"]),
        ("polcy = 1".to_string(), ["map.toml:1: unknown field `polcy`", "docs/engines.md"]),
        ("[options]\nHash = ".to_string(), ["map.toml:2: ", ""]),
        ("[options]\nHash = [1]".to_string(), ["map.toml:2: option 'Hash' is a text", ""]),
        ("[options]\n\nHsh = 1".to_string(), ["map.toml:3: the engine has no option 'Hsh'", "did you mean 'Hash'"]),
        ("[options]\nHash = \"big\"".to_string(), ["map.toml:2: option 'Hash' takes a number", "'big'"]),
        (weight(""), ["map.toml:2: the weight 'w' drives nothing", "option = \"NAME\""]),
        (weight("option = \"Hsh\""), ["map.toml:4: the engine has no option 'Hsh'", "'Hash'"]),
        (weight("option = \"File\""), ["map.toml:4: option 'File' is any text", "only numbers, switches and lists"]),
        (
            weight("option = \"Style\"\nchoices = [\"Solid\", \"Wild\"]"),
            ["map.toml:4: option 'Style' is one of", "not 'Wild'"],
        ),
        (weight("option = \"Style\"\nchoices = [\"Solid\"]"), ["map.toml:2: 'choices' is a list of at least two", ""]),
        (
            weight("option = \"Style\"\nchoices = [\"Solid\", \"Risky\"]\nscale = 2"),
            ["map.toml:2: 'choices' sets range", ""],
        ),
        (
            weight("option = \"Style\"\nchoices = [\"Solid\", \"Risky\"]\nstart = 0.5"),
            ["map.toml:2: start = 0.5 is no place", ""],
        ),
        (weight("option = \"Hash\"\nrange = [1, 0]"), ["map.toml:2: a range is [LEAST, MOST]", ""]),
        (weight("option = \"Hash\"\nrange = [0, 0.5]"), ["map.toml:4: ", "value 1 over its whole range"]),
        (weight("option = \"Hash\"\nstart = 5"), ["map.toml:2: start = 5 lies outside", ""]),
        (weight("option = \"Hash\"\nstep = 0"), ["map.toml:2: a step is above 0", ""]),
        (weight("option = \"Hash\"\nscale = 0"), ["map.toml:2: with scale = 0", ""]),
        (weight("option = \"Hash\"\nscale = 0.12345"), ["map.toml:2: scale = 0.12345", "three decimals"]),
        (weight("option = \"Hash\"\nscale = nan"), ["map.toml:2: scale = NaN", "three decimals"]),
        (weight("option = \"Hash\"\nround = \"far\""), ["map.toml:5: ", "far"]),
        (format!("[options]\nHash = 1\n{}", weight("option = \"Hash\"")), ["map.toml:6: ", "line 2 already"]),
        (weight("option = \"Hash\"").repeat(2), ["map.toml:6: the weight 'w' stands here twice", ""]),
    ] {
        let said = error(&text);
        assert!(parts.iter().all(|part| said.contains(part)), "{text}\n{said}");
    }
}

/// Lists of choices, switches and numbers from a list are all values that a weight can choose.
#[test]
fn choices_are_chosen_by_their_place() {
    let text = "[[weight]]\nname = \"style\"\noption = \"Style\"\nchoices = [\"Risky\", \"Solid\"]\nstart = 1\n\
                [[weight]]\nname = \"own\"\noption = \"Style\"\nrange = [0, 1]\n\
                [[weight]]\nname = \"hash\"\noption = \"Hash\"\nchoices = [\"1\", \"64\", \"1024\"]\n\
                [[weight]]\nname = \"book\"\noption = \"OwnBook\"\nchoices = [\"true\", \"false\"]\n";
    let mapping = Mapping::parse("map.toml", text).unwrap();
    let fitted = mapping.fit(&options()).unwrap();
    let ranges: Vec<_> = fitted.parameters.iter().map(|one| (one.least, one.most, one.step, one.start)).collect();
    assert_eq!(ranges, [(0, 1000, 1000, 1000), (0, 1000, 1000, 1000), (0, 2000, 1000, 0), (0, 1000, 1000, 0)]);
    let values = |weights: [i64; 4]| {
        let settings = mapping.settings(&Weights(weights.to_vec()), &options());
        settings.into_iter().map(|(_, value)| value).collect::<Vec<_>>()
    };
    assert_eq!(values([0, 0, 2000, 0]), ["Risky", "Solid", "1024", "true"]);
    assert_eq!(values([1000, 1000, 1000, 1000]), ["Solid", "Risky", "64", "false"]);
    assert_eq!(values([9000, -9000, 9000, 400]), ["Solid", "Solid", "1024", "true"], "beyond the ends");
}

#[test]
fn the_canonical_text_tells_mappings_apart() {
    let one = Mapping::parse("a", GLAURUNG).unwrap();
    assert_eq!(one.canonical(), Mapping::parse("b", &format!("# comment\n{GLAURUNG}")).unwrap().canonical());
    let other = Mapping::parse("a", &GLAURUNG.replace("offset = 2", "offset = 2.5")).unwrap();
    assert_ne!(one.canonical(), other.canonical());
    assert!(one.canonical().starts_with("check drives Check Extension (PV nodes) and Check Extension (non-PV"));
}

proptest! {
    #[test]
    fn values_follow_the_formula_and_a_step_moves_them(
        weight in -5000_i64..5000, scale in -3000_i64..3000, offset in -3000_i64..3000,
    ) {
        let scale = if scale == 0 { 1 } else { scale };
        let exact = offset as f64 / 1e3 + scale as f64 * weight as f64 / 1e6;
        for (round, expected) in [("nearest", (exact + 0.5).floor()), ("down", exact.floor()), ("up", exact.ceil())] {
            let text = format!(
                "[[weight]]\nname = \"w\"\noption = \"Number\"\nrange = [-9, 9]\nround = \"{round}\"\n\
                 scale = {}\noffset = {}\n",
                scale as f64 / 1e3,
                offset as f64 / 1e3,
            );
            let mapping = Mapping::parse("m", &text).unwrap();
            let options = [EngineOption::parse("name Number type spin default 0 min -999999 max 999999").unwrap()];
            let value = |weight| mapping.settings(&Weights(vec![weight]), &options)[0].1.parse::<f64>().unwrap();
            // Floating point may stand on the other side of a half.
            let is_near_half = (exact * 2.0 - (exact * 2.0).round()).abs() < 1e-9;
            assert!(value(weight) == expected || is_near_half, "{text}: {weight} {}", value(weight));
            if let Ok(fitted) = mapping.fit(&options) {
                let step = fitted.parameters[0].step;
                assert!(step == 18_000 || value(weight + step) != value(weight), "{text}: {weight} {step}");
            }
        }
    }
}
