//! What a plug engine says about itself: name, game, abilities, parameters and features. Read by the client, written by
//! the server.

use plysmith_core::feature::{AtomFacts, Cost, Guidance, Rule, Scheme, Vocabulary};
use plysmith_core::parameter::{ONE, Parameter, Thousandths};

/// The answer to `plug`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineInfo {
    /// Its name.
    pub name: String,
    /// Whether it supports the extension.
    pub is_extended: bool,
    /// The game that it names; for a known game, positions and moves are checked.
    pub game: Option<String>,
    /// Commands beyond the paper's: `setscheme`, `gosolve`.
    pub abilities: Vec<String>,
    /// The parameters that `setparam` sets.
    pub parameters: Vec<Parameter>,
}

/// The features that an engine lists, as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FeatureList {
    features: Vec<ListedFeature>,
    blacklist: Vec<(String, String)>,
    overlapping: Vec<(String, String)>,
    base: Vec<String>,
    /// The features that are of the search state.
    state: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct ListedFeature {
    name: String,
    group: String,
    parent: Option<String>,
    threshold_safe: bool,
    meaning: String,
}

/// What an engine's `setscheme` may take besides weights, as words behind `can`: amounts like `late@+0.5`; probabilities like
/// `Rc@31%`; partitions, which begin with `=`; the marks `!` and `~`; and a cost of all other moves, like `Other@2`.
pub const ABILITIES_OF_SCHEMES: [&str; 5] = ["amounts", "probabilities", "partitions", "marks", "other"];

/// Which of [`ABILITIES_OF_SCHEMES`] an engine needs for this scheme.
pub fn needed_abilities(scheme: &Scheme) -> impl Iterator<Item = &'static str> {
    let rules = scheme.rules();
    let needs = [
        rules.iter().any(|rule| matches!(rule.cost, Cost::Amount(_))),
        scheme.has_probabilities(),
        scheme.is_partition(),
        rules.iter().any(|rule| rule.is_exempt != Rule::exempts_by_default(rule.cost)),
        scheme.other().is_some(),
    ];
    ABILITIES_OF_SCHEMES.into_iter().zip(needs).filter(|(_, is_needed)| *is_needed).map(|(word, _)| word)
}

/// The largest number of features.
const MOST_FEATURES: usize = 64;
/// The largest number of parameters.
const MOST_PARAMETERS: usize = 256;

impl EngineInfo {
    /// The info of an engine without a handshake.
    pub fn unknown(name: &str) -> EngineInfo {
        let (abilities, parameters) = (Vec::new(), Vec::new());
        EngineInfo { name: name.to_string(), is_extended: false, game: None, abilities, parameters }
    }

    /// Whether it supports this command.
    pub fn can(&self, ability: &str) -> bool {
        self.is_extended && self.abilities.iter().any(|known| known == ability)
    }

    /// Reads one line. Unknown lines are ignored; a malformed one is an error.
    pub fn add(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "name" if !rest.trim().is_empty() => self.name = rest.trim().to_string(),
            "game" => self.game = rest.split_whitespace().next().map(String::from),
            "can" => self.abilities.extend(rest.split_whitespace().map(String::from)),
            "param" if self.parameters.len() == MOST_PARAMETERS => {
                return Err(format!("more than {MOST_PARAMETERS} parameters"));
            }
            "param" => {
                let parameter = parse_parameter(rest)?;
                if self.parameters.iter().any(|known| known.name == parameter.name) {
                    return Err(format!("the parameter '{}' was listed before", parameter.name));
                }
                self.parameters.push(parameter);
            }
            _ => {}
        }
        Ok(())
    }
}

/// `NAME LEAST MOST START [STEP]`.
fn parse_parameter(text: &str) -> Result<Parameter, String> {
    let expected = "expected 'param NAME LEAST MOST START', like 'param check 0.1 2 1'";
    let words: Vec<&str> = text.split_whitespace().collect();
    let (&name, numbers) = words.split_first().ok_or(expected)?;
    let number = |text: &&str| text.parse().map(|Thousandths(number)| number).map_err(|error| format!("{error}"));
    let numbers = numbers.iter().map(number).collect::<Result<Vec<i64>, _>>()?;
    let (least, most, start, step) = match numbers[..] {
        [least, most, start] => (least, most, start, 1),
        [least, most, start, step] => (least, most, start, step),
        _ => return Err(expected.to_string()),
    };
    if least >= most || !(least..=most).contains(&start) || !(1..=most - least).contains(&step) {
        return Err("the start lies between the least and the most, and a step is smaller than what is between".into());
    }
    Ok(Parameter { name: name.to_string(), least, most, step, start })
}

impl FeatureList {
    /// Reads one line. Unknown lines are ignored; a malformed one is an error.
    pub fn add(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let with_reason = || {
            let (what, reason) = rest.split_once(" reason ").unwrap_or((rest, ""));
            (what.trim().to_string(), reason.trim().to_string())
        };
        match word {
            "feature" => self.features.push(parse_feature(rest)?),
            "forbid" => self.blacklist.push(with_reason()),
            "overlap" => self.overlapping.push(with_reason()),
            "base" => self.base.extend(rest.split_whitespace().map(String::from)),
            "state" => self.state.extend(rest.split_whitespace().map(String::from)),
            _ => {}
        }
        Ok(())
    }

    /// Checks that learners can use the list.
    pub fn checked(self) -> Result<FeatureList, String> {
        if self.features.len() > MOST_FEATURES {
            return Err(format!("{} features are too many; the most are {MOST_FEATURES}", self.features.len()));
        }
        for (index, feature) in self.features.iter().enumerate() {
            let ListedFeature { name, group, parent, .. } = feature;
            if self.features[..index].iter().any(|known| known.name == *name) {
                return Err(format!("the feature '{name}' was listed before"));
            }
            let is_parent = |other: &ListedFeature| Some(&other.name) == parent.as_ref() && other.group == *group;
            if let Some(parent) = parent.as_ref().filter(|_| !self.features.iter().any(is_parent)) {
                return Err(format!("'{parent}', the parent of '{name}', is no feature of the group '{group}'"));
            }
        }
        if let Some(name) = self.state.iter().find(|name| !self.features.iter().any(|feature| feature.name == **name)) {
            return Err(format!("'state {name}' names no feature; expected features that were listed"));
        }
        let (state, moves): (Vec<_>, Vec<_>) = self.features.iter().partition(|feature| self.is_state(feature));
        let (most_moves, most_state) = (Vocabulary::MOST_MOVE_ATOMS, Vocabulary::MOST_STATE_ATOMS);
        if !state.is_empty() && (moves.len() > most_moves || state.len() > most_state) {
            return Err(format!(
                "{} features of moves and {} of the search state are too many; the most are {most_moves} and {most_state}",
                moves.len(),
                state.len()
            ));
        }
        // Guidance must name features of the list.
        let (vocabulary, guidance) = self.leak();
        for (text, _) in guidance.blacklist {
            vocabulary.parse(text).map_err(|error| error.to_string())?;
        }
        vocabulary.matching(guidance.base.iter().copied()).map_err(|error| error.to_string())?;
        Ok(self)
    }

    fn is_state(&self, feature: &ListedFeature) -> bool {
        self.state.contains(&feature.name)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The list as a vocabulary with its guidance. The memory is leaked: vocabularies are static, so that atoms and schemes
    /// need not carry one, and a process asks for features only a few times.
    pub fn leak(&self) -> (Vocabulary, Guidance) {
        let text = |text: &String| -> &'static str { text.clone().leak() };
        let facts = |feature: &ListedFeature| AtomFacts {
            name: text(&feature.name),
            group: text(&feature.group),
            parent: feature.parent.as_ref().map(text),
            threshold_safe: feature.threshold_safe,
            meaning: text(&feature.meaning),
            example: ("", ""),
        };
        let pairs = |list: &[(String, String)]| -> &'static [(&'static str, &'static str)] {
            list.iter().map(|(what, reason)| (text(what), text(reason))).collect::<Vec<_>>().leak()
        };
        let (state, moves): (Vec<_>, Vec<_>) = self.features.iter().partition(|feature| self.is_state(feature));
        let leaked = |features: Vec<&ListedFeature>| features.into_iter().map(facts).collect::<Vec<_>>().leak();
        let vocabulary = Vocabulary::of_engine(leaked(moves), leaked(state));
        let base = self.base.iter().map(text).collect::<Vec<_>>().leak();
        let (blacklist, overlapping) = (pairs(&self.blacklist), pairs(&self.overlapping));
        (vocabulary, Guidance { blacklist, overlapping, paper_groups: &[], base })
    }
}

/// `NAME group GROUP [parent NAME] [knowledge] [meaning TEXT]`.
fn parse_feature(text: &str) -> Result<ListedFeature, String> {
    let (head, meaning) = text.split_once(" meaning ").unwrap_or((text, ""));
    let expected = "expected 'feature NAME group GROUP meaning TEXT', like 'feature C group capture meaning Captures.'";
    let mut words = head.split_whitespace();
    let name = words.next().ok_or(expected)?.to_string();
    if name == "Neutral" || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(format!("'{name}' cannot be the name of a feature; expected letters and digits, like 'RdTt'"));
    }
    let mut feature = ListedFeature {
        group: name.clone(),
        name,
        parent: None,
        threshold_safe: true,
        meaning: meaning.trim().to_string(),
    };
    while let Some(word) = words.next() {
        match word {
            "group" => feature.group = words.next().ok_or(expected)?.to_string(),
            "parent" => feature.parent = Some(words.next().ok_or(expected)?.to_string()),
            "knowledge" => feature.threshold_safe = false,
            _ => return Err(format!("'{word}' has no meaning here; {expected}")),
        }
    }
    Ok(feature)
}

/// The line that lists an atom.
fn feature_line(facts: &AtomFacts) -> String {
    let AtomFacts { name, group, parent, threshold_safe, meaning, .. } = facts;
    let parent = parent.map_or(String::new(), |parent| format!(" parent {parent}"));
    let knowledge = if *threshold_safe { "" } else { " knowledge" };
    format!("feature {name} group {group}{parent}{knowledge} meaning {meaning}")
}

/// The lines that list every feature, and say which are of the search state.
pub fn vocabulary_lines(vocabulary: Vocabulary) -> impl Iterator<Item = String> {
    let names: Vec<&str> = vocabulary.state.iter().map(|facts| facts.name).collect();
    let state = (!names.is_empty()).then(|| format!("state {}", names.join(" ")));
    vocabulary.moves.iter().chain(vocabulary.state).map(feature_line).chain(state)
}

/// The lines with the guidance for learners.
pub fn guidance_lines(guidance: &Guidance) -> impl Iterator<Item = String> {
    let pair = |word: &'static str| move |named: &(&str, &str)| pair_line(word, named);
    let base = (!guidance.base.is_empty()).then(|| format!("base {}", guidance.base.join(" ")));
    let forbidden = guidance.blacklist.iter().map(pair("forbid"));
    forbidden.chain(guidance.overlapping.iter().map(pair("overlap"))).chain(base)
}

/// A line with something and a reason.
pub fn pair_line(word: &str, (what, reason): &(&str, &str)) -> String {
    format!("{word} {what} reason {reason}")
}

/// The line that lists a parameter.
pub fn parameter_line(parameter: &Parameter) -> String {
    let Parameter { name, least, most, step, start } = parameter;
    let number = |units: &i64| Thousandths(*units).to_string();
    format!("param {name} {} {} {} {}", number(least), number(most), number(start), number(step))
}

/// A parameter of an engine that lists none: the paper's range and start.
pub fn plain_parameter(number: usize) -> Parameter {
    Parameter { name: format!("w{number}"), least: ONE / 10, most: 2 * ONE, step: 1, start: ONE }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games::GAMES;

    use super::{EngineInfo, FeatureList, guidance_lines, parameter_line, vocabulary_lines};

    fn introduction(lines: &[&str]) -> Result<EngineInfo, String> {
        let mut introduction = EngineInfo::unknown("engine");
        lines.iter().try_for_each(|line| introduction.add(line))?;
        introduction.is_extended = true;
        Ok(introduction)
    }

    #[test]
    fn info_lines_are_read_and_others_ignored() {
        let lines =
            ["hello", "name My Engine 2", "game chess", "can setscheme gosolve", "param check 0.1 2 1 0.5", "can x"];
        let read = introduction(&lines).unwrap();
        assert_eq!((read.name.as_str(), read.game.as_deref()), ("My Engine 2", Some("chess")));
        assert!(read.can("setscheme") && read.can("x") && !read.can("hello"));
        assert_eq!(parameter_line(&read.parameters[0]), "param check 0.1 2 1 0.5");
        assert!(!EngineInfo { is_extended: false, ..read }.can("setscheme"));
        for (line, part) in [
            ("param", "expected 'param NAME"),
            ("param a 1", "expected 'param NAME"),
            ("param a 1 2 x", "'x' is not a number"),
            ("param a 2 1 1", "the start lies between"),
            ("param a 0 1 2", "the start lies between"),
            ("param a 0 1 1 0", "a step is smaller"),
        ] {
            let error = introduction(&[line]).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
        assert!(introduction(&["param a 0 1 1", "param a 0 1 1"]).unwrap_err().contains("listed before"));
    }

    #[test]
    fn features_of_every_game_go_through_the_protocol_unchanged() {
        for game in GAMES {
            let mut list = FeatureList::default();
            let lines = vocabulary_lines(game.vocabulary).chain(guidance_lines(&game.guidance));
            lines.into_iter().try_for_each(|line| list.add(&line)).unwrap();
            let (vocabulary, guidance) = list.checked().unwrap().leak();
            // The papers' groups are those of the papers' games.
            assert_eq!(guidance, plysmith_core::feature::Guidance { paper_groups: &[], ..game.guidance });
            assert!(vocabulary.has_own_state());
            for (one, other) in vocabulary.moves.iter().zip(game.vocabulary.moves) {
                assert_eq!((one.name, one.group, one.parent), (other.name, other.group, other.parent));
                assert_eq!((one.threshold_safe, one.meaning), (other.threshold_safe, other.meaning));
            }
            assert_eq!(vocabulary.moves.len(), game.vocabulary.moves.len());
        }
    }

    #[test]
    fn invalid_lists_are_refused_with_the_reason() {
        let read = |lines: &[&str]| {
            let mut list = FeatureList::default();
            lines.iter().try_for_each(|line| list.add(line))?;
            list.checked()
        };
        assert!(read(&["chatter", "feature a", "feature b group a parent a meaning Text with group in it"]).is_ok());
        for (lines, part) in [
            (vec!["feature"], "expected 'feature NAME"),
            (vec!["feature a-b"], "'a-b' cannot be the name"),
            (vec!["feature Neutral"], "'Neutral' cannot be the name"),
            (vec!["feature a group"], "expected 'feature NAME"),
            (vec!["feature a colour red"], "'colour' has no meaning here"),
            (vec!["feature a", "feature a"], "'a' was listed before"),
            (vec!["feature a parent b"], "'b', the parent of 'a', is no feature of the group 'a'"),
            (vec!["feature a", "forbid a-c reason none"], "'c' is not a feature"),
            (vec!["feature a", "base x*"], "no feature begins like 'x*'"),
            (vec!["feature a", "state b"], "'state b' names no feature"),
        ] {
            let error = read(&lines).unwrap_err();
            assert!(error.contains(part), "{lines:?}: {error}");
        }
        let many: Vec<String> = (0..65).map(|number| format!("feature f{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(read(&many).unwrap_err().contains("65 features are too many"));
        let of_moves = [&many[..41], &["feature late", "state late"]].concat();
        assert!(read(&of_moves).unwrap_err().contains("41 features of moves and 1 of the search state are too many"));
        assert!(read(&many[..64]).is_ok());
    }

    #[test]
    fn features_of_the_search_state_stand_apart() {
        let mut list = FeatureList::default();
        let lines = ["feature late group number", "feature C", "state late", "forbid C-late reason none"];
        lines.iter().try_for_each(|line| list.add(line)).unwrap();
        let (vocabulary, guidance) = list.checked().unwrap().leak();
        let names = |atoms: Vec<_>| atoms.into_iter().map(|atom| vocabulary.facts(atom).name).collect::<Vec<_>>();
        assert_eq!(names(vocabulary.atoms().collect()), ["C"]);
        assert_eq!(names(vocabulary.matching(["state"]).unwrap()), ["late"]);
        assert_eq!(vocabulary.print(vocabulary.parse("late-C").unwrap()), "C-late");
        assert_eq!(guidance.blacklist, [("C-late", "none")]);
        assert!(!vocabulary.has_own_state());
    }
}
