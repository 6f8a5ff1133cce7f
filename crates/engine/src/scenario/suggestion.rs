//! The known word that a user most likely meant by an unknown one.

/// The candidate that `word` most likely meant.
pub(crate) fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .map(|&candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|&(likeness, _)| likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The remedy for a `word` that is not among `candidates`: the one that was most likely meant, or else `otherwise`.
#[must_use]
pub(crate) fn suggestion(word: &str, candidates: &[&str], otherwise: &str) -> String {
    match nearest(word, candidates) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => otherwise.to_owned(),
    }
}
