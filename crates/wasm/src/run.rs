//! One simulation in a browser.

use penstock_engine::core::time::Time;
use penstock_engine::report::ReadingKind;
use penstock_engine::report::table::{Table, Values};
use penstock_engine::run::{Form, Run as Simulation};
use penstock_engine::scenario::document;
use penstock_engine::scenario::levers::{Lever, Setting};
use penstock_engine::scenario::spec::{Change, Scenario};
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::*;

use crate::error;
use crate::network;
use crate::positions::Positions;

/// The most bytes of memory that this module may hold, of the 4 GiB that it can address.
const MOST_BYTES: usize = 3 << 30;
const PAGE: usize = 1 << 16;

/// One run of a scenario.
#[wasm_bindgen]
pub struct Run {
    scenario: Scenario,
    simulation: Simulation,
}

#[wasm_bindgen]
impl Run {
    /// A run of the scenario in `text`, which is `toml` or `json`, with its `[[change]]` tables. It is refused if it certainly
    /// needs more than `most_bytes` of memory.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, form: &str, seed: u64, replication: u32, most_bytes: f64) -> Result<Run, JsError> {
        let (scenario, flows) = crate::read(text, form)?;
        let most = (most_bytes as u64).min(MOST_BYTES as u64);
        let too_large = |what: &str, bytes: u64| {
            let [needed, most] = [bytes, most].map(|bytes| bytes / 1_000_000);
            let reason = format!("{what} {needed} MB of memory, and this tab may take {most} MB");
            error::memory(&reason, "use fewer flows, or limit the queues; or run it with Python")
        };
        // Known before anything is built: a tab that has no more memory could not tell.
        if flows > most {
            return Err(too_large("the flows of this scenario need about", flows));
        }
        // It checks the scenario on its way.
        let simulation = Simulation::new(&scenario, seed, replication, Form::Fast)
            .map_err(|fault| crate::raise_in(fault, text, form))?;
        let needed = simulation.estimate().memory;
        if needed > most {
            return Err(too_large("the run needs at least", needed));
        }
        Ok(Run { scenario, simulation })
    }

    /// The simulated time in picoseconds.
    pub fn now_ps(&self) -> u64 {
        self.simulation.world().clock().0
    }

    /// The end of the run in picoseconds. With a stop by departures it may end earlier.
    pub fn end_ps(&self) -> u64 {
        (Time::ZERO + self.scenario.duration).0
    }

    /// The end of warm-up in picoseconds: the measures of the tables begin there.
    pub fn warm_up_ps(&self) -> u64 {
        (Time::ZERO + self.scenario.warm_up).0
    }

    /// Whether the run has reached its end.
    pub fn has_ended(&self) -> bool {
        self.simulation.has_ended()
    }

    /// The first instant after the present one with an event, not after the end, in picoseconds.
    pub fn next_event_ps(&self) -> u64 {
        self.simulation.next_event().0
    }

    /// Simulates to `until`, for about `pdus` PDUs at most, each counted at every node. Returns whether the run is there, or
    /// has ended before. All events of that instant have happened then.
    pub fn advance_to(&mut self, until: u64, pdus: f64) -> Result<bool, JsError> {
        self.simulation.set_slices_of(pdus as u64);
        let is_there = self.simulation.advance_to(Time(until)).map_err(error::raise)?;
        if held_bytes() > MOST_BYTES {
            let reason = format!("the simulations of this tab hold more than {} GiB of memory", MOST_BYTES >> 30);
            return Err(error::memory(&reason, "end one of them, limit the queues, or run the scenario with Python"));
        }
        Ok(is_there)
    }

    /// A copy, which goes on by itself with the same random numbers.
    pub fn fork(&self) -> Run {
        Run { scenario: self.scenario.clone(), simulation: self.simulation.clone() }
    }

    /// Changes parameters: JSON as of the key `change` of a scenario, `[{at, path, value}]`. If one is refused, nothing has
    /// changed.
    pub fn change(&mut self, changes: &str) -> Result<(), JsError> {
        let changes: Vec<Change> = serde_json::from_str(changes)
            .map_err(|fault| error::argument("change", "", &fault.to_string(), "give a list of {at, path, value}"))?;
        self.simulation.change(&changes).map_err(error::raise)
    }

    /// The changes of the scenario and those made since, as JSON of the key `change` of a scenario.
    pub fn changes(&self) -> String {
        text(&self.simulation.changes())
    }

    /// The scenario with all changes so far, as JSON. From the start it gives the same run.
    pub fn scenario(&self) -> String {
        document::to_json(&Scenario { change: self.simulation.changes().to_vec(), ..self.scenario.clone() })
    }

    /// Hash of all events so far, in 16 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        format!("{:016x}", self.simulation.world().fingerprint())
    }

    /// PDUs that nodes have read so far, counted at every node on their path.
    pub fn events(&self) -> u64 {
        self.simulation.world().handled()
    }

    /// About the bytes of memory that it holds.
    pub fn bytes(&self) -> f64 {
        self.simulation.bytes() as f64
    }

    /// The network for a drawing, as JSON; see [`network::of`].
    pub fn network(&self) -> Result<String, JsError> {
        let told = network::of(&self.simulation).map_err(error::raise)?;
        Ok(told.to_string())
    }

    /// What [`Run::readings`] reads, as JSON: `[{component, quantity, unit, most}]`. It may have more entries after a change.
    pub fn reading_kinds(&self) -> String {
        kinds(self.simulation.readings().into_iter().map(|(kind, _)| kind))
    }

    /// Every reading of a time series now, in the order of `reading_kinds`. Utilisation and throughput are means since the
    /// measures began.
    pub fn readings(&self) -> Vec<f64> {
        self.simulation.reading_values()
    }

    /// What [`Run::flow_levels`] shows of the flows of each group, as JSON: `{group: {name, unit, most} | null}`; null without
    /// control. `most` is the rate of the fastest line for a rate, and null if there is no largest value.
    pub fn flow_level_kind(&self) -> String {
        let groups = self.simulation.world().groups().iter().zip(self.simulation.allowance_kinds());
        let told = groups.map(|(group, kind)| {
            let own = kind.map(
                |kind| json!({ "name": kind.reading.name, "unit": kind.reading.unit.symbol(), "most": kind.most }),
            );
            (group.clone(), own.unwrap_or_default())
        });
        Value::Object(told.collect()).to_string()
    }

    /// For each flow what its source is allowed now, in the unit of its group: a factor, a rate in bits per second, a level, a
    /// window. NaN without control.
    pub fn flow_levels(&self) -> Vec<f64> {
        self.simulation.allowances().into_iter().map(|value| value.unwrap_or(f64::NAN)).collect()
    }

    /// What [`Run::counters`] counts, as JSON: `[{component, quantity, unit, most: null}]`. Groups first (`sent`, `delivered`,
    /// `lost`, `delivered_bits`; with a demand `offered_bits`, and `held_bits`, which wait now), then the ports of lines
    /// (`arrived`, `discarded`, `marked`, `notices`).
    pub fn counter_kinds(&self) -> String {
        kinds(self.simulation.counter_kinds())
    }

    /// Counts since the start of the run, in the order of `counter_kinds`.
    pub fn counters(&self) -> Vec<f64> {
        self.simulation.counters().into_iter().map(|count| count as f64).collect()
    }

    /// Where every PDU is.
    pub fn positions(&self) -> Positions {
        Positions::new(&self.simulation.world().positions())
    }

    /// Every parameter that may change, as JSON: `[{path, title, meaning, effect, kind, value, unit, least, most, step}]`.
    /// `kind` is `number`, `quantity`, `boolean` or `text`. The value of a quantity is a number in its `unit`, and a change
    /// gives it as `NUMBER UNIT`. The value of `text` is JSON, or null if there is none.
    pub fn levers(&self) -> String {
        Value::from_iter(self.simulation.levers().into_iter().map(lever)).to_string()
    }

    /// The tables of the report so far, as JSON: `{table: {column: [values]}}`.
    pub fn tables(&self) -> String {
        let report = self.simulation.report();
        let tables = report.tables().into_iter().map(|table| (table.name.to_owned(), columns(table)));
        Value::Object(tables.collect()).to_string()
    }
}

/// The size of this module's memory.
fn held_bytes() -> usize {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>() * PAGE;
    #[cfg(not(target_arch = "wasm32"))]
    return PAGE;
}

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn kinds(kinds: impl IntoIterator<Item = ReadingKind>) -> String {
    let told = kinds.into_iter().map(|kind| {
        json!({
            "component": kind.component,
            "quantity": kind.quantity,
            "unit": kind.unit.symbol(),
            "most": kind.unit.most(),
        })
    });
    Value::from_iter(told).to_string()
}

fn lever(lever: Lever) -> Value {
    let (kind, value, unit, range) = match lever.setting {
        Setting::Boolean(flag) => ("boolean", Value::from(flag), String::new(), None),
        Setting::Number(value, range) => ("number", Value::from(value), String::new(), Some(range)),
        Setting::Quantity(value, unit, range) => ("quantity", Value::from(value), unit, Some(range)),
        Setting::Text(value) => ("text", value, String::new(), None),
    };
    json!({
        "path": lever.path,
        "title": lever.title,
        "meaning": lever.meaning,
        "effect": lever.effect,
        "kind": kind,
        "value": value,
        "unit": unit,
        "least": range.map(|range| range.least),
        "most": range.map(|range| range.most),
        "step": range.map(|range| range.step),
    })
}

fn columns(table: Table<'_>) -> Value {
    let values = |values: Values<'_>| match values {
        Values::Texts(texts) => json!(texts),
        Values::Counts(counts) => json!(counts),
        Values::Numbers(numbers) => json!(numbers),
        Values::OptionalCounts(counts) => json!(counts),
        Values::OptionalNumbers(numbers) => json!(numbers),
    };
    let columns = table.columns.into_iter().map(|column| (column.name.to_owned(), values(column.values)));
    Value::Object(columns.collect::<Map<String, Value>>())
}
