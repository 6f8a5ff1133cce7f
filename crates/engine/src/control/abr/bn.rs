//! RM cells that a congested switch makes itself (BN=1). So the source hears of the congestion without a round trip to the
//! destination.
//!
//! Source: AF-TM-0056.000, switch behaviour; docs/models/abr-switch.md#bn-cells. Fahmy and others (1996), section 2,
//! call it BECN. With `q` the queue length:
//!
//! ```text
//! a data cell of a connection arrives, q > threshold, and more than `spacing` has passed since its last BN cell:
//!     send back to its source an RM cell with DIR = BN = CI = 1, CLP = 0, ER = PCR
//! ```
//!
//! The standard allows ten cells a second for each connection. ER and CCR are those of the connection's newest forward RM
//! cell: the source writes its PCR there, and a switch before this one may have reduced it. A connection without forward
//! RM cells gets none. Every switch of this folder may make them: its `bn`. By source rules 6 and 8, a BN cell reduces the rate, and does not acknowledge forward RM cells.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LastQueue;
use crate::control::answer::Answer;
use crate::control::congestion::{Notice, PortEnv, PortView, RETUNED_THRESHOLD};
use crate::core::error::Fault;
use crate::core::pdu::{Body, CELL_OCTETS, Kind, Marks, Pdu};
use crate::core::quantity::Count;
use crate::core::time::{Span, Time};

/// Parameters of BN cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BnCells")]
pub struct Params {
    /// The switch makes BN cells while the last queue holds more than this.
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub threshold: Count,
    /// Least time between two BN cells of a connection. The standard allows no less than 100 ms.
    #[serde(default = "least_spacing")]
    #[schemars(extend("retune" = RETUNED_THRESHOLD))]
    pub spacing: Span,
}

/// Ten cells a second.
fn least_spacing() -> Span {
    Span::milliseconds(100)
}

/// The first fault of a switch's `bn`, with its path.
pub(super) fn check(bn: Option<Params>) -> Result<(), Fault> {
    match bn {
        Some(Params { spacing, .. }) if spacing < least_spacing() => {
            let reason = "TM 4.0 allows a switch at most ten of these cells a second for each connection";
            Err(Fault::new("bn.spacing", spacing, reason, "choose at least \"100 ms\", or remove it"))
        }
        _ => Ok(()),
    }
}

/// State of one connection.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    /// Contents of its newest forward RM cell.
    stated: Option<Body>,
    /// Time of its last BN cell.
    last: Option<Time>,
}

/// The BN cells of one port, if its switch makes any.
#[derive(Clone, Debug)]
pub(super) struct BnCells(Option<Cells>);

#[derive(Clone, Debug)]
struct Cells {
    threshold: u64,
    spacing: Span,
    last_queue: LastQueue,
    connections: Vec<Connection>,
}

impl BnCells {
    /// For a port with this `env`.
    pub(super) fn new(params: Option<Params>, env: &PortEnv) -> BnCells {
        BnCells(params.map(|Params { threshold, spacing }| Cells {
            threshold: threshold.0,
            spacing,
            last_queue: LastQueue::of(env),
            connections: vec![Connection::default(); env.flows.len()],
        }))
    }

    /// Whether the switch makes any.
    pub(super) fn any(&self) -> bool {
        self.0.is_some()
    }

    /// Whether the arrival of `pdu` causes a BN cell. `cell` makes it. `view` has the queue in PDUs.
    #[inline]
    pub(super) fn on_arrival(&mut self, pdu: &Pdu, view: &PortView) -> Option<Notice> {
        self.0.as_mut()?.on_arrival(pdu, view)
    }

    /// Takes other parameters.
    pub(super) fn retune(&mut self, params: Option<Params>) {
        if let (Some(cells), Some(params)) = (&mut self.0, params) {
            (cells.threshold, cells.spacing) = (params.threshold.0, params.spacing);
        }
    }

    /// The BN cell for the connection of `pdu`. The port sets DIR.
    pub(super) fn cell(&self, pdu: &Pdu) -> Option<Answer> {
        let body = self.0.as_ref()?.connections.get(pdu.flow.index())?.stated?;
        Some(Answer { body, marks: Marks::BN.with(Marks::CI), octets: CELL_OCTETS })
    }
}

impl Cells {
    fn on_arrival(&mut self, pdu: &Pdu, view: &PortView) -> Option<Notice> {
        if pdu.is_backward() || !self.last_queue.takes(pdu) {
            return None;
        }
        let connection = self.connections.get_mut(pdu.flow.index())?;
        if pdu.kind() == Kind::ResourceManagement {
            connection.stated = Some(pdu.body());
        }
        let is_congested = view.length > self.threshold && pdu.kind().is_data() && connection.stated.is_some();
        if !is_congested || connection.last.is_some_and(|last| view.now.since(last) <= self.spacing) {
            return None;
        }
        connection.last = Some(view.now);
        Some(Notice { severity: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::{backward, data, forward, video, view};
    use super::*;
    use crate::control::congestion::{CongestionParams, CongestionPoint, CongestionPointParams};
    use crate::control::laws::port_of;
    use crate::core::feedback::Signals;
    use crate::core::time::Rate;

    const CONGESTED: u64 = 501;

    fn cells() -> BnCells {
        let params = Some(Params { threshold: Count(500), spacing: least_spacing() });
        assert_eq!(check(params), Ok(()));
        BnCells::new(params, &port_of(Rate(42_400_000), 4))
    }

    /// Whether a cell that finds a queue of `length` at `milliseconds` causes a BN cell.
    fn causes(cells: &mut BnCells, pdu: &Pdu, milliseconds: f64, length: u64) -> bool {
        cells.on_arrival(pdu, &view(1000.0 * milliseconds, length)).is_some()
    }

    #[test]
    fn a_connection_gets_one_in_100_ms_while_the_queue_is_long() {
        let mut cells = cells();
        assert!(!causes(&mut cells, &forward(0, 4e6), 0.0, 500));
        assert!(causes(&mut cells, &data(0), 1.0, CONGESTED));
        assert!(!causes(&mut cells, &data(0), 100.9, CONGESTED));
        assert!(!causes(&mut cells, &data(0), 101.0, 500));
        assert!(causes(&mut cells, &data(0), 102.0, CONGESTED));
        // Each connection by itself.
        assert!(!causes(&mut cells, &forward(1, 4e6), 103.0, CONGESTED));
        assert!(causes(&mut cells, &data(1), 103.0, CONGESTED));
        assert!(!causes(&mut cells, &data(0), 201.9, CONGESTED));
        assert!(causes(&mut cells, &data(0), 202.1, CONGESTED));
    }

    #[test]
    fn only_data_of_connections_with_rm_cells_cause_them() {
        let mut cells = cells();
        assert!(!causes(&mut cells, &data(0), 0.0, CONGESTED), "no RM cell yet");
        assert!(!causes(&mut cells, &backward(0, 4e6), 0.0, CONGESTED));
        assert!(!causes(&mut cells, &video(), 0.0, CONGESTED));
        assert!(!causes(&mut cells, &forward(0, 1e3), 0.0, CONGESTED));
        assert!(causes(&mut cells, &data(0), 0.0, CONGESTED), "now it has sent one");
    }

    #[test]
    fn it_says_congestion_and_leaves_the_explicit_rate() {
        let mut cells = cells();
        assert_eq!(cells.cell(&data(0)), None);
        causes(&mut cells, &forward(0, 4e6), 0.0, CONGESTED);
        let cell = cells.cell(&data(0)).unwrap();
        assert_eq!(cell.body, Body::ResourceManagement { er: 150e6, ccr: 4e6 });
        assert_eq!((cell.marks, cell.octets), (Marks::BN.with(Marks::CI), CELL_OCTETS));
    }

    /// Each switch of this folder, with three cells behind a threshold of two. ERICA+ sees its queue in bits.
    #[test]
    fn every_switch_may_make_them() {
        let bn = "bn = { threshold = '2 cells' }";
        for (keyword, table, length) in [
            ("efci", bn.to_owned(), 3),
            ("bes", bn.to_owned(), 3),
            ("eds", bn.to_owned(), 3),
            ("eprca_plus_plus", bn.to_owned(), 3),
            ("erica", bn.to_owned(), 3),
            ("erica_plus", format!("erica = {{ {bn} }}"), 3 * 424),
            ("capc", bn.to_owned(), 3),
            ("phantom", bn.to_owned(), 3),
            ("charny", bn.to_owned(), 3),
            ("constant_grant", format!("rate = '1 Mb/s', {bn}"), 3),
        ] {
            let params: CongestionParams = toml::from_str(&format!("{keyword} = {{ {table} }}")).unwrap();
            assert_eq!(params.check(), Ok(()), "{keyword}");
            assert_eq!(params.spacing(), Some(least_spacing()), "{keyword}");
            assert!(params.sends().meets(Signals::CI), "{keyword}");
            let mut switch = params.build(port_of(Rate(42_400_000), 4));
            assert!(switch.notifies(), "{keyword}");
            assert_eq!(switch.on_arrival(&mut forward(0, 4e6), &view(0.0, length)), None, "{keyword}");
            let mut arrives =
                |microseconds, length| switch.on_arrival(&mut data(0), &view(microseconds, length)).is_some();
            assert_eq!(
                [arrives(1.0, length / 3 * 2), arrives(2.0, length), arrives(3.0, length)],
                [false, true, false]
            );
            assert_eq!(switch.notice_cell(&data(0)).map(|cell| cell.marks), Some(Marks::BN.with(Marks::CI)));
            let faulty = table.replace("2 cells'", "2 cells', spacing = '99 ms'");
            let params: CongestionParams = toml::from_str(&format!("{keyword} = {{ {faulty} }}")).unwrap();
            assert!(params.check().is_err_and(|fault| fault.path.ends_with("bn.spacing")), "{keyword}");
        }
    }

    #[test]
    fn more_than_ten_a_second_are_refused() {
        let params = Params { threshold: Count(500), spacing: Span::milliseconds(99) };
        assert_eq!(check(Some(params)).unwrap_err().path, "bn.spacing");
    }
}
