"""The studio's page: run, scrub, keys, editor; in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from studio_page import AT_REST, READY, Studio, needs_studio

import penstock

pytestmark = needs_studio
FIRST = "satellite/3-case-2"
AXE = Path(__file__).parent.parent / "studio/node_modules/axe-core/axe.min.js"


def fingerprint(time: str, name: str = READY) -> str:
    """What Python has at that time."""
    simulation = penstock.Simulation(name, seed=1)
    simulation.run_until(time)
    return simulation.fingerprint


def test_it_starts_with_a_scenario_at_its_beginning(studio: Studio) -> None:
    studio.open("")
    assert studio.page.title() == "Penstock Studio"
    assert studio.time == 0
    assert studio.page.input_value("#scenario") == FIRST
    assert studio.fingerprint == penstock.Simulation(FIRST).fingerprint
    assert studio.page.locator("canvas").count() == 2


def test_in_the_first_scenario_something_happens_soon(studio: Studio) -> None:
    """Within a few seconds of the reader a queue fills and overflows, and notices are sent."""
    page = studio.open("").page
    studio.go("5 s")
    page.click("text=The last samples as a table")
    head = page.get_by_role("region", name="Samples").locator("thead th").all_inner_texts()
    studio.go("2 s")
    row = page.get_by_role("region", name="Samples").locator("tbody tr").first.locator("th, td").all_inner_texts()
    found = dict(zip(head, row, strict=True))
    assert float(found["queue at satellite, PDUs"].replace(",", "")) > 500
    assert float(found["PDUs lost, per sample"]) > 0
    assert float(found["notices, per sample"]) > 0


def test_going_to_a_time_and_back_gives_the_fingerprints_of_python(studio: Studio) -> None:
    studio.open()
    for time in ("20 s", "4.95 s", "20 s", "0 s", "12.3456789 s"):
        studio.go(time)
        assert studio.fingerprint == fingerprint(time), time


def test_express_ends_with_the_fingerprint_of_python(studio: Studio) -> None:
    studio.open()
    studio.page.keyboard.press("e")
    studio.expect_value("#time", r"^180\.00 s$")
    studio.page.wait_for_selector(".page[data-mode=paused]")
    assert studio.fingerprint == fingerprint("180 s")
    assert studio.page.inner_text("#run").startswith("Run again")


def test_the_space_bar_runs_and_pauses_and_the_pause_is_exact(studio: Studio) -> None:
    studio.open()
    studio.page.keyboard.press(" ")
    studio.expect_value("#time", r"^(0\.[5-9]|[1-9])")
    assert studio.page.inner_text("#run").startswith("Pause")
    studio.press(" ")
    assert studio.time > 0.5
    exec(studio.snippet(), {})  # it ends with an assertion of the fingerprint


def test_keys_move_by_samples_and_by_events(studio: Studio) -> None:
    studio.open()
    studio.go("3 s")
    studio.press("ArrowRight")
    assert studio.time == 3.1
    assert studio.fingerprint == fingerprint("3.1 s")
    studio.press("Shift+ArrowLeft")
    assert studio.time == 2.1
    assert studio.fingerprint == fingerprint("2.1 s")
    studio.press("End")
    assert studio.time == 3.1
    studio.press("Home")
    assert studio.time == 0
    studio.press(".")
    simulation = penstock.Simulation(READY)
    simulation.step()
    assert studio.fingerprint == simulation.fingerprint


def test_keys_reach_everything_else(studio: Studio) -> None:
    page = studio.open().page
    usual = page.input_value("#speed")
    studio.press("]")
    assert float(page.input_value("#speed")) > float(usual)
    studio.press("[")
    assert page.input_value("#speed") == usual
    studio.press("?")
    assert page.locator("dialog[open]").inner_text().startswith("Keys")
    studio.close("dialog")
    page.keyboard.press("/")
    page.wait_for_selector("#lever-search:focus")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    page.keyboard.type("2 s")
    page.keyboard.press("Enter")
    studio.expect_value("#time", r"^2\.00 s$")
    studio.press("t")
    page.wait_for_selector(".cm-content")
    studio.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_dragging_the_time_line_goes_back(studio: Studio) -> None:
    studio.open()
    studio.go("20 s")
    place = studio.page.locator(".time-line").bounding_box()
    assert place is not None
    studio.page.mouse.click(place["x"] + place["width"] / 2, place["y"] + 60)
    studio.expect_value("#time", r"^(\d|1[0-4])\.")
    studio.page.wait_for_selector(AT_REST)
    assert studio.time > 5
    assert studio.fingerprint == fingerprint(f"{studio.time} s")


def test_a_fault_of_a_scenario_is_marked_at_its_line(studio: Studio) -> None:
    studio.open()
    text = Path(penstock.__file__).parent.joinpath("scenarios/satellite/1-case-2.toml").read_text()
    faulty = text.replace('rate = "6 Mb/s"', 'rate = "6 apples"')
    studio.write(faulty)
    studio.page.wait_for_selector(".cm-lint-marker-error")
    line = 1 + faulty[: faulty.index("6 apples")].count("\n")
    top, number, bottom = studio.page.evaluate(
        """(line) => {
            const numbers = [...document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')]
            const box = (each) => each.getBoundingClientRect()
            const own = box(numbers.findLast((each) => each.textContent === line))
            return [own.top, box(document.querySelector('.cm-lint-marker-error')).top, own.bottom]
        }""",
        str(line),
    )
    assert top <= number < bottom
    studio.page.click("#start-again")
    studio.page.wait_for_selector(".fault")
    assert "line.satellite.rate" in studio.fault
    assert f"line {line}" in studio.fault


def test_a_scenario_that_needs_a_trace_is_refused(studio: Studio, small_text: str) -> None:
    studio.open()
    trace = f'traffic.trace = {{ name = "uplink", sha256 = "{"0" * 64}" }}'
    studio.write(small_text.replace('traffic.poisson = { rate = "1 Mb/s" }', trace))
    studio.page.click("#start-again")
    studio.page.wait_for_selector(".fault")
    assert "a browser has no store of traces" in studio.fault
    assert "flow.random.traffic.trace" in studio.fault


def test_the_editor_completes_from_the_schema(studio: Studio) -> None:
    studio.open()
    studio.write("[line.link]\nconges")
    studio.page.keyboard.press("Control+Space")
    studio.page.wait_for_selector(".cm-tooltip-autocomplete")
    assert "congestion_point" in studio.page.inner_text(".cm-tooltip-autocomplete")


def test_a_pasted_scenario_runs(studio: Studio, small_text: str) -> None:
    studio.open()
    studio.write(small_text)
    studio.page.click("#start-again")
    studio.page.wait_for_selector(".title:has-text('Two groups on one line')")
    studio.go("1 s")
    simulation = penstock.Simulation(penstock.Scenario.parse(small_text))
    simulation.run_until("1 s")
    assert studio.fingerprint == simulation.fingerprint
    assert studio.page.input_value("#scenario") == ""
    exec(studio.snippet(), {})


def test_a_time_that_is_none_is_refused(studio: Studio) -> None:
    studio.open()
    studio.go("soon")
    assert "this is no time" in studio.fault


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: `npm ci` in studio/")
@pytest.mark.parametrize(
    "studio",
    [
        {"width": 1400, "dark": False},
        {"width": 420, "dark": True},
        pytest.param({"width": 1400, "dark": True}, marks=pytest.mark.long),
        pytest.param({"width": 420, "dark": False}, marks=pytest.mark.long),
    ],
    indirect=True,
)
def test_axe_finds_nothing_and_the_page_fits(studio: Studio) -> None:
    page = studio.open().page
    studio.go("5 s")
    studio.press("f")
    studio.go("8 s")
    for key in ("", "t", "?"):
        if key:
            studio.press(key)
        page.wait_for_selector({"": "#lever-search", "t": ".cm-content", "?": "dialog[open]"}[key])
        # The driver adds the script in a world of its own, so the page's policy stays as it is.
        found = page.evaluate(AXE.read_text(encoding="utf-8") + "; axe.run()")
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_picture_of_the_sources_has_the_scale_of_its_data(studio: Studio, tmp_path: Path) -> None:
    """Sources may send 150 Mb/s, and do for a moment: their shares of the trunk have the colours."""
    page = studio.open().page
    studio.choose("abr/parking-lot-erica")
    studio.go("1 s")
    studio.press("l")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save SVG").click()
    download.value.save_as(tmp_path / "picture.svg")
    found = re.search(r"3 sources: rate, dark (.+?), yellow (\d+) Mb/s or more", (tmp_path / "picture.svg").read_text())
    assert found
    assert 45 <= float(found[2]) < 100


@pytest.mark.parametrize(
    "name",
    [
        "abr/gfc-2-erica",
        *(pytest.param(each, marks=pytest.mark.long) for each in ("atn/scenario-a", "atm_lan/figure-3")),
    ],
)
def test_other_networks_have_the_fingerprints_of_python(studio: Studio, name: str) -> None:
    studio.open()
    studio.choose(name)
    studio.go("50 ms")
    assert studio.time == 0.05
    assert studio.fingerprint == fingerprint("50 ms", name)


def test_the_way_to_a_time_can_be_stopped(studio: Studio) -> None:
    studio.open()
    studio.choose("abr/gfc-2-erica")
    studio.page.evaluate(
        """() => {
            const time = document.querySelector('#time')
            time.value = '24 s'
            time.dispatchEvent(new Event('change', {bubbles: true}))
            document.activeElement.blur()
            window.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))
        }"""
    )
    studio.page.wait_for_selector(AT_REST)
    assert studio.time < 24
    exec(studio.snippet(), {})


@pytest.mark.long
def test_every_ready_scenario_is_drawn(studio: Studio) -> None:
    studio.open()
    names = studio.page.locator("#scenario optgroup option").evaluate_all(
        "options => options.map((each) => each.value)"
    )
    folder = Path(penstock.__file__).parent / "scenarios"
    assert set(names) == {file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.toml")}
    for name in names:
        studio.choose(name)
        studio.press("Shift+ArrowRight")
        assert studio.page.locator(".fault").count() == 0, name
        assert studio.time > 0, name


HELD = """\
scheme = "becn"
duration = "6 s"
[line.leased]
between = ["concentrator", "datacentre"]
rate = "5 Mb/s"
delay = "10 ms"
queues = [{ drop_tail_bits = { size = "2 MB" } }]
[flow.branch]
count = 8
octets = 1500
path = ["concentrator", "datacentre"]
traffic.poisson = { rate = "1 Mb/s" }
[flow.always]
octets = 1500
path = ["concentrator", "datacentre"]
traffic.greedy = {}
"""


@pytest.mark.parametrize("studio", [{"width": 420}], indirect=True)
def test_groups_show_what_they_offer_and_what_waits_at_their_sources(studio: Studio) -> None:
    studio.open()
    studio.write(HELD)
    studio.page.click("#start-again")
    studio.expect_value("#time", r"^0\.")
    studio.go("4 s")
    studio.page.click("text=Groups as a table")
    rows = studio.page.get_by_role("region", name="Groups").locator("tbody tr")
    (always, branch) = ([cell.strip() for cell in row.locator("td").all_inner_texts()] for row in rows.all())
    assert (always[0], always[1], always[3]) == ("1", "always data", "\N{EN DASH}")
    simulation = penstock.Simulation(penstock.Scenario.parse(HELD), seed=1)
    simulation.run_until("4 s")
    held = simulation.table("groups").row(by_predicate=pl.col("group") == "branch", named=True)["held_bits"]
    assert held > 4e6
    assert branch[3] == f"{held / 1e6:.3g} Mbits"
    offered, delivered = (float(branch[place].removesuffix(" Mb/s")) for place in (1, 2))
    assert delivered < 5 < offered
    studio.press("f")
    studio.go("5 s")
    names = studio.page.locator(".differences tbody th").all_inner_texts()
    assert names[:5] == [
        *("Throughput", "PDUs lost", "Notices and marks", "Offered", "Waiting at the sources, now"),
    ]
    assert studio.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
