//! The known word that a user most likely meant by an unknown one.

/// The likeness (Jaro and Winkler) above which a word may be meant.
const LIKE: f64 = 0.75;

/// The candidate that `word` most likely meant.
pub(crate) fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .filter(|candidate| is_close(word, candidate))
        .map(|&candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|&(likeness, _)| likeness > LIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Whether one word begins with the other, of two letters or more, or few slips lie between them: one for every two letters
/// of the shorter one.
///
/// The likeness alone takes words for near that have little more than their first letters in common: `from` and `framing`.
fn is_close(word: &str, candidate: &str) -> bool {
    let shorter = word.chars().count().min(candidate.chars().count());
    let is_part = shorter > 1 && (candidate.starts_with(word) || word.starts_with(candidate));
    is_part || strsim::damerau_levenshtein(word, candidate) <= shorter / 2
}

/// The remedy for a `word` that is not among `candidates`: the one that was most likely meant, or else `otherwise`.
#[must_use]
pub(crate) fn suggestion(word: &str, candidates: &[&str], otherwise: &str) -> String {
    match nearest(word, candidates) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => otherwise.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_or_a_part_of_a_word_is_understood() {
        for (word, meant) in [
            ("dely", "delay"),
            ("dealy", "delay"),
            ("dur", "duration"),
            ("durations", "duration"),
            ("rat", "rate"),
            ("thresold", "threshold"),
            ("cuont", "count"),
        ] {
            let known = ["count", "delay", "duration", "rate", "threshold"];
            assert_eq!(nearest(word, &known), Some(meant), "{word}");
        }
    }

    #[test]
    fn a_word_with_little_in_common_is_no_suggestion() {
        let trace = ["name", "sha256", "start", "time_scale", "size_scale", "loop", "framing", "burst", "held"];
        for word in ["from", "frame_rate", "to", "f", "", "time"] {
            assert_eq!(nearest(word, &trace), (word == "time").then_some("time_scale"), "{word}");
        }
        assert_eq!(nearest("form", &["from", "framing"]), Some("from"));
        assert_eq!(nearest("ab", &["cd", "ba"]), None);
    }
}
