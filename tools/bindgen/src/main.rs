//! Makes the JavaScript and the TypeScript declarations of a WebAssembly file: `bindgen FILE.wasm FOLDER NAME`.
//!
//! Its version must be that of the crate `wasm-bindgen` in the workspace.

use std::env::args;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = args().skip(1).collect();
    let [wasm, folder, name] = arguments.as_slice() else {
        eprintln!("usage: bindgen FILE.wasm FOLDER NAME");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(wasm).out_name(name).web(true).and_then(|bindgen| {
        bindgen.typescript(true).remove_name_section(true).remove_producers_section(true).generate(folder)
    });
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{wasm}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
