//! Whether a scenario has classes in Python.

use crate::scenario::spec::{Flow, Line, Scenario};
use crate::{control, queue, transport};

impl Scenario {
    /// Whether a part of a line or of a flow is a class of the user. Those of schemes count when they are in their places.
    #[must_use]
    pub fn has_classes(&self) -> bool {
        self.flow.values().any(Flow::has_class) || self.line.values().any(Line::has_class)
    }
}

impl Flow {
    fn has_class(&self) -> bool {
        let controls = match &self.transport {
            Some(transport::Params::Stream(stream)) => stream.controller.is_class(),
            _ => false,
        };
        let reacts = self.reaction().is_class();
        let notifies = self.notification_point.as_ref().is_some_and(control::NotificationParams::is_class);
        let queues = self.access.iter().flat_map(|access| &access.queues).any(queue::Params::is_class);
        controls || reacts || notifies || queues
    }
}

impl Line {
    fn has_class(&self) -> bool {
        let reverse = self.reverse.as_ref();
        let points = [self.congestion_point.as_ref(), reverse.and_then(|reverse| reverse.congestion_point.as_ref())];
        let queues = self.queues.iter().chain(reverse.into_iter().flat_map(|reverse| &reverse.queues));
        points.into_iter().flatten().any(control::CongestionParams::is_class)
            || queues.into_iter().any(queue::Params::is_class)
    }
}
