//! What the reader of TOML says is wrong with a text, in a user's words.

use super::places;
use crate::core::error::Fault;

/// The fault for an error of syntax: the parser reports it as `message`, and it begins at `position` of `text`.
pub(super) fn explain(message: &str, text: &str, position: usize) -> Fault {
    if text.trim_start().starts_with('{') {
        return fault("this is JSON", "write the scenario in TOML: lines of KEY = VALUE below a [TABLE]");
    }
    let slip = Slip::new(message, text, position);
    let kinds = [Slip::of_key, Slip::of_header, Slip::of_text, Slip::of_list, Slip::of_line, Slip::of_value];
    kinds.into_iter().find_map(|kind| kind(&slip)).unwrap_or_else(|| {
        let message = message.lines().collect::<Vec<_>>().join(", ");
        fault(&format!("this is not TOML: {message}"), LINE)
    })
}

const LINE: &str = "write KEY = VALUE, a [TABLE], or a comment behind #";
const NUMBER: &str = "write a number as 20, 0.5 or 1_000_000, and a text in quotes";

fn fault(reason: &str, remedy: &str) -> Fault {
    Fault::new("", "", reason, remedy)
}

/// A slip of syntax, and where it is.
struct Slip<'a> {
    text: &'a str,
    position: usize,
    /// The line of the slip, and its part from the slip on.
    line: &'a str,
    rest: &'a str,
    /// What the library calls it.
    problem: &'a str,
}

impl<'a> Slip<'a> {
    fn new(message: &'a str, text: &'a str, position: usize) -> Slip<'a> {
        let position = position.min(text.len());
        let start = text[..position].rfind('\n').map_or(0, |end| end + 1);
        let line = text[start..].lines().next().unwrap_or_default().trim();
        let rest = text[position..].lines().next().unwrap_or_default().trim();
        let problem = message.lines().next().and_then(|line| line.split(", expected").next()).unwrap_or_default();
        Slip { text, position, line, rest, problem }
    }

    /// The fault of a key.
    fn of_key(&self) -> Option<Fault> {
        let &Slip { text, position, line, problem, .. } = self;
        Some(match problem {
            "duplicate key" => duplicate(text, position, line),
            "key with no value"
                if line.split('=').next().is_some_and(|key| key.len() < line.len() && is_words(key)) =>
            {
                fault(&format!("the key of `{line}` has several words"), "join them with _, or put the key in quotes")
            }
            "key with no value" => {
                let remedy = match line {
                    line if line.starts_with("//") || line.starts_with(';') => "begin a comment with #",
                    line if line.contains(':') && !line.contains('=') => "write = for the colon",
                    _ => LINE,
                };
                fault(&format!("`{line}` has no = behind its key"), remedy)
            }
            "invalid key-value pair" => fault(&format!("`{line}` does not begin with a key"), LINE),
            "invalid unquoted key" => {
                let letter = text[position..].chars().next().unwrap_or_default();
                let code = format!("U+{:04X}", u32::from(letter));
                let shown = if letter.is_alphanumeric() { format!("`{letter}` ({code})") } else { code };
                fault(
                    &format!("{shown} cannot stand in a key without quotes"),
                    "a key has the letters a to z and A to Z, digits, _ and -",
                )
            }
            "unquoted keys cannot be empty" if line.starts_with('[') => {
                fault(&format!("the header {line} lacks a name"), "write it as in [line.trunk]")
            }
            "unquoted keys cannot be empty" => fault("there is no key before the =", LINE),
            _ => return None,
        })
    }

    /// The fault of the header of a table.
    fn of_header(&self) -> Option<Fault> {
        let &Slip { line, problem, .. } = self;
        Some(match problem {
            "unclosed table" if line.contains(']') => {
                let remedy = "a name has letters, digits, _ and -; put any other in quotes, as in [line.\"a b\"]";
                fault(&format!("the header {line} has a name that cannot be"), remedy)
            }
            "unclosed table" => fault(&format!("the header {line} is not closed"), "write it as in [line.trunk]"),
            _ => return None,
        })
    }

    /// The fault of a text, or the end of a line.
    fn of_text(&self) -> Option<Fault> {
        let &Slip { text, position, line, rest, problem, .. } = self;
        Some(match problem {
            "carriage return must be followed by newline" => {
                fault("a carriage return stands alone", "end lines with a line feed, or with both")
            }
            "string values must be quoted" => unquoted(line, rest),
            "invalid basic string" | "invalid literal string" => {
                let value = line.split_once('=').map_or(line, |(_, value)| value).trim();
                fault(&format!("the text {value} is not closed on its line"), "end it with the quote that begins it")
            }
            "invalid multi-line basic string" | "invalid multi-line literal string" => {
                let first = text[..position].rfind("\"\"\"").or(text[..position].rfind("\'\'\'")).unwrap_or(position);
                let number = super::line_at(text, first);
                fault(
                    &format!("the text that begins with three quotes in line {number} is never closed"),
                    "end it with three quotes, or use one on either side",
                )
            }
            _ => return None,
        })
    }

    /// The fault of a list, or a table in braces.
    fn of_list(&self) -> Option<Fault> {
        let &Slip { rest, problem, .. } = self;
        Some(match problem {
            "missing comma between array elements" => fault(
                "a list that began before this place is not closed, or lacks a comma",
                "put a comma between its entries, quotes on both sides of each text, and a ] at its end",
            ),
            "missing comma between key-value pairs" | "missing key for inline table element" => fault(
                "a table in braces that began before this place is not closed, or lacks a comma",
                "put a comma between its keys, and a } at its end",
            ),
            "missing assignment between key-value pairs" => {
                let remedy = if rest.contains(':') { "write = for the colon" } else { "write KEY = VALUE" };
                fault("a key in braces has no = behind it", remedy)
            }
            "extra comma in inline table" => fault(
                "a comma stands where a key is wanted",
                "put one comma between two keys; decimals stand behind a point, as in 0.8",
            ),
            _ => return None,
        })
    }

    /// The fault of what follows a value.
    fn of_line(&self) -> Option<Fault> {
        let &Slip { rest, problem, .. } = self;
        Some(match problem {
            "extra `=`" => fault("there is one = too many", "write KEY = VALUE"),
            "unexpected key or value" => {
                let remedy = match rest.chars().next() {
                    Some(',') if rest[1..].starts_with(|next: char| next.is_ascii_digit()) => {
                        "write no commas in numbers: 1000000 or 1_000_000, and 0.5"
                    }
                    Some('/' | ';') => "end the line behind the value; a comment begins with #",
                    _ => "give one KEY = VALUE on a line, and close each quote, bracket and brace once",
                };
                fault(&format!("`{rest}` stands behind the end of the value"), remedy)
            }
            "missing escaped value" => fault(
                "a backslash in a text begins no known escape",
                "write \\\\ for it, or put the text in single quotes",
            ),
            _ => return None,
        })
    }

    /// The fault of a value.
    fn of_value(&self) -> Option<Fault> {
        let &Slip { text, position, line, rest, problem, .. } = self;
        Some(match problem {
            problem if problem.starts_with("cannot extend value of type inline table") => {
                fault(&format!("`{line}` adds to a table that its }} has closed"), "put the key between the braces")
            }
            problem if problem.starts_with("cannot extend value") => {
                fault(&format!("`{line}` adds to a value that is no table"), "name a table, or drop the value")
            }
            problem if problem.contains("date") || problem.contains("time") => fault(
                &format!("`{rest}` is no date"),
                "a scenario has no dates; write a time with its unit, as in \"270 ms\"",
            ),
            "invalid boolean" => unquoted(line, rest),
            "invalid mantissa"
            | "invalid fraction"
            | "invalid float"
            | "unexpected leading zero"
            | "`_` may only go between digits"
            | "invalid exponent"
            | "invalid integer" => match value_at(text, position) {
                value if value.starts_with(char::is_alphabetic) => unquoted(line, value),
                value => fault(&format!("`{value}` is no number"), NUMBER),
            },
            _ => return None,
        })
    }
}

/// Whether a text is several words, with nothing else in it.
fn is_words(text: &str) -> bool {
    let is_word = |word: &str| word.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    text.split_whitespace().count() > 1 && text.split_whitespace().all(is_word)
}

/// A value that is no number and no boolean, and has no quotes.
fn unquoted(line: &str, rest: &str) -> Fault {
    let value = rest.split([',', '}', ']', '#']).next().unwrap_or_default().trim();
    let (reason, remedy) = match value.chars().next() {
        None => (format!("`{line}` has no value"), "give one behind the =".to_owned()),
        Some('\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2018}' | '\u{2019}') => {
            (format!("`{value}` has typographic quotes"), "write straight ones, as in \"270 ms\"".to_owned())
        }
        Some(first) if first.is_ascii_digit() => {
            let remedy = "write a number as 20, 0.5 or 1_000_000; write one with a unit in quotes, as in \"270 ms\"";
            (format!("`{value}` is no number"), remedy.to_owned())
        }
        Some(_) => {
            let remedy = match value.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => "write true".to_owned(),
                "false" | "no" | "off" => "write false".to_owned(),
                "none" | "null" | "nil" => "leave the key out for nothing".to_owned(),
                _ => format!("write \"{value}\""),
            };
            (format!("`{value}` has no quotes"), remedy)
        }
    };
    Fault::new("", "", reason, remedy)
}

/// The word of the text in which something is wrong.
fn value_at(text: &str, position: usize) -> &str {
    let is_edge = |letter: char| letter.is_whitespace() || matches!(letter, ',' | '=' | '[' | ']' | '{' | '}' | '#');
    let start = text[..position].rfind(is_edge).map_or(0, |end| end + 1);
    text[start..].split(is_edge).next().unwrap_or_default()
}

/// A key or a table that is given twice: where first.
fn duplicate(text: &str, position: usize, line: &str) -> Fault {
    let start = text[..position].rfind('\n').map_or(0, |end| end + 1);
    let before = &text[..start];
    let header_of = |line: &str| line.split_once('#').map_or(line, |(header, _)| header).trim().to_owned();
    let name = |header: &str| header.trim_matches(['[', ']']).trim().to_owned();
    let path = if line.starts_with('[') {
        name(&header_of(line))
    } else {
        let key = line.split('=').next().unwrap_or_default().trim();
        let within = text[position..].split(['=', ' ']).next().unwrap_or_default();
        // Within braces it is the inner key, told below the outer one.
        let key = if text[start..position].contains('{') { format!("{key}.{within}") } else { key.to_owned() };
        match before.lines().map(str::trim).rfind(|line| line.starts_with('[') && line.ends_with(']')) {
            None => key,
            Some(header) if header.starts_with("[[") => {
                let number = before.lines().filter(|line| line.trim() == header).count() - 1;
                format!("{}[{number}].{key}", name(header))
            }
            Some(header) => format!("{}.{key}", name(header)),
        }
    };
    let reason = match places::find(before, &path).filter(|place| place.is_end) {
        Some(place) => {
            let first = super::line_at(before, place.position);
            format!("this is a duplicate: line {first} has it already")
        }
        None => "this is a duplicate: this line has it already".to_owned(),
    };
    Fault::new(path, "", reason, "leave one of the two out, or name it otherwise")
}
