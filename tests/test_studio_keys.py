"""Keys and clicks while the studio's page is busy, opens a dialog or draws anew: none is lost."""

from __future__ import annotations

import base64
import json
import zlib

from studio_page import AT_REST, Studio, needs_studio

import penstock
from penstock.studio import link_to

pytestmark = needs_studio
RATE = "line.satellite.rate"
LONG = """\
duration = "60000 min"
[line.link]
between = ["a", "b"]
rate = "1 Mb/s"
[flow.steady]
path = ["a", "b"]
traffic.cbr = { rate = "900 kb/s" }
"""
SPACE_AT_ONCE = """
new MutationObserver((_, observer) => {
    if (!document.querySelector('.page')) return
    observer.disconnect()
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key: ' ', bubbles: true}))
}).observe(document, {childList: true, subtree: true})
"""
"""Presses the space bar when the page is there, and the engine is not."""
PLAYING = ".page[aria-busy=false][data-mode=playing]"


def test_escape_closes_a_dialog_that_opens_only_now(studio: Studio) -> None:
    page = studio.open().page
    for key in ("l", "?"):
        studio.keys(key, "Escape")
        page.wait_for_selector("dialog", state="detached")
        studio.keys(key, "Escape", key)  # nor does the end of the first dialog close the second
        page.wait_for_selector("dialog[open]")
        studio.close("dialog")
    button = page.get_by_role("button", name="Share")
    for close in ("Escape", "Enter"):  # the dialog's first button closes it
        button.press("Enter")
        page.wait_for_selector("dialog[open]")
        page.keyboard.press(close)
        page.wait_for_selector("dialog", state="detached")
        assert button.evaluate("(button) => button === document.activeElement")


def test_keys_count_while_the_page_is_on_its_way(studio: Studio) -> None:
    page = studio.open().page
    studio.go("3 s")
    studio.keys("ArrowRight", "ArrowRight", "ArrowRight")
    page.wait_for_selector(AT_REST)
    assert studio.time == 3.3
    studio.keys("ArrowLeft", "f")
    page.wait_for_selector(f"{AT_REST} #fingerprint-b")
    assert studio.time == 3.2
    studio.keys("x", "f", "ArrowRight", "k")
    page.wait_for_selector(AT_REST)
    assert page.locator("#fingerprint-b").count() == 0
    python = penstock.Simulation("satellite/1-case-2")
    python.run_until("3.3 s")
    assert studio.fingerprint == python.fingerprint
    studio.keys("ArrowLeft", " ")
    page.wait_for_selector(PLAYING)
    studio.keys("ArrowLeft", " ", " ")
    page.wait_for_selector(AT_REST)


def test_a_run_that_plays_hears_keys_and_leaves_fields_to_the_reader(studio: Studio) -> None:
    page = studio.page
    page.add_init_script(SPACE_AT_ONCE)
    page.goto(studio.address)
    page.wait_for_selector(PLAYING)
    page.get_by_label("Search the levers").fill(RATE)
    move = """([path, values, key]) => {
        const lever = document.getElementById(`lever-${path}`)
        for (const value of values) {
            lever.value = value
            lever.dispatchEvent(new Event('input', {bubbles: true}))
            lever.dispatchEvent(new Event('change', {bubbles: true}))
        }
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))
    }"""
    page.evaluate(move, [RATE, [5, 4], "Shift"])  # two changes, and the run goes on
    page.wait_for_selector(PLAYING)
    page.evaluate(move, [RATE, [3], " "])  # it pauses, although the change is still under way
    page.wait_for_selector(AT_REST)
    studio.keys(" ")
    page.wait_for_selector(PLAYING)
    page.keyboard.press("g")
    shown = page.inner_text("#fingerprint")
    page.keyboard.type("100")
    page.locator("#fingerprint").get_by_text(shown, exact=True).wait_for(state="detached")  # it has drawn since
    assert page.input_value("#time") == "100"
    page.keyboard.press("Enter")
    page.wait_for_selector(AT_REST)
    assert studio.time == 100


def test_what_the_reader_moves_or_writes_stays_when_an_answer_comes(studio: Studio) -> None:
    page = studio.open().page
    found = page.evaluate(
        """async () => {
            const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))
            press('t')
            await null
            press('/')
            await null // what is typed next goes into the field
            return document.activeElement.id
        }"""
    )
    assert found == "lever-search"
    page.keyboard.insert_text(RATE)
    lever = page.locator(f'[id="lever-{RATE}"]')
    lever.evaluate(
        """(lever) => {
            for (const [value, kind] of [[5, 'input'], [5, 'change'], [4, 'input']]) {
                lever.value = value
                lever.dispatchEvent(new Event(kind, {bubbles: true}))
            }
        }"""
    )
    page.wait_for_selector(f"{AT_REST} .lever.changed")
    assert lever.input_value() == "4"  # the reader still moves it
    studio.write('duration = "1 s"')
    page.evaluate(
        """() => {
            document.querySelector('#start-again').click()
            document.execCommand('insertText', false, ' # more')
        }"""
    )
    page.wait_for_selector(AT_REST)
    assert page.inner_text(".cm-content").rstrip() == 'duration = "1 s" # more'
    assert page.evaluate("document.activeElement.className").startswith("cm-content")


def test_a_link_that_is_stopped_while_it_opens_changes_nothing_at_another_time(studio: Studio) -> None:
    change = {"at": "59000 min", "path": "line.link.rate", "value": "2 Mb/s"}
    studio.page.goto(f"{studio.address}#{link_with(change)}")
    studio.page.wait_for_selector("#stop")
    studio.keys("Escape")
    studio.page.wait_for_selector(AT_REST)
    assert studio.time < 59000 * 60
    snippet = studio.snippet()
    assert change["path"] not in snippet
    exec(snippet, {})


def link_with(change: dict[str, str]) -> str:
    """The fragment that the page makes of a run of a thousand hours with one change."""
    octets = base64.urlsafe_b64decode(link_to(LONG, "long").removeprefix("s=") + "==")
    shared = json.loads(zlib.decompress(octets, wbits=-zlib.MAX_WBITS))
    deflated = zlib.compress(
        json.dumps(shared | {"changes": [change], "at": change["at"]}).encode(), wbits=-zlib.MAX_WBITS
    )
    return "s=" + base64.urlsafe_b64encode(deflated).decode().rstrip("=")
