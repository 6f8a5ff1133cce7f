//! Running averages of what a load factor is of (method 2 of S. Kalyanaraman's thesis).

/// Running averages over the intervals with input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Averages {
    pub(super) bits: f64,
    /// Target rate, bits per second.
    pub(super) target: f64,
    pub(super) seconds: f64,
}

impl Averages {
    /// These, with a new interval of this `weight`.
    pub(super) fn with(self, new: Averages, weight: f64) -> Averages {
        let mix = |old: f64, new: f64| (1.0 - weight) * old + weight * new;
        Averages {
            bits: mix(self.bits, new.bits),
            target: mix(self.target, new.target),
            seconds: mix(self.seconds, new.seconds),
        }
    }

    pub(super) fn load_factor(self) -> f64 {
        if self.target > 0.0 { self.bits / self.seconds / self.target } else { f64::INFINITY }
    }
}
