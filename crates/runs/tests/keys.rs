//! The key of every kind of job, pinned. Stored results are found under these keys: a test that fails here means that
//! old stores would be computed anew.

use plysmith_core::depth::Weight;
use plysmith_core::games;
use plysmith_engine::arena::adjudication::Adjudication;
use plysmith_engine::arena::game::GameJob;
use plysmith_engine::arena::openings::OpeningPlan;
use plysmith_engine::driver::{BuiltIn, Candidate, Conditions, ExternalEngineKey, MeasurementJob, Policy, Subject};
use plysmith_engine::player::Participant;
use plysmith_runs::choice::{ChoiceJob, Chooser};
use plysmith_runs::generated_openings::OpeningsJob;
use plysmith_runs::job::{Job, Key};
use plysmith_runs::kinds::evolve::ProgramJob;
use plysmith_runs::kinds::fit::{FitJob, Regression};
use plysmith_runs::mates::{EngineMateJob, MateJob};
use plysmith_runs::self_play::SelfPlayJob;
use plysmith_runs::suite_maker::{MateConditions, NodeBand, ProblemGoal, SuiteGameJob, SuiteSource};
use plysmith_runs::suite_runner::AttemptJob;
use plysmith_runs::suite_runner::PartsJob;

fn measurement() -> MeasurementJob {
    MeasurementJob {
        game: "breakthrough".to_string(),
        suite: "00ff".to_string(),
        scheme: "Ud-RdTt@0.5".to_string(),
        settings: "classic".to_string(),
        nodes: 500_000,
        seed: 1,
        random: "xoshiro256++".to_string(),
        revision: 2,
        behaviour: String::new(),
        engine: None,
    }
}

/// As version 0.1 named and stored this job, before there were external engines.
const MEASUREMENT: &str = "790f5530e6bc8d4dd592448f21fa643f";

fn key(job: &impl Job) -> String {
    job.key().as_str().to_string()
}

#[test]
fn measurement_of_a_built_in_engine() {
    assert_eq!(key(&measurement()), MEASUREMENT);
}

/// What the features and the evaluation do is in the key: of each feature that the scheme uses, and of no other.
#[test]
fn measurement_of_what_features_do() {
    let job = |behaviour: &str| MeasurementJob { behaviour: behaviour.to_string(), ..measurement() };
    assert_eq!(key(&job("0123456789abcdef")), "1eb16575a17e8170838107bf8363a686");
    assert_ne!(key(&job("0123456789abcdee")), key(&job("0123456789abcdef")));
    let game = games::find("breakthrough").unwrap();
    let subject = BuiltIn::new(game, game.parse_settings("classic").unwrap(), Policy::End);
    let conditions = Conditions { suite: "00ff".to_string(), nodes: 500_000, seed: 1 };
    let built_in = |text: &str| {
        let scheme = game.vocabulary.parse_scheme(text, Weight::HALF).unwrap();
        subject.job(&Candidate::Scheme(scheme), &conditions).unwrap()
    };
    let behaviours = ["Neutral", "Ud", "Ud-RdTt"].map(|scheme| built_in(scheme).behaviour);
    assert!(behaviours.iter().all(|behaviour| behaviour.len() == 16), "{behaviours:?}");
    assert!(behaviours[0] != behaviours[1] && behaviours[1] != behaviours[2], "{behaviours:?}");
    assert_eq!(built_in("RdTt@0.25,Ud@0.75").behaviour, behaviours[2], "the same atoms");
}

#[test]
fn measurement_to_the_solution() {
    let settings = |policy: &str| MeasurementJob { settings: format!("modern to solution, {policy}"), ..measurement() };
    let keys = ["first", "iteration", "stable"].map(|policy| key(&settings(policy)));
    assert_eq!(
        keys,
        ["cdf8e4ab3e3744e288fcf7af6a22787e", "d233bd65299e10084da8cc7ccf5c40b4", "314dacb09f0e5cfbd8dcf0954862de59"]
    );
}

/// Every policy has a key of its own, and 'end' that of version 0.1, which had no name for it.
#[test]
fn measurement_under_each_policy() {
    let game = games::find("breakthrough").unwrap();
    let conditions = Conditions { suite: "00ff".to_string(), nodes: 500_000, seed: 1 };
    let scheme = game.vocabulary.parse_scheme("Ud-RdTt@0.5", Weight::HALF).unwrap();
    let jobs = Policy::ALL.map(|policy| {
        let engine = BuiltIn::new(game, game.parse_settings("classic").unwrap(), policy);
        let job = engine.job(&Candidate::Scheme(scheme.clone()), &conditions).unwrap();
        MeasurementJob { revision: 2, behaviour: String::new(), ..job }
    });
    assert_eq!(key(&jobs[0]), MEASUREMENT);
    let mut keys: Vec<_> = jobs.iter().map(key).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), Policy::ALL.len());
}

#[test]
fn measurement_of_an_external_engine() {
    let job = MeasurementJob {
        game: "chess".to_string(),
        scheme: "1 0.5".to_string(),
        settings: String::new(),
        engine: Some(ExternalEngineKey {
            command: "glaurung".to_string(),
            name: "Glaurung 2.2".to_string(),
            content: "01ab".to_string(),
        }),
        ..measurement()
    };
    assert_eq!(key(&job), "72dae5cddd9d1f31f28e527f3e78c492");
}

#[test]
fn attempt() {
    assert_eq!(key(&AttemptJob { measurement: measurement(), problem: 17 }), "0d109c275c0ff82aff25beeaba2eb277");
}

#[test]
fn measurements_in_a_store_of_version_0_1() {
    // From crates/store/tests/fixtures/version-1.db: keys beside the jobs that they were computed from.
    let stored = [
        (
            "00f4fc53ee4f0b9bd1a363f8435b7b88",
            r#"{"game":"chess","nodes":300,"random":"xoshiro256++","revision":3,"scheme":"AcK@1,Rc@1","seed":1,"settings":"classic to solution, first","suite":"0772090df721433c2d099fcf94ebced7"}"#,
        ),
        (
            "053653bacdc86a8e2d96be1e496d044a",
            r#"{"game":"chess","nodes":300,"random":"xoshiro256++","revision":3,"scheme":"Neutral","seed":1,"settings":"classic","suite":"0b2ad5f2423c2c204cdbac8928f8a1b1"}"#,
        ),
    ];
    for (expected, job) in stored {
        assert_eq!(key(&serde_json::from_str::<MeasurementJob>(job).unwrap()), expected);
    }
}

/// A game as plysmith 0.1.0 played it.
fn game() -> GameJob {
    GameJob {
        game: "breakthrough".to_string(),
        position: "ppppp/p1pp1/2pp1/3P1/PPPPP/PPP1P w".to_string(),
        white: "classic+RdTt@0.5".to_string(),
        black: "classic".to_string(),
        nodes: 200,
        time: None,
        depth: None,
        run: None,
        seed: 2_525_895_056_388_782_889,
        adjudicate: true,
        rules: Adjudication::default(),
        random: "xoshiro256++".to_string(),
        revision: 3,
        behaviour: String::new(),
        arena: None,
        details: false,
    }
}

/// Built-in players that keep their table during a game play other games than those of earlier versions.
#[test]
fn game_of_players_with_a_table() {
    assert_eq!(key(&GameJob { arena: Some(2), ..game() }), "4acef42188daf21492c32ce1e869735f");
    let breakthrough = games::find("breakthrough").unwrap();
    let arena = |white: &str, black: &str| {
        let [white, black] = [white, black].map(|text| Participant::parse(breakthrough, text).unwrap());
        GameJob::new(breakthrough, &game().position, &white, &black).arena
    };
    assert_eq!([arena("classic", "modern"), arena("modern", "uci:one")], [Some(2); 2]);
    assert_eq!([arena("classic", "modern,table=0"), arena("uci:one", "uci:other")], [None; 2]);
    assert!(!serde_json::to_string(&game()).unwrap().contains("arena"), "jobs of earlier versions print as they were");
}

/// A mate search is in the text of its player and in what the player does; players without one have the keys that they had.
#[test]
fn game_of_players_with_a_mate_search() {
    let chess = games::find("chess").unwrap();
    let job = |white: &str| {
        let [white, black] = [white, "modern"].map(|text| Participant::parse(chess, text).unwrap());
        GameJob::new(chess, chess.bench[0], &white, &black)
    };
    let texts =
        ["modern", "modern,mate-search=df-pn", "modern,mate-search=df-pn,mate-share=20", "modern,mate-search=evolved"];
    let jobs = texts.map(job);
    assert_eq!(jobs.each_ref().map(|job| job.white.as_str()), texts);
    let [plain, df_pn, _, evolved] = jobs.each_ref().map(|job| job.behaviour.as_str());
    assert!(df_pn != plain && evolved != plain && df_pn != evolved, "{plain}, {df_pn}, {evolved}");
    let keys: std::collections::HashSet<_> = jobs.iter().map(key).collect();
    assert_eq!(keys.len(), texts.len());
}

#[test]
fn game_of_what_features_do() {
    let job = GameJob { behaviour: "0123456789abcdef fedcba9876543210".to_string(), ..game() };
    assert_eq!(key(&job), "dc9e21b2caf644db296c69bcc372012d");
    let stored = serde_json::to_string(&game()).unwrap();
    assert!(!stored.contains("behaviour"), "jobs of earlier versions read and print as they were");
}

#[test]
fn game_of_built_in_players() {
    assert_eq!(key(&game()), "77968852be25df80f0ae46adeb203ea1");
}

/// The key of a game that cannot be repeated names its run.
#[test]
fn game_with_a_clock() {
    let time = Some("1+0.01 margin 50ms".to_string());
    let timed = GameJob { nodes: 0, time, run: Some("run 2".to_string()), adjudicate: false, ..game() };
    assert_eq!(key(&timed), "f94dc1b38aeb08c67e0c6f4c2d4ffcf4");
}

#[test]
fn game_of_an_external_engine() {
    let external = GameJob {
        game: "chess".to_string(),
        position: "r1bqkb1r/pppppppp/n4n2/8/5P2/2P5/PP1PP1PP/RNBQKBNR w KQkq - 1 3".to_string(),
        white: "modern".to_string(),
        black: "uci:/tmp/old-plysmith engine chess".to_string(),
        nodes: 10,
        run: Some("run 3".to_string()),
        adjudicate: false,
        ..game()
    };
    assert_eq!(key(&external), "2205bf6d9bd9d611a88bf1ee5d3db7c3");
}

#[test]
fn choice_of_a_player() {
    let game = games::find("breakthrough").unwrap();
    let job = |player: &str, before: &[String]| {
        let chooser = Chooser::new(game, Participant::parse(game, player).unwrap()).unwrap();
        chooser.job("ppp/3/PPP w", before, 500, 1)
    };
    let pinned = ChoiceJob { revision: 5, behaviour: "0123456789abcdef".to_string(), ..job("modern", &[]) };
    assert_eq!(key(&pinned), "4de142fde827555fbf6022d624cd9b57");
    let counted = ChoiceJob { revision: 5, behaviour: "0123456789abcdef".to_string(), ..job("modern+Ud@0.5", &[]) };
    assert_eq!((counted.counts, key(&counted).as_str()), (Some(1), "a058d444e9cc2fceeb7e3c8bbdcf5d1c"));
    assert_ne!(key(&counted), key(&ChoiceJob { counts: None, ..counted.clone() }), "earlier versions did not count");
    let before = ["ppp/3/PPP w".to_string()];
    let all = [
        key(&job("modern", &[])),
        key(&job("modern", &before)),
        key(&job("modern,-history", &[])),
        key(&job("modern+Ud@0.5", &[])),
        key(&ChoiceJob { seed: 2, ..job("modern", &[]) }),
        key(&ChoiceJob { nodes: 501, ..job("modern", &[]) }),
        key(&ChoiceJob { content: Some("00ff".to_string()), ..job("modern", &[]) }),
    ];
    assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), all.len());
}

/// The keys below are those of a store that version 0.1 wrote, at search revision 3 and program revision 1.
fn program() -> ProgramJob {
    ProgramJob {
        solver: "NumOppPiecesAttacked".to_string(),
        suite: "870f1b07fcb7e980967f3acd992a492d".to_string(),
        cases: vec![4, 5],
        budget: 2000,
        measure: "plain".to_string(),
        search_revision: 3,
        revision: 1,
        behaviour: String::new(),
    }
}

#[test]
fn program_of_what_the_reference_solver_does() {
    let job = ProgramJob { behaviour: "0123456789abcdef".to_string(), ..program() };
    assert_eq!(key(&job), "84139b103e34230fed2941d66b1895d1");
    let stored = serde_json::to_string(&program()).unwrap();
    assert!(!stored.contains("behaviour"), "jobs of earlier versions read and print as they were");
}

#[test]
fn program_on_a_sample() {
    assert_eq!(key(&program()), "03f8348801968bb2ac97104f4f1d44b6");
}

#[test]
fn solver_on_a_mate() {
    let position = "k7/8/1K6/8/8/8/8/7R w - - 0 1".to_string();
    let job = |(solver, behaviour): (&str, &str)| MateJob {
        solver: solver.to_string(),
        position: position.clone(),
        moves: 1,
        nodes: 2000,
        behaviour: behaviour.to_string(),
    };
    let keys = [("alpha-beta", "0123456789abcdef"), ("df-pn", "")].map(|solver| key(&job(solver)));
    assert_eq!(keys, ["f349b12eb7b54e1aecae05c5623eec10", "10d398ba99f9aca2ab3e49ee58b1d2cd"]);
}

#[test]
fn engine_on_a_mate() {
    let measurement = MeasurementJob {
        game: "chess".to_string(),
        suite: "mates".to_string(),
        scheme: "weights ".to_string(),
        settings: "uci first; Threads=1; ".to_string(),
        nodes: 2000,
        seed: 0,
        random: String::new(),
        revision: 1,
        behaviour: String::new(),
        engine: Some(ExternalEngineKey {
            command: "stockfish".to_string(),
            name: "Stockfish 15.1".to_string(),
            content: "00ff".to_string(),
        }),
    };
    let job = EngineMateJob { measurement, position: "k7/8/1K6/8/8/8/8/7R w - - 0 1".to_string(), moves: 1 };
    assert_eq!(key(&job), "db924144061b8acb1eceb0b26c972a45");
}

#[test]
fn game_of_a_suite() {
    let self_play = |game: &str, start: &str, goal, seed, nodes| SuiteSource::SelfPlay {
        game: game.to_string(),
        start: start.to_string(),
        goal,
        seed,
        nodes,
    };
    let wins = self_play("breakthrough", "ppppp/ppppp/5/PPPPP/PPPPP w", ProblemGoal::ForcedWin { plies: 3 }, 2, 100);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let tactics = self_play("chess", start, ProblemGoal::Tactic { margin: 300, nodes: 1000 }, 9, 50);
    let mates = |conditions| SuiteSource::Mates { moves: 1, men: 12, seed: 9, nodes: 50, conditions };
    let band = NodeBand { reference: "df-pn".to_string(), from: 1, to: 2, identity: "x".to_string() };
    let conditions = MateConditions { is_quiet: true, band: Some(band) };
    let (mates, hard) = (mates(MateConditions::default()), mates(conditions));
    let behaviour = "0123456789abcdef fedcba9876543210".to_string();
    let first = |source: SuiteSource| key(&SuiteGameJob { source, number: 0, behaviour: behaviour.clone() });
    assert_eq!(
        [wins, tactics, mates].map(first),
        ["2fffc83c7ac3680713451c50d185752e", "e22238cb3de8a207c0d51ccb67820833", "0777a9b7799f63a98345f7d269779be5"]
    );
    assert_eq!(first(hard), "d90f35ccd94d33bd7bdd18f2748008f0");
}

#[test]
fn batch_of_training_games() {
    let job = SelfPlayJob {
        game: "breakthrough".to_string(),
        start: "ppppp/ppppp/5/PPPPP/PPPPP w".to_string(),
        player: "modern,table=1".to_string(),
        nodes: 1000,
        seed: 7,
        first: 40,
        games: 20,
        rules: "rules".to_string(),
        random: "xoshiro256++".to_string(),
        training: 1,
        revision: 5,
        behaviour: "0123456789abcdef".to_string(),
    };
    assert_eq!(key(&job), "7a55858bf17298419f5ae2970e6a7038");
    let other = SelfPlayJob { behaviour: "fedcba9876543210".to_string(), ..job.clone() };
    assert_ne!(key(&other), key(&job));
}

#[test]
fn fit_of_weights() {
    let job = FitJob {
        game: "breakthrough".to_string(),
        form: "patterns 5x5".to_string(),
        rounds: vec![Key::of("one"), Key::of("two")],
        incumbent: "0123456789abcdef".to_string(),
        samples: Some(16),
        blend: 0.5,
        regression: Regression::Patterns { epochs: 10, min_count: 20, rate: 0.05, l2: 0.1 },
        seed: 7,
        revision: 1,
    };
    let regression = Regression::Terms { steps: 500, rate: 3.0, pull: 0.005 };
    let terms = FitJob { form: "terms 683".to_string(), samples: None, regression, ..job.clone() };
    let keys = ["445f33056e6b826b330b50dc859107bd", "b170b326204d8ebc06797bec7c96cad3"];
    assert_eq!([key(&job), key(&terms)], keys);
}

#[test]
fn batch_of_openings() {
    let job = OpeningsJob {
        game: "breakthrough".to_string(),
        plan: OpeningPlan { start: "ppppp/ppppp/5/5/PPPPP/PPPPP w".to_string(), plies: 4, seed: 1 },
        batch: 2,
        rules: "within 12 after 10000 nodes, 1000 tries".to_string(),
        random: "xoshiro256++".to_string(),
        revision: 4,
        behaviour: String::new(),
    };
    assert_eq!(key(&job), "8ee2941e6d472987f3b8fe1c69059d22");
    let judged = OpeningsJob { behaviour: "0123456789abcdef".to_string(), ..job };
    assert_eq!(key(&judged), "ba95451149fdfc78cea5cc3dc4cbf2b6");
}

#[test]
fn note_of_parts_of_a_measurement() {
    assert_eq!(key(&PartsJob { measurement: "00ff".to_string() }), "520072699ffee0e030c887d85a7d62a9");
}

/// Depth limits and rules of adjudication are in the key only where there are any, and names tell players apart.
#[test]
fn game_with_a_depth_rules_and_names() {
    let deep = GameJob { nodes: 0, depth: Some(8), ..game() };
    let resign = Some("score=600,moves=3".parse().unwrap());
    let ruled = GameJob { rules: Adjudication { resign, ..Adjudication::default() }, ..game() };
    let chess = games::find("chess").unwrap();
    let player = |text: &str| Participant::parse(chess, text).unwrap();
    let of = |white: &str| key(&GameJob::new(chess, "start", &player(white), &player("uci:sf")));
    let keys = [key(&game()), key(&deep), key(&ruled), of("uci:sf"), of("uci:sf;name=a"), of("uci:sf;name=b")];
    let different: std::collections::HashSet<_> = keys.iter().collect();
    assert_eq!(different.len(), keys.len());
    assert_eq!(
        [key(&deep), key(&ruled), of("uci:sf"), of("uci:sf;name=a")],
        [
            "cfca6082ebaeb06bb8d8ccd0a0588a7b",
            "e202e420aa463d5b94b705569c7eb487",
            "973e699e2180b773c798d30f577dc253",
            "4d1275fbbbd149ca2c3c02ced4c97f62"
        ]
    );
}
