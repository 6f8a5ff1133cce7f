//! QCN, DCQCN and RCP in whole networks: both forms on random networks, the queues and shares of theory, and parts that do
//! not go together.

use crate::agreement::{agreed, max_min, report};
use crate::judge::dice::Dice;
use crate::length::quick_or_long;
use penstock_engine::report::{FlowRow, PortRow, Report};
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::document::parse;
use penstock_engine::scenario::expansion::expand;

/// Random parts of one of the schemes, for lines of about `rate` b/s: congestion point, and parts of the hosts.
fn parts(dice: &mut Dice, rate: u64) -> [String; 2] {
    let share = |per_mille: u64| format!("{} b/s", (rate * per_mille / 1000).max(1));
    match dice.below(3) {
        0 => [
            format!(
                "qcn = {{ equilibrium = '{} octets', interval = '{} octets', weight = {}, jitter = {} }}",
                dice.from(53, 2000),
                dice.from(53, 5000),
                dice.pick(&["0.0", "2.0", "5.5"]),
                dice.pick(&["0.0", "0.15"])
            ),
            format!(
                "reaction_point.qcn = {{ minimum = '{}', byte_counter = '{} octets', timer = '{} us', timer_jitter = {}, \
                 stages = {}, active = '{}', hyper = '{}' }}",
                share(dice.from(1, 100)),
                dice.from(53, 5000),
                dice.from(50, 2000),
                dice.pick(&["0.0", "0.15", "0.9"]),
                dice.from(1, 5),
                share(dice.from(1, 50)),
                share(dice.from(1, 300))
            ),
        ],
        1 => {
            let kmin = dice.from(0, 2000);
            [
                format!(
                    "dcqcn = {{ kmin = '{kmin} octets', kmax = '{} octets', pmax = {} }}",
                    kmin + dice.from(0, 4000),
                    dice.pick(&["0.0", "0.1", "1.0"])
                ),
                format!(
                    "reaction_point.dcqcn = {{ preset = '{}', alpha_timer = '{} us', timer = '{} us', minimum = '{}', \
                     clamp_target = {} }}\nnotification_point.dcqcn = {{ interval = '{} us' }}",
                    dice.pick(&["scaled", "paper", "hpcc_repository", "ns3_rdma_default"]),
                    dice.from(1, 500),
                    dice.from(20, 1000),
                    share(dice.from(1, 100)),
                    dice.pick(&["true", "false"]),
                    dice.pick(&[0, 10, 500])
                ),
            ]
        }
        _ => [
            format!(
                "rcp = {{ most_period = '{} us', initial = '{}' }}",
                dice.from(50, 5000),
                share(dice.from(10, 900))
            ),
            format!(
                "reaction_point.rcp = {{ request_every = {} }}\nnotification_point.turn_round = {{}}",
                dice.pick(&[2, 8, 32])
            ),
        ],
    }
}

fn network(dice: &mut Dice) -> String {
    let rate = dice.pick(&[1, 3, 10]) * 4_240_000;
    let [point, hosts] = parts(dice, rate);
    let queue =
        dice.pick(&["unlimited = {}", "drop_tail = { size = '12 PDUs' }", "drop_tail_bits = { size = '20 kB' }"]);
    let traffic = match dice.below(4) {
        0 => format!("cbr = {{ rate = '{} b/s' }}", rate / 3),
        1 => format!("poisson = {{ rate = '{} b/s' }}", rate / 2),
        2 => "greedy.phase = '1 ms'".to_owned(),
        _ => format!("on_off = {{ peak_rate = '{rate} b/s', on = '3 ms', off = '4 ms' }}"),
    };
    let lines: String = [("one", "a", "b"), ("two", "b", "c")]
        .iter()
        .map(|(name, from, to)| {
            format!(
                "[line.{name}]\nbetween = ['{from}', '{to}']\nrate = '{} b/s'\ndelay = '{} us'\norder = '{}'\n\
                 queues = [{{ {queue} }}]\ncongestion_point.{point}\n",
                rate / dice.from(1, 2),
                dice.pick(&[0, 100, 2500]),
                dice.pick(&["fixed", "random"])
            )
        })
        .collect();
    let octets = dice.pick(&[53, 53, 256, 1500]);
    let access = dice.pick(&["", "access = { delay = '100 us' }", "access = { rate = '42.4 Mb/s', delay = '10 us' }"]);
    format!(
        "duration = '60 ms'\nwarm_up = '20 ms'\nmeasure.sample = '7 ms'\n{lines}\
         [defaults.flow]\noctets = {octets}\n{access}\ntraffic.{traffic}\n{hosts}\n\
         [flow.long]\ncount = {}\npath = ['a', 'b', 'c']\n[flow.short]\ncount = 2\npath = ['b', 'c']\n",
        dice.from(1, 4)
    )
}

#[test]
fn both_forms_agree_on_random_networks() {
    let mut active = 0;
    for number in 0..quick_or_long(30, 600) {
        let text = network(&mut Dice::new(number));
        let report = agreed(&text, number);
        let has_feedback = |row: &FlowRow| row.control_sent > 0;
        active += u32::from(report.flows.iter().any(has_feedback));
    }
    // Most networks have feedback: else the test would show nothing.
    assert!(active > 15, "{active}");
}

/// Why a network with these parts is refused.
fn refusal(point: &str, hosts: &str) -> String {
    let text = format!(
        "duration = '10 ms'\n[line.trunk]\nbetween = ['a', 'b']\nrate = '10 Mb/s'\n{point}\n\
         [flow.data]\npath = ['a', 'b']\ntraffic.greedy = {{}}\n{hosts}\n"
    );
    let refused = parse(&text).and_then(|scenario| Run::new(&scenario, 1, 0, Form::Fast).map(drop));
    refused.unwrap_err().to_string()
}

/// Each refusal names what would let it.
#[test]
fn parts_of_other_schemes_do_not_meet() {
    for (point, hosts, told) in [
        ("congestion_point.qcn = {}", "reaction_point.becn = {}", "reaction_point.qcn"),
        ("congestion_point.becn = {}", "reaction_point.qcn = {}", "reaction_point.becn"),
        ("congestion_point.dcqcn = {}", "reaction_point.dcqcn = {}", "notification_point.dcqcn"),
        (
            "congestion_point.rcp = {}",
            "reaction_point.tm40 = {}\nnotification_point.turn_round = {}",
            "reaction_point.rcp, with notification_point.turn_round",
        ),
        (
            "congestion_point.erica.interval = 'auto'",
            "reaction_point.rcp = {}\nnotification_point.turn_round = {}",
            "reaction_point.explicit_rate, reaction_point.tm40, reaction_point.eprca, with",
        ),
        ("congestion_point.rcp = {}", "reaction_point.rcp = {}", "notification_point.turn_round"),
    ] {
        let refused = refusal(point, hosts);
        assert!(refused.contains(told), "{point} {hosts}: {refused}");
    }
}

#[test]
fn bad_parameters_are_refused_with_their_place() {
    for (point, told) in [
        ("congestion_point.dcqcn = { kmin = '9 kB', kmax = '8 kB' }", "congestion_point.dcqcn.kmin = 9 kB"),
        ("congestion_point.dcqcn = { pmax = 1.5 }", "congestion_point.dcqcn.pmax"),
        ("congestion_point.dcqcn = { preset = 'papers' }", "congestion_point.dcqcn.preset"),
        ("congestion_point.qcn = { equilibrium = '0 bits' }", "congestion_point.qcn.equilibrium"),
        ("congestion_point.rcp = { alpha = 0.0 }", "congestion_point.rcp.alpha"),
    ] {
        let refused = refusal(point, "");
        assert!(refused.contains(told), "{point}: {refused}");
    }
}

fn port<'a>(report: &'a Report, name: &str) -> &'a PortRow {
    report.ports.iter().find(|row| row.port == name).unwrap()
}

fn rates(report: &Report) -> Vec<f64> {
    report.flows.iter().map(|row| row.throughput_bps).collect()
}

fn jain(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    sum * sum / rates.iter().map(|rate| rate * rate).sum::<f64>() / rates.len() as f64
}

/// Sources on one fast line, whose packets have these octets.
fn fast_line(rate: &str, flows: u32, octets: u32, point: &str, hosts: &str) -> String {
    format!(
        "duration = '120 ms'\nwarm_up = '60 ms'\nmeasure.sample = '200 us'\n\
         [line.l]\nbetween = ['a', 'b']\nrate = '{rate}'\ndelay = '1 us'\norder = 'random'\n\
         congestion_point.{point}\n\
         [flow.f]\ncount = {flows}\noctets = {octets}\npath = ['a', 'b']\naccess.delay = '1 us'\n\
         traffic.greedy.phase = '1 ms'\n{hosts}\n"
    )
}

/// The standard's own line: 10 Gb/s, frames of 1,500 octets, short cables. The mean queue is the equilibrium of 26 kB. The
/// shares are not judged: they come near each other in many stages of 15 ms only.
#[test]
fn qcn_fills_the_line_and_keeps_its_equilibrium() {
    for flows in [2, 10] {
        let text = fast_line("10 Gb/s", flows, 1500, "qcn = {}", "reaction_point.qcn = {}");
        let own = report(&text, 1, Form::Fast);
        let (used, queue) = (port(&own, "l").utilisation, port(&own, "l").queue_mean_bits.unwrap() / 8000.0);
        assert!(used > 0.99 && (queue / 26.0 - 1.0).abs() < 0.1, "{flows}: {used} {queue} kB");
    }
}

/// Rows K1 and K2 of the specification: the queue of the fluid's fixed point, which is good to 40 %, and a full line with
/// equal shares. Packets have 1,000 octets. No hyper increase, as in the fluid.
#[test]
fn dcqcn_keeps_the_queue_of_its_fixed_point() {
    for (flows, fixed) in [(2, 20.15), (8, 93.77)] {
        let hosts = "reaction_point.dcqcn = { preset = 'paper', hyper = '40 Mb/s' }\n\
                     notification_point.dcqcn.interval = '50 us'";
        let text = fast_line("40 Gb/s", flows, 1000, "dcqcn.preset = 'paper'", hosts);
        let own = report(&text, 1, Form::Fast);
        let (used, queue) = (port(&own, "l").utilisation, port(&own, "l").queue_mean_bits.unwrap() / 8000.0);
        assert!(used > 0.97 && (queue / fixed - 1.0).abs() < 0.4, "{flows}: {used} {queue} kB");
        assert!(jain(&rates(&own)) > 0.98, "{flows}: {:?}", rates(&own));
    }
}

/// One rate for all is the max-min rate: each line is full at the lowest rate that it offers. A request in 32 cells is not
/// data. Row M12: on a chain of two and of three lines the long flow gets half a line.
#[test]
fn rcp_gives_the_max_min_rates() {
    for network in [
        "chain = { trunks = 2, rate = '50 Mb/s', delay = '1 ms' }",
        "chain = { trunks = 3, rate = '50 Mb/s', delay = '1 ms' }",
        "parking_lot = { trunks = 3, rate = '50 Mb/s', delay = '1 ms' }",
        "upstream = { rate = '50 Mb/s', delay = '1 ms' }",
        "gfc_1 = {}",
    ] {
        let text = format!(
            "duration = '2 s'\nwarm_up = '1500 ms'\nscheme = 'rcp'\nnetwork.{network}\n\
             [defaults.flow]\naccess = {{ rate = '150 Mb/s', delay = '5 us' }}\n"
        );
        let own = report(&text, 1, Form::Fast);
        let scenario = expand(&parse(&text).unwrap()).unwrap().scenario.into_owned();
        let fair = max_min(&scenario);
        for row in &own.flows {
            let ratio = row.throughput_bps * 32.0 / 31.0 / fair[row.group.as_str()];
            assert!((ratio - 1.0).abs() < 0.01, "{network}: {} has {ratio} of its share", row.flow);
        }
    }
}

/// The LAN of the BECN study, with its heirs: the queue of the start and the mean queue of 50 sources.
#[test]
fn on_the_lan_of_becn_its_heirs_keep_shorter_queues() {
    let own = |scheme: &str| {
        let text = format!(
            "duration = '200 ms'\nwarm_up = '100 ms'\nscheme = '{scheme}'\n\
             [network.dumbbell]\npairs = 50\nrate = '155.52 Mb/s'\ndelay = '5 us'\n\
             [defaults.line]\norder = 'random'\n[defaults.flow]\ntraffic.greedy.phase = '1 ms'\n"
        );
        let own = report(&text, 1, Form::Fast);
        let trunk = port(&own, "trunk");
        assert!(trunk.utilisation > 0.95, "{scheme}: {}", trunk.utilisation);
        (trunk.queue_max_start, trunk.queue_mean)
    };
    let [becn, qcn, rcp] = ["becn", "qcn", "rcp"].map(own);
    assert!(qcn.0 < becn.0 / 5 && rcp.0 < qcn.0, "{becn:?} {qcn:?} {rcp:?}");
    assert!(qcn.1 < 60.0 && rcp.1 < 10.0 && becn.1 > 5.0 * qcn.1, "{becn:?} {qcn:?} {rcp:?}");
}
