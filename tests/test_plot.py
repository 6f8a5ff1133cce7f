"""Figures show what they are given, with intervals, and say what they cannot show."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from sheets import CURVE, ZERO, by_name, sheet, wave

from penstock.core.errors import InputError
from penstock.plot import (
    Curve,
    Panel,
    Sheet,
    Tail,
    Trace,
    against,
    draw,
    heat_map,
    over_time,
    shared_traces,
    tails,
)
from penstock.plot.style import ON_DARK, ON_LIGHT

HALF_WIDTH = 4.302653 * 2 / 3**0.5
"""Of the values 0, 2, 4: Student's quantile for two degrees of freedom, standard deviation 2."""


def data(line: object, side: str) -> list[float]:
    return [float(value) for value in np.asarray(getattr(line, f"get_{side}data")())]


# ---------------------------------------------------------------------------------------------- against a parameter
def test_one_line_per_seed_their_mean_and_its_interval() -> None:
    axis = draw(sheet(Panel("x", "y", [CURVE]))).axes[0]
    thin = [line for line in axis.lines if line.get_linewidth() < 1]
    assert [data(line, "y") for line in thin] == [[0.0, 1.0], [2.0, 2.0], [4.0, 3.0]]
    (mean,) = [line for line in axis.lines if line.get_linewidth() > 1]
    assert data(mean, "y") == [2.0, 2.0]
    (band,) = axis.patches
    heights = [float(height) for _, height in np.asarray(band.get_path().vertices)]
    assert max(heights) == pytest.approx(2 + HALF_WIDTH, abs=1e-5)


def test_against_a_parameter_the_interval_is_drawn_and_each_seed_only_on_request() -> None:
    plain = draw(against("a", "A", [CURVE], x_label="x", y_label="y")).axes[0]
    full = draw(against("a", "A", [CURVE], x_label="x", y_label="y", each_seed=True)).axes[0]
    assert (len(plain.lines), len(plain.patches)) == (1, 1)
    assert (len(full.lines), len(full.patches)) == (4, 1)


def test_the_caption_says_what_the_interval_rests_on() -> None:
    def caption(*curves: Curve) -> str:
        return against("a", "A", curves, x_label="x", y_label="y", caption="Told.").caption

    single = Curve("one", {1.0: {1: 5.0}})
    assert caption(CURVE) == "Told. Means of 3 replications, shaded: 95 % intervals."
    two = Curve("two", {1.0: {1: 5.0, 2: 6.0}})
    assert caption(two) == "Told. Means of 2 replications, too few for intervals."
    assert caption(single) == "Told. One replication each, so without intervals."
    assert "Means of 1 to 3 replications" in caption(CURVE, single)
    assert caption(Curve("t", {1.0: {0: 5.0}}, exact=True)) == "Told. Dashed: exact."
    assert "bars: 95 % intervals" in caption(Curve("named", by_name()))


def test_an_exact_curve_is_dashed_and_has_no_interval() -> None:
    axis = draw(sheet(Panel("x", "y", [Curve("theory", {1.0: {0: 5.0}, 2.0: {0: 6.0}}, exact=True)]))).axes[0]
    assert [line.get_linestyle() for line in axis.lines] == ["--"]
    assert not axis.collections


def test_labels_stand_side_by_side_with_bars_and_no_line_joins_them() -> None:
    curves = [Curve("a", {"p": {1: 0.0, 2: 2.0, 3: 4.0}, "q": {1: 1.0}}), Curve("b", {"q": {1: 5.0}})]
    axis = draw(against("a", "A", curves, x_label="x", y_label="y")).axes[0]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["p", "q"]
    bars = [line for line in axis.lines if line.get_linestyle() == "-"]
    assert [data(bar, "y") for bar in bars] == [pytest.approx([2 - HALF_WIDTH, 2 + HALF_WIDTH], abs=1e-5)]
    first, second = (line for line in axis.lines if line.get_linestyle() == "None")
    assert (data(first, "y"), data(second, "y")) == ([2.0, 1.0], [5.0])
    assert data(first, "x")[1] < 1 < data(second, "x")[0]


def test_curves_take_colours_in_turn_and_no_two_look_alike() -> None:
    curves = [Curve(str(number), CURVE.points) for number in range(20)]
    lines = draw(against("a", "A", curves, x_label="x", y_label="y")).axes[0].lines
    assert len({(str(line.get_color()), str(line.get_marker())) for line in lines}) == 20


@pytest.mark.parametrize(
    ("points", "log_x", "named"),
    [({0.0: {1: 1.0}}, True, "0.0"), ({"a": {1: 1.0}}, True, "a"), ({math.nan: {1: 1.0}}, True, "nan")],
)
def test_what_a_log_axis_cannot_show_is_refused(points: dict[float, dict[int, float]], log_x: bool, named: str) -> None:
    with pytest.raises(InputError, match=f"load = {named}: a logarithmic axis"):
        against("a", "A", [Curve("c", points)], x_label="load", y_label="y", log_x=log_x)


def test_numbers_and_labels_do_not_share_an_axis() -> None:
    with pytest.raises(InputError, match="some x are numbers and some are labels"):
        against("a", "A", [CURVE, Curve("n", by_name())], x_label="x", y_label="y")


def test_an_axis_where_all_is_zero_says_so_and_keeps_its_scale() -> None:
    axis = draw(sheet(Panel("x", "y", [ZERO], top=0.001))).axes[0]
    assert axis.get_ylim() == pytest.approx((-0.00003, 0.001))
    assert "zero at every point" in axis.texts[0].get_text()


def test_a_logarithmic_y_axis_spans_the_values_whatever_their_intervals() -> None:
    curve = Curve("", {0.0: {1: 10.0, 2: 11.0}, 1.0: {1: 2e6, 2: 4e5}})
    (axis,) = draw(sheet(Panel("x", "y", curves=[curve], log_y=True))).axes
    assert axis.get_yscale() == "log"
    low, high = axis.get_ylim()
    assert low < 10 < 2e6 < high
    assert (low, high) == pytest.approx((10 / 1.4, 2e6 * 1.4))


def test_a_logarithmic_axis_needs_values_that_differ_by_a_factor_of_three() -> None:
    def scale(high: float) -> str:
        curve = Curve("", {0.0: {1: 10.0}, 1.0: {1: high}})
        (axis,) = draw(sheet(Panel("x", "y", curves=[curve], log_y=True))).axes
        assert axis.get_ylim()[0] < 10 < high < axis.get_ylim()[1]
        return axis.get_yscale()

    assert (scale(29.0), scale(30.0)) == ("linear", "log")


def test_markers_at_the_ends_of_an_axis_are_whole() -> None:
    flat, zero = (Curve("", {0.0: {1: value}, 1.0: {1: 4.0}}) for value in (4.0, 0.0))
    first, second = draw(sheet(Panel("x", "y", [flat]), Panel("x", "y", [zero]))).axes
    assert first.get_ylim()[0] == 0
    assert first.get_ylim()[1] > 4.1
    assert second.get_ylim()[0] < -0.1


def test_labels_in_an_order_may_be_joined_and_stand_between_lines() -> None:
    curve = Curve("a", {"p": {1: 0.0, 2: 2.0}, "q": {1: 1.0, 2: 4.0}})
    (axis,) = draw(sheet(Panel("x", "y", [curve], each_seed=False, joined=True))).axes
    bars, means = axis.lines
    assert (means.get_linestyle(), data(means, "y")) == ("-", [1.0, 2.5])
    assert np.isnan(data(bars, "y")).tolist() == [False, False, True, False, False]
    assert axis.get_xticks(minor=True).tolist() == [0.5]


def test_traces_may_have_a_logarithmic_y_axis() -> None:
    traces = [Trace("rate", [0.0, 1.0, 2.0], [0.0, 5.0, 150.0])]
    (axis,) = draw(sheet(Panel("x", "y", traces=traces, log_y=True))).axes
    assert axis.get_yscale() == "log"
    assert axis.get_ylim() == pytest.approx((5.0 / 1.4, 150.0 * 1.4))


def test_data_above_the_least_top_are_not_cut_off() -> None:
    axis = draw(sheet(Panel("x", "y", [CURVE], top=0.5))).axes[0]
    assert axis.get_ylim()[1] > 4.0


def test_all_labels_are_explained_once() -> None:
    panels = [Panel("x", "y", [Curve("a", CURVE.points), Curve("b", CURVE.points, hue=1)]) for _ in range(4)]
    (legend,) = draw(sheet(*panels, columns=2)).legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]


def test_names_that_begin_with_an_underscore_are_in_the_legend() -> None:
    """matplotlib hides them."""
    curves = [Curve("_a", CURVE.points), Curve("b", CURVE.points, exact=True), Curve("__proto__", by_name())]
    stack = shared_traces("s", "S", [Panel("t", "q", traces=[wave("__proto__-b"), wave("c")], level=1.0)] * 2)
    for figure in (
        draw(sheet(Panel("x", "y", curves[:2], level=1.0, level_label="_level"), Panel("x", "y", curves[2:]))),
        draw(replace(sheet(Panel("x", "y", curves[:2]), Panel("x", "y", curves[2:])), columns=2)),
        draw(tails("d", "D", [Tail("_tail", {1.0: 2, 2.0: 3})], x_label="x", limit=1.5, limit_label="_limit")),
        draw(stack),
    ):
        legends = [*figure.legends, *(axis.get_legend() for axis in figure.axes if axis.get_legend() is not None)]
        names = [text.get_text() for legend in legends if legend for text in legend.get_texts()]
        shown = {line.get_label() for axis in figure.axes for line in axis.lines}
        expected = {name for name in shown if not str(name).startswith("_child")}
        assert {*names} == expected
        assert any(name.startswith("_") for name in names)


# ------------------------------------------------------------------------------------------------------- time series
def test_traces_are_explained_and_can_be_told_apart_without_colour() -> None:
    figure = draw(over_time("t", "T", [wave("a"), wave("b")], y_label="y", level=1.5, level_label="limit"))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b", "limit"]
    first, second, _ = figure.axes[0].lines
    assert first.get_marker() != second.get_marker()
    assert not set(first.get_markevery()) & set(second.get_markevery())  # type: ignore[arg-type]


def test_panels_above_one_another_share_the_time_axis_of_the_longest_trace() -> None:
    panels = [Panel("", "queue", traces=[wave("a", count=50)]), Panel("", "rate", traces=[wave("b", count=100)])]
    upper, lower = draw(shared_traces("s", "S", panels, x_label="time (ms)")).axes
    assert upper.get_xlim() == lower.get_xlim() == pytest.approx((0.0, 9.9))
    assert (upper.get_xlabel(), lower.get_xlabel()) == ("", "time (ms)")
    left, right = (axis.get_position().get_points()[:, 0].tolist() for axis in (upper, lower))
    assert left == right


def test_a_long_trace_is_thinned_but_keeps_its_peaks() -> None:
    count = 300_000
    y = [0.0] * count
    y[123_457], y[250_001] = 9.0, -7.0
    trace = Trace("long", [number / 1000 for number in range(count)], y)
    (line,) = draw(over_time("t", "T", [trace], y_label="y")).axes[0].lines
    x, shown = data(line, "x"), data(line, "y")
    assert len(x) <= 4000
    assert x == sorted(x)
    assert (x[0], x[-1]) == (0.0, 299.999)
    assert x[shown.index(9.0)] == 123.457
    assert x[shown.index(-7.0)] == 250.001


def test_traces_without_points_are_no_error() -> None:
    empty = Trace("nothing", [], [])
    assert draw(over_time("t", "T", [empty, wave("a")], y_label="y")).axes[0].get_xlim()[1] == pytest.approx(19.9)
    draw(over_time("t", "T", [empty], y_label="y"))


# ------------------------------------------------------------------------------------------------------------- tails
def test_a_tail_is_the_share_above_each_value() -> None:
    counts = {3.0: 2, 1.0: 5, 2.0: 0, 10.0: 1}
    axis = draw(tails("t", "T", [Tail("a", counts)], x_label="x")).axes[0]
    (line,) = axis.lines
    assert (data(line, "x"), data(line, "y")) == ([1.0, 1.0, 3.0, 10.0], [1.0, 3 / 8, 1 / 8, 0.0])
    assert line.get_drawstyle() == "steps-post"
    assert axis.get_yscale() == "log"
    assert axis.get_ylim()[0] < 1 / 8


def test_tails_have_exact_curves_a_limit_and_a_word_for_none() -> None:
    theory = Trace("M/M/1", [0.0, 1000.0], [1.0, 1e-9])
    made = tails(
        "t",
        "T",
        [Tail("a", {1.0: 90, 2.0: 10}), Tail("b", {})],
        x_label="x",
        exact=[theory],
        limit=4,
        limit_label="limit",
    )
    figure = draw(made)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b (no values)", "M/M/1", "limit"]
    assert [line.get_linestyle() for line in figure.axes[0].lines][2] == "--"
    assert 4 < figure.axes[0].get_xlim()[1] < 5
    assert made.caption == "Each of 100 values; a line ends at the greatest. Dashed: exact."


def test_a_tail_with_a_value_of_zero_needs_a_linear_axis() -> None:
    with pytest.raises(InputError, match=r"delay = 0\.0"):
        tails("t", "T", [Tail("a", {0.0: 1})], x_label="delay", log_x=True)


# --------------------------------------------------------------------------------------------------------- heat maps
def heat(values: dict[tuple[float, float], dict[int, float]]) -> tuple[Sheet, Axes]:
    made = heat_map("h", "H", values, x_label="x", y_label="y", quantity="loss")
    return made, draw(made).axes[0]


def test_a_heat_map_shows_means_in_the_order_of_the_numbers_and_hatches_what_is_missing() -> None:
    values = {(10.0, 1.0): {1: 1.0, 2: 2.0}, (2.0, 1.0): {1: 5.0, 2: 5.0}, (10.0, 0.5): {1: math.nan, 2: 1.0}}
    made, axis = heat(values)
    shown = axis.images[0].get_array()
    assert shown is not None
    grid = np.ma.filled(shown, math.nan)
    assert np.array_equal(grid, [[math.nan, math.nan], [5.0, 1.5]], equal_nan=True)
    assert [label.get_text() for label in axis.get_xticklabels()] == ["2", "10"]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["0.5", "1"]
    assert [text.get_text() for text in axis.texts] == ["5.00", "1.50"]
    assert axis.patches[0].get_hatch()
    assert made.caption == "Means of 2 replications. Hatched: no value."
    (bar,) = axis.child_axes
    assert bar.get_ylabel() == "loss"


def test_labels_of_a_heat_map_keep_their_order_from_above() -> None:
    made = heat_map("h", "H", {("b", "q"): {1: 1.0}, ("a", "p"): {1: 2.0}}, x_label="", y_label="", quantity="")
    cells = made.panels[0].cells
    assert cells is not None
    assert (cells.columns, cells.lines) == (["b", "a"], ["p", "q"])
    assert cells.values == [[None, 2.0], [1.0, None]]


def test_values_are_printed_black_on_light_and_white_on_dark_cells() -> None:
    _, axis = heat({(1, 1): {1: 0.0}, (2, 1): {1: 1.0}})
    assert [text.get_color() for text in axis.texts] == [ON_DARK, ON_LIGHT]


def test_small_values_are_counted_in_a_power_of_ten_that_is_named() -> None:
    _, axis = heat({(1, 1): {1: 2.5e-6}, (2, 1): {1: 1e-6}})
    assert [text.get_text() for text in axis.texts] == ["2.50", "1.00"]
    assert axis.child_axes[0].get_ylabel().replace("\n", " ") == "loss, in units of 10⁻⁶"


def test_large_values_are_printed_whole() -> None:
    _, axis = heat({(0.0, 0.0): {1: 9876.4}, (1.0, 0.0): {1: 12.345}})
    assert [text.get_text() for text in axis.texts] == ["9876", "12.3"]


def test_the_values_of_many_cells_are_not_printed() -> None:
    _, axis = heat({(x, y): {1: x + y} for x in range(16) for y in range(10)})
    assert not axis.texts
