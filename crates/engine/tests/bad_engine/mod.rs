//! An engine that misbehaves in one chosen way, by UCI and by the plug protocol alike. It lives in the test program itself, so that it is never shipped
//! and always built: the test program started again with one test, [`act`], and a word `mode=…` that the
//! test harness takes for one more filter.
//!
//! The harness says a few words of its own at the start, as real engines do.
//!
//! | beginning of the mode | when it misbehaves |
//! | --- | --- |
//! | `late-` | from its third search on |
//! | `black-` | where Black is to move in move 1: not in the positions that it is tried with at the start |
//! | `once-` | once: not if there is the file that stands behind the `@` |

use std::io::{BufRead, Write, stdin, stdout};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use plysmith_core::games::{self, AnyPosition};

/// Its command line. What stands behind an `@` in the mode tells processes apart; if it is a path, each process that
/// hangs creates a file there ([`hung`]).
pub fn command(mode: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!("'{}' --exact bad_engine::act --nocapture -q mode={mode}", program.display())
}

/// The processes with this path behind the `@` that hang by now.
#[allow(dead_code, reason = "not every test program waits for it")]
pub fn hung(path: &std::path::Path) -> usize {
    let (folder, name) = (path.parent().unwrap(), format!("{}.hung-", path.file_name().unwrap().display()));
    let files = std::fs::read_dir(folder).unwrap().flatten();
    files.filter(|file| file.file_name().to_string_lossy().starts_with(&name)).count()
}

/// The engine, if this process is one; otherwise a test of nothing.
#[test]
fn act() {
    let Some(mode) = std::env::args().find_map(|word| word.strip_prefix("mode=").map(String::from)) else { return };
    let (mode, tag) = mode.split_once('@').unwrap_or((&mode, ""));
    Engine { mode: mode.to_string(), tag: tag.to_string(), position: start(), searches: 0 }.run();
    // Not the harness's words at the end.
    std::process::exit(0);
}

struct Engine {
    mode: String,
    tag: String,
    position: Box<dyn AnyPosition>,
    searches: u32,
}

const FOR_EVER: Duration = Duration::from_secs(100_000);

fn start() -> Box<dyn AnyPosition> {
    let chess = games::find("chess").unwrap();
    (chess.open)(&(chess.start)(&Default::default()).unwrap()).unwrap()
}

fn next_line() -> Option<std::io::Result<String>> {
    stdin().lock().lines().next()
}

/// Says something; nobody there to hear it is no reason to shout.
fn say(bytes: &[u8]) {
    let mut output = stdout().lock();
    let told = output.write_all(bytes).and_then(|()| output.write_all(b"\n")).and_then(|()| output.flush());
    if told.is_err() {
        std::process::exit(0);
    }
}

impl Engine {
    fn run(&mut self) {
        match self.mode.as_str() {
            "dies-at-start" => {
                eprintln!("bad engine: no luck today");
                std::process::exit(3);
            }
            "never-speaks" => sleep(FOR_EVER),
            "flood-at-start" => flood(b"xxxxxxxxxxxxxxx"),
            "complains" => (0..100_000).for_each(|number| eprintln!("complaint {number} {}", "x".repeat(50))),
            "junk" => say(b"\n\xff\xfe\x00\x01 junk\r\nuciok?\n"),
            _ => say(b""),
        }
        // The lock is not held during a search: that may want to listen, too.
        while let Some(Ok(line)) = next_line() {
            let words: Vec<_> = line.split_whitespace().collect();
            match words.first() {
                Some(&"uci") => self.introduce(),
                Some(&"isready") => self.is_ready(),
                Some(&"position") => self.set_up(&words),
                Some(&"go") => self.search(&words),
                Some(&"plug") if self.mode == "dies-of-plug" => std::process::exit(1),
                Some(&"plug") if self.mode == "flood-of-info" => flood(b"can more and more\n"),
                Some(&"features") if self.mode == "flood-of-features" => flood(b"overlap a reason none\n"),
                Some(&"plug") if self.mode == "hex" => say(b"name Hex\ngame hex\ncan setscheme gosolve\nplugok"),
                Some(&"setboard") if self.mode == "hex" => {}
                Some(&"plug") if self.mode != "paper" => {
                    say(b"name Bad Plug\ngame chess\ncan setscheme gosolve\nparam check 0.1 2 1\nplugok");
                }
                Some(&"features") => say(b"feature one group a meaning The first.\nfeature two group b\nfeaturesok"),
                Some(&"setboard") => {
                    self.position = (games::find("chess").unwrap().open)(&words[1..].join(" ")).unwrap();
                }
                Some(&"gountil") => self.solve(words[1], words[2].parse().unwrap()),
                Some(&"gosolve") => self.solve(words[3], words[1].parse().unwrap()),
                Some(&"quit") => return,
                _ => {}
            }
        }
    }

    /// What it does wrong in the search that begins now, if anything.
    fn mode_now(&mut self) -> String {
        self.searches += 1;
        if let Some(mode) = self.mode.strip_prefix("late-") {
            return if self.searches < 3 { "good".to_string() } else { mode.to_string() };
        }
        if let Some(mode) = self.mode.strip_prefix("black-") {
            let is_bad = self.position.text().contains(" b ") && self.position.text().ends_with(" 0 1");
            return if is_bad { mode.to_string() } else { "good".to_string() };
        }
        if let Some(mode) = self.mode.strip_prefix("once-") {
            let is_first = std::fs::File::create_new(&self.tag).is_ok();
            return if is_first { mode.to_string() } else { "good".to_string() };
        }
        self.mode.clone()
    }

    /// Misbehaves in a way that both protocols know; returns if it does not.
    fn misbehave(&self, mode: &str) {
        match mode {
            "dies-mid-search" => {
                say(b"info depth 1 nodes 20 score cp 0 pv a2a3");
                eprintln!("bad engine: stack smashing detected");
                std::process::abort();
            }
            "exits-0" => std::process::exit(0),
            "deaf" => replace_by_sleep(),
            "hangs" => {
                if self.tag.contains('/') {
                    std::fs::write(format!("{}.hung-{}", self.tag, std::process::id()), "").unwrap();
                }
                sleep(FOR_EVER);
            }
            "hangs-talking" => loop {
                say(b"info string still here");
                sleep(Duration::from_millis(5));
            },
            "floods" => flood(b"xxxxxxxxxxxxxxxx"),
            "flood-of-lines" => flood(b"info depth 1 nodes 1\nprogress 1\n"),
            "flood-of-errors" => flood_into(std::io::stderr(), (" ".repeat(4000) + "\n").as_bytes()),
            // One slow line, from which no speed may be concluded.
            "one-line" => {
                sleep(Duration::from_millis(50));
                say(b"info depth 1 nodes 1\nprogress 1");
                sleep(FOR_EVER);
            }
            "deepens" => {
                for depth in 1_u64.. {
                    say(format!("info depth {depth} nodes 20\nprogress 20").as_bytes());
                    sleep(Duration::from_millis(1));
                }
            }
            "trickles" => {
                for nodes in 1_u64.. {
                    say(format!("info depth 1 nodes {nodes}\nprogress {nodes}").as_bytes());
                    sleep(Duration::from_millis(100));
                }
            }
            "stops-itself" => loop {
                let own = std::process::id().to_string();
                assert!(Command::new("kill").args(["-STOP", &own]).status().unwrap().success());
            },
            "closes-stdout" => replace_by(Command::new("sleep").arg("1000").stdout(Stdio::null())),
            _ => {}
        }
    }

    /// Answers the plug protocol's question: it agrees with the first legal move.
    fn solve(&mut self, m: &str, limit: u64) {
        let mode = self.mode_now();
        self.misbehave(&mode);
        match mode.as_str() {
            "ignores-stop" => {
                for count in (1_u64..).map(|number| number * 10_000) {
                    say(format!("progress {count}").as_bytes());
                    sleep(Duration::from_micros(200));
                }
            }
            "huge-nodes" => say(b"nodes 1 99999999999999"),
            "falling-nodes" => say(b"nodes 1 -5"),
            "junk-move" => say(b"nodes \xff\xfe\x00"),
            "huge-statistics" => say(b"nodes 1 9 depth 3 height 4 moves 9 fired 18000000000000000000"),
            "huge-depth" => say(b"nodes 1 9 depth 4294967295"),
            "refuses" => say(b"error: no such board"),
            "junk" => say(b"\xff\xfe\x00 junk\r\nnodes? 1\n\x1b[31m"),
            _ => {}
        }
        // Nobody else knows that game either.
        let agrees = m == "yes" || self.position.moves().first().is_some_and(|first| first == m);
        say(format!("nodes {} {limit}", u8::from(agrees)).as_bytes());
    }

    fn introduce(&self) {
        say(format!("id name Bad Engine ({})", self.mode).as_bytes());
        say(b"option name Hash type spin default 16 min 1 max 64");
        say(b"option name Check Extension (PV nodes) type spin default 1 min 0 max 2");
        match self.mode.as_str() {
            "no-uciok" => sleep(FOR_EVER),
            "flood-of-info" => flood(b"option name More type string default x\n"),
            _ => {}
        }
        say(b"uciok");
    }

    fn is_ready(&self) {
        if self.mode == "flood-before-ready" {
            flood(b"info string loading\n");
        }
        say(b"readyok");
        match self.mode.as_str() {
            "exits-0-early" => std::process::exit(0),
            "closes-stdin" => replace_by_sleep(),
            "never-reads" => sleep(FOR_EVER),
            _ => {}
        }
    }

    fn set_up(&mut self, words: &[&str]) {
        let moves = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        self.position = match words[1] {
            "fen" => (games::find("chess").unwrap().open)(&words[2..moves].join(" ")).unwrap(),
            _ => start(),
        };
        for m in words.iter().skip(moves + 1) {
            self.position = self.position.play(m).unwrap();
        }
    }

    fn search(&mut self, words: &[&str]) {
        let mode = self.mode_now();
        self.misbehave(&mode);
        match mode.as_str() {
            "falling-nodes" => {
                say(b"info depth 1 nodes 90\ninfo depth 2 nodes 30");
                self.answer(words);
            }
            "huge-nodes" => {
                say(b"info depth 1 nodes 99999999999999");
                self.answer(words);
            }
            "huge-depth" => {
                say(b"info depth 4294967295 nodes 20");
                self.answer(words);
            }
            "illegal-line" => {
                say(b"info depth 1 nodes 20 score cp 5 pv a1h8");
                self.answer(words);
            }
            "ignores-nodes" => self.search_until_stop(words, u64::MAX),
            "runs-out" => self.search_until_stop(words, 3000),
            "too-early" if words.contains(&"nodes") => {
                let m = &self.position.moves()[0];
                say(format!("info depth 1 nodes 20 score cp 5 pv {m}\nbestmove {m}").as_bytes());
            }
            "too-early" => self.search_until_stop(words, u64::MAX),
            "ignores-stop" => {
                for nodes in (1_u64..).map(|number| number * 1000) {
                    say(format!("info depth 3 nodes {nodes} score cp 1 pv a2a3").as_bytes());
                    sleep(Duration::from_millis(1));
                }
            }
            "illegal" => say(b"bestmove a1h8"),
            always if always.starts_with("always-") => {
                let m = &always["always-".len()..];
                say(format!("info depth 5 score cp 12 nodes 1000\nbestmove {m}").as_bytes());
            }
            "no-move" => say(b"bestmove (none)"),
            "junk-move" => say(b"bestmove \xff\xfe\x00"),
            // It oversteps every time: it does not answer before it is stopped.
            "slow" => {
                assert_eq!(next_line().unwrap().unwrap(), "stop", "after {words:?}");
                self.answer(words);
            }
            "junk" => {
                say(b"info depth \xff nodes \x00 score cp x pv \x1b[31m\r");
                say(b"best\xffmove e2e4");
                self.answer(words);
            }
            _ => self.answer(words),
        }
    }

    /// Counts nodes until it is told to stop, or says nothing more when the tree has no more of them.
    fn search_until_stop(&self, words: &[&str], most: u64) {
        // Only until the next line, which is `stop`.
        let listener = std::thread::spawn(next_line);
        for nodes in (1..).map(|number| number * 1000).take_while(|&nodes| nodes <= most) {
            if listener.is_finished() {
                break;
            }
            say(format!("info depth {} nodes {nodes} score cp 5 pv a2a3", nodes / 10_000 + 3).as_bytes());
            sleep(Duration::from_micros(100));
        }
        let line = listener.join().unwrap();
        assert_eq!(line.unwrap().unwrap(), "stop", "after {words:?}");
        say(format!("bestmove {}", self.position.moves()[0]).as_bytes());
    }

    /// The first legal move, with a node count that honours the limit.
    fn answer(&self, words: &[&str]) {
        let limit = words.iter().position(|&word| word == "nodes").and_then(|at| words[at + 1].parse::<u64>().ok());
        let m = self.position.moves().first().cloned().unwrap_or("(none)".to_string());
        say(format!("info depth 5 seldepth 7 score cp 12 nodes {} pv {m}", limit.unwrap_or(1000)).as_bytes());
        say(format!("bestmove {m}").as_bytes());
    }
}

/// Writes without end.
fn flood(text: &[u8]) {
    flood_into(stdout(), text);
}

fn flood_into(mut output: impl Write, text: &[u8]) {
    let block = text.repeat(65536 / text.len());
    while output.write_all(&block).is_ok() {}
    std::process::exit(0);
}

/// A process that has our output but no input: as if the input were closed.
fn replace_by_sleep() {
    replace_by(Command::new("sleep").arg("1000").stdin(Stdio::null()));
}

fn replace_by(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    panic!("{}", command.exec());
}
