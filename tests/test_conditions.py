"""Conditions of a live simulation: the first loss, mark and notice, and readings beyond a value."""

from __future__ import annotations

import pytest
from cells import CELLS

import penstock
from penstock import (
    InputError,
    Scenario,
    Simulation,
    first_loss,
    first_mark,
    first_notice,
    queue_above,
    reading_above,
    reading_below,
)
from penstock.theory import theory

BOTH = f"""{CELLS}
[flow.more]
path = ["a", "b"]
traffic.cbr = {{ rate = "424 kb/s", start = "50 ms" }}
"""
"""From 50 ms on one cell more every millisecond."""

SATELLITE = Scenario.load("satellite/1-case-2").with_({"duration": "3 s"})


def cells(changes: dict[str, object] | None = None) -> Simulation:
    return Simulation(Scenario.parse(BOTH).with_(changes or {}))


def test_the_first_loss_is_that_of_a_port_or_of_a_group() -> None:
    # At 2.5 ms the queue holds its four cells. At 3 ms one leaves before one comes; the cell of 3.5 ms is lost.
    for condition, at in [
        (first_loss(), "3.5 ms"),
        (first_loss("trunk"), "3.5 ms"),
        (first_loss(group="data"), "3.5 ms"),
        (first_loss("trunk", "data"), "3.5 ms"),
    ]:
        sim = cells()
        sim.run_until(condition)
        assert sim.now == at
    later = cells()
    later.run_until(first_loss("trunk", "more"))
    other = cells()
    other.run_until(first_loss(group="more"))
    assert later.now == other.now
    assert 0.05 <= later.now_s < 0.06
    never = cells()
    never.run_until(first_loss("trunk.reverse"))
    assert never.has_ended


def test_a_reading_is_found_at_the_instant_at_which_it_is_beyond() -> None:
    # In the queue after all events of 0, 0.5, 1, 1.5, 2, 2.5 ms: 1, 2, 2, 3, 3, 4 cells, the one in service included.
    for cells_above, at in [(0, "0 s"), (1, "0.5 ms"), (2, "1.5 ms"), (3, "2.5 ms")]:
        sim = cells()
        sim.step()
        sim.run_until(reading_above("trunk", "queue_0", cells_above))
        assert sim.now == at
    # At 3 ms one leaves and one comes: the queue stays full, until a faster line empties it.
    sim.change({"line.trunk.rate": "424 Mb/s"})
    sim.run_until(reading_below("trunk", "queue", 1))
    assert 0.0025 < sim.now_s < 0.003
    assert reading_below("trunk", "queue", 1)(sim)


def test_a_reading_that_rises_and_falls_between_two_looks_is_found_too() -> None:
    # A cell is in the queue for a microsecond, every 0.5 ms from 50 us on; the usual looks are 0.1 ms apart.
    brief: dict[str, object] = {"line.trunk.rate": "424 Mb/s", "flow.data.traffic.cbr.start": "50 us"}
    brief["flow.more.active"] = False
    sim = cells(brief)
    sim.run_until(reading_above("trunk", "queue", 0))
    assert sim.now == "50 us"
    sim.run_until("51 us")
    sim.run_until(reading_above("trunk", "queue", 0))
    assert sim.now == "550 us"
    coarse = cells(brief)
    coarse.run_until(reading_above("trunk", "queue", 0), every="100 us")
    assert coarse.has_ended
    own = cells(brief)
    own.run_until(lambda one: reading_above("trunk", "queue_0", 0)(one), every="event")
    assert own.now == "50 us"


def test_the_first_mark_and_notice_are_those_of_the_tables() -> None:
    sim = Simulation(SATELLITE)
    sim.run_until(first_notice("satellite"))
    ports = sim.tables()["ports"].filter(port="satellite")
    assert ports["notices_mild"][0] + ports["notices_severe"][0] == 1
    any_port = Simulation(SATELLITE)
    any_port.run_until(first_notice())
    assert any_port.fingerprint == sim.fingerprint
    unmarked = Simulation(SATELLITE)
    unmarked.run_until(first_mark())
    assert unmarked.has_ended


MESSAGES = """
duration = "1 s"
[line.trunk]
between = ["a", "b"]
rate = "10 Mb/s"
delay = "1 ms"
[flow.web]
path = ["a", "b"]
transport.stream = {}
traffic.messages = { arrivals.periodic.every = "200 ms", sizes = "60 kB", start = "300 ms" }
"""


def test_a_reading_without_a_value_is_not_beyond_any() -> None:
    for condition in (reading_above("web", "window", 12), reading_below("web", "window", 12)):
        sim = Simulation(Scenario.parse(MESSAGES))
        sim.run_until(condition)
        assert 0.3 <= sim.now_s < 0.32


@pytest.mark.parametrize(
    ("condition", "path", "remedy"),
    [
        (first_loss("trunck"), "port", 'did you mean "trunk"?'),
        (first_loss(group="date"), "group", 'did you mean "data"?'),
        (first_loss("trunk", "x"), "group", "there are data, more"),
        (first_mark("x"), "port", "there are trunk, trunk.reverse"),
        (first_notice("trunk.revers"), "port", 'did you mean "trunk.reverse"?'),
        (queue_above("x", 3), "port", "there are trunk, trunk.reverse"),
        (reading_above("trunk", "queue_7", 3), "quantity", 'did you mean "queue_0"?'),
        (reading_below("flow", "rate", 3), "component", "there are data, more, trunk"),
    ],
)
def test_an_unknown_name_is_refused(condition: object, path: str, remedy: str) -> None:
    sim = cells()
    with pytest.raises(InputError) as error:
        sim.run_until(condition)  # type: ignore[arg-type]
    assert error.value.path == path
    assert remedy in error.value.remedy
    assert sim.now == "0 s"


@pytest.mark.parametrize("every", ["often", "10", "0 s"])
def test_a_wrong_interval_is_refused(every: str) -> None:
    with pytest.raises(InputError) as error:
        cells().run_until(first_loss(), every=every)
    assert (error.value.path, error.value.value) == ("every", every)


def test_an_interval_is_for_a_condition() -> None:
    with pytest.raises(InputError, match="for a condition"):
        cells().run_until("3 ms", every="1 ms")


def test_a_result_so_far_is_that_of_a_run_which_ends_there() -> None:
    scenario = Scenario.parse(BOTH)
    sim = Simulation(scenario)
    sim.run_until(first_loss())
    so_far = sim.result()
    assert so_far.manifest["stopped"] == "3.5 ms"
    assert so_far.groups.select("replication", "sent", "lost").rows() == [(0, 8, 1), (0, 0, 0)]
    assert not theory(so_far)
    sim.finish()
    whole, run = sim.result(), penstock.run(scenario)
    assert whole.manifest["runs"][0]["fingerprint"] == run.manifest["runs"][0]["fingerprint"]
    assert "stopped" not in whole.manifest
    for name, table in whole.tables().items():
        assert table.equals(run.tables()[name]), name
