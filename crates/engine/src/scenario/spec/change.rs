//! `[[change]]`: a parameter that takes another value during the run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::core::time::Span;

/// A parameter that takes another value during the run. All changes of one instant are made together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Simulated time of the change. Everything else of this instant happens before it.
    pub at: Span,
    /// Path of the parameter, as `line.trunk.rate`, in the scenario as it is built: with the lines and flows of its
    /// `network`, and with the parts of its schemes in their places. `*` is every entry of a table or list.
    pub path: String,
    /// Its value from then on, as the scenario would have it.
    pub value: Value,
}
