//! Tactics from self-play: positions where the opponent has just made a mistake and one move punishes it.
//!
//! Two players with little time play from a random opening. Where the score of the side to move is suddenly much better
//! than the opponent thought, a long search is asked for the two best moves. The position is kept if the best one wins,
//! leaves the second far behind, is not what two plies would play anyway, and is still the best for a search longer again.

use super::Plan;
use crate::feature::Scheme;
use crate::game::Game;
use crate::problem::{Criterion, Problem};
use crate::random::Random;
use crate::score::Score;
use crate::search::proof::{Interrupted, Prover};
use crate::search::{End, Interrupt, Limit, Report, Root, Task, Workspace, search, search_observed};
use crate::self_play::SelfPlayer;
use crate::settings::Settings;

/// Random plies at the beginning of a game.
const OPENING: usize = 10;
/// Longest game in plies.
const LONGEST: usize = 160;
/// What the side to move must have after the best move, in units of the evaluation.
const WINNING: i32 = 150;
/// Forced wins are proved exhaustively up to this length.
const PROVABLE: u32 = 5;

/// What to look for, and how.
pub struct TacticSearch<'a> {
    pub plan: &'a Plan,
    pub margin: i32,
    pub nodes: u64,
    pub interrupt: &'a Interrupt<'a>,
}

/// What a long search thinks of a position.
struct Verdict<M> {
    best: M,
    score: Score,
}

impl TacticSearch<'_> {
    /// Plays a game and returns the first problem in it, its id left empty.
    pub fn problem_from_game<G: Game>(&self, start: &G, random: &mut Random) -> Result<Option<Problem>, Interrupted> {
        let modern = G::PRESETS.modern();
        let mut workspace = Workspace::default();
        let mut position = start.clone();
        let mut past = Vec::new();
        let mut expected: Option<Score> = None;
        for ply in 0..LONGEST {
            let list = position.legal_moves();
            if list.is_empty() || position.is_drawn() {
                break;
            }
            let m = if ply < OPENING {
                list[random.below(list.len())]
            } else {
                let (nodes, interrupt) = (self.plan.nodes, self.interrupt);
                let mut player = SelfPlayer { nodes, workspace: &mut workspace, interrupt };
                let report = player.search(&position, modern, &past, random)?;
                let mistaken = expected.is_some_and(|before| report.score.units() - before.units() >= self.margin / 2);
                if mistaken && let Some(problem) = self.examine(&position, random, &mut workspace)? {
                    return Ok(Some(problem));
                }
                // What the opponent should think of its position after our move.
                expected = Some(-report.score);
                report.line[0]
            };
            past.push(position.key());
            position = position.play(m);
        }
        Ok(None)
    }

    /// Whether the position is a problem.
    fn examine<G: Game>(
        &self,
        position: &G,
        random: &mut Random,
        workspace: &mut Workspace,
    ) -> Result<Option<Problem>, Interrupted> {
        let Some(first) = self.judge(position, self.nodes, random, workspace)? else { return Ok(None) };
        let classic = G::PRESETS.classic();
        let glance = Task { limit: Limit::depth(2), ..self.task(classic, &NEUTRAL, random) };
        if search(position, &glance, workspace).line.first() == Some(&first.best) {
            return Ok(None);
        }
        let Some(again) = self.judge(position, 4 * self.nodes, random, workspace)? else { return Ok(None) };
        if again.best != first.best {
            return Ok(None);
        }
        let distance = self.proven_distance(position, &again)?;
        Ok(Some(Problem {
            position: position.to_string(),
            best: vec![position.print_move(again.best)],
            avoid: Vec::new(),
            id: String::new(),
            criterion: if distance.is_some() { Criterion::Proven } else { Criterion::BestMove },
            distance,
        }))
    }

    /// In how many plies the best move wins by force, if it is the only one that does and that can be proved.
    fn proven_distance<G: Game>(&self, position: &G, verdict: &Verdict<G::Move>) -> Result<Option<u32>, Interrupted> {
        if verdict.score.win_in().is_none_or(|plies| plies > PROVABLE) {
            return Ok(None);
        }
        let mut prover = Prover::interruptible(self.interrupt);
        let win = prover.shortest_win(position, PROVABLE);
        let unique = win.filter(|win| win.moves == [verdict.best]).map(|win| win.plies);
        prover.finish(unique)
    }

    /// The best move, if it wins and the second best is far behind.
    fn judge<G: Game>(
        &self,
        position: &G,
        nodes: u64,
        random: &mut Random,
        workspace: &mut Workspace,
    ) -> Result<Option<Verdict<G::Move>>, Interrupted> {
        let modern = G::PRESETS.modern();
        let root = Root { more_lines: 1, ..Root::default() };
        let task = Task { limit: Limit::nodes(nodes), root, ..self.task(modern, &NEUTRAL, random) };
        let mut lines: [Option<Report<G::Move>>; 2] = [None, None];
        let end = search_observed(
            position,
            &task,
            workspace,
            Some(&mut |report| {
                let rank = report.rank;
                lines[rank] = Some(report);
            }),
        )
        .end;
        if end == End::Interrupted {
            return Err(Interrupted);
        }
        let [Some(first), Some(second)] = lines else { return Ok(None) };
        let (score, behind) = (first.score, second.score);
        let stands_out = score.units() >= WINNING && score.units() - behind.units() >= self.margin;
        // Two ways to win are no problem, however much longer the second takes.
        let unique = behind.units() < WINNING + self.margin && behind.win_in().is_none();
        let best = first.line.first().copied();
        Ok(best.filter(|_| stands_out && unique).map(|best| Verdict { best, score }))
    }

    fn task<'a>(&'a self, settings: Settings, scheme: &'a Scheme, random: &mut Random) -> Task<'a> {
        let (limit, seed) = (Limit::nodes(self.plan.nodes), random.next_seed());
        Task { settings, scheme, limit, seed, interrupt: self.interrupt, root: Root::default() }
    }
}

/// No move is searched deeper than another.
static NEUTRAL: Scheme = Scheme::neutral();
