//! Scales between an optimiser's numbers and a parameter's.
//!
//! Optimisers move every number by similar amounts: delta is 0.15 for weights from 0.1 to 2. A search constant may have
//! a range of hundreds, so the optimiser sees it scaled to a range of about 2 as well.

use plysmith_core::parameter::{ONE, Parameter, Weights};

/// The range that search constants are scaled to, in thousandths.
const RANGE: i64 = 2 * ONE;

/// How one parameter is scaled.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Scale {
    /// The optimiser sees the parameter as it is.
    Same,
    /// The optimiser sees steps above the least value.
    Steps {
        /// The parameter's least value.
        least: i64,
        /// The parameter's step.
        step: i64,
        /// What the optimiser sees a step as, in thousandths.
        unit: i64,
    },
}

impl Scale {
    /// Scales a search constant. Its range must have room for a step.
    pub fn of_constant(parameter: &Parameter) -> Scale {
        let Parameter { least, step, .. } = *parameter;
        let steps = (parameter.top() - least) / step.max(1);
        Scale::Steps { least, step, unit: (RANGE / steps.max(1)).max(1) }
    }

    /// The parameter as the optimiser sees it.
    pub fn scaled(self, parameter: &Parameter) -> Parameter {
        let Scale::Steps { least, step, unit } = self else { return parameter.clone() };
        let scaled = |value: i64| (value - least) / step * unit;
        Parameter {
            name: parameter.name.clone(),
            least: 0,
            most: scaled(parameter.top()),
            step: unit,
            start: scaled(parameter.snap(parameter.start as f64)),
        }
    }

    /// The parameter's value for what the optimiser asks.
    fn value(self, asked: i64) -> i64 {
        match self {
            Scale::Same => asked,
            Scale::Steps { least, step, unit } => least + asked / unit * step,
        }
    }
}

/// The weights for what the optimiser asks.
pub fn weights(scales: &[Scale], asked: &Weights) -> Weights {
    Weights(asked.0.iter().zip(scales).map(|(&asked, scale)| scale.value(asked)).collect())
}

#[cfg(test)]
mod tests {
    use plysmith_core::parameter::{Parameter, Weights};

    use super::{Scale, weights};

    fn constant(least: i64, most: i64, step: i64, start: i64) -> Parameter {
        let [least, most, step, start] = [least, most, step, start].map(|value| 1000 * value);
        Parameter { name: "LmrBase".into(), least, most, step, start }
    }

    #[test]
    fn constants_are_scaled_to_the_size_of_weights() {
        let parameter = constant(100, 900, 10, 350);
        let scale = Scale::of_constant(&parameter);
        let seen = scale.scaled(&parameter);
        assert_eq!((seen.least, seen.most, seen.step, seen.start), (0, 2000, 25, 625));
        let value = |asked: i64| weights(&[scale], &Weights(vec![asked])).0[0];
        assert_eq!([value(0), value(625), value(2000)], [100_000, 350_000, 900_000]);
    }

    #[test]
    fn every_step_of_any_range_can_be_asked_for() {
        for (least, most, step) in [(0, 1, 1), (-5, 4, 3), (0, 10_000, 1), (-700, 700, 7)] {
            let parameter = constant(least, most, step, least);
            let scale = Scale::of_constant(&parameter);
            let seen = scale.scaled(&parameter);
            let asked = (0..=(seen.most / seen.step)).map(|number| number * seen.step);
            let values: Vec<_> = asked.map(|asked| scale.value(asked)).collect();
            let expected: Vec<_> = (0..=(most - least) / step).map(|number| 1000 * (least + number * step)).collect();
            assert_eq!(values, expected);
            assert!(seen.takes(seen.start) && values.iter().all(|&value| parameter.takes(value)));
        }
    }

    #[test]
    fn weights_are_not_scaled() {
        let parameter = Parameter { name: "AcK".into(), least: 100, most: 2000, step: 1, start: 1000 };
        assert_eq!(Scale::Same.scaled(&parameter), parameter);
        assert_eq!(weights(&[Scale::Same], &Weights(vec![770])).0, [770]);
    }
}
