//! Where the instances of points and queues are, and what they see beside PDUs. Times are in seconds, and in picoseconds as
//! whole numbers; rates are in bits per second.

use penstock_engine::control::{PortEnv, PortView, Ready, ReceiverEnv, SenderEnv};
use penstock_engine::core::time::Time;
use penstock_engine::queue::python::Listed;
use penstock_engine::queue::{self, HeadView, QueueView};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use super::mathematics::Random;

/// An instant.
#[pyclass(module = "penstock._engine")]
#[derive(Debug)]
pub(crate) struct Moment {
    pub(super) time: Time,
}

#[pymethods]
impl Moment {
    /// The time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.time.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.time.0
    }
}

/// The port of a congestion point.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Port {
    pub(super) env: PortEnv,
}

impl Port {
    fn terms(&self, flow: usize) -> PyResult<&penstock_engine::control::FlowTerms> {
        let missing = || PyIndexError::new_err(format!("there is no flow {flow}: there are {}", self.env.flows.len()));
        self.env.flows.get(flow).ok_or_else(missing)
    }
}

#[pymethods]
impl Port {
    /// Rate of the line.
    #[getter]
    fn rate(&self) -> f64 {
        self.env.rate.bits_per_second()
    }

    /// Number of its queues. Controlled traffic uses the last; the others are served before it.
    #[getter]
    fn queues(&self) -> usize {
        self.env.queues
    }

    /// Flows whose data leave through it, by its last queue.
    #[getter]
    fn flow_count(&self) -> u32 {
        self.env.flow_count
    }

    /// Flows of the network: their numbers are below.
    #[getter]
    fn network_flows(&self) -> usize {
        self.env.flows.len()
    }

    /// Sum of the minimum rates of its flows.
    #[getter]
    fn minimum(&self) -> f64 {
        self.env.minimum
    }

    /// Octets of the largest PDU of its flows.
    #[getter]
    fn octets(&self) -> u16 {
        self.env.octets
    }

    /// The longest round trip of its flows: twice the propagation delay, in seconds.
    #[getter]
    fn round_trip(&self) -> f64 {
        self.env.round_trip.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn round_trip_ps(&self) -> u64 {
        self.env.round_trip.0
    }

    /// Random numbers of this port alone, from their begin.
    fn random(&self) -> Random {
        Random { stream: self.env.stream.clone() }
    }

    /// Number of the opposite direction of a flow, or of the flow itself without one.
    fn peer(&self, flow: usize) -> PyResult<usize> {
        Ok(self.terms(flow)?.peer.index())
    }

    /// Rate that the network guarantees a flow.
    fn minimum_of(&self, flow: usize) -> PyResult<f64> {
        Ok(self.terms(flow)?.minimum)
    }
}

/// The queue of a PDU at a port, as a congestion point sees it.
#[pyclass(module = "penstock._engine")]
#[derive(Debug)]
pub(crate) struct PortQueue {
    pub(super) view: PortView,
}

#[pymethods]
impl PortQueue {
    /// The time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.view.now.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.view.now.0
    }

    /// PDUs in the queue, the one in service counted and this one not; bits with `counts_bits`.
    #[getter]
    fn length(&self) -> u64 {
        self.view.length
    }

    /// The most PDUs that it can hold, if it has a limit.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.view.size
    }

    /// Whether the PDU is discarded.
    #[getter]
    fn is_refused(&self) -> bool {
        self.view.refused
    }
}

/// The receiver of a flow.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Receiver {
    pub(super) env: ReceiverEnv,
}

#[pymethods]
impl Receiver {
    /// Twice the propagation delay of the path, in seconds.
    #[getter]
    fn round_trip(&self) -> f64 {
        self.env.round_trip.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn round_trip_ps(&self) -> u64 {
        self.env.round_trip.0
    }

    /// Rate of the first line of the path that has one.
    #[getter]
    fn line_rate(&self) -> f64 {
        self.env.line_rate.bits_per_second()
    }

    /// Octets of a PDU of the flow.
    #[getter]
    fn octets(&self) -> u16 {
        self.env.octets
    }
}

/// The sender of a flow.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Sender {
    pub(super) env: SenderEnv,
}

#[pymethods]
impl Sender {
    /// Twice the propagation delay of the path, in seconds.
    #[getter]
    fn round_trip(&self) -> f64 {
        self.env.round_trip.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn round_trip_ps(&self) -> u64 {
        self.env.round_trip.0
    }

    /// Rate of the first line of the path that has one.
    #[getter]
    fn line_rate(&self) -> f64 {
        self.env.line_rate.bits_per_second()
    }

    /// The smallest equal share of a line on the path among the flows that its port controls.
    #[getter]
    fn equal_share(&self) -> f64 {
        self.env.equal_share
    }

    /// Octets of a PDU of the flow.
    #[getter]
    fn octets(&self) -> u16 {
        self.env.octets
    }

    /// Random numbers of this sender alone, from their begin.
    fn random(&self) -> Random {
        Random { stream: self.env.stream.clone() }
    }
}

/// What a sender has ready.
#[pyclass(module = "penstock._engine")]
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(super) ready: Ready,
}

#[pymethods]
impl Waiting {
    /// Whether data of the flow are ready.
    #[getter]
    fn has_data(&self) -> bool {
        self.ready.data
    }

    /// Whether an answer of the receiver of the same host is ready.
    #[getter]
    fn has_answer(&self) -> bool {
        self.ready.answer
    }
}

/// The line behind a queue.
#[pyclass(frozen, module = "penstock._engine")]
pub(crate) struct Line {
    pub(super) env: queue::Env,
}

#[pymethods]
impl Line {
    /// Its rate; `None` of a delay without queueing.
    #[getter]
    fn rate(&self) -> Option<f64> {
        self.env.rate.map(|rate| rate.bits_per_second())
    }

    /// Random numbers of this queue alone, from their begin.
    fn random(&self) -> Random {
        Random { stream: self.env.stream.clone() }
    }
}

/// A queue at the arrival of a PDU.
#[pyclass(module = "penstock._engine")]
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(super) view: QueueView,
    pub(super) size: Option<u64>,
}

#[pymethods]
impl Arrival {
    /// The time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.view.now.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.view.now.0
    }

    /// PDUs in the queue before it, the one in service counted.
    #[getter]
    fn length(&self) -> u64 {
        self.view.length
    }

    /// The most PDUs that it can hold, if it has a limit.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.size
    }

    /// Bits that wait.
    #[getter]
    fn waiting_bits(&self) -> u64 {
        self.view.waiting_bits
    }

    /// When the PDU at the head arrived, in picoseconds; `None` if none waits.
    #[getter]
    fn head_since_ps(&self) -> Option<u64> {
        self.view.head_since.map(|since| since.0)
    }

    /// When the line has sent all PDUs whose service has begun, in picoseconds: in the past if it is free.
    #[getter]
    fn free_at_ps(&self) -> u64 {
        self.view.free_at.0
    }
}

/// A queue when the line is free for the PDU at its head.
#[pyclass(module = "penstock._engine")]
#[derive(Debug)]
pub(crate) struct Head {
    pub(super) view: HeadView,
}

#[pymethods]
impl Head {
    /// The time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.view.now.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.view.now.0
    }

    /// How long the PDU has waited, in seconds.
    #[getter]
    fn sojourn(&self) -> f64 {
        self.view.sojourn.seconds()
    }

    /// The same in picoseconds.
    #[getter]
    fn sojourn_ps(&self) -> u64 {
        self.view.sojourn.0
    }

    /// Bits that wait behind it.
    #[getter]
    fn behind(&self) -> u64 {
        self.view.behind
    }
}

/// The lists of a queue that keeps several.
#[pyclass(module = "penstock._engine")]
#[derive(Debug)]
pub(crate) struct Lists {
    pub(super) lists: Vec<Listed>,
}

#[pymethods]
impl Lists {
    /// PDUs that wait in each list, by its number. Lists that have not been used yet may be left out.
    #[getter]
    fn lengths(&self) -> Vec<usize> {
        self.lists.iter().map(|list| list.pdus).collect()
    }

    /// PDUs that wait in a list.
    fn length(&self, list: usize) -> usize {
        self.lists.get(list).map_or(0, |list| list.pdus)
    }

    /// Bits that wait in a list.
    fn bits(&self, list: usize) -> u64 {
        self.lists.get(list).map_or(0, |list| list.bits)
    }

    /// When the first PDU of a list arrived, in picoseconds; `None` if none waits there.
    fn head_since_ps(&self, list: usize) -> Option<u64> {
        self.lists.get(list)?.head_since.map(|since| since.0)
    }
}
