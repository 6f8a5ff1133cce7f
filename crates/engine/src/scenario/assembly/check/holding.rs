//! The check of `held`: what happens to data that a sender may not send yet must be possible with its scheme.

use crate::control::ReactionPointParams;
use crate::core::error::Fault;
use crate::scenario::spec::Flow;
use crate::traffic::{Holding, ModelParams};
use crate::transport::Params;

/// The first fault of `held` with the other parameters of the flow, with the path below them.
pub(super) fn check(flow: &Flow) -> Result<(), Fault> {
    let Some(held) = flow.traffic.held() else { return Ok(()) };
    let path = || format!("traffic.{}.held", flow.traffic.keyword());
    let refuse = |reason: &str, remedy: &str| Err(Fault::new(path(), holding(held.holding()), reason, remedy));
    if let Some(reason) = flow.traffic.held_fault(flow.reaction().only_scales()) {
        return refuse(reason, "write another way of holding data back");
    }
    let follows = flow.traffic.follows_sender() && held.holding() == Holding::Stretch;
    if flow.transport.is_some() && !follows && (held.holding() != Holding::Wait || held.limit().is_some()) {
        let reason = "packets wait in the transport, and nothing holds their user back";
        let keyword = flow.transport.as_ref().map_or("", Params::keyword);
        return refuse(reason, &format!("delete it; transport.{keyword}.waiting limits the packets that wait"));
    }
    if flow.reports_gaps() && held.holding() != Holding::Stretch {
        let reason = "what is sent again depends on the network, so these files cannot keep times of their own";
        return refuse(reason, "write \"stretch\"");
    }
    Ok(())
}

fn holding(holding: Holding) -> &'static str {
    match holding {
        Holding::Wait => "wait",
        Holding::Thin => "thin",
        Holding::Stretch => "stretch",
    }
}
