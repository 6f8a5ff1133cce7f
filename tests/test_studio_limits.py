"""The limits of a tab on memory and time, in a real browser."""

from __future__ import annotations

import pytest
from studio_page import AT_REST, Studio, needs_studio

import penstock
from penstock.studio import link_to

pytestmark = needs_studio
SMALL_MACHINE = "Object.defineProperty(Navigator.prototype, 'deviceMemory', { get: () => 0.25 })"
"""A machine of a quarter of a gigabyte, of which a tab may take 47 MB."""
GROWING = """\
duration = "2.1 s"
[line.link]
between = ["a", "b"]
rate = "1 Mb/s"
queues = [{ unlimited = {} }]
[flow.fast]
path = ["a", "b"]
traffic.cbr = { rate = "100 Mb/s" }
"""
"""Its queue takes up to 65 MB at the end. Before it begins, 45 MB are expected."""


@pytest.fixture
def small(studio: Studio) -> Studio:
    """A page on a machine with little memory."""
    studio.page.add_init_script(SMALL_MACHINE)
    return studio


def test_a_run_that_grows_too_large_stops_and_goes_back(small: Studio) -> None:
    small.open(link_to(GROWING, "growing"))
    small.go("2.1 s")
    assert "Too large for this tab" in small.fault
    assert "MB of memory, and this tab may take 47 MB" in small.fault
    assert "go back" in small.fault
    reached = small.time
    assert 0 < reached < 2.1, small.fault
    small.press("Home")
    assert small.page.locator(".fault").count() == 0
    small.go("0.5 s")
    python = penstock.Simulation(penstock.Scenario.parse(GROWING))
    python.run_until("0.5 s")
    assert small.fingerprint == python.fingerprint
    small.go("2.1 s")
    assert "Too large for this tab" in small.fault


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GROWING.replace("2.1 s", "40 s"), "the run needs at least"),
        (GROWING.replace("[flow.fast]", "[flow.fast]\ncount = 1_000_000"), "the flows of this scenario need about"),
    ],
)
def test_a_scenario_that_is_too_large_is_refused_and_the_old_one_stays(small: Studio, text: str, told: str) -> None:
    small.open()
    small.go("2 s")
    before = small.fingerprint
    small.write(text)
    small.page.click("#start-again")
    small.page.wait_for_selector(".fault")
    assert "Too large for this tab" in small.fault
    assert told in small.fault
    assert "use fewer flows, or limit the queues; or run it with Python" in small.fault
    assert (small.fingerprint, small.time) == (before, 2)
    small.go("3 s")
    assert small.page.locator(".fault").count() == 0


def test_a_run_of_a_thousand_hours_can_be_watched_and_stopped(studio: Studio) -> None:
    text = GROWING.replace("2.1 s", "60000 min").replace("100 Mb/s", "900 kb/s")
    studio.open(link_to(text, "long"))
    studio.page.fill("#time", "59000 min")
    studio.page.press("#time", "Enter")
    studio.page.click("#stop")  # the page offers it to who waits
    studio.page.wait_for_selector(AT_REST)
    stopped = studio.time
    assert 0 < stopped < 59000 * 60
    studio.page.fill("#time", "59000 min")
    studio.page.press("#time", "Enter")
    studio.page.wait_for_selector("#stop")
    studio.page.keyboard.press("Escape")  # the field that the time was written into has the focus still
    studio.page.wait_for_selector(AT_REST)
    assert stopped < studio.time < 59000 * 60
    exec(studio.snippet(), {})
