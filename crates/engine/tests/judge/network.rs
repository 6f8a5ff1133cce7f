//! A random network for each number: the text of a scenario with some thousand cells and many simultaneous events. The
//! text of a number must never change, because it is pinned. For other networks, use new numbers.

use super::dice::Dice;
use super::parts::{self, Queues, Unit};
use super::points::{self, THEMES, Theme};

/// Sizes in octets of PDUs that are not cells.
const LENGTHS: [u64; 6] = [40, 53, 53, 106, 530, 1_500];
/// Size of the longest PDU, with the headers of a transport.
const LONGEST: u64 = 1_600;

/// The scenario of network `number`.
pub(crate) fn text(number: u64) -> String {
    Draft::new(number).text()
}

struct Draft {
    dice: Dice,
    theme: Theme,
    unit: Unit,
    /// Whether PDUs have other sizes than a cell.
    has_packets: bool,
    /// The two nodes of each line.
    lines: Vec<[String; 2]>,
    /// Length of the run in cell times.
    length: u64,
    /// Whether some queues push out.
    push_out: bool,
    /// Whether some ports admit simultaneous arrivals in random order.
    is_random: bool,
    /// Rates of lines relative to the base rate.
    rates: &'static [(u64, u64)],
}

impl Draft {
    fn new(number: u64) -> Draft {
        let mut dice = Dice::new(number);
        let theme = THEMES[(number % THEMES.len() as u64) as usize];
        let is_slotted = theme == Theme::Slotted;
        let cell_time = match theme {
            Theme::Transport => dice.pick(&[1_000_000_000, 2_500_000_000, 10_000_000_000]),
            Theme::TwoWay | Theme::OneWay => dice.pick(&[10_000_000, 2_726_337]),
            _ => dice.pick(&[10_000_000, 100_000_000, 1_000_000_000, 2_726_337, 68_159_000]),
        };
        let has_packets = match theme {
            Theme::Windows | Theme::Transport => true,
            Theme::Open | Theme::Policed => dice.once_in(4),
            _ => false,
        };
        let rates: &[(u64, u64)] = match dice.below(3) {
            0 => &[(1, 1)],
            _ if is_slotted => &[(1, 1), (1, 2), (1, 3)],
            1 => &[(1, 1), (1, 2), (2, 1)],
            _ => &[(1, 1), (2, 3), (7, 5), (3, 1)],
        };
        let lines = lines(&mut dice);
        let length = dice.pick(&[2_000, 4_000, 12_000]) * if theme == Theme::Transport { 3 } else { 1 };
        let push_out = dice.once_in(3);
        let is_random = dice.once_in(if is_slotted { 1 } else { 4 });
        let unit = Unit { cell_time, is_slotted };
        Draft { dice, theme, unit, has_packets, lines, length, push_out, is_random, rates }
    }

    fn text(mut self) -> String {
        let mut text = self.head();
        for index in 0..self.lines.len() {
            text += &self.line(index);
        }
        let groups = self.dice.from(1, 5);
        for group in 0..groups {
            text += &self.group(group);
        }
        text
    }

    /// The duration, the measures, and the stop.
    fn head(&mut self) -> String {
        let unit = self.unit;
        // Parts are mixed on purpose: also those that do not go together.
        let mut text = format!("duration = \"{}\"\nmismatches = \"warn\"\n", unit.time(self.length, 1));
        if unit.is_slotted {
            text += &format!("cell_time = \"{} ps\"\n", unit.cell_time);
        }
        if self.dice.once_in(3) {
            text += &format!("warm_up = \"{}\"\n", unit.time(self.dice.pick(&[100, 333, 500]), 1));
        }
        let mut measure = vec![format!("jitter_limit = \"{}\"", unit.time(self.dice.from(0, 9), 1))];
        if self.dice.once_in(2) {
            measure.push(format!(
                "sample = \"{}\"",
                unit.time(self.dice.pick(&[100, 128, 471]), self.dice.pick(&[1, 1, 2]))
            ));
        }
        for name in ["sample_flows", "flow_percentiles", "distributions"] {
            let is_chosen = self.dice.once_in(3);
            // Without readings there are no flows to read.
            let has_effect = name != "sample_flows" || measure.iter().any(|key| key.starts_with("sample ="));
            if is_chosen && has_effect {
                measure.push(format!("{name} = true"));
            }
        }
        text += &format!("measure = {{ {} }}\n", measure.join(", "));
        if self.dice.once_in(4) {
            let port = self.dice.below(self.lines.len() as u64);
            let reverse = if self.dice.once_in(4) { ".reverse" } else { "" };
            let departures = self.dice.pick(&[1, 50, 500, 1_000, 3_000]);
            text += &format!("stop = {{ port = \"l{port}{reverse}\", departures = {departures} }}\n");
        }
        text
    }

    fn queues(&self, is_sized: bool) -> Queues {
        Queues { octets: if self.has_packets { LONGEST } else { 53 }, is_sized, push_out: self.push_out }
    }

    /// Parameters of a port except its rate: order, queues, congestion point.
    fn port(&mut self, prefix: &str) -> String {
        let order = if self.is_random && self.dice.once_in(2) { "random" } else { "fixed" };
        let point = points::congestion(&mut self.dice, self.unit, self.theme);
        let wanted = self.queues(point.as_ref().is_some_and(|(_, is_sized)| *is_sized));
        let queues = parts::queues(&mut self.dice, wanted);
        let mut text = format!("{prefix}order = \"{order}\"\n{prefix}queues = {queues}\n");
        if let Some((point, _)) = point {
            text += &format!("{prefix}congestion_point.{point}\n");
        }
        text
    }

    fn line(&mut self, index: usize) -> String {
        let unit = self.unit;
        let [one, two] = self.lines[index].clone();
        let (number, divisor) = self.dice.pick(self.rates);
        let mut text = format!(
            "[line.l{index}]\nbetween = [\"{one}\", \"{two}\"]\nrate = \"{}\"\ndelay = \"{}\"\n",
            unit.line_rate(number, divisor),
            unit.time(self.dice.pick(&[0, 0, 1, 2, 3, 10, 10, 60, 200]), 1)
        );
        text += &self.port("");
        if self.dice.once_in(2) {
            if self.dice.once_in(3) {
                let (number, divisor) = self.dice.pick(self.rates);
                text += &format!("reverse.rate = \"{}\"\n", unit.line_rate(number, divisor));
            }
            text += &self.port("reverse.");
        }
        if self.dice.once_in(8) {
            let from = self.dice.from(0, 700);
            let to = from + self.dice.from(1, 300);
            text += &format!("outage = {{ from = \"{}\", to = \"{}\" }}\n", unit.time(from, 1), unit.time(to, 1));
        }
        text
    }

    /// A path of one to four lines that visits no node twice.
    fn path(&mut self) -> Vec<String> {
        let most = self.dice.from(1, 4);
        let start = self.dice.pick(&[0, 1]);
        let line = self.dice.below(self.lines.len() as u64) as usize;
        let mut path = vec![self.lines[line][start].clone(), self.lines[line][1 - start].clone()];
        while path.len() as u64 <= most {
            let last = &path[path.len() - 1];
            let next: Vec<&String> = self
                .lines
                .iter()
                .filter_map(|[one, two]| match (one == last, two == last) {
                    (true, _) => Some(two),
                    (_, true) => Some(one),
                    _ => None,
                })
                .filter(|node| !path.contains(node))
                .collect();
            if next.is_empty() {
                break;
            }
            let chosen = next[self.dice.below(next.len() as u64) as usize].clone();
            path.push(chosen);
        }
        path
    }

    /// One group of flows, or two that are each other's peers.
    fn group(&mut self, group: u64) -> String {
        let theme = if self.dice.once_in(7) { self.dice.pick(&THEMES) } else { self.theme };
        let path = self.path();
        let count = self.dice.pick(&[1, 1, 2, 3, 4]);
        let is_both_ways = match theme {
            Theme::TwoWay => !self.dice.once_in(6),
            Theme::Transport => false,
            _ => self.dice.once_in(12),
        };
        if !is_both_ways {
            return self.flow(&format!("f{group}"), theme, &path, count, "");
        }
        let back: Vec<String> = path.iter().rev().cloned().collect();
        let (one, two) = (format!("f{group}a"), format!("f{group}b"));
        self.flow(&one, theme, &path, count, &two) + &self.flow(&two, theme, &back, count, &one)
    }

    fn flow(&mut self, name: &str, theme: Theme, path: &[String], count: u64, peer: &str) -> String {
        let unit = self.unit;
        let nodes = |nodes: &[String]| nodes.iter().map(|node| format!("\"{node}\"")).collect::<Vec<_>>().join(", ");
        let mut text = format!("[flow.{name}]\ncount = {count}\npriority = {}\n", self.dice.below(3));
        // A transport's flows can use `from` and `to`, and so can those of a few others.
        let is_meshed = peer.is_empty() && self.dice.once_in(if theme == Theme::Transport { 2 } else { 12 });
        if is_meshed {
            let (from, to) = (nodes(&path[..1]), nodes(&path[1..]));
            text += &format!("from = [{from}]\nto = [{to}]\n");
        } else {
            text += &format!("path = [{}]\n", nodes(path));
        }
        if !peer.is_empty() {
            text += &format!("peer = \"{peer}\"\n");
        }
        // Its timers are at least a millisecond.
        let is_transport = theme == Theme::Transport && self.has_packets && unit.cell_time >= 100_000_000;
        if !is_meshed {
            let wanted = self.queues(false);
            text += &parts::access(&mut self.dice, unit, wanted);
        }
        if is_transport && self.dice.once_in(2) {
            let octets = self.dice.pick(&[106, 400]);
            text += &format!("traffic.{}\n", parts::connections(&mut self.dice, unit, octets));
            return text + &points::transport(&mut self.dice, unit);
        }
        let has_rates = matches!(theme, Theme::TwoWay | Theme::OneWay);
        let octets = if self.has_packets && !has_rates { self.dice.pick(&LENGTHS) } else { 53 };
        if octets != 53 {
            text += &format!("octets = {octets}\n");
        }
        let share = parts::share(&mut self.dice);
        let is_greedy = has_rates || theme == Theme::Slotted || (theme == Theme::Windows && self.dice.once_in(2));
        let traffic = if is_greedy && !self.dice.once_in(6) {
            parts::greedy(&mut self.dice, unit)
        } else {
            parts::traffic(&mut self.dice, unit, octets, share)
        };
        // The pins are older than `held`: a factor then scaled the traffic itself.
        let is_thin = matches!(theme, Theme::Open | Theme::Policed) && !is_transport;
        text += &format!("traffic.{}\n", if is_thin { parts::thin(&traffic) } else { traffic });
        if is_transport {
            return text + &points::transport(&mut self.dice, unit);
        }
        let most = match theme {
            Theme::Policed => 3,
            Theme::Open => 1,
            _ => u64::from(self.dice.once_in(12)),
        };
        text += &parts::policers(&mut self.dice, unit, share, most);
        text + &points::reaction(&mut self.dice, unit, theme)
    }
}

/// The lines of a chain, a star, a ring, or two stars with a trunk between them.
fn lines(dice: &mut Dice) -> Vec<[String; 2]> {
    let size = dice.from(2, 5);
    let line = |one: String, two: String| [one, two];
    match dice.below(6) {
        0..=2 => {
            let size = dice.from(1, size);
            (0..size).map(|index| line(format!("n{index}"), format!("n{}", index + 1))).collect()
        }
        3 => (0..size).map(|index| line("hub".to_owned(), format!("n{index}"))).collect(),
        4 => (0..=size).map(|index| line(format!("n{index}"), format!("n{}", (index + 1) % (size + 1)))).collect(),
        _ => {
            let mut all = vec![line("left".to_owned(), "right".to_owned())];
            for index in 0..size.min(3) {
                all.push(line(format!("a{index}"), "left".to_owned()));
                all.push(line("right".to_owned(), format!("b{index}")));
            }
            all
        }
    }
}
