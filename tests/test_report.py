"""A report is one well-formed page that needs nothing outside itself, and can be read without colour and script."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sheets import samples

from penstock.plot import Curve, Panel, Sheet, Trace, against, heat_map
from penstock.plot.values import content_of
from penstock.show.report import Figure, Link, Report, Section, Statement, Table, html, part, write

ALERT = "<script>alert('x')</script> & \"quotes\""
VOID = {"meta", "br", "img", "link", "input", "hr", "col"}
STATEMENTS = [
    Statement("a.holds", "it holds", "reproduced", "1", "1.01 (0.9 to 1.1)", ["at N = 4"]),
    Statement("a.fails", f"it fails {ALERT}", "not reproduced", "2", "3", ["no: never"]),
    Statement("a.half", "half of it", "partly", "half of it", "1 of 2 parts hold"),
]


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
        [
            [Link("one", "a.holds"), 3, "reproduced"],
            ["two", 3, "partly"],
            ["three", 3, "not reproduced"],
            ["four", None, "not run"],
        ],
        note="Nothing was adjusted to meet a claim.",
        verdict_column="verdict",
    )
    numbers = Table(
        ALERT, ["scheme", "cells", "loss ratio"], [["drop tail", 570_000_000, 1.23456e-5], [ALERT, 0, None]]
    )
    figures = [
        Figure(
            sheet,
            f"penstock report DIR --figure {sheet.name}",
            statements=STATEMENTS[:2] if number == 1 else [],
            related=["a.fails"] if number == 2 else [],
            data={"two.csv": "data/two.csv"} if number == 1 else {},
        )
        for number, sheet in enumerate(sheets())
    ]
    return Report(
        title=f"A report {ALERT}",
        headline=f"One of three claims {ALERT}.",
        summary="The first paragraph.\n\nThe second, <b>bold</b>.",
        sections=[
            Section("Claims", "What was said.", tables=[claims, numbers], statements=STATEMENTS[2:]),
            Section("Figures", figures=figures),
        ],
        warnings=[f"Only two seeds {ALERT}."],
        lead="two",
        data={"points.csv": "data/points.csv"},
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


def test_nothing_comes_from_elsewhere_and_only_our_script_runs(text: str, page: Page) -> None:
    for tag, attributes in page.elements:
        assert tag not in {"link", "iframe", "object", "embed", "base", "img"}
        for key, value in attributes.items():
            assert not key.startswith("on")
            if key in {"src", "xlink:href", "srcset", "action", "data"} or (key == "href" and tag != "a"):
                assert value.startswith(("#", "data:image/png;base64,")), f"<{tag} {key}={value[:60]}>"
            elif key == "href":  # a place on the page, or data beside it
                assert value.startswith(("#", "data/")), f"<{tag} {key}={value[:60]}>"
    assert set(re.findall(r"\w+://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}
    assert all("@import" not in style for style in re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
    assert not re.search(r"url\((?!#)", text)
    (policy,) = (each["content"] for each in page.all("meta") if "http-equiv" in each)
    (script,) = page.texts["script"]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"


def test_texts_are_escaped_wherever_they_stand(text: str, page: Page) -> None:
    assert text.count("<script") == 1
    assert "<b>" not in text
    assert page.texts["title"] == page.texts["h1"] == [f"A report {ALERT}"]
    assert ALERT in page.texts["caption"]
    assert ALERT in page.texts["summary"]
    assert page.texts["pre"][-1] == "x = 1 # <&>"
    assert any(ALERT in caption for caption in page.texts["figcaption"])
    assert any(ALERT in claim for claim in page.texts["li"])


def test_the_first_screen_has_the_result_the_verdicts_the_warnings_and_one_figure(text: str, page: Page) -> None:
    (header,) = page.texts["header"]
    places = [
        header.index(part)
        for part in (f"One of three claims {ALERT}.", "1 not reproduced", "Only two seeds", "Two panels", "The first")
    ]
    assert places == sorted(places)
    assert page.texts["figcaption"][0].strip().startswith("Two panels")
    assert text.count(">Two panels</strong>") == 1
    assert "is at the top of this page" in text
    assert page.texts["label"] == ["all 3", "1 not reproduced", "1 partly", "1 reproduced"]
    (contents,) = page.texts["nav"]
    assert contents.strip().startswith("Contents")
    assert page.all("details")[0] == {}  # closed


def test_warnings_beyond_the_first_three_unfold() -> None:
    told = [f"Warning {number}." for number in range(1, 9)]
    page = Page(html(replace(sample(), warnings=told)))
    assert page.texts["details"][0].split("\n") == ["5 more", *told[3:], ""]
    few = Page(html(replace(sample(), warnings=told[:3])))
    assert not any("more" in each for each in few.texts["summary"])


def test_claims_stand_beside_their_figure_those_that_fail_first(text: str, page: Page) -> None:
    shown = [each["id"] for each in page.all("li") if each.get("class", "").startswith("claim")]
    assert shown == ["claim-a-fails", "claim-a-holds", "claim-a-half"]
    (figure,) = re.findall(r'<figure id="two".*?</figure>', text, re.DOTALL)
    assert 'id="claim-a-fails"' in figure
    assert 'id="claim-a-half"' not in figure
    assert 'data-verdict="not reproduced"' in figure
    assert '<a href="data/two.csv">two.csv</a>' in figure
    assert '<a href="#claim-a-holds">one</a>' in text
    (other,) = re.findall(r'<figure id="parameters-2".*?</figure>', text, re.DOTALL)
    assert 'See also <a href="#claim-a-fails">a.fails</a>' in other
    assert {"Published: 1. Ours: 1.01 (0.9 to 1.1).", "Ours: 1 of 2 parts hold."} < set(page.texts["p"])
    assert {"at N = 4", "no: never"} < {item.strip() for item in page.texts["li"]}


def test_each_verdict_can_be_chosen_without_a_script(text: str, page: Page) -> None:
    choices = [each for each in page.all("input") if each["type"] == "radio"]
    assert [("checked" in each, each["id"]) for each in choices] == [
        (True, "show-all"),
        *((False, f"show-{number}") for number in (1, 2, 3)),
    ]
    for number, verdict in enumerate(("not reproduced", "partly", "reproduced"), start=1):
        assert f'body:has(#show-{number}:checked) [data-verdict]:not([data-verdict="{verdict}"])' in text


def test_a_page_elsewhere_leads_to_the_data_of_its_experiment(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    made = replace(sample(), folder=tmp_path / "out" / "study")
    write(made, tmp_path / "pages" / "study.html")
    text = (tmp_path / "pages" / "study.html").read_text(encoding="utf-8")
    assert '<a href="../out/study/data/points.csv">points.csv</a>' in text


def test_a_drawing_has_the_values_of_its_marks(page: Page) -> None:
    values = [json.loads(each["data-panel"]) for each in page.all("g") if "data-panel" in each]
    assert [sorted({"series", "cells", "rows"} & set(each)) for each in values] == [
        *(["series"], ["series"], ["series"], ["cells"], ["series"])
    ]
    traces, curve = next(each for each in values if each["x"][3] == "t"), values[-1]
    assert [(each["label"], each["points"]) for each in traces["series"]] == [("queue", [[0, 3], [1, 1], [2, 2]])]
    (points,) = (each["points"] for each in curve["series"])
    assert points == [[1, 1, -11.7062, 13.7062], [2, 1.5, -4.8531, 7.8531]]  # t = 12.706, two replications
    cells = next(each for each in values if "cells" in each)
    assert cells["cells"] == [[1, None], [None, 2]]


def test_the_values_of_drawings_have_the_keys_that_the_script_reads() -> None:
    panels = [content_of(panel) for sheet in samples() for panel in sheet.panels]
    kinds = [set(panel) for panel in panels]
    known = [keys_of("MarksData"), keys_of("RowsData"), keys_of("CellsData")]
    assert all(kind in known for kind in kinds)
    assert all(kind in kinds for kind in known)
    assert {key for panel in panels for each in panel.get("series", ()) for key in each} == keys_of("Series")


def keys_of(interface: str) -> set[str]:
    """The keys of an interface of `report_data.ts`."""
    found = re.search(rf"interface {interface} {{\n(.*?)\n}}", part("report_data.ts"), re.DOTALL)
    assert found
    return set(re.findall(r"^  (\w+)\??:", found[1], re.MULTILINE))


def test_a_drawing_takes_its_colours_from_the_page(text: str) -> None:
    drawings = re.findall(r"<svg .*?</svg>", text, re.DOTALL)
    assert not any(re.search(r"#(?:0072b2|000000|ffffff|dddddd)\b", drawing) for drawing in drawings)
    assert text.count("--c-0072b2: #0072b2") == text.count("--c-0072b2: #4796e6") == 1


def test_figures_are_drawings_with_a_name_a_caption_and_their_command(page: Page) -> None:
    drawings = [each for each in page.all("svg") if each.get("role") == "img"]
    made = [sheets()[place] for place in (1, 0, 2, 3)]  # the second is on the first screen
    assert [each["aria-label"] for each in drawings] == [sheet.title for sheet in made]
    for sheet, caption in zip(made, page.texts["figcaption"], strict=True):
        assert sheet.title in caption
        assert sheet.caption in caption
        assert f"Run again: penstock report DIR --figure {sheet.name}" in caption
    assert [each["id"] for each in page.all("figure")] == ["two", "loss", "parameters-2", "loss-2"]
    assert [each.get("class") for each in page.all("figure")] == ["judged", None, None, None]


def test_verdicts_differ_in_words_and_signs_not_in_colour_alone(page: Page) -> None:
    cells = [cell for cell in page.texts["td"] if "reproduced" in cell or "partly" in cell or "not run" in cell]
    assert cells == ["✓ reproduced", "≈ partly", "✗ not reproduced", "– not run"]  # noqa: RUF001 - a dash
    kinds = [each["class"] for each in page.all("td") if "verdict" in each.get("class", "")]
    assert kinds == ["verdict good", "verdict fair", "verdict poor", "verdict none"]
    assert [each["data-verdict"] for each in page.all("tr") if "data-verdict" in each] == [
        *("reproduced", "partly", "not reproduced", "not run")
    ]


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
    made = Page(html(Report("R", "", "", [Section("S", tables=[Table("T", ["a", "b"], [["x", ("one", ALERT)]])])])))
    assert made.texts["li"][-2:] == ["one", ALERT]
    assert [each.get("class") for each in made.all("td")] == ["lines"]


def test_headings_are_in_order_and_the_contents_name_every_section_table_and_figure(text: str, page: Page) -> None:
    assert re.findall(r"<h(\d)", text) == ["1", *"2222"]
    assert page.texts["h2"] == ["Claims", "Figures", "Parameters", "Versions"]
    assert page.all("html") == [{"lang": "en"}]
    (contents,) = re.findall("<nav.*?</nav>", text, re.DOTALL)
    assert Page(contents).texts["a"] == [
        *("Claims", "Claims", ALERT),
        *("Figures", *(sheet.title for sheet in sheets())),
        *("Parameters", "Versions"),
    ]


def test_every_parameter_version_and_command_is_there(page: Page) -> None:
    assert page.texts["summary"] == ["Contents", *sample().parameters]
    assert page.texts["pre"] == list(sample().parameters.values())
    assert page.texts["tbody"][-1].split() == ["penstock0.1.0", "matplotlib3.10.0"]
    assert "penstock reproduce satellite --full" in page.texts["code"]
    assert "The second, <b>bold</b>." in page.texts["p"]


def test_a_report_may_be_empty() -> None:
    page = Page(html(Report("Nothing", "", "", [Section("Empty")])))
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
        html(Report("R", "", "", [Section("S", tables=[table])]))


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
