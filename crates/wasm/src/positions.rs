//! Where every PDU is, as typed arrays.

use penstock_engine::core::pdu::{Body, Kind, Marks, Pdu};
use penstock_engine::network::position::{Position, Spot};
use wasm_bindgen::prelude::*;

/// The most PDUs that are shown. Of more, every n-th is.
const MOST_SHOWN: usize = 30_000;

/// The bits of the kind of a PDU.
mod bits {
    /// It carries no user data: feedback, or a PDU of a transport connection.
    pub(super) const CONTROL: u8 = 1;
    /// Its cell loss priority is 1.
    pub(super) const TAGGED: u8 = 2;
    /// It is marked for congestion: EFCI, CI or congestion experienced.
    pub(super) const MARKED: u8 = 4;
    /// It travels against the direction of its flow.
    pub(super) const BACKWARD: u8 = 8;
    /// It is a resource management cell.
    pub(super) const RM: u8 = 16;
    /// It is a notice of congestion: a notice cell, an RM cell made by a switch, or an Error Report.
    pub(super) const NOTICE: u8 = 32;
    /// Its octets were sent before: a segment of a byte stream that is sent again.
    pub(super) const REPEATED: u8 = 64;
}

/// Where PDUs are, one entry for each. On lines: `port`, `fraction` (0 at the sender's end, 1 at the receiver's), `flow`,
/// `kind`. In queues and in service: `queue_port`, `queue_index` (the queue by priority), `queue_place` (PDUs before it in
/// this queue: 0 is in service, or next), `queue_flow`, `queue_kind`. PDUs in shapers, and those that
/// senders hold back, are left out.
///
/// Bits of a kind: 1 control, 2 tagged CLP=1, 4 marked for congestion (EFCI, CI, CE), 8 backward, 16 RM cell, 32 notice, 64
/// a segment that is sent again.
///
/// Of more than 30,000 PDUs only every `thinned`-th is here.
#[wasm_bindgen]
pub struct Positions {
    on_lines: Columns,
    fraction: Vec<f32>,
    in_queues: Columns,
    queue: Vec<u32>,
    place: Vec<u32>,
    thinned: u32,
}

/// What both kinds of places have.
#[derive(Default)]
struct Columns {
    port: Vec<u32>,
    flow: Vec<u32>,
    kind: Vec<u8>,
}

impl Columns {
    fn add(&mut self, port: u32, pdu: &Pdu) {
        self.port.push(port);
        self.flow.push(pdu.flow.index() as u32);
        self.kind.push(kind(pdu));
    }
}

fn kind(pdu: &Pdu) -> u8 {
    let is_notice = matches!(pdu.kind(), Kind::Notice | Kind::ErrorReport)
        || pdu.kind() == Kind::ResourceManagement && pdu.marks.has(Marks::BN);
    let is_marked = [Marks::EFCI, Marks::CI, Marks::CE].into_iter().any(|mark| pdu.marks.has(mark));
    let is_repeat =
        matches!(pdu.body(), Body::Segment { is_repeat: true, .. } | Body::TelemetrySegment { is_repeat: true, .. });
    let found = [
        (!pdu.kind().is_data(), bits::CONTROL),
        (pdu.marks.has(Marks::CLP), bits::TAGGED),
        (is_marked, bits::MARKED),
        (pdu.is_backward(), bits::BACKWARD),
        (pdu.kind() == Kind::ResourceManagement, bits::RM),
        (is_notice, bits::NOTICE),
        (is_repeat, bits::REPEATED),
    ];
    found.into_iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum()
}

impl Positions {
    pub(crate) fn new(positions: &[Position]) -> Positions {
        let thinned = positions.len().div_ceil(MOST_SHOWN).max(1);
        let mut found = Positions {
            on_lines: Columns::default(),
            fraction: Vec::new(),
            in_queues: Columns::default(),
            queue: Vec::new(),
            place: Vec::new(),
            thinned: thinned as u32,
        };
        for Position { pdu, spot } in positions.iter().step_by(thinned) {
            let (port, queue, place) = match *spot {
                Spot::Line { port, fraction, .. } => {
                    found.on_lines.add(port, pdu);
                    found.fraction.push(fraction as f32);
                    continue;
                }
                Spot::Queue { port, queue, place, .. } => (port, queue, place),
                Spot::Service { port, queue, .. } => (port, queue, 0),
                Spot::Shaper { .. } | Spot::Sender { .. } => continue,
            };
            found.in_queues.add(port, pdu);
            found.queue.push(queue);
            found.place.push(place);
        }
        found
    }
}

/// A getter for each array, which JavaScript gets as a copy.
macro_rules! arrays {
    ($($(#[doc = $doc:literal])* $name:ident: $type:ty = $($path:ident).+;)*) => {
        #[wasm_bindgen]
        impl Positions {$(
            $(#[doc = $doc])*
            #[wasm_bindgen(getter)]
            pub fn $name(&self) -> Vec<$type> {
                self.$($path).+.clone()
            }
        )*}
    };
}

arrays! {
    /// The port of the line.
    port: u32 = on_lines.port;
    /// How far it is along the line.
    fraction: f32 = fraction;
    /// Its flow.
    flow: u32 = on_lines.flow;
    /// Its kind.
    kind: u8 = on_lines.kind;
    /// The port of the queue.
    queue_port: u32 = in_queues.port;
    /// The queue, by priority.
    queue_index: u32 = queue;
    /// PDUs before it in the queue.
    queue_place: u32 = place;
    /// Its flow.
    queue_flow: u32 = in_queues.flow;
    /// Its kind.
    queue_kind: u8 = in_queues.kind;
}

#[wasm_bindgen]
impl Positions {
    /// One entry stands for so many PDUs.
    #[wasm_bindgen(getter)]
    pub fn thinned(&self) -> u32 {
        self.thinned
    }
}
