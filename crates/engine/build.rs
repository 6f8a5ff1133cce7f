//! Takes the digest of all that decides a run's results, for `SOURCES`: the engine's sources, and the versions and features
//! of its dependencies and of theirs, since another version may give other numbers. What only tests or faces depend on does
//! not count.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use toml::{Table, Value};

/// Octets of the hash that are kept: 2^64 versions of the engine before two are likely to agree.
const KEPT: usize = 16;

fn main() -> io::Result<()> {
    let home = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut sources = Vec::new();
    collect(&home.join("src"), "src/", &mut sources)?;
    println!("cargo:rerun-if-changed=src");
    // A crate that was taken out of its workspace has no lock file: whoever builds it chooses the versions.
    let read = |name: &str| -> io::Result<Table> {
        let path = home.join(name);
        if !path.exists() {
            return Ok(Table::new());
        }
        println!("cargo:rerun-if-changed={}", path.display());
        fs::read_to_string(path)?.parse().map_err(|error| io::Error::other(format!("{name}: {error}")))
    };
    let [manifest, workspace, lock] = [read("Cargo.toml")?, read("../../Cargo.toml")?, read("../../Cargo.lock")?];
    sources.extend(dependencies(&manifest, &workspace, &lock));
    println!("cargo:rustc-env=PENSTOCK_SOURCES={}", digest(sources));
    Ok(())
}

/// What the manifests ask of each dependency of the engine, and what the lock file says of each package that it needs.
pub(crate) fn dependencies(manifest: &Table, workspace: &Table, lock: &Table) -> Vec<(String, String)> {
    let own = manifest.get("dependencies").and_then(Value::as_table).cloned().unwrap_or_default();
    let shared = workspace.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    let asked = own.iter().flat_map(|(name, asked)| {
        let shared = shared.and_then(|shared| shared.get(name));
        [Some(asked), shared].into_iter().flatten().map(move |asked| (format!("dependency {name}"), asked.to_string()))
    });
    let packages = lock.get("package").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let text = |package: &Value, key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut needed = BTreeMap::new();
    // A package is named with its version where the lock file has several.
    let mut wanted: Vec<String> = own.keys().cloned().collect();
    while let Some(want) = wanted.pop() {
        let mut words = want.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next());
        for package in packages.iter().filter(|package| text(package, "name") == name) {
            let own_version = text(package, "version");
            let is_meant = version.is_none_or(|version| version == own_version);
            let name = format!("package {name} {own_version}");
            if is_meant && needed.insert(name, text(package, "checksum")).is_none() {
                let further = package.get("dependencies").and_then(Value::as_array).into_iter().flatten();
                wanted.extend(further.filter_map(Value::as_str).map(str::to_owned));
            }
        }
    }
    asked.chain(needed).collect()
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
