//! Files with one record a line.
//!
//! Blanks, commas or semicolons separate columns. Empty lines are skipped, and so is all text after `#` or `%`.

use crate::core::error::Fault;

/// A fault in such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadFile {
    /// Line of the file, from 1. 0 means the whole file.
    pub(super) line: usize,
    pub(super) reason: String,
    pub(super) remedy: String,
}

impl BadFile {
    /// The fault of the parameter `file`, which names this file.
    pub(super) fn within(self, file: &str) -> Fault {
        let reason = match self.line {
            0 => self.reason,
            line => format!("line {line} of the file: {}", self.reason),
        };
        Fault::new("file", format!("{file:?}"), reason, self.remedy)
    }
}

/// The columns of each line that has any, with the number of the line from 1.
pub(super) fn records(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, columns(line))).filter(|(_, line)| !line.is_empty())
}

fn columns(line: &str) -> Vec<&str> {
    let data = line.split(['#', '%']).next().unwrap_or_default();
    data.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|field| !field.is_empty()).collect()
}
