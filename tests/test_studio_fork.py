"""Forks, levers and links of the studio, in a real browser."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from studio_page import Studio, needs_studio

import penstock
from penstock import _engine
from penstock.studio import link_to

pytestmark = needs_studio
RATE = "line.satellite.rate"


def test_both_futures_are_equal_at_the_fork_and_differ_after_a_change(studio: Studio) -> None:
    studio.open()
    studio.go("10 s")
    studio.press("f")
    assert studio.fingerprint == studio.fingerprint_b
    studio.go("12 s")
    assert studio.fingerprint == studio.fingerprint_b  # a fork without a change is no fork
    studio.go("10 s")
    studio.set_lever(RATE, 3)
    studio.go("14 s")
    assert studio.fingerprint != studio.fingerprint_b
    python = penstock.Simulation("satellite/1-case-2")
    python.run_until("14 s")
    assert studio.fingerprint == python.fingerprint
    throughput = studio.page.locator(".differences tbody tr").first.locator("td").all_inner_texts()
    assert throughput[0] != throughput[1]
    exec(studio.snippet("b"), {})
    studio.go("6 s")  # before the fork both are one
    assert studio.fingerprint == studio.fingerprint_b
    assert studio.page.is_disabled(f'[id="lever-{RATE}"]')


def test_b_shows_what_is_known_at_the_fork(studio: Studio, tmp_path: Path) -> None:
    """B's own first sample may come long after: until then it shows the samples of A."""
    page = studio.open().page
    studio.go("3.05 s")
    page.click("text=The last samples as a table")
    rows = page.get_by_role("region", name="Samples").locator("tbody tr")
    known = rows.nth(0).all_inner_texts()
    assert known[0].startswith("3")
    studio.press("f")
    assert rows.all_inner_texts() == known
    studio.press("l")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save SVG").click()
    download.value.save_as(tmp_path / "picture.svg")
    studio.close("dialog")
    texts = ElementTree.parse(tmp_path / "picture.svg").getroot().iter("{http://www.w3.org/2000/svg}text")
    rates = Counter(text.text for text in texts if text.text and re.fullmatch(r"[\d.]+ Mb/s", text.text))
    assert len(rates) > 2
    assert all(count % 2 == 0 for count in rates.values()), "A and B deliver the same until the fork"
    studio.set_lever(RATE, 3)
    studio.go("3.2 s")
    assert rows.all_inner_texts()[-1:] == known
    assert rows.count() == 3


def test_each_future_is_a_scenario_with_its_changes(studio: Studio) -> None:
    studio.open()
    studio.go("2 s")
    studio.press("f")
    studio.set_lever(RATE, 3)
    studio.go("5 s")
    b = studio.fingerprint_b
    studio.go("1 s")  # before the change, which counts all the same
    studio.page.click("text=B as a scenario")
    studio.page.locator("#written-b", has_text="[[change]]").wait_for()
    tables = studio.page.inner_text("#written-b")
    text = f"{penstock.Scenario.load('satellite/1-case-2').to_toml()}\n{tables}\n"
    python = penstock.Simulation(penstock.Scenario.parse(text))
    python.run_until("5 s")
    assert python.fingerprint == b


def test_b_is_given_up_or_kept(studio: Studio) -> None:
    studio.open()
    studio.go("3 s")
    studio.press("f")
    studio.set_lever(RATE, 3)
    studio.go("5 s")
    a, b = studio.fingerprint, studio.fingerprint_b
    studio.press("k")
    assert studio.page.locator("#fingerprint-b").count() == 0
    assert studio.fingerprint == b
    studio.go("1 s")
    studio.go("5 s")
    assert studio.fingerprint == b  # the past before the fork is kept, and so is the change
    studio.press("f")
    studio.press("x")
    assert studio.page.locator("#fingerprint-b").count() == 0
    assert studio.fingerprint == b != a


def test_a_lever_changes_the_run_from_now_on(studio: Studio) -> None:
    studio.open()
    studio.go("3 s")
    studio.set_lever(RATE, 4)
    studio.set_lever(RATE, 3)  # at the same instant: only the last value counts
    studio.go("6 s")
    python = penstock.Simulation("satellite/1-case-2")
    python.run_until("3 s")
    python.change({RATE: "3 Mb/s"})
    python.run_until("6 s")
    assert studio.fingerprint == python.fingerprint
    studio.go("3 s")
    studio.go("6 s")
    assert studio.fingerprint == python.fingerprint
    exec(studio.snippet(), {})


def test_a_run_that_plays_goes_on_after_a_change_and_a_fork(studio: Studio) -> None:
    page = studio.open().page
    page.keyboard.press(" ")
    studio.expect_value("#time", r"^(0\.[5-9]|[1-9])")
    page.keyboard.press("f")
    page.wait_for_selector(".page[data-mode=playing] #fingerprint-b")
    page.get_by_label("Search the levers").fill(RATE)
    lever = page.locator(f'[id="lever-{RATE}"]')
    lever.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".page[data-mode=playing] .lever.changed")
    studio.press(" ")
    exec(studio.snippet("a"), {})
    exec(studio.snippet("b"), {})


def test_levers_foretell_their_range(studio: Studio) -> None:
    studio.open()
    studio.go("5 s")
    studio.page.wait_for_selector(".page[data-foretelling=done]")
    assert studio.page.locator(".futures polyline").first.get_attribute("points") != ""
    assert "in the next 15 s" in studio.page.locator(".foretold").first.inner_text()
    seen = studio.page.evaluate(
        """async () => {
            document.activeElement.blur()
            document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))
            await null // the page is rendered
            return document.querySelector('.page').dataset.foretelling
        }"""
    )
    assert seen == "off"  # any action ends it


def test_a_link_opens_the_same_instant_of_both_futures(studio: Studio) -> None:
    studio.open()
    studio.go("2 s")
    studio.set_lever(RATE, 5)
    studio.go("3 s")
    studio.press("f")
    studio.set_lever(RATE, 3)
    studio.go("4.25 s")
    found = studio.fingerprint, studio.fingerprint_b, studio.time
    link = studio.link()
    studio.page.goto("about:blank")
    studio.open(link)
    studio.page.wait_for_selector("#fingerprint-b")
    assert (studio.fingerprint, studio.fingerprint_b, studio.time) == found
    assert found[0] != found[1]


def test_files_have_what_the_page_shows(studio: Studio, tmp_path: Path) -> None:
    studio.open()
    studio.go("2 s")
    studio.set_lever(RATE, 3)
    studio.go("3 s")
    found = studio.fingerprint
    studio.press("l")
    for name in ("TOML", "PNG", "SVG"):
        with studio.page.expect_download() as download:
            studio.page.get_by_role("button", name=f"Save {name}").click()
        download.value.save_as(tmp_path / name)
    python = penstock.Simulation(penstock.Scenario.parse((tmp_path / "TOML").read_text(encoding="utf-8")))
    python.run_until("3 s")
    assert python.fingerprint == found
    assert (tmp_path / "PNG").read_bytes().startswith(b"\x89PNG")
    drawn = ElementTree.parse(tmp_path / "SVG").getroot()
    texts = {"".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"user", "router", "station", "terminal", "queue at satellite, PDUs", "trigger"} <= texts


def test_a_link_from_python_opens(studio: Studio, small_text: str) -> None:
    studio.open(link_to(small_text, "small", seed=7))
    studio.go("1 s")
    python = penstock.Simulation(penstock.Scenario.parse(small_text), seed=7)
    python.run_until("1 s")
    assert studio.fingerprint == python.fingerprint
    assert studio.page.locator("#scenario option:checked").inner_text() == "Two groups on one line"


def test_a_link_to_a_ready_scenario_chooses_it(studio: Studio) -> None:
    name = "atm_lan/figure-3"
    text = Path(penstock.__file__).parent.joinpath(f"scenarios/{name}.toml").read_text(encoding="utf-8")
    studio.open(link_to(text, name))
    assert studio.page.input_value("#scenario") == name
    studio.page.goto("about:blank")
    studio.open(link_to(f"{text}\n# more", name))
    assert studio.page.input_value("#scenario") == ""
    assert studio.page.locator("#scenario option:checked").inner_text() == f"{name}, changed"


def test_a_damaged_link_is_refused(studio: Studio) -> None:
    studio.open("s=AAAA")
    assert "the link is damaged" in studio.fault


@pytest.mark.long
@pytest.mark.parametrize("scheme", [keyword for keyword, *_ in _engine.schemes()])
def test_a_fork_without_a_change_is_no_fork(studio: Studio, scheme: str) -> None:
    text = f"""\
duration = "1 s"
scheme = "{scheme}"
mismatches = "warn"
[network.dumbbell]
pairs = 4
rate = "50 Mb/s"
delay = "2 ms"
"""
    python = penstock.Simulation(penstock.Scenario.parse(text))
    python.run_until("0.6 s")
    studio.open(link_to(text, "dumbbell"))
    studio.go("0.25 s")
    studio.press("f")
    studio.go("0.6 s")
    assert studio.fingerprint == studio.fingerprint_b == python.fingerprint
