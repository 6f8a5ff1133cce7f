"""Texts of a network's lines: none hides a line, a busy line's number comes first, a caption names the rest."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from penstock import Scenario, network_figure
from penstock.plot import Diagram, Wire, left_out
from penstock.plot.arrange import Arrangement, arrange
from penstock.plot.space import Rectangle, height_of_text, wide_of
from penstock.plot.wire_texts import VISIBLE
from penstock.show.network import lines_of

pytestmark = pytest.mark.in_process

PLACES = {"Hamburg": (0.0, 1.0), "Berlin": (0.9, 0.6), "Exchange": (1.9, 0.5), "Hof": (2.2, 1.1), "Zürich": (4.0, 1.0)}


def crowded(percent: str = "") -> Diagram:
    """Five nodes, each with a line to each other: there is room for a few texts."""
    label = "622.08 Mb/s\n2.5 ms"
    wires = [
        Wire(f"{start}-{end}", (start, end), label, percent, used=(1.0, None)) for start, end in combinations(PLACES, 2)
    ]
    return Diagram(PLACES, wires, (), row=False)


def rectangles(found: Arrangement) -> list[Rectangle]:
    return [Rectangle.around(place, wide_of(text), height_of_text(text)) for text, place in found.texts.values()]


@pytest.mark.parametrize("percent", ["", "100 %"])
def test_no_text_hides_a_line_or_another_text(percent: str) -> None:
    diagram = crowded(percent)
    found = arrange(diagram)
    texts = rectangles(found)
    assert len(texts) > 2
    for one, other in combinations(texts, 2):
        assert one.right <= other.left or other.right <= one.left or one.top <= other.low or other.top <= one.low
    for wire in diagram.wires:
        start, end = found.space.part(*wire.ends)
        shown = math.dist(start, end) - sum(text.covered(start, end) for text in texts)
        assert shown >= min(VISIBLE, math.dist(start, end)) - 1e-9, wire.name


def test_numbers_of_busy_lines_come_before_rates_and_what_has_no_room_is_named() -> None:
    plain, busy = crowded(), crowded("100 %")
    shown = [text for text, _ in arrange(busy).texts.values()]
    assert all(text.endswith("100 %") for text in shown)
    assert len(shown) > len(arrange(plain).texts)
    out = left_out(busy)
    names = [wire.name for wire in busy.wires]
    assert len(out.percents) == len(names) - len(shown)
    whole = [names[number] for number, text in arrange(busy).texts.items() if text.text != "100 %"]
    assert sorted([*out.labels, *whole]) == sorted(names)


def test_a_caption_names_the_lines_without_room() -> None:
    lines = {
        f"{one}-{other}": {"between": [one, other], "rate": f"{622 + number} Mb/s", "delay": "2.5 ms"}
        for number, (one, other) in enumerate(combinations([f"a long name {n}" for n in range(9)], 2))
    }
    flow = {"data": {"from": ["a long name 0"], "to": ["a long name 1"], "traffic": {"greedy": {}}}}
    sheet = network_figure(Scenario.of({"duration": "1 s", "line": lines, "flow": flow}))
    diagram = sheet.panels[0].diagram
    assert diagram is not None
    names = left_out(diagram).labels
    assert len(names) > 5
    assert f"No room for rate and delay of {len(names)} lines: {', '.join(names[:4])} and {len(names) - 4} more." in (
        sheet.caption
    )


def test_a_busy_line_with_the_usual_rate_has_its_number() -> None:
    ends = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    wires = [Wire(start + end, (start, end), "", "97 %", used=(0.97, 0.1)) for start, end in ends]
    places = {"a": (0.0, 0.0), "b": (3.0, 0.0), "c": (3.0, 2.0), "d": (0.0, 2.0)}
    diagram = Diagram(places, wires, (), row=False)
    assert [text.text for text in arrange(diagram).texts.values()] == ["97 %"] * 4
    assert left_out(diagram).labels == left_out(diagram).percents == []


def test_queues_without_room_are_left_out_by_name() -> None:
    many = {f"n{number}": (float(number % 10), float(number // 10)) for number in range(80)}
    wires = [
        Wire(f"l{n}", (f"n{n}", f"n{n + 1}"), "", points=(True, None), queues=((0.5, 1.0), None)) for n in range(79)
    ]
    out = left_out(Diagram(many, wires, (), row=False))
    assert out.has_dots
    assert out.queues == out.points == [wire.name for wire in wires]
    assert lines_of(out.queues) == "79 lines: l0, l1, l2, l3 and 75 more"
    assert lines_of(["l0"]) == "1 line: l0"
