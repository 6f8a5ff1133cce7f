"""The engine's ATN models against a second simulator: every column of the paper's tables, over independent seeds.

Each cell, a column of one strategy in one scenario, is compared by Welch's test. Its limit is such that a correct pair
would exceed it in any of the cells with a probability of at most 1 % (Bonferroni). Seeds are fixed, so a test fails
always or never. Wrong interpretations, on either side, must exceed the same limit. Rows with a mechanism that the paper
only names have it on both sides.
"""

import ast
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean, variance

import polars as pl
import pytest
from _pytest.mark import ParameterSet
from atn_reference import (
    SCENARIOS,
    STRATEGIES,
    DownSimulation,
    DuplexSimulation,
    NewestSimulation,
    PrioritySimulation,
    RealSimulation,
    SegmentingSimulation,
    SelectiveSimulation,
    Simulation,
    WaitingSimulation,
)
from atn_reference.more import SelectiveSender
from atn_reference.network import Npdu, PriorityOutput
from atn_reference.receiver import Whole
from atn_reference.sender import Outstanding, Sender

import penstock
from penstock.statistics import student_quantile
from penstock.studies.atn.grid import Point
from penstock.studies.atn.measures import measure
from penstock.studies.runs import RunTables

COLUMNS = (
    "delay_mean_s",
    "accepted_per_s",
    "power",
    "discard_share",
    "success_once",
    "success_all",
    "queue_mean_bits",
    "waiting_mean_bits",
    "delay_tsdu_mean_s",
    "error_report_share",
)
ROWS = [Point(strategy, scenario) for scenario in SCENARIOS for strategy in STRATEGIES]
PRIORITIES: Mapping[str, object] = {
    "line.*.queues": [{"npdu_priority": {"size": "262144 bits"}}],
    "flow.data.transport.tp4.priority": {"uniform": {}},
}
"""The engine's parameters for what a :class:`PrioritySimulation` does."""
BACK_COLUMNS = ("delay_mean_s", "accepted_per_s", "success_all")
"""Columns of the data of the called sides, where they have some."""


def duplex(row: Point) -> Mapping[str, object]:
    """The engine's parameters for what a :class:`DuplexSimulation` does: a packet of 1600 octets in 5 s."""
    scenario = SCENARIOS[row.scenario]
    back = {
        "from": list(scenario.receivers),
        "to": list(scenario.senders),
        "peer": "data",
        "octets": 1600,
        "traffic": {"poisson": {"rate": "2560 b/s"}},
        "transport": {"tp4": dict(row.transport)},
    }
    return {"flow.data.peer": "back", "flow.back": back}


AVOIDANCE = "flow.data.transport.tp4.credit.congestion_avoidance"
MECHANISMS: Mapping[str, tuple[type[Simulation], Callable[[Point], Mapping[str, object]]]] = {
    "priorities": (PrioritySimulation, lambda _: PRIORITIES),
    "duplex": (DuplexSimulation, duplex),
    "segments": (SegmentingSimulation, lambda _: {"flow.data.transport.tp4.tpdu_size": 1024}),
    "real": (RealSimulation, lambda _: {f"{AVOIDANCE}.rounding": "none"}),
    "down": (DownSimulation, lambda _: {f"{AVOIDANCE}.rounding": "down"}),
    "newest": (NewestSimulation, lambda _: {"flow.data.transport.tp4.retransmission.sampled": "newest"}),
    "waiting": (WaitingSimulation, lambda _: {"line.*.congestion_point.clnp.counts_transmission": False}),
    "selective": (SelectiveSimulation, lambda _: {"flow.data.transport.tp4.selective_acknowledgement": True}),
}
"""The second simulator with a mechanism, and the parameters with which the engine has it in a row."""
MORE_ROWS = [
    ("priorities", Point("none", "a")),
    ("priorities", Point("avoidance", "b")),
    ("priorities", Point("error", "a")),
    ("duplex", Point("none", "b")),
    ("duplex", Point("avoidance", "b")),
    ("duplex", Point("withdrawing", "b")),
    ("segments", Point("none", "b")),
    ("segments", Point("avoidance", "b")),
    ("real", Point("avoidance", "b")),
    ("down", Point("avoidance", "a")),
    ("newest", Point("none", "a")),
    ("waiting", Point("withdrawing", "b")),
    ("waiting", Point("error", "a")),
    ("selective", Point("none", "a")),
    ("selective", Point("backoff", "a")),
]
CHANCE = 0.01 / ((len(ROWS) + len(MORE_ROWS)) * (len(COLUMNS) + len(BACK_COLUMNS)))
"""The probability that a cell exceeds its limit if both are right."""
QUICK = [
    Point("none", "b"),
    Point("avoidance", "b"),
    Point("withdrawing", "b"),
    Point("backoff", "b"),
    Point("error", "a"),
]
"""Each strategy once."""
LEAST, FEW, MANY = 8, 12, 120
"""Seeds of the reference, in quick and in long tests; the engine, which is faster, has more."""

Cells = Mapping[str, Sequence[float]]


def simulated(simulation: type[Simulation], row: Point, seeds: int) -> Cells:
    """Each column of the second simulator, or of one with another interpretation, by seed."""
    scenario, strategy = SCENARIOS[row.scenario], STRATEGIES[row.strategy]
    runs = [simulation(scenario, strategy, seed).run() for seed in range(1, seeds + 1)]
    return {column: [run[column] for run in runs] for column in runs[0]}


@cache
def reference(row: Point, seeds: int) -> Cells:
    """Each column of the second simulator as it is."""
    return simulated(Simulation, row, seeds)


def engine(point: Point, replications: int, changes: Mapping[str, object] | None = None) -> Cells:
    """Each column of Penstock, by replication."""
    return penstock_with(point, replications, changes) if changes else penstock_as_it_is(point, replications)


@cache
def penstock_as_it_is(point: Point, replications: int) -> Cells:
    """The same without changes: several tests compare it."""
    return penstock_with(point, replications, {})


def penstock_with(point: Point, replications: int, changes: Mapping[str, object]) -> Cells:
    result = penstock.run(point.build().with_(changes), replications=replications)
    runs = []
    for number in range(replications):
        groups, ports = (
            each.filter(pl.col("replication") == number).to_dicts() for each in (result.groups, result.ports)
        )
        # Without Error Reports there is no share.
        run = {"error_report_share": 0.0, **dict(measure(point, RunTables({"groups": groups, "ports": ports})))}
        run["delay_tsdu_mean_s"] = next(group["delay_tsdu_mean_s"] for group in groups if group["group"] == "data")
        back = [group for group in groups if group["group"] == "back"]
        runs.append(run | {f"back_{column}": group[column] for group in back for column in BACK_COLUMNS})
    return {column: [run[column] for run in runs] for column in runs[0]}


def welch(one: Sequence[float], other: Sequence[float]) -> tuple[float, int]:
    """The difference of two means in its standard errors, and the degrees of freedom, rounded down."""
    parts = [variance(each) / len(each) for each in (one, other)]
    difference = fmean(one) - fmean(other)
    if sum(parts) == 0.0:
        return (math.copysign(math.inf, difference) if difference else 0.0), 1
    freedom = sum(parts) ** 2 / sum(part**2 / (len(each) - 1) for part, each in zip(parts, (one, other), strict=True))
    return difference / math.sqrt(sum(parts)), math.floor(freedom)


def disagreements(ours: Cells, theirs: Cells) -> dict[str, float]:
    """The columns that differ by more than chance allows, and by how many standard errors."""
    found = {}
    for column in theirs:
        z, freedom = welch(ours[column], theirs[column])
        if abs(z) > student_quantile(freedom, 1 - CHANCE / 2):
            found[column] = z
    return found


def test_the_reference_stands_alone() -> None:
    """It imports only the standard library and itself, so it cannot share a mistake with the engine by an import."""
    for source in Path(__file__).with_name("atn_reference").glob("*.py"):
        for statement in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(statement, ast.ImportFrom):
                assert str(statement.module).partition(".")[0] in sys.stdlib_module_names | {"atn_reference"}
            elif isinstance(statement, ast.Import):
                assert {each.name.partition(".")[0] for each in statement.names} <= sys.stdlib_module_names


def test_few_runs_agree() -> None:
    found = {str(row): disagreements(engine(row, 5 * LEAST), reference(row, LEAST)) for row in QUICK}
    assert found == {str(row): {} for row in QUICK}


@pytest.mark.long
@pytest.mark.parametrize(("mechanism", "row"), MORE_ROWS, ids=str)
def test_few_runs_with_a_mechanism_agree(mechanism: str, row: Point) -> None:
    simulation, changes = MECHANISMS[mechanism]
    assert disagreements(engine(row, 5 * FEW, changes(row)), simulated(simulation, row, FEW)) == {}


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_many_runs_agree(row: Point) -> None:
    assert disagreements(engine(row, 3 * MANY), reference(row, MANY)) == {}


@pytest.mark.long
@pytest.mark.parametrize(("mechanism", "row"), MORE_ROWS, ids=str)
def test_many_runs_with_a_mechanism_agree(mechanism: str, row: Point) -> None:
    simulation, changes = MECHANISMS[mechanism]
    assert disagreements(engine(row, 3 * MANY, changes(row)), simulated(simulation, row, MANY)) == {}


def test_sub_queues_of_one_priority_are_one_queue() -> None:
    """The two kinds of output have no code for service in common."""

    class OnePriority(PrioritySimulation):
        priorities = (7,)

    one, other = (simulation(SCENARIOS["a"], STRATEGIES["error"], 1).run() for simulation in (OnePriority, Simulation))
    assert one == pytest.approx(other, rel=1e-9)


# Wrong interpretations in the reference, and parameters that only the engine has. One of each is quick; those of
# mechanisms, whose right interpretation is compared in long tests, are long too.


def first_is_quick(*cases: tuple[object, ...]) -> list[ParameterSet]:
    """The cases of a test, each after its number of seeds: all but the first are long, and have more."""
    first, *others = cases
    return [pytest.param(LEAST, *first), *(pytest.param(FEW, *case, marks=pytest.mark.long) for case in others)]


class EarlySender(Sender):
    """Produces from the connect request on, and so has packets ready when the confirmation comes."""

    def connect(self) -> None:
        super().connect()
        self.produce_later()

    def opened(self) -> None:
        self.send_allowed()


class EachSender(Sender):
    """Measures the round trip of every TPDU that was sent once, also if it waited behind a lost one."""

    def measure(self, covered: Sequence[Outstanding]) -> None:
        for copy in covered:
            if copy.transmissions == 1:
                self.timer.sample(self.clock.now - copy.sent)


class ProducingEarly(Simulation):
    sender = EarlySender


class MeasuringEach(Simulation):
    sender = EachSender


class MarkingOutput(PriorityOutput):
    """Marks by all bits in the queue, also those of lower priorities."""

    def bits_before(self, npdu: Npdu) -> int:
        return self.bits()


class MarkingByAll(PrioritySimulation):
    output = MarkingOutput


@pytest.mark.parametrize(
    ("seeds", "row", "simulation", "column"),
    first_is_quick(
        (Point("none", "b"), ProducingEarly, "success_all"),
        (Point("backoff", "a"), MeasuringEach, "delay_mean_s"),
        (Point("none", "a"), NewestSimulation, "discard_share"),
        (Point("withdrawing", "b"), WaitingSimulation, "waiting_mean_bits"),
    ),
    ids=["early packets", "each round trip", "newest round trip", "threshold of what waits"],
)
def test_another_reading_is_noticed(seeds: int, row: Point, simulation: type[Simulation], column: str) -> None:
    found = disagreements(engine(row, 5 * seeds), simulated(simulation, row, seeds))
    assert column in found


@pytest.mark.long
@pytest.mark.parametrize(
    ("simulation", "column"),
    [(MarkingByAll, "queue_mean_bits"), (Simulation, "delay_mean_s")],
    ids=["marks", "order"],
)
def test_another_regard_of_priorities_is_noticed(simulation: type[Simulation], column: str) -> None:
    row = Point("avoidance", "b")
    found = disagreements(engine(row, 5 * FEW, PRIORITIES), simulated(simulation, row, FEW))
    assert column in found


class OneWayAvoidance(DuplexSimulation):
    """Avoids congestion by the data of the callers alone."""

    back_credit = Whole


@pytest.mark.long
def test_credit_of_one_direction_alone_is_noticed() -> None:
    row = Point("avoidance", "b")
    found = disagreements(engine(row, 5 * FEW, duplex(row)), simulated(OneWayAvoidance, row, FEW))
    assert "back_delay_mean_s" in found


class AllAgainSender(SelectiveSender):
    """Sends everything again whose T1 ran out and which is not reported, also beyond the last report."""

    def is_lost(self, number: int) -> bool:
        return True


class SendingAllAgain(SelectiveSimulation):
    sender = AllAgainSender


@pytest.mark.long
@pytest.mark.parametrize(
    ("row", "simulation", "column"),
    [(Point("none", "b"), SendingAllAgain, "success_all"), (Point("none", "a"), Simulation, "discard_share")],
    ids=["all again", "no reports"],
)
def test_another_reading_of_reports_is_noticed(row: Point, simulation: type[Simulation], column: str) -> None:
    _, changes = MECHANISMS["selective"]
    found = disagreements(engine(row, 5 * FEW, changes(row)), simulated(simulation, row, FEW))
    assert column in found


TIMER = "flow.data.transport.tp4.retransmission"


@pytest.mark.parametrize(
    ("seeds", "row", "changes", "column"),
    first_is_quick(
        (Point("avoidance", "b"), {"line.*.congestion_point.clnp.ce_threshold": "13500 bits"}, "queue_mean_bits"),
        (Point("none", "b"), {f"{TIMER}.recheck": 0.6}, "success_all"),
        (Point("withdrawing", "b"), {f"{TIMER}.least": "10 s", f"{TIMER}.initial": "10 s"}, "success_all"),
        (
            Point("error", "a"),
            {"line.*.congestion_point.clnp.error_reports.threshold": "15000 octets"},
            "error_report_share",
        ),
    ),
    ids=["CE threshold", "recheck", "T1", "threshold of reports"],
)
def test_another_parameter_is_noticed(seeds: int, row: Point, changes: Mapping[str, object], column: str) -> None:
    found = disagreements(engine(row, 5 * seeds, changes), reference(row, seeds))
    assert column in found
