//! Times as a scenario writes them.

use penstock_engine::core::error::Fault;
use penstock_engine::core::quantity::Misread;
use penstock_engine::core::time::Span;
use pyo3::prelude::*;

use crate::error;

/// The time that a text means, as "30 s".
pub(crate) fn span(text: &str) -> PyResult<Span> {
    text.parse().map_err(|misread: Misread| {
        let Misread { reason, remedy, .. } = misread;
        error::raise(Fault::new("", format!("{text:?}"), reason, remedy).into())
    })
}
