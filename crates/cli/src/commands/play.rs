//! `plysmith play`: play against the engine in the terminal, or by a script through a pipe.
//!
//! Boards and messages go to standard output. With `--json` they go to standard error, and the record of the game goes
//! to standard output at the end. A move of a finished game can be taken back, and a new game can follow it, so the
//! program ends with `quit`, the end of the input or Ctrl-C.

use std::io::{Write, stderr, stdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::spawn;
use std::time::Duration;

use clap::Args;
use plysmith_core::depth::Weight;
use plysmith_core::game::MoveError;
use plysmith_core::games::{self, GameInfo};
use plysmith_core::outcome::Outcome;
use plysmith_core::printable::printable_lines;
use plysmith_core::search::{Report, Workspace};
use plysmith_engine::interactive_game::{InteractiveGame, Opponent};
use plysmith_engine::lines::{InputLine, LineReader};
use plysmith_engine::player::BuiltInPlayer;
use plysmith_engine::schemes::parse_scheme;
use plysmith_engine::weights::parse_settings;
use serde::Serialize;

use crate::arguments::SeedArgument;
use crate::arguments::count::count;
use crate::arguments::start::{First, StartArguments};
use crate::failure::Failure;
use crate::output::{Output, thousands};
use crate::signals;
use crate::stderr::say;

/// Play against the engine
#[derive(Debug, Args)]
#[command(after_help = "\
Type a move like 'b2b3', or 'help' for a list of commands.

Examples:
  plysmith play breakthrough
  plysmith play breakthrough --side black --nodes 2000000
  plysmith play breakthrough --size 5x5 --preset classic --scheme Ud-RdTt@0.5")]
pub struct Arguments {
    /// Game: breakthrough or chess
    game: String,

    /// Your side
    #[arg(long, value_enum, default_value = "white")]
    side: First,

    /// Search settings of the engine: 'classic' (the papers' search), 'modern', or either with changes, like
    /// 'classic,table=16'
    #[arg(long, default_value = "modern")]
    preset: String,

    /// Features with weights that the engine uses, like 'Ud-RdTt@0.5'
    #[arg(long, default_value = "Neutral")]
    scheme: String,

    /// Node limit for each of the engine's moves; more is stronger
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = count::<u64>(1..))]
    nodes: u64,

    /// Position to start from [default: the start position]
    #[arg(long, value_name = "POSITION", conflicts_with_all = ["size", "first"])]
    position: Option<String>,

    #[command(flatten)]
    start: StartArguments,

    #[command(flatten)]
    seed: SeedArgument,
}

const HELP: &str = "\
  b2b3        make a move: from-square, to-square
  moves       list the legal moves; 'moves b2' lists those that begin with b2
  hint        show the move that the engine would play
  info        show the engine's search for its last move
  undo        take back your last move and the engine's
  board       show the board
  new         start a new game
  resign      resign the game
  quit        end the program
";

const AFTERWARDS: &str = "Type 'new', 'undo' or 'quit'.";

/// The game so far, as a program reads it.
#[derive(Serialize)]
struct Record {
    game: &'static str,
    position: String,
    person: &'static str,
    engine: String,
    nodes: u64,
    seed: u64,
    moves: Vec<String>,
    final_position: String,
    /// None if the game was not played to its end.
    result: Option<&'static str>,
    resigned: bool,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let game = games::find(&arguments.game)?;
    let player = BuiltInPlayer::new(
        parse_settings(game, &arguments.preset)?,
        parse_scheme(game.vocabulary, &arguments.scheme, Weight::HALF)?,
    );
    let text = match &arguments.position {
        Some(text) => text.clone(),
        None => (game.start)(&arguments.start.resolve()?)?,
    };
    let start = (game.open)(&text)
        .map_err(|error| Failure::input(format!("position '{text}', character {}: {error}", error.offset + 1)))?;
    if let Some(note) = game.evaluation_note(&player.settings, &*start) {
        say(format!("note: {note}"));
    }
    signals::cancel_token();
    let mut dialogue = Dialogue {
        output,
        lines: listen(),
        engine: Opponent { player, nodes: arguments.nodes, seed: arguments.seed.seed, workspace: Workspace::default() },
        game: InteractiveGame::new(start, arguments.side == First::White),
    };
    let result = dialogue.play();
    if output.is_json() && !matches!(result, Err(Failure::OutputClosed | Failure::Failed(_))) {
        output.print(&dialogue.record(game), String::new)?;
    }
    result
}

/// Lines of standard input, read by a thread of their own so that Ctrl-C is noticed while waiting.
fn listen() -> Receiver<std::io::Result<InputLine>> {
    let (sender, receiver) = sync_channel(1);
    spawn(move || {
        let mut lines = LineReader::new(stdin().lock());
        // Ends at the end of the input, and when the receiver is gone.
        while let Some(line) = lines.read().transpose() {
            let is_broken = line.is_err();
            if sender.send(line).is_err() || is_broken {
                break;
            }
        }
    });
    receiver
}

/// What is typed and printed in a game.
struct Dialogue<'a> {
    output: &'a Output,
    lines: Receiver<std::io::Result<InputLine>>,
    engine: Opponent,
    game: InteractiveGame,
}

/// What a line that was typed leads to.
#[derive(PartialEq, Eq)]
enum Next {
    /// Another question; the board has not changed.
    Ask,
    /// The board has changed.
    Turn,
    /// The end of the program.
    Quit,
}

impl Dialogue<'_> {
    /// Plays turn by turn until the person leaves.
    fn play(&mut self) -> Result<(), Failure> {
        self.say("Type a move, or 'help'.\n\n")?;
        loop {
            if self.game.result().is_none() && !self.game.is_persons_turn() {
                self.let_engine_move()?;
                continue;
            }
            self.show_board()?;
            if let Some(result) = self.game.result() {
                self.say(&self.announcement(result))?;
            }
            let next = loop {
                self.say(&self.prompt())?;
                let Some(line) = self.listen()? else {
                    self.say("\n")?;
                    return Ok(());
                };
                match self.answer(line.trim())? {
                    Next::Ask => {}
                    next => break next,
                }
            };
            if next == Next::Quit {
                return Ok(());
            }
        }
    }

    fn answer(&mut self, line: &str) -> Result<Next, Failure> {
        let mut words = line.split_whitespace();
        let (command, rest) = (words.next().unwrap_or_default(), words.next());
        match (command.to_lowercase().as_str(), rest) {
            ("", None) => {}
            ("help" | "?", None) => self.say(HELP)?,
            ("moves", beginning) => self.show_moves(beginning.unwrap_or_default())?,
            ("hint", None) => self.hint()?,
            ("info", None) => self.show_info()?,
            ("board", None) => self.show_board()?,
            ("undo", None) => return self.undo(),
            ("resign", None) => return self.resign(),
            ("new", None) => {
                self.game.restart();
                return Ok(Next::Turn);
            }
            ("quit" | "exit", None) => return Ok(Next::Quit),
            _ => return self.try_move(line),
        }
        Ok(Next::Ask)
    }

    fn try_move(&mut self, text: &str) -> Result<Next, Failure> {
        if self.game.result().is_some() {
            self.say(&format!("The game is over. {AFTERWARDS}\n"))?;
            return Ok(Next::Ask);
        }
        match self.game.make_persons_move(text) {
            Ok(()) => Ok(Next::Turn),
            Err(error) => {
                self.say(&explain(text, &error))?;
                Ok(Next::Ask)
            }
        }
    }

    fn undo(&mut self) -> Result<Next, Failure> {
        if self.game.take_back() {
            return Ok(Next::Turn);
        }
        self.say("There is no move of yours to take back.\n")?;
        Ok(Next::Ask)
    }

    fn resign(&mut self) -> Result<Next, Failure> {
        if self.game.result().is_some() {
            self.say(&format!("The game is over. {AFTERWARDS}\n"))?;
            return Ok(Next::Ask);
        }
        self.game.resign();
        Ok(Next::Turn)
    }

    fn hint(&mut self) -> Result<(), Failure> {
        if self.game.result().is_some() {
            return self.say("The game is over: there is nothing to play.\n");
        }
        let report = self.search()?;
        self.say(&format!("The engine would play {}", thought(&report, "you")))
    }

    fn show_info(&self) -> Result<(), Failure> {
        match self.game.last_search() {
            Some(report) => self.say(&format!("The engine played {}", thought(report, "the engine"))),
            None => self.say("The engine has not moved yet, or its move was taken back. Try 'hint'.\n"),
        }
    }

    fn show_moves(&self, beginning: &str) -> Result<(), Failure> {
        let beginning = beginning.to_lowercase();
        let moves: Vec<_> = self.game.position().moves().into_iter().filter(|m| m.starts_with(&beginning)).collect();
        match (moves.is_empty(), beginning.is_empty()) {
            (false, _) => self.say(&listed(&moves)),
            (true, true) => self.say("There is no move: the game is over.\n"),
            (true, false) => self.say(&format!("No legal move begins with '{beginning}'; 'moves' lists all.\n")),
        }
    }

    fn show_board(&self) -> Result<(), Failure> {
        let drawing = self.game.position().draw(None).map_err(Failure::input)?;
        self.say(&format!("{drawing}\n"))
    }

    fn let_engine_move(&mut self) -> Result<(), Failure> {
        let report = self.search()?;
        let name = side_name(!self.game.person_is_white());
        let Some(m) = self.game.make_engine_move(report).map_err(Failure::input)? else {
            let position = self.game.position().text();
            return Err(Failure::Failed(anyhow::anyhow!("the engine found no move in {position}")));
        };
        let text = format!("{name} (engine): {m}\n\n");
        self.say(&text)
    }

    /// The engine's search of the present position.
    fn search(&mut self) -> Result<Report<String>, Failure> {
        let report = self.engine.search(self.game.position(), &signals::is_cancelled);
        if signals::is_cancelled() { Err(Failure::Interrupted(None)) } else { Ok(report) }
    }

    fn announcement(&self, result: Outcome) -> String {
        let count = self.game.moves().len();
        let plies = if count == 1 { "1 ply".to_string() } else { format!("{count} plies") };
        let how = if self.game.resigned() { "You resigned. " } else { "" };
        let score = result.pgn();
        let who = match result.for_white(self.game.person_is_white()) {
            Outcome::Draw => return format!("Nobody has won after {plies}: {score}\n{AFTERWARDS}\n"),
            Outcome::Win => "You win",
            Outcome::Loss => "The engine wins",
        };
        let name = side_name(result == Outcome::Win);
        format!("{how}{who} as {name} after {plies}: {score}\n{AFTERWARDS}\n")
    }

    fn prompt(&self) -> String {
        match self.game.result() {
            Some(_) => "> ".to_string(),
            None => format!("{} (you)> ", side_name(self.game.person_is_white())),
        }
    }

    /// The next line that is typed; none at the end of the input.
    fn listen(&self) -> Result<Option<String>, Failure> {
        loop {
            if signals::is_cancelled() {
                return Err(Failure::Interrupted(None));
            }
            match self.lines.recv_timeout(Duration::from_millis(50)) {
                Ok(Ok(InputLine::Whole(text))) => return Ok(Some(text)),
                Ok(Ok(InputLine::TooLong)) => self.say("The line is too long. Type a move, or 'help'.\n")?,
                Ok(Err(error)) => return Err(Failure::Failed(anyhow::anyhow!("cannot read the input: {error}"))),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    fn say(&self, text: &str) -> Result<(), Failure> {
        if !self.output.is_json() {
            return self.output.write(text);
        }
        // Whether anybody reads along does not matter to the record.
        let _ = stderr().lock().write_all(printable_lines(text).as_bytes());
        Ok(())
    }

    fn record(&self, game: &'static GameInfo) -> Record {
        Record {
            game: game.name,
            position: self.game.start().text(),
            person: if self.game.person_is_white() { First::White.name() } else { First::Black.name() },
            engine: self.engine.player.print(game),
            nodes: self.engine.nodes,
            seed: self.engine.seed,
            moves: self.game.moves().to_vec(),
            final_position: self.game.position().text(),
            result: self.game.result().map(Outcome::pgn),
            resigned: self.game.resigned(),
        }
    }
}

fn side_name(is_white: bool) -> &'static str {
    if is_white { "White" } else { "Black" }
}

/// A move with its line and score; the score is for the side to move.
fn thought(report: &Report<String>, whose: &str) -> String {
    let Report { line, score, depth, height, nodes, .. } = report;
    format!(
        "{}.\n  line   {}\n  score  {score} for {whose}\n  depth  {depth}, longest line {height}, {} nodes\n",
        line.first().map_or("nothing", String::as_str),
        line.join(" "),
        thousands(*nodes)
    )
}

/// What is wrong with a move: the legal moves of the same man if it has any, otherwise all.
fn explain(text: &str, error: &MoveError) -> String {
    let from: String = text.to_lowercase().chars().take(2).collect();
    let same: Vec<_> = error.legal.iter().filter(|m| from.len() == 2 && m.starts_with(&from)).cloned().collect();
    let shown: String = text.chars().filter(|letter| !letter.is_control()).take(40).collect();
    let (which, moves) =
        if same.is_empty() { ("Legal moves".into(), &error.legal) } else { (format!("From {from}"), &same) };
    format!("'{shown}' is neither a legal move nor a command ('help' lists them). {which}:\n{}", listed(moves))
}

/// Moves in rows that fit into a terminal.
fn listed(moves: &[String]) -> String {
    moves.chunks(12).map(|row| format!("  {}\n", row.join(" "))).collect()
}
