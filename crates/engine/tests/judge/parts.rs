//! Parts of random networks, as scenario text. Rates and times are small multiples of one cell rate and one cell time,
//! so that many events are simultaneous.

use super::dice::Dice;

/// The units of the numbers of one network.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    /// Cell time at the base rate, in picoseconds.
    pub(crate) cell_time: u64,
    /// Whether lines give their rates in cells.
    pub(crate) is_slotted: bool,
}

impl Unit {
    /// `number` / `divisor` cell times.
    pub(crate) fn time(self, number: u64, divisor: u64) -> String {
        format!("{} ps", number * self.cell_time / divisor)
    }

    /// `number` / `divisor` of the base rate, in bits per second.
    pub(crate) fn bits_per_second(self, number: u64, divisor: u64) -> u64 {
        let base = 424_000_000_000_000 / self.cell_time;
        (base * number / divisor).max(1)
    }

    pub(crate) fn rate(self, number: u64, divisor: u64) -> String {
        format!("{} b/s", self.bits_per_second(number, divisor))
    }

    /// A line's rate: `number / divisor` of the base rate; in a slotted model as cells.
    pub(crate) fn line_rate(self, number: u64, divisor: u64) -> String {
        if self.is_slotted && divisor.is_multiple_of(number) {
            format!("1 cell per {} cell times", divisor / number)
        } else {
            self.rate(number, divisor)
        }
    }

    /// Video frames per second, so that a frame at the base rate has some tens of cells.
    pub(crate) fn frames_per_second(self) -> u64 {
        (30_000_000_000 / self.cell_time).clamp(1, 1_000)
    }
}

/// Rates of flows relative to the base rate.
const SHARES: [(u64, u64); 7] = [(1, 12), (1, 8), (1, 6), (1, 4), (1, 3), (1, 2), (1, 1)];

/// The shares that divide a slot.
pub(crate) fn share(dice: &mut Dice) -> (u64, u64) {
    dice.pick(&SHARES)
}

/// Constraints on the queues of a port.
#[derive(Clone, Copy)]
pub(crate) struct Queues {
    /// Size of the longest PDU in octets, which must fit.
    pub(crate) octets: u64,
    /// Whether each queue must have a size in PDUs.
    pub(crate) is_sized: bool,
    /// Whether some push out.
    pub(crate) push_out: bool,
}

fn queue(dice: &mut Dice, wanted: Queues) -> String {
    let size = dice.from(2, 40);
    if wanted.push_out && dice.once_in(2) {
        return format!("{{ push_out = {{ size = \"{size} PDUs\" }} }}");
    }
    match dice.below(if wanted.is_sized { 2 } else { 5 }) {
        0 => format!("{{ drop_tail = {{ size = \"{size} PDUs\" }} }}"),
        1 => format!(
            "{{ clp_threshold = {{ size = \"{size} PDUs\", threshold = \"{} PDUs\" }} }}",
            dice.from(1, size - 1)
        ),
        2 => {
            let bits = wanted.octets.max(159) * 8 * size + dice.below(3) * 100;
            format!("{{ drop_tail_bits = {{ size = \"{bits} bits\" }} }}")
        }
        _ => "{ unlimited = {} }".to_owned(),
    }
}

/// The queues of a port.
pub(crate) fn queues(dice: &mut Dice, wanted: Queues) -> String {
    let count = dice.pick(&[1, 1, 2, 3]);
    let all: Vec<String> = (0..count).map(|_| queue(dice, wanted)).collect();
    format!("[{}]", all.join(", "))
}

fn sessions(dice: &mut Dice, unit: Unit) -> String {
    if dice.once_in(2) {
        return String::new();
    }
    let (active, idle) = (unit.time(dice.from(100, 600), 1), unit.time(dice.from(20, 400), 1));
    format!(", session = {{ active = \"{active}\", idle = \"{idle}\" }}")
}

fn sending(dice: &mut Dice, burst: &str) -> String {
    let place = dice.pick(&["random", "first"]);
    let phase = dice.pick(&["random", "zero"]);
    let header = dice.pick(&[0, 0, 5]);
    let burst = if dice.once_in(2) { format!(", burst = \"{burst}\"") } else { String::new() };
    format!("sending = {{ place = \"{place}\", phase = \"{phase}\", header = {header}{burst} }}")
}

/// A source that always has data.
pub(crate) fn greedy(dice: &mut Dice, unit: Unit) -> String {
    let mut parts = vec![match dice.below(3) {
        0 => "start = \"0 s\"".to_owned(),
        1 => format!("start = \"{}\", stagger = \"{}\"", unit.time(dice.below(20), 1), unit.time(dice.below(40), 1)),
        _ => format!("phase = \"{}\", phase_step = \"{}\"", unit.time(4, 1), unit.time(1, 1)),
    }];
    if dice.once_in(4) {
        let from = dice.from(100, 800);
        let (from, to) = (unit.time(from, 1), unit.time(from + dice.from(1, 500), 1));
        parts.push(format!("pause = {{ from = \"{from}\", to = \"{to}\" }}"));
    }
    format!("greedy = {{ {} }}", parts.join(", "))
}

/// Connections of random lengths, with packets of about `octets`.
pub(crate) fn connections(dice: &mut Dice, unit: Unit, octets: u64) -> String {
    let mut law = |mean: String| format!("{} = \"{mean}\"", dice.pick(&["constant", "exponential"]));
    let gap = law(unit.time(40, 1));
    let duration = law(unit.time(400, 1));
    let production = law(unit.time(octets * 3, 53));
    let size = law(format!("{octets} octets"));
    format!(
        "connections = {{ inter_connection_time.{gap}, connection_duration.{duration}, interproduction_time.{production}, \
         packet_size.{size} }}"
    )
}

/// The same traffic, thinned by what holds it back. Files, and sources without a demand, stay.
pub(crate) fn thin(traffic: &str) -> String {
    let can = ["cbr", "poisson", "on_off", "two_rate_video", "mpeg", "replay", "connections"];
    match traffic.split_once(" = { ") {
        Some((model, parts)) if can.contains(&model) => format!("{model} = {{ held = \"thin\", {parts}"),
        _ => traffic.to_owned(),
    }
}

/// Traffic with a mean of about `number` / `divisor` of the base rate.
pub(crate) fn traffic(dice: &mut Dice, unit: Unit, octets: u64, (number, divisor): (u64, u64)) -> String {
    let rate = unit.rate(number, divisor);
    let twice = unit.rate(2 * number, divisor);
    match dice.below(11) {
        0 | 1 => {
            let start =
                if dice.once_in(3) { String::new() } else { format!(", start = \"{}\"", unit.time(dice.below(4), 1)) };
            format!("cbr = {{ rate = \"{rate}\"{start} }}")
        }
        2 => format!("poisson = {{ rate = \"{rate}\" }}"),
        3 | 4 => format!(
            "on_off = {{ peak_rate = \"{twice}\", on = \"{}\", off = \"{}\", start = \"{}\", first = \"{}\"{} }}",
            unit.time(dice.from(20, 200), 1),
            unit.time(dice.from(20, 200), 1),
            dice.pick(&["random", "off"]),
            dice.pick(&["phase", "gap"]),
            sessions(dice, unit)
        ),
        5 => format!(
            "two_rate_video = {{ high = \"{twice}\", low = \"{}\", high_time = \"{}\", low_time = \"{}\"{} }}",
            unit.rate(number, 2 * divisor),
            unit.time(dice.from(20, 200), 1),
            unit.time(dice.from(20, 200), 1),
            sessions(dice, unit)
        ),
        6 => format!(
            "file_transfer = {{ size = \"{} bits\", rate = \"{twice}\", idle = \"{}\", active_at_start = {} }}",
            octets * 8 * dice.from(3, 60) + dice.below(2) * 11,
            unit.time(dice.from(1, 100), 1),
            dice.pick(&["0.0", "0.5", "1.0"])
        ),
        7 => mpeg(dice, unit, (number, divisor)),
        8 => replay(dice, unit, octets),
        9 => greedy(dice, unit),
        _ => {
            if dice.once_in(4) {
                "silent = {}".to_owned()
            } else if octets == 53 {
                connections(dice, unit, 159)
            } else {
                format!("cbr = {{ rate = \"{rate}\", start = \"0 s\" }}")
            }
        }
    }
}

fn mpeg(dice: &mut Dice, unit: Unit, (number, divisor): (u64, u64)) -> String {
    let rate = unit.rate(number, divisor);
    let burst = unit.rate(12 * number, divisor);
    format!(
        "mpeg = {{ mean = \"{rate}\", peak = \"{}\", frames_per_second = {}, groups_of_pictures = {}, \
         scene = \"{}\", {} }}",
        unit.rate(33 * number, 10 * divisor),
        unit.frames_per_second(),
        dice.from(5, 9),
        unit.time(900, 1),
        sending(dice, &burst)
    )
}

fn replay(dice: &mut Dice, unit: Unit, octets: u64) -> String {
    // At most one frame of 40 PDUs.
    let burst = unit.frames_per_second() * octets * 8 * 41 * 53 / 48 * 2;
    let frames: Vec<String> = (0..dice.from(1, 6)).map(|_| dice.from(0, octets * 40).to_string()).collect();
    format!(
        "replay = {{ frames = [{}, {octets}], frames_per_second = {}, {} }}",
        frames.join(", "),
        unit.frames_per_second(),
        sending(dice, &format!("{burst} b/s"))
    )
}

fn policer(dice: &mut Dice, unit: Unit, (number, divisor): (u64, u64)) -> String {
    // The source stays within the contract, exactly meets it, or breaks it.
    let (times, of) = dice.pick(&[(1, 1), (1, 1), (2, 1), (1, 2)]);
    let rate = unit.rate(number * times, divisor * of);
    let action = dice.pick(&["mark", "discard"]);
    match dice.below(5) {
        0 | 1 => format!(
            "{{ gcra = {{ increment = \"{}\", limit = \"{}\", nonconforming = \"{action}\", form = \"{}\" }} }}",
            unit.time(divisor * of, number * times),
            unit.time(dice.pick(&[0, 0, 1, 5, 40]), 1),
            dice.pick(&["virtual_scheduling", "leaky_bucket"])
        ),
        2 | 3 => format!(
            "{{ leaky_bucket = {{ depth = \"{} PDUs\", drain = \"{rate}\", size = \"{} PDUs\", nonconforming = \"{action}\" }} }}",
            dice.pick(&[1, 2, 7, 33]),
            dice.pick(&[0, 0, 1, 4])
        ),
        _ => format!(
            "{{ peak_rate_controller = {{ rate = \"{rate}\", size = \"{} PDUs\", overflow = \"{action}\" }} }}",
            dice.pick(&[1, 2, 8, 40])
        ),
    }
}

/// Zero to `most` policers in sequence.
pub(crate) fn policers(dice: &mut Dice, unit: Unit, share: (u64, u64), most: u64) -> String {
    let all: Vec<String> = (0..dice.from(0, most)).map(|_| policer(dice, unit, share)).collect();
    if all.is_empty() { String::new() } else { format!("policers = [{}]\n", all.join(", ")) }
}

/// The access to the network.
pub(crate) fn access(dice: &mut Dice, unit: Unit, wanted: Queues) -> String {
    let delay = unit.time(dice.pick(&[0, 0, 1, 2, 5, 20]), 1);
    match dice.below(6) {
        0 | 1 => String::new(),
        2 => format!("access = {{ delay = \"{delay}\" }}\n"),
        3 => format!("access = {{ rate = \"{}\" }}\n", unit.line_rate(dice.pick(&[1, 1, 4]), dice.pick(&[1, 1, 2]))),
        4 => format!(
            "access = {{ rate = \"{}\", delay = \"{delay}\", queues = {} }}\n",
            unit.line_rate(1, dice.pick(&[1, 2])),
            queues(dice, wanted)
        ),
        _ => {
            format!("access = {{ rate = \"{}\", delay = \"{delay}\" }}\n", unit.line_rate(1, dice.pick(&[1, 1, 2, 3])))
        }
    }
}
