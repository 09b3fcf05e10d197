//! Move ordering: which move is searched next.
//!
//! The papers' program tries the previous iteration's principal variation first and everything else
//! in random order, so that an indecisive evaluation does not favour whatever is generated first.
//! With captures first, tactical moves come next, the most promising first. Killers and history, where switched on, come
//! before random order.

use crate::game::{Game, Move, MoveList};
use crate::random::Random;
use crate::settings::{Techniques, Tunables};

/// Moves that caused cutoffs in this search: killers and history.
#[derive(Debug, Default)]
pub struct Refutations {
    /// Killers: the last two moves that caused a cutoff at each height.
    killers: Vec<[u16; 2]>,
    /// History: quiet moves that caused cutoffs rise, those tried before them fall.
    history: Vec<i16>,
}

/// The moves of a position, one after the other. Each kind is generated only when the one before caused no cutoff.
pub struct Picker<M> {
    stage: Stage,
    list: MoveList<M>,
    /// How early to try each; empty where the order is random.
    ranks: MoveList<u32>,
    /// Breaks ties between equal ranks in this position.
    salt: Option<u64>,
    /// How many moves of the list were picked.
    next: usize,
    /// A legal move to try before any other is made.
    hint: Option<M>,
    /// Whether the hint is left out.
    leaves_out_hint: bool,
    /// How many tactical moves lose material: the first ones of the list, which were picked and put aside.
    losing: usize,
    /// Whether quiet moves are skipped, unless they give check.
    skips_quiet: bool,
    /// Whether all quiet moves of the list that were not picked yet give check.
    only_checks: bool,
}

/// Which moves come next.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Stage {
    /// The best move of an earlier search.
    Hint,
    /// Tactical moves, none of which are made yet.
    MakeTactical,
    /// Tactical moves that lose nothing.
    Tactical,
    /// Quiet moves, none of which are made yet.
    MakeQuiet,
    /// Quiet moves.
    Quiet,
    /// Quiet moves that give check, none of which are made yet.
    MakeChecks,
    /// Tactical moves that lose material, and how many of them were tried.
    Losing(usize),
}

/// What a picker picks from.
pub struct Source<'a, G, T> {
    pub position: &'a G,
    pub techniques: T,
    pub refutations: &'a Refutations,
    pub height: u32,
    /// The code of the move to try first, for games that cannot recall it.
    pub hint: Option<u16>,
    /// Moves that are not to be tried, by their codes.
    pub left_out: &'a [u16],
}

/// A quiet move that caused a cutoff.
#[derive(Copy, Clone)]
pub struct Cutoff<M> {
    pub m: M,
    /// Plies from the root.
    pub height: u32,
    /// Whole plies that were left to search.
    pub plies: u32,
}

/// Bits of a rank that break ties.
const RANDOM_BITS: u32 = 16;

/// No move has this code.
const NO_MOVE: u16 = u16::MAX;

/// History stays within plus or minus this, whatever [`Tunables::history_limit`] is.
const MOST_HISTORY: i32 = 16_384;

/// Added to the rank of killers: they come before all other quiet moves.
const KILLER: u16 = 1 << 15;

impl Refutations {
    /// Clears everything, for a game with this number of move codes.
    pub fn prepare(&mut self, heights: usize, codes: usize) {
        self.killers.clear();
        self.killers.resize(heights, [NO_MOVE; 2]);
        self.history.clear();
        self.history.resize(codes, 0);
    }

    /// Records a quiet move that caused a cutoff, and those in `failed` that did not. Deeper searches
    /// count more.
    pub fn record<M: Move, T: Techniques>(
        &mut self,
        techniques: T,
        tunables: &Tunables,
        cutoff: Cutoff<M>,
        failed: impl Iterator<Item = M>,
    ) {
        let Cutoff { m, height, plies } = cutoff;
        if techniques.killers() {
            let pair = &mut self.killers[height as usize];
            if pair[0] != m.code() {
                *pair = [m.code(), pair[0]];
            }
        }
        if techniques.history() {
            let plies = plies as i32;
            let bonus = tunables.history_square * plies * plies + tunables.history_linear * plies;
            let bonus = bonus.min(tunables.history_bonus_limit);
            self.learn(m, bonus, tunables.history_limit);
            failed.for_each(|other| self.learn(other, -bonus, tunables.history_limit));
        }
    }

    /// Adds a bonus to a history value. The closer the value is to its limit, the less is added.
    fn learn<M: Move>(&mut self, m: M, bonus: i32, limit: i32) {
        let history = &mut self.history[m.place()];
        let old = i32::from(*history);
        *history = (old + bonus - old * bonus.abs() / limit) as i16;
    }

    /// Whether this move is a killer at this height.
    #[inline]
    pub fn is_killer<M: Move>(&self, m: M, height: u32) -> bool {
        let [last, before] = self.killers[height as usize];
        m.code() == last || m.code() == before
    }

    /// The history of a move, from -1000 to 1000.
    #[inline]
    pub fn history<M: Move>(&self, m: M, tunables: &Tunables) -> i32 {
        i32::from(self.history[m.place()]) * 1000 / tunables.history_limit
    }

    /// Ranks quiet moves at this height: killers first, then by history.
    #[inline]
    fn ranking<M: Move, T: Techniques>(&self, techniques: T, height: u32) -> impl Fn(M) -> u16 {
        let [last, before] = if techniques.killers() { self.killers[height as usize] } else { [NO_MOVE; 2] };
        move |m| {
            let band = if m.code() == last || m.code() == before { KILLER } else { 0 };
            let history = if techniques.history() { i32::from(self.history[m.place()]) } else { 0 };
            band + (history + MOST_HISTORY).min(2 * MOST_HISTORY - 1) as u16
        }
    }
}

impl<M: Move> Picker<M> {
    /// No moves yet but the hint, which is legal. The list is filled in place, because copying it would cost more than
    /// making it.
    #[inline(always)]
    pub fn new(hint: Option<M>) -> Picker<M> {
        Picker {
            stage: Stage::Hint,
            list: MoveList::new(),
            ranks: MoveList::new(),
            salt: None,
            next: 0,
            hint,
            leaves_out_hint: false,
            losing: 0,
            skips_quiet: false,
            only_checks: false,
        }
    }

    /// All moves but this legal one.
    pub fn without<G: Game<Move = M>, T: Techniques>(m: M, techniques: T) -> Picker<M> {
        Picker { stage: Picker::<M>::after_hint::<G, T>(techniques), leaves_out_hint: true, ..Picker::new(Some(m)) }
    }

    /// Which moves come after the hint.
    #[inline(always)]
    fn after_hint<G: Game<Move = M>, T: Techniques>(techniques: T) -> Stage {
        if G::TACTICAL && techniques.captures() { Stage::MakeTactical } else { Stage::MakeQuiet }
    }

    /// The next move to try: the hint; tactical moves, the most promising first; quiet ones, killers before all others, then
    /// by history or at random; last the tactical moves that lose material.
    #[inline(always)]
    pub fn next<G: Game<Move = M>, T: Techniques>(
        &mut self,
        from: &Source<'_, G, T>,
        random: &mut Random,
    ) -> Option<M> {
        loop {
            match self.stage {
                Stage::Hint => {
                    self.stage = Picker::<M>::after_hint::<G, T>(from.techniques);
                    if self.hint.is_some() {
                        return self.hint;
                    }
                }
                Stage::MakeTactical => {
                    self.stage = Stage::Tactical;
                    from.position.tactical_moves(i32::MIN, &mut self.list);
                    self.leave_out(0, from.left_out);
                    self.rank(random, |m| from.position.capture_order(m));
                }
                Stage::Tactical => match self.pick(random) {
                    Some(m) if from.techniques.exchange() && !from.position.wins_exchange(m, 0) => {
                        self.list[self.losing] = m;
                        self.losing += 1;
                    }
                    None => self.stage = Stage::MakeQuiet,
                    found => return found,
                },
                // The technique is asked first, so that a search without any has no code for this: 2 % of its instructions.
                Stage::MakeQuiet if from.techniques.futility() && self.skips_quiet => self.stage = Stage::MakeChecks,
                Stage::MakeQuiet => {
                    self.stage = Stage::Quiet;
                    if let Some(first) = self.make_quiet(from, random) {
                        return Some(first);
                    }
                }
                Stage::Quiet => match self.pick(random) {
                    None => self.stage = Stage::Losing(0),
                    found => return found,
                },
                Stage::MakeChecks => {
                    self.stage = Stage::Quiet;
                    self.only_checks = true;
                    if from.techniques.checks() {
                        self.make_checks(from, random);
                    }
                }
                Stage::Losing(tried) if tried < self.losing => {
                    self.stage = Stage::Losing(tried + 1);
                    return Some(self.list[tried]);
                }
                Stage::Losing(_) => return None,
            }
        }
    }

    /// Adds the quiet moves to the list, and returns the one to try first if it is among them.
    #[inline(always)]
    fn make_quiet<G: Game<Move = M>, T: Techniques>(
        &mut self,
        from: &Source<'_, G, T>,
        random: &mut Random,
    ) -> Option<M> {
        let begin = self.list.len();
        let has_tactical_moves = G::TACTICAL && from.techniques.captures();
        match has_tactical_moves {
            true => from.position.quiet_moves(&mut self.list),
            false => from.position.moves(&mut self.list),
        }
        self.leave_out(begin, from.left_out);
        let first = match from.hint {
            Some(code) if self.hint.is_none() => self.list[begin..].iter().position(|m| m.code() == code),
            _ => None,
        };
        if let Some(place) = first {
            self.list.swap(begin, begin + place);
        }
        if has_tactical_moves || from.techniques.killers() || from.techniques.history() {
            self.rank(random, from.refutations.ranking(from.techniques, from.height));
        }
        first?;
        self.next += 1;
        self.list.get(begin).copied()
    }

    /// Adds the quiet moves that give check and were not picked yet.
    fn make_checks<G: Game<Move = M>, T: Techniques>(&mut self, from: &Source<'_, G, T>, random: &mut Random) {
        let mut checks = MoveList::new();
        from.position.quiet_checks(&mut checks);
        let picked = &self.list[..self.next];
        let is_new = |m: &M| {
            self.hint.is_none_or(|hint| hint.code() != m.code())
                && !picked.iter().any(|other| other.code() == m.code())
                && !from.left_out.contains(&m.code())
        };
        checks.retain(|m| is_new(m));
        self.list.extend(checks);
        self.rank(random, from.refutations.ranking(from.techniques, from.height));
    }

    /// Skips all further quiet moves that do not give check. Once quiet moves were picked, it also skips the tactical moves
    /// that come after them.
    pub fn skip_quiet_moves(&mut self) {
        self.skips_quiet = true;
        if self.stage == Stage::Quiet && !self.only_checks {
            self.list.truncate(self.next);
            self.ranks.truncate(self.next);
            self.losing = 0;
            self.stage = Stage::MakeChecks;
        }
    }

    /// Whether the quiet moves that are picked from now on all give check.
    #[inline]
    pub fn has_only_checks(&self) -> bool {
        self.only_checks
    }

    /// Fills the list with moves to be picked, all at once.
    #[inline(always)]
    pub fn fill(&mut self, make: impl FnOnce(&mut MoveList<M>)) {
        make(&mut self.list);
    }

    /// Takes the hint, which was tried already, and the moves with these codes off the end of the list.
    #[inline(always)]
    fn leave_out(&mut self, begin: usize, codes: &[u16]) {
        if let Some(hint) = self.hint
            && let Some(place) = self.list[begin..].iter().position(|m| m.code() == hint.code())
        {
            self.list.swap_remove(begin + place);
        }
        if !codes.is_empty() {
            // Tactical moves that were put aside are not among them, so all places before stay as they are.
            self.list.retain(|m| !codes.contains(&m.code()));
        }
    }

    /// Ranks all moves that have no rank yet; equals at random.
    #[inline(always)]
    pub fn rank(&mut self, random: &mut Random, rank: impl Fn(M) -> u16) {
        // One random number for each position is enough: multiplied by it, codes come in an unrelated order.
        let salt = *self.salt.get_or_insert_with(|| random.next_seed() | 1);
        for &m in &self.list[self.ranks.len()..] {
            let chance = (u64::from(m.code() + 1).wrapping_mul(salt) >> (64 - RANDOM_BITS)) as u32;
            self.ranks.push(u32::from(rank(m)) << RANDOM_BITS | chance);
        }
    }

    /// The next move of the list: by rank, or by chance where there are no ranks.
    #[inline(always)]
    pub fn pick(&mut self, random: &mut Random) -> Option<M> {
        let place = self.next;
        let left = self.list.len() - place;
        if left == 0 {
            return None;
        }
        if self.ranks.is_empty() {
            self.list.swap(place, place + random.below(left));
        } else {
            self.swap_in_highest(place);
        }
        self.next += 1;
        self.list.get(place).copied()
    }

    #[inline(always)]
    fn swap_in_highest(&mut self, place: usize) {
        let ranks = &self.ranks[place..];
        // First the maximum, then its place: two simple loops that vectorise. A fold, because without link-time
        // optimisation `Iterator::max` costs a modern Breakthrough search a tenth more instructions
        // (`scripts/compare-speed --instructions`).
        let highest = ranks.iter().fold(0, |highest, &rank| highest.max(rank));
        let offset = ranks.iter().rposition(|&rank| rank == highest).unwrap_or(0);
        self.list.swap(place, place + offset);
        self.ranks.swap(place, place + offset);
    }

    /// The moves that were picked, but for tactical ones that were put aside.
    pub fn tried(&self) -> impl Iterator<Item = M> {
        self.hint.filter(|_| !self.leaves_out_hint).into_iter().chain(self.list[..self.next].iter().copied())
    }

    /// True if the list has no move.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{Cutoff, NO_MOVE, Picker, Refutations, Source};
    use crate::game::{Game, Move};
    use crate::games::{breakthrough, chess};
    use crate::random::Random;
    use crate::settings::{Switches, Tunables};

    #[derive(Copy, Clone, PartialEq, Eq, Debug)]
    struct Numbered(u16);

    impl Move for Numbered {
        const CODES: usize = 10;

        fn code(self) -> u16 {
            self.0
        }
    }

    const CHANCE: Switches = Switches::NONE;
    const KILLERS: Switches = Switches { killers: true, ..CHANCE };
    const HISTORY: Switches = Switches { history: true, ..CHANCE };
    const BOTH: Switches = Switches { killers: true, history: true, ..CHANCE };

    /// The order in which ten moves are tried at height 3.
    fn order(techniques: Switches, refutations: &Refutations, seed: u64) -> Vec<u16> {
        let mut random = Random::new(seed);
        let mut picker = Picker::new(None);
        picker.fill(|list| list.extend((0..10).map(Numbered)));
        if techniques != CHANCE {
            picker.rank(&mut random, refutations.ranking(techniques, 3));
        }
        std::iter::from_fn(|| picker.pick(&mut random)).map(|m| m.0).collect()
    }

    /// Moves 4 and 6 refute at height 3, move 8 elsewhere and with much more work.
    fn refutations(techniques: Switches) -> Refutations {
        let mut refutations = Refutations::default();
        refutations.prepare(8, Numbered::CODES);
        for (code, height, work) in [(1, 3, 1), (4, 3, 2), (6, 3, 3), (6, 3, 2), (8, 2, 900)] {
            refutations.record(
                techniques,
                &Tunables::DEFAULT,
                Cutoff { m: Numbered(code), height, plies: work },
                std::iter::empty(),
            );
        }
        refutations
    }

    /// What a picker gives for a position, hint first.
    fn picked<G: Game>(position: &G, hint: Option<u16>, skips_quiet: bool, left_out: &[u16]) -> Vec<G::Move> {
        let mut refutations = Refutations::default();
        refutations.prepare(1, G::Move::CODES);
        let techniques = Switches { futility: true, exchange: true, captures: true, checks: true, ..BOTH };
        let from = Source { position, techniques, refutations: &refutations, height: 0, hint, left_out };
        let mut picker = Picker::new(hint.and_then(|code| position.recall(code)));
        if skips_quiet {
            picker.skip_quiet_moves();
        }
        let mut random = Random::new(1);
        std::iter::from_fn(|| picker.next(&from, &mut random)).collect()
    }

    /// Every move once, the hint first, then what wins or holds, then quiet moves, then what loses.
    fn check_order<G: Game>(text: &str) {
        let position = G::parse(text).unwrap();
        let legal = position.legal_moves();
        let kind = |m: &G::Move| match (position.is_tactical(*m), position.wins_exchange(*m, 0)) {
            (true, true) => 0,
            (false, _) => 1,
            (true, false) => 2,
        };
        for hint in legal.iter().map(|m| Some(m.code())).chain([None, Some(NO_MOVE)]) {
            let tried = picked(&position, hint, false, &[]);
            let rest = match tried.iter().position(|m| Some(m.code()) == hint) {
                Some(place) => {
                    assert_eq!(place, 0, "the hint of {position} comes first");
                    &tried[1..]
                }
                None => &tried[..],
            };
            assert!(rest.is_sorted_by_key(kind), "{position}: {tried:?}");
            let mut codes: Vec<_> = tried.iter().map(|m| m.code()).collect();
            codes.sort_unstable();
            let mut expected: Vec<_> = legal.iter().map(|m| m.code()).collect();
            expected.sort_unstable();
            assert_eq!(codes, expected, "{position}");
        }
        let is_sharp = |m: &&G::Move| position.is_tactical(**m) || position.play(**m).in_check();
        assert_eq!(picked(&position, None, true, &[]).len(), legal.iter().filter(is_sharp).count());
        check_skipping(&position);
        let left_out: Vec<_> = legal.iter().map(|m| m.code()).step_by(2).collect();
        let tried = picked(&position, None, false, &left_out);
        assert_eq!(tried.len() + left_out.len(), legal.len());
        assert!(tried.iter().all(|m| !left_out.contains(&m.code())));
    }

    /// Wherever quiet moves begin to be skipped, each check that was not tried still is, once.
    fn check_skipping<G: Game>(position: &G) {
        let mut refutations = Refutations::default();
        refutations.prepare(1, G::Move::CODES);
        let techniques = Switches { futility: true, captures: true, checks: true, ..BOTH };
        let from = Source { position, techniques, refutations: &refutations, height: 0, hint: None, left_out: &[] };
        for before in 0..position.legal_moves().len() {
            let (mut picker, mut random) = (Picker::new(None), Random::new(1));
            let mut tried: Vec<_> = (0..before).filter_map(|_| picker.next(&from, &mut random)).collect();
            picker.skip_quiet_moves();
            tried.extend(std::iter::from_fn(|| picker.next(&from, &mut random)));
            for m in position.legal_moves() {
                let count = tried.iter().filter(|&&other| other == m).count();
                let is_sharp = position.is_tactical(m) || position.play(m).in_check();
                assert!(count == 1 || count == 0 && !is_sharp, "{m:?} of {position} is tried {count} times");
            }
            let quiet = tried[before..].iter().filter(|m| !position.is_tactical(**m));
            assert!(quiet.into_iter().all(|&m| position.play(m).in_check()), "{position}: {tried:?} after {before}");
        }
    }

    #[test]
    fn every_move_is_tried_once_and_in_the_order_of_its_kind() {
        check_order::<chess::Position>("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
        check_order::<chess::Position>("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8");
        check_order::<chess::Position>("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
        check_order::<chess::Position>("3k4/7P/3N4/8/8/3R4/8/R3K2R w KQ - 0 1");
        for text in [
            "1p1pp1pp/pp3p1p/3p4/1p1P4/2P3P1/4P3/PP3P1P/P1PP2PP w",
            "pp1ppp1p/8/P1P2P1P/1p1p1p2/2P1P1P1/8/1p4P1/P1PP2PP w",
        ] {
            check_order::<breakthrough::Position<breakthrough::Standard>>(text);
        }
    }

    #[test]
    fn random_order_puts_every_move_first_about_as_often() {
        let refutations = refutations(CHANCE);
        let mut firsts = [0; 10];
        for seed in 0..5_000 {
            firsts[usize::from(order(CHANCE, &refutations, seed)[0])] += 1;
        }
        assert!(firsts.iter().all(|count| (400..600).contains(count)), "{firsts:?}");
    }

    #[test]
    fn killers_come_first_and_history_by_work() {
        for seed in 0..50 {
            let killers = order(KILLERS, &refutations(KILLERS), seed);
            assert!(matches!(killers[..2], [4, 6] | [6, 4]), "{killers:?}");
            assert_eq!(order(HISTORY, &refutations(HISTORY), seed)[..4], [8, 6, 4, 1]);
            assert_eq!(order(BOTH, &refutations(BOTH), seed)[..4], [6, 4, 8, 1]);
        }
    }

    #[test]
    fn preparing_forgets() {
        let mut refutations = refutations(BOTH);
        refutations.prepare(8, Numbered::CODES);
        let mut fresh = Refutations::default();
        fresh.prepare(8, Numbered::CODES);
        assert_eq!(order(BOTH, &refutations, 1), order(BOTH, &fresh, 1));
    }
}
