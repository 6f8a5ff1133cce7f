#![no_main]

#[path = "../../crates/engine/tests/reading/mod.rs"]
mod reading;

libfuzzer_sys::fuzz_target!(|octets: &[u8]| reading::quantity(octets));
