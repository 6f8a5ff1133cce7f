//! The points of a table of lengths, and what can be wrong with them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::traffic::records::{BadFile, records};

/// The longest message, in octets. Numbers up to it are exact as floats.
pub const MOST_OCTETS: u64 = 1 << 50;
/// Most points of a table.
const MOST_POINTS: usize = 10_000;

/// The points of a table. Clones share them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<(u64, f64)>", into = "Vec<(u64, f64)>")]
#[schemars(with = "Vec<(u64, f64)>")]
pub struct Points(pub(super) Arc<[(u64, f64)]>);

impl Default for Points {
    fn default() -> Points {
        Points(Arc::from([]))
    }
}

impl From<Vec<(u64, f64)>> for Points {
    fn from(points: Vec<(u64, f64)>) -> Points {
        Points(points.into())
    }
}

impl From<Points> for Vec<(u64, f64)> {
    fn from(points: Points) -> Vec<(u64, f64)> {
        points.0.to_vec()
    }
}

/// What is wrong with the points.
pub(super) struct Wrong {
    /// The point at fault, from 0; none if it is their number.
    pub(super) place: Option<usize>,
    pub(super) reason: String,
    pub(super) remedy: String,
}

/// Finds fault with points that are no distribution of lengths.
pub(super) fn faultless(points: &[(u64, f64)]) -> Result<(), Wrong> {
    let refuse = |place: usize, reason: String, remedy: &str| {
        Err(Wrong { place: Some(place), reason, remedy: remedy.to_owned() })
    };
    if !(2..=MOST_POINTS).contains(&points.len()) {
        let reason = format!("a table has 2 to {MOST_POINTS} points");
        let remedy =
            "give octets and per cent as in [[1000, 50], [100000, 100]]; for one length, write sizes = \"1 kB\"";
        return Err(Wrong { place: None, reason, remedy: remedy.to_owned() });
    }
    let mut last = (0, 0.0);
    for (place, &(octets, share)) in points.iter().enumerate() {
        if !(share.is_finite() && share >= 0.0) {
            return refuse(place, "its share is no share".to_owned(), "give a number from 0 to 100");
        }
        if octets > MOST_OCTETS {
            let reason = format!("no message is longer than {MOST_OCTETS} octets");
            return refuse(place, reason, "end the table earlier");
        }
        if octets == 0 && share > 0.0 {
            let reason = "messages would be shorter than 1 octet".to_owned();
            return refuse(place, reason, "give at least 1 octet; only a first point with share 0 may have 0");
        }
        if share < last.1 || octets < last.0 {
            let what = if share < last.1 { "share" } else { "length" };
            let reason = format!("its {what} is below that of the point before it, [{}, {}]", last.0, last.1);
            return refuse(place, reason, "shares are cumulative and lengths rise: sort the points");
        }
        last = (octets, share);
    }
    if last.1 != 100.0 && last.1 != 1.0 {
        let reason = "the table ends here, at neither 100 per cent nor, for fractions, 1".to_owned();
        return refuse(points.len() - 1, reason, "add the length of the longest message, with share 100");
    }
    Ok(())
}

/// The points in the text of a file.
pub(super) fn parse(text: &str) -> Result<Vec<(u64, f64)>, BadFile> {
    let (mut points, mut lines) = (Vec::new(), Vec::new());
    for (line, fields) in records(text) {
        let refuse = |reason: String, remedy: &str| Err(BadFile { line, reason, remedy: remedy.into() });
        let &[octets, share] = fields.as_slice() else {
            return refuse(
                format!("there are {} columns", fields.len()),
                "write octets and share; comments begin with #",
            );
        };
        let shown = |field: &str| field.chars().take(40).collect::<String>();
        let Some(octets) = whole(octets) else {
            let reason = format!("{:?} is no whole number of octets", shown(octets));
            return refuse(reason, "write octets, then the share; comments begin with #");
        };
        let Ok(share) = share.parse() else {
            let reason = format!("{:?} is no share", shown(share));
            return refuse(reason, "write a number from 0 to 100; comments begin with #");
        };
        points.push((octets, share));
        lines.push(line);
        if points.len() > MOST_POINTS {
            break;
        }
    }
    faultless(&points).map_err(|Wrong { place, reason, remedy }| {
        let line = place.map_or(0, |place| lines[place]);
        BadFile { line, reason, remedy }
    })?;
    Ok(points)
}

/// A whole number, which may have an exponent.
fn whole(text: &str) -> Option<u64> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| *number >= 0.0 && number.fract() == 0.0);
    text.parse().ok().or_else(|| number(text).map(|number| number as u64))
}
