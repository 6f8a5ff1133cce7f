//! Lines that can send at given instants only, and lines with jitter, in whole networks.

use crate::judge::dice::Dice;
use crate::judge::{positions, random};
use crate::length::quick_or_long;
use crate::streams;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

fn report(text: &str) -> Report {
    let mut run = Run::new(&document::parse(text).unwrap_or_else(|error| panic!("{error}")), 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    run.report()
}

/// A random network of streams in which lines have opportunities of the same mean rate, or jitter, and the number of these lines.
fn network(number: u64) -> (String, usize) {
    let dice = &mut Dice::new(number);
    let (mut text, mut count) = (String::new(), 0);
    let text_of_network = streams::network(number);
    for line in text_of_network.lines() {
        // No run changes the rate of a line with opportunities.
        let line = line.replace("line.l0.rate'", "line.l0.delay'").replace("value = '3 Mb/s'", "value = '3 ms'");
        text += &format!("{line}\n");
        let rate = line.strip_prefix("rate = '").and_then(|rest| rest.strip_suffix(" Mb/s'")).map(str::parse::<u64>);
        if line.starts_with("delay = ") && dice.once_in(2) {
            let reorders = !text_of_network.contains("[[change]]") && dice.once_in(2);
            text +=
                &format!("jitter = {{ most = '{}', reorders = {reorders} }}\n", dice.pick(&["1 us", "3 ms", "30 ms"]));
            count += 1;
        }
        if let Some(Ok(rate)) = rate.filter(|_| !dice.once_in(3)) {
            // Two in 24 ms are 1 Mb/s.
            let mut instants: Vec<u64> = (1..2 * rate).map(|_| dice.from(0, 24)).chain([24]).collect();
            instants.sort_unstable();
            text += &format!("opportunities.list = {instants:?}\n");
            count += 1;
        }
    }
    (text, count)
}

#[test]
fn the_forms_agree_on_random_networks_with_opportunities_and_jitter() {
    let (mut lines, mut differing) = (0, 0);
    for number in 0..quick_or_long(30, 300) {
        let (text, count) = network(number);
        let agreed = random::agreed(number, &text);
        let without: String = text
            .lines()
            .filter(|line| !line.starts_with("opport") && !line.starts_with("jitter"))
            .map(|line| format!("{line}\n"))
            .collect();
        lines += count;
        differing += u32::from(random::fast_of(number, &without).unwrap().fingerprint != agreed.fingerprint);
    }
    assert!(lines > 20 && differing > 10, "{lines} {differing}");
}

#[test]
fn positions_in_networks_with_opportunities_and_jitter_obey_the_laws() {
    for number in 0..quick_or_long(10, 100) {
        let (text, _) = network(number);
        let scenario = document::parse(&text).unwrap();
        positions::assert_laws(&scenario, 6, &|| format!("{number}\n{text}"));
    }
}

/// Row M9: the delays are those of six packets that leave at 2, 2, 5, 10, 12 and 12 ms. Each flow sends one packet, for the next
/// would come after the end.
#[test]
fn six_packets_leave_with_their_opportunities() {
    let mut text = "duration = '19 ms'\n\
                    [line.l]\nbetween = ['a', 'b']\nrate = '4.8 Mb/s'\nopportunities.list = [2, 2, 5, 10]\n"
        .to_owned();
    let packets = [(0, 1500), (0, 500), (0, 1500), (3, 1500), (11, 1500), (11, 600)];
    for (number, (start, octets)) in packets.into_iter().enumerate() {
        text += &format!(
            "[flow.f{number}]\npath = ['a', 'b']\noctets = {octets}\n\
             traffic.cbr = {{ rate = '4 kb/s', start = '{start} ms' }}\n"
        );
    }
    let report = report(&text);
    let delays: Vec<f64> = report.groups.iter().map(|row| (row.delay_mean_s.unwrap() * 1e6).round() / 1e3).collect();
    assert_eq!(delays, [2.0, 2.0, 5.0, 7.0, 1.0, 1.0]);
}

/// Packets of 1,500 octets that fill the queue use every opportunity, up to that at the end: 7 in 10 ms.
#[test]
fn a_line_that_never_rests_uses_every_opportunity() {
    let text = "duration = '1 s'\n\
                [line.l]\nbetween = ['a', 'b']\nrate = '8.4 Mb/s'\nopportunities.list = [0, 1, 1, 1, 4, 9, 10]\n\
                queues = [{ drop_tail.size = '20 PDUs' }]\n\
                [flow.f]\npath = ['a', 'b']\noctets = 1500\ntraffic.cbr.rate = '20 Mb/s'\n";
    let report = report(text);
    // The first, at 0 ms, finds nothing, and those at 1 ms find two packets.
    let used = 698;
    let port = &report.ports[0];
    assert_eq!((port.departed, report.groups[0].delivered), (used, used));
    assert!((port.utilisation - 698.0 / 700.0).abs() < 1e-9, "{}", port.utilisation);
}

/// A trace of two directions: the reverse has its own, or that of the line.
#[test]
fn either_direction_has_its_own() {
    let delays = |reverse: &str| {
        let text = format!(
            "duration = '99 ms'\n\
             [line.l]\nbetween = ['a', 'b']\nrate = '2.4 Mb/s'\nopportunities.list = [5]\n{reverse}\n\
             [flow.there]\npath = ['a', 'b']\noctets = 1500\ntraffic.cbr = {{ rate = '4 kb/s', start = '1 ms' }}\n\
             [flow.back]\npath = ['b', 'a']\noctets = 1500\ntraffic.cbr = {{ rate = '4 kb/s', start = '1 ms' }}\n"
        );
        let report = report(&text);
        report.groups.iter().map(|row| (row.delay_mean_s.unwrap() * 1e6).round() / 1e3).collect::<Vec<f64>>()
    };
    assert_eq!(delays(""), [4.0, 4.0]);
    assert_eq!(delays("reverse.opportunities.list = [4, 10]"), [3.0, 4.0]);
    assert_eq!(delays("reverse = {}"), [5.0, 4.0]);
}

/// Packets 10 ms apart never meet, so each takes from 5 to 7 ms, uniform: the mean of 1,000 is within four standard errors of 6.
#[test]
fn jitter_is_uniform_from_zero() {
    let text = "duration = '10 s'\n\
                [line.l]\nbetween = ['a', 'b']\nrate = '1 Gb/s'\ndelay = '5 ms'\njitter.most = '2 ms'\nreverse = {}\n\
                [defaults.flow]\noctets = 125\n\
                [flow.there]\npath = ['a', 'b']\ntraffic.cbr = { rate = '100 kb/s', start = '0 s' }\n\
                [flow.back]\npath = ['b', 'a']\ntraffic.cbr = { rate = '100 kb/s', start = '0 s' }\n";
    let report = report(text);
    let [back, there] = &report.flows[..] else { panic!("{:?}", report.flows) };
    let mean = there.delay_mean_s.unwrap() * 1e3;
    let error = 2.0 / 12f64.sqrt() / 1000f64.sqrt();
    assert!((mean - 6.001).abs() < 4.0 * error, "{mean}");
    let [least, most] = [there.delay_min_s, there.delay_max_s].map(|delay| delay.unwrap() * 1e3);
    assert!((5.001..5.02).contains(&least) && (6.98..7.001).contains(&most), "{least} {most}");
    assert!((back.delay_max_s.unwrap() - 5.001e-3).abs() < 1e-9);
}

/// A stream whose segments are 1.2 ms apart on a line with a jitter of 40 ms: none overtakes another, so none is repeated.
#[test]
fn no_pdu_overtakes_another() {
    let text = "duration = '9 s'\n\
                [line.l]\nbetween = ['a', 'b']\nrate = '10 Mb/s'\ndelay = '5 ms'\njitter.most = '40 ms'\n\
                [flow.f]\npath = ['a', 'b']\noctets = 1460\ntraffic.greedy = {}\n\
                transport.stream = { receive_window = '150 kB', reordering_window = 0, min_rto = '1 s' }\n";
    let report = report(text);
    let own = &report.groups[0].transport;
    assert_eq!((own.retransmitted, own.recoveries, own.timeouts), (Some(0), Some(0), Some(0)));
    assert!(report.groups[0].delivered > 5000, "{}", report.groups[0].delivered);
}

/// 20 packets in the time of the jitter: on a line that reorders each has its own delay, so the mean is again that of one alone, and
/// a stream that counts three later ones as a loss sees losses.
#[test]
fn on_a_line_that_reorders_each_pdu_has_its_own_delay() {
    let text = |flow: &str| {
        format!(
            "duration = '10 s'\n\
             [line.l]\nbetween = ['a', 'b']\nrate = '1 Gb/s'\ndelay = '5 ms'\njitter = {{ most = '20 ms', reorders = true }}\n\
             [flow.f]\npath = ['a', 'b']\noctets = 125\n{flow}\n"
        )
    };
    let row = report(&text("traffic.cbr = { rate = '1 Mb/s', start = '0 s' }"));
    let mean = row.flows[0].delay_mean_s.unwrap() * 1e3;
    let error = 20.0 / 12f64.sqrt() / 10_000f64.sqrt();
    assert!((mean - 15.001).abs() < 4.0 * error, "{mean}");
    let stream = "traffic.greedy = {}\ntransport.stream = { loss = 'duplicates', receive_window = '9 kB' }";
    let row = report(&text(stream)).groups.remove(0);
    assert!(row.transport.recoveries > Some(20) && row.lost == 0, "{:?}", row.transport);
}

#[test]
fn what_opportunities_cannot_be_is_refused() {
    let refusal = |keys: &str| {
        let text = format!(
            "duration = '1 s'\n[line.l]\nbetween = ['a', 'b']\nrate = '2.4 Mb/s'\n{keys}\n\
             [flow.f]\npath = ['a', 'b']\ntraffic.greedy = {{}}\n"
        );
        let run = document::parse(&text).and_then(|scenario| Run::new(&scenario, 1, 0, Form::Fast).map(drop));
        run.err().map(|error| error.to_string()).unwrap_or_default()
    };
    for (keys, told) in [
        ("opportunities.list = []", "nothing can be sent"),
        ("opportunities.list = [5, 4]", "earlier than the instant before it"),
        ("opportunities.list = [0]", "the period"),
        ("opportunities.list = [-1]", "-1"),
        ("opportunities = { list = [5], octets = 4 }", "octets"),
        ("opportunities.list = [4]", "give \"3000000 b/s\""),
        ("opportunities.list = [5]\nreverse = { rate = '1 Mb/s', opportunities.list = [5] }", "line.l.reverse.rate"),
        ("opportunities.file = 'x.up'", "was not read"),
        ("opportunities = { list = [5], sha256 = 'abc' }", "there is no `file`"),
        ("opportunities.list = [5]\n[[change]]\nat = '1 ms'\npath = 'line.l.rate'\nvalue = '1 Mb/s'", "change[0]"),
        (
            "opportunities.list = [5]\n[[change]]\nat = '1 ms'\npath = 'line.l.opportunities.octets'\nvalue = 9",
            "change[0]",
        ),
        ("jitter.most = '0 s'", "no PDU would take longer"),
        ("reverse.jitter.most = '0 s'", "line.l.reverse.jitter.most"),
        (
            "jitter = { most = '1 s', reorders = true }\n[[change]]\nat = '1 ms'\npath = 'line.l.delay'\nvalue = '1 ms'",
            "change[0]",
        ),
        (
            "opportunities.list = [5]\nreverse = {}\n[capacity.c]\ntotal = '4.8 Mb/s'\nleast = '1 Mb/s'\nmost = '3 Mb/s'\nperiod = '270 ms'\n\
             delay = '270 ms'\nlines = ['l', 'l.reverse']",
            "capacity.c.lines[0]",
        ),
    ] {
        let error = refusal(keys);
        assert!(error.contains(told), "{keys}: {error}");
    }
    assert_eq!(refusal("opportunities.list = [5]"), "");
}
