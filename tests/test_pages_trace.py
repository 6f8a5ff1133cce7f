"""One run against time: the panels of its readings, in suitable units."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import pytest

from penstock import Scenario, run
from penstock.plot import Panel, Sheet
from penstock.show.trace import CLOSE_UP_TRANSPORT, READINGS, sampled, sheets, span, traces_of

BACKOFF = {"flow.data.transport.tp4.window": {"backoff": {"initial_threshold": 4}}}
WITHDRAWING = {"flow.data.transport.tp4.credit": {"withdrawing_credit": {"multiple": 4}}}
END_S = 200


def traced(changes: Mapping[str, object]) -> tuple[pl.DataFrame, list[Sheet]]:
    """The readings of a short run of the ATN scenario B with a strategy, and the figures of them."""
    scenario = Scenario.load("atn/scenario-b").with_({"sweep": None, "duration": f"{END_S} s", **changes})
    read, interval = sampled(scenario, END_S)
    assert interval == "10 ms"
    series = run(read).series
    return series, sheets(scenario, 1, series, None)


def panels_of(sheet: Sheet) -> dict[str, Panel]:
    return {panel.y_label: panel for panel in sheet.panels}


def test_credit_that_is_withdrawn_is_seen() -> None:
    series, (whole, close) = traced(WITHDRAWING)
    panels = panels_of(whole)
    assert list(panels) == ["queue (kbit)", "credit (PDUs)"]  # what the sender uses of the credit is all of it
    read = traces_of(series)
    for trace in panels["credit (PDUs)"].traces:
        assert (trace.x, trace.y) == read[trace.label, "credit"]
    busy = next(trace for trace in panels["credit (PDUs)"].traces if trace.label == "data/es2-es12")
    assert max(busy.y) == 7  # saw
    assert {value for value in busy.y[-READINGS // 4 :] if value} == {1}
    assert {len(trace.x) for panel in close.panels for trace in panel.traces} == {CLOSE_UP_TRANSPORT}


def test_the_window_of_a_sender_has_a_panel_of_its_own() -> None:
    series, (whole, _) = traced(BACKOFF)
    panels = panels_of(whole)
    assert list(panels) == ["queue (kbit)", "credit (PDUs)", "window (PDUs)"]
    read = traces_of(series)
    for trace in panels["window (PDUs)"].traces:
        assert trace.y == read[trace.label, "window"][1]
        assert all(window <= credit for window, credit in zip(trace.y, read[trace.label, "credit"][1], strict=True))


def test_queues_whose_bits_are_counted_are_drawn_in_kilobits() -> None:
    series, (whole, _) = traced(BACKOFF)
    bits = series.filter(component="is6-is10", quantity="queue_bits")["value"].to_list()
    (trace,) = (trace for trace in panels_of(whole)["queue (kbit)"].traces if trace.label == "is6-is10")
    assert trace.y == [value / 1000 for value in bits]
    assert max(trace.y) > 13  # one packet of 1600 octets and its headers at least


@pytest.mark.parametrize(("octets", "label"), [(53, "queue (cells)"), (1500, "queue (PDUs)")])
def test_only_cells_are_called_cells(small: Scenario, octets: int, label: str) -> None:
    scenario = small.with_({"flow.random.octets": octets, "measure.sample": "10 ms"})
    (whole,) = sheets(scenario, 1, run(scenario).series, None)
    assert whole.panels[0].y_label == label


def test_each_of_several_queues_is_drawn_beside_the_bits_of_all(small: Scenario) -> None:
    queues = [{"drop_tail_bits": {"size": "20000 bits"}}, {"drop_tail": {"size": "50 cells"}}]
    scenario = small.with_(
        {"line.trunk.queues": queues, "flow.random.priority": 1, "line.trunk.rate": "1 Mb/s", "measure.sample": "10 ms"}
    )
    (whole,) = sheets(scenario, 1, run(scenario).series, None)
    panels = panels_of(whole)
    assert [trace.label for trace in panels["queue (kbit)"].traces] == ["trunk"]
    assert [trace.label for trace in panels["queue (cells)"].traces] == ["trunk, queue_0", "trunk, queue_1"]


@pytest.mark.parametrize(("length_s", "told"), [(2.4, "2.4 s"), (0.12, "120 ms"), (1e-3, "1 ms"), (4.55e-4, "455 us")])
def test_lengths_of_time_have_a_unit_that_suits_them(length_s: float, told: str) -> None:
    assert span(length_s) == told
