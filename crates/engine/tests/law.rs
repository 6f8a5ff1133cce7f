//! Every scheme by name, with PDUs of 53, 256 and 1,500 octets of 3, 20 and 60 flows over one line, for greedy sources and
//! for Poisson sources that offer 1.7 times what the line carries. The queue holds one round trip. The figures are a table
//! in the documentation (`docs/defaults.md`), which the long tests compare.

use crate::judge::spread;
use penstock_engine::core::time::Span;
use penstock_engine::run::{Form, Run};
use penstock_engine::scenario::assembly;
use penstock_engine::scenario::document::parse;
use penstock_engine::scenario::schemes::SCHEMES;

const OCTETS: [u32; 3] = [53, 256, 1500];
const FLOWS: [u32; 3] = [3, 20, 60];
/// Rate of the line in Mb/s, its delay in ms, and one round trip of its bits.
const RATE: f64 = 50.0;
const DELAY: u32 = 40;
const ROUND_TRIP: u32 = 4_000_000;
/// Load of the Poisson sources.
const LOAD: f64 = 1.7;
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/defaults.md");

/// What follows this line in the page is written by the test.
const MARK: &str = "<!-- made by the test -->";

/// Sources that want all of the line, by name.
const TRAFFIC: [&str; 2] = ["greedy", "Poisson"];

#[derive(Clone, Copy)]
struct Cell {
    scheme: &'static str,
    traffic: &'static str,
    octets: u32,
    flows: u32,
}

impl Cell {
    fn text(self, duration: &str, warm_up: &str) -> String {
        let Cell { scheme, octets, flows, .. } = self;
        let rate = (1e6 * RATE * LOAD / f64::from(flows)).round();
        let traffic = match self.traffic {
            "greedy" => "greedy = {}".to_owned(),
            _ => format!("poisson = {{ rate = '{rate} b/s' }}"),
        };
        format!(
            "duration = '{duration}'\nwarm_up = '{warm_up}'\nscheme = '{scheme}'\n\
             [network.dumbbell]\npairs = {flows}\nrate = '{RATE} Mb/s'\ndelay = '{DELAY} ms'\n\
             [defaults.line]\nqueues = [{{ drop_tail_bits = {{ size = '{ROUND_TRIP} bits' }} }}]\n\
             [defaults.flow]\noctets = {octets}\ntraffic.{traffic}\n"
        )
    }
}

/// What came of one cell of the law.
#[derive(Debug)]
struct Outcome {
    /// Of what was sent after the warm-up, the share that was lost.
    lost: f64,
    /// The largest distance of a flow's rate from the mean, relative to it.
    apart: f64,
    /// Use of the line.
    used: f64,
    warnings: Vec<String>,
}

fn run(cell: &Cell, duration: &str, warm_up: &str) -> Result<Outcome, String> {
    let scenario = parse(&cell.text(duration, warm_up)).map_err(|error| error.to_string())?;
    let warnings = assembly::meetings(&scenario).map_err(|error| error.to_string())?.warnings;
    let mut run = Run::new(&scenario, 7, 0, Form::Fast).map_err(|error| error.to_string())?;
    while !run.advance(Span::from_seconds(1.0)).map_err(|error| error.to_string())? {}
    let report = run.report();
    let rates: Vec<f64> = report.flows.iter().map(|row| row.throughput_bps).collect();
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let group = &report.groups[0];
    let port = report.ports.iter().find(|port| port.port == "trunk").ok_or("no trunk")?;
    Ok(Outcome {
        lost: group.lost as f64 / (group.sent.max(1)) as f64,
        apart: rates.iter().map(|rate| (rate / mean - 1.0).abs()).fold(0.0, f64::max),
        used: port.utilisation,
        warnings: warnings.iter().map(|fault| format!("{fault:?}")).collect(),
    })
}

fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for traffic in TRAFFIC {
        for scheme in SCHEMES {
            for octets in OCTETS {
                cells.extend(FLOWS.map(|flows| Cell { scheme: scheme.keyword, traffic, octets, flows }));
            }
        }
    }
    cells
}

/// Loss in per cent, use of the line, and the distance of the rates from their mean, in per cent.
fn shown(outcome: &Result<Outcome, String>) -> String {
    match outcome {
        Ok(Outcome { lost, apart, used, .. }) => {
            format!("{:.1} / {:.0} / {:.0}", 100.0 * lost, 100.0 * used, 100.0 * apart)
        }
        Err(_) => "refused".to_owned(),
    }
}

fn table(cells: &[Cell], outcomes: &[Result<Outcome, String>]) -> String {
    let columns = OCTETS.len() * FLOWS.len();
    let mut text = String::new();
    for (traffic, (cells, outcomes)) in
        TRAFFIC.iter().zip(cells.chunks(columns * SCHEMES.len()).zip(outcomes.chunks(columns * SCHEMES.len())))
    {
        let heads: Vec<String> =
            cells[..columns].iter().map(|cell| format!("{} x {}", cell.flows, cell.octets)).collect();
        text += &format!(
            "\n## With {traffic} sources\n\n| scheme | {} |\n|---|{}\n",
            heads.join(" | "),
            "---|".repeat(columns)
        );
        for (row, outcomes) in cells.chunks(columns).zip(outcomes.chunks(columns)) {
            let figures: Vec<String> = outcomes.iter().map(shown).collect();
            text += &format!("| `{}` | {} |\n", row[0].scheme, figures.join(" | "));
        }
    }
    text
}

/// Schemes that hold in every cell: no loss, and rates that are at most 2.5 % from their mean.
const HOLD: [&str; 5] = ["eprca_plus_plus", "erica", "capc", "phantom", "charny"];

fn assert_holds(cell: &Cell, outcome: &Outcome) {
    let what = format!("{} with {} flows of {} octets, {}", cell.scheme, cell.flows, cell.octets, cell.traffic);
    assert_eq!(outcome.warnings, [""; 0], "{what}");
    assert!(outcome.lost == 0.0, "{what}: {} lost", outcome.lost);
    assert!(outcome.apart <= 0.025, "{what}: {} apart", outcome.apart);
}

/// The long packets of many flows: with intervals of cells, ports overlooked most of them.
#[test]
fn schemes_hold_with_long_packets_of_many_flows() {
    for scheme in HOLD {
        let cell = Cell { scheme, traffic: "greedy", octets: 1500, flows: 60 };
        assert_holds(&cell, &run(&cell, "5 s", "3 s").unwrap());
    }
}

/// EPRCA's switches hear of a flow once in `nrm` PDUs: where that is too rare, a warning says which number would do.
#[test]
fn rm_cells_that_come_too_rarely_are_warned_of_and_the_number_that_is_named_does() {
    let told = |text: &str| assembly::meetings(&parse(text).unwrap()).unwrap().warnings;
    for (octets, flows, most) in
        [(53, 60, 32), (256, 20, 32), (1500, 3, 32), (256, 60, 16), (1500, 20, 8), (1500, 60, 2)]
    {
        for scheme in ["eprca_bes", "eprca_eds"] {
            let text = Cell { scheme, traffic: "greedy", octets, flows }.text("5 s", "3 s");
            let warnings = told(&text);
            assert_eq!(warnings.len(), usize::from(most < 32), "{text}: {warnings:?}");
            for warning in warnings {
                assert_eq!(warning.path, format!("scheme.{scheme}.reaction_point.eprca.nrm"));
                assert!(warning.remedy.contains(&format!("at most {most},")), "{warning:?}");
                let heeded = text.replace(
                    &format!("scheme = '{scheme}'"),
                    &format!("scheme.{scheme}.reaction_point.eprca.nrm = {most}"),
                );
                assert_eq!(told(&heeded), []);
            }
        }
    }
}

/// Runs the whole law and compares the table: with `PENSTOCK_WRITE_TABLES=1` it writes it.
#[test]
#[ignore = "long: run by `make test-long`"]
fn the_table_in_the_documentation_is_what_the_schemes_do() {
    let cells = cells();
    let outcomes = spread::map(&cells, |cell| run(cell, "10 s", "5 s"), |_| ());
    for (cell, outcome) in cells.iter().zip(&outcomes) {
        if HOLD.contains(&cell.scheme) {
            assert_holds(cell, outcome.as_ref().unwrap());
        }
    }
    let page = std::fs::read_to_string(TABLE).unwrap();
    let (prose, _) = page.split_once(MARK).unwrap();
    let made = format!("{prose}{MARK}\n{}", table(&cells, &outcomes));
    if std::env::var_os("PENSTOCK_WRITE_TABLES").is_some() {
        std::fs::write(TABLE, &made).unwrap();
    }
    assert!(page == made, "docs/defaults.md has other figures: write it with PENSTOCK_WRITE_TABLES=1");
}
