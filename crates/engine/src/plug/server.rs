//! The built-in engine as a plug engine: `plysmith engine chess --plug`.
//!
//! Commands are executed one after the other: the paper's learner waits for every answer. It is told nothing that it did not
//! ask for: `setboard` and `setparam` have no answer, so if one of them cannot be executed, the question that follows is
//! answered by `error …` with the remedy, until the command is given again. A wrong position or wrong weights are never
//! searched. What is said beyond the paper's three commands is said only after `plug`.

use std::io::{self, BufRead, Write};

use plysmith_core::depth::Weight;
use plysmith_core::feature::state;
use plysmith_core::games::AnyPosition;
use plysmith_core::parameter::{Parameter, Thousandths, Weights};
use plysmith_core::problem::{Criterion, Problem};

use super::engine_info::{ABILITIES_OF_SCHEMES, guidance_lines, pair_line, parameter_line, vocabulary_lines};
use crate::driver::{Attempt, BuiltIn, Candidate, Driver, Request, Subject};
use crate::lines::{InputLine, LineReader};

/// Where a session writes.
#[derive(Debug)]
pub struct Channels<W, D> {
    /// The answers.
    pub answers: W,
    /// What was wrong with a command, for the user.
    pub diagnostics: D,
}

/// Serves until `quit` or the end of the input. Fails if the input cannot be read or the output is closed.
pub fn serve(
    engine: BuiltIn,
    seed: u64,
    input: impl BufRead,
    channels: Channels<impl Write, impl Write>,
) -> io::Result<()> {
    let driver = engine.driver().map_err(io::Error::other)?;
    let mut session = PlugSession {
        engine,
        seed,
        driver,
        is_extended: false,
        candidate: Ok(Candidate::Scheme(Default::default())),
        position: Err("there is no position; expected 'setboard POSITION' before".to_string()),
        channels,
    };
    let mut lines = LineReader::new(input);
    while let Some(line) = lines.read()? {
        let InputLine::Whole(text) = line else {
            // It may have been a position; the one before is not the one to search.
            let reason = "an overlong line is ignored; commands are short";
            session.position = Err(reason.to_string());
            session.diagnose(reason);
            continue;
        };
        let (command, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        if command == "quit" {
            break;
        }
        session.execute(command, rest.trim())?;
    }
    Ok(())
}

struct PlugSession<W, D> {
    engine: BuiltIn,
    seed: u64,
    driver: Box<dyn Driver>,
    /// Whether `plug` was said: then the other side knows more than the paper's commands.
    is_extended: bool,
    /// The weights or the scheme, or why there are none.
    candidate: Result<Candidate, String>,
    /// The position, or why there is none.
    position: Result<Box<dyn AnyPosition>, String>,
    channels: Channels<W, D>,
}

/// The maximum length of a message, which may quote much longer input.
const LONGEST: usize = 400;

impl<W: Write, D: Write> PlugSession<W, D> {
    fn execute(&mut self, command: &str, rest: &str) -> io::Result<()> {
        match command {
            "" => Ok(()),
            "plug" => self.introduce(),
            "features" => self.list_features(),
            "setboard" => {
                let position = (self.engine.game().open)(rest).map_err(|error| format!("setboard: {error}"));
                self.position = position.inspect_err(|reason| self.diagnose(reason));
                Ok(())
            }
            "setparam" => {
                let candidate = self.read_parameters(rest).map_err(|reason| format!("setparam: {reason}"));
                self.candidate = candidate.inspect_err(|reason| self.diagnose(reason));
                Ok(())
            }
            "setscheme" => {
                let scheme = self.engine.game().vocabulary.parse_scheme(rest, Weight::HALF);
                let candidate = scheme.map(Candidate::Scheme).map_err(|error| format!("setscheme: {error}"));
                self.candidate = candidate.inspect_err(|reason| self.diagnose(reason));
                Ok(())
            }
            "gountil" => self.answer(self.paper_question(rest)),
            "gosolve" => self.answer(self.question(rest)),
            _ => {
                let known = "plug, features, setboard, setparam, setscheme, gountil, gosolve or quit";
                let reason = format!("there is no command '{command}'; expected {known}");
                self.diagnose(&reason);
                // Whoever speaks only the paper's commands expects an answer to 'gountil' alone.
                if self.is_extended { self.refuse(&reason) } else { Ok(()) }
            }
        }
    }

    fn introduce(&mut self) -> io::Result<()> {
        self.is_extended = true;
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

    /// Real numbers in any decimal form, one for each parameter. A learner that was never told the ranges moves weights
    /// beyond them, as the paper's does by delta; the nearest weight in range is meant then.
    fn read_parameters(&self, text: &str) -> Result<Candidate, String> {
        let read = |word: &str| match Thousandths::nearest_to(word) {
            Ok(Thousandths(units)) => Ok(units),
            Err(_) => Err(format!("'{word}' is not a weight; expected a number like 0.77")),
        };
        let mut weights = Weights(text.split_whitespace().map(read).collect::<Result<_, _>>()?);
        if !self.is_extended {
            let into_range = |(units, parameter): (&mut i64, &Parameter)| {
                *units = (*units).clamp(parameter.least, parameter.most);
            };
            weights.0.iter_mut().zip(self.engine.parameters()).for_each(into_range);
        }
        let candidate = Candidate::Weights(weights);
        self.engine.resolve(&candidate).map_err(|error| error.to_string())?;
        Ok(candidate)
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
        let position = self.position.as_ref().map_err(Clone::clone)?;
        if position.outcome().is_some() {
            return Err("the game is over in this position; expected one in which it is not".to_string());
        }
        let legal = |moves: &[&str]| -> Result<Vec<String>, String> {
            moves.iter().map(|m| position.canonical_move(m).map_err(|error| error.to_string())).collect()
        };
        let (best, avoid) = (legal(best)?, legal(avoid)?);
        Ok(Problem { position: position.text(), best, avoid, id: String::new(), criterion, distance: None })
    }

    /// The only line that a question is answered with: what the search found, or why there was none.
    fn answer(&mut self, question: Result<(Problem, u64), String>) -> io::Result<()> {
        match question.and_then(|(problem, nodes)| self.solve(&problem, nodes)) {
            Ok(attempt) => self.write_answer(&attempt),
            Err(reason) => self.refuse(&reason),
        }
    }

    fn solve(&mut self, problem: &Problem, nodes: u64) -> Result<Attempt, String> {
        let candidate = self.candidate.as_ref().map_err(Clone::clone)?;
        let request = Request { problem, candidate, nodes, seed: self.seed };
        match self.driver.attempt(&request, &|| false) {
            Ok(Some(attempt)) => Ok(attempt),
            Ok(None) => Err("the search was interrupted; ask again".to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn write_answer(&mut self, attempt: &Attempt) -> io::Result<()> {
        let Attempt { solved, nodes, depth, height, moves, fired, .. } = attempt;
        let answer = format!("nodes {} {nodes}", u8::from(*solved));
        if !self.is_extended {
            return self.write_line(&answer);
        }
        let fired: String = fired.iter().map(|count| format!(" {count}")).collect();
        let fired = if fired.is_empty() { fired } else { format!(" fired{fired}") };
        self.write_line(&format!("{answer} depth {depth} height {height} moves {moves}{fired}"))
    }

    /// Answers a question, or a command that is part of the extension, by the reason why it cannot be executed.
    fn refuse(&mut self, reason: &str) -> io::Result<()> {
        self.write_line(&format!("error {}", one_line(reason)))
    }

    /// Tells the user, and not the other program, what is wrong. Nobody needs to read it.
    fn diagnose(&mut self, reason: &str) {
        let diagnostics = &mut self.channels.diagnostics;
        let _ = writeln!(diagnostics, "{}", one_line(reason)).and_then(|()| diagnostics.flush());
    }

    fn write_line(&mut self, line: &str) -> io::Result<()> {
        self.channels.answers.write_all(format!("{line}\n").as_bytes())?;
        self.channels.answers.flush()
    }
}

fn one_line(reason: &str) -> String {
    let printable = |letter: char| if letter.is_control() { ' ' } else { letter };
    reason.chars().map(printable).take(LONGEST).collect()
}

#[cfg(test)]
mod tests;
