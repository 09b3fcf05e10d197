//! The learning algorithms of Plysmith: feature discovery, parameter tuning, evaluation fitting and match statistics.
//!
//! | task | module | start with |
//! | --- | --- | --- |
//! | discover move features by Gradual Focus | [`focus`] | [`GradualFocus`] |
//! | repeat measurements that are noisy | [`repetition`] | [`Repetition`] |
//! | evaluate all combinations, precision and recall | [`exhaustive`] | [`combinations`], [`Agreement`] |
//! | tune weights or engine options | [`tune`] | [`Tuning`], [`OptimiserKind`] |
//! | fit evaluation weights to game results (Texel) | [`fitting`] | [`Fitting`], [`SparseFitting`] |
//! | Elo, error bars, SPRT | [`stats`] | [`Sprt`], [`logistic_elo`] |
//!
//! The crate contains algorithms only: no engine, file, thread or clock. Learners have an ask/tell interface. `ask`
//! returns what to evaluate next and `tell` takes the result; the caller decides how results are computed. Equal results
//! always lead to equal requests, so a run is resumed by telling a new learner the stored results.
//!
//! # Discover features
//!
//! ```
//! use plysmith_core::feature::{AtomFacts, Vocabulary};
//! use plysmith_learn::{FocusSettings, GradualFocus, Pruning};
//!
//! const fn atom(name: &'static str) -> AtomFacts {
//!     AtomFacts { name, group: name, parent: None, threshold_safe: true, meaning: "", example: ("", "") }
//! }
//! const ATOMS: Vocabulary = Vocabulary::new(&[atom("check"), atom("capture"), atom("passed")]);
//!
//! // A toy fitness. A real one counts the suite positions that are solved with the feature.
//! let fitness = |name: &str| match name {
//!     "check" => 12,
//!     "capture" => 10,
//!     "check-capture" => 20,
//!     _ => 5,
//! };
//!
//! let mut focus = GradualFocus::new(ATOMS, ATOMS.atoms(), FocusSettings::new(Pruning::Groups, 3));
//! while let Some(trial) = focus.ask() {
//!     let value = fitness(&ATOMS.print(trial.feature));
//!     focus.tell(trial.exactly(value));
//! }
//! let outcome = focus.outcome();
//! assert_eq!(ATOMS.print(outcome.output[0].feature), "check-capture");
//! assert_eq!(outcome.evaluations(), 7); // Neutral, three atoms, three pairs; no triple
//! ```
//!
//! # Tune parameters
//!
//! ```
//! use plysmith_core::parameter::{Parameter, Weights};
//! use plysmith_learn::{OptimiserKind, OptimiserSettings, ParameterSpace, RateSchedule, SuiteScore, Tuning, TuningLimits};
//!
//! // One weight from 0.1 to 2, starting at 1, in thousandths.
//! let parameter = Parameter { name: "check".into(), least: 100, most: 2000, step: 1, start: 1000 };
//! let space = ParameterSpace::new(vec![parameter])?;
//!
//! // A toy objective with its minimum at 0.5. A real one searches a suite and counts nodes.
//! let score = |weights: &Weights| {
//!     let distance = weights.0[0].abs_diff(500);
//!     let nodes = 1_000_000 + distance * distance;
//!     SuiteScore { nodes, solved: 10, problems: 10, trace: nodes }
//! };
//!
//! let kind = OptimiserKind::Gradient;
//! let rate = RateSchedule::Fixed;
//! let settings = OptimiserSettings { delta: 150, mu: kind.default_mu(), rate, iterations: 20, seed: 1 };
//! let limits = TuningLimits { iterations: 20, patience: None, progress: 0.001 };
//! let mut tuning = Tuning::new(&space, kind.build(space.clone(), &settings), limits);
//! while let Some(batch) = tuning.ask() {
//!     let scores: Vec<SuiteScore> = batch.iter().map(score).collect();
//!     tuning.tell(&scores);
//! }
//! let best = tuning.best().expect("at least one iteration");
//! assert!((400..600).contains(&best.weights.0[0]), "{}", best.weights);
//! # Ok::<(), plysmith_learn::ParameterSpaceError>(())
//! ```
//!
//! # Judge a match
//!
//! ```
//! use plysmith_learn::{EloModel, ErrorRates, Penta, Sprt, SprtVerdict, likelihood_of_superiority, logistic_elo};
//!
//! // Game pairs by points: LL, LD, WL+DD, WD, WW.
//! let pairs: Penta = "34,54,63,64,75".parse()?;
//! assert_eq!(logistic_elo(&pairs).unwrap().to_string(), "55.58 ± 27.65");
//! assert!(likelihood_of_superiority(&pairs).unwrap() > 0.99);
//!
//! let sprt = Sprt::new(EloModel::Logistic, "0,10".parse()?, ErrorRates::default())?;
//! println!("LLR {:.2} of {:.2}", sprt.llr(&pairs), sprt.bounds().upper);
//! assert_eq!(sprt.verdict(&pairs), SprtVerdict::Continue);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod exhaustive;
pub mod fitting;
pub mod focus;
pub mod pruning;
pub mod repetition;
pub mod stats;
pub mod survival;
pub mod trial;
pub mod tune;

pub use exhaustive::{Agreement, combinations, interesting};
pub use fitting::{
    FitData, FitPlan, FitRow, Fitting, SparseFitting, SparsePlan, SparseRows, Tapered, fit_slope, slope_of_scores,
    sparse_loss,
};
pub use focus::{EvaluatedFeature, FeatureValue, FocusOutcome, FocusSettings, FocusVerdict, GradualFocus};
pub use pruning::{Pruning, PruningError};
pub use repetition::Repetition;
pub use stats::{
    EloEstimate, EloModel, ErrorRates, Hypotheses, Outcomes, OutcomesError, Penta, Sprt, SprtError, SprtVerdict, Wdl,
    likelihood_of_superiority, logistic_elo, normalized_elo,
};
pub use survival::Survival;
pub use trial::{Evaluator, FeatureTrial, Parents, TrialResult};
pub use tune::{
    Optimiser, OptimiserKind, OptimiserSettings, ParameterSpace, ParameterSpaceError, RateSchedule, StopReason,
    SuiteScore, Tuning, TuningLimits,
};
