//! What runs the classes in Python of a scenario.

use crate::{control, queue, transport};

/// What makes the instances of the classes of each role, if the user has consented to run them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hosts {
    /// Controllers of byte streams.
    pub controllers: transport::stream::controller::python::Host,
    /// The three points of a scheme.
    pub points: control::python::Host,
    /// Queue disciplines.
    pub queues: queue::python::Host,
}
