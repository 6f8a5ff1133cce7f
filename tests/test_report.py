"""A report is one well-formed page that refers to nothing outside itself, and can be read without colour."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from penstock.plot import Curve, Panel, Sheet, Trace, against, heat_map
from penstock.show.report import Figure, Report, Section, Table, html, write

ALERT = "<script>alert('x')</script> & \"quotes\""
VOID = {"meta", "br", "img", "link", "input", "hr", "col"}
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
BLUE = (0x00, 0x72, 0xB2)


def sheets() -> list[Sheet]:
    curve = Curve(ALERT, {1.0: {1: 0.0, 2: 2.0}, 2.0: {1: 1.0, 2: 2.0}})
    traces = [Trace("queue", [0.0, 1.0, 2.0], [3.0, 1.0, 2.0])]
    cells = {(1, 1): {1: 1.0}, (2, 2): {1: 2.0}}
    return [
        against("loss", f"Loss {ALERT}", [curve], x_label="load", y_label="loss", caption=ALERT),
        Sheet("two", "Two panels", "", [Panel("t", "q", traces=traces), Panel("x", "y", [curve])], columns=2),
        heat_map("parameters", "A heat map", cells, x_label="x", y_label="y", quantity="z"),
        against("loss", "Again", [curve], x_label="load", y_label="loss"),
    ]


def sample() -> Report:
    claims = Table(
        "Claims",
        ["claim", "seeds", "verdict"],
        [["one", 3, "reproduced"], ["two", 3, "partly"], ["three", 3, "not reproduced"], ["four", None, "not run"]],
        note="Nothing was adjusted to meet a claim.",
        verdict_column="verdict",
    )
    numbers = Table(
        ALERT, ["scheme", "cells", "loss ratio"], [["drop tail", 570_000_000, 1.23456e-5], [ALERT, 0, None]]
    )
    return Report(
        title=f"A report {ALERT}",
        summary="The first paragraph.\n\nThe second, <b>bold</b>.",
        sections=[
            Section("Claims", "What was said.", tables=[claims, numbers]),
            Section(
                "Figures", figures=[Figure(sheet, f"penstock report DIR --figure {sheet.name}") for sheet in sheets()]
            ),
        ],
        parameters={"satellite/1-case-1": 'duration = "180 s"\n[line.a]\nrate = "6 Mb/s"\n', ALERT: "x = 1 # <&>"},
        versions={"penstock": "0.1.0", "matplotlib": "3.10.0"},
        command="penstock reproduce satellite --full",
    )


class Page(HTMLParser):
    """Elements with their attributes and texts; an element that is closed in the wrong place is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert len(dict(attributes)) == len(attributes), f"<{tag}> has an attribute twice"
        self.elements.append((tag, {key: value or "" for key, value in attributes}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]


@pytest.fixture(scope="module")
def text() -> str:
    return html(sample())


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_ids_are_unique_and_whatever_is_referred_to_is_there(text: str, page: Page) -> None:
    ids = page.ids()
    assert len(set(ids)) == len(ids)
    for _, attributes in page.elements:
        if attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in ids
        assert attributes.get("aria-labelledby", ids[0]) in ids
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)
    assert "url(#" in text


def test_nothing_comes_from_elsewhere_and_no_script_runs(text: str, page: Page) -> None:
    for tag, attributes in page.elements:
        assert tag not in {"script", "link", "iframe", "object", "embed", "base", "img", "style"} or tag == "style"
        for key, value in attributes.items():
            assert not key.startswith("on")
            if key in {"href", "src", "xlink:href", "srcset", "action", "data"}:
                assert value.startswith(("#", "data:image/png;base64,")), f"<{tag} {key}={value[:60]}>"
    assert set(re.findall(r"\w+://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    (policy,) = (each["content"] for each in page.all("meta") if "http-equiv" in each)
    assert policy.startswith("default-src 'none'")


def test_texts_are_escaped_wherever_they_stand(text: str, page: Page) -> None:
    assert "<script" not in text
    assert "<b>" not in text
    assert page.texts["title"] == page.texts["h1"] == [f"A report {ALERT}"]
    assert ALERT in page.texts["caption"]
    assert ALERT in page.texts["summary"]
    assert page.texts["pre"][-1] == "x = 1 # <&>"
    assert ALERT in page.texts["figcaption"][0]
    assert page.all("figure")[0]["id"] == "loss"


def test_figures_are_drawings_with_a_name_a_caption_and_their_command(page: Page) -> None:
    drawings = [each for each in page.all("svg") if each.get("role") == "img"]
    assert [each["aria-label"] for each in drawings] == [sheet.title for sheet in sheets()]
    for sheet, caption in zip(sheets(), page.texts["figcaption"], strict=True):
        assert sheet.title in caption
        assert sheet.caption in caption
        assert f"Run again: penstock report DIR --figure {sheet.name}" in caption
    assert [each["id"] for each in page.all("figure")] == ["loss", "two", "parameters-2", "loss-2"]
    assert [each.get("class") for each in page.all("figure")] == [None, "wide", None, None]


def test_verdicts_differ_in_words_and_signs_not_in_colour_alone(page: Page) -> None:
    cells = [cell for cell in page.texts["td"] if "reproduced" in cell or "partly" in cell or "not run" in cell]
    assert cells == ["✓ reproduced", "≈ partly", "✗ not reproduced", "not run"]
    kinds = [each["class"] for each in page.all("td") if "verdict" in each.get("class", "")]
    assert kinds == ["verdict good", "verdict fair", "verdict poor"]


def test_tables_have_captions_and_headings_and_numbers_stand_to_the_right(page: Page) -> None:
    scopes = [each["scope"] for each in page.all("th")]
    assert scopes.count("col") == 3 + 3 + 2
    assert scopes.count("row") == 4 + 2 + 2
    assert page.texts["caption"] == ["Claims", ALERT]
    assert {"570,000,000", "1.235e-05", "–"} <= set(page.texts["td"])  # noqa: RUF001 - it is a dash
    numbers = [
        cell for cell, each in zip(page.texts["td"], page.all("td"), strict=True) if each.get("class") == "number"
    ]
    assert numbers == ["3", "3", "3", "–", "570,000,000", "1.235e-05", "0", "–"]  # noqa: RUF001 - dashes


def test_several_texts_in_a_cell_are_a_list() -> None:
    made = Page(html(Report("R", "", [Section("S", tables=[Table("T", ["a", "b"], [["x", ("one", ALERT)]])])])))
    assert made.texts["li"][-2:] == ["one", ALERT]
    assert [each.get("class") for each in made.all("td")] == ["lines"]


def test_headings_are_in_order_and_the_contents_name_every_section_table_and_figure(text: str, page: Page) -> None:
    assert re.findall(r"<h(\d)", text) == ["1", *"2222"]
    assert page.texts["h2"] == ["Claims", "Figures", "Parameters", "Versions"]
    assert page.all("html") == [{"lang": "en"}]
    assert page.texts["a"] == [
        *("Claims", "Claims", ALERT),
        *("Figures", *(sheet.title for sheet in sheets())),
        *("Parameters", "Versions"),
    ]


def test_every_parameter_version_and_command_is_there(page: Page) -> None:
    assert page.texts["summary"] == list(sample().parameters)
    assert page.texts["pre"] == list(sample().parameters.values())
    assert page.texts["tbody"][-1].split() == ["penstock0.1.0", "matplotlib3.10.0"]
    assert "penstock reproduce satellite --full" in page.texts["code"]
    assert "The second, <b>bold</b>." in page.texts["p"]


def test_an_incomplete_report_says_so(text: str) -> None:
    assert "Incomplete" not in text
    assert "Incomplete: not all runs have finished." in html(replace(sample(), complete=False))


def test_a_report_may_be_empty() -> None:
    page = Page(html(Report("Nothing", "", [Section("Empty")])))
    assert page.texts["h2"] == ["Empty"]


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (Table("T", ["a", "b"], [["x"]]), "row 1 has 1 cells, but there are 2 columns"),
        (Table("T", ["a"], [], verdict_column="b"), "has no column 'b'"),
    ],
)
def test_a_table_that_does_not_fit_its_headings_is_an_error(table: Table, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        html(Report("R", "", [Section("S", tables=[table])]))


def test_the_same_data_give_the_same_bytes_in_another_process(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.html"
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_report import *; write(sample(), Path(sys.argv[2]))"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parent), str(path)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert path.read_bytes() == text.encode()


def test_a_file_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        write(sample(), tmp_path / "missing" / "report.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine to open the page with")
def test_a_browser_shows_the_outlines_that_figures_share(tmp_path: Path) -> None:
    from PIL import Image

    dots = Curve("dots", {name: {1: 3.0} for name in "abcdefgh"})
    made = Report("R", "", [Section("S", figures=[Figure(against("dots", "Dots", [dots], x_label="x", y_label="y"))])])
    path, picture = tmp_path / "report.html", tmp_path / "page.png"
    write(made, path)
    assert CHROMIUM is not None
    command = [
        *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *(
            f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=1000,1000",
            f"--screenshot={picture}",
            path.as_uri(),
        ),
    ]
    subprocess.run(command, check=True, capture_output=True)
    with Image.open(picture) as image:
        coloured = {colour: count for count, colour in image.convert("RGB").getcolors(1 << 20) or []}
    # The dots are the only blue on the page, and each is a reference to one outline at the head of the page.
    assert coloured.get(BLUE, 0) > 8 * 20
