//! Opportunities: a line that can send at given instants only, as the traces of Mahimahi record them (Netravali et al.,
//! Mahimahi, USENIX ATC 2015; `mm-link`).
//!
//! At each instant of the list up to `octets` leave the queue. The list begins again after its last instant, which is its
//! period. So with n instants t, the opportunity number g, from 0, is at
//!
//! ```text
//! time(g) = (g div n) t[n - 1] + t[g mod n]
//! ```
//!
//! A PDU takes its own octets and `overhead`. It leaves with the opportunity that covers the last of them. What an opportunity
//! has left serves the next PDU, if that arrived before the instant; otherwise it is lost, as is every opportunity that finds no
//! PDU. An opportunity costs nothing: the one that a PDU meets is found in the list. PDUs that leave at one instant are 1 ps
//! apart: so on every line with a rate no two are sent at once.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::check;
use crate::core::error::Fault;
use crate::core::time::{LineRate, Time};

/// Most instants of a list.
const MOST_INSTANTS: usize = 1_000_000;
/// Picoseconds of a millisecond.
const MILLISECOND: u64 = 1_000_000_000;
/// How far the rate of the line may be from the mean of its opportunities.
const TOLERANCE: f64 = 1e-3;

/// Instants in milliseconds. Clones share them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<u32>", into = "Vec<u32>")]
#[schemars(with = "Vec<u32>")]
pub struct Instants(Arc<[u32]>);

impl Default for Instants {
    fn default() -> Instants {
        Instants(Arc::from([]))
    }
}

impl From<Vec<u32>> for Instants {
    fn from(instants: Vec<u32>) -> Instants {
        Instants(instants.into())
    }
}

impl From<Instants> for Vec<u32> {
    fn from(instants: Instants) -> Vec<u32> {
        instants.0.to_vec()
    }
}

/// When a line can send.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Opportunities")]
pub struct Params {
    /// A trace of Mahimahi: a file with one instant a line, in the folder of the scenario file or with a path from there. When
    /// the scenario is loaded, its instants are taken, and its name is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// SHA-256 of the file: another file of this name is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The instants in milliseconds. They do not decrease; equal ones add. The last is the time after which they begin again.
    #[serde(default)]
    pub list: Instants,
    /// Octets that can leave at each instant. Mahimahi has 1504: a packet of 1500 octets with the head of its device.
    #[serde(default = "octets")]
    pub octets: u32,
    /// Octets that each PDU takes beside its own.
    #[serde(default = "overhead")]
    pub overhead: u32,
}

fn octets() -> u32 {
    1504
}

fn overhead() -> u32 {
    4
}

impl Params {
    /// The mean rate in bits per second, as PDUs see it that fill one opportunity each.
    #[must_use]
    pub fn mean_rate(&self) -> f64 {
        let bits = 8.0 * (f64::from(self.octets) - f64::from(self.overhead)) * self.list.0.len() as f64;
        self.list.0.last().map_or(0.0, |&period| bits / (f64::from(period) / 1e3))
    }

    /// The first fault, with its path below the table.
    pub fn check(&self) -> Result<(), Fault> {
        check::unread(self.file.as_ref(), self.sha256.as_ref(), "give the list in the scenario")?;
        if self.overhead >= self.octets {
            let reason = format!("each PDU takes {} octets beside its own", self.overhead);
            return Err(Fault::new("octets", self.octets, reason, "give more, as 1504"));
        }
        faultless(&self.list.0).map_err(|(place, reason, remedy)| match place {
            Some(place) => Fault::new(format!("list[{place}]"), self.list.0[place], reason, remedy),
            None => Fault::new("list", format!("{} instants", self.list.0.len()), reason, remedy),
        })
    }

    /// Refuses a rate of the line that is not the mean of the opportunities: control schemes and measures read it.
    pub fn check_rate(&self, rate: LineRate) -> Result<(), Fault> {
        // A rate is a whole number of bits per second.
        let mean = self.mean_rate().max(1.0);
        if (rate.bits_per_second() - mean).abs() <= f64::max(mean * TOLERANCE, 0.5) {
            return Ok(());
        }
        let reason = format!(
            "the line has opportunities, with a mean of {mean:.0} b/s: control schemes and measures must know that rate"
        );
        Err(Fault::new("rate", rate, reason, format!("give \"{mean:.0} b/s\"")))
    }

    /// Takes the instants in the text of its file.
    ///
    /// # Errors
    /// The fault in the text, with its line.
    pub fn read_file(&mut self, text: &str) -> Result<(), Fault> {
        let Some(file) = &self.file else { return Ok(()) };
        if !self.list.0.is_empty() {
            return Err(Fault::new("list", "", "there is a list, and a file that has one", "delete one of the two"));
        }
        let mut list = Vec::new();
        let mut lines = Vec::new();
        for (line, word) in text.lines().map(str::trim_ascii).enumerate().filter(|(_, word)| !word.is_empty()) {
            // `parse` alone would take a sign.
            let digits = word.bytes().all(|octet| octet.is_ascii_digit());
            list.push(word.parse().ok().filter(|_| digits).ok_or_else(|| {
                let shown: String = word.chars().take(40).collect();
                let reason = format!("line {} is no time in whole milliseconds: \"{shown}\"", line + 1);
                Fault::new("file", file, reason, "write one time a line, as in the traces of Mahimahi")
            })?);
            lines.push(line + 1);
        }
        faultless(&list).map_err(|(place, reason, remedy)| {
            let reason = place.map_or(reason.clone(), |place| format!("line {}: {reason}", lines[place]));
            Fault::new("file", file, reason, remedy)
        })?;
        (self.list, self.file, self.sha256) = (list.into(), None, None);
        Ok(())
    }

    /// The opportunities from time 0 on.
    #[must_use]
    pub fn build(&self) -> Opportunities {
        Opportunities {
            list: Arc::clone(&self.list.0),
            size: u64::from(self.octets) * 8,
            overhead: u64::from(self.overhead) * 8,
            next: 0,
            left: 0,
            last: Time::ZERO,
        }
    }
}

/// What is wrong with a list: the place of the instant if it is one, the reason and a remedy.
fn faultless(list: &[u32]) -> Result<(), (Option<usize>, String, String)> {
    let Some(&last) = list.last() else {
        return Err((
            None,
            "without an instant nothing can be sent".to_owned(),
            "add instants in milliseconds".to_owned(),
        ));
    };
    if list.len() > MOST_INSTANTS {
        let reason = format!("there are more than {MOST_INSTANTS}");
        return Err((None, reason, "give a part of them: they begin again".to_owned()));
    }
    if let Some(early) = list.windows(2).position(|pair| pair[1] < pair[0]) {
        let reason = format!("it is earlier than the instant before it, {}", list[early]);
        return Err((Some(early + 1), reason, "sort them".to_owned()));
    }
    if last == 0 {
        let reason = "the last instant is the period, and this one is 0 ms".to_owned();
        return Err((Some(list.len() - 1), reason, "end with the duration in milliseconds".to_owned()));
    }
    Ok(())
}

/// The opportunities of a line, and how much of them is used.
#[derive(Clone, Debug)]
pub struct Opportunities {
    list: Arc<[u32]>,
    /// Bits of each, and those that a PDU takes beside its own.
    size: u64,
    overhead: u64,
    /// The number of the next one.
    next: u64,
    /// What the last one that was used has left, in bits, and its time.
    left: u64,
    last: Time,
}

impl Opportunities {
    /// Sends the next PDU, which arrived then and is of so many bits. Returns its departure time.
    pub(in crate::network::port) fn begin(&mut self, bits: u64, arrived: Time) -> Time {
        if arrived >= self.last {
            self.left = 0;
            self.next = self.next.max(self.first_after(arrived));
        }
        let bits = bits + self.overhead;
        if bits <= self.left {
            self.left -= bits;
            return self.last;
        }
        let missing = bits - self.left;
        let count = missing.div_ceil(self.size);
        self.left = count * self.size - missing;
        self.next += count;
        self.last = self.time(self.next - 1);
        self.last
    }

    /// The time of an opportunity.
    fn time(&self, number: u64) -> Time {
        let count = self.list.len() as u64;
        let at = u64::from(self.list[(number % count) as usize]);
        Time((number / count).saturating_mul(self.period()).saturating_add(at * MILLISECOND))
    }

    /// The number of the first one after this time.
    fn first_after(&self, time: Time) -> u64 {
        let (pass, within) = (time.0 / self.period(), time.0 % self.period());
        let past = self.list.partition_point(|&at| u64::from(at) * MILLISECOND <= within);
        pass * self.list.len() as u64 + past as u64
    }

    /// In picoseconds.
    fn period(&self) -> u64 {
        self.list.last().map_or(MILLISECOND, |&last| u64::from(last) * MILLISECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(list: &[u32]) -> Params {
        Params { file: None, sha256: None, list: list.to_vec().into(), octets: octets(), overhead: overhead() }
    }

    fn at(ms: u64) -> Time {
        Time(ms * MILLISECOND)
    }

    /// Departures in ms of PDUs that arrive at these times in ms, each with its octets.
    fn departures(list: &[u32], arrivals: &[(u64, u64)]) -> Vec<f64> {
        let mut line = params(list).build();
        arrivals.iter().map(|&(ms, octets)| line.begin(octets * 8, at(ms)).0 as f64 / MILLISECOND as f64).collect()
    }

    /// The six packets of row M9 of the validation page.
    #[test]
    fn what_an_opportunity_has_left_serves_the_next_packet() {
        let arrivals = [(0, 1500), (0, 500), (0, 1500), (3, 1500), (11, 1500), (11, 600)];
        assert_eq!(departures(&[2, 2, 5, 10], &arrivals), [2.0, 2.0, 5.0, 10.0, 12.0, 12.0]);
    }

    #[test]
    fn an_opportunity_that_finds_nothing_is_lost() {
        // What comes at the instant is too late for it, and for what is left of it.
        assert_eq!(departures(&[2, 5], &[(2, 1500), (5, 100), (6, 100)]), [5.0, 7.0, 7.0]);
        assert_eq!(departures(&[1], &[(0, 100), (1, 1400), (1000, 1500)]), [1.0, 2.0, 1001.0]);
        // An instant of 0 ms is that of the end of the pass before it.
        assert_eq!(departures(&[0, 4], &[(0, 1500), (0, 1500), (0, 1500), (4, 1500)]), [4.0, 4.0, 8.0, 8.0]);
    }

    /// 3000 octets take 3004 of 1504 each: two opportunities have 4 more.
    #[test]
    fn a_long_pdu_takes_as_many_as_it_needs() {
        assert_eq!(departures(&[3], &[(0, 3004), (0, 1496), (0, 9000)]), [6.0, 9.0, 27.0]);
    }

    #[test]
    fn a_millisecond_each_is_12_mb_per_second() {
        assert_eq!(params(&[1]).mean_rate(), 12e6);
        assert_eq!(params(&[0, 4, 4, 8]).mean_rate(), 6e6);
        let told = params(&[1]).check_rate("11.9 Mb/s".parse().unwrap()).unwrap_err();
        assert_eq!(told.remedy, "give \"12000000 b/s\"");
        assert_eq!(params(&[1]).check_rate("12 Mb/s".parse().unwrap()), Ok(()));
    }

    #[test]
    fn lists_without_sense_are_faults() {
        for (list, path) in [(&[][..], "list"), (&[3, 2], "list[1]"), (&[0, 0], "list[1]")] {
            assert_eq!(params(list).check().unwrap_err().path, path);
        }
        assert_eq!(Params { octets: 4, ..params(&[1]) }.check().unwrap_err().path, "octets");
    }

    #[test]
    fn a_file_has_one_instant_a_line() {
        let named = || Params { file: Some("cell.up".to_owned()), ..params(&[]) };
        let mut read = named();
        assert_eq!((read.read_file("2\n2\n\n5\n"), &*read.list.0), (Ok(()), &[2, 2, 5][..]));
        for (text, told) in
            [("2\n\n1\n", "line 3: it is earlier"), ("2\n-1\n", "line 2"), ("", "without"), ("0\n", "line 1")]
        {
            let fault = named().read_file(text).unwrap_err();
            assert!(fault.path == "file" && fault.reason.contains(told), "{}", fault.reason);
        }
    }
}
