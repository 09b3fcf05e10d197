//! The commands that the dashboard can start, as forms: made from what the command line says of its arguments.

use std::any::TypeId;
use std::path::PathBuf;

use clap::{Arg, ArgAction, CommandFactory};
use plysmith_core::games::GAMES;
use plysmith_web::launch::{Field, Form, Takes};

/// Commands that begin a run, in the order of the page.
const COMMANDS: [&str; 12] = [
    "discover",
    "measure",
    "tune",
    "match",
    "tournament",
    "reductions",
    "screen",
    "calibrate",
    "fit",
    "transitions",
    "evolve",
    "reproduce",
];

/// Arguments that no form has: they are about the terminal, or about other machines.
const LEFT_OUT: [&str; 6] = ["force", "json", "help", "version", "cluster", "cluster_insecure"];
/// Arguments that name a file which is read. Others that name a file or a folder write it, and no form has them.
const READ: [&str; 9] =
    ["suite", "graded", "openings", "calibration", "program", "founder", "records", "mapping", "from"];
/// Arguments about external engines.
const OF_ENGINES: [&str; 6] = ["engine", "mapping", "parameters", "patience", "engine_patience", "margin"];
/// Arguments that most people care about.
const USUAL: [&str; 17] = [
    "game",
    "schemes",
    "game_and_players",
    "a",
    "b",
    "weights",
    "weight",
    "quick",
    "games",
    "nodes",
    "preset",
    "suite",
    "label",
    "nelo",
    "elo",
    "table",
    "seed",
];

/// The forms of all commands, as `Parser` declares them.
pub fn forms<Parser: CommandFactory>() -> Vec<Form> {
    let program = Parser::command();
    let found = COMMANDS.iter().filter_map(|name| program.find_subcommand(name));
    found
        .map(|command| Form {
            command: command.get_name().to_string(),
            about: command.get_about().map(ToString::to_string).unwrap_or_default(),
            fields: command.get_arguments().filter(|argument| is_shown(argument)).map(field).collect(),
        })
        .collect()
}

/// Checks words as a command line without starting anything; the text says what is wrong.
pub fn check<Parser: clap::Parser>(words: &[String]) -> Result<(), String> {
    let words = std::iter::once("plysmith").chain(words.iter().map(String::as_str));
    match Parser::try_parse_from(words) {
        Ok(_) => Ok(()),
        Err(error) => {
            let text = error.render().to_string();
            // What follows the first empty line is about the terminal: the usage, and where help is.
            let said = text.split("\n\nUsage:").next().unwrap_or(&text).trim_end();
            Err(said.trim_start_matches("error: ").to_string())
        }
    }
}

fn is_shown(argument: &Arg) -> bool {
    let id = argument.get_id().as_str();
    let is_left_out = LEFT_OUT.contains(&id) || (names_file(argument) && !READ.contains(&id));
    !argument.is_hide_set() && !argument.is_global_set() && !is_left_out
}

fn names_file(argument: &Arg) -> bool {
    let is_path = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let value_names = argument.get_value_names().unwrap_or_default();
    takes_value(argument) && (is_path || value_names.iter().any(|name| ["FILE", "FOLDER"].contains(&name.as_str())))
}

fn field(argument: &Arg) -> Field {
    let id = argument.get_id().as_str();
    let value_names = argument.get_value_names().unwrap_or_default();
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    Field {
        name: id.to_string(),
        option: argument.get_long().map(|long| format!("--{long}")),
        help,
        value_name: value_names.first().map(ToString::to_string).unwrap_or_default(),
        default: (!defaults.is_empty() && takes_value(argument)).then(|| defaults.join(",")),
        takes: takes(argument),
        is_required: argument.is_required_set(),
        is_usual: USUAL.contains(&id),
    }
}

fn takes(argument: &Arg) -> Takes {
    let id = argument.get_id().as_str();
    let choices: Vec<_> = argument.get_possible_values().iter().map(|value| value.get_name().to_string()).collect();
    match () {
        () if !takes_value(argument) => Takes::Nothing,
        () if OF_ENGINES.contains(&id) => Takes::Engine,
        () if names_file(argument) => Takes::File,
        () if id == "game" => Takes::Choice(GAMES.iter().map(|game| game.name.to_string()).collect()),
        () if !choices.is_empty() => Takes::Choice(choices),
        () if is_list(argument) => Takes::Lines,
        () => Takes::Text,
    }
}

fn takes_value(argument: &Arg) -> bool {
    !matches!(argument.get_action(), ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count)
}

/// Whether it can be given several times.
fn is_list(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Append)
        || argument.get_num_args().is_some_and(|range| range.max_values() > 1)
}

#[cfg(test)]
mod tests {
    use plysmith_web::launch::Takes;

    use super::{COMMANDS, check, forms};
    use crate::Arguments;

    #[test]
    fn every_command_has_a_form_without_arguments_that_write() {
        let forms = forms::<Arguments>();
        assert_eq!(forms.iter().map(|form| form.command.as_str()).collect::<Vec<_>>(), COMMANDS);
        for form in &forms {
            assert!(!form.about.is_empty() && !form.fields.is_empty(), "{}", form.command);
            for field in &form.fields {
                let option = field.option.as_deref().unwrap_or_default();
                let writes = ["--output", "--charts", "--pgn", "--log", "--force", "--json", "--help", "--cluster"];
                assert!(!writes.contains(&option), "{option}");
                assert!(!field.help.is_empty(), "{} {}", form.command, field.name);
                if ["FILE", "FOLDER"].contains(&field.value_name.as_str()) {
                    assert!(matches!(field.takes, Takes::File | Takes::Engine), "{} {}", form.command, field.name);
                }
            }
        }
    }

    #[test]
    fn fields_know_what_they_take() {
        let forms = forms::<Arguments>();
        let takes = |command: &str, name: &str| {
            let form = forms.iter().find(|form| form.command == command).unwrap();
            let field = form.fields.iter().find(|field| field.name == name);
            field.unwrap_or_else(|| panic!("{command} has no {name}")).clone()
        };
        assert!(
            matches!(takes("discover", "game").takes, Takes::Choice(games) if games.contains(&"chess".to_string()))
        );
        assert_eq!(takes("discover", "quick").takes, Takes::Nothing);
        assert_eq!(takes("discover", "suite").takes, Takes::File);
        assert_eq!(takes("discover", "engine").takes, Takes::Engine);
        assert_eq!(takes("discover", "epsilon").default.as_deref(), Some("3"));
        assert_eq!(takes("tournament", "game_and_players").takes, Takes::Lines);
        assert!(takes("match", "a").is_required && takes("match", "a").option.as_deref() == Some("--a"));
    }

    #[test]
    fn words_are_checked_as_the_command_line_is() {
        let said = |line: &str| {
            let words: Vec<_> = line.split(' ').map(String::from).collect();
            check::<Arguments>(&words).err()
        };
        assert_eq!(said("discover breakthrough --quick"), None);
        assert_eq!(said("match --a=classic --b=modern --games=10"), None);
        let wrong = said("discover breakthrough --seeds=0").unwrap();
        assert!(wrong.contains("--seeds") && !wrong.contains("Usage"), "{wrong}");
        assert!(said("match --a=classic").unwrap().contains("--b"));
    }
}
