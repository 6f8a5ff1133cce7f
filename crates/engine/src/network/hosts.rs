//! Hosts: all hosts that send into one port, each with its own access line, if it has one.
//!
//! Hosts do not interact before the port. So each host runs alone up to the node's horizon, and the node then sorts the
//! PDUs of all hosts.

pub mod access_line;
pub mod direct;
mod order;
pub mod sender;
pub mod stream;
pub mod tp4;
pub mod transport;
pub mod uplink;

use super::agenda::{Agenda, Member};
use super::context::Ctx;
use super::receiver::Receiver;
use super::touch;
use crate::control::{NotificationParams, ReactionParams};
use crate::core::key::Key;
use crate::core::pdu::FlowId;
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::inbox::Inbox;
use crate::network::lane::{Lane, LaneId, Record};
use crate::queue::measures::QueueState;
use crate::{traffic, transport as protocols};
use access_line::AccessLine;
use direct::{DirectHost, Halves};
use order::Sorter;
use sender::Sender;
use stream::Arrivals;
use transport::TransportHost;

/// To keep one host's key in the agenda takes about as long as to read the times of so many.
const HOSTS_PER_RUN: usize = 32;

/// One host.
#[derive(Clone, Debug)]
pub enum Host {
    /// A host that sends and receives PDUs without transport connections.
    Direct(DirectHost),
    /// A host at one end of a flow over transport connections.
    Transport(TransportHost),
}

impl Host {
    /// Key of its next timer.
    fn key(&self) -> Key {
        match self {
            Host::Direct(host) => Key { time: host.due(), place: host.place },
            Host::Transport(host) => Key { time: host.due(), place: host.place() },
        }
    }

    /// Key at which the node must run it, if the time is `next`.
    fn key_at(&self, next: Time) -> Key {
        let key = self.key();
        // A host that only holds PDUs on its access line has no place at that time.
        if key.time == next { key } else { Key::start_of(next) }
    }

    /// When the node must run it next.
    #[inline]
    fn next_run(&self, lead: Span, halves: &Halves) -> Time {
        match self {
            Host::Transport(host) => host.next_run(lead, halves),
            Host::Direct(host) => host.next_run(lead, halves),
        }
    }

    /// Its own access line to the port, if it has one.
    fn line<'a>(&self, halves: &'a Halves) -> Option<&'a AccessLine> {
        halves.line(match self {
            Host::Direct(host) => host.access,
            Host::Transport(host) => host.access(),
        })
    }

    /// Reads what it needs to send.
    #[inline]
    fn touch<P>(&self, halves: &Halves, ctx: &Ctx<P>) -> u64 {
        match self {
            Host::Direct(host) => host.touch(halves, ctx),
            Host::Transport(_) => 0,
        }
    }

    /// Runs its timers before `until`. Returns when the node must run it next.
    #[inline]
    fn run<P: Probe>(
        &mut self,
        until: Key,
        (limit, lead): (Time, Span),
        halves: &mut Halves,
        ctx: &mut Ctx<P>,
        sent: &mut Lane,
    ) -> Time {
        match self {
            Host::Direct(host) => host.run(until, (limit, lead), halves, ctx, sent),
            Host::Transport(host) => host.run(until, (limit, lead), halves, ctx, sent),
        }
    }

    fn on_pdu<P: Probe>(
        &mut self,
        record: &Record,
        limit: Time,
        halves: &mut Halves,
        ctx: &mut Ctx<P>,
        sent: &mut Lane,
    ) {
        match self {
            Host::Direct(host) => host.on_pdu(record, limit, halves, ctx, sent),
            Host::Transport(host) => host.on_pdu(record, limit, halves, ctx, sent),
        }
    }
}

/// All hosts that send into one port.
#[derive(Clone, Debug)]
pub struct Hosts {
    hosts: Vec<Host>,
    halves: Halves,
    /// Time when the node must run each host.
    next_runs: Vec<Time>,
    /// The earliest of these times.
    first_run: Time,
    /// Whether the hosts can handle one key at a time: no host has an access line with a delay that others would wait
    /// for.
    can_take_turns: bool,
    /// The next key of each host, while few of them run at each visit to the node.
    agenda: Option<Agenda>,
    /// The shortest delay from a host to the port.
    lead: Span,
    /// Lane to the port.
    to: LaneId,
    /// PDUs sent by several hosts, host after host, not yet sorted.
    sent: Lane,
    sorter: Sorter,
}

impl Hosts {
    /// Hosts with these sending halves, which send into the lane `to`, at the start of the run. No PDU reaches the port in a
    /// shorter time than `lead`.
    #[must_use]
    pub fn new(mut hosts: Vec<Host>, mut halves: Halves, to: LaneId, lead: Span) -> Hosts {
        for host in &mut hosts {
            if let Host::Direct(host) = host {
                host.begin(&mut halves);
            }
        }
        let next_runs: Vec<Time> = hosts.iter().map(|host| host.next_run(lead, &halves)).collect();
        let first_run = next_runs.iter().copied().min().unwrap_or(Time::NEVER);
        let can_take_turns = hosts.len() == 1 || !hosts.iter().any(|host| host.line(&halves).is_some());
        Hosts {
            hosts,
            halves,
            next_runs,
            first_run,
            can_take_turns,
            agenda: None,
            lead,
            to,
            sent: Lane::default(),
            sorter: Sorter::default(),
        }
    }

    /// The host with that index, for reports about its receiver with the number `part`.
    #[must_use]
    pub fn host(&self, index: u32, part: u32) -> Option<HostView<'_>> {
        Some(HostView { host: self.hosts.get(index as usize)?, part, halves: &self.halves })
    }

    /// Gives the notification point of the receiver of the host with that index other parameters, at `now`.
    pub fn retune_receiver(&mut self, index: u32, params: &NotificationParams, now: Time) {
        match self.hosts.get_mut(index as usize) {
            Some(Host::Direct(host)) => host.receiver.iter_mut().for_each(|receiver| receiver.retune(params, now)),
            Some(Host::Transport(host)) => host.retune_receiver(params, now),
            None => {}
        }
    }

    /// Starts or stops the sender of the host with that index, after all events of the instant `now`.
    pub fn set_active(&mut self, index: u32, is_active: bool, now: Time) {
        if let Some(Host::Direct(host)) = self.hosts.get_mut(index as usize) {
            host.set_active(is_active, now, &mut self.halves);
            self.plan(index);
        }
    }

    /// Gives the sender of the host with that index other parameters, after all events of the instant `now`.
    pub fn retune_sender(
        &mut self,
        index: u32,
        traffic: Option<&traffic::Params>,
        reaction: Option<&ReactionParams>,
        now: Time,
    ) {
        match self.hosts.get_mut(index as usize) {
            Some(Host::Direct(host)) => host.retune_sender(traffic, reaction, now, &mut self.halves),
            Some(Host::Transport(host)) => {
                traffic.into_iter().for_each(|params| host.retune_traffic(params));
                reaction.into_iter().for_each(|params| host.retune_reaction(params, now));
            }
            None => return,
        }
        self.plan(index);
    }

    /// Gives the transport of the host with that index, and its receiver with the number `part`, other parameters,
    /// at `now`.
    pub fn retune_transport(&mut self, (index, part): (u32, u32), params: &protocols::Params, now: Time) {
        if let Some(Host::Transport(host)) = self.hosts.get_mut(index as usize) {
            host.retune(part, params, now);
            self.plan(index);
        }
    }

    /// Notes when the host with that index must run.
    fn plan(&mut self, index: u32) {
        self.agenda = None;
        let next = self.hosts[index as usize].next_run(self.lead, &self.halves);
        let last = std::mem::replace(&mut self.next_runs[index as usize], next);
        if next < self.first_run {
            self.first_run = next;
        } else if last == self.first_run {
            self.first_run = self.next_runs.iter().copied().min().unwrap_or(Time::NEVER);
        }
    }

    /// The shortest delay from a host to the port.
    #[must_use]
    pub fn lead(&self) -> Span {
        self.lead
    }

    /// If no host sends before `from`, PDUs that are not yet in the lane reach the port no earlier than this.
    #[must_use]
    pub fn line_bound(&self, from: Time) -> Time {
        from + self.lead
    }

    /// Time of the earliest timer of all hosts.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        match &self.hosts[..] {
            [host] => host.key().time,
            _ => self.first_run,
        }
    }

    /// Key of the earliest timer of all hosts.
    #[must_use]
    pub fn timer(&self) -> Key {
        match &self.hosts[..] {
            [host] => host.key(),
            hosts => match &self.agenda {
                Some(agenda) => agenda.first().0,
                None => {
                    let first = hosts.iter().zip(&self.next_runs).filter(|(_, next)| **next == self.first_run);
                    first.map(|(host, next)| host.key_at(*next)).min().unwrap_or(Key::NEVER)
                }
            },
        }
    }

    /// Whether the hosts can handle one key at a time.
    #[must_use]
    pub fn can_take_turns(&self) -> bool {
        self.can_take_turns
    }

    /// Handles all arrivals and timers before `until`.
    pub fn run<P: Probe>(&mut self, inbox: &Inbox, until: Key, ctx: &mut Ctx<P>) {
        let lane = self.to.index();
        if self.hosts.len() == 1 {
            // The PDUs of a single host are already in order.
            self.sent = std::mem::take(&mut ctx.lanes[lane]);
            self.send(inbox, until, Time::NEVER, ctx);
            ctx.lanes[lane] = std::mem::take(&mut self.sent);
        } else {
            // PDUs that arrive at the port after this time stay here: other hosts may still send PDUs that arrive
            // earlier.
            self.send(inbox, until, until.time + self.lead, ctx);
            self.sorter.put_in_order(&self.sent, &mut ctx.lanes[lane]);
            self.sent.clear();
        }
    }

    /// Handles all arrivals and timers before `until`. PDUs that reach the port at `limit` or later stay on the access
    /// line.
    // Not twice in the engine of the browser: that would be much code.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline)]
    fn send<P: Probe>(&mut self, inbox: &Inbox, until: Key, limit: Time, ctx: &mut Ctx<P>) {
        let Hosts { hosts, halves, next_runs, agenda, sent, lead, .. } = self;
        let mut ran = 0;
        inbox.drain(until, ctx, |_, records, ctx| {
            ran += records.len();
            for record in records {
                if ctx.is_full() {
                    break;
                }
                let indices = ctx.flows[record.pdu.flow.index()].indices;
                let index = if record.pdu.is_backward() { indices.sender } else { indices.receiver };
                let host = &mut hosts[index as usize];
                host.run(record.key(), (limit, *lead), halves, ctx, sent);
                host.on_pdu(record, limit, halves, ctx, sent);
                let next = host.next_run(*lead, halves);
                next_runs[index as usize] = next;
                if let Some(agenda) = agenda {
                    agenda.set(Member(index), host.key_at(next));
                }
            }
        });
        ran += match self.agenda {
            Some(_) => self.run_first(until, limit, ctx),
            None => self.run_due(until, limit, ctx),
        };
        self.choose(ran);
    }

    /// Runs the hosts that are due, one after the other. Returns how many.
    #[inline]
    fn run_due<P: Probe>(&mut self, until: Key, limit: Time, ctx: &mut Ctx<P>) -> usize {
        let Hosts { hosts, halves, next_runs, first_run, sent, lead, .. } = self;
        let mut ran = 0;
        *first_run = Time::NEVER;
        let are_many = touch::are_many(ctx.flows.len());
        for (hosts, next_runs) in hosts.chunks_mut(touch::TOGETHER).zip(next_runs.chunks_mut(touch::TOGETHER)) {
            if are_many {
                let due = hosts.iter().zip(&*next_runs).filter(|(_, time)| **time <= until.time);
                touch::all(due.map(|(host, _)| host.touch(halves, ctx)));
            }
            for (host, time) in hosts.iter_mut().zip(next_runs) {
                if *time <= until.time && !ctx.is_full() {
                    *time = host.run(until, (limit, *lead), halves, ctx, sent);
                    ran += 1;
                }
                *first_run = (*time).min(*first_run);
            }
        }
        ran
    }

    /// As [`Hosts::run_due`], but the agenda finds these hosts, and no other host is read.
    fn run_first<P: Probe>(&mut self, until: Key, limit: Time, ctx: &mut Ctx<P>) -> usize {
        let Hosts { hosts, halves, next_runs, first_run, agenda, sent, lead, .. } = self;
        let Some(agenda) = agenda else { return 0 };
        let mut ran = 0;
        while let (key, Member(index)) = agenda.first()
            && key < until
            && !ctx.is_full()
        {
            let host = &mut hosts[index as usize];
            let next = host.run(until, (limit, *lead), halves, ctx, sent);
            next_runs[index as usize] = next;
            agenda.set(Member(index), host.key_at(next));
            ran += 1;
        }
        *first_run = agenda.first().0.time;
        ran
    }

    /// Keeps an agenda while fewer hosts run at each visit than its upkeep is worth; `ran` of them ran at this one.
    #[inline]
    fn choose(&mut self, ran: usize) {
        let all = self.hosts.len();
        if self.agenda.is_some() {
            if ran * HOSTS_PER_RUN > 2 * all {
                self.agenda = None;
            }
        } else if all >= HOSTS_PER_RUN && ran * HOSTS_PER_RUN < all {
            let mut agenda = Agenda::new(all);
            for ((host, next), index) in self.hosts.iter().zip(&self.next_runs).zip(0..) {
                agenda.set(Member(index), host.key_at(*next));
            }
            self.agenda = Some(agenda);
        }
    }

    /// Time of the next departure from an access line that measures its queue, after a stop.
    #[must_use]
    pub fn next_departure(&self) -> Time {
        self.halves.lines.iter().map(AccessLine::next_departure).min().unwrap_or(Time::NEVER)
    }

    /// Resets the measures.
    pub fn reset_measures(&mut self, now: Time) {
        for host in &mut self.hosts {
            match host {
                Host::Direct(host) => host.receiver.iter_mut().for_each(|receiver| receiver.reset_measures()),
                Host::Transport(host) => host.reset_measures(now),
            }
        }
        self.halves.senders.iter_mut().for_each(|sender| sender.reset_measures(now));
        self.halves.lines.iter_mut().for_each(|access| access.reset_measures(now));
    }

    /// Counts the departures from the queues of access lines up to `now`.
    pub fn update_lines(&mut self, now: Time) {
        self.halves.lines.iter_mut().for_each(|access| access.update(now));
    }

    /// Counts what the senders have been offered up to `now`. Returns a flow of which something is missing.
    pub fn catch_up(&mut self, now: Time) -> Option<FlowId> {
        let mut missing = None;
        for sender in &mut self.halves.senders {
            if !sender.catch_up(now) {
                missing = Some(sender.flow());
            }
        }
        let transports = self.hosts.iter().filter_map(|host| match host {
            Host::Transport(host) => Some(host),
            Host::Direct(_) => None,
        });
        missing.or_else(|| transports.filter(|host| !host.is_conserved()).find_map(TransportHost::sent_flow))
    }

    /// Every PDU on an access line that is not in a lane, with its arrival.
    pub fn held(&self) -> impl Iterator<Item = &Record> {
        self.halves.lines.iter().flat_map(AccessLine::held)
    }
}

/// One host, for reports.
#[derive(Clone, Copy, Debug)]
pub struct HostView<'a> {
    host: &'a Host,
    part: u32,
    halves: &'a Halves,
}

impl<'a> HostView<'a> {
    /// The receiver of the data that arrive here, if any.
    #[must_use]
    pub fn receiver(self) -> Option<&'a Receiver> {
        match self.host {
            Host::Direct(host) => host.receiver.as_deref(),
            Host::Transport(host) => host.receiver(self.part),
        }
    }

    /// Its sender, if it has one and no transport connections.
    #[must_use]
    pub fn sender(self) -> Option<&'a Sender> {
        match self.host {
            Host::Direct(host) => self.halves.sender(host),
            Host::Transport(_) => None,
        }
    }

    /// The host at one end of a flow over transport connections, if it is one.
    #[must_use]
    pub fn transport(self) -> Option<&'a TransportHost> {
        match self.host {
            Host::Direct(_) => None,
            Host::Transport(host) => Some(host),
        }
    }

    /// The byte streams that it receives, if it does.
    #[must_use]
    pub fn arrivals(self) -> Option<&'a Arrivals> {
        match self.host {
            Host::Transport(TransportHost::Stream(host)) => host.arrivals(self.part),
            Host::Transport(TransportHost::Tp4(_)) | Host::Direct(_) => None,
        }
    }

    /// The queue of its own access line, if it has one.
    #[must_use]
    pub fn access_queue(self) -> Option<&'a QueueState> {
        self.host.line(self.halves).map(AccessLine::queue)
    }
}

#[cfg(test)]
pub(super) mod tests;
