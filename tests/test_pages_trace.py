"""One run against time: the panels of its readings, in suitable units."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penstock import Scenario, Simulation, run
from penstock.cli import main
from penstock.core.findings import Reading
from penstock.core.units import seconds
from penstock.plot import Panel, Sheet, Trace, shared_traces
from penstock.plot.layout import draw
from penstock.plot.traces import BANDS, band, is_band
from penstock.show import PAGE
from penstock.show.readings import Readings
from penstock.show.report import html
from penstock.show.trace import CLOSE_UP, CLOSE_UP_TRANSPORT, MOST_VALUES, READINGS, page_of, sampled, sheets, title_of
from penstock.show.trace_changes import ROUND_TRIPS
from penstock.show.trace_panels import MOST_SOURCES, NOTICE_PARTS, busiest, notice_panels, source_panels, span

BACKOFF = {"flow.data.transport.tp4.window": {"backoff": {"initial_threshold": 4}}}
WITHDRAWING = {"flow.data.transport.tp4.credit": {"withdrawing_credit": {"multiple": 4}}}
END_S = 200


def traced(changes: Mapping[str, object]) -> tuple[Readings, list[Sheet]]:
    """The readings of a short run of the ATN scenario B with a strategy, and the figures of them."""
    scenario = Scenario.load("atn/scenario-b").with_({"sweep": None, "duration": f"{END_S} s", **changes})
    read, interval = sampled(scenario, END_S)
    assert interval == "10 ms"
    result = run(read)
    return Readings.of(result), sheets(scenario, result)


def panels_of(sheet: Sheet) -> dict[str, Panel]:
    return {panel.y_label: panel for panel in sheet.panels}


def test_credit_that_is_withdrawn_is_seen() -> None:
    readings, (whole, close) = traced(WITHDRAWING)
    panels = panels_of(whole)
    assert list(panels) == ["queue (kbit)", "credit (PDUs)"]  # what the sender uses of the credit is all of it
    read = readings.values
    for trace in panels["credit (PDUs)"].traces:
        assert (trace.x, trace.y) == read[trace.label, "credit"]
    busy = next(trace for trace in panels["credit (PDUs)"].traces if trace.label == "data/es2-es12")
    assert max(busy.y) == 7  # saw
    assert {value for value in busy.y[-READINGS // 4 :] if value} == {1}
    assert {len(trace.x) for panel in close.panels for trace in panel.traces} == {CLOSE_UP_TRANSPORT}


def test_the_window_of_a_sender_has_a_panel_of_its_own() -> None:
    readings, (whole, _) = traced(BACKOFF)
    panels = panels_of(whole)
    assert list(panels) == ["queue (kbit)", "credit (PDUs)", "window (PDUs)"]
    read = readings.values
    for trace in panels["window (PDUs)"].traces:
        assert trace.y == read[trace.label, "window"][1]
        assert all(window <= credit for window, credit in zip(trace.y, read[trace.label, "credit"][1], strict=True))


def test_queues_whose_bits_are_counted_are_drawn_in_kilobits() -> None:
    readings, (whole, _) = traced(BACKOFF)
    bits = readings.values["is6-is10", "queue_bits"][1]
    (trace,) = (trace for trace in panels_of(whole)["queue (kbit)"].traces if trace.label == "is6-is10")
    assert trace.y == [value / 1000 for value in bits]
    assert max(trace.y) > 13  # one packet of 1600 octets and its headers at least


@pytest.mark.parametrize(("octets", "label"), [(53, "queue (cells)"), (1500, "queue (PDUs)")])
def test_only_cells_are_called_cells(small: Scenario, octets: int, label: str) -> None:
    scenario = small.with_({"flow.random.octets": octets, "measure.sample": "10 ms"})
    (whole,) = sheets(scenario, run(scenario))
    assert whole.panels[0].y_label == label


def test_each_of_several_queues_is_drawn_beside_the_bits_of_all(small: Scenario) -> None:
    queues = [{"drop_tail_bits": {"size": "20000 bits"}}, {"drop_tail": {"size": "50 cells"}}]
    scenario = small.with_(
        {
            "line.trunk.queues": queues,
            "flow.random.priority": 1,
            "flow.steady.traffic.cbr.rate": "600 kb/s",
            "line.trunk.rate": "1 Mb/s",
            "measure.sample": "10 ms",
        }
    )
    (whole,) = sheets(scenario, run(scenario))
    panels = panels_of(whole)
    assert [trace.label for trace in panels["queue (kbit)"].traces] == ["trunk"]
    assert [trace.label for trace in panels["queue (cells)"].traces] == ["trunk, queue_0", "trunk, queue_1"]


@pytest.mark.parametrize(("length_s", "told"), [(2.4, "2.4 s"), (0.12, "120 ms"), (1e-3, "1 ms"), (4.55e-4, "455 us")])
def test_lengths_of_time_have_a_unit_that_suits_them(length_s: float, told: str) -> None:
    assert span(length_s) == told


def by_hand(values: Mapping[tuple[str, str], list[float]], **more: object) -> Readings:
    """Readings at one, two, three ... seconds."""
    times = {key: ([float(at + 1) for at in range(len(own))], own) for key, own in values.items()}
    kinds = {key: Reading(*key, "b/s" if key[1] == "acr" else "", None) for key in values}
    facts: dict[str, Any] = {"kinds": kinds, "lines": {}, "routes": {}, "shares": {}, "sizes": {}, **more}
    return Readings(times, **facts)


def test_what_an_abr_switch_reads_is_drawn_with_the_rates_of_its_sources() -> None:
    scenario = Scenario.load("abr/parking-lot-erica").with_({"duration": "40 ms", "warm_up": None})
    read, _ = sampled(scenario, 0.04)
    result = run(read)
    whole, *_ = sheets(scenario, result)
    panels = panels_of(whole)
    port = Readings.of(result).scheme
    assert port is not None
    assert f"The readings of the scheme are those at {port}." in whole.caption
    rates = panels[f"rates at {port} (Mb/s)"]
    assert {"input", "available", "fair share"} < {trace.label for trace in rates.traces}
    assert rates.level == pytest.approx(result.ports.filter(port=port)["rate_bps"][0] / 1e6)
    (load,) = panels[f"load factor at {port}"].traces
    assert load.y == Readings.of(result).values[port, "load_factor"][1]
    own = next(panel for label, panel in panels.items() if label.startswith(("ACR", "rate (")))
    assert own.traces


def chain_of_lines(lines: int) -> dict[str, Any]:
    """A short run of one flow in a chain of so many lines, and nothing that it can leave out."""
    return {
        "duration": "10 ms",
        "defaults": {"line": {"rate": "100 Mb/s", "delay": "10 us"}},
        "line": {f"l{number}": {"between": [f"n{number}", f"n{number + 1}"]} for number in range(lines)},
        "flow": {"f": {"path": ["n0", "n1", "n2"], "traffic": {"cbr": {"rate": "10 Mb/s"}}}},
    }


@pytest.mark.parametrize("lines", [124, 125, 1000])
def test_a_network_of_many_lines_is_read_less_often(lines: int) -> None:
    read, _ = sampled(Scenario.of(chain_of_lines(lines)), 0.01)
    simulation = Simulation(read)
    values = len(simulation.values())
    interval_s = seconds(read.tree["measure"]["sample"])
    assert 0.01 / interval_s <= READINGS
    assert 1_000_000 < values * 0.01 / interval_s <= 1.01 * MOST_VALUES


@pytest.mark.long
def test_the_command_draws_a_network_of_a_thousand_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half as many values as a run may have take seconds to draw: here they are fewer."""
    monkeypatch.setattr("penstock.show.trace.MOST_VALUES", 50_000)
    file = tmp_path / "lines.toml"
    file.write_text(Scenario.of(chain_of_lines(1000)).to_toml())
    assert main(["run", str(file), "--trace", str(tmp_path / "figures"), "--quiet"]) == 0
    assert (tmp_path / "figures" / PAGE).exists()


def test_rates_are_drawn_against_the_bottleneck_and_not_the_access_line() -> None:
    """Twenty sources whose access lines have a tenth of the output: at their peak they offer it twice its rate."""
    changes = {"flow.source.access.rate": "1 cell per 27.3 us", "duration": "2 ms", "stop": None, "warm_up": None}
    scenario = Scenario.load("atm_lan/figure-4").with_(changes)
    read, _ = sampled(scenario, 0.002)
    panels = panels_of(sheets(scenario, run(read))[0])
    (total,) = panels["all rates (% of output)"].traces
    assert (total.label, panels["all rates (% of output)"].level) == ("sum over 20 sources", 100.0)
    assert total.y[0] == pytest.approx(200)
    assert [trace.y[0] for trace in panels["rate (% of output)"].traces] == pytest.approx([10] * MOST_SOURCES)


def test_sources_are_in_the_caption_only_if_they_have_a_panel(small: Scenario) -> None:
    changes = {"flow.random.count": 8, "measure.sample": "10 ms", "measure.sample_flows": True}
    (whole,) = sheets(small, run(small.with_(changes)))
    assert list(panels_of(whole)) == ["queue (cells)"]
    assert "received most" not in whole.caption
    scenario = Scenario.load("atm_lan/figure-4").with_({"duration": "2 ms", "stop": None, "warm_up": None})
    whole = sheets(scenario, run(sampled(scenario, 0.002)[0]))[0]
    assert "The 6 sources of 20 that received most." in whole.caption


def test_the_most_active_sources_are_drawn_and_no_sum_of_some() -> None:
    count = MOST_SOURCES + 4
    values: dict[tuple[str, str], list[float]] = {}
    for number in range(1, count + 1):
        values[f"a/{number}", "received"] = [0.0, float(number)]
        values[f"a/{number}", "acr"] = [1e6, 1e6]
    known = {"lines": {"x": 4e6}, "routes": {"a": ["x"]}}
    total, _ = source_panels(by_hand(values, sizes={"a": count}, **known), "cells")
    (panel,) = source_panels(by_hand(values, sizes={"a": 2 * count}, **known), "cells")
    assert [trace.label for trace in panel.traces] == [f"a/{number}" for number in range(5, count + 1)]
    assert panel.y_label == "ACR (% of x)"
    assert panel.traces[0].y == [25, 25]
    assert total.y_label == "all rates (% of x)"
    assert total.traces[0].y == [25 * count] * 2


def test_sources_with_different_bottlenecks_have_rates_in_megabits() -> None:
    values = {("a", "received"): [1.0], ("a", "acr"): [1e6], ("b", "received"): [2.0], ("b", "acr"): [2e6]}
    known = {"lines": {"x": 4e6, "y": 8e6}, "routes": {"a": ["x"], "b": ["y"]}, "sizes": {"a": 1, "b": 1}}
    (panel,) = source_panels(by_hand(values, **known), "cells")
    assert (panel.y_label, [trace.y for trace in panel.traces]) == ("ACR (Mb/s)", [[1.0], [2.0]])


def test_of_equal_lines_the_bottleneck_is_the_one_that_all_sources_cross() -> None:
    values = {("a", "received"): [1.0], ("a", "acr"): [1e6], ("b", "received"): [2.0], ("b", "acr"): [2e6]}
    known = {"lines": {"x": 4e6, "y": 4e6}, "routes": {"a": ["x", "y"], "b": ["y"]}, "sizes": {"a": 1, "b": 1}}
    total, each = source_panels(by_hand(values, **known), "cells")
    assert (total.y_label, each.y_label) == ("all rates (% of y)", "ACR (% of y)")
    assert [trace.y for trace in each.traces] == [[25.0], [50.0]]


def test_a_queue_that_never_holds_two_cells_is_not_drawn() -> None:
    queues = {("x", "queue_0"): ([1.0, 2.0], [0.0, 1.0]), ("y", "queue_0"): ([1.0, 2.0], [2.0, 40.0])}
    assert list(busiest(queues, 1.0)) == [("y", "queue_0")]
    assert not busiest({("x", "queue_0"): queues["x", "queue_0"]}, 1.0)


def test_notices_are_counted_in_intervals_that_can_be_told_apart() -> None:
    seen = [float(number) for number in range(20_000)]
    (panel,) = notice_panels(by_hand({("x", "notices"): seen}))
    (trace,) = panel.traces
    assert panel.y_label == "notices in 50 s"
    assert set(trace.y) == {50.0}
    assert len(trace.y) == NOTICE_PARTS - 1


def test_a_run_of_a_file_with_a_sweep_has_the_name_of_the_file(small: Scenario) -> None:
    assert title_of(Scenario.load("atn/scenario-b")) == "atn/scenario-b"
    assert title_of(small) == "Two groups on one line"


def test_the_page_of_a_run_says_how_its_busiest_line_did(small: Scenario) -> None:
    scenario = small.with_({"measure.sample": "10 ms", "line.trunk.rate": "1 Mb/s"})
    result = run(scenario)
    page = page_of(scenario, result, sheets(scenario, result), "penstock run x --trace y")
    (trunk,) = result.ports.filter(port="trunk").to_dicts()
    lost = result.groups["lost"].sum()
    assert lost > 0
    assert page.headline.startswith(f"The busiest line, trunk, is used {100 * trunk['utilisation']:.3g} %")
    assert f"and {lost:,} of {result.groups['sent'].sum():,} cells" in page.headline
    assert page.lead == "trace"
    text = html(page)
    assert text.count("data-panel=") == sum(len(figure.sheet.panels) for figure in page.sections[0].figures)


# ------------------------------------------------------------------------------------------------ changes and bands
FADE = {"at": "8 s", "path": "line.trunk.rate", "value": "1 Mb/s"}
BACK = {"at": "12 s", "path": "line.trunk.rate", "value": "2 Mb/s"}


def changed(small: Scenario, *changes: Mapping[str, str]) -> list[Sheet]:
    """The figures of a run of 20 s with changes, and 4,000 readings."""
    scenario = small.with_({"duration": "20 s", "measure.sample": "5 ms", "change": list(changes)})
    return sheets(scenario, run(scenario))


def test_changes_are_marked_and_told(small: Scenario) -> None:
    whole, first, second = changed(small, FADE, BACK, {**FADE, "path": "line.trunk.delay", "value": "9 ms"})
    assert [list(panel.instants) for panel in whole.panels] == [[8, 12]] * len(whole.panels)
    assert [panel.numbered for panel in whole.panels] == [True] + [False] * (len(whole.panels) - 1)
    told = "Dashed lines are changes. 1: at 8 s, line.trunk.rate=1 Mb/s, line.trunk.delay=9 ms; 2: at 12 s, line.trunk"
    assert whole.caption.startswith(told)
    assert first.title.endswith("the change at 8 s: line.trunk.rate=1 Mb/s, line.trunk.delay=9 ms")
    assert second.title.endswith("the change at 12 s: line.trunk.rate=2 Mb/s")
    assert [sheet.name for sheet in (whole, first, second)] == ["trace", "trace-change-1", "trace-change-2"]


def test_a_close_up_of_a_change_has_what_was_before_and_round_trips_after(small: Scenario) -> None:
    _, close = changed(small, FADE)
    assert close.name == "trace-change"
    low, high = close.panels[0].span or (0, 0)
    assert low < 8 < high
    assert high - low == pytest.approx(CLOSE_UP * 0.005, rel=0.02)
    assert 8 - low < high - 8
    scenario = small.with_({"line.trunk.delay": "50 ms"})
    _, close = changed(scenario, FADE)
    low, high = close.panels[0].span or (0, 0)
    assert high - low == pytest.approx(ROUND_TRIPS * 0.1, rel=0.02)


def test_without_a_change_the_close_up_is_the_end(small: Scenario) -> None:
    whole, close = changed(small)
    assert close.name == "trace-close-up"
    assert not any(panel.instants for sheet in (whole, close) for panel in sheet.panels)
    assert max(close.panels[0].traces[0].x) == pytest.approx(20, abs=0.01)


def test_a_line_whose_rate_changes_has_no_one_rate() -> None:
    """The mean rate of the run would be the bottleneck of no moment of it."""
    network = {"dumbbell": {"pairs": 2, "rate": "20 Mb/s", "delay": "1 ms"}}
    change = {**FADE, "at": "1 s", "value": "10 Mb/s"}
    scenario = Scenario.of({"duration": "2 s", "scheme": "erica", "network": network, "change": [change]})
    read, _ = sampled(scenario, 2)
    (whole, *_) = sheets(scenario, run(read))
    panels = panels_of(whole)
    rates = next(panel for label, panel in panels.items() if label.startswith("rates at trunk"))
    assert rates.level is None
    assert "rate" in {trace.label for trace in rates.traces}
    assert "ACR (Mb/s)" in panels


def test_a_trace_that_would_be_a_band_is_a_mean_with_its_extremes() -> None:
    x = [number / 1000 for number in range(5000)]
    fast = Trace("queue", x, [float(10 * (number % 2) + (number == 2500) * 40) for number in range(5000)])
    slow = Trace("queue", x, [float(number // 50 % 2) for number in range(5000)])
    assert is_band(fast)
    assert not is_band(slow)
    middles, means, low, high = band(fast)
    assert len(middles) == BANDS
    assert sorted(set(means)) == [5, 7]
    assert (set(low), set(high)) == ({0.0}, {10.0, 40.0})
    sheet = shared_traces("trace", "t", [Panel("", "queue", traces=[fast])], caption="One.")
    assert sheet.caption.startswith("One. Where a shade is, the line is the mean")
    assert shared_traces("trace", "t", [Panel("", "queue", traces=[slow])], caption="One.").caption == "One."
    (axis,) = draw(sheet).axes
    (shade,) = axis.patches
    assert np.asarray(shade.get_path().vertices)[:, 1].max() == 40
    (line,) = axis.lines
    assert np.max(np.asarray(line.get_ydata())) == pytest.approx(7)


def test_marks_are_drawn_where_the_axis_has_them() -> None:
    trace = Trace("queue", [0.0, 1.0, 2.0], [1.0, 2.0, 3.0])
    panels = [Panel("", "queue", traces=[trace]), Panel("", "rate", traces=[trace])]
    figure = draw(shared_traces("trace", "t", panels, instants=[0.5, 1.5, 9.0]))
    for number, axis in enumerate(figure.axes):
        assert [np.asarray(line.get_xdata())[0] for line in axis.lines[1:]] == [0.5, 1.5]
        assert [text.get_text() for text in axis.texts] == (["1", "2"] if number == 0 else [])
