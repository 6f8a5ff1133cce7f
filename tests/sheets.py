"""What the tests of the figures share: small data, and at least one sheet of every kind."""

import math

from penstock.plot import Curve, Panel, Sheet, Tail, Trace, against, heat_map, over_time, shared_traces, tails

CURVE = Curve("loss", {1.0: {1: 0.0, 2: 2.0, 3: 4.0}, 2.0: {1: 1.0, 2: 2.0, 3: 3.0}})
ZERO = Curve("loss", {1.0: {1: 0.0, 2: 0.0}, 2.0: {1: 0.0, 2: 0.0}})
SCHEMES = ("drop_tail", "push_out", "clp_threshold", "reaction_point.rate_factor", "early packet discard")
LONGEST = tuple(
    f"congestion_avoidance (decrease = 0.625, initial = {k}), unlimited" + k * " and more" for k in range(5)
)
LONG = "a quantity with a name that is longer than its axis, and a unit (cells per second and octet)"


def sheet(*panels: Panel, columns: int = 1) -> Sheet:
    return Sheet("figure", "A figure", "What it shows. " * 12, panels, columns)


def wave(label: str, *, stretch: float = 1.0, count: int = 200) -> Trace:
    x = [number * 0.1 for number in range(count)]
    return Trace(label, x, [1 + math.sin(stretch * at) for at in x])


def by_name(schemes: tuple[str, ...] = SCHEMES) -> dict[str, dict[int, float]]:
    return {name: {seed: place + seed / 4 for seed in (1, 2, 3)} for place, name in enumerate(schemes)}


def kinds() -> list[list[Sheet]]:
    """Sheets of every kind, with texts as long as they come."""
    return [
        mixed_sheets(),
        sheets_against_numbers(),
        sheets_against_names(),
        sheets_over_time(),
        sheets_of_tails(),
        heat_maps(),
    ]


def samples() -> list[Sheet]:
    """All of them."""
    return [each for kind in kinds() for each in kind]


def one_of_each_kind() -> list[Sheet]:
    """The first of every kind."""
    return [kind[0] for kind in kinds()]


def mixed_sheets() -> list[Sheet]:
    rows = {"first": [1.0, 2.0], "second": [3.0], "nothing": []}
    traces = [Trace("queue", [0.0, 1.0, 2.0], [3.0, 1.0, 2.0])]
    mixed = [Panel("x", "y", [CURVE]), Panel("", "", rows=rows), Panel("t", "q", traces=traces, level=1.0)]
    return [
        sheet(*mixed, columns=2),
        sheet(
            Panel("x", "y", [CURVE], title="a panel"),
            Panel("", "", rows={"a name of some length, as it may be": [1.0]}),
        ),
    ]


def sheets_against_numbers() -> list[Sheet]:
    numbers = [Curve(f"curve {k}", {x: {s: x + k + s / 9 for s in (1, 2, 3)} for x in range(13)}) for k in range(9)]
    return [
        against(
            "against",
            "Maximum and mean number of cells in each queue of the satellite, " * 2,
            numbers,
            x_label="x",
            y_label=LONG,
            level=4,
            level_label="limit",
        ),
        against(
            "log", "Log", [Curve("", {2**k: {1: 1.0, 2: k} for k in range(12)})], x_label="x", y_label="y", log_x=True
        ),
        against(
            "decade", "Log", [Curve("a", {k: {1: 1.0} for k in range(1, 99)})], x_label="x", y_label="y", log_x=True
        ),
        against("uneven", "Uneven", [Curve("a", {k**4: {1: 1.0} for k in range(9)})], x_label="x", y_label="y"),
    ]


def sheets_against_names() -> list[Sheet]:
    named = [Curve(label, by_name()) for label in ("voice", "video")]
    exact = Curve("theory", {"drop_tail": {0: 3.0}}, exact=True)
    return [
        against("named", "Named", [*named, exact], x_label="scheme", y_label="y", each_seed=True, caption="W" * 200),
        against("many", "Many", [Curve("a", by_name(SCHEMES * 3))], x_label="scheme", y_label="y"),
        against(
            "longest", "Longest", [Curve("a", by_name(LONGEST))], x_label="credit, window", y_label=LONG, level=1.0
        ),
    ]


def sheets_over_time() -> list[Sheet]:
    return [
        over_time("time", "Time", [wave("fast", stretch=9), wave("slow")], y_label="y", caption="www mmm " * 60),
        shared_traces(
            "shared",
            "Shared",
            [
                Panel(
                    "",
                    "cells",
                    traces=[wave("the low priority queue of a port"), wave("b")],
                    level=1.5,
                    level_label="L",
                ),
                Panel("", LONG, traces=[wave("rate", count=100)]),
            ],
        ),
    ]


def sheets_of_tails() -> list[Sheet]:
    counts = {270 + k / 7: 1 + 10**6 // (k + 1) ** 3 for k in range(150)}
    return [
        tails(
            "tails", "Tails", [Tail("voice", counts), Tail("none", {})], x_label="delay", limit=300, limit_label="limit"
        ),
        tails("one", "One", [Tail("constant", {5.0: 3})], x_label="delay", log_x=True),
    ]


def heat_maps() -> list[Sheet]:
    cells = {(x, y): {1: x * y * 1e-5, 2: x * y * 2e-5} for x in range(1, 13) for y in (16, 32, 64) if x != y / 8}
    return [
        heat_map(
            "longest-map",
            "Longest",
            {(a, b): {1: 1.0} for a in LONGEST for b in LONGEST},
            x_label="credit",
            y_label="window",
            quantity=LONG,
        ),
        heat_map("heat", "Heat", cells, x_label="x", y_label="y", quantity=LONG),
        heat_map(
            "names",
            "Names",
            {(a, b): {1: 1.0} for a in SCHEMES for b in SCHEMES},
            x_label="scheme",
            y_label="other scheme",
            quantity="share",
        ),
        heat_map(
            "large",
            "Large",
            {(x, y): {1: x - y} for x in range(60) for y in range(50)},
            x_label="x",
            y_label="y",
            quantity="z",
        ),
    ]
