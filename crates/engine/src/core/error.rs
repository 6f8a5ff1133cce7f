//! What can be wrong with a scenario or a run: one error type, which says where, what, why and what would be right.

use std::fmt;

/// What whoever meets a defect is asked for.
pub const REPORT: &str = "this is a defect of Penstock, please report it with the scenario and the seed";

/// Most letters of a value that an error shows. The beginning is enough to find a longer one in the file.
const LONGEST_VALUE: usize = 200;
/// Most letters of a reason or a remedy: they quote names, and what serde says quotes values.
const LONGEST_TEXT: usize = 1_000;

/// A fault in one parameter. The part that finds it gives the path below itself; each caller puts its own before that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path below the part, as `"depth"` or `"increase.step"`; empty for the part itself.
    pub path: String,
    /// The offending value, as it would stand in the file.
    pub value: String,
    /// Why it cannot be.
    pub reason: String,
    /// What would be right.
    pub remedy: String,
}

impl Fault {
    /// A fault at `path`.
    pub fn new(
        path: impl Into<String>,
        value: impl fmt::Display,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Fault {
        Fault {
            path: path.into(),
            value: cut(&value.to_string(), LONGEST_VALUE),
            reason: cut(&reason.into(), LONGEST_TEXT),
            remedy: cut(&remedy.into(), LONGEST_TEXT),
        }
    }

    /// The same fault, seen from one level above.
    #[must_use]
    pub fn under(mut self, parent: &str) -> Fault {
        self.path = match (parent, self.path.as_str()) {
            ("", _) => self.path,
            (_, "") => parent.to_owned(),
            (_, path) if path.starts_with('[') => format!("{parent}{path}"),
            (_, path) => format!("{parent}.{path}"),
        };
        self
    }
}

/// The beginning of a text that is longer than `most` letters, with an ellipsis; no word is longer than a value.
fn cut(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let (mut length, mut word) = (0, 0);
    for letter in text.chars() {
        word = if letter.is_whitespace() { 0 } else { word + 1 };
        if length == most {
            shown.push('\u{2026}');
            break;
        }
        if word <= LONGEST_VALUE {
            shown.push(letter);
            length += 1;
        } else if word == LONGEST_VALUE + 1 {
            shown.push('\u{2026}');
        }
    }
    shown
}

/// Every way in which the engine can refuse or fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is not a scenario: a slip of syntax, an unknown key, a value of the wrong form.
    #[error("{}", Described { line: *line, path, value, reason, remedy })]
    Scenario {
        /// Line of the file, from 1, where it is known.
        line: Option<usize>,
        /// Path into the scenario tree.
        path: String,
        /// The offending value.
        value: String,
        /// Why it cannot be.
        reason: String,
        /// What would be right.
        remedy: String,
    },
    /// The run broke an invariant: a defect of Penstock, never of the scenario.
    #[error(
        "flow {flow}: {kind} PDUs are not conserved at {at_s} s: {sent} sent, {delivered} delivered, {dropped} dropped, {in_flight} in flight; {REPORT}"
    )]
    Conservation {
        /// Name of the flow.
        flow: String,
        /// `"data"` or `"control"`.
        kind: &'static str,
        /// Time of the check, in seconds.
        at_s: String,
        /// PDUs sent.
        sent: u64,
        /// PDUs delivered.
        delivered: u64,
        /// PDUs dropped.
        dropped: u64,
        /// PDUs found in queues and on lines.
        in_flight: u64,
    },
    /// The same of the data that a source offered: each is sent, waits, is withheld, or is lost at the source.
    #[error("flow {flow}: data of its source are not conserved at {at_s} s; {REPORT}")]
    Demand {
        /// Name of the flow.
        flow: String,
        /// Time of the check, in seconds.
        at_s: String,
    },
    /// PDUs and the records beside them do not agree.
    #[error("{stored} records are stored for {in_flight} PDUs at {at_s} s; {REPORT}")]
    Records {
        /// Time of the check, in seconds.
        at_s: String,
        /// Records beside PDUs.
        stored: u64,
        /// PDUs with a record in queues and on lines.
        in_flight: u64,
    },
    /// The engine panicked: a defect as well.
    #[error("the engine has failed{place}: {message}; {REPORT}")]
    Panic {
        /// Where, as `" at FILE:LINE"`; empty if it is not known.
        place: String,
        /// What it said.
        message: String,
    },
}

struct Described<'a> {
    line: Option<usize>,
    path: &'a str,
    value: &'a str,
    reason: &'a str,
    remedy: &'a str,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.path.is_empty() {
            // Whole in the error itself, for it leads to a line; its keys may be as long as anybody likes.
            write!(f, "{}", cut(self.path, LONGEST_VALUE))?;
            if !self.value.is_empty() {
                write!(f, " = {}", self.value)?;
            }
            write!(f, ": ")?;
        }
        write!(f, "{}", self.reason)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        Ok(())
    }
}

impl From<Fault> for Error {
    fn from(Fault { path, value, reason, remedy }: Fault) -> Error {
        Error::Scenario { line: None, path, value, reason, remedy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_and_everything_else_is_shown_whole() {
        let short = Fault::new("flow.a", "\u{e9}".repeat(200), "a reason", "a remedy");
        assert_eq!(short.value, "\u{e9}".repeat(200));
        let long = Fault::new(
            "k".repeat(9_000),
            "v ".repeat(9_000),
            format!("`{}` is", "r".repeat(9_000)),
            "m ".repeat(9_000),
        );
        assert_eq!(long.value, format!("{}\u{2026}", "v ".repeat(100)));
        assert_eq!(long.reason, format!("`{}\u{2026} is", "r".repeat(199)));
        assert_eq!(long.remedy.chars().count(), 1_001);
        assert_eq!(long.path.len(), 9_000);
        let actual = Error::from(long).to_string();
        assert!(
            actual.starts_with(&format!("{}\u{2026} = v v ", "k".repeat(200))) && actual.chars().count() < 1_700,
            "{actual}"
        );
    }
}
