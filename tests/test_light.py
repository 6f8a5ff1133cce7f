"""Drawings without matplotlib: their axes, their parts, and the values that the script of a page finds in them."""

from __future__ import annotations

import json
import math
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from penstock.plot import Panel, Sheet, Spot, Tail, Trace, draw, inline, tails
from penstock.plot.light import Axis
from penstock.plot.rows import bar_axis
from penstock.plot.spots import spot_axes
from penstock.statistics import Estimate, Sample

BARS = Panel(
    "",
    "",
    rows={"a < b": [1.0, 3.0], "★ c": [4.0, 6.0]},
    estimates={"a < b": Estimate(2.0, 1.5, 2.5, 2), "★ c": Estimate(5.0, None, None, 2)},
    title="delay (s)",
    chosen=["★ c"],
)
SPOTS = Panel(
    "load",
    "delay",
    spots=[
        Spot("a", Estimate(0.5, 0.4, 0.6, 3), Estimate(1.0, 0.5, 1.5, 3), 0),
        Spot("b", Estimate(0.9, None, None, 1), Estimate(2.0, None, None, 1), 8),
    ],
)
TRACES = [
    Panel("", "queue", traces=[Trace("a", [0.0, 1.0, 2.0], [0.0, 10.0, 5.0]), Trace("b", [0.0, 2.0], [5.0, 5.0])]),
    Panel("time (s)", "use", traces=[Trace("a", [0.0, 1.0, 2.0], [0.0, 0.5, 1.0])]),
]


def page(*sheets: Sheet) -> Element:
    """The drawings of sheets as one tree, which shows that they are well-formed."""
    shared, drawings = inline(sheets)
    return ElementTree.fromstring(f"<page>{shared}{''.join(drawings)}</page>")


def light(*panels: Panel) -> Sheet:
    return Sheet("s", "S", "", panels, columns=1 if panels[0].traces else 2, light=True)


def numbers(path: Element) -> list[float]:
    return [float(each) for each in path.attrib["d"].replace("M", " ").replace("L", " ").split()]


def values_of(root: Element) -> list[dict[str, Any]]:
    return [json.loads(each.attrib["data-panel"]) for each in root.iter() if each.get("class") == "panel"]


@pytest.mark.parametrize(
    ("axis", "told"),
    [
        (Axis(False, 0.0, 10.0, "", 0.0, 1.0), ["0", "2", "4", "6", "8", "10"]),
        (Axis(False, -0.03, 1.06, "", 0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (Axis(False, 0.71, 0.74, "", 0.0, 1.0), ["0.71", "0.715", "0.72", "0.725", "0.73", "0.735", "0.74"]),
        (Axis(True, 0.02, 300.0, "", 0.0, 1.0), ["10⁻¹", "1", "10¹", "10²"]),
        (Axis(True, 1e-12, 1.0, "", 0.0, 1.0), [f"10{power}" for power in ("⁻¹²", "⁻⁹", "⁻⁶", "⁻³")] + ["1"]),
    ],
)
def test_ticks_are_round_and_few(axis: Axis, told: list[str]) -> None:
    assert [text for _, text in axis.ticks()] == told


def test_the_axis_of_bars_has_zero_or_powers_of_ten() -> None:
    assert bar_axis(BARS) == pytest.approx((False, -0.18, 6.36))
    wide = Panel("", "", rows={"a": [1e-3], "b": [1.0]}, estimates={}, log_x=True)
    assert bar_axis(wide) == pytest.approx((True, 1e-3 / 1.6, 1.6))
    zero = Panel("", "", rows={"a": [0.0]}, estimates={"a": Estimate(0.0, 0.0, 0.0, 3)}, log_x=True)
    assert bar_axis(zero) == pytest.approx((False, -0.03, 1.06))


def test_bars_end_at_their_means() -> None:
    root = page(light(BARS))
    (values,) = values_of(root)
    assert values["rows"] == [["a < b", 2, 1.5, 2.5], ["★ c", 5]]
    (left, _, width, _), (_, low, high, _) = values["box"], values["x"]
    bars = [each.attrib["d"] for each in root.iter() if each.get("class") == "bar"]
    for bar, mean in zip(bars, (2.0, 5.0), strict=True):  # the chosen one has another colour, so another path
        end = float(bar.split("H")[1].split("v")[0])
        assert (end - left) / width * (high - low) + low == pytest.approx(mean, abs=0.01)
    assert [each.text for each in root.iter("text")][:3] == ["delay (s)", "a < b", "★ c"]


def test_a_panel_of_every_scheme_is_small() -> None:
    names = [f"★ a scheme with a name, {number}" for number in range(17)]
    rows = {name: [1.23456 * (place + 1) + 0.54321 * n for n in range(5)] for place, name in enumerate(names)}
    estimates = {name: Sample(values).estimate() for name, values in rows.items()}
    _, (drawing,) = inline([light(Panel("", "", rows=rows, estimates=estimates, title="delay (s)", chosen=names[:9]))])
    assert len(drawing.encode()) < 5_500  # a page of 21 cases has 250 of them, and should have less than 3 MB


def test_spots_stand_at_their_means_with_their_intervals() -> None:
    root = page(light(SPOTS, SPOTS))
    values, _ = values_of(root)
    assert values["series"] == [
        {"label": "a", "colour": "#0072B2", "points": [[0.5, 1, 0.5, 1.5]]},
        {"label": "b", "colour": "#D55E00", "points": [[0.9, 2]]},
    ]
    (left, right), (is_log, low, high) = spot_axes(SPOTS)
    assert (left, right, is_log, low, high) == pytest.approx((0.37, 0.93, False, 0.41, 2.09))
    box = values["box"]
    first = next(each for each in root.iter("path") if each.get("class") == "line")
    x = [(at - box[0]) / box[2] * (right - left) + left for at in numbers(first)[::2]]
    y = [high - (at - box[1]) / box[3] * (high - low) for at in numbers(first)[1::2]]
    assert x == pytest.approx([0.4, 0.6, 0.5, 0.5], abs=1e-3)
    assert y == pytest.approx([1.0, 1.0, 0.5, 1.5], abs=0.01)
    legend = [each.text for each in root.iter("b")]
    assert legend == ["a", "b"]  # once for both panels


def test_a_wide_interval_does_not_press_other_marks_together() -> None:
    sure = Estimate(4.0, 4.0, 4.0, 3)
    wide = [Spot("a", Estimate(2.0, -90, 90, 3), Estimate(3.0, -50, 50, 3), 0), Spot("b", sure, sure, 1)]
    assert spot_axes(Panel("x", "y", spots=wide, log_y=True)) == ((1.88, 4.12), (False, 2.94, 4.06))
    across, (is_log, low, high) = spot_axes(Panel("x", "y", spots=wide))
    assert across[0] < -90
    assert not is_log
    assert low < -50
    assert high > 50


def test_named_spots_have_their_labels_beside_them_and_hollow_ones_no_filling() -> None:
    near = Estimate(0.9, None, None, 1)
    spots = [
        Spot("left", Estimate(0.1, None, None, 1), near, 0, named=True),
        Spot("right", near, near, 1, hollow=True, named=True),
        Spot("other", near, near, 3, named=True),
        Spot("third", Estimate(0.5, None, None, 1), Estimate(2.0, None, None, 1), 2),
        Spot("low", Estimate(0.5, None, None, 1), Estimate(0.1, None, None, 1), 4),
    ]
    root = page(light(Panel("load", "delay", spots=spots, title="a network")))
    texts = {each.text: each for each in root.iter("text")}
    assert texts["a network"].attrib["class"] == "head"
    assert texts["left"].attrib["class"] == "spot"
    right, over = texts["right"].attrib, texts["other"].attrib
    assert right["class"] == over["class"] == "spot end"  # at the right edge
    assert abs(float(right["y"]) - float(over["y"])) > 9  # at one height they would be over each other
    leads = [each.attrib["style"] for each in root.iter("path") if each.get("class") == "lead"]
    assert leads == ["stroke:var(--c-000000)"]  # to the one for which there was no room beside its mark
    assert "third" not in texts
    marks = [each.attrib["style"] for each in root.iter("use") if "x" in each.attrib]
    assert [mark.startswith("fill:var(--page)") for mark in marks[:3]] == [False, True, False]


def test_traces_are_lines_on_one_time_axis() -> None:
    root = page(light(*TRACES))
    above, below = values_of(root)
    assert above["x"] == [False, 0, 2, ""]
    assert below["x"] == [False, 0, 2, "time (s)"]
    assert above["y"] == [False, 0, 10, "queue"]
    box = above["box"]
    lines = [each for each in root.iter("g") if "data-line" in each.attrib]
    assert [each.attrib["data-line"] for each in lines] == ["0", "1", "0"]
    first = numbers(lines[0][0])
    assert [(at - box[0]) / box[2] for at in first[::2]] == pytest.approx([0.0, 0.5, 1.0], abs=1e-3)
    assert [1 - (at - box[1]) / box[3] for at in first[1::2]] == pytest.approx([0.0, 1.0, 0.5], abs=1e-3)


def test_ids_are_unique_and_whatever_is_referred_to_is_there() -> None:
    root = page(light(BARS), light(SPOTS, SPOTS), light(*TRACES))
    ids = [each.attrib["id"] for each in root.iter() if "id" in each.attrib]
    assert len(ids) == len(set(ids))
    used = {each.attrib["href"][1:] for each in root.iter("use")}
    used |= {each.attrib["clip-path"][5:-1] for each in root.iter() if "clip-path" in each.attrib}
    assert used <= set(ids)


def test_a_light_sheet_is_no_figure_of_matplotlib() -> None:
    with pytest.raises(ValueError, match="drawn for pages only"):
        draw(light(BARS))


def test_the_values_of_a_line_are_its_points_without_the_inside_of_level_stretches() -> None:
    trace = Trace("a", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 5.0, 5.00001, 5.0, math.nan, 7.0])
    for drawn in (
        page(light(Panel("t", "q", traces=[trace]))),
        page(Sheet("s", "S", "", [Panel("t", "q", traces=[trace])])),
    ):
        (values,) = values_of(drawn)
        (series,) = values["series"]
        assert series == {"label": "a", "colour": "#0072B2", "points": [[0, 0], [1, 5], [3, 5], [5, 7]]}


def test_the_values_of_a_tail_are_steps_from_the_least_value_of_all() -> None:
    (values,) = values_of(page(tails("s", "S", [Tail("a", {2.0: 1, 4.0: 3}), Tail("b", {1.0: 1})], x_label="x")))
    assert [(each["points"], each["steps"]) for each in values["series"]] == [
        ([[1, 1], [2, 0.75], [4, 0]], True),
        ([[1, 1], [1, 0]], True),
    ]
