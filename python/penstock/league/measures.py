"""The measures of a league: what each one is, and its value in one run.

A value that a run does not have is the reason for it, as text.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.analyse.demand import ENDS
from penstock.analyse.results import Results
from penstock.core.units import seconds
from penstock.league.league import DATA, Case
from penstock.league.readings import is_of_lines
from penstock.statistics import jain

if TYPE_CHECKING:
    import polars as pl

CELL, PAYLOAD = 53, 48
"""Octets of an ATM cell, and those that it carries."""
NEAR = 0.1
"""A flow is near its fair share if it is within this part of it."""
STREAK = 10
"""The readings in a row for which every flow must be near its share."""
NOTHING_SENT = "nothing was sent"
NOTHING_ARRIVED = "no PDU arrived"
NO_SHARES = "no greedy flows, so no fair shares"
UNSTEADY = "the shares change with the other traffic, or with the scenario"
NO_STEPS = "its groups have no distributions: set measure.distributions"
NO_SERIES = "there is no time series of every flow: set measure.sample and measure.sample_flows"
NO_GROUP = "there are no such flows"
NO_FILE = "no file began"
NO_FILES = "no traffic of files"
NO_MESSAGE = "no message was finished"
NO_MESSAGES = "no traffic of messages"
NO_WARM_UP = "the runs have no warm-up"
NOTHING_OFFERED = "nothing was offered"
NO_DEMAND = "its sources always have data to send"

EVERY_LENGTH = "all"
"""The class of the messages of all lengths."""
RECEIVED = "received"
"""The quantity of a time series that counts the PDUs that a flow's receiver has."""
TABLES = ("groups", "flows", "ports", "runs")
"""The tables of which a measure needs whole rows."""

Row = Mapping[str, Any]
Lists = dict[str, tuple[list[Any], list[Any]]]


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured.

    Attributes:
        key: its name in data files, with its unit.
        label: its name for readers.
        unit: ``bit/s``, ``s``, ``PDUs``, or empty for a pure number.
        definition: what it is, in a sentence or two.
        lower_is_better: whether a lower value is better.
        high: its greatest possible value; the least is 0.
        by_class: whether each class of traffic has its own.
        is_judged: whether a scheme can be better or worse by it. What is not judged has no best.
    """

    key: str
    label: str
    unit: str
    definition: str
    lower_is_better: bool = True
    high: float = math.inf
    by_class: bool = False
    is_judged: bool = True


OFFERED = Measure(
    "offered_bps",
    "offered load",
    "bit/s",
    "What the sources generated, headers included, whatever their scheme lets them send. It measures the demand, not "
    "of a scheme.",
    by_class=True,
    is_judged=False,
)
CARRIED = Measure(
    "load_bps",
    "sent load",
    "bit/s",
    "What they sent of it, and what had waited before.",
    by_class=True,
    is_judged=False,
)
UNSENT = Measure(
    "unsent_share",
    "held back",
    "",
    "The share of the data PDUs offered that were not sent: they wait at the source at the end, were not generated, or "
    "were lost at the source. Delay and jitter count from transmission: they do not have this wait.",
    high=1.0,
    by_class=True,
)
GOODPUT = Measure(
    "goodput_bps",
    "goodput",
    "bit/s",
    "Octets of users that arrived for the first time, per second. Of a cell these are 48 of its 53 octets; of a packet "
    "of a transport (a byte stream, as TCP's, or TP4) all without its headers; of another PDU all.",
    lower_is_better=False,
    by_class=True,
)
LOSS = Measure(
    "loss_ratio", "loss", "", "The share of the data PDUs sent that were discarded.", high=1.0, by_class=True
)
DELAY_MEDIAN = Measure(
    "delay_p50_s",
    "median delay",
    "s",
    "Half of the data PDUs took at most this from their generation to the receiver, waiting at the source included.",
    by_class=True,
)
DELAY = Measure("delay_p99_s", "99 % delay", "s", "99 % of the data PDUs took at most this.", by_class=True)
JITTER_MEDIAN = Measure(
    "jitter_p50_s",
    "median jitter",
    "s",
    "Half of the data PDUs took at most this longer in the network than the fastest PDU of their group of flows.",
    by_class=True,
)
JITTER = Measure("jitter_p99_s", "99 % jitter", "s", "The same for 99 % of the data PDUs.", by_class=True)
QUEUE = Measure("queue_max", "largest queue", "PDUs", "The longest queue at any line, after the warm-up.")
FAIRNESS = Measure(
    "fairness",
    "fairness",
    "",
    "Jain's index of the greedy flows' rates, each divided by its max-min fair share: 1 if all have the same part of "
    "their shares, 1/n if one of n has everything. Voice and video take their mean rates before the shares are "
    "computed.",
    lower_is_better=False,
    high=1.0,
)
FAIR_AFTER = Measure(
    "time_to_fair_s",
    "time to fair shares",
    "s",
    "The time from the start until every greedy flow is within 10 % of its max-min fair share, or within one PDU of "
    "it, for ten readings in a row. A reading is a round trip, or longer if a flow at its share sends fewer than ten "
    "PDUs in one. A scheme with a stated target, such as 90 % of the line, is measured against that part. A run that "
    "never gets there counts with its whole length.",
)
OVERHEAD = Measure(
    "overhead",
    "feedback overhead",
    "",
    "Control PDUs (notices, RM cells, acknowledgements) sent for each data PDU of the controlled flows.",
)
PEAK = Measure(
    "queue_max_start", "start-up peak", "PDUs", "The longest queue at any line, before the end of the warm-up."
)
UTILISATION = Measure(
    "utilisation",
    "utilisation",
    "",
    "The part of the busiest line's rate that was used, headers and control included.",
    lower_is_better=False,
    high=1.0,
)
FILE_TIME = Measure(
    "file_time_s",
    "time of a file",
    "s",
    "The mean time that a file takes; files that are not finished count with their part.",
)
MESSAGE_TIME = Measure(
    "fct_mean_s",
    "completion time",
    "s",
    "The mean time from the beginning of a message until all of it has arrived; of finished messages.",
    by_class=True,
)
SLOWDOWN = Measure(
    "slowdown_mean",
    "slowdown",
    "",
    "The mean completion time of a message divided by that of the same message alone on its path; of finished "
    "messages. A scheme that leaves many unfinished looks better than it is: see its goodput.",
    by_class=True,
)
MEASURES = (
    *(GOODPUT, LOSS, DELAY_MEDIAN, DELAY, JITTER_MEDIAN, JITTER, QUEUE, FAIRNESS, FAIR_AFTER, OVERHEAD, PEAK),
    *(UTILISATION, FILE_TIME, MESSAGE_TIME, SLOWDOWN, OFFERED, CARRIED, UNSENT),
)
"""All measures, in the order of the page."""


@dataclass(frozen=True, slots=True)
class Value:
    """A measure in one run: the value, or the reason why there is none.

    ``trials`` is the number of PDUs of a ratio of counts. ``reached`` is False for a time that counts with the length
    of the run, because the run ended before.
    """

    value: float = math.nan
    reason: str = ""
    trials: int = 0
    reached: bool = True


@dataclass(frozen=True, slots=True)
class RunTables:
    """The tables of one run, and its own figures.

    ``steps`` has the delays of each group, seconds, with the number of PDUs that had each in the network, and from
    generation on. ``received`` has the PDUs of each flow that had arrived at each of the ``times_s``. Runs that agree
    bit for bit have the same ``fingerprint``.
    """

    groups: Sequence[Row]
    flows: Sequence[Row]
    ports: Sequence[Row]
    steps: Mapping[str, Sequence[Sequence[float]]]
    measured_s: float
    end_s: float
    times_s: Sequence[float] = ()
    received: Mapping[str, Sequence[float]] = field(default_factory=dict)
    fingerprint: str = ""
    messages: Sequence[Row] = ()


Found = dict[tuple[str, str], Value]
"""The values of one run by the key of the measure and the class; an empty class for those of the network."""


def series_of(case: Case, results: Results, runs: Sequence[str]) -> pl.DataFrame:
    """The time series of stored runs of a case: of what its greedy flows received, and of its lines.

    They are most of a league, and so are read once.
    """
    import polars as pl

    is_received = (pl.col("quantity") == RECEIVED) & pl.col("component").is_in(list(case.shares))
    return results.rows("series", is_received | is_of_lines(case), runs)


def runs_of(results: Results, wanted: Sequence[str], series: pl.DataFrame) -> dict[str, RunTables]:
    """The tables of stored runs, by their names, with what their flows received by their time ``series``.

    Each table is read, and divided among the runs, at once: a league has thousands of runs.
    """
    import polars as pl

    groups, own_flows, ports, about = (_by_run(results.rows(name, runs=wanted)) for name in TABLES)
    messages = _by_run(results.rows("messages", runs=wanted))
    counted = results.rows("distributions", runs=wanted)
    steps = _lists(counted, "group", "delay_s", "count", "count_generation")
    rows = series.filter(pl.col("quantity") == RECEIVED) if series.width else series
    received = _lists(rows, "component", "time_s", "value")
    return {
        run: RunTables(
            groups[run],
            own_flows[run],
            ports[run],
            steps.get(run, {}),
            row["measured_s"],
            row["end_s"],
            # Every flow is read at the same times.
            next(iter(received.get(run, {"": ([], [])}).values()))[0],
            {name: values for name, (_, values) in received.get(run, {}).items()},
            row["fingerprint"],
            messages.get(run, ()),
        )
        for run, (row, *_) in about.items()
    }


def _by_run(table: pl.DataFrame) -> dict[str, list[Row]]:
    """The rows of each run."""
    found: dict[str, list[Row]] = {}
    for row in table.iter_rows(named=True):
        found.setdefault(row["run"], []).append(row)
    return found


def _lists(table: pl.DataFrame, name: str, *columns: str) -> dict[str, dict[str, list[list[Any]]]]:
    """Some columns of each run, by another column, in the order of the rows."""
    import polars as pl

    found: dict[str, dict[str, list[list[Any]]]] = {}
    if table.width:
        for run, of, *lists in table.group_by("run", name, maintain_order=True).agg(pl.col(*columns)).iter_rows():
            found.setdefault(run, {})[of] = lists
    return found


def values_of(run: RunTables, case: Case, tree: Row, lacking: Found, targets: Iterable[float] = ()) -> Found:
    """All measures of one run; ``tree`` is its expanded scenario, ``lacking`` that of :func:`lacking_in` its case.

    ``targets`` are those that the schemes with this same run state, by default that of the run's own scheme.
    """
    flows: Mapping[str, Any] = tree["flow"]
    found: Found = {}
    for name in dict.fromkeys(case.classes.values()):
        groups = {group for group, own in case.classes.items() if own == name}
        rows = [row for row in run.groups if row["group"] in groups]
        if not rows:
            found |= {(each.key, name): Value(reason=NO_GROUP) for each in MEASURES if each.by_class}
            continue
        found[GOODPUT.key, name] = Value(sum(goodput(row, flows[row["group"]], run.measured_s) for row in rows))
        sent, lost = (sum(row[key] for row in rows) for key in ("sent", "lost"))
        found[LOSS.key, name] = Value(lost / sent, trials=sent) if sent else Value(reason=NOTHING_SENT)
        delays = _delays(run, groups) if run.steps else _delays_of(run, rows)
        found |= {(key, name): value for key, value in (delays | _demand(rows) | _messages(run, groups)).items()}
    controlled = [row for row in run.flows if case.classes[row["group"]] == DATA or DATA not in case.classes.values()]
    sent, control = (sum(row[key] for row in controlled) for key in ("sent", "control_sent"))
    found[OVERHEAD.key, ""] = Value(control / sent) if sent else Value(reason=NOTHING_SENT)
    for measure in (QUEUE, PEAK, UTILISATION):
        found[measure.key, ""] = Value(float(max(port[measure.key] for port in run.ports)))
    rates = {row["flow"]: row["throughput_bps"] for row in run.flows}
    if case.shares:
        found[FAIRNESS.key, ""] = Value(jain(rates[flow] / share for flow, share in case.shares.items()))
    if case.steady:
        found[FAIR_AFTER.key, ""] = _fair_after(run, case, list(targets) or [target_of(tree)])
    times = [row["transfer_mean_all_s"] for row in run.groups if row["transfer_mean_all_s"] is not None]
    found[FILE_TIME.key, ""] = Value(math.fsum(times) / len(times)) if times else Value(reason=NO_FILE)
    return found | lacking


def lacking_in(case: Case) -> Found:
    """The measures that no run of a case can have, with the reasons."""
    return {(each.key, ""): Value(reason=told) for each in MEASURES if (told := lacks(case, each))}


def lacks(case: Case, measure: Measure) -> str:
    """Why no run of a case can have a measure; empty if runs can."""
    if measure == FAIRNESS and not case.shares:
        return NO_SHARES
    if measure == FAIR_AFTER and not case.steady:
        return UNSTEADY if case.shares else NO_SHARES
    if measure not in (PEAK, FILE_TIME):
        return ""
    trees = [scenario.expanded().tree for scenario in case.scenarios.values()]
    if measure == PEAK:
        return "" if any(seconds(tree["warm_up"]) for tree in trees) else NO_WARM_UP
    kinds = {kind for tree in trees for flow in tree["flow"].values() for kind in flow["traffic"]}
    return "" if "file_transfer" in kinds else NO_FILES


def goodput(row: Row, flow: Row, measured_s: float) -> float:
    """The bits of users of a group that arrived for the first time, per second."""
    if "transport" in flow:
        # Throughput is of data that arrived for the first time.
        (transport,) = flow["transport"].values()
        header = transport["header"] if "header" in transport else transport["octets"]["data_header"]
        return float(row["throughput_bps"] - 8 * row["accepted"] * header / measured_s)
    first = row["delivered"] if row.get("accepted") is None else row["accepted"]
    return float(8 * first * (PAYLOAD if flow["octets"] == CELL else flow["octets"]) / measured_s)


def target_of(scenario: Row) -> float:
    """The part of a line that the congestion points aim at, if all of them state the same; else 1."""
    sides = [side for line in scenario["line"].values() for side in (line, line.get("reverse") or {})]
    points = [point for side in sides for point in (side.get("congestion_point") or {}).values()]
    targets = {point.get("erica", point).get("target") for point in points}
    (target,) = targets if len(targets) == 1 else (None,)
    return float(target) if isinstance(target, (int, float)) else 1.0


def _delays(run: RunTables, groups: Iterable[str]) -> dict[str, Value]:
    """Median and 99 % of delay, from generation, and of jitter over groups of flows."""
    delays: list[float] = []
    jitters: list[float] = []
    in_network: list[int] = []
    from_generation: list[int] = []
    for group in groups:
        if group in run.steps:
            own, count, count_generation = run.steps[group]
            fastest = [row["delay_min_s"] for row in run.flows if row["group"] == group]
            least = min((one for one in fastest if one is not None), default=0.0)
            delays += own
            jitters += [max(0.0, delay - least) for delay in own]
            in_network += map(int, count)
            from_generation += map(int, count_generation)
    return {
        **_quantiles((DELAY_MEDIAN, DELAY), delays, from_generation),
        **_quantiles((JITTER_MEDIAN, JITTER), jitters, in_network),
    }


def _quantiles(at: tuple[Measure, Measure], values: Sequence[float], counts: Sequence[int]) -> dict[str, Value]:
    """Median and 99 % of values, each of which has a count."""
    import numpy as np

    order = np.argsort(np.asarray(values))
    sums = np.cumsum(np.asarray(counts, dtype=np.int64)[order])
    if not len(sums) or not sums[-1]:
        return {measure.key: Value(reason=NOTHING_ARRIVED) for measure in at}
    places = [int(np.searchsorted(sums, share * sums[-1])) for share in (0.5, 0.99)]
    return {measure.key: Value(values[int(order[place])]) for measure, place in zip(at, places, strict=True)}


def _delays_of(run: RunTables, rows: Sequence[Row]) -> dict[str, Value]:
    """The same of one group, without its distribution."""
    measures = (DELAY_MEDIAN, DELAY, JITTER_MEDIAN, JITTER)
    (row,) = rows if len(rows) == 1 else ({},)
    if not row:
        return {each.key: Value(reason=NO_STEPS) for each in measures}
    fastest = [one["delay_min_s"] for one in run.flows if one["group"] == row["group"]]
    least = min((delay for delay in fastest if delay is not None), default=None)
    if least is None or row["delay_p50_s"] is None:
        return {each.key: Value(reason=NOTHING_ARRIVED) for each in measures}
    jitters = (max(0.0, float(row[key]) - least) for key in ("delay_p50_s", "delay_p99_s"))
    delays = (float(row[key]) for key in ("delay_generation_p50_s", "delay_generation_p99_s"))
    return {each.key: Value(value) for each, value in zip(measures, (*delays, *jitters), strict=True)}


def _demand(rows: Sequence[Row]) -> dict[str, Value]:
    """What the sources of some groups offered, what they sent, and the share of the one that the other lacks."""
    found = {CARRIED.key: Value(math.fsum(row["load_bps"] for row in rows))}
    if any(row["offered_pdus"] is None for row in rows):
        return found | {each.key: Value(reason=NO_DEMAND) for each in (OFFERED, UNSENT)}
    offered = sum(row["offered_pdus"] for row in rows)
    unsent = sum(row[column] for row in rows for column in ENDS)
    share = Value(min(1.0, unsent / offered)) if offered else Value(reason=NOTHING_OFFERED)
    return {OFFERED.key: Value(math.fsum(row["offered_bps"] for row in rows)), **found, UNSENT.key: share}


def _messages(run: RunTables, groups: Collection[str]) -> dict[str, Value]:
    """Completion time and slowdown of the messages of some groups, each message once."""
    rows = [row for row in run.messages if row["group"] in groups and row["class"] == EVERY_LENGTH]
    finished = sum(row["finished"] for row in rows)
    if not finished:
        reason = NO_MESSAGE if rows else NO_MESSAGES
        return {each.key: Value(reason=reason) for each in (MESSAGE_TIME, SLOWDOWN)}
    return {
        each.key: Value(math.fsum(row["finished"] * row[each.key] for row in rows if row["finished"]) / finished)
        for each in (MESSAGE_TIME, SLOWDOWN)
    }


def _fair_after(run: RunTables, case: Case, targets: Sequence[float]) -> Value:
    """The time until the shares of any of the targets are reached.

    Schemes with different targets can have one and the same run, which must not be scored twice differently.
    """
    if not run.received.keys() >= case.shares.keys():
        return Value(reason=NO_SERIES)
    shares = {}
    for row in run.flows:
        if row["flow"] in case.shares:
            if not row["delivered_bits"]:  # PDUs without data, such as those of a handshake, may have arrived
                return Value(run.end_s, reached=False)
            pdu = row["delivered_bits"] / row["delivered"]
            shares[row["flow"]] = case.shares[row["flow"]] / pdu
    own = ({flow: target * share for flow, share in shares.items()} for target in targets)
    times = [time_to_fair(run.times_s, run.received, wanted) for wanted in own]
    reached = [time for time in times if time is not None]
    return Value(min(reached)) if reached else Value(run.end_s, reached=False)


def time_to_fair(
    times_s: Sequence[float], received: Mapping[str, Sequence[float]], shares: Mapping[str, float]
) -> float | None:
    """When every flow begins to be near its share for ten readings in a row; None if that never happens.

    ``received`` has the PDUs of each flow that had arrived at each time, from the start; ``shares`` are in PDUs per
    second.
    """
    streak = 0
    starts = [0.0, *times_s[:-1]]
    for place, (start, end) in enumerate(zip(starts, times_s, strict=True)):
        is_near = True
        for flow, share in shares.items():
            wanted = share * (end - start)
            got = received[flow][place] - (received[flow][place - 1] if place else 0.0)
            is_near = is_near and abs(got - wanted) <= max(NEAR * wanted, 1.0)
        streak = streak + 1 if is_near else 0
        if streak == STREAK:
            return starts[place - STREAK + 1]
    return None
