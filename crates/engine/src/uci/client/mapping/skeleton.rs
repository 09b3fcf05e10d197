//! A mapping to begin with, written from an engine's options: what can be tuned, with ranges about the defaults.
//!
//! A number's range is that of the thesis, from a tenth of the default to twice it, within what the engine allows; the
//! weight is a factor of the default then, so that all weights are of one size. Small numbers, switches and lists of choices
//! are tuned over all their values. Options that are no part of the search, such as `Threads`, are named in a comment.

use super::super::options::{EngineOption, HASH, OptionKind};

/// Beginnings of names, in small letters, of options that say nothing about how an engine searches.
const OTHERS: [&str; 23] = [
    "hash",
    "threads",
    "multipv",
    "ponder",
    "ownbook",
    "book",
    "uci_",
    "syzygy",
    "nalimov",
    "gaviota",
    "egtb",
    "move overhead",
    "minimum thinking",
    "slow mover",
    "nodestime",
    "skill",
    "log",
    "debug",
    "clear",
    "evalfile",
    "use",
    "contempt",
    "numa",
];
/// Numbers with at most this many values are tuned over all of them.
const FEW: i64 = 20;
/// Smaller defaults are no measure of a range.
const LEAST_DEFAULT: i64 = 10;
/// The thesis's range, as tenths of the default.
const TENTHS: (i64, i64) = (1, 20);
/// Steps in a range of factors.
const STEPS: i64 = 40;
/// Larger numbers are not what a search is tuned by.
const LARGEST: i64 = 1_000_000;

/// The mapping of an engine with these options. `command` starts it, and `file` is what the mapping will be called.
pub fn skeleton(name: &str, command: &str, file: &str, options: &[EngineOption]) -> String {
    let mut text = format!(
        "# A mapping for {}, to begin with: delete the weights that should not be tuned, and narrow the ranges of\n\
         # the others. docs/engines.md explains the form.\n#\n\
         #   plysmith tune chess --engine 'uci:{}' --mapping {}\n",
        one_line(name),
        one_line(command),
        one_line(file)
    );
    if options.iter().any(|option| option.name == HASH) {
        text += "\n[options]\nHash = 16\n";
    }
    let mut others = Vec::new();
    for option in options {
        match weight(option) {
            Some(weight) => text += &weight,
            None => others.push(one_line(&option.name)),
        }
    }
    if !others.is_empty() {
        text += &format!("\n# Not tuned: {}.\n", others.join(", "));
    }
    text
}

/// The section of one option; none if it is not tuned.
fn weight(option: &EngineOption) -> Option<String> {
    let name = option.name.to_lowercase();
    if OTHERS.iter().any(|other| name.starts_with(other)) {
        return None;
    }
    let range = match &option.kind {
        OptionKind::Check { default } => format!("range = [0, 1]\nstart = {}\n", i64::from(*default)),
        OptionKind::Combo { default, choices } if choices.len() > 1 => {
            let start = choices.iter().position(|choice| choice == default).unwrap_or(0);
            let choices: Vec<String> = choices.iter().map(|choice| quoted(choice)).collect();
            format!("choices = [{}]\nstart = {start}\n", choices.join(", "))
        }
        OptionKind::Spin { default, min, max } if min < max => spin(*default, *min, *max)?,
        _ => return None,
    };
    let default = option.default_value().unwrap_or_default();
    let comment = format!("# {}, by default {}", one_line(&option.to_string()), one_line(&default));
    Some(format!(
        "\n[[weight]]\nname = {}\noption = {}  {comment}\n{range}",
        quoted(&weight_name(&option.name)),
        quoted(&option.name)
    ))
}

/// The range of a number; none if it is not of a size that can be tuned.
fn spin(default: i64, min: i64, max: i64) -> Option<String> {
    if max.saturating_sub(min) <= FEW {
        return Some(format!("range = [{min}, {max}]\nstart = {default}\nstep = 1\n"));
    }
    if default.saturating_abs() > LARGEST {
        return None;
    }
    if default.abs() < LEAST_DEFAULT {
        let (least, most) = (min.max(default - FEW / 2), max.min(default + FEW / 2));
        return Some(format!("range = [{least}, {most}]\nstart = {default}\nstep = 1\n"));
    }
    // Factors of the default, in thousandths, that the engine allows.
    let thousandths = |limit: i64, up: bool| {
        let (exact, size) = (i128::from(limit) * 1000 * i128::from(default.signum()), i128::from(default.abs()));
        let (quotient, is_whole) = (exact.div_euclid(size), exact.rem_euclid(size) == 0);
        let rounded = if up && !is_whole { quotient + 1 } else { quotient };
        rounded.clamp(-1_000_000_000, 1_000_000_000) as i64
    };
    let (low, high) = if default > 0 { (min, max) } else { (max, min) };
    let least = (TENTHS.0 * 100).max(thousandths(low, true));
    let most = (TENTHS.1 * 100).min(thousandths(high, false));
    if least >= most || !(least..=most).contains(&1000) {
        return None;
    }
    // At least a unit of the option.
    let unit = 1000 / default.abs() + i64::from(1000 % default.abs() != 0);
    let step = ((most - least) / STEPS).max(unit);
    let decimal = |units: i64| format!("{}", units as f64 / 1e3);
    Some(format!(
        "range = [{}, {}]\nstart = 1\nstep = {}\nscale = {default}\n",
        decimal(least),
        decimal(most),
        decimal(step)
    ))
}

/// `Check Extension (PV nodes)` as `check-extension-pv-nodes`.
fn weight_name(option: &str) -> String {
    let words = option.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// A text of TOML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""))
}

/// The text without line ends and other control characters.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use plysmith_core::parameter::Weights;

    use super::super::Mapping;
    use super::{EngineOption, skeleton};

    /// Whatever an engine declares, its skeleton is a mapping that fits it and begins with the engine's defaults.
    #[test]
    fn a_skeleton_fits_the_engine_and_begins_with_its_defaults() {
        let options: Vec<EngineOption> = [
            "name Hash type spin default 16 min 1 max 33554432",
            "name Threads type spin default 1 min 1 max 512",
            "name UCI_Elo type spin default 1320 min 1320 max 3190",
            "name Clear Hash type button",
            "name File type string default <empty>",
            "name Check Extension (PV nodes) type spin default 2 min 0 max 2",
            "name Futility Margin type spin default 100 min 0 max 5000",
            "name Odd \"quoted\" \\ name type spin default -37 min -1000 max -3",
            "name Edge type spin default 300 min 280 max 310",
            "name Bonus type spin default 0 min -5000 max 5000",
            "name Seed type spin default 99999999999 min 0 max 999999999999",
            "name NullMove Pruning type combo default Fail High var Always var Fail High var Never",
            "name Razoring type check default true",
        ]
        .iter()
        .map(|text| EngineOption::parse(text).unwrap())
        .collect();
        let text = skeleton("Engine\n1", "engine --uci", "mine.toml", &options);
        assert!(
            text.starts_with("# A mapping for Engine 1,") && text.contains("--engine 'uci:engine --uci'"),
            "{text}"
        );
        let last = text.lines().last().unwrap();
        assert_eq!(last, "# Not tuned: Hash, Threads, UCI_Elo, Clear Hash, File, Seed.");
        let mapping = Mapping::parse("mine.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let fitted = mapping.fit(&options).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(fitted.notes.is_empty(), "nothing is cut off: {:?}", fitted.notes);
        assert_eq!(fitted.parameters.len(), 7);
        let start = Weights(fitted.parameters.iter().map(|parameter| parameter.start).collect());
        for (name, value) in mapping.settings(&start, &options) {
            let option = options.iter().find(|option| option.name == name).unwrap();
            assert_eq!(option.default_value(), Some(value), "{name}");
        }
        for (place, parameter) in fitted.parameters.iter().enumerate() {
            let values = [parameter.least, parameter.top()]
                .map(|weight| mapping.settings(&start.with(place, weight), &options)[place].1.clone());
            assert_ne!(values[0], values[1], "{parameter:?}");
        }
    }
}
