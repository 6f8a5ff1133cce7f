//! The digest of the sources changes with every change that may change a result, and with nothing else.

#[path = "../build.rs"]
#[expect(dead_code, reason = "only the digest is tested here; cargo runs the rest")]
mod build;

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
