//! Touch: many parts read their state just before they run.
//!
//! The state of many hosts is not in the cache. If one host runs after the other, each waits for the memory. The loads of
//! [`TOGETHER`] hosts, without work between them, wait at the same time: with 100,000 hosts a cell then takes 290 ns in place
//! of 420. With fewer than [`MANY`] flows the loads would only cost instructions.

/// With so many flows in the network the state of a part is not in the cache when it runs.
pub(super) const MANY: usize = 16_384;

/// Whether the state of so many flows is read together. The engine of the browser, which has to be small, never does.
#[inline]
pub(super) fn are_many(flows: usize) -> bool {
    !cfg!(target_arch = "wasm32") && flows >= MANY
}

/// Parts that read their state together.
pub(super) const TOGETHER: usize = 32;

/// Takes what each part has read. The compiler may not leave the loads out.
#[inline]
pub(super) fn all(read: impl Iterator<Item = u64>) {
    std::hint::black_box(read.fold(0, |all, one| all ^ one));
}
