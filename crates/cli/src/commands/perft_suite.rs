//! `plysmith perft --suite`: known counts of many positions, checked on all cores.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_engine::parallel::all_cores;
use plysmith_engine::parallel::in_order;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{Output, table, thousands};
use crate::progress;
use crate::signals;
use plysmith_runs::files::read_text;

/// A count that a file claims.
struct Claim {
    line: usize,
    position: Box<dyn AnyPosition>,
    depth: u32,
    count: u64,
}

#[derive(Serialize)]
struct Checked {
    suite: String,
    lines: usize,
    counts: usize,
    /// Counts above the limit.
    left_out: usize,
    positions: u64,
    seconds: f64,
    wrong: Vec<Wrong>,
}

#[derive(Serialize)]
struct Wrong {
    line: usize,
    position: String,
    depth: u32,
    claimed: u64,
    counted: u64,
}

/// Checks all counts of a file that are not above `most`.
pub fn run(game: &'static GameInfo, path: &Path, most: u64, output: &Output) -> Result<(), Failure> {
    let name = path.display().to_string();
    let contents = read_text(path, "lines like '<position> D1 20; D2 400;'", false)?;
    let mut claims = Vec::new();
    let mut lines = 0;
    for (index, line) in contents.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        lines += 1;
        let failed = |reason: String| Failure::input(format!("{name}:{}: {reason}", index + 1));
        claims.extend(parse_line(game, index + 1, line).map_err(failed)?);
    }
    let all = claims.len();
    claims.retain(|claim| claim.count <= most);
    signals::cancel_token();
    let begun = Instant::now();
    let progress = progress::begin(claims.len() as u64);
    let mut wrong = Vec::new();
    let mut done = 0;
    let mut pool = vec![(); all_cores().get()];
    let count = |_: &_, (): &mut (), job: u64| {
        let claim = &claims[job as usize];
        (!signals::is_cancelled()).then(|| claim.position.perft(claim.depth))
    };
    in_order(0..claims.len() as u64, &mut pool, count, |job, counted| {
        let Claim { line, ref position, depth, count: claimed } = claims[job as usize];
        if counted != claimed {
            wrong.push(Wrong { line, position: position.text(), depth, claimed, counted });
        }
        done += 1;
        progress.finish_part(1);
        ControlFlow::Continue(())
    });
    drop(progress);
    if done < claims.len() {
        return Err(Failure::Interrupted(None));
    }
    let positions = claims.iter().map(|claim| claim.count).sum();
    let seconds = begun.elapsed().as_secs_f64();
    let counts = claims.len();
    let checked = Checked { suite: name, lines, counts, left_out: all - counts, positions, seconds, wrong };
    output.print(&checked, || checked.text())?;
    match checked.wrong.len() {
        0 => Ok(()),
        count => Err(Failure::CheckFailed(format!("{count} of {counts} counts are wrong"))),
    }
}

/// The claims of one line.
fn parse_line(game: &GameInfo, line: usize, text: &str) -> Result<Vec<Claim>, String> {
    // The first count begins behind a blank or a semicolon, whichever way the file is written.
    let begin = text.match_indices('D').map(|(at, _)| at).find(|&at| {
        let rest = &text[at + 1..];
        at > 0 && text[..at].ends_with([' ', ';', '\t']) && rest.starts_with(|letter: char| letter.is_ascii_digit())
    });
    let begin = begin.ok_or("there is no count; expected '<position> D1 20; D2 400;'")?;
    let position = text[..begin].trim().trim_end_matches(';').trim();
    let mut claims = Vec::new();
    for part in text[begin..].split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let numbers = part.strip_prefix('D').and_then(|rest| rest.split_once(char::is_whitespace));
        let claim = numbers.and_then(|(depth, count)| Some((depth.parse().ok()?, count.trim().parse().ok()?)));
        let (depth, count) =
            claim.ok_or_else(|| format!("'{part}' is not a count; expected something like 'D3 8902'"))?;
        let opened = (game.open)(position);
        let position = opened.map_err(|error| format!("character {}: {error}", error.offset + 1))?;
        claims.push(Claim { line, position, depth, count });
    }
    Ok(claims)
}

impl Checked {
    fn text(&self) -> String {
        let rows = self.wrong.iter().map(|wrong| {
            let Wrong { line, position, depth, claimed, counted } = wrong;
            vec![line.to_string(), position.clone(), depth.to_string(), claimed.to_string(), counted.to_string()]
        });
        let headings = [">line", "position", ">depth", ">claimed", ">counted"];
        let wrong = if self.wrong.is_empty() { String::new() } else { table(&headings, rows) + "\n" };
        format!(
            "{wrong}{}: {} counts of {} positions checked, {} left out, {} wrong\n({} positions in {:.1} s)\n",
            self.suite,
            self.counts,
            self.lines,
            self.left_out,
            self.wrong.len(),
            thousands(self.positions),
            self.seconds,
        )
    }
}
