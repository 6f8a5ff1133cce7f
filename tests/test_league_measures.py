"""The measures and ties of a league, by hand."""

from __future__ import annotations

import pytest

from penstock import Scenario
from penstock.league.league import Case
from penstock.league.measures import (
    DELAY,
    DELAY_MEDIAN,
    GOODPUT,
    JITTER,
    JITTER_MEDIAN,
    RunTables,
    goodput,
    lacking_in,
    target_of,
    time_to_fair,
    values_of,
)
from penstock.league.table import Column
from penstock.statistics import Sample, standings


def test_user_octets_by_hand() -> None:
    row = {"delivered": 1000, "accepted": None, "throughput_bps": 424_000.0}
    # A cell carries 48 octets; a PDU of another size all its octets.
    assert goodput(row, {"octets": 53}, 2.0) == 1000 * 48 * 8 / 2
    assert goodput(row, {"octets": 200}, 2.0) == 1000 * 200 * 8 / 2
    # Of 100 packets of 1000 octets and a header, 90 arrived for the first time: the throughput is of these.
    row = {"delivered": 100, "accepted": 90, "throughput_bps": 90 * 1072 * 8 / 2}
    for transport in ({"tp4": {"octets": {"data_header": 72}}}, {"stream": {"header": 72}}):
        assert goodput(row, {"octets": 1000, "transport": transport}, 2.0) == pytest.approx(90 * 1000 * 8 / 2)


def test_time_to_fair_shares_by_hand() -> None:
    times = [0.1 * n for n in range(1, 21)]
    steady = [100.0 * n for n in range(1, 21)]
    late = [0.0, 0.0, 0.0, *(100.0 * n for n in range(1, 18))]
    assert time_to_fair(times, {"a": steady}, {"a": 1000.0}) == 0.0
    # The other is idle for three readings, so both are near their shares from 0.3 s on.
    assert time_to_fair(times, {"a": steady, "b": late}, {"a": 1000.0, "b": 1000.0}) == pytest.approx(0.3)
    assert time_to_fair(times, {"a": steady}, {"a": 1090.0}) == 0.0  # 100 of 109
    assert time_to_fair(times, {"a": steady}, {"a": 1120.0}) is None  # 100 of 112
    assert time_to_fair(times[:9], {"a": steady[:9]}, {"a": 1000.0}) is None  # nine readings are too few
    # With few PDUs, one more or less is near enough.
    assert time_to_fair(times, {"a": [float(2 * n) for n in range(1, 21)]}, {"a": 25.0}) == 0.0


def test_the_target_of_a_scheme() -> None:
    def lines(*points: dict[str, object]) -> dict[str, object]:
        return {"line": {str(place): {"congestion_point": point} for place, point in enumerate(points)}}

    assert target_of(lines({"charny": {"target": 0.9}}, {"charny": {"target": 0.9}})) == 0.9
    assert target_of(lines({"erica_plus": {"erica": {"target": 0.8}}})) == 0.8
    assert target_of(lines({"charny": {"target": 0.9}}, {"charny": {"target": 0.8}})) == 1.0
    assert target_of(lines({"clnp": {}})) == 1.0


@pytest.mark.parametrize(("mean", "is_tied"), [(2000.4, True), (2000.6, False), (1999.6, True), (1999.4, False)])
def test_schemes_tie_whose_means_agree_to_four_digits(mean: float, is_tied: bool) -> None:
    # The differences are the same in every replication, so each of them alone makes one scheme the better.
    samples = {name: Sample([value - 1, value, value + 1]) for name, value in (("a", 2000.0), ("b", mean))}
    found = standings(samples, lower_is_better=False)
    assert [one.is_best for one in found] == [True, False]
    column = Column(GOODPUT, "", samples, found, {}, {})
    assert (set(column.best) == {"a", "b"}) is is_tied
    assert column.decides is not is_tied


TWO = """\
duration = "1 s"
[line.out]
between = ["a", "b"]
rate = "10 Mb/s"
[flow.data]
path = ["a", "b"]
traffic.greedy = {}
"""


@pytest.mark.parametrize(("with_steps", "late"), [(True, 2.0), (False, 2.5)])
def test_delays_count_from_generation_and_jitter_in_the_network(with_steps: bool, late: float) -> None:
    steps = {"data": ([1.0, 1.5, 2.0], [2, 98, 0], [0, 60, 40])}
    group = {
        "group": "data",
        "sent": 100,
        "lost": 0,
        "delivered": 100,
        "accepted": None,
        "throughput_bps": 1.0,
        "delay_p50_s": 1.5,
        "delay_p99_s": 1.5,
        "delay_generation_p50_s": 1.5,
        "delay_generation_p99_s": 2.5,
        "transfer_mean_all_s": None,
        "offered_bps": None,
        "load_bps": 1.0,
        "offered_pdus": None,
    }
    flow = {"group": "data", "flow": "data", "delay_min_s": 0.9, "sent": 100, "control_sent": 0, "throughput_bps": 1.0}
    port = {"queue_max": 1, "queue_max_start": 1, "utilisation": 0.5}
    scenario = Scenario.parse(TWO, name="two")
    case = Case.of_scenarios({"two": scenario})
    run = RunTables([group], [flow], [port], steps if with_steps else {}, 1.0, 1.0)
    found = values_of(run, case, scenario.expanded().tree, lacking_in(case))
    (name,) = set(case.classes.values())
    values = [found[each.key, name].value for each in (DELAY_MEDIAN, DELAY, JITTER_MEDIAN, JITTER)]
    assert values == pytest.approx([1.5, late, 0.6, 0.6])


SERIES = '[[series]]\npath = "line.out.rate"\nlist = [["100 ms", "5 Mb/s"], ["200 ms", "10 Mb/s"]]\n'
CHANGE = '[[change]]\nat = "500 ms"\npath = "line.out.rate"\nvalue = "5 Mb/s"\n'
OUTAGE = '[line.out.outage]\nfrom = "100 ms"\nto = "200 ms"\n'


@pytest.mark.parametrize(("more", "is_steady"), [("", True), (CHANGE, False), (SERIES, False), (OUTAGE, False)])
def test_shares_that_the_scenario_changes_are_not_steady(more: str, is_steady: bool) -> None:
    case = Case.of_scenarios({"two": Scenario.parse(TWO + more, name="two")})
    assert case.steady is is_steady
    assert case.shares
