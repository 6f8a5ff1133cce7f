//! The packets of a trace, and how the flows of a group share them.

use std::sync::Arc;

use crate::core::error::Fault;

/// Largest number of packets of a trace: with their index they take 1 GB.
pub const MOST_PACKETS: usize = 50_000_000;
/// Largest size of a packet, in octets: that of an IP packet, and of what AAL5 carries.
pub(super) const MOST_OCTETS: u32 = 65_535;
/// Bytes of memory per packet, without the index of [`Packets`].
pub const PACKET_BYTES: u64 = 16;

/// The columns of a trace, in the order of time. Clones share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording(Arc<Columns>);

#[derive(Debug, Default, PartialEq, Eq)]
struct Columns {
    /// Picoseconds since the first packet.
    times: Vec<u64>,
    octets: Vec<u32>,
    /// Number of the flow of each packet, from 0 in the order of their first packets.
    flows: Vec<u32>,
    flow_count: u32,
    /// Octets of the largest packet.
    largest: u32,
}

impl Recording {
    /// The packets with these times (picoseconds since the first), sizes in octets, and numbers of flows.
    ///
    /// # Errors
    /// The first fault of the columns.
    pub fn new(times: Vec<u64>, octets: Vec<u32>, flows: Vec<u32>) -> Result<Recording, Fault> {
        let refuse = |path: &str, row: usize, reason: &str| {
            let remedy = "import the trace again";
            Err(Fault::new(path, format!("packet {}", row + 1), reason, remedy))
        };
        let count = times.len();
        if count > MOST_PACKETS || octets.len() != count || flows.len() != count {
            let reason = format!("the columns have {count}, {} and {} packets", octets.len(), flows.len());
            let remedy = format!("give columns of the same length, of at most {MOST_PACKETS} packets");
            return Err(Fault::new("", "", reason, remedy));
        }
        if let Some(row) = (0..count).find(|&row| times[row] < if row == 0 { 0 } else { times[row - 1] }) {
            return refuse("times", row, "it is earlier than the packet before it");
        }
        if times.first().is_some_and(|&first| first > 0) {
            return refuse("times", 0, "times are counted from the first packet, whose time is 0");
        }
        if let Some(row) = octets.iter().position(|octets| !(1..=MOST_OCTETS).contains(octets)) {
            return refuse("octets", row, "a packet has 1 to 65535 octets");
        }
        let mut flow_count = 0;
        for (row, &flow) in flows.iter().enumerate() {
            if flow > flow_count {
                return refuse("flows", row, "flows are numbered from 0 in the order of their first packets");
            }
            flow_count = flow_count.max(flow + 1);
        }
        let largest = octets.iter().copied().max().unwrap_or_default();
        Ok(Recording(Arc::new(Columns { times, octets, flows, flow_count, largest })))
    }

    /// Number of packets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.times.len()
    }

    /// Whether there is no packet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of flows that the packets belong to.
    #[must_use]
    pub fn flow_count(&self) -> u32 {
        self.0.flow_count
    }

    /// Octets of the largest packet.
    pub(super) fn largest(&self) -> u32 {
        self.0.largest
    }

    /// Time of the last packet, in picoseconds since the first.
    pub(super) fn last(&self) -> u64 {
        self.0.times.last().copied().unwrap_or_default()
    }

    /// Time from the first packet to its repetition, in picoseconds: that of the last packet, and the mean gap.
    pub(super) fn period(&self) -> u64 {
        let gaps = (self.len() as u64).saturating_sub(1).max(1);
        self.last().saturating_add(self.last().div_ceil(gaps))
    }
}

/// The packets of a trace, dealt to the flows of a group. Clones share them.
///
/// Flow n of N has the packets of the flows n, n + N, n + 2N and so on of the trace. So a group sends each packet once.
#[derive(Clone, Debug)]
pub struct Packets {
    recording: Recording,
    /// Places of the packets in the recording, flow by flow of the group. Empty for one flow, which has all.
    places: Arc<[u32]>,
    /// Where the places of each flow begin, and the end.
    begins: Arc<[usize]>,
}

impl Packets {
    /// Deals the packets to `flows` flows.
    pub(super) fn deal(recording: &Recording, flows: u32) -> Packets {
        let (recording, flows) = (recording.clone(), flows.max(1));
        if flows == 1 {
            let begins = [0, recording.len()].into();
            return Packets { recording, places: Arc::from([]), begins };
        }
        let mut counts = vec![0usize; flows as usize + 1];
        for flow in &recording.0.flows {
            counts[(flow % flows) as usize + 1] += 1;
        }
        for flow in 0..flows as usize {
            counts[flow + 1] += counts[flow];
        }
        let begins: Arc<[usize]> = counts.as_slice().into();
        let mut places = vec![0; recording.len()];
        for (place, flow) in recording.0.flows.iter().enumerate() {
            let next = &mut counts[(flow % flows) as usize];
            places[*next] = place as u32;
            *next += 1;
        }
        Packets { recording, places: places.into(), begins }
    }

    /// Where the columns are, to tell whether two share them.
    #[cfg(test)]
    pub(super) fn packet_address(&self) -> *const u64 {
        self.recording.0.times.as_ptr()
    }

    /// Number of packets of flow `flow` of the group.
    pub(super) fn count(&self, flow: u32) -> usize {
        match self.begins.get(flow as usize..=flow as usize + 1) {
            Some([begin, end]) => end - begin,
            _ => 0,
        }
    }

    /// Time in picoseconds since the first packet of the trace, and octets, of packet `index` of flow `flow`.
    #[inline]
    pub(super) fn packet(&self, flow: u32, index: usize) -> (u64, u32) {
        let at = self.begins[flow as usize] + index;
        let place = self.places.get(at).map_or(at, |&place| place as usize);
        (self.recording.0.times[place], self.recording.0.octets[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(times: &[u64], octets: &[u32], flows: &[u32]) -> (String, String) {
        let fault = Recording::new(times.to_vec(), octets.to_vec(), flows.to_vec()).expect_err("a fault");
        (fault.path, fault.value)
    }

    #[test]
    fn bad_columns_are_refused_with_their_place() {
        let named = |path: &str, packet: &str| (path.to_owned(), packet.to_owned());
        assert_eq!(fault(&[0, 5, 4], &[1, 1, 1], &[0, 0, 0]), named("times", "packet 3"));
        assert_eq!(fault(&[1, 5], &[1, 1], &[0, 0]), named("times", "packet 1"));
        assert_eq!(fault(&[0, 5], &[1, 0], &[0, 0]), named("octets", "packet 2"));
        assert_eq!(fault(&[0, 5], &[65_536, 1], &[0, 0]), named("octets", "packet 1"));
        assert_eq!(fault(&[0, 5], &[1, 1], &[0, 2]), named("flows", "packet 2"));
        assert_eq!(fault(&[0, 5], &[1], &[0, 0]), named("", ""));
        assert!(Recording::new(Vec::new(), Vec::new(), Vec::new()).is_ok_and(|empty| empty.is_empty()));
    }

    #[test]
    fn a_group_sends_each_packet_once() {
        // Flows 0, 1, 2, 3 of the trace: the first of two flows has 0 and 2, the second 1 and 3.
        let recording = Recording::new(vec![0, 1, 2, 3, 4, 5], vec![10, 11, 12, 13, 14, 15], vec![0, 1, 2, 0, 3, 1]);
        let recording = recording.unwrap();
        assert_eq!((recording.len(), recording.flow_count(), recording.largest()), (6, 4, 15));
        let of = |flows: u32, flow: u32| {
            let packets = Packets::deal(&recording, flows);
            (0..packets.count(flow)).map(|index| packets.packet(flow, index)).collect::<Vec<_>>()
        };
        assert_eq!(of(1, 0), [(0, 10), (1, 11), (2, 12), (3, 13), (4, 14), (5, 15)]);
        assert_eq!(of(2, 0), [(0, 10), (2, 12), (3, 13)]);
        assert_eq!(of(2, 1), [(1, 11), (4, 14), (5, 15)]);
        assert_eq!(of(4, 2), [(2, 12)]);
        assert_eq!(of(9, 7), []);
    }

    #[test]
    fn a_repetition_follows_after_the_mean_gap() {
        let period = |times: &[u64]| {
            let count = times.len();
            Recording::new(times.to_vec(), vec![1; count], vec![0; count]).map(|recording| recording.period())
        };
        assert_eq!(period(&[0, 10, 30]), Ok(45));
        assert_eq!(period(&[0]), Ok(0));
        assert_eq!(period(&[0, 0]), Ok(0));
    }
}
