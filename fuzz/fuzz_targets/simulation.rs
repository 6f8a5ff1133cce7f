#![no_main]

#[path = "../../crates/engine/tests/reading/mod.rs"]
mod reading;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    // The macro wants a block.
    penstock_fuzz::toml(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|octets: &[u8]| reading::simulation(octets));
