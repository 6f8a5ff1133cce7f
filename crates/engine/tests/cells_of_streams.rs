//! Byte streams whose segments are cells of AAL5.

use crate::length::quick_or_long;
use penstock_engine::report::{GroupRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::assembly::meetings;
use penstock_engine::scenario::document;

fn run(text: &str) -> Report {
    let mut run = Run::new(&document::parse(text).unwrap(), 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    run.report()
}

/// One line of 150 Mb/s with this queue, and streams of NewReno.
fn network(queue: &str, flows: u32, octets: u32, stream: &str) -> String {
    let duration = quick_or_long(4, 20);
    format!(
        "duration = '{duration} s'\nwarm_up = '1 s'\n\
         [line.l]\nbetween = ['a', 'b']\nrate = '150 Mb/s'\ndelay = '6 us'\nqueues = [{{ {queue} }}]\n\
         [flow.f]\npath = ['a', 'b']\ncount = {flows}\noctets = {octets}\naccess = {{ rate = '150 Mb/s', delay = '0 s' }}\n\
         traffic.greedy.stagger = '7 ms'\n\
         transport.stream = {{ controller.new_reno = {{}}, framing = 'aal5', {stream} }}\n"
    )
}

fn group(report: &Report) -> &GroupRow {
    &report.groups[0]
}

/// Goodput of TCP data as a part of what the line can carry in cells of packets of so many octets.
fn efficiency(report: &Report, octets: u32) -> f64 {
    let cells = f64::from((octets + 40 + 8).div_ceil(48));
    let most = 150e6 * f64::from(octets + 40) / (cells * 53.0);
    group(report).throughput_bps / most
}

/// A stream alone, without losses: the line is full, cells are counted, and segments are whole.
#[test]
fn the_cells_of_a_stream_alone_fill_the_line() {
    let report = run(&network("drop_tail.size = '4000 cells'", 1, 1460, "receive_window = '60 kB'"));
    let row = group(&report);
    let segments = row.transport.transmitted.unwrap();
    assert!(efficiency(&report, 1460) > 0.999, "{}", efficiency(&report, 1460));
    assert_eq!((row.sent, row.lost, row.transport.retransmitted), (32 * segments, 0, Some(0)));
    // What is under way at both ends of the measures.
    assert!(row.delivered.abs_diff(row.sent) <= 2 * 32 * 42);
    // An acknowledgement without a block is one cell.
    assert!(report.flows[0].control_sent.abs_diff(segments) <= 42);
}

/// Romanow and Floyd (1995): ten streams with packets of 4,352 octets over a switch with few cells of room. Packets of which cells
/// are lost waste the line. To discard the rest of them helps, and to refuse whole packets early is best.
#[test]
fn goodput_grows_from_drop_tail_over_partial_to_early_packet_discard() {
    for cells in [1000, 2000] {
        let efficiencies = ["drop_tail", "packet_discard", "packet_discard"]
            .into_iter()
            .zip(["", ", early = 'off'", ""])
            .map(|(policy, early)| {
                let queue = format!("{policy} = {{ size = '{cells} cells'{early} }}");
                efficiency(&run(&network(&queue, 10, 4312, "min_rto = '100 ms', jitter = '50 us'")), 4312)
            });
        let efficiencies: Vec<f64> = efficiencies.collect();
        let [full, partial, early] = efficiencies[..] else { unreachable!() };
        // Each of the hosts has a line as fast as the switch, so packets are cut one at a time: PPD wastes little more than EPD.
        assert!(full + 0.01 < partial && partial <= early && early > 0.99, "{cells}: {efficiencies:?}");
    }
}

#[test]
fn packet_discard_without_packets_of_cells_is_warned_of() {
    let text = network("packet_discard.size = '100 cells'", 1, 1460, "receive_window = '4 kB'");
    let warnings = |text: &str| meetings(&document::parse(text).unwrap()).unwrap().warnings;
    assert!(warnings(&text).iter().all(|fault| !fault.path.contains("packet_discard")), "{:?}", warnings(&text));
    let packets = warnings(&text.replace("framing = 'aal5', ", ""));
    assert_eq!(
        packets.iter().filter(|fault| fault.path == "line.l.queues[0].packet_discard").count(),
        1,
        "{packets:?}"
    );
}
