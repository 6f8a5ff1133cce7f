"""The text of the studio: what runs, what it is called, what is wrong with it; and the end of a run."""

from __future__ import annotations

import pytest
from studio_page import AT_REST, READY, Studio, needs_studio

import penstock

pytestmark = needs_studio
TITLE = "Two groups on one line"
LOADED = f".title:has-text('{TITLE}')"


def shown_name(studio: Studio) -> str:
    return studio.page.locator("#scenario option:checked").inner_text()


def fingerprint(text: str, time: str, seed: int = 1) -> str:
    simulation = penstock.Simulation(penstock.Scenario.parse(text), seed=seed)
    simulation.run_until(time)
    return simulation.fingerprint


def test_an_own_text_is_called_by_its_title(studio: Studio, small_text: str) -> None:
    """It was written over a ready scenario, and is none of its changes."""
    studio.open()
    studio.write(small_text)
    studio.page.click("#start-again")
    studio.page.wait_for_selector(LOADED)
    assert shown_name(studio) == TITLE
    studio.write(small_text.replace(f'title = "{TITLE}"\n', ""))
    studio.page.click("#start-again")
    studio.page.wait_for_selector(f"#scenario:not(:has-text('{TITLE}'))")
    assert shown_name(studio) == "own scenario"
    text = penstock.Scenario.load(READY).to_toml()
    studio.write(text.replace('"180 s"', '"170 s"'))
    studio.page.click("#start-again")
    studio.page.wait_for_selector("#scenario:has-text('Satellite')")


def test_a_changed_ready_scenario_keeps_its_name(studio: Studio) -> None:
    studio.open()
    studio.page.click("#tab-toml")
    studio.page.click(".cm-content")
    studio.page.keyboard.press("ControlOrMeta+End")
    studio.page.keyboard.insert_text("\n# mine\n")
    studio.page.click("#start-again")
    studio.page.wait_for_selector(f"#scenario:has-text('{READY}, changed')")
    assert shown_name(studio) == f"{READY}, changed"


def test_run_takes_what_is_in_the_editor(studio: Studio, small_text: str) -> None:
    page = studio.open().page
    studio.write(small_text)
    page.wait_for_selector("#edited")
    assert "what runs is the old text" in page.inner_text("#edited")
    assert page.inner_text("#run").startswith("Run new text")
    page.click("#run")
    page.wait_for_selector(LOADED)
    page.wait_for_selector(".page[data-mode=playing]")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("e")
    page.wait_for_selector("#ended")
    assert page.locator("#edited").count() == 0
    assert studio.fingerprint == fingerprint(small_text, "2 s")


def test_run_takes_the_seed_beside_the_text(studio: Studio, small_text: str) -> None:
    """Until then the page shows the seed of what runs."""
    page = studio.open().page
    studio.write(small_text)
    page.click("#start-again")
    page.wait_for_selector(LOADED)
    page.fill("#seed", "7")
    page.press("#seed", "Enter")
    page.wait_for_selector("#edited")
    assert "seed 1," in page.inner_text("footer")
    exec(studio.snippet(), {})
    studio.press("e")
    page.wait_for_selector("#ended")
    assert studio.fingerprint == fingerprint(small_text, "2 s", seed=7)
    assert "seed 7," in page.inner_text("footer")


def test_a_text_that_is_refused_leaves_the_old_one(studio: Studio) -> None:
    page = studio.open().page
    studio.go("1 s")
    before = studio.fingerprint
    studio.write("duration = 1\n")
    page.click("#run")
    page.wait_for_selector(f"{AT_REST} .fault")
    assert studio.fingerprint == before
    page.get_by_role("button", name="Take back").click()
    page.wait_for_selector("#edited", state="hidden")
    assert page.inner_text("#run").startswith("Run ")


def test_a_broken_line_says_what_is_wrong_below_it(studio: Studio, small_text: str) -> None:
    """Nothing is hovered over, and the rest of the text stays readable."""
    page = studio.open().page
    studio.write(small_text.replace("duration", "duratoin"))
    page.wait_for_selector(".cm-fault")
    assert "did you mean `duration`?" in page.inner_text(".cm-fault")
    place = page.evaluate(
        """() => {
            const fault = document.querySelector('.cm-fault')
            const before = fault.previousElementSibling
            return [before.textContent, fault.getBoundingClientRect().top - before.getBoundingClientRect().bottom]
        }"""
    )
    assert place[0].startswith("duratoin")
    assert 0 <= place[1] < 12
    studio.write(small_text)
    page.wait_for_selector(".cm-fault", state="hidden")


def test_the_end_of_a_run_says_what_to_do(studio: Studio, small_text: str) -> None:
    page = studio.open().page
    studio.write(small_text)
    page.click("#start-again")
    page.wait_for_selector(LOADED)
    studio.press("t")
    studio.press("e")
    page.wait_for_selector("#ended")
    assert "Go back" in page.inner_text("#ended")
    assert "Go back in time to move a lever" in page.inner_text("#side-panel")
    assert page.inner_text("#run").startswith("Run again")
    studio.press("e")
    page.wait_for_selector("#ended")
    assert studio.fingerprint == fingerprint(small_text, "2 s")
    studio.press("Home")
    assert page.locator("#ended").count() == 0


@pytest.mark.parametrize(
    "studio",
    [{"width": 420}, *(pytest.param({"width": width}, marks=pytest.mark.long) for width in (1400, 900))],
    indirect=True,
)
def test_the_buttons_of_the_fork_are_always_seen(studio: Studio) -> None:
    page = studio.open().page
    studio.go("3 s")
    assert page.viewport_size is not None
    for buttons in (["#fork"], ["#give-up-b", "#keep-b"]):
        for scroll in (0, 10_000):
            page.evaluate("(to) => window.scrollTo(0, to)", scroll)
            for button in buttons:
                place = page.locator(button).bounding_box()
                assert place is not None
                assert 0 <= place["y"] <= page.viewport_size["height"] - place["height"], (button, scroll)
                assert place["x"] + place["width"] <= page.viewport_size["width"]
        studio.press("f")
