//! Hosts: all that send into one port, each with the line that is its own, if it has one.
//!
//! Hosts do not meet before the port, so each runs by itself as far as the node may; what all of them sent is then put in
//! order.

pub mod access_line;
pub mod direct;
mod order;
pub mod sender;
pub mod transport;
pub mod uplink;

use super::context::Ctx;
use super::queue_state::QueueState;
use super::receiver::Receiver;
use crate::core::pdu::Pdu;
use crate::core::probe::Probe;
use crate::core::time::{Span, Time};
use crate::network::inbox::Inbox;
use crate::network::lane::{Key, Lane, LaneId, Place, Record};
use direct::DirectHost;
use order::Sorter;
use transport::TransportHost;

/// One host.
#[derive(Clone, Debug)]
pub enum Host {
    /// One end of flows.
    Direct(Box<DirectHost>),
    /// One end of a flow over transport connections.
    Transport(Box<TransportHost>),
}

impl Host {
    /// What measures the data that arrive here, if any do.
    #[must_use]
    pub fn receiver(&self) -> Option<&Receiver> {
        match self {
            Host::Direct(end) => end.receiver.as_ref(),
            Host::Transport(end) => end.receiver(),
        }
    }

    /// When it next acts.
    fn key(&self) -> Key {
        match self {
            Host::Direct(end) => Key { time: end.due(), place: end.place },
            Host::Transport(end) => Key { time: end.due(), place: end.place() },
        }
    }

    /// When the node must come back to it: when it acts, or `lead` before what it kept arrives.
    #[inline]
    fn wake(&self, lead: Span) -> Time {
        match self {
            Host::Transport(end) => end.due(),
            Host::Direct(end) => match &end.access {
                None => end.due(),
                Some(access) => end.due().min(Time(access.first_held().0.saturating_sub(lead.0))),
            },
        }
    }

    /// Does what is due before `until`.
    #[inline]
    fn run<P: Probe>(&mut self, until: Key, limit: Time, ctx: &mut Ctx<P>, sent: &mut Lane) {
        match self {
            Host::Direct(end) => end.send_before(until, limit, ctx, sent),
            Host::Transport(end) => {
                while end.is_due_before(until) {
                    end.act(end.due(), ctx, sent);
                }
            }
        }
    }

    fn on_pdu<P: Probe>(&mut self, record: &Record, limit: Time, ctx: &mut Ctx<P>, sent: &mut Lane) {
        match self {
            Host::Direct(end) => end.on_pdu(record, limit, ctx, sent),
            Host::Transport(end) => end.on_pdu(&record.pdu, record.time, ctx),
        }
    }
}

/// The hosts that send into one port.
#[derive(Clone, Debug)]
pub struct Hosts {
    hosts: Vec<Host>,
    /// When the node must come back to each.
    wakes: Vec<Time>,
    /// When it must come back to the first.
    first_wake: Time,
    /// From its sending on no PDU is under way to the port shorter.
    lead: Span,
    /// Where all they send goes.
    to: LaneId,
    /// What several hosts have sent, host by host.
    sent: Lane,
    sorter: Sorter,
}

impl Hosts {
    /// Hosts that send into the lane `to`.
    #[must_use]
    pub fn new(hosts: Vec<Host>, to: LaneId) -> Hosts {
        let leads = hosts.iter().map(|host| match host {
            Host::Direct(end) => end.lead(),
            Host::Transport(_) => Span::ZERO,
        });
        let lead = leads.min().unwrap_or_default();
        let wakes: Vec<Time> = hosts.iter().map(|host| host.wake(lead)).collect();
        let first_wake = wakes.iter().copied().min().unwrap_or(Time::NEVER);
        Hosts { hosts, wakes, first_wake, lead, to, sent: Lane::default(), sorter: Sorter::default() }
    }

    /// The host at that place.
    #[must_use]
    pub fn host(&self, index: u32) -> Option<&Host> {
        self.hosts.get(index as usize)
    }

    /// The host at that place, to be read with side effects.
    pub fn host_mut(&mut self, index: u32) -> Option<&mut Host> {
        self.hosts.get_mut(index as usize)
    }

    /// How long what is sent is under way to the port at the least.
    #[must_use]
    pub fn lead(&self) -> Span {
        self.lead
    }

    /// No PDU that is not in a lane yet arrives earlier at the port, if nothing happens here before `from`.
    #[must_use]
    pub fn line_bound(&self, from: Time) -> Time {
        from + self.lead
    }

    /// When the first of them must act.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Time {
        match &self.hosts[..] {
            [host] => host.key().time,
            _ => self.first_wake,
        }
    }

    /// When the first of them must act, among equal times too.
    #[must_use]
    pub fn timer(&self) -> Key {
        match &self.hosts[..] {
            [host] => host.key(),
            hosts => {
                let time = self.first_wake;
                let first =
                    hosts.iter().zip(&self.wakes).filter(|(_, wake)| **wake == time).map(|(host, _)| host.key());
                // One that keeps something has no place of its own then.
                let place = first.map(|key| if key.time == time { key.place } else { Place(0) });
                Key { time, place: place.min().unwrap_or(Place(0)) }
            }
        }
    }

    /// Whether they can do one key at a time: none has an access line that others would have to wait for.
    #[must_use]
    pub fn can_take_turns(&self) -> bool {
        let has_access = |host: &Host| matches!(host, Host::Direct(end) if end.access.is_some());
        self.hosts.len() == 1 || !self.hosts.iter().any(has_access)
    }

    /// Takes what arrives before `until`, and sends.
    pub fn run<P: Probe>(&mut self, inbox: &Inbox, until: Key, ctx: &mut Ctx<P>) {
        let lane = self.to.index();
        if self.hosts.len() == 1 {
            // What one host sends is in order by itself.
            self.sent = std::mem::take(&mut ctx.lanes[lane]);
            self.send(inbox, until, Time::NEVER, ctx);
            ctx.lanes[lane] = std::mem::take(&mut self.sent);
        } else {
            // What arrives at the port behind this instant must wait for what the others may still send.
            self.send(inbox, until, until.time + self.lead, ctx);
            self.sorter.put_in_order(&self.sent, &mut ctx.lanes[lane]);
            self.sent.clear();
        }
    }

    /// Takes what arrives before `until`, and sends; what gets to the port behind `limit` is kept.
    #[inline]
    fn send<P: Probe>(&mut self, inbox: &Inbox, until: Key, limit: Time, ctx: &mut Ctx<P>) {
        let Hosts { hosts, wakes, first_wake, sent, lead, .. } = self;
        inbox.drain(until, ctx, |_, records, ctx| {
            for record in records {
                let indices = ctx.indices[record.pdu.flow.index()];
                let index = if record.pdu.is_backward() { indices.sender } else { indices.receiver } as usize;
                let host = &mut hosts[index];
                host.run(record.key(), limit, ctx, sent);
                host.on_pdu(record, limit, ctx, sent);
                wakes[index] = host.wake(*lead);
            }
        });
        *first_wake = Time::NEVER;
        for (host, wake) in hosts.iter_mut().zip(wakes) {
            if *wake <= until.time {
                if let Host::Direct(end) = host {
                    end.send_held(limit, sent);
                }
                host.run(until, limit, ctx, sent);
                *wake = host.wake(*lead);
            }
            *first_wake = (*wake).min(*first_wake);
        }
    }

    /// Forgets what was measured.
    pub fn reset_measures(&mut self, now: Time) {
        for host in &mut self.hosts {
            match host {
                Host::Direct(end) => end.reset_measures(now),
                Host::Transport(end) => end.reset_measures(now),
            }
        }
    }

    /// Every access line that measures its queue, as it is at `now`.
    pub fn lines(&mut self, now: Time, mut each: impl FnMut(u32, QueueState)) {
        for host in &mut self.hosts {
            if let Host::Direct(end) = host
                && let Some(access) = &mut end.access
                && let Some(port) = access.shown_by()
            {
                access.look(now);
                each(port, access.queue());
            }
        }
    }

    /// Shows every PDU on the access lines that is not in a lane.
    pub fn held(&self, each: &mut dyn FnMut(&Pdu)) {
        for host in &self.hosts {
            if let Host::Direct(end) = host
                && let Some(access) = &end.access
            {
                access.held(each);
            }
        }
    }
}

#[cfg(test)]
mod tests;
