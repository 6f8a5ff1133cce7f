//! The offered traffic of an uncontrolled source. The estimate of a run's smallest size uses it.

/// The offered traffic of an uncontrolled source. The number of PDUs in a time T is about
/// `(T - late - number * stagger) * mean`. Its variance is at most `2 * peak * mean * memory * T`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    /// Long-run mean in PDUs a second. `None` for a source that fills its first line.
    pub mean: Option<f64>,
    /// Largest rate in PDUs a second.
    pub peak: f64,
    /// Correlation time of the rate, in seconds.
    pub memory: f64,
    /// Seconds for which the source may send nothing.
    pub late: f64,
    /// Extra such seconds for each earlier flow of the group.
    pub stagger: f64,
}

impl Offer {
    /// One that sends at once, without variation.
    pub(super) const STEADY: Offer = Offer { mean: None, peak: 0.0, memory: 0.0, late: 0.0, stagger: 0.0 };
}
