//! Which parts of the control schemes hear each other. A part whose feedback no other part hears, or that hears no
//! other part, has no effect on a run: the assembly refuses it.
//!
//! The feedback for a flow comes from the congestion points on its path and from its receiver:
//!
//! - what a point writes into RM cells reaches the source only if the source sends them and the receiver returns them;
//! - a receiver may hear what the points mark on data (EFCI), and send something else for it (notices, CI).

use std::collections::{BTreeMap, BTreeSet};

use crate::control::{CongestionParams, CongestionPointParams, NotificationPointParams, ReactionPointParams};
use crate::core::error::Fault;
use crate::core::feedback::Signals;
use crate::policer::PolicerParams;
use crate::queue::{self, Discard, QueueParams};
use crate::scenario::assembly::plan::port_plan::REVERSE;
use crate::scenario::assembly::plan::{FlowPlan, Network};
use crate::scenario::partners::{listeners, sources, speakers};
use crate::scenario::path::shown_key;
use crate::scenario::spec::Flow;
use crate::traffic::ModelParams;
use crate::transport::Params;

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

/// Which part hears which in a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meetings {
    /// Each pair of parts of which one hears the other, sorted.
    pub hearings: Vec<Hearing>,
    /// Parts that do not go together, which only a scenario with `mismatches = "warn"` may have, and parameters that
    /// probably do not fit the network.
    pub warnings: Vec<Fault>,
}

/// The sender's side of a group: what its sources send and hear.
#[derive(Clone, Copy, Debug)]
struct SourceSignals {
    sends: Signals,
    hears: Signals,
}

impl SourceSignals {
    fn of(flow: &Flow) -> SourceSignals {
        let [own, transport] = SourceSignals::of_parts(flow);
        SourceSignals { sends: own.sends, hears: own.hears.with(transport.hears) }
    }

    /// Those of the reaction point, and of the transport.
    fn of_parts(flow: &Flow) -> [SourceSignals; 2] {
        let reports = Signals::FILE_REPORTS.when(flow.reports_gaps());
        let listeners = flow.transport.iter().flat_map(Params::listeners);
        let hears = listeners.fold(Signals::NONE, |all, part| all.with(part.hears));
        let own = flow.reaction();
        [
            SourceSignals { sends: own.sends(), hears: own.hears().with(reports) },
            SourceSignals { sends: Signals::NONE, hears },
        ]
    }
}

fn answers(flow: &Flow, heard: Signals) -> Signals {
    flow.notification_point.as_ref().map_or(Signals::NONE, |point| point.answers(heard.only(point.hears())))
}

/// Whether RM cells of the flow come back to their source.
fn returns_rm_cells(flow: &Flow) -> bool {
    answers(flow, SourceSignals::of(flow).sends).meets(Signals::BACKWARD_RM_CELLS)
}

/// What the source obeys: what it hears, and what its receiver turns into something that it hears.
pub(super) fn obeyed(flow: &Flow) -> Signals {
    let mut hears = SourceSignals::of(flow).hears;
    if !returns_rm_cells(flow) {
        hears = hears.without(Signals::IN_RM_CELLS);
    }
    let marks = [Signals::EFCI, Signals::ECN].into_iter().filter(|&mark| answers(flow, mark).meets(hears));
    marks.fold(hears, Signals::with)
}

/// What `point` sends about the flow. It cannot write into RM cells that the flow does not send.
pub(super) fn sent(point: &CongestionParams, flow: &Flow) -> Signals {
    let hears = point.hears();
    point.sends().when(hears.is_empty() || hears.meets(SourceSignals::of(flow).sends))
}

impl<'a> Network<'a> {
    /// Each pair of parts of which one hears the other, sorted.
    pub(super) fn hearings(&self) -> Vec<Hearing> {
        let mut hearings = BTreeSet::new();
        for flow in &self.flows {
            let (params, group) = (flow.params, self.group_path(flow));
            let obeyed = obeyed(params);
            let source = SourceSignals::of(params);
            let parts = self.source_parts(flow);
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
                parts.iter().for_each(|(to, part)| hear(&path, sent.only(part.hears), to));
                if let Some(receiver) = &receiver {
                    hear(&path, marks, receiver);
                }
                if point.hears().meets(source.sends) {
                    parts.iter().for_each(|(from, part)| hear(from, point.hears().only(part.sends), &path));
                }
            }
            for (path, sent) in self.queues_of(flow) {
                parts.iter().for_each(|(to, part)| hear(&path, sent.only(part.hears), to));
            }
            if let (Some(receiver), Some(part)) = (&receiver, &params.notification_point) {
                parts.iter().for_each(|(from, own)| hear(from, own.sends.only(part.hears()), receiver));
                let answers = answers(params, heard).only(source.hears);
                let told = answers.without(Signals::FILE_REPORTS);
                parts.iter().for_each(|(to, own)| hear(receiver, told.only(own.hears), to));
                let traffic = format!("{group}.traffic.{}", params.traffic.keyword());
                hear(receiver, answers.only(Signals::FILE_REPORTS), &traffic);
            }
        }
        hearings.into_iter().collect()
    }

    /// Every fault: first those of ports, then those of groups.
    pub(crate) fn mismatches(&self) -> Vec<Fault> {
        let mut faults = self.unheard_points();
        faults.extend(self.unheard_queues());
        faults.extend(self.unmet_groups());
        faults.extend(self.stalls());
        faults
    }

    fn group_path(&self, flow: &FlowPlan<'_>) -> String {
        format!("flow.{}", shown_key(&self.groups[flow.group]))
    }

    /// The parts of the flow's source, with their paths in the scenario: its reaction point, and its transport if it has one.
    fn source_parts(&self, flow: &FlowPlan<'_>) -> Vec<(String, SourceSignals)> {
        let group = self.group_path(flow);
        let reaction = format!("{group}.reaction_point.{}", flow.params.reaction().keyword());
        let transport = flow.params.transport.as_ref().map(|own| format!("{group}.transport.{}", own.keyword()));
        [reaction].into_iter().chain(transport).zip(SourceSignals::of_parts(flow.params)).collect()
    }

    /// The congestion points on the path of the flow's data, with their paths in the scenario.
    fn congestion_points(&self, flow: &FlowPlan<'a>) -> impl Iterator<Item = (String, &'a CongestionParams)> {
        flow.forward().iter().filter_map(|port| {
            let point = self.ports[port].congestion?;
            Some((format!("{}.{}", self.point_place(port), point.keyword()), point))
        })
    }

    /// The queues on the path of the flow's data, with their paths in the scenario, and what they tell its source: marks, and
    /// losses.
    fn queues_of(&self, flow: &FlowPlan<'_>) -> impl Iterator<Item = (String, Signals)> {
        flow.forward().iter().map(|port| {
            let (plan, number) = (&self.ports[port], self.queue_of(flow, port));
            let queue = &plan.queues[number];
            let path = format!("{}.queues[{number}].{}", plan.path, queue.keyword());
            (path, queue.sends().with(Signals::LOSS.when(self.may_lose(flow, port))))
        })
    }

    /// Whether the port may discard data of the flow.
    pub(super) fn may_lose(&self, flow: &FlowPlan<'_>, port: usize) -> bool {
        let plan = &self.ports[port];
        let queue = &plan.queues[self.queue_of(flow, port)];
        let has_limit = queue.sketch().size().is_some() || queue.size_in_bits().is_some();
        has_limit || queue.discards_early() || plan.buffer.is_some() || plan.outage.is_some()
    }

    /// Path of the port's congestion point in the scenario, without its keyword. Both ports of a line without `reverse` have
    /// the point of the line.
    pub(super) fn point_place(&self, port: usize) -> String {
        let plan = &self.ports[port];
        let name = plan.name();
        let own = self.scenario.line.get(name.strip_suffix(REVERSE).unwrap_or(&name));
        let is_line = own.is_none_or(|line| line.reverse.is_none()) || !name.ends_with(REVERSE);
        let reverse = if is_line { "" } else { REVERSE };
        format!("{}{reverse}.congestion_point", plan.path)
    }

    /// What sources of the flows through each port obey of what its congestion point sends. `None` without a point or a flow.
    fn heard_of_points(&self) -> Vec<Option<Signals>> {
        let mut heard = vec![None; self.ports.len()];
        for (flow, _) in self.alike() {
            let obeyed = obeyed(flow.params);
            for port in flow.forward().iter() {
                if let Some(point) = self.ports[port].congestion {
                    let own = heard[port].get_or_insert(Signals::NONE);
                    *own = own.with(sent(point, flow.params).only(obeyed));
                }
            }
        }
        heard
    }

    /// Congestion points with feedback that no source of a flow through them obeys.
    fn unheard_points(&self) -> Vec<Fault> {
        let heard_at = self.heard_of_points();
        // A line without `reverse` has one point at two ports, and it is enough that one is heard.
        let heard_ports =
            self.ports.iter().zip(&heard_at).filter(|(_, heard)| heard.is_some_and(|one| !one.is_empty()));
        let heard: BTreeSet<*const CongestionParams> =
            heard_ports.filter_map(|(plan, _)| plan.congestion).map(std::ptr::from_ref).collect();
        let mut unheard = BTreeMap::new();
        for (port, _) in heard_at.iter().enumerate().filter(|(_, heard)| **heard == Some(Signals::NONE)) {
            let Some(point) = self.ports[port].congestion else { continue };
            if !point.sends().is_empty() && !heard.contains(&std::ptr::from_ref(point)) {
                unheard.entry(self.point_place(port)).or_insert(point);
            }
        }
        unheard.into_iter().map(|(place, point)| unheard_point(place, point)).collect()
    }

    /// The first congestion point of which something that must be heard by itself is heard at none of its ports.
    pub(crate) fn half_heard_point(&self) -> Option<Fault> {
        let mut points: Vec<(&CongestionParams, usize, Signals)> = Vec::new();
        let heard_at = self.heard_of_points();
        for (port, heard) in heard_at.into_iter().enumerate() {
            let (Some(point), Some(heard)) = (self.ports[port].congestion, heard) else { continue };
            if point.must_be_heard().is_empty() {
                continue;
            }
            match points.iter_mut().find(|(known, ..)| *known == point) {
                Some((.., sum)) => *sum = sum.with(heard),
                None => points.push((point, port, heard)),
            }
        }
        points.into_iter().find_map(|(point, port, heard)| {
            let idle = point.must_be_heard().without(heard);
            let reason = || format!("it sends {idle}, and no source of the flows through it hears them");
            let remedy = || format!("give its flows one of {}, or leave out the flag in the class", listeners(idle));
            (!idle.is_empty()).then(|| Fault::new(self.point_place(port), point.keyword(), reason(), remedy()))
        })
    }

    /// Parts of groups that hear no other part, or that no other part hears.
    fn unmet_groups(&self) -> Vec<Fault> {
        let mut sent_to = vec![Signals::NONE; self.groups.len()];
        for (flow, _) in self.alike() {
            sent_to[flow.group] = sent_to[flow.group].with(self.sent_to(flow));
        }
        let groups = self.scenario.flow.iter().zip(sent_to);
        groups
            .flat_map(|((name, flow), sent)| {
                unmet(flow, sent).map(|fault| fault.under(&format!("flow.{}", shown_key(name))))
            })
            .collect()
    }

    /// What the congestion points and the queues on the path of the flow's data send about it.
    pub(super) fn sent_to(&self, flow: &FlowPlan<'_>) -> Signals {
        let points = flow.forward().iter().filter_map(|port| self.ports[port].congestion);
        let sent_by_points = points.fold(Signals::NONE, |all, point| all.with(sent(point, flow.params)));
        let queues = flow.forward().iter().map(|port| &self.ports[port].queues[self.queue_of(flow, port)]);
        queues.fold(sent_by_points, |all, queue| all.with(queue.sends()))
    }

    /// Queues with marks that no source of a flow through them obeys, and that would not be there without these.
    fn unheard_queues(&self) -> Vec<Fault> {
        let unheard = self.unheard_marks().into_iter().filter(|(_, queue)| !queue.may_be_unheard());
        let fault = |(place, queue): (String, &queue::Params)| {
            let sends = queue.sends();
            let reason = format!("it sends {sends}, and no source of the flows through it hears them");
            let with = if sends.meets(Signals::ECN) { " with ecn = \"classic\" or \"accurate\"" } else { "" };
            Fault::new(
                place,
                "mark",
                reason,
                format!("give its flows one of {}{with}, or delete mark", listeners(sends)),
            )
        };
        unheard.map(fault).collect()
    }

    /// Queues that mark, on lines where no source obeys their marks, with their paths in the scenario. A line may have the same
    /// queues in both directions, and it is enough that one is obeyed.
    pub(super) fn unheard_marks(&self) -> Vec<(String, &queue::Params)> {
        let mut marking = BTreeMap::new();
        for (flow, _) in self.alike() {
            for port in flow.forward().iter() {
                let (plan, number) = (&self.ports[port], self.queue_of(flow, port));
                let queue = &plan.queues[number];
                if !queue.sends().is_empty() {
                    let place = format!("{}.queues[{number}].{}", plan.path, queue.keyword());
                    let (_, is_obeyed) = marking.entry(place).or_insert((queue, false));
                    *is_obeyed |= queue.sends().meets(obeyed(flow.params));
                }
            }
        }
        let unheard = marking.into_iter().filter(|(_, (_, is_obeyed))| !is_obeyed);
        unheard.map(|(place, (queue, _))| (place, queue)).collect()
    }

    /// Groups of which some flows pass a congestion point that they hear, and others none.
    pub(super) fn unmet_flows(&self) -> Vec<Fault> {
        let mut counts: BTreeMap<usize, BTreeMap<Signals, u32>> = BTreeMap::new();
        for flow in &self.flows {
            *counts.entry(flow.group).or_default().entry(self.sent_to(flow)).or_default() += flow.times;
        }
        let faults = self.scenario.flow.iter().zip(counts.into_values()).filter_map(|((name, flow), counts)| {
            let is_unmet = |sent: Signals| is_untouched(flow, sent) || unmet(flow, sent).next().is_some();
            let unmet_count: u32 = counts.iter().filter(|(sent, _)| is_unmet(**sent)).map(|(_, count)| count).sum();
            let count: u32 = counts.values().sum();
            let path = format!("flow.{}.reaction_point", shown_key(name));
            let reason = format!("{unmet_count} of its {count} flows pass no congestion point that they hear");
            let remedy = "give the other lines a congestion point too, or let these flows be a group of their own";
            (0 < unmet_count && unmet_count < count)
                .then(|| Fault::new(path, flow.reaction().keyword(), reason, remedy))
        });
        faults.collect()
    }

    /// Windows that a loss would close for ever, over queues that can discard.
    fn stalls(&self) -> Vec<Fault> {
        let may_stall = |flow: &&FlowPlan<'_>| flow.params.reaction().stalls_after_loss().is_some();
        if !self.alike().any(|(flow, _)| may_stall(&flow)) {
            return Vec::new();
        }
        let mut faults = BTreeMap::new();
        let windows = self.windows();
        for flow in self.flows.iter().filter(may_stall) {
            if let Some((place, remedy)) = self.first_discard(flow, &windows) {
                faults.entry(flow.group).or_insert_with(|| {
                    let reason = format!(
                        "{place} can discard, and a lost PDU is never sent again: one loss stops the flow for ever"
                    );
                    let path = format!("{}.reaction_point", self.group_path(flow));
                    Fault::new(path, flow.params.reaction().keyword(), reason, format!("{remedy}, or use a transport"))
                });
            }
        }
        faults.into_values().collect()
    }

    /// The most PDUs and bits of all flows in each queue that a flow uses, both ways, if windows limit each of them.
    fn windows(&self) -> BTreeMap<(usize, usize), Option<(u64, u64)>> {
        let mut windows = BTreeMap::new();
        for flow in &self.flows {
            let own = flow.params.reaction().stalls_after_loss();
            let bits = u64::from(flow.params.octets) * 8;
            for port in flow.ports() {
                let sum = windows.entry((port, self.queue_of(flow, port))).or_insert(Some((0u64, 0u64)));
                let times = u64::from(flow.times / self.ports[port].times);
                let add = |(pdus, all): (u64, u64), own: u64| {
                    let own = own.saturating_mul(times);
                    (pdus.saturating_add(own), all.saturating_add(own.saturating_mul(bits)))
                };
                *sum = sum.zip(own).map(|(sum, own)| add(sum, own));
            }
        }
        windows
    }

    pub(super) fn queue_of(&self, flow: &FlowPlan<'_>, port: usize) -> usize {
        usize::from(flow.params.priority).min(self.ports[port].queues.len() - 1)
    }

    /// The first place on the flow's path, and on that of its acknowledgements, that can discard, and what to do about it.
    fn first_discard(
        &self,
        flow: &FlowPlan<'_>,
        windows: &BTreeMap<(usize, usize), Option<(u64, u64)>>,
    ) -> Option<(String, &'static str)> {
        if let Some(index) = flow.params.policers.iter().position(PolicerParams::may_discard) {
            let place = format!("{}.policers[{index}]", self.group_path(flow));
            return Some((place, "let it tag cells and not discard them, or delete it"));
        }
        flow.ports().find_map(|port| {
            let plan = &self.ports[port];
            if plan.outage.is_some_and(|outage| outage.from < self.scenario.duration) {
                return Some((format!("{} with its outage", plan.path), "delete the outage"));
            }
            if let Some(buffer) = plan.buffer {
                return Some((format!("the buffer {} of {}", buffer.keyword(), plan.path), "delete the buffer"));
            }
            let queue = self.queue_of(flow, port);
            let params = &plan.queues[queue];
            let most = windows.get(&(port, queue)).copied().flatten();
            if params.discards_early() {
                let place = format!("the queue {} of {}", params.keyword(), plan.path);
                return Some((place, "make it drop_tail or unlimited"));
            }
            let fits = match (params.sketch().size(), params.size_in_bits()) {
                (Some(size), _) => most.is_some_and(|(pdus, _)| pdus <= size),
                (None, Some(size)) => most.is_some_and(|(_, bits)| bits <= size.0),
                (None, None) => true,
            };
            let remedy = match most {
                Some(_) => "make it longer than all windows together",
                None => "make it unlimited, because flows without a window share it",
            };
            (!fits).then(|| (format!("the queue {} of {}", params.keyword(), plan.path), remedy))
        })
    }
}

/// Whether RM cells of the flow return as they were sent, if the congestion points on its path send `sent`.
pub(super) fn is_untouched(flow: &Flow, sent: Signals) -> bool {
    SourceSignals::of(flow).sends.meets(Signals::FORWARD_RM_CELLS.with(Signals::RATE_REQUESTS))
        && !sent.meets(Signals::IN_RM_CELLS.with(Signals::EFCI))
}

fn unheard_point(place: String, point: &CongestionParams) -> Fault {
    let (keyword, sends) = (point.keyword(), point.sends());
    let reason = if point.hears().is_empty() {
        format!("it sends {sends}, and no source of the flows through it hears them")
    } else {
        let cells = if point.hears().meets(Signals::RATE_REQUESTS) { "rate requests" } else { "RM cells" };
        format!("it writes {sends} into {cells}, and no source of the flows through it sends {cells} and obeys them")
    };
    let needed = match sends {
        Signals::EFCI => "reaction_point.tm40 or eprca with notification_point.turn_round, or a source of notices \
                          with notification_point.forward_notice"
            .to_owned(),
        _ if sends.meets(Signals::IN_RM_CELLS) => {
            format!("one of {}, with notification_point.turn_round", sources(sends, point.hears()))
        }
        _ => format!("one of {}", listeners(sends)),
    };
    let remedy = format!("give its flows {needed}, or delete it");
    Fault::new(place, keyword, reason, remedy)
}

/// The fault of a part that hears nothing of what is sent to it.
fn deaf(path: &str, keyword: &str, hears: Signals, heard: Signals) -> Option<Fault> {
    if hears.is_empty() || hears.meets(heard) {
        return None;
    }
    let reason = format!("it hears {hears}, and nothing on its path sends them");
    Some(Fault::new(path, keyword, reason, format!("add one of {}, or delete it", speakers(hears))))
}

/// The faults of one group, of what its points send to it; paths are below the group.
fn unmet(flow: &Flow, sent: Signals) -> impl Iterator<Item = Fault> {
    let source = SourceSignals::of(flow);
    let answers = answers(flow, sent.with(source.sends));
    let direct = if returns_rm_cells(flow) { sent } else { sent.without(Signals::IN_RM_CELLS) };
    let heard = direct.with(answers);
    let reaction_fault = if !source.sends.is_empty() && !returns_rm_cells(flow) {
        let reason = format!("it sends {}, and the receiver does not return them", source.sends);
        let remedy = format!("add {}", listeners(source.sends));
        Some(Fault::new("reaction_point", flow.reaction().keyword(), reason, remedy))
    } else {
        deaf("reaction_point", flow.reaction().keyword(), flow.reaction().hears(), heard)
    };
    let listening = flow.transport.iter().flat_map(Params::listeners);
    let transport_faults: Vec<Option<Fault>> =
        listening.map(|part| deaf(&format!("transport.{}", part.path), part.keyword, part.needs, heard)).collect();
    let scale_fault = (flow.reaction().only_scales() && !flow.traffic.heeds_factor()).then(|| {
        let reason = format!("it scales the nominal rate of the traffic, and {} has none", flow.traffic.keyword());
        let remedy = "give traffic with a rate, such as cbr or on_off";
        Fault::new("reaction_point", flow.reaction().keyword(), reason, remedy)
    });
    let receiver_fault = flow
        .notification_point
        .as_ref()
        .filter(|part| {
            // A receiver that sends nothing only observes.
            !part.sends().is_empty() && !answers.meets(source.hears)
        })
        .map(|part| {
            let (reason, parts) = if answers.is_empty() {
                (format!("it hears {}, and nothing sends them to it", part.hears()), speakers(part.hears()))
            } else {
                (format!("it sends {answers}, and the sources of the group do not hear them"), listeners(answers))
            };
            Fault::new("notification_point", part.keyword(), reason, format!("add one of {parts}, or delete it"))
        });
    transport_faults.into_iter().chain([reaction_fault, scale_fault, receiver_fault]).flatten()
}
