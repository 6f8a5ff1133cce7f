"""The figures of the study of heirs: one for each question."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from penstock.plot import Curve, Panel, Sheet, Trace
from penstock.studies.abr.grid import LINES
from penstock.studies.becn.measures import LINK_BPS
from penstock.studies.drawing import Quantity, against, captioned, curve, panel_of, scaled
from penstock.studies.heirs.grid import (
    CHAINS,
    DELAYS,
    EQUILIBRIUM,
    FAMILIES,
    FEEDBACK_US,
    LAN,
    LOADS_MBPS,
    MANY,
    MARKED,
    NAMES,
    NUMBERS,
    OTHER_EQUILIBRIUM,
    PLACES,
    QUESTIONS,
    RESTING,
    SATELLITE,
    SOURCES,
    WATCHED,
    Point,
    chain,
    chain_points,
    lan,
    lan_points,
    load,
    marks,
    qcn,
    row_points,
    satellite,
    satellite_points,
    step,
)
from penstock.studies.heirs.measures import PORTS, Runs, pdu_bits
from penstock.truth import dcqcn, hpcc, rcp

PER_CENT = 100.0
MS = 1e3
QUEUE = Quantity("queue_s", "mean queue (ms)", MS, log_y=True)
START = Quantity("start_s", "longest queue (ms)", MS, log_y=True)
DATA = Quantity("throughput", "data (% of line)", PER_CENT, 105.0)
FAIRNESS = Quantity("fairness", "Jain's index", top=1.05)
DRAWN = "Means over seeds with 95 % intervals."
AS_TIME = "Queues are told as the time in which the line sends them."
SEVEN = "BECN, EFCI and ERICA, each beside its heirs. HPCC sends segments of 1,460 octets, all others cells."
ONE_RUN = "One run of each, with seed 1; means of five readings, of which there are a thousand."
RATES_BPS = {LAN: LINK_BPS, SATELLITE: LINES[155]}
HUES = {scheme: hue for hue, scheme in enumerate(NAMES)}
"""The place of each scheme in the palette."""
TOGETHER = 5
"""Readings that are drawn as their mean."""
LEAST_MS = 1e-3
"""Shorter queues are drawn as this one, on an axis of powers of ten."""


# ------------------------------------------------------------------------------------------------------ against time
def over_time(runs: Runs, point: Point) -> tuple[Trace, Trace]:
    """The queue in ms, and the use of the line in per cent, of the run of a point that is drawn."""
    kept, port = runs.of_kind(WATCHED), PORTS.get(point.network, point.network)
    unit = MS if point.network == LAN else 1.0
    drain = MS * pdu_bits(point) / RATES_BPS[point.network]
    at, queue = map(means, kept.first_trace(point, port, "queue_0"))
    times, used = map(means, kept.first_trace(point, port, "utilisation"))
    name, hue = NAMES[point.scheme], HUES[point.scheme]
    return (
        Trace(name, [unit * each for each in at], [max(LEAST_MS, drain * each) for each in queue], hue),
        Trace(name, [unit * each for each in times], [PER_CENT * each for each in used], hue),
    )


def means(values: Sequence[float]) -> list[float]:
    """The mean of every few neighbours."""
    parts = [values[at : at + TOGETHER] for at in range(0, len(values), TOGETHER)]
    return [math.fsum(part) / len(part) for part in parts]


def families() -> Iterator[tuple[str, ...]]:
    """Each older scheme with its heirs."""
    return ((older, *heirs) for older, heirs in FAMILIES.items())


def told(schemes: Sequence[str]) -> str:
    """Schemes for a title."""
    return ", ".join(NAMES[scheme] for scheme in schemes)


def lan_in_time(runs: Runs) -> Sheet:
    """Queue and use of the LAN against time, a row for each family."""
    panels = []
    for own in families():
        queues, uses = zip(*(over_time(runs, lan(scheme)) for scheme in own), strict=True)
        panels += [
            Panel("time (ms)", "queue (ms)", traces=queues, title=told(own), log_y=True, marked=True, bottom=None),
            Panel("time (ms)", "use of the line (%)", traces=uses, title=told(own), top=105.0, marked=True),
        ]
    said = "20 sources begin within 2 ms at what their scheme allows; access lines of 10 cell times."
    return sheet("1", panels, " ".join((SEVEN, said, AS_TIME, ONE_RUN)))


def satellite_in_time(runs: Runs) -> Sheet:
    """The queue at the satellite against time, a row for each family and a column for each place."""
    panels = []
    for own in families():
        for place in PLACES:
            found = [over_time(runs, satellite(scheme, NUMBERS[-1], place))[0] for scheme in own]
            title = f"{told(own)}: {place} the satellite"
            panels.append(
                Panel("time (s)", "queue (ms)", traces=found, title=title, log_y=True, marked=True, bottom=None)
            )
    said = (
        "10 sources. Left the full port is beside the sources, right behind the satellite: the round trip is the same, "
        "but a notice backward takes 5 us or 275 ms."
    )
    return sheet("3", panels, " ".join((SEVEN, said, AS_TIME, ONE_RUN)))


# ------------------------------------------------------------------------------------------------------- the networks
def lan_sheet(runs: Runs) -> Sheet:
    """The LAN against the number of sources and against the delay: a column for each family."""
    panels: list[Panel] = []
    for label, places in (
        ("number of sources", {scheme: {n: lan(scheme, n) for n in SOURCES} for scheme in NAMES}),
        ("delay (cell times)", {scheme: {d: lan(scheme, delay=d) for d in DELAYS} for scheme in NAMES}),
    ):
        for quantity in (QUEUE, DATA, FAIRNESS):
            for own in families():
                groups = {NAMES[scheme]: places[scheme] for scheme in own}
                names = list(NAMES.values())
                panels += against(runs, groups, label, [quantity], title=told(own), names=names, log_x=True)
    return sheet("2", panels, captioned(runs, lan_points(), SEVEN, AS_TIME, DRAWN), columns=3)


def bars(runs: Runs, quantity: Quantity, groups: Mapping[str, Mapping[str, Point]], title: str) -> Panel:
    """A quantity by names, one curve for each group."""
    curves = [
        Curve(label, {name: scaled(runs, quantity, point) for name, point in places.items()}, hue)
        for hue, (label, places) in enumerate(groups.items())
    ]
    return panel_of(quantity, curves, title=title)


def satellite_sheet(runs: Runs) -> Sheet:
    """All schemes before and behind the satellite, with few sources and with many."""
    panels = [
        bars(
            runs,
            quantity,
            {
                text: {NAMES[scheme]: satellite(scheme, number, place) for scheme in NAMES}
                for place, text in PLACES.items()
            },
            f"{number} sources",
        )
        for quantity in (DATA, START, FAIRNESS)
        for number in NUMBERS
    ]
    said = "The longest queue is that from the start on."
    return sheet("4", panels, captioned(runs, satellite_points(), said, AS_TIME, DRAWN))


def chain_sheet(runs: Runs) -> Sheet:
    """The long flow of the chains under every scheme."""
    quantity = Quantity("long_mbps", "rate of the long flow (Mb/s)")
    panel = bars(
        runs,
        quantity,
        {f"over {trunks} lines": {NAMES[scheme]: chain(scheme, trunks) for scheme in NAMES} for trunks in CHAINS},
        "",
    )
    panels = [replace(panel, level=25.0, level_label="max-min")]
    said = (
        "Lines of 50 Mb/s in a row, each with one flow of its own, and one flow over all of them. Marks and notices of "
        "several lines add up; a rate is the least of all lines, and a load the highest."
    )
    return sheet("6", panels, captioned(runs, chain_points(), said, DRAWN), columns=1)


# ---------------------------------------------------------------------------------------------------------- the rows
def rows_sheet(runs: Runs) -> Sheet:
    """What the heirs do beside what theory says."""
    points = [point for point, _ in row_points() if isinstance(point, Point)]
    panels = [qcn_panel(runs), dcqcn_panel(runs), *late_panels(runs), rcp_panel(runs), hpcc_panel(runs)]
    said = "Dashed: theory, on its own line: QCN at 10 Gb/s, DCQCN at 40, RCP at 100 Mb/s and HPCC at 1 Gb/s."
    return sheet("5", panels, captioned(runs, points, said, DRAWN))


MEASURED, THEORY = "measured", "theory"


def beside_theory(
    quantity: Quantity, measured: Sequence[Curve], theory: Mapping[float, float], x_label: str, title: str
) -> Panel:
    """Curves of a quantity, and the one that theory expects, on an axis that begins at the floor of the quantity."""
    expected = Curve(THEORY, {x: {0: value} for x, value in theory.items()}, 1, exact=True)
    panel = panel_of(quantity, [*measured, expected], x_label, title=title)
    return replace(panel, bottom=quantity.floor or 0.0)


def qcn_panel(runs: Runs) -> Panel:
    """QCN's queue with its own equilibrium, and with another."""
    curves = [
        curve(
            runs, "queue_kb", {float(each): qcn(EQUILIBRIUM, each, setting) for each in (2, 10)}, label=label, hue=hue
        )
        for hue, (label, setting) in enumerate(((MEASURED, ""), (OTHER_EQUILIBRIUM, OTHER_EQUILIBRIUM)))
    ]
    quantity = Quantity("queue_kb", "mean queue (kB)", top=60.0)
    return beside_theory(quantity, [curves[0], replace(curves[1], hue=2)], {2.0: 26.0, 10.0: 26.0}, "sources", "QCN")


def dcqcn_panel(runs: Runs) -> Panel:
    """DCQCN's queue beside the fluid's."""
    places = {float(sources): marks(sources) for sources in (*MARKED, MANY)}
    fluid = {
        float(sources): dcqcn.fixed_point(sources, 40e9 / 8000, dcqcn.Source()).queue(5, 200, 0.01)
        for sources in range(2, MANY + 1)
    }
    measured = curve(runs, "queue_kb", places, label=MEASURED, hue=0)
    return beside_theory(Quantity("queue_kb", "mean queue (kB)"), [measured], fluid, "sources", "DCQCN")


def late_panels(runs: Runs) -> Iterator[Panel]:
    """DCQCN with feedback that is soon there, and with late feedback."""
    for quantity in (
        Quantity("utilisation", "use of the line (%)", PER_CENT, 102.0, floor=85.0),
        Quantity("swing_kb", "swing of the queue (kB)"),
    ):
        groups = {MEASURED: {f"{feedback} us": marks(MANY, feedback) for feedback in FEEDBACK_US}}
        yield bars(runs, quantity, groups, "DCQCN, 10 sources, by its round trip")


def rcp_panel(runs: Runs) -> Panel:
    """The rate of a port of RCP after one period, by its load."""
    measured = curve(runs, "port_mbps", {float(each): step(each) for each in LOADS_MBPS}, label=MEASURED, hue=0)
    law = {float(each): rcp.step(10, 100, each, 0, round_trip=0.1, period=0.01) for each in range(70, 131, 10)}
    quantity = Quantity("port_mbps", "rate after a period (Mb/s)", floor=9.85)
    return beside_theory(quantity, [measured], law, "load (%)", "RCP")


def hpcc_panel(runs: Runs) -> Panel:
    """The load at which sources of HPCC rest."""
    places = {float(each): load(each) for each in RESTING}
    measured = curve(runs, "utilisation", places, scale=PER_CENT, label=MEASURED, hue=0)
    rest = {float(each): PER_CENT * hpcc.fixed_point(each, 0.0005) for each in range(1, max(RESTING) + 1)}
    return beside_theory(
        Quantity("utilisation", "use of the line (%)", floor=94.9), [measured], rest, "sources", "HPCC"
    )


def sheet(question: str, panels: Sequence[Panel], caption: str, columns: int = 2) -> Sheet:
    """The figure of a question."""
    title = f"Question {question}: {QUESTIONS[question]}"
    return Sheet(f"figure-{question}", title, caption, panels, columns=columns, panel_height=2.4)


PAPER: Mapping[str, Sequence[Callable[[Runs], Sheet]]] = {
    "1": [lan_in_time],
    "2": [lan_sheet],
    "3": [satellite_in_time],
    "4": [satellite_sheet],
    "5": [rows_sheet],
    "6": [chain_sheet],
}
