//! Takes the digest of all that decides a run's results, for `SOURCES`: the engine's sources and manifest, and the
//! lock file, since another version of a dependency may give other numbers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Octets of the hash that are kept: 2^64 versions of the engine before two are likely to agree.
const KEPT: usize = 16;

fn main() -> io::Result<()> {
    let home = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut sources = Vec::new();
    collect(&home.join("src"), "src/", &mut sources)?;
    sources.push(("Cargo.toml".to_owned(), fs::read_to_string(home.join("Cargo.toml"))?));
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=Cargo.toml");
    // A crate that was taken out of its workspace has no lock file: whoever builds it chooses the versions.
    let lock = home.join("../../Cargo.lock");
    if let Ok(contents) = fs::read_to_string(&lock) {
        sources.push(("Cargo.lock".to_owned(), contents));
        println!("cargo:rerun-if-changed={}", lock.display());
    }
    println!("cargo:rustc-env=PENSTOCK_SOURCES={}", digest(sources));
    Ok(())
}

/// Every Rust file in `folder`, named from the crate's root with slashes on every platform.
fn collect(folder: &Path, prefix: &str, sources: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), sources)?;
        } else if name.ends_with(".rs") {
            sources.push((format!("{prefix}{name}"), fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

/// Hash of names and contents in hexadecimal digits, whatever their order and their line ends.
pub(crate) fn digest(mut sources: Vec<(String, String)>) -> String {
    sources.sort();
    let mut hash = Sha256::new();
    for (name, contents) in sources {
        // With its length before it, no part can pass for the end of the one before.
        for part in [name, contents.replace("\r\n", "\n")] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hash.finalize()[..KEPT].iter().map(|octet| format!("{octet:02x}")).collect()
}
