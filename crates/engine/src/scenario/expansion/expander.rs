//! Expands scenarios one after the other, as the points of a sweep. What does not depend on anything that has changed stays
//! as the last one made it.

use std::mem;

use super::network::{Stale, Templates};
use super::{Placed, check_use, is_written_out, put_in_places, rest_of};
use crate::core::error::Fault;
use crate::scenario::spec::Scenario;

/// Expands scenarios that differ little.
#[derive(Debug, Default)]
pub(crate) struct Expander {
    last: Option<Box<Last>>,
}

/// What was expanded last.
#[derive(Debug)]
struct Last {
    /// The scenario. What lines and flows do not depend on may be older.
    written: Scenario,
    expanded: Scenario,
    templates: Templates,
    is_used: [bool; 2],
}

impl Expander {
    /// The scenario that [`expand`](super::expand) makes of this one.
    ///
    /// # Errors
    /// As [`expand`](super::expand).
    pub(crate) fn expand<'e>(&'e mut self, scenario: &'e mut Scenario) -> Result<&'e mut Scenario, Fault> {
        if is_written_out(scenario) {
            return Ok(scenario);
        }
        // After a fault nothing is kept.
        let last = self.last.take();
        let stale = last.as_ref().map_or(Stale::ALL, |last| last.stale(scenario));
        let mut last = last.unwrap_or_else(|| Box::new(Last::new(scenario)));
        last.forget_templates(scenario);
        let Scenario { line, flow, .. } = mem::replace(&mut last.expanded, rest_of(scenario));
        last.expanded.line = if stale.lines { scenario.line.clone() } else { line };
        last.expanded.flow = if stale.flows { scenario.flow.clone() } else { flow };
        let Placed { is_used, .. } = put_in_places(scenario, &mut last.expanded, stale, &mut last.templates)?;
        let [lines, flows] = last.is_used;
        last.is_used = [if stale.lines { is_used[0] } else { lines }, if stale.flows { is_used[1] } else { flows }];
        check_use(scenario, last.is_used)?;
        last.note(scenario);
        Ok(&mut self.last.insert(last).expanded)
    }
}

impl Last {
    /// Nothing that a scenario depends on.
    fn new(scenario: &Scenario) -> Last {
        let [written, expanded] = [(); 2].map(|()| rest_of(scenario));
        Last { written, expanded, templates: Templates::default(), is_used: [false; 2] }
    }

    /// What of this scenario depends on something that has changed.
    fn stale(&self, scenario: &Scenario) -> Stale {
        let (last, now) = (&self.written, scenario);
        // With a load the numbers of flows depend on lines and routes, too.
        let is_apart = |scenario: &Scenario| scenario.traffic.is_none() && scenario.recordings.is_empty();
        if !is_apart(last) || !is_apart(now) || last.network != now.network || last.demands != now.demands {
            return Stale::ALL;
        }
        Stale {
            lines: source_of_lines(last) != source_of_lines(now),
            flows: source_of_flows(last) != source_of_flows(now),
        }
    }

    /// Forgets the templates that were made of something else.
    fn forget_templates(&mut self, scenario: &Scenario) {
        let Last { written, templates, .. } = self;
        let [was, is] = [&*written, scenario].map(|scenario| scenario.defaults.as_ref());
        if written.network != scenario.network {
            templates.layout = None;
        }
        if was.map(|defaults| &defaults.line) != is.map(|defaults| &defaults.line) {
            templates.line = None;
        }
        if was.map(|defaults| &defaults.flow) != is.map(|defaults| &defaults.flow) {
            templates.flow = None;
        }
    }

    /// Notes what lines and flows were made of.
    fn note(&mut self, scenario: &Scenario) {
        renew(&mut self.written.network, &scenario.network);
        renew(&mut self.written.traffic, &scenario.traffic);
        renew(&mut self.written.demands, &scenario.demands);
        match (&mut self.written.defaults, &scenario.defaults) {
            (Some(kept), Some(now)) => {
                renew(&mut kept.line, &now.line);
                renew(&mut kept.flow, &now.flow);
            }
            (kept, now) => kept.clone_from(now),
        }
        renew(&mut self.written.scheme, &scenario.scheme);
        renew(&mut self.written.line, &scenario.line);
        renew(&mut self.written.flow, &scenario.flow);
        self.written.recordings.clone_from(&scenario.recordings);
        self.written.hosts.clone_from(&scenario.hosts);
        self.written.limits = scenario.limits;
    }
}

/// All that lines are made of, besides the network.
fn source_of_lines(scenario: &Scenario) -> impl PartialEq {
    let Scenario { line, defaults, scheme, .. } = scenario;
    let parts = scheme.as_ref().map(|scheme| (&scheme.parts.congestion_point, &scheme.parts.queue));
    (line, defaults.as_ref().map(|defaults| &defaults.line), parts)
}

/// All that flows are made of, besides the network, if there is no table for their traffic.
fn source_of_flows(scenario: &Scenario) -> impl PartialEq {
    let Scenario { flow, defaults, scheme, .. } = scenario;
    let parts = scheme.as_ref().map(|scheme| &scheme.parts);
    let parts = parts.map(|parts| (&parts.reaction_point, &parts.notification_point, &parts.transport));
    (flow, defaults.as_ref().map(|defaults| &defaults.flow), parts)
}

/// Copies a value where it is another. Most are the same.
fn renew<T: Clone + PartialEq>(kept: &mut T, now: &T) {
    if kept != now {
        kept.clone_from(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::document::parse;
    use crate::scenario::expansion::expand;

    #[test]
    fn what_changes_between_two_scenarios_is_expanded_anew() {
        const FIRST: &str = "duration = '1 s'\nscheme = 'erica'\n[network.dumbbell]\npairs = 3\nrate = '10 Mb/s'\ndelay = '1 ms'\n\
                             [defaults.line]\nqueues = [{ drop_tail.size = '9 PDUs' }]\n[defaults.flow]\noctets = 53";
        let changes = [
            ("", ""),
            ("10 Mb/s", "20 Mb/s"),
            ("1 ms", "2 ms"),
            ("pairs = 3", "pairs = 4"),
            ("9 PDUs", "8 PDUs"),
            ("octets = 53", "octets = 54"),
            ("'erica'", "'none'"),
            ("'1 s'", "'2 s'"),
        ];
        let mut expander = Expander::default();
        for text in changes.iter().flat_map(|(wrong, right)| [FIRST.to_owned(), FIRST.replace(wrong, right)]) {
            let scenario = parse(&text).unwrap();
            let whole = expand(&scenario).unwrap().scenario.into_owned();
            assert_eq!(*expander.expand(&mut scenario.clone()).unwrap(), whole, "{text}");
        }
    }
}
