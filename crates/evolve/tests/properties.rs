//! Properties of programs, solvers, proofs and simplification on random positions, against slow oracles.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use cozy_chess::Board;
use plysmith_core::game::Game;
use plysmith_core::games::chess::{INFO, Move, Position};
use plysmith_core::problem::Suite;
use plysmith_core::random::Random;
use plysmith_evolve::breeding::{SizeLimits, mutate, ramped_half_and_half};
use plysmith_evolve::interpreter::{Framework, MateResult, MateSearch};
use plysmith_evolve::language::{Dialect, Program};
use plysmith_evolve::proof::{Proof, ProofFlaw};
use plysmith_evolve::simplify::simplify;
use plysmith_evolve::solvers::{
    AlphaBeta, ClaimVerdict, DfPn, Evolved, Exhaustive, MateAnswer, MateQuery, ShortestMate, ShortestQuery, Solver,
    shortest_mate, verify_claim,
};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, prop_assume, proptest};

const LIMITS: SizeLimits = SizeLimits { depth: 14, size: 200 };

/// Positions with a mate in one to five.
static MATES: LazyLock<Vec<Position>> = LazyLock::new(|| {
    let suite = bundled(include_str!("../data/chess-mates-training-100.suite"));
    suite.problems.iter().map(|problem| Position::parse(&problem.position).unwrap()).collect()
});

fn bundled(text: &str) -> Suite {
    plysmith_core::suite::text::parse(&INFO, "bundled", text).unwrap()
}

/// A mate problem, or a position of a random game; half of those late ones, with bare kings in the open.
fn random_position(random: &mut Random) -> Position {
    if random.below(2) == 0 {
        return MATES[random.below(MATES.len())].clone();
    }
    loop {
        let mut position = Position::from(Board::default());
        for _ in 0..random.below(160) {
            let moves = position.legal_moves();
            if moves.is_empty() || position.is_drawn() {
                break;
            }
            // Captures are preferred every other time, so that boards get empty.
            let captures: Vec<_> = moves.iter().filter(|m| m.captured.is_some()).copied().collect();
            let m = match captures.len() {
                0 => moves[random.below(moves.len())],
                _ if random.below(2) == 0 => moves[random.below(moves.len())],
                count => captures[random.below(count)],
            };
            position = position.play(m);
        }
        if !position.legal_moves().is_empty() {
            return position;
        }
    }
}

fn random_program(random: &mut Random) -> Program {
    let dialect = [Dialect::Paper, Dialect::Recursive, Dialect::Rich, Dialect::Rich][random.below(4)];
    let program = ramped_half_and_half(random, dialect, LIMITS);
    if random.below(2) == 0 { program } else { mutate(random, &program, dialect, LIMITS) }
}

fn mate_search(program: &Program, position: &Position, budget: u64, remember: bool) -> MateResult {
    MateSearch {
        program,
        moves: 3,
        budget,
        record_proof: true,
        use_cache: remember,
        framework: Framework::Full,
        interrupt: &|| false,
    }
    .run(position.board())
}

fn query(position: &Position, moves: u8, budget: u64) -> MateQuery<'_> {
    MateQuery { position, moves, budget, interrupt: &|| false }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Whatever a program does, the position is unchanged, the budget is kept, and no claim is rejected.
    #[test]
    fn a_program_keeps_to_the_rules(seed in any::<u64>(), budget in 0u64..4_000, moves in 1u8..6) {
        let mut random = Random::new(seed);
        let (position, program) = (random_position(&mut random), random_program(&mut random));
        let before = position.to_string();
        let query = query(&position, moves, budget);
        let answer = Evolved { program: program.clone(), name: "random".into() }.solve(&query);
        prop_assert_eq!(position.to_string(), before);
        prop_assert!(answer.nodes <= budget, "{} of {budget}: {program}", answer.nodes);
        let verdict = verify_claim(&query, &answer);
        let is_sound = matches!(verdict, ClaimVerdict::NoClaim | ClaimVerdict::Verified(_));
        prop_assert!(is_sound, "{program} claims {:?} in {position}", answer.mate);
    }

    /// The cache saves nodes and changes nothing else.
    #[test]
    fn memory_changes_no_answer(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let (position, program) = (random_position(&mut random), random_program(&mut random));
        let [with, without] = [true, false].map(|remember| mate_search(&program, &position, 20_000, remember));
        if !with.is_cut && !without.is_cut && with.mate.is_none() && without.mate.is_none() {
            prop_assert_eq!((with.score, with.best), (without.score, without.best), "{} in {}", program, position);
        }
    }

    /// A simplified program gives equal answers and reaches no more boards.
    #[test]
    fn simplifying_changes_no_answer(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let program = random_program(&mut random);
        let simpler = simplify(&program);
        prop_assert!(simpler.size() <= program.size());
        for _ in 0..3 {
            let position = random_position(&mut random);
            let before = mate_search(&program, &position, 20_000, false);
            if before.is_cut {
                continue;
            }
            let after = mate_search(&simpler, &position, 20_000, false);
            prop_assert_eq!((after.score, after.best, after.mate), (before.score, before.best, before.mate), "{} as {} in {}", program, simpler, position);
            prop_assert!(after.nodes <= before.nodes, "{program} as {simpler} in {position}");
        }
    }

    /// Proof-number search finds exactly the mates that exhaustive search finds, and its proofs are valid.
    #[test]
    fn df_pn_agrees_with_trying_everything(seed in any::<u64>(), moves in 1u8..3) {
        let mut random = Random::new(seed);
        let position = random_position(&mut random);
        let query = query(&position, moves, 300_000);
        let slow = shortest_mate(&mut Exhaustive, &query).answer;
        let quick = shortest_mate(&mut DfPn, &query).answer;
        let direct = shortest(query.clone(), &[]);
        if !slow.is_cut {
            prop_assert!(!quick.is_cut);
            prop_assert_eq!(quick.mate, slow.mate, "{}", position);
            prop_assert_eq!(direct.answer.mate, slow.mate, "{}", position);
            prop_assert_eq!(direct.is_shortest, slow.mate.is_some(), "{}", position);
        }
        for answer in [slow, quick, direct.answer].into_iter().filter(|answer| answer.mate.is_some()) {
            prop_assert!(matches!(verify_claim(&query, &answer), ClaimVerdict::Verified(_)));
        }
    }

    /// Wherever the budget ends a search, it is kept, and what is said is true.
    #[test]
    fn df_pn_says_nothing_wrong_when_it_is_cut_short(seed in any::<u64>(), budget in 0u64..2_000, moves in 1u8..4) {
        let mut random = Random::new(seed);
        let position = random_position(&mut random);
        let query = query(&position, moves, budget);
        let is_mate = |moves: u8| Exhaustive.solve(&MateQuery { moves, budget: u64::MAX, ..query.clone() }).mate.is_some();
        let once = DfPn.solve(&query);
        let ShortestMate { answer, is_shortest, .. } = shortest(query.clone(), &[]);
        for answer in [&once, &answer] {
            prop_assert!(answer.nodes <= budget, "{} of {budget}", answer.nodes);
            if let Some(mate) = answer.mate {
                prop_assert!(matches!(verify_claim(&query, answer), ClaimVerdict::Verified(_)), "{position}");
                let proof = answer.proof.as_ref().unwrap();
                prop_assert_eq!(proof.attack.longest_line().len(), 2 * usize::from(mate) - 1, "{}", position);
            } else if !answer.is_cut && moves < 3 {
                prop_assert!(!is_mate(moves), "{position}: a mate in {moves} is excluded by {budget} nodes");
            }
        }
        prop_assert!(once.mate.is_none() || answer.mate <= once.mate, "shortening loses nothing: {position}");
        if let Some(shorter) = answer.mate.filter(|&mate| is_shortest && (2..4).contains(&mate)) {
            prop_assert!(!is_mate(shorter - 1), "{position}: {shorter} is not the shortest");
        }
    }

    /// If the first moves are given, exactly those count.
    #[test]
    fn df_pn_keeps_to_the_first_moves(seed in any::<u64>(), moves in 1u8..3) {
        let mut random = Random::new(seed);
        let position = random_position(&mut random);
        let mut only = position.legal_moves().to_vec();
        only.retain(|_| random.below(3) == 0);
        prop_assume!(!only.is_empty());
        let query = query(&position, moves, 1_000_000);
        let mates = |m: &Move| {
            let after = position.play(*m);
            let replies = after.legal_moves();
            let is_mate = |reply: Move| {
                let next = after.play(reply);
                moves > 1 && Exhaustive.solve(&MateQuery { position: &next, moves: moves - 1, ..query.clone() }).mate.is_some()
            };
            (!replies.is_empty() || after.in_check()) && replies.into_iter().all(is_mate)
        };
        let found = shortest(query.clone(), &only);
        prop_assert!(!found.answer.is_cut);
        prop_assert_eq!(found.answer.mate.is_some(), only.iter().any(mates), "{} by {:?}", position, only);
        prop_assert!(found.answer.best.is_none_or(|best| only.contains(&best)));
    }
}

fn shortest(query: MateQuery<'_>, only: &[Move]) -> ShortestMate {
    let threads = NonZeroUsize::MIN;
    DfPn.shortest(ShortestQuery { query, only, shortening: u64::MAX, threads, found: &mut |_| () })
}

/// A mate that is found is never lost to the search for shorter ones, and only the nodes allowed for that are spent.
#[test]
fn a_mate_is_found_first_and_shortened_afterwards() {
    let position = Position::parse("8/8/8/3k4/8/8/8/QK6 w - - 0 1").unwrap();
    let direct = DfPn.solve(&query(&position, 30, 1_000_000));
    let (long, spent) = (direct.mate.unwrap(), direct.nodes);
    assert!(long > 8, "nothing to shorten: {long}");
    for shortening in [0, 1, 5_000, 50_000] {
        let mut lengths = Vec::new();
        let found = DfPn.shortest(ShortestQuery {
            query: query(&position, 30, 1_000_000),
            only: &[],
            shortening,
            threads: NonZeroUsize::MIN,
            found: &mut |answer| lengths.push(answer.mate.unwrap()),
        });
        assert_eq!(lengths[0], long);
        assert!(lengths.is_sorted_by(|longer, shorter| longer > shorter), "{lengths:?}");
        assert_eq!(lengths.last(), found.answer.mate.as_ref());
        assert!(found.answer.nodes <= spent + shortening, "{} of {spent} + {shortening}", found.answer.nodes);
        assert!(!found.is_shortest);
        assert_eq!(found.answer.proof.unwrap().verify(), Ok(()));
    }
    // To exclude the mates in one, two, … first takes more than all of that.
    let query = query(&position, 30, 100_000);
    assert_eq!(shortest_mate(&mut DfPn, &query).answer.mate, None);
    assert!(shortest(query, &[]).answer.mate.is_some());
}

/// Mates in one to three from the bundled suite: every solver finds them, and the claims are verified.
#[test]
fn all_solvers_find_what_the_suite_says() {
    let suite = bundled(include_str!("../data/chess-mates-held-out-50.suite"));
    assert_eq!(suite.problems.len(), 50);
    let short = suite.problems.iter().filter(|problem| problem.distance <= Some(3));
    for problem in short {
        let position = Position::parse(&problem.position).unwrap();
        let moves = problem.distance.unwrap().div_ceil(2) as u8;
        let query = query(&position, moves, 2_000_000);
        let solvers: [&mut dyn Solver; 3] = [&mut Exhaustive, &mut DfPn, &mut AlphaBeta::default()];
        for solver in solvers {
            let answer = solver.solve(&query);
            assert_eq!(
                answer.best.map(|m| m.to_string()).as_ref(),
                problem.best.first(),
                "{} {}",
                solver.name(),
                problem.id
            );
            assert!(
                matches!(verify_claim(&query, &answer), ClaimVerdict::Verified(_)),
                "{} {}",
                solver.name(),
                problem.id
            );
        }
        let shorter = MateQuery { moves: moves - 1, ..query };
        assert_eq!(DfPn.solve(&shorter).mate, None, "{}", problem.id);
    }
}

const MATE_IN_2: &str = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1";

#[test]
fn proofs_read_back_and_tampering_is_noticed() {
    let position = Position::parse(MATE_IN_2).unwrap();
    let proof = DfPn.solve(&query(&position, 2, 100_000)).proof.unwrap();
    assert_eq!(proof.verify(), Ok(()));
    assert_eq!(Proof::parse(&proof.print()).as_ref(), Ok(&proof));
    assert!(matches!(Proof { moves: 1, ..proof.clone() }.verify(), Err(ProofFlaw::TooLong { .. })));

    let mut missing = proof.clone();
    missing.attack.replies.pop();
    assert!(matches!(missing.verify(), Err(ProofFlaw::Missing { .. })));

    let mut twice = proof.clone();
    twice.attack.replies.push(proof.attack.replies[0].clone());
    assert!(matches!(twice.verify(), Err(ProofFlaw::Twice { .. })));

    let mut illegal = proof.clone();
    illegal.attack.m = proof.attack.replies[0].0;
    assert!(matches!(illegal.verify(), Err(ProofFlaw::Illegal { .. })));

    let stalemate = Position::parse("7k/5Q2/8/8/8/8/8/K7 w - - 0 1").unwrap();
    let m = stalemate.parse_move("f7g6").unwrap();
    let claim = MateAnswer { best: Some(m), mate: Some(1), ..MateAnswer::default() };
    assert!(matches!(verify_claim(&query(&stalemate, 1, 1), &claim), ClaimVerdict::Rejected));
}

#[test]
fn texts_that_are_no_proofs_are_refused_where_they_go_wrong() {
    let error = |text: &str| Proof::parse(text).unwrap_err().to_string();
    assert!(error("").starts_with("1: the text is empty"));
    assert!(error("mate in 0\n").starts_with("1: expected 'mate in N'"));
    assert!(error("mate in 2\nxyz\n").starts_with("2: "));
    assert!(error(&format!("mate in 2\n{MATE_IN_2}\n")).starts_with("3: expected a move indented by 0 spaces"));
    assert!(error(&format!("mate in 2\n{MATE_IN_2}\na1a9\n")).starts_with("3: 'a1a9' is not a move here"));
    assert!(
        error(&format!("mate in 2\n{MATE_IN_2}\nd2h6\n g7h6\n")).starts_with("4: expected an even number of spaces")
    );
    assert!(error(&format!("mate in 2\n{MATE_IN_2}\nd2h6\n  g7h6\nh4f6\n")).starts_with("5: "));
}

/// A program that recurses forever and a program of the largest depth are both stopped in time.
#[test]
fn endless_programs_end() {
    let position = Position::from(Board::default());
    let deep = format!("{}Again{}", "(MakeBestMove ".repeat(150), ")".repeat(150));
    let wide = "(MakeBestMove (MakeBestMove Again))";
    for text in ["Again", "(If3 IsCheck Again Again)", wide, &deep] {
        let program: Program = text.parse().unwrap();
        let query = query(&position, 60, 100_000);
        let answer = Evolved { program, name: String::new() }.solve(&query);
        assert!(answer.nodes <= 100_000);
        assert_eq!(answer.mate, None);
    }
}
