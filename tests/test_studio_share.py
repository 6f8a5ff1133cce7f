"""What Share in the studio offers: one file that needs neither server nor installation, the text, and the link."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from studio_page import READY, Studio, needs_studio

import penstock
from penstock.core.scenario import read
from penstock.studio import link_to

pytestmark = needs_studio
RATE = "line.satellite.rate"


@pytest.fixture
def offline(playwright_browser: Browser) -> Iterator[Studio]:
    """A browser that reaches nothing; its page is opened by the test."""
    context = playwright_browser.new_context(viewport={"width": 1400, "height": 900}, offline=True)
    made = Studio(context.new_page(), "")
    yield made
    context.close()
    assert made.problems == []
    outside = [url for url in made.requests if not url.startswith(("blob:", "data:")) and not url.endswith(".html")]
    assert outside == [], "a file has asked for something outside of itself"


def saved(studio: Studio, place: Path) -> Path:
    """The page as one file."""
    studio.press("l")
    with studio.page.expect_download() as download:
        studio.page.click("#save-page")
    download.value.save_as(place)
    studio.close("dialog")
    return place


def test_a_saved_page_opens_from_a_file_with_the_same_fingerprint(
    studio: Studio, offline: Studio, tmp_path: Path
) -> None:
    studio.open()
    studio.go("3 s")
    python = penstock.Simulation(READY)
    python.run_until("3 s")
    file = saved(studio, tmp_path / "lecture.html")
    offline.address = file.as_uri()
    page = offline.open("").page
    assert page.url.startswith("file://")
    assert (offline.time, offline.fingerprint) == (3, python.fingerprint)
    assert page.input_value("#scenario") == READY
    offline.set_lever(RATE, 4)
    offline.go("5 s")
    python.change({RATE: "4 Mb/s"})
    python.run_until("5 s")
    assert offline.fingerprint == python.fingerprint
    assert file.stat().st_size < 4_000_000


def test_a_saved_page_has_both_futures_the_editor_and_itself(
    studio: Studio, offline: Studio, small_text: str, tmp_path: Path
) -> None:
    studio.open(link_to(small_text, "small", seed=7))
    studio.go("200 ms")
    studio.press("f")
    studio.set_lever("line.trunk.rate", 1)
    studio.go("700 ms")
    found = studio.fingerprint, studio.fingerprint_b
    assert found[0] != found[1]
    offline.address = saved(studio, tmp_path / "first.html").as_uri()
    page = offline.open("").page
    page.wait_for_selector("#fingerprint-b")
    assert (offline.fingerprint, offline.fingerprint_b) == found
    exec(offline.snippet("b"), {})
    offline.press("x")
    offline.go("1 s")
    python = penstock.Simulation(penstock.Scenario.parse(small_text), seed=7)
    python.run_until("1 s")
    assert offline.fingerprint == python.fingerprint
    offline.press("t")
    page.wait_for_selector(".cm-content")
    offline.address = saved(offline, tmp_path / "second.html").as_uri()
    assert offline.open("").fingerprint == python.fingerprint
    assert "1 s" in page.title()


def test_the_file_of_the_page_without_an_engine_says_so(offline: Studio) -> None:
    from penstock.studio import STATIC

    offline.address = (STATIC / "file.html").as_uri()
    offline.page.goto(offline.address)
    offline.page.wait_for_selector(".fault")
    assert "this file has no engine: Share in the studio saves one that has" in offline.fault


def test_the_text_is_offered_as_it_was_written(studio: Studio) -> None:
    """With its comments, unless something was changed here."""
    page = studio.open().page
    studio.press("l")
    page.wait_for_selector("#scenario-text:has-text('# Satellite study')")
    assert page.inner_text("#scenario-text").rstrip() == read(READY).rstrip()
    assert "on this machine only" in page.inner_text("dialog")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save TOML").click()
    assert download.value.suggested_filename == "satellite-1-case-2.toml"
    studio.close("dialog")
    studio.go("1 s")
    studio.set_lever(RATE, 3)
    studio.press("l")
    page.wait_for_selector("#scenario-text:has-text('[[change]]')")
