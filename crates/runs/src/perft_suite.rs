//! Checks the known perft counts of a file of positions, on all cores.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use plysmith_core::games::{AnyPosition, GameInfo};
use plysmith_engine::parallel::in_order;
use serde::Serialize;

use crate::error::RunError;
use crate::files::read_text;
use crate::services::Host;
use crate::view::{Table, View, thousands};

/// The counts that a file claims.
pub struct PerftSuite {
    name: String,
    lines: usize,
    claims: Vec<Claim>,
}

/// A count that a file claims.
struct Claim {
    line: usize,
    position: Box<dyn AnyPosition>,
    depth: u32,
    count: u64,
}

/// What a check found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PerftCheck {
    /// The file's name.
    pub suite: String,
    /// Lines of the file that are not empty.
    pub lines: usize,
    /// Counts that were checked.
    pub counts: usize,
    /// Counts above the limit, which were not checked.
    pub left_out: usize,
    /// The sum of the counts that were checked.
    pub positions: u64,
    /// Wall time.
    pub seconds: f64,
    /// Counts that are wrong.
    pub wrong: Vec<WrongCount>,
}

/// A claim that is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WrongCount {
    /// Line of the file, from 1 on.
    pub line: usize,
    /// The position.
    pub position: String,
    /// Depth in plies.
    pub depth: u32,
    /// What the file claims.
    pub claimed: u64,
    /// What was counted.
    pub counted: u64,
}

impl PerftSuite {
    /// Reads a file with lines like `<position> D1 20; D2 400;`.
    pub fn read(game: &GameInfo, path: &Path) -> Result<PerftSuite, RunError> {
        let name = path.display().to_string();
        let contents = read_text(path, "lines like '<position> D1 20; D2 400;'", false)?;
        let (mut claims, mut lines) = (Vec::new(), 0);
        for (index, line) in contents.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            lines += 1;
            let failed = |reason: String| RunError::input(format!("{name}:{}: {reason}", index + 1));
            claims.extend(parse_line(game, index + 1, line).map_err(failed)?);
        }
        Ok(PerftSuite { name, lines, claims })
    }

    /// Checks all counts that are not above `most`.
    pub fn check(self, most: u64, host: &Host) -> Result<PerftCheck, RunError> {
        let PerftSuite { name, lines, mut claims } = self;
        let all = claims.len();
        claims.retain(|claim| claim.count <= most);
        let begun = Instant::now();
        let progress = host.begin_progress(claims.len() as u64);
        let (mut wrong, mut done) = (Vec::new(), 0);
        let mut pool = vec![(); host.threads.get()];
        let count = |_: &_, (): &mut (), job: u64| {
            let claim = &claims[job as usize];
            (!host.cancel.is_cancelled()).then(|| claim.position.perft(claim.depth))
        };
        in_order(0..claims.len() as u64, &mut pool, count, |job, counted| {
            let Claim { line, ref position, depth, count: claimed } = claims[job as usize];
            if counted != claimed {
                wrong.push(WrongCount { line, position: position.text(), depth, claimed, counted });
            }
            done += 1;
            progress.finish_part(1);
            ControlFlow::Continue(())
        });
        drop(progress);
        if done < claims.len() {
            return Err(RunError::Cancelled(None));
        }
        let (counts, positions) = (claims.len(), claims.iter().map(|claim| claim.count).sum());
        let seconds = begun.elapsed().as_secs_f64();
        Ok(PerftCheck { suite: name, lines, counts, left_out: all - counts, positions, seconds, wrong })
    }
}

/// The claims of one line.
fn parse_line(game: &GameInfo, line: usize, text: &str) -> Result<Vec<Claim>, String> {
    // The first count follows a blank or a semicolon; files are written both ways.
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

impl PerftCheck {
    /// The wrong counts and a summary.
    pub fn view(&self) -> View {
        let mut view = View::new();
        if !self.wrong.is_empty() {
            let rows = self.wrong.iter().map(|wrong| {
                let WrongCount { line, position, depth, claimed, counted } = wrong;
                let [claimed, counted] = [claimed, counted].map(|number| number.to_string().into());
                vec![line.to_string().into(), position.clone().into(), depth.to_string().into(), claimed, counted]
            });
            let headings = [">line", "position", ">depth", ">claimed", ">counted"];
            view = view.table(Table::new(&headings, rows)).text("\n");
        }
        view.text(format!(
            "{}: {} counts of {} positions checked, {} left out, {} wrong\n({} positions in {:.1} s)\n",
            self.suite,
            self.counts,
            self.lines,
            self.left_out,
            self.wrong.len(),
            thousands(self.positions),
            self.seconds,
        ))
    }
}
