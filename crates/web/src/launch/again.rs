//! From the words of a command back to the fields of its form: to start a run again, with changes.

use crate::launch::form::{Form, Takes};
use crate::request::Fields;

/// The fields that make these words, without the command's name; none if the form does not know all of them.
pub fn fields(form: &Form, words: &[String]) -> Option<Fields> {
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (field, value) = if word.starts_with('-') {
            let (option, value) =
                word.split_once('=').map_or((word.as_str(), None), |(option, value)| (option, Some(value)));
            let field = form.fields.iter().find(|field| field.option.as_deref() == Some(option))?;
            let value = match (&field.takes, value) {
                (Takes::Nothing, None) => "on",
                (Takes::Nothing, Some(_)) => return None,
                (_, Some(value)) => value,
                (_, None) => words.next()?,
            };
            (field, value)
        } else {
            let is_free = |name: &String| fields.iter().all(|(taken, _)| taken != name);
            let mut placed = form.fields.iter().filter(|field| field.option.is_none());
            (placed.find(|field| field.takes == Takes::Lines || is_free(&field.name))?, word.as_str())
        };
        match fields.iter_mut().find(|(name, _)| *name == field.name) {
            Some((_, lines)) if field.takes == Takes::Lines => *lines = format!("{lines}\n{value}"),
            Some(_) => return None,
            None => fields.push((field.name.clone(), value.to_string())),
        }
    }
    Some(Fields(fields))
}

#[cfg(test)]
mod tests {
    use super::fields;
    use crate::launch::form::{Field, Form, Takes};
    use crate::launch::values::words;

    fn form() -> Form {
        let field = |name: &str, option: Option<&str>, takes| Field {
            name: name.into(),
            option: option.map(String::from),
            help: String::new(),
            value_name: String::new(),
            default: None,
            takes,
            is_required: false,
            is_usual: true,
        };
        let fields = vec![
            field("game", None, Takes::Text),
            field("schemes", None, Takes::Lines),
            field("nodes", Some("--nodes"), Takes::Text),
            field("quick", Some("--quick"), Takes::Nothing),
        ];
        Form { command: "measure".into(), about: String::new(), fields }
    }

    fn again(line: &str) -> Option<String> {
        let given: Vec<_> = line.split_whitespace().map(String::from).collect();
        let fields = fields(&form(), &given)?;
        words(&form(), &fields, false).ok().map(|words| words[1..].join(" "))
    }

    #[test]
    fn words_come_back() {
        assert_eq!(again("chess A B --quick --nodes=5").unwrap(), "chess A B --nodes=5 --quick");
        assert_eq!(again("--nodes 5 chess A").unwrap(), "chess A --nodes=5");
        assert_eq!(again("").unwrap(), "");
    }

    #[test]
    fn what_a_form_does_not_have_does_not() {
        for line in ["chess --output=x", "chess -o x", "chess --nodes", "chess --quick=1", "chess --nodes 1 --nodes 2"]
        {
            assert_eq!(again(line), None, "{line}");
        }
    }
}
