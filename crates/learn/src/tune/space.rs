//! The parameter space: all parameters that are tuned together.

use plysmith_core::parameter::{Parameter, Thousandths, Weights};
use plysmith_core::random::Random;
use thiserror::Error;

/// The parameters that are tuned together, with names, ranges, steps and starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParameterSpace(Vec<Parameter>);

/// Parameters that cannot be tuned.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParameterSpaceError {
    /// No parameters, or too many.
    #[error("there are {count} weights to tune; expected 1 to {most}")]
    Count {
        /// The number of parameters.
        count: usize,
        /// The largest number of parameters.
        most: usize,
    },
    /// A range that is narrower than a step.
    #[error("weight '{name}' has the range {least} to {most} and the step {step}; expected room for a step at least")]
    Range {
        /// The name of the parameter.
        name: String,
        /// Its lower end.
        least: Thousandths,
        /// Its upper end.
        most: Thousandths,
        /// Its step.
        step: Thousandths,
    },
    /// A start outside of its range.
    #[error("weight '{name}' starts at {start}; expected a value from {least} to {most}")]
    Start {
        /// The name of the parameter.
        name: String,
        /// The start.
        start: Thousandths,
        /// The lower end of its range.
        least: Thousandths,
        /// The upper end of its range.
        most: Thousandths,
    },
}

/// The largest absolute value of a weight, so that `f64` is exact to a thousandth.
const FURTHEST: i64 = 1 << 50;

impl ParameterSpace {
    /// The largest number of parameters.
    pub const MOST: usize = 512;

    /// A space of these parameters. Starts are rounded to the nearest step.
    pub fn new(parameters: Vec<Parameter>) -> Result<ParameterSpace, ParameterSpaceError> {
        if !(1..=ParameterSpace::MOST).contains(&parameters.len()) {
            return Err(ParameterSpaceError::Count { count: parameters.len(), most: ParameterSpace::MOST });
        }
        for Parameter { name, least, most, step, start } in &parameters {
            let name = name.clone();
            let is_near = |weight: i64| (-FURTHEST..=FURTHEST).contains(&weight);
            let has_room = is_near(*least) && is_near(*most) && *step >= 1 && most - least >= *step;
            let [least, most, step, start] = [*least, *most, *step, *start].map(Thousandths);
            if !has_room {
                return Err(ParameterSpaceError::Range { name, least, most, step });
            }
            if !(least..=most).contains(&start) {
                return Err(ParameterSpaceError::Start { name, start, least, most });
            }
        }
        let snapped = |mut parameter: Parameter| {
            parameter.start = parameter.snap(parameter.start as f64);
            parameter
        };
        Ok(ParameterSpace(parameters.into_iter().map(snapped).collect()))
    }

    /// The parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.0
    }

    /// The number of parameters.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// The start of the tuning.
    pub fn start(&self) -> Weights {
        Weights(self.0.iter().map(|parameter| parameter.start).collect())
    }

    /// Replaces every start by a random value of its range.
    #[must_use]
    pub fn with_random_start(mut self, seed: u64) -> ParameterSpace {
        let mut random = Random::for_purpose(seed, "start of tuning");
        for parameter in &mut self.0 {
            let share = random.below(1 << 16) as f64 / f64::from((1 << 16) - 1);
            parameter.start =
                parameter.snap(parameter.least as f64 + share * (parameter.most - parameter.least) as f64);
        }
        self
    }

    /// Rounds real numbers to weights that an engine accepts: clamped to the ranges, rounded to the steps.
    pub fn snap(&self, values: &[f64]) -> Weights {
        Weights(self.0.iter().zip(values).map(|(parameter, &value)| parameter.snap(value)).collect())
    }

    /// Whether the weights are within the ranges and on the steps.
    pub fn contains(&self, weights: &Weights) -> bool {
        weights.0.len() == self.size()
            && self.0.iter().zip(&weights.0).all(|(parameter, &value)| parameter.takes(value))
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::parameter::Parameter;

    use super::{ParameterSpace, ParameterSpaceError};

    fn parameter(least: i64, most: i64, step: i64, start: i64) -> Parameter {
        Parameter { name: "w".into(), least, most, step, start }
    }

    #[test]
    fn spaces_without_room_are_refused() {
        let error = |parameters| ParameterSpace::new(parameters).unwrap_err();
        assert!(matches!(error(vec![]), ParameterSpaceError::Count { count: 0, .. }));
        for (least, most, step) in
            [(5, 5, 1), (6, 5, 1), (0, 10, 0), (0, 10, -1), (0, 10, 11), (i64::MIN, i64::MAX, 1), (0, i64::MAX, 1)]
        {
            let error = error(vec![parameter(least, most, step, 5)]);
            assert!(matches!(error, ParameterSpaceError::Range { .. }), "{least} {most} {step}: {error}");
        }
        let message = error(vec![parameter(100, 2000, 1, 2001)]).to_string();
        assert_eq!(message, "weight 'w' starts at 2.001; expected a value from 0.1 to 2");
    }

    #[test]
    fn a_random_start_is_seeded_and_can_be_taken() {
        let space = ParameterSpace::new(vec![parameter(100, 2000, 1, 1000), parameter(0, 1000, 500, 1000)]).unwrap();
        let starts: Vec<_> = (0..20).map(|seed| space.clone().with_random_start(seed).start()).collect();
        assert!(starts.iter().all(|start| space.contains(start)));
        assert_eq!(starts[3], space.clone().with_random_start(3).start());
        assert!(starts.iter().any(|start| start.0[0] < 500) && starts.iter().any(|start| start.0[0] > 1500));
    }
}
