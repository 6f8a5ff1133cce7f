//! What a source sends while nothing controls it: enough to say beforehand how little a run can come to.

/// What a source sends that nothing controls. Its PDUs in a time T are about `(T - late - number * stagger) * mean`, and
/// that sum has a variance of `2 * peak * mean * memory * T` at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    /// PDUs a second in the long run; `None` for as many as the first line takes.
    pub mean: Option<f64>,
    /// The most PDUs a second.
    pub peak: f64,
    /// Seconds after which its rate has forgotten what it was.
    pub memory: f64,
    /// Seconds for which it may send nothing.
    pub late: f64,
    /// The same, once more for each flow of the group before it.
    pub stagger: f64,
}

impl Offer {
    /// One that sends at once, without variation.
    pub(super) const STEADY: Offer = Offer { mean: None, peak: 0.0, memory: 0.0, late: 0.0, stagger: 0.0 };
}
