//! The built-in engine as a plug engine: `plysmith engine chess --plug`.
//!
//! Commands are executed one after the other: the paper's learner waits for every answer. A command that cannot be
//! executed is answered by `error …` with the remedy and changes nothing.

use std::io::{self, BufRead, Write};

use plysmith_core::depth::Weight;
use plysmith_core::feature::state;
use plysmith_core::games::AnyPosition;
use plysmith_core::problem::{Criterion, Problem};

use super::engine_info::{ABILITIES_OF_SCHEMES, guidance_lines, pair_line, parameter_line, vocabulary_lines};
use crate::driver::{Attempt, BuiltIn, Candidate, Driver, Request, Subject};
use crate::lines::{InputLine, LineReader};

/// Serves until `quit` or the end of the input. Fails if the input cannot be read or the output is closed.
pub fn serve(engine: BuiltIn, seed: u64, input: impl BufRead, output: impl Write) -> io::Result<()> {
    let driver = engine.driver().map_err(io::Error::other)?;
    let candidate = Candidate::Scheme(Default::default());
    let mut session = PlugSession { engine, seed, driver, candidate, position: None, output };
    let mut lines = LineReader::new(input);
    while let Some(line) = lines.read()? {
        let InputLine::Whole(text) = line else {
            session.refuse("an overlong line is ignored; commands are short")?;
            continue;
        };
        let (command, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        if command == "quit" {
            break;
        }
        if let Err(reason) = session.answer(command, rest.trim())? {
            session.refuse(&reason)?;
        }
    }
    Ok(())
}

struct PlugSession<W> {
    engine: BuiltIn,
    seed: u64,
    driver: Box<dyn Driver>,
    candidate: Candidate,
    position: Option<Box<dyn AnyPosition>>,
    output: W,
}

/// Whether a command was executed, or why not.
type Done = Result<(), String>;

/// The maximum length of a message, which may quote much longer input.
const LONGEST: usize = 400;

impl<W: Write> PlugSession<W> {
    fn answer(&mut self, command: &str, rest: &str) -> io::Result<Done> {
        match command {
            "" => {}
            "plug" => self.introduce()?,
            "features" => self.list_features()?,
            "setboard" => return Ok(self.set_board(rest)),
            "setparam" => return Ok(self.set_parameters(rest)),
            "setscheme" => return Ok(self.set_scheme(rest)),
            "gountil" | "gosolve" => {
                let question = if command == "gountil" { self.paper_question(rest) } else { self.question(rest) };
                let answer = question.and_then(|(problem, nodes)| self.solve(&problem, nodes));
                return match answer {
                    Ok(attempt) => self.write_answer(&attempt).map(Ok),
                    Err(reason) => Ok(Err(reason)),
                };
            }
            _ => {
                let known = "plug, features, setboard, setparam, setscheme, gountil, gosolve or quit";
                return Ok(Err(format!("there is no command '{command}'; expected {known}")));
            }
        }
        Ok(Ok(()))
    }

    fn introduce(&mut self) -> io::Result<()> {
        let game = self.engine.game().name;
        let name = format!("name Plysmith {} {game}", env!("CARGO_PKG_VERSION"));
        let fixed = [name, format!("game {game}"), format!("can setscheme gosolve {}", ABILITIES_OF_SCHEMES.join(" "))];
        let parameters: Vec<_> = self.engine.parameters().iter().map(parameter_line).collect();
        fixed.iter().chain(&parameters).try_for_each(|line| self.write_line(line))?;
        self.write_line("plugok")
    }

    fn list_features(&mut self) -> io::Result<()> {
        let game = self.engine.game();
        let of_state = state::BLACKLIST.iter().map(|pair| pair_line("forbid", pair));
        for line in vocabulary_lines(game.vocabulary).chain(guidance_lines(&game.guidance)).chain(of_state) {
            self.write_line(&line)?;
        }
        self.write_line("featuresok")
    }

    fn set_board(&mut self, text: &str) -> Done {
        let position = (self.engine.game().open)(text);
        self.position = Some(position.map_err(|error| format!("setboard: {error}"))?);
        Ok(())
    }

    fn set_parameters(&mut self, text: &str) -> Done {
        let candidate = Candidate::Weights(text.parse().map_err(|error| format!("setparam: {error}"))?);
        self.engine.resolve(&candidate).map_err(|error| format!("setparam: {error}"))?;
        self.candidate = candidate;
        Ok(())
    }

    fn set_scheme(&mut self, text: &str) -> Done {
        let scheme = self.engine.game().vocabulary.parse_scheme(text, Weight::HALF);
        self.candidate = Candidate::Scheme(scheme.map_err(|error| format!("setscheme: {error}"))?);
        Ok(())
    }

    /// `MOVE N`.
    fn paper_question(&self, text: &str) -> Result<(Problem, u64), String> {
        let form = || format!("'gountil {text}' cannot be read; expected 'gountil MOVE N', like 'gountil e2e4 500000'");
        let (m, nodes) = text.split_once(char::is_whitespace).ok_or_else(form)?;
        let nodes = nodes.trim().parse().map_err(|_| form())?;
        Ok((self.problem(&[m], &[], Criterion::BestMove)?, nodes))
    }

    /// `N [best M…] [avoid M…] [proven]`.
    fn question(&self, text: &str) -> Result<(Problem, u64), String> {
        let form = || {
            let example = "'gosolve 500000 best e2e4 d2d4 proven'";
            format!(
                "'gosolve {text}' cannot be read; expected 'gosolve N [best M…] [avoid M…] [proven]', like {example}"
            )
        };
        let mut words = text.split_whitespace();
        let nodes = words.next().and_then(|word| word.parse().ok()).ok_or_else(form)?;
        let (mut best, mut avoid, mut criterion) = (Vec::new(), Vec::new(), Criterion::BestMove);
        let mut list: Option<&mut Vec<&str>> = None;
        for word in words {
            match word {
                "best" => list = Some(&mut best),
                "avoid" => list = Some(&mut avoid),
                "proven" => (list, criterion) = (None, Criterion::Proven),
                m => list.as_mut().ok_or_else(form)?.push(m),
            }
        }
        if best.is_empty() && avoid.is_empty() && criterion == Criterion::BestMove {
            return Err(form());
        }
        Ok((self.problem(&best, &avoid, criterion)?, nodes))
    }

    fn problem(&self, best: &[&str], avoid: &[&str], criterion: Criterion) -> Result<Problem, String> {
        let position = self.position.as_deref().ok_or("there is no position; expected 'setboard POSITION' before")?;
        if position.outcome().is_some() {
            return Err("the game is over in this position; expected one in which it is not".to_string());
        }
        let legal = |moves: &[&str]| -> Result<Vec<String>, String> {
            moves.iter().map(|m| position.canonical_move(m).map_err(|error| error.to_string())).collect()
        };
        let (best, avoid) = (legal(best)?, legal(avoid)?);
        Ok(Problem { position: position.text(), best, avoid, id: String::new(), criterion, distance: None })
    }

    fn solve(&mut self, problem: &Problem, nodes: u64) -> Result<Attempt, String> {
        let request = Request { problem, candidate: &self.candidate, nodes, seed: self.seed };
        match self.driver.attempt(&request, &|| false) {
            Ok(Some(attempt)) => Ok(attempt),
            Ok(None) => Err("the search was interrupted; ask again".to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn write_answer(&mut self, attempt: &Attempt) -> io::Result<()> {
        let Attempt { solved, nodes, depth, height, moves, fired, .. } = attempt;
        let fired: String = fired.iter().map(|count| format!(" {count}")).collect();
        let fired = if fired.is_empty() { fired } else { format!(" fired{fired}") };
        self.write_line(&format!(
            "nodes {} {nodes} depth {depth} height {height} moves {moves}{fired}",
            u8::from(*solved)
        ))
    }

    fn refuse(&mut self, reason: &str) -> io::Result<()> {
        let printable = |letter: char| if letter.is_control() { ' ' } else { letter };
        let text: String = reason.chars().map(printable).take(LONGEST).collect();
        self.write_line(&format!("error {text}"))
    }

    fn write_line(&mut self, line: &str) -> io::Result<()> {
        self.output.write_all(format!("{line}\n").as_bytes())?;
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games::find;
    use plysmith_core::random::Random;

    use super::serve;
    use crate::driver::{BuiltIn, Policy};

    const START: &str = "setboard pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w";

    fn talk(input: &str) -> Vec<String> {
        let game = find("breakthrough").unwrap();
        let rules = ["RdTt", "Ud"].map(|name| BuiltIn::tuned_rule(game, name).unwrap()).to_vec();
        let engine = BuiltIn::new(game, game.parse_settings("classic").unwrap(), Policy::Iteration);
        let mut output = Vec::new();
        serve(engine.with_template(rules).unwrap(), 1, input.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(String::from).collect()
    }

    #[test]
    fn it_introduces_itself_and_lists_its_features() {
        let said = talk("plug 1\nfeatures\n");
        for line in [
            "game breakthrough",
            "can setscheme gosolve amounts probabilities partitions marks other",
            "param RdTt 0.1 2 1 0.001",
            "plugok",
            "forbid tablemove-late reason the table's move is the first",
            "featuresok",
        ] {
            assert!(said.iter().any(|other| other == line), "no {line} in {said:?}");
        }
        assert!(said.iter().any(|line| line.starts_with("feature RdTt group ")));
        assert!(
            said.iter().any(|line| line.starts_with("feature verylate group number parent late knowledge meaning "))
        );
        assert!(said.iter().any(|line| line.starts_with("state pv cut ") && line.ends_with(" check")));
    }

    #[test]
    fn schemes_of_any_cost_are_accepted() {
        let solve = |scheme: &str| talk(&format!("{START}\nsetscheme {scheme}\ngosolve 400 avoid a2a3\n")).join("\n");
        let plain = solve("Neutral");
        for scheme in ["late-quiet@+1,Ud@-0.25", "=Ud-C@31%,Other@3%", "C@0.5~,Other@1.5", "late-Ud@2!"] {
            let said = solve(scheme);
            assert!(said.starts_with("nodes ") && said != plain, "{scheme}: {said}");
        }
    }

    #[test]
    fn the_papers_commands_are_answered_as_the_paper_says() {
        let said =
            talk("setboard p7/P7/8/8/8/8/P7/8 w\nsetparam 0.5 1\ngountil a7b8 1000\ngountil a2a3 1000\nquit\nplug 1\n");
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].starts_with("nodes 1 "), "{said:?}");
        assert!(said[1].starts_with("nodes 0 1000 "), "{said:?}");
    }

    #[test]
    fn what_cannot_be_done_is_told_and_changes_nothing() {
        for (input, part) in [
            ("gountil a2a3 100", "there is no position"),
            ("setboard nonsense", "setboard: "),
            ("setparam 1", "1 weights were given for 2 parameters (RdTt, Ud)"),
            ("setparam 1 x", "'x' is not a weight"),
            ("setparam 1 3", "the weight 3 of 'Ud' is not from 0.1 to 2"),
            ("setscheme Xy@0.5", "'Xy' is not a feature"),
            ("hello", "there is no command 'hello'"),
            (&format!("{START}\ngountil a2a3"), "expected 'gountil MOVE N'"),
            (&format!("{START}\ngountil a2a3 many"), "expected 'gountil MOVE N'"),
            (&format!("{START}\ngountil a2h8 100"), "a2h8"),
            (&format!("{START}\ngosolve 100"), "expected 'gosolve N"),
            (&format!("{START}\ngosolve 100 a2a3"), "expected 'gosolve N"),
            (&format!("{START}\ngosolve best a2a3"), "expected 'gosolve N"),
        ] {
            let said = talk(input);
            assert!(said.len() == 1 && said[0].starts_with("error ") && said[0].contains(part), "{input}: {said:?}");
        }
        let said =
            talk(&format!("{START}\nsetscheme RdTt@0.5\ngosolve 50 avoid a2a3\nsetscheme X\ngosolve 50 avoid a2a3\n"));
        assert_eq!((said.len(), &said[0]), (3, &said[2]), "{said:?}");
    }

    #[test]
    fn it_survives_random_input() {
        let seeds = [
            "plug 1",
            "features",
            START,
            "setparam 1 0.5",
            "setscheme Ud-RdTt@0.5,PP@0.75",
            "gountil a2a3 50",
            "gosolve 50 best a2a3 b2b3 avoid c2c3 proven",
            "setboard 8/3P4/p7/8/8/8/P7/8 w",
            "gountil d7d8 9",
        ];
        let mut random = Random::new(7);
        let mut script = Vec::new();
        for _ in 0..20_000 {
            let mut line = seeds[random.below(seeds.len())].as_bytes().to_vec();
            for _ in 0..random.below(4) {
                let at = random.below(line.len().max(1));
                match random.below(3) {
                    0 if !line.is_empty() => drop(line.remove(at)),
                    1 => line.insert(at, random.below(256) as u8),
                    _ => line.extend_from_slice(seeds[random.below(seeds.len())].as_bytes()),
                }
            }
            // Long searches are no storm.
            let is_long =
                line.split(|&byte| byte == b' ').any(|word| word.len() > 3 && word.iter().all(u8::is_ascii_digit));
            line.retain(|&byte| byte != b'\n');
            if !is_long && !line.starts_with(b"quit") {
                script.extend(line);
                script.push(b'\n');
            }
        }
        let game = find("breakthrough").unwrap();
        let engine = BuiltIn::new(game, game.parse_settings("classic").unwrap(), Policy::Iteration);
        script.extend(format!("{START}\nsetscheme Neutral\ngountil a2a3 50\n").bytes());
        let mut output = Vec::new();
        serve(engine, 1, &script[..], &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        assert!(text.lines().last().unwrap().starts_with("nodes "), "{text}");
        assert!(text.lines().filter(|line| line.starts_with("error ")).count() > 1000);
    }
}
