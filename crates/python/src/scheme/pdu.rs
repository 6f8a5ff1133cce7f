//! PDUs as methods see them, and the answers that points make.

use penstock_engine::control::Answer as Contents;
use penstock_engine::core::pdu::{Body, CELL_OCTETS, Marks, Pdu as Inner};
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::False;
use pyo3::{PyClass, PyClassInitializer};

use super::calling::{Pair, whole};

/// A PDU. It is there during the call.
#[pyclass(module = "penstock._engine")]
#[derive(Debug)]
pub(crate) struct Pdu {
    pub(super) pdu: Inner,
    /// Whether the method may write in it.
    pub(super) is_open: bool,
}

impl Pdu {
    pub(super) fn open(pdu: &Inner) -> Pdu {
        Pdu { pdu: *pdu, is_open: true }
    }

    pub(super) fn shown(pdu: &Inner) -> Pdu {
        Pdu { pdu: *pdu, is_open: false }
    }

    fn require_open(&self) -> PyResult<()> {
        if self.is_open {
            return Ok(());
        }
        Err(PyAttributeError::new_err("this PDU can only be read here"))
    }

    fn set_mark(&mut self, marks: Marks, is_set: bool) -> PyResult<()> {
        self.require_open()?;
        if !is_set {
            return Err(PyValueError::new_err("a mark can be set, and never cleared; give True"));
        }
        self.pdu.marks.set(marks);
        Ok(())
    }
}

impl<B: PyClass<Frozen = False> + Into<PyClassInitializer<B>>> Pair<Pdu, B> {
    /// Takes what a method has written in the PDU, which it may not write any more.
    #[inline]
    pub(super) fn take(&self, py: Python<'_>, pdu: &mut Inner) {
        if let Some(mut seen) = self.first(py) {
            *pdu = seen.pdu;
            seen.is_open = false;
        }
    }
}

#[pymethods]
impl Pdu {
    /// Number of its flow.
    #[getter]
    fn flow(&self) -> usize {
        self.pdu.flow.index()
    }

    /// Its number within its flow and kind of traffic.
    #[getter]
    fn sequence(&self) -> u32 {
        self.pdu.sequence
    }

    /// Octets, headers included.
    #[getter]
    fn octets(&self) -> u16 {
        self.pdu.octets
    }

    /// Bits, headers included.
    #[getter]
    fn bits(&self) -> u64 {
        self.pdu.bits()
    }

    /// Its priority: queue 0 is served first.
    #[getter]
    fn priority(&self) -> u8 {
        self.pdu.priority
    }

    /// Its kind, as in the tables: `data`, `resource_management`, `notice`, `segment`, and so on.
    #[getter]
    fn kind(&self) -> &'static str {
        self.pdu.kind().name()
    }

    /// Whether it has data of a user.
    #[getter]
    fn is_data(&self) -> bool {
        self.pdu.kind().is_data()
    }

    /// Whether it is an RM cell.
    #[getter]
    fn is_rm(&self) -> bool {
        matches!(self.pdu.body(), Body::ResourceManagement { .. })
    }

    /// Whether it travels against the direction of its flow.
    #[getter]
    fn is_backward(&self) -> bool {
        self.pdu.is_backward()
    }

    /// Whether it may be discarded first (CLP=1).
    #[getter]
    fn is_tagged(&self) -> bool {
        self.pdu.is_tagged()
    }

    /// Whether its transport understands congestion experienced in the ECN field.
    #[getter]
    fn is_ecn_capable(&self) -> bool {
        self.pdu.marks.is_ecn_capable()
    }

    /// Whether it is an NPDU that asks for Error Reports (the E/R flag), and is none itself.
    #[getter]
    fn wants_error_report(&self) -> bool {
        Contents::error_report(&self.pdu, 0).is_some()
    }

    /// Explicit forward congestion indication.
    #[getter]
    fn efci(&self) -> bool {
        self.pdu.marks.has(Marks::EFCI)
    }

    #[setter]
    fn set_efci(&mut self, is_set: bool) -> PyResult<()> {
        self.set_mark(Marks::EFCI, is_set)
    }

    /// Congestion experienced in the header of an NPDU.
    #[getter]
    fn ce(&self) -> bool {
        self.pdu.marks.has(Marks::CE)
    }

    #[setter]
    fn set_ce(&mut self, is_set: bool) -> PyResult<()> {
        self.set_mark(Marks::CE, is_set)
    }

    /// Congestion experienced in the ECN field.
    #[getter]
    fn ecn(&self) -> bool {
        self.pdu.marks.has(Marks::ECN_CE)
    }

    #[setter]
    fn set_ecn(&mut self, is_set: bool) -> PyResult<()> {
        if !self.pdu.marks.is_ecn_capable() {
            return Err(PyValueError::new_err("its transport does not understand the mark: is_ecn_capable is False"));
        }
        self.set_mark(Marks::ECN_CE, is_set)
    }

    /// Congestion indication of an RM cell.
    #[getter]
    fn ci(&self) -> bool {
        self.pdu.marks.has(Marks::CI)
    }

    #[setter]
    fn set_ci(&mut self, is_set: bool) -> PyResult<()> {
        self.set_mark(Marks::CI, is_set)
    }

    /// No increase, of an RM cell.
    #[getter]
    fn ni(&self) -> bool {
        self.pdu.marks.has(Marks::NI)
    }

    #[setter]
    fn set_ni(&mut self, is_set: bool) -> PyResult<()> {
        self.set_mark(Marks::NI, is_set)
    }

    /// Whether a switch or a destination made the RM cell.
    #[getter]
    fn bn(&self) -> bool {
        self.pdu.marks.has(Marks::BN)
    }

    /// Explicit rate of an RM cell in bits per second; `None` of other PDUs.
    #[getter]
    fn er(&self) -> Option<f64> {
        if let Body::ResourceManagement { er, .. } = self.pdu.body() { Some(er) } else { None }
    }

    #[setter]
    fn set_er(&mut self, to: f64) -> PyResult<()> {
        self.require_open()?;
        let Body::ResourceManagement { ccr, .. } = self.pdu.body() else {
            return Err(PyAttributeError::new_err("it is no RM cell, and has no explicit rate"));
        };
        self.pdu.set_body(Body::ResourceManagement { er: rate("er", to)?, ccr });
        Ok(())
    }

    /// Current cell rate of an RM cell in bits per second; `None` of other PDUs.
    #[getter]
    fn ccr(&self) -> Option<f64> {
        if let Body::ResourceManagement { ccr, .. } = self.pdu.body() { Some(ccr) } else { None }
    }

    /// Severity of a notice; `None` of other PDUs.
    #[getter]
    fn severity(&self) -> Option<u8> {
        if let Body::Notice { severity, .. } = self.pdu.body() { Some(severity) } else { None }
    }

    /// Number of the newest PDU that an acknowledgement is about; `None` of other PDUs.
    #[getter]
    fn number(&self) -> Option<u64> {
        if let Body::Acknowledgement { number, .. } = self.pdu.body() { Some(number) } else { None }
    }

    /// When data were sent, in picoseconds; `None` of other PDUs.
    #[getter]
    fn born_ps(&self) -> Option<u64> {
        match self.pdu.body() {
            Body::Data { born, .. } | Body::Segment { born, .. } => Some(born.0),
            _ => None,
        }
    }
}

fn rate(name: &str, rate: f64) -> PyResult<f64> {
    if rate >= 0.0 && rate.is_finite() {
        return Ok(rate);
    }
    Err(PyValueError::new_err(format!("{name} is {rate}; it must be a number of bits per second from 0 on")))
}

/// A PDU that a point makes.
#[pyclass(frozen, module = "penstock._engine", from_py_object)]
#[derive(Clone)]
pub(crate) struct Answer {
    pub(super) answer: Contents,
}

#[pymethods]
impl Answer {
    /// An RM cell of a source, a receiver or a switch, with its explicit and its current rate in bits per second.
    #[staticmethod]
    #[pyo3(signature = (er, ccr, *, ci = false, ni = false, tagged = false))]
    fn rm(er: f64, ccr: f64, ci: bool, ni: bool, tagged: bool) -> PyResult<Answer> {
        let body = Body::ResourceManagement { er: rate("er", er)?, ccr: rate("ccr", ccr)? };
        let mut marks = Marks::default();
        for (mark, is_set) in [(Marks::CI, ci), (Marks::NI, ni), (Marks::CLP, tagged)] {
            if is_set {
                marks.set(mark);
            }
        }
        Ok(Answer { answer: Contents { body, marks, octets: CELL_OCTETS } })
    }

    /// The RM cell that a receiver returns for one that has arrived: its rates, CI and NI.
    #[staticmethod]
    #[pyo3(signature = (pdu, *, ci = false))]
    fn returned(pdu: &Pdu, ci: bool) -> PyResult<Answer> {
        let (Some(er), Some(ccr)) = (pdu.er(), pdu.ccr()) else {
            return Err(PyValueError::new_err("it is no RM cell, so it cannot be returned"));
        };
        Answer::rm(er, ccr, ci || pdu.ci(), pdu.ni(), false)
    }

    /// A notice of congestion to the source.
    #[staticmethod]
    #[pyo3(signature = (severity = 0))]
    fn notice(severity: u8) -> Answer {
        let body = Body::Notice { point: 0, severity };
        Answer { answer: Contents { body, marks: Marks::default(), octets: CELL_OCTETS } }
    }

    /// The Error Report of CLNP about an NPDU, which must ask for one; of 121 octets unless `octets` says otherwise.
    #[staticmethod]
    #[pyo3(signature = (pdu, *, octets = None))]
    fn error_report(pdu: &Pdu, octets: Option<&Bound<'_, PyAny>>) -> PyResult<Answer> {
        let octets =
            octets.map_or(Ok(Contents::REPORT_OCTETS), |octets| whole("octets", octets, 1, u64::from(u16::MAX)))?;
        let missing = || PyValueError::new_err("it asks for no Error Report: wants_error_report is False");
        Ok(Answer { answer: Contents::error_report(&pdu.pdu, octets).ok_or_else(missing)? })
    }

    /// An acknowledgement: all PDUs up to and including `number` have arrived.
    #[staticmethod]
    #[pyo3(signature = (number, *, octets = 53))]
    fn acknowledgement(number: u64, octets: u16) -> Answer {
        let body = Body::Acknowledgement { number, credit: 0 };
        Answer { answer: Contents { body, marks: Marks::default(), octets } }
    }
}
