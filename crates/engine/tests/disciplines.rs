//! Queue policies with state, in whole networks.

use crate::judge::{network, random};
use crate::length::quick_or_long;
use penstock_engine::report::Report;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document;

/// Each begins a table that goes on with the size in PDUs of a drop-tail queue.
const DISCIPLINES: [&str; 13] = [
    "codel = { target = '15 us', interval = '200 us', ",
    "red = { min = '1 PDUs', max = '6 PDUs', weight = 0.1, max_probability = 0.2, ",
    "random_loss = { pattern.gilbert_elliott = { enter = 0.02, leave = 0.3 }, ",
    "codel = { target = '5 us', interval = '90 us', mark = 'efci', ",
    "random_loss = { pattern.periodic = { every = 11 }, control = false, ",
    "pie = { target = '15 us', update = '20 us', alpha = 2000, beta = 20000, burst = '100 us', ",
    "fq_codel = { target = '15 us', interval = '200 us', quantum = '106 octets', ",
    "pi2 = { target = '15 us', update = '20 us', alpha = 1000, beta = 10000, ",
    "red = { min = '1 PDUs', max = '5 PDUs', weight = 0.2, adapt_every = '150 us', mark = 'efci', ",
    "pie = { target = '9 us', update = '13 us', alpha = 9000, beta = 50000, burst = '0 s', mark = 'efci', ",
    "fq_codel = { target = '9 us', interval = '90 us', lists = 3, memory = '2000 octets', mark = 'efci', ",
    "dual_pi2 = { target = '15 us', update = '20 us', alpha = 1000, beta = 10000, ",
    "dual_pi2 = { target = '9 us', update = '13 us', alpha = 3000, beta = 9000, scheduler.shifted_fifo = {}, ",
];

/// A random network in which disciplines take the place of drop-tail queues and of unlimited ones, and their number.
fn with_disciplines(number: u64) -> (String, usize) {
    let text = network::text(number).replace("{ unlimited = {} }", "{ drop_tail = { } }");
    let mut parts = text.split("drop_tail = { ");
    let mut text = parts.next().unwrap().to_owned();
    let mut count = 0;
    for part in parts {
        text += DISCIPLINES[(number as usize + count) % DISCIPLINES.len()];
        text += part;
        count += 1;
    }
    (text.replace(", }", " }"), count)
}

/// The network in which every port with several queues has a round robin, and the number of such ports.
fn with_round_robin(number: u64) -> (String, usize) {
    const POLICIES: [&str; 5] = ["unlimited =", "drop_tail =", "drop_tail_bits =", "clp_threshold =", "push_out ="];
    let (mut text, mut count) = (String::new(), 0);
    for line in network::text(number).lines() {
        text += &format!("{line}\n");
        let Some((prefix, queues)) = line.split_once("queues = [").filter(|(prefix, _)| !prefix.contains('{')) else {
            continue;
        };
        let queues: usize = POLICIES.iter().map(|policy| queues.matches(policy).count()).sum();
        if queues > 1 {
            let quanta: Vec<String> = (0..queues).map(|queue| format!("'{} octets'", 53 + 900 * queue)).collect();
            let weights: Vec<usize> = (0..queues).map(|queue| 1 + 2 * queue).collect();
            text += &match (number as usize + count) % 2 {
                0 => format!("{prefix}scheduler.drr.quanta = [{}]\n", quanta.join(", ")),
                _ => format!("{prefix}scheduler.wrr.weights = {weights:?}\n"),
            };
            count += 1;
        }
    }
    (text, count)
}

/// A list that was served last is no longer a new one when the line has been free since, also if PDUs of a queue before it are then
/// sent: found in the long run of the test before.
#[test]
fn lists_rest_while_the_line_is_free_before_a_queue_of_higher_priority_sends() {
    let text = "duration = '300 ms'\n\
                [line.out]\nbetween = ['n0', 'n1']\nrate = '8480 kb/s'\n\
                queues = [{ drop_tail_bits.size = '486500 bits' }, { fq_codel = { target = '15 us', interval = '200 us', quantum = '106 octets' } }]\n\
                [line.in]\nbetween = ['n1', 'n2']\nrate = '4240 kb/s'\n\
                [flow.first]\npath = ['n1', 'n0']\ntraffic.poisson.rate = '706666 b/s'\n\
                [flow.second]\ncount = 3\npriority = 2\npath = ['n2', 'n1', 'n0']\n\
                traffic.two_rate_video = { high = '1060 kb/s', low = '265 kb/s', high_time = '10.3 ms', low_time = '14.6 ms' }\n";
    for number in 0..20 {
        random::agreed(number, text);
    }
}

#[test]
fn the_forms_agree_on_random_networks_with_round_robin() {
    let (mut ports, mut differing) = (0, 0);
    for number in 0..quick_or_long(40, 200) {
        let (text, count) = with_round_robin(number);
        let agreed = random::agreed(number, &text);
        ports += count;
        differing += u32::from(random::plain(number).unwrap().fingerprint != agreed.fingerprint);
    }
    assert!(ports > 30 && differing > 5, "{ports} {differing}");
}

/// Two flows of 6 Mb/s each, with PDUs of 1,500 and of 300 octets, share a line of 8 Mb/s in proportion to the quanta, or
/// send PDUs in proportion to the weights.
#[test]
fn round_robin_shares_a_line_by_its_quanta_or_weights() {
    let flow = |name: &str, octets: u32, priority: u32| {
        format!(
            "[flow.{name}]\npath = ['a', 'b']\noctets = {octets}\npriority = {priority}\n\
             traffic.cbr = {{ rate = '6 Mb/s' }}\n"
        )
    };
    let shares = |rest: &str| {
        let queues = "queues = [{ drop_tail.size = '50 PDUs' }, { drop_tail.size = '50 PDUs' }]";
        let line = format!("[line.l]\nbetween = ['a', 'b']\nrate = '8 Mb/s'\n{queues}\n{rest}\n");
        let head = "duration = '10 s'\nwarm_up = '1 s'\n";
        let report = run(&(head.to_owned() + &line + &flow("long", 1_500, 0) + &flow("short", 300, 1)));
        report.groups.iter().map(|group| group.throughput_bps).collect::<Vec<f64>>()
    };
    let near = |own: &[f64], wanted: [f64; 2]| {
        assert!(own.iter().zip(wanted).all(|(own, wanted)| (own - wanted).abs() < 0.005e6), "{own:?}");
    };
    near(&shares(""), [6e6, 2e6]);
    near(&shares("scheduler.drr.quanta = ['1500 octets', '1500 octets']"), [4e6, 4e6]);
    near(&shares("scheduler.drr.quanta = ['1500 octets', '3000 octets']"), [8e6 / 3.0, 16e6 / 3.0]);
    // A round of 1 and 5 PDUs has 1,500 octets of each, and one of 1 and 10 twice as many of the second.
    near(&shares("scheduler.wrr.weights = [1, 5]"), [4e6, 4e6]);
    near(&shares("scheduler.wrr.weights = [1, 10]"), [8e6 / 3.0, 16e6 / 3.0]);
}

/// A flow of 9 Mb/s, one of 6 Mb/s with short PDUs, and a sparse one of 100 kb/s meet at a line of 8 Mb/s.
#[test]
fn fq_codel_shares_a_line_by_flows_and_spares_the_sparse_one() {
    let flow = |name: &str, octets: u32, rate: &str| {
        format!("[flow.{name}]\npath = ['a', 'b']\noctets = {octets}\ntraffic.cbr = {{ rate = '{rate}' }}\n")
    };
    let shares = |queue: &str| {
        let head = "duration = '10 s'\nwarm_up = '1 s'\n[defaults.line]\n";
        let line = format!("queues = [{{ {queue} }}]\n[line.l]\nbetween = ['a', 'b']\nrate = '8 Mb/s'\n");
        let flows = [flow("long", 1_500, "9 Mb/s"), flow("short", 300, "6 Mb/s"), flow("thin", 100, "100 kb/s")];
        let report = run(&(head.to_owned() + &line + &flows.concat()));
        assert!(report.ports.iter().any(|port| port.port == "l" && port.utilisation > 0.999));
        report.groups.iter().map(|group| (group.throughput_bps, group.lost)).collect::<Vec<(f64, u64)>>()
    };
    for limit in ["size = '100 PDUs'", "memory = '60000 octets'"] {
        let [(long, _), (short, _), (thin, lost)] = shares(&format!("fq_codel = {{ {limit} }}"))[..] else { panic!() };
        assert!((long - 3.95e6).abs() < 0.02e6 && (short - 3.95e6).abs() < 0.02e6, "{long} {short}");
        assert!((thin - 0.1e6).abs() < 0.001e6 && lost == 0, "{thin} {lost}");
    }
    assert!(shares("drop_tail.size = '100 PDUs'")[2].1 > 0);
}

#[test]
fn a_scheduler_without_a_choice_is_refused() {
    let text = overload("unlimited = {}", "")
        .replace("rate = '8 Mb/s'", "rate = '8 Mb/s'\nscheduler.drr.quanta = ['53 octets']");
    let error = Run::new(&document::parse(&text).unwrap(), 1, 0, Form::Fast).err().unwrap().to_string();
    assert!(error.contains("line.l.scheduler.drr.quanta") && error.contains("one queue"), "{error}");
}

#[test]
fn the_forms_agree_on_random_networks_with_disciplines() {
    let (mut queues, mut differing) = (0, 0);
    for number in 0..quick_or_long(40, 200) {
        let (text, count) = with_disciplines(number);
        let agreed = random::agreed(number, &text);
        queues += count;
        differing += u32::from(random::plain(number).unwrap().fingerprint != agreed.fingerprint);
    }
    assert!(queues > 60 && differing > 20, "{queues} {differing}");
}

/// 200 PDUs a second more than the line carries, for 10 s.
fn overload(queue: &str, rest: &str) -> String {
    format!(
        "duration = '10 s'\nmeasure.sample = '1 s'\n\
         [line.l]\nbetween = ['a', 'b']\nrate = '8 Mb/s'\nqueues = [{{ {queue} }}]\n\
         [flow.f]\npath = ['a', 'b']\noctets = 1000\ntraffic.cbr = {{ rate = '9.6 Mb/s' }}\n{rest}"
    )
}

fn run(text: &str) -> Report {
    let mut run = Run::new(&document::parse(text).unwrap(), 1, 0, Form::Fast).unwrap();
    run.finish().unwrap();
    run.report()
}

fn readings(report: &Report, quantity: &str) -> Vec<f64> {
    let rows = report.series.iter().filter(|row| &*row.component == "l" && &*row.quantity == quantity);
    rows.map(|row| row.value).collect()
}

#[test]
fn each_discards_where_it_decides_and_shows_its_state() {
    let codel = run(&overload("codel = { size = '4000 PDUs' }", ""));
    let red = run(&overload("red = { weight = 0.02, size = '4000 PDUs' }", ""));
    let lossy = run(&overload("random_loss = { pattern.periodic.every = 4 }", ""));
    // Constant traffic does not yield: to take 200 PDUs a second away, the control law needs 400 discards in a row. The mean
    // length settles between the thresholds, or, gentle, up to twice the upper one.
    let counts = readings(&codel, "codel_count_0");
    assert!(counts.iter().any(|count| (100.0..1_000.0).contains(count)), "{counts:?}");
    assert!((1_500..2_100).contains(&codel.groups[0].lost), "{}", codel.groups[0].lost);
    let means = readings(&red, "red_mean_0");
    assert!(means.iter().skip(1).all(|mean| (5.0..30.0).contains(mean)), "{means:?}");
    // 1,200 PDUs a second are sent, and 900 are not lost: fewer than the line carries.
    assert_eq!(readings(&lossy, "random_losses_0").last(), Some(&3_000.0));
    assert_eq!((lossy.groups[0].sent, lossy.groups[0].lost), (12_000, 3_000));
    assert!(lossy.ports[0].utilisation < 0.91);
}

/// The queue reaches neither size, so all that the change could do is lose the state of the control law.
#[test]
fn a_change_keeps_the_state_of_a_policy() {
    for policy in ["codel", "fq_codel", "dual_pi2"] {
        let change = format!("[[change]]\nat = '8 s'\npath = 'line.l.queues[0].{policy}.size'\nvalue = '3999 PDUs'\n");
        let queue = format!("{policy} = {{ size = '4000 PDUs' }}");
        assert_eq!(run(&overload(&queue, &change)).fingerprint, run(&overload(&queue, "")).fingerprint);
    }
}

#[test]
fn marks_that_nobody_obeys_are_refused() {
    let refused = |queue: &str| {
        let scenario = document::parse(&overload(queue, "")).unwrap();
        Run::new(&scenario, 1, 0, Form::Fast).err().map(|error| error.to_string())
    };
    let error = refused("codel.mark = 'efci'").unwrap();
    assert!(error.contains("line.l.queues[0].codel") && error.contains("EFCI marks"), "{error}");
    assert_eq!(refused("codel = {}"), None);
    assert_eq!(refused("dual_pi2 = {}"), None);
}
