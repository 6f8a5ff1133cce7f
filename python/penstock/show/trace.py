"""One run against time: figures of its readings, and its page.

`penstock run --trace` draws them. The whole run shows drift and start-up, the close-up the oscillation, or what a
change does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from penstock.core.errors import InputError
from penstock.core.scenario import are_ready
from penstock.core.units import seconds
from penstock.league.league import round_trip
from penstock.plot import Sheet, shared_traces
from penstock.show.feedback import warnings as feedback_warnings
from penstock.show.open_loop import open_loop
from penstock.show.readings import Readings
from penstock.show.report import Cell, Figure, Report, Section, Table
from penstock.show.theory import theory_table
from penstock.show.trace_changes import MOST_CLOSE_UPS, around, instants_of
from penstock.show.trace_changes import caption_of as changes_caption
from penstock.show.trace_panels import MOST_PORTS, MOST_SOURCES, panels_of, pdus, states_drawn

if TYPE_CHECKING:
    import polars as pl

    from penstock.api.run import Result
    from penstock.core.scenario import Scenario

READINGS = 20_000
"""Readings of a run whose scenario has no interval: ten for each column of a figure 2,000 points wide."""
MOST_READ = 400_000
"""The most readings of all flows together, if the scenario sets nothing: more flows are read less often."""
MOST_VALUES = 5_000_000
"""The most values of all readings together, if the scenario sets nothing, half of what a run may have: many lines are
read less often."""
MOST_FLOWS = 200
"""The most flows that are all read, if the scenario sets nothing."""
CLOSE_UP = 200
"""The fewest readings in a close-up: of a change, or of the end of a run of ten times as many or more."""
CLOSE_UP_TRANSPORT = 1_000
"""The same with transport connections: a window takes many round trips to oscillate."""
CLASSES = {
    "group": "group",
    "flows": "flows",
    "sent": "sent",
    "lost": "lost",
    "loss_ratio": "loss ratio",
    "throughput_bps": "throughput (b/s)",
    "delay_mean_s": "mean delay (s)",
    "delay_p99_s": "99 % delay (s)",
}
PORTS = {
    "port": "port",
    "rate_bps": "rate (b/s)",
    "utilisation": "utilisation",
    "queue_mean": "mean queue",
    "queue_max": "longest queue",
    "queue_max_start": "longest in the warm-up",
    "discarded": "discarded",
}
"""The columns of the tables of a page, and their headings."""


def sampled(scenario: Scenario, end_s: float) -> tuple[Scenario, str]:
    """The scenario with readings at an interval that suits a run of `end_s`, and that interval."""
    groups = scenario.expanded().tree["flow"].values()
    flows = sum(flow["count"] * len(flow.get("from", [1])) * len(flow.get("to", [1])) for flow in groups)
    is_read = flows <= MOST_FLOWS
    cell_time = scenario.tree.get("cell_time")
    readings = min(
        READINGS, MOST_READ // max(1, flows if is_read else len(groups)), MOST_VALUES // _values(scenario, is_read)
    )
    interval_s = end_s / max(1, readings)
    if cell_time is not None:
        interval = f"{max(1, round(interval_s / seconds(cell_time)))} cell times"
    else:
        interval = f"{max(1, round(interval_s * 1e9))} ns"
    changes: dict[str, object] = {"measure.sample": interval}
    if is_read:
        changes["measure.sample_flows"] = True
    read = scenario.with_(changes)
    return read, interval if cell_time is not None else read.tree["measure"]["sample"]


def _values(scenario: Scenario, each_flow: bool) -> int:
    """The values of one reading of a run, at least 1; those of single flows count only with `each_flow`."""
    from penstock.api.simulation import Simulation

    simulation = Simulation(scenario)
    flows = set() if each_flow else set(simulation.flows()["flow"])
    return max(1, sum(component not in flows for component, _, _ in simulation.values()))


def sheets(scenario: Scenario, result: Result) -> list[Sheet]:
    """The whole run, and a close-up if there are enough readings. Raises :class:`InputError` without readings."""
    readings = Readings.of(result)
    if not readings.length():
        raise InputError("the run ended before its first reading", path="measure.sample", remedy="read more often")
    told = caption(scenario, result, readings)
    instants = instants_of(scenario, readings.span()[1])
    marks = [each.at_s for each in instants]
    made = []

    def add(name: str, what: str, part: Readings, text: str) -> None:
        if panels := panels_of(scenario, part):
            title = f"{title_of(scenario)}, {what}"
            made.append(shared_traces(name, title, panels, caption=text, instants=marks))

    add("trace", "the whole run", readings, f"{changes_caption(instants)} {told}".strip())
    has_transport = any(quantity == "credit" for _, quantity in readings.values)
    count = CLOSE_UP_TRANSPORT if has_transport else CLOSE_UP
    if readings.length() < 10 * count:
        return made
    round_trip_s = round_trip(scenario) if instants else 0.0
    for number, each in enumerate(instants[:MOST_CLOSE_UPS], 1):
        name = "trace-change" if len(instants) == 1 else f"trace-change-{number}"
        add(name, f"the change at {each.at}: {each.text}", around(readings, each, round_trip_s, count), told)
    if not instants:
        add("trace-close-up", "close-up", readings.last(count), f"The last {count:,} readings. {told}")
    return made


def title_of(scenario: Scenario) -> str:
    """The title of a run: that of a file with a sweep is about all its points, so then the name."""
    return scenario.title if scenario.title and "sweep" not in scenario.tree else scenario.name


def caption(scenario: Scenario, result: Result, readings: Readings) -> str:
    """What is drawn, and what was left out."""
    parts = [f"Seed {result.manifest['seed']}."]
    ports = [each for each in readings.lines if readings.longest(each)]
    if ports and max(map(readings.longest, ports)) <= 1:
        parts.append(f"No queue held two {pdus(scenario)} when it was read.")
    elif len(ports) > MOST_PORTS:
        parts.append("The longest queues.")
    if readings.scheme is not None:
        parts.append(f"The readings of the scheme are those at {readings.scheme}.")
    sources = max((len(readings.flows(state)) for state in states_drawn(readings)), default=0)
    if sources > MOST_SOURCES:
        parts.append(f"The {MOST_SOURCES} sources of {sources} that received most.")
    return " ".join(parts)


def page_of(scenario: Scenario, result: Result, made: list[Sheet], command: str) -> Report:
    """The page of a run: its figures against time, and its results."""
    groups = result.groups.filter(replication=0)
    ports = result.ports.filter(replication=0)
    tables = [
        table_of("Traffic classes", groups, CLASSES),
        table_of("Ports that sent", ports.filter(ports["departed"] > 0), PORTS),
    ]
    if covered := theory_table(result):
        tables.append(covered)
    return Report(
        title=title_of(scenario),
        headline=headline(scenario, result),
        summary="One run against time: the first replication.",
        sections=[Section("Figures", figures=[Figure(sheet) for sheet in made]), Section("Results", tables=tables)],
        warnings=[*feedback_warnings(scenario.meetings(), is_ready=are_ready(scenario.words())), *open_loop(scenario)],
        lead=made[0].name if made else None,
        parameters={scenario.name: scenario.to_toml()},
        versions={name: str(result.manifest[name]) for name in ("penstock", "engine") if name in result.manifest},
        command=command,
    )


def table_of(title: str, rows: pl.DataFrame, columns: Mapping[str, str]) -> Table:
    """Columns of a table of results under their headings; whole numbers as such."""
    cells = [[whole(cell) for cell in row] for row in rows.select(*columns).rows()]
    return Table(title, list(columns.values()), cells)


def whole(cell: Cell) -> Cell:
    """A float without a fraction as a whole number."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def headline(scenario: Scenario, result: Result) -> str:
    """One sentence: the use and the queue of the busiest line, and the loss."""
    ports = result.ports.filter(replication=0).to_dicts()
    lines = [port for port in ports if not port["port"].startswith("access/")]
    busiest = max(lines or ports, key=lambda port: port["utilisation"] or 0.0)
    groups = result.groups.filter(replication=0)
    unit = pdus(scenario)
    start = f" after the warm-up ({busiest['queue_max_start']:,} in it)" if busiest["queue_max_start"] else ""
    return (
        f"The busiest line, {busiest['port']}, is used {100 * (busiest['utilisation'] or 0.0):.3g} %, its queue holds "
        f"at most {busiest['queue_max']:,} {unit}{start}, and {groups['lost'].sum():,} of {groups['sent'].sum():,} "
        f"{unit} of all flows are lost."
    )
