"""Live simulations: stops, forks, changes, and the scenario that gives the same run from the start."""

from __future__ import annotations

import pytest
from cells import CELLS

import penstock
from penstock import InputError, Scenario, Simulation, first_loss, queue_above
from penstock.theory import theory

SLOW_CELLS = CELLS.replace("848 kb/s", "212 kb/s")
"""One cell every 2 ms from 0 s on; the line needs 1 ms for it, and delays by 3 ms."""

SATELLITE = Scenario.load("satellite/1-case-2").with_({"duration": "3 s"})
RATE = "line.satellite.rate"


def cells(more: str = "") -> Simulation:
    return Simulation(Scenario.parse(SLOW_CELLS + more))


def whole(scenario: Scenario, seed: int = 1) -> str:
    fingerprint: str = penstock.run(scenario, seed).manifest["runs"][0]["fingerprint"]
    return fingerprint


def group(sim: Simulation, column: str) -> object:
    return sim.tables()["groups"][column][0]


def test_it_stops_where_it_is_told_and_looks_exactly_there() -> None:
    sim = cells()
    assert (sim.now, sim.has_ended) == ("0 s", False)
    sim.run_until("10 ms")
    # Cells of 0, 2, .. 10 ms are sent. Each takes 4 ms, so those of 0 to 6 ms have arrived.
    assert (sim.now, sim.now_s, group(sim, "sent"), group(sim, "delivered")) == ("10 ms", 0.01, 6, 4)
    sim.run_until("1 s")
    assert (sim.now, sim.has_ended) == ("0.1 s", True)
    assert repr(sim) == "<Simulation 'cells': at 0.1 s of 0.1 s, seed 1>"


def test_a_number_of_seconds_is_rounded_to_picoseconds() -> None:
    sim = cells()
    for _ in range(3):
        sim.run_until(sim.now_s + 0.02 / 3)
    assert sim.now == "20000000001 ps"
    sim.run_until(0.01 + 0.02)  # 0.03, but for the last digit
    assert sim.now == "30 ms"
    with pytest.raises(InputError, match=r"0\.0000000000001 s"):
        cells().run_until(1e-13)


def test_a_step_ends_at_the_next_instant_with_an_event() -> None:
    sim = cells()
    seen = []
    for _ in range(7):
        sim.step()
        seen.append(sim.now)
    # Sent at 0, 2, 4, 6 ms; departs a millisecond later, and arrives 3 ms after that, when the next departs or is sent.
    assert seen == ["0 s", "1 ms", "2 ms", "3 ms", "4 ms", "5 ms", "6 ms"]
    sim.finish()
    sim.step()
    assert sim.now == "0.1 s"


def test_the_first_loss_is_found_to_the_picosecond() -> None:
    # Two cells a millisecond come and one leaves: at 2.5 ms the queue holds its four. At 3 ms one leaves before one
    # comes, and the cell of 3.5 ms is the first to be lost.
    sim = Simulation(Scenario.parse(CELLS))
    sim.run_until(first_loss())
    assert sim.now == "3.5 ms"
    sim.finish()
    assert sim.fingerprint == whole(Scenario.parse(CELLS))
    calm = cells()
    calm.run_until(first_loss())
    assert calm.has_ended


def test_a_queue_above_a_limit_is_found_where_it_is() -> None:
    sim = Simulation(SATELLITE)
    sim.run_until(queue_above("satellite", 8))
    lengths = {
        row[0]: row[1] for row in sim.readings().filter(component="satellite").select("quantity", "value").iter_rows()
    }
    assert lengths["queue_0"] + lengths["queue_1"] == 9
    with pytest.raises(InputError, match="no such port"):
        sim.run_until(queue_above("sattelite", 8))


def test_readings_have_units_and_ranges() -> None:
    sim = cells()
    sim.run_until("10.5 ms")
    rows = {(row["component"], row["quantity"]): row for row in sim.readings().iter_rows(named=True)}
    assert rows["trunk", "queue_0"] == {
        "component": "trunk",
        "quantity": "queue_0",
        "unit": "PDUs",
        "most": None,
        "value": 1.0,
    }
    # Five cells have left in 10.5 ms, each in a millisecond.
    assert rows["trunk", "utilisation"]["value"] == pytest.approx(5 / 10.5, rel=1e-12)
    assert rows["trunk", "utilisation"]["most"] == 1.0
    assert rows["data", "received"]["value"] == 4.0


def test_stops_and_forks_change_nothing() -> None:
    sim = Simulation(SATELLITE, seed=3)
    sim.run_until("1.2345 s")
    fork = sim.fork()
    for one in (sim, fork):
        one.finish()
        assert one.fingerprint == whole(SATELLITE, 3)


def test_a_change_is_that_of_a_scenario_from_the_start() -> None:
    sim = Simulation(SATELLITE)
    sim.run_until("1 s")
    fade = sim.fork()
    fade.change({RATE: "3 Mb/s", "line.satellite.queues[0].clp_threshold.threshold": "100 cells"})
    fade.change({RATE: "6 Mb/s"}, at="2 s")
    fade.run_until("2.5 s")
    fade.change({"flow.voice.active": False})
    again = Simulation(fade.to_scenario())
    again.run_until("2.5 s")
    for one in (sim, fade, again):
        one.finish()
    written = Scenario.parse(
        SATELLITE.to_toml()
        + """
[[change]]
at = "1 s"
path = "line.satellite.rate"
value = "3 Mb/s"
[[change]]
at = "1 s"
path = "line.satellite.queues[0].clp_threshold.threshold"
value = "100 cells"
[[change]]
at = "2 s"
path = "line.satellite.rate"
value = "6 Mb/s"
[[change]]
at = "2.5 s"
path = "flow.voice.active"
value = false
"""
    )
    assert fade.to_scenario() == written
    assert fade.fingerprint == again.fingerprint == whole(written)
    assert sim.fingerprint == whole(SATELLITE) != fade.fingerprint
    assert sim.to_scenario() == SATELLITE


def test_the_rate_of_a_line_changes_for_what_is_left_of_a_cell() -> None:
    sim = cells()
    sim.run_until("10.25 ms")
    sim.change({"line.trunk.rate": "106 kb/s"})
    # A quarter of the cell is sent. Three quarters take 3 ms: it departs at 13.25 ms. The next takes 4 ms.
    seen = []
    while sim.now_s < 0.0172:
        sim.step()
        seen.append(sim.now)
    assert {"13.25 ms", "16.25 ms", "17.25 ms"} <= set(seen)


@pytest.mark.parametrize(
    ("values", "at", "path", "why"),
    [
        ({"line.trunk.rate": "1 Mb/s"}, "49 ms", "change[0].at", "in the past"),
        ({"line.trunk.rate": "1 Mb/s"}, "100 ms", "change[0].at", "the run ends at 0.1 s"),
        ({"line.trunk.between": ["a", "c"]}, None, "change[0].path", "built before the run"),
        ({"flow.data.count": 2}, None, "change[0].path", "built before the run"),
        ({"flow.data.traffic.cbr.start": "1 s"}, None, "change[0].path", "except for its rates"),
        ({"duration": "2 s"}, None, "change[0].path", "the run as a whole"),
        ({"line.trunk.queues[0].drop_tail.size": "0 cells"}, None, "change[0].value", "no place"),
        ({"line.trunk.rate": "fast"}, None, "change[0].value", "fast"),
        ({"line.bunk.rate": "1 Mb/s"}, None, "change[0].path", 'there is no "bunk"'),
        ({"line.trunk.rate": "1 Mb/s", "line.*.rate": "2 Mb/s"}, None, "change[1].path", "same instant"),
        ({"flow.data.active": None}, None, "change[0].value", "no value"),
    ],
)
def test_a_wrong_change_is_refused_and_changes_nothing(
    values: dict[str, object], at: str | None, path: str, why: str
) -> None:
    sim = cells()
    sim.run_until("50 ms")
    with pytest.raises(InputError) as error:
        sim.change(values, at)
    assert error.value.path == path
    assert why in str(error.value)
    sim.finish()
    assert sim.fingerprint == whole(Scenario.parse(SLOW_CELLS))


def test_a_wrong_time_is_refused() -> None:
    sim = cells()
    sim.run_until("50 ms")
    for wrong, why in [("49 ms", "in the past"), ("soon", "soon"), ("50", "unit")]:
        with pytest.raises(InputError, match=why):
            sim.run_until(wrong)
    assert sim.now == "50 ms"


def test_a_change_in_a_file_is_refused_at_its_line() -> None:
    text = SLOW_CELLS + '[[change]]\nat = "5 ms"\npath = "line.trunk.between"\nvalue = 3\n'
    with pytest.raises(InputError) as error:
        Scenario.parse(text, name="file.toml")
    assert error.value.line == text[: text.index("path = ", text.index("[[change]]"))].count("\n") + 1


def test_no_theory_is_told_of_a_run_that_changes() -> None:
    calm = Scenario.parse(SLOW_CELLS)
    changed = Scenario.parse(SLOW_CELLS + '[[change]]\nat = "5 ms"\npath = "line.trunk.rate"\nvalue = "1 Mb/s"\n')
    assert theory(penstock.run(calm))
    assert not theory(penstock.run(changed))
    assert not theory(penstock.run(calm.with_({"flow.data.active": False})))


def test_a_sample_of_a_reading_that_there_is_not_is_refused() -> None:
    sim = cells()
    assert sim.sample([("trunk", "queue_0"), ("trunk", "utilisation")]) == [0.0, None]
    for wanted, path, remedy in [
        (("trunck", "queue_0"), "component", 'did you mean "trunk"?'),
        (("trunk", "queue"), "quantity", 'did you mean "queue_0"?'),
        (("trunk", "rate"), "quantity", "there are queue_0, utilisation"),
        (("data", "recieved"), "quantity", 'did you mean "received"?'),
    ]:
        with pytest.raises(InputError) as error:
            sim.fork().sample([("trunk", "utilisation"), wanted])
        assert (error.value.path, error.value.remedy) == (path, remedy)
    # The rate of a line is a reading once it has changed.
    sim.change({"line.trunk.rate": "212 kb/s"})
    assert sim.sample([("trunk", "rate")]) == [212e3]


def test_the_window_of_a_stream_of_messages_comes_with_the_first_one() -> None:
    sim = Simulation("datacentre/incast-dctcp")
    (first,) = sim.flows()["flow"][:1]
    window = [(first, "window")]
    assert sim.sample(window) == [None]
    assert sim.fork().sample(window) == [None]
    with pytest.raises(InputError, match="did you mean"):
        sim.sample([(first, "windw")])
    sim.step()
    sim.run_until("1 ms")
    (value,) = sim.sample(window)
    assert value is not None
    assert value > 0
