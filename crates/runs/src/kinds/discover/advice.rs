//! What a discovery comes to: one sentence that says what to use.
//!
//! A feature is recommended if it solves more problems than Neutral beyond chance. Many features are tried and the best is
//! chosen, so the best of features without effect would look good; the test accounts for how many there were. Games, where
//! they were played, count more than problems.

use plysmith_core::feature::Cost;
use plysmith_learn::stats::PairedCounts;
use serde::{Deserialize, Serialize};

use super::{Discovery, Evaluation};
use crate::finding::Finding;
use crate::fitness::FitnessChoice;
use crate::kinds::follow_up::Followed;
use crate::view::percent;

/// What to use.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Advice {
    /// Features with weights, as `measure` and `match` take them; none for the search without features.
    pub scheme: Option<String>,
    /// The sentence.
    pub text: String,
}

impl Discovery {
    /// What to use, after everything that the run did.
    pub(super) fn advise(&self, is_built_in: bool) -> Advice {
        let followed = self.followed.as_ref();
        followed
            .and_then(|followed| self.by_games(followed))
            .or_else(|| followed.and_then(|followed| self.by_tuning(followed)))
            .unwrap_or_else(|| match self.judge.is_some() || self.fitness.is_some() {
                _ if self.may_lose.is_some() => self.by_savings(is_built_in),
                true => self.by_cost(),
                false => self.by_problems(is_built_in),
            })
    }

    /// The feature that costs least, if that is beyond chance.
    fn by_cost(&self) -> Advice {
        let Discovery { game, preset, evaluations, .. } = self;
        let (what, less) = match &self.fitness {
            Some(fitness) if *fitness != FitnessChoice::regret() => {
                (format!("by the fitness {fitness}, it costs"), "costs less")
            }
            _ => ("its moves cost".to_string(), "has less regret"),
        };
        let best = self.output.iter().find_map(|evaluation| Some((evaluation, evaluation.gain_on_neutral()?)));
        // The best of many looks good by chance: Bonferroni's correction of the interval, roughly.
        let widened = |error: f64| error * (1.0 + (*evaluations as f64).ln() / 4.0);
        match best.filter(|(_, (gain, error))| *gain > widened(*error)) {
            Some((best, (gain, error))) => {
                let scheme = self.scheme(best);
                let less = if self.reduces() { "such moves may be searched less, and " } else { "" };
                let text = format!(
                    "Use {scheme}: {less}{what} {gain:.4} ± {error:.4} less than without features; test it in games: \
                     plysmith match {game} --a {preset}+{scheme} --b {preset}"
                );
                Advice { scheme: Some(scheme), text }
            }
            None => Advice {
                scheme: None,
                text: format!(
                    "Use the search without features: no feature {less} beyond chance; measure on more positions to know."
                ),
            },
        }
    }

    /// Whether every cost that was tried searches moves less.
    fn reduces(&self) -> bool {
        self.weight.split(',').all(|cost| cost.parse::<Cost>().is_ok_and(Cost::is_reduction))
    }

    /// How a feature did against Neutral on the same problems.
    pub(super) fn gain(&self, evaluation: &Evaluation) -> Option<PairedCounts> {
        evaluation.finding.against(self.neutral_finding()?)
    }

    /// Whether a gain is more than the best of as many features without effect would show.
    pub(super) fn is_beyond_chance(&self, gain: PairedCounts) -> bool {
        gain.is_better(self.evaluations * self.weight.split(',').count())
    }

    /// The gain on Neutral and half of its 95 % interval over problems: in the mean of the seeds, if there were several.
    pub(super) fn gain_and_error(&self, evaluation: &Evaluation) -> Option<[String; 2]> {
        let (mean, error) = match &evaluation.repeats {
            Some(repeats) => repeats.gain.map(|gain| (format!("{:.1}", gain.mean), gain.over_problems))?,
            None => self.gain(evaluation).map(|gain| (gain.difference().to_string(), gain.error()))?,
        };
        Some([mean, format!("{error:.1}")])
    }

    /// A feature as a scheme of its own, with its weight.
    pub(super) fn scheme(&self, evaluation: &Evaluation) -> String {
        format!("{}@{}", evaluation.finding.feature, evaluation.weight.as_ref().unwrap_or(&self.weight))
    }

    pub(super) fn neutral_finding(&self) -> Option<&Finding> {
        self.output.iter().map(|evaluation| &evaluation.finding).find(|finding| finding.feature == "Neutral")
    }

    fn by_problems(&self, is_built_in: bool) -> Advice {
        let Discovery { problems, neutral, evaluations, .. } = self;
        // The best come first.
        let best = self.output.first().and_then(|best| Some((best, best.finding.solved?, self.gain(best)?)));
        let Some((best, solved, gain)) = best.filter(|(_, solved, _)| solved > neutral) else {
            let tried = evaluations.saturating_sub(1);
            let text = format!(
                "Use the search without features: none of the {tried} features solves more problems than Neutral \
                 ({neutral} of {problems})."
            );
            return Advice { scheme: None, text };
        };
        let scheme = self.scheme(best);
        let [difference, error] = self.gain_and_error(best).unwrap_or_default();
        let numbers = format!("{solved} of {problems} problems, Neutral {neutral} (a gain of {difference} ± {error})");
        if !self.is_beyond_chance(gain) {
            let text = format!(
                "Use the search without features: the best feature, {scheme}, solves {numbers}, which may be chance when \
                 {evaluations} features are tried; measure on more problems to know."
            );
            return Advice { scheme: None, text };
        }
        let text = format!("Use {scheme}: it solves {numbers}{}", self.test_in_games(&scheme, is_built_in));
        Advice { scheme: Some(scheme), text }
    }

    /// The feature that saves most nodes without solving fewer problems.
    fn by_savings(&self, is_built_in: bool) -> Advice {
        // The best come first.
        let best = self.output.first().filter(|best| self.may_be_searched_less(best));
        match best.and_then(|best| Some((best, self.savings_line(best)?))) {
            Some((best, line)) => {
                let scheme = self.scheme(best);
                let text = format!("{line}{}", self.test_in_games(&scheme, is_built_in));
                Advice { scheme: Some(scheme), text }
            }
            None => Advice {
                scheme: None,
                text: format!(
                    "Use the search without features: none of the {} features solves as many problems as Neutral ({} of {}) with \
                     fewer nodes.",
                    self.evaluations.saturating_sub(1),
                    self.neutral,
                    self.problems
                ),
            },
        }
    }

    fn test_in_games(&self, scheme: &str, is_built_in: bool) -> String {
        let Discovery { game, preset, .. } = self;
        match is_built_in {
            true => format!("; test it in games: plysmith match {game} --a {preset}+{scheme} --b {preset}"),
            false => "; test it in games".to_string(),
        }
    }

    /// The tuned features, if tuning improved on those that were found.
    fn by_tuning(&self, followed: &Followed) -> Option<Advice> {
        let tuned = followed.tuned.as_ref()?;
        let scheme = tuned.setting.scheme.clone()?;
        let (comparison, problems) = match &tuned.held_out {
            Some(held_out) => (held_out, "held-out"),
            None => (&tuned.training, "training"),
        };
        let (change, error) = (comparison.change, comparison.error?);
        let less = match &tuned.fitness {
            None => "% fewer nodes".to_string(),
            Some(fitness) => format!("% less cost by the fitness {fitness}"),
        };
        let verb = if tuned.fitness.is_none() { "need" } else { "have" };
        let text = format!(
            "Use {scheme}: the best features, tuned together, {verb} {:.1} ± {:.1} {less} on the {problems} problems \
             than as they were found.",
            -100.0 * change,
            100.0 * error
        );
        (change + error < 0.0).then_some(Advice { scheme: Some(scheme), text })
    }

    /// The player that did best in games.
    fn by_games(&self, followed: &Followed) -> Option<Advice> {
        let best = followed.proofs.iter().max_by(|one, other| one.score.total_cmp(&other.score))?;
        let (score, error) = (percent(best.score), 100.0 * best.plain_interval);
        let numbers = format!("{score} ± {error:.2} of the points in {} games against {}", best.games, best.b);
        let scheme = best.a.split_once('+').map(|(_, scheme)| scheme.to_string());
        Some(match scheme {
            Some(scheme) if best.score - best.plain_interval > 0.5 => {
                let text = format!("Use {scheme}: {} scores {numbers}.", best.a);
                Advice { scheme: Some(scheme), text }
            }
            _ => Advice {
                scheme: None,
                text: format!(
                    "Use the search without features: nothing that was found is clearly better in games. The best, {}, \
                     scores {numbers}.",
                    best.a
                ),
            },
        })
    }
}
