//! Congestion, notification and reaction points, and transport, of random networks.

use super::dice::Dice;
use super::parts::Unit;

/// The main feature of a network. Congestion points, sources and receivers of one scheme go together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Theme {
    /// Every traffic model and every queue.
    Open,
    /// Factors on rates, contracts, notices by class rates and queue lengths.
    Policed,
    /// Backward notices in slots.
    Slotted,
    /// Bidirectional connections, whose switches write rates.
    TwoWay,
    /// Rates in one direction, RM cells back.
    OneWay,
    /// Windows and acknowledgements.
    Windows,
    /// TP4.
    Transport,
}

pub(crate) const THEMES: [Theme; 7] =
    [Theme::Open, Theme::Policed, Theme::Slotted, Theme::TwoWay, Theme::OneWay, Theme::Windows, Theme::Transport];

fn class_rates(dice: &mut Dice, unit: Unit) -> String {
    let mut text = format!(
        "class_rates = {{ interval = \"{}\", weight = {}, trigger = {}, share = {}, rule = \"{}\", discards = {}",
        unit.time(dice.pick(&[5, 12, 50]), 1),
        dice.pick(&["0.8", "1.0", "0.25"]),
        dice.pick(&["0.9", "0.5"]),
        dice.pick(&["0.2", "0.0"]),
        dice.pick(&["cumulative", "single"]),
        dice.pick(&["true", "false"])
    );
    if dice.once_in(2) {
        text += &format!(", spacing = \"{}\"", unit.time(dice.pick(&[0, 5, 30]), 1));
    }
    text += dice.pick(&["", "", ", rates = false", ", forward = true"]);
    text + " }"
}

fn becn(dice: &mut Dice, unit: Unit) -> String {
    let filter = match dice.below(3) {
        0 => "none = {}".to_owned(),
        1 => format!("simple = {{ period = \"{}\" }}", unit.time(dice.from(0, 9), 1)),
        _ => format!("per_vc = {{ period = \"{}\" }}", unit.time(dice.from(8, 64), 1)),
    };
    format!("becn = {{ threshold = \"{} PDUs\", filter.{filter} }}", dice.from(0, 12))
}

fn interval(dice: &mut Dice, unit: Unit) -> String {
    match dice.below(3) {
        0 => format!("{{ time = \"{}\" }}", unit.time(dice.from(10, 60), 1)),
        1 => format!("{{ cells = {} }}", dice.from(5, 40)),
        _ => format!("{{ time = \"{}\", cells = {} }}", unit.time(dice.from(10, 60), 1), dice.from(5, 40)),
    }
}

fn erica(dice: &mut Dice, unit: Unit, target: &str) -> String {
    format!(
        "{{ {target}interval = {}, delta = {}, max_alloc_previous = {}, two_step = {}, active = {}, ccr = \"{}\", \
         immediate_fair_share = {} }}",
        interval(dice, unit),
        dice.pick(&["0.0", "0.1"]),
        dice.pick(&["true", "false"]),
        dice.pick(&["true", "false"]),
        dice.pick(&["\"seen\"", "\"established\"", "{ decayed = { factor = 0.9 } }"]),
        dice.pick(&["forward_rm", "backward_rm", "measured"]),
        dice.pick(&["true", "false"])
    )
}

/// A congestion point that writes rates, or marks.
fn rates(dice: &mut Dice, unit: Unit) -> String {
    let (qt, dqt) = (dice.from(0, 20), dice.from(20, 60));
    match dice.below(11) {
        0 => format!("efci = {{ qt = \"{qt} cells\" }}"),
        1 => format!("bes = {{ qt = \"{qt} cells\", dqt = \"{dqt} cells\" }}"),
        2 => format!("eds = {{ qt = \"{qt} cells\", dqt = \"{dqt} cells\", erf = 0.9375, mrf = 0.25 }}"),
        3 => format!(
            "eprca_plus_plus = {{ interval = \"{}\", fair_share = \"{}\", er_written = \"{}\" }}",
            unit.time(dice.from(20, 90), 1),
            dice.pick(&["available", "target"]),
            dice.pick(&["backward", "forward"])
        ),
        4 | 5 => format!("erica = {}", erica(dice, unit, "target = 0.9, ")),
        6 => format!("erica_plus = {{ t0 = \"{}\", erica = {} }}", unit.time(100, 1), erica(dice, unit, "")),
        7 => {
            let threshold = dice.pick(&["", ", ci_threshold = \"8 cells\""]);
            format!("capc = {{ interval = {}{threshold} }}", interval(dice, unit))
        }
        8 => format!("phantom = {{ interval = {} }}", interval(dice, unit)),
        9 => format!("charny = {{ target = 0.95, interval = {} }}", interval(dice, unit)),
        _ => format!("constant_grant = {{ rate = \"{}\" }}", unit.rate(1, dice.pick(&[2, 3, 5]))),
    }
}

/// A congestion point, and whether it needs a size in PDUs for every queue.
pub(crate) fn congestion(dice: &mut Dice, unit: Unit, theme: Theme) -> Option<(String, bool)> {
    if dice.once_in(4) {
        return None;
    }
    let queue_length = |dice: &mut Dice| {
        let text = format!(
            "queue_length = {{ share = {}, spacing = \"{}\", severity = {}, discards = {} }}",
            dice.pick(&["0.5", "0.9"]),
            unit.time(dice.pick(&[0, 5, 30]), 1),
            dice.pick(&[0, 2]),
            dice.pick(&["true", "false"])
        );
        (text, true)
    };
    let theme = if dice.once_in(8) { dice.pick(&THEMES) } else { theme };
    Some(match theme {
        Theme::Open if dice.once_in(2) => return None,
        Theme::Open | Theme::Policed if dice.once_in(3) => queue_length(dice),
        Theme::Open | Theme::Policed => (class_rates(dice, unit), false),
        Theme::Slotted => (becn(dice, unit), false),
        Theme::TwoWay | Theme::OneWay => (rates(dice, unit), false),
        Theme::Windows if dice.once_in(2) => (class_rates(dice, unit), false),
        Theme::Windows | Theme::Transport => {
            let text = match dice.below(4) {
                0 => "decbit = {}".to_owned(),
                1 => "clnp = { error_reports = {} }".to_owned(),
                2 => format!("clnp = {{ ce_threshold = \"{} bits\" }}", dice.from(1, 12_000)),
                _ => "clnp = { ce_threshold = \"1 bit\", error_reports = { threshold = \"9000 bits\" } }".to_owned(),
            };
            (text, false)
        }
    })
}

fn rate_factor(dice: &mut Dice, unit: Unit) -> String {
    let (floor, cap) =
        dice.pick(&[("0.0", ""), ("0.0", ", cap = 1.0"), ("0.5", ", cap = 1.0"), ("0.25", ", cap = 2.0")]);
    format!(
        "rate_factor = {{ increase = {}, mild = {}, severe = {}, floor = {floor}{cap}, round_trip = \"{}\", \
         ignored_postpones = {}, severe_once = {} }}",
        dice.pick(&["0.02", "0.1"]),
        dice.pick(&["0.8", "0.5"]),
        dice.pick(&["0.5", "0.0"]),
        unit.time(dice.from(15, 60), 1),
        dice.pick(&["true", "false"]),
        dice.pick(&["true", "false"])
    )
}

fn levels(dice: &mut Dice, unit: Unit) -> String {
    let recovery = match dice.below(3) {
        0 => format!("constant = \"{}\"", unit.time(dice.from(10, 60), 1)),
        1 => format!("own_cells = {}", dice.from(1, 20)),
        _ => format!(
            "by_level = {{ lowest = \"{}\", highest = \"{}\", down_to_zero = {} }}",
            unit.time(16, 1),
            unit.time(dice.from(16, 80), 1),
            dice.pick(&["true", "false"])
        ),
    };
    format!(
        "becn = {{ peak = {}, levels = {}, on_notice = \"{}\", moves_pending = {}, recovery.{recovery} }}",
        dice.pick(&["1.0", "0.5", "0.25"]),
        dice.from(2, 9),
        dice.pick(&["halve", "stop"]),
        dice.pick(&["true", "false"])
    )
}

fn explicit_rate(dice: &mut Dice, unit: Unit) -> String {
    format!(
        "explicit_rate = {{ initial = \"{}\", peak = \"{}\", minimum = \"{}\", nrm = {} }}",
        unit.rate(1, dice.pick(&[2, 4, 10])),
        unit.rate(1, 1),
        unit.rate(1, 100),
        dice.pick(&[2, 8, 32])
    )
}

fn tm40(dice: &mut Dice, unit: Unit) -> String {
    let rate_in = dice.pick(&["1.0", "0.0625", "0.25"]);
    format!(
        "tm40 = {{ mcr = \"{}\", icr = \"{}\", rif = {rate_in}, rdf = 0.0625, nrm = {}, trm = \"781250 ns\", cdf = {}, \
         adtf = \"10 ms\", tbe = \"{} cells\", tcr = \"{}\", use_it_or_lose_it = {} }}",
        unit.rate(1, 200),
        unit.rate(1, dice.pick(&[2, 4, 20, 150])),
        dice.pick(&[2, 8, 32]),
        dice.pick(&["0.0", "0.0625", "0.5"]),
        dice.pick(&[40, 400, 16_000_000]),
        unit.rate(1, 500),
        dice.pick(&["\"none\"", "\"adtf\"", "{ count_based = { headroom = 0.25 } }"])
    )
}

fn eprca(dice: &mut Dice, unit: Unit) -> String {
    format!(
        "eprca = {{ form = \"{}\", pcr = \"{}\", mcr = \"{}\", icr = \"{}\", air = \"{}\", rdf = {}, nrm = {}, tcr = \"{}\" }}",
        dice.pick(&["roberts", "jain"]),
        unit.rate(1, 1),
        unit.rate(1, 400),
        unit.rate(1, dice.pick(&[2, 8, 20])),
        unit.rate(1, dice.pick(&[50, 500])),
        dice.pick(&[32, 256]),
        dice.pick(&[4, 32]),
        unit.rate(1, 500)
    )
}

fn turn_round(dice: &mut Dice) -> String {
    format!(
        "notification_point.turn_round = {{ waiting = \"{}\", clears_efci = {} }}\n",
        dice.pick(&["overwrite", "queue"]),
        dice.pick(&["true", "false"])
    )
}

/// The sender's and the receiver's part of a scheme.
pub(crate) fn reaction(dice: &mut Dice, unit: Unit, theme: Theme) -> String {
    match theme {
        Theme::Open if dice.once_in(2) => String::new(),
        Theme::Open | Theme::Policed => {
            let reaction = match dice.below(4) {
                0 => format!("stop = {{ pause = \"{}\" }}", unit.time(dice.from(5, 40), 1)),
                _ => rate_factor(dice, unit),
            };
            let mut text = format!("reaction_point.{reaction}\n");
            if dice.once_in(4) {
                let interval = unit.time(dice.from(5, 50), 1);
                let share = dice.pick(&["0.0", "0.5"]);
                text += &format!(
                    "notification_point.forward_notice = {{ interval = \"{interval}\", share = {share}, severity = {} }}\n",
                    dice.pick(&[0, 2])
                );
            }
            text
        }
        Theme::Slotted => format!("reaction_point.{}\n", levels(dice, unit)),
        Theme::TwoWay => {
            let reaction = if dice.once_in(4) { explicit_rate(dice, unit) } else { tm40(dice, unit) };
            format!("reaction_point.{reaction}\n{}", turn_round(dice))
        }
        Theme::OneWay => {
            let reaction = match dice.below(4) {
                0 => explicit_rate(dice, unit),
                1 => tm40(dice, unit),
                _ => eprca(dice, unit),
            };
            format!("reaction_point.{reaction}\n{}", turn_round(dice))
        }
        Theme::Windows | Theme::Transport => format!(
            "reaction_point.fixed_window = {{ window = {} }}\nnotification_point.acknowledge = {{ octets = {} }}\n",
            dice.from(1, 40),
            dice.pick(&[40, 53, 200])
        ),
    }
}

/// TP4, with one of the credit and one of the window strategies.
pub(crate) fn transport(dice: &mut Dice, unit: Unit) -> String {
    let extended = dice.once_in(3);
    let credit = dice.pick(&["whole", "congestion_avoidance", "withdrawing_credit"]);
    let window = dice.pick(&["unlimited", "backoff", "error_npdu", "decbit"]);
    let least = dice.from(60, 200);
    format!(
        "transport.tp4 = {{ saw = {}, extended = {extended}, credit.{credit} = {{}}, window.{window} = {{}}, \
         acknowledge_after = {}, local_acknowledgement_time = \"{}\", window_time = \"{}\", most_transmissions = {}, \
         retransmission = {{ initial = \"{}\", least = \"{}\", most = \"{}\" }}, waiting = \"{} packets\" }}\n",
        dice.from(1, if extended { 40 } else { 15 }),
        dice.from(1, 4),
        unit.time(dice.from(1, 20), 1),
        unit.time(dice.from(100, 900), 1),
        dice.from(2, 8),
        unit.time(least + dice.from(0, 200), 1),
        unit.time(least, 1),
        unit.time(least * 10, 1),
        dice.pick(&[0, 3, 1_000])
    )
}
