//! `plysmith play` and `plysmith engine` as processes with pipes: what programs and shells see of them.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{PATIENCE, wait_until_at_work};

/// A running program; it does not outlive its test.
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Program {
    pub fn start(arguments: &[&str]) -> Program {
        let mut child = command(arguments).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Program { input: child.stdin.take(), child, lines }
    }

    pub fn send(&mut self, text: &str) {
        writeln!(self.input.as_mut().unwrap(), "{text}").unwrap();
    }

    pub fn read_to(&self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.starts_with(beginning)) {
            lines.push(self.lines.recv_timeout(PATIENCE).unwrap());
        }
        lines
    }

    /// The answers up to one that has either of these in it.
    fn read_to_part(&self, one: &str, other: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.contains(one) || line.contains(other)) {
            lines.push(self.lines.recv_timeout(PATIENCE).unwrap());
        }
        lines
    }

    fn wait(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < PATIENCE, "the program does not end");
            sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plysmith"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a program on a whole script.
fn run(arguments: &[&str], script: &[u8]) -> Output {
    let mut child = command(arguments).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // It may be gone before it has read everything.
    let _ = input.write_all(script);
    drop(input);
    child.wait_with_output().unwrap()
}

/// What a game on the smallest board says.
fn play(arguments: &[&str], script: &str) -> String {
    let fixed = ["play", "breakthrough", "--nodes", "2000"];
    let output = run(&[&fixed[..], arguments].concat(), script.as_bytes());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_engine_stops_when_it_is_told_and_quits() {
    let mut engine = Program::start(&["engine", "breakthrough"]);
    engine.send("uci");
    engine.read_to("uciok");
    engine.send("position startpos moves d2d3");
    engine.send("go infinite");
    engine.read_to("info depth 4");
    engine.send("isready");
    engine.read_to("readyok");
    engine.send("stop");
    engine.read_to("bestmove ");
    engine.send("quit");
    assert!(engine.wait().success());
}

#[test]
fn the_end_of_the_input_ends_an_engine_even_while_it_searches() {
    for go in [None, Some("go infinite"), Some("go nodes 1000000000000")] {
        let mut engine = Program::start(&["engine", "breakthrough", "--preset", "classic"]);
        if let Some(go) = go {
            engine.send(go);
            engine.read_to("info depth 3");
        }
        engine.input = None;
        assert!(engine.wait().success());
    }
}

#[test]
fn an_engine_whose_output_is_closed_ends_quietly() {
    let mut child = command(&["engine", "breakthrough"]).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.as_mut().unwrap().write_all(b"go infinite\nisready\nisready\n").unwrap();
    let mut program = Program { input: child.stdin.take(), child, lines: channel().1 };
    // Noticed with the first command after a failed write.
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE && program.child.try_wait().unwrap().is_none() {
        let _ = program.input.as_mut().unwrap().write_all(b"isready\n");
        sleep(Duration::from_millis(5));
    }
    assert!(program.wait().success());
    let mut talk = String::new();
    program.child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
    assert_eq!(talk, "");
}

#[test]
fn what_was_typed_wrong_is_told_by_exit_code_2() {
    for (arguments, expected) in [
        (&["engine", "chequers"][..], "there is no game 'chequers'"),
        (&["engine", "breakthrough", "--preset", "fast"], "'fast' is not a preset"),
        (&["engine", "breakthrough", "--json"], "leave out --json"),
        (&["play", "breakthrough", "--scheme", "Zz"], "'Zz' is not a feature"),
        (&["play", "breakthrough", "--size", "3x3"], "no board of 3x3"),
        (&["play", "breakthrough", "--position", "x w"], "position 'x w', character 1: "),
        (&["play", "breakthrough", "--nodes", "0"], "invalid value '0'"),
    ] {
        let output = run(arguments, b"");
        let talk = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {talk}");
        assert!(talk.contains(expected), "{arguments:?}: {talk}");
    }
}

#[test]
fn a_game_is_played_to_its_end() {
    let text = play(&["--position", "8/3P4/p7/8/8/8/P7/8 w"], "d7d8\n");
    assert!(text.contains("You win as White after 1 ply: 1-0"), "{text}");
    let text = play(&["--position", "8/8/8/8/8/P7/3p4/8 w"], "a3a4\nhint\nd7d6\nmoves\nquit\n");
    assert!(text.contains("Black (engine): d2"), "{text}");
    assert!(text.contains("The engine wins as Black after 2 plies: 0-1"), "{text}");
    assert!(text.contains("there is nothing to play") && text.contains("There is no move"), "{text}");
    assert!(text.contains("The game is over. Type 'new', 'undo' or 'quit'."), "{text}");
}

/// The other side of the pipe reads what is legal and plays the first of it, until somebody has won.
#[test]
fn a_program_can_play_a_whole_game() {
    for side in ["white", "black"] {
        let options = ["play", "breakthrough", "--size", "4x5", "--nodes", "500", "--side", side];
        let mut program = Program::start(&options);
        loop {
            // The two answers tell where the list of moves ends.
            program.send("moves");
            program.send("undo now");
            let lines = program.read_to_part("'undo now'", "The game is over.");
            if lines.iter().any(|line| line.contains(": 1-0") || line.contains(": 0-1")) {
                break;
            }
            let listed = lines.iter().find_map(|line| line.split_once("(you)>   ")).unwrap().1;
            program.send(listed.split(' ').next().unwrap());
        }
        program.send("quit");
        assert!(program.wait().success());
    }
}

#[test]
fn moves_can_be_asked_for_taken_back_and_explained() {
    let script = "moves b2\nmoves z\nb2b4\nhello\nB2B3\ninfo\nundo\nundo\nboard\nhint\ninfo\nhelp\nquit\n";
    let text = play(&[], script);
    for expected in [
        " 8  p  p  p  p  p  p  p  p\n",
        "    a  b  c  d  e  f  g  h\n",
        "White (you)>   b2b3 b2a3 b2c3\n",
        "No legal move begins with 'z'; 'moves' lists all.",
        "'b2b4' is neither a legal move nor a command ('help' lists them). From b2:\n  b2b3 b2a3 b2c3\n",
        "'hello' is neither a legal move nor a command ('help' lists them). Legal moves:\n  a2a3 ",
        "Black (engine): ",
        "The engine played ",
        " for the engine\n",
        ", 2,000 nodes\n",
        "There is no move of yours to take back.",
        "The engine would play ",
        " for you\n",
        "The engine has not moved yet",
        "take back your last move",
    ] {
        assert!(text.contains(expected), "no '{expected}' in:\n{text}");
    }
    let start = " 2  P  P  P  P  P  P  P  P\n";
    assert_eq!(text.matches(start).count(), 3, "at the beginning, after the first undo, and on request:\n{text}");
}

#[test]
fn the_record_is_one_json_object() {
    let record = |arguments: &[&str], script: &str| -> Value {
        serde_json::from_str(&play(&[&["--json"][..], arguments].concat(), script)).unwrap()
    };
    let resigned = record(&["--side", "black", "--size", "5x5", "--scheme", "Ud@0.5"], "resign\n");
    assert_eq!(resigned["position"], "ppppp/ppppp/5/PPPPP/PPPPP w");
    assert_eq!(resigned["person"], "black");
    assert_eq!(resigned["engine"], "modern+Ud@0.5");
    assert_eq!(resigned["moves"].as_array().unwrap().len(), 1);
    assert_eq!((&resigned["result"], &resigned["resigned"]), (&Value::from("1-0"), &Value::from(true)));
    let undone = record(&["--side", "black"], "resign\nundo\nquit\n");
    assert_eq!((&undone["result"], &undone["resigned"]), (&Value::Null, &Value::from(false)));
    let again = record(&[], "b2b3\nnew\nc2c3\n");
    assert_eq!(again["moves"][0], "c2c3");
    assert_eq!(again["moves"].as_array().unwrap().len(), 2);
    assert_eq!(again, record(&[], "c2c3"), "the same moves and seed give the same game");
    let won = record(&["--position", "8/3P4/p7/8/8/8/P7/8 w"], "d7xd8\nd7d8\n");
    assert_eq!((&won["result"], &won["moves"]), (&Value::from("1-0"), &Value::from(vec!["d7d8"])));
    assert_eq!(won["final_position"], "3P4/8/p7/8/8/8/P7/8 b");
}

#[test]
fn a_game_survives_what_is_no_text() {
    let mut script = b"\xff\xfe\n\x00\x1b[2J\n   \nmoves \xf0\x9f\x92\xa9\n".to_vec();
    script.extend(vec![b'x'; 1 << 20]);
    script.extend(b"\n\nb2b3\nquit\n");
    let output = run(&["play", "breakthrough", "--nodes", "100"], &script);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("Black (engine): "), "{text}");
    assert!(text.contains("The line is too long.") && !text.contains('\x1b'), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_a_game_and_its_record_is_kept() {
    for nodes in ["100", "1000000000000"] {
        let mut game = Program::start(&["play", "breakthrough", "--json", "--nodes", nodes]);
        game.send("b2b3");
        if nodes == "100" {
            // With --json the conversation is on stderr; a reply means that the move was read.
            let mut said = BufReader::new(game.child.stderr.as_mut().unwrap()).lines().map_while(Result::ok);
            assert!(said.any(|line| line.contains("Black (engine): ")), "it does not reply");
        } else {
            wait_until_at_work(game.child.id());
        }
        let pid = game.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        assert_eq!(game.wait().code(), Some(130));
        let text: Vec<_> = game.lines.iter().collect();
        let record: Value = serde_json::from_str(&text.join("\n")).unwrap();
        assert_eq!(record["moves"][0], "b2b3");
        assert_eq!(record["result"], Value::Null);
    }
}
