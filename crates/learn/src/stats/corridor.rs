//! Brownian motion between two bounds: when it leaves, and where.
//!
//! The log-likelihood ratio of a sequential test is a random walk with small steps, so it behaves like Brownian motion with
//! drift. The time at which it leaves is an infinite sum of images (reflections at both bounds); each term is the first
//! passage through one level, for which there is a closed form (Borodin and Salminen, "Handbook of Brownian Motion", 2002,
//! parts II.2.0.2 and II.2.3.0). A real walk leaves a little beyond a bound; on average by 0.5826 standard deviations of a
//! step (Siegmund, "Sequential Analysis", 1985, chapter X), by which the bounds are moved outwards.

use super::normal::{phi, scaled_tail};

/// How far beyond a bound a random walk ends, in standard deviations of a step: -zeta(1/2)/sqrt(2 pi).
pub(super) const OVERSHOOT: f64 = 0.582_597_157_939_01;

/// A process with variance 1 per unit of time, which starts at 0, `below` above the lower bound and `above` below the upper
/// one.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Corridor {
    pub below: f64,
    pub above: f64,
    /// Its drift per unit of time.
    pub drift: f64,
}

impl Corridor {
    /// The probability that it has left through the upper bound by this time.
    pub fn left_above_by(self, time: f64) -> f64 {
        const NEGLIGIBLE: f64 = 1e-15;
        const MOST_IMAGES: i32 = 100_000;
        let Corridor { below, above, drift } = self;
        if time <= 0.0 {
            return 0.0;
        }
        let width = below + above;
        let mut sum = 0.0;
        for image in 0..MOST_IMAGES {
            let shift = 2.0 * f64::from(image) * width;
            let added = image_term(above + shift, above, drift, time);
            // The mirror image beyond the lower bound.
            let removed = image_term(shift + 2.0 * width - above, above, drift, time);
            sum += added - removed;
            if added < NEGLIGIBLE {
                break;
            }
        }
        sum.clamp(0.0, 1.0)
    }

    /// The probability that it has left through the lower bound by this time.
    pub fn left_below_by(self, time: f64) -> f64 {
        let Corridor { below, above, drift } = self;
        Corridor { below: above, above: below, drift: -drift }.left_above_by(time)
    }

    /// The probability that it has left by this time.
    pub fn left_by(self, time: f64) -> f64 {
        (self.left_above_by(time) + self.left_below_by(time)).min(1.0)
    }

    /// The probability that it leaves through the upper bound in the end.
    pub fn leaves_above(self) -> f64 {
        let Corridor { below, above, drift } = self;
        let width = below + above;
        if (drift * width).abs() < 1e-9 {
            return below / width;
        }
        // Both exponents have the sign that keeps them finite.
        if drift > 0.0 {
            (-2.0 * drift * below).exp_m1() / (-2.0 * drift * width).exp_m1()
        } else {
            let fall = (2.0 * drift * above).exp();
            fall * (2.0 * drift * below).exp_m1() / (2.0 * drift * width).exp_m1()
        }
    }

    /// The mean time until it leaves.
    pub fn mean_time(self) -> f64 {
        let Corridor { below, above, drift } = self;
        if (drift * (below + above)).abs() < 1e-6 {
            return below * above;
        }
        let up = self.leaves_above();
        (up * above - (1.0 - up) * below) / drift
    }

    /// The mean time until it leaves, if it is stopped at this time.
    pub fn mean_time_until(self, end: f64) -> f64 {
        const STEPS: u32 = 400; // even, for Simpson's rule
        let width = end / f64::from(STEPS);
        let stays = |step: u32| 1.0 - self.left_by(f64::from(step) * width);
        let weighted = (0..=STEPS).map(|step| match step {
            0 | STEPS => stays(step),
            step if step % 2 == 1 => 4.0 * stays(step),
            step => 2.0 * stays(step),
        });
        weighted.sum::<f64>() * width / 3.0
    }

    /// The time by which it has left with this probability.
    pub fn quantile(self, share: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.mean_time());
        while self.left_by(high) < share {
            high *= 2.0;
        }
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if self.left_by(middle) < share { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    }
}

/// exp(drift · (above − level)) times the probability of a first passage through `level` by `time`.
fn image_term(level: f64, above: f64, drift: f64, time: f64) -> f64 {
    // A downward drift is an upward one with other weights: the passage has the probability exp(2 · drift · level) of the
    // mirrored one.
    let speed = drift.abs();
    let weight = if drift >= 0.0 { drift * (above - level) } else { drift * (above + level) };
    let root = time.sqrt();
    let near = (speed * time - level) / root;
    let far = (speed * time + level) / root;
    weight.exp() * (phi(near) + (-near * near / 2.0).exp() * scaled_tail(far))
}

#[cfg(test)]
mod tests {
    use super::Corridor;

    #[test]
    fn both_ways_out_add_up_and_agree_with_the_long_run() {
        for (below, above, drift) in [
            (2.9, 2.9, 0.0),
            (2.9, 2.9, 0.5),
            (2.25, 2.89, -1.3),
            (0.5, 4.0, 0.01),
            (3.0, 3.0, 40.0),
            (3.0, 3.0, -40.0),
        ] {
            let corridor = Corridor { below, above, drift };
            let long = 400.0 * corridor.mean_time();
            let [up, down] = [corridor.left_above_by(long), corridor.left_below_by(long)];
            assert!((up - corridor.leaves_above()).abs() < 1e-9, "{corridor:?}: {up} {}", corridor.leaves_above());
            assert!((up + down - 1.0).abs() < 1e-9, "{corridor:?}: {up} {down}");
            let whole = corridor.mean_time_until(20.0 * corridor.mean_time());
            assert!((whole / corridor.mean_time() - 1.0).abs() < 2e-3, "{corridor:?}: {whole}");
            let middle = corridor.quantile(0.5);
            assert!((corridor.left_by(middle) - 0.5).abs() < 1e-9);
            let times: Vec<f64> = (0..50).map(|step| corridor.left_above_by(f64::from(step) * middle / 10.0)).collect();
            assert!(times.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12), "{times:?}");
        }
    }

    /// Without drift from the middle: the eigenfunction series, which converges where the images converge slowly.
    #[test]
    fn images_agree_with_the_other_series() {
        let corridor = Corridor { below: 1.0, above: 1.0, drift: 0.0 };
        for time in [0.2, 1.0, 3.0, 8.0] {
            let stays: f64 = (0..200)
                .map(|k| {
                    let odd = f64::from(2 * k + 1);
                    let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
                    let decay = -odd * odd * std::f64::consts::PI.powi(2) * time / 8.0;
                    sign * 4.0 / (std::f64::consts::PI * odd) * decay.exp()
                })
                .sum();
            assert!((1.0 - corridor.left_by(time) - stays).abs() < 1e-12, "{time}: {stays}");
        }
    }
}
