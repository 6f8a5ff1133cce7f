//! The digest of the sources changes with every change that may change a result, and with nothing else.

#[path = "../build.rs"]
#[expect(dead_code, reason = "only the digest is tested here; cargo runs the rest")]
mod build;

use toml::Table;

fn digest(sources: &[(&str, &str)]) -> String {
    build::digest(sources.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect())
}

#[test]
fn the_engine_has_the_digest_of_its_sources() {
    let sources = penstock_engine::SOURCES;
    assert_eq!(sources.len(), 32, "{sources}");
    assert!(sources.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')), "{sources}");
    assert_ne!(sources, digest(&[]));
}

#[test]
fn order_and_line_ends_do_not_matter() {
    let plain = digest(&[("src/a.rs", "one\ntwo\n"), ("src/b.rs", "three\n")]);
    assert_eq!(digest(&[("src/b.rs", "three\r\n"), ("src/a.rs", "one\r\ntwo\r\n")]), plain);
    // Computed independently, with Python's hashlib.
    assert_eq!(plain, "893db48dc79da1c52b06fc70b1407204");
}

#[test]
fn names_contents_and_their_boundaries_matter() {
    let all = [
        digest(&[("src/a.rs", "one"), ("src/b.rs", "two")]),
        digest(&[("src/a.rs", "one"), ("src/b.rs", "twO")]),
        digest(&[("src/a.rs", "one"), ("src/c.rs", "two")]),
        digest(&[("src/a.rs", "two"), ("src/b.rs", "one")]),
        digest(&[("src/a.rs", "onesrc/b.rs"), ("", "two")]),
        digest(&[("src/a.rs", "one")]),
    ];
    for (index, digest) in all.iter().enumerate() {
        assert!(!all[..index].contains(digest), "{index}");
    }
}

const MANIFEST: &str = "[dependencies]\nlibm.workspace = true\ntoml = \"1\"\n[dev-dependencies]\nproptest = \"1\"\n";
const WORKSPACE: &str = "[workspace.dependencies]\nlibm = \"0.2\"\npyo3 = \"0.27\"\n";
/// Two versions of winnow: toml needs the newer one, and a package that the engine does not need has the other.
const LOCK: &str = r#"
[[package]]
name = "libm"
version = "0.2.16"
checksum = "aa"

[[package]]
name = "penstock-engine"
version = "0.1.0"
dependencies = ["libm", "proptest", "toml"]

[[package]]
name = "proptest"
version = "1.0.0"
checksum = "bb"

[[package]]
name = "pyo3"
version = "0.27.0"
checksum = "cc"
dependencies = ["winnow 0.7.0"]

[[package]]
name = "toml"
version = "1.2.0"
checksum = "dd"
dependencies = ["winnow 1.0.0"]

[[package]]
name = "winnow"
version = "0.7.0"
checksum = "ee"

[[package]]
name = "winnow"
version = "1.0.0"
checksum = "ff"
"#;

fn dependencies(manifest: &str, workspace: &str, lock: &str) -> Vec<(String, String)> {
    let [manifest, workspace, lock] = [manifest, workspace, lock].map(|text| text.parse::<Table>().unwrap());
    build::dependencies(&manifest, &workspace, &lock)
}

#[test]
fn only_what_the_engine_needs_counts() {
    let found = dependencies(MANIFEST, WORKSPACE, LOCK);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let needed = ["package libm 0.2.16", "package toml 1.2.0", "package winnow 1.0.0"];
    assert_eq!(names, [&["dependency libm", "dependency libm", "dependency toml"][..], &needed].concat());
    let asked = [r#"{ workspace = true }"#, r#""0.2""#, r#""1""#];
    assert_eq!(
        found.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(),
        [&asked[..], &["aa", "dd", "ff"]].concat()
    );
}

#[test]
fn another_version_or_feature_of_a_dependency_counts_and_one_of_a_face_does_not() {
    let plain = dependencies(MANIFEST, WORKSPACE, LOCK);
    let faces = [
        ("0.27.0", "0.28.0"),
        ("1.0.0\"\nchecksum = \"bb", "1.1.0\"\nchecksum = \"b9"),
        ("0.7.0", "0.7.1"),
        ("\"ee\"", "\"e9\""),
    ];
    for (from, to) in faces {
        assert!(LOCK.contains(from), "{from}");
        assert_eq!(dependencies(MANIFEST, WORKSPACE, &LOCK.replace(from, to)), plain, "{from}");
    }
    let more = format!("{LOCK}\n[[package]]\nname = \"new\"\nversion = \"1.0.0\"\n");
    assert_eq!(dependencies(MANIFEST, WORKSPACE, &more), plain);
    assert_eq!(dependencies(&MANIFEST.replace("proptest = \"1\"", "proptest = \"2\""), WORKSPACE, LOCK), plain);
    assert_eq!(dependencies(MANIFEST, &WORKSPACE.replace("0.27", "0.28"), LOCK), plain);
    for (from, to) in
        [("0.2.16", "0.2.17"), ("\"ff\"", "\"f9\""), ("1.0.0\"\nchecksum = \"ff", "1.0.1\"\nchecksum = \"ff")]
    {
        assert!(LOCK.contains(from), "{from}");
        assert_ne!(dependencies(MANIFEST, WORKSPACE, &LOCK.replace(from, to)), plain, "{from}");
    }
    let features = WORKSPACE.replace("libm = \"0.2\"", "libm = { version = \"0.2\", features = [\"arch\"] }");
    assert_ne!(dependencies(MANIFEST, &features, LOCK), plain);
}
