//! How much a test does: `make test` builds with debug assertions and does part of the work, `make test-long` does all.

/// The one that fits the build: `quick` with debug assertions, `long` without (the profiles `quick` and `release`).
pub(crate) fn quick_or_long<T>(quick: T, long: T) -> T {
    if cfg!(debug_assertions) { quick } else { long }
}

/// One of `step` of the items in the quick run, and every one in the long run.
pub(crate) fn one_in<T>(step: usize, items: Vec<T>) -> Vec<T> {
    items.into_iter().step_by(quick_or_long(step, 1)).collect()
}
