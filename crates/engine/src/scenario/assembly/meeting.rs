//! Which parts of the control schemes hear each other. A part whose feedback nobody hears, or that hears nobody, has no
//! effect on a run: the assembly refuses it.
//!
//! The feedback for a flow comes from the congestion points on its path and from its receiver:
//!
//! - what a point writes into RM cells reaches the source only if the source sends them and the receiver returns them;
//! - a receiver may hear what the points mark on data (EFCI), and send something else for it (notices, CI).

use std::collections::{BTreeMap, BTreeSet};

use super::plan::{FlowPlan, Network};
use crate::control::{CongestionParams, NotificationPointParams, ReactionPointParams};
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::queue::Discard;
use crate::scenario::partners::{listeners, speakers};
use crate::scenario::path::shown_key;
use crate::scenario::spec::{Flow, Mismatches};
use crate::traffic::ModelParams;
use crate::transport;

/// One kind of feedback from one part to another, by their paths in the scenario.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hearing {
    /// Path of the part that sends, as `line.trunk.congestion_point.erica`.
    pub from: String,
    /// What it sends.
    pub signal: String,
    /// Path of the part that hears it.
    pub to: String,
}

/// Who hears whom in a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meetings {
    /// Every pair of parts that meet, sorted.
    pub hearings: Vec<Hearing>,
    /// Parts that do not go together, which only a scenario with `mismatches = "warn"` may have, and parameters that
    /// probably do not fit the network.
    pub warnings: Vec<Fault>,
}

/// The sender's side of a group: what its sources send and hear.
#[derive(Clone, Copy, Debug)]
struct Source {
    sends: Signals,
    hears: Signals,
}

impl Source {
    fn of(flow: &Flow) -> Source {
        match &flow.transport {
            Some(transport::Params::Tp4(params)) => {
                Source { sends: Signals::NONE, hears: params.credit.hears().with(params.window.hears()) }
            }
            None => Source { sends: flow.reaction_point.sends(), hears: flow.reaction_point.hears() },
        }
    }
}

fn answers(flow: &Flow, heard: Signals) -> Signals {
    flow.notification_point.as_ref().map_or(Signals::NONE, |point| point.answers(heard.only(point.hears())))
}

/// Whether RM cells of the flow come back to their source.
fn returns_rm_cells(flow: &Flow) -> bool {
    answers(flow, Source::of(flow).sends).meets(Signals::BACKWARD_RM_CELLS)
}

/// What the source obeys: what it hears, and what its receiver turns into something that it hears.
fn obeyed(flow: &Flow) -> Signals {
    let mut hears = Source::of(flow).hears;
    if !returns_rm_cells(flow) {
        hears = hears.without(Signals::IN_RM_CELLS);
    }
    Signals::EFCI.when(answers(flow, Signals::EFCI).meets(hears)).with(hears)
}

/// What `point` sends about the flow. It cannot write into RM cells that the flow does not send.
fn sent(point: &CongestionParams, flow: &Flow) -> Signals {
    let hears = point.hears();
    point.sends().when(hears.is_empty() || hears.meets(Source::of(flow).sends))
}

impl<'a> Network<'a> {
    /// Refuses parts that do not go together, unless the scenario says that they are meant.
    pub(super) fn check_meetings(&self) -> Result<(), Fault> {
        match self.scenario.mismatches {
            Mismatches::Refuse => match self.mismatches().into_iter().next() {
                Some(fault) => {
                    let remedy = format!("{}; if it is meant, write mismatches = \"warn\"", fault.remedy);
                    Err(Fault { remedy, ..fault })
                }
                None => Ok(()),
            },
            Mismatches::Warn => Ok(()),
        }
    }

    /// Who hears whom.
    pub(super) fn meetings(&self) -> Meetings {
        let mut hearings = BTreeSet::new();
        for flow in &self.flows {
            let (params, group) = (flow.params, self.group_path(flow));
            let obeyed = obeyed(params);
            let source = Source::of(params);
            let receiver =
                params.notification_point.as_ref().map(|part| format!("{group}.notification_point.{}", part.keyword()));
            let mut hear = |from: &str, signals: Signals, to: &str| {
                hearings.extend(signals.each().map(|signal| Hearing {
                    from: from.to_owned(),
                    signal: signal.to_string(),
                    to: to.to_owned(),
                }));
            };
            let mut heard = source.sends;
            for (path, point) in self.congestion_points(flow) {
                let sent = sent(point, params).only(obeyed);
                heard = heard.with(sent);
                let marks = sent.without(source.hears);
                hear(&path, sent.only(source.hears), &self.source_path(flow));
                if let Some(receiver) = &receiver {
                    hear(&path, marks, receiver);
                }
                if point.hears().meets(source.sends) {
                    hear(&self.source_path(flow), point.hears().only(source.sends), &path);
                }
            }
            if let (Some(receiver), Some(part)) = (&receiver, &params.notification_point) {
                hear(&self.source_path(flow), source.sends.only(part.hears()), receiver);
                hear(receiver, answers(params, heard).only(source.hears), &self.source_path(flow));
            }
        }
        let mut warnings = self.mismatches();
        warnings.extend(self.warnings());
        Meetings { hearings: hearings.into_iter().collect(), warnings }
    }

    /// Every fault: first those of ports, then those of groups.
    fn mismatches(&self) -> Vec<Fault> {
        let mut faults = self.unheard_points();
        faults.extend(self.unmet_groups());
        faults.extend(self.stalls());
        faults
    }

    fn group_path(&self, flow: &FlowPlan<'_>) -> String {
        format!("flow.{}", shown_key(&self.groups[flow.group]))
    }

    fn source_path(&self, flow: &FlowPlan<'_>) -> String {
        let group = self.group_path(flow);
        match &flow.params.transport {
            Some(transport::Params::Tp4(_)) => format!("{group}.transport.tp4"),
            None => format!("{group}.reaction_point.{}", flow.params.reaction_point.keyword()),
        }
    }

    /// The congestion points on the path of the flow's data, with their paths in the scenario.
    fn congestion_points(&self, flow: &FlowPlan<'a>) -> impl Iterator<Item = (String, &'a CongestionParams)> {
        flow.forward.iter().filter_map(|&port| {
            let point = self.ports[port].congestion?;
            Some((self.point_path(port, point), point))
        })
    }

    fn point_path(&self, port: usize, point: &CongestionParams) -> String {
        let plan = &self.ports[port];
        // Both ports of a line without `reverse` have the parameters of the line.
        let own = self.scenario.line.get(plan.name.trim_end_matches(".reverse"));
        let is_line = own.is_none_or(|line| line.reverse.is_none()) || !plan.name.ends_with(".reverse");
        let reverse = if is_line { "" } else { ".reverse" };
        format!("{}{reverse}.congestion_point.{}", plan.path, point.keyword())
    }

    /// Congestion points with feedback that no source of a flow through them obeys.
    fn unheard_points(&self) -> Vec<Fault> {
        // By path: a line without `reverse` has one point at two ports, and it is enough that one is heard.
        let mut points: BTreeMap<String, (&CongestionParams, bool)> = BTreeMap::new();
        let mut last = None;
        for flow in &self.flows {
            // The flows of a group are alike: its first flow on a path answers for all on that path.
            if last == Some((flow.group, &flow.forward)) {
                continue;
            }
            last = Some((flow.group, &flow.forward));
            let obeyed = obeyed(flow.params);
            for (path, point) in self.congestion_points(flow) {
                let is_heard = sent(point, flow.params).meets(obeyed);
                points.entry(path).or_insert((point, false)).1 |= is_heard;
            }
        }
        let unheard = points.into_iter().filter(|(_, (point, is_heard))| !is_heard && !point.sends().is_empty());
        unheard.map(|(path, (point, _))| unheard_point(path, point)).collect()
    }

    /// Parts of groups that hear nobody, or that nobody hears.
    fn unmet_groups(&self) -> Vec<Fault> {
        let mut sent_to = vec![Signals::NONE; self.groups.len()];
        for flow in &self.flows {
            for &port in &flow.forward {
                if let Some(point) = self.ports[port].congestion {
                    sent_to[flow.group] = sent_to[flow.group].with(sent(point, flow.params));
                }
            }
        }
        let groups = self.scenario.flow.iter().zip(sent_to);
        groups
            .flat_map(|((name, flow), sent)| {
                unmet(flow, sent).map(|fault| fault.under(&format!("flow.{}", shown_key(name))))
            })
            .collect()
    }

    /// Windows that a loss would close for ever, over queues that can discard.
    fn stalls(&self) -> Vec<Fault> {
        let mut faults = BTreeMap::new();
        let windows = self.windows();
        for flow in self.flows.iter().filter(|flow| flow.params.reaction_point.stalls_after_loss().is_some()) {
            if let Some(place) = self.first_discard(flow, &windows) {
                faults.entry(flow.group).or_insert_with(|| {
                    let keyword = flow.params.reaction_point.keyword();
                    let reason = format!(
                        "it never sends a lost PDU again, and {place} can discard: one loss stops the flow for ever"
                    );
                    let remedy =
                        "give this port unlimited queues, or longer ones than all windows together, or use a transport";
                    Fault::new(format!("{}.reaction_point", self.group_path(flow)), keyword, reason, remedy)
                });
            }
        }
        faults.into_values().collect()
    }

    /// The most PDUs of all flows over each port, both ways, if windows limit each of these flows.
    fn windows(&self) -> Vec<Option<u64>> {
        let mut windows = vec![Some(0u64); self.ports.len()];
        for flow in &self.flows {
            let own = flow.params.reaction_point.stalls_after_loss();
            for &port in flow.forward.iter().chain(&flow.backward) {
                windows[port] = windows[port].zip(own).map(|(sum, own)| sum.saturating_add(own));
            }
        }
        windows
    }

    /// The first place on the flow's path, and on that of its acknowledgements, that can discard.
    fn first_discard(&self, flow: &FlowPlan<'_>, windows: &[Option<u64>]) -> Option<String> {
        if !flow.params.policers.is_empty() {
            return Some("a policer of the group".to_owned());
        }
        flow.forward.iter().chain(&flow.backward).find_map(|&port| {
            let plan = &self.ports[port];
            if plan.outage.is_some() {
                return Some(format!("{} with its outage", plan.path));
            }
            let params = &plan.queues[usize::from(flow.params.priority).min(plan.queues.len() - 1)];
            let policy = params.build(());
            let octets = u64::from(flow.params.octets);
            let pdus = match (policy.size(), policy.limits()) {
                (Some(size), _) => size,
                (None, Some([bits, _])) if policy.counts_bits() => bits / (octets * 8),
                _ => return None,
            };
            let is_safe = windows[port].is_some_and(|most| most <= pdus);
            (!is_safe).then(|| format!("the queue {} of {}", params.keyword(), plan.path))
        })
    }
}

fn unheard_point(path: String, point: &CongestionParams) -> Fault {
    let (keyword, sends) = (point.keyword(), point.sends());
    let reason = if point.hears().is_empty() {
        format!("it sends {sends}, and no source of the flows through it hears them")
    } else {
        format!("it writes {sends} into RM cells, and no source of the flows through it sends RM cells and obeys them")
    };
    let returned = sends.meets(Signals::IN_RM_CELLS) || sends == Signals::EFCI;
    let back = if returned { ", with notification_point.turn_round" } else { "" };
    let listeners = match sends {
        Signals::EFCI => "reaction_point.tm40, reaction_point.eprca".to_owned(),
        sends => listeners(sends),
    };
    let remedy = format!("give its flows one of {listeners}{back}, or delete it");
    let path = path.strip_suffix(&format!(".{keyword}")).unwrap_or(&path).to_owned();
    Fault::new(path, keyword, reason, remedy)
}

/// The faults of one group, of what its points send to it; paths are below the group.
fn unmet(flow: &Flow, sent: Signals) -> impl Iterator<Item = Fault> {
    let source = Source::of(flow);
    let answers = answers(flow, sent.with(source.sends));
    let direct = if returns_rm_cells(flow) { sent } else { sent.without(Signals::IN_RM_CELLS) };
    let is_deaf = !source.hears.is_empty() && !source.hears.meets(direct.with(answers));
    let source_fault = is_deaf.then(|| {
        let (path, keyword) = match &flow.transport {
            Some(_) => ("transport.tp4", "tp4"),
            None => ("reaction_point", flow.reaction_point.keyword()),
        };
        let (reason, remedy) = if source.sends.is_empty() {
            let reason = format!("it hears {}, and nothing on its path sends them", source.hears);
            (reason, format!("add one of {}, or delete it", speakers(source.hears)))
        } else {
            let reason = format!("it sends {}, and the receiver does not return them", source.sends);
            (reason, format!("add {}", listeners(source.sends)))
        };
        Fault::new(path, keyword, reason, remedy)
    });
    let scale_fault = (flow.reaction_point.only_scales() && !flow.traffic.heeds_factor()).then(|| {
        let reason = format!("it scales the nominal rate of the traffic, and {} has none", flow.traffic.keyword());
        let remedy =
            "give traffic with a rate, such as cbr or on_off, or a source that sets its own rate, such as becn or tm40";
        Fault::new("reaction_point", flow.reaction_point.keyword(), reason, remedy)
    });
    let receiver_fault = flow.notification_point.as_ref().filter(|_| !answers.meets(source.hears)).map(|part| {
        let (reason, parts) = if answers.is_empty() {
            (format!("it hears {}, and nothing sends them to it", part.hears()), speakers(part.hears()))
        } else {
            (format!("it sends {answers}, and the sources of the group do not hear them"), listeners(answers))
        };
        Fault::new("notification_point", part.keyword(), reason, format!("add one of {parts}, or delete it"))
    });
    [source_fault, scale_fault, receiver_fault].into_iter().flatten()
}
