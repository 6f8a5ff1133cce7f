//! How much a test does: `make test` does part of the work, `make test-long` does all.

/// Whether all of the work is to be done: `PENSTOCK_LONG` is set.
fn is_long() -> bool {
    std::env::var_os("PENSTOCK_LONG").is_some()
}

/// The one that fits the run.
pub(crate) fn quick_or_long<T>(quick: T, long: T) -> T {
    if is_long() { long } else { quick }
}

/// One of `step` of the items in the quick run, and every one in the long run.
pub(crate) fn one_in<T>(step: usize, items: Vec<T>) -> Vec<T> {
    items.into_iter().step_by(quick_or_long(step, 1)).collect()
}
