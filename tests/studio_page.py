"""The studio in a real browser: how a test opens it, acts on it, and waits for states of the page."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from browser import CHROMIUM

from penstock.studio import STATIC, link_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

needs_studio = pytest.mark.skipif(
    CHROMIUM is None or not (STATIC / "index.html").is_file(),
    reason="there is no Chromium, or the studio's page is not built (`make studio`)",
)
READY = "satellite/1-case-2"
"""The scenario of most tests."""
AT_REST = ".page[aria-busy=false][data-mode=paused]"
OPTIONS = ["--no-sandbox", "--js-flags=--liftoff-only"]
"""No test runs the engine for so long that it would pay to optimise it anew in each page."""
LONGEST_MS = 600_000
"""A state that has not come after this time never will."""


class Studio:
    """One page. Each method returns when the page has done what it asks for."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(LONGEST_MS)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda told: self.problems.append(told.text) if told.type == "error" else None)
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, fragment: str | None = None) -> Studio:
        """Opens the page with the scenario of a link: by default a small ready one, and for "" the first one."""
        if fragment is None:
            fragment = link_to(files("penstock").joinpath(f"scenarios/{READY}.toml").read_text(encoding="utf-8"), READY)
        self.page.goto(f"{self.address}#{fragment}" if fragment else self.address)
        self.page.wait_for_selector(f"{AT_REST} #fingerprint")
        return self

    def choose(self, name: str) -> None:
        """Chooses a ready scenario."""
        self.page.select_option("#scenario", name)
        self.page.wait_for_selector(AT_REST)

    def go(self, time: str) -> None:
        """Writes a time into the field, and waits until the run is there."""
        self.page.fill("#time", time)
        self.page.press("#time", "Enter")
        self.page.wait_for_selector(AT_REST)

    def press(self, key: str) -> None:
        """Presses a key outside of any field, and waits until the page has done it."""
        self.page.evaluate("document.activeElement.blur()")
        self.page.keyboard.press(key)
        self.page.wait_for_selector(AT_REST)

    def keys(self, *keys: str) -> None:
        """Presses keys, each before the page has drawn or the worker has answered what the one before asks for."""
        self.page.evaluate(
            """(keys) => {
                document.activeElement.blur()
                for (const key of keys)
                    document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}))
            }""",
            keys,
        )

    def set_lever(self, path: str, value: float) -> None:
        """Moves a lever as an arrow key or the mouse does."""
        self.page.get_by_label("Search the levers").fill(path)
        lever = self.page.locator(f'[id="lever-{path}"]')
        lever.evaluate(
            "(lever, value) => { lever.value = value; lever.dispatchEvent(new Event('input', {bubbles: true}));"
            " lever.dispatchEvent(new Event('change', {bubbles: true})) }",
            value,
        )
        self.page.wait_for_selector(AT_REST)

    def write(self, text: str) -> None:
        """Writes a scenario into the editor."""
        self.page.click("#tab-toml")
        self.page.click(".cm-content")
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)

    def snippet(self, side: str = "a") -> str:
        """The Python that the page shows for one side."""
        self.press("l")
        if self.page.locator("fieldset").count():
            self.page.get_by_label(side.upper(), exact=True).check()
        text = self.page.inner_text("#snippet")
        self.close("#snippet")
        return text

    def link(self) -> str:
        """The fragment of the link to this instant."""
        self.press("l")
        self.expect_value("#link", r"#s=.")
        address = self.page.input_value("#link")
        self.close("#link")
        return address.partition("#")[2]

    def close(self, within: str) -> None:
        """Closes a dialog, and waits until it has gone."""
        self.page.keyboard.press("Escape")
        self.page.wait_for_selector(within, state="hidden")

    def expect_value(self, selector: str, pattern: str) -> None:
        """Waits until a field has a value with this pattern. The page's policy forbids `Page.wait_for_function`."""
        from playwright.sync_api import expect

        expect(self.page.locator(selector)).to_have_value(re.compile(pattern), timeout=LONGEST_MS)

    @property
    def fingerprint(self) -> str:
        """That of A, as the page shows it."""
        return self.page.inner_text("#fingerprint")

    @property
    def fingerprint_b(self) -> str:
        """That of B."""
        return self.page.inner_text("#fingerprint-b")

    @property
    def time(self) -> float:
        """The simulated time that the page shows, in seconds."""
        return float(re.sub(r" s$", "", self.page.input_value("#time")))

    @property
    def fault(self) -> str:
        """The fault that the page shows."""
        return self.page.inner_text(".fault")


@pytest.fixture(scope="session")
def playwright_browser() -> Iterator[Browser]:
    """One browser for all tests."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def studio_address() -> Iterator[str]:
    """The page, served as `penstock studio` serves it."""
    from threading import Thread

    from penstock.studio import StudioServer

    with StudioServer() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.address
        server.shutdown()
        thread.join()


@pytest.fixture
def studio(playwright_browser: Browser, studio_address: str, request: pytest.FixtureRequest) -> Iterator[Studio]:
    """A new page, not opened yet; `width` and `dark` come from the parameters of the test."""
    options: dict[str, Any] = dict(getattr(request, "param", {}))
    width, is_dark = options.get("width", 1400), options.get("dark", False)
    context = playwright_browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if is_dark else "light", service_workers="block"
    )
    made = Studio(context.new_page(), studio_address)
    yield made
    context.close()
    assert made.problems == [], "the page has reported errors"
    outside = [url for url in made.requests if not url.startswith((studio_address, "blob:", "data:"))]
    assert outside == [], "the page has asked for something from outside"
