//! Buffers that the queues of a port share, in whole networks.

use crate::judge::{network, random};
use crate::length::quick_or_long;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

/// The random network in which every port with several queues has a buffer, and the number of such ports.
fn with_buffers(number: u64) -> (String, usize) {
    const POLICIES: [&str; 5] = ["unlimited =", "drop_tail =", "drop_tail_bits =", "clp_threshold =", "push_out ="];
    const BUFFERS: [&str; 4] = [
        "complete_sharing = { ",
        "dynamic_threshold = { ",
        "dynamic_threshold = { alpha = 0.3, ",
        "longest_queue_drop = { ",
    ];
    let (mut text, mut count) = (String::new(), 0);
    for line in network::text(number).lines() {
        text += &format!("{line}\n");
        let Some((prefix, queues)) = line.split_once("queues = [").filter(|(prefix, _)| !prefix.contains('{')) else {
            continue;
        };
        if POLICIES.iter().map(|policy| queues.matches(policy).count()).sum::<usize>() > 1 {
            // A queue may have less than the buffer, or an order in which no PDU is the newest.
            let own =
                queues.split(" bits").filter_map(|part| part.rsplit(['"', '\'']).next()?.parse::<u64>().ok()).max();
            // Each PDU fits alone.
            let whole = network::text(number);
            let octets = whole.split("octets = ").filter_map(|part| part.split_once('\n')?.0.parse::<u64>().ok());
            let lengths = whole.split(" octets").filter_map(|part| part.rsplit('"').next()?.parse().ok());
            let octets = octets.chain(lengths).max();
            let size = own.unwrap_or(0).max(8 * (octets.unwrap_or(53).max(53) + 60))
                + 900
                + 2_100 * ((number + count as u64) % 7);
            let choice = (number as usize + count) % BUFFERS.len();
            text += &format!("{prefix}buffer.{}size = '{size} bits' }}\n", BUFFERS[choice]);
            count += 1;
        }
    }
    (text, count)
}

#[test]
fn the_forms_agree_on_random_networks_with_buffers() {
    let (mut ports, mut differing) = (0, 0);
    for number in 0..quick_or_long(60, 300) {
        let (text, count) = with_buffers(number);
        let agreed = random::agreed(number, &text);
        ports += count;
        differing += u32::from(random::plain(number).unwrap().fingerprint != agreed.fingerprint);
    }
    assert!(ports > 40 && differing > 10, "{ports} {differing}");
}

/// Voice of 2 Mb/s before data of 9.6 Mb/s on a line of 8 Mb/s, in packets of 1,000 octets, and room for 60 of them.
fn two_queues(buffer: &str, rest: &str) -> String {
    format!(
        "duration = '10 s'\nwarm_up = '1 s'\nmeasure.sample = '1 s'\n[line.l]\nbetween = ['a', 'b']\nrate = '8 Mb/s'\n\
         queues = [{{ unlimited = {{}} }}, {{ unlimited = {{}} }}]\n{buffer}\n\
         [defaults.flow]\npath = ['a', 'b']\noctets = 1000\n[flow.voice]\ntraffic.poisson.rate = '2 Mb/s'\npriority = 0\n\
         [flow.data]\ntraffic.cbr.rate = '9.6 Mb/s'\npriority = 1\n{rest}"
    )
}

fn run_as(text: &str, form: Form) -> Report {
    let mut run = Run::new(&document::parse(text).unwrap(), 1, 0, form).unwrap();
    run.finish().unwrap();
    run.report()
}

fn run(text: &str) -> Report {
    run_as(text, Form::Fast)
}

/// PDUs that voice loses, and the most that waits in each queue.
fn found(buffer: &str) -> (u64, [u64; 2]) {
    let report = run(&two_queues(buffer, ""));
    let lost = report.groups.iter().find(|row| row.group == "voice").unwrap().lost;
    let most = [0, 1]
        .map(|queue| report.queues.iter().find(|row| row.port == "l" && row.priority == queue).unwrap().queue_max);
    (lost, most)
}

/// Data fill a buffer that any queue may fill, and voice is lost with them. With a threshold they have half of what they leave
/// free, so half of the buffer, or a third. From the longest queue voice takes its room.
#[test]
fn a_shared_buffer_spares_the_short_queue_or_does_not() {
    let (lost, most) = found("buffer.complete_sharing.size = '60000 octets'");
    assert!(lost > 1000 && most[1] >= 58, "{lost} {most:?}");
    for (alpha, data) in [(1.0, 30), (0.5, 20), (2.0, 40)] {
        let (lost, most) = found(&format!("buffer.dynamic_threshold = {{ size = '60000 octets', alpha = {alpha} }}"));
        assert!(lost == 0 && most[1].abs_diff(data) <= 1, "{alpha}: {lost} {most:?}");
    }
    let (lost, most) = found("buffer.longest_queue_drop.size = '60000 octets'");
    assert!(lost == 0 && most[1] == 60, "{lost} {most:?}");
}

/// A threshold that changes holds from then on, in both forms, and what waits stays.
#[test]
fn a_buffer_changes_during_the_run() {
    let change = "[[change]]\nat = '5 s'\npath = 'line.l.buffer.dynamic_threshold.alpha'\nvalue = 0.25\n";
    let text = two_queues("buffer.dynamic_threshold.size = '60000 octets'", change);
    let [plain, fast] = [Form::Plain, Form::Fast].map(|form| run_as(&text, form));
    assert_eq!(plain, fast);
    let length = |time: f64| {
        let at = |row: &&penstock_engine::report::SeriesRow| &*row.component == "l" && &*row.quantity == "queue_1";
        fast.series.iter().filter(at).find(|row| (row.time_s - time).abs() < 1e-9).unwrap().value
    };
    assert!((length(4.0) - 30.0).abs() <= 2.0 && (length(9.0) - 12.0).abs() <= 2.0, "{} {}", length(4.0), length(9.0));
    for (path, value) in [("size", "'40000 octets'"), ("alpha", "3.0")] {
        let change =
            format!("[[change]]\nat = '5 s'\npath = 'line.l.buffer.dynamic_threshold.{path}'\nvalue = {value}\n");
        let text = two_queues("buffer.dynamic_threshold.size = '60000 octets'", &change);
        assert_ne!(
            run(&text).fingerprint,
            run(&two_queues("buffer.dynamic_threshold.size = '60000 octets'", "")).fingerprint
        );
    }
}

#[test]
fn a_buffer_without_effect_is_refused() {
    let fault = |text: &str| document::parse(text).and_then(|scenario| Run::new(&scenario, 1, 0, Form::Fast)).err();
    let one = "queues = [{ unlimited = {} }]\nbuffer.complete_sharing.size = '9 kB'";
    for (line, place, reason) in [
        (one.to_owned(), "line.l.buffer.complete_sharing", "one queue"),
        (format!("buffer.complete_sharing.size = '{} bits'", 0), "line.l.buffer.complete_sharing.size", "any PDU"),
        (
            "buffer.complete_sharing.size = '999 octets'".to_owned(),
            "line.l.buffer.complete_sharing.size",
            "no PDU of flow",
        ),
        (
            "buffer.dynamic_threshold = { size = '9 kB', alpha = 0.0 }".to_owned(),
            "dynamic_threshold.alpha",
            "ever hold",
        ),
        ("buffer.shared.size = '9 kB'".to_owned(), "line.l.buffer", "complete_sharing"),
        (
            "queues = [{ drop_tail_bits.size = '9 kB' }, {}]\nbuffer.complete_sharing.size = '9 kB'"
                .replace("{}]", "{ unlimited = {} }]"),
            "line.l.queues[0].drop_tail_bits.size",
            "full before",
        ),
        (
            "queues = [{ fq_codel.size = '90 PDUs' }, { unlimited = {} }]\nbuffer.longest_queue_drop.size = '9 kB'"
                .to_owned(),
            "line.l.buffer.longest_queue_drop",
            "order of its own",
        ),
    ] {
        let text = two_queues(&line, "");
        let own = "queues = [{ unlimited = {} }, { unlimited = {} }]\n";
        let text = if line.starts_with("queues") { text.replace(own, "") } else { text };
        let error = fault(&text).unwrap_or_else(|| panic!("{line}")).to_string();
        assert!(error.contains(place) && error.contains(reason), "{line}: {error}");
    }
    // The way back has the buffer of the line, or its own.
    let reverse = "reverse = { queues = [{ unlimited = {} }], buffer.complete_sharing.size = '9 kB' }";
    let error = fault(&two_queues(reverse, "")).unwrap().to_string();
    assert!(error.contains("line.l.reverse.buffer.complete_sharing"), "{error}");
}
