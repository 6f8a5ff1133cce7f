//! The changes of a scenario as they are written, and the fault of one of them.

use std::collections::BTreeMap;

use crate::core::error::Fault;
use crate::scenario::path::Path;
use crate::scenario::spec::Change;

/// The paths of changes by their numbers.
pub(super) type Paths = BTreeMap<usize, Path>;

/// The fault of the scenario after the changes of one instant, at the change that caused it.
pub(super) fn name(fault: Fault, group: &[usize], written: &[Change], paths: &Paths) -> Fault {
    let fault_path: Option<Path> = fault.path.parse().ok();
    let is_cause = |index: &&usize| fault_path.as_ref().is_some_and(|path| path.leads_into(&paths[*index]));
    let cause = group.iter().find(is_cause);
    let index = *cause.unwrap_or(&group[0]);
    let reason = match cause {
        Some(_) => fault.reason,
        None => format!("{}: {}", fault.path, fault.reason),
    };
    Fault::new(format!("change[{index}].value"), &written[index].value, reason, fault.remedy)
}
