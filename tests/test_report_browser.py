"""A page in a real browser: hover, zoom and filter work, and nothing is off the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from browser import Browser, needs_chromium
from test_report import sample

from penstock.plot import Curve, Tail, against, shared_traces, tails
from penstock.plot.sheet import Panel, Trace
from penstock.show.report import Figure, Report, Section, Statement, html

pytestmark = needs_chromium

TIMES = [number / 10 for number in range(101)]
Place = Callable[[str, int, float, float], tuple[float, float]]

AT = """(() => {
  const svg = document.querySelectorAll('figure svg')[%d];
  svg.scrollIntoView({block: 'center'});
  const [left, top, width, height] = JSON.parse(svg.querySelectorAll('.panel')[%d].dataset.panel).box;
  const place = new DOMPoint(left + %f * width, top + %f * height).matrixTransform(svg.getScreenCTM());
  return [place.x, place.y];
})()"""
TIP = "(tip => tip.hidden ? null : [...tip.children].map(each => each.textContent))(document.querySelector('.tip'))"
ON_LINE = """(() => {
  const [svg, dot] = [document.querySelectorAll('figure svg')[2], document.querySelector('circle.guide')];
  const place = new DOMPoint(dot.cx.baseVal.value, dot.cy.baseVal.value).matrixTransform(svg.getScreenCTM());
  return [...svg.querySelectorAll('path[transform]')]
    .some((line) => line.isPointInStroke(place.matrixTransform(line.getScreenCTM().inverse())));
})()"""
"""Whether the dot of a value is on a line that is drawn."""
WIDER = "[...document.querySelectorAll('.wide-table')].filter(each => each.scrollWidth > each.clientWidth).length"
SHOWN = """[...document.querySelectorAll('[data-verdict]')]
  .filter(each => each.checkVisibility()).map(each => each.dataset.verdict)"""


def figures() -> list[Figure]:
    curve = Curve("voice", {float(x): {1: x - 0.5, 2: x + 0.5} for x in (1, 2, 3, 4, 5)})
    named = Curve("data", {name: {1: 3.0} for name in ("drop tail", "push out")})
    straight = Trace("queue", TIMES, [2 * time for time in TIMES])
    level = Trace("rate", TIMES, [5.0 for _ in TIMES])
    return [
        Figure(against("numbers", "Numbers", [curve], x_label="load", y_label="loss")),
        Figure(against("names", "Names", [named], x_label="scheme", y_label="loss")),
        Figure(shared_traces("time", "Time", [Panel("", "q", traces=[straight]), Panel("", "r", traces=[level])])),
        Figure(tails("tail", "Tail", [Tail("delay", {1.0: 50, 2.0: 49, 3.0: 1})], x_label="delay")),
    ]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "figures.html").write_text(html(Report("R", "H", "", [Section("S", figures=figures())])))
    (folder / "claims.html").write_text(html(sample()))
    return folder


def at(chromium: Browser, figure: int, panel: int, x: float, y: float) -> tuple[float, float]:
    """The place on the screen of a share of a panel's box."""
    left, top = chromium.value(AT % (figure, panel, x, y))
    return float(left), float(top)


def test_no_space_is_left_below_claims_that_are_longer_than_their_figure(chromium: Browser, tmp_path: Path) -> None:
    reasons = ["yes: a clause of a claim that is as long as those of the studies, and takes two lines"] * 6
    claims = [Statement(f"c{number}", "a claim", "reproduced", "p", "o", reasons) for number in range(4)]
    figure = Figure(figures()[0].sheet, statements=claims)
    page = tmp_path / "long.html"
    page.write_text(html(Report("R", "H", "", [Section("S", figures=[figure])], lead="numbers")))
    chromium.open(page, width=1400)
    low, last, drawing = chromium.value(
        "['figure', 'figure .claim:last-child', 'figure svg']"
        ".map(each => document.querySelector(each).getBoundingClientRect().bottom)"
    )
    assert last > drawing + 100, "the claims are longer"
    assert low - last < 40


@pytest.mark.parametrize(
    ("figure", "x", "told"),
    [
        (0, 0.02, ["load: 1", "voice: 1 (-5.353 to 7.353)"]),  # t = 12.706 with two values: half width 6.353
        (1, 0.75, ["push out", "data: 3"]),
        (2, 0.5, ["time (s): 5", "queue: 10"]),
        (3, 0.6, ["delay: 2", "delay: 0.01"]),  # one of a hundred is above 2
    ],
)
def test_hover_shows_the_values_under_the_pointer(
    chromium: Browser, pages: Path, figure: int, x: float, told: list[str]
) -> None:
    chromium.open(pages / "figures.html")
    chromium.mouse("mouseMoved", *at(chromium, figure, 0, x, 0.5))
    assert chromium.value(TIP) == told
    chromium.mouse("mouseMoved", 1, 1)
    assert chromium.value(TIP) is None


def test_a_brush_zooms_all_panels_on_one_time_axis_and_a_double_click_shows_the_whole_again(
    chromium: Browser, pages: Path
) -> None:
    chromium.open(pages / "figures.html")
    drawn = "document.querySelectorAll('figure svg')[2].innerHTML"
    before = chromium.value(drawn)
    chromium.drag(at(chromium, 2, 0, 0.4, 0.3), at(chromium, 2, 0, 0.6, 0.32))
    ticks = (
        "[...document.querySelectorAll('figure svg')[2].querySelectorAll('.panel')]"
        ".map(panel => [...panel.querySelectorAll('.new-ticks text')].map(each => each.textContent))"
    )
    above, below = chromium.value(ticks)
    times = ["4", "4.5", "5", "5.5", "6"]
    assert below[: len(times)] == times  # the last panel has the common axis
    assert set(times) - set(above)
    chromium.mouse("mouseMoved", *at(chromium, 2, 1, 0.5, 0.5))
    assert chromium.value(TIP) == ["time (s): 5", "rate: 5"]  # between the two points of a level line
    assert chromium.value(ON_LINE)
    chromium.mouse("mouseMoved", *at(chromium, 2, 0, 0.25, 0.5))
    assert chromium.value(TIP) == ["time (s): 4.5", "queue: 9"]
    assert chromium.value(ON_LINE)
    place = at(chromium, 2, 0, 0.5, 0.5)
    for count in (1, 2):
        chromium.mouse("mousePressed", *place, button="left", buttons=1, clickCount=count)
        chromium.mouse("mouseReleased", *place, button="left", clickCount=count)
    chromium.mouse("mouseMoved", 1, 1)
    assert chromium.value("document.querySelectorAll('.new-ticks, .zoomed').length") == 0
    numbers = "(text => text.match(/-?[\\d.]+/g).map(Number).join())"
    assert chromium.value(f"{numbers}({drawn})") == chromium.value(f"{numbers}({before!r})")


def test_a_verdict_that_is_chosen_hides_the_claims_of_others(chromium: Browser, pages: Path) -> None:
    for script in (True, False):
        chromium.open(pages / "claims.html", script=script)
        rows, cards = ["reproduced", "partly", "not reproduced", "not run"], ["not reproduced", "reproduced", "partly"]
        assert chromium.value(SHOWN) == [*cards, *rows]
        chromium.mouse("mousePressed", *middle(chromium, "#show-1"), button="left", buttons=1, clickCount=1)
        chromium.mouse("mouseReleased", *middle(chromium, "#show-1"), button="left", clickCount=1)
        assert chromium.value(SHOWN) == ["not reproduced"] * 2


def middle(chromium: Browser, selector: str) -> tuple[float, float]:
    """The middle of an element on the screen."""
    box = f"document.querySelector('{selector}').getBoundingClientRect()"
    left, top = chromium.value(f"(box => [box.x + box.width / 2, box.y + box.height / 2])({box})")
    return float(left), float(top)


@pytest.mark.parametrize("width", [420, 1300, 1400])
def test_nothing_is_off_the_screen_or_clipped(chromium: Browser, pages: Path, width: int) -> None:
    chromium.open(pages / "claims.html", width=width)
    assert chromium.value("document.documentElement.scrollWidth") == width
    assert chromium.value(WIDER) == 0


@pytest.mark.parametrize(("dark", "page"), [(False, (255, 255, 255)), (True, (0x16, 0x18, 0x1B))])
def test_figures_stand_on_the_ground_of_the_page(
    chromium: Browser, pages: Path, tmp_path: Path, dark: bool, page: tuple[int, ...]
) -> None:
    from PIL import Image

    chromium.open(pages / "figures.html", dark=dark, script=False)
    chromium.picture(tmp_path / "page.png")
    with Image.open(tmp_path / "page.png") as image:
        colours = {colour: count for count, colour in image.convert("RGB").getcolors(1 << 20) or []}
    assert max(colours, key=lambda colour: colours[colour]) == page
    other = (0x16, 0x18, 0x1B) if not dark else (255, 255, 255)
    assert colours.get(other, 0) < 100
    # The mark of the curve: an outline at the head of the page, in the colour of this page.
    assert colours.get((0x47, 0x96, 0xE6) if dark else (0x00, 0x72, 0xB2), 0) > 40
