//! Names that a scenario may give: short enough to be shown, and none that the product makes itself.
//!
//! A line makes the ports `LINE` and `LINE.reverse`, an access line `access/FLOW` and `access/FLOW.reverse`, and a group the
//! flows `GROUP/NUMBER` and `GROUP/FROM-TO`. Two things of one name would share a row, a random stream, or a place in a path.

use std::collections::BTreeMap;

use crate::core::error::Fault;
use crate::scenario::assembly::plan::port_plan::{ACCESS, REVERSE};
use crate::scenario::path::shown_key;
use crate::scenario::spec::{Flow, Line, Scenario};

/// The most letters of a title.
const LONGEST_TITLE: usize = 1_000;
/// The most letters of a name.
const LONGEST_NAME: usize = 250;

/// Checks the title, and the names of all lines and groups together.
pub(super) fn check(scenario: &Scenario) -> Result<(), Fault> {
    short("title", &scenario.title, LONGEST_TITLE)?;
    scenario.capacity.keys().try_for_each(|name| short("capacity", name, LONGEST_NAME))?;
    scenario.flow.keys().try_for_each(|name| no_flow_of_another(name, &scenario.flow))
}

/// Checks the name of a line, and those of the nodes at its ends.
pub(super) fn of_line(name: &str, line: &Line) -> Result<(), Fault> {
    short("line", name, LONGEST_NAME)?;
    let place = || format!("line.{}", shown_key(name));
    for (index, node) in line.between.iter().enumerate() {
        short(&format!("between[{index}]"), node, LONGEST_NAME).map_err(|fault| fault.under(&place()))?;
    }
    let made = if name.ends_with(REVERSE) {
        format!("a name that ends with `{REVERSE}` is that of the port at the second node of a line")
    } else if name.starts_with(ACCESS) {
        format!("a name that begins with `{ACCESS}` is that of the access line of a flow")
    } else {
        return Ok(());
    };
    Err(Fault::new(place(), name, made, "choose another name"))
}

/// Checks the name of a group of flows.
pub(super) fn of_group(name: &str) -> Result<(), Fault> {
    short("flow", name, LONGEST_NAME)
}

/// Refuses a text of more letters than anything can show.
fn short(path: &str, text: &str, most: usize) -> Result<(), Fault> {
    // Letters are counted only where the octets, which are at least as many, might be too many.
    let letters = if text.len() > most { text.chars().count() } else { 0 };
    if letters <= most {
        return Ok(());
    }
    let reason = format!("this has {letters} letters, and no more than {most} can be shown");
    Err(Fault::new(path, text, reason, "shorten it"))
}

/// Refuses a group with a name that a flow of another group might have.
fn no_flow_of_another(name: &str, groups: &BTreeMap<String, Flow>) -> Result<(), Fault> {
    let owner = name.match_indices('/').map(|(end, _)| &name[..end]).find(|&owner| groups.contains_key(owner));
    let Some(owner) = owner else { return Ok(()) };
    let reason = format!("the flows of the group `{owner}` have names that begin with `{owner}/`");
    Err(Fault::new(format!("flow.{}", shown_key(name)), name, reason, "choose another name"))
}

#[cfg(test)]
mod tests {
    use crate::scenario::assembly;
    use crate::scenario::document::parse;

    /// The refusal of a network with these names.
    fn refused(title: &str, line: &str, node: &str, groups: &[&str]) -> Option<String> {
        let mut text = format!(
            "title = '{title}'\nduration = '1 s'\n[line.'{line}']\nbetween = ['a', '{node}']\nrate = '1 Mb/s'\n"
        );
        for group in groups {
            text +=
                &format!("[flow.'{group}']\ncount = 2\npath = ['a', '{node}']\ntraffic.cbr = {{ rate = '1 kb/s' }}\n");
        }
        assembly::check(&parse(&text).unwrap()).err().map(|error| error.to_string())
    }

    #[test]
    fn names_that_the_product_makes_are_refused() {
        assert_eq!(refused("", "a.b", "b", &["f", "g/1", "f.reverse", "access/f"]), None);
        assert_eq!(refused("", "reverse", "b.reverse", &["f", "ff/1"]), None);
        for (line, actual) in
            [("f.reverse", "the port at the second node"), ("access/f/1", "the access line of a flow")]
        {
            let message = refused("", line, "b", &["f"]).unwrap();
            assert!(message.starts_with("line.") && message.contains(actual), "{message}");
        }
        for group in ["f/1", "f/a-b", "f/1/2"] {
            let message = refused("", "l", "b", &["f", group]).unwrap();
            assert!(message.starts_with("flow.") && message.contains("of the group `f`"), "{message}");
        }
    }

    #[test]
    fn texts_that_nothing_can_show_are_refused() {
        let [long, name] = [1_000, 250].map(|letters| "\u{e9}".repeat(letters));
        assert_eq!(refused(&long, &name, &name, &[&name]), None);
        let (longer, longer_name) = (format!("{long}x"), format!("{name}x"));
        for (path, message) in [
            ("title", refused(&longer, "l", "b", &["f"])),
            ("line", refused("", &longer_name, "b", &["f"])),
            ("line.l.between[1]", refused("", "l", &longer_name, &["f"])),
            ("flow", refused("", "l", "b", &[&longer_name])),
        ] {
            let message = message.unwrap();
            assert!(message.starts_with(&format!("{path} = ")) && message.contains("1 letters"), "{message}");
        }
    }
}
